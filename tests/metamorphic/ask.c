/* ask.c - see metamorphic.h. */
#include "tests/metamorphic/metamorphic.h"

#include "tests/support/checked.h"

#include <stdarg.h>
#include <string.h>

/* ---- memory ---- */

typedef struct block {
    struct block *next;
    max_align_t data[];
} block;

static block *blocks;

void *meta_memory(size_t count, size_t size)
{
    block *const b = checked_zeroed(1, sizeof(block) + (count ? count : 1) * size);
    b->next = blocks;
    blocks = b;
    return b->data;
}

void meta_release(void)
{
    while (blocks) {
        block *const next = blocks->next;
        free(blocks);
        blocks = next;
    }
}

/* ---- failures ---- */

meta_verdict meta_fail(char why[META_WHY], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, META_WHY, format, arguments);
    va_end(arguments);
    return META_FAILS;
}

bool meta_hit_limit;

bool meta_ok(macadam_status status, const macadam_error *error, const char *call, char why[META_WHY])
{
    if (status == MACADAM_OK) return true;
    meta_hit_limit |= status == MACADAM_E_LIMIT;
    meta_fail(why, "%s: %s: %.180s", call, macadam_status_name(status), error->message);
    return false;
}

/* ---- questions ---- */

macadam_query meta_objective_query(const meta_case *c)
{
    macadam_query query = MACADAM_QUERY_INIT;
    query.metric = c->map->info.metric[c->metric];
    query.snap_any_component = c->any;
    query.conditions = c->conditions;
    query.memory_limit = c->memory;
    return query;
}

macadam_query meta_query(const meta_case *c)
{
    macadam_query query = meta_objective_query(c);
    query.quantity = c->quantity;
    query.quantity_count = c->quantity_count;
    return query;
}

size_t meta_columns_of(const macadam_query *query)
{
    return query->quantity_count ? query->quantity_count : 1;
}

int64_t meta_number(const meta_case *c, const macadam_query *query, size_t q, uint32_t value)
{
    const macadam_info *const info = &c->map->info;
    const char *const name = query->quantity_count ? query->quantity[q] : query->metric;
    bool is_signed = false;
    for (size_t i = 0; i < info->quantity_count; ++i)
        is_signed |= info->is_signed[i] && strcmp(info->quantity[i], name) == 0;
    return macadam_cost(value, is_signed);
}

uint32_t meta_unreached(const meta_case *c, const macadam_query *query, size_t q)
{
    const bool is_signed = meta_number(c, query, q, MACADAM_UNREACHED) != MACADAM_COST_NONE;
    return is_signed ? (uint32_t)MACADAM_SIGNED_UNREACHED : MACADAM_UNREACHED;
}

bool meta_matrix(meta_table *out, macadam_engine *engine, const macadam_query *query,
                 const macadam_place *source, size_t rows, const macadam_place *target, size_t columns,
                 char why[META_WHY])
{
    *out = (meta_table){.rows = rows, .columns = columns, .quantity_count = meta_columns_of(query)};
    for (size_t q = 0; q < out->quantity_count; ++q)
        out->value[q] = meta_memory(rows * columns, sizeof(uint32_t));
    out->status = meta_memory(rows + columns, sizeof *out->status);
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = source;
    request.source_count = rows;
    request.target = target;
    request.target_count = columns;
    macadam_error error;
    return meta_ok(macadam_matrix_find_into(out->value, out->status, engine, query, &request, &error), &error,
                   "matrix", why);
}

bool meta_matrix_of(meta_table *out, const meta_case *c, macadam_engine *engine, char why[META_WHY])
{
    const macadam_query query = meta_query(c);
    return meta_matrix(out, engine, &query, c->source, c->source_count, c->target, c->target_count, why);
}

meta_verdict meta_same(const meta_table *a, const meta_table *b, const char *what, char why[META_WHY])
{
    for (size_t i = 0; i < a->rows + a->columns; ++i)
        META_REQUIRE(a->status[i] == b->status[i], "%s: the status of %s %zu is %s, then %s", what,
                     i < a->rows ? "source" : "target", i < a->rows ? i : i - a->rows,
                     macadam_place_status_name(a->status[i]), macadam_place_status_name(b->status[i]));
    for (size_t q = 0; q < a->quantity_count; ++q)
        for (size_t i = 0; i < a->rows * a->columns; ++i)
            META_REQUIRE(a->value[q][i] == b->value[q][i],
                         "%s: cell (%zu, %zu) of quantity %zu is %u, then %u", what, i / a->columns,
                         i % a->columns, q, a->value[q][i], b->value[q][i]);
    return META_HOLDS;
}

/* ---- places ---- */

bool meta_is_cut_off(const meta_case *c, const macadam_place *place)
{
    macadam_snap usual, any;
    macadam_query query = {.size = sizeof query, .conditions = c->conditions};
    const macadam_status status = macadam_snap_find(&usual, c->engine, &query, place, 1, NULL);
    query.snap_any_component = true;
    if (status || macadam_snap_find(&any, c->engine, &query, place, 1, NULL)) return true;
    return usual.status == MACADAM_PLACE_CUT_OFF || usual.arc != any.arc || usual.id != any.id;
}

void meta_draw_ids(const meta_map *map, test_rng *rng, int64_t *id, macadam_place *place, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        id[i] = map->id[rng_below(rng, (uint32_t)map->info.id_count)];
        if (map->cut_off_count && rng_below(rng, 3) == 0) {
            const size_t road = map->cut_off[rng_below(rng, (uint32_t)map->cut_off_count)];
            id[i] = rng_below(rng, 2) ? map->road[road].tail : map->road[road].head;
        }
        place[i] = (macadam_place){.id = id[i]};
    }
}

size_t meta_position(const meta_map *map, int64_t id)
{
    size_t low = 0, high = map->info.id_count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (map->id[middle] <= id)
            low = middle;
        else
            high = middle;
    }
    return low;
}
