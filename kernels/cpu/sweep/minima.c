/* minima.c - the nearest of prepared targets, without trees. Only 32-bit lanes.
 * (Buchhold and Wagner 2021: nearest neighbours in customizable contraction hierarchies)
 *
 * Method. A cost is the least sum of two labels over the ancestors that source and target share. So each node
 * on the root path of a target keeps the least costs from it to targets; a key is a cost and, in its low
 * half, a target's position. A source adds its label to the keys of its own root path and keeps the least sum
 * of each target. Why `nearest_count` keys a node are enough. Let a target's best way lead over a node. A
 * target whose key there is less has a lesser key at the source as well. If the node has dropped the target,
 * there are `nearest_count` of those.
 * Parallel. Targets are labelled by one thread in groups of 16 lanes, sources in tasks of 16 places.
 * Races. None: the lists are complete before sources read them, and a task keeps the keys of its own
 * places. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/grow.h"
#include "engine/base/top_k.h"
#include "engine/base/rounds.h"
#include "kernels/cpu/pairwise/matrix_targets.h"
#include "kernels/cpu/sweep/sweep.h"

/* The keys of a node. */
typedef struct key_list {
    size_t first; /* in `key`, ascending from there */
    uint32_t capacity, filled;
} key_list;

struct mcd_minima {
    mcd_minima_job job;
    uint32_t *list_of; /* [node] 1 + the index of its list; 0: no target is below it */
    key_list *list;
    uint64_t *key;
};

static size_t group_count(size_t lanes)
{
    return (lanes + LANES - 1) / LANES;
}

/* One label for each thread, in one block. */
static macadam_status new_labels(sweep_scratch **out, const mcd_hierarchy *hierarchy, size_t count,
                                 macadam_error *error)
{
    sweep_scratch probe = {0};
    uintptr_t bytes = 0;
    for (size_t i = 0; i < count; ++i) sweep_carve_labels(&bytes, hierarchy, &probe, 0);
    char *memory;
    const size_t head = (count * sizeof **out + 63) / 64 * 64;
    MCD_TRY(MCD_NEW(memory, head + bytes, error));
    *out = (sweep_scratch *)memory;
    uintptr_t at = (uintptr_t)memory + head;
    for (size_t i = 0; i < count; ++i) {
        (*out)[i] = (sweep_scratch){0};
        sweep_carve_labels(&at, hierarchy, &(*out)[i], 0);
    }
    return MACADAM_OK;
}

/* ---- targets ---- */

typedef struct preparation {
    mcd_minima *minima;
    sorted_lanes lane; /* neighbours share root paths */
    uint32_t *place;   /* [lane] of all of the job's: whose it is */
    sweep_scratch *label;
    size_t list_count, list_capacity;
    mcd_rounds rounds;
} preparation;

/* Gives each node on the root path of a lane its list, of a key for each of them, but at most `nearest_count`. Once a list has
 * room for these, the lists above it have, too. */
static macadam_status new_lists(preparation *run, macadam_error *error)
{
    mcd_minima *const minima = run->minima;
    const mcd_hierarchy *const hierarchy = minima->job.weights->hierarchy;
    size_t keys = 0;
    MCD_TRY(MCD_NEW_ZEROED(minima->list_of, hierarchy->node_count, error));
    for (size_t i = 0; i < run->lane.count; ++i)
        for (mcd_node node = run->lane.lane[i].seed[0].node; node != MCD_NODE_NONE;
             node = hierarchy->parent[node]) {
            if (!minima->list_of[node]) {
                if (run->list_count == run->list_capacity)
                    MCD_TRY(MCD_GROW(minima->list, run->list_capacity, run->list_count + 1, error));
                minima->list[run->list_count++] = (key_list){0};
                minima->list_of[node] = (uint32_t)run->list_count;
            }
            key_list *const list = &minima->list[minima->list_of[node] - 1];
            if (list->capacity == minima->job.nearest_count) break;
            ++list->capacity;
        }
    for (size_t i = 0; i < run->list_count; keys += minima->list[i++].capacity) minima->list[i].first = keys;
    return MCD_NEW(minima->key, keys, error);
}

/* Puts the labels of a group of lanes into the lists of their root paths. */
static void add_group(void *argument, size_t group, MCD_UNUSED unsigned worker)
{
    preparation *const run = argument;
    mcd_minima *const minima = run->minima;
    const mcd_weights *const weights = minima->job.weights;
    const mcd_direction back = minima->job.direction == MCD_FORWARD ? MCD_BACKWARD : MCD_FORWARD;
    const size_t first = group * LANES;
    sweep_label(weights, back, run->lane.lane + first, mcd_size_min(LANES, run->lane.count - first),
                run->label, 0);
    for (size_t v = 0; v < run->label->visit_count[0]; ++v) {
        const label_visit visit = run->label->visit[0][v];
        const cost *const costs =
            run->label->panel[0] + (size_t)weights->hierarchy->depth[visit.node] * LANES;
        key_list *const list = &minima->list[minima->list_of[visit.node] - 1];
        uint64_t *const key = minima->key + list->first;
        /* above the costs that are kept */
        const cost bound =
            list->filled == list->capacity ? (cost)(key[list->filled - 1] >> 32) + 1 : MCD_UNREACHED;
        for (uint32_t mask = visit.mask & row_below(row_load(costs), bound); mask; mask &= mask - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(mask);
            mcd_top_k_keep(key, &list->filled, list->capacity,
                           (uint64_t)costs[lane] << 32 | run->place[run->lane.origin[first + lane]]);
        }
    }
}

