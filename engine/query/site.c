/* site.c - see site.h. */
#include "engine/query/site.h"

#include "engine/base/memory.h"
#include "engine/query/trips.h"

/* The places of the pairs. */
typedef struct pair_places {
    macadam_place *source, *target;
} pair_places;

static macadam_status list_places(pair_places *out, const mcd_sites *sites, const macadam_place *source,
                                  const macadam_place *target, macadam_error *error)
{
    MCD_TRY(MCD_NEW(out->source, sites->count, error));
    MCD_TRY(MCD_NEW(out->target, sites->count, error));
    for (size_t i = 0; i < sites->count; ++i) {
        out->source[i] = source[sites->pair[i].source];
        out->target[i] = target[sites->pair[i].target];
    }
    return MACADAM_OK;
}

static macadam_status find_costs(mcd_sites *sites, const mcd_query *query, const pair_places *places,
                                 macadam_error *error)
{
    mcd_query nearest = *query; /* its owner ends it */
    const mcd_place_list source = {places->source, sites->count, {0}},
                         target = {places->target, sites->count, {0}};
    mcd_trips trips;
    nearest.snap_any_component = true;
    MCD_TRY(MCD_NEW(sites->objective, sites->count, error));
    if (query->joint) MCD_TRY(MCD_NEW(sites->companion, sites->count, error));
    MCD_TRY(mcd_trips_new(&trips, &nearest, &source, &target, MCD_PAIRING_EACH, error));
    const macadam_status status =
        mcd_trips_costs(&trips, &nearest, sites->objective, sites->companion, error);
    mcd_trips_free(&trips);
    return status;
}

macadam_status mcd_sites_new(mcd_sites *out, const mcd_query *query, const macadam_place *source,
                             const macadam_place *target, mcd_place_pair *pair, size_t count,
                             macadam_error *error)
{
    pair_places places = {0};
    *out = (mcd_sites){.pair = pair, .count = count};
    if (count == 0) return MACADAM_OK;
    macadam_status status = list_places(&places, out, source, target, error);
    if (!status) status = find_costs(out, query, &places, error);
    mcd_free(places.source);
    mcd_free(places.target);
    return status;
}

void mcd_sites_free(mcd_sites *sites)
{
    mcd_free(sites->pair);
    mcd_free(sites->objective);
    mcd_free(sites->companion);
    *sites = (mcd_sites){0};
}

/* Returns the first pair whose source is not before `source`. */
static size_t find_source(const mcd_sites *sites, size_t source)
{
    size_t first = 0, last = sites->count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (sites->pair[middle].source < source)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

void mcd_sites_apply(const mcd_sites *sites, const mcd_cells *cells)
{
    for (size_t i = find_source(sites, cells->row);
         i < sites->count && sites->pair[i].source < cells->row + cells->rows; ++i) {
        const size_t target = sites->pair[i].target;
        if (target < cells->column || target >= cells->column + cells->columns) continue;
        const size_t cell = (sites->pair[i].source - cells->row) * cells->stride + (target - cells->column);
        cells->objective[cell] = sites->objective[i];
        if (cells->companion) cells->companion[cell] = sites->companion[i];
    }
}
