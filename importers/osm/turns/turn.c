/* turn.c - see turn.h.
 *
 * Method: an arc after which something is forbidden or has its price leads to a copy of its head, which has
 * copies of the permitted arcs out of it, with the numbers of the originals. The original node keeps all
 * arcs out of it, for departures, and the arcs into it after which all is as at a departure.
 *
 *        from --> via --> to             from --> copy ------------> other
 *                  |              ==>                                 ^
 *                  v                              via ----------------+---> to
 *                other
 *
 * A forbidden sequence of arcs needs a copy for each of its beginnings. These are the states of the automaton
 * of Aho and Corasick (1975), the tree of all beginnings. A path that stands at a state has just come by the
 * state's arcs, and by no longer beginning. An arc may follow if the state and all its endings permit it. It
 * leads to the longest state that is an ending of the state's arcs plus the arc itself. Sequences are short
 * and rare, so endings are looked up instead of linked. States at a node that permit the same at the same
 * price and lead to the same states share a copy.
 *
 * Why it is right: by induction a path from an original stands at the state of the arcs it came by, and the
 * copied arcs out of it are those that may follow. (Winter 2002 treats the same by line graphs) */
#include "importers/osm/turns/turn.h"
#include "engine/base/grow.h"
#include "importers/base/incidence.h"
#include "engine/base/sort.h"

#include <stdatomic.h>
#include <stdlib.h>

#define STATE_NONE UINT32_MAX

/* The limit of copies of arcs is the greater of COPIES_MIN and COPIES_PER_ARC times the arcs of the map. */
enum { STATES_PER_PART = 1024, ARCS_PER_RANGE = 1 << 15, COPIES_MIN = 1 << 20, COPIES_PER_ARC = 32 };

macadam_status mcd_turns_charge(mcd_turns *turns, mcd_arc from, mcd_arc to, mcd_price more,
                                macadam_error *error)
{
    MCD_TRY(MCD_GROW(turns->turn, turns->capacity, turns->count + 1, error));
    turns->turn[turns->count++] = (mcd_turn){(uint32_t)from, (uint32_t)to, more};
    return MACADAM_OK;
}

macadam_status mcd_turns_time(mcd_turns *turns, mcd_map *map, const mcd_period *period, mcd_when opens,
                              macadam_error *error)
{
    uint32_t number;
    MCD_TRY(mcd_map_add_period(map, period, &number, error));
    if (!map->arc_when) MCD_TRY(MCD_NEW_ZEROED(map->arc_when, map->arc_count, error));
    turns->when = opens | (number + 1);
    return MACADAM_OK;
}

macadam_status mcd_turns_forbid(mcd_turns *turns, const mcd_arc *arc, size_t count, macadam_error *error)
{
    const mcd_price more = turns->when ? mcd_price_of_when(turns->when) : MCD_PRICE_FORBIDDEN;
    if (count == 2) return mcd_turns_charge(turns, arc[0], arc[1], more, error);
    MCD_TRY(MCD_GROW(turns->more, turns->more_capacity, turns->path_count + 1, error));
    turns->more[turns->path_count] = more;
    MCD_TRY(MCD_GROW(turns->path, turns->path_capacity, turns->path_arc_count + count, error));
    MCD_TRY(MCD_GROW(turns->length, turns->length_capacity, turns->path_count + 1, error));
    for (size_t i = 0; i < count; ++i) turns->path[turns->path_arc_count++] = arc[i];
    turns->length[turns->path_count++] = count;
    return MACADAM_OK;
}

macadam_status mcd_turns_check_node(const mcd_map *map, mcd_node node, size_t arriving, size_t leaving,
                                    mcd_arc arc, macadam_error *error)
{
    if (arriving == 0 || leaving <= MCD_TURNS_AT_NODE_MAX / arriving) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE,
                    "node %lld, at way %lld: %zu ways in and %zu ways out are more than the %d turns that a "
                    "junction may have; mend the map there, or use a profile without turn costs",
                    (long long)map->id[map->index[node]],
                    (long long)(map->arc_way ? map->arc_way[map->arc_number[arc] - 1] : 0), arriving, leaving,
                    MCD_TURNS_AT_NODE_MAX);
}

