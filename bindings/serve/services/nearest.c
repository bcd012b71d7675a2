/* nearest.c - /nearest/v1: the roads nearest to a coordinate. */
#include "bindings/serve/services/stops.h"

#include <inttypes.h>

static bool write_candidates(serve_job *job, size_t position, const macadam_place *place)
{
    macadam_snap snap[MACADAM_SNAP_CANDIDATES_MAX];
    size_t count = 1;
    const size_t capacity = job->request.number < MACADAM_SNAP_CANDIDATES_MAX ? (size_t)job->request.number
                                                                              : MACADAM_SNAP_CANDIDATES_MAX;
    /* The first of several may lie on a road that is cut off; a single one does as those of routes do. */
    const macadam_status status =
        capacity == 1 ? macadam_snap_places(job->map->engine, &job->query, place, 1, snap, &job->error)
                      : macadam_snap_candidates(job->map->engine, &job->query, place, capacity, snap, &count,
                                                &job->error);
    if (!serve_job_done(job, status) || !serve_stops_check(job, position, &snap[0])) return false;
    for (size_t i = 0; i < count && snap[i].distance_m <= job->request.coordinate[position].radius_m; ++i) {
        /* The ids of the road's ends are not known here: the node of the nearer end stands for both. */
        mcd_text_json(&job->answer.body, "{'nodes':[%" PRId64 ",%" PRId64 "]", snap[i].id, snap[i].id);
        serve_stops_write_members(job, position, &snap[i]);
        mcd_text_add(&job->answer.body, "}");
    }
    return true;
}

/* Of several coordinates each has an array of its own. */
static bool write_all(serve_job *job, const macadam_place *place)
{
    mcd_text *const text = &job->answer.body;
    const bool nested = job->request.count > 1;
    mcd_text_json(text, "{'code':'Ok','waypoints':[");
    for (size_t i = 0; i < job->request.count; ++i) {
        if (nested) mcd_text_json(text, "[");
        if (!write_candidates(job, i, &place[i])) return false;
        if (nested) mcd_text_add(text, "]");
    }
    mcd_text_add(text, "]}");
    return true;
}

bool serve_nearest(serve_job *job)
{
    const macadam_place *const place = serve_stops_places(job);
    return place && write_all(job, place);
}
