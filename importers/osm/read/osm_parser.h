/* osm_parser.h - reads OpenStreetMap XML, OPL and o5m. C++. */
#ifndef MCD_IMPORTERS_OSM_READ_OSM_PARSER_H
#define MCD_IMPORTERS_OSM_READ_OSM_PARSER_H

#include "importers/osm/read/shim.h"
#include "importers/osm/read/unpack.h"

#include <osmium/io/file.hpp>
#include <osmium/osm/entity_bits.hpp>

namespace osm_parser
{

/* A file that is read once. */
struct source {
    const char *path;
    osmium::io::file_format format;       /* xml, opl or o5m */
    osmium::io::file_compression packing; /* none: o5m */
    const void *data;
    std::size_t bytes;
};

/* Hands over the objects of `kinds` as part 0 of the file of this number, and adds its relations. Returns
 * E_FILE with the place, E_MEMORY, E_CANCELLED or the handler's status. */
macadam_status read(const source &source, osmium::osm_entity_bits::type kinds, std::uint32_t number,
                    shim::giver &giver, shim::relation_list &relations, const mcd_osm_handler &handler,
                    mcd_watch *watch, macadam_error *error);

} // namespace osm_parser

#endif
