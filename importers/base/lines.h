/* lines.h - the lines of a text file, plain or gzip, one after another, and errors that name file and
 * line. */
#ifndef MCD_IMPORTERS_BASE_LINES_H
#define MCD_IMPORTERS_BASE_LINES_H

#include "engine/base/status.h"

#include <string.h>
#include <zlib.h>

typedef struct mcd_lines {
    const char *path;
    gzFile file;
    char *buffer;
    size_t first, last; /* the bytes that were read but not yet returned: first <= i < last */
    bool ended;         /* the file has no bytes after these */
    const char *line;   /* the current line, for messages */
    uint64_t number;    /* of the current line, from 1 */
    uint64_t bytes_max; /* the most bytes that the file can hold; UINT64_MAX: unknown */
} mcd_lines;

/* Opens the file. `path` must outlive the lines. Returns E_IO (no such file, ...) or E_MEMORY. */
macadam_status mcd_lines_open(mcd_lines *lines, const char *path, macadam_error *error);

/* Opens a text in memory, which messages call `name`. Both are borrowed, the text only for this call. */
macadam_status mcd_lines_open_text(mcd_lines *lines, const char *name, const char *text,
                                   macadam_error *error);

/* Returns the next line, without its end (LF or CR LF) and NUL-terminated, valid until the next call; NULL
 * after the last one. A byte order mark before the first line is left out. Returns E_FILE for a cut-off or corrupt
 * gzip, for a NUL and for a line that is absurdly long, or E_IO. */
macadam_status mcd_lines_next(mcd_lines *lines, char **line, macadam_error *error);

/* Fails with E_FILE and the message "PATH:LINE: MESSAGE: TEXT OF THE LINE", where the text is cut to a
 * readable length. */
macadam_status mcd_lines_fail(const mcd_lines *lines, macadam_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

void mcd_lines_close(mcd_lines *lines);

/* Reads at most 19 digits that end at a blank or at the line's end. Returns what follows, or NULL if there is
 * no such number. */
static inline const char *mcd_lines_digits(const char *at, uint64_t *value)
{
    const char *const first = at;
    uint64_t sum = 0;
    while ((unsigned)(*at - '0') < 10) sum = sum * 10 + (unsigned)(*at++ - '0');
    *value = sum;
    const bool ends = *at == '\0' || *at == ' ' || *at == '\t';
    return ends && at != first && at - first <= 19 ? at : NULL;
}

static inline const char *mcd_lines_skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') ++at;
    return at;
}

/* Reads a whole number after at least one blank. Returns what follows it, or NULL if there is none. */
static inline const char *mcd_lines_unsigned(const char *at, uint64_t *value)
{
    const char *const first = mcd_lines_skip_blanks(at);
    return first == at ? NULL : mcd_lines_digits(first, value);
}

/* Reads a whole number with an optional minus sign after any blanks. Returns what follows it, or NULL. */
static inline const char *mcd_lines_signed(const char *at, int64_t *value)
{
    at = mcd_lines_skip_blanks(at);
    const bool negative = *at == '-';
    uint64_t size;
    at = mcd_lines_digits(at + negative, &size);
    if (!at || size > INT64_MAX) return NULL;
    *value = negative ? -(int64_t)size : (int64_t)size;
    return at;
}

/* Cuts the next word off the text, with the blanks around it; NULL if only blanks are left. */
static inline char *mcd_lines_word(char **rest)
{
    char *const word = *rest + strspn(*rest, " \t"), *const end = word + strcspn(word, " \t");
    *rest = end + strspn(end, " \t");
    *end = '\0';
    return *word ? word : NULL;
}

/* Returns whether only blanks follow. */
static inline bool mcd_lines_at_end(const char *at)
{
    return *mcd_lines_skip_blanks(at) == '\0';
}

#endif
