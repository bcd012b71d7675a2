/* report.h - what an import counts for one profile and, of what it skips or mends, which objects these are.
 *
 * To report one more kind of thing, add a line to MCD_REPORT_LINES and call mcd_report_add where a thing is found: the
 * object at hand is the one of the last mcd_report_at. The lines appear in this order. */
#ifndef MCD_IMPORTERS_OSM_RULES_REPORT_H
#define MCD_IMPORTERS_OSM_RULES_REPORT_H

#include "engine/base/status.h"

#define MCD_REPORT_LINES(LINE)                                                                               \
    LINE(MCD_REPORT_NODES, "nodes in the file")                                                              \
    LINE(MCD_REPORT_REPEATED_WAYS, "ways that several files have")                                           \
    LINE(MCD_REPORT_REPEATED_RELATIONS, "relations that several files have")                                 \
    LINE(MCD_REPORT_REPEATED_NODES, "nodes of ways that several files have")                                 \
    LINE(MCD_REPORT_WAYS_USED, "ways used")                                                                  \
    LINE(MCD_REPORT_NO_ROADS, "ways that are not roads for the profile")                                     \
    LINE(MCD_REPORT_AREAS, "ways that are areas")                                                            \
    LINE(MCD_REPORT_CLOSED_WAYS, "ways closed to the profile")                                               \
    LINE(MCD_REPORT_DESTINATION_ONLY, "ways open only to begin or end a route")                              \
    LINE(MCD_REPORT_GATED_ARCS, "arcs reached or left only over such ways or their gates")                   \
    LINE(MCD_REPORT_CONDITIONAL_WAYS, "ways with conditional tags")                                          \
    LINE(MCD_REPORT_ODD_SPEED, "ways whose maxspeed means nothing")                                          \
    LINE(MCD_REPORT_ODD_ACCESS, "ways whose access or one-way tags mean nothing")                            \
    LINE(MCD_REPORT_ODD_MEASURE, "ways whose width, incline, grade or duration (ferries) cannot be read")    \
    LINE(MCD_REPORT_UNREAD, "ways and nodes with limits of size or weight that cannot be read")              \
    LINE(MCD_REPORT_SHORT_WAYS, "ways with fewer than two nodes")                                            \
    LINE(MCD_REPORT_CUT_WAYS, "ways cut because nodes are missing")                                          \
    LINE(MCD_REPORT_MISSING_NODES, "missing nodes of ways")                                                  \
    LINE(MCD_REPORT_INVALID_NODES, "nodes of ways without valid coordinates")                                \
    LINE(MCD_REPORT_CONDITIONAL_NODES, "nodes with conditional tags")                                        \
    LINE(MCD_REPORT_CONDITIONAL_ACCESS, "conditional tags about access")                                     \
    LINE(MCD_REPORT_CONDITIONAL_ONEWAY, "conditional tags about one-way streets")                            \
    LINE(MCD_REPORT_CONDITIONAL_SPEED, "conditional tags about speed")                                       \
    LINE(MCD_REPORT_CONDITIONAL_LIMIT, "conditional tags about weights and sizes")                           \
    LINE(MCD_REPORT_CONDITIONAL_OTHER, "conditional tags about other things")                                \
    LINE(MCD_REPORT_CONDITIONS_KEPT, "conditions kept for departures")                                       \
    LINE(MCD_REPORT_CONDITIONS_VEHICLE, "conditions about the vehicle, decided by the profile's")            \
    LINE(MCD_REPORT_CONDITIONS_LARGER, "of these, kept for queries about larger vehicles")                   \
    LINE(MCD_REPORT_CONDITIONS_ODD, "conditions of other things than times of the week, ignored")            \
    LINE(MCD_REPORT_CONDITIONS_HOURS, "of these, about hours that cannot be read")                           \
    LINE(MCD_REPORT_CONDITIONS_SEASON, "of these, about months, dates or weeks of the year")                 \
    LINE(MCD_REPORT_CONDITIONS_SUN, "of these, about sunrise and sunset")                                    \
    LINE(MCD_REPORT_CONDITIONS_WEATHER, "of these, about the weather")                                       \
    LINE(MCD_REPORT_CONDITIONS_PURPOSE, "of these, about destinations and purposes")                         \
    LINE(MCD_REPORT_CONDITIONS_MEASURE, "of these, about measures of the vehicle that are not read")         \
    LINE(MCD_REPORT_HOLIDAYS, "conditions that name holidays")                                               \
    LINE(MCD_REPORT_HOLIDAYS_PUBLIC, "of these, public holidays (PH)")                                       \
    LINE(MCD_REPORT_HOLIDAYS_SCHOOL, "of these, school holidays (SH), ignored")                              \
    LINE(MCD_REPORT_OPEN_AT_TIMES, "ways open only at times")                                                \
    LINE(MCD_REPORT_STAYS_RESIDENTS, "ways and nodes that only residents would pass at times, open to all")  \
    LINE(MCD_REPORT_STAYS_LARGER,                                                                            \
         "ways and nodes that only residents would pass with larger vehicles, open to all")                  \
    LINE(MCD_REPORT_STAYS_CLOSED, "ways and nodes that all would pass at times, open only to residents")     \
    LINE(MCD_REPORT_PLAZAS, "open areas crossed")                                                            \
    LINE(MCD_REPORT_LARGE_PLAZAS, "open areas with too many entrances and corners to be crossed")            \
    LINE(MCD_REPORT_TORN_PLAZAS, "open areas whose outline lacks a part")                                    \
    LINE(MCD_REPORT_DUPLICATES, "roads drawn twice, merged")                                                 \
    LINE(MCD_REPORT_SPEED_ARCS, "arcs with speeds over the week")                                            \
    LINE(MCD_REPORT_SPEED_OFF_MAP, "ways and directions with speeds that are not on the map")                \
    LINE(MCD_REPORT_SPEED_NO_PAIRS, "pairs of nodes with speeds that no road of the map joins")              \
    LINE(MCD_REPORT_SPEED_STILL, "ways and directions whose speed is always 0, left as they are")            \
    LINE(MCD_REPORT_SPEED_CLAMPED,                                                                           \
         "ways and directions with decoded speeds outside 5 to 1000 km/h, clamped")                          \
    LINE(MCD_REPORT_PATTERNS, "patterns of speed")                                                           \
    LINE(MCD_REPORT_PATTERN_MEAN, "mean error of patterns, in thousandths of the speed")                     \
    LINE(MCD_REPORT_PATTERN_WORST, "largest error of patterns, in thousandths of the speed")                 \
    LINE(MCD_REPORT_BLOCKED_NODES, "nodes blocked by barriers")                                              \
    LINE(MCD_RESTRICTION_APPLIED, "turn restrictions applied")                                               \
    LINE(MCD_RESTRICTION_EXCEPTED, "turn restrictions that do not concern the profile")                      \
    LINE(MCD_RESTRICTION_TIMED, "turn restrictions that hold only at times, applied to departures then")     \
    LINE(MCD_RESTRICTION_LARGER,                                                                             \
         "turn restrictions that hold only for larger vehicles, applied to queries about these")             \
    LINE(MCD_RESTRICTION_TIMES, "turn restrictions skipped: they hold at times only")                        \
    LINE(MCD_RESTRICTION_CONDITION, "turn restrictions skipped: their conditions are not read")              \
    LINE(MCD_RESTRICTION_ON_RED, "turn restrictions skipped: they hold at red lights only")                  \
    LINE(MCD_RESTRICTION_MEMBERS, "turn restrictions skipped: not a from, a via and a to")                   \
    LINE(MCD_RESTRICTION_KIND, "turn restrictions skipped: of an unknown kind")                              \
    LINE(MCD_RESTRICTION_CLOSED, "turn restrictions skipped: one of their roads is closed or missing")       \
    LINE(MCD_RESTRICTION_NEEDLESS, "turn restrictions skipped: the turn cannot be made anyway")              \
    LINE(MCD_RESTRICTION_OFF_MAP, "turn restrictions skipped: their roads do not meet on the map")           \
    LINE(MCD_RESTRICTION_AMBIGUOUS,                                                                          \
         "turn restrictions skipped: a road goes on beyond the via to either side")                          \
    LINE(MCD_RESTRICTION_TANGLED, "turn restrictions skipped: their via ways cannot be followed")            \
    LINE(MCD_REPORT_MANEUVERS, "maneuver relations")                                                         \
    LINE(MCD_REPORT_ODD_MANEUVERS,                                                                           \
         "maneuver relations skipped: not a from, a node and a to, or of an unknown kind")                   \
    LINE(MCD_REPORT_TILES, "tiles of heights")                                                               \
    LINE(MCD_REPORT_MISSING_TILES, "tiles of heights missing")                                               \
    LINE(MCD_REPORT_VOIDS, "samples of heights filled from the edges of voids")                              \
    LINE(MCD_REPORT_SPANNED, "points of bridges, tunnels and ferries that rise evenly")                      \
    LINE(MCD_REPORT_FILLED, "points without a tile, put as high as the roads around them")                   \
    LINE(MCD_REPORT_AT_SEA, "points without a tile or roads to others, put at sea level")                    \
    LINE(MCD_REPORT_JUNCTIONS, "junctions")                                                                  \
    LINE(MCD_REPORT_COPIES, "copies of split junctions")                                                     \
    LINE(MCD_REPORT_ARCS, "arcs")

