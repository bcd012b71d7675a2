/* recustomize.c - partial customization: basic costs after few input arcs changed.
 *
 * Method. The lower ends of changed arcs wait in a queue, and the largest id comes first: ids are a preorder,
 * so all lower triangles of a node's arcs are then finished. A finished node passes each changed lower side
 * on to its upper triangles. If the new path is cheaper than the arc's cost, the arc takes it over. If the
 * old path had the arc's cost and the new one is dearer, the arc is loose: its cost is computed again when
 * its node's turn comes. In any other case nothing changes, and the search goes no further.
 * Why it is right.
 * Until its turn, an arc that is not loose has the least cost of its input arcs and of all its lower
 * triangles with their present sides: both rules keep this true, and each triangle changes once, because a
 * node passes on all its arcs together. So the costs are those of customize.c, to the bit: a least cost does
 * not depend on the order. (Dibbelt, Strasser, Wagner 2016, section 4.4)
 * Layout. The old costs stay as they are. The first change of a node's arcs copies its row, cost[2 * slot + direction], and its
 * costs are those of the copy from then on. */

#include "engine/base/grow.h"
#include "engine/base/watch.h"
#include "kernels/cpu/customize/bottoms.h"
#include "kernels/cpu/customize/customize.h"
#include "kernels/cpu/customize/node_queue.h"

enum {
    NODES_PER_STEP = 64,
    COUNTED_LEAST = 256, /* fewer arcs can hardly change most of a map */
    RUN = 16,            /* triangles that are compared together */
};

typedef struct repair {
    const mcd_recustomize_job *job;
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;
    uint64_t *is_apart; /* a bit per node: its row is in `row`; else its costs are the old ones */
    uint32_t *row_of;   /* [node] if so: where it begins there, in arcs */
    cost *row;
    bool *loose;                                    /* [row_count] */
    size_t row_count, row_capacity, loose_capacity; /* their arcs */
    mcd_node_queue queue;
    /* One block. [2 * height]: the old and the present costs of a node; [height] by direction: the lesser objective of both. */
    cost *old_row, *new_row;
    mcd_weight *least[2];
    uint32_t *slot; /* [height]: the changed arcs of a node */
    uint64_t work;
    mcd_recustomized *out;
    cost *changed; /* as out->cost */
    size_t changed_capacity, up_capacity;
} repair;

/* ---- rows ---- */

static inline bool is_apart(const repair *run, mcd_node x)
{
    return run->is_apart[x / 64] >> x % 64 & 1;
}

/* The row of x, which is apart; the next new row may move it. */
static inline cost *row_of(const repair *run, mcd_node x)
{
    return run->row + 2 * (size_t)run->row_of[x];
}

static inline cost old_cost(const repair *run, mcd_arc up, int direction)
{
    const mcd_search *const base = &run->job->base[direction];
    return cost_of(base->objective, base->companion, up);
}

/* The present cost of an upward arc of x. */
static inline cost present_cost(const repair *run, mcd_node x, mcd_arc up, int direction)
{
    if (!is_apart(run, x)) return old_cost(run, up, direction);
    return row_of(run, x)[2 * (up - run->hierarchy->first_up[x]) + (size_t)direction];
}

/* Copies the old costs of the upward arcs of x. */
static void copy_row(const repair *run, mcd_node x, cost *to)
{
    const mcd_arc first = run->hierarchy->first_up[x], end = run->hierarchy->first_up[x + 1];
    for (int direction = 0; direction < 2; ++direction)
        for (mcd_arc up = first; up < end; ++up)
            to[2 * (up - first) + (size_t)direction] = old_cost(run, up, direction);
}

