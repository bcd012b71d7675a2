/* prune.c - the arcs that are kept after perfect customization, and their children.
 *
 * Method. An arc whose basic weight is more than the distance between its ends (perfect.c) is on no shortest
 * path and is left out. A kept arc stands for an input arc or for the two arcs of its least lower triangle.
 * These are kept too: a shorter way around one of them would be a shorter way around the whole. (Dibbelt,
 * Strasser, Wagner 2016, section 5)
 * Saturation. Sums with a saturated companion are not strictly monotone, so that argument fails. If there is
 * one, only unreached arcs are left out.
 * Layout. A bit for each upward arc and direction says whether it is kept. Each word of bits has the count of
 * kept arcs before it, so a kept arc's index is found without a search.
 * Races. None: each part writes its own words, arcs or nodes. */

#include "engine/base/watch.h"
#include "kernels/cpu/customize/customize.h"

enum { KEEP_PARTS = 64, WORD_ARCS = 32 };

/* The kept arrays of one direction while they are filled. */
typedef struct kept_arrays {
    mcd_arc *first;
    mcd_node *head;
    uint32_t *depth;
    mcd_weight *objective, *companion;
    uint64_t *children;
} kept_arrays;

/* Says which of WORD_ARCS upward arcs are kept (bit 2 * arc + direction), and how many kept arcs of each
 * direction come before them. */
typedef struct kept_word {
    uint64_t bits;
    uint32_t before[2];
} kept_word;

/* Arcs are counted and filled in parts of words, one task each. First arcs are listed and children are
 * found in parts of nodes. */
typedef struct keep_run {
    const mcd_customize_job *job;
    const cost *cost;
    const mcd_node *witness;
    mcd_arc up_count, word_count;
    kept_word *word;
    kept_arrays kept[2];
    mcd_arc part_count[KEEP_PARTS][2]; /* kept arcs of a part, then of all parts before it */
} keep_run;

static inline uint64_t bits_of(int direction)
{
    return UINT64_C(0x5555555555555555) << direction;
}

static inline size_t count_bits(uint64_t bits)
{
    return (size_t)__builtin_popcountll(bits);
}

/* The index of an upward arc among the kept arcs of a direction, or the index that it would have. */
static inline mcd_arc kept_index(const keep_run *run, int direction, mcd_arc up)
{
    const kept_word *word = &run->word[up / WORD_ARCS];
    const uint64_t bits = word->bits & bits_of(direction);
    return word->before[direction] + count_bits(bits << 1 << (63 - 2 * (up % WORD_ARCS))); /* bits below */
}

static void count_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    keep_run *run = argument;
    const mcd_arc end = mcd_part_first(run->word_count, part + 1, KEEP_PARTS);
    for (mcd_arc w = mcd_part_first(run->word_count, part, KEEP_PARTS); w < end; ++w) {
        const size_t first = 2 * WORD_ARCS * w;
        const size_t count = mcd_size_min(2 * WORD_ARCS, 2 * run->up_count - first);
        uint64_t bits = 0;
        for (size_t i = 0; i < count; ++i)
            bits |= (uint64_t)(run->witness[first + i] != MCD_WITNESS_PRUNED) << i;
        run->word[w].bits = bits;
        for (int direction = 0; direction < 2; ++direction)
            run->part_count[part][direction] += count_bits(bits & bits_of(direction));
    }
}

static void fill_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    keep_run *run = argument;
    const mcd_node *const up_head = run->job->hierarchy->up_head;
    const uint32_t *const up_depth = run->job->hierarchy->up_depth;
    const mcd_arc end = mcd_part_first(run->word_count, part + 1, KEEP_PARTS);
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run->kept[direction];
        mcd_arc next = run->part_count[part][direction];
        for (mcd_arc w = mcd_part_first(run->word_count, part, KEEP_PARTS); w < end; ++w) {
            run->word[w].before[direction] = (uint32_t)next;
            for (uint64_t bits = run->word[w].bits & bits_of(direction); bits; bits &= bits - 1, ++next) {
                const mcd_arc up = WORD_ARCS * w + (mcd_arc)__builtin_ctzll(bits) / 2;
                const cost value = run->cost[2 * up + (size_t)direction];
                kept->head[next] = up_head[up];
                kept->depth[next] = up_depth[up];
                kept->objective[next] = cost_objective(value);
                if (kept->companion) kept->companion[next] = cost_companion(value);
            }
        }
    }
}

