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
 * Layout. The old costs stay as they are. The first change of a node's arcs copies its row, and its costs are those of the
 * copy from then on. */

#include "engine/base/grow.h"
#include "engine/base/watch.h"
#include "kernels/cpu/customize/customize.h"
#include "kernels/cpu/customize/node_queue.h"
#include "kernels/cpu/device/both.h"

enum {
    LOOSE_PER_ROW = 8, /* of a node's arcs, one in this many justifies computing its whole row */
    NODES_PER_STEP = 64,
    COUNTED_LEAST = 256, /* fewer arcs can hardly change most of a map */
};

typedef struct repair {
    const mcd_recustomize_job *job;
    const mcd_schedule *schedule;
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;
    mcd_cost_rows rows;
    uint64_t *is_apart;             /* as rows.is_apart */
    uint32_t *row_of;               /* as rows.row_of */
    size_t row_count, row_capacity; /* arcs of `rows.row` */
    mcd_node_queue queue;
    uint64_t *loose; /* a bit per upward arc */
    cost *row;       /* [2 * height], by depth */
    uint32_t *slot;  /* [height]: the changed arcs of a node */
    uint64_t work;
    mcd_recustomized *out;
    cost *changed; /* as out->cost */
    size_t changed_capacity, up_capacity;
} repair;

/* ---- rows ---- */

/* The present costs of the upward arcs of x; the next new row may move them. */
static inline cost *row_of(const repair *run, mcd_node x)
{
    return mcd_row_is_apart(&run->rows, x)
               ? run->rows.row + 2 * (size_t)run->row_of[x]
               : (cost *)run->rows.base + 2 * run->hierarchy->first_up[x]; /* is not written */
}

/* Makes room for the row of x. */
static macadam_status reserve_row(repair *run, mcd_node x, macadam_error *error)
{
    const size_t degree = run->hierarchy->first_up[x + 1] - run->hierarchy->first_up[x];
    if (mcd_row_is_apart(&run->rows, x) || run->row_count + degree <= run->row_capacity) return MACADAM_OK;
    return mcd_grow(&run->rows.row, &run->row_capacity, run->row_count + degree, 2 * sizeof *run->rows.row,
                    error);
}

/* Copies the row of x, unless it is apart already. */
static macadam_status own_row(repair *run, mcd_node x, macadam_error *error)
{
    const mcd_arc first = run->hierarchy->first_up[x];
    const size_t degree = run->hierarchy->first_up[x + 1] - first, at = run->row_count;
    if (mcd_row_is_apart(&run->rows, x)) return MACADAM_OK;
    MCD_TRY(reserve_row(run, x, error));
    memcpy(run->rows.row + 2 * at, run->rows.base + 2 * first, 2 * degree * sizeof *run->rows.row);
    run->is_apart[x / 64] |= UINT64_C(1) << x % 64;
    run->row_of[x] = (uint32_t)at; /* there are fewer than 2^32 - 1 upward arcs */
    run->row_count += degree;
    return MACADAM_OK;
}

/* ---- changes ---- */

/* Lowers the costs of an arc of `low` to `new`. */
static macadam_status change_arc(repair *run, mcd_node low, mcd_arc up, const cost *new, bool is_loose,
                                 macadam_error *error)
{
    MCD_TRY(own_row(run, low, error));
    cost *const present = row_of(run, low) + 2 * (up - run->hierarchy->first_up[low]);
    for (int direction = 0; direction < 2; ++direction)
        present[direction] = cost_min(present[direction], new[direction]);
    if (is_loose) run->loose[up / 64] |= UINT64_C(1) << up % 64;
    mcd_node_queue_push(&run->queue, low);
    return MACADAM_OK;
}

