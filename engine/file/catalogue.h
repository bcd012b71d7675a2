/* catalogue.h - the sections of an edge file: the elements of each, and the member that holds it in memory.
 *
 * Sections are read and written by group. A group is the arrays of one structure, all of them or none. The
 * table in catalogue.c has one row for each section; all code that writes, reads or checks sections uses this
 * table. */
#ifndef MCD_ENGINE_FILE_CATALOGUE_H
#define MCD_ENGINE_FILE_CATALOGUE_H

#include "engine/file/arc_index.h"
#include "engine/file/check.h"
#include "engine/file/metadata.h"
#include "engine/file/packed.h"
#include "engine/map/map.h"

/* In the order in which an import writes them. */
typedef enum mcd_group {
    MCD_GROUP_IDS, /* mcd_packed_places, as the next three */
    MCD_GROUP_ROLES,
    MCD_GROUP_COORDINATES,
    MCD_GROUP_HEIGHTS,
    MCD_GROUP_POTENTIAL, /* const int32_t *, of a quantity */
    MCD_GROUP_GRAPH,     /* mcd_graph */
    MCD_GROUP_COPIES,    /* const uint16_t * */
    MCD_GROUP_WEIGHT, /* const mcd_weight *, of a quantity; only in files without a hierarchy and in ready ones */
    MCD_GROUP_COMPACT_WEIGHT, /* const mcd_weight *, of a quantity: packed (opposite.h); in all other files */
    MCD_GROUP_MIRRORS,        /* const uint8_t *: mirror.h */
    MCD_GROUP_NUMBERS, /* mcd_arc_facts, as the next fifteen; the next seven are packed if there are mirrors */
    MCD_GROUP_WAYS,
    MCD_GROUP_DIRECTIONS,
    MCD_GROUP_NAMES,
    MCD_GROUP_LIMITS,
    MCD_GROUP_SHAPES,
    MCD_GROUP_SHAPE_HEIGHTS,
    MCD_GROUP_SHAPE_IDS,
    MCD_GROUP_TIMES,
    MCD_GROUP_SHUT,
    MCD_GROUP_WEEKS,
    MCD_GROUP_HOLIDAYS,
    MCD_GROUP_GUARDS,
    MCD_GROUP_PRONUNCIATIONS,
    MCD_GROUP_RELATIONS,
    MCD_GROUP_PATTERNS,
    MCD_GROUP_PLACES, /* mcd_place_index, as the next two; like the originals only in ready files */
    MCD_GROUP_NODE_COORDINATES,
    MCD_GROUP_ID_HEIGHTS,
    MCD_GROUP_ORIGINALS,     /* const uint32_t * */
    MCD_GROUP_WEIGHT_COUNTS, /* const uint64_t *, of a quantity; likewise */
    MCD_GROUP_INDEX,         /* mcd_arc_index: of all numbers; only in ready files */
    MCD_GROUP_SNAP,          /* mcd_snap_index */
    MCD_GROUP_UNINDEXED,     /* const uint32_t *; only in ready files */
    MCD_GROUP_CHANGED, /* const mcd_changed_arc *, of a quantity; only in files that were saved after an update */
    MCD_GROUP_REVERSE,   /* mcd_graph: its other arrays; like all that follow only in ready files */
    MCD_GROUP_COMPONENT, /* const uint32_t * */
    MCD_GROUP_TREE,      /* mcd_hierarchy */
    MCD_GROUP_UPWARD,    /* mcd_hierarchy: its other arrays, which only customization and updates need */
    MCD_GROUP_UP_DEPTHS, /* mcd_hierarchy */
    MCD_GROUP_BASIC,     /* const mcd_weight *, of a metric: kernels/basic.h */
    MCD_GROUP_BASIC_SOURCE, /* const uint32_t *, of a metric: the CRC-32 of its quantities' weights; 0: no companion */
    MCD_GROUP_KEPT,     /* mcd_search, of a metric and a direction */
    MCD_GROUP_CHILDREN, /* mcd_search, of a metric and a direction */
    MCD_GROUP_COUNT
} mcd_group;

/* The things of which a section has one record each: an element, or several. */
typedef enum mcd_per {
    MCD_PER_ID,
    MCD_PER_NODE,
    MCD_PER_NODE_END, /* nodes, and one more: offsets */
    MCD_PER_ARC,
    MCD_PER_ORIGINAL,
    MCD_PER_OPPOSITE, /* originals that have an opposite */
    MCD_PER_OWN,      /* originals that are not mirrors */
    MCD_PER_OWN_END,
    MCD_PER_KIND,
    MCD_PER_NAME_BYTE,
    MCD_PER_SHAPE_POINT,
    MCD_PER_TIMED_ARC,
    MCD_PER_SHUT_WORD,
    MCD_PER_WEEK,
    MCD_PER_RELATION,
    MCD_PER_PATTERN_SLOT,
    MCD_PER_WEIGHT_COUNT,
    MCD_PER_NUMBER_END, /* numbers of arcs, and one more */
    MCD_PER_NUMBERED,   /* arcs that have a number */
    MCD_PER_PIECE,
    MCD_PER_BOX,
    MCD_PER_UNINDEXED, /* arcs of roads that the snap index leaves out */
    MCD_PER_CHANGED_ARC,
    MCD_PER_UP_ARC,
    MCD_PER_BASIC, /* upward arcs, directions and quantities of a metric */
    MCD_PER_BASIC_SOURCE,
    MCD_PER_SUPERNODE_END,
    MCD_PER_BOTTOM,
    MCD_PER_KEPT_ARC,
    MCD_PER_COUNT
} mcd_per;

