/* road.c - see road.h. */
#include "engine/map/road.h"

#include "engine/base/watch.h"

mcd_node mcd_road_tail(const mcd_graph *graph, uint32_t arc)
{
    return (mcd_node)mcd_lower_bound_u64(graph->first_out, 1, graph->node_count, (uint64_t)arc + 1) - 1;
}

void mcd_road_tails(const mcd_graph *graph, mcd_arc first, size_t count, mcd_node tail[MCD_TAILS_ROOM])
{
    size_t end = 0;
    for (mcd_node x = count > 0 ? mcd_road_tail(graph, (uint32_t)first) : 0; end < count; ++x) {
        size_t i = end;
        end = mcd_size_min(graph->first_out[x + 1] - first, count);
        /* the next node corrects it */
        for (size_t k = 0; k < MCD_TAILS_ROOM - MCD_TAILS_MAX; ++k) tail[i + k] = x;
        for (i += MCD_TAILS_ROOM - MCD_TAILS_MAX; i < end; ++i) tail[i] = x;
    }
}

mcd_point mcd_road_point(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i)
{
    const mcd_arc_facts *const facts = roads->facts;
    const bool at_head = i + 1 == mcd_road_point_count(roads, arc);
    if (i > 0 && !at_head) {
        const uint64_t shape = mcd_arc_shape(facts, arc).first + i - 1;
        return (mcd_point){facts->shape_lon_e7[shape], facts->shape_lat_e7[shape]};
    }
    const mcd_node node = at_head ? roads->graph->head[arc] : tail;
    return (mcd_point){roads->places->lon_e7[node], roads->places->lat_e7[node]};
}

size_t mcd_road_expect(const mcd_roads *roads, uint32_t arc)
{
    const mcd_arc_facts *const facts = roads->facts;
    const mcd_place_index *const places = roads->places;
    const uint32_t original = mcd_arc_original(facts, arc);
    const mcd_node head = roads->graph->head[arc];
    if (original != MCD_ROAD_NONE) {
        __builtin_prefetch(&facts->number[original]);
        if (facts->way) __builtin_prefetch(&facts->way[original]);
        if (facts->kind_of) __builtin_prefetch(&facts->kind_of[original]);
    }
    __builtin_prefetch(&places->id[places->node_place[head]]);
    if (!places->lon_e7) return 0;
    const mcd_arc_points inner = mcd_arc_shape(facts, arc);
    if (inner.end > inner.first) {
        __builtin_prefetch(&facts->shape_lon_e7[inner.first]);
        __builtin_prefetch(&facts->shape_lat_e7[inner.first]);
    }
    __builtin_prefetch(&places->lon_e7[head]);
    __builtin_prefetch(&places->lat_e7[head]);
    return 2 + inner.end - inner.first;
}

int32_t mcd_road_potential(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint64_t at,
                           const int32_t *potential)
{
    const uint32_t *const place = roads->places->node_place;
    const int64_t from = potential[place[tail]], rise = potential[place[roads->graph->head[arc]]] - from;
    const int64_t part = rise * (int64_t)at + (int64_t)(MCD_ROAD_WHOLE / 2), whole = (int64_t)MCD_ROAD_WHOLE;
    const int64_t floor = part / whole - (part % whole < 0); /* the way back differs by whole potentials */
    return (int32_t)(from + floor);
}

int32_t mcd_road_height(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i)
{
    const bool at_head = i + 1 == mcd_road_point_count(roads, arc);
    if (i > 0 && !at_head)
        return roads->facts->shape_height_dm[mcd_arc_shape(roads->facts, arc).first + i - 1];
    const mcd_node node = at_head ? roads->graph->head[arc] : tail;
    return roads->places->height_dm[roads->places->node_place[node]];
}

double mcd_road_length(mcd_point from, mcd_point to)
{
    return mcd_ellipsoid_distance_m(from.lon_e7, from.lat_e7, to.lon_e7, to.lat_e7);
}

static mcd_ellipsoid_place place_at(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i)
{
    const mcd_point point = mcd_road_point(roads, tail, arc, i);
    return mcd_ellipsoid_place_of(point.lon_e7, point.lat_e7);
}

