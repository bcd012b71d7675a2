/* stream.h - a body that is sent while it is made: one thread writes, another one reads for the client. */
#ifndef MCD_BINDINGS_SERVE_HTTP_STREAM_H
#define MCD_BINDINGS_SERVE_HTTP_STREAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct serve_stream {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    const char *data; /* what was written last, and how much of it has not been read */
    size_t size;
    bool waits;                     /* the reader is suspended */
    bool has_ended;                 /* nothing more will be written */
    bool is_whole;                  /* everything has been written */
    bool is_left;                   /* there is no reader any more */
    const atomic_bool *gives_up;    /* the time is over */
    void (*suspend)(void *context); /* the reader is not called until it is resumed, as in the beginning */
    void (*resume)(void *context);
    void *context;
} serve_stream;

void serve_stream_init(serve_stream *stream);
/* Waits until everything has been read, as `data` is borrowed; false if it never will be. */
bool serve_stream_write(serve_stream *stream, const void *data, size_t size);
void serve_stream_end(serve_stream *stream, bool is_whole);

enum { SERVE_STREAM_ENDED = -1, SERVE_STREAM_BROKEN = -2 };
/* Returns how many bytes it has copied; 0: the reader has been suspended. */
ptrdiff_t serve_stream_read(serve_stream *stream, char *to, size_t room);
void serve_stream_leave(serve_stream *stream);
void serve_stream_free(serve_stream *stream);

#endif
