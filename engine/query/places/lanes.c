/* lanes.c - see lanes.h. */
#include "engine/query/places/lanes.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/base/system/pages.h"
#include "engine/runtime/load.h"
#include "kernels/clock.h"

enum { PLACES_PER_TASK = 64, TASKS_PER_JOIN = 64, TOUCHED_MAX = 128 /* places, as of a matrix */ };

static const mcd_road_part no_part = {MCD_ROAD_NONE, MCD_UNREACHED, MCD_UNREACHED, 0, 0};

static bool is_less(mcd_weight objective, mcd_weight companion, const mcd_road_part *than)
{
    return mcd_joint_of(objective, companion) < mcd_joint_of(than->objective, than->companion);
}

/* Without weights, every arc is open. */
static bool is_open(const mcd_weights *weights, uint32_t arc)
{
    return !weights->objective || mcd_arc_is_open(weights, arc);
}

/* ---- parts of arcs ---- */

static mcd_weight share_between(const mcd_weight *weight, uint32_t arc, uint64_t from, uint64_t to)
{
    return weight ? mcd_road_share(weight[arc], from, to) : 0;
}

mcd_road_part mcd_lanes_between(const mcd_weights *weights, uint32_t arc, uint64_t from, uint64_t to)
{
    return (mcd_road_part){arc, share_between(weights->objective, arc, from, to),
                           share_between(weights->companion, arc, from, to), from, to};
}

/* Returns the part by which `copy` reaches the place: the copy of the position's i-th arc that leaves another
 * copy of its tail. */
static mcd_road_part part_before(const mcd_weights *weights, const mcd_position *position, int i,
                                 uint32_t copy)
{
    const uint32_t arc = position->arc[i];
    const mcd_weight *const objective = weights->objective, *const companion = weights->companion;
    const uint64_t before = position->before[i];
    return (mcd_road_part){copy, objective ? mcd_road_before(objective[arc], objective[copy], before) : 0,
                           companion ? mcd_road_before(companion[arc], companion[copy], before) : 0, 0,
                           before};
}

uint32_t mcd_timing_at(const mcd_timing *timing, uint32_t instant, mcd_weight cost)
{
    return mcd_clock_instant(instant, cost, timing->direction);
}

/* Returns how long the part of a copy of an arc takes, and what is paid before it, with a clock. Its own weight is that of
 * the arc itself, as it is without a clock, unless the copy is closed at other times. */
static mcd_weight duration_between(const mcd_timing *timing, uint32_t copy, uint32_t arc, uint64_t from,
                                   uint64_t to, uint32_t instant)
{
    const mcd_clock_arc *const record = timing->arcs->arc[MCD_FORWARD],
                               *const own = &record[record[copy].pattern == record[arc].pattern ? arc : copy];
    const mcd_clock_arc part = {.own = own->own == MCD_UNREACHED ? MCD_UNREACHED
                                                                 : mcd_road_share(own->own, from, to),
                                .price = record[copy].price,
                                .pattern = record[copy].pattern};
    return mcd_clock_cost(&timing->arcs->patterns, &part, instant, timing->direction);
}

/* ---- seeds ---- */

typedef struct seed_list {
    mcd_seed *seed;
    size_t count, capacity;
} seed_list;

static void lift(mcd_weight *objective, mcd_weight *companion, const mcd_position *position)
{
    *objective = mcd_weight_add(*objective, position->lift[0]);
    *companion = mcd_weight_add(*companion, position->lift[1]);
}

/* Where searches leave or reach places, whatever the weights. */
typedef struct part_list {
    mcd_seed_part *part;
    size_t count, capacity;
} part_list;

/* Adds the part of the position's i-th arc at `node`. */
static void add_part(part_list *list, const mcd_position *position, int i, mcd_node node, uint32_t copy)
{
    if (copy != MCD_ROAD_NONE)
        list->part[list->count++] = (mcd_seed_part){position->before[i], node, position->arc[i], copy};
}

