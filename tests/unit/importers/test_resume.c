/* test_resume.c - an import that was stopped at any moment goes on from its checkpoints, and the edge file does not show it. */
#include "engine/file/read.h"
#include "engine/include/macadam.h"
#include "engine/map/map.h"
#include "importers/base/checkpoint.h"
#include "tests/support/allocator.h"
#include "tests/support/edge_seal.h"
#include "tests/support/files.h"
#include "tests/support/import_fixture.h"
#include "tests/support/test_clock.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { PROFILES = 2, REPORT_BYTES = 8192, TRIES_MAX = 20000, STAGES = 3, KEPT_MAX = 6, CONTINUING = 3 };

static const char *const profile[PROFILES] = {"car", "foot"};
static const char *const stage[STAGES] = {"roads", "map", "order"};
static const char *const continuing[CONTINUING] = {"after the roads were read", "after the map was made",
                                                   "after the nodes were ordered"};

/* 1 -- 2 -- 3 -- 1, a forbidden turn at 2 and one over the way from 3 to 1, a road from 3 to 4 that opens only at times, and a
 * shape point. */
static const char town[] =
    "<?xml version='1.0'?><osm version='0.6'>"
    "<node id='1' version='1' lat='0' lon='0'/><node id='2' version='1' lat='0' lon='0.01'/>"
    "<node id='3' version='1' lat='0.01' lon='0'/><node id='4' version='1' lat='0.01' lon='0.01'/>"
    "<node id='5' version='1' lat='0.005' lon='0.006'/>"
    "<way id='1' version='1'><nd ref='1'/><nd ref='2'/><tag k='highway' v='residential'/></way>"
    "<way id='2' version='1'><nd ref='2'/><nd ref='5'/><nd ref='3'/><tag k='highway' v='primary'/>"
    "<tag k='name' v='Main Street'/></way>"
    "<way id='3' version='1'><nd ref='3'/><nd ref='1'/><tag k='highway' v='residential'/>"
    "<tag k='maxspeed' v='odd'/></way>"
    "<way id='4' version='1'><nd ref='3'/><nd ref='4'/><tag k='highway' v='%s'/>"
    "<tag k='motor_vehicle:conditional' v='no @ (Mo-Fr 07:00-09:00)'/></way>"
    "<relation id='1' version='1'><member type='way' ref='1' role='from'/><member type='node' ref='2' "
    "role='via'/>"
    "<member type='way' ref='2' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='no_left_turn'/></relation>"
    "<relation id='2' version='1'><member type='way' ref='4' role='from'/><member type='way' ref='3' "
    "role='via'/>"
    "<member type='way' ref='1' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='no_left_turn'/></relation></osm>";

static const char graph[] = "p sp 4 6\na 1 2 5\na 2 1 5\na 2 3 7\na 3 2 7\na 3 4 2\na 4 1 9\n";

/* An import, and what its callbacks heard. */
typedef struct trial {
    bool is_dimacs;
    char input[FILES_PATH_BYTES], out[FILES_PATH_BYTES], json[FILES_PATH_BYTES];
    macadam_import_options options;
    char report[REPORT_BYTES], notes[REPORT_BYTES]; /* notes: about checkpoints */
    size_t calls, stop_at;                          /* 0: never */
    const char *stop_in;                            /* NULL, or the phase whose first call stops it */
    void *expected, *expected_json;
    size_t expected_bytes, expected_json_bytes;
    char expected_report[REPORT_BYTES];
} trial;

static trial run;

/* Each import syncs its files, which takes no time in memory. */
static void fixture_open(void)
{
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 1);
    import_fixture_open();
}

static void fixture_close(void)
{
    free(run.expected);
    free(run.expected_json);
    import_fixture_close();
}

TestSuite(resume, .init = fixture_open, .fini = fixture_close);

static bool keeps_files;

/* In place of the C library's, of which no failure can be had as root. */
int remove(const char *path)
{
    if (keeps_files) errno = EPERM;
    if (keeps_files) return -1;
    return unlink(path) == 0 ? 0 : rmdir(path);
}

static void append(char *text, const char *line)
{
    const size_t length = strlen(text);
    cr_assert_lt(length + strlen(line) + 2, REPORT_BYTES);
    sprintf(text + length, "%s\n", line);
}

static void take_line(void *context, const char *line)
{
    trial *const it = context;
    append(strstr(line, ".resume-") ? it->notes : it->report, line);
}

static bool take_call(void *context, const char *phase, uint64_t done, uint64_t total)
{
    trial *const it = context;
    (void)done, (void)total;
    if (it->stop_in && strcmp(phase, it->stop_in) == 0) return false;
    return ++it->calls != it->stop_at;
}

