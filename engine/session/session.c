/* session.c - a navigation session: follows a traveller along a route (macadam_guide). It only reads the route; it has
 * neither an engine nor a clock. */
#include "engine/base/options.h"
#include "engine/session/announce.h"

#include <math.h>

static const double default_accuracy_m = 5;
static const double map_deviation_m = 4; /* of a lane from the line in the map */
static const double moving_ms = 2; /* the heading of a slower traveller is noise; so is one without a speed */
static const double heading_tolerance = 60; /* of a new route, besides what the heading may be wrong */
static const double speed_least_s = 5;      /* a speed is measured over this time */
static const double arrives_most_m = 30;
static const double stands_m = 100; /* so near to the end, he has arrived if he comes no nearer */
static const double stands_s = 10;  /* for this time */

struct macadam_guide {
    mcd_route_line line;
    mcd_track_stop *stop;     /* [stop_count] */
    mcd_announced_step *step; /* [step_count] */
    mcd_track track;
    mcd_announcer announcer;
    double accuracy_m;
    double time_s;            /* the newest that is known; NaN: none is */
    double along;             /* where he was last on the route */
    double farthest, since_s; /* the largest of these yet, and when it was reached first */
    double interval_s;        /* before the newest position */
    mcd_sighting from;        /* course and speed are measured from here */
    double speed_ms;
    double course; /* the direction of the last way that is longer than errors; NaN: none was */
    macadam_guide_status status;
};

/* ---- the route ---- */

/* A number from a caller, and what it may be. */
typedef struct number_range {
    const char *name;
    double value, least, most;
} number_range;

static macadam_status check_numbers(const number_range *number, size_t count, macadam_error *error)
{
    for (; count-- > 0; ++number)
        if (!(number->value >= number->least && number->value <= number->most))
            return mcd_fail_invalid(error, "%s %.10g is not from %.10g to %.10g", number->name, number->value,
                                    number->least, number->most);
    return MACADAM_OK;
}
#define CHECK_NUMBERS(list, error) check_numbers(list, sizeof(list) / sizeof *(list), error)

static macadam_status check_route(const macadam_route *route, const macadam_guide_options *options,
                                  macadam_error *error)
{
    const number_range number[] = {
        {"duration", (double)options->duration, 0, MACADAM_QUANTITIES_MAX},
        {"accuracy_m", options->accuracy_m, 0, MACADAM_MATCH_ACCURACY_MAX},
        {"far_s", options->far_s, 0, 3600},
        {"near_s", options->near_s, 0, 3600},
        {"now_s", options->now_s, 0, 3600},
    };
    if (!route) return mcd_fail_invalid(error, "no route");
    if (!route->found) return mcd_fail_invalid(error, "the route was not found: it has no way");
    if (route->step_count == 0)
        return mcd_fail_invalid(error, "the route has no steps: request them (steps, and not costs_only)");
    return CHECK_NUMBERS(number, error);
}

static void read_stops(macadam_guide *guide, const macadam_route *route)
{
    const size_t legs = route->leg_count;
    for (size_t i = 0; i <= legs; ++i) {
        const bool is_known =
            i == 0 || i == legs || route->waypoint_count == legs + 1; /* it may pass others */
        const macadam_snap *const snap = &route->waypoint[i == legs ? route->waypoint_count - 1 : i];
        const size_t arc = i == legs ? route->arc_count : route->leg[i].first_arc;
        guide->stop[i] = (mcd_track_stop){guide->line.arc_along[arc], snap->lon, snap->lat,
                                          is_known ? snap->distance_m : 0};
    }
}

static void read_steps(macadam_guide *guide, const macadam_route *route)
{
    for (size_t i = 0; i < route->step_count; ++i) {
        const size_t arc = route->step[i].first_arc;
        guide->step[i] =
            (mcd_announced_step){guide->line.arc_along[arc], guide->line.seconds[arc],
                                 route->step[i].type == MACADAM_MANEUVER_ARRIVE, MACADAM_GUIDE_SILENT};
    }
}

static macadam_status read_route(macadam_guide *guide, const macadam_route *route,
                                 const macadam_guide_options *options, macadam_error *error)
{
    const size_t steps = route->step_count, stops = route->leg_count + 1;
    MCD_TRY(mcd_route_line_read(&guide->line, route, options->duration, error));
    MCD_TRY(MCD_NEW(guide->stop, stops, error));
    MCD_TRY(MCD_NEW(guide->step, steps, error));
    read_stops(guide, route);
    read_steps(guide, route);
    guide->track = (mcd_track){.line = &guide->line, .stop = guide->stop, .stop_count = stops};
    guide->announcer =
        (mcd_announcer){.step = guide->step,
                        .count = steps,
                        .lead_s = {[MACADAM_GUIDE_FAR] = options->far_s > 0 ? options->far_s : 30,
                                   [MACADAM_GUIDE_NEAR] = options->near_s > 0 ? options->near_s : 10,
                                   [MACADAM_GUIDE_NOW] = options->now_s > 0 ? options->now_s : 4}};
    guide->accuracy_m = options->accuracy_m > 0 ? options->accuracy_m : default_accuracy_m;
    guide->course = guide->time_s = guide->from.time_s = NAN;
    return MACADAM_OK;
}

