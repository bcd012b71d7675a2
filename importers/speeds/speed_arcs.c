/* speed_arcs.c - see speed_arcs.h. */
#include "importers/speeds/speed_arcs.h"

/* Times are in microseconds, so that the pieces of an arc round to less than a millisecond. */
enum { US_PER_MS = 1000 };

typedef struct speed_run {
    const mcd_speed_table *table;
    const mcd_speed_roads *roads;
    mcd_speed_result *result;
    size_t slot_count;
    unsigned coarseness;
    uint32_t kmh_e3[MCD_PATTERN_SLOTS_MAX];  /* of a piece */
    uint64_t time_us[MCD_PATTERN_SLOTS_MAX]; /* of the arc */
    uint8_t pattern[MCD_PATTERN_SLOTS_MAX];
} speed_run;

/* A piece of an arc, from one of its points to the next; or all of it. */
typedef struct road_piece {
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

/* Returns how many pieces an arc has: one if no speeds are between nodes. */
static size_t count_pieces(const speed_run *run, size_t arc)
{
    const uint64_t *const first = run->roads->first_node;
    return run->table->of[MCD_SPEED_OF_PAIR].count ? first[arc + 1] - first[arc] - 1 : 1;
}

/* Returns the share of an arc that is before its i-th node. */
static double share_before(const speed_run *run, size_t arc, size_t i, size_t count)
{
    if (count == 1 || i == 0 || i == count) return i == 0 ? 0 : 1;
    const double *const metre = run->roads->node_m + run->roads->first_node[arc];
    return metre[count] > 0 ? metre[i] / metre[count] : (double)i / (double)count;
}

/* Shares the length and the duration of an arc out among its pieces, so that the sums are the arc's. */
static bool add_pieces(speed_run *run, size_t arc, size_t count, size_t *way_row)
{
    const mcd_speed_roads *const roads = run->roads;
    const uint64_t length_cm = roads->distance_cm[arc],
                   duration_us = (uint64_t)roads->duration_ms[arc] * US_PER_MS;
    bool any = false;
    size_t pair_row;
    for (size_t i = 0; i < count; ++i) {
        const double first = share_before(run, arc, i, count), last = share_before(run, arc, i + 1, count);
        const road_piece piece = {
            .length_cm = (uint64_t)((double)length_cm * last) - (uint64_t)((double)length_cm * first),
            .duration_us = (uint64_t)((double)duration_us * last) - (uint64_t)((double)duration_us * first)};
        for (size_t slot = 0; slot < run->slot_count; ++slot) run->kmh_e3[slot] = MCD_SPEED_UNNAMED;
        any |= lay(run, MCD_SPEED_OF_WAY, roads->way[arc], roads->against[arc] ? -1 : 1, way_row);
        if (run->table->of[MCD_SPEED_OF_PAIR].count) {
            const int64_t *const node = roads->node + roads->first_node[arc] + i;
            any |= lay(run, MCD_SPEED_OF_PAIR, node[0], node[1], &pair_row);
        }
        add_piece(run, &piece);
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

/* Returns whether it stands still all the ordinary week. */
static bool never_moves(const speed_run *run)
{
    for (size_t i = 0; i < mcd_pattern_week_slots(run->slot_count); ++i)
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
    result->applies[arc] = false;
    memset(run->time_us, 0, run->slot_count * sizeof *run->time_us);
    if (!add_pieces(run, arc, count_pieces(run, arc), &way_row)) return MACADAM_OK;
    if (never_moves(run)) {
        if (result->still) result->still[way_row] = 1;
        return MACADAM_OK;
    }
    result->applies[arc] = true;
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
    MCD_TRY(MCD_NEW(out->applies, roads->count, error));
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
    MCD_FREE_ALL(result->duration_ms, result->pattern, result->applies, result->found[MCD_SPEED_OF_WAY],
                 result->found[MCD_SPEED_OF_PAIR], result->still);
    mcd_pattern_set_free(&result->set);
    *result = (mcd_speed_result){0};
}
