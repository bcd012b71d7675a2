/* ready.c - `macadam ready`: the same edge file with its customized weights. */
#include "bindings/cli/command.h"

static int save(const cli_session *session)
{
    return cli_call(macadam_engine_save_ready, session->engine, session->options->output);
}

/* Makes another profile of the output ready. */
static int make_ready(const cli_options *options, const char *profile)
{
    CLI_SCOPED_SESSION session;
    CLI_TRY(cli_session_open_profile(&session, options, options->output, profile));
    return save(&session);
}

int cli_ready(const cli_session *session)
{
    const cli_options *const options = session->options;
    int status = save(session);
    for (size_t i = 1; !options->engine.profile && status == CLI_DONE && i < session->info.profile_count; ++i)
        status = make_ready(options, session->info.profiles[i]);
    return status;
}
