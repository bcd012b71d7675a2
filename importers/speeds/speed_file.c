/* speed_file.c - see speed_file.h. */
#include "importers/speeds/speed_file.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "importers/base/lines.h"
#include "importers/speeds/speed_cosines.h"
#include "importers/speeds/speed_text.h"

#include <stdlib.h>

enum { KMH_MAX = MCD_SPEED_MAX / 1000 };

/* Reads a line into the table; `context` is the reader's. Returns false if it does not parse. */
typedef bool (*take_line)(void *context, const char *line, macadam_status *status, macadam_error *error);

static macadam_status read_lines(const char *path, const char *header, const char *form, take_line take,
                                 void *context, macadam_error *error)
{
    MCD_FREED_BY(mcd_lines_close) mcd_lines lines = {0};
    macadam_error own = {""};
    char *line;
    MCD_TRY(mcd_lines_open(&lines, path, error));
    for (;;) {
        macadam_status status = MACADAM_OK;
        MCD_TRY(mcd_lines_next(&lines, &line, error));
        if (!line) return MACADAM_OK;
        if (!*line || (lines.number == 1 && header && strcmp(line, header) == 0)) continue;
        if (!take(context, line, &status, &own)) return mcd_lines_fail(&lines, error, "not %s", form);
        if (status == MACADAM_E_INVALID) return mcd_lines_fail(&lines, error, "%s", own.message);
        if (status) return mcd_fail(error, status, "%s", own.message);
    }
}

/* Reads a way and a direction. */
static bool take_way(const char **at, int64_t key[2])
{
    return mcd_speed_take_id(at, &key[0]) && mcd_speed_take(at, ',') && mcd_speed_take_id(at, &key[1]) &&
           key[1] >= -1 && key[1] <= 1 && mcd_speed_take(at, ',');
}

/* Adds a row, or the speeds of all slots of the week, to the directions that a line means. */
static macadam_status add_ways(mcd_speed_table *table, const mcd_speed_row *row, const uint32_t *kmh_e3,
                               size_t slot_count, macadam_error *error)
{
    mcd_speed_row way = *row;
    for (way.key[1] = -1; way.key[1] <= 1; way.key[1] += 2) {
        if (row->key[1] == -way.key[1]) continue;
        if (kmh_e3)
            MCD_TRY(mcd_speed_table_add_week(table, MCD_SPEED_OF_WAY, &way, kmh_e3, slot_count, error));
        else
            MCD_TRY(mcd_speed_table_add(table, MCD_SPEED_OF_WAY, &way, error));
    }
    return MACADAM_OK;
}

/* ---- way,direction,from,to,km/h ---- */

static bool take_plain(void *context, const char *at, macadam_status *status, macadam_error *error)
{
    mcd_speed_row row = {.is_clamped = false};
    uint16_t first, end;
    if (!take_way(&at, row.key) || !mcd_speed_take_days(&at, &row.days) ||
        !mcd_speed_take_time(&at, &first) || !mcd_speed_take(&at, ',') || !mcd_speed_take_time(&at, &end) ||
        !mcd_speed_take(&at, ',') || !mcd_speed_take_number(&at, KMH_MAX, &row.kmh_e3) ||
        !mcd_speed_take(&at, '\0') || first == MCD_SPEED_DAY_STEPS)
        return false;
    mcd_speed_range(&row, first, end);
    *status = add_ways(context, &row, NULL, 0, error);
    return true;
}

/* ---- OSRM ---- */

typedef struct slot_file {
    mcd_speed_table *table;
    mcd_speed_row when;
} slot_file;

/* Reads "Mo08:15", "Mo-Fr 07:00-09:30" or "Sa-Su", which end with `=`. */
static bool take_when(const char **at, mcd_speed_row *row)
{
    uint16_t first = 0, end = MCD_SPEED_DAY_STEPS;
    if (!mcd_speed_take_days(at, &row->days)) return false;
    if (!mcd_speed_take(at, '=')) {
        if (!mcd_speed_take_time(at, &first) || first == MCD_SPEED_DAY_STEPS) return false;
        end = first + MCD_SLOT_MINUTES / MCD_SPEED_STEP_MINUTES;
        if (mcd_speed_take(at, '-') && !mcd_speed_take_time(at, &end)) return false;
        if (!mcd_speed_take(at, '=')) return false;
    }
    mcd_speed_range(row, first, end);
    return true;
}

