/* dispatch.c - whether device "auto" answers each question as soon as the better of the processor and the GPU does.
 *
 *   dispatch FILE.mcd [SECONDS [WHICH [THIRD]]]   61 cases: twenty questions by an engine that is "warm", with one caller
 *                                   and with "16 callers", and by a process of its own ("cold": it opens, answers and ends);
 *                                   WHICH: only those that it names, as "warm, 16 callers"; SECONDS (0.3) for each case, in
 *                                   three turns, and 50 times as long for processes; THIRD: a device in the place of auto
 *   dispatch FILE.mcd DEVICE QUESTION   the process of a cold case
 *
 * Prints milliseconds per call on "cpu", "cuda" and "auto", and the ratio of auto to the better one. */
#include "engine/include/macadam.h"
#include "tests/bench/bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    CALLERS = 16,
    PLACES = 10000,
    COLD_RUNS = 5,
    COLD_LEAST = 2,
    COLD_TIMES = 50,
    DEVICES = 3,
    ROUNDS = 3
};
static const char *devices[DEVICES] = {"cpu", "cuda", "auto"};

typedef enum kind { INFO, ROUTE, ROUTES, PATHS, MATRIX, TREES, LANES, REACH, HOPS, UPDATE } kind;

static const struct question {
    const char *name;
    kind kind;
    size_t from, to;
} questions[] = {
    {"info", INFO, 0, 0},
    {"matrix 30", MATRIX, 30, 30},
    {"a route", ROUTE, 1, 0},
    {"10 pairs", ROUTES, 10, 0},
    {"1000 pairs", ROUTES, 1000, 0},
    {"10000 pairs", ROUTES, 10000, 0},
    {"10 paths", PATHS, 10, 0},
    {"1000 paths", PATHS, 1000, 0},
    {"10000 paths", PATHS, 10000, 0},
    {"matrix 10", MATRIX, 10, 10},
    {"matrix 100", MATRIX, 100, 100},
    {"matrix 1000", MATRIX, 1000, 1000},
    {"matrix 3000", MATRIX, 3000, 3000},
    {"a tree", TREES, 1, 0},
    {"16 trees", TREES, 16, 0},
    {"64 lanes", LANES, 64, 0},
    {"reach of 1", REACH, 1, 0},
    {"reach of 64", REACH, 64, 0},
    {"hops", HOPS, 1, 0},
    {"16 hops", HOPS, 16, 0},
    {"update of 10 arcs, 10 pairs", UPDATE, 10, 0},
};
enum { QUESTIONS = sizeof questions / sizeof *questions };

typedef struct caller {
    macadam_engine *engine;
    const struct question *question;
    const macadam_place *place;
    uint32_t *value;
    double seconds;
    size_t calls;
    pthread_t thread;
} caller;

static macadam_error error;

static void check(macadam_status status, const char *what)
{
    if (status == MACADAM_OK) return;
    fprintf(stderr, "%s: %s\n", what, error.message);
    exit(1);
}

static bool drop_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)context, (void)pair, (void)arc, (void)arc_count;
    return true;
}

static macadam_status update(const caller *of)
{
    static atomic_uint weight = 1000;
    macadam_info info = MACADAM_INFO_INIT;
    uint64_t arc[10];
    uint32_t value[10];
    const uint32_t *const values = value;
    for (size_t i = 0; i < 10; ++i)
        arc[i] = 1 + i * 1000, value[i] = 1000 + atomic_fetch_add(&weight, 1) % 1000;
    check(macadam_engine_info(&info, of->engine, &error), "info");
    const macadam_update_request request = {.size = sizeof request,
                                            .arc = arc,
                                            .count = 10,
                                            .quantity = info.quantity,
                                            .quantity_count = 1,
                                            .value = &values};
    return macadam_update(of->engine, &request, &error);
}

