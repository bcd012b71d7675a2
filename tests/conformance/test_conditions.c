/* test_conditions.c - queries under conditions: trees and hops are the oracle's on the arcs that the conditions leave, with
 * the weights that they give them. The map is a random town of OpenStreetMap streets. That the other questions agree with
 * trees is for tests/metamorphic, which draws conditions, too. */
#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/fixture.h"
#include "tests/support/oracle.h"
#include "tests/support/rng.h"

#include "engine/map/road.h"
#include "engine/query/places/road_shape.h"
#include "engine/runtime/load.h"
#include "engine/runtime/conditions.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 9, NODES = SIDE * SIDE, SETS = 9, SOURCES = 6 };

static char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
static macadam_engine *engine;
static macadam_error error;

/* ---- the town ---- */

enum {
    WAY_FIRST = 1000,
    WAYS_MAX = 2 * NODES,
    LOW = 5,
    WEAK = 6,
    SHUT = 7,
    TURNED = 8,
    OPENS = 9,
    HEAVY = 10,
    HIGH = 11,
    KINDS = 12
};
static unsigned tags_of_way[WAYS_MAX];

/* Streets every 100 m. Between two junctions lies a bend. */
static void write_street(FILE *file, test_rng *rng, int from, int to, int *next)
{
    static const char *const tags[] = {
        "",
        "<tag k=\"toll\" v=\"yes\"/>",
        "<tag k=\"tunnel\" v=\"yes\"/>",
        "<tag k=\"surface\" v=\"gravel\"/>",
        "<tag k=\"oneway\" v=\"yes\"/>",
        [LOW] = "<tag k=\"maxheight\" v=\"3,5 m;4\"/><tag k=\"maxheight:physical\" v=\"370 cm\"/>",
        [WEAK] =
            "<tag k=\"maxgcweight:vehicle:forward\" v=\"16,000 lb\"/><tag k=\"maxbogieweight\" v=\"8\"/>",
        [SHUT] = "<tag k=\"motor_vehicle:conditional\" v=\"no @ (Sa 10:00-18:00)\"/>",
        [TURNED] = "<tag k=\"oneway:conditional\" v=\"yes @ (Sa 12:00-14:00)\"/>",
        [OPENS] =
            "<tag k=\"motorcar\" v=\"no\"/><tag k=\"motorcar:conditional\" v=\"yes @ (Sa 10:00-12:00)\"/>",
        [HEAVY] = "<tag k=\"motorcar:conditional\" v=\"no @ (weight>7.27)\"/>",
        [HIGH] = "<tag k=\"motorcar:conditional\" v=\"no @ (height>3.55 AND Sa)\"/>",
    };
    static const char *const classes[] = {"residential", "primary", "track", "secondary"};
    const int bend = (*next)++;
    const unsigned own = tags_of_way[bend - WAY_FIRST] = rng_below(rng, KINDS);
    const double lon = (from % SIDE + to % SIDE) / 2.0 + 0.2, lat = (from / SIDE + to / SIDE) / 2.0 - 0.1;
    fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", bend, lon * 0.001, lat * 0.001);
    fprintf(file,
            "<way id=\"%d\"><nd ref=\"%d\"/><nd ref=\"%d\"/><nd ref=\"%d\"/><tag k=\"highway\" "
            "v=\"%s\"/>%s%s</way>\n",
            bend, from + 1, bend, to + 1, classes[rng_below(rng, 4)], tags[own],
            "<tag k=\"motor_vehicle\" v=\"yes\"/>");
}

static void write_town(const char *name)
{
    test_rng rng = {1};
    int next = WAY_FIRST;
    FILE *const file = fopen(name, "w");
    cr_assert(file);
    fprintf(file, "<osm version=\"0.6\">\n");
    for (int i = 0; i < NODES; ++i)
        fprintf(file, "<node id=\"%d\" lon=\"%.7f\" lat=\"%.7f\"/>\n", i + 1, i % SIDE * 0.001,
                i / SIDE * 0.001);
    for (int i = 0; i < NODES; ++i) {
        if (i % SIDE + 1 < SIDE) write_street(file, &rng, i, i + 1, &next);
        if (i + SIDE < NODES) write_street(file, &rng, i, i + SIDE, &next);
    }
    fprintf(file, "</osm>\n");
    fclose(file);
}

