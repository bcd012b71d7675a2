/* test_pruning.c - answers over basic weights, before kept arcs are made of them, and when kept arcs replace them: all are
 * the same, word for word. */
#include "engine/runtime/engine.h"
#include "engine/runtime/version.h"
#include "tests/support/checked.h"
#include "tests/support/questions.h"
#include "tests/support/rng.h"
#include "tests/support/uses.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <string.h>

enum { NODES_MAX = 5000, PAIRS = 9000, TARGETS = 40 }; /* more pairs than one round has */

/* ---- scenes ---- */

static mcd_version *version_of(const fixture_engine *fixture, const fixture_asked *asked)
{
    return fixture->engine->version[asked->metric];
}

static void prune(const fixture_engine *fixture, mcd_version *version)
{
    FIXTURE_CALL(mcd_version_prune, version, fixture->engine);
    cr_assert(version->has_kept);
}

/* As if questions lost nothing. */
static void let_it_never_pay(macadam_engine *engine)
{
    engine->dispatch.rates = (mcd_rates){0};
}

/* Gives a tenth of the arcs weights of which two sum beyond the largest, and the companion some of 0. */
static void update_to_huge(const test_graph *graph, macadam_engine *engine)
{
    test_rng rng = {7};
    const size_t count = graph->arc_count / 10 + 1;
    FREED uint64_t *const arc = checked_allocate(count, sizeof *arc);
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_allocate(count, sizeof *value[q]);
    for (size_t i = 0; i < count; ++i) {
        arc[i] = fixture_arc_number(rng_below(&rng, (uint32_t)graph->arc_count));
        for (size_t q = 0; q < 2; ++q)
            value[q][i] = rng_below(&rng, 2) ? MACADAM_WEIGHT_MAX - rng_below(&rng, 3) : 0;
    }
    const macadam_update_request request = fixture_update(arc, count, (const uint32_t *const *)value);
    FIXTURE_CALL(macadam_update, engine, &request);
    for (size_t q = 0; q < 2; ++q) free(value[q]);
}

/* Calls `check` for every graph with a few arcs, after each of two updates. */
static void for_each_update(void (*check)(const fixture_engine *fixture, const question_scene *scene))
{
    for (size_t g = 0; g < graphs_count(); ++g) {
        SCOPED(test_graph_free) test_graph graph = graphs_make(g);
        if (graph.arc_count == 0 || graph.node_count >= NODES_MAX || !graph.weight[1]) continue;
        SCOPED(fixture_close) fixture_engine fixture;
        const question_scene scene = {&graph, &fixture_asked_all[g % FIXTURE_ASKED]};
        fixture_open(&fixture, &graph, 2);
        let_it_never_pay(fixture.engine);
        for (int i = 0; i < 2; ++i) {
            if (i)
                update_to_huge(&graph, fixture.engine);
            else
                FIXTURE_CALL(questions_update, &graph, fixture.engine);
            check(&fixture, &scene);
        }
    }
}

static void expect_same(const answer_log *a, const answer_log *b, const question_scene *scene)
{
    cr_assert_eq(answer_log_difference(a, b), SIZE_MAX, "%s, asked %zu: word %zu of %zu", scene->graph->name,
                 (size_t)(scene->asked - fixture_asked_all), answer_log_difference(a, b), a->count);
}

/* ---- every question ---- */

static void check_all_questions(const fixture_engine *fixture, const question_scene *scene)
{
    SCOPED(answer_log_free) answer_log before = questions_ask_all(scene, fixture->engine);
    mcd_version *const version = version_of(fixture, scene->asked);
    cr_assert(!version->has_kept && version->basic && version->basic->arrays, "%s", scene->graph->name);
    prune(fixture, version);
    SCOPED(answer_log_free) answer_log after = questions_ask_all(scene, fixture->engine);
    expect_same(&before, &after, scene);
}

Test(pruning, changes_no_answer_after_an_update)
{
    for_each_update(check_all_questions);
}

Test(pruning, changes_no_answer_of_a_map_that_is_not_ready)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    SCOPED(fixture_close) fixture_engine fixture;
    const question_scene scene = {&graph, &fixture_asked_all[0]};
    fixture_open(&fixture, &graph, 2);
    let_it_never_pay(fixture.engine);
    check_all_questions(&fixture, &scene);
    cr_assert(!fixture.engine->version[0]->basic && !fixture.engine->schedule, "they are of no more use");
}

/* ---- every use of a map with points ---- */

enum { COLUMNS = 20, SPACING_E7 = 1300 };

static void import_with_points(const test_graph *graph, const char *path)
{
    FREED int32_t *const lon_e7 = checked_allocate(graph->node_count, sizeof *lon_e7);
    FREED int32_t *const lat_e7 = checked_allocate(graph->node_count, sizeof *lat_e7);
    for (uint32_t node = 0; node < graph->node_count; ++node) {
        lon_e7[node] = (int32_t)(node % COLUMNS * SPACING_E7);
        lat_e7[node] = (int32_t)(node / COLUMNS * SPACING_E7);
    }
    FIXTURE_CALL(fixture_import, graph, lon_e7, lat_e7, path, 2);
}

