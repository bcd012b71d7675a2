/* quantity.h - the quantities that a caller names. */
#ifndef MCD_IMPORTERS_BASE_QUANTITY_H
#define MCD_IMPORTERS_BASE_QUANTITY_H

#include "engine/map/map.h"

/* Checks that `given` has at least one element and at most MCD_QUANTITY_MAX: else E_INVALID. Reads none. */
macadam_status mcd_quantity_check(const char *const *given, size_t count, macadam_error *error);

/* Checks `count` names (distinct; letters, digits, '_' and '-') and units (may be NULL: none) and copies them
 * into the map. Returns E_INVALID, which names the bad one. */
macadam_status mcd_quantity_name(mcd_map *map, const char *const *name, const char *const *unit, size_t count,
                                 macadam_error *error);

#endif
