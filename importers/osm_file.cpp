/* osm_file.cpp - see osm_file.h. No exception leaves this file. */
#include <osmium/io/any_input.hpp>
#include <osmium/memory/buffer.hpp>
#include <osmium/osm.hpp>
#include <osmium/thread/pool.hpp>

#include <system_error>
#include <vector>

extern "C" { /* last: what these include is C++'s own by now */
#include "importers/osm_file.h"
}

namespace
{

/* Hands objects over; the vectors are kept so that they are allocated once. */
class objects
{
  public:
    objects(const mcd_osm_handler &handler, macadam_error *error) : m_handler(handler), m_error(error)
    {
    }

    macadam_status hand_over(const osmium::memory::Buffer &buffer)
    {
        for (const auto &object : buffer.select<osmium::OSMObject>()) {
            if (!object.visible()) continue;
            const macadam_status status = hand_over(object);
            if (status != MACADAM_OK) return status;
        }
        return MACADAM_OK;
    }

  private:
    macadam_status hand_over(const osmium::OSMObject &object)
    {
        switch (object.type()) {
        case osmium::item_type::node:
            return node(static_cast<const osmium::Node &>(object));
        case osmium::item_type::way:
            return way(static_cast<const osmium::Way &>(object));
        case osmium::item_type::relation:
            return relation(static_cast<const osmium::Relation &>(object));
        default:
            return MACADAM_OK;
        }
    }

    macadam_status node(const osmium::Node &object)
    {
        if (!m_handler.node) return MACADAM_OK;
        const osmium::Location location = object.location();
        const mcd_osm_node node = {object.id(), location.x(), location.y(), location.valid(), tags(object)};
        return m_handler.node(m_handler.context, &node, m_error);
    }

    macadam_status way(const osmium::Way &object)
    {
        if (!m_handler.way) return MACADAM_OK;
        m_ref.clear();
        for (const auto &ref : object.nodes()) m_ref.push_back(ref.ref());
        const mcd_osm_way way = {object.id(), m_ref.data(), m_ref.size(), tags(object)};
        return m_handler.way(m_handler.context, &way, m_error);
    }

    macadam_status relation(const osmium::Relation &object)
    {
        if (!m_handler.relation) return MACADAM_OK;
        m_member.clear();
        for (const auto &member : object.members())
            m_member.push_back({osmium::item_type_to_char(member.type()), member.ref(), member.role()});
        const mcd_osm_relation relation = {object.id(), m_member.data(), m_member.size(), tags(object)};
        return m_handler.relation(m_handler.context, &relation, m_error);
    }

    mcd_tags tags(const osmium::OSMObject &object)
    {
        m_tag.clear();
        for (const auto &tag : object.tags()) m_tag.push_back({tag.key(), tag.value()});
        return {m_tag.data(), m_tag.size()};
    }

    const mcd_osm_handler &m_handler;
    macadam_error *m_error;
    std::vector<mcd_tag> m_tag;
    std::vector<int64_t> m_ref;
    std::vector<mcd_osm_member> m_member;
};

osmium::osm_entity_bits::type kinds_of(const mcd_osm_handler &handler)
{
    auto kinds = osmium::osm_entity_bits::nothing;
    if (handler.node) kinds |= osmium::osm_entity_bits::node;
    if (handler.way) kinds |= osmium::osm_entity_bits::way;
    if (handler.relation) kinds |= osmium::osm_entity_bits::relation;
    return kinds;
}

macadam_status read(const char *path, const mcd_osm_handler &handler, unsigned thread_count,
                    const mcd_progress *progress, const char *phase, macadam_error *error)
{
    osmium::thread::Pool pool{static_cast<int>(thread_count)};
    osmium::io::Reader reader{osmium::io::File{path}, kinds_of(handler), osmium::io::read_meta::no, pool};
    objects objects{handler, error};
    while (const osmium::memory::Buffer buffer = reader.read()) {
        macadam_status status = objects.hand_over(buffer);
        if (status == MACADAM_OK)
            status = mcd_progress_step(progress, phase, reader.offset(), reader.file_size(), error);
        if (status != MACADAM_OK) return status;
    }
    reader.close(); /* tells of what the destructor must not throw */
    return MACADAM_OK;
}

} // namespace

macadam_status mcd_osm_file_read(const char *path, const mcd_osm_handler *handler, unsigned thread_count,
                                 const mcd_progress *progress, const char *phase, macadam_error *error)
{
    try {
        return read(path, *handler, thread_count, progress, phase, error);
    } catch (const std::bad_alloc &) {
        return mcd_fail(error, MACADAM_E_MEMORY, "%s: not enough memory to read it", path);
    } catch (const std::system_error &failure) {
        return mcd_fail(error, MACADAM_E_IO, "%s: %s", path, failure.what());
    } catch (const std::exception &failure) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", path, failure.what());
    } catch (...) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: it cannot be read", path);
    }
}
