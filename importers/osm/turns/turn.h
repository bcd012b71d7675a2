/* turn.h - forbidden turns and the prices of turns: makes a map in which every path obeys them. */
#ifndef MCD_IMPORTERS_OSM_TURNS_TURN_H
#define MCD_IMPORTERS_OSM_TURNS_TURN_H

#include "importers/osm/roads/map_copy.h"

enum {
    MCD_TURN_ARCS_MAX = 64, /* of a forbidden sequence */
    /* At one node: arcs (or sequences of them) that arrive, times arcs that leave. A junction of 20 two-way
     * roads has 400. */
    MCD_TURNS_AT_NODE_MAX = 16384,
};

#define MCD_TURN_ARRIVES UINT32_MAX
static_assert((uint32_t)MCD_ARC_NONE == MCD_TURN_ARRIVES, "no arc stays no arc when it becomes shorter");

/* From arc `from` straight on into arc `to`, which begins where `from` ends. Maps have fewer than 2^32 - 1
 * arcs (segment.h). */
typedef struct mcd_turn {
    uint32_t from, to; /* arcs; `to` MCD_TURN_ARRIVES: one arrives where `from` ends */
    mcd_price more;    /* what it adds to the first quantity; MCD_PRICE_FORBIDDEN: it may not be made;
                        below MCD_PRICE_MIN: at times it may not */
} mcd_turn;

typedef struct mcd_turns {
    mcd_turn *turn; /* [count]; the first sorted_count ascend */
    size_t count, sorted_count, capacity;
    mcd_arc *path;   /* forbidden sequences of three arcs or more, one after the other */
    size_t *length;  /* [path_count] */
    mcd_price *more; /* [path_count] MCD_PRICE_FORBIDDEN, or when a sequence is shut */
    size_t path_count, length_capacity, path_arc_count, path_capacity, more_capacity;
    mcd_when when; /* what is forbidden next is shut then; 0: always */
} mcd_turns;

/* Forbids paths that hold these arcs one after the other: 2 to MCD_TURN_ARCS_MAX. `turns` begins zeroed. */
macadam_status mcd_turns_forbid(mcd_turns *turns, const mcd_arc *arc, size_t count, macadam_error *error);

/* Until turns->when is 0 again, paths that are forbidden are shut only at these times or, with MCD_WHEN_OPENS, only
 * in all other slots. Returns E_MEMORY. */
macadam_status mcd_turns_time(mcd_turns *turns, mcd_map *map, const mcd_period *period, mcd_when opens,
                              macadam_error *error);

/* Makes a turn cost `more`. If a turn is charged again, or forbidden too, the greatest price holds. If `to`
 * is MCD_ARC_NONE, those pay who arrive by `from`. `more` may be below 0, but the weight of `to` plus `more`
 * may not. */
macadam_status mcd_turns_charge(mcd_turns *turns, mcd_arc from, mcd_arc to, mcd_price more,
                                macadam_error *error);

/* Returns E_FILE if a node has more than MCD_TURNS_AT_NODE_MAX turns: `arriving` arcs, or sequences of
 * them, times `leaving` arcs. `arc` is one of the arcs at the node. */
macadam_status mcd_turns_check_node(const mcd_map *map, mcd_node node, size_t arriving, size_t leaving,
                                    mcd_arc arc, macadam_error *error);

/* Sorts all turns, each once. */
void mcd_turns_sort(mcd_turns *turns);

/* Sorts turn[first .. count), each once; those before it stay. */
void mcd_turns_sort_from(mcd_turns *turns, size_t first);

/* Returns the first of the sorted turns that is not from an arc before this one. */
size_t mcd_turns_first(const mcd_turns *turns, mcd_arc from);

void mcd_turns_free(mcd_turns *turns);

/* Splits the nodes of an indexed map (mcd_map_index_ids) so that no path makes a turn that `turns` forbid,
 * each turn is paid, and every other path stays. Nodes and arcs keep their numbers; copies follow. A route
 * that departs with an arc departs with the arc's original. Returns E_MEMORY, E_FILE (too many turns at a
 * node), E_INVALID (too many nodes or copies, or arcs that do not meet); the map is then only good for
 * mcd_map_free. */
macadam_status mcd_turns_apply(mcd_copier *copier, mcd_turns *turns, const mcd_parallel *parallel,
                               mcd_watch *watch, macadam_error *error);

#endif
