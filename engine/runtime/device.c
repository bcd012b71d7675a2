/* device.c - see device.h. */
#include "engine/runtime/device.h"

#include "engine/base/arena.h"
#include "engine/runtime/load.h"
#include "kernels/cuda/device/module.h"

#include <string.h>

/* ---- the module ---- */

enum { NAMES_BYTES = 256 };

/* After a full device could not be opened, it is tried again once so much time has passed, or at the next
 * update. */
enum { RETRY_MS = 5000 };

/* The module that provides GPUs: devices "cuda", "cuda:N" and "cuda:all". */
static struct {
    const mcd_backend *backend; /* NULL: none, for `reason` */
    macadam_error reason;
} module;
static pthread_once_t module_once = PTHREAD_ONCE_INIT;

static void load_module(void)
{
    static const char name[] = "macadam_cuda";
    mcd_module_function function;
    void *const symbol =
        mcd_platform_module_symbol(name, "MACADAM_CUDA_MODULE", MCD_MODULE_SYMBOL, &module.reason);
    if (!symbol) return;
    memcpy(&function, &symbol, sizeof function); /* ISO C has no other conversion from data pointers to
                                                  * functions */
    module.backend = function(MCD_MODULE_VERSION, mcd_allocator());
    if (!module.backend)
        mcd_fail(&module.reason, MACADAM_E_DEVICE,
                 "the module %s is of another version than this library (" MCD_MODULE_VERSION ")", name);
}

static const mcd_backend *gpu_backend(void)
{
    pthread_once(&module_once, load_module);
    return module.backend;
}

size_t macadam_devices(const char **name, size_t capacity)
{
    const mcd_backend *const gpus = gpu_backend();
    const size_t room = name && capacity > 1 ? capacity - 1 : 0;
    if (name && capacity > 0) name[0] = mcd_cpu_backend()->name;
    return 1 + (gpus ? gpus->device->list(room ? name + 1 : NULL, room) : 0);
}

static bool is_gpu(const char *name)
{
    return strncmp(name, "cuda", 4) == 0 && (name[4] == ':' || !name[4]);
}

/* Fails for a GPU of a module that could not be loaded, or an unknown name. */
static macadam_status fail_device(const char *name, macadam_error *error)
{
    if (is_gpu(name))
        return mcd_fail(error, MACADAM_E_DEVICE, "no device \"%s\": %s", name, module.reason.message);
    return mcd_fail(error, MACADAM_E_DEVICE,
                    "unknown device \"%s\"; known are auto, cpu, cuda, cuda:N and cuda:all", name);
}

/* ---- methods ---- */

/* Finds the backend that a device's name stands for, without opening the device. */
static macadam_status find_backend(const mcd_backend **out, const char *device, macadam_error *error)
{
    const bool any = !device || strcmp(device, "auto") == 0;
    *out = mcd_cpu_backend();
    if (!any && strcmp(device, "cpu") == 0) return MACADAM_OK;
    const mcd_backend *const gpus = gpu_backend();
    const bool is_found = gpus && (any ? gpus->device->list(NULL, 0) > 0 : is_gpu(device));
    if (is_found) *out = gpus;
    return is_found || any ? MACADAM_OK : fail_device(device, error);
}

macadam_status macadam_methods(macadam_method *out, size_t *count, size_t capacity, const char *device,
                               macadam_question question, macadam_error *error)
{
    const mcd_backend *backend;
    if (!count || (capacity && !out)) return mcd_fail_invalid(error, "no place for the methods");
    *count = 0;
    if ((unsigned)question > MACADAM_QUESTION_HOPS)
        return mcd_fail_invalid(error, "question %d is not a macadam_question", (int)question);
    MCD_TRY(find_backend(&backend, device, error));
    for (const mcd_method *method = backend->methods; method->text.name; ++method) {
        if (!(method->questions >> question & 1)) continue;
        if (*count < capacity) out[*count] = method->text;
        ++*count;
    }
    return MACADAM_OK;
}

static const mcd_backend *opened_backend(const macadam_engine *engine)
{
    return engine->device ? engine->backend : engine->host;
}

