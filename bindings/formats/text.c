/* text.c - see text.h. No number passes through printf, whose decimal point depends on the locale. */
#include "bindings/formats/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DECIMALS = 7 /* of coordinates: a centimetre */ };

static bool reserve(mcd_text *text, size_t more)
{
    if (text->failed) return false;
    if (text->capacity - text->size > more) return true;
    const size_t capacity = 2 * (text->size + more) + 256;
    char *const moved = realloc(text->data, capacity);
    text->failed = !moved;
    if (!moved) return false;
    text->data = moved;
    text->capacity = capacity;
    return true;
}

void mcd_text_bytes(mcd_text *text, const char *data, size_t size)
{
    if (!reserve(text, size)) return;
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

char *mcd_text_room(mcd_text *text, size_t bytes)
{
    return reserve(text, bytes) ? text->data + text->size : NULL;
}

void mcd_text_add(mcd_text *text, const char *plain)
{
    mcd_text_bytes(text, plain, strlen(plain));
}

void mcd_text_comma(mcd_text *text)
{
    const char last = text->size > 0 ? text->data[text->size - 1] : '[';
    if (last != '{' && last != '[') mcd_text_bytes(text, ",", 1);
}

void mcd_text_integer(mcd_text *text, int64_t value)
{
    mcd_text_decimal(text, value, 0);
}

void mcd_text_decimal(mcd_text *text, int64_t scaled, unsigned decimals)
{
    char digits[2 + 20 + 20]; /* sign, digits, point and zeros before the first digit */
    size_t first = sizeof digits;
    uint64_t rest = scaled < 0 ? 0 - (uint64_t)scaled : (uint64_t)scaled;
    for (; decimals > 0 && rest % 10 == 0; --decimals) rest /= 10;
    for (unsigned i = 0; i < decimals; ++i, rest /= 10) digits[--first] = (char)('0' + rest % 10);
    if (decimals > 0) digits[--first] = '.';
    do {
        digits[--first] = (char)('0' + rest % 10);
    } while ((rest /= 10) > 0);
    if (scaled < 0) digits[--first] = '-';
    mcd_text_bytes(text, digits + first, sizeof digits - first);
}

void mcd_text_cost(mcd_text *text, uint64_t value, uint32_t per_unit)
{
    unsigned decimals = 0;
    for (uint32_t unit = per_unit; unit >= 10; unit /= 10) ++decimals;
    if (value == MACADAM_UNREACHED)
        mcd_text_add(text, "null");
    else
        mcd_text_decimal(text, (int64_t)value, decimals);
}

static bool is_plain(char character)
{
    return (unsigned char)character >= ' ' && character != '"' && character != '\\';
}

void mcd_text_string(mcd_text *text, const char *string)
{
    mcd_text_bytes(text, "\"", 1);
    for (const char *at = string; *at;) {
        size_t plain = 0;
        while (is_plain(at[plain])) ++plain; /* a zero is not */
        mcd_text_bytes(text, at, plain);
        at += plain;
        if (!*at) break;
        char escaped[8] = {'\\', *at, 0};
        if (*at != '"' && *at != '\\')
            snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)(unsigned char)*at & 0x1fU);
        mcd_text_add(text, escaped);
        ++at;
    }
    mcd_text_bytes(text, "\"", 1);
}

void mcd_text_name(mcd_text *text, const char *name)
{
    mcd_text_comma(text);
    mcd_text_string(text, name);
    mcd_text_bytes(text, ":", 1);
}

void mcd_text_position(mcd_text *text, double lon, double lat)
{
    mcd_text_add(text, "[");
    mcd_text_decimal(text, llround(lon * 1e7), DECIMALS);
    mcd_text_add(text, ",");
    mcd_text_decimal(text, llround(lat * 1e7), DECIMALS);
    mcd_text_add(text, "]");
}

macadam_status mcd_text_finish(mcd_text *text, macadam_text *out, macadam_error *error)
{
    if (reserve(text, 0)) {
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

macadam_status mcd_text_adopt_options(macadam_format_options *own, const macadam_format_options *options,
                                      size_t quantity_count, macadam_error *error)
{
    const size_t size = options ? options->size : 0;
    *own = (macadam_format_options)MACADAM_FORMAT_OPTIONS_INIT;
    if (size >= sizeof size && size <= sizeof *own) memcpy(own, options, size);
    if (size >= sizeof size && size <= sizeof *own && own->quantity_count >= quantity_count &&
        own->quantity_count <= MACADAM_QUANTITIES_MAX && (own->quantity || own->quantity_count == 0))
        return MACADAM_OK;
    if (error)
        snprintf(error->message, sizeof error->message,
                 "format options of %zu bytes and %zu quantities: initialize them", size,
                 own->quantity_count);
    return MACADAM_E_INVALID;
}

uint32_t mcd_text_per_unit(const macadam_format_options *options, size_t quantity)
{
    return options->per_unit ? options->per_unit[quantity] : 1;
}

void mcd_text_costs(mcd_text *text, const macadam_format_options *options, const uint32_t *value)
{
    for (size_t q = 0; q < options->quantity_count; ++q) {
        mcd_text_name(text, options->quantity[q]);
        mcd_text_cost(text, value[q], mcd_text_per_unit(options, q));
    }
}

/* ---- members of objects ---- */

void mcd_text_put_integer(mcd_text *text, const char *name, int64_t value)
{
    mcd_text_name(text, name);
    mcd_text_integer(text, value);
}

void mcd_text_put_decimal(mcd_text *text, const char *name, double value, unsigned decimals)
{
    mcd_text_name(text, name);
    mcd_text_decimal(text, llround(value * pow(10, decimals)), decimals);
}

void mcd_text_put_string(mcd_text *text, const char *name, const char *value)
{
    mcd_text_name(text, name);
    mcd_text_string(text, value);
}

void mcd_text_begin(mcd_text *text, const char *name, const char *bracket)
{
    if (name)
        mcd_text_name(text, name);
    else
        mcd_text_comma(text);
    mcd_text_add(text, bracket);
}