double mcd_road_piece_length(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i,
                             mcd_ellipsoid_place *at)
{
    const mcd_ellipsoid_place from = i == 0 ? place_at(roads, tail, arc, 0) : *at;
    *at = place_at(roads, tail, arc, i + 1);
    return mcd_ellipsoid_between_m(&from, at);
}

double mcd_road_arc_length(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const size_t piece_count = mcd_road_point_count(roads, arc) - 1;
    mcd_ellipsoid_place at;
    double sum = 0;
    for (size_t i = 0; i < piece_count; ++i) sum += mcd_road_piece_length(roads, tail, arc, i, &at);
    return sum;
}

void mcd_road_between(mcd_point from, mcd_point to, double along, double *lon, double *lat)
{
    *lon = remainder(from.lon_e7 + along * mcd_road_east(from, to), MCD_WHOLE_E7) / 1e7;
    *lat = (from.lat_e7 + along * ((double)to.lat_e7 - from.lat_e7)) / 1e7;
}

/* Where the points of a part of an arc are written. */
typedef struct cut_writer {
    const mcd_roads *roads;
    mcd_node tail;
    uint32_t arc;
    double *lon, *lat, *height_m;
    size_t count;
} cut_writer;

/* Writes the point at the fraction `along` of the i-th piece. */
static void cut_at(cut_writer *writer, size_t i, double along)
{
    const mcd_roads *const roads = writer->roads;
    const size_t at = writer->count++;
    mcd_road_between(mcd_road_point(roads, writer->tail, writer->arc, i),
                     mcd_road_point(roads, writer->tail, writer->arc, i + 1), along, &writer->lon[at],
                     &writer->lat[at]);
    if (!writer->height_m) return;
    const int32_t from_dm = mcd_road_height(roads, writer->tail, writer->arc, i),
                  to_dm = mcd_road_height(roads, writer->tail, writer->arc, i + 1);
    writer->height_m[at] = round(from_dm + along * ((double)to_dm - from_dm)) / 10;
}

enum { PIECES_KNOWN = sizeof((mcd_road_lengths *)NULL)->piece / sizeof(double) };

static void measure(mcd_road_lengths *out, const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const size_t piece_count = mcd_road_point_count(roads, arc) - 1;
    mcd_ellipsoid_place at;
    out->arc = arc;
    out->whole = 0;
    for (size_t i = 0; i < piece_count; ++i) {
        const double length = mcd_road_piece_length(roads, tail, arc, i, &at);
        if (i < PIECES_KNOWN) out->piece[i] = length;
        out->whole += length;
    }
}

size_t mcd_road_cut(const mcd_roads *roads, uint32_t arc, uint64_t from, uint64_t to, double *lon,
                    double *lat, double *height_m, mcd_road_lengths *lengths)
{
    const mcd_node tail = mcd_road_tail(roads->graph, arc);
    cut_writer writer = {roads, tail, arc, lon, lat, height_m, 0};
    if (lengths->arc != arc) measure(lengths, roads, tail, arc);
    const double first = (double)from / MCD_ROAD_WHOLE * lengths->whole,
                 last = (double)to / MCD_ROAD_WHOLE * lengths->whole;
    const size_t piece_count = mcd_road_point_count(roads, arc) - 1;
    double before = 0; /* the length of the pieces before this one */
    for (size_t i = 0; i < piece_count; ++i) {
        const double of_piece = i < PIECES_KNOWN ? lengths->piece[i]
                                                 : mcd_road_length(mcd_road_point(roads, tail, arc, i),
                                                                   mcd_road_point(roads, tail, arc, i + 1)),
                     behind = before + of_piece;
        const bool is_last = i + 1 == piece_count || behind >= last;
        if (writer.count == 0 && (is_last || behind > first))
            cut_at(&writer, i, of_piece > 0 ? fmin((first - before) / of_piece, 1) : 0);
        if (is_last) {
            cut_at(&writer, i, of_piece > 0 ? fmin((last - before) / of_piece, 1) : 1);
            break;
        }
        if (writer.count > 0) cut_at(&writer, i, 1);
        before = behind;
    }
    return writer.count;
}

