/* catalogue.c - see catalogue.h. */
#include "engine/file/catalogue.h"

#include <libdeflate.h>
#include <stdio.h>

/* The rule that an array must keep by itself. The rules of a group as a whole are functions of check.h. */
typedef enum rule {
    RULE_OF_GROUP,
    RULE_WEIGHTS,
    RULE_LON,
    RULE_LAT,
    RULE_HEIGHT,
    RULE_POTENTIAL,
    RULE_SHAPES
} rule;

typedef struct section_row {
    mcd_group group;
    const char *name; /* Q stands for a quantity, M for a metric, D for a direction */
    mcd_per per;
    uint32_t element_size, record; /* bytes of an element, elements of a record */
    size_t slot;                   /* where the group's structure holds it */
    size_t map_slot;               /* where mcd_map holds it; 0: it does not */
    rule rule;
    mcd_coding coding; /* MCD_CODING_NONE: stored as it is, so that processes can share it */
} section_row;

#define SIZE_OF(type, member) sizeof(*((type *)0)->member)
#define ROW(group, name, per, type, member, map_slot, rule, coding)                                          \
    {                                                                                                        \
        MCD_GROUP_##group, name, MCD_PER_##per, SIZE_OF(type, member), 1, offsetof(type, member), map_slot,  \
            RULE_##rule, MCD_CODING_##coding                                                                 \
    }
#define RECORDS(group, name, per, type, member, element, map_slot, coding)                                   \
    {                                                                                                        \
        MCD_GROUP_##group, name, MCD_PER_##per, sizeof(element), SIZE_OF(type, member) / sizeof(element),    \
            offsetof(type, member), map_slot, RULE_OF_GROUP, MCD_CODING_##coding                             \
    }
#define IN_MAP(member) offsetof(mcd_map, member)

/* In the order in which sections are written. docs/edge-file.md says what each one holds. Codings are those
 * that store road maps in the fewest bytes. */
