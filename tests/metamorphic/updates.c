/* updates.c - what is read can be written back: weights that change there and back leave nothing, however they went. */
#include "tests/metamorphic/metamorphic.h"

#include <stdio.h>
#include <string.h>

/* The arcs of the engine with their weights. */
typedef struct arcs {
    size_t count, quantity_count;
    uint64_t *number;
    int64_t *tail, *head; /* NULL: not needed */
    uint32_t *value[4];
} arcs;

static bool take_arc(void *context, const macadam_arc *arc)
{
    arcs *const a = context;
    a->number[a->count] = arc->arc, a->tail[a->count] = arc->tail, a->head[a->count] = arc->head;
    for (size_t q = 0; q < a->quantity_count; ++q) a->value[q][a->count] = arc->value[q];
    ++a->count;
    return true;
}

static bool list_arcs(arcs *out, const meta_case *c, macadam_engine *engine, char why[META_WHY])
{
    const size_t most = c->map->info.arc_count;
    macadam_error error;
    *out = (arcs){.quantity_count = c->map->info.quantity_count < 4 ? c->map->info.quantity_count : 4};
    out->number = meta_memory(most, sizeof *out->number);
    out->tail = meta_memory(most, sizeof *out->tail), out->head = meta_memory(most, sizeof *out->head);
    for (size_t q = 0; q < 4; ++q) out->value[q] = meta_memory(most, sizeof **out->value);
    return meta_ok(macadam_arcs_list(engine, take_arc, out, &error), &error, "arcs", why);
}

static meta_verdict same_arcs(const arcs *a, const arcs *b, char why[META_WHY])
{
    META_REQUIRE(a->count == b->count, "%zu arcs, then %zu", a->count, b->count);
    for (size_t i = 0; i < a->count; ++i)
        for (size_t q = 0; q < a->quantity_count; ++q)
            META_REQUIRE(a->value[q][i] == b->value[q][i], "arc %llu, quantity %zu: %u, then %u",
                         (long long)a->number[i], q, a->value[q][i], b->value[q][i]);
    return META_HOLDS;
}

/* Some of the arcs: one, a hundredth, half or all of them. */
static arcs select_arcs(const arcs *from, test_rng *rng)
{
    static const uint32_t one_in[] = {1, 2, 10, 100};
    const uint32_t share = one_in[rng_below(rng, 4)], first = rng_below(rng, (uint32_t)from->count);
    arcs out = {.quantity_count = from->quantity_count};
    out.number = meta_memory(from->count, sizeof *out.number);
    for (size_t q = 0; q < out.quantity_count; ++q)
        out.value[q] = meta_memory(from->count, sizeof **out.value);
    for (size_t i = 0; i < from->count; ++i) {
        if (i != first && rng_below(rng, share)) continue;
        out.number[out.count] = from->number[i];
        for (size_t q = 0; q < out.quantity_count; ++q) out.value[q][out.count] = from->value[q][i];
        ++out.count;
    }
    return out;
}

/* Other weights for the same arcs: of the first quantity, closed or anything up to the largest. */
static arcs disturb(const arcs *a, test_rng *rng)
{
    arcs out = *a;
    const uint32_t kind = rng_below(rng, 3);
    out.value[0] = meta_memory(a->count, sizeof **out.value);
    for (size_t i = 0; i < a->count; ++i) {
        out.value[0][i] = kind == 0 ? MACADAM_WEIGHT_CLOSED : rng_below(rng, 600000);
        if (kind == 2 && rng_below(rng, 4) == 0) out.value[0][i] = MACADAM_WEIGHT_MAX - rng_below(rng, 2);
    }
    return out;
}

/* Sets the first `quantity_count` quantities of arcs first <= i < last. */
static bool update(const meta_case *c, macadam_engine *engine, const arcs *a, size_t first, size_t last,
                   size_t quantity_count, char why[META_WHY])
{
    const uint32_t *value[4];
    macadam_error error;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    for (size_t q = 0; q < a->quantity_count; ++q) value[q] = a->value[q] + first;
    request.arc = a->number + first, request.count = last - first;
    request.quantity = c->map->info.quantity, request.quantity_count = quantity_count;
    request.value = value;
    return request.count == 0 || meta_ok(macadam_update(engine, &request, &error), &error, "update", why);
}

/* The engine's answers: the table and the weights. */
typedef struct answers {
    meta_table table;
    arcs weights;
} answers;

static bool ask(answers *out, const meta_case *c, macadam_engine *engine, char why[META_WHY])
{
    return meta_matrix_of(&out->table, c, engine, why) && list_arcs(&out->weights, c, engine, why);
}

