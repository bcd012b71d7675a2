/* version.h - a version of a metric's weights: those of the file, of an update, or under a query's conditions. An
 * update makes the next version; queries keep the one they began with. The parts that a query needs are made
 * when first needed. */
#ifndef MCD_ENGINE_RUNTIME_VERSION_H
#define MCD_ENGINE_RUNTIME_VERSION_H

#include "engine/runtime/arc_weights.h"
#include "engine/runtime/array.h"
#include "engine/file/touched.h"

/* All but the atomic members changes only under the engine's lock. */
typedef struct mcd_version {
    macadam_engine *engine;
    atomic_uint users;
    size_t metric;                    /* MCD_QUANTITY_MAX: none, it has only the graph */
    mcd_array *objective, *companion; /* in use; NULL: until they are needed, or without a companion */
    char *key;                        /* [key_bytes] of its conditions; NULL: it has none */
    size_t key_bytes;
    struct mcd_version *next; /* of the versions under conditions, the one used before */
    struct mcd_clock *clock;  /* engine/runtime/clock.h; NULL: none */

    /* On the hierarchy. */
    mcd_weights weights;
    atomic_bool has_kept;            /* the host has the searches of `weights` */
    mcd_touched *touched;            /* checks a file's kept arcs as searches touch them; NULL: none does */
    atomic_bool is_checked;          /* all kept arcs are, or need no check */
    atomic_bool has_summed_children; /* the checksums of all children are right, or need no check */
    /* owns them; empty if they are the file's, or if only the device that made them has them */
    mcd_kept kept;
    mcd_top_labels *top_labels;
    mcd_weights routed;     /* `weights` with these labels, if other calls had used `weights` before */
    atomic_bool has_routed; /* there are such weights: they are constant, but for the children */
    atomic_uint_least64_t route_count; /* routes requested of the file's weights, until then */
    _Atomic(mcd_spans *) spans;
    bool has_paths;      /* the children are those of paths: they were checked, or are not a file's */
    uint64_t path_count; /* paths that the host has found, until there are spans */
    /* NULL: none. Made under update_lock or customize_lock, left under update_lock and the lock; calls use it, and then need none. */
    _Atomic(mcd_basic *) basic;
    double renewed_ns;  /* of the last updates that a device made, and short repairs could have made */
    size_t long_repair; /* the arcs of the last update whose repair would have been long; 0: none */
    atomic_uint_least64_t lost_ns;            /* what questions over it would have saved over kept arcs */
    atomic_bool wants_top_labels;             /* there was a question about routes */
    atomic_uint_least64_t device_route_count; /* single routes that the device found */
    _Atomic(_Atomic uint64_t *) closed;       /* mcd_junctions_closed; NULL until steps are requested */
    const mcd_device_table *device;           /* of weights.device */
    atomic_bool is_placed;                    /* there is a weights.device */
    bool has_new_weights;   /* they are those of an update or of conditions, not the file's; constant */
    atomic_bool is_coming;  /* basic weights are being made beside calls */
    atomic_bool is_refused; /* they could not be made, or pruned, beside calls */

    /* On the input arcs. */
    mcd_arc_weights arcs, graph;                   /* `graph`: without weights */
    atomic_bool has_placed_arcs, has_placed_graph; /* a device has them */
    atomic_uint_least64_t settled_count;           /* nodes that searches for single routes have settled */
} mcd_version;

/* Makes one with one user, which uses the arrays. Without `objective` the weights are those that the engine has in use
 * when they are needed. */
macadam_status mcd_version_new(mcd_version **out, macadam_engine *engine, size_t metric, mcd_array *objective,
                               mcd_array *companion, macadam_error *error);
mcd_version *mcd_version_use(mcd_version *version);
/* The last user frees it. NULL is fine. */
void mcd_version_leave(mcd_version *version);

/* Under the lock: finds the version in use of a metric, which conditions do not change. It remains the engine's. */
macadam_status mcd_version_find(mcd_version **out, macadam_engine *engine, size_t metric,
                                macadam_error *error);
/* Under the lock: loads the weights of the input arcs into `weights`. */
macadam_status mcd_version_load(mcd_version *version, macadam_engine *engine, macadam_error *error);
/* Finds it, and lets it use the weights that the engine has in use, which are not checked. Under update_lock, it stays in use. */
macadam_status mcd_version_find_used(mcd_version **out, macadam_engine *engine, size_t metric,
                                     macadam_error *error);
/* Finds and loads it, likewise. */
macadam_status mcd_version_find_loaded(mcd_version **out, macadam_engine *engine, size_t metric,
                                       macadam_error *error);

/* Returns whether some arc is closed. The weights must be loaded. Time: the first time, that of all arcs. */
bool mcd_version_has_closed(const mcd_version *version);

/* Returns the job that customizes a loaded version on the host, with witnesses. It asks the thread's own watch. */
mcd_customize_job mcd_version_job(const mcd_version *version, const macadam_engine *engine);

/* ---- what queries need ---- */

/* The parts of a metric that a call needs, as bits. */
typedef enum mcd_need {
    MCD_NEED_COSTS = 0,
    MCD_NEED_ROUTES = 1,  /* the top nodes */
    MCD_NEED_WEIGHTS = 2, /* graph and input weights */
    MCD_NEED_PATHS = 7,   /* all these, and the children, which unpacking needs */
    MCD_NEED_BASIC = 8,   /* for few routes: basic weights are enough */
    /* likewise: while nothing is customized, the first routes are searched on the arcs */
    MCD_NEED_SEARCH = 32,
    MCD_NEED_PLACES = 16, /* and no part of the metric */
    /* with MCD_NEED_BASIC: while only a device has the weights, it finds the first routes */
    MCD_NEED_ANYWHERE = 64,
    MCD_NEED_KEPT =
        128, /* basic weights are not enough, nor a file's kept arcs without labels of the top nodes */
    /* of a file's kept arcs, only those that mcd_version_touch has checked */
    MCD_NEED_TOUCHED = 256,
} mcd_need;

