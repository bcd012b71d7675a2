/* closure.cu - transitive closure on bits, over strong components. CPU twin: kernels/cpu/dense/closure.c.
 *
 * Method. Columns are closed independently, and components by level. So each GPU has its own columns, as many
 * at a time as fit, and a block goes through all levels of a strip of words without waiting for another
 * block.
 * Limit. Memory: a sector of each head's row for each arc and strip; then the copy to the host. */
#include "kernels/cuda/device/deliver.h"
#include "kernels/cuda/device/image.h"
#include "kernels/cuda/device/table.h"

enum {
    STRIP_WORDS = 4, /* words of 8 bytes: a sector */
    CLOSURE_THREADS = 512,
    ROW_BLOCK = 256,
    WORD_BITS = 64,
    WORDS_PER_GPU = 64, /* fewer are not worth another GPU */
    HEADS_AHEAD = 4,    /* rows that are loaded together */
};

using word_bits = unsigned long long;

struct closure_view {
    uint32_t level_count;
    size_t words;                /* of each row */
    const uint32_t *level_first; /* as in the job */
    const mcd_arc *first_out;
    const uint32_t *head;
    word_bits *row; /* [component * words + word] */
};

/* Sets the components' own columns first <= column < end; rows are 0 on entry.
 * Grid one thread per column. Races none: bits are set by atomics. */
static __global__ void set_columns(const uint32_t *__restrict__ column, size_t first, size_t end,
                                   closure_view closure)
{
    const size_t i = first + (size_t)blockIdx.x * ROW_BLOCK + threadIdx.x;
    if (i >= end) return;
    word_bits *const to = closure.row + column[i - first] * closure.words + (i - first) / WORD_BITS;
    atomicOr(to, (word_bits)1 << MCD_CLOSURE_BIT(i));
}

static __device__ word_bits unite_heads(const closure_view &closure, uint32_t component, size_t word)
{
    const mcd_arc end = closure.first_out[component + 1];
    word_bits sum = closure.row[component * closure.words + word];
#pragma unroll HEADS_AHEAD
    for (mcd_arc xy = closure.first_out[component]; xy < end; ++xy)
        sum |= closure.row[closure.head[xy] * closure.words + word];
    return sum;
}

/* Grid   one block per strip of words; adjacent threads have a component's words.
 * Races  none: a level's rows are read after the barrier that ends the level. */
static __global__ void __launch_bounds__(CLOSURE_THREADS) unite_levels(closure_view closure)
{
    const size_t word = (size_t)blockIdx.x * STRIP_WORDS + threadIdx.x % STRIP_WORDS;
    for (uint32_t level = 1; level < closure.level_count; ++level) {
        const uint32_t end = closure.level_first[level + 1];
        for (uint32_t component = closure.level_first[level] + threadIdx.x / STRIP_WORDS; component < end;
             component += CLOSURE_THREADS / STRIP_WORDS)
            if (word < closure.words)
                closure.row[component * closure.words + word] = unite_heads(closure, component, word);
        __syncthreads();
    }
}

/* ---- one GPU ---- */

/* Words first <= word < end of all rows. */
struct closure_part {
    const mcd_closure_job *job;
    gpu_call &call;
    gpu_progress &progress; /* in words */
    size_t first, end, at_once;
    closure_view closure;
};

static uint64_t graph_bytes(const mcd_closure_job *job)
{
    return ((uint64_t)job->level_count + 1) * sizeof(uint32_t) +
           ((uint64_t)job->component_count + 1) * sizeof(mcd_arc) +
           job->first_out[job->component_count] * sizeof(uint32_t);
}

static uint64_t word_bytes(const mcd_closure_job *job)
{
    return (uint64_t)job->component_count * sizeof(word_bits) + WORD_BITS * sizeof(uint32_t);
}

static void choose_words(closure_part *part, gpu_share *share)
{
    const mcd_closure_job *job = part->job;
    const uint64_t least = graph_bytes(job) + word_bytes(job);
    uint64_t wanted = graph_bytes(job) + (part->end - part->first) * word_bytes(job);
    if (job->memory_limit) wanted = mcd_size_min(wanted, job->memory_limit);
    if (wanted < least)
        fail(MACADAM_E_LIMIT, "a closure over %u components needs %llu bytes of a device; the limit is %llu",
             job->component_count, (unsigned long long)least, (unsigned long long)wanted);
    share->take(part->call, least, wanted, "a closure");
    part->at_once =
        mcd_size_min((share->bytes() - graph_bytes(job)) / word_bytes(job), part->end - part->first);
}

static void close_words(closure_part *part, const gpu_array<uint32_t> &column, size_t first, size_t end)
{
    gpu_call &call = part->call;
    const mcd_closure_job *job = part->job;
    const size_t first_column = first * WORD_BITS,
                 end_column = mcd_size_min(end * WORD_BITS, job->column_count);
    closure_view &closure = part->closure;
    closure.words = end - first;
    supply(call, column.get(), job->column + first_column, (end_column - first_column) * sizeof(uint32_t),
           &job->parallel);
    call.fill(closure.row, 0, job->component_count * closure.words, "clearing a closure");
    call.run("setting columns", {blocks_of<uint64_t>(end_column - first_column, ROW_BLOCK), ROW_BLOCK},
             set_columns, column.get(), first_column, end_column, closure);
    call.run("a closure", {blocks_of<uint64_t>(closure.words, STRIP_WORDS), CLOSURE_THREADS}, unite_levels,
             closure);
    call.order_copies();
    deliver_rows(call,
                 {job->bits + first, job->stride * sizeof(uint64_t), closure.row,
                  closure.words * sizeof(word_bits), job->component_count},
                 &job->parallel);
    call.order_work();
}

static void close_part(closure_part *part, gpu_share *share)
{
    gpu_call &call = part->call;
    const mcd_closure_job *job = part->job;
    choose_words(part, share);
    gpu_array<uint32_t> level_first(call, job->level_first, (size_t)job->level_count + 1, "copying levels");
    gpu_array<mcd_arc> first_out(call, job->first_out, (size_t)job->component_count + 1, "copying arcs");
    gpu_array<uint32_t> head(call, job->head, job->first_out[job->component_count], "copying arcs"),
        column(call, part->at_once * WORD_BITS, "columns");
    gpu_array<word_bits> row(call, part->at_once * job->component_count, "a closure");
    part->closure = {job->level_count, 0, level_first.get(), first_out.get(), head.get(), row.get()};
    for (size_t first = part->first, end; first < part->end; first = end) {
        end = mcd_size_min(first + part->at_once, part->end);
        close_words(part, column, first, end);
        part->progress.step(end - first);
    }
    call.synchronize();
}

void mcd_cuda_closure(const mcd_closure_job *job)
{
    const size_t words = blocks_of<size_t>(job->column_count, WORD_BITS);
    const size_t parts = mcd_size_min(job->device->gpu_count, blocks_of<size_t>(words, WORDS_PER_GPU));
    if (words == 0 || job->component_count == 0) return;
    gpu_progress progress(job->progress, "closure", words);
    on_each_gpu(parts, progress, [&](size_t g) {
        progress.step(0);
        gpu_share share;
        gpu_call call(&job->device->gpu[g]);
        closure_part part = {
            job, call, progress, mcd_part_first(words, g, parts), mcd_part_first(words, g + 1, parts), 0, {}};
        close_part(&part, &share);
    });
}
