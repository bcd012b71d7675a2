/* columns.h - messages filled from structures of macadam.h: one walk over a catalogue of their members and protobuf-c's
 * descriptors. A member of every row becomes a column, an array with its count a column too, rows within rows a
 * message of their own. */
#ifndef MCD_ENGINE_CALL_COLUMNS_H
#define MCD_ENGINE_CALL_COLUMNS_H

#include "engine/call/call.h"

/* What fills messages: the catalogue's structures. */
typedef struct mcd_structure mcd_structure;
extern const mcd_structure mcd_of_branch, mcd_of_connection, mcd_of_facts, mcd_of_info, mcd_of_intersection,
    mcd_of_isochrone, mcd_of_isochrone_points, mcd_of_lane, mcd_of_match_point, mcd_of_matches,
    mcd_of_matching, mcd_of_reached_arc, mcd_of_rings, mcd_of_roads, mcd_of_roads_points, mcd_of_route,
    mcd_of_snap, mcd_of_step, mcd_of_tile, mcd_of_trip;

/* Rows of one structure: the i-th begins i * stride bytes after `first`. */
typedef struct mcd_rows {
    const void *first;
    size_t count, stride;
} mcd_rows;

/* Fills the fields of `message` that the catalogue has of `structure`; `message` must have them. Copies to the call's
 * arena what the rows do not hold as protobuf-c wants it, and borrows the rest. A message that is not of columns has
 * one row. Returns E_MEMORY. */
macadam_status mcd_call_fill(mcd_call *call, const mcd_structure *structure, mcd_rows rows,
                             ProtobufCMessage *message);
#define MCD_CALL_FILL(call, structure, pointer, count, message)                                              \
    mcd_call_fill((call), &(structure), (mcd_rows){(pointer), (count), sizeof *(pointer)}, &(message)->base)

/* Makes `count` empty messages in the call's arena. `*list` becomes protobuf-c's repeated field of them. */
macadam_status mcd_call_new_messages(mcd_call *call, const ProtobufCMessageDescriptor *of, size_t count,
                                     ProtobufCMessage ***list);
#define MCD_CALL_NEW_MESSAGES(call, of, count, list)                                                         \
    mcd_call_new_messages((call), &(of), (count), (ProtobufCMessage ***)(list))

#endif
