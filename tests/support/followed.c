/* followed.c - see followed.h. */
#include "tests/support/followed.h"
#include "tests/support/checked.h"

#include <math.h>
#include <time.h>

const char *const followed_name[FOLLOWED_KINDS] = {
    [FOLLOWED_PLAIN] = "1 s, 5 m",
    [FOLLOWED_BARE] = "1 s, 5 m, only places",
    [FOLLOWED_COARSE] = "1 s, 30 m",
    [FOLLOWED_SPARSE] = "5 s, 10 m",
    [FOLLOWED_GAPS] = "gaps of 20 to 90 s",
    [FOLLOWED_ROUND_TRIP] = "there and back",
    [FOLLOWED_BACK_GAPS] = "there and back, with gaps",
    [FOLLOWED_WHITE] = "1 s, 10 m, white noise, only places",
    [FOLLOWED_DOUBLED] = "1 s and 1 ms, 5 m, white noise, only places",
    [FOLLOWED_FAST] = "0.1 s, 5 m, only places",
    [FOLLOWED_UNLIMITED] = "errors without a limit",
    [FOLLOWED_WRONG_TURN] = "wrong turn",
    [FOLLOWED_TURN_BACK] = "turns back",
};

static const double map_deviation_m = 4, errors_most = 3, metres_least = 1500, metres_most = 30000;
enum { POSITIONS_LATE = 3 };

static drive_plan plan_of(followed_kind kind, test_rng *rng)
{
    const bool is_bare =
        kind == FOLLOWED_BARE || kind == FOLLOWED_WHITE || kind == FOLLOWED_DOUBLED || kind == FOLLOWED_FAST;
    drive_plan out = {.interval_s = kind == FOLLOWED_SPARSE ? 5
                                    : kind == FOLLOWED_FAST ? 0.1
                                                            : 1,
                      .accuracy_m = kind == FOLLOWED_COARSE                             ? 30
                                    : kind == FOLLOWED_SPARSE || kind == FOLLOWED_WHITE ? 10
                                                                                        : 5,
                      .is_white = kind == FOLLOWED_WHITE || kind == FOLLOWED_DOUBLED,
                      .is_doubled = kind == FOLLOWED_DOUBLED,
                      .most = kind == FOLLOWED_UNLIMITED ? 0 : errors_most,
                      .factor = 0.7 + 0.6 * drive_uniform(rng),
                      .stop_share = 0.03,
                      .gap_share = kind == FOLLOWED_GAPS || kind == FOLLOWED_BACK_GAPS ? 0.01 : 0,
                      .end_s = 20,
                      .has_motion = !is_bare,
                      .knows_accuracy = !is_bare || kind == FOLLOWED_WHITE};
    return out;
}

/* ---- routes ---- */

static void fail(const char *what, const macadam_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    abort();
}

static int64_t random_id(macadam_engine *engine, test_rng *rng)
{
    macadam_info info = MACADAM_INFO_INIT;
    macadam_error error;
    if (macadam_engine_info(&info, engine, &error)) fail("info", &error);
    return macadam_engine_ids(engine, &error)[rng_below(rng, (uint32_t)info.id_count)];
}

static macadam_route *route_over(macadam_engine *engine, const int64_t *id, size_t count)
{
    const macadam_place waypoint[] = {macadam_node(id[0]), macadam_node(id[1]), macadam_node(id[count - 1])};
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_route *route;
    macadam_error error;
    request.waypoint = waypoint;
    request.waypoint_count = count;
    request.steps = true;
    request.via_turn = MACADAM_VIA_ANY;
    if (macadam_route_find(&route, engine, &query, &request, &error)) fail("route", &error);
    if (route->found) return route;
    macadam_route_free(route);
    return NULL;
}

static macadam_route *random_route(macadam_engine *engine, followed_kind kind, test_rng *rng)
{
    for (;;) {
        int64_t id[3];
        for (size_t i = 0; i < 3; ++i) id[i] = random_id(engine, rng);
        id[2] = id[0];
        macadam_route *const route =
            route_over(engine, id, kind == FOLLOWED_ROUND_TRIP || kind == FOLLOWED_BACK_GAPS ? 3 : 2);
        if (!route) continue;
        drive_way way = drive_way_of(route, INFINITY);
        const double metres = drive_way_metres(&way);
        drive_way_free(&way);
        if (metres >= metres_least && metres <= metres_most && route->arc_count >= 8) return route;
        macadam_route_free(route);
    }
}

/* Metres before each arc, and of all. */
static double *arcs_along(const macadam_route *route)
{
    double *const out = checked_allocate(route->arc_count + 1, sizeof *out);
    out[0] = 0;
    for (size_t a = 0; a < route->arc_count; ++a) {
        out[a + 1] = out[a];
        for (size_t i = route->arc[a].first_shape + 1; i < route->arc[a].end_shape; ++i)
            out[a + 1] += drive_metres(route->lon[i - 1], route->lat[i - 1], route->lon[i], route->lat[i]);
    }
    return out;
}