static macadam_status import(void)
{
    macadam_import_options *const options = &run.options;
    options->output = run.out;
    options->report = take_line;
    options->progress = take_call;
    options->context = &run;
    run.calls = 0;
    *run.report = *run.notes = '\0';
    const char *const path = run.input, *const quantity = "duration";
    const macadam_dimacs_input dimacs = {
        .size = sizeof dimacs, .quantity = &quantity, .weight = &path, .quantity_count = 1};
    return run.is_dimacs ? macadam_import_dimacs(&dimacs, options, &import_error)
                         : macadam_import_osm_files(&path, 1, profile, PROFILES, options, &import_error);
}

/* Imports without checkpoints: all that follows must be equal. */
static void expect_this(void)
{
    run.options.resume = false;
    run.stop_at = 0, run.stop_in = NULL;
    cr_assert_eq(import(), MACADAM_OK, "%s", import_error.message);
    free(run.expected);
    free(run.expected_json);
    run.expected_json = NULL;
    run.expected = files_read(run.out, &run.expected_bytes);
    if (run.options.report_file) run.expected_json = files_read(run.json, &run.expected_json_bytes);
    strcpy(run.expected_report, run.report);
    run.options.resume = true;
    unlink(run.out);
}

static void begin(bool is_dimacs, unsigned threads)
{
    char text[sizeof town + 32];
    snprintf(text, sizeof text, town, "service");
    run.is_dimacs = is_dimacs;
    strcpy(run.input, import_write("input.osm", is_dimacs ? graph : text));
    strcpy(run.out, import_path("out.mcd"));
    strcpy(run.json, import_path("out.json"));
    run.options = (macadam_import_options)MACADAM_IMPORT_OPTIONS_INIT;
    run.options.threads = threads;
    if (!is_dimacs) run.options.report_file = run.json;
    expect_this();
}

static void expect_equal(const char *path, const void *expected, size_t expected_bytes)
{
    size_t bytes;
    void *const found = files_read(path, &bytes);
    cr_assert_eq(bytes, expected_bytes);
    cr_assert_eq(memcmp(found, expected, bytes), 0, "%s differs", path);
    free(found);
}

/* That the import, which goes on, makes the same files and lines, and leaves nothing else. */
static void expect_same(void)
{
    run.stop_at = 0, run.stop_in = NULL;
    cr_assert_eq(import(), MACADAM_OK, "%s", import_error.message);
    expect_equal(run.out, run.expected, run.expected_bytes);
    if (run.options.report_file) expect_equal(run.json, run.expected_json, run.expected_json_bytes);
    const size_t length = strlen(run.report), expected = strlen(run.expected_report);
    cr_assert_geq(length, expected);
    cr_assert_str_eq(run.report + length - expected, run.expected_report);
    if (!strstr(run.notes, "starting over")) cr_assert_eq(length, expected, "%s", run.report);
    char folder[FILES_PATH_BYTES];
    strcpy(folder, run.out);
    *strrchr(folder, '/') = '\0';
    cr_assert_eq(files_count(folder), run.options.report_file ? 3 : 2, "%s", run.notes);
    unlink(run.out);
}

/* ---- stopping ---- */

/* Several threads make other calls each time: one thread's are known to stop after each stage. */
static void stop_at_each_call(bool is_dimacs, unsigned threads)
{
    bool seen[CONTINUING] = {false};
    begin(is_dimacs, threads);
    mcd_watch_set_clock(test_clock_always_due);
    expect_same();
    const size_t count = run.calls;
    cr_assert_gt(count, 50);
    for (size_t call = 1; call <= count; ++call) {
        run.stop_at = call;
        const macadam_status status = import();
        cr_assert(status == MACADAM_E_CANCELLED || (!status && threads > 1), "%s", import_error.message);
        expect_same();
        for (int i = 0; i < CONTINUING; ++i) seen[i] |= strstr(run.notes, continuing[i]) != NULL;
    }
    mcd_watch_set_clock(NULL);
    for (int i = is_dimacs; i < CONTINUING && threads == 1; ++i)
        cr_expect(seen[i], "none continued %s", continuing[i]);
}

Test(resume, at_any_call)
{
    stop_at_each_call(false, 1);
}

Test(resume, at_any_call_of_several_threads)
{
    stop_at_each_call(false, 3);
}

Test(resume, at_any_call_of_an_import_that_spills)
{
    mcd_import_memory = 1;
    stop_at_each_call(false, 1);
}

Test(resume, at_any_call_of_dimacs)
{
    stop_at_each_call(true, 1);
}

/* ---- checkpoints as files ---- */

typedef struct kept_file {
    char path[FILES_PATH_BYTES + 32];
    void *data;
    size_t bytes;
} kept_file;

static kept_file kept[KEPT_MAX];
static size_t kept_count;

