/* osm_parser.h - reads OpenStreetMap XML, OPL and o5m. C++. */
#ifndef MCD_IMPORTERS_OSM_READ_OSM_PARSER_H
#define MCD_IMPORTERS_OSM_READ_OSM_PARSER_H

#include "importers/osm/read/shim.h"

#include <osmium/osm/entity_bits.hpp>

extern "C" {
#include "engine/base/watch.h"
#include "importers/osm/read/unpack.h"
}

namespace osm_parser
{

enum class format { xml, opl, o5m };

/* A file that is read once. */
struct source {
    const char *path;
    osm_parser::format format;
    mcd_packing packing; /* none: o5m */
    const void *data;
    std::size_t bytes;
};

/* Hands over the objects of `kinds` as part 0. Returns E_FILE with the place, E_MEMORY, E_CANCELLED or the handler's
 * status. */
macadam_status read(const source &source, osmium::osm_entity_bits::type kinds, shim::giver &giver,
                    const mcd_osm_handler &handler, mcd_watch *watch, macadam_error *error);

} // namespace osm_parser

#endif
