/* text.c - see text.h. No number passes through printf, whose decimal point depends on the locale. */
#include "bindings/formats/text.h"
#include "bindings/formats/digits.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    DECIMALS = 7,               /* of coordinates: a centimetre */
    NUMBER_BYTES = 2 + 20 + 20, /* at most: sign, digits, point, decimals; and room for digits too much */
};

bool mcd_text_grow(mcd_text *text, size_t more)
{
    if (text->failed) return false;
    const size_t capacity = 2 * (text->size + more) + 256;
    char *const moved = realloc(text->data, capacity);
    text->failed = !moved;
    if (!moved) return false;
    text->data = moved;
    text->capacity = capacity;
    return true;
}

void mcd_text_integer(mcd_text *text, int64_t value)
{
    mcd_text_fixed(text, value, 0);
}

/* Writes scaled / 10^decimals; returns where it ends, or NULL if memory runs out. */
static char *put_decimal(mcd_text *text, int64_t scaled, unsigned decimals)
{
    char *to = mcd_text_room(text, NUMBER_BYTES);
    if (!to) return NULL;
    uint64_t rest = scaled < 0 ? 0 - (uint64_t)scaled : (uint64_t)scaled, one = 1;
    if (scaled < 0) *to++ = '-';
    for (unsigned i = 0; i < decimals; ++i) one *= 10;
    to = mcd_digits_write(to, decimals ? rest / one : rest);
    if (decimals == 0) return to;
    *to = '.';
    rest %= one;
    for (unsigned i = decimals; i > 0; --i, rest /= 10) to[i] = (char)('0' + rest % 10);
    return to + 1 + decimals;
}

static void put_unsigned(mcd_text *text, uint64_t value)
{
    char *const to = mcd_text_room(text, NUMBER_BYTES);
    if (to) text->size = (size_t)(mcd_digits_write(to, value) - text->data);
}

void mcd_text_fixed(mcd_text *text, int64_t scaled, unsigned decimals)
{
    const char *const end = put_decimal(text, scaled, decimals);
    if (end) text->size = (size_t)(end - text->data);
}

void mcd_text_decimal(mcd_text *text, int64_t scaled, unsigned decimals)
{
    char *end = put_decimal(text, scaled, decimals);
    if (!end) return;
    while (decimals > 0 && end[-1] == '0') --end;
    text->size = (size_t)(end - text->data) - (end[-1] == '.');
}

void mcd_text_number(mcd_text *text, double value, unsigned decimals)
{
    double scale = 1;
    for (unsigned i = 0; i < decimals; ++i) scale *= 10;
    if (fabs(value * scale) < 0x1p63)
        mcd_text_decimal(text, mcd_text_round(value * scale), decimals);
    else
        mcd_text_add(text, "null");
}

size_t mcd_text_find_quantity(const macadam_info *info, const char *name)
{
    size_t i = 0;
    while (i < info->quantity_count && strcmp(info->quantity[i], name) != 0) ++i;
    return i;
}

bool mcd_text_is_signed(const macadam_info *info, const char *name)
{
    const size_t i = mcd_text_find_quantity(info, name);
    return i < info->quantity_count && info->is_signed[i];
}

static bool is_left_out(const macadam_snap *stop)
{
    return !macadam_place_is_found(stop->status) || stop->status == MACADAM_PLACE_UNREACHED;
}

size_t mcd_text_missing_end(const macadam_trip_request *request, const macadam_trip *trip)
{
    const size_t last = trip->stop_count - 1;
    if (request->from_first && is_left_out(&trip->stop[0])) return 0;
    return request->to_last && is_left_out(&trip->stop[last]) ? last : SIZE_MAX;
}

unsigned mcd_text_decimals(uint32_t per_unit)
{
    unsigned decimals = 0;
    for (; per_unit >= 10; per_unit /= 10) ++decimals;
    return decimals;
}

void mcd_text_cost(mcd_text *text, int64_t cost, uint32_t per_unit)
{
    if (cost == MACADAM_COST_NONE)
        mcd_text_add(text, "null");
    else
        mcd_text_decimal(text, cost, mcd_text_decimals(per_unit));
}

/* Whether one of eight bytes is not a plain character. */
static inline bool has_special(const char *eight)
{
    const uint64_t ones = UINT64_MAX / 0xff, high = 0x80 * ones;
    uint64_t word;
    memcpy(&word, eight, sizeof word);
    const uint64_t quote = word ^ '"' * ones, backslash = word ^ '\\' * ones;
    return (((word - ' ' * ones) & ~word) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
            word) &
           high;
}

