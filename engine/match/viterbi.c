/* viterbi.c - see viterbi.h.
 *
 * Method. Each fix with candidates is reached from the last one that is connected, at the least sum of
 * penalties (Viterbi 1967; ties: the first candidate). At a fix, the traveller may turn round at a price. If only ways
 * that take much longer than the time between two fixes lead there, these count.
 * If no candidate can be reached, either this fix is wrong, or the last one is; the last one may also be an outlier if
 * it fits badly. Then the fix before that is tried too. If the way from there is far better, the last one is dropped,
 * else this one is connected, or skipped if it cannot be. When too many in a row are skipped, or a pause splits the
 * trace, the journey ends, and another begins at the first one that was skipped.
 * Cost. A journey that begins looks again at no more than SKIPPED_MAX fixes. So each fix is looked at
 * from the one before it, and by two moves for each of SKIPPED_MAX beginnings at most, however wild the
 * trace is. */
#include "engine/match/viterbi.h"

enum {
    SKIPPED_MAX = 10,
    SUSPECT = 4 * MCD_NAT, /* a fix that adds more to the penalty may be an outlier, */
    OUTLIER = 8 * MCD_NAT, /* and is one if the way around it is better by so much */
};

void mcd_viterbi_begin(mcd_viterbi *out, const mcd_trace *trace)
{
    *out = (mcd_viterbi){*trace, trace->first, MCD_FIX_NONE, MCD_FIX_NONE, 0, MCD_TIME_NONE, 0};
}

/* One call. */
typedef struct viterbi_run {
    mcd_viterbi *viterbi;
    const mcd_move_search *search;
    const mcd_transitions *transitions;
    mcd_choice *choice;
    macadam_error *error;
} viterbi_run;

static void connect(const viterbi_run *run, uint32_t fix, uint32_t from)
{
    mcd_viterbi *const viterbi = run->viterbi;
    const int64_t time = run->search->fix[fix].time_ms;
    run->choice[fix].from = from;
    viterbi->last = fix;
    viterbi->broken = MCD_FIX_NONE;
    viterbi->skipped = 0;
    if (time != MCD_TIME_NONE || from == MCD_FIX_NONE) {
        viterbi->known_ms = time;
        viterbi->untimed = 0;
    } else
        ++viterbi->untimed;
}

static void begin_at(const viterbi_run *run, uint32_t fix)
{
    const mcd_candidate_list *list = &run->search->list[fix];
    for (uint32_t i = 0; i < list->count; ++i) {
        list->candidate[i].penalty = list->candidate[i].emission;
        list->candidate[i].from = MCD_FIX_NONE;
        list->candidate[i].turned = false;
    }
    connect(run, fix, MCD_FIX_NONE);
}

static const mcd_candidate *best_of(const mcd_candidate_list *list)
{
    const mcd_candidate *best = list->candidate;
    for (uint32_t i = 1; i < list->count; ++i)
        if (list->candidate[i].penalty < best->penalty) best = &list->candidate[i];
    return best;
}

/* Returns how many candidates of a fix lead on, and lets those of the fix before lead on that lead to them. */
static uint32_t trace_back(const mcd_candidate_list *list, const mcd_candidate_list *before)
{
    uint32_t count = 0;
    for (uint32_t i = 0; before && i < before->count; ++i) before->candidate[i].leads_on = false;
    for (uint32_t i = 0; i < list->count; ++i) {
        if (!list->candidate[i].leads_on) continue;
        ++count;
        if (before) before->candidate[list->candidate[i].from].leads_on = true;
    }
    return count;
}

/* Chooses the candidates of the journey that ends at the last connected fix. A journey has two fixes or more.
 */
static void finish(const viterbi_run *run)
{
    const mcd_candidate_list *const list = run->search->list;
    uint32_t fix = run->viterbi->last;
    if (fix == MCD_FIX_NONE || run->choice[fix].from == MCD_FIX_NONE) return;
    uint32_t candidate = (uint32_t)(best_of(&list[fix]) - list[fix].candidate);
    for (uint32_t i = 0; i < list[fix].count; ++i)
        list[fix].candidate[i].leads_on = list[fix].candidate[i].penalty != UINT64_MAX;
    for (uint32_t before; fix != MCD_FIX_NONE; fix = before) {
        before = run->choice[fix].from;
        run->choice[fix].candidate = candidate;
        run->choice[fix].alternatives =
            trace_back(&list[fix], before == MCD_FIX_NONE ? NULL : &list[before]) - 1;
        candidate = list[fix].candidate[candidate].from;
    }
}

