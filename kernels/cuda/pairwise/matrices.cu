/* matrices.cu - many small matrices: a label for each end, one warp a label; then one warp a row. CPU twin:
 * kernels/cpu/pairwise/matrices.c.
 *
 * Method. A label climbs the root path from depth to depth among those where it is within the matrix's limit:
 * few nodes, if limits are tight. The targets' labels become lists of nodes. A row's warp climbs from its
 * source, and looks up the nodes of each target's list in its own label.
 * Layout. label[depth] and node[depth] of the climb in shared memory; a target's list in scratch, one line
 * after the other. The questions of a chunk come in one copy from pinned memory; the answers go back in one.
 * Races. None: a node's arcs lead to distinct depths, one per thread, and one warp takes all nodes in turn. A
 * list and a row have one writer each.
 * Limit. Latency: a node costs two trips to memory, which other warps hide. */
#include "kernels/cuda/device/image.h"
#include "kernels/cuda/device/table.h"

#include <cstring>

enum {
    SMALL_WARPS = 8,        /* per block, if that many climbs fit into shared memory */
    PART_LANES = 64,        /* rows, and columns, of a part of a matrix */
    CHUNK_LANES = 1 << 16,  /* of all its parts */
    CHUNK_CELLS = 1 << 20,  /* at least PART_LANES squared */
    CHUNK_LIST = 256 << 20, /* bytes of lists */
};

/* A part of a matrix: its rows and columns are lanes of the chunk. */
struct small_part {
    uint32_t first_target, target_count, limit;
    uint32_t first_row; /* its first source among the chunk's sources */
    size_t first_cell;  /* of the chunk */
};

struct small_lane {
    uint32_t part, first_seed, seed_count; /* no seeds: the place failed */
};

/* The chunk's questions, in one piece of memory. */
struct small_questions {
    small_part *part;
    small_lane *source, *target;
    mcd_seed *seed;
};

/* A node of a target's label. */
template <class Cost> struct small_entry {
    Cost cost;
    mcd_node node;
    uint32_t depth;
};

/* ---- on the GPU ---- */

template <class Cost> struct small_climb {
    const mcd_hierarchy &hierarchy;
    const mcd_search &search;
    Cost *label;    /* [height] in shared memory */
    mcd_node *node; /* [height] where a label was written */
    mcd_weight limit;
    unsigned thread;

    __device__ bool is_live(uint32_t depth) const
    {
        return cost_objective(label[depth]) <= limit;
    }

    /* Returns how many depths the root path has. */
    __device__ uint32_t begin(const small_questions &questions, const small_lane &lane) const
    {
        const mcd_seed *const seed = questions.seed + lane.first_seed;
        const uint32_t height = lane.seed_count ? hierarchy.depth[seed[0].node] + 1 : 0;
        for (uint32_t d = thread; d < height; d += WARP) label[d] = cost_unreached<Cost>();
        __syncwarp();
        for (uint32_t s = 0; thread == 0 && s < lane.seed_count; ++s) {
            const uint32_t at = hierarchy.depth[seed[s].node];
            label[at] = min(label[at], cost_of<Cost>(seed[s].objective, seed[s].companion));
            node[at] = seed[s].node;
        }
        __syncwarp();
        return height;
    }

    __device__ void relax(uint32_t depth) const
    {
        const mcd_node from = node[depth];
        const Cost own = label[depth];
        for (mcd_arc arc = search.first[from] + thread, end = search.first[from + 1]; arc < end;
             arc += WARP) {
            const uint32_t above = search.depth[arc];
            const Cost sum = cost_add(own, arc_weight<Cost>(search, arc));
            if (sum >= label[above]) continue;
            label[above] = sum;
            node[above] = search.head[arc];
        }
        __syncwarp();
    }

    /* Calls visit(depth) for each node within the limit, from the deepest one, and relaxes it. */
    template <class Visit> __device__ void run(uint32_t height, const Visit &visit) const
    {
        for (uint32_t end = height; end > 0;) {
            const unsigned live =
                __ballot_sync(WARP_ALL, thread < end && is_live(thread < end ? end - 1 - thread : 0));
            if (!live) {
                end = end > WARP ? end - WARP : 0;
                continue;
            }
            end -= (uint32_t)__ffs((int)live);
            visit(end);
            relax(end);
        }
    }
};