/* Finds a method of a backend by name (NULL: the first), or by value if `value` is not negative. */
static const mcd_method *method_of(const mcd_backend *backend, macadam_question question, const char *name,
                                   int value)
{
    const mcd_method *method = backend->methods;
    for (; method->text.name; ++method)
        if (method->questions >> question & 1 &&
            (value >= 0 ? method->value == value : !name || strcmp(method->text.name, name) == 0))
            return method;
    return NULL;
}

static void list_methods(char names[NAMES_BYTES], const mcd_backend *backend, macadam_question question)
{
    for (const mcd_method *method = backend->methods; method->text.name; ++method)
        if (method->questions >> question & 1) strcat(strcat(names, names[0] ? ", " : ""), method->text.name);
}

macadam_status mcd_engine_find_method(int *out, macadam_engine *engine, macadam_question question,
                                      const char *name, macadam_error *error)
{
    static const char *const questions[] = {"trees", "all pairs", "hops"};
    char names[NAMES_BYTES] = "";
    const bool is_free = engine->dispatch.is_free;
    const mcd_backend *backend = is_free ? engine->host : opened_backend(engine);
    const mcd_method *method = method_of(backend, question, name, -1);
    const mcd_backend *const gpus = !method && is_free ? gpu_backend() : NULL;
    if (gpus && method_of(gpus, question, name, -1) && mcd_engine_open_device(engine))
        method = method_of(backend = engine->backend, question, name, -1);
    if (method) *out = method->value;
    if (method) return MACADAM_OK;
    list_methods(names, backend, question);
    return mcd_fail_invalid(error, "no method \"%s\" for %s on %s; there are %s", name, questions[question],
                            backend->device ? backend->device->name(engine->device) : backend->name, names);
}

const char *mcd_engine_method_name(const macadam_engine *engine, macadam_question question, int value)
{
    const mcd_method *const method = method_of(opened_backend(engine), question, NULL, value);
    return (method ? method : method_of(engine->host, question, NULL, value))->text.name;
}

/* ---- choosing ---- */

bool mcd_engine_has_device(const macadam_engine *engine)
{
    return engine->device && !engine->backend->device->lost(engine->device);
}

/* Allocates scratch to which the device writes answers at full speed; not small blocks: to lock their pages takes longer. */
static void *allocate_pinned(void *context, uint64_t bytes)
{
    const macadam_engine *engine = context;
    void *memory = NULL;
    if (bytes >= MCD_PINNED_LEAST && mcd_engine_has_device(engine))
        engine->backend->device->memory_new(&memory, engine->device, 0, MCD_MEMORY_PINNED, bytes, NULL);
    return memory;
}

static void free_pinned(void *context, void *memory)
{
    const macadam_engine *engine = context;
    engine->backend->device->memory_free(engine->device, 0, MCD_MEMORY_PINNED, memory);
}

/* Every GPU except the first has a thread of its own during a call: leaves it a processor. */
static void spare_processors(macadam_engine *engine)
{
    const unsigned processors = mcd_parallel_of(0, NULL).thread_count;
    const size_t others = engine->backend->device->gpus(engine->device, NULL, 0) - 1;
    const unsigned most = processors - (unsigned)mcd_size_min(others, processors - 1);
    if (others > 0 && !engine->parallel.executor && engine->parallel.thread_count > most)
        engine->parallel.thread_count = most;
}

/* Returns E_LIMIT if the device's memory is full: that may change. */
static macadam_status open_device(macadam_engine *engine, const char *name, macadam_error *error)
{
    const mcd_backend *const backend = gpu_backend();
    mcd_device *device;
    if (!backend) return fail_device(name, error);
    MCD_TRY(backend->device->open(&device, name, engine->memory_limit, error));
    engine->backend = backend;
    engine->device = device; /* from now on other threads may use it */
    spare_processors(engine);
    mcd_scratch_prefer(&engine->scratch, (mcd_scratch_source){allocate_pinned, free_pinned, engine});
    return MACADAM_OK;
}

static uint64_t now_ms(void)
{
    return mcd_watch_now_ns() / 1000000 + 1; /* never 0 */
}

/* Under the dispatch's lock: keeps the first message. */
static void keep_reason(mcd_reason *reason, const macadam_error *said)
{
    if (reason->is_said) return;
    reason->said = *said;
    reason->is_said = true;
}

