/* serve.h - answers requests over HTTP until a signal ends it. */
#ifndef MCD_BINDINGS_SERVE_SERVE_H
#define MCD_BINDINGS_SERVE_SERVE_H

#include "bindings/serve/settings.h"

/* Returns MACADAM_OK after SIGTERM or SIGINT, when the requests in flight are answered. */
macadam_status serve_run(const serve_settings *settings, macadam_error *error);

#endif
