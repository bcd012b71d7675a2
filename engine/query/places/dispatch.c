/* dispatch.c - see dispatch.h. */
#include "engine/query/places/dispatch.h"

#include "engine/runtime/device.h"
#include "engine/runtime/kept_memory.h"
#include "engine/runtime/load.h"

/* ---- estimates ---- */

/* Nanoseconds of a question on the processor and on a device, as they would be now, ... */
typedef struct estimate {
    double host, device;
    double host_begin, device_begin; /* ... and what must be done first, once */
    double kept, kept_begin;         /* likewise, on the processor over kept arcs */
} estimate;

static mcd_extent extent_of(const macadam_engine *engine)
{
    return (mcd_extent){.nodes = engine->metadata->node_count,
                        .arcs = engine->metadata->arc_count,
                        .up_arcs = engine->metadata->up_arc_count,
                        .height = engine->metadata->height};
}

static bool is_searched(const mcd_amount *amount)
{
    return amount->rated == MCD_RATED_SEARCHES || amount->rated == MCD_RATED_HOPS;
}

/* Returns whether the file has the version's weights customized. */
static bool is_stored(const macadam_engine *engine, const mcd_version *version)
{
    return engine->is_ready && !version->key && !version->has_new_weights;
}

/* Returns whether a device has what the question needs. */
static bool is_placed(const mcd_version *version, const mcd_amount *amount)
{
    return is_searched(amount) ? version->has_placed_arcs || version->has_placed_graph : version->is_placed;
}

/* Returns whether a backend answers such questions. */
static bool answers(const mcd_backend *backend, const mcd_amount *amount)
{
    switch (amount->rated) {
    case MCD_RATED_REACH:
        return backend->reach;
    case MCD_RATED_HOPS:
        return backend->hops && backend->connect;
    case MCD_RATED_SEARCHES:
        return backend->sssp;
    case MCD_RATED_DENSE:
        return backend->floyd_warshall;
    default:
        return true;
    }
}

/* Returns what a device has to do first. */
static double device_begin(const macadam_engine *engine, const mcd_version *version, const mcd_amount *amount,
                           const mcd_extent *map)
{
    const mcd_rates *const rates = &engine->dispatch.rates;
    const mcd_amount place = {.rated = MCD_RATED_PLACE}, customize = {.rated = MCD_RATED_CUSTOMIZE};
    const bool is_made = is_searched(amount) || version->has_kept || is_stored(engine, version);
    double sum = engine->device ? 0 : (double)rates->of[MCD_RATED_OPEN].device.fixed / 1e6;
    if (amount->rated == MCD_RATED_DENSE) return sum;
    if (!is_searched(amount) && !engine->device_map) sum += mcd_rates_device_ns(rates, &place, map);
    if (!is_placed(version, amount)) sum += mcd_rates_device_ns(rates, is_made ? &place : &customize, map);
    return sum;
}

/* Returns whether the processor needs no kept arcs, or has them. */
static bool has_kept(const macadam_engine *engine, const mcd_version *version, const mcd_amount *amount)
{
    return is_searched(amount) || amount->rated == MCD_RATED_DENSE || version->has_kept ||
           is_stored(engine, version);
}

/* Of the time of paths without spans: 10 random ones of NE take one thread 0.19 instead of 0.35 ms. */
static const double spans_part = 0.55;
/* Pairs take as many times as long over basic weights, which have far more arcs: one thread finds 10 in 0.21 instead of 0.02 ms
 * in NE, whose height is 339, in 0.086 in Milan (258), in 0.062 in New York (232). Matrices count twice: 10 places
 * to 10 take 0.16 instead of 0.06 ms in New York, larger ones gain less from kept arcs. Others take up to twice as long. */
static double basic_part(const mcd_amount *amount, const mcd_extent *map)
{
    const double height_of_one = 36;
    if (amount->rated == MCD_RATED_MATRIX) return 2;
    const bool are_pairs = amount->rated == MCD_RATED_ROUTES || amount->rated == MCD_RATED_PATHS;
    return are_pairs ? fmax((double)map->height / height_of_one, 1) : 1;
}

