/* csv.c - reads CSV: the file is read whole, lines are cut into fields where they lie. */
#include "bindings/cli/csv.h"
#include "bindings/cli/failure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 1 << 16, FIELD_SHOWN = 80 };

static int fail_read(const char *path)
{
    return cli_fail(CLI_INPUT, macadam_status_name(MACADAM_E_IO), "%s: %s", path, strerror(errno));
}

/* Reads to the end, so that pipes serve as well as files. */
static bool read_all(cli_csv *csv, FILE *stream)
{
    size_t capacity = 0;
    do {
        if (csv->bytes == capacity) {
            capacity = capacity ? 2 * capacity : FIRST_BYTES;
            csv->text = cli_reallocate(csv->text, capacity, 1);
        }
        csv->bytes += fread(csv->text + csv->bytes, 1, capacity - csv->bytes, stream);
    } while (!feof(stream) && !ferror(stream));
    return !ferror(stream);
}

int cli_csv_open(cli_csv *csv, const char *path)
{
    *csv = (cli_csv){.path = path};
    FILE *const stream = fopen(path, "rb");
    if (!stream) return fail_read(path);
    const int status = read_all(csv, stream) ? CLI_DONE : fail_read(path);
    fclose(stream);
    if (status != CLI_DONE) {
        cli_csv_close(csv);
    } else if (csv->bytes >= 3 && memcmp(csv->text, "\xef\xbb\xbf", 3) == 0) {
        csv->next = 3;
    }
    return status;
}

void cli_csv_close(cli_csv *csv)
{
    free(csv->text);
    csv->text = NULL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static cli_field trimmed(const char *begin, const char *end)
{
    while (begin < end && is_blank(*begin)) ++begin;
    while (begin < end && is_blank(end[-1])) --end;
    return (cli_field){begin, (size_t)(end - begin)};
}

int cli_csv_fail(const cli_csv *csv, const cli_field *field, const char *what)
{
    const int shown = field->bytes > FIELD_SHOWN ? FIELD_SHOWN : (int)field->bytes;
    return cli_fail_usage("%s:%zu: %s: \"%.*s\"", csv->path, csv->line, what, shown, field->text);
}

/* Cuts off the field that begins at `cursor`; returns where the next one begins, or NULL after the last. */
static const char *cut_field(cli_field *field, const char *cursor, const char *end)
{
    const char *begin = cursor, *stop;
    while (begin < end && is_blank(*begin)) ++begin;
    const char *const quote =
        begin < end && *begin == '"' ? memchr(begin + 1, '"', (size_t)(end - begin - 1)) : NULL;
    stop = memchr(quote ? quote : begin, ',', (size_t)(end - (quote ? quote : begin)));
    *field = trimmed(begin, stop ? stop : end);
    if (quote && field->text + field->bytes == quote + 1) {
        ++field->text;
        field->bytes -= 2;
    }
    return stop ? stop + 1 : NULL;
}

static int cut_line(cli_csv *csv, const char *begin, const char *end)
{
    csv->field_count = 0;
    do {
        if (csv->field_count == CLI_CSV_FIELDS_MAX) {
            return cli_fail_usage("%s:%zu: more than %d fields", csv->path, csv->line, CLI_CSV_FIELDS_MAX);
        }
        cli_field *const field = &csv->field[csv->field_count++];
        begin = cut_field(field, begin, end);
        if (memchr(field->text, '"', field->bytes)) return cli_csv_fail(csv, field, "a quote within a field");
    } while (begin);
    return CLI_DONE;
}

int cli_csv_next(cli_csv *csv, bool *more)
{
    while (csv->next < csv->bytes) {
        const char *const begin = csv->text + csv->next;
        const char *const newline = memchr(begin, '\n', csv->bytes - csv->next);
        const char *const end = newline ? newline : csv->text + csv->bytes;
        csv->next = (size_t)(end - csv->text) + 1;
        ++csv->line;
        if (trimmed(begin, end).bytes == 0) continue;
        *more = true;
        return cut_line(csv, begin, end);
    }
    *more = false;
    return CLI_DONE;
}

size_t cli_csv_lines_left(const cli_csv *csv)
{
    size_t lines = 1;
    for (size_t i = csv->next; i < csv->bytes; ++i) lines += csv->text[i] == '\n';
    return lines;
}

bool cli_field_is(const cli_field *field, const char *text)
{
    return strlen(text) == field->bytes && memcmp(text, field->text, field->bytes) == 0;
}

bool cli_csv_line_is(const cli_csv *csv, const char *names)
{
    for (size_t i = 0; i < csv->field_count; ++i) {
        const size_t bytes = strcspn(names, ",");
        if (bytes != csv->field[i].bytes || memcmp(names, csv->field[i].text, bytes) != 0) return false;
        names += bytes;
        if (*names == ',')
            ++names;
        else if (i + 1 < csv->field_count)
            return false;
    }
    return *names == '\0';
}
