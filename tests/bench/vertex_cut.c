/* vertex_cut.c - see vertex_cut.h. A flow of 1 per node: each node x becomes an arc from 2x (in) to 2x + 1
 * (out); edges and the ends of the two sets have no capacity limit. Arc a and its reverse a ^ 1 share a
 * flow. */
#include "tests/bench/vertex_cut.h"

#include "tests/support/checked.h"

#include <string.h>

enum { NONE = -1, UNLIMITED = 2 };

typedef struct flow_network {
    size_t state_count;
    int32_t *first_arc, *next_arc; /* per state, per arc: a list */
    uint32_t *head;
    uint8_t *residual; /* 0, 1 or UNLIMITED */
    int32_t arc_count;
    int32_t *entry; /* the arc by which the last search found a state, NONE: not found */
    uint32_t *queue;
} flow_network;

static void add_arc(flow_network *network, uint32_t tail, uint32_t head, uint8_t capacity)
{
    for (int reverse = 0; reverse < 2; ++reverse) {
        const int32_t arc = network->arc_count++;
        const uint32_t from = reverse ? head : tail;
        network->head[arc] = reverse ? tail : head;
        network->residual[arc] = reverse ? 0 : capacity;
        network->next_arc[arc] = network->first_arc[from];
        network->first_arc[from] = arc;
    }
}

/* Searches from `source`; true if it finds `target`. */
static int search(flow_network *network, uint32_t source, uint32_t target)
{
    size_t queue_count = 0;
    memset(network->entry, NONE, network->state_count * sizeof *network->entry);
    network->queue[queue_count++] = source;
    for (size_t q = 0; q < queue_count; ++q)
        for (int32_t arc = network->first_arc[network->queue[q]]; arc != NONE; arc = network->next_arc[arc]) {
            const uint32_t head = network->head[arc];
            if (network->residual[arc] == 0 || network->entry[head] != NONE || head == source) continue;
            network->entry[head] = arc;
            network->queue[queue_count++] = head;
        }
    return network->entry[target] != NONE;
}

/* Sends 1 along the path that the last search found. An arc without limit keeps its capacity, and its reverse
 * counts what was sent: at most 1, for each of its ends lets 1 through. */
static void augment(flow_network *network, uint32_t source, uint32_t target)
{
    for (uint32_t state = target; state != source; state = network->head[network->entry[state] ^ 1]) {
        const int32_t arc = network->entry[state];
        if (network->residual[arc] != UNLIMITED) --network->residual[arc];
        if (network->residual[arc ^ 1] != UNLIMITED) ++network->residual[arc ^ 1];
    }
}

size_t vertex_cut(size_t node_count, size_t edge_count, const uint32_t *const end[2], size_t first_count,
                  const uint32_t *first, size_t last_count, const uint32_t *last, uint8_t *side)
{
    const size_t state_count = 2 * node_count + 2,
                 arc_count = node_count + 2 * edge_count + first_count + last_count;
    const uint32_t source = (uint32_t)state_count - 2, target = (uint32_t)state_count - 1;
    flow_network network = {.state_count = state_count};
    network.first_arc = checked_allocate(state_count, sizeof *network.first_arc);
    network.entry = checked_allocate(state_count, sizeof *network.entry);
    network.queue = checked_allocate(state_count, sizeof *network.queue);
    network.next_arc = checked_allocate(2 * arc_count, sizeof *network.next_arc);
    network.head = checked_allocate(2 * arc_count, sizeof *network.head);
    network.residual = checked_allocate(2 * arc_count, sizeof *network.residual);
    memset(network.first_arc, NONE, state_count * sizeof *network.first_arc);
    for (uint32_t x = 0; x < node_count; ++x) add_arc(&network, 2 * x, 2 * x + 1, 1);
    for (size_t i = 0; i < edge_count; ++i)
        for (int way = 0; way < 2; ++way)
            add_arc(&network, 2 * end[way][i] + 1, 2 * end[1 - way][i], UNLIMITED);
    for (size_t i = 0; i < first_count; ++i) add_arc(&network, source, 2 * first[i], UNLIMITED);
    for (size_t i = 0; i < last_count; ++i) add_arc(&network, 2 * last[i] + 1, target, UNLIMITED);

    size_t cut_count = 0;
    for (; search(&network, source, target); ++cut_count) augment(&network, source, target);
    for (size_t x = 0; x < node_count; ++x)
        side[x] = network.entry[2 * x + 1] != NONE ? SIDE_FIRST
                  : network.entry[2 * x] != NONE   ? SIDE_CUT
                                                   : SIDE_LAST;
    free(network.first_arc);
    free(network.entry);
    free(network.queue);
    free(network.next_arc);
    free(network.head);
    free(network.residual);
    return cut_count;
}
