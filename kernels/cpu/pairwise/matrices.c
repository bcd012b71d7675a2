/* matrices.c - many small matrices, 16 x 16 lanes at a time.
 *
 * Method. A group is up to 16 sources and up to 16 targets: those of some whole matrices that follow each
 * other, or a part of a larger one. Such matrices often have the same lanes, and a group has each lane once.
 * Its root paths are walked together, as in label.c: every node on them is visited once, after all nodes below
 * it. At the node, the labels of the sources and of the targets that pass it are final. There they are relaxed
 * upwards, and meet: cell[s][t] becomes at most forward[s] + backward[t]. A node at which no label is within
 * the limit, or below the largest cell that may still fall, relaxes nothing, and most nodes of a walk are far
 * separators. So the walk goes from depth to depth among those where labels were written (a bit each), and clears only
 * them.
 * The nodes and arcs of a walk are far apart in memory, so it prefetches them: those of the next matrices' lanes, the
 * arcs at the group's ends, and each node that it reaches.
 * Layout. panel[direction][depth * 16 + lane], as in label.h.
 * Races. None: a matrix has its own cells, a worker its own scratch. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/watch.h"
#include "kernels/cpu/device/answer.h"
#include "kernels/cpu/sweep/label.h"

enum {
    MATRICES_PER_TASK = 64,
    ENDS_MAX = 2 * LANES,
    LOOK_EVERY = 8,     /* visits of the path that all lanes share; tests/bench/match: 4 and 16 are slower */
    MATRICES_AHEAD = 3, /* whose lanes are prefetched during a walk: about those of the next group */
};

/* Where the root paths of some lanes begin. Bit s is source s, bit 16 + t is target t. */
typedef struct path_end {
    mcd_node node;
    uint32_t bits;
    const mcd_lane *lane; /* the first one; the others have one seed */
} path_end;

typedef struct matrices_scratch {
    cost *panel[2];               /* by mcd_direction: [height rows] */
    cost *cell;                   /* [16 rows] */
    uint64_t *written, *to_clear; /* [height bits]: depths with labels of this walk; of this group */
    mcd_node *node;               /* [height] at written depths: the node on the current root path */
    path_end end[ENDS_MAX];
    uint32_t end_count;
    uint32_t source[LANES], target[LANES]; /* the group's lanes: each is another one */
    uint32_t source_count, target_count;
    cost bound; /* the least objective that improves no cell */
} matrices_scratch;

typedef struct matrices_run {
    const mcd_matrices_job *job;
    matrices_scratch *scratch; /* by worker */
    mcd_watch *watch;
} matrices_run;

/* ---- a group ---- */

/* Forgets the group before: its labels and its cells. */
static void begin_group(matrices_scratch *group, size_t height)
{
    const row unreached = row_all(COST_UNREACHED);
    for (size_t w = 0; w <= height / 64; ++w)
        for (; group->to_clear[w]; group->to_clear[w] &= group->to_clear[w] - 1) {
            const size_t at = (w * 64 + (size_t)__builtin_ctzll(group->to_clear[w])) * LANES;
            row_store(group->panel[MCD_FORWARD] + at, unreached);
            row_store(group->panel[MCD_BACKWARD] + at, unreached);
        }
    for (uint32_t s = 0; s < group->source_count; ++s) row_store(group->cell + (size_t)s * LANES, row_all(0));
    group->end_count = group->source_count = group->target_count = 0;
    group->bound = 0;
}

static void add_end(matrices_scratch *group, const mcd_hierarchy *hierarchy, const mcd_lane *lane,
                    uint32_t bit)
{
    const mcd_node node = lane->seed[0].node;
    if (node == MCD_NODE_NONE) return;
    uint32_t at = group->end_count;
    while (at > 0 && group->end[at - 1].node > node) --at;
    if (at > 0 && group->end[at - 1].node == node && lane->seed[1].node == MCD_NODE_NONE) {
        group->end[at - 1].bits |= UINT32_C(1) << bit;
    } else {
        for (uint32_t i = group->end_count++; i > at; --i) group->end[i] = group->end[i - 1];
        group->end[at] = (path_end){node, UINT32_C(1) << bit, lane};
    }
    label_seeds(hierarchy, lane, bit % LANES, group->panel[bit < LANES ? MCD_FORWARD : MCD_BACKWARD]);
}

