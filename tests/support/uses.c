/* uses.c - see uses.h. */
#include "tests/support/uses.h"

#include "tests/support/checked.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

static macadam_info info_of(macadam_engine *engine)
{
    macadam_info info = MACADAM_INFO_INIT;
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    return info;
}

/* Nodes all over the map, for maps without coordinates. */
static void scatter_nodes(macadam_engine *engine, macadam_place *place, size_t count)
{
    macadam_error error = {""};
    const int64_t *const id = macadam_engine_ids(engine, &error);
    const size_t id_count = info_of(engine).id_count;
    for (size_t i = 0; i < count; ++i)
        place[i] = (macadam_place){.id = id ? id[(i + 1) * 7919 % id_count] : 0};
}

/* A point in the middle of the map, and one beside it. */
static void choose_points(macadam_engine *engine, macadam_place place[2])
{
    const macadam_info info = info_of(engine);
    for (int i = 0; i < 2; ++i)
        place[i] = (macadam_place){.kind = MACADAM_PLACE_POINT,
                                   .lon = (info.west + info.east) / 2 + i * 2e-3,
                                   .lat = (info.south + info.north) / 2};
    if (!info.has_coordinates) scatter_nodes(engine, place, 2);
}

static uint64_t sum_of(const uint32_t *cost, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum = sum * 31 + cost[i];
    return sum;
}

static macadam_status ask_trees(macadam_engine *engine, const macadam_query *query,
                                const macadam_tree_request *request, uint64_t *answer, macadam_error *error)
{
    const size_t count = request->source_count * info_of(engine).id_count;
    FREED uint32_t *const cost = checked_zeroed(count, sizeof *cost);
    const macadam_status status = macadam_tree_find(&cost, NULL, engine, query, request, error);
    *answer = sum_of(cost, count);
    return status;
}

static macadam_status use_tree(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    macadam_place place[2];
    choose_points(engine, place);
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = 1};
    return ask_trees(engine, query, &request, answer, error);
}

static macadam_status use_search(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    macadam_place place[2];
    choose_points(engine, place);
    macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = 1};
    request.reverse = true, request.method = "bellman-ford";
    return ask_trees(engine, query, &request, answer, error);
}

static macadam_status use_route(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    macadam_place place[2];
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    choose_points(engine, place);
    const macadam_route_request request = {
        .size = sizeof request, .waypoint = place, .waypoint_count = 2, .steps = true};
    const macadam_status status = macadam_route_find(&route, engine, query, &request, error);
    *answer = status ? 0 : route->value[0];
    return status;
}

/* The area holds no road, but the query then has weights of its own. */
static macadam_status use_conditions(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                     macadam_error *error)
{
    static const double lon[] = {50, 51, 51}, lat[] = {50, 50, 51};
    const macadam_area area = {.lon = lon, .lat = lat, .point_count = 3};
    macadam_query own = *query;
    macadam_conditions conditions = {.size = sizeof conditions, .area = &area, .area_count = 1};
    own.conditions = &conditions;
    return use_route(engine, &own, answer, error);
}

static macadam_status use_update(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    const macadam_info info = info_of(engine);
    const uint64_t arc = 1;
    const uint32_t weight = 7, *const value[] = {&weight};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.arc = &arc, request.count = 1;
    request.quantity = info.quantity, request.quantity_count = 1, request.value = value;
    request.progress = query->progress, request.progress_context = query->progress_context;
    const macadam_status status = macadam_update(engine, &request, error);
    return status ? status : use_tree(engine, query, answer, error);
}

/* ---- each kind of query ---- */

enum { SOURCES = 40, PLACES = 300 };

/* Points all over the map. */
static void scatter(macadam_engine *engine, macadam_place *place, size_t count)
{
    const macadam_info info = info_of(engine);
    test_rng rng = {7};
    for (size_t i = 0; i < count; ++i)
        place[i] = (macadam_place){
            .kind = MACADAM_PLACE_POINT,
            .lon = info.west + (info.east - info.west) * (double)(rng_next(&rng) % 1000) / 1000,
            .lat = info.south + (info.north - info.south) * (double)(rng_next(&rng) % 1000) / 1000};
    if (!info.has_coordinates) scatter_nodes(engine, place, count);
}

