/* outcome.c - reports the outcomes of places on standard error. */
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/failure.h"

#include <stdio.h>

enum { SHOWN = 5, TEXT_BYTES = 128 };
static const double METRES_PER_DEGREE = 111195; /* of latitude */

/* ---- reasons ---- */

/* Whether the point is within the map's bounding box, widened by the snap radius. */
static bool is_near_map(const cli_session *session, double lon, double lat)
{
    const macadam_info *const info = &session->info;
    const double radius = session->snap_radius_m / METRES_PER_DEGREE;
    return lon >= info->west - 2 * radius && lon <= info->east + 2 * radius && lat >= info->south - radius &&
           lat <= info->north + radius;
}

static const char *hint_of(const cli_session *session, const macadam_place *place)
{
    if (is_near_map(session, place->lon, place->lat)) return "";
    return is_near_map(session, place->lat, place->lon)
               ? ": outside the map; are longitude and latitude swapped?"
               : ": outside the map";
}

/* Of a failed place: what is wrong with it and its like. */
static void describe(char out[TEXT_BYTES], const cli_session *session, macadam_place_status status)
{
    switch (status) {
    case MACADAM_PLACE_TOO_FAR:
        snprintf(out, TEXT_BYTES, "no road%s within %g m", session->heads ? " in this direction" : "",
                 session->snap_radius_m);
        break;
    case MACADAM_PLACE_UNKNOWN_ID:
        snprintf(out, TEXT_BYTES, "no such node");
        break;
    case MACADAM_PLACE_CUT_OFF:
        snprintf(out, TEXT_BYTES, "the road there is cut off from most others");
        break;
    case MACADAM_PLACE_NO_COORDINATES:
        snprintf(out, TEXT_BYTES, "the map has no coordinates");
        break;
    default:
        snprintf(out, TEXT_BYTES, "%s", macadam_place_status_name(status));
        break;
    }
}

void cli_outcome_reason(char out[CLI_REASON_BYTES], const cli_session *session, const macadam_place *place,
                        macadam_place_status status)
{
    char text[TEXT_BYTES];
    describe(text, session, status);
    const bool is_far = status == MACADAM_PLACE_TOO_FAR && place->kind == MACADAM_PLACE_POINT;
    snprintf(out, CLI_REASON_BYTES, "%s%s", text, is_far ? hint_of(session, place) : "");
}

/* ---- many places ---- */

/* Where the user wrote the place, and what it is. */
static void name_place(char out[TEXT_BYTES], const cli_outcomes *outcomes, size_t i)
{
    const macadam_place *const place = &outcomes->place[i];
    int used = 0;
    if (outcomes->file && outcomes->line)
        used = snprintf(out, TEXT_BYTES, "%.80s:%zu: ", outcomes->file, outcomes->line[i]);
    if (place->kind == MACADAM_PLACE_NODE)
        snprintf(out + used, TEXT_BYTES - (size_t)used, "node:%lld", (long long)place->id);
    else
        snprintf(out + used, TEXT_BYTES - (size_t)used, "%.7g,%.7g", place->lon, place->lat);
}

/* Those with this status: a line that counts them, then a line for each of the first few. */
static void tell_status(const cli_session *session, const cli_outcomes *outcomes, macadam_place_status status,
                        size_t count)
{
    char text[TEXT_BYTES];
    const bool is_far = status == MACADAM_PLACE_TOO_FAR;
    describe(text, session, status);
    if (status == MACADAM_PLACE_CUT_OFF)
        cli_warn("%zu of %zu %s lie on roads that are cut off from most others", count, outcomes->count,
                 outcomes->what);
    else
        cli_warn("%zu of %zu %s %s%s", count, outcomes->count, outcomes->what,
                 is_far ? "have " : "failed: ", text);
    for (size_t i = 0, shown = 0; i < outcomes->count && shown < SHOWN; ++i) {
        if (outcomes->status[i] != status) continue;
        name_place(text, outcomes, i);
        cli_warn("  %s%s", text, is_far ? hint_of(session, &outcomes->place[i]) : "");
        ++shown;
    }
    if (count > SHOWN) cli_warn("  and %zu more", count - SHOWN);
}

static int finish(const cli_options *options, const cli_outcomes *outcomes, size_t failed, size_t cut_off)
{
    if (failed == 0 || !options->strict) return CLI_DONE;
    return cli_fail_usage("%zu of %zu %s failed%s, and --strict allows none", failed, outcomes->count,
                          outcomes->what, cut_off ? " or are cut off" : "");
}

cli_outcomes cli_outcomes_of(const char *what, const cli_places *places, const macadam_place_status *status)
{
    return (cli_outcomes){what, places->csv.path, places->line, places->place, status, places->count};
}

int cli_outcomes_tell(const cli_session *session, const cli_options *options, const cli_outcomes *outcomes)
{
    size_t count[MACADAM_PLACE_CUT_OFF + 1] = {0}, failed = 0;
    for (size_t i = 0; i < outcomes->count; ++i) {
        if (outcomes->status[i] <= MACADAM_PLACE_CUT_OFF) ++count[outcomes->status[i]];
        failed += outcomes->status[i] != MACADAM_PLACE_OK;
    }
    for (macadam_place_status status = MACADAM_PLACE_OK + 1; status <= MACADAM_PLACE_CUT_OFF; ++status)
        if (count[status] > 0) tell_status(session, outcomes, status, count[status]);
    return finish(options, outcomes, failed, count[MACADAM_PLACE_CUT_OFF]);
}

int cli_outcome_tell(const cli_session *session, const cli_options *options, const char *option,
                     const macadam_place *place, macadam_place_status status)
{
    char text[TEXT_BYTES], reason[CLI_REASON_BYTES];
    const cli_outcomes one = {.what = option, .place = place, .status = &status, .count = 1};
    if (status == MACADAM_PLACE_OK) return CLI_DONE;
    name_place(text, &one, 0);
    cli_outcome_reason(reason, session, place, status);
    if (options->strict) return cli_fail_usage("%s %s: %s", option, text, reason);
    cli_warn("%s %s: %s", option, text, reason);
    return CLI_DONE;
}
