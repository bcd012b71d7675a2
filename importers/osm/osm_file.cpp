/* osm_file.cpp - see osm_file.h. No exception leaves this file. */
#include <cstdint>
#include <osmium/io/any_input.hpp>
#include <osmium/memory/buffer.hpp>
#include <osmium/osm.hpp>
#include <osmium/thread/pool.hpp>

#include <algorithm>
#include <future>
#include <memory>
#include <numeric>
#include <string>
#include <system_error>
#include <vector>

#include "importers/osm/pbf.h" /* last: what this includes is C++'s own by now */

extern "C" {
#include "engine/base/watch.h"
#include "engine/base/platform.h"
}

struct mcd_osm_file {
    struct blob {
        pbf::data_view data;
        pbf::kinds kinds; /* that it may have */
    };

    explicit mcd_osm_file(const char *the_path) : path(the_path), file(path)
    {
    }
    ~mcd_osm_file()
    {
        mcd_platform_unmap(&mapping);
    }
    mcd_osm_file(const mcd_osm_file &) = delete;
    mcd_osm_file &operator=(const mcd_osm_file &) = delete;

    std::string path;
    osmium::io::File file;
    mcd_mapping mapping{};
    pbf::data_view rest; /* what no blob was taken from yet */
    std::vector<blob> blobs;
};

namespace
{

/* ---- errors ---- */

macadam_status fail_memory(const char *path, macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_MEMORY, "%s: not enough memory to read it", path);
}

/* No memory, or no thread. */
bool is_want(const std::system_error &failure)
{
    return failure.code() == std::errc::not_enough_memory ||
           failure.code() == std::errc::resource_unavailable_try_again;
}

/* What `read` returns, or the status of what it throws. A promise is broken by a thread that ran out of
 * memory. */
template <typename Read> macadam_status guard(const char *path, macadam_error *error, const Read &read)
{
    try {
        return read();
    } catch (const std::bad_alloc &) {
        return fail_memory(path, error);
    } catch (const std::future_error &) {
        return fail_memory(path, error);
    } catch (const osmium::xml_error &failure) {
        if (failure.error_code == XML_ERROR_NO_MEMORY) return fail_memory(path, error);
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", path, failure.what());
    } catch (const std::system_error &failure) {
        if (is_want(failure)) return fail_memory(path, error);
        return mcd_fail(error, MACADAM_E_IO, "%s: %s", path, failure.what());
    } catch (const std::exception &failure) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", path, failure.what());
    } catch (...) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: it cannot be read", path);
    }
}

/* ---- by libosmium ---- */

/* Hands objects over as part 0; the vectors are kept so that they are allocated once. */
class objects
{
  public:
    objects(const mcd_osm_handler &handler, macadam_error *error) : m_handler(handler), m_error(error)
    {
    }

    macadam_status hand_over(const osmium::memory::Buffer &buffer)
    {
        for (const auto &object : buffer.select<osmium::OSMObject>()) {
            if (!object.visible()) continue;
            const macadam_status status = hand_over(object);
            if (status != MACADAM_OK) return status;
        }
        return MACADAM_OK;
    }

  private:
    macadam_status hand_over(const osmium::OSMObject &object)
    {
        switch (object.type()) {
        case osmium::item_type::node:
            return node(static_cast<const osmium::Node &>(object));
        case osmium::item_type::way:
            return way(static_cast<const osmium::Way &>(object));
        case osmium::item_type::relation:
            return relation(static_cast<const osmium::Relation &>(object));
        default:
            return MACADAM_OK;
        }
    }

    macadam_status node(const osmium::Node &object)
    {
        if (!m_handler.node) return MACADAM_OK;
        const osmium::Location location = object.location();
        const mcd_osm_node node = {object.id(), location.x(), location.y(), location.valid(), tags(object)};
        return m_handler.node(m_handler.context, 0, &node, m_error);
    }

    macadam_status way(const osmium::Way &object)
    {
        if (!m_handler.way) return MACADAM_OK;
        m_ref.clear();
        for (const auto &ref : object.nodes()) m_ref.push_back(ref.ref());
        const mcd_osm_way way = {object.id(), m_ref.data(), m_ref.size(), tags(object)};
        return m_handler.way(m_handler.context, 0, &way, m_error);
    }

