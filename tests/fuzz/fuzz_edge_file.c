/* fuzz_edge_file.c - a good edge file with some bytes changed, under right checksums: every call on it ends,
 * with an answer or with an error that has a message, and touches only its own memory. Input: edits of five
 * bytes: which section (beyond the last: the directory, the header, a section to hide, two to swap), where in
 * it (two bytes), how, with what. Sections of a grid are edited as they are, decoded; an input whose first
 * byte is 254 edits coded ones, and one whose first byte is 253 edits a town whose turns are restricted, so
 * that junctions are split. An input whose first byte is 255 is itself used as a file. */
#include "tests/attack/map_text.h"
#include "tests/support/checked.h"
#include "tests/support/edge_unpack.h"
#include "tests/support/files.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argument_count, char ***argument);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SIDE = 7, NODES = SIDE * SIDE, ARCS = 4 * SIDE * (SIDE - 1), EDIT_BYTES = 5, IDS_MAX = 4 * NODES };

/* A good file, and two places of it by their ids. */
typedef struct good_file {
    unsigned char *data;
    size_t bytes;
    macadam_place from, to, within; /* the last one is a point */
} good_file;

static good_file unpacked, coded, town; /* the first two are of the same grid */
static const good_file *source;         /* one of them */
static unsigned char *good, *image;     /* its data, and a copy of it */
static size_t image_bytes;

static void require(bool holds, const char *claim)
{
    if (holds) return;
    fprintf(stderr, "fuzz_edge_file: %s\n", claim);
    abort();
}

/* A grid, both directions of each street. */
static void import_grid(const char *path)
{
    int32_t lon_e7[NODES], lat_e7[NODES];
    uint32_t tail[ARCS], head[ARCS], duration[ARCS], distance[ARCS], arc = 0;
    for (uint32_t node = 0; node < NODES; ++node) {
        lon_e7[node] = (int32_t)(node % SIDE) * 10000, lat_e7[node] = (int32_t)(node / SIDE) * 10000;
        if (node % SIDE + 1 < SIDE)
            tail[arc] = node, head[arc++] = node + 1, tail[arc] = node + 1, head[arc++] = node;
        if (node + SIDE < NODES)
            tail[arc] = node, head[arc++] = node + SIDE, tail[arc] = node + SIDE, head[arc++] = node;
    }
    for (arc = 0; arc < ARCS; ++arc) duration[arc] = 1 + arc * 7 % 11, distance[arc] = arc * 5 % 13;
    static const char *const quantity[] = {"duration", "distance"};
    const uint32_t *const weight[] = {duration, distance};
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = NODES, input.arc_count = ARCS;
    input.lon_e7 = lon_e7, input.lat_e7 = lat_e7;
    input.tail = tail, input.head = head;
    input.quantity = quantity, input.weight = weight, input.quantity_count = 2;
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path;
    options.threads = 1;
    options.ready = true;
    macadam_error error = {.message = ""};
    require(macadam_import_arrays(&input, &options, &error) == MACADAM_OK, error.message);
}

static void import_town(const char *path)
{
    char map[64];
    snprintf(map, sizeof map, "%s.osm", path);
    files_write(map, map_text_town, strlen(map_text_town));
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = path;
    options.threads = 1;
    options.ready = true;
    macadam_error error = {.message = ""};
    require(macadam_import_osm(map, "car", &options, &error) == MACADAM_OK, error.message);
    unlink(map);
}

