/* shim.h - objects that libosmium has decoded, handed over to a handler in C. C++.
 *
 * libosmium (2.19 to 2.22, as Debian 12 and 13 and Ubuntu 24.04 ship it) reads a file with threads of its own, and ends
 * the process when memory runs out on one of them. So only its decoders are used, on the calling thread: they are
 * in osmium::io::detail, an inner interface. importers/CMakeLists.txt checks the version and mends one header. */
#ifndef MCD_IMPORTERS_OSM_READ_SHIM_H
#define MCD_IMPORTERS_OSM_READ_SHIM_H

#include <array>
#include <cstdint>
#include <exception>
#include <vector>

#include <osmium/memory/buffer.hpp>
#include <osmium/osm.hpp>

extern "C" {
#include "engine/base/memory.h"
#include "importers/osm/read/osm_object.h"
}

namespace shim
{

/* Carries a status of C through libosmium. Its message is already written. */
struct stop {
    macadam_status status;
};

inline void check(macadam_status status)
{
    if (status != MACADAM_OK) throw stop{status};
}

/* Returns the status for the exception that is being handled; writes "WHERE: WHAT" unless it is a stop. */
macadam_status status_of_exception(const char *where, macadam_error *error);

/* Which ids of one kind were handed over: whether they ascend. */
struct id_range {
    std::int64_t first = 0, last = 0;
    bool any = false, ascends = true;

    void add(std::int64_t next_first, std::int64_t next_last, bool next_ascends);
};
using id_ranges = std::array<id_range, 3>; /* of nodes, ways and relations */

/* Hands over the objects of one part after another. */
class giver
{
  public:
    id_ranges ids;           /* of the part */
    bool has_places = false; /* a way of the part has the coordinates of its nodes */

    /* `number`: of the part's first object of each kind, in the file. */
    void begin(const mcd_osm_handler &handler, std::size_t part, std::uint64_t number, macadam_error *error);
    /* Throws a stop if the handler refuses an object. */
    void give(osmium::memory::Buffer &buffer);

  private:
    void collect_tags(const osmium::memory::Item &list);
    void collect(const osmium::OSMObject &object);
    macadam_status give_object(const osmium::OSMObject &object);
    macadam_status give_node(std::int64_t id, osmium::Location location, std::uint32_t age);

    const mcd_osm_handler *m_handler = nullptr;
    std::size_t m_part = 0;
    std::array<std::uint64_t, 3> m_number{}; /* of the next node, way and relation */
    macadam_error *m_error = nullptr;
    std::vector<mcd_tag> m_tag;
    std::vector<std::int64_t> m_ref;
    std::vector<osmium::NodeRef> m_placed;
    std::vector<mcd_osm_member> m_member;
};

} // namespace shim

#endif
