/* engine.h - an opened edge file on a device: the data that is loaded from it, and the weights in use. */
#ifndef MCD_ENGINE_RUNTIME_ENGINE_H
#define MCD_ENGINE_RUNTIME_ENGINE_H

#include "engine/file/arc_index.h"
#include "engine/runtime/patterns.h"
#include "engine/runtime/prices.h"
#include "engine/runtime/rates.h"
#include "engine/runtime/way_arcs.h"
#include "engine/runtime/idle.h"
#include "engine/runtime/scratch.h"
#include "engine/runtime/array.h"
#include "engine/file/opposite.h"
#include "engine/file/read.h"
#include "engine/guide/junctions.h"
#include "engine/map/component.h"
#include "engine/map/known_roads.h"
#include "engine/map/map.h"
#include "engine/map/unindexed.h"
#include "engine/file/metadata.h"
#include "kernels/backend.h"

typedef struct mcd_buffer mcd_buffer;
typedef struct mcd_version mcd_version;

/* The parts that are loaded from the file, or made of that. */
typedef enum mcd_load {
    MCD_LOAD_ARCS,      /* of the graph, without its reverse CSR */
    MCD_LOAD_GRAPH,     /* all of it */
    MCD_LOAD_ARRIVALS,  /* the same, but where mcd_engine_touch_arrivals checks its reverse arcs */
    MCD_LOAD_TREE,      /* of the hierarchy, without its upward arcs if the file is ready */
    MCD_LOAD_UPWARD,    /* all of the hierarchy, and the arcs */
    MCD_LOAD_HIERARCHY, /* all of the hierarchy and of the graph */
    MCD_LOAD_PLACES,
    MCD_LOAD_NODE_IDS,
    MCD_LOAD_ORIGINALS, /* each exists: enough for facts of an arc */
    MCD_LOAD_COPIES, /* and is one of its junction's, in their order: what junctions and packed weights rely on */
    MCD_LOAD_SHUT, /* of the facts: the arcs that are shut at times */
    MCD_LOAD_FACTS,
    MCD_LOAD_INDEX, /* of the numbers of arcs */
    MCD_LOAD_JUNCTIONS,
    MCD_LOAD_SNAP,      /* nothing without coordinates */
    MCD_LOAD_UNINDEXED, /* likewise */
    MCD_LOAD_COMPONENTS,
    MCD_LOAD_COUPLES,
    MCD_LOAD_COUNT
} mcd_load;

/* A change of the arc of a number. */
typedef struct mcd_pending_change {
    uint64_t number;
    uint32_t value; /* as in macadam_update_request */
} mcd_pending_change;

/* The changes of a quantity in their order. */
typedef struct mcd_pending {
    mcd_pending_change *change; /* [count] */
    size_t count, capacity;
} mcd_pending;

/* A message that is set once, under a lock. */
typedef struct mcd_reason {
    macadam_error said;
    atomic_bool is_said;
} mcd_reason;

typedef struct mcd_dispatch {
    bool is_free; /* the device is "auto" */
    mcd_rates rates;
    pthread_mutex_t lock;               /* of opening a device, and of reasons */
    atomic_uint_least64_t retry_ms;     /* when a device may be opened; 0: never (again) */
    mcd_reason no_device;               /* why none was opened; empty: none was tried */
    mcd_reason fell_back;               /* why the processor answered instead of the device the first time */
    mcd_idle beside;                    /* the thread that works beside calls: */
    atomic_bool wants_device;           /* it is to open a device; */
    _Atomic(mcd_version *) wanted;      /* it is to make the host's weights of this one; NULL: none; */
    atomic_bool wants_basic;            /* of these, only basic ones; */
    atomic_bool is_outdated;            /* an update has meanwhile changed most weights; */
    atomic_bool is_closing;             /* it is to end */
    atomic_uint device_calls;           /* that run on the device */
    atomic_uint_least64_t lost_ns;      /* what questions on the processor would have gained on a device */
    atomic_uint_least64_t host_lost_ns; /* the reverse, since weights have only been on the device */
} mcd_dispatch;

struct macadam_engine {
    mcd_edge_file *file;
    size_t profile_count;
    mcd_metadata *profile[MCD_PROFILES_MAX]; /* of all the file's profiles */
    const char *profile_name[MCD_PROFILES_MAX];
    const mcd_metadata *metadata;              /* of the engine's profile */
    macadam_engine *eldest;                    /* open.h; NULL: this is the eldest */
    macadam_engine *sibling[MCD_PROFILES_MAX]; /* of the eldest: NULL: not open; under `sibling_lock` */
    pthread_mutex_t sibling_lock;
    char *device_wanted; /* as the caller named it; NULL: "auto" */
    mcd_parallel parallel;
    macadam_executor executor; /* that `parallel` uses, if the host gave one */
    const mcd_backend *host,
        *backend; /* the processor's, or that of the device for which the engine was opened */
    /* NULL: the host computes. Set once: at open if it is named, else by the first call that it pays for. */
    _Atomic(mcd_device *) device;
    mcd_dispatch dispatch; /* of the backend for each question: engine/query/places/dispatch.h */
    uint64_t memory_limit; /* as the host gave it; 0: none */
    mcd_progress progress; /* of calls without a callback of their own */
    mcd_scratch scratch;
    mcd_idle idle;
    /* For tests, of parts for matrices with a clock (local_costs.h): they are made whether they pay or not, and the first
     * one has this margin. 0: as usual. */
    uint32_t forced_margin;

    /* Metadata as macadam.h returns it. */
    const char *quantity_name[MCD_QUANTITY_MAX], *quantity_unit[MCD_QUANTITY_MAX];
    const char *metric_name[MCD_QUANTITY_MAX], *metric_companion[MCD_QUANTITY_MAX];
    bool has_potential[MCD_QUANTITY_MAX]; /* per quantity */
    bool is_ready; /* the file has customized weights: all of its metrics have them, or none */

