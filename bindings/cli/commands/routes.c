/* routes.c - `macadam routes`: many one-to-one costs, with the numbers of the paths' arcs if requested. Pairs
 * are answered in batches, so that paths need not all be kept. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

#include <string.h>

enum { BATCH_COSTS = 1 << 20, BATCH_PATHS = 1 << 14 };

typedef struct routes_answer {
    cli_pairs pairs;
    cli_table table;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    macadam_place_status *status; /* of all sources, then of all targets */
    macadam_place_status *batch_status;
    size_t *first_arc; /* with paths: path i of the batch is arc[first_arc[i]] .. arc[first_arc[i + 1] - 1] */
    uint64_t *arc;
    size_t arc_capacity;
    size_t missing; /* pairs without a path */
} routes_answer;

static bool take_path(void *context, size_t pair, const uint64_t *arc, size_t arc_count)
{
    routes_answer *const routes = context;
    const size_t first = routes->first_arc[pair];
    if (first + arc_count > routes->arc_capacity) {
        routes->arc_capacity = 2 * (first + arc_count);
        routes->arc = cli_reallocate(routes->arc, routes->arc_capacity, sizeof *routes->arc);
    }
    if (arc_count) memcpy(routes->arc + first, arc, arc_count * sizeof *arc);
    routes->first_arc[pair + 1] = first + arc_count;
    return true;
}

static void write_batch(routes_answer *routes, size_t first_pair, size_t count)
{
    const cli_pairs *const pairs = &routes->pairs;
    const uint32_t *const *const value = (const uint32_t *const *)routes->value;
    for (size_t i = 0; i < count; ++i) {
        const cli_name name[] = {cli_place_name(pairs->source, NULL, first_pair + i),
                                 cli_place_name(pairs->target, NULL, first_pair + i)};
        const bool found =
            macadam_cost(value[0][i], routes->table.session->is_signed[0]) != MACADAM_COST_NONE;
        routes->missing += !found;
        routes->table.status[0] = routes->batch_status[i];
        routes->table.status[1] = routes->batch_status[count + i];
        if (routes->first_arc) {
            const size_t first = routes->first_arc[i], arc_count = routes->first_arc[i + 1] - first;
            cli_table_begin(&routes->table, name, value, i);
            mcd_record_list(&routes->table.records, found ? (const int64_t *)routes->arc + first : NULL,
                            arc_count);
            cli_table_end(&routes->table);
        } else {
            cli_table_row(&routes->table, name, value, i);
        }
    }
}

static int answer_batch(routes_answer *routes, const cli_session *session, size_t first_pair, size_t count)
{
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = routes->pairs.source + first_pair;
    request.target = routes->pairs.target + first_pair;
    request.pair_count = count;
    macadam_error error = {""};
    const macadam_status status =
        routes->first_arc ? macadam_routes_paths(session->engine, &session->query, &request, routes->value,
                                                 routes->batch_status, take_path, routes, &error)
                          : macadam_routes(session->engine, &session->query, &request, routes->value,
                                           routes->batch_status, &error);
    if (status != MACADAM_OK) {
        cli_progress_erase();
        return cli_fail_library(status, &error);
    }
    memcpy(routes->status + first_pair, routes->batch_status, count * sizeof *routes->status);
    memcpy(routes->status + routes->pairs.count + first_pair, routes->batch_status + count,
           count * sizeof *routes->status);
    write_batch(routes, first_pair, count);
    return CLI_DONE;
}

/* After all batches, so that each kind of failure is reported once. */
static int tell_places(const routes_answer *routes, const cli_session *session, const cli_options *options)
{
    const cli_pairs *const pairs = &routes->pairs;
    const cli_outcomes source = {"sources",     pairs->csv.path, pairs->line,
                                 pairs->source, routes->status,  pairs->count};
    const cli_outcomes target = {
        "targets", pairs->csv.path, pairs->line, pairs->target, routes->status + pairs->count, pairs->count};
    const int of_sources = cli_outcomes_tell(session, options, &source),
              of_targets = cli_outcomes_tell(session, options, &target);
    CLI_TRY(of_sources);
    CLI_TRY(of_targets);
    if (!options->strict || routes->missing == 0) return CLI_DONE;
    return cli_fail_usage("%zu of %zu pairs have no path, and --strict allows none", routes->missing,
                          pairs->count);
}

static int answer(routes_answer *routes, const cli_session *session, const cli_options *options)
{
    const size_t pair_count = routes->pairs.count, most = options->paths ? BATCH_PATHS : BATCH_COSTS;
    const size_t batch = pair_count < most ? pair_count : most;
    for (size_t q = 0; q < session->quantity_count; ++q)
        routes->value[q] = cli_allocate(batch, sizeof *routes->value[q]);
    routes->status = cli_allocate(2 * pair_count, sizeof *routes->status);
    routes->batch_status = cli_allocate(2 * batch, sizeof *routes->batch_status);
    if (options->paths) {
        routes->first_arc = cli_allocate(batch + 1, sizeof *routes->first_arc);
        routes->arc_capacity = batch;
        routes->arc = cli_allocate(batch, sizeof *routes->arc);
    }
    int status = CLI_DONE;
    cli_progress_begin(options);
    for (size_t first = 0; first < pair_count && status == CLI_DONE; first += batch) {
        status =
            answer_batch(routes, session, first, pair_count - first < batch ? pair_count - first : batch);
    }
    cli_progress_erase();
    return status == CLI_DONE ? tell_places(routes, session, options) : status;
}

int cli_routes(const cli_session *session, const cli_options *options)
{
    routes_answer found = {0}, *const routes = &found;
    CLI_TRY(cli_pairs_read(&routes->pairs, session, options->pairs));
    cli_session_head(session, routes->pairs.source, routes->pairs.count);
    const cli_layout layout = {.columns = options->paths ? "source,target,*,arcs" : "source,target,*",
                               .status_count = 2,
                               .shape = {routes->pairs.count, 1}};
    CLI_TRY(cli_table_open(&routes->table, session, options, &layout));
    return cli_table_close(&routes->table, answer(routes, session, options));
}
