/* dimacs.c - see dimacs.h. (http://www.diag.uniroma1.it/challenge9/format.shtml)
 *
 * A .gr file: `p sp NODES ARCS`, then ARCS lines `a TAIL HEAD WEIGHT`; a .co file: `p aux sp co NODES`, then
 * one line `v NODE LON LAT` per node. Lines that begin with c are comments. The arcs come from the first .gr
 * file; the others must have the same arcs. */
#include "importers/dimacs.h"
#include "importers/base/lines.h"
#include "importers/base/quantity.h"

enum {
    WATCHED_LINES = 256, /* lines between two looks at the clock */
    ARC_BYTES_MIN = 8,   /* "a 1 1 0\n" */
    /* Nodes without arcs take no bytes of the file, but memory and time: these bound how many a file has. */
    NODES_PER_ARC = 16,
    LONE_NODES_MAX = 1 << 20,
    MICRO_TO_E7 = 10,
    LON_MAX = 180000000, /* in the file's unit, 1e-6 degrees */
    LAT_MAX = 90000000,
};
#define LON_NONE INT32_MIN

/* One file being read into `map`. */
typedef struct dimacs_file {
    mcd_map *map;
    mcd_watch watch;
    mcd_lines lines;
    size_t quantity;
    bool has_counts; /* whether the p line was seen */
    uint64_t done;   /* arcs or nodes so far */
    uint64_t total;
} dimacs_file;
/* Fails with the present line of the file. */
#define fail(file, ...) mcd_lines_fail(&(file)->lines, __VA_ARGS__)

/* The lines of one kind of file. */
typedef struct dimacs_format {
    char letter; /* of a line of an item */
    macadam_status (*item)(dimacs_file *file, const char *line, macadam_error *error);
    const char *counts, *known; /* for messages: the line of counts; what other lines are not */
    macadam_status (*read_counts)(dimacs_file *file, const char *line, macadam_error *error);
} dimacs_format;

static macadam_status read_lines(dimacs_file *file, const dimacs_format *format, macadam_error *error)
{
    for (;;) {
        char *line;
        MCD_TRY(mcd_lines_next(&file->lines, &line, error));
        if (!line) break;
        if (file->lines.number % WATCHED_LINES == 1)
            MCD_TRY(mcd_watch_step(&file->watch, file->done, file->total, error));
        if (line[0] == format->letter)
            MCD_TRY(format->item(file, line, error));
        else if (line[0] == 'p')
            MCD_TRY(format->read_counts(file, line, error));
        else if (line[0] != 'c' && !mcd_lines_at_end(line))
            return fail(file, error, "%s", format->known);
    }
    return file->has_counts ? MACADAM_OK : fail(file, error, "the file has no line '%s'", format->counts);
}

static macadam_status read_file(dimacs_file *file, const char *path, const dimacs_format *format,
                                macadam_status (*check)(const dimacs_file *file, macadam_error *error),
                                macadam_error *error)
{
    MCD_TRY(mcd_lines_open(&file->lines, path, error));
    macadam_status status = read_lines(file, format, error);
    if (status == MACADAM_OK) status = check(file, error);
    mcd_lines_close(&file->lines);
    return status;
}

/* ---- arcs ---- */

static macadam_status allocate_arcs(dimacs_file *file, uint64_t nodes, uint64_t arcs, macadam_error *error)
{
    mcd_map *const map = file->map;
    if (nodes >= MCD_NODE_NONE) return fail(file, error, "more than %u nodes", MCD_NODE_NONE - 1);
    if (arcs > file->lines.bytes_max / ARC_BYTES_MIN)
        return fail(file, error, "more arcs than a file of this size can hold");
    if (nodes > LONE_NODES_MAX + NODES_PER_ARC * arcs)
        return fail(file, error, "more nodes than %d for each arc and %d besides", NODES_PER_ARC,
                    LONE_NODES_MAX);
    map->node_count = nodes;
    map->arc_count = arcs;
    MCD_TRY(MCD_NEW(map->tail, arcs, error));
    return MCD_NEW(map->head, arcs, error);
}

