/* matrix.cu - many-to-many costs. CPU twin: kernels/cpu/pairwise/matrix.c, which says why it is right.
 *
 * Method. Targets become panels once (panel.h); of several GPUs each makes a part, and they exchange these.
 * If the panels are too many for the GPU's memory, each call makes them again in bands of columns. Targets
 * also take the scratch of the rows, which then never wait. A call's
 * sources are divided among the GPUs, a GPU's sources into batches whose panels fit its memory, and a batch
 * into chunks of rows. Each chunk is sorted by itself, so its rows are neighbours in the caller's memory. A
 * chunk is a product (product.h), in sorted order, and a reordering into the caller's rows and columns. If both sides
 * come in the order of their nodes, the product writes the answers itself. Rows that stay are written in the
 * GPU's own memory, and few rows for pinned memory to that. The others are written to scratch and copied to
 * the host while the next chunk is computed.
 * Places of several lanes. Panels are of lanes. The reordering takes the best of a target's lanes. It writes a row for each
 * lane of a source, and the best of these become the source's row. A chunk has all lanes of its places: the last ones of its
 * panels have no node if no further place fits. Then ways compete, and only then companions are settled.
 * Limit. The copy to the host: 4 bytes per cell and quantity through PCIe. */
#include "kernels/cuda/device/device.h"
#include "kernels/cuda/pairwise/product.h"
#include "kernels/cuda/pairwise/place_seeds.h"
#include "kernels/cuda/sweep/top_labels.h"
#include "kernels/cuda/device/table.h"

#include <algorithm>
#include <optional>

enum {
    REORDER_BLOCK = 256,
    REORDER_LOADS = 4,       /* per thread, in flight */
    ROWS_PER_GPU = 256,      /* fewer are not worth another GPU */
    CELLS_ALONE = 8 << 20,   /* fewer are answered by one GPU, in turn: 0.6 ms of a bus */
    CHUNK_ROWS = 1024,       /* best: a panel of widely spread sources overlaps with most of the targets' */
    CHUNK_BYTES = 32 << 20,  /* bytes of answers: the copy then takes much longer than its start */
    STAYING_CELLS = 1 << 30, /* of a chunk that stays: panels of more sources overlap with fewer others */
    BATCH_ROWS = 1 << 16,    /* best: a batch's fixed work is then small beside the rest */
    MAPPED_BYTES = 8 << 20,  /* of answers that kernels write to pinned memory, without a copy */
};

static size_t round_up(size_t count)
{
    return blocks_of<size_t>(count, PANEL) * PANEL;
}

/* Rounds down to whole panels, but to at least one. */
static size_t round_down(size_t count)
{
    return mcd_size_max(count / PANEL * PANEL, PANEL);
}

/* ---- targets ---- */

struct mcd_matrix_targets {
    mcd_matrix_job job;
    virtual ~mcd_matrix_targets() = default;
    virtual void rows(const mcd_rows_job *job) const = 0;
};

/* The bytes on a GPU of a cell and of its answers, which are there twice, and once by lanes. */
template <class Cost> static constexpr uint64_t cell_bytes()
{
    return sizeof(Cost) + 2 * sizeof(Cost) + sizeof(Cost);
}

/* The end of the places from `place` on, of `count`, that have at most `lanes` lanes. */
static size_t end_of_places(const size_t *first, size_t place, size_t count, size_t lanes)
{
    if (!first) return mcd_size_min(place + lanes, count);
    return (size_t)(std::upper_bound(first + place, first + count + 1, first[place] + lanes) - first) - 1;
}

/* In whole panels: fewer lanes cannot be computed together. */
static size_t lanes_least(const size_t *first, size_t count)
{
    return round_up(most_lanes(first, count));
}

/* The rows of a chunk, were there memory enough: one that is copied to the host, and one that stays. */
static size_t rows_wanted(size_t columns)
{
    return round_up(mcd_size_max(CHUNK_ROWS, CHUNK_BYTES / (round_up(columns) * sizeof(uint32_t))));
}

