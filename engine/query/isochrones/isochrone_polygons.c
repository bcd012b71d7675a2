/* isochrone_polygons.c - isochrones as polygons: what lies within a width of the reached stretches of roads and, unless the
 * width is given, is nearer to them than to roads that are not reached (fringe.h).
 *
 * One worker takes one source: the nodes within the largest limit (node_range.h), the arcs entered from them
 * (reached_arcs.h), their reached stretches as dots (dots.h), each drawn once into a field of distances
 * (area/field.h), the shortest limit first; after each limit, the rings are traced (area/contour.h). So all
 * limits share one search and one drawing. */
#include "engine/area/contour.h"
#include "engine/base/arena.h"
#include "engine/base/options.h"
#include "engine/query/clock/instants.h"
#include "engine/query/isochrones/fringe.h"

#include <stdio.h>

enum {
    SIDE_WIDTHS = 512, /* a chosen width is at least this part of the longer side of what is reached */
    CELL_BYTES = 2 * sizeof(float) + 1, /* of a field, and of its contour */
    DISJOINT_BYTES = 2 * sizeof(float), /* two more fields */
    CUT_BYTES = 2 * sizeof(float),      /* likewise, of a chosen width */
    DOTS = 1 << 18,                     /* that a worker has room for, unless memory is short */
    DOTS_SHARE = 8,                     /* all workers' take at most this part of the memory */
    FIELD_BYTES = 1 << 30,              /* of one source, unless a memory limit is given: drawn in a second */
    WIDTH_MAX_M = 1000000,
    MARGIN = 8, /* cells */
};
static_assert(MCD_FIELD_WIDTH + 4 < MARGIN, "the radius of a dot is less than the width and 2");
static const double WIDTH_M = 100;     /* a chosen width is at least this */
static const double STEP_MIN_M = 1e-5; /* between dots: 64 bits can count those on all roads of the Earth */

/* The rings of one source. */
typedef struct source_rings {
    mcd_dots_grid grid;
    double east_m, north_m; /* a degree at the source */
    size_t cut;             /* the column at the 180th meridian; 0: it is not on the grid */
    mcd_contour *contour;   /* [limit_count]; NULL: the source failed */
} source_rings;

/* Memory that a worker keeps from one source to the next. */
typedef struct rings_worker {
    const struct rings_run *run;
    mcd_node_range range;
    mcd_reached_search search;
    mcd_dots points;
    mcd_fringe fringe;
    mcd_node seed; /* the last one given to the fringe: the arcs of a node are visited one after the other */
    size_t failed_source; /* the first of its sources that failed, SIZE_MAX: none */
    macadam_status status;
    macadam_error error;
} rings_worker;

typedef struct rings_run {
    mcd_query *query;
    const macadam_rings_request *request;
    mcd_instants instants;
    mcd_lanes lanes;
    mcd_signed_limit limit;
    macadam_snap *snap; /* [source_count] */
    source_rings *source;
    rings_worker *worker;
    size_t worker_count;
    mcd_watch watch;
    size_t room;        /* for how many dots a worker has memory of its own */
    mcd_scratch memory; /* for the fields of sources, one at a time of each worker */
    uint64_t most;      /* that one of them may take */
    uint64_t held;      /* of a limit that is given: by the workers, beside it */
    macadam_rings *out; /* until it is complete */
} rings_run;

/* ---- one source ---- */

static mcd_direction direction_of(const rings_run *run)
{
    return run->request->reverse ? MCD_BACKWARD : MCD_FORWARD;
}

static macadam_status sketch_arc(void *context, const mcd_reached_arc *entered, macadam_error *error)
{
    rings_worker *const worker = context;
    const rings_run *const run = worker->run;
    const macadam_rings_request *const request = run->request;
    if (request->width_m == 0 && !request->reverse && entered->tail != worker->seed &&
        mcd_reached_most(entered) > request->limit[0]) {
        worker->seed = entered->tail;
        MCD_TRY(mcd_fringe_seed(&worker->fringe, &worker->search, entered->tail));
    }
    return mcd_dots_arc(&worker->points, &run->query->engine->roads, run->query->weights, entered,
                        direction_of(run), request->limit, request->limit_count, error);
}

static double step_of(const rings_run *run)
{
    return run->request->width_m > 0 ? fmax(run->request->width_m / MCD_FIELD_WIDTH, STEP_MIN_M)
                                     : WIDTH_M / MCD_FIELD_WIDTH;
}

