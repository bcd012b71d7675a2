/* arcs.c - `macadam arcs`: every arc of the map. */
#include "bindings/cli/command.h"

#include <math.h>

static bool write_arc(void *context, const macadam_arc *arc)
{
    cli_table *const table = context;
    cli_progress_erase();
    mcd_record_members(&table->records, arc);
    mcd_record_decimal(&table->records, round(100 * arc->length_m), 0);
    mcd_record_members(&table->records, arc);
    cli_table_end(table);
    return !table->output.failed;
}

int cli_arcs(const cli_session *session)
{
    static const mcd_record_frame objects = {"[", "\n,", "\n]\n", true};
    cli_table table;
    const cli_layout layout = {.columns = "arc,tail,head,way?,forward,class=road_class?,length_cm,*",
                               .structure = MCD_STRUCTURE(arc),
                               .quantity = session->info.quantity,
                               .frame = &objects};
    CLI_TRY(cli_table_open(&table, session, &layout));
    const macadam_status status = macadam_arcs_list(session->engine, write_arc, &table, &cli_error);
    return cli_table_close(&table, table.output.failed ? CLI_DONE : cli_done(status));
}
