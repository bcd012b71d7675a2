/* backend.h - what a backend computes: one table of whole phases. Callers never see which backend runs.
 *
 * A phase answers its whole job and uses all of the device. It borrows the job, and everything that the job
 * points to, until it returns. Costs leave a backend as the interface promises them: UINT32_MAX = unreached.
 * Any number of threads may call phases concurrently.
 * It is one file, because jobs contain each other, and the table has all of them. */
#ifndef MCD_KERNELS_BACKEND_H
#define MCD_KERNELS_BACKEND_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"
#include "kernels/snap.h"

#define MCD_COST_UNREACHED UINT32_MAX /* in answers */

/* ---- answers divided among devices ---- */

enum {
    MCD_PARTS_MAX = 16,  /* GPUs of a device */
    MCD_PART_LANES = 32, /* each part but the last has whole groups of this many lanes */
};

/* The first source of a part. Parts are as equal as whole groups allow; the first ones are larger. */
static inline size_t mcd_division_first(size_t source_count, size_t part, size_t part_count)
{
    const size_t groups = (source_count + MCD_PART_LANES - 1) / MCD_PART_LANES;
    return mcd_size_min(mcd_part_first(groups, part, part_count) * MCD_PART_LANES, source_count);
}

/* The number of parts: one per GPU, unless there are fewer groups. */
static inline size_t mcd_division_parts(size_t source_count, size_t gpu_count)
{
    const size_t groups = (source_count + MCD_PART_LANES - 1) / MCD_PART_LANES;
    return groups == 0 ? 1 : mcd_size_min(groups, gpu_count);
}

/* Answers in parts. Part g lies in the memory of GPU g. It holds the answers to its sources
 * (mcd_division_first), laid out as if these were all sources. */
typedef struct mcd_division {
    size_t part_count;
    uint32_t *objective[MCD_PARTS_MAX], *companion[MCD_PARTS_MAX]; /* NULL if the job's is NULL */
} mcd_division;

/* ---- jobs ----
 *
 * An answer whose companion is requested and saturated is unreached. Answers that are merged with others before that
 * rule is applied are `raw`: only their companion is unreached, and the objective stays. */

/* A place may have several lanes: place i has lane[first[i]] up to lane[first[i + 1] - 1], counted from first[0]. Its costs are
 * the best ones of its lanes. first = NULL: each lane is a place. Only matrices, and devices. */