#define MCD_REPORT_NAME(kind, what) kind,
typedef enum mcd_report_kind { MCD_REPORT_LINES(MCD_REPORT_NAME) MCD_REPORT_KINDS } mcd_report_kind;

/* An object of OpenStreetMap. */
typedef struct mcd_report_object {
    int64_t id;
    uint32_t kind; /* mcd_report_kind */
    char type;     /* 'n', 'w' or 'r' */
} mcd_report_object;

/* Begins zeroed. A part of a file, or of the work, has its own: parts are joined in order. */
typedef struct mcd_report {
    uint64_t count[MCD_REPORT_KINDS];
    uint32_t listed[MCD_REPORT_KINDS]; /* how many objects of the kind are in the list */
    mcd_report_object *object;         /* [object_count] in the order in which they were found */
    size_t object_count, capacity;
    mcd_report_object at; /* the object at hand */
    const char *profile;  /* its name, for mcd_report_write */
    char tile[32];        /* of heights, ", such as NAME": the first one that is missing */
    bool few;             /* at most six objects of each kind are listed: one more than a line names */
    bool failed;          /* memory ran out: mcd_report_join and mcd_report_check return it */
} mcd_report;

static inline void mcd_report_at(mcd_report *report, char type, int64_t id)
{
    report->at.type = type, report->at.id = id;
}

