/* dispatch.c - whether device "auto" answers each question as soon as the better of the processor and the GPU does.
 *
 *   dispatch FILE.mcd [SECONDS [WHICH [QUESTIONS]]]
 *                                   61 cases: twenty questions by an engine that is "warm", with one caller and with "16 callers", and
 *                                   by a process of its own ("cold": it opens, answers and ends); WHICH: only those that it names, as
 *                                   "warm, 16 callers"; QUESTIONS: likewise; SECONDS (1): the most for an undecided case
 *   dispatch FILE.mcd DEVICE QUESTION   the process of a cold case
 *
 * "cpu", "cuda", "auto" and a control, a second engine of the better device, take turns in rounds. Each round gives the ratios
 * of auto and of the control to the better device. Prints the medians of milliseconds a call, the medians of these ratios, and
 * intervals by order statistics, which hold the true median in 95 of 100 cases. A case is within 1.05 if all of its interval is, above if
 * nothing of it is ("*"), else undecided ("?"). Rounds end once a case is decided, so it may be decided wrongly more often if its
 * ratio is near 1.05. The controls are judged likewise: they show how far equal engines differ. A device that was far slower in the
 * first rounds does not take part in the later ones. */
#include "engine/include/macadam.h"
#include "tests/bench/bench.h"

#include <math.h>
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
    PILOT = 2,      /* rounds that choose the control, and whether a device drops out */
    ROUNDS_MIN = 6, /* the fewest with an interval */
    ROUNDS_MAX = 40,
};
static const double most_ratio = 1.05, far = 1.5;

typedef enum runner { CPU, CUDA, AUTO, CONTROL, RUNNERS } runner;
enum { ENGINES = CONTROL + 2 }; /* the last two: controls of CPU and CUDA */
static const char *const devices[ENGINES] = {"cpu", "cuda", "auto", "cpu", "cuda"};

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
    pthread_barrier_t *start;
    double least, seconds; /* its calls are to take, and took */
    size_t calls;
    pthread_t thread;
} caller;

/* A question, and who sends it. */
typedef struct scene {
    const struct question *question;
    size_t callers; /* 0: each time by a process */
    double round_seconds;
    const char *self, *file;
    macadam_engine *engine[ENGINES];
    const macadam_place *place;
    uint32_t *value[CALLERS];
} scene;

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
    pthread_barrier_wait(of->start);
    const double begin = bench_seconds_now();
    do {
        ask(of);
        ++of->calls;
        of->seconds = bench_seconds_now() - begin;
    } while (of->seconds < of->least);
    return NULL;
}

/* Milliseconds a call, by the sum of the callers' rates: they do not end together. */
static double callers_ms(const scene *of, macadam_engine *engine, double seconds)
{
    caller callers[CALLERS];
    pthread_barrier_t start;
    double rate = 0;
    pthread_barrier_init(&start, NULL, (unsigned)of->callers);
    for (size_t i = 0; i < of->callers; ++i) {
        callers[i] = (caller){.engine = engine,
                              .question = of->question,
                              .place = of->place,
                              .value = of->value[i],
                              .start = &start,
                              .least = seconds};
        if (pthread_create(&callers[i].thread, NULL, call_for_a_while, &callers[i]) != 0) exit(1);
    }
    for (size_t i = 0; i < of->callers; ++i) {
        pthread_join(callers[i].thread, NULL);
        rate += (double)callers[i].calls / callers[i].seconds;
    }
    pthread_barrier_destroy(&start);
    return 1e3 / rate;
}