/* Returns the tail of the position's i-th arc: the arc back leads to its id. */
static mcd_node tail_of(const mcd_roads *roads, const mcd_position *position, int i)
{
    const uint32_t back = position->arc[1 - i];
    if (back == MCD_ROAD_NONE) return mcd_road_tail(roads->graph, position->arc[i]);
    return roads->places->depart[roads->places->node_place[roads->graph->head[back]]];
}

/* Lists the parts of the position's i-th arc. */
static macadam_status list_parts(part_list *list, const mcd_lanes *lanes, const mcd_position *position, int i,
                                 macadam_error *error)
{
    const mcd_graph *const graph = lanes->roads->graph;
    const uint32_t arc = position->arc[i];
    if (lanes->end == MCD_DEPART) {
        MCD_TRY(MCD_GROW(list->part, list->capacity, list->count + 1, error));
        add_part(list, position, i, graph->head[arc], arc);
        return MACADAM_OK;
    }
    const mcd_node tail = tail_of(lanes->roads, position, i), arrive = mcd_road_arrival(lanes->roads, tail);
    const mcd_arc first = graph->first_in[arrive], end = graph->first_in[arrive + 1];
    MCD_TRY(MCD_GROW(list->part, list->capacity, list->count + 1 + (size_t)(end - first), error));
    if (arrive == tail) add_part(list, position, i, tail, mcd_road_copy(lanes->roads, tail, arc));
    for (mcd_arc xy = first; arrive != tail && xy < end; ++xy)
        add_part(list, position, i, graph->tail[xy], mcd_road_copy(lanes->roads, graph->tail[xy], arc));
    return MACADAM_OK;
}

/* Adds the seeds of some parts of a position that are open. */
static macadam_status add_seeds(seed_list *list, const mcd_lanes *lanes, const mcd_position *position,
                                const mcd_seed_part *part, size_t count, macadam_error *error)
{
    const mcd_weights *const weights = lanes->weights;
    const bool departs = lanes->end == MCD_DEPART;
    MCD_TRY(MCD_GROW(list->seed, list->capacity, list->count + count, error));
    for (size_t k = 0; k < count; ++k) {
        if (!is_open(weights, part[k].arc) || !is_open(weights, part[k].copy)) continue;
        mcd_seed seed = {part[k].node, mcd_seed_part_cost(&part[k], weights->objective, departs),
                         mcd_seed_part_cost(&part[k], weights->companion, departs)};
        lift(&seed.objective, &seed.companion, position);
        if (seed.objective < MCD_UNREACHED) list->seed[list->count++] = seed;
    }
    return MACADAM_OK;
}

/* ---- lanes ---- */

/* The lanes of a task's places, as long as their number is not known. */
typedef struct lane_list {
    mcd_lane *lane;
    size_t count, capacity;
    part_list parts;
    uint32_t first_part[PLACES_PER_TASK + 1]; /* as in mcd_known_ends */
    macadam_status status;
    macadam_error error;
} lane_list;

typedef struct lanes_work {
    mcd_lanes *lanes;
    const mcd_place_index *places;
    lane_list *list; /* [task_count] */
    size_t task_count;
    bool matter; /* positions are needed later */
    const mcd_known_ends *known;
} lanes_work;

/* Appends the lanes of a position, which has `count` parts. `seeds` is scratch. */
static macadam_status append_lanes(lane_list *out, const lanes_work *work, const mcd_position *position,
                                   const mcd_seed_part *part, size_t count, seed_list *seeds,
                                   macadam_error *error)
{
    const mcd_lanes *const lanes = work->lanes;
    seeds->count = 0;
    MCD_TRY(add_seeds(seeds, lanes, position, part, count, error));
    seeds->count = mcd_seeds_sort(seeds->seed, (uint32_t)seeds->count);
    MCD_TRY(MCD_GROW(out->lane, out->capacity, out->count + seeds->count + 1, error));
    if (seeds->count == 0) {
        const mcd_node *const node = lanes->end == MCD_DEPART ? work->places->depart : work->places->arrive;
        mcd_lane *const lane = &out->lane[out->count++];
        *lane = mcd_lane_of(position->id == MCD_PLACE_NONE ? MCD_NODE_NONE : node[position->id]);
        lift(&lane->seed[0].objective, &lane->seed[0].companion, position);
    }
    const mcd_hierarchy *const hierarchy = lanes->weights->hierarchy;
    while (seeds->count > 0)
        seeds->count = mcd_seeds_take(&out->lane[out->count++], seeds->seed, (uint32_t)seeds->count,
                                      hierarchy ? hierarchy->subtree_end : NULL, lanes->apart);
    return MACADAM_OK;
}

