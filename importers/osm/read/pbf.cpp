/* pbf.cpp - see pbf.h.
 *
 * Method: a block says nowhere what it holds, so that one has to inflate it to find out. But it begins with
 * its strings, and then there is the length of its first group, and within this that of the first field: a
 * block that is one group of dense nodes, as almost all of those with nodes are, shows that in its first
 * tenth. Whoever asks for no nodes is spared the rest, and does not learn whether it is whole. */
#define ZSTD_STATIC_LINKING_ONLY /* of this, only the function that makes a context with an allocator */
#include "importers/osm/read/pbf.h"

extern "C" {
#include "importers/osm/read/unpack.h"
}

#include <cstdint>
#include <lz4.h>
#include <protozero/pbf_message.hpp>
#include <protozero/varint.hpp>
#include <zstd.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace pbf
{

namespace
{

enum : std::size_t {
    HEADER_BYTES_MAX = 64 << 10, /* both as the format has it */
    BLOCK_BYTES_MAX = 32 << 20,
    VARINT_BYTES = 10,
    INFLATED_AHEAD = 512, /* more than is asked for, as calls have their price */
    TAIL_BYTES_MAX = 9,   /* a group of one object with one tag has more */
};

enum class blob_header : protozero::pbf_tag_type { type = 1, datasize = 3 };
enum class blob : protozero::pbf_tag_type {
    raw = 1,
    raw_size = 2,
    zlib_data = 3,
    lz4_data = 6,
    zstd_data = 7
};
enum class header_block : protozero::pbf_tag_type { required_features = 4 };
enum class primitive_block : protozero::pbf_tag_type {
    stringtable = 1,
    primitivegroup = 2,
    granularity = 17,
    lat_offset = 19,
    lon_offset = 20,
};
enum class string_table : protozero::pbf_tag_type { s = 1 };
enum class primitive_group : protozero::pbf_tag_type { nodes = 1, dense = 2, ways = 3, relations = 4 };
enum class dense_nodes : protozero::pbf_tag_type { id = 1, denseinfo = 5, lat = 8, lon = 9, keys_vals = 10 };
enum class dense_info : protozero::pbf_tag_type { version = 1, visible = 6 };
enum class info : protozero::pbf_tag_type { version = 1, visible = 6 };
enum class node : protozero::pbf_tag_type { id = 1, keys = 2, vals = 3, info = 4, lat = 8, lon = 9 };
enum class way : protozero::pbf_tag_type { id = 1, keys = 2, vals = 3, info = 4, refs = 8 };
enum class relation : protozero::pbf_tag_type {
    id = 1,
    keys = 2,
    vals = 3,
    info = 4,
    roles_sid = 8,
    memids = 9,
    types = 10,
};

constexpr auto bytes_type = protozero::pbf_wire_type::length_delimited;
constexpr auto varint_type = protozero::pbf_wire_type::varint;

template <typename Tag> constexpr std::uint32_t field(Tag tag, protozero::pbf_wire_type type)
{
    return protozero::tag_and_type(tag, type);
}

/* What to do with a field of a message. */
template <typename Tag, typename Take> struct slot {
    std::uint32_t field;
    Take take;
};

template <typename Tag, typename Take> slot<Tag, Take> on(Tag tag, protozero::pbf_wire_type type, Take take)
{
    return {field(tag, type), take};
}

/* Takes a packed field. */
template <typename Tag, typename Packed> auto packed(Tag tag, Packed &to)
{
    return on(tag, bytes_type, [&to](auto &message) { to = Packed{message.get_view()}; });
}

/* Reads the fields for which there are slots, and skips the others. */
template <typename Tag, typename... Takes> void read_fields(data_view data, const slot<Tag, Takes> &...slots)
{
    for (protozero::pbf_message<Tag> message{data}; message.next();) {
        const std::uint32_t found = message.tag_and_type();
        if (!((found == slots.field && (slots.take(message), true)) || ...)) message.skip();
    }
}

[[noreturn]] void fail(const char *what)
{
    throw std::runtime_error{std::string{"PBF error: "} + what};
}

/* Sums of differences wrap, as hostile ones may. */
std::int64_t add(std::int64_t a, std::int64_t b)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

data_view take(data_view &rest, std::size_t bytes)
{
    if (bytes > rest.size()) fail("cut off");
    const data_view taken{rest.data(), bytes};
    rest = data_view{rest.data() + bytes, rest.size() - bytes};
    return taken;
}

} // namespace

/* ---- frames ---- */

frame::frame(data_view &rest)
{
    std::size_t header_bytes = 0, blob_bytes = 0;
    const data_view length = take(rest, 4);
    for (std::size_t i = 0; i < 4; ++i)
        header_bytes = header_bytes << 8 | static_cast<unsigned char>(length.data()[i]);
    if (header_bytes > HEADER_BYTES_MAX) fail("a blob's header is too long");
    read_fields(
        take(rest, header_bytes),
        on(blob_header::type, bytes_type, [&](auto &message) { type = message.get_view(); }),
        on(blob_header::datasize, varint_type, [&](auto &message) { blob_bytes = message.get_uint32(); }));
    if (blob_bytes > BLOCK_BYTES_MAX) fail("a blob is too long");
    blob = take(rest, blob_bytes);
}

/* ---- blocks ---- */

block::block()
{
    m_stream.zalloc = mcd_zlib_allocate, m_stream.zfree = mcd_library_free;
    if (inflateInit(&m_stream) != Z_OK) throw std::bad_alloc{};
    m_all = libdeflate_alloc_decompressor();
    if (m_all) return;
    inflateEnd(&m_stream);
    throw std::bad_alloc{};
}

block::~block()
{
    inflateEnd(&m_stream);
    libdeflate_free_decompressor(m_all);
}

void block::open(data_view data)
{
    data_view raw, lz4, zstd;
    std::size_t raw_size = 0;
    bool is_raw = false;
    m_deflated = data_view{};
    for (protozero::pbf_message<pbf::blob> message{data}; message.next();) {
        switch (message.tag_and_type()) {
        case field(blob::raw, bytes_type):
            raw = message.get_view();
            is_raw = true;
            break;
        case field(blob::raw_size, varint_type):
            raw_size = message.get_uint32();
            break;
        case field(blob::zlib_data, bytes_type):
            m_deflated = message.get_view();
            break;
        case field(blob::lz4_data, bytes_type):
            lz4 = message.get_view();
            break;
        case field(blob::zstd_data, bytes_type):
            zstd = message.get_view();
            break;
        default:
            fail("a blob is compressed by other means than zlib, LZ4 or zstd");
        }
    }
    m_size = is_raw ? raw.size() : raw_size;
    if (m_size > BLOCK_BYTES_MAX) fail("a block is too long");
    if (!is_raw && ((m_deflated.empty() && lz4.empty() && zstd.empty()) || raw_size == 0))
        fail("a blob contains no data");
    if (m_room.size() < m_size) m_room.resize(m_size);
    m_whole = is_raw || m_deflated.empty();
    m_there = m_whole ? m_size : 0;
    if (is_raw)
        std::copy(raw.data(), raw.data() + raw.size(), m_room.begin());
    else if (m_whole)
        expand(lz4, zstd);
}

/* Of the two the one that is there: it has to fill the block exactly. Both are so fast that nothing is gained
 * by reading only their beginning. */
void block::expand(data_view lz4, data_view zstd)
{
    if (!lz4.empty()) {
        const int made = LZ4_decompress_safe(lz4.data(), m_room.data(), static_cast<int>(lz4.size()),
                                             static_cast<int>(m_size));
        if (made < 0 || static_cast<std::size_t>(made) != m_size)
            fail("a blob cannot be decompressed by LZ4");
        return;
    }
    if (!m_zstd) m_zstd.reset(ZSTD_createDCtx_advanced({mcd_library_allocate, mcd_library_free, nullptr}));
    if (!m_zstd) throw std::bad_alloc{};
    if (ZSTD_decompressDCtx(m_zstd.get(), m_room.data(), m_size, zstd.data(), zstd.size()) != m_size)
        fail("a blob cannot be decompressed by zstd");
}

char *block::first(std::size_t bytes)
{
    if (bytes >= m_size) {
        if (!m_whole) inflate_all();
    } else if (bytes > m_there) {
        inflate_to(std::min(bytes + INFLATED_AHEAD, m_size));
    }
    return m_room.data();
}

void block::inflate_to(std::size_t bytes)
{
    if (m_there == 0) {
        inflateReset(&m_stream);
        m_stream.next_in = reinterpret_cast<unsigned char *>(const_cast<char *>(m_deflated.data()));
        m_stream.avail_in = static_cast<unsigned>(m_deflated.size());
    }
    m_stream.next_out = reinterpret_cast<unsigned char *>(m_room.data() + m_there);
    m_stream.avail_out = static_cast<unsigned>(bytes - m_there);
    if (inflate(&m_stream, Z_SYNC_FLUSH) == Z_MEM_ERROR) throw std::bad_alloc{};
    m_there = bytes - m_stream.avail_out;
    if (m_there < bytes) fail("a blob cannot be inflated");
}

/* Anew from the begin. The stream has to end with the block, and its checksum to be right. */
void block::inflate_all()
{
    const libdeflate_result result = libdeflate_zlib_decompress(m_all, m_deflated.data(), m_deflated.size(),
                                                                m_room.data(), m_size, nullptr);
    if (result != LIBDEFLATE_SUCCESS) fail("a blob cannot be inflated");
    m_there = m_size;
    m_whole = true;
}

/* ---- the header ---- */

bool read_header(data_view data)
{
    block header;
    bool has_history = false;
    header.open(data);
    const data_view whole{header.first(header.size()), header.size()};
    for (protozero::pbf_message<header_block> message{whole}; message.next();) {
        if (message.tag_and_type() != field(header_block::required_features, bytes_type)) {
            message.skip();
            continue;
        }
        const std::string feature = message.get_string();
        if (feature == "HistoricalInformation")
            has_history = true;
        else if (feature != "OsmSchema-V0.6" && feature != "DenseNodes")
            fail(("required feature not supported: " + feature).c_str());
    }
    return has_history;
}

/* ---- what a block holds ---- */

/* A field's number and type, or a length; 0 at the end of the block. */
std::size_t reader::varint_at(std::size_t *at)
{
    const char *const data = m_block.first(*at + VARINT_BYTES), *next = data + *at;
    if (*at >= m_block.size()) return 0;
    const std::size_t value = protozero::decode_varint(&next, data + m_block.size());
    *at = static_cast<std::size_t>(next - data);
    return value;
}

bool reader::holds_nodes_alone()
{
    const std::size_t size = m_block.size();
    std::size_t at = 0;
    if (varint_at(&at) != field(primitive_block::stringtable, bytes_type)) return false;
    const std::size_t table_bytes = varint_at(&at);
    if (table_bytes > size - at) return false;
    at += table_bytes;
    if (varint_at(&at) != field(primitive_block::primitivegroup, bytes_type)) return false;
    const std::size_t group_bytes = varint_at(&at);
    if (group_bytes > size - at || size - at - group_bytes > TAIL_BYTES_MAX) return false;
    const std::size_t group_end = at + group_bytes;
    if (varint_at(&at) != field(primitive_group::dense, bytes_type)) return false;
    const std::size_t dense_bytes = varint_at(&at);
    return at <= group_end && dense_bytes == group_end - at;
}

macadam_status reader::read(data_view data, const mcd_osm_handler &handler, std::size_t part, kinds *found,
                            macadam_error *error)
{
    m_handler = &handler;
    m_part = part;
    m_error = error;
    m_block.open(data);
    *found = nodes;
    if (!handler.node && holds_nodes_alone()) return MACADAM_OK;
    *found = 0;
    const data_view whole{m_block.first(m_block.size()), m_block.size()};
    read_head(whole);
    return read_groups(whole, found);
}

/* ---- all but groups ---- */

void reader::read_head(data_view data)
{
    m_string.clear();
    m_granularity = 100;
    m_lon_offset = m_lat_offset = 0;
    read_fields(data,
                on(primitive_block::stringtable, bytes_type,
                   [&](auto &message) { read_strings(message.get_view()); }),
                on(primitive_block::granularity, varint_type,
                   [&](auto &message) { m_granularity = message.get_int32(); }),
                on(primitive_block::lat_offset, varint_type,
                   [&](auto &message) { m_lat_offset = message.get_int64(); }),
                on(primitive_block::lon_offset, varint_type,
                   [&](auto &message) { m_lon_offset = message.get_int64(); }));
}

/* The strings get their NULs in place. Each but the last has a byte behind it that has been read, and that no
 * one needs; the last one moves forward by one byte, onto its length. */
void reader::read_strings(data_view table)
{
    if (!m_string.empty()) fail("a block has two string tables");
    char *end = nullptr; /* of the string before */
    for (protozero::pbf_message<string_table> message{table}; message.next(string_table::s, bytes_type);) {
        const data_view string = message.get_view();
        if (end) *end = '\0';
        m_string.push_back(string.data());
        end = const_cast<char *>(string.data()) + string.size();
    }
    if (!end) return;
    char *const last = const_cast<char *>(m_string.back());
    std::copy(last, end, last - 1);
    end[-1] = '\0';
    --m_string.back();
}

/* ---- groups ---- */

macadam_status reader::read_groups(data_view data, kinds *found)
{
    for (protozero::pbf_message<primitive_block> message{data};
         message.next(primitive_block::primitivegroup, bytes_type);)
        MCD_TRY(read_group(message.get_view(), found));
    return MACADAM_OK;
}

macadam_status reader::read_group(data_view group, kinds *found)
{
    for (protozero::pbf_message<primitive_group> message{group}; message.next();) {
        macadam_status status = MACADAM_OK;
        switch (message.tag_and_type()) {
        case field(primitive_group::nodes, bytes_type):
            *found |= nodes;
            status = m_handler->node ? read_node(message.get_view()) : (message.skip(), MACADAM_OK);
            break;
        case field(primitive_group::dense, bytes_type):
            *found |= nodes;
            status = m_handler->node ? read_dense(message.get_view()) : (message.skip(), MACADAM_OK);
            break;
        case field(primitive_group::ways, bytes_type):
            *found |= ways;
            status = m_handler->way ? read_way(message.get_view()) : (message.skip(), MACADAM_OK);
            break;
        case field(primitive_group::relations, bytes_type):
            *found |= relations;
            status = m_handler->relation ? read_relation(message.get_view()) : (message.skip(), MACADAM_OK);
            break;
        default:
            message.skip();
        }
        if (status != MACADAM_OK) return status;
    }
    return MACADAM_OK;
}

/* ---- versions ---- */

bool reader::wants_info() const
{
    return m_has_history || m_handler->versions;
}

/* Reads the version of an object; returns whether it is deleted. */
bool reader::take_info(data_view data)
{
    bool deleted = false;
    if (!wants_info()) return false;
    read_fields(data,
                on(info::version, varint_type, [&](auto &message) { m_version = message.get_uint32(); }),
                on(info::visible, varint_type,
                   [&](auto &message) { deleted = m_has_history && !message.get_bool(); }));
    return deleted;
}

/* ---- objects ---- */

/* A packed field. */
struct reader::varints {
    const char *at = nullptr, *end = nullptr;

    varints() = default;
    explicit varints(data_view packed) : at(packed.data()), end(packed.data() + packed.size())
    {
    }

    bool are_left() const
    {
        return at != end;
    }
    std::uint64_t next()
    {
        return protozero::decode_varint(&at, end);
    }
    /* The value before, and a difference. */
    std::int64_t next_from(std::int64_t before)
    {
        return add(before, protozero::decode_zigzag64(next()));
    }
};

const char *reader::string_at(std::uint64_t index) const
{
    if (index >= m_string.size()) fail("a string is not in the block's table");
    return m_string[index];
}

mcd_tags reader::tags() const
{
    return {m_tag.data(), m_tag.size()};
}

void reader::take_tags(varints keys, varints values)
{
    m_tag.clear();
    while (keys.are_left() && values.are_left())
        m_tag.push_back({string_at(keys.next()), string_at(values.next())});
}

/* In units of the granularity. */
macadam_status reader::take_node(std::int64_t id, std::int64_t lon, std::int64_t lat)
{
    constexpr std::int64_t e9_per_e7 = 100, lon_max_e7 = 1800000000, lat_max_e7 = 900000000;
    const auto e7 = [this](std::int64_t value, std::int64_t offset) {
        const std::uint64_t product =
            static_cast<std::uint64_t>(value) * static_cast<std::uint64_t>(m_granularity);
        return add(static_cast<std::int64_t>(product), offset) / e9_per_e7;
    };
    const std::int64_t lon_e7 = e7(lon, m_lon_offset), lat_e7 = e7(lat, m_lat_offset);
    const bool valid =
        lon_e7 >= -lon_max_e7 && lon_e7 <= lon_max_e7 && lat_e7 >= -lat_max_e7 && lat_e7 <= lat_max_e7;
    const mcd_osm_node taken = {
        id, static_cast<std::int32_t>(lon_e7), static_cast<std::int32_t>(lat_e7), valid, tags(), m_version};
    return m_handler->node(m_handler->context, m_part, &taken, m_error);
}

void reader::take_infos(data_view data, varints *versions, varints *visible) const
{
    read_fields(
        data,
        on(dense_info::version, bytes_type, [&](auto &message) { *versions = varints{message.get_view()}; }),
        on(dense_info::visible, bytes_type, [&](auto &message) {
            if (m_has_history)
                *visible = varints{message.get_view()};
            else
                message.skip();
        }));
}

macadam_status reader::read_dense(data_view dense)
{
    varints ids, lats, lons, keys_vals, versions, visible;
    read_fields(dense, packed(dense_nodes::id, ids),
                on(dense_nodes::denseinfo, bytes_type,
                   [&](auto &message) {
                       if (wants_info())
                           take_infos(message.get_view(), &versions, &visible);
                       else
                           message.skip();
                   }),
                packed(dense_nodes::lat, lats), packed(dense_nodes::lon, lons),
                packed(dense_nodes::keys_vals, keys_vals));
    std::int64_t id = 0, lon = 0, lat = 0;
    while (ids.are_left()) {
        if (!lons.are_left() || !lats.are_left()) fail("a node has no coordinates");
        id = ids.next_from(id);
        lon = lons.next_from(lon);
        lat = lats.next_from(lat);
        m_tag.clear();
        while (keys_vals.are_left()) {
            const std::uint64_t key = keys_vals.next();
            if (key == 0) break;
            if (!keys_vals.are_left()) fail("a tag has no value");
            m_tag.push_back({string_at(key), string_at(keys_vals.next())});
        }
        m_version = versions.are_left() ? static_cast<std::uint32_t>(versions.next()) : 0;
        if (visible.are_left() && visible.next() == 0) continue;
        MCD_TRY(take_node(id, lon, lat));
    }
    return MACADAM_OK;
}

macadam_status reader::read_node(data_view data)
{
    std::int64_t id = 0, lon = 0, lat = 0;
    bool has_lon = false, has_lat = false, deleted = false;
    varints keys, vals;
    m_version = 0;
    read_fields(data, on(node::id, varint_type, [&](auto &message) { id = message.get_sint64(); }),
                packed(node::keys, keys), packed(node::vals, vals),
                on(node::info, bytes_type, [&](auto &message) { deleted = take_info(message.get_view()); }),
                on(node::lat, varint_type,
                   [&](auto &message) {
                       lat = message.get_sint64();
                       has_lat = true;
                   }),
                on(node::lon, varint_type, [&](auto &message) {
                    lon = message.get_sint64();
                    has_lon = true;
                }));
    if (deleted) return MACADAM_OK;
    if (!has_lon || !has_lat) fail("a node has no coordinates");
    take_tags(keys, vals);
    return take_node(id, lon, lat);
}

macadam_status reader::read_way(data_view data)
{
    std::int64_t id = 0, ref = 0;
    bool deleted = false;
    varints keys, vals, refs;
    m_version = 0;
    read_fields(data, on(way::id, varint_type, [&](auto &message) { id = message.get_int64(); }),
                packed(way::keys, keys), packed(way::vals, vals),
                on(way::info, bytes_type, [&](auto &message) { deleted = take_info(message.get_view()); }),
                packed(way::refs, refs));
    if (deleted) return MACADAM_OK;
    take_tags(keys, vals);
    m_ref.clear();
    while (refs.are_left()) m_ref.push_back(ref = refs.next_from(ref));
    const mcd_osm_way taken = {id, m_ref.data(), m_ref.size(), tags(), m_version};
    return m_handler->way(m_handler->context, m_part, &taken, m_error);
}

macadam_status reader::read_relation(data_view data)
{
    static const char letter[] = {'n', 'w', 'r'};
    std::int64_t id = 0, member = 0;
    bool deleted = false;
    varints keys, vals, roles, members, types;
    m_version = 0;
    read_fields(
        data, on(relation::id, varint_type, [&](auto &message) { id = message.get_int64(); }),
        packed(relation::keys, keys), packed(relation::vals, vals),
        on(relation::info, bytes_type, [&](auto &message) { deleted = take_info(message.get_view()); }),
        packed(relation::roles_sid, roles), packed(relation::memids, members),
        packed(relation::types, types));
    if (deleted) return MACADAM_OK;
    take_tags(keys, vals);
    m_member.clear();
    while (roles.are_left() && members.are_left() && types.are_left()) {
        const char *const role = string_at(roles.next());
        const std::uint64_t type = types.next();
        if (type >= sizeof letter) fail("a member is neither a node, a way nor a relation");
        m_member.push_back({letter[type], member = members.next_from(member), role});
    }
    const mcd_osm_relation taken = {id, m_member.data(), m_member.size(), tags(), m_version};
    return m_handler->relation(m_handler->context, m_part, &taken, m_error);
}

} // namespace pbf