static meta_verdict same_answers(const answers *a, const answers *b, const char *what, char why[META_WHY])
{
    if (meta_same(&a->table, &b->table, what, why) != META_HOLDS) return META_FAILS;
    return same_arcs(&a->weights, &b->weights, why);
}

/* ---- relations ---- */

static meta_verdict own_weights_change_nothing(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const engine = meta_engine(c->map, META_SCRATCH);
    answers before, after;
    if (!ask(&before, c, engine, why)) return META_FAILS;
    const arcs some = select_arcs(&before.weights, &rng);
    const size_t quantities = 1 + rng_below(&rng, (uint32_t)some.quantity_count);
    if (!update(c, engine, &some, 0, some.count, quantities, why) || !ask(&after, c, engine, why))
        return META_FAILS;
    return same_answers(&before, &after, "own weights written back", why);
}

static meta_verdict there_and_back_is_nothing(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const engine = meta_engine(c->map, META_SCRATCH);
    answers before, after;
    if (!ask(&before, c, engine, why)) return META_FAILS;
    const arcs some = select_arcs(&before.weights, &rng), other = disturb(&some, &rng);
    if (!update(c, engine, &other, 0, other.count, 1, why)) return META_FAILS;
    if (rng_below(&rng, 2) && !ask(&after, c, engine, why)) return META_FAILS; /* customizes in between */
    if (!c->map->is_extreme && rng_below(&rng, 2)) /* its weights are the imported ones */
        for (size_t i = 0; i < some.count; ++i) some.value[0][i] = MACADAM_WEIGHT_IMPORTED;
    if (!update(c, engine, &some, 0, some.count, 1, why) || !ask(&after, c, engine, why)) return META_FAILS;
    return same_answers(&before, &after, "weights changed there and back", why);
}

/* Draws a turn: an arc, and one that leaves its head. Returns false if the arc is a dead end. */
static bool draw_turn(uint64_t turn[2], const arcs *a, test_rng *rng)
{
    const size_t from = rng_below(rng, (uint32_t)a->count), start = rng_below(rng, (uint32_t)a->count);
    turn[0] = a->number[from];
    for (size_t i = 0; i < a->count; ++i) {
        const size_t to = (start + i) % a->count;
        turn[1] = a->number[to];
        if (a->tail[to] == a->head[from]) return true;
    }
    return false;
}

static macadam_status set_price(const meta_case *c, macadam_engine *engine, const uint64_t turn[2],
                                uint32_t price, macadam_error *error)
{
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.quantity = c->map->info.quantity, request.quantity_count = 1;
    request.turn_from = &turn[0], request.turn_to = &turn[1], request.turn_count = 1;
    request.turn_price = (const uint32_t *const[]){&price};
    return macadam_update(engine, &request, error);
}

/* The price of a turn and the weights of arcs may change in any order, and back. A refused price changes nothing. */
static meta_verdict price_is_not_weight(const meta_case *c, char why[META_WHY])
{
    static const uint32_t prices[] = {0, 1, 30000, 30000, MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_MAX};
    test_rng rng = {c->salt};
    macadam_engine *const engine = meta_engine(c->map, META_SCRATCH);
    answers before, after, here, there;
    uint64_t turn[2];
    macadam_error error;
    const macadam_engine_options options = {.size = sizeof options, .profile = c->map->info.profile};
    if (!ask(&before, c, engine, why)) return META_FAILS;
    const arcs some = select_arcs(&before.weights, &rng), other = disturb(&some, &rng);
    const uint32_t price = prices[rng_below(&rng, 6)];
    if (!draw_turn(turn, &before.weights, &rng)) return META_SKIPPED;
    const macadam_status status = set_price(c, engine, turn, price, &error);
    if (status == MACADAM_E_NOT_FOUND || status == MACADAM_E_UNSUPPORTED)
        return ask(&after, c, engine, why) ? same_answers(&before, &after, "a refused price", why)
                                           : META_FAILS;
    if (!meta_ok(status, &error, "price", why) || !update(c, engine, &other, 0, other.count, 1, why) ||
        !ask(&here, c, engine, why))
        return META_FAILS;
    macadam_engine *const fresh = meta_open(c->map, c->map->edge, &options);
    const bool works = update(c, fresh, &other, 0, other.count, 1, why) &&
                       meta_ok(set_price(c, fresh, turn, price, &error), &error, "price", why) &&
                       ask(&there, c, fresh, why);
    macadam_engine_close(fresh);
    if (!works || same_answers(&here, &there, "a price before weights and after", why) != META_HOLDS ||
        !meta_ok(set_price(c, engine, turn, MACADAM_WEIGHT_IMPORTED, &error), &error, "price", why) ||
        !update(c, engine, &some, 0, some.count, 1, why) || !ask(&after, c, engine, why))
        return META_FAILS;
    return same_answers(&before, &after, "a price there and back", why);
}

