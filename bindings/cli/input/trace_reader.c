/* trace_reader.c - see trace_reader.h. */
#include "bindings/cli/input/trace_reader.h"
#include "bindings/cli/output/failure.h"

#include <string.h>
#include <strings.h>

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
    return status;
}
