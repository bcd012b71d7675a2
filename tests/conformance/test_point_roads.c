/* test_point_roads.c - where points are does not depend on what earlier calls have found, nor on the device that looks for
 * their roads: each answer is that of an engine of the processor that has just been opened. It is one file, because all
 * tests compare engines by the same questions. */
#include "engine/query/places/lanes.h"
#include "engine/runtime/engine.h"
#include "engine/runtime/load.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/emulated_module.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>
#include <time.h>

enum {
    SIDE = 12,
    JUNCTIONS = SIDE * SIDE,
    WAYS = 2 * SIDE,
    PAIRS = 600,
    CONDITIONS = 4,
    ROWS = 10,
    MANY = 5000
};

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16],
    foot_path[FILES_PATH_BYTES + 16]; /* of the town on foot: no junction has copies */
static double lon[JUNCTIONS], lat[JUNCTIONS];
static macadam_place place[2 * PAIRS];

static void write_node(FILE *file, int id, double east, double north)
{
    fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", id, east, north);
}

/* Returns the junction at a place of a way: rows of the grid, then columns. */
static int junction_of(int way, int i)
{
    return way < SIDE ? way * SIDE + i : i * SIDE + way - SIDE;
}

/* The rows of two parallel streets: points between them are equally far from both. */
enum { EVEN = SIDE / 2, EVEN_NEXT };

static bool is_even(int row)
{
    return row == EVEN || row == EVEN_NEXT;
}

/* Returns the id of a street's part between two junctions. */
static int way_of(int way, int i)
{
    return 1 + way * SIDE + i;
}

/* No turn from a row, before the junction in a column, into that column: the junction is split. */
static void write_restriction(FILE *file, int row, int column)
{
    if (column == 0 || row + 1 == SIDE) return;
    fprintf(file,
            "<relation id=\"%d\"><member type=\"way\" ref=\"%d\" role=\"from\"/><member type=\"node\" "
            "ref=\"%d\" role=\"via\"/><member type=\"way\" ref=\"%d\" role=\"to\"/><tag k=\"type\" "
            "v=\"restriction\"/><tag k=\"restriction\" v=\"no_right_turn\"/></relation>\n",
            row * SIDE + column + 1, way_of(row, column - 1), 1 + row * SIDE + column,
            way_of(SIDE + column, row));
}

/* Streets some 100 m apart with bends between the junctions, every fourth one one-way, an island, and turns that are forbidden. */
static void write_town(const char *name)
{
    test_rng rng = {9};
    FILE *const file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(file, "<osm version=\"0.6\">\n");
    for (int i = 0; i < JUNCTIONS; ++i) {
        const bool even = is_even(i / SIDE);
        lon[i] = 8.5 + i % SIDE * 0.0013 + (even ? 0 : rng_below(&rng, 6000) * 1e-7);
        lat[i] = 47.1 + i / SIDE * 0.0009 - (i / SIDE == EVEN_NEXT ? 0.0005 : 0) +
                 (even ? 0 : rng_below(&rng, 4000) * 1e-7);
        write_node(file, i + 1, lon[i], lat[i]);
    }
    for (int way = 0; way < WAYS; ++way)
        for (int i = 0; i + 1 < SIDE; ++i) {
            const int a = junction_of(way, i), b = junction_of(way, i + 1);
            write_node(file, 1000 + way * SIDE + i, (lon[a] + lon[b]) / 2 + rng_below(&rng, 2000) * 1e-7,
                       (lat[a] + lat[b]) / 2 + rng_below(&rng, 2000) * 1e-7);
        }
    write_node(file, 5001, lon[5] + 0.0004, lat[5] + 0.0002);
    write_node(file, 5002, lon[5] + 0.0007, lat[5] + 0.0003);
    for (int way = 0; way < WAYS; ++way)
        for (int i = 0; i + 1 < SIDE; ++i) {
            fprintf(file, "<way id=\"%d\"><tag k=\"highway\" v=\"residential\"/>", way_of(way, i));
            if (way % 4 == 1) fprintf(file, "<tag k=\"oneway\" v=\"%s\"/>", way % 8 == 1 ? "yes" : "-1");
            fprintf(file, "<nd ref=\"%d\"/>", 1 + junction_of(way, i));
            if (!is_even(way)) fprintf(file, "<nd ref=\"%d\"/>", 1000 + way * SIDE + i);
            fprintf(file, "<nd ref=\"%d\"/></way>\n", 1 + junction_of(way, i + 1));
        }
    fprintf(
        file,
        "<way id=\"999\"><tag k=\"highway\" v=\"residential\"/><nd ref=\"5001\"/><nd ref=\"5002\"/></way>\n");
    for (int i = 0; i < JUNCTIONS; i += 3) write_restriction(file, i / SIDE, i % SIDE);
    fprintf(file, "</osm>\n");
    fclose(file);
}

static macadam_place draw_place(test_rng *rng)
{
    const uint32_t near = rng_below(rng, JUNCTIONS), kind = rng_below(rng, 16);
    macadam_place out = macadam_point(lon[near], lat[near]);
    if (kind == 0) return macadam_node((int64_t)rng_below(rng, JUNCTIONS + 10) + 1);
    if (kind == 1) return out; /* at a junction */
    if (kind == 8) return macadam_point(8.5005 + 0.0013 * (near % (SIDE - 1)), lat[EVEN * SIDE] + 0.0002);
    if (kind == 2) out = macadam_point(lon[5] + 0.0005, lat[5] + 0.0003); /* beside the island */
    out.lon += (rng_below(rng, 10001) - 5000.0) * 1e-7, out.lat += (rng_below(rng, 10001) - 5000.0) * 1e-7;
    if (kind == 3) out.heading = rng_below(rng, 360), out.heading_tolerance = 40;
    if (kind == 4) out.side = MACADAM_SIDE_CURB;
    if (kind == 5) out.radius_m = 10;
    if (kind == 6 && rng_below(rng, 4) == 0) out.lon += 1;
    if (kind == 7 && rng_below(rng, 4) == 0) out.lat = 91;
    return out;
}

static void set_up(void)
{
    char town[FILES_PATH_BYTES + 16];
    test_rng rng = {10};
    allocator_install();
    emulated_module_install();
    files_new_path(folder, town, "town.osm");
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    write_town(town);
    for (size_t i = 0; i < 2 * PAIRS; ++i) place[i] = draw_place(&rng);
    for (size_t i = 0; i < PAIRS; i += 4) { /* the same road, in either order, or the same place */
        macadam_place *const target = &place[PAIRS + i];
        *target = place[i];
        if (i % 8) target->lon += (rng_below(&rng, 4001) - 2000.0) * 1e-7;
    }
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, town, "car", &options);
    snprintf(foot_path, sizeof foot_path, "%s/foot.mcd", folder);
    const macadam_import_options on_foot = {.size = sizeof options, .output = foot_path};
    FIXTURE_CALL(macadam_import_osm, town, "foot", &on_foot);
}