/* Counts things whose objects are not listed. */
static inline void mcd_report_count(mcd_report *report, mcd_report_kind kind, uint64_t count)
{
    report->count[kind] += count;
}

/* Counts a thing and lists the object at hand, once if it has several such things. */
void mcd_report_add(mcd_report *report, mcd_report_kind kind);
static inline void mcd_report_add_if(mcd_report *report, mcd_report_kind kind, bool holds)
{
    if (holds) mcd_report_add(report, kind);
}

/* Adds what `part` holds, which is empty then but keeps its memory. Returns E_MEMORY. */
macadam_status mcd_report_join(mcd_report *report, mcd_report *part, macadam_error *error);

/* Returns E_MEMORY if an object could not be listed. */
macadam_status mcd_report_check(const mcd_report *report, macadam_error *error);

/* Passes a line "WHAT: COUNT (way/1, node/2, ...)" for each count that is not 0. */
void mcd_report_tell(const mcd_report *report, void (*take)(void *context, const char *line), void *context);

/* Writes the reports of `count` profiles in JSON, as macadam_import_options::report_file says. Their objects are sorted
 * by kind, type and id. Returns E_IO, E_FULL, E_MEMORY. */
macadam_status mcd_report_write(const char *path, mcd_report *const *report, size_t count,
                                macadam_error *error);

void mcd_report_free(mcd_report *report);

#endif
