/* packed.c - see packed.h. */
#include "engine/file/packed.h"

#include "engine/base/watch.h"

#include <stdatomic.h>

enum { PACK_NODES = 1 << 12, PACK_ARCS = 1 << 15 }; /* in a range */

/* ---- places ---- */

/* departing: [id_count] the departing nodes, in their order */
static macadam_status pack_nodes(mcd_packed_places *out, const mcd_place_index *places, mcd_node *departing,
                                 macadam_error *error)
{
    uint8_t *role;
    uint32_t *departure, *departure_id;
    MCD_OWNED uint32_t *number = NULL;
    MCD_TRY(MCD_NEW(role, places->node_count, error));
    out->role = role;
    MCD_TRY(MCD_NEW(departure, places->node_count, error));
    out->departure = departure;
    MCD_TRY(MCD_NEW(departure_id, places->id_count, error));
    out->departure_id = departure_id;
    MCD_TRY(MCD_NEW(number, places->id_count, error));
    uint32_t count = 0;
    for (mcd_node v = 0; v < places->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, places->node_count, error));
        const uint32_t place = places->node_place[v];
        const bool departs = places->depart[place] == v, arrives = places->arrive[place] == v;
        role[v] = (uint8_t)((departs ? MCD_ROLE_DEPARTS : 0) | (arrives ? MCD_ROLE_ARRIVES : 0));
        if (departs) departure_id[count] = place, departing[count] = v, number[place] = count++;
    }
    for (mcd_node v = 0; v < places->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, places->node_count, error));
        departure[v] = number[places->node_place[v]];
    }
    return MACADAM_OK;
}

/* Moves to[of[i]] = from[i], or, if `gathers`, to[i] = from[of[i]]. No two are moved to the same place. */
typedef struct move_run {
    int32_t *to;
    const int32_t *from;
    const uint32_t *of;
    bool gathers;
} move_run;

static void move_range(void *argument, size_t first, size_t end)
{
    const move_run run = *(const move_run *)argument;
    for (size_t i = first; i < end; ++i)
        run.to[run.gathers ? i : run.of[i]] = run.from[run.gathers ? run.of[i] : i];
}

static macadam_status move(const int32_t **to, const int32_t *from, const uint32_t *of, size_t count,
                           bool gathers, const mcd_parallel *parallel, macadam_error *error)
{
    move_run run = {NULL, from, of, gathers};
    MCD_TRY(MCD_NEW(run.to, count, error));
    *to = run.to;
    return mcd_watch_for_ranges(parallel, count, PACK_NODES, move_range, &run, error);
}

macadam_status mcd_places_pack(mcd_packed_places *out, const mcd_place_index *places,
                               const mcd_parallel *parallel, macadam_error *error)
{
    MCD_FREED_BY(mcd_packed_places_free) mcd_packed_places made = {.id = places->id};
    MCD_OWNED mcd_node *departing = NULL;
    *out = (mcd_packed_places){0};
    MCD_TRY(MCD_NEW(departing, places->id_count, error));
    MCD_TRY(pack_nodes(&made, places, departing, error));
    if (places->lon_e7) {
        MCD_TRY(move(&made.lon_e7, places->lon_e7, departing, places->id_count, true, parallel, error));
        MCD_TRY(move(&made.lat_e7, places->lat_e7, departing, places->id_count, true, parallel, error));
    }
    if (places->height_dm)
        MCD_TRY(move(&made.height_dm, places->height_dm, made.departure_id, places->id_count, true, parallel,
                     error));
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_packed_places_free, mcd_packed_places, it->role, it->departure, it->departure_id,
                it->lon_e7, it->lat_e7, it->height_dm)

static macadam_status fail_section(macadam_error *error, const char *file, const char *section, size_t index,
                                   uint64_t value, const char *why)
{
    return mcd_fail(error, MACADAM_E_FILE, "%s: section '%s': element %zu is %llu: %s", file, section, index,
                    (unsigned long long)value, why);
}

