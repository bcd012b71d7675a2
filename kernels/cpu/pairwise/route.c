/* route.c - costs and paths of many pairs, one pair a task.
 *
 * Method. First only the objective. Both labels are searched together: the deeper root path climbs until the
 * two meet in the lowest common ancestor, then both climb together. From there on, the up-down path may turn
 * at any depth. Nodes whose label is not better than the best meeting so far need no relaxing. There is no
 * queue: the root path is the order. (Buchhold, Sanders, Wagner 2019, elimination tree queries) Where the
 * weights have top nodes, both ends climb only to them, and the stored labels give the depths that both share
 * (top_labels.h). A pair that meets below the top nodes is searched without them. Companions and paths follow
 * from the labels. A meeting is a depth whose labels sum to the least cost. From the meetings down each root
 * path, the kept arcs that are tight mark their lower ends: an arc is tight if the label of its lower end
 * plus its weight gives the label of a marked upper end. A shortest path can use only those arcs. They are
 * few, so the companions are summed, and the path is chosen, only over them. Top nodes need no such walk
 * down: their stored labels show which of the top nodes that a search reaches lead to a meeting, and over
 * which of their arcs. Basic weights are searched in the same way over all upward arcs: the arcs that pruning
 * leaves out are on no shortest path, so they change no answer.
 * Ties. The least companion; then the deepest meeting and the deepest lower end, so that the path depends on
 * nothing else.
 * Order. Pairs of a round that lie near each other at both ends are answered one after the other: the next
 * pair then finds in the caches much of the memory that this pair reads, from the searches to the children of
 * its arcs. The rest is prefetched while the pair before is answered.
 * Races. None: a pair writes its own answers, a worker its own scratch. */

#include "engine/base/grow.h"
#include "engine/base/rounds.h"
#include "kernels/cpu/device/carve.h"
#include "kernels/cpu/pairwise/basic_routes.h"
#include "kernels/cpu/sweep/top_labels.h"
#include "kernels/host/tight_path.h"
#include "kernels/host/unpack.h"

#include <stdatomic.h>
#include <stdlib.h>

enum {
    PAIRS_PER_TASK = 64, /* at most */
    BASIC_PER_TASK = 8,  /* over basic weights */
    TASKS_PER_ROUND = 128,
    PAIRS_PER_ROUND = PAIRS_PER_TASK * TASKS_PER_ROUND,
};

#define NOT_MARKED UINT32_MAX /* no label plus weight has this value */

/* A kept arc (over basic weights: an upward arc) that a shortest path may use. */
typedef struct tight_arc {
    uint32_t low, high; /* depths of its ends */
    uint32_t kept;
} tight_arc;

/* One end's search, indexed by depth. */
typedef struct end_search {
    const mcd_search *search;
    mcd_weight *label;
    mcd_node *root_path;   /* used for a search without top nodes */
    mcd_weight *marked;    /* the label at depths that shortest paths may go through, otherwise NOT_MARKED */
    mcd_weight *companion; /* at those depths: the least companion that comes with the label */
    tight_arc *from;       /* at those depths: the arc that gives it; low = UINT32_MAX at a seed */
    mcd_node *top_node;    /* at those depths that belong to top nodes */
    tight_arc *arc;        /* the arcs below the top nodes, from shallow to deep */
    size_t count, capacity;
} end_search;

typedef struct route_scratch {
    char *block;        /* holds all arrays but `chain` and those of tight arcs */
    end_search end[2];  /* by mcd_direction */
    top_climb climb[2]; /* of this pair and the next one, alternating */
    uint32_t *meeting;  /* the depths where the pair's shortest paths may turn, ascending */
    size_t meeting_count;
    uint64_t *stack;
    uint64_t *chain; /* the kept arcs of a task's paths */
    size_t chain_count, chain_capacity;
    bool needs_kept; /* basic weights do not decide a pair */
} route_scratch;

