/* unpack.cpp - see unpack.h. libosmium's own decompressors know only the first stream of a file in memory. */
#include "importers/osm/read/unpack.h"
#include "importers/osm/read/shim.h"

#include <algorithm>
#include <climits>
#include <new>

namespace
{

enum : std::size_t { PIECE_BYTES = 1 << 17 };

template <typename Size> void *allocate(void *, Size count, Size size)
{
    return mcd_allocate(static_cast<std::size_t>(count), static_cast<std::size_t>(size));
}

} // namespace

unpacker::unpacker(osmium::io::file_compression packing, const void *data, std::size_t bytes)
    : m_packing(packing), m_begin(static_cast<const char *>(data)), m_at(m_begin), m_end(m_begin + bytes)
{
}

void unpacker::open()
{
    enum { GZIP_OR_ZLIB = 32 + MAX_WBITS };
    m_gzip = z_stream{};
    m_gzip.zalloc = allocate<unsigned>;
    m_gzip.zfree = mcd_library_free;
    m_bzip2 = bz_stream{};
    m_bzip2.bzalloc = allocate<int>;
    m_bzip2.bzfree = mcd_library_free;
    m_ended = false;
    m_open = m_packing == osmium::io::file_compression::gzip ? inflateInit2(&m_gzip, GZIP_OR_ZLIB) == Z_OK
                                                             : BZ2_bzDecompressInit(&m_bzip2, 0, 0) == BZ_OK;
    if (!m_open) throw std::bad_alloc{};
}

void unpacker::close()
{
    if (m_open && m_packing == osmium::io::file_compression::gzip) inflateEnd(&m_gzip);
    if (m_open && m_packing == osmium::io::file_compression::bzip2) BZ2_bzDecompressEnd(&m_bzip2);
    m_open = false;
}

/* Returns how many bytes were unpacked into the room. The library's codes besides 0: `ended`; `memory`;
 * `stalled`: it needs more input or room. */
template <typename Stream, typename Run>
std::size_t unpacker::step(Stream &stream, Run run, int ended, int memory, int stalled, char *room,
                           std::size_t room_bytes)
{
    const auto left = std::min<std::size_t>(static_cast<std::size_t>(m_end - m_at), INT_MAX);
    stream.next_in = reinterpret_cast<decltype(stream.next_in)>(const_cast<char *>(m_at));
    stream.avail_in = static_cast<unsigned>(left);
    stream.next_out = reinterpret_cast<decltype(stream.next_out)>(room);
    stream.avail_out = static_cast<unsigned>(room_bytes);
    const int code = run(&stream);
    const std::size_t taken = left - stream.avail_in, made = room_bytes - stream.avail_out;
    m_at += taken;
    m_ended = code == ended;
    if (code == memory) throw std::bad_alloc{};
    if (code != 0 && code != stalled && !m_ended)
        throw osmium::io_error{"it cannot be unpacked at byte " + std::to_string(used())};
    if (!m_ended && taken == 0 && made == 0) throw osmium::io_error{"it is cut off"};
    if (m_ended) close();
    return made;
}

std::string unpacker::next()
{
    const auto left = static_cast<std::size_t>(m_end - m_at);
    if (m_packing == osmium::io::file_compression::none) {
        const char *const first = m_at;
        m_at += std::min<std::size_t>(left, PIECE_BYTES);
        return {first, m_at};
    }
    std::string piece(PIECE_BYTES, '\0');
    std::size_t bytes = 0;
    while (bytes < PIECE_BYTES && (m_at < m_end || m_open || !m_ended)) {
        if (!m_open) open();
        char *const room = &piece[bytes];
        const std::size_t left_room = PIECE_BYTES - bytes;
        bytes += m_packing == osmium::io::file_compression::gzip
                     ? step(
                           m_gzip, [](z_stream *stream) { return inflate(stream, Z_NO_FLUSH); }, Z_STREAM_END,
                           Z_MEM_ERROR, Z_BUF_ERROR, room, left_room)
                     : step(m_bzip2, BZ2_bzDecompress, BZ_STREAM_END, BZ_MEM_ERROR, BZ_OK, room, left_room);
    }
    piece.resize(bytes);
    return piece;
}
