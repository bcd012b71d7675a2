/* prices.c - see prices.h. */
#include "engine/runtime/prices.h"

#include "engine/base/grow.h"
#include "engine/base/watch.h"

#include <stdlib.h>

MCD_DEFINE_COMPARE(compare_arcs, uint32_t, )

/* Returns the element for an arc, or NULL. Elements have `stride` words, the first of which is the arc; they
 * ascend. */
static const void *find_arc(const void *element, size_t count, size_t stride, uint32_t arc)
{
    return count ? bsearch(&arc, element, count, stride * sizeof arc, compare_arcs) : NULL;
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
    const mcd_weight imported = mcd_prices_imported(prices, arc);
    if (imported != MCD_UNREACHED) return imported;
    const uint32_t *const shut = find_arc(prices->shut_arc, prices->shut_arc_count, prices->shut_words, arc);
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
    const mcd_turn_price *const set = copy == original ? NULL : find_set(prices, copy);
    if (weight[original] == MCD_UNREACHED) { /* the arc opens, too, unless an update has closed it */
        if (mcd_prices_imported(prices, original) != MCD_UNREACHED) return MCD_UNREACHED;
        return set ? mcd_weight_with_price(imported_open(prices, original), set->price)
                   : imported_open(prices, copy);
    }
    return mcd_weight_with_price(weight[original], set ? set->price : imported_price(prices, copy, original));
}

bool mcd_prices_set(const mcd_prices *prices, mcd_array *weights, mcd_arc_copies copies, uint32_t value)
{
    const uint32_t *const copy = copies.arc;
    const mcd_weight own = value == MACADAM_WEIGHT_CLOSED     ? MCD_UNREACHED
                           : value == MACADAM_WEIGHT_IMPORTED ? mcd_prices_imported(prices, copy[0])
                                                              : value;
    bool differs = mcd_array_set(weights, copy[0], own);
    for (size_t i = 1; i < copies.count; ++i)
        differs |= mcd_array_set(weights, copy[i],
                                 mcd_weight_with_price(own, mcd_prices_of(prices, copy[i], copy[0])));
    return differs;
}

macadam_status mcd_prices_changed(mcd_changed_arc **out, size_t *count, const mcd_prices *prices,
                                  const mcd_weight *weight, size_t arc_count, macadam_error *error)
{
    MCD_OWNED mcd_changed_arc *list = NULL;
    size_t capacity = 0, listed = 0;
    size_t changed = 0, set = 0; /* the next of the elements, of which there may be none */
    *out = NULL, *count = 0;
    for (uint32_t arc = 0; arc < arc_count; ++arc) {
        mcd_changed_arc now = {arc, prices->weight[arc], MCD_PRICE_IMPORTED};
        MCD_TRY(mcd_watch_item(NULL, arc, arc_count, error));
        if (changed < prices->changed_count && prices->changed[changed].arc == arc)
            now.imported = prices->changed[changed++].imported;
        if (set < prices->set_count && prices->set[set].arc == arc)
            now.price = (uint32_t)prices->set[set++].price;
        if (now.imported == weight[arc] && now.price == MCD_PRICE_IMPORTED) continue;
        MCD_TRY(MCD_GROW(list, capacity, listed + 1, error));
        list[listed++] = now;
    }
    *count = listed;
    return MCD_MOVE(*out, list);
}

/* ---- turns that get new prices ---- */

static macadam_status add_turn(mcd_turn_list *list, const mcd_roads *roads, mcd_node via, uint32_t original,
                               uint64_t from, size_t entry, macadam_error *error)
{
    const mcd_graph *const graph = roads->graph;
    for (mcd_arc arc = graph->first_out[via]; arc < graph->first_out[via + 1]; ++arc) {
        if (mcd_arc_original(roads->facts, (uint32_t)arc) != mcd_arc_original(roads->facts, original))
            continue;
        MCD_TRY(MCD_GROW(list->turn, list->capacity, list->count + 1, error));
        list->turn[list->count++] = (mcd_priced_turn){(uint32_t)arc, original, from, entry};
    }
    return MACADAM_OK;
}

macadam_status mcd_turns_check(const macadam_update_request *request, macadam_error *error)
{
    const bool by_nodes = request->turn_via && request->turn_tail && request->turn_head;
    if (request->turn_count == 0) return MACADAM_OK;
    if (request->turn_from ? !request->turn_to : !by_nodes)
        return mcd_fail_invalid(error, "neither numbers of arcs nor nodes of turns");
    if (!request->turn_price) return mcd_fail_invalid(error, "no prices of turns");
    for (size_t q = 0; q < request->quantity_count; ++q)
        if (!request->turn_price[q]) return mcd_fail_invalid(error, "no prices of turns for quantity %zu", q);
    return MACADAM_OK;
}

