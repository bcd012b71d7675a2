/* soak.c - soak FILE.mcd SECONDS [DEVICE]: six threads ask an engine mixed questions beside updates and second
 * engines. Prints what the process holds as CSV, 200 lines. */
#include "engine/include/macadam.h"

#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <dirent.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 6, SAMPLES = 200, SOURCES = 4, PAIRS = 60, SIDE = 40, CHANGED = 50 };

static const char *path, *device;
static macadam_engine *engine;
static const int64_t *id;
static size_t id_count;
static atomic_size_t calls;
static atomic_bool is_over;

static void expect_ok(macadam_status status, const macadam_error *error)
{
    if (status == MACADAM_OK) return;
    fprintf(stderr, "soak: %s\n", error->message);
    abort();
}

static macadam_engine *open_map(void)
{
    macadam_engine *opened;
    const macadam_engine_options options = {
        .size = sizeof options, .device = device, .threads = 2, .memory_limit = (uint64_t)1 << 30};
    FIXTURE_CALL(macadam_engine_open, &opened, path, &options);
    return opened;
}

/* ---- questions ---- */

static void draw_places(macadam_place *place, size_t count, test_rng *rng)
{
    for (size_t i = 0; i < count; ++i)
        place[i] = (macadam_place){.id = id[rng_below(rng, (uint32_t)id_count)]};
}

static void ask_trees(test_rng *rng)
{
    macadam_place place[SOURCES];
    uint32_t *const cost = checked_allocate(SOURCES * id_count, sizeof *cost), *const value[] = {cost};
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    draw_places(place, SOURCES, rng);
    request.source = place, request.source_count = SOURCES, request.reverse = rng_below(rng, 2);
    FIXTURE_CALL(macadam_tree_find, value, NULL, engine, NULL, &request);
    free(cost);
}

static void ask_matrix(test_rng *rng)
{
    macadam_place place[2 * SIDE];
    uint32_t cost[SIDE * SIDE], *const value[] = {cost};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    draw_places(place, 2 * SIDE, rng);
    request.source = place, request.target = place + SIDE;
    request.source_count = request.target_count = SIDE;
    FIXTURE_CALL(macadam_matrix_find_into, value, NULL, engine, NULL, &request);
}

static void ask_routes(test_rng *rng)
{
    macadam_place place[2 * PAIRS];
    uint32_t cost[PAIRS], *const value[] = {cost};
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    draw_places(place, 2 * PAIRS, rng);
    request.source = place, request.target = place + PAIRS, request.pair_count = PAIRS;
    FIXTURE_CALL(macadam_routes_find, value, NULL, engine, NULL, &request);
}

static void ask_route(test_rng *rng)
{
    macadam_place place[2];
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    draw_places(place, 2, rng);
    const macadam_route_request request = {.size = sizeof request, .waypoint = place, .waypoint_count = 2};
    FIXTURE_CALL(macadam_route_find, &route, engine, NULL, &request);
}

static void ask_isochrone(test_rng *rng)
{
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *isochrone = NULL;
    draw_places(&request.source, 1, rng);
    request.limit = 300000;
    FIXTURE_CALL(macadam_isochrone_find, &isochrone, engine, NULL, &request);
}

static void ask_hops(test_rng *rng)
{
    macadam_place place;
    FREED uint32_t *const hops = checked_allocate(id_count, sizeof *hops);
    draw_places(&place, 1, rng);
    const macadam_hops_request request = {.size = sizeof request, .source = &place, .source_count = 1};
    FIXTURE_CALL(macadam_hops_find, hops, NULL, NULL, engine, NULL, &request);
}

static void update(test_rng *rng)
{
    static const char *const quantity[] = {"duration"};
    uint64_t arc[CHANGED];
    uint32_t weight[CHANGED];
    const uint32_t *const value[] = {weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    macadam_error error = {""};
    for (size_t i = 0; i < CHANGED; ++i)
        arc[i] = 1 + rng_below(rng, 1000), weight[i] = 1 + rng_below(rng, 100000);
    request.arc = arc, request.count = CHANGED;
    request.quantity = quantity, request.quantity_count = 1, request.value = value;
    const macadam_status status = macadam_update(engine, &request, &error);
    if (status != MACADAM_E_NOT_FOUND) expect_ok(status, &error); /* not every number is an arc's */
}

static void open_another(test_rng *rng)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const another = open_map();
    macadam_snap snap;
    macadam_place place;
    draw_places(&place, 1, rng);
    FIXTURE_CALL(macadam_snap_find, &snap, another, NULL, &place, 1);
}

static void *ask(void *context)
{
    static void (*const question[])(test_rng * rng) = {ask_trees, ask_matrix,    ask_routes,
                                                       ask_route, ask_isochrone, ask_hops};
    test_rng rng = {(uint64_t)(uintptr_t)context};
    while (!is_over) {
        const uint32_t drawn = rng_below(&rng, 200);
        if (drawn == 0)
            update(&rng);
        else if (drawn == 1)
            open_another(&rng);
        else
            question[drawn % 6](&rng);
        ++calls;
    }
    return NULL;
}

/* ---- what the process holds ---- */

static double resident_mb(void)
{
    unsigned long all = 0, resident = 0;
    FILE *const file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu %lu", &all, &resident) != 2) resident = 0;
    if (file) fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

/* Memory that was allocated and not freed; resident memory has the allocator's free pages besides. */
static double allocated_mb(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd) / 1e6;
}

static int descriptor_count(void)
{
    int count = -3; /* ".", ".." and the folder itself */
    DIR *const folder = opendir("/proc/self/fd");
    while (folder && readdir(folder)) ++count;
    if (folder) closedir(folder);
    return count;
}

static void sample(double seconds)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    printf("%.0f,%zu,%.1f,%.1f,%d,%.1f\n", seconds, (size_t)calls, resident_mb(), allocated_mb(),
           descriptor_count(), (double)(info.device_bytes + info.idle_device_bytes) / 1e6);
    fflush(stdout);
}

int main(int argument_count, char **argument)
{
    pthread_t thread[THREADS];
    macadam_error error;
    if (argument_count < 3) return 2;
    path = argument[1];
    device = argument_count > 3 ? argument[3] : "cpu";
    const double seconds = strtod(argument[2], NULL);
    engine = open_map();
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    id = macadam_engine_ids(engine, &error);
    id_count = info.id_count;
    for (size_t i = 0; i < THREADS; ++i)
        if (!id || pthread_create(&thread[i], NULL, ask, (void *)(i + 1)) != 0) return 2;
    printf("seconds,calls,resident_mb,allocated_mb,descriptors,device_mb\n");
    for (int i = 1; i <= SAMPLES; ++i) {
        usleep((useconds_t)(seconds * 1e6 / SAMPLES));
        sample(seconds * i / SAMPLES);
    }
    is_over = true;
    for (size_t i = 0; i < THREADS; ++i) pthread_join(thread[i], NULL);
    macadam_engine_close(engine);
    return 0;
}
