/* osm_parser.cpp - see osm_parser.h.
 *
 * Method: a parser of libosmium takes its input from a queue of futures, and puts buffers of objects into another. Our
 * futures are deferred: the parser's own thread, which is the caller's, makes a piece of input at the moment when the
 * parser takes it. Before that it hands over what the parser has put out, and asks whether to go on.
 *
 * expat's functions are replaced where libosmium's parser of XML calls them, because it knows neither JOSM's deletions
 * nor limits, and refuses files for elements that do not matter (those of Overpass API). */
#include "importers/osm/read/osm_parser.h"

#include <osmium/thread/util.hpp>

#include <expat.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <new>

namespace
{

enum : std::size_t {
    /* a way has at most 2,000 nodes in OpenStreetMap, a relation 32,000 members */
    OBJECT_BYTES_MAX = 8 << 20,
    ELEMENT_BYTES_MAX = 1 << 20,
    JOINED_BYTES = 4 << 20, /* after this many bytes, what was handed over is joined */
    O5M_END_BYTES = 16,     /* more than libosmium looks ahead, beyond what it was given */
};

/* ---- expat ---- */

/* The filter between expat and libosmium, on the thread that parses. */
struct xml_filter {
    XML_Parser parser = nullptr;
    XML_StartElementHandler start = nullptr; /* libosmium's */
    XML_EndElementHandler end = nullptr;
    std::size_t skipped = 0;     /* elements that are open and that libosmium does not see */
    bool is_leaf = false;        /* the element that libosmium saw last is open and has no elements */
    std::int64_t object_at = -1; /* where the node, way or relation begins */
    unsigned long long line = 0; /* where parsing ended, of OPL without empty lines; 0: not known */
    const char *wrong = nullptr; /* what this filter refuses */
    bool is_change = false;      /* the file consists of changes */
};
thread_local xml_filter *filter;

void refuse(const char *what)
{
    filter->wrong = what;
    XML_StopParser(filter->parser, XML_FALSE);
}

bool is_one_of(const char *name, std::initializer_list<const char *> names)
{
    return std::any_of(names.begin(), names.end(),
                       [name](const char *one) { return std::strcmp(name, one) == 0; });
}

/* JOSM keeps what it will delete, as <way action="delete" visible="true">, and the version that it has modified. */
void mark_edited(const XML_Char **attribute)
{
    static const char newest[] = "2147483646";
    bool deleted = false, modified = false;
    for (const XML_Char **at = attribute; *at; at += 2) {
        if (std::strcmp(at[0], "action") != 0) continue;
        deleted = std::strcmp(at[1], "delete") == 0;
        modified = std::strcmp(at[1], "modify") == 0;
    }
    for (const XML_Char **at = attribute; *at; at += 2)
        if (deleted && is_one_of(at[0], {"action", "visible"}))
            at[0] = "visible", at[1] = "false";
        else if ((deleted || modified) && is_one_of(at[0], {"action", "version"}))
            at[0] = "version", at[1] = newest;
}

bool has_attribute(const XML_Char **attribute, const char *name)
{
    for (; *attribute; attribute += 2)
        if (std::strcmp(*attribute, name) == 0) return true;
    return false;
}

void XMLCALL start_element(void *data, const XML_Char *element, const XML_Char **attribute)
{
    const bool is_root = filter->object_at < 0, is_object = is_one_of(element, {"node", "way", "relation"});
    const bool is_leaf = is_one_of(element, {"tag", "nd", "member", "bounds", "bbox"});
    const bool is_known =
        is_root || is_object || is_leaf || is_one_of(element, {"create", "modify", "delete"});
    if (filter->wrong) return;
    if (filter->skipped > 0 || filter->is_leaf || !is_known) {
        ++filter->skipped;
        return;
    }
    const std::int64_t at = XML_GetCurrentByteIndex(filter->parser);
    if (is_object || is_root) filter->object_at = at;
    if (is_leaf && at - filter->object_at > static_cast<std::int64_t>(OBJECT_BYTES_MAX))
        return refuse("a node, way or relation is too large");
    if (is_object && !has_attribute(attribute, "id")) return refuse("a node, way or relation has no id");
    if (std::strcmp(element, "nd") == 0 && !has_attribute(attribute, "ref")) return refuse("a nd has no ref");
    if (is_object) mark_edited(attribute);
    if (is_root) filter->is_change = std::strcmp(element, "osmChange") == 0;
    filter->is_leaf = is_leaf;
    filter->start(data, element, attribute);
}

void XMLCALL end_element(void *data, const XML_Char *element)
{
    if (filter->wrong) return;
    if (filter->skipped > 0) {
        --filter->skipped;
        return;
    }
    filter->is_leaf = false;
    filter->end(data, element);
}

/* expat does not say how large a block is that it moves: that is in front of it. */
enum : std::size_t { SIZE_ROOM = 16 };

void *reallocate_block(void *block, std::size_t bytes)
{
    char *const old = block ? static_cast<char *>(block) - SIZE_ROOM : nullptr;
    std::size_t old_bytes = 0;
    if (old) std::memcpy(&old_bytes, old, sizeof old_bytes);
    if (bytes > PTRDIFF_MAX - SIZE_ROOM) return nullptr;
    bytes += SIZE_ROOM;
    auto *const moved = static_cast<char *>(mcd_reallocate(old, old_bytes, bytes, 1));
    if (!moved) return nullptr;
    std::memcpy(moved, &bytes, sizeof bytes);
    return moved + SIZE_ROOM;
}

void *allocate_block(std::size_t bytes)
{
    return reallocate_block(nullptr, bytes);
}

void free_block(void *block)
{
    if (block) mcd_free(static_cast<char *>(block) - SIZE_ROOM);
}

XML_Parser new_parser()
{
    static const XML_Memory_Handling_Suite blocks = {allocate_block, reallocate_block, free_block};
    filter->parser = XML_ParserCreate_MM(nullptr, &blocks, nullptr);
    if (!filter->parser) throw std::bad_alloc{};
    return filter->parser;
}

void set_handlers(XML_Parser parser, XML_StartElementHandler start, XML_EndElementHandler end)
{
    filter->start = start, filter->end = end;
    XML_SetElementHandler(parser, start_element, end_element);
}

void free_parser(XML_Parser parser)
{
    filter->line = XML_GetCurrentLineNumber(parser);
    filter->parser = nullptr;
    XML_ParserFree(parser);
}

} // namespace

