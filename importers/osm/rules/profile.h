/* profile.h - who travels: which ways and nodes are open to them, how fast they are, which rules they keep.
 *
 * A profile is a table, read from text (profile_file.h says how it is written; importers/profiles holds
 * ours). Nothing here knows a car from a bicycle. */
#ifndef MCD_IMPORTERS_OSM_RULES_PROFILE_H
#define MCD_IMPORTERS_OSM_RULES_PROFILE_H

#include "engine/map/kind.h"
#include "importers/osm/rules/keys.h"
#include "importers/osm/rules/vehicle.h"

typedef enum mcd_access {
    MCD_ACCESS_OPEN,
    MCD_ACCESS_DESTINATION_ONLY, /* only to begin or end a route */
    MCD_ACCESS_CLOSED,           /* the greater of two is the stricter */
} mcd_access;

/* The meanings of the tables' numbers. */
typedef enum mcd_profile_table {
    MCD_PROFILE_WAYS,       /* ways of this tag are roads: km/h without a maxspeed */
    MCD_PROFILE_ACCESS,     /* values of access keys: km/h at most, 0 = as otherwise */
    MCD_PROFILE_BARRIERS,   /* values of a node's barrier: seconds */
    MCD_PROFILE_WAITS,      /* nodes of this tag: seconds */
    MCD_PROFILE_MAXSPEEDS,  /* maxspeed values that are not numbers, whole or after the last ':': km/h */
    MCD_PROFILE_SPEEDS,     /* ways of this tag: km/h at most */
    MCD_PROFILE_SLOWER,     /* ways of this tag: the factor of their duration */
    MCD_PROFILE_PREFERENCE, /* ways of this tag: the factor of their duration in the preference */
    MCD_PROFILE_CLOSED,     /* ways of this tag are closed */
    MCD_PROFILE_LIMITS,     /* keys (as values) in the unit (as key): the traveller's own measure */
    MCD_PROFILE_UNREAD,     /* the same keys: what a value stands for that cannot be read */
    MCD_PROFILE_CONTRAFLOW, /* one-way roads of this tag are open both ways */
    MCD_PROFILE_TABLES      /* how many there are */
} mcd_profile_table;

/* Lists of keys besides those of the tables. */
typedef enum mcd_profile_list {
    MCD_LIST_OTHER = MCD_PROFILE_TABLES,
    MCD_LIST_ACCESS,
    MCD_LIST_SPEED,
    MCD_LIST_TOLL,
} mcd_profile_list;

enum { MCD_FORWARD, MCD_BACKWARD, MCD_DIRECTIONS };

/* Seconds of a turn of at most these degrees off straight on. */
typedef struct mcd_profile_turn {
    double degrees, near_s, far_s; /* towards the side of the traffic; across the oncoming traffic */
} mcd_profile_turn;

enum {
    MCD_PROFILE_TURNS = 16,
    MCD_PROFILE_MODES = 8,       /* access keys at most */
    MCD_PROFILE_WAIT_MAX = 3600, /* seconds */
};

typedef enum mcd_profile_flag {
    MCD_PROFILE_ONEWAY = 1,  /* unless the way says otherwise */
    MCD_PROFILE_PERMIT = 2,  /* closed unless an access tag opens it */
    MCD_PROFILE_FERRY = 4,   /* a ferry or a train takes the traveller: it has its own speed or duration */
    MCD_PROFILE_SIGN = 8,    /* without a direction the node is for those who approach the nearest junction */
    MCD_PROFILE_ALWAYS = 16, /* a barrier's row decides, whatever its access tags say */
    MCD_PROFILE_TWO_WAY = 32, /* only of roads that are open both ways */
    MCD_PROFILE_RIDDEN = 64,  /* not for pushing, unless an access tag that is not for all permits walking */
    MCD_PROFILE_NAMED = 128,  /* closed to riders unless an access tag opens it that is not for all modes */
    MCD_PROFILE_LOCKABLE = 256,  /* a barrier that is destination-only where it is locked */
    MCD_PROFILE_OWN = 512,       /* closed to riders unless an access tag of the first mode opens it */
    MCD_PROFILE_NODE = 1024,     /* closes nodes only */
    MCD_PROFILE_WAY = 2048,      /* closes ways only */
    MCD_PROFILE_REPORTED = 4096, /* closes nothing, but the import reports the way */
    MCD_PROFILE_PATH = 8192,     /* a speed on paths, unless an access tag of the first mode permits these */
} mcd_profile_flag;

typedef struct mcd_profile_row {
    const char *key;   /* "": the table's own keys */
    const char *value; /* "*": any that no row before it names; "<3.5", ">6", "~hiking": profile_file.h */
    double number;
    double bound;   /* of "<3.5" and ">6" */
    bool pattern;   /* the value begins with one of "*<>~" */
    bool inherited; /* from the profile that this one is like */
    mcd_access access;
    unsigned flags;
    mcd_key place; /* of the key, or of what stands for one; 0 in a table without keys */
    size_t behind; /* the first row of another key, or their count */
} mcd_profile_row;