/* Lets the traveller turn round at the candidates of a fix where this is more plausible than a way there. */
static void turn_round(const viterbi_run *run, uint32_t fix)
{
    const mcd_candidate_list *const list = &run->search->list[fix];
    for (uint32_t i = 0; i < list->count; ++i) {
        mcd_candidate *const to = &list->candidate[i];
        const mcd_candidate *const twin = to->twin == MCD_FIX_NONE ? to : &list->candidate[to->twin];
        if (twin->penalty == UINT64_MAX || twin->penalty + run->search->turn_penalty >= to->penalty) continue;
        to->penalty = twin->penalty + run->search->turn_penalty;
        to->objective = twin->objective;
        to->distance_cm = twin->distance_cm;
        to->from = twin->from;
        to->turned = true;
    }
}

/* Returns whether some candidate of `to` is reached. */
static bool reach(const viterbi_run *run, uint32_t from, uint32_t to, const mcd_transition *cell)
{
    const mcd_candidate_list *a = &run->search->list[from], *b = &run->search->list[to];
    bool reached = false;
    for (uint32_t t = 0; t < b->count; ++t) {
        mcd_candidate *target = &b->candidate[t];
        uint64_t best = UINT64_MAX;
        for (uint32_t s = 0; s < a->count; ++s) {
            const mcd_transition *way = &cell[(size_t)s * b->count + t];
            if (way->penalty == MCD_IMPLAUSIBLE || a->candidate[s].penalty == UINT64_MAX) continue;
            const uint64_t penalty = a->candidate[s].penalty + way->penalty;
            if (penalty >= best) continue;
            best = penalty;
            target->from = s;
            target->turned = false;
            target->objective = way->objective;
            target->distance_cm = way->distance_cm;
        }
        target->penalty = best == UINT64_MAX ? best : best + target->emission;
        reached |= best != UINT64_MAX;
    }
    turn_round(run, to);
    return reached;
}

/* Computes the transitions of one move, and sets *reached to whether they reach a candidate. */
static macadam_status try_move(const viterbi_run *run, uint32_t from, uint32_t to, mcd_reach within,
                               bool *reached)
{
    const mcd_move one = {from, to, 0};
    MCD_OWNED mcd_transition *cell = NULL;
    MCD_TRY(MCD_NEW(cell, (size_t)run->search->list[from].count * run->search->list[to].count, run->error));
    MCD_TRY(mcd_transitions_find(run->search, &one, 1, within, cell, run->error));
    *reached = reach(run, from, to, cell);
    return MACADAM_OK;
}

/* Sets *reached to whether a plausible way leads from one fix to another: a timely one, else any. */
static macadam_status move(const viterbi_run *run, uint32_t from, uint32_t to, bool *reached)
{
    const mcd_transitions *transitions = run->transitions;
    *reached = false;
    if (!mcd_move_is_possible(run->search, from, to)) return MACADAM_OK;
    if (from == run->search->fix[to].previous && to >= transitions->first &&
        transitions->first_cell[to - transitions->first] != SIZE_MAX)
        *reached = reach(run, from, to, transitions->cell + transitions->first_cell[to - transitions->first]);
    else
        MCD_TRY(try_move(run, from, to, MCD_REACH_TIMELY, reached));
    if (*reached || mcd_move_limit(run->search, from, to, MCD_REACH_WIDE) <=
                        mcd_move_limit(run->search, from, to, MCD_REACH_TIMELY))
        return MACADAM_OK;
    return try_move(run, from, to, MCD_REACH_WIDE, reached);
}

/* Returns the penalty of the best way to a fix from the fix `before`: directly, or over `mid`. The time that passed
 * meanwhile does not count: it makes no fix less plausible. */
