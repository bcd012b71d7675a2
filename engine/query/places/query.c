/* query.c - see query.h. */
#include "engine/query/places/query.h"

#include "engine/query/places/dispatch.h"
#include "engine/runtime/buffer.h"
#include "engine/runtime/clock.h"
#include "engine/runtime/load.h"
#include "engine/runtime/kept_memory.h"
#include "engine/base/options.h"

/* Chooses which of the metric's quantities are requested, in which order. */
static macadam_status choose_quantities(mcd_query *query, const macadam_query *given, size_t metric,
                                        macadam_error *error)
{
    const macadam_engine *engine = query->engine;
    query->quantity_count = given->quantity_count ? given->quantity_count : 1;
    if (given->quantity_count > MACADAM_QUANTITIES_MAX)
        return mcd_fail_invalid(error, "%zu quantities are requested; a metric has at most %d",
                                given->quantity_count, MACADAM_QUANTITIES_MAX);
    size_t known;
    MCD_TRY(mcd_engine_find_quantity(engine, engine->metric_name[metric], &known, error));
    query->is_duration[0] = strcmp(engine->quantity_unit[known], "ms") == 0;
    query->quantity_index[0] = query->objective_index = known;
    for (size_t q = 0; q < given->quantity_count; ++q) {
        const char *name = given->quantity ? given->quantity[q] : NULL;
        if (!name) return mcd_fail_invalid(error, "the name of requested quantity %zu is missing", q);
        MCD_TRY(mcd_engine_find_quantity(engine, name, &known, error));
        query->is_duration[q] = strcmp(engine->quantity_unit[known], "ms") == 0;
        query->quantity_index[q] = known;
        const char *companion = engine->metric_companion[metric];
        query->is_companion[q] = companion && strcmp(name, companion) == 0;
        if (!query->is_companion[q] && strcmp(name, engine->metric_name[metric]) != 0)
            return mcd_fail(error, MACADAM_E_NOT_FOUND, "metric \"%s\" has no quantity \"%s\"",
                            engine->metric_name[metric], name);
        if (q == 1 && query->is_companion[0] == query->is_companion[1])
            return mcd_fail_invalid(error, "quantity \"%s\" is requested twice", name);
        query->joint |= query->is_companion[q];
    }
    return MACADAM_OK;
}

/* Copies `given` over the defaults in `own`; `given` may be NULL. */
static macadam_status adopt_query(macadam_query *own, const macadam_query *given, macadam_error *error)
{
    if (given) MCD_TRY(mcd_options_adopt(own, sizeof *own, given, "query", error));
    if (own->snap_radius_m >= 0 && !isinf(own->snap_radius_m)) return MACADAM_OK;
    return mcd_fail_invalid(error, "a snap radius of %g m", own->snap_radius_m);
}

/* Begins all but the weights. Returns the index of the metric in *metric. */
static macadam_status begin_any(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                                const macadam_query *given, macadam_query *own, size_t *metric,
                                macadam_error *error)
{
    *out = (mcd_query){.engine = engine, .backend = backend};
    *own = (macadam_query)MACADAM_QUERY_INIT;
    *metric = 0;
    if (!engine) return mcd_fail_invalid(error, "no engine");
    MCD_TRY(adopt_query(own, given, error));
    if (own->metric) MCD_TRY(mcd_engine_find_metric(engine, own->metric, metric, error));
    MCD_TRY(choose_quantities(out, own, *metric, error));
    out->snap_radius_m = own->snap_radius_m;
    out->memory_limit = own->memory_limit;
    out->progress = mcd_engine_progress(engine, own->progress, own->progress_context);
    out->snap_any_component = own->snap_any_component;
    out->loading = mcd_watch_of(&out->progress, "loading");
    out->outer = mcd_watch_enter(&out->loading);
    out->is_watched = true;
    mcd_engine_enter(engine);
    out->weights = &out->arc_weights;
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_PLACES, error));
    for (size_t q = 0; q < out->quantity_count; ++q)
        out->potential[q] = engine->potential[out->quantity_index[q]];
    return MACADAM_OK;
}

