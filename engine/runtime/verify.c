/* verify.c - checks whether a file agrees with itself.
 *
 * Method: the inputs (ids, arcs, weights, the order of nodes) are checked rule by rule, as before a first
 * use. Everything else follows from them: it is made again and compared bit by bit, so that two kinds of
 * query cannot disagree. This takes as much time and memory as making it. */
#include "engine/prepare/metric_write.h"
#include "engine/runtime/in_use.h"
#include "engine/runtime/load.h"
#include "engine/runtime/open.h"

static macadam_status verify_numbers(macadam_engine *engine, macadam_error *error)
{
    const mcd_check check = mcd_engine_check(engine, error);
    MCD_TRY(mcd_engine_load_facts(engine, error));
    return mcd_check_numbers(&check, &engine->graph, &engine->places, engine->facts.arc_number);
}

static macadam_status compare_couples(macadam_engine *engine, mcd_edge_writer *comparison,
                                      macadam_error *error)
{
    mcd_couples couples;
    MCD_TRY(mcd_couples_new(&couples, &engine->graph, error));
    mcd_counts counts = mcd_counts_of(engine->metadata);
    counts.of[MCD_PER_COUPLE] = couples.count;
    macadam_status status =
        mcd_sections_write(comparison, &(mcd_selector){.group = MCD_GROUP_COUPLES}, &counts, &couples, error);
    for (size_t q = 0; q < engine->metadata->n_quantity && !status; ++q) {
        mcd_quantity *quantity;
        status = mcd_engine_use_quantity(engine, q, &quantity, error);
        if (status) break;
        status = mcd_write_couple_weights(comparison, &couples, &engine->graph, engine->quantity_name[q],
                                          quantity->weight, &engine->parallel, error);
        mcd_quantity_leave(quantity);
    }
    mcd_couples_free(&couples);
    return status;
}

static macadam_status compare_components(macadam_engine *engine, mcd_edge_writer *comparison,
                                         macadam_error *error)
{
    mcd_components components;
    MCD_TRY(mcd_components_new(&components, &engine->graph, error));
    macadam_status status = MACADAM_OK;
    if (components.count != engine->metadata->component_count)
        status = mcd_fail(error, MACADAM_E_FILE, "%s: the metadata say %llu components, not %u",
                          mcd_edge_file_name(engine->file),
                          (unsigned long long)engine->metadata->component_count, components.count);
    const mcd_counts counts = mcd_counts_of(engine->metadata);
    if (!status)
        status = mcd_sections_write(comparison, &(mcd_selector){.group = MCD_GROUP_COMPONENTS}, &counts,
                                    &components, error);
    mcd_components_free(&components);
    return status;
}

static macadam_status compare_metric(macadam_engine *engine, size_t index, mcd_edge_writer *comparison,
                                     macadam_error *error)
{
    mcd_metric *metric;
    MCD_TRY(mcd_engine_use_metric(engine, engine->host, index, MCD_NEED_PATHS, &metric, error));
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

static macadam_status compare_metrics(macadam_engine *engine, mcd_edge_writer *comparison,
                                      macadam_error *error)
{
    const mcd_check check = mcd_engine_check(engine, error);
    MCD_TRY(mcd_engine_load_hierarchy(engine, error));
    MCD_TRY(mcd_check_joined(&check, &engine->hierarchy, &engine->graph));
    MCD_TRY(mcd_engine_load_schedule(engine, error));
    for (size_t index = 0; index < engine->metadata->n_metric; ++index)
        MCD_TRY(compare_metric(engine, index, comparison, error));
    return MACADAM_OK;
}

static macadam_status verify_contents(macadam_engine *engine, macadam_error *error)
{
    mcd_edge_writer *comparison;
    MCD_TRY(mcd_edge_file_verify(engine->file, error));
    MCD_TRY(mcd_engine_load_snap(engine, error));
    MCD_TRY(verify_numbers(engine, error));
    MCD_TRY(mcd_edge_writer_new_comparison(&comparison, engine->file, &engine->parallel, error));
    macadam_status status = compare_couples(engine, comparison, error);
    if (!status) status = compare_components(engine, comparison, error);
    if (!status && mcd_engine_has_hierarchy(engine)) status = compare_metrics(engine, comparison, error);
    mcd_edge_writer_free(comparison);
    return status;
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
