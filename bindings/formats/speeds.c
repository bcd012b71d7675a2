/* speeds.c - see speeds.h. The segments of a map are not kept, only a speed of each: every call lists the arcs again, so that
 * few entries cost little memory, and many can be given in parts. */
#include "bindings/formats/speeds.h"
#include "bindings/formats/scan.h"
#include "bindings/formats/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN = 80, FIRST_ELEMENTS = 1024 };
static const double not_given = -1;

/* ---- lines ---- */

static macadam_status fail_field(macadam_error *error, const char *what, const mcd_csv_field *field)
{
    const int shown = field->bytes > SHOWN ? SHOWN : (int)field->bytes;
    snprintf(error->message, sizeof error->message, "%s: \"%.*s\"", what, shown, field->text);
    return MACADAM_E_INVALID;
}

macadam_status mcd_speeds_read(int64_t *id, size_t id_count, double *number, const mcd_csv_field *field,
                               size_t field_count, macadam_error *error)
{
    const mcd_csv_field *const own = &field[id_count], *const last = &field[field_count - 1];
    double ignored;
    if (field_count < id_count + 1 || field_count > id_count + 2) {
        snprintf(error->message, sizeof error->message, "%zu fields, not %zu or %zu", field_count,
                 id_count + 1, id_count + 2);
        return MACADAM_E_INVALID;
    }
    for (size_t i = 0; i < id_count; ++i)
        if (!mcd_number_integer(field[i].text, field[i].bytes, &id[i]))
            return fail_field(error, "not the id of a node", &field[i]);
    if (!mcd_number_decimal(own->text, own->bytes, number) ||
        !(*number >= 0 && *number < MACADAM_WEIGHT_MAX / 1000.0))
        return fail_field(error, "not a number from 0 to 2147483", own);
    if (last != own && !mcd_number_decimal(last->text, last->bytes, &ignored))
        return fail_field(error, "not a number", last);
    return MACADAM_OK;
}

/* ---- segments ---- */

static int compare_segments(const void *a, const void *b)
{
    const mcd_segment *const x = a, *const y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->to != y->to) return x->to < y->to ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

/* The first of sorted segments that is not before `wanted`. */
static size_t find_first(const mcd_segment *segment, size_t count, const mcd_segment *wanted)
{
    size_t first = 0;
    while (count > 0) {
        const size_t half = count / 2;
        const bool is_before = compare_segments(&segment[first + half], wanted) < 0;
        first = is_before ? first + half + 1 : first;
        count = is_before ? count - half - 1 : half;
    }
    return first;
}

static size_t segment_count(const macadam_arc *arc)
{
    return arc->node_count ? arc->node_count - 1 : 1;
}

/* A look at every arc. */
typedef struct speeds_pass {
    mcd_speeds *speeds;
    const mcd_segment *segment;
    size_t count;
    uint32_t *changed;
    size_t next; /* segment of the map */
    uint64_t *arc;
    uint32_t *value;
    size_t arc_count;
    bool has_failed; /* there was no memory */
} speeds_pass;

/* Makes room for one element more. Returns false without memory. */
static bool grow(void **array, size_t count, size_t element_bytes)
{
    const bool is_full = count == 0 || (count >= FIRST_ELEMENTS && (count & (count - 1)) == 0);
    void *const moved =
        is_full ? reallocarray(*array, count ? 2 * count : FIRST_ELEMENTS, element_bytes) : *array;
    if (moved) *array = moved;
    return moved;
}

static bool give(void *context, const macadam_arc *arc)
{
    speeds_pass *const pass = context;
    mcd_speeds *const speeds = pass->speeds;
    for (size_t i = 0; i < segment_count(arc); ++i, ++pass->next) {
        const mcd_segment own = {.from = arc->node_count ? arc->node[i] : arc->tail,
                                 .to = arc->node_count ? arc->node[i + 1] : arc->head};
        if (pass->next == speeds->count) {
            pass->has_failed = !grow((void **)&speeds->kmh, speeds->count, sizeof *speeds->kmh);
            if (pass->has_failed) return false;
            speeds->kmh[speeds->count++] = not_given;
        }
        for (size_t k = find_first(pass->segment, pass->count, &own);
             k < pass->count && pass->segment[k].from == own.from && pass->segment[k].to == own.to; ++k) {
            speeds->kmh[pass->next] = pass->segment[k].kmh;
            ++pass->changed[pass->segment[k].entry];
        }
    }
    return true;
}

