/* build.c - from a map in memory to an edge file. The steps that depend only on the graph run concurrently,
 * on as many threads. The map's facts, which the snap index needs, are freed after that, so that little else
 * is in memory when metrics are made, which needs the most. */
#include "engine/prepare/shut.h"
#include "engine/prepare/build.h"

#include "engine/map/hierarchy.h"
#include "engine/map/locality.h"
#include "engine/file/mirror.h"
#include "engine/prepare/metric_write.h"
#include "engine/prepare/permutation.h"
#include "engine/prepare/snap_build.h"

/* The state that the steps pass on. */
typedef struct build_run {
    mcd_map *map;
    const mcd_build_options *options;
    mcd_edge_writer *writer;
    mcd_watch watch;   /* of all steps */
    mcd_node *id_of;   /* [node_count]: the file's node of each map node */
    uint32_t *map_arc; /* [arc_count] */
    mcd_packed_places packed_places;
    mcd_packed_arcs packed_arcs;
    bool is_compact, is_ready;  /* the file is */
    mcd_opposites opposites;    /* of a compact file */
    mcd_arc_facts packed_facts; /* its facts of roads, if there are mirrors */
    mcd_graph *graph;
    mcd_snap_pieces snap_pieces;
    mcd_snap_index snap_index; /* until the writer takes over what is stored of it */
    mcd_components components;
    size_t junction_component_count;
    mcd_fill fill;            /* of the hierarchy, if there is one */
    mcd_hierarchy *hierarchy; /* of a ready file */
    mcd_schedule *schedule;
    mcd_metadata metadata;
} build_run;

#define FREE_ARRAY(array) (mcd_free(array), (array) = NULL)

/* Adds the arrays of the map with one element for each `per`, but for the numbers of arcs. */
static void add_arrays(mcd_permutation *run, mcd_map *map, mcd_per per)
{
    mcd_map_array array[MCD_MAP_ARRAYS_MAX];
    const size_t count = mcd_sections_of_map(map, per, array);
    for (size_t i = 0; i < count; ++i)
        if (array[i].slot != (void *)&map->arc_number)
            mcd_permutation_add(run, array[i].slot, array[i].element_size);
}

/* Returns the counts that are known so far. */
static mcd_counts counts_of(const build_run *build)
{
    const mcd_map *const map = build->map;
    mcd_counts counts = mcd_counts_of(&build->metadata);
    counts.of[MCD_PER_KIND] = map->kind_count;
    counts.of[MCD_PER_NAME_BYTE] = map->names_bytes;
    counts.of[MCD_PER_TIMED_ARC] = map->timed_arc_count;
    counts.of[MCD_PER_SHUT_WORD] = map->shut_arc_count * (MCD_SHUT_WORDS + map->quantity_count);
    counts.of[MCD_PER_WEEK] = map->week_count;
    counts.of[MCD_PER_RELATION] = map->maneuver_count;
    counts.of[MCD_PER_PATTERN_SLOT] = map->pattern_count * map->pattern_slots;
    counts.of[MCD_PER_ORIGINAL] = build->packed_arcs.original_count;
    counts.of[MCD_PER_OWN] = build->packed_arcs.original_count;
    counts.of[MCD_PER_OWN_END] = build->packed_arcs.original_count + 1;
    if (map->first_shape) counts.of[MCD_PER_SHAPE_POINT] = map->first_shape[counts.of[MCD_PER_ORIGINAL]];
    return counts;
}

/* Runs steps that may run concurrently; one after the other if memory is short. */
static const mcd_parallel *parallel_of(const build_run *build)
{
    static const mcd_parallel one_thread = {.thread_count = 1};
    return build->map->spill ? &one_thread : &build->options->parallel;
}

/* Begins a phase of which the caller's progress hears. */
static void begin_phase(build_run *build, const char *phase)
{
    build->watch = mcd_watch_of(&build->options->progress, phase);
}

