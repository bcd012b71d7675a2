/* drive.h - a simulated traveller and what a receiver reports of him. Shares no code with the session that follows him: lengths
 * are those of a sphere, and distances to a route are taken to all of its pieces. */
#ifndef MCD_TESTS_SUPPORT_DRIVE_H
#define MCD_TESTS_SUPPORT_DRIVE_H

#include "engine/include/macadam.h"
#include "tests/support/rng.h"

/* The way of a traveller. */
typedef struct drive_way {
    double *lon, *lat, *along; /* [count] degrees, and metres from the start */
    double *speed_ms;          /* [count] on the piece that ends there */
    size_t count;
} drive_way;

/* The way along a route, up to `metres`. */
drive_way drive_way_of(const macadam_route *route, double metres);
/* Goes on along another way, from its first point. */
void drive_way_append(drive_way *way, const drive_way *other);
/* Turns round, and drives back the whole way. */
void drive_way_turn_back(drive_way *way);
void drive_way_free(drive_way *way);
double drive_way_metres(const drive_way *way);
/* The way without what lies before `from`, up to `to`. */
drive_way drive_way_part(const drive_way *way, double from, double to);

/* The length of a straight line. */
double drive_metres(double lon, double lat, double other_lon, double other_lat);
/* The least distance from a place to a way. */
double drive_way_distance(const drive_way *way, double lon, double lat);
void drive_way_at(const drive_way *way, double along, double *lon, double *lat, double *bearing);

/* How a traveller drives, and what is known of him. */
typedef struct drive_plan {
    double interval_s;
    double accuracy_m;   /* the standard deviation in both directions, correlated over 20 s */
    bool is_white;       /* errors are not correlated */
    bool is_doubled;     /* each position comes a second time, 1 ms later, with another error */
    double most;         /* errors are at most this many standard deviations; 0: they are not limited */
    double factor;       /* of the speeds of the map */
    double stop_share;   /* how often he stops at a point of the line, for up to 40 s */
    double gap_share;    /* how often no position comes for 20 to 90 s, a position */
    double end_s;        /* he stays at the end for this time */
    bool has_motion;     /* heading and speed are known, with errors of 10 degrees and 10 % */
    bool knows_accuracy; /* positions have their accuracy */
} drive_plan;

/* Positions, and the truth. */
typedef struct drive {
    macadam_trace_point *point; /* [count] */
    double *along;              /* [count] how far he has come on his way */
    double *lon, *lat;          /* [count] where he is */
    bool *after_gap;            /* [count] it comes after a gap */
    size_t count;
} drive;

drive drive_make(const drive_way *way, const drive_plan *plan, test_rng *rng);
void drive_free(drive *it);

double drive_uniform(test_rng *rng); /* 0 to 1 */
double drive_normal(test_rng *rng);

#endif