/* Lists each node's first kept arc. */
static void list_firsts(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const keep_run *run = argument;
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const mcd_node end = (mcd_node)mcd_part_first(hierarchy->node_count, part + 1, KEEP_PARTS);
    for (mcd_node x = (mcd_node)mcd_part_first(hierarchy->node_count, part, KEEP_PARTS); x < end; ++x)
        for (int direction = 0; direction < 2; ++direction)
            run->kept[direction].first[x] = kept_index(run, direction, hierarchy->first_up[x]);
}

/* ---- kept arcs ---- */

static macadam_status allocate_kept(keep_run *run, int direction, mcd_arc count, macadam_error *error)
{
    const mcd_customize_job *job = run->job;
    kept_arrays *kept = &run->kept[direction];
    if (count >= MCD_CHILD_NONE)
        return mcd_fail_invalid(error, "%llu kept arcs are more than the %u that a file may have",
                                (unsigned long long)count, MCD_CHILD_NONE - 1);
    MCD_TRY(MCD_NEW(kept->first, (size_t)job->hierarchy->node_count + 1, error));
    kept->first[job->hierarchy->node_count] = count;
    MCD_TRY(MCD_NEW(kept->head, count, error));
    MCD_TRY(MCD_NEW(kept->depth, count, error));
    MCD_TRY(MCD_NEW(kept->objective, count, error));
    return job->companion ? MCD_NEW(kept->companion, count, error) : MACADAM_OK;
}

/* Turns the parts' counts into the counts before each part, and allocates the kept arrays. */
static macadam_status place_parts(keep_run *run, mcd_arc count[2], macadam_error *error)
{
    for (int direction = 0; direction < 2; ++direction) {
        for (size_t part = 0; part < KEEP_PARTS; ++part) {
            const mcd_arc part_count = run->part_count[part][direction];
            run->part_count[part][direction] = count[direction];
            count[direction] += part_count;
        }
        MCD_TRY(allocate_kept(run, direction, count[direction], error));
    }
    return MACADAM_OK;
}

/* Counts the kept arcs, allocates, fills, and then, when every kept arc has its index, lists the nodes'
 * first arcs. */
static macadam_status keep_all(keep_run *run, mcd_arc count[2], macadam_error *error)
{
    const mcd_parallel *parallel = &run->job->parallel;
    mcd_watch watch = mcd_watch_of(&run->job->progress, "pruning");
    MCD_TRY(MCD_NEW(run->word, run->word_count, error));
    MCD_TRY(mcd_watch_for(&watch, parallel, KEEP_PARTS, count_part, run, error));
    MCD_TRY(place_parts(run, count, error));
    MCD_TRY(mcd_watch_for(&watch, parallel, KEEP_PARTS, fill_part, run, error));
    return mcd_watch_for(&watch, parallel, KEEP_PARTS, list_firsts, run, error);
}

macadam_status MCD_KERNEL(prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                                 macadam_error *error)
{
    *out = (mcd_kept){0};
    const mcd_arc up_count = job->hierarchy->first_up[job->hierarchy->node_count];
    keep_run run = {.job = job,
                    .cost = custom->cost,
                    .witness = custom->witness,
                    .up_count = up_count,
                    .word_count = up_count / WORD_ARCS + 1}; /* one word more, for the end */
    MCD_TRY(mcd_progress_step(&job->progress, "pruning", 0, 2, error));
    MCD_TRY(MCD_KERNEL(perfect)(custom, job, error));
    MCD_TRY(mcd_progress_step(&job->progress, "pruning", 1, 2, error));
    const macadam_status status = keep_all(&run, out->count, error);
    mcd_free(custom->cost); /* frees the largest array before the next large ones are allocated */
    custom->cost = NULL;
    custom->kept = run.word;
    for (int direction = 0; direction < 2; ++direction) {
        const kept_arrays *kept = &run.kept[direction];
        out->search[direction] =
            (mcd_search){kept->first, kept->head, kept->depth, kept->objective, kept->companion, NULL};
    }
    if (status) mcd_kept_free(out);
    return status;
}

/* ---- children ---- */