static void import(void)
{
    char osm[FILES_PATH_BYTES + 16];
    files_new_path(folder, osm, "town.osm");
    snprintf(path, sizeof path, "%s/town.mcd", folder);
    write_town(osm);
    const macadam_import_options options = {.size = sizeof options, .output = path};
    FIXTURE_CALL(macadam_import_osm, osm, "car", &options);
}

static void set_up(void)
{
    import();
    engine = fixture_open_file(path, 2);
    FIXTURE_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
}

static void tear_down(void)
{
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

TestSuite(conditions, .init = set_up, .fini = tear_down);

/* ---- the sets ---- */

static const double corner_lon[] = {0.0015, 0.0065, 0.0066, 0.0014, 0.0027, 0.0054, 0.0053, 0.0028};
static const double corner_lat[] = {0.0015, 0.0014, 0.0064, 0.0066, 0.0027, 0.0026, 0.0053, 0.0054};
static const size_t ring_size[] = {4, 4}; /* the second one is a hole */
static const macadam_area ring = {
    .lon = corner_lon, .lat = corner_lat, .point_count = 8, .ring_size = ring_size, .ring_count = 2};
static const macadam_area square = {.lon = corner_lon + 4, .lat = corner_lat + 4, .point_count = 4};
static const macadam_class_factor factor[] = {{"track", 3.25}, {"primary", 0.5}, {"secondary", 0}};

static macadam_conditions set_number(size_t i)
{
    const macadam_conditions set[SETS] = {
        {.size = sizeof set[0], .avoid = MACADAM_ROAD_TOLL},
        {.size = sizeof set[0],
         .avoid = MACADAM_ROAD_TUNNEL | MACADAM_ROAD_UNPAVED,
         .factor = factor,
         .factor_count = 1},
        {.size = sizeof set[0], .area = &ring, .area_count = 1},
        {.size = sizeof set[0], .area = &square, .area_count = 1, .factor = factor, .factor_count = 2},
        {.size = sizeof set[0], .factor = factor, .factor_count = 3},
        {.size = sizeof set[0], .height_m = 3.51, .weight_t = 7.25, .axle_load_t = 8.01},
        {.size = sizeof set[0], .height_m = 3.5, .weight_t = 7.3, .avoid = MACADAM_ROAD_TOLL},
        {.size = sizeof set[0], .slot = "Sa13:00", .height_m = 3.6},
        {.size = sizeof set[0], .slot = "Sa11:07", .factor = factor, .factor_count = 1},
    };
    return set[i];
}

/* ---- the oracle's view of them ---- */

/* Even and odd, in floating point: no corner of the town lies on a side. */
static bool contains(const macadam_area *area, double lon, double lat)
{
    bool within = false;
    const size_t count = area->ring_size ? 2 : 1;
    for (size_t r = 0; r < count; ++r)
        for (size_t i = 0; i < 4; ++i) {
            const double *const x = area->lon + 4 * r, *const y = area->lat + 4 * r;
            const size_t j = (i + 1) % 4;
            if ((y[i] > lat) != (y[j] > lat) && lon < (x[j] - x[i]) * (lat - y[i]) / (y[j] - y[i]) + x[i])
                within = !within;
        }
    return within;
}

/* Whether some of many points of the arc lies within the area. */
static bool enters(const macadam_area *area, mcd_node tail, uint32_t arc)
{
    enum { SAMPLES = 2000 };
    const size_t count = mcd_road_point_count(&engine->roads, arc);
    for (size_t i = 0; i + 1 < count; ++i) {
        const mcd_point from = mcd_road_point(&engine->roads, tail, arc, i),
                        to = mcd_road_point(&engine->roads, tail, arc, i + 1);
        for (int s = 0; s <= SAMPLES; ++s) {
            const double share = (double)s / SAMPLES;
            if (contains(area, (from.lon_e7 + share * (to.lon_e7 - from.lon_e7)) / 1e7,
                         (from.lat_e7 + share * (to.lat_e7 - from.lat_e7)) / 1e7))
                return true;
        }
    }
    return false;
}

/* The weight, when it is open, of a road that opens only at times; drawn maps test this number. */
static uint32_t opened(uint32_t arc, size_t quantity)
{
    const mcd_arc_facts *const facts = &engine->facts;
    for (size_t i = 0; i < facts->shut_arc_count; ++i)
        if (facts->shut_arc[i * facts->shut_words] == arc)
            return facts->shut_arc[i * facts->shut_words + MCD_SHUT_WORDS + quantity];
    cr_assert_fail("arc %u never opens", arc);
    return 0;
}

static bool is_opened(const macadam_conditions *set, uint32_t arc)
{
    return mcd_arc_number(&engine->facts, arc) != MCD_ARC_NONE &&
           tags_of_way[mcd_arc_way(&engine->facts, arc) - WAY_FIRST] == OPENS && set->slot &&
           strcmp(set->slot, "Sa11:07") == 0;
}

static bool is_saturday(const macadam_conditions *set)
{
    return set->slot && strncmp(set->slot, "Sa", 2) == 0;
}

static uint32_t weigh(const macadam_conditions *set, mcd_node tail, uint32_t arc, uint32_t weight)
{
    if (mcd_arc_number(&engine->facts, (uint32_t)arc) == MCD_ARC_NONE) return weight;
    const macadam_road_facts *const facts =
        mcd_engine_road_facts(engine, mcd_arc_kind(&engine->facts, (uint32_t)arc));
    double times = 1;
    if (facts->flags & set->avoid) return ORACLE_COST_END;
    /* 16000 pounds are 7.257 t, which count as 7.26 t */
    const unsigned tags = tags_of_way[mcd_arc_way(&engine->facts, arc) - WAY_FIRST];
    if (tags == LOW && set->height_m > 3.5) return ORACLE_COST_END;
    if (tags == WEAK && set->axle_load_t > 8) return ORACLE_COST_END;
    if (tags == WEAK && set->weight_t > 7.26 && !mcd_arc_is_against(&engine->facts, arc))
        return ORACLE_COST_END;
    if (tags == SHUT && is_saturday(set)) return ORACLE_COST_END;
    if (tags == HEAVY && set->weight_t > 7.27) return ORACLE_COST_END;
    if (tags == HIGH && set->height_m > 3.55 && is_saturday(set)) return ORACLE_COST_END;
    if (tags == TURNED && set->slot && set->slot[3] == '3' && mcd_arc_is_against(&engine->facts, arc))
        return ORACLE_COST_END;
    for (size_t a = 0; a < set->area_count; ++a)
        if (enters(&set->area[a], tail, arc)) return ORACLE_COST_END;
    for (size_t i = 0; i < set->factor_count; ++i)
        if (strcmp(facts->road_class, set->factor[i].road_class) == 0) times = set->factor[i].factor;
    return times == 0 ? ORACLE_COST_END : (uint32_t)floor(weight * times + 0.5);
}

typedef struct left_arcs {
    uint32_t *tail, *head, *weight[2];
    oracle_arcs arcs;
} left_arcs;

static left_arcs arcs_left(const macadam_conditions *set)
{
    const mcd_graph *const graph = &engine->graph;
    left_arcs out = {checked_zeroed(graph->arc_count, sizeof *out.tail),
                     checked_zeroed(graph->arc_count, sizeof *out.head),
                     {checked_zeroed(graph->arc_count, sizeof *out.tail),
                      checked_zeroed(graph->arc_count, sizeof *out.tail)},
                     {0}};
    for (size_t q = 0; q < 2; ++q) {
        mcd_array *quantity;
        FIXTURE_CALL(mcd_engine_use_quantity, engine, q, &quantity);
        for (mcd_node v = 0; v < graph->node_count; ++v)
            for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
                out.tail[arc] = v;
                out.head[arc] = graph->head[arc];
                const uint32_t weight =
                    is_opened(set, (uint32_t)arc) ? opened((uint32_t)arc, q) : quantity->weight[arc];
                out.weight[q][arc] = q ? weight : weigh(set, v, (uint32_t)arc, weight);
                if (weight == MCD_UNREACHED) out.weight[0][arc] = ORACLE_COST_END;
            }
        mcd_array_leave(quantity);
    }
    out.arcs =
        (oracle_arcs){graph->node_count, graph->arc_count, out.tail, out.head, out.weight[0], out.weight[1]};
    return out;
}

