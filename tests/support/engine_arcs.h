/* engine_arcs.h - the arcs of an engine, and the roads to which it moves places, in terms of the source
 * data. */
#ifndef MCD_TESTS_SUPPORT_ENGINE_ARCS_H
#define MCD_TESTS_SUPPORT_ENGINE_ARCS_H

#include "engine/include/macadam.h"

/* An arc that departures use. No two have the same way, ends and second point but those of one stretch of
 * road that a way goes along twice. */
typedef struct engine_arc {
    uint64_t number;
    int64_t way, tail, head;
    int32_t lon_e7, lat_e7; /* of its second point */
} engine_arc;

/* Returns how many there are; *out is freed with free(). */
size_t engine_arcs(macadam_engine *engine, engine_arc **out);

/* Where a place is: at a junction, or within the arcs of a road. */
typedef struct engine_position {
    int64_t junction;   /* 0: at none */
    uint64_t number[2]; /* 0: none */
    uint64_t before[2]; /* the 2^-32ths of the arc that lie before the place */
} engine_position;

void engine_positions(macadam_engine *engine, const macadam_place *place, size_t count, bool nearest,
                      engine_position *out);

#endif