/* ---- nodes ---- */

static macadam_status number_nodes(build_run *build, const mcd_node *order, macadam_error *error)
{
    const mcd_map *map = build->map;
    if (map->node_count >= MCD_NODE_NONE - 1)
        return mcd_fail_invalid(error, "%zu nodes are more than the %u that a file may have", map->node_count,
                                MCD_NODE_NONE - 2);
    if (!order) {
        MCD_TRY(mcd_map_get(build->map, MCD_MAP_COORDINATES, &build->watch, error));
        return mcd_locality_order(&build->id_of, map, &build->watch, error);
    }
    const mcd_fill limit = mcd_hierarchy_limit(map->node_count, map->arc_count);
    MCD_TRY(mcd_hierarchy_preorder(&build->id_of, &build->fill, &limit, (mcd_node)map->node_count, map->tail,
                                   map->head, map->arc_count, order, &build->options->parallel, &build->watch,
                                   error));
    if (build->id_of) return MACADAM_OK;
    return mcd_fail_invalid(
        error,
        "the hierarchy would have more than %llu arcs or %llu triangles, which is more than a road "
        "network of %zu nodes has, or than 32 bits count; import it without a hierarchy (--no-hierarchy)",
        (unsigned long long)limit.up_count, (unsigned long long)limit.triangle_count, map->node_count);
}

/* Nodes that are renumbered, or the order of which is inverted. */
typedef struct number_run {
    const mcd_node *id_of;
    mcd_node *node;
} number_run;

static void renumber_range(void *argument, size_t first, size_t end)
{
    const number_run *const run = argument;
    for (size_t i = first; i < end; ++i) run->node[i] = run->id_of[run->node[i]];
}

static void invert_range(void *argument, size_t first, size_t end)
{
    const number_run *const run = argument;
    for (size_t v = first; v < end; ++v) run->node[run->id_of[v]] = (mcd_node)v;
}

static macadam_status for_nodes(build_run *build, mcd_range_task task, mcd_node *node, size_t count,
                                macadam_error *error)
{
    enum { NODES_PER_RANGE = 1 << 14 };
    return mcd_watch_for_ranges(&build->options->parallel, count, NODES_PER_RANGE, task,
                                &(number_run){build->id_of, node}, error);
}

static void find_extent(build_run *build)
{
    const mcd_map *const map = build->map;
    mcd_metadata *metadata = &build->metadata;
    for (size_t v = 0; map->lon_e7 && v < map->node_count; ++v) {
        const int32_t lon = map->lon_e7[v], lat = map->lat_e7[v];
        if (v == 0 || lon < metadata->west_e7) metadata->west_e7 = lon;
        if (v == 0 || lon > metadata->east_e7) metadata->east_e7 = lon;
        if (v == 0 || lat < metadata->south_e7) metadata->south_e7 = lat;
        if (v == 0 || lat > metadata->north_e7) metadata->north_e7 = lat;
    }
}

/* Brings the nodes' arrays into the file's order. */
static macadam_status place_nodes(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    MCD_OWNED mcd_node *map_node = NULL; /* the map's node of each file node */
    MCD_TRY(mcd_map_get(map, MCD_MAP_COORDINATES, &build->watch, error));
    MCD_TRY(for_nodes(build, renumber_range, map->depart, map->id_count, error));
    MCD_TRY(for_nodes(build, renumber_range, map->arrive, map->id_count, error));
    find_extent(build);
    MCD_TRY(MCD_NEW(map_node, map->node_count, error));
    MCD_TRY(for_nodes(build, invert_range, map_node, map->node_count, error));
    mcd_permutation run = {.item = map_node, .count = map->node_count};
    FREE_ARRAY(map->node_id);
    mcd_permutation_add(&run, &map->index, sizeof *map->index);
    mcd_permutation_add(&run, &map->lon_e7, sizeof *map->lon_e7);
    mcd_permutation_add(&run, &map->lat_e7, sizeof *map->lat_e7);
    return mcd_permute(&run, &build->options->parallel, &build->watch, error);
}

