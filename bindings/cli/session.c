/* session.c - an opened engine with the query that the options request. */
#include "bindings/cli/session.h"
#include "bindings/cli/output/progress.h"
#include "bindings/formats/unit.h"
#include "bindings/formats/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { HEADING_TOLERANCE = 45 /* degrees */, DEFAULT_RADIUS_M = 1000, SECOND = 1000 };

int cli_session_open(cli_session *out, const cli_options *options)
{
    return cli_session_open_profile(out, options, options->file, options->engine.profile);
}

int cli_session_open_profile(cli_session *out, const cli_options *options, const char *file,
                             const char *profile)
{
    *out = (cli_session){
        .options = options, .file = file, .info = MACADAM_INFO_INIT, .query = MACADAM_QUERY_INIT};
    macadam_engine_options engine_options = options->engine;
    engine_options.progress = cli_progress;
    engine_options.profile = profile;
    macadam_status status = macadam_engine_open(&out->engine, file, &engine_options, &cli_error);
    if (status == MACADAM_OK) status = macadam_engine_info(&out->info, out->engine, &cli_error);
    return cli_done(status);
}

void cli_session_close(cli_session *session)
{
    macadam_engine_close(session->engine);
    free((uint32_t *)session->clock.depart);
    session->clock.depart = NULL;
    session->engine = NULL;
}

const char *cli_session_unit(const cli_session *session, const char *quantity)
{
    const size_t i = mcd_text_find_quantity(&session->info, quantity);
    return i < session->info.quantity_count ? session->info.unit[i] : "";
}

/* The units and the signs of the columns. */
static void settle_columns(cli_session *session)
{
    const macadam_info *const info = &session->info;
    const bool is_si = session->options->si_units || session->options->format & MCD_PROBLEMS;
    for (size_t q = 0; q < session->quantity_count; ++q) {
        session->per_unit[q] = is_si ? mcd_unit_scale(cli_session_unit(session, session->quantity[q])) : 1;
        session->is_signed[q] = mcd_text_is_signed(info, session->quantity[q]);
    }
    session->total_per_unit = cli_allocate(info->quantity_count, sizeof *session->total_per_unit);
    for (size_t q = 0; q < info->quantity_count; ++q)
        session->total_per_unit[q] = is_si ? mcd_unit_scale(info->unit[q]) : 1;
    session->format = (macadam_format_options){.size = sizeof session->format,
                                               .quantity_count = session->quantity_count,
                                               .quantity = session->quantity,
                                               .per_unit = session->per_unit,
                                               .is_signed = session->is_signed,
                                               .total = info->quantity,
                                               .total_per_unit = session->total_per_unit,
                                               .language = session->options->request.text.language,
                                               .units = session->options->request.text.units,
                                               .lanes = session->options->request.text.lanes,
                                               .mode = info->profile};
}

/* ---- limits ---- */

int cli_session_read_cost(const cli_session *session, const char *option, const char *value, const char *text,
                          uint64_t *out)
{
    const char *const objective = session->query.metric;
    const bool counts = session->options->command == MCD_HOPS;
    const char *const unit = counts ? "" : cli_session_unit(session, objective);
    const mcd_unit *const known = mcd_unit_of_answers(unit);
    const mcd_unit_result result = mcd_unit_cost(text, strlen(text), unit, out);
    if (result == MCD_UNIT_OK) return CLI_DONE;
    if (result == MCD_UNIT_UNKNOWN && known)
        return cli_fail_usage("%s %s: \"%s\": %s is measured in %s", option, value, text, objective,
                              known->words);
    return cli_fail_usage("%s %s: \"%s\" is not a %s%s", option, value, text,
                          counts  ? "number of hops"
                          : known ? "cost such as 300000, "
                                  : "whole number",
                          known ? known->example : "");
}

static int add_limit(cli_session *session, const char *value, const char *text)
{
    uint64_t cost;
    if (session->limit_count == MACADAM_REACH_LIMITS_MAX)
        return cli_fail_usage("--limits %s: more than %d", value, MACADAM_REACH_LIMITS_MAX);
    CLI_TRY(cli_session_read_cost(session, "--limits", value, text, &cost));
    if (cost > MACADAM_WEIGHT_MAX)
        return cli_fail_usage("--limits %s: \"%s\" is not a cost from 0 to %u", value, text,
                              MACADAM_WEIGHT_MAX);
    for (size_t i = 0; i < session->limit_count; ++i) /* they become the names of columns */
        if (session->limits[i].cost == cost) return cli_fail_usage("--limits %s: %s twice", value, text);
    cli_limit *const limit = &session->limits[session->limit_count++];
    limit->cost = (uint32_t)cost;
    if (strspn(text, "0123456789") == strlen(text) || strlen(text) >= sizeof limit->label)
        snprintf(limit->label, sizeof limit->label, "%" PRIu32, limit->cost);
    else
        strcpy(limit->label, text);
    return CLI_DONE;
}

static int compare_limits(const void *a, const void *b)
{
    const uint32_t x = ((const cli_limit *)a)->cost, y = ((const cli_limit *)b)->cost;
    return (x > y) - (x < y);
}

