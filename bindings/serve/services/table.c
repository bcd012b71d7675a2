/* table.c - /table/v1: costs from many coordinates to many. */
#include "bindings/formats/npy.h"
#include "bindings/serve/services/arrow.h"
#include "bindings/serve/services/table_json.h"
#include "bindings/serve/services/stops.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPE_BYTES = 64 };

/* One axis of the table: coordinates by number. */
typedef struct table_axis {
    macadam_place *place; /* [count] */
    size_t count;
    const size_t *at;   /* NULL: coordinate i */
    macadam_snap *snap; /* [count] where they are */
} table_axis;

typedef struct table_answer {
    serve_job *job;
    macadam_place *place; /* [coordinates] */
    macadam_snap *snap;   /* [sources + targets] */
    table_axis source, target;
    unsigned kind[MACADAM_QUANTITIES_MAX]; /* of serve_map::quantity: as requested */
    size_t kind_count;
    uint32_t *value;         /* [kind_count * sources * targets] owned */
    uint32_t *copy;          /* of a tile whose cells are replaced; owned */
    mcd_text fallback_cells; /* owned */
} table_answer;

static size_t coordinate_of(const table_axis *axis, size_t i)
{
    return axis->at ? axis->at[i] : i;
}

static bool open_axis(table_answer *table, table_axis *axis, const serve_positions *positions)
{
    *axis = (table_axis){table->place, table->job->request.count, NULL, NULL};
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
    const double cells =
        (double)table->source.count * (double)table->target.count * (double)table->kind_count;
    const double bytes = cells * (4 + (job->request.format == SERVE_JSON ? SERVE_CELL_BYTES : 0));
    const bool is_streamed = serve_job_is_streamed(job);
    if (!is_streamed && bytes > job->answer_bytes)
        return serve_refuse(job, "TooBig", "Too many table coordinates");
    if (!is_streamed) table->value = reallocarray(NULL, (size_t)cells, sizeof *table->value);
    if (!is_streamed && !table->value) return serve_job_fail_memory(job);
    table->snap = serve_job_allocate(job, table->source.count + table->target.count, sizeof *table->snap);
    table->source.snap = table->snap;
    table->target.snap = table->snap ? table->snap + table->source.count : NULL;
    return table->snap;
}

static bool check_axis(table_answer *table, const table_axis *axis)
{
    for (size_t i = 0; i < axis->count; ++i)
        if (!serve_stops_check(table->job, coordinate_of(axis, i), &axis->snap[i])) return false;
    return true;
}

static bool check_axes(table_answer *table)
{
    return check_axis(table, &table->source) && check_axis(table, &table->target);
}

/* ---- what replaces cells ---- */

static double metres_between(const table_answer *table, size_t source, size_t target)
{
    const size_t from = coordinate_of(&table->source, source), to = coordinate_of(&table->target, target);
    const serve_coordinate *const coordinate = table->job->request.coordinate;
    const macadam_snap *const a = &table->source.snap[source], *const b = &table->target.snap[target];
    return table->job->request.fallback_snapped
               ? serve_stops_metres(a->lon, a->lat, b->lon, b->lat)
               : serve_stops_metres(coordinate[from].lon, coordinate[from].lat, coordinate[to].lon,
                                    coordinate[to].lat);
}

static uint32_t cost_of(double value)
{
    return value < MACADAM_WEIGHT_MAX ? (uint32_t)llround(value) : MACADAM_WEIGHT_MAX;
}

/* A cell without a way costs what the straight line does. */
static void fall_back(table_answer *table, size_t source, size_t target, uint32_t *const *value, size_t cell)
{
    const double metres = metres_between(table, source, target);
    const double amount[] = {metres / table->job->request.fallback_speed, metres};
    for (size_t k = 0; k < table->kind_count; ++k)
        value[k][cell] = cost_of(amount[table->kind[k]] * table->job->map->per_unit[table->kind[k]]);
    if (table->job->request.format != SERVE_JSON) return;
    mcd_text_json(&table->fallback_cells, "[%zu,%zu]", source, target);
}

static bool is_signed_kind(const table_answer *table, size_t k)
{
    return k < table->kind_count && table->job->map->is_signed[table->kind[k]];
}

/* One array holds all kinds: as int32 if one of them is signed. */
static bool is_signed_array(const table_answer *table)
{
    const serve_format format = table->job->request.format;
    return (format == SERVE_NPY || format == SERVE_BINARY) &&
           (is_signed_kind(table, 0) || is_signed_kind(table, 1));
}

static bool replaces(const table_answer *table)
{
    const serve_request *const request = &table->job->request;
    return request->fallback_speed > 0 || request->scale_factor > 0 || is_signed_array(table);
}

