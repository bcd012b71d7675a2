/* file.cpp - see file.h. */
#include "tests/support/raw/file.h"

#include <algorithm>
#include <osmium/io/any_input.hpp>
#include <osmium/osm.hpp>

namespace raw
{

namespace
{

tags tags_of(const osmium::OSMObject &object)
{
    tags out;
    for (const auto &tag : object.tags()) out.add(tag.key(), tag.value());
    return out;
}

void take(file &out, const osmium::Node &object)
{
    const osmium::Location location = object.location();
    if (!location.valid()) return;
    out.nodes.push_back({object.id(), location.x(), location.y()});
    if (!object.tags().empty()) out.node_tags.emplace(object.id(), tags_of(object));
}

void take(file &out, const osmium::Way &object)
{
    way taken = {object.id(), {}, tags_of(object)};
    for (const auto &ref : object.nodes())
        if (taken.ref.empty() || taken.ref.back() != ref.ref()) taken.ref.push_back(ref.ref());
    out.ways.push_back(std::move(taken));
}

void take(file &out, const osmium::Relation &object)
{
    relation taken = {object.id(), {}, tags_of(object)};
    out.left = out.left || taken.said.is("driving_side", "left");
    out.right = out.right || taken.said.is("driving_side", "right");
    const std::string *type = taken.said.get("type");
    const bool ferry_line = type && *type == "route" && taken.said.is("route", "ferry");
    if (!ferry_line && (!type || (*type + ":").compare(0, 12, "restriction:") != 0)) return;
    for (const auto &at : object.members())
        taken.members.push_back({osmium::item_type_to_char(at.type()), at.ref(), at.role()});
    (ferry_line ? out.ferry_lines : out.restrictions).push_back(std::move(taken));
}

} // namespace

void tags::add(const char *key, const char *value)
{
    m_all.emplace_back(key, value);
}

const std::string *tags::get(const std::string &key) const
{
    for (const auto &tag : m_all)
        if (tag.first == key) return &tag.second;
    return nullptr;
}

bool tags::is(const std::string &key, const std::string &value) const
{
    const std::string *said = get(key);
    return said && *said == value;
}

file::file(const char *path)
{
    osmium::io::Reader reader{path};
    while (const osmium::memory::Buffer buffer = reader.read())
        for (const auto &object : buffer.select<osmium::OSMObject>()) {
            if (object.type() == osmium::item_type::node)
                take(*this, static_cast<const osmium::Node &>(object));
            if (object.type() == osmium::item_type::way)
                take(*this, static_cast<const osmium::Way &>(object));
            if (object.type() == osmium::item_type::relation)
                take(*this, static_cast<const osmium::Relation &>(object));
        }
    reader.close();
    std::sort(nodes.begin(), nodes.end(), [](const node &a, const node &b) { return a.id < b.id; });
}

const node *file::find(int64_t id) const
{
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), id,
                                     [](const node &a, int64_t wanted) { return a.id < wanted; });
    return at != nodes.end() && at->id == id ? &*at : nullptr;
}

} // namespace raw
