/* reach_job.h - the backend's job of a reach: which nodes count, and the scratch that it needs. */
#ifndef MCD_ENGINE_QUERY_TABLES_REACH_JOB_H
#define MCD_ENGINE_QUERY_TABLES_REACH_JOB_H

#include "engine/query/places/query.h"

/* Makes a job for `answer` from the sources' lanes, and takes its scratch, for as many places as the query's limit leaves room for:
 * job->lane_count. The scratch also has list_bytes, a multiple of 4, for each of these places: *list (may be NULL if that is 0). */
macadam_status mcd_reach_job_make(mcd_reach_job *out, void **list, mcd_query *query,
                                  const macadam_reach_request *request, const macadam_reach *answer,
                                  const mcd_lanes *source, size_t list_bytes, macadam_error *error);

/* Returns a job for `count` of another one's places from `first` on, with their part of its answers. */
mcd_reach_job mcd_reach_job_part(const mcd_reach_job *job, size_t first, size_t count);

#endif
