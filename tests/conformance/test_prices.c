/* test_prices.c - weights of arcs and prices of turns are two things: an update of an arc's weight leaves what is
 * paid before the arc. The map is a drawn town that has every kind of price. That weights which go there and back leave
 * nothing, in use and in files, is for tests/metamorphic. */
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include "engine/runtime/load.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SIDE = 7,
    JUNCTIONS = SIDE * SIDE,
    PLACES = 24,
    CONDITIONS = 3,
    QUANTITIES = 2,
    PATH_BYTES = FILES_PATH_BYTES + 32
};

static char folder[FILES_PATH_BYTES];
static macadam_error error;

static void expect_ok(macadam_status status)
{
    cr_assert_eq(status, MACADAM_OK, "%s", error.message);
}

/* ---- the town ---- */

static void write_junctions(FILE *file, test_rng *rng)
{
    static const char *const tags[] = {
        "",
        "",
        "",
        "<tag k=\"highway\" v=\"traffic_signals\"/>",
        "<tag k=\"highway\" v=\"stop\"/>",
        "<tag k=\"barrier\" v=\"gate\"/><tag k=\"opening_hours\" v=\"Sa 10:00-12:00\"/>",
        "<tag k=\"barrier\" v=\"gate\"/><tag k=\"access\" v=\"no\"/>"
        "<tag k=\"access:conditional\" v=\"yes @ (Sa 10:00-12:00)\"/>",
        "<tag k=\"highway\" v=\"give_way\"/>"};
    for (int i = 0; i < JUNCTIONS; ++i)
        fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\">%s</node>\n", i + 1, i % SIDE * 0.002,
                i / SIDE * 0.002, tags[rng_below(rng, sizeof tags / sizeof *tags)]);
}

static void write_street(FILE *file, test_rng *rng, int from, int to, int *way)
{
    static const char *const tags[] = {
        "",
        "",
        "",
        "<tag k=\"oneway\" v=\"yes\"/>",
        "<tag k=\"access\" v=\"destination\"/>",
        "<tag k=\"maxspeed:conditional\" v=\"10 @ (Sa 10:00-18:00)\"/>",
        "<tag k=\"motorcar\" v=\"no\"/><tag k=\"motorcar:conditional\" v=\"yes @ (Sa 10:00-12:00)\"/>",
        "<tag k=\"motor_vehicle:conditional\" v=\"no @ (Sa 10:00-18:00)\"/>"};
    static const char *const classes[] = {"residential", "primary", "track", "secondary"};
    const bool is_ferry = rng_below(rng, 12) == 0;
    fprintf(file, "<way id=\"%d\"><nd ref=\"%d\"/><nd ref=\"%d\"/><tag k=\"%s\" v=\"%s\"/>%s</way>\n", ++*way,
            from + 1, to + 1, is_ferry ? "route" : "highway", is_ferry ? "ferry" : classes[rng_below(rng, 4)],
            is_ferry ? "<tag k=\"name\" v=\"Line\"/>" : tags[rng_below(rng, sizeof tags / sizeof *tags)]);
}

/* Restrictions between streets that meet; streets are numbered as they are written. */
static void write_restrictions(FILE *file, test_rng *rng, const int (*end)[2], int street_count)
{
    for (int from = 0, id = 0; from < street_count; ++from)
        for (int to = 0; to < street_count; ++to) {
            if (from == to || end[from][1] != end[to][0] || rng_below(rng, 6) > 0) continue;
            ++id;
            fprintf(
                file,
                "<relation id=\"%d\"><member type=\"way\" ref=\"%d\" role=\"from\"/><member type=\"node\" "
                "ref=\"%d\" role=\"via\"/><member type=\"way\" ref=\"%d\" role=\"to\"/><tag k=\"type\" "
                "v=\"restriction\"/><tag k=\"restriction%s\" v=\"no_left_turn%s\"/></relation>\n",
                id, from + 1001, end[from][1] + 1, to + 1001, id % 2 ? ":conditional" : "",
                id % 2 ? " @ (Mo-Fr)" : "");
        }
}

