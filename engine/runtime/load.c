/* load.c - see load.h. One file, because all parts are loaded by one rule, under one lock, in the order of their needs. */
#include "engine/runtime/load.h"

#include "engine/base/grow.h"
#include "engine/file/mirror.h"
#include "engine/file/touched.h"
#include "engine/map/hierarchy.h"

mcd_check mcd_engine_check(const macadam_engine *engine, macadam_error *error)
{
    return (mcd_check){engine->file->name, &engine->parallel, error};
}

macadam_status mcd_engine_read(macadam_engine *engine, const mcd_selector *selector, mcd_counts *counts,
                               void *structure, macadam_error *error)
{
    mcd_counts own = mcd_counts_of(engine->metadata);
    return mcd_sections_read(engine->file, selector, counts ? counts : &own, structure,
                             mcd_engine_check(engine, error));
}

static macadam_status load(macadam_engine *engine, mcd_load part, macadam_error *error);

/* Reads a group that belongs to no quantity and no metric. */
static macadam_status read_group(macadam_engine *engine, mcd_group group, mcd_counts *counts, void *structure,
                                 macadam_error *error)
{
    return mcd_engine_read(engine, &(mcd_selector){.group = group}, counts, structure, error);
}

static bool has_group(const macadam_engine *engine, mcd_group group)
{
    return mcd_sections_exist(engine->file, &(mcd_selector){.group = group});
}

static macadam_status read_arcs(macadam_engine *engine, macadam_error *error)
{
    mcd_graph graph = {.node_count = (mcd_node)engine->metadata->node_count,
                       .arc_count = (uint32_t)engine->metadata->arc_count};
    MCD_TRY(read_group(engine, MCD_GROUP_GRAPH, NULL, &graph, error));
    if (!engine->file->trust) MCD_TRY(mcd_check_graph(mcd_engine_check(engine, error), &graph));
    engine->graph = graph;
    return MACADAM_OK;
}

/* Other calls may be using it if it is there. */
static void use_reverse(macadam_engine *engine, const mcd_graph *whole)
{
    if (engine->graph.first_in) return;
    engine->graph.first_in = whole->first_in, engine->graph.tail = whole->tail;
    engine->graph.in_arc = whole->in_arc;
}

/* Reads the reverse CSR of a ready file, and makes that of any other. Other calls may be using the arcs. */
static macadam_status load_graph(macadam_engine *engine, macadam_error *error)
{
    mcd_graph whole = engine->graph;
    if (engine->is_ready) {
        MCD_TRY(read_group(engine, MCD_GROUP_REVERSE, NULL, &whole, error));
        if (!engine->file->trust) MCD_TRY(mcd_check_reverse(mcd_engine_check(engine, error), &whole));
    } else {
        MCD_TRY(mcd_graph_reverse(&whole, &engine->parallel, error));
        engine->owns_reverse = true;
    }
    use_reverse(engine, &whole);
    return MACADAM_OK;
}

/* Maps the reverse CSR of a ready file if it can be checked by its pages. */
static macadam_status map_arrivals(macadam_engine *engine, macadam_error *error)
{
    const mcd_selector selector = {.group = MCD_GROUP_REVERSE, .maps = true};
    mcd_graph whole = engine->graph;
    if (!engine->is_ready || engine->file->page_count == 0 || engine->is_loaded[MCD_LOAD_GRAPH])
        return load(engine, MCD_LOAD_GRAPH, error);
    MCD_TRY(mcd_engine_read(engine, &selector, NULL, &whole, error));
    MCD_TRY(MCD_NEW_ZEROED(engine->has_checked_arrivals, whole.node_count, error));
    use_reverse(engine, &whole);
    return MACADAM_OK;
}

macadam_status mcd_engine_touch_arrivals(macadam_engine *engine, mcd_node node, macadam_error *error)
{
    atomic_bool *const is_checked = engine->has_checked_arrivals;
    if (!is_checked || atomic_load_explicit(&is_checked[node], memory_order_acquire)) return MACADAM_OK;
    MCD_TRY(mcd_touched_arrivals(engine->file, &engine->graph, node, error));
    atomic_store_explicit(&is_checked[node], true, memory_order_release);
    return MACADAM_OK;
}

/* Fails unless the nodes are a preorder of the elimination tree that follows from the arcs. All else that mcd_check_upward
 * demands of a file holds for what is made of any arcs (mcd_hierarchy_new). */
static macadam_status check_made(const macadam_engine *engine, const mcd_hierarchy *made,
                                 macadam_error *error)
{
    const size_t up_count = made->first_up[made->node_count];
    const mcd_check check = mcd_engine_check(engine, NULL);
    if (up_count != engine->metadata->up_arc_count || made->height != engine->metadata->height)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: section 'meta': a hierarchy of %llu upward arcs and height %u; the arcs make "
                        "one of %zu and %u",
                        engine->file->name, (unsigned long long)engine->metadata->up_arc_count,
                        engine->metadata->height, up_count, made->height);
    const macadam_status status = engine->file->trust ? MACADAM_OK : mcd_check_tree(check, made);
    if (status == MACADAM_OK) return MACADAM_OK;
    if (status == MACADAM_E_CANCELLED) return mcd_watch_step(NULL, 0, 1, error); /* says so */
    return mcd_fail(error, MACADAM_E_FILE, "%s: the nodes are in no order of an elimination tree",
                    engine->file->name);
}