static void free_left(left_arcs *left)
{
    free(left->tail);
    free(left->head);
    free(left->weight[0]);
    free(left->weight[1]);
}

/* value[q][source * node_count + node] by the oracle, from where source id number 13 * s departs. */
static void expected(const macadam_conditions *set, uint32_t *value[2])
{
    left_arcs left = arcs_left(set);
    test_oracle *const oracle = oracle_new(&left.arcs, false);
    for (size_t s = 0; s < SOURCES; ++s)
        oracle_tree(oracle, engine->places.depart[13 * s], 0, value[0] + s * left.arcs.node_count,
                    value[1] + s * left.arcs.node_count);
    oracle_free(oracle);
    free_left(&left);
}

/* ---- queries ---- */

static const char *const both[] = {"duration", "distance"};

static macadam_query query_of(const macadam_conditions *set)
{
    const macadam_query query = {
        .size = sizeof query, .quantity = both, .quantity_count = 2, .conditions = set};
    return query;
}

static macadam_place place_number(size_t id)
{
    return (macadam_place){.kind = MACADAM_PLACE_NODE, .id = engine->places.id[id]};
}

static void check_trees(const macadam_query *query, uint32_t *const right[2])
{
    static const char *const method[] = {"sweep", "near-far", "bellman-ford", "dijkstra"};
    const size_t cells = SOURCES * engine->places.node_count;
    macadam_place source[SOURCES];
    uint32_t *const value[2] = {checked_zeroed(cells, 4), checked_zeroed(cells, 4)};
    for (size_t s = 0; s < SOURCES; ++s) source[s] = place_number(13 * s);
    macadam_tree_request request = MACADAM_TREE_REQUEST_INIT;
    request.source = source, request.source_count = SOURCES, request.order = MACADAM_ORDER_NODES;
    for (size_t m = 0; m < sizeof method / sizeof *method; ++m) {
        request.method = method[m];
        FIXTURE_CALL(macadam_tree_find, value, NULL, engine, query, &request);
        for (size_t i = 0; i < 2 * cells; ++i)
            cr_assert_eq(value[i / cells][i % cells], right[i / cells][i % cells],
                         "method %s, cell %zu: %u instead of %u", method[m], i, value[i / cells][i % cells],
                         right[i / cells][i % cells]);
    }
    free(value[0]);
    free(value[1]);
}

