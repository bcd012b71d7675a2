/* connections.h - the connections of all clients, and which of them must end: those whose clients are too slow, and, when
 * there are as many as may be, the longest idle one for each new one. */
#ifndef MCD_BINDINGS_SERVE_HTTP_CONNECTIONS_H
#define MCD_BINDINGS_SERVE_HTTP_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct serve_connections serve_connections;

typedef enum serve_phase {
    SERVE_IDLE,   /* no head of a request is complete */
    SERVE_UPLOAD, /* the body is not complete */
    SERVE_REPLY,  /* the request is complete, its answer has not been sent */
    SERVE_ENDED
} serve_phase;

/* `most` connections, shared by `threads` threads; `silence_s`: without reading an answer. Sets the limit of descriptors
 * of the process to what they need. NULL if there is no memory. Any number of threads may make the following calls. */
serve_connections *serve_connections_new(unsigned most, unsigned threads, double silence_s);
void serve_connections_free(serve_connections *connections);
/* Adds an idle connection. Returns false if there are as many as may be, and none of them is idle. */
bool serve_connections_add(serve_connections *connections, int socket);
/* Moves a connection to the last thread, number `threads`, unless that has `most` connections already. Returns its
 * thread. */
unsigned serve_connections_choose(serve_connections *connections, int socket, unsigned most);
/* Sends a text to the connections of a thread that wait for the end of a head of which `bytes` have come, and nothing
 * after it. */
void serve_connections_refuse(serve_connections *connections, unsigned thread, uint64_t bytes,
                              const char *text);
void serve_connections_remove(serve_connections *connections, int socket);
/* `read`: bytes of complete heads and of bodies that have been read since the last call. */
void serve_connections_enter(serve_connections *connections, int socket, serve_phase phase, uint64_t read);
/* The body of the connection's request has `bytes` more than have been read; UINT64_MAX if that is not known. A client that
 * has sent all of it is not awaited: it is neither slow nor idle. */
void serve_connections_expect(serve_connections *connections, int socket, uint64_t bytes);
/* Returns whether bytes of a request have come that no thread has read yet. */
bool serve_connections_have_unread(serve_connections *connections);
/* Ends those that are too slow. To be called about twice a second, with serve_job_now(). */
void serve_connections_end_slow(serve_connections *connections, double now_s);

#endif