/* The field that a width needs, laid around the points so that no dot is felt at its border. Its points are
 * whole cells away from the source, so that they stay where they are as the limit grows. */
typedef struct field_plan {
    double width, columns, rows;
    double bytes; /* of the field, its contours, and the dots beyond those that a worker has room for */
} field_plan;

/* `step`: how far dots are apart. */
static field_plan plan_field(const rings_run *run, const mcd_dots *points, double width, double step)
{
    const double cell = width / MCD_FIELD_WIDTH;
    const double wide = (double)points->east - points->west, high = (double)points->north - points->south;
    const double ends = 2 * (double)points->stretch_count,
                 dots = ends + ((double)points->needed - ends) * step_of(run) / step;
    const double cell_bytes = CELL_BYTES + (run->request->disjoint ? DISJOINT_BYTES : 0) +
                              (run->request->width_m == 0 ? CUT_BYTES : 0);
    field_plan plan = {.width = width};
    plan.columns = ceil(wide / cell) + 2 * MARGIN, plan.rows = ceil(high / cell) + 2 * MARGIN;
    plan.bytes =
        plan.columns * plan.rows * cell_bytes + fmax(dots - (double)run->room, 0) * sizeof(mcd_dots_dot);
    return plan;
}

static bool fits(const rings_run *run, const field_plan *plan)
{
    return fmax(plan->columns, plan->rows) < 1 << 24 && plan->bytes <= (double)run->most;
}

/* Refuses a width, and names one of two digits that does, if there is one. */
static macadam_status fail_width(const rings_run *run, const field_plan *plan, rings_worker *worker)
{
    field_plan wider = *plan;
    char does[64] = "";
    while (wider.width < WIDTH_MAX_M && !fits(run, &wider)) {
        const double width = fmin(1.2 * wider.width, WIDTH_MAX_M), digit = pow(10, floor(log10(width)) - 1);
        wider = plan_field(run, &worker->points, ceil(width / digit) * digit, width / MCD_FIELD_WIDTH);
    }
    if (fits(run, &wider)) snprintf(does, sizeof does, "; a width of %g m does", wider.width);
    return mcd_fail(&worker->error, MACADAM_E_LIMIT,
                    "areas of a width of %g m need %.0f bytes of memory, the limit is %.0f%s", plan->width,
                    plan->bytes + (double)run->held, (double)(run->most + run->held), does);
}

/* Chooses the field, and takes its memory. */
static macadam_status take_field(rings_run *run, rings_worker *worker, field_plan *plan)
{
    const mcd_dots *const points = &worker->points;
    const double side = fmax((double)points->east - points->west, (double)points->north - points->south);
    const double width =
        run->request->width_m > 0 ? run->request->width_m : fmax(WIDTH_M, side / SIDE_WIDTHS);
    const field_plan wanted = plan_field(run, points, width, step_of(run));
    if (!fits(run, &wanted)) return fail_width(run, &wanted, worker);
    MCD_TRY(mcd_scratch_reserve(&run->memory, (uint64_t)wanted.bytes, "areas", &worker->error));
    *plan = wanted;
    return MACADAM_OK;
}

static macadam_status begin_sketch(const rings_run *run, size_t index, rings_worker *worker, size_t room)
{
    mcd_fringe_begin(&worker->fringe);
    worker->seed = MCD_NODE_NONE;
    /* Backward, arcs are entered at their heads; those that depart from there may be out of reach. */
    for (size_t i = 0; run->request->width_m == 0 && run->request->reverse && i < worker->range.count; ++i)
        MCD_TRY(mcd_fringe_seed(&worker->fringe, &worker->search, worker->range.node[i]));
    return mcd_dots_begin(&worker->points, run->snap[index].lon, run->snap[index].lat, step_of(run), room,
                          worker->range.count, &worker->error);
}

static macadam_status sketch_arcs(const rings_run *run, rings_worker *worker)
{
    MCD_TRY(mcd_reached_find(&worker->search));
    return mcd_dots_end(&worker->points, &run->query->engine->roads, direction_of(run), &worker->error);
}

