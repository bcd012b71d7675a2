/* track.h - follows a traveller along the line of a route: which place on it each position belongs to.
 *
 * Method: as in matching (Newson, Krumm 2009), but along one line and forward in time. A few hypotheses say where on the line
 * the traveller is. A position moves each of them to the near places that can be reached from it; moving costs what its length
 * differs from the way between the positions, and being there what the position and its heading differ from the line.
 *
 * Why no jump: a later pass by the same road is as near as this one, but the way there along the line is longer than the way
 * between positions, and the traveller moves against it or stays.
 *
 * Why hardly ever off the route within accuracy: errors are at most 3 deviations. Each hypothesis has a bound below which the
 * traveller cannot be (`floor`), so that the true place is among the places from there on that can be reached, and within
 * 3 deviations of the position. It is only lost if more than MCD_HYPOTHESES_MAX others, or one that is far cheaper, replace
 * it: on lines that pass the same place many times. */
#ifndef MCD_ENGINE_SESSION_TRACK_H
#define MCD_ENGINE_SESSION_TRACK_H

#include "engine/session/route_line.h"

enum { MCD_TRACK_SPEED_MAX_MS = 70 };

/* A position, checked. */
typedef struct mcd_sighting {
    mcd_eye eye;
    double time_s;            /* NaN: not known */
    double deviation_m;       /* the standard deviation of the receiver and of the map */
    double allowed_m;         /* how far the position may be from its true place: 3 deviations */
    double arrives_m;         /* how near to a stop the traveller has reached it */
    double heading;           /* NaN: not known, or the traveller hardly moves */
    double heading_deviation; /* degrees */
} mcd_sighting;

/* A waypoint at which the route stops. Its place may be beside the road: the traveller may be there, too. */
typedef struct mcd_track_stop {
    double along, lon, lat;
    double beside_m; /* how far the place is from the road */
} mcd_track_stop;

/* Where the traveller may be. */
typedef struct mcd_hypothesis {
    double along;
    double floor;    /* the traveller is at least this far along */
    double cost;     /* above the best one's; half of a squared deviation is a unit */
    double distance; /* from the position to the line */
    double excess;   /* the same, less what a stop near it allows */
    double since;    /* `along` at the first position that fits, `joined` */
    mcd_eye joined;
    size_t parent; /* where it was before, in the list of then */
    unsigned fits; /* positions that fit */
} mcd_hypothesis;
enum { MCD_HYPOTHESES_MAX = 8 };

typedef struct mcd_hypotheses {
    mcd_hypothesis list[MCD_HYPOTHESES_MAX]; /* the best one first */
    size_t count;
} mcd_hypotheses;

typedef struct mcd_track {
    const mcd_route_line *line;
    const mcd_track_stop *stop; /* [stop_count] in the order of travel; at least two */
    size_t stop_count;
    size_t leg;            /* the traveller is on his way from this stop to the next */
    mcd_hypotheses kept;   /* at the position `last` */
    mcd_hypotheses now;    /* at the newest position; none: no place on the route fits */
    mcd_sighting last;     /* the last position from which he moved on */
    double stayed_until_s; /* the newest time; NaN: not known */
    unsigned outside;      /* counts up with positions that do not fit, down to 0 with others */
    bool is_lost;          /* off the route */
    bool is_back;          /* this position brought him back to the route */
} mcd_track;

/* Moves the traveller. Afterwards track->now.list[0] is where he is, if track->now.count > 0. */
void mcd_track_move(mcd_track *track, const mcd_sighting *sighting);

#endif
