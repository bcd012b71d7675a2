/* subnetwork.c - see subnetwork.h. */
#include "engine/query/places/subnetwork.h"

#include "engine/base/arena.h"
#include "engine/base/grow.h"

/* ---- the rule ---- */

static bool is_cut_off(const mcd_located *source, size_t s, const mcd_located *target, size_t t)
{
    return mcd_located_is_cut_off(source, s) || mcd_located_is_cut_off(target, t);
}

/* With a clock: returns when the way between two places begins (MCD_BACKWARD: ends). */
static uint32_t instant_of(const uint32_t *depart, size_t s, const uint32_t *arrive, size_t t)
{
    return depart ? depart[s] : arrive ? arrive[t] : 0;
}

/* ---- given pairs ---- */

/* Of pair[*count], keeps those that no way connects. */
static macadam_status keep_unreached(uint32_t *pair, size_t *count, const mcd_located *source,
                                     const mcd_located *target, const mcd_query *query, macadam_error *error)
{
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs trips = {0};
    MCD_OWNED uint32_t *objective = NULL;
    size_t kept = 0;
    MCD_TRY(MCD_NEW(objective, *count, error));
    MCD_TRY(mcd_pairs_new(&trips, *count, error));
    for (size_t k = 0; k < *count; ++k) {
        trips.source.position[k] = mcd_located_position(source, query->engine, pair[k]);
        trips.target.position[k] = mcd_located_position(target, query->engine, pair[k]);
        trips.instant[k] = instant_of(source->list.instant, pair[k], target->list.instant, pair[k]);
    }
    MCD_TRY(mcd_pairs_make(&trips, query, error));
    MCD_TRY(mcd_pairs_costs(&trips, query, objective, NULL, error));
    for (size_t k = 0; k < *count; ++k)
        if (objective[k] == MACADAM_UNREACHED) pair[kept++] = pair[k];
    *count = kept;
    return MACADAM_OK;
}

macadam_status mcd_subnetwork_settle_pairs(mcd_located *source, mcd_located *target, const mcd_query *query,
                                           macadam_error *error)
{
    const bool any = query->snap_any_component;
    MCD_OWNED uint32_t *pair = NULL;
    size_t count = 0;
    if (!source->cut_off_count && !target->cut_off_count) return MACADAM_OK;
    MCD_TRY(MCD_NEW(pair, source->list.count, error));
    for (size_t i = 0; i < source->list.count; ++i)
        if (is_cut_off(source, i, target, i) &&
            mcd_located_share_subnetwork(source, i, target, i, query->engine) != any)
            pair[count++] = (uint32_t)i;
    if (any && count) MCD_TRY(keep_unreached(pair, &count, source, target, query, error));
    for (size_t k = 0; k < count; ++k) {
        mcd_located_move(source, pair[k]);
        mcd_located_move(target, pair[k]);
    }
    return MACADAM_OK;
}

macadam_status mcd_subnetwork_pairs(mcd_pairs *out, const mcd_query *query, const mcd_place_list *source,
                                    const mcd_place_list *target, macadam_error *error)
{
    MCD_FREED_BY(mcd_located_free) mcd_located from = {0}, to = {0};
    *out = (mcd_pairs){.count = 0};
    MCD_TRY(mcd_locate_both(&from, &to, query, source, target, error));
    MCD_TRY(mcd_subnetwork_settle_pairs(&from, &to, query, error));
    return mcd_pairs_of_located(out, query, &from, &to, error);
}

/* Places in ascending order: place[i], or i itself if `place` is NULL. */
typedef struct place_range {
    const uint32_t *place;
    size_t count;
} place_range;

/* Returns the places among which are all of which some cost may be that between second positions. from_cut_off: the other place
 * may be cut off. */
static place_range places_of(const mcd_located *located, bool from_cut_off, const mcd_query *query)
{
    const bool all = from_cut_off && (query->snap_any_component || !located->by_point || located->has_ids);
    return all ? (place_range){NULL, located->list.count}
               : (place_range){located->cut_off_place, located->cut_off_count};
}

