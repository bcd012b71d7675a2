/* wrap.c - see wrap.h. */
#include "bindings/cli/output/wrap.h"

#include <string.h>

enum { COLUMNS = 110 };

/* Returns where the second column of a line begins; without one, where its text begins. */
static int second_column(const char *line, int bytes)
{
    int at = (int)strspn(line, " ");
    const int first = at;
    while (at + 1 < bytes && memcmp(line + at, "  ", 2) != 0) ++at;
    return first == 0 || at + 1 >= bytes ? first : at + (int)strspn(line + at, " ");
}

void cli_wrap(FILE *to, const char *text)
{
    while (*text) {
        const int end = (int)strcspn(text, "\n"), indent = second_column(text, end);
        int at = 0, room = COLUMNS;
        while (end - at > room) {
            int bytes = room;
            while (bytes > 0 && text[at + bytes] != ' ') --bytes;
            if (bytes == 0) bytes = (int)strcspn(text + at, " \n");
            fprintf(to, "%*s%.*s\n", at ? indent : 0, "", bytes, text + at);
            at += bytes + (text[at + bytes] == ' ');
            room = COLUMNS - indent;
        }
        fprintf(to, "%*s%.*s\n", at ? indent : 0, "", end - at, text + at);
        text += end + (text[end] == '\n');
    }
}
