/* schedule.h - what customization on a GPU needs of a map alone: slices, their levels, and lists of work by
 * level.
 *
 * A slice is a part of a supernode: consecutive nodes `first` .. `first + width - 1`, each the parent of the
 * next, whose upward arcs are those to the columns - the upward neighbours that all of them share - and then
 * those to the slice's own nodes before them. A slice's level is one above the highest slice below it, so
 * slices of one level have nothing to do with each other; levels are several times fewer than the nodes of
 * the longest root path. Lists are by the level of the bottoms; within a level their order is left to chance:
 * only minima are formed of what they yield.
 * Where triangles end: the arc yz of every two columns y, z of a slice is stored, once for all of the slice's
 * nodes; so no search delays customization, whose levels are too small for anything but latency to count.
 * (NE: 28 million triangles, 5 of them with a bottom that is a slice by itself, and 4 million arcs yz of the
 * others.) */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_SCHEDULE_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_SCHEDULE_H

#include "kernels/cuda/device/image.h"

enum {
    /* Nodes of one slice, whose costs at one column a thread holds in registers. NE has 386 levels of nodes,
     * 73 of slices of 8 nodes, 58 of 16, 53 of 32, and 50 of any width. */
    SLICE_WIDTH = 16,
    TILE_MIDS = 8,
    /* At most, of slices that share a warp in customization. */
    SMALL_WIDTH = 4,
    SMALL_COLUMNS = 8,
};
static_assert(WARP % TILE_MIDS == 0, "a tile's mids are among WARP columns that another tile has as tops");

/* Where a slice's costs lie. */
struct slice_view {
    uint32_t width, columns; /* nodes; upward neighbours outside, which the nodes share */
    uint32_t base;           /* the first arc of its first node */
    /* The first arc of the i-th node: `columns` to the columns, then i to the nodes before. */
    __device__ uint32_t row(uint32_t i) const
    {
        return base + i * columns + i * (i - 1) / 2;
    }
};

/* One warp's work within a slice of at least two nodes: WARP of its columns from `chunk` * WARP on. */
struct slice_unit {
    uint32_t slice, chunk;
};

/* One warp's triangles of a slice of at least two nodes: their mids y are TILE_MIDS of its columns from
 * `mid` * TILE_MIDS on, their tops z the columns before y among WARP of them from `top` * WARP on. */
struct alignas(16) slice_tile {
    slice_view slice;
    uint16_t mid, top;
    uint64_t first_way; /* the slice's part of schedule_view.way */
};

/* Of a bottom that is a slice by itself. */
struct single_triangle {
    uint32_t xy, xz, yz;
};

/* Where a level begins in the lists. */
struct schedule_level {
    uint64_t relax, unit, tile, small, single;
};

/* What kernels read. */
struct schedule_view {
    mcd_hierarchy hierarchy;
    const mcd_node *slice_first; /* [slice_count + 1] */
    const uint32_t *slot;        /* [up arcs]: where an arc stands in its node's list */
    const slice_unit *unit;
    const slice_tile *tile, *small;
    const single_triangle *single;
    const uint32_t *way; /* of a slice of at least two nodes: way[y * (y - 1) / 2 + z] is the arc yz */
};

struct gpu_schedule {
    mcd_hierarchy hierarchy = {};
    uint32_t slice_count = 0, level_count = 0;
    schedule_level *level = nullptr; /* [level_count + 1], the host's */
    gpu_array<mcd_node> slice_first;
    gpu_array<uint32_t> slot;
    /* By level. */
    gpu_array<uint32_t> relax_arc; /* arcs xy between slices with a slot of at least 1 */
    gpu_array<slice_unit> unit;
    gpu_array<slice_tile> tile, small; /* of large slices; of small ones */
    gpu_array<single_triangle> single;
    gpu_array<uint32_t> way;
    gpu_array<uint32_t> up_of_arc; /* [input arcs]: the upward arc between its ends; UINT32_MAX: a loop */
    schedule_view view() const
    {
        return {hierarchy,  slice_first.get(), slot.get(),   unit.get(),
                tile.get(), small.get(),       single.get(), way.get()};
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
