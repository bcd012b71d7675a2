/* mosaic.c - makes a large road graph: rows x columns copies of a DIMACS graph side by side, with an
 * elimination order.
 *
 *   mosaic --weight duration=T.gr.gz [--weight distance=D.gr.gz] --coords C.co.gz --rows R --columns C
 *          [--plain] -o PREFIX
 *
 * Writes PREFIX.<quantity>.gr.gz, PREFIX.co.gz (.gr and .co with --plain) and PREFIX.order.txt (all nodes,
 * one a line, first eliminated first). Node x of tile (row, column) is (row * columns + column) * nodes +
 * x. Row 0 is the south.
 *
 * Weights A join (mosaic_tile.h) weighs its straight length times the quantity's mean cost per straight
 *         metre. Then one direction of every arc, chosen by a hash of its ends, is made 1.6 to 23.4 %
 *         dearer (and dearer by 1 at the least), so that the two directions differ. The same input gives
 *         the same output everywhere.
 * Order   Nested dissection of the grid of cells (mosaic_tile.h): a region is halved by the cheaper of its
 *         middle lines, whose nodes come last; a single cell keeps the tile's order. 7 x 13 copies of New
 *         York: 24 M nodes, tree height 694, 122 M upward arcs, 0.92 x 10^9 triangles.
 * Memory  One tile, and a megabyte a file: copies are streamed, each file by a thread of its own. */
#include "tests/bench/mosaic_tile.h"
#include "tests/support/checked.h"
#include "tests/support/dimacs_file.h"
#include "tests/support/rng.h"

#include <getopt.h>
#include <pthread.h>
#include <string.h>
#include <zlib.h>

enum { BUFFER_BYTES = 1 << 20, LINE_BYTES = 256, QUANTITIES = 2, WEIGHT_LAST = 0x7ffffffe };

typedef struct mosaic_plan {
    mosaic_tile tile;
    size_t tile_count[2]; /* [COLUMN], [ROW] */
    const char *name[QUANTITIES], *path[QUANTITIES], *coordinates, *prefix;
    bool plain;
} mosaic_plan;

/* ---- writing ---- */

/* A file that is being written. Failures are reported at the end. */
typedef struct writer {
    gzFile file;
    char buffer[BUFFER_BYTES];
    size_t count;
    bool failed;
} writer;

static void put_flush(writer *out)
{
    if (out->count > 0 && gzwrite(out->file, out->buffer, (unsigned)out->count) != (int)out->count)
        out->failed = true;
    out->count = 0;
}

static void put_text(writer *out, const char *text)
{
    const size_t length = strlen(text);
    if (out->count + LINE_BYTES > BUFFER_BYTES) put_flush(out);
    memcpy(out->buffer + out->count, text, length);
    out->count += length;
}

static void put_number(writer *out, int64_t number, char after)
{
    char digits[24];
    size_t first = sizeof digits;
    uint64_t rest = number < 0 ? (uint64_t)-number : (uint64_t)number;
    if (out->count + LINE_BYTES > BUFFER_BYTES) put_flush(out);
    digits[--first] = after;
    do digits[--first] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0) digits[--first] = '-';
    memcpy(out->buffer + out->count, digits + first, sizeof digits - first);
    out->count += sizeof digits - first;
}

/* ---- nodes and arcs ---- */

static size_t total_tiles(const mosaic_plan *mosaic)
{
    return mosaic->tile_count[COLUMN] * mosaic->tile_count[ROW];
}

static size_t total_nodes(const mosaic_plan *mosaic)
{
    return total_tiles(mosaic) * mosaic->tile.graph.node_count;
}

/* How many borders between two tiles run across a direction. */
static size_t total_borders(const mosaic_plan *mosaic, size_t along)
{
    return (mosaic->tile_count[along] - 1) * mosaic->tile_count[1 - along];
}

static size_t total_arcs(const mosaic_plan *mosaic)
{
    size_t total = total_tiles(mosaic) * mosaic->tile.graph.arc_count;
    for (size_t along = 0; along < 2; ++along)
        total += 2 * mosaic->tile.join_count[along] * total_borders(mosaic, along);
    return total;
}

