/* dimacs_file.c - see dimacs_file.h. */
#include "tests/support/dimacs_file.h"

#include "tests/support/checked.h"

#include <string.h>
#include <zlib.h>

/* The whole file, unpacked if it is packed, NUL-terminated; NULL if it cannot be read. */
static char *read_text(const char *path)
{
    gzFile file = gzopen(path, "rb");
    if (!file) return NULL;
    gzbuffer(file, 1 << 18);
    size_t count = 0, capacity = 1 << 22;
    char *text = checked_allocate(capacity, 1);
    for (int got; (got = gzread(file, text + count, (unsigned)(capacity - count - 1))) > 0;) {
        count += (size_t)got;
        if (capacity - count < capacity / 4) text = checked_reallocate(text, capacity *= 2, 1);
    }
    text[count] = '\0';
    if (gzclose(file) == Z_OK && count > 0) return text;
    free(text);
    return NULL;
}

static bool fail(const char *path, const char *what)
{
    fprintf(stderr, "%s: %s\n", path, what);
    return false;
}

/* Calls take(context, number[0], number[1], number[2]) for every line that begins with `kind`. */
typedef void (*take_line)(void *context, const long *number);
static void each_line(const char *text, char kind, int number_count, take_line take, void *context)
{
    for (const char *line = text; line && *line; line = strchr(line, '\n'), line += line != NULL) {
        if (*line != kind) continue;
        char *cursor = (char *)line + 1;
        long number[3];
        for (int i = 0; i < number_count; ++i) number[i] = strtol(cursor, &cursor, 10);
        take(context, number);
    }
}

static void take_arc(void *context, const long *number)
{
    test_graph_add(context, (uint32_t)(number[0] - 1), (uint32_t)(number[1] - 1), (uint32_t)number[2], 0);
}

static bool read_arcs(test_graph *out, const char *path)
{
    char *text = read_text(path);
    size_t arc_count;
    const char *problem = text ? strstr(text, "p sp ") : NULL;
    const bool has_counts = problem && sscanf(problem, "p sp %zu %zu", &out->node_count, &arc_count) == 2;
    if (has_counts) each_line(text, 'a', 3, take_arc, out);
    free(text);
    if (!has_counts || out->arc_count != arc_count) return fail(path, "not a DIMACS graph");
    for (size_t i = 0; i < arc_count; ++i)
        if (out->tail[i] >= out->node_count || out->head[i] >= out->node_count)
            return fail(path, "no such node");
    return true;
}

bool dimacs_read_graph(test_graph *out, const char *path, const char *other_path)
{
    memset(out, 0, sizeof *out);
    test_graph other = {.name = other_path};
    bool done = read_arcs(out, path) && (!other_path || read_arcs(&other, other_path));
    out->name = path;
    free(out->weight[1]);
    out->weight[1] = NULL;
    if (done && other_path) {
        const size_t bytes = out->arc_count * sizeof *out->tail;
        done = out->arc_count == other.arc_count && memcmp(out->tail, other.tail, bytes) == 0 &&
               memcmp(out->head, other.head, bytes) == 0;
        if (!done) fail(other_path, "not the arcs of the first file");
        out->weight[1] = other.weight[0];
        other.weight[0] = NULL;
    }
    test_graph_free(&other);
    if (!done) test_graph_free(out);
    return done;
}

typedef struct coordinates {
    size_t node_count, line_count;
    int32_t *lon_e6, *lat_e6;
} coordinates;

static void take_coordinates(void *context, const long *number)
{
    coordinates *out = context;
    if (number[0] < 1 || (size_t)number[0] > out->node_count) return;
    out->lon_e6[number[0] - 1] = (int32_t)number[1];
    out->lat_e6[number[0] - 1] = (int32_t)number[2];
    ++out->line_count;
}

bool dimacs_read_coordinates(const char *path, size_t node_count, int32_t *lon_e6, int32_t *lat_e6)
{
    coordinates out = {node_count, 0, lon_e6, lat_e6};
    FREED char *text = read_text(path);
    if (text) each_line(text, 'v', 3, take_coordinates, &out);
    return out.line_count == node_count || fail(path, "not the coordinates of these nodes");
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ (value >> 31)) * UINT64_C(0x7FB5D329728EA185);
    value = (value ^ (value >> 27)) * UINT64_C(0x81DADEF4BC2DD44D);
    return value ^ (value >> 33);
}

/* Distance: from the quantiles of New York's arcs (decimetres). Duration: by one of four road classes; the
 * two directions differ by up to 23 %. Nodes count from 1 here. */
static void add_synthetic_arc(test_graph *graph, uint64_t tail, uint64_t head)
{
    static const uint16_t quantile[] = {1,    238,  336,  404,  473,  537,  597,  653,  687,  729,  756,
                                        784,  807,  838,  873,  905,  951,  1014, 1079, 1144, 1225, 1320,
                                        1410, 1504, 1615, 1747, 1897, 2056, 2258, 2480, 2817, 3593, 36946};
    const uint64_t bits = mix(tail < head ? tail << 32 | head : head << 32 | tail);
    const uint64_t low = bits & 31, first = quantile[low], last = quantile[low + 1], class = bits >> 21 & 127;
    const uint64_t distance = first + (bits >> 5 & 0xFFFF) * (last - first) / 0x10000;
    const uint64_t factor = class < 119 ? 250 : class < 124 ? 167 : class < 126 ? 125 : 100;
    const uint64_t duration = distance * factor * (64 + (mix(tail << 32 | head) & 15)) / 6400;
    test_graph_add(graph, (uint32_t)tail - 1, (uint32_t)head - 1, duration ? (uint32_t)duration : 1,
                   (uint32_t)distance);
}

bool dimacs_read_topology(test_graph *out, const char *path)
{
    memset(out, 0, sizeof *out);
    out->name = path;
    char command[4200], line[256];
    snprintf(command, sizeof command, "xz -dc '%s'", path);
    FILE *lines = popen(command, "r");
    if (!lines) return fail(path, "cannot run xz");
    size_t edge_count = 0;
    while (fgets(line, sizeof line, lines)) {
        char *cursor = line;
        if (*line == 'c') continue;
        if (*line == 'p') {
            if (sscanf(line, "p tw %zu %zu", &out->node_count, &edge_count) != 2) break;
            continue;
        }
        const uint64_t x = strtoull(cursor, &cursor, 10), y = strtoull(cursor, &cursor, 10);
        if (x - 1 >= out->node_count || y - 1 >= out->node_count) break;
        add_synthetic_arc(out, x, y);
        add_synthetic_arc(out, y, x);
    }
    if (pclose(lines) == 0 && edge_count > 0 && out->arc_count == 2 * edge_count) return true;
    test_graph_free(out);
    return fail(path, "not a PACE topology");
}
