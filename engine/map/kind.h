/* kind.h - the kinds of roads on a map: the facts of a road that people see. Roads with equal facts share
 * one. */
#ifndef MCD_ENGINE_MAP_KIND_H
#define MCD_ENGINE_MAP_KIND_H

#include <stdint.h>

/* The words of a kind: offsets into the map's names. */
typedef enum mcd_kind_text {
    MCD_KIND_NAME,        /* "Via Dante" */
    MCD_KIND_CLASS,       /* "motorway_link", ...: the value of highway=; "ferry", "train" */
    MCD_KIND_REF,         /* "A 4; E 64" */
    MCD_KIND_DESTINATION, /* the signs over it: "A 4: Milano, Torino" */
    MCD_KIND_EXIT,        /* the number of the exit that begins with it */
    MCD_KIND_TURN_LANES,  /* as OpenStreetMap writes them: "left|through;right" */
    MCD_KIND_TEXTS
} mcd_kind_text;

/* As an edge file holds it: MCD_KIND_WORDS numbers. */
typedef struct mcd_kind {
    uint32_t text[MCD_KIND_TEXTS];
    uint32_t flags;            /* macadam_road_flag, or-ed */
    uint16_t speed_kmh, lanes; /* signed for all; in this direction; 0: not known */
} mcd_kind;

/* The limits of signs. */
typedef enum mcd_limit {
    MCD_LIMIT_HEIGHT, /* cm, as the next two */
    MCD_LIMIT_WIDTH,
    MCD_LIMIT_LENGTH,
    MCD_LIMIT_WEIGHT,    /* 10 kg */
    MCD_LIMIT_AXLE_LOAD, /* 10 kg */
    MCD_LIMITS
} mcd_limit;

enum { MCD_LIMIT_UNITS = 100 }; /* in a metre or a tonne */

/* The largest vehicle that a kind of road admits; 0: any. */
typedef struct mcd_kind_limits {
    uint16_t most[MCD_LIMITS];
} mcd_kind_limits;

enum { MCD_KIND_WORDS = sizeof(mcd_kind) / sizeof(uint32_t) };

#endif