static void touch(const void *memory)
{
    (void)*(const volatile char *)memory;
}

/* Reads what the ends of a position are made of; each step, what the one before has fetched. On a virtual machine prefetches
 * gained nothing. */
enum { TOUCH_STEPS = 4 };
static void touch_position_ends(const lanes_work *work, const mcd_position *position, int step)
{
    const mcd_graph *const graph = work->lanes->roads->graph;
    const mcd_node *const depart = work->places->depart, *const arrive = work->places->arrive;
    for (int i = 0; i < 2; ++i) {
        const uint32_t arc = position->arc[i];
        if (arc == MCD_ROAD_NONE) continue;
        const uint32_t *const id = &work->places->node_place[step == 0 ? 0 : graph->head[arc]];
        if (step == 0) touch(&graph->head[arc]);
        if (step == 1) touch(id);
        if (step == 2) touch(&depart[*id]), touch(&arrive[*id]);
        if (step == 3) touch(&graph->first_out[depart[*id]]), touch(&graph->first_in[arrive[*id]]);
    }
}

/* Lists the parts of a position's arcs. */
static macadam_status list_position_parts(part_list *list, const mcd_lanes *lanes,
                                          const mcd_position *position, macadam_error *error)
{
    for (int i = 0; i < 2; ++i)
        if (position->arc[i] != MCD_ROAD_NONE) MCD_TRY(list_parts(list, lanes, position, i, error));
    return MACADAM_OK;
}

/* Returns whether the parts of a place are known. */
static bool is_known(const lanes_work *work, size_t i)
{
    const mcd_position *const position = &work->lanes->position[i];
    return work->known && memcmp(work->known->position[i].arc, position->arc, sizeof position->arc) == 0 &&
           work->known->position[i].before[0] == position->before[0];
}

/* Lists the parts of a place that are known. */
static macadam_status copy_parts(part_list *list, const mcd_known_ends *known, size_t i, macadam_error *error)
{
    const uint32_t *const first = &known->first[i], count = first[1] - first[0];
    MCD_TRY(MCD_GROW(list->part, list->capacity, list->count + count, error));
    for (uint32_t k = 0; k < count; ++k) list->part[list->count++] = known->part[first[0] + k];
    return MACADAM_OK;
}

/* Lists the parts of a task's places. */
static macadam_status list_task_parts(lane_list *out, const lanes_work *work, size_t first, size_t end)
{
    const mcd_lanes *const lanes = work->lanes;
    for (int step = 0; lanes->roads && step < (lanes->end == MCD_DEPART ? 1 : TOUCH_STEPS); ++step)
        for (size_t i = first; i < end; ++i)
            if (!is_known(work, i)) touch_position_ends(work, &lanes->position[i], step);
    for (size_t i = first; i < end; ++i) {
        MCD_TRY(is_known(work, i)
                    ? copy_parts(&out->parts, work->known, i, &out->error)
                    : list_position_parts(&out->parts, lanes, &lanes->position[i], &out->error));
        out->first_part[i - first + 1] = (uint32_t)out->parts.count;
    }
    return MACADAM_OK;
}

/* Reads what the seeds of some parts are made of. */
static void touch_parts(const mcd_weights *weights, const mcd_seed_part *part, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        if (weights->objective) touch(&weights->objective[part[k].copy]);
        if (weights->companion) touch(&weights->companion[part[k].copy]);
        if (weights->hierarchy) touch(&weights->hierarchy->subtree_end[part[k].node]);
    }
}

