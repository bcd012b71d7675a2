/* ready.c - `macadam ready`: the same edge file with its customized weights. */
#include "bindings/cli/command.h"
#include "bindings/cli/failure.h"
#include "bindings/cli/progress.h"
#include "bindings/cli/session.h"

int cli_ready(const cli_options *options)
{
    cli_session session;
    macadam_error error = {""};
    int status = cli_session_open(&session, options);
    if (status == CLI_DONE) {
        cli_progress_begin(options);
        const macadam_status saved = macadam_engine_save_ready(session.engine, options->output, &error);
        cli_progress_end();
        if (saved != MACADAM_OK) status = cli_fail_library(saved, &error);
    }
    cli_session_close(&session);
    return status;
}
