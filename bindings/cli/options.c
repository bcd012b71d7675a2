/* options.c - the options of all commands: those of questions, which mcd_options lists, and the command's own. From these
 * tables the command line is read and the help is printed; the manual page and the completions follow from the help. */
#include "bindings/cli/options.h"
#include "bindings/cli/output/failure.h"
#include "bindings/formats/scan.h"
#include "bindings/formats/unit.h"
#include "bindings/cli/output/wrap.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

enum {
    FROM = MCD_TREE | MCD_ROUTE | MCD_ISOCHRONE | MCD_HOPS | MCD_CONNECT,
    QUESTIONS = MCD_NEAREST - 1,
    QUERIES = MCD_QUERIES & QUESTIONS,
    PLACES = MCD_PLACES & QUESTIONS,
    NAMED = CLI_IMPORT | CLI_UPDATE | CLI_READY | CLI_CLOSURE, /* what they write needs a name */
    ENGINES = QUERIES | CLI_INFO | CLI_UPDATE | CLI_READY | CLI_SERVE | MCD_BENCH | CLI_CLOSURE | CLI_ARCS,
    ALL = ENGINES | CLI_IMPORT,
    /* Outputs. Arrays take --units and --statuses, too: cli_table_open refuses their values. */
    TEXTS = MCD_CSV | MCD_ARRAYS | MCD_OBJECTS,
};

#define TO(a_kind, member)                                                                                   \
    .kind = MCD_##a_kind, .at = offsetof(cli_options, member), .bytes = sizeof(((cli_options *)0)->member)

/* The options that belong to no question: those of options.md; `at` is a member of cli_options. */
static const mcd_option own[] = {
#include <cli_options.inc>
};
enum {
    OWN_COUNT = sizeof own / sizeof own[0],
    OUTPUT = 0, /* -o in the table */
    HELP = 'h',
    FIRST_LONG = 256,
    NAMES_BYTES = 256,
    LINE_BYTES = 1024,
    HELP_COLUMN = 28,
    SHARED_LEAST = 6,
};

_Static_assert(offsetof(cli_options, request) == 0, "members of mcd_request are members of cli_options");

/* The options of all commands: `own`, then mcd_options. */
static size_t option_count(void)
{
    return OWN_COUNT + mcd_option_count;
}

static const mcd_option *option_at(size_t i)
{
    return i < OWN_COUNT ? &own[i] : &mcd_options[i - OWN_COUNT];
}

static unsigned commands_of(const mcd_option *option)
{
    return (option->commands ? option->commands : option->questions) & ALL;
}

/* "-o" or "--name". */
#define DASHES(option) ((option)->name[1] ? "--" : "-"), (option)->name

/* as mcd_format */
static const char formats[] = "csv|json|npy|geojson|polyline5|polyline6|html|vroom|ortools|arrow|text";

/* Returns one of the words between bars; *bytes is its length. */
static const char *word_at(const char *words, size_t index, int *bytes)
{
    for (; index > 0; --index) words += strcspn(words, "|") + 1;
    *bytes = (int)strcspn(words, "|");
    return words;
}

/* Returns whether one of the words between bars is the text; *index is its position. */
static bool find_word(const char *words, const char *text, size_t *index)
{
    mcd_scan scan = {text, 0, strlen(text)};
    return mcd_scan_words(&scan, words, index) && mcd_scan_is_done(&scan);
}

/* Writes the formats, or with 0 the languages, between bars. */
static const char *list_words(char out[NAMES_BYTES], unsigned some)
{
    size_t used = 0;
    const char *word = formats;
    for (size_t i = 0; some ? some >> i != 0 : (word = macadam_language_name(i)) != NULL; ++i) {
        int bytes = (int)strlen(word);
        if (some) word = word_at(formats, i, &bytes);
        if (!some || some & 1u << i)
            used += (size_t)snprintf(out + used, NAMES_BYTES - used, "%s%.*s", used ? "|" : "", bytes, word);
    }
    return out;
}