/* Concurrent calls share the processor's threads, and wait for the device. */
static estimate estimate_of(macadam_engine *engine, const mcd_version *version, const mcd_amount *amount)
{
    const mcd_rates *const rates = &engine->dispatch.rates;
    const mcd_extent map = extent_of(engine);
    const unsigned threads = engine->parallel.thread_count;
    const double calls = fmax(atomic_load(&engine->user_count), 1);
    const bool are_kept = has_kept(engine, version, amount),
               are_basic = !are_kept && (version->basic || mcd_engine_stores_basic(engine, version->metric));
    const double part = amount->rated == MCD_RATED_PATHS && version->spans ? spans_part : 1;
    const mcd_amount customize = {.rated = MCD_RATED_CUSTOMIZE};
    double work;
    estimate out = {.kept = part * mcd_rates_host_ns(rates, amount, &map, threads, &work)};
    if (calls > 1) out.kept = fmax(out.kept, part * work * calls / threads);
    out.host = out.kept * (are_basic ? basic_part(amount, &map) : 1);
    out.device = mcd_rates_device_ns(rates, amount, &map) * (1 + atomic_load(&engine->dispatch.device_calls));
    out.kept_begin = are_kept ? 0 : mcd_rates_host_ns(rates, &customize, &map, threads, NULL);
    out.host_begin = are_basic ? 0 : out.kept_begin;
    out.device_begin = device_begin(engine, version, amount, &map);
    return out;
}

/* ---- choosing ---- */

static void lose(atomic_uint_least64_t *sum, double ns)
{
    if (ns > 0) atomic_fetch_add(sum, (uint64_t)fmin(ns, 1e15));
}

/* Returns what is left of a cost to begin that questions have so far lost by not paying it. */
static double left_of(double begin, const atomic_uint_least64_t *lost)
{
    return fmax(begin - (double)atomic_load(lost), 0);
}

static const mcd_backend *take_host(macadam_engine *engine, const estimate *of)
{
    if (of->host_begin > 0) engine->dispatch.host_lost_ns = 0;
    lose(&engine->dispatch.lost_ns, of->host - of->device);
    return engine->host;
}

/* The thread does not make the weights of a version, or no longer. NULL is fine. */
static void drop_wanted(mcd_version *version)
{
    if (version) version->is_coming = false;
    mcd_version_leave(version);
}

static void work_beside(void *context)
{
    macadam_engine *const engine = context;
    mcd_version *version;
    if (atomic_exchange(&engine->dispatch.wants_device, false)) mcd_engine_open_device(engine);
    mcd_engine_place_snap(engine);
    while ((version = atomic_exchange(&engine->dispatch.wanted, NULL))) {
        mcd_engine_make_beside(engine, version, engine->dispatch.wants_basic);
        drop_wanted(version);
    }
}

/* A request that comes as the thread ends waits for the next one. */
static bool begin_beside(macadam_engine *engine)
{
    mcd_idle_use(&engine->dispatch.beside);
    return mcd_idle_watch(&engine->dispatch.beside, work_beside, engine);
}

bool mcd_engine_prepare_beside(macadam_engine *engine, mcd_version *version, bool basic)
{
    mcd_dispatch *const dispatch = &engine->dispatch;
    if (engine->parallel.executor || version->is_refused) return false;
    dispatch->wants_basic = basic;
    if (!basic) dispatch->host_lost_ns = 0;
    drop_wanted(atomic_exchange(&dispatch->wanted, mcd_version_use(version)));
    const bool has_begun = begin_beside(engine);
    if (!has_begun) drop_wanted(atomic_exchange(&dispatch->wanted, NULL));
    return has_begun;
}

void mcd_engine_work_beside(macadam_engine *engine)
{
    if (!engine->parallel.executor) (void)begin_beside(engine);
}

/* Lets basic weights be made, once. */
static void make_basic_beside(macadam_engine *engine, mcd_version *version)
{
    if (version->is_refused || atomic_exchange(&version->is_coming, true)) return;
    if (!mcd_engine_prepare_beside(engine, version, true)) version->is_coming = false;
}

/* Returns whether searches that have settled this number of nodes have taken longer than basic weights take on all threads. */
static bool is_long(const macadam_engine *engine, uint64_t settled_count, unsigned settle_ns)
{
    enum { BASIC_PART = 4 }; /* basic weights take this part of the time of a whole customization */
    const mcd_amount customize = {.rated = MCD_RATED_CUSTOMIZE};
    const mcd_extent map = extent_of(engine);
    const double whole_ns =
        mcd_rates_host_ns(&engine->dispatch.rates, &customize, &map, engine->parallel.thread_count, NULL);
    return (double)settled_count * settle_ns > whole_ns / BASIC_PART;
}

void mcd_engine_customize_beside(macadam_engine *engine, mcd_version *version)
{
    const unsigned settle_ns = 130; /* for each node (Milan: 115, New York: 150) */
    const bool is_updated =
        version->has_new_weights && !version->key; /* the next update can then repair them */
    if (is_updated || is_long(engine, version->settled_count, settle_ns)) make_basic_beside(engine, version);
}

bool mcd_engine_overtakes(macadam_engine *engine, mcd_version *version, uint64_t settled_count)
{
    const unsigned settle_ns = 200; /* for each node (256 towns) */
    if (is_long(engine, settled_count, settle_ns)) make_basic_beside(engine, version);
    return version->basic || version->has_kept;
}

