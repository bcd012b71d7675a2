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
    while (next > 0 && step[next - 1].along > moment->along + moment->allowed_m) --next;
    while (next + 1 < announcer->count && step[next].along <= moment->along) ++next;
    announcer->next = next;
}

/* Returns how far in front of him a step is said to be done now: so that no position is beyond it before. */
static double lead_now(const mcd_announcer *announcer, const mcd_announce_moment *moment, size_t step)
{
    const double interval = fmin(moment->interval_s, interval_max_s) + faster_s;
    if (step + 1 == announcer->count) return moment->allowed_m;
    if (announcer->step[step].arrives) return fmax(moment->allowed_m, moment->speed_ms * interval);
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

mcd_announcement mcd_announce(mcd_announcer *announcer, const mcd_announce_moment *moment)
{
    const double *const lead_s = announcer->lead_s;
    mcd_announced_step *const step = announcer->step;
    mcd_announcement out = {MACADAM_GUIDE_SILENT, 0, 0};
    if (moment->is_new) {
        announcer->next = announcer->said_end = 0;
        for (size_t i = 0; i < announcer->count; ++i) step[i].said = MACADAM_GUIDE_SILENT;
    }
    find_next(announcer, moment);
    if (moment->is_new || moment->interval_s > interval_max_s) /* what he passed meanwhile is not said */
        while (announcer->said_end < announcer->count &&
               step[announcer->said_end].along < moment->along - moment->allowed_m)
            ++announcer->said_end;
    const size_t first = announcer->said_end;
    while (announcer->said_end < announcer->count &&
           step[announcer->said_end].along <=
               moment->along + lead_now(announcer, moment, announcer->said_end))
        ++announcer->said_end;
    if (first < announcer->said_end) return (mcd_announcement){MACADAM_GUIDE_NOW, first, announcer->said_end};
    const size_t next = announcer->next;
    if (next < announcer->said_end) return out;
    const double distance = step[next].along - moment->along, now = lead_now(announcer, moment, next),
                 near = fmax(now, moment->speed_ms * lead_s[MACADAM_GUIDE_NEAR]),
                 far = moment->speed_ms * lead_s[MACADAM_GUIDE_FAR];
    if (is_due(announcer, MACADAM_GUIDE_NEAR, distance, near, now)) out.say = MACADAM_GUIDE_NEAR;
    if (is_due(announcer, MACADAM_GUIDE_FAR, distance, far, near)) out.say = MACADAM_GUIDE_FAR;
    if (out.say) out = (mcd_announcement){out.say, next, next + 1};
    return out;
}
