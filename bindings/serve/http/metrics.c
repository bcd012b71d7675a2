/* metrics.c - see metrics.h. */
#include "bindings/serve/http/metrics.h"

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

static void write_line(mcd_text *text, const char *name, serve_service service, const char *label,
                       const char *value, int64_t number, unsigned decimals)
{
    mcd_text_add(text, name);
    mcd_text_add(text, "{service=\"");
    mcd_text_add(text, serve_services[service].name);
    if (label) mcd_text_add(text, "\","), mcd_text_add(text, label), mcd_text_add(text, "=\"");
    if (label) mcd_text_add(text, value);
    mcd_text_add(text, "\"} ");
    mcd_text_decimal(text, number, decimals);
    mcd_text_add(text, "\n");
}

static void write_seconds(mcd_text *text, serve_service service)
{
    static const char bucket_name[] = "macadam_request_seconds_bucket";
    unsigned long long sum = 0;
    for (size_t i = 0; i <= BUCKETS; ++i) {
        sum += counted[service].bucket[i];
        write_line(text, bucket_name, service, "le", i < BUCKETS ? bound_name[i] : "+Inf", (int64_t)sum, 0);
    }
    write_line(text, "macadam_request_seconds_sum", service, NULL, NULL,
               (int64_t)counted[service].microseconds, 6);
    write_line(text, "macadam_request_seconds_count", service, NULL, NULL, (int64_t)sum, 0);
}

void serve_metrics_write(mcd_text *text, unsigned running)
{
    static const char *const class_name[CLASSES] = {"", "1xx", "2xx", "3xx", "4xx", "5xx"};
    mcd_text_add(text, "# TYPE macadam_requests_running gauge\nmacadam_requests_running ");
    mcd_text_integer(text, running);
    mcd_text_add(text, "\n# TYPE macadam_requests_total counter\n");
    for (serve_service service = 0; service < SERVE_SERVICE_COUNT; ++service)
        for (size_t i = 0; i < CLASSES; ++i)
            if (counted[service].answers[i] > 0)
                write_line(text, "macadam_requests_total", service, "status", class_name[i],
                           (int64_t)counted[service].answers[i], 0);
    mcd_text_add(text, "# TYPE macadam_request_seconds histogram\n");
    for (serve_service service = 0; service < SERVE_SERVICE_COUNT; ++service) write_seconds(text, service);
}
