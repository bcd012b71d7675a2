/* decay.c - see decay.h. */
#include "bindings/cli/input/decay.h"

#include "bindings/cli/input/csv.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"
#include "bindings/formats/unit.h"

#include <string.h>

enum { COSTS_MAX = 2 };

/* The kinds by their numbers, and which members their costs are. */
static const struct {
    const char *name;
    bool has_cutoff, has_width;
} kinds[] = {
    [MACADAM_DECAY_STEP] = {"step", true, false},
    [MACADAM_DECAY_LINEAR] = {"linear", true, true},
    [MACADAM_DECAY_LOGISTIC] = {"logistic", true, true},
    [MACADAM_DECAY_EXPONENTIAL] = {"exponential", true, false},
    [MACADAM_DECAY_GAUSSIAN] = {"gaussian", false, true},
    [MACADAM_DECAY_TABLE] = {"table", false, false},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int read_table(macadam_decay *out, const cli_session *session, const char *path)
{
    cli_csv csv;
    size_t cost, weight;
    const cli_column column[] = {{"", "cost", &cost}, {"", "weight", &weight}};
    CLI_TRY(cli_csv_open(&csv, path, "header"));
    CLI_TRY(cli_csv_header(&csv, column, 2));
    if (cost == CLI_CSV_NO_COLUMN || weight == CLI_CSV_NO_COLUMN)
        return cli_csv_fail(&csv, &csv.field[0], "expected a header with the columns cost and weight");
    const size_t capacity = cli_csv_lines_left(&csv);
    double *const costs = cli_allocate(capacity, sizeof *costs), *const weights =
                                                                     cli_allocate(capacity, sizeof *weights);
    const char *const unit = cli_session_unit(session, session->query.metric);
    for (size_t i = 0; cli_csv_next(&csv); out->point_count = ++i) {
        const cli_field *const given = &csv.field[cost], *const share = &csv.field[weight];
        uint64_t number;
        if (mcd_unit_cost(given->text, given->bytes, unit, &number) != MCD_UNIT_OK)
            return cli_csv_fail(&csv, given, "not a cost");
        costs[i] = (double)number;
        if (i > 0 && costs[i] < costs[i - 1]) return cli_csv_fail(&csv, given, "a cost below the one before");
        if (!mcd_number_decimal(share->text, share->bytes, &weights[i]) || weights[i] < 0 || weights[i] > 1)
            return cli_csv_fail(&csv, share, "not a weight from 0 to 1");
    }
    out->cost = costs, out->weight = weights;
    return csv.status || out->point_count ? csv.status : cli_fail_usage("%s: there is no cost", csv.path);
}

/* Reads as many costs as the kind has. */
static int read_costs(macadam_decay *out, const cli_session *session, const char *text)
{
    const char *const value = session->options->decay;
    double *member[COSTS_MAX];
    size_t count = 0;
    if (kinds[out->kind].has_cutoff) member[count++] = &out->cutoff;
    if (kinds[out->kind].has_width) member[count++] = &out->width;
    for (size_t i = 0; i < count; ++i) {
        const size_t bytes = strcspn(text, ",");
        char *const part = cli_allocate(bytes + 1, 1);
        uint64_t cost;
        if ((text[bytes] == ',') != (i + 1 < count))
            return cli_fail_usage("--decay %s: %s has %zu cost%s", value, kinds[out->kind].name, count,
                                  count == 1 ? "" : "s");
        memcpy(part, text, bytes);
        CLI_TRY(cli_session_read_cost(session, "--decay", value, part, &cost));
        *member[i] = (double)cost;
        text += bytes + 1;
    }
    return CLI_DONE;
}

int cli_decay_read(macadam_decay *out, const cli_session *session)
{
    const char *const value = session->options->decay, *const colon = strchr(value, ':');
    *out = (macadam_decay)MACADAM_DECAY_INIT;
    for (size_t i = 0; colon && i < KINDS; ++i) {
        if (strlen(kinds[i].name) != (size_t)(colon - value) ||
            strncmp(value, kinds[i].name, (size_t)(colon - value)))
            continue;
        out->kind = (macadam_decay_kind)i;
        return i == MACADAM_DECAY_TABLE ? read_table(out, session, colon + 1)
                                        : read_costs(out, session, colon + 1);
    }
    return cli_fail_usage("--decay %s: expected step:, linear:, logistic:, exponential:, gaussian: or table:",
                          value);
}