static macadam_status read_counts(dimacs_file *file, const char *line, macadam_error *error)
{
    const size_t quantity = file->quantity;
    uint64_t nodes, arcs;
    const char *at = strncmp(line, "p sp", 4) == 0 ? mcd_lines_unsigned(line + 4, &nodes) : NULL;
    if (at) at = mcd_lines_unsigned(at, &arcs);
    if (!at || !mcd_lines_at_end(at)) return fail(file, error, "not a line 'p sp NODES ARCS'");
    if (file->has_counts) return fail(file, error, "a second line 'p sp NODES ARCS'");
    file->has_counts = true;
    file->total = arcs;
    mcd_map *const map = file->map;
    if (quantity == 0)
        MCD_TRY(allocate_arcs(file, nodes, arcs, error));
    else if (nodes != map->node_count || arcs != map->arc_count)
        return fail(file, error, "%s has %zu nodes and %zu arcs, this file has not", map->quantity[0],
                    map->node_count, map->arc_count);
    return MCD_NEW(map->weight[quantity], arcs, error);
}

/* Fails with a message that says why an arc line is wrong; some number in it is not in range. */
static macadam_status fail_arc(const dimacs_file *file, const char *line, macadam_error *error)
{
    uint64_t end[2];
    const char *at = line + 1;
    for (int i = 0; i < 2; ++i) {
        at = mcd_lines_unsigned(at, &end[i]);
        if (!at) return fail(file, error, "not a line 'a TAIL HEAD WEIGHT'");
        if (end[i] < 1 || end[i] > file->map->node_count)
            return fail(file, error, "node %llu is not in 1..%zu", (unsigned long long)end[i],
                        file->map->node_count);
    }
    return fail(file, error, "the weight is not one whole number from 0 to %u", MCD_WEIGHT_MAX);
}

static macadam_status read_arc(dimacs_file *file, const char *line, macadam_error *error)
{
    const size_t quantity = file->quantity;
    mcd_map *const map = file->map;
    if (!file->has_counts) return fail(file, error, "an arc before the line 'p sp NODES ARCS'");
    if (file->done == file->total)
        return fail(file, error, "more arcs than the %zu of the p line", map->arc_count);
    uint64_t tail, head, weight;
    const char *at = mcd_lines_unsigned(line + 1, &tail);
    if (at) at = mcd_lines_unsigned(at, &head);
    if (at) at = mcd_lines_unsigned(at, &weight);
    /* 0 - 1 wraps above every count */
    if (!at || !mcd_lines_at_end(at) || tail - 1 >= map->node_count || head - 1 >= map->node_count ||
        weight > MCD_WEIGHT_MAX)
        return fail_arc(file, line, error);
    const size_t arc = file->done++;
    if (quantity == 0) {
        map->tail[arc] = (mcd_node)(tail - 1);
        map->head[arc] = (mcd_node)(head - 1);
    } else if (map->tail[arc] != tail - 1 || map->head[arc] != head - 1) {
        return fail(file, error, "arc %zu goes from %u to %u in the file of %s", arc + 1, map->tail[arc] + 1,
                    map->head[arc] + 1, map->quantity[0]);
    }
    map->weight[quantity][arc] = (mcd_weight)weight;
    return MACADAM_OK;
}

static macadam_status check_arcs(const dimacs_file *file, macadam_error *error)
{
    if (file->done == file->total) return MACADAM_OK;
    return fail(file, error, "the file ends after %llu of %llu arcs", (unsigned long long)file->done,
                (unsigned long long)file->total);
}

/* ---- coordinates ---- */

static macadam_status read_coordinate_count(dimacs_file *file, const char *line, macadam_error *error)
{
    static const char start[] = "p aux sp co";
    uint64_t nodes;
    const char *at = NULL;
    if (strncmp(line, start, strlen(start)) == 0) at = mcd_lines_unsigned(line + strlen(start), &nodes);
    if (!at || !mcd_lines_at_end(at)) return fail(file, error, "not a line 'p aux sp co NODES'");
    if (file->has_counts) return fail(file, error, "a second line 'p aux sp co NODES'");
    if (nodes != file->map->node_count)
        return fail(file, error, "the arcs have %zu nodes", file->map->node_count);
    file->has_counts = true;
    file->total = nodes;
    return MACADAM_OK;
}

