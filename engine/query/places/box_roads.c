/* box_roads.c - see box_roads.h. The snap index has most roads, piece by piece; the few others are looked at one by one. */
#include "engine/query/places/box_roads.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/runtime/load.h"

typedef struct box_run {
    const mcd_snap_index *index;
    uint64_t *piece; /* [count] 2 * the arc of each, + 1 if it is cut off */
    size_t count, capacity;
    macadam_status status;
    macadam_error *error;
} box_run;

static bool take_piece(void *context, size_t entry)
{
    box_run *const run = context;
    const uint64_t piece = 2 * (uint64_t)run->index->arc[entry] + mcd_snap_is_cut_off(run->index, entry);
    if (run->count > 0 && run->piece[run->count - 1] == piece) return true;
    run->status = MCD_GROW(run->piece, run->capacity, run->count + 1, run->error);
    if (!run->status) run->status = mcd_watch_item(NULL, run->count, run->count, run->error);
    if (!run->status) run->piece[run->count++] = piece;
    return !run->status;
}

static macadam_status add_indexed(mcd_box_roads *out, box_run *run, const mcd_graph *graph)
{
    MCD_OWNED uint64_t *scratch = NULL;
    if (run->count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(scratch, run->count, run->error));
    MCD_TRY(mcd_sort_bits(run->piece, scratch, run->count, 1, 1 + mcd_bits_of(graph->arc_count), NULL,
                          run->error));
    MCD_TRY(MCD_GROW(out->road, out->capacity, run->count, run->error));
    for (size_t i = 0; i < run->count; ++i) {
        const uint32_t arc = (uint32_t)(run->piece[i] / 2);
        if (i > 0 && run->piece[i - 1] == run->piece[i]) continue;
        out->road[out->count++] = (mcd_box_road){arc, mcd_road_tail(graph, arc), run->piece[i] % 2, true};
    }
    return MACADAM_OK;
}

static bool meets(const mcd_roads *roads, const mcd_unindexed_road *road, const macadam_box *box)
{
    bool does = false;
    for (uint32_t i = 0; !does && i + 1 < mcd_road_point_count(roads, road->arc); ++i) {
        const mcd_snap_line line = mcd_snap_line_of(roads, road->tail, road->arc, i);
        does = mcd_snap_line_meets(&line, box);
    }
    return does;
}

static int compare_roads(const void *a, const void *b)
{
    const mcd_box_road *const x = a, *const y = b;
    return (x->arc > y->arc) - (x->arc < y->arc);
}

static macadam_status add_unindexed(mcd_box_roads *out, const macadam_engine *engine, const macadam_box *box,
                                    macadam_error *error)
{
    const size_t before = out->count;
    for (size_t i = 0; i < engine->unindexed.count; ++i) {
        const mcd_unindexed_road *const road = &engine->unindexed.road[i];
        MCD_TRY(mcd_watch_item(NULL, i, engine->unindexed.count, error));
        if (!meets(&engine->roads, road, box)) continue;
        MCD_TRY(MCD_GROW(out->road, out->capacity, out->count + 1, error));
        out->road[out->count++] = (mcd_box_road){.arc = road->arc, .tail = road->tail};
    }
    if (out->count == before) return MACADAM_OK;
    return mcd_sort(out->road, out->count, sizeof *out->road, compare_roads, NULL, error);
}

macadam_status mcd_box_roads_find(mcd_box_roads *out, macadam_engine *engine, const macadam_box *box,
                                  macadam_error *error)
{
    if (!engine) return mcd_fail(error, MACADAM_E_INVALID, "no engine");
    if (!box || !(box->west <= box->east && box->south <= box->north))
        return mcd_fail(error, MACADAM_E_INVALID, "no box, or one whose west is east or south is north");
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_UNINDEXED, error));
    if (!engine->places.lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%s has no coordinates", engine->file->name);
    box_run run = {.index = &engine->snap, .error = error};
    mcd_snap_find_in(&engine->roads, &engine->snap, box, take_piece, &run);
    if (!run.status) run.status = add_indexed(out, &run, &engine->graph);
    mcd_free(run.piece);
    MCD_TRY(run.status);
    return add_unindexed(out, engine, box, error);
}
