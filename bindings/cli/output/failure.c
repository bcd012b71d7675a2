/* failure.c - how the command says that something went wrong. */
#include "bindings/cli/output/failure.h"
#include "bindings/formats/text.h"

#include <cjson/cJSON.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MESSAGE_BYTES = 1024, SHOWN_BYTES = 4 * MESSAGE_BYTES, FIRST_ELEMENTS = 16 };

bool cli_errors_as_json, cli_quiet;
macadam_error cli_error;

void cli_say(const char *prefix, const char *line)
{
    char shown[SHOWN_BYTES];
    mcd_text_show(shown, sizeof shown, line);
    fprintf(stderr, "%s%s\n", prefix, shown);
}

/* Prints a message, in JSON as the member `kind`; `status`: NULL, or of an error. */
static void print(const char *kind, const char *status, int exit_status, const char *format,
                  va_list arguments)
{
    char message[MESSAGE_BYTES];
    mcd_text text = {0};
    vsnprintf(message, sizeof message, format, arguments);
    mcd_text_json(&text, "{%s:%s", kind, message + strspn(message, " "));
    if (status) mcd_text_json(&text, "'status':%s,'exit':%d", status, exit_status);
    if (cli_errors_as_json && !text.failed)
        fprintf(stderr, "%.*s}\n", (int)text.size, text.data);
    else
        cli_say(message[0] == ' ' ? "" : "macadam: ", message);
    free(text.data);
}

int cli_fail(int exit_status, const char *status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print("error", status, exit_status, format, arguments);
    va_end(arguments);
    return exit_status;
}

void cli_warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!cli_quiet) print("warning", NULL, CLI_DONE, format, arguments);
    va_end(arguments);
}

static int exit_status_of(macadam_status status)
{
    switch (status) {
    case MACADAM_OK:
        return CLI_DONE;
    case MACADAM_E_INVALID:
    case MACADAM_E_NOT_FOUND:
    case MACADAM_E_UNSUPPORTED:
        return CLI_USAGE;
    case MACADAM_E_FILE:
    case MACADAM_E_IO:
        return CLI_INPUT;
    default: /* memory, limits, devices, disks */
        return CLI_RESOURCE;
    }
}

int cli_fail_library(const char *path, macadam_status status)
{
    const char *const name = macadam_status_name(status);
    return cli_fail(exit_status_of(status), name, "%s%s%s", path ? path : "", path ? ": " : "",
                    cli_error.message[0] ? cli_error.message : name);
}

static void exit_without_memory(size_t count, size_t element_bytes)
{
    exit(cli_fail(CLI_RESOURCE, macadam_status_name(MACADAM_E_MEMORY), "cannot allocate %zu x %zu bytes",
                  count, element_bytes));
}

/* cJSON takes a text that it has no memory for as one that is not JSON. */
static void *allocate_json(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (!memory) exit_without_memory(1, bytes);
    return memory;
}

void cli_failure_begin(void)
{
    cJSON_Hooks hooks = {allocate_json, free};
    cJSON_InitHooks(&hooks);
}

/* Header of a piece of memory; the pieces form a circular list, by which they are not lost until the process ends. */
typedef struct piece_of_memory {
    alignas(max_align_t) struct piece_of_memory *before, *next;
} piece_of_memory;

static piece_of_memory pieces = {&pieces, &pieces};

/* The bytes of a piece for `count` elements; 0: too many. */
static size_t piece_bytes(size_t count, size_t element_bytes)
{
    size_t bytes;
    const bool overflows = __builtin_mul_overflow(count, element_bytes, &bytes) ||
                           __builtin_add_overflow(bytes, sizeof(piece_of_memory), &bytes);
    return overflows ? 0 : bytes;
}

void *cli_allocate(size_t count, size_t element_bytes)
{
    const size_t bytes = piece_bytes(count, element_bytes);
    piece_of_memory *const piece = bytes ? calloc(1, bytes) : NULL;
    if (!piece) exit_without_memory(count, element_bytes);
    *piece = (piece_of_memory){pieces.before, &pieces};
    piece->before->next = piece->next->before = piece;
    return piece + 1;
}

void *cli_grow(void *memory, size_t count, size_t element_bytes)
{
    const bool is_full = count >= FIRST_ELEMENTS && (count & (count - 1)) == 0;
    if (!memory) return cli_allocate(FIRST_ELEMENTS, element_bytes);
    return is_full ? cli_reallocate(memory, 2 * count, element_bytes) : memory;
}

void *cli_reallocate(void *memory, size_t count, size_t element_bytes)
{
    if (!memory) return cli_allocate(count, element_bytes);
    const size_t bytes = piece_bytes(count, element_bytes);
    piece_of_memory *const piece = bytes ? realloc((piece_of_memory *)memory - 1, bytes) : NULL;
    if (!piece) exit_without_memory(count, element_bytes);
    piece->before->next = piece->next->before = piece;
    return piece + 1;
}
