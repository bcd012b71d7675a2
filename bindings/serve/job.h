/* job.h - a request while it is answered: the map that it uses, and when it has to stop. */
#ifndef MCD_BINDINGS_SERVE_JOB_H
#define MCD_BINDINGS_SERVE_JOB_H

#include "bindings/serve/map.h"
#include "bindings/serve/settings.h"
#include "bindings/serve/services/request.h"
#include "bindings/serve/http/stream.h"

typedef struct serve_job {
    const serve_settings *settings;
    serve_request request;
    serve_map *map;            /* held */
    macadam_query query;       /* by the request's metric, with durations and distances */
    macadam_clock clock;       /* of the query, if it has one; its instants are owned */
    macadam_error error;       /* of the library's last call */
    struct serve_block *block; /* the last one of serve_job_allocate */
    serve_answer answer;
    serve_stream *stream;     /* for answers that are too large for memory */
    const char *known_tags;   /* of answers that the client has, as it sent them; NULL: none */
    int socket;               /* of the client; -1 = none. A client that goes cancels its job */
    double answer_bytes;      /* that the answer may hold in memory */
    double begun_s, looked_s; /* of the monotonic clock: when it began, when the socket was looked at last */
} serve_job;

/* Seconds of the monotonic clock. */
double serve_job_now(void);

/* Writes the answer of one service. Each returns false if the answer says why there is none. */
typedef bool serve_answerer(serve_job *job);
serve_answerer serve_route, serve_nearest, serve_table, serve_match, serve_trip, serve_isochrone, serve_reach,
    serve_tile, serve_tree;

/* The job's answer says why the request cannot be answered: its code, and a message as printf would write it. Returns
 * false. */
#define serve_refuse(job, ...) serve_answer_fail(&(job)->answer, 400, __VA_ARGS__)
/* Whether a call of the library with the job's error has been successful; otherwise the answer says so. */
bool serve_job_done(serve_job *job, macadam_status status);
/* Calls a function of the library with the job's error; returns as serve_job_done. */
#define serve_call(job, function, ...) serve_job_done((job), function(__VA_ARGS__, &(job)->error))
/* The answer says that memory ran out. Returns false, for its caller to return. */
bool serve_job_fail_memory(serve_job *job);
/* Zeroed memory until the job is answered. NULL: the answer says that memory ran out. */
void *serve_job_allocate(serve_job *job, size_t count, size_t element_bytes);

/* The area of a tile: 1 at the last zoom, 4 at the one before, ...; 0: no part of the map is there. */
size_t serve_tile_area(const serve_job *job);

/* Answers the job by its service; whatever happens, its answer has a status afterwards. */
void serve_job_answer(serve_job *job);
/* Whether answering takes so long that other requests should not wait for it. */
bool serve_job_is_long(const serve_job *job);
/* Whether its answer goes through the stream, unless it fails. */
bool serve_job_is_streamed(const serve_job *job);
void serve_job_free(serve_job *job);

#endif