/* Returns the value of a command's option as help names it. */
static const char *value_of(char out[NAMES_BYTES], const mcd_option *option, const cli_command_row *row)
{
    if (option->kind == MCD_FORMAT) return list_words(out, row->formats);
    return option->value ? option->value : list_words(out, 0);
}

/* ---- values ---- */

static void append(mcd_texts *texts, const char *text)
{
    texts->text = cli_grow(texts->text, texts->count, sizeof *texts->text);
    texts->text[texts->count++] = text;
}

static void append_parts(mcd_texts *texts, const char *value)
{
    char *part = strcpy(cli_allocate(strlen(value) + 1, 1), value);
    texts->value = value;
    for (char *comma; (comma = strchr(part, ',')); part = comma + 1) {
        *comma = '\0';
        append(texts, part);
    }
    append(texts, part);
}

/* Returns whether the text is a value of the option, which becomes a member of the options. */
static bool take_value(cli_options *options, const mcd_option *option, const char *text)
{
    char words[NAMES_BYTES];
    void *const at = (char *)options + option->at;
    uint64_t number = 1;
    size_t index;
    switch (option->kind) {
    case MCD_TEXT:
        *(const char **)at = text;
        return true;
    case MCD_LIST:
        append(at, text);
        return true;
    case MCD_PARTS:
        append_parts(at, text);
        return true;
    case MCD_NAME:
        *(const char **)at = text;
        return find_word(option->value ? option->value : list_words(words, 0), text, &index);
    case MCD_MEASURE:
        if (option->value && strstr(option->value, "|unlimited") && strcmp(text, "unlimited") == 0) {
            *(double *)at = INFINITY;
            return true;
        }
        if (option->unit) return mcd_unit_read(text, option->unit, at) && *(double *)at > 0;
        if (!mcd_number_decimal(text, strlen(text), at)) return false;
        return option->most ? *(double *)at >= option->least && *(double *)at <= option->most
                            : *(double *)at > 0;
    case MCD_SIZE:
        return mcd_number_bytes(text, at);
    case MCD_COUNT:
        if (!mcd_number_unsigned(text, strlen(text), (uint64_t)option->most, &number)) return false;
        if (number < (uint64_t)option->least) return false;
        break;
    case MCD_FORMAT:
    case MCD_WORD:
        if (!find_word(option->kind == MCD_FORMAT ? formats : option->value, text, &index)) return false;
        number = option->kind == MCD_FORMAT ? 1ull << index : index;
        break;
    case MCD_FLAG:
        break;
    }
    mcd_option_store(option, options, number);
    return true;
}

/* ---- the command line ---- */

typedef struct command_line {
    cli_options *options;
    const cli_command_row *row;
    bool *given; /* [option_count()] */
} command_line;

/* Returns whether the option of this name is given. */
static bool is_given(const command_line *line, const char *name)
{
    for (size_t i = 0; i < option_count(); ++i)
        if (line->given[i] && strcmp(option_at(i)->name, name) == 0) return true;
    return false;
}

static int take_option(command_line *line, size_t i, const char *text)
{
    const mcd_option *const option = option_at(i);
    if (line->given[i] && option->kind != MCD_LIST && option->kind != MCD_FLAG)
        return cli_fail_usage("%s%s is given twice", DASHES(option));
    line->given[i] = true;
    if (take_value(line->options, option, text)) return CLI_DONE;
    char words[NAMES_BYTES], expected[2 * NAMES_BYTES];
    if (option->kind == MCD_SIZE)
        strcpy(expected, "a size such as 8G, 512M or 1000000");
    else if (option->unit)
        snprintf(expected, sizeof expected, "a positive number of %s, or one with another unit",
                 option->unit);
    else if (option->kind == MCD_MEASURE && !option->most)
        strcpy(expected, "a positive number");
    else if (option->most)
        snprintf(expected, sizeof expected, "a number from %d to %d", option->least, option->most);
    else
        snprintf(expected, sizeof expected, "one of %s", value_of(words, option, line->row));
    return cli_fail_usage("%s%s %s: not %s", DASHES(option), text, expected);
}

