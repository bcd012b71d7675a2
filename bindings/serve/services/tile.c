/* tile.c - /tile/v1: a square of the map as a vector tile, with OSRM's layers. */
#include "bindings/serve/job.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { ZOOM_MIN = 12, ZOOM_MAX = 19 }; /* OSRM's */

static double east_of(double lon)
{
    return (lon + 180) / 360;
}

static double down_of(double lat)
{
    static const double radians = 3.14159265358979323846 / 180;
    return (1 - asinh(tan(lat * radians)) / (180 * radians)) / 2;
}

size_t serve_tile_area(const serve_job *job)
{
    const serve_request *const request = &job->request;
    const macadam_info *const info = &job->map->info;
    if (request->zoom < ZOOM_MIN || request->zoom > ZOOM_MAX) return 0;
    const double side = ldexp(1, -(int)request->zoom), west = request->x * side, north = request->y * side;
    const bool meets = east_of(info->west) < west + side && east_of(info->east) > west &&
                       down_of(info->north) < north + side && down_of(info->south) > north;
    return meets ? (size_t)1 << 2 * (ZOOM_MAX - request->zoom) : 0;
}

/* Tags the answer with the state of the map: an open file and how often its weights were changed. Returns whether the
 * client has the answer of this state. */
static bool is_known(serve_job *job)
{
    char *const tag = job->answer.tag;
    snprintf(tag, sizeof job->answer.tag, "W/\"%" PRIx64 ".%" PRIx64 "\"", job->map->opened_ns,
             job->map->updates);
    return job->known_tags &&
           (strstr(job->known_tags, strchr(tag, '"')) || strcmp(job->known_tags, "*") == 0);
}

bool serve_tile(serve_job *job)
{
    const serve_request *const request = &job->request;
    macadam_bytes tile;
    if (request->zoom < ZOOM_MIN || request->zoom > ZOOM_MAX || request->x >> request->zoom ||
        request->y >> request->zoom)
        return serve_refuse(job, "InvalidOptions",
                            "Invalid coodinates. Only zoomlevel 12+ is supported"); /* as OSRM spells it */
    if (is_known(job)) {
        job->answer.status = SERVE_NOT_MODIFIED;
        job->answer.code = "Ok";
        return true;
    }
    if (!serve_call(job, macadam_vector_tile_find, &tile, job->map->engine, (unsigned)request->zoom,
                    (uint32_t)request->x, (uint32_t)request->y))
        return false;
    if (tile.size > 0) mcd_text_bytes(&job->answer.body, (char *)tile.data, tile.size);
    macadam_bytes_free(&tile);
    serve_answer_ok(&job->answer, serve_type_tile);
    return true;
}
