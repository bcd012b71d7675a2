/* speed_arcs.c - see speed_arcs.h. */
#include "importers/speeds/speed_arcs.h"

#include "engine/base/memory.h"
#include "engine/map/road.h"

#include <string.h>

/* Times are in microseconds, so that the pieces of an arc round to less than a millisecond. */
enum { US_PER_MS = 1000 };

typedef struct speed_run {
    const mcd_speed_table *table;
    const mcd_speed_roads *roads;
    mcd_speed_result *result;
    size_t slot_count;
    unsigned coarseness;
    uint32_t kmh_e3[MCD_PATTERN_FINE_SLOTS];  /* of a piece */
    uint64_t time_us[MCD_PATTERN_FINE_SLOTS]; /* of the arc */
    uint8_t pattern[MCD_PATTERN_FINE_SLOTS];
} speed_run;

/* A piece of an arc, from one of its points to the next; or all of it. */
typedef struct road_piece {
    int64_t tail, head; /* ids of nodes; 0: not known */
    uint64_t length_cm, duration_us;
} road_piece;

/* Lays the speeds of a key over those of the piece. Returns whether there are any. */
static bool lay(speed_run *run, mcd_speed_kind kind, int64_t key0, int64_t key1, size_t *first)
{
    size_t count;
    *first = mcd_speed_table_find(run->table, kind, key0, key1, &count);
    if (count == 0) return false;
    run->result->found[kind][*first] = 1;
    mcd_speed_table_fill(run->table, kind, *first, count, run->kmh_e3);
    return true;
}

static uint64_t time_of(const road_piece *piece, uint32_t kmh_e3)
{
    enum { US_PER_CM = 36 }; /* at a km/h: 36,000 */
    if (kmh_e3 == MCD_SPEED_UNNAMED) return piece->duration_us;
    if (kmh_e3 == 0) return MCD_TIME_STILL;
    return piece->length_cm * US_PER_CM * 1000000 / kmh_e3;
}

static void add_piece(speed_run *run, const road_piece *piece)
{
    uint64_t time = 0;
    for (size_t i = 0; i < run->slot_count; ++i) {
        if (i == 0 || run->kmh_e3[i] != run->kmh_e3[i - 1]) time = time_of(piece, run->kmh_e3[i]);
        uint64_t *const sum = &run->time_us[i];
        if (time == MCD_TIME_STILL || *sum == MCD_TIME_STILL)
            *sum = MCD_TIME_STILL;
        else
            *sum = time < MCD_TIME_MAX - *sum ? *sum + time : MCD_TIME_MAX;
    }
}

/* ---- the pieces of an arc ---- */

static mcd_point point_of(const mcd_speed_roads *roads, size_t arc, size_t i, size_t last)
{
    const mcd_node node = i == 0 ? roads->tail[arc] : roads->head[arc];
    const size_t at = roads->first_point[arc] + i - 1;
    return i == 0 || i == last ? (mcd_point){roads->lon_e7[node], roads->lat_e7[node]}
                               : (mcd_point){roads->shape_lon_e7[at], roads->shape_lat_e7[at]};
}

static int64_t id_of(const mcd_speed_roads *roads, size_t arc, size_t i, size_t last)
{
    if (i == 0 || i == last) return roads->id[i == 0 ? roads->tail[arc] : roads->head[arc]];
    return roads->shape_id[roads->first_point[arc] + i - 1];
}

/* Returns how many pieces an arc has: one if its points have no ids. */
static size_t count_pieces(const speed_run *run, size_t arc)
{
    const mcd_speed_roads *const roads = run->roads;
    if (!run->table->of[MCD_SPEED_OF_PAIR].count || !roads->shape_id) return 1;
    return roads->first_point[arc + 1] - roads->first_point[arc] + 1;
}

/* Returns the metres up to the i-th point of an arc; those before it are `before`. */
static double next_length(const mcd_speed_roads *roads, size_t arc, size_t i, size_t last, double before)
{
    if (last == 1) return 1; /* the whole arc: no coordinates are needed */
    return before + mcd_road_length(point_of(roads, arc, i - 1, last), point_of(roads, arc, i, last));
}

