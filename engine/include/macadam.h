/* macadam.h - the public interface of Macadam, an embeddable routing engine for road maps. More than 700
 * lines, as it is the only public header: hosts include, and copy, one file.
 *
 * Words
 *   node, arc      a junction; a directed road from its tail to its head.
 *   quantity       what a weight measures: "duration" (ms), "distance" (cm), or a name the user gave.
 *   metric         an objective quantity to minimise and, optionally, a companion quantity summed along the
 *                  same path. Metrics are named for their objective.
 *   edge file      (.mcd) one preprocessed map for one profile; an engine is opened from it.
 *   place          a node by the source data's own id, or a longitude/latitude.
 *
 * Conventions
 *   Every function that can fail returns a macadam_status; on failure `error` (may be NULL) holds one line
 *   that names the offending value, and out parameters are NULL or 0. Nothing prints, exits or aborts.
 *   `**out` is the caller's, freed with its _free or _close (NULL is fine); a returned pointer is borrowed
 *   from the first argument; `const T *` in is borrowed for the call.
 *   Option and request structures begin with their size: start from their _INIT.
 *   Costs are unsigned 32-bit integers; MACADAM_UNREACHED means that there is no path (or none within the
 *   limit).
 *   All functions may be called from any number of threads at once, on one engine too, unless they say
 *   otherwise. A callback must not call the engine that called it.
 */
#ifndef MACADAM_H
#define MACADAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(MACADAM_BUILD) && defined(__GNUC__)
#define MACADAM_API __attribute__((visibility("default")))
#else
#define MACADAM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MACADAM_VERSION_MAJOR 0
#define MACADAM_VERSION_MINOR 1
#define MACADAM_VERSION_PATCH 0
#define MACADAM_FILE_FORMAT   1 /* the edge file format that this version writes */

#define MACADAM_UNREACHED UINT32_C(0xffffffff) /* a cost at every interface: no path */
#define MACADAM_WEIGHT_MAX                                                                                   \
    UINT32_C(0x7ffffffe) /* the largest weight of an arc and the largest cost of a path */
#define MACADAM_WEIGHT_CLOSED  UINT32_C(0xffffffff) /* a weight of an update: nobody passes this arc */
#define MACADAM_QUANTITIES_MAX 2 /* quantities in one answer: a metric's objective and its companion */

/* ---- status, errors ---- */

/* Values are pinned: appended to, never changed. */
typedef enum macadam_status {
    MACADAM_OK = 0,
    MACADAM_E_INVALID = 1,   /* a malformed argument or request */
    MACADAM_E_NOT_FOUND = 2, /* an unknown node id, arc, metric or quantity */
    MACADAM_E_FILE = 3,      /* a bad input or edge file: truncated, corrupt, malformed, newer version */
    MACADAM_E_IO = 4,        /* the operating system refused to read or write */
    MACADAM_E_MEMORY = 5,    /* an allocation failed */
    MACADAM_E_LIMIT = 6,     /* the request cannot fit the memory limit; the message says how much it needs */
    MACADAM_E_CANCELLED = 7, /* a progress or tile callback asked to stop */
    MACADAM_E_DEVICE = 8,    /* no such device, or a device failed and could not be replaced */
    MACADAM_E_UNSUPPORTED = 9, /* the file lacks what the call needs (a hierarchy, coordinates, geometry) */
} macadam_status;

/* One line, without a trailing newline or period. */
typedef struct macadam_error {
    char message[512];
} macadam_error;

/* Borrowed, static: "ok", "invalid argument", ... */
MACADAM_API const char *macadam_status_name(macadam_status status);

/* ---- library ---- */

/* "MAJOR.MINOR.PATCH", static. */
MACADAM_API const char *macadam_version(void);

/* Writes up to `capacity` names of the devices that an engine could use ("cpu: AVX-512, 2 threads", "cuda:0:
 * ..."); returns how many there are. The strings are static. */
MACADAM_API size_t macadam_devices(const char **name, size_t capacity);

/* Replaces malloc and free for everything the library allocates. `allocate` returns memory aligned for any
 * type, or NULL. Call it before anything else; not thread-safe. NULL restores malloc and free. */
typedef struct macadam_allocator {
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory);
    void *context;
} macadam_allocator;
MACADAM_API void macadam_allocator_set(const macadam_allocator *allocator);

/* The host's own thread pool. `run` calls task(argument, index, worker) for every index below `count`, in any
 * order, on at most `thread_count` threads at once, and returns when all calls have returned. `worker` is
 * below `thread_count`, and no two calls that overlap share it. The calling thread, which is the one that
 * called the library, must take part: other threads of the pool may be waiting in calls of their own for what
 * this one loads. */
typedef struct macadam_executor {
    unsigned thread_count;
    void (*run)(void *context, size_t count, void (*task)(void *argument, size_t index, unsigned worker),
                void *argument);
    void *context;
} macadam_executor;

/* Called now and then by long calls from the calling thread: `done` of `total` (0: unknown) steps of `phase`.
 * Returns true to go on, false to cancel: the call then returns MACADAM_E_CANCELLED. */
typedef bool (*macadam_progress)(void *context, const char *phase, uint64_t done, uint64_t total);

/* ---- engine ---- */

/* An opened edge file on a device. Immutable to its users but for macadam_update. */
typedef struct macadam_engine macadam_engine;