/* Returns the targets among which are all whose cost from a source may be that between second positions. */
static place_range targets_of(const mcd_located *source, size_t s, const mcd_located *target,
                              const mcd_query *query)
{
    return places_of(target, mcd_located_is_cut_off(source, s), query);
}

static size_t place_at(const place_range *range, size_t i)
{
    return range->place ? range->place[i] : i;
}

/* Returns how many places of a range come before a place. */
static size_t count_before(const place_range *range, size_t place)
{
    return range->place ? mcd_lower_bound_u32(range->place, 0, range->count, (uint32_t)place) : place;
}

/* Lists the subnetworks of the targets that are cut off. The caller frees *out. */
static macadam_status list_subnetworks(uint32_t **out, const mcd_located *target, const mcd_query *query,
                                       macadam_error *error)
{
    MCD_TRY(MCD_NEW(*out, target->cut_off_count, error));
    for (size_t k = 0; k < target->cut_off_count; ++k)
        (*out)[k] = mcd_located_subnetwork(target, query->engine, target->cut_off_place[k]);
    return MACADAM_OK;
}

/* Returns whether some cost of a source is that between second positions. subnetwork[]: of the targets that are cut off. A
 * source on a road that is not cut off shares none. */
static bool decides(const mcd_located *source, size_t s, const mcd_located *target, const mcd_query *query,
                    const uint32_t *subnetwork)
{
    const place_range targets = targets_of(source, s, target, query);
    const uint32_t own = mcd_located_subnetwork(source, query->engine, s);
    bool shares = false;
    if (query->snap_any_component) return targets.count > 0;
    for (size_t k = 0; k < target->cut_off_count && own != MCD_SUBNETWORK_NONE && !shares; ++k)
        shares = subnetwork[k] == own;
    if (source->list.place[s].kind != MACADAM_PLACE_NODE && (own == MCD_SUBNETWORK_NONE || targets.place))
        return shares;
    for (size_t k = 0; k < targets.count && !shares; ++k)
        shares = mcd_located_share_subnetwork(source, s, target, place_at(&targets, k), query->engine);
    return shares;
}

macadam_status mcd_subnetwork_deciding(uint32_t **out, size_t *count, const mcd_located *source,
                                       const mcd_located *target, const mcd_query *query,
                                       macadam_error *error)
{
    MCD_OWNED uint32_t *subnetwork = NULL;
    const place_range sources = places_of(source, target->cut_off_count > 0, query);
    *out = NULL;
    *count = 0;
    if (!source->cut_off_count && !target->cut_off_count) return MACADAM_OK;
    MCD_TRY(MCD_NEW(*out, sources.count, error));
    MCD_TRY(list_subnetworks(&subnetwork, target, query, error));
    for (size_t i = 0; i < sources.count; ++i) {
        const size_t s = place_at(&sources, i);
        if (decides(source, s, target, query, subnetwork)) (*out)[(*count)++] = (uint32_t)s;
    }
    return MACADAM_OK;
}

/* ---- rectangles ---- */

/* Returns whether a source, of the subnetwork `own`, and the k-th of its targets belong to one subnetwork. subnetwork[]: of the
 * targets that are cut off. */
static bool shares(const mcd_subnetwork_cells *subnetworks, size_t s, uint32_t own,
                   const place_range *targets, size_t k, const uint32_t *subnetwork)
{
    if (targets->place && own != MCD_SUBNETWORK_NONE) return subnetwork[k] == own;
    return mcd_located_share_subnetwork(subnetworks->source, s, subnetworks->target, place_at(targets, k),
                                        subnetworks->query->engine);
}

/* Cells that are written together, and their costs. */
typedef struct cell_list {
    const uint32_t *subnetwork; /* of the targets that are cut off */
    size_t row, end;            /* of subnetworks->row: the next one, and the end */
    size_t at;                  /* which of its targets is the next */
    size_t *cell;
    uint32_t *objective, *companion;
    size_t count;
} cell_list;

