/* snapped_map.c - see snapped_map.h. */
#include "tests/support/snapped_map.h"

#include "tests/support/checked.h"
#include "tests/support/files.h"
#include "tests/support/osm_map.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PLACES = SNAPPED_PLACES, QUANTITIES = SNAPPED_QUANTITIES };

static macadam_error error;

static uint32_t share(uint32_t weight, uint64_t before)
{
    return (uint32_t)((uint64_t)weight * before >> 32);
}

/* The arc of this number that leaves where ids depart. */
static size_t original(const snapped_map *s, uint64_t number)
{
    for (size_t arc = 0; arc < s->arc_count; ++arc) {
        if (s->number[arc] != number) continue;
        for (size_t i = 0; i < s->engine->places.id_count; ++i)
            if (s->depart[i] == s->tail[arc]) return arc;
    }
    cr_assert(false, "%s: no arc %llu departs", s->name, (unsigned long long)number);
    return 0;
}

macadam_query snapped_query(const fixture_asked *asked, const char *names[2])
{
    return fixture_query(asked, names);
}

/* Points whose nearest roads are cut off are replaced by ids: where these points are depends on the pair. */
static void locate(snapped_map *s)
{
    macadam_snap snap[PLACES];
    uint32_t cut_off[PLACES];
    FIXTURE_CALL(macadam_snap_find, snap, s->engine, NULL, s->place, PLACES);
    const mcd_locator locator = {
        .places = &s->engine->places, .roads = &s->engine->roads, .snap = &s->engine->snap};
    mcd_locate(&locator, &s->engine->parallel,
               &(mcd_locate_list){s->place, PLACES, s->position, {.cut_off = cut_off}}, 1, NULL);
    for (size_t p = 0; p < PLACES; ++p)
        if (cut_off[p] != MCD_ROAD_NONE) s->place[p] = (macadam_place){.id = snap[p].id};
    mcd_locate(&locator, &s->engine->parallel, &(mcd_locate_list){s->place, PLACES, s->position, {0}}, 1,
               NULL);
    for (size_t p = 0; p < PLACES; ++p)
        for (int i = 0; i < 2; ++i) {
            const uint32_t arc = s->position[p].arc[i];
            s->arc_number[p][i] = arc == MCD_ROAD_NONE ? 0 : mcd_arc_number(&s->engine->facts, arc);
        }
}

/* Adds an arc with places as a graph has it, and as a hop or none. */
static void add(snapped_map *s, uint32_t tail, uint32_t head, uint32_t objective, uint32_t companion,
                bool hop)
{
    test_graph_add(&s->graph, tail, head, objective, companion);
    test_graph_add(&s->hops, tail, head, hop, 0);
}

static void add_ends(snapped_map *s, size_t p, int i)
{
    const size_t from = original(s, s->arc_number[p][i]);
    const uint64_t before = s->position[p].before[i];
    uint32_t rest[QUANTITIES];
    for (size_t q = 0; q < QUANTITIES; ++q) rest[q] = s->weight[q][from] - share(s->weight[q][from], before);
    add(s, snapped_departure(s, p), s->head[from], rest[0], rest[1], true);
    for (size_t arc = 0; arc < s->arc_count; ++arc) {
        if (s->number[arc] != s->arc_number[p][i]) continue;
        uint32_t part[QUANTITIES];
        for (size_t q = 0; q < QUANTITIES; ++q)
            part[q] = share(s->weight[q][from], before) + (s->weight[q][arc] - s->weight[q][from]);
        add(s, s->tail[arc], snapped_arrival(s, p), part[0], part[1], true);
    }
}

static void add_between(snapped_map *s, size_t p, size_t t, int i)
{
    if (!s->arc_number[p][i] || s->arc_number[p][i] != s->arc_number[t][i]) return;
    const uint64_t from = s->position[p].before[i], to = s->position[t].before[i];
    if (from > to) return;
    const size_t arc = original(s, s->arc_number[p][i]);
    add(s, snapped_departure(s, p), snapped_arrival(s, t),
        share(s->weight[0][arc], to) - share(s->weight[0][arc], from),
        share(s->weight[1][arc], to) - share(s->weight[1][arc], from), true);
}

