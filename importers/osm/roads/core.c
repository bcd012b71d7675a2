/* core.c - see core.h. Connected parts are trees of nodes with path halving. */
#include "importers/osm/roads/core.h"
#include "engine/base/memory.h"
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
                                      const uint8_t *use, mcd_watch *watch, macadam_error *error)
{
    mcd_arc *first, count = 0;
    mcd_node *head;
    MCD_TRY(MCD_NEW(first, map->node_count + 1, error));
    macadam_status status = MCD_NEW(head, map->arc_count, error);
    for (mcd_node node = 0; node < map->node_count && !status; ++node) {
        first[node] = count;
        status = mcd_watch_item(watch, node, map->node_count, error);
        for (mcd_arc at = arcs->first[node]; at < arcs->first[node + 1]; ++at)
            if (use[arcs->arc[at]] & MCD_CORE_LEADS) head[count++] = map->head[arcs->arc[at]];
    }
    first[map->node_count] = count;
    const mcd_graph graph = {.node_count = (mcd_node)map->node_count,
                             .arc_count = (uint32_t)count,
                             .first_out = first,
                             .head = head};
    if (!status) status = mcd_components_new(out, &graph, watch, error);
    mcd_free(head);
    mcd_free(first);
    return status;
}

/* `length` is of components. `largest` is scratch: the component of the part that a node stands for. */
static macadam_status mark(bool *is_core, mcd_node *parent, mcd_node *largest,
                           const mcd_components *components, const uint64_t *length, const mcd_map *map,
                           mcd_watch *watch, macadam_error *error)
{
    const uint32_t *const component = components->component;
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

static macadam_status mark_longest(bool *is_core, mcd_node *parent, mcd_node *largest,
                                   const mcd_components *components, const mcd_map *map, const uint8_t *use,
                                   const mcd_weight *length, mcd_watch *watch, macadam_error *error)
{
    uint64_t *of_component;
    MCD_TRY(MCD_NEW_ZEROED(of_component, components->count, error));
    macadam_status status = MACADAM_OK;
    for (mcd_arc arc = 0; arc < map->arc_count && !status; ++arc) {
        status = mcd_watch_item(watch, arc, map->arc_count, error);
        if (use[arc] & MCD_CORE_COUNTS) of_component[components->component[map->tail[arc]]] += length[arc];
    }
    if (!status) status = mark(is_core, parent, largest, components, of_component, map, watch, error);
    mcd_free(of_component);
    return status;
}

macadam_status mcd_cores_find(bool *is_core, const mcd_map *map, const mcd_incidence *out, const uint8_t *use,
                              const mcd_weight *length, mcd_watch *watch, macadam_error *error)
{
    mcd_node *parent = NULL, *largest = NULL;
    mcd_components components = {0};
    macadam_status status = MCD_NEW(parent, map->node_count, error);
    if (status == MACADAM_OK) status = MCD_NEW(largest, map->node_count, error);
    if (status == MACADAM_OK) status = find_components(&components, map, out, use, watch, error);
    if (status == MACADAM_OK) status = connect_parts(parent, map, use, watch, error);
    if (status == MACADAM_OK)
        status = mark_longest(is_core, parent, largest, &components, map, use, length, watch, error);
    mcd_components_free(&components);
    mcd_free(largest);
    mcd_free(parent);
    return status;
}
