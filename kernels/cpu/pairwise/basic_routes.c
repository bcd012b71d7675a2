/* basic_routes.c - see basic_routes.h.
 *
 * Method. An upward arc whose basic weight is an input arc's stands for that input arc. Any other stands for
 * the lower triangle of the same weight whose bottom is the least. Customization would have noted the same
 * (customize.c); here the triangle is searched only for the arcs of the path. (Dibbelt, Strasser, Wagner
 * 2016, section 6) */
#include "kernels/cpu/pairwise/basic_routes.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "kernels/cpu/customize/bottoms.h"

enum { PATH_ARCS_MAX = 1 << 17 };

/* An upward arc in one direction. */
typedef struct basic_arc {
    mcd_node low; /* its lower end */
    uint32_t up;
    mcd_direction direction;
} basic_arc;

/* Without a companion, its lower half is 0. */
static inline mcd_joint cost_of(const mcd_weights *weights, mcd_arc up, mcd_direction direction)
{
    const mcd_search *const search = &weights->search[direction];
    return mcd_joint_of(search->objective[up], search->companion ? search->companion[up] : 0);
}

/* ---- paths ---- */

/* Returns the first input arc from `tail` to `head` of this cost; UINT32_MAX if there is none. */
static uint32_t find_input(const mcd_weights *weights, mcd_node tail, mcd_node head, mcd_joint cost)
{
    const mcd_graph *const graph = weights->graph;
    const mcd_arc end = graph->first_out[tail + 1];
    for (mcd_arc arc = mcd_graph_first_arc(graph, tail, head); arc < end && graph->head[arc] == head; ++arc) {
        const mcd_weight companion = weights->companion ? weights->companion[arc] : 0;
        if (mcd_arc_is_open(weights, (uint32_t)arc) &&
            mcd_joint_of(weights->objective[arc], companion) == cost)
            return (uint32_t)arc;
    }
    return UINT32_MAX;
}

/* Finds the two arcs over the least bottom whose costs sum to the arc's. Returns false if there are none. Companions are
 * read only where the objectives fit, which is rare. */
static bool find_triangle(const mcd_weights *weights, basic_arc arc, mcd_joint cost, basic_arc *tail_part,
                          basic_arc *head_part)
{
    const bool is_forward = arc.direction == MCD_FORWARD;
    const mcd_weight *const up = weights->search[MCD_FORWARD].objective;
    const mcd_weight *const down = weights->search[MCD_BACKWARD].objective;
    mcd_bottoms walk = mcd_bottoms_of(weights->hierarchy, arc.low, weights->hierarchy->up_head[arc.up]);
    while (mcd_bottoms_next(&walk)) {
        const mcd_arc to_tail = is_forward ? walk.to_mid : walk.to_top,
                      to_head = is_forward ? walk.to_top : walk.to_mid;
        if (down[to_tail] + up[to_head] != mcd_joint_objective(cost) ||
            mcd_joint_add(cost_of(weights, to_tail, MCD_BACKWARD), cost_of(weights, to_head, MCD_FORWARD)) !=
                cost)
            continue;
        *tail_part = (basic_arc){walk.bottom, (uint32_t)to_tail, MCD_BACKWARD};
        *head_part = (basic_arc){walk.bottom, (uint32_t)to_head, MCD_FORWARD};
        return true;
    }
    return false;
}

/* Appends the input arcs of `arc`. A part's lower end is deeper than the arc's own, so the stack never holds
 * more than the height of the tree. */
