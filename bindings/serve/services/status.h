/* status.h - the page `/`, and the administrator's /health, /info and /metrics. */
#ifndef MCD_BINDINGS_SERVE_SERVICES_STATUS_H
#define MCD_BINDINGS_SERVE_SERVICES_STATUS_H

#include "bindings/serve/http/answer.h"
#include "bindings/serve/maps.h"

/* The page `/`: page.html, as the build makes it part of the program. */
extern const char serve_page[];
extern const size_t serve_page_bytes;

/* Answers `path` if it is one of these; false if it is none. `running`: requests that are not answered yet. */
bool serve_status_answer(serve_answer *answer, const char *path, serve_maps *maps, unsigned running);

/* Whether `authorization` (NULL: none came) is "Bearer " and the token. The time does not show how much of it
 * is right. */
bool serve_status_is_allowed(const char *authorization, const char *token);

#endif