/* Does the same for a question without a clock. */
static macadam_status begin(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                            const macadam_query *given, macadam_query *own, size_t *metric,
                            macadam_error *error)
{
    MCD_TRY(begin_any(out, engine, backend, given, own, metric, error));
    return own->clock ? mcd_fail(error, MACADAM_E_UNSUPPORTED, "a clock, for a call that takes none")
                      : MACADAM_OK;
}

/* Begins all but what the query needs of its version. */
static macadam_status begin_version(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                                    const macadam_query *given, mcd_use use, macadam_error *error)
{
    macadam_query own;
    size_t metric;
    MCD_TRY(begin(out, engine, backend, given, &own, &metric, error));
    return mcd_engine_use_version(&out->version, engine, metric, own.conditions, use, error);
}

/* Uses the weights of the version's input arcs as they are. */
static void use_version_arcs(mcd_query *query)
{
    const mcd_version *const version = query->version;
    query->arc_weights = (mcd_weights){.graph = &query->engine->graph,
                                       .objective = version->objective->weight,
                                       .companion = version->companion ? version->companion->weight : NULL};
}

/* The query uses no weights. But points are not taken to roads that its conditions close. */
static void use_conditions(mcd_query *query)
{
    if (query->version->key) use_version_arcs(query);
}

static void use_arcs(mcd_query *query, const mcd_arcs *arcs)
{
    query->arcs = arcs;
    query->arc_weights = (mcd_weights){.graph = arcs->graph,
                                       .objective = arcs->objective[MCD_FORWARD],
                                       .companion = arcs->companion[MCD_FORWARD]};
    if (!arcs->objective[MCD_FORWARD]) use_conditions(query);
}

macadam_status mcd_query_prepare_arcs(mcd_query *query, const mcd_backend *backend, bool weights,
                                      unsigned need, macadam_error *error)
{
    query->backend = backend;
    const mcd_arcs *arcs;
    MCD_TRY(mcd_version_prepare_arcs(query->version, query->engine, backend, weights, need, &arcs, error));
    use_arcs(query, arcs);
    return MACADAM_OK;
}

/* Returns whether a device finds a route, because only it has the weights. After these first routes the
 * host's are made beside. */
static bool is_for_device(mcd_version *version, macadam_engine *engine, mcd_need need)
{
    enum { ROUTES_ON_DEVICE = 16 };
    if (!(need & MCD_NEED_ANYWHERE) || !mcd_engine_has_device(engine) || version->has_kept || version->basic)
        return false;
    if (!version->is_placed || version->is_refused) return false;
    return atomic_fetch_add(&version->device_route_count, 1) < ROUTES_ON_DEVICE ||
           mcd_engine_prepare_beside(engine, version, true);
}

macadam_status mcd_query_begin_version(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                       bool weights, macadam_error *error)
{
    return begin_version(out, engine, engine ? engine->host : NULL, given,
                         weights ? MCD_USE_PATHS : MCD_USE_GRAPH, error);
}

macadam_status mcd_query_begin(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                               const macadam_query *given, mcd_need need, macadam_error *error)
{
    MCD_TRY(mcd_query_begin_version(out, engine, given, true, error));
    return mcd_query_prepare(out, backend, need, &(mcd_amount){MCD_RATED_NONE, 0, 0}, error);
}

/* Lets the host compute, with weights on the hierarchy. */
static macadam_status use_host(mcd_query *query, mcd_need need, const mcd_amount *amount,
                               macadam_error *error)
{
    const uint64_t routes = amount->from > 1 ? amount->from : 1;
    if (mcd_engine_should_prune(query->engine, query->version, need, amount)) need |= MCD_NEED_KEPT;
    if (need & MCD_NEED_ROUTES && mcd_version_note_routes(query->version, query->engine, routes) &&
        !mcd_engine_prepare_beside(query->engine, query->version, false))
        need |= MCD_NEED_KEPT;
    return mcd_version_use_weights(query->version, query->engine, need, &query->weights, &query->basic,
                                   error);
}

