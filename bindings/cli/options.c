/* options.c - what the user asked for on the command line: one table of options, each with the commands it
 * belongs to and the field it fills. */
#include "bindings/cli/options.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/number.h"
#include "bindings/cli/unit.h"

#include <getopt.h>
#include <math.h>
#include <stddef.h>
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
    SNAP = 1 << CLI_SNAP,
    MATCH = 1 << CLI_MATCH,
    TRIP = 1 << CLI_TRIP,
    UPDATE = 1 << CLI_UPDATE,
    READY = 1 << CLI_READY,
    SERVE = 1 << CLI_SERVE,
    BENCH = 1 << CLI_BENCH,
    ARCS = 1 << CLI_ARCS,
    COSTS = TREE | ROUTE | ROUTES | MATRIX | REACH | ISOCHRONE | ALL_PAIRS | TRIP,
    QUERIES = COSTS | HOPS | CONNECT | SNAP | MATCH,
    PLACES = QUERIES & ~(ALL_PAIRS | MATCH),
    ENGINES = QUERIES | INFO | UPDATE | READY | SERVE | BENCH | CLOSURE | ARCS,
    EDGE_FILES = IMPORT | UPDATE | READY, /* what they write is one */
    ALL = ENGINES | IMPORT,
};

static const char *const command_name[CLI_COMMAND_COUNT] = {
    [CLI_IMPORT] = "import",   [CLI_INFO] = "info",           [CLI_TREE] = "tree",
    [CLI_ROUTE] = "route",     [CLI_ROUTES] = "routes",       [CLI_MATRIX] = "matrix",
    [CLI_REACH] = "reach",     [CLI_ISOCHRONE] = "isochrone", [CLI_HOPS] = "hops",
    [CLI_CONNECT] = "connect", [CLI_ALL_PAIRS] = "all-pairs", [CLI_CLOSURE] = "closure",
    [CLI_SNAP] = "snap",       [CLI_MATCH] = "match",         [CLI_TRIP] = "trip",
    [CLI_UPDATE] = "update",   [CLI_READY] = "ready",         [CLI_SERVE] = "serve",
    [CLI_BENCH] = "bench",     [CLI_ARCS] = "arcs",
};

static const char *const format_name[CLI_FORMAT_COUNT] = {
    [CLI_CSV] = "csv",         [CLI_JSON] = "json",           [CLI_NPY] = "npy",
    [CLI_GEOJSON] = "geojson", [CLI_POLYLINE5] = "polyline5", [CLI_POLYLINE6] = "polyline6",
    [CLI_HTML] = "html",       [CLI_VROOM] = "vroom",         [CLI_ORTOOLS] = "ortools",
};

/* What each command writes; the first one is what it writes without --format and -o. */
static const unsigned formats_of[CLI_COMMAND_COUNT] = {
    [CLI_INFO] = 1 << CLI_JSON,
    [CLI_TREE] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY | 1 << CLI_HTML,
    [CLI_ROUTE] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_GEOJSON | 1 << CLI_POLYLINE5 | 1 << CLI_POLYLINE6 |
                  1 << CLI_HTML,
    [CLI_ROUTES] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_MATRIX] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY | 1 << CLI_VROOM | 1 << CLI_ORTOOLS,
    [CLI_REACH] = 1 << CLI_CSV | 1 << CLI_JSON,
    [CLI_ISOCHRONE] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_GEOJSON | 1 << CLI_HTML,
    [CLI_HOPS] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_CONNECT] = 1 << CLI_CSV | 1 << CLI_JSON,
    [CLI_ALL_PAIRS] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_NPY,
    [CLI_CLOSURE] = 1 << CLI_NPY,
    [CLI_SNAP] = 1 << CLI_CSV | 1 << CLI_JSON,
    [CLI_MATCH] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_GEOJSON,
    [CLI_TRIP] = 1 << CLI_CSV | 1 << CLI_JSON | 1 << CLI_GEOJSON | 1 << CLI_POLYLINE5 | 1 << CLI_POLYLINE6,
    [CLI_BENCH] = 1 << CLI_JSON,
    [CLI_ARCS] = 1 << CLI_CSV | 1 << CLI_JSON,
};

