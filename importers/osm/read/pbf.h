/* pbf.h - the blobs of a .pbf file. C++.
 * (https://wiki.openstreetmap.org/wiki/PBF_Format; field names and numbers are those of its .proto files) */
#ifndef MCD_IMPORTERS_OSM_READ_PBF_H
#define MCD_IMPORTERS_OSM_READ_PBF_H

#include "importers/osm/read/shim.h"

#include <libdeflate.h>
#include <osmium/io/detail/pbf.hpp>
#include <osmium/osm/entity_bits.hpp>
#include <protozero/data_view.hpp>
#include <zstd.h>

#include <memory>
#include <string>

namespace pbf
{

using protozero::data_view;
using kinds = osmium::osm_entity_bits::type;

/* A length and a BlobHeader, taken off the front of `rest`, and then its Blob; `rest` is not empty. Throws if it is
 * something else or is cut off. */
struct frame {
    explicit frame(data_view &rest);
    data_view type, blob;
};

/* Reads blob after blob; keeps its memory for the next one. Throws what is wrong with a blob. */
class reader
{
  public:
    shim::giver giver;

    reader();

    /* Reads the HeaderBlock of a Blob. Returns whether the file holds a history: deleted objects, and versions of
     * others. */
    bool read_header(data_view blob);
    /* Hands over the objects of the wanted kinds in a Blob; returns the kinds that it has. */
    kinds read(data_view blob, kinds wanted, bool with_versions);

  private:
    data_view unpack(data_view blob);

    std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> m_zlib;
    /* once it is needed */
    std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> m_zstd{nullptr, &ZSTD_freeDCtx};
    std::string m_room;
};

} // namespace pbf

#endif
