/* road.h - roads as they lie on the ground: a road is a stretch between two junctions, open one way or both
 * ways. It is one arc, or one arc and the arc back.
 *
 * Where junctions are split, several arcs bear one number. A road is identified by the arcs that departures
 * use: these leave the nodes from which ids depart, and each number has one of them. */
#ifndef MCD_ENGINE_MAP_ROAD_H
#define MCD_ENGINE_MAP_ROAD_H

#include "engine/map/ellipsoid.h"
#include "engine/map/pattern.h"
#include "engine/map/place.h"
#include "engine/map/relation.h"
#include "kernels/snap.h"

/* The facts by which answers name arcs. They belong to originals, the arcs that departures use; an arc has
 * those of its original. Optional arrays are NULL. Sections of an edge file, borrowed, but for `original`. */
typedef struct mcd_arc_facts {
    const uint32_t *original; /* [arc_count] MCD_ROAD_NONE: an arrival arc. NULL: no junction is split, and
                               * each arc is its own original */
    const uint64_t *number;   /* [originals] the source data's */
    const int64_t *way;       /* [originals] */
    const uint8_t *against;   /* [originals] not 0: it leads against the direction of its way */
    const uint32_t *kind_of;  /* [originals] */
    const mcd_kind *kind;     /* [kind_count] */
    const mcd_kind_limits *limits; /* [kind_count] NULL: no road has limits */
    const uint32_t *pronunciation; /* [kind_count] offsets into names; NULL: no name has one */
    const mcd_relation *maneuver;  /* [maneuver_count] by ascending way[0]; NULL: there is none */
    const char *names;
    const uint8_t *ferry;        /* as in a map; NULL once a file is opened */
    const uint64_t *first_point; /* [originals + 1] */
    const int32_t *shape_lon_e7, *shape_lat_e7;
    const int32_t *shape_height_dm; /* NULL without heights */
    const int64_t *shape_id;        /* the ids of the shape points in the source; NULL: not kept */
    const mcd_timed_arc *timed_arc; /* [timed_arc_count] by ascending number; NULL: no road has any */
    const uint32_t *shut_arc;       /* [shut_arc_count][shut_words] as in a map; NULL: no arc is ever shut */
    const mcd_week *week;           /* [week_count] */
    const mcd_week *week_holiday;   /* [week_count] on public holidays; NULL: as on other days */
    const mcd_guard *guard;         /* [week_count] NULL: no week has any */
    const uint16_t *arc_pattern;    /* [originals] as pattern.h says; NULL: no road has a pattern.
                                     * Updates replace patterns: under an engine's update_lock */
    const uint8_t *pattern;         /* [pattern_count * pattern_slots] */
    size_t kind_count, timed_arc_count, shut_arc_count, shut_words, week_count, maneuver_count, pattern_count,
        pattern_slots;
} mcd_arc_facts;

/* An arc of which the weight in use or the price is not the imported one, as an edge file stores it. */
typedef struct mcd_changed_arc {
    uint32_t arc;
    mcd_weight imported;
    uint32_t price; /* of the turn into it, as an update has set it; MCD_PRICE_IMPORTED: none has */
} mcd_changed_arc;
enum { MCD_CHANGED_ARC_WORDS = sizeof(mcd_changed_arc) / sizeof(uint32_t) };
#define MCD_PRICE_IMPORTED UINT32_MAX

/* Returns the original of an arc, or MCD_ROAD_NONE for an arrival arc. */
static inline uint32_t mcd_arc_original(const mcd_arc_facts *facts, uint32_t arc)
{
    return facts->original ? facts->original[arc] : arc;
}

/* Returns the source data's number of an arc; MCD_ARC_NONE: an arrival arc. */
static inline uint64_t mcd_arc_number(const mcd_arc_facts *facts, uint32_t arc)
{
    const uint32_t original = mcd_arc_original(facts, arc);
    return original == MCD_ROAD_NONE ? MCD_ARC_NONE : facts->number[original];
}

/* Returns the OSM way of an arc, 0 if it has none. */
static inline int64_t mcd_arc_way(const mcd_arc_facts *facts, uint32_t arc)
{
    const uint32_t original = mcd_arc_original(facts, arc);
    return facts->way && original != MCD_ROAD_NONE ? facts->way[original] : 0;
}

