/* closure.c - `macadam closure`: which nodes reach which, as bits. */
#include "bindings/cli/command.h"

int cli_closure(const cli_session *session)
{
    const macadam_closure_request request = {.size = sizeof request, .progress = cli_progress};
    return cli_call(macadam_closure_save, session->engine, &request, session->options->output);
}
