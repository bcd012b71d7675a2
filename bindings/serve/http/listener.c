/* listener.c - see listener.h. */
#include "bindings/serve/http/listener.h"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    ADDRESS_BYTES = 80,
    PAUSE_US = 10000,     /* after a client that could not be accepted */
    TAKE_PAUSE_US = 1000, /* until it is tried again to take a client */
    EVENTS = 64,
};

struct serve_listener {
    serve_listener_take *take;
    serve_listener_give *give;
    void *context;
    int socket, epoll;
    int client;  /* that waits to be taken; -1 = none */
    int wake[2]; /* a pipe: its writing end is closed to end the thread */
    bool has_thread;
    pthread_t thread;
    char address[ADDRESS_BYTES];
};

static macadam_status fail(macadam_error *error, macadam_status status, const char *listen,
                           const char *reason)
{
    if (error)
        snprintf(error->message, sizeof error->message, "cannot listen on %.100s: %.200s", listen, reason);
    return status;
}

static struct addrinfo *resolve(const char *listen)
{
    char host[ADDRESS_BYTES], whole[ADDRESS_BYTES];
    char port[8] = "5000";
    struct addrinfo *found = NULL;
    const struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    if (listen[0] && !listen[strspn(listen, "0123456789")]) { /* only a port */
        snprintf(whole, sizeof whole, "127.0.0.1:%s", listen);
        listen = whole;
    }
    const bool bracketed = listen[0] == '[';
    const char *const end = bracketed ? strchr(listen, ']') : strrchr(listen, ':');
    const size_t size = end ? (size_t)(end - listen) - bracketed : strlen(listen);
    const char *const colon = bracketed && end ? end + 1 : end;
    if (size >= sizeof host) return NULL;
    memcpy(host, listen + bracketed, size);
    host[size] = 0;
    if (colon && *colon == ':') snprintf(port, sizeof port, "%s", colon + 1);
    if (strtoul(port, NULL, 10) > UINT16_MAX) return NULL; /* getaddrinfo takes its low bits */
    return getaddrinfo(strcmp(host, "localhost") == 0 ? "127.0.0.1" : host, port, &hints, &found) == 0 ? found
                                                                                                       : NULL;
}

static bool bind_socket(serve_listener *listener, const struct addrinfo *address)
{
    const int yes = 1, fd = socket(address->ai_family, SOCK_STREAM, 0);
    listener->socket = fd;
    return fd >= 0 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
           (address->ai_family != AF_INET6 ||
            setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes) == 0) &&
           bind(fd, address->ai_addr, address->ai_addrlen) == 0 && listen(fd, SOMAXCONN) == 0;
}

/* The port is the one that the system chose, if 0 was requested. */
static bool name_address(serve_listener *listener)
{
    char host[ADDRESS_BYTES / 2], port[8];
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    if (getsockname(listener->socket, (struct sockaddr *)&bound, &size) != 0 ||
        getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
        return false;
    snprintf(listener->address, sizeof listener->address, bound.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s",
             host, port);
    return true;
}

static bool watch(const serve_listener *listener, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(listener->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Watches the client until it sends something, unless it has to wait. */
static void settle_client(serve_listener *listener)
{
    if (!listener->take(listener->context, listener->client)) return;
    if (!watch(listener, listener->client, EPOLLIN)) listener->give(listener->context, listener->client);
    listener->client = -1;
}

/* One client at a time waits until it can be taken; those that were taken are given on meanwhile. */
static void *accept_clients(void *argument)
{
    serve_listener *const listener = argument;
    struct epoll_event event[EVENTS];
    for (;;) {
        const int count = epoll_wait(listener->epoll, event, EVENTS, listener->client < 0 ? -1 : 0);
        for (int i = 0; i < count; ++i) {
            const int fd = event[i].data.fd;
            char stop;
            if (fd == listener->wake[0]) {
                if (read(fd, &stop, 1) != 1) return NULL;
                close(listener->socket);
                listener->socket = -1;
            } else if (fd != listener->socket) {
                epoll_ctl(listener->epoll, EPOLL_CTL_DEL, fd, NULL);
                listener->give(listener->context, fd);
            } else if (listener->client < 0) {
                listener->client = accept(fd, NULL, NULL);
                if (listener->client < 0)
                    usleep(PAUSE_US); /* it has gone, or there are no descriptors left */
            }
        }
        if (listener->client < 0) continue;
        settle_client(listener);
        if (listener->client >= 0) usleep(TAKE_PAUSE_US);
    }
}

static bool start(serve_listener *listener, const struct addrinfo *address)
{
    listener->has_thread =
        bind_socket(listener, address) && name_address(listener) && pipe(listener->wake) == 0 &&
        (listener->epoll = epoll_create1(EPOLL_CLOEXEC)) >= 0 && watch(listener, listener->socket, EPOLLIN) &&
        watch(listener, listener->wake[0], EPOLLIN) &&
        pthread_create(&listener->thread, NULL, accept_clients, listener) == 0;
    return listener->has_thread;
}

macadam_status serve_listener_open(serve_listener **out, const char *listen, serve_listener_take *take,
                                   serve_listener_give *give, void *context, macadam_error *error)
{
    struct addrinfo *const address = resolve(listen);
    serve_listener *const listener = malloc(sizeof *listener);
    macadam_status status = MACADAM_OK;
    *out = listener;
    if (listener)
        *listener = (serve_listener){.take = take,
                                     .give = give,
                                     .context = context,
                                     .socket = -1,
                                     .epoll = -1,
                                     .client = -1,
                                     .wake = {-1, -1}};
    if (!address)
        status = fail(error, MACADAM_E_INVALID, listen, "not an address and a port");
    else if (!listener)
        status = fail(error, MACADAM_E_MEMORY, listen, "not enough memory");
    else if (!start(listener, address))
        status = fail(error, MACADAM_E_IO, listen, "the address is in use, or not this machine's");
    if (address) freeaddrinfo(address);
    if (status == MACADAM_OK) return status;
    serve_listener_close(listener);
    *out = NULL;
    return status;
}

const char *serve_listener_address(const serve_listener *listener)
{
    return listener->address;
}

void serve_listener_stop(serve_listener *listener)
{
    const ssize_t sent = listener ? write(listener->wake[1], "", 1) : 0;
    (void)sent; /* a pipe takes a byte */
}

void serve_listener_close(serve_listener *listener)
{
    if (!listener) return;
    if (listener->wake[1] >= 0) close(listener->wake[1]);
    if (listener->has_thread) pthread_join(listener->thread, NULL);
    if (listener->wake[0] >= 0) close(listener->wake[0]);
    const int own[] = {listener->socket, listener->epoll, listener->client};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        if (own[i] >= 0) close(own[i]);
    free(listener);
}