/* Copies the row of x, unless it is apart already. */
static macadam_status own_row(repair *run, mcd_node x, macadam_error *error)
{
    const size_t degree = run->hierarchy->first_up[x + 1] - run->hierarchy->first_up[x];
    if (is_apart(run, x)) return MACADAM_OK;
    MCD_TRY(MCD_GROW(run->loose, run->loose_capacity, run->row_count + degree, error));
    MCD_TRY(mcd_grow(&run->row, &run->row_capacity, run->row_count + degree, 2 * sizeof *run->row, error));
    copy_row(run, x, run->row + 2 * run->row_count);
    memset(run->loose + run->row_count, 0, degree * sizeof *run->loose);
    run->is_apart[x / 64] |= UINT64_C(1) << x % 64;
    run->row_of[x] = (uint32_t)run->row_count; /* there are fewer than 2^32 - 1 upward arcs */
    run->row_count += degree;
    return MACADAM_OK;
}

/* ---- changes ---- */

/* Lowers the costs of an arc of `low` to `new`. */
static macadam_status change_arc(repair *run, mcd_node low, mcd_arc up, const cost *new, bool is_loose,
                                 macadam_error *error)
{
    MCD_TRY(own_row(run, low, error));
    const mcd_arc slot = up - run->hierarchy->first_up[low];
    cost *const present = row_of(run, low) + 2 * slot;
    for (int direction = 0; direction < 2; ++direction)
        present[direction] = cost_min(present[direction], new[direction]);
    if (is_loose) run->loose[run->row_of[low] + slot] = true;
    mcd_node_queue_push(&run->queue, low);
    return MACADAM_OK;
}

/* A path that stands for the arc has changed in both directions from `old` to `new`. For most, that changes nothing. */
static inline macadam_status tell_arc(repair *run, mcd_node low, mcd_arc up, const cost *old, const cost *new,
                                      macadam_error *error)
{
    bool is_less = false, is_loose = false;
    for (int direction = 0; direction < 2; ++direction) {
        const cost present = present_cost(run, low, up, direction);
        is_less |= new[direction] < present;
        is_loose |= old[direction] == present && new[direction] > old[direction];
    }
    return is_less || is_loose ? change_arc(run, low, up, new, is_loose, error) : MACADAM_OK;
}

/* Returns the tail of an arc. */
static mcd_node tail_of(const mcd_graph *graph, mcd_arc arc)
{
    return (mcd_node)mcd_lower_bound_u64(graph->first_out, 1, graph->node_count, arc + 1) - 1;
}

static macadam_status tell_input_arc(repair *run, uint32_t arc, macadam_error *error)
{
    const mcd_customize_job *const job = &run->job->customize;
    const mcd_node tail = tail_of(run->graph, arc), head = run->graph->head[arc],
                   low = tail > head ? tail : head;
    const int direction = tail > head ? MCD_FORWARD : MCD_BACKWARD;
    mcd_arc slot = 0;
    if (tail == head) return MACADAM_OK;
    const mcd_arc up = mcd_bottoms_arc(run->hierarchy, low, tail > head ? head : tail, &slot);
    if (up == UINT64_MAX)
        return mcd_fail(error, MACADAM_E_FILE,
                        "an input arc of node %u has no upward arc: hierarchy and graph differ", low);
    cost old[2] = {COST_UNREACHED, COST_UNREACHED}, new[2] = {COST_UNREACHED, COST_UNREACHED};
    old[direction] = mcd_input_cost(run->job->old_objective, run->job->old_companion, arc);
    new[direction] = mcd_input_cost(job->objective, job->companion, arc);
    return tell_arc(run, low, up, old, new, error);
}

/* ---- upper triangles ---- */

/* The path over x between the arcs of its slots y and z, in both directions of the arc from y up to z. */
static void add_sides(cost *to, const cost *x_arc, uint32_t y, uint32_t z)
{
    to[0] = cost_add(x_arc[2 * y + 1], x_arc[2 * z]);
    to[1] = cost_add(x_arc[2 * y], x_arc[2 * z + 1]);
}

