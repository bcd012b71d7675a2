/* device_roads.c - see device_roads.h.
 *
 * A device finds a road as the processor does, bit for bit (kernels/snap.h). Here is what it has of each piece, so that it can
 * make the position, too: an arc's length is measured once for all of its points. */
#include "engine/query/places/device_roads.h"

#include "engine/base/arena.h"
#include "engine/runtime/load.h"

#include <string.h>

enum {
    POINTS_LEAST = 1000,       /* 16 threads look for fewer in the time of some launches and copies */
    PIECES_PER_POINT = 2,      /* are made ready for a device in less than the time of a search */
    POINTS_PER_TASK = 128,     /* whose searches are begun together */
    POINTS_PER_CALL = 1 << 10, /* at least, that a device looks for together */
    CALLS_MOST = 8,
    PIECES_PER_TASK = 1024,
};

/* ---- the index ---- */

typedef struct tree_work {
    const macadam_engine *engine;
    mcd_snap_line *line;
    mcd_snap_piece *piece;
    atomic_bool is_damaged; /* a piece belongs to no departure */
} tree_work;

/* Sets where a piece is on its arc, as the processor measures it. */
static void measure(mcd_snap_piece *out, const mcd_roads *roads, mcd_node tail, size_t piece)
{
    const size_t piece_count = mcd_road_point_count(roads, out->arc) - 1;
    mcd_ellipsoid_place at;
    double length = 0;
    for (size_t i = 0; i < piece_count; ++i) {
        const double of_piece = mcd_road_piece_length(roads, tail, out->arc, i, &at);
        if (i == piece) out->before = length, out->length = of_piece;
        length += of_piece;
    }
    out->whole = length;
    out->is_first = piece == 0, out->is_last = piece + 1 == piece_count;
}

static void make_pieces(void *argument, size_t first, size_t end)
{
    tree_work *const work = argument;
    const mcd_roads *const roads = &work->engine->roads;
    const mcd_snap_index *const index = &work->engine->snap;
    const uint32_t *const id = roads->places->node_place;
    for (size_t entry = first; entry < end; ++entry) {
        const uint32_t arc = index->arc[entry], number = index->piece[entry];
        const mcd_node tail = mcd_snap_tail(roads, index, entry, MCD_NODE_NONE);
        if (tail == MCD_NODE_NONE) {
            atomic_store(&work->is_damaged, true);
            continue;
        }
        mcd_snap_piece piece = {.arc = arc, .piece = number, .id = {id[tail], id[roads->graph->head[arc]]}};
        piece.number = mcd_arc_number(roads->facts, arc);
        piece.back = mcd_road_back(roads, tail, arc);
        measure(&piece, roads, tail, number / 2);
        work->line[entry] = mcd_snap_line_of(roads, tail, arc, number / 2);
        work->piece[entry] = piece;
    }
}

/* ---- where searches leave the places of roads, and reach them ---- */

typedef struct ends_work {
    const mcd_roads *roads;
    uint32_t *count;      /* [arc_count + 1] of arrivals; then, where those of each arc begin */
    mcd_arrival *arrival; /* NULL: they are counted */
    atomic_bool is_full;  /* some arc has too many */
} ends_work;

/* Lists the arrivals of an arc from an id; returns how many there are. */
static uint32_t list_arrivals(const ends_work *work, size_t id, uint32_t arc, mcd_arrival *out)
{
    const mcd_roads *const roads = work->roads;
    const mcd_graph *const graph = roads->graph;
    const mcd_node tail = roads->places->depart[id], arrive = roads->places->arrive[id];
    const bool is_split = arrive != tail;
    const mcd_arc first = is_split ? graph->first_in[arrive] : 0,
                  end = is_split ? graph->first_in[arrive + 1] : 1;
    uint32_t count = 0;
    for (mcd_arc xy = first; xy < end; ++xy) {
        const mcd_node from = is_split ? graph->tail[xy] : tail;
        const uint32_t copy = mcd_road_copy(roads, from, arc);
        if (copy == MCD_ROAD_NONE) continue;
        if (out) out[count] = (mcd_arrival){from, copy};
        ++count;
    }
    return count;
}

