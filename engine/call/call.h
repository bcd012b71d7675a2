/* call.h - one macadam_call: the declarations that its files share. call.c dispatches; decode.c turns a request
 * into the structures of the typed calls; call_<answer>.c calls these; encode.c fills a Reply; call_reply.c serializes
 * it. */
#ifndef MCD_ENGINE_CALL_CALL_H
#define MCD_ENGINE_CALL_CALL_H

#include "engine/base/arena.h"
#include "engine/base/types.h"
#include "engine/include/structures.h"

#include "macadam/v1/reply.pb-c.h"
#include "macadam/v1/request.pb-c.h"

/* protobuf's own limit for a serialized message. */
#define MCD_REPLY_BYTES_MAX UINT64_C(0x7fffffff)

typedef struct mcd_call {
    macadam_engine *engine;
    macadam_query query;         /* borrows from the unpacked request */
    size_t quantity_count;       /* columns of an answer: 1 to MACADAM_QUANTITIES_MAX */
    macadam_text_options text;   /* of steps; language NULL: none is requested */
    macadam_reply_callback part; /* NULL: the whole answer in one Reply */
    void *part_context;
    uint32_t *const *into;            /* [into_count] NULL, or where the costs go instead of the Reply */
    size_t into_count, into_capacity; /* arrays; costs of each */
    macadam_route **route;            /* NULL, or where the route goes besides */
    macadam_bytes part_buffer;        /* kept from part to part, because its pages are warm; `size` is its
                                * capacity */
    macadam_bytes *reply;             /* the caller's */
    macadam_error *error;             /* never NULL */
    mcd_arena arena;                  /* everything that lives until the call ends */
    struct mcd_binding *bindings;     /* in the arena: binding.h */
    Macadam__V1__Column column[MACADAM_QUANTITIES_MAX + 1]; /* of the next Reply */
    Macadam__V1__Column *columns[MACADAM_QUANTITIES_MAX];
} mcd_call;

/* ---- decode.c ---- */

/* Checks the bytes of a request that protobuf-c has unpacked: its texts in C would end at their first NUL. Returns E_INVALID if
 * one contains a NUL. */
macadam_status mcd_call_check_texts(mcd_call *call, const uint8_t *request, size_t size);

/* Decodes the fields of the message that the structure has. Counts and a first member `size` are set, the other members
 * zero; empty texts are NULL. Borrows from the message and the call's arena. `structure`: its number; `name`: the
 * message, for errors. Returns E_INVALID (columns that do not fit together) or E_MEMORY. */
macadam_status mcd_call_decode(mcd_call *call, const char *name, const ProtobufCMessage *message,
                               int structure, void *out);
#define MCD_CALL_DECODE(call, name, type, message, out)                                                      \
    mcd_call_decode((call), (name), &(message)->base, mcd_number_of_macadam_##type, (out))

/* Decodes the columns of the message that the structure has, into `count` rows: those of an empty column are left as
 * they are. Returns E_INVALID if one is neither empty nor of `count` values. */
macadam_status mcd_call_decode_columns(mcd_call *call, const char *name, const ProtobufCMessage *message,
                                       int structure, size_t count, void *rows);

/* Decodes `places` (NULL = none). */
macadam_status mcd_call_decode_places(mcd_call *call, const char *name, const Macadam__V1__Places *places,
                                      const macadam_place **out, size_t *count);

/* Fills call->query and call->quantity_count. `query` may be NULL. */
macadam_status mcd_call_decode_query(mcd_call *call, const Macadam__V1__Query *query);

/* The engine reports values that are not an order. */
static_assert(MACADAM__V1__ORDER__ORDER_NODES == (int)MACADAM_ORDER_NODES,
              "an Order has the values of macadam_order");

/* For how many rows a source of the query stands, and for how many columns a target: their instants, or 1. */
size_t mcd_call_departs(const mcd_call *call);
size_t mcd_call_arrives(const mcd_call *call);

macadam_status mcd_call_decode_update(mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                      macadam_update_request *out);

/* ---- encode.c ---- */

/* Fills the fields of the message that the structure has, and finishes a route. Copies to the call's arena what the rows
 * do not hold as protobuf-c wants it, and borrows the rest. A message that is not of columns has one row. Returns
 * E_MEMORY. */
macadam_status mcd_call_fill(mcd_call *call, int structure, mcd_items rows, ProtobufCMessage *message);
#define MCD_CALL_FILL(call, type, pointer, count, message)                                                   \
    mcd_call_fill((call), mcd_number_of_macadam_##type, (mcd_items){(pointer), (count), sizeof *(pointer)},  \
                  &(message)->base)

/* Makes `count` empty messages in the call's arena. `*list` becomes protobuf-c's repeated field of them. */
macadam_status mcd_call_new_messages(mcd_call *call, const ProtobufCMessageDescriptor *of, size_t count,
                                     ProtobufCMessage ***list);
#define MCD_CALL_NEW_MESSAGES(call, of, count, list)                                                         \
    mcd_call_new_messages((call), &(of), (count), (ProtobufCMessage ***)(list))

/* ---- call_engine.c ---- */

/* Counts the columns of a tree in this order. Returns E_INVALID for an order that requests do not have. */
macadam_status mcd_call_count_order(mcd_call *call, macadam_order order, size_t *out);
macadam_status mcd_call_count_ids(mcd_call *call, size_t *out);

/* ---- call_found.c ---- */

/* Completes what the route's own members have filled: its legs, steps and alternatives. */
macadam_status mcd_call_finish_route(mcd_call *call, const macadam_route *route,
                                     Macadam__V1__RouteReply *out);

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
/* Gives value[q], `count` costs per quantity: in the call's arena, or the caller's. */
macadam_status mcd_call_new_values(mcd_call *call, size_t count, uint32_t *value[MACADAM_QUANTITIES_MAX]);

/* Returns a column of the next Reply, by its number, that borrows the array; NULL if there is none. */
Macadam__V1__Column *mcd_call_column(mcd_call *call, size_t number, const uint32_t *value, size_t count);
/* Returns its columns number 0 and 1, one for each quantity. */
Macadam__V1__Column **mcd_call_columns(mcd_call *call, const uint32_t *const *value, size_t count);

/* Lists the statuses of `count` rows from row `first` on, of which each place has `times` one after the other. *out borrows
 * `status` or belongs to the call. Returns E_MEMORY. */
macadam_status mcd_call_statuses(mcd_call *call, const macadam_place_status *status, size_t first,
                                 size_t count, size_t times, const macadam_place_status **out);

/* Lets the repeated field borrow an array; NULL: it stays empty. Packing only reads it. */
#define MCD_BORROW(message, field, array, count)                                                             \
    ((message)->field = (void *)(array), (message)->n_##field = (message)->field ? (count) : 0)

/* Gives `text` (NULL = ""), which the call must outlive; if not every decoder accepts it, a repaired copy: utf8.h. */
macadam_status mcd_call_encode_text(mcd_call *call, const char *text, char **out);

#endif