/* Appends the lanes of a place's second position. */
static macadam_status append_second(lane_list *out, const lanes_work *work, size_t i, seed_list *seeds)
{
    MCD_OWNED mcd_seed_part *part = NULL;
    part_list parts = {.count = 0};
    const mcd_position *const second = &work->lanes->second[i];
    const macadam_status status = list_position_parts(&parts, work->lanes, second, &out->error);
    part = parts.part;
    return status ? status : append_lanes(out, work, second, part, parts.count, seeds, &out->error);
}

static void list_roads(mcd_lanes *lanes, size_t first, size_t end)
{
    for (size_t i = first; i < end; ++i) lanes->road[i] = mcd_position_road(&lanes->position[i]);
}

static void lanes_range(const lanes_work *work, size_t first, size_t end)
{
    mcd_lanes *const lanes = work->lanes;
    lane_list *const out = &work->list[first / PLACES_PER_TASK];
    seed_list seeds = {0};
    out->status = list_task_parts(out, work, first, end);
    touch_parts(lanes->weights, out->parts.part, out->parts.count);
    for (size_t i = first; i < end && !out->status; ++i) {
        const size_t before = out->count, part = out->first_part[i - first];
        out->status = append_lanes(out, work, &lanes->position[i], out->parts.part + part,
                                   out->first_part[i - first + 1] - part, &seeds, &out->error);
        if (lanes->inner) lanes->inner[i] = out->count - before;
        if (!out->status && mcd_lanes_subnetwork(lanes, i) != MCD_SUBNETWORK_NONE)
            out->status = append_second(out, work, i, &seeds);
        lanes->first[i + 1] = out->count - before;
    }
    mcd_free(seeds.seed);
}

/* Replaces lanes of one seed by its node. */
static macadam_status keep_nodes(mcd_lanes *lanes, macadam_error *error)
{
    MCD_TRY(MCD_NEW(lanes->node, lanes->count, error));
    for (size_t i = 0; i < lanes->count; ++i) lanes->node[i] = lanes->lane[i].seed[0].node;
    mcd_free(lanes->lane);
    lanes->lane = NULL;
    return MACADAM_OK;
}

static void join_range(void *argument, size_t first, size_t end)
{
    const lanes_work *const work = argument;
    for (size_t task = first; task < end; ++task)
        memcpy(work->lanes->lane + work->lanes->first[task * PLACES_PER_TASK], work->list[task].lane,
               work->list[task].count * sizeof(mcd_lane));
}

/* Puts the lanes of all tasks one after the other. */
static macadam_status join_lanes(lanes_work *work, const mcd_parallel *parallel, macadam_error *error)
{
    mcd_lanes *const lanes = work->lanes;
    const size_t task_count = work->task_count;
    for (size_t task = 0; task < task_count; ++task)
        if (work->list[task].status)
            return mcd_fail(error, work->list[task].status, "%s", work->list[task].error.message);
    lanes->first[0] = 0;
    for (size_t i = 0; i < lanes->place_count; ++i) lanes->first[i + 1] += lanes->first[i];
    for (size_t i = 0; lanes->inner && i < lanes->place_count; ++i) lanes->inner[i] += lanes->first[i];
    lanes->count = lanes->first[lanes->place_count];
    if (task_count != 1) {
        MCD_TRY(MCD_NEW(lanes->lane, lanes->count, error));
        mcd_parallel_for_ranges(parallel, task_count, TASKS_PER_JOIN, join_range, work);
    } else { /* they are complete */
        lanes->lane = work->list[0].lane;
        work->list[0].lane = NULL;
    }
    if (lanes->apart) MCD_TRY(keep_nodes(lanes, error));
    if (lanes->count > lanes->place_count) return MACADAM_OK;
    mcd_free(lanes->first);
    lanes->first = NULL;
    return MACADAM_OK;
}

