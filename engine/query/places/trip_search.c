/* trip_search.c - see trip_search.h.
 *
 * Method  A* with a potential: a lower bound of what is left to the end, from weights that are customized for a window of
 *         the week (engine/runtime/clock_bounds.h). A node's potential is evaluated when the search first reaches it, up the
 *         elimination tree, and stays for later lanes of the trip. Along an arc within the window a key, cost + potential,
 *         never decreases. Nodes wait in buckets of keys and are settled bucket by bucket, until a key is above the best
 *         cost; a node whose cost falls again is settled again. A node from which one arc leads on needs neither a
 *         potential nor a bucket: the search goes on along this arc. Dead ends are left out. Ends of the trip, and nodes
 *         above them in the tree, have potentials, so none of them is passed so.
 * Speed   Waiting for memory takes most of the time. So some nodes of a bucket are settled together: their arcs that may
 *         lower a cost are found first, then relaxed, then the potentials that are lacking are evaluated, highest nodes
 *         first. Each step fetches what the next one reads.
 * Windows A bound says how long the trip takes at least. The search uses the narrowest window that has some room for more.
 *         If the best cost leaves it, or no way lies in it, a wider one follows, at last the week.
 * Ties    All nodes with keys up to the best cost are settled, among them those on all ways of that cost. The tight arcs
 *         are followed back from the end, and give the companions, ranks and parents that backend.h defines for trees: a
 *         tight arc into such a node begins at one. A node whose cost is not final has no tight arc: by FIFO, it would
 *         be tight with the lower, final cost, too, and the node were settled.
 * Layout  Nodes are stored in pages, which are made when the search comes to one of their nodes: nothing is cleared that
 *         no search has used. Page 0 is that of all nodes whose page is not made: it stays empty.
 * Length  The steps of a search stay in one file, because the compiler inlines them into each other.
 * (Hart, Nilsson, Raphael 1968; Strasser, Zeitz 2021: CCH-Potentials) */
#include "engine/query/places/trip_search.h"

#include "engine/base/grow.h"
#include "engine/base/sort.h"
#include "engine/runtime/clock.h"
#include "kernels/clock.h"

#include <stdlib.h>

enum {
    LINE_BYTES = 64,
    PAGE_NODES = 32,
    BUCKETS = 1024,
    AHEAD = 4,           /* nodes of a root path: how early their arcs are fetched */
    FEW = 4,             /* arcs that are looked at together */
    BATCH = 32,          /* nodes whose memory is fetched together */
    FOUND = BATCH * FEW, /* arcs that are relaxed together */
    WATCHED_NODES = 1 << 12,
    ROOM = 4,                    /* a trip takes this part more than by the week's bound, or less */
    NODES_PER_REQUEST = 1 << 14, /* a bound is made at the request number nodes / this, ... */
    REQUESTS_MOST = 12,          /* ... at the latest at this one */
};

static const uint32_t unknown = UINT32_MAX, awaited = UINT32_MAX - 1, no_label = UINT32_MAX,
                      no_entry = UINT32_MAX;
static const uint32_t window_hours[] = {1, 2, 4, 8};

typedef struct trip_node {
    mcd_weight cost;      /* of the search; before it, from (to) the end over the hierarchy */
    mcd_weight potential; /* `unknown` until it is needed */
    uint32_t label;       /* if label[this] is of this node; before, the node from which the cost came */
} trip_node;

typedef struct trip_entry {
    mcd_weight key;
    mcd_node node;
    uint32_t next; /* of the bucket, or of those that are free */
} trip_entry;

/* An arc that may lower the cost at its end, the node before it, and the cost there. Or, without an arc, a node whose cost was
 * lowered. */
typedef struct trip_found {
    const mcd_clock_arc *arc;
    mcd_node node;
    mcd_weight cost;
} trip_found;

typedef struct trip_label {
    mcd_node node;
    uint32_t parent; /* a label */
    uint64_t value;  /* companion, and in the low half the rank; UINT64_MAX: unreached */
} trip_label;

typedef struct trip_arc {
    uint32_t from, to;    /* labels */
    mcd_weight cost;      /* at `to` */
    mcd_weight companion; /* of the arc */
    bool stays;           /* it takes no time */
} trip_arc;

