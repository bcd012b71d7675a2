/* bearing.c - see bearing.h. */
#include "engine/guide/bearing.h"
#include "engine/guide/sign.h"

enum { WHOLE = 360, HALF = 180 };
/* In metres: how far the direction of a road is looked at. A roundabout bends all the way: its tangent counts. */
enum { LOOK_M = 15, RING_LOOK_M = 2 };
enum { LOOK_ARCS_MAX = 16 }; /* likewise; arcs may have no length */

#define RADIANS_PER_E7     (3.14159265358979323846 / 180 * 1e-7)
#define DEGREES_PER_RADIAN (180 / 3.14159265358979323846)
#define METRES_PER_E7      (6371008.8 * RADIANS_PER_E7)

/* Returns the i-th of the arc's `count` points. */
static mcd_point walk_point(const mcd_arc_walk *walk, size_t i, size_t count)
{
    return mcd_road_point(walk->roads, walk->tail, walk->arc, walk->backward ? count - 1 - i : i);
}

static double degrees_of(double east_e7, double north_e7, int32_t lat_e7)
{
    const double degrees = atan2(east_e7 * cos(lat_e7 * RADIANS_PER_E7), north_e7) * DEGREES_PER_RADIAN;
    return degrees < 0 ? degrees + WHOLE : degrees;
}

mcd_look mcd_look_at(const mcd_kind *kind)
{
    return (mcd_look){.left_m = kind && mcd_sign_is_ring(kind) ? RING_LOOK_M : LOOK_M};
}

void mcd_look_along(mcd_look *look, mcd_point from, mcd_point to)
{
    const double metres = mcd_road_length(from, to),
                 share = metres > look->left_m ? look->left_m / metres : 1;
    look->east += share * mcd_road_east(from, to);
    look->north += share * ((double)to.lat_e7 - from.lat_e7);
    look->left_m -= metres;
}

double mcd_look_bearing(const mcd_look *look, mcd_point first)
{
    return degrees_of(look->east, look->north, first.lat_e7);
}

static mcd_point point_of(const mcd_roads *roads, mcd_node node)
{
    return (mcd_point){roads->places->lon_e7[node], roads->places->lat_e7[node]};
}

/* Returns what a degree of longitude is against one of latitude: the cosine, to 3e-5. */
static double shrink_at(int32_t lat_e7)
{
    const double square = (lat_e7 * RADIANS_PER_E7) * (lat_e7 * RADIANS_PER_E7);
    return 1 - square * (1 / 2.0 - square * (1 / 24.0 - square * (1 / 720.0 - square / 40320)));
}

/* Returns the distance in 1e-7 degrees of latitude; `shrinks`: degrees of longitude against those. */
static double e7_between(mcd_point a, mcd_point b, double shrinks)
{
    const double east = mcd_road_east(a, b) * shrinks, north = (double)b.lat_e7 - a.lat_e7;
    return sqrt(east * east + north * north);
}

double mcd_bearing_metres(const mcd_roads *roads, mcd_node from, mcd_node to)
{
    const mcd_point a = point_of(roads, from);
    return METRES_PER_E7 * e7_between(a, point_of(roads, to), shrink_at(a.lat_e7));
}

double mcd_bearing_to(const mcd_roads *roads, mcd_node from, mcd_node to)
{
    const mcd_point a = point_of(roads, from), b = point_of(roads, to);
    return degrees_of(mcd_road_east(a, b), (double)b.lat_e7 - a.lat_e7, a.lat_e7);
}

/* Goes on by the other road where only two meet: a way of OpenStreetMap ends wherever a tag changes. */
static bool go_on(mcd_arc_walk *walk)
{
    const mcd_graph *const graph = walk->roads->graph;
    const mcd_place_index *const places = walk->roads->places;
    const uint32_t *const id = places->node_place;
    const uint32_t tail = id[walk->tail], head = id[graph->head[walk->arc]];
    const uint32_t from = walk->backward ? head : tail, at = walk->backward ? tail : head;
    if (!walk->count_roads || walk->count_roads(walk->roads, at) != 2) return false;
    const mcd_node depart = places->depart[at], arrive = places->arrive[at];
    walk->backward = false;
    walk->tail = depart;
    for (mcd_arc arc = graph->first_out[depart]; arc < graph->first_out[depart + 1]; ++arc) {
        walk->arc = (uint32_t)arc;
        if (id[graph->head[arc]] != from && id[graph->head[arc]] != at) return true;
    }
    walk->backward = true;
    for (mcd_arc i = graph->first_in[arrive]; i < graph->first_in[arrive + 1]; ++i) {
        walk->tail = graph->tail[i];
        walk->arc = graph->in_arc[i];
        if (id[walk->tail] != from && id[walk->tail] != at) return true;
    }
    return false;
}

double mcd_arc_walk_bearing(mcd_arc_walk walk)
{
    const mcd_arc_facts *const facts = walk.roads->facts;
    size_t count = mcd_road_point_count(walk.roads, walk.arc);
    const mcd_point first = walk_point(&walk, 0, count);
    mcd_point last = first;
    mcd_look look = mcd_look_at(facts->kind_of ? &facts->kind[mcd_arc_kind(facts, walk.arc)] : NULL);
    for (size_t i = 1, arcs = 1; look.left_m > 0; ++i) {
        if (i == count) { /* the first point of the next arc is the last one of this */
            if (++arcs > LOOK_ARCS_MAX || !go_on(&walk)) break;
            count = mcd_road_point_count(walk.roads, walk.arc);
            i = 1;
        }
        const mcd_point next = walk_point(&walk, i, count);
        mcd_look_along(&look, last, next);
        last = next;
    }
    if (look.east == 0 && look.north == 0) /* over the 180th meridian */
        look.east = (double)first.lon_e7 - last.lon_e7;
    return mcd_look_bearing(&look, first);
}

double mcd_bearing_after(const mcd_roads *roads, uint32_t arc)
{
    return mcd_arc_walk_bearing((mcd_arc_walk){roads, NULL, mcd_road_tail(roads->graph, arc), arc, false});
}

double mcd_bearing_before(const mcd_roads *roads, uint32_t arc)
{
    const mcd_arc_walk back = {roads, NULL, mcd_road_tail(roads->graph, arc), arc, true};
    return fmod(mcd_arc_walk_bearing(back) + HALF, WHOLE);
}

double mcd_arc_metres(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    const mcd_arc_facts *const facts = roads->facts;
    const mcd_arc_points shape = mcd_arc_shape(facts, arc);
    const mcd_node head = roads->graph->head[arc];
    mcd_point last = point_of(roads, tail);
    const double shrinks = shrink_at(last.lat_e7);
    double sum = 0;
    for (uint64_t i = shape.first; i <= shape.end; ++i) {
        const mcd_point next = i < shape.end ? (mcd_point){facts->shape_lon_e7[i], facts->shape_lat_e7[i]}
                                             : point_of(roads, head);
        sum += e7_between(last, next, shrinks);
        last = next;
    }
    return sum * METRES_PER_E7;
}