typedef struct macadam_engine_options {
    size_t size;
    /* NULL or "auto": the first GPU if there is one, else the processor; "cpu"; "cuda": the first GPU;
     * "cuda:N": that one; "cuda:all": all there are. Each of them then holds the map, and a call's sources
     * (or pairs) are divided among them; of hops from one source on a large graph, the nodes. E_DEVICE if a
     * GPU is named and is not there. */
    const char *device;
    unsigned threads;                 /* of one call; 0 = one per processor */
    const macadam_executor *executor; /* NULL = the library's own threads; must outlive the engine */
    /* Bytes of scratch that all calls together may hold, and as many on each GPU (maps and weights do not
     * count); 0 = three quarters of the machine's memory, and of a GPU's what is free. */
    uint64_t memory_limit;
    bool trust_file; /* skip checksums and validation: for files that only this host could write */
} macadam_engine_options;
#define MACADAM_ENGINE_OPTIONS_INIT                                                                          \
    {                                                                                                        \
        .size = sizeof(macadam_engine_options)                                                               \
    }

/* Opens the edge file at `path`. Header and directory are checked now, each section once, before its first
 * use. `options` may be NULL. Returns E_IO, E_FILE, E_DEVICE, E_INVALID or E_MEMORY.
 * A device that fails later, or has too little memory, fails no call but those whose answers are to lie in
 * its own memory: the processor answers in its place, equally; once the device is beyond use it does so for
 * good, and macadam_info.device says so. */
MACADAM_API macadam_status macadam_engine_open(macadam_engine **out, const char *path,
                                               const macadam_engine_options *options, macadam_error *error);
/* The same from `bytes` of memory, aligned to 64 bytes, that must outlive the engine. */
MACADAM_API macadam_status macadam_engine_open_memory(macadam_engine **out, const void *memory, size_t bytes,
                                                      const macadam_engine_options *options,
                                                      macadam_error *error);
/* No call may be running on the engine. */
MACADAM_API void macadam_engine_close(macadam_engine *engine);
/* Checks every section now: checksum and contents. */
MACADAM_API macadam_status macadam_engine_verify(macadam_engine *engine, macadam_error *error);

/* What an engine knows of its file and itself. Strings and arrays are the engine's and live as long as it. */
typedef struct macadam_info {
    size_t size;
    uint32_t file_format;
    uint64_t file_bytes;
    const char *source, *profile; /* the file imported from; "car", or "" where there is none */
    const char *build;            /* the options of the import, for people */
    const char *device;           /* the device in use */
    uint64_t id_count;            /* the user's nodes: rows and columns of a tree */
    uint64_t node_count,
        arc_count;            /* nodes and input arcs inside the file; more than the user's after splitting */
    uint64_t component_count; /* strongly connected components */
    uint64_t restriction_count; /* turn restrictions applied */
    uint64_t up_arc_count;      /* upward arcs of the hierarchy; 0 = no hierarchy */
    uint32_t height;            /* of the elimination tree, in nodes */
    bool has_coordinates, has_geometry;
    double west, south, east, north; /* bounding box in degrees, if has_coordinates */
    size_t quantity_count;
    const char *const *quantity; /* names, in the file's order */
    const char *const *unit;     /* "ms", "cm" or "" */
    size_t metric_count;
    const char *const *metric;    /* names (= objective quantities); the first is the default */
    const char *const *companion; /* per metric: the companion quantity's name, or NULL */
} macadam_info;
#define MACADAM_INFO_INIT                                                                                    \
    {                                                                                                        \
        .size = sizeof(macadam_info)                                                                         \
    }
MACADAM_API macadam_status macadam_engine_info(const macadam_engine *engine, macadam_info *out,
                                               macadam_error *error);

/* ---- memory for answers ---- */

/* Answers may lie in any memory of the host's. Where devices compute, those of macadam_tree,
 * macadam_matrix_into, macadam_routes and macadam_routes_paths (the arrays value[q], not statuses) may also
 * lie where it writes without a detour: in memory of these kinds, or in the caller's own of the same kinds in
 * CUDA's primary context, wherever in it they begin. */
typedef enum macadam_memory_kind {
    /* The (first) device's own: answers stay there, for kernels of the caller's or for macadam_memory_read.
     * Only the device may touch it. */
    MACADAM_MEMORY_DEVICE = 0,
    MACADAM_MEMORY_PINNED = 1, /* the host's, which the device reaches at full speed */
} macadam_memory_kind;

/* Takes `bytes` of memory, not cleared; the caller's until it is freed or the engine is closed. Aligned to 64
 * bytes. Where the processor computes, both kinds are plain memory of the host's. Returns E_INVALID,
 * E_MEMORY, or E_DEVICE if the device has too little or fails.
 * If the device fails while an answer is to lie in a device's own memory, the call returns E_DEVICE, and what
 * is there is undefined: no processor can answer in its place. Once the device is lost, its memory can
 * neither be answered into nor read, but must still be freed; pinned memory is as good as ever. */
MACADAM_API macadam_status macadam_memory_new(void **out, macadam_engine *engine, macadam_memory_kind kind,
                                              uint64_t bytes, macadam_error *error);
/* Copies `bytes` that lie in memory of any kind, the caller's own included, to the host's memory at `to`.
 * Returns E_INVALID (beyond the end of what macadam_memory_new gave) or E_DEVICE. */
