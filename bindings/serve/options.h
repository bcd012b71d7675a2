/* options.h - the part of a request's path that follows the profile: coordinates, and options by name. */
#ifndef MCD_BINDINGS_SERVE_OPTIONS_H
#define MCD_BINDINGS_SERVE_OPTIONS_H

#include "bindings/serve/services/request.h"
#include "bindings/formats/scan.h"

/* Reads from `scan` to its end. Returns false if the answer says what is wrong, or, without an answer, if the text is
 * malformed where the scan stands. */
bool serve_options_read(serve_request *request, mcd_scan *scan, serve_answer *answer);

/* Returns whether the service has an option of this name. */
bool serve_options_has(serve_service service, const char *name);
/* Returns what separates the elements of this option, each of which an error may name: semicolons if they belong to coordinates, are
 * numbers of coordinates, or contain commas, as coordinates do; else commas. NULL: errors name only the whole value. */
const char *serve_options_separator(serve_service service, const char *name);

#endif
