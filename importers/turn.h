/* turn.h - forbidden turns, and a map in which they cannot be made. */
#ifndef MCD_TURN_H
#define MCD_TURN_H

#include "engine/map.h"

/* From arc `from` straight on into arc `to`, which begins where `from` ends. */
typedef struct mcd_turn {
    mcd_arc from, to;
} mcd_turn;

typedef struct mcd_turns {
    mcd_turn *turn; /* [count] in any order; repeated ones count once */
    size_t count, capacity;
} mcd_turns;

/* Appends a turn. `turns` begins zeroed. */
macadam_status mcd_turns_forbid(mcd_turns *turns, mcd_arc from, mcd_arc to, macadam_error *error);

void mcd_turns_free(mcd_turns *turns);

/* Splits the nodes of an indexed map (mcd_map_index_ids) so that no path makes a turn of `turns`, which are
 * sorted in place, and every other path stays. Nodes and arcs keep their numbers; new ones follow. Returns
 * E_MEMORY, E_INVALID (too many nodes, or a turn whose arcs do not meet); the map is then only good for
 * mcd_map_free. */
macadam_status mcd_turns_apply(mcd_map *map, mcd_turns *turns, macadam_error *error);

#endif
