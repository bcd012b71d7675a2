/* verify.c - checks whether a file agrees with itself.
 *
 * Method: the inputs (ids, arcs, weights, the order of nodes) are checked rule by rule, as before a first
 * use. Everything else follows from them: it is made again and compared bit by bit, so that two kinds of
 * query cannot disagree. This takes as much time and memory as making it. */
#include "engine/base/rounds.h"
#include "engine/map/hierarchy.h"
#include "engine/prepare/metric_write.h"
#include "engine/prepare/snap_build.h"
#include "engine/runtime/load.h"
#include "engine/runtime/open.h"
#include "engine/runtime/version.h"

/* Steps that take about as long as each other on large maps. */
enum { STEPS = 6, METRIC_STEPS = 3, PARTS = 1000 /* of a step */ };

typedef struct verify_run {
    macadam_engine *engine; /* of the present profile */
    mcd_rounds rounds;      /* of parts: a round is a step */
} verify_run;

static macadam_status verify_numbers(macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_COPIES, error));
    return mcd_check_numbers(mcd_engine_check(engine, error), &engine->roads);
}

static macadam_status compare_count(const macadam_engine *engine, const char *name, uint64_t told,
                                    uint64_t found, macadam_error *error)
{
    if (told == found) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE, "%s: section 'meta': %s is %llu, but the arcs make it %llu",
                    engine->file->name, name, (unsigned long long)told, (unsigned long long)found);
}

static macadam_status compare_components(macadam_engine *engine, macadam_error *error)
{
    const mcd_metadata *const metadata = engine->metadata;
    MCD_FREED_BY(mcd_components_free) mcd_components found = {0};
    size_t count;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_GRAPH, error));
    MCD_TRY(mcd_components_new(&found, &engine->graph, NULL, NULL, error));
    MCD_TRY(compare_count(engine, "component_count", metadata->component_count, found.count, error));
    MCD_TRY(mcd_components_of_junctions(&count, &engine->graph, &engine->places, NULL, error));
    return compare_count(engine, "junction_component_count", metadata->junction_component_count, count,
                         error);
}

MCD_DEFINE_FREE_AT(free_hierarchy, mcd_hierarchy, mcd_hierarchy_free)

MCD_DEFINE_FREE_AT(free_writer, mcd_edge_writer, mcd_edge_writer_free)

MCD_DEFINE_STATIC_FREE(free_reverse, mcd_graph, (void *)it->first_in, (void *)it->tail, (void *)it->in_arc)

/* Makes again what a ready file has of what follows from the arcs. */
static macadam_status compare_made(macadam_engine *engine, mcd_edge_writer *comparison, macadam_error *error)
{
    const mcd_graph *const graph = &engine->graph;
    MCD_FREED_BY(free_hierarchy) mcd_hierarchy *made = NULL;
    MCD_FREED_BY(mcd_components_free) mcd_components components = {0};
    MCD_FREED_BY(free_reverse)
    mcd_graph again = {graph->node_count, graph->arc_count, graph->first_out, graph->head, NULL, NULL, NULL};
    MCD_TRY(mcd_graph_reverse(&again, &engine->parallel, error));
    MCD_TRY(mcd_components_new(&components, &again, &engine->parallel, NULL, error));
    const macadam_status status = mcd_hierarchy_new(&made, &again, &engine->parallel, NULL, error);
    MCD_TRY(status == MACADAM_E_INVALID ? MACADAM_E_FILE : status);
    MCD_TRY(mcd_sections_write_made(comparison, &again, components.component, made, error));
    return mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_UP_DEPTHS})
               ? mcd_sections_write_up_depths(comparison, made, error)
               : MACADAM_OK;
}

