/* update.c - `macadam update`: a new edge file with new weights for some arcs, and new prices for some turns. The CSV
 * of weights names arcs in the column arc; else by way, with tail and head or with forward; else by tail and head. That
 * of turns names them in the columns from_arc and to_arc, or from, via and to. An empty field closes an arc or a turn for
 * metrics with that quantity; the word "imported" brings back what was imported. Files without a header are OSRM's. */
#include "bindings/cli/command.h"
#include "bindings/formats/scan.h"
#include "bindings/formats/speeds.h"

#include <math.h>

/* The columns that name arcs and turns. */
typedef enum key_column { ARC, WAY, FORWARD, TAIL, HEAD, FROM_ARC, TO_ARC, FROM, VIA, TO, KEYS } key_column;

static const char *const key_name[KEYS] = {
    [ARC] = "arc",           [WAY] = "way",       [FORWARD] = "forward", [TAIL] = "tail", [HEAD] = "head",
    [FROM_ARC] = "from_arc", [TO_ARC] = "to_arc", [FROM] = "from",       [VIA] = "via",   [TO] = "to"};

typedef struct new_weights {
    cli_csv csv;
    bool are_turns;
    size_t column[KEYS], value_column[MCD_CSV_FIELDS_MAX];
    bool reads[KEYS]; /* which of them are read */
    size_t count, quantity_count;
    int64_t *key[KEYS]; /* those of the columns that are read; numbers of arcs are unsigned */
    int8_t *direction;
    const char *quantity[MCD_CSV_FIELDS_MAX];
    bool is_signed[MCD_CSV_FIELDS_MAX];
    uint32_t *value[MCD_CSV_FIELDS_MAX];
    size_t entry_count, unknown_count; /* lines of a file of OSRM's, and those that are not on the map */
    bool ignores;                      /* its lines have a rate or a weight */
} new_weights;

static bool is_arc_number(key_column key)
{
    return key == ARC || key == FROM_ARC || key == TO_ARC;
}

static bool is_key(const new_weights *weights, size_t column)
{
    for (key_column key = 0; key < KEYS; ++key)
        if (column == weights->column[key]) return true;
    return false;
}

static const char *find_quantity(const macadam_info *info, const cli_field *field)
{
    for (size_t i = 0; i < info->quantity_count; ++i)
        if (cli_field_is(field, info->quantity[i])) return info->quantity[i];
    return NULL;
}

/* Decides which columns name the arcs or the turns: the first of these sets that is there. Returns whether they do. */
static bool choose_keys(new_weights *weights)
{
    static const unsigned of_arcs[] = {1 << ARC,
                                       1 << WAY | 1 << TAIL | 1 << HEAD,
                                       1 << TAIL | 1 << HEAD,
                                       1 << WAY | 1 << FORWARD,
                                       1 << WAY,
                                       0},
                          of_turns[] = {1 << FROM_ARC | 1 << TO_ARC, 1 << FROM | 1 << VIA | 1 << TO, 0};
    const unsigned *keys = weights->are_turns ? of_turns : of_arcs;
    unsigned missing = 0;
    for (key_column key = 0; key < KEYS; ++key)
        missing |= (unsigned)(weights->column[key] == CLI_CSV_NO_COLUMN) << key;
    while (*keys & missing) ++keys;
    for (key_column key = 0; key < KEYS; ++key) weights->reads[key] = *keys >> key & 1;
    return *keys;
}

static int fail_header(const new_weights *weights, bool names_arcs)
{
    const cli_csv *const csv = &weights->csv;
    size_t column = 0;
    while (column < csv->field_count && is_key(weights, column)) ++column;
    if (column < csv->field_count && names_arcs)
        return cli_csv_fail(csv, &csv->field[column], "the map has no such quantity");
    return cli_csv_fail(
        csv, &csv->field[0],
        weights->are_turns
            ? "expected a header with the columns from_arc and to_arc, or from, via and to, and a quantity"
            : "expected a header with the columns arc, or tail and head, or way, and a quantity");
}

static int read_header(new_weights *out, const cli_session *session)
{
    cli_csv *const csv = &out->csv;
    cli_column column[KEYS];
    for (key_column key = 0; key < KEYS; ++key)
        column[key] = (cli_column){"", key_name[key], &out->column[key]};
    CLI_TRY(cli_csv_header(csv, column, KEYS));
    const bool names_arcs = choose_keys(out);
    for (size_t i = 0; i < csv->field_count; ++i) {
        const char *const name = is_key(out, i) ? NULL : find_quantity(&session->info, &csv->field[i]);
        for (size_t q = 0; name && q < out->quantity_count; ++q)
            if (out->quantity[q] == name) return cli_csv_fail(csv, &csv->field[i], "a second column");
        if (!name) continue;
        out->value_column[out->quantity_count] = i;
        out->is_signed[out->quantity_count] = !out->are_turns && mcd_text_is_signed(&session->info, name);
        out->quantity[out->quantity_count++] = name;
    }
    if (out->quantity_count == 0 || !names_arcs) return fail_header(out, names_arcs);
    /* Reports which columns are left out, but for those that `macadam arcs` prints for people. */
    for (size_t i = 0; i < csv->field_count; ++i) {
        const cli_field *const field = &csv->field[i];
        if (!is_key(out, i) && !cli_field_is(field, "class") && !cli_field_is(field, "length_cm") &&
            !find_quantity(&session->info, field))
            cli_warn("%s:%zu: the map has no quantity \"%.*s\": this column is ignored", csv->path, csv->line,
                     (int)field->bytes, field->text);
    }
    return CLI_DONE;
}