static void write_town(const char *path)
{
    test_rng rng = {7};
    int end[2 * JUNCTIONS][2], count = 0, way = 1000;
    FILE *const file = fopen(path, "w");
    cr_assert(file);
    fprintf(file, "<osm version=\"0.6\">\n");
    write_junctions(file, &rng);
    for (int i = 0; i < JUNCTIONS; ++i)
        for (int down = 0; down < 2; ++down) {
            if (down ? i + SIDE >= JUNCTIONS : i % SIDE + 1 == SIDE) continue;
            end[count][0] = i, end[count][1] = down ? i + SIDE : i + 1;
            write_street(file, &rng, end[count][0], end[count][1], &way);
            ++count;
        }
    write_restrictions(file, &rng, (const int(*)[2])end, count);
    fprintf(file, "</osm>\n");
    fclose(file);
}

static void path_in_folder(char path[PATH_BYTES], const char *name)
{
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
}

static void import_osm(const char *osm, const char *profile, char path[PATH_BYTES])
{
    path_in_folder(path, "map.mcd");
    const macadam_import_options options = {.size = sizeof options, .output = path};
    expect_ok(macadam_import_osm(osm, profile, &options, &error));
}

/* Opens a file on the device that MACADAM_TEST_DEVICE names. */
static macadam_engine *open_file(const char *path)
{
    const char *const device = getenv("MACADAM_TEST_DEVICE");
    const macadam_engine_options options = {
        .size = sizeof options, .device = device ? device : "cpu", .threads = 2};
    macadam_engine *engine;
    expect_ok(macadam_engine_open(&engine, path, &options, &error));
    return engine;
}

static macadam_engine *open_town(const char *profile)
{
    char osm[PATH_BYTES], path[PATH_BYTES];
    path_in_folder(osm, "town.osm");
    write_town(osm);
    import_osm(osm, profile, path);
    return open_file(path);
}

static void set_up(void)
{
    files_new_folder(folder);
}

static void tear_down(void)
{
    files_remove_folder(folder);
}

TestSuite(prices, .init = set_up, .fini = tear_down);

/* ---- answers ---- */

static const macadam_class_factor factor[] = {{"primary", 2.5}, {"track", 0}};

static const macadam_conditions *conditions_number(size_t i)
{
    static macadam_conditions set[CONDITIONS];
    set[1] = (macadam_conditions)MACADAM_CONDITIONS_INIT;
    set[1].slot = "Sa11:00";
    set[2] = (macadam_conditions)MACADAM_CONDITIONS_INIT;
    set[2].factor = factor, set[2].factor_count = 2;
    return i == 0 ? NULL : &set[i];
}

static macadam_info info_of(const macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    expect_ok(macadam_engine_info(&info, engine, &error));
    return info;
}

/* All that an engine answers, as numbers. */
typedef struct answers {
    uint32_t *value;
    size_t count;
} answers;

static void ask_matrix(const macadam_engine *engine, const macadam_query *query, const macadam_place *place,
                       uint32_t *value)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = place, request.source_count = PLACES;
    request.target = place, request.target_count = PLACES;
    expect_ok(macadam_matrix_find_into((uint32_t *[]){value, value + PLACES * PLACES}, NULL,
                                       (macadam_engine *)engine, query, &request, &error));
}

