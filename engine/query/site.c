/* site.c - see site.h. */
#include "engine/query/site.h"

#include "engine/base/memory.h"

#include <stdlib.h>

/* ---- pairs that are given ---- */

/* Whether a place of pair (s, t) is cut off. */
static bool is_cut_off(const mcd_located *source, size_t s, const mcd_located *target, size_t t)
{
    return mcd_located_is_cut_off(source, s) || mcd_located_is_cut_off(target, t);
}

/* Whether both places of a pair belong to one site. The components must be loaded. */
static bool is_within(const mcd_located *source, size_t s, const mcd_located *target, size_t t,
                      const macadam_engine *engine)
{
    const uint32_t site = mcd_located_site(source, engine, s);
    return site != MCD_SITE_NONE && site == mcd_located_site(target, engine, t);
}

/* Lists the given pairs with a place that is cut off: those within a site, or all others. Returns how many. */
static size_t list_given(const mcd_located *source, const mcd_located *target, bool within,
                         const macadam_engine *engine, uint32_t *out)
{
    size_t count = 0;
    for (size_t i = 0; i < source->list.count; ++i)
        if (is_cut_off(source, i, target, i) && is_within(source, i, target, i, engine) == within)
            out[count++] = (uint32_t)i;
    return count;
}

/* Moves those of the places that are cut off. `place` becomes their list. */
static macadam_status move(mcd_located *located, const mcd_query *query, const uint32_t *place, size_t count,
                           bool nearest, uint32_t *scratch, macadam_error *error)
{
    size_t moved = 0;
    for (size_t k = 0; k < count; ++k)
        if (mcd_located_is_cut_off(located, place[k])) scratch[moved++] = place[k];
    return mcd_located_move(located, query, scratch, moved, nearest, error);
}

/* Computes the costs of pairs as they lie, or from their fallback positions. */
static macadam_status find_costs(const mcd_query *query, mcd_position *from, mcd_position *to, size_t count,
                                 uint32_t *objective, uint32_t *companion, macadam_error *error)
{
    mcd_trips trips;
    MCD_TRY(mcd_trips_of_positions(&trips, query, from, to, count, error));
    const macadam_status status = mcd_trips_costs(&trips, query, objective, companion, error);
    mcd_trips_free(&trips);
    return status;
}

static mcd_position present_position(const mcd_located *located, const macadam_engine *engine, size_t i)
{
    return located->by_point ? located->position[i] : mcd_located_fallback(located, engine, i);
}

/* Keeps of pair[*count] those that no way connects between their nearest roads. */
static macadam_status keep_unreached(uint32_t *pair, size_t *count, const mcd_located *source,
                                     const mcd_located *target, const mcd_query *query, macadam_error *error)
{
    mcd_position *from = NULL, *to = NULL;
    uint32_t *objective, *companion = NULL;
    size_t kept = 0;
    MCD_TRY(MCD_NEW(objective, *count, error));
    macadam_status status = query->joint ? MCD_NEW(companion, *count, error) : MACADAM_OK;
    if (!status) status = MCD_NEW(from, *count, error);
    if (!status) status = MCD_NEW(to, *count, error);
    for (size_t k = 0; k < *count && !status; ++k) {
        from[k] = present_position(source, query->engine, pair[k]);
        to[k] = present_position(target, query->engine, pair[k]);
    }
    if (!status) {
        status = find_costs(query, from, to, *count, objective, companion, error);
    } else {
        mcd_free(from);
        mcd_free(to);
    }
    for (size_t k = 0; k < *count && !status; ++k)
        if (objective[k] == MACADAM_UNREACHED) pair[kept++] = pair[k];
    *count = kept;
    mcd_free(objective);
    mcd_free(companion);
    return status;
}

