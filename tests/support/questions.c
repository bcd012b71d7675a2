/* questions.c - see questions.h. */
#include "tests/support/questions.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { SOURCES = 19, LANES = 48, TARGETS = 23, PAIRS = 40, LIMITS = 2, NEAREST = 3, SLOTS = 672 };

/* ---- logs ---- */

void answer_log_free(answer_log *log)
{
    free(log->word);
    *log = (answer_log){0};
}

size_t answer_log_difference(const answer_log *a, const answer_log *b)
{
    const size_t count = a->count < b->count ? a->count : b->count;
    for (size_t i = 0; i < count; ++i)
        if (a->word[i] != b->word[i]) return i;
    return a->count == b->count ? SIZE_MAX : count;
}

static void log_word(answer_log *log, uint64_t word)
{
    if (log->count == log->capacity) {
        log->capacity = 2 * log->capacity + 1024;
        log->word = checked_reallocate(log->word, log->capacity, sizeof *log->word);
    }
    log->word[log->count++] = word;
}

static void log_values(answer_log *log, const uint32_t *value, size_t count)
{
    for (size_t i = 0; i < count; ++i) log_word(log, value[i]);
}

static void log_statuses(answer_log *log, const macadam_place_status *status, size_t count)
{
    for (size_t i = 0; i < count; ++i) log_word(log, status[i]);
}

/* ---- what questions share ---- */

static void draw_places(const question_scene *scene, macadam_place *place, size_t count, uint64_t seed)
{
    test_rng rng = {seed};
    const uint32_t node_count = (uint32_t)scene->graph->node_count;
    for (size_t i = 0; i < count; ++i)
        place[i] =
            fixture_place(i % 11 == 7 || node_count == 0 ? node_count + 5 : rng_below(&rng, node_count));
}

/* Room for a column of answers for each asked quantity. */
typedef struct answer_room {
    size_t columns, cells;
    uint32_t *value[2];
} answer_room;

static answer_room room_for(const question_scene *scene, size_t cells)
{
    answer_room room = {.columns = fixture_column_count(scene->asked), .cells = cells};
    for (size_t q = 0; q < room.columns; ++q) room.value[q] = checked_zeroed(cells, sizeof *room.value[q]);
    return room;
}

/* Logs the answers unless there are none, and frees the room. */
static void close_room(answer_room *room, answer_log *log, macadam_status status)
{
    for (size_t q = 0; q < room->columns; ++q) {
        if (status == MACADAM_OK) log_values(log, room->value[q], room->cells);
        free(room->value[q]);
    }
}

/* ---- trees ---- */

static macadam_status ask_tree(answer_log *log, const question_scene *scene, macadam_engine *engine,
                               const macadam_clock *clock, const macadam_tree_request *shape,
                               macadam_error *error)
{
    const char *names[2];
    macadam_query query = fixture_query(scene->asked, names);
    query.clock = clock;
    macadam_tree_request request = *shape;
    macadam_place source[LANES];
    macadam_place_status status[LANES];
    draw_places(scene, source, request.source_count, 1);
    request.source = source;
    answer_room room = room_for(scene, request.source_count * scene->graph->node_count);
    const macadam_status failure = macadam_tree_find(room.value, status, engine, &query, &request, error);
    close_room(&room, log, failure);
    if (!failure) log_statuses(log, status, request.source_count);
    return failure;
}

static macadam_status ask_rows_by_id(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                     macadam_error *error)
{
    const macadam_tree_request request = {.size = sizeof request, .source_count = SOURCES};
    return ask_tree(log, scene, engine, NULL, &request, error);
}

static macadam_status ask_rows_within_limit(answer_log *log, const question_scene *scene,
                                            macadam_engine *engine, macadam_error *error)
{
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source_count = SOURCES;
    request.reverse = true;
    request.limit = 200;
    request.order = MACADAM_ORDER_NODES;
    return ask_tree(log, scene, engine, NULL, &request, error);
}

static macadam_status ask_lanes(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                macadam_error *error)
{
    const macadam_tree_request request = {
        .size = sizeof request, .source_count = LANES, .order = MACADAM_ORDER_LANES};
    return ask_tree(log, scene, engine, NULL, &request, error);
}

static macadam_status ask_one_tree(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                   macadam_error *error)
{
    const macadam_tree_request request = {
        .size = sizeof request, .source_count = 1, .order = MACADAM_ORDER_NODES};
    return ask_tree(log, scene, engine, NULL, &request, error);
}

/* ---- matrices ---- */