static answers ask(macadam_engine *engine)
{
    const macadam_info info = info_of(engine);
    const int64_t *const id = macadam_engine_ids(engine, &error);
    test_rng rng = {3};
    macadam_place place[PLACES];
    for (size_t i = 0; i < PLACES; ++i)
        place[i] =
            (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id[rng_below(&rng, (uint32_t)info.id_count)]};
    const size_t cells = QUANTITIES * PLACES * PLACES;
    answers out = {checked_zeroed(info.metric_count * CONDITIONS * cells, sizeof *out.value), 0};
    for (size_t metric = 0; metric < info.metric_count; ++metric)
        for (size_t i = 0; i < CONDITIONS; ++i, out.count += cells) {
            macadam_query query = MACADAM_QUERY_INIT;
            const char *const quantity[] = {info.metric[metric], info.companion[metric]};
            query.metric = info.metric[metric];
            query.quantity = quantity;
            query.quantity_count = quantity[1] ? 2 : 1;
            query.conditions = conditions_number(i);
            ask_matrix(engine, &query, place, out.value + out.count);
        }
    return out;
}

static size_t differences(const answers *a, const answers *b)
{
    size_t count = 0;
    cr_assert_eq(a->count, b->count);
    for (size_t i = 0; i < a->count; ++i) count += a->value[i] != b->value[i];
    return count;
}

static void expect_answers(macadam_engine *engine, const answers *right, const char *what)
{
    answers now = ask(engine);
    cr_assert_eq(differences(&now, right), 0, "%s: %zu of %zu answers differ", what, differences(&now, right),
                 now.count);
    free(now.value);
}

/* ---- arcs ---- */

typedef struct arc_list {
    uint64_t *arc;
    uint32_t *value[4];
    size_t count, capacity, quantity_count;
} arc_list;

static bool take_arc(void *context, const macadam_arc *arc)
{
    arc_list *const list = context;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 64;
        list->arc = checked_reallocate(list->arc, list->capacity, sizeof *list->arc);
        for (size_t q = 0; q < list->quantity_count; ++q)
            list->value[q] = checked_reallocate(list->value[q], list->capacity, sizeof *list->value[q]);
    }
    list->arc[list->count] = arc->arc;
    for (size_t q = 0; q < list->quantity_count; ++q) list->value[q][list->count] = arc->value[q];
    ++list->count;
    return true;
}

static arc_list list_arcs(macadam_engine *engine)
{
    arc_list list = {.quantity_count = info_of(engine).quantity_count};
    expect_ok(macadam_arcs_list(engine, take_arc, &list, &error));
    return list;
}

/* Keeps every n-th arc. */
static void thin(arc_list *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = n / 2; i < list->count; i += n, ++kept) {
        list->arc[kept] = list->arc[i];
        for (size_t q = 0; q < list->quantity_count; ++q) list->value[q][kept] = list->value[q][i];
    }
    list->count = kept;
}

static void free_arcs(arc_list *list)
{
    free(list->arc);
    for (size_t q = 0; q < list->quantity_count; ++q) free(list->value[q]);
}

static void write_back(macadam_engine *engine, const arc_list *list)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = list->arc;
    request.count = list->count;
    request.quantity = info_of(engine).quantity;
    request.quantity_count = list->quantity_count;
    request.value = (const uint32_t *const *)list->value;
    expect_ok(macadam_update(engine, &request, &error));
}

static void write_all(macadam_engine *engine, const arc_list *list, uint32_t value)
{
    arc_list all = *list;
    for (size_t q = 0; q < list->quantity_count; ++q) {
        all.value[q] = checked_allocate(list->count, sizeof *all.value[q]);
        for (size_t i = 0; i < list->count; ++i) all.value[q][i] = value;
    }
    write_back(engine, &all);
    for (size_t q = 0; q < list->quantity_count; ++q) free(all.value[q]);
}

/* ---- files ---- */

static void expect_same_file(const char *path, const char *other)
{
    size_t bytes, other_bytes;
    FREED void *const image = files_read(path, &bytes), *const other_image = files_read(other, &other_bytes);
    cr_assert_eq(bytes, other_bytes);
    cr_assert_eq(memcmp(image, other_image, bytes), 0, "%s and %s differ", path, other);
}

static void save(macadam_engine *engine, const char *name, char path[PATH_BYTES])
{
    path_in_folder(path, name);
    expect_ok(macadam_engine_save(engine, path, &error));
}

