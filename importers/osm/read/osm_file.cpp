/* osm_file.cpp - see osm_file.h. No exception leaves this file. */
#include <algorithm>
#include <numeric>

#include "importers/osm/read/osm_parser.h" /* last: what these include is C++'s own by now */
#include "importers/osm/read/pbf.h"

extern "C" {
#include "importers/osm/read/osm_file.h"
#include "engine/base/system/platform.h"
#include "engine/base/grow.h"
}

struct mcd_osm_file {
    struct blob {
        pbf::data_view data;
        pbf::kinds kinds; /* that it may have */
        bool has_places;  /* its ways have the coordinates of their nodes */
    };

    mcd_osm_file() = default;
    ~mcd_osm_file()
    {
        mcd_platform_unmap(&mapping);
        mcd_free(piped);
    }
    mcd_osm_file(const mcd_osm_file &) = delete;
    mcd_osm_file &operator=(const mcd_osm_file &) = delete;

    std::string path;
    bool has_history = false;
    bool ascends = true;         /* the ids of each kind, as far as they were read */
    osm_parser::source source{}; /* its format, and what is read unless it has blobs */
    bool has_places = false;
    mcd_mapping mapping{};
    unsigned char *piped = nullptr; /* all of standard input */
    pbf::data_view whole, rest;     /* rest: what no blob was taken from yet */
    std::vector<blob> blobs;

    bool has_blobs() const
    {
        return source.format == osmium::io::file_format::pbf;
    }
};

namespace
{

/* The status of `read`, or the status of what it throws. */
template <typename Read> macadam_status guard(const char *where, macadam_error *error, const Read &read)
{
    try {
        return read();
    } catch (...) {
        return shim::status_of_exception(where, error);
    }
}

/* ---- kinds of files ---- */

/* The ending of the name that standard input would have, by its first bytes. */
const char *ending_of(pbf::data_view data)
{
    const std::string begin{data.data(), std::min<std::size_t>(data.size(), 16)};
    if (begin.compare(0, 2, "\x1f\x8b") == 0) return ".osm.gz";
    if (begin.compare(0, 3, "BZh") == 0) return ".osm.bz2";
    if (begin.compare(0, 2, "\xff\xe0") == 0) return ".o5m";
    if (begin.compare(0, 2, std::string{"\0\0", 2}) == 0) return ".pbf";
    return begin.find_first_of("nwrc#") == 0 ? ".opl" : ".osm";
}

/* By the endings of its name. */
macadam_status find_format(mcd_osm_file &file, const std::string &name, macadam_error *error)
{
    const osmium::io::File known{name};
    osm_parser::source &source = file.source;
    source.path = file.path.c_str();
    source.format = known.format();
    source.packing = known.compression();
    file.has_history = known.has_multiple_object_versions();
    const bool is_text =
        source.format == osmium::io::file_format::xml || source.format == osmium::io::file_format::opl;
    const bool is_binary = file.has_blobs() || source.format == osmium::io::file_format::o5m;
    if (is_text || (is_binary && source.packing == osmium::io::file_compression::none)) return MACADAM_OK;
    return mcd_fail(
        error, MACADAM_E_FILE,
        "%s: its name ends with none of .pbf, .o5m, .osm, .osc, .osh and .opl (these four also with "
        ".gz or .bz2)",
        file.path.c_str());
}

/* Reads standard input to its end. */
macadam_status read_pipe(mcd_osm_file &file, const mcd_progress *progress, macadam_error *error)
{
    constexpr std::size_t piece = 1 << 20;
    std::size_t bytes = 0, capacity = 0, got = 0;
    do {
        MCD_TRY(mcd_progress_step(progress, "reading standard input", bytes, 0, error));
        MCD_TRY(MCD_GROW(file.piped, capacity, bytes + piece, error));
        bytes += got = fread(file.piped + bytes, 1, piece, stdin);
    } while (got > 0);
    if (ferror(stdin)) return mcd_fail(error, MACADAM_E_IO, "cannot read standard input");
    file.whole = pbf::data_view{reinterpret_cast<const char *>(file.piped), bytes};
    return MACADAM_OK;
}

/* ---- blobs ---- */

/* Takes the next blob into the list; false at the end of the file. */
bool find_blob(mcd_osm_file &file)
{
    if (file.rest.size() == 0) return false;
    const bool first = file.rest.size() == file.whole.size();
    pbf::data_view behind = file.rest;
    const pbf::frame frame{behind};
    if (frame.type.to_string() != (first ? "OSMHeader" : "OSMData"))
        throw osmium::pbf_error{"a blob is neither the header nor data"};
    file.blobs.push_back(
        {frame.blob, first ? osmium::osm_entity_bits::nothing : osmium::osm_entity_bits::nwr, false});
    file.rest = behind;
    return true;
}

void begin_blobs(mcd_osm_file &file)
{
    file.rest = file.whole;
    if (!find_blob(file)) throw osmium::pbf_error{"the file is empty"};
    file.has_history |= pbf::reader{}.read_header(file.blobs[0].data);
}

pbf::kinds kinds_wanted(const mcd_osm_handler &handler)
{
    pbf::kinds wanted = osmium::osm_entity_bits::nothing;
    if (handler.node) wanted |= osmium::osm_entity_bits::node;
    if (handler.way || handler.version) wanted |= osmium::osm_entity_bits::way;
    if (handler.relation || handler.version) wanted |= osmium::osm_entity_bits::relation;
    return wanted;
}

/* The parts that are read together. */
struct batch {
    struct part {
        std::size_t blob; /* its number */
        shim::id_ranges ids;
        osmium::memory::Buffer relations;
        macadam_status status;
        macadam_error error;
    };