static void tear_down(void)
{
    emulated_module_expect_nothing_left();
    files_remove_folder(folder);
    cr_assert_eq(allocator_live_count(), 0, "%zu blocks are left", allocator_live_count());
}

TestSuite(point_roads, .init = set_up, .fini = tear_down);

typedef struct answer {
    uint32_t cost[2][PAIRS];
    macadam_place_status status[2 * PAIRS];
} answer;

typedef struct trip_question {
    int conditions; /* that close the roads of some streets: none of the 0th */
    double radius_m;
    size_t quantities;
    macadam_path_callback take; /* NULL: only costs */
    void *context;
    bool is_matrix; /* instead of pairs */
} trip_question;

static bool is_sorted; /* matrices have the engine's order */

/* Costs of all pairs. */
static macadam_status try_find(answer *out, macadam_engine *engine, const trip_question *asked,
                               macadam_error *error)
{
    const double west = 8.5 + 0.003 * asked->conditions, south = 47.1 + 0.002 * asked->conditions;
    const double ring_lon[] = {west, west + 0.004, west + 0.004, west},
                 ring_lat[] = {south, south, south + 0.003, south + 0.003};
    const macadam_area area = {.lon = ring_lon, .lat = ring_lat, .point_count = 4};
    macadam_conditions closed = MACADAM_CONDITIONS_INIT;
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    uint32_t *const value[] = {out->cost[0], out->cost[1]};
    closed.area = &area, closed.area_count = 1;
    if (asked->conditions) query.conditions = &closed;
    query.snap_radius_m = asked->radius_m;
    request.source = place, request.target = place + PAIRS, request.pair_count = PAIRS;
    memset(out->cost, 0xff, sizeof out->cost), memset(out->status, 0xff, sizeof out->status);
    query.quantity = (const char *const[]){"distance", "duration"}, query.quantity_count = asked->quantities;
    if (asked->is_matrix) {
        macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
        matrix.source = place, matrix.source_count = ROWS;
        matrix.target = place + PAIRS, matrix.target_count = PAIRS / ROWS;
        uint64_t order[ROWS + PAIRS / ROWS];
        if (is_sorted) matrix.order = order;
        return macadam_matrix_find_into(value, out->status, engine, &query, &matrix, error);
    }
    return asked->take ? macadam_routes_find_paths(value, out->status, engine, &query, &request, asked->take,
                                                   asked->context, error)
                       : macadam_routes_find(value, out->status, engine, &query, &request, error);
}

static macadam_status try_ask(answer *out, macadam_engine *engine, int conditions, double radius_m,
                              macadam_error *error)
{
    const trip_question question = {conditions, radius_m, conditions < 2 ? 2 : 0, NULL, NULL, false};
    return try_find(out, engine, &question, error);
}

static void ask(answer *out, macadam_engine *engine, int conditions, double radius_m)
{
    FIXTURE_CALL(try_ask, out, engine, conditions, radius_m);
}

static void expect_same(const answer *found, const answer *right)
{
    cr_assert_arr_eq(found->status, right->status, sizeof found->status);
    cr_assert_arr_eq(found->cost, right->cost, sizeof found->cost);
}

/* Of new engines of the processor. */
static answer *new_right_answers(void)
{
    answer *const right = checked_allocate(CONDITIONS, sizeof *right);
    for (int c = 0; c < CONDITIONS; ++c) {
        SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(path, 2);
        ask(&right[c], fresh, c, 0);
    }
    return right;
}

static void expect_answers(macadam_engine *engine, const answer *right)
{
    FREED answer *const found = checked_allocate(1, sizeof *found);
    for (int round = 0; round < 2; ++round)
        for (int c = CONDITIONS; c-- > 0;) {
            ask(found, engine, c, 0);
            expect_same(found, &right[c]);
        }
}

static size_t kept_count(const macadam_engine *engine)
{
    size_t count = 0;
    for (size_t i = 0; i < MCD_KNOWN_LISTS; ++i) count += engine->known_roads.entry[i].list != NULL;
    return count;
}

/* The ends of departures and of arrivals are kept with the roads. */
static void expect_ends(const macadam_engine *engine)
{
    size_t kept = 0;
    for (size_t i = 0; i < MCD_KNOWN_LISTS; ++i) {
        const mcd_known_list *const list = engine->known_roads.entry[i].list;
        kept += list && list->ends[MCD_DEPART] && list->ends[MCD_ARRIVE];
    }
    cr_assert_eq(kept, 1);
}

/* The conditions move some places, and the pairs have each status. */
static void expect_variety(const answer *right)
{
    unsigned seen = 0, moved = 0;
    for (size_t i = 0; i < 2 * PAIRS; ++i) seen |= 1u << right[0].status[i];
    for (size_t i = 0; i < PAIRS; ++i) moved += right[0].cost[0][i] != right[1].cost[0][i];
    cr_assert_eq(seen, 1u << MACADAM_PLACE_OK | 1u << MACADAM_PLACE_UNKNOWN_ID | 1u << MACADAM_PLACE_TOO_FAR |
                           1u << MACADAM_PLACE_INVALID | 1u << MACADAM_PLACE_MOVED);
    cr_assert_gt(moved, PAIRS / 20);
}

Test(point_roads, kept_roads_do_not_change_answers)
{
    FREED answer *const right = new_right_answers();
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 2);
    expect_variety(right);
    expect_answers(engine, right);
    cr_assert_eq(kept_count(engine), 1);
    expect_ends(engine);
    FIXTURE_CALL(macadam_engine_trim, engine);
    cr_assert_eq(kept_count(engine), 0);
    expect_answers(engine, right);
}

static macadam_status (*rows)(const mcd_rows_job *job, macadam_error *error);
static size_t calls_of_parts; /* to the device: of lanes whose seeds' costs it finds */

static macadam_status count_parts(const mcd_rows_job *job, macadam_error *error)
{
    calls_of_parts += job->parts.part != NULL;
    return rows(job, error);
}

/* Of the processor, and of a device, into pinned memory. The lanes are kept by the third call: the device finds the costs of their
 * seeds under the same conditions, which close roads. */