static int take_direction(new_weights *out)
{
    const cli_field *const field = &out->csv.field[out->column[FORWARD]];
    uint64_t forward;
    out->direction[out->count] = 0;
    if (field->bytes == 0) return CLI_DONE;
    if (!mcd_number_unsigned(field->text, field->bytes, 1, &forward))
        return cli_csv_fail(&out->csv, field, "not 1, 0 or empty");
    out->direction[out->count] = forward ? 1 : -1;
    return CLI_DONE;
}

static int take_key(new_weights *out)
{
    for (key_column key = 0; key < KEYS; ++key) {
        if (!out->key[key]) continue;
        const cli_field *const field = &out->csv.field[out->column[key]];
        int64_t *const to = &out->key[key][out->count];
        if (is_arc_number(key) ? !mcd_number_unsigned(field->text, field->bytes, UINT64_MAX, (uint64_t *)to)
                               : !mcd_number_integer(field->text, field->bytes, to))
            return cli_csv_fail(&out->csv, field,
                                is_arc_number(key) ? "not an arc number" : "not an integer");
    }
    return out->reads[FORWARD] ? take_direction(out) : CLI_DONE;
}

static int take_line(new_weights *out)
{
    const cli_csv *const csv = &out->csv;
    CLI_TRY(take_key(out));
    for (size_t q = 0; q < out->quantity_count; ++q) {
        const cli_field *const field = &csv->field[out->value_column[q]];
        const bool is_signed = out->is_signed[q];
        const int64_t most = MACADAM_WEIGHT_MAX;
        int64_t weight = is_signed ? MACADAM_SIGNED_UNREACHED : MACADAM_WEIGHT_CLOSED;
        if (cli_field_is(field, "imported"))
            weight = is_signed ? MACADAM_SIGNED_IMPORTED : MACADAM_WEIGHT_IMPORTED;
        else if (field->bytes > 0 && (!mcd_number_integer(field->text, field->bytes, &weight) ||
                                      weight > most || weight < (is_signed ? -most : 0)))
            return cli_csv_fail(csv, field,
                                is_signed
                                    ? "not a weight from -2147483646 to 2147483646, nor imported, nor empty"
                                    : "not a weight from 0 to 2147483646, nor imported, nor empty");
        out->value[q][out->count] = (uint32_t)weight;
    }
    ++out->count;
    return CLI_DONE;
}

/* ---- OSRM's files ---- */

static int give_speeds(new_weights *out, const cli_session *session, mcd_segment *segment)
{
    mcd_speeds speeds;
    uint32_t *const changed = cli_allocate(out->entry_count, sizeof *changed);
    CLI_TRY(cli_done(mcd_speeds_open(&speeds, session->engine, &session->info, &cli_error)));
    CLI_TRY(cli_done(mcd_speeds_give(&speeds, segment, out->entry_count, changed, &cli_error)));
    for (size_t i = 0; i < out->entry_count; ++i) out->unknown_count += changed[i] == 0;
    return cli_done(
        mcd_speeds_durations(&speeds, (uint64_t **)&out->key[ARC], &out->value[0], &out->count, &cli_error));
}

/* Reads lines from,to,km/h[,rate], as mcd_speeds has them, or from,via,to,seconds[,weight]: the price of a turn. */
static int read_osrm(new_weights *out, const cli_session *session)
{
    cli_csv *const csv = &out->csv;
    const size_t ids = out->are_turns ? 3 : 2, capacity = 1 + cli_csv_lines_left(csv);
    mcd_segment *const segment = cli_allocate(capacity, sizeof *segment);
    for (key_column key = FROM; key <= TO; ++key) out->key[key] = cli_allocate(capacity, sizeof **out->key);
    out->value[0] = cli_allocate(capacity, sizeof *out->value[0]);
    out->quantity[0] = "duration", out->quantity_count = 1;
    do {
        int64_t id[3] = {0};
        double number;
        const size_t i = out->entry_count++;
        if (mcd_speeds_read(id, ids, &number, csv->field, csv->field_count, &cli_error) != MACADAM_OK)
            return cli_fail_usage("%s:%zu: %s", csv->path, csv->line, cli_error.message);
        out->ignores |= csv->field_count > ids + 1;
        segment[i] = (mcd_segment){id[0], id[1], number, (uint32_t)i};
        for (size_t k = 0; k < ids; ++k) out->key[FROM + k][i] = id[k];
        out->value[0][i] = (uint32_t)llround(1000 * number);
    } while (cli_csv_next(csv));
    CLI_TRY(csv->status);
    out->count = out->entry_count;
    return out->are_turns ? CLI_DONE : give_speeds(out, session, segment);
}