/* Returns the position of `text` among the words; `count` if it is none of them. */
static size_t find_word(const char *const *word, size_t count, const char *text)
{
    size_t i = 0;
    while (i < count && strcmp(word[i], text) != 0) ++i;
    return i;
}

cli_command cli_command_find(const char *name)
{
    return (cli_command)find_word(command_name, CLI_COMMAND_COUNT, name);
}

const char *cli_command_name(cli_command command)
{
    return command_name[command];
}

static cli_format format_find(const char *name)
{
    return (cli_format)find_word(format_name, CLI_FORMAT_COUNT, name);
}

/* ---- values ---- */

enum { THREADS_MAX = 4096, CONNECTIONS_MAX = 1000000, LANGUAGES_BYTES = 256 };

static int take_memory(cli_options *options, const char *text)
{
    if (cli_number_bytes(text, &options->memory)) return CLI_DONE;
    return cli_fail_usage("--memory %s: not a size such as 8G, 512M or 1000000", text);
}

static int take_body(cli_options *options, const char *text)
{
    if (cli_number_bytes(text, &options->body_bytes)) return CLI_DONE;
    return cli_fail_usage("--max-body %s: not a size such as 64M, 1G or 1000000", text);
}

static int take_seconds(cli_options *options, const char *text)
{
    if (cli_number_decimal(text, strlen(text), &options->request_s) && options->request_s > 0)
        return CLI_DONE;
    return cli_fail_usage("--max-seconds %s: not a positive number of seconds", text);
}

static int take_snap_radius(cli_options *options, const char *text)
{
    if (cli_unit_metres(text, &options->snap_radius_m)) return CLI_DONE;
    return cli_fail_usage("--snap-radius %s: not a positive length, such as 500, 500m or 2km", text);
}

static int take_width(cli_options *options, const char *text)
{
    if (cli_unit_metres(text, &options->width_m)) return CLI_DONE;
    return cli_fail_usage("--width %s: not a positive length, such as 50, 50m or 2km", text);
}

/* A positive number with a unit of `names`, the first of which may be missing. */
static int take_measure(double *out, const char *option, const char *text, const char *names[2],
                        double per_unit)
{
    const size_t digits = strspn(text, "0123456789.");
    const bool plain = !text[digits] || strcmp(text + digits, names[0]) == 0;
    if (!cli_number_decimal(text, digits, out) || !(*out > 0) ||
        !(plain || strcmp(text + digits, names[1]) == 0))
        return cli_fail_usage("--%s %s: not a positive number of %s or %s", option, text, names[0], names[1]);
    if (!plain) *out /= per_unit;
    return CLI_DONE;
}

#define MEASURE(member, option, name, part, parts)                                                           \
    static int take_##member(cli_options *options, const char *text)                                         \
    {                                                                                                        \
        return take_measure(&options->vehicle.member, option, text, (const char *[]){name, part}, parts);    \
    }
MEASURE(height_m, "height", "m", "cm", 100)
MEASURE(width_m, "vehicle-width", "m", "cm", 100)
MEASURE(length_m, "length", "m", "cm", 100)
MEASURE(weight_t, "weight", "t", "kg", 1000)
MEASURE(axle_load_t, "axle-load", "t", "kg", 1000)

static int take_units(cli_options *options, const char *text)
{
    options->si_units = strcmp(text, "si") == 0;
    if (options->si_units || strcmp(text, "file") == 0) return CLI_DONE;
    return cli_fail_usage("--units %s: not file or si", text);
}