static inline macadam_status tell_triangle(repair *run, mcd_node x, uint32_t y, uint32_t z, mcd_arc yz,
                                           macadam_error *error)
{
    cost old[2], new[2];
    add_sides(old, run->old_row, y, z);
    add_sides(new, run->new_row, y, z);
    return tell_arc(run, run->hierarchy->up_head[run->hierarchy->first_up[x] + y], yz, old, new, error);
}

/* Returns a bit for each of `count` triangles that may change its arc: those of the mid in slot y and the tops in slots from z
 * on, whose arcs begin at `at`. The objective of any other was, and is, above the old one of its arc, which costs no more until
 * its node's turn. No branch: the loop becomes vector instructions. */
static inline uint32_t may_change(const repair *run, uint32_t y, uint32_t z, mcd_arc at, uint32_t count)
{
    const mcd_weight *const forward = run->job->base[MCD_FORWARD].objective + at,
                            *const backward = run->job->base[MCD_BACKWARD].objective + at,
                            *const up = run->least[MCD_FORWARD], *const down = run->least[MCD_BACKWARD];
    const mcd_weight from_y = down[y], to_y = up[y];
    uint32_t some = 0;
    for (uint32_t i = 0; i < count; ++i)
        some |= (uint32_t)((mcd_weight_add(from_y, up[z + i]) <= forward[i]) |
                           (mcd_weight_add(down[z + i], to_y) <= backward[i]))
                << i;
    return some;
}

/* Tells the triangles of bottom x and mid y = head of its arc in slot `y`: those of all tops if this arc
 * changed, else those of the `count` changed tops. */
static macadam_status tell_mid(repair *run, mcd_node x, uint32_t y, bool is_changed, size_t count,
                               macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    const mcd_node *const top = hierarchy->up_head + hierarchy->first_up[x];
    const mcd_arc first = hierarchy->first_up[top[y]], end = hierarchy->first_up[top[y] + 1];
    const bool has_others = end - first > y; /* arcs to other nodes than these tops */
    mcd_arc at = first;
    if (is_changed) {
        for (uint32_t z = 0, length; z < y; z += length, at += length) {
            length = has_others ? 1 : (uint32_t)mcd_size_min(y - z, RUN);
            while (hierarchy->up_head[at] != top[z]) ++at;
            for (uint32_t some = may_change(run, y, z, at, length); some; some &= some - 1) {
                const uint32_t i = (uint32_t)__builtin_ctz(some);
                MCD_TRY(tell_triangle(run, x, y, z + i, at + i, error));
            }
        }
        run->work += y;
        return MACADAM_OK;
    }
    for (size_t i = 0; i < count && run->slot[i] < y; ++i) {
        at = has_others ? mcd_lower_bound_u32(hierarchy->up_head, at, end, top[run->slot[i]])
                        : first + run->slot[i];
        if (may_change(run, y, run->slot[i], at, 1))
            MCD_TRY(tell_triangle(run, x, y, run->slot[i], at, error));
    }
    run->work += count;
    return MACADAM_OK;
}

static macadam_status tell_triangles(repair *run, mcd_node x, size_t count, macadam_error *error)
{
    const uint32_t degree = (uint32_t)(run->hierarchy->first_up[x + 1] - run->hierarchy->first_up[x]);
    size_t next = 0;
    copy_row(run, x, run->old_row);
    memcpy(run->new_row, row_of(run, x), 2 * degree * sizeof *run->new_row);
    for (uint32_t i = 0; i < 2 * degree; ++i)
        run->least[i % 2][i / 2] = cost_objective(cost_min(run->old_row[i], run->new_row[i]));
    for (uint32_t y = run->slot[0]; y < degree; ++y) {
        const bool is_changed = next < count && run->slot[next] == y;
        next += is_changed;
        MCD_TRY(tell_mid(run, x, y, is_changed, is_changed ? 0 : next, error));
    }
    return MACADAM_OK;
}

/* ---- one node ---- */

