/* site.c - see site.h. */
#include "engine/query/places/site.h"

#include "engine/base/memory.h"

/* ---- the rule ---- */

static bool is_cut_off(const mcd_located *source, size_t s, const mcd_located *target, size_t t)
{
    return mcd_located_is_cut_off(source, s) || mcd_located_is_cut_off(target, t);
}

/* ---- given pairs ---- */

/* Of pair[*count], keeps those that no way connects. */
static macadam_status keep_unreached(uint32_t *pair, size_t *count, const mcd_located *source,
                                     const mcd_located *target, const mcd_query *query, macadam_error *error)
{
    mcd_position *from, *to;
    uint32_t *objective;
    size_t kept = 0;
    MCD_TRY(MCD_NEW(objective, *count, error));
    macadam_status status = mcd_trips_positions_new(&from, &to, *count, error);
    for (size_t k = 0; k < *count && !status; ++k) {
        from[k] = mcd_located_position(source, query->engine, pair[k], false);
        to[k] = mcd_located_position(target, query->engine, pair[k], false);
    }
    if (!status) status = mcd_trips_costs_between(query, from, to, *count, objective, NULL, error);
    for (size_t k = 0; k < *count && !status; ++k)
        if (objective[k] == MACADAM_UNREACHED) pair[kept++] = pair[k];
    *count = kept;
    mcd_free(objective);
    return status;
}

macadam_status mcd_site_settle_pairs(mcd_located *source, mcd_located *target, const mcd_query *query,
                                     macadam_error *error)
{
    const bool any = query->snap_any_component;
    uint32_t *pair;
    size_t count = 0;
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    MCD_TRY(MCD_NEW(pair, source->list.count, error));
    for (size_t i = 0; i < source->list.count; ++i)
        if (is_cut_off(source, i, target, i) &&
            mcd_located_share_site(source, i, target, i, query->engine) != any)
            pair[count++] = (uint32_t)i;
    const macadam_status status =
        any && count ? keep_unreached(pair, &count, source, target, query, error) : MACADAM_OK;
    for (size_t k = 0; k < count && !status; ++k) {
        mcd_located_move(source, pair[k]);
        mcd_located_move(target, pair[k]);
    }
    mcd_free(pair);
    return status;
}

macadam_status mcd_site_trips(mcd_trips *out, const mcd_query *query, const mcd_place_list *source,
                              const mcd_place_list *target, macadam_error *error)
{
    mcd_located from, to;
    *out = (mcd_trips){.count = 0};
    macadam_status status = mcd_locate_both(&from, &to, query, source, target, error);
    if (!status) status = mcd_site_settle_pairs(&from, &to, query, error);
    if (!status) status = mcd_trips_of_located(out, query, &from, &to, error);
    mcd_located_free(&from);
    mcd_located_free(&to);
    return status;
}

macadam_status mcd_site_deciding(uint32_t **out, size_t *count, const mcd_located *source,
                                 const mcd_located *target, const mcd_query *query, macadam_error *error)
{
    const bool any = query->snap_any_component;
    *out = NULL;
    *count = 0;
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    MCD_TRY(MCD_NEW(*out, source->list.count, error));
    for (size_t s = 0; s < source->list.count; ++s)
        if (any ? target->has_cut_off || mcd_located_is_cut_off(source, s) : source->site[s] != MCD_SITE_NONE)
            (*out)[(*count)++] = (uint32_t)s;
    return MACADAM_OK;
}

/* ---- rectangles ---- */

mcd_site_cells mcd_site_cells_of(const mcd_query *query, const mcd_located *source, const mcd_located *target)
{
    bool matter = query->snap_any_component && (source->has_cut_off || target->has_cut_off);
    for (size_t s = 0; source->site && s < source->list.count && !matter; ++s)
        matter = source->site[s] != MCD_SITE_NONE;
    return (mcd_site_cells){query, source, target, matter};
}

/* Cells that are written together, and their costs. */
typedef struct cell_list {
    size_t *cell;
    uint32_t *objective, *companion;
    size_t count, at; /* the next cell to look at */
} cell_list;

enum { LISTED = 1 << 14 };

