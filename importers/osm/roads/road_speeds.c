/* road_speeds.c - see road_speeds.h. */
#include "importers/osm/roads/road_speeds.h"

#include "engine/map/ellipsoid.h"

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

void mcd_road_speeds_report(mcd_report *report, const mcd_speed_table *table, const mcd_speed_result *result)
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
    for (size_t i = 0; i < ways; ++i) {
        mcd_report_at(report, 'w', way[i].key[0]);
        mcd_report_add_if(report, MCD_REPORT_SPEED_CLAMPED, way[i].is_clamped);
    }
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

/* The nodes of all arcs, as mcd_speed_roads has them. */
typedef struct arc_nodes {
    uint64_t *first;
    int64_t *id;
    double *metre;
} arc_nodes;

MCD_DEFINE_STATIC_FREE(free_nodes, arc_nodes, it->first, it->id, it->metre)

/* Lists the nodes of an arc from `to` on; returns what follows them. */
static uint64_t list_arc(const arc_nodes *nodes, const mcd_map *map, size_t arc, uint64_t to)
{
    const uint64_t first = map->first_shape[arc], count = map->first_shape[arc + 1] - first;
    const mcd_node end[] = {map->tail[arc], map->head[arc]};
    mcd_ellipsoid_place before = {0};
    for (uint64_t i = 0; i < count + 2; ++i, ++to) {
        const bool is_end = i == 0 || i == count + 1;
        const mcd_node node = end[i != 0];
        const mcd_ellipsoid_place here = is_end ? mcd_ellipsoid_place_of(map->lon_e7[node], map->lat_e7[node])
                                                : mcd_ellipsoid_place_of(map->shape_lon_e7[first + i - 1],
                                                                         map->shape_lat_e7[first + i - 1]);
        nodes->id[to] = is_end ? map->node_id[node] : map->shape_id[first + i - 1];
        nodes->metre[to] = i == 0 ? 0 : nodes->metre[to - 1] + mcd_ellipsoid_between_m(&before, &here);
        before = here;
    }
    return to;
}

static macadam_status list_nodes(arc_nodes *out, const mcd_map *map, macadam_error *error)
{
    const uint64_t count = map->first_shape[map->arc_count] + 2 * map->arc_count;
    MCD_TRY(MCD_NEW(out->first, map->arc_count + 1, error));
    MCD_TRY(MCD_NEW(out->id, count, error));
    MCD_TRY(MCD_NEW(out->metre, count, error));
    out->first[0] = 0;
    for (size_t arc = 0; arc < map->arc_count; ++arc)
        out->first[arc + 1] = list_arc(out, map, arc, out->first[arc]);
    return MACADAM_OK;
}

macadam_status mcd_road_speeds_apply(mcd_map *map, const mcd_speed_table *table, mcd_report *report,
                                     mcd_watch *watch, macadam_error *error)
{
    MCD_FREED_BY(mcd_speed_result_free) mcd_speed_result result = {0};
    MCD_FREED_BY(free_nodes) arc_nodes nodes = {.first = NULL};
    if (table->of[MCD_SPEED_OF_PAIR].count) MCD_TRY(list_nodes(&nodes, map, error));
    const mcd_speed_roads roads = {map->arc_count, map->arc_way, map->against,   nodes.first,
                                   nodes.id,       nodes.metre,  map->weight[0], map->weight[1]};
    MCD_TRY(mcd_speed_arcs_apply(&result, table, &roads, watch, error));
    mcd_road_speeds_report(report, table, &result);
    take_result(map, &result);
    return mcd_report_check(report, error);
}