macadam_status macadam_guide_new(macadam_guide **out, const macadam_route *route,
                                 const macadam_guide_options *options, macadam_error *error)
{
    macadam_guide_options own = MACADAM_GUIDE_OPTIONS_INIT;
    macadam_guide *guide;
    MCD_TRY(mcd_answer_clear(out, "guide", error));
    if (options) MCD_TRY(mcd_options_adopt(&own, sizeof own, options, "guide options", error));
    MCD_TRY(check_route(route, &own, error));
    MCD_TRY(MCD_NEW_ZEROED(guide, 1, error));
    const macadam_status status = read_route(guide, route, &own, error);
    if (status == MACADAM_OK)
        *out = guide;
    else
        macadam_guide_free(guide);
    return status;
}

void macadam_guide_free(macadam_guide *guide)
{
    if (!guide) return;
    mcd_route_line_free(&guide->line);
    MCD_FREE_ALL(guide->stop, guide->step, guide);
}

/* ---- a position ---- */

static macadam_status check_position(const macadam_guide *guide, const macadam_trace_point *position,
                                     macadam_error *error)
{
    if (!guide) return mcd_fail_invalid(error, "no guide");
    if (!position) return mcd_fail_invalid(error, "no position");
    const number_range number[] = {
        {"lon", position->lon, -180, 180},
        {"lat", position->lat, -90, 90},
        {"time_s", isnan(position->time_s) ? 0 : position->time_s, -1e12, 1e12},
        {"accuracy_m", position->accuracy_m, 0, MACADAM_MATCH_ACCURACY_MAX},
        {"heading", position->heading_accuracy > 0 ? position->heading : 0, -360, 360},
        {"heading_accuracy", position->heading_accuracy, 0, 180},
        {"speed_ms", position->speed_ms, 0, 1000},
        {"reserved", (double)(position->reserved[0] | position->reserved[1]), 0, 0},
    };
    MCD_TRY(CHECK_NUMBERS(number, error));
    if (position->time_s < guide->time_s)
        return mcd_fail_invalid(error, "time_s %.10g is before the last, %.10g", position->time_s,
                                guide->time_s);
    return MACADAM_OK;
}

/* Notes the course and the speed of a way that is longer than errors. A shorter one limits the speed. */
static void read_way(macadam_guide *guide, const macadam_trace_point *position, const mcd_sighting *sighting)
{
    const double allowed = sighting->allowed_m, elapsed = position->time_s - guide->from.time_s;
    const double way = mcd_eye_distance(&guide->from.eye, position->lon, position->lat);
    guide->interval_s = isnan(position->time_s - guide->time_s) ? 0 : position->time_s - guide->time_s;
    if (!isnan(position->time_s)) guide->time_s = position->time_s;
    if (way >= allowed) guide->course = mcd_eye_bearing(&guide->from.eye, position->lon, position->lat);
    if (elapsed >= speed_least_s)
        guide->speed_ms = way < allowed ? fmin(guide->speed_ms, allowed / elapsed) : way / elapsed;
    if (guide->from.deviation_m == 0 || (way >= allowed && !(elapsed < speed_least_s)))
        guide->from = *sighting;
    if (position->speed_ms > 0) guide->speed_ms = position->speed_ms;
    guide->speed_ms = fmin(guide->speed_ms, MCD_TRACK_SPEED_MAX_MS);
}

static mcd_sighting read_position(macadam_guide *guide, const macadam_trace_point *position)
{
    const double accuracy = position->accuracy_m > 0 ? position->accuracy_m : guide->accuracy_m;
    const double deviation = sqrt(accuracy * accuracy + map_deviation_m * map_deviation_m);
    mcd_sighting out = {.eye = mcd_eye_at(position->lon, position->lat),
                        .time_s = position->time_s,
                        .deviation_m = deviation,
                        .allowed_m = 3 * deviation,
                        .arrives_m = fmin(3 * deviation, arrives_most_m),
                        .heading = NAN,
                        .heading_deviation = position->heading_accuracy};
    read_way(guide, position, &out);
    if (position->heading_accuracy > 0 && position->speed_ms >= moving_ms)
        out.heading = guide->course = position->heading;
    return out;
}

/* ---- the answer ---- */

/* He is near the end, or within errors of it and comes no nearer. */
static bool has_arrived(macadam_guide *guide, const mcd_sighting *sighting)
{
    const double left = mcd_route_line_metres(&guide->line) - guide->along;
    if (guide->along > guide->farthest || guide->track.is_back)
        guide->farthest = guide->along, guide->since_s = sighting->time_s;
    return left <= sighting->arrives_m ||
           (left <= fmin(sighting->allowed_m, stands_m) && !(sighting->time_s - guide->since_s < stands_s));
}

