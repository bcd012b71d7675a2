/* shapes.c - a cell depends on its two places, and on nothing else of the request: not on the other places, their order
 * or number, tiles, memory, threads, the device, or what was requested before. */
#include "tests/metamorphic/metamorphic.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- parts of a table ---- */

typedef struct selection {
    size_t count, position[2 * META_PLACES];
    macadam_place place[2 * META_PLACES];
} selection;

/* Some places in any order, some of them repeated. */
static void select_places(selection *out, test_rng *rng, const macadam_place *place, size_t count)
{
    static const size_t counts[] = {1, 2, 3, 15, 16, 17, 31, 32, 33, 64, 100};
    out->count = counts[rng_below(rng, rng_below(rng, 2) ? 3 : 11)];
    for (size_t i = 0; i < out->count; ++i) {
        out->position[i] = rng_below(rng, (uint32_t)count);
        out->place[i] = place[out->position[i]];
    }
}

/* The same places picked out of a table. */
static meta_table part_of(const meta_table *whole, const selection *rows, const selection *columns)
{
    meta_table out = {
        .rows = rows->count, .columns = columns->count, .quantity_count = whole->quantity_count};
    out.status = meta_memory(out.rows + out.columns, sizeof *out.status);
    for (size_t i = 0; i < out.rows; ++i) out.status[i] = whole->status[rows->position[i]];
    for (size_t i = 0; i < out.columns; ++i)
        out.status[out.rows + i] = whole->status[whole->rows + columns->position[i]];
    for (size_t q = 0; q < out.quantity_count; ++q) {
        out.value[q] = meta_memory(out.rows * out.columns, sizeof **out.value);
        for (size_t i = 0; i < out.rows * out.columns; ++i)
            out.value[q][i] = whole->value[q][rows->position[i / out.columns] * whole->columns +
                                              columns->position[i % out.columns]];
    }
    return out;
}

static meta_verdict part_is_part_of_whole(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_query(c);
    meta_table whole, part;
    if (!meta_matrix_of(&whole, c, c->engine, why)) return META_FAILS;
    for (int i = 0; i < 4; ++i) {
        selection rows, columns;
        select_places(&rows, &rng, c->source, c->source_count);
        select_places(&columns, &rng, c->target, c->target_count);
        if (!meta_matrix(&part, c->engine, &query, rows.place, rows.count, columns.place, columns.count, why))
            return META_FAILS;
        const meta_table expected = part_of(&whole, &rows, &columns);
        if (meta_same(&expected, &part, "a part of the table", why) != META_HOLDS) return META_FAILS;
    }
    return META_HOLDS;
}

static meta_verdict status_is_of_the_place(const meta_case *c, char why[META_WHY])
{
    const macadam_query query = meta_query(c);
    meta_table whole;
    macadam_snap *const snap = meta_memory(c->source_count + c->target_count, sizeof *snap);
    macadam_error error;
    if (!meta_matrix_of(&whole, c, c->engine, why)) return META_FAILS;
    if (!meta_ok(macadam_snap_find(snap, c->engine, &query, c->source, c->source_count, &error), &error,
                 "snap", why) ||
        !meta_ok(
            macadam_snap_find(snap + c->source_count, c->engine, &query, c->target, c->target_count, &error),
            &error, "snap", why))
        return META_FAILS;
    for (size_t i = 0; i < whole.rows + whole.columns; ++i)
        META_REQUIRE(snap[i].status == whole.status[i], "place %zu is %s, but in a table %s", i,
                     macadam_place_status_name(snap[i].status), macadam_place_status_name(whole.status[i]));
    return META_HOLDS;
}

/* ---- tiles ---- */

typedef struct tiles {
    meta_table *table;
    size_t cells;
    uint8_t *fallback; /* NULL: tiles have none */
} tiles;

