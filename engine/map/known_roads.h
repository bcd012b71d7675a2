/* known_roads.h - the nearest roads of the places of earlier calls: calls often come with the same places, under other
 * conditions or after an update.
 *
 * Kept is the nearest of all roads, whether it is open or not, so that it serves any weights: where it is closed, the call
 * looks for another one. If it is cut off, the nearest that is not is kept, too. A list of places is noted when it first
 * comes, and its roads are kept when it comes again. */
#ifndef MCD_ENGINE_MAP_KNOWN_ROADS_H
#define MCD_ENGINE_MAP_KNOWN_ROADS_H

#include "engine/map/locate.h"

#include <pthread.h>
#include <stdatomic.h>

/* Where searches leave (or reach) some places of a list, whatever the weights. */
typedef struct mcd_known_ends {
    size_t place, count;    /* of the list: the first, and how many */
    mcd_position *position; /* [count] not lifted; that of a place may differ with other weights */
    uint32_t *first;        /* [count + 1]: place i has the parts first[i] <= p < first[i + 1] */
    mcd_seed_part *part;
    size_t *first_lane; /* [count + 1] likewise */
    mcd_lane *lane;     /* of seeds whose costs are those of parts: mcd_seed_parts; NULL: not made */
    uint64_t *order;    /* of the lanes, as mcd_seed_parts has it */
} mcd_known_ends;

/* The places of all lists of a call, and their roads. */
typedef struct mcd_known_list {
    atomic_uint users;
    double radius_m; /* of the locator */
    size_t count;
    macadam_place *place;   /* [count] */
    mcd_nearest_road *road; /* [2 * count] the nearest ones, then those of places whose nearest is cut off */
    /* Of departures and of arrivals; NULL: not made yet */
    _Atomic(mcd_known_ends *) ends[2];
} mcd_known_list;

/* Keeps the ends, unless others are there already: then frees them. */
void mcd_known_list_keep(mcd_known_list *list, int direction, mcd_known_ends *ends);
/* Makes room for the ends of some places; NULL: there is no memory. */
mcd_known_ends *mcd_known_ends_new(size_t place, size_t count, size_t part_count);
/* Ends the use of a list, which may be NULL. */
void mcd_known_list_leave(mcd_known_list *list);

enum { MCD_KNOWN_LISTS = 4 };

/* Zeroed = empty, once `lock` is initialized; mcd_known_roads_trim frees all. */
typedef struct mcd_known_roads {
    pthread_mutex_t lock;
    size_t next; /* the entry that is replaced next */
    struct {
        uint64_t mark;        /* of the places; 0: empty */
        mcd_known_list *list; /* NULL: they have come once */
    } entry[MCD_KNOWN_LISTS];
} mcd_known_roads;

/* The roads that are known of a call's places. */
typedef struct mcd_known_call {
    uint64_t mark;        /* 0: too few places, or too many */
    mcd_known_list *list; /* in use until the call ends; NULL: nothing is known */
    bool is_again;        /* the places came before: their roads are worth keeping */
} mcd_known_call;

/* Looks for the places of a call that is located with `locator`, and notes them. */
void mcd_known_roads_find(mcd_known_call *out, mcd_known_roads *known, const mcd_locator *locator,
                          const mcd_locate_list *list, size_t list_count);
/* Ends the call. If its places came before, keeps what it has found: road[], as a list has them. Without memory, keeps nothing. */
void mcd_known_roads_end(mcd_known_call *call, mcd_known_roads *known, const mcd_locator *locator,
                         const mcd_locate_list *list, size_t list_count, const mcd_nearest_road *road);
void mcd_known_roads_trim(mcd_known_roads *known);

#endif
