/* build.c - from a map in memory to an edge file. What follows from the graph alone is made at once by as
 * many threads; the map's facts, which the snap index is made of, are freed behind that, and little else
 * is in memory when metrics are made, which takes most. */
#include "engine/prepare/build.h"

#include "engine/map/component.h"
#include "engine/map/graph.h"
#include "engine/map/hierarchy.h"
#include "engine/map/locality.h"
#include "engine/base/memory.h"
#include "engine/file/metadata.h"
#include "engine/prepare/metric_write.h"
#include "engine/prepare/snap_build.h"

#include <string.h>

/* A graph whose hierarchy has more arcs or triangles than this is no road network: 24 million road nodes have
 * 5 arcs and 50 triangles a node. */
enum { FILL_PER_ELEMENT = 64, TRIANGLES_PER_ELEMENT = 256 };
static const mcd_fill fill_always = {UINT64_C(1) << 25, UINT64_C(1) << 28};

/* What the steps pass on. */
typedef struct build_run {
    mcd_map *map;
    const mcd_build_options *options;
    mcd_edge_writer *writer;
    mcd_node *id_of;   /* [node_count]: the file's node of each map node */
    uint32_t *map_arc; /* [arc_count] */
    mcd_graph *graph;
    mcd_snap_index snap_index; /* as the next two, until the writer has it */
    mcd_couples couples;
    mcd_components components;
    mcd_hierarchy *hierarchy;
    mcd_schedule *schedule;
    mcd_metadata metadata;
} build_run;

/* ---- permuted arrays ---- */

enum { MOVE_PARTS = 16, COLUMNS_MAX = MCD_QUANTITY_MAX + 3 /* what arcs have at most */ };
static_assert(COLUMNS_MAX >= 4, "nodes have four columns");

/* An array of the map and what takes its place. */
typedef struct column {
    void *slot;  /* the address of a T *, which a void ** must not alias */
    size_t size; /* 4 or 8 bytes an element */
    const void *data;
    void *moved;
} column;

/* What is put into another order at once: in each column, element item[i] becomes the i-th. */
typedef struct permutation {
    column column[COLUMNS_MAX];
    size_t column_count;
    const uint32_t *item;
    size_t count;
} permutation;

/* Arrays that are not there stay so. */
static void add_column(permutation *run, void *slot, size_t size)
{
    void *data;
    memcpy(&data, slot, sizeof data);
    if (data) run->column[run->column_count++] = (column){slot, size, data, NULL};
}

#define ADD_COLUMN(run, array) add_column((run), &(array), sizeof *(array))

static void move_column(const column *of, const uint32_t *item, size_t first, size_t end)
{
    if (of->size == 8)
        for (size_t i = first; i < end; ++i)
            ((uint64_t *)of->moved)[i] = ((const uint64_t *)of->data)[item[i]];
    else
        for (size_t i = first; i < end; ++i)
            ((uint32_t *)of->moved)[i] = ((const uint32_t *)of->data)[item[i]];
}

static void move_part(void *argument, size_t part, unsigned worker)
{
    const permutation *const run = argument;
    (void)worker;
    for (size_t i = 0; i < run->column_count; ++i)
        move_column(&run->column[i], run->item, mcd_part_first(run->count, part, MOVE_PARTS),
                    mcd_part_first(run->count, part + 1, MOVE_PARTS));
}

static macadam_status permute(permutation *run, const mcd_parallel *parallel, macadam_error *error)
{
    macadam_status status = MACADAM_OK;
    for (size_t i = 0; i < run->column_count && !status; ++i) {
        run->column[i].moved = mcd_allocate(run->count, run->column[i].size);
        if (!run->column[i].moved)
            status = mcd_fail_memory(error, run->count * run->column[i].size, "a map in the file's order");
    }
    if (!status) mcd_parallel_for(parallel, MOVE_PARTS, move_part, run);
    for (size_t i = 0; i < run->column_count; ++i) {
        column *const done = &run->column[i];
        mcd_free(status ? done->moved : (void *)done->data);
        if (!status) memcpy(done->slot, &done->moved, sizeof done->moved);
    }
    return status;
}

#define FREE_ARRAY(array) (mcd_free(array), (array) = NULL)

/* ---- nodes ---- */