/* ---- claims ---- */

/* Checks a route between two points of the town. Returns how many of its arcs have a price. */
static size_t check_route_arcs(macadam_engine *engine, const arc_list *list, test_rng *rng)
{
    macadam_place waypoint[2];
    for (size_t i = 0; i < 2; ++i)
        waypoint[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                      .lon = rng_below(rng, SIDE * 2000) * 1e-6,
                                      .lat = rng_below(rng, SIDE * 2000) * 1e-6};
    const char *const quantity[] = {"duration", "distance"};
    const macadam_query query = {.size = sizeof query, .quantity = quantity, .quantity_count = 2};
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    expect_ok(macadam_route_find(&route, engine, &query, &request, &error));
    size_t priced = 0;
    for (size_t i = 0; i < route->arc_count; ++i) {
        const macadam_route_arc *const arc = &route->arc[i];
        const uint64_t from = (uint64_t)(arc->from * 4294967296.0), to = (uint64_t)(arc->to * 4294967296.0);
        size_t at = 0;
        while (list->arc[at] != arc->arc) ++at;
        for (size_t q = 0; q < 2; ++q) {
            const uint64_t weight = list->value[q][at];
            cr_assert_eq((int64_t)arc->value[q] - arc->price[q],
                         (int64_t)((weight * to >> 32) - (weight * from >> 32)));
        }
        cr_assert_eq(arc->price[1], 0);
        priced += arc->price[0] != 0;
    }
    return priced;
}

Test(prices, of_a_route_are_what_its_arcs_do_not_weigh)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_town("car");
    test_rng rng = {4};
    size_t priced = 0;
    arc_list list = list_arcs(engine);
    for (int i = 0; i < 300; ++i) priced += check_route_arcs(engine, &list, &rng);
    cr_assert_gt(priced, 0);
    thin(&list, 3);
    write_all(engine, &list, 90000);
    free_arcs(&list);
    list = list_arcs(engine);
    for (int i = 0; i < 300; ++i) check_route_arcs(engine, &list, &rng);
    free_arcs(&list);
}

/* A gate between two streets opens on Saturdays. */
static macadam_engine *open_gate(void)
{
    char osm[PATH_BYTES], path[PATH_BYTES];
    static const char text[] =
        "<osm version=\"0.6\"><node id=\"1\" lon=\"0\" lat=\"0\"/>"
        "<node id=\"2\" lon=\"0.001\" lat=\"0\"><tag k=\"barrier\" v=\"gate\"/>"
        "<tag k=\"access\" v=\"no\"/><tag k=\"access:conditional\" v=\"yes @ (Sa 10:00-12:00)\"/></node>"
        "<node id=\"3\" lon=\"0.002\" lat=\"0\"/>"
        "<way id=\"1\"><nd ref=\"1\"/><nd ref=\"2\"/><tag k=\"highway\" v=\"residential\"/></way>"
        "<way id=\"2\"><nd ref=\"2\"/><nd ref=\"3\"/><tag k=\"highway\" v=\"residential\"/></way></osm>";
    path_in_folder(osm, "gate.osm");
    files_write(osm, text, sizeof text - 1);
    import_osm(osm, "car", path);
    return open_file(path);
}

static uint32_t cost_on_saturday(macadam_engine *engine, int64_t from, int64_t to)
{
    const macadam_place source = {.kind = MACADAM_PLACE_NODE, .id = from},
                        target = {.kind = MACADAM_PLACE_NODE, .id = to};
    const macadam_query query = {.size = sizeof query, .conditions = conditions_number(1)};
    const macadam_matrix_request request = {
        .size = sizeof request, .source = &source, .source_count = 1, .target = &target, .target_count = 1};
    uint32_t value;
    expect_ok(macadam_matrix_find_into((uint32_t *[]){&value}, NULL, engine, &query, &request, &error));
    return value;
}

