/* output.c - buffered writing of an answer to a file or to standard output. */
#include "bindings/cli/output/output.h"
#include "bindings/cli/output/failure.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_BYTES = 1 << 16, FORMATTED_BYTES = 1024 };

static macadam_status status_of(int number)
{
    switch (number) {
    case ENOMEM:
        return MACADAM_E_MEMORY;
    case ENOSPC:
#ifdef EDQUOT
    case EDQUOT:
#endif
    case EFBIG:
        return MACADAM_E_FULL;
    default:
        return MACADAM_E_IO;
    }
}

/* Reports that a file cannot be opened. */
static int fail_output(const char *option, const char *path, int number)
{
    const macadam_status status = status_of(number);
    if (status == MACADAM_E_IO) return cli_fail_usage("%s %s: %s", option, path, strerror(number));
    return cli_fail(CLI_RESOURCE, macadam_status_name(status), "%s %s: %s", option, path, strerror(number));
}

/* Reports that a write to `name` failed. */
static int fail_write(const char *name, int number)
{
    return cli_fail(CLI_RESOURCE, macadam_status_name(status_of(number)), "%s: %s", name,
                    number ? strerror(number) : "write failed");
}

/* Opens the file, or makes one beside it if the file is not there or will be replaced. The new one gets a byte, which a
 * full disk refuses, and goes again. Returns 0, or errno. */
static int probe(const char *path, bool is_there, bool is_replaced)
{
    enum { TEMPORARY_BYTES = 32 };
    const bool is_new = is_replaced || !is_there;
    char *const name = cli_allocate(strlen(path) + TEMPORARY_BYTES, 1);
    sprintf(name, is_new ? "%s.%ld-0.tmp" : "%s", path, (long)getpid());
    const int file = open(name, O_WRONLY | O_CREAT | (is_new ? O_EXCL : 0), 0666);
    int number = file < 0 && errno != EEXIST ? errno : 0;
    if (number == ENAMETOOLONG && !is_replaced) number = 0; /* only the name of the one beside it may be */
    if (file >= 0 && is_new && write(file, "", 1) != 1) number = errno;
    if (file >= 0) close(file);
    if (file >= 0 && is_new) unlink(name);
    return number;
}

static int check(const char *option, const char *path, bool is_replaced)
{
    struct stat about;
    if (!path || !*path) return CLI_DONE;
    const bool is_there = stat(path, &about) == 0;
    if (is_there && S_ISDIR(about.st_mode)) return fail_output(option, path, EISDIR);
    if (is_there && !S_ISREG(about.st_mode)) /* a device or a pipe, which notices if it is opened */
        return is_replaced ? cli_fail_usage("%s %s: not a regular file", option, path) : CLI_DONE;
    const int number = probe(path, is_there, is_replaced);
    return number ? fail_output(option, path, number) : CLI_DONE;
}

int cli_output_check(const cli_options *options)
{
    CLI_TRY(check("-o", options->output, options->is_replaced));
    return check("--report", options->import.report_file, true);
}

int cli_output_open(cli_output *out, const char *path)
{
    *out = (cli_output){.stream = path ? fopen(path, "wb") : stdout, .path = path};
    if (!out->stream) return fail_output("-o", path, errno);
    size_t name_bytes;
    const cli_compression compression = path ? cli_compression_of(path, &name_bytes) : CLI_PLAIN;
    if (compression != CLI_PLAIN) out->compressor = cli_compressor_new(compression, out->stream);
    return CLI_DONE;
}

void cli_output_fail(cli_output *out, int number)
{
    if (!out->failed) out->number = number;
    out->failed = true;
}

static void put(cli_output *out, const void *data, size_t bytes)
{
    if (bytes && !(out->compressor ? cli_compressor_write(out->compressor, data, bytes)
                                   : fwrite(data, 1, bytes, out->stream) == bytes))
        cli_output_fail(out, errno);
}

static void write_text(cli_output *out)
{
    put(out, out->text.data, out->text.size);
    out->text.size = 0;
}

void cli_output_flush(cli_output *out)
{
    if (out->text.size >= BUFFER_BYTES) write_text(out);
}

static void remove_regular(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode)) unlink(path);
}

int cli_output_close(cli_output *out, int status)
{
    if (!out->stream) return status;
    const char *const name = out->path ? out->path : "standard output";
    write_text(out);
    if (out->text.failed) cli_output_fail(out, ENOMEM);
    if (out->compressor && !cli_compressor_end(out->compressor)) cli_output_fail(out, errno);
    if (fflush(out->stream) != 0) cli_output_fail(out, errno);
    if (out->path && fclose(out->stream) != 0) cli_output_fail(out, errno);
    if (out->failed && status == CLI_DONE) status = fail_write(name, out->number);
    if (out->path && status > CLI_NO_ROUTE) remove_regular(out->path);
    free(out->text.data);
    *out = (cli_output){0};
    return status;
}

int cli_output_end(int status)
{
    errno = 0;
    const bool failed = fflush(stdout) != 0 || ferror(stdout);
    if (!failed || status != CLI_DONE) return status;
    return fail_write("standard output", errno);
}

void cli_output_bytes(cli_output *out, const void *data, size_t bytes)
{
    if (bytes < BUFFER_BYTES) {
        mcd_text_bytes(&out->text, data, bytes);
        cli_output_flush(out);
    } else {
        write_text(out);
        put(out, data, bytes);
    }
}

void cli_output_text(cli_output *out, const char *text)
{
    cli_output_bytes(out, text, strlen(text));
}

void cli_output_format(cli_output *out, const char *format, ...)
{
    char few[FORMATTED_BYTES], *text = few;
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int bytes = vsnprintf(few, sizeof few, format, arguments);
    if (bytes >= FORMATTED_BYTES && (text = malloc((size_t)bytes + 1)))
        vsnprintf(text, (size_t)bytes + 1, format, again);
    va_end(again);
    va_end(arguments);
    if (bytes < 0 || !text)
        out->failed = true;
    else
        cli_output_bytes(out, text, (size_t)bytes);
    if (text != few) free(text);
}

void cli_output_indented(cli_output *out, mcd_text *text)
{
    cJSON *const json = mcd_text_reserve(text, 0) ? cJSON_ParseWithLength(text->data, text->size) : NULL;
    char *const indented = json ? cJSON_Print(json) : NULL;
    if (indented) cli_output_text(out, indented);
    cli_output_text(out, "\n");
    out->failed |= !indented;
    cJSON_free(indented);
    cJSON_Delete(json);
    free(text->data);
}

int cli_output_answer(const cli_options *options, macadam_status status, macadam_text *text)
{
    cli_output output;
    if (status != MACADAM_OK) return cli_fail_library(NULL, status);
    const int opened = cli_output_open(&output, options->output);
    if (opened == CLI_DONE) {
        cli_output_bytes(&output, text->data, text->size);
        cli_output_text(&output, "\n");
    }
    macadam_text_free(text);
    return opened == CLI_DONE ? cli_output_close(&output, CLI_DONE) : opened;
}
