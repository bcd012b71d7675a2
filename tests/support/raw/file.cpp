/* file.cpp - see file.h. */
#include "tests/support/raw/file.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <expat.h>
#include <stdexcept>
#include <zlib.h>

namespace raw
{

namespace
{

void take_way(file &out, way &&taken)
{
    taken.ref.erase(std::unique(taken.ref.begin(), taken.ref.end()), taken.ref.end());
    out.ways.push_back(std::move(taken));
}

void take_relation(file &out, relation &&taken)
{
    out.left = out.left || taken.said.is("driving_side", "left");
    out.right = out.right || taken.said.is("driving_side", "right");
    const std::string *type = taken.said.get("type");
    const bool voyage = type && *type == "route" && taken.said.is("route", "ferry");
    if (!voyage && (!type || (*type + ":").compare(0, 12, "restriction:") != 0)) return;
    (voyage ? out.ferry_lines : out.restrictions).push_back(std::move(taken));
}

/* ---- protocol buffers ---- */

/* The fields of a message, or the numbers of a packed field. */
struct message {
    const char *at, *end;
    unsigned field = 0;

    explicit message(std::string &&) = delete; /* it refers to the data */
    explicit message(const std::string &data) : at(data.data()), end(at + data.size())
    {
    }

    uint64_t number()
    {
        uint64_t read = 0;
        for (int shift = 0; at < end; shift += 7) {
            read |= uint64_t(*at & 0x7f) << shift;
            if (!(*at++ & 0x80)) return read;
        }
        throw std::runtime_error("a number is cut off");
    }
    int64_t difference()
    {
        const uint64_t read = number();
        return int64_t(read >> 1) ^ -int64_t(read & 1);
    }
    /* Of the field that `next` found: its number, or its bytes. */
    uint64_t value = 0;
    std::string bytes;
    bool next()
    {
        if (at == end) return false;
        const uint64_t key = number();
        field = unsigned(key >> 3);
        value = number();
        if ((key & 7) == 0) return true;
        if ((key & 7) != 2 || value > size_t(end - at)) throw std::runtime_error("a field is wrong");
        bytes.assign(at, size_t(value));
        at += value;
        return true;
    }
};

struct block {
    std::vector<std::string> strings;
    int64_t granularity = 100, lat = 0, lon = 0;