static size_t staying_rows_wanted(size_t columns)
{
    return mcd_size_min(round_up(mcd_size_max(CHUNK_ROWS, STAYING_CELLS / round_up(columns))), BATCH_ROWS);
}

template <class Cost> struct targets_of final : mcd_matrix_targets {
    panel_order order;                       /* of all lanes, if one band has all columns */
    size_t lane_count = 0, band_columns = 0; /* lanes */
    bool ascend = false;                     /* each target has one lane, and their nodes ascend */
    size_t first_gpu = 0, gpu_count = 0;
    gpu_share share[GPUS_MAX]; /* by GPU: for all calls */
    /* By GPU, if one band has all columns; otherwise empty. Their making may not have ended: rows wait for it
     * only once their own panels are being made. */
    std::optional<gpu_call> making[GPUS_MAX];
    panels<Cost> kept[GPUS_MAX];

    ~targets_of() override
    {
        for (auto &call : making) call.reset(); /* waits: the panels are freed in no order */
    }

    void rows(const mcd_rows_job *job) const override;
    gpu_weights &on(size_t g) const
    {
        return weights_on(*job.weights->device, g);
    }
    panel_places places() const
    {
        return {job.target,
                job.target_node,
                job.parts,
                job.weights,
                {job.target_road, job.target_count, job.first, job.snap}};
    }
    mcd_node node_count() const
    {
        return job.weights->hierarchy->node_count;
    }
    bool one_band() const
    {
        return band_columns >= lane_count;
    }

    /* Chooses the columns of a band that fit the GPU; at least a panel of either side. */
    void take_share(size_t g)
    {
        const uint64_t place = panels<Cost>::place_bytes(on(g)) + sizeof(size_t), cell = cell_bytes<Cost>();
        const uint64_t columns = round_up(lane_count);
        gpu_call call(on(g).map->gpu);
        if (job.parts.part || job.snap)
            (void)arc_costs_of(call, on(g), *job.weights); /* rows read them, too */
        const uint64_t parts = 2 * job.parts.count * sizeof(mcd_seed_part);
        const uint64_t cells =
            mcd_size_max(rows_wanted(columns) * cell, staying_rows_wanted(columns) * sizeof(Cost));
        share[g].take(call, parts + 2 * PANEL * place + PANEL * PANEL * cell,
                      parts + (columns + BATCH_ROWS) * place + 2 * columns * cells, "a matrix");
        const uint64_t most = share[g].bytes() / 2 / (place + PANEL * cell);
        band_columns = mcd_size_min(band_columns, round_down(most));
    }

    /* Of the targets up to `end`. */
    void make_band(gpu_call &call, const mcd_parallel &parallel, size_t g, size_t from, size_t end,
                   panel_order *by, panels<Cost> *out) const
    {
        const size_t at = lane_of(job.first, from), count = lane_of(job.first, end) - at;
        panel_places own = places().from(at);
        if (job.target_road)
            own.roads = {job.target_road + from, end - from, job.first ? job.first + from : nullptr,
                         job.snap};
        by->make(parallel, node_count(), own, count, count);
        out->make(call, on(g), MCD_BACKWARD, own, count, count, *by);
    }

    /* Makes a part of the panels. */
    void keep_band(size_t g, size_t part, size_t part_count)
    {
        gpu_call &call = making[g].emplace(on(g).map->gpu);
        call.is_scratch = true;
        kept[g].make(call, on(g), MCD_BACKWARD, places(), lane_count, lane_count, order, part, part_count);
        kept[g].keep();
    }

    /* Returns whether each GPU reaches the memory of all others. */
    bool all_reach() const
    {
        mcd_device *const device = job.weights->device->map->device;
        peers_meet(device);
        for (size_t g = 0; g < gpu_count; ++g)
            for (size_t peer = 0; peer < gpu_count; ++peer)
                if (g != peer && !device->reaches[g][peer]) return false;
        return true;
    }

    /* Several GPUs that reach each other make a part each, and exchange the parts. */
    void keep_bands()
    {
        const bool are_parts = gpu_count > 1 && all_reach();
        order.make(job.parallel, node_count(), places(), lane_count, lane_count);
        on_each_gpu(gpu_count, [&](size_t g) {
            are_parts ? keep_band(g, g, gpu_count) : keep_band(first_gpu + g, 0, 1);
        });
        if (are_parts) exchange();
    }

    /* All wait for all parts before the first copy: else a GPU's copies would wait for those of another one. */
    void exchange()
    {
        for (size_t g = 0; g < gpu_count; ++g)
            for (size_t part = 0; part < gpu_count; ++part)
                if (part != g) making[g]->follow(*making[part]);
        for (size_t g = 0; g < gpu_count; ++g)
            for (size_t part = 0; part < gpu_count; ++part)
                if (part != g)
                    kept[g].fetch(*making[g], kept[part], making[part]->gpu->ordinal, part, gpu_count);
    }

    /* Many callers have small matrices: each takes one GPU, without a thread or targets on the others. */
    void choose_gpus()
    {
        static std::atomic<size_t> turn{0};
        const bool alone = job.source_count > 0 && job.source_count * lane_count <= CELLS_ALONE;
        gpu_count = job.weights->device->map->device->gpu_count;
        if (!alone) return;
        first_gpu = turn++ % gpu_count;
        gpu_count = 1;
    }

    void prepare()
    {
        lane_count = lane_of(job.first, job.target_count);
        band_columns = round_up(lane_count);
        ascend = !job.first && !job.target_road && places_ascend(places(), lane_count);
        choose_gpus();
        for (size_t g = 0; g < gpu_count; ++g)
            count_labels(on(first_gpu + g), *job.weights->hierarchy, sizeof(Cost) == 8,
                         lane_count + job.source_count);
        for (size_t g = 0; g < gpu_count; ++g) /* in this order, which prevents circular waits */
            take_share(first_gpu + g);
        if (one_band())
            keep_bands();
        else /* later calls make their bands */
            band_columns = mcd_size_max(band_columns, lanes_least(job.first, job.target_count));
    }
};

