/* url.h - reads requests as clients send them. */
#ifndef MCD_BINDINGS_SERVE_HTTP_URL_H
#define MCD_BINDINGS_SERVE_HTTP_URL_H

#include "bindings/serve/services/request.h"

/* Reads `/service/version/profile/coordinates[.format][?options]`; `uri` is as the client sent it. `body` (NULL:
 * none) is a JSON object with coordinates and options, which then are not in the path. Returns false if the answer
 * says what is wrong. Free *out in any case. */
bool serve_url_read(serve_request *out, const char *uri, const char *body, size_t body_size,
                    serve_answer *answer);

#endif
