/* calibrate.c - `macadam bench --calibrate`: the rates by which an engine of device "auto" chooses where a question is
 * answered (engine/runtime/rates.h), measured with two engines, one on the processor and one on the GPU. */
#include "bindings/cli/command.h"
#include "bindings/cli/console.h"
#include "engine/runtime/rates.h"

#include <inttypes.h>
#include <stdlib.h>

enum { RUNS = 5, PLACES = 4096, LANES_LEAST = 16, LANES_MOST = 64, SPREAD = 64 };
static const double femtoseconds = 1e15; /* of a second */

typedef struct calibration {
    cli_session session[2]; /* of the processor, and of the GPU */
    mcd_extent map;
    unsigned threads;
    macadam_place *place; /* [2 * PLACES]: sources, then targets */
    uint32_t *value, *weight;
    uint64_t *arc;
    size_t arc_count;
    uint32_t change; /* of every weight, in each update */
    size_t quantity; /* whose weights are updated: the metric's objective */
    mcd_rates rates;
    double open_s; /* that the GPU took to open */
} calibration;

/* ---- questions ---- */

static bool keep_arc(void *context, const macadam_arc *arc)
{
    calibration *const of = context;
    of->arc[of->arc_count] = arc->arc;
    of->weight[of->arc_count++] =
        arc->value[of->quantity] < MACADAM_WEIGHT_MAX ? arc->value[of->quantity] : 1;
    return true;
}

/* Other weights for all arcs, on the GPU for some of them, and a matrix of one cell. */
static int update(calibration *of, cli_session *session)
{
    const size_t count = session == of->session ? of->arc_count : of->arc_count / SPREAD;
    const uint32_t *const weight = of->weight;
    const macadam_update_request request = {.size = sizeof request,
                                            .arc = of->arc,
                                            .count = count,
                                            .quantity = &session->query.metric,
                                            .quantity_count = 1,
                                            .value = &weight};
    const macadam_matrix_request matrix = {.size = sizeof matrix,
                                           .source = of->place,
                                           .source_count = 1,
                                           .target = of->place,
                                           .target_count = 1};
    for (size_t i = 0; i < count; ++i) of->weight[i] ^= of->change;
    CLI_TRY(cli_call(macadam_update, session->engine, &request));
    return cli_call(macadam_matrix_find_into, &of->value, NULL, session->engine, &session->query, &matrix);
}

static int ask(calibration *of, cli_session *session, const mcd_amount *amount)
{
    const macadam_place *const source = of->place, *const target = of->place + PLACES;
    macadam_engine *const engine = session->engine;
    const macadam_query *const query = &session->query;
    const macadam_tree_request tree = {.size = sizeof tree,
                                       .source = source,
                                       .source_count = amount->from,
                                       .order = amount->rated == MCD_RATED_LANES ? MACADAM_ORDER_LANES
                                                                                 : MACADAM_ORDER_IDS,
                                       .method = amount->rated == MCD_RATED_SEARCHES ? "near-far" : NULL};
    const macadam_matrix_request matrix = {.size = sizeof matrix,
                                           .source = source,
                                           .source_count = amount->from,
                                           .target = target,
                                           .target_count = amount->to};
    const macadam_routes_request routes = {
        .size = sizeof routes, .source = source, .target = target, .pair_count = amount->from};
    const macadam_hops_request hops = {.size = sizeof hops, .source = source, .source_count = amount->from};
    const uint32_t limit = MACADAM_WEIGHT_MAX;
    const macadam_reach_request reach = {.size = sizeof reach,
                                         .source = source,
                                         .source_count = amount->from,
                                         .limit = &limit,
                                         .limit_count = 1};
    const macadam_reach counts = {.size = sizeof counts, .node_count = (uint64_t *)of->value};
    switch (amount->rated) {
    case MCD_RATED_MATRIX:
        return cli_call(macadam_matrix_find_into, &of->value, NULL, engine, query, &matrix);
    case MCD_RATED_ROUTES:
        return cli_call(macadam_routes_find, &of->value, NULL, engine, query, &routes);
    case MCD_RATED_PATHS:
        return cli_call(macadam_routes_find_paths, &of->value, NULL, engine, query, &routes, cli_drop_path,
                        NULL);
    case MCD_RATED_REACH:
        return cli_call(macadam_reach_find, &counts, NULL, engine, query, &reach);
    case MCD_RATED_HOPS:
        return cli_call(macadam_hops_find, of->value, NULL, NULL, engine, query, &hops);
    case MCD_RATED_CUSTOMIZE:
        return update(of, session);
    default:
        return cli_call(macadam_tree_find, &of->value, NULL, engine, query, &tree);
    }
}

