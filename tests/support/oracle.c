/* oracle.c - see oracle.h. Lazy deletion: a node may be in the heap several times, its first exit counts. */
#include "tests/support/oracle.h"

#include "tests/support/checked.h"

typedef struct oracle_arc {
    uint32_t head, objective, companion;
} oracle_arc;

typedef struct entry {
    uint64_t objective, companion;
    uint32_t node;
} entry;

struct test_oracle {
    size_t node_count;
    size_t *first_out;
    oracle_arc *out;
    bool *settled;
    entry *heap; /* heap[1] is least */
    size_t heap_count;
    uint64_t *objective, *companion;
};

test_oracle *oracle_new(const oracle_arcs *arcs, bool reverse)
{
    const uint32_t *tail = reverse ? arcs->head : arcs->tail, *head = reverse ? arcs->tail : arcs->head;
    const size_t node_count = arcs->node_count;
    test_oracle *oracle = checked_zeroed(1, sizeof *oracle);
    oracle->node_count = node_count;
    oracle->first_out = checked_zeroed(node_count + 2, sizeof *oracle->first_out);
    oracle->out = checked_zeroed(arcs->arc_count, sizeof *oracle->out);
    oracle->settled = checked_zeroed(node_count, sizeof *oracle->settled);
    oracle->heap = checked_zeroed(arcs->arc_count + 2, sizeof *oracle->heap);
    oracle->objective = checked_zeroed(node_count, sizeof *oracle->objective);
    oracle->companion = checked_zeroed(node_count, sizeof *oracle->companion);

    size_t *next = oracle->first_out + 1; /* counts, then write positions, then the next node's first arc */
    for (size_t i = 0; i < arcs->arc_count; ++i) ++next[tail[i] + 1];
    for (size_t x = 0; x < node_count; ++x) next[x + 1] += next[x];
    for (size_t i = 0; i < arcs->arc_count; ++i)
        oracle->out[next[tail[i]]++] =
            (oracle_arc){head[i], arcs->objective[i], arcs->companion ? arcs->companion[i] : 0};
    return oracle;
}

void oracle_free(test_oracle *oracle)
{
    if (!oracle) return;
    free(oracle->first_out);
    free(oracle->out);
    free(oracle->settled);
    free(oracle->heap);
    free(oracle->objective);
    free(oracle->companion);
    free(oracle);
}

static bool is_less(uint64_t objective_a, uint64_t companion_a, uint64_t objective_b, uint64_t companion_b)
{
    return objective_a != objective_b ? objective_a < objective_b : companion_a < companion_b;
}

static bool is_before(const entry *a, const entry *b)
{
    return is_less(a->objective, a->companion, b->objective, b->companion);
}

static void push(test_oracle *oracle, entry new)
{
    entry *heap = oracle->heap;
    size_t hole = ++oracle->heap_count;
    for (; hole > 1 && is_before(&new, &heap[hole / 2]); hole /= 2) heap[hole] = heap[hole / 2];
    heap[hole] = new;
}

static entry pop(test_oracle *oracle)
{
    entry *heap = oracle->heap;
    const entry least = heap[1], last = heap[oracle->heap_count--];
    const size_t count = oracle->heap_count;
    size_t hole = 1;
    for (size_t child; (child = 2 * hole) <= count; hole = child) {
        if (child < count && is_before(&heap[child + 1], &heap[child])) ++child;
        if (!is_before(&heap[child], &last)) break;
        heap[hole] = heap[child];
    }
    heap[hole] = last;
    return least;
}

static void relax(test_oracle *oracle, const entry *from, const oracle_arc *arc)
{
    if (arc->objective >= ORACLE_COST_END || oracle->settled[arc->head]) return;
    const entry new = {from->objective + arc->objective, from->companion + arc->companion, arc->head};
    if (new.objective >= ORACLE_COST_END) return;
    if (!is_less(new.objective, new.companion, oracle->objective[arc->head], oracle->companion[arc->head]))
        return;
    oracle->objective[arc->head] = new.objective;
    oracle->companion[arc->head] = new.companion;
    push(oracle, new);
}

void oracle_tree(test_oracle *oracle, uint32_t source, uint32_t limit, uint32_t *objective,
                 uint32_t *companion)
{
    for (size_t x = 0; x < oracle->node_count; ++x) {
        oracle->settled[x] = false;
        oracle->objective[x] = oracle->companion[x] = UINT64_MAX;
    }
    oracle->objective[source] = oracle->companion[source] = 0;
    push(oracle, (entry){0, 0, source});
    while (oracle->heap_count > 0) {
        const entry least = pop(oracle);
        if (oracle->settled[least.node]) continue;
        oracle->settled[least.node] = true;
        for (size_t i = oracle->first_out[least.node]; i < oracle->first_out[least.node + 1]; ++i)
            relax(oracle, &least, &oracle->out[i]);
    }
    for (size_t x = 0; x < oracle->node_count; ++x) {
        const bool reached = oracle->settled[x] && (limit == 0 || oracle->objective[x] <= limit) &&
                             (!companion || oracle->companion[x] < ORACLE_COST_END);
        objective[x] = reached ? (uint32_t)oracle->objective[x] : ORACLE_UNREACHED;
        if (companion) companion[x] = reached ? (uint32_t)oracle->companion[x] : ORACLE_UNREACHED;
    }
}