/* Trees: the costs from (MCD_FORWARD) or to (MCD_BACKWARD) each place. */
typedef struct mcd_tree_job {
    const mcd_weights *weights;
    mcd_direction direction;
    const mcd_lane *lane;
    size_t lane_count; /* places: below, lanes are places */
    const size_t *first;
    mcd_cut_off cut_off; /* with `first`, on devices; not of divided answers */
    mcd_weight limit;    /* an objective above it is unreached; at most MCD_WEIGHT_MAX */
    /* false: rows; value[lane * column_count + i] is the cost at node column[i] (column = NULL: at node i).
     * true: lanes; value[node * lane_count + lane], and lane_count is a multiple of 16.
     * `objective` or `companion` may be NULL. Companions are possible if the weights have them. */
    bool as_lanes;
    /* The sweep visits only the nodes only[i], which ascend and include all their ancestors; NULL: it visits
     * all nodes. With `only`, the answers are rows, and `column` holds valid positions in `only`. (Delling,
     * Goldberg, Werneck 2011, RPHAST) */
    const mcd_node *only;
    size_t only_count;
    const mcd_node *column;
    size_t column_count;
    uint32_t *objective, *companion;
    bool raw;
    const mcd_division *division; /* not NULL: the answers go there instead; only on devices */
    void *scratch; /* tree_scratch bytes of this job or of one with more lanes; aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_tree_job;

/* Reach: trees that are reduced while they are computed, to nodes and values within limits, the farthest
 * node, and the nearest targets. Only the objective counts. */
typedef struct mcd_reach_job {
    const mcd_weights *weights;
    mcd_direction direction;
    const mcd_lane *lane;
    size_t lane_count; /* places, as in mcd_tree_job */
    const size_t *first;
    mcd_cut_off cut_off;     /* likewise; nearest targets are those from first positions */
    const mcd_weight *limit; /* [limit_count], in any order, each at most MCD_WEIGHT_MAX */
    size_t limit_count;      /* at most MACADAM_REACH_LIMITS_MAX */
    const uint8_t *counted;  /* [node_count]: 1 if the node counts, else 0; NULL: all nodes count */
    const uint32_t *value;   /* [node_count], by node; NULL: no sums are requested */
    const mcd_lane
        *target; /* each with one seed of cost 0; on devices: any lanes, and places as in mcd_tree_job */
    const size_t *target_first;
    /* [target_count] instead of lanes; only on devices whose snap index has the ends of roads, and forward */
    const mcd_nearest_road *target_road;
    const struct mcd_device_snap *snap; /* with them */
    size_t target_count, nearest_count;
    macadam_reach answer; /* macadam.h describes its arrays; NULL: not requested. Sources are lanes */
    void *scratch;        /* reach_scratch(job) bytes, aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_reach_job;

/* The nearest of prepared targets. Only the objective counts. */
typedef struct mcd_minima mcd_minima; /* the backend's own */

enum {
    MCD_MINIMA_MAX = 64
}; /* the most nearest targets of a place: each is looked for among those that are kept */

typedef struct mcd_minima_job {
    const mcd_weights *weights;
    mcd_direction direction; /* of searches from sources to targets */
    const mcd_lane *lane;    /* of the targets */
    const size_t *first;     /* [place_count + 1] the first lane of each target; NULL: each has one */
    size_t place_count, nearest_count; /* at most MCD_MINIMA_MAX */
    mcd_progress progress;
} mcd_minima_job;

/* The nearest `count` targets of a place, ascending: key[i] is a cost and, in its low half, a target's number. May
 * change key[MCD_MINIMA_MAX]. Several threads call it, each for other places. */
typedef void (*mcd_take_nearest)(void *context, size_t place, uint64_t *key, uint32_t count);

typedef struct mcd_minima_find_job {
    const mcd_minima *minima; /* any number of threads may use it */
    const mcd_lane *lane;     /* of the sources */
    const size_t *first;      /* likewise */
    size_t place_count;
    mcd_take_nearest take; /* called once for each place */
    void *context;
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_minima_find_job;

/* Whether nearest targets are requested. */
static inline bool mcd_reach_asks_nearest(const macadam_reach *answer)
{
    return answer->nearest_found || answer->nearest_position || answer->nearest_cost;
}

/* Whether anything else is. */
static inline bool mcd_reach_asks_more(const macadam_reach *answer)
{
    return answer->node_count || answer->value_sum || answer->reached || answer->eccentricity ||
           answer->cost_sum;
}

/* Writes the nearest targets of a source: `count` keys, ascending, each a cost and, in its low half, a target. */
static inline void mcd_reach_deliver(const macadam_reach *answer, size_t source, size_t nearest_count,
                                     const uint64_t *key, uint32_t count)
{
    const size_t first = source * nearest_count;
    if (answer->nearest_found) answer->nearest_found[source] = count;
    for (size_t i = 0; i < nearest_count; ++i) {
        const uint64_t found = i < count ? key[i] : UINT64_MAX;
        if (answer->nearest_position) answer->nearest_position[first + i] = (uint32_t)found;
        if (answer->nearest_cost) answer->nearest_cost[first + i] = (uint32_t)(found >> 32);
    }
}

/* The input arcs of a path from source to target. No node occurs twice. */
typedef struct mcd_path {
    uint32_t *arc;
    size_t count, capacity;
} mcd_path;

/* Takes the paths of the pairs first <= i < first + count: path[i - first]. They belong to the backend and
 * are valid until the function returns. The costs of these pairs are already written. A failure ends the job.
 */
typedef macadam_status (*mcd_take_paths)(void *context, const mcd_path *path, size_t first, size_t count,
                                         macadam_error *error);

/* A path by the numbers of its arcs. number[-1] is its first arc and number[count] its last one, MCD_ARC_NONE if there is
 * none: the receiver may write to both. */
typedef struct mcd_numbered_path {
    uint64_t *number;
    size_t count;
} mcd_numbered_path;

/* Takes paths likewise, by the numbers of arcs. */
typedef macadam_status (*mcd_take_numbers)(void *context, const mcd_numbered_path *path, size_t first,
                                           size_t count, macadam_error *error);

/* Routes: the cost of each pair of lanes, and, if `take` is set, its path. If the weights have a companion,
 * the path is one of least companion among those of least objective, even if the companion is not requested.
 */
typedef struct mcd_route_job {
    const mcd_weights *weights;      /* on the host, basic weights are enough: the answers are the same */
    const mcd_lane *source, *target; /* [count] */
    const mcd_node *source_node, *target_node; /* [count] or NULL: instead of lanes that are one node each */
    size_t count;
    uint32_t *objective, *companion; /* [count]; companion may be NULL */
    bool raw;                        /* only without `take` */
    const mcd_spans *spans;          /* of the weights, for paths; may be NULL */
    mcd_take_paths take; /* called in the order of the pairs, in the calling thread; NULL: only costs */
    void *take_context;
    mcd_parallel parallel;
    mcd_progress progress;
    /* [arc_count] the number of each arc, the same in all jobs of a map; NULL: some arc has none. With it, a backend may
     * call take_numbers instead of `take`, which must be set all the same. */
    const uint64_t *arc_number;
    mcd_take_numbers take_numbers;
    const uint32_t *arc_original; /* arc_number is then by original (engine/map/road.h); may be NULL */
    /* [count] instead of lanes; only on devices. The device makes the lanes of both ends, and takes the best ones, or the way along
     * a road that both places share, as engine/query/places/pairs.h does. A place is on a road, whether that is open or not, or
     * at a junction; if its state is not MCD_NEAREST_FOUND, it is nowhere. Paths have the parts of roads at their ends, and
     * only take_numbers gets them. MACADAM_E_UNSUPPORTED: the device cannot, and nothing is answered. */
    const mcd_nearest_road *source_road, *target_road;
    const struct mcd_device_snap *snap; /* where the roads were found */
} mcd_route_job;

/* Leaves out the first pairs. */
static inline void mcd_route_skip(mcd_route_job *job, size_t pairs)
{
    if (job->source_node)
        job->source_node += pairs;
    else
        job->source += pairs;
    if (job->target_node)
        job->target_node += pairs;
    else
        job->target += pairs;
    job->objective += pairs;
    if (job->companion) job->companion += pairs;
    job->count -= pairs;
}

/* Return the lanes of pair i. */
static inline mcd_lane mcd_route_source(const mcd_route_job *job, size_t i)
{
    return job->source_node ? mcd_lane_of(job->source_node[i]) : job->source[i];
}

static inline mcd_lane mcd_route_target(const mcd_route_job *job, size_t i)
{
    return job->target_node ? mcd_lane_of(job->target_node[i]) : job->target[i];
}

/* Return the deepest nodes of these lanes. */
static inline mcd_node mcd_route_from(const mcd_route_job *job, size_t i)
{
    return job->source_node ? job->source_node[i] : job->source[i].seed[0].node;
}

static inline mcd_node mcd_route_to(const mcd_route_job *job, size_t i)
{
    return job->target_node ? job->target_node[i] : job->target[i].seed[0].node;
}

/* The answer for one pair of places, from a search on the input arcs. */
typedef struct mcd_unique_path {
    bool
        is_known; /* false: several shortest paths exist, or the companion is saturated; nothing else counts */
    mcd_joint cost; /* MCD_JOINT_UNREACHED: there is no path. Without a companion its lower half is 0 */
    mcd_path path;  /* its arcs are the caller's: mcd_free */
    uint64_t settled_count; /* nodes; of both searches */
} mcd_unique_path;

/* Matrices: targets are prepared once; then the caller requests rows, in any number of calls, one after the
 * other. */
typedef struct mcd_matrix_targets mcd_matrix_targets; /* the backend's own */

/* A way between two places that competes with the cost of their lanes: along a road that they share. */
typedef struct mcd_road_way {
    uint32_t row, column, objective, companion;
} mcd_road_way;

/* The parts that give the seeds of lanes their costs: a seed has the number of its part, or MCD_PART_NONE, as its objective. Empty:
 * the lanes do. */
typedef struct mcd_seed_parts {
    const mcd_seed_part *part;
    size_t count;
    const uint64_t
        *order; /* [lane_count] ascending: the first node of each of all lanes, and below it its number */
    size_t lane_count;
} mcd_seed_parts;

#define MCD_PART_NONE UINT32_MAX /* the seed costs nothing */

typedef struct mcd_matrix_job {
    const mcd_weights *weights;
    const mcd_lane *target;
    const mcd_node *target_node; /* or NULL: instead of lanes that are one node each; only on devices */
    size_t target_count;         /* places; their arrays must outlive the targets */
    mcd_seed_parts parts;        /* only on devices */
    const mcd_nearest_road *target_road; /* or NULL: instead of lanes, which a device makes */
    const struct mcd_device_snap *snap;  /* with roads, of targets or sources: it has their ends; else NULL */
    const size_t *first;
    size_t source_count; /* the most lanes of a mcd_rows_job; 0: not known, or answers are divided */
    bool joint;          /* companions will be requested */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_matrix_job;

/* Of each side, sources first: the places, and the most lanes that a place has. */
typedef struct mcd_matrix_size {
    size_t places[2], lanes_most[2];
} mcd_matrix_size;

typedef struct mcd_rows_job {
    const mcd_matrix_targets *targets;
    const mcd_lane *source;
    const mcd_node *source_node;         /* as target_node */
    size_t source_count;                 /* places */
    mcd_seed_parts parts;                /* only on devices */
    const mcd_nearest_road *source_road; /* as target_road; the targets have the snap index */
    const size_t *first;
    const mcd_road_way *way; /* [way_count] ascending by row, at most one for each cell; only on devices */
    size_t way_count;
    uint32_t *objective, *companion; /* [source * stride + target]; companion may be NULL */
    bool raw;
    size_t stride;
    const mcd_division *division; /* not NULL: the rows go there instead; only on devices */
} mcd_rows_job;

/* Many small matrices in one call. Matrix m has the costs from each lane source[first_source <= i <
 * first_source + source_count] to each lane target[first_target <= ...] whose objective is at most `limit`;
 * larger ones are unreached. Cell [s][t] is at first_cell + s * target_count + t. */
typedef struct mcd_small_matrix {
    uint32_t first_source, source_count, first_target, target_count;
    mcd_weight limit; /* at most MCD_WEIGHT_MAX */
    size_t first_cell;
} mcd_small_matrix;

/* Matrices of neighbours are faster if they follow each other, and if their limits are tight. */
typedef struct mcd_matrices_job {
    const mcd_weights *weights;
    const mcd_lane *source_lane, *target_lane;
    const uint32_t *source, *target; /* lanes of the matrices: indices of source_lane and target_lane */
    const mcd_small_matrix *matrix;  /* [matrix_count] */
    size_t matrix_count;
    uint32_t *objective, *companion; /* companion may be NULL */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_matrices_job;

/* ---- without a hierarchy: along the input arcs ---- */

/* How breadth-first search goes from level to level: mcd_backend.methods explains those that a backend has. It answers
 * any other by its own choice. All strategies give the same answer.
 * (Merrill, Garland, Grimshaw 2012; Beamer, Asanovic, Patterson 2012) */
typedef enum mcd_hops_strategy {
    MCD_HOPS_AUTO,
    MCD_HOPS_EXPAND_CONTRACT,
    MCD_HOPS_CONTRACT_EXPAND,
    MCD_HOPS_TWO_PHASE,
    MCD_HOPS_HYBRID,
    MCD_HOPS_BOTTOM_UP,
    MCD_HOPS_DIVIDED,
    MCD_HOPS_TOP_DOWN,
} mcd_hops_strategy;

/* Hops: the fewest arcs, closed ones included, from (MCD_FORWARD) or to (MCD_BACKWARD) each source. Of
 * `arcs`, only the graph is needed. */
typedef struct mcd_hops_job {
    const mcd_arcs *arcs;
    mcd_direction direction;
    const mcd_node *source; /* [source_count]; MCD_NODE_NONE reaches nothing */
    size_t source_count;
    uint32_t limit; /* nodes that need more hops are unreached; UINT32_MAX: no limit */
    mcd_hops_strategy strategy;
    const mcd_node *column; /* [column_count]: the requested nodes; NULL: node i */
    size_t column_count;
    uint32_t *hops; /* [source * column_count + i], MCD_COST_UNREACHED */
    /* [source * node_count + node], by the file's nodes whatever the columns are; NULL: not requested. The
     * parent is the smallest of the neighbours that are one hop nearer to the source; MCD_NODE_NONE for the
     * source and for unreached nodes. */
    mcd_node *parent;
    void *scratch; /* hops_scratch(job) bytes, aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_hops_job;

/* Whether a path leads from source to target, and a path of the fewest hops: the one that the parents of a
 * forward mcd_hops_job from `source` give, followed back from the target. Of `arcs`, only the graph is
 * needed. */
typedef struct mcd_connect_job {
    const mcd_arcs *arcs;
    mcd_node source, target;
    uint32_t *hops; /* one; MCD_COST_UNREACHED: not connected */
    /* [path_capacity]: hops + 1 nodes from source to target, or its first nodes if not all fit; NULL: not
     * requested. */
    mcd_node *path;
    size_t path_capacity;
    void *scratch; /* connect_scratch(job) bytes, aligned to 64 */
    mcd_progress progress;
} mcd_connect_job;

/* How trees and all pairs are computed. The first three are searches: mcd_sssp_job. */
typedef enum mcd_tree_method {
    MCD_TREE_NEAR_FAR,       /* frontiers by distance (Davidson et al. 2014; Meyer, Sanders 2003) */
    MCD_TREE_BELLMAN_FORD,   /* along the couples, which it needs, until nothing changes (Kolganov 2014) */
    MCD_TREE_DIJKSTRA,       /* with a heap; only on the host */
    MCD_TREE_SWEEP,          /* mcd_tree_job */
    MCD_TREE_FLOYD_WARSHALL, /* mcd_dense_job */
    MCD_TREE_AUTO,
} mcd_tree_method;

/* Trees without a hierarchy: the answers of mcd_tree_job, by one search per lane. The job needs the
 * objectives of its direction; the companions if they are requested; and the same of the other direction if
 * parents are requested. */
typedef struct mcd_sssp_job {
    const mcd_arcs *arcs;
    mcd_direction direction;
    mcd_tree_method method;
    const mcd_lane *lane;
    size_t lane_count;
    mcd_weight limit;       /* an objective above it is unreached; at most MCD_WEIGHT_MAX */
    mcd_weight delta;       /* near-far: costs per step; 0: chosen from the weights. It changes no answer */
    const mcd_node *column; /* [column_count]: the requested nodes; NULL: node i */
    size_t column_count;
    /* value[lane * lane_stride + i * column_stride] is the cost at column i. Either array may be NULL. If
     * companions are requested, costs are the least joint costs, otherwise the least objectives. */
    size_t lane_stride, column_stride;
    uint32_t *objective, *companion;
    bool raw;
    /* [lane * node_count + node], by the file's nodes, in host memory; NULL: not requested. The rank of a
     * node is 0 if its cost is a seed's, or if a tight arc whose weight is not 0 leads to it. Otherwise the
     * rank is the fewest tight arcs of weight 0 that lead to it from a node of rank 0. A node's parent is the
     * smallest tail u (backward: head) of its tight arcs with (cost of u, rank of u) < (cost, rank of the
     * node). MCD_NODE_NONE: the node is unreached, or its cost is a seed's. "Cost" is what the job computes:
     * objectives or joint costs. So parents form a tree, even along cycles of weight 0, and depend only on
     * the costs. */
    mcd_node *parent;
    void *scratch; /* sssp_scratch(job) bytes, aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_sssp_job;

/* Trees with a clock: as mcd_sssp_job, on the speed patterns of the week. Forward, costs are those of the earliest
 * arrivals if a lane leaves at its instant; backward, those of the latest departures if it is reached by its instant. A
 * seed's objective counts from the instant, too. An arc's weight is that of a search that enters (backward: leaves) it at
 * its node's own cost. Companions are the least ones over arcs that are tight with these weights; parents follow from
 * them as in mcd_sssp_job. */
typedef struct mcd_clock_job {
    mcd_sssp_job tree; /* but for its arcs, method and delta. The search ends once all columns are final */
    const mcd_clock_arcs *arcs; /* with companions if they are requested */
    const uint32_t *instant;    /* [tree.lane_count], each below MCD_WEEK_MS (kernels/clock.h) */
    /* Only on the host: the search ends once the first `awaited` columns are final; later ones that cost more may then be
     * unreached. 0: all columns are awaited. */
    size_t awaited;
} mcd_clock_job;

/* Travel times of the upward arcs, by the clock, at MCD_SAMPLES departures from `begin` on, `step_ms` apart; in units of 1/2^14
 * of a step (kernels/cpu/customize/samples.h). */
enum { MCD_SAMPLES = 32, MCD_SAMPLE_STEP_LEAST = 300000 };

typedef struct mcd_clock_samples {
    uint32_t begin, step_ms;
    uint32_t *time[2];  /* by mcd_direction: [upward arc * MCD_SAMPLES + sample] */
    uint32_t *least[2]; /* [upward arc] of its samples */
} mcd_clock_samples;

typedef struct mcd_samples_job {
    const struct mcd_schedule *schedule;
    const mcd_clock_arcs *arcs;
    uint32_t begin;   /* below MCD_WEEK_MS */
    uint32_t step_ms; /* at least MCD_SAMPLE_STEP_LEAST */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_samples_job;

/* Approximate durations from some lanes, which leave at their instants, to nodes. Only cells that are open are computed. A
 * way that ends after the last sample stays open, because later times are not known. */
typedef struct mcd_clock_table_job {
    const mcd_hierarchy *hierarchy;
    const mcd_clock_samples *samples;
    const mcd_lane *lane;
    const uint32_t *instant; /* [lanes] not long after the first sample */
    const uint32_t *row;     /* [row_count] the lanes to compute */
    size_t row_count;
    const mcd_node *column; /* [column_count] */
    size_t column_count;
    /* [lane * column_count + column], raw: MCD_CELL_OPEN, a duration, or MCD_UNREACHED */
    uint32_t *objective;
    bool is_last; /* no cell stays open: after the last sample, times are those of the last sample */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_clock_table_job;

#define MCD_CELL_OPEN UINT32_MAX

/* The arrays that customization precomputes from a hierarchy and its graph, without weights. It belongs to
 * the backend; the hierarchy and the graph must outlive it. */
typedef struct mcd_schedule mcd_schedule;

/* Customization: a metric's weights from the input arcs' weights. */
typedef struct mcd_customize_job {
    const mcd_schedule *schedule; /* of the same hierarchy and graph */
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;
    const mcd_weight *objective,
        *companion; /* per input arc; MCD_UNREACHED in one of them: closed; companion may be NULL */
    bool witnesses; /* what pruning needs */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_customize_job;

/* A metric between two phases of its customization; mcd_custom_free. */
typedef struct mcd_custom {
    void *cost;        /* cost[2 * upward arc + direction]: mcd_weight, or mcd_joint with a companion */
    mcd_node *witness; /* likewise: the smallest bottom node giving the cost; MCD_NODE_NONE: an input arc */
    void *kept;        /* from prune to name_children of the same backend: which arcs are kept */
} mcd_custom;

/* Partial customization: which basic costs differ from those of weights that differ at few arcs. */
typedef struct mcd_recustomize_job {
    mcd_customize_job customize; /* of the new weights; needs no schedule and no witnesses */
    const mcd_weight *old_objective, *old_companion; /* that differ at most at the arcs changed[i] */
    const mcd_search *base;  /* [2] by mcd_direction: the basic weights of the old ones */
    const uint32_t *changed; /* [changed_count], in any order; may repeat */
    size_t changed_count;
    uint64_t work_max; /* triangles to look at before giving up, because a full customization is faster */
} mcd_recustomize_job;

typedef struct mcd_recustomized {
    bool is_complete; /* false: it gave up */
    uint32_t *up;     /* [count] the upward arcs whose costs changed */
    void *cost;       /* [2 * i + direction] their new costs */
    size_t count;
} mcd_recustomized; /* mcd_recustomized_free */

/* Searches whose arrays belong to the holder; mcd_kept_free. */
typedef struct mcd_kept {
    mcd_search search[2];
    mcd_arc count[2];
} mcd_kept;

/* ---- devices: for backends that do not compute in host memory ---- */

typedef struct mcd_device mcd_device;                 /* the devices that an engine uses, opened together */
typedef struct mcd_device_map mcd_device_map;         /* a graph and its hierarchy there */
typedef struct mcd_device_weights mcd_device_weights; /* a metric's weights there: mcd_weights.device */
typedef struct mcd_device_arcs mcd_device_arcs;       /* a graph and weights there: mcd_arcs.device */
typedef struct mcd_device_snap mcd_device_snap;       /* a snap index there */
typedef struct mcd_device_clock mcd_device_clock;     /* a graph with patterns there: mcd_clock_arcs.device */

/* Weights that a device customizes itself. */
typedef struct mcd_renew_job {
    mcd_customize_job customize; /* without a schedule: the map on the device has what is needed */
    bool basic;                  /* keep every upward arc with its basic cost: quick, but without paths */
    /* Not NULL: the input weights differ from those of `base` only at the arcs changed[i]. */
    const mcd_device_weights *base;
    const uint32_t *changed;
    size_t changed_count;
} mcd_renew_job;

/* Where answers can be written. */
typedef enum mcd_memory_kind {
    MCD_MEMORY_DEVICE, /* memory of a GPU */
    MCD_MEMORY_PINNED, /* host memory that GPUs reach at full speed */
} mcd_memory_kind;

/* The memory that devices hold, in bytes. */
typedef struct mcd_device_memory {
    uint64_t in_use; /* theirs: maps, weights and running calls, but not the callers' own blocks */
    uint64_t idle;   /* theirs, kept for later calls */
    uint64_t pinned; /* of the host's, kept for later calls */
} mcd_device_memory;

/* The device entries of a backend. All must be present unless they are marked optional. If a device fails, an
 * entry or phase returns E_DEVICE, and the host can compute instead; `lost` says whether the device can still
 * be used. Answers of phases may lie in host memory or in memory of memory_new. */
typedef struct mcd_device_table {
    /* Writes up to `capacity` names ("cuda:0: NVIDIA H200"), which are static; returns how many devices there
     * are. */
    size_t (*list)(const char **name, size_t capacity);
    /* `name`: "cuda", "cuda:N" or "cuda:all". scratch_limit: bytes that all calls together may hold on each
     * GPU; 0: all that are free. E_DEVICE if there is no such device or it cannot be used, E_LIMIT if its
     * memory is full. */
    macadam_status (*open)(mcd_device **out, const char *name, uint64_t scratch_limit, macadam_error *error);
    void (*close)(mcd_device *device);
    const char *(*name)(const mcd_device *device);
    bool (*lost)(const mcd_device *device);
    /* Copies the hierarchy and the graph. `graph` may be NULL: then neither paths nor customization are
     * possible. The weights on a map must be freed before the map. */
    macadam_status (*map_new)(mcd_device_map **out, mcd_device *device, const mcd_hierarchy *hierarchy,
                              const mcd_graph *graph, macadam_error *error);
    void (*map_free)(mcd_device_map *map);
    /* Copies the searches, and their children if they have them. */
    macadam_status (*weights_new)(mcd_device_weights **out, mcd_device_map *map, const mcd_weights *weights,
                                  macadam_error *error);
    macadam_status (*weights_renew)(mcd_device_weights **out, mcd_device_map *map, const mcd_renew_job *job,
                                    macadam_error *error);
    /* Copies the searches to host memory; mcd_kept_free, on failure too. */
    macadam_status (*weights_fetch)(mcd_kept *out, const mcd_device_weights *weights, macadam_error *error);
    void (*weights_free)(mcd_device_weights *weights);
    /* Optional. Copies the graph and all arrays that `arcs` has; independent of maps. */
    macadam_status (*arcs_new)(mcd_device_arcs **out, mcd_device *device, const mcd_arcs *arcs,
                               macadam_error *error);
    void (*arcs_free)(mcd_device_arcs *arcs);
    /* The same for searches with a clock: every direction that `arcs` has. */
    macadam_status (*clock_new)(mcd_device_clock **out, mcd_device *device, const mcd_clock_arcs *arcs,
                                macadam_error *error);
    void (*clock_free)(mcd_device_clock *clock);
    /* Optional. Copies a snap index to the first GPU. */
    macadam_status (*snap_new)(mcd_device_snap **out, mcd_device *device, const mcd_snap_tree *tree,
                               macadam_error *error);
    void (*snap_free)(mcd_device_snap *snap);
    /* Writes up to `capacity` numbers N ("cuda:N") of the GPUs; returns how many GPUs there are, at most
     * MCD_PARTS_MAX. */
    size_t (*gpus)(const mcd_device *device, int *number, size_t capacity);
    /* `gpu`: an index below the number that `gpus` returned. */
    macadam_status (*memory_new)(void **out, mcd_device *device, size_t gpu, mcd_memory_kind kind,
                                 uint64_t bytes, macadam_error *error);
    /* Copies to host memory from any memory that the devices or the host can read. */
    macadam_status (*memory_read)(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                  const mcd_parallel *parallel, macadam_error *error);
    /* Copies from host memory to any memory that the devices or the host can write. */
    macadam_status (*memory_write)(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                   macadam_error *error);
    /* Works on a lost device too. */
    void (*memory_free)(mcd_device *device, size_t gpu, mcd_memory_kind kind, void *memory);
    mcd_device_memory (*held)(mcd_device *device);
    /* Gives back memory that is kept for later calls, except `keep` bytes of each GPU and of the host. */
    void (*trim)(mcd_device *device, uint64_t keep);
} mcd_device_table;

/* ---- dense matrices ---- */

/* All pairs over a matrix, in place: the least weights of arcs become distances. (Floyd 1962, Warshall 1962)
 *
 * via[x][y] is the least node k such that some shortest path from x to y has no inner node above k. It is
 * MCD_NODE_NONE if the arc xy is a shortest path, if there is no path, and for x = y. It depends only on the
 * graph: it is the last pivot that lowered the cell. So every blocking, width and number of devices finds the
 * same one. The path from x to y is the path from x to k, then the path from k to y. The inner nodes of both
 * are below k, so following them ends. The two share no node but k: any other would lie on a cycle of weight
 * 0 through k, and leaving the cycle out would give a shortest path whose inner nodes are all below k. So no
 * path repeats a node, and k is neither x nor y. With blocks of pivots there are two ways to find it. Either
 * the product of the columns x -> k and the rows k -> y, as pivot k found them, gives the least k of the
 * block that attains a lowered cell. Or each lowered cell notes only the block; at the end, k is the least of
 * its pivots with cost[x][k] + cost[k][y] = cost[x][y], via[x][k] < k and via[k][y] < k (NONE counts as
 * below), where all costs are final. */
typedef struct mcd_dense_job {
    mcd_device *device; /* NULL: the host */
    /* cost[x * stride + y], x and y below node_count. In: the least weight of the arcs from x to y,
     * MCD_UNREACHED where there is none, 0 for x = y. Out: distances, MCD_COST_UNREACHED where there is no
     * path. The array is in host memory; it may be a mapped file that is larger than the machine's memory. It
     * is undefined after a failure. */
    uint32_t *cost;
    mcd_node *via; /* the same shape, only out; NULL: not requested */
    size_t node_count, stride;
    bool narrow; /* every node reaches every other at a cost below MCD_NARROW_UNREACHED: 16 bits are enough */
    /* Bytes that the job may hold on each device, or on the host besides the matrices; 0: as much as the
     * device has. If the job needs more, E_LIMIT names how much. */
    uint64_t memory_limit;
    mcd_parallel parallel;
    mcd_progress progress; /* steps: blocks of pivots */
} mcd_dense_job;

/* Unreached in 16 bits: the sum of two does not wrap. In a narrow job an arc of this weight or more is on no
 * shortest path. */
#define MCD_NARROW_UNREACHED UINT32_C(0x7fff)

/* Transitive closure on bits: for each strong component a row that says which columns it reaches. Components
 * are numbered by level: level 0 has no arcs; every other component is one level above its highest head. So
 * heads have lower levels, and each range of columns can be closed independently. */
typedef struct mcd_closure_job {
    mcd_device *device; /* NULL: the host */
    uint32_t component_count, level_count;
    const uint32_t *level_first; /* [level_count + 1]: the first component of each level; then the count */
    const mcd_arc *first_out;    /* [component_count + 1] */
    const uint32_t *head;        /* ascending for each component, each once, without itself */
    const uint32_t *column;      /* [column_count]: its component */
    size_t column_count;
    /* Out, in host memory: column c of a component's row is bit MCD_CLOSURE_BIT(c) of bits[component * stride
     * + c / 64]. It is 1 if the component is the column's or reaches it. Bits after the last column, up to a
     * multiple of 64, are 0. */
    uint64_t *bits;
    size_t stride;         /* words; at least column_count / 64, rounded up */
    uint64_t memory_limit; /* as in mcd_dense_job */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_closure_job;

/* The first column is the highest bit of the first byte, as NumPy packs bits. */
#define MCD_CLOSURE_BIT(column) (((column)&63) ^ 7)

/* ---- nearest roads ---- */

/* Finds the road that is nearest to each of many points, open or closed, as engine/map/snap.h does. Roads of points whose search
 * needs too much room stay unknown, and closed ones if the job has weights. */
typedef struct mcd_nearest_job {
    const mcd_device_snap *snap;
    const mcd_snap_point *point; /* [count] */
    mcd_nearest_road *road;      /* [count] */
    mcd_nearest_road
        *connected; /* [count] of points whose road is cut off: the nearest that is not; else undefined */
    size_t count;
    mcd_parallel parallel;
    const mcd_weights *weights; /* on the snap's device; NULL: closed roads are found, too */
} mcd_nearest_job;

/* Counts the lanes that a device makes of places on roads: of those from which searches depart, and then of those at which they
 * arrive. */
typedef struct mcd_lane_count_job {
    const mcd_weights *weights;
    const mcd_device_snap *snap; /* has the ends of roads */
    const mcd_nearest_road *source, *target;
    size_t source_count, target_count;
    uint32_t *lanes; /* [source_count + target_count] */
    mcd_parallel parallel;
} mcd_lane_count_job;

/* ---- signed costs ---- */

/* A quantity that may be negative has potentials, and kernels compute its costs less the rise of the potential on the
 * way. The job adds the rise to a rectangle of such costs: value[r * stride + c], of ways from the potential row[r] to
 * column[c] (reverse: from column[c] to row[r]). They become int32_t in the same bits. */
typedef struct mcd_sign_job {
    mcd_device *device; /* NULL: the host */
    uint32_t *value;    /* in the memory of one of the device's GPUs, or in the host's */
    size_t rows, columns, stride;
    const int32_t *row, *column; /* in the host's memory */
    bool reverse;
    mcd_parallel parallel;
} mcd_sign_job;

/* Returns the signed cost of a way on which the potential rises by `rise`; MACADAM_SIGNED_UNREACHED also stands for
 * what is outside +-MACADAM_WEIGHT_MAX. */
MCD_INLINE uint32_t mcd_signed_cost(uint32_t reduced, int64_t rise)
{
    const int64_t sum = (int64_t)reduced + rise, most = MACADAM_WEIGHT_MAX;
    const bool reached = reduced != MCD_COST_UNREACHED && sum >= -most && sum <= most;
    return reached ? (uint32_t)sum : (uint32_t)MACADAM_SIGNED_UNREACHED;
}

MCD_INLINE int64_t mcd_sign_rise(int32_t from, int32_t to, bool reverse)
{
    const int64_t rise = (int64_t)to - from;
    return reverse ? -rise : rise;
}

/* ---- the table ---- */

/* The questions of a method. */
enum {
    MCD_FOR_ALL_PAIRS = 1 << MACADAM_QUESTION_ALL_PAIRS,
    MCD_FOR_TREES = 1 << MACADAM_QUESTION_TREES | MCD_FOR_ALL_PAIRS,
    MCD_FOR_HOPS = 1 << MACADAM_QUESTION_HOPS,
};

/* A method of a backend, as requests name it. */
typedef struct mcd_method {
    macadam_method text;
    unsigned questions; /* MCD_FOR_... */
    int value;          /* mcd_tree_method or mcd_hops_strategy */
} mcd_method;

typedef struct mcd_backend {
    const char *name;               /* "cpu: AVX-512" */
    const mcd_method *methods;      /* "auto" first; then up to one without a name */
    const mcd_device_table *device; /* NULL: the host. Otherwise the weights of jobs have `device` set */
    /* Only on the host: schedules, customize, recustomize, prune, name_children. Devices have weights_renew. */
    macadam_status (*schedule_new)(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                   const mcd_parallel *parallel, macadam_error *error);
    void (*schedule_free)(mcd_schedule *schedule);
    /* Basic customization: out->cost are the least costs of paths through lower nodes. */
    macadam_status (*customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error);
    /* Gives the costs that `customize` would give. */
    macadam_status (*recustomize)(mcd_recustomized *out, const mcd_recustomize_job *job,
                                  macadam_error *error);
    /* Perfect customization and pruning: keeps the arcs whose basic cost is the distance of their ends,
     * without their children. The costs in `custom` are then gone. */
    macadam_status (*prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                            macadam_error *error);
    /* Then names the children of the kept arcs. Reads no array of `kept`. If it fails, the caller frees
     * `kept`. */
    macadam_status (*name_children)(mcd_kept *kept, const mcd_custom *custom, const mcd_customize_job *job,
                                    macadam_error *error);
    macadam_status (*tree)(const mcd_tree_job *job, macadam_error *error);
    /* Optional: NULL = the host answers. */
    macadam_status (*reach)(const mcd_reach_job *job, macadam_error *error);
    /* Optional. Keeps the job's weights, but not its lanes. */
    macadam_status (*minima_new)(mcd_minima **out, const mcd_minima_job *job, macadam_error *error);
    macadam_status (*minima_find)(const mcd_minima_find_job *job, macadam_error *error);
    void (*minima_free)(mcd_minima *minima); /* NULL is fine */
    macadam_status (*route)(const mcd_route_job *job, macadam_error *error);
    /* Only on the host. Finds the shortest path of two places over weights->graph, if there is only one; no other
     * part of the weights is needed (kernels/host/unique_path.h). */
    macadam_status (*unique_path)(mcd_unique_path *out, const mcd_weights *weights, const mcd_lane *from,
                                  size_t from_count, const mcd_lane *to, size_t to_count,
                                  const mcd_progress *progress, macadam_error *error);
    /* Each optional: NULL = the host answers. */
    macadam_status (*hops)(const mcd_hops_job *job, macadam_error *error);
    macadam_status (*connect)(const mcd_connect_job *job, macadam_error *error);
    macadam_status (*sssp)(const mcd_sssp_job *job, macadam_error *error);
    macadam_status (*clock)(const mcd_clock_job *job, macadam_error *error); /* parents: only on the host */
    /* Only on the host. Free *out with mcd_clock_samples_free. */
    macadam_status (*clock_samples)(mcd_clock_samples *out, const mcd_samples_job *job, macadam_error *error);
    macadam_status (*clock_table)(const mcd_clock_table_job *job, macadam_error *error);
    /* Optional. Makes routes faster: stores at most `label_max` labels of top nodes in each direction. */
    macadam_status (*top_labels_new)(mcd_top_labels **out, const mcd_weights *weights, size_t label_max,
                                     const mcd_parallel *parallel, macadam_error *error);
    /* Optional. Makes paths faster. The weights must have children. */
    macadam_status (*spans_new)(mcd_spans **out, const mcd_weights *weights, const mcd_parallel *parallel,
                                macadam_error *error);
    macadam_status (*matrix_targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                         macadam_error *error);
    macadam_status (*matrix_rows)(const mcd_rows_job *job, macadam_error *error);
    void (*matrix_targets_free)(mcd_matrix_targets *targets);
    /* Each optional: NULL = the host answers. */
    macadam_status (*matrices)(const mcd_matrices_job *job, macadam_error *error);
    macadam_status (*floyd_warshall)(const mcd_dense_job *job, macadam_error *error);
    macadam_status (*closure)(const mcd_closure_job *job, macadam_error *error);
    macadam_status (*sign)(const mcd_sign_job *job, macadam_error *error);
    /* Only on devices: */
    macadam_status (*nearest_roads)(const mcd_nearest_job *job, macadam_error *error);
    macadam_status (*count_lanes)(const mcd_lane_count_job *job, macadam_error *error);
    /* The scratch bytes of a call on the host. For trees and reach the caller passes them; for the others it
     * reserves them in its budget. */
    size_t (*tree_scratch)(const mcd_tree_job *job);
    size_t (*reach_scratch)(const mcd_reach_job *job);
    size_t (*hops_scratch)(const mcd_hops_job *job);
    size_t (*connect_scratch)(const mcd_connect_job *job);
    size_t (*sssp_scratch)(const mcd_sssp_job *job);
    size_t (*clock_scratch)(const mcd_clock_job *job);
    size_t (*matrix_scratch)(const mcd_weights *weights, const mcd_matrix_size *size, size_t workers,
                             bool joint);
} mcd_backend;

/* The best backend of this machine's processor; static. */
const mcd_backend *mcd_cpu_backend(void);

void mcd_custom_free(mcd_custom *custom);
void mcd_recustomized_free(mcd_recustomized *changed);
void mcd_kept_free(mcd_kept *kept);
void mcd_clock_samples_free(mcd_clock_samples *samples);
void mcd_top_labels_free(mcd_top_labels *top_labels); /* NULL is fine */
void mcd_spans_free(mcd_spans *spans);                /* NULL is fine */

#endif