static macadam_status touch_position(const mcd_lanes *lanes, const mcd_position *position,
                                     macadam_engine *engine, macadam_error *error)
{
    for (int i = 0; i < 2; ++i) {
        if (position->arc[i] == MCD_ROAD_NONE) continue;
        const mcd_node tail = tail_of(lanes->roads, position, i);
        MCD_TRY(mcd_engine_touch_arrivals(engine, mcd_road_arrival(lanes->roads, tail), error));
    }
    return MACADAM_OK;
}

/* Lanes that arrive read the arcs to the junctions of their roads. Those of few places are checked one by one. */
static macadam_status touch_arrivals(const mcd_lanes *lanes, macadam_engine *engine, macadam_error *error)
{
    if (lanes->end == MCD_DEPART || !lanes->roads) return MACADAM_OK;
    if (lanes->place_count > TOUCHED_MAX) return mcd_engine_load(engine, MCD_LOAD_GRAPH, error);
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_ARRIVALS, error));
    for (size_t i = 0; i < lanes->place_count; ++i) {
        MCD_TRY(touch_position(lanes, &lanes->position[i], engine, error));
        if (mcd_lanes_subnetwork(lanes, i) != MCD_SUBNETWORK_NONE)
            MCD_TRY(touch_position(lanes, &lanes->second[i], engine, error));
    }
    return MACADAM_OK;
}

/* Returns the ends that are known of the places; NULL: none. */
static const mcd_known_ends *find_known(const mcd_lanes *lanes)
{
    const mcd_known_ends *const known = lanes->known ? lanes->known->ends[lanes->end] : NULL;
    return known && known->place == lanes->known_first && known->count == lanes->place_count ? known : NULL;
}

/* Makes the lanes of known ends, which stay without if there is no memory. */
static macadam_status make_known_lanes(mcd_known_ends *ends, const lanes_work *work)
{
    const mcd_node *const node = work->lanes->end == MCD_DEPART ? work->places->depart : work->places->arrive;
    const size_t most = ends->first[ends->count] + ends->count;
    MCD_OWNED mcd_seed *seed = NULL;
    MCD_OWNED mcd_lane *lane = NULL;
    MCD_OWNED uint64_t *order = NULL;
    MCD_OWNED uint64_t *scratch = NULL;
    size_t *const end = ends->first_lane;
    if (!work->lanes->weights->hierarchy) return MACADAM_OK;
    MCD_TRY(MCD_NEW(seed, most, NULL));
    MCD_TRY(MCD_NEW(lane, most, NULL));
    MCD_TRY(MCD_NEW(order, most, NULL));
    MCD_TRY(MCD_NEW(scratch, most, NULL));
    end[0] = 0;
    for (size_t i = 0; i < ends->count; ++i) {
        const size_t id = ends->position[i].id;
        const uint32_t first = ends->first[i];
        uint32_t count = ends->first[i + 1] - first;
        end[i + 1] = end[i];
        if (count == 0) {
            lane[end[i + 1]] = mcd_lane_of(id == MCD_PLACE_NONE ? MCD_NODE_NONE : node[id]);
            lane[end[i + 1]++].seed[0].objective = MCD_PART_NONE;
        }
        for (uint32_t k = 0; k < count; ++k) seed[k] = (mcd_seed){ends->part[first + k].node, first + k, 0};
        mcd_seeds_order(seed, count);
        while (count > 0)
            count = mcd_seeds_take(&lane[end[i + 1]++], seed, count,
                                   work->lanes->weights->hierarchy->subtree_end, false);
    }
    for (size_t l = 0; l < end[ends->count]; ++l) order[l] = (uint64_t)lane[l].seed[0].node << 32 | l;
    MCD_TRY(mcd_sort_bits(order, scratch, end[ends->count], 32, 64, NULL, NULL));
    MCD_TRY(MCD_MOVE(ends->order, order));
    return MCD_MOVE(ends->lane, lane);
}