/* The weight from `tail` to `head` of an arc that weighs `weight` either way in the tile. */
static uint32_t skew(uint64_t tail, uint64_t head, uint32_t weight)
{
    const uint64_t hash = rng_mix(tail < head ? tail << 32 | head : head << 32 | tail);
    if ((hash & 1) == (tail < head)) return weight;
    const uint64_t more = weight * (1 + (hash >> 1) % 15) / 64;
    const uint64_t skewed = weight + (more > 0 ? more : 1);
    return skewed > WEIGHT_LAST ? WEIGHT_LAST : (uint32_t)skewed;
}

static void put_arc(writer *out, uint64_t tail, uint64_t head, uint32_t weight)
{
    put_text(out, "a ");
    put_number(out, (int64_t)tail + 1, ' ');
    put_number(out, (int64_t)head + 1, ' ');
    put_number(out, skew(tail, head, weight), '\n');
}

static void put_joins(writer *out, const mosaic_plan *mosaic, size_t quantity, size_t along, size_t tile)
{
    const size_t node_count = mosaic->tile.graph.node_count;
    const size_t next = tile + (along == COLUMN ? 1 : mosaic->tile_count[COLUMN]);
    for (size_t i = 0; i < mosaic->tile.join_count[along]; ++i) {
        const mosaic_join *join = &mosaic->tile.join[along][i];
        const uint64_t x = tile * node_count + join->node, y = next * node_count + join->next_node;
        put_arc(out, x, y, join->weight[quantity]);
        put_arc(out, y, x, join->weight[quantity]);
    }
}

static void put_graph(writer *out, const mosaic_plan *mosaic, size_t quantity)
{
    const test_graph *graph = &mosaic->tile.graph;
    const size_t columns = mosaic->tile_count[COLUMN], rows = mosaic->tile_count[ROW];
    put_text(out, "c a mosaic of copies of one graph, joined at their borders\np sp ");
    put_number(out, (int64_t)total_nodes(mosaic), ' ');
    put_number(out, (int64_t)total_arcs(mosaic), '\n');
    for (size_t tile = 0; tile < rows * columns; ++tile) {
        const size_t first = tile * graph->node_count;
        for (size_t i = 0; i < graph->arc_count; ++i)
            put_arc(out, first + graph->tail[i], first + graph->head[i], graph->weight[quantity][i]);
        if (tile % columns + 1 < columns) put_joins(out, mosaic, quantity, COLUMN, tile);
        if (tile / columns + 1 < rows) put_joins(out, mosaic, quantity, ROW, tile);
    }
}

static void put_coordinates(writer *out, const mosaic_plan *mosaic)
{
    const mosaic_tile *tile = &mosaic->tile;
    put_text(out, "c a mosaic of copies of one graph\np aux sp co ");
    put_number(out, (int64_t)total_nodes(mosaic), '\n');
    for (size_t copy = 0; copy < total_tiles(mosaic); ++copy) {
        const int64_t east = (int64_t)(copy % mosaic->tile_count[COLUMN]) * tile->extent_e6[COLUMN];
        const int64_t north = (int64_t)(copy / mosaic->tile_count[COLUMN]) * tile->extent_e6[ROW];
        for (size_t x = 0; x < tile->graph.node_count; ++x) {
            put_text(out, "v ");
            put_number(out, (int64_t)(copy * tile->graph.node_count + x) + 1, ' ');
            put_number(out, tile->lon_e6[x] + east, ' ');
            put_number(out, tile->lat_e6[x] + north, '\n');
        }
    }
}

/* ---- order ---- */

/* Cells first[d] <= i < last[d] along each direction. Cell i lies between the lines of tiles i - 1 and i. */
typedef struct cell_region {
    size_t first[2], last[2];
} cell_region;

static void put_node(writer *out, const mosaic_plan *mosaic, const size_t position[2], uint32_t node)
{
    const size_t tile = position[ROW] * mosaic->tile_count[COLUMN] + position[COLUMN];
    put_number(out, (int64_t)(tile * mosaic->tile.graph.node_count + node) + 1, '\n');
}

/* The first part of a tile belongs to the cell of its own number, the last part to the next cell. */
static void put_cell(writer *out, const mosaic_plan *mosaic, const size_t cell[2])
{
    const mosaic_tile *tile = &mosaic->tile;
    for (size_t i = 0; i < tile->order_count; ++i) {
        const uint32_t node = tile->order[i];
        size_t position[2];
        for (size_t along = 0; along < 2; ++along)
            position[along] = cell[along] - (tile->side[along][node] == SIDE_LAST);
        if (position[COLUMN] < mosaic->tile_count[COLUMN] &&
            position[ROW] < mosaic->tile_count[ROW]) /* -1 wraps */
            put_node(out, mosaic, position, node);
    }
}