static macadam_status use_trees(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    macadam_place place[SOURCES];
    scatter(engine, place, SOURCES);
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = SOURCES};
    return ask_trees(engine, query, &request, answer, error);
}

static macadam_status use_parents(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                  macadam_error *error)
{
    const size_t count = 2 * info_of(engine).id_count;
    uint32_t *const cost = checked_zeroed(count, sizeof *cost), *const value[] = {cost};
    FREED uint32_t *const parent = checked_zeroed(count, sizeof *parent);
    macadam_place place[2];
    choose_points(engine, place);
    const macadam_tree_request request = {.size = sizeof request, .source = place, .source_count = 2};
    const macadam_status status =
        macadam_tree_find_parents(value, parent, NULL, engine, query, &request, error);
    *answer = parent[count / 3];
    free(cost);
    return status;
}

static macadam_status use_hops(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    const size_t count = 2 * info_of(engine).id_count;
    FREED uint32_t *const hops = checked_zeroed(count, sizeof *hops);
    FREED uint32_t *const parent = checked_zeroed(count, sizeof *parent);
    macadam_place place[2];
    choose_points(engine, place);
    const macadam_hops_request request = {.size = sizeof request, .source = place, .source_count = 2};
    const macadam_status status = macadam_hops_find(hops, parent, NULL, engine, query, &request, error);
    *answer = hops[count / 3];
    return status;
}

static macadam_status use_connect(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                  macadam_error *error)
{
    macadam_place place[PLACES];
    SCOPED(macadam_connection_free_at) macadam_connection *found = NULL;
    scatter(engine, place, PLACES);
    const macadam_connection_request request = {
        .size = sizeof request, .source = place[0], .target = place[1]};
    const macadam_status status = macadam_connection_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->hops;
    return status;
}

static macadam_status use_reach(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    macadam_place place[SOURCES];
    uint32_t farthest[SOURCES];
    scatter(engine, place, SOURCES);
    const macadam_reach_request request = {.size = sizeof request, .source = place, .source_count = SOURCES};
    const macadam_reach reach = {.size = sizeof reach, .eccentricity = farthest};
    const macadam_status status = macadam_reach_find(&reach, NULL, engine, query, &request, error);
    *answer = status ? 0 : sum_of(farthest, SOURCES);
    return status;
}

static macadam_status use_access(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    static const double percentile[] = {50};
    FREED macadam_place *const place = checked_zeroed(PLACES, sizeof *place);
    FREED double *const amount = checked_zeroed(PLACES, sizeof *amount);
    uint32_t cost[SOURCES];
    scatter(engine, place, PLACES);
    for (size_t i = 0; i < PLACES; ++i) amount[i] = 1 + (double)(i % 3);
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = place, request.source_count = SOURCES;
    request.opportunity = place, request.opportunity_count = PLACES;
    request.amount = amount, request.amount_count = 1;
    request.percentile = percentile, request.percentile_count = 1;
    const macadam_reach reach = {.size = sizeof reach, .percentile_cost = cost};
    const macadam_status status = macadam_reach_find(&reach, NULL, engine, query, &request, error);
    *answer = status ? 0 : sum_of(cost, SOURCES);
    return status;
}

static macadam_status use_matrix(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    FREED macadam_place *const place = checked_zeroed(PLACES, sizeof *place);
    uint32_t *const cost = checked_zeroed(PLACES * PLACES, sizeof *cost), *const value[] = {cost};
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    scatter(engine, place, PLACES);
    request.source = request.target = place, request.source_count = request.target_count = PLACES;
    const macadam_status status = macadam_matrix_find_into(value, NULL, engine, query, &request, error);
    *answer = status ? 0 : sum_of(cost, PLACES * PLACES);
    free(cost);
    return status;
}

static bool count_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    (void)pair, (void)arc;
    *(uint64_t *)context += arc_count;
    return true;
}

static macadam_status use_routes(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    macadam_place place[PLACES];
    uint32_t cost[PLACES / 2], *const value[] = {cost};
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    scatter(engine, place, PLACES);
    request.source = place, request.target = place + PLACES / 2, request.pair_count = PLACES / 2;
    *answer = 0;
    return macadam_routes_find_paths(value, NULL, engine, query, &request, count_path, answer, error);
}