MCD_DEFINE_FREE(mcd_turns_free, mcd_turns, it->turn, it->path, it->length, it->more)

/* ---- turns by their arcs ---- */

static int compare_numbers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

MCD_DEFINE_COMPARE_TWO(compare_arcs, mcd_turn, from, to)

static int compare_turns(const void *a, const void *b)
{
    const mcd_turn *const x = a, *const y = b;
    const int order = compare_arcs(x, y);
    return order ? order : compare_numbers(y->more, x->more); /* the greatest comes first */
}

void mcd_turns_sort_from(mcd_turns *turns, size_t first)
{
    if (turns->count == first) return;
    qsort(turns->turn + first, turns->count - first, sizeof *turns->turn, compare_turns);
    size_t kept = first + 1;
    for (size_t i = kept; i < turns->count; ++i) {
        const mcd_turn *const last = &turns->turn[kept - 1], *const turn = &turns->turn[i];
        const bool repeated = turn->more >= MCD_PRICE_MIN || turn->more == last->more;
        if (!repeated || compare_arcs(last, turn) != 0) turns->turn[kept++] = *turn;
    }
    turns->count = kept;
}

void mcd_turns_sort(mcd_turns *turns)
{
    if (turns->count == turns->sorted_count) return;
    mcd_turns_sort_from(turns, 0);
    turns->sorted_count = turns->count;
}

MCD_DEFINE_LOWER_BOUND(find_turn, mcd_turn, .from, mcd_arc)

size_t mcd_turns_first(const mcd_turns *turns, mcd_arc from)
{
    return find_turn(turns->turn, 0, turns->sorted_count, from);
}

/* ---- states: the beginnings of sequences ---- */

typedef struct turn_state {
    mcd_arc arc;          /* the last one */
    size_t first_turn;    /* of the turns from it */
    mcd_node via, copy;   /* its head, and the node that stands for the state */
    uint32_t parent;      /* without the last arc; STATE_NONE: it is the only one */
    uint32_t child, next; /* the first longer one, and the next one of the same parent */
    uint32_t candidate;   /* the first state of the same node with the same `future`; it may be itself */
    uint32_t like;        /* one before it of the same copy, or itself; STATE_NONE: it is the original */
    bool has_end;         /* a sequence of three arcs or more ends with the next arc */
    uint64_t future;      /* a hash of what may follow */
} turn_state;

/* The arc that, after a state, ends a forbidden sequence. */
typedef struct path_end {
    uint32_t state;
    mcd_arc arc;
    mcd_price more;
} path_end;

/* The copies that a part of the states makes. */
typedef struct state_part {
    mcd_node node; /* how many nodes; then the first of them */
    mcd_arc arc;   /* the same of arcs */
} state_part;

typedef struct turn_splitter {
    mcd_copier *copier;
    mcd_map *map;
    const mcd_turns *turns;
    size_t arc_count;   /* of the originals */
    mcd_incidence out;  /* theirs, by tail */
    mcd_arena *arena;   /* of the arrays */
    turn_state *state;  /* parents before their children */
    uint32_t *of_arc;   /* [arc_count] the state of one arc */
    uint32_t *count_at; /* [node_count] states of a node */
    path_end *end;      /* [turns->path_count] by state */
    size_t state_count, end_count;
    state_part *part; /* [part_count] of STATES_PER_PART states */
    size_t part_count;
} turn_splitter;

static macadam_status add_state(turn_splitter *splitter, uint32_t parent, mcd_arc arc, size_t first_turn,
                                uint32_t *out, macadam_error *error)
{
    if (splitter->state_count >= STATE_NONE)
        return mcd_fail_invalid(error, "turns need more than %u copies", STATE_NONE - 1);
    *out = (uint32_t)splitter->state_count++;
    turn_state *const added = &splitter->state[*out];
    *added = (turn_state){.arc = arc,
                          .first_turn = first_turn,
                          .via = splitter->map->head[arc],
                          .parent = parent,
                          .child = STATE_NONE,
                          .next = STATE_NONE};
    MCD_TRY(mcd_turns_check_node(splitter->map, added->via, ++splitter->count_at[added->via],
                                 splitter->out.first[added->via + 1] - splitter->out.first[added->via], arc,
                                 error));
    if (parent == STATE_NONE) {
        splitter->of_arc[arc] = *out;
    } else {
        added->next = splitter->state[parent].child;
        splitter->state[parent].child = *out;
    }
    return MACADAM_OK;
}