static bool take_tile(void *context, const macadam_tile *tile)
{
    tiles *const t = context;
    t->cells += tile->rows * tile->columns;
    if (!t->fallback != !tile->fallback) return false;
    for (size_t r = 0; t->fallback && r < tile->rows; ++r)
        memcpy(t->fallback + (tile->row + r) * t->table->columns + tile->column,
               tile->fallback + r * tile->columns, tile->columns);
    for (size_t q = 0; q < t->table->quantity_count; ++q)
        for (size_t r = 0; r < tile->rows; ++r)
            memcpy(t->table->value[q] + (tile->row + r) * t->table->columns + tile->column,
                   tile->value[q] + r * tile->columns, tile->columns * sizeof **tile->value);
    return true;
}

static meta_table new_table(size_t rows, size_t columns, size_t quantity_count)
{
    meta_table out = {.rows = rows, .columns = columns, .quantity_count = quantity_count};
    out.status = meta_memory(rows + columns, sizeof *out.status);
    for (size_t q = 0; q < quantity_count; ++q)
        out.value[q] = meta_memory(rows * columns, sizeof **out.value);
    return out;
}

static macadam_matrix_request request_of(const meta_case *c)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = c->source, request.source_count = c->source_count;
    request.target = c->target, request.target_count = c->target_count;
    return request;
}

/* The answer by tiles. Doubles the memory until it suffices. */
static meta_verdict tile_the_whole(meta_table *out, uint8_t *fallback, const meta_case *c,
                                   const macadam_matrix_request *request, test_rng *rng, char why[META_WHY])
{
    macadam_query query = meta_query(c);
    macadam_error error;
    *out = new_table(c->source_count, c->target_count, meta_columns_of(&query));
    macadam_status status = MACADAM_E_LIMIT;
    tiles t = {out, 0, fallback};
    for (query.memory_limit = 1000 + rng_below(rng, 100000); status == MACADAM_E_LIMIT;
         query.memory_limit *= 2) {
        t.cells = 0;
        status = macadam_matrix_find(out->status, c->engine, &query, request, take_tile, &t, &error);
    }
    if (!meta_ok(status, &error, "matrix by tiles", why)) return META_FAILS;
    META_REQUIRE(t.cells == out->rows * out->columns, "tiles have %zu cells of %zu", t.cells,
                 out->rows * out->columns);
    return META_HOLDS;
}

static meta_verdict tiles_are_the_whole(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_matrix_request request = request_of(c);
    meta_table whole, tiled;
    if (!meta_matrix_of(&whole, c, c->engine, why)) return META_FAILS;
    const meta_verdict verdict = tile_the_whole(&tiled, NULL, c, &request, &rng, why);
    return verdict == META_HOLDS ? meta_same(&whole, &tiled, "tiles", why) : verdict;
}

/* ---- straight lines ---- */

static uint32_t rounded(double cost)
{
    return cost < MACADAM_WEIGHT_MAX ? (uint32_t)floor(cost + 0.5) : MACADAM_WEIGHT_MAX;
}

static const char *name_of(const macadam_query *query, size_t q)
{
    return query->quantity_count ? query->quantity[q] : query->metric;
}

/* Applies the rule to a plain matrix. fallback: which cells are straight lines. */
static void replace_cells(meta_table *table, uint8_t *fallback, const macadam_query *query,
                          const macadam_matrix_request *request)
{
    for (size_t cell = 0; cell < table->rows * table->columns; ++cell) {
        const size_t r = cell / table->columns, c = cell % table->columns;
        const macadam_snap *const from = &request->snap[r], *const to = &request->snap[table->rows + c];
        const macadam_place *const a = &request->source[r], *const b = &request->target[c];
        const bool a_given = a->kind == MACADAM_PLACE_POINT && !request->fallback_snapped,
                   b_given = b->kind == MACADAM_PLACE_POINT && !request->fallback_snapped;
        const double metres =
            macadam_straight_line_m(a_given ? a->lon : from->lon, a_given ? a->lat : from->lat,
                                    b_given ? b->lon : to->lon, b_given ? b->lat : to->lat);
        fallback[cell] = table->value[0][cell] == MACADAM_UNREACHED && macadam_place_is_found(from->status) &&
                         macadam_place_is_found(to->status);
        for (size_t q = 0; q < table->quantity_count; ++q) {
            const bool is_duration = strcmp(name_of(query, q), "duration") == 0;
            uint32_t *const value = &table->value[q][cell];
            if (fallback[cell])
                *value = rounded(is_duration ? metres / request->fallback_speed_ms * 1000 : metres * 100);
            if (is_duration && *value != MACADAM_UNREACHED) *value = rounded(*value * request->scale_factor);
        }
    }
}

