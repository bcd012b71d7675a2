/* reach.c - `macadam reach`: what lies within limits of each source, or how far all lies, or the nearest
 * targets of each. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"
#include "bindings/cli/input/value.h"

#include <stdio.h>

enum { COLUMNS_BYTES = 64 + 2 * MACADAM_REACH_LIMITS_MAX * (CLI_LABEL_BYTES + 8) };

typedef struct reach_answer {
    cli_places source, target;
    uint32_t *value; /* NULL: no sums */
    macadam_reach found;
    uint32_t limit[MACADAM_REACH_LIMITS_MAX];
    macadam_place_status *status; /* of the sources, then of the targets */
    cli_table table;
} reach_answer;

static int tell_places(const reach_answer *reach, const cli_session *session, const cli_options *options)
{
    const cli_outcomes source = cli_outcomes_of("sources", &reach->source, reach->status),
                       target =
                           cli_outcomes_of("targets", &reach->target, reach->status + reach->source.count);
    CLI_TRY(cli_outcomes_tell(session, options, &source));
    return cli_outcomes_tell(session, options, &target);
}

static int compute(reach_answer *reach, const cli_session *session, const cli_options *options)
{
    macadam_reach_request request = options->request.reach;
    request.source = reach->source.place;
    request.source_count = reach->source.count;
    request.reverse = options->request.reverse;
    request.limit = reach->limit;
    request.limit_count = session->limit_count;
    request.value = reach->value;
    request.target = reach->target.place;
    request.target_count = reach->target.count;
    if (request.source_count == 0 || (request.nearest_count && request.target_count == 0)) return CLI_DONE;
    macadam_error error = {""};
    cli_progress_begin(options);
    CLI_TRY(cli_done(
        macadam_reach_find(session->engine, &session->query, &request, &reach->found, reach->status, &error),
        &error));
    return tell_places(reach, session, options);
}

static cli_name source_name(const reach_answer *reach, size_t source)
{
    return cli_place_name(reach->source.place, reach->source.name, source);
}

/* ---- the nodes within limits ---- */

static void write_limits(reach_answer *reach, const cli_session *session)
{
    const macadam_reach *const found = &reach->found;
    const size_t limit_count = session->limit_count;
    for (size_t source = 0; source < reach->source.count; ++source) {
        const cli_name name = source_name(reach, source);
        reach->table.status[0] = reach->status[source];
        cli_table_name(&reach->table, &name);
        for (size_t i = source * limit_count; i < (source + 1) * limit_count; ++i) {
            mcd_record_integer(&reach->table.records, (int64_t)found->node_count[i]);
            if (reach->value) mcd_record_integer(&reach->table.records, (int64_t)found->value_sum[i]);
        }
        mcd_record_integer(&reach->table.records, (int64_t)found->reached[source]);
        mcd_record_cost(&reach->table.records,
                        macadam_cost(found->eccentricity[source], session->is_signed[0]),
                        session->per_unit[0]);
        if (found->cost_sum)
            mcd_record_cost(&reach->table.records, (int64_t)found->cost_sum[source], session->per_unit[0]);
        cli_table_end(&reach->table);
    }
}

static int open_limits(reach_answer *reach, const cli_session *session, const cli_options *options)
{
    char columns[COLUMNS_BYTES];
    int used = snprintf(columns, COLUMNS_BYTES, "source,");
    for (size_t i = 0; i < session->limit_count; ++i)
        used += snprintf(columns + used, COLUMNS_BYTES - (size_t)used,
                         reach->value ? "nodes_%s,value_%s," : "nodes_%s,", session->limits[i].label,
                         session->limits[i].label);
    snprintf(columns + used, COLUMNS_BYTES - (size_t)used, "reached,eccentricity%s",
             session->limit_count == 0 ? ",cost_sum" : "");
    const cli_layout layout = {.columns = columns, .status_count = 1};
    return cli_table_open(&reach->table, session, options, &layout);
}

static int answer_limits(reach_answer *reach, const cli_session *session, const cli_options *options)
{
    macadam_reach *const found = &reach->found;
    const size_t sources = reach->source.count, cells = sources * session->limit_count;
    if (session->limit_count)
        found->node_count = cli_allocate(cells, sizeof *found->node_count);
    else
        found->cost_sum = cli_allocate(sources, sizeof *found->cost_sum);
    if (reach->value) found->value_sum = cli_allocate(cells, sizeof *found->value_sum);
    found->reached = cli_allocate(sources, sizeof *found->reached);
    found->eccentricity = cli_allocate(sources, sizeof *found->eccentricity);
    CLI_TRY(compute(reach, session, options));
    CLI_TRY(open_limits(reach, session, options));
    write_limits(reach, session);
    return cli_table_close(&reach->table, CLI_DONE);
}

/* ---- the nearest targets ---- */

static void write_nearest(reach_answer *reach, size_t nearest_count)
{
    const macadam_reach *const found = &reach->found;
    for (size_t source = 0; source < reach->source.count; ++source) {
        for (size_t rank = 0; rank < found->nearest_found[source]; ++rank) {
            const size_t i = source * nearest_count + rank;
            const cli_name name[] = {
                source_name(reach, source),
                {.number = (int64_t)rank + 1},
                cli_place_name(reach->target.place, reach->target.name, found->nearest_position[i])};
            reach->table.status[0] = reach->status[source];
            reach->table.status[1] = reach->status[reach->source.count + found->nearest_position[i]];
            cli_table_row(&reach->table, name, (const uint32_t *const[]){found->nearest_cost}, i);
        }
    }
}

static int answer_nearest(reach_answer *reach, const cli_session *session, const cli_options *options)
{
    macadam_reach *const found = &reach->found;
    const size_t sources = reach->source.count, cells = sources * options->request.reach.nearest_count;
    found->nearest_found = cli_allocate(sources, sizeof *found->nearest_found);
    found->nearest_position = cli_allocate(cells, sizeof *found->nearest_position);
    found->nearest_cost = cli_allocate(cells, sizeof *found->nearest_cost);
    const cli_layout layout = {.columns = "source,rank,target,*", .status_count = 2};
    CLI_TRY(compute(reach, session, options));
    CLI_TRY(cli_table_open(&reach->table, session, options, &layout));
    write_nearest(reach, options->request.reach.nearest_count);
    return cli_table_close(&reach->table, CLI_DONE);
}

/* ---- the whole ---- */

int cli_reach(const cli_session *session, const cli_options *options)
{
    reach_answer answer = {.found = MACADAM_REACH_INIT}, *const reach = &answer;
    if (options->sources)
        CLI_TRY(cli_places_read(&reach->source, session, options->sources));
    else
        cli_places_all(&reach->source, session);
    if (options->targets) CLI_TRY(cli_places_read(&reach->target, session, options->targets));
    if (options->values) CLI_TRY(cli_values_read(&reach->value, session, options->values));
    cli_session_head(session, reach->source.place, reach->source.count);
    reach->status = cli_allocate(reach->source.count + reach->target.count, sizeof *reach->status);
    for (size_t i = 0; i < session->limit_count; ++i) reach->limit[i] = session->limits[i].cost;
    return options->request.reach.nearest_count ? answer_nearest(reach, session, options)
                                                : answer_limits(reach, session, options);
}
