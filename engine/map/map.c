/* map.c - see map.h. */
#include "engine/map/map.h"
#include "engine/base/grow.h"
#include "engine/base/paged.h"
#include "engine/base/sort.h"

#include <assert.h>

/* ---- arrays ---- */

/* The things of which an array has an element each. */
typedef enum map_per {
    PER_NODE,
    PER_ARC,
    PER_ID,
    PER_NUMBER,
    PER_NUMBER_END,
    PER_POINT,
    PER_KIND,
    PER_NAME_BYTE,
    PER_MANEUVER,
    PER_TIMED_ARC,
    PER_SHUT_WORD,
    PER_WEEK,
    PER_PATTERN_SLOT,
} map_per;

typedef struct map_row {
    const char *name;
    size_t offset, element_size;
    map_per per;
    mcd_map_group group;
} map_row;

#define ROW(member, per, group)                                                                              \
    {                                                                                                        \
#member, offsetof(mcd_map, member), sizeof *((mcd_map *)0)->member, PER_##per, MCD_MAP_##group       \
    }
#define QUANTITY_ROWS(q) ROW(weight[q], ARC, WEIGHTS), ROW(potential[q], ID, GRAPH)

static const map_row rows[] = {
    ROW(node_id, NODE, GRAPH),
    ROW(lon_e7, NODE, COORDINATES),
    ROW(lat_e7, NODE, COORDINATES),
    ROW(tail, ARC, GRAPH),
    ROW(head, ARC, GRAPH),
    QUANTITY_ROWS(0),
    QUANTITY_ROWS(1),
    QUANTITY_ROWS(2),
    QUANTITY_ROWS(3),
    QUANTITY_ROWS(4),
    QUANTITY_ROWS(5),
    QUANTITY_ROWS(6),
    QUANTITY_ROWS(7),
    ROW(arc_number, ARC, WEIGHTS),
    ROW(id, ID, GRAPH),
    ROW(depart, ID, GRAPH),
    ROW(arrive, ID, GRAPH),
    ROW(index, NODE, GRAPH),
    ROW(arc_way, NUMBER, WEIGHTS),
    ROW(against, NUMBER, GRAPH),
    ROW(arc_kind, NUMBER, FACTS),
    ROW(kind, KIND, FACTS),
    ROW(kind_limits, KIND, GRAPH),
    ROW(kind_pronunciation, KIND, GRAPH),
    ROW(maneuver, MANEUVER, GRAPH),
    ROW(names, NAME_BYTE, FACTS),
    ROW(ferry, NUMBER, FACTS),
    ROW(first_shape, NUMBER_END, FACTS), /* before the arrays of points */
    ROW(shape_lon_e7, POINT, FACTS),
    ROW(shape_lat_e7, POINT, FACTS),
    ROW(height_dm, ID, GRAPH),
    ROW(shape_height_dm, POINT, FACTS),
    ROW(shape_id, POINT, FACTS),
    ROW(timed_arc, TIMED_ARC, GRAPH),
    ROW(arc_when, ARC, GRAPH),
    ROW(shut_arc, SHUT_WORD, GRAPH),
    ROW(week, WEEK, GRAPH),
    ROW(week_holiday, WEEK, GRAPH),
    ROW(guard, WEEK, GRAPH),
    ROW(arc_pattern, NUMBER, GRAPH),
    ROW(pattern, PATTERN_SLOT, GRAPH),
};
static_assert((int)MCD_QUANTITY_MAX == 8, "there are rows for each quantity");
enum { ROWS = sizeof rows / sizeof rows[0] };

static uint64_t count_of(const mcd_map *map, map_per per)
{
    const uint64_t count[] = {
        [PER_NODE] = map->node_count,
        [PER_ARC] = map->arc_count,
        [PER_ID] = map->id_count,
        [PER_NUMBER] = map->number_count,
        [PER_NUMBER_END] = map->number_count + 1,
        [PER_KIND] = map->kind_count,
        [PER_NAME_BYTE] = map->names_bytes,
        [PER_MANEUVER] = map->maneuver_count,
        [PER_TIMED_ARC] = map->timed_arc_count,
        [PER_SHUT_WORD] = map->shut_arc_count * (MCD_SHUT_WORDS + map->quantity_count),
        [PER_WEEK] = map->week_count,
        [PER_PATTERN_SLOT] = map->pattern_count * map->pattern_slots,
    };
    if (per == PER_POINT) return map->first_shape ? map->first_shape[map->number_count] : 0;
    return count[per];
}