MCD_DEFINE_FREE_AT(free_at, mcd_hierarchy, mcd_hierarchy_free)

static macadam_status make_hierarchy(macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(free_at) mcd_hierarchy *made = NULL;
    MCD_TRY(load(engine, MCD_LOAD_GRAPH, error));
    const macadam_status status = mcd_hierarchy_new(&made, &engine->graph, &engine->parallel, NULL, error);
    MCD_TRY(status == MACADAM_E_INVALID ? MACADAM_E_FILE : status);
    MCD_TRY(check_made(engine, made, error));
    engine->hierarchy = *made;
    return MCD_MOVE(engine->made_hierarchy, made);
}

/* Reads the tree of a ready file, and makes the whole hierarchy of any other. */
static macadam_status load_tree(macadam_engine *engine, macadam_error *error)
{
    if (!engine->metadata->has_hierarchy)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "%s has no hierarchy (it was imported with --no-hierarchy)", engine->file->name);
    if (!engine->is_ready) return make_hierarchy(engine, error);
    mcd_hierarchy tree = {.node_count = (mcd_node)engine->metadata->node_count,
                          .height = engine->metadata->height};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_TREE, &counts, &tree, error));
    const size_t bottoms = counts.of[MCD_PER_BOTTOM];
    if (bottoms > tree.node_count)
        return mcd_fail(error, MACADAM_E_FILE, "%s: %zu bottom roots do not fit %u nodes", engine->file->name,
                        bottoms, tree.node_count);
    tree.bottom_count = (mcd_node)bottoms;
    if (!engine->file->trust) MCD_TRY(mcd_check_tree(mcd_engine_check(engine, error), &tree));
    engine->hierarchy = tree;
    return MACADAM_OK;
}

static macadam_status make_up_depths(macadam_engine *engine, mcd_hierarchy *whole, macadam_error *error)
{
    const size_t up_count = engine->metadata->up_arc_count;
    MCD_TRY(MCD_NEW(engine->made_up_depth, up_count, error));
    for (size_t up = 0; up < up_count; ++up) engine->made_up_depth[up] = whole->depth[whole->up_head[up]];
    whole->up_depth = engine->made_up_depth;
    return MACADAM_OK;
}

/* Reads the rest of a ready file's hierarchy. Other calls may be using the tree. */
static macadam_status load_upward(macadam_engine *engine, macadam_error *error)
{
    if (engine->made_hierarchy) return MACADAM_OK;
    mcd_hierarchy whole = engine->hierarchy;
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_UPWARD, &counts, &whole, error));
    const size_t supernodes = counts.of[MCD_PER_SUPERNODE_END];
    if (supernodes == 0 || supernodes > (size_t)whole.node_count + 1)
        return mcd_fail(error, MACADAM_E_FILE, "%s: %zu supernode offsets do not fit %u nodes",
                        engine->file->name, supernodes, whole.node_count);
    whole.supernode_count = (mcd_node)(supernodes - 1);
    if (!engine->file->trust)
        MCD_TRY(mcd_check_upward(mcd_engine_check(engine, error), &whole, engine->metadata->up_arc_count));
    if (has_group(engine, MCD_GROUP_UP_DEPTHS))
        MCD_TRY(read_group(engine, MCD_GROUP_UP_DEPTHS, &counts, &whole, error));
    else
        MCD_TRY(make_up_depths(engine, &whole, error));
    if (!engine->file->trust && !engine->made_up_depth)
        MCD_TRY(mcd_check_up_depths(mcd_engine_check(engine, error), &whole));
    engine->hierarchy.first_up = whole.first_up, engine->hierarchy.up_head = whole.up_head;
    engine->hierarchy.up_depth = whole.up_depth;
    engine->hierarchy.level = whole.level, engine->hierarchy.supernode_first = whole.supernode_first;
    engine->hierarchy.supernode_count = whole.supernode_count;
    return MACADAM_OK;
}

/* Frees what the places were made from, but for the ids. */
static void forget_packed(const macadam_engine *engine)
{
    static const char *const name[] = {"node_role", "departure", "departure_id",
                                       "lon_e7",    "lat_e7",    "height_dm"};
    for (size_t i = 0; i < sizeof name / sizeof name[0]; ++i) mcd_edge_file_forget(engine->file, name[i]);
}