static uint32_t find_child(const turn_splitter *splitter, uint32_t parent, mcd_arc arc)
{
    if (parent == STATE_NONE) return splitter->of_arc[arc];
    uint32_t child = splitter->state[parent].child;
    while (child != STATE_NONE && splitter->state[child].arc != arc) child = splitter->state[child].next;
    return child;
}

static macadam_status check_meeting(const mcd_map *map, mcd_arc from, mcd_arc to, macadam_error *error)
{
    if (from < map->arc_count && to == MCD_ARC_NONE) return MACADAM_OK;
    if (from < map->arc_count && to < map->arc_count && map->head[from] == map->tail[to]) return MACADAM_OK;
    return mcd_fail_invalid(error, "a turn from arc %llu into arc %llu, which do not meet",
                            (unsigned long long)from, (unsigned long long)to);
}

static macadam_status add_path(turn_splitter *splitter, const mcd_arc *arc, size_t length, mcd_price more,
                               macadam_error *error)
{
    uint32_t state = STATE_NONE;
    for (size_t i = 0; i + 1 < length; ++i) {
        MCD_TRY(check_meeting(splitter->map, arc[i], arc[i + 1], error));
        uint32_t child = find_child(splitter, state, arc[i]);
        if (child == STATE_NONE)
            MCD_TRY(
                add_state(splitter, state, arc[i], mcd_turns_first(splitter->turns, arc[i]), &child, error));
        state = child;
    }
    splitter->state[state].has_end = true;
    splitter->end[splitter->end_count++] = (path_end){state, arc[length - 1], more};
    return MACADAM_OK;
}

MCD_DEFINE_COMPARE_TWO(compare_ends, path_end, state, arc)

static int compare_priced_ends(const void *a, const void *b)
{
    const int order = compare_ends(a, b);
    return order ? order : compare_numbers(((const path_end *)b)->more, ((const path_end *)a)->more);
}

static mcd_period period_of(const mcd_map *map, uint32_t week)
{
    return (mcd_period){{map->week[week], map->week_holiday[week]}, map->guard[week]};
}

/* Joins the times of a turn: it is then shut when either says so. `a` opens if either does. */
static macadam_status join_times(mcd_map *map, mcd_when a, mcd_when b, mcd_when *out, macadam_error *error)
{
    static const mcd_guard none;
    const mcd_when opens = a & MCD_WHEN_OPENS;
    const uint32_t first = a - opens - 1, second = (b & (MCD_WHEN_OPENS - 1)) - 1;
    const mcd_period other = period_of(map, second);
    mcd_period both = period_of(map, first);
    uint32_t number = b;
    if (b & MCD_WHEN_OPENS) { /* open when both are */
        mcd_weeks_meet(both.week, other.week);
        number = other.guard.also;
    }
    const bool plain = !opens && memcmp(&both.guard, &none, sizeof none) == 0 &&
                       memcmp(&other.guard, &none, sizeof none) == 0;
    if (plain)
        mcd_weeks_unite(both.week, other.week);
    else if (both.guard.also && number)
        MCD_TRY(join_times(map, both.guard.also, number, &both.guard.also, error));
    else
        both.guard.also += number;
    MCD_TRY(mcd_map_add_period(map, &both, &number, error));
    *out = opens | (number + 1);
    return MACADAM_OK;
}