typedef struct mcd_profile_rows {
    mcd_profile_row *row; /* rows of one key stand together */
    size_t count, capacity;
} mcd_profile_rows;

/* The effect of a maxspeed on the speed of the way's class. */
typedef enum mcd_profile_maxspeed {
    MCD_MAXSPEED_REPLACES,
    MCD_MAXSPEED_CAPS,
    MCD_MAXSPEED_IGNORED,
} mcd_profile_maxspeed;

/* The side of the traffic. */
typedef enum mcd_profile_traffic {
    MCD_TRAFFIC_MAP, /* as the map's boundaries say; right if they do not */
    MCD_TRAFFIC_RIGHT,
    MCD_TRAFFIC_LEFT,
} mcd_profile_traffic;

/* The treatment of area=yes. */
typedef enum mcd_profile_areas {
    MCD_AREAS_SKIPPED,
    MCD_AREAS_OUTLINE, /* along the outline */
    MCD_AREAS_CROSSED, /* and straight over (plaza.h) */
} mcd_profile_areas;

/* Whom slopes make slower, if the import has heights (slope.h). */
typedef enum mcd_profile_slopes {
    MCD_SLOPES_IGNORED,
    MCD_SLOPES_WALKED,
    MCD_SLOPES_RIDDEN,
} mcd_profile_slopes;

/* Who rides, if slopes are ridden. */
typedef struct mcd_profile_rider {
    double power_w; /* at the wheel */
    double mass_kg; /* with what is ridden */
    double drag_m2; /* drag coefficient times frontal area */
    double fastest; /* downhill, as a multiple of the speed on level ground */
} mcd_profile_rider;

/* An access key; the value of MODE:lanes... is a list. */
typedef struct mcd_profile_access_key {
    mcd_key key;
    bool lanes;
    bool own;     /* of the first mode */
    bool general; /* of the last of several modes, which is that of all travellers */
} mcd_profile_access_key;

/* Keys that say what a node is: a barrier or something else, which access tags may be about. */
typedef enum mcd_node_key {
    MCD_NODE_HIGHWAY,
    MCD_NODE_RAILWAY,
    MCD_NODE_PUBLIC_TRANSPORT,
    MCD_NODE_AMENITY,
    MCD_NODE_ENTRANCE,
    MCD_NODE_DOOR,
    MCD_NODE_KEYS /* how many there are */
} mcd_node_key;

/* The tags that are read besides the tables: keys in the order in which they decide; lists end with 0. */
typedef struct mcd_profile_keys {
    mcd_keys all; /* with those of the tables */
    mcd_key area, barrier, conveying, duration, ford, junction, locked;
    mcd_key node_kind[MCD_NODE_KEYS + 1];
    mcd_profile_access_key access[MCD_DIRECTIONS + 1][4 * MCD_PROFILE_MODES + 1]; /* [last]: of a node */
    mcd_key oneway[MCD_PROFILE_MODES + 2];
    mcd_key maxspeed[MCD_DIRECTIONS][2 * MCD_PROFILE_MODES + 5];
    mcd_key toll[MCD_DIRECTIONS + 1][2 * MCD_PROFILE_MODES + 3]; /* [last]: of a node */
    mcd_key advisory[MCD_DIRECTIONS][3];
    mcd_profile_access_key push_access[MCD_DIRECTIONS + 1][4 * MCD_PROFILE_MODES + 1];
    mcd_key push_oneway[MCD_PROFILE_MODES + 1];
    mcd_key maxspeed_kind[5]; /* what kind of road the law takes it for */
} mcd_profile_keys;

typedef struct mcd_profile {
    const char *name;
    const char *mode[MCD_PROFILE_MODES + 1];      /* access keys, most specific first; ends with NULL */
    const char *push_mode[MCD_PROFILE_MODES + 1]; /* access keys of one who pushes, likewise */
    double push_kmh;                              /* at most; 0: one never pushes */
    double speed_max_kmh;                         /* of the traveller */
    /* at a junction, for vehicles from a lesser road, if they do not wait for another reason */
    double give_way_s;
    double boarding_s;         /* of a ferry */
    unsigned maxspeed;         /* mcd_profile_maxspeed */
    unsigned ignores_oneway;   /* 1: but for oneway:MODE */
    unsigned own_restrictions; /* 1: only relations that name one of the modes concern it */
    unsigned areas;            /* mcd_profile_areas */
    unsigned avoids_u_turns;   /* 1: but at dead ends */
    unsigned traffic;          /* mcd_profile_traffic */
    unsigned slopes;           /* mcd_profile_slopes */
    bool other_limits;         /* some limit has a key that does not begin with "max" */
    unsigned ignores_times;    /* 1: conditional tags and opening hours, as if they were not there */
    mcd_profile_rider rider;
    const mcd_vehicle *vehicle;               /* what it drives, if the import computes energies; else NULL */
    mcd_profile_turn turn[MCD_PROFILE_TURNS]; /* by degrees; the last one is for all beyond, too */
    size_t turn_count;
    mcd_profile_rows table[MCD_PROFILE_TABLES];
    mcd_profile_keys keys;
    char *text; /* what all strings are in */
    size_t text_bytes;
    uint32_t crc32; /* of the lines that it was read from */
} mcd_profile;

