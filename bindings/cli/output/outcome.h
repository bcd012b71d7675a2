/* outcome.h - reports the outcomes of places on standard error: how many failed, and why the first few
 * did. */
#ifndef MCD_BINDINGS_CLI_OUTPUT_OUTCOME_H
#define MCD_BINDINGS_CLI_OUTPUT_OUTCOME_H

#include "bindings/cli/input/place.h"

/* Tells of those that failed, of those on roads that are cut off, and of those that were moved. Returns CLI_DONE, or with
 * --strict, if any failed, CLI_USAGE. */
int cli_outcomes_tell(const cli_session *session, const cli_places *places);

/* The two parts of it. A callback of the library reports failures only, because distances come from the engine. */
int cli_outcomes_tell_failures(const cli_session *session, const cli_places *places);
void cli_outcomes_tell_moved(const cli_session *session, const cli_places *places);

/* The same of the one place that an option names. */
int cli_outcome_tell(const cli_session *session, const char *option, const macadam_place *place,
                     macadam_place_status status);

enum { CLI_REASON_BYTES = 256 };

/* Whether the point is outside the map, but within it if longitude and latitude are swapped. */
bool cli_outcome_is_swapped(const cli_session *session, double lon, double lat);
/* Why a place failed: "no road within 1000 m: outside the map; are longitude and latitude swapped?" */
void cli_outcome_reason(char out[CLI_REASON_BYTES], const cli_session *session, const macadam_place *place,
                        macadam_place_status status);

#endif
