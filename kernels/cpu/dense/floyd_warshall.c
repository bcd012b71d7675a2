/* floyd_warshall.c - blocked Floyd-Warshall. (Venkataraman, Sahni, Mukhopadhyaya 2003; Katz and Kider 2008)
 *
 * Method. Pivots come in pages of blocks. A block of pivots is first closed among itself, then its rows and
 * columns are closed. The costs in each pivot's column and row at its turn are kept packed. The remainder of
 * the matrix is then lowered by the product of the two packed panels (min_plus.h). Cells in the page's own
 * rows and columns are lowered immediately, because later blocks of the page read them. All other cells are
 * lowered by the whole page together, so that a tile is fetched once for hundreds of pivots: matrices larger
 * than memory stream from their file.
 * Layout. Groups are LANES rows or columns. Packed: [group][pivot of the page][lane of the group]; lanes
 * after the end of the matrix are unreached.
 * Why it is right. The packed costs are those that the plain triple loop would read, and a minimum has no
 * order. So the last pivot that lowers a cell is known too: it is the least pivot of the last product to
 * lower the cell that attains its cost.
 * Narrow matrices keep their 16-bit cells in the first half of each row during the job.
 * Races. None: a tile belongs to one task of a phase, and no phase writes the packed panels that it reads. */
#include "kernels/cpu/device/phases.h"

#include "engine/base/memory.h"
#include "kernels/cpu/dense/min_plus.h"

/* Measured by tests/bench/dense for n = 1,000 to 8,000. */
enum {
    BLOCK = 64,         /* pivots closed together */
    PAGE = 512,         /* pivots */
    BAND = 64 / LANES,  /* groups of rows that share a group of columns in the cache */
    ROWS_PER_TASK = 64, /* of a pass over the matrix */
    STEP = 16,          /* pivots between two checks of which cells they lowered */
};
static_assert(BLOCK % LANES == 0 && PAGE % BLOCK == 0, "blocks are whole groups, pages whole blocks");

#define TAG_NONE ((cost) ~(cost)0) /* no pivot of a page has this index */

typedef cost cell __attribute__((may_alias)); /* narrow cells lie in memory whose declared type is wide */

/* Pivots first <= k < end. */
typedef struct span {
    size_t first, end;
} span;

typedef struct dense_run {
    const mcd_dense_job *job;
    cell *matrix; /* [x * stride + y] */
    size_t stride, node_count, group_count;
    size_t page_size;
    span page, block;  /* the current ones */
    cost *into, *from; /* packed: from node x into pivot k; from pivot k to node y */
} dense_run;

static size_t groups_of(size_t count)
{
    return (count + LANES - 1) / LANES;
}

static size_t group_width(const dense_run *run, size_t group)
{
    return mcd_size_min(LANES, run->node_count - group * LANES);
}

static bool has_group(span pivots, size_t group)
{
    return pivots.first <= group * LANES && group * LANES < pivots.end;
}

/* The group's packed costs of pivot k and of the pivots after it. */
static cost *packed_at(const dense_run *run, cost *packed, size_t group, size_t k)
{
    return packed + (group * run->page_size + (k - run->page.first)) * LANES;
}

/* ---- rows of cells ---- */

/* Reads `width` cells, from any address; the lanes after them are unreached. */
static inline row row_read(const cell *at, size_t width)
{
    row out;
    if (width == LANES) {
        memcpy(&out, at, sizeof out);
    } else {
        out = row_all(COST_UNREACHED);
        memcpy(&out, at, width * sizeof *at);
    }
    return out;
}

static inline void row_write(cell *at, const row *value, size_t width)
{
    if (width == LANES)
        memcpy(at, value, sizeof *value);
    else
        memcpy(at, value, width * sizeof *at);
}

/* All ones in the lanes where a < b. */
static inline row row_less(row a, row b)
{
    EACH_VEC(i) a.vec[i] = (vec)(a.vec[i] < b.vec[i]);
    return a;
}

/* Puts `tag` in the lanes of `where`. */
static inline row row_tagged(row old, row where, cost tag)
{
    EACH_VEC(i) old.vec[i] = (where.vec[i] & vec_all(tag)) | (old.vec[i] & ~where.vec[i]);
    return old;
}

/* ---- tiles of the remainder ---- */

/* Multiplies, and tags each cell that it lowers with the first pivot of the last step that lowered it.
 * Other cells get TAG_NONE. */