macadam_status mcd_engine_unpack_places(mcd_place_index *out, macadam_engine *engine, macadam_error *error)
{
    static const mcd_group group[] = {MCD_GROUP_IDS, MCD_GROUP_ROLES, MCD_GROUP_COORDINATES,
                                      MCD_GROUP_HEIGHTS};
    mcd_packed_places packed = {0};
    MCD_FREED_BY(mcd_places_free)
    mcd_place_index places = {.node_count = engine->metadata->node_count,
                              .id_count = engine->metadata->id_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    for (size_t i = 0; i < sizeof group / sizeof *group; ++i)
        if (has_group(engine, group[i])) MCD_TRY(read_group(engine, group[i], &counts, &packed, error));
    MCD_TRY(mcd_places_unpack(&places, &packed, engine->file->name, &engine->parallel, error));
    forget_packed(engine);
    return MCD_MOVE(*out, places);
}

/* Returns whether the file has places as they are. */
static bool has_places(const macadam_engine *engine)
{
    return has_group(engine, MCD_GROUP_PLACES) &&
           has_group(engine, MCD_GROUP_NODE_COORDINATES) == has_group(engine, MCD_GROUP_COORDINATES) &&
           has_group(engine, MCD_GROUP_ID_HEIGHTS) == has_group(engine, MCD_GROUP_HEIGHTS);
}

/* But for the ids. */
static macadam_status read_stored_places(mcd_place_index *out, macadam_engine *engine, macadam_error *error)
{
    mcd_counts counts = mcd_counts_of(engine->metadata);
    for (mcd_group group = MCD_GROUP_PLACES; group <= MCD_GROUP_ID_HEIGHTS; ++group)
        if (has_group(engine, group)) MCD_TRY(read_group(engine, group, &counts, out, error));
    return engine->file->trust ? MACADAM_OK : mcd_check_places(mcd_engine_check(engine, error), out);
}

static macadam_status read_places(macadam_engine *engine, macadam_error *error)
{
    mcd_packed_places packed = {0};
    mcd_place_index places = {.node_count = engine->metadata->node_count,
                              .id_count = engine->metadata->id_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_IDS, &counts, &packed, error));
    if (!engine->file->trust)
        MCD_TRY(mcd_check_ids(mcd_engine_check(engine, error), packed.id, places.id_count));
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
        const mcd_selector selector = {.group = MCD_GROUP_POTENTIAL, .of = engine->quantity_name[q]};
        if (engine->has_potential[q])
            MCD_TRY(mcd_engine_read(engine, &selector, &counts, &engine->potential[q], error));
    }
    places.id = packed.id;
    engine->owns_places = !has_places(engine);
    MCD_TRY(engine->owns_places ? mcd_engine_unpack_places(&places, engine, error)
                                : read_stored_places(&places, engine, error));
    engine->places = places;
    return MACADAM_OK;
}

/* Under the lock: makes a kind of roads as macadam.h returns it; its name comes last. */
static void make_kind(const mcd_arc_facts *facts, size_t i, macadam_road_facts *out)
{
    const mcd_kind *const kind = &facts->kind[i];
    out->road_class = facts->names + kind->text[MCD_KIND_CLASS];
    out->ref = facts->names + kind->text[MCD_KIND_REF];
    out->destination = facts->names + kind->text[MCD_KIND_DESTINATION];
    out->exit = facts->names + kind->text[MCD_KIND_EXIT];
    out->turn_lanes = facts->names + kind->text[MCD_KIND_TURN_LANES];
    out->flags = kind->flags;
    out->speed_kmh = kind->speed_kmh;
    out->lanes = kind->lanes;
    out->pronunciation = facts->names + (facts->pronunciation ? facts->pronunciation[i] : 0);
    __atomic_store_n(&out->name, facts->names + kind->text[MCD_KIND_NAME], __ATOMIC_RELEASE);
}

const macadam_road_facts *mcd_engine_make_road_facts(const macadam_engine *engine, size_t kind)
{
    macadam_road_facts *const out = &engine->road_facts[kind];
    MCD_HOLD((pthread_mutex_t *)&engine->lock);
    if (!out->name) make_kind(&engine->facts, kind, out);
    return out;
}

macadam_status mcd_engine_unpack_originals(uint32_t **out, size_t *original_count, macadam_engine *engine,
                                           macadam_error *error)
{
    const mcd_selector selector = {.group = MCD_GROUP_COPIES};
    const uint16_t *copy;
    MCD_TRY(read_group(engine, MCD_GROUP_COPIES, NULL, &copy, error));
    MCD_TRY(mcd_arcs_unpack(out, original_count, copy, &engine->graph, &engine->places, engine->file->name,
                            &engine->parallel, error));
    mcd_sections_forget(engine->file, &selector);
    return MACADAM_OK;
}

static macadam_status read_stored_originals(macadam_engine *engine, macadam_error *error)
{
    const uint32_t *original;
    mcd_counts counts = mcd_counts_of(engine->metadata);
    mcd_sections_count(engine->file, MCD_GROUP_NUMBERS, &counts);
    MCD_TRY(read_group(engine, MCD_GROUP_ORIGINALS, &counts, &original, error));
    if (!engine->file->trust)
        MCD_TRY(mcd_check_originals(mcd_engine_check(engine, error), original, counts.of[MCD_PER_OWN],
                                    engine->graph.arc_count));
    engine->original = original;
    engine->original_count = counts.of[MCD_PER_OWN];
    return MACADAM_OK;
}