Test(point_roads, kept_ends_do_not_change_matrices)
{
    FREED answer *const right = checked_allocate(1, sizeof *right);
    mcd_backend counted;
    for (int on_device = 0; on_device < 2; ++on_device) {
        SCOPED(macadam_engine_close_at)
        macadam_engine *const engine =
            on_device ? emulated_module_open(path, "cuda", 2) : fixture_open_file(path, 2);
        const mcd_backend *const own = engine->backend;
        void *memory;
        FIXTURE_CALL(macadam_memory_new, &memory, engine, MACADAM_MEMORY_PINNED, sizeof(answer));
        answer *const found = memory;
        counted = *own, rows = own->matrix_rows, counted.matrix_rows = count_parts;
        engine->backend = &counted;
        for (int call = 0; call < 3 * CONDITIONS; ++call) {
            const int c = call % CONDITIONS;
            const trip_question asked = {c, 0, call / CONDITIONS, NULL, NULL, true};
            SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(path, 2);
            FIXTURE_CALL(try_find, right, fresh, &asked);
            is_sorted = true; /* which leaves the kept lanes as they are */
            FIXTURE_CALL(try_find, found, engine, &asked);
            is_sorted = false;
            FIXTURE_CALL(try_find, found, engine, &asked);
            expect_same(found, right);
        }
        expect_ends(engine);
        cr_assert_eq(calls_of_parts, on_device ? 3 : 0, "%zu calls", calls_of_parts);
        engine->backend = own;
        macadam_memory_free(engine, memory);
    }
}

/* Returns a query, all of whose roads are open, or those of an area closed. */
static macadam_query query_of(macadam_conditions *closed, bool is_closed)
{
    static const double ring_lon[] = {8.503, 8.507, 8.507, 8.503},
                        ring_lat[] = {47.102, 47.102, 47.105, 47.105};
    static const macadam_area area = {.lon = ring_lon, .lat = ring_lat, .point_count = 4};
    macadam_query query = MACADAM_QUERY_INIT;
    *closed = (macadam_conditions)MACADAM_CONDITIONS_INIT;
    closed->area = &area, closed->area_count = 1;
    if (is_closed) query.conditions = closed;
    return query;
}

/* The costs from a place to several tasks of places, some of whose roads are closed. */
typedef struct row_answer {
    uint32_t cost[MANY];
    macadam_place_status status[1 + MANY];
} row_answer;

static void find_row(row_answer *out, macadam_engine *engine, const macadam_place *target, bool is_closed)
{
    macadam_conditions closed;
    macadam_query query = query_of(&closed, is_closed);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place, request.source_count = 1;
    request.target = target, request.target_count = MANY;
    FIXTURE_CALL(macadam_matrix_find_into, (uint32_t *const[]){out->cost}, out->status, engine, &query,
                 &request);
}

Test(point_roads, many_kept_roads_do_not_change_a_row)
{
    FREED row_answer *const right = checked_allocate(1, sizeof *right), *const found = checked_allocate(
                                                                            1, sizeof *found);
    FREED macadam_place *const target = checked_allocate(MANY, sizeof *target);
    test_rng rng = {11};
    for (size_t i = 0; i < MANY; ++i) target[i] = draw_place(&rng);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 2);
    for (int call = 0; call < 6; ++call) {
        SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(path, 1);
        find_row(right, fresh, target, call % 2);
        find_row(found, engine, target, call % 2);
        cr_assert_arr_eq(found->status, right->status, sizeof found->status);
        cr_assert_arr_eq(found->cost, right->cost, sizeof found->cost);
    }
    cr_assert_eq(kept_count(engine), 1);
}