/* Stops an import in a phase, and takes its checkpoints. */
static void stop_in(const char *phase)
{
    mcd_watch_set_clock(test_clock_always_due);
    run.stop_in = phase;
    cr_assert_eq(import(), MACADAM_E_CANCELLED);
    mcd_watch_set_clock(NULL);
    kept_count = 0;
    for (int i = 0; i < PROFILES * STAGES; ++i) {
        kept_file *const file = &kept[kept_count];
        snprintf(file->path, sizeof file->path, "%s.resume-%d-%s", run.out, i / STAGES, stage[i % STAGES]);
        if (access(file->path, F_OK) == 0) file->data = files_read(file->path, &file->bytes), ++kept_count;
    }
    cr_assert_gt(kept_count, 0, "no checkpoint was written before %s", phase);
}

static void restore(void)
{
    for (size_t i = 0; i < kept_count; ++i) files_write(kept[i].path, kept[i].data, kept[i].bytes);
}

static void forget_kept(void)
{
    for (size_t i = 0; i < kept_count; ++i) free(kept[i].data), unlink(kept[i].path);
    kept_count = 0;
}

static void expect_refused(void)
{
    expect_same();
    cr_assert(strstr(run.notes, "checkpoint not used: ") || strstr(run.notes, "starting over: "), "%s",
              run.notes);
}

/* Each section, the header, the directory, and where the file ends. */
static void damage(const kept_file *file)
{
    char *const copy = malloc(file->bytes);
    const mcd_file_header *const header = file->data;
    const mcd_file_section *const section =
        (const void *)((const char *)file->data + header->directory_offset);
    memcpy(copy, file->data, file->bytes);
    for (size_t i = 0; i < file->bytes; ++i) {
        bool counts = (i < sizeof *header && i % 8 == 0) || (i >= header->directory_offset && i % 251 == 0);
        for (uint32_t k = 0; k < header->section_count; ++k) {
            const uint64_t at = i - section[k].offset;
            counts |= at < section[k].stored_bytes && (at == section[k].stored_bytes / 2 || at == 0);
        }
        if (!counts) continue;
        restore();
        copy[i] ^= 16;
        files_write(file->path, copy, file->bytes);
        copy[i] ^= 16;
        expect_refused();
    }
    for (size_t bytes = 0; bytes < file->bytes; bytes += 1 + file->bytes / 13) {
        restore();
        files_write(file->path, copy, bytes);
        expect_refused();
    }
    free(copy);
}

Test(resume, damaged_checkpoints_are_not_used)
{
    begin(false, 1);
    for (int i = 0; i < CONTINUING; ++i) {
        stop_in((const char *const[]){"splitting junctions", "ordering nodes", "elimination tree"}[i]);
        for (size_t k = 0; k < kept_count; ++k) damage(&kept[k]);
        forget_kept();
    }
}

Test(resume, disk_may_be_full_at_any_write)
{
    enum { STEP = 12000 };
    begin(false, 1);
    signal(SIGXFSZ, SIG_IGN);
    macadam_status status = MACADAM_E_FULL;
    for (rlim_t bytes = 0; status; bytes += STEP) {
        struct rlimit limit;
        getrlimit(RLIMIT_FSIZE, &limit);
        const rlim_t before = limit.rlim_cur;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
        status = import();
        limit.rlim_cur = before;
        setrlimit(RLIMIT_FSIZE, &limit);
        if (status) cr_assert_eq(status, MACADAM_E_FULL, "%s", import_error.message);
        if (status) expect_same();
    }
}

/* Fails each allocation of an import that begins with these checkpoints. */
static void fail_each_allocation(void)
{
    const size_t alive = allocator_live_count();
    bool has_failed = true;
    run.stop_in = NULL;
    for (size_t nth = 1; has_failed; ++nth) {
        cr_assert_lt(nth, TRIES_MAX);
        restore();
        allocator_fail(nth);
        const macadam_status status = import();
        has_failed = allocator_has_failed();
        allocator_fail(0);
        if (status) cr_assert(has_failed && status == MACADAM_E_MEMORY, "%s", import_error.message);
        cr_assert_eq(allocator_live_count(), alive, "allocation %zu", nth);
        if (status) expect_same();
    }
}

Test(resume, every_allocation_may_fail)
{
    begin(false, 2);
    fail_each_allocation();
    for (int i = 0; i < CONTINUING; ++i) {
        stop_in((const char *const[]){"splitting junctions", "ordering nodes", "elimination tree"}[i]);
        fail_each_allocation();
        forget_kept();
    }
}

/* ---- other imports ---- */

static void expect_other(const char *difference)
{
    expect_this();
    restore();
    expect_refused();
    cr_assert_not_null(strstr(run.notes, difference), "%s: %s", difference, run.notes);
}