static void list_ends(void *argument, size_t first, size_t last)
{
    ends_work *const work = argument;
    const mcd_roads *const roads = work->roads;
    for (size_t id = first; id < last; ++id) {
        const mcd_node tail = roads->places->depart[id];
        for (mcd_arc arc = roads->graph->first_out[tail]; arc < roads->graph->first_out[tail + 1]; ++arc) {
            if (mcd_arc_number(roads->facts, (uint32_t)arc) == MCD_ARC_NONE) continue;
            mcd_arrival *const out = work->arrival ? &work->arrival[work->count[arc]] : NULL;
            const uint32_t count = list_arrivals(work, id, (uint32_t)arc, out);
            if (count > MCD_ARRIVALS_MAX) atomic_store(&work->is_full, true);
            if (!out) work->count[arc] = count;
        }
    }
}

/* Makes the ends of all roads, within `memory`. */
static macadam_status make_ends(mcd_road_ends *out, const macadam_engine *engine, mcd_arena *memory)
{
    const mcd_place_index *const places = &engine->places;
    const uint32_t arcs = engine->graph.arc_count;
    ends_work work = {.roads = &engine->roads};
    uint64_t sum = 0;
    MCD_TRY(MCD_ARENA_NEW(memory, work.count, (size_t)arcs + 1, NULL));
    memset(work.count, 0, ((size_t)arcs + 1) * sizeof *work.count);
    mcd_parallel_for_ranges(&engine->parallel, places->id_count, PIECES_PER_TASK, list_ends, &work);
    for (uint32_t arc = 0; arc <= arcs; ++arc) {
        const uint32_t count = work.count[arc];
        work.count[arc] = (uint32_t)sum;
        sum += count;
    }
    if (atomic_load(&work.is_full) || sum > UINT32_MAX) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(memory, work.arrival, sum, NULL));
    mcd_parallel_for_ranges(&engine->parallel, places->id_count, PIECES_PER_TASK, list_ends, &work);
    *out = (mcd_road_ends){arcs, places->id_count, places->depart, places->arrive, work.count, work.arrival};
    return MACADAM_OK;
}

static macadam_status place_index(macadam_engine *engine, const mcd_backend *backend)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {NULL};
    const mcd_snap_index *const index = &engine->snap;
    mcd_snap_tree tree = {.piece_count = index->piece_count, .box = index->box};
    tree_work work = {.engine = engine};
    mcd_device_snap *snap;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_GRAPH, NULL));
    tree.level_count = mcd_snap_levels(index->piece_count, tree.level_first);
    MCD_TRY(MCD_ARENA_NEW(&memory, work.line, index->piece_count, NULL));
    MCD_TRY(MCD_ARENA_NEW(&memory, work.piece, index->piece_count, NULL));
    mcd_parallel_for_ranges(&engine->parallel, index->piece_count, PIECES_PER_TASK, make_pieces, &work);
    if (atomic_load(&work.is_damaged)) return MACADAM_E_FILE;
    tree.line = work.line, tree.piece = work.piece;
    MCD_TRY(make_ends(&tree.ends, engine, &memory));
    MCD_TRY(backend->device->snap_new(&snap, engine->device, &tree, NULL));
    engine->device_snap = snap;
    return MACADAM_OK;
}

/* Returns the index on the device; NULL: there is none. The call that makes it is the only one that waits for it. If that
 * fails, it is tried again after as many searches: device or host may have memory then. */
static mcd_device_snap *index_of(macadam_engine *engine, const mcd_backend *backend, size_t points)
{
    const uint64_t searches = atomic_fetch_add(&engine->device_snap_searches, points) + points;
    if (searches * PIECES_PER_POINT >= engine->snap.piece_count && engine->snap.piece_count > 0 &&
        !atomic_exchange(&engine->has_device_snap, true) && place_index(engine, backend))
        mcd_engine_forget_snap(engine);
    return engine->device_snap;
}

/* ---- searches ---- */

typedef struct point_work {
    const mcd_backend *backend;
    const mcd_locator *locator;
    const mcd_locate_list *list;
    mcd_nearest_job all; /* the search for the points of all lists */
    mcd_nearest_road *connected;
    mcd_snap_point *point; /* of these */
    size_t of_call;        /* a multiple of POINTS_PER_TASK: the points of each call but the last */
    atomic_size_t made[CALLS_MOST];
    atomic_bool has_failed;
} point_work;