static macadam_status use_isochrone(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                    macadam_error *error)
{
    macadam_place place[2];
    SCOPED(macadam_isochrone_free_at) macadam_isochrone *found = NULL;
    macadam_isochrone_request request = MACADAM_ISOCHRONE_REQUEST_INIT;
    choose_points(engine, place);
    request.source = place[0], request.limit = MACADAM_WEIGHT_MAX;
    const macadam_status status = macadam_isochrone_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->arc_count;
    return status;
}

static macadam_status use_rings(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    const uint32_t limit[] = {10000, 30000};
    macadam_place place[2];
    SCOPED(macadam_rings_free_at) macadam_rings *found = NULL;
    macadam_rings_request request = MACADAM_RINGS_REQUEST_INIT;
    choose_points(engine, place);
    request.source = place, request.source_count = 1, request.limit = limit, request.limit_count = 2;
    const macadam_status status = macadam_rings_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->point_count;
    return status;
}

static macadam_status use_snap(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    macadam_place place[PLACES];
    macadam_snap snap[PLACES];
    scatter(engine, place, PLACES);
    const macadam_status status = macadam_snap_find(snap, engine, query, place, PLACES, error);
    *answer = 0;
    for (size_t i = 0; i < PLACES && !status; ++i) *answer = *answer * 31 + (uint64_t)snap[i].id;
    return status;
}

static macadam_status use_trip(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    macadam_place place[SOURCES];
    SCOPED(macadam_trip_free_at) macadam_trip *found = NULL;
    macadam_trip_request request = MACADAM_TRIP_REQUEST_INIT;
    scatter(engine, place, SOURCES);
    request.stop = place, request.stop_count = SOURCES, request.steps = true;
    const macadam_status status = macadam_trip_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->cost;
    return status;
}

static macadam_status use_match(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    macadam_trace_point point[PLACES] = {{0}};
    macadam_place place[2];
    SCOPED(macadam_matches_free_at) macadam_matches *found = NULL;
    macadam_match_request request = MACADAM_MATCH_REQUEST_INIT;
    choose_points(engine, place);
    for (size_t i = 0; i < PLACES; ++i)
        point[i].lon = place[0].lon + (double)i * 2e-5, point[i].lat = place[0].lat;
    request.point = point, request.point_count = PLACES, request.routes = true;
    const macadam_status status = macadam_match_find(&found, engine, query, &request, error);
    *answer = status ? 0 : found->matching_count;
    return status;
}

static macadam_status use_all_pairs(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                    macadam_error *error)
{
    const size_t count = info_of(engine).id_count;
    uint32_t *const cost = checked_zeroed(count * count, sizeof *cost), *const value[] = {cost};
    const macadam_all_pairs_request request = MACADAM_ALL_PAIRS_REQUEST_INIT;
    const macadam_status status = macadam_all_pairs_find_into(value, NULL, engine, query, &request, error);
    *answer = status ? 0 : sum_of(cost, count * count);
    free(cost);
    return status;
}

/* ---- calls that use the engine's callback ---- */

static macadam_status use_closure(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                  macadam_error *error)
{
    const size_t count = info_of(engine).id_count;
    FREED uint8_t *const bits = checked_zeroed(count, (count + 7) / 8);
    (void)query;
    const macadam_status status = macadam_closure_find(bits, engine, NULL, error);
    *answer = bits[count / 2];
    return status;
}

static macadam_status use_verify(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                 macadam_error *error)
{
    (void)query;
    *answer = 0;
    return macadam_engine_verify(engine, error);
}

static macadam_status save_by(macadam_status (*save)(macadam_engine *engine, const char *path,
                                                     macadam_error *error),
                              macadam_engine *engine, uint64_t *answer, macadam_error *error)
{
    char folder[FILES_PATH_BYTES], path[FILES_PATH_BYTES + 32];
    files_new_path(folder, path, "saved.mcd");
    const macadam_status status = save(engine, path, error);
    if (status) {
        cr_expect_eq(files_count(folder), 0, "a file that was not finished");
    } else {
        SCOPED(macadam_engine_close_at) macadam_engine *const saved = fixture_open_file(path, 1);
        *answer = info_of(saved).file_bytes;
    }
    files_remove_folder(folder);
    return status;
}

