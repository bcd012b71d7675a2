/* load.c - see load.h. */
#include "engine/runtime/load.h"

#include "engine/prepare/snap_build.h"

static bool is_trusted(const macadam_engine *engine)
{
    return mcd_edge_file_is_trusted(engine->file);
}

mcd_check mcd_engine_check(const macadam_engine *engine, macadam_error *error)
{
    return (mcd_check){mcd_edge_file_name(engine->file), &engine->parallel, error};
}

macadam_status mcd_engine_read(macadam_engine *engine, const mcd_selector *selector, mcd_counts *counts,
                               void *structure, macadam_error *error)
{
    const mcd_check check = mcd_engine_check(engine, error);
    return mcd_sections_read(engine->file, selector, counts, structure, &check);
}

/* Reads a group that belongs to no quantity and no metric. */
static macadam_status read_group(macadam_engine *engine, mcd_group group, mcd_counts *counts, void *structure,
                                 macadam_error *error)
{
    return mcd_engine_read(engine, &(mcd_selector){.group = group}, counts, structure, error);
}

static macadam_status read_graph(macadam_engine *engine, macadam_error *error)
{
    mcd_graph graph = {.node_count = (mcd_node)engine->metadata->node_count,
                       .arc_count = (uint32_t)engine->metadata->arc_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_GRAPH, &counts, &graph, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_graph(&check, &graph));
    engine->graph = graph;
    return MACADAM_OK;
}

static macadam_status read_hierarchy(macadam_engine *engine, macadam_error *error)
{
    if (!mcd_engine_has_hierarchy(engine))
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "%s has no hierarchy (it was imported with --no-hierarchy)",
                        mcd_edge_file_name(engine->file));
    mcd_hierarchy hierarchy = {.node_count = (mcd_node)engine->metadata->node_count,
                               .height = engine->metadata->height};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_HIERARCHY, &counts, &hierarchy, error));
    const size_t nodes = hierarchy.node_count, supernodes = counts.of[MCD_PER_SUPERNODE_END],
                 bottoms = counts.of[MCD_PER_BOTTOM];
    if (supernodes == 0 || supernodes > nodes + 1 || bottoms > nodes)
        return mcd_fail(error, MACADAM_E_FILE,
                        "%s: %zu supernode offsets and %zu bottom roots do not fit %zu nodes",
                        mcd_edge_file_name(engine->file), supernodes, bottoms, nodes);
    hierarchy.supernode_count = (mcd_node)(supernodes - 1);
    hierarchy.bottom_count = (mcd_node)bottoms;
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_hierarchy(&check, &hierarchy, engine->metadata->up_arc_count));
    engine->hierarchy = hierarchy;
    return MACADAM_OK;
}

static macadam_status read_places(macadam_engine *engine, macadam_error *error)
{
    mcd_place_index places = {.node_count = engine->metadata->node_count,
                              .id_count = engine->metadata->id_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    const mcd_check check = mcd_engine_check(engine, error);
    MCD_TRY(read_group(engine, MCD_GROUP_IDS, &counts, &places, error));
    if (!is_trusted(engine)) MCD_TRY(mcd_check_ids(&check, &places));
    if (mcd_sections_exist(engine->file, MCD_GROUP_COORDINATES))
        MCD_TRY(read_group(engine, MCD_GROUP_COORDINATES, &counts, &places, error));
    engine->places = places;
    return MACADAM_OK;
}

static macadam_status read_facts(macadam_engine *engine, macadam_error *error)
{
    mcd_arc_facts facts = {0};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    for (mcd_group group = MCD_GROUP_NUMBERS; group <= MCD_GROUP_SHAPES; ++group)
        if (group == MCD_GROUP_NUMBERS || mcd_sections_exist(engine->file, group))
            MCD_TRY(read_group(engine, group, &counts, &facts, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (facts.names && !is_trusted(engine))
        MCD_TRY(mcd_check_names(&check, facts.arc_name, engine->graph.arc_count, facts.names,
                                counts.of[MCD_PER_NAME_BYTE]));
    engine->facts = facts;
    engine->roads = (mcd_roads){&engine->graph, &engine->places, &engine->facts};
    return MACADAM_OK;
}

/* Components are only compared with each other: any numbers will do. */
static macadam_status read_components(macadam_engine *engine, macadam_error *error)
{
    mcd_components components = {0};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_COMPONENTS, &counts, &components, error));
    engine->component = components.component;
    return MACADAM_OK;
}

static macadam_status make_snap(macadam_engine *engine, macadam_error *error)
{
    mcd_components components;
    MCD_TRY(mcd_components_new(&components, &engine->graph, error));
    const macadam_status status = mcd_snap_index_new(&engine->snap, &engine->roads, &components, error);
    mcd_components_free(&components);
    if (!status) engine->owns_snap = true;
    return status;
}

/* If the file has no snap index, because an earlier version wrote it, the index is made. */
static macadam_status read_snap(macadam_engine *engine, macadam_error *error)
{
    mcd_snap_index snap = {0};
    if (!mcd_sections_exist(engine->file, MCD_GROUP_SNAP)) return make_snap(engine, error);
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_SNAP, &counts, &snap, error));
    snap.piece_count = counts.of[MCD_PER_PIECE];
    snap.box_count = counts.of[MCD_PER_BOX_COORDINATE] / 4;
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine)) MCD_TRY(mcd_check_snap(&check, &engine->roads, &snap));
    engine->snap = snap;
    return MACADAM_OK;
}

