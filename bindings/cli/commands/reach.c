/* reach.c - `macadam reach`: what lies within limits of each source, or how far all lies, or the nearest
 * targets of each, or what is accessible from it. */
#include "bindings/cli/command.h"
#include "bindings/cli/input/decay.h"
#include "bindings/formats/scan.h"

enum {
    COLUMNS_BYTES = 64 + 2 * MACADAM_REACH_LIMITS_MAX * (CLI_LABEL_BYTES + 8),
    FIELDS_MAX = MCD_RECORD_FIELDS_MAX - 2, /* of a source: it and its status are two more */
    DECIMALS = 6,
};

typedef struct reach_answer {
    const cli_session *session;
    cli_places source, target, opportunity; /* targets or opportunities: no call has both */
    uint32_t *value;                        /* NULL: no sums */
    cli_amounts amounts;
    macadam_decay decay;
    double percentile[MACADAM_REACH_PERCENTILES_MAX];
    macadam_reach found;
    cli_table table;
} reach_answer;

static int compute(reach_answer *reach)
{
    const cli_session *const session = reach->session;
    macadam_reach_request request = session->options->request.reach;
    request.source = reach->source.place;
    request.source_count = reach->source.count;
    request.reverse = session->options->request.reverse;
    request.limit = session->limit_cost;
    request.limit_count = session->limit_count;
    request.value = reach->value;
    request.target = reach->target.place;
    request.target_count = reach->target.count;
    request.opportunity = reach->opportunity.place;
    request.opportunity_count = reach->opportunity.count;
    request.amount = reach->amounts.amount;
    request.amount_count = reach->amounts.count;
    request.decay = session->options->decay ? &reach->decay : NULL;
    request.percentile = reach->percentile;
    request.percentile_count = session->options->percentiles.count;
    cli_places *const other = reach->opportunity.count ? &reach->opportunity : &reach->target;
    macadam_place_status *const status = cli_places_join(&reach->source, other);
    if (request.source_count == 0 || (request.nearest_count && request.target_count == 0)) return CLI_DONE;
    CLI_TRY(cli_call(macadam_reach_find, &reach->found, status, session->engine, &session->query, &request));
    CLI_TRY(cli_outcomes_tell(session, &reach->source));
    return cli_outcomes_tell(session, other);
}

/* ---- values of nodes ---- */

static int take_value(const cli_session *session, const cli_csv *csv, const cli_field *node,
                      const cli_field *value, uint32_t *out, bool *given)
{
    int64_t id;
    uint64_t number;
    size_t position;
    if (!mcd_number_integer(node->text, node->bytes, &id)) return cli_csv_fail(csv, node, "not an integer");
    if (!cli_session_find_id(session, id, &position)) return cli_csv_fail(csv, node, "no such node");
    if (given[position]) return cli_csv_fail(csv, node, "a second value of this node");
    if (!mcd_number_unsigned(value->text, value->bytes, UINT32_MAX, &number))
        return cli_csv_fail(csv, value, "not a value from 0 to 4294967295");
    given[position] = true;
    out[position] = (uint32_t)number;
    return CLI_DONE;
}

/* Reads a CSV with the header node,value: one value per id of the session, 0 where the file has none. */
static int read_values(uint32_t **out, const cli_session *session)
{
    cli_csv csv;
    size_t node, value;
    const cli_column column[] = {{"", "node", &node}, {"", "value", &value}};
    CLI_TRY(cli_csv_open(&csv, session->options->values, "header"));
    CLI_TRY(cli_csv_header(&csv, column, 2));
    if (node == CLI_CSV_NO_COLUMN || value == CLI_CSV_NO_COLUMN)
        return cli_csv_fail(&csv, &csv.field[0], "expected a header with the columns node and value");
    bool *const given = cli_allocate(session->info.id_count, sizeof *given);
    *out = cli_allocate(session->info.id_count, sizeof **out);
    while (cli_csv_next(&csv))
        CLI_TRY(take_value(session, &csv, &csv.field[node], &csv.field[value], *out, given));
    return csv.status;
}

/* ---- the nodes within limits ---- */

