/* budget.h - the scratch memory that all calls on one device share. */
#ifndef MCD_BUDGET_H
#define MCD_BUDGET_H

#include "engine/status.h"

#include <pthread.h>

typedef struct mcd_budget {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    uint64_t limit, used;
} mcd_budget;

void mcd_budget_init(mcd_budget *budget, uint64_t limit);
void mcd_budget_destroy(mcd_budget *budget);

/* Waits until `bytes` are free and takes them; a call takes all its memory at once, so calls never wait for each other in
 * a circle. Returns MACADAM_OK, or E_LIMIT at once if `bytes` exceed the limit, naming both; `what` is the request. */
macadam_status mcd_budget_reserve(mcd_budget *budget, uint64_t bytes, const char *what, macadam_error *error);
void mcd_budget_release(mcd_budget *budget, uint64_t bytes);

#endif