typedef struct trip_run {
    mcd_trip_search *search;
    const mcd_trip *trip;
    mcd_clock_bound *bound;
    uint32_t instant;
    mcd_direction direction;
    mcd_weight limit; /* of keys: ways above it do not count */
    mcd_clock_sum best;
    const mcd_patterns *patterns;
    const mcd_clock_arc *arc; /* in the direction of the search */
    const mcd_arc *first;
    bool is_aimed;    /* all nodes have the search's costs */
    mcd_weight least; /* of keys */
    unsigned shift;   /* of keys to buckets */
    uint32_t now;     /* the current bucket */
    uint32_t bucket[BUCKETS];
    size_t found_count;
    trip_found found[FOUND];
} trip_run;

/* ---- nodes ---- */

static inline trip_node *node_at(const mcd_trip_search *search, mcd_node node)
{
    return &search->node[search->first_of[node / PAGE_NODES] + node % PAGE_NODES];
}

static macadam_status new_page(mcd_trip_search *search, uint32_t number, macadam_error *error)
{
    MCD_TRY(MCD_GROW(search->node, search->node_capacity, (search->page_count + 1) * PAGE_NODES, error));
    MCD_TRY(MCD_GROW(search->page, search->page_capacity, search->page_count + 1, error));
    search->first_of[number] = (uint32_t)search->page_count * PAGE_NODES;
    search->page[search->page_count] = number;
    trip_node *const node = &search->node[search->page_count++ * PAGE_NODES];
    for (int i = 0; i < PAGE_NODES; ++i) node[i] = (trip_node){MCD_UNREACHED, unknown, no_label};
    return MACADAM_OK;
}

/* *out is valid until the next page is made. */
static inline macadam_status see(mcd_trip_search *search, mcd_node node, trip_node **out,
                                 macadam_error *error)
{
    if (search->first_of[node / PAGE_NODES] == 0) MCD_TRY(new_page(search, node / PAGE_NODES, error));
    *out = node_at(search, node);
    return MACADAM_OK;
}

static mcd_weight cost_at(const mcd_trip_search *search, mcd_node node)
{
    return node_at(search, node)->cost;
}

/* Forgets all nodes. */
static macadam_status clear(mcd_trip_search *search, const mcd_hierarchy *hierarchy, macadam_error *error)
{
    const size_t pages = (size_t)hierarchy->node_count / PAGE_NODES + 1;
    if (!search->first_of) MCD_TRY(MCD_NEW_ZEROED(search->first_of, pages, error));
    for (size_t i = 0; i < search->page_count; ++i) search->first_of[search->page[i]] = 0;
    search->page_count = search->chain_count = 0;
    return new_page(search, 0, error);
}

/* ---- potentials ---- */

/* Lists a node and its ancestors up to the first one whose potential is not `unknown`, the highest one first, and gives them
 * the potential `mark`. Fetches where their arcs are. */
static macadam_status list_chain(trip_run *run, mcd_node node, const mcd_search *arcs, mcd_weight mark,
                                 macadam_error *error)
{
    const mcd_node *const parent = run->bound->weights.hierarchy->parent;
    mcd_trip_search *const search = run->search;
    size_t first = search->chain_count;
    for (; node != MCD_NODE_NONE; node = parent[node]) {
        trip_node *at;
        MCD_TRY(see(search, node, &at, error));
        if (at->potential != unknown) break;
        at->potential = mark;
        __builtin_prefetch(&arcs->first[node]);
        if (search->chain_count == search->chain_capacity)
            MCD_TRY(MCD_GROW(search->chain, search->chain_capacity, search->chain_count + 1, error));
        search->chain[search->chain_count++] = node;
    }
    for (size_t last = search->chain_count; first + 1 < last; ++first) {
        const mcd_node low = search->chain[first];
        search->chain[first] = search->chain[--last];
        search->chain[last] = low;
    }
    return MACADAM_OK;
}

static inline void fetch_hierarchy(const mcd_search *arcs, mcd_node node)
{
    __builtin_prefetch(&arcs->head[arcs->first[node]]);
    __builtin_prefetch(&arcs->objective[arcs->first[node]]);
}

