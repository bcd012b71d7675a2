/* backend.h - what a backend computes: one table of whole phases. Callers never see which backend runs.
 *
 * A phase answers its whole job, on all of the device; jobs and what they point to are borrowed for the call.
 * Costs leave a backend as the interface promises them: UINT32_MAX = unreached. Phases are safe from any
 * number of threads. */
#ifndef MCD_KERNELS_BACKEND_H
#define MCD_KERNELS_BACKEND_H

#include "engine/base/parallel.h"
#include "engine/base/progress.h"
#include "kernels/views.h"

#define MCD_COST_UNREACHED UINT32_MAX /* in answers */

/* ---- answers divided among devices ---- */

enum {
    MCD_PARTS_MAX = 16,  /* GPUs of a device */
    MCD_PART_LANES = 32, /* parts have whole groups of so many, but for the last */
};

/* The first source of a part: parts are as equal as whole groups can be, the first ones the larger. */
static inline size_t mcd_division_first(size_t source_count, size_t part, size_t part_count)
{
    const size_t groups = (source_count + MCD_PART_LANES - 1) / MCD_PART_LANES;
    return mcd_size_min(mcd_part_first(groups, part, part_count) * MCD_PART_LANES, source_count);
}

/* How many parts there are: as many as GPUs, unless there are fewer groups. */
static inline size_t mcd_division_parts(size_t source_count, size_t gpu_count)
{
    const size_t groups = (source_count + MCD_PART_LANES - 1) / MCD_PART_LANES;
    return groups == 0 ? 1 : mcd_size_min(groups, gpu_count);
}

/* Answers in parts: the g-th holds those to the sources of mcd_division_first, in the memory of the device's
 * g-th GPU, as if these sources were all. */
typedef struct mcd_division {
    size_t part_count;
    uint32_t *objective[MCD_PARTS_MAX], *companion[MCD_PARTS_MAX]; /* NULL where the job's is */
} mcd_division;

/* ---- jobs ---- */

