/* trace_geojson.c - the lines of a GeoJSON file as traces. */
#include "bindings/cli/output/failure.h"
#include "bindings/cli/input/timestamp.h"
#include "bindings/cli/input/traces.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

enum { NUMBER_BYTES = 32 };

typedef struct geojson_reader {
    const cli_csv *file;
    cli_traces *traces;
} geojson_reader;

static int fail(const geojson_reader *reader, const char *what)
{
    return cli_fail_usage("%s: trace %zu, point %zu: %s", reader->file->path, reader->traces->trace_count,
                          reader->traces->count - reader->traces->first[reader->traces->trace_count - 1],
                          what);
}

static int take_time(const geojson_reader *reader, const cJSON *time, double *out)
{
    if (!time || cJSON_IsNull(time)) return CLI_DONE;
    if (cJSON_IsNumber(time))
        *out = time->valuedouble;
    else if (!cJSON_IsString(time) || !cli_timestamp_read(time->valuestring, strlen(time->valuestring), out))
        return fail(reader, "its time is neither seconds nor a timestamp of ISO 8601");
    return CLI_DONE;
}

/* A line and its times (NULL: none), of which it may have fewer. */
static int take_line(const geojson_reader *reader, const cJSON *line, const cJSON *times, const char *name)
{
    const cJSON *position, *time = times ? times->child : NULL;
    char number[NUMBER_BYTES];
    snprintf(number, sizeof number, "%zu", reader->traces->trace_count);
    cli_traces_begin(reader->traces, name ? name : number, strlen(name ? name : number));
    if (times && !cJSON_IsArray(times) && !cJSON_IsNull(times))
        return fail(reader, "the times of its line are not a list");
    cJSON_ArrayForEach(position, line)
    {
        macadam_trace_point point = cli_trace_point_unknown();
        const cJSON *const lon = cJSON_GetArrayItem(position, 0), *const lat =
                                                                      cJSON_GetArrayItem(position, 1);
        if (!cJSON_IsNumber(lon) || !cJSON_IsNumber(lat)) return fail(reader, "no position");
        point.lon = lon->valuedouble;
        point.lat = lat->valuedouble;
        CLI_TRY(take_time(reader, time, &point.time_s));
        if (time) time = time->next;
        cli_traces_add(reader->traces, &point);
    }
    return CLI_DONE;
}

static const cJSON *times_of(const cJSON *properties)
{
    const cJSON *const of_points = cJSON_GetObjectItemCaseSensitive(properties, "coordinateProperties");
    const cJSON *times = cJSON_GetObjectItemCaseSensitive(properties, "coordTimes");
    if (!times) times = cJSON_GetObjectItemCaseSensitive(properties, "times");
    return times ? times : cJSON_GetObjectItemCaseSensitive(of_points, "times");
}

static int take_geometry(const geojson_reader *reader, const cJSON *geometry, const cJSON *properties)
{
    const cJSON *const type = cJSON_GetObjectItemCaseSensitive(geometry, "type");
    const cJSON *const coordinates = cJSON_GetObjectItemCaseSensitive(geometry, "coordinates");
    const cJSON *const name = cJSON_GetObjectItemCaseSensitive(properties, "name");
    const cJSON *const times = times_of(properties);
    const char *const called = cJSON_IsString(name) ? name->valuestring : NULL;
    const cJSON *line, *part = times ? times->child : NULL;
    if (!cJSON_IsString(type)) return CLI_DONE;
    if (strcmp(type->valuestring, "LineString") == 0) return take_line(reader, coordinates, times, called);
    if (strcmp(type->valuestring, "MultiLineString") != 0) return CLI_DONE;
    cJSON_ArrayForEach(line, coordinates)
    {
        CLI_TRY(take_line(reader, line, cJSON_IsArray(times) ? part : times, called));
        if (part) part = part->next;
    }
    return CLI_DONE;
}

static int take_object(const geojson_reader *reader, const cJSON *object)
{
    const cJSON *const features = cJSON_GetObjectItemCaseSensitive(object, "features");
    const cJSON *const geometry = cJSON_GetObjectItemCaseSensitive(object, "geometry");
    const cJSON *feature;
    if (!features)
        return take_geometry(reader, geometry ? geometry : object,
                             cJSON_GetObjectItemCaseSensitive(object, "properties"));
    cJSON_ArrayForEach(feature, features)
    {
        CLI_TRY(take_geometry(reader, cJSON_GetObjectItemCaseSensitive(feature, "geometry"),
                              cJSON_GetObjectItemCaseSensitive(feature, "properties")));
    }
    return CLI_DONE;
}

int cli_trace_read_geojson(cli_traces *out, const cli_csv *file)
{
    const geojson_reader reader = {file, out};
    cJSON *json;
    CLI_TRY(cli_csv_json(file, &json));
    const int status = take_object(&reader, json);
    cJSON_Delete(json);
    return status;
}