/* Evaluates the potentials of the nodes that are listed. */
static void evaluate_listed(trip_run *run)
{
    mcd_trip_search *const search = run->search;
    const mcd_search *const up = &run->bound->weights.search[run->direction];
    const size_t count = search->chain_count;
    for (size_t i = 0; i < AHEAD && i < count; ++i) fetch_hierarchy(up, search->chain[i]);
    for (size_t i = 0; i < count; ++i) {
        const mcd_node x = search->chain[i];
        trip_node *const at = node_at(search, x);
        mcd_weight least = run->is_aimed ? MCD_UNREACHED : at->cost;
        if (i + AHEAD < count) fetch_hierarchy(up, search->chain[i + AHEAD]);
        const mcd_arc end = up->first[x + 1];
        for (mcd_arc arc = up->first[x]; arc < end; ++arc) {
            const mcd_weight objective = up->objective[arc];
            if (objective >= least) continue;
            const mcd_weight over = objective + node_at(search, up->head[arc])->potential;
            if (over < least) least = over;
        }
        at->potential = least;
    }
    search->chain_count = 0;
}

static macadam_status evaluate(trip_run *run, mcd_node node, macadam_error *error)
{
    MCD_TRY(list_chain(run, node, &run->bound->weights.search[run->direction], awaited, error));
    evaluate_listed(run);
    return MACADAM_OK;
}

/* Finds the costs between a node of the end and its ancestors. No node has a potential yet, so all of them are listed. */
static macadam_status climb(trip_run *run, mcd_node node, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    const mcd_search *const down = &run->bound->weights.search[run->direction ^ 1];
    MCD_TRY(list_chain(run, node, down, unknown, error));
    node_at(search, node)->cost = 0;
    for (size_t i = search->chain_count; i-- > 0;) {
        const mcd_node x = search->chain[i];
        const mcd_weight cost = node_at(search, x)->cost;
        if (i >= AHEAD) fetch_hierarchy(down, search->chain[i - AHEAD]);
        for (mcd_arc arc = down->first[x]; cost < MCD_UNREACHED && arc < down->first[x + 1]; ++arc) {
            trip_node *const to = node_at(search, down->head[arc]); /* an ancestor */
            if (cost + down->objective[arc] < to->cost) to->cost = cost + down->objective[arc];
        }
    }
    search->chain_count = 0;
    return MACADAM_OK;
}

typedef macadam_status (*for_node)(trip_run *run, mcd_node node, macadam_error *error);

static macadam_status for_ends(trip_run *run, for_node call, macadam_error *error)
{
    const mcd_lanes *const other = run->trip->other;
    const size_t place = run->trip->other_place;
    for (size_t l = mcd_lanes_first(other, place); l < mcd_lanes_inner(other, place); ++l) {
        const mcd_lane lane = mcd_lanes_at(other, l);
        for (uint32_t i = 0; i < mcd_lane_seed_count(&lane); ++i)
            MCD_TRY(call(run, lane.seed[i].node, error));
    }
    return MACADAM_OK;
}

/* Makes the bound's potentials those of the search. `run->least` is then the least that the trip takes. */
static macadam_status aim(trip_run *run, macadam_error *error)
{
    const mcd_lanes *const from = run->trip->search;
    run->least = MCD_UNREACHED;
    run->is_aimed = false;
    MCD_TRY(clear(run->search, run->bound->weights.hierarchy, error));
    MCD_TRY(for_ends(run, climb, error));
    MCD_TRY(for_ends(run, evaluate, error));
    for (size_t l = mcd_lanes_first(from, run->trip->place); l < mcd_lanes_inner(from, run->trip->place);
         ++l) {
        const mcd_lane lane = mcd_lanes_at(from, l);
        for (uint32_t i = 0; i < mcd_lane_seed_count(&lane); ++i) {
            MCD_TRY(evaluate(run, lane.seed[i].node, error));
            const mcd_weight potential = node_at(run->search, lane.seed[i].node)->potential;
            if (potential < run->least) run->least = potential;
        }
    }
    run->is_aimed = true;
    return MACADAM_OK;
}

/* ---- the search ---- */