static void check_use(const test_graph *graph, const char *path, const use_case *use)
{
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    uint64_t before = 0, after = 0;
    macadam_query query;
    FIXTURE_CALL(use_open, &engine, path, use, NULL, NULL, &query);
    let_it_never_pay(engine);
    FIXTURE_CALL(questions_update, graph, engine);
    mcd_version *const version = engine->version[0];
    FIXTURE_CALL(use->run, engine, &query, &before);
    cr_assert(!version->has_kept, "%s", use->name);
    FIXTURE_CALL(mcd_version_prune, version, engine);
    FIXTURE_CALL(use->run, engine, &query, &after);
    cr_assert_eq(before, after, "%s", use->name);
}

Test(pruning, changes_no_answer_about_points)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    files_new_path(folder, path, "graph.mcd");
    import_with_points(&graph, path);
    for (const use_case *use = use_all; use < use_all + USES; ++use)
        if (!strstr("match, update, verify, save, save ready", use->name)) check_use(&graph, path, use);
    files_remove_folder(folder);
}

/* ---- within a call ---- */

typedef struct path_log {
    answer_log log;
    const fixture_engine *fixture;
    mcd_version *prunes; /* with the first path; NULL: not */
} path_log;

static void add_word(answer_log *log, uint64_t word)
{
    if (log->count == log->capacity) {
        log->capacity = 2 * log->capacity + 1024;
        log->word = checked_reallocate(log->word, log->capacity, sizeof *log->word);
    }
    log->word[log->count++] = word;
}

static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    path_log *const paths = context;
    if (pair == 0 && paths->prunes) prune(paths->fixture, paths->prunes);
    add_word(&paths->log, arc_count);
    for (size_t i = 0; i < arc_count; ++i) add_word(&paths->log, arc[i]);
    return true;
}

static answer_log find_paths(const fixture_engine *fixture, const question_scene *scene, mcd_version *prunes)
{
    test_rng rng = {3};
    path_log paths = {.fixture = fixture, .prunes = prunes};
    FREED macadam_place *const place = checked_zeroed(2 * (size_t)PAIRS, sizeof *place);
    for (size_t i = 0; i < 2 * (size_t)PAIRS; ++i)
        place[i] = fixture_place(rng_below(&rng, (uint32_t)scene->graph->node_count));
    const char *names[2];
    const macadam_query query = fixture_query(scene->asked, names);
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = place, request.target = place + PAIRS, request.pair_count = PAIRS;
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_zeroed(PAIRS, sizeof *value[q]);
    FIXTURE_CALL(macadam_routes_find_paths, value, NULL, fixture->engine, &query, &request, take_path,
                 &paths);
    for (size_t q = 0; q < 2; ++q) {
        for (size_t i = 0; i < PAIRS; ++i) add_word(&paths.log, value[q][i]);
        free(value[q]);
    }
    return paths.log;
}

static void check_paths(const fixture_engine *fixture, const question_scene *scene)
{
    SCOPED(answer_log_free) answer_log before = find_paths(fixture, scene, NULL);
    mcd_version *const version = version_of(fixture, scene->asked);
    cr_assert(!version->has_kept && version->basic);
    SCOPED(answer_log_free) answer_log meanwhile = find_paths(fixture, scene, version);
    cr_assert(version->has_kept && version->basic, "the next update starts from them");
    SCOPED(answer_log_free) answer_log after = find_paths(fixture, scene, NULL);
    expect_same(&before, &meanwhile, scene);
    expect_same(&before, &after, scene);
}

Test(pruning, within_a_call_changes_none_of_its_answers)
{
    for_each_update(check_paths);
}

/* Finds the nearest targets of some nodes: of prepared targets, or by reach if `nearest` is NULL. */
static answer_log find_nearest(macadam_nearest *nearest, const fixture_engine *fixture,
                               const macadam_query *query, const macadam_nearest_request *targets)
{
    answer_log log = {0};
    for (uint32_t node = 0; node < fixture->graph->node_count; node += 7) {
        const macadam_place source = fixture_place(node);
        uint32_t found[1], position[3], cost[3];
        macadam_reach answer = MACADAM_REACH_INIT;
        macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
        answer.nearest_found = found, answer.nearest_position = position, answer.nearest_cost = cost;
        request.source = &source, request.source_count = 1;
        request.target = targets->target, request.target_count = targets->target_count;
        request.nearest_count = targets->nearest_count;
        if (nearest)
            FIXTURE_CALL(macadam_nearest_find, &answer, NULL, nearest, &source, 1);
        else
            FIXTURE_CALL(macadam_reach_find, &answer, NULL, fixture->engine, query, &request);
        add_word(&log, found[0]);
        for (uint32_t i = 0; i < found[0]; ++i) add_word(&log, (uint64_t)position[i] << 32 | cost[i]);
    }
    return log;
}

