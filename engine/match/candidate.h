/* candidate.h - candidates: the positions on roads, with a direction of travel, that a fix may mean. */
#ifndef MCD_ENGINE_MATCH_CANDIDATE_H
#define MCD_ENGINE_MATCH_CANDIDATE_H

#include "engine/map/snap.h"
#include "engine/match/fix.h"

enum {
    MCD_CANDIDATES_MAX =
        16,         /* of a fix, there and back counted apart: as many as the lanes of a small matrix */
    MCD_NAT = 1024, /* penalties: this many are a factor of e in probability */
};

typedef struct mcd_candidate {
    uint32_t arc;    /* one that departures use */
    uint32_t before; /* how many 2^-32ths of the arc lie before it */
    int32_t lon_e7, lat_e7;
    uint32_t distance_mm; /* from the fix */
    uint32_t emission;    /* the penalty of the distance and the heading */
    /* Its lanes (transition.h): that of the head of its arc, and those by which moves arrive at the arc. */
    uint32_t departure, arrival, arrival_count;
    uint32_t twin; /* the candidate in the other direction; MCD_FIX_NONE: there is none */
    /* Of the best way there, as viterbi.c finds it: */
    uint32_t objective, distance_cm; /* of its last part, from the candidate of the fix before */
    uint32_t from;                   /* that candidate */
    bool turned;                     /* the way leads to the twin, where the traveller turns round */
    bool leads_on;                   /* a best way to the end of the journey passes it */
    uint64_t penalty;                /* UINT64_MAX: no way leads there */
} mcd_candidate;

/* The data that searches for candidates share. */
typedef struct mcd_candidate_search {
    const mcd_roads *roads;
    const mcd_snap_index *snap;
    const mcd_weights *weights;
} mcd_candidate_search;

/* A thread's cache of the roads where it found candidates: neighbours lie on the same ones. Free *out
 * with mcd_free. */
typedef struct mcd_road_memory mcd_road_memory;
macadam_status mcd_road_memory_new(mcd_road_memory **out, macadam_error *error);

/* Returns the radius of the search for a fix's candidates. */
double mcd_candidates_radius_m(const mcd_fix *fix);

/* Finds the candidates of a fix, the best ones first; returns how many of at most MCD_CANDIDATES_MAX there
 * are. `area` may be NULL: mcd_snap_search. Time: a few microseconds. */
size_t mcd_candidates_find(const mcd_candidate_search *search, mcd_road_memory *memory, const mcd_fix *fix,
                           const mcd_snap_area *area, mcd_candidate *out);

#endif
