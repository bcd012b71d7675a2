/* fixture.c - see fixture.h. */
#include "tests/support/fixture.h"

#include "tests/support/checked.h"

const char *const fixture_quantity[2] = {"duration", "distance"};

const fixture_asked fixture_asked_all[FIXTURE_ASKED] = {
    {0, 0, {0}}, {0, 1, {0}}, {0, 1, {1}}, {0, 2, {0, 1}}, {0, 2, {1, 0}},
    {1, 0, {0}}, {1, 1, {1}}, {1, 1, {0}}, {1, 2, {0, 1}}, {1, 2, {1, 0}},
};

int64_t fixture_id(uint32_t node)
{
    return (int64_t)(uint32_t)(node * UINT32_C(2654435761)) -
           INT64_C(0x80000000); /* odd: distinct modulo 2^32 */
}

macadam_place fixture_place(uint32_t node)
{
    return (macadam_place){.kind = MACADAM_PLACE_NODE, .id = fixture_id(node)};
}

void fixture_expect_ok(macadam_status status, const macadam_error *error, const char *what)
{
    if (status == MACADAM_OK) return;
    fprintf(stderr, "%s: %s: %s\n", what, macadam_status_name(status), error->message);
    abort();
}

static macadam_status import(const test_graph *graph, const int32_t *lon_e7, const int32_t *lat_e7,
                             bool no_hierarchy, const char *path, unsigned threads, macadam_error *error)
{
    FREED int64_t *id = checked_allocate(graph->node_count, sizeof *id);
    for (uint32_t node = 0; node < graph->node_count; ++node) id[node] = fixture_id(node);
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = graph->node_count;
    input.arc_count = graph->arc_count;
    input.id = id;
    input.lon_e7 = lon_e7;
    input.lat_e7 = lat_e7;
    input.tail = graph->tail;
    input.head = graph->head;
    input.quantity = fixture_quantity;
    input.weight = (const uint32_t *const[]){graph->weight[0], graph->weight[1]};
    input.quantity_count = graph->arc_count == 0 || graph->weight[1] ? 2 : 1;
    const macadam_import_options options = {
        .size = sizeof options, .output = path, .threads = threads, .no_hierarchy = no_hierarchy};
    const macadam_status status = macadam_import_arrays(&input, &options, error);
    return status;
}

macadam_status fixture_import(const test_graph *graph, const int32_t *lon_e7, const int32_t *lat_e7,
                              const char *path, unsigned threads, macadam_error *error)
{
    return import(graph, lon_e7, lat_e7, false, path, threads, error);
}

macadam_update_request fixture_update(const uint64_t *arc, size_t count, const uint32_t *const *value)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = count;
    request.quantity = fixture_quantity, request.quantity_count = 2, request.value = value;
    return request;
}

macadam_engine *fixture_open_file(const char *path, unsigned threads)
{
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = threads};
    macadam_engine *engine;
    macadam_error error;
    fixture_expect_ok(macadam_engine_open(&engine, path, &options, &error), &error, path);
    return engine;
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void rank_ids(fixture_engine *fixture)
{
    const size_t node_count = fixture->graph->node_count;
    fixture->id = checked_allocate(node_count, sizeof *fixture->id);
    fixture->position = checked_allocate(node_count, sizeof *fixture->position);
    FREED int64_t *sorted = checked_allocate(node_count, sizeof *sorted);
    for (uint32_t node = 0; node < node_count; ++node) sorted[node] = fixture->id[node] = fixture_id(node);
    if (node_count > 0) qsort(sorted, node_count, sizeof *sorted, compare_ids);
    for (size_t node = 0; node < node_count; ++node) {
        const int64_t *found = bsearch(&fixture->id[node], sorted, node_count, sizeof *sorted, compare_ids);
        fixture->position[node] = (uint32_t)(found - sorted);
    }
}

static void open_fixture(fixture_engine *out, const test_graph *graph, bool no_hierarchy, unsigned threads)
{
    *out =
        (fixture_engine){.graph = graph, .quantity_count = graph->arc_count == 0 || graph->weight[1] ? 2 : 1};
    macadam_error error;
    files_new_path(out->folder, out->path, "graph.mcd");
    rank_ids(out);
    fixture_expect_ok(import(graph, NULL, NULL, no_hierarchy, out->path, threads, &error), &error,
                      graph->name);
    out->engine = fixture_open_file(out->path, threads);
}

void fixture_open(fixture_engine *out, const test_graph *graph, unsigned threads)
{
    open_fixture(out, graph, false, threads);
}

void fixture_open_without_hierarchy(fixture_engine *out, const test_graph *graph, unsigned threads)
{
    open_fixture(out, graph, true, threads);
}

void fixture_close(fixture_engine *fixture)
{
    macadam_engine_close(fixture->engine);
    files_remove_folder(fixture->folder);
    free(fixture->id);
    free(fixture->position);
}

size_t fixture_column_count(const fixture_asked *asked)
{
    return asked->quantity_count > 0 ? asked->quantity_count : 1;
}

bool fixture_asks_companion(const fixture_asked *asked)
{
    for (size_t i = 0; i < asked->quantity_count; ++i)
        if (asked->quantity[i] != asked->metric) return true;
    return false;
}

macadam_query fixture_query(const fixture_asked *asked, const char *quantity_name[2])
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = fixture_quantity[asked->metric];
    query.quantity_count = asked->quantity_count;
    for (size_t i = 0; i < asked->quantity_count; ++i)
        quantity_name[i] = fixture_quantity[asked->quantity[i]];
    query.quantity = asked->quantity_count > 0 ? quantity_name : NULL;
    return query;
}