/* Returns the nanoseconds that a question would save over kept arcs. */
static uint64_t loss_of(const macadam_engine *engine, mcd_need need, const mcd_amount *amount)
{
    enum {
        UP_ARCS_PER_PATH = 1 << 10, /* a path saves as much as customizing this many takes (New York) */
        PER_CUSTOMIZATION = 32,     /* questions of unknown sizes save as much as a customization, or more */
        LOST_SHARE = 3,             /* of the time over basic weights */
    };
    const mcd_rates *const rates = &engine->dispatch.rates;
    const mcd_extent map = extent_of(engine);
    const double up_arc = (double)rates->of[MCD_RATED_CUSTOMIZE].host.step;
    double sum = (double)map.up_arcs * up_arc / PER_CUSTOMIZATION;
    if (amount->rated != MCD_RATED_NONE)
        sum = mcd_amount_steps_on(false, amount, &map) * (double)rates->of[amount->rated].host.step /
              LOST_SHARE;
    if (need & MCD_NEED_BASIC || amount->rated == MCD_RATED_PATHS)
        sum = fmax((double)amount->from, 1) * UP_ARCS_PER_PATH * up_arc;
    return (uint64_t)fmin(sum / 1e6, 1e15);
}

bool mcd_engine_should_prune(macadam_engine *engine, mcd_version *version, mcd_need need,
                             const mcd_amount *amount)
{
    const uint64_t least = 20000000; /* a smaller loss is not worth a thread */
    const mcd_amount customize = {.rated = MCD_RATED_CUSTOMIZE};
    const mcd_extent map = extent_of(engine);
    double work;
    if (version->has_kept || is_stored(engine, version)) return false;
    (void)mcd_rates_host_ns(&engine->dispatch.rates, &customize, &map, 1, &work);
    const uint64_t loss = loss_of(engine, need, amount), most = (uint64_t)fmax(work, (double)least),
                   lost = atomic_fetch_add(&version->lost_ns, loss) + loss;
    if (loss >= most) return true;
    return lost >= most && !mcd_engine_prepare_beside(engine, version, false) && !version->is_refused;
}

static const mcd_backend *take_device(macadam_engine *engine, mcd_version *version, const estimate *of)
{
    enum { BESIDE_PART = 8 }; /* beside calls, weights are made so much sooner than within one */
    if (of->device_begin > 0) engine->dispatch.lost_ns = 0;
    lose(&engine->dispatch.host_lost_ns, of->device - of->kept);
    if (of->kept < of->device && left_of(of->kept_begin / BESIDE_PART, &engine->dispatch.host_lost_ns) <= 0)
        (void)mcd_engine_prepare_beside(engine, version, false);
    return engine->backend;
}

/* The device is not open, and would pay: immediately if the question gains by itself what it takes. */
static const mcd_backend *open_and_take(macadam_engine *engine, mcd_version *version, const estimate *of)
{
    const bool pays_now = of->host + of->host_begin > of->device + of->device_begin;
    bool is_beside = !pays_now && !engine->parallel.executor;
    if (is_beside) {
        engine->dispatch.wants_device = true;
        is_beside = begin_beside(engine);
    }
    if (!is_beside && mcd_engine_open_device(engine)) return take_device(engine, version, of);
    return take_host(engine, of);
}

bool mcd_engine_may_choose(const macadam_engine *engine)
{
    const mcd_dispatch *const dispatch = &engine->dispatch;
    if (!mcd_engine_has_device(engine)) return dispatch->is_free && mcd_engine_may_open_device(engine);
    return dispatch->is_free || atomic_load(&dispatch->device_calls) > 0;
}

const mcd_backend *mcd_engine_choose(macadam_engine *engine, mcd_version *version, const mcd_amount *amount,
                                     const mcd_backend *otherwise)
{
    mcd_dispatch *const dispatch = &engine->dispatch;
    const bool is_known =
        amount->rated != MCD_RATED_NONE &&
        (engine->metadata->has_hierarchy || is_searched(amount) || amount->rated == MCD_RATED_DENSE);
    if (!is_known || !mcd_engine_may_choose(engine)) return otherwise;
    if (mcd_engine_has_device(engine) && !answers(engine->backend, amount)) return engine->host;
    const estimate of = estimate_of(engine, version, amount);
    if (of.host + left_of(of.host_begin, &dispatch->host_lost_ns) <=
        of.device + left_of(of.device_begin, &dispatch->lost_ns))
        return take_host(engine, &of);
    return mcd_engine_has_device(engine) ? take_device(engine, version, &of)
                                         : open_and_take(engine, version, &of);
}
