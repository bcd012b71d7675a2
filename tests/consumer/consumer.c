/* consumer.c - a host: includes the one header, calls the library, sees its errors. */
#include <macadam.h>

#include <stdio.h>
#include <string.h>

int main(void)
{
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", MACADAM_VERSION_MAJOR, MACADAM_VERSION_MINOR,
             MACADAM_VERSION_PATCH);
    if (strcmp(macadam_version(), expected) != 0) {
        fprintf(stderr, "the library is %s, its header %s\n", macadam_version(), expected);
        return 1;
    }
    macadam_engine *engine;
    macadam_error error = {.message = ""};
    const macadam_status status = macadam_engine_open(&engine, "no-such-file.mcd", NULL, &error);
    if (status != MACADAM_E_IO || engine || !strstr(error.message, "no-such-file.mcd")) {
        fprintf(stderr, "opening no file: %s: %s\n", macadam_status_name(status), error.message);
        return 1;
    }
    return 0;
}
