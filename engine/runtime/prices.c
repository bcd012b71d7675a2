/* prices.c - see prices.h. */
#include "engine/runtime/prices.h"

#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/watch.h"

#include <string.h>

/* Returns the element for an arc, or NULL. Elements have `stride` words, the first of which is the arc; they
 * ascend. */
static const void *find_arc(const void *element, size_t count, size_t stride, uint32_t arc)
{
    const uint32_t *const word = element;
    size_t first = 0, end = count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (word[middle * stride] < arc)
            first = middle + 1;
        else
            end = middle;
    }
    return first < count && word[first * stride] == arc ? word + first * stride : NULL;
}

static const mcd_turn_price *find_set(const mcd_prices *prices, uint32_t copy)
{
    return find_arc(prices->set, prices->set_count, MCD_TURN_PRICE_WORDS, copy);
}

mcd_weight mcd_prices_imported(const mcd_prices *prices, uint32_t arc)
{
    const mcd_changed_arc *const changed =
        find_arc(prices->changed, prices->changed_count, MCD_CHANGED_ARC_WORDS, arc);
    return changed ? changed->imported : prices->weight[arc];
}

/* Returns the imported weight of an arc while it is open. */
static mcd_weight imported_open(const mcd_prices *prices, uint32_t arc)
{
    const mcd_arc_facts *const facts = prices->facts;
    const mcd_weight imported = mcd_prices_imported(prices, arc);
    if (imported != MCD_UNREACHED) return imported;
    const uint32_t *const shut = find_arc(facts->shut_arc, facts->shut_arc_count, facts->shut_words, arc);
    return shut && shut[MCD_SHUT_WHEN] & MCD_WHEN_OPENS ? shut[MCD_SHUT_WORDS + prices->quantity]
                                                        : MCD_UNREACHED;
}

/* Returns the imported price of the turn into a copy while it is open. */
static int32_t imported_price(const mcd_prices *prices, uint32_t copy, uint32_t original)
{
    const mcd_weight weight = imported_open(prices, copy), whole = imported_open(prices, original);
    return weight == MCD_UNREACHED || whole == MCD_UNREACHED ? 0 : (int32_t)weight - (int32_t)whole;
}

int32_t mcd_prices_of(const mcd_prices *prices, uint32_t copy, uint32_t original)
{
    if (copy == original) return 0;
    const mcd_turn_price *const set = find_set(prices, copy);
    if (set) return set->price;
    const bool is_turn_shut = mcd_prices_imported(prices, copy) == MCD_UNREACHED &&
                              mcd_prices_imported(prices, original) != MCD_UNREACHED;
    return is_turn_shut ? MCD_TURN_CLOSED : imported_price(prices, copy, original);
}

mcd_weight mcd_prices_open(const mcd_prices *prices, const mcd_weight *weight, uint32_t copy,
                           uint32_t original)
{
    if (weight[original] == MCD_UNREACHED) /* the arc opens, too, unless an update has closed it */
        return mcd_prices_imported(prices, original) == MCD_UNREACHED ? imported_open(prices, copy)
                                                                      : MCD_UNREACHED;
    const mcd_turn_price *const set = find_set(prices, copy);
    return mcd_weight_with_price(weight[original], set ? set->price : imported_price(prices, copy, original));
}

macadam_status mcd_prices_changed(mcd_changed_arc **out, size_t *count, const mcd_prices *prices,
                                  const mcd_weight *weight, size_t arc_count, macadam_error *error)
{
    const mcd_changed_arc *changed = prices->changed, *const end = changed + prices->changed_count;
    const mcd_turn_price *set = prices->set, *const set_end = set + prices->set_count;
    size_t capacity = 0;
    *out = NULL, *count = 0;
    macadam_status status = MACADAM_OK;
    for (uint32_t arc = 0; arc < arc_count && !status; ++arc) {
        mcd_changed_arc now = {arc, prices->weight[arc], MCD_PRICE_IMPORTED};
        status = mcd_watch_item(NULL, arc, arc_count, error);
        if (changed < end && changed->arc == arc) now.imported = changed++->imported;
        if (set < set_end && set->arc == arc) now.price = (uint32_t)set++->price;
        if (now.imported == weight[arc] && now.price == MCD_PRICE_IMPORTED) continue;
        if (!status) status = MCD_GROW(*out, capacity, *count + 1, error);
        if (!status) (*out)[(*count)++] = now;
    }
    if (!status) return MACADAM_OK;
    mcd_free(*out);
    *out = NULL, *count = 0;
    return status;
}
