/* test_spans.c - the stored arcs of each kept arc are those to which its children lead. */
#include "kernels/cpu/device/cpu.h"
#include "tests/support/fixture.h"
#include "tests/support/kernel_map.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ARC_MAX = 256, SPAN_LEAST = 16, THREADS_MAX = 2 };

/* Appends the arcs for which a kept arc stands, as far as there is room: zero-weight cycles would be very
 * long. */
static size_t unfold(const mcd_weights *weights, mcd_direction direction, uint32_t kept, uint32_t *arc,
                     size_t count)
{
    const mcd_children children = mcd_children_of(weights->search[direction].children[kept]);
    if (count == ARC_MAX) return count;
    if (children.first == MCD_CHILD_NONE) {
        arc[count] = children.second;
        return count + 1;
    }
    count = unfold(weights, MCD_BACKWARD, children.first, arc, count);
    return unfold(weights, MCD_FORWARD, children.second, arc, count);
}

/* Returns how many arcs have none. */
static size_t expect_spans(const char *name, const kernel_metric *metric, const mcd_spans *spans)
{
    uint32_t arc[ARC_MAX];
    size_t without = 0;
    for (int direction = 0; direction < 2; ++direction)
        for (uint32_t i = 0; i < metric->kept.count[direction]; ++i) {
            const uint64_t span = spans->span[direction][i];
            const size_t count = unfold(&metric->weights, (mcd_direction)direction, i, arc, 0);
            if (mcd_span_count(span) == 0) {
                cr_assert_gt(count, SPAN_LEAST, "%s: arc %u has no span", name, i);
                ++without;
                continue;
            }
            cr_assert_eq(mcd_span_count(span), count, "%s: arc %u", name, i);
            cr_assert_eq(memcmp(spans->arc + mcd_span_first(span), arc, count * sizeof *arc), 0, "%s: arc %u",
                         name, i);
        }
    return without;
}

static size_t spans_of_map(size_t index, unsigned threads)
{
    const mcd_backend *backend = mcd_cpu_backend();
    const mcd_parallel parallel = {threads, NULL};
    SCOPED(kernel_map_free) kernel_map map;
    SCOPED(kernel_metric_free) kernel_metric metric;
    mcd_spans *spans;
    kernel_maps_make(&map, index);
    kernel_metric_make(&metric, &map, backend, 1, true);
    FIXTURE_CALL(backend->spans_new, &spans, &metric.weights, &parallel);
    const size_t without = expect_spans(map.name, &metric, spans);
    mcd_spans_free(spans);
    return without;
}

Test(spans, those_of_kept_arcs_are_what_their_halves_lead_to)
{
    size_t without = 0;
    for (size_t m = 0; m < kernel_maps_count(); ++m)
        for (unsigned threads = 1; threads <= THREADS_MAX; ++threads) without += spans_of_map(m, threads);
    cr_assert_gt(without, 0, "no map has a kept arc that is too long");
}
