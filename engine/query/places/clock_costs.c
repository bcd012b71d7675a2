/* clock_costs.c - see clock_costs.h. */
#include "engine/query/places/clock_costs.h"

/* ---- lanes ---- */

mcd_lane mcd_clock_lane(const mcd_lanes *lanes, size_t place, size_t lane)
{
    const mcd_position *const all = lane < mcd_lanes_inner(lanes, place) ? lanes->position : lanes->second;
    const mcd_lane given = mcd_lanes_at(lanes, lane);
    if (!all || !mcd_position_is_within(&all[place])) return given;
    mcd_lane out = mcd_lane_of(MCD_NODE_NONE);
    uint32_t count = 0;
    for (uint32_t i = 0; i < mcd_lane_seed_count(&given); ++i) {
        const mcd_node node = given.seed[i].node;
        const mcd_road_part part = mcd_lanes_part(lanes, &all[place], node, lanes->instant[place]);
        if (part.objective < MCD_UNREACHED)
            out.seed[count++] = (mcd_seed){node, part.objective, part.companion};
    }
    if (count < MCD_SEEDS_MAX) out.seed[count].node = MCD_NODE_NONE;
    return out;
}

MCD_DEFINE_LOWER_BOUND(find_first, size_t, , size_t)

static size_t place_of(const mcd_lanes *lanes, size_t lane)
{
    return lanes->first ? find_first(lanes->first, 1, lanes->place_count, lane + 1) - 1 : lane;
}

void mcd_clock_lanes(const mcd_lanes *lanes, size_t first, size_t count, mcd_lane *lane, uint32_t *instant)
{
    for (size_t l = 0, place = count ? place_of(lanes, first) : 0; l < count; ++l) {
        while (mcd_lanes_first(lanes, place + 1) <= first + l) ++place;
        lane[l] = mcd_clock_lane(lanes, place, first + l);
        instant[l] = lanes->instant[place];
    }
}

/* ---- columns ---- */

/* Lists the nodes from which the places of the other end are reached; without `node` only counts them. */
static size_t list_columns(const mcd_lanes *other, size_t first, size_t end, mcd_node *node,
                           size_t *first_column)
{
    size_t count = 0;
    for (size_t p = first; p < end; ++p) {
        if (first_column) first_column[p - first] = count;
        for (size_t l = mcd_lanes_first(other, p); l < mcd_lanes_inner(other, p); ++l) {
            const mcd_lane lane = mcd_lanes_at(other, l);
            for (uint32_t i = 0; i < mcd_lane_seed_count(&lane); ++i, ++count)
                if (node) node[count] = lane.seed[i].node;
        }
    }
    if (first_column) first_column[end - first] = count;
    return count;
}

/* ---- searches ---- */

mcd_clock_job mcd_clock_job_of(const mcd_query *query, const mcd_lane *lane, const uint32_t *instant,
                               uint32_t *objective)
{
    const size_t node_count = query->engine->graph.node_count;
    return (mcd_clock_job){.tree = {.direction = query->timing.direction,
                                    .lane = lane,
                                    .lane_count = 1,
                                    .limit = MCD_WEIGHT_MAX,
                                    .column_count = node_count,
                                    .lane_stride = node_count,
                                    .column_stride = 1,
                                    .objective = objective,
                                    .parallel = query->engine->parallel,
                                    .progress = query->progress},
                           .arcs = query->timing.arcs,
                           .instant = instant};
}

mcd_clock_job mcd_clock_costs_job(const mcd_clock_costs *costs, size_t first, size_t count)
{
    const size_t cells = first * costs->column_count;
    mcd_clock_job job =
        mcd_clock_job_of(costs->query, costs->lane + first, costs->instant + first, costs->objective + cells);
    job.tree.lane_count = count;
    job.tree.column = costs->column;
    job.tree.column_count = job.tree.lane_stride = costs->column_count;
    job.tree.companion = costs->joint ? costs->companion + cells : NULL;
    job.tree.raw = true;
    job.tree.scratch = costs->scratch;
    return job;
}