/* A matrix that comes in tiles. */
typedef struct tile_receiver {
    answer_room *room;
    bool seen[SOURCES * TARGETS];
    size_t last; /* row * TARGETS + column of the tile before, counted from 1 */
} tile_receiver;

static bool take_tile(void *context, const macadam_tile *tile)
{
    tile_receiver *to = context;
    const size_t begin = tile->row * TARGETS + tile->column + 1;
    cr_assert(tile->row + tile->rows <= SOURCES && tile->column + tile->columns <= TARGETS);
    cr_assert_gt(begin, to->last, "the tile of row %zu, column %zu comes late", tile->row, tile->column);
    to->last = begin;
    for (size_t r = 0; r < tile->rows; ++r)
        for (size_t c = 0; c < tile->columns; ++c) {
            const size_t cell = (tile->row + r) * TARGETS + tile->column + c;
            cr_assert_not(to->seen[cell], "cell %zu comes twice", cell);
            to->seen[cell] = true;
            for (size_t q = 0; q < to->room->columns; ++q)
                to->room->value[q][cell] = tile->value[q][r * tile->columns + c];
        }
    return true;
}

static macadam_status ask_matrix(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                 const macadam_clock *clock, bool in_tiles, macadam_error *error)
{
    const char *names[2];
    macadam_query query = fixture_query(scene->asked, names);
    query.clock = clock;
    macadam_place place[SOURCES + TARGETS];
    macadam_place_status status[SOURCES + TARGETS];
    draw_places(scene, place, SOURCES + TARGETS, 2);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place;
    request.source_count = SOURCES;
    request.target = place + SOURCES;
    request.target_count = TARGETS;
    answer_room room = room_for(scene, SOURCES * TARGETS);
    tile_receiver to = {.room = &room};
    const macadam_status failure =
        in_tiles ? macadam_matrix_find(status, engine, &query, &request, take_tile, &to, error)
                 : macadam_matrix_find_into(room.value, status, engine, &query, &request, error);
    for (size_t cell = 0; in_tiles && !failure && cell < SOURCES * TARGETS; ++cell)
        cr_assert(to.seen[cell], "cell %zu never comes", cell);
    close_room(&room, log, failure);
    if (!failure) log_statuses(log, status, SOURCES + TARGETS);
    return failure;
}

static macadam_status ask_tiles(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                macadam_error *error)
{
    return ask_matrix(log, scene, engine, NULL, true, error);
}

static macadam_status ask_matrix_into(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                      macadam_error *error)
{
    return ask_matrix(log, scene, engine, NULL, false, error);
}

/* ---- routes ---- */

/* Paths on their way into a log of their own. */
typedef struct path_log {
    answer_log log;
    size_t next; /* pair */
} path_log;

static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    path_log *to = context;
    cr_assert_eq(pair, to->next, "path %zu comes where path %zu should", pair, to->next);
    ++to->next;
    log_word(&to->log, arc_count);
    for (size_t i = 0; i < arc_count; ++i) log_word(&to->log, arc[i]);
    return true;
}

static macadam_status ask_pairs(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                bool paths, macadam_error *error)
{
    const char *names[2];
    const macadam_query query = fixture_query(scene->asked, names);
    macadam_place place[2 * PAIRS];
    macadam_place_status status[2 * PAIRS];
    draw_places(scene, place, 2 * PAIRS, 3);
    const macadam_routes_request request = {
        .size = sizeof request, .source = place, .target = place + PAIRS, .pair_count = PAIRS};
    answer_room room = room_for(scene, PAIRS);
    path_log to = {.next = 0};
    const macadam_status failure =
        paths ? macadam_routes_find_paths(room.value, status, engine, &query, &request, take_path, &to, error)
              : macadam_routes_find(room.value, status, engine, &query, &request, error);
    close_room(&room, log, failure);
    if (!failure) log_statuses(log, status, 2 * PAIRS);
    if (!failure && paths) cr_assert_eq(to.next, PAIRS, "%zu of %d paths came", to.next, PAIRS);
    for (size_t i = 0; !failure && i < to.log.count; ++i) log_word(log, to.log.word[i]);
    answer_log_free(&to.log);
    return failure;
}

static macadam_status ask_costs(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                macadam_error *error)
{
    return ask_pairs(log, scene, engine, false, error);
}

static macadam_status ask_paths(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                macadam_error *error)
{
    return ask_pairs(log, scene, engine, true, error);
}

