/* workers.h - threads that answer long requests, so that short ones do not wait for them. */
#ifndef MCD_BINDINGS_SERVE_HTTP_WORKERS_H
#define MCD_BINDINGS_SERVE_HTTP_WORKERS_H

#include <stdbool.h>

/* Something to be done. Whoever waits for it has it inside. */
typedef struct serve_task {
    void (*run)(struct serve_task *task);
    struct serve_task *next;
} serve_task;

typedef struct serve_workers serve_workers;

/* NULL if there is no memory or the system refuses a thread. */
serve_workers *serve_workers_new(unsigned threads);
/* Does what is still to be done, then ends the threads. */
void serve_workers_free(serve_workers *workers);
/* Runs the task on one of the threads, first come first served. */
void serve_workers_do(serve_workers *workers, serve_task *task);

#endif