MACADAM_API macadam_status macadam_memory_read(macadam_engine *engine, void *to, const void *from,
                                               uint64_t bytes, macadam_error *error);
/* Frees what macadam_memory_new gave for this engine. NULL is fine. No call may be using it. */
MACADAM_API void macadam_memory_free(macadam_engine *engine, void *memory);

/* Memory in which the answers of macadam_tree or macadam_matrix_into to `source_count` sources stay on all
 * devices of the engine, each with those that it computes itself: source_bytes for each source and quantity
 * (of a tree 4 a node or id, of a matrix 4 a target). *out is the array to answer into, for requests with so
 * many sources alone, and from its beginning; of two quantities both have such memory. Device number d of n
 * has part d: sources are divided in whole groups of 32, in their order, as evenly as these go, the first
 * parts having the odd ones; where there are fewer groups than devices there are fewer parts. Where one
 * device or the processor computes there is one part. Returns and is freed as macadam_memory_new says;
 * macadam_memory_read reads within one part. */
MACADAM_API macadam_status macadam_memory_new_divided(void **out, macadam_engine *engine, size_t source_count,
                                                      uint64_t source_bytes, macadam_error *error);

/* One device's part of divided memory: laid out as if its sources were all that the request has. */
typedef struct macadam_memory_part {
    size_t size;
    size_t part_count; /* how many there are */
    int device;        /* N of "cuda:N"; -1: the part is plain memory of the host's */
    void *memory;
    size_t first_source, source_count;
} macadam_memory_part;
#define MACADAM_MEMORY_PART_INIT                                                                             \
    {                                                                                                        \
        .size = sizeof(macadam_memory_part)                                                                  \
    }
/* Tells of the index-th part of what macadam_memory_new_divided gave. Returns E_INVALID if there is none. */
MACADAM_API macadam_status macadam_memory_part_at(macadam_engine *engine, const void *memory, size_t index,
                                                  macadam_memory_part *out, macadam_error *error);

/* ---- places ---- */

typedef enum macadam_place_kind { MACADAM_PLACE_NODE = 0, MACADAM_PLACE_POINT = 1 } macadam_place_kind;

/* From which side of a two-way road a point is reached and left. */
typedef enum macadam_side {
    MACADAM_SIDE_ANY = 0,
    MACADAM_SIDE_CURB =
        1, /* travelling on the side of the road where the point lies, as traffic keeps right or left */
} macadam_side;

/* A point is taken to the nearest place on a road, which is a junction or within the road: there a route
 * begins or ends part-way along it, in either direction that is open. A point counts to 1e-7 degrees. */
typedef struct macadam_place {
    macadam_place_kind kind;
    int64_t id;      /* PLACE_NODE: the source data's own id */
    double lon, lat; /* PLACE_POINT: degrees, WGS 84 */
    /* PLACE_POINT: the direction of travel, degrees clockwise from north, and by how many at most that of the
     * road may differ; a tolerance of 0: any direction. */
    double heading, heading_tolerance;
    macadam_side side; /* PLACE_POINT */
} macadam_place;

/* What became of a place. A place that fails costs only its own rows or columns: they are
 * MACADAM_UNREACHED. */
typedef enum macadam_place_status {
    MACADAM_PLACE_OK = 0,
    MACADAM_PLACE_UNKNOWN_ID = 1, /* no node has this id */
    MACADAM_PLACE_TOO_FAR = 2,    /* no road within the snap radius (that has the heading) */
    MACADAM_PLACE_INVALID = 3,    /* not a longitude in -180..180 and a latitude in -90..90, or no heading, a
                                         tolerance above 180, an unknown side */
    MACADAM_PLACE_NO_COORDINATES = 4, /* a point asked of a file without coordinates */
} macadam_place_status;

/* Where a place was snapped. */
typedef struct macadam_snap {
    macadam_place_status status;
    int64_t id;        /* of the node; of a place within a road: of the nearer end */
    double lon, lat;   /* on the road, or of the node; NaN without coordinates */
    double distance_m; /* from the place to there */
    uint64_t arc; /* the road's number, of a two-way road that of one of its arcs; 0 of a place given by id */
    int64_t way;  /* OSM way id, else 0 */
    const char *name; /* of the road; "" where there is none; the engine's */
} macadam_snap;

/* What all queries share. */
typedef struct macadam_query {
    size_t size;
    const char *metric;          /* NULL = the file's first */
    const char *const *quantity; /* names, in the order wanted: the metric's objective and/or companion */
    size_t quantity_count;       /* 0 = the objective alone */
    double snap_radius_m;        /* how far a point may be from a road; 0 = 1000 */
    uint64_t memory_limit;       /* bytes of scratch for this call; 0 = the engine's. Paths do not count */
    macadam_progress progress;   /* may be NULL */
    void *progress_context;
    /* Roads of small components (fewer than a thousand nodes, and than a tenth of the largest one's) are as
     * good as others; false: only where no other road is within the radius. */
    bool snap_any_component;
} macadam_query;
#define MACADAM_QUERY_INIT                                                                                   \
    {                                                                                                        \
        .size = sizeof(macadam_query)                                                                        \
    }