static void ask(const caller *of)
{
    const struct question *const asked = of->question;
    const macadam_place *const source = of->place, *const target = of->place + PLACES;
    uint32_t *value = of->value;
    const macadam_routes_request routes = {
        .size = sizeof routes, .source = source, .target = target, .pair_count = asked->from};
    const macadam_tree_request tree = {.size = sizeof tree,
                                       .source = source,
                                       .source_count = asked->from,
                                       .order =
                                           asked->kind == LANES ? MACADAM_ORDER_LANES : MACADAM_ORDER_IDS};
    const macadam_matrix_request matrix = {.size = sizeof matrix,
                                           .source = source,
                                           .source_count = asked->from,
                                           .target = target,
                                           .target_count = asked->to};
    const uint32_t limit = 600000;
    const macadam_reach_request reach = {.size = sizeof reach,
                                         .source = source,
                                         .source_count = asked->from,
                                         .limit = &limit,
                                         .limit_count = 1};
    const macadam_reach counts = {.size = sizeof counts, .node_count = (uint64_t *)of->value};
    const macadam_hops_request hops = {.size = sizeof hops, .source = source, .source_count = asked->from};
    const macadam_place ends[] = {source[0], target[0]};
    const macadam_route_request route = {.size = sizeof route, .waypoint = ends, .waypoint_count = 2};
    macadam_info info = MACADAM_INFO_INIT;
    macadam_route *found = NULL;
    macadam_status status = MACADAM_OK;
    switch (asked->kind) {
    case INFO:
        status = macadam_engine_info(&info, of->engine, &error);
        break;
    case ROUTE:
        status = macadam_route_find(&found, of->engine, NULL, &route, &error);
        break;
    case ROUTES:
        status = macadam_routes_find(&value, NULL, of->engine, NULL, &routes, &error);
        break;
    case PATHS:
        status = macadam_routes_find_paths(&value, NULL, of->engine, NULL, &routes, drop_path, NULL, &error);
        break;
    case MATRIX:
        status = macadam_matrix_find_into(&value, NULL, of->engine, NULL, &matrix, &error);
        break;
    case REACH:
        status = macadam_reach_find(&counts, NULL, of->engine, NULL, &reach, &error);
        break;
    case HOPS:
        status = macadam_hops_find(value, NULL, NULL, of->engine, NULL, &hops, &error);
        break;
    case UPDATE:
        status = update(of);
        if (!status) status = macadam_routes_find(&value, NULL, of->engine, NULL, &routes, &error);
        break;
    default:
        status = macadam_tree_find(&value, NULL, of->engine, NULL, &tree, &error);
    }
    check(status, asked->name);
    macadam_route_free(found);
}

/* ---- cases ---- */

static macadam_engine *open_on(const char *file, const char *device)
{
    const macadam_engine_options options = {.size = sizeof options, .device = device};
    macadam_engine *engine;
    check(macadam_engine_open(&engine, file, &options, &error), device);
    return engine;
}

static macadam_place *draw_places(macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    macadam_place *const place = calloc(2 * PLACES, sizeof *place);
    const int64_t *const id = macadam_engine_ids(engine, &error);
    check(id ? macadam_engine_info(&info, engine, &error) : MACADAM_E_MEMORY, "ids");
    for (size_t i = 0; place && i < 2 * PLACES; ++i)
        place[i].id = id[i * UINT64_C(2654435761) % info.id_count];
    return place;
}

static size_t cells_of(const struct question *asked, size_t nodes)
{
    switch (asked->kind) {
    case TREES:
    case LANES:
    case HOPS:
        return asked->from * nodes;
    case MATRIX:
        return asked->from * asked->to;
    default:
        return asked->from * 2 + 2;
    }
}

static void *call_for_a_while(void *argument)
{
    caller *const of = argument;
    const double begin = bench_seconds_now();
    do {
        ask(of);
        ++of->calls;
    } while (bench_seconds_now() - begin < of->seconds);
    return NULL;
}

/* Asks what pays for the GPU, also until "auto" has opened it. */
static void warm_up(macadam_engine *engine, const macadam_place *place)
{
    static const struct question pays = {"matrix 3000", MATRIX, 3000, 3000};
    enum { LONGEST = 200 };
    caller of = {.engine = engine, .question = &pays, .place = place};
    macadam_info info = MACADAM_INFO_INIT;
    of.value = malloc(sizeof(uint32_t) * pays.from * pays.to);
    for (int i = 0; of.value && i < LONGEST; ++i) {
        check(macadam_engine_info(&info, engine, &error), "info");
        ask(&of);
        if (strncmp(info.device, "cuda", 4) == 0) break;
    }
    free(of.value);
}

/* Milliseconds a call, of `count` callers at the same time. */
static double run_ms(macadam_engine *engine, const struct question *asked, size_t count,
                     const macadam_place *place, size_t nodes, double seconds)
{
    caller callers[CALLERS];
    size_t calls = 0;
    for (size_t i = 0; i < count; ++i)
        callers[i] = (caller){.engine = engine,
                              .question = asked,
                              .place = place,
                              .value = calloc(cells_of(asked, nodes), sizeof(uint32_t)),
                              .seconds = seconds};
    const double begin = bench_seconds_now();
    for (size_t i = 0; i < count; ++i)
        if (pthread_create(&callers[i].thread, NULL, call_for_a_while, &callers[i]) != 0) exit(1);
    for (size_t i = 0; i < count; ++i) {
        pthread_join(callers[i].thread, NULL);
        calls += callers[i].calls;
    }
    const double took = bench_seconds_now() - begin;
    for (size_t i = 0; i < count; ++i) free(callers[i].value);
    return 1e3 * took / (double)calls;
}