    /* Loaded and checked at first use, under `lock`; then constant. */
    pthread_mutex_t lock;
    bool is_loaded[MCD_LOAD_COUNT];
    atomic_uint
        user_count; /* calls that may read junctions, lines or `device_snap`: a trim leaves these then */
    mcd_graph graph;
    bool owns_reverse;                 /* of the graph */
    atomic_bool *has_checked_arrivals; /* [node_count] its reverse arcs; NULL: of no node, or of all */
    mcd_hierarchy hierarchy;
    mcd_hierarchy *made_hierarchy; /* owns the arrays of `hierarchy` */
    uint32_t *made_up_depth;       /* that of `hierarchy`, of a ready file that does not have it */
    mcd_place_index places;
    bool owns_places; /* but for the ids; else they are the file's */
    const int32_t
        *potential[MCD_QUANTITY_MAX]; /* [id_count] per quantity, NULL: it has none; with the places */
    int64_t *node_id;                 /* [node_count], for macadam_engine_node_ids */
    const uint32_t *original;         /* [arc_count]; NULL: no junction is split */
    uint32_t *made_original;          /* that, unless it is the file's */
    size_t original_count;
    mcd_arc_facts facts;
    mcd_opposites opposites;        /* of a compact file, from its first weights or facts to its last ones */
    mcd_arc_facts own_facts;        /* those of `facts` that a compact file does not have as they are */
    mcd_roads roads;                /* made of the three above */
    mcd_junctions junctions;        /* empty until steps are requested, and after macadam_engine_trim */
    macadam_road_facts *road_facts; /* [by kind] mcd_engine_road_facts; NULL: the file has none */
    mcd_snap_index snap;
    mcd_known_roads known_roads;
    _Atomic(mcd_device_snap *) device_snap;     /* the index on the device; NULL: nothing, so far */
    atomic_uint_least64_t device_snap_searches; /* that would have been faster there */
    atomic_bool has_device_snap;                /* it is there, or is being made */
    atomic_bool has_device_ends; /* it has the ends of roads; does not change while it is used */
    mcd_unindexed unindexed;     /* empty until roads of a box are first requested */
    mcd_components components;   /* of a file that does not have them */
    const uint32_t *component; /* [node_count] those, or the file's: equal for nodes of the same component */
    mcd_couples couples;
    _Atomic(mcd_device_map *) device_map; /* NULL until first used */

    mcd_buffer *buffer; /* the first of the callers' blocks; under `buffer_lock` */
    pthread_mutex_t buffer_lock;

    /* Per quantity: what updates have changed before its weights are read. Under `lock`. */
    mcd_pending pending[MCD_QUANTITY_MAX];

    /* The weights in use, NULL until first used. Updates replace them under `lock`; `update_lock` admits one
     * update at a time. */
    mcd_array *quantity[MCD_QUANTITY_MAX];      /* per quantity, of the input arcs */
    mcd_version *version[MCD_QUANTITY_MAX + 1]; /* per metric; the last one has only the graph */
    mcd_version *conditioned;                   /* the first of the versions under conditions; under `lock` */
    mcd_weight *own_weight[MCD_QUANTITY_MAX];   /* [arc_count] of a compact file, once read; NULL otherwise */
    bool has_checked_weight[MCD_QUANTITY_MAX];  /* all of the file's; under `lock` */
    atomic_uint_least64_t update_count;         /* of the updates in use; grows under `lock` */
    pthread_mutex_t update_lock;
    pthread_mutex_t
        customize_lock; /* taken first: admits one customization of versions at a time, beside updates */
    /* NULL until first needed; made under `schedule_lock`, which is taken before `lock`. */
    _Atomic(mcd_schedule *) schedule;
    pthread_mutex_t schedule_lock;
    atomic_uint
        basic_count; /* of the versions with basic weights, and of customizations, which need the schedule */
    mcd_arc_index arc_index; /* loaded; freed under both locks */
    /* Under update_lock: empty until the first update. */
    mcd_arc_index stored_index;          /* of a ready file, which it borrows */
    mcd_prices prices[MCD_QUANTITY_MAX]; /* per quantity */
    mcd_way_arcs way_arcs;
    mcd_patterns_in_use patterns; /* `facts` name them */
};

/* Returns the engine that the caller opened: itself, or the one that opened this sibling. */
static inline macadam_engine *mcd_engine_eldest(macadam_engine *engine)
{
    return engine->eldest ? engine->eldest : engine;
}

/* Returns the engine of a profile if it is open, else NULL. */
macadam_engine *mcd_engine_open_sibling(macadam_engine *engine, size_t profile);

/* Finds the index of a profile, quantity or metric by name. Returns E_NOT_FOUND, which names it and lists the known
 * ones. */
macadam_status mcd_engine_find_profile(const macadam_engine *engine, const char *name, size_t *out,
                                       macadam_error *error);
macadam_status mcd_engine_find_quantity(const macadam_engine *engine, const char *name, size_t *out,
                                        macadam_error *error);
macadam_status mcd_engine_find_metric(const macadam_engine *engine, const char *name, size_t *out,
                                      macadam_error *error);
/* Returns the index of a metric's objective quantity. */
size_t mcd_engine_objective(const macadam_engine *engine, size_t metric);
/* Returns the index of a metric's companion quantity, or SIZE_MAX. */
size_t mcd_engine_companion(const macadam_engine *engine, size_t metric);

/* Returns whom a call asks: its own callback, or the engine's if it has none. */
mcd_progress mcd_engine_progress(const macadam_engine *engine, macadam_progress call, void *context);

#endif
