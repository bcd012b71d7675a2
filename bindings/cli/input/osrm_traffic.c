/* osrm_traffic.c - see osrm_traffic.h. (https://github.com/Project-OSRM/osrm-backend/wiki/Traffic) */
#include "bindings/cli/input/osrm_traffic.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"
#include "bindings/cli/output/progress.h"
#include "bindings/formats/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double not_given = -1;

/* From a node of an arc to the next one. */
typedef struct piece {
    int64_t from, to;
    double metres, kmh;
} piece;

typedef struct piece_key {
    int64_t from, to;
    size_t index;
} piece_key;

/* All arcs of the map with their durations, and their pieces: those of arc i are first[i] <= j < first[i + 1]. */
typedef struct network {
    size_t duration; /* the index of this quantity */
    uint64_t *arc;
    uint32_t *weight;
    size_t *first, arc_count;
    piece *piece;
    size_t piece_count;
    piece_key *key; /* [piece_count] by from and to */
} network;

/* ---- lines ---- */

/* Reads the ids that a line begins with and the number after them. */
static int take_line(cli_osrm *out, const cli_csv *csv, int64_t *id, size_t id_count, double *number)
{
    double ignored;
    if (csv->field_count < id_count + 1 || csv->field_count > id_count + 2)
        return cli_fail_usage("%s:%zu: %zu fields, not %zu or %zu", csv->path, csv->line, csv->field_count,
                              id_count + 1, id_count + 2);
    for (size_t i = 0; i < id_count; ++i)
        if (!mcd_number_integer(csv->field[i].text, csv->field[i].bytes, &id[i]))
            return cli_csv_fail(csv, &csv->field[i], "not the id of a node");
    const cli_field *const field = &csv->field[id_count], *const last = &csv->field[csv->field_count - 1];
    if (!mcd_number_decimal(field->text, field->bytes, number) ||
        !(*number >= 0 && *number < MACADAM_WEIGHT_MAX / 1000.0))
        return cli_csv_fail(csv, field, "not a number from 0 to 2147483");
    if (last != field && !mcd_number_decimal(last->text, last->bytes, &ignored))
        return cli_csv_fail(csv, last, "not a number");
    out->ignores |= last != field;
    ++out->entry_count;
    return CLI_DONE;
}

int cli_osrm_turns(cli_osrm *out, cli_csv *csv, const cli_session *session)
{
    (void)session;
    const size_t capacity = 1 + cli_csv_lines_left(csv);
    out->from = cli_allocate(capacity, sizeof *out->from);
    out->via = cli_allocate(capacity, sizeof *out->via);
    out->to = cli_allocate(capacity, sizeof *out->to);
    out->value = cli_allocate(capacity, sizeof *out->value);
    do {
        int64_t id[3];
        double seconds;
        CLI_TRY(take_line(out, csv, id, 3, &seconds));
        out->from[out->count] = id[0], out->via[out->count] = id[1], out->to[out->count] = id[2];
        out->value[out->count++] = (uint32_t)llround(1000 * seconds);
    } while (cli_csv_next(csv));
    return csv->status;
}

/* ---- segments ---- */

static void add_piece(network *map, int64_t from, int64_t to, double metres)
{
    map->piece = cli_grow(map->piece, map->piece_count, sizeof *map->piece);
    map->piece[map->piece_count++] = (piece){from, to, metres, not_given};
}