/* The data of a launch. */
template <class Cost> struct small_work {
    mcd_hierarchy hierarchy;
    mcd_search search[2];
    small_questions questions;
    small_entry<Cost> *list;         /* target's list: [target * height] */
    uint32_t *entry_count;           /* [target] */
    uint32_t *objective, *companion; /* companion may be NULL */
    size_t source_count, target_count;
};

template <class Cost> static __host__ __device__ size_t climb_bytes(uint32_t height)
{
    return (height * (sizeof(Cost) + sizeof(mcd_node)) + 7) / 8 * 8;
}

template <class Cost>
static __device__ small_climb<Cost> climb_of(const small_work<Cost> &work, mcd_direction direction,
                                             unsigned char *shared, mcd_weight limit)
{
    const uint32_t height = work.hierarchy.height;
    Cost *const label = (Cost *)(shared + threadIdx.x / WARP * climb_bytes<Cost>(height));
    return {work.hierarchy, work.search[direction], label, (mcd_node *)(label + height),
            limit,          threadIdx.x % WARP};
}

/* Grid: one warp per target. */
template <class Cost>
static __global__ void __launch_bounds__(SMALL_WARPS *WARP) list_targets(small_work<Cost> work)
{
    const size_t target = thread_index() / WARP;
    MCD_SHARED(unsigned char, shared);
    if (target >= work.target_count) return;
    const small_lane lane = work.questions.target[target];
    const small_climb<Cost> climb =
        climb_of(work, MCD_BACKWARD, shared, work.questions.part[lane.part].limit);
    small_entry<Cost> *const list = work.list + target * work.hierarchy.height;
    uint32_t count = 0;
    climb.run(climb.begin(work.questions, lane), [&](uint32_t depth) {
        if (climb.thread == 0) list[count] = {climb.label[depth], climb.node[depth], depth};
        ++count;
    });
    if (climb.thread == 0) work.entry_count[target] = count;
}

/* The thread's share of the least sum over the nodes that both labels have. */
template <class Cost>
static __device__ Cost join(const small_climb<Cost> &climb, uint32_t height, const small_entry<Cost> *list,
                            uint32_t count)
{
    Cost best = cost_unreached<Cost>();
    for (uint32_t i = climb.thread; i < count; i += WARP) {
        const small_entry<Cost> entry = list[i];
        if (entry.depth >= height || !climb.is_live(entry.depth) || climb.node[entry.depth] != entry.node)
            continue;
        best = min(best, cost_add(climb.label[entry.depth], entry.cost));
    }
    return best;
}

/* Grid: one warp per source. */
template <class Cost>
static __global__ void __launch_bounds__(SMALL_WARPS *WARP) join_rows(small_work<Cost> work)
{
    const size_t source = thread_index() / WARP;
    MCD_SHARED(unsigned char, shared);
    if (source >= work.source_count) return;
    const small_lane lane = work.questions.source[source];
    const small_part part = work.questions.part[lane.part];
    const small_climb<Cost> climb = climb_of(work, MCD_FORWARD, shared, part.limit);
    const uint32_t height = climb.begin(work.questions, lane);
    const size_t first = part.first_cell + (source - part.first_row) * part.target_count;
    climb.run(height, [](uint32_t) {});
    for (uint32_t t = 0; t < part.target_count; ++t) {
        const size_t target = part.first_target + t;
        Cost best = join(climb, height, work.list + target * work.hierarchy.height, work.entry_count[target]);
        for (int step = WARP / 2; step > 0; step /= 2)
            best = min(best, __shfl_xor_sync(WARP_ALL, best, step));
        if (climb.thread == 0)
            answer_cost(best, part.limit, false, work.objective + first + t,
                        value_at(work.companion, first + t));
    }
}

