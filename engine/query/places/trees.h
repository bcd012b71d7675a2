/* trees.h - the trees of a query, by any method, and its hops: the part that macadam_tree_find,
 * macadam_all_pairs_find and macadam_hops_find share. */
#ifndef MCD_ENGINE_QUERY_PLACES_TREES_H
#define MCD_ENGINE_QUERY_PLACES_TREES_H

#include "engine/query/places/device_fallback.h"

/* A row of costs, part of one, or several: [column]. */
typedef struct mcd_row {
    uint32_t *objective, *companion, *parent; /* NULL: not computed */
} mcd_row;

/* Whose trees are computed, and how they are answered; mcd_trees_fit fills `band` and the members after
 * it. */
typedef struct mcd_trees {
    mcd_query *query;
    mcd_tree_method method; /* not AUTO; not used for hops */
    bool counts_hops;       /* instead of costs, by `strategy`; the lanes are nodes */
    mcd_hops_strategy strategy;
    mcd_direction direction;
    uint32_t limit;         /* of hops: UINT32_MAX: none */
    const mcd_node *column; /* [column_count]; NULL: node i */
    size_t column_count;
    bool as_lanes, parents, raw;
    bool by_place;         /* a device merges the lanes of places: below, lanes are places */
    bool parents_by_id;    /* parents are positions of ids; otherwise they are nodes */
    mcd_division division; /* of the answers of sweeps; usually of no parts */
    uint32_t *objective,
        *companion; /* as lanes: where the answer will be; its alignment decides how much scratch is needed */
    size_t band;    /* lanes at a time; as lanes: all */
    void *scratch;  /* of the backend */
    mcd_node *node_parent; /* [band * node_count] if parents become ids */
} mcd_trees;

/* Replaces AUTO by the method that it stands for. E_INVALID: the method finds no parents. */
macadam_status mcd_trees_choose(mcd_tree_method *method, const macadam_engine *engine, bool parents,
                                macadam_error *error);

/* Returns the data that the method and the places (mcd_query_need) need, and the backend that tries first. */
mcd_work mcd_trees_work(macadam_engine *engine, mcd_tree_method method, mcd_need places, bool reverse,
                        bool parents);
/* Returns the amount of these trees, for the choice of a backend. */
mcd_amount mcd_trees_amount(const macadam_engine *engine, mcd_tree_method method, size_t count,
                            bool as_lanes);

/* Takes scratch for bands of up to `lane_count` lanes, as many as the query's memory allows but at least
 * `least`, followed by `lane_bytes` for each lane, to which *behind then points. */
macadam_status mcd_trees_fit(mcd_trees *trees, size_t lane_count, size_t least, uint64_t lane_bytes,
                             void **behind, const char *what, macadam_error *error);

/* Computes the costs or hops of up to `band` lanes from `first` on: value[lane * column_count + i], or value[node * lane_count
 * + lane] as lanes; and parent[lane * column_count + i] if parents are requested. Hops are those between nodes: the arc to the
 * arrival node of a split junction counts. */
macadam_status mcd_trees_run(const mcd_trees *trees, const mcd_lanes *lanes, size_t first, size_t lane_count,
                             const mcd_row *row, macadam_error *error);

#endif