static good_file read_good(const char *path, int64_t from, int64_t to, double lon, double lat)
{
    good_file file = {.from.id = from, .to.id = to};
    file.within = (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
    file.data = files_read(path, &file.bytes);
    return file;
}

static good_file unpack(good_file file)
{
    file.data = edge_unpack(file.data, file.bytes, &file.bytes);
    require(file.data, "the good file is not good");
    return file;
}

int LLVMFuzzerInitialize(int *argument_count, char ***argument)
{
    (void)argument_count;
    (void)argument;
    char path[] = "/tmp/macadam-fuzz-XXXXXX";
    const int descriptor = mkstemp(path);
    require(descriptor >= 0, "no temporary file");
    close(descriptor);
    import_grid(path);
    coded = read_good(path, 0, NODES - 1, 0.0042, 0.0031);
    import_town(path);
    const good_file packed = read_good(path, 1, 9, 10.0014, 50.001);
    town = unpack(packed);
    free(packed.data);
    unlink(path);
    unpacked = unpack(coded);
    size_t bytes = coded.bytes > unpacked.bytes ? coded.bytes : unpacked.bytes;
    if (town.bytes > bytes) bytes = town.bytes;
    image = aligned_alloc(64, (bytes + 63) / 64 * 64);
    require(image, "no memory");
    return 0;
}

/* ---- edits ---- */

static void change(unsigned char *bytes, size_t count, size_t where, unsigned how, unsigned char value)
{
    if (count == 0) return;
    uint32_t word;
    unsigned char *at = bytes + where % count;
    if (how % 4 > 0) at -= (size_t)(at - bytes) % sizeof word;
    if (how % 4 == 0 || at + sizeof word > bytes + count) {
        *at = value;
        return;
    }
    memcpy(&word, at, sizeof word);
    word = how % 4 == 1 ? value : how % 4 == 2 ? UINT32_MAX - value : word + value - 128;
    memcpy(at, &word, sizeof word);
}

/* Gives two sections each other's name, or, of one, a name that no reader knows. */
static void rename_sections(size_t a, size_t b)
{
    mcd_file_section *const section = edge_directory(good);
    mcd_file_section *const to = (mcd_file_section *)(image + edge_header(good)->directory_offset);
    memcpy(to[a].name, section[b].name, sizeof to->name);
    memcpy(to[b].name, section[a].name, sizeof to->name);
    if (a == b) to[a].name[0] = '-';
}

/* The good directory says where sections are, even if the image's own directory is damaged. */
static void edit(const uint8_t *data)
{
    const mcd_file_section *section = edge_directory(good);
    const size_t count = edge_header(good)->section_count, chosen = data[0] % (count + 4);
    const size_t where = data[1] | (size_t)data[2] << 8;
    if (chosen > count + 1) {
        rename_sections(where % count, chosen == count + 2 ? where % count : data[3] % count);
        return;
    }
    if (chosen < count)
        change(image + section[chosen].offset, section[chosen].stored_bytes, where, data[3], data[4]);
    else if (chosen == count)
        change((unsigned char *)image + edge_header(good)->directory_offset, count * sizeof *section, where,
               data[3], data[4]);
    else
        change(image, MCD_FILE_HEADER_BYTES, where, data[3], data[4]);
}

static void seal(void)
{
    mcd_file_section *section = edge_directory(good);
    mcd_file_section *sealed = (mcd_file_section *)(image + edge_header(good)->directory_offset);
    const size_t count = edge_header(good)->section_count;
    for (size_t i = 0; i < count; ++i)
        sealed[i].crc32 = (uint32_t)crc32_z(0, image + section[i].offset, section[i].stored_bytes);
    edge_header(image)->directory_crc32 = (uint32_t)crc32_z(0, (const Bytef *)sealed, count * sizeof *sealed);
    edge_seal_header(image);
}

/* ---- use ---- */

/* Every failure has a message; the next call begins with none. */
static bool worked(macadam_status status, macadam_error *error)
{
    require((status == MACADAM_OK) == (error->message[0] == '\0'),
            "a failure without a message, or the reverse");
    require(!strchr(error->message, '\n'), "a message of two lines");
    error->message[0] = '\0';
    return status == MACADAM_OK;
}

static void ask_trees(macadam_engine *engine, const macadam_place *place, size_t id_count,
                      macadam_error *error)
{
    static uint32_t cost[2 * IDS_MAX];
    uint32_t *const value[] = {cost};
    macadam_tree_request tree = MACADAM_TREE_REQUEST_INIT;
    tree.source = place;
    tree.source_count = 2;
    if (id_count > IDS_MAX) return;
    for (int reverse = 0; reverse < 2; ++reverse) {
        tree.reverse = reverse;
        worked(macadam_tree(engine, NULL, &tree, value, NULL, error), error);
    }
}

static void ask_route(macadam_engine *engine, const macadam_place *place, size_t count, macadam_error *error)
{
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = place;
    request.waypoint_count = count;
    macadam_route *route;
    worked(macadam_route_find(engine, NULL, &request, &route, error), error);
    macadam_route_free(route);
}

static void ask_routes(macadam_engine *engine, const macadam_place *place, macadam_error *error)
{
    uint32_t cost[4], *const value[] = {cost};
    macadam_matrix_request matrix = MACADAM_MATRIX_REQUEST_INIT;
    matrix.source = matrix.target = place;
    matrix.source_count = matrix.target_count = 2;
    worked(macadam_matrix_into(engine, NULL, &matrix, value, NULL, error), error);
    ask_route(engine, place, 3, error);
}

static void change_weight(macadam_engine *engine, macadam_error *error)
{
    static const char *const quantity[] = {"duration"};
    const uint64_t arc[] = {1, 3};
    const uint32_t weight[] = {5, MACADAM_WEIGHT_CLOSED}, *const value[] = {weight};
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    update.arc = arc, update.count = 2;
    update.quantity = quantity, update.quantity_count = 1, update.value = value;
    worked(macadam_update(engine, &update, error), error);
}

static void use(const void *file, size_t bytes)
{
    const macadam_place place[] = {source->from, source->within, source->to};
    macadam_error error = {.message = ""};
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.device = "cpu";
    options.threads = 1;
    macadam_engine *engine;
    if (!worked(macadam_engine_open_memory(&engine, file, bytes, &options, &error), &error)) return;
    ask_route(engine, place, 2, &error); /* before anything is customized: searched on the arcs */
    macadam_info info = MACADAM_INFO_INIT;
    if (worked(macadam_engine_info(engine, &info, &error), &error))
        ask_trees(engine, place, info.id_count, &error);
    ask_routes(engine, place, &error);
    worked(macadam_engine_verify(engine, &error), &error);
    change_weight(engine, &error);
    ask_routes(engine, place, &error);
    macadam_engine_close(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0 && data[0] == 255) {
        void *file = checked_memory(aligned_alloc(64, (size + 63) / 64 * 64), size, 1);
        source = &coded;
        memcpy(file, data + 1, size - 1);
        use(file, size - 1);
        free(file);
        return 0;
    }
    const uint8_t first = size > 0 ? data[0] : 0;
    source = first == 254 ? &coded : first == 253 ? &town : &unpacked;
    good = source->data;
    image_bytes = source->bytes;
    data += first >= 253, size -= first >= 253;
    memcpy(image, good, image_bytes);
    for (; size >= EDIT_BYTES; data += EDIT_BYTES, size -= EDIT_BYTES) edit(data);
    seal();
    use(image, image_bytes);
    return 0;
}