Test(resume, another_import_says_how_it_differs)
{
    char text[sizeof town + 32];
    begin(false, 1);
    stop_in("elimination tree");
    run.options.node_ids = true;
    expect_other(
        ".resume-0-map: it is of \"node ids no, full report yes\", not of \"node ids yes, full report yes\"");
    run.options.node_ids = false;
    run.options.report_file = NULL;
    unlink(run.json);
    expect_other("not of \"node ids no, full report no\"");
    run.options.report_file = run.json;
    snprintf(text, sizeof text, town, "pathway"); /* as long as "service" */
    import_write("input.osm", text);
    expect_other("it is of \"file input.osm: ");
    forget_kept();
}

/* Changes the byte of a section at an offset, or after a text. */
static void change_byte(kept_file *file, const char *name, size_t at, const char *text, char byte)
{
    mcd_file_section *section = edge_directory(file->data);
    while (strcmp(section->name, name) != 0) ++section;
    char *const data = (char *)file->data + section->offset;
    if (text) cr_assert_not_null(strstr(data, text));
    if (text) at = (size_t)(strstr(data, text) - data) + strlen(text);
    data[at] = byte;
    section->crc32 = (uint32_t)crc32_z(0, (const unsigned char *)data, section->stored_bytes);
    edge_seal_directory(file->data);
}

Test(resume, checkpoints_of_another_format_are_not_used)
{
    begin(false, 1);
    stop_in("elimination tree");
    for (size_t i = 0; i < kept_count; ++i) change_byte(&kept[i], "made_from", 0, "format ", '0');
    expect_other("checkpoints of format 0\", not of");
    forget_kept();
}

/* The checksum is right, and the name of a quantity empty. */
Test(resume, checkpoint_of_a_bad_map_is_not_used)
{
    for (int is_made = 0; is_made < 3; ++is_made) {
        const char *const bad =
            is_made ? "-map: the name of quantity 0 is empty" : "-roads: the name of quantity 0 is empty";
        begin(is_made == 2, 1);
        stop_in(is_made ? "ordering nodes" : "splitting junctions");
        change_byte(&kept[0], "map", offsetof(mcd_map, quantity), NULL, '\0');
        restore();
        expect_refused();
        cr_expect_not_null(strstr(run.notes, bad), "%s", run.notes);
        restore();
        keeps_files = true;
        cr_expect_eq(import(), MACADAM_E_FILE);
        keeps_files = false;
        cr_expect_not_null(strstr(import_error.message, bad));
        forget_kept();
        unlink(run.json);
    }
}

Test(resume, order_has_each_node_once)
{
    static const mcd_node good[] = {2, 0, 1}, bad[][3] = {{2, 0, 2}, {0, 1, 3}};
    mcd_checkpoints all = {0};
    mcd_checkpoint at = {.all = &all, .path = (char *)import_write("out.mcd.resume-0-order", "")};
    cr_assert_eq(mcd_checkpoint_check_order(&at, good, 3, &import_error), MACADAM_OK);
    cr_assert_not(all.is_damaged);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        cr_assert_eq(mcd_checkpoint_check_order(&at, bad[i], 3, &import_error), MACADAM_E_FILE);
        cr_expect_not_null(strstr(import_error.message, "-order: rank 2 of 3 has no node of its own"), "%s",
                           import_error.message);
    }
    cr_assert_eq(mcd_checkpoint_check_order(&at, NULL, 3, &import_error), MACADAM_E_FILE);
    cr_assert(all.is_damaged); /* and removed */
}

Test(resume, other_threads_and_files_of_the_same_contents_go_on)
{
    begin(false, 1);
    stop_in("elimination tree");
    char text[sizeof town + 32];
    snprintf(text, sizeof text, town, "service");
    import_write("input.osm", text); /* again, later */
    for (unsigned threads = 1; threads <= 4; ++threads) {
        restore();
        run.options.threads = threads;
        run.options.memory_limit = threads == 4 ? (uint64_t)1 << 30 : 0;
        expect_same();
        cr_assert_not_null(strstr(run.notes, continuing[2]), "%s", run.notes);
    }
    run.options.ready = true;
    expect_this();
    restore();
    expect_same();
    cr_assert_not_null(strstr(run.notes, continuing[2]), "%s", run.notes);
    forget_kept();
}

Test(resume, standard_input_and_arrays_are_refused)
{
    begin(false, 1);
    strcpy(run.input, "-");
    cr_assert_eq(import(), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, "standard input cannot be read again to resume an import");
    run.options.report_file = NULL;
    const macadam_arrays_input arrays = MACADAM_ARRAYS_INPUT_INIT;
    cr_assert_eq(macadam_import_arrays(&arrays, &run.options, &import_error), MACADAM_E_INVALID);
    cr_expect_str_eq(import_error.message, "an import of arrays cannot be resumed");
}