bool mcd_engine_may_open_device(const macadam_engine *engine)
{
    const uint64_t retry_ms = engine->dispatch.retry_ms;
    return retry_ms != 0 && now_ms() >= retry_ms;
}

bool mcd_engine_open_device(macadam_engine *engine)
{
    mcd_dispatch *const dispatch = &engine->dispatch;
    MCD_HOLD(&dispatch->lock);
    if (engine->device || !mcd_engine_may_open_device(engine)) return mcd_engine_has_device(engine);
    uint64_t retry_ms = 0;
    macadam_error reason = {""};
    if (open_device(engine, "cuda", &reason) == MACADAM_E_LIMIT) retry_ms = now_ms() + RETRY_MS;
    dispatch->retry_ms = engine->device ? 0 : retry_ms;
    if (!engine->device) keep_reason(&dispatch->no_device, &reason);
    return engine->device != NULL;
}

macadam_status mcd_engine_choose_device(macadam_engine *engine, const char *name, macadam_error *error)
{
    engine->host = engine->backend = mcd_cpu_backend();
    MCD_TRY(mcd_rates_load(&engine->dispatch.rates, error)); /* of the processor, too: when pruning pays */
    if (name && strcmp(name, "cpu") == 0) return MACADAM_OK;
    if (!name || strcmp(name, "auto") == 0) {
        engine->dispatch.is_free = true;
        engine->dispatch.retry_ms = 1;
        return MACADAM_OK;
    }
    const macadam_status status = is_gpu(name) ? open_device(engine, name, error) : fail_device(name, error);
    return status == MACADAM_E_LIMIT ? MACADAM_E_DEVICE : status;
}

void mcd_engine_retry_device(macadam_engine *engine)
{
    uint_least64_t when = engine->dispatch.retry_ms;
    if (when != 0) atomic_compare_exchange_strong(&engine->dispatch.retry_ms, &when, 1);
}

void mcd_engine_forget_snap(macadam_engine *engine)
{
    mcd_device_snap *const snap = atomic_exchange(&engine->device_snap, NULL);
    if (snap) engine->backend->device->snap_free(snap);
    engine->device_snap_searches = 0;
    engine->has_device_snap = false; /* last: from now on a call may make another one */
}

void mcd_engine_close_device(macadam_engine *engine)
{
    if (!engine->device) return;
    engine->backend->device->map_free(engine->device_map);
    mcd_engine_forget_snap(engine);
    engine->backend->device->close(engine->device);
}

const char *mcd_engine_device_name(const macadam_engine *engine)
{
    return mcd_engine_has_device(engine) ? engine->backend->device->name(engine->device) : engine->host->name;
}

const char *mcd_engine_device_reason(const macadam_engine *engine)
{
    const mcd_dispatch *const dispatch = &engine->dispatch;
    const mcd_reason *const reason = engine->device ? &dispatch->fell_back : &dispatch->no_device;
    if (engine->device && !mcd_engine_has_device(engine))
        return "the device failed, and cannot be used any more in this process";
    if (reason->is_said) return reason->said.message;
    return dispatch->is_free && !engine->device ? "no question so far would have gained by a GPU" : NULL;
}

const mcd_backend *mcd_engine_backend(const macadam_engine *engine)
{
    return mcd_engine_has_device(engine) ? engine->backend : engine->host;
}

bool mcd_engine_falls_back(macadam_engine *engine, const mcd_backend **backend, macadam_status status,
                           macadam_error *error)
{
    if (status != MACADAM_E_DEVICE || *backend == engine->host) return false;
    if (error) {
        MCD_HOLD(&engine->dispatch.lock);
        keep_reason(&engine->dispatch.fell_back, error);
    }
    mcd_recover(error);
    *backend = engine->host;
    return true;
}

/* ---- data on the device ---- */

macadam_status mcd_engine_place_map(macadam_engine *engine, macadam_error *error)
{
    if (engine->device_map) return MACADAM_OK;
    mcd_device_map *map;
    MCD_TRY(
        engine->backend->device->map_new(&map, engine->device, &engine->hierarchy, &engine->graph, error));
    engine->device_map = map;
    return MACADAM_OK;
}