    macadam_status relation(const osmium::Relation &object)
    {
        if (!m_handler.relation) return MACADAM_OK;
        m_member.clear();
        for (const auto &member : object.members())
            m_member.push_back({osmium::item_type_to_char(member.type()), member.ref(), member.role()});
        const mcd_osm_relation relation = {object.id(), m_member.data(), m_member.size(), tags(object)};
        return m_handler.relation(m_handler.context, 0, &relation, m_error);
    }

    mcd_tags tags(const osmium::OSMObject &object)
    {
        m_tag.clear();
        for (const auto &tag : object.tags()) m_tag.push_back({tag.key(), tag.value()});
        return {m_tag.data(), m_tag.size()};
    }

    const mcd_osm_handler &m_handler;
    macadam_error *m_error;
    std::vector<mcd_tag> m_tag;
    std::vector<int64_t> m_ref;
    std::vector<mcd_osm_member> m_member;
};

osmium::osm_entity_bits::type kinds_of(const mcd_osm_handler &handler)
{
    auto kinds = osmium::osm_entity_bits::nothing;
    if (handler.node) kinds |= osmium::osm_entity_bits::node;
    if (handler.way) kinds |= osmium::osm_entity_bits::way;
    if (handler.relation) kinds |= osmium::osm_entity_bits::relation;
    return kinds;
}

macadam_status read_by_osmium(const mcd_osm_file &file, const mcd_osm_handler &handler, unsigned thread_count,
                              const mcd_progress *progress, const char *phase, macadam_error *error)
{
    osmium::thread::Pool pool{static_cast<int>(thread_count)};
    osmium::io::Reader reader{file.file, kinds_of(handler), osmium::io::read_meta::no, pool};
    objects objects{handler, error};
    while (const osmium::memory::Buffer buffer = reader.read()) {
        macadam_status status = objects.hand_over(buffer);
        if (status == MACADAM_OK) status = handler.join(handler.context, 0, error);
        if (status == MACADAM_OK)
            status = mcd_progress_step(progress, phase, reader.offset(), reader.file_size(), error);
        if (status != MACADAM_OK) return status;
    }
    reader.close(); /* tells of what the destructor must not throw */
    return MACADAM_OK;
}

/* ---- blobs ---- */

/* The blocks of history files tell deleted objects from others; libosmium knows how. */
bool has_blobs(const osmium::io::File &file)
{
    return file.format() == osmium::io::file_format::pbf && !file.has_multiple_object_versions();
}

bool is_type(pbf::data_view type, const char *name)
{
    return std::string{type.data(), type.size()} == name;
}

/* Takes the next blob into the list; false at the end of the file. */
bool find_blob(mcd_osm_file &file)
{
    if (file.rest.size() == 0) return false;
    const bool first = file.rest.size() == file.mapping.bytes;
    pbf::data_view behind = file.rest;
    const pbf::frame frame{behind};
    if (!is_type(frame.type, first ? "OSMHeader" : "OSMData"))
        throw osmium::pbf_error{"a blob is neither the header nor data"};
    file.blobs.push_back({frame.blob, first ? 0 : pbf::nodes | pbf::ways | pbf::relations});
    file.rest = behind;
    return true;
}

macadam_status map_blobs(mcd_osm_file &file, macadam_error *error)
{
    MCD_TRY(mcd_platform_map(&file.mapping, file.path.c_str(), error));
    file.rest = pbf::data_view{static_cast<const char *>(file.mapping.data), file.mapping.bytes};
    if (!find_blob(file)) throw osmium::pbf_error{"the file is empty"};
    if (!pbf::read_header(file.blobs[0].data)) return MACADAM_OK;
    file.file.set_has_multiple_object_versions(true); /* libosmium reads it: it has to find its own way */
    mcd_platform_unmap(&file.mapping);
    return MACADAM_OK;
}

/* The parts that are read at once. */
struct batch {
    struct part {
        mcd_osm_file::blob *blob;
        macadam_status status;
        macadam_error error;
    };

    const char *path;
    const mcd_osm_handler &handler;
    std::vector<std::unique_ptr<pbf::reader>> readers; /* [worker] */
    std::vector<part> parts;
    std::vector<std::size_t> order; /* of the parts: the largest first, so that threads end together */
};