static mcd_fill fill_limit(const mcd_map *map)
{
    const uint64_t elements = (uint64_t)map->node_count + map->arc_count;
    return (mcd_fill){fill_always.up_count + FILL_PER_ELEMENT * elements,
                      fill_always.triangle_count + TRIANGLES_PER_ELEMENT * elements};
}

static macadam_status number_nodes(build_run *build, const mcd_node *order, macadam_error *error)
{
    const mcd_map *map = build->map;
    if (map->node_count >= MCD_NODE_NONE - 1)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu nodes are more than the %u that a file may have",
                        map->node_count, MCD_NODE_NONE - 2);
    if (!order) return mcd_locality_order(&build->id_of, map, error);
    const mcd_fill limit = fill_limit(map);
    mcd_fill fill;
    MCD_TRY(mcd_hierarchy_preorder(&build->id_of, &fill, &limit, (mcd_node)map->node_count, map->tail,
                                   map->head, map->arc_count, order, &build->options->progress, error));
    if (build->id_of) return MACADAM_OK;
    return mcd_fail(
        error, MACADAM_E_INVALID,
        "the hierarchy would have more than %llu arcs or %llu triangles, which is more than a road "
        "network of %zu nodes has; import it without a hierarchy (--no-hierarchy)",
        (unsigned long long)limit.up_count, (unsigned long long)limit.triangle_count, map->node_count);
}

