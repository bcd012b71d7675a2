/* journey.c - see journey.h. */
#include "engine/match/journey.h"

#include <math.h>

mcd_journey_sum mcd_journey_walk(const mcd_journey *journey, const mcd_move_search *search,
                                 const mcd_choice *choice, uint32_t *before)
{
    const mcd_weight *const objective = search->query->weights->objective;
    mcd_journey_sum sum = {0, 0, 0};
    const mcd_candidate *from = mcd_chosen(search, choice, journey->fix[0]);
    before[0] = from->before;
    for (size_t i = 1; i < journey->count; ++i) {
        const mcd_fix *a = &search->fix[journey->fix[i - 1]], *b = &search->fix[journey->fix[i]];
        const mcd_candidate *to = mcd_chosen(search, choice, journey->fix[i]);
        before[i] = to->before;
        sum.line_cm += mcd_fix_line_cm(search->fix, journey->fix[i - 1], journey->fix[i]);
        if (mcd_move_stays(search, a, from, b, to) && to->before <= before[i - 1]) {
            before[i] = before[i - 1];
        } else { /* a candidate that stood has less of its arc left */
            sum.objective +=
                to->objective - mcd_lanes_share(objective[from->arc], from->before, before[i - 1]);
            sum.distance_cm +=
                to->distance_cm - mcd_lanes_share(search->distance[from->arc], from->before, before[i - 1]);
        }
        from = to;
    }
    return sum;
}

/* ---- confidence ---- */

/* A Laplace distribution. */
typedef struct laplace {
    double location, scale;
} laplace;

static double density(const laplace *of, double x)
{
    return exp(-fabs(x - of->location) / of->scale) / (2 * of->scale);
}

/* The distributions of log(way / lines) of right and of wrong ways, and the share of right ones: OSRM's,
 * learnt from traces that people classified. */
static const laplace of_right = {0.0057154021891018675, 0.020294704891166186},
                     of_wrong = {0.11467696742821254, 0.49918444000368756};
static const double right_share = 0.7977883096366508;

double mcd_journey_confidence(const mcd_journey_sum *sum)
{
    if (sum->distance_cm == 0 || sum->line_cm == 0) return 0;
    const double ratio = log((double)sum->distance_cm / (double)sum->line_cm);
    const double right = right_share * density(&of_right, ratio),
                 wrong = (1 - right_share) * density(&of_wrong, ratio);
    return right / (right + wrong);
}
