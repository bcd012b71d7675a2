/* shim.h - objects that libosmium has decoded, handed over to a handler in C. C++.
 *
 * libosmium (2.19 to 2.22, as Debian 12 and 13 and Ubuntu 24.04 ship it) reads a file with threads of its own, and ends
 * the process when memory runs out on one of them. So only its decoders are used, on the calling thread: they are
 * in osmium::io::detail, an inner interface. importers/CMakeLists.txt checks the version and mends two headers. */
#ifndef MCD_IMPORTERS_OSM_READ_SHIM_H
#define MCD_IMPORTERS_OSM_READ_SHIM_H

#include <array>
#include <cstdint>
#include <exception>
#include <utility>
#include <vector>

#include <osmium/osm/types.hpp>

/* libosmium refuses texts of more than 1,024 bytes, which the formats allow. It counts the bytes of a
 * user's name or a role, and its end, by 16 bits. */
namespace osmium
{
enum : std::size_t { long_string_length = UINT16_MAX - 1 };
}
#define max_osm_string_length long_string_length

#include <osmium/io/error.hpp>
#include <osmium/memory/buffer.hpp>
#include <osmium/osm.hpp>

extern "C" {
#include "engine/base/watch.h"
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

    void add(std::int64_t next_first, std::int64_t next_last, bool next_ascends)
    {
        ascends = ascends && next_ascends && (!any || last < next_first);
        if (!any) first = next_first;
        last = next_last;
        any = true;
    }
};
using id_ranges = std::array<id_range, 3>; /* of nodes, ways and relations */

/* The contents of an object, in C. */
struct facts {
    std::vector<mcd_tag> tag;
    std::vector<std::int64_t> ref;
    std::vector<osmium::NodeRef> placed; /* nodes of a way whose coordinates it has */
    std::vector<mcd_osm_member> member;

    void collect(const osmium::OSMObject &object);
    mcd_tags tags() const
    {
        return {tag.data(), tag.size(), ~initials};
    }

  private:
    std::uint64_t initials = 0; /* of the keys, or more */

    void collect_tags(const osmium::memory::Item &list);
};

/* The relations that a handler wants. */
class relation_list
{
  public:
    void add(osmium::memory::Buffer &&part)
    {
        if (!part || part.committed() == 0) return;
        m_bytes += part.committed();
        if (m_bytes > BYTES_MAX) throw osmium::io_error{"its relations are too large"};
        m_parts.push_back(std::move(part));
    }
    /* Hands them over, by their ids if the handler chooses versions. Throws a stop. */
    void give(const mcd_osm_handler &handler, mcd_watch *watch, macadam_error *error);

  private:
    /* the planet has some 3 million, of a few hundred bytes */
    static constexpr std::size_t BYTES_MAX = std::size_t{2} << 30;
    std::size_t m_bytes = 0;
    std::vector<osmium::memory::Buffer> m_parts;
};

/* Hands over the objects of one part after another. */
class giver
{
  public:
    id_ranges ids;           /* of the part */
    bool has_places = false; /* a way of the part has the coordinates of its nodes */
    bool is_change = false;  /* objects without a version are the newest ones; deletions are in any file */

    /* `number`: of the part's first object of each kind, in the file. */
    void begin(const mcd_osm_handler &handler, std::size_t part, std::uint32_t file, std::uint64_t number,
               macadam_error *error);
    /* These throw a stop if the handler refuses an object. */
    void give(osmium::memory::Buffer &buffer);
    void give(const osmium::OSMObject &object)
    {
        check(give_object(object));
    }
    /* The relations of the part that the handler wants. */
    osmium::memory::Buffer take_relations()
    {
        return std::move(m_relations);
    }

  private:
    macadam_status give_object(const osmium::OSMObject &object);
    macadam_status give_way(const osmium::OSMObject &way, bool counts);
    macadam_status give_node(std::int64_t id, osmium::Location location, std::uint32_t age);
    void keep_relation(const osmium::OSMObject &relation);

    const mcd_osm_handler *m_handler = nullptr;
    std::size_t m_part = 0;
    std::uint32_t m_file = 0;
    std::array<std::uint64_t, 3> m_number{}; /* of the next node, way and relation */
    macadam_error *m_error = nullptr;
    facts m_facts;
    osmium::memory::Buffer m_relations;
};

/* The buffer of libosmium's decoder, which commits each object: it is handed over then, and the buffer stays as small
 * as the largest object. */
struct giving_buffer : osmium::memory::Buffer {
    giver *to = nullptr;

    giving_buffer() : Buffer{64}
    {
    }
    void commit()
    {
        if (written() > 0) to->give(get<osmium::OSMObject>(0));
        clear();
    }
};

} // namespace shim

#endif
