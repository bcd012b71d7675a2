/* pbf.cpp - see pbf.h. libosmium decodes a block object by object. The frame of a block is read here, by
 * libosmium's field numbers, because libdeflate takes half of zlib's time and libosmium knows no zstd. */
#define ZSTD_STATIC_LINKING_ONLY /* ZSTD_createDCtx_advanced */
#include "importers/osm/read/pbf.h"

#include <lz4.h>

#include <osmium/io/detail/pbf_decoder.hpp>

#include <algorithm>
#include <new>

namespace pbf
{

namespace
{

using namespace osmium::io::detail;
using protozero::pbf_wire_type;

enum : std::size_t {
    HEADER_BYTES_MAX = 64 << 10, /* both as the format has it */
    BLOCK_BYTES_MAX = 32 << 20,
};

template <typename Tag> constexpr std::uint32_t field(Tag tag, pbf_wire_type type)
{
    return protozero::tag_and_type(tag, type);
}

[[noreturn]] void fail(const std::string &what)
{
    throw osmium::pbf_error{what};
}

data_view take(data_view &rest, std::size_t bytes)
{
    if (bytes > rest.size()) fail("cut off");
    const data_view taken{rest.data(), bytes};
    rest = data_view{rest.data() + bytes, rest.size() - bytes};
    return taken;
}

/* Returns the kinds that a block has. */
kinds scan(data_view data)
{
    kinds found = osmium::osm_entity_bits::nothing;
    protozero::pbf_message<OSMFormat::PrimitiveBlock> block{data};
    while (block.next(OSMFormat::PrimitiveBlock::repeated_PrimitiveGroup_primitivegroup,
                      pbf_wire_type::length_delimited))
        for (protozero::pbf_message<OSMFormat::PrimitiveGroup> group{block.get_view()}; group.next();
             group.skip())
            switch (group.tag()) {
            case OSMFormat::PrimitiveGroup::optional_DenseNodes_dense:
            case OSMFormat::PrimitiveGroup::repeated_Node_nodes:
                found |= osmium::osm_entity_bits::node;
                break;
            case OSMFormat::PrimitiveGroup::repeated_Way_ways:
                found |= osmium::osm_entity_bits::way;
                break;
            case OSMFormat::PrimitiveGroup::repeated_Relation_relations:
                found |= osmium::osm_entity_bits::relation;
                break;
            default:
                break;
            }
    return found;
}

} // namespace

frame::frame(data_view &rest)
{
    std::size_t header_bytes = 0, blob_bytes = 0;
    for (const char byte : take(rest, 4).to_string())
        header_bytes = header_bytes << 8 | static_cast<unsigned char>(byte);
    if (header_bytes > HEADER_BYTES_MAX) fail("a blob's header is too long");
    for (protozero::pbf_message<FileFormat::BlobHeader> header{take(rest, header_bytes)}; header.next();) {
        switch (header.tag_and_type()) {
        case field(FileFormat::BlobHeader::required_string_type, pbf_wire_type::length_delimited):
            type = header.get_view();
            break;
        case field(FileFormat::BlobHeader::required_int32_datasize, pbf_wire_type::varint):
            blob_bytes = header.get_uint32();
            break;
        default:
            header.skip();
        }
    }
    if (blob_bytes > BLOCK_BYTES_MAX) fail("a blob is too long");
    blob = take(rest, blob_bytes);
}

reader::reader() : m_zlib(libdeflate_alloc_decompressor(), &libdeflate_free_decompressor)
{
    if (!m_zlib) throw std::bad_alloc{};
}

/* Returns the block of a Blob. */
data_view reader::unpack(data_view data)
{
    data_view packed;
    std::size_t bytes = 0;
    auto packing = FileFormat::Blob::optional_bytes_raw;
    for (protozero::pbf_message<FileFormat::Blob> blob{data}; blob.next();) {
        if (blob.tag_and_type() == field(FileFormat::Blob::optional_int32_raw_size, pbf_wire_type::varint))
            bytes = blob.get_uint32();
        else if (blob.wire_type() == pbf_wire_type::length_delimited) {
            packing = blob.tag();
            packed = blob.get_view();
        } else
            fail("a blob is neither raw nor compressed");
    }
    const bool is_raw = packing == FileFormat::Blob::optional_bytes_raw;
    if ((is_raw ? packed.size() : bytes) > BLOCK_BYTES_MAX) fail("a block is too long");
    if (is_raw && packed.data()) return packed;
    if (packed.empty() || bytes == 0) fail("a blob contains no data");
    if (m_room.size() < bytes) m_room.resize(bytes);
    bool done = false;
    switch (packing) {
    case FileFormat::Blob::optional_bytes_zlib_data:
        done = libdeflate_zlib_decompress(m_zlib.get(), packed.data(), packed.size(), &m_room[0], bytes,
                                          nullptr) == LIBDEFLATE_SUCCESS;
        break;
    case FileFormat::Blob::optional_bytes_lz4_data:
        done = LZ4_decompress_safe(packed.data(), &m_room[0], static_cast<int>(packed.size()),
                                   static_cast<int>(bytes)) == static_cast<int>(bytes);
        break;
    case FileFormat::Blob::optional_bytes_zstd_data:
        if (!m_zstd)
            m_zstd.reset(ZSTD_createDCtx_advanced({mcd_library_allocate, mcd_library_free, nullptr}));
        if (!m_zstd) throw std::bad_alloc{};
        done = ZSTD_decompressDCtx(m_zstd.get(), &m_room[0], bytes, packed.data(), packed.size()) == bytes;
        break;
    default:
        fail("a blob is compressed by other means than zlib, LZ4 or zstd");
    }
    if (!done) fail("a blob cannot be decompressed");
    return data_view{m_room.data(), bytes};
}

bool reader::read_header(data_view blob)
{
    return decode_header_block(unpack(blob)).has_multiple_object_versions();
}

kinds reader::read(data_view blob, kinds wanted, bool with_versions)
{
    const data_view block = unpack(blob);
    const kinds found = scan(block);
    if (!(found & wanted)) return found;
    PBFPrimitiveBlockDecoder decode{block, found & wanted,
                                    with_versions ? osmium::io::read_meta::yes : osmium::io::read_meta::no};
    decode.m_buffer.to = &giver;
    decode();
    return found;
}

} // namespace pbf