bool mcd_engine_outlasts_host(const macadam_engine *engine, double *sum_ns)
{
    const mcd_rates *const rates = &engine->dispatch.rates;
    const mcd_amount customize = {.rated = MCD_RATED_CUSTOMIZE};
    const mcd_extent map = {.up_arcs = engine->metadata->up_arc_count};
    const unsigned threads = engine->parallel.thread_count;
    *sum_ns += mcd_rates_device_ns(rates, &customize, &map);
    const bool is_longer = *sum_ns > mcd_rates_host_ns(rates, &customize, &map, threads, NULL);
    if (is_longer) *sum_ns = 0;
    return is_longer;
}

/* ---- the index of roads ----
 * A device finds a road as the processor does, bit for bit (kernels/snap.h). Here is what it has of each piece, so that it can
 * make the position, too: an arc's length is measured once for all of its points. */

enum { PIECES_PER_TASK = 1024 };

typedef struct tree_work {
    const macadam_engine *engine;
    mcd_snap_line *line;
    mcd_snap_piece *piece;
    atomic_bool is_damaged; /* a piece belongs to no departure */
} tree_work;

/* Sets where a piece is on its arc, as the processor measures it. */
static void measure(mcd_snap_piece *out, const mcd_roads *roads, mcd_node tail, size_t piece)
{
    const size_t piece_count = mcd_road_point_count(roads, out->arc) - 1;
    mcd_ellipsoid_place at;
    double length = 0;
    for (size_t i = 0; i < piece_count; ++i) {
        const double of_piece = mcd_road_piece_length(roads, tail, out->arc, i, &at);
        if (i == piece) out->before = length, out->length = of_piece;
        length += of_piece;
    }
    out->whole = length;
    out->is_first = piece == 0, out->is_last = piece + 1 == piece_count;
}

static void make_pieces(void *argument, size_t first, size_t end)
{
    tree_work *const work = argument;
    const mcd_roads *const roads = &work->engine->roads;
    const mcd_snap_index *const index = &work->engine->snap;
    const uint32_t *const id = roads->places->node_place;
    for (size_t entry = first; entry < end; ++entry) {
        const uint32_t arc = index->arc[entry], number = index->piece[entry];
        const mcd_node tail = mcd_snap_tail(roads, index, entry, MCD_NODE_NONE);
        if (tail == MCD_NODE_NONE) {
            atomic_store(&work->is_damaged, true);
            continue;
        }
        mcd_snap_piece piece = {.arc = arc, .piece = number, .id = {id[tail], id[roads->graph->head[arc]]}};
        piece.number = mcd_arc_number(roads->facts, arc);
        piece.back = mcd_road_back(roads, tail, arc);
        measure(&piece, roads, tail, number / 2);
        work->line[entry] = mcd_snap_line_of(roads, tail, arc, number / 2);
        work->piece[entry] = piece;
    }
}

/* ---- where searches leave the places of roads, and reach them ---- */

typedef struct ends_work {
    const mcd_roads *roads;
    uint32_t *count;      /* [arc_count + 1] of arrivals; then, where those of each arc begin */
    mcd_arrival *arrival; /* NULL: they are counted */
} ends_work;

/* Lists the arrivals of an arc from an id; returns how many there are. */
static uint32_t list_arrivals(const ends_work *work, size_t id, uint32_t arc, mcd_arrival *out)
{
    const mcd_roads *const roads = work->roads;
    const mcd_graph *const graph = roads->graph;
    const mcd_node tail = roads->places->depart[id], arrive = roads->places->arrive[id];
    const bool is_split = arrive != tail;
    const mcd_arc first = is_split ? graph->first_in[arrive] : 0,
                  end = is_split ? graph->first_in[arrive + 1] : 1;
    uint32_t count = 0;
    for (mcd_arc xy = first; xy < end; ++xy) {
        const mcd_node from = is_split ? graph->tail[xy] : tail;
        const uint32_t copy = mcd_road_copy(roads, from, arc);
        if (copy == MCD_ROAD_NONE) continue;
        if (out) out[count] = (mcd_arrival){from, copy};
        ++count;
    }
    return count;
}

