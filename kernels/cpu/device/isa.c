/* isa.c - the CPU's backend for one instruction set: compiled once for each (MCD_ISA). Each phase chooses
 * the lane width by what its job requests: 32 bits for an objective, 64 for joint costs, 16 for a narrow
 * matrix. */
#include "kernels/cpu/customize/schedule.h"
#include "kernels/cpu/device/cpu.h"
#include "kernels/cpu/device/sign.h"
#include "kernels/cpu/frontier/connect.h"
#include "kernels/cpu/frontier/hops.h"
#include "kernels/cpu/pairwise/matrix_targets.h"
#include "kernels/cpu/pairwise/spans.h"
#include "kernels/host/unique_path.h"

#if defined(__AVX512F__)
#define TITLE "AVX-512"
#elif defined(__AVX2__)
#define TITLE "AVX2"
#elif defined(__x86_64__)
#define TITLE "SSE2"
#elif defined(__ARM_NEON)
#define TITLE "NEON"
#else
#define TITLE "portable"
#endif

/* The names that other files define for this instruction set: mcd_<isa>_<bits>_<noun>, mcd_<isa>_backend. */
#define PASTE(a, b, c)  mcd_##a##_##b##c
#define EXPAND(a, b, c) PASTE(a, b, c)
#define WITH_16(noun)   EXPAND(MCD_ISA, 16_, noun)
#define WITH_32(noun)   EXPAND(MCD_ISA, 32_, noun)
#define WITH_64(noun)   EXPAND(MCD_ISA, 64_, noun)
#define BACKEND         EXPAND(MCD_ISA, backend, )

extern const mcd_backend WITH_32(kernels), WITH_64(kernels); /* kernels.c */
macadam_status WITH_32(route)(const mcd_route_job *job, macadam_error *error);
macadam_status WITH_32(top_labels_new)(mcd_top_labels **out, const mcd_weights *weights, size_t label_max,
                                       const mcd_parallel *parallel, macadam_error *error);
macadam_status WITH_32(minima_new)(mcd_minima **out, const mcd_minima_job *job, macadam_error *error);
macadam_status WITH_32(minima_find)(const mcd_minima_find_job *job, macadam_error *error);
void WITH_32(minima_free)(mcd_minima *minima);
macadam_status WITH_16(floyd_warshall)(const mcd_dense_job *job, macadam_error *error);
macadam_status WITH_32(floyd_warshall)(const mcd_dense_job *job, macadam_error *error);
macadam_status WITH_32(closure)(const mcd_closure_job *job, macadam_error *error);
extern const mcd_backend BACKEND;

static const mcd_backend *kernels_for(bool joint)
{
    return joint ? &WITH_64(kernels) : &WITH_32(kernels);
}

static macadam_status customize(mcd_custom *out, const mcd_customize_job *job, macadam_error *error)
{
    return kernels_for(job->companion)->customize(out, job, error);
}

static macadam_status recustomize(mcd_recustomized *out, const mcd_recustomize_job *job, macadam_error *error)
{
    return kernels_for(job->customize.companion)->recustomize(out, job, error);
}

static macadam_status prune(mcd_kept *out, mcd_custom *custom, const mcd_customize_job *job,
                            macadam_error *error)
{
    return kernels_for(job->companion)->prune(out, custom, job, error);
}

static macadam_status name_children(mcd_kept *kept, const mcd_custom *custom, const mcd_customize_job *job,
                                    macadam_error *error)
{
    return kernels_for(job->companion)->name_children(kept, custom, job, error);
}

static macadam_status tree(const mcd_tree_job *job, macadam_error *error)
{
    return kernels_for(job->companion)->tree(job, error);
}

static size_t tree_scratch(const mcd_tree_job *job)
{
    return kernels_for(job->companion)->tree_scratch(job);
}

static macadam_status reach(const mcd_reach_job *job, macadam_error *error)
{
    return WITH_32(kernels).reach(job, error);
}

static size_t reach_scratch(const mcd_reach_job *job)
{
    return WITH_32(kernels).reach_scratch(job);
}

static macadam_status sssp(const mcd_sssp_job *job, macadam_error *error)
{
    return kernels_for(job->companion)->sssp(job, error);
}

static size_t sssp_scratch(const mcd_sssp_job *job)
{
    return kernels_for(job->companion)->sssp_scratch(job);
}

static macadam_status matrices(const mcd_matrices_job *job, macadam_error *error)
{
    return kernels_for(job->companion)->matrices(job, error);
}

static macadam_status matrix_targets_new(mcd_matrix_targets **out, const mcd_matrix_job *job,
                                         macadam_error *error)
{
    return kernels_for(job->joint)->matrix_targets_new(out, job, error);
}

static macadam_status matrix_rows(const mcd_rows_job *job, macadam_error *error)
{
    return kernels_for(job->targets->job.joint)->matrix_rows(job, error);
}

static size_t matrix_scratch(const mcd_weights *weights, size_t target_count, size_t source_count,
                             size_t workers, bool joint)
{
    return kernels_for(joint)->matrix_scratch(weights, target_count, source_count, workers, joint);
}

static macadam_status floyd_warshall(const mcd_dense_job *job, macadam_error *error)
{
    return job->narrow ? WITH_16(floyd_warshall)(job, error) : WITH_32(floyd_warshall)(job, error);
}

const mcd_backend BACKEND = {
    .name = "cpu: " TITLE,
    .methods = mcd_cpu_methods,
    .schedule_new = mcd_schedule_new,
    .schedule_free = mcd_schedule_free,
    .customize = customize,
    .recustomize = recustomize,
    .prune = prune,
    .name_children = name_children,
    .tree = tree,
    .tree_scratch = tree_scratch,
    .reach = reach,
    .reach_scratch = reach_scratch,
    .minima_new = WITH_32(minima_new),
    .minima_find = WITH_32(minima_find),
    .minima_free = WITH_32(minima_free),
    .route = WITH_32(route),
    .unique_path = mcd_unique_path_find,
    .hops = mcd_cpu_hops,
    .hops_scratch = mcd_cpu_hops_scratch,
    .connect = mcd_cpu_connect,
    .sign = mcd_cpu_sign,
    .connect_scratch = mcd_cpu_connect_scratch,
    .sssp = sssp,
    .sssp_scratch = sssp_scratch,
    .top_labels_new = WITH_32(top_labels_new),
    .spans_new = mcd_cpu_spans_new,
    .matrices = matrices,
    .matrix_targets_new = matrix_targets_new,
    .matrix_rows = matrix_rows,
    .matrix_scratch = matrix_scratch,
    .matrix_targets_free = mcd_matrix_targets_free,
    .floyd_warshall = floyd_warshall,
    .closure = WITH_32(closure),
};
