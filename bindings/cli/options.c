/* options.c - what the user asked for on the command line: one table of options, each with the commands it
 * belongs to. */
#include "bindings/cli/options.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IMPORT = 1 << CLI_IMPORT,
    INFO = 1 << CLI_INFO,
    TREE = 1 << CLI_TREE,
    ROUTE = 1 << CLI_ROUTE,
    ROUTES = 1 << CLI_ROUTES,
    MATRIX = 1 << CLI_MATRIX,
    REACH = 1 << CLI_REACH,
    ISOCHRONE = 1 << CLI_ISOCHRONE,
    HOPS = 1 << CLI_HOPS,
    CONNECT = 1 << CLI_CONNECT,
    ALL_PAIRS = 1 << CLI_ALL_PAIRS,
    CLOSURE = 1 << CLI_CLOSURE,
    UPDATE = 1 << CLI_UPDATE,
    BENCH = 1 << CLI_BENCH,
    QUERIES = TREE | ROUTE | ROUTES | MATRIX | REACH | ISOCHRONE | HOPS | CONNECT | ALL_PAIRS,
    ENGINES = QUERIES | INFO | UPDATE | BENCH | CLOSURE,
    ALL = ENGINES | IMPORT,
};

enum option_id {
    OPTION_COORDS = 256,
    OPTION_DEVICE,
    OPTION_FORMAT,
    OPTION_FROM,
    OPTION_HEADING,
    OPTION_HELP,
    OPTION_JSON,
    OPTION_JSON_ERRORS,
    OPTION_LIMIT,
    OPTION_LIMITS,
    OPTION_MEMORY,
    OPTION_METHOD,
    OPTION_METRIC,
    OPTION_NEAREST,
    OPTION_NO_HIERARCHY,
    OPTION_ORDER,
    OPTION_PAIRS,
    OPTION_PATHS,
    OPTION_PROFILE,
    OPTION_QUANTITIES,
    OPTION_QUIET,
    OPTION_REVERSE,
    OPTION_SNAP_RADIUS,
    OPTION_SOURCES,
    OPTION_TARGETS,
    OPTION_THREADS,
    OPTION_TO,
    OPTION_VALUES,
    OPTION_VERIFY,
    OPTION_VIA,
    OPTION_WEIGHT,
    OPTION_WEIGHTS,
};

static const struct {
    struct option option;
    unsigned commands;
} table[] = {
    {{"coords", required_argument, NULL, OPTION_COORDS}, IMPORT},
    {{"device", required_argument, NULL, OPTION_DEVICE}, ENGINES},
    {{"format", required_argument, NULL, OPTION_FORMAT}, QUERIES | CLOSURE},
    {{"from", required_argument, NULL, OPTION_FROM}, TREE | ROUTE | ISOCHRONE | HOPS | CONNECT},
    {{"heading", required_argument, NULL, OPTION_HEADING}, QUERIES & ~ALL_PAIRS},
    {{"help", no_argument, NULL, OPTION_HELP}, ALL},
    {{"json", no_argument, NULL, OPTION_JSON}, INFO},
    {{"json-errors", no_argument, NULL, OPTION_JSON_ERRORS}, ALL},
    {{"limit", required_argument, NULL, OPTION_LIMIT}, TREE | HOPS},
    {{"limits", required_argument, NULL, OPTION_LIMITS}, REACH | ISOCHRONE},
    {{"memory", required_argument, NULL, OPTION_MEMORY}, ENGINES},
    {{"method", required_argument, NULL, OPTION_METHOD}, TREE | HOPS | ALL_PAIRS},
    {{"metric", required_argument, NULL, OPTION_METRIC}, QUERIES | BENCH},
    {{"nearest", required_argument, NULL, OPTION_NEAREST}, REACH},
    {{"no-hierarchy", no_argument, NULL, OPTION_NO_HIERARCHY}, IMPORT},
    {{"order", required_argument, NULL, OPTION_ORDER}, IMPORT},
    {{"pairs", required_argument, NULL, OPTION_PAIRS}, ROUTES},
    {{"paths", no_argument, NULL, OPTION_PATHS}, ROUTES | ALL_PAIRS},
    {{"profile", required_argument, NULL, OPTION_PROFILE}, IMPORT},
    {{"quantities", required_argument, NULL, OPTION_QUANTITIES}, QUERIES | BENCH},
    {{"quiet", no_argument, NULL, OPTION_QUIET}, ALL},
    {{"reverse", no_argument, NULL, OPTION_REVERSE}, TREE | REACH | ISOCHRONE | HOPS},
    {{"snap-radius", required_argument, NULL, OPTION_SNAP_RADIUS}, QUERIES},
    {{"sources", required_argument, NULL, OPTION_SOURCES}, MATRIX | REACH},
    {{"targets", required_argument, NULL, OPTION_TARGETS}, MATRIX | REACH},
    {{"threads", required_argument, NULL, OPTION_THREADS}, ALL},
    {{"to", required_argument, NULL, OPTION_TO}, ROUTE | CONNECT},
    {{"values", required_argument, NULL, OPTION_VALUES}, REACH},
    {{"verify", no_argument, NULL, OPTION_VERIFY}, INFO},
    {{"via", required_argument, NULL, OPTION_VIA}, ROUTE},
    {{"weight", required_argument, NULL, OPTION_WEIGHT}, IMPORT},
    {{"weights", required_argument, NULL, OPTION_WEIGHTS}, UPDATE},
};
enum { TABLE_COUNT = sizeof table / sizeof table[0], THREADS_MAX = 4096 };