static macadam_status ask_route(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                macadam_error *error)
{
    const char *names[2];
    const macadam_query query = fixture_query(scene->asked, names);
    macadam_place place[3];
    draw_places(scene, place, 3, 4);
    const macadam_route_request request = {.size = sizeof request, .waypoint = place, .waypoint_count = 3};
    macadam_route *route;
    const macadam_status failure = macadam_route_find(&route, engine, &query, &request, error);
    if (failure) return failure;
    log_word(log, route->found);
    log_values(log, route->value, fixture_column_count(scene->asked));
    for (size_t i = 0; i < route->arc_count; ++i) log_word(log, route->arc[i].arc);
    macadam_route_free(route);
    return MACADAM_OK;
}

/* ---- reach ---- */

static macadam_status ask_reach(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                macadam_error *error)
{
    const uint32_t limit[LIMITS] = {500, 40};
    uint64_t node_count[SOURCES * LIMITS];
    uint32_t eccentricity[SOURCES], position[SOURCES * NEAREST];
    macadam_place place[SOURCES + TARGETS];
    draw_places(scene, place, SOURCES + TARGETS, 5);
    const macadam_query query = {.size = sizeof query, .metric = fixture_quantity[scene->asked->metric]};
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = place;
    request.source_count = SOURCES;
    request.target = place + SOURCES;
    request.target_count = TARGETS;
    request.nearest_count = NEAREST;
    request.limit = limit;
    request.limit_count = LIMITS;
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.node_count = node_count;
    answer.eccentricity = eccentricity;
    answer.nearest_position = position;
    const macadam_status failure = macadam_reach_find(&answer, NULL, engine, &query, &request, error);
    if (failure) return failure;
    for (size_t i = 0; i < SOURCES * LIMITS; ++i) log_word(log, node_count[i]);
    log_values(log, eccentricity, SOURCES);
    log_values(log, position, SOURCES * NEAREST);
    return MACADAM_OK;
}

/* Both directions. */
static macadam_status ask_access(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                 macadam_error *error)
{
    enum { COLUMNS = 2, CELLS = SOURCES * COLUMNS };
    const double percentile[] = {50, 90};
    double amount[TARGETS * COLUMNS], sum[CELLS], mean[CELLS];
    uint32_t cost[CELLS * 2];
    macadam_place_status status[SOURCES + TARGETS];
    macadam_place place[SOURCES + TARGETS];
    draw_places(scene, place, SOURCES + TARGETS, 6);
    for (size_t i = 0; i < TARGETS * COLUMNS; ++i) amount[i] = 0.1 * (double)(i % 7);
    const macadam_query query = {.size = sizeof query, .metric = fixture_quantity[scene->asked->metric]};
    const macadam_decay decay = {
        .size = sizeof decay, .kind = MACADAM_DECAY_LOGISTIC, .cutoff = 300, .width = 100};
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = place, request.source_count = SOURCES;
    request.opportunity = place + SOURCES, request.opportunity_count = TARGETS;
    request.amount = amount, request.amount_count = COLUMNS;
    request.decay = &decay;
    request.percentile = percentile, request.percentile_count = 2;
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.access = sum, answer.mean_cost = mean;
    for (size_t way = 0; way < 4; ++way) {
        request.reverse = way % 2;
        answer.percentile_cost = way / 2 ? cost : NULL;
        const macadam_status failure = macadam_reach_find(&answer, status, engine, &query, &request, error);
        if (failure) return failure;
        log_statuses(log, status, SOURCES + TARGETS);
        log_values(log, cost, way / 2 ? CELLS * 2 : 0);
        for (size_t i = 0; i < CELLS; ++i) {
            uint64_t bits[2];
            memcpy(&bits[0], &sum[i], sizeof sum[i]), memcpy(&bits[1], &mean[i], sizeof mean[i]);
            log_word(log, bits[0]), log_word(log, bits[1]);
        }
    }
    return MACADAM_OK;
}

/* ---- all pairs ---- */

static macadam_status ask_all_pairs(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                    macadam_error *error)
{
    enum { NODES_MAX = 150 }; /* on an emulated device, more are too much */
    const size_t cells = scene->graph->node_count * scene->graph->node_count;
    if (scene->graph->node_count > NODES_MAX) return MACADAM_OK;
    uint32_t *const value = checked_zeroed(cells, sizeof *value);
    uint32_t *const next = checked_zeroed(cells, sizeof *next);
    const macadam_query query = {.size = sizeof query, .metric = fixture_quantity[scene->asked->metric]};
    const macadam_all_pairs_request request = {
        .size = sizeof request, .method = "floyd-warshall", .next = true};
    const macadam_status failure = macadam_all_pairs_find_into(&value, next, engine, &query, &request, error);
    if (!failure) log_values(log, value, cells), log_values(log, next, cells);
    free(value), free(next);
    return failure;
}

