/* requests.h - requests that are right, between two places of a fixture's map: tests then make one member wrong. */
#ifndef TESTS_SUPPORT_REQUESTS_H
#define TESTS_SUPPORT_REQUESTS_H

#include "tests/support/fixture.h"

static inline const macadam_place *two_places(void)
{
    static macadam_place place[2];
    place[0] = fixture_place(0);
    place[1] = fixture_place(1);
    return place;
}

static inline macadam_tree_request tree_request(void)
{
    const macadam_tree_request request = {.size = sizeof request, .source = two_places(), .source_count = 2};
    return request;
}

static inline macadam_route_request route_request(void)
{
    const macadam_route_request request = {
        .size = sizeof request, .waypoint = two_places(), .waypoint_count = 2};
    return request;
}

static inline macadam_routes_request routes_request(void)
{
    const macadam_routes_request request = {
        .size = sizeof request, .source = two_places(), .target = two_places(), .pair_count = 2};
    return request;
}

static inline macadam_matrix_request matrix_request(void)
{
    macadam_matrix_request request = MACADAM_MATRIX_REQUEST_INIT;
    request.source = request.target = two_places();
    request.source_count = request.target_count = 2;
    return request;
}

/* One limit, the nearer of two targets. */
static inline macadam_reach_request reach_request(void)
{
    static const uint32_t limit[] = {100};
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = request.target = two_places();
    request.source_count = request.target_count = 2;
    request.limit = limit;
    request.limit_count = 1;
    request.nearest_count = 1;
    return request;
}

static inline macadam_status ask_reach(macadam_engine *engine, const macadam_query *query,
                                       const macadam_reach_request *request, macadam_error *error)
{
    uint64_t count[2];
    uint32_t position[2 * MACADAM_REACH_NEAREST_MAX];
    const macadam_reach answer = {.size = sizeof answer, .node_count = count, .nearest_position = position};
    return macadam_reach_find(&answer, NULL, engine, query, request, error);
}

#endif