/* Returns the place of a lane in a list; adds it if it is new. LANES: there is no room. */
static uint32_t place_of(uint32_t *list, uint32_t *count, uint32_t lane)
{
    uint32_t at = 0;
    while (at < *count && list[at] != lane) ++at;
    if (at == *count && at < LANES) list[(*count)++] = lane;
    return at;
}

/* Lets the cells of a matrix begin above its limit. */
static void open_cells(matrices_scratch *group, const uint32_t *source, uint32_t source_count,
                       uint32_t targets, cost bound)
{
    const row hide = row_hide_all_but(targets);
    row limits;
    EACH_VEC(i) limits.vec[i] = vec_all(bound) & ~hide.vec[i];
    for (uint32_t s = 0; s < source_count; ++s) {
        cost *const cells = group->cell + (size_t)source[s] * LANES;
        row_store(cells, row_most(row_load(cells), limits));
    }
}

/* Adds the lanes of `part`. Returns false if there is no room; then the group is as it was. */
static bool add_matrix(matrices_scratch *group, const mcd_matrices_job *job, const mcd_small_matrix *part)
{
    const uint32_t source_count = group->source_count, target_count = group->target_count;
    const cost bound = seed_cost(part->limit + 1, 0);
    /* More than LANES, with repeated lanes, are parts of a large matrix. */
    bool fits = part->source_count <= LANES && part->target_count <= LANES;
    uint32_t source[LANES], targets = 0;
    for (uint32_t s = 0; s < part->source_count && fits; ++s) {
        source[s] = place_of(group->source, &group->source_count, job->source[part->first_source + s]);
        fits = source[s] < LANES;
    }
    for (uint32_t t = 0; t < part->target_count && fits; ++t) {
        const uint32_t column =
            place_of(group->target, &group->target_count, job->target[part->first_target + t]);
        fits = column < LANES;
        targets |= UINT32_C(1) << column;
    }
    if (!fits) {
        group->source_count = source_count;
        group->target_count = target_count;
        return false;
    }
    open_cells(group, source, part->source_count, targets, bound);
    if (bound > group->bound) group->bound = bound;
    return true;
}

/* ---- the walk ---- */

/* Notes that there is a label at a node of the current root path. */
static inline void note(const matrices_scratch *group, mcd_node node, uint32_t depth)
{
    group->written[depth / 64] |= UINT64_C(1) << depth % 64;
    group->node[depth] = node;
}

static inline void prefetch_arcs(const mcd_search *search, mcd_arc first)
{
    __builtin_prefetch(&search->objective[first]);
    __builtin_prefetch(&search->depth[first]);
    __builtin_prefetch(&search->head[first]);
    if (MCD_LANE_BITS == 64) __builtin_prefetch(&search->companion[first]);
}

/* Relaxes the arcs below `room`. A label above every limit is not written: its node need not be visited. */
static inline void relax_node(const matrices_scratch *group, const mcd_weights *weights, int direction,
                              mcd_node node, row label, mcd_weight room)
{
    const mcd_search search = weights->search[direction]; /* a copy: no store changes it */
    const mcd_node *const subtree_end = weights->hierarchy->subtree_end;
    const mcd_arc begin = search.first[node], end = search.first[node + 1];
    cost *const panel = group->panel[direction];
    uint64_t *const written = group->written;
    mcd_node *const node_at = group->node;
    for (mcd_arc first = begin; first < end; first += 16)
        for (uint32_t arcs = values_below(room, search.objective + first, mcd_size_min(end - first, 16));
             arcs; arcs &= arcs - 1) {
            const mcd_arc xy = first + (mcd_arc)__builtin_ctz(arcs);
            const uint32_t depth = search.depth[xy];
            cost *above = panel + (size_t)depth * LANES;
            written[depth / 64] |= UINT64_C(1) << depth % 64;
            node_at[depth] = search.head[xy];
            __builtin_prefetch(&subtree_end[search.head[xy]]);
            prefetch_arcs(&search, search.first[search.head[xy]]);
            row_store(above,
                      row_relax(row_load(above), label, cost_of(search.objective, search.companion, xy)));
        }
}

