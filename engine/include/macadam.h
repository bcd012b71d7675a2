/** @file macadam.h
 * The public interface of Macadam, an embeddable routing engine for road maps. This is the only public
 * header; it is long because hosts include, and copy, one file.
 *
 * Words:
 * - A node is a junction. An arc is a directed road from its tail to its head.
 * - A quantity is what a weight measures: "duration" (ms), "distance" (cm), or a name that the user gave.
 * - A metric is an objective quantity to minimise and, optionally, a companion quantity that is summed along
 *   the same path. A metric has the name of its objective.
 * - An edge file (.mcd) is one preprocessed map, for one profile or several. An engine is opened from it.
 * - A place is a node, given by the source data's own id, or a longitude and latitude.
 *
 * Conventions:
 * - Every function that can fail returns a macadam_status. On failure `error` (which may be NULL) holds one
 *   line that names the offending value, and the out parameters are NULL or 0. The library never prints,
 *   exits or aborts.
 * - Whatever a function fills comes first among its parameters, in front of the engine. `error` comes last.
 *   A question to a map is macadam_<noun>_find.
 * - Ranges are half-open: first_arc <= i < end_arc.
 * - The caller owns `**out` and frees it with the matching _free or _close, which accept NULL. A returned
 *   pointer is borrowed from the first argument. The library borrows `const T *` parameters until the call
 *   returns.
 * - Option and request structures begin with their size: initialize them with their _INIT, and a program
 *   keeps working when a later version of the library appends members. Structures that are elements of arrays
 *   have reserved members instead: set them to 0. docs/abi.md states the whole policy.
 * - Costs are unsigned 32-bit integers. MACADAM_UNREACHED means that there is no path, or none within the
 *   limit.
 * - A quantity that may be negative, such as the energy of an electric vehicle, is signed:
 *   macadam_info::is_signed. Its costs and weights are int32_t in the same bits, wherever the interface has
 *   uint32_t: in arrays, in members and in updates. MACADAM_SIGNED_UNREACHED then stands for MACADAM_UNREACHED and
 *   MACADAM_WEIGHT_CLOSED; a cost outside +-MACADAM_WEIGHT_MAX counts as unreached. macadam_cost reads costs of
 *   both kinds. Only alternatives by a signed objective are not possible: MACADAM_E_UNSUPPORTED.
 * - Any number of threads may call any function concurrently, on one engine too, unless a function says
 * otherwise.
 *   A callback must not call the engine that called it. */
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