static const char *const command_name[CLI_COMMAND_COUNT] = {
    [CLI_IMPORT] = "import",   [CLI_INFO] = "info",           [CLI_TREE] = "tree",
    [CLI_ROUTE] = "route",     [CLI_ROUTES] = "routes",       [CLI_MATRIX] = "matrix",
    [CLI_REACH] = "reach",     [CLI_ISOCHRONE] = "isochrone", [CLI_HOPS] = "hops",
    [CLI_CONNECT] = "connect", [CLI_ALL_PAIRS] = "all-pairs", [CLI_CLOSURE] = "closure",
    [CLI_UPDATE] = "update",   [CLI_BENCH] = "bench",
};

static const char *const format_name[CLI_FORMAT_COUNT] = {
    [CLI_CSV] = "csv",         [CLI_JSON] = "json",           [CLI_NPY] = "npy",
    [CLI_GEOJSON] = "geojson", [CLI_POLYLINE5] = "polyline5", [CLI_POLYLINE6] = "polyline6",
    [CLI_HTML] = "html",
};

/* What each command writes; the first one is what it writes without --format and -o. */
static const unsigned formats_of[CLI_COMMAND_COUNT] = {
    [CLI_INFO] = 1 << CLI_JSON,
    [CLI_TREE] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY | 1 << CLI_HTML,
    [CLI_ROUTE] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_GEOJSON | 1 << CLI_POLYLINE5 | 1 << CLI_POLYLINE6 |
                  1 << CLI_HTML,
    [CLI_ROUTES] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_MATRIX] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_REACH] = 1 << CLI_CSV | 1 << CLI_JSON,
    [CLI_ISOCHRONE] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_GEOJSON | 1 << CLI_HTML,
    [CLI_HOPS] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_CONNECT] = 1 << CLI_CSV | 1 << CLI_JSON,
    [CLI_ALL_PAIRS] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_CLOSURE] = 1 << CLI_NPY,
    [CLI_BENCH] = 1 << CLI_JSON,
};

cli_command cli_command_find(const char *name)
{
    cli_command command = 0;
    while (command < CLI_COMMAND_COUNT && strcmp(command_name[command], name) != 0) ++command;
    return command;
}

const char *cli_command_name(cli_command command)
{
    return command_name[command];
}

static cli_format format_find(const char *name)
{
    cli_format format = 0;
    while (format < CLI_FORMAT_COUNT && strcmp(format_name[format], name) != 0) ++format;
    return format;
}

/* ---- values ---- */

static int take_threads(cli_options *options, const char *text)
{
    uint64_t threads;
    if (!cli_number_unsigned(text, strlen(text), THREADS_MAX, &threads) || threads == 0) {
        return cli_fail_usage("--threads %s: not a number from 1 to %d", text, THREADS_MAX);
    }
    options->threads = (unsigned)threads;
    return CLI_DONE;
}

static int take_memory(cli_options *options, const char *text)
{
    if (cli_number_bytes(text, &options->memory)) return CLI_DONE;
    return cli_fail_usage("--memory %s: not a size such as 8G, 512M or 1000000", text);
}

