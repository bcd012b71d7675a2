/* junctions.c - see junctions.h.
 *
 * A node that turn restrictions split has copies. Departures leave one of them, whose arcs are all the roads
 * that lead away. Arrivals are joined in another one: the roads that lead there come to it or to a copy that
 * an arrival arc joins to it. Two passes over the junctions: one counts their roads, one writes them. */
#include "engine/guide/junctions.h"
#include "engine/guide/bearing.h"
#include "engine/base/memory.h"
#include "engine/base/watch.h"

enum { JUNCTIONS_PER_TASK = 1024, ROADS_MAX = 64 /* in a line, to the next junction */ };

/* The roads of one junction while they are found. */
typedef struct junction_reader {
    const mcd_roads *roads;
    const uint32_t *first; /* [id_count + 1] of their roads; NULL: no bearings and lengths are wanted */
    float *metres;         /* [original_count] of the roads that leave */
    mcd_node depart;
    mcd_road_end end[MCD_BRANCHES_MAX];
    uint32_t count;
} junction_reader;

static uint32_t original_of(const junction_reader *reader, uint32_t arc)
{
    return mcd_arc_original(reader->roads->facts, arc);
}

/* Returns whether the road of a branch leads to the arc's tail, is of the arc's way and begins at the arc's
 * last points. */
static bool is_same_road(const junction_reader *reader, const mcd_road_end *branch, mcd_node tail,
                         uint32_t arc)
{
    const mcd_roads *const roads = reader->roads;
    const mcd_arc_facts *const facts = roads->facts;
    const uint32_t *const id = roads->places->node_place;
    if (id[tail] != id[roads->graph->head[branch->arc]]) return false;
    if (mcd_arc_way(facts, branch->arc) != mcd_arc_way(facts, arc)) return false;
    const size_t count = mcd_road_point_count(roads, branch->arc);
    if (count != mcd_road_point_count(roads, arc)) return false;
    const mcd_point a = mcd_road_point(roads, reader->depart, branch->arc, 1),
                    b = mcd_road_point(roads, tail, arc, count - 2);
    return a.lon_e7 == b.lon_e7 && a.lat_e7 == b.lat_e7;
}

static void add_end(junction_reader *reader, mcd_node tail, uint32_t arc, uint32_t back)
{
    if (reader->count == MCD_BRANCHES_MAX) return;
    const mcd_arc_facts *const facts = reader->roads->facts;
    const bool comes = arc == MCD_ROAD_NONE;
    const mcd_arc_walk walk = {reader->roads, reader->first, tail, comes ? back : arc, comes};
    reader->end[reader->count++] =
        (mcd_road_end){arc, back, facts->kind_of ? mcd_arc_kind(facts, walk.arc) : 0,
                       reader->first ? (float)mcd_arc_walk_bearing(walk) : 0};
}

static void add_coming(junction_reader *reader, mcd_node tail, uint32_t arc)
{
    const uint32_t original = original_of(reader, arc);
    if (original == MCD_ROAD_NONE) return;
    for (uint32_t i = 0; i < reader->count; ++i) {
        mcd_road_end *const there = &reader->end[i];
        if (there->back != MCD_ROAD_NONE) {
            if (original_of(reader, there->back) == original) return;
        } else if (is_same_road(reader, there, tail, arc)) {
            there->back = arc;
            return;
        }
    }
    add_end(reader, tail, MCD_ROAD_NONE, arc);
}

static void add_all_coming(junction_reader *reader, mcd_node node, mcd_node arrive)
{
    const mcd_graph *const graph = reader->roads->graph;
    for (mcd_arc i = graph->first_in[node]; i < graph->first_in[node + 1]; ++i) {
        add_coming(reader, graph->tail[i], graph->in_arc[i]);
        const bool joins = node == arrive && original_of(reader, graph->in_arc[i]) == MCD_ROAD_NONE;
        if (joins) add_all_coming(reader, graph->tail[i], arrive);
    }
}