static int fail_option(const cli_command_row *row, int result, const char *text)
{
    if (result == ':') return cli_fail_usage("%s needs a value; see macadam %s --help", text, row->name);
    const mcd_option *const now = mcd_option_refusing(row->command, text + 2, strcspn(text + 2, "="));
    if (now)
        return cli_fail_usage("%s has no option %s: use --%s (%.*s)", row->name, text, now->name,
                              (int)strcspn(now->help, ":"), now->help);
    return cli_fail_usage("%s has no option %s; see macadam %s --help", row->name, text, row->name);
}

static int read_options(command_line *line, int argc, char **argv, bool *help)
{
    const unsigned command = line->row->command;
    struct option *const known = cli_allocate(2 * option_count() + 2, sizeof *known);
    int count = 0, index;
    known[count++] = (struct option){"help", no_argument, NULL, HELP};
    for (size_t i = 0; i < option_count(); ++i) {
        const mcd_option *const option = option_at(i);
        const int argument = option->kind == MCD_FLAG ? no_argument : required_argument;
        const int result = FIRST_LONG + (int)i;
        if (!(commands_of(option) & command)) continue;
        if (i != OUTPUT) known[count++] = (struct option){option->name, argument, NULL, result};
        if (option->old) known[count++] = (struct option){option->old, argument, NULL, result};
    }
    opterr = 0;
    for (int result; (result = getopt_long(argc, argv, ":o:h", known, &index)) != -1;) {
        const char short_name[] = {'-', (char)optopt, '\0'}, *const before = argv[optind - 1];
        const char *const text = optarg && optarg == before ? argv[optind - 2] : before;
        if (result == ':' || result == '?')
            return fail_option(line->row, result, optopt == 0 || optopt >= FIRST_LONG ? text : short_name);
        /* getopt takes abbreviations as well, which would change their meaning with every option that is added */
        if (result >= FIRST_LONG && strcspn(text + 2, "=") != strlen(known[index].name))
            return fail_option(line->row, '?', text);
        if (result == 'o' && !(own[OUTPUT].questions & command)) return fail_option(line->row, '?', "-o");
        if ((*help = result == HELP)) return CLI_DONE;
        CLI_TRY(take_option(line, result == 'o' ? OUTPUT : (size_t)(result - FIRST_LONG), optarg));
    }
    return CLI_DONE;
}

static int take_operands(cli_options *options, int argc, char **argv)
{
    options->files = (const char *const *)argv + optind;
    options->file_count = (size_t)(argc - optind);
    options->file = options->files[0];
    if (options->file_count > 1 && !(options->command & (CLI_SERVE | CLI_IMPORT)))
        return cli_fail_usage("%s: only one file, the map, is taken without the name of an option",
                              options->files[1]);
    return CLI_DONE;
}

/* ---- checks ---- */

