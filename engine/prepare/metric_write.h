/* metric_write.h - what depends on weights, on its way into an edge file. */
#ifndef MCD_ENGINE_PREPARE_METRIC_WRITE_H
#define MCD_ENGINE_PREPARE_METRIC_WRITE_H

#include "engine/file/write.h"
#include "engine/map/graph.h"
#include "kernels/backend.h"

extern const char *const mcd_direction_name[2]; /* "forward", "backward" */

/* "KIND.NAME.DIRECTION.PART", each of the last two left out if NULL. Names are short enough: map.h. */
void mcd_section_name(char name[MCD_SECTION_NAME_BYTES], const char *kind, const char *of,
                      const char *direction, const char *part);

/* pair_up.q and pair_down.q. */
macadam_status mcd_write_couple_weights(mcd_edge_writer *writer, const mcd_couples *couples,
                                        const mcd_graph *graph, const char *quantity,
                                        const mcd_weight *weight, const mcd_parallel *parallel,
                                        macadam_error *error);

/* Customizes `metric` and writes basic.M.* and kept.M.*. */
macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                macadam_error *error);

#endif