/* Replaces cells of the rows from `first` on, which lie in value[kind]. */
static void replace(table_answer *table, size_t first, size_t rows, uint32_t *const *value)
{
    const serve_request *const request = &table->job->request;
    const size_t columns = table->target.count;
    for (size_t cell = 0; request->fallback_speed > 0 && cell < rows * columns; ++cell)
        if (value[0][cell] == MACADAM_UNREACHED)
            fall_back(table, first + cell / columns, cell % columns, value, cell);
    for (size_t k = 0; request->scale_factor > 0 && k < table->kind_count; ++k)
        for (size_t cell = 0; table->kind[k] == 0 && cell < rows * columns; ++cell)
            if (value[k][cell] != MACADAM_UNREACHED)
                value[k][cell] = cost_of(value[k][cell] * request->scale_factor);
    for (size_t k = 0; is_signed_array(table) && k < table->kind_count; ++k)
        for (size_t cell = 0; !is_signed_kind(table, k) && cell < rows * columns; ++cell)
            if (value[k][cell] == MACADAM_UNREACHED) value[k][cell] = (uint32_t)MACADAM_SIGNED_UNREACHED;
}

/* Replaces cells of a copy of the tile. */
static bool replace_tile(table_answer *table, macadam_tile *tile)
{
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    const size_t cells = tile->rows * tile->columns;
    uint32_t *const copy = reallocarray(table->copy, table->kind_count * cells, sizeof *copy);
    if (!copy) return serve_job_fail_memory(table->job);
    table->copy = copy;
    for (size_t k = 0; k < table->kind_count; ++k)
        tile->value[k] = value[k] = memcpy(copy + k * cells, tile->value[k], cells * sizeof *copy);
    replace(table, tile->row, tile->rows, value);
    return true;
}

/* ---- binary forms ---- */

static void open_binary(serve_answer *answer, serve_format format)
{
    const char *const type[] = {NULL, serve_type_npy, serve_type_binary, serve_type_arrow};
    *answer = (serve_answer){.status = 200, .type = type[format], .code = "Ok"};
}

static void write_head(const table_answer *table, mcd_text *text)
{
    char shape[SHAPE_BYTES];
    snprintf(shape, sizeof shape, "(%zu,%zu,%zu,)", table->kind_count, table->source.count,
             table->target.count);
    const char *const name[] = {serve_kinds[table->kind[0]].plural, serve_kinds[table->kind[1]].plural};
    const bool is_signed[] = {is_signed_kind(table, 0), is_signed_kind(table, 1)};
    if (table->job->request.format == SERVE_NPY)
        mcd_npy_header(text, is_signed_array(table) ? "<i4" : "<u4", shape);
    if (table->job->request.format == SERVE_ARROW)
        serve_arrow_write_schema(text, name, is_signed, table->kind_count, table->target.count);
}

static size_t padding_of(const table_answer *table, size_t bytes)
{
    return table->job->request.format == SERVE_ARROW ? -bytes % 8 : 0;
}

/* Bytes of the stream, where its parts do not depend on the engine's tiles. */
static uint64_t stream_bytes(const table_answer *table, size_t head_bytes)
{
    return table->job->request.format == SERVE_ARROW
               ? UINT64_MAX
               : head_bytes + (uint64_t)table->source.count * table->target.count * sizeof(uint32_t);
}

static bool send(serve_job *job, const void *data, size_t size)
{
    const double begun_s = serve_job_now();
    const bool is_sent = size == 0 || serve_stream_write(job->stream, data, size);
    job->begun_s += serve_job_now() - begun_s; /* the client's time is not the job's */
    return is_sent;
}

static bool send_tile(void *context, const macadam_tile *given)
{
    static const char zeros[8] = "";
    table_answer *const table = context;
    serve_job *const job = table->job;
    macadam_tile tile = *given;
    const size_t bytes = tile.rows * tile.columns * sizeof(uint32_t);
    mcd_text head = {0};
    if (tile.columns < table->target.count) return false; /* too little memory for a row's labels */
    if (!job->answer.is_streamed && !check_axes(table)) return false;
    if (replaces(table) && !replace_tile(table, &tile)) return false;
    if (!job->answer.is_streamed) {
        write_head(table, &head);
        open_binary(&job->answer, job->request.format);
        job->answer.stream_bytes = stream_bytes(table, head.size);
        job->answer.is_streamed = true;
    }
    if (job->request.format == SERVE_ARROW)
        serve_arrow_write_batch(&head, table->kind_count, tile.columns, tile.rows);
    bool is_sent = !head.failed && send(job, head.data, head.size);
    for (size_t k = 0; k < table->kind_count; ++k)
        is_sent = is_sent && send(job, tile.value[k], bytes) && send(job, zeros, padding_of(table, bytes));
    free(head.data);
    return is_sent;
}

