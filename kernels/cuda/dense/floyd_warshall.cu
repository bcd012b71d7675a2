/* floyd_warshall.cu - all pairs over a dense matrix. CPU twin: kernels/cpu/dense/floyd_warshall.c.
 *
 * Method. Pivots are eliminated in bands of rows. A band is first made final among its own pivots
 * (eliminate()). Then every other row is lowered by one product: its unchanged columns of the band, times the
 * band's final rows. That is enough: the part of a path from a row to the band's first pivot is in the row's
 * own columns, and the rest is in the band's row. Inside a band the same is done in steps of STEP pivots.
 * (Katz and Kider 2008, who lower the band's columns too)
 * While the other rows are lowered by a band, the next band, which was lowered first, is already being
 * eliminated, on its own stream of higher priority.
 * Paths need the pivot that lowered a cell last. Then products take the costs that each pivot of a step had
 * at its turn (enqueue_diagonal), one step at a time, and note the step where they lower a cell. The node
 * within the step is found at the end.
 * Each GPU has bands of rows, and the GPUs exchange the bands' final rows. Rows that do not fit stay in the
 * caller's memory and pass through in chunks: the next chunk is copied in and the last one out while one is
 * lowered. Bands then have more rows, so that a row passes less often.
 * Limit. multiply_tiles(); for rows that pass, the bus. */
#include "kernels/cuda/dense/dense_rows.h"
#include "kernels/cuda/device/table.h"

/* The pivots of a band, or of a step of one, as operands for rows. */
struct pivot_rows {
    size_t first, count;
    operand row;
    uint32_t *found_columns; /* with paths: the `to_columns` of enqueue_diagonal, for each step */
};

/* ---- bands ---- */

/* Lowers rows by pivots. Without paths, no pivot may be among the rows. `column`: room for the rows'
 * columns. */
static void lower_rows(const dense_plan &plan, const pivot_stream &on, const pivot_rows &pivots,
                       const dense_rows &to, const row_range &range, uint32_t *column)
{
    const size_t at_once = plan.at_once(pivots.count);
    const operand columns = {column, range.count};
    for (size_t done = 0; done < pivots.count && range.count > 0; done += at_once) {
        const uint32_t step = (uint32_t)((pivots.first + done) / STEP);
        const operand row = {pivots.row.word + done * plan.words, plan.words};
        enqueue_columns(on, to, range, pivots.first + done, at_once, columns);
        if (plan.paths)
            enqueue_pivot_product(on, {pivots.found_columns + done * STEP, STEP}, columns, STEP,
                                  {columns.word, nullptr, columns.stride}, rows_of(0, STEP), step);
        enqueue_pivot_product(on, columns, row, at_once, to, range, step);
        if (plan.paths) enqueue_late_columns(on, to, range, columns, step);
    }
}

/* Makes the rows of a step's pivots final among these. Without paths in place; with paths, pivots.row gets
 * the costs that each pivot has at its turn. */
static void eliminate_step(const dense_plan &plan, const pivot_stream &on, const dense_rows &step_rows,
                           const pivot_rows &pivots, uint32_t *diagonal)
{
    const size_t words = STEP * plan.words;
    enqueue_diagonal(on, step_rows.word + pivots.first / costs_per_word(plan.narrow), plan.words, diagonal,
                     pivots.found_columns);
    if (plan.paths)
        on.call.check(cudaMemcpyAsync(pivots.row.word, step_rows.word, words * sizeof(uint32_t),
                                      cudaMemcpyDeviceToDevice, on.stream),
                      "copying rows of pivots");
    enqueue_pivot_product(on, {diagonal, STEP}, pivots.row, STEP, {pivots.row.word, nullptr, plan.words},
                          rows_of(0, STEP), 0);
}

/* Makes the rows of a band final among its pivots. With paths, the costs that the pivots had at their turn
 * are stored apart. */
static void eliminate(const dense_plan &plan, dense_part &part, const dense_rows &band,
                      const pivot_rows &pivots)
{
    const pivot_stream on = {part.call, part.ahead, plan.narrow};
    for (size_t at = 0; at < pivots.count; at += STEP) {
        const dense_rows step_rows = rows_from(plan, band, at);
        const pivot_rows step = {pivots.first + at,
                                 STEP,
                                 {pivots.row.word + at * plan.words, plan.words},
                                 plan.paths ? pivots.found_columns + at * STEP : nullptr};
        row_range others = rows_of(0, pivots.count);
        if (!plan.paths) others = {0, (uint32_t)(pivots.count - STEP), (uint32_t)at, STEP};
        eliminate_step(plan, on, step_rows, step, part.arrays.diagonal);
        lower_rows(plan, on, step, band, others, part.arrays.ahead_column);
        if (plan.paths) enqueue_late_rows(on, step_rows, step.row, (uint32_t)(step.first / STEP));
    }
}

/* The band's own rows on its owner. */
static dense_rows band_rows(const dense_plan &plan, const dense_part &owner, size_t band)
{
    if (plan.resident) return rows_from(plan, held_rows(plan, owner), plan.band_first(band) - owner.first);
    if (plan.paths) return {owner.arrays.kept, owner.arrays.kept_mark, plan.words};
    return {owner.arrays.band[band % TURNS], nullptr, plan.words};
}