    mcd_osm_file &file;
    std::uint32_t number; /* of the file */
    const mcd_osm_handler &handler;
    shim::relation_list &relations;
    pbf::kinds wanted = kinds_wanted(handler);
    std::vector<std::unique_ptr<pbf::reader>> readers{}; /* [worker] */
    std::vector<part> parts{};
    std::vector<std::size_t> order{}; /* of the parts: the largest first, so that threads end together */
    shim::id_ranges ids{};            /* of all parts so far */
};

void read_part(void *argument, std::size_t task, unsigned worker)
{
    batch &all = *static_cast<batch *>(argument);
    const std::size_t index = all.order[task];
    batch::part &part = all.parts[index];
    mcd_osm_file::blob &blob = all.file.blobs[part.blob];
    char where[1024];
    snprintf(where, sizeof where, "%s: the blob at byte %zu", all.file.path.c_str(),
             static_cast<std::size_t>(blob.data.data() - all.file.whole.data()));
    part.status = guard(where, &part.error, [&] {
        std::unique_ptr<pbf::reader> &reader = all.readers[worker];
        if (!reader) reader = std::make_unique<pbf::reader>();
        reader->giver.begin(all.handler, index, all.number, std::uint64_t{part.blob} << 32, &part.error);
        const pbf::kinds wanted = all.wanted | (blob.has_places ? osmium::osm_entity_bits::way : all.wanted);
        blob.kinds = reader->read(blob.data, wanted, all.handler.versions || all.file.has_history);
        blob.has_places = blob.has_places || reader->giver.has_places;
        part.ids = reader->giver.ids;
        part.relations = reader->giver.take_relations();
        return MACADAM_OK;
    });
}

/* Notes whether ids still ascend. */
void add_ids(mcd_osm_file &file, shim::id_ranges &all, const shim::id_ranges &part)
{
    for (std::size_t kind = 0; kind < all.size(); ++kind) {
        if (part[kind].any) all[kind].add(part[kind].first, part[kind].last, part[kind].ascends);
        file.ascends = file.ascends && all[kind].ascends;
    }
}

macadam_status read_parts(batch &all, const mcd_parallel *parallel, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(mcd_watch_for(watch, parallel, all.parts.size(), read_part, &all, error));
    for (std::size_t index = 0; index < all.parts.size(); ++index) {
        batch::part &part = all.parts[index];
        if (part.status != MACADAM_OK) return mcd_fail(error, part.status, "%s", part.error.message);
        add_ids(all.file, all.ids, part.ids);
        all.relations.add(std::move(part.relations));
        MCD_TRY(all.handler.join(all.handler.context, index, error));
    }
    return MACADAM_OK;
}

/* Whether there is a blob `next`. Its error is reported when nothing before it is left to be read,
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

/* The blobs from *next on that have something of what is wanted, `count` at most. */
void choose_blobs(batch &all, std::size_t count, std::size_t *next)
{
    const std::vector<mcd_osm_file::blob> &blobs = all.file.blobs;
    all.parts.clear();
    for (; all.parts.size() < count && has_blob(all.file, *next, all.parts.empty()); ++*next)
        if (blobs[*next].kinds & all.wanted || blobs[*next].has_places)
            all.parts.push_back({*next, {}, {}, MACADAM_OK, {}});
    all.order.resize(all.parts.size());
    std::iota(all.order.begin(), all.order.end(), std::size_t{0});
    std::sort(all.order.begin(), all.order.end(), [&](std::size_t a, std::size_t b) {
        return blobs[all.parts[a].blob].data.size() > blobs[all.parts[b].blob].data.size();
    });
}

macadam_status read_blobs(batch &all, const mcd_parallel *parallel, const mcd_progress *progress,
                          const char *phase, macadam_error *error)
{
    constexpr std::size_t parts_per_thread = 32; /* fewer make threads wait for each other more often */
    const std::size_t parts = parallel->thread_count > 1 ? parts_per_thread * parallel->thread_count : 1;
    constexpr std::size_t forget_bytes = 1 << 24; /* so that memory does not grow with the file */
    std::size_t forgotten = 0;
    mcd_osm_file &file = all.file;
    all.readers.resize(parallel->thread_count);
    for (std::size_t next = 0; next < file.blobs.size() || file.rest.size() > 0;) {
        choose_blobs(all, std::min<std::size_t>(parts, MCD_OSM_PARTS), &next);
        mcd_watch watch = mcd_watch_of(progress, phase);
        MCD_TRY(read_parts(all, parallel, &watch, error));
        const pbf::data_view last = file.blobs[next - 1].data;
        const auto done = static_cast<std::size_t>(last.data() + last.size() - file.whole.data());
        if (done - forgotten >= forget_bytes) {
            if (!file.piped) mcd_platform_forget(&file.mapping, forgotten, done);
            forgotten = done;
        }
        MCD_TRY(mcd_progress_step(progress, phase, done, file.whole.size(), error));
    }
    return MACADAM_OK;
}

/* Reads a file that has no blobs. */
macadam_status read_text(batch &all, mcd_watch *watch, macadam_error *error)
{
    mcd_osm_file &file = all.file;
    const pbf::kinds wanted = all.wanted | (file.has_places ? osmium::osm_entity_bits::way : all.wanted);
    shim::giver giver;
    MCD_TRY(
        osm_parser::read(file.source, wanted, all.number, giver, all.relations, all.handler, watch, error));
    file.has_places = file.has_places || giver.has_places;
    add_ids(file, all.ids, giver.ids);
    return MACADAM_OK;
}

} // namespace