Test(conditions, trees_are_those_of_the_arcs_left)
{
    for (size_t i = 0; i < SETS; ++i) {
        const macadam_conditions set = set_number(i);
        const macadam_query query = query_of(&set);
        const size_t cells = SOURCES * engine->places.node_count;
        uint32_t *const right[2] = {checked_zeroed(cells, 4), checked_zeroed(cells, 4)};
        expected(&set, (uint32_t **)right);
        check_trees(&query, right);
        free(right[0]);
        free(right[1]);
    }
}

Test(conditions, hops_are_those_of_the_arcs_left)
{
    const macadam_conditions idle = {.size = sizeof idle, .slot = "Su11:00"}; /* changes no weight */
    const mcd_place_index *const places = &engine->places;
    uint32_t *const hops = checked_zeroed(places->id_count, 4), *const right =
                                                                    checked_zeroed(places->node_count, 4);
    for (size_t i = 0; i <= SETS; ++i) {
        const macadam_conditions set = i < SETS ? set_number(i) : idle;
        const macadam_query query = query_of(&set);
        left_arcs left = arcs_left(&set);
        for (size_t arc = 0; arc < engine->graph.arc_count; ++arc)
            if (left.weight[0][arc] != ORACLE_COST_END)
                left.weight[0][arc] = mcd_arc_is_road(engine, (uint32_t)arc);
        test_oracle *const oracle = oracle_new(&left.arcs, false);
        for (size_t s = 0; s < SOURCES; ++s) {
            const macadam_place source = place_number(13 * s);
            const macadam_hops_request request = {
                .size = sizeof request, .source = &source, .source_count = 1};
            FIXTURE_CALL(macadam_hops_find, hops, NULL, NULL, engine, &query, &request);
            oracle_tree(oracle, places->depart[13 * s], 0, right, NULL);
            for (size_t id = 0; id < places->id_count; ++id)
                cr_assert_eq(hops[id], right[places->arrive[id]], "set %zu, source %zu, id %zu: %u, not %u",
                             i, s, id, hops[id], right[places->arrive[id]]);
        }
        oracle_free(oracle);
        free_left(&left);
    }
    free(hops);
    free(right);
}