/* Snaps `count` places; snap[i] answers place[i]. Bad places are statuses, not errors. */
MACADAM_API macadam_status macadam_snap_places(macadam_engine *engine, const macadam_query *query,
                                               const macadam_place *place, size_t count, macadam_snap *snap,
                                               macadam_error *error);

#define MACADAM_SNAP_CANDIDATES_MAX 32

/* Where one place could be meant: on each of the up to `capacity` (1 to MACADAM_SNAP_CANDIDATES_MAX) nearest
 * roads, nearest first. *count: how many there are; if none is, snap[0].status says why. */
MACADAM_API macadam_status macadam_snap_candidates(macadam_engine *engine, const macadam_query *query,
                                                   const macadam_place *place, size_t capacity,
                                                   macadam_snap *snap, size_t *count, macadam_error *error);

/* ---- trees: one to all, all to one ---- */

/* How a tree's costs lie in memory. */
typedef enum macadam_order {
    MACADAM_ORDER_IDS = 0, /* value[source * id_count + i], i by ascending user id: macadam_engine_ids */
    MACADAM_ORDER_NODES =
        1, /* value[source * node_count + node], by the file's nodes: macadam_engine_node_ids */
    MACADAM_ORDER_LANES =
        2, /* value[node * source_count + source]: the fastest; source_count a multiple of 16 */
} macadam_order;

/* All user ids, ascending: id_count of them; borrowed. NULL and an error if the section is bad. */
MACADAM_API const int64_t *macadam_engine_ids(macadam_engine *engine, macadam_error *error);
/* The user id of each of the file's nodes: node_count of them; borrowed. */
MACADAM_API const int64_t *macadam_engine_node_ids(macadam_engine *engine, macadam_error *error);

/* How trees are computed: the answers are the same. */
typedef enum macadam_tree_method {
    MACADAM_TREE_AUTO = 0,     /* SWEEP where there is a hierarchy and no parents are asked, else NEAR_FAR */
    MACADAM_TREE_SWEEP = 1,    /* by the hierarchy: by far the fastest */
    MACADAM_TREE_NEAR_FAR = 2, /* the others go along the arcs and need no hierarchy */
    MACADAM_TREE_BELLMAN_FORD = 3,   /* slow where paths have many arcs: roads */
    MACADAM_TREE_DIJKSTRA = 4,       /* on the processor, whatever the device */
    MACADAM_TREE_FLOYD_WARSHALL = 5, /* of all pairs alone: on a dense matrix, for small or dense graphs */
} macadam_tree_method;

typedef struct macadam_tree_request {
    size_t size;
    const macadam_place *source;
    size_t source_count; /* at least 1 */
    bool reverse;        /* the costs to the source instead of from it */
    uint32_t limit;      /* costs (objective) above it are MACADAM_UNREACHED; 0 = none */
    macadam_order order;
    macadam_tree_method method;
} macadam_tree_request;
#define MACADAM_TREE_REQUEST_INIT                                                                            \
    {                                                                                                        \
        .size = sizeof(macadam_tree_request)                                                                 \
    }

/* Answers into caller memory: value[q] is an array of `order`'s shape for the q-th asked quantity, in any
 * memory that macadam_memory_kind tells of; lanes in a device's own are written there as they are
 * computed. status (may be NULL) holds source_count entries. E_UNSUPPORTED: divided memory, and points on
 * roads of whose searches the processor chooses the best. */
MACADAM_API macadam_status macadam_tree(macadam_engine *engine, const macadam_query *query,
                                        const macadam_tree_request *request, uint32_t *const *value,
                                        macadam_place_status *status, macadam_error *error);
/* The parents too, in the host's memory: the node before on a path of the least cost, or (reverse) behind.
 * ORDER_IDS: parent[source * id_count + i] is a position among macadam_engine_ids; of a split junction,
 * the parent of the copy that it is reached by. ORDER_NODES: parent[source * node_count + node] is a node
 * of the file. MACADAM_UNREACHED: none. Parents form a tree and are the same for every method and device;
 * with a companion asked, paths are those of the least companion too. Not by SWEEP, nor in ORDER_LANES:
 * E_INVALID. Of a point on a road whose end is split into more copies than a search begins with:
 * E_UNSUPPORTED. */
MACADAM_API macadam_status macadam_tree_parents(macadam_engine *engine, const macadam_query *query,
                                                const macadam_tree_request *request, uint32_t *const *value,
                                                uint32_t *parent, macadam_place_status *status,
                                                macadam_error *error);

/* ---- hops: the fewest arcs, whatever their weights ---- */

typedef struct macadam_hops_request {
    size_t size;
    const macadam_place *source;
    size_t source_count; /* at least 1 */
    bool reverse;        /* the hops to the source instead of from it */
    uint32_t limit;      /* more hops are MACADAM_UNREACHED; 0 = none */
} macadam_hops_request;
#define MACADAM_HOPS_REQUEST_INIT                                                                            \
    {                                                                                                        \
        .size = sizeof(macadam_hops_request)                                                                 \
    }

/* Breadth-first search, without a hierarchy: hops[source * id_count + i] by macadam_engine_ids, and
 * (parent may be NULL) the parents, as macadam_tree_parents has them, both in the host's memory. Turn
 * restrictions hold; arcs that an update closed count. Of the query, metric and quantities do not matter.
 * status (may be NULL) holds source_count entries. A point within a road is taken to its nearer end. */
