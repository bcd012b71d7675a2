/* ready.c - `macadam ready`: the same edge file with its customized weights. */
#include "bindings/cli/command.h"

static int save(const cli_session *session)
{
    return cli_call(macadam_engine_save_ready, session->engine, session->options->output);
}

int cli_ready(const cli_session *session)
{
    const cli_options *const options = session->options;
    CLI_TRY(save(session));
    for (size_t i = 1; !options->engine.profile && i < session->info.profile_count; ++i) {
        CLI_SCOPED_SESSION own;
        CLI_TRY(cli_session_open_profile(&own, options, options->output, session->info.profiles[i]));
        CLI_TRY(save(&own));
    }
    return CLI_DONE;
}