/* A limit that no cost can pass is as good as the largest one. */
static int take_limit(cli_options *options, const char *text)
{
    uint64_t limit;
    if (!cli_number_unsigned(text, strlen(text), UINT64_MAX, &limit) || limit == 0) {
        return cli_fail_usage("--limit %s: not a cost, at least 1", text);
    }
    options->limit = limit < MACADAM_WEIGHT_MAX ? (uint32_t)limit : MACADAM_WEIGHT_MAX;
    return CLI_DONE;
}

/* They become the names of columns, so each is there once. */
static int take_limits(cli_options *options, const char *text)
{
    options->reach_limit_count = 0;
    for (const char *rest = text; rest;) {
        const size_t count = options->reach_limit_count, bytes = strcspn(rest, ",");
        uint64_t limit;
        if (count == MACADAM_REACH_LIMITS_MAX) {
            return cli_fail_usage("--limits %s: more than %d", text, MACADAM_REACH_LIMITS_MAX);
        }
        if (!cli_number_unsigned(rest, bytes, MACADAM_WEIGHT_MAX, &limit)) {
            return cli_fail_usage("--limits %s: \"%.*s\" is not a cost from 0 to %u", text, (int)bytes, rest,
                                  MACADAM_WEIGHT_MAX);
        }
        for (size_t i = 0; i < count; ++i) {
            if (options->reach_limit[i] == limit)
                return cli_fail_usage("--limits %s: %u twice", text, (unsigned)limit);
        }
        options->reach_limit[options->reach_limit_count++] = (uint32_t)limit;
        rest = rest[bytes] ? rest + bytes + 1 : NULL;
    }
    return CLI_DONE;
}

static int take_nearest(cli_options *options, const char *text)
{
    uint64_t count;
    if (!cli_number_unsigned(text, strlen(text), MACADAM_REACH_NEAREST_MAX, &count) || count == 0) {
        return cli_fail_usage("--nearest %s: not a number from 1 to %d", text, MACADAM_REACH_NEAREST_MAX);
    }
    options->nearest_count = (size_t)count;
    return CLI_DONE;
}

static int take_snap_radius(cli_options *options, const char *text)
{
    if (cli_number_decimal(text, strlen(text), &options->snap_radius_m) && options->snap_radius_m > 0) {
        return CLI_DONE;
    }
    return cli_fail_usage("--snap-radius %s: not a positive number of metres", text);
}

static int take_heading(cli_options *options, const char *text)
{
    if (cli_number_decimal(text, strlen(text), &options->heading) && options->heading >= -360 &&
        options->heading <= 360) {
        return CLI_DONE;
    }
    return cli_fail_usage("--heading %s: not a number of degrees from -360 to 360", text);
}

static const char *const method_name[] = {
    [MACADAM_TREE_AUTO] = "auto",         [MACADAM_TREE_SWEEP] = "sweep",
    [MACADAM_TREE_NEAR_FAR] = "near-far", [MACADAM_TREE_BELLMAN_FORD] = "bellman-ford",
    [MACADAM_TREE_DIJKSTRA] = "dijkstra", [MACADAM_TREE_FLOYD_WARSHALL] = "floyd-warshall",
};

const char *cli_method_name(macadam_tree_method method)
{
    return method_name[method];
}

static int take_hops_method(cli_options *options, const char *text)
{
    static const char *const name[] = {
        [MACADAM_HOPS_AUTO] = "auto",
        [MACADAM_HOPS_EXPAND_CONTRACT] = "expand-contract",
        [MACADAM_HOPS_CONTRACT_EXPAND] = "contract-expand",
        [MACADAM_HOPS_TWO_PHASE] = "two-phase",
        [MACADAM_HOPS_HYBRID] = "hybrid",
        [MACADAM_HOPS_BOTTOM_UP] = "bottom-up",
    };
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i) {
        if (strcmp(text, name[i]) != 0) continue;
        options->hops_method = (macadam_hops_method)i;
        return CLI_DONE;
    }
    return cli_fail_usage(
        "--method %s: not auto, expand-contract, contract-expand, two-phase, hybrid or bottom-up", text);
}

static int take_method(cli_options *options, const char *text)
{
    if (options->command == CLI_HOPS) return take_hops_method(options, text);
    const bool all_pairs = options->command == CLI_ALL_PAIRS;
    const size_t last = all_pairs ? MACADAM_TREE_FLOYD_WARSHALL : MACADAM_TREE_DIJKSTRA;
    for (size_t i = 0; i <= last; ++i) {
        if (strcmp(text, method_name[i]) != 0) continue;
        options->method = (macadam_tree_method)i;
        return CLI_DONE;
    }
    return cli_fail_usage("--method %s: not auto, sweep, near-far, bellman-ford%s dijkstra%s", text,
                          all_pairs ? "," : " or", all_pairs ? " or floyd-warshall" : "");
}

