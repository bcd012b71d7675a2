/* drawn_map.h - rules of the road as pictures: a small map, what its roads say, and the routes expected.
 *
 *     a---b---c---d     A letter is a node, a line of strokes (- | / \) a road: a residential street, open
 *         |   |         both ways, unless a statement says more. From a to b is 1 km, and from b to e.
 *         e---f
 *
 *     abcd: highway=primary, oneway=yes    these lines are one way, drawn from a to d, with these tags
 *     b: barrier=gate                      the node's tags
 *     ab (b) be: restriction=no_right_turn a relation of type=restriction: from, via and to; in the brackets
 *                                          one letter is a node, more are ways
 *     abcda (efghe): type=multipolygon, ...    an area: outer ways, and inner ones in the brackets
 *     a>d: abefcd, 120 s                   the route's nodes, and how long it takes; one may be left out
 *     d>a: none                            there is no route
 *     a>d Mo0815: abd                      there is this one in the slot of Mondays at 08:15
 *     a>d preferred: acd, 90 s             there is this one by preference, whose duration is 90 s
 *     a>d 3.8 m: none                      there is none for a vehicle of this height; "12 t" is its weight, "9 long",
 *                                          "2.5 wide" and "8 axle" are the others; a slot may come before them
 *     a>d avoiding toll: abcd              there is this one without such roads (macadam_road_flag_name)
 *     told: ways used: 3                   the importer says so
 *     map: driving_side=left               the tags of a boundary
 *     scale: 10                            metres from a column to the next, and half of those between rows
 *     # ..., == ...                        is skipped
 *
 * A way is a residential street where none of its tags says what it is (highway=, route=, ...). */
#ifndef MCD_TESTS_SUPPORT_DRAWN_MAP_H
#define MCD_TESTS_SUPPORT_DRAWN_MAP_H

/* Writes `text` as an OpenStreetMap file, imports it and asks the engine for the routes. `traveller` is the
 * name of a profile, after which more lines of it may follow: "car; traffic left; turn 180 2 5". */
void drawn_expect(const char *traveller, const char *text);

/* The same for the instructions of a driver. A way is named by its letters unless a statement gives it a name or a ref.
 *
 *     a>d: turn left bd                    between departure and arrival; "nothing" if one only departs
 *     a>e: roundabout 2 right ef, ...      the number is the exit
 *     a>d lanes: left | *straight+right    at each intersection that has lanes; a star: one may take it
 *     a>d ways: abd, acd                   the best route and the alternatives */
void drawn_expect_steps(const char *traveller, const char *text);

#endif