template <class Cost> static mcd_matrix_targets *targets_new(const mcd_matrix_job *job)
{
    return object_new<targets_of<Cost>>("targets", [&](targets_of<Cost> *targets) {
        targets->job = *job;
        targets->prepare();
    });
}

mcd_matrix_targets *mcd_cuda_matrix_targets_new(const mcd_matrix_job *job)
{
    return job->joint ? targets_new<uint64_t>(job) : targets_new<uint32_t>(job);
}

void mcd_cuda_matrix_targets_free(mcd_matrix_targets *targets)
{
    object_free(targets);
}

/* ---- rows ---- */

/* The columns of a block that reorders. */
template <class Cost> struct reorder_shape {
    static constexpr unsigned STRIP = 16 / sizeof(Cost);        /* costs per load */
    static constexpr unsigned STRIPS = CELL_SOURCES / STRIP;    /* per column */
    static constexpr unsigned AT_ONCE = REORDER_BLOCK / STRIPS; /* columns that are loaded together */
    static constexpr unsigned COLUMNS = AT_ONCE * REORDER_LOADS;
    static constexpr unsigned LINE = COLUMNS + 8 / sizeof(Cost); /* so that stores meet no bank twice */
};

/* In   cells as product.h lays them out.
 * Grid one block per group of sources and COLUMNS of the caller's columns. A column's cells are read together,
 * wherever they lie, and turned in shared memory into pieces of rows.
 * Races none. Limit  memory: each cell is read once and each answer written once. */
