/* executor.c - the engine computes on the program's own threads and in its own memory.
 * Run: executor town.mcd
 *
 * Prints:
 *     21 nodes, the farthest is 123.0 s from 11
 *     tasks ran on the pool: yes
 *     allocations left: 0
 */
#include <macadam.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- a pool: threads that wait for a job and take its tasks one by one ---- */

enum { THREADS = 3 }; /* and the thread that calls the library */

typedef struct job {
    size_t count;
    void (*task)(void *argument, size_t index, unsigned worker);
    void *argument;
    atomic_size_t next;
} job;

typedef struct pool {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_mutex_t turn; /* one job at a time */
    job *job;             /* NULL: there is none */
    size_t job_number;    /* counts the jobs so far */
    unsigned busy;        /* threads that work on it */
    bool ends;
    atomic_size_t tasks_done;
} pool;

typedef struct worker {
    pool *pool;
    unsigned number;
} worker;

static void work(pool *pool, job *job, unsigned number)
{
    for (size_t index; (index = atomic_fetch_add(&job->next, 1)) < job->count; ++pool->tasks_done)
        job->task(job->argument, index, number);
}

static void *live(void *argument)
{
    const worker *const self = argument;
    pool *const pool = self->pool;
    size_t seen = 0; /* the number of the last job that this thread worked on */
    pthread_mutex_lock(&pool->lock);
    while (!pool->ends) {
        job *const job = pool->job;
        if (!job || pool->job_number == seen) {
            pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        seen = pool->job_number;
        ++pool->busy;
        pthread_mutex_unlock(&pool->lock);
        work(pool, job, self->number);
        pthread_mutex_lock(&pool->lock);
        --pool->busy;
        pthread_cond_broadcast(&pool->changed);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* macadam_executor::run. The calling thread is worker 0 and takes tasks like the others. */
static void run(void *context, size_t count, void (*task)(void *argument, size_t index, unsigned worker),
                void *argument)
{
    pool *const pool = context;
    job now = {.count = count, .task = task, .argument = argument};
    pthread_mutex_lock(&pool->turn);
    pthread_mutex_lock(&pool->lock);
    pool->job = &now;
    ++pool->job_number;
    pthread_cond_broadcast(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    work(pool, &now, 0);
    pthread_mutex_lock(&pool->lock);
    pool->job = NULL; /* no thread begins any more; now wait for those that did */
    pthread_cond_broadcast(&pool->changed);
    while (pool->busy > 0) pthread_cond_wait(&pool->changed, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
    pthread_mutex_unlock(&pool->turn);
}

/* ---- the program's memory: here, malloc with a count ---- */

static void *allocate(void *context, size_t bytes)
{
    void *const memory = malloc(bytes);
    if (memory) ++*(atomic_long *)context;
    return memory;
}

static void release(void *context, void *memory)
{
    if (memory) --*(atomic_long *)context;
    free(memory);
}

/* The largest of the costs from 11 to all nodes. */
static macadam_status farthest(macadam_engine *engine, uint64_t *reached, uint32_t *cost,
                               macadam_error *error)
{
    const macadam_place source = macadam_node(11);
    macadam_reach_request request = MACADAM_REACH_REQUEST_INIT;
    request.source = &source;
    request.source_count = 1;
    macadam_reach answer = MACADAM_REACH_INIT;
    answer.reached = reached;
    answer.eccentricity = cost;
    const macadam_query query = MACADAM_QUERY_INIT;
    return macadam_reach_find(&answer, NULL, engine, &query, &request, error);
}

int main(int argc, char **argv)
{
    static atomic_long allocations;
    const macadam_allocator allocator = {allocate, release, &allocations};
    macadam_allocator_set(&allocator); /* before any other call */

    pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER,
                 .changed = PTHREAD_COND_INITIALIZER,
                 .turn = PTHREAD_MUTEX_INITIALIZER};
    worker worker[THREADS];
    pthread_t thread[THREADS];
    unsigned threads = 0;
    for (; threads < THREADS; ++threads) {
        worker[threads].pool = &pool;
        worker[threads].number = threads + 1;
        if (pthread_create(&thread[threads], NULL, live, &worker[threads]) != 0) break;
    }

    const macadam_executor executor = {.thread_count = threads + 1, .run = run, .context = &pool};
    macadam_engine_options options = MACADAM_ENGINE_OPTIONS_INIT;
    options.executor = &executor;
    options.memory_limit = 64 << 20; /* scratch of all calls together */
    options.device = "cpu";
    macadam_engine *engine = NULL;
    macadam_error error = {"usage: executor FILE.mcd"};
    macadam_status status = MACADAM_E_INVALID;
    uint64_t reached;
    uint32_t cost;
    if (argc == 2) status = macadam_engine_open(&engine, argv[1], &options, &error);
    if (status == MACADAM_OK) status = farthest(engine, &reached, &cost, &error);
    macadam_engine_close(engine);

    pthread_mutex_lock(&pool.lock);
    pool.ends = true;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    for (unsigned i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
    if (status != MACADAM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("%llu nodes, the farthest is %.1f s from 11\n", (unsigned long long)reached, cost / 1000.0);
    printf("tasks ran on the pool: %s\n", pool.tasks_done > 0 ? "yes" : "no");
    printf("allocations left: %ld\n", (long)allocations);
    return 0;
}