static macadam_guide_status status_of(macadam_guide *guide, const mcd_sighting *sighting, bool fits)
{
    const mcd_track *const track = &guide->track;
    if (guide->status == MACADAM_GUIDE_ARRIVED) return MACADAM_GUIDE_ARRIVED;
    if (track->is_lost) return MACADAM_GUIDE_OFF_ROUTE;
    if (!fits) return MACADAM_GUIDE_UNSURE;
    if (has_arrived(guide, sighting)) return MACADAM_GUIDE_ARRIVED;
    const bool is_beside = track->now.list[0].distance > sighting->allowed_m;
    return track->outside > 0 || is_beside ? MACADAM_GUIDE_UNSURE : MACADAM_GUIDE_ON_ROUTE;
}

static void announce(macadam_guide_state *out, macadam_guide *guide, const mcd_sighting *sighting)
{
    const mcd_announce_moment moment = {
        .along = guide->along,
        .sighting = sighting,
        .speed_ms = fmax(guide->speed_ms, mcd_route_line_at(&guide->line, guide->along).speed_ms / 2),
        .interval_s = guide->interval_s,
        .is_new = guide->announcer.said_end == 0 || guide->track.is_back,
        .is_end = guide->status == MACADAM_GUIDE_ARRIVED};
    mcd_announce(out, &guide->announcer, &moment);
}

static macadam_place place_again(const macadam_guide *guide, const macadam_trace_point *position)
{
    macadam_place out = macadam_point(position->lon, position->lat);
    if (isnan(guide->course)) return out;
    out.heading = fmod(guide->course + 360, 360);
    out.heading_tolerance = fmin(heading_tolerance + position->heading_accuracy, 180);
    return out;
}

/* Returns what is left until then, NaN if it is not known. */
static double until(double then, double now)
{
    return then < now ? 0 : then - now;
}

static void describe(macadam_guide_state *out, const macadam_guide *guide, const mcd_eye *eye)
{
    const double along = guide->along;
    const mcd_route_line *const line = &guide->line;
    const mcd_route_line_spot spot = mcd_route_line_at(line, along);
    const mcd_track_stop *const stop = &guide->stop[guide->track.leg + 1];
    out->lon = spot.lon;
    out->lat = spot.lat;
    out->distance_m = mcd_eye_distance(eye, spot.lon, spot.lat);
    out->arc = spot.arc;
    out->along = spot.share;
    out->travelled_m = along;
    out->left_m = mcd_route_line_metres(line) - along;
    out->left_s = line->seconds[line->arc_count] - spot.seconds;
    out->leg = guide->track.leg;
    out->leg_left_m = until(stop->along, along);
    out->leg_left_s = until(mcd_route_line_at(line, stop->along).seconds, spot.seconds);
    out->step = guide->announcer.next;
    out->step_m = until(guide->step[out->step].along, along);
    out->step_s = until(guide->step[out->step].seconds, spot.seconds);
}

macadam_status macadam_guide_move(macadam_guide_state *out, macadam_guide *guide,
                                  const macadam_trace_point *position, macadam_error *error)
{
    macadam_guide_state state = MACADAM_GUIDE_STATE_INIT;
    MCD_TRY(mcd_options_adopt(&state, sizeof state, out, "guide state", error)); /* checks its size */
    state = (macadam_guide_state){.size = state.size};
    memcpy(out, &state, state.size);
    MCD_TRY(check_position(guide, position, error));
    const mcd_sighting sighting = read_position(guide, position);
    mcd_track_move(&guide->track, &sighting);
    const mcd_hypotheses *const now = &guide->track.now;
    if (now->count && !guide->track.is_lost) guide->along = now->list[0].along;
    const bool fits = now->count && !guide->track.is_lost && now->list[0].excess <= sighting.allowed_m;
    state.status = guide->status = status_of(guide, &sighting, fits);
    if (fits) announce(&state, guide, &sighting);
    describe(&state, guide, &sighting.eye);
    state.again = place_again(guide, position);
    memcpy(out, &state, state.size);
    return MACADAM_OK;
}

MCD_DEFINE_NAMES(macadam_guide_status_name, macadam_guide_status,
                 "", [MACADAM_GUIDE_ON_ROUTE] = "on_route", [MACADAM_GUIDE_UNSURE] = "unsure",
                 [MACADAM_GUIDE_OFF_ROUTE] = "off_route", [MACADAM_GUIDE_ARRIVED] = "arrived")

MCD_DEFINE_NAMES(macadam_guide_say_name, macadam_guide_say, "", [MACADAM_GUIDE_SILENT] = "silent",
                 [MACADAM_GUIDE_FAR] = "far", [MACADAM_GUIDE_NEAR] = "near", [MACADAM_GUIDE_NOW] = "now")