/* ---- the whole ---- */

static int read_weights(new_weights *out, const cli_session *session, const char *path, bool are_turns)
{
    int64_t number;
    out->are_turns = are_turns;
    CLI_TRY(cli_csv_open(&out->csv, path, "header"));
    const cli_field *const first = &out->csv.field[0];
    if (mcd_number_integer(first->text, first->bytes, &number)) return read_osrm(out, session);
    CLI_TRY(read_header(out, session));
    const size_t capacity = cli_csv_lines_left(&out->csv);
    for (key_column key = 0; key < KEYS; ++key)
        if (out->reads[key] && key != FORWARD) out->key[key] = cli_allocate(capacity, sizeof **out->key);
    if (out->reads[FORWARD]) out->direction = cli_allocate(capacity, sizeof *out->direction);
    for (size_t q = 0; q < out->quantity_count; ++q)
        out->value[q] = cli_allocate(capacity, sizeof *out->value[q]);
    while (cli_csv_next(&out->csv)) CLI_TRY(take_line(out));
    return out->csv.status;
}

static void name_arcs(macadam_update_request *request, const new_weights *weights)
{
    request->arc = (const uint64_t *)weights->key[ARC];
    request->way = weights->key[WAY];
    request->direction = weights->direction;
    request->tail = weights->key[TAIL];
    request->head = weights->key[HEAD];
    request->count = weights->count;
    request->value = (const uint32_t *const *)weights->value;
}

static void name_turns(macadam_update_request *request, const new_weights *weights)
{
    request->turn_from = (const uint64_t *)weights->key[FROM_ARC];
    request->turn_to = (const uint64_t *)weights->key[TO_ARC];
    request->turn_tail = weights->key[FROM];
    request->turn_via = weights->key[VIA];
    request->turn_head = weights->key[TO];
    request->turn_count = weights->count;
    request->turn_price = (const uint32_t *const *)weights->value;
}

static int apply(const cli_session *session, const new_weights *weights)
{
    size_t unknown = 0;
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.all_profiles = session->info.profile_count > 1 && !session->options->engine.profile;
    if (request.all_profiles && (weights->key[ARC] || weights->key[FROM_ARC]))
        return cli_fail_usage("%s: arc numbers are a profile's own: name one with --profile",
                              weights->csv.path);
    (weights->are_turns ? name_turns : name_arcs)(&request, weights);
    request.quantity = weights->quantity;
    request.quantity_count = weights->quantity_count;
    request.progress = cli_progress;
    if (weights->entry_count > 0) request.unknown_count = &unknown;
    if (weights->entry_count == 0 || weights->count > 0) {
        const macadam_status status = macadam_update(session->engine, &request, &cli_error);
        if (status != MACADAM_OK) return cli_fail_library(weights->csv.path, status);
    }
    unknown += weights->unknown_count;
    if (unknown > 0)
        cli_warn("%s: %zu of %zu entries are not on the map", weights->csv.path, unknown,
                 weights->entry_count);
    if (weights->ignores)
        cli_warn("%s: the last column is ignored: only durations change", weights->csv.path);
    return CLI_DONE;
}

/* That no file after osrm:WHEN=, factors:TABLE= or valhalla: is the output. Those without such words are checked like all inputs. */
static int check_speeds(const cli_options *options)
{
    for (size_t i = 0; i < options->speeds.count; ++i) {
        const char *const name = options->speeds.text[i], *const equals = strchr(name, '=');
        const bool has_equals = strncmp(name, "osrm:", 5) == 0 || strncmp(name, "factors:", 8) == 0,
                   is_predicted = strncmp(name, "valhalla:", 9) == 0;
        const char *const path = is_predicted ? name + 9 : equals ? equals + 1 : name;
        if (has_equals || is_predicted) CLI_TRY(cli_call(macadam_output_check, options->output, &path, 1));
    }
    return CLI_DONE;
}

static int update_speeds(const cli_session *session)
{
    macadam_speeds_request request = MACADAM_SPEEDS_REQUEST_INIT;
    request.speeds = session->options->speeds.text, request.speeds_count = session->options->speeds.count;
    request.progress = cli_progress, request.report = cli_progress_report;
    if (request.speeds_count == 0) return CLI_DONE;
    CLI_TRY(check_speeds(session->options));
    if (session->info.profile_count > 1 && !session->options->engine.profile)
        return cli_fail_usage("%s: speeds are those of one profile: name it with --profile",
                              request.speeds[0]);
    return cli_call(macadam_update_speeds, session->engine, &request);
}

int cli_update(const cli_session *session)
{
    const cli_options *const options = session->options;
    new_weights weights = {0}, turns = {0};
    if (options->new_weights) CLI_TRY(read_weights(&weights, session, options->new_weights, false));
    if (options->turns) CLI_TRY(read_weights(&turns, session, options->turns, true));
    if (options->new_weights) CLI_TRY(apply(session, &weights));
    if (options->turns) CLI_TRY(apply(session, &turns));
    CLI_TRY(update_speeds(session));
    return cli_call(macadam_engine_save, session->engine, options->output);
}
