/* solver_input.c - see solver_input.h. */
#include "bindings/cli/output/solver_input.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/output.h"
#include "bindings/formats/solver.h"

static const char *matrix_name(mcd_format format, const char *quantity)
{
    if (strcmp(quantity, "duration") == 0) return format == MCD_VROOM ? "durations" : "time_matrix";
    if (strcmp(quantity, "distance") == 0) return format == MCD_VROOM ? "distances" : "distance_matrix";
    return format == MCD_VROOM ? "costs" : "cost_matrix";
}

/* Places and the costs between them. */
typedef struct solver_input {
    const cli_session *session;
    const cli_places *places;
    mcd_solver_costs costs[MACADAM_QUANTITIES_MAX];
    size_t *stop, count; /* the positions of the places that stay */
    bool has_gaps;       /* some of their cells have no path */
} solver_input;

/* ---- the stops that stay ---- */

static void tell_lost(const solver_input *input, size_t lost)
{
    const bool skips = input->session->options->unreachable == CLI_UNREACHABLE_SKIP;
    cli_warn("%zu of %zu stops %s: there is no path to or from the depot or another stop", lost,
             input->places->count, skips ? "are left out" : "cannot be reached");
    for (size_t i = 0, k = 0; i < input->places->count; ++i)
        if (k < input->count && input->stop[k] == i) {
            ++k;
        } else {
            const cli_places *const places = input->places;
            const macadam_place *const place = &places->place[i];
            const cli_name name = cli_place_name(places, i);
            if (name.text.text)
                cli_warn("  %s:%zu: %.*s", places->path, places->line[i], (int)name.text.bytes,
                         name.text.text);
            else if (place->kind == MACADAM_PLACE_POINT)
                cli_warn("  %s:%zu: %.7g,%.7g", places->path, places->line[i], place->lon, place->lat);
            else
                cli_warn("  %s:%zu: %lld", places->path, places->line[i], (long long)name.number);
        }
}

static int choose_stops(solver_input *input)
{
    const size_t all = input->places->count;
    input->stop = cli_allocate(all, sizeof *input->stop);
    input->count = mcd_solver_choose(&input->costs[0], input->stop);
    const size_t lost = all - input->count;
    if (lost > 0) tell_lost(input, lost);
    if (lost > 0 && input->session->options->unreachable == CLI_UNREACHABLE_FAIL)
        return cli_fail_usage("%zu of %zu stops cannot be reached, and --unreachable fail allows none", lost,
                              all);
    input->has_gaps = lost > 0 && input->session->options->unreachable == CLI_UNREACHABLE_COST;
    if (input->has_gaps)
        for (input->count = 0; input->count < all; ++input->count) input->stop[input->count] = input->count;
    if (lost > 0 && input->count == 1)
        return cli_fail(CLI_NO_ROUTE, "no route", "%s: no stop can be reached from the depot and back",
                        input->places->path);
    return CLI_DONE;
}

/* ---- what solvers can add ---- */

/* The largest cost of a cell. VROOM adds in 32 bits one for each stop and two for each vehicle; there may be as many
 * vehicles as stops if cells without a path have this cost, else there is one. */
static int64_t cost_max(const solver_input *input)
{
    if (input->session->options->format != MCD_VROOM) return (int64_t)MACADAM_WEIGHT_MAX + 1;
    return input->has_gaps ? mcd_solver_cost_max(input->count) : UINT32_MAX / (input->count + 1);
}

/* The largest of the costs times `sign`, at least 0, but for cells without a path. */
static int64_t largest_cost(const solver_input *input, size_t q, int sign)
{
    int64_t largest = 0;
    for (size_t row = 0; row < input->count; ++row)
        for (size_t column = 0; column < input->count; ++column) {
            const int64_t cost = mcd_solver_cost(&input->costs[q], input->stop[row], input->stop[column]);
            if (cost != MACADAM_COST_NONE && sign * cost > largest) largest = sign * cost;
        }
    return largest;
}