/* Only cells without a path become straight lines, whatever the tiles, memory, threads and device; durations are
 * multiplied, and the rest stays. */
static meta_verdict straight_lines_fill_gaps(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_query(c);
    macadam_matrix_request request = request_of(c);
    const size_t places = c->source_count + c->target_count, cells = c->source_count * c->target_count;
    meta_table plain, whole = new_table(c->source_count, c->target_count, meta_columns_of(&query)), tiled;
    uint8_t *const fallback = meta_memory(cells, 1), *const expected = meta_memory(cells, 1);
    macadam_error error;
    request.snap = meta_memory(places, sizeof *request.snap);
    request.fallback_speed_ms = 0.001 + rng_below(&rng, 40), request.scale_factor = 1.37;
    request.fallback_snapped = rng_below(&rng, 2), request.fallback = fallback;
    const macadam_status status =
        macadam_matrix_find_into(whole.value, whole.status, c->engine, &query, &request, &error);
    for (size_t q = 0; q < whole.quantity_count; ++q) {
        const char *const name = name_of(&query, q);
        if (strcmp(name, "duration") == 0 || strcmp(name, "distance") == 0) continue;
        META_REQUIRE(status == MACADAM_E_UNSUPPORTED, "\"%s\" has straight lines", name);
        return META_HOLDS;
    }
    if (!meta_ok(status, &error, "straight lines", why) || !meta_matrix_of(&plain, c, c->map->engine, why))
        return META_FAILS;
    replace_cells(&plain, expected, &query, &request);
    META_REQUIRE(memcmp(fallback, expected, cells) == 0, "other cells are straight lines");
    if (meta_same(&plain, &whole, "straight lines", why) != META_HOLDS) return META_FAILS;
    memset(fallback, 2, cells);
    request.snap = NULL;
    if (tile_the_whole(&tiled, fallback, c, &request, &rng, why) != META_HOLDS) return META_FAILS;
    META_REQUIRE(memcmp(fallback, expected, cells) == 0, "other cells of tiles are straight lines");
    return meta_same(&plain, &tiled, "straight lines of tiles", why);
}

/* ---- the engine's order ---- */

/* Returns whether each number below `count` is in the array once. */
static bool is_permutation(const uint64_t *order, size_t count)
{
    bool *const seen = meta_memory(count, sizeof *seen);
    for (size_t i = 0; i < count; ++i) {
        if (order[i] >= count || seen[order[i]]) return false;
        seen[order[i]] = true;
    }
    return true;
}

static void permute(meta_table *table, const meta_table *from, const uint64_t *row, const uint64_t *column)
{
    memcpy(table->status, from->status, (from->rows + from->columns) * sizeof *from->status);
    for (size_t q = 0; q < from->quantity_count; ++q)
        for (size_t r = 0; r < from->rows; ++r)
            for (size_t c = 0; c < from->columns; ++c)
                table->value[q][r * from->columns + c] = from->value[q][row[r] * from->columns + column[c]];
}

