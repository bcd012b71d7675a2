/* vehicle.c - see vehicle.h. Only basic arithmetic is used, so that every machine gets the same bits. */
#include "importers/osm/rules/vehicle.h"

#include "importers/base/lines.h"
#include "engine/base/memory.h"
#include "importers/osm/rules/tag_number.h"

#include <math.h>

static const double gravity = 9.81, air_half = 0.6; /* m/s^2; half of 1.2 kg/m^3 */
static const double j_per_mwh = 3.6;
static const double borne_max_kg = 39000; /* recuperation times mass: the potential of 10 km fits */

static const mcd_vehicle usual = {.mass_kg = 2000,
                                  .drag_m2 = 0.63,
                                  .rolling = 0.01,
                                  .efficiency = 0.85,
                                  .recuperation = 0.65,
                                  .auxiliary_w = 500};

static const struct {
    const char *name;
    size_t slot;
    double least, most;
} setting[] = {
    {"mass", offsetof(mcd_vehicle, mass_kg), 1, 60000},
    {"drag", offsetof(mcd_vehicle, drag_m2), 0, 20},
    {"rolling", offsetof(mcd_vehicle, rolling), 0, 0.1},
    {"efficiency", offsetof(mcd_vehicle, efficiency), 0.1, 1},
    {"recuperation", offsetof(mcd_vehicle, recuperation), 0, 1},
    {"auxiliary", offsetof(mcd_vehicle, auxiliary_w), 0, 50000},
};
enum { SETTINGS = sizeof setting / sizeof setting[0] };

/* ---- files ---- */

static macadam_status read_line(mcd_vehicle *vehicle, const mcd_lines *lines, char *line, unsigned *seen,
                                macadam_error *error)
{
    char text[256], *rest = text;
    size_t i = 0;
    if (strlen(line) >= sizeof text) return mcd_lines_fail(lines, error, "a line that is too long");
    strcpy(text, line); /* messages show the line as it is */
    text[strcspn(text, "#")] = '\0';
    const char *const name = mcd_lines_word(&rest), *value = mcd_lines_word(&rest), *end;
    if (!name) return MACADAM_OK;
    if (!value) value = "";
    while (i < SETTINGS && strcmp(name, setting[i].name) != 0) ++i;
    if (i == SETTINGS)
        return mcd_lines_fail(
            lines, error, "\"%s\" is none of mass, drag, rolling, efficiency, recuperation, auxiliary", name);
    if (*seen >> i & 1) return mcd_lines_fail(lines, error, "a second %s", name);
    *seen |= 1u << i;
    const double number = mcd_tag_decimal(value, &end);
    if (end == value || *end) return mcd_lines_fail(lines, error, "\"%s\" is not a number", value);
    if (!(number >= setting[i].least && number <= setting[i].most))
        return mcd_lines_fail(lines, error, "%s %s is not from %g to %g", name, value, setting[i].least,
                              setting[i].most);
    if (mcd_lines_word(&rest)) return mcd_lines_fail(lines, error, "more than a name and a number");
    memcpy((char *)vehicle + setting[i].slot, &number, sizeof number);
    return MACADAM_OK;
}

macadam_status mcd_vehicle_read(mcd_vehicle *out, const char *path, macadam_error *error)
{
    MCD_FREED_BY(mcd_lines_close) mcd_lines lines = {0};
    unsigned seen = 0;
    *out = usual;
    MCD_TRY(mcd_lines_open(&lines, path, error));
    for (;;) {
        char *line;
        MCD_TRY(mcd_lines_next(&lines, &line, error));
        if (!line) break;
        MCD_TRY(read_line(out, &lines, line, &seen, error));
    }
    if (out->mass_kg * out->recuperation <= borne_max_kg) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_FILE, "%s: mass %g times recuperation %g is above %g kg", lines.path,
                    out->mass_kg, out->recuperation, borne_max_kg);
}

/* ---- energy ---- */

int32_t mcd_vehicle_potential(const mcd_vehicle *vehicle, int32_t height_dm)
{
    const double per_dm = vehicle->recuperation * vehicle->mass_kg * gravity / 10 / j_per_mwh;
    return (int32_t)floor(per_dm * height_dm);
}

double mcd_vehicle_piece_j(const mcd_vehicle *vehicle, double metres, double rise_m, double speed_ms)
{
    const double weight_n = vehicle->mass_kg * gravity;
    const double level_n = weight_n * vehicle->rolling + air_half * vehicle->drag_m2 * speed_ms * speed_ms;
    const double wheels_j = level_n * metres + weight_n * rise_m;
    return wheels_j > 0 ? wheels_j / vehicle->efficiency : wheels_j * vehicle->recuperation;
}

mcd_weight mcd_vehicle_weight(const mcd_vehicle *vehicle, double pieces_j, double seconds,
                              int64_t potential_rise)
{
    const double mwh = ceil((pieces_j + vehicle->auxiliary_w * seconds) / j_per_mwh) - (double)potential_rise;
    if (!(mwh > 0)) return 0; /* below it only because floating-point numbers are rounded */
    return mwh < MCD_WEIGHT_MAX ? (mcd_weight)mwh : MCD_WEIGHT_MAX;
}