/* Trees: the costs from (MCD_FORWARD) or to (MCD_BACKWARD) each lane. */
typedef struct mcd_tree_job {
    const mcd_weights *weights;
    mcd_direction direction;
    const mcd_lane *lane;
    size_t lane_count;
    mcd_weight limit; /* an objective above it is unreached; at most MCD_WEIGHT_MAX */
    /* Rows: value[lane * column_count + i] is the cost at node column[i] (NULL: node i). Lanes (as_lanes,
     * lane_count a multiple of 16): value[node * lane_count + lane]. Either value may be NULL; companions
     * need the weights'. */
    bool as_lanes;
    /* Restricted to the nodes only[i], ascending and with all their ancestors (NULL: to none); `column` then
     * holds positions among them, all of them valid. Rows alone. (Delling, Goldberg, Werneck 2011, RPHAST) */
    const mcd_node *only;
    size_t only_count;
    const mcd_node *column;
    size_t column_count;
    uint32_t *objective, *companion;
    const mcd_division *division; /* if not NULL: where the answers lie instead; for devices alone */
    void *scratch;                /* tree_scratch(job) bytes, or of a job of more lanes; aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_tree_job;

/* Reach: what trees say, reduced where they are made: nodes and values within limits, the farthest node, the
 * nearest targets. By the objective alone. */
typedef struct mcd_reach_job {
    const mcd_weights *weights;
    mcd_direction direction;
    const mcd_lane *lane;
    size_t lane_count;
    const mcd_weight *limit; /* [limit_count], in any order, each at most MCD_WEIGHT_MAX */
    size_t limit_count;      /* at most MACADAM_REACH_LIMITS_MAX */
    const uint8_t *counted;  /* [node_count]: 1 where a node counts, else 0; NULL: all do */
    const uint32_t *value;   /* [node_count], by node; NULL if no sums are asked */
    const mcd_lane *target;  /* [target_count], of one seed of cost 0 */
    size_t target_count, nearest_count;
    macadam_reach answer; /* macadam.h says how its arrays lie; NULL: not asked. Sources are lanes */
    void *scratch;        /* reach_scratch(job) bytes, aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_reach_job;

/* Whether something about targets is asked. */
static inline bool mcd_reach_asks_nearest(const macadam_reach *answer)
{
    return answer->nearest_found || answer->nearest_position || answer->nearest_cost;
}

/* The input arcs of a path from source to target. No node occurs twice. */
typedef struct mcd_path {
    uint32_t *arc;
    size_t count, capacity;
} mcd_path;

/* Takes the paths of pairs first <= i < first + count: path[i - first], the backend's and gone after the
 * call. Their costs are there. A failure ends the job. */
typedef macadam_status (*mcd_take_paths)(void *context, const mcd_path *path, size_t first, size_t count,
                                         macadam_error *error);

/* Routes: the cost of each pair of lanes, and, if `take` is set, its path. A path is the one of the
 * least companion, if the weights have one, whether that is asked or not. */
typedef struct mcd_route_job {
    const mcd_weights *weights;
    const mcd_lane *source, *target; /* [count] */
    size_t count;
    uint32_t *objective, *companion; /* [count]; companion may be NULL */
    const mcd_spans *spans;          /* of the weights, for paths; may be NULL */
    mcd_take_paths take;             /* in order of the pairs, in the thread that asked; NULL: costs alone */
    void *take_context;
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_route_job;

/* Matrices: targets are prepared once, then rows are asked for in as many calls as the caller likes, one
 * after the other. */
typedef struct mcd_matrix_targets mcd_matrix_targets; /* the backend's own */

typedef struct mcd_matrix_job {
    const mcd_weights *weights;
    const mcd_lane *target;
    size_t target_count;
    bool joint; /* companions will be asked for */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_matrix_job;

typedef struct mcd_rows_job {
    const mcd_matrix_targets *targets;
    const mcd_lane *source;
    size_t source_count;
    uint32_t *objective, *companion; /* [source * stride + target]; companion may be NULL */
    size_t stride;
    const mcd_division *division; /* if not NULL: where the rows lie instead; for devices alone */
} mcd_rows_job;

/* ---- without a hierarchy: along the input arcs ---- */

/* How breadth-first search goes from level to level; every one gives the same answer. (Merrill, Garland,
 * Grimshaw 2012; Beamer, Asanovic, Patterson 2012) The CPU makes levels in one pass: there, AUTO is
 * DIRECTION_OPTIMIZING, and the others are one and the same. */
typedef enum mcd_hops_strategy {
    MCD_HOPS_AUTO, /* by the sizes of frontiers */
    MCD_HOPS_EXPAND_CONTRACT,
    MCD_HOPS_CONTRACT_EXPAND,
    MCD_HOPS_TWO_PHASE,
    MCD_HOPS_DIRECTION_OPTIMIZING,
    MCD_HOPS_DIVIDED, /* the same, the nodes divided among the device's GPUs: AUTO does so where it pays */
} mcd_hops_strategy;

/* Hops: the fewest arcs, closed ones included, from (MCD_FORWARD) or to (MCD_BACKWARD) each source. Needs the
 * graph of `arcs` alone. */
typedef struct mcd_hops_job {
    const mcd_arcs *arcs;
    mcd_direction direction;
    const mcd_node *source; /* [source_count]; MCD_NODE_NONE reaches nothing */
    size_t source_count;
    uint32_t limit; /* nodes beyond so many hops are unreached; UINT32_MAX: none */
    mcd_hops_strategy strategy;
    const mcd_node *column; /* [column_count]: the nodes that are asked; NULL: node i */
    size_t column_count;
    uint32_t *hops; /* [source * column_count + i], MCD_COST_UNREACHED */
    /* [source * node_count + node], by the file's nodes whatever the columns are; NULL: not asked. The
     * smallest node one hop nearer to the source with an arc between; MCD_NODE_NONE for the source and the
     * unreached. */
    mcd_node *parent;
    void *scratch; /* hops_scratch(job) bytes, aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_hops_job;

/* Whether a way leads from source to target, and one of the fewest hops: the way that the parents of a
 * forward mcd_hops_job from `source` give, from the target back. Needs the graph of `arcs` alone. */
typedef struct mcd_connect_job {
    const mcd_arcs *arcs;
    mcd_node source, target;
    uint32_t *hops; /* one; MCD_COST_UNREACHED: not connected */
    /* [path_capacity]: hops + 1 nodes from source to target, or as many as fit; NULL: not asked. */
    mcd_node *path;
    size_t path_capacity;
    void *scratch; /* connect_scratch(job) bytes, aligned to 64 */
    mcd_progress progress;
} mcd_connect_job;

typedef enum mcd_sssp_method {
    MCD_SSSP_NEAR_FAR,     /* frontiers by distance (Davidson et al. 2014; Meyer, Sanders 2003) */
    MCD_SSSP_BELLMAN_FORD, /* along the couples, which it needs, until nothing changes (Kolganov 2014) */
    MCD_SSSP_DIJKSTRA,     /* with a heap: the host's backend alone */
} mcd_sssp_method;

/* Trees without a hierarchy: what mcd_tree_job answers, by repeated single-source searches. Needs the
 * objectives of the job's direction, the companions if those are asked, and of the other direction too if
 * parents are. */
typedef struct mcd_sssp_job {
    const mcd_arcs *arcs;
    mcd_direction direction;
    mcd_sssp_method method;
    const mcd_lane *lane;
    size_t lane_count;
    mcd_weight limit; /* an objective above it is unreached; at most MCD_WEIGHT_MAX */
    mcd_weight delta; /* of near-far: distances a step; 0: chosen from the weights. Answers are the same */
    const mcd_node *column; /* [column_count]: the nodes that are asked; NULL: node i */
    size_t column_count;
    /* value[lane * lane_stride + i * column_stride] is the cost at column i. Either may be NULL. If
     * companions are asked, costs are the least joint costs, else the least objectives. */
    size_t lane_stride, column_stride;
    uint32_t *objective, *companion;
    /* [lane * node_count + node], by the file's nodes, in the host's memory; NULL: not asked. The parent of a
     * node is the least tail (of a backward search: head) u of its tight arcs with (cost of u, rank of u) <
     * (cost, rank of the node). Rank: the fewest arcs, all of them tight and of weight 0, that lead to a node
     * from one whose cost is a seed's or that has a tight arc of another weight. Costs are those computed:
     * objectives or joint costs. MCD_NODE_NONE: unreached, or the cost is a seed's. Parents form a tree, along
     * cycles of weight 0 as well, and depend on nothing but the costs. */
    mcd_node *parent;
    void *scratch; /* sssp_scratch(job) bytes, aligned to 64 */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_sssp_job;

/* What customization needs of a hierarchy and its graph alone; the backend's own. Both must outlive it. */
typedef struct mcd_schedule mcd_schedule;

/* Customization: a metric's weights from the input arcs' weights. */
typedef struct mcd_customize_job {
    const mcd_schedule *schedule; /* of the same hierarchy and graph */
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;
    const mcd_weight *objective,
        *companion; /* per input arc; MCD_UNREACHED in either: closed; companion may be NULL */
    bool witnesses; /* what pruning needs */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_customize_job;

/* One metric between its phases; mcd_custom_free. */
typedef struct mcd_custom {
    void *cost;        /* cost[2 * upward arc + direction]: mcd_weight, or mcd_joint with a companion */
    mcd_node *witness; /* likewise: the smallest bottom node giving the cost; MCD_NODE_NONE: an input arc */
    void *kept;        /* from prune to name_children of the same backend: which arcs are kept */
} mcd_custom;

/* Arrays of a search that their holder owns; mcd_kept_free. */
typedef struct mcd_kept {
    mcd_search search[2];
    mcd_arc count[2];
} mcd_kept;

/* ---- devices: what a backend keeps that does not compute in the host's memory ---- */

typedef struct mcd_device mcd_device;                 /* the devices that an engine uses, opened together */
typedef struct mcd_device_map mcd_device_map;         /* a graph and its hierarchy there */
typedef struct mcd_device_weights mcd_device_weights; /* a metric's weights there: mcd_weights.device */
typedef struct mcd_device_arcs mcd_device_arcs;       /* a graph and weights there: mcd_arcs.device */

/* Weights that a device makes itself. */
typedef struct mcd_renew_job {
    mcd_customize_job customize; /* without a schedule: the map has what it needs */
    bool basic;                  /* every upward arc with its basic cost: quick to make, and not for paths */
    /* If not NULL: customize's input weights are those of `base` but for the arcs changed[i]. */
    const mcd_device_weights *base;
    const uint32_t *changed;
    size_t changed_count;
} mcd_renew_job;

/* Where a caller may want answers to be written. */
typedef enum mcd_memory_kind {
    MCD_MEMORY_DEVICE, /* a GPU's own */
    MCD_MEMORY_PINNED, /* the host's, which the devices reach at full speed */
} mcd_memory_kind;

/* A backend with devices: all entries; one on the host: NULL. Failures of a device are E_DEVICE, and the host
 * can compute in its place; `lost` tells whether the device is beyond use. Answers of phases may lie in the
 * host's memory or in that of memory_new. */
typedef struct mcd_device_table {
    /* Up to `capacity` names ("cuda:0: NVIDIA H200"), static; returns how many devices there are. */
    size_t (*list)(const char **name, size_t capacity);
    /* `name`: "cuda", "cuda:N" or "cuda:all". scratch_limit: bytes that calls may hold together on each GPU;
     * 0: all there are. E_DEVICE if there is no such device. */
    macadam_status (*open)(mcd_device **out, const char *name, uint64_t scratch_limit, macadam_error *error);
    void (*close)(mcd_device *device);
    const char *(*name)(const mcd_device *device);
    bool (*lost)(const mcd_device *device);
    /* Copies; `graph` may be NULL: then neither paths nor customization. Outlived by its weights. */
    macadam_status (*map_new)(mcd_device_map **out, mcd_device *device, const mcd_hierarchy *hierarchy,
                              const mcd_graph *graph, macadam_error *error);
    void (*map_free)(mcd_device_map *map);
    /* Copies the searches, children only if there are some. */
    macadam_status (*weights_new)(mcd_device_weights **out, mcd_device_map *map, const mcd_weights *weights,
                                  macadam_error *error);
    macadam_status (*weights_renew)(mcd_device_weights **out, mcd_device_map *map, const mcd_renew_job *job,
                                    macadam_error *error);
    /* The searches as arrays of the host's; mcd_kept_free, on failure too. */
    macadam_status (*weights_fetch)(mcd_kept *out, const mcd_device_weights *weights, macadam_error *error);
    void (*weights_free)(mcd_device_weights *weights);
    /* Copies the graph and what else is there, once: independent of maps. Optional. */
    macadam_status (*arcs_new)(mcd_device_arcs **out, mcd_device *device, const mcd_arcs *arcs,
                               macadam_error *error);
    void (*arcs_free)(mcd_device_arcs *arcs);
    /* The GPUs' numbers ("cuda:N"), up to `capacity`; returns how many GPUs there are, at most
     * MCD_PARTS_MAX. */
    size_t (*gpus)(const mcd_device *device, int *number, size_t capacity);
    /* `gpu`: an index below what `gpus` returned. */
    macadam_status (*memory_new)(void **out, mcd_device *device, size_t gpu, mcd_memory_kind kind,
                                 uint64_t bytes, macadam_error *error);
    /* To the host's memory, from any that a device or the host can read. */
    macadam_status (*memory_read)(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                  const mcd_parallel *parallel, macadam_error *error);
    /* From the host's memory, to any that a device or the host can write. */
    macadam_status (*memory_write)(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                   macadam_error *error);
    /* On a lost device too. */
    void (*memory_free)(mcd_device *device, size_t gpu, mcd_memory_kind kind, void *memory);
} mcd_device_table;

/* ---- dense matrices ---- */

/* All pairs over a matrix, in place: the least weights of arcs become distances. (Floyd 1962, Warshall 1962)
 *
 * via[x][y] is the least node k such that some shortest path from x to y has no inner node above k;
 * MCD_NODE_NONE where the arc xy is one, where nothing is reached and for x = y. It follows from the graph
 * alone, so every blocking, width and number of devices finds the same: it is the last pivot that lowered the
 * cell. The path from x to y is that from x to k, then that from k to y. Both have their inner nodes below k,
 * so this ends; and they share but k: what they share otherwise lies on a cycle through k of weight 0,
 * without which a shortest path would pass below k alone. Hence no path repeats a node, and k is neither x
 * nor y.
 * Two ways to it with blocks of pivots: the remainder's product of columns x -> k and rows k -> y, both as
 * pivot k found them, gives the least k of the block that attains a lowered cell; or the remainder notes the
 * block alone, of which k is the least with cost[x][k] + cost[k][y] = cost[x][y], via[x][k] < k and
 * via[k][y] < k (NONE counts as below), all of them final. */
typedef struct mcd_dense_job {
    mcd_device *device; /* NULL: the host */
    /* cost[x * stride + y], x and y below node_count. In: the least weight of the arcs from x to y,
     * MCD_UNREACHED where there is none, 0 for x = y. Out: distances, MCD_COST_UNREACHED where there is no
     * path. In the host's memory, which may be a mapped file and larger than the machine's memory. Undefined
     * after a failure. */
    uint32_t *cost;
    mcd_node *via; /* the same shape; out alone. NULL: not asked */
    size_t node_count, stride;
    bool narrow; /* every node reaches every other within less than MCD_NARROW_UNREACHED: 16 bits do */
    /* Bytes that it may hold of each device, or of the host beside the matrices; 0: no other limit than the
     * device's own. E_LIMIT names what it needs if that is more. */
    uint64_t memory_limit;
    mcd_parallel parallel;
    mcd_progress progress; /* steps: blocks of pivots */
} mcd_dense_job;

/* Unreached in 16 bits: twice that does not wrap. A heavier arc is on no shortest path of a narrow job. */
#define MCD_NARROW_UNREACHED UINT32_C(0x7fff)

/* Transitive closure on bits, over strong components: what each reaches, as a row of columns.
 * Components are numbered by level: 0 for those without arcs, else one above the highest head. So heads are
 * of lower levels, and any range of columns can be closed for itself. */
typedef struct mcd_closure_job {
    mcd_device *device; /* NULL: the host */
    uint32_t component_count, level_count;
    const uint32_t *level_first; /* [level_count + 1]: the first component of each level; then the count */
    const mcd_arc *first_out;    /* [component_count + 1] */
    const uint32_t *head;        /* ascending for each component, each once, without itself */
    const uint32_t *column;      /* [column_count]: its component */
    size_t column_count;
    /* Out: column c of a component's row is bit MCD_CLOSURE_BIT(c) of bits[component * stride + c / 64]: 1
     * where the component is the column's or reaches it. Bits behind the columns, up to a multiple of 64, are
     * 0. In the host's memory. */
    uint64_t *bits;
    size_t stride;         /* words; at least column_count / 64, rounded up */
    uint64_t memory_limit; /* as in mcd_dense_job */
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_closure_job;

/* The first column is the highest bit of the first byte, as NumPy packs bits. */
#define MCD_CLOSURE_BIT(column) (((column)&63) ^ 7)

typedef struct mcd_backend {
    const char *name;               /* "cpu: AVX-512" */
    const mcd_device_table *device; /* NULL: the host itself. Else jobs' weights have `device` set */
    /* Of the host alone (devices: weights_renew): schedules, customize, prune, name_children. */
    macadam_status (*schedule_new)(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                   macadam_error *error);
    void (*schedule_free)(mcd_schedule *schedule);
    /* Basic customization: out->cost are the least costs of paths through lower nodes. */
    macadam_status (*customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error);
    /* Perfect customization and pruning: keeps the arcs whose basic cost is the distance of their ends, yet
     * without their children. Spends the costs. */
    macadam_status (*prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                            macadam_error *error);
    /* Then names the children of what is kept; needs no array of `kept`, which is to be freed if it fails. */
    macadam_status (*name_children)(mcd_kept *kept, const mcd_custom *custom, const mcd_customize_job *job,
                                    macadam_error *error);
    macadam_status (*tree)(const mcd_tree_job *job, macadam_error *error);
    /* NULL: the host's answers. */
    macadam_status (*reach)(const mcd_reach_job *job, macadam_error *error);
    macadam_status (*route)(const mcd_route_job *job, macadam_error *error);
    /* NULL, each: the host's answers. */
    macadam_status (*hops)(const mcd_hops_job *job, macadam_error *error);
    macadam_status (*connect)(const mcd_connect_job *job, macadam_error *error);
    macadam_status (*sssp)(const mcd_sssp_job *job, macadam_error *error);
    /* Optional. What makes routes faster: top nodes of at most `label_max` labels in each direction. */
    macadam_status (*top_labels_new)(mcd_top_labels **out, const mcd_weights *weights, size_t label_max,
                                     const mcd_parallel *parallel, macadam_error *error);
    /* Optional. What makes paths faster; the weights have children. */
    macadam_status (*spans_new)(mcd_spans **out, const mcd_weights *weights, const mcd_parallel *parallel,
                                macadam_error *error);
    macadam_status (*matrix_targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                         macadam_error *error);
    macadam_status (*matrix_rows)(const mcd_rows_job *job, macadam_error *error);
    void (*matrix_targets_free)(mcd_matrix_targets *targets);
    /* NULL: the host's answers. */
    macadam_status (*floyd_warshall)(const mcd_dense_job *job, macadam_error *error);
    macadam_status (*closure)(const mcd_closure_job *job, macadam_error *error);
    /* Scratch bytes of a call on the host: what the caller gives (trees, reach), or reserves of its
     * budget. */
    size_t (*tree_scratch)(const mcd_tree_job *job);
    size_t (*reach_scratch)(const mcd_reach_job *job);
    size_t (*hops_scratch)(const mcd_hops_job *job);
    size_t (*connect_scratch)(const mcd_connect_job *job);
    size_t (*sssp_scratch)(const mcd_sssp_job *job);
    size_t (*matrix_scratch)(const mcd_weights *weights, size_t target_count, size_t source_count,
                             size_t workers, bool joint);
} mcd_backend;

/* The best backend of this machine's processor; static. */
const mcd_backend *mcd_cpu_backend(void);

void mcd_custom_free(mcd_custom *custom);
void mcd_kept_free(mcd_kept *kept);
void mcd_top_labels_free(mcd_top_labels *top_labels); /* NULL is fine */
void mcd_spans_free(mcd_spans *spans);                /* NULL is fine */

#endif
