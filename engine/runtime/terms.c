/* terms.c - see terms.h. */
#include "engine/runtime/terms.h"

#include "engine/base/memory.h"
#include "engine/guide/sign.h"

#include <math.h>
#include <string.h>

/* Factors count in thousandths, so that weights stay integers on every machine. */
enum { THOUSANDTHS = 1000, FACTOR_MAX = 1000 };

enum { UNITS = 100 /* of a limit, in a metre or a tonne */, MEASURE_MAX = 1000 };

static const uint32_t all_flags = 2 * MACADAM_ROAD_PUSHED - 1;

/* ---- checking ---- */

static macadam_status check_flags(const macadam_conditions *given, bool has_vehicle, const mcd_roads *roads,
                                  macadam_error *error)
{
    if (given->avoid & ~all_flags)
        return mcd_fail(error, MACADAM_E_INVALID, "the flags to avoid are %#x; there are only %#x",
                        given->avoid, all_flags);
    if ((given->avoid || given->factor_count || has_vehicle) && !roads->facts->kind_of)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the file does not tell what its roads are");
    return MACADAM_OK;
}

static bool is_class(const mcd_roads *roads, const char *name)
{
    const mcd_arc_facts *const facts = roads->facts;
    bool is_known = mcd_sign_is_class(name);
    for (size_t i = 0; i < facts->kind_count && !is_known; ++i) /* a profile may have classes of its own */
        is_known = strcmp(mcd_sign_text(facts, &facts->kind[i], MCD_KIND_CLASS), name) == 0;
    return is_known;
}

static macadam_status check_factors(const macadam_conditions *given, const mcd_roads *roads,
                                    macadam_error *error)
{
    if (given->factor_count && !given->factor)
        return mcd_fail(error, MACADAM_E_INVALID, "no factors, but a count of %zu", given->factor_count);
    for (size_t i = 0; i < given->factor_count; ++i) {
        const macadam_class_factor *const factor = &given->factor[i];
        if (!factor->road_class || !factor->road_class[0])
            return mcd_fail(error, MACADAM_E_INVALID, "factor %zu has no class of roads", i);
        if (!(factor->factor >= 0 && factor->factor <= FACTOR_MAX)) /* it is no NaN */
            return mcd_fail(error, MACADAM_E_INVALID, "the factor of class \"%s\" is %g, not 0 to %d",
                            factor->road_class, factor->factor, FACTOR_MAX);
        if (!is_class(roads, factor->road_class))
            return mcd_fail(error, MACADAM_E_INVALID,
                            "the class \"%s\" has a factor, but there are no such roads", factor->road_class);
    }
    return MACADAM_OK;
}

/* Measures are rounded to the units of limits, as those are. */
static macadam_status measure_vehicle(mcd_terms *terms, macadam_error *error)
{
    const macadam_conditions *const given = &terms->given;
    const struct {
        const char *name;
        double measure;
    } row[MCD_LIMITS] = {[MCD_LIMIT_HEIGHT] = {"height", given->height_m},
                         [MCD_LIMIT_WIDTH] = {"width", given->width_m},
                         [MCD_LIMIT_LENGTH] = {"length", given->length_m},
                         [MCD_LIMIT_WEIGHT] = {"weight", given->weight_t},
                         [MCD_LIMIT_AXLE_LOAD] = {"axle load", given->axle_load_t}};
    for (int limit = 0; limit < MCD_LIMITS; ++limit) {
        if (!(row[limit].measure >= 0 && row[limit].measure <= MEASURE_MAX)) /* it is no NaN */
            return mcd_fail(error, MACADAM_E_INVALID, "the vehicle's %s is %g, not 0 to %d", row[limit].name,
                            row[limit].measure, MEASURE_MAX);
        terms->vehicle[limit] = (uint32_t)lrint(row[limit].measure * UNITS);
        terms->has_vehicle = terms->has_vehicle || terms->vehicle[limit];
    }
    return MACADAM_OK;
}

static uint32_t thousandths(const macadam_class_factor *factor)
{
    return (uint32_t)lrint(factor->factor * THOUSANDTHS);
}

/* ---- the key ---- */

/* Appends to the key; without a key only counts the bytes. */
static void append(mcd_terms *terms, const void *data, size_t bytes)
{
    if (terms->key && bytes) memcpy(terms->key + terms->key_bytes, data, bytes);
    terms->key_bytes += bytes;
}