/* Sketches the roads that are reached from the source. Dots without room are first only measured. */
static macadam_status sketch_source(rings_run *run, size_t index, rings_worker *worker, field_plan *plan)
{
    const macadam_rings_request *const request = run->request;
    worker->search = (mcd_reached_search){.query = run->query,
                                          .lanes = &run->lanes,
                                          .range = &worker->range,
                                          .direction = direction_of(run),
                                          .limit = &run->limit,
                                          .place = index,
                                          .visit = sketch_arc,
                                          .context = worker,
                                          .watch = &run->watch,
                                          .error = &worker->error};
    MCD_TRY(mcd_reached_grow(
        &worker->search, mcd_signed_limit_of(&run->limit, index, request->limit[request->limit_count - 1])));
    MCD_TRY(begin_sketch(run, index, worker, run->room));
    MCD_TRY(sketch_arcs(run, worker));
    MCD_TRY(take_field(run, worker, plan));
    if (worker->points.needed <= worker->points.room) return MACADAM_OK;
    MCD_TRY(begin_sketch(run, index, worker, worker->points.needed));
    return sketch_arcs(run, worker);
}

static double meridian_near(double lon)
{
    return lon > 0 ? 180 : -180;
}

static macadam_status new_field(mcd_field *out, const field_plan *plan, source_rings *rings,
                                rings_worker *worker)
{
    const mcd_dots *const points = &worker->points;
    const double cell = plan->width / MCD_FIELD_WIDTH;
    rings->grid.cell_m = cell, rings->grid.per_m = 1 / cell;
    rings->grid.west_m = (floor(points->west / cell) - MARGIN + 1) * cell;
    rings->grid.south_m = (floor(points->south / cell) - MARGIN + 1) * cell;
    rings->east_m = points->east_m;
    rings->north_m = points->north_m;
    MCD_TRY(mcd_field_new(out, (size_t)plan->columns, (size_t)plan->rows, &worker->error));
    const double column =
        ((meridian_near(points->lon) - points->lon) * points->east_m - rings->grid.west_m) / cell;
    if (!(column >= 1 && column < plan->columns - 2)) return MACADAM_OK;
    out->cut = rings->cut = (size_t)column;
    rings->grid.west_m += (column - floor(column)) * cell; /* the cut is where a column is */
    return MACADAM_OK;
}

/* Draws what a limit adds to those before it. */
static macadam_status draw_limit(mcd_field *field, const mcd_dots *points, const mcd_dots_grid *grid,
                                 size_t limit, mcd_watch *watch, macadam_error *error)
{
    for (size_t i = 0; i < points->count; ++i) {
        MCD_TRY(mcd_watch_item(watch, i, points->count, error));
        if (points->dot[i].limit == limit) mcd_dots_draw(&points->dot[i], grid, field);
    }
    return MACADAM_OK;
}

/* Traces the rings of a limit. `before`, if disjoint areas are requested: what earlier limits reach; NULL:
 * nothing. */
static macadam_status trace_limit(mcd_contour *out, const mcd_field *field, const mcd_field *before,
                                  mcd_watch *watch, macadam_error *error)
{
    if (!before) return mcd_contour_trace(out, field, watch, error);
    MCD_FREED_BY(mcd_field_free) mcd_field between = {0};
    MCD_TRY(mcd_field_new(&between, field->columns, field->rows, error));
    mcd_field_subtract(&between, field, before);
    return mcd_contour_trace(out, &between, watch, error);
}

/* Makes the field of a chosen width: the area ends half-way to what is not reached. `before`: that of the limit before, or
 * NULL. */
static macadam_status cut_limit(rings_worker *worker, const source_rings *rings, size_t limit,
                                const mcd_field *reached, const mcd_field *before, mcd_field *out)
{
    MCD_TRY(mcd_fringe_draw(&worker->fringe, &worker->search, worker->run->request->limit[limit],
                            &worker->points, &rings->grid, reached, out));
    mcd_field_cut(out, reached, before);
    return MACADAM_OK;
}

static macadam_status trace_source(rings_run *run, source_rings *rings, rings_worker *worker,
                                   const field_plan *plan)
{
    const size_t limit_count = run->request->limit_count;
    const bool disjoint = run->request->disjoint, cuts = run->request->width_m == 0,
               keeps = (disjoint || cuts) && limit_count > 1;
    MCD_FREED_BY(mcd_field_free) mcd_field reached = {0}, before = {0}, cut = {0};
    MCD_TRY(MCD_NEW_ZEROED(rings->contour, limit_count, &worker->error));
    MCD_TRY(new_field(&reached, plan, rings, worker));
    if (keeps) MCD_TRY(mcd_field_new(&before, reached.columns, reached.rows, &worker->error));
    if (cuts) MCD_TRY(mcd_field_new(&cut, reached.columns, reached.rows, &worker->error));
    for (size_t l = 0; l < limit_count; ++l) {
        const mcd_field *const area = cuts ? &cut : &reached;
        MCD_TRY(draw_limit(&reached, &worker->points, &rings->grid, l, &run->watch, &worker->error));
        if (cuts) MCD_TRY(cut_limit(worker, rings, l, &reached, l > 0 ? &before : NULL, &cut));
        MCD_TRY(trace_limit(&rings->contour[l], area, disjoint && l > 0 ? &before : NULL, &run->watch,
                            &worker->error));
        if (!keeps) continue;
        if (!cuts) mcd_field_copy(&before, area);
        const mcd_field other = before;
        if (cuts) before = cut, cut = other;
    }
    return MACADAM_OK;
}

