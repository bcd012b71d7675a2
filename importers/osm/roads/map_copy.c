/* map_copy.c - see map_copy.h. */
#include "importers/osm/roads/map_copy.h"
#include "engine/base/grow.h"

void mcd_copier_free(mcd_copier *copier)
{
    mcd_free(copier->arrival);
    copier->arrival = NULL;
}

/* ---- room ---- */

/* Few maps grow by much: an eighth at a time wastes little. */
static size_t grown(size_t need)
{
    return need + need / 8 + 64;
}

/* Moves an optional array of `count` elements to a block of `capacity`. */
#define EXTEND(array, count, capacity, error)                                                                \
    ((array) ? mcd_resize(&(array), (count), (capacity), sizeof *(array), (error)) : MACADAM_OK)

static macadam_status extend_nodes(mcd_copier *copier, size_t capacity, macadam_error *error)
{
    mcd_map *const map = copier->map;
    const size_t count = map->node_count;
    MCD_TRY(EXTEND(map->node_id, count, capacity, error));
    MCD_TRY(EXTEND(map->index, count, capacity, error));
    MCD_TRY(EXTEND(map->lon_e7, count, capacity, error));
    MCD_TRY(EXTEND(map->lat_e7, count, capacity, error));
    MCD_TRY(EXTEND(copier->arrival, count, capacity, error));
    copier->node_capacity = capacity;
    return MACADAM_OK;
}

static macadam_status extend_arcs(mcd_copier *copier, size_t capacity, macadam_error *error)
{
    mcd_map *const map = copier->map;
    const size_t count = map->arc_count;
    MCD_TRY(EXTEND(map->tail, count, capacity, error));
    MCD_TRY(EXTEND(map->head, count, capacity, error));
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        MCD_TRY(EXTEND(map->weight[quantity], count, capacity, error));
    MCD_TRY(EXTEND(map->arc_number, count, capacity, error));
    MCD_TRY(EXTEND(map->arc_when, count, capacity, error));
    copier->arc_capacity = capacity;
    return MACADAM_OK;
}

static macadam_status reserve_arc(mcd_copier *copier, macadam_error *error)
{
    const size_t count = copier->map->arc_count;
    return count < copier->arc_capacity ? MACADAM_OK : extend_arcs(copier, grown(count), error);
}

static macadam_status check_count(size_t node_count, macadam_error *error)
{
    if (node_count < MCD_NODE_NONE) return MACADAM_OK;
    return mcd_fail_invalid(error, "nodes and copies of split ones are more than %u", MCD_NODE_NONE - 1);
}

/* An arrival is a node at most for each copy, and two arcs: from the copy and from the original. */
macadam_status mcd_copier_reserve(mcd_copier *copier, size_t node_count, size_t arc_count,
                                  macadam_error *error)
{
    const mcd_map *const map = copier->map;
    if (node_count == 0) return MACADAM_OK;
    MCD_TRY(check_count(map->node_count + node_count, error));
    MCD_TRY(extend_nodes(copier, map->node_count + 2 * node_count, error));
    if (!copier->arrival) MCD_TRY(MCD_NEW_ZEROED(copier->arrival, copier->node_capacity, error));
    return extend_arcs(copier, map->arc_count + arc_count + 2 * node_count, error);
}

/* ---- nodes ---- */

macadam_status mcd_copier_node(mcd_copier *copier, mcd_node original, mcd_node *copy, macadam_error *error)
{
    mcd_map *const map = copier->map;
    const size_t count = map->node_count;
    MCD_TRY(check_count(count + 1, error));
    if (count == copier->node_capacity) MCD_TRY(extend_nodes(copier, grown(count), error));
    *copy = (mcd_node)map->node_count++;
    mcd_copier_fill_node(copier, *copy, original, 0);
    return MACADAM_OK;
}

void mcd_copier_fill_node(const mcd_copier *copier, mcd_node copy, mcd_node original, mcd_price price)
{
    const mcd_map *const map = copier->map;
    if (map->node_id) map->node_id[copy] = map->node_id[original];
    map->index[copy] = map->index[original];
    if (map->lon_e7) {
        map->lon_e7[copy] = map->lon_e7[original];
        map->lat_e7[copy] = map->lat_e7[original];
    }
    if (copier->arrival) copier->arrival[copy] = price ? (mcd_weight)price : copier->arrival[original];
}