/* Returns whether an arc leads against the direction in which its way is drawn. */
static inline bool mcd_arc_is_against(const mcd_arc_facts *facts, uint32_t arc)
{
    const uint32_t original = mcd_arc_original(facts, arc);
    return facts->against && original != MCD_ROAD_NONE && facts->against[original];
}

/* Returns the number of the kind of an arc's road; the map must have kinds. */
static inline uint32_t mcd_arc_kind(const mcd_arc_facts *facts, uint32_t arc)
{
    const uint32_t original = mcd_arc_original(facts, arc);
    return original == MCD_ROAD_NONE ? 0 : facts->kind_of[original];
}

/* The shape points of an arc: shape_lon_e7[first .. end), and the latitudes. */
typedef struct mcd_arc_points {
    uint64_t first, end;
} mcd_arc_points;

static inline mcd_arc_points mcd_arc_shape(const mcd_arc_facts *facts, uint32_t arc)
{
    const uint32_t original = mcd_arc_original(facts, arc);
    if (!facts->first_point || original == MCD_ROAD_NONE) return (mcd_arc_points){0};
    return (mcd_arc_points){facts->first_point[original], facts->first_point[original + 1]};
}

/* Returns the id of the i-th point of an arc between the ids `tail` and `head`; 0 if it is not known. */
static inline int64_t mcd_arc_point_id(const mcd_arc_facts *facts, uint32_t arc, size_t i, int64_t tail,
                                       int64_t head)
{
    const mcd_arc_points shape = mcd_arc_shape(facts, arc);
    if (i == 0 || i > shape.end - shape.first) return i == 0 ? tail : head;
    return facts->shape_id ? facts->shape_id[shape.first + i - 1] : 0;
}

/* A map with its roads; the places have coordinates. */
typedef struct mcd_roads {
    const mcd_graph *graph;
    const mcd_place_index *places;
    const mcd_arc_facts *facts;
    size_t original_count;
} mcd_roads;

/* Returns the name of an arc's road, or its ref if it has no name, or "". */
static inline const char *mcd_arc_name(const mcd_arc_facts *facts, uint32_t arc)
{
    if (!facts->kind_of) return "";
    const uint32_t *const text = facts->kind[mcd_arc_kind(facts, arc)].text;
    return facts->names + (text[MCD_KIND_NAME] ? text[MCD_KIND_NAME] : text[MCD_KIND_REF]);
}

/* Returns the tail of an arc. Time: a binary search over the nodes. */
mcd_node mcd_road_tail(const mcd_graph *graph, uint32_t arc);

/* Writes the tails of `count` arcs from `first` on, at most MCD_TAILS_MAX; `tail` has room for MCD_TAILS_ROOM. Loops
 * over arcs are faster than loops over the arcs of each node: most nodes have few arcs, and a processor cannot
 * guess how many. */
enum { MCD_TAILS_MAX = 4096, MCD_TAILS_ROOM = MCD_TAILS_MAX + 4 };
void mcd_road_tails(const mcd_graph *graph, mcd_arc first, size_t count, mcd_node tail[MCD_TAILS_ROOM]);

/* Returns how many points an arc has, including both end nodes: at least 2. */
static inline size_t mcd_road_point_count(const mcd_roads *roads, uint32_t arc)
{
    const mcd_arc_points shape = mcd_arc_shape(roads->facts, arc);
    return 2 + shape.end - shape.first;
}

/* Returns the same, 0 without coordinates, and lets the processor fetch what descriptions of the arc read: it is faster to
 * expect all arcs before the first is described. */
size_t mcd_road_expect(const mcd_roads *roads, uint32_t arc);

/* Lets the processor fetch what mcd_road_back reads, and the points of an arc that leaves `tail`. Call it for each step, first
 * to last, for many arcs before the next step: each step reads what the one before has fetched. */
enum { MCD_ROAD_BACK_STEPS = 4 };
void mcd_road_expect_back(const mcd_roads *roads, mcd_node tail, uint32_t arc, int step);

/* Returns the i-th point of an arc that leaves `tail`. */
mcd_point mcd_road_point(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i);