static mcd_place_index places_of(const mcd_map *map)
{
    return (mcd_place_index){.node_count = map->node_count,
                             .id_count = map->id_count,
                             .id = map->id,
                             .depart = map->depart,
                             .arrive = map->arrive,
                             .node_place = map->index,
                             .lon_e7 = map->lon_e7,
                             .lat_e7 = map->lat_e7,
                             .height_dm = map->height_dm};
}

static macadam_status write_nodes(build_run *build, macadam_error *error)
{
    const mcd_place_index places = places_of(build->map);
    const mcd_counts counts = counts_of(build);
    MCD_TRY(mcd_places_pack(&build->packed_places, &places, &build->options->parallel, error));
    for (mcd_group group = MCD_GROUP_IDS; group <= MCD_GROUP_HEIGHTS; ++group)
        MCD_TRY(mcd_sections_write(build->writer, &(mcd_selector){.group = group}, &counts,
                                   &build->packed_places, false, error));
    for (size_t q = 0; q < build->map->quantity_count; ++q) {
        const mcd_selector selector = {.group = MCD_GROUP_POTENTIAL, .of = build->map->quantity[q]};
        MCD_TRY(
            mcd_sections_write(build->writer, &selector, &counts, &build->map->potential[q], false, error));
    }
    return MACADAM_OK;
}

static macadam_status put_reverse_away(build_run *build, macadam_error *error)
{
    mcd_spill *const spill = build->map->spill;
    mcd_graph *const graph = build->graph;
    const size_t first_bytes = ((size_t)graph->node_count + 1) * sizeof *graph->first_in;
    MCD_TRY(mcd_spill_put(spill, &graph->first_in, first_bytes, &build->watch, error));
    MCD_TRY(mcd_spill_put(spill, &graph->tail, graph->arc_count * sizeof *graph->tail, &build->watch, error));
    return mcd_spill_put(spill, &graph->in_arc, graph->arc_count * sizeof *graph->in_arc, &build->watch,
                         error);
}

/* Once nodes are written, the arcs need the memory. Until roads are followed backward, the reverse of the
 * graph is not needed. */
static macadam_status put_nodes_away(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    FREE_ARRAY(build->id_of);
    if (!map->spill) return MACADAM_OK;
    MCD_TRY(mcd_edge_writer_wait(build->writer, error));
    mcd_packed_places_free(&build->packed_places);
    MCD_TRY(mcd_map_put(map, MCD_MAP_COORDINATES, &build->watch, error));
    return put_reverse_away(build, error);
}

/* ---- arcs ---- */

static macadam_status make_graph(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    MCD_TRY(mcd_graph_new(&build->graph, &build->map_arc, (mcd_node)map->node_count, map->tail, map->head,
                          map->arc_count, build->id_of, &build->options->parallel, &build->watch, error));
    FREE_ARRAY(map->tail);
    FREE_ARRAY(map->head);
    return MACADAM_OK;
}

/* Brings the originals' shapes into the file's order. */
static macadam_status place_shapes(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    const size_t count = build->packed_arcs.original_count;
    const uint32_t *const source = build->packed_arcs.source;
    MCD_OWNED uint64_t *first = NULL;
    MCD_TRY(MCD_NEW(first, count + 1, error));
    first[0] = 0;
    for (size_t arc = 0; arc < count; ++arc) {
        MCD_TRY(mcd_watch_item(&build->watch, arc, count, error));
        first[arc + 1] = first[arc] + mcd_map_shape_count(map, (uint64_t)source[arc] + 1);
    }
    mcd_permutation shapes = {
        .item = source, .count = count, .first = map->first_shape, .moved_first = first};
    add_arrays(&shapes, map, MCD_PER_SHAPE_POINT);
    MCD_TRY(mcd_permute(&shapes, &build->options->parallel, &build->watch, error));
    mcd_free(map->first_shape);
    return MCD_MOVE(map->first_shape, first);
}