/* It permutes rows and columns, and is the same whatever the tiles, memory, threads and device. */
static meta_verdict engine_order_permutes_cells(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    const macadam_query query = meta_query(c);
    macadam_matrix_request request = request_of(c);
    const size_t sources = c->source_count, targets = c->target_count, columns = meta_columns_of(&query);
    meta_table plain, whole = new_table(sources, targets, columns),
                      expected = new_table(sources, targets, columns), tiled;
    uint64_t *const order = meta_memory(sources + targets, sizeof *order), *const tiled_order =
                                                                               meta_memory(sources + targets,
                                                                                           sizeof *order);
    macadam_error error;
    request.order = order;
    if (!meta_ok(macadam_matrix_find_into(whole.value, whole.status, c->engine, &query, &request, &error),
                 &error, "the engine's order", why) ||
        !meta_matrix_of(&plain, c, c->map->engine, why))
        return META_FAILS;
    META_REQUIRE(is_permutation(order, sources) && is_permutation(order + sources, targets),
                 "the order is not a permutation");
    permute(&expected, &plain, order, order + sources);
    if (meta_same(&expected, &whole, "the engine's order", why) != META_HOLDS) return META_FAILS;
    request.order = tiled_order;
    if (tile_the_whole(&tiled, NULL, c, &request, &rng, why) != META_HOLDS) return META_FAILS;
    META_REQUIRE(memcmp(order, tiled_order, (sources + targets) * sizeof *order) == 0,
                 "tiles have another order");
    return meta_same(&expected, &tiled, "tiles in the engine's order", why);
}

/* ---- engines ---- */

static meta_verdict same_on(const meta_case *c, macadam_engine *engine, const char *what, char why[META_WHY])
{
    meta_table here, there;
    if (!meta_matrix_of(&here, c, c->map->engine, why) || !meta_matrix_of(&there, c, engine, why))
        return META_FAILS;
    return meta_same(&here, &there, what, why);
}

static meta_verdict threads_change_nothing(const meta_case *c, char why[META_WHY])
{
    return same_on(c, meta_engine(c->map, META_TWO_THREADS), "two threads", why);
}

static meta_verdict fresh_is_warm(const meta_case *c, char why[META_WHY])
{
    const macadam_engine_options options = {.size = sizeof options, .profile = c->map->info.profile};
    macadam_engine *const fresh = meta_open(c->map, c->map->edge, &options);
    const meta_verdict verdict = same_on(c, fresh, "a fresh engine", why);
    macadam_engine_close(fresh);
    return verdict;
}

/* ---- memory on a device ---- */

enum { MATRIX, PAIRS, TREES /* the first of one for each order */, TREE_LANES = 16 };

/* A question whose answers may be written to a device, and how many cells they have. */
typedef struct question {
    unsigned kind;
    macadam_place source[META_PLACES], target[META_PLACES];
    size_t source_count, target_count, cells;
    uint32_t limit;
    double fallback_speed_ms;
    bool in_engine_order; /* of a matrix */
} question;

static void draw_question(question *out, const meta_case *c, test_rng *rng)
{
    const macadam_info *const info = &c->map->info;
    *out = (question){.kind = rng_below(rng, TREES + 3), .limit = rng_below(rng, 2) * 300000};
    if (out->kind == MATRIX && !c->map->is_electric) out->fallback_speed_ms = rng_below(rng, 4) == 0;
    out->in_engine_order = out->fallback_speed_ms == 0 && rng_below(rng, 2) == 0;
    const size_t order = out->kind - TREES;
    out->source_count = out->kind == TREES + MACADAM_ORDER_LANES ? TREE_LANES : c->source_count;
    out->target_count = out->kind == PAIRS ? out->source_count : c->target_count;
    for (size_t i = 0; i < out->source_count; ++i) out->source[i] = c->source[i % c->source_count];
    for (size_t i = 0; i < out->target_count; ++i) out->target[i] = c->target[i % c->target_count];
    out->cells = out->source_count * (out->kind == MATRIX  ? out->target_count
                                      : out->kind == PAIRS ? 1
                                      : order == 0         ? info->id_count
                                                           : info->node_count);
}