/* Looks for the other roads of a call's points whose roads are cut off. These few points move to the front; from there, the roads
 * move to their places, the last first. */
static macadam_status find_connected(const mcd_backend *backend, mcd_nearest_job job, mcd_snap_point *point,
                                     mcd_nearest_road *connected)
{
    const mcd_nearest_road *const road = job.road;
    const size_t all = job.count;
    job.connected = true, job.road = connected, job.count = 0;
    for (size_t i = 0; i < all; ++i)
        if (road[i].state == MCD_NEAREST_CUT_OFF) point[job.count++] = point[i];
    if (job.count > 0) MCD_TRY(backend->nearest_roads(&job, NULL));
    for (size_t i = all; job.count > 0;)
        if (road[--i].state == MCD_NEAREST_CUT_OFF) connected[i] = connected[--job.count];
    return MACADAM_OK;
}

/* Makes points. The thread that makes the last of a call lets the device look for their roads, while others make the next ones. It
 * begins no threads for this: a host's executor need not run tasks within tasks. */
static void find_range(void *argument, size_t first, size_t end)
{
    point_work *const work = argument;
    const size_t call = first / work->of_call, begin = call * work->of_call;
    mcd_nearest_job job = work->all;
    for (size_t i = first; i < end; ++i) {
        const mcd_locate_list *list = work->list;
        size_t at = i;
        while (at >= list->count) at -= list++->count;
        work->point[i] = mcd_locate_point(work->locator, &list->place[at]);
    }
    job.count = mcd_size_min(work->of_call, job.count - begin);
    job.point += begin, job.road += begin;
    if (atomic_fetch_add(&work->made[call], end - first) + (end - first) < job.count) return;
    if (work->backend->nearest_roads(&job, NULL) ||
        find_connected(work->backend, job, work->point + begin, work->connected + begin))
        atomic_store(&work->has_failed, true);
}

/* Returns memory that the device reads and writes at full speed, unless the query holds scratch: two calls that each held some could
 * wait for each other's. */
static char *take_memory(mcd_device_roads *out, const mcd_query *query, size_t bytes)
{
    out->scratch = &query->engine->scratch;
    out->block.preferred = true;
    if (query->block.memory || query->reserved ||
        mcd_scratch_take(out->scratch, bytes, "roads of points", &out->block, NULL))
        out->own = mcd_allocate(bytes, 1);
    return out->block.memory ? out->block.memory : out->own;
}

void mcd_device_roads_find(mcd_device_roads *out, const mcd_query *query, const mcd_locator *locator,
                           const mcd_weights *weights, const mcd_locate_list *list, size_t list_count)
{
    macadam_engine *const engine = query->engine;
    const size_t count = mcd_locate_count(list, list_count);
    if (!locator->only_status || !query->backend->nearest_roads || count < POINTS_LEAST) return;
    const mcd_device_snap *const snap = index_of(engine, query->backend, count);
    const size_t of_call = mcd_size_max(POINTS_PER_CALL, count / CALLS_MOST + 1);
    point_work work = {.backend = query->backend, .locator = locator, .list = list};
    char *const memory =
        snap ? take_memory(out, query, count * (2 * sizeof *out->road + sizeof *work.point)) : NULL;
    if (!memory) return;
    out->road = (mcd_nearest_road *)memory;
    work.connected = out->connected = out->road + count;
    work.point = (mcd_snap_point *)(out->connected + count);
    work.of_call = (of_call + POINTS_PER_TASK - 1) / POINTS_PER_TASK * POINTS_PER_TASK;
    work.all = (mcd_nearest_job){
        snap, work.point, out->road, count, .parallel = {.thread_count = 1}, .weights = weights};
    mcd_parallel_for_ranges(&engine->parallel, count, POINTS_PER_TASK, find_range, &work);
    if (atomic_load(&work.has_failed)) out->road = out->connected = NULL;
}

void mcd_device_roads_free(mcd_device_roads *roads)
{
    if (roads->block.memory) mcd_scratch_give_back(roads->scratch, &roads->block);
    mcd_free(roads->own);
    *roads = (mcd_device_roads){.road = NULL};
}
