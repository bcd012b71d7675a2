/* test_real_guide.c - steps of random routes on OpenStreetMap files: they cover the route once, their costs add up,
 * and every turn at which a driver could go wrong has a maneuver. Needs MACADAM_DATA. */
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const file_names[] = {
    "osm/heidelberg.test.osm.pbf",
    "osm/malta-latest.osm.pbf",
    "osm/milan_italy_small.osm.pbf",
};
enum { FILES = sizeof file_names / sizeof *file_names, PAIRS = 200 };
enum {
    BEND = 45,   /* degrees: a larger bend at a fork needs a maneuver */
    APART = 60,  /* degrees: no driver takes a road for the street that bends by so much more */
    NEAR_M = 50, /* from its maneuver: turns that are one for a person are close together */
    STEP_M = 15, /* of a route, for each step */
};

/* An arc of the map that leaves a node. */
typedef struct leaving_road {
    int64_t tail, head;
    bool is_service;
} leaving_road;

/* The arcs of the map, by their tails. */
typedef struct road_list {
    leaving_road *road;
    size_t count, capacity;
} road_list;

typedef struct tally {
    const road_list *roads;
    size_t routes, steps, arcs, untold;
    double metres, seconds;
} tally;

static macadam_engine *import(const char *name, const char *folder)
{
    char path[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    snprintf(output, sizeof output, "%s/map.mcd", folder);
    macadam_error error;
    const macadam_import_options options = {.size = sizeof options, .output = output};
    fixture_expect_ok(macadam_import_osm(path, "car", &options, &error), &error, name);
    return fixture_open_file(output, 1);
}

/* ---- roads ---- */

static bool add_road(void *context, const macadam_arc *arc)
{
    road_list *const list = context;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 1024;
        list->road = realloc(list->road, list->capacity * sizeof *list->road);
        cr_assert(list->road);
    }
    const bool is_service = arc->facts && strcmp(arc->facts->road_class, "service") == 0;
    list->road[list->count++] = (leaving_road){arc->tail, arc->head, is_service};
    return true;
}

static int compare_roads(const void *a, const void *b)
{
    const leaving_road *const x = a, *const y = b;
    return (x->tail > y->tail) - (x->tail < y->tail);
}

/* Whether no other road than service roads leaves the node where the route goes from one arc to the next. */
static bool is_beside_service(const road_list *list, const macadam_route_arc *from,
                              const macadam_route_arc *to)
{
    const leaving_road key = {.tail = to->tail};
    const leaving_road *const end = list->road + list->count;
    const leaving_road *at = bsearch(&key, list->road, list->count, sizeof key, compare_roads);
    cr_assert(at);
    while (at > list->road && at[-1].tail == to->tail) --at;
    for (; at < end && at->tail == to->tail; ++at)
        if (at->head != to->head && at->head != from->tail && !at->is_service) return false;
    return true;
}

/* ---- maneuvers ---- */

static void expect_cover(const macadam_route *route)
{
    uint64_t sum[2] = {0};
    cr_assert(route->step_count >= 2);
    cr_expect_eq(route->step[0].type, MACADAM_MANEUVER_DEPART);
    cr_expect_eq(route->step[route->step_count - 1].type, MACADAM_MANEUVER_ARRIVE);
    for (size_t i = 0; i < route->step_count; ++i) {
        const macadam_step *const step = &route->step[i];
        cr_expect_eq(step->first_arc, i ? step[-1].end_arc : 0);
        cr_expect_lt(step->first_shape, step->end_shape);
        cr_expect_lt(step->first_intersection, step->end_intersection);
        cr_expect(step->facts && *macadam_maneuver_type_name(step->type));
        for (int q = 0; q < 2; ++q) sum[q] += step->value[q];
    }
    cr_expect_eq(route->step[route->step_count - 1].end_arc, route->arc_count);
    cr_expect(sum[0] == route->value[0] && sum[1] == route->value[1]);
}

static double metres_between(const macadam_route *route, size_t from, size_t to)
{
    double sum = 0;
    for (size_t arc = from; arc < to; ++arc) sum += route->arc[arc].value[1] / 100.0;
    return sum;
}

/* Whether a step begins within NEAR_M of the arc, or the arc lies on a roundabout. */
static bool is_told(const macadam_route *route, size_t arc)
{
    const uint32_t ring = MACADAM_ROAD_ROUNDABOUT | MACADAM_ROAD_CIRCULAR;
    if ((route->arc[arc].facts->flags | route->arc[arc - 1].facts->flags) & ring) return true;
    for (size_t i = 0; i < route->step_count; ++i) {
        const size_t begin = route->step[i].first_arc;
        if (metres_between(route, begin < arc ? begin : arc, begin < arc ? arc : begin) <= NEAR_M)
            return true;
    }
    return false;
}

static size_t count_entries(const macadam_route *route, const macadam_intersection *at)
{
    size_t count = 0;
    for (size_t i = at->first_branch; i < at->end_branch; ++i) count += route->branch[i].entry && i != at->in;
    return count;
}

/* Degrees to the right. */
static double bend_of(const macadam_route *route, const macadam_intersection *at)
{
    if (at->in == MACADAM_BRANCH_NONE || at->out == MACADAM_BRANCH_NONE) return 0;
    const double before = route->branch[at->in].bearing + 180.0, after = route->branch[at->out].bearing;
    return remainder(after - before, 360);
}

