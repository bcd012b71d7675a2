/* pool.c - see pool.h.
 *
 * Method. A caller posts its job in a list and takes indices from the job's counter. Threads of the pool join
 * jobs that want help and do the same. When no index is left, the caller takes its job from the list and
 * waits for the threads that are still inside; it does not wait for a thread that never came.
 * Waiting. A thread that waits for work, and a caller that waits for the last helper, first spin for SPIN_NS
 * and then sleep. So a phase of many short jobs costs few wake-ups, and other programs lose microseconds.
 * Processors. `running` counts callers and helpers. A helper leaves its job between two tasks if a new caller
 * needs its processor. */
#include "engine/base/pool.h"
#include "engine/base/pager.h"

#include "engine/base/system/platform.h"
#include "engine/base/system/system.h"

#include <limits.h>
#include <stdatomic.h>
#include <time.h>

enum { SPIN_NS = 20000, SPINS_PER_LOOK = 32, LOCK_TRIES = 100 };

typedef struct pool_job {
    struct pool_job *next;
    mcd_task task;
    void *argument;
    size_t count;
    unsigned thread_count;
    atomic_size_t next_index;
    atomic_uint is_over; /* the caller waits, and the last helper has left */
    pthread_cond_t over;
    bool is_closed;
    unsigned inside, free_count; /* helpers; how many numbers of workers are free */
    unsigned short free_worker[MCD_THREADS_MAX];
} pool_job;

static struct {
    pthread_mutex_t lock; /* for the members below and for jobs; some members are read without it */
    pthread_cond_t posted;
    pool_job *first;
    unsigned thread_count, helping, looking, sleeping, woken;
    atomic_uint running, news; /* threads that run tasks; how many jobs were posted */
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .posted = PTHREAD_COND_INITIALIZER};

static atomic_uint processors = 1;
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static _Thread_local bool is_running; /* this thread runs tasks */

void mcd_pool_limit(unsigned count)
{
    atomic_store_explicit(&processors, count, memory_order_relaxed);
}

/* ---- fork ---- */

static void before_fork(void)
{
    pthread_mutex_lock(&pool.lock);
}

static void after_fork(void)
{
    pthread_mutex_unlock(&pool.lock);
}

/* The child has only the thread that forked. */
static void renew(void)
{
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.posted, NULL);
    pool.first = NULL;
    pool.thread_count = pool.helping = pool.looking = pool.sleeping = pool.woken = 0;
    atomic_store(&pool.running, is_running);
}

static void watch_forks(void)
{
    mcd_platform_at_fork(before_fork, after_fork, renew);
}

/* ---- waiting ---- */