/* ---- measuring ---- */

/* The least of some runs, in femtoseconds, after one that warms up. */
static int measure(calibration *of, int device, const mcd_amount *amount, double *out)
{
    *out = INFINITY;
    CLI_TRY(ask(of, &of->session[device], amount));
    for (size_t i = 0; i < RUNS; ++i) {
        const double begin = cli_now();
        CLI_TRY(ask(of, &of->session[device], amount));
        *out = fmin(*out, (cli_now() - begin) * femtoseconds);
    }
    return CLI_DONE;
}

/* The sizes that are measured: the fixed time shows in the first, steps in the second, answers in the third; `from` 0: not
 * measured. */
static const struct sizes {
    mcd_rated rated;
    uint64_t from[3], to[3];
} measured[] = {
    {MCD_RATED_LANES, {LANES_LEAST, LANES_MOST, 0}, {0}},
    {MCD_RATED_TREES, {1, LANES_MOST, 0}, {0}},
    {MCD_RATED_REACH, {1, 128, 0}, {0}},
    {MCD_RATED_MATRIX, {1, PLACES, PLACES}, {1, 1, PLACES}},
    {MCD_RATED_ROUTES, {1, PLACES, 0}, {0}},
    {MCD_RATED_PATHS, {1, 0, PLACES}, {0}},
    {MCD_RATED_SEARCHES, {1, 16, 0}, {0}},
    {MCD_RATED_HOPS, {1, 16, 0}, {0}},
};

/* Sets the amount to about the size from which on the GPU answers first, at most PLACES: the processor's rates are measured
 * where they decide. */
static int find_crossing(calibration *of, mcd_amount *out)
{
    double host = 0, device = 1;
    const bool is_square = out->to > 0;
    for (out->from = 1; host < device && out->from < PLACES;) {
        out->from *= 2;
        out->to = is_square ? out->from : 0;
        CLI_TRY(measure(of, 0, out, &host));
        CLI_TRY(measure(of, 1, out, &device));
    }
    return CLI_DONE;
}

/* Fits the times of one of them. A larger question that also keeps more threads busy may take no longer: then the fixed
 * time is what the steps do not explain. */
static int fit(calibration *of, int device, const struct sizes *sizes, mcd_rate_part *rate)
{
    double took[3] = {0}, steps[3] = {0}, answers = 1;
    for (size_t i = 0; i < 3; ++i) {
        mcd_amount amount = {sizes->rated, sizes->from[i], sizes->to[i]};
        if (!amount.from) continue;
        if (amount.from == PLACES && i == 1 && !device) CLI_TRY(find_crossing(of, &amount));
        const double threads = device ? 1 : mcd_amount_threads(&amount, of->threads);
        CLI_TRY(measure(of, device, &amount, &took[i]));
        steps[i] = mcd_amount_steps_on(device, &amount, &of->map) / threads;
        answers = mcd_amount_answers(&amount, &of->map) / threads;
    }
    const double more = steps[1] - steps[0];
    if (sizes->from[1])
        rate->step = (uint64_t)(more * 2 > steps[1] ? fmax(took[1] - took[0], 0) / more : took[1] / steps[1]);
    rate->fixed = (uint64_t)fmax(took[0] - steps[0] * (double)rate->step, 0);
    if (sizes->from[2])
        rate->answer =
            (uint64_t)(fmax(took[2] - (double)rate->fixed - steps[2] * (double)rate->step, 0) / answers);
    return CLI_DONE;
}

static int fit_rows(calibration *of)
{
    for (size_t row = 0; row < sizeof measured / sizeof *measured; ++row) {
        mcd_rate *const rate = &of->rates.of[measured[row].rated];
        if (measured[row].rated == MCD_RATED_PATHS) { /* as costs are found */
            rate->host.step = of->rates.of[MCD_RATED_ROUTES].host.step;
            rate->device.step = of->rates.of[MCD_RATED_ROUTES].device.step;
        }
        if (!cli_progress(NULL, mcd_rated_name(measured[row].rated), row, sizeof measured / sizeof *measured))
            return CLI_RESOURCE;
        CLI_TRY(fit(of, 0, &measured[row], &rate->host));
        CLI_TRY(fit(of, 1, &measured[row], &rate->device));
    }
    return CLI_DONE;
}

/* Some arcs of all regions become the first ones. */
static void spread(calibration *of)
{
    for (size_t i = 0; i < of->arc_count / SPREAD; ++i) {
        const uint64_t arc = of->arc[i];
        const uint32_t weight = of->weight[i];
        of->arc[i] = of->arc[i * SPREAD], of->weight[i] = of->weight[i * SPREAD];
        of->arc[i * SPREAD] = arc, of->weight[i * SPREAD] = weight;
    }
}