static void insert_places(snapped_map *s)
{
    s->graph = (test_graph){.name = s->name};
    s->hops = s->graph;
    s->graph.node_count = s->hops.node_count = s->node_count + 2 * PLACES;
    for (size_t arc = 0; arc < s->arc_count; ++arc)
        add(s, s->tail[arc], s->head[arc], s->weight[0][arc], s->weight[1][arc],
            s->number[arc] != MCD_ARC_NONE);
    for (size_t p = 0; p < PLACES; ++p) {
        const mcd_position *position = &s->position[p];
        if (position->id != MCD_PLACE_NONE) {
            add(s, snapped_departure(s, p), s->depart[position->id], 0, 0, false);
            add(s, s->arrive[position->id], snapped_arrival(s, p), 0, 0, false);
        }
        for (int i = 0; i < 2; ++i) {
            if (s->arc_number[p][i]) add_ends(s, p, i);
            for (size_t t = 0; t < PLACES; ++t) add_between(s, p, t, i);
        }
    }
}

/* ---- the oracle ---- */

snapped_costs snapped_ask_oracle(const test_graph *graph, size_t metric, bool reverse, bool joint,
                                 uint32_t node)
{
    const oracle_arcs arcs = test_graph_arcs(graph, metric);
    SCOPED(oracle_free_at) test_oracle *oracle = oracle_new(&arcs, reverse);
    snapped_costs answer = {{NULL}};
    for (size_t q = 0; q < (joint ? 2 : 1); ++q)
        answer.cost[q] = checked_allocate(graph->node_count, sizeof **answer.cost);
    oracle_tree(oracle, node, 0, answer.cost[0], answer.cost[1]);
    return answer;
}

void snapped_costs_free(snapped_costs *answer)
{
    for (size_t q = 0; q < QUANTITIES; ++q) free(answer->cost[q]);
}

/* ---- maps ---- */

static void run_claim(snapped_map *s, snapped_claim claim)
{
    locate(s);
    insert_places(s);
    claim(s);
    test_graph_free(&s->graph);
    test_graph_free(&s->hops);
}

/* ---- maps of straight roads ---- */

/* Places: many on few roads, some at junctions, ids among them. */
static void draw_places(snapped_map *s, test_rng *rng, const int32_t *lon_e7, const int32_t *lat_e7)
{
    for (size_t p = 0; p < PLACES; ++p) {
        const size_t arc = rng_below(rng, (uint32_t)(p % 3 ? s->arc_count : mcd_size_min(s->arc_count, 7)));
        const uint32_t a = s->tail[arc], b = s->head[arc], along = p % 10 == 9 ? 0 : rng_below(rng, 1000);
        const double lon_there = lon_e7[a] + (lon_e7[b] - lon_e7[a]) * (along / 1000.0),
                     lat_there = lat_e7[a] + (lat_e7[b] - lat_e7[a]) * (along / 1000.0);
        s->place[p] =
            (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon_there * 1e-7, .lat = lat_there * 1e-7};
        if (p % 10 == 8) s->place[p] = fixture_place(a);
    }
}

static void claim_of_graph(const test_graph *graph, snapped_claim claim)
{
    test_rng rng = {graph->node_count};
    FREED int32_t *lon_e7 = checked_allocate(graph->node_count, sizeof *lon_e7),
                  *lat_e7 = checked_allocate(graph->node_count, sizeof *lat_e7);
    for (uint32_t node = 0; node < graph->node_count; ++node) {
        lon_e7[node] = 85000000 + (int32_t)(node % 20 * 1300 + rng_below(&rng, 600));
        lat_e7[node] = 471000000 + (int32_t)(node / 20 * 900 + rng_below(&rng, 400));
    }
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    files_new_path(folder, path, "map.mcd");
    FIXTURE_CALL(fixture_import, graph, lon_e7, lat_e7, path, 1);
    snapped_map s = {.name = graph->name,
                     .node_count = graph->node_count,
                     .arc_count = graph->arc_count,
                     .tail = graph->tail,
                     .head = graph->head,
                     .weight = {graph->weight[0], graph->weight[1]},
                     .engine = fixture_open_file(path, 2)};
    FREED uint64_t *number = checked_allocate(graph->arc_count, sizeof *number);
    for (size_t arc = 0; arc < graph->arc_count; ++arc) number[arc] = fixture_arc_number(arc);
    cr_assert_not_null(macadam_engine_ids(s.engine, &error));
    FREED mcd_node *node_of =
        checked_allocate(graph->node_count, sizeof *node_of); /* the graph's, of an id's position */
    for (uint32_t node = 0; node < graph->node_count; ++node)
        node_of[mcd_place_find_id(&s.engine->places, fixture_id(node))] = node;
    s.number = number;
    s.depart = s.arrive = node_of;
    draw_places(&s, &rng, lon_e7, lat_e7);
    run_claim(&s, claim);
    macadam_engine_close(s.engine);
    files_remove_folder(folder);
}

