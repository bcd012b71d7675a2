/* wrap.c - see wrap.h. */
#include "bindings/cli/output/wrap.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 80, COLUMNS_LEAST = 60, USAGE_BYTES = sizeof "usage: " - 1 };

/* The user's width, as POSIX names it. */
static int columns(void)
{
    const char *const text = getenv("COLUMNS");
    const int given = text ? atoi(text) : 0;
    return given < COLUMNS_LEAST ? COLUMNS : given;
}

/* Returns where the second column of a line begins; without one, where its text begins. */
static int second_column(const char *line, int bytes)
{
    int at = strncmp(line, "usage: ", USAGE_BYTES) == 0 ? USAGE_BYTES : (int)strspn(line, " ");
    const int first = at;
    while (at + 1 < bytes && memcmp(line + at, "  ", 2) != 0) ++at;
    return first == 0 || at + 1 >= bytes ? first : at + (int)strspn(line + at, " ");
}

void cli_wrap(FILE *to, const char *text)
{
    const int width = columns();
    while (*text) {
        const int end = (int)strcspn(text, "\n"), indent = second_column(text, end);
        int at = 0, room = width;
        while (end - at > room) {
            int bytes = room;
            while (bytes > 0 && text[at + bytes] != ' ') --bytes;
            if (bytes == 0) bytes = (int)strcspn(text + at, " \n");
            fprintf(to, "%*s%.*s\n", at ? indent : 0, "", bytes, text + at);
            at += bytes + (text[at + bytes] == ' ');
            room = width - indent;
        }
        fprintf(to, "%*s%.*s\n", at ? indent : 0, "", end - at, text + at);
        text += end + (text[end] == '\n');
    }
}
