/* xml.c - see xml.h. expat calls back for each element; an object is handed over when its element ends.
 *
 * Memory: that of one object, which has a limit, besides what the handler keeps. Entities are refused: some
 * files declare a few that grow to gigabytes. */
#include "importers/osm/read/xml.h"
#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/types.h"

#include <errno.h>
#include <expat.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEGREES_E7 = 10000000,
    OBJECT_BYTES_MAX = 8 << 20, /* texts, ids and members; a way has at most 2,000 nodes in OpenStreetMap */
    ELEMENT_BYTES_MAX = 1 << 20,
    JOINED_BYTES = 4 << 20, /* after so many, what was handed over is joined */
};

typedef enum object_kind { OTHER, NODE, WAY, RELATION } object_kind;

/* Places in the reader's text. */
typedef struct text_tag {
    size_t key, value;
} text_tag;

typedef struct text_member {
    int64_t id;
    size_t role;
    char type;
} text_member;

typedef struct xml_reader {
    const char *path;
    const mcd_osm_handler *handler;
    XML_Parser parser;
    macadam_status status; /* of the first failure */
    macadam_error *error;
    unsigned depth;
    object_kind object; /* whose element is open at depth 1 */
    bool is_wanted;     /* the handler takes it, and it is not deleted */
    int64_t id;
    uint32_t version;
    bool has_lon, has_lat;
    int64_t lon_e7, lat_e7;
    char *text; /* NUL-terminated strings of the object */
    text_tag *text_of_tag;
    text_member *text_of_member;
    int64_t *ref;
    size_t text_count, tag_count, member_count, ref_count;
    size_t text_capacity, tag_capacity, member_capacity, ref_capacity;
    mcd_tag *tag; /* of the object when it is handed over */
    mcd_osm_member *member;
    size_t given_tag_capacity, given_member_capacity;
} xml_reader;

/* ---- failures ---- */

static void stop(xml_reader *reader, macadam_status status)
{
    if (reader->status || !status) return;
    reader->status = status;
    XML_StopParser(reader->parser, XML_FALSE);
}

/* "PATH:LINE: WHAT", with the value if there is one. */
static void refuse(xml_reader *reader, const char *what, const char *value)
{
    if (reader->status) return;
    const unsigned long long line = XML_GetCurrentLineNumber(reader->parser);
    stop(reader, mcd_fail(reader->error, MACADAM_E_FILE, "%s:%llu: %s%s%.40s%s", reader->path, line, what,
                          value ? ": \"" : "", value ? value : "", value ? "\"" : ""));
}

static macadam_status fail_memory(const xml_reader *reader)
{
    return mcd_fail(reader->error, MACADAM_E_MEMORY, "%s: not enough memory to read it", reader->path);
}

/* ---- values ---- */

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return NULL;
}

static int64_t read_id(xml_reader *reader, const char *what, const char *text)
{
    char *end;
    if (!text) {
        refuse(reader, what, NULL);
        return 0;
    }
    errno = 0;
    const long long id = strtoll(text, &end, 10);
    if (end == text || *end || errno) refuse(reader, "not an id", text);
    return id;
}

/* Digits with a decimal point and an exponent, in units of `scale` decimal places, rounded; INT64_MAX if it
 * is too large. Returns false if the text is none. Not by strtod, which obeys the host's language. */
static bool read_decimal(const char *text, int scale, int64_t *out)
{
    enum { DIGITS_MAX = 17 };
    const bool negative = *text == '-';
    int64_t value = 0;
    long places = 0, exponent = 0;
    int digits = 0, kept = 0;
    bool fraction = false;
    for (text += negative; (*text >= '0' && *text <= '9') || (*text == '.' && !fraction); ++text) {
        if (*text == '.') {
            fraction = true;
            continue;
        }
        ++digits;
        if (kept == DIGITS_MAX) {
            places -= !fraction;
            continue;
        }
        value = value * 10 + (*text - '0');
        kept += value > 0;
        places += fraction;
    }
    if (digits == 0) return false;
    if (*text == 'e' || *text == 'E') {
        char *end;
        exponent = strtol(text + 1, &end, 10);
        if (end == text + 1) return false;
        text = end;
    }
    if (*text || exponent > 1000 || exponent < -1000) return false;
    long shift = scale - places + exponent;
    for (; shift > 0 && value != 0; --shift) {
        if (value > INT64_MAX / 10) {
            value = INT64_MAX;
            break;
        }
        value *= 10;
    }
    for (; shift < -1; ++shift) value /= 10; /* the last digit rounds */
    if (shift == -1) value = value / 10 + (value % 10 >= 5);
    *out = negative ? -value : value;
    return true;
}