static void relax_noting(row now[LANES], row tag[LANES], const cost *into, const cost *from, size_t depth)
{
    row before[LANES];
    for (size_t l = 0; l < LANES; ++l) tag[l] = row_all(TAG_NONE);
    for (size_t d = 0; d < depth; d += STEP) {
        memcpy(before, now, sizeof before);
        min_plus(now, into + d * LANES, from + d * LANES, mcd_size_min(STEP, depth - d));
        for (size_t l = 0; l < LANES; ++l) tag[l] = row_tagged(tag[l], row_less(now[l], before[l]), (cost)d);
    }
}

/* For each lowered cell of a row, notes the least pivot of the tagged step that attains the cell's cost. */
static void note_row(mcd_node *via, const row *now, const row *tag, const cost *into, const cost *from,
                     size_t width, size_t first)
{
    cost step[LANES] __attribute__((aligned(64))), value[LANES] __attribute__((aligned(64)));
    row_store(step, *tag);
    row_store(value, *now);
    for (size_t lane = 0; lane < width; ++lane) {
        if (step[lane] == TAG_NONE) continue;
        size_t d = step[lane];
        while ((cost)(into[d * LANES] + from[d * LANES + lane]) != value[lane]) ++d;
        via[lane] = (mcd_node)(first + d);
    }
}

/* Lowers a tile by paths over the pivots, whose panels are packed. */
static void relax_tile(const dense_run *run, size_t x_group, size_t y_group, span pivots)
{
    const size_t height = group_width(run, x_group), width = group_width(run, y_group);
    const size_t depth = pivots.end - pivots.first;
    const cost *const into = packed_at(run, run->into, x_group, pivots.first);
    const cost *const from = packed_at(run, run->from, y_group, pivots.first);
    cell *const at = run->matrix + x_group * LANES * run->stride + y_group * LANES;
    row now[LANES], tag[LANES];
    for (size_t l = 0; l < LANES; ++l)
        now[l] = l < height ? row_read(at + l * run->stride, width) : row_all(COST_UNREACHED);
    if (run->job->via)
        relax_noting(now, tag, into, from, depth);
    else
        min_plus(now, into, from, depth);
    for (size_t l = 0; l < height; ++l) row_write(at + l * run->stride, &now[l], width);
    if (!run->job->via) return;
    mcd_node *via = run->job->via + x_group * LANES * run->job->stride + y_group * LANES;
    for (size_t l = 0; l < height; ++l, via += run->job->stride)
        note_row(via, &now[l], &tag[l], into + l, from, width, pivots.first);
}

/* ---- a block of pivots ---- */

/* Packs the costs that pivot k has within its own block. */
static void pack_within(const dense_run *run, size_t k)
{
    for (size_t x = run->block.first; x < run->block.end; ++x) {
        packed_at(run, run->into, x / LANES, k)[x % LANES] = run->matrix[x * run->stride + k];
        packed_at(run, run->from, x / LANES, k)[x % LANES] = run->matrix[k * run->stride + x];
    }
}

/* Closes the block's own cells: the plain triple loop. */
static void close_block(const dense_run *run)
{
    for (size_t k = run->block.first; k < run->block.end; ++k) {
        const cell *const from = run->matrix + k * run->stride;
        pack_within(run, k);
        for (size_t x = run->block.first; x < run->block.end; ++x) {
            cell *const to = run->matrix + x * run->stride;
            const uint32_t into = to[k];
            for (size_t y = run->block.first; y < run->block.end; ++y) {
                const uint32_t sum = into + from[y];
                if (sum >= to[y]) continue;
                to[y] = (cost)sum;
                if (run->job->via) run->job->via[x * run->job->stride + y] = (mcd_node)k;
            }
        }
    }
}

/* Notes the pivots first + tag of `width` cells. The cells begin at `via` and are `apart` from each other. */
static inline void write_tags(mcd_node *via, size_t apart, const row *tag, size_t width, size_t first)
{
    cost lane[LANES] __attribute__((aligned(64)));
    row_store(lane, *tag);
    for (size_t l = 0; l < width; ++l)
        if (lane[l] != TAG_NONE) via[l * apart] = (mcd_node)(first + lane[l]);
}

/* The lines that a block's pivots cross: one for each of its nodes, LANES cells long. */
typedef struct panel_tile {
    row line[BLOCK], tag[BLOCK];
} panel_tile;