/* Finds the originals among the arcs, whose numbers become the map's, and, for a compact file, their opposites. */
static macadam_status find_originals(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    const mcd_place_index places = places_of(map);
    mcd_packed_arcs *const arcs = &build->packed_arcs;
    MCD_TRY(mcd_spill_get(map->spill, &map->arc_number, &build->watch, error));
    MCD_TRY(mcd_arcs_pack(arcs, build->graph, &places, build->map_arc, map->arc_number,
                          &build->options->parallel, error));
    uint64_t *number;
    MCD_TRY(MCD_NEW(number, arcs->original_count, error));
    for (size_t i = 0; i < arcs->original_count; ++i) number[i] = (uint64_t)arcs->source[i] + 1;
    mcd_free(map->arc_number);
    map->arc_number = number;
    MCD_TRY(mcd_watch_step(&build->watch, 0, 1, error));
    if (!build->is_compact) return MACADAM_OK;
    return mcd_opposites_new(&build->opposites, build->graph, &places, arcs->original, arcs->original_count,
                             &build->options->parallel, error);
}

/* Brings the facts of arcs into the order of the originals. */
static macadam_status place_facts(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    mcd_packed_arcs *const arcs = &build->packed_arcs;
    FREE_ARRAY(build->map_arc);
    MCD_TRY(mcd_spill_get(map->spill, &map->arc_way, &build->watch, error));
    MCD_TRY(mcd_map_get(map, MCD_MAP_FACTS, &build->watch, error));
    mcd_permutation facts = {.item = arcs->source, .count = arcs->original_count};
    add_arrays(&facts, map, MCD_PER_ORIGINAL);
    add_arrays(&facts, map, MCD_PER_OWN);
    MCD_TRY(mcd_permute(&facts, &build->options->parallel, &build->watch, error));
    if (map->first_shape) MCD_TRY(place_shapes(build, error));
    FREE_ARRAY(arcs->source);
    return MACADAM_OK;
}

/* Brings the arcs' weights into the file's order. */
static macadam_status place_weights(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    for (size_t q = 0; q < map->quantity_count; ++q) {
        mcd_permutation weights = {.item = build->map_arc, .count = map->arc_count};
        MCD_TRY(mcd_spill_get(map->spill, &map->weight[q], &build->watch, error));
        mcd_permutation_add(&weights, &map->weight[q], sizeof(mcd_weight));
        MCD_TRY(mcd_permute(&weights, &build->options->parallel, &build->watch, error));
    }
    return MACADAM_OK;
}

static macadam_status write_weights(const build_run *build, size_t quantity, macadam_error *error)
{
    const mcd_map *const map = build->map;
    const mcd_counts counts = counts_of(build);
    const mcd_selector selector = {.group = MCD_GROUP_WEIGHT, .of = map->quantity[quantity]};
    if (build->is_compact)
        return mcd_write_compact_weights(build->writer, map->quantity[quantity], map->weight[quantity],
                                         map->arc_count, build->packed_arcs.original, &build->opposites,
                                         &build->options->parallel, error);
    MCD_TRY(mcd_sections_write(build->writer, &selector, &counts, &map->weight[quantity], false, error));
    if (!build->is_ready) return MACADAM_OK;
    return mcd_sections_write_weight_counts(build->writer, map->quantity[quantity], map->weight[quantity],
                                            map->arc_count, error);
}

static macadam_status write_graph(const build_run *build, macadam_error *error)
{
    const mcd_counts counts = counts_of(build);
    MCD_TRY(mcd_sections_write(build->writer, &(mcd_selector){.group = MCD_GROUP_GRAPH}, &counts,
                               build->graph, false, error));
    MCD_TRY(mcd_sections_write(build->writer, &(mcd_selector){.group = MCD_GROUP_COPIES}, &counts,
                               &build->packed_arcs.copy, false, error));
    for (size_t q = 0; q < build->map->quantity_count; ++q) MCD_TRY(write_weights(build, q, error));
    return MACADAM_OK;
}

