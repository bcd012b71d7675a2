/* session.h - an opened engine with the query that the options request. */
#ifndef MCD_BINDINGS_CLI_SESSION_H
#define MCD_BINDINGS_CLI_SESSION_H

#include "bindings/cli/input/conditions.h"
#include "bindings/formats/macadam_formats.h"

enum { CLI_LABEL_BYTES = 24, CLI_COLUMNS_BYTES = 64 };

/* A limit in the objective's own unit, and what its columns are called. */
typedef struct cli_limit {
    uint32_t cost;
    char label[CLI_LABEL_BYTES];
} cli_limit;

/* A time of the clock: the bytes up to a comma. */
typedef struct cli_time {
    const char *text;
    size_t bytes;
} cli_time;

typedef struct cli_session {
    const cli_options *options;
    macadam_engine *engine;
    macadam_info info;
    const char *file;
    const int64_t *id; /* info.id_count of them, ascending; after cli_session_open_query */
    macadam_query query;
    cli_conditions conditions; /* of the query */
    macadam_clock clock;       /* likewise, if it has one */
    cli_time *time;            /* [instants of the clock] as they were given; owned */
    /* for how many rows a source stands, and for how many columns a target; 1 without a clock */
    size_t departs, arrives;
    const char *quantity[MACADAM_QUANTITIES_MAX]; /* the columns of the answer, in order */
    size_t quantity_count;
    macadam_format_options format; /* how libmacadam_formats writes the answer: with these columns */
    uint32_t *total_per_unit;      /* likewise, of each of the file's quantities; owned */
    uint32_t per_unit[MACADAM_QUANTITIES_MAX]; /* by column: answers are divided by it; 1 unless --units si */
    bool is_signed[MACADAM_QUANTITIES_MAX];    /* by column: it may be negative */
    uint32_t limit;                            /* --limit; 0 = none */
    cli_limit limits[MACADAM_REACH_LIMITS_MAX]; /* --limits, as they were given; of isochrones, ascending */
    uint32_t limit_cost[MACADAM_REACH_LIMITS_MAX]; /* the costs of these */
    size_t limit_count;
    double snap_radius_m; /* in use, for messages */
} cli_session;

/* Opens the edge file on the device. Reports and returns an exit status on failure. */
int cli_session_open(cli_session *out, const cli_options *options);
/* Does the same with another file, or another profile of it. */
int cli_session_open_profile(cli_session *out, const cli_options *options, const char *file,
                             const char *profile);
void cli_session_close(cli_session *session);
/* A variable that is closed where its scope ends; it must be opened before. */
#define CLI_SCOPED_SESSION __attribute__((cleanup(cli_session_close))) cli_session

/* Returns the unit of a quantity: "ms", "cm", or "" if it is not known. */
const char *cli_session_unit(const cli_session *session, const char *quantity);

/* Opens, settles metric, quantities and limits and loads the ids: what every query needs. */
int cli_session_open_query(cli_session *out, const cli_options *options);

/* Returns ",depart" or ",arrive_by", for the columns of a table; "" without a clock. */
const char *cli_session_time_column(const cli_session *session);

/* Reads a cost by the metric's objective (hops: a number of these) from a part of the option's value. */
int cli_session_read_cost(const cli_session *session, const char *option, const char *value, const char *text,
                          uint64_t *out);

/* Finds a user id; *position (may be NULL) is its place among the ids. */
bool cli_session_find_id(const cli_session *session, int64_t id, size_t *position);

/* Lets points among places that one departs from be left in the direction that the options name. */
void cli_session_head(const cli_session *session, macadam_place *place, size_t count);

/* Reports that points or a drawing were requested of a file without coordinates, and what needs none; returns CLI_USAGE. */
int cli_session_fail_coordinates(const cli_session *session, const char *advice);
#define CLI_NO_POINTS ": name places by node:ID"

#endif
