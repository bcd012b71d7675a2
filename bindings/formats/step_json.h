/* step_json.h - the steps of a leg as JSON, with the names of OSRM's HTTP API. */
#ifndef MCD_BINDINGS_FORMATS_STEP_JSON_H
#define MCD_BINDINGS_FORMATS_STEP_JSON_H

#include "bindings/formats/text.h"

/* "steps":[...] */
void mcd_text_put_steps(mcd_text *text, const macadam_route *route, const macadam_leg *leg,
                        const macadam_format_options *options);

/* One step without its closing bracket, for those who add members. `instruction`: with the sentence. */
void mcd_text_begin_step(mcd_text *text, const macadam_route *route, const macadam_step *step,
                         const macadam_format_options *options, bool instruction);

#endif
