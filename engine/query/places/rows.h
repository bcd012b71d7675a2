/* rows.h - complete rows of costs or hops between places and all ids or nodes, one after the other: trees and hops deliver them,
 * reach sums them up. A row is complete when the lanes of its place are merged, the costs within its subnetwork are written over it, and what
 * is beyond the limit is cleared. */
#ifndef MCD_ENGINE_QUERY_PLACES_ROWS_H
#define MCD_ENGINE_QUERY_PLACES_ROWS_H

#include "engine/query/places/signed.h"
#include "engine/query/places/subnetwork.h"
#include "engine/query/places/trees.h"

/* Receives the columns first <= c < end of the row of a place, on any thread, each once. */
typedef void (*mcd_rows_take)(void *context, size_t place, const mcd_row *row, size_t first, size_t end);

typedef struct mcd_rows {
    mcd_trees trees;                      /* with everything that mcd_trees_fit needs */
    const mcd_lanes *lanes;               /* of the places, from both positions */
    bool joint;                           /* companions are computed */
    const mcd_signed_limit *signed_limit; /* NULL: costs are not signed, or there is no limit */
    uint32_t limit;                       /* 0: none */
    /* where rows go without `take`: [place * column_count + column], or, as lanes, [column * place_count + place] */
    mcd_row answer;
    bool as_lanes;
    bool whole;        /* `take` receives whole rows */
    bool only_cut_off; /* `take` receives only the rows of places that have two positions */
    mcd_rows_take take;
    void *context;
} mcd_rows;

/* Returns whether the backend can complete all rows: no limit is signed, and no place has two positions or several lanes, unless a
 * device sweeps. A device does not take two positions if the query takes any component, or if answers are divided. */
bool mcd_rows_are_straight(const mcd_rows *rows);

/* Lets the backend write such rows straight into the answer, band by band. */
macadam_status mcd_rows_straight(mcd_rows *rows, const char *what, macadam_error *error);

/* Computes all rows; a device those that it can complete. `what` is the request, for messages. Returns E_UNSUPPORTED if parents are wanted and a place has several
 * lanes. The query's scratch is used, and kept until the query gives it back. */
macadam_status mcd_rows_run(mcd_rows *rows, const char *what, macadam_error *error);

#endif
