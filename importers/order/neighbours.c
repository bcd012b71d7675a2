/* neighbours.c - see neighbours.h. A counting sort of both directions of all arcs. */
#include "importers/order/neighbours.h"
#include "engine/base/grow.h"

static macadam_status fill_lists(mcd_neighbours *out, const uint32_t *node_of, const mcd_node *tail,
                                 const mcd_node *head, size_t arc_count, mcd_watch *watch,
                                 macadam_error *error)
{
    uint32_t *const first = out->first;
    for (size_t arc = 0; arc < arc_count; ++arc) {
        const uint32_t a = node_of ? node_of[tail[arc]] : tail[arc],
                       b = node_of ? node_of[head[arc]] : head[arc];
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        if (a == b) continue;
        ++first[a];
        ++first[b];
    }
    for (size_t node = 1; node <= out->node_count; ++node) first[node] += first[node - 1];
    MCD_TRY(MCD_NEW(out->neighbour, first[out->node_count], error));
    for (size_t arc = arc_count; arc-- > 0;) { /* first[v] moves from the end of the list down to its
                                                * beginning */
        const uint32_t a = node_of ? node_of[tail[arc]] : tail[arc],
                       b = node_of ? node_of[head[arc]] : head[arc];
        MCD_TRY(mcd_watch_item(watch, arc, arc_count, error));
        if (a == b) continue;
        out->neighbour[--first[a]] = b;
        out->neighbour[--first[b]] = a;
    }
    return MACADAM_OK;
}

/* Drops repeated neighbours, closes the gaps and gives the rest of the memory back. `seen` is scratch. */
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
    return MCD_SHRINK(out->neighbour, kept, error);
}

macadam_status mcd_neighbours_new(mcd_neighbours *out, size_t node_count, const uint32_t *node_of,
                                  const mcd_node *tail, const mcd_node *head, size_t arc_count,
                                  mcd_watch *watch, macadam_error *error)
{
    *out = (mcd_neighbours){.node_count = node_count};
    MCD_OWNED uint32_t *seen = NULL;
    MCD_TRY(MCD_NEW_ZEROED(out->first, node_count + 1, error));
    MCD_TRY(fill_lists(out, node_of, tail, head, arc_count, watch, error));
    MCD_TRY(MCD_NEW(seen, node_count, error));
    return drop_duplicates(out, seen, watch, error);
}

MCD_DEFINE_FREE(mcd_neighbours_free, mcd_neighbours, it->first, it->neighbour)
