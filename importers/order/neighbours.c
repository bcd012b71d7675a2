/* neighbours.c - see neighbours.h. A counting sort of both directions of all arcs. */
#include "importers/order/neighbours.h"
#include "engine/base/memory.h"

#include <string.h>

static macadam_status fill_lists(mcd_neighbours *out, const mcd_node *tail, const mcd_node *head,
                                 size_t arc_count, mcd_watch *watch, macadam_error *error)
{
    uint32_t *const first = out->first;
    for (size_t arc = 0; arc < arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        if (tail[arc] == head[arc]) continue;
        ++first[tail[arc]];
        ++first[head[arc]];
    }
    for (size_t node = 1; node <= out->node_count; ++node) first[node] += first[node - 1];
    for (size_t arc = arc_count; arc-- > 0;) { /* first[v] moves from the end of the list down to its
                                                * beginning */
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        if (tail[arc] == head[arc]) continue;
        out->neighbour[--first[tail[arc]]] = head[arc];
        out->neighbour[--first[head[arc]]] = tail[arc];
    }
    return MACADAM_OK;
}

/* Drops repeated neighbours and closes the gaps. `seen` is scratch. */
static macadam_status drop_duplicates(mcd_neighbours *out, uint32_t *seen, mcd_watch *watch,
                                      macadam_error *error)
{
    memset(seen, 0xff, out->node_count * sizeof *seen);
    uint32_t kept = 0;
    for (uint32_t node = 0; node < out->node_count; ++node) {
        const uint32_t begin = out->first[node], end = out->first[node + 1];
        out->first[node] = kept;
        MCD_TRY(mcd_watch_item(watch, node, out->node_count, error));
        for (uint32_t i = begin; i < end; ++i) {
            const uint32_t other = out->neighbour[i];
            if (seen[other] == node) continue;
            seen[other] = node;
            out->neighbour[kept++] = other;
        }
    }
    out->first[out->node_count] = kept;
    return MACADAM_OK;
}

macadam_status mcd_neighbours_new(mcd_neighbours *out, size_t node_count, const mcd_node *tail,
                                  const mcd_node *head, size_t arc_count, mcd_watch *watch,
                                  macadam_error *error)
{
    *out = (mcd_neighbours){.node_count = node_count};
    uint32_t *seen;
    MCD_TRY(MCD_NEW_ZEROED(out->first, node_count + 1, error));
    MCD_TRY(MCD_NEW(out->neighbour, 2 * arc_count, error));
    MCD_TRY(MCD_NEW(seen, node_count, error));
    macadam_status status = fill_lists(out, tail, head, arc_count, watch, error);
    if (!status) status = drop_duplicates(out, seen, watch, error);
    mcd_free(seen);
    return status;
}

void mcd_neighbours_free(mcd_neighbours *neighbours)
{
    mcd_free(neighbours->first);
    mcd_free(neighbours->neighbour);
    *neighbours = (mcd_neighbours){0};
}
