/* cpu.c - the CPU's tables of phases: one per instruction set, each choosing the lane width by what a job
 * asks. */
#include "kernels/cpu/device/cpu.h"

#include "engine/base/memory.h"
#include "kernels/cpu/frontier/connect.h"
#include "kernels/cpu/frontier/hops.h"
#include "kernels/cpu/device/kernels.h"
#include "kernels/cpu/pairwise/matrix_targets.h"
#include "kernels/cpu/customize/schedule.h"
#include "kernels/cpu/pairwise/spans.h"

/* One backend from the two kernel tables of an instruction set. */
#define DEFINE_BACKEND(isa, title)                                                                           \
    static const mcd_cpu_kernels *isa##_kernels(bool joint)                                                  \
    {                                                                                                        \
        return joint ? &mcd_##isa##_64_kernels : &mcd_##isa##_32_kernels;                                    \
    }                                                                                                        \
    static macadam_status isa##_customize(mcd_custom *out, const mcd_customize_job *job,                     \
                                          macadam_error *error)                                              \
    {                                                                                                        \
        return isa##_kernels(job->companion)->customize(out, job, error);                                    \
    }                                                                                                        \
    static macadam_status isa##_prune(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,       \
                                      macadam_error *error)                                                  \
    {                                                                                                        \
        return isa##_kernels(job->companion)->prune(out, custom, job, error);                                \
    }                                                                                                        \
    static macadam_status isa##_name_children(mcd_kept *kept, const mcd_custom *custom,                      \
                                              const mcd_customize_job *job, macadam_error *error)            \
    {                                                                                                        \
        return isa##_kernels(job->companion)->name_children(kept, custom, job, error);                       \
    }                                                                                                        \
    static macadam_status isa##_tree(const mcd_tree_job *job, macadam_error *error)                          \
    {                                                                                                        \
        return isa##_kernels(job->companion)->tree(job, error);                                              \
    }                                                                                                        \
    static size_t isa##_tree_scratch(const mcd_tree_job *job)                                                \
    {                                                                                                        \
        return isa##_kernels(job->companion)->tree_scratch(job);                                             \
    }                                                                                                        \
    static macadam_status isa##_reach(const mcd_reach_job *job, macadam_error *error)                        \
    {                                                                                                        \
        return isa##_kernels(false)->reach(job, error);                                                      \
    }                                                                                                        \
    static size_t isa##_reach_scratch(const mcd_reach_job *job)                                              \
    {                                                                                                        \
        return isa##_kernels(false)->reach_scratch(job);                                                     \
    }                                                                                                        \
    static macadam_status isa##_route(const mcd_route_job *job, macadam_error *error)                        \
    {                                                                                                        \
        return job->take ? mcd_##isa##_32_paths(job, error)                                                  \
                         : isa##_kernels(job->companion)->route(job, error);                                 \
    }                                                                                                        \
    static macadam_status isa##_sssp(const mcd_sssp_job *job, macadam_error *error)                          \
    {                                                                                                        \
        return isa##_kernels(job->companion)->sssp(job, error);                                              \
    }                                                                                                        \
    static size_t isa##_sssp_scratch(const mcd_sssp_job *job)                                                \
    {                                                                                                        \
        return isa##_kernels(job->companion)->sssp_scratch(job);                                             \
    }                                                                                                        \
    static macadam_status isa##_matrix_targets_new(mcd_matrix_targets **out, const mcd_matrix_job *job,      \
                                                   macadam_error *error)                                     \
    {                                                                                                        \
        return isa##_kernels(job->joint)->matrix_targets_new(out, job, error);                               \
    }                                                                                                        \
    static macadam_status isa##_matrix_rows(const mcd_rows_job *job, macadam_error *error)                   \
    {                                                                                                        \
        return isa##_kernels(job->targets->job.joint)->matrix_rows(job, error);                              \
    }                                                                                                        \
    static size_t isa##_matrix_scratch(const mcd_weights *weights, size_t target_count, size_t source_count, \
                                       size_t workers, bool joint)                                           \
    {                                                                                                        \
        return isa##_kernels(joint)->matrix_scratch(weights, target_count, source_count, workers);           \
    }                                                                                                        \
    static macadam_status isa##_floyd_warshall(const mcd_dense_job *job, macadam_error *error)               \
    {                                                                                                        \
        return job->narrow ? mcd_##isa##_16_floyd_warshall(job, error)                                       \
                           : mcd_##isa##_32_floyd_warshall(job, error);                                      \
    }                                                                                                        \
    static const mcd_backend isa##_backend = {                                                               \
        .name = "cpu: " title,                                                                               \
        .schedule_new = mcd_schedule_new,                                                                    \
        .schedule_free = mcd_schedule_free,                                                                  \
        .customize = isa##_customize,                                                                        \
        .prune = isa##_prune,                                                                                \
        .name_children = isa##_name_children,                                                                \
        .tree = isa##_tree,                                                                                  \
        .tree_scratch = isa##_tree_scratch,                                                                  \
        .reach = isa##_reach,                                                                                \
        .reach_scratch = isa##_reach_scratch,                                                                \
        .route = isa##_route,                                                                                \
        .hops = mcd_cpu_hops,                                                                                \
        .hops_scratch = mcd_cpu_hops_scratch,                                                                \
        .connect = mcd_cpu_connect,                                                                          \
        .connect_scratch = mcd_cpu_connect_scratch,                                                          \
        .sssp = isa##_sssp,                                                                                  \
        .sssp_scratch = isa##_sssp_scratch,                                                                  \
        .top_labels_new = mcd_##isa##_32_top_labels_new,                                                     \
        .spans_new = mcd_cpu_spans_new,                                                                      \
        .matrix_targets_new = isa##_matrix_targets_new,                                                      \
        .matrix_rows = isa##_matrix_rows,                                                                    \
        .matrix_scratch = isa##_matrix_scratch,                                                              \
        .matrix_targets_free = mcd_matrix_targets_free,                                                      \
        .floyd_warshall = isa##_floyd_warshall,                                                              \
        .closure = mcd_##isa##_32_closure,                                                                   \
    };

