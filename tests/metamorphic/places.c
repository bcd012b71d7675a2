/* places.c - the places of a case: on roads, in estates, at sea, several on one road, at its ends, repeated, unknown. */
#include "tests/metamorphic/metamorphic.h"

#include <math.h>
#include <string.h>

/* Shared by the places of one case. */
typedef struct neighbourhood {
    const meta_map *map;
    test_rng *rng;
    size_t centre, spread; /* roads centre - spread <= i <= centre + spread, cyclically */
    size_t favourite;      /* the road that has several of the places */
    size_t cut_off;        /* the cut-off road around which the places in estates lie */
} neighbourhood;

static double unit(test_rng *rng)
{
    return (double)rng_below(rng, 1000001) / 1e6;
}

static size_t near_road(const neighbourhood *n)
{
    const size_t count = n->map->road_count;
    const size_t step = rng_below(n->rng, (uint32_t)(2 * n->spread + 1));
    return (n->centre + step) % count;
}

/* A point at a share of one of the pieces of a road's line, up to `off` degrees beside it. */
static macadam_place on_road(const neighbourhood *n, size_t road, double share, double off)
{
    const meta_road *const r = &n->map->road[road];
    const double *const lon = n->map->lines->lon, *const lat = n->map->lines->lat;
    const size_t i = r->first + rng_below(n->rng, (uint32_t)(r->last - r->first - 1));
    macadam_place place = {.kind = MACADAM_PLACE_POINT};
    place.lon = lon[i] + share * (lon[i + 1] - lon[i]) + off * (unit(n->rng) - 0.5);
    place.lat = lat[i] + share * (lat[i + 1] - lat[i]) + off * (unit(n->rng) - 0.5);
    return place;
}

static macadam_place at_sea(const neighbourhood *n)
{
    const macadam_info *const info = &n->map->info;
    macadam_place place = {.kind = MACADAM_PLACE_POINT};
    place.lon = info->west - 0.02 + unit(n->rng) * (info->east - info->west + 0.04);
    place.lat = info->south - 0.02 + unit(n->rng) * (info->north - info->south + 0.04);
    return place;
}

static macadam_place a_node(const neighbourhood *n)
{
    const meta_road *const near = &n->map->road[near_road(n)];
    switch (rng_below(n->rng, 3)) {
    case 0:
        return (macadam_place){.id = n->map->id[rng_below(n->rng, (uint32_t)n->map->info.id_count)]};
    case 1:
        return (macadam_place){.id = near->tail};
    default:
        return (macadam_place){.id = near->head};
    }
}

static macadam_place with_wishes(const neighbourhood *n)
{
    macadam_place place = on_road(n, near_road(n), unit(n->rng), 2e-4);
    if (rng_below(n->rng, 2)) {
        place.heading = rng_below(n->rng, 360);
        place.heading_tolerance = 1 + rng_below(n->rng, 180);
    }
    if (rng_below(n->rng, 2)) place.side = (macadam_side)rng_below(n->rng, 3);
    if (rng_below(n->rng, 3) == 0) place.radius_m = (float)(1 + rng_below(n->rng, 60));
    return place;
}

static macadam_place in_estate(const neighbourhood *n)
{
    const size_t count = n->map->cut_off_count;
    const size_t road = n->map->cut_off[(n->cut_off + rng_below(n->rng, 5)) % count];
    if (rng_below(n->rng, 4)) return on_road(n, road, unit(n->rng), rng_below(n->rng, 2) ? 1e-4 : 0);
    return (macadam_place){.id = rng_below(n->rng, 2) ? n->map->road[road].tail : n->map->road[road].head};
}

static macadam_place draw_place(const neighbourhood *n, const macadam_place *before, size_t count)
{
    const uint32_t roll = rng_below(n->rng, 100);
    if (roll < 16) return a_node(n);
    if (roll < 40) return on_road(n, near_road(n), unit(n->rng), rng_below(n->rng, 2) ? 3e-4 : 0);
    if (roll < 52) return on_road(n, n->favourite, unit(n->rng), 0);
    if (roll < 57) return on_road(n, n->favourite, rng_below(n->rng, 2), 0);
    if (roll < 76 && n->map->cut_off_count) return in_estate(n);
    if (roll < 80) return at_sea(n);
    if (roll < 84 && count) return before[rng_below(n->rng, (uint32_t)count)];
    if (roll < 86) return (macadam_place){.id = INT64_MIN};
    if (roll < 87) return (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = 200};
    return with_wishes(n);
}

static size_t draw_count(test_rng *rng, size_t most)
{
    static const size_t edges[] = {1, 15, 16, 17, 31, 32, 33, 63, 64};
    const uint32_t roll = rng_below(rng, 10);
    size_t count = 1 + rng_below(rng, roll < 6 ? 5 : (uint32_t)most);
    if (roll == 9) count = edges[rng_below(rng, sizeof edges / sizeof *edges)];
    return count < most ? count : most;
}

static void draw_settings(meta_case *c, test_rng *rng)
{
    const macadam_info *const info = &c->map->info;
    c->metric = rng_below(rng, 3) ? 0 : rng_below(rng, (uint32_t)info->metric_count);
    const bool by_energy = c->map->is_electric && rng_below(rng, 3) == 0;
    for (size_t m = 0; by_energy && m < info->metric_count; ++m)
        if (strcmp(info->metric[m], "energy") == 0) c->metric = m;
    const char *const objective = info->metric[c->metric], *const companion = info->companion[c->metric];
    c->quantity_count = companion ? rng_below(rng, 3) : 0;
    c->quantity[0] = objective, c->quantity[1] = companion;
    if (rng_below(rng, 2)) c->quantity[0] = companion ? companion : objective, c->quantity[1] = objective;
    c->any = rng_below(rng, 4) == 0;
    const uint32_t roll = rng_below(rng, c->map->is_real ? 40 : 12);
    c->conditions = roll < META_CONDITIONS ? &c->map->conditions[roll] : NULL;
    c->memory = rng_below(rng, 5) ? 0 : 1000 + rng_below(rng, 200000);
    const uint32_t engine = rng_below(rng, c->map->is_real ? 200 : 20);
    c->kind = engine == 0 ? META_DEVICE : engine < 3 ? META_TWO_THREADS : META_ONE_THREAD;
}

void meta_draw_case(meta_case *out, meta_map *map, const meta_relation *relation, test_rng *rng)
{
    static const size_t spread[] = {2, 10, 60, 100000000};
    neighbourhood n = {.map = map, .rng = rng};
    *out = (meta_case){.map = map, .salt = rng_next(rng)};
    draw_settings(out, rng);
    n.centre = rng_below(rng, (uint32_t)map->road_count);
    n.spread = spread[rng_below(rng, 4)];
    n.favourite = near_road(&n);
    n.cut_off = map->cut_off_count ? rng_below(rng, (uint32_t)map->cut_off_count) : 0;
    out->source_count = draw_count(rng, relation->source_most);
    out->target_count = draw_count(rng, relation->target_most);
    for (size_t i = 0; i < out->source_count; ++i) out->source[i] = draw_place(&n, out->source, i);
    for (size_t i = 0; i < out->target_count; ++i) {
        out->target[i] = draw_place(&n, out->target, i);
        if (rng_below(rng, 12) == 0)
            out->target[i] = out->source[rng_below(rng, (uint32_t)out->source_count)];
    }
}
