/* profile.h - who travels: which ways and nodes are open to them, and how fast they are. Profiles are
 * tables. */
#ifndef MCD_PROFILE_H
#define MCD_PROFILE_H

#include "importers/tags.h"

#include <stdbool.h>

/* A row: a tag's value and what it means. Tables end with a row whose value is NULL. */
typedef struct mcd_profile_road {
    const char *value; /* of highway=* or route=* */
    double speed_kmh;  /* without a maxspeed */
    bool oneway;       /* unless the way says otherwise */
} mcd_profile_road;

typedef struct mcd_profile_access {
    const char *value;
    bool open;
} mcd_profile_access;

typedef struct mcd_profile_speed {
    const char *value;
    double speed_kmh;
} mcd_profile_speed;

typedef struct mcd_profile {
    const char *name;
    const char *const *mode; /* access keys, most specific first; ends with NULL */
    const mcd_profile_road *highway;
    const mcd_profile_road *route;     /* ferries: ways without a highway tag; their duration tag counts */
    const mcd_profile_access *access;  /* what an access key's value means; unlisted ones are passed over */
    const mcd_profile_access *barrier; /* of a node that has no access tags; unlisted ones are closed */
    const mcd_profile_speed *zone; /* maxspeed values that are no numbers: whole, or behind the last ':' */
    double speed_max_kmh;          /* of the vehicle */
} mcd_profile;

/* NULL if there is none of that name. */
const mcd_profile *mcd_profile_find(const char *name);

typedef enum mcd_way_use {
    MCD_WAY_OPEN,
    MCD_WAY_NO_ROAD, /* no highway or ferry that the profile knows */
    MCD_WAY_AREA,    /* area=yes */
    MCD_WAY_CLOSED,  /* by access tags, or reversible */
    MCD_WAY_USES     /* how many there are */
} mcd_way_use;

typedef struct mcd_passage {
    double forward_kmh, backward_kmh; /* 0: closed in that direction */
    double duration_s;                /* of the whole way, both directions; 0: by speed */
    bool odd_speed;                   /* a maxspeed that means nothing to us was passed over */
} mcd_passage;

/* How the profile passes a way. `out` is filled if the way is open. */
mcd_way_use mcd_profile_way(const mcd_profile *profile, const mcd_tags *tags, mcd_passage *out);

/* Whether a node's barrier keeps the profile from passing. */
bool mcd_profile_blocks(const mcd_profile *profile, const mcd_tags *tags);

/* The value of restriction:MODE for the profile's most specific mode that has one, else of `restriction`;
 * NULL if there is none or an `except` tag names one of the profile's modes (*excepted is then true). */
const char *mcd_profile_restriction(const mcd_profile *profile, const mcd_tags *tags, bool *excepted);

#endif
