/* problem.c - see problem.h. */
#include "bindings/cli/problem.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/output.h"

#include <string.h>

static const char *matrix_name(cli_format format, const char *quantity)
{
    if (strcmp(quantity, "duration") == 0) return format == CLI_VROOM ? "durations" : "time_matrix";
    if (strcmp(quantity, "distance") == 0) return format == CLI_VROOM ? "distances" : "distance_matrix";
    return format == CLI_VROOM ? "costs" : "cost_matrix";
}

/* Half units away from 0. */
static int64_t rounded(int64_t cost, uint32_t per_unit)
{
    const int64_t half = per_unit / 2;
    if (cost == MACADAM_COST_NONE) return CLI_PROBLEM_UNREACHED;
    return (cost < 0 ? cost - half : cost + half) / per_unit;
}

/* "name":[[cost,...],...] */
static void write_matrix(cli_output *output, const char *name, const uint32_t *value, size_t count,
                         uint32_t per_unit, bool is_signed)
{
    cli_output_format(output, "\"%s\":[", name);
    for (size_t row = 0; row < count; ++row) {
        cli_output_text(output, row ? ",\n[" : "\n[");
        for (size_t column = 0; column < count; ++column) {
            if (column) cli_output_text(output, ",");
            const int64_t cost = macadam_cost(value[row * count + column], is_signed);
            mcd_text_integer(&output->text, rounded(cost, per_unit));
        }
        cli_output_text(output, "]");
    }
    cli_output_text(output, "]");
}

static void write_matrices(cli_output *output, const cli_session *session, const cli_options *options,
                           size_t count, const uint32_t *const *value)
{
    for (size_t q = 0; q < session->quantity_count; ++q) {
        if (q) cli_output_text(output, ",");
        write_matrix(output, matrix_name(options->format, session->quantity[q]), value[q], count,
                     session->per_unit[q], session->is_signed[q]);
    }
}

static void write_job(cli_output *output, const cli_places *places, size_t i)
{
    const cli_name name = cli_place_name(places->place, places->name, i);
    cli_output_format(output, "%s\n{\"id\":%zu,\"location_index\":%zu,\"description\":", i > 1 ? "," : "", i,
                      i);
    if (name.text.text)
        mcd_text_quoted(&output->text, name.text.text, name.text.bytes);
    else
        cli_output_format(output, "\"%lld\"", (long long)name.number);
    cli_output_text(output, "}");
}

static void write_vroom(cli_output *output, const cli_session *session, const cli_options *options,
                        const cli_places *places, const uint32_t *const *value)
{
    cli_output_text(output, "{\"vehicles\":[{\"id\":1,\"start_index\":0,\"end_index\":0}],\n\"jobs\":[");
    for (size_t i = 1; i < places->count; ++i) write_job(output, places, i);
    cli_output_text(output, "],\n\"matrices\":{\"car\":{");
    write_matrices(output, session, options, places->count, value);
    cli_output_text(output, "}}}\n");
}

int cli_problem_write(const cli_session *session, const cli_options *options, const cli_places *places,
                      const uint32_t *const *value)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, options->output));
    if (options->format == CLI_VROOM) {
        write_vroom(&output, session, options, places, value);
    } else {
        cli_output_text(&output, "{");
        write_matrices(&output, session, options, places->count, value);
        cli_output_text(&output, ",\n\"num_vehicles\":1,\"depot\":0}\n");
    }
    return cli_output_close(&output, CLI_DONE);
}
