/* nearest.c - /nearest/v1: the roads nearest to a coordinate. */
#include "bindings/serve/services/stops.h"

/* Finds up to `number` roads of one coordinate. */
static bool find(serve_job *job, const macadam_place *place, macadam_snap *snap, size_t *count)
{
    const size_t capacity = job->request.number < MACADAM_SNAP_CANDIDATES_MAX ? (size_t)job->request.number
                                                                              : MACADAM_SNAP_CANDIDATES_MAX;
    *count = 1;
    /* The first of several may lie on a road that is cut off; a single one does as those of routes do. */
    return capacity == 1 ? serve_call(job, macadam_snap_find, snap, job->map->engine, &job->query, place, 1)
                         : serve_call(job, macadam_snap_find_candidates, snap, count, job->map->engine,
                                      &job->query, place, capacity);
}

static bool write_candidates(serve_job *job, size_t position, const macadam_place *place)
{
    macadam_snap snap[MACADAM_SNAP_CANDIDATES_MAX];
    mcd_text *const text = &job->answer.body;
    const bool nested = job->request.count > 1;
    size_t count;
    if (!find(job, place, snap, &count)) return false;
    if (nested && snap[0].status != MACADAM_PLACE_INVALID && !serve_stops_are_near(job, position, snap)) {
        mcd_text_json(text,
                      "{'message':'Could not find a matching segment for coordinate','code':'NoSegment'}");
        return true;
    }
    if (!serve_stops_check(job, position, snap)) return false;
    if (nested) mcd_text_json(text, "[");
    for (size_t i = 0; i < count && serve_stops_are_near(job, position, &snap[i]); ++i) {
        serve_stops_write(job,
                          &(serve_stop){.kind = SERVE_NEAR_ROAD, .position = position, .snap = &snap[i]});
    }
    if (nested) mcd_text_add(text, "]");
    return true;
}

/* Of several coordinates each has an array of its own, or its own error. */
bool serve_nearest(serve_job *job)
{
    mcd_text *const text = &job->answer.body;
    const macadam_place *const place = serve_stops_places(job);
    if (!place) return false;
    mcd_text_json(text, "{'code':'Ok','waypoints':[");
    for (size_t i = 0; i < job->request.count; ++i)
        if (!write_candidates(job, i, &place[i])) return false;
    mcd_text_add(text, "]}");
    if (!job->request.skip_waypoints) return true;
    text->size = 0;
    mcd_text_json(text, "{'code':'Ok'}");
    return true;
}