bool mcd_map_array_at(mcd_map *map, size_t index, mcd_map_array *out)
{
    if (index >= ROWS) return false;
    const map_row *const row = &rows[index];
    void *const slot = (char *)map + row->offset;
    *out = (mcd_map_array){row->name, slot, row->element_size, count_of(map, row->per)};
    return true;
}

void mcd_map_free(mcd_map *map)
{
    for (size_t i = 0; i < ROWS; ++i) mcd_free_at((char *)map + rows[i].offset);
    MCD_FREE_ALL(map->source, map->profile, map->build);
    mcd_spill_free(map->spill);
    *map = (mcd_map){0};
}

macadam_status mcd_map_add_period(mcd_map *map, const mcd_period *period, uint32_t *number,
                                  macadam_error *error)
{
    for (*number = 0; *number < map->week_count; ++*number)
        if (memcmp(&map->week[*number], &period->week[0], sizeof *map->week) == 0 &&
            memcmp(&map->week_holiday[*number], &period->week[1], sizeof *map->week) == 0 &&
            memcmp(&map->guard[*number], &period->guard, sizeof *map->guard) == 0)
            return MACADAM_OK;
    MCD_TRY(MCD_GROW(map->week, map->week_capacity, map->week_count + 1, error));
    MCD_TRY(MCD_GROW(map->week_holiday, map->holiday_capacity, map->week_count + 1, error));
    MCD_TRY(MCD_GROW(map->guard, map->guard_capacity, map->week_count + 1, error));
    map->week[map->week_count] = period->week[0];
    map->week_holiday[map->week_count] = period->week[1];
    map->guard[map->week_count++] = period->guard;
    return MACADAM_OK;
}

uint64_t mcd_import_memory = 256 << 20;

macadam_status mcd_map_limit(mcd_map *map, const macadam_import_options *options, macadam_error *error)
{
    enum { BYTES_PER_ARC = 320 }; /* a car's map of Milan, repeated, at its peak */
    const uint64_t limit = options->memory_limit ? options->memory_limit : mcd_import_memory;
    if (mcd_paged_is_on() || map->spill || map->arc_count <= limit / BYTES_PER_ARC) return MACADAM_OK;
    return mcd_spill_new(&map->spill, options->output, error);
}

macadam_status mcd_map_put(mcd_map *map, unsigned groups, mcd_watch *watch, macadam_error *error)
{
    mcd_map_array array;
    for (size_t i = ROWS; i-- > 0;) /* points before their offsets */
        if (rows[i].group & groups && mcd_map_array_at(map, i, &array))
            MCD_TRY(mcd_spill_put(map->spill, array.slot, array.count * array.element_size, watch, error));
    return MACADAM_OK;
}

macadam_status mcd_map_get(mcd_map *map, unsigned groups, mcd_watch *watch, macadam_error *error)
{
    for (size_t i = 0; i < ROWS; ++i)
        if (rows[i].group & groups)
            MCD_TRY(mcd_spill_get(map->spill, (char *)map + rows[i].offset, watch, error));
    return MACADAM_OK;
}

/* ---- ids ---- */

typedef struct known {
    int64_t id;
    mcd_node node;
} known;

MCD_DEFINE_COMPARE(compare_ids, known, .id)

static macadam_status index_sorted(mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED known *sorted = NULL;
    MCD_TRY(MCD_NEW(sorted, map->node_count, error));
    for (size_t node = 0; node < map->node_count; ++node)
        sorted[node] = (known){map->node_id[node], (mcd_node)node};
    MCD_TRY(mcd_sort(sorted, map->node_count, sizeof *sorted, compare_ids, watch, error));
    for (size_t i = 0; i < map->node_count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, map->node_count, error));
        map->id[i] = sorted[i].id;
        map->depart[i] = sorted[i].node;
        map->index[sorted[i].node] = (uint32_t)i;
    }
    return MACADAM_OK;
}

