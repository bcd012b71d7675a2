/* trace_gpx.c - the tracks of a GPX file (versions 1.0 and 1.1). */
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"
#include "bindings/cli/input/timestamp.h"
#include "bindings/cli/input/traces.h"

#include <expat.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 256, PIECE_BYTES = 1 << 20 };

typedef struct gpx_reader {
    XML_Parser parser;
    const cli_csv *file;
    cli_traces *traces;
    bool in_track, in_segment, in_point;
    size_t track_count, segment_count; /* segments of this track */
    char name[TEXT_BYTES];             /* of the track */
    char text[TEXT_BYTES];             /* of the present element; longer text is cut off */
    size_t text_bytes;
    macadam_trace_point point;
    int status; /* after it failed, nothing is read */
} gpx_reader;

/* The name without its prefix, such as gpxtpx: of Garmin's extension. */
static const char *local_name(const char *name)
{
    const char *const colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static void fail(gpx_reader *reader, const char *what, const char *text)
{
    if (reader->status != CLI_DONE) return;
    reader->status = cli_fail_usage("%s:%lu: %s: \"%s\"", reader->file->path,
                                    (unsigned long)XML_GetCurrentLineNumber(reader->parser), what, text);
    XML_StopParser(reader->parser, XML_FALSE);
}

static void take_number(gpx_reader *reader, const char *text, double *out)
{
    if (!mcd_number_decimal(text, strlen(text), out)) fail(reader, "not a number", text);
}

/* ---- tracks ---- */

static void begin_point(gpx_reader *reader, const char **attribute)
{
    reader->point = cli_trace_point_unknown();
    for (; attribute[0]; attribute += 2) {
        if (strcmp(attribute[0], "lon") == 0) take_number(reader, attribute[1], &reader->point.lon);
        if (strcmp(attribute[0], "lat") == 0) take_number(reader, attribute[1], &reader->point.lat);
    }
    reader->in_point = true;
}

/* ---- what expat calls ---- */

static void XMLCALL begin_element(void *context, const XML_Char *full_name, const XML_Char **attribute)
{
    gpx_reader *const reader = context;
    const char *const name = local_name(full_name);
    reader->text_bytes = 0;
    reader->text[0] = '\0';
    if (strcmp(name, "trk") == 0) {
        ++reader->track_count;
        reader->segment_count = 0;
        reader->name[0] = '\0';
        reader->in_track = true;
    } else if (strcmp(name, "trkseg") == 0 && reader->in_track) {
        char full[2 * TEXT_BYTES];
        ++reader->segment_count;
        if (reader->name[0])
            snprintf(full, sizeof full, "%s", reader->name);
        else
            snprintf(full, sizeof full, "%zu", reader->track_count);
        if (reader->segment_count > 1)
            snprintf(full + strlen(full), sizeof full - strlen(full), " (%zu)", reader->segment_count);
        cli_traces_begin(reader->traces, full, strlen(full));
        reader->in_segment = true;
    } else if (strcmp(name, "trkpt") == 0 && reader->in_segment) {
        begin_point(reader, attribute);
    }
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

static void XMLCALL end_element(void *context, const XML_Char *full_name)
{
    gpx_reader *const reader = context;
    const char *const name = local_name(full_name);
    while (reader->text_bytes > 0 && is_blank(reader->text[reader->text_bytes - 1])) --reader->text_bytes;
    reader->text[reader->text_bytes] = '\0';
    if (strcmp(name, "trkpt") == 0 && reader->in_point) {
        cli_traces_add(reader->traces, &reader->point);
        reader->in_point = false;
    } else if (reader->in_point) {
        /* A member of a point. Its course is not taken: receivers make one up while they stand. */
        const char *const text = reader->text;
        if (strcmp(name, "time") == 0 && !cli_timestamp_read(text, reader->text_bytes, &reader->point.time_s))
            fail(reader, "not a timestamp of ISO 8601", text);
        if (strcmp(name, "speed") == 0) take_number(reader, text, &reader->point.speed_ms);
    } else if (strcmp(name, "trkseg") == 0) {
        reader->in_segment = false;
    } else if (strcmp(name, "trk") == 0) {
        reader->in_track = false;
    } else if (strcmp(name, "name") == 0 && reader->in_track && !reader->in_segment) {
        /* A name that was cut off does not end within a character. */
        size_t bytes = reader->text_bytes;
        if (bytes == TEXT_BYTES - 1)
            while (bytes > 0 && (unsigned char)reader->text[bytes - 1] >= 0x80) --bytes;
        memcpy(reader->name, reader->text, bytes);
        reader->name[bytes] = '\0';
    }
    reader->text_bytes = 0;
    reader->text[0] = '\0';
}

static void XMLCALL add_text(void *context, const XML_Char *text, int bytes)
{
    gpx_reader *const reader = context;
    for (int i = 0; i < bytes && reader->text_bytes + 1 < sizeof reader->text; ++i) {
        if (reader->text_bytes == 0 && is_blank(text[i])) continue;
        reader->text[reader->text_bytes++] = text[i];
    }
    reader->text[reader->text_bytes] = '\0';
}

/* In pieces, since expat counts bytes in an int. */
static enum XML_Status parse(gpx_reader *reader)
{
    const cli_csv *const file = reader->file;
    for (size_t at = file->next; at < file->bytes; at += PIECE_BYTES) {
        const size_t left = file->bytes - at;
        const bool is_last = left <= PIECE_BYTES;
        const enum XML_Status status =
            XML_Parse(reader->parser, file->text + at, (int)(is_last ? left : PIECE_BYTES), is_last);
        if (status != XML_STATUS_OK) return status;
    }
    return XML_STATUS_OK;
}

int cli_trace_read_gpx(cli_traces *out, const cli_csv *file)
{
    gpx_reader reader = {.parser = XML_ParserCreate(NULL), .file = file, .traces = out};
    if (!reader.parser)
        return cli_fail(CLI_RESOURCE, macadam_status_name(MACADAM_E_MEMORY), "not enough memory");
    XML_SetUserData(reader.parser, &reader);
    XML_SetElementHandler(reader.parser, begin_element, end_element);
    XML_SetCharacterDataHandler(reader.parser, add_text);
    if (parse(&reader) != XML_STATUS_OK && reader.status == CLI_DONE)
        reader.status =
            cli_fail_usage("%s:%lu: %s", file->path, (unsigned long)XML_GetCurrentLineNumber(reader.parser),
                           XML_ErrorString(XML_GetErrorCode(reader.parser)));
    XML_ParserFree(reader.parser);
    return reader.status;
}
