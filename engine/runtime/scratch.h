/* scratch.h - the scratch memory that all calls of an engine share: a budget, and blocks kept from call to
 * call, so that a repeated query neither allocates nor touches new pages. */
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

/* A source of memory that serves better than the library's own. */
typedef struct mcd_scratch_source {
    void *(*allocate)(void *context, uint64_t bytes); /* NULL: there is none, and the library allocates */
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
/* Sets where new blocks come from, once. The source must outlive the scratch. */
void mcd_scratch_prefer(mcd_scratch *scratch, mcd_scratch_source source);

/* Returns E_LIMIT, with both numbers, if `what` needs more bytes than the limit. */
macadam_status mcd_scratch_check(uint64_t bytes, uint64_t limit, const char *what, macadam_error *error);

/* Waits until `bytes` are free and takes them from the budget. A call takes all its memory in one step, so
 * calls never wait for each other in a circle. Returns MACADAM_OK, or immediately E_LIMIT, with both numbers,
 * if `bytes` exceed the limit; `what` is the request. */
macadam_status mcd_scratch_reserve(mcd_scratch *scratch, uint64_t bytes, const char *what,
                                   macadam_error *error);
void mcd_scratch_release(mcd_scratch *scratch, uint64_t bytes);

/* Like mcd_scratch_reserve, with a block of at least `bytes`, kept from an earlier call if one fits; 0 bytes
 * give no block. A new one is of the preferred source if out->preferred was set. Can also return E_MEMORY. */
macadam_status mcd_scratch_take(mcd_scratch *scratch, uint64_t bytes, const char *what, mcd_block *out,
                                macadam_error *error);
/* Gives back a block; an empty one is fine. */
void mcd_scratch_give_back(mcd_scratch *scratch, mcd_block *block);

/* Returns the bytes of the kept blocks. */
uint64_t mcd_scratch_kept(mcd_scratch *scratch);
/* Frees the kept blocks. */
void mcd_scratch_trim(mcd_scratch *scratch);

#endif