/* `live`: the sources from which some target may be within the limit. */
static inline void meet(cost *cell, uint32_t live, const cost *forward, row backward)
{
    for (; live; live &= live - 1) {
        const int s = __builtin_ctz(live);
        row_store(cell + s * LANES, row_relax(row_load(cell + s * LANES), backward, forward[s]));
    }
}

static void visit(const matrices_scratch *group, const mcd_weights *weights, mcd_node node, uint32_t depth,
                  const row hide[2])
{
    cost *const from = group->panel[MCD_FORWARD] + (size_t)depth * LANES, *const to =
                                                                              group->panel[MCD_BACKWARD] +
                                                                              (size_t)depth * LANES;
    const row forward = row_hide(row_load(from), hide[MCD_FORWARD]),
              backward = row_hide(row_load(to), hide[MCD_BACKWARD]);
    const mcd_weight bound = cost_objective(group->bound), least = row_least(forward),
                     least_back = row_least(backward);
    if (least < bound) relax_node(group, weights, MCD_FORWARD, node, forward, bound - least);
    if (least_back < bound) relax_node(group, weights, MCD_BACKWARD, node, backward, bound - least_back);
    if (least + least_back < bound)
        meet(group->cell, row_below(forward, group->bound - seed_cost(least_back, 0)), from, backward);
}

/* Takes the largest noted depth below `end`; UINT32_MAX: there is none. */
static inline uint32_t take_depth(const matrices_scratch *group, uint32_t end)
{
    for (uint32_t w = end / 64 + 1; w-- > 0;) {
        const uint64_t word =
            w == end / 64 ? group->written[w] & ((UINT64_C(1) << end % 64) - 1) : group->written[w];
        if (!word) continue;
        const uint32_t depth = w * 64 + 63 - (uint32_t)__builtin_clzll(word);
        group->written[w] &= ~(UINT64_C(1) << depth % 64);
        group->to_clear[w] |= UINT64_C(1) << depth % 64;
        return depth;
    }
    return UINT32_MAX;
}

/* Lowers the bound to the largest cell that may still fall, while all labels to come are on one root path: a sum of labels
 * is at least that of the least ones of both lanes. */
static void look_ahead(matrices_scratch *group, size_t height)
{
    row least[2] = {row_all(COST_UNREACHED), row_all(COST_UNREACHED)};
    cost forward[LANES] __attribute__((aligned(64))), most = 0;
    for (size_t w = 0; w <= height / 64; ++w)
        for (uint64_t depths = group->written[w]; depths; depths &= depths - 1) {
            const size_t at = (w * 64 + (size_t)__builtin_ctzll(depths)) * LANES;
            for (int direction = 0; direction < 2; ++direction)
                least[direction] = row_relax(least[direction], row_load(group->panel[direction] + at), 0);
        }
    row_store(forward, least[MCD_FORWARD]);
    for (uint32_t s = 0; s < group->source_count; ++s) {
        const cost *const cells = group->cell + (size_t)s * LANES;
        const row now = row_load(cells);
        row gain = row_relax(now, least[MCD_BACKWARD], forward[s]);
        EACH_VEC(i) gain.vec[i] = now.vec[i] - gain.vec[i];
        const uint32_t may_fall = ~row_below(gain, 1);
        for (uint32_t more; (more = may_fall & ~row_below(now, most + 1) & 0xffff);)
            most = cells[__builtin_ctz(more)];
    }
    group->bound = cost_min(group->bound, seed_cost(cost_objective(most) + 1, 0));
}

static void prefetch_ends(const matrices_scratch *group, const mcd_weights *weights)
{
    for (uint32_t i = 0; i < group->end_count; ++i)
        for (int direction = 0; direction < 2; ++direction) {
            const mcd_search *const search = &weights->search[direction];
            if (group->end[i].bits >> (direction == MCD_BACKWARD ? LANES : 0) & 0xffff)
                prefetch_arcs(search, search->first[group->end[i].node]);
        }
}

