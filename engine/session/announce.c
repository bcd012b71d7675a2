/* announce.c - see announce.h. */
#include "engine/session/announce.h"

#include <math.h>

static const double now_least_m = 15;    /* for a slow traveller */
static const double interval_max_s = 10; /* a longer one is a gap, and says nothing of the next one */
static const double faster_s = 1;        /* he may speed up */

/* Within errors, the traveller does not go back to a step that he has passed. */
static void find_next(mcd_announcer *announcer, const mcd_announce_moment *moment)
{
    const mcd_announced_step *const step = announcer->step;
    size_t next = announcer->next;
    while (next > 0 && step[next - 1].along > moment->along + moment->sighting->allowed_m) --next;
    while (next + 1 < announcer->count && step[next].along <= moment->along) ++next;
    announcer->next = next;
}

/* Returns how far in front of him a step is said to be done now: so that no position is beyond it before. */
static double lead_now(const mcd_announcer *announcer, const mcd_announce_moment *moment, size_t step)
{
    const double interval = fmin(moment->interval_s, interval_max_s) + faster_s;
    if (moment->is_end) return INFINITY;
    if (step + 1 == announcer->count) return -1; /* with the status */
    if (announcer->step[step].arrives) return fmax(moment->sighting->arrives_m, moment->speed_ms * interval);
    return fmax(now_least_m, moment->speed_ms * fmax(announcer->lead_s[MACADAM_GUIDE_NOW], interval));
}

/* Says the next step, if it is within this distance and has not been said so. */
static bool is_due(mcd_announcer *announcer, macadam_guide_say say, double distance, double lead,
                   double later)
{
    uint8_t *const said = &announcer->step[announcer->next].said;
    if (*said >= say || distance > lead) return false;
    *said = (uint8_t)say;
    return distance >= (lead + later) / 2;
}

static void say(macadam_guide_state *out, macadam_guide_say how, size_t first, size_t end)
{
    out->say = how;
    out->first_said = first;
    out->end_said = end;
}

void mcd_announce(macadam_guide_state *out, mcd_announcer *announcer, const mcd_announce_moment *moment)
{
    mcd_announced_step *const step = announcer->step;
    size_t *const end = &announcer->said_end;
    if (moment->is_new) {
        announcer->next = *end = 0;
        for (size_t i = 0; i < announcer->count; ++i) step[i].said = MACADAM_GUIDE_SILENT;
    }
    find_next(announcer, moment);
    /* A maneuver that he passed meanwhile is not said; of departures, which have no direction to turn to, errors decide. */
    if (moment->is_new || moment->interval_s > interval_max_s)
        while (*end < announcer->count &&
               step[*end].along < moment->along - moment->sighting->allowed_m / (*end ? 3 : 1))
            ++*end;
    const size_t first = *end;
    while (*end < announcer->count && step[*end].along <= moment->along + lead_now(announcer, moment, *end))
        ++*end;
    if (first < *end) return say(out, MACADAM_GUIDE_NOW, first, *end);
    const size_t next = announcer->next;
    if (next < *end) return;
    const double distance = step[next].along - moment->along, now = lead_now(announcer, moment, next),
                 near = fmax(now, moment->speed_ms * announcer->lead_s[MACADAM_GUIDE_NEAR]),
                 far = moment->speed_ms * announcer->lead_s[MACADAM_GUIDE_FAR];
    const bool is_near = is_due(announcer, MACADAM_GUIDE_NEAR, distance, near, now),
               is_far = is_due(announcer, MACADAM_GUIDE_FAR, distance, far, near);
    if (is_near || is_far) say(out, is_far ? MACADAM_GUIDE_FAR : MACADAM_GUIDE_NEAR, next, next + 1);
}
