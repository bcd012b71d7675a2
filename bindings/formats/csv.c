/* csv.c - see csv.h. */
#include "bindings/formats/csv.h"

#include <string.h>

static void choose_separator(mcd_csv *csv)
{
    static const char candidate[] = {',', ';', '\t'};
    size_t count[sizeof candidate] = {0}, best = 0;
    bool quoted = false;
    for (size_t i = csv->next; i < csv->bytes && (quoted || csv->text[i] != '\n'); ++i) {
        quoted ^= csv->text[i] == '"';
        for (size_t c = 0; c < sizeof candidate && !quoted; ++c) count[c] += csv->text[i] == candidate[c];
    }
    for (size_t c = 1; c < sizeof candidate; ++c)
        if (count[c] > count[best]) best = c;
    csv->separator = candidate[best];
}

static bool is_blank(const mcd_csv *csv, char c)
{
    return (c == ' ' || c == '\t' || c == '\r') && c != csv->separator;
}

static size_t skip_blanks(const mcd_csv *csv, size_t at)
{
    while (at < csv->bytes && is_blank(csv, csv->text[at])) ++at;
    return at;
}

static bool ends_field(const mcd_csv *csv, size_t at)
{
    return at == csv->bytes || csv->text[at] == '\n' || csv->text[at] == csv->separator;
}

/* The text between quotes, of which the first one is at `begin`; doubled quotes become one. Moves *at past
 * the last one. Returns false if there is none. */
static bool cut_quoted(mcd_csv *csv, size_t begin, mcd_csv_field *field, size_t *at)
{
    size_t to = begin + 1;
    for (size_t i = begin + 1; i < csv->bytes; ++i) {
        if (csv->text[i] == '"' && (i + 1 == csv->bytes || csv->text[i + 1] != '"')) {
            *field = (mcd_csv_field){csv->text + begin + 1, to - begin - 1};
            *at = i + 1;
            return true;
        }
        i += csv->text[i] == '"';
        csv->next_line += csv->text[i] == '\n';
        csv->text[to++] = csv->text[i];
    }
    return false;
}

static bool fail(mcd_csv *csv, const char *fault, const mcd_csv_field *field)
{
    csv->fault = fault, csv->wrong = field;
    return false;
}

/* Cuts off the field that begins at csv->next, and moves there to what ends it. */
static bool cut_field(mcd_csv *csv, mcd_csv_field *field)
{
    const size_t begin = skip_blanks(csv, csv->next);
    size_t end = begin;
    if (begin < csv->bytes && csv->text[begin] == '"') {
        *field = (mcd_csv_field){csv->text + begin, 1};
        if (!cut_quoted(csv, begin, field, &end)) return fail(csv, "a quote without its end", field);
        csv->next = end = skip_blanks(csv, end);
        return ends_field(csv, end) || fail(csv, "text after a field in quotes", field);
    }
    while (!ends_field(csv, end)) ++end;
    csv->next = end;
    while (end > begin && is_blank(csv, csv->text[end - 1])) --end;
    *field = (mcd_csv_field){csv->text + begin, end - begin};
    return !memchr(field->text, '"', field->bytes) || fail(csv, "a quote within a field", field);
}

static bool cut_record(mcd_csv *csv)
{
    bool more = true;
    csv->field_count = 0;
    csv->line = csv->next_line;
    while (more) {
        if (csv->field_count == MCD_CSV_FIELDS_MAX)
            return fail(csv, "more than 256 fields", &csv->field[csv->field_count - 1]);
        if (!cut_field(csv, &csv->field[csv->field_count++])) return false;
        more = csv->next < csv->bytes && csv->text[csv->next] == csv->separator;
        csv->next_line += csv->next < csv->bytes && !more;
        ++csv->next;
    }
    return true;
}

size_t mcd_csv_mark_bytes(const char *text, size_t bytes)
{
    static const char mark[] = "\xef\xbb\xbf";
    return bytes >= sizeof mark - 1 && memcmp(text, mark, sizeof mark - 1) == 0 ? sizeof mark - 1 : 0;
}

bool mcd_csv_next(mcd_csv *csv)
{
    if (!csv->separator) choose_separator(csv);
    while (csv->next < csv->bytes) {
        if (!cut_record(csv)) return false;
        if (csv->field_count > 1 || csv->field[0].bytes > 0) return true;
    }
    return false;
}
