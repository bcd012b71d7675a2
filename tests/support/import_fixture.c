/* import_fixture.c - see import_fixture.h. */
#include "tests/support/import_fixture.h"

#include "importers/arrays.h"
#include "tests/support/allocator.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

mcd_map import_map;
macadam_error import_error;

static char folder[FILES_PATH_BYTES];

void import_fixture_open(void)
{
    allocator_install();
    files_new_folder(folder);
}

void import_fixture_close(void)
{
    mcd_map_free(&import_map);
    files_remove_folder(folder);
    if (allocator_live_count() == 0) return;
    fprintf(stderr, "%zu blocks are left\n", allocator_live_count());
    abort(); /* a failed assertion would come too late to fail the test */
}

const char *import_path(const char *name)
{
    static char path[IMPORT_PATHS][FILES_PATH_BYTES + 64];
    static size_t next;
    char *const out = path[next++ % IMPORT_PATHS];
    snprintf(out, sizeof path[0], "%s/%s", folder, name);
    return out;
}

const char *import_write(const char *name, const char *text)
{
    const char *const path = import_path(name);
    files_write(path, text, strlen(text));
    return path;
}

const char *import_write_gzip(const char *name, const char *text, size_t cut)
{
    const char *const path = import_path(name);
    gzFile file = gzopen(path, "wb");
    cr_assert(file);
    cr_assert_eq(gzwrite(file, text, (unsigned)strlen(text)), (int)strlen(text));
    cr_assert_eq(gzclose(file), Z_OK);
    size_t bytes;
    FREED void *const data = files_read(path, &bytes);
    files_write(path, data, bytes - cut);
    return path;
}

void import_expect(macadam_status status, macadam_status expected, const char *file, const char *message)
{
    char whole[2048];
    snprintf(whole, sizeof whole, "%s%s", file ? file : "", message);
    cr_expect_eq(status, expected, "%s", macadam_status_name(status));
    cr_expect_str_eq(import_error.message, whole);
    mcd_map_free(&import_map);
}

void import_map_of(size_t node_count, const uint32_t (*arc)[3], size_t arc_count)
{
    static const char *const quantity[] = {"cost"};
    FREED int64_t *id = checked_allocate(node_count, sizeof *id);
    uint32_t *column[3];
    for (size_t node = 0; node < node_count; ++node) id[node] = 10 * (int64_t)(node + 1);
    for (size_t i = 0; i < 3; ++i) {
        column[i] = checked_allocate(arc_count, sizeof *column[i]);
        for (size_t a = 0; a < arc_count; ++a) column[i][a] = arc[a][i];
    }
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = node_count;
    input.arc_count = arc_count;
    input.id = id;
    input.tail = column[0];
    input.head = column[1];
    input.quantity = quantity;
    input.weight = (const uint32_t *const *)&column[2];
    input.quantity_count = 1;
    cr_assert_eq(mcd_arrays_read(&import_map, &input, NULL, &import_error), MACADAM_OK, "%s",
                 import_error.message);
    for (size_t i = 0; i < 3; ++i) free(column[i]);
}

size_t import_arc_count(int64_t tail, int64_t head)
{
    size_t count = 0;
    for (size_t arc = 0; arc < import_map.arc_count; ++arc)
        count += import_map.node_id[import_map.tail[arc]] == tail &&
                 import_map.node_id[import_map.head[arc]] == head;
    return count;
}

int64_t import_way(size_t arc)
{
    const uint64_t number = import_map.arc_number[arc];
    return number == MCD_ARC_NONE ? 0 : import_map.arc_way[number - 1];
}

size_t import_arc(int64_t tail, int64_t head)
{
    cr_assert_eq(import_arc_count(tail, head), 1, "%zu arcs from %lld to %lld", import_arc_count(tail, head),
                 (long long)tail, (long long)head);
    size_t arc = 0;
    while (import_map.node_id[import_map.tail[arc]] != tail ||
           import_map.node_id[import_map.head[arc]] != head)
        ++arc;
    return arc;
}

static size_t index_of(int64_t id)
{
    size_t index = 0;
    while (index < import_map.id_count && import_map.id[index] != id) ++index;
    cr_assert_lt(index, import_map.id_count, "no id %lld", (long long)id);
    return index;
}

uint32_t import_cost(int64_t source, int64_t target)
{
    const mcd_map *const map = &import_map;
    FREED uint64_t *dist = checked_allocate(map->node_count, sizeof *dist);
    for (size_t node = 0; node < map->node_count; ++node) dist[node] = MACADAM_UNREACHED;
    dist[map->depart[index_of(source)]] = 0;
    for (size_t round = 0; round < map->node_count; ++round)
        for (size_t arc = 0; arc < map->arc_count; ++arc) {
            const uint64_t sum = dist[map->tail[arc]] + map->weight[0][arc];
            if (sum < dist[map->head[arc]]) dist[map->head[arc]] = sum;
        }
    const uint32_t cost = (uint32_t)dist[map->arrive[index_of(target)]];
    return cost;
}
