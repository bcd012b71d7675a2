/* profiles.h - the profiles that are built in: the files of importers/osm/profiles/, word for word. */
#ifndef MCD_IMPORTERS_OSM_RULES_PROFILES_H
#define MCD_IMPORTERS_OSM_RULES_PROFILES_H

#include <stddef.h>

typedef struct mcd_profile_text {
    const char *name, *text;
} mcd_profile_text;

extern const mcd_profile_text mcd_profile_texts[]; /* ends with a name that is NULL */

#endif