/* Unpacks again what a ready file has of places and arcs, and counts weights. */
static macadam_status compare_places(macadam_engine *engine, mcd_edge_writer *comparison,
                                     macadam_error *error)
{
    MCD_FREED_BY(mcd_places_free) mcd_place_index places = {0};
    MCD_OWNED uint32_t *original = NULL;
    size_t original_count;
    if (!mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_PLACES})) return MACADAM_OK;
    for (size_t q = 0; q < engine->metadata->n_quantity; ++q) {
        mcd_array *quantity;
        MCD_TRY(mcd_engine_load_quantity(engine, q, &quantity, error));
        MCD_TRY(mcd_sections_write_weight_counts(comparison, engine->quantity_name[q], quantity->weight,
                                                 engine->graph.arc_count, error));
    }
    MCD_TRY(mcd_engine_unpack_places(&places, engine, error));
    if (engine->original) MCD_TRY(mcd_engine_unpack_originals(&original, &original_count, engine, error));
    MCD_TRY(mcd_sections_write_places(comparison, &places, original, engine->graph.arc_count, error));
    if (!mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_INDEX})) return MACADAM_OK;
    return mcd_sections_write_index(comparison, &engine->roads, &engine->parallel, error);
}

static macadam_status compare_ready(verify_run *run, macadam_error *error)
{
    macadam_engine *const engine = run->engine;
    MCD_FREED_BY(free_writer) mcd_edge_writer *comparison = NULL;
    MCD_TRY(mcd_edge_writer_new_comparison(&comparison, engine->file, &engine->parallel, error));
    MCD_TRY(compare_places(engine, comparison, error));
    MCD_TRY(compare_made(engine, comparison, error));
    for (size_t index = 0; index < engine->metadata->n_metric; ++index) {
        mcd_version *version;
        MCD_TRY(mcd_version_find_loaded(&version, engine, index, error));
        MCD_TRY(mcd_version_prepare(version, engine, engine->host, MCD_NEED_PATHS, error));
        MCD_TRY(mcd_engine_load_schedule(engine, error));
        const mcd_customize_job job = mcd_version_job(version, engine);
        const mcd_selector basic = {.group = MCD_GROUP_BASIC_SOURCE, .of = engine->metric_name[index]};
        MCD_TRY(mcd_write_metric(comparison, engine->metric_name[index],
                                 mcd_sections_exist(engine->file, &basic), &job, error));
        run->rounds.first += METRIC_STEPS * PARTS;
    }
    return MACADAM_OK;
}

static macadam_status compare_snap(macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(free_writer) mcd_edge_writer *comparison = NULL;
    MCD_OWNED mcd_snap_box *box = NULL;
    MCD_OWNED uint32_t *unindexed = NULL;
    size_t unindexed_count;
    mcd_snap_index made = engine->snap;
    mcd_counts counts = mcd_counts_of(engine->metadata);
    counts.of[MCD_PER_PIECE] = made.piece_count;
    counts.of[MCD_PER_BOX] = made.box_count;
    made.box = NULL;
    const macadam_status status = mcd_snap_boxes_new(&made, &engine->roads, &engine->parallel, error);
    box = (mcd_snap_box *)made.box;
    MCD_TRY(status);
    MCD_TRY(mcd_edge_writer_new_comparison(&comparison, engine->file, &engine->parallel, error));
    MCD_TRY(mcd_sections_write(comparison, &(mcd_selector){.group = MCD_GROUP_SNAP}, &counts, &made, false,
                               error));
    if (!mcd_sections_exist(engine->file, &(mcd_selector){.group = MCD_GROUP_UNINDEXED})) return MACADAM_OK;
    MCD_TRY(
        mcd_unindexed_find(&unindexed, &unindexed_count, &engine->roads, &made, &engine->parallel, error));
    return mcd_sections_write_unindexed(comparison, unindexed, unindexed_count, false, error);
}

static macadam_status verify_snap(macadam_engine *engine, macadam_error *error)
{
    MCD_OWNED mcd_node *tail = NULL;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_SNAP, error));
    if (!engine->places.lon_e7) return MACADAM_OK;
    MCD_TRY(mcd_road_departures(&tail, &engine->roads, error));
    MCD_TRY(mcd_check_snap(mcd_engine_check(engine, error), &engine->roads, tail, &engine->snap));
    return compare_snap(engine, error);
}