/* clang-format off */
static const section_row catalogue[] = {
    ROW(IDS, "id", ID, mcd_packed_places, id, IN_MAP(id), OF_GROUP, DIFFERENCES),
    ROW(ROLES, "node_role", NODE, mcd_packed_places, role, 0, OF_GROUP, BYTES),
    ROW(ROLES, "departure", NODE, mcd_packed_places, departure, 0, OF_GROUP, DIFFERENCES),
    ROW(ROLES, "departure_id", ID, mcd_packed_places, departure_id, 0, OF_GROUP, DIFFERENCES),
    ROW(COORDINATES, "lon_e7", ID, mcd_packed_places, lon_e7, 0, LON, DIFFERENCES),
    ROW(COORDINATES, "lat_e7", ID, mcd_packed_places, lat_e7, 0, LAT, DIFFERENCES),
    ROW(HEIGHTS, "height_dm", ID, mcd_packed_places, height_dm, 0, HEIGHT, DIFFERENCES),
    {MCD_GROUP_POTENTIAL, "potential.Q", MCD_PER_ID, sizeof(int32_t), 1, 0, 0, RULE_POTENTIAL, MCD_CODING_DIFFERENCES},
    ROW(GRAPH, "first_out", NODE_END, mcd_graph, first_out, 0, OF_GROUP, DIFFERENCES),
    ROW(GRAPH, "head", ARC, mcd_graph, head, 0, OF_GROUP, DIFFERENCES),
    {MCD_GROUP_COPIES, "arc_copy", MCD_PER_ARC, sizeof(uint16_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_PLANES},
    {MCD_GROUP_WEIGHT, "weight.Q", MCD_PER_ARC, sizeof(mcd_weight), 1, 0, 0, RULE_WEIGHTS, MCD_CODING_PLANES},
    {MCD_GROUP_COMPACT_WEIGHT, "compact_weight.Q", MCD_PER_ARC, sizeof(mcd_weight), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_PLANES},
    {MCD_GROUP_MIRRORS, "arc_mirror", MCD_PER_OPPOSITE, sizeof(uint8_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_BYTES},
    ROW(NUMBERS, "arc_number", OWN, mcd_arc_facts, number, IN_MAP(arc_number), OF_GROUP, DIFFERENCES),
    ROW(WAYS, "arc_way", OWN, mcd_arc_facts, way, IN_MAP(arc_way), OF_GROUP, BYTES),
    ROW(DIRECTIONS, "arc_against", OWN, mcd_arc_facts, against, IN_MAP(against), OF_GROUP, BYTES),
    ROW(NAMES, "arc_kind", ORIGINAL, mcd_arc_facts, kind_of, IN_MAP(arc_kind), OF_GROUP, BYTES),
    RECORDS(NAMES, "kind", KIND, mcd_arc_facts, kind, uint32_t, IN_MAP(kind), BYTES),
    ROW(NAMES, "names", NAME_BYTE, mcd_arc_facts, names, IN_MAP(names), OF_GROUP, BYTES),
    RECORDS(LIMITS, "kind_limits", KIND, mcd_arc_facts, limits, uint16_t, IN_MAP(kind_limits), BYTES),
    ROW(SHAPES, "first_shape", OWN_END, mcd_arc_facts, first_point, IN_MAP(first_shape), SHAPES, DIFFERENCES),
    ROW(SHAPES, "shape_lon_e7", SHAPE_POINT, mcd_arc_facts, shape_lon_e7, IN_MAP(shape_lon_e7), LON, DIFFERENCES),
    ROW(SHAPES, "shape_lat_e7", SHAPE_POINT, mcd_arc_facts, shape_lat_e7, IN_MAP(shape_lat_e7), LAT, DIFFERENCES),
    ROW(SHAPE_HEIGHTS, "shape_height_dm", SHAPE_POINT, mcd_arc_facts, shape_height_dm, IN_MAP(shape_height_dm), HEIGHT, DIFFERENCES),
    ROW(SHAPE_IDS, "shape_id", SHAPE_POINT, mcd_arc_facts, shape_id, IN_MAP(shape_id), OF_GROUP, DIFFERENCES),
    RECORDS(TIMES, "timed_arc", TIMED_ARC, mcd_arc_facts, timed_arc, uint32_t, IN_MAP(timed_arc), BYTES),
    ROW(SHUT, "shut_arc", SHUT_WORD, mcd_arc_facts, shut_arc, IN_MAP(shut_arc), OF_GROUP, BYTES),
    RECORDS(WEEKS, "week", WEEK, mcd_arc_facts, week, uint32_t, IN_MAP(week), BYTES),
    RECORDS(HOLIDAYS, "week_holiday", WEEK, mcd_arc_facts, week_holiday, uint32_t, IN_MAP(week_holiday), BYTES),
    RECORDS(GUARDS, "week_guard", WEEK, mcd_arc_facts, guard, uint32_t, IN_MAP(guard), BYTES),
    ROW(PRONUNCIATIONS, "kind_pronunciation", KIND, mcd_arc_facts, pronunciation, IN_MAP(kind_pronunciation), OF_GROUP, BYTES),
    RECORDS(RELATIONS, "maneuver", RELATION, mcd_arc_facts, maneuver, int64_t, IN_MAP(maneuver), BYTES),
    ROW(PATTERNS, "arc_pattern", ORIGINAL, mcd_arc_facts, arc_pattern, IN_MAP(arc_pattern), OF_GROUP, PLANES),
    ROW(PATTERNS, "pattern", PATTERN_SLOT, mcd_arc_facts, pattern, IN_MAP(pattern), OF_GROUP, BYTES),
    ROW(PLACES, "node_place", NODE, mcd_place_index, node_place, 0, OF_GROUP, NONE),
    ROW(PLACES, "depart", ID, mcd_place_index, depart, 0, OF_GROUP, NONE),
    ROW(PLACES, "arrive", ID, mcd_place_index, arrive, 0, OF_GROUP, NONE),
    ROW(NODE_COORDINATES, "node_lon_e7", NODE, mcd_place_index, lon_e7, 0, LON, NONE),
    ROW(NODE_COORDINATES, "node_lat_e7", NODE, mcd_place_index, lat_e7, 0, LAT, NONE),
    ROW(ID_HEIGHTS, "id_height_dm", ID, mcd_place_index, height_dm, 0, HEIGHT, NONE),
    {MCD_GROUP_ORIGINALS, "arc_original", MCD_PER_ARC, sizeof(uint32_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_NONE},
    {MCD_GROUP_WEIGHT_COUNTS, "weight_counts.Q", MCD_PER_WEIGHT_COUNT, sizeof(uint64_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_NONE},
    ROW(INDEX, "number_first", NUMBER_END, mcd_arc_index, first, 0, OF_GROUP, NONE),
    ROW(INDEX, "number_arc", NUMBERED, mcd_arc_index, arc, 0, OF_GROUP, NONE),
    ROW(SNAP, "snap_arc", PIECE, mcd_snap_index, arc, 0, OF_GROUP, DIFFERENCES),
    ROW(SNAP, "snap_piece", PIECE, mcd_snap_index, piece, 0, OF_GROUP, PLANES),
    RECORDS(SNAP, "snap_box", BOX, mcd_snap_index, box, int32_t, 0, PLANES),
    {MCD_GROUP_UNINDEXED, "unindexed_arc", MCD_PER_UNINDEXED, sizeof(uint32_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_NONE},
    {MCD_GROUP_CHANGED, "changed_arc.Q", MCD_PER_CHANGED_ARC, sizeof(uint32_t), MCD_CHANGED_ARC_WORDS, 0, 0, RULE_OF_GROUP, MCD_CODING_TRIPLES},
    ROW(REVERSE, "first_in", NODE_END, mcd_graph, first_in, 0, OF_GROUP, NONE),
    ROW(REVERSE, "tail", ARC, mcd_graph, tail, 0, OF_GROUP, NONE),
    ROW(REVERSE, "in_arc", ARC, mcd_graph, in_arc, 0, OF_GROUP, NONE),
    {MCD_GROUP_COMPONENT, "component", MCD_PER_NODE, sizeof(uint32_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_NONE},
    ROW(TREE, "parent", NODE, mcd_hierarchy, parent, 0, OF_GROUP, NONE),
    ROW(TREE, "depth", NODE, mcd_hierarchy, depth, 0, OF_GROUP, NONE),
    ROW(TREE, "subtree_end", NODE, mcd_hierarchy, subtree_end, 0, OF_GROUP, NONE),
    ROW(TREE, "bottom_root", BOTTOM, mcd_hierarchy, bottom_root, 0, OF_GROUP, NONE),
    ROW(UPWARD, "level", NODE, mcd_hierarchy, level, 0, OF_GROUP, NONE),
    ROW(UPWARD, "first_up", NODE_END, mcd_hierarchy, first_up, 0, OF_GROUP, NONE),
    ROW(UPWARD, "up_head", UP_ARC, mcd_hierarchy, up_head, 0, OF_GROUP, NONE),
    ROW(UPWARD, "supernode_first", SUPERNODE_END, mcd_hierarchy, supernode_first, 0, OF_GROUP, NONE),
    ROW(UP_DEPTHS, "up_depth", UP_ARC, mcd_hierarchy, up_depth, 0, OF_GROUP, NONE),
    {MCD_GROUP_BASIC, "basic.M", MCD_PER_BASIC, sizeof(mcd_weight), 1, 0, 0, RULE_WEIGHTS, MCD_CODING_NONE},
    {MCD_GROUP_BASIC_SOURCE, "basic.M.source", MCD_PER_BASIC_SOURCE, sizeof(uint32_t), 1, 0, 0, RULE_OF_GROUP, MCD_CODING_NONE},
    ROW(KEPT, "kept.M.D.first", NODE_END, mcd_search, first, 0, OF_GROUP, NONE),
    ROW(KEPT, "kept.M.D.head", KEPT_ARC, mcd_search, head, 0, OF_GROUP, NONE),
    ROW(KEPT, "kept.M.D.depth", KEPT_ARC, mcd_search, depth, 0, OF_GROUP, NONE),
    ROW(KEPT, "kept.M.D.objective", KEPT_ARC, mcd_search, objective, 0, OF_GROUP, NONE),
    ROW(KEPT, "kept.M.D.companion", KEPT_ARC, mcd_search, companion, 0, OF_GROUP, NONE),
    ROW(CHILDREN, "kept.M.D.halves", KEPT_ARC, mcd_search, children, 0, OF_GROUP, NONE),
};
/* clang-format on */
enum { ROWS = sizeof catalogue / sizeof catalogue[0] };

/* The rows of a group are adjacent. */
static const section_row *first_row(mcd_group group)
{
    const section_row *row = catalogue;
    while (row->group < group) ++row;
    return row;
}

static const section_row *end_row(mcd_group group)
{
    return group + 1 == MCD_GROUP_COUNT ? catalogue + ROWS : first_row(group + 1);
}

/* ---- names ---- */

static const char *const direction_name[2] = {[MCD_FORWARD] = "forward", [MCD_BACKWARD] = "backward"};

/* Replaces the capital letters by what they stand for. Names are short enough: map.h. */
static void name_section(char name[MCD_SECTION_NAME_BYTES], const char *pattern, const mcd_selector *selector)
{
    size_t used = 0;
    for (const char *c = pattern; *c && used < MCD_SECTION_NAME_BYTES - 1; ++c)
        if (*c == 'Q' || *c == 'M' || *c == 'D')
            used += (size_t)snprintf(name + used, MCD_SECTION_NAME_BYTES - used, "%s",
                                     *c == 'D' ? direction_name[selector->direction] : selector->of);
        else
            name[used++] = *c;
    name[used] = '\0';
}

void mcd_sections_name(char name[MCD_SECTION_NAME_BYTES], const mcd_selector *selector)
{
    name_section(name, first_row(selector->group)->name, selector);
}

void mcd_sections_prefix(char prefix[MCD_SECTION_NAME_BYTES], const mcd_selector *selector)
{
    mcd_sections_name(prefix, selector);
    *strrchr(prefix, '.') = '\0';
}

static bool is_of(const char *section, char letter, const char *of)
{
    for (const section_row *row = catalogue; row < catalogue + ROWS; ++row)
        for (int direction = 0; strchr(row->name, letter) && direction < 2; ++direction) {
            char name[MCD_SECTION_NAME_BYTES];
            name_section(name, row->name,
                         &(mcd_selector){.group = row->group,
                                         .of = of,
                                         .direction = (mcd_direction)direction,
                                         .has_companion = true});
            if (strcmp(name, section) == 0) return true;
        }
    return false;
}

bool mcd_section_is_of_quantity(const char *section, const char *quantity)
{
    static const char potential[] = "potential."; /* new weights leave the potentials */
    return is_of(section, 'Q', quantity) && strncmp(section, potential, sizeof potential - 1) != 0;
}

bool mcd_section_is_of_metric(const char *section, const char *metric)
{
    return is_of(section, 'M', metric);
}

/* ---- counts ---- */

mcd_counts mcd_counts_of(const mcd_metadata *metadata)
{
    mcd_counts counts;
    for (int per = 0; per < MCD_PER_COUNT; ++per) counts.of[per] = MCD_COUNT_ANY;
    counts.of[MCD_PER_ID] = metadata->id_count;
    counts.of[MCD_PER_NODE] = metadata->node_count;
    counts.of[MCD_PER_NODE_END] = metadata->node_count + 1;
    counts.of[MCD_PER_ARC] = metadata->arc_count;
    counts.of[MCD_PER_UP_ARC] = metadata->up_arc_count;
    counts.of[MCD_PER_WEIGHT_COUNT] = counts.of[MCD_PER_BASIC_SOURCE] = 2;
    return counts;
}

static macadam_status confirm_counts(const mcd_edge_file *file, const mcd_metadata *metadata,
                                     macadam_error *error)
{
    const mcd_counts counts = mcd_counts_of(metadata);
    for (const section_row *row = catalogue; row < catalogue + ROWS; ++row) {
        const size_t count = counts.of[row->per];
        const mcd_file_section *const section =
            count == MCD_COUNT_ANY ? NULL : mcd_edge_file_entry(file, row->name);
        if (!section) continue; /* of a quantity or a metric, of another version, or left out */
        const uint64_t there = section->bytes / row->element_size;
        if (there != count)
            return mcd_fail(error, MACADAM_E_FILE,
                            "%s: section '%s' has %llu elements, not %zu as 'meta' says", file->name,
                            row->name, (unsigned long long)there, count);
    }
    return MACADAM_OK;
}

/* ---- which groups a file has ---- */

/* Returns whether the row is a companion of a metric that has none. */
static bool is_absent(const section_row *row, const mcd_selector *selector)
{
    return !selector->has_companion && strstr(row->name, ".companion");
}

/* A file that has the first group has the other one, too. */
static const mcd_group need[][2] = {
    {MCD_GROUP_COORDINATES, MCD_GROUP_SNAP},
    {MCD_GROUP_SNAP, MCD_GROUP_COORDINATES},
    {MCD_GROUP_UNINDEXED, MCD_GROUP_SNAP},
    {MCD_GROUP_UNINDEXED, MCD_GROUP_PLACES},
    {MCD_GROUP_HEIGHTS, MCD_GROUP_COORDINATES},
    {MCD_GROUP_HEIGHTS, MCD_GROUP_SHAPE_HEIGHTS},
    {MCD_GROUP_SHAPE_HEIGHTS, MCD_GROUP_HEIGHTS},
    {MCD_GROUP_SHAPE_HEIGHTS, MCD_GROUP_SHAPES},
    {MCD_GROUP_SHAPE_IDS, MCD_GROUP_SHAPES},
    {MCD_GROUP_SHAPES, MCD_GROUP_COORDINATES},
    {MCD_GROUP_MIRRORS, MCD_GROUP_WAYS},
    {MCD_GROUP_MIRRORS, MCD_GROUP_DIRECTIONS},
    {MCD_GROUP_LIMITS, MCD_GROUP_NAMES},
    {MCD_GROUP_PRONUNCIATIONS, MCD_GROUP_NAMES},
    {MCD_GROUP_RELATIONS, MCD_GROUP_WAYS},
    {MCD_GROUP_TIMES, MCD_GROUP_WEEKS},
    {MCD_GROUP_SHUT, MCD_GROUP_WEEKS},
    {MCD_GROUP_HOLIDAYS, MCD_GROUP_WEEKS},
    {MCD_GROUP_GUARDS, MCD_GROUP_WEEKS},
    {MCD_GROUP_PLACES, MCD_GROUP_WEIGHT_COUNTS},
    {MCD_GROUP_NODE_COORDINATES, MCD_GROUP_PLACES},
    {MCD_GROUP_NODE_COORDINATES, MCD_GROUP_COORDINATES},
    {MCD_GROUP_ID_HEIGHTS, MCD_GROUP_NODE_COORDINATES},
    {MCD_GROUP_ID_HEIGHTS, MCD_GROUP_HEIGHTS},
    {MCD_GROUP_ORIGINALS, MCD_GROUP_PLACES},
    {MCD_GROUP_ORIGINALS, MCD_GROUP_COPIES},
    {MCD_GROUP_INDEX, MCD_GROUP_PLACES},
    {MCD_GROUP_WEIGHT_COUNTS, MCD_GROUP_WEIGHT},
    {MCD_GROUP_WEIGHT_COUNTS, MCD_GROUP_TREE},
    {MCD_GROUP_TREE, MCD_GROUP_UPWARD},
    {MCD_GROUP_UPWARD, MCD_GROUP_KEPT},
    {MCD_GROUP_UP_DEPTHS, MCD_GROUP_UPWARD},
    {MCD_GROUP_BASIC, MCD_GROUP_UP_DEPTHS},
    {MCD_GROUP_BASIC_SOURCE, MCD_GROUP_BASIC},
    {MCD_GROUP_KEPT, MCD_GROUP_CHILDREN},
    {MCD_GROUP_CHILDREN, MCD_GROUP_REVERSE},
    {MCD_GROUP_REVERSE, MCD_GROUP_COMPONENT},
    {MCD_GROUP_COMPONENT, MCD_GROUP_TREE},
};

/* The first section of a group that a file has, and the first that it lacks; "": none. */
typedef struct group_state {
    char there[MCD_SECTION_NAME_BYTES], missing[MCD_SECTION_NAME_BYTES];
} group_state;

static void look_for(group_state *state, const mcd_edge_file *file, const mcd_selector *selector)
{
    char name[MCD_SECTION_NAME_BYTES];
    for (const section_row *row = first_row(selector->group); row < end_row(selector->group); ++row) {
        if (is_absent(row, selector)) continue;
        name_section(name, row->name, selector);
        char *const first = mcd_edge_file_has(file, name) ? state->there : state->missing;
        if (!*first) memcpy(first, name, sizeof name);
    }
}

/* Looks for a group of each quantity or metric that may have one. */
static group_state state_of(const mcd_edge_file *file, const mcd_metadata *metadata, mcd_group group)
{
    group_state state = {"", ""};
    mcd_selector selector = {.group = group};
    if (strchr(first_row(group)->name, 'Q'))
        for (size_t q = 0; q < metadata->n_quantity; ++q) {
            selector.of = metadata->quantity[q]->name;
            look_for(&state, file, &selector);
        }
    else if (strchr(first_row(group)->name, 'M'))
        for (size_t i = 0; i < 2 * metadata->n_metric; ++i) {
            selector.of = metadata->metric[i / 2]->objective;
            selector.has_companion = *metadata->metric[i / 2]->companion;
            selector.direction = i % 2 ? MCD_BACKWARD : MCD_FORWARD;
            look_for(&state, file, &selector);
        }
    else
        look_for(&state, file, &selector);
    return state;
}

/* Returns whether all files have the group: the metadata's counts are of its elements. */
static bool is_required(mcd_group group, const mcd_metadata *metadata)
{
    return group == MCD_GROUP_IDS || group == MCD_GROUP_ROLES || group == MCD_GROUP_GRAPH ||
           group == MCD_GROUP_NUMBERS ||
           (group == MCD_GROUP_COPIES && metadata->id_count < metadata->node_count);
}

/* Returns whether a section of the file has elements; "" has none. */
static bool holds(const mcd_edge_file *file, const char *name)
{
    const mcd_file_section *const section = *name ? mcd_edge_file_entry(file, name) : NULL;
    return section && section->bytes > 0;
}

static macadam_status fail_apart(const mcd_edge_file *file, const char *there, const char *missing,
                                 macadam_error *error)
{
    return mcd_fail(error, MACADAM_E_FILE, "%s: there is a section '%s', but no section '%s'", file->name,
                    there, missing);
}

macadam_status mcd_sections_confirm(const mcd_edge_file *file, const mcd_metadata *metadata,
                                    macadam_error *error)
{
    MCD_TRY(confirm_counts(file, metadata, error));
    /* Fails unless each group is whole, and the groups fit each other and the metadata. */
    group_state state[MCD_GROUP_COUNT];
    for (mcd_group group = 0; group < MCD_GROUP_COUNT; ++group) {
        const group_state found = state[group] = state_of(file, metadata, group);
        const bool is_of_some = group == MCD_GROUP_POTENTIAL || group == MCD_GROUP_CHANGED;
        if (*found.there && *found.missing && !is_of_some)
            return fail_apart(file, found.there, found.missing, error);
        if (*found.missing && is_required(group, metadata))
            return mcd_fail(error, MACADAM_E_FILE,
                            "%s: there is no section '%s' of the %llu nodes and %llu ids that 'meta' names",
                            file->name, found.missing, (unsigned long long)metadata->node_count,
                            (unsigned long long)metadata->id_count);
    }
    for (size_t i = 0; i < sizeof need / sizeof *need; ++i)
        if (holds(file, state[need[i][0]].there) && *state[need[i][1]].missing)
            return fail_apart(file, state[need[i][0]].there, state[need[i][1]].missing, error);
    if (!*state[MCD_GROUP_PATTERNS].there != !metadata->pattern_slots)
        return mcd_fail(error, MACADAM_E_FILE, "%s: there are %s patterns, but 'meta' has %u slots of them",
                        file->name, *state[MCD_GROUP_PATTERNS].there ? "sections of" : "no",
                        metadata->pattern_slots);
    if (*state[MCD_GROUP_TREE].there && !metadata->has_hierarchy)
        return mcd_fail(error, MACADAM_E_FILE, "%s: there is a section '%s', but 'meta' has no hierarchy",
                        file->name, state[MCD_GROUP_TREE].there);
    if (!*state[MCD_GROUP_WEIGHT].there == !*state[MCD_GROUP_COMPACT_WEIGHT].there)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: there are %s sections of weights, 'weight' and 'compact_weight'", file->name,
                        *state[MCD_GROUP_WEIGHT].there ? "both" : "no");
    return MACADAM_OK;
}

void mcd_sections_count(const mcd_edge_file *file, mcd_group group, mcd_counts *counts)
{
    for (const section_row *row = first_row(group); row < end_row(group); ++row) {
        const mcd_file_section *const section = mcd_edge_file_entry(file, row->name);
        if (section) counts->of[row->per] = section->bytes / row->element_size / row->record;
    }
}

/* ---- reading ---- */

bool mcd_sections_exist(const mcd_edge_file *file, const mcd_selector *selector)
{
    char name[MCD_SECTION_NAME_BYTES];
    mcd_sections_name(name, selector);
    return mcd_edge_file_has(file, name);
}

static macadam_status check_row(const section_row *row, const char *name, const mcd_counts *counts,
                                const void *data, mcd_check check)
{
    const size_t count = counts->of[row->per];
    switch (row->rule) {
    case RULE_WEIGHTS:
        return mcd_check_weights(check, name, data, count);
    case RULE_LON:
        return mcd_check_range(check, name, data, count, MCD_LON_MAX_E7);
    case RULE_LAT:
        return mcd_check_range(check, name, data, count, MCD_LAT_MAX_E7);
    case RULE_HEIGHT:
        return mcd_check_range(check, name, data, count, MCD_HEIGHT_MAX_DM);
    case RULE_POTENTIAL:
        return mcd_check_range(check, name, data, count, MCD_POTENTIAL_MAX);
    case RULE_SHAPES:
        return mcd_check_offsets(check, name, data, count - 1, counts->of[MCD_PER_SHAPE_POINT]);
    case RULE_OF_GROUP:
        break;
    }
    return MACADAM_OK;
}

macadam_status mcd_sections_read(mcd_edge_file *file, const mcd_selector *selector, mcd_counts *counts,
                                 void *structure, mcd_check check)
{
    char name[MCD_SECTION_NAME_BYTES];
    const section_row *const first = first_row(selector->group), *const end = end_row(selector->group);
    for (const section_row *row = first; row < end; ++row) {
        const void *data = NULL;
        size_t *const known = &counts->of[row->per], count;
        name_section(name, row->name, selector);
        if (is_absent(row, selector)) continue;
        const size_t expected = *known == MCD_COUNT_ANY ? *known : *known * row->record;
        MCD_TRY((selector->maps ? mcd_edge_file_map : mcd_edge_file_section)(
            file, name, row->element_size, expected, &data, &count, check.error));
        if (count % row->record)
            return mcd_fail(check.error, MACADAM_E_FILE,
                            "%s: section '%s' has %zu elements, which are not records of %u", file->name,
                            name, count, row->record);
        memcpy((char *)structure + row->slot, &data, sizeof data);
        *known = count / row->record;
    }
    if (file->trust || selector->maps) return MACADAM_OK;
    for (const section_row *row = first; row < end; ++row) {
        const void *data;
        memcpy(&data, (const char *)structure + row->slot, sizeof data);
        name_section(name, row->name, selector);
        if (data) MCD_TRY(check_row(row, name, counts, data, check));
    }
    return MACADAM_OK;
}

void mcd_sections_forget(mcd_edge_file *file, const mcd_selector *selector)
{
    char name[MCD_SECTION_NAME_BYTES];
    for (const section_row *row = first_row(selector->group); row < end_row(selector->group); ++row) {
        name_section(name, row->name, selector);
        mcd_edge_file_forget(file, name);
    }
}

static bool is_packed(mcd_group group)
{
    return group == MCD_GROUP_COMPACT_WEIGHT || group == MCD_GROUP_MIRRORS ||
           (group >= MCD_GROUP_NUMBERS && group <= MCD_GROUP_SHAPE_IDS && group != MCD_GROUP_LIMITS);
}

bool mcd_section_is_packed(const char *section)
{
    static const char weight[] = "compact_weight.";
    for (const section_row *row = catalogue; row < catalogue + ROWS; ++row)
        if (strcmp(row->name, section) == 0) return is_packed(row->group);
    return strncmp(section, weight, sizeof weight - 1) == 0;
}

void mcd_sections_forget_packed(mcd_edge_file *file)
{
    for (const section_row *row = catalogue; row < catalogue + ROWS; ++row)
        if (is_packed(row->group) && row->per != MCD_PER_KIND && row->per != MCD_PER_NAME_BYTE)
            mcd_edge_file_forget(file, row->name);
}

/* ---- writing ---- */

enum { GROUP_ROWS_MAX = 16 };

macadam_status mcd_sections_write(mcd_edge_writer *writer, const mcd_selector *selector,
                                  const mcd_counts *counts, const void *structure, bool gives,
                                  macadam_error *error)
{
    mcd_section_array array[GROUP_ROWS_MAX];
    size_t found = 0;
    for (const section_row *row = first_row(selector->group); row < end_row(selector->group); ++row) {
        mcd_section_array *const next = &array[found++];
        name_section(next->name, row->name, selector);
        next->element_size = row->element_size;
        next->count = counts->of[row->per] * row->record;
        next->coding = row->coding;
        memcpy(&next->data, (const char *)structure + row->slot, sizeof next->data);
    }
    return mcd_edge_writer_arrays(writer, array, found, gives, error);
}

macadam_status mcd_sections_write_made(mcd_edge_writer *writer, const mcd_graph *graph,
                                       const uint32_t *component, const mcd_hierarchy *hierarchy,
                                       macadam_error *error)
{
    static const mcd_group group[] = {MCD_GROUP_REVERSE, MCD_GROUP_COMPONENT, MCD_GROUP_TREE,
                                      MCD_GROUP_UPWARD};
    const void *const structure[] = {graph, &component, hierarchy, hierarchy};
    mcd_counts counts = {{0}};
    counts.of[MCD_PER_ARC] = graph->arc_count;
    counts.of[MCD_PER_NODE] = hierarchy->node_count;
    counts.of[MCD_PER_NODE_END] = (size_t)hierarchy->node_count + 1;
    counts.of[MCD_PER_UP_ARC] = hierarchy->first_up[hierarchy->node_count];
    counts.of[MCD_PER_SUPERNODE_END] = (size_t)hierarchy->supernode_count + 1;
    counts.of[MCD_PER_BOTTOM] = hierarchy->bottom_count;
    for (size_t i = 0; i < sizeof group / sizeof *group; ++i)
        MCD_TRY(mcd_sections_write(writer, &(mcd_selector){.group = group[i]}, &counts, structure[i], false,
                                   error));
    return MACADAM_OK;
}

macadam_status mcd_sections_write_up_depths(mcd_edge_writer *writer, const mcd_hierarchy *hierarchy,
                                            macadam_error *error)
{
    const mcd_counts counts = {.of = {[MCD_PER_UP_ARC] = hierarchy->first_up[hierarchy->node_count]}};
    return mcd_sections_write(writer, &(mcd_selector){.group = MCD_GROUP_UP_DEPTHS}, &counts, hierarchy,
                              false, error);
}

macadam_status mcd_sections_write_basic(mcd_edge_writer *writer, const char *metric, mcd_weight *arrays,
                                        size_t count, const mcd_weight *objective,
                                        const mcd_weight *companion, size_t arc_count, macadam_error *error)
{
    const mcd_counts counts = {.of = {[MCD_PER_BASIC] = count, [MCD_PER_BASIC_SOURCE] = 2}};
    const size_t bytes = arc_count * sizeof *objective;
    mcd_selector selector = {.group = MCD_GROUP_BASIC, .of = metric};
    uint32_t *source;
    MCD_TRY(mcd_sections_write(writer, &selector, &counts, &arrays, true, error));
    MCD_TRY(MCD_NEW(source, 2, error));
    source[0] = libdeflate_crc32(0, objective, bytes);
    source[1] = companion ? libdeflate_crc32(0, companion, bytes) : 0;
    selector.group = MCD_GROUP_BASIC_SOURCE;
    return mcd_sections_write(writer, &selector, &counts, &source, true, error);
}

static bool is_of_weights(uint32_t crc32, const mcd_edge_file *file, const char *quantity)
{
    char name[MCD_SECTION_NAME_BYTES];
    if (!quantity) return crc32 == 0;
    name_section(name, first_row(MCD_GROUP_WEIGHT)->name,
                 &(mcd_selector){.group = MCD_GROUP_WEIGHT, .of = quantity});
    const mcd_file_section *const section = mcd_edge_file_entry(file, name);
    return section && section->crc32 == crc32;
}

bool mcd_sections_have_basic(mcd_edge_file *file, const char *metric, const char *companion)
{
    const mcd_selector selector = {.group = MCD_GROUP_BASIC_SOURCE, .of = metric};
    char name[MCD_SECTION_NAME_BYTES];
    const void *data;
    name_section(name, first_row(selector.group)->name, &selector);
    if (!mcd_edge_file_has(file, name) ||
        mcd_edge_file_section(file, name, sizeof(uint32_t), 2, &data, NULL, NULL))
        return false;
    const uint32_t *const source = data;
    return is_of_weights(source[0], file, metric) && is_of_weights(source[1], file, companion);
}

macadam_status mcd_sections_write_places(mcd_edge_writer *writer, const mcd_place_index *places,
                                         const uint32_t *original, size_t arc_count, macadam_error *error)
{
    mcd_counts counts = {{0}};
    counts.of[MCD_PER_ID] = places->id_count;
    counts.of[MCD_PER_NODE] = places->node_count;
    counts.of[MCD_PER_ARC] = arc_count;
    for (mcd_group group = MCD_GROUP_PLACES; group <= MCD_GROUP_ID_HEIGHTS; ++group)
        MCD_TRY(mcd_sections_write(writer, &(mcd_selector){.group = group}, &counts, places, false, error));
    return mcd_sections_write(writer, &(mcd_selector){.group = MCD_GROUP_ORIGINALS}, &counts, &original,
                              false, error);
}

macadam_status mcd_sections_write_index(mcd_edge_writer *writer, const mcd_roads *roads,
                                        const mcd_parallel *parallel, macadam_error *error)
{
    mcd_arc_index index = {0};
    mcd_counts counts = {{0}};
    MCD_TRY(mcd_arc_index_make(&index, roads, parallel, error));
    counts.of[MCD_PER_NUMBER_END] = index.slot_count + 1;
    counts.of[MCD_PER_NUMBERED] = index.first[index.slot_count];
    return mcd_sections_write(writer, &(mcd_selector){.group = MCD_GROUP_INDEX}, &counts, &index, true,
                              error);
}

macadam_status mcd_sections_write_unindexed(mcd_edge_writer *writer, const uint32_t *arc, size_t count,
                                            bool gives, macadam_error *error)
{
    const mcd_counts counts = {.of = {[MCD_PER_UNINDEXED] = count}};
    return mcd_sections_write(writer, &(mcd_selector){.group = MCD_GROUP_UNINDEXED}, &counts, &arc, gives,
                              error);
}

macadam_status mcd_sections_write_weight_counts(mcd_edge_writer *writer, const char *quantity,
                                                const mcd_weight *weight, size_t arc_count,
                                                macadam_error *error)
{
    mcd_counts counts = {{0}};
    uint64_t *count;
    counts.of[MCD_PER_WEIGHT_COUNT] = 2;
    MCD_TRY(MCD_NEW_ZEROED(count, 2, error));
    for (size_t arc = 0; arc < arc_count; ++arc) {
        count[0] += weight[arc] == 0;
        count[1] += weight[arc] >= MCD_UNREACHED;
    }
    const uint64_t *const given = count;
    return mcd_sections_write(writer, &(mcd_selector){.group = MCD_GROUP_WEIGHT_COUNTS, .of = quantity},
                              &counts, &given, true, error);
}

/* ---- the arrays of a map ---- */

size_t mcd_sections_of_map(mcd_map *map, mcd_per per, mcd_map_array array[MCD_MAP_ARRAYS_MAX])
{
    size_t found = 0;
    for (const section_row *row = catalogue; row < catalogue + ROWS; ++row)
        if (row->map_slot && (per == MCD_PER_COUNT || row->per == per))
            array[found++] = (mcd_map_array){
                .name = row->name, .slot = (char *)map + row->map_slot, .element_size = row->element_size};
    return found;
}

void mcd_sections_view(const mcd_map *map, mcd_group group, void *structure)
{
    for (const section_row *row = first_row(group); row < end_row(group); ++row)
        memcpy((char *)structure + row->slot, (const char *)map + row->map_slot, sizeof(void *));
}