/* Returns its height in decimetres; the map has heights. */
int32_t mcd_road_height(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i);

/* Returns how far a point is to the east of another one: the shorter way around the globe. */
static inline double mcd_road_east(mcd_point from, mcd_point to)
{
    const double east = (double)to.lon_e7 - from.lon_e7;
    if (east > MCD_WHOLE_E7 / 2) return east - MCD_WHOLE_E7;
    return east < -MCD_WHOLE_E7 / 2 ? east + MCD_WHOLE_E7 : east;
}

/* Returns, in degrees, the point at the fraction `along` (0 to 1) of a straight piece. */
void mcd_road_between(mcd_point from, mcd_point to, double along, double *lon, double *lat);

/* Returns the length of a straight piece in metres, on the ellipsoid as the importer measures it: the lengths
 * of parts of an arc agree with the arc's. */
double mcd_road_length(mcd_point from, mcd_point to);
/* Returns that of piece `i` of an arc that leaves `tail`. *at is where the piece before it ends (of the first one, it need
 * not be set), and becomes where it ends: most of the time goes into places. */
double mcd_road_piece_length(const mcd_roads *roads, mcd_node tail, uint32_t arc, size_t i,
                             mcd_ellipsoid_place *at);
/* Returns the metres along the points of an arc that leaves `tail`; there must be coordinates. */
double mcd_road_arc_length(const mcd_roads *roads, mcd_node tail, uint32_t arc);

/* The lengths of the pieces of one arc, which cuts of that arc share. */
typedef struct mcd_road_lengths {
    uint32_t arc;            /* MCD_ROAD_NONE at first */
    double whole, piece[32]; /* metres; of later pieces, only the whole has them */
} mcd_road_lengths;

/* Writes the points, in degrees, of the part of an arc between two of its 2^-32ths, including both ends of
 * the part; and their heights, to decimetres, unless `height_m` is NULL. *lengths becomes that of the arc. Returns how many there are: at least 2, at most mcd_road_point_count. */
size_t mcd_road_cut(const mcd_roads *roads, uint32_t arc, uint64_t from, uint64_t to, double *lon,
                    double *lat, double *height_m, mcd_road_lengths *lengths);

/* Returns the piece of an arc (from one of its points to the next) within which that part begins. */
size_t mcd_road_piece(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint64_t from);

/* Returns whether a departure uses the arc. */
bool mcd_road_departs(const mcd_roads *roads, mcd_node tail, uint32_t arc);

/* Makes *out[arc], the tail of each arc that a departure uses, MCD_NODE_NONE for all other arcs; the caller
 * frees it with mcd_free. Time: linear. */
macadam_status mcd_road_departures(mcd_node **out, const mcd_roads *roads, macadam_error *error);

/* Returns the node at which one arrives at the id of `node`. If the id has copies, each has an arc to it. */
mcd_node mcd_road_arrival(const mcd_roads *roads, mcd_node node);

/* Returns the copy of an arc that leaves `tail`, or MCD_ROAD_NONE. */
uint32_t mcd_road_copy(const mcd_roads *roads, mcd_node tail, uint32_t arc);

/* Returns the copy of an arc that a departure uses. Time: a look at the arcs there. */
uint32_t mcd_road_original(const mcd_roads *roads, mcd_node tail, uint32_t arc);

enum { MCD_ROAD_PAIRED_MAX = 256 };

/* Returns the potential at 2^-32ths of an arc, for potentials by id: linear between its ends and rounded, so that it is
 * the same along the arc back. */
int32_t mcd_road_potential(const mcd_roads *roads, mcd_node tail, uint32_t arc, uint64_t at,
                           const int32_t *potential);

/* Returns the arc back on the same road, or MCD_ROAD_NONE. `arc` must be one that a departure uses. The arc
 * back has the same way and the same points in reverse. If several arcs do, the first in the file is paired
 * with the first, the second with the second, so that the arc back of the arc back is the arc itself. Only
 * the first MCD_ROAD_PAIRED_MAX arcs from one node to another (from a split node: all its arcs) are paired;
 * any further ones are one-way roads, because pairing examines only that many. Time: some binary searches. */
uint32_t mcd_road_back(const mcd_roads *roads, mcd_node tail, uint32_t arc);

#endif