/* Only a file with customized weights needs them once they are written. */
static macadam_status put_weights_away(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    if (!map->spill) return MACADAM_OK;
    MCD_TRY(mcd_edge_writer_wait(build->writer, error));
    for (size_t q = 0; q < map->quantity_count; ++q) {
        if (build->options->ready)
            MCD_TRY(mcd_spill_put(map->spill, &map->weight[q], map->arc_count * sizeof *map->weight[q],
                                  &build->watch, error));
        FREE_ARRAY(map->weight[q]);
    }
    return MACADAM_OK;
}

/* The map's arrays as facts. */
static mcd_arc_facts facts_of(const build_run *build)
{
    mcd_arc_facts facts = {.original = build->packed_arcs.original, .ferry = build->map->ferry};
    for (mcd_group group = MCD_GROUP_NUMBERS; group <= MCD_GROUP_PATTERNS; ++group)
        mcd_sections_view(build->map, group, &facts);
    return facts;
}

/* Leaves out the facts of mirrors, if there are any. */
static macadam_status leave_out_mirrors(build_run *build, mcd_arc_facts *facts, mcd_counts *counts,
                                        macadam_error *error)
{
    const mcd_opposites *const opposites = &build->opposites;
    MCD_OWNED uint8_t *is_mirror = NULL;
    size_t mirror_count;
    MCD_TRY(mcd_mirrors_find(&is_mirror, &mirror_count, facts, opposites, error));
    if (!mirror_count) return MACADAM_OK;
    MCD_TRY(mcd_facts_convert(&build->packed_facts, facts, opposites, is_mirror, true, error));
    counts->of[MCD_PER_OPPOSITE] = opposites->count;
    counts->of[MCD_PER_OWN] -= mirror_count, counts->of[MCD_PER_OWN_END] -= mirror_count;
    if (facts->first_point) counts->of[MCD_PER_SHAPE_POINT] = facts->first_point[counts->of[MCD_PER_OWN]];
    const uint8_t *const given = is_mirror;
    is_mirror = NULL; /* the writer takes it over */
    return mcd_sections_write(build->writer, &(mcd_selector){.group = MCD_GROUP_MIRRORS}, counts, &given,
                              true, error);
}

/* Writes the facts that queries only report: numbers, ways, names, geometry. */
static macadam_status write_arc_facts(build_run *build, macadam_error *error)
{
    mcd_arc_facts facts = facts_of(build);
    mcd_counts counts = counts_of(build);
    if (build->is_compact) MCD_TRY(leave_out_mirrors(build, &facts, &counts, error));
    for (mcd_group group = MCD_GROUP_NUMBERS; group <= MCD_GROUP_PATTERNS; ++group)
        MCD_TRY(mcd_sections_write(build->writer, &(mcd_selector){.group = group}, &counts, &facts, false,
                                   error));
    return MACADAM_OK;
}

/* Frees what no step needs once it is written. Ways stay: they distinguish roads. */
static macadam_status drop_facts(build_run *build, macadam_error *error)
{
    if (!build->map->spill) return MACADAM_OK;
    MCD_TRY(mcd_edge_writer_wait(build->writer, error));
    mcd_own_facts_free(&build->packed_facts);
    FREE_ARRAY(build->map->arc_kind);
    FREE_ARRAY(build->map->arc_pattern);
    FREE_ARRAY(build->packed_arcs.copy);
    return MACADAM_OK;
}

/* ---- the steps that depend only on the graph ---- */

/* How many components the junctions have. */
static macadam_status count_components(void *context, macadam_error *error)
{
    build_run *const build = context;
    const mcd_place_index places = places_of(build->map);
    return mcd_components_of_junctions(&build->junction_component_count, build->graph, &places, &build->watch,
                                       error);
}

