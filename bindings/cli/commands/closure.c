/* closure.c - `macadam closure`: which nodes reach which, as bits. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/session.h"

int cli_closure(const cli_session *session, const cli_options *options)
{
    macadam_closure_request request = MACADAM_CLOSURE_REQUEST_INIT;
    macadam_error error = {""};
    request.progress = cli_progress;
    cli_progress_begin(options);
    return cli_done(macadam_closure_save(session->engine, &request, options->output, &error), &error);
}
