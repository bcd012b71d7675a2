/* uses.h - every call on a map that has points. Each makes its own request. */
#ifndef MCD_TESTS_SUPPORT_USES_H
#define MCD_TESTS_SUPPORT_USES_H

#include "tests/support/fixture.h"

typedef enum use_kind {
    USE_QUERY = 0,
    USE_ENGINE = 1, /* the call has no callback: it uses the engine's */
    USE_SMALL = 2,  /* on small maps only */
    USE_COPY = 4,   /* the file is read when the engine is opened, and not mapped */
} use_kind;

/* Calls the engine; *answer depends on what it answers. */
typedef macadam_status (*use_run)(macadam_engine *engine, const macadam_query *query, uint64_t *answer,
                                  macadam_error *error);

typedef struct use_case {
    const char *name;
    use_run run;
    unsigned kind; /* of use_kind, or-ed */
} use_case;

enum { USES = 28, FIRST_USES = 6 /* the others load nothing else */ };
extern const use_case use_all[USES];

/* Opens an engine and makes a query for a use, which then asks `progress`. */
macadam_status use_open(macadam_engine **out, const char *path, const use_case *use,
                        macadam_progress progress, void *context, macadam_query *query, macadam_error *error);

#endif
