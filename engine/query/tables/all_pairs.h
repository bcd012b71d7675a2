/* all_pairs.h - the state of an all-pairs request, answered by trees or over a dense matrix. */
#ifndef MCD_ENGINE_QUERY_TABLES_ALL_PAIRS_H
#define MCD_ENGINE_QUERY_TABLES_ALL_PAIRS_H

#include "engine/query/places/query.h"

typedef struct mcd_all_pairs {
    mcd_query *query;
    mcd_tree_method method; /* not AUTO */
    macadam_all_pairs_request request;
    size_t id_count;
    /* Where answers go: value[q][row * id_count + column], or to the callback if `value` is NULL. */
    uint32_t *const *value;
    uint32_t *next;
    macadam_tile_callback tile;
    void *context;
    size_t row; /* the next one; all rows before it are delivered */
} mcd_all_pairs;

/* Passes the next `rows` rows to the callback. `next` may be NULL. */
macadam_status mcd_all_pairs_deliver(mcd_all_pairs *pairs, size_t rows, uint32_t *const *value,
                                     const uint32_t *next, macadam_error *error);

/* Makes `rows` rows from `row` on signed, if their quantities are. */
macadam_status mcd_all_pairs_sign(const mcd_all_pairs *pairs, size_t row, size_t rows, uint32_t *const *value,
                                  macadam_error *error);

/* floyd_warshall.c: computes all rows by Floyd-Warshall, with the backward weights of the query's arcs. */
macadam_status mcd_all_pairs_dense(mcd_all_pairs *pairs, macadam_error *error);
/* The bytes of scratch that it needs at least, on the host. */
uint64_t mcd_all_pairs_dense_bytes(const mcd_all_pairs *pairs);

#endif