static void write_limits(reach_answer *reach)
{
    const macadam_reach *const found = &reach->found;
    const cli_session *const session = reach->session;
    mcd_records *const records = &reach->table.records;
    for (size_t source = 0, i = 0; source < reach->source.count; ++source) {
        cli_table_place(&reach->table, &reach->source, source);
        for (size_t limit = 0; limit < session->limit_count; ++limit, ++i) {
            mcd_record_integer(records, (int64_t)found->node_count[i]);
            if (reach->value) mcd_record_integer(records, (int64_t)found->value_sum[i]);
        }
        mcd_record_integer(records, (int64_t)found->reached[source]);
        mcd_record_cost(records, macadam_cost(found->eccentricity[source], session->is_signed[0]),
                        session->per_unit[0]);
        if (found->cost_sum) mcd_record_cost(records, (int64_t)found->cost_sum[source], session->per_unit[0]);
        cli_table_end(&reach->table);
    }
}

static int answer_limits(reach_answer *reach)
{
    macadam_reach *const found = &reach->found;
    const size_t sources = reach->source.count, cells = sources * reach->session->limit_count;
    if (reach->session->limit_count)
        found->node_count = cli_allocate(cells, sizeof *found->node_count);
    else
        found->cost_sum = cli_allocate(sources, sizeof *found->cost_sum);
    if (reach->value) found->value_sum = cli_allocate(cells, sizeof *found->value_sum);
    found->reached = cli_allocate(sources, sizeof *found->reached);
    found->eccentricity = cli_allocate(sources, sizeof *found->eccentricity);
    CLI_TRY(compute(reach));
    const cli_session *const session = reach->session;
    char columns[COLUMNS_BYTES];
    int used = snprintf(columns, COLUMNS_BYTES, "source,");
    for (size_t i = 0; i < session->limit_count; ++i)
        used += snprintf(columns + used, COLUMNS_BYTES - (size_t)used,
                         reach->value ? "nodes_%s,value_%s," : "nodes_%s,", session->limits[i].label,
                         session->limits[i].label);
    snprintf(columns + used, COLUMNS_BYTES - (size_t)used, "reached,eccentricity%s",
             session->limit_count == 0 ? ",cost_sum" : "");
    CLI_TRY(cli_table_open(&reach->table, session, &(cli_layout){.columns = columns, .status_count = 1}));
    write_limits(reach);
    return cli_table_close(&reach->table, CLI_DONE);
}

/* ---- the nearest targets ---- */

static int answer_nearest(reach_answer *reach, size_t nearest_count)
{
    macadam_reach *const found = &reach->found;
    const size_t sources = reach->source.count, cells = sources * nearest_count;
    found->nearest_found = cli_allocate(sources, sizeof *found->nearest_found);
    found->nearest_position = cli_allocate(cells, sizeof *found->nearest_position);
    found->nearest_cost = cli_allocate(cells, sizeof *found->nearest_cost);
    const uint32_t *const value[MACADAM_QUANTITIES_MAX] = {found->nearest_cost};
    CLI_TRY(compute(reach));
    CLI_TRY(cli_table_open(&reach->table, reach->session,
                           &(cli_layout){.columns = "source,rank,target,*", .status_count = 2}));
    for (size_t source = 0; source < sources; ++source)
        for (size_t rank = 0, i = source * nearest_count; rank < found->nearest_found[source]; ++rank, ++i) {
            cli_table_place(&reach->table, &reach->source, source);
            cli_table_id(&reach->table, (int64_t)rank + 1);
            cli_table_place(&reach->table, &reach->target, found->nearest_position[i]);
            cli_table_costs(&reach->table, value, i);
            cli_table_end(&reach->table);
        }
    return cli_table_close(&reach->table, CLI_DONE);
}

/* ---- what is accessible ---- */

static int read_percentiles(reach_answer *reach)
{
    const mcd_texts *const given = &reach->session->options->percentiles;
    if (given->count > MACADAM_REACH_PERCENTILES_MAX)
        return cli_fail_usage("--percentiles %s: more than %d", given->value, MACADAM_REACH_PERCENTILES_MAX);
    for (size_t i = 0; i < given->count; ++i) {
        double *const out = &reach->percentile[i];
        if (!mcd_number_decimal(given->text[i], strlen(given->text[i]), out) || *out < 0 || *out > 100)
            return cli_fail_usage("--percentiles %s: \"%s\" is not a number from 0 to 100", given->value,
                                  given->text[i]);
    }
    return CLI_DONE;
}

