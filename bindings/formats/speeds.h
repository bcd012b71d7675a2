/* speeds.h - traffic files of OSRM's programs: lines of ids and numbers without a header, and the speeds of segments as
 * durations of arcs. (https://github.com/Project-OSRM/osrm-backend/wiki/Traffic) */
#ifndef MCD_BINDINGS_FORMATS_SPEEDS_H
#define MCD_BINDINGS_FORMATS_SPEEDS_H

#include "bindings/formats/csv.h"

#include <macadam.h>

/* Reads `id_count` ids, a number, and perhaps another one, which does not count. Returns MACADAM_OK or MACADAM_E_INVALID; the
 * message does not say which line it is. */
macadam_status mcd_speeds_read(int64_t *id, size_t id_count, double *number, const mcd_csv_field *field,
                               size_t field_count, macadam_error *error);

/* A speed on the way from one node to the next. */
typedef struct mcd_segment {
    int64_t from, to;
    double kmh; /* 0: closed */
    uint32_t entry;
} mcd_segment;

/* The speeds that have been given to the segments of a map. Segments lead from one node of a way to the next if the map
 * has the nodes' ids, else from one junction to the next. */
typedef struct mcd_speeds {
    macadam_engine *engine;
    size_t duration; /* the index of this quantity */
    double *kmh;     /* [count] of each segment, in the order of macadam_arcs_list; owned */
    size_t count;
} mcd_speeds;

/* Returns MACADAM_OK, or MACADAM_E_UNSUPPORTED: the map has no durations or coordinates. */
macadam_status mcd_speeds_open(mcd_speeds *out, macadam_engine *engine, const macadam_info *info,
                               macadam_error *error);

/* Gives speeds to segments; of two for the same one, a later call counts, and in one call the larger entry. Sorts `segment`.
 * changed[entry], zero before, is how many arcs have the segment; 0: it is not on the map. Time: a look at every arc. */
macadam_status mcd_speeds_give(mcd_speeds *speeds, mcd_segment *segment, size_t count, uint32_t *changed,
                               macadam_error *error);

/* The durations that differ from those in use: the time of each segment with a speed is its length at this speed; the
 * others keep their share of the arc's imported duration. The caller frees *arc and *value. */
macadam_status mcd_speeds_durations(mcd_speeds *speeds, uint64_t **arc, uint32_t **value, size_t *count,
                                    macadam_error *error);

void mcd_speeds_close(mcd_speeds *speeds);

#endif
