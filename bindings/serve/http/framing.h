/* framing.h - whether the head of a request is written strictly as RFC 9112 has it: what servers read differently lets a
 * request hide in another one. */
#ifndef MCD_BINDINGS_SERVE_HTTP_FRAMING_H
#define MCD_BINDINGS_SERVE_HTTP_FRAMING_H

#include <stdbool.h>
#include <stddef.h>

/* Checks the head of `bytes` bytes at `method`, as libmicrohttpd hands it over when it has read it. `uri` is as the
 * client sent it; `version` points into the head. */
bool serve_framing_is_right(const char *method, const char *uri, const char *version, size_t bytes);

#endif
