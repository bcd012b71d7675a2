/* opposite.c - see opposite.h. */
#include "engine/file/opposite.h"

#include "engine/base/memory.h"
#include "engine/base/watch.h"

enum {
    PLACES_PER_TASK = 1 << 13,
    LEAVING_MAX = 32 /* originals of a junction whose opposites are looked for */
};

/* ---- opposites ---- */

typedef struct pairing {
    const mcd_opposites *out;
    size_t place_count;
    uint32_t *first;      /* [place_count + 1] the originals that leave each departing node, in their order */
    uint32_t *rank;       /* [place_count] which departing node a place has */
    uint32_t *head_place; /* [original_count] */
} pairing;

/* Lists the originals in the order of departing nodes. */
static macadam_status list_originals(const pairing *run, const mcd_graph *graph,
                                     const mcd_place_index *places, const uint32_t *original,
                                     macadam_error *error)
{
    uint32_t count = 0, departures = 0;
    for (mcd_node v = 0; v < graph->node_count; ++v) {
        MCD_TRY(mcd_watch_item(NULL, v, graph->node_count, error));
        const uint32_t place = places->node_place[v];
        if (places->depart[place] != v) continue;
        run->rank[place] = departures;
        run->first[departures++] = count;
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
            if (original && original[arc] == MCD_ROAD_NONE) continue;
            run->out->arc[count] = (uint32_t)arc;
            run->head_place[count++] = places->node_place[graph->head[arc]];
        }
    }
    run->first[departures] = count;
    return MACADAM_OK;
}

/* Returns the k-th original from `first` on that leads to a place; MCD_ROAD_NONE: there are fewer. */
static uint32_t find_leading_to(const pairing *run, uint32_t first, uint32_t end, uint32_t place, size_t k)
{
    for (uint32_t o = first; o < end; ++o)
        if (run->head_place[o] == place && k-- == 0) return o;
    return MCD_ROAD_NONE;
}

static void pair_place(const pairing *run, uint32_t place)
{
    const uint32_t first = run->first[run->rank[place]], end = run->first[run->rank[place] + 1];
    for (uint32_t o = first; o < end; ++o) {
        const uint32_t other = run->head_place[o], back = run->first[run->rank[other]],
                       back_end = run->first[run->rank[other] + 1];
        run->out->opposite[o] = MCD_ROAD_NONE;
        if (back >= first || end - first > LEAVING_MAX || back_end - back > LEAVING_MAX) continue;
        size_t k = 0;
        for (uint32_t before = first; before < o; ++before) k += run->head_place[before] == other;
        run->out->opposite[o] = find_leading_to(run, back, back_end, place, k);
    }
}

static void pair_places(void *argument, size_t task, unsigned worker)
{
    const pairing *const run = argument;
    const size_t end = mcd_size_min((task + 1) * PLACES_PER_TASK, run->place_count);
    (void)worker;
    for (size_t place = task * PLACES_PER_TASK; place < end; ++place) pair_place(run, (uint32_t)place);
}

static macadam_status find_opposites(pairing *run, const mcd_graph *graph, const mcd_place_index *places,
                                     const uint32_t *original, const mcd_parallel *parallel,
                                     macadam_error *error)
{
    MCD_TRY(MCD_NEW(run->first, run->place_count + 1, error));
    MCD_TRY(MCD_NEW(run->rank, run->place_count, error));
    MCD_TRY(MCD_NEW(run->head_place, run->out->original_count, error));
    MCD_TRY(list_originals(run, graph, places, original, error));
    return mcd_watch_for(NULL, parallel, (run->place_count + PLACES_PER_TASK - 1) / PLACES_PER_TASK,
                         pair_places, run, error);
}

macadam_status mcd_opposites_new(mcd_opposites *out, const mcd_graph *graph, const mcd_place_index *places,
                                 const uint32_t *original, size_t original_count,
                                 const mcd_parallel *parallel, macadam_error *error)
{
    *out = (mcd_opposites){.original_count = original_count};
    pairing run = {.out = out, .place_count = places->id_count};
    macadam_status status = MCD_NEW(out->arc, original_count, error);
    if (!status) status = MCD_NEW(out->opposite, original_count, error);
    if (!status) status = find_opposites(&run, graph, places, original, parallel, error);
    mcd_free(run.first);
    mcd_free(run.rank);
    mcd_free(run.head_place);
    if (status) mcd_opposites_free(out);
    return status;
}

void mcd_opposites_free(mcd_opposites *opposites)
{
    mcd_free(opposites->arc);
    mcd_free(opposites->opposite);
    *opposites = (mcd_opposites){0};
}

size_t mcd_opposites_count(const mcd_opposites *opposites)
{
    size_t count = 0;
    for (size_t o = 0; o < opposites->original_count; ++o) count += opposites->opposite[o] != MCD_ROAD_NONE;
    return count;
}

/* ---- weights ---- */

/* Packed weights and the weights that they stand for: the former are made of the latter, or the other way round. */
typedef struct weight_run {
    mcd_weight *packed, *weight;
    bool packs;
    size_t next; /* in packed */
} weight_run;

/* Converts the next weight: that of an arc, less that of another one, which comes earlier; MCD_ROAD_NONE: whole. */
static void convert_weight(weight_run *run, uint32_t arc, uint32_t base)
{
    mcd_weight *const packed = &run->packed[run->next++], *const weight = &run->weight[arc];
    if (base == MCD_ROAD_NONE)
        *(run->packs ? packed : weight) = *(run->packs ? weight : packed);
    else if (run->packs)
        *packed = mcd_fold(*weight - run->weight[base]);
    else
        *weight = mcd_unfold(*packed) + run->weight[base];
}

static macadam_status convert_weights(weight_run *run, size_t arc_count, const uint32_t *original,
                                      const mcd_opposites *opposites, macadam_error *error)
{
    const size_t originals = opposites->original_count;
    for (int paired = 0; paired < 2; ++paired)
        for (size_t o = 0; o < originals; ++o) {
            const uint32_t opposite = opposites->opposite[o];
            MCD_TRY(mcd_watch_item(NULL, o, originals, error));
            if ((opposite != MCD_ROAD_NONE) == paired)
                convert_weight(run, opposites->arc[o], paired ? opposites->arc[opposite] : MCD_ROAD_NONE);
        }
    for (uint32_t arc = 0; original && arc < arc_count; ++arc) {
        const uint32_t own = original[arc];
        MCD_TRY(mcd_watch_item(NULL, arc, arc_count, error));
        if (own == MCD_ROAD_NONE || opposites->arc[own] != arc)
            convert_weight(run, arc, own == MCD_ROAD_NONE ? MCD_ROAD_NONE : opposites->arc[own]);
    }
    return MACADAM_OK;
}

macadam_status mcd_weights_pack(mcd_weight *packed, const mcd_weight *weight, size_t arc_count,
                                const uint32_t *original, const mcd_opposites *opposites,
                                macadam_error *error)
{
    weight_run run = {.packed = packed, .weight = (mcd_weight *)weight, .packs = true};
    return convert_weights(&run, arc_count, original, opposites, error);
}

macadam_status mcd_weights_unpack(mcd_weight *weight, const mcd_weight *packed, size_t arc_count,
                                  const uint32_t *original, const mcd_opposites *opposites,
                                  macadam_error *error)
{
    weight_run run = {.packed = (mcd_weight *)packed, .weight = weight};
    return convert_weights(&run, arc_count, original, opposites, error);
}