static bool ascending(const int64_t *id, size_t count)
{
    for (size_t i = 1; i < count; ++i)
        if (id[i - 1] >= id[i]) return false;
    return true;
}

macadam_status mcd_map_index_ids(mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    const size_t count = map->id_count = map->node_count;
    MCD_TRY(MCD_NEW(map->id, count, error));
    MCD_TRY(MCD_NEW(map->depart, count, error));
    MCD_TRY(MCD_NEW(map->arrive, count, error));
    MCD_TRY(MCD_NEW(map->index, count, error));
    if (ascending(map->node_id, count)) {
        memcpy(map->id, map->node_id, count * sizeof *map->id);
        for (size_t node = 0; node < count; ++node) {
            MCD_TRY(mcd_watch_item(watch, node, count, error));
            map->depart[node] = map->index[node] = (mcd_node)node;
        }
    } else {
        MCD_TRY(index_sorted(map, watch, error));
    }
    MCD_TRY(mcd_watch_step(watch, 1, 1, error));
    memcpy(map->arrive, map->depart, count * sizeof *map->arrive);
    for (size_t i = 1; i < count; ++i)
        if (map->id[i - 1] == map->id[i])
            return mcd_fail_invalid(error, "two nodes have the id %lld", (long long)map->id[i]);
    return MACADAM_OK;
}

size_t mcd_map_find_id(const mcd_map *map, int64_t id)
{
    const size_t first = mcd_lower_bound(map->id, 0, map->id_count, id);
    return first < map->id_count && map->id[first] == id ? first : map->id_count;
}

/* ---- checks ---- */

enum { LON_E7_MAX = 1800000000, LAT_E7_MAX = 900000000 };

static macadam_status check_names(const mcd_map *map, macadam_error *error)
{
    if (map->node_count >= MCD_NODE_NONE)
        return mcd_fail_invalid(error, "%zu nodes are more than %u", map->node_count, MCD_NODE_NONE - 1);
    if (map->quantity_count < 1 || map->quantity_count > MCD_QUANTITY_MAX)
        return mcd_fail_invalid(error, "%zu quantities are not 1 to %d", map->quantity_count,
                                MCD_QUANTITY_MAX);
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity) {
        if (!map->quantity[quantity][0] || !memchr(map->quantity[quantity], '\0', MCD_NAME_BYTES))
            return mcd_fail_invalid(error, "the name of quantity %zu is empty or not terminated", quantity);
        if (!memchr(map->unit[quantity], '\0', MCD_NAME_BYTES))
            return mcd_fail_invalid(error, "the unit of quantity %zu is not terminated", quantity);
        if (!map->weight[quantity])
            return mcd_fail_invalid(error, "quantity %s has no weights", map->quantity[quantity]);
    }
    return MACADAM_OK;
}

static macadam_status check_arrays(const mcd_map *map, macadam_error *error)
{
    if (!map->node_id || !map->tail || !map->head || !map->arc_number || !map->id || !map->depart ||
        !map->arrive || !map->index)
        return mcd_fail_invalid(error, "the map lacks an array that it must have");
    if (!map->lon_e7 != !map->lat_e7) return mcd_fail_invalid(error, "longitudes without latitudes");
    const bool has_facts =
        map->arc_way || map->arc_kind || map->first_shape || map->ferry || map->arc_pattern;
    for (size_t arc = 0; arc < map->arc_count && has_facts; ++arc)
        if (map->arc_number[arc] != MCD_ARC_NONE && map->arc_number[arc] > map->number_count)
            return mcd_fail_invalid(error, "arc %zu has the number %llu, but only %zu have facts", arc,
                                    (unsigned long long)map->arc_number[arc], map->number_count);
    if (!map->arc_kind != !map->names || !map->arc_kind != !map->kind)
        return mcd_fail_invalid(error, "names without their arcs");
    if (!map->first_shape != !map->shape_lon_e7 || !map->first_shape != !map->shape_lat_e7)
        return mcd_fail_invalid(error, "shape points without their arcs");
    if (!map->spill && !map->height_dm != !map->shape_height_dm) /* shapes may wait on the disk */
        return mcd_fail_invalid(error, "heights of nodes without those of shape points");
    if (map->shape_id && !map->first_shape)
        return mcd_fail_invalid(error, "ids of shape points without the points");
    return MACADAM_OK;
}