static int64_t read_coordinate(xml_reader *reader, const char *text)
{
    int64_t value_e7 = 0;
    if (!read_decimal(text, 7, &value_e7)) refuse(reader, "not a coordinate", text);
    return value_e7;
}

/* Appends a text to the object's; returns where it begins. */
static size_t keep_text(xml_reader *reader, const char *text)
{
    const size_t at = reader->text_count, bytes = strlen(text) + 1;
    if (reader->status) return 0;
    const macadam_status status = MCD_GROW(reader->text, reader->text_capacity, at + bytes, reader->error);
    stop(reader, status);
    if (status) return 0;
    memcpy(reader->text + at, text, bytes);
    reader->text_count += bytes;
    return at;
}

/* ---- within an object ---- */

static void take_tag(xml_reader *reader, const XML_Char **attributes)
{
    const char *const key = attribute(attributes, "k"), *const value = attribute(attributes, "v");
    const text_tag tag = {keep_text(reader, key ? key : ""), keep_text(reader, value ? value : "")};
    stop(reader, MCD_GROW(reader->text_of_tag, reader->tag_capacity, reader->tag_count + 1, reader->error));
    if (!reader->status) reader->text_of_tag[reader->tag_count++] = tag;
}

static void take_ref(xml_reader *reader, const XML_Char **attributes)
{
    const int64_t ref = read_id(reader, "a nd has no ref", attribute(attributes, "ref"));
    stop(reader, MCD_GROW(reader->ref, reader->ref_capacity, reader->ref_count + 1, reader->error));
    if (!reader->status) reader->ref[reader->ref_count++] = ref;
}

static void take_member(xml_reader *reader, const XML_Char **attributes)
{
    const char *const type = attribute(attributes, "type"), *const role = attribute(attributes, "role");
    if (!type || !*type || !strchr("nwr", *type)) {
        refuse(reader, "a member is neither a node, a way nor a relation", type);
        return;
    }
    const text_member member = {.id = read_id(reader, "a member has no ref", attribute(attributes, "ref")),
                                .role = keep_text(reader, role ? role : ""),
                                .type = *type};
    stop(reader,
         MCD_GROW(reader->text_of_member, reader->member_capacity, reader->member_count + 1, reader->error));
    if (!reader->status) reader->text_of_member[reader->member_count++] = member;
}

static void take_part(xml_reader *reader, const XML_Char *element, const XML_Char **attributes)
{
    if (strcmp(element, "tag") == 0)
        take_tag(reader, attributes);
    else if (reader->object == WAY && strcmp(element, "nd") == 0)
        take_ref(reader, attributes);
    else if (reader->object == RELATION && strcmp(element, "member") == 0)
        take_member(reader, attributes);
    const size_t bytes = reader->text_count + reader->tag_count * sizeof *reader->text_of_tag +
                         reader->ref_count * sizeof *reader->ref +
                         reader->member_count * sizeof *reader->text_of_member;
    if (bytes > OBJECT_BYTES_MAX) refuse(reader, "a node, way or relation is too large", NULL);
}

/* ---- objects ---- */

static bool takes(const mcd_osm_handler *handler, object_kind kind)
{
    return (kind == NODE && handler->node) || (kind == WAY && handler->way) ||
           (kind == RELATION && handler->relation);
}

static object_kind kind_of(const XML_Char *element)
{
    if (strcmp(element, "node") == 0) return NODE;
    if (strcmp(element, "way") == 0) return WAY;
    return strcmp(element, "relation") == 0 ? RELATION : OTHER;
}

