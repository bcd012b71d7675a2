/* crew.c - see crew.h. */
#include "bindings/serve/http/crew.h"

#include <pthread.h>
#include <stdlib.h>

struct serve_crew {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    serve_task *first, **last; /* those that wait */
    bool ends;
    unsigned count;
    pthread_t thread[];
};

static serve_task *take(serve_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    while (!crew->first && !crew->ends) pthread_cond_wait(&crew->changed, &crew->lock);
    serve_task *const task = crew->first;
    if (task) crew->first = task->next;
    if (!crew->first) crew->last = &crew->first;
    pthread_mutex_unlock(&crew->lock);
    return task;
}

static void *work(void *argument)
{
    for (serve_task *task; (task = take(argument));) task->run(task);
    return NULL;
}

serve_crew *serve_crew_new(unsigned threads)
{
    serve_crew *const crew = calloc(1, sizeof *crew + threads * sizeof crew->thread[0]);
    if (!crew) return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->changed, NULL);
    crew->last = &crew->first;
    while (crew->count < threads && pthread_create(&crew->thread[crew->count], NULL, work, crew) == 0)
        ++crew->count;
    if (crew->count == threads) return crew;
    serve_crew_free(crew);
    return NULL;
}

void serve_crew_free(serve_crew *crew)
{
    if (!crew) return;
    pthread_mutex_lock(&crew->lock);
    crew->ends = true;
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->count; ++i) pthread_join(crew->thread[i], NULL);
    pthread_cond_destroy(&crew->changed);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

void serve_crew_do(serve_crew *crew, serve_task *task)
{
    task->next = NULL;
    pthread_mutex_lock(&crew->lock);
    *crew->last = task;
    crew->last = &task->next;
    pthread_cond_signal(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}