/* Makes the original of each arc, if junctions are split and the file does not have them. */
static macadam_status read_originals(macadam_engine *engine, macadam_error *error)
{
    engine->original_count = engine->graph.arc_count;
    if (!has_group(engine, MCD_GROUP_COPIES)) return MACADAM_OK;
    if (has_group(engine, MCD_GROUP_ORIGINALS) && !has_group(engine, MCD_GROUP_MIRRORS))
        return read_stored_originals(engine, error);
    MCD_TRY(mcd_engine_unpack_originals(&engine->made_original, &engine->original_count, engine, error));
    engine->original = engine->made_original;
    return MACADAM_OK;
}

/* Those that are made from packed copies are right. */
static macadam_status check_copies(macadam_engine *engine, macadam_error *error)
{
    if (engine->file->trust || !engine->original || engine->made_original) return MACADAM_OK;
    return mcd_check_copies(mcd_engine_check(engine, error), engine->original, engine->original_count,
                            &engine->graph, &engine->places);
}

static macadam_status find_opposites(macadam_engine *engine, macadam_error *error)
{
    if (engine->opposites.opposite) return MACADAM_OK;
    MCD_TRY(load(engine, MCD_LOAD_COPIES, error));
    return mcd_opposites_new(&engine->opposites, &engine->graph, &engine->places, engine->original,
                             engine->original_count, &engine->parallel, error);
}

/* Once everything that is packed is made whole, they are not needed. */
static void forget_opposites(macadam_engine *engine)
{
    bool whole = engine->facts.number;
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) whole = whole && engine->own_weight[q];
    if (whole) mcd_opposites_free(&engine->opposites);
}

static macadam_status read_fact_groups(macadam_engine *engine, mcd_arc_facts *facts, mcd_counts *counts,
                                       macadam_error *error)
{
    for (mcd_group group = MCD_GROUP_NUMBERS; group <= MCD_GROUP_PATTERNS; ++group)
        if (group == MCD_GROUP_NUMBERS || has_group(engine, group))
            MCD_TRY(read_group(engine, group, counts, facts, error));
    return MACADAM_OK;
}

/* Reads the facts of each original, or, if there are mirrors, of each original that is not one. */
static macadam_status read_roads(macadam_engine *engine, mcd_arc_facts *facts, mcd_counts *counts,
                                 macadam_error *error)
{
    const uint8_t *is_mirror;
    counts->of[MCD_PER_ORIGINAL] = counts->of[MCD_PER_OWN] = engine->original_count;
    counts->of[MCD_PER_OWN_END] = engine->original_count + 1;
    if (!has_group(engine, MCD_GROUP_MIRRORS)) return read_fact_groups(engine, facts, counts, error);
    MCD_TRY(find_opposites(engine, error));
    counts->of[MCD_PER_OPPOSITE] = engine->opposites.count;
    MCD_TRY(read_group(engine, MCD_GROUP_MIRRORS, counts, &is_mirror, error));
    for (size_t i = 0; i < engine->opposites.count; ++i) counts->of[MCD_PER_OWN] -= is_mirror[i] != 0;
    counts->of[MCD_PER_OWN_END] = counts->of[MCD_PER_OWN] + 1;
    MCD_TRY(read_fact_groups(engine, facts, counts, error));
    MCD_TRY(mcd_facts_convert(&engine->own_facts, facts, &engine->opposites, is_mirror, false, error));
    mcd_sections_forget_packed(engine->file);
    return MACADAM_OK;
}

static macadam_status read_shut(macadam_engine *engine, macadam_error *error)
{
    mcd_arc_facts facts = {.shut_words = MCD_SHUT_WORDS + engine->metadata->n_quantity};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    if (has_group(engine, MCD_GROUP_SHUT)) {
        mcd_sections_count(engine->file, MCD_GROUP_WEEKS, &counts);
        MCD_TRY(read_group(engine, MCD_GROUP_SHUT, &counts, &facts, error));
        facts.shut_arc_count = counts.of[MCD_PER_SHUT_WORD] / facts.shut_words;
        if (!engine->file->trust)
            MCD_TRY(mcd_check_shut(mcd_engine_check(engine, error), facts.shut_arc,
                                   counts.of[MCD_PER_SHUT_WORD], facts.shut_words,
                                   engine->metadata->arc_count, counts.of[MCD_PER_WEEK]));
    }
    engine->facts = facts;
    return MACADAM_OK;
}

