/* routes.c - `macadam routes`: many one-to-one costs, with the numbers of the paths' arcs if requested. Pairs
 * are answered in batches, so that paths need not all be kept. */
#include "bindings/cli/command.h"

enum { BATCH_COSTS = 1 << 20, BATCH_PATHS = 1 << 14 };

typedef struct routes_answer {
    const cli_session *session;
    cli_places source, target;
    cli_table table;
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    macadam_place_status *status; /* of the batch */
    size_t *first_arc; /* with paths: path i of the batch is arc[first_arc[i]] .. arc[first_arc[i + 1] - 1] */
    uint64_t *arc;
    size_t arc_capacity;
    size_t missing; /* pairs without a path */
    size_t times;   /* a pair has as many answers */
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
    cli_table *const table = &routes->table;
    const uint32_t *const *const value = (const uint32_t *const *)routes->value;
    const size_t times = routes->times;
    if (table->is_array) cli_table_rows(table, value, count * times);
    for (size_t i = 0; i < count * times; ++i) {
        const bool found = macadam_cost(value[0][i], routes->session->is_signed[0]) != MACADAM_COST_NONE;
        routes->missing += !found;
        if (table->is_array) continue;
        cli_table_place(table, &routes->source, first_pair + i / times);
        cli_table_place(table, &routes->target, first_pair + i / times);
        cli_table_time(table, first_pair * times + i, first_pair * times + i);
        cli_table_costs(table, value, i);
        if (routes->first_arc)
            mcd_record_list(&table->records,
                            found ? (const int64_t *)routes->arc + routes->first_arc[i] : NULL,
                            routes->first_arc[i + 1] - routes->first_arc[i]);
        cli_table_end(table);
    }
}

static int answer_batch(routes_answer *routes, size_t first_pair, size_t count)
{
    const cli_session *const session = routes->session;
    const macadam_routes_request request = {.size = sizeof request,
                                            .source = routes->source.place + first_pair,
                                            .target = routes->target.place + first_pair,
                                            .pair_count = count};
    macadam_query query = session->query;
    macadam_clock clock = session->clock;
    if (query.clock && clock.each) { /* the times of the batch's pairs */
        query.clock = &clock;
        if (clock.depart_count) clock.depart += first_pair, clock.depart_count = count;
        if (clock.arrive_count) clock.arrive_by += first_pair, clock.arrive_count = count;
    }
    CLI_TRY(routes->first_arc ? cli_call(macadam_routes_find_paths, routes->value, routes->status,
                                         session->engine, &query, &request, take_path, routes)
                              : cli_call(macadam_routes_find, routes->value, routes->status, session->engine,
                                         &query, &request));
    memcpy(routes->source.status + first_pair, routes->status, count * sizeof *routes->status);
    memcpy(routes->target.status + first_pair, routes->status + count, count * sizeof *routes->status);
    write_batch(routes, first_pair, count);
    return CLI_DONE;
}

static int answer(routes_answer *routes)
{
    const bool paths = routes->session->options->paths;
    routes->times = routes->session->departs * routes->session->arrives;
    const size_t pair_count = routes->target.count,
                 most = ((paths ? BATCH_PATHS : BATCH_COSTS) + routes->times - 1) / routes->times;
    const size_t batch = pair_count < most ? pair_count : most;
    for (size_t q = 0; q < routes->session->quantity_count; ++q)
        routes->value[q] = cli_allocate(batch * routes->times, sizeof *routes->value[q]);
    routes->status = cli_allocate(2 * batch, sizeof *routes->status);
    if (paths) {
        routes->first_arc = cli_allocate(batch * routes->times + 1, sizeof *routes->first_arc);
        routes->arc_capacity = batch;
        routes->arc = cli_allocate(batch, sizeof *routes->arc);
    }
    for (size_t first = 0; first < pair_count; first += batch)
        CLI_TRY(answer_batch(routes, first, pair_count - first < batch ? pair_count - first : batch));
    cli_progress_erase();
    /* After all batches, so that each kind of failure is reported once. */
    const cli_session *const session = routes->session;
    const int of_sources = cli_outcomes_tell(session, &routes->source),
              of_targets = cli_outcomes_tell(session, &routes->target);
    CLI_TRY(of_sources);
    CLI_TRY(of_targets);
    if (!session->options->strict || routes->missing == 0) return CLI_DONE;
    return cli_fail_usage("%zu of %zu pairs have no path, and --strict allows none", routes->missing,
                          routes->source.count * routes->times);
}

int cli_routes(const cli_session *session)
{
    routes_answer found = {.session = session}, *const routes = &found;
    CLI_TRY(cli_pairs_read(&routes->source, &routes->target, session, session->options->pairs));
    const size_t pairs = routes->source.count,
                 times = session->clock.depart_count + session->clock.arrive_count;
    if (session->clock.each && times != pairs)
        return cli_fail_usage("%zu times for %zu pairs: each must have one", times, pairs);
    cli_session_head(session, routes->source.place, pairs);
    char columns[CLI_COLUMNS_BYTES];
    snprintf(columns, sizeof columns, "source,target%s,*%s", cli_session_time_column(session),
             session->options->paths ? ",arcs" : "");
    const cli_layout layout = {
        .columns = columns, .status_count = 2, .shape = {pairs, 1, session->departs * session->arrives, 1}};
    CLI_TRY(cli_table_open(&routes->table, session, &layout));
    return cli_table_close(&routes->table, answer(routes));
}