/* Shuts what is shut at times, instead of having a price, at other times as well; 0: at no others. */
static macadam_status join_when(mcd_map *map, mcd_price *more, mcd_when other, macadam_error *error)
{
    const mcd_when own = mcd_price_when(*more);
    const bool swaps = other & MCD_WHEN_OPENS;
    mcd_when when;
    if (!other || other == own) return MACADAM_OK;
    MCD_TRY(join_times(map, swaps ? other : own, swaps ? own : other, &when, error));
    *more = mcd_price_of_when(when);
    return MACADAM_OK;
}

/* Of each turn there remain one price and one time when it is shut: by itself, or by the road. */
static macadam_status join_turns(mcd_map *map, mcd_turns *turns, macadam_error *error)
{
    size_t kept = 0;
    for (size_t i = 0; i < turns->count; ++i) {
        const mcd_turn turn = turns->turn[i];
        mcd_turn *const last = kept ? &turns->turn[kept - 1] : NULL;
        if (last && last->more < MCD_PRICE_MIN && compare_arcs(last, &turn) == 0)
            MCD_TRY(join_when(map, &last->more, mcd_price_when(turn.more), error));
        else
            turns->turn[kept++] = turn;
    }
    turns->count = turns->sorted_count = kept;
    for (mcd_turn *turn = turns->turn; turn < turns->turn + kept && map->arc_when; ++turn)
        if (turn->more < MCD_PRICE_MIN && turn->to != MCD_TURN_ARRIVES)
            MCD_TRY(join_when(map, &turn->more, map->arc_when[turn->to], error));
    return MACADAM_OK;
}

/* A sequence that ends after a state and is always forbidden needs no time. */
static macadam_status join_ends(turn_splitter *splitter, macadam_error *error)
{
    path_end *const end = splitter->end;
    size_t kept = 0;
    if (splitter->end_count == 0) return MACADAM_OK;
    qsort(end, splitter->end_count, sizeof *end, compare_priced_ends);
    for (size_t i = 1; i < splitter->end_count; ++i)
        if (compare_ends(&end[kept], &end[i]) != 0)
            end[++kept] = end[i];
        else if (end[kept].more < MCD_PRICE_MIN)
            MCD_TRY(join_when(splitter->map, &end[kept].more, mcd_price_when(end[i].more), error));
    splitter->end_count = kept + 1;
    return MACADAM_OK;
}

/* An upper bound of their number: one for each arc that turns are from, and for each arc of a sequence. */
static size_t count_states(const mcd_turns *turns)
{
    size_t count = turns->path_arc_count;
    for (size_t i = 0; i < turns->count; ++i)
        count += i == 0 || turns->turn[i - 1].from != turns->turn[i].from;
    return count;
}

static macadam_status add_states(turn_splitter *splitter, mcd_watch *watch, macadam_error *error)
{
    const mcd_turns *const turns = splitter->turns;
    MCD_TRY(MCD_ARENA_NEW(splitter->arena, splitter->state, count_states(turns), error));
    for (size_t i = 0; i < turns->count; ++i) {
        const mcd_turn *const turn = &turns->turn[i];
        uint32_t state;
        if (i % STATES_PER_PART == 0) MCD_TRY(mcd_watch_step(watch, 0, turns->count, error));
        const mcd_arc to = turn->to == MCD_TURN_ARRIVES ? MCD_ARC_NONE : turn->to;
        MCD_TRY(check_meeting(splitter->map, turn->from, to, error));
        if (splitter->of_arc[turn->from] == STATE_NONE)
            MCD_TRY(add_state(splitter, STATE_NONE, turn->from, i, &state, error));
    }
    const mcd_arc *path = turns->path;
    for (size_t i = 0; i < turns->path_count; path += turns->length[i++])
        MCD_TRY(add_path(splitter, path, turns->length[i], turns->more[i], error));
    return join_ends(splitter, error);
}

/* ---- what may follow ---- */

/* The past of a path that stands at a state, or at the original of a node. */
typedef struct turn_past {
    mcd_arc last;      /* MCD_ARC_NONE at an original */
    size_t first_turn; /* from `last` */
    size_t ending_count;
    uint32_t ending[MCD_TURN_ARCS_MAX]; /* the states that are endings of it, without leaves; longest first */
} turn_past;