/* Settles pairs by the rule for queries that take any component, or for others. */
static macadam_status settle(mcd_located *source, mcd_located *target, const mcd_query *query, uint32_t *pair,
                             uint32_t *scratch, macadam_error *error)
{
    const bool any = query->snap_any_component;
    size_t count = list_given(source, target, !any, query->engine, pair);
    if (any && count > 0) MCD_TRY(keep_unreached(pair, &count, source, target, query, error));
    MCD_TRY(move(source, query, pair, count, !any, scratch, error));
    return move(target, query, pair, count, !any, scratch, error);
}

macadam_status mcd_site_settle_pairs(mcd_located *source, mcd_located *target, const mcd_query *query,
                                     macadam_error *error)
{
    uint32_t *pair, *scratch = NULL;
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    MCD_TRY(MCD_NEW(pair, source->list.count, error));
    macadam_status status = MCD_NEW(scratch, source->list.count, error);
    if (!status) status = settle(source, target, query, pair, scratch, error);
    mcd_free(pair);
    mcd_free(scratch);
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

/* ---- all pairs of two lists ---- */

/* A target with its site; targets whose nearest road is cut off come first. */
typedef struct site_target {
    uint32_t site, target;
    bool is_cut_off;
} site_target;

static int compare_targets(const void *a, const void *b)
{
    const site_target *x = a, *y = b;
    if (x->site != y->site) return x->site < y->site ? -1 : 1;
    if (x->is_cut_off != y->is_cut_off) return x->is_cut_off ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

typedef struct site_targets {
    const mcd_located *source;
    const macadam_engine *engine;
    site_target *entry; /* [count] by ascending site */
    size_t count;
} site_targets;

static macadam_status list_targets(site_targets *out, const mcd_located *source, const mcd_located *target,
                                   const mcd_query *query, macadam_error *error)
{
    *out = (site_targets){.source = source, .engine = query->engine};
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    MCD_TRY(MCD_NEW(out->entry, target->list.count, error));
    for (size_t t = 0; t < target->list.count; ++t) {
        const uint32_t site = mcd_located_site(target, query->engine, t);
        if (site != MCD_SITE_NONE)
            out->entry[out->count++] = (site_target){site, (uint32_t)t, mcd_located_is_cut_off(target, t)};
    }
    qsort(out->entry, out->count, sizeof *out->entry, compare_targets);
    return MACADAM_OK;
}

/* Returns the first target of the site, or the count of all. */
static size_t first_of(const site_targets *targets, uint32_t site)
{
    size_t first = 0, last = targets->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (targets->entry[middle].site < site)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Returns how many targets share the site of source s, where one of the two is a point, and lists the pairs if `out` is
 * given. */
static size_t pairs_of(const site_targets *targets, size_t s, mcd_place_pair *out)
{
    if (targets->count == 0) return 0;
    const uint32_t site = mcd_located_site(targets->source, targets->engine, s);
    const bool is_point = mcd_located_is_cut_off(targets->source, s);
    size_t count = 0;
    if (site == MCD_SITE_NONE) return 0;
    for (size_t t = first_of(targets, site);
         t < targets->count && targets->entry[t].site == site && (is_point || targets->entry[t].is_cut_off);
         ++t, ++count)
        if (out) out[count] = (mcd_place_pair){(uint32_t)s, targets->entry[t].target};
    return count;
}

macadam_status mcd_site_deciding(uint32_t **out, size_t *count, const mcd_located *source,
                                 const mcd_located *target, const mcd_query *query, macadam_error *error)
{
    const bool any = query->snap_any_component;
    site_targets targets;
    *out = NULL;
    *count = 0;
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    macadam_status status = list_targets(&targets, source, target, query, error);
    if (!status) status = MCD_NEW(*out, source->list.count, error);
    for (size_t s = 0; s < source->list.count && !status; ++s)
        if (any ? target->has_cut_off || mcd_located_is_cut_off(source, s) : pairs_of(&targets, s, NULL) > 0)
            (*out)[(*count)++] = (uint32_t)s;
    mcd_free(targets.entry);
    return status;
}

static int compare_pairs(const void *a, const void *b)
{
    const mcd_place_pair *x = a, *y = b;
    if (x->source != y->source) return x->source < y->source ? -1 : 1;
    return (x->target > y->target) - (x->target < y->target);
}

static macadam_status list_pairs(mcd_site_costs *out, const mcd_query *query, const mcd_located *source,
                                 const mcd_located *target, macadam_error *error)
{
    site_targets targets;
    size_t count = 0;
    macadam_status status = list_targets(&targets, source, target, query, error);
    for (size_t s = 0; s < source->list.count && !status; ++s) out->count += pairs_of(&targets, s, NULL);
    if (!status && out->count > 0) status = MCD_NEW(out->pair, out->count, error);
    for (size_t s = 0; s < source->list.count && !status && out->pair; ++s)
        count += pairs_of(&targets, s, out->pair + count);
    mcd_free(targets.entry);
    if (!status && count > 0) qsort(out->pair, count, sizeof *out->pair, compare_pairs);
    return status;
}

/* Writes where each pair departs, or arrives. */
static macadam_status positions_of(const mcd_site_costs *costs, const mcd_located *located, bool is_source,
                                   const mcd_query *query, mcd_position *out, macadam_error *error)
{
    uint32_t *place;
    mcd_position *near = NULL;
    size_t moved = 0;
    MCD_TRY(MCD_NEW(place, costs->count, error));
    for (size_t k = 0; k < costs->count; ++k) {
        const uint32_t i = is_source ? costs->pair[k].source : costs->pair[k].target;
        if (mcd_located_is_cut_off(located, i))
            place[moved++] = i;
        else
            out[k] = present_position(located, query->engine, i);
    }
    macadam_status status = MCD_NEW(near, moved, error);
    if (!status) status = mcd_located_again(located, query, place, moved, true, false, near, error);
    for (size_t k = 0, at = 0; k < costs->count && !status; ++k)
        if (mcd_located_is_cut_off(located, is_source ? costs->pair[k].source : costs->pair[k].target))
            out[k] = near[at++];
    mcd_free(place);
    mcd_free(near);
    return status;
}

static macadam_status find_pairs(mcd_site_costs *out, const mcd_query *query, const mcd_located *source,
                                 const mcd_located *target, macadam_error *error)
{
    mcd_position *from, *to = NULL;
    MCD_TRY(MCD_NEW(out->objective, out->count, error));
    if (query->joint) MCD_TRY(MCD_NEW(out->companion, out->count, error));
    MCD_TRY(MCD_NEW(from, out->count, error));
    macadam_status status = MCD_NEW(to, out->count, error);
    if (!status) status = positions_of(out, source, true, query, from, error);
    if (!status) status = positions_of(out, target, false, query, to, error);
    if (!status) return find_costs(query, from, to, out->count, out->objective, out->companion, error);
    mcd_free(from);
    mcd_free(to);
    return status;
}

macadam_status mcd_site_costs_new(mcd_site_costs *out, const mcd_query *query, const mcd_located *source,
                                  const mcd_located *target, macadam_error *error)
{
    *out = (mcd_site_costs){.query = query, .source = source, .target = target};
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    out->fills = query->snap_any_component;
    if (out->fills) return MACADAM_OK;
    MCD_TRY(list_pairs(out, query, source, target, error));
    return out->count ? find_pairs(out, query, source, target, error) : MACADAM_OK;
}

void mcd_site_costs_free(mcd_site_costs *costs)
{
    mcd_free(costs->pair);
    mcd_free(costs->objective);
    mcd_free(costs->companion);
    *costs = (mcd_site_costs){.count = 0};
}

/* Returns the first pair whose source is not before `source`. */
static size_t find_source(const mcd_site_costs *costs, size_t source)
{
    size_t first = 0, last = costs->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (costs->pair[middle].source < source)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static void write_pairs(const mcd_site_costs *costs, const mcd_cells *cells)
{
    for (size_t i = find_source(costs, cells->row);
         i < costs->count && costs->pair[i].source < cells->row + cells->rows; ++i) {
        const size_t target = costs->pair[i].target;
        if (target < cells->column || target >= cells->column + cells->columns) continue;
        const size_t cell = (costs->pair[i].source - cells->row) * cells->stride + (target - cells->column);
        if (cells->objective) cells->objective[cell] = costs->objective[i];
        if (cells->companion) cells->companion[cell] = costs->companion[i];
    }
}

/* Lists up to `capacity` unreached cells whose pairs have fallback positions, from cell *at on. Returns how many. */
static size_t list_unreached(const mcd_site_costs *costs, const mcd_cells *cells, size_t *at, size_t *cell,
                             mcd_position *from, mcd_position *to, size_t capacity)
{
    const macadam_engine *const engine = costs->query->engine;
    size_t count = 0;
    for (; *at < cells->rows * cells->columns && count < capacity; ++*at) {
        const size_t r = *at / cells->columns, c = *at % cells->columns, s = cells->row + r,
                     t = cells->column + c;
        if (cells->objective[r * cells->stride + c] != MACADAM_UNREACHED ||
            !is_cut_off(costs->source, s, costs->target, t) ||
            is_within(costs->source, s, costs->target, t, engine))
            continue;
        cell[count] = r * cells->stride + c;
        from[count] = mcd_located_fallback(costs->source, engine, s);
        to[count++] = mcd_located_fallback(costs->target, engine, t);
    }
    return count;
}

enum { FILLED = 1 << 14 }; /* cells at a time */

/* Fills up to FILLED unreached cells from *at on. */
static macadam_status fill_some(const mcd_site_costs *costs, const mcd_cells *cells, size_t *at,
                                uint32_t *objective, uint32_t *companion, size_t *cell, macadam_error *error)
{
    mcd_position *from, *to = NULL;
    MCD_TRY(MCD_NEW(from, FILLED, error));
    const macadam_status status = MCD_NEW(to, FILLED, error);
    const size_t count = status ? 0 : list_unreached(costs, cells, at, cell, from, to, FILLED);
    if (count == 0) {
        mcd_free(from);
        mcd_free(to);
        return status;
    }
    MCD_TRY(find_costs(costs->query, from, to, count, objective, cells->companion ? companion : NULL, error));
    for (size_t k = 0; k < count; ++k) {
        cells->objective[cell[k]] = objective[k];
        if (cells->companion) cells->companion[cell[k]] = companion[k];
    }
    return MACADAM_OK;
}

static macadam_status fill_unreached(const mcd_site_costs *costs, const mcd_cells *cells,
                                     macadam_error *error)
{
    uint32_t *objective, *companion = NULL;
    size_t *cell = NULL, at = 0;
    MCD_TRY(MCD_NEW(objective, FILLED, error));
    macadam_status status = MCD_NEW(companion, FILLED, error);
    if (!status) status = MCD_NEW(cell, FILLED, error);
    while (!status && at < cells->rows * cells->columns)
        status = fill_some(costs, cells, &at, objective, companion, cell, error);
    mcd_free(objective);
    mcd_free(companion);
    mcd_free(cell);
    return status;
}

macadam_status mcd_site_costs_apply(const mcd_site_costs *costs, const mcd_cells *cells, macadam_error *error)
{
    if (costs->fills) return fill_unreached(costs, cells, error);
    write_pairs(costs, cells);
    return MACADAM_OK;
}

/* ---- searches from one place to all nodes ---- */

static macadam_status make_lanes(mcd_sites *out, const mcd_located *located, const mcd_query *query,
                                 macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    mcd_position *position;
    MCD_TRY(MCD_NEW(position, out->count, error));
    const macadam_status status =
        mcd_located_again(located, query, out->place, out->count, !out->fills, false, position, error);
    if (status) {
        mcd_free(position);
        return status;
    }
    return mcd_lanes_new(&out->lanes, &engine->places, &engine->roads, mcd_query_weights(query),
                         &engine->parallel, position, out->count, located->end, error);
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