/* The host's threads keep their names, too. */
namespace osmium::thread
{
static void keep_thread_name()
{
}
} // namespace osmium::thread
#define set_thread_name(name)                     keep_thread_name()
#define XML_ParserCreate(encoding)                new_parser()
#define XML_SetElementHandler(parser, start, end) set_handlers(parser, start, end)
#define XML_ParserFree(parser)                    free_parser(parser)
#include <osmium/io/detail/o5m_input_format.hpp>
#include <osmium/io/detail/opl_parser_functions.hpp>

/* Notes the line. libosmium counts from 0, without empty lines: line_of(). */
static bool parse_opl_line(std::uint64_t before, const char *line, osmium::memory::Buffer &buffer,
                           osmium::osm_entity_bits::type kinds)
{
    filter->line = before + 1;
    return osmium::io::detail::opl_parse_line(before, line, buffer, kinds);
}
#define opl_parse_line parse_opl_line
#include <osmium/io/detail/opl_input_format.hpp>
#include <osmium/io/detail/xml_input_format.hpp>

namespace osm_parser
{

namespace
{

using namespace osmium::io::detail;
using osmium::io::file_format;

/* ---- input and output of a parser ---- */

class feed
{
  public:
    feed(const source &source, std::uint32_t number, shim::giver &giver, shim::relation_list &relations,
         const mcd_osm_handler &handler, mcd_watch *watch, macadam_error *error)
        : m_source(source), m_giver(giver), m_relations(relations), m_handler(handler), m_watch(watch),
          m_error(error), m_unpacker(source.packing, source.data, source.bytes)
    {
        giver.begin(handler, 0, number, 0, error);
    }

