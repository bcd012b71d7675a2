/* layer.c - see layer.h.
 *
 * Method: the map has three layers. A route begins in the first one and stays there as long as its arcs are
 * destination-only. Its first other arc leads to the second layer, which has only such other arcs. The next
 * destination-only arc leads to the third layer, which has only destination-only arcs:
 *
 *        1   . ==> . ==> .                  ==> destination-only
 *                         \                 --> others
 *        2                 . --> . --> .
 *                                       \\
 *        3                               . ==> . ==> .
 *
 * A node needs a copy only in the layers where a path can come to it. Two layers that permit the same share a
 * copy: the first and the second one do at a node without a destination-only arc out of it. So almost all of
 * a map stays as it is. The original stands for the first layer that the node is in; where an id departs,
 * that is layer 1.
 *
 * Why it is right: the layers are the states of the automaton that reads (destination-only)* (other)*
 * (destination-only)*, and a route may arrive in each of them. */
#include "importers/osm/layer.h"
#include "engine/base/memory.h"

enum { FIRST, SECOND, THIRD, LAYERS };

/* Facts about a node. */
enum { DEPARTS = 1, ENDS_IN = 2, ENDS_OUT = 4, OTHERS_IN = 8 };

typedef struct layer_splitter {
    mcd_copier *copier;
    mcd_map *map;
    const bool *destination_only;
    size_t node_count, arc_count; /* of the originals */
    uint8_t *at;                  /* [node_count] DEPARTS | ... */
    mcd_node *copy[LAYERS];       /* [node_count] MCD_NODE_NONE: no path comes there */
} layer_splitter;

static bool is_destination_only(const layer_splitter *splitter, mcd_arc arc)
{
    return splitter->destination_only[splitter->map->arc_number[arc] - 1];
}

/* Whether there is any destination-only arc. */
static bool look_around(layer_splitter *splitter)
{
    const mcd_map *const map = splitter->map;
    bool found = false;
    for (size_t index = 0; index < map->id_count; ++index) splitter->at[map->depart[index]] |= DEPARTS;
    for (mcd_arc arc = 0; arc < splitter->arc_count; ++arc) {
        const bool ends = is_destination_only(splitter, arc);
        splitter->at[map->head[arc]] |= ends ? ENDS_IN : OTHERS_IN;
        if (ends) splitter->at[map->tail[arc]] |= ENDS_OUT;
        found = found || ends;
    }
    return found;
}

/* The node's copies, layer by layer; the first one is the original. */
static macadam_status add_copies(layer_splitter *splitter, mcd_node node, macadam_error *error)
{
    const uint8_t at = splitter->at[node];
    const bool needed[LAYERS] = {(at & (DEPARTS | ENDS_IN)) != 0, (at & OTHERS_IN) != 0, (at & ENDS_IN) != 0};
    bool taken = false;
    for (int layer = 0; layer < LAYERS; ++layer) {
        mcd_node *const copy = &splitter->copy[layer][node];
        *copy = MCD_NODE_NONE;
        if (!needed[layer]) continue;
        if (!taken)
            *copy = node;
        else if (layer == SECOND && !(at & ENDS_OUT))
            *copy = splitter->copy[FIRST][node];
        else
            MCD_TRY(mcd_copier_node(splitter->copier, node, copy, error));
        taken = true;
    }
    return MACADAM_OK;
}

/* The layer that an arc leads to from `layer`; LAYERS: it may not follow. */
static int layer_after(int layer, bool destination_only)
{
    static const int after[LAYERS][2] = {{SECOND, FIRST}, {SECOND, THIRD}, {LAYERS, THIRD}};
    return after[layer][destination_only];
}

/* The arc in each layer that its tail is in. The original of an arc leaves the original of its tail. */
static macadam_status add_arcs(layer_splitter *splitter, mcd_arc arc, macadam_error *error)
{
    mcd_map *const map = splitter->map;
    const mcd_node tail = map->tail[arc], head = map->head[arc];
    mcd_node last = MCD_NODE_NONE;
    for (int layer = 0; layer < LAYERS; ++layer) {
        const mcd_node copy = splitter->copy[layer][tail];
        const int next = layer_after(layer, is_destination_only(splitter, arc));
        if (copy == MCD_NODE_NONE || copy == last || next == LAYERS) continue;
        last = copy;
        if (copy == tail)
            map->head[arc] = splitter->copy[next][head];
        else
            MCD_TRY(mcd_copier_arc(splitter->copier, arc, copy, splitter->copy[next][head], 0, error));
    }
    return MACADAM_OK;
}

static macadam_status split(layer_splitter *splitter, macadam_error *error)
{
    const size_t node_count = splitter->node_count;
    MCD_TRY(MCD_NEW_ZEROED(splitter->at, node_count, error));
    if (!look_around(splitter)) return MACADAM_OK;
    for (int layer = 0; layer < LAYERS; ++layer) MCD_TRY(MCD_NEW(splitter->copy[layer], node_count, error));
    for (size_t node = 0; node < node_count; ++node) MCD_TRY(add_copies(splitter, (mcd_node)node, error));
    for (mcd_arc arc = 0; arc < splitter->arc_count; ++arc) MCD_TRY(add_arcs(splitter, arc, error));
    return MACADAM_OK;
}

macadam_status mcd_layers_apply(mcd_copier *copier, const bool *destination_only, macadam_error *error)
{
    layer_splitter splitter = {.copier = copier,
                               .map = copier->map,
                               .destination_only = destination_only,
                               .node_count = copier->map->node_count,
                               .arc_count = copier->map->arc_count};
    const macadam_status status = split(&splitter, error);
    mcd_free(splitter.at);
    for (int layer = 0; layer < LAYERS; ++layer) mcd_free(splitter.copy[layer]);
    return status;
}