/* The components, and the snap index that follows from them. */
static macadam_status make_snap_index(build_run *build, macadam_error *error)
{
    const mcd_parallel *const parallel = &build->options->parallel;
    const mcd_map *map = build->map;
    mcd_arc_facts facts = facts_of(build);
    MCD_TRY(mcd_components_new(&build->components, build->graph, parallel, &build->watch, error));
    MCD_TRY(mcd_map_get(build->map, MCD_MAP_COORDINATES, &build->watch, error));
    const mcd_place_index places = places_of(map);
    const mcd_roads roads = {build->graph, &places, &facts, build->packed_arcs.original_count};
    mcd_snap_pieces *const pieces = &build->snap_pieces;
    if (!map->lon_e7) return MACADAM_OK;
    MCD_TRY(mcd_snap_pieces_new(pieces, &roads, &build->components, parallel, &build->watch, error));
    if (map->spill) { /* once roads are cut, only a hierarchy needs the reverse graph, and nothing their ways */
        FREE_ARRAY(build->map->arc_way);
        MCD_TRY(put_reverse_away(build, error));
    }
    facts.way = map->arc_way;
    return mcd_snap_index_sort(&build->snap_index, pieces, &roads, parallel, &build->watch, error);
}

static macadam_status make_hierarchy(void *context, macadam_error *error)
{
    build_run *const build = context;
    const mcd_parallel *const parallel = &build->options->parallel;
    MCD_TRY(mcd_hierarchy_new(&build->hierarchy, build->graph, parallel, &build->watch, error));
    return mcd_cpu_backend()->schedule_new(&build->schedule, build->hierarchy, build->graph, parallel, error);
}

/* Brings back the reverse graph, but for in_arc. */
static macadam_status get_reverse(build_run *build, macadam_error *error)
{
    MCD_TRY(mcd_spill_get(build->map->spill, &build->graph->first_in, &build->watch, error));
    return mcd_spill_get(build->map->spill, &build->graph->tail, &build->watch, error);
}

static macadam_status do_graph_steps(build_run *build, bool needs_hierarchy, macadam_error *error)
{
    static const mcd_step step[] = {count_components, make_hierarchy}; /* each has one thread */
    mcd_spill *const spill = build->map->spill;
    MCD_TRY(get_reverse(build, error));
    MCD_TRY(make_snap_index(build, error));
    if (needs_hierarchy) {
        MCD_TRY(get_reverse(build, error));
        MCD_TRY(mcd_spill_get(spill, &build->graph->in_arc, &build->watch, error));
    }
    return mcd_watch_steps(&build->watch, parallel_of(build), step, needs_hierarchy ? 2 : 1, build, error);
}

/* Frees the arrays that only the snap index needed, once they are written. */
static macadam_status free_facts(build_run *build, macadam_error *error)
{
    mcd_map_array array[MCD_MAP_ARRAYS_MAX];
    const size_t count = mcd_sections_of_map(build->map, MCD_PER_COUNT, array);
    MCD_TRY(mcd_edge_writer_wait(build->writer, error));
    for (size_t i = 0; i < count; ++i) {
        void *data, *const none = NULL;
        memcpy(&data, array[i].slot, sizeof data);
        mcd_free(data);
        memcpy(array[i].slot, &none, sizeof none);
    }
    mcd_own_facts_free(&build->packed_facts);
    mcd_packed_places_free(&build->packed_places);
    mcd_packed_arcs_free(&build->packed_arcs);
    FREE_ARRAY(build->map->index);
    FREE_ARRAY(build->map->depart);
    FREE_ARRAY(build->map->arrive);
    FREE_ARRAY(build->map->lon_e7);
    FREE_ARRAY(build->map->lat_e7);
    FREE_ARRAY(build->map->height_dm);
    FREE_ARRAY(build->map->ferry);
    return MACADAM_OK;
}