static void check_nearest(const fixture_engine *fixture, const question_scene *scene)
{
    macadam_place target[TARGETS];
    for (uint32_t i = 0; i < TARGETS; ++i)
        target[i] = fixture_place(i * 13 % (uint32_t)scene->graph->node_count);
    const fixture_asked objective = {scene->asked->metric, 0, {0}};
    const char *names[2];
    const macadam_query query = fixture_query(&objective, names);
    macadam_nearest_request request = MACADAM_NEAREST_REQUEST_INIT;
    request.target = target, request.target_count = TARGETS, request.nearest_count = 3;
    SCOPED(answer_log_free) answer_log before = find_nearest(NULL, fixture, &query, &request);
    mcd_version *const version = version_of(fixture, scene->asked);
    cr_assert(!version->has_kept && version->basic && version->basic->arrays);
    SCOPED(macadam_nearest_free_at) macadam_nearest *nearest = NULL;
    FIXTURE_CALL(macadam_nearest_new, &nearest, NULL, fixture->engine, &query, &request);
    cr_assert(version->has_kept, "prepared targets keep their weights, which should be few");
    SCOPED(answer_log_free) answer_log after = find_nearest(nearest, fixture, &query, &request);
    expect_same(&before, &after, scene);
}

Test(pruning, comes_before_prepared_targets)
{
    for_each_update(check_nearest);
}

/* ---- when it pays ---- */

/* As if questions had lost enough. */
static void let_it_pay(mcd_version *version)
{
    version->lost_ns = UINT64_MAX / 2;
}

Test(pruning, pays_for_questions_of_an_engine_without_a_device)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    SCOPED(fixture_close) fixture_engine fixture;
    const question_scene scene = {&graph, &fixture_asked_all[0]};
    fixture_open(&fixture, &graph, 1);
    macadam_engine_close(fixture.engine);
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .threads = 1};
    FIXTURE_CALL(macadam_engine_open, &fixture.engine, fixture.path, &options);
    free(questions_ask_all(&scene, fixture.engine).word);
    cr_assert(!fixture.engine->version[0]->has_kept);
    cr_assert_gt(fixture.engine->version[0]->lost_ns, 0);
}

static void check_beside(const fixture_engine *fixture, const question_scene *scene)
{
    SCOPED(answer_log_free) answer_log before = questions_ask_all(scene, fixture->engine);
    mcd_version *const version = version_of(fixture, scene->asked);
    let_it_pay(version);
    SCOPED(answer_log_free) answer_log meanwhile = questions_ask_all(scene, fixture->engine);
    while (!version->has_kept) {
        sched_yield();
        free(questions_ask_all(scene, fixture->engine)
                 .word); /* one that comes as the thread ends begins it again */
    }
    SCOPED(answer_log_free) answer_log after = questions_ask_all(scene, fixture->engine);
    expect_same(&before, &meanwhile, scene);
    expect_same(&before, &after, scene);
}

Test(pruning, beside_questions_changes_no_answer)
{
    for_each_update(check_beside);
}

Test(pruning, ends_with_its_version_or_engine)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    const question_scene scene = {&graph, &fixture_asked_all[0]};
    for (int i = 0; i < 20; ++i) {
        SCOPED(fixture_close) fixture_engine fixture;
        fixture_open(&fixture, &graph, 2);
        FIXTURE_CALL(questions_update, &graph, fixture.engine);
        free(questions_ask_all(&scene, fixture.engine).word);
        let_it_pay(fixture.engine->version[0]);
        free(questions_ask_all(&scene, fixture.engine).word);
        if (i % 2) update_to_huge(&graph, fixture.engine);
    }
}

static void run_in_order(void *context, size_t count,
                         void (*task)(void *argument, size_t index, unsigned worker), void *argument)
{
    (void)context;
    for (size_t i = 0; i < count; ++i) task(argument, i, 0);
}

Test(pruning, is_within_the_call_if_the_library_may_start_no_thread)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named("random middling");
    SCOPED(fixture_close) fixture_engine fixture;
    const question_scene scene = {&graph, &fixture_asked_all[0]};
    const macadam_executor executor = {1, run_in_order, NULL};
    fixture_open(&fixture, &graph, 1);
    macadam_engine_close(fixture.engine);
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu", .executor = &executor};
    FIXTURE_CALL(macadam_engine_open, &fixture.engine, fixture.path, &options);
    SCOPED(answer_log_free) answer_log before = questions_ask_all(&scene, fixture.engine);
    cr_assert(!fixture.engine->version[0]->has_kept);
    let_it_pay(fixture.engine->version[0]);
    SCOPED(answer_log_free) answer_log after = questions_ask_all(&scene, fixture.engine);
    cr_assert(fixture.engine->version[0]->has_kept);
    expect_same(&before, &after, &scene);
}
