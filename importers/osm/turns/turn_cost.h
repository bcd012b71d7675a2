/* turn_cost.h - the rules of junctions that no restriction states: U-turns, the time for turning, waits. */
#ifndef MCD_IMPORTERS_OSM_TURNS_TURN_COST_H
#define MCD_IMPORTERS_OSM_TURNS_TURN_COST_H

#include "importers/osm/roads/segment.h"
#include "importers/osm/turns/turn.h"

/* Adds to `turns` what the profile forbids and charges on `map`, which is not split yet. A U-turn is made
 * where no other way on is open to those who come that way: where no turn of `turns` forbids the way on and
 * it is not a destination-only road that begins there. A way on that is blind does not count: turning back at
 * its end is impossible, and it has no way on that is not blind. Sequences of three arcs or more are not
 * looked at. A turn's angle is that between the last and the next shape point; it has a price where there is
 * a choice, a U-turn always. Those who follow a circle drive straight on. A hairpin is a turn back within 30 m
 * to either side of the node, over several points and arcs too, unless both roads are two-way; it always has
 * the price of a turn of 121 degrees to its side, and across oncoming traffic if it is sharper than 170 degrees.
 * The price is kept apart from the weight of the second arc: an update of that weight leaves it. All of `turns`
 * are then sorted. Returns E_MEMORY, E_CANCELLED, E_FILE (too many turns at a node). */
macadam_status mcd_turn_costs_add(const mcd_profile *profile, const mcd_map *map,
                                  const mcd_segments *segments, mcd_turns *turns,
                                  const mcd_parallel *parallel, const mcd_progress *progress,
                                  macadam_error *error);

/* The angle of the turn from one arc into another, between the last shape point before the turn and the next
 * one after it: degrees off straight on, above 0 to the left. The arcs need not meet. */
double mcd_turn_degrees(const mcd_map *map, mcd_arc from, mcd_arc to);

#endif
