/* consumer.c - a host: includes the one header, calls the library, sees its errors. */
#include <macadam.h>

#include <stdio.h>
#include <string.h>

/* Elements of arrays keep their sizes (docs/abi.md): what is new takes the place of what is reserved. */
_Static_assert(sizeof(macadam_place) == 64, "macadam_place");
_Static_assert(sizeof(macadam_snap) == 96, "macadam_snap");
_Static_assert(sizeof(macadam_leg) == 40, "macadam_leg");
_Static_assert(sizeof(macadam_route_arc) == 104, "macadam_route_arc");
_Static_assert(sizeof(macadam_road) == 72, "macadam_road");
_Static_assert(sizeof(macadam_reached_arc) == 88, "macadam_reached_arc");

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
