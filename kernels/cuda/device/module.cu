/* module.cu - the CUDA backend as the runtime loads it: one table, which one symbol returns. */
#include "kernels/cuda/device/module.h"

#include "kernels/cuda/frontier/arcs.h"
#include "kernels/cuda/frontier/clock.h"
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/device/table.h"

#include <cstring>

/* Restores the calling thread's current device, which the host may have chosen. */
class device_guard
{
  public:
    device_guard()
    {
        if (cudaGetDevice(&before_) != cudaSuccess) before_ = -1;
    }
    device_guard(const device_guard &) = delete;
    ~device_guard()
    {
        int now = before_;
        if (before_ >= 0 && cudaGetDevice(&now) == cudaSuccess && now != before_)
            (void)cudaSetDevice(before_);
        (void)cudaGetLastError(); /* no caller gets it */
    }

  private:
    int before_ = -1;
};

/* Calls a phase, throws nothing into C, and leaves the thread's device unchanged. */
template <auto PHASE> struct guarded;

template <class... Arguments, void (*PHASE)(Arguments...)> struct guarded<PHASE> {
    static macadam_status call(Arguments... arguments, macadam_error *error)
    {
        const device_guard guard;
        return throw_nothing(error, [&] { PHASE(arguments...); });
    }
};

/* Does the same for a phase that makes an object; *out becomes NULL if it fails. */
template <class T, class... Arguments, T *(*PHASE)(Arguments...)> struct guarded<PHASE> {
    static macadam_status call(T **out, Arguments... arguments, macadam_error *error)
    {
        const device_guard guard;
        *out = nullptr;
        return throw_nothing(error, [&] { *out = PHASE(arguments...); });
    }
};

/* Does the same for a phase that cannot fail. */
template <auto FREE> struct guarded_free;

template <class Result, class... Arguments, Result (*FREE)(Arguments...)> struct guarded_free<FREE> {
    static Result call(Arguments... arguments)
    {
        const device_guard guard;
        return FREE(arguments...);
    }
};

/* No phase uses scratch of the caller's: only the device's budget. */
template <class... Arguments> static size_t no_scratch(Arguments...)
{
    return 0;
}

static const mcd_device_table device_table = {
    mcd_cuda_list,
    guarded<mcd_cuda_open>::call,
    guarded_free<mcd_cuda_close>::call,
    mcd_cuda_name,
    mcd_cuda_lost,
    guarded<mcd_cuda_map_new>::call,
    guarded_free<mcd_cuda_map_free>::call,
    guarded<mcd_cuda_weights_new>::call,
    guarded<mcd_cuda_weights_renew>::call,
    guarded<mcd_cuda_weights_fetch>::call,
    guarded_free<mcd_cuda_weights_free>::call,
    guarded<mcd_cuda_arcs_new>::call,
    guarded_free<mcd_cuda_arcs_free>::call,
    guarded<mcd_cuda_clock_new>::call,
    guarded_free<mcd_cuda_clock_free>::call,
    guarded<mcd_cuda_snap_new>::call,
    guarded_free<mcd_cuda_snap_free>::call,
    mcd_cuda_gpus,
    guarded<mcd_cuda_memory_new>::call,
    guarded<mcd_cuda_memory_read>::call,
    guarded<mcd_cuda_memory_write>::call,
    guarded_free<mcd_cuda_memory_free>::call,
    guarded_free<mcd_cuda_held>::call,
    guarded_free<mcd_cuda_trim>::call,
};

/* docs/papers.md has the papers and the figures. */
static const mcd_method methods[] = {
    {{"auto", "the fastest for the graph and the request"}, MCD_FOR_TREES, MCD_TREE_AUTO},
    {{"sweep", "trees down the hierarchy; by far the fastest, without parents"},
     MCD_FOR_TREES,
     MCD_TREE_SWEEP},
    {{"near-far", "frontiers by cost, along the arcs (Davidson et al. 2014)"},
     MCD_FOR_TREES,
     MCD_TREE_NEAR_FAR},
    {{"bellman-ford", "all arcs as sorted pairs, until nothing changes (Kolganov 2014)"},
     MCD_FOR_TREES,
     MCD_TREE_BELLMAN_FORD},
    {{"dijkstra", "a search with a heap, on the CPU"}, MCD_FOR_TREES, MCD_TREE_DIJKSTRA},
    {{"floyd-warshall", "a dense matrix in blocks (Katz, Kider 2008); finds next hops"},
     MCD_FOR_ALL_PAIRS,
     MCD_TREE_FLOYD_WARSHALL},
    {{"auto", "the fastest for the graph, by the sizes of levels"}, MCD_FOR_HOPS, MCD_HOPS_AUTO},
    {{"expand-contract",
      "a level's arcs are expanded, and their heads filtered in the same pass (Merrill et al. 2012)"},
     MCD_FOR_HOPS,
     MCD_HOPS_EXPAND_CONTRACT},
    {{"contract-expand", "a level's heads are listed, and filtered in the next pass (Merrill et al. 2012)"},
     MCD_FOR_HOPS,
     MCD_HOPS_CONTRACT_EXPAND},
    {{"two-phase", "two passes a level: arcs are expanded, then heads filtered (Merrill et al. 2012)"},
     MCD_FOR_HOPS,
     MCD_HOPS_TWO_PHASE},
    {{"hybrid", "contract-expand for small levels, else two-phase (Merrill et al. 2012)"},
     MCD_FOR_HOPS,
     MCD_HOPS_HYBRID},
    {{"bottom-up", "in wide levels, the unreached nodes look for a reached neighbour (Beamer et al. 2012)"},
     MCD_FOR_HOPS,
     MCD_HOPS_BOTTOM_UP},
    {{"divided", "bottom-up, with the nodes divided among several GPUs"}, MCD_FOR_HOPS, MCD_HOPS_DIVIDED},
    {{nullptr, nullptr}, 0, 0},
};

/* clang-format off */
#define WITHOUT_SCRATCH(SET) \
    SET(route) SET(matrix_rows) SET(matrices) SET(floyd_warshall) SET(closure) SET(sign) SET(nearest_roads) \
    SET(count_lanes)
#define WITH_SCRATCH(SET) SET(tree) SET(reach) SET(hops) SET(connect) SET(sssp) SET(clock)
/* clang-format on */
#define SET_PHASE(name)   table.name = guarded<mcd_cuda_##name>::call;
#define SET_SCRATCH(name) table.name##_scratch = no_scratch;

/* C++17 has no designated initializers. */
static mcd_backend make_backend()
{
    mcd_backend table = {};
    table.name = "cuda", table.methods = methods, table.device = &device_table;
    table.matrix_targets_new = guarded<mcd_cuda_matrix_targets_new>::call;
    table.matrix_targets_free = guarded_free<mcd_cuda_matrix_targets_free>::call;
    table.matrix_scratch = no_scratch;
    WITHOUT_SCRATCH(SET_PHASE)
    WITH_SCRATCH(SET_PHASE)
    WITH_SCRATCH(SET_SCRATCH)
    return table;
}

extern "C" MACADAM_API const mcd_backend *mcd_cuda_module(const char *version,
                                                          const macadam_allocator *allocator)
{
    static const mcd_backend table = make_backend();
    if (strcmp(version, MCD_MODULE_VERSION) != 0) return nullptr;
    macadam_allocator_set(allocator);
    return &table;
}