static void update_by_ends(macadam_engine *engine, int64_t tail, int64_t head, uint32_t value)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.tail = &tail, request.head = &head, request.count = 1;
    request.quantity = (const char *const[]){"duration"}, request.quantity_count = 1;
    request.value = (const uint32_t *const[]){&value};
    expect_ok(macadam_update(engine, &request, &error));
}

/* ---- prices of turns ---- */

/* A turn that the map has: its arcs, and the price of every copy of it, if that is one and the same. */
typedef struct map_turn {
    uint64_t from, to;
    uint32_t price; /* MACADAM_WEIGHT_CLOSED: several prices, or the turn is shut, or the price is negative */
    uint32_t after; /* the update */
} map_turn;

typedef struct turn_table {
    map_turn *turn;
    size_t count;
} turn_table;

static int compare_map_turns(const void *a, const void *b)
{
    const map_turn *const x = a, *const y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

/* Walks every arc of the raw graph and every arc that follows it. */
static turn_table list_turns(macadam_engine *engine)
{
    mcd_array *now;
    const mcd_graph *const graph = &engine->graph;
    turn_table table = {NULL, 0};
    size_t capacity = 0, kept = 0;
    expect_ok(mcd_engine_load(engine, MCD_LOAD_FACTS, &error));
    expect_ok(mcd_engine_use_quantity(engine, 0, &now, &error));
    for (uint32_t in = 0; in < graph->arc_count; ++in) {
        const uint64_t from = mcd_arc_number(&engine->facts, in);
        const mcd_node via = graph->head[in];
        for (mcd_arc out = graph->first_out[via]; out < graph->first_out[via + 1] && from != MCD_ARC_NONE;
             ++out) {
            const uint64_t to = mcd_arc_number(&engine->facts, (uint32_t)out);
            const uint32_t whole = mcd_road_original(&engine->roads, via, (uint32_t)out);
            if (to == MCD_ARC_NONE) continue;
            if (table.count == capacity)
                table.turn = checked_reallocate(table.turn, capacity = 2 * capacity + 64, sizeof *table.turn);
            const bool is_shut = now->weight[out] == MCD_UNREACHED || now->weight[out] < now->weight[whole];
            table.turn[table.count++] = (map_turn){
                from, to, is_shut ? MACADAM_WEIGHT_CLOSED : now->weight[out] - now->weight[whole], 0};
        }
    }
    mcd_array_leave(now);
    qsort(table.turn, table.count, sizeof *table.turn, compare_map_turns);
    for (size_t i = 0; i < table.count; ++i)
        if (kept == 0 || compare_map_turns(&table.turn[kept - 1], &table.turn[i]) != 0)
            table.turn[kept++] = table.turn[i];
        else if (table.turn[kept - 1].price != table.turn[i].price)
            table.turn[kept - 1].price = MACADAM_WEIGHT_CLOSED;
    table.count = kept;
    for (size_t i = 0; i < kept; ++i) table.turn[i].after = table.turn[i].price;
    return table;
}

static macadam_status set_turn(macadam_engine *engine, uint64_t from, uint64_t to, uint32_t price)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.turn_from = &from, request.turn_to = &to, request.turn_count = 1;
    request.quantity = (const char *const[]){"duration"}, request.quantity_count = 1;
    request.turn_price = (const uint32_t *const[]){&price};
    return macadam_update(engine, &request, &error);
}

static map_turn *find_turn(const turn_table *table, uint64_t from, uint64_t to)
{
    const map_turn wanted = {from, to, 0, 0};
    return bsearch(&wanted, table->turn, table->count, sizeof wanted, compare_map_turns);
}

