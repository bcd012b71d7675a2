/* verify.c - checks whether a file agrees with itself.
 *
 * Method: the inputs (ids, arcs, weights, the order of nodes) are checked rule by rule, as before a first
 * use. Everything else follows from them: it is made again and compared bit by bit, so that two kinds of
 * query cannot disagree. This takes as much time and memory as making it. */
#include "engine/map/hierarchy.h"
#include "engine/prepare/metric_write.h"
#include "engine/runtime/in_use.h"
#include "engine/runtime/load.h"
#include "engine/runtime/open.h"

static macadam_status verify_numbers(macadam_engine *engine, macadam_error *error)
{
    const mcd_check check = mcd_engine_check(engine, error);
    MCD_TRY(mcd_engine_load_facts(engine, error));
    return mcd_check_numbers(&check, &engine->roads);
}

static macadam_status compare_count(const macadam_engine *engine, const char *name, uint64_t told,
                                    uint64_t found, macadam_error *error)
{
    if (told == found) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE, "%s: section 'meta': %s is %llu, but the arcs make it %llu",
                    mcd_edge_file_name(engine->file), name, (unsigned long long)told,
                    (unsigned long long)found);
}

static macadam_status compare_components(macadam_engine *engine, macadam_error *error)
{
    const mcd_metadata *const metadata = engine->metadata;
    MCD_TRY(mcd_engine_load_components(engine, error));
    MCD_TRY(
        compare_count(engine, "component_count", metadata->component_count, engine->components.count, error));
    size_t count;
    MCD_TRY(mcd_components_of_junctions(&count, &engine->graph, &engine->places, NULL, error));
    return compare_count(engine, "junction_component_count", metadata->junction_component_count, count,
                         error);
}

static macadam_status compare_metric(macadam_engine *engine, size_t index, mcd_edge_writer *comparison,
                                     macadam_error *error)
{
    mcd_metric *metric;
    MCD_TRY(mcd_engine_use_metric(engine, engine->host, index, NULL, MCD_NEED_PATHS, &metric, error));
    const mcd_customize_job job = {
        .schedule = engine->schedule,
        .hierarchy = &engine->hierarchy,
        .graph = &engine->graph,
        .objective = metric->weights.objective,
        .companion = metric->weights.companion,
        .witnesses = true,
        .parallel = engine->parallel,
    };
    const macadam_status status = mcd_write_metric(comparison, engine->metric_name[index], &job, error);
    mcd_metric_leave(metric);
    return status;
}

static macadam_status compare_hierarchy(macadam_engine *engine, mcd_edge_writer *comparison,
                                        macadam_error *error)
{
    mcd_hierarchy *made;
    macadam_status status = mcd_hierarchy_new(&made, &engine->graph, NULL, error);
    if (status) return status == MACADAM_E_INVALID ? MACADAM_E_FILE : status;
    status = mcd_sections_write_hierarchy(comparison, made, error);
    mcd_hierarchy_free(made);
    return status;
}

static macadam_status compare_ready(macadam_engine *engine, macadam_error *error)
{
    mcd_edge_writer *comparison;
    MCD_TRY(mcd_edge_writer_new_comparison(&comparison, engine->file, &engine->parallel, error));
    macadam_status status = compare_hierarchy(engine, comparison, error);
    if (!status) status = mcd_engine_load_schedule(engine, error);
    for (size_t index = 0; index < engine->metadata->n_metric && !status; ++index)
        status = compare_metric(engine, index, comparison, error);
    mcd_edge_writer_free(comparison);
    return status;
}

static macadam_status verify_contents(macadam_engine *engine, macadam_error *error)
{
    MCD_TRY(mcd_edge_file_verify(engine->file, error));
    MCD_TRY(mcd_engine_load_snap(engine, error));
    MCD_TRY(verify_numbers(engine, error));
    MCD_TRY(compare_components(engine, error));
    for (size_t index = 0; index < engine->metadata->n_quantity; ++index) {
        mcd_quantity *quantity;
        MCD_TRY(mcd_engine_use_quantity(engine, index, &quantity, error));
        mcd_quantity_leave(quantity);
    }
    if (!mcd_engine_has_hierarchy(engine)) return MACADAM_OK;
    MCD_TRY(mcd_engine_load_hierarchy(engine, error));
    return mcd_engine_is_ready(engine) ? compare_ready(engine, error) : MACADAM_OK;
}

/* Runs on its own engine, which trusts nothing and knows of no updates. */
macadam_status macadam_engine_verify(macadam_engine *engine, macadam_error *error)
{
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    macadam_engine *fresh;
    MCD_TRY(mcd_engine_open_again(&fresh, engine, error));
    const macadam_status status = verify_contents(fresh, error);
    macadam_engine_close(fresh);
    return status;
}
