/* serve.c - `macadam serve`: OSRM's HTTP API. */
#include "bindings/serve/serve.h"
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"

#ifndef MACADAM_SERVE
int cli_serve(const cli_options *options)
{
    (void)options;
    return cli_fail(CLI_USAGE, macadam_status_name(MACADAM_E_UNSUPPORTED),
                    "this build has no server: build it with -DMACADAM_SERVE=ON");
}
#else
int cli_serve(const cli_options *options)
{
    const serve_settings settings = {
        .file = options->files,
        .file_count = options->file_count,
        .listen = options->listen,
        .device = options->device,
        .threads = options->threads,
        .memory = options->memory,
        .body_bytes = options->body_bytes,
        .connections = options->connections,
        .request_s = options->request_s,
        .log_as_json = options->json_log,
        .quiet = options->quiet,
    };
    macadam_error error = {""};
    const macadam_status status = serve_run(&settings, &error);
    return status == MACADAM_OK ? CLI_DONE : cli_fail_library(status, &error);
}
#endif
