/* budget.c - see budget.h. */
#include "engine/budget.h"

void mcd_budget_init(mcd_budget *budget, uint64_t limit)
{
    pthread_mutex_init(&budget->lock, NULL);
    pthread_cond_init(&budget->freed, NULL);
    budget->limit = limit;
    budget->used = 0;
}

void mcd_budget_destroy(mcd_budget *budget)
{
    pthread_mutex_destroy(&budget->lock);
    pthread_cond_destroy(&budget->freed);
}

macadam_status mcd_budget_reserve(mcd_budget *budget, uint64_t bytes, const char *what, macadam_error *error)
{
    if (bytes > budget->limit)
        return mcd_fail(error, MACADAM_E_LIMIT, "%s needs %llu bytes of memory, the limit is %llu", what,
                        (unsigned long long)bytes, (unsigned long long)budget->limit);
    pthread_mutex_lock(&budget->lock);
    while (budget->limit - budget->used < bytes) pthread_cond_wait(&budget->freed, &budget->lock);
    budget->used += bytes;
    pthread_mutex_unlock(&budget->lock);
    return MACADAM_OK;
}

void mcd_budget_release(mcd_budget *budget, uint64_t bytes)
{
    pthread_mutex_lock(&budget->lock);
    budget->used -= bytes;
    pthread_cond_broadcast(&budget->freed);
    pthread_mutex_unlock(&budget->lock);
}