static macadam_status ask_closure(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                  macadam_error *error)
{
    const size_t bytes = scene->graph->node_count * ((scene->graph->node_count + 7) / 8);
    FREED uint8_t *const bits = checked_zeroed(bytes, 1);
    const macadam_status failure = macadam_closure_find(bits, engine, NULL, error);
    for (size_t i = 0; i < bytes && !failure; ++i) log_word(log, bits[i]);
    return failure;
}

/* ---- by the clock ---- */

/* Only durations depend on the time. */
static bool has_clock(const question_scene *scene)
{
    return scene->asked->metric == 0;
}

/* The first one is shortly before the week ends, so the ways go on into the next. */
static void draw_instants(uint32_t *instant, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        instant[i] = (uint32_t)(MACADAM_WEEK_MS - 40 + i * 7) % MACADAM_WEEK_MS;
}

static macadam_status ask_timed_rows(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                     macadam_error *error)
{
    uint32_t instant[LANES];
    if (!has_clock(scene)) return MACADAM_OK;
    draw_instants(instant, LANES);
    const macadam_clock clock = {
        .size = sizeof clock, .depart = instant, .depart_count = LANES, .each = true};
    const macadam_tree_request request = {.size = sizeof request, .source_count = LANES};
    return ask_tree(log, scene, engine, &clock, &request, error);
}

static macadam_status ask_timed_matrix(answer_log *log, const question_scene *scene, macadam_engine *engine,
                                       macadam_error *error)
{
    uint32_t instant[1];
    if (!has_clock(scene)) return MACADAM_OK;
    draw_instants(instant, 1);
    const macadam_clock clock = {.size = sizeof clock, .arrive_by = instant, .arrive_count = 1};
    return ask_matrix(log, scene, engine, &clock, false, error);
}

/* ---- all ---- */

const question question_all[QUESTIONS] = {
    {"rows by id", ask_rows_by_id},
    {"rows within a limit", ask_rows_within_limit},
    {"lanes", ask_lanes},
    {"one tree", ask_one_tree},
    {"tiles", ask_tiles},
    {"a matrix", ask_matrix_into},
    {"costs", ask_costs},
    {"paths", ask_paths},
    {"a route", ask_route},
    {"reach", ask_reach},
    {"accessibility", ask_access},
    {"all pairs", ask_all_pairs},
    {"a closure", ask_closure},
    {"rows by the clock", ask_timed_rows},
    {"a matrix by the clock", ask_timed_matrix},
};

answer_log questions_ask_all(const question_scene *scene, macadam_engine *engine)
{
    answer_log log = {0};
    for (size_t i = 0; i < QUESTIONS; ++i) {
        macadam_error error;
        fixture_expect_ok(question_all[i].ask(&log, scene, engine, &error), &error, question_all[i].name);
    }
    return log;
}

macadam_status questions_update(const test_graph *graph, macadam_engine *engine, macadam_error *error)
{
    test_rng rng = {graph->arc_count};
    const size_t count = graph->arc_count / 3 + 1;
    FREED uint64_t *arc = checked_allocate(count, sizeof *arc);
    FREED uint16_t *pattern = checked_allocate(count, sizeof *pattern);
    uint8_t speed[SLOTS];
    for (size_t slot = 0; slot < SLOTS; ++slot) speed[slot] = slot % 5 == 0 ? 40 : 255;
    uint32_t *value[2];
    for (size_t q = 0; q < 2; ++q) value[q] = checked_allocate(count, sizeof *value[q]);
    for (size_t i = 0; i < count; ++i) {
        arc[i] = fixture_arc_number(rng_below(&rng, (uint32_t)graph->arc_count));
        for (size_t q = 0; q < 2; ++q) value[q][i] = rng_below(&rng, 90);
        pattern[i] = (uint16_t)(i % 2);
        if (i % 13 == 4) value[i % 2][i] = MACADAM_WEIGHT_CLOSED;
    }
    macadam_update_request request = fixture_update(arc, count, (const uint32_t *const *)value);
    request.pattern = pattern;
    request.pattern_speed = speed;
    request.pattern_count = 1;
    request.slot_count = SLOTS;
    const macadam_status status = macadam_update(engine, &request, error);
    free(value[0]);
    free(value[1]);
    return status;
}