macadam_status mcd_query_prepare(mcd_query *out, const mcd_backend *backend, mcd_need need,
                                 const mcd_amount *amount, macadam_error *error)
{
    macadam_engine *const engine = out->engine;
    mcd_version *const version = out->version;
    out->backend = backend;
    if (is_for_device(version, engine, need)) out->backend = backend = engine->backend;
    out->no_points = !(need & (MCD_NEED_WEIGHTS | MCD_NEED_PLACES));
    if (need & MCD_NEED_PLACES) {
        use_conditions(out);
        return MACADAM_OK;
    }
    const bool needs_paths = (need & MCD_NEED_PATHS) == MCD_NEED_PATHS;
    if (needs_paths) MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    if (need & MCD_NEED_SEARCH && !backend->device && mcd_version_should_search(version, engine)) {
        MCD_TRY(mcd_engine_load(engine, MCD_LOAD_GRAPH, error));
        MCD_TRY(mcd_version_prepare_search(version, engine, error));
        use_version_arcs(out);
        out->is_searched = true;
        mcd_engine_customize_beside(engine, version); /* its loading would delay this call */
        return MACADAM_OK;
    }
    out->weights = &version->weights;
    MCD_TRY(backend->device ? mcd_version_prepare(version, engine, backend, need, error)
                            : use_host(out, need, amount, error));
    /* else they are when a path must be searched on the arcs */
    return needs_paths && !out->weights->check_read ? mcd_engine_load(engine, MCD_LOAD_GRAPH, error)
                                                    : MACADAM_OK;
}

macadam_status mcd_query_begin_arcs(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                                    const macadam_query *given, bool weights, macadam_error *error)
{
    MCD_TRY(mcd_query_begin_version(out, engine, given, weights, error));
    return mcd_query_prepare_arcs(out, backend, weights, 0, error);
}

macadam_status mcd_query_touch(const mcd_query *query, mcd_direction direction, const mcd_lane *lane,
                               const mcd_node *node, size_t count, macadam_error *error)
{
    for (size_t i = 0; i < count && query->weights->check_read; ++i) {
        const mcd_node deepest = node ? node[i] : lane[i].seed[0].node;
        if (deepest != MCD_NODE_NONE) MCD_TRY(mcd_version_touch(query->version, direction, deepest, error));
    }
    return MACADAM_OK;
}

macadam_status mcd_query_route(const mcd_query *query, const mcd_route_job *job, macadam_error *error)
{
    MCD_TRY(mcd_query_touch(query, MCD_FORWARD, job->source, job->source_node, job->count, error));
    MCD_TRY(mcd_query_touch(query, MCD_BACKWARD, job->target, job->target_node, job->count, error));
    return query->backend->route(job, error);
}

/* ---- with a clock ---- */

static bool is_holiday(uint32_t instant)
{
    return instant >= MACADAM_HOLIDAY_MS;
}

/* All instants are of ordinary days, or all of holidays. */
static macadam_status check_instants(const uint32_t *instant, size_t count, const char *what,
                                     macadam_error *error)
{
    if (count && !instant) return mcd_fail_invalid(error, "%zu %ss, but no array of them", count, what);
    for (size_t i = 0; i < count; ++i) {
        if (instant[i] / 2 >= MACADAM_WEEK_MS)
            return mcd_fail_invalid(error, "%s %zu is %u ms; a week has %u", what, i, instant[i],
                                    MACADAM_WEEK_MS);
        if (is_holiday(instant[i]) != is_holiday(instant[0]))
            return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                            "%s 0 and %s %zu: holidays (PH) and ordinary days do not mix", what, what, i);
    }
    return MACADAM_OK;
}

static macadam_status adopt_clock(macadam_clock *out, const macadam_clock *given, macadam_error *error)
{
    *out = (macadam_clock)MACADAM_CLOCK_INIT;
    MCD_TRY(mcd_options_adopt(out, sizeof *out, given, "clock", error));
    out->size = sizeof *out;
    if (out->depart_count && out->arrive_count)
        return mcd_fail_invalid(error, "a clock with %zu departures and %zu arrivals", out->depart_count,
                                out->arrive_count);
    if (!out->depart_count && !out->arrive_count)
        return mcd_fail_invalid(error, "a clock without a departure or an arrival");
    MCD_TRY(check_instants(out->depart, out->depart_count, "departure", error));
    return check_instants(out->arrive_by, out->arrive_count, "arrival", error);
}