/* ---- chunks ---- */

/* Some whole parts. A cursor names the next part: its matrix and its first row and column there. */
struct small_cursor {
    size_t matrix;
    uint32_t row, column;
};

struct small_counts {
    size_t parts, sources, targets, cells;
};

/* Returns the bytes of the questions but for the seeds, which come last; their arrays lie in `memory`. */
static size_t place_questions(small_questions *out, const small_counts &count, void *memory)
{
    char *const base = (char *)memory;
    const size_t part = count.parts * sizeof(small_part), source = count.sources * sizeof(small_lane),
                 target = count.targets * sizeof(small_lane);
    *out = {(small_part *)base, (small_lane *)(base + part), (small_lane *)(base + part + source),
            (mcd_seed *)(base + part + source + target)};
    return part + source + target;
}

static uint32_t rows_at(const mcd_matrices_job &job, const small_cursor &at)
{
    return (uint32_t)mcd_size_min(PART_LANES, job.matrix[at.matrix].source_count - at.row);
}

static uint32_t columns_at(const mcd_matrices_job &job, const small_cursor &at)
{
    return (uint32_t)mcd_size_min(PART_LANES, job.matrix[at.matrix].target_count - at.column);
}

/* Goes on to the next part that has cells; a matrix without any has no part. */
static void advance(const mcd_matrices_job &job, small_cursor &at, bool past)
{
    if (past) at.column += PART_LANES;
    for (; at.matrix < job.matrix_count; at = {at.matrix + 1, 0, 0}) {
        const mcd_small_matrix &matrix = job.matrix[at.matrix];
        if (at.column >= matrix.target_count) at.column = 0, at.row += PART_LANES;
        if (matrix.target_count > 0 && at.row < matrix.source_count) return;
    }
}

static const mcd_lane &lane_at(const mcd_matrices_job &job, const small_cursor &at, bool target, uint32_t i)
{
    const mcd_small_matrix &matrix = job.matrix[at.matrix];
    return target ? job.target_lane[job.target[matrix.first_target + at.column + i]]
                  : job.source_lane[job.source[matrix.first_source + at.row + i]];
}

/* Counts the parts from `at` on that fit a chunk, at least one; returns where they end. */
static small_cursor count_chunk(const mcd_matrices_job &job, small_cursor at, size_t targets_most,
                                small_counts *out)
{
    *out = {};
    for (; at.matrix < job.matrix_count; advance(job, at, true)) {
        const uint32_t rows = rows_at(job, at), columns = columns_at(job, at);
        if (out->parts > 0 && (out->targets + columns > targets_most ||
                               out->sources + out->targets + rows + columns > CHUNK_LANES ||
                               out->cells + (size_t)rows * columns > CHUNK_CELLS))
            break;
        out->parts += 1, out->sources += rows, out->targets += columns;
        out->cells += (size_t)rows * columns;
    }
    return at;
}

/* Returns where its seeds end. */
static size_t write_lane(const small_questions &to, small_lane *out, size_t part, size_t seeds,
                         const mcd_lane &lane)
{
    const uint32_t count = mcd_lane_seed_count(&lane);
    *out = {(uint32_t)part, (uint32_t)seeds, count};
    for (uint32_t s = 0; s < count; ++s) to.seed[seeds + s] = lane.seed[s];
    return seeds + count;
}

