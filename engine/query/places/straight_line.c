/* straight_line.c - see straight_line.h. */
#include "engine/query/places/straight_line.h"

static const double earth_radius_m = 6371000, per_degree = 0.017453292519943295;

/* (haversine) */
double macadam_straight_line_m(double lon_a, double lat_a, double lon_b, double lat_b)
{
    const double half_lat = sin((lat_b - lat_a) * per_degree / 2),
                 half_lon = sin((lon_b - lon_a) * per_degree / 2);
    const double h =
        half_lat * half_lat + cos(lat_a * per_degree) * cos(lat_b * per_degree) * half_lon * half_lon;
    return 2 * earth_radius_m * asin(sqrt(fmin(h, 1)));
}

static macadam_status check_number(double number, const char *what, macadam_error *error)
{
    if (number >= 0 && !isinf(number)) return MACADAM_OK;
    return mcd_fail_invalid(error, "a %s of %g: it must be positive, or 0 for none", what, number);
}

static macadam_status choose_unit(mcd_straight_line *line, const mcd_query *query, size_t q,
                                  macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    const char *const name = engine->quantity_name[query->quantity_index[q]],
                      *const unit = engine->quantity_unit[query->quantity_index[q]];
    const bool is_duration = strcmp(name, "duration") == 0;
    line->is_duration[q] = is_duration;
    line->units[q] = strcmp(unit, "ms") == 0 ? 1000 : strcmp(unit, "cm") == 0 ? 100 : 1;
    if (query->potential[q] && is_duration && line->request->scale_factor > 0)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "durations that may be negative have no scale factor");
    if (line->speed_ms > 0 && (query->potential[q] || (!is_duration && strcmp(name, "distance") != 0)))
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "quantity \"%s\" has no straight-line cost; fallback speeds need durations or "
                        "distances that cannot be negative",
                        name);
    return MACADAM_OK;
}

macadam_status mcd_straight_line_new(mcd_straight_line *out, const mcd_query *query,
                                     const macadam_matrix_request *request, macadam_error *error)
{
    *out = (mcd_straight_line){.request = request, .speed_ms = request->fallback_speed_ms};
    MCD_TRY(check_number(request->fallback_speed_ms, "fallback speed", error));
    MCD_TRY(check_number(request->scale_factor, "scale factor", error));
    out->is_wanted = out->speed_ms > 0 || request->scale_factor > 0 || request->fallback;
    for (size_t q = 0; out->is_wanted && q < query->quantity_count; ++q)
        MCD_TRY(choose_unit(out, query, q, error));
    if (!(out->speed_ms > 0)) return MACADAM_OK;
    if (!query->engine->places.lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "a fallback speed, and a file without coordinates");
    if (!request->snap) MCD_TRY(MCD_NEW(out->own, request->source_count + request->target_count, error));
    out->snap = request->snap ? request->snap : out->own;
    return MACADAM_OK;
}

void mcd_straight_line_free(mcd_straight_line *line)
{
    mcd_free(line->own);
    *line = (mcd_straight_line){.request = NULL};
}

/* ---- the pass ---- */

/* A rectangle's costs that the pass replaces. */
typedef struct line_cells {
    const mcd_straight_line *line;
    const mcd_cells *cells;
    uint32_t *value[MACADAM_QUANTITIES_MAX]; /* per requested quantity, as in mcd_cells */
    size_t quantity_count;
    uint8_t *fallback;
} line_cells;

static uint32_t cost_of(double value)
{
    return value < MACADAM_WEIGHT_MAX ? (uint32_t)llround(value) : MACADAM_WEIGHT_MAX;
}

typedef struct end {
    bool is_found;
    double lon, lat;
} end;

static end end_of(const mcd_straight_line *line, const macadam_place *place, const macadam_snap *snap)
{
    const bool as_given = place->kind == MACADAM_PLACE_POINT && !line->request->fallback_snapped;
    return (end){macadam_place_is_found(snap->status), as_given ? place->lon : snap->lon,
                 as_given ? place->lat : snap->lat};
}

/* Returns whether a cell without a path now costs the straight line between its places. */
static bool fall_back(const line_cells *of, const end *from, size_t column, size_t cell)
{
    const mcd_straight_line *const line = of->line;
    const macadam_matrix_request *const request = line->request;
    const size_t target = (of->cells->column + column) / line->arrives;
    const end to = end_of(line, &request->target[target], &line->snap[request->source_count + target]);
    if (!from->is_found || !to.is_found) return false;
    const double metres = macadam_straight_line_m(from->lon, from->lat, to.lon, to.lat);
    for (size_t q = 0; q < of->quantity_count; ++q)
        of->value[q][cell] =
            cost_of((line->is_duration[q] ? metres / line->speed_ms : metres) * line->units[q]);
    return true;
}

static void fill_row(const line_cells *of, size_t row)
{
    const mcd_straight_line *const line = of->line;
    const size_t source = line->speed_ms > 0 ? (of->cells->row + row) / line->departs : 0;
    const end from = line->speed_ms > 0 ? end_of(line, &line->request->source[source], &line->snap[source])
                                        : (end){.is_found = false};
    for (size_t column = 0; column < of->cells->columns; ++column) {
        const size_t cell = row * of->cells->stride + column;
        const bool is_filled =
            from.is_found && of->value[0][cell] == MACADAM_UNREACHED && fall_back(of, &from, column, cell);
        if (of->fallback) of->fallback[cell] = is_filled;
    }
}

static void apply_to_row(void *argument, size_t row, MCD_UNUSED unsigned worker)
{
    const line_cells *const of = argument;
    const double factor = of->line->request->scale_factor;
    if (of->line->speed_ms > 0 || of->fallback) fill_row(of, row);
    for (size_t q = 0; factor > 0 && q < of->quantity_count; ++q) {
        uint32_t *const value = of->value[q] + row * of->cells->stride;
        for (size_t column = 0; of->line->is_duration[q] && column < of->cells->columns; ++column)
            if (value[column] != MACADAM_UNREACHED) value[column] = cost_of(value[column] * factor);
    }
}

void mcd_straight_line_apply(const mcd_straight_line *line, const mcd_query *query, const mcd_cells *cells,
                             uint8_t *fallback)
{
    line_cells of = {line, cells, .quantity_count = query->quantity_count, .fallback = fallback};
    for (size_t q = 0; q < of.quantity_count; ++q)
        of.value[q] = query->is_companion[q] ? cells->companion : cells->objective;
    mcd_parallel_for(&query->engine->parallel, cells->rows, apply_to_row, &of);
}
