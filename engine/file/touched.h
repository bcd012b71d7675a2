/* touched.h - kept arcs, reverse arcs and the index of arc numbers of a ready file, checked as far as they are touched: so the first
 * route, or update, reads only its own pages.
 *
 * A search from a node, or to it, relaxes the arcs of the nodes on its root path. Each of these nodes is checked once, by
 * the checksums of the pages that hold its arcs, and by the rules of mcd_check_search. */
#ifndef MCD_ENGINE_FILE_TOUCHED_H
#define MCD_ENGINE_FILE_TOUCHED_H

#include "engine/file/catalogue.h"

typedef struct mcd_touched {
    mcd_edge_file *file;
    const mcd_hierarchy *tree;
    mcd_search search[2]; /* by mcd_direction, as mapped: of the file */
    mcd_arc kept_count[2];
    char prefix[2][MCD_SECTION_NAME_BYTES]; /* of the sections' names */
    atomic_bool *is_checked[2];             /* [node_count] the node, and so all of its root path */
} mcd_touched;

/* Maps the kept arcs of both directions: selector[direction], whose group and direction do not matter. `tree` has passed
 * mcd_check_tree, and outlives *out. *out is NULL if the file has no checksums of pages, or is trusted. */
macadam_status mcd_touched_new(mcd_touched **out, mcd_edge_file *file, const mcd_selector *selector,
                               const mcd_hierarchy *tree, mcd_counts counts, macadam_error *error);
/* NULL is fine. */
void mcd_touched_free(mcd_touched *touched);

/* Checks the arcs of one direction from all nodes on the node's root path. E_FILE: they are damaged. Any thread. */
macadam_status mcd_touched_path(mcd_touched *touched, mcd_direction direction, mcd_node node,
                                macadam_error *error);

/* Checks the reverse arcs of a node, in a graph whose reverse CSR is mapped. E_FILE: they are damaged. Any thread. */
macadam_status mcd_touched_arrivals(mcd_edge_file *file, const mcd_graph *graph, mcd_node node,
                                    macadam_error *error);

/* Finds the index of arc numbers in a file that has it. It borrows the file, and only numbers whose arcs are checked may be looked
 * for. E_FILE: it is damaged. */
macadam_status mcd_touched_index(mcd_arc_index *out, mcd_edge_file *file, macadam_error *error);
/* Checks the arcs of a number, unless the file is trusted. E_FILE: they are damaged, or do not exist. */
macadam_status mcd_touched_arcs(mcd_edge_file *file, const mcd_arc_index *index, uint64_t number,
                                size_t arc_count, macadam_error *error);

#endif
