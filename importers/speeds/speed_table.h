/* speed_table.h - speeds of roads over the week, as files give them: by OSM way and direction, or by the two OSM nodes
 * that are next to each other on a road. The readers of speed_file.h fill it, speed_arcs.h applies it to a map. */
#ifndef MCD_IMPORTERS_SPEEDS_SPEED_TABLE_H
#define MCD_IMPORTERS_SPEEDS_SPEED_TABLE_H

#include "importers/speeds/speed_patterns.h"

enum {
    MCD_SPEED_STEP_MINUTES = 5, /* times are multiples of it */
    MCD_SPEED_DAY_STEPS = 24 * 60 / MCD_SPEED_STEP_MINUTES,
    MCD_SPEED_ALL_DAYS = 127,
    MCD_SPEED_HOLIDAYS = 128,
    MCD_SPEED_MAX = 1000000, /* a thousand km/h, in thousandths */
};
#define MCD_SPEED_UNNAMED UINT32_MAX /* the slot keeps the road's ordinary speed */

/* The subject of an entry. */
typedef enum mcd_speed_kind {
    MCD_SPEED_OF_WAY,  /* an OSM way, and 1 (as it is drawn) or -1 */
    MCD_SPEED_OF_PAIR, /* two OSM nodes, in the order of travel */
    MCD_SPEED_KINDS
} mcd_speed_kind;

/* A speed, and when it holds. */
typedef struct mcd_speed_row {
    int64_t key[2];
    uint32_t kmh_e3;     /* thousandths of a km/h */
    uint32_t order;      /* of adding: of two speeds of a slot, the later counts */
    uint16_t first, end; /* steps of a day, up to the end of the next */
    uint8_t
        days; /* bit 0: Monday, ..., MCD_SPEED_HOLIDAYS. 0: all of the week, by the pattern `first + 65536 * end` of the table */
    bool is_clamped; /* it had speeds that are not possible, which were changed */
} mcd_speed_row;

/* Begins zeroed. */
typedef struct mcd_speed_table {
    struct {
        mcd_speed_row *row; /* [count] once it is closed, by key and then in the order of adding */
        size_t count, capacity;
    } of[MCD_SPEED_KINDS];
    mcd_pattern_set weeks; /* of rows without days */
    bool is_fine;          /* it needs slots of 5 minutes */
    bool has_holidays;     /* it needs a second week, which begins as the first one */
} mcd_speed_table;

/* Adds a speed for some days, from a step of these days until another, before the end of the next day. Returns E_MEMORY. */
macadam_status mcd_speed_table_add(mcd_speed_table *table, mcd_speed_kind kind, const mcd_speed_row *row,
                                   macadam_error *error);
/* Adds speeds for each slot of the week, 672 or 2016, with the key and the mark of `row`. Returns E_MEMORY, or E_INVALID if weeks that were added have
 * other slots. */
macadam_status mcd_speed_table_add_week(mcd_speed_table *table, mcd_speed_kind kind, const mcd_speed_row *row,
                                        const uint32_t *kmh_e3, size_t slot_count, macadam_error *error);
/* After the last speed: sorts the rows. Returns E_MEMORY, E_CANCELLED, or E_UNSUPPORTED if there are too many. */
macadam_status mcd_speed_table_close(mcd_speed_table *table, macadam_error *error);
void mcd_speed_table_free(mcd_speed_table *table);

static inline size_t mcd_speed_table_slots(const mcd_speed_table *table)
{
    return (size_t)(table->is_fine ? MCD_PATTERN_FINE_SLOTS : MCD_PATTERN_SLOTS) << table->has_holidays;
}

/* Returns the first row of a key in a closed table, and how many it has: 0, if there is none. */
size_t mcd_speed_table_find(const mcd_speed_table *table, mcd_speed_kind kind, int64_t key0, int64_t key1,
                            size_t *count);

/* Writes the speeds of the slots that `count` rows from `first` on name; those of holidays to each day of their week. kmh_e3:
 * [mcd_speed_table_slots]. */
void mcd_speed_table_fill(const mcd_speed_table *table, mcd_speed_kind kind, size_t first, size_t count,
                          uint32_t *kmh_e3);

#endif
