/* trees.h - the trees of a query, by any method: the part that macadam_tree and macadam_all_pairs share. */
#ifndef MCD_ENGINE_QUERY_PLACES_TREES_H
#define MCD_ENGINE_QUERY_PLACES_TREES_H

#include "engine/query/places/device_fallback.h"

/* Whose trees are computed, and how they are answered; mcd_trees_fit fills `band` and the members after
 * it. */
typedef struct mcd_trees {
    mcd_query *query;
    mcd_tree_method method; /* not AUTO */
    mcd_direction direction;
    mcd_weight limit;
    const mcd_node *column; /* [column_count]; NULL: node i */
    size_t column_count;
    bool as_lanes, parents, raw;
    mcd_division division; /* of the answers of sweeps; usually of no parts */
    uint32_t *objective,
        *companion; /* as lanes: where the answer will be; its alignment decides how much scratch is needed */
    size_t band;    /* lanes at a time; as lanes: all */
    void *scratch;  /* of the backend */
} mcd_trees;

/* Replaces AUTO by the method that it stands for. E_INVALID: the method finds no parents. */
macadam_status mcd_trees_choose(mcd_tree_method *method, const macadam_engine *engine, bool parents,
                                macadam_error *error);

/* Returns the data that the method and the places (mcd_query_need) need, and the backend that tries first. */
mcd_work mcd_trees_work(macadam_engine *engine, mcd_tree_method method, mcd_need places, bool reverse,
                        bool parents);

/* Takes scratch for bands of up to `lane_count` lanes, as many as the query's memory allows but at least
 * `least`, followed by `lane_bytes` for each lane, to which *behind then points. */
macadam_status mcd_trees_fit(mcd_trees *trees, size_t lane_count, size_t least, uint64_t lane_bytes,
                             void **behind, const char *what, macadam_error *error);

/* Computes the costs of up to `band` lanes: value[lane * column_count + i], or value[node * lane_count +
 * lane] as lanes; and parent[lane * node_count + node] if parents are requested. */
macadam_status mcd_trees_run(const mcd_trees *trees, const mcd_lane *lane, size_t lane_count,
                             uint32_t *objective, uint32_t *companion, mcd_node *parent,
                             macadam_error *error);

#endif
