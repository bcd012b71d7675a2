/* lines.c - see lines.h. gzread reads plain files too; the buffer is our own because gzgets is slow. */
#include "importers/base/lines.h"
#include "engine/base/memory.h"
#include "engine/base/types.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

enum {
    BUFFER_BYTES = 1 << 18, /* also the longest line */
    GZIP_BUFFER_BYTES = 1 << 17,
    GZIP_RATIO_MAX = 1032, /* the most that deflate can compress */
    TEXT_BYTES = 80,       /* how much of a line a message shows */
};

static uint64_t bytes_max_of(const char *path)
{
    struct stat state;
    if (stat(path, &state) != 0 || !S_ISREG(state.st_mode)) return UINT64_MAX;
    return ((uint64_t)state.st_size + 1) * GZIP_RATIO_MAX;
}

macadam_status mcd_lines_open(mcd_lines *lines, const char *path, macadam_error *error)
{
    *lines = (mcd_lines){.path = path, .line = "", .bytes_max = bytes_max_of(path)};
    /* + 1: the NUL after a last line without an end */
    MCD_TRY(MCD_NEW(lines->buffer, BUFFER_BYTES + 1, error));
    errno = 0;
    lines->file = gzopen(path, "rb");
    if (!lines->file) {
        const int reason = errno ? errno : ENOMEM;
        mcd_lines_close(lines);
        if (reason == ENOMEM) return mcd_fail_memory(error, GZIP_BUFFER_BYTES);
        return mcd_fail(error, MACADAM_E_IO, "cannot open %s: %s", path, strerror(reason));
    }
    gzbuffer(lines->file, GZIP_BUFFER_BYTES);
    return MACADAM_OK;
}

macadam_status mcd_lines_open_text(mcd_lines *lines, const char *name, const char *text, macadam_error *error)
{
    *lines = (mcd_lines){.path = name, .line = "", .last = strlen(text), .ended = true};
    lines->buffer = mcd_duplicate(text);
    return lines->buffer ? MACADAM_OK : mcd_fail_memory(error, lines->last + 1);
}

void mcd_lines_close(mcd_lines *lines)
{
    if (lines->file) gzclose_r(lines->file);
    mcd_free(lines->buffer);
    *lines = (mcd_lines){0};
}

/* A short read is the end of the file only if zlib reports no error. */
static macadam_status check_read(const mcd_lines *lines, macadam_error *error)
{
    int code;
    const char *reason = gzerror(lines->file, &code);
    if (code == Z_OK || code == Z_STREAM_END) return MACADAM_OK;
    if (code == Z_ERRNO)
        return mcd_fail(error, MACADAM_E_IO, "cannot read %s: %s", lines->path, strerror(errno));
    if (code == Z_MEM_ERROR) return mcd_fail_memory(error, GZIP_BUFFER_BYTES);
    if (code == Z_BUF_ERROR) reason = "the gzip file is cut off";
    return mcd_fail(error, MACADAM_E_FILE, "%s:%llu: %s", lines->path, (unsigned long long)lines->number + 1,
                    reason);
}

/* Moves the started line to the buffer's beginning and reads more after it. */
static macadam_status fill(mcd_lines *lines, macadam_error *error)
{
    const size_t kept = lines->last - lines->first;
    if (kept == BUFFER_BYTES)
        return mcd_fail(error, MACADAM_E_FILE, "%s:%llu: a line of more than %d bytes", lines->path,
                        (unsigned long long)lines->number + 1, BUFFER_BYTES);
    memmove(lines->buffer, lines->buffer + lines->first, kept);
    lines->first = 0;
    lines->last = kept;
    const int got = gzread(lines->file, lines->buffer + kept, (unsigned)(BUFFER_BYTES - kept));
    if (got > 0) lines->last += (size_t)got;
    if (got == (int)(BUFFER_BYTES - kept)) return MACADAM_OK;
    lines->ended = true;
    return check_read(lines, error);
}

macadam_status mcd_lines_next(mcd_lines *lines, char **line, macadam_error *error)
{
    *line = NULL;
    size_t searched = 0;
    char *end;
    for (;;) {
        char *const first = lines->buffer + lines->first;
        end = memchr(first + searched, '\n', lines->last - lines->first - searched);
        if (end || lines->ended) break;
        searched = lines->last - lines->first;
        MCD_TRY(fill(lines, error));
    }
    if (!end && lines->first == lines->last) return MACADAM_OK;
    *line = lines->buffer + lines->first;
    if (!end) end = lines->buffer + lines->last;
    lines->first = mcd_size_min((size_t)(end - lines->buffer) + 1, lines->last);
    if (end > *line && end[-1] == '\r') --end;
    *end = '\0';
    lines->line = *line;
    if (lines->number++ == 0 && strncmp(*line, "\xef\xbb\xbf", 3) == 0) *line += 3; /* a byte order mark */
    return strlen(*line) == (size_t)(end - *line)
               ? MACADAM_OK
               : mcd_lines_fail(lines, error, "not a text: it contains NUL");
}

macadam_status mcd_lines_fail(const mcd_lines *lines, macadam_error *error, const char *format, ...)
{
    char message[256], text[TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    size_t length = 0;
    for (const char *at = lines->line; *at && length + 1 < sizeof text; ++at)
        text[length++] = *at >= ' ' && *at != 0x7f ? *at : '?';
    text[length] = '\0';
    return mcd_fail(error, MACADAM_E_FILE, "%s:%llu: %s: \"%s\"", lines->path,
                    (unsigned long long)(lines->number ? lines->number : 1), message, text);
}
