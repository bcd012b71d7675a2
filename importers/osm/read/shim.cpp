/* shim.cpp - see shim.h. */
#include "importers/osm/read/shim.h"

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
        return mcd_fail(error, MACADAM_E_FILE, "%s: a block is too large: it would take more than 512 MB",
                        where);
    } catch (const std::exception &failure) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", where, failure.what());
    } catch (...) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: it cannot be read", where);
    }
}

void id_range::add(std::int64_t next_first, std::int64_t next_last, bool next_ascends)
{
    ascends = ascends && next_ascends && (!any || last < next_first);
    if (!any) first = next_first;
    last = next_last;
    any = true;
}

void giver::begin(const mcd_osm_handler &handler, std::size_t part, std::uint64_t number,
                  macadam_error *error)
{
    m_handler = &handler;
    m_part = part;
    m_number.fill(number);
    m_error = error;
    ids = {};
    has_places = false;
}

void giver::give(osmium::memory::Buffer &buffer)
{
    while (buffer.has_nested_buffers()) give(*buffer.get_last_nested()); /* the oldest first */
    for (const auto &object : buffer.select<osmium::OSMObject>()) check(give_object(object));
}

/* libosmium's iterator would measure each key twice. */
void giver::collect_tags(const osmium::memory::Item &list)
{
    const auto *at = reinterpret_cast<const char *>(list.data()) + sizeof(osmium::TagList);
    const auto *const end = reinterpret_cast<const char *>(list.data()) + list.byte_size();
    while (at < end) {
        const char *const key = at, *const value = key + std::strlen(key) + 1;
        m_tag.push_back({key, value});
        at = value + std::strlen(value) + 1;
    }
}

/* A list may come in several pieces. */
void giver::collect(const osmium::OSMObject &object)
{
    m_tag.clear(), m_ref.clear(), m_placed.clear(), m_member.clear();
    for (const osmium::memory::Item &item : object) {
        if (item.type() == osmium::item_type::tag_list)
            collect_tags(item);
        else if (item.type() == osmium::item_type::way_node_list)
            for (const auto &node : static_cast<const osmium::WayNodeList &>(item)) {
                m_ref.push_back(node.ref());
                if (node.location().valid()) m_placed.push_back(node);
            }
        else if (item.type() == osmium::item_type::relation_member_list)
            for (const auto &member : static_cast<const osmium::RelationMemberList &>(item))
                m_member.push_back({osmium::item_type_to_char(member.type()), member.ref(), member.role()});
    }
}

macadam_status giver::give_node(std::int64_t id, osmium::Location location, std::uint32_t age)
{
    const mcd_osm_node node = {id, location.x(), location.y(), location.valid(), {m_tag.data(), m_tag.size()},
                               age};
    return m_handler->node(m_handler->context, m_part, &node, m_error);
}

macadam_status giver::give_object(const osmium::OSMObject &object)
{
    const mcd_osm_handler &to = *m_handler;
    const unsigned kind = osmium::item_type_to_nwr_index(object.type());
    const std::uint64_t number = m_number.at(kind)++;
    const std::uint32_t version = std::min<std::uint32_t>(object.version(), INT32_MAX - 1);
    const std::uint32_t age = 2 * (version + 1) + object.deleted();
    ids.at(kind).add(object.id(), object.id(), true);
    const bool is_wanted = kind == 0   ? to.node != nullptr
                           : kind == 1 ? to.way || to.node
                                       : to.relation != nullptr;
    if (!is_wanted || (object.deleted() && !to.versions)) return MACADAM_OK;
    collect(object);
    const mcd_tags tags = {m_tag.data(), m_tag.size()};
    if (object.type() == osmium::item_type::node)
        return give_node(object.id(), static_cast<const osmium::Node &>(object).location(), age);
    if (object.type() == osmium::item_type::relation) {
        const mcd_osm_relation relation = {object.id(), m_member.data(), m_member.size(), tags, age, number};
        return to.relation(to.context, m_part, &relation, m_error);
    }
    has_places = has_places || !m_placed.empty();
    const mcd_osm_way way = {object.id(), m_ref.data(), m_ref.size(), tags, age, number};
    if (to.way) MCD_TRY(to.way(to.context, m_part, &way, m_error));
    if (!to.node || object.deleted()) return MACADAM_OK;
    m_tag.clear();
    for (const osmium::NodeRef &node : m_placed) MCD_TRY(give_node(node.ref(), node.location(), 0));
    return MACADAM_OK;
}

} // namespace shim