static const turn_past departure = {.last = MCD_ARC_NONE};

static uint32_t find_state(const turn_splitter *splitter, const mcd_arc *arc, size_t count)
{
    uint32_t state = splitter->of_arc[arc[0]];
    for (size_t i = 1; i < count && state != STATE_NONE; ++i) state = find_child(splitter, state, arc[i]);
    return state;
}

static void look_back(const turn_splitter *splitter, uint32_t state, turn_past *past)
{
    past->last = splitter->state[state].arc;
    past->first_turn = splitter->state[state].first_turn;
    past->ending_count = 0;
    mcd_arc arc[MCD_TURN_ARCS_MAX];
    size_t first = MCD_TURN_ARCS_MAX;
    for (uint32_t at = state; at != STATE_NONE; at = splitter->state[at].parent)
        arc[--first] = splitter->state[at].arc;
    for (; first < MCD_TURN_ARCS_MAX; ++first) {
        const uint32_t ending = find_state(splitter, arc + first, MCD_TURN_ARCS_MAX - first);
        if (ending == STATE_NONE) continue;
        const bool goes_on = splitter->state[ending].child != STATE_NONE || splitter->state[ending].has_end;
        if (goes_on) past->ending[past->ending_count++] = ending;
    }
}

static const path_end *find_end(const turn_splitter *splitter, uint32_t state, mcd_arc arc)
{
    const path_end wanted = {state, arc, 0};
    if (!splitter->state[state].has_end) return NULL;
    return bsearch(&wanted, splitter->end, splitter->end_count, sizeof wanted, compare_ends);
}

/* By its last arc, whose turns begin with `first`. *when: at which times it is shut. */
static mcd_price turn_price(const turn_splitter *splitter, size_t first, mcd_arc from, mcd_arc to,
                            mcd_when *when)
{
    const mcd_turns *const turns = splitter->turns;
    mcd_price price = 0;
    for (size_t i = first; i < turns->count && turns->turn[i].from == from; ++i) {
        if (turns->turn[i].to != (uint32_t)to) continue;
        if (turns->turn[i].more < MCD_PRICE_MIN)
            *when = mcd_price_when(turns->turn[i].more);
        else
            price = turns->turn[i].more;
    }
    return price;
}

/* The price of the turn into `to`, or of the arrival, and when it is shut; MCD_PRICE_FORBIDDEN: `to` may not
 * follow. */
static mcd_price price_of(const turn_splitter *splitter, const turn_past *past, mcd_arc to, mcd_when *when)
{
    mcd_when of_path = 0; /* of the longest sequence: with those of what it ends with */
    *when = 0;
    if (past->last == MCD_ARC_NONE) return 0;
    const mcd_price price = turn_price(splitter, past->first_turn, past->last, to, when);
    for (size_t i = 0; i < past->ending_count; ++i) {
        const path_end *const end = find_end(splitter, past->ending[i], to);
        if (end && end->more == MCD_PRICE_FORBIDDEN) return MCD_PRICE_FORBIDDEN;
        if (end && !of_path) of_path = mcd_price_when(end->more);
    }
    if (of_path) *when = of_path;
    return price;
}

/* A sequence is also shut when its last turn is, or a shorter sequence that it ends with, or the road. */
static macadam_status join_endings(turn_splitter *splitter, macadam_error *error)
{
    for (path_end *end = splitter->end; end < splitter->end + splitter->end_count; ++end) {
        turn_past past;
        mcd_when when = 0;
        if (end->more >= MCD_PRICE_MIN) continue;
        look_back(splitter, end->state, &past);
        turn_price(splitter, past.first_turn, past.last, end->arc, &when);
        MCD_TRY(join_when(splitter->map, &end->more, when, error));
        MCD_TRY(join_when(splitter->map, &end->more, splitter->map->arc_when[end->arc], error));
        for (size_t i = 0; i < past.ending_count; ++i) {
            const path_end *const other = find_end(splitter, past.ending[i], end->arc);
            if (other) MCD_TRY(join_when(splitter->map, &end->more, mcd_price_when(other->more), error));
        }
    }
    return MACADAM_OK;
}

