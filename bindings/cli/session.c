/* session.c - an opened engine with the query that the options ask for. */
#include "bindings/cli/session.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMES_BYTES = 512, HEADING_TOLERANCE = 45 }; /* degrees */

int cli_session_open(cli_session *out, const cli_options *options)
{
    *out = (cli_session){.file = options->file, .info = MACADAM_INFO_INIT, .query = MACADAM_QUERY_INIT};
    macadam_engine_options engine_options = MACADAM_ENGINE_OPTIONS_INIT;
    engine_options.device = options->device;
    engine_options.threads = options->threads;
    engine_options.memory_limit = options->memory;
    macadam_error error = {""};
    macadam_status status = macadam_engine_open(&out->engine, options->file, &engine_options, &error);
    if (status == MACADAM_OK) status = macadam_engine_info(out->engine, &out->info, &error);
    return status == MACADAM_OK ? CLI_DONE : cli_fail_library(status, &error);
}

void cli_session_close(cli_session *session)
{
    macadam_engine_close(session->engine);
    session->engine = NULL;
}

/* "a, b, c"; cut off if there is no room. */
static const char *list(char out[NAMES_BYTES], const char *const *name, size_t count)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < NAMES_BYTES; ++i) {
        used += (size_t)snprintf(out + used, NAMES_BYTES - used, "%s%s", i ? ", " : "", name[i]);
    }
    return out;
}

static int settle_metric(cli_session *session, const char *name, size_t *metric)
{
    const macadam_info *const info = &session->info;
    char names[NAMES_BYTES];
    for (*metric = 0; *metric < info->metric_count; ++*metric) {
        if (!name || strcmp(info->metric[*metric], name) == 0) return CLI_DONE;
    }
    return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_NOT_FOUND), "%s has no metric %s; it has %s",
                    session->file, name ? name : "at all",
                    info->metric_count ? list(names, info->metric, info->metric_count) : "none");
}

static int check_quantity(const cli_session *session, size_t metric, const char *name)
{
    const char *const objective = session->info.metric[metric], *const companion =
                                                                    session->info.companion[metric];
    if (strcmp(name, objective) == 0 || (companion && strcmp(name, companion) == 0)) return CLI_DONE;
    return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_NOT_FOUND),
                    "metric %s has no quantity %s; it has %s%s%s", objective, name, objective,
                    companion ? ", " : "", companion ? companion : "");
}

static int settle_query(cli_session *session, const cli_options *options)
{
    size_t metric;
    int status = settle_metric(session, options->metric, &metric);
    if (status != CLI_DONE) return status;
    session->quantity[0] = session->info.metric[metric];
    session->quantity_count = 1;
    for (size_t i = 0; i < options->quantity_count; ++i) {
        if ((status = check_quantity(session, metric, options->quantity[i])) != CLI_DONE) return status;
        session->quantity[i] = options->quantity[i];
        session->quantity_count = i + 1;
    }
    session->query.metric = session->info.metric[metric];
    session->query.quantity = session->quantity;
    session->query.quantity_count = session->quantity_count;
    session->query.snap_radius_m = options->snap_radius_m;
    session->query.memory_limit = options->memory;
    session->heading = options->heading;
    session->query.progress = cli_progress;
    return CLI_DONE;
}

int cli_session_open_query(cli_session *out, const cli_options *options)
{
    int status = cli_session_open(out, options);
    if (status == CLI_DONE) status = settle_query(out, options);
    if (status != CLI_DONE) return status;
    macadam_error error = {""};
    out->id = macadam_engine_ids(out->engine, &error);
    return out->id || out->info.id_count == 0 ? CLI_DONE : cli_fail_library(MACADAM_E_FILE, &error);
}

bool cli_session_find_id(const cli_session *session, int64_t id, size_t *position)
{
    size_t first = 0, last = session->info.id_count;
    while (first < last) {
        const size_t middle = first + (last - first) / 2;
        if (session->id[middle] < id)
            first = middle + 1;
        else
            last = middle;
    }
    if (position) *position = first;
    return first < session->info.id_count && session->id[first] == id;
}

void cli_session_head(const cli_session *session, macadam_place *place, size_t count)
{
    for (size_t i = 0; i < count && !isnan(session->heading); ++i) {
        if (place[i].kind != MACADAM_PLACE_POINT) continue;
        place[i].heading = session->heading;
        place[i].heading_tolerance = HEADING_TOLERANCE;
    }
}

int cli_session_fail_points(const cli_session *session)
{
    return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED),
                    "%s has no coordinates: name places by node:ID", session->file);
}
