/* rates.c - see rates.h. */
#include "engine/runtime/rates.h"

#include "engine/base/system/platform.h"
#include "engine/base/types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 256, COLUMNS = 6 };
static const double femtoseconds = 1e6; /* of a nanosecond */

/* One NVIDIA H100 beside 16 threads of a Xeon, NE: `macadam bench ne.mcd --calibrate`, rounded; customization on the device
 * without the host's part of an update, and a device opened beside others. The device's times of trees, reach, few pairs and
 * hops, and all of matrices, fit H200s and the maps NE, New York and Milan (docs/benchmarks/gpu.md). */
static const mcd_rates built_in = {{
    [MCD_RATED_TREES] = {{150000000000, 3200000, 0}, {180000000000, 86000, 0}},
    [MCD_RATED_LANES] = {{0, 7100000, 0}, {200000000000, 54000, 0}},
    [MCD_RATED_REACH] = {{0, 385000, 0}, {200000000000, 3050, 0}},
    [MCD_RATED_MATRIX] = {{10000000000, 31800, 3600000}, {35000000000, 260000, 103000}},
    [MCD_RATED_ROUTES] = {{300000000, 5700000, 0}, {70000000000, 164000, 0}},
    [MCD_RATED_PATHS] = {{24500000000, 5700000, 19200000}, {200000000000, 164000, 305000}},
    [MCD_RATED_SEARCHES] = {{0, 17700000, 0}, {3000000000000, 298000, 0}},
    [MCD_RATED_HOPS] = {{0, 13700000, 0}, {480000000000, 825000, 0}},
    [MCD_RATED_DENSE] = {{5000000000, 50000, 0}, {1000000000000, 100, 200000}},
    [MCD_RATED_CUSTOMIZE] = {{0, 280000000, 0}, {0, 1050000, 0}},
    [MCD_RATED_OPEN] = {{0, 0, 0}, {320000000000000, 0, 0}},
    [MCD_RATED_PLACE] = {{0, 0, 0}, {0, 25000000, 0}},
}};

/* ---- the file ---- */

static macadam_status read_line(mcd_rates *out, char *line, const char *path, size_t number,
                                macadam_error *error)
{
    char *rest = NULL;
    const char *const name = strtok_r(line, ",\r\n", &rest);
    size_t row = 1;
    if (!name || strcmp(name, "question") == 0) return MACADAM_OK;
    while (row < MCD_RATED_COUNT && strcmp(mcd_rated_name((mcd_rated)row), name) != 0) ++row;
    if (row == MCD_RATED_COUNT)
        return mcd_fail(error, MACADAM_E_FILE, "%s, line %zu: no question \"%s\"", path, number, name);
    uint64_t value[COLUMNS];
    for (size_t i = 0; i < COLUMNS; ++i) {
        const char *const text = strtok_r(NULL, ",\r\n", &rest);
        char *end = NULL;
        errno = 0;
        if (text && text[0] >= '0' && text[0] <= '9') value[i] = strtoull(text, &end, 10);
        if (!end || *end || errno)
            return mcd_fail(error, MACADAM_E_FILE, "%s, line %zu: \"%s\" is not a number of femtoseconds",
                            path, number, text ? text : "");
    }
    if (strtok_r(NULL, ",\r\n", &rest))
        return mcd_fail(error, MACADAM_E_FILE, "%s, line %zu: more than %d numbers", path, number, COLUMNS);
    memcpy(&out->of[row], value, sizeof value);
    return MACADAM_OK;
}
static_assert(sizeof(mcd_rate) == COLUMNS * sizeof(uint64_t), "a rate is a row of numbers");

macadam_status mcd_rates_load(mcd_rates *out, macadam_error *error)
{
    const char *const path = mcd_platform_variable("MACADAM_RATES");
    char line[LINE_BYTES];
    *out = built_in;
    if (!path || !path[0]) return MACADAM_OK;
    FILE *const file = fopen(path, "r");
    if (!file) return mcd_fail(error, MACADAM_E_IO, "MACADAM_RATES: %s: %s", path, strerror(errno));
    macadam_status status = MACADAM_OK;
    for (size_t number = 1; !status && fgets(line, sizeof line, file); ++number)
        status = strlen(line) + 1 == sizeof line && line[sizeof line - 2] != '\n'
                     ? mcd_fail(error, MACADAM_E_FILE, "%s, line %zu is longer than %d bytes", path, number,
                                LINE_BYTES - 2)
                     : read_line(out, line, path, number, error);
    if (!status && ferror(file)) status = mcd_fail(error, MACADAM_E_IO, "%s cannot be read", path);
    fclose(file);
    return status;
}

/* ---- the model ---- */

double mcd_rates_host_ns(const mcd_rates *rates, const mcd_amount *amount, const mcd_extent *map,
                         unsigned threads, double *work_ns)
{
    const mcd_rate *const rate = &rates->of[amount->rated];
    const double fixed = (double)rate->host.fixed / femtoseconds,
                 work = (mcd_amount_steps_on(false, amount, map) * (double)rate->host.step +
                         mcd_amount_answers(amount, map) * (double)rate->host.answer) /
                        femtoseconds;
    if (work_ns) *work_ns = fixed + work;
    return fixed + work / mcd_amount_threads(amount, threads);
}

double mcd_rates_device_ns(const mcd_rates *rates, const mcd_amount *amount, const mcd_extent *map)
{
    const mcd_rate *const rate = &rates->of[amount->rated];
    return ((double)rate->device.fixed + mcd_amount_steps_on(true, amount, map) * (double)rate->device.step +
            mcd_amount_answers(amount, map) * (double)rate->device.answer) /
           femtoseconds;
}
