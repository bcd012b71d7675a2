/* test_guide_maps.c - what a driver is told on the drawn maps of tests/conformance/maps. A file holds many maps: each
 * begins with "== claim" or "== claim (traveller)", and tests/support/drawn_map.h says what follows. */
#include "tests/support/drawn_map.h"
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 4096, NAME_BYTES = 256 };

TestSuite(guide_maps);

/* Draws the map between two heads. "== fork (car; traffic left)" names the traveller. */
static void expect_map(const char *head, const char *end)
{
    char text[MAP_BYTES], traveller[NAME_BYTES] = "car";
    const char *const body = strchr(head, '\n') + 1, *const open = memchr(head, '(', (size_t)(body - head));
    if (open) snprintf(traveller, sizeof traveller, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
    cr_assert_lt((size_t)(end - head), sizeof text, "too large a map: %.*s", (int)(body - head), head);
    snprintf(text, sizeof text, "%.*s", (int)(end - body), body);
    drawn_expect_steps(traveller, text);
}

static void expect_maps(const char *name)
{
    char path[FILES_PATH_BYTES];
    size_t bytes, count = 0;
    snprintf(path, sizeof path, "%s/%s.maps", MAPS_FOLDER, name);
    char *const read = files_read(path, &bytes), *const text = calloc(bytes + 1, 1);
    memcpy(text, read, bytes);
    for (const char *head = strstr(text, "== "), *next; head; head = next, ++count) {
        next = strstr(head + 3, "\n== ");
        if (next) ++next;
        expect_map(head, next ? next : text + bytes);
    }
    cr_assert_gt(count, 0, "%s has no maps", path);
    free(text);
    free(read);
}

Test(guide_maps, turns)
{
    expect_maps("turns");
}

Test(guide_maps, names)
{
    expect_maps("names");
}

Test(guide_maps, junctions)
{
    expect_maps("junctions");
}

Test(guide_maps, ramps)
{
    expect_maps("ramps");
}

Test(guide_maps, lanes)
{
    expect_maps("lanes");
}

Test(guide_maps, alternatives)
{
    expect_maps("alternatives");
}

Test(guide_maps, roundabouts)
{
    expect_maps("roundabouts");
}