/* A path that stands for the arc has changed in both directions from `old` to `new`. For most, that changes nothing. */
static inline macadam_status tell_arc(repair *run, mcd_node low, mcd_arc up, const cost *old, const cost *new,
                                      macadam_error *error)
{
    const cost *const present = row_of(run, low) + 2 * (up - run->hierarchy->first_up[low]);
    bool is_less = false, is_loose = false;
    for (int direction = 0; direction < 2; ++direction) {
        is_less |= new[direction] < present[direction];
        is_loose |= old[direction] == present[direction] && new[direction] > old[direction];
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
    const uint32_t up = run->schedule->up_of_arc[arc];
    if (up == UINT32_MAX) return MACADAM_OK; /* a loop */
    const mcd_node tail = tail_of(run->graph, arc), head = run->graph->head[arc];
    const int direction = tail > head ? MCD_FORWARD : MCD_BACKWARD;
    cost old[2] = {COST_UNREACHED, COST_UNREACHED}, new[2] = {COST_UNREACHED, COST_UNREACHED};
    old[direction] = mcd_input_cost(run->job->old_objective, run->job->old_companion, arc);
    new[direction] = mcd_input_cost(job->objective, job->companion, arc);
    return tell_arc(run, tail > head ? tail : head, up, old, new, error);
}

/* ---- upper triangles ---- */

/* The path over x between the arcs of its slots y and z, in both directions of the arc from y up to z. */
static void add_sides(cost *to, const cost *x_arc, uint32_t y, uint32_t z)
{
    to[0] = cost_add(x_arc[2 * y + 1], x_arc[2 * z]);
    to[1] = cost_add(x_arc[2 * y], x_arc[2 * z + 1]);
}

/* x_arc: the present costs of x's arcs. */
static inline macadam_status tell_triangle(repair *run, mcd_node x, const cost *x_arc, uint32_t y, uint32_t z,
                                           mcd_arc yz, macadam_error *error)
{
    const mcd_arc first = run->hierarchy->first_up[x];
    cost old[2], new[2];
    add_sides(old, run->rows.base + 2 * first, y, z);
    add_sides(new, x_arc, y, z);
    return tell_arc(run, run->hierarchy->up_head[first + y], yz, old, new, error);
}

/* Tells the triangles of bottom x and mid y = head of its arc in slot `y`: those of all tops if this arc
 * changed, else those of the `count` changed tops. */
static macadam_status tell_mid(repair *run, mcd_node x, uint32_t y, bool is_changed, size_t count,
                               macadam_error *error)
{
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    const mcd_node *const top = hierarchy->up_head + hierarchy->first_up[x];
    mcd_arc at = hierarchy->first_up[top[y]];
    const mcd_arc end = hierarchy->first_up[top[y] + 1];
    MCD_TRY(reserve_row(run, top[y], error)); /* no row moves meanwhile */
    const cost *const x_arc = row_of(run, x);
    if (is_changed) {
        for (uint32_t z = 0; z < y; ++z, ++at) {
            while (hierarchy->up_head[at] != top[z]) ++at;
            MCD_TRY(tell_triangle(run, x, x_arc, y, z, at, error));
        }
        run->work += y;
        return MACADAM_OK;
    }
    for (size_t i = 0; i < count && run->slot[i] < y; ++i) {
        at = mcd_lower_bound_u32(hierarchy->up_head, at, end, top[run->slot[i]]);
        MCD_TRY(tell_triangle(run, x, x_arc, y, run->slot[i], at, error));
    }
    run->work += count;
    return MACADAM_OK;
}

static macadam_status tell_triangles(repair *run, mcd_node x, size_t count, macadam_error *error)
{
    const uint32_t degree = (uint32_t)(run->hierarchy->first_up[x + 1] - run->hierarchy->first_up[x]);
    size_t next = 0;
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
    const mcd_schedule *const schedule = run->schedule;
    const mcd_hierarchy *const hierarchy = run->hierarchy;
    const mcd_node z = hierarchy->up_head[yz];
    const mcd_arc end = schedule->first_lower[y + 1];
    cost *const to = row_of(run, y) + 2 * (yz - hierarchy->first_up[y]);
    to[0] = to[1] = COST_UNREACHED;
    lower_to_inputs(run, y, z, to);
    both least = both_load(to);
    for (mcd_arc i = schedule->first_lower[y], next; i < end; i = next) {
        const mcd_arc first = hierarchy->first_up[schedule->lower[i]];
        const uint32_t slot = schedule->lower_slot[i] & ~MCD_SAME_TOPS;
        const mcd_arc xz = mcd_lower_bound_u32(hierarchy->up_head, first, first + slot, z);
        const size_t to_y = 2 * (size_t)slot, to_z = 2 * (size_t)(xz - first);
        for (next = i + 1; next < end && schedule->lower_slot[next] & MCD_SAME_TOPS;) ++next;
        if (xz == first + slot || hierarchy->up_head[xz] != z) continue;
        for (mcd_arc k = i; k < next; ++k) {
            const cost *const arc = row_of(run, schedule->lower[k]);
            least = both_min(least, both_add(both_swap(both_load(arc + to_y)), both_load(arc + to_z)));
        }
    }
    both_store(to, least);
    run->work += end - schedule->first_lower[y];
}

/* Computes all upward arcs of y again. */
static void tighten_row(repair *run, mcd_node y)
{
    const mcd_arc *const first_lower = run->schedule->first_lower, *const first_up = run->hierarchy->first_up;
    MCD_KERNEL(customize_row)(&run->job->customize, &run->rows, y, run->row);
    run->work += (first_lower[y + 1] - first_lower[y]) * (first_up[y + 1] - first_up[y]) / LOOSE_PER_ROW;
}

static size_t count_loose(const repair *run, mcd_arc first, mcd_arc end)
{
    size_t count = 0;
    for (mcd_arc word = first / 64; word <= (end - 1) / 64; ++word) {
        uint64_t bits = run->loose[word];
        if (word == first / 64) bits &= UINT64_MAX << first % 64;
        if (word == (end - 1) / 64) bits &= UINT64_MAX >> (63 - (end - 1) % 64);
        count += (size_t)__builtin_popcountll(bits);
    }
    return count;
}

static void tighten(repair *run, mcd_node y, mcd_arc first, mcd_arc end)
{
    const size_t loose = count_loose(run, first, end);
    if (loose == 0) return;
    const bool as_row = loose * LOOSE_PER_ROW > end - first;
    for (mcd_arc up = first; up < end; ++up) {
        uint64_t *const word = &run->loose[up / 64];
        const uint64_t bit = UINT64_C(1) << up % 64;
        if (!(*word & bit)) continue;
        *word &= ~bit;
        if (!as_row) tighten_arc(run, y, up);
    }
    if (as_row) tighten_row(run, y);
}

/* Notes the arcs of a node whose costs differ from those of the base; returns how many, in run->slot. */
static macadam_status note_changed(repair *run, mcd_node x, size_t *count, macadam_error *error)
{
    mcd_recustomized *const out = run->out;
    const mcd_arc first = run->hierarchy->first_up[x], degree = run->hierarchy->first_up[x + 1] - first;
    const cost *const old = run->rows.base + 2 * first, *const new = row_of(run, x);
    *count = 0;
    for (uint32_t slot = 0; slot < degree; ++slot)
        if (new[2 * slot] != old[2 * slot] || new[2 * slot + 1] != old[2 * slot + 1])
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
    const size_t up_count = hierarchy->first_up[hierarchy->node_count];
    MCD_TRY(mcd_node_queue_new(&run->queue, hierarchy->node_count, error));
    MCD_TRY(MCD_NEW_ZEROED(run->loose, up_count / 64 + 1, error));
    MCD_TRY(MCD_NEW_ZEROED(run->is_apart, hierarchy->node_count / 64 + (size_t)1, error));
    MCD_TRY(MCD_NEW(run->row_of, hierarchy->node_count, error));
    run->rows.is_apart = run->is_apart, run->rows.row_of = run->row_of;
    MCD_TRY(MCD_NEW(run->row, 2 * (size_t)hierarchy->height, error));
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
    repair run = {.job = job,
                  .schedule = job->customize.schedule,
                  .hierarchy = job->customize.hierarchy,
                  .graph = job->customize.graph,
                  .rows = {.base = job->base},
                  .out = out};
    macadam_status status = allocate(&run, error);
    if (!status) status = repair_all(&run, error);
    out->cost = run.changed;
    MCD_FREE_ALL(run.queue.word[0], run.loose, run.is_apart, run.row_of, run.rows.row, run.row, run.slot);
    if (status) mcd_recustomized_free(out);
    return status;
}
