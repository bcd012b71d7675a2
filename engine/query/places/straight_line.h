/* straight_line.h - replaces complete costs of a matrix: those of cells without a path by the straight line between their
 * places, then durations by a multiple of them. A cell with a path keeps its cost but for the multiple. */
#ifndef MCD_ENGINE_QUERY_PLACES_STRAIGHT_LINE_H
#define MCD_ENGINE_QUERY_PLACES_STRAIGHT_LINE_H

#include "engine/query/places/cells.h"
#include "engine/query/places/query.h"

/* Zeroed = empty; mcd_straight_line_free. */
typedef struct mcd_straight_line {
    const macadam_matrix_request *request;
    bool is_wanted;  /* the pass has something to do */
    double speed_ms; /* 0: cells without a path stay unreached */
    macadam_snap *
        snap; /* [source_count + target_count] where the places are, if there is a speed; the request's, or */
    macadam_snap *own;
    size_t departs, arrives; /* for how many rows a source stands, and for how many columns a target */
    /* Per requested quantity. */
    bool is_duration[MACADAM_QUANTITIES_MAX];
    double units[MACADAM_QUANTITIES_MAX]; /* in a second or a metre */
} mcd_straight_line;

/* Returns E_INVALID for a speed or a factor that is negative or not finite, and E_UNSUPPORTED if quantities or the file have no straight
 * lines. Free *out, on failure too. */
macadam_status mcd_straight_line_new(mcd_straight_line *out, const mcd_query *query,
                                     const macadam_matrix_request *request, macadam_error *error);
void mcd_straight_line_free(mcd_straight_line *line);

/* Replaces costs of a rectangle in memory that the processor reaches, once `snap` is complete. `fallback`: NULL, or
 * [r * stride + c] from the rectangle's first cell on: receives whether a cell is a straight line. */
void mcd_straight_line_apply(const mcd_straight_line *line, const mcd_query *query, const mcd_cells *cells,
                             uint8_t *fallback);

#endif