static bool add_arc(void *context, const macadam_arc *arc)
{
    network *const map = context;
    map->arc = cli_grow(map->arc, map->arc_count, sizeof *map->arc);
    map->weight = cli_grow(map->weight, map->arc_count, sizeof *map->weight);
    map->first = cli_grow(map->first, map->arc_count + 1, sizeof *map->first);
    map->arc[map->arc_count] = arc->arc;
    map->weight[map->arc_count] = arc->value[map->duration];
    map->first[map->arc_count++] = map->piece_count;
    if (arc->node_count == 0) add_piece(map, arc->tail, arc->head, arc->length_m);
    for (size_t i = 1; i < arc->node_count; ++i)
        add_piece(map, arc->node[i - 1], arc->node[i], arc->node_m[i] - arc->node_m[i - 1]);
    map->first[map->arc_count] = map->piece_count;
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const piece_key *const x = a, *const y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static int read_map(network *map, const cli_session *session)
{
    const macadam_info *const info = &session->info;
    map->duration = mcd_text_find_quantity(info, "duration");
    if (map->duration == info->quantity_count || info->is_signed[map->duration] || !info->has_coordinates)
        return cli_fail_usage("speeds of segments need a map with durations and coordinates");
    CLI_TRY(cli_call(macadam_arcs_list, session->engine, add_arc, map));
    map->key = cli_allocate(map->piece_count, sizeof *map->key);
    for (size_t i = 0; i < map->piece_count; ++i)
        map->key[i] = (piece_key){map->piece[i].from, map->piece[i].to, i};
    if (map->piece_count) qsort(map->key, map->piece_count, sizeof *map->key, compare_keys);
    return CLI_DONE;
}

/* Gives the speed to all pieces between two nodes. Returns whether there are any. */
static bool give_speed(network *map, int64_t from, int64_t to, double kmh)
{
    const piece_key wanted = {from, to, 0};
    size_t first = 0, end = map->piece_count;
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (compare_keys(&map->key[middle], &wanted) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    for (end = first; end < map->piece_count && compare_keys(&map->key[end], &wanted) == 0; ++end)
        map->piece[map->key[end].index].kmh = kmh;
    return end > first;
}

/* Returns the duration of an arc with the speeds that are given; its own if none is. */
static uint32_t duration_of(const network *map, size_t arc)
{
    double all_m = 0, kept_m = 0, given_s = 0;
    const uint32_t own = map->weight[arc];
    for (size_t i = map->first[arc]; i < map->first[arc + 1]; ++i) {
        const piece *const part = &map->piece[i];
        all_m += part->metres;
        if (part->kmh == 0) return MACADAM_WEIGHT_CLOSED;
        if (part->kmh == not_given)
            kept_m += part->metres;
        else
            given_s += part->metres / (part->kmh / 3.6);
    }
    if (kept_m == all_m) return own;
    if (own == MACADAM_WEIGHT_CLOSED && kept_m > 0) return own;
    const double ms = 1000 * given_s + (kept_m > 0 ? own * (kept_m / all_m) : 0);
    return ms < MACADAM_WEIGHT_MAX ? (uint32_t)llround(ms) : MACADAM_WEIGHT_MAX;
}

int cli_osrm_segments(cli_osrm *out, cli_csv *csv, const cli_session *session)
{
    network map = {0};
    CLI_TRY(read_map(&map, session));
    do {
        int64_t id[2];
        double kmh;
        CLI_TRY(take_line(out, csv, id, 2, &kmh));
        out->unknown_count += !give_speed(&map, id[0], id[1], kmh);
    } while (cli_csv_next(csv));
    CLI_TRY(csv->status);
    out->arc = cli_allocate(map.arc_count, sizeof *out->arc);
    out->value = cli_allocate(map.arc_count, sizeof *out->value);
    for (size_t i = 0; i < map.arc_count; ++i) {
        const uint32_t value = duration_of(&map, i);
        if (value == map.weight[i]) continue;
        out->arc[out->count] = map.arc[i];
        out->value[out->count++] = value;
    }
    return CLI_DONE;
}

void cli_osrm_report(const cli_osrm *osrm, const cli_csv *csv, size_t unknown)
{
    unknown += osrm->unknown_count;
    if (unknown > 0)
        cli_warn("%s: %zu of %zu entries are not on the map", csv->path, unknown, osrm->entry_count);
    if (osrm->ignores) cli_warn("%s: the last column is ignored: only durations change", csv->path);
}
