/* node_flow.h - separates the source of a piece from its sink by as few vertices as possible. */
#ifndef MCD_IMPORTERS_ORDER_NODE_FLOW_H
#define MCD_IMPORTERS_ORDER_NODE_FLOW_H

#include "engine/base/arena.h"
#include "engine/base/watch.h"
#include "importers/order/flow_graph.h"

typedef struct mcd_node_flow mcd_node_flow;

/* For graphs of up to `vertex_count` vertices. Memory: 40 bytes per vertex, from the arena. */
macadam_status mcd_node_flow_new(mcd_node_flow **out, mcd_arena *arena, size_t vertex_count,
                                 macadam_error *error);

/* Returns the number of vertices in a least separator; stops once it is more than `limit`, or when the watch
 * says so: the number then means nothing. A separator may hold vertices of the source and of the sink.
 * Threads: calls that overlap have different vertices. */
uint64_t mcd_node_flow_send(const mcd_node_flow *flow, const mcd_flow_graph *graph,
                            const mcd_flow_piece *piece, const uint32_t *role, const mcd_flow_rim *rim,
                            uint64_t limit, const mcd_watch *watch);

/* Call it after mcd_node_flow_send, unless that passed the limit. Sets side[vertex] = 0, 1, or MCD_SEPARATES
 * for the more balanced one of the least separators next to the source and next to the sink. Returns the
 * number of vertices on the lighter side. */
uint64_t mcd_node_flow_take_side(const mcd_node_flow *flow, const mcd_flow_graph *graph,
                                 const mcd_flow_piece *piece, const uint32_t *role, const mcd_flow_rim *rim,
                                 uint8_t *side);

#endif