static macadam_status prepare(preparation *run, macadam_error *error)
{
    const mcd_minima_job *const job = &run->minima->job;
    const size_t lane_count = job->first ? job->first[job->place_count] : job->place_count;
    const mcd_parallel one = {.thread_count = 1};
    MCD_TRY(mcd_sorted_lanes_new(&run->lane, job->lane, NULL, lane_count, error));
    MCD_TRY(MCD_NEW(run->place, lane_count, error));
    for (size_t place = 0, lane = 0; place < job->place_count; ++place)
        for (const size_t end = job->first ? job->first[place + 1] : place + 1; lane < end; ++lane)
            run->place[lane] = (uint32_t)place;
    MCD_TRY(new_lists(run, error));
    MCD_TRY(new_labels(&run->label, job->weights->hierarchy, 1, error));
    mcd_rounds_begin(&run->rounds, &job->progress, "targets", run->lane.count);
    return mcd_rounds_for(&run->rounds, 0, run->lane.count, &one, group_count(run->lane.count), add_group,
                          run, error);
}

void MCD_KERNEL(minima_free)(mcd_minima *minima)
{
    if (!minima) return;
    MCD_FREE_ALL(minima->list_of, minima->list, minima->key, minima);
}

static void free_preparation(preparation *run)
{
    mcd_sorted_lanes_free(&run->lane);
    MCD_FREE_ALL(run->place, run->label);
    MCD_KERNEL(minima_free)(run->minima);
}

macadam_status MCD_KERNEL(minima_new)(mcd_minima **out, const mcd_minima_job *job, macadam_error *error)
{
    MCD_FREED_BY(free_preparation) preparation run = {0};
    MCD_TRY(MCD_NEW_ZEROED(run.minima, 1, error));
    run.minima->job = *job;
    MCD_TRY(prepare(&run, error));
    return MCD_MOVE(*out, run.minima);
}

/* ---- sources ---- */

typedef struct finding {
    const mcd_minima_find_job *job;
    sorted_lanes place;   /* by the first lane of each */
    sweep_scratch *label; /* [thread] */
    mcd_rounds rounds;
} finding;

/* The nearest targets of a place so far, in ascending order. */
typedef struct shortest {
    uint64_t key[MCD_MINIMA_MAX], bound; /* bound: above all keys that can still be kept */
    uint32_t count;
} shortest;

/* Up to 16 lanes of the places of a task. */
typedef struct lane_group {
    mcd_lane lane[LANES];
    shortest *list[LANES];
    size_t count;
} lane_group;

/* Keeps those of a node's keys that are among the least with what comes before. */
static void take_list(const mcd_minima *minima, const key_list *from, cost before, shortest *list)
{
    const uint64_t *const key = minima->key + from->first;
    const size_t capacity = minima->job.nearest_count;
    for (uint32_t i = 0; i < from->filled; ++i) {
        const uint64_t sum = key[i] + ((uint64_t)before << 32); /* fits: types.h */
        if (sum >= list->bound) return;
        mcd_top_k_keep(list->key, &list->count, capacity, sum);
        if (list->count == capacity) list->bound = list->key[capacity - 1];
    }
}

static void take_group(const mcd_minima *minima, lane_group *group, sweep_scratch *label)
{
    const mcd_weights *const weights = minima->job.weights;
    if (group->count == 0) return;
    sweep_label(weights, minima->job.direction, group->lane, group->count, label, 0);
    for (size_t v = 0; v < label->visit_count[0]; ++v) {
        const label_visit visit = label->visit[0][v];
        if (minima->list_of[visit.node] == 0) continue;
        const key_list *const from = &minima->list[minima->list_of[visit.node] - 1];
        const cost *const costs = label->panel[0] + (size_t)weights->hierarchy->depth[visit.node] * LANES;
        for (uint32_t mask = visit.mask; mask; mask &= mask - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(mask);
            take_list(minima, from, costs[lane], group->list[lane]);
        }
    }
    group->count = 0;
}

static void find_places(void *argument, size_t task, unsigned worker)
{
    const finding *const run = argument;
    const mcd_minima_find_job *const job = run->job;
    const size_t first = task * LANES, end = mcd_size_min(first + LANES, job->place_count);
    shortest list[LANES];
    lane_group group;
    group.count = 0;
    for (size_t i = first; i < end; ++i) {
        const size_t place = run->place.origin[i];
        list[i - first].count = 0;
        list[i - first].bound = (uint64_t)MCD_UNREACHED << 32;
        if (i >= run->place.count) continue; /* it failed */
        const size_t last = job->first ? job->first[place + 1] : place + 1;
        for (size_t lane = job->first ? job->first[place] : place; lane < last; ++lane) {
            group.lane[group.count] = job->lane[lane];
            group.list[group.count++] = &list[i - first];
            if (group.count == LANES) take_group(job->minima, &group, &run->label[worker]);
        }
    }
    take_group(job->minima, &group, &run->label[worker]);
    for (size_t i = first; i < end; ++i)
        job->take(job->context, run->place.origin[i], list[i - first].key, list[i - first].count);
}

macadam_status MCD_KERNEL(minima_find)(const mcd_minima_find_job *job, macadam_error *error)
{
    MCD_FREED_BY(mcd_sorted_lanes_free) sorted_lanes place = {0};
    MCD_OWNED sweep_scratch *label = NULL;
    MCD_TRY(mcd_sorted_lanes_new(&place, job->lane, job->first, job->place_count, error));
    MCD_TRY(new_labels(&label, job->minima->job.weights->hierarchy, job->parallel.thread_count, error));
    finding run = {.job = job, .place = place, .label = label};
    mcd_rounds_begin(&run.rounds, &job->progress, "nearest", job->place_count);
    return mcd_rounds_for(&run.rounds, 0, job->place_count, &job->parallel, group_count(job->place_count),
                          find_places, &run, error);
}