static int take_heading(cli_options *options, const char *text)
{
    if (cli_number_decimal(text, strlen(text), &options->heading) && options->heading >= -360 &&
        options->heading <= 360)
        return CLI_DONE;
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
    const size_t count = sizeof name / sizeof *name, found = find_word(name, count, text);
    options->hops_method = (macadam_hops_method)found;
    if (found < count) return CLI_DONE;
    return cli_fail_usage(
        "--method %s: not auto, expand-contract, contract-expand, two-phase, hybrid or bottom-up", text);
}

static int take_method(cli_options *options, const char *text)
{
    if (options->command == CLI_HOPS) return take_hops_method(options, text);
    const bool all_pairs = options->command == CLI_ALL_PAIRS;
    const size_t last = all_pairs ? MACADAM_TREE_FLOYD_WARSHALL : MACADAM_TREE_DIJKSTRA;
    const size_t found = find_word(method_name, last + 1, text);
    options->method = (macadam_tree_method)found;
    if (found <= last) return CLI_DONE;
    return cli_fail_usage("--method %s: not auto, sweep, near-far, bellman-ford%s dijkstra%s", text,
                          all_pairs ? "," : " or", all_pairs ? " or floyd-warshall" : "");
}

char *cli_options_cut(char **rest)
{
    char *const part = *rest, *const comma = strchr(part, ',');
    if (comma) *comma = '\0';
    *rest = comma ? comma + 1 : NULL;
    return part;
}

static int take_quantities(cli_options *options, const char *text)
{
    free(options->quantities);
    options->quantity_count = 0;
    options->quantities = cli_allocate(strlen(text) + 1, 1);
    char *rest = strcpy(options->quantities, text);
    while (rest) {
        const char *const name = cli_options_cut(&rest);
        if (!name[0]) return cli_fail_usage("--quantities %s: an empty name", text);
        if (options->quantity_count == MACADAM_QUANTITIES_MAX)
            return cli_fail_usage("--quantities %s: more than %d", text, MACADAM_QUANTITIES_MAX);
        for (size_t i = 0; i < options->quantity_count; ++i)
            if (strcmp(options->quantity[i], name) == 0)
                return cli_fail_usage("--quantities %s: %s twice", text, name);
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
                      cli_number_unsigned(text + 5, strlen(text + 5), UINT32_MAX, &index))))
        return CLI_DONE;
    return cli_fail_usage("--device %s: not auto, cpu, cuda, cuda:N or cuda:all", text);
}

static int take_format(cli_options *options, const char *text)
{
    options->format = format_find(text);
    if (options->format < CLI_FORMAT_COUNT) return CLI_DONE;
    return cli_fail_usage("--format %s: no such format", text);
}

static int take_language(cli_options *options, const char *text)
{
    char names[LANGUAGES_BYTES] = "";
    const char *name;
    options->language = text;
    options->steps = true;
    for (size_t i = 0; (name = macadam_language_name(i)); ++i) {
        if (strcmp(name, text) == 0) return CLI_DONE;
        if (strlen(names) + strlen(name) + 3 < sizeof names) strcat(strcat(names, i ? ", " : ""), name);
    }
    return cli_fail_usage("--language %s: there are %s", text, names);
}

static int take_via_turn(cli_options *options, const char *text)
{
    static const char *const name[] = {
        [MACADAM_VIA_PROFILE] = "profile", [MACADAM_VIA_STRAIGHT] = "straight", [MACADAM_VIA_ANY] = "any"};
    const size_t count = sizeof name / sizeof *name, found = find_word(name, count, text);
    options->via_turn = (macadam_via_turn)found;
    if (found < count) return CLI_DONE;
    return cli_fail_usage("--via-turn %s: not profile, straight or any", text);
}

static int take_the_profile(cli_options *options, const char *text)
{
    options->profile[0] = text, options->profile_count = 1;
    return CLI_DONE;
}

static int take_weights(cli_options *options, const char *text)
{
    options->weight[0] = text, options->weight_count = 1;
    return CLI_DONE;
}

/* ---- the table ---- */

/* An option without a value sets a bool; one with a value is copied as text, appended to a list, or taken by a
 * function; a whole number lies from `least` to `most`. */