/* Lowers to[0], forward, and to[1], backward, to the input arcs between y and z above it. */
static void lower_to_inputs(const repair *run, mcd_node y, mcd_node z, cost *to)
{
    const mcd_graph *const graph = run->graph;
    const mcd_customize_job *const job = &run->job->customize;
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_node tail = direction == MCD_FORWARD ? y : z, head = direction == MCD_FORWARD ? z : y;
        const mcd_arc end = graph->first_out[tail + 1];
        for (mcd_arc arc = mcd_graph_first_arc(graph, tail, head); arc < end && graph->head[arc] == head;
             ++arc)
            to[direction] = cost_min(to[direction], mcd_input_cost(job->objective, job->companion, arc));
    }
}

/* Computes the arc from y up to z again. */
static void tighten_arc(repair *run, mcd_node y, mcd_arc yz)
{
    const mcd_node z = run->hierarchy->up_head[yz];
    mcd_bottoms walk = mcd_bottoms_of(run->hierarchy, y, z);
    cost least[2] = {COST_UNREACHED, COST_UNREACHED};
    lower_to_inputs(run, y, z, least);
    for (; mcd_bottoms_next(&walk); ++run->work)
        for (int direction = 0; direction < 2; ++direction) {
            const cost down = present_cost(run, walk.bottom, walk.to_mid, !direction),
                       up = present_cost(run, walk.bottom, walk.to_top, direction);
            least[direction] = cost_min(least[direction], cost_add(down, up));
        }
    memcpy(row_of(run, y) + 2 * (yz - run->hierarchy->first_up[y]), least, sizeof least);
}

static void tighten(repair *run, mcd_node y, mcd_arc first, mcd_arc end)
{
    const bool *const loose = run->loose + run->row_of[y];
    for (mcd_arc up = first; up < end; ++up)
        if (loose[up - first]) tighten_arc(run, y, up);
}

/* Notes the arcs of a node whose costs differ from those of the base; returns how many, in run->slot. */
static macadam_status note_changed(repair *run, mcd_node x, size_t *count, macadam_error *error)
{
    mcd_recustomized *const out = run->out;
    const mcd_arc first = run->hierarchy->first_up[x], degree = run->hierarchy->first_up[x + 1] - first;
    const cost *const new = row_of(run, x);
    *count = 0;
    for (uint32_t slot = 0; slot < degree; ++slot)
        if (new[2 * slot] != old_cost(run, first + slot, 0) ||
            new[2 * slot + 1] != old_cost(run, first + slot, 1))
            run->slot[(*count)++] = slot;
    MCD_TRY(MCD_GROW(out->up, run->up_capacity, out->count + *count, error));
    MCD_TRY(mcd_grow(&run->changed, &run->changed_capacity, out->count + *count, 2 * sizeof *new, error));
    for (size_t i = 0; i < *count; ++i, ++out->count) {
        out->up[out->count] = (uint32_t)first + run->slot[i];
        memcpy(run->changed + 2 * out->count, new + 2 * (size_t)run->slot[i], 2 * sizeof *new);
    }
    return MACADAM_OK;
}

static macadam_status finish_node(repair *run, mcd_node x, macadam_error *error)
{
    const mcd_arc first = run->hierarchy->first_up[x], end = run->hierarchy->first_up[x + 1];
    size_t count;
    tighten(run, x, first, end);
    MCD_TRY(note_changed(run, x, &count, error));
    run->work += end - first;
    return count ? tell_triangles(run, x, count, error) : MACADAM_OK;
}

/* ---- how much there is to do ---- */

static uint64_t triangles_of(const mcd_hierarchy *hierarchy, mcd_node x)
{
    const uint64_t degree = hierarchy->first_up[x + 1] - hierarchy->first_up[x];
    return degree * (degree - 1) / 2;
}

