/* variant.c - see variant.h. Updates forget all variants, and both happen under update_lock: the weights from
 * which a listed variant was made are those in use. */
#include "engine/runtime/variant.h"

#include "engine/base/memory.h"
#include "engine/base/options.h"
#include "engine/base/watch.h"
#include "engine/runtime/terms.h"
#include "engine/runtime/load.h"

#include <string.h>

enum {
    NODES_PER_TASK = 1 << 12,
    KEPT_SHARE = 4,        /* the variants kept may take so small a share of the memory limit */
    BYTES_PER_UP_ARC = 64, /* of both directions, at most: heads, depths, weights, children, basic weights */
};

/* ---- the list ---- */

/* Returns the bytes that a variant takes at most. */
static uint64_t bytes_of(const macadam_engine *engine)
{
    return engine->metadata->arc_count * sizeof(mcd_weight) +
           engine->metadata->up_arc_count * (uint64_t)BYTES_PER_UP_ARC;
}

/* Under the lock: unlinks the variant with this key. Returns NULL if there is none. */
static mcd_variant *unlink_variant(macadam_engine *engine, size_t index, const mcd_terms *terms)
{
    for (mcd_variant **link = &engine->variant; *link; link = &(*link)->next) {
        mcd_variant *const found = *link;
        if (found->index != index || found->key_bytes != terms->key_bytes ||
            memcmp(found->key, terms->key, terms->key_bytes) != 0)
            continue;
        *link = found->next;
        return found;
    }
    return NULL;
}

/* Under the lock: puts a variant first. Returns the list of those that no longer fit; the first one always
 * fits. */
static mcd_variant *link_first(macadam_engine *engine, mcd_variant *variant)
{
    const uint64_t bytes = bytes_of(engine), limit = engine->scratch.limit / KEPT_SHARE;
    uint64_t used = bytes;
    variant->next = engine->variant;
    engine->variant = variant;
    mcd_variant *last = variant;
    for (; last->next && used + bytes <= limit; last = last->next) used += bytes;
    mcd_variant *const rest = last->next;
    last->next = NULL;
    return rest;
}

void mcd_variants_leave(mcd_variant *variant)
{
    while (variant) {
        mcd_variant *const next = variant->next;
        mcd_variant_leave(variant);
        variant = next;
    }
}

/* Returns a listed variant with one more user, as the last used one; *out is NULL if there is none. */
static macadam_status find(mcd_variant **out, macadam_engine *engine, size_t index, const mcd_terms *terms,
                           macadam_error *error)
{
    mcd_variant *rest = NULL;
    *out = NULL;
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    mcd_variant *const found = unlink_variant(engine, index, terms);
    if (found) {
        rest = link_first(engine, found);
        atomic_fetch_add(&found->users, 1);
    }
    pthread_mutex_unlock(&engine->lock);
    mcd_variants_leave(rest);
    *out = found;
    return MACADAM_OK;
}

static macadam_status list(macadam_engine *engine, mcd_variant *variant, macadam_error *error)
{
    MCD_TRY(mcd_watch_lock(&engine->lock, error));
    atomic_fetch_add(&variant->users, 1);
    mcd_variant *const rest = link_first(engine, variant);
    pthread_mutex_unlock(&engine->lock);
    mcd_variants_leave(rest);
    return MACADAM_OK;
}

mcd_variant *mcd_engine_take_variants(macadam_engine *engine)
{
    mcd_variant *const all = engine->variant;
    engine->variant = NULL;
    return all;
}

void mcd_engine_forget_variants(macadam_engine *engine)
{
    pthread_mutex_lock(&engine->lock);
    mcd_variant *const all = mcd_engine_take_variants(engine);
    pthread_mutex_unlock(&engine->lock);
    mcd_variants_leave(all);
}

void mcd_variant_leave(mcd_variant *variant)
{
    if (!variant || atomic_fetch_sub(&variant->users, 1) > 1) return;
    mcd_metric_leave(variant->metric);
    mcd_arc_metric_leave(variant->arcs);
    mcd_arc_metric_leave(variant->graph);
    mcd_quantity_leave(variant->objective);
    mcd_quantity_leave(variant->companion);
    mcd_free(variant->key);
    mcd_free(variant);
}

/* ---- making ---- */

typedef struct weigh_work {
    const mcd_terms *terms;
    const mcd_roads *roads;
    const mcd_prices *prices;
    size_t quantity;
    bool is_companion; /* what opens is all that counts */
    const mcd_weight *from;
    mcd_weight *to;
} weigh_work;

