/* polyline.c - lines as encoded polylines: each number is the difference from the one before, in zigzag, five
 * bits a character, the low ones first. */
#include "bindings/formats/polyline.h"

#include <stdio.h>

static macadam_status check(macadam_text *out, const void *answer, unsigned decimals, macadam_error *error)
{
    const macadam_status status = mcd_text_check(out, answer, error);
    if (status || decimals == 5 || decimals == 6) return status;
    if (error)
        snprintf(error->message, sizeof error->message, "polylines have 5 or 6 decimals, not %u", decimals);
    return MACADAM_E_INVALID;
}

enum { NUMBER_BYTES = 14 }; /* 64 bits, five a character, the last one perhaps escaped */

/* Writes a number at `to`; returns where it ends. */
static inline char *put_number(char *to, int64_t delta, bool in_string)
{
    uint64_t rest = delta < 0 ? ~((uint64_t)delta << 1) : (uint64_t)delta << 1;
    for (; rest >= 0x20; rest >>= 5) *to++ = (char)(((rest & 0x1f) | 0x20) + 63);
    *to++ = (char)(rest + 63);
    if (in_string && to[-1] == '\\') *to++ = '\\'; /* no other one can be */
    return to;
}

void mcd_polyline_add(mcd_polyline *line, const double *lon, const double *lat, size_t count)
{
    const bool in_string = line->in_string;
    const double scale = line->scale;
    for (size_t i = 0; i < count; ++i) {
        const int64_t scaled_lon = mcd_text_round(lon[i] * scale),
                      scaled_lat = mcd_text_round(lat[i] * scale);
        char *const begin = mcd_text_room(line->text, 2 * NUMBER_BYTES);
        if (!begin) return;
        char *end = put_number(begin, scaled_lat - line->lat, in_string);
        end = put_number(end, scaled_lon - line->lon, in_string);
        line->text->size += (size_t)(end - begin);
        line->lon = scaled_lon;
        line->lat = scaled_lat;
    }
}

void mcd_polyline_write(mcd_text *text, const mcd_line *line, double scale, bool in_string)
{
    mcd_polyline polyline = {.text = text, .scale = scale, .in_string = in_string};
    text->failed = text->failed || line->failed;
    for (size_t i = 0; i < line->count; ++i)
        mcd_polyline_add(&polyline, &line->point[i].lon, &line->point[i].lat, 1);
}

macadam_status macadam_format_polyline(macadam_text *out, const double *lon, const double *lat,
                                       size_t point_count, unsigned decimals, macadam_error *error)
{
    const bool is_given = point_count == 0 || (lon && lat);
    const macadam_status status = check(out, is_given ? out : NULL, decimals, error);
    if (status) return status;
    mcd_text text = {0};
    mcd_polyline line = {.text = &text, .scale = decimals == 6 ? 1e6 : 1e5};
    mcd_polyline_add(&line, lon, lat, point_count);
    return mcd_text_finish(&text, out, error);
}

macadam_status macadam_format_route_polyline(macadam_text *out, const macadam_route *route, unsigned decimals,
                                             macadam_error *error)
{
    const macadam_status status = check(out, route, decimals, error);
    if (status) return status;
    mcd_text text = {0};
    mcd_line line = {0};
    mcd_line_add_route(&line, route);
    mcd_polyline_write(&text, &line, decimals == 6 ? 1e6 : 1e5, false);
    mcd_line_free(&line);
    return mcd_text_finish(&text, out, error);
}