static macadam_status unpack_nodes(const mcd_packed_places *packed, size_t node_count, size_t id_count,
                                   uint32_t *node_place, mcd_node *depart, mcd_node *arrive, const char *file,
                                   macadam_error *error)
{
    uint32_t departures = 0;
    size_t arrivals = 0;
    for (size_t i = 0; i < id_count; ++i) {
        MCD_TRY(mcd_watch_item(NULL, i, id_count, error));
        depart[i] = arrive[i] = MCD_NODE_NONE;
        if (packed->departure_id[i] >= id_count)
            return fail_section(error, file, "departure_id", i, packed->departure_id[i], "no id");
    }
    for (mcd_node v = 0; v < node_count; ++v) {
        const uint32_t number = packed->departure[v];
        MCD_TRY(mcd_watch_item(NULL, v, node_count, error));
        if (number >= id_count) return fail_section(error, file, "departure", v, number, "no departing node");
        const uint32_t place = node_place[v] = packed->departure_id[number];
        const bool departs = packed->role[v] & MCD_ROLE_DEPARTS, arrives = packed->role[v] & MCD_ROLE_ARRIVES;
        mcd_node unused = MCD_NODE_NONE; /* no branch depends on a role: they follow no pattern */
        mcd_node *const leave = departs ? &depart[place] : &unused, *const enter =
                                                                        arrives ? &arrive[place] : &unused;
        if (departs & (number != departures))
            return fail_section(error, file, "departure", v, number,
                                "departing nodes are not in their order");
        if (*leave != MCD_NODE_NONE)
            return fail_section(error, file, "departure_id", number, place, "the id of two departing nodes");
        if (*enter != MCD_NODE_NONE)
            return fail_section(error, file, "node_role", v, packed->role[v],
                                "its id arrives at another node");
        *leave = v;
        *enter = v;
        departures += departs;
        arrivals += arrives;
    }
    if (departures == id_count && arrivals == id_count) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE,
                    "%s: section 'node_role': %u nodes depart and %zu arrive, but there are %zu ids", file,
                    departures, arrivals, id_count);
}

macadam_status mcd_places_unpack(mcd_place_index *out, const mcd_packed_places *packed, const char *file,
                                 const mcd_parallel *parallel, macadam_error *error)
{
    uint32_t *node_place;
    mcd_node *depart, *arrive;
    out->id = packed->id;
    MCD_TRY(MCD_NEW(node_place, out->node_count, error));
    out->node_place = node_place;
    MCD_TRY(MCD_NEW(depart, out->id_count, error));
    out->depart = depart;
    MCD_TRY(MCD_NEW(arrive, out->id_count, error));
    out->arrive = arrive;
    MCD_TRY(unpack_nodes(packed, out->node_count, out->id_count, node_place, depart, arrive, file, error));
    if (packed->lon_e7) {
        MCD_TRY(
            move(&out->lon_e7, packed->lon_e7, packed->departure, out->node_count, true, parallel, error));
        MCD_TRY(
            move(&out->lat_e7, packed->lat_e7, packed->departure, out->node_count, true, parallel, error));
    }
    if (!packed->height_dm) return MACADAM_OK;
    return move(&out->height_dm, packed->height_dm, packed->departure_id, out->id_count, false, parallel,
                error);
}

MCD_DEFINE_FREE(mcd_places_free, mcd_place_index, it->node_place, it->depart, it->arrive, it->lon_e7,
                it->lat_e7, it->height_dm)

/* ---- arcs ---- */

static bool departs(const mcd_place_index *places, mcd_node node)
{
    return places->depart[places->node_place[node]] == node;
}

/* The originals that leave an id. */
typedef struct original_range {
    uint32_t before_first, count;
} original_range;

typedef struct unpack_run {
    original_range *of_id;
    uint32_t *original;
    const uint16_t *copy;
    const mcd_graph *graph;
    const mcd_place_index *places;
    const mcd_watch *watch;
    size_t length;        /* nodes of a range */
    uint32_t *count;      /* of the originals of each range of nodes; then of those before */
    _Atomic uint32_t bad; /* the first arc that is a copy of no arc; MCD_ROAD_NONE: none */
} unpack_run;

/* *least: shared by threads. */
static void note_least(_Atomic uint32_t *least, uint32_t found)
{
    uint32_t known = *least;
    while (found < known && !atomic_compare_exchange_weak(least, &known, found)) continue;
}

static void count_own(void *argument, size_t first, size_t end)
{
    const unpack_run *const run = argument;
    uint32_t count = 0;
    for (size_t v = first; v < end; ++v) {
        if (v % MCD_WATCH_ITEMS == 0 && !mcd_watch_goes_on(run->watch)) return;
        if (!departs(run->places, (mcd_node)v)) continue;
        for (mcd_arc arc = run->graph->first_out[v]; arc < run->graph->first_out[v + 1]; ++arc)
            count += run->copy[arc] != 0;
    }
    run->count[first / run->length] = count;
}

/* Finds the originals of ids in the order of departing nodes, where the originals are in order. */
static void range_originals(void *argument, size_t first, size_t end)
{
    unpack_run *const run = argument;
    const mcd_graph *const graph = run->graph;
    uint32_t sum = run->count[first / run->length];
    for (size_t v = first; v < end; ++v) {
        if (v % MCD_WATCH_ITEMS == 0 && !mcd_watch_goes_on(run->watch)) return;
        if (!departs(run->places, (mcd_node)v)) continue;
        const uint32_t before = sum;
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc)
            if (run->copy[arc] != 0 && run->copy[arc] != ++sum - before) {
                note_least(&run->bad, (uint32_t)arc);
                return;
            }
        run->of_id[run->places->node_place[v]] = (original_range){before - 1, sum - before};
    }
    run->count[first / run->length] = sum;
}