template <class Cost>
static __global__ void __launch_bounds__(REORDER_BLOCK)
    reorder_cells(const Cost *__restrict__ cell, size_t stride, const uint32_t *__restrict__ row_order,
                  size_t first_row, size_t rows, const uint32_t *__restrict__ column_slot,
                  const size_t *__restrict__ column_first, size_t columns, uint32_t segments,
                  row_answers answers)
{
    using shape = reorder_shape<Cost>;
    __shared__ Cost turned[CELL_SOURCES][shape::LINE];
    const size_t group = blockIdx.x / segments, first = (size_t)(blockIdx.x % segments) * shape::COLUMNS;
    const unsigned strip = threadIdx.x % shape::STRIPS, at = threadIdx.x / shape::STRIPS;
    const Cost *const from = cell + group * stride * CELL_SOURCES + strip * shape::STRIP;
    struct alignas(16) costs {
        Cost at[shape::STRIP];
    } loaded[REORDER_LOADS];
#pragma unroll
    for (unsigned k = 0; k < REORDER_LOADS; ++k) {
        const size_t column = min(first + k * shape::AT_ONCE + at, columns - 1);
        const size_t lane = column_first ? column_first[column] - column_first[0] : column;
        loaded[k] = *(const costs *)(from + (size_t)column_slot[lane] * CELL_SOURCES);
    }
    for (unsigned k = 0; column_first && k < REORDER_LOADS; ++k) {
        const size_t column = min(first + k * shape::AT_ONCE + at, columns - 1);
        for (size_t lane = column_first[column] + 1; lane < column_first[column + 1]; ++lane) {
            const costs other =
                *(const costs *)(from + (size_t)column_slot[lane - column_first[0]] * CELL_SOURCES);
#pragma unroll
            for (unsigned i = 0; i < shape::STRIP; ++i)
                if (other.at[i] < loaded[k].at[i]) loaded[k].at[i] = other.at[i];
        }
    }
#pragma unroll
    for (unsigned k = 0; k < REORDER_LOADS; ++k)
#pragma unroll
        for (unsigned i = 0; i < shape::STRIP; ++i)
            turned[strip * shape::STRIP + i][k * shape::AT_ONCE + at] = loaded[k].at[i];
    __syncthreads();
    for (unsigned i = threadIdx.x; i < CELL_SOURCES * shape::COLUMNS; i += REORDER_BLOCK) {
        const size_t source = group * CELL_SOURCES + i / shape::COLUMNS, column = first + i % shape::COLUMNS;
        if (source >= rows || column >= columns) continue;
        const size_t to = (row_order[source] - first_row) * answers.stride + column;
        answer_cost(turned[i / shape::COLUMNS][i % shape::COLUMNS], MCD_WEIGHT_MAX, answers.raw,
                    value_at(answers.value[0], to), value_at(answers.value[1], to));
    }
}

static __device__ uint64_t answer_at(const row_answers &answers, size_t at)
{
    return cost_of<uint64_t>(answers.value[0][at], answers.value[1] ? answers.value[1][at] : 0);
}

static __device__ void set_answer(const row_answers &answers, size_t at, uint64_t cost)
{
    answers.value[0][at] = cost_objective(cost);
    if (answers.value[1]) answers.value[1][at] = cost_companion(cost);
}

/* Out  the answers of places, raw: the best of those of their lanes, which begin at first[place] - first[0].
 * Grid one thread per answer.
 * Races none: a thread writes its own answer. Limit  memory: each answer of a lane is read once. */
static __global__ void merge_lanes(row_answers lanes, const size_t *__restrict__ first, size_t rows,
                                   size_t columns, row_answers answers)
{
    const size_t row = thread_index() / columns, column = thread_index() % columns;
    if (row >= rows) return;
    uint64_t best = UINT64_MAX;
    for (size_t lane = first[row]; lane < first[row + 1]; ++lane) {
        const uint64_t cost = answer_at(lanes, (lane - first[0]) * lanes.stride + column);
        if (cost < best) best = cost;
    }
    set_answer(answers, row * answers.stride + column, best);
}

/* Grid one thread per way. In the columns from first_column on; answers are raw.
 * Races none: no two ways have one cell. Limit  latency: few answers are far apart. */
static __global__ void take_ways(const mcd_road_way *__restrict__ way, size_t count, size_t first_row,
                                 size_t first_column, size_t columns, row_answers answers)
{
    if (thread_index() >= count) return;
    const mcd_road_way own = way[thread_index()];
    if (own.column < first_column || own.column - first_column >= columns) return;
    const size_t at = (own.row - first_row) * answers.stride + (own.column - first_column);
    const uint64_t cost = cost_of<uint64_t>(own.objective, answers.value[1] ? own.companion : 0);
    if (cost < answer_at(answers, at)) set_answer(answers, at, cost);
}