static void append_all(mcd_terms *terms)
{
    const macadam_conditions *const given = &terms->given;
    const mcd_fence *const fence = &terms->fence;
    terms->key_bytes = 0;
    append(terms, &terms->is_duration, sizeof terms->is_duration);
    append(terms, &given->avoid, sizeof given->avoid);
    append(terms, terms->vehicle, sizeof terms->vehicle);
    append(terms, &terms->timed_count, sizeof terms->timed_count);
    append(terms, terms->timed, terms->timed_count * sizeof *terms->timed);
    append(terms, &terms->shut_count, sizeof terms->shut_count);
    for (size_t i = 0; i < terms->shut_count; ++i)
        append(terms, terms->shut[i], MCD_SHUT_WORDS * sizeof **terms->shut);
    append(terms, &given->factor_count, sizeof given->factor_count);
    for (size_t i = 0; i < given->factor_count; ++i) {
        const uint32_t factor = thousandths(&given->factor[i]);
        append(terms, given->factor[i].road_class, strlen(given->factor[i].road_class) + 1);
        append(terms, &factor, sizeof factor);
    }
    for (size_t a = 0; a < fence->area_count; ++a) {
        const size_t count = fence->first_side[a + 1] - fence->first_side[a];
        append(terms, &count, sizeof count);
        append(terms, fence->side + fence->first_side[a], count * sizeof *fence->side);
    }
}

/* ---- the departure ---- */

/* Lists the arcs that change in the departure's slot. */
static macadam_status list_timed(mcd_terms *terms, const mcd_arc_facts *facts, macadam_error *error)
{
    const char *const departure = terms->given.departure;
    if (!departure) return MACADAM_OK;
    const size_t slot = mcd_week_slot(departure);
    if (slot == MCD_WEEK_SLOTS)
        return mcd_fail(error, MACADAM_E_INVALID, "the departure \"%s\" is not a day and a time, as Mo08:15",
                        departure);
    MCD_TRY(MCD_NEW(terms->timed, facts->timed_arc_count, error));
    for (size_t i = 0; i < facts->timed_arc_count; ++i)
        if (mcd_week_has(&facts->week[facts->timed_arc[i].week], slot))
            terms->timed[terms->timed_count++] = facts->timed_arc[i];
    MCD_TRY(MCD_NEW(terms->shut, facts->shut_arc_count, error));
    for (size_t i = 0; i < facts->shut_arc_count; ++i) {
        const uint32_t *const shut = facts->shut_arc + i * facts->shut_words;
        const mcd_when when = shut[MCD_SHUT_WHEN];
        if (!mcd_week_has(&facts->week[(when & (MCD_WHEN_OPENS - 1)) - 1], slot)) continue;
        terms->shut[terms->shut_count++] = shut;
        terms->opens = terms->opens || when & MCD_WHEN_OPENS;
    }
    return MACADAM_OK;
}

typedef const uint32_t *shut_arc;
MCD_DEFINE_LOWER_BOUND(find_shut, shut_arc, [MCD_SHUT_ARC], uint32_t)

mcd_weight mcd_terms_open(const mcd_terms *terms, const mcd_roads *roads, const mcd_prices *prices,
                          const mcd_weight *weight, mcd_node tail, uint32_t arc)
{
    const size_t first = find_shut(terms->shut, 0, terms->shut_count, arc);
    const uint32_t *const shut = first < terms->shut_count ? terms->shut[first] : NULL;
    if (!shut || shut[MCD_SHUT_ARC] != arc) return weight[arc];
    if (!(shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS)) return MCD_UNREACHED;
    if (weight[arc] != MCD_UNREACHED) return weight[arc]; /* an update has opened it */
    return mcd_prices_open(prices, weight, arc, mcd_road_original(roads, tail, arc));
}

/* Returns what the tags in force make of a weight, of which `whole` is the arc's own: the rest is paid before the arc,
 * and stays. The usual duration becomes the one in the slot. An update may have made the arc faster; then the change is
 * relative. */
static mcd_weight change_duration(const mcd_timed_arc *timed, mcd_weight weight, mcd_weight whole)
{
    const mcd_weight price = weight > whole ? weight - whole : 0, own = weight - price;
    const uint64_t then = own >= timed->usual ? (uint64_t)own - timed->usual + timed->timed
                                              : (uint64_t)own * timed->timed / timed->usual;
    return then + price < MCD_WEIGHT_MAX ? (mcd_weight)(then + price) : MCD_WEIGHT_MAX;
}

MCD_DEFINE_LOWER_BOUND(find_timed, mcd_timed_arc, .number, uint64_t)