Test(point_roads, other_places_and_radii_are_located)
{
    FREED answer *const right = checked_allocate(1, sizeof *right), *const found =
                                                                        checked_allocate(1, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = fixture_open_file(path, 2);
    for (int i = 0; i < 3; ++i) ask(found, engine, 0, 0);
    for (int change = 0; change < 2; ++change) {
        SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(path, 2);
        if (change == 1) place[PAIRS - 1] = macadam_point(lon[20], lat[20]);
        ask(found, engine, 0, change == 0 ? 20 : 0);
        ask(right, fresh, 0, change == 0 ? 20 : 0);
        expect_same(found, right);
    }
}

Test(point_roads, device_finds_the_processors_roads)
{
    FREED answer *const right = new_right_answers();
    for (int reversed = 0; reversed < 2; ++reversed) {
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
        cuda_emulator_set_reversed(reversed);
        expect_answers(engine, right);
        cr_assert_not_null(engine->device_snap);
        /* without what is kept, each call looks for roads on the device */
        FIXTURE_CALL(macadam_engine_trim, engine);
        expect_answers(engine, right);
    }
    cuda_emulator_reset();
}

/* ---- nearest targets on the device ---- */

enum { NEAR = 7, NEAR_SOURCES = 90 };

typedef struct near_answer {
    uint32_t found[NEAR_SOURCES], position[NEAR_SOURCES * NEAR], cost[NEAR_SOURCES * NEAR];
    macadam_place_status status[NEAR_SOURCES + MANY];
} near_answer;

static macadam_status (*reach)(const mcd_reach_job *job, macadam_error *error);
static size_t roads_asked; /* of the device: targets by roads */

static macadam_status count_roads(const mcd_reach_job *job, macadam_error *error)
{
    roads_asked += job->target_road ? job->target_count : 0;
    return reach(job, error);
}

static void find_near(near_answer *out, macadam_engine *engine, const macadam_place *target, bool reverse,
                      bool is_closed)
{
    macadam_conditions closed;
    macadam_query query = query_of(&closed, is_closed);
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach nearest = MACADAM_REACH_INIT;
    request.source = place, request.source_count = NEAR_SOURCES;
    request.target = target, request.target_count = MANY, request.nearest_count = NEAR;
    request.reverse = reverse;
    nearest.nearest_found = out->found, nearest.nearest_position = out->position,
    nearest.nearest_cost = out->cost;
    FIXTURE_CALL(macadam_reach_find, &nearest, out->status, engine, &query, &request);
}

/* The device makes the lanes of targets at which searches arrive. */
Test(point_roads, device_finds_the_nearest_on_roads)
{
    FREED near_answer *const right = checked_allocate(1, sizeof *right), *const found = checked_allocate(
                                                                             1, sizeof *found);
    FREED macadam_place *const target = checked_allocate(MANY, sizeof *target);
    test_rng rng = {12};
    for (size_t i = 0; i < MANY; ++i) target[i] = draw_place(&rng);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    mcd_backend counted = *engine->backend;
    const mcd_backend *const own = engine->backend;
    reach = own->reach, counted.reach = count_roads, engine->backend = &counted;
    for (int call = 0; call < 4; ++call) {
        SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(path, 2);
        find_near(right, fresh, target, call % 2, call / 2);
        find_near(found, engine, target, call % 2, call / 2);
        cr_assert_arr_eq(found->found, right->found, sizeof found->found);
        for (size_t i = 0; i < NEAR_SOURCES * NEAR; ++i) {
            if (i % NEAR >= found->found[i / NEAR]) continue;
            cr_assert_eq(found->cost[i], right->cost[i], "call %d, %zu", call, i);
            cr_assert_eq(found->position[i], right->position[i], "call %d, %zu", call, i);
        }
        cr_assert_arr_eq(found->status, right->status, sizeof found->status);
    }
    engine->backend = own;
    cr_assert_geq(roads_asked, 2 * MANY, "%zu targets", roads_asked);
}

/* ---- matrices on the device ---- */

enum { CELLS = 70000, SHAPES = 4 };

/* Many rows; several tiles of columns, whose order is merged; several chunks of rows, if there is little memory; about one tile. */
static const size_t shape[SHAPES][2] = {{1500, 12}, {9, 2500}, {2600, 14}, {600, 100}};

typedef struct cells_answer {
    uint32_t cost[2][CELLS];
    macadam_place_status status[2 * MANY];
} cells_answer;

static macadam_status (*targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                     macadam_error *error);
static size_t calls_of_roads; /* to the device, which makes lanes */

static macadam_status count_targets(mcd_matrix_targets **out, const mcd_matrix_job *job, macadam_error *error)
{
    calls_of_roads += job->snap != NULL;
    return targets_new(out, job, error);
}

static void find_cells(cells_answer *out, macadam_engine *engine, const macadam_place *from, int k,
                       bool is_closed)
{
    macadam_conditions closed;
    macadam_query query = query_of(&closed, is_closed);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    uint32_t *const value[] = {out->cost[0], out->cost[1]};
    query.quantity = (const char *const[]){"duration", "distance"}, query.quantity_count = is_closed ? 1 : 2;
    request.source = from, request.source_count = shape[k][0];
    request.target = from + MANY - shape[k][1] / 2, request.target_count = shape[k][1];
    memset(out, 0, sizeof *out);
    FIXTURE_CALL(macadam_matrix_find_into, value, out->status, engine, &query, &request);
}

static macadam_place draw_in_malta(test_rng *rng)
{
    return macadam_point(14.35 + rng_below(rng, 2000) * 1e-4, 35.82 + rng_below(rng, 1300) * 1e-4);
}

/* The device makes the lanes of both sides from their roads, or of sources, if targets are ids. Places are others in each call: else
 * their lanes would be kept. */
static void expect_cells(const char *file, macadam_place (*draw)(test_rng *rng), size_t memory)
{
    FREED cells_answer *const right = checked_allocate(1, sizeof *right), *const found = checked_allocate(
                                                                              1, sizeof *found);
    FREED macadam_place *const many = checked_allocate(2 * MANY, sizeof *many);
    test_rng rng = {13};
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(file, "cuda", 2);
    mcd_backend counted = *engine->backend;
    const mcd_backend *const own = engine->backend;
    targets_new = own->matrix_targets_new, counted.matrix_targets_new = count_targets;
    engine->backend = &counted;
    engine->device_snap_searches = 1u << 30; /* the first call makes the index */
    calls_of_roads = 0;
    for (int k = 0; k < 2 * SHAPES; ++k) {
        SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(file, 2);
        for (size_t i = 0; i < 2 * MANY; ++i) {
            many[i] = draw(&rng);
            if (k % 4 == 3 && i >= MANY / 2) many[i] = macadam_node((int64_t)rng_below(&rng, JUNCTIONS) + 1);
        }
        find_cells(right, fresh, many, k % SHAPES, k < SHAPES);
        find_cells(found, engine, many, k % SHAPES, k < SHAPES);
        cr_assert_arr_eq(found->status, right->status, sizeof found->status, "shape %d", k);
        cr_assert_arr_eq(found->cost, right->cost, sizeof found->cost, "shape %d", k);
        cuda_emulator_set_memory(memory);
    }
    engine->backend = own;
    cr_assert_geq(calls_of_roads, 2 * SHAPES, "%zu calls", calls_of_roads);
    cuda_emulator_reset();
}

Test(point_roads, device_makes_the_lanes_of_matrices)
{
    expect_cells(path, draw_place, SIZE_MAX);
    expect_cells(foot_path, draw_place, SIZE_MAX);
}

Test(point_roads, lanes_of_matrices_need_little_memory)
{
    expect_cells(path, draw_place, 4u << 20);
    expect_cells(foot_path, draw_place, 4u << 20);
}

/* There are more sources than the limit has room for together; targets are ids. */
Test(point_roads, lanes_are_counted_within_the_memory_limit)
{
    enum { SOURCES = 60000, LIMIT = 3 << 19 };
    FREED macadam_place *const source = checked_allocate(SOURCES, sizeof *source);
    FREED uint32_t *const right = checked_allocate(SOURCES, sizeof *right), *const found = checked_allocate(
                                                                                SOURCES, sizeof *found);
    const macadam_engine_options options = {
        .size = sizeof options, .device = "cuda", .threads = 2, .memory_limit = LIMIT};
    const macadam_place target = macadam_node(JUNCTIONS / 2);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    SCOPED(macadam_engine_close_at) macadam_engine *const fresh = fixture_open_file(path, 2);
    SCOPED(macadam_engine_close_at) macadam_engine *engine = NULL;
    test_rng rng = {14};
    for (size_t i = 0; i < SOURCES; ++i) source[i] = draw_place(&rng);
    request.source = source, request.source_count = SOURCES;
    request.target = &target, request.target_count = 1;
    FIXTURE_CALL(macadam_engine_open, &engine, path, &options);
    mcd_backend counted = *engine->backend;
    const mcd_backend *const own = engine->backend;
    targets_new = own->matrix_targets_new, counted.matrix_targets_new = count_targets;
    engine->backend = &counted;
    engine->device_snap_searches = 1u << 30; /* the first call makes the index */
    calls_of_roads = 0;
    FIXTURE_CALL(macadam_matrix_find_into, &right, NULL, fresh, NULL, &request);
    FIXTURE_CALL(macadam_matrix_find_into, &found, NULL, engine, NULL, &request);
    engine->backend = own;
    cr_assert_eq(calls_of_roads, 1);
    cr_assert_arr_eq(found, right, SOURCES * sizeof *found);
}

/* Where sources, too, have several lanes. */
Test(point_roads, device_makes_the_lanes_of_real_matrices)
{
    char malta[FILES_PATH_BYTES], map[FILES_PATH_BYTES + 16];
    if (!files_find_data(malta, "osm/malta-latest.osm.pbf")) cr_skip_test("MACADAM_DATA is not set");
    snprintf(map, sizeof map, "%s/malta.mcd", folder);
    const macadam_import_options options = {.size = sizeof options, .output = map};
    FIXTURE_CALL(macadam_import_osm, malta, "car", &options);
    expect_cells(map, draw_in_malta, SIZE_MAX);
}

/* ---- trips on the device ---- */

static macadam_status (*route)(const mcd_route_job *job, macadam_error *error);
static size_t trips_asked, others_asked; /* of the device: by roads, and by lanes */

static macadam_status count_trips(const mcd_route_job *job, macadam_error *error)
{
    *(job->source_road ? &trips_asked : &others_asked) += job->count;
    return route(job, error);
}

/* Replaces the engine's backend by one that counts. Returns the engine's own. */
static const mcd_backend *begin_counting(macadam_engine *engine, mcd_backend *counted)
{
    const mcd_backend *const own = engine->backend;
    *counted = *own;
    route = counted->route, counted->route = count_trips, trips_asked = others_asked = 0;
    engine->backend = counted;
    return own;
}

static void expect_trips_on_device(macadam_engine *engine, const answer *right)
{
    mcd_backend counted;
    const mcd_backend *const own = begin_counting(engine, &counted);
    expect_answers(engine, right); /* the first call makes the index */
    cr_assert_eq(trips_asked, (2 * CONDITIONS - 1) * PAIRS);
    engine->backend = own;
}

Test(point_roads, device_makes_the_lanes_of_trips)
{
    FREED answer *const right = new_right_answers();
    FREED uint32_t *const found = checked_allocate(PAIRS, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    void *there;
    expect_trips_on_device(engine, right);
    request.source = place, request.target = place + PAIRS, request.pair_count = PAIRS;
    FIXTURE_CALL(macadam_memory_new, &there, engine, MACADAM_MEMORY_DEVICE, PAIRS * sizeof(uint32_t));
    FIXTURE_CALL(macadam_routes_find, (uint32_t *[]){there}, NULL, engine, NULL, &request);
    FIXTURE_CALL(macadam_memory_read, found, engine, there, PAIRS * sizeof(uint32_t));
    macadam_memory_free(engine, there);
    cr_assert_arr_eq(found, right[0].cost[1], PAIRS * sizeof *found);
}

/* Makes the places of all pairs but the first few such that the device locates them, unless their road is closed. */
static void make_plain(size_t first)
{
    for (size_t i = 0; i < 2 * PAIRS; ++i) {
        if (i % PAIRS < first) continue;
        place[i].heading_tolerance = 0, place[i].side = MACADAM_SIDE_ANY;
        if (place[i].lat > 90) place[i].lat = lat[0];
    }
}

/* Of all places, to one of them. is_hidden: the processor finds no road. */
static void ask_column(uint32_t *cost, macadam_place_status *status, macadam_engine *engine, bool is_hidden)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    const size_t pieces = engine->snap.piece_count;
    request.source = place, request.source_count = 2 * PAIRS;
    request.target = place, request.target_count = 1;
    if (is_hidden) engine->snap.piece_count = 0;
    FIXTURE_CALL(macadam_matrix_find_into, (uint32_t *[]){cost}, status, engine, NULL, &request);
    if (is_hidden) engine->snap.piece_count = pieces;
}

/* Nor does the processor look for a nearest road that a device has found. */
Test(point_roads, places_that_come_again_are_not_searched)
{
    static uint32_t cost[2][2 * PAIRS];
    static macadam_place_status status[2][2 * PAIRS + 1];
    make_plain(0);
    place[3] = macadam_point(lon[5] + 0.0005, lat[5] + 0.00025), place[3].radius_m = 5; /* only the island */
    for (int on_device = 0; on_device < 2; ++on_device) {
        SCOPED(macadam_engine_close_at)
        macadam_engine *const engine = emulated_module_open(path, on_device ? "cuda" : "cpu", 2);
        unsigned seen = 0;
        for (int round = 0; round < 3; ++round) ask_column(cost[0], status[0], engine, false);
        cr_assert_eq(engine->device_snap != NULL, on_device);
        ask_column(cost[1], status[1], engine, true);
        cr_assert_arr_eq(cost[0], cost[1], sizeof *cost);
        cr_assert_arr_eq(status[0], status[1], sizeof *status);
        for (size_t i = 0; i < 2 * PAIRS; ++i) seen |= 1u << status[0][i];
        cr_assert(seen >> MACADAM_PLACE_MOVED & seen >> MACADAM_PLACE_CUT_OFF & 1);
        mcd_known_roads_trim(&engine->known_roads);
        ask_column(cost[1], status[1], engine, true);
        cr_assert_eq(status[1][3], on_device ? MACADAM_PLACE_CUT_OFF : MACADAM_PLACE_TOO_FAR);
    }
}

static macadam_status (*nearest)(const mcd_nearest_job *job, macadam_error *error);
static atomic_uint calls_of_one, calls_of_more; /* by the threads that they may begin */

static macadam_status count_threads(const mcd_nearest_job *job, macadam_error *error)
{
    atomic_fetch_add(job->parallel.thread_count == 1 ? &calls_of_one : &calls_of_more, 1);
    return nearest(job, error);
}

/* Within a task of a host's executor, which need not run tasks within tasks. */
Test(point_roads, searches_beside_others_begin_no_threads)
{
    static uint32_t cost[2 * PAIRS];
    static macadam_place_status status[2 * PAIRS + 1];
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    const mcd_backend *const own = engine->backend;
    mcd_backend counted = *own;
    nearest = own->nearest_roads, counted.nearest_roads = count_threads;
    engine->backend = &counted;
    ask_column(cost, status, engine, false);
    engine->backend = own;
    cr_assert_eq(calls_of_one, 1, "%u", calls_of_one);
    cr_assert_eq(calls_of_more, 0);
}

Test(point_roads, device_answers_pairs_of_places_that_are_cut_off)
{
    FREED answer *const right = checked_allocate(1, sizeof *right), *const found =
                                                                        checked_allocate(1, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const host = fixture_open_file(path, 2);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    mcd_backend counted;
    unsigned seen = 0;
    make_plain(0);
    /* both on the island; then one is an id there */
    place[3] = macadam_point(lon[5] + 0.0005, lat[5] + 0.00025);
    place[PAIRS + 3] = macadam_point(lon[5] + 0.0006, lat[5] + 0.0003);
    place[5] = place[3], place[PAIRS + 5] = macadam_node(5001);
    place[7] = place[3], place[7].radius_m = 5; /* no other road is as near */
    for (double radius = 0; radius < 50; radius += 40) {
        ask(right, host, 0, radius);
        ask(found, engine, 0, radius);
        const mcd_backend *const own = begin_counting(engine, &counted);
        ask(found, engine, 0, radius);
        engine->backend = own;
        cr_assert_eq(trips_asked, PAIRS);
        cr_assert_eq(others_asked, 0, "%zu trips over lanes", others_asked);
        expect_same(found, right);
        cr_assert(right->status[3] == MACADAM_PLACE_OK && right->status[PAIRS + 3] == MACADAM_PLACE_OK &&
                  right->status[5] == MACADAM_PLACE_OK && right->cost[0][5] != MACADAM_UNREACHED);
        for (size_t i = 0; i < 2 * PAIRS; ++i) seen |= 1u << right->status[i];
    }
    cr_assert(seen >> MACADAM_PLACE_MOVED & seen >> MACADAM_PLACE_CUT_OFF & 1);
}

static macadam_status refuse_trips(const mcd_route_job *job, macadam_error *error)
{
    if (!job->source_road) return route(job, error);
    trips_asked += job->count;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED, "no trips here");
}

Test(point_roads, processor_locates_all_places_if_the_device_has_no_trips)
{
    macadam_error error = {.message = ""};
    FREED answer *const right = new_right_answers();
    FREED answer *const found = checked_allocate(1, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    mcd_backend refusing;
    const mcd_backend *const own = begin_counting(engine, &refusing);
    refusing.route = refuse_trips;
    expect_answers(engine, right);
    cr_assert_eq(try_ask(found, engine, 1, 0, &error), MACADAM_OK);
    cr_assert_str_empty(error.message);
    engine->backend = own;
    cr_assert_gt(trips_asked, 0);
}

static macadam_engine *open_with_memory(uint64_t limit)
{
    const macadam_engine_options options = {
        .size = sizeof options, .device = "cuda", .threads = 2, .memory_limit = limit};
    macadam_engine *engine;
    FIXTURE_CALL(macadam_engine_open, &engine, path, &options);
    return engine;
}

/* Its trips are several chunks, and their choices find no room together. */
Test(point_roads, trips_need_little_memory)
{
    FREED answer *const right = new_right_answers();
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_with_memory(150 << 10);
    expect_trips_on_device(engine, right);
}

/* ---- paths of trips ---- */

enum { ARCS_MOST = 100 };

typedef struct path_answer {
    answer costs;
    size_t end[PAIRS]; /* of each path, in arc[] */
    uint64_t arc[PAIRS * ARCS_MOST];
    size_t count, stop_at; /* paths taken; the path that is refused */
} path_answer;

static path_answer path_answers[2];

static bool take_path(void *context, size_t index, const uint64_t *arc, size_t count)
{
    path_answer *const out = context;
    const size_t first = out->count ? out->end[out->count - 1] : 0;
    cr_assert_eq(index, out->count);
    cr_assert_lt(count, ARCS_MOST);
    if (index == out->stop_at) return false;
    if (count) memcpy(&out->arc[first], arc, count * sizeof *arc);
    out->end[out->count++] = first + count;
    return true;
}

static macadam_status try_ask_paths(path_answer *out, macadam_engine *engine, int conditions,
                                    size_t quantities, macadam_error *error)
{
    const trip_question question = {conditions, 0, quantities, take_path, out, false};
    memset(out, 0, sizeof *out);
    out->stop_at = SIZE_MAX;
    return try_find(&out->costs, engine, &question, error);
}

static void expect_same_paths(const path_answer *found, const path_answer *right)
{
    cr_assert_eq(found->count, PAIRS);
    expect_same(&found->costs, &right->costs);
    cr_assert_arr_eq(found->end, right->end, sizeof right->end);
    cr_assert_arr_eq(found->arc, right->arc, right->end[PAIRS - 1] * sizeof *right->arc);
}

static void expect_paths(macadam_engine *host, macadam_engine *engine, int conditions, size_t quantities)
{
    path_answer *const right = &path_answers[0], *const found = &path_answers[1];
    FIXTURE_CALL(try_ask_paths, right, host, conditions, quantities);
    FIXTURE_CALL(try_ask_paths, found, engine, conditions, quantities);
    expect_same_paths(found, right);
    cr_assert_gt(right->end[PAIRS - 1], 5 * PAIRS);
}

static void expect_paths_on_device(macadam_engine *engine)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const host = fixture_open_file(path, 2);
    mcd_backend counted;
    ask(&path_answers[0].costs, engine, 0, 0); /* makes the index */
    const mcd_backend *const own = begin_counting(engine, &counted);
    for (int c = 0; c < 2; ++c)
        for (size_t quantities = 0; quantities <= 2; ++quantities) expect_paths(host, engine, c, quantities);
    engine->backend = own;
    /* too many roads are closed under the conditions: the processor answers all */
    cr_assert(trips_asked == 3 * PAIRS && others_asked > 3 * PAIRS);
}

enum { LITTLE = 400 << 10 }; /* chunks of paths, and several windows */

Test(point_roads, device_finds_the_paths_of_trips)
{
    make_plain(PAIRS / 16);
    for (int little = 0; little < 2; ++little) {
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_with_memory(little * LITTLE);
        cuda_emulator_set_reversed(little);
        expect_paths_on_device(engine);
    }
    cuda_emulator_reset();
}

Test(point_roads, paths_of_trips_may_be_refused)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    path_answer *const found = &path_answers[1];
    const trip_question question = {0, 0, 0, take_path, found, false};
    make_plain(PAIRS / 16);
    FIXTURE_CALL(try_ask_paths, found, engine, 0, 0);
    for (size_t at = 0; at < PAIRS; at += PAIRS / 3) {
        memset(found, 0, sizeof *found);
        found->stop_at = at;
        cr_assert_eq(try_find(&found->costs, engine, &question, NULL), MACADAM_E_CANCELLED);
        cr_assert_eq(found->count, at);
    }
}