/* Lists a node in the bucket of its key. Keys beyond the ring wait in its last bucket. */
static inline macadam_status push(trip_run *run, mcd_weight key, mcd_node node, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    uint32_t entry = search->entry_free, bucket = key >> run->shift;
    if (entry == no_entry) {
        if (search->entry_count == search->entry_capacity)
            MCD_TRY(MCD_GROW(search->entry, search->entry_capacity, search->entry_count + 1, error));
        entry = (uint32_t)search->entry_count++;
    } else
        search->entry_free = search->entry[entry].next;
    if (bucket < run->now) bucket = run->now;
    if (bucket - run->now >= BUCKETS) bucket = run->now + BUCKETS - 1;
    search->entry[entry] = (trip_entry){key, node, run->bucket[bucket % BUCKETS]};
    run->bucket[bucket % BUCKETS] = entry;
    return MACADAM_OK;
}

/* Takes some entries of the first bucket that has any. Returns their number, 0 if none is within the limit. */
static uint32_t pop(trip_run *run, trip_entry *out)
{
    mcd_trip_search *const search = run->search;
    const uint32_t end = run->limit >> run->shift;
    uint32_t count = 0, left = BUCKETS;
    while (left > 0 && run->now <= end && run->bucket[run->now % BUCKETS] == no_entry) ++run->now, --left;
    uint32_t *const top = &run->bucket[run->now % BUCKETS];
    if (left == 0 || run->now > end) return 0;
    while (count < BATCH && *top != no_entry) {
        const uint32_t entry = *top;
        out[count++] = search->entry[entry];
        *top = search->entry[entry].next;
        search->entry[entry].next = search->entry_free;
        search->entry_free = entry;
    }
    return count;
}

static inline mcd_weight arc_cost(const trip_run *run, const mcd_clock_arc *arc, mcd_weight cost)
{
    const mcd_patterns *const patterns = run->patterns;
    if (arc->pattern == 0) return mcd_weight_add(arc->own, arc->price);
    const uint32_t instant = mcd_clock_instant(run->instant, cost, run->direction);
    const mcd_clock_moment moment = mcd_clock_moment_of(patterns, instant, run->direction);
    return mcd_clock_cost_in_slot(patterns, arc, instant, moment.left,
                                  mcd_clock_rate(patterns, arc->pattern, moment.slot), run->direction);
}

/* Returns how many arcs lead on from a node that is reached from `from`; more than two count as two. *on: the last one. */
static inline unsigned count_onward(const trip_run *run, mcd_node node, mcd_node from,
                                    const mcd_clock_arc **on)
{
    const mcd_arc first = run->first[node], end = run->first[node + 1];
    unsigned count = 0;
    if (end - first > 2) return 2;
    for (mcd_arc i = first; i < end; ++i)
        if (run->arc[i].end != from) *on = &run->arc[i], ++count;
    return count;
}

/* Lowers the cost of a node, and goes on if only one arc leads on. A node that has to be pushed is found[*listed]. */
static inline macadam_status lower(trip_run *run, mcd_node node, mcd_node from, mcd_weight cost,
                                   size_t *listed, macadam_error *error)
{
    trip_node *at;
    for (const mcd_clock_arc *on = NULL;;) {
        if (cost > run->limit) return MACADAM_OK;
        MCD_TRY(see(run->search, node, &at, error));
        if (cost >= at->cost) return MACADAM_OK;
        const unsigned onward = at->potential == unknown ? count_onward(run, node, from, &on) : 2;
        if (onward == 0) return MACADAM_OK;
        at->cost = cost;
        at->label = from;
        if (onward > 1) break;
        cost = mcd_weight_add(cost, arc_cost(run, on, cost));
        from = node;
        node = on->end;
    }
    run->found[(*listed)++] = (trip_found){NULL, node, cost};
    if (at->potential != unknown) return MACADAM_OK;
    return list_chain(run, node, &run->bound->weights.search[run->direction], awaited, error);
}

/* Pushes the nodes found[0, count), unless their cost was lowered again. */
static macadam_status push_found(trip_run *run, size_t count, macadam_error *error)
{
    evaluate_listed(run);
    for (size_t i = 0; i < count; ++i) {
        const mcd_node node = run->found[i].node;
        const trip_node *const at = node_at(run->search, node);
        const mcd_weight key = at->cost + at->potential;
        if (at->cost != run->found[i].cost || key > run->limit) continue;
        const char *const arc = (const char *)&run->arc[run->first[node]];
        __builtin_prefetch(arc);
        __builtin_prefetch(arc + LINE_BYTES - 1);
        MCD_TRY(push(run, key, node, error));
    }
    return MACADAM_OK;
}

