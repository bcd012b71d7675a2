/* track.c - see track.h. */
#include "engine/session/track.h"

#include <math.h>

enum { OUTSIDE_MAX = 3, FITS_MIN = 3 };
/* Caps the cost of one position and of one move, so that one outlier costs no more than another. */
static const double cost_of_one_max = 8;
static const double turned_cost = 6;  /* of a heading against the direction of the line */
static const double cost_max = 20;    /* above the best: a hypothesis is given up */
static const double same_m = 1;       /* hypotheses that are nearer to each other are one */
static const double start_cost = 12;  /* most by which the start is preferred to later places */
static const double untimed_m = 1000; /* a traveller gets so far between positions without times */

/* ---- lists ---- */

/* Inserts by ascending costs, and leaves out the dearer of two that are the same: the traveller may have come by either. */
static void insert(mcd_hypotheses *out, mcd_hypothesis it)
{
    size_t at = 0;
    for (size_t i = 0; i < out->count; ++i) {
        if (fabs(out->list[i].along - it.along) >= same_m) continue;
        it.floor = out->list[i].floor = fmin(out->list[i].floor, it.floor);
        if (out->list[i].cost <= it.cost) return;
        memmove(&out->list[i], &out->list[i + 1], (--out->count - i) * sizeof it);
        --i;
    }
    while (at < out->count && out->list[at].cost <= it.cost) ++at;
    if (at == MCD_HYPOTHESES_MAX) return;
    if (out->count == MCD_HYPOTHESES_MAX) --out->count;
    memmove(&out->list[at + 1], &out->list[at], (out->count++ - at) * sizeof it);
    out->list[at] = it;
}

/* Makes the best one's cost 0, and gives up those that cost too much. */
static void tidy(mcd_hypotheses *out)
{
    const double best = out->list[0].cost;
    size_t count = 0;
    for (; count < out->count && out->list[count].cost - best <= cost_max; ++count)
        out->list[count].cost -= best;
    out->count = count;
}

/* ---- one position ---- */

static double fit_cost(const mcd_sighting *sighting, double excess, double turn)
{
    const double apart = excess / sighting->deviation_m, spread = sighting->heading_deviation + 10;
    const double by_heading = turn > 0 ? fmin(turn * turn / (2 * spread * spread), turned_cost) : 0;
    return fmin(apart * apart / 2, cost_of_one_max) + by_heading;
}

/* Puts a hypothesis at a place on the line. A stop allows to be so far `beside` it, and has no direction there. */
static void settle(mcd_hypotheses *out, const mcd_track *track, const mcd_sighting *sighting,
                   mcd_hypothesis it, mcd_route_line_near near, double beside)
{
    const double turn = mcd_route_line_turn(track->line, &sighting->eye, near.along, sighting->deviation_m,
                                            beside > 0 ? NAN : sighting->heading);
    it.along = near.along;
    it.floor = fmax(it.floor, near.along - sighting->allowed_m);
    it.distance = near.distance;
    it.excess = fmax(near.distance - beside, 0);
    it.cost += fit_cost(sighting, it.excess, turn);
    it.fits += it.excess <= sighting->allowed_m;
    insert(out, it);
}

/* Puts it at a stop, if the traveller may be at its place. */
static void settle_at_stop(mcd_hypotheses *out, const mcd_track *track, const mcd_sighting *sighting,
                           mcd_hypothesis it, const mcd_track_stop *stop)
{
    const double distance = mcd_eye_distance(&sighting->eye, stop->lon, stop->lat);
    if (stop->beside_m > 0 && distance - stop->beside_m <= sighting->allowed_m)
        settle(out, track, sighting, it, (mcd_route_line_near){stop->along, distance}, stop->beside_m);
}

/* Returns how far the traveller may have come along the line since the position `last`. While he stayed near it, that was no
 * more than his way, errors and bends. */
static double reach_of(const mcd_track *track, const mcd_sighting *sighting, double way)
{
    const double since = sighting->time_s - track->stayed_until_s,
                 before = track->stayed_until_s - track->last.time_s;
    const double near = 2 * (way + track->last.allowed_m + sighting->allowed_m);
    if (isnan(since + before)) return 5 * way + untimed_m;
    return MCD_TRACK_SPEED_MAX_MS * since + fmin(MCD_TRACK_SPEED_MAX_MS * before, near);
}

/* A move back is an error of the position, as long as it is not too far. After a gap the traveller may have driven far and
 * back: no move costs so much that its hypothesis is given up. */
static double move_cost(const mcd_sighting *sighting, double metres, double way)
{
    const double apart = fabs(fabs(metres) - way) + fmax(-metres, 0);
    return fmin(apart / (2 * sighting->deviation_m + way / 5), cost_of_one_max);
}

