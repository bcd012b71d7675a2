/* trip_search.h - one trip by the clock: an A* on the arcs, with lower bounds of the hierarchy as potentials. */
#ifndef MCD_ENGINE_QUERY_PLACES_TRIP_SEARCH_H
#define MCD_ENGINE_QUERY_PLACES_TRIP_SEARCH_H

#include "engine/query/places/clock_costs.h"

/* A node on a path, and what the search costs there. */
typedef struct mcd_clock_step {
    mcd_node node;
    mcd_weight objective, companion;
} mcd_clock_step;

/* The arrays of searches, which one after the other uses. Zeroed = empty; mcd_trip_search_free. */
typedef struct mcd_trip_search {
    struct trip_node *node; /* [page_count][nodes of a page] that the search has seen */
    size_t node_capacity;
    uint32_t *page; /* [page_count] node / nodes of a page */
    size_t page_count, page_capacity;
    uint32_t *first_of; /* by page: where its nodes are; 0: nowhere */
    mcd_node *chain;    /* [chain_count] nodes of root paths */
    size_t chain_count, chain_capacity;
    struct trip_entry *entry; /* of buckets */
    size_t entry_count, entry_capacity;
    uint32_t entry_free;      /* the first one that may be used again */
    struct trip_label *label; /* [label_count] nodes on tight ways to the end */
    size_t label_count, label_capacity;
    struct trip_arc *arc; /* [arc_count] the tight arcs between them */
    size_t arc_count, arc_capacity;
    mcd_clock_step
        *step; /* [step_count] the path that was found, from its last node in the search's direction on */
    size_t step_count, step_capacity;
} mcd_trip_search;

/* A trip between two places. */
typedef struct mcd_trip {
    const mcd_query *query;
    const mcd_lanes *search, *other; /* where the search begins and where it ends */
    size_t place, other_place;
    bool joint;        /* of the least companion, as in legs.h */
    uint32_t requests; /* for bounds: how many trips are there; 0: makes none */
    mcd_watch *watch;
} mcd_trip;

/* Finds the costs and the path that a search by the backend finds, but for the way along a road that both places share.
 * *is_found is false if that search should answer instead: the map has no hierarchy, or its bounds are not worth making
 * yet. */
macadam_status mcd_trip_search_find(mcd_trip_search *search, const mcd_trip *trip, mcd_clock_sum *out,
                                    bool *is_found, macadam_error *error);
void mcd_trip_search_free(mcd_trip_search *search);

#endif
