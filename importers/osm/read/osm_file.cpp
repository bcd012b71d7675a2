/* osm_file.cpp - see osm_file.h. No exception leaves this file. */
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "importers/osm/read/pbf.h" /* last: what this includes is C++'s own by now */

extern "C" {
#include "importers/osm/read/osm_file.h"
#include "engine/base/system/platform.h"
#include "engine/base/watch.h"
#include "importers/osm/read/xml.h"
}

struct mcd_osm_file {
    struct blob {
        pbf::data_view data;
        pbf::kinds kinds; /* that it may have */
    };

    explicit mcd_osm_file(const char *the_path) : path(the_path)
    {
    }
    ~mcd_osm_file()
    {
        mcd_platform_unmap(&mapping);
    }
    mcd_osm_file(const mcd_osm_file &) = delete;
    mcd_osm_file &operator=(const mcd_osm_file &) = delete;

    std::string path;
    bool has_blobs = false, has_history = false;
    mcd_packing packing = MCD_PACKING_NONE; /* of XML */
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

/* What `read` returns, or the status of what it throws. */
template <typename Read> macadam_status guard(const char *path, macadam_error *error, const Read &read)
{
    try {
        return read();
    } catch (const std::bad_alloc &) {
        return fail_memory(path, error);
    } catch (const std::length_error &) {
        return fail_memory(path, error);
    } catch (const std::exception &failure) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", path, failure.what());
    } catch (...) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: it cannot be read", path);
    }
}

/* ---- kinds of files ---- */

bool ends_with(const std::string &path, const char *ending)
{
    const std::size_t length = std::char_traits<char>::length(ending);
    return path.size() >= length && path.compare(path.size() - length, length, ending) == 0;
}

/* By its name. */
macadam_status find_kind(mcd_osm_file &file, macadam_error *error)
{
    file.has_blobs = ends_with(file.path, ".pbf");
    if (ends_with(file.path, ".osm.gz"))
        file.packing = MCD_PACKING_GZIP;
    else if (ends_with(file.path, ".osm.bz2"))
        file.packing = MCD_PACKING_BZIP2;
    else if (!file.has_blobs && !ends_with(file.path, ".osm"))
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: its name ends neither with .osm.pbf nor with .osm, .osm.gz or .osm.bz2",
                        file.path.c_str());
    return MACADAM_OK;
}

/* ---- blobs ---- */

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
        throw std::runtime_error{"PBF error: a blob is neither the header nor data"};
    file.blobs.push_back({frame.blob, first ? 0 : pbf::nodes | pbf::ways | pbf::relations});
    file.rest = behind;
    return true;
}

void begin_blobs(mcd_osm_file &file)
{
    file.rest = pbf::data_view{static_cast<const char *>(file.mapping.data), file.mapping.bytes};
    if (!find_blob(file)) throw std::runtime_error{"PBF error: the file is empty"};
    file.has_history = pbf::read_header(file.blobs[0].data);
}

/* The parts that are read at once. */
struct batch {
    struct part {
        mcd_osm_file::blob *blob;
        macadam_status status;
        macadam_error error;
    };

    const char *path;
    bool has_history;
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
        if (!reader) reader = std::make_unique<pbf::reader>(all.has_history);
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
    constexpr std::size_t forget_bytes = 1 << 24; /* so that memory does not grow with the file */
    const char *const begin = static_cast<const char *>(file.mapping.data);
    std::size_t forgotten = 0;
    batch all{file.path.c_str(), file.has_history, handler, {}, {}, {}};
    all.readers.resize(parallel->thread_count);
    for (std::size_t next = 0; next < file.blobs.size() || file.rest.size() > 0;) {
        choose_blobs(file, kinds_asked(handler), std::min<std::size_t>(parts, MCD_OSM_PARTS), &next, all);
        mcd_watch watch = mcd_watch_of(progress, phase);
        MCD_TRY(read_parts(all, parallel, &watch, error));
        const pbf::data_view last = file.blobs[next - 1].data;
        const auto done = static_cast<std::size_t>(last.data() + last.size() - begin);
        if (done - forgotten >= forget_bytes) {
            mcd_platform_forget(&file.mapping, forgotten, done);
            forgotten = done;
        }
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
        MCD_TRY(find_kind(*file, error));
        MCD_TRY(mcd_platform_map(&file->mapping, path, error));
        if (file->has_blobs) begin_blobs(*file);
        *out = file.release();
        return MACADAM_OK;
    });
}

macadam_status mcd_osm_file_read(mcd_osm_file *file, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error)
{
    if (!file->has_blobs) {
        mcd_watch watch = mcd_watch_of(progress, phase);
        return mcd_xml_read(file->path.c_str(), file->packing, file->mapping.data, file->mapping.bytes,
                            handler, &watch, error);
    }
    return guard(file->path.c_str(), error,
                 [&] { return read_blobs(*file, *handler, parallel, progress, phase, error); });
}

void mcd_osm_file_close(mcd_osm_file *file)
{
    delete file;
}