/* The state of more than one arc that `to` leads to; STATE_NONE: there is none. */
static uint32_t longer_state(const turn_splitter *splitter, const turn_past *past, mcd_arc to)
{
    for (size_t i = 0; i < past->ending_count; ++i) {
        const uint32_t child = find_child(splitter, past->ending[i], to);
        if (child != STATE_NONE) return child;
    }
    return STATE_NONE;
}

static bool same_future(const turn_splitter *splitter, mcd_node via, const turn_past *x, const turn_past *y)
{
    mcd_when when, other;
    if (price_of(splitter, x, MCD_ARC_NONE, &when) != price_of(splitter, y, MCD_ARC_NONE, &other))
        return false;
    for (mcd_arc at = splitter->out.first[via]; at < splitter->out.first[via + 1]; ++at) {
        const mcd_arc to = splitter->out.arc[at];
        const mcd_price price = price_of(splitter, x, to, &when);
        if (price != price_of(splitter, y, to, &other) || when != other) return false;
        if (price != MCD_PRICE_FORBIDDEN && longer_state(splitter, x, to) != longer_state(splitter, y, to))
            return false;
    }
    return true;
}

/* ---- states alike ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Equal for pasts with the same future. */
static uint64_t hash_future(const turn_splitter *splitter, mcd_node via, const turn_past *past)
{
    mcd_when when;
    uint64_t hash = mix(via, price_of(splitter, past, MCD_ARC_NONE, &when));
    for (mcd_arc at = splitter->out.first[via]; at < splitter->out.first[via + 1]; ++at) {
        const mcd_arc to = splitter->out.arc[at];
        const mcd_price price = price_of(splitter, past, to, &when);
        hash = mix(hash, price);
        if (when) hash = mix(hash, when);
        if (price != MCD_PRICE_FORBIDDEN) hash = mix(hash, longer_state(splitter, past, to));
    }
    return hash;
}

static uint32_t end_of_part(const turn_splitter *splitter, size_t index)
{
    return (uint32_t)mcd_size_min((index + 1) * STATES_PER_PART, splitter->state_count);
}

static void hash_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const turn_splitter *const splitter = argument;
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(splitter, index); ++i) {
        turn_past past;
        look_back(splitter, i, &past);
        splitter->state[i].future = hash_future(splitter, splitter->state[i].via, &past);
    }
}

/* The states by their hashes: a junction may have 16,384 states, too many to compare each with each. A slot has the first
 * state of its future, once all threads have entered theirs. */
typedef struct future_table {
    const turn_splitter *splitter;
    _Atomic uint32_t *slot;
    size_t slot_count;
} future_table;

/* Returns the slot with the state's future, or else the one to enter it. *found: its state, or STATE_NONE, as it was looked at:
 * read again, an empty slot may have been taken by another future. */
static _Atomic uint32_t *find_future(const future_table *table, uint32_t index, uint32_t *found)
{
    const turn_state *const all = table->splitter->state, *const state = &all[index];
    const size_t mask = table->slot_count - 1;
    for (size_t slot = state->future & mask;; slot = (slot + 1) & mask) {
        *found = atomic_load_explicit(&table->slot[slot], memory_order_relaxed);
        if (*found == STATE_NONE || (all[*found].future == state->future && all[*found].via == state->via))
            return &table->slot[slot];
    }
}

static void enter_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const future_table *const table = argument;
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(table->splitter, index); ++i) {
        _Atomic uint32_t *slot;
        uint32_t found;
        do slot = find_future(table, i, &found);
        while (i < found && !atomic_compare_exchange_weak(slot, &(uint32_t){found}, i));
    }
}

static void find_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const future_table *const table = argument;
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(table->splitter, index); ++i)
        find_future(table, i, &table->splitter->state[i].candidate);
}