static macadam_status use_save(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    (void)query;
    return save_by(macadam_engine_save, engine, answer, error);
}

static macadam_status use_save_ready(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                     macadam_error *error)
{
    (void)query;
    return save_by(macadam_engine_save_ready, engine, answer, error);
}

static bool was_cancelled(const macadam_error *error)
{
    return strncmp(error->message, "cancelled", strlen("cancelled")) == 0;
}

static macadam_status use_ids(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                              macadam_error *error)
{
    const int64_t *const id = macadam_engine_ids(engine, error);
    const int64_t *const node_id = id ? macadam_engine_node_ids(engine, error) : NULL;
    (void)query;
    *answer = node_id ? (uint64_t)(id[7] + node_id[9]) : 0;
    return node_id ? MACADAM_OK : was_cancelled(error) ? MACADAM_E_CANCELLED : MACADAM_E_FILE;
}

static bool count_arc(void *context, const macadam_arc *arc)
{
    *(uint64_t *)context += arc->value[0];
    return true;
}

static macadam_status use_arcs(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    (void)query;
    *answer = 0;
    return macadam_arcs_list(engine, count_arc, answer, error);
}

static macadam_status use_roads(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                macadam_error *error)
{
    const macadam_box all = {-180, -90, 180, 90};
    SCOPED(macadam_roads_free_at) macadam_roads *roads = NULL;
    (void)query;
    const macadam_status status = macadam_roads_find(&roads, engine, &all, error);
    *answer = status ? 0 : roads->road_count;
    return status;
}

static macadam_status use_tile(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                               macadam_error *error)
{
    macadam_bytes tile;
    (void)query;
    const macadam_status status = macadam_vector_tile_find(&tile, engine, 0, 0, 0, error);
    *answer = tile.size;
    macadam_bytes_free(&tile);
    return status;
}

/* ---- all of them ---- */

const use_case use_all[USES] = {
    {"tree", use_tree, USE_QUERY},
    {"tree of a copy", use_tree, USE_ENGINE | USE_COPY},
    {"route", use_route, USE_QUERY},
    {"search", use_search, USE_QUERY},
    {"conditions", use_conditions, USE_QUERY},
    {"update", use_update, USE_QUERY},
    {"trees", use_trees, USE_QUERY},
    {"parents", use_parents, USE_QUERY},
    {"hops", use_hops, USE_QUERY},
    {"connect", use_connect, USE_QUERY},
    {"reach", use_reach, USE_QUERY},
    {"accessibility", use_access, USE_QUERY},
    {"matrix", use_matrix, USE_QUERY},
    {"routes", use_routes, USE_ENGINE},
    {"isochrone", use_isochrone, USE_QUERY},
    {"rings", use_rings, USE_QUERY},
    {"snap", use_snap, USE_QUERY},
    {"trip", use_trip, USE_QUERY},
    {"match", use_match, USE_QUERY},
    {"all pairs", use_all_pairs, USE_QUERY | USE_SMALL},
    {"closure", use_closure, USE_ENGINE | USE_SMALL},
    {"verify", use_verify, USE_ENGINE},
    {"save", use_save, USE_ENGINE},
    {"save ready", use_save_ready, USE_ENGINE},
    {"ids", use_ids, USE_ENGINE},
    {"arcs", use_arcs, USE_ENGINE},
    {"roads", use_roads, USE_ENGINE},
    {"vector tile", use_tile, USE_ENGINE},
};

macadam_status use_open(macadam_engine **out, const char *path, const use_case *use,
                        macadam_progress progress, void *context, macadam_query *query, macadam_error *error)
{
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    *query = (macadam_query)MACADAM_QUERY_INIT;
    options.device = "cpu", options.threads = 1;
    options.read_file = use->kind & USE_COPY;
    options.progress = progress, options.progress_context = context;
    if (!(use->kind & USE_ENGINE)) query->progress = progress, query->progress_context = context;
    return macadam_engine_open(out, path, &options, error);
}