/* Keeps the ends of all places, if there is memory. */
static void keep_ends(const lanes_work *work)
{
    const mcd_lanes *const lanes = work->lanes;
    size_t count = 0, at = 0;
    for (size_t task = 0; task < work->task_count; ++task) count += work->list[task].parts.count;
    mcd_known_ends *const ends = mcd_known_ends_new(lanes->known_first, lanes->place_count, count);
    if (!ends) return;
    memcpy(ends->position, lanes->position, lanes->place_count * sizeof *ends->position);
    for (size_t i = 0; i < lanes->place_count; ++i) ends->position[i].lift[0] = ends->position[i].lift[1] = 0;
    for (size_t task = 0; task < work->task_count; at += work->list[task++].parts.count) {
        const lane_list *const list = &work->list[task];
        const size_t first = task * PLACES_PER_TASK,
                     last = mcd_size_min(first + PLACES_PER_TASK, lanes->place_count);
        for (size_t i = first; i <= last; ++i) ends->first[i] = (uint32_t)at + list->first_part[i - first];
        if (list->parts.count)
            memcpy(&ends->part[at], list->parts.part, list->parts.count * sizeof *ends->part);
    }
    (void)make_known_lanes(ends, work);
    mcd_known_list_keep(lanes->known, lanes->end, ends);
}

bool mcd_lanes_take_known(mcd_lanes *const both[2])
{
    const mcd_known_ends *known[2];
    for (int k = 0; k < 2; ++k) {
        known[k] = find_known(both[k]);
        if (!known[k] || !known[k]->lane ||
            memcmp(known[k]->position, both[k]->position, known[k]->count * sizeof *known[k]->position) != 0)
            return false;
    }
    for (int k = 0; k < 2; ++k) {
        const size_t places = known[k]->count, count = known[k]->first_lane[places];
        both[k]->lane = known[k]->lane, both[k]->count = count;
        both[k]->first = count > places ? known[k]->first_lane : NULL;
        both[k]->parts = (mcd_seed_parts){known[k]->part, known[k]->first[places], known[k]->order, count};
    }
    return true;
}

static macadam_status begin_lanes(lanes_work *out, mcd_lanes *lanes, macadam_engine *engine,
                                  macadam_error *error)
{
    *out =
        (lanes_work){.lanes = lanes, .places = &engine->places, .matter = lanes->subnetwork || lanes->road};
    out->task_count = (lanes->place_count + PLACES_PER_TASK - 1) / PLACES_PER_TASK;
    if (lanes->road) return MACADAM_OK;
    out->known = find_known(lanes);
    MCD_TRY(touch_arrivals(lanes, engine, error));
    for (size_t i = 0; i < lanes->place_count && !out->matter; ++i)
        out->matter = mcd_position_is_within(&lanes->position[i]) || lanes->position[i].lift[0] ||
                      lanes->position[i].lift[1];
    MCD_TRY(MCD_NEW(lanes->first, lanes->place_count + 1, error));
    if (lanes->subnetwork) MCD_TRY(MCD_NEW(lanes->inner, lanes->place_count, error));
    return MCD_NEW_ZEROED(out->list, out->task_count, error);
}

/* The lanes of some lists, and tasks beside. */
typedef struct both_work {
    lanes_work work[MCD_LANES_TOGETHER];
    mcd_lanes_beside beside;
    void *argument;
    macadam_status status[MCD_LANES_BESIDE]; /* of the tasks beside */
    macadam_error *error;                    /* [MCD_LANES_BESIDE] */
} both_work;

static void lanes_task(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    both_work *const both = argument;
    lanes_work *work = both->work;
    if (index < MCD_LANES_BESIDE) {
        mcd_recover(&both->error[index]);
        if (both->beside) both->status[index] = both->beside(both->argument, index, &both->error[index]);
        return;
    }
    for (index -= MCD_LANES_BESIDE; index >= work->task_count; ++work) index -= work->task_count;
    const size_t first = index * PLACES_PER_TASK,
                 end = mcd_size_min(first + PLACES_PER_TASK, work->lanes->place_count);
    work->lanes->road ? list_roads(work->lanes, first, end) : lanes_range(work, first, end);
}

