/* option.h - the options of questions: one table for the command, the service and Python, which options.py makes of
 * options.md. */
#ifndef MCD_BINDINGS_OPTIONS_OPTION_H
#define MCD_BINDINGS_OPTIONS_OPTION_H

#include "engine/include/macadam.h"

/* Questions as bits, so that options have sets of them. */
enum {
    MCD_TREE = 1 << 0,
    MCD_ROUTE = 1 << 1,
    MCD_ROUTES = 1 << 2,
    MCD_MATRIX = 1 << 3,
    MCD_REACH = 1 << 4,
    MCD_ISOCHRONE = 1 << 5,
    MCD_HOPS = 1 << 6,
    MCD_CONNECT = 1 << 7,
    MCD_ALL_PAIRS = 1 << 8,
    MCD_SNAP = 1 << 9,
    MCD_MATCH = 1 << 10,
    MCD_TRIP = 1 << 11,
    MCD_NEAREST = 1 << 12, /* of Python, as the next: prepared targets */
    MCD_REACHED = 1 << 13, /* the arcs of an isochrone */
    MCD_BENCH = 1 << 14,   /* of the command: several questions */
    MCD_NO_COMMAND = 1 << 15,
    MCD_COSTS =
        MCD_TREE | MCD_ROUTE | MCD_ROUTES | MCD_MATRIX | MCD_REACH | MCD_ISOCHRONE | MCD_ALL_PAIRS | MCD_TRIP,
    MCD_QUERIES = MCD_COSTS | MCD_HOPS | MCD_CONNECT | MCD_SNAP | MCD_MATCH | MCD_NEAREST | MCD_REACHED,
    MCD_TIMED = MCD_QUERIES & ~(MCD_HOPS | MCD_CONNECT | MCD_ALL_PAIRS | MCD_NEAREST), /* with a clock */
    MCD_PLACES = MCD_QUERIES & ~(MCD_ALL_PAIRS | MCD_MATCH),
    MCD_PATHS = MCD_ROUTE | MCD_MATCH | MCD_TRIP,
};

/* Formats of answers as bits. */
typedef enum mcd_format {
    MCD_CSV = 1 << 0,
    MCD_JSON = 1 << 1,
    MCD_NPY = 1 << 2,
    MCD_GEOJSON = 1 << 3,
    MCD_POLYLINE5 = 1 << 4,
    MCD_POLYLINE6 = 1 << 5,
    MCD_HTML = 1 << 6,
    MCD_VROOM = 1 << 7,
    MCD_ORTOOLS = 1 << 8,
    MCD_ARROW = 1 << 9,
    MCD_SENTENCES = 1 << 10,
    MCD_ARRAYS = MCD_NPY | MCD_ARROW,
    MCD_OBJECTS = MCD_JSON | MCD_GEOJSON,
    MCD_POLYLINES = MCD_POLYLINE5 | MCD_POLYLINE6,
    MCD_STEPS = MCD_OBJECTS | MCD_HTML | MCD_SENTENCES,
    MCD_PROBLEMS = MCD_VROOM | MCD_ORTOOLS, /* a solver reads them: costs are in seconds and metres */
} mcd_format;

/* How a value is written, and what it becomes in a member. */
typedef enum mcd_option_kind {
    MCD_FLAG,    /* bool; the command has no value for it */
    MCD_TEXT,    /* const char * */
    MCD_LIST,    /* mcd_texts: one each time that the option is given */
    MCD_PARTS,   /* mcd_texts: those between commas */
    MCD_COUNT,   /* an unsigned type: a whole number in a range */
    MCD_SIZE,    /* uint64_t: bytes */
    MCD_MEASURE, /* double: a positive number that may have a unit; with `most`, any number in a range */
    MCD_WORD,    /* an enum or bool: the position of the text among the words of `value` */
    MCD_NAME,    /* const char *: one of the words of `value`; NULL: one of macadam_language_name */
    MCD_FORMAT   /* mcd_format: of the command */
} mcd_option_kind;

/* The texts of an option that is repeated, or those between the commas of its value. */
typedef struct mcd_texts {
    const char *value; /* the whole of it; NULL = repeated */
    const char **text; /* owned; between commas, so is what they point to */
    size_t count;
} mcd_texts;

/* The clock as options have it: times between commas; NULL = not given. */
typedef struct mcd_times {
    const char *depart, *arrive_by, *utc_offset;
    bool each;
} mcd_times;

/* The options of questions fill the library's structures where they can. NULL and 0 = not given. */
typedef struct mcd_request {
    macadam_query query;
    macadam_conditions conditions; /* without these, whose values are read elsewhere: */
    mcd_texts avoid, factors, areas;
    mcd_times times; /* likewise: mcd_clock_read */
    mcd_texts quantities;
    macadam_text_options text; /* of steps */
    bool reverse, approximate, explain;
    const char *method; /* of trees, hops and all pairs */
    /* what it says of steps, segments and totals holds for matchings and trips */
    macadam_route_request route;
    macadam_matrix_request matrix;
    macadam_reach_request reach;
    macadam_rings_request rings;
    macadam_match_request match;
    macadam_trip_request trip;
} mcd_request;

typedef struct mcd_option {
    const char *name;   /* of the command, after -- */
    const char *value;  /* as help names it; of a WORD: all words, between bars; FILE: an input, but for -o */
    unsigned questions; /* that take it */
    mcd_option_kind kind;
    size_t at, bytes; /* the member of mcd_request, or of what the table fills */
    const char *help; /* what it does */
    /* Where the name differs; "" = not there. */
    const char
        *url; /* of the service, else `name` with _ for -; perhaps NAME=WORD|WORD for 0 (false), 1 (true) */
    const char *python;                 /* of Python, likewise; perhaps NAME: TYPE, or vehicle.KEY */
    unsigned commands;                  /* that take it; 0: `questions` */
    unsigned needed;                    /* the commands that need it */
    unsigned outputs;                   /* the formats that take it; 0: all */
    int least, most;                    /* of a COUNT, or of a MEASURE without a unit */
    const char *unit;                   /* of a MEASURE without a unit */
    const char *with, *without;         /* the option that has to be given as well, or must not be */
    const char *old;                    /* an earlier name, which is taken as well */
    const char *refused;                /* an earlier name, which is an error that gives this one */
    bool (*is_right)(const char *text); /* of a TEXT that the service takes */
} mcd_option;

/* [mcd_option_count] all options of questions; `at` is a member of mcd_request. */
extern const mcd_option mcd_options[];
extern const size_t mcd_option_count;

/* mcd_request as it is before options are read. */
mcd_request mcd_request_new(void);
/* Makes a clock of times. With an offset only, the times of traces are seconds since 1970, UTC. out->depart is a block with all its instants, the caller's to free, on failure too. Returns
 * E_MEMORY, or as macadam_instant_read. */
macadam_status mcd_clock_read(macadam_clock *out, const mcd_times *times, unsigned question,
                              macadam_error *error);
/* Returns the macadam_road_flag of a name, or 0. */
uint32_t mcd_option_flag(const char *name, size_t bytes);
/* Returns the option of these questions for which a name is refused, or NULL. */
const mcd_option *mcd_option_refusing(unsigned questions, const char *name, size_t bytes);
/* Stores an unsigned number, an enum or a bool at the option's member. */
void mcd_option_store(const mcd_option *option, void *structure, uint64_t value);

#endif
