/* test_job.c - which requests are long: other clients must not wait for them. */
#include "bindings/serve/http/url.h"
#include "bindings/serve/job.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* `count` coordinates in the path of a service. */
static bool is_long(const char *service, size_t count, const char *options)
{
    serve_map map = {.info = {.west = 9, .south = 45, .east = 10, .north = 46}};
    serve_job job = {.map = &map};
    mcd_text uri = {0};
    mcd_text_add(&uri, "/");
    mcd_text_add(&uri, service);
    mcd_text_add(&uri, count > 0 ? "/v1/car/" : "/v1/car/tile");
    for (size_t i = 0; i < count; ++i) mcd_text_add(&uri, i > 0 ? ";9.19,45.46" : "9.19,45.46");
    mcd_text_add(&uri, options);
    mcd_text_bytes(&uri, "", 1);
    cr_assert(serve_url_read(&job.request, uri.data, NULL, 0, &job.answer), "%s", uri.data);
    const bool result = serve_job_is_long(&job);
    free(uri.data);
    serve_request_free(&job.request);
    return result;
}

Test(job, the_work_of_a_request_decides_whether_it_is_long)
{
    static const struct {
        const char *service;
        size_t count;
        const char *options;
        bool is_long;
    } cases[] = {
        {"route", 2, "", false},
        {"route", 20, "", false},
        {"route", 100, "", true},
        {"route", 2, "?steps=true&annotations=true&overview=full", false},
        {"route", 20, "?steps=true", true},
        {"route", 20, "?annotations=true", true},
        {"route", 190, "?steps=true", true},
        {"route", 2, "?alternatives=true", true},
        {"route", 2, "?slot=Mo08:00", true},
        {"nearest", 1, "?number=10", false},
        {"nearest", 1, "?number=10000", true},
        {"table", 100, "", false},
        {"table", 100, "?annotations=duration,distance", false},
        {"table", 300, "", true},
        {"table", 1000, "?sources=0", true},
        {"match", 30, "", false},
        {"match", 30, "?steps=true", true},
        {"match", 300, "", true},
        {"trip", 8, "", false},
        {"trip", 30, "", true},
        {"trip", 8, "?steps=true", true},
        {"isochrone", 1, "?contours_minutes=3", false},
        {"isochrone", 1, "?contours_minutes=3,30", true},
        {"isochrone", 20, "?contours_minutes=3", true},
        {"isochrone", 1, "?contours_meters=30000", true},
        {"reach", 1, "?contours_meters=3000", false},
        {"tree", 1, "", true},
        {"tile", 0, "(8609,5860,14).mvt", false},
        {"tile", 0, "(2152,1465,12).mvt", true},
        {"tile", 0, "(1,1,12).mvt", false}, /* no part of the map */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        cr_expect_eq(is_long(cases[i].service, cases[i].count, cases[i].options), cases[i].is_long,
                     "%s of %zu %s", cases[i].service, cases[i].count, cases[i].options);
}
