/* speed_file.h - reads files with speeds over the week: plain or gzip. */
#ifndef MCD_IMPORTERS_SPEEDS_SPEED_FILE_H
#define MCD_IMPORTERS_SPEEDS_SPEED_FILE_H

#include "importers/speeds/speed_table.h"

/* Adds what `name` names:
 *   FILE                     lines `way,direction,from,to,km/h`, after a line of these words: `10,1,Mo-Fr 07:00,09:30,36.2`.
 *                            direction: 1 as the way is drawn, -1 against it, 0 both. `from` without days: every day. A
 *                            time `to` that is not after `from` is one of the next day.
 *   osrm:WHEN=FILE           lines `from_node,to_node,km/h`, and perhaps more columns, as OSRM reads them. WHEN is a slot
 *                            (Mo08:15), days and times (Mo-Fr 07:00-09:30) or days (Sa-Su).
 *   factors:TABLE=FILE       lines `way,direction,km/h,PROFILE`, or with seven profiles, those of Monday to Sunday. TABLE has
 *                            a line for each profile: its number and its factors, for equal parts of the day: 24, 48, 96 or 288.
 *   valhalla:FILE            lines `way,direction,freeflow,constrained,coefficients`, as Valhalla's predicted speeds, whose
 *                            coefficients are base64 (speed_cosines.h). Without them, `freeflow` is the speed from 19:00 to
 *                            07:00 and `constrained` that of the day. Both may lack or be 0: not known.
 * Empty lines are left out. Times are multiples of 5 minutes; speeds at most 1000 km/h; 0: nothing moves. Returns E_FILE, and
 * names file, line and text; E_IO, E_INVALID or E_MEMORY. */
macadam_status mcd_speed_file_read(mcd_speed_table *table, const char *name, macadam_error *error);

/* Returns the path of the file in such a name. */
const char *mcd_speed_file_path(const char *name);

/* Copies the path of the TABLE, for the caller to free with mcd_free; NULL if the name has none. Returns E_MEMORY. */
macadam_status mcd_speed_file_table(char **path, const char *name, macadam_error *error);

#endif