/* Every turn of a route must have the price that the table says. Returns how many have one that an update set. */
static size_t check_turns(macadam_engine *engine, const turn_table *table, test_rng *rng)
{
    macadam_place waypoint[2];
    for (size_t i = 0; i < 2; ++i)
        waypoint[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = 1 + rng_below(rng, JUNCTIONS)};
    macadam_query query = MACADAM_QUERY_INIT;
    const macadam_route_request request = {.size = sizeof request, .waypoint = waypoint, .waypoint_count = 2};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    expect_ok(macadam_route_find(&route, engine, &query, &request, &error));
    size_t changed = 0;
    for (size_t i = 1; i + 1 < route->arc_count; ++i) { /* the last one may contain a wait on arrival */
        const map_turn *const turn = find_turn(table, route->arc[i - 1].arc, route->arc[i].arc);
        cr_assert_not_null(turn);
        if (turn->after == MACADAM_WEIGHT_CLOSED) continue;
        cr_assert_eq(route->arc[i].price[0], (int32_t)turn->after, "from %d into %d: %d instead of %u",
                     (int)turn->from, (int)turn->to, route->arc[i].price[0], turn->after);
        changed += turn->after != turn->price;
    }
    return changed;
}

static void check_set_turns(const char *profile)
{
    macadam_engine *const engine = open_town(profile);
    answers right = ask(engine);
    turn_table table = list_turns(engine);
    test_rng rng = {5};
    size_t set = 0, refused = 0, changed = 0;
    char path[PATH_BYTES], before[PATH_BYTES], after[PATH_BYTES];
    save(engine, "unpriced.mcd", before);
    const size_t step = getenv("MACADAM_TEST_DEVICE") ? 13 : 3,
                 routes = 1500 / step; /* devices are slow here */
    for (size_t i = 0; i < table.count; i += step) {
        map_turn *const turn = &table.turn[i];
        if (turn->price == MACADAM_WEIGHT_CLOSED) continue;
        const uint32_t price = rng_below(&rng, 8000);
        const macadam_status status = set_turn(engine, turn->from, turn->to, price);
        if (status == MACADAM_OK) turn->after = price, ++set;
        refused += status == MACADAM_E_UNSUPPORTED;
        cr_assert(status == MACADAM_OK || status == MACADAM_E_UNSUPPORTED, "%s", error.message);
    }
    cr_assert(set > 0 && (refused > 20) == (strcmp(profile, "foot") == 0), "%zu are set, %zu refused", set,
              refused);
    for (size_t i = 0; i < routes; ++i) changed += check_turns(engine, &table, &rng);
    cr_assert_gt(changed, 0);
    arc_list list = list_arcs(engine);
    write_all(engine, &list, 30000); /* prices stay */
    for (size_t i = 0; i < routes; ++i) check_turns(engine, &table, &rng);
    write_all(engine, &list, MACADAM_WEIGHT_IMPORTED);
    answers priced = ask(engine);
    save(engine, "priced.mcd", path);
    macadam_engine *const saved = open_file(path);
    expect_ok(macadam_engine_verify(saved, &error));
    expect_answers(saved, &priced, "saved");
    for (size_t i = 0; i < table.count; ++i)
        if (table.turn[i].after != table.turn[i].price) {
            expect_ok(set_turn(saved, table.turn[i].from, table.turn[i].to, MACADAM_WEIGHT_IMPORTED));
            expect_ok(set_turn(engine, table.turn[i].from, table.turn[i].to, MACADAM_WEIGHT_IMPORTED));
        }
    expect_answers(saved, &right, "as imported");
    expect_answers(engine, &right, "as imported");
    for (size_t i = 0; i < table.count; i += step) /* those that were set to what they were */
        (void)set_turn(engine, table.turn[i].from, table.turn[i].to, MACADAM_WEIGHT_IMPORTED);
    save(engine, "after.mcd", after);
    expect_same_file(before, after);
    macadam_engine_close(saved);
    macadam_engine_close(engine);
    free(table.turn);
    free_arcs(&list);
    free(right.value);
    free(priced.value);
}

Test(prices, of_turns_can_be_set)
{
    check_set_turns("car");
    if (!getenv("MACADAM_TEST_DEVICE")) check_set_turns("foot");
}