static bool is_number(const mcd_arc_index *arcs, uint64_t number)
{
    return mcd_arc_index_of(arcs, number).count > 0;
}

static macadam_status add_by_numbers(mcd_turn_list *list, const mcd_roads *roads, const mcd_arc_index *arcs,
                                     uint64_t from, uint64_t to, size_t entry, macadam_error *error)
{
    const size_t before = list->count;
    const mcd_arc_copies in = mcd_arc_index_of(arcs, from), out = mcd_arc_index_of(arcs, to);
    if (in.count == 0 || out.count == 0)
        return mcd_fail(error, MACADAM_E_NOT_FOUND, "no arc has the number %llu (turn %zu)",
                        (unsigned long long)(in.count ? to : from), entry);
    for (size_t i = 0; i < in.count; ++i)
        MCD_TRY(add_turn(list, roads, roads->graph->head[in.arc[i]], out.arc[0], from, entry, error));
    if (list->count > before) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_NOT_FOUND, "no turn leads from arc %llu into arc %llu (turn %zu)",
                    (unsigned long long)from, (unsigned long long)to, entry);
}

/* Returns whether an arc that leaves `tail` has the node next to its head (or to its tail) or, there, this junction. */
static bool is_beside(const mcd_roads *roads, mcd_node tail, uint32_t arc, bool head, int64_t id)
{
    const mcd_arc_points shape = mcd_arc_shape(roads->facts, arc);
    if (mcd_place_id_of(roads->places, head ? tail : roads->graph->head[arc]) == id) return true;
    return roads->facts->shape_id && shape.first < shape.end &&
           roads->facts->shape_id[head ? shape.end - 1 : shape.first] == id;
}

/* Adds the turns from the arcs into one copy of a junction. */
static macadam_status add_turns_at(mcd_turn_list *list, const mcd_roads *roads, const mcd_arc_index *arcs,
                                   mcd_node via, const int64_t node[3], size_t entry, macadam_error *error)
{
    const mcd_graph *const graph = roads->graph;
    for (mcd_arc in = graph->first_in[via]; in < graph->first_in[via + 1]; ++in) {
        const uint64_t from = mcd_arc_number(roads->facts, graph->in_arc[in]);
        if (!is_number(arcs, from) || !is_beside(roads, graph->tail[in], graph->in_arc[in], true, node[0]))
            continue;
        for (mcd_arc out = graph->first_out[via]; out < graph->first_out[via + 1]; ++out) {
            const uint64_t to = mcd_arc_number(roads->facts, (uint32_t)out);
            if (is_number(arcs, to) && is_beside(roads, via, (uint32_t)out, false, node[2]))
                MCD_TRY(add_by_numbers(list, roads, arcs, from, to, entry, error));
        }
    }
    return MACADAM_OK;
}

static macadam_status add_by_nodes(mcd_turn_list *list, const mcd_roads *roads, const mcd_arc_index *arcs,
                                   const int64_t node[3], size_t entry, macadam_error *error)
{
    const mcd_graph *const graph = roads->graph;
    const size_t before = list->count, id = mcd_place_find_id(roads->places, node[1]);
    if (id != MCD_PLACE_NONE) {
        const mcd_node arrive = roads->places->arrive[id];
        MCD_TRY(add_turns_at(list, roads, arcs, arrive, node, entry, error));
        /* from the copies, if any */
        for (mcd_arc in = graph->first_in[arrive]; in < graph->first_in[arrive + 1]; ++in)
            if (mcd_arc_number(roads->facts, graph->in_arc[in]) == MCD_ARC_NONE)
                MCD_TRY(add_turns_at(list, roads, arcs, graph->tail[in], node, entry, error));
    }
    if (list->count > before) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_NOT_FOUND,
                    "no turn leads from node %lld over node %lld to node %lld (turn %zu)", (long long)node[0],
                    (long long)node[1], (long long)node[2], entry);
}

macadam_status mcd_turn_list_add(mcd_turn_list *list, const mcd_roads *roads, const mcd_arc_index *arcs,
                                 const macadam_update_request *request, size_t turn, macadam_error *error)
{
    if (request->turn_from)
        return add_by_numbers(list, roads, arcs, request->turn_from[turn], request->turn_to[turn], turn,
                              error);
    const int64_t node[] = {request->turn_tail[turn], request->turn_via[turn], request->turn_head[turn]};
    return add_by_nodes(list, roads, arcs, node, turn, error);
}

