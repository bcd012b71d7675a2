/* entered.h - the arcs that can be entered within a limit of a place, and where. */
#ifndef MCD_ENGINE_QUERY_ENTERED_H
#define MCD_ENGINE_QUERY_ENTERED_H

#include "engine/query/ball.h"
#include "engine/query/lanes.h"
#include "engine/runtime/engine.h"

/* An arc of the graph, and where it is entered. Where junctions are split, several are one arc of the source.
 * Until it is settled, `weight` includes the turn into the arc, and forward `cost` does not. */
typedef struct mcd_entered {
    uint64_t number;
    uint32_t arc;
    mcd_node tail;
    mcd_weight cost;   /* where it is entered; settled: forward, the traveller has turned into it */
    mcd_weight weight; /* of the whole arc; settled: without the turn into it */
    double from;       /* the share of its length at which it is entered; 0: at its end */
} mcd_entered;

/* Receives an arc. A failure ends the search. */
typedef macadam_status (*mcd_entered_visit)(void *context, const mcd_entered *entered, macadam_error *error);

/* A search for entered arcs. */
typedef struct mcd_entered_search {
    const macadam_engine *engine; /* whose facts are loaded */
    const mcd_weights *weights;
    const mcd_ball *ball; /* of a place */
    mcd_direction direction;
    const mcd_position *position; /* of the place; NULL: it is at a junction */
    mcd_entered_visit visit;
    void *context;
    mcd_watch *watch; /* NULL: the thread's own */
    macadam_error *error;
} mcd_entered_search;

/* Visits the arcs that leave the nodes of the ball (backward: lead to them), and those within which the place
 * lies. */
macadam_status mcd_entered_find(const mcd_entered_search *search);

/* Settles an arc that was visited. Forward, its cost may then be above the limit. */
void mcd_entered_settle(mcd_entered *entered, const mcd_roads *roads, const mcd_weights *weights,
                        mcd_direction direction);

#endif