static void end_lanes(lanes_work *work)
{
    for (size_t task = 0; work->list && task < work->task_count; ++task)
        MCD_FREE_ALL(work->list[task].lane, work->list[task].parts.part);
    mcd_free(work->list);
    if (!work->lanes || work->matter) return;
    mcd_free(work->lanes->position);
    work->lanes->position = NULL;
}

macadam_status mcd_lanes_make(mcd_lanes *const *lanes, size_t count, macadam_engine *engine,
                              const mcd_parallel *parallel, mcd_lanes_beside beside, void *argument,
                              macadam_error *error)
{
    macadam_error beside_error[MCD_LANES_BESIDE]; /* not initialized: it is large */
    both_work both = {.beside = beside, .argument = argument, .error = beside_error};
    lanes_work *const work = both.work;
    const mcd_parallel here = {1, NULL};
    size_t places = 0;
    macadam_status status = MACADAM_OK;
    for (size_t k = 0; k < count; ++k) places += lanes[k]->place_count;
    if (places <= PLACES_PER_TASK) parallel = &here;
    for (size_t k = 0; k < count && !status; ++k) status = begin_lanes(&work[k], lanes[k], engine, error);
    const size_t tasks = MCD_LANES_BESIDE + work[0].task_count + work[1].task_count;
    if (!status) mcd_parallel_for(parallel, tasks, lanes_task, &both);
    for (int i = 0; i < MCD_LANES_BESIDE && !status; ++i)
        if (both.status[i]) status = mcd_fail(error, both.status[i], "%s", beside_error[i].message);
    for (size_t k = 0; k < count && !status; ++k) {
        if (lanes[k]->road) continue;
        status = join_lanes(&work[k], parallel, error);
        if (!status && lanes[k]->known && !lanes[k]->known->ends[lanes[k]->end]) keep_ends(&work[k]);
    }
    for (size_t k = 0; k < count; ++k) end_lanes(&work[k]);
    return status;
}

/* ---- of ids ---- */

typedef struct ids_work {
    const mcd_place_index *places;
    const mcd_node *node_of; /* by id: the node to depart from, or to arrive at */
    const macadam_place *place;
    mcd_lanes *out;
    macadam_place_status *status; /* may be NULL */
} ids_work;

static void ids_range(void *argument, size_t first, size_t end)
{
    const ids_work *work = argument;
    for (size_t i = first; i < end; ++i) {
        const bool is_id = work->place[i].kind == MACADAM_PLACE_NODE && mcd_place_is_current(&work->place[i]);
        const size_t id = is_id ? mcd_place_find_id(work->places, work->place[i].id) : MCD_PLACE_NONE;
        const mcd_node node = id == MCD_PLACE_NONE ? MCD_NODE_NONE : work->node_of[id];
        if (work->out->node)
            work->out->node[i] = node;
        else
            work->out->lane[i] = mcd_lane_of(node);
        if (work->status)
            work->status[i] = id != MCD_PLACE_NONE ? MACADAM_PLACE_OK
                              : is_id              ? MACADAM_PLACE_UNKNOWN_ID
                                                   : MACADAM_PLACE_INVALID;
    }
}

macadam_status mcd_lanes_of_ids(mcd_lanes *out, const mcd_place_index *places, const mcd_parallel *parallel,
                                const macadam_place *place, size_t place_count, mcd_end end, bool as_nodes,
                                macadam_place_status *status, macadam_error *error)
{
    *out = (mcd_lanes){.end = end, .place_count = place_count, .count = place_count};
    MCD_TRY(as_nodes ? MCD_NEW(out->node, place_count, error) : MCD_NEW(out->lane, place_count, error));
    mcd_pages_make_large(as_nodes ? (void *)out->node : out->lane,
                         place_count * (as_nodes ? sizeof *out->node : sizeof *out->lane));
    ids_work work = {places, end == MCD_DEPART ? places->depart : places->arrive, place, out, status};
    mcd_parallel_for_ranges(parallel, place_count, PLACES_PER_TASK, ids_range, &work);
    return MACADAM_OK;
}

