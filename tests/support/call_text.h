/* call_text.h - requests and replies of macadam_call as text: "matrix { source { node: [10, 30] } }". A field that has its
 * default is left out. Numbers with a point have six digits. Bytes are hexadecimal. */
#ifndef MCD_TESTS_SUPPORT_CALL_TEXT_H
#define MCD_TESTS_SUPPORT_CALL_TEXT_H

#include "tests/support/call_fixture.h"

/* To be freed by macadam__v1__request__free_unpacked(, NULL). Aborts with what it cannot read. */
Macadam__V1__Request *call_text_read(const char *text);

/* Asserts that the answer to the request is `expected`, in one reply and in parts. Each part has a line. */
void call_text_expect(const char *request, const char *expected);

/* Asserts that the request fails with the status, and that its message holds `message`. */
void call_text_refuse(const char *request, macadam_reply_callback part, macadam_status status,
                      const char *message);

#endif
