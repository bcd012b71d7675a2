/* isa.c - the CPU's backend for one instruction set: compiled once for each (MCD_ISA). Each phase chooses
 * the lane width by what its job requests: 32 bits for an objective, 64 for joint costs, 16 for a narrow
 * matrix. */
#include "kernels/cpu/customize/schedule.h"
#include "kernels/cpu/device/cpu.h"
#include "kernels/cpu/device/phases.h"
#include "kernels/cpu/pairwise/matrix_targets.h"
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
#define WITH_16(noun)     MCD_PASTE(MCD_ISA, 16, noun)
#define WITH_32(noun)     MCD_PASTE(MCD_ISA, 32, noun)
#define WITH_64(noun)     MCD_PASTE(MCD_ISA, 64, noun)
#define TABLE_OF(isa)     MCD_TABLE_OF(isa)
#define MCD_TABLE_OF(isa) mcd_##isa##_backend
#define BACKEND           TABLE_OF(MCD_ISA)

extern const mcd_backend BACKEND;
__typeof__(WITH_32(floyd_warshall)) WITH_16(floyd_warshall);

/* Defines a phase that takes lanes of 64 bits for joint costs, of 32 bits otherwise. */
#define PHASE(result, name, is_joint, parameters, arguments)                                                 \
    __typeof__(WITH_32(name)) WITH_64(name);                                                                 \
    static result name parameters                                                                            \
    {                                                                                                        \
        return (is_joint) ? WITH_64(name) arguments : WITH_32(name) arguments;                               \
    }
PHASE(macadam_status, customize, job->companion,
      (mcd_custom * out, const mcd_customize_job *job, macadam_error *error), (out, job, error))
PHASE(macadam_status, recustomize, job->customize.companion,
      (mcd_recustomized * out, const mcd_recustomize_job *job, macadam_error *error), (out, job, error))
PHASE(macadam_status, prune, job->companion,
      (mcd_kept * out, mcd_custom *custom, const mcd_customize_job *job, macadam_error *error),
      (out, custom, job, error))
PHASE(macadam_status, name_children, job->companion,
      (mcd_kept * kept, const mcd_custom *custom, const mcd_customize_job *job, macadam_error *error),
      (kept, custom, job, error))
PHASE(macadam_status, tree, job->companion, (const mcd_tree_job *job, macadam_error *error), (job, error))
PHASE(size_t, tree_scratch, job->companion, (const mcd_tree_job *job), (job))
PHASE(macadam_status, sssp, job->companion, (const mcd_sssp_job *job, macadam_error *error), (job, error))
PHASE(size_t, sssp_scratch, job->companion, (const mcd_sssp_job *job), (job))
PHASE(macadam_status, clock, job->tree.companion, (const mcd_clock_job *job, macadam_error *error),
      (job, error))
PHASE(size_t, clock_scratch, job->tree.companion, (const mcd_clock_job *job), (job))
PHASE(macadam_status, matrices, job->companion, (const mcd_matrices_job *job, macadam_error *error),
      (job, error))
PHASE(macadam_status, matrix_targets_new, job->joint,
      (mcd_matrix_targets * *out, const mcd_matrix_job *job, macadam_error *error), (out, job, error))
PHASE(macadam_status, matrix_rows, job->targets->job.joint, (const mcd_rows_job *job, macadam_error *error),
      (job, error))
PHASE(size_t, matrix_scratch, joint,
      (const mcd_weights *weights, const mcd_matrix_size *size, size_t workers, bool joint),
      (weights, size, workers, joint))

static macadam_status floyd_warshall(const mcd_dense_job *job, macadam_error *error)
{
    return job->narrow ? WITH_16(floyd_warshall)(job, error) : WITH_32(floyd_warshall)(job, error);
}

/* clang-format off */
#define OF_LANES(name) .name = name,
#define OF_SET(name)   .name = WITH_32(name),
#define OF_CPU(name)   .name = mcd_cpu_##name,
const mcd_backend BACKEND = {
    .name = "cpu: " TITLE,
    .methods = mcd_cpu_methods,
    .schedule_new = mcd_schedule_new,
    .schedule_free = mcd_schedule_free,
    .unique_path = mcd_unique_path_find,
    .matrix_targets_free = mcd_matrix_targets_free,
    .floyd_warshall = floyd_warshall,
    MCD_PHASES_OF_LANES(OF_LANES)
    MCD_PHASES_OF_SETS(OF_SET)
    MCD_CPU_PHASES(OF_CPU)
};
/* clang-format on */
