/* table.c - /table/v1: costs from many coordinates to many. */
#include "bindings/formats/cost_array.h"
#include "bindings/formats/record.h"
#include "bindings/serve/services/table_json.h"
#include "bindings/serve/services/stops.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHAPE_BYTES = 128 };

/* One axis of the table: coordinates by number. */
typedef struct table_axis {
    macadam_place *place; /* [count] */
    size_t count;
    size_t times;       /* of each place, one row or column each */
    const size_t *at;   /* NULL: coordinate i */
    macadam_snap *snap; /* [count] where they are */
} table_axis;

typedef struct table_answer {
    serve_job *job;
    macadam_place *place; /* [coordinates] */
    macadam_snap *snap;   /* [sources + targets] */
    table_axis source, target;
    size_t rows, columns;
    unsigned kind[MACADAM_QUANTITIES_MAX]; /* of serve_map::quantity: as requested */
    size_t kind_count;
    mcd_cost_array array;    /* of the binary forms */
    char shape[SHAPE_BYTES]; /* its shape */
    uint32_t *value;         /* [kind_count * rows * columns] owned; NULL: it is sent tile by tile */
    uint32_t *cells[MACADAM_QUANTITIES_MAX]; /* of each kind, in it */
    uint8_t *fallback; /* [rows * columns] of JSON, with a fallback speed: which cells are straight lines */
    macadam_approximation approximation; /* if it is requested, as is: */
    macadam_matrix_plan plan;
} table_answer;

static bool open_axis(table_answer *table, table_axis *axis, const serve_positions *positions)
{
    *axis = (table_axis){.place = table->place, .count = table->job->request.count, .times = 1};
    if (positions->count == 0) return true;
    axis->at = positions->at;
    axis->count = positions->count;
    axis->place = serve_job_allocate(table->job, axis->count, sizeof *axis->place);
    for (size_t i = 0; axis->place && i < axis->count; ++i) axis->place[i] = table->place[axis->at[i]];
    return axis->place;
}

/* ---- memory ---- */

static bool allocate(table_answer *table)
{
    serve_job *const job = table->job;
    const macadam_clock *const clock = &job->clock;
    if (!clock->each && clock->depart_count) table->source.times = clock->depart_count;
    if (!clock->each && clock->arrive_count) table->target.times = clock->arrive_count;
    table->rows = table->source.count * table->source.times;
    table->columns = table->target.count * table->target.times;
    const double fallback_speed = job->request.library.matrix.fallback_speed_ms;
    if (fallback_speed > 0 && table->source.times * table->target.times > 1)
        return serve_refuse(job, "NotImplemented", "A table of several times has no fallback speed.");
    const double cells = (double)table->rows * (double)table->columns * (double)table->kind_count;
    const double bytes = cells * (4 + (job->request.format == SERVE_JSON ? SERVE_CELL_BYTES : 0));
    const bool is_streamed = serve_job_is_streamed(job);
    if (!is_streamed && bytes > job->answer_bytes)
        return serve_refuse(job, "TooBig", "Too many table coordinates");
    if (!is_streamed) table->value = reallocarray(NULL, (size_t)cells, sizeof *table->value);
    if (!is_streamed && !table->value) return serve_job_fail_memory(job);
    for (size_t k = 0; table->value && k < table->kind_count; ++k)
        table->cells[k] = table->value + k * table->rows * table->columns;
    const bool has_fallback = job->request.format == SERVE_JSON && fallback_speed > 0;
    if (has_fallback && !(table->fallback = serve_job_allocate(job, table->rows, table->columns)))
        return false;
    table->snap = serve_job_allocate(job, table->source.count + table->target.count, sizeof *table->snap);
    table->source.snap = table->snap;
    table->target.snap = table->snap ? table->snap + table->source.count : NULL;
    return table->snap;
}

static bool check_axis(table_answer *table, const table_axis *axis)
{
    for (size_t i = 0; i < axis->count; ++i)
        if (!serve_stops_check(table->job, axis->at ? axis->at[i] : i, &axis->snap[i])) return false;
    return true;
}

static bool check_axes(table_answer *table)
{
    return check_axis(table, &table->source) && check_axis(table, &table->target);
}

static bool is_signed_kind(const table_answer *table, size_t k)
{
    return k < table->kind_count && table->job->map->is_signed[table->kind[k]];
}

/* ---- binary forms ---- */

static bool append(void *context, const void *data, size_t size)
{
    mcd_text *const text = context;
    mcd_text_bytes(text, data, size);
    return !text->failed;
}

