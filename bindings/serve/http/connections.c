/* connections.c - see connections.h. A client has patience to spend: it loses it by the time in which the server waits for
 * it, and regains it by the bytes that it moves. Ending a connection shuts its socket, which wakes libmicrohttpd. */
#include "bindings/serve/http/connections.h"
#include "bindings/serve/http/metrics.h"
#include "bindings/serve/job.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>

enum {
    HEAD_S = 10,        /* for a head; for a body, and for an answer's silence, more is gained by bytes */
    BYTES_PER_S = 1000, /* that bodies and answers must have on average */
    LOOK_S = 1,         /* at most between two looks, unless the process stood still */
    SPARE = 100,        /* descriptors, for files */
};

typedef struct connection {
    TAILQ_ENTRY(connection) link; /* while the request is not complete, by the beginning of the phase */
    bool is_open, is_linked;
    serve_phase phase;
    unsigned thread;
    double patience_s, silent_s;
    uint64_t read;  /* bytes of complete heads and of bodies */
    uint64_t whole; /* `read` when the body is complete */
    uint64_t moved; /* bytes of both directions when it was looked at last */
} connection;

struct serve_connections {
    pthread_mutex_t lock;
    TAILQ_HEAD(, connection) waiting;
    unsigned most, count, threads;
    unsigned *of_thread; /* [threads + 1] connections of each thread, with those that are ending; the last
                            thread takes only those that are given to it */
    double looked_s, patience_s[SERVE_ENDED + 1]; /* of each phase */
    int sockets;
    connection at[]; /* by socket */
};

serve_connections *serve_connections_new(unsigned most, unsigned threads, double silence_s)
{
    struct rlimit files = {0};
    getrlimit(RLIMIT_NOFILE, &files);
    const rlim_t wanted = 2 * ((rlim_t)most + threads) + SPARE;
    files.rlim_cur =
        wanted < files.rlim_max ? wanted : files.rlim_max; /* no socket is past the end of `at` */
    setrlimit(RLIMIT_NOFILE, &files);
    const size_t sockets = files.rlim_cur;
    serve_connections *const set = calloc(1, sizeof *set + sockets * sizeof set->at[0]);
    unsigned *const of_thread = calloc(threads + 1, sizeof *of_thread);
    if (!set || !of_thread) {
        free(set);
        free(of_thread);
        return NULL;
    }
    pthread_mutex_init(&set->lock, NULL);
    TAILQ_INIT(&set->waiting);
    set->most = most < sockets / 2 ? most : (unsigned)(sockets / 2); /* others may be ending */
    set->threads = threads;
    set->of_thread = of_thread;
    set->sockets = (int)sockets;
    set->looked_s = serve_job_now();
    set->patience_s[SERVE_IDLE] = set->patience_s[SERVE_UPLOAD] =
        HEAD_S + 0.5; /* they are looked at twice a second */
    set->patience_s[SERVE_REPLY] = silence_s;
    return set;
}

void serve_connections_free(serve_connections *set)
{
    if (!set) return;
    pthread_mutex_destroy(&set->lock);
    free(set->of_thread);
    free(set);
}

static struct tcp_info info_of(int socket)
{
    struct tcp_info info = {0};
    socklen_t size = sizeof info;
    getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size);
    return info;
}

static void enter(serve_connections *set, connection *it, serve_phase phase)
{
    if (it->is_linked) TAILQ_REMOVE(&set->waiting, it, link);
    it->is_linked = phase == SERVE_IDLE || phase == SERVE_UPLOAD;
    if (it->is_linked) TAILQ_INSERT_TAIL(&set->waiting, it, link);
    if (phase == SERVE_ENDED && it->phase != SERVE_ENDED) --set->count;
    it->phase = phase;
    it->patience_s = set->patience_s[phase]; /* full: what moved before the phase adds nothing */
    it->silent_s = 0;
}

static void shut(serve_connections *set, connection *it)
{
    enter(set, it, SERVE_ENDED);
    shutdown((int)(it - set->at), SHUT_RDWR);
}

static void end(serve_connections *set, connection *it, serve_ending ending)
{
    shut(set, it);
    serve_metrics_end(ending);
}

static bool is_unread(const serve_connections *set, const connection *it)
{
    int unread = 0;
    ioctl((int)(it - set->at), FIONREAD, &unread);
    return unread > 0;
}

/* Returns whether the whole request has come: a thread may have read it from the socket, and not have begun it. */
static bool is_whole(const serve_connections *set, const connection *it)
{
    return it->phase == SERVE_UPLOAD && info_of((int)(it - set->at)).tcpi_bytes_received >= it->whole;
}

/* Returns the connection whose request has been incomplete for longest; of those with a body only if there is no other.
 * One that has sent something is not idle: a thread will read it. */
static connection *longest_idle(const serve_connections *set)
{
    connection *it, *upload = NULL;
    TAILQ_FOREACH(it, &set->waiting, link)
    {
        if (is_unread(set, it) || is_whole(set, it)) continue;
        if (it->phase == SERVE_IDLE) return it;
        if (!upload) upload = it;
    }
    return upload;
}

