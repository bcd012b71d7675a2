/* osrm_traffic.c - see osrm_traffic.h. (https://github.com/Project-OSRM/osrm-backend/wiki/Traffic) */
#include "bindings/cli/input/osrm_traffic.h"
#include "bindings/cli/command.h"

#include <math.h>

/* Reads the ids that a line begins with and the number after them. */
static int take_line(cli_osrm *out, const cli_csv *csv, int64_t *id, size_t id_count, double *number)
{
    if (mcd_speeds_read(id, id_count, number, csv->field, csv->field_count, &cli_error) != MACADAM_OK)
        return cli_fail_usage("%s:%zu: %s", csv->path, csv->line, cli_error.message);
    out->ignores |= csv->field_count > id_count + 1;
    ++out->entry_count;
    return CLI_DONE;
}

int cli_osrm_turns(cli_osrm *out, cli_csv *csv, const cli_session *session)
{
    (void)session;
    const size_t capacity = 1 + cli_csv_lines_left(csv);
    out->from = cli_allocate(capacity, sizeof *out->from);
    out->via = cli_allocate(capacity, sizeof *out->via);
    out->to = cli_allocate(capacity, sizeof *out->to);
    out->value = cli_allocate(capacity, sizeof *out->value);
    do {
        int64_t id[3];
        double seconds;
        CLI_TRY(take_line(out, csv, id, 3, &seconds));
        out->from[out->count] = id[0], out->via[out->count] = id[1], out->to[out->count] = id[2];
        out->value[out->count++] = (uint32_t)llround(1000 * seconds);
    } while (cli_csv_next(csv));
    return csv->status;
}

int cli_osrm_segments(cli_osrm *out, cli_csv *csv, const cli_session *session)
{
    const size_t capacity = 1 + cli_csv_lines_left(csv);
    mcd_segment *const segment = cli_allocate(capacity, sizeof *segment);
    uint32_t *const changed = cli_allocate(capacity, sizeof *changed);
    mcd_speeds speeds;
    CLI_TRY(cli_done(mcd_speeds_open(&speeds, session->engine, &session->info, &cli_error)));
    do {
        int64_t id[2];
        double kmh;
        const uint32_t entry = (uint32_t)out->entry_count;
        CLI_TRY(take_line(out, csv, id, 2, &kmh));
        segment[entry] = (mcd_segment){id[0], id[1], kmh, entry};
    } while (cli_csv_next(csv));
    CLI_TRY(csv->status);
    CLI_TRY(cli_done(mcd_speeds_give(&speeds, segment, out->entry_count, changed, &cli_error)));
    for (size_t i = 0; i < out->entry_count; ++i) out->unknown_count += changed[i] == 0;
    return cli_done(mcd_speeds_durations(&speeds, &out->arc, &out->value, &out->count, &cli_error));
}

void cli_osrm_report(const cli_osrm *osrm, const cli_csv *csv, size_t unknown)
{
    unknown += osrm->unknown_count;
    if (unknown > 0)
        cli_warn("%s: %zu of %zu entries are not on the map", csv->path, unknown, osrm->entry_count);
    if (osrm->ignores) cli_warn("%s: the last column is ignored: only durations change", csv->path);
}
