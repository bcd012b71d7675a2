/* journey.c - see journey.h. */
#include "engine/match/journey.h"

/* Returns the part of a weight between two 2^-32ths of its arc; negative if the second one lies before the first. */
static int64_t between(mcd_weight weight, uint32_t from, uint32_t to)
{
    return (int64_t)mcd_road_share(weight, 0, to) - mcd_road_share(weight, 0, from);
}

static mcd_match_stop stop_at(const mcd_candidate *arrival, uint32_t before, const mcd_candidate *departure)
{
    const uint32_t other = before == 0 ? UINT32_MAX : 0 - before;
    return (mcd_match_stop){{[MCD_ARRIVE] = arrival->arc, [MCD_DEPART] = departure->arc},
                            {[MCD_ARRIVE] = before, [MCD_DEPART] = arrival == departure ? before : other}};
}

mcd_journey_sum mcd_journey_walk(const mcd_journey *journey, const mcd_move_search *search,
                                 const mcd_choice *choice, mcd_match_stop *stop)
{
    const mcd_weight *const objective = search->query->weights->objective;
    mcd_journey_sum sum = {0, 0, 0};
    const mcd_candidate *from = mcd_chosen(search, choice, journey->fix[0], MCD_DEPART);
    stop[0] = stop_at(from, from->before, from);
    for (size_t i = 1; i < journey->count; ++i) {
        const mcd_fix *a = &search->fix[journey->fix[i - 1]], *b = &search->fix[journey->fix[i]];
        const mcd_candidate *to = mcd_chosen(search, choice, journey->fix[i], MCD_ARRIVE),
                            *next = mcd_chosen(search, choice, journey->fix[i], MCD_DEPART);
        const uint32_t before = stop[i - 1].before[MCD_DEPART];
        const bool stands = mcd_move_stays(search, a, from, b, to) && to->before <= before;
        stop[i] = stop_at(to, stands ? before : to->before, next);
        sum.line_cm += mcd_fix_line_cm(search->fix, journey->fix[i - 1], journey->fix[i]);
        if (!stands) { /* after standing, another part of the arc is left */
            sum.objective += to->objective - (uint64_t)between(objective[from->arc], from->before, before);
            sum.distance_cm +=
                to->distance_cm - (uint64_t)between(search->distance[from->arc], from->before, before);
        }
        from = next;
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