static macadam_status ask(macadam_engine *engine, const meta_case *c, const question *q,
                          uint32_t *const *value, macadam_error *error)
{
    const macadam_query query = meta_query(c);
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    macadam_routes_request pairs = MACADAM_ROUTES_REQUEST_INIT;
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    matrix.source = pairs.source = tree.source = q->source;
    matrix.source_count = pairs.pair_count = tree.source_count = q->source_count;
    matrix.target = pairs.target = q->target, matrix.target_count = q->target_count;
    matrix.fallback_speed_ms = q->fallback_speed_ms;
    if (q->in_engine_order)
        matrix.order = meta_memory(q->source_count + q->target_count, sizeof *matrix.order);
    tree.order = (macadam_order)(q->kind - TREES), tree.limit = q->limit;
    return q->kind == MATRIX  ? macadam_matrix_find_into(value, NULL, engine, &query, &matrix, error)
           : q->kind == PAIRS ? macadam_routes_find(value, NULL, engine, &query, &pairs, error)
                              : macadam_tree_find(value, NULL, engine, &query, &tree, error);
}

static bool ask_into(macadam_engine *engine, const meta_case *c, const question *q, uint32_t *const *value,
                     char why[META_WHY])
{
    macadam_error error;
    return meta_ok(ask(engine, c, q, value, &error), &error, "an answer in memory", why);
}

/* Matrices, and the other questions, into the caller's memory. */
static meta_verdict device_is_processor(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const device = meta_engine(c->map, META_DEVICE);
    question q;
    if (!device) return META_SKIPPED;
    if (rng_below(&rng, 2)) return same_on(c, device, "the device", why);
    draw_question(&q, c, &rng);
    uint32_t *value[2][2];
    for (size_t i = 0; i < 4; ++i) value[i / 2][i % 2] = meta_memory(q.cells, sizeof **value[0]);
    if (!ask_into(c->map->engine, c, &q, value[0], why) || !ask_into(device, c, &q, value[1], why))
        return META_FAILS;
    for (size_t i = 0; i < (c->quantity_count ? c->quantity_count : 1); ++i)
        META_REQUIRE(memcmp(value[0][i], value[1][i], q.cells * sizeof(uint32_t)) == 0,
                     "question %u has other cells on the device", q.kind);
    return META_HOLDS;
}

/* Answers in memory of a device's engine equal those that the processor writes into the caller's. */
static meta_verdict memory_there_is_memory_here(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const device = meta_engine(c->map, META_DEVICE);
    const size_t columns = c->quantity_count ? c->quantity_count : 1;
    void *there[2] = {NULL, NULL};
    macadam_error error;
    question q;
    if (!device) return META_SKIPPED;
    draw_question(&q, c, &rng);
    const macadam_memory_kind kind = rng_below(&rng, 2) ? MACADAM_MEMORY_DEVICE : MACADAM_MEMORY_PINNED;
    const size_t bytes = q.cells * sizeof(uint32_t);
    uint32_t *const here[] = {meta_memory(q.cells, sizeof **here), meta_memory(q.cells, sizeof **here)};
    uint32_t *const read = meta_memory(q.cells, sizeof *read);
    bool works = ask_into(c->map->engine, c, &q, here, why), same = true;
    for (size_t i = 0; i < columns; ++i)
        works = works &&
                meta_ok(macadam_memory_new(&there[i], device, kind, bytes, &error), &error, "memory", why);
    works = works && ask_into(device, c, &q, (uint32_t *[]){there[0], there[1]}, why);
    for (size_t i = 0; i < columns && works; ++i) {
        works = meta_ok(macadam_memory_read(read, device, there[i], bytes, &error), &error, "read", why);
        same = same && memcmp(read, here[i], bytes) == 0;
    }
    for (size_t i = 0; i < columns; ++i) macadam_memory_free(device, there[i]);
    if (!works) return META_FAILS;
    META_REQUIRE(same, "question %u has other cells in the device's memory", q.kind);
    return META_HOLDS;
}

/* ---- divided memory ---- */

/* Returns whether a part has the cells of its sources. */
static bool is_part_of(const macadam_memory_part *part, const uint32_t *found, const question *q,
                       const uint32_t *whole)
{
    const size_t columns = q->cells / q->source_count;
    const bool lanes = q->kind == TREES + MACADAM_ORDER_LANES;
    for (size_t s = 0; s < part->source_count; ++s)
        for (size_t column = 0; column < columns; ++column) {
            const size_t source = part->first_source + s;
            const uint32_t own = found[lanes ? column * part->source_count + s : s * columns + column];
            if (own != whole[lanes ? column * q->source_count + source : source * columns + column])
                return false;
        }
    return true;
}