macadam_status mcd_osm_file_open(mcd_osm_file **out, const char *path, const mcd_progress *progress,
                                 macadam_error *error)
{
    *out = nullptr;
    return guard(path, error, [&]() -> macadam_status {
        const bool is_pipe = std::string{path} == "-";
        auto file = std::make_unique<mcd_osm_file>();
        file->path = is_pipe ? "standard input" : path;
        if (is_pipe) {
            MCD_TRY(read_pipe(*file, progress, error));
            MCD_TRY(find_format(*file, ending_of(file->whole), error));
        } else {
            MCD_TRY(find_format(*file, path, error));
            MCD_TRY(mcd_platform_map(&file->mapping, path, nullptr, error));
            file->whole = pbf::data_view{static_cast<const char *>(file->mapping.data), file->mapping.bytes};
        }
        file->source.data = file->whole.data();
        file->source.bytes = file->whole.size();
        if (file->has_blobs()) begin_blobs(*file);
        *out = file.release();
        return MACADAM_OK;
    });
}

macadam_status mcd_osm_file_read(mcd_osm_file *const *file, std::size_t count, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error)
{
    shim::relation_list relations;
    mcd_watch watch = mcd_watch_of(progress, phase);
    for (std::size_t i = 0; i < count; ++i)
        MCD_TRY(guard(file[i]->path.c_str(), error, [&]() -> macadam_status {
            batch all{*file[i], static_cast<std::uint32_t>(i), *handler, relations};
            return file[i]->has_blobs() ? read_blobs(all, parallel, progress, phase, error)
                                        : read_text(all, &watch, error);
        }));
    return guard(file[0]->path.c_str(), error, [&] {
        relations.give(*handler, &watch, error);
        return MACADAM_OK;
    });
}

bool mcd_osm_file_ascends(const mcd_osm_file *file)
{
    return file->ascends;
}

void mcd_osm_file_close(mcd_osm_file *file)
{
    delete file;
}
