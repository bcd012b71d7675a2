/* serve.h - answers requests over HTTP until a signal ends it. */
#ifndef MCD_BINDINGS_SERVE_SERVE_H
#define MCD_BINDINGS_SERVE_SERVE_H

#include "engine/include/macadam.h"

/* Strings are borrowed; NULL and 0: the default. */
typedef struct serve_options {
    const char *const *file; /* [file_count] FILE or NAME=FILE: the profile by which paths name the map */
    size_t file_count;
    const char *listen; /* ADDRESS:PORT, by default 127.0.0.1:5000; port 0: any that is free */
    const char *device;
    unsigned threads;     /* that answer short requests; as many answer long ones */
    uint64_t memory;      /* of each engine, and of one answer */
    uint64_t body_bytes;  /* of a request at most */
    unsigned connections; /* at most */
    double request_s;     /* that a request may take */
    bool log_as_json, quiet;
} serve_options;

/* Returns MACADAM_OK after SIGTERM or SIGINT, when the requests in flight are answered. */
macadam_status serve_run(const serve_options *options, macadam_error *error);

#endif
