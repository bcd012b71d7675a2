/* decay.h - how the weight of an opportunity falls with its cost, in integers. */
#ifndef MCD_ENGINE_QUERY_TABLES_DECAY_H
#define MCD_ENGINE_QUERY_TABLES_DECAY_H

#include "engine/base/status.h"

enum { MCD_DECAY_BITS = 30 }; /* a weight of 1 is 2^30 */

/* Sets `out` to a decay of any version; NULL: a step beyond all costs. Returns E_INVALID for one that macadam.h does not allow. */
macadam_status mcd_decay_adopt(macadam_decay *out, const macadam_decay *given, macadam_error *error);

/* Writes the weights of costs, signed ones too; of those that are `unreached`, 0. */
void mcd_decay_weigh(const macadam_decay *decay, const uint32_t *cost, size_t count, uint32_t unreached,
                     uint32_t *restrict weight);

#endif
