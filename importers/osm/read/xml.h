/* xml.h - reads OpenStreetMap XML. */
#ifndef MCD_IMPORTERS_OSM_READ_XML_H
#define MCD_IMPORTERS_OSM_READ_XML_H

#include "engine/base/watch.h"
#include "importers/osm/read/osm_object.h"
#include "importers/osm/read/unpack.h"

/* Hands the objects of a mapped file to the handler, as part 0. Deleted ones are left out, and elements that
 * are not known are skipped. Returns E_FILE with the line, E_MEMORY, E_CANCELLED or the handler's status. */
macadam_status mcd_xml_read(const char *path, mcd_packing packing, const void *data, size_t bytes,
                            const mcd_osm_handler *handler, mcd_watch *watch, macadam_error *error);

#endif