static void run_source(void *argument, size_t source, unsigned number)
{
    rings_run *const run = argument;
    rings_worker *const worker = &run->worker[number];
    if (worker->status || !macadam_place_is_found(run->snap[source].status)) return;
    field_plan plan = {.bytes = 0};
    worker->status = sketch_source(run, source, worker, &plan);
    if (!worker->status) worker->status = trace_source(run, &run->source[source], worker, &plan);
    if (worker->points.room > run->room) mcd_dots_free(&worker->points);
    mcd_scratch_release(&run->memory, (uint64_t)plan.bytes);
    worker->failed_source = source;
}

/* Returns the failure of the first source that failed. A worker takes its sources in ascending order, so that
 * no source before that one was left out. */
static macadam_status first_failure(const rings_run *run, macadam_error *error)
{
    const rings_worker *first = NULL;
    for (size_t w = 0; w < run->worker_count; ++w)
        if (run->worker[w].status && (!first || run->worker[w].failed_source < first->failed_source))
            first = &run->worker[w];
    return first ? mcd_fail(error, first->status, "%s", first->error.message) : MACADAM_OK;
}

static macadam_status run_sources(rings_run *run, macadam_error *error)
{
    mcd_parallel parallel = run->query->engine->parallel;
    parallel.thread_count = (unsigned)run->worker_count;
    run->watch = mcd_watch_of(&run->query->progress, "areas");
    MCD_TRY(mcd_watch_for(&run->watch, &parallel, run->request->source_count, run_source, run, error));
    return first_failure(run, error);
}

/* ---- the answer ---- */

typedef struct rings_arrays {
    size_t *first_polygon, *first_ring, *first_point;
    double *lon, *lat, *area_m2, *width_m;
    const macadam_snap *snap;
} rings_arrays;

static macadam_status new_arrays(rings_arrays *out, const rings_run *run, macadam_rings *rings,
                                 macadam_error *error)
{
    const size_t area_count = rings->source_count * rings->limit_count;
    for (size_t s = 0; s < rings->source_count; ++s)
        for (size_t l = 0; run->source[s].contour && l < rings->limit_count; ++l) {
            rings->polygon_count += run->source[s].contour[l].polygon_count;
            rings->ring_count += run->source[s].contour[l].ring_count;
            rings->point_count += run->source[s].contour[l].point_count;
        }
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), out->first_polygon, area_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), out->first_ring, rings->polygon_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), out->first_point, rings->ring_count + 1, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), out->lon, rings->point_count, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), out->lat, rings->point_count, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), out->area_m2, area_count, error));
    return MCD_ARENA_NEW(mcd_answer_arena(rings), out->width_m, rings->source_count, error);
}

/* Returns the area within a ring; that of a hole is negative. A degree of longitude shrinks to the north as
 * the cosine of the latitude does. */
static double area_of(const mcd_ring *ring, const source_rings *from, const macadam_snap *source)
{
    const double shrink = tan(source->lat * 3.14159265358979323846 / 180) / 6371e3; /* per metre */
    return from->grid.cell_m * from->grid.cell_m *
           ((1 - shrink * from->grid.south_m) * ring->area - shrink * from->grid.cell_m * ring->moment);
}

/* `east`: of a part that is to the east of the cut. */
static double lon_of(const source_rings *from, const macadam_snap *source, float column, bool east)
{
    const double lon = source->lon + (from->grid.west_m + column * from->grid.cell_m) / from->east_m;
    if (!from->cut) return lon;
    const bool at_cut = east ? column <= (float)from->cut : column >= (float)from->cut;
    return (at_cut ? 0 : lon - meridian_near(source->lon)) + (east ? -180 : 180);
}