/* Writes places and originals as queries use them. */
static macadam_status write_places(build_run *build, macadam_error *error)
{
    MCD_TRY(mcd_map_get(build->map, MCD_MAP_COORDINATES, &build->watch, error));
    const mcd_place_index places = places_of(build->map);
    const mcd_arc_facts facts = facts_of(build);
    const mcd_roads roads = {build->graph, &places, &facts, build->packed_arcs.original_count};
    MCD_TRY(mcd_sections_write_places(build->writer, &places, build->packed_arcs.original,
                                      build->map->arc_count, error));
    return mcd_sections_write_index(build->writer, &roads, parallel_of(build), error);
}

static macadam_status give_snap_index(build_run *build, macadam_error *error)
{
    const mcd_snap_index index = build->snap_index;
    mcd_counts counts = counts_of(build);
    counts.of[MCD_PER_PIECE] = index.piece_count;
    counts.of[MCD_PER_BOX] = index.box_count;
    build->snap_index = (mcd_snap_index){0};
    MCD_TRY(mcd_sections_write(build->writer, &(mcd_selector){.group = MCD_GROUP_SNAP}, &counts, &index, true,
                               error));
    if (!build->is_ready) return MACADAM_OK;
    const uint32_t *const unindexed = build->snap_pieces.unindexed;
    build->snap_pieces.unindexed = NULL;
    return mcd_sections_write_unindexed(build->writer, unindexed, build->snap_pieces.unindexed_count, true,
                                        error);
}

/* ---- metrics ---- */

static macadam_status write_metrics(build_run *build, macadam_error *error)
{
    mcd_map *map = build->map;
    for (size_t q = 0; q < map->quantity_count; ++q)
        MCD_TRY(mcd_spill_get(map->spill, &map->weight[q], &build->watch, error));
    MCD_TRY(mcd_sections_write_made(build->writer, build->graph, build->components.component,
                                    build->hierarchy, error));
    MCD_TRY(mcd_sections_write_up_depths(build->writer, build->hierarchy, error));
    for (size_t q = 0; q < map->quantity_count; ++q) {
        const size_t companion = q == 0 ? 1 : 0; /* the first other quantity */
        const mcd_customize_job job = {
            .schedule = build->schedule,
            .hierarchy = build->hierarchy,
            .graph = build->graph,
            .objective = map->weight[q],
            .companion = companion < map->quantity_count ? map->weight[companion] : NULL,
            .witnesses = true,
            .parallel = build->options->parallel,
            .progress = build->options->progress,
        };
        MCD_TRY(mcd_write_metric(build->writer, map->quantity[q], true, &job, error));
    }
    mcd_cpu_backend()->schedule_free(build->schedule); /* while the writer is still writing */
    build->schedule = NULL;
    return MACADAM_OK;
}

/* ---- metadata ---- */

static macadam_status write_metadata(build_run *build, bool has_hierarchy, macadam_error *error)
{
    mcd_map *map = build->map;
    mcd_metadata *metadata = &build->metadata;
    Macadam__V1__Metadata__Quantity quantity[MCD_QUANTITY_MAX], *quantities[MCD_QUANTITY_MAX];
    Macadam__V1__Metadata__Metric metric[MCD_QUANTITY_MAX], *metrics[MCD_QUANTITY_MAX];
    for (size_t q = 0; q < map->quantity_count; ++q) {
        quantity[q] = (Macadam__V1__Metadata__Quantity)MACADAM__V1__METADATA__QUANTITY__INIT;
        quantity[q].name = map->quantity[q];
        quantity[q].unit = map->unit[q];
        quantities[q] = &quantity[q];
        metric[q] = (Macadam__V1__Metadata__Metric)MACADAM__V1__METADATA__METRIC__INIT;
        metric[q].objective = map->quantity[q];
        if (map->quantity_count > 1) metric[q].companion = map->quantity[q == 0];
        metrics[q] = &metric[q];
    }
    metadata->n_quantity = metadata->n_metric = map->quantity_count;
    metadata->quantity = quantities;
    metadata->metric = metrics;
    if (map->source) metadata->source = map->source;
    if (map->profile) metadata->profile = map->profile;
    if (map->build) metadata->build = map->build;
    metadata->component_count = build->components.count;
    metadata->junction_component_count = build->junction_component_count;
    metadata->has_hierarchy = has_hierarchy;
    metadata->up_arc_count = build->fill.up_count;
    metadata->height = build->fill.height;
    metadata->pattern_slots = (uint32_t)map->pattern_slots;
    metadata->restriction_count = map->restriction_count;
    metadata->drives_left = map->drives_left;
    return mcd_metadata_write(build->writer, metadata, error);
}