/* Customization takes steps only. The GPU does nearly all of it for some arcs, too, which cost its host less. */
static int fit_rest(calibration *of)
{
    const mcd_amount all = {.rated = MCD_RATED_CUSTOMIZE};
    mcd_rate *const customize = &of->rates.of[MCD_RATED_CUSTOMIZE];
    CLI_TRY(cli_call(macadam_arcs_list, of->session[0].engine, keep_arc, of));
    spread(of);
    for (int device = 0; device < 2; ++device) { /* an update that changes nothing only compares */
        double changing, same;
        of->change = 1;
        CLI_TRY(measure(of, device, &all, &changing));
        of->change = 0;
        CLI_TRY(measure(of, device, &all, &same));
        mcd_rate_part *const part = device ? &customize->device : &customize->host;
        part->step =
            (uint64_t)(fmax(changing - same, 0) * (device ? 1 : of->threads) / (double)of->map.up_arcs);
    }
    of->rates.of[MCD_RATED_OPEN].device.fixed = (uint64_t)(of->open_s * femtoseconds);
    return CLI_DONE;
}

static int report(const calibration *of)
{
    cli_output output;
    CLI_TRY(cli_output_open(&output, of->session[0].options->output));
    cli_output_text(&output,
                    "question,host_fixed,host_step,host_answer,device_fixed,device_step,device_answer\n");
    for (size_t row = 1; row < MCD_RATED_COUNT; ++row) {
        const mcd_rate *const rate = &of->rates.of[row];
        if (row == MCD_RATED_DENSE || row == MCD_RATED_PLACE)
            continue; /* not measured: the built-in rates hold */
        cli_output_format(&output,
                          "%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n",
                          mcd_rated_name((mcd_rated)row), rate->host.fixed, rate->host.step,
                          rate->host.answer, rate->device.fixed, rate->device.step, rate->device.answer);
    }
    return cli_output_close(&output, CLI_DONE);
}

/* ---- the whole ---- */

static int open_both(calibration *of, const cli_options *options)
{
    static cli_options own[2];
    own[0] = own[1] = *options;
    if (options->format & MCD_JSON) return cli_fail_usage("--calibrate does not write json, only csv");
    if (options->engine.device && strcmp(options->engine.device, "cpu") == 0)
        return cli_fail_usage("--calibrate compares the CPU with a GPU, not with itself");
    own[0].engine.device = "cpu";
    if (!options->engine.device || strcmp(options->engine.device, "auto") == 0) own[1].engine.device = "cuda";
    CLI_TRY(cli_session_open_query(&of->session[0], &own[0]));
    const double begin = cli_now();
    CLI_TRY(cli_session_open_query(&of->session[1], &own[1]));
    of->open_s = cli_now() - begin;
    const macadam_info *const info = &of->session[0].info;
    of->quantity = mcd_text_find_quantity(info, of->session[0].query.metric);
    if (info->up_arc_count == 0 || info->is_signed[of->quantity])
        return cli_fail_usage(
            "%s: a map with a hierarchy and roads, and a quantity that is never negative, is needed",
            options->file);
    of->map = (mcd_extent){info->node_count, info->arc_count, info->up_arc_count, info->height};
    of->threads = options->engine.threads ? options->engine.threads : cli_console_processors();
    of->place = cli_allocate(2 * PLACES, sizeof *of->place);
    for (size_t i = 0; i < 2 * PLACES; ++i)
        of->place[i].id = of->session[0].id[i * UINT64_C(2654435761) % info->id_count];
    of->value = cli_allocate(of->map.nodes * LANES_MOST > PLACES * PLACES ? of->map.nodes * LANES_MOST
                                                                          : PLACES * PLACES,
                             sizeof *of->value);
    of->arc = cli_allocate(of->map.arcs, sizeof *of->arc);
    of->weight = cli_allocate(of->map.arcs, sizeof *of->weight);
    return CLI_DONE;
}

int cli_calibrate(const cli_options *options)
{
    calibration *const of = cli_allocate(1, sizeof *of);
    cli_progress_begin(options);
    int status = open_both(of, options);
    if (status == CLI_DONE) status = fit_rows(of);
    if (status == CLI_DONE) status = fit_rest(of);
    cli_progress_erase();
    if (status == CLI_DONE) status = report(of);
    for (size_t i = 0; i < 2; ++i) cli_session_close(&of->session[i]);
    return status;
}