/* Sends what pays for the GPU, also until "auto" has opened it. */
static void open_gpu(macadam_engine *engine, const macadam_place *place)
{
    static const struct question pays = {"matrix 3000", MATRIX, 3000, 3000};
    enum { LONGEST = 400 };
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

/* Lets an engine make what it makes beside or after some calls: weights, spans. */
static void warm_up(const scene *of, macadam_engine *engine)
{
    static const struct question small[] = {{"a route", ROUTE, 1, 0},
                                            {"10 pairs", ROUTES, 10, 0},
                                            {"10 paths", PATHS, 10, 0},
                                            {"matrix 10", MATRIX, 10, 10}};
    const double seconds = 0.25;
    scene one = *of;
    one.callers = CALLERS;
    for (size_t i = 0; i < CALLERS; ++i) one.value[i] = calloc(100, sizeof(uint32_t));
    for (size_t q = 0; q < sizeof small / sizeof *small; ++q)
        one.question = &small[q], callers_ms(&one, engine, seconds);
    for (size_t i = 0; i < CALLERS; ++i) free(one.value[i]);
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

/* ---- verdicts ---- */

typedef enum verdict { WITHIN, ABOVE, UNDECIDED, VERDICTS } verdict;

typedef struct ratio {
    double median, least, most; /* the ends of its interval */
    verdict verdict;
} ratio;

typedef struct finding {
    double ms[RUNNERS]; /* medians */
    ratio automatic, control;
} finding;

static double median_of(double *value, size_t count)
{
    bench_sort(value, count);
    return (value[(count - 1) / 2] + value[count / 2]) / 2;
}

/* Returns how many of `count` sorted values may be left out at each end: each lies below the true median like a coin shows
 * heads. */
static size_t cut_of(size_t count)
{
    double chance = pow(0.5, (double)count), sum = chance;
    size_t cut = 0;
    while (2 * (sum + chance * (double)(count - cut) / (double)(cut + 1)) <= 0.05) {
        chance *= (double)(count - cut) / (double)(cut + 1);
        sum += chance;
        ++cut;
    }
    return cut;
}

static ratio ratio_of(const double *ms, const double *better, size_t count)
{
    double each[ROUNDS_MAX];
    for (size_t i = 0; i < count; ++i) each[i] = ms[i] / better[i];
    const double median = median_of(each, count), least = each[cut_of(count)],
                 most = each[count - 1 - cut_of(count)];
    return (ratio){median, least, most, most <= most_ratio ? WITHIN : least > most_ratio ? ABOVE : UNDECIDED};
}

static double measure(const scene *of, runner which, runner better)
{
    const int engine = which == CONTROL ? CONTROL + (int)better : (int)which;
    return of->callers ? callers_ms(of, of->engine[engine], of->round_seconds)
                       : process_ms(of->self, of->file, devices[engine], of->question->name);
}

/* One round, whose order differs from the next one's. */
static void run_round(double ms[RUNNERS][ROUNDS_MAX], size_t round, const scene *of,
                      const bool is_out[RUNNERS], runner better)
{
    for (size_t i = 0; i < RUNNERS; ++i) {
        const runner which = (runner)((round + i) % RUNNERS);
        if (!is_out[which]) ms[which][round] = measure(of, which, better);
    }
}

/* Returns whether a device is far slower than the other one in all rounds of the pilot. */
static bool is_far(const double *slow, const double *fast)
{
    for (int i = 0; i < PILOT; ++i)
        if (slow[i] < far * fast[i]) return false;
    return true;
}

static finding find(const scene *of, double seconds)
{
    double ms[RUNNERS][ROUNDS_MAX];
    bool is_out[RUNNERS] = {[CONTROL] = true};
    finding out;
    for (int e = 0; e < ENGINES && of->callers; ++e) callers_ms(of, of->engine[e], 2 * of->round_seconds);
    for (size_t round = 0; round < PILOT; ++round) run_round(ms, round, of, is_out, CPU);
    is_out[CPU] = is_far(ms[CPU], ms[CUDA]), is_out[CUDA] = is_far(ms[CUDA], ms[CPU]);
    for (int which = CPU; which <= AUTO; ++which) out.ms[which] = median_of(ms[which], PILOT);
    const runner better = out.ms[CPU] < out.ms[CUDA] ? CPU : CUDA;
    is_out[CONTROL] = false;
    const double end = bench_seconds_now() + seconds;
    for (size_t count = 0; count < ROUNDS_MAX;) {
        double copy[ROUNDS_MAX];
        run_round(ms, count++, of, is_out, better);
        if (count < ROUNDS_MIN) continue;
        for (int which = CPU; which < RUNNERS; ++which)
            if (!is_out[which])
                out.ms[which] = median_of(memcpy(copy, ms[which], count * sizeof *copy), count);
        const runner best = out.ms[CPU] < out.ms[CUDA] ? CPU : CUDA;
        out.automatic = ratio_of(ms[AUTO], ms[best], count);
        out.control = ratio_of(ms[CONTROL], ms[better], count);
        if (out.automatic.verdict != UNDECIDED || bench_seconds_now() > end) break;
    }
    return out;
}

static void report(const char *name, const char *how, const finding *of)
{
    const ratio found = of->automatic, control = of->control;
    printf("%-27s %-10s %10.3f %10.3f %10.3f %6.2f (%.2f - %.2f)%c %6.2f (%.2f - %.2f)\n", name, how,
           of->ms[CPU], of->ms[CUDA], of->ms[AUTO], found.median, found.least, found.most,
           " *?"[found.verdict], control.median, control.least, control.most);
    fflush(stdout);
}

static void warm_up_all(const scene *of)
{
    for (int e = 0; e < ENGINES; ++e) warm_up(of, of->engine[e]);
}

static macadam_place *open_all(scene *out)
{
    for (int e = 0; e < ENGINES; ++e) out->engine[e] = open_on(out->file, devices[e]);
    macadam_place *const place = draw_places(out->engine[CPU]);
    out->place = place;
    for (int e = 0; e < ENGINES; ++e)
        if (strcmp(devices[e], "cpu") != 0) open_gpu(out->engine[e], place);
    return place;
}

/* The arrays stay while the runners take turns: their first pages are not measured. */
static finding find_with_memory(scene *of, double seconds)
{
    macadam_info info = MACADAM_INFO_INIT;
    if (of->callers) check(macadam_engine_info(&info, of->engine[CPU], &error), "info");
    for (size_t i = 0; i < of->callers; ++i)
        of->value[i] = calloc(cells_of(of->question, info.node_count), sizeof(uint32_t));
    const finding out = find(of, seconds);
    for (size_t i = 0; i < of->callers; ++i) free(of->value[i]);
    return out;
}

int main(int argument_count, char **argument)
{
    static const char *const how[] = {"warm", "16 callers", "cold"};
    static const size_t callers[] = {1, CALLERS, 0};
    static const double round_seconds[] = {0.01, 0.04, 0};
    unsigned count[2][VERDICTS] = {{0}}, cases = 0, medians = 0;
    if (argument_count == 4 && strtod(argument[2], NULL) == 0)
        return answer_once(argument[1], argument[2], argument[3]);
    if (argument_count < 2) return 2;
    scene of = {.self = argument[0], .file = argument[1]};
    const double seconds = argument_count > 2 ? strtod(argument[2], NULL) : 1;
    const char *const which = argument_count > 3 ? argument[3] : "warm, 16 callers, cold";
    macadam_place *const place = strcmp(which, how[2]) != 0 ? open_all(&of) : NULL;
    printf("%-27s %-10s %10s %10s %10s %-22s  control\n", "ms a call", "", "cpu", "cuda", "auto", " ratio");
    for (int h = 2; h >= 0; --h) {
        if (!strstr(which, how[h])) continue;
        if (h < 2) warm_up_all(&of); /* again, too: updates of the callers before have taken pruned weights */
        for (size_t q = h == 2 ? 0 : 1; q < QUESTIONS; ++q) { /* info only as a command */
            if (argument_count > 4 && !strstr(argument[4], questions[q].name)) continue;
            of.question = &questions[q], of.callers = callers[h], of.round_seconds = round_seconds[h];
            const finding found = find_with_memory(&of, seconds);
            ++cases, ++count[0][found.automatic.verdict], ++count[1][found.control.verdict];
            medians += found.automatic.median <= most_ratio;
            report(questions[q].name, how[h], &found);
        }
    }
    for (int i = 0; i < 2; ++i)
        printf("%s: of %u cases %u within 1.05, %u above, %u undecided\n", i ? "control" : "auto", cases,
               count[i][WITHIN], count[i][ABOVE], count[i][UNDECIDED]);
    printf("auto: %u medians within 1.05\n", medians);
    for (int e = 0; e < ENGINES; ++e) macadam_engine_close(of.engine[e]);
    free(place);
    return 0;
}
