/* scratch.h - the scratch memory that all calls of an engine share: a budget, and blocks kept from call to
 * call, so that a warm query neither allocates nor touches new pages. */
#ifndef MCD_ENGINE_RUNTIME_SCRATCH_H
#define MCD_ENGINE_RUNTIME_SCRATCH_H

#include "engine/base/status.h"

#include <pthread.h>

enum { MCD_BLOCKS_KEPT = 4 };

/* Memory for one call, aligned to 64 bytes. */
typedef struct mcd_block {
    void *memory;
    uint64_t bytes;
    bool preferred; /* from the preferred source */
} mcd_block;

/* Memory that serves better than the library's own. */
typedef struct mcd_scratch_source {
    void *(*allocate)(void *context, uint64_t bytes); /* NULL: there is none, and the library's own serves */
    void (*release)(void *context, void *memory);
    void *context;
} mcd_scratch_source;

typedef struct mcd_scratch {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    uint64_t limit, used; /* used: by calls, and by kept blocks */
    mcd_block kept[MCD_BLOCKS_KEPT];
    mcd_scratch_source preferred; /* allocate may be NULL */
} mcd_scratch;

void mcd_scratch_init(mcd_scratch *scratch, uint64_t limit);
void mcd_scratch_destroy(mcd_scratch *scratch);
/* Where blocks come from; before the first one is taken. The source must outlive the scratch. */
void mcd_scratch_prefer(mcd_scratch *scratch, mcd_scratch_source source);

/* E_LIMIT, naming both, if `what` needs more bytes than the limit. */
macadam_status mcd_scratch_check(uint64_t bytes, uint64_t limit, const char *what, macadam_error *error);

/* Waits until `bytes` are free and takes them from the budget; a call takes all its memory at once, so calls
 * never wait for each other in a circle. Returns MACADAM_OK, or E_LIMIT at once if `bytes` exceed the limit,
 * naming both; `what` is the request. */
macadam_status mcd_scratch_reserve(mcd_scratch *scratch, uint64_t bytes, const char *what,
                                   macadam_error *error);
void mcd_scratch_release(mcd_scratch *scratch, uint64_t bytes);

/* The same with a block of at least `bytes`, kept from an earlier call if one fits; of 0 bytes there is none.
 * Returns E_MEMORY too. */
macadam_status mcd_scratch_take(mcd_scratch *scratch, uint64_t bytes, const char *what, mcd_block *out,
                                macadam_error *error);
/* An empty block is fine. */
void mcd_scratch_give_back(mcd_scratch *scratch, mcd_block *block);

#endif