typedef struct route_run {
    const mcd_route_job *job;
    route_scratch *scratch; /* [worker_count] */
    size_t worker_count;
    mcd_path *path;  /* of a round; later rounds use the memory again */
    uint64_t *order; /* a round's pairs as they are answered; low half: the pair, from `first` on */
    size_t first;    /* first pair of the round */
    size_t count, task_pairs;
    atomic_int status; /* the first failure of a task, whose message is in `error` */
    macadam_error *error;
    mcd_rounds rounds; /* of pairs */
} route_run;

/* ---- costs ---- */

/* Without a companion: 0. */
static inline mcd_weight companion_of(const end_search *end, mcd_arc xy)
{
    return end->search->companion ? end->search->companion[xy] : 0;
}

static inline void relax_end(const end_search *end, mcd_node node, uint32_t depth)
{
    const mcd_search *search = end->search;
    mcd_weight *const restrict label_of = end->label;
    const mcd_weight label = label_of[depth];
    for (mcd_arc xy = search->first[node], last = search->first[node + 1]; xy < last; ++xy) {
        const uint32_t above = search->depth[xy];
        const mcd_weight old = label_of[above],
                         new = label + search->objective[xy]; /* does not wrap: types.h */
        label_of[above] = new < old ? new : old;
    }
}

/* The least cost, without top nodes. Labels that a path of that cost uses are final. *common: the depths
 * that both ends share. */
static mcd_weight search_costs(const mcd_hierarchy *hierarchy, const end_search end[2],
                               const mcd_lane *const lane[2], uint32_t *common)
{
    const mcd_node *parent = hierarchy->parent;
    mcd_node source = lane[MCD_FORWARD]->seed[0].node, target = lane[MCD_BACKWARD]->seed[0].node;
    for (int direction = 0; direction < 2; ++direction)
        mcd_label_begin(end[direction].label, hierarchy->depth[lane[direction]->seed[0].node] + 1, hierarchy,
                        lane[direction]);
    const end_search *forward = &end[MCD_FORWARD], *backward = &end[MCD_BACKWARD];
    uint32_t source_depth = hierarchy->depth[source], target_depth = hierarchy->depth[target];
    mcd_weight best = MCD_UNREACHED;
    *common = 0;
    while (source != target) { /* the node with the larger id is not an ancestor of the other */
        if (source > target) {
            if (source == MCD_NODE_NONE) return best; /* two trees */
            forward->root_path[source_depth] = source;
            relax_end(forward, source, source_depth--);
            source = parent[source];
        } else {
            if (target == MCD_NODE_NONE) return best;
            backward->root_path[target_depth] = target;
            relax_end(backward, target, target_depth--);
            target = parent[target];
        }
    }
    *common = source_depth + 1;
    for (uint32_t depth = source_depth; source != MCD_NODE_NONE; source = parent[source], --depth) {
        const mcd_weight sum = forward->label[depth] + backward->label[depth];
        if (sum < best) best = sum;
        forward->root_path[depth] = backward->root_path[depth] = source;
        if (forward->label[depth] <= best) relax_end(forward, source, depth); /* equal: weight 0 */
        if (backward->label[depth] <= best) relax_end(backward, source, depth);
    }
    return best;
}

/* ---- the arcs that shortest paths may use ---- */

static void find_meetings(route_scratch *scratch, uint32_t common, mcd_weight best)
{
    const mcd_weight *forward = scratch->end[MCD_FORWARD].label, *backward = scratch->end[MCD_BACKWARD].label;
    scratch->meeting_count = 0;
    for (uint32_t d = 0; d < common; ++d)
        if (forward[d] + backward[d] == best) scratch->meeting[scratch->meeting_count++] = d;
}

static void mark(end_search *end, uint32_t depth, mcd_weight label)
{
    end->marked[depth] = label;
    end->companion[depth] = NOT_MARKED;
}

