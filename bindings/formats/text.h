/* text.h - text that grows while JSON is written into it. */
#ifndef MCD_BINDINGS_FORMATS_TEXT_H
#define MCD_BINDINGS_FORMATS_TEXT_H

#include "bindings/formats/macadam_formats.h"

#include <string.h>

typedef struct mcd_text {
    char *data;
    size_t size, capacity;
    bool failed;                    /* memory ran out; nothing is appended any more */
    macadam_format_options options; /* how costs and steps are written */
} mcd_text;

bool mcd_text_grow(mcd_text *text, size_t more);

/* Whether more than `more` bytes fit after the text. */
static inline bool mcd_text_reserve(mcd_text *text, size_t more)
{
    return (!text->failed && text->capacity - text->size > more) || mcd_text_grow(text, more);
}

static inline void mcd_text_bytes(mcd_text *text, const char *data, size_t size)
{
    if (!mcd_text_reserve(text, size)) return;
    memcpy(text->data + text->size, data, size);
    text->size += size;
}

static inline void mcd_text_add(mcd_text *text, const char *plain)
{
    mcd_text_bytes(text, plain, strlen(plain));
}

/* Adds a comma unless an object or array has just begun. */
static inline void mcd_text_comma(mcd_text *text)
{
    const char last = text->size > 0 ? text->data[text->size - 1] : '[';
    if (last != '{' && last != '[') mcd_text_bytes(text, ",", 1);
}

/* llround without a call of the library, for numbers that fit. */
static inline int64_t mcd_text_round(double value)
{
    const int64_t whole = (int64_t)value;
    const double rest = value - (double)whole;
    return whole + (rest >= 0.5) - (rest <= -0.5);
}

/* Where `bytes` bytes may be written after the text, which then grows by what was written: text->size; NULL if
 * memory runs out. */
static inline char *mcd_text_room(mcd_text *text, size_t bytes)
{
    return mcd_text_reserve(text, bytes) ? text->data + text->size : NULL;
}

void mcd_text_integer(mcd_text *text, int64_t value);
/* scaled / 10^decimals, with all its decimals, and without zeros at its end. */
void mcd_text_fixed(mcd_text *text, int64_t scaled, unsigned decimals);
void mcd_text_decimal(mcd_text *text, int64_t scaled, unsigned decimals);
/* Writes the value, rounded to a number of decimals, without trailing zeros; null if it is infinite, is not a
 * number, or does not fit 64 bits with its decimals. */
void mcd_text_number(mcd_text *text, double value, unsigned decimals);
/* Which of the file's quantities has the name; info->quantity_count if none has. */
size_t mcd_text_find_quantity(const macadam_info *info, const char *name);
/* Whether the file has the quantity, and it may be negative. */
bool mcd_text_is_signed(const macadam_info *info, const char *name);
/* Which stop of the request has to be the first or the last one of a trip, but is left out; SIZE_MAX if none is. */
size_t mcd_text_missing_end(const macadam_trip_request *request, const macadam_trip *trip);
/* How many decimals costs have that are divided by a power of ten. */
unsigned mcd_text_decimals(uint32_t per_unit);
/* cost / per_unit; null if `cost` is MACADAM_COST_NONE. */
void mcd_text_cost(mcd_text *text, int64_t cost, uint32_t per_unit);
/* In quotes, escaped. */
void mcd_text_quoted(mcd_text *text, const char *string, size_t length);

static inline void mcd_text_string(mcd_text *text, const char *string)
{
    mcd_text_quoted(text, string, strlen(string));
}

/* Copies a string for a terminal, as far as there is room: a control character, and a byte that is not UTF-8, becomes its
 * code, such as \x1b. */
void mcd_text_show(char *out, size_t room, const char *string);
/* Appends JSON as printf would, with ' for " and directives for whole values: %s is a string in quotes, escaped, or
 * null; %i is true or false; %d, %u, %zu and the like are numbers; %.6f is as mcd_text_number. A comma comes first if the
 * format begins with ', {, [ or %, and the text is not empty and does not end with {, [ or :. (jansson's json_pack) */
void mcd_text_json(mcd_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* [longitude,latitude] */
void mcd_text_position(mcd_text *text, double lon, double lat);
/* [longitude,latitude,height] with the height in metres; without it if it is NaN. */
void mcd_text_point(mcd_text *text, double lon, double lat, double height_m);

/* Hands the text over; on failure frees it. */
macadam_status mcd_text_finish(mcd_text *text, macadam_text *out, macadam_error *error);

/* Empties *out. Returns E_INVALID if it or what is to be written into it is NULL. */
macadam_status mcd_text_check(macadam_text *out, const void *answer, macadam_error *error);
/* Checks both, and begins a text with a copy of `options`, which may be older than this library;
 * `quantity_count` is how many the answer needs at least. */
macadam_status mcd_text_open(mcd_text *text, macadam_text *out, const void *answer,
                             const macadam_format_options *options, size_t quantity_count,
                             macadam_error *error);
/* "name":cost for each quantity of the text's options. */
void mcd_text_costs(mcd_text *text, const uint32_t *value);
/* The value of one of these quantities. */
void mcd_text_value(mcd_text *text, size_t quantity, uint32_t value);

#endif
