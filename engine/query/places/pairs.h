/* pairs.h - trips: each leads from a place of one list to a place of another, by their best lanes or along
 * the road on which both lie. */
#ifndef MCD_ENGINE_QUERY_PLACES_PAIRS_H
#define MCD_ENGINE_QUERY_PLACES_PAIRS_H

#include "engine/query/places/located.h"

/* Zeroed = empty; mcd_pairs_free. */
typedef struct mcd_pairs {
    mcd_lanes source, target; /* [count] places each */
    size_t count;
    mcd_road_part *direct; /* [count] the way along the road that both share; NULL: no trip has one */
    /* [count] set by mcd_pairs_choose: the lanes that are best together; NULL: they are the lanes of the places */
    mcd_lane *from, *to;
    uint32_t *instant; /* [count] with a clock: when each trip begins (MCD_BACKWARD: ends) */
} mcd_pairs;

/* Makes trips between as many sources as targets, which stay where they are (mcd_subnetwork_pairs). Takes over their positions.
 * Free *out with mcd_pairs_free, on failure too. */
macadam_status mcd_pairs_of_located(mcd_pairs *out, const mcd_query *query, mcd_located *source,
                                    mcd_located *target, macadam_error *error);
/* Makes room for `count` trips between known positions: the caller then sets source.position[i], target.position[i] and, with a
 * clock, instant[i], and makes them. Free them with mcd_pairs_free, on failure too. */
macadam_status mcd_pairs_new(mcd_pairs *out, size_t count, macadam_error *error);
macadam_status mcd_pairs_make(mcd_pairs *trips, const mcd_query *query, macadam_error *error);
void mcd_pairs_free(mcd_pairs *trips);

/* Returns whether some trip has a choice, so that the processor works on the backend's results. */
bool mcd_pairs_have_choices(const mcd_pairs *trips);

/* Computes the costs of all trips: objective[i], and companion[i] (may be NULL). With choices, both must be
 * in the host's memory. */
macadam_status mcd_pairs_costs(const mcd_pairs *trips, const mcd_query *query, uint32_t *objective,
                               uint32_t *companion, macadam_error *error);

/* Returns a job for the lanes of all trips: for the chosen ones, if mcd_pairs_choose was called. Answers are to be
 * set. */
mcd_route_job mcd_pairs_job(const mcd_pairs *trips, const mcd_query *query);

/* Chooses the lanes of all trips, for paths. Where the way along the road is best, direct[i].arc is its arc,
 * and the lanes are without seeds; elsewhere it becomes MCD_ROAD_NONE. */
macadam_status mcd_pairs_choose(mcd_pairs *trips, const mcd_query *query, macadam_error *error);

/* Returns whether trip i, once chosen, goes along the road. */
static inline bool mcd_pairs_on_same_road(const mcd_pairs *trips, size_t i)
{
    return trips->direct && trips->direct[i].arc != MCD_ROAD_NONE;
}

/* Sets the costs of those of `count` chosen trips that go along the road: a job does not know them. */
void mcd_pairs_cost_same_road(const mcd_pairs *trips, size_t first, size_t count, uint32_t *objective,
                              uint32_t *companion);

/* Returns the most parts of arcs that a path can have, besides its arcs. */
static inline size_t mcd_pairs_most_parts(const mcd_pairs *trips)
{
    return trips->source.position || trips->target.position ? 2 : 0;
}

/* Receives the paths of a job (mcd_route_job::take) into an array of mcd_path, as copies: `context`; what is there is freed
 * first. */
macadam_status mcd_pairs_keep_paths(void *context, const mcd_path *path, size_t first, size_t count,
                                    macadam_error *error);

/* The parts before and after the arcs of a chosen trip's path: parts of arcs, or none (MCD_ROAD_NONE) at
 * junctions. A direct trip is all *before. The trip must be reached. With a clock that departs, *behind is as if the trip arrived
 * there at instant 0. */
void mcd_pairs_parts(const mcd_pairs *trips, const mcd_graph *graph, size_t i, const mcd_path *path,
                     mcd_road_part *before, mcd_road_part *behind);

#endif
