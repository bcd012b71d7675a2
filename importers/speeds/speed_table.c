/* speed_table.c - see speed_table.h. */
#include "importers/speeds/speed_table.h"

#include "engine/base/grow.h"
#include "engine/base/sort.h"

macadam_status mcd_speed_table_add(mcd_speed_table *table, mcd_speed_kind kind, const mcd_speed_row *row,
                                   macadam_error *error)
{
    enum { COARSE = MCD_SLOT_MINUTES / MCD_SPEED_STEP_MINUTES };
    size_t *const count = &table->of[kind].count;
    MCD_TRY(MCD_GROW(table->of[kind].row, table->of[kind].capacity, *count + 1, error));
    mcd_speed_row *const added = &table->of[kind].row[*count];
    *added = *row;
    added->order = (uint32_t)(*count)++; /* mcd_speed_table_close refuses more */
    if (row->days) table->is_fine |= row->first % COARSE || row->end % COARSE;
    table->has_holidays |= (row->days & MCD_SPEED_HOLIDAYS) != 0;
    return MACADAM_OK;
}

macadam_status mcd_speed_table_add_week(mcd_speed_table *table, mcd_speed_kind kind, const mcd_speed_row *row,
                                        const uint32_t *kmh_e3, size_t slot_count, macadam_error *error)
{
    uint8_t pattern[MCD_PATTERN_FINE_SLOTS];
    uint32_t fastest = 0, number;
    if (table->weeks.count && table->weeks.slot_count != slot_count)
        return mcd_fail_invalid(error, "weeks of %zu slots and of %zu do not mix", table->weeks.slot_count,
                                slot_count);
    table->weeks.slot_count = slot_count;
    table->is_fine |= slot_count == MCD_PATTERN_FINE_SLOTS;
    for (size_t i = 0; i < slot_count; ++i)
        if (kmh_e3[i] > fastest) fastest = kmh_e3[i];
    for (size_t i = 0; i < slot_count; ++i) pattern[i] = fastest ? mcd_pattern_rate(kmh_e3[i], fastest) : 0;
    MCD_TRY(mcd_pattern_set_add(&table->weeks, pattern, &number, error));
    mcd_speed_row week = *row;
    week.kmh_e3 = fastest, week.days = 0, week.first = (uint16_t)number, week.end = (uint16_t)(number >> 16);
    return mcd_speed_table_add(table, kind, &week, error);
}

static int compare_keys(const mcd_speed_row *row, int64_t key0, int64_t key1)
{
    if (row->key[0] != key0) return row->key[0] < key0 ? -1 : 1;
    return (row->key[1] > key1) - (row->key[1] < key1);
}

MCD_DEFINE_LOWER_BOUND_BY(find_keys, mcd_speed_row, const int64_t *,
                          compare_keys(element, value[0], value[1]) < 0)

static int compare_rows(const void *a, const void *b)
{
    const mcd_speed_row *const x = a, *const y = b;
    const int order = compare_keys(x, y->key[0], y->key[1]);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

macadam_status mcd_speed_table_close(mcd_speed_table *table, macadam_error *error)
{
    for (int kind = 0; kind < MCD_SPEED_KINDS; ++kind) {
        if (table->of[kind].count > UINT32_MAX)
            return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%zu speeds are more than %u",
                            table->of[kind].count, UINT32_MAX);
        MCD_TRY(mcd_sort(table->of[kind].row, table->of[kind].count, sizeof *table->of[kind].row,
                         compare_rows, NULL, error));
    }
    return MACADAM_OK;
}

void mcd_speed_table_free(mcd_speed_table *table)
{
    for (int kind = 0; kind < MCD_SPEED_KINDS; ++kind) mcd_free(table->of[kind].row);
    mcd_pattern_set_free(&table->weeks);
    *table = (mcd_speed_table){0};
}

size_t mcd_speed_table_find(const mcd_speed_table *table, mcd_speed_kind kind, int64_t key0, int64_t key1,
                            size_t *count)
{
    const mcd_speed_row *const row = table->of[kind].row;
    const size_t end = table->of[kind].count;
    const size_t first = find_keys(row, 0, end, (const int64_t[]){key0, key1});
    size_t last;
    for (last = first; last < end && compare_keys(&row[last], key0, key1) == 0;) ++last;
    *count = last - first;
    return first;
}

/* Writes the speeds of a row for all of the week. */
static void fill_week(const mcd_speed_table *table, const mcd_speed_row *row, uint32_t *kmh_e3)
{
    const size_t slots = table->weeks.slot_count,
                 repeat = mcd_pattern_week_slots(mcd_speed_table_slots(table)) / slots;
    const uint8_t *const pattern = table->weeks.value + (row->first + ((size_t)row->end << 16)) * slots;
    for (size_t i = 0; i < slots * repeat; ++i)
        kmh_e3[i] = (uint32_t)(((uint64_t)row->kmh_e3 * pattern[i / repeat] + MCD_PATTERN_FASTEST / 2) /
                               MCD_PATTERN_FASTEST);
}

/* Writes the speed of a row for some days of the week. */
static void fill_days(const mcd_speed_table *table, const mcd_speed_row *row, unsigned days, uint32_t *kmh_e3)
{
    const size_t slots = mcd_pattern_week_slots(mcd_speed_table_slots(table)), day_slots = slots / 7,
                 steps = MCD_SPEED_DAY_STEPS / day_slots;
    for (size_t day = 0; day < 7; ++day)
        for (size_t i = row->first / steps; days >> day & 1 && i < row->end / steps; ++i)
            kmh_e3[(day * day_slots + i) % slots] = row->kmh_e3;
}

void mcd_speed_table_fill(const mcd_speed_table *table, mcd_speed_kind kind, size_t first, size_t count,
                          uint32_t *kmh_e3)
{
    const size_t all = mcd_speed_table_slots(table), slots = mcd_pattern_week_slots(all);
    const mcd_speed_row *const begin = table->of[kind].row + first, *const end = begin + count;
    for (size_t week = 0; week < all; week += slots)
        for (const mcd_speed_row *row = begin; row < end; ++row) {
            if (row->days == 0) fill_week(table, row, kmh_e3 + week);
            fill_days(table, row, row->days, kmh_e3 + week);
        }
    for (const mcd_speed_row *row = begin; row < end; ++row)
        if (row->days & MCD_SPEED_HOLIDAYS) fill_days(table, row, MCD_SPEED_ALL_DAYS, kmh_e3 + slots);
}
