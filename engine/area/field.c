/* field.c - see field.h. */
#include "engine/area/field.h"

#include "engine/base/clones.h"
#include "engine/base/memory.h"
#include "engine/base/types.h"

#include <math.h>

/* A dot is felt at as many columns, and in as many rows. */
enum { SPAN = 2 * MCD_FIELD_RADIUS };

macadam_status mcd_field_new(mcd_field *out, size_t columns, size_t rows, macadam_error *error)
{
    *out = (mcd_field){.columns = columns < SPAN ? SPAN : columns, .rows = rows < SPAN ? SPAN : rows};
    MCD_TRY(MCD_NEW(out->square, out->columns * out->rows, error));
    out->end_row = out->rows;
    mcd_field_clear(out);
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_field_free, mcd_field, it->square)

/* The points i of rows: first <= i < end. */
typedef struct row_points {
    size_t first, end;
} row_points;

static row_points points_of(const mcd_field *field)
{
    return (row_points){field->first_row * field->columns, field->end_row * field->columns};
}

/* Adds the rows of another field to those of a field, and returns the points of all. */
static row_points take_rows(mcd_field *to, const mcd_field *from)
{
    to->first_row = mcd_size_min(to->first_row, from->first_row);
    to->end_row = mcd_size_max(to->end_row, from->end_row);
    return points_of(to);
}

void mcd_field_clear(mcd_field *field)
{
    const row_points at = points_of(field);
    for (size_t i = at.first; i < at.end; ++i) field->square[i] = MCD_FIELD_FAR;
    field->first_row = field->rows, field->end_row = 0;
}

void mcd_field_copy(mcd_field *to, const mcd_field *from)
{
    mcd_field_clear(to);
    const row_points at = take_rows(to, from);
    if (at.first < at.end)
        memcpy(to->square + at.first, from->square + at.first, (at.end - at.first) * sizeof *from->square);
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

MCD_CLONED void mcd_field_draw(mcd_field *field, double x, double y, float more)
{
    const int64_t column = first_felt(x, field->columns), row = first_felt(y, field->rows);
    field->first_row = mcd_size_min(field->first_row, (size_t)row);
    field->end_row = mcd_size_max(field->end_row, (size_t)row + SPAN);
    const float east = (float)((double)column - x);
    float north = (float)((double)row - y);
    float by_column[SPAN], *square = field->square + row * (int64_t)field->columns + column;
    for (int i = 0; i < SPAN; ++i) by_column[i] = (east + (float)i) * (east + (float)i) + more;
    for (int k = 0; k < SPAN; ++k, ++north, square += field->columns)
        draw_row(square, by_column, north * north);
}

void mcd_field_subtract(mcd_field *out, const mcd_field *field, const mcd_field *without)
{
    const row_points at = take_rows(out, field);
    out->cut = field->cut;
    for (size_t i = at.first; i < at.end; ++i) {
        /* mirrored at the contour */
        const float outside = most(0, 2 * MCD_FIELD_LEVEL - sqrtf(without->square[i]));
        out->square[i] = most(field->square[i], outside * outside);
    }
}

/* Half-way between a reached dot and another one, their distances are the same. FAR dots change nothing. */
MCD_CLONED void mcd_field_cut(mcd_field *out, const mcd_field *reached, const mcd_field *before)
{
    const row_points at = take_rows(out, reached);
    float *const restrict square = out->square;
    const float *const restrict whole = reached->square;
    out->cut = reached->cut;
    for (size_t i = at.first; i < at.end; ++i) {
        const float here = sqrtf(whole[i]), off = (here - sqrtf(square[i])) / 2,
                    cut = most(0, MCD_FIELD_LEVEL + least(off, here - MCD_FIELD_WIDTH / 6.0F));
        square[i] = most(whole[i], cut * cut);
    }
    const row_points earlier = before ? points_of(before) : (row_points){0};
    for (size_t i = earlier.first; i < earlier.end; ++i) square[i] = least(square[i], before->square[i]);
}