static macadam_status read_facts(macadam_engine *engine, macadam_error *error)
{
    mcd_arc_facts facts = {.original = engine->original};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    mcd_own_facts_free(&engine->own_facts); /* of a call that failed later */
    MCD_TRY(read_roads(engine, &facts, &counts, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (facts.names && !engine->file->trust) {
        MCD_TRY(mcd_check_names(check, facts.names, counts.of[MCD_PER_NAME_BYTE]));
        MCD_TRY(mcd_check_kinds(check, facts.kind_of, counts.of[MCD_PER_ORIGINAL], facts.kind,
                                facts.pronunciation, counts.of[MCD_PER_KIND], facts.names,
                                counts.of[MCD_PER_NAME_BYTE]));
    }
    if (facts.names) facts.kind_count = counts.of[MCD_PER_KIND];
    if (facts.maneuver) facts.maneuver_count = counts.of[MCD_PER_RELATION];
    if (facts.maneuver && !engine->file->trust)
        MCD_TRY(mcd_check_maneuvers(check, facts.maneuver, facts.maneuver_count));
    facts.shut_words = engine->facts.shut_words, facts.shut_arc_count = engine->facts.shut_arc_count;
    if (facts.timed_arc) facts.timed_arc_count = counts.of[MCD_PER_TIMED_ARC];
    if (facts.week) facts.week_count = counts.of[MCD_PER_WEEK];
    if (facts.guard && !engine->file->trust) MCD_TRY(mcd_check_guards(check, facts.guard, facts.week_count));
    if (facts.timed_arc && !engine->file->trust)
        MCD_TRY(mcd_check_times(check, facts.timed_arc, facts.timed_arc_count, facts.week_count));
    if (facts.pattern) {
        facts.pattern_slots = engine->metadata->pattern_slots;
        facts.pattern_count = counts.of[MCD_PER_PATTERN_SLOT] / facts.pattern_slots;
    }
    if (facts.pattern && !engine->file->trust) {
        const mcd_pattern_table table = {facts.pattern, facts.pattern_count, facts.pattern_slots};
        MCD_TRY(mcd_check_patterns(check, &table, counts.of[MCD_PER_PATTERN_SLOT], facts.arc_pattern,
                                   counts.of[MCD_PER_ORIGINAL]));
    }
    if (facts.names) MCD_TRY(MCD_NEW_ZEROED(engine->road_facts, facts.kind_count, error));
    engine->facts = facts;
    forget_opposites(engine);
    engine->roads = (mcd_roads){&engine->graph, &engine->places, &engine->facts, counts.of[MCD_PER_ORIGINAL]};
    return MACADAM_OK;
}

uint64_t mcd_engine_last_number(const macadam_engine *engine)
{
    const bool has_mirrors = has_group(engine, MCD_GROUP_MIRRORS); /* they have no numbers, but kinds */
    mcd_counts counts = mcd_counts_of(engine->metadata);
    mcd_sections_count(engine->file, has_mirrors ? MCD_GROUP_NAMES : MCD_GROUP_NUMBERS, &counts);
    const size_t count = counts.of[has_mirrors ? MCD_PER_ORIGINAL : MCD_PER_OWN];
    return count == MCD_COUNT_ANY ? 0 : count;
}

static macadam_status make_index(macadam_engine *engine, macadam_error *error)
{
    return mcd_arc_index_make(&engine->arc_index, &engine->roads, &engine->parallel, error);
}

static macadam_status read_snap(macadam_engine *engine, macadam_error *error)
{
    mcd_snap_index snap = {0};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    if (!engine->places.lon_e7) return MACADAM_OK;
    MCD_TRY(read_group(engine, MCD_GROUP_SNAP, &counts, &snap, error));
    size_t level_first[MCD_SNAP_LEVELS_MAX + 1];
    snap.piece_count = counts.of[MCD_PER_PIECE];
    snap.box_count = level_first[mcd_snap_levels(snap.piece_count, level_first)];
    if (counts.of[MCD_PER_BOX] != snap.box_count)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: section 'snap_box' has %zu boxes, but %zu pieces need %zu", engine->file->name,
                        counts.of[MCD_PER_BOX], snap.piece_count, snap.box_count);
    MCD_TRY(mcd_snap_lines_new(&snap, error));
    engine->snap = snap;
    return MACADAM_OK;
}

static macadam_status make_unindexed(macadam_engine *engine, macadam_error *error)
{
    const mcd_roads *const roads = &engine->roads;
    MCD_OWNED uint32_t *found = NULL;
    const uint32_t *arc;
    mcd_counts counts = mcd_counts_of(engine->metadata);
    if (!engine->places.lon_e7) return MACADAM_OK;
    if (has_group(engine, MCD_GROUP_UNINDEXED)) {
        MCD_TRY(read_group(engine, MCD_GROUP_UNINDEXED, &counts, &arc, error));
        if (!engine->file->trust)
            MCD_TRY(mcd_check_unindexed(mcd_engine_check(engine, error), roads, arc,
                                        counts.of[MCD_PER_UNINDEXED]));
    } else {
        MCD_TRY(mcd_unindexed_find(&found, &counts.of[MCD_PER_UNINDEXED], roads, &engine->snap,
                                   &engine->parallel, error));
        arc = found;
    }
    return mcd_unindexed_new(&engine->unindexed, roads, arc, counts.of[MCD_PER_UNINDEXED], error);
}

static macadam_status make_node_ids(macadam_engine *engine, macadam_error *error)
{
    MCD_OWNED int64_t *id = NULL;
    MCD_TRY(MCD_NEW(id, engine->places.node_count, error));
    for (mcd_node v = 0; v < engine->places.node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, engine->places.node_count, error));
        id[v] = mcd_place_id_of(&engine->places, v);
    }
    return MCD_MOVE(engine->node_id, id);
}

