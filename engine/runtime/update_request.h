/* update_request.h - checks the request of an update, as far as that needs no map; and the changes that wait until weights are
 * read. */
#ifndef MCD_ENGINE_RUNTIME_UPDATE_REQUEST_H
#define MCD_ENGINE_RUNTIME_UPDATE_REQUEST_H

#include "engine/base/status.h"

/* A change of the arc of a number. */
typedef struct mcd_pending_change {
    uint64_t number;
    uint32_t value; /* as in macadam_update_request */
} mcd_pending_change;

/* The changes of a quantity in their order. */
typedef struct mcd_pending {
    mcd_pending_change *change; /* [count] */
    size_t count, capacity;
} mcd_pending;

/* Returns E_INVALID if arrays or quantities are missing, or numbers are out of range. */
macadam_status mcd_update_request_check(const macadam_update_request *request, macadam_error *error);
/* Returns E_INVALID if the value of an entry or a turn (`what`) is neither a weight nor a word. */
macadam_status mcd_update_value_check(const char *quantity, const char *what, size_t entry, uint32_t value,
                                      macadam_error *error);

#endif
