/* connect.c - connections: paths of few hops between two places. */
#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/query/attempt.h"
#include "engine/query/located.h"

enum { PATH_FIRST = 1 << 16 }; /* nodes of a path for which memory is taken before its length is known */

typedef struct connect_run {
    mcd_query *query;
    mcd_node source, target;
    uint32_t hops;
    mcd_node *path;
    size_t capacity;
} connect_run;

/* Searches; the path is cut off where its memory ends. */
static macadam_status search(connect_run *run, size_t capacity, macadam_error *error)
{
    mcd_free(run->path);
    run->capacity = capacity;
    MCD_TRY(MCD_NEW(run->path, capacity, error));
    const mcd_connect_job job = {
        .arcs = &run->query->arcs->arcs,
        .source = run->source,
        .target = run->target,
        .hops = &run->hops,
        .path = run->path,
        .path_capacity = capacity,
        .scratch = run->query->block.memory,
        .progress = run->query->progress,
    };
    return run->query->backend->connect(&job, error);
}

static macadam_status take_scratch(connect_run *run, macadam_error *error)
{
    const mcd_connect_job job = {.arcs = &run->query->arcs->arcs};
    return mcd_query_take(run->query, run->query->backend->connect_scratch(&job), "a connection", error);
}

/* Converts the path to ids. The arrival node of a split junction is not a hop; it follows a node of the same
 * id. */
static macadam_status tell(const connect_run *run, macadam_connection *out, macadam_error *error)
{
    const mcd_place_index *places = &run->query->engine->places;
    int64_t *id;
    MCD_TRY(MCD_NEW(id, (size_t)run->hops + 1, error));
    out->id = id;
    for (size_t i = 0; i <= run->hops; ++i) {
        const int64_t next = places->node_id[run->path[i]];
        const bool arrives = i > 0 && i == run->hops && next == id[out->node_count - 1];
        if (!arrives) id[out->node_count++] = next;
    }
    out->connected = true;
    out->hops = (uint32_t)(out->node_count - 1);
    return MACADAM_OK;
}

static macadam_status locate(const mcd_query *query, const macadam_place *place, mcd_end end,
                             const char *what, macadam_snap *snap, mcd_node *node, macadam_error *error)
{
    mcd_lanes lanes;
    MCD_TRY(mcd_query_junctions(query, place, 1, end, what, &lanes, (mcd_outcome){.snap = snap}, error));
    *node = lanes.lane[0].seed[0].node;
    mcd_lanes_free(&lanes);
    return MACADAM_OK;
}

typedef struct connect_call {
    const macadam_connect_request *request;
    macadam_connection *out;
} connect_call;

static macadam_status attempt(void *argument, mcd_query *query, macadam_error *error)
{
    const connect_call *call = argument;
    const macadam_connect_request *request = call->request;
    macadam_connection *out = call->out;
    const mcd_place_index *places = &query->engine->places;
    connect_run run = {.query = query};
    *out = (macadam_connection){.hops = MACADAM_UNREACHED};
    MCD_TRY(locate(query, &request->source, MCD_DEPART, "source", &out->source, &run.source, error));
    MCD_TRY(locate(query, &request->target, MCD_ARRIVE, "target", &out->target, &run.target, error));
    if (run.source == MCD_NODE_NONE || run.target == MCD_NODE_NONE) return MACADAM_OK;
    MCD_TRY(take_scratch(&run, error));
    macadam_status status = search(&run, mcd_size_min(places->node_count, PATH_FIRST), error);
    if (!status && run.hops != MCD_COST_UNREACHED && run.hops >= run.capacity)
        status = search(&run, (size_t)run.hops + 1, error);
    if (!status && run.hops != MCD_COST_UNREACHED) status = tell(&run, out, error);
    mcd_free(run.path);
    return status;
}

macadam_status macadam_connect(macadam_engine *engine, const macadam_query *given,
                               const macadam_connect_request *request, macadam_connection **out,
                               macadam_error *error)
{
    if (!out) return mcd_fail(error, MACADAM_E_INVALID, "no place for the connection");
    *out = NULL;
    macadam_connect_request own = MACADAM_CONNECT_REQUEST_INIT;
    macadam_connection *connection;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "connect request", error));
    MCD_TRY(MCD_NEW(connection, 1, error));
    connection->id = NULL;
    const mcd_backend *backend = mcd_engine_backend(engine);
    if (backend && !backend->connect) backend = engine->host;
    const mcd_work work = {.backend = backend, .searches = true, .no_weights = true};
    connect_call call = {&own, connection};
    const macadam_status failure = mcd_query_attempt(engine, &work, given, attempt, &call, error);
    if (failure)
        macadam_connection_free(connection);
    else
        *out = connection;
    return failure;
}

void macadam_connection_free(macadam_connection *connection)
{
    if (!connection) return;
    mcd_free((void *)connection->id);
    mcd_free(connection);
}
