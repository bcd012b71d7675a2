/* unpack.h - the bytes of a file, compressed or not, a piece at a time. C++. */
#ifndef MCD_IMPORTERS_OSM_READ_UNPACK_H
#define MCD_IMPORTERS_OSM_READ_UNPACK_H

#include <bzlib.h>
#include <osmium/io/file_compression.hpp>
#include <zlib.h>

#include <cstddef>
#include <string>

class unpacker
{
  public:
    unpacker(osmium::io::file_compression packing, const void *data, std::size_t bytes);
    ~unpacker()
    {
        close();
    }
    unpacker(const unpacker &) = delete;
    unpacker &operator=(const unpacker &) = delete;

    /* Returns the next piece, which is empty at the end. Packed streams may follow one another. Throws
     * std::bad_alloc, or osmium::io_error (cut off, or no packed stream). */
    std::string next();
    /* Returns how many bytes of the file are done. */
    std::size_t used() const
    {
        return static_cast<std::size_t>(m_at - m_begin);
    }

  private:
    void open();
    void close();
    template <typename Stream, typename Run>
    std::size_t step(Stream &stream, Run run, int ended, int memory, int stalled, char *room,
                     std::size_t room_bytes);

    const osmium::io::file_compression m_packing;
    const char *const m_begin, *m_at, *const m_end;
    bool m_open = false, m_ended = false; /* a packed stream is open; the last one that was begun has ended */
    z_stream m_gzip{};
    bz_stream m_bzip2{};
};

#endif