/* Components are only compared with each other: any numbers will do. */
static macadam_status make_components(macadam_engine *engine, macadam_error *error)
{
    if (engine->is_ready) return read_group(engine, MCD_GROUP_COMPONENT, NULL, &engine->component, error);
    MCD_TRY(mcd_components_new(&engine->components, &engine->graph, NULL, NULL, error));
    engine->component = engine->components.component;
    return MACADAM_OK;
}

static macadam_status make_couples(macadam_engine *engine, macadam_error *error)
{
    return mcd_couples_new(&engine->couples, &engine->graph, error);
}

static macadam_status make_junctions(macadam_engine *engine, macadam_error *error)
{
    return mcd_junctions_new(&engine->junctions, &engine->roads, error);
}

/* How each part is read, and what it needs: parts that come before it. */
static const struct {
    macadam_status (*read)(macadam_engine *engine, macadam_error *error); /* NULL: it is what it needs */
    unsigned needs;                                                       /* 1 << part */
} row_of[MCD_LOAD_COUNT] = {
    [MCD_LOAD_ARCS] = {read_arcs, 0},
    [MCD_LOAD_GRAPH] = {load_graph, 1 << MCD_LOAD_ARCS},
    [MCD_LOAD_ARRIVALS] = {map_arrivals, 1 << MCD_LOAD_ARCS},
    [MCD_LOAD_TREE] = {load_tree, 0},
    [MCD_LOAD_UPWARD] = {load_upward, 1 << MCD_LOAD_ARCS | 1 << MCD_LOAD_TREE},
    [MCD_LOAD_HIERARCHY] = {NULL, 1 << MCD_LOAD_GRAPH | 1 << MCD_LOAD_UPWARD},
    [MCD_LOAD_PLACES] = {read_places, 0},
    [MCD_LOAD_NODE_IDS] = {make_node_ids, 1 << MCD_LOAD_PLACES},
    [MCD_LOAD_ORIGINALS] = {read_originals, 1 << MCD_LOAD_ARCS | 1 << MCD_LOAD_PLACES},
    [MCD_LOAD_COPIES] = {check_copies, 1 << MCD_LOAD_ORIGINALS},
    [MCD_LOAD_SHUT] = {read_shut, 0},
    [MCD_LOAD_FACTS] = {read_facts, 1 << MCD_LOAD_ORIGINALS | 1 << MCD_LOAD_SHUT},
    [MCD_LOAD_INDEX] = {make_index, 1 << MCD_LOAD_FACTS},
    [MCD_LOAD_JUNCTIONS] = {make_junctions, 1 << MCD_LOAD_GRAPH | 1 << MCD_LOAD_COPIES | 1 << MCD_LOAD_FACTS},
    [MCD_LOAD_SNAP] = {read_snap, 1 << MCD_LOAD_FACTS},
    [MCD_LOAD_UNINDEXED] = {make_unindexed, 1 << MCD_LOAD_SNAP},
    [MCD_LOAD_COMPONENTS] = {make_components, 1 << MCD_LOAD_GRAPH},
    [MCD_LOAD_COUPLES] = {make_couples, 1 << MCD_LOAD_GRAPH},
};

/* Under the lock. After E_CANCELLED, the next call reads from the beginning. */
static macadam_status load(macadam_engine *engine, mcd_load part, macadam_error *error)
{
    if (engine->is_loaded[part]) return MACADAM_OK;
    for (unsigned needed = 0; needed < part; ++needed)
        if (row_of[part].needs & 1 << needed) MCD_TRY(load(engine, (mcd_load)needed, error));
    if (row_of[part].read) MCD_TRY(row_of[part].read(engine, error));
    engine->is_loaded[part] = true;
    return MACADAM_OK;
}

macadam_status mcd_engine_load(macadam_engine *engine, mcd_load part, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    return load(engine, part, error);
}

macadam_status mcd_engine_load_schedule(macadam_engine *engine, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->schedule_lock, error);
    mcd_schedule *schedule;
    if (engine->schedule) return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_HIERARCHY, error));
    if (!engine->made_hierarchy && !engine->file->trust)
        MCD_TRY(mcd_check_inputs(mcd_engine_check(engine, error), &engine->hierarchy, &engine->graph));
    MCD_TRY(
        engine->host->schedule_new(&schedule, &engine->hierarchy, &engine->graph, &engine->parallel, error));
    engine->schedule = schedule;
    return MACADAM_OK;
}