static void begin_object(xml_reader *reader, const XML_Char *element, const XML_Char **attributes)
{
    const char *const visible = attribute(attributes, "visible");
    reader->object = kind_of(element);
    reader->is_wanted = takes(reader->handler, reader->object) && !(visible && strcmp(visible, "false") == 0);
    if (!reader->is_wanted) return;
    reader->text_count = reader->tag_count = reader->ref_count = reader->member_count = 0;
    reader->id = read_id(reader, "a node, way or relation has no id", attribute(attributes, "id"));
    const char *const version = attribute(attributes, "version");
    reader->version = version ? (uint32_t)strtoul(version, NULL, 10) : 0;
    if (reader->object != NODE) return;
    const char *const lon = attribute(attributes, "lon"), *const lat = attribute(attributes, "lat");
    reader->has_lon = lon, reader->has_lat = lat;
    if (lon) reader->lon_e7 = read_coordinate(reader, lon);
    if (lat) reader->lat_e7 = read_coordinate(reader, lat);
}

static mcd_tags tags_of(xml_reader *reader)
{
    stop(reader, MCD_GROW(reader->tag, reader->given_tag_capacity, reader->tag_count, reader->error));
    if (reader->status) return (mcd_tags){NULL, 0};
    for (size_t i = 0; i < reader->tag_count; ++i)
        reader->tag[i] =
            (mcd_tag){reader->text + reader->text_of_tag[i].key, reader->text + reader->text_of_tag[i].value};
    return (mcd_tags){reader->tag, reader->tag_count};
}

static macadam_status give_node(xml_reader *reader, mcd_tags tags)
{
    const bool valid = reader->has_lon && reader->has_lat && llabs(reader->lon_e7) <= 180ll * DEGREES_E7 &&
                       llabs(reader->lat_e7) <= 90ll * DEGREES_E7;
    const mcd_osm_node node = {
        reader->id,     valid ? (int32_t)reader->lon_e7 : 0, valid ? (int32_t)reader->lat_e7 : 0, valid, tags,
        reader->version};
    return reader->handler->node(reader->handler->context, 0, &node, reader->error);
}

static macadam_status give_relation(xml_reader *reader, mcd_tags tags)
{
    MCD_TRY(MCD_GROW(reader->member, reader->given_member_capacity, reader->member_count, reader->error));
    for (size_t i = 0; i < reader->member_count; ++i) {
        const text_member *const member = &reader->text_of_member[i];
        reader->member[i] = (mcd_osm_member){member->type, member->id, reader->text + member->role};
    }
    const mcd_osm_relation relation = {reader->id, reader->member, reader->member_count, tags,
                                       reader->version};
    return reader->handler->relation(reader->handler->context, 0, &relation, reader->error);
}

static void end_object(xml_reader *reader)
{
    const mcd_tags tags = tags_of(reader);
    if (reader->status) return;
    if (reader->object == NODE) {
        stop(reader, give_node(reader, tags));
    } else if (reader->object == WAY) {
        const mcd_osm_way way = {reader->id, reader->ref, reader->ref_count, tags, reader->version};
        stop(reader, reader->handler->way(reader->handler->context, 0, &way, reader->error));
    } else {
        stop(reader, give_relation(reader, tags));
    }
}

/* ---- expat's callbacks ---- */

static void begin_file(xml_reader *reader, const XML_Char *element, const XML_Char **attributes)
{
    const char *const version = attribute(attributes, "version");
    if (strcmp(element, "osm") != 0)
        refuse(reader, "not OpenStreetMap XML, but", element);
    else if (!version || strcmp(version, "0.6") != 0)
        refuse(reader, "not version 0.6 of OpenStreetMap XML", version);
}

static void XMLCALL begin_element(void *data, const XML_Char *element, const XML_Char **attributes)
{
    xml_reader *const reader = data;
    const unsigned depth = reader->depth++;
    if (reader->status) return;
    if (depth == 0)
        begin_file(reader, element, attributes);
    else if (depth == 1)
        begin_object(reader, element, attributes);
    else if (depth == 2 && reader->is_wanted)
        take_part(reader, element, attributes);
}

static void XMLCALL end_element(void *data, const XML_Char *element)
{
    xml_reader *const reader = data;
    (void)element;
    if (--reader->depth != 1 || reader->status || !reader->is_wanted) return;
    end_object(reader);
    reader->is_wanted = false;
}

