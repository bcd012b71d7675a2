/* conditions.c - see conditions.h. */
#include "bindings/cli/input/conditions.h"
#include "bindings/cli/input/csv.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"

#include <string.h>

enum { FLAGS_BYTES = 256 };

/* ---- --avoid ---- */

static int fail_flag(const char *value, const char *name)
{
    char names[FLAGS_BYTES] = "";
    for (unsigned flag = 1; macadam_road_flag_name((macadam_road_flag)flag); flag *= 2)
        strcat(strcat(names, flag > 1 ? ", " : ""), macadam_road_flag_name((macadam_road_flag)flag));
    return cli_fail_usage("--avoid %s: \"%s\" is none of %s", value, name, names);
}

/* ---- --factor ---- */

static int read_factor(cli_conditions *out, const char *value, const char *text)
{
    macadam_class_factor *const factor = &out->factor[out->conditions.factor_count++];
    const size_t bytes = strcspn(text, "=");
    char *const name = cli_allocate(bytes + 1, 1);
    factor->road_class = memcpy(name, text, bytes);
    if (bytes > 0 && text[bytes] &&
        mcd_number_decimal(text + bytes + 1, strlen(text + bytes + 1), &factor->factor))
        return CLI_DONE;
    return cli_fail_usage("--factor %s: \"%s\" is not CLASS=NUMBER", value, text);
}

/* ---- --avoid-area ---- */

static int fail_area(const char *path, const char *what)
{
    return cli_fail_usage("--avoid-area %s: %s", path, what);
}

/* Appends a GeoJSON polygon: an array of rings, each an array of positions. */
static int add_polygon(cli_conditions *out, const char *path, const cJSON *polygon)
{
    const cJSON *ring, *position;
    size_t point_count = 0, ring_count = 0, i = 0;
    cJSON_ArrayForEach(ring, polygon) point_count += (size_t)cJSON_GetArraySize(ring);
    double *const lon = cli_allocate(2 * point_count, sizeof *lon), *const lat = lon + point_count;
    size_t *const size = cli_allocate((size_t)cJSON_GetArraySize(polygon), sizeof *size);
    out->area = cli_reallocate(out->area, out->conditions.area_count + 1, sizeof *out->area);
    cJSON_ArrayForEach(ring, polygon)
    {
        size[ring_count++] = (size_t)cJSON_GetArraySize(ring);
        cJSON_ArrayForEach(position, ring)
        {
            const cJSON *const x = cJSON_GetArrayItem(position, 0), *const y =
                                                                        cJSON_GetArrayItem(position, 1);
            if (!cJSON_IsNumber(x) || !cJSON_IsNumber(y))
                return fail_area(path, "a position is not [lon, lat]");
            lon[i] = x->valuedouble;
            lat[i++] = y->valuedouble;
        }
    }
    out->area[out->conditions.area_count++] = (macadam_area){
        .lon = lon, .lat = lat, .point_count = point_count, .ring_size = size, .ring_count = ring_count};
    return CLI_DONE;
}

/* Appends the polygons of any GeoJSON object. */
static int add_object(cli_conditions *out, const char *path, const cJSON *object)
{
    static const char *const members[] = {"features", "geometries"};
    const char *const type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, "type"));
    const cJSON *const coordinates = cJSON_GetObjectItemCaseSensitive(object, "coordinates");
    const cJSON *item;
    if (!type) return fail_area(path, "a JSON object without a type is not GeoJSON");
    if (strcmp(type, "Feature") == 0) {
        item = cJSON_GetObjectItemCaseSensitive(object, "geometry");
        return cJSON_IsNull(item) ? CLI_DONE : add_object(out, path, item); /* null: it has no place */
    }
    if (strcmp(type, "Polygon") == 0) return add_polygon(out, path, coordinates);
    if (strcmp(type, "MultiPolygon") == 0) {
        cJSON_ArrayForEach(item, coordinates) CLI_TRY(add_polygon(out, path, item));
        return CLI_DONE;
    }
    for (size_t i = 0; i < sizeof members / sizeof *members; ++i) {
        const cJSON *const list = cJSON_GetObjectItemCaseSensitive(object, members[i]);
        cJSON_ArrayForEach(item, list) CLI_TRY(add_object(out, path, item));
        if (list) return CLI_DONE;
    }
    return fail_area(path, "there are geometries that are not polygons");
}

/* ---- */

int cli_conditions_read(cli_conditions *out, const cli_options *options)
{
    *out = (cli_conditions){.conditions = options->request.conditions};
    out->factor = cli_allocate(options->request.factors.count, sizeof *out->factor);
    out->conditions.factor = out->factor;
    const mcd_texts *const avoid = &options->request.avoid;
    for (size_t i = 0; i < avoid->count; ++i) {
        const uint32_t flag = mcd_option_flag(avoid->text[i], strlen(avoid->text[i]));
        if (!flag) return fail_flag(avoid->value, avoid->text[i]);
        out->conditions.avoid |= flag;
    }
    for (size_t i = 0; i < options->request.factors.count; ++i)
        CLI_TRY(read_factor(out, options->request.factors.value, options->request.factors.text[i]));
    for (size_t i = 0; i < options->request.areas.count; ++i) {
        const char *const path = options->request.areas.text[i];
        cli_csv file; /* only its text */
        CLI_TRY(cli_csv_open(&file, path, NULL));
        cJSON *json;
        CLI_TRY(cli_csv_json(&file, &json));
        const int status = add_object(out, path, json);
        cJSON_Delete(json);
        CLI_TRY(status);
    }
    out->conditions.area = out->area;
    return CLI_DONE;
}