static bool are_parts_of(macadam_engine *devices, const void *divided, const question *q,
                         const uint32_t *whole, char why[META_WHY])
{
    uint32_t *const found = meta_memory(q->cells, sizeof *found);
    macadam_error error;
    macadam_memory_part part = MACADAM_MEMORY_PART_INIT;
    part.part_count = 1;
    for (size_t p = 0; p < part.part_count; ++p) {
        if (!meta_ok(macadam_memory_part_at(&part, devices, divided, p, &error), &error, "a part", why))
            return false;
        const size_t bytes = part.source_count * (q->cells / q->source_count) * sizeof *found;
        if (!meta_ok(macadam_memory_read(found, devices, part.memory, bytes, &error), &error, "read", why))
            return false;
        if (is_part_of(&part, found, q, whole)) continue;
        snprintf(why, META_WHY, "part %zu of question %u has other cells", p, q->kind);
        return false;
    }
    return true;
}

/* Answers divided among devices are together those of the processor, unless a place is cut off. */
static meta_verdict parts_are_the_whole(const meta_case *c, char why[META_WHY])
{
    test_rng rng = {c->salt};
    macadam_engine *const devices = meta_engine(c->map, META_DEVICES);
    const size_t columns = c->quantity_count ? c->quantity_count : 1;
    void *there[2] = {NULL, NULL};
    macadam_error error;
    question q;
    if (!devices) return META_SKIPPED;
    do draw_question(&q, c, &rng);
    while (q.kind == PAIRS);
    uint32_t *const here[] = {meta_memory(q.cells, sizeof **here), meta_memory(q.cells, sizeof **here)};
    bool works = ask_into(c->map->engine, c, &q, here, why), is_refused = false;
    for (size_t i = 0; i < columns && works; ++i)
        works = meta_ok(macadam_memory_new_divided(&there[i], devices, q.source_count,
                                                   q.cells / q.source_count * sizeof(uint32_t), &error),
                        &error, "divided memory", why);
    if (works) {
        const macadam_status status = ask(devices, c, &q, (uint32_t *[]){there[0], there[1]}, &error);
        is_refused = status == MACADAM_E_UNSUPPORTED;
        works = is_refused || meta_ok(status, &error, "an answer in divided memory", why);
    }
    for (size_t i = 0; i < columns && works && !is_refused; ++i)
        works = are_parts_of(devices, there[i], &q, here[i], why);
    for (size_t i = 0; i < columns; ++i) macadam_memory_free(devices, there[i]);
    return !works ? META_FAILS : is_refused ? META_SKIPPED : META_HOLDS;
}

const meta_relation meta_shapes[] = {
    {"part_is_part_of_whole", part_is_part_of_whole, 50, 70, META_PLACES, META_PLACES},
    {"status_is_of_the_place", status_is_of_the_place, 5, 5, META_PLACES, META_PLACES},
    {"tiles_are_the_whole", tiles_are_the_whole, 15, 20, META_PLACES, META_PLACES},
    {"straight_lines_fill_gaps", straight_lines_fill_gaps, 15, 10, META_PLACES, META_PLACES},
    {"engine_order_permutes_cells", engine_order_permutes_cells, 15, 10, META_PLACES, META_PLACES},
    {"threads_change_nothing", threads_change_nothing, 8, 8, META_PLACES, META_PLACES},
    {"fresh_is_warm", fresh_is_warm, 5, 2, META_PLACES, META_PLACES},
    {"device_is_processor", device_is_processor, 3, 1, 33, 33},
    {"memory_there_is_memory_here", memory_there_is_memory_here, 6, 0, 12, 12},
    {"parts_are_the_whole", parts_are_the_whole, 3, 0, META_PLACES, 12},
    {0},
};
