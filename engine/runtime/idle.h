/* idle.h - the moment when an engine was not used for a while: a thread that waits for it. */
#ifndef MCD_ENGINE_RUNTIME_IDLE_H
#define MCD_ENGINE_RUNTIME_IDLE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The work of that moment. */
typedef void (*mcd_idle_work)(void *context);

/* The thread exists from mcd_idle_watch until the work is done. */
typedef struct mcd_idle {
    pthread_cond_t ended;
    atomic_uint_least64_t used_ms; /* when it was last used */
    uint64_t after_ms;             /* it is idle when it was not used for this time */
    atomic_bool is_watched;        /* a thread waits or works */
    bool has_thread;               /* a thread must be joined */
    bool is_ending;
    pthread_t thread;
    atomic_uint forks; /* how often this process and its parents had forked when the thread began */
    mcd_idle_work work;
    void *context;
} mcd_idle;

void mcd_idle_init(mcd_idle *idle);
/* Notes that it was used just now. */
void mcd_idle_use(mcd_idle *idle);
/* Lets a thread call work(context) once it was not used for after_ms; if a thread waits already, does
 * nothing. A child process after fork() starts a thread of its own. Returns false if no thread can be
 * started. */
bool mcd_idle_watch(mcd_idle *idle, mcd_idle_work work, void *context);
/* Ends the thread, without the work if that has not begun. Nobody may use it any more. */
void mcd_idle_end(mcd_idle *idle);

#endif