MACADAM_API macadam_status macadam_hops(macadam_engine *engine, const macadam_query *query,
                                        const macadam_hops_request *request, uint32_t *hops, uint32_t *parent,
                                        macadam_place_status *status, macadam_error *error);

typedef struct macadam_connect_request {
    size_t size;
    macadam_place source, target;
} macadam_connect_request;
#define MACADAM_CONNECT_REQUEST_INIT                                                                         \
    {                                                                                                        \
        .size = sizeof(macadam_connect_request)                                                              \
    }

/* Whether a way leads from source to target, and one of the fewest hops: always the same. */
typedef struct macadam_connection {
    bool connected; /* false too if a place failed */
    uint32_t hops;  /* MACADAM_UNREACHED if not connected */
    macadam_snap source, target;
    size_t node_count; /* of the path: hops + 1, or 0 */
    const int64_t *id; /* [node_count] from source to target */
} macadam_connection;

/* Bidirectional breadth-first search; arcs and points count as for macadam_hops. */
MACADAM_API macadam_status macadam_connect(macadam_engine *engine, const macadam_query *query,
                                           const macadam_connect_request *request, macadam_connection **out,
                                           macadam_error *error);
/* Frees the connection and all it points to. */
MACADAM_API void macadam_connection_free(macadam_connection *connection);

/* ---- reach: what lies how near, without the trees ---- */

#define MACADAM_REACH_LIMITS_MAX  16
#define MACADAM_REACH_NEAREST_MAX 1024

/* By the objective of the query's metric alone; E_INVALID if its companion is asked. A point within a road is
 * taken to the nearer end of it. */
typedef struct macadam_reach_request {
    size_t size;
    const macadam_place *source;
    size_t source_count;   /* at least 1 */
    bool reverse;          /* the costs to the sources instead of from them */
    const uint32_t *limit; /* in any order, each at most MACADAM_WEIGHT_MAX */
    size_t limit_count;    /* at most MACADAM_REACH_LIMITS_MAX */
    const uint32_t *value; /* per user id, in the order of macadam_engine_ids; NULL if no sums are asked */
    const macadam_place *target; /* those that the nearest are chosen from */
    size_t target_count;
    size_t nearest_count; /* at most MACADAM_REACH_NEAREST_MAX; 0 if no nearest are asked */
} macadam_reach_request;
#define MACADAM_REACH_REQUEST_INIT                                                                           \
    {                                                                                                        \
        .size = sizeof(macadam_reach_request)                                                                \
    }

/* Where the answers go: the caller's arrays. NULL: not asked. Nodes are counted as trees list them in
 * MACADAM_ORDER_IDS, once per user id. A source that failed reaches nothing. */
typedef struct macadam_reach {
    size_t size;
    uint64_t *node_count;    /* [source * limit_count + i]: nodes whose cost is at most limit[i] */
    uint64_t *value_sum;     /* [source * limit_count + i]: the sum of their values */
    uint64_t *reached;       /* [source]: nodes with a path */
    uint32_t *eccentricity;  /* [source]: the largest of their costs; MACADAM_UNREACHED if there are none */
    uint32_t *nearest_found; /* [source]: targets that are listed: the reached ones, up to nearest_count */
    /* [source * nearest_count + rank], by ascending cost, equal ones by position: the target's position in
     * the request, and its cost. Both are MACADAM_UNREACHED behind those that were found. */
    uint32_t *nearest_position, *nearest_cost;
    uint64_t *cost_sum; /* [source]: the sum of the costs of nodes with a path */
} macadam_reach;
#define MACADAM_REACH_INIT                                                                                   \
    {                                                                                                        \
        .size = sizeof(macadam_reach)                                                                        \
    }

/* status (may be NULL) holds the sources' statuses, then the targets'. Returns E_INVALID if nothing is asked,
 * or something whose limits, values or targets are missing. */
MACADAM_API macadam_status macadam_reach_find(macadam_engine *engine, const macadam_query *query,
                                              const macadam_reach_request *request,
                                              const macadam_reach *answer, macadam_place_status *status,
                                              macadam_error *error);

/* ---- routes: one to one ---- */

typedef struct macadam_route_request {
    size_t size;
    const macadam_place *waypoint; /* source, vias, target */
    size_t waypoint_count;         /* at least 2 */
} macadam_route_request;
#define MACADAM_ROUTE_REQUEST_INIT                                                                           \
    {                                                                                                        \
        .size = sizeof(macadam_route_request)                                                                \
    }

/* The part of a route from one waypoint to the next. */
typedef struct macadam_leg {
    uint32_t value[MACADAM_QUANTITIES_MAX]; /* per asked quantity */
    size_t first_arc, last_arc;             /* its arcs: first_arc <= i < last_arc */
} macadam_leg;

typedef struct macadam_route_arc {
    int64_t tail, head;                     /* user ids */
    uint64_t arc;                           /* the arc's number: what an update names */
    int64_t way;                            /* OSM way id, else 0 */
    const char *name;                       /* of the road; "" where there is none */
    uint32_t value[MACADAM_QUANTITIES_MAX]; /* per asked quantity */
    size_t first_shape, last_shape;         /* its points, both ends included; empty without coordinates */
    double from, to; /* the part that is travelled: 0 to 1, but where a leg begins or ends within the road */
} macadam_route_arc;