static void unpack_arcs(void *argument, size_t range_first, size_t range_end)
{
    unpack_run *const run = argument;
    mcd_node tail[MCD_TAILS_ROOM];
    for (size_t first = range_first; first < range_end; first += MCD_TAILS_MAX) {
        const size_t count = mcd_size_min(MCD_TAILS_MAX, range_end - first);
        mcd_road_tails(run->graph, first, count, tail);
        for (size_t i = 0; i < count; ++i) {
            const original_range range = run->of_id[run->places->node_place[tail[i]]];
            const uint16_t number = run->copy[first + i];
            if (number > range.count) {
                note_least(&run->bad, (uint32_t)(first + i));
                return;
            }
            run->original[first + i] = number == 0 ? MCD_ROAD_NONE : range.before_first + number;
        }
    }
}

/* The last range of nodes need not be counted: one thread has only that. */
static macadam_status unpack_ranges(unpack_run *run, size_t *original_count, const mcd_parallel *parallel,
                                    macadam_error *error)
{
    const size_t node_count = run->graph->node_count;
    const size_t last = node_count > 0 ? (node_count - 1) / run->length : 0;
    MCD_TRY(mcd_watch_for_ranges(parallel, last * run->length, run->length, count_own, run, error));
    uint32_t before = 0;
    for (size_t i = 0; i <= last; ++i) {
        const uint32_t own = run->count[i];
        run->count[i] = before;
        before += own;
    }
    MCD_TRY(mcd_watch_for_ranges(parallel, node_count, run->length, range_originals, run, error));
    *original_count = run->count[last];
    if (run->bad != MCD_ROAD_NONE) return MACADAM_OK;
    return mcd_watch_for_ranges(parallel, run->graph->arc_count, PACK_ARCS, unpack_arcs, run, error);
}

macadam_status mcd_arcs_unpack(uint32_t **original, size_t *original_count, const uint16_t *copy,
                               const mcd_graph *graph, const mcd_place_index *places, const char *file,
                               const mcd_parallel *parallel, macadam_error *error)
{
    MCD_OWNED original_range *of_id = NULL;
    MCD_OWNED uint32_t *made = NULL, *count = NULL;
    unpack_run run = {.copy = copy,
                      .graph = graph,
                      .places = places,
                      .watch = mcd_watch_find(NULL),
                      .length = mcd_range_length(parallel, graph->node_count, PACK_NODES),
                      .bad = MCD_ROAD_NONE};
    *original = NULL;
    MCD_TRY(MCD_NEW(of_id, places->id_count, error));
    MCD_TRY(MCD_NEW(made, graph->arc_count, error));
    MCD_TRY(MCD_NEW_ZEROED(count, graph->node_count / run.length + 1, error));
    run.of_id = of_id, run.original = made, run.count = count;
    MCD_TRY(unpack_ranges(&run, original_count, parallel, error));
    if (run.bad != MCD_ROAD_NONE)
        return fail_section(error, file, "arc_copy", run.bad, copy[run.bad],
                            "no such arc leaves the junction");
    return MCD_MOVE(*original, made);
}

typedef struct pack_run {
    mcd_packed_arcs *out;
    const mcd_graph *graph;
    const mcd_place_index *places;
    const uint32_t *map_arc;
    const uint64_t *number;
    uint32_t *count;     /* of the originals of each range of nodes; then of those before */
    uint32_t *first;     /* [id_count] the first original of a junction */
    uint32_t *of_number; /* the original of each number */
    atomic_bool has_arrivals;
    _Atomic mcd_node crowded; /* the first node that too many arcs leave; MCD_NODE_NONE: none */
} pack_run;

static void look_for_arrivals(void *argument, size_t first, size_t end)
{
    pack_run *const run = argument;
    for (size_t arc = first; arc < end && !run->has_arrivals; ++arc)
        if (run->number[arc] == MCD_ARC_NONE) run->has_arrivals = true;
}

static void list_sources(void *argument, size_t first, size_t end)
{
    const pack_run *const run = argument;
    for (size_t arc = first; arc < end; ++arc)
        run->out->source[arc] = (uint32_t)(run->number[run->map_arc[arc]] - 1);
}

