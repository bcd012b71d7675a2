/* traces.c - see traces.h. */
#include "bindings/cli/traces.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/trace_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FIRST_POINTS = 1024, FIRST_TRACES = 16 };

macadam_trace_point cli_trace_point_unknown(void)
{
    return (macadam_trace_point){.lon = NAN, .lat = NAN, .time_s = NAN};
}

void cli_traces_begin(cli_traces *traces, const char *name, size_t bytes)
{
    if (traces->trace_count == traces->trace_capacity) {
        const size_t capacity = traces->trace_capacity ? 2 * traces->trace_capacity : FIRST_TRACES;
        traces->first = cli_reallocate(traces->first, capacity + 1, sizeof *traces->first);
        traces->name = cli_reallocate(traces->name, capacity, sizeof *traces->name);
        traces->trace_capacity = capacity;
    }
    char *const copy = cli_allocate(bytes + 1, 1);
    if (bytes) memcpy(copy, name, bytes);
    traces->name[traces->trace_count] = copy;
    traces->first[traces->trace_count] = traces->count;
    traces->first[++traces->trace_count] = traces->count;
}

void cli_traces_add(cli_traces *traces, const macadam_trace_point *point)
{
    if (traces->count == traces->capacity) {
        traces->capacity = traces->capacity ? 2 * traces->capacity : FIRST_POINTS;
        traces->point = cli_reallocate(traces->point, traces->capacity, sizeof *traces->point);
    }
    traces->point[traces->count++] = *point;
    traces->first[traces->trace_count] = traces->count;
}

static bool has_extension(const char *path, const char *extension)
{
    const char *const dot = strrchr(path, '.');
    return dot && strcasecmp(dot + 1, extension) == 0;
}

int cli_traces_read(cli_traces *out, const char *path)
{
    cli_csv file;
    *out = (cli_traces){0};
    int status = cli_csv_open(&file, path);
    if (status != CLI_DONE) return status;
    if (has_extension(path, "gpx"))
        status = cli_trace_read_gpx(out, &file);
    else if (has_extension(path, "geojson") || has_extension(path, "json"))
        status = cli_trace_read_geojson(out, &file);
    else
        status = cli_trace_read_csv(out, &file);
    if (status == CLI_DONE && out->count == 0) status = cli_fail_usage("%s: no points", file.path);
    cli_csv_close(&file);
    return status;
}

void cli_traces_free(cli_traces *traces)
{
    for (size_t t = 0; t < traces->trace_count; ++t) free(traces->name[t]);
    free(traces->name);
    free(traces->first);
    free(traces->point);
}
