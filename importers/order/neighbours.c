/* neighbours.c - see neighbours.h. A counting sort of both directions of all arcs. */
#include "importers/order/neighbours.h"
#include "engine/base/memory.h"

#include <string.h>

static void fill_lists(mcd_neighbours *out, const mcd_node *tail, const mcd_node *head, size_t arc_count)
{
    uint32_t *const first = out->first;
    for (size_t arc = 0; arc < arc_count; ++arc) {
        if (tail[arc] == head[arc]) continue;
        ++first[tail[arc]];
        ++first[head[arc]];
    }
    for (size_t node = 1; node <= out->node_count; ++node) first[node] += first[node - 1];
    for (size_t arc = arc_count; arc-- > 0;) { /* first[v] moves from the end of the list down to its
                                                * beginning */
        if (tail[arc] == head[arc]) continue;
        out->neighbour[--first[tail[arc]]] = head[arc];
        out->neighbour[--first[head[arc]]] = tail[arc];
    }
}

/* Drops repeated neighbours and closes the gaps. `seen` is scratch. */
static void drop_duplicates(mcd_neighbours *out, uint32_t *seen)
{
    memset(seen, 0xff, out->node_count * sizeof *seen);
    uint32_t kept = 0;
    for (uint32_t node = 0; node < out->node_count; ++node) {
        const uint32_t begin = out->first[node], end = out->first[node + 1];
        out->first[node] = kept;
        for (uint32_t i = begin; i < end; ++i) {
            const uint32_t other = out->neighbour[i];
            if (seen[other] == node) continue;
            seen[other] = node;
            out->neighbour[kept++] = other;
        }
    }
    out->first[out->node_count] = kept;
}

macadam_status mcd_neighbours_new(mcd_neighbours *out, size_t node_count, const mcd_node *tail,
                                  const mcd_node *head, size_t arc_count, macadam_error *error)
{
    *out = (mcd_neighbours){.node_count = node_count};
    uint32_t *seen;
    MCD_TRY(MCD_NEW_ZEROED(out->first, node_count + 1, error));
    MCD_TRY(MCD_NEW(out->neighbour, 2 * arc_count, error));
    MCD_TRY(MCD_NEW(seen, node_count, error));
    fill_lists(out, tail, head, arc_count);
    drop_duplicates(out, seen);
    mcd_free(seen);
    return MACADAM_OK;
}

void mcd_neighbours_free(mcd_neighbours *neighbours)
{
    mcd_free(neighbours->first);
    mcd_free(neighbours->neighbour);
    *neighbours = (mcd_neighbours){0};
}
