/* real_map.c - see real_map.h. */
#include "tests/support/real_map.h"

#include "tests/support/checked.h"
#include "tests/support/dimacs_file.h"

static const struct {
    const char *stem, *file[2]; /* per quantity; a topology has one file for both */
} maps[REAL_MAPS] = {
    [NEW_YORK] = {"new-york", {"dimacs/USA-road-t.NY.gr.gz", "dimacs/USA-road-d.NY.gr.gz"}},
    [ROME] = {"rome", {"dimacs/rome99.gr", NULL}},
    [NORTH_EAST] = {"north-east", {"dimacs/NE-topology.gr.xz", NULL}},
};

void real_map_path(char path[FILES_PATH_BYTES], real_map_name name)
{
    const char *folder = getenv("MACADAM_TEST_FILES");
    snprintf(path, FILES_PATH_BYTES, "%s/%s.mcd", folder && *folder ? folder : "/tmp", maps[name].stem);
}

/* The paths of a map's files, NULL where there is no second one. */
static bool find_files(char path[2][FILES_PATH_BYTES], const char *file[2], real_map_name name)
{
    for (size_t i = 0; i < 2; ++i) {
        file[i] = maps[name].file[i] ? path[i] : NULL;
        if (file[i] && !files_find_data(path[i], maps[name].file[i])) return false;
    }
    return true;
}

bool real_map_read(test_graph *out, real_map_name name)
{
    char path[2][FILES_PATH_BYTES];
    const char *file[2];
    if (!find_files(path, file, name)) return false;
    const bool done =
        name == NORTH_EAST ? dimacs_read_topology(out, file[0]) : dimacs_read_graph(out, file[0], file[1]);
    if (!done) abort();
    return true;
}

static macadam_status import_topology(const macadam_import_options *options, macadam_error *error)
{
    SCOPED(test_graph_free) test_graph graph;
    if (!real_map_read(&graph, NORTH_EAST)) abort();
    FREED int64_t *id = checked_allocate(graph.node_count, sizeof *id);
    for (size_t x = 0; x < graph.node_count; ++x) id[x] = (int64_t)x + 1;
    macadam_arrays_input input = MACADAM_ARRAYS_INPUT_INIT;
    input.node_count = graph.node_count;
    input.arc_count = graph.arc_count;
    input.id = id;
    input.tail = graph.tail;
    input.head = graph.head;
    input.quantity = fixture_quantity;
    input.weight = (const uint32_t *const *)graph.weight;
    input.quantity_count = 2;
    const macadam_status status = macadam_import_arrays(&input, options, error);
    return status;
}

bool real_map_import(real_map_name name)
{
    char path[2][FILES_PATH_BYTES], output[FILES_PATH_BYTES];
    const char *file[2];
    if (!find_files(path, file, name)) return false;
    real_map_path(output, name);
    const macadam_import_options options = {.size = sizeof options, .output = output};
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    input.quantity = fixture_quantity;
    input.weight = file;
    input.quantity_count = file[1] ? 2 : 1;
    macadam_error error;
    const macadam_status status = name == NORTH_EAST ? import_topology(&options, &error)
                                                     : macadam_import_dimacs(&input, &options, &error);
    fixture_expect_ok(status, &error, maps[name].stem);
    return true;
}
