/* workers.c - see workers.h. */
#include "bindings/serve/http/workers.h"

#include <pthread.h>
#include <stdlib.h>

struct serve_workers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    serve_task *first, **last; /* those that wait */
    bool ends;
    unsigned count;
    pthread_t thread[];
};

static serve_task *take(serve_workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    while (!workers->first && !workers->ends) pthread_cond_wait(&workers->changed, &workers->lock);
    serve_task *const task = workers->first;
    if (task) workers->first = task->next;
    if (!workers->first) workers->last = &workers->first;
    pthread_mutex_unlock(&workers->lock);
    return task;
}

static void *work(void *argument)
{
    for (serve_task *task; (task = take(argument));) task->run(task);
    return NULL;
}

serve_workers *serve_workers_new(unsigned threads)
{
    serve_workers *const workers = calloc(1, sizeof *workers + threads * sizeof workers->thread[0]);
    if (!workers) return NULL;
    pthread_mutex_init(&workers->lock, NULL);
    pthread_cond_init(&workers->changed, NULL);
    workers->last = &workers->first;
    while (workers->count < threads &&
           pthread_create(&workers->thread[workers->count], NULL, work, workers) == 0)
        ++workers->count;
    if (workers->count == threads) return workers;
    serve_workers_free(workers);
    return NULL;
}

void serve_workers_free(serve_workers *workers)
{
    if (!workers) return;
    pthread_mutex_lock(&workers->lock);
    workers->ends = true;
    pthread_cond_broadcast(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
    for (unsigned i = 0; i < workers->count; ++i) pthread_join(workers->thread[i], NULL);
    pthread_cond_destroy(&workers->changed);
    pthread_mutex_destroy(&workers->lock);
    free(workers);
}

void serve_workers_do(serve_workers *workers, serve_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&workers->lock);
    *workers->last = task;
    workers->last = &task->next;
    pthread_cond_signal(&workers->changed);
    pthread_mutex_unlock(&workers->lock);
}