/* Shares the length and the duration of an arc out among its pieces, so that the sums are the arc's. */
static bool add_pieces(speed_run *run, size_t arc, size_t count, size_t *way_row)
{
    const mcd_speed_roads *const roads = run->roads;
    const uint64_t length_cm = roads->distance_cm[arc],
                   duration_us = (uint64_t)roads->duration_ms[arc] * US_PER_MS;
    double whole = 0, from = 0;
    bool any = false;
    size_t pair_row;
    for (size_t i = 1; i <= count; ++i) whole = next_length(roads, arc, i, count, whole);
    for (size_t i = 1; i <= count; ++i) {
        const double to = next_length(roads, arc, i, count, from);
        const double first = whole > 0 ? from / whole : (double)(i - 1) / (double)count,
                     last = whole > 0 ? to / whole : (double)i / (double)count;
        const road_piece piece = {
            .length_cm = (uint64_t)((double)length_cm * last) - (uint64_t)((double)length_cm * first),
            .duration_us = (uint64_t)((double)duration_us * last) - (uint64_t)((double)duration_us * first)};
        for (size_t slot = 0; slot < run->slot_count; ++slot) run->kmh_e3[slot] = MCD_SPEED_UNNAMED;
        any |= lay(run, MCD_SPEED_OF_WAY, roads->way[arc], roads->against[arc] ? -1 : 1, way_row);
        if (run->table->of[MCD_SPEED_OF_PAIR].count)
            any |= lay(run, MCD_SPEED_OF_PAIR, id_of(roads, arc, i - 1, count), id_of(roads, arc, i, count),
                       &pair_row);
        add_piece(run, &piece);
        from = to;
    }
    return any;
}

/* ---- arcs ---- */

static bool is_constant(const speed_run *run)
{
    for (size_t i = 0; i < run->slot_count; ++i)
        if (run->pattern[i] != MCD_PATTERN_FASTEST) return false;
    return true;
}

static bool never_moves(const speed_run *run)
{
    for (size_t i = 0; i < run->slot_count; ++i)
        if (run->time_us[i] != MCD_TIME_STILL) return false;
    return true;
}

static macadam_status apply_arc(speed_run *run, size_t arc, macadam_error *error)
{
    mcd_speed_result *const result = run->result;
    size_t way_row = 0;
    uint32_t number;
    result->duration_ms[arc] = run->roads->duration_ms[arc];
    result->pattern[arc] = 0;
    memset(run->time_us, 0, run->slot_count * sizeof *run->time_us);
    if (!add_pieces(run, arc, count_pieces(run, arc), &way_row)) return MACADAM_OK;
    if (never_moves(run)) {
        if (result->still) result->still[way_row] = 1;
        return MACADAM_OK;
    }
    ++result->arc_count;
    const uint64_t least =
        mcd_pattern_of_times(run->pattern, run->time_us, run->slot_count, run->coarseness, &result->errors);
    const uint64_t duration = (least + US_PER_MS / 2) / US_PER_MS;
    result->duration_ms[arc] = duration < MCD_WEIGHT_MAX ? (mcd_weight)duration : MCD_WEIGHT_MAX;
    if (is_constant(run)) return MACADAM_OK;
    MCD_TRY(mcd_pattern_set_add(&result->set, run->pattern, &number, error));
    result->pattern[arc] = (uint16_t)(number + 1); /* apply_all refuses more */
    return MACADAM_OK;
}

/* Returns whether the patterns are not too many; *out then has them. */
static macadam_status apply_all(speed_run *run, bool *fits, mcd_watch *watch, macadam_error *error)
{
    mcd_speed_result *const result = run->result;
    mcd_pattern_set_free(&result->set);
    result->set.slot_count = run->slot_count;
    result->errors = (mcd_pattern_errors){0};
    result->arc_count = 0;
    *fits = false;
    for (size_t arc = 0; arc < run->roads->count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, run->roads->count, error));
        MCD_TRY(apply_arc(run, arc, error));
        if (result->set.count > MCD_PATTERNS_MAX) return MACADAM_OK;
    }
    *fits = true;
    return MACADAM_OK;
}

macadam_status mcd_speed_arcs_apply(mcd_speed_result *out, const mcd_speed_table *table,
                                    const mcd_speed_roads *roads, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED speed_run *run = NULL;
    bool fits = false;
    MCD_TRY(MCD_NEW_ZEROED(run, 1, error));
    run->table = table, run->roads = roads, run->result = out, run->slot_count = mcd_speed_table_slots(table);
    MCD_TRY(MCD_NEW(out->duration_ms, roads->count, error));
    MCD_TRY(MCD_NEW(out->pattern, roads->count, error));
    for (int kind = 0; kind < MCD_SPEED_KINDS; ++kind)
        MCD_TRY(MCD_NEW_ZEROED(out->found[kind], table->of[kind].count, error));
    MCD_TRY(MCD_NEW_ZEROED(out->still, table->of[MCD_SPEED_OF_WAY].count + 1, error));
    for (; run->coarseness <= MCD_COARSENESS_MAX && !fits; ++run->coarseness)
        MCD_TRY(apply_all(run, &fits, watch, error));
    if (fits) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED, "roads have more than %d different patterns of speed",
                    MCD_PATTERNS_MAX);
}

void mcd_speed_result_free(mcd_speed_result *result)
{
    MCD_FREE_ALL(result->duration_ms, result->pattern, result->found[MCD_SPEED_OF_WAY],
                 result->found[MCD_SPEED_OF_PAIR], result->still);
    mcd_pattern_set_free(&result->set);
    *result = (mcd_speed_result){0};
}