static int settle_limits(cli_session *session)
{
    const cli_options *const options = session->options;
    if (options->limit) {
        uint64_t limit;
        CLI_TRY(cli_session_read_cost(session, "--limit", options->limit, options->limit, &limit));
        if (limit == 0) return cli_fail_usage("--limit %s: not a cost, at least 1", options->limit);
        /* no cost can pass it */
        session->limit = limit < MACADAM_WEIGHT_MAX ? (uint32_t)limit : MACADAM_WEIGHT_MAX;
    }
    for (size_t i = 0; i < options->limits.count; ++i)
        CLI_TRY(add_limit(session, options->limits.value, options->limits.text[i]));
    if (options->command == MCD_ISOCHRONE)
        qsort(session->limits, session->limit_count, sizeof session->limits[0], compare_limits);
    uint32_t most = 0;
    for (size_t i = 0; i < session->limit_count; ++i) {
        session->limit_cost[i] = session->limits[i].cost;
        if (most < session->limits[i].cost) most = session->limits[i].cost;
    }
    const char *const value = options->limits.value;
    if (session->limit_count > 0 && most < SECOND && !strpbrk(value, "abcdefghijklmnopqrstuvwxyz") &&
        strcmp(cli_session_unit(session, session->query.metric), "ms") == 0)
        cli_warn("--limits %s: in milliseconds; minutes have a unit, as in 5min,10min", value);
    return CLI_DONE;
}

/* ---- the query ---- */

static int settle_clock(cli_session *session)
{
    const mcd_times *const times = &session->options->request.times;
    macadam_clock *const clock = &session->clock;
    session->departs = session->arrives = 1;
    if (!times->depart && !times->arrive_by && !times->each && !times->utc_offset) return CLI_DONE;
    CLI_TRY(cli_done(mcd_clock_read(clock, times, session->options->command, &cli_error)));
    session->query.clock = clock;
    if (!clock->each && clock->depart_count) session->departs = clock->depart_count;
    if (!clock->each && clock->arrive_count) session->arrives = clock->arrive_count;
    const char *text = times->depart ? times->depart : times->arrive_by;
    session->time = cli_allocate(clock->depart_count + clock->arrive_count, sizeof *session->time);
    for (size_t i = 0; text && i < clock->depart_count + clock->arrive_count; ++i) {
        session->time[i] = (cli_time){text, strcspn(text, ",")};
        text += session->time[i].bytes + 1;
    }
    return CLI_DONE;
}

const char *cli_session_time_column(const cli_session *session)
{
    return session->clock.depart_count ? ",depart" : session->clock.arrive_count ? ",arrive_by" : "";
}

int cli_session_open_query(cli_session *out, const cli_options *options)
{
    CLI_TRY(cli_session_open(out, options));
    macadam_query *const query = &out->query;
    *query = options->request.query;
    if (!query->metric) query->metric = out->info.metric[0];
    query->quantity = options->request.quantities.count ? options->request.quantities.text : &query->metric;
    query->quantity_count = options->request.quantities.count ? options->request.quantities.count : 1;
    query->memory_limit = options->engine.memory_limit;
    query->progress = cli_progress;
    CLI_TRY(cli_conditions_read(&out->conditions, options));
    query->conditions = &out->conditions.conditions;
    macadam_query checked = *query;
    CLI_TRY(settle_clock(out));
    /* the costs of paths may be those of any metric: their calls check them */
    if (options->command & (MCD_ROUTE | MCD_TRIP | MCD_MATCH)) checked.quantity_count = 0;
    CLI_TRY(cli_call(macadam_snap_find, NULL, out->engine, &checked, NULL, 0));
    out->id = macadam_engine_ids(out->engine, &cli_error); /* snapping has loaded them: this does not fail */
    while (out->quantity_count < query->quantity_count && out->quantity_count < MACADAM_QUANTITIES_MAX)
        out->quantity[out->quantity_count] = query->quantity[out->quantity_count], ++out->quantity_count;
    out->snap_radius_m = query->snap_radius_m > 0 ? query->snap_radius_m : DEFAULT_RADIUS_M;
    settle_columns(out);
    return settle_limits(out);
}

static int compare_ids(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

bool cli_session_find_id(const cli_session *session, int64_t id, size_t *position)
{
    const size_t count = session->info.id_count;
    const int64_t *const found = count ? bsearch(&id, session->id, count, sizeof id, compare_ids) : NULL;
    if (found && position) *position = (size_t)(found - session->id);
    return found;
}

void cli_session_head(const cli_session *session, macadam_place *place, size_t count)
{
    for (size_t i = 0; i < count && !isnan(session->options->heading); ++i) {
        if (place[i].kind != MACADAM_PLACE_POINT) continue;
        place[i].heading = session->options->heading;
        place[i].heading_tolerance = HEADING_TOLERANCE;
    }
}

int cli_session_fail_coordinates(const cli_session *session, const char *advice)
{
    return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED), "%s has no coordinates%s",
                    session->file, advice);
}