/* Whether a path of cost `way` to the top node at `depth` continues to a meeting as a shortest path. */
static inline bool leads_to_meeting(const route_scratch *scratch, const mcd_weight *label, mcd_weight way,
                                    const mcd_weight *top_label, uint32_t depth)
{
    for (size_t i = 0; i < scratch->meeting_count && scratch->meeting[i] <= depth; ++i)
        if (way + top_label[scratch->meeting[i]] == label[scratch->meeting[i]]) return true;
    return false;
}

/* Marks the top nodes that the search reaches and that lead to a meeting. */
static void mark_top_nodes(end_search *end, const route_scratch *scratch, const mcd_weights *weights,
                           mcd_direction direction, const top_climb_end *climb)
{
    for (size_t i = 0; i < climb->top_count; ++i) {
        const mcd_node top_node = climb->top_node[i];
        const uint32_t depth = weights->hierarchy->depth[top_node];
        if (!leads_to_meeting(scratch, end->label, end->label[depth],
                              mcd_top_label(weights->top_labels, direction, top_node), depth))
            continue;
        mark(end, depth, end->label[depth]);
        end->top_node[depth] = top_node;
    }
}

static macadam_status append_tight(end_search *end, tight_arc arc, macadam_error *error)
{
    if (end->count == end->capacity) MCD_TRY(MCD_GROW(end->arc, end->capacity, end->count + 1, error));
    if (end->search->companion) __builtin_prefetch(&end->search->companion[arc.kept]);
    end->arc[end->count++] = arc;
    return MACADAM_OK;
}

/* Marks the nodes of the root path at depths first <= depth < depth_count that shortest paths may go
 * through. */
static macadam_status mark_nodes(end_search *end, const mcd_node *root_path, uint32_t first,
                                 uint32_t depth_count, mcd_weight label_max, macadam_error *error)
{
    const mcd_search *search = end->search;
    end->count = 0;
    for (uint32_t depth = first; depth < depth_count; ++depth) {
        const mcd_weight label = end->label[depth];
        if (label > label_max) continue;
        const mcd_arc last = search->first[root_path[depth] + 1];
        for (mcd_arc xy = search->first[root_path[depth]]; xy < last; xy += LANES) {
            const size_t count = mcd_size_min(last - xy, LANES);
            uint32_t tight =
                compare_sums(false, label, search->objective + xy, end->marked, search->depth + xy, count);
            if (tight) mark(end, depth, label);
            for (; tight; tight &= tight - 1) {
                const mcd_arc arc = xy + (mcd_arc)__builtin_ctz(tight);
                MCD_TRY(append_tight(end, (tight_arc){depth, search->depth[arc], (uint32_t)arc}, error));
            }
        }
    }
    return MACADAM_OK;
}

/* Takes an arc over which a shortest path may reach its upper end. Lower ends come from the deepest up. */
static inline void take_tight(const end_search *end, tight_arc arc)
{
    if (end->companion[arc.low] == NOT_MARKED) return;
    const mcd_weight sum = mcd_weight_add(end->companion[arc.low], companion_of(end, arc.kept));
    if (sum >= end->companion[arc.high]) return;
    end->companion[arc.high] = sum;
    end->from[arc.high] = arc;
}

/* Sums companions from the seeds up the tight arcs below the top nodes. Without a companion, all are 0. */
static void sum_companions(const end_search *end, const mcd_hierarchy *hierarchy, const mcd_lane *lane)
{
    for (uint32_t s = 0; s < mcd_lane_seed_count(lane); ++s) {
        const mcd_seed seed = lane->seed[s];
        const uint32_t depth = hierarchy->depth[seed.node];
        const mcd_weight of_seed = end->search->companion ? seed.companion : 0;
        if (end->marked[depth] != seed.objective || of_seed >= end->companion[depth]) continue;
        end->companion[depth] = of_seed;
        end->from[depth].low = UINT32_MAX;
    }
    for (size_t i = end->count; i-- > 0;) take_tight(end, end->arc[i]);
}