/* Returns the columns of the answer. */
static const char *access_columns(const reach_answer *reach)
{
    const mcd_texts *const percentiles = &reach->session->options->percentiles;
    size_t capacity = sizeof "source", used;
    for (size_t column = 0; column < reach->amounts.count; ++column)
        capacity += (2 + percentiles->count) * (strlen(reach->amounts.name[column]) + sizeof ",mean_") +
                    (percentiles->count ? strlen(percentiles->value) : 0);
    char *const columns = cli_allocate(capacity, 1);
    used = (size_t)snprintf(columns, capacity, "source");
    for (size_t column = 0; column < reach->amounts.count; ++column) {
        const char *const name = reach->amounts.name[column];
        used += (size_t)snprintf(columns + used, capacity - used, ",%s,mean_%s", name, name);
        for (size_t i = 0; i < percentiles->count; ++i)
            used += (size_t)snprintf(columns + used, capacity - used, ",p%s_%s", percentiles->text[i], name);
    }
    return columns;
}

static void write_access(reach_answer *reach)
{
    const cli_session *const session = reach->session;
    const macadam_reach *const found = &reach->found;
    const size_t columns = reach->amounts.count, percentiles = session->options->percentiles.count;
    mcd_records *const records = &reach->table.records;
    for (size_t source = 0, cell = 0; source < reach->source.count; ++source) {
        cli_table_place(&reach->table, &reach->source, source);
        for (size_t column = 0; column < columns; ++column, ++cell) {
            mcd_record_double(records, found->access[cell]);
            mcd_record_decimal(records, found->mean_cost[cell] / session->per_unit[0], DECIMALS);
            for (size_t i = 0; i < percentiles; ++i)
                mcd_record_cost(
                    records,
                    macadam_cost(found->percentile_cost[cell * percentiles + i], session->is_signed[0]),
                    session->per_unit[0]);
        }
        cli_table_end(&reach->table);
    }
}

/* Fails if two columns have one name. */
static int check_columns(const char *columns)
{
    for (const char *a = columns; a; a = strchr(a, ',')) {
        a += *a == ',';
        const size_t bytes = strcspn(a, ",");
        for (const char *b = strchr(a, ','); b; b = strchr(b + 1, ','))
            if (strncmp(a, b + 1, bytes) == 0 && strcspn(b + 1, ",") == bytes)
                return cli_fail_usage("--opportunities: two columns of the answer are named \"%.*s\"",
                                      (int)bytes, a);
    }
    return CLI_DONE;
}

static int answer_access(reach_answer *reach)
{
    const cli_options *const options = reach->session->options;
    macadam_reach *const found = &reach->found;
    if (options->request.reach.nearest_count || options->targets || options->values)
        return cli_fail_usage("--opportunities: not with --targets, --nearest or --values");
    CLI_TRY(cli_places_read(&reach->opportunity, &reach->amounts, reach->session, "opportunities",
                            options->opportunities));
    if (options->decay) CLI_TRY(cli_decay_read(&reach->decay, reach->session));
    CLI_TRY(read_percentiles(reach));
    const size_t percentiles = options->percentiles.count, each = 2 + percentiles;
    if (reach->amounts.count * each > FIELDS_MAX)
        return cli_fail_usage("--opportunities %s: %zu columns with %zu numbers each, at most %d numbers",
                              options->opportunities, reach->amounts.count, each, FIELDS_MAX);
    const char *const columns_of_answer = access_columns(reach);
    CLI_TRY(check_columns(columns_of_answer));
    const size_t cells = reach->source.count * reach->amounts.count;
    found->access = cli_allocate(cells, sizeof *found->access);
    found->mean_cost = cli_allocate(cells, sizeof *found->mean_cost);
    if (percentiles)
        found->percentile_cost = cli_allocate(cells * percentiles, sizeof *found->percentile_cost);
    CLI_TRY(compute(reach));
    CLI_TRY(cli_table_open(&reach->table, reach->session,
                           &(cli_layout){.columns = columns_of_answer, .status_count = 1}));
    write_access(reach);
    return cli_table_close(&reach->table, CLI_DONE);
}

int cli_reach(const cli_session *session)
{
    const cli_options *const options = session->options;
    reach_answer answer = {.session = session, .target.what = "targets", .found = MACADAM_REACH_INIT},
                 *const reach = &answer;
    if (options->sources)
        CLI_TRY(cli_places_read(&reach->source, NULL, session, "sources", options->sources));
    else
        cli_places_all(&reach->source, session);
    if (options->targets)
        CLI_TRY(cli_places_read(&reach->target, NULL, session, "targets", options->targets));
    if (options->values) CLI_TRY(read_values(&reach->value, session));
    cli_session_head(session, reach->source.place, reach->source.count);
    if (options->opportunities) return answer_access(reach);
    return options->request.reach.nearest_count ? answer_nearest(reach, options->request.reach.nearest_count)
                                                : answer_limits(reach);
}