static macadam_status read_couples(macadam_engine *engine, macadam_error *error)
{
    mcd_couples couples = {.count = engine->metadata->couple_count};
    mcd_counts counts = mcd_counts_of(engine->metadata);
    MCD_TRY(read_group(engine, MCD_GROUP_COUPLES, &counts, &couples, error));
    const mcd_check check = mcd_engine_check(engine, error);
    if (!is_trusted(engine))
        MCD_TRY(mcd_check_couples(&check, couples.high, couples.low, couples.count,
                                  engine->metadata->node_count));
    engine->couple_high = couples.high;
    engine->couple_low = couples.low;
    return MACADAM_OK;
}

/* Under the engine's lock: reads once. */
static macadam_status load_once(macadam_engine *engine, bool *loaded,
                                macadam_status (*read)(macadam_engine *engine, macadam_error *error),
                                macadam_error *error)
{
    pthread_mutex_lock(&engine->lock);
    macadam_status status = MACADAM_OK;
    if (!*loaded) {
        status = read(engine, error);
        *loaded = status == MACADAM_OK;
    }
    pthread_mutex_unlock(&engine->lock);
    return status;
}

macadam_status mcd_engine_load_graph(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_graph, read_graph, error);
}

macadam_status mcd_engine_load_hierarchy(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_hierarchy, read_hierarchy, error);
}

macadam_status mcd_engine_load_schedule(macadam_engine *engine, macadam_error *error)
{
    if (engine->schedule) return MACADAM_OK;
    return engine->host->schedule_new(&engine->schedule, &engine->hierarchy, &engine->graph, error);
}

macadam_status mcd_engine_load_places(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_places, read_places, error);
}

macadam_status mcd_engine_load_facts(macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(mcd_engine_load_graph(engine, error));
    MCD_TRY(mcd_engine_load_places(engine, error));
    return load_once(engine, &engine->has_facts, read_facts, error);
}

macadam_status mcd_engine_load_snap(macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(mcd_engine_load_facts(engine, error));
    return engine->places.lon_e7 ? load_once(engine, &engine->has_snap, read_snap, error) : MACADAM_OK;
}

macadam_status mcd_engine_load_components(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_components, read_components, error);
}

macadam_status mcd_engine_load_couples(macadam_engine *engine, macadam_error *error)
{
    return load_once(engine, &engine->has_couples, read_couples, error);
}

/* ---- ids ---- */

const int64_t *macadam_engine_ids(macadam_engine *engine, macadam_error *error)
{
    if (!engine) return (void)mcd_fail(error, MACADAM_E_INVALID, "no engine"), NULL;
    return mcd_engine_load_places(engine, error) ? NULL : engine->places.id;
}

const int64_t *macadam_engine_node_ids(macadam_engine *engine, macadam_error *error)
{
    if (!engine) return (void)mcd_fail(error, MACADAM_E_INVALID, "no engine"), NULL;
    return mcd_engine_load_places(engine, error) ? NULL : engine->places.node_id;
}
