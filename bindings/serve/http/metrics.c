/* metrics.c - see metrics.h. */
#include "bindings/serve/http/metrics.h"
#include "bindings/serve/http/log.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>

enum { CLASSES = 6 /* of status: 2xx, 4xx, ... */, BUCKETS = 8 };
static const double bound_s[BUCKETS] = {0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 10};
static const char *const bound_name[BUCKETS] = {"0.001", "0.003", "0.01", "0.03", "0.1", "0.3", "1", "10"};

static struct {
    atomic_ullong answers[CLASSES], microseconds, bucket[BUCKETS + 1];
} counted[SERVE_SERVICE_COUNT];

void serve_metrics_count(serve_service service, unsigned status, double seconds)
{
    size_t bucket = 0;
    while (bucket < BUCKETS && seconds > bound_s[bucket]) ++bucket;
    ++counted[service].answers[status / 100 % CLASSES];
    ++counted[service].bucket[bucket];
    counted[service].microseconds += (unsigned long long)llround(seconds * 1e6);
}

static const char *const ending_name[SERVE_ENDINGS] = {"slow_head", "slow_body", "slow_reader", "full"};
static atomic_ullong ended[SERVE_ENDINGS];

void serve_metrics_end(serve_ending ending)
{
    ++ended[ending];
}

void serve_metrics_log(void)
{
    static unsigned long long logged[SERVE_ENDINGS];
    unsigned long long since[SERVE_ENDINGS], sum = 0;
    for (size_t i = 0; i < SERVE_ENDINGS; ++i) {
        const unsigned long long now = ended[i];
        sum += since[i] = now - logged[i];
        logged[i] = now;
    }
    if (sum > 0)
        serve_log("ended %llu connections: %llu slow heads, %llu slow bodies, %llu slow readers, %llu idle "
                  "ones for new clients",
                  sum, since[SERVE_SLOW_HEAD], since[SERVE_SLOW_BODY], since[SERVE_SLOW_READER],
                  since[SERVE_CROWDED]);
}

static void write_seconds(mcd_text *text, serve_service service)
{
    const char *const name = serve_services[service].name;
    uint64_t sum = 0;
    for (size_t i = 0; i <= BUCKETS; ++i) {
        sum += counted[service].bucket[i];
        mcd_text_json(text, "macadam_request_seconds_bucket{service=%s,le=%s} %" PRIu64 "\n", name,
                      i < BUCKETS ? bound_name[i] : "+Inf", sum);
    }
    mcd_text_json(text, "macadam_request_seconds_sum{service=%s} %.6f\n", name,
                  (double)counted[service].microseconds / 1e6);
    mcd_text_json(text, "macadam_request_seconds_count{service=%s} %" PRIu64 "\n", name, sum);
}

void serve_metrics_write(mcd_text *text, unsigned running)
{
    static const char *const class_name[CLASSES] = {"", "1xx", "2xx", "3xx", "4xx", "5xx"};
    mcd_text_json(text, "# TYPE macadam_requests_running gauge\nmacadam_requests_running %u\n", running);
    mcd_text_add(text, "# TYPE macadam_requests_total counter\n");
    for (serve_service service = 0; service < SERVE_SERVICE_COUNT; ++service)
        for (size_t i = 0; i < CLASSES; ++i)
            if (counted[service].answers[i] > 0)
                mcd_text_json(text, "macadam_requests_total{service=%s,status=%s} %" PRIu64 "\n",
                              serve_services[service].name, class_name[i],
                              (uint64_t)counted[service].answers[i]);
    mcd_text_add(text, "# TYPE macadam_connections_ended_total counter\n");
    for (size_t i = 0; i < SERVE_ENDINGS; ++i)
        mcd_text_json(text, "macadam_connections_ended_total{reason=%s} %" PRIu64 "\n", ending_name[i],
                      (uint64_t)ended[i]);
    mcd_text_add(text, "# TYPE macadam_request_seconds histogram\n");
    for (serve_service service = 0; service < SERVE_SERVICE_COUNT; ++service) write_seconds(text, service);
}