static uint64_t now_ns(void)
{
    struct timespec now;
    if (clock_gettime(CLOCK_MONOTONIC, &now) != 0) return UINT64_MAX;
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void pause_processor(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* Waits for a short time until *value is no longer `from`. */
static void look_at(const atomic_uint *value, unsigned from)
{
    const uint64_t end = now_ns() + SPIN_NS;
    do {
        for (int i = 0; i < SPINS_PER_LOOK; ++i) {
            if (atomic_load_explicit(value, memory_order_acquire) != from) return;
            pause_processor();
        }
    } while (now_ns() < end);
}

/* The lock is held for less time than it takes to sleep and wake. */
static void lock_pool(void)
{
    for (int i = 0; i < LOCK_TRIES; ++i) {
        if (pthread_mutex_trylock(&pool.lock) == 0) return;
        pause_processor();
    }
    pthread_mutex_lock(&pool.lock);
}

/* ---- jobs; all under the pool's lock, except begin_job and run_tasks ---- */

static void begin_job(pool_job *job, unsigned thread_count, size_t count, mcd_task task, void *argument)
{
    job->task = task;
    job->argument = argument;
    job->count = count;
    job->thread_count = thread_count;
    atomic_init(&job->next_index, 0);
    atomic_init(&job->is_over, 0);
    mcd_system_condition_init(&job->over);
    job->is_closed = false;
    job->inside = job->free_count = 0;
    for (unsigned worker = thread_count - 1; worker > 0; --worker)
        job->free_worker[job->free_count++] = (unsigned short)worker;
}

/* Returns how many threads may run while one of them helps with `job`. */
static unsigned limit_of(const pool_job *job)
{
    const unsigned limit = atomic_load_explicit(&processors, memory_order_relaxed);
    return limit > job->thread_count ? limit : job->thread_count;
}

static bool wants_help(const pool_job *job)
{
    const size_t next = atomic_load_explicit(&job->next_index, memory_order_relaxed);
    return job->free_count > 0 && next < job->count && pool.running < limit_of(job);
}

/* Returns the job with the fewest helpers among those that want one; NULL: none does. */
static pool_job *find_job(void)
{
    pool_job *found = NULL;
    for (pool_job *job = pool.first; job; job = job->next)
        if (wants_help(job) && (!found || job->inside < found->inside)) found = job;
    return found;
}

/* Takes tasks until none is left. A helper stops as well if more threads run than may. */
static void run_tasks(pool_job *job, unsigned worker)
{
    const unsigned limit = worker == 0 ? UINT_MAX : limit_of(job);
    while (atomic_load_explicit(&pool.running, memory_order_relaxed) <= limit) {
        const size_t index = atomic_fetch_add_explicit(&job->next_index, 1, memory_order_relaxed);
        if (index >= job->count) return;
        job->task(job->argument, index, worker);
        mcd_pager_look();
    }
}

/* Wakes up to `count` threads while a job wants help. */
static void wake(unsigned count)
{
    for (; count > 0 && pool.sleeping > 0 && find_job(); --count) {
        --pool.sleeping;
        ++pool.woken;
        pthread_cond_signal(&pool.posted);
    }
}

/* Each thread that joins a job wakes two more. */
static void help(pool_job *job)
{
    const unsigned worker = job->free_worker[--job->free_count];
    ++job->inside, ++pool.helping, ++pool.running;
    wake(2);
    pthread_mutex_unlock(&pool.lock);
    run_tasks(job, worker);
    lock_pool();
    --job->inside, --pool.helping, --pool.running;
    job->free_worker[job->free_count++] = (unsigned short)worker;
    if (job->inside > 0 || !job->is_closed) return;
    atomic_store_explicit(&job->is_over, 1, memory_order_release);
    pthread_cond_signal(&job->over);
}

/* ---- the pool's threads ---- */

static void wait_for_work(void)
{
    const unsigned news = atomic_load_explicit(&pool.news, memory_order_relaxed);
    ++pool.looking;
    pthread_mutex_unlock(&pool.lock);
    look_at(&pool.news, news);
    lock_pool();
    --pool.looking;
    if (find_job()) return;
    ++pool.sleeping;
    while (pool.woken == 0) pthread_cond_wait(&pool.posted, &pool.lock);
    --pool.woken;
}

static void *run_thread(MCD_UNUSED void *unused)
{
    is_running = true;
    lock_pool();
    for (;;) {
        pool_job *const job = find_job();
        if (job)
            help(job);
        else
            wait_for_work();
    }
    return NULL;
}

/* If a thread cannot be started, the others do its share. */
static void start_threads(unsigned count)
{
    for (; count > 0 && mcd_platform_start_thread(NULL, run_thread, NULL); --count) ++pool.thread_count;
}

/* ---- callers ---- */

static void post(pool_job *job)
{
    pthread_once(&fork_once, watch_forks);
    lock_pool();
    const unsigned limit = limit_of(job), running = ++pool.running;
    unsigned wanted = limit > running ? limit - running : 0;
    if (wanted > job->free_count) wanted = job->free_count;
    if (wanted >= job->count) wanted = (unsigned)job->count - 1;
    job->next = pool.first;
    pool.first = job;
    const unsigned idle = pool.thread_count - pool.helping;
    if (wanted > idle) start_threads(wanted - idle);
    if (wanted > pool.looking) wake(wanted - pool.looking < 2 ? 1 : 2);
    pthread_mutex_unlock(&pool.lock);
    atomic_fetch_add_explicit(&pool.news, 1, memory_order_release);
}

static void remove_job(const pool_job *job)
{
    pool_job **link = &pool.first;
    while (*link != job) link = &(*link)->next;
    *link = job->next;
}

/* Under the pool's lock: sleeps until the last helper has left. */
static void wait_for_helpers(pool_job *job, mcd_pool_ask ask)
{
    while (job->inside > 0) {
        if (!ask) {
            pthread_cond_wait(&job->over, &pool.lock);
            continue;
        }
        mcd_system_condition_wait(&job->over, &pool.lock, MCD_POOL_ASK_MS);
        if (job->inside == 0) return;
        pthread_mutex_unlock(&pool.lock);
        ask(job->argument);
        lock_pool();
    }
}

/* Waits for the helpers that are still inside. */
static void finish(pool_job *job, mcd_pool_ask ask)
{
    lock_pool();
    remove_job(job);
    --pool.running;
    wake(1); /* another caller may use this processor */
    if (job->inside > 0) {
        job->is_closed = true;
        pthread_mutex_unlock(&pool.lock);
        look_at(&job->is_over, 0);
        lock_pool();
        wait_for_helpers(job, ask);
    }
    pthread_mutex_unlock(&pool.lock);
    pthread_cond_destroy(&job->over);
}

void mcd_pool_run(unsigned thread_count, size_t count, mcd_task task, void *argument, mcd_pool_ask ask)
{
    if (is_running || thread_count <= 1 || count <= 1) {
        for (size_t index = 0; index < count; ++index) task(argument, index, 0);
        return;
    }
    pool_job job;
    begin_job(&job, thread_count < count ? thread_count : (unsigned)count, count, task, argument);
    post(&job);
    is_running = true;
    run_tasks(&job, 0);
    is_running = false;
    finish(&job, ask);
}