void mcd_engine_hold_schedule(macadam_engine *engine)
{
    MCD_HOLD(&engine->lock);
    ++engine->basic_count;
}

void mcd_engine_shed_schedule(macadam_engine *engine)
{
    if (!engine->schedule || engine->basic_count > 0) return;
    engine->host->schedule_free(engine->schedule);
    engine->schedule = NULL;
}

/* ---- quantities ---- */

/* Makes the weights of a compact file, once. */
static macadam_status unpack_weights(macadam_engine *engine, size_t index, macadam_error *error)
{
    char name[MCD_SECTION_NAME_BYTES];
    const mcd_selector selector = {.group = MCD_GROUP_COMPACT_WEIGHT, .of = engine->quantity_name[index]};
    const size_t arc_count = engine->metadata->arc_count;
    mcd_weight *packed; /* only read */
    MCD_OWNED mcd_weight *weight = NULL;
    if (engine->own_weight[index]) return MACADAM_OK;
    MCD_TRY(load(engine, MCD_LOAD_ORIGINALS, error));
    MCD_TRY(find_opposites(engine, error));
    MCD_TRY(mcd_engine_read(engine, &selector, NULL, &packed, error));
    MCD_TRY(MCD_NEW(weight, arc_count, error));
    MCD_TRY(mcd_weights_convert(weight, packed, false, arc_count, engine->original, &engine->opposites,
                                &engine->parallel, error));
    mcd_sections_name(name, &selector);
    if (!engine->file->trust)
        MCD_TRY(mcd_check_weights(mcd_engine_check(engine, error), name, weight, arc_count));
    MCD_MOVE(engine->own_weight[index], weight);
    mcd_sections_forget(engine->file, &selector);
    forget_opposites(engine);
    return MACADAM_OK;
}

/* Under the lock: finds the file's weights of a quantity. Those of a ready file are not checked. */
static macadam_status read_weights(macadam_engine *engine, size_t index, const mcd_weight **out,
                                   macadam_error *error)
{
    mcd_selector selector = {.group = MCD_GROUP_COMPACT_WEIGHT, .of = engine->quantity_name[index]};
    if (mcd_sections_exist(engine->file, &selector)) {
        MCD_TRY(unpack_weights(engine, index, error));
        *out = engine->own_weight[index];
        return MACADAM_OK;
    }
    selector.group = MCD_GROUP_WEIGHT, selector.maps = true;
    return mcd_engine_read(engine, &selector, NULL, out, error);
}

/* Under the lock: checks the file's weights of a quantity, unless they were. Packed ones are when they are made. */
static macadam_status check_weights(macadam_engine *engine, size_t index, macadam_error *error)
{
    const mcd_selector selector = {.group = MCD_GROUP_WEIGHT, .of = engine->quantity_name[index]};
    const mcd_weight *weight;
    if (engine->file->trust || engine->own_weight[index] || engine->has_checked_weight[index])
        return MACADAM_OK;
    MCD_TRY(mcd_engine_read(engine, &selector, NULL, &weight, error));
    engine->has_checked_weight[index] = true;
    return MACADAM_OK;
}

/* Takes over the counts of a file that has them: else they are counted when they are first needed. */
static macadam_status read_counts(macadam_engine *engine, size_t index, mcd_array *array,
                                  macadam_error *error)
{
    const mcd_selector selector = {.group = MCD_GROUP_WEIGHT_COUNTS, .of = engine->quantity_name[index]};
    const uint64_t *count;
    if (!mcd_sections_exist(engine->file, &selector)) return MACADAM_OK;
    MCD_TRY(mcd_engine_read(engine, &selector, NULL, &count, error));
    array->zero_count = count[0];
    array->closed_count = count[1];
    return MACADAM_OK;
}

macadam_status mcd_engine_file_weights(macadam_engine *engine, size_t index, const mcd_weight **out,
                                       macadam_error *error)
{
    MCD_TRY(read_weights(engine, index, out, error));
    return check_weights(engine, index, error);
}

macadam_status mcd_engine_read_quantity(macadam_engine *engine, size_t index, macadam_error *error)
{
    MCD_TRY(mcd_engine_map_quantity(engine, index, error));
    return check_weights(engine, index, error);
}

macadam_status mcd_engine_use_quantity(macadam_engine *engine, size_t index, mcd_array **out,
                                       macadam_error *error)
{
    *out = NULL;
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(mcd_engine_read_quantity(engine, index, error));
    *out = mcd_array_use(engine->quantity[index]);
    return MACADAM_OK;
}

macadam_status mcd_engine_load_quantity(macadam_engine *engine, size_t index, mcd_array **out,
                                        macadam_error *error)
{
    MCD_TRY(mcd_engine_use_quantity(engine, index, out, error));
    mcd_array_leave(*out);
    return MACADAM_OK;
}

