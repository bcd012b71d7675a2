/* status.h - the page `/`, and the administrator's /health, /info and /metrics. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_STATUS_H
#define MCD_BINDINGS_SERVE_SERVICES_STATUS_H

#include "bindings/serve/http/answer.h"
#include "bindings/serve/maps.h"

/* The files of ../page, as the build makes them part of the program; the last one has no path. */
typedef struct serve_file {
    const char *path, *type;
    size_t bytes;
    const char *content;
} serve_file;
extern const serve_file serve_page[];

/* Answers `path` if it is one of these; false if it is none. `running`: requests that are not answered yet. */
bool serve_status_answer(serve_answer *answer, const char *path, serve_maps *maps, unsigned running);

/* Whether `authorization` (NULL: none came) is "Bearer " and the token. The time does not show how much of it
 * is right. */
bool serve_status_is_allowed(const char *authorization, const char *token);

#endif