static void expect_turn_refused(macadam_engine *engine, uint64_t from, uint64_t to, uint32_t price,
                                macadam_status status, const char *says)
{
    cr_assert_eq(set_turn(engine, from, to, price), status, "%s", error.message);
    cr_assert_not_null(strstr(error.message, says), "%s", error.message);
}

Test(prices, of_turns_that_are_not_there_are_refused)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_town("foot");
    answers right = ask(engine);
    turn_table table = list_turns(engine);
    size_t i = 0;
    expect_turn_refused(engine, 1000000, 1, 5, MACADAM_E_NOT_FOUND, "number 1000000");
    expect_turn_refused(engine, 1, 1, 5, MACADAM_E_NOT_FOUND, "no turn leads from arc 1 into arc 1");
    expect_turn_refused(engine, 1, 2, MACADAM_WEIGHT_MAX + 1, MACADAM_E_INVALID, "turn 0 is 2147483647");
    while (set_turn(engine, table.turn[i].from, table.turn[i].to, MACADAM_WEIGHT_IMPORTED) == MACADAM_OK) ++i;
    expect_turn_refused(engine, table.turn[i].from, table.turn[i].to, 5, MACADAM_E_UNSUPPORTED, "(turn 0)");
    expect_answers(engine, &right, "refused");
    free(right.value);
    free(table.turn);
}

Test(prices, of_turns_can_be_closed_and_named_by_nodes)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_gate();
    const int64_t tail = 1, via = 2, head = 3;
    const uint32_t before = cost_on_saturday(engine, 1, 3);
    uint32_t price = 12345;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.turn_tail = &tail, request.turn_via = &via, request.turn_head = &head, request.turn_count = 1;
    request.quantity = (const char *const[]){"duration"}, request.quantity_count = 1;
    request.turn_price = (const uint32_t *const[]){&price};
    expect_ok(macadam_update(engine, &request, &error));
    cr_assert_eq(cost_on_saturday(engine, 1, 3),
                 2 * cost_on_saturday(engine, 2, 3) + 12345); /* equally long */
    price = MACADAM_WEIGHT_CLOSED;
    expect_ok(macadam_update(engine, &request, &error));
    cr_assert_eq(cost_on_saturday(engine, 1, 3), MACADAM_UNREACHED);
    price = MACADAM_WEIGHT_IMPORTED;
    expect_ok(macadam_update(engine, &request, &error));
    cr_assert_eq(cost_on_saturday(engine, 1, 3), before);
}

Test(prices, of_all_profiles_survive_an_update_of_all)
{
    char osm[PATH_BYTES], path[PATH_BYTES];
    path_in_folder(osm, "town.osm");
    path_in_folder(path, "map.mcd");
    write_town(osm);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    expect_ok(macadam_import_osm_files(&(const char *){osm}, 1, (const char *[]){"car", "bike"}, 2, &options,
                                       &error));
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_file(path);
    answers right = ask(engine);
    const int64_t way[] = {1001, 1002, 1003, 1004};
    uint32_t value[] = {5, MACADAM_WEIGHT_CLOSED, 7000, MACADAM_WEIGHT_MAX};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.way = way, request.count = 4;
    request.quantity = (const char *const[]){"duration"}, request.quantity_count = 1;
    request.value = (const uint32_t *const[]){value};
    request.all_profiles = true;
    expect_ok(macadam_update(engine, &request, &error));
    const int64_t some[] = {1001, 12345};
    size_t unknown = 0;
    request.way = some, request.count = 2, request.unknown_count = &unknown;
    error.message[0] = '\0';
    expect_ok(macadam_update(engine, &request, &error));
    cr_assert_eq(unknown, 1);
    cr_assert_str_empty(error.message); /* it has not failed, though no profile has the second way */
    request.way = way, request.count = 4, request.unknown_count = NULL;
    for (size_t i = 0; i < 4; ++i) value[i] = MACADAM_WEIGHT_IMPORTED;
    expect_ok(macadam_update(engine, &request, &error));
    expect_answers(engine, &right, "car");
    free(right.value);
}