/* Continues from the marked top nodes, all at depths below `top_depth_count`, to the meetings. */
static void sum_over_top(end_search *end, const route_scratch *scratch, const mcd_top_labels *top_labels,
                         mcd_direction direction, uint32_t top_depth_count, mcd_weight label_max)
{
    const mcd_search *search = end->search;
    for (uint32_t depth = top_depth_count; depth-- > scratch->meeting[0] + 1;) {
        if (end->marked[depth] == NOT_MARKED) continue;
        const mcd_node top_node = end->top_node[depth];
        for (mcd_arc xy = search->first[top_node], last = search->first[top_node + 1]; xy < last; ++xy) {
            const uint32_t high = search->depth[xy];
            const mcd_weight way = end->marked[depth] + search->objective[xy];
            if (way > label_max ||
                !leads_to_meeting(scratch, end->label, way,
                                  mcd_top_label(top_labels, direction, search->head[xy]), high))
                continue;
            if (end->marked[high] == NOT_MARKED) mark(end, high, way);
            end->top_node[high] = search->head[xy];
            take_tight(end, (tight_arc){depth, high, (uint32_t)xy});
        }
    }
}

/* Finds the best path to each meeting. `climb` is NULL if no top nodes were used. */
static macadam_status find_ways(route_scratch *scratch, const mcd_weights *weights, mcd_direction direction,
                                const mcd_lane *lane, const top_climb_end *climb, macadam_error *error)
{
    end_search *end = &scratch->end[direction];
    const uint32_t depth_count = weights->hierarchy->depth[lane->seed[0].node] + 1;
    mcd_weight label_max = 0;
    memset(end->marked, 0xff, depth_count * sizeof *end->marked);
    for (size_t i = 0; i < scratch->meeting_count; ++i) {
        const mcd_weight label = end->label[scratch->meeting[i]];
        mark(end, scratch->meeting[i], label);
        if (label > label_max) label_max = label;
    }
    if (climb) mark_top_nodes(end, scratch, weights, direction, climb);
    MCD_TRY(mark_nodes(end, climb ? climb->root_path : end->root_path,
                       climb ? climb->top_depth_count : scratch->meeting[0] + 1, depth_count, label_max,
                       error));
    sum_companions(end, weights->hierarchy, lane);
    if (climb) sum_over_top(end, scratch, weights->top_labels, direction, climb->top_depth_count, label_max);
    return MACADAM_OK;
}

/* The meeting with the least companion; the deepest of equals. */
static uint32_t choose_meeting(const route_scratch *scratch, mcd_weight *companion)
{
    uint32_t meeting = 0;
    *companion = NOT_MARKED;
    for (size_t i = scratch->meeting_count; i-- > 0;) {
        const uint32_t depth = scratch->meeting[i];
        const mcd_weight sum = mcd_weight_add(scratch->end[MCD_FORWARD].companion[depth],
                                              scratch->end[MCD_BACKWARD].companion[depth]);
        if (sum < *companion) *companion = sum, meeting = depth;
    }
    return meeting;
}

/* ---- one pair ---- */

/* Appends the kept arcs from the source up to the meeting, then down to the target. */
static void append_chain(route_scratch *scratch, uint32_t meeting)
{
    const tight_arc *from[2] = {scratch->end[MCD_FORWARD].from, scratch->end[MCD_BACKWARD].from};
    size_t low = scratch->chain_count, count = low;
    for (uint32_t d = meeting; from[MCD_FORWARD][d].low != UINT32_MAX; d = from[MCD_FORWARD][d].low)
        scratch->chain[count++] = mcd_kept_arc(from[MCD_FORWARD][d].kept, MCD_FORWARD);
    for (size_t high = count; low + 1 < high; ++low) { /* found from the meeting down: reversed */
        const uint64_t swap = scratch->chain[low];
        scratch->chain[low] = scratch->chain[--high];
        scratch->chain[high] = swap;
    }
    for (uint32_t d = meeting; from[MCD_BACKWARD][d].low != UINT32_MAX; d = from[MCD_BACKWARD][d].low)
        scratch->chain[count++] = mcd_kept_arc(from[MCD_BACKWARD][d].kept, MCD_BACKWARD);
    scratch->chain_count = count;
}