/* The nodes of a region on the line through tiles `line` along a direction: at the lines that bound the
 * region, whose nodes come later, only those inside it. */
static void put_line(writer *out, const mosaic_plan *mosaic, const cell_region *region, size_t along,
                     size_t line)
{
    const uint8_t *side = mosaic->tile.side[along], *across_side = mosaic->tile.side[1 - along];
    const size_t first = region->first[1 - along], last = region->last[1 - along];
    for (size_t i = first > 0 ? first - 1 : 0; i < last && i < mosaic->tile_count[1 - along]; ++i)
        for (uint32_t node = 0; node < mosaic->tile.graph.node_count; ++node) {
            if (side[node] != SIDE_CUT) continue;
            if (i + 1 == first && across_side[node] != SIDE_LAST) continue;
            if (i + 1 == last && across_side[node] != SIDE_FIRST) continue;
            size_t position[2];
            position[along] = line;
            position[1 - along] = i;
            put_node(out, mosaic, position, node);
        }
}

static void put_region(writer *out, const mosaic_plan *mosaic, const cell_region *whole)
{
    size_t width[2], cost[2], along = COLUMN;
    for (size_t d = 0; d < 2; ++d) width[d] = whole->last[d] - whole->first[d];
    for (size_t d = 0; d < 2; ++d)
        cost[d] = width[d] > 1 ? mosaic->tile.cut_count[d] * width[1 - d] : SIZE_MAX;
    if (cost[COLUMN] == SIZE_MAX && cost[ROW] == SIZE_MAX) {
        put_cell(out, mosaic, whole->first);
        return;
    }
    if (cost[ROW] < cost[COLUMN]) along = ROW;
    cell_region half[2] = {*whole, *whole};
    half[0].last[along] = half[1].first[along] = whole->first[along] + width[along] / 2;
    put_region(out, mosaic, &half[0]);
    put_region(out, mosaic, &half[1]);
    put_line(out, mosaic, whole, along, half[0].last[along] - 1);
}

/* ---- the program ---- */

/* The work of one thread: a quantity's graph, the coordinates or the order. */
typedef struct file_task {
    const mosaic_plan *mosaic;
    size_t kind; /* below QUANTITIES: that quantity */
    bool done;
} file_task;
enum { COORDINATES = QUANTITIES, ORDER, KINDS };

static void *run_task(void *argument)
{
    file_task *task = argument;
    const mosaic_plan *mosaic = task->mosaic;
    const bool is_graph = task->kind < QUANTITIES;
    const char *name = is_graph ? mosaic->name[task->kind] : "";
    const char *suffix = is_graph ? ".gr" : task->kind == COORDINATES ? "co" : "order.txt";
    const bool plain = mosaic->plain || task->kind == ORDER;
    char path[4200];
    snprintf(path, sizeof path, "%s.%s%s%s", mosaic->prefix, name, suffix, plain ? "" : ".gz");
    FREED writer *out = checked_zeroed(1, sizeof *out);
    out->file = gzopen(path, plain ? "wbT" : "wb1");
    if (out->file) {
        const cell_region all = {{0, 0}, {mosaic->tile_count[COLUMN] + 1, mosaic->tile_count[ROW] + 1}};
        if (is_graph)
            put_graph(out, mosaic, task->kind);
        else if (task->kind == COORDINATES)
            put_coordinates(out, mosaic);
        else
            put_region(out, mosaic, &all);
        put_flush(out);
        task->done = gzclose(out->file) == Z_OK && !out->failed;
    }
    if (!task->done) fprintf(stderr, "mosaic: cannot write %s\n", path);
    return NULL;
}

static bool write_all(const mosaic_plan *mosaic)
{
    bool done = true, started[KINDS] = {false};
    file_task tasks[KINDS];
    pthread_t thread[KINDS];
    for (size_t kind = 0; kind < KINDS; ++kind) {
        if (kind < QUANTITIES && kind >= mosaic->tile.quantity_count) continue;
        tasks[kind] = (file_task){mosaic, kind, false};
        started[kind] = pthread_create(&thread[kind], NULL, run_task, &tasks[kind]) == 0;
        done = done && started[kind];
    }
    for (size_t kind = 0; kind < KINDS; ++kind) {
        if (!started[kind]) continue;
        pthread_join(thread[kind], NULL);
        done = done && tasks[kind].done;
    }
    return done;
}

