/* failure.c - how the command says that something went wrong. */
#include "bindings/cli/failure.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_BYTES = 1024 };

static bool as_json, quiet;

void cli_failure_as_json(void)
{
    as_json = true;
}

/* Prints the object, which becomes its own. */
static bool print_json(cJSON *object)
{
    char *const text = cJSON_PrintUnformatted(object);
    if (text) fprintf(stderr, "%s\n", text);
    cJSON_free(text);
    cJSON_Delete(object);
    return text != NULL;
}

static cJSON *error_json(int exit_status, const char *status, const char *message)
{
    cJSON *const object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "error", message);
    cJSON_AddStringToObject(object, "status", status);
    cJSON_AddNumberToObject(object, "exit", exit_status);
    return object;
}

static int fail(int exit_status, const char *status, const char *format, va_list arguments)
{
    char message[MESSAGE_BYTES];
    vsnprintf(message, sizeof message, format, arguments);
    if (!as_json || !print_json(error_json(exit_status, status, message)))
        fprintf(stderr, "macadam: %s\n", message);
    return exit_status;
}

int cli_fail(int exit_status, const char *status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(exit_status, status, format, arguments);
    va_end(arguments);
    return exit_status;
}

int cli_fail_usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fail(CLI_USAGE, macadam_status_name(MACADAM_E_INVALID), format, arguments);
    va_end(arguments);
    return CLI_USAGE;
}

void cli_failure_quiet(void)
{
    quiet = true;
}

static cJSON *warning_json(const char *message)
{
    cJSON *const object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "warning", message + strspn(message, " "));
    return object;
}

void cli_warn(const char *format, ...)
{
    char message[MESSAGE_BYTES];
    va_list arguments;
    if (quiet) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!as_json || !print_json(warning_json(message)))
        fprintf(stderr, "%s%s\n", message[0] == ' ' ? "" : "macadam: ", message);
}

bool cli_is_full(const char *reason)
{
    static const int number[] = {
        ENOSPC,
        EFBIG,
#ifdef EDQUOT
        EDQUOT,
#endif
    };
    for (size_t i = 0; i < sizeof number / sizeof *number; ++i)
        if (strstr(reason, strerror(number[i]))) return true;
    return false;
}

/* The library has one status for what the system refuses to read and to write. */
static int exit_status_of(macadam_status status, const char *message)
{
    switch (status) {
    case MACADAM_OK:
        return CLI_DONE;
    case MACADAM_E_INVALID:
    case MACADAM_E_NOT_FOUND:
    case MACADAM_E_UNSUPPORTED:
        return CLI_USAGE;
    case MACADAM_E_FILE:
        return CLI_INPUT;
    case MACADAM_E_IO:
        return cli_is_full(message) ? CLI_RESOURCE : CLI_INPUT;
    case MACADAM_E_MEMORY:
    case MACADAM_E_LIMIT:
    case MACADAM_E_CANCELLED:
    case MACADAM_E_DEVICE:
        break;
    }
    return CLI_RESOURCE;
}

int cli_fail_library(macadam_status status, const macadam_error *error)
{
    const char *const name = macadam_status_name(status);
    return cli_fail(exit_status_of(status, error->message), name, "%s",
                    error->message[0] ? error->message : name);
}

static void exit_without_memory(size_t count, size_t element_bytes)
{
    exit(cli_fail(CLI_RESOURCE, macadam_status_name(MACADAM_E_MEMORY), "cannot allocate %zu x %zu bytes",
                  count, element_bytes));
}

/* cJSON leaves out what it cannot allocate, and nobody is told: the answer would lack a member. Errors are
 * text from now on, since their JSON needs memory too. */
static void *allocate_json(size_t bytes)
{
    void *const memory = malloc(bytes);
    if (memory) return memory;
    as_json = false;
    exit_without_memory(1, bytes);
    return NULL;
}

void cli_failure_begin(void)
{
    cJSON_Hooks hooks = {allocate_json, free};
    cJSON_InitHooks(&hooks);
}

/* What stands before each piece of memory: all are in a circle. */
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

void *cli_reallocate(void *memory, size_t count, size_t element_bytes)
{
    if (!memory) return cli_allocate(count, element_bytes);
    const size_t bytes = piece_bytes(count, element_bytes);
    piece_of_memory *const piece = bytes ? realloc((piece_of_memory *)memory - 1, bytes) : NULL;
    if (!piece) exit_without_memory(count, element_bytes);
    piece->before->next = piece->next->before = piece;
    return piece + 1;
}

void cli_free_all(void)
{
    while (pieces.next != &pieces) {
        piece_of_memory *const piece = pieces.next;
        pieces.next = piece->next;
        free(piece);
    }
}