static inline bool is_plain(char character)
{
    return (unsigned char)character >= ' ' && (unsigned char)character < 0x80 && character != '"' &&
           character != '\\';
}

/* Returns the length of the well-formed UTF-8 sequence (RFC 3629) of several bytes at the beginning; 0: there
 * is none. */
static size_t sequence_length(const char *string, size_t rest)
{
    const unsigned char *const at = (const unsigned char *)string;
    const unsigned lead = at[0];
    const size_t length = lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0;
    const unsigned least = lead == 0xe0 ? 0xa0 : 0x80, most = lead == 0xed ? 0x9f : 0xbf;
    if (length == 0 || length > rest || at[1] < least || at[1] > most) return 0;
    if ((lead == 0xf0 && at[1] < 0x90) || (lead == 0xf4 && at[1] > 0x8f)) return 0;
    for (size_t i = 2; i < length; ++i)
        if ((at[i] & 0xc0) != 0x80) return 0;
    return length;
}

/* Writes the character of a string at `out`; returns how many bytes that takes, at most ESCAPED_BYTES. */
enum { ESCAPED_BYTES = 6 };
static size_t put_escaped(char *out, char character)
{
    static const char hex[] = "0123456789abcdef";
    const unsigned code = (unsigned char)character;
    if (character == '"' || character == '\\') {
        out[0] = '\\';
        out[1] = character;
        return 2;
    }
    memcpy(out, "\\u00", 4);
    out[4] = hex[code >> 4];
    out[5] = hex[code & 0xf];
    return ESCAPED_BYTES;
}

void mcd_text_quoted(mcd_text *text, const char *string, size_t length)
{
    size_t plain = 0; /* characters at the beginning, at least */
    while (length - plain >= 8 && !has_special(string + plain)) plain += 8;
    while (plain < length && is_plain(string[plain])) ++plain;
    if (!mcd_text_reserve(text, plain + (length - plain) * ESCAPED_BYTES + 2)) return;
    char *at = text->data + text->size;
    *at++ = '"';
    memcpy(at, string, plain);
    at += plain;
    for (size_t i = plain, sequence; i < length; ++i) {
        if ((unsigned char)string[i] < 0x80 && !is_plain(string[i])) {
            at += put_escaped(at, string[i]);
        } else if (is_plain(string[i]) || (sequence = sequence_length(string + i, length - i)) == 0) {
            *at++ = is_plain(string[i]) ? string[i] : '?'; /* JSON is UTF-8, ids of users may not be */
        } else {
            memcpy(at, string + i, sequence);
            at += sequence, i += sequence - 1;
        }
    }
    *at++ = '"';
    text->size = (size_t)(at - text->data);
}

void mcd_text_show(char *out, size_t room, const char *string)
{
    char *const end = out + room - ESCAPED_BYTES;
    for (size_t rest = strlen(string), bytes; rest > 0 && out < end; string += bytes, rest -= bytes) {
        const unsigned char lead = (unsigned char)string[0];
        bytes = lead < 0x80 ? lead >= ' ' && lead != 0x7f : sequence_length(string, rest);
        if (bytes == 0 || (lead == 0xc2 && (unsigned char)string[1] < 0xa0)) {
            out += sprintf(out, "\\x%02x", lead);
            bytes = 1;
        } else {
            out = (char *)memcpy(out, string, bytes) + bytes;
        }
    }
    *out = '\0';
}

/* Writes the next argument, as the directive says after its %; returns where that ends. */
static const char *put_argument(mcd_text *text, const char *directive, va_list *arguments)
{
    char *end = (char *)directive;
    while (*end == 'l' || *end == 'z') ++end;
    const bool is_long = end > directive;
    if (*directive == '.') {
        const unsigned decimals = (unsigned)strtoul(directive + 1, &end, 10);
        mcd_text_number(text, va_arg(*arguments, double), decimals);
    } else if (*end == 's') {
        const char *const string = va_arg(*arguments, const char *);
        string ? mcd_text_string(text, string) : mcd_text_add(text, "null");
    } else if (*end == 'i') {
        mcd_text_add(text, va_arg(*arguments, int) ? "true" : "false");
    } else if (*end == 'u') {
        put_unsigned(text, is_long ? va_arg(*arguments, uint64_t) : va_arg(*arguments, unsigned));
    } else if (is_long) {
        mcd_text_integer(text, va_arg(*arguments, int64_t));
    } else {
        mcd_text_integer(text, va_arg(*arguments, int));
    }
    return end + 1;
}

