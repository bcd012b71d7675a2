/* serve.c - `macadam serve`: OSRM's HTTP API. */
#include "bindings/serve/serve.h"
#include "bindings/cli/command.h"

#include <errno.h>

#ifndef MACADAM_SERVE
int cli_serve(__attribute__((unused)) const cli_options *options)
{
    return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED),
                    "this build has no server: build it with -DMACADAM_SERVE=ON");
}
#else
enum { TOKEN_BYTES = 256 };

/* The first line of the file: on the command line, every user of the machine could see it. */
static int read_token(const char *path, char token[TOKEN_BYTES])
{
    FILE *const file = fopen(path, "r");
    const bool is_read = file && fgets(token, TOKEN_BYTES, file);
    if (file) fclose(file);
    if (!file) return cli_fail(CLI_INPUT, macadam_status_name(MACADAM_E_IO), "%s: %s", path, strerror(errno));
    token[strcspn(token, "\r\n")] = 0;
    if (is_read && token[0]) return CLI_DONE;
    return cli_fail(CLI_INPUT, macadam_status_name(MACADAM_E_IO), "%s: it has no token in its first line",
                    path);
}

int cli_serve(const cli_options *options)
{
    char token[TOKEN_BYTES] = "";
    const int read = options->token_file ? read_token(options->token_file, token) : CLI_DONE;
    if (read != CLI_DONE) return read;
    serve_settings settings = options->serve;
    settings.file = options->files, settings.file_count = options->file_count;
    settings.device = options->engine.device;
    settings.threads = options->engine.threads;
    settings.trusts_files = options->engine.trust_file;
    settings.memory = options->engine.memory_limit;
    settings.token = options->token_file ? token : NULL;
    settings.quiet = options->quiet;
    const macadam_status status = serve_run(&settings, &cli_error);
    return status == MACADAM_OK ? CLI_DONE : cli_fail_library(NULL, status);
}
#endif
