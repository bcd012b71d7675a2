/* test_viterbi.c - the work for a trace is bounded, whatever its points are: counted in searches, not in time. And
 * points that are far apart are not one place. */
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

static const char *street = "<tag k='highway' v='residential'/>";

/* Writes dead ends that are 100 m apart and 3 km long. A street joins their other ends. */
static void write_comb(const char *name)
{
    FILE *const file = fopen(name, "w");
    cr_assert_not_null(file);
    fprintf(file, "<osm version='0.6'>\n");
    for (int i = 0; i < 2 * TEETH; ++i)
        fprintf(file, "<node id='%d' lon='%.7f' lat='%.7f'/>\n", i + 1, i / 2 * TOOTH_DEGREES, i % 2 * 0.027);
    for (int way = 0; way <= TEETH; ++way) {
        fprintf(file, "<way id='%d'>%s", way + 1, street);
        for (int i = 0; i < 2 * TEETH; ++i)
            if (way == TEETH ? i % 2 == 0 : i / 2 == way) fprintf(file, "<nd ref='%d'/>", i + 1);
        fprintf(file, "</way>\n");
    }
    fprintf(file, "</osm>\n");
    fclose(file);
}

/* Imports the comb for cars, and opens it. */
static macadam_engine *open_comb(char folder[FILES_PATH_BYTES])
{
    char map[FILES_PATH_BYTES + 16], path[FILES_PATH_BYTES + 16];
    files_new_path(folder, map, "comb.osm");
    snprintf(path, sizeof path, "%s/comb.mcd", folder);
    write_comb(map);
    const macadam_import_options import = {.size = sizeof import, .output = path};
    cr_assert_eq(macadam_import_osm(map, "car", &import, &error), MACADAM_OK, "%s", error.message);
    macadam_engine *engine;
    const macadam_engine_options options = {.size = sizeof options, .device = "cpu"};
    cr_assert_eq(macadam_engine_open(&engine, path, &options, &error), MACADAM_OK, "%s", error.message);
    return engine;
}

/* Matches a trace whose points leap among the far ends of the dead ends, one each `seconds` (NAN: without times).
 * No way between them is plausible. Returns the number of searches. */
static size_t searches_of_leaps(double seconds)
{
    static macadam_trace_point point[LEAPS];
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_comb(folder);
    mcd_backend counting = *engine->host;
    find_matrices = counting.matrices, counting.matrices = count_matrices;
    engine->host = engine->backend = &counting;
    for (int i = 0; i < LEAPS; ++i)
        point[i] =
            (macadam_trace_point){.lon = i * 7 % TEETH * TOOTH_DEGREES, .lat = 0.026, .time_s = i * seconds};
    const macadam_match_request request = {.size = sizeof request, .point = point, .point_count = LEAPS};
    macadam_matches *out;
    cr_assert_eq(macadam_match_find(&out, engine, NULL, &request, &error), MACADAM_OK, "%s", error.message);
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

/* Two points on a street are 116 m apart: a wide accuracy does not make them one place. */
static void expect_ways_between_distant_points(void)
{
    char folder[FILES_PATH_BYTES];
    macadam_engine *const engine = open_comb(folder);
    for (int i = 0; i < TEETH; ++i) {
        const double lon = i / 2 * 2 * TOOTH_DEGREES, from = i % 2 ? 0.01305 : 0.012, to = 0.02505 - from;
        const macadam_trace_point point[2] = {{.lon = lon, .lat = from, .time_s = NAN, .accuracy_m = 100},
                                              {.lon = lon, .lat = to, .time_s = NAN, .accuracy_m = 100}};
        const macadam_match_request request = {.size = sizeof request, .point = point, .point_count = 2};
        macadam_matches *out;
        cr_assert_eq(macadam_match_find(&out, engine, NULL, &request, &error), MACADAM_OK, "%s",
                     error.message);
        cr_assert_eq(out->matching_count, 1, "pair %d", i);
        cr_assert(out->matching[0].distance_m > 110, "pair %d: %g m", i, out->matching[0].distance_m);
        macadam_matches_free(out);
    }
    macadam_engine_close(engine);
    files_remove_folder(folder);
}

Test(viterbi, wide_accuracy_leaves_a_way_between_distant_points)
{
    expect_ways_between_distant_points();
}

/* The way takes 23 s. To go costs less than to stand with the second place as far back. */
Test(viterbi, slow_street_leaves_it_too)
{
    street = "<tag k='highway' v='residential'/><tag k='maxspeed' v='18'/>";
    expect_ways_between_distant_points();
}