static uint64_t surprise_at(const viterbi_run *run, uint32_t before, uint32_t mid, uint32_t fix)
{
    const mcd_move_search *const search = run->search;
    const mcd_candidate *const best = best_of(&search->list[fix]);
    const int64_t interval = mcd_fix_interval_ms(&search->fix[before], &search->fix[fix]);
    uint64_t takes = best->objective;
    if (mid != MCD_FIX_NONE) takes += search->list[mid].candidate[best->from].objective;
    if (interval != MCD_TIME_NONE && (uint64_t)interval < takes) takes = (uint64_t)interval;
    return best->penalty - mcd_move_haste(search, takes);
}

/* Looks at a fix that has candidates, after a connected one, or around it if that one seems wrong. */
static macadam_status go_on(const viterbi_run *run, uint32_t fix)
{
    mcd_viterbi *const viterbi = run->viterbi;
    const uint32_t last = viterbi->last, before = run->choice[last].from;
    bool reached, around = false;
    MCD_TRY(move(run, last, fix, &reached));
    if (before != MCD_FIX_NONE && (!reached || surprise_at(run, before, MCD_FIX_NONE, last) >
                                                   best_of(&run->search->list[before])->penalty + SUSPECT)) {
        const uint64_t over = reached ? surprise_at(run, before, last, fix) : UINT64_MAX;
        MCD_TRY(move(run, before, fix, &around));
        around = around && surprise_at(run, before, MCD_FIX_NONE, fix) + OUTLIER < over;
        if (reached && !around) MCD_TRY(move(run, last, fix, &reached));
    }
    if (reached || around)
        connect(run, fix, around ? before : last);
    else if (viterbi->skipped++ == 0)
        viterbi->broken = fix;
    return MACADAM_OK;
}

/* Whether a step since the last known time was surely a pause. */
static bool is_split(const viterbi_run *run, uint32_t fix)
{
    const mcd_viterbi *viterbi = run->viterbi;
    const int64_t time = run->search->fix[fix].time_ms;
    return time != MCD_TIME_NONE && viterbi->known_ms != MCD_TIME_NONE &&
           (time - viterbi->known_ms) / (viterbi->untimed + 1) > viterbi->trace.pause_ms;
}

/* Looks at the next fix. */
static macadam_status step(const viterbi_run *run)
{
    mcd_viterbi *const viterbi = run->viterbi;
    const uint32_t fix = (uint32_t)viterbi->next++;
    if (run->search->fix[fix].status || run->search->list[fix].count == 0) return MACADAM_OK;
    if (viterbi->last == MCD_FIX_NONE) {
        begin_at(run, fix);
        return MACADAM_OK;
    }
    if (!is_split(run, fix)) {
        MCD_TRY(go_on(run, fix));
        if (viterbi->skipped < SKIPPED_MAX) return MACADAM_OK;
    }
    const uint32_t begin = viterbi->broken == MCD_FIX_NONE ? fix : viterbi->broken;
    finish(run);
    begin_at(run, begin);
    viterbi->next = (size_t)begin + 1;
    return MACADAM_OK;
}

/* Whether another journey begins among the fixes that were skipped when the trace ended. */
static bool restarts(const viterbi_run *run)
{
    mcd_viterbi *const viterbi = run->viterbi;
    const uint32_t broken = viterbi->broken;
    finish(run);
    if (broken == MCD_FIX_NONE) return false;
    begin_at(run, broken);
    viterbi->next = (size_t)broken + 1;
    return true;
}

macadam_status mcd_viterbi_advance(mcd_viterbi *viterbi, const mcd_move_search *search,
                                   const mcd_transitions *transitions, size_t end, mcd_choice *choice,
                                   const mcd_watch *watch, macadam_error *error)
{
    const viterbi_run run = {viterbi, search, transitions, choice, error};
    end = mcd_size_min(end, viterbi->trace.end);
    do {
        while (viterbi->next < end) {
            if (!mcd_watch_goes_on(watch)) return MACADAM_E_CANCELLED;
            MCD_TRY(step(&run));
        }
    } while (end == viterbi->trace.end && restarts(&run));
    return MACADAM_OK;
}