/* Fills in the group's cells. The ends ascend, and so the ends below a node follow each other. */
static void walk(matrices_scratch *group, const mcd_weights *weights)
{
    const mcd_hierarchy *const hierarchy = weights->hierarchy;
    uint32_t visits = 0;
    prefetch_ends(group, weights);
    for (uint32_t i = group->end_count; i-- > 0;) {
        const mcd_lane *const lane = group->end[i].lane;
        uint32_t depth = hierarchy->depth[group->end[i].node] + 1, right = i, mask = group->end[i].bits;
        row hide[2] = {row_hide_all_but(mask), row_hide_all_but(mask >> LANES)};
        for (uint32_t s = 0, count = mcd_lane_seed_count(lane); s < count; ++s)
            note(group, lane->seed[s].node, hierarchy->depth[lane->seed[s].node]);
        while ((depth = take_depth(group, depth)) != UINT32_MAX) {
            const mcd_node node = group->node[depth], subtree_end = hierarchy->subtree_end[node];
            if (i > 0 && group->end[i - 1].node >= node) { /* shared with that end, and so is what is above */
                note(group, node, depth);
                break;
            }
            if (right + 1 < group->end_count && group->end[right + 1].node < subtree_end) {
                while (right + 1 < group->end_count && group->end[right + 1].node < subtree_end)
                    mask |= group->end[++right].bits;
                hide[MCD_FORWARD] = row_hide_all_but(mask);
                hide[MCD_BACKWARD] = row_hide_all_but(mask >> LANES);
            }
            visit(group, weights, node, depth, hide);
            if (i == 0 && ++visits % LOOK_EVERY == 0) look_ahead(group, hierarchy->height);
        }
    }
}

/* ---- matrices ---- */

/* Writes the cells of `part`. `stride` is the number of targets of its whole matrix. */
static void answer(matrices_scratch *group, const mcd_matrices_job *job, const mcd_small_matrix *part,
                   uint32_t stride)
{
    uint32_t column[LANES];
    for (uint32_t t = 0; t < part->target_count; ++t)
        column[t] = place_of(group->target, &group->target_count, job->target[part->first_target + t]);
    for (uint32_t s = 0; s < part->source_count; ++s) {
        const cost *const cells = group->cell + LANES * (size_t)place_of(group->source, &group->source_count,
                                                                         job->source[part->first_source + s]);
        for (uint32_t t = 0; t < part->target_count; ++t) {
            const size_t at = part->first_cell + (size_t)s * stride + t;
            answer_cost(cells[column[t]], part->limit, false, &job->objective[at],
                        job->companion ? &job->companion[at] : NULL);
        }
    }
}

static void run_group(matrices_scratch *group, const mcd_matrices_job *job)
{
    const mcd_hierarchy *const hierarchy = job->weights->hierarchy;
    for (uint32_t s = 0; s < group->source_count; ++s)
        add_end(group, hierarchy, &job->source_lane[group->source[s]], s);
    for (uint32_t t = 0; t < group->target_count; ++t)
        add_end(group, hierarchy, &job->target_lane[group->target[t]], LANES + t);
    walk(group, job->weights);
}

/* A matrix that is larger than a group. */
static void run_large(matrices_scratch *group, const mcd_matrices_job *job, const mcd_small_matrix *whole)
{
    for (uint32_t s = 0; s < whole->source_count; s += LANES)
        for (uint32_t t = 0; t < whole->target_count; t += LANES) {
            mcd_small_matrix part = *whole;
            part.first_source += s;
            part.first_target += t;
            part.source_count = (uint32_t)mcd_size_min(LANES, whole->source_count - s);
            part.target_count = (uint32_t)mcd_size_min(LANES, whole->target_count - t);
            part.first_cell += (size_t)s * whole->target_count + t;
            begin_group(group, job->weights->hierarchy->height);
            add_matrix(group, job, &part);
            run_group(group, job);
            answer(group, job, &part, whole->target_count);
        }
}

static void prefetch_lanes(const mcd_weights *weights, int direction, const mcd_lane *lane,
                           const uint32_t *index, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        const mcd_node node = lane[index[i]].seed[0].node;
        if (node == MCD_NODE_NONE) continue;
        __builtin_prefetch(&weights->hierarchy->depth[node]);
        __builtin_prefetch(&weights->hierarchy->subtree_end[node]);
        __builtin_prefetch(&weights->search[direction].first[node]);
    }
}