/* Returns what the tags in force make of the weight of an arc that leaves `tail`. `in_use`: [arc_count] */
static mcd_weight weigh_timed(const mcd_terms *terms, const mcd_roads *roads, const mcd_weight *in_use,
                              mcd_node tail, uint32_t arc, mcd_weight weight)
{
    const uint64_t number = mcd_arc_number(roads->facts, arc);
    const size_t first = find_timed(terms->timed, 0, terms->timed_count, number);
    const mcd_timed_arc *const timed = &terms->timed[first];
    if (first == terms->timed_count || timed->number != number) return weight;
    if (timed->timed == MCD_UNREACHED) return MCD_UNREACHED;
    if (!terms->is_duration) return weight;
    return change_duration(timed, weight, in_use[mcd_road_original(roads, tail, arc)]);
}

static macadam_status check_all(mcd_terms *out, const mcd_roads *roads, macadam_error *error)
{
    const macadam_conditions *const given = &out->given;
    MCD_TRY(measure_vehicle(out, error));
    MCD_TRY(check_flags(given, out->has_vehicle, roads, error));
    MCD_TRY(check_factors(given, roads, error));
    if (given->area_count && !roads->places->lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the file has no coordinates: it has no areas");
    MCD_TRY(list_timed(out, roads->facts, error));
    return mcd_fence_new(&out->fence, given->area, given->area_count, error);
}

macadam_status mcd_terms_new(mcd_terms *out, const macadam_conditions *given, const mcd_roads *roads,
                             bool is_duration, macadam_error *error)
{
    *out = (mcd_terms){.given = *given, .is_duration = is_duration};
    macadam_status status = check_all(out, roads, error);
    if (!status) append_all(out);
    if (!status) status = MCD_NEW(out->key, out->key_bytes, error);
    if (status)
        mcd_terms_free(out);
    else
        append_all(out);
    return status;
}

bool mcd_terms_matter(const mcd_terms *terms)
{
    macadam_conditions others = terms->given;
    others.departure = NULL;
    return terms->timed_count > 0 || terms->shut_count > 0 || mcd_terms_apply(&others);
}

void mcd_terms_free(mcd_terms *terms)
{
    mcd_fence_free(&terms->fence);
    mcd_free(terms->key);
    mcd_free(terms->timed);
    mcd_free(terms->shut);
    *terms = (mcd_terms){.key = NULL};
}

/* ---- weights ---- */

/* Returns the thousandths by which the weights of a kind of road are multiplied; the last factor for a class
 * counts. */
static uint32_t factor_of(const macadam_conditions *given, const mcd_arc_facts *facts, uint32_t arc)
{
    uint32_t factor = THOUSANDTHS;
    if (given->factor_count == 0) return factor;
    const char *const road_class = facts->names + facts->kind[mcd_arc_kind(facts, arc)].text[MCD_KIND_CLASS];
    for (size_t i = 0; i < given->factor_count; ++i)
        if (strcmp(given->factor[i].road_class, road_class) == 0) factor = thousandths(&given->factor[i]);
    return factor;
}

/* Returns whether a sign admits only smaller vehicles. */
static bool is_too_small(const mcd_terms *terms, const mcd_arc_facts *facts, uint32_t arc)
{
    if (!terms->has_vehicle || !facts->limits) return false;
    const mcd_kind_limits *const limits = &facts->limits[mcd_arc_kind(facts, arc)];
    for (int limit = 0; limit < MCD_LIMITS; ++limit)
        if (limits->most[limit] && terms->vehicle[limit] > limits->most[limit]) return true;
    return false;
}

mcd_weight mcd_terms_weigh(const mcd_terms *terms, const mcd_roads *roads, const mcd_weight *in_use,
                           mcd_node tail, uint32_t arc, mcd_weight weight)
{
    const macadam_conditions *const given = &terms->given;
    const mcd_arc_facts *const facts = roads->facts;
    if (mcd_arc_number(facts, arc) == MCD_ARC_NONE || weight == MCD_UNREACHED) return weight;
    if (terms->timed_count) weight = weigh_timed(terms, roads, in_use, tail, arc, weight);
    if (weight == MCD_UNREACHED) return weight;
    if (given->avoid && facts->kind[mcd_arc_kind(facts, arc)].flags & given->avoid) return MCD_UNREACHED;
    if (is_too_small(terms, facts, arc)) return MCD_UNREACHED;
    const uint32_t factor = factor_of(given, facts, arc);
    if (factor == 0 || mcd_fence_stops(&terms->fence, roads, tail, arc)) return MCD_UNREACHED;
    const uint64_t product = ((uint64_t)weight * factor + THOUSANDTHS / 2) / THOUSANDTHS;
    return product < MCD_WEIGHT_MAX ? (mcd_weight)product : MCD_WEIGHT_MAX;
}