/* Durations depend on the time, and so do only these. */
static macadam_status check_quantities(const mcd_query *query, size_t metric, macadam_error *error)
{
    const macadam_engine *const engine = query->engine;
    if (strcmp(engine->metric_name[metric], "duration") != 0)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED,
                        "a clock, but the least %s: only durations depend on it",
                        engine->metric_name[metric]);
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->potential[q])
            return mcd_fail(error, MACADAM_E_UNSUPPORTED, "a clock, and %s, which may be negative",
                            engine->quantity_name[query->quantity_index[q]]);
    return MACADAM_OK;
}

macadam_status mcd_query_begin_clock(mcd_query *out, macadam_engine *engine, const mcd_backend *backend,
                                     const macadam_query *given, mcd_version *version, macadam_error *error)
{
    macadam_query own;
    macadam_clock clock;
    size_t metric;
    MCD_TRY(begin_any(out, engine, backend, given, &own, &metric, error));
    MCD_TRY(adopt_clock(&clock, own.clock, error));
    MCD_TRY(check_quantities(out, metric, error));
    MCD_TRY(mcd_engine_load(engine, MCD_LOAD_FACTS, error));
    out->version = mcd_version_use(version);
    const mcd_use use = is_holiday(clock.arrive_count ? clock.arrive_by[0] : clock.depart[0])
                            ? MCD_USE_HOLIDAY
                            : MCD_USE_CLOCK;
    if (!version) MCD_TRY(mcd_engine_use_version(&out->version, engine, metric, own.conditions, use, error));
    MCD_TRY(mcd_version_prepare_clock(out->version, engine, backend, error));
    use_conditions(out);
    out->clock = clock;
    out->timing = (mcd_timing){&out->version->clock->arcs, clock.arrive_count ? MCD_BACKWARD : MCD_FORWARD};
    return MACADAM_OK;
}

macadam_status mcd_query_begin_host(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                    mcd_need need, macadam_error *error)
{
    return mcd_query_has_clock(given) ? mcd_query_begin_clock(out, engine, engine->host, given, NULL, error)
                                      : mcd_query_begin(out, engine, engine->host, given, need, error);
}

macadam_status mcd_query_begin_costs(mcd_query *out, const mcd_query *find, const macadam_query *given,
                                     macadam_error *error)
{
    macadam_engine *const engine = find->engine;
    MCD_TRY(begin_version(out, engine, find->backend, given, MCD_USE_REPORTED, error));
    MCD_TRY(mcd_query_prepare_arcs(out, find->backend, true, 0, error));
    if (mcd_engine_companion(engine, out->version->metric) == find->objective_index)
        out->arc_weights.companion = find->weights->objective;
    return MACADAM_OK;
}

macadam_status mcd_query_begin_again(mcd_query *out, macadam_engine *engine, const macadam_query *given,
                                     mcd_version *version, const mcd_arcs *arcs, mcd_need need,
                                     macadam_error *error)
{
    macadam_query own;
    size_t metric;
    if (version->clock) return mcd_query_begin_clock(out, engine, engine->host, given, version, error);
    MCD_TRY(begin(out, engine, engine->host, given, &own, &metric, error));
    out->version = mcd_version_use(version);
    if (!arcs) return mcd_version_use_weights(version, engine, need, &out->weights, &out->basic, error);
    use_arcs(out, arcs);
    return MACADAM_OK;
}

void mcd_query_end(mcd_query *query)
{
    if (query->is_watched) {
        mcd_watch_enter(query->outer);
        mcd_engine_leave(&query->engine);
    }
    query->is_watched = false;
    mcd_basic_leave(query->basic);
    mcd_version_leave(query->version);
    query->basic = NULL;
    query->version = NULL;
    query->arcs = NULL;
    if (!query->engine) return;
    mcd_query_give_back(query);
    mcd_engine_keep_memory(query->engine);
}