/* Whether the route bends back within a few metres: it crosses another road at a staggered crossing. */
static bool is_staggered(const macadam_route *route, size_t i)
{
    const macadam_intersection *const at = &route->intersection[i];
    for (size_t k = i > 3 ? i - 3 : 0; k < i + 4 && k < route->intersection_count; ++k) {
        const macadam_intersection *const other = &route->intersection[k];
        const size_t first = k < i ? other->arc : at->arc, last = k < i ? at->arc : other->arc;
        if (metres_between(route, first, last) > NEAR_M) continue;
        if (fabs(bend_of(route, at) + bend_of(route, other)) < BEND) return true;
    }
    return false;
}

/* Whether the street is the only one to follow there: it keeps its name, and other roads are service roads or lead back. */
static bool is_followed(const macadam_route *route, const macadam_intersection *at, const road_list *roads)
{
    const macadam_route_arc *const from = &route->arc[at->arc - 1], *const to = &route->arc[at->arc];
    const double bend = fabs(bend_of(route, at));
    bool is_only = bend <= APART;
    if (!*from->name || strcmp(from->name, to->name) != 0) return false;
    if (is_beside_service(roads, from, to)) return true;
    for (size_t i = at->first_branch; i < at->end_branch; ++i) {
        const double turn = remainder(route->branch[i].bearing - route->branch[at->in].bearing - 180.0, 360);
        if (i != at->in && i != at->out && route->branch[i].entry && fabs(turn) < bend + APART)
            is_only = false;
    }
    return is_only;
}

static void expect_told(const macadam_route *route, tally *out)
{
    for (size_t i = 0; i < route->intersection_count; ++i) {
        const macadam_intersection *const at = &route->intersection[i];
        if (at->arc == 0 || at->arc >= route->arc_count || count_entries(route, at) < 2) continue;
        if (fabs(bend_of(route, at)) <= BEND + 1) continue; /* bearings are rounded */
        if (!is_followed(route, at, out->roads) && !is_told(route, at->arc) && !is_staggered(route, i)) {
            ++out->untold;
            if (getenv("GUIDE_SHOW"))
                printf("untold at %.6f,%.6f: %.0f, %s to %s\n", at->lat, at->lon, bend_of(route, at),
                       route->arc[at->arc - 1].name, route->arc[at->arc].name);
        }
    }
}

/* ---- routes ---- */

static macadam_place draw_place(const macadam_info *info, test_rng *rng)
{
    return (macadam_place){
        .kind = MACADAM_PLACE_POINT,
        .lon = info->west + (info->east - info->west) * rng_below(rng, 100000) / 100000.0,
        .lat = info->south + (info->north - info->south) * rng_below(rng, 100000) / 100000.0,
    };
}

static void follow(macadam_engine *engine, const macadam_place waypoint[2], bool steps, tally *out)
{
    static const char *const quantity[] = {"duration", "distance"};
    SCOPED(macadam_route_free_at) macadam_route *route = NULL;
    struct timespec begin, end;
    const macadam_query query = {.size = sizeof query, .quantity = quantity, .quantity_count = 2};
    const macadam_route_request request = {
        .size = sizeof request, .waypoint = waypoint, .waypoint_count = 2, .steps = steps};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    FIXTURE_CALL(macadam_route_find, &route, engine, &query, &request);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    if (route->found) {
        out->seconds += (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
        ++out->routes;
        out->arcs += route->arc_count;
        out->steps += route->step_count;
        out->metres += route->value[1] / 100.0;
        if (steps) {
            expect_cover(route);
            expect_told(route, out);
        }
    }
}

static void run(macadam_engine *engine, bool steps, size_t pairs, tally *out)
{
    macadam_info info = MACADAM_INFO_INIT;
    test_rng rng = {1};
    FIXTURE_CALL(macadam_engine_info, &info, engine);
    for (size_t i = 0; i < pairs; ++i) {
        const macadam_place waypoint[] = {draw_place(&info, &rng), draw_place(&info, &rng)};
        follow(engine, waypoint, steps, out);
    }
}

Test(real_guide, steps_cover_routes_and_report_every_turn)
{
    for (size_t f = 0; f < FILES; ++f) {
        char folder[FILES_PATH_BYTES];
        files_new_folder(folder);
        macadam_engine *const engine = import(file_names[f], folder);
        const size_t pairs = getenv("GUIDE_PAIRS") ? (size_t)atol(getenv("GUIDE_PAIRS")) : PAIRS;
        road_list roads = {0};
        FIXTURE_CALL(macadam_arcs_list, engine, add_road, &roads);
        qsort(roads.road, roads.count, sizeof *roads.road, compare_roads);
        tally plain = {.roads = &roads}, guided = {.roads = &roads};
        run(engine, false, pairs, &plain);
        run(engine, true, pairs, &plain); /* what steps need is made now */
        plain = (tally){.roads = &roads};
        run(engine, false, pairs, &plain);
        run(engine, true, pairs, &guided);
        printf("%s: %zu routes of %.0f arcs, %.0f us; with %.1f steps %.0f us\n", file_names[f],
               guided.routes, (double)guided.arcs / (double)guided.routes,
               1e6 * plain.seconds / (double)plain.routes, (double)guided.steps / (double)guided.routes,
               1e6 * guided.seconds / (double)guided.routes);
        cr_expect_eq(guided.untold, 0, "%s: %zu turns have no maneuver", file_names[f], guided.untold);
        cr_expect_gt(guided.metres, STEP_M * (double)guided.steps, "%s", file_names[f]);
        free(roads.road);
        macadam_engine_close(engine);
        files_remove_folder(folder);
    }
}
