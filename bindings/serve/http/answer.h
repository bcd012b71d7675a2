/* answer.h - what goes back to a client: a status of HTTP, a content type and a body. */
#ifndef MCD_BINDINGS_SERVE_HTTP_ANSWER_H
#define MCD_BINDINGS_SERVE_HTTP_ANSWER_H

#include "bindings/formats/text.h"

#include <cjson/cJSON.h>

enum { SERVE_NOT_MODIFIED = 304 }; /* a status: the client has the answer that has this tag */

typedef struct serve_answer {
    unsigned status;            /* of HTTP; 0 = there is no answer yet */
    const char *type;           /* static */
    mcd_text body;              /* owned */
    const char *code;           /* static: "Ok", "NoRoute", ... */
    char tag[40];               /* entity tag of an answer that clients may keep; empty: they may not */
    bool is_streamed, is_whole; /* there is no body: it goes through serve_job::stream; all of it has gone */
    uint64_t stream_bytes;      /* UINT64_MAX = unknown */
} serve_answer;

extern const char serve_type_json[], serve_type_text[], serve_type_binary[], serve_type_geojson[],
    serve_type_tile[], serve_type_npy[], serve_type_arrow[];

/* Makes the body, of this type, an answer that is complete. */
void serve_answer_ok(serve_answer *answer, const char *type);
/* Replaces whatever the answer holds by {"code":...,"message":...}. Returns false, for its caller to return. */
bool serve_answer_fail(serve_answer *answer, unsigned status, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for an element of a body, "NAME[INDEX]: WHAT: VALUE"; index -1: the member itself. */
bool serve_answer_fail_element(serve_answer *answer, const char *code, const char *name, int index,
                               const char *what, const cJSON *value);
/* Returns the JSON value that a body consists of. NULL: it does not, and the answer says where. */
cJSON *serve_answer_parse(serve_answer *answer, const char *body, size_t size);
/* Returns whether the member of a body is the first one of its name; otherwise the answer says that there are two. */
bool serve_answer_check_member(serve_answer *answer, const cJSON *object, const cJSON *member);
/* The same as serve_answer_fail() for a call of the library that failed. The reason goes to the client if the request is invalid,
 * else to the log, unless it is the client's fault: such messages may name files. */
bool serve_answer_fail_library(serve_answer *answer, macadam_status status, const macadam_error *error);
void serve_answer_free(serve_answer *answer);

#endif