/* Finds the costs of a pair and, if paths are requested, appends the kept arcs of its path to the chain. */
static macadam_status answer_pair(const mcd_route_job *job, route_scratch *scratch, const top_climb *climb,
                                  size_t i, macadam_error *error)
{
    const mcd_weights *weights = job->weights;
    const mcd_lane source = mcd_route_source(job, i), target = mcd_route_target(job, i);
    const mcd_lane *const lane[2] = {[MCD_FORWARD] = &source, [MCD_BACKWARD] = &target};
    mcd_weight *const label[2] = {scratch->end[0].label, scratch->end[1].label};
    job->objective[i] = MCD_COST_UNREACHED;
    if (job->companion) job->companion[i] = MCD_COST_UNREACHED;
    if (lane[0]->seed[0].node == MCD_NODE_NONE || lane[1]->seed[0].node == MCD_NODE_NONE) return MACADAM_OK;
    const bool over_hubs = weights->top_labels && !climb->meets_below;
    uint32_t common = climb->common;
    const mcd_weight best = over_hubs ? MCD_KERNEL(top_climb_search)(climb, weights, label)
                                      : search_costs(weights->hierarchy, scratch->end, lane, &common);
    if (best >= MCD_UNREACHED) return MACADAM_OK;
    if (!job->take && !job->companion) {
        job->objective[i] = best;
        return MACADAM_OK;
    }
    find_meetings(scratch, common, best);
    for (int direction = 0; direction < 2; ++direction)
        MCD_TRY(find_ways(scratch, weights, (mcd_direction)direction, lane[direction],
                          over_hubs ? &climb->end[direction] : NULL, error));
    mcd_weight companion;
    const uint32_t meeting = choose_meeting(scratch, &companion);
    const bool is_saturated = job->companion && companion >= MCD_UNREACHED;
    if (!is_saturated || job->raw) job->objective[i] = best;
    if (is_saturated) return MACADAM_OK;
    if (job->take && companion >= MCD_UNREACHED && weights->is_basic) scratch->needs_kept = true;
    if (job->companion) job->companion[i] = companion;
    if (!job->take) return MACADAM_OK;
    /* two more root paths */
    MCD_TRY(MCD_GROW(scratch->chain, scratch->chain_capacity,
                     scratch->chain_count + 2 * (size_t)weights->hierarchy->height, error));
    append_chain(scratch, meeting);
    return MACADAM_OK;
}

/* ---- all pairs ---- */

static macadam_status find_tree(const mcd_tree_job *asked, macadam_error *error)
{
    const mcd_backend *backend = mcd_cpu_backend();
    mcd_tree_job job = *asked;
    MCD_OWNED void *scratch = job.scratch = mcd_allocate(backend->tree_scratch(&job), 1);
    return scratch ? backend->tree(&job, error) : mcd_fail_memory(error, backend->tree_scratch(&job));
}

static void begin_pair(const mcd_route_job *job, top_climb *climb, size_t i)
{
    const mcd_lane source = mcd_route_source(job, i), target = mcd_route_target(job, i);
    if (job->weights->top_labels) MCD_KERNEL(top_climb_begin)(climb, job->weights, &source, &target);
}

/* Runs a task's searches one after the other, because their upper parts share caches. Then finds the paths
 * together. */
