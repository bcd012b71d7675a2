/* check.h - checks that the contents of sections keep the promises of engine/file/catalogue.c and
 * kernels/views.h.
 *
 * A file with correct checksums can still be hostile. After these checks, no offset, count or node leads
 * outside an array, every walk over the elimination tree ends, and sorted arrays are sorted. The checks do
 * not show that weights are those of any road, or that children of kept arcs are shorter than their wholes
 * (engine/runtime/verify.c shows this). So code that unpacks a path must count its arcs: a path has fewer
 * arcs than there are nodes.
 *
 * All functions are pure and run in parallel, in one or two passes over their arrays. They return MACADAM_OK,
 * or E_FILE with a message that names file, section, index and value of the first error that the function
 * finds. */
#ifndef MCD_ENGINE_FILE_CHECK_H
#define MCD_ENGINE_FILE_CHECK_H

#include "engine/base/parallel.h"
#include "engine/map/snap.h"

/* The context of a check, and where errors go. */
typedef struct mcd_check {
    const char *file; /* for messages */
    const mcd_parallel *parallel;
    macadam_error *error;
} mcd_check;

/* ---- single arrays ---- */

/* first[0] = 0, first[i] <= first[i + 1], first[count] = total. */
macadam_status mcd_check_offsets(mcd_check check, const char *section, const uint64_t *first, size_t count,
                                 uint64_t total);
/* value[i] < end. */
macadam_status mcd_check_below(mcd_check check, const char *section, const uint32_t *value, size_t count,
                               uint32_t end);
/* value[i] <= MCD_UNREACHED: 31 bits, so that the sum of two does not wrap. */
macadam_status mcd_check_weights(mcd_check check, const char *section, const mcd_weight *value, size_t count);
/* -max <= value[i] <= max. */
macadam_status mcd_check_range(mcd_check check, const char *section, const int32_t *value, size_t count,
                               int32_t max);
enum { MCD_LON_MAX_E7 = 1800000000, MCD_LAT_MAX_E7 = 900000000, MCD_HEIGHT_MAX_DM = 100000 };

/* ---- the map ---- */

/* Ids ascend strictly. */
macadam_status mcd_check_ids(mcd_check check, const int64_t *id, size_t id_count);
/* Each id departs from a node of its own and arrives at one. */
macadam_status mcd_check_places(mcd_check check, const mcd_place_index *places);
/* Each arc has an original below original_count, or none. */
macadam_status mcd_check_originals(mcd_check check, const uint32_t *original, size_t original_count,
                                   size_t arc_count);
/* The originals are the arcs of departing nodes, but for arrival arcs, in their order; any other arc has an original that leaves
 * the same id. Places and graph must have passed their checks. */
macadam_status mcd_check_copies(mcd_check check, const uint32_t *original, size_t original_count,
                                const mcd_graph *graph, const mcd_place_index *places);
/* Offsets and heads of the CSR; heads ascend for each tail. */
macadam_status mcd_check_graph(mcd_check check, const mcd_graph *graph);
/* The reverse CSR lists each arc where it ends, with its tail. */
macadam_status mcd_check_reverse(mcd_check check, const mcd_graph *graph);
/* The same of the arcs to one node, as far as they are listed. */
macadam_status mcd_check_reverse_at(mcd_check check, const mcd_graph *graph, mcd_node node);
/* Each number of the source data belongs to one original. Copies of an arc lead to nodes of the same id, and
 * arrival arcs stay within a junction. Everything else must have passed its own checks. Can also return
 * E_MEMORY. */
macadam_status mcd_check_numbers(mcd_check check, const mcd_roads *roads);
/* The pool begins with an empty string and ends a string; all are UTF-8. */
macadam_status mcd_check_names(mcd_check check, const char *names, size_t names_bytes);
macadam_status mcd_check_maneuvers(mcd_check check, const mcd_relation *maneuver, size_t count);
/* The kinds of roads: every original has one, and answers name the first for what has none; every text is one of the names. */
macadam_status mcd_check_kinds(mcd_check check, const uint32_t *arc_kind, size_t original_count,
                               const mcd_kind *kind, const uint32_t *pronunciation, size_t count,
                               const char *names, size_t names_bytes);

