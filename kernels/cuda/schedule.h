/* schedule.h - what customization on a GPU needs of a map alone: slices, their levels, and lists of work by
 * level.
 *
 * A slice is a part of a supernode: consecutive nodes `first` .. `first + width - 1`, each the parent of the
 * next, whose upward arcs are those to the columns - the upward neighbours that all of them share - and then
 * those to the slice's own nodes before them. A slice's level is one above the highest slice below it, so
 * slices of one level have nothing to do with each other; levels are several times fewer than the nodes of
 * the longest root path. Lists hold the arcs xy between slices with a slot of at least 1, those that are a
 * side of some triangle. Within a level their order is left to chance: only minima are formed of what they
 * yield. */
#ifndef MCD_CUDA_SCHEDULE_H
#define MCD_CUDA_SCHEDULE_H

#include "kernels/cuda/image.h"

/* The tuning number of slices: nodes of one slice, whose costs at one column a thread holds in registers. NE
 * has 386 levels of nodes, 73 of slices of 8 nodes, 58 of 16, 53 of 32, and 50 of any width. */
enum { SLICE_WIDTH = 16 };

/* One warp's work within a slice of at least two nodes: WARP of its columns from `chunk` * WARP on. */
struct slice_unit {
    uint32_t slice, chunk;
};

/* Where a level begins in the lists. */
struct schedule_level {
    uint64_t gather, relax, unit;
};

/* What kernels read. */
struct schedule_view {
    mcd_hierarchy hierarchy;
    const mcd_node *slice_first; /* [slice_count + 1] */
    const uint32_t *slot;        /* [up arcs]: where an arc stands in its node's list */
    const slice_unit *unit;      /* by level */
};

struct gpu_schedule {
    mcd_hierarchy hierarchy = {};
    uint32_t slice_count = 0, level_count = 0;
    schedule_level *level = nullptr; /* [level_count + 1], the host's */
    gpu_array<mcd_node> slice_first;
    gpu_array<uint32_t> slot;
    gpu_array<slice_unit> unit;
    gpu_array<uint32_t> gather_arc; /* arcs xy by the level of y */
    gpu_array<uint32_t> relax_arc;  /* the same by the level of x */
    gpu_array<uint32_t> up_of_arc;  /* [input arcs]: the upward arc between its ends; UINT32_MAX: a loop */
    schedule_view view() const
    {
        return {hierarchy, slice_first.get(), slot.get(), unit.get()};
    }
    ~gpu_schedule()
    {
        mcd_free(level);
    }
};

/* The map's schedule, made by the first call that asks for it. The map must have its graph. Returns E_FILE if
 * an input arc has no upward arc, E_INVALID if there are 2^32 - 1 upward arcs or more. */
macadam_status gpu_schedule_use(const gpu_schedule **out, gpu_call &call, gpu_map *map);
void gpu_schedule_free(gpu_schedule *schedule);

#endif