static macadam_status answer_pairs(const route_run *run, route_scratch *scratch, const uint64_t *order,
                                   size_t count, macadam_error *error)
{
    const mcd_route_job *job = run->job;
    mcd_path *path[PAIRS_PER_TASK];
    size_t first_chain[PAIRS_PER_TASK + 1];
    scratch->chain_count = 0;
    begin_pair(job, &scratch->climb[0], run->first + (uint32_t)order[0]);
    for (size_t i = 0; i < count; ++i) {
        const uint32_t pair = (uint32_t)order[i];
        if (i + 1 < count) begin_pair(job, &scratch->climb[(i + 1) % 2], run->first + (uint32_t)order[i + 1]);
        first_chain[i] = scratch->chain_count;
        if (run->path) {
            path[i] = &run->path[pair];
            path[i]->count = 0;
        }
        MCD_TRY(answer_pair(job, scratch, &scratch->climb[i % 2], run->first + pair, error));
    }
    if (!job->take) return MACADAM_OK;
    first_chain[count] = scratch->chain_count;
    MCD_TRY(job->weights->is_basic ? mcd_basic_unpack(path, scratch->chain, first_chain, count, job->weights,
                                                      &scratch->needs_kept, error)
                                   : mcd_unpack(path, scratch->chain, first_chain, count, job->weights,
                                                job->spans, scratch->stack, error));
    if (scratch->needs_kept) return MACADAM_OK;
    for (size_t i = 0; i < count; ++i) {
        const size_t pair = run->first + (uint32_t)order[i];
        const mcd_lane source = mcd_route_source(job, pair);
        if (path[i]->count > job->weights->hierarchy->node_count) { /* unpacking failed: finds it otherwise */
            const mcd_lane target = mcd_route_target(job, pair);
            mcd_path_free(path[i]);
            if (job->weights->check_read)
                MCD_TRY(job->weights->check_read(job->weights->check_context, NULL, error));
            MCD_TRY(mcd_tight_path(path[i], job->weights, job->companion != NULL, &source, &target, find_tree,
                                   error));
        } else if (path[i]->count > 0) {
            MCD_TRY(mcd_path_simplify(path[i], job->weights, &source, error));
        }
    }
    return MACADAM_OK;
}

static void route_task(void *argument, size_t index, unsigned worker)
{
    route_run *run = argument;
    const size_t first = index * run->task_pairs;
    const size_t count = mcd_size_min(run->count - first, run->task_pairs);
    if (atomic_load(&run->status) != MACADAM_OK) return;
    macadam_error error;
    const macadam_status status = answer_pairs(run, &run->scratch[worker], run->order + first, count, &error);
    int expected = MACADAM_OK;
    if (status && atomic_compare_exchange_strong(&run->status, &expected, (int)status) && run->error)
        *run->error = error;
}

/* Lays a worker's scratch out from `memory` on and returns its end, which is its size if `memory` is 0. Costs
 * without companions need less of it. */
static uintptr_t lay_out(const mcd_route_job *job, uintptr_t memory, route_scratch *scratch)
{
    const mcd_hierarchy *const hierarchy = job->weights->hierarchy;
    const size_t height = hierarchy->height / LANES * LANES + LANES;
    const size_t ways = job->take || job->companion ? height : 0;
    for (int direction = 0; direction < 2; ++direction) {
        end_search *const end = &scratch->end[direction];
        end->search = &job->weights->search[direction];
        end->label = carve(&memory, height * sizeof *end->label);
        end->root_path = carve(&memory, height * sizeof *end->root_path);
        for (int i = 0; i < 2; ++i) {
            top_climb_end *const climb = &scratch->climb[i].end[direction];
            climb->root_path = carve(&memory, height * sizeof *climb->root_path);
            climb->top_node = carve(&memory, (height + MCD_SEEDS_MAX) * sizeof *climb->top_node);
        }
        end->marked = carve(&memory, ways * sizeof *end->marked);
        end->companion = carve(&memory, ways * sizeof *end->companion);
        end->from = carve(&memory, ways * sizeof *end->from);
        end->top_node = carve(&memory, ways * sizeof *end->top_node);
    }
    scratch->meeting = carve(&memory, ways * sizeof *scratch->meeting);
    scratch->stack = carve(&memory, MCD_UNPACK_STREAMS * (ways + 1) * sizeof *scratch->stack);
    return memory;
}

static size_t path_count(const mcd_route_job *job)
{
    return mcd_size_min(job->count, PAIRS_PER_ROUND);
}