uint64_t mcd_query_limit(const mcd_query *query)
{
    const uint64_t limit = query->engine->scratch.limit;
    return (query->memory_limit && query->memory_limit < limit ? query->memory_limit : limit) - query->held;
}

/* Names what the whole call needs, and the limit as the caller gave it. */
static macadam_status check_limit(const mcd_query *query, uint64_t bytes, const char *what,
                                  macadam_error *error)
{
    return mcd_scratch_check(query->held + bytes, query->held + mcd_query_limit(query), what, error);
}

macadam_status mcd_query_reserve(mcd_query *query, uint64_t bytes, const char *what, macadam_error *error)
{
    MCD_TRY(check_limit(query, bytes, what, error));
    MCD_TRY(mcd_scratch_reserve(&query->engine->scratch, bytes, what, error));
    query->reserved = bytes;
    return MACADAM_OK;
}

macadam_status mcd_query_take(mcd_query *query, uint64_t bytes, const char *what, macadam_error *error)
{
    MCD_TRY(check_limit(query, bytes, what, error));
    query->block.preferred = query->backend->device;
    return mcd_scratch_take(&query->engine->scratch, bytes, what, &query->block, error);
}

void mcd_query_give_back(mcd_query *query)
{
    if (query->reserved) mcd_scratch_release(&query->engine->scratch, query->reserved);
    if (query->block.memory) mcd_scratch_give_back(&query->engine->scratch, &query->block);
    query->reserved = 0;
}

/* Tells the caller how far the whole query is. */
static bool report_part(void *context, const char *phase, uint64_t done, uint64_t total)
{
    enum { STEPS = 1 << 20 };
    const mcd_query *const query = context;
    const double within = total == 0 ? 0 : done < total ? (double)done / (double)total : 1;
    const double part =
        query->band + (1 - query->beside) * (query->from + (query->to - query->from) * within);
    return query->whole.call(query->whole.context, phase, (uint64_t)(part * STEPS), STEPS);
}

void mcd_query_part(mcd_query *query, uint64_t first, uint64_t end, uint64_t total)
{
    if (query->progress.call != report_part) query->whole = query->progress;
    if (!query->whole.call) return;
    query->from = (double)first / (double)total;
    query->to = (double)end / (double)total;
    query->progress = (mcd_progress){report_part, query};
}

void mcd_query_band(mcd_query *query, uint64_t first, uint64_t end, uint64_t total)
{
    query->band = (double)first / (double)total;
    query->beside = 1 - (double)(end - first) / (double)total;
}

bool mcd_query_asks(const mcd_query *query, bool companion)
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->is_companion[q] == companion) return true;
    return false;
}

uint32_t *mcd_query_value(const mcd_query *query, uint32_t *const *value, bool companion)
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->is_companion[q] == companion) return value[q];
    return NULL;
}

/* Returns the first array that the processor cannot write, or quantity_count if there is none. */
static size_t first_unreachable(const mcd_query *query, uint32_t *const *value)
{
    size_t q = 0;
    while (q < query->quantity_count && (!value[q] || mcd_engine_reaches(query->engine, value[q]))) ++q;
    return q;
}

bool mcd_query_reaches(const mcd_query *query, uint32_t *const *value)
{
    return !value || first_unreachable(query, value) == query->quantity_count;
}

static macadam_status check_reachable(const mcd_query *query, uint32_t *const *value, macadam_error *error)
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (!value || !value[q]) return mcd_fail_invalid(error, "no memory for requested quantity %zu", q);
    if (query->backend->device || query->reaches_values) return MACADAM_OK;
    const size_t unreachable = first_unreachable(query, value);
    if (unreachable == query->quantity_count) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_DEVICE,
                    "requested quantity %zu is to lie in a device's memory, where the processor cannot write",
                    unreachable);
}

