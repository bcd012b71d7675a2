/* dots.h - the stretches of roads that are reached within limits of a place, as dots on a plane: metres
 * east and north of the place. */
#ifndef MCD_ENGINE_QUERY_ISOCHRONES_DOTS_H
#define MCD_ENGINE_QUERY_ISOCHRONES_DOTS_H

#include "engine/area/field.h"
#include "engine/query/isochrones/reached_arcs.h"

typedef struct mcd_dots_dot {
    float x, y;
    /* square metres by which its disc is smaller than others: what a larger limit reaches covers it */
    float less;
    uint32_t limit; /* the index of the least limit within which it is reached */
} mcd_dots_dot;

/* A point of an arc, and how far it is to the next one. */
typedef struct mcd_dots_point {
    float x, y, length;
} mcd_dots_point;

/* The limits within which numbered things are drawn, as mcd_dots.noted has them. The lower bits of a number are the index. */
typedef struct mcd_dots_notes {
    uint32_t *entry;
    size_t capacity;
} mcd_dots_notes;

/* An arc that is reached as a whole within the limit of an index, and is still to be drawn. */
typedef struct mcd_dots_whole {
    uint32_t arc, limit;
    mcd_node tail;
    uint64_t key;
} mcd_dots_whole;
enum { MCD_DOTS_WHOLE = 64 };

typedef struct mcd_dots {
    double lon, lat;                /* the place, in degrees */
    double east_m, north_m;         /* a degree there */
    float step_m;                   /* dots on a stretch are at most so far apart; both its ends are dots */
    float west, south, east, north; /* of all dots */
    mcd_dots_dot *dot;
    size_t count, capacity;
    /* Dots beyond `room` are only counted, at most, and their extent measured: needed > count. */
    size_t needed, room, stretch_count;
    mcd_dots_point *point;  /* [last_point + 1] of one arc */
    float length, arc_step; /* along them, and between its dots */
    size_t last_point, point_capacity;
    uint32_t end[2]; /* its ends: the indices of their ids */
    /* Of the roads that are drawn as a whole: the lower bits of a key made of their points, whatever their order, and
     * the limit within which they are reached. The upper bits, after the shift, are the index. The last of those that
     * share an entry is known; others may be drawn again. */
    uint64_t *noted;
    size_t noted_capacity;
    unsigned noted_shift;
    mcd_dots_notes arcs;      /* by their originals: copies of an arc need no key */
    mcd_dots_notes junctions; /* by the indices of their ids */
    /* Drawn together, so that the processor fetches what is noted of one, and its points, while it draws another. */
    mcd_dots_whole whole[MCD_DOTS_WHOLE];
    size_t whole_count;
} mcd_dots;

/* Where a field lies on the plane: its south-western point, how far its points are apart, and how many
 * are on a metre. */
typedef struct mcd_dots_grid {
    double west_m, south_m, cell_m, per_m;
} mcd_dots_grid;

/* Empties the dots, of at most `room` dots on about `road_count` roads, and draws the place itself. Zeroed dots
 * are empty; free it with mcd_dots_free. */
macadam_status mcd_dots_begin(mcd_dots *points, double lon, double lat, double step_m, size_t room,
                              size_t road_count, macadam_error *error);
void mcd_dots_free(mcd_dots *points);

/* Draws an arc as far as it is reached within the last limit, cut where each limit ends; `limit` ascends. A
 * road whose two arcs are reached as a whole is drawn once; ferries and trains are not drawn. Arcs that are reached as a
 * whole may be drawn later. */
macadam_status mcd_dots_arc(mcd_dots *points, const mcd_roads *roads, const mcd_weights *weights,
                            const mcd_reached_arc *entered, mcd_direction direction, const uint32_t *limit,
                            size_t limit_count, macadam_error *error);

/* Draws the arcs that mcd_dots_arc has left. */
macadam_status mcd_dots_end(mcd_dots *points, const mcd_roads *roads, mcd_direction direction,
                            macadam_error *error);

/* Adds the stretch of an arc between two shares of its length, as of limit 0, whatever the room; without the ends
 * of the arc. */
macadam_status mcd_dots_stretch(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                                double from, double to, macadam_error *error);

/* Returns whether a road is known to have been noted; if not, notes it. Roads noted apart do not count. */
bool mcd_dots_note_road(mcd_dots *points, const mcd_roads *roads, mcd_node tail, uint32_t arc,
                        uint64_t apart);

/* Returns whether the traveller is carried along the arc: nothing there can be reached. */
static inline bool mcd_dots_is_carried(const mcd_arc_facts *facts, uint32_t arc)
{
    return facts->kind_of &&
           facts->kind[mcd_arc_kind(facts, arc)].flags & (MACADAM_ROAD_FERRY | MACADAM_ROAD_TRAIN);
}

/* Places a node on the plane. */
mcd_dots_point mcd_dots_place(const mcd_dots *points, const mcd_place_index *places, mcd_node node);

/* Draws a dot into a field. */
static inline void mcd_dots_draw(const mcd_dots_dot *dot, const mcd_dots_grid *grid, mcd_field *field)
{
    const double per_m = grid->per_m;
    mcd_field_draw(field, dot->x * per_m - grid->west_m * per_m, dot->y * per_m - grid->south_m * per_m,
                   (float)(dot->less * per_m * per_m));
}

#endif