static bool send(void *context, const void *data, size_t size)
{
    serve_job *const job = context;
    const double begun_s = serve_job_now();
    const bool is_sent = serve_stream_write(job->stream, data, size);
    job->begun_s += serve_job_now() - begun_s; /* the client's time is not the job's */
    return is_sent;
}

/* Makes the table an array, whose beginning is appended to `head`. */
static bool open_array(table_answer *table, mcd_text *head)
{
    const char *const type[] = {NULL, serve_type_npy, serve_type_binary, serve_type_arrow};
    mcd_cost_array *const array = &table->array;
    *array = (mcd_cost_array){.form = (mcd_cost_array_form)table->job->request.format,
                              .shape = table->shape,
                              .quantity_count = table->kind_count,
                              .columns = table->columns,
                              .write = append,
                              .context = head};
    for (size_t k = 0; k < table->kind_count; ++k) {
        array->name[k] = serve_kinds[table->kind[k]].plural;
        array->is_signed[k] = is_signed_kind(table, k);
    }
    const size_t size[] = {table->kind_count, table->source.count, table->source.times, table->target.count,
                           table->target.times};
    size_t bytes = 0;
    for (size_t i = 0; i < 5; ++i) /* times are axes if there are several */
        if (i % 2 || i == 0 || size[i] > 1)
            bytes += (size_t)snprintf(table->shape + bytes, sizeof table->shape - bytes, "%s%zu,",
                                      i ? "" : "(", size[i]);
    snprintf(table->shape + bytes, sizeof table->shape - bytes, ")");
    serve_answer_ok(&table->job->answer, type[array->form]);
    return mcd_cost_array_begin(array);
}

/* The size of a stream is known where its parts do not depend on the engine's tiles. */
static bool open_stream(table_answer *table)
{
    serve_job *const job = table->job;
    mcd_text head = {0};
    const bool is_open = open_array(table, &head);
    job->answer.stream_bytes = table->array.form == MCD_COST_ARRAY_ARROW
                                   ? UINT64_MAX
                                   : head.size + (uint64_t)table->rows * table->columns * sizeof(uint32_t);
    job->answer.is_streamed = true;
    table->array.write = send;
    table->array.context = job;
    const bool is_sent = is_open && (head.size == 0 || send(job, head.data, head.size));
    free(head.data);
    return is_sent;
}

static bool send_tile(void *context, const macadam_tile *tile)
{
    table_answer *const table = context;
    const serve_answer *const answer = &table->job->answer;
    if (tile->columns < table->columns) return false; /* too little memory for a row's labels */
    if (!answer->is_streamed && !check_axes(table)) return false;
    if (!answer->is_streamed && !open_stream(table)) return false;
    return mcd_cost_array_rows(&table->array, tile->value, tile->rows);
}

/* Bytes that were sent cannot be taken back: a later failure breaks the stream. */
static bool end_stream(table_answer *table, macadam_status status)
{
    serve_job *const job = table->job;
    if (!job->answer.is_streamed)
        return job->answer.status == 0 && serve_answer_fail_library(&job->answer, status, &job->error);
    job->answer.is_whole = status == MACADAM_OK && mcd_cost_array_end(&table->array);
    return true;
}

/* Numbers that stay as they lie in memory become the body. */
static void write_binary(table_answer *table)
{
    mcd_text *const body = &table->job->answer.body;
    const size_t bytes = table->kind_count * table->rows * table->columns * sizeof *table->value;
    const bool is_open = open_array(table, body);
    if (table->array.form != MCD_COST_ARRAY_BINARY ||
        is_signed_kind(table, 0) != is_signed_kind(table, table->kind_count - 1)) {
        body->failed |=
            !(is_open &&
              mcd_cost_array_rows(&table->array, (const uint32_t *const *)table->cells, table->rows) &&
              mcd_cost_array_end(&table->array));
        return;
    }
    *body = (mcd_text){.data = (char *)table->value, .size = bytes, .capacity = bytes};
    table->value = NULL;
}

/* ---- computing ---- */

