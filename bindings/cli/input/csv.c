/* csv.c - see csv.h. A file is read whole. */
#include "bindings/cli/input/csv.h"
#include "bindings/cli/compressed.h"
#include "bindings/cli/output/failure.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

enum { FIRST_BYTES = 1 << 16, FIELD_SHOWN = 80 };

static int fail_read(const char *path)
{
    const bool starved = errno == ENOMEM;
    return cli_fail(starved ? CLI_RESOURCE : CLI_INPUT,
                    macadam_status_name(starved ? MACADAM_E_MEMORY : MACADAM_E_IO), "%s: %s", path,
                    strerror(errno));
}

/* Reads to the end, so that pipes serve as well as files; of what is not text, hardly more than the first NUL. */
static bool read_all(cli_csv *csv, FILE *stream)
{
    size_t capacity = 0, before;
    do {
        before = csv->bytes;
        if (csv->bytes == capacity) {
            capacity = capacity ? 2 * capacity : FIRST_BYTES;
            csv->text = cli_reallocate(csv->text, capacity, 1);
        }
        csv->bytes += fread(csv->text + csv->bytes, 1, capacity - csv->bytes, stream);
    } while (
        !feof(stream) && !ferror(stream) &&
        (cli_is_compressed(csv->text, csv->bytes) || !memchr(csv->text + before, 0, csv->bytes - before)));
    return !ferror(stream);
}

/* UTF-16, which spreadsheets call "Unicode text". */
static bool is_utf16(const cli_csv *csv)
{
    return csv->bytes >= 2 &&
           (memcmp(csv->text, "\xff\xfe", 2) == 0 || memcmp(csv->text, "\xfe\xff", 2) == 0);
}

int cli_csv_open(cli_csv *csv, const char *path, const char *first)
{
    const bool piped = strcmp(path, "-") == 0;
    *csv = (cli_csv){.path = piped ? "standard input" : path, .next_line = 1};
    FILE *const stream = piped ? stdin : fopen(path, "rb");
    if (!stream) return fail_read(path);
    int status = read_all(csv, stream) ? CLI_DONE : fail_read(csv->path);
    if (!piped) fclose(stream);
    if (status == CLI_DONE && cli_is_compressed(csv->text, csv->bytes) &&
        !cli_decompress(&csv->text, &csv->bytes))
        status = cli_fail(CLI_INPUT, macadam_status_name(MACADAM_E_FILE),
                          "%s: the compressed data are damaged or cut off", csv->path);
    if (status == CLI_DONE && is_utf16(csv))
        status = cli_fail_usage("%s: the text is UTF-16; save it as UTF-8", csv->path);
    else if (status == CLI_DONE && memchr(csv->text, 0, csv->bytes))
        status = cli_fail_usage("%s: not a text: it contains NUL", csv->path);
    csv->next = mcd_csv_mark_bytes(csv->text, csv->bytes);
    return status == CLI_DONE && first ? cli_csv_first(csv, first) : status;
}

int cli_csv_fail(const cli_csv *csv, const cli_field *field, const char *what)
{
    const int shown = field->bytes > FIELD_SHOWN ? FIELD_SHOWN : (int)field->bytes;
    return cli_fail_usage("%s:%zu: %s: \"%.*s\"", csv->path, csv->line, what, shown, field->text);
}

int cli_csv_json(const cli_csv *csv, cJSON **out)
{
    const char *const first = csv->text + csv->next, *const last = csv->text + csv->bytes, *end = first;
    cJSON *const json =
        first < last ? cJSON_ParseWithLengthOpts(first, (size_t)(last - first), &end, false) : NULL;
    size_t line = 1;
    while (json && end < last && strchr(" \t\r\n", *end)) ++end;
    *out = json;
    if (json && end == last) return CLI_DONE;
    for (const char *at = first; at < end; ++at) line += *at == '\n';
    const char *const wrong = json ? "text after the end of the JSON" : "not JSON";
    cJSON_Delete(json);
    return cli_fail_usage("%s:%zu: %s", csv->path, line, wrong);
}

/* ---- records ---- */

bool cli_csv_next(cli_csv *csv)
{
    if (mcd_csv_next(csv)) {
        if (!csv->expected || csv->field_count == csv->expected) return true;
        csv->status = cli_fail_usage("%s:%zu: %zu field%s, but the first line has %zu", csv->path, csv->line,
                                     csv->field_count, csv->field_count == 1 ? "" : "s", csv->expected);
    } else if (csv->fault)
        csv->status = cli_csv_fail(csv, csv->wrong, csv->fault);
    return false;
}

int cli_csv_first(cli_csv *csv, const char *first)
{
    if (cli_csv_next(csv)) return CLI_DONE;
    return csv->status != CLI_DONE ? csv->status : cli_fail_usage("%s: no %s", csv->path, first);
}

size_t cli_csv_lines_left(const cli_csv *csv)
{
    size_t lines = 1;
    for (size_t i = csv->next; i < csv->bytes; ++i) lines += csv->text[i] == '\n';
    return lines;
}

/* ---- columns ---- */

static bool is_text(const char *a, const char *b, size_t bytes)
{
    return strncasecmp(a, b, bytes) == 0;
}

bool cli_field_is(const cli_field *field, const char *text)
{
    return strlen(text) == field->bytes && is_text(text, field->text, field->bytes);
}

static bool is_named(const cli_field *field, const char *prefix, const char *names)
{
    const size_t skip = strlen(prefix);
    if (field->bytes < skip || !is_text(field->text, prefix, skip)) return false;
    while (*names) {
        const size_t bytes = strcspn(names, " ");
        if (bytes == field->bytes - skip && is_text(field->text + skip, names, bytes)) return true;
        names += bytes + (names[bytes] == ' ');
    }
    return false;
}

static int find_column(const cli_csv *csv, const cli_column *column)
{
    *column->at = CLI_CSV_NO_COLUMN;
    for (size_t i = 0; i < csv->field_count; ++i) {
        if (!is_named(&csv->field[i], column->prefix, column->names)) continue;
        if (*column->at != CLI_CSV_NO_COLUMN)
            return cli_csv_fail(csv, &csv->field[i], "a second column of the same meaning");
        *column->at = i;
    }
    return CLI_DONE;
}

int cli_csv_header(cli_csv *csv, const cli_column *column, size_t count)
{
    csv->expected = csv->field_count;
    for (size_t i = 0; i < count; ++i) CLI_TRY(find_column(csv, &column[i]));
    return CLI_DONE;
}