/* Returns the duration of an arc with the speeds of its segments; the one in use if none is given. */
static uint32_t duration_of(const mcd_speeds *speeds, const double *kmh, const macadam_arc *arc)
{
    const uint32_t imported = arc->imported[speeds->duration];
    double all_m = 0, kept_m = 0, given_s = 0;
    for (size_t i = 0; i < segment_count(arc); ++i) {
        const double metres = arc->node_count ? arc->node_m[i + 1] - arc->node_m[i] : arc->length_m;
        all_m += metres;
        if (kmh[i] == 0) return MACADAM_WEIGHT_CLOSED;
        if (kmh[i] == not_given)
            kept_m += metres;
        else
            given_s += metres / (kmh[i] / 3.6);
    }
    if (kept_m == all_m) return arc->value[speeds->duration];
    if (imported == MACADAM_WEIGHT_CLOSED && kept_m > 0) return imported;
    const double ms = 1000 * given_s + (kept_m > 0 ? imported * (kept_m / all_m) : 0);
    return ms < MACADAM_WEIGHT_MAX ? (uint32_t)llround(ms) : MACADAM_WEIGHT_MAX;
}

static bool take_duration(void *context, const macadam_arc *arc)
{
    speeds_pass *const pass = context;
    const uint32_t value = duration_of(pass->speeds, pass->speeds->kmh + pass->next, arc);
    pass->next += segment_count(arc);
    if (value == arc->value[pass->speeds->duration]) return true;
    pass->has_failed = !grow((void **)&pass->arc, pass->arc_count, sizeof *pass->arc) ||
                       !grow((void **)&pass->value, pass->arc_count, sizeof *pass->value);
    if (pass->has_failed) return false;
    pass->arc[pass->arc_count] = arc->arc;
    pass->value[pass->arc_count++] = value;
    return true;
}

static macadam_status run(speeds_pass *pass, macadam_arc_callback each, macadam_error *error)
{
    const macadam_status status = macadam_arcs_list(pass->speeds->engine, each, pass, error);
    return pass->has_failed ? MACADAM_E_MEMORY : status;
}

macadam_status mcd_speeds_open(mcd_speeds *out, macadam_engine *engine, const macadam_info *info,
                               macadam_error *error)
{
    *out = (mcd_speeds){.engine = engine, .duration = mcd_text_find_quantity(info, "duration")};
    if (out->duration < info->quantity_count && !info->is_signed[out->duration] && info->has_coordinates)
        return MACADAM_OK;
    snprintf(error->message, sizeof error->message,
             "speeds of segments need a map with durations and coordinates");
    return MACADAM_E_UNSUPPORTED;
}

macadam_status mcd_speeds_give(mcd_speeds *speeds, mcd_segment *segment, size_t count, uint32_t *changed,
                               macadam_error *error)
{
    speeds_pass pass = {.speeds = speeds, .segment = segment, .count = count, .changed = changed};
    if (count > 0) qsort(segment, count, sizeof *segment, compare_segments);
    return run(&pass, give, error);
}

macadam_status mcd_speeds_durations(mcd_speeds *speeds, uint64_t **arc, uint32_t **value, size_t *count,
                                    macadam_error *error)
{
    speeds_pass pass = {.speeds = speeds};
    const macadam_status status = run(&pass, take_duration, error);
    *arc = pass.arc, *value = pass.value, *count = pass.arc_count;
    return status;
}

void mcd_speeds_close(mcd_speeds *speeds)
{
    free(speeds->kmh);
    speeds->kmh = NULL;
}