/* ---- one drive ---- */

typedef struct drive_scene {
    macadam_route *route;
    double *arc_along; /* [arc_count + 1] */
    drive_way planned, remaining, way;
    double leaves; /* where he leaves the planned way; infinite: he does not */
    drive_plan plan;
    drive drive;
} drive_scene;

/* A way by another road at the end of an arc; none: *out has no points. */
static drive_way other_road(macadam_engine *engine, const macadam_route *route, size_t arc, test_rng *rng)
{
    for (int i = 0; i < 10; ++i) {
        const int64_t id[] = {route->arc[arc].head, random_id(engine, rng)};
        macadam_route *const other = route_over(engine, id, 2);
        if (!other) continue;
        const bool differs = other->arc_count > 3 && other->arc[0].head != route->arc[arc + 1].head &&
                             other->arc[0].head != route->arc[arc].tail;
        drive_way out = {.count = 0};
        if (differs) out = drive_way_of(other, 1000);
        macadam_route_free(other);
        if (differs) return out;
    }
    return (drive_way){.count = 0};
}

static bool make_scene(drive_scene *out, macadam_engine *engine, followed_kind kind, test_rng *rng)
{
    *out = (drive_scene){.plan = plan_of(kind, rng), .leaves = INFINITY};
    out->route = random_route(engine, kind, rng);
    out->arc_along = arcs_along(out->route);
    out->planned = drive_way_of(out->route, INFINITY);
    const size_t arcs = out->route->arc_count, arc = arcs / 4 + rng_below(rng, (uint32_t)(arcs / 2));
    out->way = drive_way_of(out->route, kind >= FOLLOWED_WRONG_TURN ? out->arc_along[arc + 1] : INFINITY);
    out->remaining = drive_way_of(out->route, INFINITY);
    if (kind >= FOLLOWED_WRONG_TURN) out->leaves = drive_way_metres(&out->way);
    if (kind == FOLLOWED_WRONG_TURN) {
        drive_way other = other_road(engine, out->route, arc, rng);
        if (other.count == 0) return false;
        drive_way_append(&out->way, &other);
        drive_way_free(&other);
    }
    if (kind == FOLLOWED_TURN_BACK) {
        const double deviation = hypot(out->plan.accuracy_m, map_deviation_m);
        const double from = out->leaves - errors_most * (out->plan.accuracy_m + deviation);
        drive_way_free(&out->remaining);
        out->remaining = drive_way_part(&out->planned, fmax(from, 0), drive_way_metres(&out->planned));
        drive_way_turn_back(&out->way);
    }
    out->drive = drive_make(&out->way, &out->plan, rng);
    return true;
}

static void free_scene(drive_scene *it)
{
    macadam_route_free(it->route);
    free(it->arc_along);
    drive_way_free(&it->planned);
    drive_way_free(&it->remaining);
    drive_way_free(&it->way);
    drive_free(&it->drive);
}

/* The greatest speed of the last half minute, as speeds are measured over some time. */
static double drive_speed(const drive *it, size_t p)
{
    double out = 0;
    for (size_t i = p; i > 0 && it->point[i - 1].time_s > it->point[p].time_s - 30; --i) {
        const double seconds = it->point[i].time_s - it->point[i - 1].time_s;
        if (seconds > 0.01) out = fmax(out, (it->along[i] - it->along[i - 1]) / seconds);
    }
    return out;
}

/* The announcements of each step so far. */
typedef struct said_steps {
    size_t *now;            /* [step_count] how often */
    macadam_guide_say *say; /* [step_count] the last one */
    size_t newest;          /* the last step that was said now, plus one */
} said_steps;

static void note_said(followed_tally *out, said_steps *all, const drive_scene *scene,
                      const macadam_guide_state *state, size_t p, double errors)
{
    const double speed_ms = fmax(drive_speed(&scene->drive, p), 10);
    for (size_t i = state->first_said; state->say && i < state->end_said; ++i) {
        out->early += all->say[i] >= state->say && state->say != MACADAM_GUIDE_NOW;
        all->say[i] = state->say;
        if (state->say != MACADAM_GUIDE_NOW) continue;
        out->repeated += all->now[i]++ > 0;
        out->hasty += !scene->drive.after_gap[p] &&
                      scene->arc_along[scene->route->step[i].first_arc] - scene->drive.along[p] >
                          10 * speed_ms + 30 + errors;
        out->disordered += i + 1 < all->newest;
        all->newest = i + 1;
    }
}

/* Counts the steps that he passed, and those of which nothing was said. */
static void count_steps(followed_tally *out, const drive_scene *scene, const said_steps *all,
                        size_t positions, double errors)
{
    const drive *const driven = &scene->drive;
    for (size_t i = 0; i < scene->route->step_count; ++i) {
        const double at = scene->arc_along[scene->route->step[i].first_arc];
        size_t p = 0;
        while (p < positions && driven->along[p] < at) ++p;
        if (p == positions || at > scene->leaves) continue;
        ++out->steps;
        if (all->now[i] > 0) continue;
        while (p > 0 && !driven->after_gap[p] && at - driven->along[p - 1] < errors) --p;
        if (driven->after_gap[p])
            ++out->missed_in_gaps;
        else
            ++out->missed;
    }
}