/* Relaxes the arcs that are found. */
static macadam_status relax_found(trip_run *run, macadam_error *error)
{
    size_t listed = 0;
    for (size_t i = 0; i < run->found_count; ++i) {
        const mcd_node end = run->found[i].arc->end;
        if (node_at(run->search, end)->potential == unknown) __builtin_prefetch(&run->arc[run->first[end]]);
    }
    for (size_t i = 0; i < run->found_count; ++i) {
        const trip_found found = run->found[i];
        const mcd_weight passed = arc_cost(run, found.arc, found.cost);
        MCD_TRY(lower(run, found.arc->end, found.node, mcd_weight_add(found.cost, passed), &listed, error));
    }
    run->found_count = 0;
    return push_found(run, listed, error);
}

/* Few arcs lower a cost, and no processor foresees which: they are found without branches. */
static inline macadam_status find_arcs(trip_run *run, mcd_node node, mcd_weight cost, macadam_error *error)
{
    const mcd_arc *const up = run->bound->weights.search[run->direction].first;
    const mcd_node *const parent = run->bound->weights.hierarchy->parent;
    const mcd_arc end = run->first[node + 1];
    for (mcd_arc first = run->first[node]; first < end; first += FEW) {
        if (run->found_count + FEW > FOUND) MCD_TRY(relax_found(run, error));
        size_t count = run->found_count;
        for (mcd_arc i = first; i < first + FEW; ++i) {
            const mcd_clock_arc *const arc = &run->arc[i < end ? i : first];
            run->found[count] = (trip_found){arc, node, cost};
            __builtin_prefetch(&run->first[arc->end]);
            __builtin_prefetch(&up[arc->end]);
            __builtin_prefetch(&parent[arc->end]);
            count += (i < end) & mcd_clock_may_lower(arc, cost, cost_at(run->search, arc->end));
        }
        run->found_count = count;
    }
    return MACADAM_OK;
}

/* Returns the better one of the best cost and that of a way to the end over `node`. */
static mcd_clock_sum arrive(const trip_run *run, mcd_node node, mcd_weight companion, mcd_clock_sum best)
{
    return mcd_clock_arrive(run->trip->other, run->trip->other_place, node, run->instant,
                            cost_at(run->search, node), companion, best);
}

/* An end that is settled lowers the limit. Others of potential 0 do no harm: no way ends there. */
static macadam_status lower_limit(trip_run *run, mcd_node node, MCD_UNUSED macadam_error *error)
{
    const mcd_clock_sum none = {MCD_UNREACHED, MCD_UNREACHED, MCD_NODE_NONE};
    const mcd_weight cost = arrive(run, node, 0, none).objective;
    if (cost < run->limit) run->limit = cost;
    return MACADAM_OK;
}

static macadam_status settle(trip_run *run, const trip_entry *entry, macadam_error *error)
{
    const trip_node *const at = node_at(run->search, entry->node);
    const mcd_weight cost = at->cost;
    if (entry->key != cost + at->potential || entry->key > run->limit) return MACADAM_OK;
    if (entry->key >> run->shift > run->now) return push(run, entry->key, entry->node, error);
    if (at->potential == 0) MCD_TRY(for_ends(run, lower_limit, error));
    return find_arcs(run, entry->node, cost, error);
}

static macadam_status settle_all(trip_run *run, macadam_error *error)
{
    trip_entry entry[BATCH];
    uint32_t settled = 0;
    for (uint32_t count = pop(run, entry); count > 0; count = pop(run, entry)) {
        for (uint32_t i = 0; i < count; ++i) MCD_TRY(settle(run, &entry[i], error));
        MCD_TRY(relax_found(run, error));
        settled += count;
        if (settled < WATCHED_NODES) continue;
        settled = 0;
        MCD_TRY(mcd_watch_step(run->trip->watch, 0, 0, error));
    }
    return MACADAM_OK;
}