/* The band's pivots as a part sees them. */
static pivot_rows pivots_of(const dense_plan &plan, const dense_part &part, size_t band)
{
    const size_t first = plan.band_first(band), count = plan.band_first(band + 1) - first;
    const bool in_place = plan.resident && !plan.paths && part.first <= first && first < part.end;
    uint32_t *const word = in_place ? band_rows(plan, part, band).word : part.arrays.band[band % TURNS];
    return {first, count, {word, plan.words}, part.arrays.found[band % TURNS]};
}

/* Copies from the owner's memory to the other parts: to array_of(part), once they no longer need it. */
template <class Array>
static void share(mcd_dense_run &run, dense_part &owner, cudaStream_t stream, const Array &array_of,
                  const uint32_t *from, size_t words)
{
    for (size_t g = 0; g < run.part.count(); ++g) {
        dense_part &peer = run.part[g];
        if (&peer == &owner) continue;
        owner.call.check(cudaMemcpyPeerAsync(array_of(peer), peer.call.gpu->ordinal, from,
                                             owner.call.gpu->ordinal, words * sizeof(uint32_t), stream),
                         "copying rows of pivots to another device");
    }
}

static void share_pivots(mcd_dense_run &run, dense_part &owner, size_t band)
{
    const dense_plan &plan = run.plan;
    const size_t turn = band % TURNS;
    const pivot_rows pivots = pivots_of(plan, owner, band);
    for (size_t g = 0; g < plan.gpu_count; ++g) run.part[g].stepped[turn].wait(owner.call, owner.ahead);
    share(
        run, owner, owner.ahead, [&](const dense_part &part) { return part.arrays.band[turn]; },
        pivots.row.word, pivots.count * plan.words);
    if (!plan.paths) return;
    share(
        run, owner, owner.ahead, [&](const dense_part &part) { return part.arrays.found[turn]; },
        pivots.found_columns, pivots.count * STEP);
}

/* Copies a band's rows in, if they are not there, lowers them by the band before and eliminates them ahead
 * of time. */
static void prepare_band(mcd_dense_run &run, size_t band)
{
    const dense_plan &plan = run.plan;
    const size_t first = plan.band_first(band), end = plan.band_first(band + 1);
    dense_part &owner = run.owner(first);
    const dense_rows rows = band_rows(plan, owner, band);
    const size_t at_once = plan.resident ? plan.band_rows : plan.chunk_rows;
    owner.call.enter();
    for (size_t row = first; row < end; row += at_once) {
        const size_t row_end = mcd_size_min(row + at_once, end);
        const dense_rows part_rows = rows_from(plan, rows, row - first);
        if (!plan.resident) bring(run, owner, part_rows, row, row_end);
        if (band > 0)
            lower_rows(plan, {owner.call, owner.call.stream, plan.narrow}, pivots_of(plan, owner, band - 1),
                       part_rows, rows_of(0, row_end - row), owner.arrays.column);
    }
    owner.lowered.record(owner.call, owner.call.stream);
    owner.lowered.wait(owner.call, owner.ahead);
    eliminate(plan, owner, rows, pivots_of(plan, owner, band));
    share_pivots(run, owner, band);
    owner.eliminated[band % TURNS].record(owner.call, owner.ahead);
}

/* Waits until the band's pivots are final on all parts; rows that pass are sent. */
static void await_band(mcd_dense_run &run, size_t band)
{
    const dense_plan &plan = run.plan;
    const size_t first = plan.band_first(band), end = plan.band_first(band + 1);
    dense_part &owner = run.owner(first);
    run.part.each(
        [&](dense_part &part) { owner.eliminated[band % TURNS].wait(part.call, part.call.stream); });
    owner.call.enter();
    for (size_t row = first; row < end && !plan.resident; row += plan.chunk_rows)
        send(run, owner, rows_from(plan, band_rows(plan, owner, band), row - first), row,
             plan.chunk_end(row, end));
}

static void lower_passing(mcd_dense_run &run, dense_part &part, size_t band, size_t skip_first,
                          size_t skip_end)
{
    const dense_plan &plan = run.plan;
    const dense_rows chunk = held_rows(plan, part);
    for (size_t row = part.first; row < part.end; row += plan.chunk_rows) {
        const size_t end = plan.chunk_end(row, part.end);
        if (row >= skip_first && row < skip_end) continue;
        bring(run, part, chunk, row, end);
        lower_rows(plan, {part.call, part.call.stream, plan.narrow}, pivots_of(plan, part, band), chunk,
                   rows_of(0, end - row), part.arrays.column);
        send(run, part, chunk, row, end);
    }
}

