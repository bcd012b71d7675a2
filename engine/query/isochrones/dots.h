/* dots.h - the stretches of roads that are reached within limits of a place, as dots on a plane: metres
 * east and north of the place. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_DOTS_H
#define MCD_ENGINE_QUERY_ISOCHRONES_DOTS_H

#include "engine/area/field.h"
#include "engine/query/isochrones/reached_arcs.h"

typedef struct mcd_dots_dot {
    float x, y;
    float
        less; /* square metres by which its disc is smaller than others: what a larger limit reaches covers it */
    uint32_t limit; /* the index of the least limit within which it is reached */
} mcd_dots_dot;

typedef struct mcd_dots {
    double lon, lat;                /* the place, in degrees */
    double east_m, north_m;         /* a degree there */
    float step_m;                   /* dots on a stretch are at most so far apart; both its ends are dots */
    float west, south, east, north; /* of all dots */
    mcd_dots_dot *dot;
    size_t count, capacity;
    /* Dots beyond `room` are only counted, and their extent measured: needed > count. */
    size_t needed, room, stretch_count;
    /* Roads end just at their junctions, which are drawn once; otherwise where their steps add up to the length. */
    bool joins;
    float (*point)[2];      /* [point_count] of one arc */
    float length, arc_step; /* along them, and between its dots */
    size_t point_count, point_capacity;
    /* [noted_capacity]: a hash table, at most half full, of the roads that are drawn as a whole (keys made of
     * their points, whatever their order), of junctions and of ids, in the low byte the limit within which they
     * are reached; 0: none */
    uint64_t *noted;
    size_t noted_count, noted_capacity;
} mcd_dots;

/* Where a field lies on the plane: its south-western point, how far its points are apart, and how many
 * are on a metre. */
typedef struct mcd_dots_grid {
    double west_m, south_m, cell_m, per_m;
} mcd_dots_grid;

/* Empties the dots, of at most `room` dots, and draws the place itself. Zeroed dots are empty; free it
 * with mcd_dots_free. */
macadam_status mcd_dots_begin(mcd_dots *points, double lon, double lat, double step_m, size_t room,
                              macadam_error *error);
void mcd_dots_free(mcd_dots *points);

/* Draws an arc as far as it is reached within the last limit, cut where each limit ends; `limit` ascends. A
 * road whose two arcs are reached as a whole is drawn once; ferries and trains are not drawn. */
macadam_status mcd_dots_arc(mcd_dots *points, const mcd_roads *roads, const mcd_weights *weights,
                            const mcd_reached_arc *entered, mcd_direction direction, const uint32_t *limit,
                            size_t limit_count, macadam_error *error);

/* Adds the stretch of an arc between two shares of its length, as of limit 0, whatever the room. */
macadam_status mcd_dots_stretch(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                double from, double to, macadam_error *error);

/* Returns whether the traveller is carried along the arc: nothing there can be reached. */
bool mcd_dots_is_carried(const mcd_arc_facts *facts, uint32_t arc);

/* Places a node on the plane. */
void mcd_dots_place(const mcd_dots *points, const mcd_place_index *places, mcd_node node, float out[2]);

/* Notes a limit of a key, unless a lower one is noted. *before: what was, or NONE. Keys differ in their upper
 * half. */
macadam_status mcd_dots_note(mcd_dots *points, uint64_t key, uint32_t limit, uint32_t *before,
                             macadam_error *error);
#define MCD_DOTS_NONE UINT32_MAX

/* Draws a dot into a field. */
static inline void mcd_dots_draw(const mcd_dots_dot *dot, const mcd_dots_grid *grid, mcd_field *field)
{
    const double per_m = grid->per_m;
    mcd_field_draw(field, dot->x * per_m - grid->west_m * per_m, dot->y * per_m - grid->south_m * per_m,
                   (float)(dot->less * per_m * per_m));
}

#endif