static macadam_status find_candidates(const turn_splitter *splitter, const mcd_parallel *parallel,
                                      mcd_watch *watch, macadam_error *error)
{
    future_table table = {.splitter = splitter, .slot_count = 2};
    while (table.slot_count < 2 * splitter->state_count) table.slot_count *= 2;
    MCD_OWNED uint32_t *slot = NULL;
    MCD_TRY(MCD_NEW(slot, table.slot_count, error));
    memset(slot, 0xff, table.slot_count * sizeof *slot); /* STATE_NONE */
    table.slot = (_Atomic uint32_t *)slot;
    MCD_TRY(mcd_watch_for(watch, parallel, splitter->part_count, enter_part, &table, error));
    return mcd_watch_for(watch, parallel, splitter->part_count, find_part, &table, error);
}

/* A state before `state` that permits the same; itself if there is none; STATE_NONE: all is as at a
 * departure. If different futures have one hash, a state only misses a copy that it could share. */
static uint32_t find_like(const turn_splitter *splitter, uint32_t state, const turn_past *past)
{
    const turn_state *const it = &splitter->state[state];
    turn_past its_past;
    if (same_future(splitter, it->via, past, &departure)) return STATE_NONE;
    if (it->candidate == state) return state;
    look_back(splitter, it->candidate, &its_past);
    return same_future(splitter, it->via, past, &its_past) ? it->candidate : state;
}

/* ---- splitting ---- */

static void plan_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const turn_splitter *const splitter = argument;
    state_part part = {0};
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(splitter, index); ++i) {
        turn_state *const state = &splitter->state[i];
        turn_past past;
        look_back(splitter, i, &past);
        state->like = find_like(splitter, i, &past);
        if (state->like != i) continue;
        ++part.node;
        mcd_when when;
        for (mcd_arc at = splitter->out.first[state->via]; at < splitter->out.first[state->via + 1]; ++at)
            part.arc += price_of(splitter, &past, splitter->out.arc[at], &when) != MCD_PRICE_FORBIDDEN;
    }
    splitter->part[index] = part;
}

/* Makes the nodes of the states that have their own; the others share those. */
static void make_nodes(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const turn_splitter *const splitter = argument;
    mcd_node next = splitter->part[index].node;
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(splitter, index); ++i) {
        turn_state *const state = &splitter->state[i];
        mcd_when when;
        if (state->like != i) continue;
        state->copy = next++;
        mcd_copier_fill_node(splitter->copier, state->copy, state->via,
                             turn_price(splitter, state->first_turn, state->arc, MCD_ARC_NONE, &when));
    }
}

static void share_nodes(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const turn_splitter *const splitter = argument;
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(splitter, index); ++i) {
        turn_state *const state = &splitter->state[i];
        if (state->like != i)
            state->copy = state->like == STATE_NONE ? state->via : splitter->state[state->like].copy;
    }
}

static void move_heads(void *argument, size_t first, size_t end)
{
    const turn_splitter *const splitter = argument;
    for (size_t arc = first; arc < end; ++arc)
        if (splitter->of_arc[arc] != STATE_NONE)
            splitter->map->head[arc] = splitter->state[splitter->of_arc[arc]].copy;
}

static void copy_arcs(const turn_splitter *splitter, uint32_t index, mcd_arc *next)
{
    const turn_state *const state = &splitter->state[index];
    turn_past past;
    look_back(splitter, index, &past);
    for (mcd_arc at = splitter->out.first[state->via]; at < splitter->out.first[state->via + 1]; ++at) {
        const mcd_arc to = splitter->out.arc[at];
        mcd_when when;
        const mcd_price price = price_of(splitter, &past, to, &when);
        if (price == MCD_PRICE_FORBIDDEN) continue;
        const uint32_t longer = longer_state(splitter, &past, to);
        /* the heads of the originals have moved to the states of single arcs */
        const mcd_node head = longer == STATE_NONE ? splitter->map->head[to] : splitter->state[longer].copy;
        mcd_copier_fill_arc(splitter->copier, *next, to, state->copy, head, price);
        if (when) splitter->map->arc_when[*next] = when;
        ++*next;
    }
}

static void fill_part(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const turn_splitter *const splitter = argument;
    mcd_arc next = splitter->part[index].arc;
    for (uint32_t i = (uint32_t)(index * STATES_PER_PART); i < end_of_part(splitter, index); ++i)
        if (splitter->state[i].like == i) copy_arcs(splitter, i, &next);
}