/* Where an update has changed arcs, every copy of an arc must weigh what the arc weighs, and its price. */
static macadam_status verify_prices(macadam_engine *engine, size_t index, const mcd_weight *weight,
                                    macadam_error *error)
{
    const mcd_prices *const prices = &engine->prices[index];
    const mcd_arc_index *const arcs = &engine->arc_index;
    MCD_TRY(mcd_engine_load_prices(engine, index, error));
    if (!prices->changed) return MACADAM_OK;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_INDEX, error));
    for (size_t number = 0; number < arcs->slot_count; ++number)
        for (uint32_t i = arcs->first[number]; i < arcs->first[number + 1]; ++i) {
            const uint32_t original = arcs->arc[arcs->first[number]], copy = arcs->arc[i];
            const mcd_weight sum =
                mcd_weight_with_price(weight[original], mcd_prices_of(prices, copy, original));
            if (weight[copy] != sum)
                return mcd_fail(
                    error, MACADAM_E_FILE,
                    "%s: section 'changed_arc.%s': arc %u weighs %u, but its weight and price are %u",
                    engine->file->name, engine->quantity_name[index], copy, weight[copy], sum);
        }
    return MACADAM_OK;
}

static macadam_status verify_weights(macadam_engine *engine, macadam_error *error)
{
    for (size_t index = 0; index < engine->metadata->n_quantity; ++index) {
        mcd_array *quantity;
        MCD_TRY(mcd_engine_load_quantity(engine, index, &quantity, error));
        MCD_TRY(verify_prices(engine, index, quantity->weight, error));
    }
    return MACADAM_OK;
}

/* Verifies the sections of all profiles. */
static macadam_status verify_sections(macadam_engine *engine, macadam_error *error)
{
    if (engine->file->profile > 0) return MACADAM_OK;
    return mcd_edge_file_verify(engine->file, error);
}

static macadam_status verify_hierarchy(macadam_engine *engine, macadam_error *error)
{
    return engine->metadata->has_hierarchy ? mcd_engine_load(engine, MCD_LOAD_HIERARCHY, error) : MACADAM_OK;
}

static macadam_status verify_profile(verify_run *run, macadam_error *error)
{
    static macadam_status (*const step[STEPS])(macadam_engine * engine, macadam_error * error) = {
        verify_sections, verify_snap, verify_numbers, compare_components, verify_weights, verify_hierarchy,
    };
    for (size_t i = 0; i < STEPS; ++i) {
        MCD_TRY(step[i](run->engine, error));
        run->rounds.first += PARTS;
    }
    return run->engine->is_ready ? compare_ready(run, error) : MACADAM_OK;
}

/* Each profile has an engine of its own, which trusts nothing and knows of no updates. */
typedef struct own_engines {
    macadam_engine *engine[MCD_PROFILES_MAX];
} own_engines;

static void close_profiles(own_engines *own)
{
    for (size_t i = 0; i < MCD_PROFILES_MAX; ++i) macadam_engine_close(own->engine[i]);
}

macadam_status macadam_engine_verify(macadam_engine *engine, macadam_error *error)
{
    MCD_FREED_BY(close_profiles) own_engines own = {{NULL}};
    size_t steps = 0;
    verify_run run;
    if (!engine) return mcd_fail_invalid(error, "no engine");
    for (size_t i = 0; i < engine->profile_count; ++i) {
        MCD_TRY(mcd_engine_open_again(&own.engine[i], engine, engine->profile_name[i], error));
        steps += STEPS;
        if (own.engine[i]->is_ready) steps += METRIC_STEPS * own.engine[i]->metadata->n_metric;
    }
    mcd_rounds_begin(&run.rounds, &engine->progress, "verifying", steps * PARTS);
    run.rounds.count = PARTS;
    MCD_FREED_BY(mcd_watch_return) mcd_watch *outer = mcd_watch_enter(&run.rounds.watch);
    for (size_t i = 0; i < engine->profile_count; ++i) {
        run.engine = own.engine[i];
        MCD_TRY(verify_profile(&run, error));
        macadam_engine_close(own.engine[i]);
        own.engine[i] = NULL;
    }
    return MACADAM_OK;
}