/* Relaxes lines by one pivot. */
static inline void relax_lines(row *line, row *tag, size_t count, row pivot, const cost *step, cost k)
{
    for (size_t l = 0; l < count; ++l) {
        const row lowered = row_relax(line[l], pivot, step[l]);
        if (tag) tag[l] = row_tagged(tag[l], row_less(lowered, line[l]), k);
        line[l] = lowered;
    }
}

/* Lowers the lines by the block's pivots one by one, and packs each pivot's line at its turn into `found`.
 * `steps`: packed costs from each line's node into the pivot, or back. */
static void close_panel(panel_tile *tile, const dense_run *run, cost *steps, cost *found)
{
    const size_t depth = run->block.end - run->block.first;
    for (size_t l = 0; l < depth; ++l) tile->tag[l] = row_all(TAG_NONE);
    for (size_t k = 0; k < depth; ++k) {
        const row pivot = tile->line[k];
        row_store(found + k * LANES, pivot);
        for (size_t l = 0; l < depth; l += LANES) {
            const cost *const step =
                packed_at(run, steps, (run->block.first + l) / LANES, run->block.first + k);
            relax_lines(tile->line + l, run->job->via ? tile->tag + l : NULL, mcd_size_min(LANES, depth - l),
                        pivot, step, (cost)k);
        }
    }
}

/* Closes the cells from the block's nodes to a group of columns. */
static void close_rows(const dense_run *run, size_t group)
{
    panel_tile tile;
    const size_t first = run->block.first, depth = run->block.end - first, width = group_width(run, group);
    cell *const at = run->matrix + first * run->stride + group * LANES;
    for (size_t l = 0; l < depth; ++l) tile.line[l] = row_read(at + l * run->stride, width);
    close_panel(&tile, run, run->into, packed_at(run, run->from, group, first));
    for (size_t l = 0; l < depth; ++l) row_write(at + l * run->stride, &tile.line[l], width);
    if (!run->job->via) return;
    mcd_node *const via = run->job->via + first * run->job->stride + group * LANES;
    for (size_t l = 0; l < depth; ++l) write_tags(via + l * run->job->stride, 1, &tile.tag[l], width, first);
}

/* Closes the cells from a group of rows to the block's nodes: the same, transposed. */
static void close_columns(const dense_run *run, size_t group)
{
    panel_tile tile;
    const size_t first = run->block.first, depth = run->block.end - first, height = group_width(run, group);
    cell *const at = run->matrix + group * LANES * run->stride + first;
    for (size_t l = 0; l < depth; ++l) tile.line[l] = row_all(COST_UNREACHED);
    for (size_t x = 0; x < height; ++x)
        for (size_t l = 0; l < depth; ++l) ((cell *)&tile.line[l])[x] = at[x * run->stride + l];
    close_panel(&tile, run, run->from, packed_at(run, run->into, group, first));
    for (size_t x = 0; x < height; ++x)
        for (size_t l = 0; l < depth; ++l) at[x * run->stride + l] = ((const cell *)&tile.line[l])[x];
    if (!run->job->via) return;
    mcd_node *const via = run->job->via + group * LANES * run->job->stride + first;
    for (size_t l = 0; l < depth; ++l) write_tags(via + l, run->job->stride, &tile.tag[l], height, first);
}

static void close_group(void *argument, size_t index, MCD_UNUSED unsigned worker)
{
    const dense_run *run = argument;
    const size_t group = index / 2;
    if (has_group(run->block, group)) return;
    if (index % 2)
        close_rows(run, group);
    else
        close_columns(run, group);
}

/* ---- the remainder ---- */

/* Lowers the page's other rows and columns by the block, where they meet `group`. */
static void relax_cross(void *argument, size_t group, MCD_UNUSED unsigned worker)
{
    const dense_run *run = argument;
    if (has_group(run->block, group)) return;
    for (size_t own = run->page.first / LANES; own < groups_of(run->page.end); ++own) {
        if (has_group(run->block, own)) continue;
        relax_tile(run, own, group, run->block);
        if (!has_group(run->page, group)) relax_tile(run, group, own, run->block);
    }
}