static macadam_status check_points(const int32_t *lon_e7, const int32_t *lat_e7, size_t count,
                                   const char *what, macadam_error *error)
{
    for (size_t i = 0; i < count; ++i)
        if (lon_e7[i] < -LON_E7_MAX || lon_e7[i] > LON_E7_MAX || lat_e7[i] < -LAT_E7_MAX ||
            lat_e7[i] > LAT_E7_MAX)
            return mcd_fail_invalid(error, "%s %zu has the coordinates %.7f,%.7f", what, i, lon_e7[i] / 1e7,
                                    lat_e7[i] / 1e7);
    return MACADAM_OK;
}

static macadam_status check_potentials(const mcd_map *map, macadam_error *error)
{
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        for (size_t i = 0; map->potential[quantity] && i < map->id_count; ++i)
            if (map->potential[quantity][i] < -MCD_POTENTIAL_MAX ||
                map->potential[quantity][i] > MCD_POTENTIAL_MAX)
                return mcd_fail_invalid(error, "id %lld has the potential %d of %s; the limit is %d",
                                        (long long)map->id[i], map->potential[quantity][i],
                                        map->quantity[quantity], MCD_POTENTIAL_MAX);
    return MACADAM_OK;
}

static macadam_status check_arcs(const mcd_map *map, macadam_error *error)
{
    for (size_t arc = 0; arc < map->arc_count; ++arc)
        if (map->tail[arc] >= map->node_count || map->head[arc] >= map->node_count)
            return mcd_fail_invalid(error, "arc %zu goes from node %u to %u of %zu", arc, map->tail[arc],
                                    map->head[arc], map->node_count);
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        for (size_t arc = 0; arc < map->arc_count; ++arc)
            if (map->weight[quantity][arc] > MCD_WEIGHT_MAX)
                return mcd_fail_invalid(error, "the %s %u of arc %zu is more than %u",
                                        map->quantity[quantity], map->weight[quantity][arc], arc,
                                        MCD_WEIGHT_MAX);
    return MACADAM_OK;
}

static bool same_source_arc(const mcd_map *map, size_t a, size_t b)
{
    return map->node_id[map->tail[a]] == map->node_id[map->tail[b]] &&
           map->node_id[map->head[a]] == map->node_id[map->head[b]];
}

static macadam_status check_arrival(const mcd_map *map, size_t arc, macadam_error *error)
{
    bool stays = map->node_id[map->tail[arc]] == map->node_id[map->head[arc]];
    for (size_t quantity = 1; quantity < map->quantity_count; ++quantity)
        stays = stays && (map->weight[quantity][arc] == 0 || quantity == map->preference);
    if (stays) return MACADAM_OK;
    return mcd_fail_invalid(error, "arc %zu has no number but is not an arrival arc", arc);
}

/* Checks that numbers repeat only on the copies of an arc that leaves a split node, and that none is left out: an engine
 * accepts all up to the largest before it reads them. */
static macadam_status check_numbers(const mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    MCD_OWNED mcd_arc *first = NULL; /* [number - 1] 1 + the first arc with that number */
    size_t ordered = 0;
    while (ordered < map->arc_count && map->arc_number[ordered] == ordered + 1) ++ordered;
    if (ordered == map->arc_count) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(first, map->arc_count, error));
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        const uint64_t number = map->arc_number[arc];
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        if (number == MCD_ARC_NONE) {
            MCD_TRY(check_arrival(map, arc, error));
            continue;
        }
        if (number < 1 || number > map->arc_count)
            return mcd_fail_invalid(error, "arc %zu has the number %llu, which is not in 1..%zu", arc,
                                    (unsigned long long)number, map->arc_count);
        if (first[number - 1] && !same_source_arc(map, first[number - 1] - 1, arc))
            return mcd_fail_invalid(error, "two arcs have the number %llu", (unsigned long long)number);
        if (!first[number - 1]) first[number - 1] = arc + 1;
    }
    for (size_t number = 1; number < map->arc_count; ++number)
        if (first[number] && !first[number - 1])
            return mcd_fail_invalid(error, "no arc has the number %zu, but one has %zu", number, number + 1);
    return MACADAM_OK;
}

