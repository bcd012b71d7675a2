/* junctions.c - see junctions.h.
 *
 * A node that turn restrictions split has copies. Departures leave one of them, whose arcs are all the roads
 * that lead away. Arrivals are joined in another one: the roads that lead there come to it or to a copy that
 * an arrival arc joins to it.
 *
 * A junction is read when a route first comes there: a route passes few of a map's junctions. One thread at a time
 * adds its roads to the array, and then stores in the meeting of its first copy where they are. */
#include "engine/guide/junctions.h"
#include "engine/guide/bearing.h"
#include "engine/base/watch.h"

enum { ROADS_MAX = 64 /* in a line, to the next junction */ };

/* The roads of one junction while they are found. */
typedef struct junction_reader {
    const mcd_roads *roads;
    bool counts; /* only: no bearings are wanted */
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

static uint32_t count_roads(const mcd_roads *roads, size_t id);

static void add_end(junction_reader *reader, mcd_node tail, uint32_t arc, uint32_t back)
{
    if (reader->count == MCD_BRANCHES_MAX) return;
    const mcd_arc_facts *const facts = reader->roads->facts;
    const bool comes = arc == MCD_ROAD_NONE;
    const mcd_arc_walk walk = {reader->roads, count_roads, tail, comes ? back : arc, comes};
    reader->end[reader->count++] =
        (mcd_road_end){arc, back, facts->kind_of ? mcd_arc_kind(facts, walk.arc) : 0,
                       reader->counts ? 0 : (float)mcd_arc_walk_bearing(walk)};
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
        if (original_of(reader, (uint32_t)arc) != MCD_ROAD_NONE)
            add_end(reader, depart, (uint32_t)arc, MCD_ROAD_NONE);
    add_all_coming(reader, arrive, arrive);
    if (depart != arrive) add_all_coming(reader, depart, arrive);
    if (reader->counts) return;
    for (uint32_t i = 1; i < reader->count; ++i) {
        const mcd_road_end end = reader->end[i];
        uint32_t at = i;
        for (; at > 0 && is_after(&reader->end[at - 1], &end); --at) reader->end[at] = reader->end[at - 1];
        reader->end[at] = end;
    }
}

static uint32_t count_roads(const mcd_roads *roads, size_t id)
{
    junction_reader reader = {.roads = roads, .counts = true};
    read_junction(&reader, id);
    return reader.count;
}

/* ---- the table ---- */

uint8_t mcd_junctions_find(const mcd_junctions *junctions, const mcd_meeting *meeting, uint32_t arc,
                           bool leaves)
{
    const mcd_arc_facts *const facts = junctions->roads->facts;
    const mcd_road_end *const end = mcd_junctions_roads(junctions, meeting);
    const uint32_t original = mcd_arc_original(facts, arc);
    uint8_t found = MCD_BRANCHES_MAX;
    for (uint32_t i = 0; i < meeting->count && original != MCD_ROAD_NONE && found == MCD_BRANCHES_MAX; ++i) {
        const uint32_t own = leaves ? end[i].arc : end[i].back;
        if (own != MCD_ROAD_NONE && mcd_arc_original(facts, own) == original) found = (uint8_t)i;
    }
    mcd_arc_ends *const ends = &junctions->of_arc[arc];
    atomic_store_explicit(leaves ? &ends->at_tail : &ends->at_head, found + 1, memory_order_relaxed);
    return found;
}

/* Finds by which roads one leaves a copy of a junction, and then says that the roads are known there. */
static void meet(const mcd_junctions *junctions, mcd_node node, mcd_meeting roads)
{
    const mcd_graph *const graph = junctions->roads->graph;
    mcd_meeting *const at = &junctions->of_node[node];
    for (mcd_arc arc = graph->first_out[node]; arc < graph->first_out[node + 1]; ++arc)
        at->entry |= (UINT32_C(1) << mcd_junctions_find(junctions, &roads, (uint32_t)arc, true)) &
                     ~(UINT32_C(1) << MCD_BRANCHES_MAX);
    at->count = roads.count;
    atomic_store_explicit(&at->first, roads.first, memory_order_release);
}

const mcd_meeting *mcd_junctions_read(mcd_junctions *junctions, mcd_node node)
{
    const mcd_place_index *const places = junctions->roads->places;
    const uint32_t id = places->node_place[node];
    const mcd_node depart = places->depart[id];
    mcd_meeting *const of_node = junctions->of_node;
    MCD_HOLD(&junctions->lock);
    if (!of_node[depart].first) {
        junction_reader reader = {.roads = junctions->roads};
        read_junction(&reader, id);
        const uint32_t first = junctions->end_count;
        for (uint32_t i = 0; i < reader.count && junctions->end_count < junctions->room; ++i)
            junctions->end[junctions->end_count++] = reader.end[i];
        meet(junctions, depart, (mcd_meeting){.first = first, .count = junctions->end_count - first});
    }
    if (!of_node[node].first)
        meet(junctions, node, (mcd_meeting){.first = of_node[depart].first, .count = of_node[depart].count});
    return &of_node[node];
}

float mcd_junctions_measure(const mcd_junctions *junctions, uint32_t arc)
{
    const mcd_roads *const roads = junctions->roads;
    if (mcd_arc_original(roads->facts, arc) == MCD_ROAD_NONE) return 0;
    const float metres = (float)mcd_arc_metres(roads, mcd_road_tail(roads->graph, arc), arc);
    atomic_store_explicit(&junctions->of_arc[arc].metres, metres, memory_order_relaxed);
    return metres;
}

static macadam_status make(mcd_junctions *out, macadam_error *error)
{
    const mcd_roads *const roads = out->roads;
    out->end_count = 1;
    /* each road leaves a junction and comes to one */
    out->room = (uint32_t)mcd_size_min(1 + 2 * roads->original_count, UINT32_MAX);
    MCD_TRY(mcd_signs_new(&out->signs, roads, error));
    MCD_TRY(MCD_NEW_ZEROED(out->of_node, roads->places->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(out->of_arc, roads->graph->arc_count, error));
    return MCD_NEW(out->end, out->room, error);
}

macadam_status mcd_junctions_new(mcd_junctions *out, const mcd_roads *roads, macadam_error *error)
{
    *out = (mcd_junctions){.roads = roads};
    pthread_mutex_init(&out->lock, NULL);
    const macadam_status status = make(out, error);
    if (status) mcd_junctions_free(out);
    return status;
}

static void note_closed(_Atomic uint64_t *closed, const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const uint32_t at[] = {roads->places->node_place[tail],
                           roads->places->node_place[roads->graph->head[arc]]};
    for (size_t i = 0; i < 2; ++i) closed[at[i] / 64] |= UINT64_C(1) << at[i] % 64;
}

macadam_status mcd_junctions_closed(_Atomic uint64_t **out, const mcd_roads *roads,
                                    const mcd_weights *weights, macadam_error *error)
{
    const mcd_graph *const graph = roads->graph;
    _Atomic uint64_t *closed;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(closed, (roads->places->id_count + graph->arc_count) / 64 + 1, error));
    mcd_node tail = 0;
    for (uint32_t arc = 0; arc < graph->arc_count; ++arc) {
        if (mcd_arc_is_open(weights, arc)) continue; /* most are */
        while (graph->first_out[tail + 1] <= arc) ++tail;
        note_closed(closed, roads, tail, arc);
    }
    *out = closed;
    return MACADAM_OK;
}

macadam_status mcd_junctions_closed_next(_Atomic uint64_t **out, const _Atomic uint64_t *before,
                                         const mcd_roads *roads, const mcd_weights *weights,
                                         const uint32_t *changed, size_t count, macadam_error *error)
{
    const size_t ids = roads->places->id_count;
    _Atomic uint64_t *closed;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(closed, (ids + roads->graph->arc_count) / 64 + 1, error));
    for (size_t word = 0; word < ids / 64; ++word) closed[word] = before[word];
    closed[ids / 64] = before[ids / 64] & ((UINT64_C(1) << ids % 64) - 1);
    for (size_t i = 0; i < count; ++i)
        if (!mcd_arc_is_open(weights, changed[i]))
            note_closed(closed, roads, mcd_road_tail(roads->graph, changed[i]), changed[i]);
    *out = closed;
    return MACADAM_OK;
}

mcd_node mcd_junctions_far(mcd_junctions *junctions, const mcd_road_end *end)
{
    const mcd_graph *const graph = junctions->roads->graph;
    mcd_node node;
    for (uint32_t roads = 0, in = 0; roads < ROADS_MAX && in < 2; ++roads) {
        const bool leaves = end->arc != MCD_ROAD_NONE;
        node = leaves ? graph->head[end->arc] : mcd_road_tail(graph, end->back);
        const mcd_meeting *const meeting = mcd_junctions_at(junctions, node);
        if (meeting->count != 2) break;
        in = mcd_junctions_road(junctions, meeting, leaves ? end->arc : end->back, !leaves);
        end = mcd_junctions_roads(junctions, meeting) + 1 - (in & 1);
    }
    return node;
}

void mcd_junctions_free(mcd_junctions *junctions)
{
    if (!junctions->roads) return;
    pthread_mutex_destroy(&junctions->lock);
    mcd_signs_free(&junctions->signs);
    MCD_FREE_ALL(junctions->of_node, junctions->end, junctions->of_arc);
    *junctions = (mcd_junctions){0};
}