/* Moves a hypothesis to all places that the traveller may have reached. */
static void advance(mcd_hypotheses *out, const mcd_track *track, const mcd_sighting *sighting,
                    const mcd_hypothesis *from)
{
    const double way = mcd_eye_distance(&sighting->eye, track->last.eye.lon, track->last.eye.lat);
    const double last = fmin(from->along + track->last.allowed_m + reach_of(track, sighting, way),
                             mcd_route_line_metres(track->line));
    mcd_route_line_near near[MCD_ROUTE_LINE_NEAR_MAX];
    const size_t count = mcd_route_line_find(near, track->line, &sighting->eye, fmin(from->floor, last), last,
                                             2 * sighting->allowed_m, true);
    for (size_t i = 0; i < count; ++i) {
        mcd_hypothesis it = *from;
        it.cost += move_cost(sighting, near[i].along - from->along, way);
        settle(out, track, sighting, it, near[i], 0);
    }
    for (size_t i = 0; i < track->stop_count && track->stop[i].along <= last; ++i) {
        mcd_hypothesis it = *from;
        it.cost += move_cost(sighting, track->stop[i].along - from->along, way);
        if (track->stop[i].along >= from->floor) settle_at_stop(out, track, sighting, it, &track->stop[i]);
    }
}

/* Adds the places within accuracy between two stops. Of several, the earlier ones are preferred. */
static void seed(mcd_hypotheses *out, const mcd_track *track, const mcd_sighting *sighting, size_t from,
                 size_t to)
{
    const double first = track->stop[from].along, last = track->stop[to].along;
    mcd_route_line_near near[MCD_ROUTE_LINE_NEAR_MAX];
    const size_t count =
        mcd_route_line_find(near, track->line, &sighting->eye, first, last, sighting->allowed_m, false);
    for (size_t i = 0; i < count; ++i) {
        const double later = fmin(2 * (near[i].along - first) / sighting->deviation_m, start_cost);
        const mcd_hypothesis it = {.cost = later, .since = near[i].along, .joined = sighting->eye};
        settle(out, track, sighting, it, near[i], 0);
    }
}

/* ---- on the route, and off it ---- */

/* Notes whether the position fits; off the route, all hypotheses end. */
static void judge(mcd_track *track, const mcd_sighting *sighting)
{
    bool fits = false;
    for (size_t i = 0; i < track->now.count; ++i) fits |= track->now.list[i].excess <= sighting->allowed_m;
    if (!fits)
        ++track->outside;
    else if (track->outside > 0)
        --track->outside;
    track->is_lost = track->outside >= OUTSIDE_MAX;
    if (track->is_lost) track->now.count = track->kept.count = 0;
}

/* Three positions fit, and he has moved along the route as far as between them, or he is at the end of the leg. */
static bool has_returned(const mcd_track *track, const mcd_sighting *sighting, const mcd_hypothesis *it)
{
    const double way = mcd_eye_distance(&it->joined, sighting->eye.lon, sighting->eye.lat);
    const bool moves = it->along - it->since >= fmax(sighting->deviation_m, way - sighting->deviation_m);
    const double left = track->stop[track->leg + 1].along - it->along;
    return it->fits >= FITS_MIN && (moves || left <= sighting->arrives_m);
}

/* Off the route: looks for places on the leg to which he may have come back. */
static void look_for_return(mcd_track *track, const mcd_sighting *sighting)
{
    const double allowed = sighting->allowed_m;
    mcd_hypotheses seeds = {.count = 0}, *const now = &track->now;
    size_t count = 0;
    for (size_t i = 0; i < now->count; ++i)
        if (now->list[i].excess <= allowed) now->list[count++] = now->list[i];
    now->count = count;
    seed(&seeds, track, sighting, track->leg, track->leg + 1);
    for (size_t i = 0; i < seeds.count; ++i) {
        bool is_new = true;
        for (size_t k = 0; k < count; ++k) is_new &= fabs(now->list[k].along - seeds.list[i].along) > allowed;
        if (is_new) insert(now, seeds.list[i]);
    }
    for (size_t i = 0; i < now->count && !track->is_back; ++i)
        track->is_back = has_returned(track, sighting, &now->list[i]);
    if (track->is_back) track->is_lost = false, track->outside = 0;
}

void mcd_track_move(mcd_track *track, const mcd_sighting *sighting)
{
    const double way = mcd_eye_distance(&sighting->eye, track->last.eye.lon, track->last.eye.lat);
    const bool moves = track->kept.count == 0 || way >= 2 * sighting->deviation_m;
    track->now.count = 0;
    track->is_back = false;
    for (size_t i = 0; i < track->kept.count; ++i) {
        track->kept.list[i].parent = i; /* as his children inherit it */
        advance(&track->now, track, sighting, &track->kept.list[i]);
    }
    if (track->is_lost) {
        look_for_return(track, sighting);
    } else {
        if (track->kept.count == 0) {
            seed(&track->now, track, sighting, 0, track->stop_count - 1);
            settle_at_stop(&track->now, track, sighting, (mcd_hypothesis){0}, &track->stop[0]);
        }
        judge(track, sighting);
    }
    if (track->now.count) tidy(&track->now);
    if (moves || track->is_lost) {
        track->kept = track->now;
        track->last = *sighting;
    } else { /* what hypotheses cost while he stays is noise, but they know how far he has come */
        for (size_t i = 0; i < track->kept.count; ++i) {
            double floor = INFINITY;
            for (size_t k = 0; k < track->now.count; ++k)
                if (track->now.list[k].parent == i) floor = fmin(floor, track->now.list[k].floor);
            if (isfinite(floor)) track->kept.list[i].floor = floor;
        }
    }
    track->stayed_until_s = sighting->time_s;
    while (!track->is_lost && track->now.count && track->leg + 2 < track->stop_count &&
           track->stop[track->leg + 1].along <= track->now.list[0].along)
        ++track->leg;
}