/* The same end by one update on a fresh engine, and by several on one that has answered in between. */
static meta_verdict steps_are_one_update(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const engine = meta_engine(c->map, META_SCRATCH);
    answers before, steps, whole;
    const macadam_engine_options options = {.size = sizeof options, .profile = c->map->info.profile};
    if (!ask(&before, c, engine, why)) return META_FAILS;
    const arcs some = select_arcs(&before.weights, &rng), other = disturb(&some, &rng);
    macadam_engine *const fresh = meta_open(c->map, c->map->edge, &options);
    bool works = update(c, fresh, &other, 0, other.count, 1, why) && ask(&whole, c, fresh, why);
    macadam_engine_close(fresh);
    const size_t step = 1 + other.count / 3;
    for (size_t first = 0; first < other.count && works; first += step) {
        const size_t last = first + step < other.count ? first + step : other.count;
        works = update(c, engine, &other, first, last, 1, why) && ask(&steps, c, engine, why);
    }
    const meta_verdict verdict =
        works ? same_answers(&whole, &steps, "one update, and several", why) : META_FAILS;
    works = works && update(c, engine, &some, 0, some.count, 1, why);
    return works ? verdict : META_FAILS;
}

static meta_verdict update_on_device(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const device = meta_engine(c->map, META_SCRATCH_DEVICE), *const engine = meta_engine(
                                                                                 c->map, META_SCRATCH);
    answers before, there, here;
    if (!device) return META_SKIPPED;
    if (!ask(&before, c, engine, why)) return META_FAILS;
    const arcs some = select_arcs(&before.weights, &rng), other = disturb(&some, &rng);
    if (!update(c, engine, &other, 0, other.count, 1, why) ||
        !update(c, device, &other, 0, other.count, 1, why) || !ask(&here, c, engine, why) ||
        !ask(&there, c, device, why) || !update(c, engine, &some, 0, some.count, 1, why) ||
        !update(c, device, &some, 0, some.count, 1, why))
        return META_FAILS;
    return same_answers(&here, &there, "an update on the device", why);
}

static meta_verdict saved_is_in_use(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const engine = meta_engine(c->map, META_SCRATCH);
    char path[META_PATH + 8];
    answers before, here, there;
    macadam_error error;
    if (!ask(&before, c, engine, why)) return META_FAILS;
    const arcs some = select_arcs(&before.weights, &rng), other = disturb(&some, &rng);
    snprintf(path, sizeof path, "%.1000s.saved", c->map->edge);
    if (!update(c, engine, &other, 0, other.count, 1, why) || !ask(&here, c, engine, why)) return META_FAILS;
    const macadam_status status = rng_below(&rng, 2) ? macadam_engine_save(engine, path, &error)
                                                     : macadam_engine_save_ready(engine, path, &error);
    if (!meta_ok(status, &error, "save", why)) return META_FAILS;
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.profile = c->map->info.profile_count > 1 ? c->map->info.profile : NULL;
    macadam_engine *const saved = meta_open(c->map, path, &options);
    bool works = ask(&there, c, saved, why);
    meta_verdict verdict = works ? same_answers(&here, &there, "updated and saved", why) : META_FAILS;
    works = works && update(c, saved, &some, 0, some.count, 1, why) && ask(&there, c, saved, why) &&
            update(c, engine, &some, 0, some.count, 1, why);
    macadam_engine_close(saved);
    if (works && verdict == META_HOLDS)
        verdict = same_answers(&before, &there, "saved and changed back", why);
    return works ? verdict : META_FAILS;
}

const meta_relation meta_updates[] = {
    {"own_weights_change_nothing", own_weights_change_nothing, 20, 3, 12, 12},
    {"there_and_back_is_nothing", there_and_back_is_nothing, 20, 3, 12, 12},
    {"price_is_not_weight", price_is_not_weight, 20, 2, 12, 12},
    {"steps_are_one_update", steps_are_one_update, 8, 1, 12, 12},
    {"update_on_device", update_on_device, 3, 0, 8, 8},
    {"saved_is_in_use", saved_is_in_use, 8, 1, 12, 12},
    {0},
};