/* A route with its arcs. found = false (with no arcs and no points) if a place failed or some leg has no
 * path; the values of the legs tell which. */
typedef struct macadam_route {
    bool found;
    uint32_t value[MACADAM_QUANTITIES_MAX]; /* the sum of the legs; MACADAM_UNREACHED if not found */
    size_t waypoint_count;
    const macadam_snap *waypoint;
    size_t leg_count;
    const macadam_leg *leg;
    size_t arc_count;
    const macadam_route_arc *arc;
    size_t shape_count;
    const double *lon, *lat; /* shape points; arcs that follow each other repeat the node between them */
} macadam_route;

MACADAM_API macadam_status macadam_route_find(macadam_engine *engine, const macadam_query *query,
                                              const macadam_route_request *request, macadam_route **out,
                                              macadam_error *error);
/* Frees the route and all it points to. */
MACADAM_API void macadam_route_free(macadam_route *route);

typedef struct macadam_routes_request {
    size_t size;
    const macadam_place *source, *target; /* pair_count each */
    size_t pair_count;
} macadam_routes_request;
#define MACADAM_ROUTES_REQUEST_INIT                                                                          \
    {                                                                                                        \
        .size = sizeof(macadam_routes_request)                                                               \
    }

/* Many routes' costs: value[q][pair], in any memory that macadam_memory_kind tells of; status (may be NULL)
 * holds the sources' statuses, then the targets'. */
MACADAM_API macadam_status macadam_routes(macadam_engine *engine, const macadam_query *query,
                                          const macadam_routes_request *request, uint32_t *const *value,
                                          macadam_place_status *status, macadam_error *error);

/* The paths too: one call of `path` per pair, in order, from the calling thread. `arc` (arc numbers,
 * arc_count of them, from source to target) is borrowed for the callback; it returns false to cancel. */
typedef bool (*macadam_path_callback)(void *context, size_t pair, const uint64_t *arc, size_t arc_count);
MACADAM_API macadam_status macadam_routes_paths(macadam_engine *engine, const macadam_query *query,
                                                const macadam_routes_request *request, uint32_t *const *value,
                                                macadam_place_status *status, macadam_path_callback path,
                                                void *context, macadam_error *error);

/* ---- matrices: many to many ---- */

typedef struct macadam_matrix_request {
    size_t size;
    const macadam_place *source, *target;
    size_t source_count, target_count; /* at least 1 */
} macadam_matrix_request;
#define MACADAM_MATRIX_REQUEST_INIT                                                                          \
    {                                                                                                        \
        .size = sizeof(macadam_matrix_request)                                                               \
    }

/* A rectangle of a matrix on its way to the caller: cell (r, c) of quantity q is value[q][r * columns +
 * c]. */
typedef struct macadam_tile {
    size_t row, rows, column, columns;
    const uint32_t *value[MACADAM_QUANTITIES_MAX];
    const uint32_t *next; /* of all pairs with next hops; else NULL */
} macadam_tile;

/* Called once per tile from the calling thread; tiles cover every cell once, in ascending (row, column). The
 * tile is borrowed for the callback. Returns false to cancel. */
typedef bool (*macadam_tile_callback)(void *context, const macadam_tile *tile);

/* status (may be NULL) holds the sources' statuses, then the targets', and is complete before the first
 * tile. */
MACADAM_API macadam_status macadam_matrix(macadam_engine *engine, const macadam_query *query,
                                          const macadam_matrix_request *request, macadam_place_status *status,
                                          macadam_tile_callback tile, void *context, macadam_error *error);
/* The same into caller memory: value[q][source * target_count + target], in any memory that
 * macadam_memory_kind tells of. */
MACADAM_API macadam_status macadam_matrix_into(macadam_engine *engine, const macadam_query *query,
                                               const macadam_matrix_request *request, uint32_t *const *value,
                                               macadam_place_status *status, macadam_error *error);

/* ---- roads and isochrones: arcs as lines ---- */

/* An arc as people see it. */
typedef struct macadam_road {
    int64_t tail, head;             /* user ids */
    uint64_t arc;                   /* the arc's number: what an update names */
    int64_t way;                    /* OSM way id, else 0 */
    const char *name;               /* of the road; "" where there is none */
    size_t first_shape, last_shape; /* its points, both end nodes included; empty without coordinates */
} macadam_road;

/* Degrees; its sides belong to it. */
typedef struct macadam_box {
    double west, south, east, north;
} macadam_box;

typedef struct macadam_roads {
    size_t road_count;
    const macadam_road *road;
    size_t shape_count;
    const double *lon, *lat; /* shape points, in degrees */
} macadam_roads;

/* The roads whose bounding boxes meet `box`, for drawing: a road of two arcs, one in each direction, comes
 * once. Returns E_INVALID, E_MEMORY, E_FILE, or E_UNSUPPORTED if the file has no coordinates. Time: one
 * look at every arc. */
MACADAM_API macadam_status macadam_roads_find(macadam_engine *engine, const macadam_box *box,
                                              macadam_roads **out, macadam_error *error);
MACADAM_API void macadam_roads_free(macadam_roads *roads);

typedef struct macadam_isochrone_request {
    size_t size;
    macadam_place source;
    bool reverse;   /* from where the place is reached, instead of what is reached from it */
    uint32_t limit; /* of the metric's objective; at most MACADAM_WEIGHT_MAX */
} macadam_isochrone_request;
#define MACADAM_ISOCHRONE_REQUEST_INIT                                                                       \
    {                                                                                                        \
        .size = sizeof(macadam_isochrone_request)                                                            \
    }

