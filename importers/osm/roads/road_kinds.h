/* road_kinds.h - the kinds of roads that ways name, each stored once, known by its number. */
#ifndef MCD_IMPORTERS_OSM_ROADS_ROAD_KINDS_H
#define MCD_IMPORTERS_OSM_ROADS_ROAD_KINDS_H

#include "engine/map/pattern_set.h"
#include "importers/osm/roads/names.h"
#include "importers/osm/rules/profile.h"

typedef struct mcd_kinds {
    mcd_kind *kind;                      /* [count] [0] says nothing: the kind of arcs that are not roads */
    mcd_kind_limits *limits;             /* [count] */
    uint32_t *pronunciation;             /* [count] of the name, among the names */
    bool has_limits, has_pronunciations; /* some kind has one */
    size_t count, capacity, limits_capacity, pronunciation_capacity;
    mcd_pattern_set record; /* all three as bytes, by which a kind is found */
} mcd_kinds;

/* Finds or adds `kind` with its limits and pronunciation, and stores its number. `kinds` begins zeroed; the first call adds the empty kind.
 * Returns E_MEMORY. */
macadam_status mcd_kinds_add(mcd_kinds *kinds, const mcd_kind *kind, const mcd_kind_limits *limits,
                             uint32_t pronunciation, uint32_t *number, macadam_error *error);

/* Reads what the tags of a way say of both directions. The words are added to `names`. */
macadam_status mcd_kinds_read(mcd_kind out[MCD_DIRECTIONS], mcd_names *names, const mcd_tags *tags,
                              const mcd_profile *profile, const mcd_passage *passage, macadam_error *error);

/* Closes the lanes of buses in the text of a kind's lanes, once it is known on which side one drives: until then, both
 * edges of the road are marked. */
void mcd_lanes_drive(char *lanes, bool left);

/* Gives the kind the numbers "12; 12a" of the exit that begins with it, which are added to `names`. */
macadam_status mcd_kind_set_exit(mcd_kind *kind, mcd_names *names, const char *exit, macadam_error *error);

/* Takes the smaller of both limits. */
void mcd_kinds_tighten(mcd_kind_limits *limits, const mcd_kind_limits *more);

void mcd_kinds_free(mcd_kinds *kinds);

#endif
