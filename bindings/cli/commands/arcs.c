/* arcs.c - `macadam arcs`: every arc of the map. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/output/table.h"

#include <math.h>

static bool write_arc(void *context, const macadam_arc *arc)
{
    cli_table *const table = context;
    const macadam_info *const info = &table->session->info;
    cli_progress_erase();
    cli_table_integer(table, (int64_t)arc->arc);
    cli_table_integer(table, arc->tail);
    cli_table_integer(table, arc->head);
    cli_table_id(table, arc->way);
    cli_table_flag(table, arc->forward);
    cli_table_text(table, arc->facts ? arc->facts->road_class : "");
    cli_table_decimal(table, round(100 * arc->length_m), 0);
    for (size_t q = 0; q < info->quantity_count; ++q)
        cli_table_cost(table, macadam_cost(arc->value[q], info->is_signed[q]), 1);
    cli_table_end(table);
    return !table->output.failed;
}

static int write_arcs(cli_table *table, const cli_options *options)
{
    macadam_error error = {""};
    cli_progress_begin(options);
    const macadam_status status = macadam_arcs_list(table->session->engine, write_arc, table, &error);
    cli_progress_erase();
    return status == MACADAM_OK || table->output.failed ? CLI_DONE : cli_fail_library(status, &error);
}

int cli_arcs(const cli_session *session, const cli_options *options)
{
    static const cli_frame objects = {"[", "\n,", "\n]\n", true};
    cli_table table;
    const cli_layout layout = {.columns = "arc,tail,head,way,forward,class,length_cm,*",
                               .quantity = session->info.quantity,
                               .quantity_count = session->info.quantity_count,
                               .frame = &objects};
    const int status = cli_table_open(&table, session, options, &layout);
    return status == CLI_DONE ? cli_table_close(&table, write_arcs(&table, options)) : status;
}