size_t mcd_road_piece(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint64_t from)
{
    const double first = (double)from / MCD_ROAD_WHOLE * mcd_road_arc_length(roads, tail, arc);
    const size_t piece_count = mcd_road_point_count(roads, arc) - 1;
    mcd_ellipsoid_place at;
    double behind = 0; /* the length up to the end of the piece */
    for (size_t i = 0; i + 1 < piece_count; ++i) {
        behind += mcd_road_piece_length(roads, tail, arc, i, &at);
        if (behind > first) return i;
    }
    return piece_count - 1;
}

/* Returns the node from which the id of `node` departs. */
static mcd_node depart_of(const mcd_place_index *places, mcd_node node)
{
    return places->depart[places->node_place[node]];
}

bool mcd_road_departs(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    return mcd_arc_number(roads->facts, arc) != MCD_ARC_NONE && depart_of(roads->places, tail) == tail;
}

macadam_status mcd_road_departures(mcd_node **out, const mcd_roads *roads, macadam_error *error)
{
    const mcd_graph *const graph = roads->graph;
    MCD_OWNED mcd_node *tail = NULL;
    *out = NULL;
    MCD_TRY(MCD_NEW(tail, graph->arc_count, error));
    for (uint32_t arc = 0; arc < graph->arc_count; ++arc) tail[arc] = MCD_NODE_NONE;
    for (size_t id = 0; id < roads->places->id_count; ++id) {
        MCD_TRY(mcd_watch_item(NULL, id, roads->places->id_count, error));
        const mcd_node x = roads->places->depart[id];
        for (mcd_arc arc = graph->first_out[x]; arc < graph->first_out[x + 1]; ++arc)
            if (mcd_arc_number(roads->facts, (uint32_t)arc) != MCD_ARC_NONE) tail[arc] = x;
    }
    return MCD_MOVE(*out, tail);
}

/* An arc with access to its points from either end. */
typedef struct arc_line {
    uint32_t arc;
    mcd_node tail;
    bool reversed;
} arc_line;

static mcd_point point_of(const mcd_roads *roads, const arc_line *line, size_t i, size_t count)
{
    return mcd_road_point(roads, line->tail, line->arc, line->reversed ? count - 1 - i : i);
}

/* Returns whether both lie on the same points of the same way, between the same ids. */
static bool is_same(const mcd_roads *roads, const arc_line *a, const arc_line *b)
{
    const mcd_arc_facts *const facts = roads->facts;
    const uint32_t *const id = roads->places->node_place;
    const mcd_node *const head = roads->graph->head;
    const size_t count = mcd_road_point_count(roads, a->arc);
    if (count != mcd_road_point_count(roads, b->arc)) return false;
    if (mcd_arc_number(facts, b->arc) == MCD_ARC_NONE) return false;
    if (mcd_arc_way(facts, a->arc) != mcd_arc_way(facts, b->arc)) return false;
    const bool turned = a->reversed != b->reversed;
    if (id[a->tail] != id[turned ? head[b->arc] : b->tail] ||
        id[head[a->arc]] != id[turned ? b->tail : head[b->arc]])
        return false;
    for (size_t i = 0; i < count; ++i) {
        const mcd_point p = point_of(roads, a, i, count), q = point_of(roads, b, i, count);
        if (p.lon_e7 != q.lon_e7 || p.lat_e7 != q.lat_e7) return false;
    }
    return true;
}

typedef struct arc_range {
    mcd_arc first, end;
} arc_range;

/* Returns a range of arcs out of `tail` that includes all arcs to the id of `head`. The range is short, for
 * top nodes too, unless the node is split. */
static arc_range arcs_between(const mcd_roads *roads, mcd_node tail, mcd_node head)
{
    const mcd_graph *const graph = roads->graph;
    const size_t id = roads->places->node_place[head];
    if (roads->places->depart[id] != roads->places->arrive[id])
        return (arc_range){graph->first_out[tail], graph->first_out[tail + 1]};
    return (arc_range){mcd_graph_first_arc(graph, tail, head), mcd_graph_first_arc(graph, tail, head + 1)};
}