/* Makes `backend` able to compute with a version on the hierarchy; the host's, over kept arcs. Under no lock. */
macadam_status mcd_version_prepare(mcd_version *version, macadam_engine *engine, const mcd_backend *backend,
                                   mcd_need need, macadam_error *error);
/* Makes the host's backend able to compute, wherever the version's weights are so far. *out: the version's weights if it has
 * kept arcs, or if the call needs them. Else those of *basic, which the caller leaves when it has done with *out; otherwise it
 * is NULL. Answers are the same. Under no lock. */
macadam_status mcd_version_use_weights(mcd_version *version, macadam_engine *engine, mcd_need need,
                                       const mcd_weights **out, mcd_basic **basic, macadam_error *error);
/* Checks the kept arcs that a search of a call with MCD_NEED_TOUCHED relaxes: those on the root path of a lane's deepest
 * node. Under no lock. */
macadam_status mcd_version_touch(mcd_version *version, mcd_direction direction, mcd_node node,
                                 macadam_error *error);
/* Notes that routes are requested of a version. Returns whether it is time to make the labels of the top nodes over the file's
 * kept arcs, beside the call or, with MCD_NEED_KEPT, in it. */
bool mcd_version_note_routes(mcd_version *version, const macadam_engine *engine, uint64_t count);
/* Makes the kept arcs of a version that is used, beside its other users; it asks the thread's own watch. Updates and
 * questions do not wait for it. Under no lock. */
macadam_status mcd_version_prune(mcd_version *version, macadam_engine *engine, macadam_error *error);
/* Added to settled_count while a search for a single route runs. More than all searches settle. */
#define MCD_SEARCHING (UINT64_C(1) << 48)
/* Returns whether a route should be searched on the arcs: no other one is being searched, nothing is customized (or the file's
 * basic weights would have to be checked), and all searches together have taken at most about twice as long as basic weights
 * take on one thread. While a thread makes these, the searches may take four times as long. */
bool mcd_version_should_search(const mcd_version *version, const macadam_engine *engine);
/* Returns the spans for `path_count` paths that the host will find. NULL until enough paths have been requested to
 * justify the cost of making spans. */
macadam_status mcd_version_use_spans(mcd_version *version, macadam_engine *engine, size_t path_count,
                                     const mcd_spans **out, macadam_error *error);

/* Makes the weights of the input arcs ready for a search of a route on them. Under no lock. */
macadam_status mcd_version_prepare_search(mcd_version *version, macadam_engine *engine, macadam_error *error);

/* The parts of a metric's weights on the input arcs that a call needs. Forward weights are always there. A
 * device gets all parts. */
typedef enum mcd_arc_need { MCD_ARCS_BACKWARD = 1, MCD_ARCS_COUPLES = 2 } mcd_arc_need;

/* Makes `backend` able to compute without a hierarchy. has_weights = false: only the graph of the open arcs. *out is the
 * version's. Under no lock. */
macadam_status mcd_version_prepare_arcs(mcd_version *version, macadam_engine *engine,
                                        const mcd_backend *backend, bool has_weights, unsigned need,
                                        const mcd_arcs **out, macadam_error *error);

/* Makes `backend` able to search with the clock of a version that has one. Under no lock. */
macadam_status mcd_version_prepare_clock(mcd_version *version, macadam_engine *engine,
                                         const mcd_backend *backend, macadam_error *error);

/* ---- basic weights ---- */

/* The weights that a repair of basic ones starts from. */
typedef struct mcd_repair {
    const mcd_basic *from;
    const uint32_t *changed;
    size_t changed_count; /* the arcs where the weights differ; may repeat */
} mcd_repair;

/* Under update_lock, with the hierarchy: finds how the basic weights of a loaded version differ from others, unless so much changes that a full
 * customization is faster. */
macadam_status mcd_version_repair(mcd_recustomized *found, const mcd_version *version, macadam_engine *engine,
                                  const mcd_repair *repair, macadam_error *error);
/* Returns the weights of a loaded version that its basic ones are for, all but these. */
mcd_weights mcd_version_basic_weights(const mcd_version *version, const macadam_engine *engine);
/* Under update_lock: makes the basic weights of a version that is loaded with the hierarchy: from those of the file if it has some
 * and few arcs differ, else by a full customization. */
macadam_status mcd_version_make_basic(mcd_version *version, macadam_engine *engine, macadam_error *error);
/* Makes those of a version, unless the host has weights of it; under conditions, from those of the version in use.
 * If an update replaces the version meanwhile, its own version takes them over from a caller that `gives` them, and copies them
 * from any other. Under no lock. */
macadam_status mcd_version_add_basic(mcd_version *version, bool gives, macadam_engine *engine,
                                     macadam_error *error);
/* Returns whether so few arcs change that a repair can pay. */
bool mcd_version_can_repair(const macadam_engine *engine, size_t changed_count);
/* Under update_lock and the lock: gives back what only repairs need. The next update then customizes from the beginning. */
void mcd_version_trim(mcd_version *version);

#endif
