/* fuzz_request.c - reads any bytes as a request over HTTP: a path, or a path and a body. A request that is read keeps
 * what the services rely on; any other has an answer that reports it. */
#include "bindings/serve/http/url.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds, const char *claim)
{
    if (holds) return;
    fprintf(stderr, "fuzz_request: %s\n", claim);
    abort();
}

static void check_positions(const serve_positions *positions, size_t count)
{
    for (size_t i = 0; i < positions->count; ++i)
        require(positions->at[i] < count, "a position is out of range");
}

static void check(const serve_request *request)
{
    for (size_t i = 0; i < request->count; ++i) {
        const serve_coordinate *const at = &request->coordinate[i];
        require(fabs(at->lon) <= 180 && fabs(at->lat) <= 90, "a coordinate is outside the earth");
        require(at->radius_m >= 0, "a radius is negative");
        require(at->bearing >= 0 && at->bearing <= 360 && at->bearing_range <= 180,
                "a bearing is out of range");
    }
    check_positions(&request->waypoints, request->count);
    check_positions(&request->sources, request->count);
    check_positions(&request->destinations, request->count);
    require(request->service < SERVE_SERVICE_COUNT, "a service is unknown");
    require(request->number > 0 && request->limit_count <= MACADAM_REACH_LIMITS_MAX,
            "a number is out of range");
}

/* The bytes up to the first zero are the path; those after it, if there are any, the body. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *const text = malloc(size + 1);
    serve_answer answer = {0};
    serve_request request;
    require(text != NULL, "no memory");
    if (size > 0) memcpy(text, data, size);
    text[size] = 0;
    const size_t path = strlen(text);
    const bool is_read = serve_url_read(&request, text, path < size ? text + path + 1 : NULL,
                                        path < size ? size - path - 1 : 0, &answer);
    require(is_read == (answer.status == 0), "the answer does not report what happened");
    if (is_read) check(&request);
    serve_request_free(&request);
    serve_answer_free(&answer);
    free(text);
    return 0;
}