/* A device that is lost in the middle leaves the other paths to the processor. */
Test(point_roads, device_may_be_lost_between_paths_of_trips)
{
    path_answer *const right = &path_answers[0], *const found = &path_answers[1];
    make_plain(PAIRS / 16);
    for (size_t quarter = 1; quarter < 4; ++quarter) {
        SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_with_memory(LITTLE);
        for (int i = 0; i < 2; ++i) FIXTURE_CALL(try_ask_paths, right, engine, 0, 2);
        const size_t before = cuda_emulator_call_count();
        FIXTURE_CALL(try_ask_paths, right, engine, 0, 2);
        cuda_emulator_lose_device((cuda_emulator_call_count() - before) * quarter / 4, CUDA_EMULATOR_FAULT);
        FIXTURE_CALL(try_ask_paths, found, engine, 0, 2);
        cr_assert(cuda_emulator_has_failed());
        expect_same_paths(found, right);
        cuda_emulator_reset();
    }
}

/* Without memory for some allocation, of the host or the device, paths come all the same, or the call says so. */
Test(point_roads, allocations_for_paths_of_trips_may_fail)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    path_answer *const right = &path_answers[0], *const found = &path_answers[1];
    make_plain(PAIRS / 16);
    for (int i = 0; i < 3; ++i) FIXTURE_CALL(try_ask_paths, right, engine, 0, 2);
    for (size_t nth = 1; nth <= 24; ++nth) {
        nth % 2 ? allocator_fail(nth / 2 + 1) : cuda_emulator_fail_allocation(nth / 2);
        const macadam_status status = try_ask_paths(found, engine, 0, 2, NULL);
        allocator_fail(0);
        cuda_emulator_fail_allocation(0);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_MEMORY, "%zu: %d", nth, (int)status);
        if (status) FIXTURE_CALL(try_ask_paths, found, engine, 0, 2);
        expect_same_paths(found, right);
    }
    cuda_emulator_reset();
}