static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Returns how long a session takes for the first positions. */
static double time_session(const drive_scene *scene, size_t positions)
{
    macadam_guide *guide;
    macadam_error error;
    if (macadam_guide_new(&guide, scene->route, NULL, &error)) fail("guide", &error);
    const double start = processor_seconds();
    for (size_t p = 0; p < positions; ++p) {
        macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
        if (macadam_guide_move(&state, guide, &scene->drive.point[p], &error)) fail("move", &error);
    }
    const double seconds = processor_seconds() - start;
    macadam_guide_free(guide);
    return seconds;
}

/* Where the state is, by the lengths of this file. */
static double along_of(const drive_scene *scene, const macadam_guide_state *state)
{
    const macadam_route_arc *const arc = &scene->route->arc[state->arc];
    const double share = arc->to > arc->from ? (state->along - arc->from) / (arc->to - arc->from) : 0;
    const double *const at = &scene->arc_along[state->arc];
    return at[0] + share * (at[1] - at[0]);
}

static void note_error(followed_tally *out, double apart)
{
    if (out->error_count % 4096 == 0)
        out->error = checked_memory(realloc(out->error, (out->error_count + 4096) * sizeof *out->error),
                                    out->error_count + 4096, sizeof *out->error);
    out->error[out->error_count++] = apart;
    out->error_max = fmax(out->error_max, apart);
}

/* The straight line from where he is to the end of the route. */
static double to_end(const drive_scene *scene, size_t p)
{
    const size_t end = scene->planned.count - 1;
    return drive_metres(scene->drive.lon[p], scene->drive.lat[p], scene->planned.lon[end],
                        scene->planned.lat[end]);
}

static void follow(followed_tally *out, const drive_scene *scene)
{
    const drive *const driven = &scene->drive;
    const double deviation = hypot(scene->plan.accuracy_m, map_deviation_m),
                 allowed = errors_most * deviation, hidden = allowed + errors_most * scene->plan.accuracy_m;
    const size_t steps = scene->route->step_count;
    said_steps all = {checked_zeroed(steps, sizeof *all.now), checked_zeroed(steps, sizeof *all.say), 0};
    macadam_guide *guide;
    macadam_error error;
    size_t beyond = 0, certain = 0, p = 0;
    bool arrived = false, found = false;
    if (macadam_guide_new(&guide, scene->route, NULL, &error)) fail("guide", &error);
    ++out->drives;
    for (; p < driven->count && !found; ++p) {
        macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
        if (macadam_guide_move(&state, guide, &driven->point[p], &error)) fail("move", &error);
        ++out->positions;
        note_said(out, &all, scene, &state, p, hidden);
        const bool is_off = state.status == MACADAM_GUIDE_OFF_ROUTE;
        if (driven->along[p] <= scene->leaves) {
            out->false_off += is_off;
            out->unsure += state.status == MACADAM_GUIDE_UNSURE;
            const double apart = fabs(along_of(scene, &state) - driven->along[p]);
            if (!is_off) note_error(out, apart);
            out->astray += !is_off && apart > hidden;
            if (state.status == MACADAM_GUIDE_ARRIVED && !arrived)
                arrived = true, out->arrived_early += to_end(scene, p) > hidden;
            continue;
        }
        const double apart = drive_way_distance(&scene->remaining, driven->lon[p], driven->lat[p]);
        found = is_off;
        if (apart > allowed || beyond > 0) ++beyond;
        certain = apart > hidden ? certain + 1 : 0;
        if (certain == POSITIONS_LATE && !is_off) ++out->late;
        if (found) {
            ++out->departures;
            out->delay_sum += (double)beyond;
            if (beyond > out->delay_max) out->delay_max = beyond;
            out->delay_metres_max = fmax(out->delay_metres_max, driven->along[p] - scene->leaves);
        }
    }
    out->metres += driven->along[p - 1];
    out->seconds += time_session(scene, p);
    count_steps(out, scene, &all, p, hidden);
    if (isinf(scene->leaves)) {
        ++out->arrivals;
        out->not_arrived += !arrived;
    }
    macadam_guide_free(guide);
    free(all.now);
    free(all.say);
}

followed_tally followed_run(macadam_engine *engine, followed_kind kind, size_t drives, uint64_t seed)
{
    followed_tally out = {.drives = 0};
    test_rng rng = {rng_mix(seed + kind)};
    while (out.drives < drives) {
        drive_scene scene;
        if (make_scene(&scene, engine, kind, &rng)) follow(&out, &scene);
        free_scene(&scene);
    }
    return out;
}
