/* call.h - one macadam_call: the declarations that its files share. call.c dispatches; call_decode.c turns a
 * request into the structures of the typed calls; call_<answer>.c asks the engine and fills a Reply;
 * call_reply.c serializes it. */
#ifndef MCD_ENGINE_CALL_CALL_H
#define MCD_ENGINE_CALL_CALL_H

#include "engine/base/arena.h"
#include "engine/base/types.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

/* protobuf's own limit for a serialized message. */
#define MCD_REPLY_BYTES_MAX UINT64_C(0x7fffffff)

typedef struct mcd_call {
    macadam_engine *engine;
    macadam_query query;           /* borrows from the unpacked request */
    macadam_conditions conditions; /* of the query */
    size_t quantity_count;         /* columns of an answer: 1 to MACADAM_QUANTITIES_MAX */
    macadam_reply_callback part;   /* NULL: the whole answer in one Reply */
    void *part_context;
    macadam_bytes part_buffer; /* kept from part to part, because its pages are warm; `size` is its
                                * capacity */
    macadam_bytes *reply;      /* the caller's */
    macadam_error *error;      /* never NULL */
    mcd_arena arena;           /* everything that lives until the call ends */
} mcd_call;

/* ---- call_decode.c ---- */

/* Unpacks `size` bytes; free *out with mcd_request_free. Returns E_INVALID (malformed bytes) or E_MEMORY. */
macadam_status mcd_request_unpack(Macadam__V1__Request **out, const uint8_t *data, size_t size,
                                  macadam_error *error);
void mcd_request_free(Macadam__V1__Request *request);

/* Fills call->query and call->quantity_count. `query` may be NULL. Returns E_INVALID for too many
 * quantities. */
macadam_status mcd_call_decode_query(mcd_call *call, const Macadam__V1__Query *query);

/* Decodes `places` (NULL = none) into the call's arena. `name`: the field, for messages. Returns E_INVALID
 * (columns that do not fit together) or E_MEMORY. */
macadam_status mcd_call_decode_places(mcd_call *call, const char *name, const Macadam__V1__Places *places,
                                      const macadam_place **out, size_t *count);

/* Returns E_INVALID unless the column `column` of `name` is empty or has a value for each point. */
macadam_status mcd_call_check_column(const mcd_call *call, const char *name, const char *column, size_t count,
                                     size_t point_count);

/* Returns E_INVALID for a value that is not an order. */
macadam_status mcd_call_decode_order(mcd_call *call, Macadam__V1__Order order, macadam_order *out);

/* The engine reports values that are not a method. */
static_assert(MACADAM__V1__TREE_METHOD__METHOD_NEAR_FAR == (int)MACADAM_TREE_NEAR_FAR &&
                  MACADAM__V1__TREE_METHOD__METHOD_FLOYD_WARSHALL == (int)MACADAM_TREE_FLOYD_WARSHALL,
              "a TreeMethod has the values of macadam_tree_method");
static_assert(MACADAM__V1__HOPS_METHOD__HOPS_TWO_PHASE == (int)MACADAM_HOPS_TWO_PHASE &&
                  MACADAM__V1__HOPS_METHOD__HOPS_BOTTOM_UP == (int)MACADAM_HOPS_BOTTOM_UP,
              "a HopsMethod has the values of macadam_hops_method");

/* `out` borrows from `request` and the call's arena. Returns E_INVALID or E_MEMORY. */
macadam_status mcd_call_decode_update(mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                      macadam_update_request *out);

/* ---- call_steps.c ---- */

/* Fills out->step with the steps of the route; `language` is that of their text, "" = none. */
macadam_status mcd_call_encode_steps(mcd_call *call, const macadam_route *route, const char *language,
                                     Macadam__V1__RouteReply *out);

/* ---- call_route.c ---- */

/* Copies the route to the call's arena, but not its alternatives. */
macadam_status mcd_call_encode_route(mcd_call *call, const macadam_route *route, const char *language,
                                     Macadam__V1__RouteReply **out);

/* ---- call_<answer>.c: mcd_call_tree() and so on, each asks the engine and sends the answer with a function of
 * call_reply.c ---- */

/* The asks of a Request: case, type and field. */
/* clang-format off */
#define MCD_CALL_ASKS(ASK) \
    ASK(TREE, Tree, tree) ASK(ROUTE, Route, route) ASK(ROUTES, Routes, routes) \
    ASK(MATRIX, Matrix, matrix) ASK(SNAP, Snap, snap) ASK(UPDATE, Update, update) \
    ASK(INFO, Info, info) ASK(IDS, Ids, ids) ASK(VERIFY, Verify, verify) \
    ASK(REACH, Reach, reach) ASK(ISOCHRONE, Isochrone, isochrone) ASK(ROADS, Roads, roads) \
    ASK(RINGS, Rings, rings) ASK(HOPS, Hops, hops) ASK(CONNECT, Connect, connect) \
    ASK(ALL_PAIRS, AllPairs, all_pairs) ASK(CLOSURE, Closure, closure) ASK(WARM, Warm, warm) \
    ASK(MATCH, Match, match) ASK(TRIP, Trip, trip)
/* clang-format on */

#define MCD_CALL_DECLARE(CASE, type, name)                                                                   \
    macadam_status mcd_call_##name(mcd_call *call, const Macadam__V1__##type##Request *request);
MCD_CALL_ASKS(MCD_CALL_DECLARE)

/* ---- call_reply.c ---- */

/* Serializes a Reply with `answer`, one of its answers, into the caller's bytes. Returns E_MEMORY, or E_LIMIT
 * if it is longer than a message can be. */
macadam_status mcd_call_send(mcd_call *call, const ProtobufCMessage *answer);
/* Likewise a tile, but passes it to the call's `part`, if there is one. Returns the same errors, or E_CANCELLED
 * if `part` asks to stop. */
macadam_status mcd_call_send_tile(mcd_call *call, const ProtobufCMessage *tile);
/* Ends a streamed answer: a Reply of STATUS_OK without an answer. */
macadam_status mcd_call_send_end(mcd_call *call);
/* Sends status and message. On failure the caller's bytes stay empty. */
void mcd_call_send_failure(mcd_call *call, macadam_status status);

/* Returns E_LIMIT if `rows` * `columns` cells of every quantity are more than one Reply can hold; called
 * before any work. */
macadam_status mcd_call_check_cells(mcd_call *call, size_t rows, size_t columns);
/* Allocates value[q], `count` costs per quantity, in the call's arena. */
macadam_status mcd_call_new_values(mcd_call *call, size_t count, uint32_t *value[MACADAM_QUANTITIES_MAX]);

/* Returns a column of a Reply that borrows the array. */
Macadam__V1__Column mcd_column(const uint32_t *value, size_t count);

/* Columns of a Reply that borrow the caller's arrays; must not be moved. */
typedef struct mcd_columns {
    Macadam__V1__Column column[MACADAM_QUANTITIES_MAX];
    Macadam__V1__Column *list[MACADAM_QUANTITIES_MAX];
} mcd_columns;
void mcd_columns_borrow(mcd_columns *columns, const mcd_call *call, const uint32_t *const *value,
                        size_t count);

/* Returns the array in the type that protobuf-c wants: not const, of its own enum. */
Macadam__V1__PlaceStatus *mcd_place_statuses(const macadam_place_status *status);

/* Copies `text` (NULL = "") to the call's arena, repaired so that every decoder accepts it: utf8.h. */
macadam_status mcd_call_encode_text(mcd_call *call, const char *text, char **out);

#endif