/* An arc that can be entered within the limit: at its tail (reverse: at its head), at `cost`; or within,
 * if the source lies there. Within any limit L of at least `cost` it is reached from the share `from` of
 * its length, as counted from that end, up to the share from + (L - cost) / weight; up to its other end if
 * that is 1 or more. */
typedef struct macadam_reached_arc {
    macadam_road road;
    uint32_t cost, weight; /* by the metric's objective */
    double from;           /* 0: the end */
} macadam_reached_arc;

typedef struct macadam_isochrone {
    macadam_snap source; /* if it failed, nothing is reached */
    size_t arc_count;
    /* By ascending number, each once; one within which the source lies twice if an end of it is entered
     * too. */
    const macadam_reached_arc *arc;
    size_t shape_count;
    const double *lon, *lat; /* shape points, in degrees */
} macadam_isochrone;

/* What is reached within a limit, arc by arc. By the objective of the query's metric alone. */
MACADAM_API macadam_status macadam_isochrone_find(macadam_engine *engine, const macadam_query *query,
                                                  const macadam_isochrone_request *request,
                                                  macadam_isochrone **out, macadam_error *error);
MACADAM_API void macadam_isochrone_free(macadam_isochrone *isochrone);

/* ---- all pairs ---- */

/* Rows and columns are all user ids, ascending: macadam_engine_ids. A next hop is the position among them of
 * the node that comes after the row's on a shortest path to the column's; MACADAM_UNREACHED where there is no
 * path and where row and column are the same. Going from next hop to next hop follows a shortest path, and
 * repeats no node on cycles of weight 0 either. By Floyd-Warshall alone; E_UNSUPPORTED if turn restrictions
 * split junctions, for then a way on depends on where it came from. */
typedef struct macadam_all_pairs_request {
    size_t size;
    /* AUTO: the fastest for the graph and for what is asked. FLOYD_WARSHALL knows the objective alone. */
    macadam_tree_method method;
    bool next;                   /* next hops are asked */
    macadam_tree_method *chosen; /* the method it is, told before the first tile; may be NULL */
} macadam_all_pairs_request;
#define MACADAM_ALL_PAIRS_REQUEST_INIT                                                                       \
    {                                                                                                        \
        .size = sizeof(macadam_all_pairs_request)                                                            \
    }

/* Tiles are whole rows, in ascending order. Floyd-Warshall needs memory for the matrix, the others for
 * some rows, or E_LIMIT says how much. */
MACADAM_API macadam_status macadam_all_pairs(macadam_engine *engine, const macadam_query *query,
                                             const macadam_all_pairs_request *request,
                                             macadam_tile_callback tile, void *context, macadam_error *error);
/* The same into the caller's memory: value[q][row * id_count + column], and likewise `next` if it is asked.
 * Values may go to a device's memory (macadam_memory_new), which is not divided; the host's may be a mapped
 * file. */
MACADAM_API macadam_status macadam_all_pairs_into(macadam_engine *engine, const macadam_query *query,
                                                  const macadam_all_pairs_request *request,
                                                  uint32_t *const *value, uint32_t *next,
                                                  macadam_error *error);
/* The same into a new .npy file, which is mapped meanwhile and may be larger than the memory: uint32 of shape
 * (rows, columns), or with a second quantity or next hops (2, rows, columns). Written aside, synced, renamed.
 * */
MACADAM_API macadam_status macadam_all_pairs_save(macadam_engine *engine, const macadam_query *query,
                                                  const macadam_all_pairs_request *request, const char *path,
                                                  macadam_error *error);

/* Which nodes reach which, over all arcs, closed ones too. Requests may be NULL. */
typedef struct macadam_closure_request {
    size_t size;
    uint64_t memory_limit;     /* bytes of scratch for this call; 0 = the engine's */
    macadam_progress progress; /* may be NULL */
    void *progress_context;
} macadam_closure_request;
#define MACADAM_CLOSURE_REQUEST_INIT                                                                         \
    {                                                                                                        \
        .size = sizeof(macadam_closure_request)                                                              \
    }

/* Into memory of the host's: rows and columns are all user ids, ascending. A row is (id_count + 7) / 8 bytes,
 * its first column the highest bit of the first byte (as numpy.unpackbits has it): 1 where the row's node
 * reaches the column's; each reaches itself. */
MACADAM_API macadam_status macadam_closure_into(macadam_engine *engine,
                                                const macadam_closure_request *request, uint8_t *bits,
                                                macadam_error *error);
/* The same into a new .npy file: uint8 of shape (rows, (columns + 7) / 8). */
MACADAM_API macadam_status macadam_closure_save(macadam_engine *engine,
                                                const macadam_closure_request *request, const char *path,
                                                macadam_error *error);

/* ---- weight updates ---- */

/* New weights for some arcs. An arc is named by its number (arc[i]), or, if `arc` is NULL, by its ends: all
 * parallel arcs from tail[i] to head[i]. value[q][i] is the weight for quantity[q], at most
 * MACADAM_WEIGHT_MAX or MACADAM_WEIGHT_CLOSED. A later entry for the same arc wins. An arc that is closed for
 * one quantity of a metric is closed for the metric. */
