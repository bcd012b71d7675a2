/* status.h - how failures are returned: a status, and a message written where the failure is found. A
 * leaf. */
#ifndef MCD_ENGINE_BASE_STATUS_H
#define MCD_ENGINE_BASE_STATUS_H

#include "engine/include/macadam.h"

#define MCD_TRY(call)                                                                                        \
    do {                                                                                                     \
        const macadam_status mcd_try_status = (call);                                                        \
        if (mcd_try_status != MACADAM_OK) return mcd_try_status;                                             \
    } while (0)

/* Writes the message (printf format, cut at the buffer's end) and returns `status`. `error` may be NULL. */
macadam_status mcd_fail(macadam_error *error, macadam_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with E_INVALID, which most checks return. */
#define mcd_fail_invalid(error, ...) mcd_fail((error), MACADAM_E_INVALID, __VA_ARGS__)

/* Clears the message of a failure after which the call goes on: a call that succeeds leaves none. */
static inline void mcd_recover(macadam_error *error)
{
    if (error) error->message[0] = '\0';
}

/* Fails with E_MEMORY and the message "cannot allocate N bytes". */
macadam_status mcd_fail_memory(macadam_error *error, size_t bytes);
/* Fails with E_CANCELLED and the message "cancelled in the phase "PHASE"". */
macadam_status mcd_fail_cancelled(macadam_error *error, const char *phase);

/* Defines the function that returns the name of an enumerator, or `unknown` for other values. */
#define MCD_DEFINE_NAMES(function, type, unknown, ...)                                                       \
    const char *function(type value)                                                                         \
    {                                                                                                        \
        static const char *const name[] = {__VA_ARGS__};                                                     \
        return (size_t)value < sizeof name / sizeof name[0] ? name[value] : (unknown);                       \
    }

#endif
