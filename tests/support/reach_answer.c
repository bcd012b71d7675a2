/* reach_answer.c - see reach_answer.h. */
#include "tests/support/reach_answer.h"

#include "tests/support/checked.h"

#include <criterion/criterion.h>
#include <string.h>

enum { GUARD = 3, FILLER = 0xab };

static void *room(bool is_asked, size_t count, size_t size)
{
    if (!is_asked) return NULL;
    void *memory = checked_allocate(count + GUARD, size);
    memset(memory, FILLER, (count + GUARD) * size);
    return memory;
}

macadam_reach reach_answer_new(const macadam_reach_request *request, bool nodes)
{
    const size_t sources = request->source_count, cells = sources * request->limit_count;
    const bool limits = request->limit_count > 0, nearest = request->nearest_count > 0;
    const bool costs =
        (sources + request->limit_count) % 2; /* devices sum costs apart: both ways are tested */
    macadam_reach out = MACADAM_REACH_INIT;
    out.node_count = room(limits, cells, sizeof *out.node_count);
    out.value_sum = room(limits && request->value, cells, sizeof *out.value_sum);
    out.reached = room(nodes, sources, sizeof *out.reached);
    out.eccentricity = room(nodes, sources, sizeof *out.eccentricity);
    out.cost_sum = room(nodes && costs, sources, sizeof *out.cost_sum);
    out.nearest_found = room(nearest, sources, sizeof *out.nearest_found);
    out.nearest_position = room(nearest, sources * request->nearest_count, sizeof *out.nearest_position);
    out.nearest_cost = room(nearest, sources * request->nearest_count, sizeof *out.nearest_cost);
    return out;
}

void reach_answer_free(macadam_reach *answer)
{
    free(answer->node_count);
    free(answer->value_sum);
    free(answer->reached);
    free(answer->eccentricity);
    free(answer->cost_sum);
    free(answer->nearest_found);
    free(answer->nearest_position);
    free(answer->nearest_cost);
}

static void sum_within(macadam_reach *answer, const macadam_reach_request *request, size_t cell,
                       uint32_t limit, const uint32_t *cost, size_t column_count)
{
    uint64_t count = 0, sum = 0;
    for (size_t i = 0; i < column_count; ++i) {
        if (cost[i] == MACADAM_UNREACHED || cost[i] > limit) continue;
        ++count;
        if (request->value) sum += request->value[i];
    }
    if (answer->node_count) answer->node_count[cell] = count;
    if (answer->value_sum) answer->value_sum[cell] = sum;
}

void reach_answer_sum(macadam_reach *answer, const macadam_reach_request *request, size_t source,
                      const uint32_t *cost, size_t column_count)
{
    uint64_t reached = 0, cost_sum = 0;
    uint32_t greatest = MACADAM_UNREACHED;
    for (size_t i = 0; i < column_count; ++i) {
        if (cost[i] == MACADAM_UNREACHED) continue;
        if (reached++ == 0 || cost[i] > greatest) greatest = cost[i];
        cost_sum += cost[i];
    }
    if (answer->reached) answer->reached[source] = reached;
    if (answer->eccentricity) answer->eccentricity[source] = greatest;
    if (answer->cost_sum) answer->cost_sum[source] = cost_sum;
    for (size_t i = 0; i < request->limit_count; ++i)
        sum_within(answer, request, source * request->limit_count + i, request->limit[i], cost, column_count);
}

/* By selection: the least (cost, position) above the one before. */
void reach_answer_list(macadam_reach *answer, const macadam_reach_request *request, size_t source,
                       const uint32_t *cost, const uint32_t *column)
{
    uint64_t before = 0;
    if (request->nearest_count) answer->nearest_found[source] = 0;
    for (size_t rank = 0; rank < request->nearest_count; ++rank) {
        uint64_t best = UINT64_MAX;
        for (size_t t = 0; t < request->target_count; ++t) {
            if (column[t] == UINT32_MAX || cost[column[t]] == MACADAM_UNREACHED) continue;
            const uint64_t key = (uint64_t)cost[column[t]] << 32 | t;
            if (key < best && (rank == 0 || key > before)) best = key;
        }
        const size_t at = source * request->nearest_count + rank;
        answer->nearest_position[at] = (uint32_t)best;
        answer->nearest_cost[at] = (uint32_t)(best >> 32);
        answer->nearest_found[source] += best != UINT64_MAX;
        before = best;
    }
}

static void compare(const void *found, const void *right, size_t count, size_t size, const char *what,
                    const char *where)
{
    cr_assert_eq(!found, !right);
    for (size_t i = 0; right && i < count + GUARD; ++i)
        if (memcmp((const char *)found + i * size, (const char *)right + i * size, size) != 0)
            cr_assert_fail("%s: %s: entry %zu of %zu differs", where, what, i, count);
}

macadam_status reach_answer_prepare(macadam_engine *engine, const macadam_query *query,
                                    const macadam_reach_request *request, const macadam_reach *found,
                                    macadam_place_status *status, macadam_error *error)
{
    macadam_nearest_request targets = MACADAM_NEAREST_REQUEST_INIT;
    macadam_reach answer = MACADAM_REACH_INIT;
    macadam_nearest *nearest = NULL;
    targets.target = request->target, targets.target_count = request->target_count;
    targets.nearest_count = request->nearest_count, targets.reverse = request->reverse;
    answer.nearest_found = found->nearest_found;
    answer.nearest_position = found->nearest_position;
    answer.nearest_cost = found->nearest_cost;
    macadam_status failure = macadam_nearest_new(&nearest, status ? status + request->source_count : NULL,
                                                 engine, query, &targets, error);
    if (!failure)
        failure =
            macadam_nearest_find(&answer, status, nearest, request->source, request->source_count, error);
    macadam_nearest_free(nearest);
    return failure;
}

void reach_answer_compare(const macadam_reach *found, const macadam_reach *right,
                          const macadam_reach_request *request, const char *where)
{
    const size_t sources = request->source_count, cells = sources * request->limit_count;
    const size_t near = sources * request->nearest_count;
    compare(found->node_count, right->node_count, cells, sizeof(uint64_t), "node_count", where);
    compare(found->value_sum, right->value_sum, cells, sizeof(uint64_t), "value_sum", where);
    compare(found->reached, right->reached, sources, sizeof(uint64_t), "reached", where);
    compare(found->eccentricity, right->eccentricity, sources, sizeof(uint32_t), "eccentricity", where);
    compare(found->cost_sum, right->cost_sum, sources, sizeof(uint64_t), "cost_sum", where);
    compare(found->nearest_found, right->nearest_found, sources, sizeof(uint32_t), "nearest_found", where);
    compare(found->nearest_position, right->nearest_position, near, sizeof(uint32_t), "nearest_position",
            where);
    compare(found->nearest_cost, right->nearest_cost, near, sizeof(uint32_t), "nearest_cost", where);
}
