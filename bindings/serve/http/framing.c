/* framing.c - see framing.h. libmicrohttpd (0.9.75) accepts much that RFC 9112 forbids, at each of its levels: lines that
 * end by LF, lines that go on in the next one, any two Content-Length. It keeps the head where it has received it, from
 * the method on, and puts zeros where a part ends: "VERSION\0\0NAME\0 VALUE\0\0NAME\0 VALUE\0\0\0\0", so that all of this
 * is still seen there. A line that ended by LF has one zero. */
#include "bindings/serve/http/framing.h"

#include <microhttpd.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

/* Fields that a request has once at most. */
enum { HOST, CONTENT_LENGTH, TRANSFER_ENCODING };
static const char *const single[] = {[HOST] = "Host",
                                     [CONTENT_LENGTH] = "Content-Length",
                                     [TRANSFER_ENCODING] = "Transfer-Encoding",
                                     "Authorization",
                                     "Content-Type",
                                     "Expect",
                                     "If-Match",
                                     "If-Modified-Since",
                                     "If-None-Match",
                                     "If-Range",
                                     "If-Unmodified-Since",
                                     "Range",
                                     "Upgrade"};
enum { SINGLE_COUNT = sizeof single / sizeof single[0] };

static bool is_token(const char *text)
{
    const char *at = text;
    while ((unsigned)(*at | 32) - 'a' < 26 || (*at && strchr("-!#$%&'*+.^_`|~0123456789", *at))) ++at;
    return at > text && *at == 0;
}

/* Whether the text has no control characters. */
static bool is_plain(const char *text)
{
    while ((uint8_t)*text >= ' ' ? *text != 127 : *text == '\t') ++text;
    return *text == 0;
}

/* Adds the field to those that have been `seen`. */
static bool check_field(const char *name, const char *value, unsigned *seen)
{
    size_t i = 0;
    if (!is_token(name) || !is_plain(value)) return false;
    while (i < SINGLE_COUNT && (*single[i] != (*name & ~32) || strcasecmp(single[i], name) != 0)) ++i;
    if (i == SINGLE_COUNT) return true;
    const bool is_first = !(*seen & 1u << i);
    *seen |= 1u << i;
    return is_first && (i != TRANSFER_ENCODING || strcasecmp(value, "chunked") == 0) &&
           (i != HOST || (*value && !strstr(value, "..") && !strpbrk(value, " \t/\\@?#,\"<>")));
}

bool serve_framing_is_right(const char *method, const char *uri, const char *version, size_t bytes)
{
    const unsigned host = 1u << HOST, length = 1u << CONTENT_LENGTH, coding = 1u << TRANSFER_ENCODING;
    const bool is_old = strcmp(version, MHD_HTTP_VERSION_1_0) == 0;
    unsigned seen = 0;
    if (!is_token(method) || *uri == 0 || !is_plain(uri) || strpbrk(uri, " \t") ||
        method + strlen(method) + strlen(uri) + 2 != version)
        return false;
    if (MHD_VERSION >= 0x01000000) return true; /* it is strict itself, and keeps the head in another way */
    const char *at = version + strlen(version);
    for (; at[0] == 0 && at[1] == 0 && at[2]; at += strlen(at)) {
        const char *const name = at + 2;
        at = name + strlen(name) + 1;
        at += strspn(at, " \t");
        if (!check_field(name, at, &seen)) return false;
    }
    return at + 4 == method + bytes && !memcmp(at, "\0\0\0", 4) && (is_old || seen & host) &&
           !(seen & coding && (seen & length || is_old));
}
