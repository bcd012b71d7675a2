/* snap.c - `macadam snap`: where places go on the roads. */
#include "bindings/cli/command.h"
#include "bindings/formats/route_json.h"

#include <math.h>

int cli_snap(const cli_session *session)
{
    cli_places places;
    CLI_TRY(cli_places_read(&places, NULL, session, "places", session->options->places));
    cli_session_head(session, places.place, places.count);
    macadam_snap *const snap = cli_allocate(places.count, sizeof *snap);
    CLI_TRY(cli_call(macadam_snap_find, snap, session->engine, &session->query, places.place, places.count));
    for (size_t i = 0; i < places.count; ++i) places.status[i] = snap[i].status;
    CLI_TRY(cli_outcomes_tell(session, &places));
    /* In JSON, objects have the members of macadam_format_route_json's waypoints. */
    static const mcd_record_frame array = {"[", ",", "]\n", true};
    const bool is_json = session->options->format == MCD_JSON;
    const cli_layout layout = {.columns = is_json
                                              ? "id,status," MCD_SNAP_MEMBERS
                                              : "id,status,lon?,lat?,distance_m,way?,arc?,name,nearest_m?",
                               .structure = MCD_STRUCTURE(snap),
                               .frame = &array};
    cli_table table;
    CLI_TRY(cli_table_open(&table, session, &layout));
    for (size_t i = 0; i < places.count; ++i) {
        cli_table_place(&table, &places, i);
        mcd_record_text(&table.records, macadam_place_status_name(snap[i].status));
        const bool is_found = macadam_place_is_found(snap[i].status);
        if (is_found && is_json && isnan(snap[i].lon))
            mcd_record_integer(&table.records, snap[i].id);
        else if (is_found)
            mcd_record_members(&table.records, &snap[i]);
        cli_table_end(&table);
    }
    return cli_table_close(&table, CLI_DONE);
}