static bool compute(table_answer *table)
{
    serve_job *const job = table->job;
    const char *quantity[MACADAM_QUANTITIES_MAX];
    macadam_matrix_request request = job->request.library.matrix;
    request.source = table->source.place, request.source_count = table->source.count;
    request.target = table->target.place, request.target_count = table->target.count;
    request.snap = table->snap, request.fallback = table->fallback;
    if (job->request.library.approximate) request.approximation = &table->approximation;
    if (job->request.library.explain) request.plan = &table->plan;
    for (size_t k = 0; k < table->kind_count; ++k) quantity[k] = job->map->quantity[table->kind[k]];
    job->query.quantity = quantity;
    job->query.quantity_count = table->kind_count;
    if (!table->value)
        return end_stream(table, macadam_matrix_find(NULL, job->map->engine, &job->query, &request, send_tile,
                                                     table, &job->error));
    return serve_call(job, macadam_matrix_find_into, table->cells, NULL, job->map->engine, &job->query,
                      &request) &&
           check_axes(table);
}

/* ---- writing ---- */

static void write_waypoints(table_answer *table, const char *name, const table_axis *axis)
{
    if (!table->job->request.skip_waypoints)
        serve_stops_write_all(table->job, name, axis->at, axis->snap, axis->count);
}

static void write_cells(table_answer *table, size_t k)
{
    mcd_text *const text = &table->job->answer.body;
    mcd_text_json(text, "%s:", serve_kinds[table->kind[k]].plural);
    const bool has_times = table->source.times * table->target.times > 1; /* [source][time][target] */
    const size_t parts = has_times ? table->source.count : 0;
    const size_t columns =
        table->target.times > 1 ? table->target.times : table->columns; /* or [..][target][time] */
    const size_t rows = table->rows * table->columns / columns / (parts ? parts : 1);
    serve_table_json_write(text, table->cells[k], parts, rows, columns,
                           table->job->map->per_unit[table->kind[k]], is_signed_kind(table, k));
}

/* In OSRM's order. */
static void write_json(table_answer *table)
{
    mcd_text *const text = &table->job->answer.body;
    mcd_text_json(text, "{'code':'Ok'");
    if (table->job->request.library.approximate)
        mcd_text_json(text, "'approximation':{'cells':%llu,'mean_ppm':%u,'worst_ppm':%u}",
                      (unsigned long long)table->approximation.cells, table->approximation.mean_ppm,
                      table->approximation.worst_ppm);
    if (table->job->request.library.explain) {
        mcd_text_json(text, "'plan':{");
        mcd_record_write(text, MCD_STRUCTURE(matrix_plan), "...", &table->plan);
        mcd_text_add(text, "}");
    }
    if (table->fallback) {
        mcd_text_json(text, "'fallback_speed_cells':[");
        for (size_t cell = 0; cell < table->rows * table->columns; ++cell)
            if (table->fallback[cell])
                mcd_text_json(text, "[%zu,%zu]", cell / table->columns, cell % table->columns);
        mcd_text_add(text, "]");
    }
    const bool has_durations = table->kind[0] == 0;
    for (size_t k = table->kind_count; k-- > has_durations;) write_cells(table, k);
    write_waypoints(table, "destinations", &table->target);
    if (has_durations) write_cells(table, 0);
    write_waypoints(table, "sources", &table->source);
    mcd_text_add(text, "}");
}

/* ---- the whole ---- */

/* The ways of least energy have durations, and no straight line has an energy; so it is with all further kinds. */
static bool choose_kinds(table_answer *table)
{
    serve_job *const job = table->job;
    const unsigned wanted = job->request.annotations ? job->request.annotations : SERVE_DURATION;
    for (unsigned kind = 0; kind < SERVE_KINDS; ++kind) {
        const char *const plural = serve_kinds[kind].plural;
        if (!(wanted & 1u << kind)) continue;
        if (kind >= SERVE_PLAIN_KINDS &&
            (wanted & ~(1u << kind | SERVE_DURATION) || job->request.library.matrix.fallback_speed_ms > 0))
            return serve_refuse(job, "NotImplemented", "%c%s have neither distances nor a fallback speed.",
                                toupper((unsigned char)plural[0]), plural + 1);
        table->kind[table->kind_count++] = kind;
    }
    return true;
}

static bool run(table_answer *table)
{
    serve_job *const job = table->job;
    if (!choose_kinds(table) || !(table->place = serve_stops_places(job)) ||
        !open_axis(table, &table->source, &job->request.sources) ||
        !open_axis(table, &table->target, &job->request.destinations) || !allocate(table) || !compute(table))
        return false;
    if (!table->value) return true; /* it has been sent */
    (job->request.format == SERVE_JSON ? write_json : write_binary)(table);
    return true;
}

bool serve_table(serve_job *job)
{
    table_answer table = {.job = job};
    const bool is_answered = run(&table);
    free(table.value);
    return is_answered;
}