typedef struct option_entry {
    const char *name;
    unsigned commands;
    size_t flag, text, count, number; /* where in cli_options; 0: not there. `count`: of the list at `text` */
    int (*take)(cli_options *options, const char *text);
    unsigned least, most;
} option_entry;

#define FLAG(field)              .flag = offsetof(cli_options, field)
#define TEXT(field)              .text = offsetof(cli_options, field)
#define LIST(field)              .text = offsetof(cli_options, field), .count = offsetof(cli_options, field##_count)
#define NUMBER(field, low, high) .number = offsetof(cli_options, field), .least = low, .most = high
#define TAKEN(function)          .take = function

static const option_entry table[] = {
    {"alternatives", ROUTE, NUMBER(alternative_count, 0, MACADAM_ALTERNATIVES_MAX)},
    {"avoid", QUERIES, TEXT(avoid)},
    {"avoid-area", QUERIES, LIST(area)},
    {"axle-load", QUERIES, TAKEN(take_axle_load_t)},
    {"coords", IMPORT, TEXT(coordinates)},
    {"departure", QUERIES, TEXT(vehicle.departure)},
    {"device", ENGINES, TAKEN(take_device)},
    {"disjoint", ISOCHRONE, FLAG(disjoint)},
    {"factor", QUERIES, TEXT(factors)},
    {"format", QUERIES | CLOSURE | ARCS, TAKEN(take_format)},
    {"from", TREE | ROUTE | ISOCHRONE | HOPS | CONNECT, TEXT(from)},
    {"from-first", TRIP, FLAG(from_first)},
    {"heading", PLACES & ~TRIP, TAKEN(take_heading)},
    {"heights", IMPORT, TEXT(heights)},
    {"vehicle", IMPORT, TEXT(vehicle_file)},
    {"height", QUERIES, TAKEN(take_height_m)},
    {"json", INFO, FLAG(json)},
    {"json-log", SERVE, FLAG(json_log)},
    {"json-errors", ALL, FLAG(json_errors)}, /* main looks for it before anything can fail */
    {"language", ROUTE, TAKEN(take_language)},
    {"length", QUERIES, TAKEN(take_length_m)},
    {"limit", TREE | HOPS, TEXT(limit)},
    {"limits", REACH | ISOCHRONE, TEXT(limits)},
    {"listen", SERVE, TEXT(listen)},
    {"max-body", SERVE, TAKEN(take_body)},
    {"max-connections", SERVE, NUMBER(connections, 1, CONNECTIONS_MAX)},
    {"max-seconds", SERVE, TAKEN(take_seconds)},
    {"memory", ENGINES | IMPORT, TAKEN(take_memory)},
    {"method", TREE | HOPS | ALL_PAIRS, TAKEN(take_method)},
    {"metric", QUERIES | BENCH, TEXT(metric)},
    {"nearest", REACH, NUMBER(nearest_count, 1, MACADAM_REACH_NEAREST_MAX)},
    {"no-hierarchy", IMPORT, FLAG(no_hierarchy)},
    {"node-ids", IMPORT, FLAG(node_ids)},
    {"open", TRIP, FLAG(open)},
    {"order", IMPORT, TEXT(order)},
    {"pairs", ROUTES, TEXT(pairs)},
    {"paths", ROUTES | ALL_PAIRS, FLAG(paths)},
    {"places", SNAP | TRIP, TEXT(places)},
    {"profile", IMPORT, LIST(profile)},
    {"profile", ENGINES & ~SERVE, TAKEN(take_the_profile)},
    {"quantities", COSTS | BENCH, TAKEN(take_quantities)},
    {"quiet", ALL, FLAG(quiet)},
    {"ready", IMPORT, FLAG(ready)},
    {"reverse", TREE | REACH | ISOCHRONE | HOPS, FLAG(reverse)},
    {"snap-radius", PLACES, TAKEN(take_snap_radius)},
    {"sources", MATRIX | REACH, TEXT(sources)},
    {"statuses", TREE | ROUTES | MATRIX | REACH | ISOCHRONE, FLAG(statuses)},
    {"segments", ROUTE, FLAG(segments)},
    {"steps", ROUTE, FLAG(steps)},
    {"strict", PLACES, FLAG(strict)},
    {"targets", MATRIX | REACH, TEXT(targets)},
    {"threads", ALL, NUMBER(threads, 0, THREADS_MAX)},
    {"tidy", MATCH, FLAG(tidy)},
    {"to", ROUTE | CONNECT, TEXT(to)},
    {"to-last", TRIP, FLAG(to_last)},
    {"totals", ROUTE, FLAG(totals)},
    {"token-file", SERVE, TEXT(token_file)},
    {"traces", MATCH, TEXT(traces)},
    {"turns", UPDATE, TEXT(turns)},
    {"units", COSTS, TAKEN(take_units)},
    {"values", REACH, TEXT(values)},
    {"vehicle-width", QUERIES, TAKEN(take_width_m)},
    {"verify", INFO, FLAG(verify)},
    {"via", ROUTE, LIST(via)},
    {"via-turn", ROUTE, TAKEN(take_via_turn)},
    {"weight", IMPORT, LIST(weight)},
    {"weight", QUERIES, TAKEN(take_weight_t)},
    {"weights", UPDATE, TAKEN(take_weights)},
    {"width", ISOCHRONE, TAKEN(take_width)},
};
enum { TABLE_COUNT = sizeof table / sizeof table[0], FIRST_LONG = 256, LONG_HELP = FIRST_LONG + TABLE_COUNT };

