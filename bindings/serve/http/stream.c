/* stream.c - see stream.h. */
#define _GNU_SOURCE /* pthread_cond_timedwait by the realtime clock */
#include "bindings/serve/http/stream.h"

#include <string.h>
#include <time.h>

void serve_stream_init(serve_stream *stream)
{
    *stream = (serve_stream){.waits = true};
    pthread_mutex_init(&stream->lock, NULL);
    pthread_cond_init(&stream->changed, NULL);
}

void serve_stream_free(serve_stream *stream)
{
    pthread_cond_destroy(&stream->changed);
    pthread_mutex_destroy(&stream->lock);
}

static void call_reader(serve_stream *stream)
{
    if (stream->is_left) return;
    if (stream->waits) stream->resume(stream->context);
    stream->waits = false;
}

/* Waits a second at most, so that it is seen when the writer shall give up. */
static void wait_for_reader(serve_stream *stream)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    ++until.tv_sec;
    pthread_cond_timedwait(&stream->changed, &stream->lock, &until);
}

bool serve_stream_write(serve_stream *stream, const void *data, size_t size)
{
    pthread_mutex_lock(&stream->lock);
    stream->data = data;
    stream->size = size;
    call_reader(stream);
    while (stream->size > 0 && !stream->is_left && !*stream->gives_up) wait_for_reader(stream);
    const bool is_read = stream->size == 0 && !stream->is_left;
    stream->size = 0;
    pthread_mutex_unlock(&stream->lock);
    return is_read;
}

void serve_stream_end(serve_stream *stream, bool is_whole)
{
    pthread_mutex_lock(&stream->lock);
    stream->has_ended = true;
    stream->is_whole = is_whole;
    call_reader(stream);
    pthread_mutex_unlock(&stream->lock);
}

ptrdiff_t serve_stream_read(serve_stream *stream, char *to, size_t room)
{
    pthread_mutex_lock(&stream->lock);
    ptrdiff_t result = (ptrdiff_t)(stream->size < room ? stream->size : room);
    if (result > 0) {
        memcpy(to, stream->data, (size_t)result);
        stream->data += result;
        stream->size -= (size_t)result;
        if (stream->size == 0) pthread_cond_signal(&stream->changed);
    } else if (stream->has_ended) {
        result = stream->is_whole ? SERVE_STREAM_ENDED : SERVE_STREAM_BROKEN;
    } else {
        stream->waits = true;
        stream->suspend(stream->context);
    }
    pthread_mutex_unlock(&stream->lock);
    return result;
}

void serve_stream_leave(serve_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->is_left = true;
    pthread_cond_signal(&stream->changed);
    pthread_mutex_unlock(&stream->lock);
}