/* Of the arcs that are shut at times: [words] in entries of `stride`. */
macadam_status mcd_check_shut(mcd_check check, const uint32_t *shut, size_t words, size_t stride,
                              size_t arc_count, size_t week_count);
/* The arcs with changes in slots of the week: they ascend, and every week is there. */
macadam_status mcd_check_times(mcd_check check, const mcd_timed_arc *timed, size_t count, size_t week_count);

/* The guards of weeks: each adds only weeks before its own. */
macadam_status mcd_check_guards(mcd_check check, const mcd_guard *guard, size_t week_count);

/* The patterns of speed: value_count bytes are the whole patterns of the table, and not too many; each has a fastest
 * slot. Every pattern of an original is there. */
macadam_status mcd_check_patterns(mcd_check check, const mcd_pattern_table *table, size_t value_count,
                                  const uint16_t *arc_pattern, size_t original_count);

/* The arcs that updates changed: they ascend, and weights and prices are at most MCD_UNREACHED. */
macadam_status mcd_check_changed(mcd_check check, const char *section, const mcd_changed_arc *changed,
                                 size_t count, size_t arc_count);

/* Each piece of the snap index is a piece of an arc that a departure uses (tail: mcd_road_departures); searches leave out
 * other pieces, so that only macadam_engine_verify looks at all. The data of the roads must have passed its own checks. */
macadam_status mcd_check_snap(mcd_check check, const mcd_roads *roads, const mcd_node *tail,
                              const mcd_snap_index *index);
/* The arcs that the snap index leaves out are arcs that departures use. */
macadam_status mcd_check_unindexed(mcd_check check, const mcd_roads *roads, const uint32_t *arc,
                                   size_t count);

/* ---- the hierarchy ---- */

/* The tree is numbered in preorder, with correct depths and subtree ends; bottom subtrees are disjoint. */
macadam_status mcd_check_tree(mcd_check check, const mcd_hierarchy *hierarchy);
/* Levels are right; a node's upward neighbours are ancestors, ascending, the parent last, and all except the parent are the parent's
 * too; supernodes are chains whose upward neighbours are nested. up_count: the elements of up_head. The tree must have
 * passed mcd_check_tree. */
macadam_status mcd_check_upward(mcd_check check, const mcd_hierarchy *hierarchy, size_t up_count);
/* Depths of upward arcs are those of their heads. The hierarchy must have passed the others. */
macadam_status mcd_check_up_depths(mcd_check check, const mcd_hierarchy *hierarchy);
/* Each input arc that is not a loop has an upward arc. The hierarchy must have passed mcd_check_upward, the graph its checks. */
macadam_status mcd_check_inputs(mcd_check check, const mcd_hierarchy *hierarchy, const mcd_graph *graph);
/* Kept arcs of one direction: heads are ancestors, ascending; objectives are below MCD_UNREACHED. `prefix`
 * begins the sections' names: "kept.M.D". search->depth may be NULL. The hierarchy must have passed
 * mcd_check_tree. */
macadam_status mcd_check_search(mcd_check check, const char *prefix, const mcd_hierarchy *hierarchy,
                                const mcd_search *search, size_t kept_count);
/* The same of one node's arcs: nothing about those of other nodes. */
macadam_status mcd_check_search_at(mcd_check check, const char *prefix, const mcd_hierarchy *hierarchy,
                                   const mcd_search *search, mcd_node node);
/* Each kept arc of one direction stands for a path from its tail to its head: an input arc, or two kept arcs
 * over one node below. Both searches must have passed mcd_check_search, and the graph mcd_check_graph. */
macadam_status mcd_check_children(mcd_check check, const char *prefix, const mcd_weights *weights,
                                  mcd_direction direction);

#endif