void snapped_of_graph(const char *name, snapped_claim claim)
{
    SCOPED(test_graph_free) test_graph graph = graphs_make_named(name);
    claim_of_graph(&graph, claim);
}

/* ---- real maps: junctions are split, private roads are layers ---- */

static void draw_points(snapped_map *s, test_rng *rng, const mcd_map *map)
{
    for (size_t p = 0; p < PLACES; ++p) {
        const size_t arc = rng_below(rng, (uint32_t)map->arc_count);
        const size_t near = p % 4 == 3 ? p - 1 : p; /* some on the same road */
        const mcd_node a = map->tail[arc], b = map->head[arc];
        s->place[p] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                      .lon = (map->lon_e7[a] + (int64_t)map->lon_e7[b]) / 2e7,
                                      .lat = (map->lat_e7[a] + (int64_t)map->lat_e7[b]) / 2e7};
        if (near != p) s->place[p] = s->place[near], s->place[p].lon += 1e-5;
        if (p % 10 == 9) s->place[p] = (macadam_place){.id = map->node_id[a]};
    }
}

/* Gives about every sixth arc an extreme weight in one quantity, in the engine and in the map. No turn costs. */
static void shake(macadam_engine *engine, mcd_map *map)
{
    static const uint32_t extreme[] = {MACADAM_WEIGHT_MAX, MACADAM_WEIGHT_MAX - 1, MACADAM_WEIGHT_MAX / 2,
                                       MACADAM_WEIGHT_MAX / 2 + 1, 0};
    test_rng rng = {map->arc_count + 1};
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        const uint64_t number = map->arc_number[arc];
        if (number == MCD_ARC_NONE || rng_below(&rng, 6)) continue;
        const size_t q = rng_below(&rng, QUANTITIES);
        const uint32_t weight = extreme[rng_below(&rng, sizeof extreme / sizeof *extreme)], *const value =
                                                                                                &weight;
        macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
        request.arc = &number, request.count = 1, request.value = &value;
        request.quantity = &fixture_quantity[q], request.quantity_count = 1;
        FIXTURE_CALL(macadam_update, engine, &request);
        for (size_t copy = 0; copy < map->arc_count; ++copy)
            if (map->arc_number[copy] == number) map->weight[q][copy] = weight;
    }
}

static void claim_of_file(const char *name, const char *input, const char *profile_name, bool shaken,
                          snapped_claim claim)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    SCOPED(mcd_map_free) mcd_map map;
    osm_map_read(&map, input, profile_name);
    files_new_path(folder, path, "osm.mcd");
    const macadam_import_options options = {.size = sizeof options, .output = path};
    fixture_expect_ok(macadam_import_osm(input, profile_name, &options, &error), &error, name);
    snapped_map s = {.name = name,
                     .node_count = map.node_count,
                     .arc_count = map.arc_count,
                     .tail = map.tail,
                     .head = map.head,
                     .weight = {map.weight[0], map.weight[1]},
                     .number = map.arc_number,
                     .depart = map.depart,
                     .arrive = map.arrive,
                     .engine = fixture_open_file(path, 2)};
    test_rng rng = {map.arc_count};
    if (shaken) shake(s.engine, &map);
    draw_points(&s, &rng, &map);
    run_claim(&s, claim);
    macadam_engine_close(s.engine);
    files_remove_folder(folder);
}