/* Lists cells from list->at on whose costs are those between second positions. */
static void list_cells(cell_list *list, const mcd_site_cells *sites, const mcd_cells *cells,
                       mcd_position *from, mcd_position *to)
{
    const bool any = sites->query->snap_any_component;
    const macadam_engine *const engine = sites->query->engine;
    for (list->count = 0; list->at < cells->rows * cells->columns && list->count < LISTED; ++list->at) {
        const size_t r = list->at / cells->columns, c = list->at % cells->columns, s = cells->row + r,
                     t = cells->column + c, cell = r * cells->stride + c;
        if (any ? cells->objective[cell] != MACADAM_UNREACHED : sites->source->site[s] == MCD_SITE_NONE)
            continue;
        if (!is_cut_off(sites->source, s, sites->target, t) ||
            mcd_located_share_site(sites->source, s, sites->target, t, engine) == any)
            continue;
        from[list->count] = mcd_located_position(sites->source, engine, s, true);
        to[list->count] = mcd_located_position(sites->target, engine, t, true);
        list->cell[list->count++] = cell;
    }
}

static macadam_status write_some(cell_list *list, const mcd_site_cells *sites, const mcd_cells *cells,
                                 macadam_error *error)
{
    mcd_position *from, *to;
    MCD_TRY(mcd_trips_positions_new(&from, &to, LISTED, error));
    list_cells(list, sites, cells, from, to);
    MCD_TRY(mcd_trips_costs_between(sites->query, from, to, list->count, list->objective,
                                    cells->companion ? list->companion : NULL, error));
    for (size_t k = 0; k < list->count; ++k) {
        cells->objective[list->cell[k]] = list->objective[k];
        if (cells->companion) cells->companion[list->cell[k]] = list->companion[k];
    }
    return MACADAM_OK;
}

macadam_status mcd_site_cells_apply(const mcd_site_cells *sites, const mcd_cells *cells, macadam_error *error)
{
    cell_list list = {NULL};
    if (!sites->matter) return MACADAM_OK;
    macadam_status status = MCD_NEW(list.cell, LISTED, error);
    if (!status) status = MCD_NEW(list.objective, LISTED, error);
    if (!status) status = MCD_NEW(list.companion, LISTED, error);
    while (!status && list.at < cells->rows * cells->columns) status = write_some(&list, sites, cells, error);
    mcd_free(list.cell);
    mcd_free(list.objective);
    mcd_free(list.companion);
    return status;
}

/* ---- searches from one place to all nodes ---- */

static macadam_status make_lanes(mcd_sites *out, const mcd_located *located, const mcd_query *query,
                                 macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    mcd_position *position;
    MCD_TRY(MCD_NEW(position, out->count, error));
    for (size_t k = 0; k < out->count; ++k) position[k] = located->second[out->place[k]].position;
    return mcd_lanes_new(&out->lanes, &engine->places, &engine->roads, query->weights, &engine->parallel,
                         position, out->count, located->end, error);
}

macadam_status mcd_sites_new(mcd_sites *out, const mcd_located *located, const mcd_query *query,
                             macadam_error *error)
{
    *out = (mcd_sites){.fills = query->snap_any_component};
    if (!located->has_cut_off) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->place, located->list.count, error));
    MCD_TRY(MCD_NEW(out->component, located->list.count, error));
    for (size_t i = 0; i < located->list.count; ++i) {
        if (!mcd_located_is_cut_off(located, i)) continue;
        out->component[out->count] = mcd_located_site(located, query->engine, i);
        out->place[out->count++] = (uint32_t)i;
    }
    return make_lanes(out, located, query, error);
}

void mcd_sites_free(mcd_sites *sites)
{
    mcd_free(sites->place);
    mcd_free(sites->component);
    mcd_lanes_free(&sites->lanes);
    *sites = (mcd_sites){.count = 0};
}

size_t mcd_sites_find(const mcd_sites *sites, size_t place)
{
    const size_t k = mcd_lower_bound_u32(sites->place, 0, sites->count, (uint32_t)place);
    return k < sites->count && sites->place[k] == place ? k : sites->count;
}

macadam_status mcd_query_lanes(const mcd_query *query, const mcd_place_list *list, mcd_end end,
                               const char *what, mcd_lanes *out, mcd_sites *sites, macadam_error *error)
{
    mcd_located located;
    *out = (mcd_lanes){.end = end};
    if (sites) *sites = (mcd_sites){.count = 0};
    macadam_status status = mcd_locate_places(&located, query, list, end, what, error);
    if (!status && sites) status = mcd_sites_new(sites, &located, query, error);
    if (!status) status = mcd_located_lanes(&located, query, out, error);
    if (!status) status = mcd_lanes_widen(out, &query->engine->parallel, error);
    mcd_located_free(&located);
    return status;
}