static void weigh_task(void *argument, size_t index, unsigned worker)
{
    (void)worker;
    const weigh_work *const work = argument;
    const mcd_graph *const graph = work->roads->graph;
    const size_t first = index * NODES_PER_TASK,
                 end = mcd_size_min(first + NODES_PER_TASK, graph->node_count);
    for (size_t v = first; v < end; ++v)
        for (mcd_arc arc = graph->first_out[v]; arc < graph->first_out[v + 1]; ++arc) {
            const mcd_weight open = mcd_terms_open(work->terms, work->roads, work->prices, work->from,
                                                   (mcd_node)v, (uint32_t)arc);
            work->to[arc] = work->is_companion ? open
                                               : mcd_terms_weigh(work->terms, work->roads, work->from,
                                                                 (mcd_node)v, (uint32_t)arc, open);
        }
}

/* Makes a quantity under the conditions from the one in use. */
static macadam_status weigh_quantity(mcd_quantity **out, macadam_engine *engine, weigh_work work,
                                     macadam_error *error)
{
    mcd_quantity *present;
    MCD_TRY(mcd_engine_load_prices(engine, work.quantity, error));
    MCD_TRY(mcd_engine_use_quantity(engine, work.quantity, &present, error));
    work.prices = &engine->prices[work.quantity];
    work.from = present->weight;
    macadam_status status = MCD_NEW(work.to, engine->graph.arc_count, error);
    if (!status) {
        status = mcd_watch_for(NULL, &engine->parallel,
                               (engine->graph.node_count + NODES_PER_TASK - 1) / NODES_PER_TASK, weigh_task,
                               &work, error);
        if (status)
            mcd_free(work.to);
        else
            status = mcd_quantity_new(out, work.to, work.to, error);
    }
    mcd_quantity_leave(present);
    return status;
}

/* Makes the objective under the conditions; the companion is the one in use unless arcs open. */
static macadam_status weigh(mcd_variant *variant, macadam_engine *engine, const mcd_terms *terms,
                            macadam_error *error)
{
    weigh_work work = {.terms = terms, .roads = &engine->roads};
    const size_t companion = mcd_engine_companion(engine, variant->index);
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[variant->index], &work.quantity, error));
    MCD_TRY(weigh_quantity(&variant->objective, engine, work, error));
    if (companion == SIZE_MAX) return MACADAM_OK;
    work.quantity = companion;
    work.is_companion = true;
    return terms->opens ? weigh_quantity(&variant->companion, engine, work, error)
                        : mcd_engine_use_quantity(engine, companion, &variant->companion, error);
}

/* Takes over the key. */
static macadam_status make(mcd_variant **out, macadam_engine *engine, size_t index, mcd_terms *terms,
                           macadam_error *error)
{
    mcd_variant *variant;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(variant, 1, error));
    atomic_init(&variant->users, 1);
    variant->index = index;
    variant->key = terms->key;
    variant->key_bytes = terms->key_bytes;
    terms->key = NULL;
    const macadam_status status = weigh(variant, engine, terms, error);
    if (status)
        mcd_variant_leave(variant);
    else
        *out = variant;
    return status;
}

/* One call at a time makes a variant, for all calls that want the same one. */
static macadam_status find_or_make(mcd_variant **out, macadam_engine *engine, size_t index, mcd_terms *terms,
                                   macadam_error *error)
{
    MCD_TRY(find(out, engine, index, terms, error));
    if (*out) return MACADAM_OK;
    MCD_TRY(mcd_watch_lock(&engine->update_lock, error));
    macadam_status status = find(out, engine, index, terms, error);
    if (!status && !*out) {
        status = make(out, engine, index, terms, error);
        if (!status) status = list(engine, *out, error);
        if (status) mcd_variant_leave(*out), *out = NULL;
    }
    pthread_mutex_unlock(&engine->update_lock);
    return status;
}

macadam_status mcd_engine_use_variant(macadam_engine *engine, size_t index, const macadam_conditions *given,
                                      bool reported, mcd_variant **out, macadam_error *error)
{
    macadam_conditions own = MACADAM_CONDITIONS_INIT;
    mcd_terms terms;
    *out = NULL;
    if (!given) return MACADAM_OK;
    MCD_TRY(mcd_options_adopt(&own, sizeof own, given, "conditions", error));
    if (reported) own.factor_count = 0;
    if (!mcd_terms_apply(&own)) return MACADAM_OK;
    MCD_TRY(mcd_engine_load_facts(engine, error));
    const bool is_duration = !reported && strcmp(engine->metric_name[index], "duration") == 0;
    MCD_TRY(mcd_terms_new(&terms, &own, &engine->roads, is_duration, error));
    const macadam_status status =
        mcd_terms_matter(&terms) ? find_or_make(out, engine, index, &terms, error) : MACADAM_OK;
    mcd_terms_free(&terms);
    return status;
}