Test(prices, of_a_turn_that_opens_at_times_add_to_the_weight_in_use)
{
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_gate();
    const uint32_t first = cost_on_saturday(engine, 1, 2), second = cost_on_saturday(engine, 2, 3),
                   both = cost_on_saturday(engine, 1, 3);
    cr_assert_lt(both, MACADAM_WEIGHT_MAX);
    update_by_ends(engine, 2, 3, second + 1000);
    cr_assert_eq(cost_on_saturday(engine, 1, 3), both + 1000);
    update_by_ends(engine, 2, 3, MACADAM_WEIGHT_CLOSED);
    cr_assert_eq(cost_on_saturday(engine, 1, 3), MACADAM_UNREACHED);
    update_by_ends(engine, 2, 3, MACADAM_WEIGHT_IMPORTED);
    cr_assert_eq(cost_on_saturday(engine, 1, 3), both);
    cr_assert_eq(cost_on_saturday(engine, 1, 2), first);
}

/* A signal between two streets; the second one is slower on Saturdays. */
Test(prices, stay_where_a_duration_changes_in_a_slot)
{
    char osm[PATH_BYTES], path[PATH_BYTES];
    static const char text[] =
        "<osm version=\"0.6\"><node id=\"1\" lon=\"0\" lat=\"0\"/>"
        "<node id=\"2\" lon=\"0.001\" lat=\"0\"><tag k=\"highway\" v=\"traffic_signals\"/></node>"
        "<node id=\"3\" lon=\"0.002\" lat=\"0\"/><node id=\"4\" lon=\"0.001\" lat=\"0.001\"/>"
        "<way id=\"1\"><nd ref=\"1\"/><nd ref=\"2\"/><nd ref=\"4\"/><tag k=\"highway\" "
        "v=\"residential\"/></way>"
        "<way id=\"2\"><nd ref=\"2\"/><nd ref=\"3\"/><tag k=\"highway\" v=\"residential\"/>"
        "<tag k=\"maxspeed\" v=\"40\"/><tag k=\"maxspeed:conditional\" v=\"10 @ (Sa)\"/></way></osm>";
    path_in_folder(osm, "signal.osm");
    files_write(osm, text, sizeof text - 1);
    import_osm(osm, "car", path);
    SCOPED(macadam_engine_close_at) macadam_engine *const engine = open_file(path);
    const uint32_t second = cost_on_saturday(engine, 2, 3), rest = cost_on_saturday(engine, 1, 3) - second;
    static const uint32_t weight[] = {1, 9000, 100000};
    for (size_t i = 0; i < sizeof weight / sizeof *weight; ++i) {
        update_by_ends(engine, 2, 3, weight[i]);
        cr_assert_neq(cost_on_saturday(engine, 2, 3), second);
        cr_assert_eq(cost_on_saturday(engine, 1, 3) - cost_on_saturday(engine, 2, 3), rest);
    }
}

/* The 65th arc needs more memory than the first 64. */
Test(prices, a_list_of_changed_arcs_that_fails_is_empty)
{
    enum { ARCS = 65 };
    mcd_weight imported[ARCS] = {0}, weight[ARCS];
    const mcd_prices prices = {.weight = imported};
    mcd_changed_arc *changed;
    size_t count;
    for (int arc = 0; arc < ARCS; ++arc) weight[arc] = 1;
    allocator_install();
    allocator_fail(2);
    cr_expect_eq(mcd_prices_changed(&changed, &count, &prices, weight, ARCS, &error), MACADAM_E_MEMORY);
    allocator_fail(0);
    cr_expect_null(changed);
    cr_expect_eq(count, 0);
    cr_expect_eq(allocator_live_count(), 0, "memory is leaked");
}