/* ---- rows on the device ---- */

enum { SOURCES = 32, REACH_LIMITS = 3, TARGETS = 300, NEAREST = 5 };

/* Of the same sources: costs of trees, and what reach sums up. */
typedef struct row_answers {
    uint32_t cost[2][SOURCES * (JUNCTIONS + 2)], lane[SOURCES * 8 * JUNCTIONS];
    uint64_t count[SOURCES * REACH_LIMITS], sum[SOURCES * REACH_LIMITS], reached[SOURCES], cost_sum[SOURCES];
    uint32_t eccentricity[2 * SOURCES]; /* the second ones with nearest targets */
    uint64_t near_count[SOURCES * REACH_LIMITS], near_sum[SOURCES * REACH_LIMITS], near_reached[2 * SOURCES];
    uint32_t nearest[2 * SOURCES * NEAREST];
    macadam_place_status status[SOURCES];
} row_answers;

/* The same sums together with the nearest targets: in one sweep; then with eccentricities. */
static void ask_nearest(row_answers *out, macadam_engine *engine, const macadam_query *query,
                        macadam_reach_request *request)
{
    macadam_reach sums = MACADAM_REACH_INIT;
    request->target = place + PAIRS, request->target_count = TARGETS, request->nearest_count = NEAREST;
    sums.node_count = out->near_count, sums.value_sum = out->near_sum;
    sums.reached = out->near_reached, sums.nearest_cost = out->nearest;
    FIXTURE_CALL(macadam_reach_find, &sums, NULL, engine, query, request);
    sums = (macadam_reach)MACADAM_REACH_INIT;
    sums.eccentricity = out->eccentricity + SOURCES, sums.reached = out->near_reached + SOURCES;
    sums.nearest_cost = out->nearest + SOURCES * NEAREST;
    FIXTURE_CALL(macadam_reach_find, &sums, NULL, engine, query, request);
}

