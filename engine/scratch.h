/* scratch.h - the scratch memory that all calls of an engine share: a budget, and blocks kept from call to
 * call, so that a warm query neither allocates nor touches new pages. */
#ifndef MCD_SCRATCH_H
#define MCD_SCRATCH_H

#include "engine/status.h"

#include <pthread.h>

enum { MCD_BLOCKS_KEPT = 4 };

/* Memory for one call, aligned to 64 bytes. */
typedef struct mcd_block {
    void *memory;
    uint64_t bytes;
} mcd_block;

typedef struct mcd_scratch {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    uint64_t limit, used; /* used: by calls, and by kept blocks */
    mcd_block kept[MCD_BLOCKS_KEPT];
} mcd_scratch;

void mcd_scratch_init(mcd_scratch *scratch, uint64_t limit);
void mcd_scratch_destroy(mcd_scratch *scratch);

/* Waits until `bytes` are free and takes them from the budget; a call takes all its memory at once, so calls
 * never wait for each other in a circle. Returns MACADAM_OK, or E_LIMIT at once if `bytes` exceed the limit,
 * naming both; `what` is the request. */
macadam_status mcd_scratch_reserve(mcd_scratch *scratch, uint64_t bytes, const char *what,
                                   macadam_error *error);
void mcd_scratch_release(mcd_scratch *scratch, uint64_t bytes);

/* The same with a block of at least `bytes`, kept from an earlier call if one fits. Returns E_MEMORY too. */
macadam_status mcd_scratch_take(mcd_scratch *scratch, uint64_t bytes, const char *what, mcd_block *out,
                                macadam_error *error);
/* An empty block is fine. */
void mcd_scratch_give_back(mcd_scratch *scratch, mcd_block *block);

#endif
