/* settings.h - the settings with which the server is started. */
#ifndef MCD_BINDINGS_SERVE_SETTINGS_H
#define MCD_BINDINGS_SERVE_SETTINGS_H

#include "engine/include/macadam.h"

/* The settings with which the server is started. They begin as SERVE_SETTINGS_INIT. Strings are borrowed. */
typedef struct serve_settings {
    const char *const *file; /* [file_count] FILE or NAME=FILE: the profile by which paths name the map */
    size_t file_count;
    const char *listen; /* ADDRESS:PORT; port 0: any that is free */
    const char *device; /* NULL: as macadam_engine_options has it */
    unsigned threads;   /* that answer short requests; as many answer long ones; 0: one per processor */
    uint64_t
        memory; /* of each engine, and of one answer; 0: the engine's default, and a quarter of the machine's */
    uint64_t body_bytes;  /* of a request at most */
    unsigned connections; /* at most */
    const char *token;    /* that allows /traffic and /reload; NULL: none may */
    double request_s;     /* that a request may take */
    unsigned keepalive_s; /* until a connection that is silent is closed */
    double radius_m;      /* of coordinates that have none; INFINITY: unlimited */
    /* As osrm-routed names them: the coordinates, results and alternatives of a request at most. 0: unlimited. */
    unsigned viaroute_most, table_most, matching_most, trip_most, nearest_most, alternatives_most;
    bool log_as_json, quiet, trusts_files;
} serve_settings;

#define SERVE_SETTINGS_INIT                                                                                  \
    {                                                                                                        \
        .listen = "127.0.0.1:5000", .body_bytes = 64 << 20, .connections = 1000, .request_s = 60,            \
        .keepalive_s = 30, .radius_m = 1000                                                                  \
    }

#endif