typedef enum mcd_way_use {
    MCD_WAY_OPEN,
    MCD_WAY_NO_ROAD, /* none that the profile knows */
    MCD_WAY_AREA,    /* area=yes */
    MCD_WAY_CLOSED,  /* by access tags, limits, or reversible */
    MCD_WAY_USES     /* how many there are */
} mcd_way_use;

typedef struct mcd_passage {
    double speed_kmh[MCD_DIRECTIONS];      /* 0: closed in that direction */
    bool destination_only[MCD_DIRECTIONS]; /* open only to begin or end a route */
    float preference[MCD_DIRECTIONS];      /* times the duration is the preference */
    uint32_t flags[MCD_DIRECTIONS];        /* macadam_road_flag: those that depend on the traveller */
    double duration_s;                     /* of the whole way, each direction; 0: by speed */
    double class_kmh;                      /* the speed of its class: the lesser road has the smaller one */
    bool pushed[MCD_DIRECTIONS];           /* one walks, and pushes what one rides elsewhere */
    bool ferry;
    bool area;        /* it may be crossed, if the way is closed */
    bool odd_speed;   /* a maxspeed that means nothing to us was passed over */
    bool odd_access;  /* likewise, an access or one-way tag */
    bool odd_measure; /* likewise, a ferry's duration, or a measure that could close the way */
} mcd_passage;

/* The limits of a way or a node. */
typedef struct mcd_limits {
    bool too_small[MCD_DIRECTIONS];       /* for the profile's own vehicle */
    mcd_kind_limits most[MCD_DIRECTIONS]; /* for the vehicles of queries */
    bool unread;                          /* some value cannot be read */
} mcd_limits;

typedef struct mcd_stop {
    mcd_access access;
    mcd_limits limits;
    bool crossing;  /* closed to those who cross the road */
    uint32_t flags; /* macadam_road_flag: of the roads on which it is */
    uint16_t wait_s;
    bool waits[MCD_DIRECTIONS]; /* of the way by which the vehicle comes */
    bool sign;                  /* no direction is named: only those wait who approach the nearest junction */
    bool minor;                 /* at a junction, only those wait who come by a lesser road */
} mcd_stop;

/* Reads the limits of a way or a node. Of KEY:MODE:forward, KEY:MODE, KEY:forward and KEY the most specific one that the
 * tags have counts, as with access keys; without these, the least strict lane of KEY:lanes. Time: one look at each key,
 * unless one is a limit. */
void mcd_profile_limits(mcd_limits *out, const mcd_profile *profile, const mcd_tags *tags);

/* How the profile passes a way. `out` is filled if the way is open, `limits` if it is a road. */
mcd_way_use mcd_profile_way(const mcd_profile *profile, const mcd_tags *tags, mcd_passage *out,
                            mcd_limits *limits);

/* Whether the tag's value means something, if its key is one of access, one-way rules or speeds. */
bool mcd_profile_knows(const mcd_profile *profile, const mcd_tag *tag);

/* How the profile passes a node: its barrier, its limits, and what one waits for. */
mcd_stop mcd_profile_stop(const mcd_profile *profile, const mcd_tags *tags);

/* Returns the lanes that the tags close to the profile's vehicle: bit i is lane i of `count`, from the left. Of MODE:lanes
 * of the profile's modes the most specific one that says something of a lane decides; without it, a lane that is
 * designated for bicycles or public transport is closed. Lists of another length are passed over. */
uint64_t mcd_profile_closed_lanes(const mcd_profile *profile, const mcd_tags *tags, const char *direction,
                                  size_t count);

/* Whether an `except` tag of a turn restriction names one of the profile's modes. */
bool mcd_profile_is_excepted(const mcd_profile *profile, const mcd_tags *tags);

/* The value of restriction:MODE or, if `mode` is NULL, of `restriction`, which in a type=restriction:MODE is only for
 * that mode; with `suffix`, "conditional", of restriction:MODE:conditional. NULL: there is none for the profile. */
const char *mcd_profile_restriction(const mcd_profile *profile, const mcd_tags *tags, const char *mode,
                                    const char *suffix);

#endif