/* First the lanes, then the arrays at their nodes. */
static void prefetch_matrices(const mcd_matrices_job *job, const mcd_small_matrix *matrix, size_t count)
{
    for (size_t m = MATRICES_AHEAD; m < mcd_size_min(count, (size_t)2 * MATRICES_AHEAD); ++m) {
        for (uint32_t s = 0; s < matrix[m].source_count; ++s)
            __builtin_prefetch(&job->source_lane[job->source[matrix[m].first_source + s]]);
        for (uint32_t t = 0; t < matrix[m].target_count; ++t)
            __builtin_prefetch(&job->target_lane[job->target[matrix[m].first_target + t]]);
    }
    for (size_t m = 0; m < mcd_size_min(count, MATRICES_AHEAD); ++m) {
        prefetch_lanes(job->weights, MCD_FORWARD, job->source_lane, job->source + matrix[m].first_source,
                       matrix[m].source_count);
        prefetch_lanes(job->weights, MCD_BACKWARD, job->target_lane, job->target + matrix[m].first_target,
                       matrix[m].target_count);
    }
}

static void matrices_task(void *argument, size_t index, unsigned worker)
{
    const matrices_run *run = argument;
    const mcd_matrices_job *const job = run->job;
    matrices_scratch *const group = &run->scratch[worker];
    const size_t end = mcd_size_min((index + 1) * MATRICES_PER_TASK, job->matrix_count);
    for (size_t m = index * MATRICES_PER_TASK; m < end && mcd_watch_goes_on(run->watch);) {
        size_t fit = 0;
        begin_group(group, job->weights->hierarchy->height);
        while (m + fit < end && add_matrix(group, job, &job->matrix[m + fit])) ++fit;
        if (fit == 0) {
            run_large(group, job, &job->matrix[m++]);
            continue;
        }
        prefetch_matrices(job, &job->matrix[m + fit], end - m - fit);
        run_group(group, job);
        for (; fit > 0; --fit, ++m) answer(group, job, &job->matrix[m], job->matrix[m].target_count);
    }
}

static macadam_status allocate(matrices_scratch *scratch, size_t height, macadam_error *error)
{
    const row unreached = row_all(COST_UNREACHED);
    MCD_TRY(MCD_NEW_ZEROED(scratch->written, height / 64 + 1, error));
    MCD_TRY(MCD_NEW_ZEROED(scratch->to_clear, height / 64 + 1, error));
    MCD_TRY(MCD_NEW(scratch->node, height, error));
    for (int direction = 0; direction < 2; ++direction) {
        MCD_TRY(MCD_NEW(scratch->panel[direction], height * LANES, error));
        for (size_t d = 0; d < height; ++d) row_store(scratch->panel[direction] + d * LANES, unreached);
    }
    scratch->source_count = LANES; /* whose cells are to be cleared */
    return MCD_NEW(scratch->cell, (size_t)LANES * LANES, error);
}

MCD_DEFINE_STATIC_FREE(free_scratch, matrices_scratch, it->panel[MCD_FORWARD], it->panel[MCD_BACKWARD],
                       it->written, it->to_clear, it->node, it->cell)

macadam_status MCD_KERNEL(matrices)(const mcd_matrices_job *job, macadam_error *error)
{
    const size_t task_count = (job->matrix_count + MATRICES_PER_TASK - 1) / MATRICES_PER_TASK;
    const size_t workers = task_count <= 1 ? 1 : job->parallel.thread_count;
    mcd_watch watch = mcd_watch_of(&job->progress, "matrices");
    matrices_run run = {.job = job, .watch = &watch};
    MCD_TRY(MCD_NEW_ZEROED(run.scratch, workers, error));
    macadam_status status = MACADAM_OK;
    for (size_t w = 0; w < workers && !status; ++w)
        status = allocate(&run.scratch[w], job->weights->hierarchy->height, error);
    if (!status) status = mcd_watch_for(&watch, &job->parallel, task_count, matrices_task, &run, error);
    for (size_t w = 0; w < workers; ++w) free_scratch(&run.scratch[w]);
    mcd_free(run.scratch);
    return status;
}
