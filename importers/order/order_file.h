/* order_file.h - an elimination order that the user gives as a text file. */
#ifndef MCD_IMPORTERS_ORDER_ORDER_FILE_H
#define MCD_IMPORTERS_ORDER_ORDER_FILE_H

#include "engine/map/map.h"

/* Reads `path` (plain or gzip): the map's user ids, each exactly once, one per line, first eliminated first.
 * (*order_out)[rank] = node; free it with mcd_free. The copies of a split node take their id's place. Returns
 * E_FILE ("FILE:LINE: ..."), E_IO or E_MEMORY. */
macadam_status mcd_order_read(mcd_node **order_out, const mcd_map *map, const char *path,
                              const mcd_progress *progress, macadam_error *error);

#endif
