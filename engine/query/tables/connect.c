/* connect.c - connections: paths of few hops between two places.
 *
 * A place within a road is several ends. Each pair of ends is searched for its hops; the first pair
 * of the fewest hops gives the path. The ends come in an order of the file's own, so the path is always the
 * same one. */
#include "engine/base/options.h"
#include "engine/query/places/device_fallback.h"
#include "engine/query/places/subnetwork.h"

enum { PATH_FIRST = 1 << 16 }; /* nodes of a path for which memory is taken before its length is known */

typedef struct connect_run {
    const macadam_connection_request *request;
    macadam_connection *out;
    mcd_query *query;
    mcd_node source, target;
    uint32_t hops;
    mcd_node *path;
    size_t capacity;
} connect_run;

/* Searches; the path is cut off where its memory ends. */
static macadam_status search(connect_run *run, macadam_error *error)
{
    const mcd_connect_job job = {
        .arcs = run->query->arcs,
        .source = run->source,
        .target = run->target,
        .hops = &run->hops,
        .path = run->path,
        .path_capacity = run->capacity,
        .scratch = run->query->block.memory,
        .progress = run->query->progress,
    };
    return run->query->backend->connect(&job, error);
}

static macadam_status search_path(connect_run *run, size_t capacity, macadam_error *error)
{
    mcd_free(run->path);
    run->capacity = capacity;
    MCD_TRY(MCD_NEW(run->path, capacity, error));
    return search(run, error);
}

/* Chooses the pair of ends with the fewest hops. */
static macadam_status choose_ends(connect_run *run, const mcd_lanes *from, const mcd_lanes *to,
                                  macadam_error *error)
{
    mcd_node source = MCD_NODE_NONE, target = MCD_NODE_NONE;
    uint32_t fewest = MCD_COST_UNREACHED;
    for (size_t i = 0; i < from->count * to->count; ++i) {
        run->source = from->node[i / to->count];
        run->target = to->node[i % to->count];
        MCD_TRY(search(run, error));
        if (run->hops >= fewest) continue;
        fewest = run->hops;
        source = run->source;
        target = run->target;
    }
    run->source = source;
    run->target = target;
    run->hops = fewest;
    return MACADAM_OK;
}

/* Converts the path to ids. The arrival node of a split junction is not a hop; it follows a node of the same
 * id, as a node does to which a loop leads. */
static macadam_status tell(const connect_run *run, macadam_connection *out, macadam_error *error)
{
    const mcd_place_index *places = &run->query->engine->places;
    int64_t *id;
    MCD_TRY(MCD_NEW(id, (size_t)run->hops + 1, error));
    out->id = id;
    for (size_t i = 0; i <= run->hops; ++i) {
        const mcd_node node = run->path[i];
        const int64_t next = mcd_place_id_of(places, node);
        const bool arrives = i > 0 && i == run->hops && next == id[out->node_count - 1] &&
                             places->arrive[places->node_place[node]] == node;
        if (!arrives) id[out->node_count++] = next;
    }
    out->connected = true;
    out->hops = (uint32_t)(out->node_count - 1);
    return MACADAM_OK;
}

/* Finds the path between the ends of both places. */
static macadam_status find_path(connect_run *run, const mcd_lanes *from, const mcd_lanes *to,
                                macadam_error *error)
{
    const size_t node_count = run->query->engine->places.node_count;
    const mcd_connect_job job = {.arcs = run->query->arcs};
    run->source = from->node[0];
    run->target = to->node[0];
    if (run->source == MCD_NODE_NONE || run->target == MCD_NODE_NONE) return MACADAM_OK;
    MCD_TRY(mcd_query_take(run->query, run->query->backend->connect_scratch(&job), "a connection", error));
    if (from->count * to->count > 1) MCD_TRY(choose_ends(run, from, to, error));
    if (run->source == MCD_NODE_NONE) return MACADAM_OK;
    MCD_TRY(search_path(run, mcd_size_min(node_count, PATH_FIRST), error));
    if (run->hops == MCD_COST_UNREACHED) return MACADAM_OK;
    if (run->hops >= run->capacity) MCD_TRY(search_path(run, (size_t)run->hops + 1, error));
    MCD_TRY(tell(run, run->out, error));
    run->out->hops += mcd_lanes_is_within(from, 0) + mcd_lanes_is_within(to, 0);
    return MACADAM_OK;
}

/* Finds a connection between some positions of the places. */
static macadam_status find_between(connect_run *run, macadam_error *error)
{
    macadam_connection *const out = run->out;
    const mcd_query *const query = run->query;
    const mcd_place_list sources = {.place = &run->request->source,
                                    .count = 1,
                                    .outcome = {.snap = &out->source}},
                         targets = {
                             .place = &run->request->target, .count = 1, .outcome = {.snap = &out->target}};
    MCD_FREED_BY(mcd_located_free) mcd_located source = {0}, target = {0};
    MCD_FREED_BY(mcd_lanes_free) mcd_lanes from = {.count = 0}, to = {.count = 0};
    mcd_free((void *)out->id); /* of a try before */
    *out = (macadam_connection){.hops = MACADAM_UNREACHED};
    MCD_TRY(mcd_locate_both(&source, &target, query, &sources, &targets, error));
    if (!query->snap_any_component) MCD_TRY(mcd_subnetwork_settle_pairs(&source, &target, query, error));
    MCD_TRY(mcd_located_lanes(&source, query, MCD_NODES_OF_PAIRS, &from, error));
    MCD_TRY(mcd_located_lanes(&target, query, MCD_NODES_OF_PAIRS, &to, error));
    if (!from.position || !to.position || mcd_lanes_same_road(&from, 0, &to, 0).arc == MCD_ROAD_NONE)
        return find_path(run, &from, &to, error);
    /* the target lies on an arc of the source's road, and not before it */
    out->connected = true, out->hops = 1;
    return MACADAM_OK;
}

MCD_DEFINE_STATIC_FREE(free_path, connect_run, it->path)

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    MCD_FREED_BY(free_path) connect_run run = *(const connect_run *)argument;
    run.query = query;
    MCD_TRY(find_between(&run, error));
    if (!query->snap_any_component || run.out->connected) return MACADAM_OK;
    query->snap_any_component = false;
    mcd_query_give_back(query);
    return find_between(&run, error);
}

MCD_DEFINE_FREE_AT(free_at, macadam_connection, macadam_connection_free)

macadam_status macadam_connection_find(macadam_connection **out, macadam_engine *engine,
                                       const macadam_query *given, const macadam_connection_request *request,
                                       macadam_error *error)
{
    macadam_connection_request own = MACADAM_CONNECTION_REQUEST_INIT;
    MCD_FREED_BY(free_at) macadam_connection *connection = NULL;
    MCD_TRY(mcd_answer_clear(out, "connection", error));
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "connect request", error));
    MCD_TRY(mcd_query_refuse_clock(given, "connect request", "its paths have no durations", error));
    MCD_TRY(MCD_NEW_ZEROED(connection, 1, error));
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (!backend->connect) backend = engine->host;
    const mcd_work work = {
        .backend = backend, .searches = true, .no_weights = true, .amount = {MCD_RATED_HOPS, 1, 1}};
    connect_run run = {.request = &own, .out = connection};
    MCD_TRY(mcd_query_with_fallback(engine, &work, given, attempt, &run, error));
    return MCD_MOVE(*out, connection);
}

void macadam_connection_free(macadam_connection *connection)
{
    if (!connection) return;
    MCD_FREE_ALL(connection->id, connection);
}