static int compare_priced(const void *a, const void *b)
{
    const mcd_priced_turn *const x = a, *const y = b;
    if (x->copy != y->copy) return x->copy < y->copy ? -1 : 1;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->entry < y->entry) - (x->entry > y->entry); /* the last entry comes first */
}

static void sort_turns(mcd_turn_list *list)
{
    size_t kept = 0;
    if (list->count > 1) qsort(list->turn, list->count, sizeof *list->turn, compare_priced);
    for (size_t i = 0; i < list->count; ++i) {
        const mcd_priced_turn turn = list->turn[i];
        if (kept > 0 && list->turn[kept - 1].copy == turn.copy && list->turn[kept - 1].from == turn.from)
            continue;
        list->turn[kept++] = turn;
    }
    list->count = kept;
}

static bool same_price(const uint32_t *const *price, size_t quantity_count, size_t entry, size_t other)
{
    for (size_t q = 0; q < quantity_count; ++q)
        if (price[q][entry] != price[q][other]) return false;
    return true;
}

/* Checks the turns into one copy: turn[0 .. count), by ascending `from`. */
static macadam_status check_alone(const mcd_priced_turn *turn, size_t count, const mcd_roads *roads,
                                  const uint32_t *const *price, size_t quantity_count, macadam_error *error)
{
    const mcd_graph *const graph = roads->graph;
    const mcd_node via = mcd_road_tail(graph, turn->copy);
    const unsigned long long to = mcd_arc_number(roads->facts, turn->copy);
    if (mcd_road_departs(roads, via, turn->copy))
        return mcd_fail(
            error, MACADAM_E_UNSUPPORTED,
            "the turn from arc %llu into arc %llu (turn %zu) cannot have a price: departures from node "
            "%lld use the same copy of the junction",
            (unsigned long long)turn->from, to, turn->entry, (long long)mcd_place_id_of(roads->places, via));
    for (mcd_arc in = graph->first_in[via]; in < graph->first_in[via + 1]; ++in) {
        const uint64_t from = mcd_arc_number(roads->facts, graph->in_arc[in]);
        size_t i = 0;
        while (i < count && turn[i].from != from) ++i;
        if (i == count || !same_price(price, quantity_count, turn->entry, turn[i].entry))
            return mcd_fail(
                error, MACADAM_E_UNSUPPORTED,
                "the turn from arc %llu into arc %llu (turn %zu) has its price together with that from arc "
                "%llu, which must be given the same",
                (unsigned long long)turn->from, to, turn->entry, (unsigned long long)from);
    }
    return MACADAM_OK;
}

macadam_status mcd_turn_list_close(mcd_turn_list *list, const mcd_roads *roads, const uint32_t *const *price,
                                   size_t quantity_count, macadam_error *error)
{
    sort_turns(list);
    for (size_t first = 0, end; first < list->count; first = end) {
        for (end = first; end < list->count && list->turn[end].copy == list->turn[first].copy; ++end) {
        }
        MCD_TRY(check_alone(list->turn + first, end - first, roads, price, quantity_count, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_prices_with(mcd_turn_price **out, size_t *count, const mcd_prices *prices,
                               const mcd_turn_list *list, const uint32_t *price, macadam_error *error)
{
    const mcd_turn_price *const old = prices->set;
    size_t next = 0;
    *count = 0;
    MCD_TRY(MCD_NEW(*out, prices->set_count + list->count, error));
    for (size_t i = 0; i < list->count; ++i) {
        const mcd_priced_turn turn = list->turn[i];
        const uint32_t value = price[turn.entry];
        if (i > 0 && list->turn[i - 1].copy == turn.copy) continue;
        while (next < prices->set_count && old[next].arc < turn.copy) (*out)[(*count)++] = old[next++];
        if (next < prices->set_count && old[next].arc == turn.copy) ++next;
        if (value == MACADAM_WEIGHT_IMPORTED) continue;
        (*out)[(*count)++] =
            (mcd_turn_price){turn.copy, value == MACADAM_WEIGHT_CLOSED ? MCD_TURN_CLOSED : (int32_t)value};
    }
    while (next < prices->set_count) (*out)[(*count)++] = old[next++];
    return MACADAM_OK;
}