static macadam_status search_lane(trip_run *run, const mcd_lane *from, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    search->entry_count = 0;
    search->entry_free = no_entry;
    run->now = 0;
    for (int i = 0; i < BUCKETS; ++i) run->bucket[i] = no_entry;
    for (size_t i = 0; i < search->page_count * PAGE_NODES; ++i) search->node[i].cost = MCD_UNREACHED;
    run->now = run->least >> run->shift;
    for (uint32_t i = 0; i < mcd_lane_seed_count(from); ++i) {
        size_t listed = 0;
        MCD_TRY(lower(run, from->seed[i].node, MCD_NODE_NONE, from->seed[i].objective, &listed, error));
        MCD_TRY(push_found(run, listed, error));
    }
    return settle_all(run, error);
}

/* ---- ties ---- */

static macadam_status label_node(trip_run *run, mcd_node node, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    trip_node *const at = node_at(search, node);
    if (at->cost >= MCD_UNREACHED ||
        (at->label < search->label_count && search->label[at->label].node == node))
        return MACADAM_OK;
    MCD_TRY(MCD_GROW(search->label, search->label_capacity, search->label_count + 1, error));
    at->label = (uint32_t)search->label_count++;
    search->label[at->label] = (trip_label){node, no_label, UINT64_MAX};
    return MACADAM_OK;
}

/* Labels the ends by which the best cost is reached. */
static macadam_status label_end(trip_run *run, mcd_node node, macadam_error *error)
{
    const mcd_clock_sum none = {MCD_UNREACHED, MCD_UNREACHED, MCD_NODE_NONE};
    const mcd_weight cost = arrive(run, node, 0, none).objective;
    return cost == run->limit && cost < MCD_UNREACHED ? label_node(run, node, error) : MACADAM_OK;
}

/* Fetches the arcs to the nodes of the way by which the search came to an end. */
static macadam_status fetch_way(trip_run *run, mcd_node end, MCD_UNUSED macadam_error *error)
{
    const mcd_clock_arcs *const arcs = run->trip->query->timing.arcs;
    const mcd_direction against = run->direction ^ 1;
    const mcd_arc *const first = against == MCD_FORWARD ? arcs->graph->first_out : arcs->graph->first_in;
    for (mcd_node x = end; x != MCD_NODE_NONE && cost_at(run->search, x) < MCD_UNREACHED;
         x = node_at(run->search, x)->label)
        __builtin_prefetch(&first[x]);
    for (mcd_node x = end; x != MCD_NODE_NONE && cost_at(run->search, x) < MCD_UNREACHED;
         x = node_at(run->search, x)->label) {
        __builtin_prefetch(&arcs->arc[against][first[x]]);
        if (run->trip->joint) __builtin_prefetch(&arcs->companion[against][first[x]]);
    }
    return MACADAM_OK;
}

/* Lists the tight arcs that lead to a label. */
static macadam_status follow(trip_run *run, uint32_t to, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    const mcd_clock_arcs *const arcs = run->trip->query->timing.arcs;
    const mcd_direction against = run->direction ^ 1;
    const mcd_arc *const first = against == MCD_FORWARD ? arcs->graph->first_out : arcs->graph->first_in;
    const mcd_node y = search->label[to].node;
    const mcd_weight cost = cost_at(search, y);
    for (mcd_arc i = first[y]; i < first[y + 1]; ++i) {
        const mcd_clock_arc *const arc = &arcs->arc[against][i];
        const mcd_weight before = cost_at(search, arc->end);
        if (mcd_weight_add(before, mcd_weight_add(arc->own, arc->price)) > cost ||
            mcd_weight_add(before, arc_cost(run, arc, before)) != cost)
            continue;
        MCD_TRY(label_node(run, arc->end, error));
        MCD_TRY(MCD_GROW(search->arc, search->arc_capacity, search->arc_count + 1, error));
        search->arc[search->arc_count++] =
            (trip_arc){node_at(search, arc->end)->label, to, cost,
                       run->trip->joint ? arcs->companion[against][i] : 0, before == cost};
    }
    return MACADAM_OK;
}

MCD_DEFINE_COMPARE_TWO(compare_arcs, trip_arc, cost, stays)