static row_answers *ask_rows(macadam_engine *engine, bool reverse, bool any_component)
{
    static const uint32_t limit[REACH_LIMITS] = {20000, 60000, 200000};
    row_answers *const out = checked_zeroed(1, sizeof *out);
    uint32_t value[JUNCTIONS + 2];
    macadam_query query = MACADAM_QUERY_INIT;
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    macadam_reach sums = MACADAM_REACH_INIT;
    query.snap_any_component = any_component;
    tree.source = place, tree.source_count = SOURCES, tree.reverse = reverse;
    tree.order = MACADAM_ORDER_LANES;
    cr_assert_leq(engine->metadata->node_count, 8 * JUNCTIONS);
    FIXTURE_CALL(macadam_tree_find, (uint32_t *[]){out->lane}, out->status, engine, &query, &tree);
    query.quantity = (const char *const[]){"duration", "distance"}, query.quantity_count = 2;
    tree.order = MACADAM_ORDER_IDS, tree.limit = any_component ? 60000 : 0;
    FIXTURE_CALL(macadam_tree_find, (uint32_t *[]){out->cost[0], out->cost[1]}, NULL, engine, &query, &tree);
    query.quantity_count = 0;
    for (uint32_t i = 0; i < JUNCTIONS + 2; ++i) value[i] = i * i;
    request.source = place, request.source_count = SOURCES, request.reverse = reverse;
    request.limit = limit, request.limit_count = REACH_LIMITS, request.value = value;
    sums.node_count = out->count, sums.value_sum = out->sum;
    sums.reached = out->reached, sums.cost_sum = out->cost_sum;
    FIXTURE_CALL(macadam_reach_find, &sums, NULL, engine, &query, &request);
    sums = (macadam_reach)MACADAM_REACH_INIT;
    sums.eccentricity = out->eccentricity;
    FIXTURE_CALL(macadam_reach_find, &sums, NULL, engine, &query, &request);
    ask_nearest(out, engine, &query, &request);
    for (size_t i = 0; i < SOURCES * REACH_LIMITS; ++i) cr_assert_eq(out->near_count[i], out->count[i]);
    return out;
}

Test(point_roads, rows_of_places_that_are_cut_off_are_the_processors)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const host = fixture_open_file(path, 2);
    SCOPED(macadam_engine_close_at) macadam_engine *const device = emulated_module_open(path, "cuda", 2);
    cr_assert_eq(host->metadata->id_count, JUNCTIONS + 2);
    for (int way = 0; way < 4; ++way) {
        FREED row_answers *const right = ask_rows(host, way % 2, way / 2);
        FREED row_answers *const found = ask_rows(device, way % 2, way / 2);
        size_t moved = 0;
        for (size_t i = 0; i < SOURCES; ++i) moved += right->status[i] == MACADAM_PLACE_MOVED;
        cr_assert(way / 2 || (moved > 0 && moved < SOURCES));
        cr_assert_arr_eq(found, right, sizeof *found, "way %d", way);
    }
}