    template <class Parser> void parse(osmium::osm_entity_bits::type kinds)
    {
        /* Only the parser of .pbf files uses the threads; this one refers to threads that have never begun. */
        alignas(osmium::thread::Pool) static char no_threads[sizeof(osmium::thread::Pool)];
        std::promise<osmium::io::Header> header;
        parser_arguments arguments{reinterpret_cast<osmium::thread::Pool &>(no_threads),
                                   -1,
                                   m_input,
                                   m_output,
                                   header,
                                   nullptr,
                                   kinds,
                                   osmium::io::read_meta::yes,
                                   osmium::io::buffers_type::any,
                                   false};
        push();
        Parser{arguments}.run();
        join();
    }

  private:
    void push()
    {
        m_input.push(std::async(std::launch::deferred, [this] { return next(); }));
    }
    /* The next piece of the file; empty at its end. */
    std::string next();
    void check_length(const std::string &piece);
    void give();
    void join()
    {
        give();
        m_relations.add(m_giver.take_relations());
        shim::check(m_handler.join(m_handler.context, 0, m_error));
        m_joined = m_fed;
    }

    const source &m_source;
    shim::giver &m_giver;
    shim::relation_list &m_relations;
    const mcd_osm_handler &m_handler;
    mcd_watch *m_watch;
    macadam_error *m_error;
    unpacker m_unpacker;
    std::uint64_t m_fed = 0, m_joined = 0, m_line_bytes = 0;
    bool m_has_ended = false;
    future_string_queue_type m_input;
    future_buffer_queue_type m_output;
};

/* Hands over what the parser has put out so far. */
void feed::give()
{
    for (std::future<osmium::memory::Buffer> made; m_output.try_pop(made);) {
        osmium::memory::Buffer buffer = made.get();
        m_giver.is_change = filter->is_change;
        m_giver.give(buffer);
    }
}

std::string feed::next()
{
    std::string piece;
    give();
    if (m_fed - m_joined >= JOINED_BYTES) join();
    shim::check(mcd_watch_step(m_watch, m_unpacker.used(), m_source.bytes, m_error));
    try {
        piece = m_unpacker.next();
    } catch (...) {
        throw shim::stop{shim::status_of_exception(m_source.path, m_error)};
    }
    check_length(piece);
    m_fed += piece.size();
    if (piece.empty() && m_source.format == file_format::o5m && !m_has_ended) {
        m_has_ended = true;
        piece.assign(O5M_END_BYTES, '\xfe'); /* marks of the end */
    }
    if (!piece.empty()) push();
    return piece;
}

/* So that a small packed file cannot fill the memory. */
void feed::check_length(const std::string &piece)
{
    if (filter->parser) {
        const std::int64_t parsed = std::max<std::int64_t>(XML_GetCurrentByteIndex(filter->parser), 0);
        if (m_fed > ELEMENT_BYTES_MAX + static_cast<std::uint64_t>(parsed))
            throw osmium::xml_error{"an element is too long"};
    } else if (m_source.format == file_format::opl) {
        const std::size_t newline = piece.rfind('\n');
        m_line_bytes =
            newline == std::string::npos ? m_line_bytes + piece.size() : piece.size() - newline - 1;
        const bool is_long = m_line_bytes > OBJECT_BYTES_MAX, has_nul = piece.find('\0') != std::string::npos;
        if (is_long || has_nul) filter->line = 0;
        if (has_nul) throw osmium::io_error{"not a text: it contains NUL"};
        if (is_long) throw osmium::io_error{"a line is too long"};
    }
}

/* ---- o5m ---- */

/* libosmium would read a data set of any length, and counts its object by 32 bits: a byte may name 252 bytes. Returns whether
 * the last data set is the mark of the end. */
bool check_data_sets(const source &source, mcd_watch *watch, macadam_error *error)
{
    enum : unsigned char {
        LENGTH_LESS = 0xf0,
        END = 0xfe
    }; /* the first type that has no length; that of the end */
    const char *const begin = static_cast<const char *>(source.data), *const end = begin + source.bytes;
    std::size_t count = 0;
    unsigned char type = 0;
    for (const char *at = begin; at < end; ++count) {
        const std::size_t first = static_cast<std::size_t>(at - begin);
        shim::check(mcd_watch_item(watch, count, source.bytes, error));
        type = static_cast<unsigned char>(*at++);
        if (type >= LENGTH_LESS) continue;
        const std::uint64_t bytes = protozero::decode_varint(&at, end);
        if (bytes > OBJECT_BYTES_MAX || bytes > static_cast<std::size_t>(end - at))
            throw osmium::io_error{"the data set at byte " + std::to_string(first) +
                                   (bytes > OBJECT_BYTES_MAX ? " is too long" : " is cut off")};
        at += bytes;
    }
    return type == END;
}

/* ---- places ---- */

/* Returns the line of OPL that is number `rest` of those that are not empty; 0 if the file cannot be read again. */
unsigned long long line_of(const source &source, unsigned long long rest) noexcept
try {
    unpacker file(source.packing, source.data, source.bytes);
    unsigned long long line = 1;
    bool begins = true;
    for (std::string piece = file.next(); !piece.empty(); piece = file.next())
        for (const char byte : piece) {
            const bool ends = byte == '\n' || byte == '\r';
            if (begins && !ends && --rest == 0) return line;
            line += byte == '\n';
            begins = ends;
        }
    return 0;
} catch (...) {
    return 0;
}

/* As "PATH:LINE" for XML and OPL. */
macadam_status fail(const source &source, const xml_filter &own, macadam_error *error)
{
    char where[1024];
    const bool is_opl = source.format == file_format::opl;
    const unsigned long long line = is_opl && own.line ? line_of(source, own.line) : own.line;
    if (line)
        snprintf(where, sizeof where, "%s:%llu", source.path, line);
    else
        snprintf(where, sizeof where, "%s", source.path);
    if (source.bytes > 0 && *static_cast<const char *>(source.data) == '{')
        return mcd_fail(error, MACADAM_E_FILE, "%s: it is JSON; Overpass API writes XML with [out:xml]",
                        where);
    if (own.wrong) return mcd_fail(error, MACADAM_E_FILE, "%s: %s", where, own.wrong);
    try {
        throw;
    } catch (const osmium::xml_error &failure) {
        if (failure.error_code == XML_ERROR_NO_MEMORY)
            return mcd_fail(error, MACADAM_E_MEMORY, "%s: not enough memory to read it", source.path);
        return mcd_fail(error, MACADAM_E_FILE, "%s: %s", where, failure.error_string.c_str());
    } catch (const osmium::opl_error &failure) {
        return mcd_fail(error, MACADAM_E_FILE, "%s: column %llu: %s", where, failure.column + 1ULL,
                        failure.osmium::io_error::what());
    } catch (...) {
        return shim::status_of_exception(where, error);
    }
}

} // namespace

macadam_status read(const source &source, osmium::osm_entity_bits::type kinds, std::uint32_t number,
                    shim::giver &giver, shim::relation_list &relations, const mcd_osm_handler &handler,
                    mcd_watch *watch, macadam_error *error)
{
    xml_filter own, *const before = filter;
    macadam_status status = MACADAM_OK;
    filter = &own;
    try {
        feed fed{source, number, giver, relations, handler, watch, error};
        if (source.format == file_format::xml)
            fed.parse<XMLParser>(kinds);
        else if (source.format == file_format::opl)
            fed.parse<OPLParser>(kinds);
        else {
            const bool has_end = check_data_sets(source, watch, error);
            fed.parse<O5mParser>(osmium::osm_entity_bits::nwr); /* each object counts from the one before */
            if (!has_end)
                throw osmium::io_error{"it is cut off: the mark of its end, the byte fe, is missing"};
        }
    } catch (const shim::stop &stop) {
        status = stop.status;
    } catch (...) {
        status = fail(source, own, error);
    }
    filter = before;
    return status;
}

} // namespace osm_parser