static inline bool begins_member(char first)
{
    return first == '\'' || first == '{' || first == '[' || first == '%';
}

static inline bool opens_member(char last)
{
    return last == '{' || last == '[' || last == ':';
}

void mcd_text_json(mcd_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (text->size && begins_member(*format) && !opens_member(text->data[text->size - 1]))
        mcd_text_bytes(text, ",", 1);
    while (*format) {
        size_t plain = 0; /* too few for strcspn to be worth a call */
        while (format[plain] && format[plain] != '\'' && format[plain] != '%') ++plain;
        mcd_text_bytes(text, format, plain);
        format += plain;
        if (*format == '\'') mcd_text_bytes(text, "\"", 1), ++format;
        if (*format == '%') format = put_argument(text, format + 1, &arguments);
    }
    va_end(arguments);
}

void mcd_text_point(mcd_text *text, double lon, double lat, double height_m)
{
    mcd_text_bytes(text, "[", 1);
    mcd_text_decimal(text, mcd_text_round(lon * 1e7), DECIMALS);
    mcd_text_bytes(text, ",", 1);
    mcd_text_decimal(text, mcd_text_round(lat * 1e7), DECIMALS);
    if (!isnan(height_m)) {
        mcd_text_add(text, ",");
        mcd_text_decimal(text, mcd_text_round(height_m * 10), 1);
    }
    mcd_text_add(text, "]");
}

void mcd_text_position(mcd_text *text, double lon, double lat)
{
    mcd_text_point(text, lon, lat, NAN);
}

macadam_status mcd_text_finish(mcd_text *text, macadam_text *out, macadam_error *error)
{
    if (mcd_text_reserve(text, 0)) {
        text->data[text->size] = 0;
        *out = (macadam_text){text->data, text->size};
        return MACADAM_OK;
    }
    free(text->data);
    *out = (macadam_text){0};
    if (error) snprintf(error->message, sizeof error->message, "not enough memory for a text");
    return MACADAM_E_MEMORY;
}

void macadam_text_free(macadam_text *text)
{
    if (!text) return;
    free(text->data);
    *text = (macadam_text){0};
}

/* ---- costs ---- */

macadam_status mcd_text_check(macadam_text *out, const void *answer, macadam_error *error)
{
    if (out) *out = (macadam_text){0};
    if (out && answer) return MACADAM_OK;
    if (error)
        snprintf(error->message, sizeof error->message, "no %s",
                 out ? "answer to write" : "place for the text");
    return MACADAM_E_INVALID;
}

static bool has_names(const macadam_format_options *options)
{
    for (size_t q = 0; q < options->quantity_count; ++q)
        if (!options->quantity || !options->quantity[q]) return false;
    return true;
}

macadam_status mcd_text_open(mcd_text *text, macadam_text *out, const void *answer,
                             const macadam_format_options *options, size_t quantity_count,
                             macadam_error *error)
{
    const macadam_status status = mcd_text_check(out, answer, error);
    if (status) return status;
    const size_t size = options ? options->size : 0;
    macadam_format_options *const own = &text->options;
    *text = (mcd_text){.options = MACADAM_FORMAT_OPTIONS_INIT};
    if (size >= sizeof size && size <= sizeof *own) memcpy(own, options, size);
    if (size >= sizeof size && size <= sizeof *own && own->quantity_count >= quantity_count &&
        own->quantity_count <= MACADAM_QUANTITIES_MAX && has_names(own))
        return MACADAM_OK;
    if (error)
        snprintf(error->message, sizeof error->message,
                 "format options of %zu bytes and %zu quantities: initialize them", size,
                 own->quantity_count);
    return MACADAM_E_INVALID;
}

void mcd_text_value(mcd_text *text, size_t quantity, uint32_t value)
{
    const macadam_format_options *const options = &text->options;
    mcd_text_cost(text, macadam_cost(value, options->is_signed && options->is_signed[quantity]),
                  options->per_unit ? options->per_unit[quantity] : 1);
}

void mcd_text_costs(mcd_text *text, const uint32_t *value)
{
    for (size_t q = 0; q < text->options.quantity_count; ++q) {
        mcd_text_json(text, "%s:", text->options.quantity[q]);
        mcd_text_value(text, q, value[q]);
    }
}
