/* clock_oracle.c - see clock_oracle.h. */
#include "tests/support/clock_oracle.h"

#include "tests/support/checked.h"

static const uint64_t week_ms = 7 * 24 * 60 * 60 * UINT64_C(1000);

/* ---- the rule ---- */

clock_oracle_week clock_oracle_week_make(const uint8_t *rate, uint32_t pattern_count, uint32_t slot_count)
{
    clock_oracle_week week = {pattern_count, slot_count, rate, NULL};
    week.integral = checked_allocate((size_t)pattern_count * (slot_count + 1), sizeof *week.integral);
    for (uint32_t p = 0; p < pattern_count; ++p) {
        uint64_t *sum = week.integral + (size_t)p * (slot_count + 1);
        sum[0] = 0;
        for (uint32_t slot = 0; slot < slot_count; ++slot)
            sum[slot + 1] = sum[slot] + rate[(size_t)p * slot_count + slot] * (week_ms / slot_count);
    }
    return week;
}

void clock_oracle_week_free(clock_oracle_week *week)
{
    free(week->integral);
}

/* From instant 0 to t. */
static uint64_t integral_to(const clock_oracle_week *week, uint32_t pattern, uint64_t t)
{
    if (pattern == 0) return 255 * t;
    const size_t p = pattern - 1;
    const uint64_t *sum = week->integral + p * (week->slot_count + 1), slot_ms = week_ms / week->slot_count;
    const uint64_t weeks = t / week_ms, slot = t % week_ms / slot_ms;
    return weeks * sum[week->slot_count] + sum[slot] + t % slot_ms * week->rate[p * week->slot_count + slot];
}

/* Whether the integral over `d` ms from (`reverse`: before) t reaches 255 * own. */
static bool reaches(const clock_oracle_week *week, uint32_t pattern, uint64_t t, uint64_t d, uint32_t own,
                    bool reverse)
{
    const uint64_t from = reverse ? t - d : t;
    return integral_to(week, pattern, from + d) - integral_to(week, pattern, from) >= UINT64_C(255) * own;
}

static uint32_t least_time(const clock_oracle_week *week, uint32_t pattern, uint64_t t, uint32_t own,
                           bool reverse)
{
    uint64_t low = own, width = 1; /* no speed is above 255 */
    t += 8 * week_ms;              /* so that it does not go below 0 */
    while (!reaches(week, pattern, t, low + width - 1, own, reverse)) {
        low += width;
        width *= 2;
        if (low >= ORACLE_COST_END) return ORACLE_COST_END;
    }
    for (uint64_t high = low + width - 1; low < high;) {
        const uint64_t middle = (low + high) / 2;
        if (reaches(week, pattern, t, middle, own, reverse))
            high = middle;
        else
            low = middle + 1;
    }
    return low < ORACLE_COST_END ? (uint32_t)low : ORACLE_COST_END;
}

uint32_t clock_oracle_leave(const clock_oracle_week *week, uint32_t pattern, uint64_t t, uint32_t own)
{
    return least_time(week, pattern, t, own, false);
}

uint32_t clock_oracle_enter(const clock_oracle_week *week, uint32_t pattern, uint64_t t, uint32_t own)
{
    return least_time(week, pattern, t, own, true);
}

/* The price and the time of an arc whose near end has this cost. */
static uint64_t arc_time(const clock_oracle_arcs *arcs, const clock_oracle_week *week, size_t arc,
                         uint64_t cost, uint64_t instant, bool reverse)
{
    const uint32_t own = arcs->own[arc], price = arcs->price[arc], pattern = arcs->pattern[arc];
    if (own >= ORACLE_COST_END) return ORACLE_COST_END;
    const uint64_t time =
        price + (uint64_t)(reverse ? clock_oracle_enter(week, pattern, 8 * week_ms + instant - cost, own)
                                   : clock_oracle_leave(week, pattern, instant + cost + price, own));
    return time < ORACLE_COST_END ? time : ORACLE_COST_END;
}

