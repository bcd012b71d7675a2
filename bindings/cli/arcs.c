/* arcs.c - `macadam arcs`: every arc of the map. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/json.h"
#include "bindings/cli/output.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

#include <math.h>
#include <string.h>

typedef struct listing {
    const macadam_info *info;
    cli_output output;
    bool json, any;
} listing;

static const char *class_of(const macadam_arc *arc)
{
    return arc->facts ? arc->facts->road_class : "";
}

/* ---- CSV: arc,tail,head,way,forward,class,length_cm,<quantities> ---- */

static void write_header(listing *list)
{
    cli_output_text(&list->output, "arc,tail,head,way,forward,class,length_cm");
    for (size_t q = 0; q < list->info->quantity_count; ++q) {
        cli_output_text(&list->output, ",");
        cli_output_csv_text(&list->output, list->info->quantity[q], strlen(list->info->quantity[q]));
    }
    cli_output_text(&list->output, "\n");
}

static void write_row(listing *list, const macadam_arc *arc)
{
    cli_output *const output = &list->output;
    cli_output_unsigned(output, arc->arc);
    cli_output_text(output, ",");
    cli_output_integer(output, arc->tail);
    cli_output_text(output, ",");
    cli_output_integer(output, arc->head);
    cli_output_text(output, ",");
    if (arc->way) cli_output_integer(output, arc->way);
    cli_output_text(output, arc->forward ? ",1," : ",0,");
    cli_output_csv_text(output, class_of(arc), strlen(class_of(arc)));
    cli_output_text(output, ",");
    if (!isnan(arc->length_m)) cli_output_integer(output, llround(100 * arc->length_m));
    for (size_t q = 0; q < list->info->quantity_count; ++q) {
        cli_output_text(output, ",");
        const int64_t weight = macadam_cost(arc->value[q], list->info->is_signed[q]);
        if (weight != MACADAM_COST_NONE) cli_output_integer(output, weight);
    }
    cli_output_text(output, "\n");
}

/* ---- JSON ---- */

static void write_object(listing *list, const macadam_arc *arc)
{
    cJSON *const object = cJSON_CreateObject();
    cli_json_add_integer(object, "arc", (int64_t)arc->arc);
    cli_json_add_integer(object, "tail", arc->tail);
    cli_json_add_integer(object, "head", arc->head);
    if (arc->way) cli_json_add_integer(object, "way", arc->way);
    cJSON_AddBoolToObject(object, "forward", arc->forward);
    if (class_of(arc)[0]) cJSON_AddStringToObject(object, "class", class_of(arc));
    if (!isnan(arc->length_m)) cli_json_add_integer(object, "length_cm", llround(100 * arc->length_m));
    for (size_t q = 0; q < list->info->quantity_count; ++q)
        cli_json_add_cost(object, list->info->quantity[q],
                          macadam_cost(arc->value[q], list->info->is_signed[q]), 1);
    cli_output_text(&list->output, list->any ? "," : "");
    cli_json_write(&list->output, object, false);
}

static bool write_arc(void *context, const macadam_arc *arc)
{
    listing *const list = context;
    cli_progress_erase();
    if (list->json)
        write_object(list, arc);
    else
        write_row(list, arc);
    list->any = true;
    return !list->output.failed;
}

static int write_arcs(listing *list, const cli_options *options, macadam_engine *engine)
{
    macadam_error error = {""};
    if (list->json)
        cli_output_text(&list->output, "[");
    else
        write_header(list);
    cli_progress_begin(options);
    const macadam_status status = macadam_arcs_list(engine, write_arc, list, &error);
    cli_progress_end();
    if (list->json) cli_output_text(&list->output, "]\n");
    return status == MACADAM_OK || list->output.failed ? CLI_DONE : cli_fail_library(status, &error);
}

int cli_arcs(const cli_session *session, const cli_options *options)
{
    listing list = {.info = &session->info, .json = options->format == CLI_JSON};
    const int status = cli_output_open(&list.output, options->output);
    if (status != CLI_DONE) return status;
    return cli_output_close(&list.output, write_arcs(&list, options, session->engine));
}
