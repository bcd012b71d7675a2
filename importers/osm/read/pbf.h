/* pbf.h - the blobs of a .pbf file. C++.
 * (https://wiki.openstreetmap.org/wiki/PBF_Format; field names and numbers are those of its .proto files) */
#ifndef MCD_IMPORTERS_OSM_READ_PBF_H
#define MCD_IMPORTERS_OSM_READ_PBF_H

extern "C" {
#include "engine/base/memory.h"
#include "importers/osm/read/osm_object.h"
}

#include <cstdint>
#include <protozero/data_view.hpp>
#include <libdeflate.h>
#include <zlib.h>
#include <zstd.h>

#include <memory>
#include <new>
#include <vector>

namespace pbf
{

using protozero::data_view;

/* Elements that the library's hook allocates. */
template <class T> struct hooked {
    using value_type = T;
    hooked() = default;
    template <class U> hooked(const hooked<U> &)
    {
    }
    T *allocate(std::size_t count)
    {
        void *const memory = mcd_allocate(count, sizeof(T));
        if (!memory) throw std::bad_alloc{};
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t)
    {
        mcd_free(memory);
    }
    friend bool operator==(const hooked &, const hooked &)
    {
        return true;
    }
    friend bool operator!=(const hooked &, const hooked &)
    {
        return false;
    }
};
template <class T> using vector = std::vector<T, hooked<T>>;

/* What a block holds. */
using kinds = unsigned;
constexpr kinds nodes = 1, ways = 2, relations = 4;

/* A length and a BlobHeader, taken off the begin of `rest`, and then its Blob; `rest` is not empty. Throws if
 * it is none or is cut off. */
struct frame {
    explicit frame(data_view &rest);
    data_view type, blob;
};

/* The PrimitiveBlock of a Blob, inflated as far as it is asked for. */
class block
{
  public:
    block();
    ~block();
    block(const block &) = delete;
    block &operator=(const block &) = delete;

    void open(data_view blob);
    std::size_t size() const
    {
        return m_size;
    }
    /* All of it, of which the first `bytes` are there at least, or all if it is shorter. They may be written
     * to when all are there. */
    char *first(std::size_t bytes);

  private:
    void inflate_to(std::size_t bytes);
    void inflate_all();
    void expand(data_view lz4, data_view zstd);

    data_view m_deflated;
    z_stream m_stream{};            /* of a part */
    libdeflate_decompressor *m_all; /* faster, but all at once */
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> m_zstd{nullptr,
                                                                &ZSTD_freeDCtx}; /* made when it is needed */
    vector<char> m_room;
    std::size_t m_size = 0, m_there = 0;
    bool m_whole = true;
};

/* Reads the HeaderBlock of a Blob. Throws if the file needs what this reader has not. Returns whether it
 * holds a history: deleted objects, and versions of others. */
bool read_header(data_view blob);

/* Reads blob after blob; keeps its memory for the next one. */
class reader
{
  public:
    /* Of a file with a history, deleted objects are left out. */
    explicit reader(bool has_history) : m_has_history(has_history)
    {
    }

    /* Hands the objects of a blob to the handler, but for kinds that it has no function for; returns its
     * status. *found: the kinds that the blob has, but for objects without tags. Throws what is wrong. */
    macadam_status read(data_view blob, const mcd_osm_handler &handler, std::size_t part, kinds *found,
                        macadam_error *error);

  private:
    struct varints;

    bool wants_info() const;
    bool take_info(data_view info);
    void take_infos(data_view infos, varints *versions, varints *visible) const;
    bool holds_nodes_alone();
    std::size_t varint_at(std::size_t *at);
    void read_head(data_view data);
    void read_strings(data_view table);
    macadam_status read_groups(data_view data, kinds *found);
    macadam_status read_group(data_view group, kinds *found);
    macadam_status read_dense(data_view dense);
    macadam_status read_node(data_view message);
    macadam_status read_way(data_view message);
    macadam_status read_relation(data_view message);
    macadam_status take_node(std::int64_t id, std::int64_t lon, std::int64_t lat);
    void take_tags(varints keys, varints values);
    const char *string_at(std::uint64_t index) const;
    mcd_tags tags() const;

    bool m_has_history;
    const mcd_osm_handler *m_handler = nullptr;
    std::size_t m_part = 0;
    macadam_error *m_error = nullptr;
    block m_block;
    std::uint32_t m_version = 0;                                          /* of the object that is read */
    std::int64_t m_granularity = 100, m_lon_offset = 0, m_lat_offset = 0; /* 1e-9 degrees */
    vector<const char *> m_string;                                        /* NUL-terminated, in the block */
    vector<mcd_tag> m_tag;
    vector<std::int64_t> m_ref;
    vector<mcd_osm_member> m_member;
};

} // namespace pbf

#endif
