/* update_request.h - checks the request of an update, as far as that needs no map. */
#ifndef MCD_ENGINE_RUNTIME_UPDATE_REQUEST_H
#define MCD_ENGINE_RUNTIME_UPDATE_REQUEST_H

#include "engine/base/status.h"

/* Returns E_INVALID if arrays or quantities are missing, or numbers are out of range. */
macadam_status mcd_update_request_check(const macadam_update_request *request, macadam_error *error);
/* Returns E_INVALID if the value of an entry or a turn (`what`) is neither a weight nor a word. */
macadam_status mcd_update_value_check(const char *quantity, const char *what, size_t entry, uint32_t value,
                                      macadam_error *error);

#endif