static bool take_pair(void *context, const char *at, macadam_status *status, macadam_error *error)
{
    const slot_file *const file = context;
    mcd_speed_row row = file->when;
    if (!mcd_speed_take_id(&at, &row.key[0]) || !mcd_speed_take(&at, ',') ||
        !mcd_speed_take_id(&at, &row.key[1]) || !mcd_speed_take(&at, ',') ||
        !mcd_speed_take_number(&at, KMH_MAX, &row.kmh_e3) ||
        !(mcd_speed_take(&at, ',') || mcd_speed_take(&at, '\0')))
        return false;
    *status = mcd_speed_table_add(file->table, MCD_SPEED_OF_PAIR, &row, error);
    return true;
}

static macadam_status read_slot(mcd_speed_table *table, const char *name, const char *when,
                                macadam_error *error)
{
    slot_file file = {.table = table};
    if (!take_when(&when, &file.when))
        return mcd_fail_invalid(
            error, "\"%s\": not osrm:WHEN=FILE, where WHEN is such as Mo08:15 or Mo-Fr 07:00-09:30", name);
    return read_lines(when, NULL, "from_node,to_node,km/h", take_pair, &file, error);
}

/* ---- base speeds and factors ---- */

enum { FACTORS_MAX = MCD_SPEED_DAY_STEPS, FACTOR_MAX = 1000 };

typedef struct factor_row {
    int64_t profile;
    uint32_t factor_e3[FACTORS_MAX];
} factor_row;

typedef struct factor_files {
    mcd_speed_table *table;
    factor_row *row; /* [count] as the table has them, then by profile */
    size_t count, capacity, factor_count;
} factor_files;

MCD_DEFINE_STATIC_FREE(free_factors, factor_files, it->row)

static bool take_factors(void *context, const char *at, macadam_status *status, macadam_error *error)
{
    factor_files *const files = context;
    *status = MCD_GROW(files->row, files->capacity, files->count + 1, error);
    if (*status) return true;
    factor_row *const row = &files->row[files->count++];
    size_t count = 0;
    if (!mcd_speed_take_id(&at, &row->profile)) return false;
    while (mcd_speed_take(&at, ',') && count < FACTORS_MAX)
        if (!mcd_speed_take_number(&at, FACTOR_MAX, &row->factor_e3[count++])) return false;
    if (files->count == 1) files->factor_count = count;
    return mcd_speed_take(&at, '\0') && count == files->factor_count && count % 24 == 0 && count > 0 &&
           (4 * 24 % count == 0 || count == FACTORS_MAX);
}

MCD_DEFINE_COMPARE(compare_profiles, factor_row, .profile)

/* Writes the speeds of the days that have the profile. */
static bool add_profile(const factor_files *files, int64_t profile, uint32_t base_e3, size_t day,
                        size_t day_slots, uint32_t *kmh_e3)
{
    const factor_row key = {.profile = profile}, *const row = bsearch(&key, files->row, files->count,
                                                                      sizeof key, compare_profiles);
    if (!row) return false;
    for (size_t i = 0; i < day_slots; ++i) {
        const uint64_t speed = (uint64_t)base_e3 * row->factor_e3[i * files->factor_count / day_slots] / 1000;
        kmh_e3[day * day_slots + i] = speed < MCD_SPEED_MAX ? (uint32_t)speed : MCD_SPEED_MAX;
    }
    return true;
}

static bool take_base(void *context, const char *at, macadam_status *status, macadam_error *error)
{
    factor_files *const files = context;
    const size_t day_slots = files->factor_count == FACTORS_MAX ? FACTORS_MAX : MCD_DAY_SLOTS;
    uint32_t kmh_e3[MCD_PATTERN_FINE_SLOTS], base_e3;
    mcd_speed_row row = {.is_clamped = false};
    int64_t profile[7];
    size_t count = 0;
    if (!take_way(&at, row.key) || !mcd_speed_take_number(&at, KMH_MAX, &base_e3)) return false;
    while (count < 7 && mcd_speed_take(&at, ','))
        if (!mcd_speed_take_id(&at, &profile[count++])) return false;
    if (!mcd_speed_take(&at, '\0') || (count != 1 && count != 7)) return false;
    for (size_t day = 0; day < 7; ++day)
        if (!add_profile(files, profile[count == 1 ? 0 : day], base_e3, day, day_slots, kmh_e3)) return false;
    *status = add_ways(files->table, &row, kmh_e3, 7 * day_slots, error);
    return true;
}