static int take_quantities(cli_options *options, const char *text)
{
    free(options->quantities);
    options->quantity_count = 0;
    options->quantities = cli_allocate(strlen(text) + 1, 1);
    char *rest = strcpy(options->quantities, text);
    while (rest) {
        const char *const name = strsep(&rest, ",");
        if (!name[0]) return cli_fail_usage("--quantities %s: an empty name", text);
        if (options->quantity_count == MACADAM_QUANTITIES_MAX) {
            return cli_fail_usage("--quantities %s: more than %d", text, MACADAM_QUANTITIES_MAX);
        }
        for (size_t i = 0; i < options->quantity_count; ++i) {
            if (strcmp(options->quantity[i], name) == 0) {
                return cli_fail_usage("--quantities %s: %s twice", text, name);
            }
        }
        options->quantity[options->quantity_count++] = name;
    }
    return CLI_DONE;
}

/* The library knows which of them this machine has. */
static int take_device(cli_options *options, const char *text)
{
    uint64_t index;
    options->device = text;
    const bool numbered = strncmp(text, "cuda:", 5) == 0;
    if (strcmp(text, "auto") == 0 || strcmp(text, "cpu") == 0 || strcmp(text, "cuda") == 0 ||
        (numbered && (strcmp(text + 5, "all") == 0 ||
                      cli_number_unsigned(text + 5, strlen(text + 5), UINT32_MAX, &index)))) {
        return CLI_DONE;
    }
    return cli_fail_usage("--device %s: not auto, cpu, cuda, cuda:N or cuda:all", text);
}

static int take_format(cli_options *options, const char *text)
{
    options->format = format_find(text);
    if (options->format < CLI_FORMAT_COUNT) return CLI_DONE;
    return cli_fail_usage("--format %s: no such format", text);
}

static int take_option(cli_options *options, int option, const char *text)
{
    switch (option) {
    case 'o':
        options->output = text;
        break;
    case OPTION_COORDS:
        options->coordinates = text;
        break;
    case OPTION_DEVICE:
        return take_device(options, text);
    case OPTION_FORMAT:
        return take_format(options, text);
    case OPTION_FROM:
        options->from = text;
        break;
    case OPTION_JSON:
        options->json = true;
        break;
    case OPTION_JSON_ERRORS:
        break; /* main looks for it before anything can fail */
    case OPTION_LIMIT:
        return take_limit(options, text);
    case OPTION_LIMITS:
        return take_limits(options, text);
    case OPTION_MEMORY:
        return take_memory(options, text);
    case OPTION_METHOD:
        return take_method(options, text);
    case OPTION_METRIC:
        options->metric = text;
        break;
    case OPTION_NEAREST:
        return take_nearest(options, text);
    case OPTION_NO_HIERARCHY:
        options->no_hierarchy = true;
        break;
    case OPTION_ORDER:
        options->order = text;
        break;
    case OPTION_PAIRS:
        options->pairs = text;
        break;
    case OPTION_PATHS:
        options->paths = true;
        break;
    case OPTION_PROFILE:
        options->profile = text;
        break;
    case OPTION_QUANTITIES:
        return take_quantities(options, text);
    case OPTION_QUIET:
        options->quiet = true;
        break;
    case OPTION_REVERSE:
        options->reverse = true;
        break;
    case OPTION_HEADING:
        return take_heading(options, text);
    case OPTION_SNAP_RADIUS:
        return take_snap_radius(options, text);
    case OPTION_SOURCES:
        options->sources = text;
        break;
    case OPTION_TARGETS:
        options->targets = text;
        break;
    case OPTION_THREADS:
        return take_threads(options, text);
    case OPTION_TO:
        options->to = text;
        break;
    case OPTION_VALUES:
        options->values = text;
        break;
    case OPTION_VERIFY:
        options->verify = true;
        break;
    case OPTION_VIA:
        options->via[options->via_count++] = text;
        break;
    case OPTION_WEIGHT:
        options->weight[options->weight_count++] = text;
        break;
    case OPTION_WEIGHTS:
        options->weight[0] = text, options->weight_count = 1;
        break;
    }
    return CLI_DONE;
}

/* ---- checks ---- */

