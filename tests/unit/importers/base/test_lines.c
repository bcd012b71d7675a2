/* test_lines.c - the lines of texts that other programs and broken disks leave. */
#include "importers/base/lines.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"

#include <criterion/criterion.h>

TestSuite(lines, .init = import_fixture_open, .fini = import_fixture_close);

/* Reads the file "text" to its end; returns the lines as one text, with a bar after each. */
static macadam_status read_bytes(const void *data, size_t bytes, char *joined)
{
    MCD_FREED_BY(mcd_lines_close) mcd_lines lines = {0};
    *joined = '\0';
    files_write(import_path("text"), data, bytes);
    MCD_TRY(mcd_lines_open(&lines, import_path("text"), &import_error));
    for (char *line;;) {
        MCD_TRY(mcd_lines_next(&lines, &line, &import_error));
        if (!line) return MACADAM_OK;
        strcat(strcat(joined, line), "|");
    }
}

Test(lines, a_byte_order_mark_is_left_out)
{
    char joined[64];
    const char text[] = "\xef\xbb\xbf"
                        "a\r\n\nb";
    cr_assert_eq(read_bytes(text, sizeof text - 1, joined), MACADAM_OK, "%s", import_error.message);
    cr_expect_str_eq(joined, "a||b|");
}

Test(lines, nothing_after_a_nul_is_lost_silently)
{
    char joined[64];
    static const char within[] = "a 1\nb 2\0 3\nc", at_end[] = "a\n\0\0\0";
    import_expect(read_bytes(within, sizeof within - 1, joined), MACADAM_E_FILE, import_path("text"),
                  ":2: not a text: it contains NUL: \"b 2\"");
    import_expect(read_bytes(at_end, sizeof at_end - 1, joined), MACADAM_E_FILE, import_path("text"),
                  ":2: not a text: it contains NUL: \"\"");
}