static int refuse(const char *what)
{
    fprintf(
        stderr,
        "mosaic: %s\n"
        "usage: mosaic --weight NAME=X.gr.gz [--weight NAME=Y.gr.gz] --coords C.co.gz --rows R --columns C\n"
        "              [--plain] -o PREFIX\n",
        what);
    return 2;
}

/* Returns NULL, or what is wrong. */
static const char *parse(mosaic_plan *out, size_t *quantity_count, int argc, char **argv)
{
    static const struct option options[] = {
        {"weight", required_argument, NULL, 'w'}, {"coords", required_argument, NULL, 'x'},
        {"rows", required_argument, NULL, 'r'},   {"columns", required_argument, NULL, 'c'},
        {"plain", no_argument, NULL, 'p'},        {NULL, 0, NULL, 0}};
    for (int option; (option = getopt_long(argc, argv, "o:", options, NULL)) != -1;) {
        char *equals = optarg ? strchr(optarg, '=') : NULL;
        switch (option) {
        case 'w':
            if (!equals || *quantity_count == QUANTITIES) return "--weight is NAME=FILE, once or twice";
            *equals = '\0';
            out->name[*quantity_count] = optarg;
            out->path[(*quantity_count)++] = equals + 1;
            break;
        case 'x':
            out->coordinates = optarg;
            break;
        case 'r':
            out->tile_count[ROW] = strtoul(optarg, NULL, 10);
            break;
        case 'c':
            out->tile_count[COLUMN] = strtoul(optarg, NULL, 10);
            break;
        case 'p':
            out->plain = true;
            break;
        case 'o':
            out->prefix = optarg;
            break;
        default:
            return "unknown option";
        }
    }
    if (optind != argc || *quantity_count == 0 || !out->coordinates || !out->prefix)
        return "something is missing";
    for (size_t along = 0; along < 2; ++along)
        if (out->tile_count[along] < 1 || out->tile_count[along] > 1000)
            return "rows and columns are 1 to 1000";
    return NULL;
}

/* Whether node numbers fit and no tile leaves the globe. */
static bool fits(const mosaic_plan *mosaic)
{
    const int64_t end_e6[2] = {180000000, 90000000};
    for (size_t along = 0; along < 2; ++along)
        if (mosaic->tile.origin_e6[along] +
                (int64_t)mosaic->tile_count[along] * mosaic->tile.extent_e6[along] >
            end_e6[along])
            return false;
    return total_nodes(mosaic) < UINT32_MAX;
}

int main(int argc, char **argv)
{
    mosaic_plan mosaic = {.tile_count = {0, 0}};
    size_t quantity_count = 0;
    const char *wrong = parse(&mosaic, &quantity_count, argc, argv);
    if (wrong) return refuse(wrong);
    test_graph graph;
    if (!dimacs_read_graph(&graph, mosaic.path[0], mosaic.path[1])) return 3;
    if (graph.node_count == 0) return refuse("an empty graph");
    int32_t *lon_e6 = checked_allocate(graph.node_count, sizeof *lon_e6);
    int32_t *lat_e6 = checked_allocate(graph.node_count, sizeof *lat_e6);
    bool done = dimacs_read_coordinates(mosaic.coordinates, graph.node_count, lon_e6, lat_e6);
    if (!done) return 3;
    if (!mosaic_tile_new(&mosaic.tile, graph, quantity_count, lon_e6, lat_e6, mosaic.tile_count)) return 4;
    if (!fits(&mosaic)) return refuse("the mosaic leaves the globe or has too many nodes");
    printf("%zu x %zu tiles: %zu nodes, %zu arcs; joins a border: %zu, %zu; nodes a cut: %zu, %zu\n",
           mosaic.tile_count[ROW], mosaic.tile_count[COLUMN], total_nodes(&mosaic), total_arcs(&mosaic),
           mosaic.tile.join_count[COLUMN], mosaic.tile.join_count[ROW], mosaic.tile.cut_count[COLUMN],
           mosaic.tile.cut_count[ROW]);
    done = write_all(&mosaic);
    mosaic_tile_free(&mosaic.tile);
    return done ? 0 : 4;
}
