/* site.c - see site.h. */
#include "engine/query/site.h"

#include "engine/base/memory.h"

#include <stdlib.h>

/* ---- pairs that are given ---- */

/* Takes the pairs of one site to their nearest roads. */
static macadam_status settle_sites(mcd_located *source, mcd_located *target, const mcd_query *query,
                                   macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    uint32_t *pair;
    size_t count = 0;
    MCD_TRY(MCD_NEW(pair, source->list.count, error));
    for (size_t i = 0; i < source->list.count; ++i) {
        if (!mcd_located_is_cut_off(source, i) && !mcd_located_is_cut_off(target, i)) continue;
        const uint32_t site = mcd_located_site(source, engine, i);
        if (site != MCD_SITE_NONE && site == mcd_located_site(target, engine, i)) pair[count++] = (uint32_t)i;
    }
    macadam_status status = mcd_located_move(source, query, pair, count, error);
    if (!status) status = mcd_located_move(target, query, pair, count, error);
    mcd_free(pair);
    return status;
}

enum {
    WAYS = 4
}; /* combinations of the positions of a pair: bit 0: the source is moved, bit 1: the target */

/* Pairs whose places have several positions, and the costs of all combinations. */
typedef struct position_choice {
    uint32_t *pair; /* [count] */
    size_t count;
    mcd_position *near_source, *near_target; /* [count]; mcd_position_none: it has no second position */
    uint32_t *objective, *companion;         /* [WAYS * count] */
    uint32_t *moved;                         /* [count] scratch */
} position_choice;

static void free_choice(position_choice *choice)
{
    mcd_free(choice->pair);
    mcd_free(choice->near_source);
    mcd_free(choice->near_target);
    mcd_free(choice->objective);
    mcd_free(choice->companion);
    mcd_free(choice->moved);
}

static bool is_nowhere(const mcd_position *position)
{
    return position->id == MCD_PLACE_NONE && position->arc[0] == MCD_ROAD_NONE &&
           position->arc[1] == MCD_ROAD_NONE;
}

static mcd_position id_position(const macadam_engine *engine, const mcd_located *located, size_t i)
{
    if (located->by_point) return located->position[i];
    mcd_position position = mcd_position_none;
    position.id = mcd_place_find_id(&engine->places, located->list.place[i].id);
    return position;
}

/* Writes the second positions of the places of the choice. */
static macadam_status find_near(const position_choice *choice, const mcd_located *located,
                                const mcd_query *query, mcd_position *out, macadam_error *error)
{
    size_t moved = 0;
    for (size_t k = 0; k < choice->count; ++k)
        if (mcd_located_is_cut_off(located, choice->pair[k])) choice->moved[moved++] = choice->pair[k];
    MCD_TRY(mcd_located_nearest(located, query, choice->moved, moved, false, out, error));
    for (size_t k = choice->count; k-- > 0;)
        out[k] = mcd_located_is_cut_off(located, choice->pair[k]) ? out[--moved] : mcd_position_none;
    return MACADAM_OK;
}

/* Computes the costs of all combinations; those that repeat another one stay unreached. */
static macadam_status find_ways(position_choice *choice, const mcd_located *source, const mcd_located *target,
                                const mcd_query *query, macadam_error *error)
{
    const size_t ways = WAYS * choice->count;
    mcd_position *from, *to = NULL;
    mcd_trips trips;
    MCD_TRY(MCD_NEW(choice->objective, ways, error));
    if (query->joint) MCD_TRY(MCD_NEW(choice->companion, ways, error));
    MCD_TRY(MCD_NEW(from, ways, error));
    macadam_status status = MCD_NEW(to, ways, error);
    for (size_t w = 0; w < ways && !status; ++w) {
        const size_t k = w / WAYS, i = choice->pair[k];
        from[w] = w & 1 ? choice->near_source[k] : id_position(query->engine, source, i);
        to[w] = w & 2 ? choice->near_target[k] : id_position(query->engine, target, i);
    }
    if (status) mcd_free(from);
    MCD_TRY(status);
    MCD_TRY(mcd_trips_of_positions(&trips, query, from, to, ways, error));
    status = mcd_trips_costs(&trips, query, choice->objective, choice->companion, error);
    mcd_trips_free(&trips);
    return status;
}

/* Returns the best combination of pair k, of equals the one that moves most to the nearest roads. */
static size_t best_way(const position_choice *choice, size_t k)
{
    size_t best = WAYS;
    for (size_t way = WAYS; way-- > 0;) {
        if ((way & 1 && is_nowhere(&choice->near_source[k])) ||
            (way & 2 && is_nowhere(&choice->near_target[k])))
            continue;
        const size_t at = k * WAYS + way, other = k * WAYS + best;
        const bool better = best == WAYS || choice->objective[at] < choice->objective[other] ||
                            (choice->objective[at] == choice->objective[other] && choice->companion &&
                             choice->companion[at] < choice->companion[other]);
        if (better) best = way;
    }
    return best;
}