/* Returns how many seeds there are. */
static size_t write_chunk(const mcd_matrices_job &job, small_cursor at, size_t parts,
                          const small_questions &to)
{
    size_t seeds = 0;
    for (small_counts done = {}; done.parts < parts; ++done.parts, advance(job, at, true)) {
        const uint32_t rows = rows_at(job, at), columns = columns_at(job, at);
        to.part[done.parts] = {(uint32_t)done.targets, columns, job.matrix[at.matrix].limit,
                               (uint32_t)done.sources, done.cells};
        for (uint32_t i = 0; i < rows; ++i)
            seeds = write_lane(to, &to.source[done.sources++], done.parts, seeds, lane_at(job, at, false, i));
        for (uint32_t i = 0; i < columns; ++i)
            seeds = write_lane(to, &to.target[done.targets++], done.parts, seeds, lane_at(job, at, true, i));
        done.cells += (size_t)rows * columns;
    }
    return seeds;
}

/* Copies the cells of a chunk to where the job wants them: those that follow each other there, together. */
static void read_chunk(const mcd_matrices_job &job, small_cursor at, size_t parts, const uint32_t *cell,
                       uint32_t *to)
{
    size_t first = 0, count = 0; /* of the job's cells that are to be copied */
    for (size_t part = 0; part < parts; ++part, advance(job, at, true)) {
        const mcd_small_matrix &matrix = job.matrix[at.matrix];
        const uint32_t rows = rows_at(job, at), columns = columns_at(job, at);
        const bool whole = columns == matrix.target_count;
        for (uint32_t row = 0; row < rows; row += whole ? rows : 1) {
            const size_t next = matrix.first_cell + (size_t)(at.row + row) * matrix.target_count + at.column;
            if (next != first + count) {
                memcpy(to + first, cell, count * sizeof *cell);
                cell += count, first = next, count = 0;
            }
            count += whole ? (size_t)rows * columns : columns;
        }
    }
    memcpy(to + first, cell, count * sizeof *cell);
}

template <class Cost> struct small_memory {
    gpu_array<unsigned char> question;
    gpu_array<small_entry<Cost>> list;
    gpu_array<uint32_t> entry_count, cell; /* both quantities' */
};

enum { ANSWERS_AT = PINNED_BYTES / 2 }; /* in the pinned chunk */

static_assert(CHUNK_LANES * (sizeof(mcd_lane) + sizeof(small_lane) + sizeof(small_part)) <=
                  (size_t)ANSWERS_AT,
              "questions fit half a pinned chunk");
static_assert(2 * CHUNK_CELLS * sizeof(uint32_t) <= (size_t)PINNED_BYTES - ANSWERS_AT, "answers too");

template <class Cost> static void launch_chunk(gpu_call &call, const small_work<Cost> &work)
{
    const size_t bytes = climb_bytes<Cost>(work.hierarchy.height);
    const unsigned warps =
        (unsigned)mcd_size_max(1, mcd_size_min(SMALL_WARPS, (48 << 10) / mcd_size_max(bytes, 1)));
    if (bytes > call.gpu->shared_bytes)
        fail(MACADAM_E_DEVICE, "%s: the hierarchy is too high for small matrices", call.gpu->name);
    call.run("small matrices", {blocks_of<uint64_t>(work.target_count, warps), warps * WARP, bytes * warps},
             list_targets<Cost>, work);
    call.run("small matrices", {blocks_of<uint64_t>(work.source_count, warps), warps * WARP, bytes * warps},
             join_rows<Cost>, work);
}