/* Brings an array back, longer; the elements of copies are those of their originals. */
static macadam_status get_of_nodes(const mcd_map *map, int32_t **slot, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(mcd_spill_get(map->spill, slot, watch, error));
    if (!*slot) return MACADAM_OK;
    int32_t *const of_node = mcd_reallocate(*slot, map->id_count, map->node_count, sizeof **slot);
    if (!of_node) return mcd_fail_memory(error, map->node_count * sizeof **slot);
    for (size_t node = map->id_count; node < map->node_count; ++node)
        of_node[node] = of_node[map->depart[map->index[node]]];
    *slot = of_node;
    return MACADAM_OK;
}

macadam_status mcd_copier_put(mcd_copier *copier, mcd_watch *watch, macadam_error *error)
{
    mcd_map *const map = copier->map;
    if (!map->spill) return MACADAM_OK;
    mcd_free(map->node_id);
    map->node_id = NULL;
    return mcd_map_put(map, MCD_MAP_COORDINATES, watch, error);
}

macadam_status mcd_copier_get(mcd_copier *copier, mcd_watch *watch, macadam_error *error)
{
    mcd_map *const map = copier->map;
    if (!map->spill) return MACADAM_OK;
    MCD_TRY(get_of_nodes(map, &map->lon_e7, watch, error));
    MCD_TRY(get_of_nodes(map, &map->lat_e7, watch, error));
    MCD_TRY(MCD_NEW(map->node_id, map->node_count, error));
    for (size_t node = 0; node < map->node_count; ++node) map->node_id[node] = map->id[map->index[node]];
    return MACADAM_OK;
}

/* ---- arcs ---- */

static void add_price(mcd_weight *weight, mcd_price more)
{
    const int64_t sum = (int64_t)*weight + more;
    *weight = sum < 0 ? 0 : sum < MCD_WEIGHT_MAX ? (mcd_weight)sum : MCD_WEIGHT_MAX;
}

void mcd_copier_fill_arc(const mcd_copier *copier, mcd_arc arc, mcd_arc original, mcd_node tail,
                         mcd_node head, mcd_price more)
{
    mcd_map *const map = copier->map;
    map->tail[arc] = tail;
    map->head[arc] = head;
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        map->weight[quantity][arc] = map->weight[quantity][original];
    add_price(&map->weight[0][arc], more);
    if (map->preference) add_price(&map->weight[map->preference][arc], more);
    map->arc_number[arc] = map->arc_number[original];
    if (map->arc_when) map->arc_when[arc] = map->arc_when[original];
}

macadam_status mcd_copier_arc(mcd_copier *copier, mcd_arc original, mcd_node tail, mcd_node head,
                              macadam_error *error)
{
    MCD_TRY(reserve_arc(copier, error));
    mcd_copier_fill_arc(copier, copier->map->arc_count++, original, tail, head, 0);
    return MACADAM_OK;
}

/* ---- arrivals ---- */

static macadam_status add_arrival_arc(mcd_copier *copier, mcd_node tail, mcd_node arrive,
                                      macadam_error *error)
{
    mcd_map *const map = copier->map;
    MCD_TRY(reserve_arc(copier, error));
    const mcd_arc arc = map->arc_count++;
    map->tail[arc] = tail;
    map->head[arc] = arrive;
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity) map->weight[quantity][arc] = 0;
    if (copier->arrival) map->weight[0][arc] = copier->arrival[tail];
    if (copier->arrival && map->preference) map->weight[map->preference][arc] = copier->arrival[tail];
    map->arc_number[arc] = MCD_ARC_NONE;
    if (map->arc_when) map->arc_when[arc] = 0;
    return MACADAM_OK;
}

/* Copies follow their originals, which depart[] names: the first copy of an id makes its arrival node. */
macadam_status mcd_copier_arrivals(mcd_copier *copier, mcd_watch *watch, macadam_error *error)
{
    mcd_map *const map = copier->map;
    const size_t original_count = map->id_count, node_count = map->node_count;
    for (size_t node = original_count; node < node_count; ++node) {
        const size_t index = map->index[node];
        MCD_TRY(mcd_watch_item(watch, node, node_count, error));
        if (map->arrive[index] == map->depart[index]) {
            MCD_TRY(mcd_copier_node(copier, (mcd_node)node, &map->arrive[index], error));
            MCD_TRY(add_arrival_arc(copier, map->depart[index], map->arrive[index], error));
        }
        MCD_TRY(add_arrival_arc(copier, (mcd_node)node, map->arrive[index], error));
    }
    return MACADAM_OK;
}