static void append_ring(rings_arrays *to, size_t *count, const source_rings *from, const macadam_snap *source,
                        bool east, const float (*point)[2], size_t point_count)
{
    for (size_t i = 0; i < point_count; ++i, ++*count) {
        to->lon[*count] = lon_of(from, source, point[i][0], east);
        to->lat[*count] =
            source->lat + (from->grid.south_m + point[i][1] * from->grid.cell_m) / from->north_m;
    }
}

static void fill_arrays(rings_arrays *to, const rings_run *run)
{
    const size_t limit_count = run->request->limit_count;
    size_t area = 0, polygons = 0, rings = 0, points = 0;
    for (size_t s = 0; s < run->request->source_count; ++s) {
        const source_rings *const source = &run->source[s];
        to->width_m[s] = source->grid.cell_m * MCD_FIELD_WIDTH;
        for (size_t l = 0; l < limit_count; ++l, ++area) {
            const mcd_contour *const contour =
                source->contour ? &source->contour[l] : &(const mcd_contour){0};
            to->area_m2[area] = 0;
            to->first_polygon[area] = polygons;
            for (size_t p = 0; p < contour->polygon_count; ++p) {
                to->first_ring[polygons++] = rings;
                for (size_t r = contour->first_ring[p]; r < contour->first_ring[p + 1]; ++r) {
                    const mcd_ring *const ring = &contour->ring[contour->order[r]];
                    to->first_point[rings++] = points;
                    to->area_m2[area] += area_of(ring, source, &to->snap[s]);
                    append_ring(to, &points, source, &to->snap[s], p >= contour->west_count,
                                (const float(*)[2])contour->point + ring->first, ring->end - ring->first);
                }
            }
        }
    }
    to->first_polygon[area] = polygons;
    to->first_ring[polygons] = rings;
    to->first_point[rings] = points;
}

static macadam_status answer(const rings_run *run, macadam_rings *rings, macadam_error *error)
{
    rings_arrays to = {.snap = run->snap};
    MCD_TRY(new_arrays(&to, run, rings, error));
    fill_arrays(&to, run);
    rings->width_m = to.width_m, rings->area_m2 = to.area_m2;
    rings->first_polygon = to.first_polygon, rings->first_ring = to.first_ring;
    rings->first_point = to.first_point;
    rings->lon = to.lon, rings->lat = to.lat;
    return MACADAM_OK;
}

/* ---- the request ---- */

static macadam_status check_request(const rings_run *run, macadam_error *error)
{
    const macadam_rings_request *const request = run->request;
    if (!run->query->engine->places.lon_e7)
        return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the file has no coordinates to draw areas");
    if (request->limit_count == 0 || request->limit_count > MACADAM_REACH_LIMITS_MAX || !request->limit)
        return mcd_fail_invalid(error, "%zu limits: an area needs 1 to %d",
                                request->limit ? request->limit_count : 0, MACADAM_REACH_LIMITS_MAX);
    for (size_t i = 0; i < request->limit_count; ++i) {
        if (request->limit[i] > MACADAM_WEIGHT_MAX)
            return mcd_fail_invalid(error, "limit %zu is %u, above %u", i, request->limit[i],
                                    MACADAM_WEIGHT_MAX);
        if (i > 0 && request->limit[i] <= request->limit[i - 1])
            return mcd_fail_invalid(error, "limit %zu is %u, not above the one before, %u", i,
                                    request->limit[i], request->limit[i - 1]);
    }
    if (!(request->width_m >= 0 && request->width_m <= WIDTH_MAX_M))
        return mcd_fail_invalid(error, "a width of %g m: not from 0 to 1,000,000", request->width_m);
    return MACADAM_OK;
}

