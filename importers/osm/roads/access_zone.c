/* access_zone.c - see access_zone.h.
 *
 * Method: the map has three layers. A route begins in the first one and stays there until its first public arc,
 * which leads to the second layer. There it stays until the next destination-only arc, which leads to the third
 * layer, where no public arc follows. Arcs of gated areas stay in the first layer if no public road leads out of
 * them, are in the third if none leads into them, and are public otherwise:
 *
 *        1   . ==> . ~~> .                  ==> destination-only
 *                         \                 ~~> of gated areas
 *        2                 . --> . ~~> .     --> public
 *                                       \\
 *        3                               . ~~> . ==> .
 *
 * A node needs a copy only in the layers where a path can come to it. Two layers that permit the same share a
 * copy: the first and the second one do at a node that only public arcs leave. So almost all of a map stays as
 * it is. The original stands for the first layer that the node is in; where an id departs, that is layer 1.
 *
 * Why it is right: the layers are the states of the automaton that reads (destination-only | no exit)* (public |
 * gated area)* (destination-only | no entry)*, and a route may arrive in each of them. */
#include "importers/osm/roads/access_zone.h"
#include "importers/base/incidence.h"

enum { FIRST, SECOND, THIRD, LAYERS };

/* Facts about a node. */
enum { DEPARTS = 1, FIRST_IN = 2, SECOND_IN = 4, THIRD_IN = 8, DEPENDS = 16 };

typedef struct layer_splitter {
    mcd_copier *copier;
    mcd_map *map;
    const uint8_t *use;
    size_t node_count, arc_count; /* of the originals */
    uint8_t *at;                  /* [node_count] DEPARTS | ... */
    mcd_node *copy[LAYERS];       /* [node_count] MCD_NODE_NONE: no path comes there */
    mcd_watch *watch;
} layer_splitter;

static mcd_road_use use_of(const layer_splitter *splitter, mcd_arc arc)
{
    return (mcd_road_use)splitter->use[splitter->map->arc_number[arc] - 1];
}

/* FIRST_IN ...: a path may come in that layer. DEPENDS: from the first layer and from the second one the ways
 * on differ. *found: there is an arc that is not public. */
static macadam_status look_around(layer_splitter *splitter, bool *found, macadam_error *error)
{
    const mcd_map *const map = splitter->map;
    *found = false;
    for (size_t index = 0; index < map->id_count; ++index) splitter->at[map->depart[index]] |= DEPARTS;
    for (mcd_arc arc = 0; arc < splitter->arc_count; ++arc) {
        static const uint8_t in[] = {SECOND_IN, FIRST_IN, SECOND_IN | THIRD_IN, FIRST_IN | THIRD_IN,
                                     FIRST_IN | THIRD_IN};
        const mcd_road_use use = use_of(splitter, arc);
        MCD_TRY(mcd_watch_item(splitter->watch, arc, splitter->arc_count, error));
        splitter->at[map->head[arc]] |= in[use];
        if (use != MCD_ROAD_PUBLIC) splitter->at[map->tail[arc]] |= DEPENDS;
        *found = *found || use != MCD_ROAD_PUBLIC;
    }
    return MACADAM_OK;
}

/* The second layer goes on over arcs of gated areas. */
static macadam_status spread(layer_splitter *splitter, const mcd_parallel *parallel, macadam_error *error)
{
    const mcd_map *const map = splitter->map;
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    mcd_incidence out; /* of the originals, by tail */
    mcd_node *queue;
    size_t count = 0;
    MCD_TRY(mcd_incidence_new(&out, &arena, splitter->node_count, map->tail, splitter->arc_count, parallel,
                              splitter->watch, error));
    MCD_TRY(MCD_ARENA_NEW(&arena, queue, splitter->node_count, error));
    for (mcd_node node = 0; node < splitter->node_count; ++node)
        if ((splitter->at[node] & (SECOND_IN | DEPENDS)) == (SECOND_IN | DEPENDS)) queue[count++] = node;
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_watch_item(splitter->watch, i, count, error));
        for (mcd_arc at = out.first[queue[i]]; at < out.first[queue[i] + 1]; ++at) {
            const mcd_node head = map->head[out.arc[at]];
            if (use_of(splitter, out.arc[at]) == MCD_ROAD_DESTINATION_ONLY || splitter->at[head] & SECOND_IN)
                continue;
            splitter->at[head] |= SECOND_IN;
            queue[count++] = head;
        }
    }
    return MACADAM_OK;
}

