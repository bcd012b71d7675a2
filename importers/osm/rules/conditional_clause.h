/* conditional_clause.h - the clauses of conditional tags, "VALUE @ (CONDITIONS)": at which times, and for which
 * vehicles, each of them gives its tag a value. (https://wiki.openstreetmap.org/wiki/Conditional_restrictions) */
#ifndef MCD_IMPORTERS_OSM_RULES_CONDITIONAL_CLAUSE_H
#define MCD_IMPORTERS_OSM_RULES_CONDITIONAL_CLAUSE_H

#include "engine/map/week.h"
#include "importers/osm/rules/conditional_count.h"
#include "importers/osm/rules/profile.h"

enum {
    MCD_CLAUSES_MAX = 32,
    MCD_CLAUSE_COMPARISONS = 4,
    MCD_CLAUSE_VEHICLES = 12,
    MCD_CLAUSE_TEXT_BYTES = 2048,
    MCD_CLAUSE_TIMELESS = MCD_WEEKS * MCD_WEEK_SLOTS, /* at no particular time */
    MCD_CLAUSE_MOMENTS
};

/* The vehicle measures at least the bound or, with `below`, less. */
typedef struct mcd_comparison {
    mcd_limit limit;
    bool below;
    uint32_t bound; /* in the units of the limit; 0: the profile's vehicle measures at least as much */
} mcd_comparison;

typedef struct mcd_clause {
    mcd_tag tag;   /* in force */
    bool same_tag; /* as the clause before it */
    bool timed;    /* only in the weeks' slots */
    mcd_week week[MCD_WEEKS];
    mcd_comparison comparison[MCD_CLAUSE_COMPARISONS]; /* all must hold */
    size_t comparison_count;
} mcd_clause;

typedef struct mcd_clauses {
    const mcd_profile *profile;
    mcd_report *report;
    mcd_report_kind unread; /* what the last condition that is not read is about; 0: all are read */
    mcd_clause clause[MCD_CLAUSES_MAX];
    size_t count;
    bool timed; /* some clause is */
    /* The measures of the vehicles to which clauses may mean different things: of the profile's, then of larger ones.
     * 0: those of the profile's. */
    uint32_t vehicle[MCD_CLAUSE_VEHICLES][MCD_LIMITS];
    size_t vehicle_count;
    char text[MCD_CLAUSE_TEXT_BYTES]; /* keys and values */
    size_t used;
} mcd_clauses;

/* Begins with no clauses. */
void mcd_clauses_begin(mcd_clauses *clauses, const mcd_profile *profile, mcd_report *report);

/* Reads the clauses of a tag KEY:conditional, and counts them. Conditions that are not read are left out, and so are
 * times if the profile ignores them. A value of the key "" needs no conditions. `key` must outlive the clauses. */
void mcd_clauses_add(mcd_clauses *clauses, const char *key, const char *text);

/* Reads all conditional tags whose keys the profile knows, or that limit vehicles, and ends the clauses. The opening hours of a barrier, and of a way unless it is a
 * shop or the like, are conditional access as well. */
void mcd_clauses_read(mcd_clauses *clauses, const mcd_tags *tags, bool is_way);

/* Ends the clauses: adds the vehicles to which two clauses together mean something else. */
void mcd_clauses_end(mcd_clauses *clauses);

/* Returns the clauses that give tags their values for the profile's vehicle at no particular time, as bits. */
uint32_t mcd_clauses_usual(const mcd_clauses *clauses);

/* Lists the tags where the clauses `bits` are in force: of equal keys, the first one counts. `tag` has room for the
 * clauses and the tags. */
mcd_tags mcd_clauses_tags(const mcd_clauses *clauses, uint32_t bits, const mcd_tags *tags, mcd_tag *tag);

/* The moments at which clauses are in force for a vehicle; or, for the profile's, other ones than usually. Moments at which the same clauses are in force are alike. */
typedef struct mcd_moments {
    mcd_guard guard;                   /* of the vehicle */
    uint64_t bits[MCD_CLAUSE_MOMENTS]; /* before << 32 | then; 0: the same, or listed already */
    size_t next;
} mcd_moments;

void mcd_moments_begin(mcd_moments *moments, const mcd_clauses *clauses, size_t vehicle);

/* Finds the next moments that are alike: which clauses are in force without the difference, and with it. Returns false
 * after the last ones. */
bool mcd_moments_next(mcd_moments *moments, uint32_t *before, uint32_t *then, mcd_period *period);

#endif