static bool is_after(const mcd_road_end *x, const mcd_road_end *y)
{
    const uint32_t of_x = x->arc != MCD_ROAD_NONE ? x->arc : x->back,
                   of_y = y->arc != MCD_ROAD_NONE ? y->arc : y->back;
    return x->bearing != y->bearing ? x->bearing > y->bearing : of_x > of_y;
}

static void read_junction(junction_reader *reader, size_t id)
{
    const mcd_graph *const graph = reader->roads->graph;
    const mcd_node depart = reader->roads->places->depart[id], arrive = reader->roads->places->arrive[id];
    reader->depart = depart;
    reader->count = 0;
    for (mcd_arc arc = graph->first_out[depart]; arc < graph->first_out[depart + 1]; ++arc)
        if (original_of(reader, (uint32_t)arc) != MCD_ROAD_NONE) {
            add_end(reader, depart, (uint32_t)arc, MCD_ROAD_NONE);
            if (reader->first)
                reader->metres[original_of(reader, (uint32_t)arc)] =
                    (float)mcd_arc_metres(reader->roads, depart, (uint32_t)arc);
        }
    add_all_coming(reader, arrive, arrive);
    if (depart != arrive) add_all_coming(reader, depart, arrive);
    if (!reader->first) return;
    for (uint32_t i = 1; i < reader->count; ++i) {
        const mcd_road_end end = reader->end[i];
        uint32_t at = i;
        for (; at > 0 && is_after(&reader->end[at - 1], &end); --at) reader->end[at] = reader->end[at - 1];
        reader->end[at] = end;
    }
}

/* ---- the table ---- */

typedef struct table_run {
    mcd_junctions *out;
    const mcd_roads *roads;
    uint32_t *first; /* [id_count + 1] of its roads */
    float *metres;   /* [original_count] */
} table_run;

/* Counts the roads of junctions; writes them once there is room. */
static void read_range(void *argument, size_t first, size_t end)
{
    const table_run *const run = argument;
    const bool writes = run->out->end;
    junction_reader reader = {
        .roads = run->roads, .first = writes ? run->first : NULL, .metres = run->metres};
    for (size_t id = first; id < end; ++id) {
        read_junction(&reader, id);
        if (!writes) run->first[id + 1] = reader.count;
        for (uint32_t i = 0; writes && i < reader.count; ++i)
            run->out->end[run->first[id] + i] = reader.end[i];
    }
}

/* Returns which of the junction's roads an arc is that leaves it, or comes to it; or MCD_BRANCHES_MAX. */
static uint8_t find_end(const table_run *run, const mcd_meeting *meeting, uint32_t arc, bool leaves)
{
    const mcd_arc_facts *const facts = run->roads->facts;
    const mcd_road_end *const end = run->out->end + meeting->first;
    const uint32_t original = mcd_arc_original(facts, arc);
    for (uint32_t i = 0; i < meeting->count && original != MCD_ROAD_NONE; ++i) {
        const uint32_t own = leaves ? end[i].arc : end[i].back;
        if (own != MCD_ROAD_NONE && mcd_arc_original(facts, own) == original) return (uint8_t)i;
    }
    return MCD_BRANCHES_MAX;
}

static void meet_range(void *argument, size_t first_node, size_t end)
{
    const table_run *const run = argument;
    const mcd_graph *const graph = run->roads->graph;
    for (size_t node = first_node; node < end; ++node) {
        const uint32_t id = run->roads->places->node_place[node], first = run->first[id];
        mcd_meeting meeting = {.first = first, .count = run->first[id + 1] - first};
        for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc) {
            const uint8_t at = find_end(run, &meeting, (uint32_t)arc, true);
            run->out->of_arc[arc].at_tail = at;
            const uint32_t original = mcd_arc_original(run->roads->facts, (uint32_t)arc);
            run->out->of_arc[arc].metres = original != MCD_ROAD_NONE ? run->metres[original] : 0;
            meeting.entry |= (UINT32_C(1) << at) & ~(UINT32_C(1) << MCD_BRANCHES_MAX);
        }
        for (mcd_arc i = graph->first_in[node]; i < graph->first_in[node + 1]; ++i)
            run->out->of_arc[graph->in_arc[i]].at_head = find_end(run, &meeting, graph->in_arc[i], false);
        run->out->of_node[node] = meeting;
    }
}

