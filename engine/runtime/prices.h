/* prices.h - the prices of turns: what is paid before an arc (turns, signals, barriers, boarding), apart from the
 * weight of the arc.
 *
 * Where junctions are split, an arc has copies. The original weighs what the arc weighs, a copy that and the price
 * of the turn into it. The price is the imported weight of the copy less that of the original, unless an update has
 * set it. So a file has all prices in its imported weights; one that was saved after an update also stores the
 * imported weights of the arcs that changed, and the prices that were set. */
#ifndef MCD_ENGINE_RUNTIME_PRICES_H
#define MCD_ENGINE_RUNTIME_PRICES_H

#include "engine/file/arc_index.h"
#include "engine/runtime/array.h"

/* A price: the turn may not be made. Other prices are above -MCD_UNREACHED and below MCD_UNREACHED; who stays aboard a
 * ferry pays less than nothing, because the original's weight contains the boarding. */
#define MCD_TURN_CLOSED INT32_MAX
static_assert((uint32_t)MCD_TURN_CLOSED == MCD_UNREACHED, "a closed turn closes the copy");

typedef struct mcd_turn_price {
    uint32_t arc; /* the copy into which the turn leads */
    int32_t price;
} mcd_turn_price;
enum { MCD_TURN_PRICE_WORDS = sizeof(mcd_turn_price) / sizeof(uint32_t) };

/* The prices of one quantity. */
typedef struct mcd_prices {
    const mcd_weight *weight;       /* [arc_count] as the file has them */
    const mcd_changed_arc *changed; /* [changed_count] as the file has them, by ascending arc */
    size_t changed_count;
    /* [shut_arc_count][shut_words] those of the facts, which a question may be loading meanwhile */
    const uint32_t *shut_arc;
    size_t shut_arc_count, shut_words, quantity;
    mcd_turn_price *set; /* [set_count] those that updates have set, by ascending arc */
    size_t set_count;
    bool is_loaded;
} mcd_prices;

/* Returns what an arc weighs with a price: a closed arc stays closed, every other sum from 0 to MCD_WEIGHT_MAX. */
static inline mcd_weight mcd_weight_with_price(mcd_weight weight, int32_t price)
{
    if (weight == MCD_UNREACHED || price == MCD_TURN_CLOSED) return MCD_UNREACHED;
    const int64_t sum = (int64_t)weight + price;
    return sum < 0 ? 0 : sum < MCD_WEIGHT_MAX ? (mcd_weight)sum : MCD_WEIGHT_MAX;
}

/* Returns the imported weight of an arc. Time: a binary search over the file's changed arcs. */
mcd_weight mcd_prices_imported(const mcd_prices *prices, uint32_t arc);

/* Returns the price of the turn into a copy of the arc `original`, which has none. Time: likewise. */
int32_t mcd_prices_of(const mcd_prices *prices, uint32_t copy, uint32_t original);

/* Returns the weight in use of a copy that opens only at times, while it is open. `weight`: [arc_count] in use. */
mcd_weight mcd_prices_open(const mcd_prices *prices, const mcd_weight *weight, uint32_t copy,
                           uint32_t original);

/* Gives an arc a weight or a word of an update, and its copies that and their prices. Returns whether one differed. */
bool mcd_prices_set(const mcd_prices *prices, mcd_array *weights, mcd_arc_copies copies, uint32_t value);

/* ---- turns that get new prices ---- */

/* The turn from the arc of a number into a copy of another arc. */
typedef struct mcd_priced_turn {
    uint32_t copy, original; /* of the arc after */
    uint64_t from;
    size_t entry; /* of the request */
} mcd_priced_turn;

typedef struct mcd_turn_list {
    mcd_priced_turn *turn; /* the caller frees it with mcd_free */
    size_t count, capacity;
} mcd_turn_list;

/* Fails unless the turns of a request, if any, are named and have prices. */
macadam_status mcd_turns_check(const macadam_update_request *request, macadam_error *error);

/* Adds a turn of a request: by the numbers of both arcs, or all turns at a junction by ids: of the junction before or the last
 * node before, of the junction, and of the next junction or node. `arcs` has all numbers. Returns E_NOT_FOUND if there is no
 * such turn, or if it is forbidden. */
macadam_status mcd_turn_list_add(mcd_turn_list *list, const mcd_roads *roads, const mcd_arc_index *arcs,
                                 const macadam_update_request *request, size_t turn, macadam_error *error);

/* Sorts the list; of a turn that is in it twice, the last entry remains. Returns E_UNSUPPORTED if a copy is used by
 * departures, or by turns that are not in the list with the same price: it cannot have a price for some of them only.
 * price: [quantity_count][entry]. */
macadam_status mcd_turn_list_close(mcd_turn_list *list, const mcd_roads *roads, const uint32_t *const *price,
                                   size_t quantity_count, macadam_error *error);

/* Makes the prices that are set once those of the list are: MACADAM_WEIGHT_IMPORTED is set no longer. The caller frees
 * *out. price: [entry]. */
macadam_status mcd_prices_with(mcd_turn_price **out, size_t *count, const mcd_prices *prices,
                               const mcd_turn_list *list, const uint32_t *price, macadam_error *error);

/* ---- files ---- */

/* Lists the arcs of which the weight in use or the price is not the imported one, as the file stores them. The
 * caller frees *out with mcd_free. Returns E_MEMORY. */
macadam_status mcd_prices_changed(mcd_changed_arc **out, size_t *count, const mcd_prices *prices,
                                  const mcd_weight *weight, size_t arc_count, macadam_error *error);

#endif
