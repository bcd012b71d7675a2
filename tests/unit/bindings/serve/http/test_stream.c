/* test_stream.c - the stream of a body between two threads. */
#include "bindings/serve/http/stream.h"

#include <criterion/criterion.h>
#include <string.h>

enum { BYTES = 100000, ROOM = 313 };

/* A reader that sleeps while it is suspended, as the server's is. */
typedef struct scene {
    serve_stream stream;
    pthread_mutex_t lock;
    pthread_cond_t woken;
    bool sleeps;
    atomic_bool gives_up;
    pthread_t writer;
    char sent[BYTES], got[BYTES + ROOM];
    bool is_written; /* what the last write returned */
} scene;

static void set_sleeps(void *context, bool sleeps)
{
    scene *const s = context;
    pthread_mutex_lock(&s->lock);
    s->sleeps = sleeps;
    pthread_cond_signal(&s->woken);
    pthread_mutex_unlock(&s->lock);
}

static void suspend(void *context)
{
    set_sleeps(context, true);
}

static void resume(void *context)
{
    set_sleeps(context, false);
}

static void begin(scene *s, void *(*write)(void *))
{
    *s = (scene){.sleeps = true};
    for (size_t i = 0; i < BYTES; ++i) s->sent[i] = (char)(i * 31 + i / 256);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->woken, NULL);
    serve_stream_init(&s->stream);
    s->stream.gives_up = &s->gives_up;
    s->stream.suspend = suspend;
    s->stream.resume = resume;
    s->stream.context = s;
    cr_assert_eq(pthread_create(&s->writer, NULL, write, s), 0);
}

static void end(scene *s)
{
    cr_assert_eq(pthread_join(s->writer, NULL), 0);
    serve_stream_free(&s->stream);
    pthread_cond_destroy(&s->woken);
    pthread_mutex_destroy(&s->lock);
}

static void sleep_if_suspended(scene *s)
{
    pthread_mutex_lock(&s->lock);
    while (s->sleeps) pthread_cond_wait(&s->woken, &s->lock);
    pthread_mutex_unlock(&s->lock);
}

/* Reads to the end, which is returned; *size: how many bytes came. */
static ptrdiff_t read_all(scene *s, size_t *size)
{
    for (*size = 0;;) {
        sleep_if_suspended(s);
        const ptrdiff_t read = serve_stream_read(&s->stream, s->got + *size, ROOM);
        if (read < 0) return read;
        *size += (size_t)read;
        cr_assert_leq(*size, BYTES);
    }
}

/* Parts of 0, 1, 2, ... bytes. */
static void *write_parts(void *argument)
{
    scene *const s = argument;
    s->is_written = true;
    for (size_t at = 0, size = 0; at < BYTES && s->is_written; at += size++) {
        if (size > BYTES - at) size = BYTES - at;
        if (size > 0) s->is_written = serve_stream_write(&s->stream, s->sent + at, size);
    }
    serve_stream_end(&s->stream, s->is_written);
    return NULL;
}

Test(stream, every_byte_comes_once_and_in_order)
{
    static scene s;
    size_t size;
    begin(&s, write_parts);
    cr_assert_eq(read_all(&s, &size), SERVE_STREAM_ENDED);
    cr_assert_eq(size, BYTES);
    cr_assert_eq(memcmp(s.got, s.sent, BYTES), 0);
    end(&s);
    cr_assert(s.is_written);
}

static void *write_a_part(void *argument)
{
    scene *const s = argument;
    s->is_written = serve_stream_write(&s->stream, s->sent, ROOM);
    serve_stream_end(&s->stream, false);
    return NULL;
}

Test(stream, an_answer_that_fails_differs_from_one_that_ends)
{
    static scene s;
    size_t size;
    begin(&s, write_a_part);
    cr_assert_eq(read_all(&s, &size), SERVE_STREAM_BROKEN);
    cr_assert_eq(size, ROOM);
    end(&s);
}

Test(stream, a_writer_goes_on_when_its_reader_leaves)
{
    static scene s;
    begin(&s, write_parts);
    sleep_if_suspended(&s);
    cr_assert_gt(serve_stream_read(&s.stream, s.got, ROOM), 0);
    serve_stream_leave(&s.stream);
    end(&s);
    cr_assert_not(s.is_written);
}

Test(stream, a_writer_whose_time_is_up_waits_no_longer)
{
    static scene s;
    begin(&s, write_parts);
    atomic_store(&s.gives_up, true);
    end(&s);
    cr_assert_not(s.is_written);
}