typedef struct macadam_update_request {
    size_t size;
    const uint64_t *arc;
    const int64_t *tail, *head;
    size_t count;
    const char *const *quantity;
    size_t quantity_count;
    const uint32_t *const *value;
    macadam_progress progress;
    void *progress_context;
} macadam_update_request;
#define MACADAM_UPDATE_REQUEST_INIT                                                                          \
    {                                                                                                        \
        .size = sizeof(macadam_update_request)                                                               \
    }

/* Customizes every metric that uses a changed quantity, beside the weights in use, and swaps them in: queries
 * in flight finish on the weights they began with. Returns E_NOT_FOUND for an unknown arc or quantity; the
 * weights are then unchanged. Updates of one engine wait for each other. */
MACADAM_API macadam_status macadam_update(macadam_engine *engine, const macadam_update_request *request,
                                          macadam_error *error);

/* Writes the engine's map with its present weights to a new edge file (written aside, synced, renamed). */
MACADAM_API macadam_status macadam_engine_save(macadam_engine *engine, const char *path,
                                               macadam_error *error);

/* ---- protobuf ---- */

/* Bytes that the library made; freed with macadam_bytes_free. */
typedef struct macadam_bytes {
    uint8_t *data;
    size_t size;
} macadam_bytes;
MACADAM_API void macadam_bytes_free(macadam_bytes *bytes);

/* Receives one serialized macadam.v1.Reply of a streamed answer; borrowed. Returns false to cancel. */
typedef bool (*macadam_reply_callback)(void *context, const uint8_t *data, size_t size);

/* Answers any request: `request` is a serialized macadam.v1.Request (proto/macadam/v1). Matrices and trees
 * arrive at `part` (may be NULL: then all of the answer is in *reply) as one Reply per tile; *reply is the
 * last Reply. A request that fails returns its status, and *reply holds a Reply with status and message. */
MACADAM_API macadam_status macadam_call(macadam_engine *engine, const uint8_t *request, size_t request_size,
                                        macadam_reply_callback part, void *context, macadam_bytes *reply,
                                        macadam_error *error);

/* ---- importing (libmacadam_import) ---- */

/* One line for people per thing that an importer skipped or mended: "ways without access: 312". */
typedef struct macadam_import_options {
    size_t size;
    const char *output; /* the edge file to write; written aside, synced, renamed */
    const char *order;  /* a text file: all node ids, one a line, first eliminated first; NULL = chosen */
    bool no_hierarchy;  /* for graphs that are no road networks: no preprocessing */
    unsigned threads;   /* 0 = one per processor */
    const macadam_executor *executor;
    macadam_progress progress; /* may be NULL */
    void *context;
    void (*report)(void *context, const char *line); /* may be NULL */
} macadam_import_options;
#define MACADAM_IMPORT_OPTIONS_INIT                                                                          \
    {                                                                                                        \
        .size = sizeof(macadam_import_options)                                                               \
    }

/* DIMACS: one .gr or .gr.gz per quantity, all over the same arcs in the same order; `coordinates` (.co,
 * .co.gz) may be NULL. Weights and names are the caller's; "duration" and "distance" keep the file's own
 * unit. */
typedef struct macadam_dimacs_input {
    size_t size;
    const char *const *quantity; /* names; the first is the default metric */
    const char *const *weight;   /* paths */
    size_t quantity_count;
    const char *coordinates;
} macadam_dimacs_input;
#define MACADAM_DIMACS_INPUT_INIT                                                                            \
    {                                                                                                        \
        .size = sizeof(macadam_dimacs_input)                                                                 \
    }
MACADAM_API macadam_status macadam_import_dimacs(const macadam_dimacs_input *input,
                                                 const macadam_import_options *options, macadam_error *error);

/* OpenStreetMap: .osm, .osm.gz, .osm.bz2 or .osm.pbf; `profile`: "car" (NULL = "car"), "bike", "foot",
 * "truck", or the path (with a '/' or '.') of a file like those installed in share/macadam/profiles. A
 * .osm.pbf file is mapped: it must not shrink meanwhile. */
MACADAM_API macadam_status macadam_import_osm(const char *path, const char *profile,
                                              const macadam_import_options *options, macadam_error *error);

/* A map of the caller's own. Node i is known by id[i] (NULL: by i), arc i by the number i + 1. */
typedef struct macadam_arrays_input {
    size_t size;
    size_t node_count, arc_count;
    const int64_t *id;              /* per node, distinct; may be NULL */
    const int32_t *lon_e7, *lat_e7; /* per node, degrees x 1e7; both or neither */
    const uint32_t *tail, *head;    /* per arc: node indices */
    const char *const *quantity;    /* names */
    const char *const *unit;        /* may be NULL */
    const uint32_t *const *weight;  /* weight[quantity][arc] */
    size_t quantity_count;          /* at least 1 */
} macadam_arrays_input;
#define MACADAM_ARRAYS_INPUT_INIT                                                                            \
    {                                                                                                        \
        .size = sizeof(macadam_arrays_input)                                                                 \
    }
MACADAM_API macadam_status macadam_import_arrays(const macadam_arrays_input *input,
                                                 const macadam_import_options *options, macadam_error *error);

#ifdef __cplusplus
}
#endif
#endif