static macadam_status read_coordinate(dimacs_file *file, const char *line, macadam_error *error)
{
    mcd_map *const map = file->map;
    uint64_t id;
    int64_t lon, lat;
    if (!file->has_counts) return fail(file, error, "a node before the line 'p aux sp co NODES'");
    const char *at = mcd_lines_unsigned(line + 1, &id);
    if (at) at = mcd_lines_signed(at, &lon);
    if (at) at = mcd_lines_signed(at, &lat);
    if (!at || !mcd_lines_at_end(at)) return fail(file, error, "not a line 'v NODE LON LAT'");
    if (id < 1 || id > map->node_count)
        return fail(file, error, "node %llu is not in 1..%zu", (unsigned long long)id, map->node_count);
    if (lon < -LON_MAX || lon > LON_MAX || lat < -LAT_MAX || lat > LAT_MAX)
        return fail(file, error, "not within 180 and 90 degrees, counted in millionths");
    if (map->lon_e7[id - 1] != LON_NONE)
        return fail(file, error, "second coordinates of node %llu", (unsigned long long)id);
    map->lon_e7[id - 1] = (int32_t)(lon * MICRO_TO_E7);
    map->lat_e7[id - 1] = (int32_t)(lat * MICRO_TO_E7);
    ++file->done;
    return MACADAM_OK;
}

/* No node was given twice, so that the counts agree only if each node has its coordinates. */
static macadam_status check_coordinates(const dimacs_file *file, macadam_error *error)
{
    if (file->done == file->total) return MACADAM_OK;
    size_t node = 0;
    while (file->map->lon_e7[node] != LON_NONE) ++node;
    return fail(file, error, "the file ends without coordinates of node %zu", node + 1);
}

/* ---- the map ---- */

static macadam_status number(mcd_map *map, mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(MCD_NEW(map->node_id, map->node_count, error));
    MCD_TRY(MCD_NEW(map->arc_number, map->arc_count, error));
    for (size_t node = 0; node < map->node_count; ++node) map->node_id[node] = (int64_t)node + 1;
    MCD_TRY(mcd_watch_step(watch, 0, 1, error));
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(watch, arc, map->arc_count, error));
        map->arc_number[arc] = arc + 1;
    }
    return mcd_map_index_ids(map, watch, error);
}

macadam_status mcd_dimacs_read(mcd_map *out, const macadam_dimacs_input *input, const mcd_progress *progress,
                               macadam_error *error)
{
    static const dimacs_format arcs = {'a', read_arc, "p sp NODES ARCS",
                                       "neither an arc, a comment nor 'p sp NODES ARCS'", read_counts};
    static const dimacs_format nodes = {'v', read_coordinate, "p aux sp co NODES",
                                        "neither a node, a comment nor 'p aux sp co NODES'",
                                        read_coordinate_count};
    MCD_TRY(mcd_quantity_name(out, input->quantity, NULL, input->quantity_count, error));
    for (size_t quantity = 0; quantity < input->quantity_count; ++quantity) {
        dimacs_file file = {
            .map = out, .quantity = quantity, .watch = mcd_watch_of(progress, "reading weights")};
        MCD_TRY(read_file(&file, input->weight[quantity], &arcs, check_arcs, error));
    }
    if (input->coordinates) {
        dimacs_file file = {.map = out, .watch = mcd_watch_of(progress, "reading coordinates")};
        MCD_TRY(MCD_NEW(out->lon_e7, out->node_count, error));
        MCD_TRY(MCD_NEW(out->lat_e7, out->node_count, error));
        for (size_t node = 0; node < out->node_count; ++node) out->lon_e7[node] = LON_NONE;
        MCD_TRY(read_file(&file, input->coordinates, &nodes, check_coordinates, error));
    }
    mcd_watch watch = mcd_watch_of(progress, "numbering arcs");
    return number(out, &watch, error);
}
