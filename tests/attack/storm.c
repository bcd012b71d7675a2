/* storm.c - storm SECONDS: six threads ask, with conditions too, update, save, open, close and trim concurrently. Each answer
 * belongs to one version of the weights. Meant for the thread sanitizer.
 *
 * An update multiplies every weight by its version. Then every cost is the version times the first one, and an
 * answer of two versions shows. Light updates of a ready file change one arc, beside the engine's first questions. */
#include "tests/attack/attack.h"

#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/small_grid.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SIDE = 12, NODES = SIDE * SIDE, ARCS = SMALL_GRID_ARCS(SIDE), THREADS = 6, VERSIONS = 5, PLACES = 7 };
enum { LIGHT = 4 /* weights that light updates give an arc */ };
enum { ENGINES = 2 }; /* one with the library's threads, one with an executor */

/* Shared by the threads. */
typedef struct storm {
    macadam_engine *engine[ENGINES];
    time_t end;
    char path[FILES_PATH_BYTES + 16], ready[FILES_PATH_BYTES + 16], folder[FILES_PATH_BYTES];
    uint32_t weight[2][ARCS];
    uint32_t tree[PLACES * NODES], reverse[PLACES * NODES]; /* the first version's */
    uint32_t light[LIGHT][PLACES * NODES];                  /* by the weight of the arc */
    macadam_place place[PLACES];
    atomic_size_t calls;
} storm;

static storm all;

void attack_require(bool holds, const char *claim)
{
    if (holds) return;
    fprintf(stderr, "storm: %s\n", claim);
    abort();
}

/* ---- an executor ---- */

typedef struct shared_work {
    void (*task)(void *argument, size_t index, unsigned worker);
    void *argument;
    size_t count;
    atomic_size_t next;
} shared_work;

typedef struct worker {
    shared_work *work;
    unsigned number;
} worker;

static void *do_tasks(void *context)
{
    const worker *const own = context;
    for (size_t i; (i = atomic_fetch_add(&own->work->next, 1)) < own->work->count;)
        own->work->task(own->work->argument, i, own->number);
    return NULL;
}

/* Two threads, of which the second is new each time. */
static void run_tasks(void *context, size_t count,
                      void (*task)(void *argument, size_t index, unsigned worker), void *argument)
{
    (void)context;
    shared_work work = {task, argument, count, 0};
    worker own[] = {{&work, 0}, {&work, 1}};
    pthread_t second;
    const bool has_second = count > 1 && pthread_create(&second, NULL, do_tasks, &own[1]) == 0;
    do_tasks(&own[0]);
    if (has_second) pthread_join(second, NULL);
}

static const macadam_executor executor = {2, run_tasks, NULL};

/* ---- the map ---- */

static void import_grid(void)
{
    test_rng rng = {3};
    for (uint32_t arc = 0; arc < ARCS; ++arc)
        for (int q = 0; q < 2; ++q) all.weight[q][arc] = 1 + rng_below(&rng, 1000);
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = all.path, options.executor = &executor;
    const uint32_t *const weight[] = {all.weight[0], all.weight[1]};
    FIXTURE_CALL(small_grid_import, SIDE, 0, weight, &options);
    options.output = all.ready, options.ready = true;
    FIXTURE_CALL(small_grid_import, SIDE, 0, weight, &options);
}

static macadam_engine *open_map(const char *path, bool own_threads)
{
    macadam_engine *engine;
    macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 2};
    if (!own_threads) options.executor = &executor;
    FIXTURE_CALL(macadam_engine_open, &engine, path, &options);
    return engine;
}

/* ---- answers ---- */

/* The version to which all costs belong. */
static void expect_one_version(const uint32_t *cost, const uint32_t *first, size_t count)
{
    uint32_t version = 0;
    for (size_t i = 0; i < count && version == 0; ++i)
        if (first[i] > 0) version = cost[i] / first[i];
    attack_require(version >= 1 && version <= VERSIONS, "no version has such a cost");
    for (size_t i = 0; i < count; ++i)
        attack_require(cost[i] == version * first[i], "an answer of two versions");
}

/* Half of the queries have conditions. Each has a version of the weights, with the same costs: the areas that it avoids
 * are beside the map. */
