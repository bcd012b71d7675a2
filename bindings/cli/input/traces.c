/* traces.c - see traces.h. */
#include "bindings/cli/input/traces.h"
#include "bindings/cli/output/failure.h"

#include <math.h>
#include <string.h>

macadam_trace_point cli_trace_point_unknown(void)
{
    return (macadam_trace_point){.lon = NAN, .lat = NAN, .time_s = NAN};
}

void cli_traces_begin(cli_traces *traces, const char *name, size_t bytes)
{
    traces->first = cli_grow(traces->first, traces->trace_count + 1, sizeof *traces->first);
    traces->name = cli_grow(traces->name, traces->trace_count, sizeof *traces->name);
    char *const copy = cli_allocate(bytes + 1, 1);
    if (bytes) memcpy(copy, name, bytes);
    traces->name[traces->trace_count] = copy;
    traces->first[traces->trace_count] = traces->count;
    traces->first[++traces->trace_count] = traces->count;
}

void cli_traces_add(cli_traces *traces, const macadam_trace_point *point)
{
    traces->point = cli_grow(traces->point, traces->count, sizeof *traces->point);
    traces->point[traces->count++] = *point;
    traces->first[traces->trace_count] = traces->count;
}

int cli_traces_read(cli_traces *out, const char *path)
{
    cli_csv file;
    *out = (cli_traces){0};
    CLI_TRY(cli_csv_open(&file, path, NULL));
    size_t first = file.next;
    while (first < file.bytes && strchr(" \t\r\n", file.text[first])) ++first;
    const char begin = first < file.bytes ? file.text[first] : '\0';
    if (begin == '<')
        CLI_TRY(cli_trace_read_gpx(out, &file));
    else if (begin == '{' || begin == '[')
        CLI_TRY(cli_trace_read_geojson(out, &file));
    else
        CLI_TRY(cli_trace_read_csv(out, &file));
    return out->count > 0 ? CLI_DONE : cli_fail_usage("%s: no points", file.path);
}