/* The format that -o and --format ask for, among those the command writes. */
static int settle_format(cli_options *options)
{
    const unsigned formats = formats_of[options->command];
    if (formats == 0) return CLI_DONE; /* writes an edge file */
    const bool given = options->format < CLI_FORMAT_COUNT;
    const char *const dot = options->output && !given ? strrchr(options->output, '.') : NULL;
    if (dot) options->format = format_find(dot + 1);
    if (options->output && options->format == CLI_FORMAT_COUNT) {
        return cli_fail_usage("-o %s: the extension names no format that %s writes%s", options->output,
                              command_name[options->command],
                              formats & 1 << CLI_CSV ? "; give --format" : "");
    }
    if (options->format == CLI_FORMAT_COUNT)
        options->format = CLI_CSV; /* info and bench: text */
    else if (!(formats & 1u << options->format)) {
        return cli_fail_usage("%s does not write %s", command_name[options->command],
                              format_name[options->format]);
    }
    return CLI_DONE;
}

static int check_required(const cli_options *options)
{
    const unsigned command = 1u << options->command;
    const struct {
        unsigned commands;
        const char *name;
        bool given;
    } required[] = {
        {ENGINES, "FILE.mcd", options->file != NULL},
        {TREE | ROUTE | ISOCHRONE | HOPS | CONNECT, "--from", options->from != NULL},
        {ISOCHRONE, "--limits", options->reach_limit_count},
        {ROUTE | CONNECT, "--to", options->to != NULL},
        {ROUTES, "--pairs", options->pairs != NULL},
        {MATRIX, "--sources", options->sources},
        {MATRIX, "--targets", options->targets},
        {REACH, "--limits or --nearest",
         !(options->sources || options->values) || options->reach_limit_count || options->nearest_count},
        {REACH, "--targets with --nearest", !options->nearest_count || options->targets},
        {REACH, "--nearest with --targets", !options->targets || options->nearest_count},
        {UPDATE, "--weights", options->weight_count},
        {IMPORT | UPDATE, "-o FILE.mcd", options->output},
        {CLOSURE, "-o FILE.npy", options->output},
    };
    for (size_t i = 0; i < sizeof required / sizeof required[0]; ++i) {
        if (required[i].commands & command && !required[i].given) {
            const char *const name = command_name[options->command];
            return cli_fail_usage("%s needs %s; see macadam %s --help", name, required[i].name, name);
        }
    }
    return CLI_DONE;
}

static int fail_option(const cli_options *options, int result, char **argv)
{
    const char *const command = command_name[options->command];
    const char short_name[] = {'-', (char)optopt, '\0'};
    const char *const text = optopt > 0 && optopt < OPTION_COORDS ? short_name : argv[optind - 1];
    if (result == ':') return cli_fail_usage("%s needs a value; see macadam %s --help", text, command);
    return cli_fail_usage("%s has no option %s; see macadam %s --help", command, text, command);
}

static int read_options(cli_options *options, int argc, char **argv, bool *help)
{
    struct option mine[TABLE_COUNT + 1] = {{0}};
    size_t count = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i) {
        if (table[i].commands & 1u << options->command) mine[count++] = table[i].option;
    }
    opterr = 0;
    for (int result; (result = getopt_long(argc, argv, ":o:h", mine, NULL)) != -1;) {
        if (result == ':' || result == '?') return fail_option(options, result, argv);
        if (result == OPTION_HELP || result == 'h') {
            *help = true;
            return CLI_DONE;
        }
        const int status = take_option(options, result, optarg);
        if (status != CLI_DONE) return status;
    }
    if (optind < argc) options->file = argv[optind++];
    if (optind < argc) return cli_fail_usage("%s: one file too many", argv[optind]);
    return CLI_DONE;
}

int cli_options_read(cli_options *options, cli_command command, int argc, char **argv, bool *help)
{
    *help = false;
    *options = (cli_options){.command = command, .format = CLI_FORMAT_COUNT, .heading = NAN};
    options->via = cli_allocate((size_t)argc, sizeof *options->via);
    options->weight = cli_allocate((size_t)argc, sizeof *options->weight);
    int status = read_options(options, argc, argv, help);
    if (status != CLI_DONE || *help) return status;
    status = check_required(options);
    return status != CLI_DONE ? status : settle_format(options);
}

void cli_options_free(cli_options *options)
{
    free(options->quantities);
    free(options->via);
    free(options->weight);
}
