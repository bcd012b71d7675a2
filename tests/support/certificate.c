/* certificate.c - see certificate.h. */
#include "tests/support/certificate.h"

#include "tests/support/checked.h"

static bool is_tight(const oracle_arcs *arcs, const uint32_t *dist, size_t i)
{
    const uint32_t tail_dist = dist[arcs->tail[i]], head_dist = dist[arcs->head[i]];
    return tail_dist != ORACLE_UNREACHED && head_dist != ORACLE_UNREACHED &&
           arcs->objective[i] < ORACLE_COST_END && (uint64_t)tail_dist + arcs->objective[i] == head_dist;
}

static const char *check_arc(uint32_t tail_dist, uint32_t head_dist, uint32_t weight, uint32_t last)
{
    if (tail_dist == ORACLE_UNREACHED || weight >= ORACLE_COST_END) return NULL;
    const uint64_t sum = (uint64_t)tail_dist + weight;
    if (head_dist == ORACLE_UNREACHED)
        return sum > last ? NULL : "an arc leads from a reached to an unreached node";
    return head_dist > sum ? "an arc is over-tight" : NULL;
}

/* How many nodes tight arcs alone reach from the source: a breadth-first search over a CSR of the tight arcs.
 */
static size_t count_spanned(const oracle_arcs *arcs, uint32_t source, const uint32_t *dist)
{
    size_t *first_out = checked_zeroed(arcs->node_count + 2, sizeof *first_out), *next = first_out + 1;
    FREED uint32_t *tight_head = checked_allocate(arcs->arc_count, sizeof *tight_head);
    FREED uint32_t *queue = checked_allocate(arcs->node_count, sizeof *queue);
    FREED bool *seen = checked_zeroed(arcs->node_count, sizeof *seen);
    for (size_t i = 0; i < arcs->arc_count; ++i) next[arcs->tail[i] + 1] += is_tight(arcs, dist, i);
    for (size_t x = 0; x < arcs->node_count; ++x) next[x + 1] += next[x];
    for (size_t i = 0; i < arcs->arc_count; ++i)
        if (is_tight(arcs, dist, i)) tight_head[next[arcs->tail[i]]++] = arcs->head[i];

    size_t queue_count = 0;
    queue[queue_count++] = source;
    seen[source] = true;
    for (size_t q = 0; q < queue_count; ++q)
        for (size_t i = first_out[queue[q]]; i < first_out[queue[q] + 1]; ++i) {
            if (seen[tight_head[i]]) continue;
            seen[tight_head[i]] = true;
            queue[queue_count++] = tight_head[i];
        }
    free(first_out);
    return queue_count;
}

const char *certificate_check(const oracle_arcs *arcs, uint32_t source, bool reverse, uint32_t limit,
                              const uint32_t *dist)
{
    oracle_arcs directed = *arcs; /* as the tree walks them */
    if (reverse) directed.tail = arcs->head, directed.head = arcs->tail;
    const uint32_t last = limit != 0 && limit < ORACLE_COST_END ? limit : ORACLE_COST_END - 1;
    size_t reached_count = 0;
    if (dist[source] != 0) return "the source's cost is not 0";
    for (size_t x = 0; x < arcs->node_count; ++x) {
        if (dist[x] == ORACLE_UNREACHED) continue;
        if (dist[x] > last) return "a cost is beyond the limit";
        ++reached_count;
    }
    for (size_t i = 0; i < arcs->arc_count; ++i) {
        const uint32_t tail_dist = dist[directed.tail[i]], head_dist = dist[directed.head[i]];
        const char *fault = check_arc(tail_dist, head_dist, arcs->objective[i], last);
        if (fault) return fault;
    }
    return count_spanned(&directed, source, dist) == reached_count
               ? NULL
               : "tight arcs do not lead from the source to every reached node";
}