void clock_oracle_weights(const clock_oracle_arcs *arcs, const clock_oracle_week *week,
                          const uint32_t *objective, uint64_t instant, bool reverse, uint32_t *weight)
{
    for (size_t arc = 0; arc < arcs->arc_count; ++arc) {
        const uint32_t cost = objective[reverse ? arcs->head[arc] : arcs->tail[arc]];
        weight[arc] = cost < ORACLE_COST_END ? (uint32_t)arc_time(arcs, week, arc, cost, instant, reverse)
                                             : ORACLE_COST_END;
    }
}

/* ---- Dijkstra ---- */

typedef struct waiting {
    uint64_t objective, companion;
    uint32_t node;
} waiting;

typedef struct waiting_heap {
    waiting *entry;
    size_t count, capacity;
} waiting_heap;

static bool is_less(const waiting *a, const waiting *b)
{
    return a->objective != b->objective ? a->objective < b->objective : a->companion < b->companion;
}

static void swap(waiting *a, waiting *b)
{
    const waiting old = *a;
    *a = *b;
    *b = old;
}

static void push(waiting_heap *heap, waiting new)
{
    if (heap->count == heap->capacity) {
        heap->capacity = 2 * heap->capacity + 16;
        heap->entry = checked_reallocate(heap->entry, heap->capacity, sizeof *heap->entry);
    }
    size_t at = heap->count++;
    heap->entry[at] = new;
    for (; at > 0 && is_less(&heap->entry[at], &heap->entry[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&heap->entry[at], &heap->entry[(at - 1) / 2]);
}

static waiting pop(waiting_heap *heap)
{
    const waiting least = heap->entry[0];
    heap->entry[0] = heap->entry[--heap->count];
    for (size_t at = 0, child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && is_less(&heap->entry[child + 1], &heap->entry[child])) ++child;
        if (!is_less(&heap->entry[child], &heap->entry[at])) break;
        swap(&heap->entry[at], &heap->entry[child]);
    }
    return least;
}

/* The arcs of each node: arc[first[node] <= i < first[node + 1]]. */
static void sort_arcs(const clock_oracle_arcs *arcs, bool reverse, size_t *first, size_t *arc)
{
    const uint32_t *node = reverse ? arcs->head : arcs->tail;
    for (size_t i = 0; i < arcs->arc_count; ++i) ++first[node[i] + 2];
    for (size_t v = 2; v < arcs->node_count + 2; ++v) first[v] += first[v - 1];
    for (size_t i = 0; i < arcs->arc_count; ++i) arc[first[node[i] + 1]++] = i;
}

void clock_oracle_tree(const clock_oracle_arcs *arcs, const clock_oracle_week *week, const oracle_seed *seed,
                       size_t seed_count, uint64_t instant, bool reverse, uint32_t limit, uint32_t *objective,
                       uint32_t *companion)
{
    FREED size_t *first = checked_zeroed(arcs->node_count + 2, sizeof *first);
    FREED size_t *arc = checked_allocate(arcs->arc_count, sizeof *arc);
    waiting_heap heap = {NULL, 0, 0};
    sort_arcs(arcs, reverse, first, arc);
    for (size_t node = 0; node < arcs->node_count; ++node) {
        objective[node] = ORACLE_UNREACHED;
        if (companion) companion[node] = ORACLE_UNREACHED;
    }
    FREED bool *settled = checked_zeroed(arcs->node_count, sizeof *settled);
    for (size_t i = 0; i < seed_count; ++i)
        push(&heap, (waiting){seed[i].objective, seed[i].companion, seed[i].node});
    while (heap.count > 0) {
        const waiting least = pop(&heap);
        if (settled[least.node] || least.objective > limit) continue;
        settled[least.node] = true;
        if (!companion || least.companion < ORACLE_COST_END)
            objective[least.node] = (uint32_t)least.objective;
        if (companion && least.companion < ORACLE_COST_END) companion[least.node] = (uint32_t)least.companion;
        for (size_t i = first[least.node]; i < first[least.node + 1]; ++i) {
            const uint32_t to = reverse ? arcs->tail[arc[i]] : arcs->head[arc[i]];
            if (settled[to]) continue;
            const uint64_t time = arc_time(arcs, week, arc[i], least.objective, instant, reverse),
                           sum = least.objective + time;
            if (time < ORACLE_COST_END && sum <= limit)
                push(&heap, (waiting){sum, least.companion + (companion ? arcs->companion[arc[i]] : 0), to});
        }
    }
    free(heap.entry);
}
