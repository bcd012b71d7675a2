/* crew.h - threads that answer long requests, so that short ones do not wait for them. */
#ifndef MCD_BINDINGS_SERVE_HTTP_CREW_H
#define MCD_BINDINGS_SERVE_HTTP_CREW_H

#include <stdbool.h>

/* Something to be done. Whoever waits for it has it inside. */
typedef struct serve_task {
    void (*run)(struct serve_task *task);
    struct serve_task *next;
} serve_task;

typedef struct serve_crew serve_crew;

/* NULL if there is no memory or the system refuses a thread. */
serve_crew *serve_crew_new(unsigned threads);
/* Does what is still to be done, then ends the threads. */
void serve_crew_free(serve_crew *crew);
/* Runs the task on one of the threads, first come first served. */
void serve_crew_do(serve_crew *crew, serve_task *task);

#endif