/* Sorts arcs by costs. They are mostly listed by falling ones. */
static void sort_arcs(trip_arc *arc, size_t count)
{
    size_t sorted = 1;
    for (size_t first = 0, end = count; first + 1 < end; ++first) {
        const trip_arc kept = arc[first];
        arc[first] = arc[--end];
        arc[end] = kept;
    }
    while (sorted < count && compare_arcs(&arc[sorted - 1], &arc[sorted]) <= 0) ++sorted;
    if (sorted < count) qsort(arc, count, sizeof *arc, compare_arcs);
}

/* Lowers the label at an arc's end. Of equal ones, the least node is the parent. Returns whether it was lowered. */
static bool pass(trip_label *label, const trip_arc *arc)
{
    const trip_label *const from = &label[arc->from];
    trip_label *const to = &label[arc->to];
    if (from->value == UINT64_MAX) return false;
    const mcd_weight companion = mcd_weight_add((mcd_weight)(from->value >> 32), arc->companion);
    const uint64_t value = !arc->stays || arc->companion ? (uint64_t)companion << 32 : from->value + 1;
    if (companion == MCD_UNREACHED || value > to->value) return false;
    const bool lowers = value < to->value;
    if (lowers || (to->parent != no_label && from->node < label[to->parent].node)) to->parent = arc->from;
    to->value = value;
    return lowers;
}

/* Finds the companions and the parents of the nodes on ways of the best cost, which is `limit`. */
static macadam_status find_ties(trip_run *run, const mcd_lane *from, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    search->label_count = search->arc_count = 0;
    MCD_TRY(for_ends(run, fetch_way, error));
    MCD_TRY(for_ends(run, label_end, error));
    for (uint32_t to = 0; to < search->label_count; ++to) MCD_TRY(follow(run, to, error));
    for (uint32_t i = 0; i < mcd_lane_seed_count(from); ++i) {
        const mcd_seed *const seed = &from->seed[i];
        const trip_node *const at = node_at(search, seed->node);
        if (at->cost == seed->objective && at->label < search->label_count &&
            search->label[at->label].node == seed->node)
            search->label[at->label].value = (uint64_t)(run->trip->joint ? seed->companion : 0) << 32;
    }
    /* Companions come from nodes of less cost, or along arcs that stay: only these need more than one pass. */
    sort_arcs(search->arc, search->arc_count);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < search->arc_count; ++i)
            again |= pass(search->label, &search->arc[i]) && search->arc[i].stays;
    }
    return MACADAM_OK;
}

/* Takes an end if the way over it is the best one so far. */
static macadam_status take_end(trip_run *run, mcd_node node, MCD_UNUSED macadam_error *error)
{
    const mcd_trip_search *const search = run->search;
    const trip_node *const at = node_at(search, node);
    if (at->label >= search->label_count || search->label[at->label].node != node) return MACADAM_OK;
    const uint64_t value = search->label[at->label].value;
    run->best = arrive(run, node, value == UINT64_MAX ? MCD_UNREACHED : (mcd_weight)(value >> 32), run->best);
    return MACADAM_OK;
}

static macadam_status keep_path(trip_run *run, macadam_error *error)
{
    mcd_trip_search *const search = run->search;
    search->step_count = 0;
    for (uint32_t l = node_at(search, run->best.node)->label; l != no_label; l = search->label[l].parent) {
        const trip_label *const label = &search->label[l];
        MCD_TRY(MCD_GROW(search->step, search->step_capacity, search->step_count + 1, error));
        search->step[search->step_count++] =
            (mcd_clock_step){label->node, cost_at(search, label->node), (mcd_weight)(label->value >> 32)};
    }
    return MACADAM_OK;
}

/* ---- the trip ---- */

/* Searches from all lanes; `run->best` is the best cost up to the limit. */
static macadam_status search_all(trip_run *run, macadam_error *error)
{
    const mcd_trip *const trip = run->trip;
    run->best = (mcd_clock_sum){MCD_UNREACHED, MCD_UNREACHED, MCD_NODE_NONE};
    for (size_t l = mcd_lanes_first(trip->search, trip->place);
         l < mcd_lanes_inner(trip->search, trip->place); ++l) {
        const mcd_lane from = mcd_clock_lane(trip->search, trip->place, l);
        const mcd_clock_sum before = run->best;
        MCD_TRY(search_lane(run, &from, error));
        MCD_TRY(find_ties(run, &from, error));
        MCD_TRY(for_ends(run, take_end, error));
        if (mcd_joint_of(run->best.objective, run->best.companion) <
            mcd_joint_of(before.objective, before.companion))
            MCD_TRY(keep_path(run, error));
    }
    return MACADAM_OK;
}

