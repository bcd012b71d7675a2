/* reach_job.c - see reach_job.h. */
#include "engine/query/tables/reach_job.h"

#include "engine/query/places/subnetwork.h"

enum { LANES_MULTIPLE = 16, IDS_PER_TASK = 1 << 16, LIST_BYTES_MOST = 1 << 27 };

/* Facts per node of the file, stored after the backend's scratch. */
typedef struct node_facts {
    const mcd_node *node_of_id; /* [id_count] distinct: the nodes that count */
    size_t id_count;
    const uint32_t *value_of_id; /* NULL: no sums */
    uint8_t *counted;            /* [node_count]; NULL: every node belongs to an id */
    uint32_t *value;             /* [node_count]; NULL likewise */
} node_facts;

static void place_ids(void *argument, size_t first, size_t end)
{
    const node_facts *facts = argument;
    for (size_t i = first; i < end; ++i) {
        const mcd_node node = facts->node_of_id[i];
        if (facts->counted) facts->counted[node] = 1;
        if (facts->value) facts->value[node] = facts->value_of_id[i];
    }
}

/* Takes the scratch of the job, in bands of fewer lanes if necessary, and places the lists and the nodes' facts after it. */
static macadam_status fit(mcd_query *query, mcd_reach_job *job, node_facts *facts, size_t list_bytes,
                          void **list, macadam_error *error)
{
    const mcd_backend *backend = query->backend;
    const uint64_t node_count = query->engine->places.node_count;
    const uint64_t counted_bytes = facts->node_of_id && facts->id_count < node_count ? node_count : 0;
    const uint64_t value_bytes = facts->value_of_id ? node_count * sizeof *facts->value : 0;
    while (backend->reach_scratch(job) + job->lane_count * list_bytes + value_bytes + counted_bytes >
               mcd_query_limit(query) &&
           job->lane_count > LANES_MULTIPLE)
        job->lane_count = (job->lane_count / 2 + LANES_MULTIPLE - 1) / LANES_MULTIPLE * LANES_MULTIPLE;
    const size_t scratch_bytes = backend->reach_scratch(job),
                 lists_bytes = scratch_bytes + job->lane_count * list_bytes;
    MCD_TRY(mcd_query_take(query, lists_bytes + value_bytes + counted_bytes, "reach", error));
    job->scratch = query->block.memory;
    char *const behind = (char *)query->block.memory + lists_bytes;
    if (list_bytes) *list = (char *)query->block.memory + scratch_bytes;
    if (value_bytes) facts->value = (uint32_t *)behind;
    if (counted_bytes) facts->counted = (uint8_t *)behind + value_bytes;
    if (facts->counted) memset(facts->counted, 0, node_count);
    if (facts->counted || facts->value)
        mcd_parallel_for_ranges(&query->engine->parallel, facts->id_count, IDS_PER_TASK, place_ids, facts);
    job->counted = facts->counted;
    job->value = facts->value;
    return MACADAM_OK;
}

macadam_status mcd_reach_job_make(mcd_reach_job *out, void **list, mcd_query *query,
                                  const macadam_reach_request *request, const macadam_reach *answer,
                                  const mcd_lanes *source, size_t list_bytes, macadam_error *error)
{
    const macadam_engine *engine = query->engine;
    node_facts facts = {.id_count = engine->places.id_count,
                        .value_of_id = answer->value_sum ? request->value : NULL};
    if (mcd_reach_asks_more(answer))
        facts.node_of_id = request->reverse ? engine->places.depart : engine->places.arrive;
    *out = (mcd_reach_job){
        .weights = query->weights,
        .direction = request->reverse ? MCD_BACKWARD : MCD_FORWARD,
        .lane = source->lane,
        .lane_count =
            mcd_size_min(request->source_count, list_bytes ? LIST_BYTES_MOST / list_bytes : SIZE_MAX),
        .first = source->first,
        .cut_off = mcd_query_cut_off(query, source),
        .limit = request->limit,
        .limit_count = request->limit_count,
        .target_count = request->target_count,
        .nearest_count = request->nearest_count,
        .answer = *answer,
        .parallel = engine->parallel,
        .progress = query->progress,
    };
    return fit(query, out, &facts, list_bytes, list, error);
}

mcd_reach_job mcd_reach_job_part(const mcd_reach_job *job, size_t first, size_t count)
{
    mcd_reach_job part = *job;
    macadam_reach *const answer = &part.answer;
    part.lane += job->first ? job->first[first] : first;
    if (job->first) part.first += first;
    part.cut_off = mcd_cut_off_from(job->cut_off, first);
    part.lane_count = count;
    if (answer->node_count) answer->node_count += first * job->limit_count;
    if (answer->value_sum) answer->value_sum += first * job->limit_count;
    if (answer->reached) answer->reached += first;
    if (answer->eccentricity) answer->eccentricity += first;
    if (answer->cost_sum) answer->cost_sum += first;
    if (answer->nearest_found) answer->nearest_found += first;
    if (answer->nearest_position) answer->nearest_position += first * job->nearest_count;
    if (answer->nearest_cost) answer->nearest_cost += first * job->nearest_count;
    return part;
}