static macadam_status read_factors(mcd_speed_table *table, const char *name, macadam_error *error)
{
    MCD_FREED_BY(free_factors) factor_files files = {.table = table};
    MCD_OWNED char *path = NULL;
    MCD_TRY(mcd_speed_file_table(&path, name, error));
    if (!path) return mcd_fail_invalid(error, "\"%s\": not factors:TABLE=FILE", name);
    MCD_TRY(read_lines(path, NULL, "a profile with 24, 48, 96 or 288 factors, as the others have",
                       take_factors, &files, error));
    if (files.row) qsort(files.row, files.count, sizeof *files.row, compare_profiles);
    for (size_t i = 1; i < files.count; ++i)
        if (files.row[i].profile == files.row[i - 1].profile)
            return mcd_fail(error, MACADAM_E_FILE, "%s: profile %lld comes a second time", path,
                            (long long)files.row[i].profile);
    return read_lines(mcd_speed_file_path(name), NULL,
                      "way,direction,km/h and one or seven profiles of the table", take_base, &files, error);
}

/* ---- Valhalla ---- */

typedef struct predicted_file {
    mcd_speed_table *table;
    mcd_speed_cosines cosines;
} predicted_file;

/* Reads a speed that may lack, and the comma after it. */
static bool take_flow(const char **at, uint32_t *kmh_e3)
{
    *kmh_e3 = 0;
    if (mcd_speed_take(at, ',')) return true;
    return mcd_speed_take_number(at, KMH_MAX, kmh_e3) && (mcd_speed_take(at, ',') || !**at);
}

/* Adds the speed of a part of the day unless it is 0: not known. */
static macadam_status add_flow(mcd_speed_table *table, const mcd_speed_row *way, uint32_t kmh_e3, int hour,
                               int end, macadam_error *error)
{
    mcd_speed_row row = *way;
    row.kmh_e3 = kmh_e3, row.days = MCD_SPEED_ALL_DAYS;
    mcd_speed_range(&row, (uint16_t)(hour * (MCD_SPEED_DAY_STEPS / 24)),
                    (uint16_t)(end * (MCD_SPEED_DAY_STEPS / 24)));
    return kmh_e3 ? add_ways(table, &row, NULL, 0, error) : MACADAM_OK;
}

static bool take_predicted(void *context, const char *at, macadam_status *status, macadam_error *error)
{
    enum { DAY_HOUR = 7, NIGHT_HOUR = 19 }; /* as Valhalla has them */
    predicted_file *const file = context;
    mcd_speed_row row = {.is_clamped = false};
    uint32_t free_e3, constrained_e3, kmh_e3[MCD_PATTERN_FINE_SLOTS];
    int16_t coefficient[MCD_COEFFICIENT_COUNT];
    if (!take_way(&at, row.key) || !take_flow(&at, &free_e3) || !take_flow(&at, &constrained_e3))
        return false;
    if (*at) {
        if (!mcd_speed_cosines_read(coefficient, at)) return false;
        row.is_clamped = mcd_speed_cosines_decode(kmh_e3, &file->cosines, coefficient);
        *status = add_ways(file->table, &row, kmh_e3, MCD_PATTERN_FINE_SLOTS, error);
        return true;
    }
    *status = add_flow(file->table, &row, free_e3, NIGHT_HOUR, DAY_HOUR, error);
    if (!*status) *status = add_flow(file->table, &row, constrained_e3, DAY_HOUR, NIGHT_HOUR, error);
    return true;
}

static macadam_status read_predicted(mcd_speed_table *table, const char *path, macadam_error *error)
{
    static const char header[] = "way,direction,freeflow,constrained,coefficients";
    predicted_file file = {.table = table};
    mcd_speed_cosines_fill(&file.cosines);
    return read_lines(path, header, header, take_predicted, &file, error);
}

/* ---- names ---- */

static const char osrm[] = "osrm:", factors[] = "factors:", valhalla[] = "valhalla:";

static const char *after(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0 ? name + strlen(prefix) : NULL;
}

const char *mcd_speed_file_path(const char *name)
{
    const char *const equals = after(name, osrm) || after(name, factors) ? strchr(name, '=') : NULL;
    return equals ? equals + 1 : after(name, valhalla) ? after(name, valhalla) : name;
}

macadam_status mcd_speed_file_table(char **path, const char *name, macadam_error *error)
{
    const char *const table = after(name, factors), *const equals = table ? strchr(table, '=') : NULL;
    *path = equals ? mcd_duplicate(table) : NULL;
    if (!equals) return MACADAM_OK;
    if (!*path) return mcd_fail_memory(error, strlen(table) + 1);
    (*path)[equals - table] = '\0';
    return MACADAM_OK;
}

macadam_status mcd_speed_file_read(mcd_speed_table *table, const char *name, macadam_error *error)
{
    static const char header[] = "way,direction,from,to,km/h";
    if (after(name, osrm)) return read_slot(table, name, after(name, osrm), error);
    if (after(name, factors)) return read_factors(table, name, error);
    if (after(name, valhalla)) return read_predicted(table, after(name, valhalla), error);
    return read_lines(name, header, header, take_plain, table, error);
}
