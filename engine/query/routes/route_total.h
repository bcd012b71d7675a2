/* route_total.h - what a route sums up to in every quantity of the file. */
#ifndef MCD_ENGINE_QUERY_ROUTES_ROUTE_TOTAL_H
#define MCD_ENGINE_QUERY_ROUTES_ROUTE_TOTAL_H

#include "engine/query/places/query.h"

typedef struct mcd_route_total {
    const mcd_query *query;
    mcd_array *quantity[MCD_QUANTITY_MAX]; /* in use; NULL: not requested */
    int64_t sum[MCD_QUANTITY_MAX];
    bool may_open; /* the query has conditions: an arc that is closed in the weights in use may be open */
} mcd_route_total;

/* Begins a sum of the weights in use. Free it with mcd_route_total_free, on failure too. */
macadam_status mcd_route_total_new(mcd_route_total *out, const mcd_query *query, macadam_error *error);
/* Adds an arc from `tail`, or a part of it. It need not begin where the last one ended: a stop may have two positions. */
void mcd_route_total_add(mcd_route_total *total, mcd_node tail, const mcd_road_part *part);
/* Writes out[metadata->n_quantity], with their signs. The query's own answer, `value`, stays as it is: its
 * conditions hold for it. */
void mcd_route_total_end(const mcd_route_total *total, const uint32_t *value, int64_t *out);
void mcd_route_total_free(mcd_route_total *total);

#endif
