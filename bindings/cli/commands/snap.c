/* snap.c - `macadam snap`: where places go on the roads. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/outcome.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"
#include "bindings/formats/route_json.h"

#include <math.h>

typedef struct snap_answer {
    const cli_session *session;
    const cli_options *options;
    cli_places places;
    macadam_snap *snap;
    macadam_place_status *status;
} snap_answer;

/* In JSON, objects have the members of macadam_format_route_json's waypoints. */
static int write_table(const snap_answer *answer)
{
    static const mcd_record_frame array = {"[", ",", "]\n", true};
    const bool is_json = answer->options->format == MCD_JSON;
    const cli_layout layout = {.columns = is_json ? "id,status," MCD_SNAP_MEMBERS
                                                  : "id,status,lon?,lat?,distance_m,way?,arc?,name",
                               .structure = MCD_STRUCTURE(snap),
                               .frame = &array};
    cli_table table;
    CLI_TRY(cli_table_open(&table, answer->session, answer->options, &layout));
    for (size_t i = 0; i < answer->places.count; ++i) {
        const cli_name name = cli_place_name(answer->places.place, answer->places.name, i);
        cli_table_name(&table, &name);
        mcd_record_text(&table.records, macadam_place_status_name(answer->status[i]));
        const macadam_snap *const snap = &answer->snap[i];
        const bool is_found = macadam_place_is_found(snap->status);
        if (is_found && is_json && isnan(snap->lon))
            mcd_record_integer(&table.records, snap->id);
        else if (is_found)
            mcd_record_members(&table.records, snap);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}

/* ---- the whole ---- */

static int compute(snap_answer *answer)
{
    const cli_session *const session = answer->session;
    const cli_places *const places = &answer->places;
    macadam_error error = {""};
    CLI_TRY(cli_done(macadam_snap_places(session->engine, &session->query, places->place, places->count,
                                         answer->snap, &error),
                     &error));
    for (size_t i = 0; i < places->count; ++i) answer->status[i] = answer->snap[i].status;
    const cli_outcomes outcomes = cli_outcomes_of("places", places, answer->status);
    return cli_outcomes_tell(session, answer->options, &outcomes);
}

int cli_snap(const cli_session *session, const cli_options *options)
{
    snap_answer snaps = {.session = session, .options = options}, *const answer = &snaps;
    CLI_TRY(cli_places_read(&answer->places, answer->session, answer->options->places));
    cli_session_head(answer->session, answer->places.place, answer->places.count);
    answer->snap = cli_allocate(answer->places.count, sizeof *answer->snap);
    answer->status = cli_allocate(answer->places.count, sizeof *answer->status);
    CLI_TRY(compute(answer));
    return write_table(answer);
}
