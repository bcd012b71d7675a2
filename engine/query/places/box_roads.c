/* box_roads.c - see box_roads.h. The snap index has most roads, piece by piece; the few other pieces are looked at one by one. */
#include "engine/query/places/box_roads.h"

#include "engine/base/grow.h"
#include "engine/base/sort.h"
#include "engine/runtime/load.h"

enum { CUT_OFF = 1, INDEXED = 2, FLAG_BITS = 2 };

typedef struct box_run {
    const macadam_engine *engine;
    uint64_t *piece; /* [count] the arc of each, then the flags */
    size_t count, capacity;
    macadam_status status;
    macadam_error *error;
} box_run;

static macadam_status add_piece(box_run *run, uint32_t arc, unsigned flags)
{
    const uint64_t piece = (uint64_t)arc << FLAG_BITS | flags;
    if (run->count > 0 && run->piece[run->count - 1] == piece) return MACADAM_OK;
    MCD_TRY(mcd_watch_item(NULL, run->count, run->count, run->error));
    MCD_TRY(MCD_GROW(run->piece, run->capacity, run->count + 1, run->error));
    run->piece[run->count++] = piece;
    return MACADAM_OK;
}

static bool take_piece(void *context, size_t entry)
{
    box_run *const run = context;
    const mcd_snap_index *const index = &run->engine->snap;
    run->status =
        add_piece(run, index->arc[entry], mcd_snap_is_cut_off(index, entry) ? INDEXED | CUT_OFF : INDEXED);
    return run->status == MACADAM_OK;
}

static macadam_status add_unindexed(box_run *run, const macadam_box *box)
{
    const mcd_unindexed *const unindexed = &run->engine->unindexed;
    for (size_t i = 0; i < unindexed->count; ++i) {
        const mcd_unindexed_piece *const piece = &unindexed->piece[i];
        MCD_TRY(mcd_watch_item(NULL, i, unindexed->count, run->error));
        if (mcd_snap_line_meets(&piece->line, box)) MCD_TRY(add_piece(run, piece->arc, 0));
    }
    return MACADAM_OK;
}

/* Makes roads of the pieces. */
static macadam_status join_pieces(mcd_box_roads *out, const box_run *run, macadam_error *error)
{
    const mcd_graph *const graph = &run->engine->graph;
    MCD_OWNED uint64_t *scratch = NULL;
    if (run->count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW(scratch, run->count, error));
    MCD_TRY(mcd_sort_bits(run->piece, scratch, run->count, FLAG_BITS,
                          FLAG_BITS + mcd_bits_of(graph->arc_count), NULL, error));
    MCD_TRY(MCD_NEW(out->road, run->count, error));
    for (size_t i = 0; i < run->count; ++i) {
        const uint64_t piece = run->piece[i];
        const uint32_t arc = (uint32_t)(piece >> FLAG_BITS);
        if (i > 0 && run->piece[i - 1] == piece) continue;
        out->road[out->count++] =
            (mcd_box_road){arc, mcd_road_tail(graph, arc), piece & CUT_OFF, piece & INDEXED};
    }
    return MACADAM_OK;
}

/* Rounds the sides as coordinates are rounded: roads on the edge of the map are within the box of the map. */
static macadam_box round_box(const macadam_box *box)
{
    return (macadam_box){.west = nearbyint(box->west * 1e7),
                         .south = nearbyint(box->south * 1e7),
                         .east = nearbyint(box->east * 1e7),
                         .north = nearbyint(box->north * 1e7)};
}

macadam_status mcd_box_roads_find(mcd_box_roads *out, macadam_engine *engine, const macadam_box *box,
                                  macadam_error *error)
{
    if (!engine) return mcd_fail_invalid(error, "no engine");
    if (!box || !(box->west <= box->east && box->south <= box->north))
        return mcd_fail_invalid(error, "no box, or one whose west is east or south is north");
    MCD_FREED_BY(mcd_engine_leave) macadam_engine *const used = mcd_engine_enter(engine);
    MCD_TRY(mcd_engine_load(used, MCD_LOAD_UNINDEXED, error));
    if (!engine->places.lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "%s has no coordinates", engine->file->name);
    box_run run = {.engine = engine, .error = error};
    const macadam_box rounded = round_box(box);
    mcd_snap_find_in(&engine->roads, &engine->snap, &rounded, take_piece, &run);
    if (!run.status) run.status = add_unindexed(&run, &rounded);
    if (!run.status) run.status = join_pieces(out, &run, error);
    mcd_free(run.piece);
    return run.status;
}