mcd_node mcd_road_arrival(const mcd_roads *roads, mcd_node node)
{
    return roads->places->arrive[roads->places->node_place[node]];
}

uint32_t mcd_road_copy(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const mcd_arc_facts *const facts = roads->facts;
    if (arc >= roads->graph->first_out[tail] && arc < roads->graph->first_out[tail + 1]) return arc;
    const arc_range range = arcs_between(roads, tail, roads->graph->head[arc]);
    for (mcd_arc xy = range.first; xy < range.end; ++xy)
        if (mcd_arc_original(facts, (uint32_t)xy) == mcd_arc_original(facts, arc)) return (uint32_t)xy;
    return MCD_ROAD_NONE;
}

uint32_t mcd_road_original(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const mcd_graph *const graph = roads->graph;
    const mcd_arc_facts *const facts = roads->facts;
    if (!facts->original) return arc;
    const mcd_node depart = depart_of(roads->places, tail);
    if (depart == tail) return arc;
    for (mcd_arc xy = graph->first_out[depart]; xy < graph->first_out[depart + 1]; ++xy)
        if (facts->original[xy] == facts->original[arc]) return (uint32_t)xy;
    return arc; /* only in a file with wrong originals: every number has one */
}

/* Returns the part of that range whose arcs may have an arc back. */
static arc_range paired_arcs(const mcd_roads *roads, mcd_node tail, mcd_node head)
{
    const arc_range all = arcs_between(roads, tail, head);
    return (arc_range){all.first, mcd_size_min(all.end, all.first + MCD_ROAD_PAIRED_MAX)};
}

void mcd_road_expect_back(const mcd_roads *roads, mcd_node tail, uint32_t arc, int step)
{
    const mcd_graph *const graph = roads->graph;
    const mcd_place_index *const places = roads->places;
    const mcd_arc_facts *const facts = roads->facts;
    if (step == 0) {
        __builtin_prefetch(&graph->first_out[tail]);
        __builtin_prefetch(&graph->head[arc]);
        if (facts->original) __builtin_prefetch(&facts->original[arc]);
        __builtin_prefetch(&places->node_place[tail]);
        __builtin_prefetch(&places->lon_e7[tail]);
        __builtin_prefetch(&places->lat_e7[tail]);
    }
    if (step == 1) (void)mcd_road_expect(roads, arc);
    if (step < 2) return;
    if (step == 2 && facts->shape_id) __builtin_prefetch(&facts->shape_id[mcd_arc_shape(facts, arc).first]);
    if (step == 2 && facts->kind_of) __builtin_prefetch(facts->kind[mcd_arc_kind(facts, arc)].text);
    const mcd_node *const depart = &places->depart[places->node_place[graph->head[arc]]];
    __builtin_prefetch(step == 2 ? (const void *)depart : &graph->first_out[*depart]);
}

uint32_t mcd_road_back(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const arc_line line = {arc, tail, false}, turned = {arc, tail, true};
    const mcd_node back = depart_of(roads->places, roads->graph->head[arc]);
    size_t rank = 0; /* of the arc among those with the same shape, then how many are still to be skipped */
    const arc_range beside = paired_arcs(roads, line.tail, roads->graph->head[arc]);
    if (arc >= beside.end) return MCD_ROAD_NONE;
    for (mcd_arc xy = beside.first; xy < arc; ++xy)
        rank += is_same(roads, &line, &(const arc_line){(uint32_t)xy, line.tail, false});
    const arc_range range = paired_arcs(roads, back, line.tail);
    for (mcd_arc yx = range.first; yx < range.end; ++yx)
        if (is_same(roads, &turned, &(const arc_line){(uint32_t)yx, back, false}) && rank-- == 0)
            /* the arc itself: a loop whose points mirror each other */
            return yx == arc ? MCD_ROAD_NONE : (uint32_t)yx;
    return MCD_ROAD_NONE;
}