macadam_status mcd_clock_costs_new(mcd_clock_costs *out, const mcd_query *query, const mcd_lanes *search,
                                   const mcd_lanes *other, size_t first, size_t end, size_t band, bool joint,
                                   macadam_error *error)
{
    *out = (mcd_clock_costs){
        .query = query, .search = search, .other = other, .joint = joint, .place = first, .band = band};
    out->column_count = list_columns(other, first, end, NULL, NULL);
    MCD_TRY(MCD_NEW(out->column, out->column_count, error));
    MCD_TRY(MCD_NEW(out->first_column, end - first + 1, error));
    list_columns(other, first, end, out->column, out->first_column);
    MCD_TRY(MCD_NEW(out->lane, band, error));
    MCD_TRY(MCD_NEW(out->instant, band, error));
    MCD_TRY(MCD_NEW(out->objective, band * out->column_count, error));
    if (joint) MCD_TRY(MCD_NEW(out->companion, band * out->column_count, error));
    const mcd_clock_job job = mcd_clock_costs_job(out, 0, band);
    const size_t bytes = query->backend->clock_scratch(&job); /* 0: on a device */
    if (bytes) out->scratch = mcd_allocate(bytes, 1);
    return out->scratch || !bytes ? MACADAM_OK : mcd_fail_memory(error, bytes);
}

void mcd_clock_costs_lanes(mcd_clock_costs *costs, size_t first, size_t count)
{
    costs->first = first;
    mcd_clock_lanes(costs->search, first, count, costs->lane, costs->instant);
}

macadam_status mcd_clock_costs_run(mcd_clock_costs *costs, size_t first, size_t count, macadam_error *error)
{
    const mcd_clock_job job = mcd_clock_costs_job(costs, 0, count);
    mcd_clock_costs_lanes(costs, first, count);
    return costs->query->backend->clock(&job, error);
}

mcd_clock_sum mcd_clock_arrive(const mcd_lanes *other, size_t place, mcd_node node, uint32_t instant,
                               mcd_weight at, mcd_weight companion, mcd_clock_sum cost)
{
    mcd_clock_sum sum = {at, companion < MCD_UNREACHED ? companion : MCD_UNREACHED, node};
    if (at >= MCD_UNREACHED) return cost;
    if (mcd_lanes_is_within(other, place)) {
        const mcd_road_part part =
            mcd_lanes_part(other, &other->position[place], node, mcd_timing_at(&other->timing, instant, at));
        sum.objective = mcd_weight_add(sum.objective, part.objective);
        sum.companion = mcd_weight_add(sum.companion, part.companion);
    }
    if (sum.objective == MCD_UNREACHED) return cost;
    return mcd_joint_of(sum.objective, sum.companion) < mcd_joint_of(cost.objective, cost.companion) ? sum
                                                                                                     : cost;
}

mcd_clock_sum mcd_clock_costs_of(const mcd_clock_costs *costs, size_t place, size_t other)
{
    const mcd_lanes *const search = costs->search;
    const size_t *const column = &costs->first_column[other - costs->place];
    mcd_clock_sum best = {MCD_UNREACHED, MCD_UNREACHED, MCD_NODE_NONE};
    for (size_t l = mcd_lanes_first(search, place); l < mcd_lanes_inner(search, place); ++l)
        for (size_t c = column[0]; c < column[1]; ++c) {
            const size_t cell = (l - costs->first) * costs->column_count + c;
            best = mcd_clock_arrive(costs->other, other, costs->column[c], search->instant[place],
                                    costs->objective[cell], costs->joint ? costs->companion[cell] : 0, best);
        }
    return best;
}

MCD_DEFINE_FREE(mcd_clock_costs_free, mcd_clock_costs, it->column, it->first_column, it->lane, it->instant,
                it->objective, it->companion, it->scratch)

/* ---- pairs ---- */

mcd_road_part mcd_clock_direct(const mcd_lanes *source, const mcd_lanes *target, size_t i)
{
    if (source->position && target->position) return mcd_lanes_same_road(source, i, target, i);
    return (mcd_road_part){MCD_ROAD_NONE, MCD_UNREACHED, MCD_UNREACHED, 0, 0};
}