static macadam_status check_ids(const mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    for (size_t i = 0; i < map->id_count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, map->id_count, error));
        if (i > 0 && map->id[i - 1] >= map->id[i])
            return mcd_fail_invalid(error, "id %lld follows %lld: ids must ascend", (long long)map->id[i],
                                    (long long)map->id[i - 1]);
        if (map->depart[i] >= map->node_count || map->arrive[i] >= map->node_count ||
            map->node_id[map->depart[i]] != map->id[i] || map->node_id[map->arrive[i]] != map->id[i])
            return mcd_fail_invalid(error, "id %lld departs or arrives at a node that is not its own",
                                    (long long)map->id[i]);
    }
    for (size_t node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        if (map->index[node] >= map->id_count || map->id[map->index[node]] != map->node_id[node])
            return mcd_fail_invalid(error, "node %zu has the id %lld, which is not in the index", node,
                                    (long long)map->node_id[node]);
    }
    return MACADAM_OK;
}

static macadam_status check_road_names(const mcd_map *map, macadam_error *error)
{
    if (map->names_bytes == 0 || map->names[0] || map->names[map->names_bytes - 1])
        return mcd_fail_invalid(error, "road names do not begin with an empty one or are not terminated");
    for (size_t i = 0; i < map->number_count; ++i)
        if (map->arc_kind[i] >= map->kind_count)
            return mcd_fail_invalid(error, "arc number %zu is of kind %u of %zu", i + 1, map->arc_kind[i],
                                    map->kind_count);
    for (size_t kind = 0; kind < map->kind_count; ++kind)
        for (int text = 0; text < MCD_KIND_TEXTS; ++text)
            if (map->kind[kind].text[text] >= map->names_bytes)
                return mcd_fail_invalid(error, "kind %zu has text %d at byte %u of %zu", kind, text,
                                        map->kind[kind].text[text], map->names_bytes);
    return MACADAM_OK;
}

static macadam_status check_shapes(const mcd_map *map, macadam_error *error)
{
    if (map->first_shape[0] != 0) return mcd_fail_invalid(error, "shape points do not begin at 0");
    for (size_t i = 0; i < map->number_count; ++i)
        if (map->first_shape[i] > map->first_shape[i + 1])
            return mcd_fail_invalid(error, "arc number %zu has its shape points end before they begin",
                                    i + 1);
    return check_points(map->shape_lon_e7, map->shape_lat_e7, map->first_shape[map->number_count],
                        "shape point", error);
}

static macadam_status check_patterns(const mcd_map *map, macadam_error *error)
{
    const mcd_pattern_table table = {map->pattern, map->pattern_count, map->pattern_slots};
    if (!map->arc_pattern != !map->pattern)
        return mcd_fail_invalid(error, "patterns of speed without their arcs");
    if (!map->pattern) return MACADAM_OK;
    MCD_TRY(mcd_pattern_check_size(table.count, table.slot_count, error));
    const size_t slow = mcd_pattern_find_slow(&table);
    if (slow < table.count)
        return mcd_fail_invalid(error, "pattern %zu of %zu never has the fastest speed, %d", slow,
                                table.count, MCD_PATTERN_FASTEST);
    const size_t arc = mcd_pattern_find_unknown(&table, map->arc_pattern, map->number_count);
    if (arc == map->number_count) return MACADAM_OK;
    return mcd_fail_invalid(error, "arc number %zu has the pattern %u of %zu", arc + 1, map->arc_pattern[arc],
                            table.count);
}

macadam_status mcd_map_check(const mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(check_names(map, error));
    MCD_TRY(check_arrays(map, error));
    if (map->lon_e7) MCD_TRY(check_points(map->lon_e7, map->lat_e7, map->node_count, "node", error));
    MCD_TRY(mcd_watch_step(watch, 0, 1, error));
    MCD_TRY(check_arcs(map, error));
    MCD_TRY(check_potentials(map, error));
    MCD_TRY(check_numbers(map, watch, error));
    MCD_TRY(check_ids(map, watch, error));
    if (map->names) MCD_TRY(check_road_names(map, error));
    if (map->first_shape) MCD_TRY(check_shapes(map, error));
    return check_patterns(map, error);
}