/* The format that -o and --format name, among those the command writes. */
static int settle_format(cli_options *options, const cli_command_row *row)
{
    const bool piped = options->output && strcmp(options->output, "-") == 0;
    size_t name_bytes = 0;
    options->compression = options->output ? cli_compression_of(options->output, &name_bytes) : CLI_PLAIN;
    char *const name = cli_allocate(name_bytes + 1, 1);
    if (name_bytes > 0) memcpy(name, options->output, name_bytes);
    const char *const dot = options->format ? NULL : strrchr(name, '.');
    char names[NAMES_BYTES];
    const unsigned known = row->formats | (options->calibrate ? MCD_CSV : 0);
    size_t index;
    int bytes;
    if (piped && row->command & NAMED)
        return cli_fail_usage("%s cannot write to standard output: give a file to -o", row->name);
    if (options->output && !*options->output) return cli_fail_usage("-o: the name of the file is empty");
    if (piped) options->output = NULL;
    if (options->compression != CLI_PLAIN && row->command & NAMED)
        return cli_fail_usage("-o %s: %s writes no compressed file", options->output, row->name);
    if (row->formats == 0) return CLI_DONE; /* an edge file */
    if (dot && find_word(formats, dot + 1, &index)) options->format = (mcd_format)(1u << index);
    if (options->output && !options->format && dot && strcmp(dot, ".parquet") == 0)
        return cli_fail_usage("-o %s: only the Python package writes Parquet: python3 -m macadam %s",
                              options->output, row->name);
    if (options->output && !options->format)
        return cli_fail_usage("-o %s: the extension names no format that %s writes%s", options->output,
                              row->name, known & MCD_CSV ? "; give --format" : "");
    if (!options->format) {
        options->format = MCD_CSV; /* info and bench: text */
    } else if (!(known & options->format)) {
        const char *const format = word_at(formats, (size_t)__builtin_ctz(options->format), &bytes);
        return cli_fail_usage("%s does not write %.*s, only %s", row->name, bytes, format,
                              list_words(names, known));
    }
    return CLI_DONE;
}

static int fail_need(const cli_command_row *row, const char *option)
{
    return cli_fail_usage("%s needs %s, as in macadam %s %.*s", row->name, option, row->name,
                          (int)strcspn(row->usage, "\n"), row->usage);
}

/* Returns whether the option requests what the format is anyway: the units of solvers, or those of a map. */
static bool is_neutral(const cli_options *options, const mcd_option *option)
{
    const bool is_si = (options->format & MCD_PROBLEMS) != 0;
    return option->at == offsetof(cli_options, si_units) && options->si_units == is_si;
}

/* That the output and the other options allow the option, which is given. */
static int check_option(const command_line *line, const mcd_option *option)
{
    char words[NAMES_BYTES], names[NAMES_BYTES];
    const unsigned format = line->options->format;
    if (option->with && !is_given(line, option->with))
        return cli_fail_usage("%s%s is taken only with --%s", DASHES(option), option->with);
    if (option->without && is_given(line, option->without))
        return cli_fail_usage("%s%s is not taken with --%s", DASHES(option), option->without);
    if (!option->outputs || option->outputs & format || is_neutral(line->options, option)) return CLI_DONE;
    return cli_fail_usage("%s%s is not taken with %s, only with %s", DASHES(option),
                          list_words(words, format), list_words(names, option->outputs & line->row->formats));
}

/* That writing the output destroys none of the inputs, nor appends to one. */
static int check_inputs(const cli_options *options, const char *const *path, size_t count)
{
    const char *const output = options->output ? options->output : "/dev/stdout";
    for (size_t i = 0; i < count; ++i) {
        const char *const input = strcmp(path[i], "-") == 0 ? "/dev/stdin" : path[i];
        const macadam_status status = macadam_output_check(output, &input, 1, &cli_error);
        if (status != MACADAM_OK) return cli_fail_library(NULL, status);
    }
    return CLI_DONE;
}

static const char table_prefix[] = "table:"; /* of a decay that names a file */

