/* closure.c - transitive closure on bits, over strong components.
 *
 * Method. Columns are closed independently. A task takes a strip of them and goes through the components by
 * level, so that the rows of a component's heads are final when they are united. A strip's row stays in
 * registers over all heads, and the strip's rows stay in the cache.
 * Races. None: no word belongs to two strips. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/watch.h"

/* Measured by tests/bench/dense: 128 bytes a row, so that a strip of 65,536 components is 8 MB. */
enum {
    STRIP_WORDS = 16,
    STRIP_VECS = STRIP_WORDS * sizeof(uint64_t) / VEC_BYTES,
    COMPONENTS_PER_QUESTION = 4096, /* whether to go on */
};

typedef uint64_t words __attribute__((vector_size(VEC_BYTES), may_alias, aligned(sizeof(uint64_t))));

typedef struct closure_run {
    const mcd_closure_job *job;
    mcd_watch watch;
} closure_run;

/* Sets the components' own columns first <= column < end. */
static void set_columns(const mcd_closure_job *job, size_t first, size_t end)
{
    const size_t words_of_strip = (end - first + 63) / 64;
    for (uint32_t c = 0; c < job->component_count; ++c) {
        uint64_t *const to = job->bits + c * job->stride + first / 64;
        for (size_t w = 0; w < words_of_strip; ++w) to[w] = 0;
    }
    for (size_t column = first; column < end; ++column)
        job->bits[job->column[column] * job->stride + column / 64] |= UINT64_C(1) << MCD_CLOSURE_BIT(column);
}

/* Unites a whole strip's row with those of its heads. */
static void unite_strip(const mcd_closure_job *job, uint32_t component, size_t first_word)
{
    uint64_t *const to = job->bits + component * job->stride + first_word;
    words sum[STRIP_VECS];
#pragma GCC unroll 8
    for (int v = 0; v < STRIP_VECS; ++v) sum[v] = ((const words *)to)[v];
    for (mcd_arc xy = job->first_out[component]; xy < job->first_out[component + 1]; ++xy) {
        const words *const other = (const words *)(job->bits + job->head[xy] * job->stride + first_word);
#pragma GCC unroll 8
        for (int v = 0; v < STRIP_VECS; ++v) sum[v] |= other[v];
    }
#pragma GCC unroll 8
    for (int v = 0; v < STRIP_VECS; ++v) ((words *)to)[v] = sum[v];
}

/* Does the same for the last strip, which may have fewer words. */
static void unite_words(const mcd_closure_job *job, uint32_t component, size_t first_word, size_t word_count)
{
    uint64_t *const to = job->bits + component * job->stride + first_word;
    for (mcd_arc xy = job->first_out[component]; xy < job->first_out[component + 1]; ++xy) {
        const uint64_t *const other = job->bits + job->head[xy] * job->stride + first_word;
        for (size_t w = 0; w < word_count; ++w) to[w] |= other[w];
    }
}

static void close_strip(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const closure_run *run = argument;
    const mcd_closure_job *job = run->job;
    const size_t first_word = index * STRIP_WORDS;
    const size_t end = mcd_size_min((first_word + STRIP_WORDS) * 64, job->column_count);
    const size_t word_count = (end - first_word * 64 + 63) / 64;
    set_columns(job, first_word * 64, end);
    for (uint32_t c = job->level_first[1]; c < job->component_count; ++c) {
        if (c % COMPONENTS_PER_QUESTION == 0 && !mcd_watch_goes_on(&run->watch)) return;
        if (word_count == STRIP_WORDS)
            unite_strip(job, c, first_word);
        else
            unite_words(job, c, first_word, word_count);
    }
}

macadam_status MCD_KERNEL(closure)(const mcd_closure_job *job, macadam_error *error)
{
    const size_t strip_count = (job->column_count + STRIP_WORDS * 64 - 1) / (STRIP_WORDS * 64);
    closure_run run = {job, mcd_watch_of(&job->progress, "closing")};
    return mcd_watch_for(&run.watch, &job->parallel, strip_count, close_strip, &run, error);
}
