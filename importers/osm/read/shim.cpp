/* shim.cpp - see shim.h. */
#include "importers/osm/read/shim.h"

#include <osmium/object_pointer_collection.hpp>

#include <algorithm>
#include <cstring>
#include <new>

namespace shim
{

macadam_status status_of_exception(const char *where, macadam_error *error)
{
    try {
        throw;
    } catch (const stop &stopped) {
        return stopped.status;
    } catch (const std::bad_alloc &) {
        return mcd_fail(error, MACADAM_E_MEMORY, "%s: not enough memory to read it", where);
    } catch (const osmium::buffer_is_full &) {
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: an object, or the relations of a block, would take more than 512 MB", where);
    } catch (const std::exception &failure) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", where, failure.what());
    } catch (...) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: it cannot be read", where);
    }
}

/* libosmium's iterator would measure each key twice. */
void facts::collect_tags(const osmium::memory::Item &list)
{
    const auto *at = reinterpret_cast<const char *>(list.data()) + sizeof(osmium::TagList);
    const auto *const end = reinterpret_cast<const char *>(list.data()) + list.byte_size();
    while (at < end) {
        const char *const key = at, *const value = key + std::strlen(key) + 1;
        tag.push_back({key, value});
        initials |= mcd_key_initials(key);
        at = value + std::strlen(value) + 1;
    }
}

/* A list may come in several pieces. */
void facts::collect(const osmium::OSMObject &object)
{
    tag.clear(), ref.clear(), placed.clear(), member.clear();
    initials = 0;
    for (const osmium::memory::Item &item : object) {
        if (item.type() == osmium::item_type::tag_list)
            collect_tags(item);
        else if (item.type() == osmium::item_type::way_node_list)
            for (const auto &node : static_cast<const osmium::WayNodeList &>(item)) {
                ref.push_back(node.ref());
                if (node.location().valid()) placed.push_back(node);
            }
        else if (item.type() == osmium::item_type::relation_member_list)
            for (const auto &part : static_cast<const osmium::RelationMemberList &>(item))
                member.push_back({osmium::item_type_to_char(part.type()), part.ref(), part.role()});
    }
}

void relation_list::give(const mcd_osm_handler &handler, mcd_watch *watch, macadam_error *error)
{
    osmium::ObjectPointerCollection relations;
    facts held;
    std::size_t count = 0;
    for (osmium::memory::Buffer &part : m_parts)
        for (auto &object : part.select<osmium::OSMObject>()) relations.osm_object(object);
    const auto is_before = [](const auto *a, const auto *b) { return a->id() < b->id(); };
    if (handler.counts) relations.sort(is_before);
    for (const osmium::OSMObject &object : relations) {
        held.collect(object);
        const mcd_osm_relation relation = {object.id(), held.member.data(), held.member.size(), held.tags()};
        check(mcd_watch_item(watch, count++, relations.size(), error));
        check(handler.relation(handler.context, &relation, error));
    }
}

void giver::begin(const mcd_osm_handler &handler, std::size_t part, std::uint32_t file, std::uint64_t number,
                  macadam_error *error)
{
    m_handler = &handler;
    m_part = part;
    m_file = file;
    m_number.fill(number);
    m_error = error;
    ids = {};
    has_places = false;
}

void giver::give(osmium::memory::Buffer &buffer)
{
    while (buffer.has_nested_buffers()) give(*buffer.get_last_nested()); /* the oldest first */
    for (const auto &object : buffer.select<osmium::OSMObject>()) give(object);
}

macadam_status giver::give_node(std::int64_t id, osmium::Location location, std::uint32_t age)
{
    const mcd_osm_node node = {id, location.x(), location.y(), location.valid(), m_facts.tags(), age};
    return m_handler->node(m_handler->context, m_part, &node, m_error);
}

/* A way that does not count still says where its nodes are. */
macadam_status giver::give_way(const osmium::OSMObject &object, bool counts)
{
    const mcd_osm_handler &to = *m_handler;
    const mcd_osm_way way = {object.id(), m_facts.ref.data(), m_facts.ref.size(), m_facts.tags()};
    has_places = has_places || !m_facts.placed.empty();
    if (to.way && counts) MCD_TRY(to.way(to.context, m_part, &way, m_error));
    if (!to.node || object.deleted()) return MACADAM_OK;
    m_facts.tag.clear();
    for (const osmium::NodeRef &node : m_facts.placed)
        MCD_TRY(give_node(node.ref(), node.location(), counts ? MCD_AGE_OF_WAY : MCD_AGE_OF_OLD_WAY));
    return MACADAM_OK;
}

void giver::keep_relation(const osmium::OSMObject &relation)
{
    const mcd_tags tags = m_facts.tags();
    if (m_handler->wants && !m_handler->wants(m_handler->context, &tags)) return;
    if (!m_relations) m_relations = osmium::memory::Buffer{1024};
    m_relations.push_back(relation);
}

macadam_status giver::give_object(const osmium::OSMObject &object)
{
    const mcd_osm_handler &to = *m_handler;
    const unsigned kind = osmium::item_type_to_nwr_index(object.type());
    const std::uint64_t number = m_number.at(kind)++;
    const bool is_newest = object.version() == 0 && (is_change || object.deleted());
    const std::uint32_t newness =
        is_newest ? INT32_MAX - 1 : std::min<std::uint32_t>(object.version(), INT32_MAX - 1);
    const std::uint32_t age = 2 * (newness + 1) + object.deleted();
    ids.at(kind).add(object.id(), object.id(), kind > 0 || !object.deleted()); /* or ways would place it */
    if (kind == 0) {
        if (!to.node || (object.deleted() && !to.versions)) return MACADAM_OK;
        m_facts.collect(object);
        return give_node(object.id(), static_cast<const osmium::Node &>(object).location(), age);
    }
    const auto of = kind == 2 ? MCD_OSM_RELATION : MCD_OSM_WAY;
    const mcd_osm_version version = {object.id(), number, age, m_file};
    if (to.version) return to.version(to.context, m_part, of, &version, m_error);
    const bool is_wanted = kind == 1 ? to.way || to.node : to.relation != nullptr;
    if (!is_wanted || object.deleted()) return MACADAM_OK;
    const bool counts = !to.counts || to.counts(to.chooser, of, &version);
    m_facts.collect(object);
    if (kind == 1) return give_way(object, counts);
    if (counts) keep_relation(object);
    return MACADAM_OK;
}

} // namespace shim
