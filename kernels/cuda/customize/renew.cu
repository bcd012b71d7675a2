/* renew.cu - weights that the first GPU makes from the input arcs' weights. The others copy them from it when they need
 * them (weights_on).
 *
 * Method. The input weights are copied from the host through pinned chunks; or from the earlier weights, into which the
 * changed ones are scattered. Everything else is computed again each time: that is faster than finding out which costs
 * depend on the changes. */
#include "kernels/cuda/customize/customize.h"
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/table.h"

enum {
    PIECE = 1 << 20, /* weights of one copy: small, so that filling and copying overlap */
    PIECES_PER_CHUNK = PINNED_BYTES / (PIECE * sizeof(mcd_weight)),
    TASK_FETCHED = 1 << 11, /* weights of a host thread's task */
};

/* ---- to the GPU ---- */

/* A piece of from[index[i]]. */
struct upload_piece {
    uint32_t *to;
    const uint32_t *from, *index;
    size_t first, count;
};

static void fetch_part(void *argument, size_t task, unsigned)
{
    const upload_piece *piece = (const upload_piece *)argument;
    const size_t begin = task * TASK_FETCHED, end = mcd_size_min(begin + TASK_FETCHED, piece->count);
    for (size_t i = begin; i < end; ++i) piece->to[i] = piece->from[piece->index[piece->first + i]];
}

/* The call's pinned chunks as a ring of pieces, for the whole call. */
class upload_ring
{
  public:
    upload_ring(gpu_call &call, const mcd_parallel &parallel) : call_(call), parallel_(parallel)
    {
    }
    /* Enqueues: to[i] = from[index[i]]; or from[i] without an index. */
    void upload(uint32_t *to, const uint32_t *from, const uint32_t *index, size_t count)
    {
        if (!index) {
            if (count_ > 0) call_.synchronize(); /* the copies read the same chunks */
            return supply(call_, to, from, count * sizeof *to, &parallel_);
        }
        for (size_t first = 0; first < count; first += PIECE) {
            upload_piece piece = {next(), from, index, first, mcd_size_min(PIECE, count - first)};
            mcd_parallel_for(&parallel_, blocks_of<size_t>(piece.count, TASK_FETCHED), fetch_part, &piece);
            call_.copy(to + first, piece.to, piece.count, "copying weights");
        }
    }

  private:
    /* Finds room for a piece; if a round is full, waits for the copies of the round before. */
    uint32_t *next()
    {
        const size_t place = count_++ % (2 * PIECES_PER_CHUNK);
        if (place == 0 && count_ > 1) call_.synchronize();
        return (uint32_t *)call_.pinned((int)(place / PIECES_PER_CHUNK)) + place % PIECES_PER_CHUNK * PIECE;
    }

    gpu_call &call_;
    const mcd_parallel parallel_;
    size_t count_ = 0;
};

/* An arc may be repeated, but only with the same weight. */
static __global__ void scatter(size_t count, const uint32_t *arc, const mcd_weight *value, mcd_weight *weight)
{
    const uint64_t i = thread_index();
    if (i < count) weight[arc[i]] = value[i];
}

/* Takes one quantity's weights. arc: the changed ones, if there are earlier weights. host: NULL if the
 * metric has no such quantity. */
static void take_quantity(gpu_call &call, upload_ring &ring, const mcd_renew_job &job, const uint32_t *arc,
                          const mcd_weight *before, const mcd_weight *host, gpu_array<mcd_weight> *out)
{
    const size_t count = job.customize.graph->arc_count;
    if (!host) return;
    out->allocate(call, count, "allocating weights");
    if (!before) return ring.upload(out->get(), host, nullptr, count);
    call.copy(out->get(), before, count, "copying weights");
    gpu_array<uint32_t> value(call, job.changed_count, "allocating changed weights");
    ring.upload(value.get(), host, job.changed, job.changed_count);
    call.run("changing weights", one_thread_each(job.changed_count), scatter, job.changed_count, arc,
             value.get(), out->get());
}

struct input_arrays {
    gpu_array<mcd_weight> objective, companion;
};

/* base: NULL if there are no earlier weights. */
static void take_weights(gpu_call &call, const mcd_renew_job &job, const gpu_weights *base, input_arrays *out)
{
    upload_ring ring(call, job.customize.parallel);
    gpu_array<uint32_t> changed;
    if (base) {
        changed.allocate(call, job.changed_count, "allocating changed arcs");
        ring.upload(changed.get(), job.changed, nullptr, job.changed_count);
    }
    take_quantity(call, ring, job, changed.get(), base ? base->objective.get() : nullptr,
                  job.customize.objective, &out->objective);
    take_quantity(call, ring, job, changed.get(), base ? base->companion.get() : nullptr,
                  job.customize.companion, &out->companion);
}

/* ---- all phases ---- */

template <class Cost>
static void customize_on(gpu_call &call, const mcd_renew_job &job, gpu_weights *out,
                         const gpu_schedule &schedule)
{
    const gpu_map &map = *out->map;
    input_arrays input;
    gpu_array<both_costs<Cost>> basic(call, map.up_count, "allocating costs"), least;
    enqueue_clear(call, map.up_count, basic.get()); /* early: overlaps with the copies */
    take_weights(call, job, job.base ? job.base->on[0] : nullptr, &input);
    out->objective = std::move(input.objective), out->companion = std::move(input.companion);
    const input_weights weights = {out->objective.get(), out->companion.get()};
    enqueue_customize(call, map, schedule, weights, basic.get());
    if (!job.basic) {
        least.allocate(call, map.up_count, "allocating costs");
        enqueue_perfect<Cost>(call, map, schedule, basic.get(), least.get());
    }
    make_searches<Cost>(call, out, schedule, weights, basic.get(), least.get());
}

static void renew_on(gpu_call &call, const mcd_renew_job &job, gpu_weights *out)
{
    must(mcd_progress_step, &job.customize.progress, "customization", 0, 2);
    const gpu_schedule &schedule = gpu_schedule_of(call, out->map);
    must(mcd_progress_step, &job.customize.progress, "customization", 1, 2);
    out->joint = job.customize.companion != nullptr;
    out->has_children = !job.basic;
    const auto customize = out->joint ? customize_on<uint64_t> : customize_on<uint32_t>;
    customize(call, job, out, schedule);
    for (int direction = 0; direction < 2; ++direction)
        out->each_array(direction, [](auto &array, auto, size_t) { array.keep(); });
    gpu_keep_all(out->objective, out->companion);
}

/* Waits at its end: weights that a failure frees are not being copied any more. */
struct settled {
    gpu_call &call;
    ~settled()
    {
        call.settle();
    }
};

mcd_device_weights *mcd_cuda_weights_renew(mcd_device_map *map, const mcd_renew_job *job)
{
    gpu_call call(&map->device->gpu[0]);
    return new_weights(map, [&](gpu_weights *on) {
        const settled settled = {call};
        renew_on(call, *job, on);
    });
}