/* The least of some rounds, in which the devices take turns, after one that warms up. */
static void warm_ms(double ms[DEVICES], macadam_engine *const engine[DEVICES], const struct question *asked,
                    size_t count, const macadam_place *place, size_t nodes, double seconds)
{
    for (int round = 0; round <= ROUNDS; ++round)
        for (int i = 0; i < DEVICES; ++i) {
            const int d = (round + i) % DEVICES;
            const double took = run_ms(engine[d], asked, count, place, nodes, seconds / ROUNDS);
            if (round <= 1 || took < ms[d]) ms[d] = took;
        }
}

static double process_ms(const char *self, const char *file, const char *device, const char *question)
{
    int status;
    const double begin = bench_seconds_now();
    const pid_t child = fork();
    if (child == 0) {
        execlp(self, self, file, device, question, (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0) {
        fprintf(stderr, "%s on %s ended with %d\n", question, device, status);
        exit(1);
    }
    return 1e3 * (bench_seconds_now() - begin);
}

/* The least of some processes, likewise in turns: fewer if they take long. */
static void cold_ms(double ms[DEVICES], const char *self, const char *file, const char *question,
                    double seconds)
{
    const double end = bench_seconds_now() + COLD_TIMES * seconds;
    for (int run = 0; run < COLD_RUNS && (run < COLD_LEAST || bench_seconds_now() < end); ++run)
        for (int i = 0; i < DEVICES; ++i) {
            const int d = (run + i) % DEVICES;
            const double took = process_ms(self, file, devices[d], question);
            if (run == 0 || took < ms[d]) ms[d] = took;
        }
}

static int answer_once(const char *file, const char *device, const char *name)
{
    macadam_info info = MACADAM_INFO_INIT;
    for (size_t q = 0; q < QUESTIONS; ++q) {
        if (strcmp(questions[q].name, name) != 0) continue;
        static const macadam_place nowhere[PLACES + 1];
        caller of = {.engine = open_on(file, device), .question = &questions[q], .place = nowhere};
        check(macadam_engine_info(&info, of.engine, &error), "info");
        if (questions[q].kind != INFO) of.place = draw_places(of.engine);
        of.value = calloc(cells_of(of.question, info.node_count), sizeof(uint32_t));
        ask(&of);
        macadam_engine_close(of.engine);
        return 0;
    }
    return 1;
}

static unsigned report(const char *name, const char *how, const double ms[DEVICES])
{
    const double best = ms[0] < ms[1] ? ms[0] : ms[1], ratio = ms[2] / best;
    printf("%-28s %-10s %10.3f %10.3f %10.3f %8.2f%s\n", name, how, ms[0], ms[1], ms[2], ratio,
           ratio > 1.05 ? " *" : "");
    fflush(stdout);
    return ratio > 1.05;
}

int main(int argument_count, char **argument)
{
    static const char *const how[] = {"warm", "16 callers", "cold"};
    macadam_engine *engine[DEVICES];
    macadam_info info = MACADAM_INFO_INIT;
    unsigned above = 0, cases = 0;
    if (argument_count == 4 && strtod(argument[2], NULL) == 0)
        return answer_once(argument[1], argument[2], argument[3]);
    if (argument_count < 2) return 2;
    const double seconds = argument_count > 2 ? strtod(argument[2], NULL) : 0.3;
    if (argument_count > 4) devices[2] = argument[4];
    for (int d = 0; d < DEVICES; ++d) engine[d] = open_on(argument[1], devices[d]);
    macadam_place *const place = draw_places(engine[0]);
    check(macadam_engine_info(&info, engine[0], &error), "info");
    for (int d = 1; d < DEVICES; ++d) warm_up(engine[d], place);
    printf("%-28s %-10s %10s %10s %10s %8s\n", "ms a call", "", devices[0], devices[1], devices[2], "ratio");
    for (int h = 2; h >= 0; --h)
        for (size_t q = h == 2 ? 0 : 1; q < QUESTIONS; ++q) { /* info only as a command */
            if (argument_count > 3 && !strstr(argument[3], how[h])) continue;
            double ms[DEVICES];
            if (h < 2)
                warm_ms(ms, engine, &questions[q], h == 1 ? CALLERS : 1, place, info.node_count, seconds);
            else
                cold_ms(ms, argument[0], argument[1], questions[q].name, seconds);
            ++cases, above += report(questions[q].name, how[h], ms);
        }
    printf("%u of %u cases above 1.05\n", above, cases);
    for (int d = 0; d < DEVICES; ++d) macadam_engine_close(engine[d]);
    free(place);
    return 0;
}