/* How many of each there are; MCD_COUNT_ANY: not known yet, the next section that is read determines it. */
typedef struct mcd_counts {
    size_t of[MCD_PER_COUNT];
} mcd_counts;

mcd_counts mcd_counts_of(const mcd_metadata *metadata);

/* A group, with the quantity or metric (its name) and the direction to which it belongs, if any. */
typedef struct mcd_selector {
    mcd_group group;
    const char *of;
    mcd_direction direction;
    bool has_companion; /* of a metric */
    bool maps;          /* to read: the caller checks what it touches, pages by mcd_edge_file_touch */
} mcd_selector;

/* Write the name of a group's first section, and "kept.M.D", for messages. */
void mcd_sections_name(char name[MCD_SECTION_NAME_BYTES], const mcd_selector *selector);
void mcd_sections_prefix(char prefix[MCD_SECTION_NAME_BYTES], const mcd_selector *selector);

/* Returns whether the file has the group. */
bool mcd_sections_exist(const mcd_edge_file *file, const mcd_selector *selector);

/* Compares the metadata with the directory, so that counts can be reported before a section is read:
 * sections have as many elements as the metadata say, each group is there whole or not at all, and groups
 * that belong together are there together. It checks trusted files too, because it reads no section. Returns
 * MACADAM_OK or E_FILE. */
macadam_status mcd_sections_confirm(const mcd_edge_file *file, const mcd_metadata *metadata,
                                    macadam_error *error);

/* Takes over how many elements the directory says that the sections of a group have. */
void mcd_sections_count(const mcd_edge_file *file, mcd_group group, mcd_counts *counts);

/* Writes all that a ready file has of what follows from the arcs, but for the customized weights. component: of each node */
macadam_status mcd_sections_write_made(mcd_edge_writer *writer, const mcd_graph *graph,
                                       const uint32_t *component, const mcd_hierarchy *hierarchy,
                                       macadam_error *error);

/* Writes the depths of upward arcs, which basic weights need. */
macadam_status mcd_sections_write_up_depths(mcd_edge_writer *writer, const mcd_hierarchy *hierarchy,
                                            macadam_error *error);

/* Writes basic weights of a metric, and which weights they were made of. Takes over `arrays`. companion: NULL: none. */
macadam_status mcd_sections_write_basic(mcd_edge_writer *writer, const char *metric, mcd_weight *arrays,
                                        size_t count, const mcd_weight *objective,
                                        const mcd_weight *companion, size_t arc_count, macadam_error *error);
/* Returns whether the file has basic weights of a metric that were made of its weights. A program that does not know them copies
 * them after an update. */
bool mcd_sections_have_basic(mcd_edge_file *file, const char *metric, const char *companion);

/* Writes what a ready file has of places and arcs as queries use it. original: of each arc; NULL: no junction is split */
macadam_status mcd_sections_write_places(mcd_edge_writer *writer, const mcd_place_index *places,
                                         const uint32_t *original, size_t arc_count, macadam_error *error);

/* Writes the index of the numbers of arcs. */
macadam_status mcd_sections_write_index(mcd_edge_writer *writer, const mcd_roads *roads,
                                        const mcd_parallel *parallel, macadam_error *error);

/* Writes the arcs that the snap index leaves out; NULL: the map has no index. If `gives`, as mcd_sections_write. */
macadam_status mcd_sections_write_unindexed(mcd_edge_writer *writer, const uint32_t *arc, size_t count,
                                            bool gives, macadam_error *error);

/* Writes how many of a quantity's weights are 0, and how many close their arc. */
macadam_status mcd_sections_write_weight_counts(mcd_edge_writer *writer, const char *quantity,
                                                const mcd_weight *weight, size_t arc_count,
                                                macadam_error *error);

/* Reads the arrays of a group into `structure`, and the counts that follow from them. Checks each section as
 * far as it can be checked by itself, unless the file is trusted. Returns MACADAM_OK or E_FILE. */
macadam_status mcd_sections_read(mcd_edge_file *file, const mcd_selector *selector, mcd_counts *counts,
                                 void *structure, mcd_check check);

/* Writes the arrays of a group that are not NULL. If `gives`, the writer takes them over, whatever it returns. Otherwise they
 * must not change until it has written them. */
macadam_status mcd_sections_write(mcd_edge_writer *writer, const mcd_selector *selector,
                                  const mcd_counts *counts, const void *structure, bool gives,
                                  macadam_error *error);

/* Frees the decoded arrays of a group, which must no longer be in use. */
void mcd_sections_forget(mcd_edge_file *file, const mcd_selector *selector);

/* Returns whether a section of a compact file belongs to a group that is, or may be, packed (opposite.h, mirror.h): a
 * ready file has these arrays whole. */
bool mcd_section_is_packed(const char *section);
/* Frees the decoded facts of roads that are packed, and the mirrors. */
void mcd_sections_forget_packed(mcd_edge_file *file);

/* Returns whether a section holds weights of the quantity or the metric. */
bool mcd_section_is_of_quantity(const char *section, const char *quantity);
bool mcd_section_is_of_metric(const char *section, const char *metric);

/* ---- the arrays of a map ---- */

/* Lists the slots (addresses of pointers to arrays) of a map's arrays that become sections with one element
 * for each `per` (MCD_PER_COUNT: all arrays), and the size of an element, without counts. Returns how many there are. */
enum { MCD_MAP_ARRAYS_MAX = 32 };

size_t mcd_sections_of_map(mcd_map *map, mcd_per per, mcd_map_array array[MCD_MAP_ARRAYS_MAX]);

/* Makes `structure` point to the arrays of a group in the map. */
void mcd_sections_view(const mcd_map *map, mcd_group group, void *structure);

#endif
