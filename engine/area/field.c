/* field.c - see field.h. */
#include "engine/area/field.h"

#include "engine/base/memory.h"

#include <math.h>

/* A dot is felt at as many columns, and in as many rows. */
enum { SPAN = 2 * MCD_FIELD_RADIUS };

macadam_status mcd_field_new(mcd_field *out, size_t columns, size_t rows, macadam_error *error)
{
    *out = (mcd_field){.columns = columns < SPAN ? SPAN : columns, .rows = rows < SPAN ? SPAN : rows};
    MCD_TRY(MCD_NEW(out->square, out->columns * out->rows, error));
    for (size_t i = 0; i < out->columns * out->rows; ++i) out->square[i] = MCD_FIELD_FAR;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_field_free, mcd_field, it->square)

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

/* Returns the first of the indices at which a dot is felt, of `count`. Processors convert signed numbers faster. */
static int64_t first_felt(double at, size_t count)
{
    const int64_t first = (int64_t)(at - MCD_FIELD_RADIUS) + 1, last = (int64_t)count - SPAN;
    return first < 0 ? 0 : first < last ? first : last;
}

/* Lowers a row of points to the squares that its columns and itself add up to. */
static void draw_row(float *restrict square, const float *restrict by_column, float by_row)
{
    float lower[SPAN];
    for (int i = 0; i < SPAN; ++i) lower[i] = least(square[i], by_column[i] + by_row);
    for (int i = 0; i < SPAN; ++i) square[i] = lower[i];
}

void mcd_field_draw(mcd_field *field, double x, double y, float more)
{
    const int64_t column = first_felt(x, field->columns), row = first_felt(y, field->rows);
    const float east = (float)((double)column - x);
    float north = (float)((double)row - y);
    float by_column[SPAN], *square = field->square + row * (int64_t)field->columns + column;
    for (int i = 0; i < SPAN; ++i) by_column[i] = (east + (float)i) * (east + (float)i) + more;
    for (int k = 0; k < SPAN; ++k, ++north, square += field->columns)
        draw_row(square, by_column, north * north);
}

void mcd_field_subtract(mcd_field *out, const mcd_field *field, const mcd_field *without)
{
    out->cut = field->cut;
    for (size_t i = 0; i < field->columns * field->rows; ++i) {
        /* mirrored at the contour */
        const float outside = most(0, 2 * MCD_FIELD_LEVEL - sqrtf(without->square[i]));
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