/** Sets the size of a structure that begins with it, and its other members to zero. */
#ifdef __cplusplus
extern "C++" { /* a host may include this header as C */
template <typename type> inline type macadam_init()
{
    type it = type();
    it.size = sizeof(type);
    return it;
}
}
#define MACADAM_INIT(type) macadam_init<type>()
extern "C" {
#else
#define MACADAM_INIT(type)                                                                                   \
    {                                                                                                        \
        .size = sizeof(type)                                                                                 \
    }
#endif

#define MACADAM_VERSION_MAJOR 0 /**< from 1 on, changes when programs must be compiled again: docs/abi.md */
#define MACADAM_VERSION_MINOR                                                                                \
    1 /**< changes when something is added; with MAJOR 0, when something breaks too */
#define MACADAM_VERSION_PATCH 0 /**< changes when something is mended */
#define MACADAM_FILE_FORMAT   6 /**< the format of the edge files that this version writes */

#define MACADAM_UNREACHED       UINT32_C(0xffffffff) /**< a cost, at every interface: there is no path */
#define MACADAM_WEIGHT_MAX      UINT32_C(0x7ffffffe) /**< the largest weight of an arc and cost of a path */
#define MACADAM_WEIGHT_CLOSED   UINT32_C(0xffffffff) /**< a weight of an update: the arc is closed */
#define MACADAM_WEIGHT_IMPORTED UINT32_C(0xfffffffe) /**< a weight of an update: the imported one */
#define MACADAM_QUANTITIES_MAX  2 /**< quantities in one answer: a metric's objective and its companion */
#define MACADAM_POTENTIAL_MAX   INT32_C(0x3fffffff) /**< the largest potential, and -1 times the smallest */

#define MACADAM_SIGNED_UNREACHED INT32_C(0x7fffffff) /**< of a signed quantity: unreached, or closed */
#define MACADAM_SIGNED_IMPORTED  INT32_MIN           /**< of a signed quantity: MACADAM_WEIGHT_IMPORTED */
#define MACADAM_COST_NONE        INT64_MAX           /**< what macadam_cost returns for what is unreached */

/** Returns a cost or a weight as a number, whether its quantity is signed or not; MACADAM_COST_NONE: it is unreached,
 * or closed. */
static inline int64_t macadam_cost(uint32_t value, bool is_signed)
{
    if (value == (is_signed ? (uint32_t)MACADAM_SIGNED_UNREACHED : MACADAM_UNREACHED))
        return MACADAM_COST_NONE;
    return is_signed ? (int64_t)(int32_t)value : (int64_t)value;
}

/* ---- status, errors ---- */

/** How a call ended. Values are pinned: new ones are appended, none is ever changed. */
typedef enum macadam_status {
    MACADAM_OK = 0,            /**< the call did its work */
    MACADAM_E_INVALID = 1,     /**< an argument or request is malformed */
    MACADAM_E_NOT_FOUND = 2,   /**< a node id, arc, metric or quantity is unknown */
    MACADAM_E_FILE = 3,        /**< an input or edge file is truncated, corrupt, malformed or too new */
    MACADAM_E_IO = 4,          /**< the operating system refused to read or write */
    MACADAM_E_MEMORY = 5,      /**< an allocation failed */
    MACADAM_E_LIMIT = 6,       /**< the request exceeds the memory limit; the message says what it needs */
    MACADAM_E_CANCELLED = 7,   /**< a callback asked to stop */
    MACADAM_E_DEVICE = 8,      /**< there is no such device, or it failed and the CPU could not replace it */
    MACADAM_E_UNSUPPORTED = 9, /**< the file lacks what the call needs: hierarchy, coordinates or geometry */
    MACADAM_E_FULL = 10,       /**< no room for an output: the disk, a quota or a limit of files is full */
} macadam_status;

/** Why a call failed. */
typedef struct macadam_error {
    char message[512]; /**< one line, without a trailing newline or period */
} macadam_error;

/** Names a status: "ok", "invalid argument", ... The string is static. */
MACADAM_API const char *macadam_status_name(macadam_status status);

/* ---- library ---- */

/** The version of the library, "MAJOR.MINOR.PATCH". The string is static. */
MACADAM_API const char *macadam_version(void);

/** Lists the devices that an engine could use ("cpu: AVX-512, 2 threads", "cuda:0: ..."). Writes up to
 * `capacity` names, which are static, and returns how many devices there are. */
MACADAM_API size_t macadam_devices(const char **name, size_t capacity);

/** The requests that name a method. */
typedef enum macadam_question {
    MACADAM_QUESTION_TREES = 0,     /**< macadam_tree_request */
    MACADAM_QUESTION_ALL_PAIRS = 1, /**< macadam_all_pairs_request */
    MACADAM_QUESTION_HOPS = 2,      /**< macadam_hops_request */
} macadam_question;

/** One way to compute answers. All methods of a question give the same answers, on every device. */
typedef struct macadam_method {
    const char *name;  /**< in requests */
    const char *about; /**< the method, in a line */
} macadam_method;

/** Lists the methods that a device has for a question. `device` is what macadam_engine_options::device may be. Writes up
 * to `capacity` methods, whose strings are static, and sets *count to how many there are; the first is "auto". Returns
 * MACADAM_OK, MACADAM_E_DEVICE (there is no such device) or MACADAM_E_INVALID (not a question). */
MACADAM_API macadam_status macadam_methods(macadam_method *out, size_t *count, size_t capacity,
                                           const char *device, macadam_question question,
                                           macadam_error *error);

/** Checks that writing `output` destroys no input: that it is not the same file as any of input[input_count], through links
 * too. NULL and paths without a file are passed over. Imports and functions that save tables check their own inputs. Returns
 * MACADAM_OK or MACADAM_E_INVALID, with both names. */
MACADAM_API macadam_status macadam_output_check(const char *output, const char *const *input,
                                                size_t input_count, macadam_error *error);

/** A replacement for malloc and free. */
typedef struct macadam_allocator {
    /** Returns memory that is aligned for any type, or NULL. */
    void *(*allocate)(void *context, size_t bytes);
    void (*release)(void *context, void *memory); /**< frees what allocate returned */
    void *context;                                /**< passed to both */
} macadam_allocator;

/** Makes the library allocate through `allocator`; NULL restores malloc and free. Call it before any other
 * function. Not thread-safe. The libraries within it use it too (zstd, zlib's and bzip2's streams, expat,
 * protobuf-c). Still from malloc, new or the system are: stacks of threads; the buffers of stdio and qsort;
 * of an import, exceptions, libosmium's buffers (some megabytes a thread) and libdeflate's decompressor
 * (about 30 KB a thread), files of DIMACS and SRTM (zlib's gzFile, minizip) and of GeoTIFF (libtiff); what
 * the CUDA driver allocates. libmacadam_formats uses malloc. */
MACADAM_API void macadam_allocator_set(const macadam_allocator *allocator);

/** The host's own thread pool. */
typedef struct macadam_executor {
    unsigned thread_count; /**< how many threads may run tasks concurrently */
    /** Calls task(argument, index, worker) for every index below `count`, in any order, on at most
     * `thread_count` threads, and returns when all these calls have returned. `worker` is below
     * `thread_count`; two tasks that run at the same time have different workers. The thread that calls `run`
     * must execute tasks itself: the pool's other threads may be busy with library calls that wait for what
     * this one loads. */
    void (*run)(void *context, size_t count, void (*task)(void *argument, size_t index, unsigned worker),
                void *argument);
    void *context; /**< passed to run */
} macadam_executor;

/** Reports progress. Long calls call it from the calling thread: `done` of `total` steps of `phase` are
 * finished (total = 0: their number is not known). Returns true to go on. If it returns false, the
 * library call returns MACADAM_E_CANCELLED. */
typedef bool (*macadam_progress)(void *context, const char *phase, uint64_t done, uint64_t total);

/* ---- engine ---- */

/** An opened edge file on a device. Only macadam_update changes what it answers. */
typedef struct macadam_engine macadam_engine;

/** How an engine is opened. */
typedef struct macadam_engine_options {
    size_t size; /**< set by MACADAM_ENGINE_OPTIONS_INIT */
    /** NULL or "auto": each question goes where it is estimated to be answered first, the CPU or the first GPU, which is
     * opened when a question pays for it, or many together. "cpu": the CPU. "cuda": the first GPU, opened now; questions
     * go to the CPU only while others keep the GPU busy for longer. "cuda:N": that GPU. "cuda:all": all GPUs. With several
     * GPUs, each one holds the whole map, and the sources (or pairs) of a call are divided among them; for hops from one
     * source on a large graph, the nodes are, and pairs of points are answered by the first. If a graph's arcs do
     * not fit on one GPU, searches without a hierarchy divide them among the GPUs. If a GPU is named and cannot be
     * used, the engine does not open: E_DEVICE, and the message says why. If "auto" finds a GPU that is full, the CPU
     * computes; a question that pays tries it again after an update, or after some seconds. The estimates are those of
     * an H100 beside 16 threads, or those in the file that the
     * environment's MACADAM_RATES names, which `macadam bench --calibrate` writes: E_IO or E_FILE if it cannot be read, for
     * named GPUs too. See macadam_info::device and device_reason. */
    const char *device;
    unsigned threads;                 /**< threads of one call; 0 = one per processor */
    const macadam_executor *executor; /**< NULL = the library's own threads; must outlive the engine */
    /** Bytes of scratch memory that all running calls together may hold on the host, and the same again on
     * each GPU. It also bounds what is kept for later calls. Maps and weights do not count. Each call for areas
     * (macadam_rings_find) may hold this much itself, and the areas of its answer besides. 0 = three
     * quarters of the machine's memory, and all that is free on a GPU. */
    uint64_t memory_limit;
    bool trust_file; /**< skip checksums and validation: only for files that no other user can have written */
    /** Read the file into memory instead of mapping it. A mapped file costs memory only where it is used, and
     * processes share it, but it must never be written to or truncated in place: the system ends a process
     * that touches a page which is gone. Files that are only replaced by renaming, as Macadam does, can be
     * mapped. A service that cannot be sure of this sets read_file. */
    bool read_file;
    /** Asked while the engine opens, and by each of its calls that has no callback of its own: in the thread
     * of that call, so several threads may call it concurrently. May be NULL. */
    macadam_progress progress;
    void *progress_context; /**< passed to progress */
    /** Which of the file's profiles answers, unless a query names another one; NULL: the first. E_NOT_FOUND if the file has
     * no such profile; the message lists them. */
    const char *profile;
} macadam_engine_options;

/** Initializes a macadam_engine_options. */
#define MACADAM_ENGINE_OPTIONS_INIT MACADAM_INIT(macadam_engine_options)

/** Opens the edge file at `path`. `options` may be NULL. The header and the directory are checked now;
 * each section is checked once, before its first use. Returns E_IO, E_FILE, E_DEVICE, E_INVALID,
 * E_MEMORY or E_CANCELLED.
 *
 * If the device later fails or runs out of memory, the CPU computes the same answer, unless the results were
 * requested in device memory. Once a device is lost, the CPU answers all further calls, and
 * macadam_info::device says so. */
MACADAM_API macadam_status macadam_engine_open(macadam_engine **out, const char *path,
                                               const macadam_engine_options *options, macadam_error *error);

/** Opens an edge file that lies in memory: `bytes` bytes, aligned to 64, which must outlive the engine.
 * Otherwise the same as macadam_engine_open. */
MACADAM_API macadam_status macadam_engine_open_memory(macadam_engine **out, const void *memory, size_t bytes,
                                                      const macadam_engine_options *options,
                                                      macadam_error *error);

/** Closes the engine and frees all it holds. No call may be running on it. */
MACADAM_API void macadam_engine_close(macadam_engine *engine);

/** Gives the engine of one of the file's profiles, for calls that have no query. It is opened when it is first needed, with
 * the options of `engine`, whose memory_limit holds for each of them; memory of macadam_memory_new may be used with all.
 * *out is borrowed: it is closed with `engine`. Returns E_NOT_FOUND if the file has no such profile; the message lists
 * them. */
MACADAM_API macadam_status macadam_engine_of_profile(macadam_engine **out, macadam_engine *engine,
                                                     const char *profile, macadam_error *error);

/** Gives back the memory that is kept for later calls, on GPUs and on the host: the next calls allocate it
 * again. An engine that keeps more than 64 MB does the same by itself when it was not called for 10 seconds;
 * a thread of the library waits for that moment, unless the engine has an executor. Returns E_INVALID if
 * there is no engine. */
MACADAM_API macadam_status macadam_engine_trim(macadam_engine *engine, macadam_error *error);

/** Checks every section of the file now, of all its profiles: its checksum and its contents. */
MACADAM_API macadam_status macadam_engine_verify(macadam_engine *engine, macadam_error *error);

/** The properties of an engine and its file. Strings and arrays belong to the engine and live as
 * long as it does. */
typedef struct macadam_info {
    size_t size;          /**< set by MACADAM_INFO_INIT */
    uint32_t file_format; /**< the format of the edge file */
    uint64_t file_bytes;  /**< its size */
    const char *source;   /**< the name of the file that was imported */
    const char *profile;  /**< "car", ..., or "" if the import used no profile */
    const char *build;    /**< the options of the import, for people to read */
    const char *device;   /**< the device in use */
    uint64_t id_count;    /**< the user's nodes: rows and columns of a tree */
    uint64_t node_count;  /**< nodes inside the file; more than the user's where junctions are split */
    uint64_t arc_count;   /**< input arcs inside the file; more than the user's where junctions are split */
    uint64_t component_count;    /**< strongly connected components */
    uint64_t restriction_count;  /**< turn restrictions applied, as the import counted them */
    uint64_t up_arc_count;       /**< upward arcs of the hierarchy; 0 = the file has no hierarchy */
    uint32_t height;             /**< of the elimination tree, in nodes */
    bool has_coordinates;        /**< nodes have coordinates */
    bool has_geometry;           /**< arcs have shape points */
    double west;                 /**< of the bounding box, in degrees, if has_coordinates */
    double south;                /**< likewise */
    double east;                 /**< likewise */
    double north;                /**< likewise */
    size_t quantity_count;       /**< how many quantities the arcs have */
    const char *const *quantity; /**< their names, in the file's order */
    const char *const *unit;     /**< [quantity_count] their units: "ms", "cm" or "" */
    size_t metric_count;         /**< how many metrics the file has */
    const char *const
        *metric; /**< their names, which are those of their objectives; the first is the default */
    const char *const *companion; /**< [metric_count] the name of its companion quantity, or NULL */
    /** Why the CPU computes although a GPU was allowed: no question pays for one so far, no module, driver or GPU, a GPU that
     * is full or that failed; of an open GPU, why it did not answer a question the first time (such as for lack of
     * memory). NULL if there is no reason, or if no GPU was allowed. */
    const char *device_reason;
    uint64_t device_bytes;      /**< memory of GPUs in use: the map, weights, running calls */
    uint64_t idle_device_bytes; /**< memory of GPUs that is kept for later calls */
    uint64_t idle_host_bytes;   /**< memory of the host that is kept for later calls */
    bool has_heights;           /**< nodes and shape points have heights */
    bool
        has_node_ids; /**< the ids of the nodes between junctions are kept: macadam_import_options::node_ids */
    const bool *is_signed;       /**< [quantity_count] whether it may be negative */
    size_t profile_count;        /**< how many profiles the file has */
    const char *const *profiles; /**< [profile_count] their names; that of this engine is `profile` */
} macadam_info;

/** Initializes a macadam_info. */
#define MACADAM_INFO_INIT MACADAM_INIT(macadam_info)

/** Fills *out. Opening the file compared every count but restriction_count and height with the sizes of its
 * sections. */
MACADAM_API macadam_status macadam_engine_info(macadam_info *out, const macadam_engine *engine,
                                               macadam_error *error);

/* ---- memory for answers ---- */

/** Kinds of memory that a GPU writes to without a detour.
 *
 * Answers may lie in any host memory. The arrays value[q] of macadam_tree_find, macadam_matrix_find_into,
 * macadam_routes_find and macadam_routes_find_paths (but not statuses) may also lie in memory of these kinds, at any
 * address within it. It comes from macadam_memory_new, or is the caller's own, allocated in CUDA's primary
 * context. */
typedef enum macadam_memory_kind {
    /** Memory of the (first) GPU. Answers stay there, for kernels of the caller's or for
     * macadam_memory_read. Only the GPU may touch it. */
    MACADAM_MEMORY_DEVICE = 0,
    MACADAM_MEMORY_PINNED = 1, /**< host memory that GPUs reach at full speed */
} macadam_memory_kind;

/** Allocates `bytes` of memory, aligned to 64 and not cleared. The caller owns it until it is freed or the
 * engine is closed. If the CPU computes, both kinds are plain host memory. Returns E_INVALID, E_MEMORY,
 * or E_DEVICE if the device has too little memory or fails.
 *
 * If the device fails while it writes an answer to device memory, the call returns E_DEVICE and the contents
 * are undefined: the CPU cannot answer there. The memory of a lost device can neither be written nor read,
 * but must still be freed. Pinned memory stays usable. */
MACADAM_API macadam_status macadam_memory_new(void **out, macadam_engine *engine, macadam_memory_kind kind,
                                              uint64_t bytes, macadam_error *error);

/** Copies `bytes` from memory of any kind, the caller's own included, to host memory at `to`. Returns
 * E_INVALID (the range passes the end of a block of macadam_memory_new) or E_DEVICE. */
MACADAM_API macadam_status macadam_memory_read(void *to, macadam_engine *engine, const void *from,
                                               uint64_t bytes, macadam_error *error);

/** Frees what macadam_memory_new or macadam_memory_new_divided returned for this engine; NULL is fine. No
 * call may be using it. */
MACADAM_API void macadam_memory_free(macadam_engine *engine, void *memory);

/** Allocates memory in which the answers of macadam_tree_find or macadam_matrix_find_into stay on all GPUs of the
 * engine: each GPU keeps the answers that it computes itself. The memory serves requests with exactly
 * `source_count` sources. `source_bytes` is the size of one source's answer for one quantity: of a tree 4
 * bytes per node or id, of a matrix 4 bytes per target. *out is the array to pass as value[q], from its
 * beginning; if two quantities are requested, both arrays must be of this kind.
 *
 * Device number d of n holds part d. Sources are divided in order, in whole groups of 32, as evenly as
 * possible; the first parts get the groups left over. With fewer groups than devices there are fewer parts;
 * with one device, or on the CPU, there is one. Errors and freeing: as for macadam_memory_new.
 * macadam_memory_read reads within one part. */
MACADAM_API macadam_status macadam_memory_new_divided(void **out, macadam_engine *engine, size_t source_count,
                                                      uint64_t source_bytes, macadam_error *error);

/** One device's part of divided memory. It is laid out as if its sources were the whole request. */
typedef struct macadam_memory_part {
    size_t size;         /**< set by MACADAM_MEMORY_PART_INIT */
    size_t part_count;   /**< how many parts there are */
    int device;          /**< N of "cuda:N"; -1: the part is plain host memory */
    void *memory;        /**< where the part begins */
    size_t first_source; /**< the first of its sources */
    size_t source_count; /**< how many sources it holds */
} macadam_memory_part;

/** Initializes a macadam_memory_part. */
#define MACADAM_MEMORY_PART_INIT MACADAM_INIT(macadam_memory_part)

/** Describes part number `index` of what macadam_memory_new_divided returned. Returns E_INVALID if there
 * is no such part. */
MACADAM_API macadam_status macadam_memory_part_at(macadam_memory_part *out, macadam_engine *engine,
                                                  const void *memory, size_t index, macadam_error *error);

/* ---- places ---- */

/** How a place is given. */
typedef enum macadam_place_kind {
    MACADAM_PLACE_NODE = 0, /**< by a node's id */
    MACADAM_PLACE_POINT = 1 /**< by longitude and latitude */
} macadam_place_kind;

/** On which side of a two-way road the traveller arrives and departs. */
typedef enum macadam_side {
    MACADAM_SIDE_ANY = 0,      /**< on either side */
    MACADAM_SIDE_CURB = 1,     /**< on the side where the point lies, as traffic keeps right or left */
    MACADAM_SIDE_OPPOSITE = 2, /**< on the other side: the point lies across the road */
} macadam_side;

/** A place where a route begins, ends or passes.
 *
 * A point is moved to the nearest position on a road. That is a junction, or lies within the road: then the
 * route begins or ends part-way along it, in any direction that is open. Points are rounded to 1e-7 degrees.
 */
typedef struct macadam_place {
    macadam_place_kind kind; /**< which of the following members count */
    int64_t id;              /**< PLACE_NODE: the source data's own id */
    double lon;              /**< PLACE_POINT: longitude in degrees, WGS 84 */
    double lat;              /**< PLACE_POINT: latitude in degrees, WGS 84 */
    double heading;          /**< PLACE_POINT: the direction of travel, in degrees clockwise from north */
    /** PLACE_POINT: by how many degrees the direction of the road may differ from `heading`, at most; 0 or 180 =
     * the road may have any direction. */
    double heading_tolerance;
    macadam_side side;    /**< PLACE_POINT: on which side of the road it is */
    float radius_m;       /**< PLACE_POINT: how far it may be from a road; 0 = as far as the query says */
    uint32_t reserved[2]; /**< for later versions: must be 0 */
} macadam_place;

/** A place at a longitude and latitude, with no heading, side or radius of its own. */
MACADAM_API macadam_place macadam_point(double lon, double lat);
/** A place at the node that has this id in the source data. */
MACADAM_API macadam_place macadam_node(int64_t id);

/** Whether a place was found. A place that fails affects only its own rows or columns: they are
 * MACADAM_UNREACHED. */
typedef enum macadam_place_status {
    MACADAM_PLACE_OK = 0,         /**< found */
    MACADAM_PLACE_UNKNOWN_ID = 1, /**< no node has this id */
    MACADAM_PLACE_TOO_FAR = 2,    /**< no road (of this heading) lies within the snap radius */
    /** The longitude is not in -180..180, the latitude not in -90..90, the heading or the radius is not a
     * number that it may be, the tolerance is above 180, the side is unknown, or a reserved member is not
     * 0. */
    MACADAM_PLACE_INVALID = 3,
    MACADAM_PLACE_NO_COORDINATES = 4, /**< it is a point, and the file has no coordinates */
    /** Found, on the nearest road. But from there most of the map cannot be reached, or there is no way back,
     * and no better road lies within the snap radius. */
    MACADAM_PLACE_CUT_OFF = 5,
    /** Found, but moved: the nearest road is cut off, and the place is on the nearest one that is not
     * (macadam_query::snap_any_component says which road counts). Of a place of one route, pair of routes or
     * connection: the answer uses that road; of a waypoint between two legs: at least one of them does. Of all other
     * places (of matrices, trees, hops, reach, isochrones, prepared targets and macadam_snap_find): costs between the
     * place and places outside of its own part of the map begin or end there. */
    MACADAM_PLACE_MOVED = 6,
    /** Found, but a trip leaves this stop out: no way leads there from the stops of the trip, or none leads back. */
    MACADAM_PLACE_UNREACHED = 7,
} macadam_place_status;

/** The name of a place status for programs: "ok", "unknown_id", "too_far", "invalid", "no_coordinates",
 * "cut_off", "moved", "unreached". The string is static. */
MACADAM_API const char *macadam_place_status_name(macadam_place_status status);
/** Whether the place was found: MACADAM_PLACE_OK, MACADAM_PLACE_CUT_OFF, MACADAM_PLACE_MOVED or
 * MACADAM_PLACE_UNREACHED. Programs call this instead of comparing with MACADAM_PLACE_OK. */
MACADAM_API bool macadam_place_is_found(macadam_place_status status);

/** Where a place was snapped. */
typedef struct macadam_snap {
    macadam_place_status status; /**< whether the place was found */
    int64_t id;                  /**< of the node; of a place within a road: of the nearer end */
    double lon;                  /**< longitude on the road or of the node; NaN without coordinates */
    double lat;                  /**< latitude on the road or of the node; NaN without coordinates */
    double distance_m;           /**< from the place to there, in metres */
    /** The number of the road's arc; of a two-way road, that of one of its arcs; 0 if the place was given
     * by id. */
    uint64_t arc;
    int64_t way;      /**< OSM way id, or 0 */
    const char *name; /**< of the road, or ""; belongs to the engine */
    double nearest_m; /**< PLACE_MOVED: from the place to its nearest road, which is cut off; else NaN */
    /** The ids of the nodes between which the place lies on its road, in the order of one of the road's arcs. Between
     * junctions they are 0 unless macadam_info::has_node_ids. Of a place that was given by id, both are this id; of one that
     * was not found, or of a matched point, both are 0. */
    int64_t node[2];
    uint64_t reserved[1]; /**< for later versions: 0 */
} macadam_snap;

/** An area: a polygon of straight lines between longitudes and latitudes. Points on a line belong to it. */
typedef struct macadam_area {
    const double *lon;  /**< [point_count] degrees: the corners of its rings, ring after ring */
    const double *lat;  /**< [point_count] likewise */
    size_t point_count; /**< how many corners there are */
    /** [ring_count] how many corners each ring has, at least 3. The last one may repeat the first. A ring
     * within a ring is a hole. NULL = all corners are one ring. */
    const size_t *ring_size;
    size_t ring_count;    /**< how many rings there are, if ring_size is given */
    uint32_t reserved[2]; /**< for later versions: must be 0 */
} macadam_area;

/** The factor of one class of roads. */
typedef struct macadam_class_factor {
    const char *road_class; /**< as macadam_road_facts names it: "track", ...; unknown ones are refused */
    /** The objective is multiplied by it: 0.001 to 1000, to three decimals. 0 = these roads may not be
     * used. Other quantities that are reported are not multiplied. */
    double factor;
} macadam_class_factor;

/** Roads that a query must not use, and roads that cost more or less to it. Costs are those under the
 * conditions. A point is not taken to a road that may not be used.
 *
 * Each set of conditions is a set of weights of its own. It is computed when a query first needs it, which
 * takes as long as an update, and kept for later queries with the same conditions until the next update or
 * macadam_engine_trim. The sets may take up to a quarter of the engine's memory limit, on top of it; the one
 * that was not used for the longest time goes first. macadam_conditions_warm computes a set beforehand. */
typedef struct macadam_conditions {
    size_t size;                        /**< set by MACADAM_CONDITIONS_INIT */
    uint32_t avoid;                     /**< of macadam_road_flag, or-ed: roads with one of them */
    const macadam_area *area;           /**< [area_count] areas that no road may touch */
    size_t area_count;                  /**< how many there are */
    const macadam_class_factor *factor; /**< [factor_count] the last one for a class counts */
    size_t factor_count;                /**< how many there are */
    /** The vehicle's measures: a road must not be used if its signs allow less (maxheight=, maxweight=, ...), and
     * conditional tags about larger vehicles hold where they close, slow down or forbid more (weight>7.5).
     * 0 = not limited. A sign at a point of a road holds for the road from junction to junction, in both
     * directions. A sign at a junction holds for nothing, but a barrier there (barrier=height_restrictor) limits all of its
     * roads. The measures of the profile's own vehicle hold as well: they closed roads during the import. So a query can
     * only be stricter. */
    double height_m;
    double width_m;     /**< likewise */
    double length_m;    /**< likewise */
    double weight_t;    /**< likewise, in tonnes */
    double axle_load_t; /**< likewise */
    /** A slot of the week: "Mo08:15", a day (Mo, Tu, We, Th, Fr, Sa, Su) and the local time, or of a public holiday
     * ("PH08:15", macadam_instant_read). Slots have
     * 15 minutes: "Mo08:29" means the same. The roads are then as their conditional tags say for
     * this slot (maxspeed:conditional=, motor_vehicle:conditional=no, restriction:conditional=, ...), and durations are
     * those at the slot's speeds, for the whole way; a road that stands still then is closed. NULL = at no particular
     * time: conditional tags that name times do not count. Roads that open only at times are closed; no place is snapped
     * to them at any time. */
    const char *slot;
} macadam_conditions;

/** Initializes a macadam_conditions. */
#define MACADAM_CONDITIONS_INIT MACADAM_INIT(macadam_conditions)

/** The milliseconds of a week: instants are below it. */
#define MACADAM_WEEK_MS UINT32_C(604800000)

/** Added to an instant, makes it one of a week of which each day is a public holiday. Speeds of holidays
 * and rules of conditional tags with PH hold then; all else is as in an ordinary week. */
#define MACADAM_HOLIDAY_MS MACADAM_WEEK_MS

/** Departures or arrivals of a query whose clock moves along the way: each arc is entered when the arc before it is left,
 * at the speeds of that time. Costs are durations from a departure to the earliest arrival, or from the latest departure to
 * an arrival. Instants are milliseconds since Monday 00:00, local time, below MACADAM_WEEK_MS; the week repeats.
 * Instants of holidays (MACADAM_HOLIDAY_MS) do not mix with others: MACADAM_E_UNSUPPORTED.
 *
 * The objective must be "duration". An arc of the weight w that is entered at t is left at the first whole millisecond at
 * which the vehicle has driven it, at the speed of each slot: as if it weighed w at the fastest of the week, and longer in
 * slower slots. Prices before an arc (turns, signals) are the same at all times. At a road or a turn that is closed at
 * times (motor_vehicle:conditional=no, ...) the vehicle waits, and the wait counts. Tags about a conditional speed
 * limit (maxspeed:conditional) count on roads without speeds of their own, and where they are slower than these. A map without
 * both answers as without a clock.
 *
 * Takes part in all macadam_<noun>_find but those of hops, connections, roads, all pairs, closures and tiles. A route with
 * alternatives does not. Reach, isochrones and rings have one instant, or one for each source (`each`): a departure, or
 * with `reverse` an arrival. The nearest and the accessibility of macadam_reach_find may have either. Routes and trips have one instant. Traces
 * have that of time_s = 0: a leg of their routes takes what it takes from the time of its first point. Others return
 * MACADAM_E_UNSUPPORTED, as does a clock with macadam_conditions::slot. The engine's device computes matrices, and
 * trees without parents; the CPU the rest. */
typedef struct macadam_clock {
    size_t size;            /**< set by MACADAM_CLOCK_INIT */
    const uint32_t *depart; /**< [depart_count] when the ways leave their sources */
    size_t depart_count;    /**< 0: arrivals are given */
    /** [arrive_count] when they are at their targets, at the latest. An answer is the time from the latest departure
     * until then. */
    const uint32_t *arrive_by;
    size_t arrive_count; /**< 0: departures are given */
    /** Instant i belongs to source i (arrive_by: to target i; of pairs: to pair i), and there is one for each. Otherwise
     * all instants hold for every source (target, pair), which then stands for as many: source s at instant i is row
     * s * depart_count + i of the answer (target t at instant i: column t * arrive_count + i; pair p at instant i: entry
     * p * count + i). Statuses and snaps are still those of the places. */
    bool each;
} macadam_clock;

/** Initializes a macadam_clock. */
#define MACADAM_CLOCK_INIT MACADAM_INIT(macadam_clock)

/** Reads an instant: a day and a time, "Mo08:15" or "Mo08:15:30.250", or a date and a time as ISO 8601 writes them,
 * "2026-11-30T08:15". *out is below MACADAM_WEEK_MS: of a date, only the day of the week counts. "PH" before it makes it a public
 * holiday, MACADAM_HOLIDAY_MS later: "PHMo08:15", "PH2026-11-30T08:15", or "PH08:15", which is a Sunday. Times are local; a date
 * may have a zone ("Z", "+01:00") and becomes local by `utc_offset`, the map's local time less UTC at that date, "+01:00" or "Z".
 * A map does not have its offset, so without one (NULL) a zone is refused: MACADAM_E_UNSUPPORTED. Returns
 * MACADAM_E_INVALID for other texts. */
MACADAM_API macadam_status macadam_instant_read(uint32_t *out, const char *text, const char *utc_offset,
                                                macadam_error *error);

/** The members that all queries share. */
typedef struct macadam_query {
    size_t size;        /**< set by MACADAM_QUERY_INIT */
    const char *metric; /**< what to minimise; NULL = the file's first metric */
    /** The quantities to report, by name and in this order: the metric's objective, its companion, or both.
     * The path of the least objective is taken, and of several that of the least companion. Where the
     * companion is requested and that path's reaches 2^31 - 1, the answer is unreached, and so is its
     * objective. Routes (macadam_route_find), trips and matchings may also report the objective and the
     * companion of another metric: what the same path costs. */
    const char *const *quantity;
    size_t quantity_count; /**< 0 = the objective only */
    double snap_radius_m;  /**< how far a point may be from a road; 0 = 1000 metres */
    /** Bytes of scratch memory for this call; 0 = the engine's limit. Paths do not count. */
    uint64_t memory_limit;
    macadam_progress progress; /**< NULL: that of macadam_engine_options */
    void *progress_context;    /**< passed to progress */
    /** A strongly connected component is large if it has a thousand nodes, or a tenth of the nodes of the
     * largest one. A road is cut off unless it leads to a large component and can be entered from one: the
     * roads of an estate whose gate is closed, say, or of an island.
     * A point whose nearest road is cut off has two positions. Between two places of one component that is cut
     * off, the cost is that of the way between their nearest roads. For all other pairs:
     * false: the point is on the nearest road that is not cut off, and its status is MACADAM_PLACE_MOVED; if there is
     * none within the radius, it stays on its nearest road, and its status is MACADAM_PLACE_CUT_OFF.
     * true: both points are on their nearest roads, if a path leads between these; otherwise as with false. */
    bool snap_any_component;
    const macadam_conditions *conditions; /**< NULL = every road may be used */
    /** Which of the file's profiles answers; NULL = the engine's. Arrays by id, node or arc are then that profile's:
     * those of its own engine, macadam_engine_of_profile. */
    const char *profile;
    const macadam_clock *clock; /**< NULL = weights are the same at all times */
} macadam_query;

/** Initializes a macadam_query. */
#define MACADAM_QUERY_INIT MACADAM_INIT(macadam_query)

/** Computes the weights of the query's metric under its conditions, unless they are kept already. Returns
 * E_UNSUPPORTED if the file has no hierarchy, or lacks the data that the conditions are about. */
MACADAM_API macadam_status macadam_conditions_warm(macadam_engine *engine, const macadam_query *query,
                                                   macadam_error *error);

/** Snaps `count` places; snap[i] answers place[i]. A bad place is a status, not an error. */
MACADAM_API macadam_status macadam_snap_find(macadam_snap *snap, macadam_engine *engine,
                                             const macadam_query *query, const macadam_place *place,
                                             size_t count, macadam_error *error);

/** The most candidates that macadam_snap_find_candidates finds. */
#define MACADAM_SNAP_CANDIDATES_MAX 32

/** Finds the positions that one place could mean: one on each of the nearest streets, nearest first, up to
 * `capacity` of them (1 to MACADAM_SNAP_CANDIDATES_MAX). *count is how many are found, among the
 * 64 nearest roads. If there are none, snap[0].status says why. */
MACADAM_API macadam_status macadam_snap_find_candidates(macadam_snap *snap, size_t *count,
                                                        macadam_engine *engine, const macadam_query *query,
                                                        const macadam_place *place, size_t capacity,
                                                        macadam_error *error);

/* ---- trees: one to all, all to one ---- */

/** How a tree's costs lie in memory. */
typedef enum macadam_order {
    MACADAM_ORDER_IDS = 0,   /**< value[source * id_count + i], i by ascending user id: macadam_engine_ids */
    MACADAM_ORDER_NODES = 1, /**< value[source * node_count + node], by file node: macadam_engine_node_ids */
    MACADAM_ORDER_LANES =
        2, /**< value[node * source_count + source]: fastest; source_count a multiple of 16 */
} macadam_order;

/** All user ids, ascending: id_count of them. The array is borrowed. If the section is bad, or if the
 * engine's callback cancels, returns NULL and sets `error`. */
MACADAM_API const int64_t *macadam_engine_ids(macadam_engine *engine, macadam_error *error);

/** The user id of each of the file's nodes: node_count of them. The array is borrowed. If the section is
 * bad, or if the engine's callback cancels, returns NULL and sets `error`. */
MACADAM_API const int64_t *macadam_engine_node_ids(macadam_engine *engine, macadam_error *error);

/** The costs between each source and all nodes. */
typedef struct macadam_tree_request {
    size_t size;                 /**< set by MACADAM_TREE_REQUEST_INIT */
    const macadam_place *source; /**< where the trees begin */
    size_t source_count;         /**< at least 1 */
    bool reverse;                /**< the costs to the source instead of from it */
    uint32_t limit;              /**< nodes of a higher objective become MACADAM_UNREACHED; 0 = no limit */
    macadam_order order;         /**< how the answers lie */
    const char *method;          /**< one of macadam_methods for trees; NULL: "auto" */
} macadam_tree_request;

/** Initializes a macadam_tree_request. */
#define MACADAM_TREE_REQUEST_INIT MACADAM_INIT(macadam_tree_request)

/** Computes trees. value[q] is the array for the q-th requested quantity; its shape follows from `order`.
 * It may lie in memory of any macadam_memory_kind; a GPU writes lanes to its own memory as it computes
 * them. status (may be NULL) holds source_count entries. Returns E_UNSUPPORTED if the answers should go
 * to divided memory but the CPU must complete those of a place on a road that is cut off, or must compare
 * signed costs with a limit. */
MACADAM_API macadam_status macadam_tree_find(uint32_t *const *value, macadam_place_status *status,
                                             macadam_engine *engine, const macadam_query *query,
                                             const macadam_tree_request *request, macadam_error *error);

/** Computes trees with their parents, in host memory. A node's parent is the node before it on a path of
 * least cost; with `reverse`, the node after it. MACADAM_UNREACHED: it has none.
 * - ORDER_IDS: parent[source * id_count + i] is a position among macadam_engine_ids. If a junction is split,
 *   it is the parent of the copy at which the path arrives.
 * - ORDER_NODES: parent[source * node_count + node] is a node of the file.
 * - ORDER_LANES, and the method "sweep", are not possible: E_INVALID.
 *
 * Parents form a tree and are the same for every method and device. If the companion is requested too, the
 * paths have the least companion among those of least cost. Beyond a limit there are none, but if costs may be
 * negative, a node within the limit may have a parent beyond it. Returns E_UNSUPPORTED for a point on a road if
 * one end of the road is split into more copies than one search can start from. */
MACADAM_API macadam_status macadam_tree_find_parents(uint32_t *const *value, uint32_t *parent,
                                                     macadam_place_status *status, macadam_engine *engine,
                                                     const macadam_query *query,
                                                     const macadam_tree_request *request,
                                                     macadam_error *error);

/* ---- hops: the fewest arcs, whatever their weights ---- */

/** The hops between each source and all nodes. */
typedef struct macadam_hops_request {
    size_t size;                 /**< set by MACADAM_HOPS_REQUEST_INIT */
    const macadam_place *source; /**< where the searches begin */
    size_t source_count;         /**< at least 1 */
    bool reverse;                /**< the hops to the source instead of from it */
    uint32_t limit;              /**< more hops become MACADAM_UNREACHED; 0 = no limit */
    const char *method;          /**< one of macadam_methods for hops; NULL: "auto" */
} macadam_hops_request;

/** Initializes a macadam_hops_request. */
#define MACADAM_HOPS_REQUEST_INIT MACADAM_INIT(macadam_hops_request)

/** Searches breadth-first; needs no hierarchy. hops[source * id_count + i] follows macadam_engine_ids; so
 * does parent (may be NULL), which macadam_tree_find_parents explains. Both lie in host memory. Turn
 * restrictions hold. Arcs that an update closed, or that open only at times, still count, unless there are conditions:
 * then only the arcs count that are open to the query's metric. Otherwise the query's metric and quantities are ignored.
 * status (may be NULL) holds source_count entries. For a point within a road, the arc on which it lies is the first
 * hop: its ends are one hop away, and have no parents. */
MACADAM_API macadam_status macadam_hops_find(uint32_t *hops, uint32_t *parent, macadam_place_status *status,
                                             macadam_engine *engine, const macadam_query *query,
                                             const macadam_hops_request *request, macadam_error *error);

/** Asks whether a path leads from source to target. */
typedef struct macadam_connection_request {
    size_t size;          /**< set by MACADAM_CONNECTION_REQUEST_INIT */
    macadam_place source; /**< where the path begins */
    macadam_place target; /**< where it ends */
} macadam_connection_request;

/** Initializes a macadam_connection_request. */
#define MACADAM_CONNECTION_REQUEST_INIT MACADAM_INIT(macadam_connection_request)

/** Whether a path leads from source to target, and a path of the fewest hops: always the same one. */
typedef struct macadam_connection {
    bool connected; /**< there is a path; false as well if a place failed */
    /** The fewest arcs, those on which the places lie included; MACADAM_UNREACHED if not connected. */
    uint32_t hops;
    macadam_snap source; /**< where the source was snapped */
    macadam_snap target; /**< where the target was snapped */
    size_t node_count;   /**< nodes of the path: hops + 1, less one for each place within a road; or 0 */
    const int64_t *id;   /**< [node_count] their ids, from source to target */
} macadam_connection;

/** Searches breadth-first from both ends. Arcs and points count as in macadam_hops_find. Free *out with
 * macadam_connection_free. */
MACADAM_API macadam_status macadam_connection_find(macadam_connection **out, macadam_engine *engine,
                                                   const macadam_query *query,
                                                   const macadam_connection_request *request,
                                                   macadam_error *error);

/** Frees the connection and everything it points to. */
MACADAM_API void macadam_connection_free(macadam_connection *connection);

/* ---- reach: what lies how near, without the trees ---- */

#define MACADAM_REACH_LIMITS_MAX      16   /**< the most limits in one request */
#define MACADAM_REACH_NEAREST_MAX     1024 /**< the most nearest targets of one source */
#define MACADAM_REACH_AMOUNTS_MAX     16   /**< the most columns of amounts in one request */
#define MACADAM_REACH_PERCENTILES_MAX 16   /**< the most percentiles in one request */

/** How the weight of an opportunity falls with its cost c, which is in units of the objective; a cost below 0 counts as 0.
 * Numbers are doubles, and operations are rounded one by one as written. Values are pinned. */
typedef enum macadam_decay_kind {
    MACADAM_DECAY_STEP = 0, /**< c <= cutoff ? 1 : 0 */
    /** 1 - (c - (cutoff - width / 2)) / width, at most 1 and at least 0: falls from 1 to 0 over `width`, around the cutoff */
    MACADAM_DECAY_LINEAR = 1,
    /** (1 + exp((0 - cutoff) * k)) / (1 + exp((c - cutoff) * k)) with k = pi / (width * sqrt(3)): `width` is the standard
     * deviation of the logistic distribution whose median is the cutoff (Bauer and Groneberg 2016, as r5) */
    MACADAM_DECAY_LOGISTIC = 2,
    MACADAM_DECAY_EXPONENTIAL = 3, /**< exp(c * (log(0.5) / cutoff)): the cutoff is the half-life */
    MACADAM_DECAY_GAUSSIAN =
        4, /**< exp(-0.5 * x * x) with x = c / width: `width` is the standard deviation */
    /** The points of a table, and straight lines between them: weight[i-1] + (weight[i] - weight[i-1]) * ((c - cost[i-1]) /
     * (cost[i] - cost[i-1])), where cost[i] is the first that is at least c. Up to the first point the weight is that of the
     * first, beyond the last it is 0. Two points of equal cost are a step. */
    MACADAM_DECAY_TABLE = 5,
} macadam_decay_kind;

/** A decay. Its numbers are finite. Those that its kind has are at least 0.000001 (the cutoff of steps, lines and logistic
 * curves: at least 0), and the others are ignored. */
typedef struct macadam_decay {
    size_t size;             /**< set by MACADAM_DECAY_INIT */
    macadam_decay_kind kind; /**< which of the functions it is */
    double cutoff;           /**< in units of the objective */
    double width;            /**< likewise */
    const double *cost;      /**< [point_count] of a table: ascending, from 0 on */
    const double *weight;    /**< [point_count] of a table: 0 to 1 */
    size_t point_count;      /**< at least 1 */
} macadam_decay;

/** Initializes a macadam_decay. */
#define MACADAM_DECAY_INIT MACADAM_INIT(macadam_decay)

/** A request for counts of the nodes within limits of each source, its eccentricity, its nearest targets, and the opportunities
 * that are accessible from it. Only the objective of the query's metric counts; if the companion is requested, the call returns
 * E_INVALID. A place may lie within a road, as in macadam_matrix_find. */
typedef struct macadam_reach_request {
    size_t size;                 /**< set by MACADAM_REACH_REQUEST_INIT */
    const macadam_place *source; /**< where the searches begin */
    size_t source_count;         /**< at least 1 */
    bool reverse;                /**< the costs to the sources instead of from them */
    const uint32_t *limit;       /**< in any order, each at most MACADAM_WEIGHT_MAX */
    size_t limit_count;          /**< at most MACADAM_REACH_LIMITS_MAX */
    const uint32_t *value; /**< one number per user id, in the order of macadam_engine_ids; NULL = no sums */
    const macadam_place *target; /**< the nearest targets are chosen from these */
    size_t target_count;         /**< how many there are */
    size_t nearest_count;        /**< at most MACADAM_REACH_NEAREST_MAX; 0 = no nearest targets */
    /** Accessibility is that of these places: jobs, shops, ... With `reverse`, the costs are those from them to the sources. */
    const macadam_place *opportunity;
    size_t opportunity_count; /**< how many there are */
    /** amount[column * opportunity_count + i]: how much there is at opportunity i. Finite, and at least 0. */
    const double *amount;
    size_t amount_count;        /**< columns: 1 to MACADAM_REACH_AMOUNTS_MAX */
    const macadam_decay *decay; /**< NULL = each opportunity with a path counts fully */
    const double *percentile;   /**< in any order, each 0 to 100; read in steps of 0.000001 */
    size_t percentile_count;    /**< at most MACADAM_REACH_PERCENTILES_MAX */
} macadam_reach_request;

/** Initializes a macadam_reach_request. */
#define MACADAM_REACH_REQUEST_INIT MACADAM_INIT(macadam_reach_request)

/** Where the answers go: arrays of the caller's. NULL = not requested. Each user id counts as one node,
 * however many copies the file has of it. A source that failed reaches nothing.
 *
 * Accessibility is exact and the same for any device, number of threads and memory limit, because its sums are those of
 * integers. The weight of a cost is W = floor(decay * 2^30 + 0.5). The amounts of a column are A = amount * 2^k, rounded to the
 * nearest integer, halves to the even one; k = min(62 - e - b, 900) where 2^e is the least power of two above the column's
 * largest amount and b the number of bits of opportunity_count (k = 0 if all are 0). So no sum of a column reaches 2^62, and whole
 * numbers are exact unless they are huge. S = sum of W * A and C = sum of W * A * cost, over the opportunities with a path, are
 * exact, and each answer is rounded to a double once. */
typedef struct macadam_reach {
    size_t size;            /**< set by MACADAM_REACH_INIT */
    uint64_t *node_count;   /**< [source * limit_count + i]: nodes whose cost is at most limit[i] */
    uint64_t *value_sum;    /**< [source * limit_count + i]: the sum of their values */
    uint64_t *reached;      /**< [source]: nodes with a path */
    uint32_t *eccentricity; /**< [source]: the largest of their costs; MACADAM_UNREACHED if there are none */
    uint32_t
        *nearest_found; /**< [source]: how many targets are listed: the reached ones, up to nearest_count */
    /** [source * nearest_count + rank]: the target's position in the request. Targets are ordered by
     * ascending cost, targets of equal cost by position. Entries after the last target that was found are
     * MACADAM_UNREACHED. */
    uint32_t *nearest_position;
    uint32_t
        *nearest_cost; /**< [source * nearest_count + rank]: the target's cost; after the last, unreached */
    /** [source]: the sum of the costs of all nodes with a path; of a signed quantity an int64_t in the same bits */
    uint64_t *cost_sum;
    double *access;    /**< [source * amount_count + column]: S / 2^(30 + k), the amounts within reach */
    double *mean_cost; /**< [source * amount_count + column]: C / S; NaN if S is 0 */
    /** [(source * amount_count + column) * percentile_count + i]: the least cost of an opportunity that counts (W * A > 0) within
     * which at least percentile[i] of S is found; MACADAM_UNREACHED (of a signed quantity, MACADAM_SIGNED_UNREACHED) if S is 0 */
    uint32_t *percentile_cost;
} macadam_reach;

/** Initializes a macadam_reach. */
#define MACADAM_REACH_INIT MACADAM_INIT(macadam_reach)

/** Fills the requested arrays of `answer`. status (may be NULL) holds the statuses of the sources, then
 * those of the targets, then those of the opportunities; one that failed does not count. Accessibility takes the time of the
 * matrix between sources and opportunities, on the device that answers that, and a few nanoseconds a cell; its arrays of up
 * to half the memory limit do not count against other calls. Returns E_INVALID if nothing is requested, if the limits, values,
 * targets, amounts or percentiles that an answer needs are missing, or if an amount or the decay is not as it must be. */
MACADAM_API macadam_status macadam_reach_find(const macadam_reach *answer, macadam_place_status *status,
                                              macadam_engine *engine, const macadam_query *query,
                                              const macadam_reach_request *request, macadam_error *error);

#define MACADAM_NEAREST_MAX 64 /**< the most nearest targets of a source among prepared targets */

/** Targets, prepared so that the nearest of them are found within microseconds. Made by macadam_nearest_new; any
 * number of threads may ask it. It keeps the weights with which it was made, whatever updates come: for new
 * weights, make another one after the update. It is always the CPU that computes. Memory: at most 8 *
 * nearest_count bytes a node of the file, and 12 bytes besides; it does not count against
 * macadam_engine_options::memory_limit, which it may not exceed. */
typedef struct macadam_nearest macadam_nearest;

/** The targets to prepare. */
typedef struct macadam_nearest_request {
    size_t size;                 /**< set by MACADAM_NEAREST_REQUEST_INIT */
    const macadam_place *target; /**< the nearest are chosen from these */
    size_t target_count;         /**< at least 1 */
    size_t nearest_count;        /**< how many of them are found for each source: 1 to MACADAM_NEAREST_MAX */
    bool reverse;                /**< the costs from the targets to the sources, instead of to them */
} macadam_nearest_request;

/** Initializes a macadam_nearest_request. */
#define MACADAM_NEAREST_REQUEST_INIT MACADAM_INIT(macadam_nearest_request)

/** Prepares targets. Each place is moved to a road by itself, as in macadam_tree_find. `query` may be NULL; its metric,
 * conditions and rules for places hold for the sources too. status (may be NULL): of each target; a target
 * that failed is never found. Free *out with macadam_nearest_free before the engine is closed. Returns
 * E_INVALID, E_LIMIT, E_MEMORY, E_UNSUPPORTED (the file has no hierarchy) or E_CANCELLED. (Buchhold and
 * Wagner 2021) */
MACADAM_API macadam_status macadam_nearest_new(macadam_nearest **out, macadam_place_status *status,
                                               macadam_engine *engine, const macadam_query *query,
                                               const macadam_nearest_request *request, macadam_error *error);

/** Finds the nearest targets of each source: fills nearest_found, nearest_position and nearest_cost of `answer`, as
 * macadam_reach_find does; its other arrays must be NULL. status (may be NULL): of each source. Returns E_INVALID,
 * E_MEMORY or E_CANCELLED. */
MACADAM_API macadam_status macadam_nearest_find(const macadam_reach *answer, macadam_place_status *status,
                                                macadam_nearest *nearest, const macadam_place *source,
                                                size_t source_count, macadam_error *error);

/** Frees prepared targets that no call is using; NULL is fine. */
MACADAM_API void macadam_nearest_free(macadam_nearest *nearest);

/* ---- what a road is ---- */

/** The flags of macadam_road_facts::flags, or-ed. Values are pinned. */
typedef enum macadam_road_flag {
    MACADAM_ROAD_ROUNDABOUT = 1,          /**< part of a roundabout: those on it have priority */
    MACADAM_ROAD_CIRCULAR = 2,            /**< part of another circle of roads */
    MACADAM_ROAD_LINK = 4,                /**< a ramp or a slip road: it joins two roads */
    MACADAM_ROAD_MOTORWAY = 8,            /**< a motorway or its ramp, or a road like one */
    MACADAM_ROAD_TOLL = 16,               /**< a toll is charged */
    MACADAM_ROAD_FERRY = 32,              /**< a ferry takes the traveller */
    MACADAM_ROAD_TRAIN = 64,              /**< a train takes the traveller */
    MACADAM_ROAD_TUNNEL = 128,            /**< it leads through a tunnel */
    MACADAM_ROAD_BRIDGE = 256,            /**< it leads over a bridge */
    MACADAM_ROAD_FORD = 512,              /**< it leads through water */
    MACADAM_ROAD_UNPAVED = 1024,          /**< its surface is loose */
    MACADAM_ROAD_DESTINATION_ONLY = 2048, /**< open only to begin or end a route */
    MACADAM_ROAD_PRIVATE = 4096,          /**< its owner decides who may use it */
    MACADAM_ROAD_PUSHED = 8192,           /**< the bicycle is pushed */
} macadam_road_flag;

/** The name of a flag for programs: "roundabout", "circular", "link", "motorway", "toll", "ferry", "train",
 * "tunnel", "bridge", "ford", "unpaved", "destination_only", "private", "pushed". NULL if it is not a single
 * flag. The string is static. */
MACADAM_API const char *macadam_road_flag_name(macadam_road_flag flag);

/** The map's facts of a road. Belongs to the engine. Strings are "" where the map has none. A lane that is
 * closed to the profile's vehicle has the word closed in turn_lanes: "left|through;closed". Later versions
 * append members: only the library makes one. */
typedef struct macadam_road_facts {
    const char *name;          /**< "Via Dante" */
    const char *road_class;    /**< the value of highway=: "motorway_link", ...; or "ferry", "train" */
    const char *ref;           /**< the numbers of the road: "A 4; E 64", "I 80 West" */
    const char *destination;   /**< what the signs over it say: "A 4: Milano, Torino" */
    const char *exit;          /**< the number of the exit that begins with it: "12b" */
    const char *turn_lanes;    /**< where its lanes lead, from left to right: "left|through;right" */
    uint32_t flags;            /**< of macadam_road_flag */
    uint16_t speed_kmh;        /**< the speed limit on signs, in this direction; 0 = not known */
    uint16_t lanes;            /**< the number of lanes in this direction; 0 = not known */
    const char *pronunciation; /**< how its name is said: "hew-stun" */
} macadam_road_facts;

/* ---- routes: one to one ---- */

/** Whether a route may turn around at a waypoint between its ends. Values are pinned. */
typedef enum macadam_via_turn {
    MACADAM_VIA_PROFILE = 0,  /**< as the file's profile suggests: cars and trucks go straight on */
    MACADAM_VIA_STRAIGHT = 1, /**< it leaves the waypoint in the direction in which it arrived, if it can */
    MACADAM_VIA_ANY = 2,      /**< it may leave in any direction */
} macadam_via_turn;

#define MACADAM_ALTERNATIVES_MAX 16 /**< the most alternatives of one request */

/** A route from the first waypoint to the last, through those between them. */
typedef struct macadam_route_request {
    size_t size;                   /**< set by MACADAM_ROUTE_REQUEST_INIT */
    const macadam_place *waypoint; /**< source, vias, target */
    size_t waypoint_count;         /**< at least 2 */
    bool steps;                    /**< requests the instructions for a driver: macadam_step */
    macadam_via_turn via_turn;     /**< how it passes the waypoints between the first and the last */
    /** How many alternatives are requested at most; only of a route between two waypoints. They are other routes
     * with the shares below, of the cost of the best route. */
    size_t alternative_count;
    double alternative_stretch; /**< by how much an alternative may cost more, at most; 0 = 0.25 */
    double alternative_sharing; /**< how much it may have in common with the routes before it; 0 = 0.75 */
    /** Each part of it that costs at most this much is a shortest path, so that it makes no small detours;
     * 0 = 0.25. */
    double alternative_optimality;
    /** Only the costs of the route and its legs are requested, and where its waypoints are: it has no arcs, no
     * points, no steps and no alternatives. It takes a fraction of the time. */
    bool costs_only;
    bool segments; /**< what the route is between each two points is requested: macadam_segment */
    bool totals;   /**< the sums of all quantities of the file are requested: macadam_route::total */
    /** [waypoint_count] whether the route passes the waypoint without a stop: no leg ends there, and legs are fewer. It does not
     * count for the first and the last one. NULL = it stops at all of them. */
    const bool *passes;
} macadam_route_request;

/** Initializes a macadam_route_request. */
#define MACADAM_ROUTE_REQUEST_INIT MACADAM_INIT(macadam_route_request)

/** The part of a route from one waypoint to the next. */
typedef struct macadam_leg {
    uint32_t value[MACADAM_QUANTITIES_MAX]; /**< its cost, per requested quantity */
    size_t first_arc;                       /**< its arcs are first_arc <= i < end_arc */
    size_t end_arc;                         /**< likewise */
    size_t first_step;                      /**< its steps are first_step <= i < end_step, if requested */
    size_t end_step;                        /**< likewise */
} macadam_leg;

/** One arc of a route. */
typedef struct macadam_route_arc {
    int64_t tail;                           /**< user id of the node where it begins */
    int64_t head;                           /**< user id of the node where it ends */
    uint64_t arc;                           /**< the arc's number, by which an update names it */
    int64_t way;                            /**< OSM way id, or 0 */
    const char *name;                       /**< of the road, or "" */
    uint32_t value[MACADAM_QUANTITIES_MAX]; /**< its cost, per requested quantity */
    size_t first_shape; /**< its points are first_shape <= i < end_shape, both ends included; none without
                               coordinates */
    size_t end_shape;   /**< likewise */
    double from;        /**< where travel on it begins: 0, unless a leg begins within the road */
    double to;          /**< where travel on it ends: 1, unless a leg ends within the road */
    const macadam_road_facts *facts; /**< what the map says of the road; NULL: nothing */
    /** Its segments, if requested: from this one on, one fewer than it has points. */
    size_t first_segment;
    /** The part of `value` that the arc itself does not weigh, per requested quantity: what is paid before it (turn,
     * signal, barrier, boarding) and, with the last arc, on arrival. The rest is the travelled share of the weight that
     * macadam_arcs_list gives. Below 0 if one stays aboard a ferry. */
    int32_t price[MACADAM_QUANTITIES_MAX];
} macadam_route_arc;

/** The part of a route from one point of an arc's line to the next. An arc has one fewer than points.
 *
 * The costs of an arc are divided among its segments by length. Until the end of a segment, the arc costs its
 * share of the arc's cost, rounded to the nearest whole number; the segment costs what this is more than until its
 * beginning. So the segments of an arc add up to its cost, and those of a leg to the leg's. */
typedef struct macadam_segment {
    size_t arc; /**< which arc of the route it is part of: macadam_route::arc[arc] has its class and way */
    /** The ids of the nodes at both ends of its piece of the map, in the order of travel; a route may begin or end
     * within the piece. 0 = not known: between junctions, unless macadam_info::has_node_ids. */
    int64_t from;
    int64_t to;                             /**< likewise */
    double length_m;                        /**< in metres */
    double speed_kmh;                       /**< of the arc; NaN unless the duration is requested */
    uint32_t value[MACADAM_QUANTITIES_MAX]; /**< its cost, per requested quantity */
    uint64_t reserved[4];                   /**< for later versions: 0 */
} macadam_segment;

/** Why there is no route. */
typedef enum macadam_route_reason {
    MACADAM_ROUTE_FOUND = 0,         /**< there is a route */
    MACADAM_ROUTE_PLACE_FAILED = 1,  /**< a waypoint was not found: its status says why */
    MACADAM_ROUTE_NOT_CONNECTED = 2, /**< no roads lead from one waypoint to the next */
    /** No road leads on from the waypoint: its road is a dead end or closed, or a turn restriction forbids
     * to leave it. */
    MACADAM_ROUTE_START_BLOCKED = 3,
    MACADAM_ROUTE_END_BLOCKED = 4, /**< likewise, no road leads to the waypoint */
} macadam_route_reason;

/** The maneuver with which a step begins. The words are those of OSRM's HTTP API. Values are pinned. */
typedef enum macadam_maneuver_type {
    MACADAM_MANEUVER_DEPART = 0,
    MACADAM_MANEUVER_ARRIVE = 1,
    MACADAM_MANEUVER_TURN = 2,             /**< turns onto another road */
    MACADAM_MANEUVER_CONTINUE = 3,         /**< turns and stays on the road */
    MACADAM_MANEUVER_NEW_NAME = 4,         /**< goes on; the road has another name */
    MACADAM_MANEUVER_MERGE = 5,            /**< merges onto a road that goes on */
    MACADAM_MANEUVER_ON_RAMP = 6,          /**< takes a ramp onto a motorway or the like */
    MACADAM_MANEUVER_OFF_RAMP = 7,         /**< leaves a motorway or the like */
    MACADAM_MANEUVER_FORK = 8,             /**< takes one of two roads that part at a small angle */
    MACADAM_MANEUVER_END_OF_ROAD = 9,      /**< turns where the road ends at another */
    MACADAM_MANEUVER_ROUNDABOUT = 10,      /**< goes through a roundabout and takes exit number `exit` */
    MACADAM_MANEUVER_ROTARY = 11,          /**< likewise; it is large and has a name */
    MACADAM_MANEUVER_ROUNDABOUT_TURN = 12, /**< likewise; it is so small that one rather turns */
    MACADAM_MANEUVER_EXIT_ROUNDABOUT = 13, /**< leaves the roundabout */
    MACADAM_MANEUVER_EXIT_ROTARY = 14,     /**< leaves the rotary */
    MACADAM_MANEUVER_NOTIFICATION = 15,    /**< the mode of travel changes */
} macadam_maneuver_type;

/** The direction of a maneuver. Values are pinned. */
typedef enum macadam_modifier {
    MACADAM_MODIFIER_NONE = 0,
    MACADAM_MODIFIER_UTURN = 1,
    MACADAM_MODIFIER_SHARP_RIGHT = 2,
    MACADAM_MODIFIER_RIGHT = 3,
    MACADAM_MODIFIER_SLIGHT_RIGHT = 4,
    MACADAM_MODIFIER_STRAIGHT = 5,
    MACADAM_MODIFIER_SLIGHT_LEFT = 6,
    MACADAM_MODIFIER_LEFT = 7,
    MACADAM_MODIFIER_SHARP_LEFT = 8,
} macadam_modifier;

/** The name of a type, as OSRM's HTTP API writes it: "depart", "new name", ... The string is static. */
MACADAM_API const char *macadam_maneuver_type_name(macadam_maneuver_type type);
/** The name of a modifier, likewise: "slight left", ...; NONE: "". The string is static. */
MACADAM_API const char *macadam_modifier_name(macadam_modifier modifier);

/** How one travels a step. Values are pinned. */
typedef enum macadam_mode {
    MACADAM_MODE_PROFILE = 0, /**< as the profile says: drives, rides, walks */
    MACADAM_MODE_FERRY = 1,   /**< a ferry takes the traveller */
    MACADAM_MODE_TRAIN = 2,   /**< a train takes the traveller */
    MACADAM_MODE_PUSHING = 3, /**< pushes the bicycle */
} macadam_mode;

/** A lane of a road on which one arrives. */
typedef struct macadam_lane {
    uint32_t modifiers;   /**< where its arrows point: 1 << macadam_modifier, or-ed; 0 = it has none */
    bool valid;           /**< it leads where the route goes */
    uint32_t reserved[2]; /**< for later versions: 0 */
} macadam_lane;

/** A road at an intersection. */
typedef struct macadam_branch {
    uint16_t bearing;     /**< of the road as it leaves: 0 to 359 degrees clockwise from north */
    bool entry;           /**< one who comes as the route does may take it */
    uint32_t reserved[2]; /**< for later versions: 0 */
} macadam_branch;

#define MACADAM_BRANCH_NONE SIZE_MAX /**< no road: the route begins or ends there */

/** A node that a step passes where roads meet; also where it begins or ends. */
typedef struct macadam_intersection {
    double lon;          /**< in degrees */
    double lat;          /**< in degrees */
    size_t first_branch; /**< its roads are first_branch <= i < end_branch, by ascending bearing */
    size_t end_branch;   /**< likewise */
    size_t in;           /**< by which of them the route arrives, or MACADAM_BRANCH_NONE */
    size_t out;          /**< by which of them it leaves, or MACADAM_BRANCH_NONE */
    size_t
        first_lane; /**< the lanes of the road on which it arrives, from left to right, where the map has them */
    size_t end_lane;      /**< likewise */
    uint32_t flags;       /**< of the road that leaves it: of macadam_road_flag */
    size_t arc;           /**< which arc of the route leaves it; at the route's end: the number of arcs */
    uint64_t reserved[2]; /**< for later versions: 0 */
} macadam_intersection;

/** A part of a route that begins with an instruction for the driver. A leg begins with DEPART and ends with
 * an ARRIVE that has no arc. */
typedef struct macadam_step {
    macadam_maneuver_type type; /**< what to do where it begins */
    macadam_modifier modifier; /**< in which direction; of DEPART and ARRIVE: where the place lies, or NONE */
    uint32_t exit;             /**< which exit of a roundabout, from 1; 0 = none, or it is not left */
    uint16_t bearing_before;   /**< the direction of travel before the maneuver: 0 to 359 */
    uint16_t bearing_after;    /**< likewise, after it */
    const char *rotary_name;   /**< of a ROTARY, or "" */
    const macadam_road_facts *facts;        /**< of its road; never NULL */
    macadam_mode mode;                      /**< how one travels it */
    bool drives_left;                       /**< traffic keeps to the left */
    bool walks;                             /**< the traveller walks: the profile does, or pushes */
    uint32_t value[MACADAM_QUANTITIES_MAX]; /**< its cost, per requested quantity */
    size_t first_arc;                       /**< its arcs are first_arc <= i < end_arc */
    size_t end_arc;                         /**< likewise */
    size_t first_shape;        /**< its points are first_shape <= i < end_shape, both ends included */
    size_t end_shape;          /**< likewise */
    size_t first_intersection; /**< its intersections are first_intersection <= i < end_intersection */
    size_t end_intersection;   /**< likewise */
    uint64_t reserved[4];      /**< for later versions: 0 */
} macadam_step;

/** Writes a step as a sentence, with its NUL, into `text` of `capacity` bytes; what does not fit is cut off
 * after a character. `language` is one of macadam_language_name; NULL = "en". Returns E_INVALID for another
 * one. */
MACADAM_API macadam_status macadam_step_text(char *text, size_t capacity, const macadam_step *step,
                                             const char *language, macadam_error *error);
/** The name of the language number `index`, by ISO 639-1: "ar", "de", "en", ...; NULL after the last one. The
 * string is static. */
MACADAM_API const char *macadam_language_name(size_t index);

/** The units of distances. Values are pinned. */
typedef enum macadam_units {
    MACADAM_UNITS_NONE = 0,     /**< distances are not said */
    MACADAM_UNITS_METRIC = 1,   /**< "300 m", "1.2 km" */
    MACADAM_UNITS_IMPERIAL = 2, /**< "1000 ft", "1.2 mi" */
} macadam_units;

/** How steps are said. */
typedef struct macadam_text_options {
    size_t size;          /**< set by MACADAM_TEXT_OPTIONS_INIT */
    const char *language; /**< one of macadam_language_name; NULL = "en" */
    macadam_units units;  /**< begins with the distance to the maneuver: "In 300 m, turn left" */
    bool
        lanes; /**< says which lanes to use, where some do not lead there: "Use the left lane to turn left" */
    /** With `units`: how far it is to the maneuver now, in metres, as macadam_guide_state::step_m; 0 = as far as from the
     * maneuver before. */
    double distance_m;
} macadam_text_options;

/** Initializes a macadam_text_options. */
#define MACADAM_TEXT_OPTIONS_INIT MACADAM_INIT(macadam_text_options)

/** A route with its arcs. */
typedef struct macadam_route {
    /** There is a route. If it is false, a place failed or some leg has no path (the values of the legs show
     * which), and there are no arcs and no points. */
    bool found;
    uint32_t value[MACADAM_QUANTITIES_MAX]; /**< the sum of the legs; MACADAM_UNREACHED if not found */
    size_t waypoint_count;                  /**< as in the request */
    /** [waypoint_count] where each waypoint was snapped. One that two legs pass on different roads, because only one
     * of them stays within a part of the map that is cut off, is reported there, as MACADAM_PLACE_MOVED. */
    const macadam_snap *waypoint;
    size_t leg_count;             /**< waypoint_count - 1 */
    const macadam_leg *leg;       /**< [leg_count] */
    size_t arc_count;             /**< arcs of all legs */
    const macadam_route_arc *arc; /**< [arc_count] in the order of travel */
    size_t shape_count;           /**< points of all arcs */
    const double *lon; /**< [shape_count] in degrees; consecutive arcs repeat the node between them */
    const double *lat; /**< [shape_count] likewise */
    macadam_route_reason reason; /**< why there is no route; MACADAM_ROUTE_FOUND if there is one */
    /** The waypoint that the reason is about; of two that are not connected, the first. */
    size_t reason_waypoint;
    size_t step_count; /**< steps of all legs; 0 unless they were requested and the map has coordinates */
    const macadam_step *step;                 /**< [step_count] in the order of travel */
    size_t intersection_count;                /**< intersections of all steps */
    const macadam_intersection *intersection; /**< [intersection_count] in the order of travel */
    size_t branch_count;                      /**< roads at all intersections */
    const macadam_branch *branch;             /**< [branch_count] */
    size_t lane_count;                        /**< lanes at all intersections */
    const macadam_lane *lane;                 /**< [lane_count] */
    size_t alternative_count;                 /**< how many alternatives were found */
    /** [alternative_count] by ascending cost. They have no alternatives, and are freed with this route. */
    const struct macadam_route *const *alternative;
    const double *height_m; /**< [shape_count] of its points, above sea level; NULL: the map has no heights */
    size_t segment_count;   /**< segments of all arcs; 0 unless requested and the map has coordinates */
    const macadam_segment *segment; /**< [segment_count] in the order of travel */
    size_t
        total_count; /**< macadam_info::quantity_count; 0 unless totals were requested and there are arcs */
    /** [total_count] what the whole route is in each quantity of the file, with its sign: those of the query as in
     * `value`, the others by the weights in use, whatever the query's conditions. */
    const int64_t *total;
} macadam_route;

/** Writes a route's step number `step` as a sentence: as macadam_step_text, and what `options` (NULL: none) request
 * besides. Of several legs, each arrival but the last says the number of its waypoint. Returns E_INVALID for a step
 * that the route does not have, a language or units that are not known, or a distance that is not one. */
MACADAM_API macadam_status macadam_route_text(char *text, size_t capacity, const macadam_route *route,
                                              size_t step, const macadam_text_options *options,
                                              macadam_error *error);

/** The name of a reason for programs: "found", "place_failed", "not_connected", "start_blocked",
 * "end_blocked". The string is static. */
MACADAM_API const char *macadam_route_reason_name(macadam_route_reason reason);

/** Finds the route of least cost. Free *out with macadam_route_free. */
MACADAM_API macadam_status macadam_route_find(macadam_route **out, macadam_engine *engine,
                                              const macadam_query *query,
                                              const macadam_route_request *request, macadam_error *error);

/** Frees the route and everything it points to. */
MACADAM_API void macadam_route_free(macadam_route *route);

/** Many routes: pair i goes from source[i] to target[i]. */
typedef struct macadam_routes_request {
    size_t size;                 /**< set by MACADAM_ROUTES_REQUEST_INIT */
    const macadam_place *source; /**< [pair_count] */
    const macadam_place *target; /**< [pair_count] */
    size_t pair_count;           /**< at least 1 */
} macadam_routes_request;

/** Initializes a macadam_routes_request. */
#define MACADAM_ROUTES_REQUEST_INIT MACADAM_INIT(macadam_routes_request)

/** Computes the costs of many routes: value[q][pair], in memory of any macadam_memory_kind. status (may be
 * NULL) holds the statuses of the sources, then those of the targets. */
MACADAM_API macadam_status macadam_routes_find(uint32_t *const *value, macadam_place_status *status,
                                               macadam_engine *engine, const macadam_query *query,
                                               const macadam_routes_request *request, macadam_error *error);

/** Receives the path of one pair: the numbers of its arcs, from source to target. `arc` is borrowed until
 * the callback returns. Returns false to cancel. */
typedef bool (*macadam_path_callback)(void *context, size_t pair, const uint64_t *arc, size_t arc_count);

/** Computes the costs of many routes, and calls `path` once per pair with its path, in the order of the
 * pairs and from the calling thread. */
MACADAM_API macadam_status macadam_routes_find_paths(uint32_t *const *value, macadam_place_status *status,
                                                     macadam_engine *engine, const macadam_query *query,
                                                     const macadam_routes_request *request,
                                                     macadam_path_callback path, void *context,
                                                     macadam_error *error);

/* ---- matrices: many to many ---- */

/** The error of an approximate matrix: of up to four of its rows, which were searched exactly, too. Cells of 0 do not count. */
typedef struct macadam_approximation {
    uint64_t cells;    /**< how many were compared */
    uint32_t mean_ppm; /**< the mean of the differences, in millionths of the exact duration; of both signs */
    uint32_t worst_ppm; /**< the largest one */
} macadam_approximation;

/** How a matrix was computed: how much of it each method answered. A search is that of a row (of arrivals, of a column) at one
 * time; a place with many nodes may take several. */
typedef struct macadam_matrix_plan {
    uint64_t label_rows;         /**< without a clock: by labels of the hierarchy */
    uint64_t sweep_rows;         /**< likewise: by sweeps over a part of the hierarchy */
    uint64_t approximate_rows;   /**< by sampled travel times */
    uint64_t route_cells;        /**< by the clock, of few columns: as routes, a search for each cell */
    uint64_t part_searches;      /**< by the clock: proved within the part of the map around the places */
    uint64_t wide_part_searches; /**< likewise, within a part with twice the margin */
    uint64_t map_searches;       /**< by the clock: on the whole map, until all targets are found */
    uint32_t part_ppm;           /**< the nodes of the last such part, in millionths of the map's */
    uint32_t reserved[7];        /**< for later versions: 0 */
} macadam_matrix_plan;

/** Returns the metres between two points, given in degrees, along a great circle of a sphere of 6371 km. */
MACADAM_API double macadam_straight_line_m(double lon_a, double lat_a, double lon_b, double lat_b);

/** The costs from each source to each target. */
typedef struct macadam_matrix_request {
    size_t size;                 /**< set by MACADAM_MATRIX_REQUEST_INIT */
    const macadam_place *source; /**< the rows */
    const macadam_place *target; /**< the columns */
    size_t source_count;         /**< at least 1 */
    size_t target_count;         /**< at least 1 */
    /** [source_count + target_count] receives where each source, then each target, was snapped; NULL = not
     * requested. Names lie in the engine. */
    macadam_snap *snap;
    /** NULL: the answer is exact. Otherwise it is approximate, and receives its error, before each tile that of the rows so
     * far. Many targets are answered many times as fast. Travel times are interpolated between departures five
     * minutes apart (of ways longer than 140 minutes, in twice that, and so on), so a cell may be more or less than the
     * exact one. A cell depends only on its source, target and departure. The query must have departures, and no quantity
     * but the duration. The CPU computes. */
    macadam_approximation *approximation;
    /** NULL, or receives how the matrix is computed, before each tile that of the rows so far. */
    macadam_matrix_plan *plan;
    /** 0, or a speed in metres per second: a cell without a path then costs the straight line between its places
     * (macadam_straight_line_m): of "distance" its metres, of "duration" its metres at this speed, in the quantity's unit
     * (of an unknown one, in metres and seconds) and at most MACADAM_WEIGHT_MAX. A place that was not found stays
     * unreached. Other quantities, signed ones and a file without coordinates: MACADAM_E_UNSUPPORTED. */
    double fallback_speed_ms;
    /** The straight line joins the places on their roads, as `snap` has them. false: the points as they were given. */
    bool fallback_snapped;
    /** 0, or what every "duration" is multiplied by, those of straight lines too: rounded to the nearest, and at most
     * MACADAM_WEIGHT_MAX. Other quantities keep their values. */
    double scale_factor;
    /** NULL, or [source_count * target_count], with a clock as many as there are cells, in host memory: receives 1 for each
     * cell that is a straight line, and 0 for all others. Only of macadam_matrix_find_into. */
    uint8_t *fallback;
    /** NULL: rows and columns are the sources and targets in the request's order. Otherwise they are in the order in which
     * the engine computes them, which saves a pass over large matrices. order[source_count + target_count] receives,
     * before the first tile, the position in the request of each row's source, then that of each column's target. Statuses
     * and snaps keep the request's order. The engine's order depends on the places and the metric, not on the device or
     * the number of threads; another version may have another one. Not with a clock, a fallback speed, its marks or a
     * scale factor, which work on cells by the request's places: MACADAM_E_UNSUPPORTED. */
    uint64_t *order;
} macadam_matrix_request;

/** Initializes a macadam_matrix_request. */
#define MACADAM_MATRIX_REQUEST_INIT MACADAM_INIT(macadam_matrix_request)

/** A rectangle of a matrix, as the caller receives it. */
typedef struct macadam_tile {
    size_t row;     /**< its first row */
    size_t rows;    /**< how many rows it has */
    size_t column;  /**< its first column */
    size_t columns; /**< how many columns it has */
    /** Cell (r, c) of quantity q is value[q][r * columns + c], counted from the tile's first row and
     * column. */
    const uint32_t *value[MACADAM_QUANTITIES_MAX];
    const uint32_t
        *next; /**< next hops, laid out likewise, if all pairs were requested with them; else NULL */
    const uint8_t *fallback; /**< laid out likewise: 1 = a straight line; NULL without a fallback speed */
} macadam_tile;

/** Receives one tile, in the calling thread. Tiles cover every cell once and come in ascending (row,
 * column). The tile is borrowed until the callback returns. Returns false to cancel. */
typedef bool (*macadam_tile_callback)(void *context, const macadam_tile *tile);

/** Computes a matrix and hands it to `tile`. status (may be NULL) holds the statuses of the sources, then
 * those of the targets, and is complete before the first tile. */
MACADAM_API macadam_status macadam_matrix_find(macadam_place_status *status, macadam_engine *engine,
                                               const macadam_query *query,
                                               const macadam_matrix_request *request,
                                               macadam_tile_callback tile, void *context,
                                               macadam_error *error);

/** Computes a matrix in the caller's memory, which may be of any macadam_memory_kind: value[q][source *
 * target_count + target]. Returns E_UNSUPPORTED if the answers should go to divided memory but the CPU must complete them: for
 * places on roads that are cut off, a fallback speed, its marks or a scale factor. */
MACADAM_API macadam_status macadam_matrix_find_into(uint32_t *const *value, macadam_place_status *status,
                                                    macadam_engine *engine, const macadam_query *query,
                                                    const macadam_matrix_request *request,
                                                    macadam_error *error);

/* ---- map matching: from traces to roads ---- */

/** A point of a trace, as a receiver measured it. Initialize it with zeros and set what is known. */
typedef struct macadam_trace_point {
    double lon;    /**< longitude in degrees, WGS 84 */
    double lat;    /**< latitude in degrees, WGS 84 */
    double time_s; /**< when, in seconds from any moment on; NaN = not known */
    /** The standard deviation of the position, in metres, at most MACADAM_MATCH_ACCURACY_MAX; 0 = the
     * request's. */
    double accuracy_m;
    double heading; /**< the direction of travel, in degrees clockwise from north */
    /** The standard deviation of the heading, in degrees, at most 180; 0 = the heading is not known. */
    double heading_accuracy;
    double speed_ms;      /**< the speed in metres per second; 0 = not known */
    uint64_t reserved[2]; /**< for later versions: must be 0 */
} macadam_trace_point;

#define MACADAM_MATCH_ACCURACY_MAX 300 /**< metres */

/** The outcome of matching a point of a trace. Values are pinned. */
typedef enum macadam_match_status {
    MACADAM_MATCH_OK = 0,      /**< it is matched to a road */
    MACADAM_MATCH_NO_ROAD = 1, /**< no road lies within 3 to 3.5 times its accuracy (at least 9 m) */
    /** A number is missing, not finite or out of range, or a reserved member is not 0. */
    MACADAM_MATCH_INVALID = 2,
    MACADAM_MATCH_TIME = 3, /**< it is earlier than a point before it */
    /** There are roads, but no plausible way leads to them, or from them, along the trace. */
    MACADAM_MATCH_UNCONNECTED = 4,
    MACADAM_MATCH_OMITTED = 5, /**< macadam_match_request::tidy left it out */
} macadam_match_status;

/** The name of a status for programs: "ok", "no_road", "invalid", "time", "unconnected", "omitted". The
 * string is static. */
MACADAM_API const char *macadam_match_status_name(macadam_match_status status);

/** Whether a pause in the times splits a trace. */
typedef enum macadam_match_gaps {
    MACADAM_MATCH_GAPS_SPLIT = 0, /**< a pause of more than ten times the median interval does */
    MACADAM_MATCH_GAPS_IGNORE = 1 /**< it does not */
} macadam_match_gaps;

/** Traces to be matched. */
typedef struct macadam_match_request {
    size_t size;                      /**< set by MACADAM_MATCH_REQUEST_INIT */
    const macadam_trace_point *point; /**< [point_count] the points of all traces */
    size_t point_count;               /**< at least 1, below 2^32 - 1 */
    /** [trace_count + 1] trace i has the points first[i] <= p < first[i + 1]; NULL: all points are one trace
     */
    const size_t *first;
    size_t trace_count;      /**< how many traces there are; ignored if `first` is NULL */
    double accuracy_m;       /**< of points without one; 0 = 5 metres */
    macadam_match_gaps gaps; /**< whether pauses split traces */
    /** Leaves out points that are less than 15 m from the last one that is matched, or less than 5 s later.
     * Without it, all points are matched. */
    bool tidy;
    bool arcs;     /**< the arcs of each matching are requested */
    bool routes;   /**< the route of each matching is requested */
    bool steps;    /**< only with `routes`: so are its steps */
    bool segments; /**< only with `routes`: so are its segments */
    bool totals;   /**< only with `routes`: so are its totals */
    const bool
        *passes; /**< [point_count] only with `routes`: as macadam_route_request::passes, of each matching */
    bool costs_only; /**< only with `routes`: as macadam_route_request::costs_only */
} macadam_match_request;

/** Initializes a macadam_match_request. */
#define MACADAM_MATCH_REQUEST_INIT MACADAM_INIT(macadam_match_request)

/** A point on the road to which it is matched. */
typedef struct macadam_match_point {
    macadam_match_status status; /**< unless it is MACADAM_MATCH_OK, the other members do not count */
    uint32_t matching;           /**< which matching has it */
    uint32_t waypoint;           /**< which of the matching's points it is */
    /** From how many other positions a plausible way leads to the end of the matching. 0 = the way up to here is certain:
     * points that come later do not change it, unless they show that the last one is an outlier. */
    uint32_t alternatives;
    macadam_snap snap;    /**< where it lies; `arc` is the arc of the arrival, `id` its nearer end */
    double along;         /**< which share of the arc lies before it, from 0 to 1 */
    uint64_t reserved[2]; /**< for later versions: 0 */
} macadam_match_point;

/** A part of a trace that is one journey: at least two points, and the way between them. */
typedef struct macadam_matching {
    size_t trace;               /**< whose part it is */
    size_t waypoint_count;      /**< how many points it has */
    double confidence;          /**< from 0 to 1: how well the length of the way fits the trace */
    double distance_m;          /**< the length of the way */
    double duration_s;          /**< what the way takes, if the metric minimises "duration"; otherwise NaN */
    size_t first_arc;           /**< its arcs are first_arc <= i < end_arc, if requested */
    size_t end_arc;             /**< likewise */
    const macadam_route *route; /**< if requested, otherwise NULL: its waypoints are the points */
    uint64_t reserved[2];       /**< for later versions: 0 */
} macadam_matching;

/** Matched traces. */
typedef struct macadam_matches {
    size_t point_count;               /**< as in the request */
    const macadam_match_point *point; /**< [point_count] */
    size_t matching_count;            /**< how many journeys there are */
    const macadam_matching *matching; /**< [matching_count] in the order of the traces and of the points */
    size_t arc_count;                 /**< arcs of all matchings, if requested */
    const uint64_t *arc; /**< [arc_count] the numbers of the arcs in the order of travel, each once */
} macadam_matches;

/** Matches traces to roads: a hidden Markov model (Newson, Krumm 2009) in integers. The answer does not
 * depend on the number of threads, nor on the other traces of the request. One travels as the query's metric
 * says, or if that has no quantity "distance" in cm, or only one that factors change, as the file's first one that has it:
 * between two points by the best way, which must be about as long as the line between them. At each point the traveller may turn
 * round, in a car at a price; a point that lies a little farther back on the same road, within twice both accuracies,
 * counts as standing. A point that fits much worse than the way around it is unconnected.
 *
 * The engine's device, if it has one, computes a part of requests of some thousand points and more.
 *
 * Only points that are matched belong to a matching. A matching ends where no plausible way leads on within
 * ten points, or where a pause splits it. The query's metric and quantities decide what routes cost.
 * Bad points are statuses. Returns E_UNSUPPORTED if the file has no coordinates or no hierarchy, or if no
 * metric has a quantity "distance" in cm; E_INVALID for a bad request; E_LIMIT if a trace needs more than
 * the memory limit: a trace of n points needs about 1200 n bytes besides the answer. Free *out with
 * macadam_matches_free. */
MACADAM_API macadam_status macadam_match_find(macadam_matches **out, macadam_engine *engine,
                                              const macadam_query *query,
                                              const macadam_match_request *request, macadam_error *error);

/** Frees the matches and everything they point to. */
MACADAM_API void macadam_matches_free(macadam_matches *matches);

/* ---- guidance: a traveller on a route ---- */

/** A navigation session: follows one traveller along one route. It has neither a clock nor threads; the same positions give
 * the same answers. */
typedef struct macadam_guide macadam_guide;

/** How a traveller is guided. */
typedef struct macadam_guide_options {
    size_t size;       /**< set by MACADAM_GUIDE_OPTIONS_INIT */
    double accuracy_m; /**< of positions without one; 0 = 5 metres */
    /** Which of the route's values is the duration in milliseconds; MACADAM_QUANTITIES_MAX: none, and seconds are NaN */
    size_t duration;
    double far_s;  /**< how many seconds before a maneuver it is announced as far; 0 = 30 */
    double near_s; /**< likewise, as near; 0 = 10 */
    double now_s;  /**< likewise, as to be done now; 0 = 4 */
} macadam_guide_options;

/** Initializes a macadam_guide_options. */
#define MACADAM_GUIDE_OPTIONS_INIT MACADAM_INIT(macadam_guide_options)

/** Whether the traveller follows the route. Values are pinned. */
typedef enum macadam_guide_status {
    MACADAM_GUIDE_ON_ROUTE = 0, /**< the position fits the route */
    /** It does not, or the traveller is still beside the road on which the route begins. Wait for the next one. */
    MACADAM_GUIDE_UNSURE = 1,
    MACADAM_GUIDE_OFF_ROUTE = 2, /**< the traveller has left the route, or drives back: find another one */
    MACADAM_GUIDE_ARRIVED = 3,   /**< the traveller has reached the route's end; this stays so */
} macadam_guide_status;

/** The name of a status for programs: "on_route", "unsure", "off_route", "arrived". The string is static. */
MACADAM_API const char *macadam_guide_status_name(macadam_guide_status status);

/** How instructions are to be said. Values are pinned. */
typedef enum macadam_guide_say {
    MACADAM_GUIDE_SILENT = 0, /**< nothing is to be said */
    MACADAM_GUIDE_FAR = 1,    /**< the maneuver is still far: "In 400 m, turn left" */
    MACADAM_GUIDE_NEAR = 2,   /**< it is near: "In 150 m, turn left" */
    MACADAM_GUIDE_NOW = 3,    /**< it is to be done: "Turn left" */
} macadam_guide_say;

/** The name of a macadam_guide_say for programs: "silent", "far", "near", "now". The string is static. */
MACADAM_API const char *macadam_guide_say_name(macadam_guide_say say);

/** Where the traveller is, and what comes next. Indexes are those of the route. */
typedef struct macadam_guide_state {
    size_t size;                 /**< set by MACADAM_GUIDE_STATE_INIT */
    macadam_guide_status status; /**< whether the traveller follows the route */
    /** The longitude of his place on the route, in degrees. While no place fits, this is the last one that was known; so are
     * `lat` and the members from `arc` to `step_s`. */
    double lon;
    double lat;            /**< likewise, the latitude */
    double distance_m;     /**< from the newest position to there */
    size_t arc;            /**< the arc on which it lies */
    double along;          /**< the share of the arc already travelled, from 0 to 1 */
    double travelled_m;    /**< from the route's start to there */
    double left_m;         /**< from there to the route's end */
    double left_s;         /**< likewise, in seconds */
    size_t leg;            /**< the leg on which it lies; the next waypoint with a stop is that of its end */
    double leg_left_m;     /**< from there to the end of the leg */
    double leg_left_s;     /**< likewise, in seconds */
    size_t step;           /**< the step whose maneuver comes next; at the end of the route, the last one */
    double step_m;         /**< from there to its maneuver */
    double step_s;         /**< likewise, in seconds */
    macadam_guide_say say; /**< how the following steps are to be said now */
    size_t first_said;     /**< the steps first_said <= i < end_said */
    size_t end_said;       /**< likewise */
    /** The place from which another route begins: the newest position and, if it is known, the direction of travel: heading
     * is at least 0 and less than 360. If no road of this direction is near, set heading_tolerance to 0. */
    macadam_place again;
} macadam_guide_state;

/** Initializes a macadam_guide_state. */
#define MACADAM_GUIDE_STATE_INIT MACADAM_INIT(macadam_guide_state)

/** Begins a session along a route that was found with steps (macadam_route_request::steps). It copies what it needs, so the
 * route may be freed. `options` may be NULL. Returns E_INVALID for a route without steps or bad options, or E_MEMORY. Free
 * *out with macadam_guide_free. */
MACADAM_API macadam_status macadam_guide_new(macadam_guide **out, const macadam_route *route,
                                             const macadam_guide_options *options, macadam_error *error);

/** Takes the next position of the traveller, and fills *out, which is initialized with its _INIT.
 *
 * A position is within accuracy if it is at most three standard deviations from its true place: those of the receiver and of
 * the map, 4 m, together. The status becomes MACADAM_GUIDE_OFF_ROUTE when three positions fit no place that the traveller can
 * have reached; each position that fits offsets one that did not. He moves at most 70 m/s, and not backwards by more than the
 * errors. Beside a waypoint, he may be as far from the road as the waypoint's place. So positions within accuracy do not make
 * it MACADAM_GUIDE_OFF_ROUTE, unless the route passes near the same place many times, or back by the same road after a gap: only
 * the most likely places are kept.
 *
 * It is MACADAM_GUIDE_ON_ROUTE again when at least three positions fit the leg that he left, and he has since come forward on
 * it by a standard deviation, and as far as his way, less a standard deviation; or when he is at the leg's end.
 *
 * He has reached the end of the route, or of a leg, when he is within three standard deviations of it, but at most 30 m. The end
 * of the route is also reached within three standard deviations, at most 100 m, if he has come no nearer for 10 s, or if times
 * are not known.
 *
 * Where the route passes a road several times, he is on the pass that continues his way.
 *
 * Each step is to be said MACADAM_GUIDE_NOW once, in order; far and near at most once before. Steps that he passed before the
 * first position that fits, or in a gap of more than 10 s, are left out. On arrival, all that are left are said. After a return to
 * the route, the steps in front of him are to be said again. Leads follow from the speed: that of the position, or the one
 * measured over at least 5 s, and at least half of the speed of the road.
 *
 * A heading counts if heading_accuracy is above 0 and the speed is at least 2 m/s; otherwise it is not read. A position with a
 * time far in the future makes all later ones errors: begin a new session then.
 *
 * Returns E_INVALID for a bad number, with the member's name, and for a time before that of an earlier position; the session
 * is then as it was, and all members of *out but its size are 0. Threads: one call at a time for each guide. Time: some
 * microseconds; more after gaps, with the way that he may have come. */
MACADAM_API macadam_status macadam_guide_move(macadam_guide_state *out, macadam_guide *guide,
                                              const macadam_trace_point *position, macadam_error *error);

/** Frees the session. */
MACADAM_API void macadam_guide_free(macadam_guide *guide);

/* ---- trips: the order of stops ---- */

#define MACADAM_TRIP_STOPS_MAX 1000 /**< the most stops of a trip */

/** Stops to be visited in the cheapest order. */
typedef struct macadam_trip_request {
    size_t size;               /**< set by MACADAM_TRIP_REQUEST_INIT */
    const macadam_place *stop; /**< [stop_count] */
    size_t stop_count;         /**< 1 to MACADAM_TRIP_STOPS_MAX */
    bool open;                 /**< the trip ends at its last stop. false: it returns to its first one */
    bool from_first;           /**< it begins at the first stop of the request */
    bool to_last;    /**< the last stop of the request is the last one, before the return if there is one */
    bool steps;      /**< the steps of the route are requested */
    bool segments;   /**< the segments of the route are requested */
    bool totals;     /**< the totals of the route are requested */
    bool costs_only; /**< as macadam_route_request::costs_only */
} macadam_trip_request;

/** Initializes a macadam_trip_request. */
#define MACADAM_TRIP_REQUEST_INIT MACADAM_INIT(macadam_trip_request)

/** A trip. */
typedef struct macadam_trip {
    /** There is a trip. If it is false, fewer than two of several stops are left, a stop that has to be the first or the
     * last one is left out (its status says why), or the best order costs more than MACADAM_WEIGHT_MAX; then there is no
     * order, and the route says why as far as it knows. */
    bool found;
    /** The sum of the objective over all legs, if found: that of the route; of a signed quantity an int64_t in the same
     * bits. */
    uint64_t cost;
    size_t stop_count; /**< as in the request */
    const uint32_t
        *order; /**< [order_count] the stops by their positions in the request, as they are visited */
    /** [stop_count] where each stop of the request was snapped: as a waypoint of the route, if there is one. Stops that
     * the trip leaves out were not found, or are MACADAM_PLACE_UNREACHED. */
    const macadam_snap *stop;
    /** Through the stops in their order, and back to the first unless the trip is open, with MACADAM_VIA_ANY; NULL if there
     * is no trip, or if it has only one stop and is open. */
    const macadam_route *route;
    size_t order_count; /**< how many stops are visited; 0 if there is no trip */
} macadam_trip;

/** Finds the order of stops whose route costs least. Costs may differ by direction. Stops that were not found are left
 * out. If no order visits the others, the trip is that of the largest set of stops that all reach each other, and of
 * equally large sets that with the earliest stop. Up to 12 stops, the order
 * is the best one; with more, a good one, always the same: local search (Or-opt, 2-opt) from several starts.
 * With a clock, the cost and the route are those of macadam_route_find at that time, with MACADAM_VIA_ANY. The order is chosen by costs at the clock's instant,
 * and then again by costs at the times at which that route is at each stop, as long as the route becomes faster; another order
 * may still be better.
 * Returns E_INVALID for a bad request. Free *out with macadam_trip_free. */
MACADAM_API macadam_status macadam_trip_find(macadam_trip **out, macadam_engine *engine,
                                             const macadam_query *query, const macadam_trip_request *request,
                                             macadam_error *error);

/** Frees the trip and everything it points to. */
MACADAM_API void macadam_trip_free(macadam_trip *trip);

/* ---- roads and isochrones: arcs as lines ---- */

/** An arc as a line with a name. */
typedef struct macadam_road {
    int64_t tail;       /**< user id of the node where it begins */
    int64_t head;       /**< user id of the node where it ends */
    uint64_t arc;       /**< the arc's number, by which an update names it */
    int64_t way;        /**< OSM way id, or 0 */
    const char *name;   /**< of the road, or "" */
    size_t first_shape; /**< its points are first_shape <= i < end_shape, both ends included; none without
                               coordinates */
    size_t end_shape;   /**< likewise */
    const macadam_road_facts *facts; /**< what the map says of the road; NULL: nothing */
    uint64_t reserved[1];            /**< for later versions: 0 */
} macadam_road;

/** A rectangle on the map, in degrees. Its sides belong to it. */
typedef struct macadam_box {
    double west;  /**< longitude */
    double south; /**< latitude */
    double east;  /**< longitude */
    double north; /**< latitude */
} macadam_box;

/** Roads, for drawing. */
typedef struct macadam_roads {
    size_t road_count;        /**< how many roads there are */
    const macadam_road *road; /**< [road_count] */
    size_t shape_count;       /**< points of all roads */
    const double *lon;        /**< [shape_count] in degrees */
    const double *lat;        /**< [shape_count] in degrees */
} macadam_roads;

/** Finds the roads with a straight piece whose bounding box meets `box`. A road of two arcs, one in each direction,
 * appears once. Returns E_INVALID, E_MEMORY, E_FILE, or E_UNSUPPORTED if the file has no coordinates. Free *out
 * with macadam_roads_free. The time follows the roads that are found; once, one look at every arc. */
MACADAM_API macadam_status macadam_roads_find(macadam_roads **out, macadam_engine *engine,
                                              const macadam_box *box, macadam_error *error);

/** Frees the roads and everything they point to. */
MACADAM_API void macadam_roads_free(macadam_roads *roads);

/** Asks for the arcs within a limit of a place. */
typedef struct macadam_isochrone_request {
    size_t size;          /**< set by MACADAM_ISOCHRONE_REQUEST_INIT */
    macadam_place source; /**< the place */
    bool reverse;         /**< the arcs from which the place is reached, instead of those reached from it */
    uint32_t limit;       /**< of the metric's objective; at most MACADAM_WEIGHT_MAX */
} macadam_isochrone_request;

/** Initializes a macadam_isochrone_request. */
#define MACADAM_ISOCHRONE_REQUEST_INIT MACADAM_INIT(macadam_isochrone_request)

/** An arc that is reached within the limit. The traveller enters it at its tail (reverse: at its head), or within it
 * if the source lies there, when `cost` has been spent. A turn into the arc is paid before it. So is the
 * boarding of a ferry where travellers can also stay aboard. The price of arriving at a node (a gate or a
 * signal there) belongs to the node's cost, and to none of the arcs.
 *
 * Within any limit L of at least `cost`, the arc is reached from the share `from` of its length, counted from
 * that end, to the share from + (L - cost) / weight; if that is 1 or more, to its other end.
 *
 * If `weight` is negative and `cost` at most L, the arc is reached as a whole. If it is negative and `cost` above L,
 * the arc is reached from the share from + (L - cost) / weight to its other end, if that share is at most 1.
 *
 * With a clock, `weight` is the time that the arc takes when it is entered at `cost`; if the source lies within it, as if all of it went
 * as fast as what is travelled. Its speed may change meanwhile, so the first formula says only which arcs are reached to their
 * other ends: the share at the request's limit is macadam_isochrone::to. Where a turn into the arc is closed at times, ways into it are
 * paid at different times: the one that leads further counts, and of several that lead to its end the earliest. */
typedef struct macadam_reached_arc {
    macadam_road road; /**< the arc */
    uint32_t cost;     /**< the objective spent where it is entered */
    /** The objective that travelling all of it then costs; `cost` contains what is paid before. */
    uint32_t weight;
    double from; /**< the share of its length where it is entered; 0 = at the end */
} macadam_reached_arc;

/** The arcs within a limit of a place. */
typedef struct macadam_isochrone {
    macadam_snap source; /**< where the source was snapped; if it failed, no arc is reached */
    size_t arc_count;    /**< how many arcs are reached, at least in part */
    /** [arc_count] by ascending number, each once. An arc within which the source lies appears twice if it
     * is also entered at its end. */
    const macadam_reached_arc *arc;
    size_t shape_count; /**< points of all arcs */
    const double *lon;  /**< [shape_count] in degrees */
    const double *lat;  /**< [shape_count] in degrees */
    const double *to;   /**< [arc_count] the share of its length up to which each is reached */
} macadam_isochrone;

/** Finds the arcs that are reached within a limit. Only the objective of the query's metric counts.
 * Free *out with macadam_isochrone_free. */
MACADAM_API macadam_status macadam_isochrone_find(macadam_isochrone **out, macadam_engine *engine,
                                                  const macadam_query *query,
                                                  const macadam_isochrone_request *request,
                                                  macadam_error *error);

/** Frees the isochrone and everything it points to. */
MACADAM_API void macadam_isochrone_free(macadam_isochrone *isochrone);

/** Asks for the areas around the roads that are reached within limits of places. */
typedef struct macadam_rings_request {
    size_t size;                 /**< set by MACADAM_RINGS_REQUEST_INIT */
    const macadam_place *source; /**< the places */
    size_t source_count;         /**< at least 1 */
    bool reverse;                /**< the roads from which the places are reached */
    const uint32_t *limit;       /**< of the metric's objective, ascending, each at most MACADAM_WEIGHT_MAX */
    size_t limit_count;          /**< at least 1, at most MACADAM_REACH_LIMITS_MAX */
    /** The areas are disjoint: each leaves out the one of the limit before. Otherwise each includes it. */
    bool disjoint;
    /** An area is what lies within this many metres of a reached stretch of road, not of a ferry or a train.
     * It may have holes. 0 = 100, and so much more in areas above 50 km across that they stay cheap to
     * compute and to draw; and less near roads that are not reached but connected with those that are: half-way to
     * them, at least a sixth. If an area needs more memory than the limit (1 GiB where neither the query nor the
     * engine has a memory limit), the call returns E_LIMIT before it draws any, and names a width that fits. */
    double width_m;
} macadam_rings_request;

/** Initializes a macadam_rings_request. */
#define MACADAM_RINGS_REQUEST_INIT MACADAM_INIT(macadam_rings_request)

/** Areas as polygons. The area of source s within limit l is number a = s * limit_count + l. It has the
 * polygons first_polygon[a] <= p < first_polygon[a + 1]. Polygon p has the rings first_ring[p] <= r <
 * first_ring[p + 1]: its outer ring, counter-clockwise, then its holes, clockwise, as RFC 7946 (GeoJSON)
 * wants them. Ring r has the points first_point[r] <= i < first_point[r + 1]; the last is the first again.
 * Rings neither touch nor cross themselves or other rings of their area. Where an area crosses the
 * antimeridian, it is cut: each polygon ends exactly there, and longitudes are within -180 to 180. */
typedef struct macadam_rings {
    size_t source_count;        /**< how many sources were requested */
    size_t limit_count;         /**< how many limits were requested */
    size_t polygon_count;       /**< polygons of all areas */
    size_t ring_count;          /**< rings of all polygons */
    size_t point_count;         /**< points of all rings */
    const macadam_snap *source; /**< [source_count] where each was snapped; if it failed, it has no polygon */
    const double *width_m;      /**< [source_count] the width in use */
    /** [source_count * limit_count] the size of each area, without its holes, before points that change it
     * little (0.2 %) are left out. It never shrinks as the limit grows, unless areas are disjoint. */
    const double *area_m2;
    const size_t *first_polygon; /**< [source_count * limit_count + 1] */
    const size_t *first_ring;    /**< [polygon_count + 1] */
    const size_t *first_point;   /**< [ring_count + 1] */
    const double *lon;           /**< [point_count] in degrees */
    const double *lat;           /**< [point_count] in degrees */
} macadam_rings;

/** Finds the areas around what macadam_isochrone_find finds, cut exactly where each limit is spent. If a width is
 * given, they differ by about 1 % from the exact union of all stretches, each widened on both sides. A metre is one at
 * the source's latitude; 100 km north of it, at 45 degrees, it is 1.6 % too short from west to east. Only the
 * objective of the query's metric counts. The answer does not depend on the number of threads, which share
 * the sources. Time: what lies within the largest limit, not the map. Returns E_UNSUPPORTED if the file has
 * no coordinates, and E_LIMIT if the width is so small that the memory limit does not suffice. Free *out, and
 * all it points to, with macadam_rings_free. */
MACADAM_API macadam_status macadam_rings_find(macadam_rings **out, macadam_engine *engine,
                                              const macadam_query *query,
                                              const macadam_rings_request *request, macadam_error *error);

/** Frees the rings and everything they point to. */
MACADAM_API void macadam_rings_free(macadam_rings *rings);

/* ---- all pairs ---- */

/** The costs between all nodes. Rows and columns are all user ids, ascending: macadam_engine_ids.
 *
 * A next hop is the position, among these ids, of the node that follows the row's node on a shortest path to
 * the column's. It is MACADAM_UNREACHED if there is no path, or if row and column are the same. Going from
 * next hop to next hop follows a shortest path, and repeats no node even on cycles of weight 0. Only
 * Floyd-Warshall finds next hops. If turn restrictions split junctions, there are none (E_UNSUPPORTED),
 * because the way on then depends on the way in. */
typedef struct macadam_all_pairs_request {
    size_t size;         /**< set by MACADAM_ALL_PAIRS_REQUEST_INIT */
    const char *method;  /**< one of macadam_methods for all pairs; NULL: "auto" */
    bool next;           /**< next hops are requested */
    const char **chosen; /**< receives the name of the method in use, before the first tile; may be NULL */
} macadam_all_pairs_request;

/** Initializes a macadam_all_pairs_request. */
#define MACADAM_ALL_PAIRS_REQUEST_INIT MACADAM_INIT(macadam_all_pairs_request)

/** Computes all pairs and hands them to `tile`, which receives whole rows in ascending order.
 * Floyd-Warshall needs memory for the whole matrix, the other methods for some rows; if that exceeds the
 * limit, E_LIMIT says how much it is. */
MACADAM_API macadam_status macadam_all_pairs_find(macadam_engine *engine, const macadam_query *query,
                                                  const macadam_all_pairs_request *request,
                                                  macadam_tile_callback tile, void *context,
                                                  macadam_error *error);

/** Computes all pairs in the caller's memory: value[q][row * id_count + column], and `next` likewise if it
 * is requested. Values may go to device memory (macadam_memory_new) that is not divided. Host memory may
 * be a mapped file. */
MACADAM_API macadam_status macadam_all_pairs_find_into(uint32_t *const *value, uint32_t *next,
                                                       macadam_engine *engine, const macadam_query *query,
                                                       const macadam_all_pairs_request *request,
                                                       macadam_error *error);

/** Computes all pairs in a new .npy file, which is mapped while it is written and may be larger than the
 * memory. It is an array of uint32 (int32 if a quantity is signed; -1 is then MACADAM_UNREACHED of
 * the others) of shape (rows, columns), or (2, rows, columns) with a second quantity or next hops. A file at `path` is replaced only when the new one is complete. */
MACADAM_API macadam_status macadam_all_pairs_save(macadam_engine *engine, const macadam_query *query,
                                                  const macadam_all_pairs_request *request, const char *path,
                                                  macadam_error *error);

/** Which nodes reach which, over all arcs, including those that an update closed or that open only at times. The functions below
 * accept NULL as the request. */
typedef struct macadam_closure_request {
    size_t size;               /**< set by MACADAM_CLOSURE_REQUEST_INIT */
    uint64_t memory_limit;     /**< bytes of scratch memory for this call; 0 = the engine's limit */
    macadam_progress progress; /**< NULL: that of macadam_engine_options */
    void *progress_context;    /**< passed to progress */
} macadam_closure_request;

/** Initializes a macadam_closure_request. */
#define MACADAM_CLOSURE_REQUEST_INIT MACADAM_INIT(macadam_closure_request)

/** Computes the closure in host memory. Rows and columns are all user ids, ascending. A row has (id_count
 * + 7) / 8 bytes; its first column is the highest bit of the first byte, as numpy.unpackbits expects. A
 * bit is 1 if the row's node reaches the column's; every node reaches itself. */
MACADAM_API macadam_status macadam_closure_find(uint8_t *bits, macadam_engine *engine,
                                                const macadam_closure_request *request, macadam_error *error);

/** Computes the closure in a new .npy file: uint8 of shape (rows, (columns + 7) / 8). */
MACADAM_API macadam_status macadam_closure_save(macadam_engine *engine,
                                                const macadam_closure_request *request, const char *path,
                                                macadam_error *error);

/* ---- the arcs of the map ---- */

/** An arc of the map. */
typedef struct macadam_arc {
    uint64_t arc; /**< its number, by which an update names it */
    int64_t tail; /**< user id of the node where it begins */
    int64_t head; /**< user id of the node where it ends */
    int64_t way;  /**< OSM way id, or 0 */
    bool forward; /**< it leads in the direction in which the way is drawn; true as well if there is no way */
    double length_m;                 /**< along its points; NaN without coordinates */
    const macadam_road_facts *facts; /**< what the map says of its road; NULL: nothing */
    /** [macadam_info::quantity_count] its present weights, without prices of turns; MACADAM_WEIGHT_CLOSED, or
     * of a signed quantity MACADAM_SIGNED_UNREACHED: it is closed */
    const uint32_t *value;
    const int64_t *node;  /**< [node_count] the ids of its nodes in their order, both ends included */
    const double *node_m; /**< [node_count] how far each of them is from `tail`, in metres */
    size_t node_count;    /**< how many there are; 0 unless macadam_info::has_node_ids */
    /** [macadam_info::quantity_count] its weights as they were imported, likewise */
    const uint32_t *imported;
} macadam_arc;

/** Receives an arc, borrowed until the callback returns. Returns false to cancel. */
typedef bool (*macadam_arc_callback)(void *context, const macadam_arc *arc);

/** Calls `each` with every arc of the map once, by ascending number, from the calling thread. Restricted
 * turns split junctions inside the file; their arcs are listed once, too. */
MACADAM_API macadam_status macadam_arcs_list(macadam_engine *engine, macadam_arc_callback each, void *context,
                                             macadam_error *error);

/* ---- weight updates ---- */

/** New weights for some arcs. An arc that is closed for one quantity of a metric is closed for the whole
 * metric.
 *
 * The weight of an arc and the prices of the turns into it (turn costs, signals, barriers, boarding) are two things: an
 * update sets the weight, and the prices stay. After a turn, a path pays the sum of both, at least 0 and at most
 * MACADAM_WEIGHT_MAX, unless the arc or the turn is closed. The weight of a ferry contains its boarding; the price for
 * who stays aboard is negative. An update with weights as macadam_arcs_list gives them changes nothing. */
typedef struct macadam_update_request {
    size_t size;                 /**< set by MACADAM_UPDATE_REQUEST_INIT */
    const uint64_t *arc;         /**< [count] arc numbers; NULL: arcs are named by `tail` and `head` */
    const int64_t *tail;         /**< [count] entry i changes all parallel arcs from tail[i] to head[i] */
    const int64_t *head;         /**< [count] likewise */
    size_t count;                /**< how many entries there are; a later entry for the same arc wins */
    const char *const *quantity; /**< [quantity_count] the names of the quantities that change */
    size_t quantity_count;       /**< how many change */
    /** value[q][i] is the weight of entry i for quantity[q]: at most MACADAM_WEIGHT_MAX, or
     * MACADAM_WEIGHT_CLOSED, or MACADAM_WEIGHT_IMPORTED. Of a signed quantity it is an int32_t,
     * MACADAM_SIGNED_UNREACHED or MACADAM_SIGNED_IMPORTED; E_INVALID if it is so small that a circle could be
     * negative. */
    const uint32_t *const *value;
    macadam_progress progress; /**< NULL: that of macadam_engine_options */
    void *progress_context;    /**< passed to progress */
    /** [count] OSM way ids; NULL: ways do not matter. If `arc` is NULL, entry i changes arcs of way[i]. With
     * `tail` and `head`, those between the two nodes: the shortest way from tail[i] to head[i] along it, in
     * as many arcs as needed. Without these, all arcs in the direction direction[i]. */
    const int64_t *way;
    /** [count] 1: in the direction in which the way is drawn, -1: against it, 0: both; NULL: all are 0 */
    const int8_t *direction;
    /** The update holds for all profiles of the file, not only for the engine's. `arc` must then be NULL: numbers are a
     * profile's own. Where a profile lacks an arc, its entry is passed over; E_NOT_FOUND if all of them lack it. */
    bool all_profiles;
    size_t turn_count; /**< how many prices of turns change; `count` may then be 0 */
    /** [turn_count] the numbers of the arcs before the turns; NULL: turns are named by nodes */
    const uint64_t *turn_from;
    const uint64_t *turn_to; /**< [turn_count] the numbers of the arcs after them */
    /** [turn_count] The ids of the junctions of the turns, of the junctions before, and of the junctions
     * after; or, if the file has_node_ids, of the nodes next to the junction. Entry i changes all turns
     * between such arcs. */
    const int64_t *turn_via;
    const int64_t *turn_tail; /**< [turn_count] likewise: before */
    const int64_t *turn_head; /**< [turn_count] likewise: after */
    /** turn_price[q][i] is what is paid for turn i before the arc, in quantity[q], whatever was paid until now: at most
     * MACADAM_WEIGHT_MAX, or MACADAM_WEIGHT_CLOSED, or MACADAM_WEIGHT_IMPORTED: a price is never signed. Turns that share a copy of their junction
     * have one price: they can only be given the same one, in one update. E_UNSUPPORTED if one of them is missing, or if
     * departures share it; E_NOT_FOUND for a turn that is not on the map, or is forbidden there. */
    const uint32_t *const *turn_price;
    /** NULL: an entry or a turn that is not on the map is an error. Else such ones are passed over, and it receives how
     * many there are. */
    size_t *unknown_count;
    uint32_t
        *changed; /**< [count] NULL, or receives how many arcs each entry names, of all profiles together */
    /** [count] the pattern of speed of each entry's arcs: its place in `pattern_speed`, plus 1; 0: their speed never
     * changes. NULL: patterns stay. Weights of the duration hold at the fastest speed of the week. `quantity_count` may
     * then be 0. */
    const uint16_t *pattern;
    /** [pattern_count * slot_count] as in macadam_arrays_input. All other arcs keep their patterns; if these have other
     * slots, the map has slots of 5 minutes then; all have the speeds of holidays, if some do.
     * E_UNSUPPORTED if there are more than 65535 in all. */
    const uint8_t *pattern_speed;
    size_t pattern_count; /**< how many patterns are given */
    size_t slot_count;    /**< as in macadam_arrays_input */
} macadam_update_request;

/** Initializes a macadam_update_request. */
#define MACADAM_UPDATE_REQUEST_INIT MACADAM_INIT(macadam_update_request)

/** Repairs the customized weights of the metrics that have some, beside those in use; then swaps them in. Any
 * other metric is customized for its first query. Running queries finish on the weights they began with.
 * Returns E_NOT_FOUND for an unknown arc or quantity, and changes nothing. Updates wait for each other.
 * Until weights of a compact file are first read, changes by numbers of arcs are kept as a list, which takes microseconds. The first
 * call that reads the weights makes the changes; if memory is lacking or the file is damaged, that call fails, and the next tries again. */
MACADAM_API macadam_status macadam_update(macadam_engine *engine, const macadam_update_request *request,
                                          macadam_error *error);

/** Writes the engine's map with its present weights to a new edge file. A file at `path` is replaced only
 * when the new one is complete. */
MACADAM_API macadam_status macadam_engine_save(macadam_engine *engine, const char *path,
                                               macadam_error *error);

/** Does the same, and stores the customized weights of all metrics: macadam_import_options.ready. Returns
 * E_UNSUPPORTED if the map has no hierarchy. */
MACADAM_API macadam_status macadam_engine_save_ready(macadam_engine *engine, const char *path,
                                                     macadam_error *error);

/* ---- protobuf ---- */

/** Bytes that the library allocated. Free them with macadam_bytes_free. */
typedef struct macadam_bytes {
    uint8_t *data; /**< the bytes */
    size_t size;   /**< how many there are */
} macadam_bytes;

/** Frees the bytes and sets them to NULL and 0. */
MACADAM_API void macadam_bytes_free(macadam_bytes *bytes);

/** Makes a vector tile (Mapbox's specification, version 2) of a square of the map, as slippy maps number them, with
 * OSRM's layers. `speeds`: a line for each open arc, whose id is the arc's number, with speed (km/h), is_small,
 * datasource ("map" or, after an update, "traffic"), weight and duration (seconds, with which arcs are used), name, rate
 * (metres a second), is_startpoint and class. `turns`, from zoom 15 on: a point for each turn from an arc into another, with
 * bearing_in, turn_angle, cost and weight (seconds), type and modifier. zoom: 0 to 24. Free *out with
 * macadam_bytes_free. Returns E_INVALID, E_NOT_FOUND (the map has no durations), E_UNSUPPORTED (it has no coordinates),
 * E_FILE, E_MEMORY or E_CANCELLED. */
MACADAM_API macadam_status macadam_vector_tile_find(macadam_bytes *out, macadam_engine *engine, unsigned zoom,
                                                    uint32_t x, uint32_t y, macadam_error *error);

/** Receives one serialized macadam.v1.Reply of a streamed answer, borrowed until the callback returns.
 * Returns false to cancel. */
typedef bool (*macadam_reply_callback)(void *context, const uint8_t *data, size_t size);

/** Answers any request. `request` is a serialized macadam.v1.Request (proto/macadam/v1). Matrices and
 * trees arrive at `part` as one Reply per tile; if `part` is NULL, *reply holds the whole answer. *reply
 * is the last Reply. If the request fails, the call returns its status, and *reply holds a Reply with
 * that status and the message. */
MACADAM_API macadam_status macadam_call(macadam_bytes *reply, macadam_engine *engine, const uint8_t *request,
                                        size_t request_size, macadam_reply_callback part, void *context,
                                        macadam_error *error);

/** Answers a request for trees, routes, a matrix or all pairs as macadam_call does, but writes the costs to the caller's memory:
 * to value[q] for each of the value_count quantities of the query, in its order. Each has room for `capacity` costs, and is laid
 * out as the columns of the Reply are; those stay empty. *reply holds the rest: rows, columns, statuses. For bindings, whose users
 * have arrays of their own: nothing is copied, and the size of an answer is not limited. Returns as macadam_call does;
 * E_INVALID for other requests, and if there are fewer arrays than quantities or too little room: the message says how much is needed. */
MACADAM_API macadam_status macadam_call_into(uint32_t *const *value, size_t value_count, size_t capacity,
                                             macadam_bytes *reply, macadam_engine *engine,
                                             const uint8_t *request, size_t request_size,
                                             macadam_error *error);

/** Answers a request for a route as macadam_call does, and sets *out to that route as well, for macadam_guide_new and
 * macadam_route_text. The caller frees it with macadam_route_free. *out is NULL if the request fails. Returns as macadam_call
 * does; E_INVALID for other requests. */
MACADAM_API macadam_status macadam_call_route(macadam_route **out, macadam_bytes *reply,
                                              macadam_engine *engine, const uint8_t *request,
                                              size_t request_size, macadam_error *error);

/* ---- importing (libmacadam_import) ---- */

/** How a map is imported. */
typedef struct macadam_import_options {
    size_t size; /**< set by MACADAM_IMPORT_OPTIONS_INIT */
    const char
        *output; /**< the edge file to write; a file there is replaced only when the new one is complete */
    /** A text file that gives the elimination order: all node ids, one per line, the first to eliminate
     * first. NULL = the importer computes an order. */
    const char *order;
    bool no_hierarchy;                /**< no preprocessing: for graphs that are not road networks */
    unsigned threads;                 /**< 0 = one per processor */
    const macadam_executor *executor; /**< NULL = the library's own threads */
    macadam_progress progress;        /**< may be NULL */
    void *context;                    /**< passed to progress and report */
    /** Receives one line of text for each kind of thing that the importer skipped or mended, such as "ways
     * without access: 312". May be NULL. */
    void (*report)(void *context, const char *line);
    /** Stores customized weights too, ready to be mapped by many processes. Without them the file is a
     * fraction as large, and the weights are customized when they are first needed. */
    bool ready;
    /** The most memory of this process that is resident during the import, in bytes (docs/reference/limits.md). Large arrays
     * are then pages of temporary files beside the output; MACADAM_E_LIMIT says what is needed. 0 = a target of 256 MiB for
     * the import's arrays, which it may exceed, as it may any limit where this is not Linux. The edge file is the same. */
    uint64_t memory_limit;
    /** The folder of tiles from which macadam_import_osm takes heights: SRTM (N45E009.hgt, also .hgt.gz and .zip; 1 or
     * 3 arc seconds) or, unless built without it, GeoTIFF of a degree (N45E009.tif, Copernicus DEM, ASTER): the map then has the quantities "ascent" and "descent" (cm), and routes
     * have heights; profiles of people on foot and on bicycles make them slower uphill. NULL = the map has none.
     * Other imports return MACADAM_E_INVALID. */
    const char *heights;
    /** Of OpenStreetMap data: keep the ids of the nodes between junctions too, for macadam_segment. The file grows
     * by about a tenth. */
    bool node_ids;
    /** The path of a file that describes an electric vehicle (docs/profiles.md); needs `heights`. The map then has the
     * signed quantity "energy" (mWh). NULL = it has not. */
    const char *vehicle;
    /** Of OpenStreetMap data: the path of a JSON file to write, which names every object that `report` counts as
     * skipped or mended: {"profiles": [{"profile": NAME, "counts": [{"what", "count", "ids": ["way/123", ...]}]}]}.
     * NULL = none. Other imports return MACADAM_E_INVALID. */
    const char *report_file;
    /** [speeds_count] Of OpenStreetMap data: files with speeds over the week, which give the arcs of motor vehicles
     * patterns; durations are then those at the fastest speed of the week. FILE: a CSV with the columns
     * way,direction,from,to,km/h (docs/speeds.md). osrm:WHEN=FILE: a CSV of from_node,to_node,km/h for a slot or times.
     * factors:TABLE=FILE: base speeds and factors. valhalla:FILE: Valhalla's predicted speeds. A slot that no speed names
     * keeps the road's usual one. Other imports return MACADAM_E_INVALID. */
    const char *const *speeds;
    size_t speeds_count; /**< 0 = none */
    /** Keeps checkpoints beside the output while the import runs: files `output`.resume-PROFILE-STAGE, PROFILE from 0, STAGE
     * roads, map or order. An import that was stopped in any way goes on from the last of them if it is called again with
     * `resume`; the edge file is the same. `report` receives from which. Checkpoints of other files, profiles or options
     * (but for ready, threads, memory_limit), of another version of the library, and damaged ones are not used: `report` receives why,
     * and the import starts over. They are removed when the edge file is complete. MACADAM_E_INVALID for standard input
     * and for arrays. docs/reference/import.md */
    bool resume;
} macadam_import_options;

/** Initializes a macadam_import_options. */
#define MACADAM_IMPORT_OPTIONS_INIT MACADAM_INIT(macadam_import_options)

/** Speeds over the week for an opened map. */
typedef struct macadam_speeds_request {
    size_t size;               /**< set by MACADAM_SPEEDS_REQUEST_INIT */
    const char *const *speeds; /**< [speeds_count] files, as macadam_import_options::speeds names them */
    size_t speeds_count;       /**< at least 1 */
    macadam_progress progress; /**< may be NULL */
    /** Receives a line for each count, as that of macadam_import_options does. May be NULL. */
    void (*report)(void *context, const char *line);
    void *context; /**< passed to progress and report */
} macadam_speeds_request;

/** Initializes a macadam_speeds_request. */
#define MACADAM_SPEEDS_REQUEST_INIT MACADAM_INIT(macadam_speeds_request)

/** Gives the arcs of the engine's profile speeds over the week, by macadam_update. Arcs without any keep their weights and
 * patterns; a slot that no speed names has the imported duration. Speeds between nodes need macadam_info::has_node_ids,
 * but where these are the ends of an arc. Returns E_FILE, E_IO, E_INVALID, E_UNSUPPORTED (the map has no durations,
 * or too many patterns), E_MEMORY or E_CANCELLED. */
MACADAM_API macadam_status macadam_update_speeds(macadam_engine *engine,
                                                 const macadam_speeds_request *request, macadam_error *error);

/** DIMACS files: one .gr or .gr.gz file per quantity, all over the same arcs in the same order. Weights
 * and names are the caller's; "duration" and "distance" keep the unit of the file. */
typedef struct macadam_dimacs_input {
    size_t size;                 /**< set by MACADAM_DIMACS_INPUT_INIT */
    const char *const *quantity; /**< [quantity_count] names; the first is the default metric */
    const char *const *weight;   /**< [quantity_count] paths of the weight files */
    size_t quantity_count;       /**< at least 1 */
    const char *coordinates;     /**< path of a .co or .co.gz file; may be NULL */
} macadam_dimacs_input;

/** Initializes a macadam_dimacs_input. */
#define MACADAM_DIMACS_INPUT_INIT MACADAM_INIT(macadam_dimacs_input)

/** Imports DIMACS files. */
MACADAM_API macadam_status macadam_import_dimacs(const macadam_dimacs_input *input,
                                                 const macadam_import_options *options, macadam_error *error);

/** Imports OpenStreetMap data: .osm.pbf (also a history), .osm, .osc, .osh or .opl (these four also with .gz or .bz2), or
 * .o5m; "-" is standard input, whose first bytes say what it is. Of several versions of an object the newest counts,
 * unless it says that the object was deleted. Ways may have the coordinates of their nodes.
 *
 * `profile` is one of those in docs/profiles.md
 * ("car", "bike", "foot", "truck", ...), or the path (with a '/' or '.') of a file like those installed in
 * share/macadam/profiles; NULL = "car". The file is mapped into memory: it must not be shortened during the
 * import. */
MACADAM_API macadam_status macadam_import_osm(const char *path, const char *profile,
                                              const macadam_import_options *options, macadam_error *error);

/** Imports several OpenStreetMap files as one map: path[path_count], at least one, each once. Objects of the same id
 * are one: the newest version counts, of equal versions one that deletes, then that of the first file; so a change
 * (.osc) may follow what it changes. The map is that of the files merged (`osmium merge`). Roads and turn restrictions
 * continue from one file to the other. Needs 24 bytes of memory for each
 * way and relation of the files, besides what the import of the merged file needs.
 *
 * The file holds a map for each of profile[profile_count], at most 8, all with names of their own; 0 profiles: "car". The
 * OpenStreetMap files are read once for all. The maps are made concurrently, one for each thread, unless the
 * file is to be ready, the host has an executor, or all maps together would take more than memory_limit (0:
 * half of the machine's memory). The file is the same. Otherwise as macadam_import_osm. */
MACADAM_API macadam_status macadam_import_osm_files(const char *const *path, size_t path_count,
                                                    const char *const *profile, size_t profile_count,
                                                    const macadam_import_options *options,
                                                    macadam_error *error);

/** A map in the caller's arrays. Arc i has the number i + 1. */
typedef struct macadam_arrays_input {
    size_t size;                   /**< set by MACADAM_ARRAYS_INPUT_INIT */
    size_t node_count;             /**< how many nodes there are */
    size_t arc_count;              /**< how many arcs there are */
    const int64_t *id;             /**< [node_count] distinct ids; NULL: node i has the id i */
    const int32_t *lon_e7;         /**< [node_count] longitudes, degrees x 1e7; both coordinates or neither */
    const int32_t *lat_e7;         /**< [node_count] latitudes, likewise */
    const uint32_t *tail;          /**< [arc_count] the node where each arc begins, by its index */
    const uint32_t *head;          /**< [arc_count] the node where each arc ends, by its index */
    const char *const *quantity;   /**< [quantity_count] names */
    const char *const *unit;       /**< [quantity_count] units; may be NULL */
    const uint32_t *const *weight; /**< weight[quantity][arc] */
    size_t quantity_count;         /**< at least 1 */
    /** potential[quantity][node], at most MACADAM_POTENTIAL_MAX in size; NULL = no quantity has any; an entry may be
     * NULL too. The weights of a quantity with potentials are int32_t. Each must be at least the potential of its head
     * less that of its tail, so that no circle is negative. */
    const int32_t *const *potential;
    /** [arc_count] the pattern of speed of each arc, by its place in `pattern_speed`, plus 1; 0: its speed never changes;
     * NULL: no arc has a pattern. The weights of the first quantity hold at the fastest speed of the week. */
    const uint16_t *arc_pattern;
    /** [pattern_count * slot_count] the speeds in each slot of the week, Monday 00:00 first, in 255ths of the fastest;
     * each pattern has a slot of 255. */
    const uint8_t *pattern_speed;
    size_t pattern_count; /**< at most 65535 */
    /** Of a week: 672 (15 minutes each) or 2016 (5 minutes). Twice as many: a second week follows, whose speeds hold on public
     * holidays (MACADAM_HOLIDAY_MS). */
    size_t slot_count;
} macadam_arrays_input;

/** Initializes a macadam_arrays_input. */
#define MACADAM_ARRAYS_INPUT_INIT MACADAM_INIT(macadam_arrays_input)

/** Imports a map from arrays. */
MACADAM_API macadam_status macadam_import_arrays(const macadam_arrays_input *input,
                                                 const macadam_import_options *options, macadam_error *error);

#ifdef __cplusplus
}
#endif
#endif