static void count_originals(void *argument, size_t first, size_t end)
{
    const pack_run *const run = argument;
    uint32_t count = 0;
    for (mcd_node v = (mcd_node)first; v < end; ++v)
        for (mcd_arc arc = run->graph->first_out[v];
             departs(run->places, v) && arc < run->graph->first_out[v + 1]; ++arc)
            count += run->number[run->map_arc[arc]] != MCD_ARC_NONE;
    run->count[first / PACK_NODES] = count;
}

/* Lists the originals, and finds each by its number. */
static void list_originals(void *argument, size_t first, size_t end)
{
    const pack_run *const run = argument;
    uint32_t next = run->count[first / PACK_NODES];
    for (mcd_node v = (mcd_node)first; v < end; ++v) {
        if (!departs(run->places, v)) continue;
        run->first[run->places->node_place[v]] = next;
        for (mcd_arc arc = run->graph->first_out[v]; arc < run->graph->first_out[v + 1]; ++arc) {
            const uint64_t number = run->number[run->map_arc[arc]];
            if (number == MCD_ARC_NONE) continue;
            run->of_number[number - 1] = next;
            run->out->source[next++] = (uint32_t)(number - 1);
        }
    }
}

static void list_copies(void *argument, size_t first, size_t end)
{
    pack_run *const run = argument;
    for (mcd_node v = (mcd_node)first; v < end; ++v)
        for (mcd_arc arc = run->graph->first_out[v]; arc < run->graph->first_out[v + 1]; ++arc) {
            const uint64_t own = run->number[run->map_arc[arc]];
            const uint32_t original = own == MCD_ARC_NONE ? MCD_ROAD_NONE : run->of_number[own - 1];
            const uint32_t copy =
                own == MCD_ARC_NONE ? 0 : original - run->first[run->places->node_place[v]] + 1;
            if (copy > UINT16_MAX) note_least(&run->crowded, v);
            run->out->original[arc] = original;
            run->out->copy[arc] = (uint16_t)copy;
        }
}

static macadam_status pack_copies(pack_run *run, const mcd_parallel *parallel, macadam_error *error)
{
    mcd_packed_arcs *const out = run->out;
    const mcd_graph *const graph = run->graph;
    MCD_OWNED uint32_t *first = NULL, *of_number = NULL, *count = NULL;
    const size_t ranges = (graph->node_count + (size_t)PACK_NODES - 1) / PACK_NODES;
    MCD_TRY(MCD_NEW(out->copy, graph->arc_count, error));
    MCD_TRY(MCD_NEW(out->original, graph->arc_count, error));
    MCD_TRY(MCD_NEW(first, run->places->id_count, error));
    MCD_TRY(MCD_NEW(of_number, graph->arc_count, error));
    MCD_TRY(MCD_NEW(count, ranges, error));
    run->first = first, run->of_number = of_number, run->count = count;
    MCD_TRY(mcd_watch_for_ranges(parallel, graph->node_count, PACK_NODES, count_originals, run, error));
    out->original_count = 0;
    for (size_t i = 0; i < ranges; ++i) {
        const uint32_t own = count[i];
        count[i] = (uint32_t)out->original_count;
        out->original_count += own;
    }
    MCD_TRY(mcd_watch_for_ranges(parallel, graph->node_count, PACK_NODES, list_originals, run, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, graph->node_count, PACK_NODES, list_copies, run, error));
    if (run->crowded == MCD_NODE_NONE) return MACADAM_OK;
    return mcd_fail_invalid(error, "more than %d arcs leave node %lld, where turns are restricted",
                            UINT16_MAX, (long long)mcd_place_id_of(run->places, run->crowded));
}

macadam_status mcd_arcs_pack(mcd_packed_arcs *out, const mcd_graph *graph, const mcd_place_index *places,
                             const uint32_t *map_arc, const uint64_t *number, const mcd_parallel *parallel,
                             macadam_error *error)
{
    MCD_FREED_BY(mcd_packed_arcs_free) mcd_packed_arcs made = {.original_count = graph->arc_count};
    pack_run run = {.out = &made,
                    .graph = graph,
                    .places = places,
                    .map_arc = map_arc,
                    .number = number,
                    .crowded = MCD_NODE_NONE};
    *out = (mcd_packed_arcs){0};
    MCD_TRY(MCD_NEW(made.source, graph->arc_count, error));
    MCD_TRY(mcd_watch_for_ranges(parallel, graph->arc_count, PACK_ARCS, look_for_arrivals, &run, error));
    if (places->id_count < places->node_count || run.has_arrivals)
        MCD_TRY(pack_copies(&run, parallel, error));
    else
        MCD_TRY(mcd_watch_for_ranges(parallel, graph->arc_count, PACK_ARCS, list_sources, &run, error));
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_packed_arcs_free, mcd_packed_arcs, it->copy, it->original, it->source)