bool serve_connections_have_unread(serve_connections *set)
{
    const connection *it;
    pthread_mutex_lock(&set->lock);
    TAILQ_FOREACH(it, &set->waiting, link) if (is_unread(set, it)) break;
    pthread_mutex_unlock(&set->lock);
    return it;
}

bool serve_connections_add(serve_connections *set, int socket)
{
    pthread_mutex_lock(&set->lock);
    connection *const idle = set->count >= set->most ? longest_idle(set) : NULL;
    if (idle) end(set, idle, SERVE_CROWDED);
    const bool is_added = set->count < set->most && socket < set->sockets;
    if (is_added) {
        unsigned thread = 0;
        for (unsigned i = 1; i < set->threads; ++i)
            if (set->of_thread[i] < set->of_thread[thread]) thread = i;
        ++set->of_thread[thread];
        ++set->count;
        set->at[socket] = (connection){.is_open = true, .thread = thread, .whole = UINT64_MAX};
        enter(set, &set->at[socket], SERVE_IDLE);
    }
    pthread_mutex_unlock(&set->lock);
    return is_added;
}

unsigned serve_connections_choose(serve_connections *set, int socket, unsigned most)
{
    pthread_mutex_lock(&set->lock);
    connection *const it = &set->at[socket];
    if (set->of_thread[set->threads] < most) {
        --set->of_thread[it->thread];
        it->thread = set->threads;
        ++set->of_thread[it->thread];
    }
    pthread_mutex_unlock(&set->lock);
    return it->thread;
}

void serve_connections_refuse(serve_connections *set, unsigned thread, uint64_t bytes, const char *text)
{
    connection *it;
    pthread_mutex_lock(&set->lock);
    TAILQ_FOREACH(it, &set->waiting, link)
    {
        const int socket = (int)(it - set->at);
        if (it->thread != thread || it->phase != SERVE_IDLE ||
            info_of(socket).tcpi_bytes_received < it->read + bytes)
            continue;
        send(socket, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(socket, SHUT_WR);
    }
    pthread_mutex_unlock(&set->lock);
}

void serve_connections_remove(serve_connections *set, int socket)
{
    connection *const it = &set->at[socket];
    pthread_mutex_lock(&set->lock);
    enter(set, it, SERVE_ENDED);
    it->is_open = false;
    --set->of_thread[it->thread];
    pthread_mutex_unlock(&set->lock);
}

void serve_connections_enter(serve_connections *set, int socket, serve_phase phase, uint64_t read)
{
    pthread_mutex_lock(&set->lock);
    set->at[socket].read += read;
    if (set->at[socket].phase != SERVE_ENDED) enter(set, &set->at[socket], phase);
    pthread_mutex_unlock(&set->lock);
}

void serve_connections_expect(serve_connections *set, int socket, uint64_t bytes)
{
    connection *const it = &set->at[socket];
    pthread_mutex_lock(&set->lock);
    it->whole = bytes < UINT64_MAX - it->read ? it->read + bytes : UINT64_MAX;
    pthread_mutex_unlock(&set->lock);
}

static void look(serve_connections *set, connection *it, double passed_s)
{
    static const serve_ending ending[] = {
        [SERVE_IDLE] = SERVE_SLOW_HEAD, [SERVE_UPLOAD] = SERVE_SLOW_BODY, [SERVE_REPLY] = SERVE_SLOW_READER};
    const struct tcp_info info = info_of((int)(it - set->at));
    const uint64_t moved = info.tcpi_bytes_received + info.tcpi_bytes_acked;
    const bool is_awaited = it->phase == SERVE_UPLOAD ? info.tcpi_bytes_received < it->whole
                            : it->phase == SERVE_IDLE ? info.tcpi_bytes_received > it->read
                                                      : info.tcpi_unacked > 0 || info.tcpi_notsent_bytes > 0;
    const double most_s = set->patience_s[it->phase];
    if (it->phase != SERVE_IDLE) it->patience_s += (double)(moved - it->moved) / BYTES_PER_S;
    if (!is_awaited || it->patience_s > most_s) it->patience_s = most_s;
    it->moved = moved;
    const bool is_behind = it->phase != SERVE_REPLY && is_unread(set, it); /* the server, not the client */
    if (is_awaited && !is_behind && (it->patience_s -= passed_s) < 0)
        end(set, it, ending[it->phase]);
    else if (it->phase == SERVE_IDLE && !is_awaited &&
             (it->silent_s += passed_s) > set->patience_s[SERVE_REPLY])
        shut(set, it); /* libmicrohttpd does not know a connection on which nothing has come */
}

void serve_connections_end_slow(serve_connections *set, double now_s)
{
    pthread_mutex_lock(&set->lock);
    const double passed_s = now_s - set->looked_s < LOOK_S ? now_s - set->looked_s : LOOK_S;
    for (int socket = 0; socket < set->sockets; ++socket)
        if (set->at[socket].is_open && set->at[socket].phase != SERVE_ENDED)
            look(set, &set->at[socket], passed_s);
    set->looked_s = now_s;
    pthread_mutex_unlock(&set->lock);
}