static void list_ends(void *argument, size_t first, size_t last)
{
    ends_work *const work = argument;
    const mcd_roads *const roads = work->roads;
    for (size_t id = first; id < last; ++id) {
        const mcd_node tail = roads->places->depart[id];
        for (mcd_arc arc = roads->graph->first_out[tail]; arc < roads->graph->first_out[tail + 1]; ++arc) {
            if (mcd_arc_number(roads->facts, (uint32_t)arc) == MCD_ARC_NONE) continue;
            mcd_arrival *const out = work->arrival ? &work->arrival[work->count[arc]] : NULL;
            const uint32_t count = list_arrivals(work, id, (uint32_t)arc, out);
            if (!out) work->count[arc] = count;
        }
    }
}

/* Makes the ends of all roads, within `memory`. */
static macadam_status make_ends(mcd_road_ends *out, const macadam_engine *engine, mcd_arena *memory)
{
    const mcd_place_index *const places = &engine->places;
    const uint32_t arcs = engine->graph.arc_count;
    ends_work work = {.roads = &engine->roads};
    uint64_t sum = 0;
    uint32_t most = 0;
    MCD_TRY(MCD_ARENA_NEW(memory, work.count, (size_t)arcs + 1, NULL));
    memset(work.count, 0, ((size_t)arcs + 1) * sizeof *work.count);
    mcd_parallel_for_ranges(&engine->parallel, places->id_count, PIECES_PER_TASK, list_ends, &work);
    for (uint32_t arc = 0; arc <= arcs; ++arc) {
        const uint32_t count = work.count[arc];
        if (count > most) most = count;
        work.count[arc] = (uint32_t)sum;
        sum += count;
    }
    if (most > MCD_ARRIVALS_MAX || sum > UINT32_MAX) return MACADAM_OK;
    MCD_TRY(MCD_ARENA_NEW(memory, work.arrival, sum, NULL));
    mcd_parallel_for_ranges(&engine->parallel, places->id_count, PIECES_PER_TASK, list_ends, &work);
    *out = (mcd_road_ends){arcs, places->id_count, places->depart, places->arrive, work.count, work.arrival,
                           most};
    return MACADAM_OK;
}

static macadam_status place_index(macadam_engine *engine)
{
    MCD_FREED_BY(mcd_arena_free) mcd_arena memory = {NULL};
    const mcd_snap_index *const index = &engine->snap;
    mcd_snap_tree tree = {.piece_count = index->piece_count, .box = index->box};
    tree_work work = {.engine = engine};
    mcd_device_snap *snap;
    tree.level_count = mcd_snap_levels(index->piece_count, tree.level_first);
    MCD_TRY(MCD_ARENA_NEW(&memory, work.line, index->piece_count, NULL));
    MCD_TRY(MCD_ARENA_NEW(&memory, work.piece, index->piece_count, NULL));
    mcd_parallel_for_ranges(&engine->parallel, index->piece_count, PIECES_PER_TASK, make_pieces, &work);
    if (atomic_load(&work.is_damaged)) return MACADAM_E_FILE;
    tree.line = work.line, tree.piece = work.piece;
    MCD_TRY(make_ends(&tree.ends, engine, &memory));
    MCD_TRY(engine->backend->device->snap_new(&snap, engine->device, &tree, NULL));
    engine->has_device_ends = tree.ends.arrival;
    engine->device_snap = snap;
    return MACADAM_OK;
}

bool mcd_engine_snap_pays(const macadam_engine *engine, uint64_t pieces_each)
{
    const uint64_t searches = atomic_load(&engine->device_snap_searches); /* some: the pieces are loaded */
    return searches > 0 && searches * pieces_each >= engine->snap.piece_count && engine->snap.piece_count > 0;
}

void mcd_engine_place_snap(macadam_engine *engine)
{
    MCD_FREED_BY(mcd_engine_leave) macadam_engine *const used = mcd_engine_enter(engine);
    if (!mcd_engine_snap_pays(used, MCD_PIECES_BESIDE) || mcd_engine_load(engine, MCD_LOAD_GRAPH, NULL))
        return;
    if (!atomic_exchange(&engine->has_device_snap, true) && place_index(engine))
        mcd_engine_forget_snap(engine);
}
