/* ready.c - `macadam ready`: the same edge file with its customized weights. */
#include "bindings/cli/command.h"
#include "bindings/cli/output/failure.h"
#include "bindings/cli/output/progress.h"
#include "bindings/cli/session.h"

static int save(const cli_session *session, const cli_options *options)
{
    macadam_error error = {""};
    cli_progress_begin(options);
    return cli_done(macadam_engine_save_ready(session->engine, options->output, &error), &error);
}

/* Makes another profile of the output ready. */
static int make_ready(const cli_options *options, const char *profile)
{
    cli_session session;
    int status = cli_session_open_profile(&session, options, options->output, profile);
    if (status == CLI_DONE) status = save(&session, options);
    cli_session_close(&session);
    return status;
}

int cli_ready(const cli_session *session, const cli_options *options)
{
    int status = save(session, options);
    for (size_t i = 1; !options->engine.profile && status == CLI_DONE && i < session->info.profile_count; ++i)
        status = make_ready(options, session->info.profiles[i]);
    return status;
}
