/* prepared.h - targets of which the nearest are found by label minima (kernels/cpu/sweep/minima.c), only on the host. */
#ifndef MCD_ENGINE_QUERY_TABLES_PREPARED_H
#define MCD_ENGINE_QUERY_TABLES_PREPARED_H

#include "engine/query/places/direct.h"
#include "engine/query/places/query.h"

typedef struct mcd_prepared {
    const mcd_backend *backend;
    mcd_minima *minima;
    const mcd_lanes *target;
    mcd_direct direct; /* the targets by their arcs */
    size_t nearest_count;
    bool reverse; /* the costs from the targets */
    /* [target] what is added to its costs within, so that they are in the order of signed costs; NULL: nothing */
    mcd_weight *lift;
    int64_t least; /* if so: the least of what the potentials add to signed costs */
} mcd_prepared;

/* Returns whether the answer of a request can be found so, with the query's backend, and faster than by trees or a
 * matrix. */
bool mcd_prepared_suits(const mcd_query *query, const macadam_reach_request *request,
                        const macadam_reach *answer);

/* Prepares targets, and lifts the costs of their seeds. `target` and the query's metric must outlive *out; free it
 * with mcd_prepared_free, on failure too. Returns E_INVALID, E_LIMIT (more memory than the query may take), E_MEMORY
 * or E_CANCELLED. */
macadam_status mcd_prepared_new(mcd_prepared *out, const mcd_query *query, mcd_lanes *target,
                                size_t nearest_count, bool reverse, macadam_error *error);
/* Finds the nearest of each place of `source` and fills the nearest_... of `answer`. */
macadam_status mcd_prepared_find(const mcd_prepared *prepared, const mcd_query *query,
                                 const mcd_lanes *source, const macadam_reach *answer, macadam_error *error);
void mcd_prepared_free(mcd_prepared *prepared);

#endif
