/* snap.c - `macadam snap`: where places go on the roads. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/json.h"
#include "bindings/cli/outcome.h"
#include "bindings/cli/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct snap_answer {
    const cli_session *session;
    const cli_options *options;
    cli_places places;
    macadam_snap *snap;
    macadam_place_status *status;
} snap_answer;

/* ---- CSV: id,status,lon,lat,distance_m,way,arc,name ---- */

static void write_row(cli_output *output, const cli_name *name, const macadam_snap *snap)
{
    if (name->text.text)
        cli_output_csv_text(output, name->text.text, name->text.bytes);
    else
        cli_output_integer(output, name->number);
    cli_output_format(output, ",%s,", macadam_place_status_name(snap->status));
    if (!macadam_place_is_found(snap->status)) {
        cli_output_text(output, ",,,,,\n");
        return;
    }
    if (isnan(snap->lon))
        cli_output_text(output, ",,");
    else
        cli_output_format(output, "%.7f,%.7f,", snap->lon, snap->lat);
    cli_output_format(output, "%.2f,", snap->distance_m);
    if (snap->way) cli_output_integer(output, snap->way);
    cli_output_text(output, ",");
    if (snap->arc) cli_output_unsigned(output, snap->arc);
    cli_output_text(output, ",");
    cli_output_csv_text(output, snap->name, strlen(snap->name));
    cli_output_text(output, "\n");
}

static void write_csv(cli_output *output, const snap_answer *answer)
{
    cli_output_text(output, "id,status,lon,lat,distance_m,way,arc,name\n");
    for (size_t i = 0; i < answer->places.count; ++i) {
        const cli_name name = cli_place_name(answer->places.place, answer->places.name, i);
        write_row(output, &name, &answer->snap[i]);
    }
}

/* ---- JSON ---- */

static void add_name(cJSON *object, const cli_name *name)
{
    if (!name->text.text) {
        cli_json_add_integer(object, "id", name->number);
        return;
    }
    char *const text = cli_allocate(name->text.bytes + 1, 1);
    memcpy(text, name->text.text, name->text.bytes);
    cJSON_AddStringToObject(object, "id", text);
    free(text);
}

static cJSON *place_json(const cli_name *name, const macadam_snap *snap)
{
    cJSON *const object = cJSON_CreateObject();
    add_name(object, name);
    cli_json_add_snap(object, snap);
    return object;
}

static void write_json(cli_output *output, const snap_answer *answer)
{
    cJSON *const array = cJSON_CreateArray();
    for (size_t i = 0; i < answer->places.count; ++i) {
        const cli_name name = cli_place_name(answer->places.place, answer->places.name, i);
        cJSON_AddItemToArray(array, place_json(&name, &answer->snap[i]));
    }
    cli_json_write(output, array, false);
}

/* ---- the whole ---- */

static int compute(snap_answer *answer)
{
    const cli_session *const session = answer->session;
    const cli_places *const places = &answer->places;
    macadam_error error = {""};
    const macadam_status status = macadam_snap_places(session->engine, &session->query, places->place,
                                                      places->count, answer->snap, &error);
    if (status != MACADAM_OK) return cli_fail_library(status, &error);
    for (size_t i = 0; i < places->count; ++i) answer->status[i] = answer->snap[i].status;
    const cli_outcomes outcomes = cli_outcomes_of("places", places, answer->status);
    return cli_outcomes_tell(session, answer->options, &outcomes);
}

static int run(snap_answer *answer)
{
    cli_output output;
    int status = cli_places_read(&answer->places, answer->session, answer->options->places);
    if (status != CLI_DONE) return status;
    cli_session_head(answer->session, answer->places.place, answer->places.count);
    answer->snap = cli_allocate(answer->places.count, sizeof *answer->snap);
    answer->status = cli_allocate(answer->places.count, sizeof *answer->status);
    status = compute(answer);
    if (status == CLI_DONE) status = cli_output_open(&output, answer->options->output);
    if (status != CLI_DONE) return status;
    if (answer->options->format == CLI_JSON)
        write_json(&output, answer);
    else
        write_csv(&output, answer);
    return cli_output_close(&output, CLI_DONE);
}

int cli_snap(const cli_session *session, const cli_options *options)
{
    snap_answer answer = {.session = session, .options = options};
    const int status = run(&answer);
    free(answer.snap);
    free(answer.status);
    cli_places_free(&answer.places);
    return status;
}