static void free_run(route_run *run)
{
    for (size_t w = 0; run->scratch && w < run->worker_count; ++w) {
        const route_scratch *const scratch = &run->scratch[w];
        MCD_FREE_ALL(scratch->end[MCD_FORWARD].arc, scratch->end[MCD_BACKWARD].arc, scratch->block,
                     scratch->chain);
    }
    for (size_t i = 0; run->path && i < path_count(run->job); ++i) mcd_path_free(&run->path[i]);
    MCD_FREE_ALL(run->scratch, run->path, run->order);
}

/* Spreads 16 bits: they become every second bit of 32. */
static uint32_t spread(uint32_t bits)
{
    bits = (bits | bits << 8) & 0x00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f;
    bits = (bits | bits << 2) & 0x33333333;
    return (bits | bits << 1) & 0x55555555;
}

MCD_DEFINE_COMPARE(compare_order, uint64_t, )

/* Orders pairs along the Z-order curve of sources and targets. A subtree's nodes are a range of ids, so
 * nodes with similar ids lie near each other. */
static void order_pairs(route_run *run)
{
    const mcd_route_job *job = run->job;
    unsigned shift = 0; /* keeps 16 bits of a node; MCD_NODE_NONE may become anything */
    while (job->weights->hierarchy->node_count >> shift > UINT16_MAX) ++shift;
    for (size_t i = 0; i < run->count; ++i) {
        const uint32_t source = spread(mcd_route_from(job, run->first + i) >> shift & UINT16_MAX),
                       target = spread(mcd_route_to(job, run->first + i) >> shift & UINT16_MAX);
        run->order[i] = (uint64_t)(source << 1 | target) << 32 | i;
    }
    qsort(run->order, run->count, sizeof *run->order, compare_order);
}

static macadam_status run_round(route_run *run, macadam_error *error)
{
    const mcd_route_job *job = run->job;
    run->count = mcd_size_min(job->count - run->first, PAIRS_PER_ROUND);
    order_pairs(run);
    MCD_TRY(mcd_rounds_for(&run->rounds, run->first, run->count, &job->parallel,
                           (run->count + run->task_pairs - 1) / run->task_pairs, route_task, run, error));
    MCD_TRY((macadam_status)atomic_load(&run->status));
    for (size_t w = 0; w < run->worker_count; ++w)
        if (run->scratch[w].needs_kept) {
            const size_t first = run->first;
            run->first = job->count; /* no round is left */
            return mcd_route_over_kept(job, first, error);
        }
    return job->take ? job->take(job->take_context, run->path, run->first, run->count, error) : MACADAM_OK;
}

macadam_status MCD_KERNEL(route)(const mcd_route_job *job, macadam_error *error)
{
    const size_t task_pairs = job->weights->is_basic ? BASIC_PER_TASK : PAIRS_PER_TASK;
    MCD_FREED_BY(free_run)
    route_run run = {.job = job,
                     .task_pairs = task_pairs,
                     .worker_count = job->count <= task_pairs ? 1 : job->parallel.thread_count,
                     .error = error};
    mcd_rounds_begin(&run.rounds, &job->progress, job->take ? "paths" : "routes", job->count);
    MCD_TRY(MCD_NEW_ZEROED(run.scratch, run.worker_count, error));
    if (job->take) MCD_TRY(MCD_NEW_ZEROED(run.path, path_count(job), error));
    MCD_TRY(MCD_NEW(run.order, path_count(job), error));
    for (size_t w = 0; w < run.worker_count; ++w) {
        MCD_TRY(MCD_NEW(run.scratch[w].block, lay_out(job, 0, &run.scratch[w]), error));
        lay_out(job, (uintptr_t)run.scratch[w].block, &run.scratch[w]);
    }
    for (; run.first < job->count; run.first += PAIRS_PER_ROUND) MCD_TRY(run_round(&run, error));
    return MACADAM_OK;
}
