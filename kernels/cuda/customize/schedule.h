/* schedule.h - the work of customization on a GPU, which only the map determines: slices, their levels, and
 * lists of work by level.
 *
 * A slice is a part of a supernode: consecutive nodes `first` .. `first + width - 1`, each the parent of the
 * next. Their upward arcs are first those to the columns, which are the upward neighbours that all of the
 * nodes share, and then those to the slice's own nodes before them. A slice's level is one above the highest
 * slice below it, so slices of one level are independent. There are several times fewer levels than nodes on
 * the longest root path. Lists are by the level of the bottoms. Within a level their order varies: only
 * minima are taken over them.
 * The arc yz of every two columns y, z of a slice is stored once for all of the slice's nodes. So
 * customization needs no search for it, which matters because its levels are so small that only latency
 * counts. (NE: 28 million triangles, 5 of them with a bottom that is a slice by itself, and 4 million arcs
 * yz of the others.) */
#ifndef MCD_KERNELS_CUDA_CUSTOMIZE_SCHEDULE_H
#define MCD_KERNELS_CUDA_CUSTOMIZE_SCHEDULE_H

#include "kernels/cuda/device/image.h"

enum {
    /* The most nodes of a slice; a thread holds their costs at one column in registers. NE has 87 levels of
     * slices of 8 nodes and 78 of 16. The shorter levels pay: docs/benchmarks/gpu.md, "Customization". */
    SLICE_WIDTH = 8,
    TILE_MIDS = 8,
    /* The most nodes of slices that share a warp in customization. */
    SMALL_WIDTH = 4,
    SMALL_COLUMNS = 8,
};
static_assert(WARP % TILE_MIDS == 0, "a tile's mids are among WARP columns that another tile has as tops");

/* The places of a slice's costs. */
struct slice_view {
    uint32_t width, columns; /* nodes; upward neighbours outside the slice, which the nodes share */
    uint32_t base;           /* the first arc of its first node */
    /* The first arc of the i-th node: `columns` arcs to the columns, then i to the nodes before it. */
    __device__ uint32_t row(uint32_t i) const
    {
        return base + i * columns + i * (i - 1) / 2;
    }
};

/* One warp's work within a slice of at least two nodes: WARP of its columns from `chunk` * WARP on. */
struct slice_unit {
    uint32_t slice, chunk;
};

/* One warp's triangles of a slice of at least two nodes. Their mids y are TILE_MIDS of its columns from
 * `mid` * TILE_MIDS on. Their tops z are the columns before y among WARP of them from `top` * WARP on. */
struct alignas(16) slice_tile {
    slice_view slice;
    uint16_t mid, top;
    uint64_t first_way; /* the slice's part of schedule_view.way */
};

/* A triangle whose bottom is a slice by itself. */
struct single_triangle {
    uint32_t xy, xz, yz;
};

/* Where a level begins in the lists. */
struct schedule_level {
    uint64_t unit, tile, small, single;
};

/* The arrays that kernels read. */
struct schedule_view {
    mcd_hierarchy hierarchy;
    const mcd_node *slice_first; /* [slice_count + 1] */
    const uint32_t *slot;        /* [up arcs]: an arc's position in its node's list */
    const slice_unit *unit;
    const slice_tile *tile, *small;
    const single_triangle *single;
    const uint32_t *way; /* for a slice of at least two nodes: way[y * (y - 1) / 2 + z] is the arc yz */
};

struct gpu_schedule {
    mcd_hierarchy hierarchy = {};
    uint32_t slice_count = 0, level_count = 0;
    host_array<schedule_level> level; /* [level_count + 1] */
    gpu_array<mcd_node> slice_first;
    gpu_array<uint32_t> slot;
    /* Listed by level. */
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
};

/* The map's schedule, made by the first call that needs it. The map must have its graph. Fails with
 * MACADAM_E_FILE if an input arc has no upward arc, MACADAM_E_INVALID if there are 2^32 - 1 upward arcs or
 * more. */
const gpu_schedule &gpu_schedule_of(gpu_call &call, gpu_map *map);

#endif