/* Uses the bound of a window if it is made. With `makes`, the request counts, and enough of them make it. Otherwise *out is
 * NULL. */
static macadam_status request(const trip_run *run, mcd_clock_window window, bool makes, mcd_clock_bound **out,
                              macadam_error *error)
{
    const mcd_query *const query = run->trip->query;
    mcd_clock *const clock = query->version->clock;
    const uint32_t trips = run->trip->requests;
    const uint64_t least =
        mcd_size_min(query->engine->metadata->node_count / NODES_PER_REQUEST, REQUESTS_MOST);
    return mcd_clock_bound_request(out, &clock->bounds, query->engine, &clock->arcs, window,
                                   makes && trips ? (uint32_t)mcd_size_max(least / trips, 1) : 0, error);
}

static macadam_status search_window(trip_run *run, mcd_weight room, bool *is_found, macadam_error *error)
{
    MCD_TRY(aim(run, error));
    run->limit = room;
    if (run->least <= room) MCD_TRY(search_all(run, error));
    *is_found = run->best.objective <= room;
    return MACADAM_OK;
}

/* A window is tried if its bound is made; else the week's bound says whether it is worth making. */
static macadam_status search_windows(trip_run *run, mcd_clock_bound *week, bool *is_found,
                                     macadam_error *error)
{
    bool is_aimed = false;
    run->least = 0;
    for (size_t i = 0; i < sizeof window_hours / sizeof *window_hours && !*is_found; ++i) {
        MCD_FREED_BY(mcd_clock_bound_leave_at) mcd_clock_bound *bound = NULL;
        mcd_weight room;
        const mcd_clock_window window =
            mcd_clock_window_of(run->instant, run->direction, window_hours[i], &room);
        if (run->least + run->least / ROOM > room) continue;
        MCD_TRY(request(run, window, is_aimed, &bound, error));
        if (!bound && !is_aimed) {
            run->bound = week;
            MCD_TRY(aim(run, error));
            is_aimed = true;
            if (run->least + run->least / ROOM > room) continue;
            MCD_TRY(request(run, window, true, &bound, error));
        }
        if (!bound) continue;
        run->bound = bound;
        MCD_TRY(search_window(run, room, is_found, error));
    }
    run->bound = week;
    return *is_found ? MACADAM_OK : search_window(run, MCD_WEIGHT_MAX, is_found, error);
}

macadam_status mcd_trip_search_find(mcd_trip_search *search, const mcd_trip *trip, mcd_clock_sum *out,
                                    bool *is_found, macadam_error *error)
{
    trip_run run = {.search = search,
                    .trip = trip,
                    .instant = trip->search->instant[trip->place],
                    .direction = trip->query->timing.direction,
                    .best = {MCD_UNREACHED, MCD_UNREACHED, MCD_NODE_NONE}};
    MCD_FREED_BY(mcd_clock_bound_leave_at) mcd_clock_bound *week = NULL;
    const mcd_clock_arcs *const arcs = trip->query->timing.arcs;
    run.patterns = &arcs->patterns;
    run.arc = arcs->arc[run.direction];
    run.first = run.direction == MCD_FORWARD ? arcs->graph->first_out : arcs->graph->first_in;
    run.shift = 31 - (unsigned)__builtin_clz(arcs->own_mean / 2 | 1);
    *is_found = false;
    search->step_count = 0;
    if (!trip->query->engine->metadata->has_hierarchy) return MACADAM_OK;
    MCD_TRY(request(&run, (mcd_clock_window){0, MCD_WEEK_MS}, true, &week, error));
    if (!week) return MACADAM_OK;
    MCD_TRY(search_windows(&run, week, is_found, error));
    *is_found = true; /* also that there is no way */
    *out = run.best;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_trip_search_free, mcd_trip_search, it->node, it->page, it->first_of, it->chain, it->entry,
                it->label, it->arc, it->step)