static void renumber(const build_run *build, mcd_node *node, size_t count)
{
    for (size_t i = 0; i < count; ++i) node[i] = build->id_of[node[i]];
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

/* Brings the nodes' arrays into the file's order, as make_graph's neighbour: with one thread. */
static macadam_status place_nodes(void *context, macadam_error *error)
{
    build_run *const build = context;
    static const mcd_parallel one_thread = {.thread_count = 1};
    mcd_map *const map = build->map;
    mcd_node *map_node; /* the map's node of each file node */
    MCD_TRY(MCD_NEW(map_node, map->node_count, error));
    for (mcd_node v = 0; v < map->node_count; ++v) map_node[build->id_of[v]] = v;
    renumber(build, map->depart, map->id_count);
    renumber(build, map->arrive, map->id_count);
    find_extent(build);
    permutation run = {.item = map_node, .count = map->node_count};
    ADD_COLUMN(&run, map->node_id);
    if (map->lon_e7) ADD_COLUMN(&run, map->index); /* which the snap index is made of */
    ADD_COLUMN(&run, map->lon_e7);
    ADD_COLUMN(&run, map->lat_e7);
    const macadam_status status = permute(&run, &one_thread, error);
    mcd_free(map_node);
    return status;
}

static macadam_status write_nodes(const build_run *build, macadam_error *error)
{
    const mcd_map *const map = build->map;
    mcd_edge_writer *writer = build->writer;
    MCD_TRY(mcd_edge_writer_section(writer, "node_id", 8, map->node_id, map->node_count, error));
    MCD_TRY(mcd_edge_writer_section(writer, "id", 8, map->id, map->id_count, error));
    MCD_TRY(mcd_edge_writer_section(writer, "depart", 4, map->depart, map->id_count, error));
    MCD_TRY(mcd_edge_writer_section(writer, "arrive", 4, map->arrive, map->id_count, error));
    if (!map->lon_e7) return MACADAM_OK;
    MCD_TRY(mcd_edge_writer_section(writer, "lon_e7", 4, map->lon_e7, map->node_count, error));
    return mcd_edge_writer_section(writer, "lat_e7", 4, map->lat_e7, map->node_count, error);
}

/* ---- arcs ---- */

static macadam_status make_graph(void *context, macadam_error *error)
{
    build_run *const build = context;
    const mcd_map *const map = build->map;
    return mcd_graph_new(&build->graph, &build->map_arc, (mcd_node)map->node_count, map->tail, map->head,
                         map->arc_count, build->id_of, error);
}

/* The arcs' shapes in the file's order. */
typedef struct shape_run {
    const build_run *build;
    uint64_t *first;
    int32_t *lon_e7, *lat_e7;
} shape_run;

static void move_shapes(void *argument, size_t part, unsigned worker)
{
    const shape_run *const run = argument;
    const mcd_map *const map = run->build->map;
    const size_t end = mcd_part_first(map->arc_count, part + 1, MOVE_PARTS);
    (void)worker;
    for (size_t arc = mcd_part_first(map->arc_count, part, MOVE_PARTS); arc < end; ++arc) {
        const uint64_t from = map->first_shape[run->build->map_arc[arc]];
        for (uint64_t to = run->first[arc], i = from; to < run->first[arc + 1]; ++to, ++i) {
            run->lon_e7[to] = map->shape_lon_e7[i];
            run->lat_e7[to] = map->shape_lat_e7[i];
        }
    }
}

static macadam_status place_shapes(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    const size_t point_count = map->first_shape[map->arc_count];
    shape_run run = {.build = build};
    macadam_status status = MCD_NEW(run.first, map->arc_count + 1, error);
    if (!status) status = MCD_NEW(run.lon_e7, point_count, error);
    if (!status) status = MCD_NEW(run.lat_e7, point_count, error);
    if (!status) {
        uint64_t next = 0;
        for (size_t arc = 0; arc < map->arc_count; ++arc) {
            run.first[arc] = next;
            next += mcd_map_shape_count(map, build->map_arc[arc]);
        }
        run.first[map->arc_count] = next;
        mcd_parallel_for(&build->options->parallel, MOVE_PARTS, move_shapes, &run);
    }
    mcd_free(status ? run.first : map->first_shape);
    mcd_free(status ? run.lon_e7 : map->shape_lon_e7);
    mcd_free(status ? run.lat_e7 : map->shape_lat_e7);
    if (!status) map->first_shape = run.first, map->shape_lon_e7 = run.lon_e7, map->shape_lat_e7 = run.lat_e7;
    return status;
}

/* Brings the arcs' arrays into the file's order. */
static macadam_status place_arcs(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    permutation run = {.item = build->map_arc, .count = map->arc_count};
    FREE_ARRAY(map->tail);
    FREE_ARRAY(map->head);
    FREE_ARRAY(build->id_of);
    for (size_t q = 0; q < map->quantity_count; ++q) ADD_COLUMN(&run, map->weight[q]);
    ADD_COLUMN(&run, map->arc_number);
    ADD_COLUMN(&run, map->arc_way);
    ADD_COLUMN(&run, map->arc_name);
    MCD_TRY(permute(&run, &build->options->parallel, error));
    if (map->first_shape) MCD_TRY(place_shapes(build, error));
    FREE_ARRAY(build->map_arc);
    return MACADAM_OK;
}

static macadam_status write_graph(const build_run *build, macadam_error *error)
{
    const mcd_map *const map = build->map;
    mcd_edge_writer *writer = build->writer;
    const mcd_graph *graph = build->graph;
    const size_t nodes = graph->node_count, arcs = graph->arc_count;
    MCD_TRY(mcd_edge_writer_section(writer, "first_out", 8, graph->first_out, nodes + 1, error));
    MCD_TRY(mcd_edge_writer_section(writer, "head", 4, graph->head, arcs, error));
    MCD_TRY(mcd_edge_writer_section(writer, "first_in", 8, graph->first_in, nodes + 1, error));
    MCD_TRY(mcd_edge_writer_section(writer, "tail", 4, graph->tail, arcs, error));
    MCD_TRY(mcd_edge_writer_section(writer, "in_arc", 4, graph->in_arc, arcs, error));
    for (size_t q = 0; q < map->quantity_count; ++q) {
        char name[MCD_SECTION_NAME_BYTES];
        mcd_section_name(name, "weight", map->quantity[q], NULL, NULL);
        MCD_TRY(mcd_edge_writer_section(writer, name, 4, map->weight[q], arcs, error));
    }
    return MACADAM_OK;
}

/* What queries only name: numbers, ways, names, geometry. */
static macadam_status write_arc_facts(const build_run *build, macadam_error *error)
{
    const mcd_map *const map = build->map;
    mcd_edge_writer *writer = build->writer;
    const size_t arcs = map->arc_count;
    MCD_TRY(mcd_edge_writer_section(writer, "arc_number", 8, map->arc_number, arcs, error));
    if (map->arc_way) MCD_TRY(mcd_edge_writer_section(writer, "arc_way", 8, map->arc_way, arcs, error));
    if (map->arc_name) {
        MCD_TRY(mcd_edge_writer_section(writer, "arc_name", 4, map->arc_name, arcs, error));
        MCD_TRY(mcd_edge_writer_section(writer, "names", 1, map->names, map->names_bytes, error));
    }
    if (!map->first_shape) return MACADAM_OK;
    const size_t points = map->first_shape[arcs];
    MCD_TRY(mcd_edge_writer_section(writer, "first_shape", 8, map->first_shape, arcs + 1, error));
    MCD_TRY(mcd_edge_writer_section(writer, "shape_lon_e7", 4, map->shape_lon_e7, points, error));
    return mcd_edge_writer_section(writer, "shape_lat_e7", 4, map->shape_lat_e7, points, error);
}

/* ---- what follows from the graph ---- */

static macadam_status make_snap_index(void *context, macadam_error *error)
{
    build_run *const build = context;
    const mcd_map *map = build->map;
    const mcd_place_index places = {.node_count = map->node_count,
                                    .id_count = map->id_count,
                                    .id = map->id,
                                    .depart = map->depart,
                                    .arrive = map->arrive,
                                    .node_id = map->node_id,
                                    .lon_e7 = map->lon_e7,
                                    .lat_e7 = map->lat_e7,
                                    .node_place = map->index};
    const mcd_arc_facts facts = {.arc_number = map->arc_number,
                                 .arc_way = map->arc_way,
                                 .ferry = map->ferry,
                                 .first_shape = map->first_shape,
                                 .shape_lon_e7 = map->shape_lon_e7,
                                 .shape_lat_e7 = map->shape_lat_e7};
    const mcd_roads roads = {build->graph, &places, &facts};
    return map->lon_e7 ? mcd_snap_index_new(&build->snap_index, &roads, error) : MACADAM_OK;
}

static macadam_status make_hierarchy(void *context, macadam_error *error)
{
    build_run *const build = context;
    MCD_TRY(mcd_hierarchy_new(&build->hierarchy, build->graph, error));
    return mcd_cpu_backend()->schedule_new(&build->schedule, build->hierarchy, build->graph, error);
}

static macadam_status make_couples(void *context, macadam_error *error)
{
    build_run *const build = context;
    return mcd_couples_new(&build->couples, build->graph, error);
}

static macadam_status make_components(void *context, macadam_error *error)
{
    build_run *const build = context;
    return mcd_components_new(&build->components, build->graph, error);
}

static macadam_status do_graph_steps(build_run *build, bool has_hierarchy, macadam_error *error)
{
    /* what takes longest first */
    static const mcd_step step[] = {make_hierarchy, make_snap_index, make_couples, make_components};
    const size_t first = has_hierarchy ? 0 : 1;
    MCD_TRY(mcd_progress_step(&build->options->progress, "graph", 0, 1, error));
    return mcd_parallel_steps(&build->options->parallel, step + first, sizeof step / sizeof step[0] - first,
                              build, error);
}

/* What the index was made of, once it is written. */
static macadam_status free_facts(build_run *build, macadam_error *error)
{
    mcd_map *const map = build->map;
    MCD_TRY(mcd_edge_writer_wait(build->writer, error));
    FREE_ARRAY(map->id);
    FREE_ARRAY(map->depart);
    FREE_ARRAY(map->arrive);
    FREE_ARRAY(map->index);
    FREE_ARRAY(map->node_id);
    FREE_ARRAY(map->lon_e7);
    FREE_ARRAY(map->lat_e7);
    FREE_ARRAY(map->arc_number);
    FREE_ARRAY(map->arc_way);
    FREE_ARRAY(map->ferry);
    FREE_ARRAY(map->arc_name);
    FREE_ARRAY(map->names);
    FREE_ARRAY(map->first_shape);
    FREE_ARRAY(map->shape_lon_e7);
    FREE_ARRAY(map->shape_lat_e7);
    return MACADAM_OK;
}

static macadam_status write_couples(build_run *build, macadam_error *error)
{
    const mcd_couples couples = build->couples;
    build->metadata.couple_count = couples.count;
    for (size_t q = 0; q < build->map->quantity_count; ++q)
        MCD_TRY(mcd_write_couple_weights(build->writer, &couples, build->graph, build->map->quantity[q],
                                         build->map->weight[q], &build->options->parallel, error));
    const mcd_section_array array[] = {{"pair_high", 4, couples.high, couples.count},
                                       {"pair_low", 4, couples.low, couples.count}};
    build->couples = (mcd_couples){0};
    return mcd_edge_writer_give_all(build->writer, array, sizeof array / sizeof array[0], error);
}

static macadam_status write_components(build_run *build, macadam_error *error)
{
    const mcd_components *const components = &build->components;
    const mcd_section_array array[] = {
        {"component", 4, components->component, build->graph->node_count},
        {"component_size", 4, components->size, components->count},
    };
    build->metadata.component_count = components->count;
    build->components = (mcd_components){0};
    return mcd_edge_writer_give_all(build->writer, array, sizeof array / sizeof array[0], error);
}

/* ---- hierarchy and metrics ---- */

static macadam_status write_hierarchy(build_run *build, macadam_error *error)
{
    const mcd_hierarchy *hierarchy = build->hierarchy;
    mcd_edge_writer *writer = build->writer;
    const size_t nodes = hierarchy->node_count, ups = hierarchy->first_up[nodes];
    build->metadata.up_arc_count = ups;
    build->metadata.height = hierarchy->height;
    MCD_TRY(mcd_edge_writer_section(writer, "parent", 4, hierarchy->parent, nodes, error));
    MCD_TRY(mcd_edge_writer_section(writer, "depth", 4, hierarchy->depth, nodes, error));
    MCD_TRY(mcd_edge_writer_section(writer, "level", 4, hierarchy->level, nodes, error));
    MCD_TRY(mcd_edge_writer_section(writer, "subtree_end", 4, hierarchy->subtree_end, nodes, error));
    MCD_TRY(mcd_edge_writer_section(writer, "first_up", 8, hierarchy->first_up, nodes + 1, error));
    MCD_TRY(mcd_edge_writer_section(writer, "up_head", 4, hierarchy->up_head, ups, error));
    MCD_TRY(mcd_edge_writer_section(writer, "supernode_first", 4, hierarchy->supernode_first,
                                    (size_t)hierarchy->supernode_count + 1, error));
    return mcd_edge_writer_section(writer, "bottom_root", 4, hierarchy->bottom_root, hierarchy->bottom_count,
                                   error);
}

static macadam_status write_metrics(build_run *build, macadam_error *error)
{
    const mcd_map *map = build->map;
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
        MCD_TRY(mcd_write_metric(build->writer, map->quantity[q], &job, error));
    }
    mcd_cpu_backend()->schedule_free(build->schedule); /* while the writer is busy */
    build->schedule = NULL;
    return MACADAM_OK;
}