Test(conditions, points_keep_off_roads_that_may_not_be_used)
{
    const macadam_conditions set = {.size = sizeof set, .avoid = MACADAM_ROAD_TOLL};
    const macadam_query query = query_of(&set);
    size_t moved = 0;
    for (int i = 0; i < 200; ++i) {
        const macadam_place place = {
            .kind = MACADAM_PLACE_POINT, .lon = i % 20 * 0.0004, .lat = i / 20 * 0.0008};
        macadam_snap free_snap, snap;
        FIXTURE_CALL(macadam_snap_find, &free_snap, engine, NULL, &place, 1);
        FIXTURE_CALL(macadam_snap_find, &snap, engine, &query, &place, 1);
        moved += snap.arc != free_snap.arc;
        cr_assert_geq(snap.distance_m, free_snap.distance_m);
        size_t arc = 0;
        while (mcd_arc_number(&engine->facts, (uint32_t)arc) != snap.arc) ++arc;
        cr_assert(!(mcd_engine_road_facts(engine, mcd_arc_kind(&engine->facts, (uint32_t)arc))->flags &
                    MACADAM_ROAD_TOLL));
    }
    cr_assert_gt(moved, 10);
}

/* ---- what is kept ---- */

static size_t kept_count(const macadam_engine *of)
{
    size_t count = 0;
    for (const mcd_version *version = of->conditioned; version; version = version->next) ++count;
    return count;
}

Test(conditions, equal_sets_are_made_once)
{
    for (size_t again = 0; again < 2; ++again)
        for (size_t i = 0; i < SETS; ++i) {
            const macadam_conditions set = set_number(i);
            const macadam_query query = query_of(&set);
            FIXTURE_CALL(macadam_conditions_warm, engine, &query);
            cr_assert_eq(kept_count(engine), again ? SETS : i + 1);
        }
    macadam_conditions none = MACADAM_CONDITIONS_INIT;
    const macadam_query query = query_of(&none);
    FIXTURE_CALL(macadam_conditions_warm, engine, &query);
    cr_assert_eq(kept_count(engine), SETS, "a set that changes nothing");
    FIXTURE_CALL(macadam_engine_trim, engine);
    cr_assert_eq(kept_count(engine), 0);
}

Test(conditions, the_set_used_last_stays_within_the_memory_limit)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    SCOPED(macadam_engine_close_at) macadam_engine *small = NULL;
    options.device = "cpu";
    options.memory_limit = 4 * 3 * (4 * engine->metadata->arc_count + 64 * engine->metadata->up_arc_count);
    FIXTURE_CALL(macadam_engine_open, &small, path, &options);
    for (size_t i = 0; i < SETS; ++i) {
        const macadam_conditions set = set_number(i);
        const macadam_query query = query_of(&set);
        FIXTURE_CALL(macadam_conditions_warm, small, &query);
        cr_assert_eq(kept_count(small), i < 3 ? i + 1 : 3);
    }
}

Test(conditions, an_update_changes_costs_under_conditions)
{
    static const char *const name[] = {"duration"};
    const macadam_conditions set = set_number(0);
    const macadam_query query = query_of(&set);
    const size_t cells = SOURCES * engine->places.node_count;
    uint32_t *const right[2] = {checked_zeroed(cells, 4), checked_zeroed(cells, 4)};
    FIXTURE_CALL(macadam_conditions_warm, engine, &query);
    FREED uint64_t *const arc = checked_zeroed(engine->graph.arc_count, sizeof *arc);
    FREED uint32_t *const weight = checked_zeroed(engine->graph.arc_count, sizeof *weight);
    size_t count = 0;
    for (size_t i = 0; i < engine->graph.arc_count; i += 3)
        if (mcd_arc_number(&engine->facts, (uint32_t)i) != MCD_ARC_NONE) {
            arc[count] = mcd_arc_number(&engine->facts, (uint32_t)i);
            weight[count++] = (uint32_t)(1000 + i);
        }
    const uint32_t *const value[] = {weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = arc, request.count = count, request.quantity = name, request.quantity_count = 1;
    request.value = value;
    FIXTURE_CALL(macadam_update, engine, &request);
    expected(&set, (uint32_t **)right);
    check_trees(&query, right);
    free(right[0]);
    free(right[1]);
}

Test(conditions, slots_in_which_the_same_tags_hold_are_one_set)
{
    static const char *const slot[] = {"Sa13:00", "Sa12:00", "Sa13:59", "Sa11:00",
                                       "Sa17:45", "Su11:00", "Mo00:00"};
    static const size_t kept[] = {1, 1, 1, 2, 3, 3, 3}; /* nothing holds on Sundays */
    for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i) {
        const macadam_conditions set = {.size = sizeof set, .slot = slot[i]};
        const macadam_query query = query_of(&set);
        FIXTURE_CALL(macadam_conditions_warm, engine, &query);
        cr_expect_eq(kept_count(engine), kept[i], "%s", slot[i]);
    }
}