#if defined(__x86_64__)
DEFINE_BACKEND(baseline, "SSE2")
DEFINE_BACKEND(avx2, "AVX2")
DEFINE_BACKEND(avx512, "AVX-512")
#elif defined(__ARM_NEON)
DEFINE_BACKEND(baseline, "NEON")
#else
DEFINE_BACKEND(baseline, "portable")
#endif

size_t mcd_cpu_backends(const mcd_backend **out, size_t capacity)
{
    const mcd_backend *found[3];
    size_t count = 0;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        found[count++] = &avx512_backend;
    if (__builtin_cpu_supports("avx2")) found[count++] = &avx2_backend;
#endif
    found[count++] = &baseline_backend;
    for (size_t i = 0; i < count && i < capacity; ++i) out[i] = found[i];
    return count;
}

const mcd_backend *mcd_cpu_backend(void)
{
    const mcd_backend *best = NULL;
    mcd_cpu_backends(&best, 1);
    return best;
}

void mcd_custom_free(mcd_custom *custom)
{
    mcd_free(custom->cost);
    mcd_free(custom->witness);
    mcd_free(custom->kept);
    *custom = (mcd_custom){0};
}

void mcd_top_labels_free(mcd_top_labels *top_labels)
{
    if (!top_labels) return;
    mcd_free((void *)top_labels->line);
    mcd_free((void *)top_labels->label[MCD_FORWARD]);
    mcd_free((void *)top_labels->label[MCD_BACKWARD]);
    mcd_free(top_labels);
}

void mcd_spans_free(mcd_spans *spans)
{
    if (!spans) return;
    mcd_free((void *)spans->span[MCD_FORWARD]);
    mcd_free((void *)spans->span[MCD_BACKWARD]);
    mcd_free((void *)spans->arc);
    mcd_free(spans);
}

void mcd_kept_free(mcd_kept *kept)
{
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *search = &kept->search[direction];
        mcd_free((void *)search->first);
        mcd_free((void *)search->head);
        mcd_free((void *)search->depth);
        mcd_free((void *)search->objective);
        mcd_free((void *)search->companion);
        mcd_free((void *)search->children);
    }
    *kept = (mcd_kept){0};
}
