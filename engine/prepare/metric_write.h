/* metric_write.h - writes the parts of an edge file that depend on weights. */
#ifndef MCD_ENGINE_PREPARE_METRIC_WRITE_H
#define MCD_ENGINE_PREPARE_METRIC_WRITE_H

#include "engine/file/catalogue.h"
#include "kernels/backend.h"

/* Customizes `metric` and writes its kept arcs and their children. */
macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, const mcd_customize_job *job,
                                macadam_error *error);

#endif