macadam_status mcd_query_check_values(const mcd_query *query, uint32_t *const *value, macadam_error *error)
{
    MCD_TRY(check_reachable(query, value, error));
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (mcd_engine_buffer_of(query->engine, value[q]).source_count > 0)
            return mcd_fail_invalid(
                error,
                "requested quantity %zu is to lie in divided memory, which holds only trees and matrices", q);
    return MACADAM_OK;
}

/* Checks that the request's answers have the shape for which the divided memory was allocated. */
static macadam_status check_division(const mcd_buffer *buffer, const uint32_t *value, size_t source_count,
                                     uint64_t source_bytes, macadam_error *error)
{
    if ((const char *)value != buffer->part[0].memory)
        return mcd_fail_invalid(error, "an answer into divided memory, but not from its beginning");
    if (source_count != buffer->source_count)
        return mcd_fail_invalid(error, "%zu sources into memory divided for %zu", source_count,
                                buffer->source_count);
    if (source_bytes <= buffer->source_bytes) return MACADAM_OK;
    return mcd_fail_invalid(error, "%llu bytes a source into memory divided for %llu",
                            (unsigned long long)source_bytes, (unsigned long long)buffer->source_bytes);
}

macadam_status mcd_query_divide(const mcd_query *query, uint32_t *const *value, size_t source_count,
                                uint64_t source_bytes, mcd_division *division, macadam_error *error)
{
    size_t divided = 0;
    *division = (mcd_division){0};
    MCD_TRY(check_reachable(query, value, error));
    for (size_t q = 0; q < query->quantity_count; ++q) {
        const mcd_buffer buffer = mcd_engine_buffer_of(query->engine, value[q]);
        if (buffer.source_count == 0) continue;
        MCD_TRY(check_division(&buffer, value[q], source_count, source_bytes, error));
        ++divided;
        if (buffer.part_count > 1) division->part_count = buffer.part_count;
        for (size_t p = 0; p < buffer.part_count; ++p)
            (query->is_companion[q] ? division->companion : division->objective)[p] =
                (uint32_t *)buffer.part[p].memory;
    }
    if (divided == 0 || divided == query->quantity_count) return MACADAM_OK;
    return mcd_fail_invalid(error, "one of the requested quantities lies in divided memory, one does not");
}

macadam_status mcd_query_stage(mcd_stage *out, const mcd_query *query, uint32_t *const *value, size_t cells,
                               macadam_error *error)
{
    *out = (mcd_stage){.given = value, .cells = cells};
    for (size_t q = 0; q < query->quantity_count; ++q) {
        if (!mcd_engine_reaches(query->engine, value[q])) MCD_TRY(MCD_NEW(out->own[q], cells, error));
        out->value[q] = out->own[q] ? out->own[q] : value[q];
    }
    return MACADAM_OK;
}

void mcd_stage_free(mcd_stage *stage)
{
    for (size_t q = 0; q < MACADAM_QUANTITIES_MAX; ++q) mcd_free(stage->own[q]);
}

macadam_status mcd_query_unstage(const mcd_stage *stage, const mcd_query *query, macadam_error *error)
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (stage->own[q])
            MCD_TRY(query->backend->device->memory_write(query->engine->device, stage->given[q],
                                                         stage->own[q], stage->cells * sizeof(uint32_t),
                                                         error));
    return MACADAM_OK;
}

bool mcd_query_falls_back(const mcd_query *query, uint32_t *const *value, const mcd_backend **backend,
                          macadam_status status, macadam_error *error)
{
    if (status == MACADAM_E_DEVICE && !mcd_query_reaches(query, value)) return false;
    return mcd_engine_falls_back(query->engine, backend, status, error);
}

macadam_status mcd_query_check_objective(const mcd_query *query, const char *what, macadam_error *error)
{
    for (size_t q = 0; q < query->quantity_count; ++q)
        if (query->is_companion[q])
            return mcd_fail_invalid(error,
                                    "%s is only by the metric's objective, not by its companion \"%s\"", what,
                                    query->engine->quantity_name[query->quantity_index[q]]);
    return MACADAM_OK;
}