static void XMLCALL refuse_entity(void *data, const XML_Char *name, int is_parameter, const XML_Char *value,
                                  int value_length, const XML_Char *base, const XML_Char *system,
                                  const XML_Char *public_id, const XML_Char *notation)
{
    (void)is_parameter, (void)value, (void)value_length, (void)base, (void)system, (void)public_id,
        (void)notation;
    refuse(data, "entities are not read", name);
}

/* ---- the file ---- */

static macadam_status parse(xml_reader *reader, const unsigned char *piece, size_t bytes)
{
    if (XML_Parse(reader->parser, (const char *)piece, (int)bytes, bytes == 0) == XML_STATUS_OK)
        return reader->status;
    if (reader->status) return reader->status;
    const enum XML_Error code = XML_GetErrorCode(reader->parser);
    if (code == XML_ERROR_NO_MEMORY) return fail_memory(reader);
    refuse(reader, XML_ErrorString(code), NULL);
    return reader->status;
}

static macadam_status read_all(xml_reader *reader, mcd_unpacker *unpacker, mcd_watch *watch)
{
    uint64_t parsed = 0, joined = 0;
    for (;;) {
        const unsigned char *piece;
        size_t bytes;
        MCD_TRY(mcd_unpacker_next(unpacker, &piece, &bytes, reader->error));
        MCD_TRY(parse(reader, piece, bytes));
        parsed += bytes;
        if (parsed > ELEMENT_BYTES_MAX + (uint64_t)XML_GetCurrentByteIndex(reader->parser)) {
            refuse(reader, "an element is too long", NULL);
            return reader->status;
        }
        MCD_TRY(mcd_watch_step(watch, (uint64_t)(unpacker->at - unpacker->begin),
                               (uint64_t)(unpacker->end - unpacker->begin), reader->error));
        if (bytes > 0 && parsed - joined < JOINED_BYTES) continue;
        joined = parsed;
        MCD_TRY(reader->handler->join(reader->handler->context, 0, reader->error));
        if (bytes == 0) return MACADAM_OK;
    }
}

static void free_reader(xml_reader *reader)
{
    if (reader->parser) XML_ParserFree(reader->parser);
    mcd_free(reader->text);
    mcd_free(reader->text_of_tag);
    mcd_free(reader->text_of_member);
    mcd_free(reader->ref);
    mcd_free(reader->tag);
    mcd_free(reader->member);
}

/* Blocks of expat, whose functions have no context and do not tell a block's old size: it is stored before
 * each block. */
enum { SIZE_ROOM = 16 };

static void *allocate_block(size_t bytes)
{
    char *const block = bytes < PTRDIFF_MAX ? mcd_allocate(bytes + SIZE_ROOM, 1) : NULL;
    if (!block) return NULL;
    memcpy(block, &bytes, sizeof bytes);
    return block + SIZE_ROOM;
}

static void free_block(void *block)
{
    if (block) mcd_free((char *)block - SIZE_ROOM);
}

static void *reallocate_block(void *block, size_t bytes)
{
    void *const moved = allocate_block(bytes);
    size_t old_bytes = 0;
    if (!moved) return NULL;
    if (block) memcpy(&old_bytes, (char *)block - SIZE_ROOM, sizeof old_bytes);
    if (block) memcpy(moved, block, old_bytes < bytes ? old_bytes : bytes);
    free_block(block);
    return moved;
}

macadam_status mcd_xml_read(const char *path, mcd_packing packing, const void *data, size_t bytes,
                            const mcd_osm_handler *handler, mcd_watch *watch, macadam_error *error)
{
    static const XML_Memory_Handling_Suite blocks = {allocate_block, reallocate_block, free_block};
    xml_reader reader = {.path = path, .handler = handler, .error = error};
    mcd_unpacker unpacker;
    macadam_status status = mcd_unpacker_open(&unpacker, packing, path, data, bytes, error);
    if (!status) {
        reader.parser = XML_ParserCreate_MM(NULL, &blocks, NULL);
        if (!reader.parser) status = fail_memory(&reader);
    }
    if (!status) {
        XML_SetUserData(reader.parser, &reader);
        XML_SetElementHandler(reader.parser, begin_element, end_element);
        XML_SetEntityDeclHandler(reader.parser, refuse_entity);
        status = read_all(&reader, &unpacker, watch);
    }
    free_reader(&reader);
    mcd_unpacker_free(&unpacker);
    return status;
}
