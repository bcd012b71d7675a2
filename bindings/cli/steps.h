/* steps.h - the steps of a leg as JSON, with the names of OSRM's HTTP API. */
#ifndef MCD_BINDINGS_CLI_STEPS_H
#define MCD_BINDINGS_CLI_STEPS_H

#include "bindings/cli/session.h"

#include <cjson/cJSON.h>

/* `language` is that of the instructions. */
cJSON *cli_steps_json(const cli_session *session, const macadam_route *route, const macadam_leg *leg,
                      const char *language);

#endif