static macadam_query draw_query(test_rng *rng)
{
    static const double lon[] = {1, 2, 2}, lat[] = {1, 1, 2};
    static const macadam_area area[2] = {{.lon = lon, .lat = lat, .point_count = 3},
                                         {.lon = lat, .lat = lon, .point_count = 3}};
    static const macadam_conditions conditions[2] = {
        {.size = sizeof *conditions, .area = area, .area_count = 1},
        {.size = sizeof *conditions, .area = area, .area_count = 2}};
    macadam_query query = MACADAM_QUERY_INIT;
    const size_t drawn = rng_below(rng, 4);
    if (drawn < 2) query.conditions = &conditions[drawn];
    return query;
}

static void ask_tree(macadam_engine *engine, const macadam_query *query, bool reverse, const char *method,
                     uint32_t *cost)
{
    uint32_t *const value[] = {cost};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = all.place, request.source_count = PLACES, request.reverse = reverse,
    request.method = method;
    FIXTURE_CALL(macadam_tree_find, value, NULL, engine, query, &request);
}

static void check_tree(macadam_engine *engine, test_rng *rng)
{
    static const char *const method[] = {"sweep", "dijkstra", "near-far", "bellman-ford"};
    uint32_t cost[PLACES * NODES];
    const bool reverse = attack_chance(rng, 2);
    const macadam_query query = draw_query(rng);
    ask_tree(engine, &query, reverse, method[rng_below(rng, 4)], cost);
    expect_one_version(cost, reverse ? all.reverse : all.tree, PLACES * NODES);
}

static void check_matrix(macadam_engine *engine, test_rng *rng)
{
    uint32_t cost[PLACES * PLACES], first[PLACES * PLACES], *const value[] = {cost};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    const macadam_query query = draw_query(rng);
    request.source = request.target = all.place, request.source_count = request.target_count = PLACES;
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, engine, &query, &request);
    for (size_t i = 0; i < PLACES * PLACES; ++i)
        first[i] = all.tree[i / PLACES * NODES + (size_t)all.place[i % PLACES].id];
    expect_one_version(cost, first, PLACES * PLACES);
}

static void check_route(macadam_engine *engine, test_rng *rng)
{
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    const size_t to = 1 + rng_below(rng, PLACES - 1);
    const macadam_query query = draw_query(rng);
    const macadam_place waypoint[] = {all.place[0], all.place[to]};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    uint32_t sum = 0, first = 0;
    for (size_t a = 0; a < route->arc_count; ++a) {
        sum += route->arc[a].value[0];
        first += all.weight[0][route->arc[a].arc - 1];
    }
    attack_require(sum == route->value[0], "a route's arcs are of two versions");
    expect_one_version(&sum, &first, 1);
}

/* Answers that weights do not change, and calls about the engine itself. */
static void check_rest(macadam_engine *engine, test_rng *rng)
{
    uint32_t hops[NODES];
    const macadam_query query = draw_query(rng);
    const macadam_hops_request request = {.size = sizeof request, .source = all.place, .source_count = 1};
    FIXTURE_CALL(macadam_hops_find, hops, NULL, NULL, engine, &query, &request);
    attack_require(hops[NODES - 1] == 2 * (SIDE - 1), "hops");
    macadam_isochrone *isochrone;
    const macadam_isochrone_request area = {.size = sizeof area, .source = all.place[1], .limit = 500};
    FIXTURE_CALL(macadam_isochrone_find, &isochrone, engine, NULL, &area);
    macadam_isochrone_free(isochrone);
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    if (attack_chance(rng, 3)) FIXTURE_CALL(macadam_engine_trim, engine);
}