/* Bytes that were sent cannot be taken back: a later failure breaks the stream. */
static bool end_stream(table_answer *table, macadam_status status)
{
    serve_job *const job = table->job;
    mcd_text end = {0};
    if (!job->answer.is_streamed)
        return job->answer.status == 0 && serve_answer_fail_library(&job->answer, status, &job->error);
    if (job->request.format == SERVE_ARROW) serve_arrow_write_end(&end);
    job->answer.is_whole = status == MACADAM_OK && !end.failed && send(job, end.data, end.size);
    free(end.data);
    return true;
}

/* The values as they lie in memory become the body. */
static void write_binary(table_answer *table)
{
    serve_answer *const answer = &table->job->answer;
    const size_t bytes = table->source.count * table->target.count * sizeof *table->value;
    open_binary(answer, table->job->request.format);
    if (table->job->request.format == SERVE_BINARY) {
        answer->body = (mcd_text){.data = (char *)table->value,
                                  .size = table->kind_count * bytes,
                                  .capacity = table->kind_count * bytes};
        table->value = NULL;
        return;
    }
    write_head(table, &answer->body);
    if (table->job->request.format == SERVE_ARROW)
        serve_arrow_write_batch(&answer->body, table->kind_count, table->target.count, table->source.count);
    for (size_t k = 0; k < table->kind_count; ++k) {
        mcd_text_bytes(&answer->body, (const char *)table->value + k * bytes, bytes);
        mcd_text_bytes(&answer->body, "\0\0\0\0\0\0\0", padding_of(table, bytes));
    }
    if (table->job->request.format == SERVE_ARROW) serve_arrow_write_end(&answer->body);
}

/* ---- computing ---- */

static bool compute(table_answer *table)
{
    serve_job *const job = table->job;
    const char *quantity[MACADAM_QUANTITIES_MAX];
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    for (size_t k = 0; k < table->kind_count; ++k) {
        quantity[k] = job->map->quantity[table->kind[k]];
        value[k] = table->value + k * table->source.count * table->target.count;
    }
    job->query.quantity = quantity;
    job->query.quantity_count = table->kind_count;
    request.source = table->source.place;
    request.source_count = table->source.count;
    request.target = table->target.place;
    request.target_count = table->target.count;
    request.snap = table->snap;
    macadam_engine *const engine = job->map->engine;
    if (!table->value)
        return end_stream(table,
                          macadam_matrix(engine, &job->query, &request, NULL, send_tile, table, &job->error));
    return serve_job_done(job,
                          macadam_matrix_into(engine, &job->query, &request, value, NULL, &job->error)) &&
           check_axes(table);
}

/* ---- writing ---- */

static void write_waypoints(table_answer *table, const char *name, const table_axis *axis)
{
    mcd_text_json(&table->job->answer.body, "%s:[", name);
    for (size_t i = 0; i < axis->count; ++i)
        serve_stops_write(table->job, coordinate_of(axis, i), &axis->snap[i]);
    mcd_text_add(&table->job->answer.body, "]");
}

static void write_json(table_answer *table)
{
    mcd_text *const text = &table->job->answer.body;
    const size_t cells = table->source.count * table->target.count;
    mcd_text_json(text, "{'code':'Ok'");
    for (size_t k = 0; k < table->kind_count; ++k) {
        mcd_text_json(text, "%s:", serve_kinds[table->kind[k]].plural);
        serve_table_json_write(text, table->value + k * cells, table->source.count, table->target.count,
                               table->job->map->per_unit[table->kind[k]], is_signed_kind(table, k));
    }
    if (table->job->request.fallback_speed > 0) {
        mcd_text_json(text, "'fallback_speed_cells':[");
        if (table->fallback_cells.size > 0)
            mcd_text_bytes(text, table->fallback_cells.data, table->fallback_cells.size);
        mcd_text_add(text, "]");
        text->failed = text->failed || table->fallback_cells.failed;
    }
    if (!table->job->request.skip_waypoints) {
        write_waypoints(table, "destinations", &table->target);
        write_waypoints(table, "sources", &table->source);
    }
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
            (wanted & ~(1u << kind | SERVE_DURATION) || job->request.fallback_speed > 0))
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
    uint32_t *value[MACADAM_QUANTITIES_MAX];
    for (size_t k = 0; k < table->kind_count; ++k)
        value[k] = table->value + k * table->source.count * table->target.count;
    replace(table, 0, table->source.count, value);
    if (job->request.format == SERVE_JSON)
        write_json(table);
    else
        write_binary(table);
    return true;
}

bool serve_table(serve_job *job)
{
    table_answer table = {.job = job};
    const bool is_answered = run(&table);
    free(table.value);
    free(table.copy);
    free(table.fallback_cells.data);
    return is_answered;
}