/* That the command has the options that it needs, and takes those that it has. Standard input can be read once. */
static int check_options(const command_line *line)
{
    const cli_options *const options = line->options;
    const cli_command_row *const row = line->row;
    int piped = 0;
    if (row->command & ENGINES && !options->file) return fail_need(row, "FILE.mcd");
    for (size_t i = 0; i < option_count(); ++i) {
        const mcd_option *const option = option_at(i);
        char name[NAMES_BYTES];
        snprintf(name, sizeof name, "%s%s", DASHES(option));
        if (option->needed & row->command && !line->given[i]) return fail_need(row, name);
        if (!line->given[i]) continue;
        CLI_TRY(check_option(line, option));
        if (i == OUTPUT || !option->value || strcmp(option->value, "FILE") != 0) continue;
        void *const at = (char *)options + option->at;
        const mcd_texts inputs =
            option->kind == MCD_LIST ? *(mcd_texts *)at : (mcd_texts){.text = at, .count = 1};
        CLI_TRY(check_inputs(options, inputs.text, inputs.count));
        for (size_t k = 0; k < inputs.count; ++k) piped += strcmp(inputs.text[k], "-") == 0;
    }
    if (options->decay && strncmp(options->decay, table_prefix, sizeof table_prefix - 1) == 0) {
        const char *const table = options->decay + sizeof table_prefix - 1;
        CLI_TRY(check_inputs(options, &table, 1));
        piped += strcmp(table, "-") == 0;
    }
    if (piped > 1) return cli_fail_usage("only one input can be -, which is standard input");
    if (row->command == MCD_REACH && options->sources && !options->limits.count && !options->targets &&
        !options->opportunities)
        return fail_need(row, "--limits, --nearest or --opportunities");
    if (row->command == CLI_UPDATE && !options->new_weights && !options->turns && !options->speeds.count)
        return fail_need(row, "--weights, --turns or --speeds");
    return check_inputs(options, options->files, options->file_count);
}

int cli_options_read(cli_options *options, const cli_command_row *row, int argc, char **argv, bool *help)
{
    command_line line = {options, row, cli_allocate(option_count(), sizeof *line.given)};
    *help = false;
    *options = (cli_options){
        .request = mcd_request_new(),
        .command = row->command,
        .heading = NAN,
        .engine = MACADAM_ENGINE_OPTIONS_INIT,
        .import = MACADAM_IMPORT_OPTIONS_INIT,
        .serve = SERVE_SETTINGS_INIT,
    };
    int status = read_options(&line, argc, argv, help);
    if (*help) return CLI_DONE;
    options->lists_methods = options->request.method && strcmp(options->request.method, "help") == 0;
    if (options->lists_methods) return status;
    if (status == CLI_DONE) status = take_operands(options, argc, argv);
    if (status == CLI_DONE) status = settle_format(options, row);
    /* mapped: it may be larger than the memory */
    options->is_replaced =
        row->command & NAMED ||
        (row->command == MCD_ALL_PAIRS && options->output && options->compression == CLI_PLAIN &&
         options->format == MCD_NPY && options->request.quantities.count < 2 && !options->si_units);
    return status == CLI_DONE ? check_options(&line) : status;
}

/* ---- help ---- */

void cli_options_help(FILE *to, const cli_command_row *row)
{
    char shared[LINE_BYTES] = "\nOptions that macadam --help explains:";
    for (size_t i = 0; i < option_count(); ++i) {
        const mcd_option *const option = option_at(i);
        const bool is_own = row && commands_of(option) & row->command;
        /* `macadam --help` explains what many commands take */
        const bool is_shared =
            option->kind != MCD_FORMAT && __builtin_popcount(commands_of(option)) >= SHARED_LEAST;
        if (is_shared ? !row : is_own) {
            char words[NAMES_BYTES], line[LINE_BYTES];
            const char *const value = option->kind == MCD_FLAG ? "" : value_of(words, option, row);
            const int bytes =
                snprintf(line, sizeof line, "  %s%s%s%s", DASHES(option), value[0] ? " " : "", value);
            const bool fits = bytes + 2 <= HELP_COLUMN; /* else the help starts on the next line */
            snprintf(line + bytes, sizeof line - (size_t)bytes, "%s%*s%s", fits ? "" : "\n",
                     HELP_COLUMN - (fits ? bytes : 0), "", option->help);
            cli_wrap(to, line);
        } else if (is_own) {
            sprintf(shared + strlen(shared), " %s%s", DASHES(option));
        }
    }
    if (row) cli_wrap(to, shared);
}