/* The node's copies, layer by layer; the first one is the original. */
static macadam_status add_copies(layer_splitter *splitter, mcd_node node, macadam_error *error)
{
    const uint8_t at = splitter->at[node];
    const bool needed[LAYERS] = {(at & (DEPARTS | FIRST_IN)) != 0, (at & SECOND_IN) != 0,
                                 (at & THIRD_IN) != 0};
    bool taken = false;
    for (int layer = 0; layer < LAYERS; ++layer) {
        mcd_node *const copy = &splitter->copy[layer][node];
        *copy = MCD_NODE_NONE;
        if (!needed[layer]) continue;
        if (!taken)
            *copy = node;
        else if (layer == SECOND && !(at & DEPENDS))
            *copy = splitter->copy[FIRST][node];
        else
            MCD_TRY(mcd_copier_node(splitter->copier, node, copy, error));
        taken = true;
    }
    return MACADAM_OK;
}

/* The layer that an arc leads to from another; LAYERS: it may not follow. */
static const int layer_after[LAYERS][MCD_ROAD_DESTINATION_ONLY + 1] = {
    {SECOND, FIRST, SECOND, FIRST, FIRST},
    {SECOND, SECOND, SECOND, SECOND, THIRD},
    {LAYERS, LAYERS, THIRD, THIRD, THIRD}};

/* The arc in each layer that its tail is in. The original of an arc leaves the original of its tail. */
static macadam_status add_arcs(layer_splitter *splitter, mcd_arc arc, macadam_error *error)
{
    mcd_map *const map = splitter->map;
    const mcd_node tail = map->tail[arc], head = map->head[arc];
    mcd_node last = MCD_NODE_NONE;
    for (int layer = 0; layer < LAYERS; ++layer) {
        const mcd_node copy = splitter->copy[layer][tail];
        const int next = layer_after[layer][use_of(splitter, arc)];
        if (copy == MCD_NODE_NONE || copy == last || next == LAYERS) continue;
        last = copy;
        if (copy == tail)
            map->head[arc] = splitter->copy[next][head];
        else
            MCD_TRY(mcd_copier_arc(splitter->copier, arc, copy, splitter->copy[next][head], error));
    }
    return MACADAM_OK;
}

macadam_status mcd_access_zones_apply(mcd_copier *copier, const uint8_t *use, const mcd_parallel *parallel,
                                      mcd_watch *watch, macadam_error *error)
{
    const size_t node_count = copier->map->node_count;
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    layer_splitter splitter = {.copier = copier,
                               .map = copier->map,
                               .use = use,
                               .watch = watch,
                               .node_count = node_count,
                               .arc_count = copier->map->arc_count};
    bool found;
    MCD_TRY(MCD_ARENA_NEW_ZEROED(&arena, splitter.at, node_count, error));
    MCD_TRY(look_around(&splitter, &found, error));
    if (!found) return MACADAM_OK;
    MCD_TRY(spread(&splitter, parallel, error));
    for (int layer = 0; layer < LAYERS; ++layer)
        MCD_TRY(MCD_ARENA_NEW(&arena, splitter.copy[layer], node_count, error));
    for (size_t node = 0; node < node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, node_count, error));
        MCD_TRY(add_copies(&splitter, (mcd_node)node, error));
    }
    for (mcd_arc arc = 0; arc < splitter.arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, splitter.arc_count, error));
        MCD_TRY(add_arcs(&splitter, arc, error));
    }
    return MACADAM_OK;
}