/* One node's input arcs of one direction, to ascending neighbours: arcs next .. end, by way of `arc` if it
 * is given. */
typedef struct input_arcs {
    const mcd_node *neighbour;
    const uint32_t *arc;
    mcd_arc next, end;
} input_arcs;

/* The lightest input arc between the node and `neighbour`; the first of equals. Callers pass neighbours in
 * ascending order. */
static uint32_t lightest_arc(const mcd_customize_job *job, input_arcs *arcs, mcd_node neighbour)
{
    cost least = COST_UNREACHED;
    uint32_t lightest = UINT32_MAX;
    while (arcs->next < arcs->end && arcs->neighbour[arcs->next] < neighbour) ++arcs->next;
    for (; arcs->next < arcs->end && arcs->neighbour[arcs->next] == neighbour; ++arcs->next) {
        const uint32_t xy = arcs->arc ? arcs->arc[arcs->next] : (uint32_t)arcs->next;
        const cost weight = mcd_input_cost(job->objective, job->companion, xy);
        if (weight < least) least = weight, lightest = xy;
    }
    return lightest;
}

/* The two kept arcs over `bottom` that stand for an arc between x and y; y is above x. */
static uint64_t children_over(const keep_run *run, int direction, mcd_node bottom, mcd_node x, mcd_node y)
{
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const mcd_arc first = hierarchy->first_up[bottom];
    const mcd_node *const head = hierarchy->up_head + first;
    const size_t count = hierarchy->first_up[bottom + 1] - first;
    size_t start = 0;
    const mcd_arc to_y = first + position_of(y, head, count, &start);
    const mcd_arc to_x = first + position_of(x, head, count, &start);
    return mcd_children_pack((uint32_t)kept_index(run, MCD_BACKWARD, direction == MCD_FORWARD ? to_x : to_y),
                             (uint32_t)kept_index(run, MCD_FORWARD, direction == MCD_FORWARD ? to_y : to_x));
}

static void find_children_of_node(const keep_run *run, mcd_node x)
{
    const mcd_hierarchy *hierarchy = run->job->hierarchy;
    const mcd_graph *graph = run->job->graph;
    const mcd_arc first = hierarchy->first_up[x], end = hierarchy->first_up[x + 1];
    input_arcs arcs[2] = {{graph->head, NULL, graph->first_out[x], graph->first_out[x + 1]},
                          {graph->tail, graph->in_arc, graph->first_in[x], graph->first_in[x + 1]}};
    mcd_arc next[2] = {kept_index(run, MCD_FORWARD, first), kept_index(run, MCD_BACKWARD, first)};
    for (mcd_arc xy = first; xy < end; ++xy) {
        const mcd_node y = hierarchy->up_head[xy];
        for (int direction = 0; direction < 2; ++direction) {
            const mcd_node bottom = run->witness[2 * xy + (size_t)direction];
            if (bottom == MCD_WITNESS_PRUNED) continue;
            run->kept[direction].children[next[direction]++] =
                bottom == MCD_NODE_NONE
                    ? mcd_children_pack(MCD_CHILD_NONE, lightest_arc(run->job, &arcs[direction], y))
                    : children_over(run, direction, bottom, x, y);
        }
    }
}

static void find_children_of_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const keep_run *run = argument;
    const mcd_node node_count = run->job->hierarchy->node_count;
    const mcd_node end = (mcd_node)mcd_part_first(node_count, part + 1, KEEP_PARTS);
    for (mcd_node x = (mcd_node)mcd_part_first(node_count, part, KEEP_PARTS); x < end; ++x)
        find_children_of_node(run, x);
}

macadam_status MCD_KERNEL(name_children)(mcd_kept *kept, const mcd_custom *custom,
                                         const mcd_customize_job *job, macadam_error *error)
{
    keep_run run = {.job = job, .witness = custom->witness, .word = custom->kept};
    for (int direction = 0; direction < 2; ++direction) {
        MCD_TRY(MCD_NEW(run.kept[direction].children, kept->count[direction], error));
        kept->search[direction].children = run.kept[direction].children;
    }
    mcd_watch watch = mcd_watch_of(&job->progress, "naming children");
    return mcd_watch_for(&watch, &job->parallel, KEEP_PARTS, find_children_of_part, &run, error);
}