/* Reads the arcs that updates had changed before the file was saved. */
static macadam_status read_changed(macadam_engine *engine, mcd_prices *out, macadam_error *error)
{
    char name[MCD_SECTION_NAME_BYTES];
    mcd_counts counts = mcd_counts_of(engine->metadata);
    const mcd_selector selector = {.group = MCD_GROUP_CHANGED, .of = engine->quantity_name[out->quantity]};
    if (!mcd_sections_exist(engine->file, &selector)) return MACADAM_OK;
    MCD_TRY(mcd_engine_read(engine, &selector, &counts, &out->changed, error));
    mcd_sections_name(name, &selector);
    out->changed_count = counts.of[MCD_PER_CHANGED_ARC];
    if (!engine->file->trust)
        MCD_TRY(mcd_check_changed(mcd_engine_check(engine, error), name, out->changed, out->changed_count,
                                  engine->metadata->arc_count));
    size_t capacity = 0;
    for (size_t i = 0; i < out->changed_count; ++i) {
        if (out->changed[i].price == MCD_PRICE_IMPORTED) continue;
        MCD_TRY(MCD_GROW(out->set, capacity, out->set_count + 1, error));
        out->set[out->set_count++] = (mcd_turn_price){out->changed[i].arc, (int32_t)out->changed[i].price};
    }
    return MACADAM_OK;
}

MCD_DEFINE_STATIC_FREE(free_set, mcd_prices, it->set)

/* Under the lock. */
static macadam_status map_prices(macadam_engine *engine, size_t index, macadam_error *error)
{
    MCD_FREED_BY(free_set)
    mcd_prices prices = {.shut_arc = engine->facts.shut_arc,
                         .shut_arc_count = engine->facts.shut_arc_count,
                         .shut_words = engine->facts.shut_words,
                         .quantity = index,
                         .is_loaded = true};
    if (engine->prices[index].is_loaded) return MACADAM_OK;
    MCD_TRY(read_weights(engine, index, &prices.weight, error));
    MCD_TRY(read_changed(engine, &prices, error));
    return MCD_MOVE(engine->prices[index], prices);
}

MCD_DEFINE_FREE_AT(leave_at, mcd_array, mcd_array_leave)

/* Replaces the file's weights by those that updates have left pending. */
static macadam_status make_pending(macadam_engine *engine, size_t index, mcd_array **array,
                                   macadam_error *error)
{
    const mcd_pending *const pending = &engine->pending[index];
    MCD_FREED_BY(leave_at) mcd_array *next = NULL;
    if (pending->count == 0) return MACADAM_OK;
    MCD_TRY(load(engine, MCD_LOAD_INDEX, error));
    MCD_TRY(map_prices(engine, index, error));
    MCD_TRY(mcd_array_next(&next, *array, true, error));
    for (size_t i = 0; i < pending->count; ++i) {
        const mcd_arc_copies copies = mcd_arc_index_of(&engine->arc_index, pending->change[i].number);
        if (copies.count == 0)
            return mcd_fail(error, MACADAM_E_FILE, "%s: section 'arc_number': no arc has the number %llu",
                            engine->file->name, (unsigned long long)pending->change[i].number);
        mcd_prices_set(&engine->prices[index], next, copies, pending->change[i].value);
    }
    mcd_array_leave(*array);
    return MCD_MOVE(*array, next);
}

macadam_status mcd_engine_map_quantity(macadam_engine *engine, size_t index, macadam_error *error)
{
    MCD_FREED_BY(leave_at) mcd_array *array = NULL;
    const mcd_weight *weight;
    if (engine->quantity[index]) return MACADAM_OK;
    MCD_TRY(read_weights(engine, index, &weight, error));
    MCD_TRY(mcd_array_new(&array, weight, NULL, engine->metadata->arc_count, 1, error));
    array->file = &engine->file->mapping;
    if (engine->file->trust) MCD_TRY(read_counts(engine, index, array, error));
    MCD_TRY(make_pending(engine, index, &array, error));
    mcd_free(engine->pending[index].change);
    engine->pending[index] = (mcd_pending){.count = 0};
    return MCD_MOVE(engine->quantity[index], array);
}

macadam_status mcd_engine_map_prices(macadam_engine *engine, size_t index, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    return map_prices(engine, index, error);
}

macadam_status mcd_engine_load_prices(macadam_engine *engine, size_t index, macadam_error *error)
{
    MCD_WATCH_HOLD(&engine->lock, error);
    MCD_TRY(map_prices(engine, index, error));
    return check_weights(engine, index, error);
}

macadam_status mcd_engine_touch_weights(macadam_engine *engine, size_t index, const uint32_t *arc,
                                        size_t count, macadam_error *error)
{
    const mcd_weight *const weight = engine->prices[index].weight;
    MCD_WATCH_HOLD(&engine->lock, error);
    if (engine->file->trust || engine->own_weight[index] || engine->has_checked_weight[index])
        return MACADAM_OK;
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(mcd_edge_file_touch(engine->file, &weight[arc[i]], sizeof *weight, error));
        if (weight[arc[i]] > MCD_UNREACHED) return check_weights(engine, index, error); /* says so */
    }
    return MACADAM_OK;
}