/* Lowers a band of the other cells by the page. */
static void relax_band(void *argument, size_t band, MCD_UNUSED unsigned worker)
{
    const dense_run *run = argument;
    const size_t end = mcd_size_min((band + 1) * BAND, run->group_count);
    for (size_t y_group = 0; y_group < run->group_count; ++y_group) {
        if (has_group(run->page, y_group)) continue;
        for (size_t x_group = band * BAND; x_group < end; ++x_group)
            if (!has_group(run->page, x_group)) relax_tile(run, x_group, y_group, run->page);
    }
}

static void run_block(dense_run *run, size_t first)
{
    const mcd_parallel *parallel = &run->job->parallel;
    run->block = (span){first, mcd_size_min(first + BLOCK, run->page.end)};
    close_block(run);
    mcd_parallel_for(parallel, 2 * run->group_count, close_group, run);
    mcd_parallel_for(parallel, run->group_count, relax_cross, run);
}

static macadam_status run_pages(dense_run *run, macadam_error *error)
{
    const size_t band_count = (run->group_count + BAND - 1) / BAND;
    for (size_t first = 0; first < run->node_count; first = run->page.end) {
        run->page = (span){first, mcd_size_min(first + run->page_size, run->node_count)};
        for (size_t k = first; k < run->page.end; k += BLOCK) {
            MCD_TRY(mcd_progress_step(&run->job->progress, "finding all pairs", k, run->node_count, error));
            run_block(run, k);
        }
        if (run->page.end - first < run->node_count)
            mcd_parallel_for(&run->job->parallel, band_count, relax_band, run);
    }
    return MACADAM_OK;
}

/* ---- the job ---- */

static void begin_rows(void *argument, size_t first, size_t end)
{
    const dense_run *run = argument;
    const mcd_dense_job *job = run->job;
    for (size_t x = first; x < end; ++x) {
#if MCD_LANE_BITS == 16
        for (size_t y = 0; y < job->node_count; ++y) {
            const uint32_t wide = job->cost[x * job->stride + y];
            run->matrix[x * run->stride + y] = (cost)(wide < COST_UNREACHED ? wide : COST_UNREACHED);
        }
#endif
        if (job->via) memset(job->via + x * job->stride, 0xff, job->node_count * sizeof *job->via);
    }
}

static void end_rows(void *argument, size_t first, size_t end)
{
    const dense_run *run = argument;
    const mcd_dense_job *job = run->job;
    for (size_t x = first; x < end; ++x)
        for (size_t y = job->node_count; y-- > 0;) { /* descending: a narrow cell lies before its wide one */
            const uint32_t distance = run->matrix[x * run->stride + y];
            job->cost[x * job->stride + y] = distance < COST_UNREACHED ? distance : MCD_COST_UNREACHED;
        }
}

/* Allocates the panels, for pages that the limit allows. */
static macadam_status new_panels(dense_run *run, macadam_error *error)
{
    const uint64_t limit = run->job->memory_limit;
    const uint64_t pivot_bytes = (uint64_t)run->group_count * LANES * sizeof(cost) * 2;
    run->page_size = PAGE;
    while (limit && run->page_size > BLOCK && pivot_bytes * run->page_size > limit) run->page_size /= 2;
    if (limit && pivot_bytes * run->page_size > limit)
        return mcd_fail(error, MACADAM_E_LIMIT, "all pairs need %llu bytes of memory, the limit is %llu",
                        (unsigned long long)(pivot_bytes * BLOCK), (unsigned long long)limit);
    const size_t count = run->group_count * run->page_size * LANES;
    MCD_TRY(MCD_NEW(run->into, count, error));
    MCD_TRY(MCD_NEW(run->from, count, error));
    for (size_t i = 0; i < count; ++i) run->into[i] = run->from[i] = COST_UNREACHED;
    return MACADAM_OK;
}

macadam_status MCD_KERNEL(floyd_warshall)(const mcd_dense_job *job, macadam_error *error)
{
    dense_run run = {.job = job,
                     .matrix = (cell *)job->cost,
                     .stride = job->stride * (sizeof *job->cost / sizeof(cost)),
                     .node_count = job->node_count,
                     .group_count = groups_of(job->node_count)};
    macadam_status status = new_panels(&run, error);
    if (!status) {
        mcd_parallel_for_ranges(&job->parallel, job->node_count, ROWS_PER_TASK, begin_rows, &run);
        status = run_pages(&run, error);
    }
    if (!status) mcd_parallel_for_ranges(&job->parallel, job->node_count, ROWS_PER_TASK, end_rows, &run);
    mcd_free(run.into);
    mcd_free(run.from);
    return status;
}