enum { LISTED = 1 << 14 };

static mcd_position second_position(const mcd_located *located, const mcd_lanes *lanes,
                                    const macadam_engine *engine, size_t i)
{
    return mcd_located_is_cut_off(located, i) ? located->second[i].position
                                              : mcd_lanes_position(lanes, &engine->places, i);
}

/* Lets the k-th trip lead from place s to place t, between their second positions. */
static void put_trip(mcd_pairs *trips, size_t k, const mcd_subnetwork_cells *subnetworks, size_t s, size_t t)
{
    const mcd_located *const source = subnetworks->source, *const target = subnetworks->target;
    const macadam_engine *const engine = subnetworks->query->engine;
    trips->source.position[k] = second_position(source, subnetworks->source_lanes, engine, s);
    trips->target.position[k] = second_position(target, subnetworks->target_lanes, engine, t);
    trips->instant[k] = instant_of(source->list.instant, s, target->list.instant, t);
}

/* Finds the costs of trips, as cells have them. companion: NULL: not wanted. */
static macadam_status cost_trips(mcd_pairs *trips, const mcd_query *query, uint32_t *objective,
                                 uint32_t *companion, macadam_error *error)
{
    MCD_TRY(mcd_pairs_make(trips, query, error));
    MCD_TRY(mcd_pairs_costs(trips, query, objective, companion, error));
    mcd_cells_settle(objective, companion, trips->count);
    return MACADAM_OK;
}

/* Lists the next cells whose costs are those between second positions. */
static void list_cells(cell_list *list, const mcd_subnetwork_cells *subnetworks, const mcd_cells *cells,
                       mcd_pairs *trips)
{
    const mcd_located *const source = subnetworks->source, *const target = subnetworks->target;
    const mcd_query *const query = subnetworks->query;
    const bool any = query->snap_any_component;
    for (list->count = 0; list->row < list->end && list->count < LISTED;) {
        const size_t s = subnetworks->row[list->row], row = (s - cells->row) * cells->stride;
        const uint32_t own = mcd_located_subnetwork(source, query->engine, s);
        const place_range targets = targets_of(source, s, target, query);
        const size_t first = count_before(&targets, cells->column),
                     count = count_before(&targets, cells->column + cells->columns) - first;
        for (; list->at < count && list->count < LISTED; ++list->at) {
            const size_t k = first + list->at, t = place_at(&targets, k), cell = row + t - cells->column;
            if ((any && cells->objective[cell] != MACADAM_UNREACHED) || !is_cut_off(source, s, target, t) ||
                shares(subnetworks, s, own, &targets, k, list->subnetwork) == any)
                continue;
            list->cell[list->count] = cell;
            put_trip(trips, list->count++, subnetworks, s, t);
        }
        if (list->at == count) ++list->row, list->at = 0;
    }
    trips->count = list->count;
}

static macadam_status write_some(cell_list *list, const mcd_subnetwork_cells *subnetworks,
                                 const mcd_cells *cells, macadam_error *error)
{
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs trips = {0};
    MCD_TRY(mcd_pairs_new(&trips, LISTED, error));
    list_cells(list, subnetworks, cells, &trips);
    if (list->count == 0) return MACADAM_OK;
    uint32_t *const companion = cells->companion ? list->companion : NULL;
    MCD_TRY(cost_trips(&trips, subnetworks->query, list->objective, companion, error));
    for (size_t k = 0; k < list->count; ++k) {
        if (cells->objective) cells->objective[list->cell[k]] = list->objective[k];
        if (cells->companion) cells->companion[list->cell[k]] = companion[k];
    }
    return MACADAM_OK;
}

