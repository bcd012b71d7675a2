/* update_request.h - checks the request of an update, as far as that needs no map; and the changes that wait until weights are
 * read. */
#ifndef MCD_ENGINE_RUNTIME_UPDATE_REQUEST_H
#define MCD_ENGINE_RUNTIME_UPDATE_REQUEST_H

#include "engine/runtime/engine.h"

/* Returns E_INVALID if arrays or quantities are missing, or numbers are out of range. */
macadam_status mcd_update_request_check(const macadam_update_request *request, macadam_error *error);
/* Returns E_INVALID if the value of an entry or a turn (`what`) is neither a weight nor a word. */
macadam_status mcd_update_value_check(const char *quantity, const char *what, size_t entry, uint32_t value,
                                      macadam_error *error);

/* Finds whether the changes of a request can wait: they are by numbers, and nothing has read the weights of a file that has to
 * unpack them. Then there is room for them, the engine's lock is held, and *last_number is the largest number of an arc; else it
 * is 0. quantity: the index of each of the request's. Under update_lock. */
macadam_status mcd_pending_begin(uint64_t *last_number, macadam_engine *engine,
                                 const macadam_update_request *request, const size_t *quantity,
                                 macadam_error *error);
/* Under the lock: adds the changes of an entry, for which there is room. */
void mcd_pending_add(macadam_engine *engine, const macadam_update_request *request, const size_t *quantity,
                     size_t entry);

#endif