static macadam_status write_all(build_run *build, const mcd_node *order, macadam_error *error)
{
    begin_phase(build, order ? "elimination tree" : "numbering nodes");
    MCD_TRY(number_nodes(build, order, error));
    begin_phase(build, "sorting arcs");
    MCD_TRY(make_graph(build, error));
    MCD_TRY(place_nodes(build, error));
    MCD_TRY(write_nodes(build, error));
    MCD_TRY(put_nodes_away(build, error));
    MCD_TRY(find_originals(build, error));
    MCD_TRY(place_weights(build, error));
    MCD_TRY(mcd_shut_list(build->map, build->map_arc, error));
    MCD_TRY(write_graph(build, error));
    MCD_TRY(put_weights_away(build, error));
    MCD_TRY(place_facts(build, error));
    MCD_TRY(write_arc_facts(build, error));
    mcd_opposites_free(&build->opposites);
    MCD_TRY(drop_facts(build, error));
    begin_phase(build, "graph");
    MCD_TRY(do_graph_steps(build, build->is_ready, error));
    begin_phase(build, "writing");
    if (build->is_ready) MCD_TRY(write_places(build, error));
    MCD_TRY(free_facts(build, error));
    if (build->snap_index.arc) MCD_TRY(give_snap_index(build, error));
    if (build->is_ready) MCD_TRY(write_metrics(build, error));
    MCD_TRY(write_metadata(build, order != NULL, error));
    return mcd_edge_writer_wait(build->writer, error);
}

macadam_status mcd_build_sections(mcd_map *map, const mcd_node *order, const mcd_build_options *options,
                                  mcd_edge_writer *writer, macadam_error *error)
{
    build_run build = {
        .map = map, .options = options, .writer = writer, .metadata = MACADAM__V1__METADATA__INIT};
    build.is_compact = order && !options->ready;
    build.is_ready = order && options->ready;
    build.metadata.node_count = map->node_count;
    build.metadata.arc_count = map->arc_count;
    build.metadata.id_count = map->id_count;
    mcd_edge_writer_watch(writer, &build.watch);
    mcd_watch *const outer = mcd_watch_enter(&build.watch); /* functions that get no watch ask it */
    const macadam_status status = write_all(&build, order, error);
    mcd_watch_enter(outer);
    if (status) mcd_edge_writer_stop(writer);
    mcd_edge_writer_watch(writer, NULL);
    MCD_FREE_ALL(build.id_of, build.map_arc);
    mcd_packed_places_free(&build.packed_places);
    mcd_packed_arcs_free(&build.packed_arcs);
    mcd_opposites_free(&build.opposites);
    mcd_own_facts_free(&build.packed_facts);
    mcd_graph_free(build.graph);
    MCD_FREE_ALL(build.snap_pieces.arc, build.snap_pieces.piece, build.snap_pieces.unindexed);
    mcd_snap_index_free(&build.snap_index);
    mcd_components_free(&build.components);
    mcd_hierarchy_free(build.hierarchy);
    mcd_cpu_backend()->schedule_free(build.schedule);
    return status;
}