/* VROOM's costs are unsigned. It does not add distances. */
static int check_costs(const solver_input *input)
{
    const int64_t most = cost_max(input) - input->has_gaps;
    for (size_t q = 0; q < input->session->quantity_count; ++q) {
        const char *const name = input->session->quantity[q];
        const int64_t cost = strcmp(name, "distance") == 0 ? 0 : largest_cost(input, q, 1),
                      below = largest_cost(input, q, -1);
        if (below > 0)
            return cli_fail_usage("%s is -%lld between two stops: VROOM accepts no negative costs", name,
                                  (long long)below);
        if (cost > most)
            return cli_fail_usage("a %s of %lld is too high: of %zu stops, VROOM can add costs up to %lld",
                                  name, (long long)cost, input->count, (long long)most);
    }
    return CLI_DONE;
}

/* ---- writing ---- */

static void write_matrices(cli_output *output, const solver_input *input)
{
    for (size_t q = 0; q < input->session->quantity_count; ++q) {
        if (q) cli_output_text(output, ",");
        /* "name":[[cost,...],...] */
        const int64_t none = cost_max(input);
        cli_output_format(output, "\"%s\":[",
                          matrix_name(input->session->options->format, input->session->quantity[q]));
        for (size_t row = 0; row < input->count; ++row) {
            cli_output_text(output, row ? ",\n[" : "\n[");
            for (size_t column = 0; column < input->count; ++column) {
                const int64_t cost = mcd_solver_cost(&input->costs[q], input->stop[row], input->stop[column]);
                if (column) cli_output_text(output, ",");
                mcd_text_integer(&output->text, cost == MACADAM_COST_NONE ? none : cost);
            }
            cli_output_text(output, "]");
        }
        cli_output_text(output, "]");
    }
}

static void write_job(cli_output *output, const solver_input *input, size_t index)
{
    const size_t i = input->stop[index];
    const cli_name name = cli_place_name(input->places, i);
    cli_output_format(output, "%s\n{\"id\":%zu,\"location_index\":%zu,\"description\":", index > 1 ? "," : "",
                      i, index);
    if (name.text.text)
        mcd_text_quoted(&output->text, name.text.text, name.text.bytes);
    else
        cli_output_format(output, "\"%lld\"", (long long)name.number);
    cli_output_text(output, "}");
}

static void write_vroom(cli_output *output, const solver_input *input)
{
    cli_output_text(output, "{\"vehicles\":[{\"id\":1,\"start_index\":0,\"end_index\":0}],\n\"jobs\":[");
    for (size_t i = 1; i < input->count; ++i) write_job(output, input, i);
    cli_output_text(output, "],\n\"matrices\":{\"car\":{");
    write_matrices(output, input);
    cli_output_text(output, "}}}\n");
}

static void write_ortools(cli_output *output, const solver_input *input)
{
    const bool skips = input->count < input->places->count;
    cli_output_text(output, "{");
    write_matrices(output, input);
    cli_output_text(output, ",\n\"num_vehicles\":1,\"depot\":0");
    for (size_t i = 0; skips && i < input->count; ++i)
        cli_output_format(output, "%s%zu", i ? "," : ",\"stops\":[", input->stop[i]);
    cli_output_text(output, skips ? "]}\n" : "}\n");
}

int cli_solver_input_write(const cli_session *session, const cli_places *places, const uint32_t *const *value,
                           const char *path)
{
    const cli_options *const options = session->options;
    solver_input input = {.session = session, .places = places};
    cli_output output = {0};
    for (size_t q = 0; q < session->quantity_count; ++q)
        input.costs[q] =
            (mcd_solver_costs){value[q], places->count, session->per_unit[q], session->is_signed[q]};
    int status = choose_stops(&input);
    if (status == CLI_DONE && options->format == MCD_VROOM) status = check_costs(&input);
    if (status == CLI_DONE) status = cli_output_open(&output, path);
    if (status == CLI_DONE) (options->format == MCD_VROOM ? write_vroom : write_ortools)(&output, &input);
    return cli_output_close(&output, status);
}