void mcd_lanes_free(mcd_lanes *lanes)
{
    if (!lanes->parts.part) MCD_FREE_ALL(lanes->lane, lanes->first);
    MCD_FREE_ALL(lanes->node, lanes->road, lanes->position, lanes->subnetwork, lanes->second, lanes->inner,
                 lanes->potential[0], lanes->potential[1]);
    *lanes = (mcd_lanes){.count = 0};
}

size_t mcd_lanes_most(const mcd_lanes *lanes, size_t place_count)
{
    size_t most = place_count;
    for (size_t i = 0; lanes->first && i + place_count <= lanes->place_count; ++i)
        most = mcd_size_max(most, lanes->first[i + place_count] - lanes->first[i]);
    return most;
}

mcd_position mcd_lanes_position(const mcd_lanes *lanes, const mcd_place_index *places, size_t place)
{
    mcd_position position = mcd_position_none;
    const mcd_node node =
        lanes->position ? MCD_NODE_NONE : mcd_lanes_at(lanes, mcd_lanes_first(lanes, place)).seed[0].node;
    if (lanes->position) position = lanes->position[place];
    if (node != MCD_NODE_NONE) position.id = places->node_place[node];
    position.lift[0] = position.lift[1] = 0;
    return position;
}

/* ---- paths ---- */

mcd_road_part mcd_lanes_part(const mcd_lanes *lanes, const mcd_position *position, mcd_node node,
                             uint32_t instant)
{
    mcd_road_part best = no_part;
    for (int i = 0; i < 2; ++i) {
        uint32_t arc = position->arc[i];
        if (arc == MCD_ROAD_NONE || !is_open(lanes->weights, arc)) continue;
        mcd_road_part part = mcd_lanes_between(lanes->weights, arc, position->before[i], MCD_ROAD_WHOLE);
        if (lanes->end == MCD_DEPART && lanes->roads->graph->head[arc] != node) continue;
        if (lanes->end == MCD_ARRIVE) {
            arc = mcd_road_copy(lanes->roads, node, arc);
            if (arc == MCD_ROAD_NONE || !is_open(lanes->weights, arc)) continue;
            part = part_before(lanes->weights, position, i, arc);
        }
        if (lanes->timing.arcs)
            part.objective =
                duration_between(&lanes->timing, arc, position->arc[i], part.from, part.to, instant);
        if (is_less(part.objective, part.companion, &best)) best = part;
    }
    return best;
}

mcd_road_part mcd_lanes_along(const mcd_lanes *source, size_t s, const mcd_lanes *target, size_t t, int i)
{
    const mcd_position *const from = &source->position[s], *const to = &target->position[t];
    const uint32_t arc = from->arc[i];
    if (arc == MCD_ROAD_NONE || arc != to->arc[i] || from->before[i] > to->before[i]) return no_part;
    if (!is_open(source->weights, arc)) return no_part;
    mcd_road_part part = mcd_lanes_between(source->weights, arc, from->before[i], to->before[i]);
    if (source->timing.arcs)
        part.objective = duration_between(&source->timing, arc, arc, part.from, part.to,
                                          source->instant ? source->instant[s] : target->instant[t]);
    lift(&part.objective, &part.companion, from);
    lift(&part.objective, &part.companion, to);
    return part.objective < MCD_UNREACHED ? part : no_part; /* by the clock, a road may take longer */
}

mcd_road_part mcd_lanes_same_road(const mcd_lanes *source, size_t s, const mcd_lanes *target, size_t t)
{
    const mcd_road_part there = mcd_lanes_along(source, s, target, t, 0),
                        back = mcd_lanes_along(source, s, target, t, 1);
    return is_less(back.objective, back.companion, &there) ? back : there;
}
