/* core.c - see core.h. Connected parts are trees of nodes with path halving. */
#include "importers/osm/roads/core.h"
#include "engine/map/component.h"

static mcd_node find_part(mcd_node *parent, mcd_node node)
{
    for (; parent[node] != node; node = parent[node]) parent[node] = parent[parent[node]];
    return node;
}

static macadam_status connect_parts(mcd_node *parent, const mcd_map *map, const uint8_t *use,
                                    mcd_watch *watch, macadam_error *error)
{
    for (mcd_node node = 0; node < map->node_count; ++node) parent[node] = node;
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        if (!(use[arc] & MCD_CORE_JOINS)) continue;
        const mcd_node tail = find_part(parent, map->tail[arc]), head = find_part(parent, map->head[arc]);
        parent[tail < head ? head : tail] = tail < head ? tail : head;
    }
    return MACADAM_OK;
}

static macadam_status find_components(mcd_components *out, const mcd_map *map, const mcd_incidence *arcs,
                                      const uint8_t *use, mcd_arena *arena, mcd_watch *watch,
                                      macadam_error *error)
{
    mcd_arc *first, count = 0;
    mcd_node *head;
    MCD_TRY(MCD_ARENA_NEW(arena, first, map->node_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(arena, head, map->arc_count, error));
    for (mcd_node node = 0; node < map->node_count; ++node) {
        first[node] = count;
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        for (mcd_arc at = arcs->first[node]; at < arcs->first[node + 1]; ++at)
            if (use[arcs->arc[at]] & MCD_CORE_LEADS) head[count++] = map->head[arcs->arc[at]];
    }
    first[map->node_count] = count;
    const mcd_graph graph = {.node_count = (mcd_node)map->node_count,
                             .arc_count = (uint32_t)count,
                             .first_out = first,
                             .head = head};
    return mcd_components_new(out, &graph, NULL, watch, error);
}

/* The longest component of each part. */
static macadam_status mark(bool *is_core, mcd_node *parent, const mcd_components *components,
                           const mcd_map *map, const uint8_t *use, const mcd_weight *length_of_arc,
                           mcd_arena *arena, mcd_watch *watch, macadam_error *error)
{
    const uint32_t *const component = components->component;
    uint64_t *length;
    mcd_node *largest; /* the component of the part that a node stands for */
    MCD_TRY(MCD_ARENA_NEW_ZEROED(arena, length, components->count, error));
    MCD_TRY(MCD_ARENA_NEW(arena, largest, map->node_count, error));
    for (mcd_arc arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        if (use[arc] & MCD_CORE_COUNTS) length[component[map->tail[arc]]] += length_of_arc[arc];
    }
    for (mcd_node node = 0; node < map->node_count; ++node) largest[node] = component[node];
    for (mcd_node node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        mcd_node *const best = &largest[find_part(parent, node)];
        if (length[component[node]] > length[*best]) *best = component[node];
    }
    for (mcd_node node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        is_core[node] = length[component[node]] > 0 && component[node] == largest[find_part(parent, node)];
    }
    return MACADAM_OK;
}

macadam_status mcd_cores_find(bool *is_core, const mcd_map *map, const mcd_incidence *out, const uint8_t *use,
                              const mcd_weight *length, mcd_arena *arena, mcd_watch *watch,
                              macadam_error *error)
{
    MCD_FREED_BY(mcd_components_free) mcd_components components = {0};
    mcd_node *parent;
    MCD_TRY(MCD_ARENA_NEW(arena, parent, map->node_count, error));
    MCD_TRY(connect_parts(parent, map, use, watch, error));
    MCD_TRY(find_components(&components, map, out, use, arena, watch, error));
    return mark(is_core, parent, &components, map, use, length, arena, watch, error);
}
