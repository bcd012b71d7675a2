/* test_contour.c - the rings of dots: how many, which way round, how large. */
#include "engine/area/contour.h"
#include "tests/support/leak.h"
#include "tests/support/scoped.h"

#include <criterion/criterion.h>
#include <math.h>

TestSuite(contour, .init = allocator_install, .fini = leak_expect_none);

static const double DISC = 3.14159265 * MCD_FIELD_WIDTH * MCD_FIELD_WIDTH;

static mcd_field field_of(size_t columns, size_t rows)
{
    mcd_field field;
    macadam_error error;
    cr_assert_eq(mcd_field_new(&field, columns, rows, &error), MACADAM_OK);
    return field;
}

/* A positive area is an outer ring's. */
static double area_of(const mcd_contour *contour, size_t position)
{
    const mcd_ring *const ring = &contour->ring[contour->order[position]];
    double twice = 0;
    for (size_t i = ring->first; i + 1 < ring->end; ++i)
        twice += (double)contour->point[i][0] * contour->point[i + 1][1] -
                 (double)contour->point[i + 1][0] * contour->point[i][1];
    cr_assert_eq(contour->point[ring->first][0], contour->point[ring->end - 1][0]);
    cr_assert_eq(contour->point[ring->first][1], contour->point[ring->end - 1][1]);
    return twice / 2;
}

static mcd_contour trace(const mcd_field *field)
{
    mcd_contour contour;
    macadam_error error;
    cr_assert_eq(mcd_contour_trace(&contour, field, NULL, &error), MACADAM_OK);
    return contour;
}

Test(contour, no_dots_have_no_rings)
{
    SCOPED(mcd_field_free) mcd_field field = field_of(200, 20);
    SCOPED(mcd_contour_free) mcd_contour contour = trace(&field);
    cr_assert(contour.polygon_count == 0 && contour.ring_count == 0 && contour.point_count == 0);
}

Test(contour, a_cleared_or_copied_field_has_no_earlier_dots)
{
    SCOPED(mcd_field_free) mcd_field field = field_of(150, 60), other = field_of(150, 60);
    mcd_field_draw(&field, 60, 10, 0);
    mcd_field_draw(&field, 70, 50, 0);
    mcd_field_draw(&other, 60, 30, 0);
    mcd_field_copy(&field, &other);
    SCOPED(mcd_contour_free) mcd_contour copied = trace(&field);
    cr_assert_eq(copied.ring_count, 1);
    mcd_field_clear(&field);
    SCOPED(mcd_contour_free) mcd_contour cleared = trace(&field);
    cr_assert_eq(cleared.ring_count, 0);
}

/* Wherever the dot lies between the grid's points, also where rows of bits change words. */
Test(contour, a_dot_is_a_disc)
{
    for (int i = 0; i < 100; ++i) {
        SCOPED(mcd_field_free) mcd_field field = field_of(150, 20);
        mcd_field_draw(&field, 60 + 0.13F * (float)i, 9 + 0.01F * (float)i, 0);
        SCOPED(mcd_contour_free) mcd_contour contour = trace(&field);
        cr_assert(contour.polygon_count == 1 && contour.ring_count == 1);
        cr_assert_float_eq(area_of(&contour, 0), DISC, 0.02 * DISC, "%g of %g", area_of(&contour, 0), DISC);
    }
}

/* A ring of dots with one dot in its middle, beside a lone dot:
 *
 *      o o o
 *    o       o
 *    o   o   o      o
 *    o       o
 *      o o o                                                                                             */
Test(contour, holes_belong_to_what_surrounds_them)
{
    enum { RADIUS = 15 };
    SCOPED(mcd_field_free) mcd_field field = field_of(90, 60);
    for (int i = 0; i < 200; ++i)
        mcd_field_draw(&field, 30 + RADIUS * cosf((float)i * 0.0314159F),
                       30 + RADIUS * sinf((float)i * 0.0314159F), 0);
    mcd_field_draw(&field, 30, 30, 0);
    mcd_field_draw(&field, 70, 30.5F, 0);
    SCOPED(mcd_contour_free) mcd_contour contour = trace(&field);
    cr_assert_eq(contour.polygon_count, 3);
    cr_assert_eq(contour.ring_count, 4);
    double sizes[3][2] = {{0}};
    for (size_t p = 0; p < 3; ++p)
        for (size_t r = contour.first_ring[p]; r < contour.first_ring[p + 1]; ++r) {
            cr_assert_eq(area_of(&contour, r) > 0, r == contour.first_ring[p], "polygon %zu", p);
            sizes[p][r > contour.first_ring[p]] += area_of(&contour, r);
        }
    const double outer = DISC / 9 * (RADIUS + 3) * (RADIUS + 3),
                 hole = DISC / 9 * (RADIUS - 3) * (RADIUS - 3);
    cr_assert_float_eq(sizes[0][0], outer, 0.01 * outer);
    cr_assert_float_eq(sizes[0][1], -hole, 0.01 * hole);
    cr_assert_float_eq(sizes[1][0], DISC, 0.02 * DISC, "%g of %g", sizes[1][0], DISC);
    cr_assert_float_eq(sizes[2][0], DISC, 0.02 * DISC);
    cr_assert(sizes[1][1] == 0 && sizes[2][1] == 0);
}

Test(contour, what_is_left_of_a_line_without_its_first_half)
{
    mcd_field half = field_of(60, 20), all = field_of(60, 20), rest = field_of(60, 20);
    for (int i = 0; i <= 15; ++i) mcd_field_draw(&half, 10 + (float)i, 9.7F, 0);
    mcd_field_copy(&all, &half);
    for (int i = 15; i <= 30; ++i) mcd_field_draw(&all, 10 + (float)i, 9.7F, 0);
    mcd_field_subtract(&rest, &all, &half);
    mcd_contour contour = trace(&rest);
    cr_assert(contour.polygon_count == 1 && contour.ring_count == 1);
    const double exact = 15 * 2 * MCD_FIELD_WIDTH; /* one end bulges, the other is hollow */
    cr_assert_float_eq(area_of(&contour, 0), exact, 0.03 * exact);
    mcd_contour_free(&contour);
    mcd_field_free(&half);
    mcd_field_free(&all);
    mcd_field_free(&rest);
}
