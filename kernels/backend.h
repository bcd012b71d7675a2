/* backend.h - what a backend computes: one table of whole phases. Callers never see which backend runs.
 *
 * A phase answers its whole job, on all of the device; jobs and what they point to are borrowed for the call.
 * Costs leave a backend as the interface promises them: UINT32_MAX = unreached. Phases are safe from any
 * number of threads. */
#ifndef MCD_BACKEND_H
#define MCD_BACKEND_H

#include "engine/parallel.h"
#include "engine/progress.h"
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

/* Answers in parts: the g-th holds those to the sources of mcd_division_first, in the memory of the device's g-th
 * GPU, as if these sources were all. */
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
    void *scratch;                /* tree_scratch(job) bytes, aligned to 64 */
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
    mcd_take_paths take;             /* in order of the pairs, in the thread that asked; NULL: costs alone */
    void *take_context;
    mcd_parallel parallel;
    mcd_progress progress;
} mcd_route_job;

/* Matrices: targets are prepared once, then rows are asked for in as many calls as the caller likes, one after the
 * other. */
typedef struct mcd_matrix_targets mcd_matrix_targets; /* the backend's own */

typedef struct mcd_matrix_job {
    const mcd_weights *weights;
    const mcd_lane *target;
    size_t target_count;
    bool pair; /* companions will be asked for */
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
    void *cost;        /* cost[2 * upward arc + direction]: mcd_weight, or mcd_pair with a companion */
    mcd_node *witness; /* likewise: the smallest bottom node giving the cost; MCD_NODE_NONE: an input arc */
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
    /* `name`: "cuda", "cuda:N" or "cuda:all". scratch_limit: bytes that calls may hold together on each GPU; 0: all
     * there are. E_DEVICE if there is no such device. */
    macadam_status (*open)(mcd_device **out, const char *name, uint64_t scratch_limit, macadam_error *error);
    void (*close)(mcd_device *device);
    const char *(*name)(const mcd_device *device);
    bool (*lost)(const mcd_device *device);
    /* Copies; `graph` may be NULL: then neither paths nor customization. Outlived by its weights. */
    macadam_status (*map_new)(mcd_device_map **out, mcd_device *device, const mcd_hierarchy *hierarchy,
                              const mcd_graph *graph, macadam_error *error);
    void (*map_free)(mcd_device_map *map);
    /* Copies the searches, halves only if there are some. */
    macadam_status (*weights_new)(mcd_device_weights **out, mcd_device_map *map, const mcd_weights *weights,
                                  macadam_error *error);
    macadam_status (*weights_renew)(mcd_device_weights **out, mcd_device_map *map, const mcd_renew_job *job,
                                    macadam_error *error);
    /* The searches as arrays of the host's; mcd_kept_free, on failure too. */
    macadam_status (*weights_fetch)(mcd_kept *out, const mcd_device_weights *weights, macadam_error *error);
    void (*weights_free)(mcd_device_weights *weights);
    /* The GPUs' numbers ("cuda:N"), up to `capacity`; returns how many GPUs there are, at most MCD_PARTS_MAX. */
    size_t (*gpus)(const mcd_device *device, int *number, size_t capacity);
    /* `gpu`: an index below what `gpus` returned. */
    macadam_status (*memory_new)(void **out, mcd_device *device, size_t gpu, mcd_memory_kind kind,
                                 uint64_t bytes, macadam_error *error);
    /* To the host's memory, from any that a device or the host can read. */
    macadam_status (*memory_read)(mcd_device *device, void *to, const void *from, uint64_t bytes,
                                  const mcd_parallel *parallel, macadam_error *error);
    /* On a lost device too. */
    void (*memory_free)(mcd_device *device, size_t gpu, mcd_memory_kind kind, void *memory);
} mcd_device_table;

typedef struct mcd_backend {
    const char *name;               /* "cpu: AVX-512" */
    const mcd_device_table *device; /* NULL: the host itself. Else jobs' weights have `device` set */
    /* Of the host alone (devices: weights_renew): schedules, customize, prune. */
    macadam_status (*schedule_new)(mcd_schedule **out, const mcd_hierarchy *hierarchy, const mcd_graph *graph,
                                   macadam_error *error);
    void (*schedule_free)(mcd_schedule *schedule);
    /* Basic customization: out->cost are the least costs of paths through lower nodes. */
    macadam_status (*customize)(mcd_custom *out, const mcd_customize_job *job, macadam_error *error);
    /* Perfect customization and pruning: keeps the arcs whose basic cost is the distance of their ends.
     * Spends `custom`, which is still to be freed. */
    macadam_status (*prune)(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                            macadam_error *error);
    macadam_status (*tree)(const mcd_tree_job *job, macadam_error *error);
    /* NULL: the host's answers. */
    macadam_status (*reach)(const mcd_reach_job *job, macadam_error *error);
    macadam_status (*route)(const mcd_route_job *job, macadam_error *error);
    /* Optional. What makes routes faster: hubs of at most `label_max` labels in each direction. */
    macadam_status (*hubs_new)(mcd_hubs **out, const mcd_weights *weights, size_t label_max,
                               const mcd_parallel *parallel, macadam_error *error);
    macadam_status (*matrix_targets_new)(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                         macadam_error *error);
    macadam_status (*matrix_rows)(const mcd_rows_job *job, macadam_error *error);
    void (*matrix_targets_free)(mcd_matrix_targets *targets);
    /* Scratch bytes of a call on the host: what the caller gives (trees, reach), or reserves of its budget. */
    size_t (*tree_scratch)(const mcd_tree_job *job);
    size_t (*reach_scratch)(const mcd_reach_job *job);
    size_t (*matrix_scratch)(const mcd_weights *weights, size_t target_count, size_t source_count,
                             size_t workers, bool pair);
} mcd_backend;

/* The best backend of this machine's processor; static. */
const mcd_backend *mcd_cpu_backend(void);

void mcd_custom_free(mcd_custom *custom);
void mcd_kept_free(mcd_kept *kept);
void mcd_hubs_free(mcd_hubs *hubs); /* NULL is fine */

#endif
