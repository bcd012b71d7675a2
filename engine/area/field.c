/* field.c - see field.h. */
#include "engine/area/field.h"

#include "engine/base/memory.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Columns that are lowered for a dot: a whole number of vectors. */
enum { VECTOR = 4, SPAN = 3 * VECTOR };
/* The radius is less than the width and 2; clang takes no floats here. */
static_assert(2 * (MCD_FIELD_WIDTH + 2) + 1 <= SPAN, "the dot is felt in no others");

macadam_status mcd_field_new(mcd_field *out, size_t columns, size_t rows, macadam_error *error)
{
    *out = (mcd_field){.columns = columns < SPAN ? SPAN : columns, .rows = rows};
    MCD_TRY(MCD_NEW(out->square, out->columns * rows, error));
    for (size_t i = 0; i < out->columns * rows; ++i) out->square[i] = MCD_FIELD_FAR;
    return MACADAM_OK;
}

void mcd_field_free(mcd_field *field)
{
    mcd_free(field->square);
    *field = (mcd_field){0};
}

void mcd_field_copy(mcd_field *to, const mcd_field *from)
{
    memcpy(to->square, from->square, from->columns * from->rows * sizeof *from->square);
}

static float least(float a, float b)
{
    return a < b ? a : b;
}

static float most(float a, float b)
{
    return a > b ? a : b;
}

/* Returns the first index that is not below `at`, at most `end`. Processors convert signed numbers faster. */
static int64_t index_from(double at, size_t end)
{
    const int64_t below = (int64_t)at, index = below + ((double)below < at), most_index = (int64_t)end;
    return index < 0 ? 0 : index < most_index ? index : most_index;
}

/* Lowers a row of points to the squares that its columns and itself add up to, a vector at a time. */
static void draw_row(float *restrict square, const float *restrict by_column, float by_row)
{
    for (int first = 0; first < SPAN; first += VECTOR) {
        float lower[VECTOR];
        for (int i = 0; i < VECTOR; ++i) lower[i] = least(square[first + i], by_column[first + i] + by_row);
        for (int i = 0; i < VECTOR; ++i) square[first + i] = lower[i];
    }
}

void mcd_field_draw(mcd_field *field, double x, double y, float more)
{
    const int64_t first = index_from(x - MCD_FIELD_RADIUS, field->columns - SPAN),
                  end = index_from(y + MCD_FIELD_RADIUS, field->rows);
    float by_column[SPAN];
    for (int i = 0; i < SPAN; ++i) {
        const float off = (float)((double)first + i - x);
        by_column[i] = off * off;
    }
    for (int64_t row = index_from(y - MCD_FIELD_RADIUS, field->rows); row < end; ++row) {
        const float off = (float)((double)row - y);
        draw_row(field->square + (size_t)row * field->columns + first, by_column, off * off + more);
    }
}

void mcd_field_subtract(mcd_field *out, const mcd_field *field, const mcd_field *without)
{
    out->cut = field->cut;
    for (size_t i = 0; i < field->columns * field->rows; ++i) {
        const float outside =
            most(0, 2 * MCD_FIELD_LEVEL - sqrtf(without->square[i])); /* mirrored at the contour */
        out->square[i] = most(field->square[i], outside * outside);
    }
}

/* Half-way between a reached dot and another one, their distances are the same. FAR dots change nothing. */
void mcd_field_cut(mcd_field *out, const mcd_field *reached, const mcd_field *before)
{
    const size_t count = out->columns * out->rows;
    float *const restrict square = out->square;
    const float *const restrict whole = reached->square;
    out->cut = reached->cut;
    for (size_t i = 0; i < count; ++i) {
        const float here = sqrtf(whole[i]), off = (here - sqrtf(square[i])) / 2,
                    cut = most(0, MCD_FIELD_LEVEL + least(off, here - MCD_FIELD_WIDTH / 6.0F));
        square[i] = most(whole[i], cut * cut);
    }
    for (size_t i = 0; before && i < count; ++i) square[i] = least(square[i], before->square[i]);
}