/* Lowers a part's rows by a band, except those of the band itself and of the next one. */
static void lower_part(mcd_dense_run &run, dense_part &part, size_t band)
{
    const dense_plan &plan = run.plan;
    const size_t skip_first = mcd_size_min(mcd_size_max(plan.band_first(band), part.first), part.end);
    const size_t skip_end = mcd_size_min(mcd_size_max(plan.band_first(band + 2), part.first), part.end);
    if (plan.resident) {
        const row_range range = {0, (uint32_t)(part.end - part.first - (skip_end - skip_first)),
                                 (uint32_t)(skip_first - part.first), (uint32_t)(skip_end - skip_first)};
        lower_rows(plan, {part.call, part.call.stream, plan.narrow}, pivots_of(plan, part, band),
                   held_rows(plan, part), range, part.arrays.column);
    } else {
        lower_passing(run, part, band, skip_first, skip_end);
    }
    part.stepped[band % TURNS].record(part.call, part.call.stream);
}

static void lower_all(mcd_dense_run &run)
{
    const dense_plan &plan = run.plan;
    prepare_band(run, 0);
    for (size_t band = 0; band < plan.band_count(); ++band) {
        await_band(run, band);
        if (band + 1 < plan.band_count()) prepare_band(run, band + 1);
        run.part.each([&](dense_part &part) { lower_part(run, part, band); });
        if (band > 0) /* at most a band ahead of the GPUs, so that progress is true and the caller may stop */
            run.part.each([&](dense_part &part) { part.stepped[(band - 1) % TURNS].wait_here(part.call); });
        must(mcd_progress_step, &plan.job->progress, "all pairs", band, plan.band_count());
        run.has_marks = plan.keeps_band();
    }
}

/* ---- nodes of paths ---- */

/* Copies the costs and marks of a band's rows to all parts: into the rows of pivots of the first and
 * second turn. */
static void show_band(mcd_dense_run &run, size_t band)
{
    const dense_plan &plan = run.plan;
    const size_t first = plan.band_first(band), end = plan.band_first(band + 1);
    dense_part &owner = run.owner(first);
    const dense_rows shown = {owner.arrays.band[0], owner.arrays.band[1], plan.words};
    const dense_rows rows = plan.resident ? band_rows(plan, owner, band) : shown;
    owner.call.enter();
    for (size_t row = first; row < end && !plan.resident; row += plan.chunk_rows)
        bring(run, owner, rows_from(plan, shown, row - first), row, plan.chunk_end(row, end));
    for (size_t g = 0; g < plan.gpu_count; ++g) /* a part's step reads both arrays of the band before */
        for (const gpu_event &stepped : run.part[g].stepped) stepped.wait(owner.call, owner.call.stream);
    for (size_t mark = 0; mark < 2; ++mark)
        share(
            run, owner, owner.call.stream, [&](const dense_part &part) { return part.arrays.band[mark]; },
            mark ? rows.mark : rows.word, (end - first) * plan.words);
    owner.eliminated[band % TURNS].record(owner.call, owner.call.stream);
}

/* Finds the nodes of a part's cells that the band's pivots lowered last. */
static void find_part(mcd_dense_run &run, dense_part &part, size_t band)
{
    const dense_plan &plan = run.plan;
    const size_t first = plan.band_first(band), steps = (plan.band_first(band + 1) - first) / STEP;
    const dense_rows held = held_rows(plan, part);
    const bool in_place = plan.resident && part.first <= first && first < part.end;
    const dense_rows pivots = in_place ? band_rows(plan, part, band)
                                       : dense_rows{part.arrays.band[0], part.arrays.band[1], plan.words};
    const size_t at_once = plan.resident ? part.end - part.first : plan.chunk_rows;
    run.owner(first).eliminated[band % TURNS].wait(part.call, part.call.stream);
    for (size_t row = part.first; row < part.end; row += at_once) {
        const size_t end = mcd_size_min(row + at_once, part.end);
        if (!plan.resident) bring(run, part, held, row, end);
        enqueue_nodes({part.call, part.call.stream, false}, pivots, (uint32_t)(first / STEP), (uint32_t)steps,
                      held, end - row);
        if (!plan.resident) send(run, part, held, row, end);
    }
    part.stepped[band % TURNS].record(part.call, part.call.stream);
}

static void find_all(mcd_dense_run &run)
{
    const dense_plan &plan = run.plan;
    if (plan.resident && plan.gpu_count == 1) {
        const dense_part &part = run.part[0];
        const dense_rows all = held_rows(plan, part);
        return enqueue_nodes({run.part[0].call, part.call.stream, false}, all, 0,
                             (uint32_t)(plan.row_count / STEP), all, plan.row_count);
    }
    for (size_t band = 0; band < plan.band_count(); ++band) {
        show_band(run, band);
        run.part.each([&](dense_part &part) { find_part(run, part, band); });
    }
}

/* ---- all ---- */

void mcd_cuda_floyd_warshall(const mcd_dense_job *job)
{
    mcd_dense_run run;
    if (job->node_count == 0) return;
    make_plan(&run.plan, job);
    make_parts(run);
    move_rows(run, true);
    lower_all(run);
    if (run.plan.paths) find_all(run);
    move_rows(run, false);
    run.part.each([](dense_part &part) {
        part.call.synchronize();
        part.out.synchronize();
    });
}
