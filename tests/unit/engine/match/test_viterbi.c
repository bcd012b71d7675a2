/* test_viterbi.c - the work for a trace is bounded, whatever its points are: counted in searches, not in time. */
#include "engine/runtime/engine.h"
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>

enum { TEETH = 20, LEAPS = 1000, SKIPPED_MAX = 10 };
#define TOOTH_DEGREES 0.0009 /* from one to the next: 100 m */

static macadam_error error;

static macadam_status (*find_matrices)(const mcd_matrices_job *job, macadam_error *error);
static size_t searches; /* of one move each */

static macadam_status count_matrices(const mcd_matrices_job *job, macadam_error *out)
{
    searches += job->matrix_count;
    return find_matrices(job, out);
}

/* Writes dead ends that are 100 m apart and 3 km long. A street joins their other ends. */
static void write_comb(const char *name)
{
    FILE *const file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(file, "<osm version='0.6'>\n");
    for (int i = 0; i < 2 * TEETH; ++i)
        fprintf(file, "<node id='%d' lon='%.7f' lat='%.7f'/>\n", i + 1, i / 2 * TOOTH_DEGREES, i % 2 * 0.027);
    for (int way = 0; way <= TEETH; ++way) {
        fprintf(file, "<way id='%d'><tag k='highway' v='residential'/>", way + 1);
        for (int i = 0; i < 2 * TEETH; ++i)
            if (way == TEETH ? i % 2 == 0 : i / 2 == way) fprintf(file, "<nd ref='%d'/>", i + 1);
        fprintf(file, "</way>\n");
    }
    fprintf(file, "</osm>\n");
    fclose(file);
}

/* Matches a trace whose points leap among the far ends of the dead ends, one each `seconds` (NAN: without times).
 * No way between them is plausible. Returns the number of searches. */
static size_t searches_of_leaps(double seconds)
{
    static macadam_trace_point point[LEAPS];
    char folder[FILES_PATH_BYTES], map[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    files_new_path(folder, map, "comb.osm");
    snprintf(path, sizeof path, "%s/comb.mcd", folder);
    write_comb(map);
    const macadam_import_options import = {.size = sizeof import, .output = path};
    cr_assert_eq(macadam_import_osm(map, "car", &import, &error), MACADAM_OK, "%s", error.message);
    macadam_engine *engine;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu"};
    cr_assert_eq(macadam_engine_open(&engine, path, &options, &error), MACADAM_OK, "%s", error.message);
    mcd_backend counting = *engine->host;
    find_matrices = counting.matrices, counting.matrices = count_matrices;
    engine->host = engine->backend = &counting;
    for (int i = 0; i < LEAPS; ++i)
        point[i] =
            (macadam_trace_point){.lon = i * 7 % TEETH * TOOTH_DEGREES, .lat = 0.026, .time_s = i * seconds};
    const macadam_match_request request = {.size = sizeof request, .point = point, .point_count = LEAPS};
    macadam_matches *out;
    cr_assert_eq(macadam_match(engine, NULL, &request, &out, &error), MACADAM_OK, "%s", error.message);
    cr_assert_eq(out->matching_count, 0);
    macadam_matches_free(out);
    macadam_engine_close(engine);
    files_remove_folder(folder);
    return searches;
}

/* Each point is looked at from the one before it, and from one for each journey that might begin. */
Test(viterbi, points_that_follow_no_road_take_few_searches)
{
    const size_t found = searches_of_leaps(NAN);
    cr_assert(found > LEAPS && found <= (1 + SKIPPED_MAX) * LEAPS, "%zu searches", found);
}

/* Moves in a time are searched a second time, with a wider limit. */
Test(viterbi, points_in_time_take_at_most_twice_as_many)
{
    const size_t found = searches_of_leaps(20);
    cr_assert(found > LEAPS && found <= 2 * (1 + SKIPPED_MAX) * LEAPS, "%zu searches", found);
}