static macadam_status new_workers(rings_run *run, macadam_error *error)
{
    const mcd_node node_count = run->query->engine->graph.node_count;
    const mcd_parallel *const parallel = &run->query->engine->parallel;
    const uint64_t limit = mcd_query_limit(run->query);
    run->room = mcd_size_min(limit / DOTS_SHARE / parallel->thread_count / sizeof(mcd_dots_dot), DOTS) + 1;
    const size_t words = node_count / 64 + (size_t)1;
    const uint64_t each = mcd_reached_bytes(run->query) + 2 * words * sizeof(uint64_t) +
                          run->room * sizeof(mcd_dots_dot),
                   most = mcd_size_max(limit / 2 / each, 1); /* fields have the other half, at least */
    run->worker_count = parallel->thread_count;
    if (!parallel->executor) /* of which any worker may take any task */
        run->worker_count = mcd_size_min(run->worker_count, mcd_size_min(run->request->source_count, most));
    else if (most < run->worker_count)
        run->worker_count = 1;
    mcd_scratch_init(&run->memory, limit - mcd_size_min(limit, run->worker_count * each));
    const bool is_given = run->query->memory_limit || run->query->engine->memory_limit;
    run->held = is_given ? run->worker_count * each : 0;
    run->most = is_given ? run->memory.limit : mcd_size_min(run->memory.limit, FIELD_BYTES);
    MCD_TRY(mcd_query_reserve(run->query, run->worker_count * each, "areas", error));
    MCD_TRY(MCD_NEW_ZEROED(run->worker, run->worker_count, error));
    for (size_t w = 0; w < run->worker_count; ++w) {
        run->worker[w].run = run;
        MCD_TRY(mcd_node_range_new(&run->worker[w].range, node_count, error));
        mcd_fringe *const fringe = &run->worker[w].fringe;
        MCD_TRY(MCD_NEW_ZEROED(fringe->seed.has, words, error));
        MCD_TRY(MCD_NEW_ZEROED(fringe->near.has, words, error));
    }
    return MCD_NEW_ZEROED(run->source, run->request->source_count, error);
}

static void free_run(rings_run *run)
{
    for (size_t w = 0; run->worker && w < run->worker_count; ++w) {
        mcd_node_range_free(&run->worker[w].range);
        mcd_dots_free(&run->worker[w].points);
        const mcd_fringe *const fringe = &run->worker[w].fringe;
        MCD_FREE_ALL(fringe->seed.node, fringe->near.node, fringe->seed.has, fringe->near.has);
    }
    for (size_t s = 0; run->source && s < run->request->source_count; ++s) {
        for (size_t l = 0; run->source[s].contour && l < run->request->limit_count; ++l)
            mcd_contour_free(&run->source[s].contour[l]);
        mcd_free(run->source[s].contour);
    }
    if (run->worker_count) mcd_scratch_destroy(&run->memory);
    MCD_FREE_ALL(run->worker, run->source);
    mcd_lanes_free(&run->lanes);
    mcd_instants_free(&run->instants);
    macadam_rings_free(run->out);
}

static macadam_status run_rings(rings_run *run, macadam_rings *rings, macadam_error *error)
{
    const macadam_rings_request *const request = run->request;
    MCD_TRY(check_request(run, error));
    MCD_TRY(mcd_reached_load(run->query, error));
    MCD_TRY(MCD_ARENA_NEW(mcd_answer_arena(rings), run->snap, request->source_count, error));
    mcd_place_list sources = {
        .place = request->source, .count = request->source_count, .outcome = {.snap = run->snap}};
    MCD_TRY(
        mcd_instants_of_sources(&run->instants, run->query, &sources, request->reverse, "an area", error));
    MCD_TRY(mcd_query_lanes(run->query, &sources, MCD_SOURCES, request->reverse, &run->lanes, error));
    run->limit = mcd_signed_limit_new(run->query, &run->lanes, request->reverse);
    MCD_TRY(new_workers(run, error));
    MCD_TRY(run_sources(run, error));
    *rings = (macadam_rings){
        .source_count = request->source_count, .limit_count = request->limit_count, .source = run->snap};
    return answer(run, rings, error);
}

macadam_status macadam_rings_find(macadam_rings **out, macadam_engine *engine, const macadam_query *given,
                                  const macadam_rings_request *request, macadam_error *error)
{
    macadam_rings_request own = MACADAM_RINGS_REQUEST_INIT;
    MCD_FREED_BY(mcd_query_end) mcd_query query = {0};
    MCD_FREED_BY(free_run) rings_run run = {.query = &query, .request = &own};
    MCD_TRY(mcd_answer_clear(out, "areas", error));
    MCD_TRY(mcd_request_begin(&engine, given, &own, sizeof own, request, "rings request", error));
    MCD_TRY(mcd_query_begin_host(&query, engine, given, MCD_NEED_WEIGHTS, error));
    MCD_TRY(mcd_query_check_objective(&query, "an area", error));
    MCD_TRY(MCD_ANSWER_NEW(run.out, error));
    MCD_TRY(run_rings(&run, run.out, error));
    return MCD_MOVE(*out, run.out);
}

void macadam_rings_free(macadam_rings *rings)
{
    mcd_answer_free(rings);
}