    int32_t e7(int64_t units, int64_t offset) const
    {
        return int32_t((units * granularity + offset) / 100);
    }
    tags tags_of(const std::string &keys, const std::string &values) const
    {
        tags out;
        for (message key(keys), value(values); key.at < key.end;)
            out.add(strings.at(key.number()).c_str(), strings.at(value.number()).c_str());
        return out;
    }
};

void read_dense(file &out, const block &in, const std::string &data)
{
    std::string part[11];
    for (message dense(data); dense.next();)
        if (dense.field < 11) part[dense.field] = dense.bytes;
    node at = {0, 0, 0};
    int64_t lat = 0, lon = 0;
    for (message id(part[1]), y(part[8]), x(part[9]), pair(part[10]); id.at < id.end;) {
        at.id += id.difference();
        at.lat_e7 = in.e7(lat += y.difference(), in.lat);
        at.lon_e7 = in.e7(lon += x.difference(), in.lon);
        tags said;
        for (uint64_t key; pair.at < pair.end && (key = pair.number()) > 0;)
            said.add(in.strings.at(key).c_str(), in.strings.at(pair.number()).c_str());
        out.nodes.push_back(at);
        if (!said.all().empty()) out.node_tags.emplace(at.id, said);
    }
}

/* A way or a relation. */
void read_object(file &out, const block &in, const std::string &data, bool is_way)
{
    std::string part[11];
    int64_t id = 0, ref = 0;
    for (message object(data); object.next();)
        if (object.field == 1)
            id = int64_t(object.value);
        else if (object.field < 11)
            part[object.field] = object.bytes;
    const tags said = in.tags_of(part[2], part[3]);
    if (is_way) {
        way taken = {id, {}, said};
        for (message refs(part[8]); refs.at < refs.end;) taken.ref.push_back(ref += refs.difference());
        return take_way(out, std::move(taken));
    }
    relation taken = {id, {}, said};
    for (message role(part[8]), member(part[9]), type(part[10]); role.at < role.end;)
        taken.members.push_back(
            {"nwr"[type.number()], ref += member.difference(), in.strings.at(role.number())});
    take_relation(out, std::move(taken));
}

void read_block(file &out, const std::string &data)
{
    block in;
    std::vector<std::string> groups;
    for (message parts(data); parts.next();) {
        if (parts.field == 1)
            for (message table(parts.bytes); table.next();) in.strings.push_back(table.bytes);
        if (parts.field == 2) groups.push_back(parts.bytes);
        if (parts.field == 17) in.granularity = int64_t(parts.value);
        if (parts.field == 19) in.lat = int64_t(parts.value);
        if (parts.field == 20) in.lon = int64_t(parts.value);
    }
    for (const std::string &data_of_group : groups)
        for (message group(data_of_group); group.next();) {
            if (group.field == 1) throw std::runtime_error("nodes are not dense");
            if (group.field == 2) read_dense(out, in, group.bytes);
            if (group.field == 3 || group.field == 4) read_object(out, in, group.bytes, group.field == 3);
        }
}

/* Blobs that are raw or packed by zlib. */
void read_pbf(file &out, const std::string &data)
{
    for (size_t at = 0; at < data.size();) {
        size_t header_bytes = 0;
        for (int i = 0; i < 4; ++i) header_bytes = header_bytes << 8 | (unsigned char)data.at(at++);
        std::string type, raw;
        uint64_t blob_bytes = 0, raw_bytes = 0;
        const std::string header_data = data.substr(at, header_bytes);
        for (message header(header_data); header.next();) {
            if (header.field == 1) type = header.bytes;
            if (header.field == 3) blob_bytes = header.value;
        }
        at += header_bytes;
        const std::string blob_data = data.substr(at, blob_bytes);
        for (message blob(blob_data); blob.next();) {
            if (blob.field == 1) raw = blob.bytes;
            if (blob.field == 2) raw_bytes = blob.value;
            if (blob.field != 3) continue;
            uLongf room = raw_bytes;
            raw.resize(raw_bytes);
            if (uncompress((Bytef *)&raw[0], &room, (const Bytef *)blob.bytes.data(), blob.bytes.size()) !=
                Z_OK)
                throw std::runtime_error("a blob is wrong");
        }
        at += blob_bytes;
        if (type == "OSMData") read_block(out, raw);
    }
}

/* ---- XML ---- */

struct xml {
    file &out;
    node at;
    bool placed;
    tags said;
    std::vector<int64_t> ref;
    std::vector<member> members;
};

const char *attribute(const char **all, const char *name)
{
    for (; *all; all += 2)
        if (strcmp(*all, name) == 0) return all[1];
    return nullptr;
}

/* Rounded as decimals are by hand. */
int32_t e7_of(const char *text)
{
    const double value = strtod(text, nullptr) * 1e7;
    return int32_t(value < 0 ? value - 0.5 : value + 0.5);
}

void begin(void *data, const char *name, const char **all)
{
    xml &in = *static_cast<xml *>(data);
    const std::string element = name;
    if (element == "node" || element == "way" || element == "relation") {
        in.at = {atoll(attribute(all, "id")), 0, 0};
        in.said = {};
        in.ref.clear(), in.members.clear();
        in.placed = attribute(all, "lon") && attribute(all, "lat");
        if (in.placed)
            in.at.lon_e7 = e7_of(attribute(all, "lon")), in.at.lat_e7 = e7_of(attribute(all, "lat"));
    } else if (element == "tag")
        in.said.add(attribute(all, "k"), attribute(all, "v"));
    else if (element == "nd")
        in.ref.push_back(atoll(attribute(all, "ref")));
    else if (element == "member")
        in.members.push_back({*attribute(all, "type"), atoll(attribute(all, "ref")), attribute(all, "role")});
}

void end(void *data, const char *name)
{
    xml &in = *static_cast<xml *>(data);
    const std::string element = name;
    if (element == "node" && in.placed) {
        in.out.nodes.push_back(in.at);
        if (!in.said.all().empty()) in.out.node_tags.emplace(in.at.id, in.said);
    } else if (element == "way")
        take_way(in.out, {in.at.id, in.ref, in.said});
    else if (element == "relation")
        take_relation(in.out, {in.at.id, in.members, in.said});
}

void read_xml(file &out, const std::string &data)
{
    xml in = {out, {}, false, {}, {}, {}};
    XML_Parser parser = XML_ParserCreate(nullptr);
    XML_SetUserData(parser, &in);
    XML_SetElementHandler(parser, begin, end);
    const bool is_read = XML_Parse(parser, data.data(), int(data.size()), true) == XML_STATUS_OK;
    XML_ParserFree(parser);
    if (!is_read) throw std::runtime_error("the XML is wrong");
}

/* Packed by gzip or not. */
std::string read_whole(const char *path)
{
    std::string out;
    char piece[1 << 16];
    gzFile packed = gzopen(path, "rb");
    if (!packed) throw std::runtime_error(path);
    for (int bytes; (bytes = gzread(packed, piece, sizeof piece)) > 0;) out.append(piece, size_t(bytes));
    gzclose(packed);
    return out;
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
    const std::string data = read_whole(path);
    if (data.compare(0, 2, std::string(2, '\0')) == 0)
        read_pbf(*this, data);
    else
        read_xml(*this, data);
    std::sort(nodes.begin(), nodes.end(), [](const node &a, const node &b) { return a.id < b.id; });
}

const node *file::find(int64_t id) const
{
    const auto at = std::lower_bound(nodes.begin(), nodes.end(), id,
                                     [](const node &a, int64_t wanted) { return a.id < wanted; });
    return at != nodes.end() && at->id == id ? &*at : nullptr;
}

} // namespace raw
