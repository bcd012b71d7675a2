/* road_speeds.c - see road_speeds.h. */
#include "importers/osm/roads/road_speeds.h"

#include "engine/base/memory.h"
#include "importers/speeds/speed_arcs.h"

#include <string.h>

bool mcd_road_speeds_concern(const mcd_speed_table *table, const mcd_profile *profile)
{
    if (!table || !(table->of[MCD_SPEED_OF_WAY].count + table->of[MCD_SPEED_OF_PAIR].count)) return false;
    for (const char *const *mode = profile->mode; *mode; ++mode)
        if (strcmp(*mode, "motor_vehicle") == 0) return true;
    return false;
}

/* Reports the keys of which the first row is, or is not, marked. */
static void report_keys(mcd_report *report, mcd_report_kind kind, const mcd_speed_row *row, size_t count,
                        const uint8_t *mark, bool is_marked, char type)
{
    for (size_t i = 0; i < count; ++i) {
        if (i > 0 && row[i].key[0] == row[i - 1].key[0] && row[i].key[1] == row[i - 1].key[1]) continue;
        if ((mark[i] != 0) != is_marked) continue;
        mcd_report_at(report, type, row[i].key[0]);
        mcd_report_add(report, kind);
    }
}

static void report_result(mcd_report *report, const mcd_speed_table *table, const mcd_speed_result *result)
{
    enum { PPM_PER_PERMILLE = MCD_PPM / 1000 };
    const mcd_speed_row *const way = table->of[MCD_SPEED_OF_WAY].row, *const pair =
                                                                          table->of[MCD_SPEED_OF_PAIR].row;
    const size_t ways = table->of[MCD_SPEED_OF_WAY].count, pairs = table->of[MCD_SPEED_OF_PAIR].count;
    const mcd_pattern_errors *const errors = &result->errors;
    mcd_report_count(report, MCD_REPORT_SPEED_ARCS, result->arc_count);
    report_keys(report, MCD_REPORT_SPEED_OFF_MAP, way, ways, result->found[MCD_SPEED_OF_WAY], false, 'w');
    report_keys(report, MCD_REPORT_SPEED_NO_PAIRS, pair, pairs, result->found[MCD_SPEED_OF_PAIR], false, 'n');
    report_keys(report, MCD_REPORT_SPEED_STILL, way, ways, result->still, true, 'w');
    mcd_report_count(report, MCD_REPORT_PATTERNS, result->set.count);
    if (errors->slots)
        mcd_report_count(report, MCD_REPORT_PATTERN_MEAN, errors->sum_ppm / errors->slots / PPM_PER_PERMILLE);
    mcd_report_count(report, MCD_REPORT_PATTERN_WORST, errors->worst_ppm / PPM_PER_PERMILLE);
}

/* Moves the durations and patterns into the map. */
static void take_result(mcd_map *map, mcd_speed_result *result)
{
    mcd_weight *const preference = map->preference ? map->weight[map->preference] : NULL;
    for (size_t arc = 0; preference && arc < map->arc_count; ++arc) {
        const mcd_weight before = map->weight[0][arc];
        const uint64_t after =
            before ? ((uint64_t)preference[arc] * result->duration_ms[arc] + before / 2) / before
                   : preference[arc];
        preference[arc] = after < MCD_WEIGHT_MAX ? (mcd_weight)after : MCD_WEIGHT_MAX;
    }
    mcd_free(map->weight[0]);
    MCD_MOVE(map->weight[0], result->duration_ms);
    if (!result->set.count) return;
    MCD_MOVE(map->arc_pattern, result->pattern);
    MCD_MOVE(map->pattern, result->set.value);
    map->pattern_count = result->set.count, map->pattern_slots = result->set.slot_count;
}

macadam_status mcd_road_speeds_apply(mcd_map *map, const mcd_speed_table *table, mcd_report *report,
                                     mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(mcd_speed_result_free) mcd_speed_result result = {0};
    const mcd_speed_roads roads = {.count = map->arc_count,
                                   .way = map->arc_way,
                                   .against = map->against,
                                   .first_point = map->first_shape,
                                   .shape_lon_e7 = map->shape_lon_e7,
                                   .shape_lat_e7 = map->shape_lat_e7,
                                   .shape_id = map->shape_id,
                                   .tail = map->tail,
                                   .head = map->head,
                                   .id = map->node_id,
                                   .lon_e7 = map->lon_e7,
                                   .lat_e7 = map->lat_e7,
                                   .duration_ms = map->weight[0],
                                   .distance_cm = map->weight[1]};
    MCD_TRY(mcd_speed_arcs_apply(&result, table, &roads, watch, error));
    report_result(report, table, &result);
    take_result(map, &result);
    return mcd_report_check(report, error);
}
