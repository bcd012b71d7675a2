/* bench_snap.c - see bench_snap.h. Points are those of the file's nodes, in turn, each moved by up to 0.001
 * degrees (about 100 m) east and north. */
#include "bindings/cli/commands/bench_snap.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/progress.h"

enum { POINTS = 100000, CHECKED = 1000, STEPS = 1000 };
static const double step_degrees = 1e-6;

typedef struct snap_bench {
    const cli_session *session;
    macadam_place *place;
    macadam_snap *snap;
} snap_bench;

static int snap_all(void *context)
{
    const snap_bench *const bench = context;
    macadam_error error = {""};
    return cli_done(macadam_snap_places(bench->session->engine, &bench->session->query, bench->place, POINTS,
                                        bench->snap, &error),
                    &error);
}

/* Nodes snap to themselves: that gives their coordinates. */
static int choose_points(snap_bench *bench)
{
    const cli_session *const session = bench->session;
    for (size_t i = 0; i < POINTS; ++i) bench->place[i].id = session->id[i % session->info.id_count];
    CLI_TRY(snap_all(bench));
    for (size_t i = 0; i < POINTS; ++i) {
        macadam_place *const place = &bench->place[i];
        place->kind = MACADAM_PLACE_POINT;
        place->lon = bench->snap[i].lon + step_degrees * (double)(i * 7919 % STEPS);
        place->lat = bench->snap[i].lat + step_degrees * (double)(i * 104729 % STEPS);
    }
    return CLI_DONE;
}

static bool same(const macadam_snap *a, const macadam_snap *b)
{
    if (a->status != b->status) return false;
    return a->status != MACADAM_PLACE_OK ||
           (a->arc == b->arc && a->lon == b->lon && a->lat == b->lat && a->distance_m == b->distance_m);
}

static int verify(snap_bench *bench)
{
    CLI_TRY(snap_all(bench));
    for (size_t i = 0; i < CHECKED; ++i) {
        macadam_snap alone;
        macadam_error error = {""};
        CLI_TRY(cli_done(macadam_snap_places(bench->session->engine, &bench->session->query, &bench->place[i],
                                             1, &alone, &error),
                         &error));
        if (!same(&alone, &bench->snap[i]))
            return cli_fail(CLI_RESOURCE, "wrong answer", "%.7f,%.7f snaps otherwise among others",
                            bench->place[i].lon, bench->place[i].lat);
    }
    return CLI_DONE;
}

int cli_bench_snap(cli_measurements *measurements, const cli_session *session)
{
    if (!session->info.has_coordinates) return CLI_DONE;
    const cli_measurement what = {.name = "100000 points snapped", .unit = "points", .count = POINTS};
    snap_bench bench = {.session = session,
                        .place = cli_allocate(POINTS, sizeof *bench.place),
                        .snap = cli_allocate(POINTS, sizeof *bench.snap)};
    CLI_TRY(choose_points(&bench));
    CLI_TRY(verify(&bench));
    return cli_measure(measurements, &what, snap_all, &bench);
}