/* Ends raw answers: mcd_cells_settle() of engine/query/places/cells.h.
 * Grid one thread per answer. Races none. Limit  memory: each answer is read once. */
static __global__ void settle_answers(size_t rows, size_t columns, row_answers answers)
{
    const size_t row = thread_index() / columns, at = row * answers.stride + thread_index() % columns;
    if (row < rows && answers.value[1][at] == MCD_COST_UNREACHED) answers.value[0][at] = MCD_COST_UNREACHED;
}

/* Columns that are multiplied together: targets. */
template <class Cost> struct target_band {
    const panels<Cost> *panel;
    size_t first, count;
    const size_t *lane_first; /* on the GPU, of the band's targets; NULL: each has one lane */
};

/* Sources that are computed together. Their lanes begin at slot `at` of the batch's panels. */
struct row_chunk {
    size_t at, place, end, lanes;
};

/* The lanes of a batch, in chunks: copies, or where the GPU writes those of each place. */
struct batch_lanes {
    host_array<mcd_lane> lane;
    host_array<size_t> at;
};

/* The sources of a call that one GPU answers. Rows are counted from the first of them. */
template <class Cost> struct rows_part {
    const targets_of<Cost> &targets;
    const mcd_rows_job &job;
    const size_t g, first_row; /* of the call's */
    gpu_call &call;
    gpu_progress &progress; /* in cells */
    const mcd_parallel parallel;
    uint32_t *value[2] = {job.objective, job.companion};
    const bool competes = job.first || job.way_count > 0;              /* answers are raw at first */
    const bool takes[2] = {value[0] || competes, value[1] != nullptr}; /* which answers are computed */
    const bool ascends = targets.ascend && !job.first && !job.source_road &&
                         places_ascend({job.source, job.source_node}, job.source_count);
    const bool stays = (takes[0] == !!value[0] &&
                        owner_of_answers(call, job.objective, job.companion) == call.gpu->ordinal) ||
                       map_answers();      /* kernels write them where the caller wants them */
    bool is_direct = false;                /* the product writes the answers: cells are not needed */
    size_t batch_rows = 0, chunk_rows = 0; /* lanes */
    gpu_array<unsigned char> memory = {};  /* of all arrays below */
    gpu_array<Cost> cell = {};             /* of a chunk, in the panels' order */
    gpu_array<uint32_t> answer[2][2] = {}; /* [turn][quantity] of a chunk, in the caller's; unless it stays */
    gpu_array<uint32_t> by_lane[2] = {};   /* likewise, of lanes */
    gpu_array<size_t> row_first = {}, column_first = {};
    gpu_array<mcd_road_way> way = {};

    /* Lets kernels write few answers to the caller's pinned memory. Returns whether they do. */
    bool map_answers()
    {
        uint32_t *mapped[2] = {nullptr, nullptr};
        const uint64_t cells = (uint64_t)job.source_count * targets.job.target_count;
        if (competes || cells * sizeof(uint32_t) * (takes[0] + takes[1]) > MAPPED_BYTES) return false;
        for (int q = 0; q < 2; ++q)
            if (value[q] && !(mapped[q] = (uint32_t *)mapped_memory(call, value[q]))) return false;
        value[0] = mapped[0], value[1] = mapped[1];
        return true;
    }

    /* Divides rows into batches by the part of the share that the columns leave, and batches into chunks of
     * equal size. */
    void choose_chunks(size_t columns)
    {
        const uint64_t place = panels<Cost>::place_bytes(targets.on(g)), taken = round_up(columns) * place;
        const uint64_t bytes = targets.share[g].bytes(), half = (bytes - mcd_size_min(bytes, taken)) / 2;
        const size_t wanted = stays ? staying_rows_wanted(columns) : rows_wanted(columns);
        const uint64_t cell_bytes_there = !stays     ? cell_bytes<Cost>()
                                          : competes ? 2 * sizeof(Cost)
                                                     : sizeof(Cost);
        const size_t rows = mcd_size_min(wanted, round_down(half / (round_up(columns) * cell_bytes_there)));
        const size_t lanes = lane_of(job.first, job.source_count);
        chunk_rows = mcd_size_max(round_up(blocks_of(lanes, blocks_of(lanes, rows))),
                                  lanes_least(job.first, job.source_count));
        batch_rows = mcd_size_max(half / place / chunk_rows, 1) * chunk_rows;
        is_direct = ascends && product_fills<Cost>(call, chunk_rows / PANEL, round_up(columns) / PANEL);
    }

    void allocate_chunks(size_t columns)
    {
        const size_t cells = chunk_rows * columns;
        const auto own = [&](int q) { return takes[q] && !stays ? cells : 0; };
        const auto lanes = [&](int q) { return takes[q] && job.first ? cells : 0; };
        gpu_allocate_together(call, "a chunk of a matrix", memory, cell,
                              is_direct ? 0 : chunk_rows * round_up(columns), answer[0][0], own(0),
                              answer[0][1], own(1), answer[1][0], own(0), answer[1][1], own(1), by_lane[0],
                              lanes(0), by_lane[1], lanes(1), way, job.way_count, row_first,
                              job.first ? job.source_count + 1 : 0, column_first,
                              targets.job.first ? targets.job.target_count + 1 : 0);
    }

    void copy_places()
    {
        if (way.count()) call.copy(way.get(), job.way, way.count(), "copying ways");
        if (row_first.count()) call.copy(row_first.get(), job.first, row_first.count(), "copying places");
        if (column_first.count())
            call.copy(column_first.get(), targets.job.first, column_first.count(), "copying places");
    }

    row_answers own_answers(const gpu_array<uint32_t> (&of)[2], size_t stride, bool raw) const
    {
        return {{takes[0] ? of[0].get() : nullptr, takes[1] ? of[1].get() : nullptr}, stride, raw};
    }

    /* Of a chunk. */
    row_answers answers_of(const target_band<Cost> &band, const row_chunk &chunk, int turn) const
    {
        const size_t offset = chunk.place * job.stride + band.first;
        const bool raw = job.raw || competes;
        if (stays) return {{value_at(value[0], offset), value_at(value[1], offset)}, job.stride, raw};
        return own_answers(answer[turn], band.count, raw);
    }

    /* The first way from a row on. */
    size_t way_of(size_t row) const
    {
        const auto is_before = [](const mcd_road_way &one, size_t at) { return one.row < at; };
        return (size_t)(std::lower_bound(job.way, job.way + job.way_count, first_row + row, is_before) -
                        job.way);
    }

    /* Makes the answers of places from raw ones of lanes. */
    void enqueue_merge(const target_band<Cost> &band, const row_chunk &chunk, const row_answers &lanes,
                       const row_answers &answers)
    {
        const size_t rows = chunk.end - chunk.place, from = way_of(chunk.place), end = way_of(chunk.end);
        if (job.first)
            call.run("merging the lanes of places", one_thread_each(rows * band.count), merge_lanes, lanes,
                     row_first.get() + chunk.place, rows, band.count, answers);
        if (from < end)
            call.run("ways of a matrix", one_thread_each(end - from), take_ways, way.get() + from, end - from,
                     first_row + chunk.place, band.first, band.count, answers);
        if (answers.value[1] && !job.raw)
            call.run("answers of a matrix", one_thread_each(rows * band.count), settle_answers, rows,
                     band.count, answers);
    }

    /* Enqueues the answers of lanes. */
    void enqueue_cells(const target_band<Cost> &band, const panels<Cost> &source, const row_chunk &chunk,
                       const row_answers &answers)
    {
        const size_t target_panels = blocks_of<size_t>(band.panel->slot.count(), PANEL);
        const size_t segments = blocks_of<size_t>(band.count, reorder_shape<Cost>::COLUMNS);
        enqueue_product<Cost>(call, source.view(chunk.at / PANEL), blocks_of<size_t>(chunk.lanes, PANEL),
                              band.panel->view(0), target_panels, cell.get());
        call.run("ordering the answers of a matrix",
                 {blocks_of<size_t>(chunk.lanes, CELL_SOURCES) * segments, REORDER_BLOCK},
                 reorder_cells<Cost>, cell.get(), target_panels * PANEL, source.order.get() + chunk.at,
                 chunk.at, chunk.lanes, band.panel->slot.get(), band.lane_first, band.count,
                 (uint32_t)segments, answers);
    }

    void enqueue_chunk(const target_band<Cost> &band, const panels<Cost> &source, const row_chunk &chunk,
                       int turn)
    {
        const row_answers answers = answers_of(band, chunk, turn),
                          lanes = own_answers(by_lane, band.count, true);
        if (is_direct)
            enqueue_answers<Cost>(call, source.view(chunk.at / PANEL), chunk.lanes, band.panel->view(0),
                                  band.count, answers);
        else
            enqueue_cells(band, source, chunk, job.first ? lanes : answers);
        if (competes) enqueue_merge(band, chunk, lanes, answers);
    }

    void deliver_chunk(const target_band<Cost> &band, const row_chunk &chunk, int turn)
    {
        for (int q = 0; q < 2; ++q)
            if (value[q])
                deliver_rows(call,
                             {value[q] + chunk.place * job.stride + band.first, job.stride * sizeof(uint32_t),
                              answer[turn][q].get(), band.count * sizeof(uint32_t), chunk.end - chunk.place},
                             &parallel);
    }

    /* The chunk at a slot of the batch, from `place` on. */
    row_chunk chunk_from(size_t at, size_t place, size_t end) const
    {
        const size_t own_end = end_of_places(job.first, place, end, chunk_rows);
        return {at, place, own_end, lane_of(job.first, own_end) - lane_of(job.first, place)};
    }

    /* A chunk's copy is enqueued after the next chunk's work. The copy must not wait for that work, and the
     * work must not overwrite the answers of the chunk before. */
    void send_chunks(const target_band<Cost> &band, size_t place, size_t end, const panels<Cost> &source)
    {
        row_chunk chunk = chunk_from(0, place, end);
        enqueue_chunk(band, source, chunk, 0);
        for (int turn = 0; chunk.place < end; turn ^= 1) {
            const row_chunk next = chunk_from(chunk.at + chunk_rows, chunk.end, end);
            call.order_copies();
            if (next.place < end) {
                call.order_work();
                enqueue_chunk(band, source, next, turn ^ 1);
            }
            deliver_chunk(band, chunk, turn);
            progress.step((chunk.end - chunk.place) * band.count);
            chunk = next;
        }
    }

    /* Chunks that stay are waited for at the end, or when progress is reported. */
    void keep_chunks(const target_band<Cost> &band, size_t place, size_t end, const panels<Cost> &source)
    {
        for (row_chunk chunk = chunk_from(0, place, end); chunk.place < end;
             chunk = chunk_from(chunk.at + chunk_rows, chunk.end, end)) {
            enqueue_chunk(band, source, chunk, 0);
            if (progress.is_asked()) call.synchronize();
            progress.step((chunk.end - chunk.place) * band.count);
        }
    }

    /* The lanes of a batch. If places have several, chunks begin at multiples of chunk_rows. */
    panel_places lanes_of(size_t place, size_t end, batch_lanes *made, size_t *count) const
    {
        const size_t begin = place;
        panel_places out = {job.source, job.source_node, job.parts, targets.job.weights};
        *count = end - place;
        if (job.source_road) out.roads = {job.source_road + place, end - place, nullptr, targets.job.snap};
        if (!job.first) return out.from(place);
        size_t chunks = 0;
        for (size_t at = place; at < end; ++chunks) at = end_of_places(job.first, at, end, chunk_rows);
        if (job.source_road)
            made->at.allocate(end - place, "sources");
        else
            made->lane.allocate(chunks * chunk_rows, "sources");
        for (*count = 0; place < end; *count += chunk_rows) {
            const row_chunk chunk = chunk_from(*count, place, end);
            if (!job.source_road) {
                mcd_lane *const to = made->lane.get() + chunk.at;
                std::copy_n(job.source + lane_of(job.first, place), chunk.lanes, to);
                std::fill(to + chunk.lanes, to + chunk_rows, mcd_lane_of(MCD_NODE_NONE));
                place = chunk.end;
            }
            for (; place < chunk.end; ++place)
                made->at.get()[place - begin] = chunk.at + (job.first[place] - job.first[chunk.place]);
        }
        out.lane = made->lane.get(), out.roads.at = made->at.get();
        return out;
    }

    /* The end of the batch from `place` on. */
    size_t end_of_batch(size_t place) const
    {
        for (size_t at = 0; at < batch_rows; at += chunk_rows)
            place = end_of_places(job.first, place, job.source_count, chunk_rows);
        return place;
    }

    /* Leaves no work in flight, even after a failure: the memory in use is freed next. */
    void run_batch(const target_band<Cost> &band, size_t place, size_t end)
    {
        batch_lanes made;
        panel_order order;
        panels<Cost> source;
        size_t count;
        const panel_places lanes = lanes_of(place, end, &made, &count);
        order.make(parallel, targets.node_count(), lanes, count, chunk_rows);
        try {
            source.make(call, targets.on(g), MCD_FORWARD, lanes, count, chunk_rows, order);
            if (targets.making[g]) call.follow(*targets.making[g]);
            stays ? keep_chunks(band, place, end, source) : send_chunks(band, place, end, source);
            call.synchronize();
        } catch (...) {
            call.settle();
            throw;
        }
    }

    void run_band(const target_band<Cost> &band)
    {
        for (size_t place = 0, end; place < job.source_count; place = end)
            run_batch(band, place, end = end_of_batch(place));
    }

    void run()
    {
        const size_t columns = targets.job.target_count,
                     most = mcd_size_min(targets.band_columns, targets.lane_count);
        call.is_scratch = true;
        choose_chunks(most);
        allocate_chunks(most);
        copy_places();
        const size_t *const lane_first = targets.job.first ? column_first.get() : nullptr;
        if (targets.one_band()) return run_band({&targets.kept[g], 0, columns, lane_first});
        for (size_t first = 0, end; first < columns; first = end) {
            panel_order order;
            panels<Cost> made;
            end = end_of_places(targets.job.first, first, columns, most);
            targets.make_band(call, parallel, g, first, end, &order, &made);
            run_band({&made, first, end - first, lane_first ? lane_first + first : nullptr});
        }
    }
};