static void update(macadam_engine *engine, test_rng *rng)
{
    static const char *const quantity[] = {"duration", "distance"};
    uint64_t arc[ARCS];
    uint32_t weight[2][ARCS];
    const uint32_t *const value[] = {weight[0], weight[1]}, version = 1 + rng_below(rng, VERSIONS);
    for (size_t i = 0; i < ARCS; ++i) {
        arc[i] = i + 1;
        for (int q = 0; q < 2; ++q) weight[q][i] = version * all.weight[q][i];
    }
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = ARCS;
    request.quantity = quantity, request.quantity_count = 2, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

/* ---- light updates ---- */

static void update_light(macadam_engine *engine, size_t light)
{
    static const char *const quantity[] = {"duration"};
    const uint64_t arc = 1;
    const uint32_t weight = 1500 * (uint32_t)light / LIGHT, *const value[] = {&weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = &arc, request.count = 1;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
}

static void *ask_light(void *context)
{
    uint32_t cost[PLACES * NODES];
    for (int i = 0; i < LIGHT; ++i) {
        ask_tree(context, NULL, false, "sweep", cost);
        bool is_one = memcmp(cost, all.tree, sizeof cost) == 0;
        for (size_t light = 0; light < LIGHT; ++light)
            is_one |= memcmp(cost, all.light[light], sizeof cost) == 0;
        attack_require(is_one, "no light update has such costs");
    }
    return NULL;
}

static void update_beside(macadam_engine *engine, test_rng *rng)
{
    (void)engine;
    pthread_t thread;
    uint32_t cost[PLACES * NODES];
    size_t light = 0;
    SCOPED(macadam_engine_close_at) macadam_engine *const ready = open_map(all.ready, attack_chance(rng, 2));
    attack_require(pthread_create(&thread, NULL, ask_light, ready) == 0, "no thread");
    for (int i = 0; i < LIGHT; ++i) update_light(ready, light = rng_below(rng, LIGHT));
    ask_tree(ready, NULL, false, "sweep", cost);
    attack_require(memcmp(cost, all.light[light], sizeof cost) == 0, "the last light update is not in use");
    pthread_join(thread, NULL);
}

static void find_light(void)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_map(all.path, true);
    for (size_t light = 0; light < LIGHT; ++light) {
        update_light(engine, light);
        ask_tree(engine, NULL, false, "dijkstra", all.light[light]);
    }
}

/* Saves what the engine has, opens that, and asks it. */
static void save_and_open(macadam_engine *engine, test_rng *rng)
{
    char path[FILES_PATH_BYTES + 64];
    snprintf(path, sizeof path, "%s/%p.mcd", all.folder, (void *)rng);
    FIXTURE_CALL(macadam_engine_save, engine, path);
    SCOPED(macadam_engine_close_at) macadam_engine *const saved = open_map(path, attack_chance(rng, 2));
    check_tree(saved, rng);
    check_matrix(saved, rng);
    if (attack_chance(rng, 4)) FIXTURE_CALL(macadam_engine_verify, saved);
}

static void *ask_until_the_end(void *context)
{
    static void (*const call[])(macadam_engine * engine, test_rng * rng) = {
        check_tree,  check_tree, check_matrix, check_matrix,  check_route,
        check_route, check_rest, update,       save_and_open, update_beside};
    test_rng rng = {(uint64_t)(uintptr_t)context};
    while (time(NULL) < all.end) {
        call[rng_below(&rng, sizeof call / sizeof *call)](all.engine[rng_below(&rng, ENGINES)], &rng);
        ++all.calls;
    }
    return NULL;
}

int main(int argument_count, char **argument)
{
    pthread_t thread[THREADS];
    const long seconds = argument_count > 1 ? strtol(argument[1], NULL, 10) : 5;
    files_new_path(all.folder, all.path, "map.mcd");
    snprintf(all.ready, sizeof all.ready, "%s/ready.mcd", all.folder);
    import_grid();
    for (size_t i = 0; i < PLACES; ++i) all.place[i] = (macadam_place){.id = (int64_t)(i * 23 % NODES)};
    for (int e = 0; e < ENGINES; ++e) all.engine[e] = open_map(all.path, e == 0);
    ask_tree(all.engine[0], NULL, false, "dijkstra", all.tree);
    ask_tree(all.engine[0], NULL, true, "dijkstra", all.reverse);
    find_light();
    all.end = time(NULL) + seconds;
    for (size_t i = 0; i < THREADS; ++i)
        attack_require(pthread_create(&thread[i], NULL, ask_until_the_end, (void *)(i + 1)) == 0,
                       "no thread");
    for (size_t i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
    for (int e = 0; e < ENGINES; ++e) macadam_engine_close(all.engine[e]);
    files_remove_folder(all.folder);
    printf("storm: %zu calls of %d threads in %ld s\n", (size_t)all.calls, THREADS, seconds);
    return 0;
}