Test(point_roads, trim_frees_the_index_unless_a_call_may_use_it)
{
    FREED answer *const found = checked_allocate(1, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    for (int round = 0; round < 2; ++round) { /* what was freed is made again */
        ask(found, engine, 0, 0);
        cr_assert_not_null(engine->device_snap);
        macadam_engine *const used = mcd_engine_enter(engine);
        FIXTURE_CALL(macadam_engine_trim, engine);
        cr_assert_not_null(engine->device_snap);
        mcd_engine_leave(&used);
        const size_t before = cuda_emulator_live_allocations();
        FIXTURE_CALL(macadam_engine_trim, engine);
        cr_assert_null(engine->device_snap);
        cr_assert_lt(cuda_emulator_live_allocations(), before);
    }
}

/* Lets the next question find that `points` came, with its own. */
static void set_searches(macadam_engine *engine, uint64_t points)
{
    engine->device_snap_searches = points - (2 * PAIRS + 1);
}

static void expect_column(macadam_engine *engine, const uint32_t *right)
{
    static uint32_t cost[2 * PAIRS];
    static macadam_place_status status[2 * PAIRS + 1];
    mcd_known_roads_trim(&engine->known_roads);
    ask_column(cost, status, engine, false);
    cr_assert_arr_eq(cost, right, sizeof cost);
}

/* Returns whether a thread makes the index within some seconds, or has failed to. */
static bool wait_for_index(macadam_engine *engine, bool is_made)
{
    for (int i = 0; i < 2000 && (is_made ? !engine->device_snap : engine->device_snap_searches > 0); ++i)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return engine->device_snap;
}

static macadam_status refuse_index(MCD_UNUSED mcd_device_snap **out, MCD_UNUSED mcd_device *device,
                                   MCD_UNUSED const mcd_snap_tree *tree, MCD_UNUSED macadam_error *error)
{
    return MACADAM_E_DEVICE;
}

/* Neither too few points bring the index, nor does a call wait for it if more do. */
Test(point_roads, index_is_made_beside_calls_once_it_pays)
{
    static uint32_t right[2 * PAIRS];
    static macadam_place_status status[2 * PAIRS + 1];
    SCOPED(macadam_engine_close_at) macadam_engine *const host = fixture_open_file(path, 2);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    const mcd_backend *const own = engine->backend;
    mcd_backend refusing = *own;
    mcd_device_table table = *own->device;
    make_plain(0);
    ask_column(right, status, host, false);
    expect_column(engine, right);
    cr_assert_not_null(engine->device_snap, "one large call");
    FIXTURE_CALL(macadam_engine_trim, engine);
    set_searches(engine, engine->snap.piece_count / 64);
    expect_column(engine, right);
    cr_assert_null(engine->device_snap);
    table.snap_new = refuse_index, refusing.device = &table, engine->backend = &refusing;
    set_searches(engine, engine->snap.piece_count / 8);
    expect_column(engine, right);
    cr_assert(!wait_for_index(engine, false) && engine->device_snap_searches == 0, "without memory");
    engine->backend = own;
    for (int call = 0; call < 20 && !engine->device_snap;
         ++call) { /* the thread may end as the first one comes */
        set_searches(engine, engine->snap.piece_count / 8);
        expect_column(engine, right);
        (void)wait_for_index(engine, true);
    }
    cr_assert_not_null(engine->device_snap);
    expect_column(engine, right);
}

Test(point_roads, processor_looks_when_the_device_fails)
{
    FREED answer *const right = new_right_answers();
    FREED answer *const found = checked_allocate(1, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    ask(found, engine, 1, 0);
    for (size_t nth = 1; nth <= 12; ++nth) {
        FIXTURE_CALL(macadam_engine_trim, engine);
        cuda_emulator_fail_allocation(nth);
        ask(found, engine, 1, 0);
        cuda_emulator_fail_allocation(0);
        expect_same(found, &right[1]);
    }
    cuda_emulator_reset();
}

/* Fails an allocation of the host or of the device in a call that makes the index. Returns whether that call made none. */
static bool expect_index_later(macadam_engine *engine, size_t nth, bool of_host, const answer *right)
{
    FREED answer *const found = checked_allocate(1, sizeof *found);
    macadam_error error;
    FIXTURE_CALL(macadam_engine_trim, engine);
    of_host ? allocator_fail(nth) : cuda_emulator_fail_allocation(nth);
    const macadam_status status = try_ask(found, engine, 1, 0, &error);
    allocator_fail(0);
    cuda_emulator_fail_allocation(0);
    cr_assert(status == MACADAM_OK || (of_host && status == MACADAM_E_MEMORY), "%zu: %d", nth, (int)status);
    const bool is_missing = status == MACADAM_OK && !engine->device_snap;
    ask(found, engine, 1, 0);
    cr_assert_not_null(engine->device_snap, "allocation %zu", nth);
    cr_assert_arr_eq(found->cost, right->cost, sizeof found->cost);
    return is_missing;
}

Test(point_roads, index_is_made_later_if_memory_is_full)
{
    FREED answer *const right = new_right_answers();
    FREED answer *const found = checked_allocate(1, sizeof *found);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = emulated_module_open(path, "cuda", 2);
    ask(found, engine, 1, 0);
    for (int of_host = 0; of_host < 2; ++of_host) {
        const size_t most = of_host ? 30 : 4; /* of the host's, some 20 come before those of the index */
        size_t missing = 0;
        for (size_t nth = 1; nth <= most; ++nth)
            missing += expect_index_later(engine, nth, of_host, &right[1]);
        cr_assert_gt(missing, 1, "of the %s", of_host ? "host" : "device");
    }
    cuda_emulator_reset();
}

/* The first allocations of calls that locate places, and keep their roads, fail. */
static void fail_allocations(macadam_engine *engine, size_t most, const answer *right)
{
    FREED answer *const found = checked_allocate(1, sizeof *found);
    for (size_t nth = 1; nth <= most; ++nth) {
        macadam_error error;
        FIXTURE_CALL(macadam_engine_trim, engine);
        ask(found, engine, 1, 0);
        allocator_fail(nth);
        const macadam_status status = try_ask(found, engine, 1, 0, &error);
        allocator_fail(0);
        cr_assert(status == MACADAM_OK || status == MACADAM_E_MEMORY, "allocation %zu: %d", nth, (int)status);
        if (status) ask(found, engine, 1, 0);
        expect_same(found, right);
    }
}

Test(point_roads, allocations_may_fail)
{
    FREED answer *const right = new_right_answers();
    SCOPED(macadam_engine_close_at) macadam_engine *const host = fixture_open_file(path, 2);
    SCOPED(macadam_engine_close_at) macadam_engine *const device = emulated_module_open(path, "cuda", 2);
    fail_allocations(host, 60, &right[1]);
    fail_allocations(device, 24, &right[1]);
}
