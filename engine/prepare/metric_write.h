/* metric_write.h - writes the parts of an edge file that depend on weights. */
#ifndef MCD_ENGINE_PREPARE_METRIC_WRITE_H
#define MCD_ENGINE_PREPARE_METRIC_WRITE_H

#include "engine/file/catalogue.h"
#include "engine/file/opposite.h"
#include "kernels/backend.h"

/* Packs the weights of a quantity (opposite.h) and writes them. original[arc]: as in mcd_arc_facts. */
macadam_status mcd_write_compact_weights(mcd_edge_writer *writer, const char *quantity,
                                         const mcd_weight *weight, size_t arc_count, const uint32_t *original,
                                         const mcd_opposites *opposites, const mcd_parallel *parallel,
                                         macadam_error *error);

/* Customizes `metric` and writes its kept arcs and their children, and, if `has_basic`, its basic weights. */
macadam_status mcd_write_metric(mcd_edge_writer *writer, const char *metric, bool has_basic,
                                const mcd_customize_job *job, macadam_error *error);

#endif