static macadam_status unpack_arc(const mcd_weights *weights, basic_arc arc, basic_arc *stack, mcd_path *path,
                                 size_t arcs_max, macadam_error *error)
{
    size_t count = 0;
    stack[count++] = arc;
    while (count > 0 && path->count <= arcs_max) {
        arc = stack[--count];
        const mcd_node high = weights->hierarchy->up_head[arc.up];
        const bool is_forward = arc.direction == MCD_FORWARD;
        const mcd_joint cost = cost_of(weights, arc.up, arc.direction);
        const uint32_t input =
            find_input(weights, is_forward ? arc.low : high, is_forward ? high : arc.low, cost);
        basic_arc tail_part, head_part;
        if (input != UINT32_MAX) {
            MCD_TRY(MCD_GROW(path->arc, path->capacity, path->count + 1, error));
            path->arc[path->count++] = input;
        } else if (find_triangle(weights, arc, cost, &tail_part, &head_part)) {
            stack[count++] = head_part;
            stack[count++] = tail_part;
        } else {
            return mcd_fail(error, MACADAM_E_FILE, "basic weight %u of node %u belongs to no path", arc.up,
                            arc.low);
        }
    }
    return MACADAM_OK;
}

static basic_arc arc_of(const mcd_hierarchy *hierarchy, uint64_t kept)
{
    const mcd_arc up = kept >> 1;
    const size_t low = mcd_lower_bound_u64(hierarchy->first_up, 1, hierarchy->node_count, up + 1) - 1;
    return (basic_arc){(mcd_node)low, (uint32_t)up, (mcd_direction)(kept & 1)};
}

macadam_status mcd_basic_unpack(mcd_path *const *path, const uint64_t *chain, const size_t *first,
                                size_t count, const mcd_weights *weights, bool *needs_kept,
                                macadam_error *error)
{
    const size_t arcs_max = mcd_size_min(weights->hierarchy->node_count, PATH_ARCS_MAX);
    MCD_OWNED basic_arc *stack = NULL;
    MCD_TRY(MCD_NEW(stack, weights->hierarchy->height + (size_t)2, error));
    for (size_t i = 0; i < count; ++i) {
        for (size_t a = first[i]; a < first[i + 1]; ++a)
            MCD_TRY(
                unpack_arc(weights, arc_of(weights->hierarchy, chain[a]), stack, path[i], arcs_max, error));
        if (path[i]->count > arcs_max) *needs_kept = true;
    }
    return MACADAM_OK;
}

/* ---- exceptions ---- */

typedef struct shifted_take {
    const mcd_route_job *job;
    size_t first;
} shifted_take;

static macadam_status take_shifted(void *context, const mcd_path *path, size_t first, size_t count,
                                   macadam_error *error)
{
    const shifted_take *const shifted = context;
    return shifted->job->take(shifted->job->take_context, path, shifted->first + first, count, error);
}

static void free_schedule(mcd_schedule **schedule)
{
    mcd_cpu_backend()->schedule_free(*schedule);
}

macadam_status mcd_route_over_kept(const mcd_route_job *job, size_t first, macadam_error *error)
{
    const mcd_backend *const host = mcd_cpu_backend();
    mcd_weights weights = *job->weights;
    MCD_FREED_BY(free_schedule) mcd_schedule *schedule = NULL;
    MCD_TRY(host->schedule_new(&schedule, weights.hierarchy, weights.graph, &job->parallel, error));
    const mcd_customize_job customize = {.schedule = schedule,
                                         .hierarchy = weights.hierarchy,
                                         .graph = weights.graph,
                                         .objective = weights.objective,
                                         .companion = weights.companion,
                                         .witnesses = true,
                                         .parallel = job->parallel};
    MCD_FREED_BY(mcd_custom_free) mcd_custom custom = {0};
    MCD_FREED_BY(mcd_kept_free) mcd_kept kept = {0};
    MCD_TRY(host->customize(&custom, &customize, error));
    MCD_TRY(host->prune(&kept, &custom, &customize, error));
    MCD_TRY(host->name_children(&kept, &custom, &customize, error));
    mcd_custom_free(&custom); /* before the routes take memory */
    shifted_take shifted = {job, first};
    mcd_route_job rest = *job;
    weights.is_basic = false;
    weights.search[MCD_FORWARD] = kept.search[MCD_FORWARD];
    weights.search[MCD_BACKWARD] = kept.search[MCD_BACKWARD];
    rest.weights = &weights;
    mcd_route_skip(&rest, first);
    rest.take = job->take ? take_shifted : NULL;
    rest.take_context = &shifted;
    return host->route(&rest, error);
}