void snapped_of_file(const char *name, const char *profile_name, snapped_claim claim)
{
    char input[FILES_PATH_BYTES];
    if (!files_find_data(input, name)) cr_skip_test("MACADAM_DATA is not set");
    claim_of_file(name, input, profile_name, false, claim);
}

/* Writes a profile of roads for motor vehicles, to which the lines of `turns` belong. */
static void write_profile(const char *path, const char *name, const char *turns)
{
    FILE *const file = fopen(path, "w");
    cr_assert(file && fprintf(file,
                              "name %s\n"
                              "modes motor_vehicle vehicle access\n"
                              "speed_max 60\n"
                              "u_turns dead_ends\n"
                              "%s"
                              "[way highway]\n"
                              "primary 50\nsecondary 50\ntertiary 40\n"
                              "unclassified 40\nresidential 30\nservice 15\n"
                              "[access]\n"
                              "yes open\nprivate destination\ndestination destination\nno closed\n",
                              name, turns) > 0);
    cr_assert_eq(fclose(file), 0);
}

void snapped_of_drays(const char *const *name, size_t count, snapped_claim claim)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16];
    files_new_path(folder, path, "drays.profile");
    write_profile(path, "drays", "turn 40 0 1\nturn 180 4 9\n");
    for (size_t i = 0; i < count; ++i) snapped_of_file(name[i], path, claim);
    files_remove_folder(folder);
}

/* Writes a grid of streets, some of them one way, and ferries. */
static void write_grid(const char *path, int ferries)
{
    enum { SIDE = 6, CALLS = 4 };
    test_rng rng = {SIDE};
    FILE *const file = fopen(path, "w");
    cr_assert(file && fputs("<osm version='0.6'>\n", file) >= 0);
    for (int i = 0; i < SIDE * SIDE; ++i)
        fprintf(file, "<node id='%d' lat='%.7f' lon='%.7f'/>\n", i + 1, 47 + i / SIDE * 1e-3 + i % 3 * 1e-4,
                8 + i % SIDE * 1e-3 + i % 5 * 1e-4);
    for (int i = 0; i < 2 * SIDE * SIDE; ++i) {
        const int from = i / 2, to = i % 2 ? from + 1 : from + SIDE;
        if (to >= SIDE * SIDE || (i % 2 && to % SIDE == 0)) continue;
        fprintf(file, "<way id='%d'><nd ref='%d'/><nd ref='%d'/><tag k='highway' v='%s'/>%s</way>\n", i + 1,
                from + 1, to + 1, i % 7 ? "residential" : "primary",
                rng_below(&rng, 5) ? "" : "<tag k='oneway' v='yes'/>");
    }
    for (int i = 0; i < ferries; ++i) {
        fprintf(file, "<way id='%d'>", 1000 + i);
        for (int call = 0; call < CALLS; ++call)
            fprintf(file, "<nd ref='%u'/>", 1 + rng_below(&rng, SIDE * SIDE));
        fputs("<tag k='route' v='ferry'/></way>\n", file);
    }
    fputs("</osm>\n", file);
    cr_assert_eq(fclose(file), 0);
}

void snapped_of_ferries(snapped_claim claim)
{
    char folder[FILES_PATH_BYTES], input[FILES_PATH_BYTES + 16];
    files_new_path(folder, input, "ferries.osm");
    write_grid(input, 5);
    claim_of_file("ferries", input, "car", false, claim);
    files_remove_folder(folder);
}

void snapped_of_extremes(const char *name, snapped_claim claim)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 16], input[FILES_PATH_BYTES + 16];
    if (name && !files_find_data(input, name)) cr_skip_test("MACADAM_DATA is not set");
    files_new_path(folder, path, "carts.profile");
    write_profile(path, "carts", "");
    if (!name) {
        snprintf(input, sizeof input, "%s/grid.osm", folder);
        write_grid(input, 0);
    }
    claim_of_file(name ? name : "streets", input, path, true, claim);
    files_remove_folder(folder);
}