void read_part(void *argument, std::size_t task, unsigned worker)
{
    batch &all = *static_cast<batch *>(argument);
    const std::size_t index = all.order[task];
    batch::part &part = all.parts[index];
    part.status = guard(all.path, &part.error, [&] {
        std::unique_ptr<pbf::reader> &reader = all.readers[worker];
        if (!reader) reader = std::make_unique<pbf::reader>();
        return reader->read(part.blob->data, all.handler, index, &part.blob->kinds, &part.error);
    });
}

macadam_status read_parts(batch &all, const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(mcd_watch_for(watch, parallel, all.parts.size(), read_part, &all, error));
    for (std::size_t index = 0; index < all.parts.size(); ++index) {
        const batch::part &part = all.parts[index];
        if (part.status != MACADAM_OK) return mcd_fail(error, part.status, "%s", part.error.message);
        MCD_TRY(all.handler.join(all.handler.context, index, error));
    }
    return MACADAM_OK;
}

pbf::kinds kinds_asked(const mcd_osm_handler &handler)
{
    return (handler.node ? pbf::nodes : 0) | (handler.way ? pbf::ways : 0) |
           (handler.relation ? pbf::relations : 0);
}

/* Whether there is a blob `next`. What is wrong with it is told when nothing before it is left to be read,
 * which may be worse. */
bool has_blob(mcd_osm_file &file, std::size_t next, bool is_first)
{
    try {
        return next < file.blobs.size() || find_blob(file);
    } catch (...) {
        if (is_first) throw;
        return false;
    }
}

/* The blobs from *next on that have something of what is asked for, `count` at most. */
void choose_blobs(mcd_osm_file &file, pbf::kinds asked, std::size_t count, std::size_t *next, batch &all)
{
    std::vector<std::size_t> chosen; /* the list of blobs may move as it grows */
    for (; chosen.size() < count && has_blob(file, *next, chosen.empty()); ++*next)
        if (file.blobs[*next].kinds & asked) chosen.push_back(*next);
    all.parts.clear();
    for (const std::size_t index : chosen) all.parts.push_back({&file.blobs[index], MACADAM_OK, {}});
    all.order.resize(chosen.size());
    std::iota(all.order.begin(), all.order.end(), std::size_t{0});
    std::sort(all.order.begin(), all.order.end(), [&all](std::size_t a, std::size_t b) {
        return all.parts[a].blob->data.size() > all.parts[b].blob->data.size();
    });
}

macadam_status read_blobs(mcd_osm_file &file, const mcd_osm_handler &handler, const mcd_parallel *parallel,
                          const mcd_progress *progress, const char *phase, macadam_error *error)
{
    constexpr std::size_t parts_per_thread = 32; /* fewer make threads wait for each other more often */
    const std::size_t parts = parallel->thread_count > 1 ? parts_per_thread * parallel->thread_count : 1;
    const char *const begin = static_cast<const char *>(file.mapping.data);
    batch all{file.path.c_str(), handler, {}, {}, {}};
    all.readers.resize(parallel->thread_count);
    for (std::size_t next = 0; next < file.blobs.size() || file.rest.size() > 0;) {
        choose_blobs(file, kinds_asked(handler), std::min<std::size_t>(parts, MCD_OSM_PARTS), &next, all);
        mcd_watch watch = mcd_watch_of(progress, phase);
        MCD_TRY(read_parts(all, parallel, &watch, error));
        const pbf::data_view last = file.blobs[next - 1].data;
        const auto done = static_cast<std::uint64_t>(last.data() + last.size() - begin);
        MCD_TRY(mcd_progress_step(progress, phase, done, file.mapping.bytes, error));
    }
    return MACADAM_OK;
}

} // namespace

macadam_status mcd_osm_file_open(mcd_osm_file **out, const char *path, macadam_error *error)
{
    *out = nullptr;
    return guard(path, error, [&]() -> macadam_status {
        auto file = std::make_unique<mcd_osm_file>(path);
        if (has_blobs(file->file)) MCD_TRY(map_blobs(*file, error));
        *out = file.release();
        return MACADAM_OK;
    });
}

macadam_status mcd_osm_file_read(mcd_osm_file *file, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error)
{
    return guard(file->path.c_str(), error, [&] {
        return file->mapping.data
                   ? read_blobs(*file, *handler, parallel, progress, phase, error)
                   : read_by_osmium(*file, *handler, parallel->thread_count, progress, phase, error);
    });
}

void mcd_osm_file_close(mcd_osm_file *file)
{
    delete file;
}