Test(conditions, a_saved_map_keeps_slots)
{
    char copy[FILES_PATH_BYTES + 16];
    const macadam_conditions set = set_number(7);
    const macadam_query query = query_of(&set);
    const size_t cells = SOURCES * engine->places.node_count;
    uint32_t *const right[2] = {checked_zeroed(cells, 4), checked_zeroed(cells, 4)};
    snprintf(copy, sizeof copy, "%s/copy.mcd", folder);
    expected(&set, (uint32_t **)right);
    FIXTURE_CALL(macadam_engine_save_ready, engine, copy);
    macadam_engine_close(engine);
    engine = fixture_open_file(copy, 2);
    FIXTURE_CALL(macadam_engine_verify, engine);
    FIXTURE_CALL(mcd_engine_load, engine, MCD_LOAD_FACTS);
    check_trees(&query, right);
    free(right[0]);
    free(right[1]);
}

/* ---- requests ---- */

static macadam_status warm(macadam_conditions set)
{
    const macadam_query query = query_of(&set);
    return macadam_conditions_warm(engine, &query, &error);
}

Test(conditions, bad_sets_are_refused)
{
    static const double wrong_lat[] = {0, 91, 0};
    const macadam_area two = {.lon = corner_lon, .lat = corner_lat, .point_count = 2},
                       nowhere = {.lon = corner_lon, .lat = wrong_lat, .point_count = 3},
                       longer = {.lon = corner_lon,
                                 .lat = corner_lat,
                                 .point_count = 7,
                                 .ring_size = ring_size,
                                 .ring_count = 2};
    const macadam_class_factor negative = {"track", -1}, tiny = {"track", 0.0004}, nameless = {NULL, 1},
                               no_number = {"track", NAN}, unknown = {"nonsense", 0};
    macadam_conditions set[] = {
        {.avoid = 1u << 31},
        {.area = &two, .area_count = 1},
        {.area = &nowhere, .area_count = 1},
        {.area = &longer, .area_count = 1},
        {.area_count = 1},
        {.factor = &negative, .factor_count = 1},
        {.factor = &tiny, .factor_count = 1},
        {.factor = &nameless, .factor_count = 1},
        {.factor = &no_number, .factor_count = 1},
        {.factor = &unknown, .factor_count = 1},
        {.factor_count = 1},
        {.slot = "Mo8:15"},
        {.slot = "Mi08:15"},
        {.slot = "Mo24:00"},
        {.slot = "Mo23:60"},
        {.slot = "Mo08:15:00"},
        {.slot = ""},
    };
    for (size_t i = 0; i < sizeof set / sizeof *set; ++i) {
        set[i].size = sizeof set[i];
        cr_expect_eq(warm(set[i]), MACADAM_E_INVALID, "set %zu", i);
    }
    cr_expect_eq(kept_count(engine), 0);
}

Test(conditions, a_map_without_facts_of_roads_has_none_to_avoid)
{
    const test_graph graph = graphs_make_named("grid");
    fixture_engine fixture;
    fixture_open(&fixture, &graph, 1);
    for (size_t i = 0; i < SETS; ++i) {
        const macadam_conditions set = set_number(i);
        const macadam_query query = {.size = sizeof query, .conditions = &set};
        cr_assert_eq(macadam_conditions_warm(fixture.engine, &query, &error), MACADAM_E_UNSUPPORTED);
    }
    fixture_close(&fixture);
    test_graph_free((test_graph *)&graph);
}