static macadam_status fill(table_run *run, const mcd_parallel *parallel, macadam_error *error)
{
    mcd_junctions *const out = run->out;
    const mcd_place_index *const places = run->roads->places;
    const size_t length = JUNCTIONS_PER_TASK;
    MCD_TRY(MCD_NEW(out->of_node, places->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(out->of_arc, run->roads->graph->arc_count, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, places->id_count, length, read_range, run, error));
    for (size_t id = 0; id < places->id_count; ++id) run->first[id + 1] += run->first[id];
    out->end_count = run->first[places->id_count];
    MCD_TRY(MCD_NEW(out->end, out->end_count, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, places->id_count, length, read_range, run, error));
    return mcd_watch_for_ranges(parallel, places->node_count, length, meet_range, run, error);
}

macadam_status mcd_junctions_new(mcd_junctions *out, const mcd_roads *roads, const mcd_parallel *parallel,
                                 macadam_error *error)
{
    MCD_FREED_BY(mcd_junctions_free) mcd_junctions made = {0};
    MCD_OWNED uint32_t *first = NULL;
    MCD_OWNED float *metres = NULL;
    *out = (mcd_junctions){0};
    MCD_TRY(mcd_signs_new(&made.signs, roads, error));
    MCD_TRY(MCD_NEW_ZEROED(first, roads->places->id_count + 1, error));
    MCD_TRY(MCD_NEW(metres, roads->original_count, error));
    MCD_TRY(fill(&(table_run){&made, roads, first, metres}, parallel, error));
    return MCD_MOVE(*out, made);
}

macadam_status mcd_junctions_closed(_Atomic uint64_t **out, const mcd_junctions *junctions,
                                    const mcd_weights *weights, macadam_error *error)
{
    const mcd_graph *const graph = weights->graph;
    _Atomic uint64_t *closed;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(closed, 2 * (size_t)junctions->end_count / 64 + 1, error));
    for (mcd_node tail = 0; tail < graph->node_count; ++tail)
        for (mcd_arc arc = graph->first_out[tail]; arc < graph->first_out[tail + 1]; ++arc) {
            if (mcd_arc_is_open(weights, (uint32_t)arc)) continue;
            const uint32_t at[] = {junctions->of_node[tail].first,
                                   junctions->of_node[graph->head[arc]].first};
            for (size_t i = 0; i < 2; ++i) closed[at[i] / 64] |= UINT64_C(1) << at[i] % 64;
        }
    *out = closed;
    return MACADAM_OK;
}

mcd_node mcd_junctions_far(const mcd_junctions *junctions, const mcd_graph *graph, const mcd_road_end *end)
{
    mcd_node node;
    for (uint32_t roads = 0, in = 0; roads < ROADS_MAX && in < 2; ++roads) {
        const bool leaves = end->arc != MCD_ROAD_NONE;
        node = leaves ? graph->head[end->arc] : mcd_road_tail(graph, end->back);
        const mcd_meeting *const meeting = &junctions->of_node[node];
        if (meeting->count != 2) break;
        in = leaves ? junctions->of_arc[end->arc].at_head : junctions->of_arc[end->back].at_tail;
        end = &junctions->end[meeting->first + 1 - (in & 1)];
    }
    return node;
}

void mcd_junctions_free(mcd_junctions *junctions)
{
    mcd_signs_free(&junctions->signs);
    MCD_FREE_ALL(junctions->of_node, junctions->end, junctions->of_arc);
    *junctions = (mcd_junctions){0};
}