static macadam_status make_copies(turn_splitter *splitter, const mcd_parallel *parallel, mcd_watch *watch,
                                  macadam_error *error)
{
    splitter->part_count = (splitter->state_count + STATES_PER_PART - 1) / STATES_PER_PART;
    MCD_TRY(MCD_ARENA_NEW(splitter->arena, splitter->part, splitter->part_count, error));
    MCD_TRY(mcd_watch_for(watch, parallel, splitter->part_count, hash_part, splitter, error));
    MCD_TRY(find_candidates(splitter, parallel, watch, error));
    MCD_TRY(mcd_watch_for(watch, parallel, splitter->part_count, plan_part, splitter, error));
    mcd_arc arc_count = splitter->arc_count;
    size_t node_count = splitter->map->node_count;
    for (size_t i = 0; i < splitter->part_count; ++i) {
        const state_part made = splitter->part[i];
        splitter->part[i] = (state_part){(mcd_node)node_count, arc_count};
        node_count += made.node;
        arc_count += made.arc;
    }
    if (arc_count - splitter->arc_count > COPIES_MIN + COPIES_PER_ARC * splitter->arc_count)
        return mcd_fail_invalid(
            error, "turns need %llu copies of the map's %zu arcs; use a profile without turn costs",
            (unsigned long long)(arc_count - splitter->arc_count), splitter->arc_count);
    MCD_TRY(mcd_copier_reserve(splitter->copier, node_count - splitter->map->node_count,
                               arc_count - splitter->arc_count, error));
    MCD_TRY(mcd_watch_for(watch, parallel, splitter->part_count, make_nodes, splitter, error));
    splitter->map->node_count = node_count;
    MCD_TRY(mcd_watch_for(watch, parallel, splitter->part_count, share_nodes, splitter, error));
    mcd_ranges heads = {splitter->arc_count, ARCS_PER_RANGE, move_heads, splitter};
    MCD_TRY(mcd_watch_for(watch, parallel, mcd_ranges_count(&heads), mcd_ranges_do, &heads, error));
    MCD_TRY(mcd_watch_for(watch, parallel, splitter->part_count, fill_part, splitter, error));
    splitter->map->arc_count = arc_count;
    return MACADAM_OK;
}

static macadam_status allocate(turn_splitter *splitter, const mcd_parallel *parallel, mcd_watch *watch,
                               macadam_error *error)
{
    const mcd_map *const map = splitter->map;
    MCD_TRY(mcd_incidence_new(&splitter->out, splitter->arena, map->node_count, map->tail, map->arc_count,
                              parallel, watch, error));
    MCD_TRY(MCD_ARENA_NEW(splitter->arena, splitter->of_arc, map->arc_count, error));
    MCD_TRY(MCD_ARENA_NEW_ZEROED(splitter->arena, splitter->count_at, map->node_count, error));
    MCD_TRY(MCD_ARENA_NEW(splitter->arena, splitter->end, splitter->turns->path_count, error));
    for (size_t arc = 0; arc < map->arc_count; ++arc) splitter->of_arc[arc] = STATE_NONE;
    return MACADAM_OK;
}

macadam_status mcd_turns_apply(mcd_copier *copier, mcd_turns *turns, const mcd_parallel *parallel,
                               mcd_watch *watch, macadam_error *error)
{
    if (turns->count == 0 && turns->path_count == 0) return MACADAM_OK;
    mcd_turns_sort(turns);
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    turn_splitter splitter = {.copier = copier,
                              .map = copier->map,
                              .turns = turns,
                              .arc_count = copier->map->arc_count,
                              .arena = &arena};
    MCD_TRY(join_turns(copier->map, turns, error));
    MCD_TRY(allocate(&splitter, parallel, watch, error));
    MCD_TRY(add_states(&splitter, watch, error));
    MCD_TRY(join_endings(&splitter, error));
    return make_copies(&splitter, parallel, watch, error);
}