/* Moves the places of one side to where the best combinations take them; the other places have one position left. */
static macadam_status keep_best(const position_choice *choice, mcd_located *located, size_t bit,
                                const mcd_query *query, macadam_error *error)
{
    size_t moved = 0;
    for (size_t k = 0; k < choice->count; ++k)
        if (best_way(choice, k) & bit) choice->moved[moved++] = choice->pair[k];
    MCD_TRY(mcd_located_move(located, query, choice->moved, moved, error));
    for (size_t k = 0; k < choice->count; ++k)
        if (located->by_point) located->cut_off[choice->pair[k]] = MCD_ROAD_NONE;
    return MACADAM_OK;
}

static macadam_status choose(position_choice *choice, mcd_located *source, mcd_located *target,
                             const mcd_query *query, macadam_error *error)
{
    MCD_TRY(MCD_NEW(choice->pair, source->list.count, error));
    for (size_t i = 0; i < source->list.count; ++i)
        if (mcd_located_is_cut_off(source, i) || mcd_located_is_cut_off(target, i))
            choice->pair[choice->count++] = (uint32_t)i;
    MCD_TRY(MCD_NEW(choice->moved, choice->count, error));
    MCD_TRY(MCD_NEW(choice->near_source, choice->count, error));
    MCD_TRY(MCD_NEW(choice->near_target, choice->count, error));
    MCD_TRY(find_near(choice, source, query, choice->near_source, error));
    MCD_TRY(find_near(choice, target, query, choice->near_target, error));
    MCD_TRY(find_ways(choice, source, target, query, error));
    MCD_TRY(keep_best(choice, source, 1, query, error));
    return keep_best(choice, target, 2, query, error);
}

macadam_status mcd_site_settle_pairs(mcd_located *source, mcd_located *target, const mcd_query *query,
                                     macadam_error *error)
{
    position_choice pairs = {NULL};
    if (!source->has_cut_off && !target->has_cut_off) return MACADAM_OK;
    MCD_TRY(settle_sites(source, target, query, error));
    if (!query->snap_any_component) return MACADAM_OK;
    const macadam_status status = choose(&pairs, source, target, query, error);
    free_choice(&pairs);
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

macadam_status mcd_site_sharing(uint32_t **out, size_t *count, const mcd_located *source,
                                const mcd_located *target, const mcd_query *query, macadam_error *error)
{
    site_targets targets;
    *out = NULL;
    *count = 0;
    macadam_status status = list_targets(&targets, source, target, query, error);
    if (!status && targets.count > 0) status = MCD_NEW(*out, source->list.count, error);
    for (size_t s = 0; s < source->list.count && *out; ++s)
        if (pairs_of(&targets, s, NULL)) (*out)[(*count)++] = (uint32_t)s;
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
            out[k] = id_position(query->engine, located, i);
    }
    macadam_status status = MCD_NEW(near, moved, error);
    if (!status) status = mcd_located_nearest(located, query, place, moved, false, near, error);
    for (size_t k = 0, at = 0; k < costs->count && !status; ++k)
        if (mcd_located_is_cut_off(located, is_source ? costs->pair[k].source : costs->pair[k].target))
            out[k] = near[at++];
    mcd_free(place);
    mcd_free(near);
    return status;
}

static macadam_status find_costs(mcd_site_costs *out, const mcd_query *query, const mcd_located *source,
                                 const mcd_located *target, macadam_error *error)
{
    mcd_position *from, *to = NULL;
    mcd_trips trips;
    MCD_TRY(MCD_NEW(out->objective, out->count, error));
    if (query->joint) MCD_TRY(MCD_NEW(out->companion, out->count, error));
    MCD_TRY(MCD_NEW(from, out->count, error));
    macadam_status status = MCD_NEW(to, out->count, error);
    if (!status) status = positions_of(out, source, true, query, from, error);
    if (!status) status = positions_of(out, target, false, query, to, error);
    if (status) {
        mcd_free(from);
        mcd_free(to);
        return status;
    }
    MCD_TRY(mcd_trips_of_positions(&trips, query, from, to, out->count, error));
    status = mcd_trips_costs(&trips, query, out->objective, out->companion, error);
    mcd_trips_free(&trips);
    return status;
}

macadam_status mcd_site_costs_new(mcd_site_costs *out, const mcd_query *query, const mcd_located *source,
                                  const mcd_located *target, macadam_error *error)
{
    *out = (mcd_site_costs){.count = 0};
    MCD_TRY(list_pairs(out, query, source, target, error));
    return out->count ? find_costs(out, query, source, target, error) : MACADAM_OK;
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

void mcd_site_costs_apply(const mcd_site_costs *costs, const mcd_cells *cells)
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

/* ---- searches from one place to all nodes ---- */

static macadam_status make_lanes(mcd_sites *out, const mcd_located *located, const mcd_query *query,
                                 macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    mcd_position *position;
    MCD_TRY(MCD_NEW(position, out->count, error));
    const macadam_status status =
        mcd_located_nearest(located, query, out->place, out->count, false, position, error);
    if (status) {
        mcd_free(position);
        return status;
    }
    return mcd_lanes_new(&out->lanes, &engine->places, &engine->roads, mcd_query_weights(query),
                         &engine->parallel, position, NULL, out->count, located->end, error);
}

macadam_status mcd_sites_new(mcd_sites *out, const mcd_located *located, const mcd_query *query,
                             macadam_error *error)
{
    *out = (mcd_sites){.count = 0};
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