static int take_number(uint64_t *out, const option_entry *entry, const char *text)
{
    if (cli_number_unsigned(text, strlen(text), entry->most, out) && *out >= entry->least) return CLI_DONE;
    return cli_fail_usage("--%s %s: not a number from %u to %u", entry->name, text, entry->least,
                          entry->most);
}

static int take_option(cli_options *options, const option_entry *entry, const char *text)
{
    char *const base = (char *)options;
    if (entry->take) return entry->take(options, text);
    if (entry->number) return take_number((uint64_t *)(base + entry->number), entry, text);
    if (entry->flag)
        *(bool *)(base + entry->flag) = true;
    else if (entry->count)
        (*(const char ***)(base + entry->text))[(*(size_t *)(base + entry->count))++] = text;
    else
        *(const char **)(base + entry->text) = text;
    return CLI_DONE;
}

/* ---- checks ---- */

/* The format that -o and --format ask for, among those the command writes. */
static int settle_format(cli_options *options)
{
    const unsigned formats = formats_of[options->command];
    const bool piped = options->output && strcmp(options->output, "-") == 0;
    if (piped && (1u << options->command & (EDGE_FILES | CLOSURE)))
        return cli_fail_usage("%s cannot write to standard output: give a file to -o",
                              command_name[options->command]);
    if (piped) options->output = NULL;
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
        {ISOCHRONE, "--limits", options->limits},
        {ROUTE | CONNECT, "--to", options->to != NULL},
        {ROUTES, "--pairs", options->pairs != NULL},
        {MATRIX, "--sources", options->sources},
        {MATRIX, "--targets", options->targets},
        {REACH, "--limits or --nearest",
         !(options->sources || options->values) || options->limits || options->nearest_count},
        {REACH, "--targets with --nearest", !options->nearest_count || options->targets},
        {REACH, "--nearest with --targets", !options->targets || options->nearest_count},
        {SNAP | TRIP, "--places", options->places},
        {MATCH, "--traces", options->traces},
        {UPDATE, "--weights or --turns", options->weight_count || options->turns},
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

/* Standard input can be read once. */
static int check_inputs(const cli_options *options)
{
    const char *const input[] = {
        options->sources, options->targets,
        options->pairs,   options->values,
        options->places,  options->command == CLI_UPDATE && options->weight_count ? options->weight[0] : NULL,
        options->turns};
    int piped = 0;
    for (size_t i = 0; i < sizeof input / sizeof input[0]; ++i)
        piped += input[i] && strcmp(input[i], "-") == 0;
    return piped <= 1 ? CLI_DONE : cli_fail_usage("only one input can be -, which is standard input");
}

static int fail_option(const cli_options *options, int result, const char *text)
{
    const char *const command = command_name[options->command];
    if (result == ':') return cli_fail_usage("%s needs a value; see macadam %s --help", text, command);
    return cli_fail_usage("%s has no option %s; see macadam %s --help", command, text, command);
}

/* Whether `argument` spells the option out: getopt takes abbreviations as well, which would change their
 * meaning with every option that is added. */
static bool is_spelled_out(const char *argument, const char *name)
{
    const size_t bytes = strlen(name);
    return strncmp(argument + 2, name, bytes) == 0 &&
           (argument[2 + bytes] == '\0' || argument[2 + bytes] == '=');
}

/* One option that getopt found; `argument` is the text that names it. */
static int take_found(cli_options *options, int result, const char *argument, bool *help)
{
    const char short_name[] = {'-', (char)optopt, '\0'};
    const bool is_long = optopt == 0 || optopt >= FIRST_LONG;
    if (result == ':' || result == '?') return fail_option(options, result, is_long ? argument : short_name);
    if (result == 'h' || result == LONG_HELP) {
        *help = true;
        return CLI_DONE;
    }
    if (result == 'o') {
        options->output = optarg;
        return CLI_DONE;
    }
    const option_entry *const entry = &table[result - FIRST_LONG];
    if (!is_spelled_out(argument, entry->name)) return fail_option(options, '?', argument);
    return take_option(options, entry, optarg);
}

static int read_options(cli_options *options, int argc, char **argv, bool *help)
{
    struct option mine[TABLE_COUNT + 2] = {{0}};
    size_t count = 0;
    for (int i = 0; i < TABLE_COUNT; ++i) {
        if (table[i].commands & 1u << options->command)
            mine[count++] = (struct option){table[i].name, table[i].flag ? no_argument : required_argument,
                                            NULL, FIRST_LONG + i};
    }
    mine[count] = (struct option){"help", no_argument, NULL, LONG_HELP};
    opterr = 0;
    for (int result; (result = getopt_long(argc, argv, ":o:h", mine, NULL)) != -1;) {
        const char *const before = argv[optind - 1];
        const bool apart = optarg && optarg == before; /* the value is an argument of its own */
        const int status = take_found(options, result, apart ? argv[optind - 2] : before, help);
        if (status != CLI_DONE || *help) return status;
    }
    options->files = (const char *const *)argv + optind;
    options->file_count = (size_t)(argc - optind);
    if (optind < argc) options->file = argv[optind++];
    if (options->command == CLI_SERVE || options->command == CLI_IMPORT) return CLI_DONE;
    if (optind < argc) return cli_fail_usage("%s: one file too many", argv[optind]);
    return CLI_DONE;
}

int cli_options_read(cli_options *options, cli_command command, int argc, char **argv, bool *help)
{
    *help = false;
    *options = (cli_options){.command = command, .format = CLI_FORMAT_COUNT, .heading = NAN};
    options->via = cli_allocate((size_t)argc, sizeof *options->via);
    options->area = cli_allocate((size_t)argc, sizeof *options->area);
    options->weight = cli_allocate((size_t)argc, sizeof *options->weight);
    options->profile = cli_allocate((size_t)argc, sizeof *options->profile);
    int status = read_options(options, argc, argv, help);
    if (status != CLI_DONE || *help) return status;
    status = check_required(options);
    if (status == CLI_DONE) status = check_inputs(options);
    return status == CLI_DONE ? settle_format(options) : status;
}

void cli_options_free(cli_options *options)
{
    free(options->quantities);
    free(options->via);
    free(options->area);
    free(options->weight);
    free(options->profile);
}