/* Answers the parts from `at` on that `count` counts. */
template <class Cost>
static void run_chunk(gpu_call &call, const gpu_weights &weights, const mcd_matrices_job &job,
                      const small_cursor &at, const small_counts &count, small_memory<Cost> &memory)
{
    small_questions questions;
    void *const asked = call.pinned(0);
    const size_t cells = job.companion ? 2 * count.cells : count.cells;
    uint32_t *const answered = (uint32_t *)((char *)asked + ANSWERS_AT);
    const size_t bytes = place_questions(&questions, count, asked) +
                         write_chunk(job, at, count.parts, questions) * sizeof(mcd_seed);
    call.check(cudaMemcpyAsync(memory.question.get(), asked, bytes, cudaMemcpyHostToDevice, call.stream),
               "copying lanes");
    place_questions(&questions, count, memory.question.get());
    launch_chunk<Cost>(call, {weights.map->hierarchy,
                              {weights.search[0].view(), weights.search[1].view()},
                              questions,
                              memory.list.get(),
                              memory.entry_count.get(),
                              memory.cell.get(),
                              job.companion ? memory.cell.get() + count.cells : nullptr,
                              count.sources,
                              count.targets});
    call.copy(answered, memory.cell.get(), cells, "copying costs");
    call.wait();
    read_chunk(job, at, count.parts, answered, job.objective);
    if (job.companion) read_chunk(job, at, count.parts, answered + count.cells, job.companion);
}

/* The memory of chunks of `targets` targets. */
struct small_room {
    size_t targets, question, cells;
};

/* The room for the largest chunk of the job. */
static small_room room_of(const mcd_matrices_job &job, const small_cursor &begin, size_t targets_most)
{
    small_room room = {0, 0, 0};
    small_questions questions;
    small_counts count;
    for (small_cursor at = begin; at.matrix < job.matrix_count;) {
        at = count_chunk(job, at, targets_most, &count);
        room.targets = mcd_size_max(room.targets, count.targets);
        room.question = mcd_size_max(room.question, place_questions(&questions, count, nullptr) +
                                                        (count.sources + count.targets) * sizeof(mcd_lane));
        room.cells = mcd_size_max(room.cells, job.companion ? 2 * count.cells : count.cells);
    }
    return room;
}

template <class Cost> static uint64_t bytes_of(const small_room &room, uint32_t height)
{
    return room.targets * (height * sizeof(small_entry<Cost>) + sizeof(uint32_t)) + room.question +
           room.cells * sizeof(uint32_t);
}

template <class Cost>
static void matrices_on(const gpu_weights &weights, const mcd_matrices_job &job, gpu_progress &progress)
{
    small_counts count;
    small_cursor at = {0, 0, 0};
    const uint32_t height = weights.map->hierarchy.height;
    const size_t line = mcd_size_max(1, height * sizeof(small_entry<Cost>));
    size_t targets_most = mcd_size_max(PART_LANES, CHUNK_LIST / line);
    advance(job, at, false);
    progress.step(0);
    if (at.matrix == job.matrix_count) return progress.step(job.matrix_count);
    gpu_share share;
    gpu_call call(weights.map->gpu);
    small_memory<Cost> memory;
    small_room room = room_of(job, at, targets_most);
    const small_room least = room_of(job, at, PART_LANES);
    share.take(call, bytes_of<Cost>(least, height), bytes_of<Cost>(room, height), "small matrices");
    if (share.bytes() < bytes_of<Cost>(room, height)) targets_most = PART_LANES, room = least;
    memory.question.allocate(call, room.question, "allocating lanes");
    gpu_allocate_all(call, "allocating labels", memory.list, room.targets * height, memory.entry_count,
                     room.targets);
    memory.cell.allocate(call, room.cells, "allocating costs");
    while (at.matrix < job.matrix_count) {
        const small_cursor end = count_chunk(job, at, targets_most, &count);
        run_chunk(call, weights, job, at, count, memory);
        progress.step(end.matrix - at.matrix);
        at = end;
    }
}

/* Jobs take the GPUs in turn: they are small, and many threads have one each. */
void mcd_cuda_matrices(const mcd_matrices_job *job)
{
    static std::atomic<size_t> turn{0};
    mcd_device_weights *const weights = job->weights->device;
    const gpu_weights &on = weights_on(*weights, turn++ % weights->map->device->gpu_count);
    gpu_progress progress(job->progress, "matrices", job->matrix_count);
    (job->companion ? matrices_on<uint64_t> : matrices_on<uint32_t>)(on, *job, progress);
}