/* Marks the node and its ancestors; returns the upper triangles of those that were not marked. */
static uint64_t mark_ancestors(const mcd_hierarchy *hierarchy, mcd_node x, uint64_t *marked)
{
    uint64_t count = 0;
    for (; x != MCD_NODE_NONE; x = hierarchy->parent[x]) {
        const uint64_t bit = UINT64_C(1) << x % 64;
        if (marked[x / 64] & bit) break;
        marked[x / 64] |= bit;
        count += hierarchy->first_up[x + 1] > hierarchy->first_up[x] ? triangles_of(hierarchy, x) : 0;
    }
    return count;
}

/* Whether the changes can reach most triangles: they can only reach those of ancestors. */
static macadam_status reaches_most(const repair *run, bool *out, macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    uint64_t total = 0, reached = 0, *marked;
    *out = false;
    if (run->job->changed_count < COUNTED_LEAST) return MACADAM_OK;
    for (mcd_node x = 0; x < hierarchy->node_count; ++x)
        if (hierarchy->first_up[x + 1] > hierarchy->first_up[x]) total += triangles_of(hierarchy, x);
    MCD_TRY(MCD_NEW_ZEROED(marked, hierarchy->node_count / 64 + (size_t)1, error));
    for (size_t i = 0; i < run->job->changed_count && reached <= total / 2; ++i) {
        const uint32_t arc = run->job->changed[i];
        const mcd_node tail = tail_of(run->graph, arc), head = run->graph->head[arc];
        reached += mark_ancestors(hierarchy, tail > head ? tail : head, marked);
    }
    mcd_free(marked);
    *out = reached > total / 2;
    return MACADAM_OK;
}

/* ---- all nodes ---- */

static macadam_status allocate(repair *run, macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    const size_t height = hierarchy->height;
    MCD_TRY(mcd_node_queue_new(&run->queue, hierarchy->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->is_apart, hierarchy->node_count / 64 + (size_t)1, error));
    MCD_TRY(MCD_NEW(run->row_of, hierarchy->node_count, error));
    MCD_TRY(MCD_NEW(run->old_row, 6 * height, error));
    run->new_row = run->old_row + 2 * height;
    for (size_t direction = 0; direction < 2; ++direction)
        run->least[direction] = (mcd_weight *)(run->new_row + (2 + direction) * height);
    return MCD_NEW(run->slot, hierarchy->height, error);
}

static macadam_status repair_all(repair *run, macadam_error *error)
{
    const mcd_recustomize_job *const job = run->job;
    mcd_watch watch = mcd_watch_of(&job->customize.progress, "customization");
    bool most = false;
    MCD_TRY(mcd_watch_step(&watch, 0, job->work_max, error));
    if (job->work_max < UINT64_MAX) MCD_TRY(reaches_most(run, &most, error));
    if (most) return MACADAM_OK;
    for (size_t i = 0; i < job->changed_count; ++i) MCD_TRY(tell_input_arc(run, job->changed[i], error));
    run->work = job->changed_count;
    mcd_node x;
    for (size_t i = 1; run->work <= job->work_max && (x = mcd_node_queue_pop(&run->queue)) != MCD_NODE_NONE;
         ++i) {
        MCD_TRY(finish_node(run, x, error));
        if (i % NODES_PER_STEP == 0) MCD_TRY(mcd_watch_step(&watch, run->work, job->work_max, error));
    }
    run->out->is_complete = run->work <= job->work_max;
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(recustomize)(mcd_recustomized *out, const mcd_recustomize_job *job,
                                       macadam_error *error)
{
    *out = (mcd_recustomized){.count = 0};
    repair run = {
        .job = job, .hierarchy = job->customize.hierarchy, .graph = job->customize.graph, .out = out};
    macadam_status status = allocate(&run, error);
    if (!status) status = repair_all(&run, error);
    out->cost = run.changed;
    MCD_FREE_ALL(run.queue.word[0], run.is_apart, run.row_of, run.row, run.loose, run.old_row, run.slot);
    if (status) mcd_recustomized_free(out);
    return status;
}