macadam_status mcd_subnetwork_cells_apply(const mcd_subnetwork_cells *subnetworks, const mcd_cells *cells,
                                          macadam_error *error)
{
    const size_t first = mcd_lower_bound_u32(subnetworks->row, 0, subnetworks->count, (uint32_t)cells->row),
                 end = mcd_lower_bound_u32(subnetworks->row, first, subnetworks->count,
                                           (uint32_t)(cells->row + cells->rows));
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {NULL};
    MCD_OWNED uint32_t *subnetwork = NULL;
    cell_list list = {.row = first, .end = end};
    if (first == end) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(&memory, list.cell, LISTED, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, list.objective, LISTED, error));
    MCD_TRY(MCD_ARENA_NEW(&memory, list.companion, LISTED, error));
    MCD_TRY(list_subnetworks(&subnetwork, subnetworks->target, subnetworks->query, error));
    list.subnetwork = subnetwork;
    while (list.row < list.end) MCD_TRY(write_some(&list, subnetworks, cells, error));
    return MACADAM_OK;
}

/* Adds the pairs of a row. */
static macadam_status list_row(mcd_shared_pair **out, size_t *count, size_t *capacity,
                               const mcd_subnetwork_cells *subnetworks, size_t s, macadam_error *error)
{
    const mcd_located *const source = subnetworks->source, *const target = subnetworks->target;
    const place_range targets = targets_of(source, s, target, subnetworks->query);
    for (size_t i = 0; i < targets.count; ++i) {
        const size_t t = place_at(&targets, i);
        if (!mcd_located_share_subnetwork(source, s, target, t, subnetworks->query->engine)) continue;
        MCD_TRY(MCD_GROW(*out, *capacity, *count + 1, error));
        (*out)[(*count)++] = (mcd_shared_pair){(uint32_t)s, (uint32_t)t, MACADAM_UNREACHED};
    }
    return MACADAM_OK;
}

static macadam_status cost_pairs(mcd_shared_pair *pair, size_t count, const mcd_subnetwork_cells *subnetworks,
                                 bool reverse, macadam_error *error)
{
    MCD_FREED_BY(mcd_pairs_free) mcd_pairs trips = {0};
    MCD_OWNED uint32_t *objective = NULL;
    MCD_TRY(MCD_NEW(objective, count, error));
    MCD_TRY(mcd_pairs_new(&trips, count, error));
    for (size_t k = 0; k < count; ++k) {
        put_trip(&trips, k, subnetworks, pair[k].source, pair[k].target);
        if (!reverse) continue;
        const mcd_position source = trips.source.position[k];
        trips.source.position[k] = trips.target.position[k];
        trips.target.position[k] = source;
    }
    MCD_TRY(cost_trips(&trips, subnetworks->query, objective, NULL, error));
    for (size_t k = 0; k < count; ++k) pair[k].cost = objective[k];
    return MACADAM_OK;
}

macadam_status mcd_subnetwork_list(mcd_shared_pair **out, size_t *count,
                                   const mcd_subnetwork_cells *subnetworks, bool reverse, size_t most,
                                   macadam_error *error)
{
    size_t capacity = 0;
    *out = NULL;
    *count = 0;
    for (size_t k = 0; k < subnetworks->count; ++k) {
        const size_t before = *count;
        MCD_TRY(list_row(out, count, &capacity, subnetworks, subnetworks->row[k], error));
        if (*count - before <= most) continue;
        *count = 0;
        return MACADAM_OK;
    }
    return *count ? cost_pairs(*out, *count, subnetworks, reverse, error) : MACADAM_OK;
}

/* ---- searches from one place to all nodes ---- */

mcd_cut_off mcd_query_cut_off(const mcd_query *query, const mcd_lanes *lanes)
{
    const macadam_engine *const engine = query->engine;
    if (!lanes->subnetwork || query->snap_any_component) return (mcd_cut_off){NULL};
    return (mcd_cut_off){.inner = lanes->inner,
                         .subnetwork = lanes->subnetwork,
                         .component = engine->component,
                         .depart = engine->places.depart,
                         .arrive = engine->places.arrive,
                         .id_count = engine->places.id_count};
}
