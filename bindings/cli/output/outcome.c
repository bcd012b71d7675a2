/* outcome.c - reports the outcomes of places on standard error. */
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/failure.h"

#include <math.h>

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

bool cli_outcome_is_swapped(const cli_session *session, double lon, double lat)
{
    return !is_near_map(session, lon, lat) && is_near_map(session, lat, lon);
}

/* Describes this place only. */
static void hint(char out[TEXT_BYTES], const cli_session *session, const macadam_place *place,
                 macadam_place_status status)
{
    macadam_snap snap;
    out[0] = 0;
    if (place->kind != MACADAM_PLACE_POINT) return;
    if (status == MACADAM_PLACE_MOVED &&
        !macadam_snap_find(&snap, session->engine, &session->query, place, 1, NULL))
        snprintf(out, TEXT_BYTES, ": %.0f m away, moved %.0f m", snap.nearest_m, snap.distance_m);
    if (status == MACADAM_PLACE_TOO_FAR && !is_near_map(session, place->lon, place->lat))
        snprintf(out, TEXT_BYTES, ": outside the map%s",
                 cli_outcome_is_swapped(session, place->lon, place->lat)
                     ? "; are longitude and latitude swapped?"
                     : "");
}

/* Of a place that failed or was moved: describes it and its like. */
static void describe(char out[TEXT_BYTES], const cli_session *session, macadam_place_status status)
{
    static const char *const reasons[] = {
        [MACADAM_PLACE_UNKNOWN_ID] = "no such node",
        [MACADAM_PLACE_NO_COORDINATES] = "the map has no coordinates",
        [MACADAM_PLACE_CUT_OFF] = "the road there is cut off from most others",
        [MACADAM_PLACE_MOVED] = "the nearest road is cut off from most others",
        [MACADAM_PLACE_UNREACHED] = "no way leads there from the other stops and back",
    };
    const char *const reason = status <= MACADAM_PLACE_UNREACHED ? reasons[status] : NULL;
    if (status == MACADAM_PLACE_TOO_FAR)
        snprintf(out, TEXT_BYTES, "no road%s within %g m",
                 !isnan(session->options->heading) ? " in this direction" : "", session->snap_radius_m);
    else
        snprintf(out, TEXT_BYTES, "%s", reason ? reason : macadam_place_status_name(status));
}

void cli_outcome_reason(char out[CLI_REASON_BYTES], const cli_session *session, const macadam_place *place,
                        macadam_place_status status)
{
    char text[TEXT_BYTES], more[TEXT_BYTES];
    describe(text, session, status);
    hint(more, session, place, status);
    snprintf(out, CLI_REASON_BYTES, "%s%s", text, more);
}

/* ---- many places ---- */

/* The place as the user writes it. */
static void name_place(char out[TEXT_BYTES], const macadam_place *place)
{
    if (place->kind == MACADAM_PLACE_NODE)
        snprintf(out, TEXT_BYTES, "node:%lld", (long long)place->id);
    else
        snprintf(out, TEXT_BYTES, "%.7g,%.7g", place->lon, place->lat);
}

/* Those with this status: a line that counts them, then a line for each of the first few. */
static void tell_status(const cli_session *session, const cli_places *places, macadam_place_status status,
                        size_t count)
{
    char text[TEXT_BYTES], more[TEXT_BYTES];
    describe(text, session, status);
    if (status == MACADAM_PLACE_CUT_OFF)
        cli_warn("%zu of %zu %s lie on roads that are cut off from most others", count, places->count,
                 places->what);
    else
        cli_warn("%zu of %zu %s %s%s", count, places->count, places->what,
                 status == MACADAM_PLACE_TOO_FAR ? "have "
                 : status == MACADAM_PLACE_MOVED ? "were moved: "
                                                 : "failed: ",
                 text);
    for (size_t i = 0, shown = 0; i < places->count && shown < SHOWN; ++i) {
        if (places->status[i] != status) continue;
        hint(more, session, &places->place[i], status);
        name_place(text, &places->place[i]);
        if (places->line)
            cli_warn("  %.80s:%zu: %s%s", places->path, places->line[i], text, more);
        else
            cli_warn("  %s%s", text, more);
        ++shown;
    }
    if (count > SHOWN) cli_warn("  and %zu more", count - SHOWN);
}

void cli_outcomes_tell_moved(const cli_session *session, const cli_places *places)
{
    size_t moved = 0;
    for (size_t i = 0; i < places->count; ++i) moved += places->status[i] == MACADAM_PLACE_MOVED;
    if (moved) tell_status(session, places, MACADAM_PLACE_MOVED, moved);
}

int cli_outcomes_tell(const cli_session *session, const cli_places *places)
{
    cli_outcomes_tell_moved(session, places);
    return cli_outcomes_tell_failures(session, places);
}

int cli_outcomes_tell_failures(const cli_session *session, const cli_places *places)
{
    size_t count[MACADAM_PLACE_UNREACHED + 1] = {0};
    for (size_t i = 0; i < places->count; ++i)
        if (places->status[i] <= MACADAM_PLACE_UNREACHED) ++count[places->status[i]];
    const size_t failed = places->count - count[MACADAM_PLACE_OK] - count[MACADAM_PLACE_MOVED];
    for (macadam_place_status status = MACADAM_PLACE_OK + 1; status <= MACADAM_PLACE_UNREACHED; ++status)
        if (count[status] > 0 && status != MACADAM_PLACE_MOVED)
            tell_status(session, places, status, count[status]);
    if (failed == 0 || !session->options->strict) return CLI_DONE;
    return cli_fail_usage("%zu of %zu %s failed%s, and --strict allows none", failed, places->count,
                          places->what, count[MACADAM_PLACE_CUT_OFF] ? " or are cut off" : "");
}

int cli_outcome_tell(const cli_session *session, const char *option, const macadam_place *place,
                     macadam_place_status status)
{
    char text[TEXT_BYTES], reason[CLI_REASON_BYTES];
    if (status == MACADAM_PLACE_OK) return CLI_DONE;
    name_place(text, place);
    cli_outcome_reason(reason, session, place, status);
    if (session->options->strict && status != MACADAM_PLACE_MOVED)
        return cli_fail_usage("%s %s: %s", option, text, reason);
    cli_warn("%s %s: %s", option, text, reason);
    return CLI_DONE;
}