/* The sources of one GPU, as a job. */
static mcd_rows_job job_of_part(const mcd_rows_job &job, size_t g, size_t parts)
{
    mcd_rows_job own = job;
    const size_t first = mcd_division_first(job.source_count, g, parts);
    if (own.source_node)
        own.source_node += first;
    else if (own.source_road)
        own.source_road += first;
    else
        own.source += lane_of(job.first, first);
    if (own.first) own.first += first;
    own.source_count = mcd_division_first(job.source_count, g + 1, parts) - first;
    own.objective = job.division ? job.division->objective[g] : value_at(job.objective, first * job.stride);
    own.companion = job.division ? job.division->companion[g] : value_at(job.companion, first * job.stride);
    return own;
}

template <class Cost> void targets_of<Cost>::rows(const mcd_rows_job *rows_job) const
{
    const size_t count = rows_job->source_count;
    const size_t parts = rows_job->division ? rows_job->division->part_count
                                            : mcd_size_min(gpu_count, blocks_of<size_t>(count, ROWS_PER_GPU));
    gpu_progress progress(job.progress, "matrix", (uint64_t)count * job.target_count);
    if (count == 0 || job.target_count == 0) return;
    on_each_gpu(parts, progress, [&](size_t part) {
        progress.step(0);
        const size_t g = first_gpu + part;
        gpu_call call(on(g).map->gpu);
        const mcd_rows_job own = job_of_part(*rows_job, part, parts);
        rows_part<Cost>{*this,
                        own,
                        g,
                        mcd_division_first(count, part, parts),
                        call,
                        progress,
                        parallel_of_gpu(job.parallel, part, parts)}
            .run();
    });
}

void mcd_cuda_matrix_rows(const mcd_rows_job *job)
{
    job->targets->rows(job);
}