/* ---- metadata ---- */

static macadam_status write_metadata(build_run *build, macadam_error *error)
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
    metadata->node_count = build->graph->node_count;
    metadata->arc_count = build->graph->arc_count;
    metadata->id_count = map->id_count;
    metadata->restriction_count = map->restriction_count;
    metadata->drives_left = map->drives_left;
    return mcd_metadata_write(build->writer, metadata, error);
}

static macadam_status write_all(build_run *build, const mcd_node *order, macadam_error *error)
{
    static const mcd_step place[] = {make_graph, place_nodes};
    MCD_TRY(number_nodes(build, order, error));
    MCD_TRY(
        mcd_parallel_steps(&build->options->parallel, place, sizeof place / sizeof place[0], build, error));
    MCD_TRY(write_nodes(build, error));
    MCD_TRY(place_arcs(build, error));
    MCD_TRY(write_graph(build, error));
    MCD_TRY(write_arc_facts(build, error));
    MCD_TRY(do_graph_steps(build, order != NULL, error));
    MCD_TRY(free_facts(build, error));
    if (build->snap_index.arc) MCD_TRY(mcd_snap_index_give(&build->snap_index, build->writer, error));
    MCD_TRY(write_couples(build, error));
    MCD_TRY(write_components(build, error));
    if (order) {
        MCD_TRY(write_hierarchy(build, error));
        MCD_TRY(write_metrics(build, error));
    }
    MCD_TRY(write_metadata(build, error));
    return mcd_edge_writer_finish(build->writer, error);
}

macadam_status mcd_build_file(mcd_map *map, const mcd_node *order, const mcd_build_options *options,
                              macadam_error *error)
{
    build_run build = {.map = map, .options = options, .metadata = MACADAM__V1__METADATA__INIT};
    macadam_status status = mcd_edge_writer_new(&build.writer, options->output, &options->parallel, error);
    if (!status) status = write_all(&build, order, error);
    mcd_edge_writer_free(build.writer);
    mcd_free(build.id_of);
    mcd_free(build.map_arc);
    mcd_graph_free(build.graph);
    mcd_snap_index_free(&build.snap_index);
    mcd_couples_free(&build.couples);
    mcd_components_free(&build.components);
    mcd_hierarchy_free(build.hierarchy);
    mcd_cpu_backend()->schedule_free(build.schedule);
    return status;
}
