/* server.c - see server.h. The listener gives each client to one of libmicrohttpd's threads (which would take clients as
 * they wake, so that one of them could get all), and that thread answers its short requests; long ones are suspended and
 * go to the workers. It uses poll: with epoll (0.9.75) it does not notice that a client closed right after it wrote. */
#include "bindings/serve/http/server.h"
#include "bindings/serve/http/connections.h"
#include "bindings/serve/http/framing.h"
#include "bindings/serve/http/workers.h"
#include "bindings/serve/http/listener.h"
#include "bindings/serve/http/log.h"
#include "bindings/serve/http/metrics.h"
#include "bindings/serve/services/status.h"
#include "bindings/serve/services/traffic.h"
#include "bindings/serve/http/url.h"

#include <libdeflate.h>
#include <limits.h>
#include <malloc.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    HEAD_BYTES = 32 << 10,                    /* of a request's head, cleared twice a request */
    LONG_HEAD_BYTES = (8 << 20) + HEAD_BYTES, /* of the first one of a connection whose first line is long */
    LONG_LINE = 1024,                         /* bytes that come without its end */
    LAST_HEAD_BYTES = 4 << 10, /* after a longer head, the connection ends: the next one may be longer */
    LONG_HEADS = 16,           /* such connections at the same time */
    DRAIN_S = 10,
    QUIET_S = 5,              /* without a request, until memory that was kept for requests is given back */
    LOG_S = 60,               /* between lines of ended connections */
    STREAMS = 4,              /* answers that are sent while they are made, at the same time */
    STREAM_BYTES = 256 << 10, /* of such an answer, copied together */
    LINES_BYTES = 8 << 20,    /* of a body of lines, taken together */
    GZIP_LEVEL = 1,
    GZIP_FROM = 1000, /* bytes: below, compressing costs more than it saves */
};
#if MHD_VERSION >= 0x01000000
#define STRICTNESS MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1
#else
#define STRICTNESS MHD_OPTION_STRICT_FOR_CLIENT, 0 /* framing.c is stricter than 1, and answers */
#endif
/* Answers that libmicrohttpd cannot be made to give. */
#define REFUSAL(status, code, message)                                                                       \
    "HTTP/1.1 " status "\r\nContent-Type: application/json; charset=UTF-8\r\n"                               \
    "Access-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n"                                            \
    "{\"code\":\"" code "\",\"message\":\"" message "\"}"
static const char bad_length[] =
    REFUSAL("400 Bad Request", "InvalidQuery", "Content-Length is not a length."),
                  long_head[] =
                      REFUSAL("414 URI Too Long", "TooBig",
                              "The head of the request is too long: it may have 24 KB, or 8 MB if the "
                              "first line of the first request of a connection is long; longer "
                              "requests go by POST.");
static const double quiet_s = 0.2; /* without a request, at the end */

typedef struct serve_thread {
    serve_server *server;
    struct MHD_Daemon *daemon;
    size_t head_bytes;
    struct MHD_Response *bare[2]; /* the last tagged answers without a body: 200, and 304. NULL: none */
} serve_thread;

struct serve_server {
    const serve_settings *settings;
    serve_maps *maps;
    serve_workers *workers, *stream_workers; /* clients that read slowly keep only other streams waiting */
    serve_listener *listener;
    serve_connections *connections;
    double answer_bytes, logged_s, busy_s;
    unsigned long long seen; /* of `begun` */
    bool is_warm;
    atomic_ullong begun;
    atomic_uint running; /* requests that are not answered yet */
    atomic_bool drains, gives_up;
    _Atomic(struct exchange *) spare; /* of a request that has ended, for the next one */
    unsigned thread_count;
    serve_thread thread[]; /* [thread_count + 1] the last one is for long heads */
};

typedef struct content_coding {
    const char *name;
    size_t (*compress)(struct libdeflate_compressor *, const void *, size_t, void *, size_t);
} content_coding;

/* A request from its first byte to its last. */
typedef struct exchange {
    serve_task task; /* first: workers know the exchange by it */
    serve_server *server;
    serve_thread *thread; /* the connection's */
    struct MHD_Connection *connection;
    char *uri;
    mcd_text body;
    uint64_t read_bytes; /* since a phase of the connection began */
    serve_job job;
    serve_stream stream;
    atomic_uint holders; /* the connection, and a worker while it works on it */
    serve_traffic_lines lines;
    atomic_bool is_taking; /* a worker takes lines of the body */
    bool has_begun, is_post, is_answered, reloads;
    const content_coding *coding; /* of the answer's body; NULL: none */
    bool closes;                  /* the connection, after its answer */
    LIST_ENTRY(exchange) read;    /* until its head has been read */
} exchange;

static _Thread_local LIST_HEAD(, exchange) heads; /* of the thread's connections */

/* ---- answers ---- */

static const content_coding codings[] = {{"gzip", libdeflate_gzip_compress},
                                         {"deflate", libdeflate_zlib_compress}};
enum { CODINGS = sizeof codings / sizeof codings[0] };

/* Returns whether a list such as "gzip, deflate;q=0.5" has the name with a weight above 0. */
static bool accepts(const char *list, const char *name)
{
    for (size_t bytes; *list; list += bytes + (list[bytes] == ',')) {
        double weight = 1;
        list += strspn(list, " \t");
        bytes = strcspn(list, ",");
        const size_t size = strcspn(list, ",; \t");
        sscanf(list + size, " ; %*1[qQ] = %lf", &weight);
        if (size == strlen(name) && strncasecmp(list, name, size) == 0) return weight > 0;
    }
    return false;
}

/* Returns the first coding that the client accepts, or NULL. */
static const content_coding *coding_of(const exchange *at)
{
    const char *const list =
        MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING);
    for (size_t i = 0; list && i < CODINGS; ++i)
        if (accepts(list, codings[i].name)) return &codings[i];
    return NULL;
}

/* Replaces the body by a compressed one, if that is smaller. */
static bool compress(mcd_text *body, const content_coding *coding)
{
    struct libdeflate_compressor *const compressor = libdeflate_alloc_compressor(GZIP_LEVEL);
    char *const smaller = compressor ? malloc(body->size) : NULL;
    const size_t size =
        smaller ? coding->compress(compressor, body->data, body->size, smaller, body->size) : 0;
    libdeflate_free_compressor(compressor);
    if (size == 0) {
        free(smaller);
        return false;
    }
    free(body->data);
    *body = (mcd_text){.data = smaller, .size = size, .capacity = size};
    return true;
}

static ssize_t read_stream(void *context, __attribute__((unused)) uint64_t position, char *to, size_t room)
{
    exchange *const at = context;
    const ptrdiff_t size = serve_stream_read(&at->stream, to, room);
    return size == SERVE_STREAM_ENDED    ? MHD_CONTENT_READER_END_OF_STREAM
           : size == SERVE_STREAM_BROKEN ? MHD_CONTENT_READER_END_WITH_ERROR
                                         : size;
}

/* On a worker if the request is long: compressing takes long then, too. */
static void encode(exchange *at)
{
    mcd_text *const body = &at->job.answer.body;
    const content_coding *const coding = body->size >= GZIP_FROM ? coding_of(at) : NULL;
    if (coding && compress(body, coding)) at->coding = coding;
}

static struct MHD_Response *response_of(exchange *at)
{
    serve_answer *const answer = &at->job.answer;
    if (answer->is_streamed) /* UINT64_MAX is MHD_SIZE_UNKNOWN, too */
        return MHD_create_response_from_callback(answer->stream_bytes, STREAM_BYTES, read_stream, at, NULL);
    struct MHD_Response *const response =
        MHD_create_response_from_buffer(answer->body.size, answer->body.data, MHD_RESPMEM_MUST_FREE);
    if (response) answer->body = (mcd_text){0};
    return response;
}

/* Whether the path is only written to. */
static bool is_write_only(const exchange *at)
{
    return strcmp(at->uri, "/reload") == 0 || strncmp(at->uri, "/traffic/", strlen("/traffic/")) == 0;
}

static struct MHD_Response *respond(exchange *at)
{
    const serve_answer *const answer = &at->job.answer;
    const bool varies = answer->body.size >= GZIP_FROM || answer->is_streamed || at->coding ||
                        at->job.request.service == SERVE_TABLE;
    struct MHD_Response *const response = response_of(at);
    if (!response) return NULL;
    MHD_add_response_header(response, MHD_HTTP_HEADER_ACCESS_CONTROL_ALLOW_ORIGIN, "*");
    if (answer->type) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type);
    if (answer->type && strncmp(answer->type, "text/html", strlen("text/html")) == 0)
        MHD_add_response_header(response, "Content-Security-Policy", "default-src 'self'");
    if (varies) MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, "Accept, Accept-Encoding");
    if (at->coding) MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, at->coding->name);
    if (answer->tag[0]) {
        MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, answer->tag);
        MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "max-age=60");
    }
    if (answer->status == MHD_HTTP_UNAUTHORIZED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    if (at->closes || at->server->drains)
        MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    const char *const methods = is_write_only(at) ? "POST, OPTIONS" : "GET, HEAD, POST, OPTIONS";
    if (answer->status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, methods);
    if (answer->status == MHD_HTTP_NO_CONTENT) {
        MHD_add_response_header(response, "Access-Control-Allow-Methods", methods);
        MHD_add_response_header(response, "Access-Control-Allow-Headers",
                                "X-Requested-With, Content-Type, Authorization");
    }
    return response;
}

/* Empty tiles, and tiles that clients have, get the response of the last one: libmicrohttpd takes twelve allocations for one. */
static enum MHD_Result send_answer(exchange *at)
{
    const serve_answer *const answer = &at->job.answer;
    struct MHD_Response **const bare = &at->thread->bare[answer->status == SERVE_NOT_MODIFIED], *response;
    const bool is_bare = answer->tag[0] && answer->body.size == 0 && !at->closes && !at->server->drains;
    at->is_answered = true;
    if (at->job.map)
        serve_metrics_count(at->job.request.service, answer->status, serve_job_now() - at->job.begun_s);
    if (is_bare && *bare && strcmp(MHD_get_response_header(*bare, MHD_HTTP_HEADER_ETAG), answer->tag) == 0)
        return MHD_queue_response(at->connection, answer->status, *bare);
    response = respond(at);
    const enum MHD_Result result =
        response ? MHD_queue_response(at->connection, answer->status, response) : MHD_NO;
    if (is_bare && response) {
        struct MHD_Response *const last = *bare;
        *bare = response;
        response = last;
    }
    if (response) MHD_destroy_response(response);
    return result;
}

/* ---- requests ---- */

static int socket_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

static void enter(exchange *at, serve_phase phase)
{
    serve_connections_enter(at->server->connections, socket_of(at->connection), phase, at->read_bytes);
    at->read_bytes = 0;
}

static bool check_token(exchange *at)
{
    return serve_status_is_allowed(
               MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_AUTHORIZATION),
               at->server->settings->token) ||
           serve_answer_fail(&at->job.answer, 401, "Unauthorized", "The token is missing or wrong.");
}

static void reload(exchange *at)
{
    if (!serve_maps_reload(at->server->maps)) {
        serve_answer_fail(&at->job.answer, 500, "InternalError", "The maps stay as they are.");
        return;
    }
    mcd_text_add(&at->job.answer.body, "{\"code\":\"Ok\"}");
    serve_answer_ok(&at->job.answer, serve_type_json);
}

static void release(exchange *at)
{
    if (--at->holders > 0) return;
    --at->server->running;
    serve_stream_free(&at->stream);
    mcd_speeds_close(&at->lines.speeds);
    serve_job_free(&at->job);
    free(at->body.data);
    free(at->uri);
    free(atomic_exchange(&at->server->spare, at));
}

static void resume(void *context)
{
    exchange *const at = context;
    at->is_answered = true;
    MHD_resume_connection(at->connection);
}

static void suspend(void *context)
{
    const exchange *const at = context;
    MHD_suspend_connection(at->connection);
}

/* Takes the lines of a body that goes on. */
static void take_on_worker(serve_task *task)
{
    exchange *const at = (exchange *)task;
    serve_traffic_take(&at->job, &at->lines, &at->body);
    enter(at, SERVE_UPLOAD);
    at->is_taking = false;
    MHD_resume_connection(at->connection);
    release(at);
}

static void answer_on_worker(serve_task *task)
{
    exchange *const at = (exchange *)task;
    if (at->reloads)
        reload(at);
    else if (at->job.request.service == SERVE_TRAFFIC)
        serve_traffic_apply(&at->job, &at->lines, &at->body);
    else
        serve_job_answer(&at->job);
    if (at->job.answer.is_streamed)
        serve_stream_end(&at->stream, at->job.answer.is_whole);
    else
        encode(at), resume(at);
    release(at);
}

/* Reads the request and finds its map; false if the answer says what is wrong. */
static bool prepare(exchange *at)
{
    serve_job *const job = &at->job;
    const char *const body = !at->is_post ? NULL : at->body.size > 0 ? at->body.data : "";
    job->socket = socket_of(at->connection);
    job->answer_bytes = at->server->answer_bytes;
    job->known_tags =
        MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);
    at->reloads = at->is_post && strcmp(at->uri, "/reload") == 0;
    if (at->reloads) return check_token(at);
    job->settings = at->server->settings;
    if (!serve_url_read(&job->request, at->uri, body, at->body.size, &job->answer)) return false;
    /* A table comes in the form that the client accepts, if it accepts only that. */
    serve_request *const request = &at->job.request;
    const char *const type[] = {serve_type_json, serve_type_npy, serve_type_binary, serve_type_arrow};
    const char *const accepted =
        MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);
    for (uint8_t i = SERVE_NPY; accepted && i <= SERVE_ARROW; ++i)
        if (request->service == SERVE_TABLE && request->format == SERVE_JSON &&
            strcmp(accepted, type[i]) == 0)
            request->format = i;
    if (job->request.service == SERVE_TRAFFIC && !check_token(at)) return false;
    job->map = serve_maps_find(at->server->maps, job->request.profile, job->request.profile_size);
    return job->map || serve_refuse(job, "InvalidValue", "Profile %.*s not found!",
                                    (int)job->request.profile_size, job->request.profile);
}

/* The connection waits until a worker has done it. */
static void do_on_worker(exchange *at, void (*run)(serve_task *task))
{
    at->task.run = run;
    ++at->holders;
    MHD_suspend_connection(at->connection);
    serve_workers_do(serve_job_is_streamed(&at->job) ? at->server->stream_workers : at->server->workers,
                     &at->task);
}

static enum MHD_Result answer(exchange *at)
{
    at->job.looked_s = at->job.begun_s = serve_job_now();
    enter(at, SERVE_REPLY);
    if (at->job.answer.status == 0 &&
        !serve_status_answer(&at->job.answer, at->uri, at->server->maps, at->server->running) &&
        (at->job.map || prepare(at))) {
        if (at->reloads || serve_job_is_long(&at->job)) {
            do_on_worker(at, answer_on_worker);
            return MHD_YES;
        }
        serve_job_answer(&at->job);
    }
    encode(at);
    return send_answer(at);
}

static enum MHD_Result refuse(exchange *at, unsigned status, const char *code, const char *message)
{
    serve_answer_fail(&at->job.answer, status, code, "%s", message);
    return send_answer(at);
}

/* Leaves the path and query of an absolute target such as "http://host/path?query" (RFC 9112, 3.2.2). */
static void strip_authority(char *uri)
{
    const size_t scheme = strncasecmp(uri, "http://", 7) == 0    ? 7
                          : strncasecmp(uri, "https://", 8) == 0 ? 8
                                                                 : 0;
    const char *const path = uri + scheme + strcspn(uri + scheme, "/?");
    if (scheme == 0 || path == uri + scheme) return;
    memmove(uri + 1, path + (*path == '/'), strlen(path) + (*path != '/'));
    uri[0] = '/';
}

/* The head has been read: refuses immediately what cannot be answered. */
static enum MHD_Result begin(exchange *at, const char *method, const char *version)
{
    const union MHD_ConnectionInfo *const head =
        MHD_get_connection_info(at->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const char *const length = MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND,
                                                           MHD_HTTP_HEADER_CONTENT_LENGTH),
                      *const coding = MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND,
                                                                  MHD_HTTP_HEADER_CONTENT_ENCODING);
    const bool is_chunked =
        MHD_lookup_connection_value(at->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);
    at->has_begun = true;
    LIST_REMOVE(at, read);
    at->read_bytes = head->header_size;
    if (length || is_chunked) {
        enter(at, SERVE_UPLOAD);
        serve_connections_expect(at->server->connections, socket_of(at->connection),
                                 length && !is_chunked ? strtoull(length, NULL, 10) : UINT64_MAX);
    }
    at->is_post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    at->closes = !serve_framing_is_right(method, at->uri, version, head->header_size);
    if (at->closes)
        return refuse(at, MHD_HTTP_BAD_REQUEST, "InvalidQuery",
                      "The head of the request is not as RFC 9112 has it.");
    strip_authority(at->uri);
    /* libmicrohttpd takes chunks whose lines end by LF: what comes after them is not read as a request. */
    at->closes = is_chunked || head->header_size > LAST_HEAD_BYTES ||
                 at->thread->head_bytes > HEAD_BYTES; /* clearing takes longer than a new connection */
    if (at->is_post && coding && strcasecmp(coding, "identity") != 0)
        return refuse(at, MHD_HTTP_UNSUPPORTED_MEDIA_TYPE, "InvalidQuery",
                      "The body is compressed: send it without Content-Encoding.");
    if (at->is_post && is_write_only(at) && !prepare(at)) return send_answer(at);
    if (!at->job.map && length && strtoull(length, NULL, 10) > at->server->settings->body_bytes)
        return refuse(at, MHD_HTTP_CONTENT_TOO_LARGE, "TooBig", "The body is too large.");
    if (strcmp(method, MHD_HTTP_METHOD_OPTIONS) == 0) {
        at->job.answer.status = MHD_HTTP_NO_CONTENT; /* sent from here, it would end the connection */
        return MHD_YES;
    }
    const bool reads = strcmp(method, MHD_HTTP_METHOD_GET) == 0 || strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    if (!at->is_post && (!reads || is_write_only(at)))
        return refuse(at, MHD_HTTP_METHOD_NOT_ALLOWED, "InvalidQuery", "The path does not take the method.");
    return MHD_YES;
}

/* libmicrohttpd reports an error. It answers a Content-Length that is not a number by two heads (0.9.75), and what is too
 * long by HTML: the client gets one answer, and no more can be written. */
static void answer_error(void *context, const char *format, va_list arguments)
{
    const serve_thread *const own = context;
    const bool is_answer = strstr(format, "(HTTP response code is %u");
    exchange *at;
    if (is_answer && va_arg(arguments, unsigned) >= MHD_HTTP_CONTENT_TOO_LARGE)
        serve_connections_refuse(own->server->connections, (unsigned)(own - own->server->thread),
                                 own->head_bytes / 2, long_head);
    LIST_FOREACH(at, &heads, read)
    {
        if (!MHD_get_connection_info(at->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE)) continue;
        const int client = socket_of(at->connection);
        send(client, bad_length, sizeof bad_length - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
        shutdown(client, SHUT_WR);
    }
}

static enum MHD_Result take_body(exchange *at, const char *data, size_t *size)
{
    if (at->is_taking) return MHD_YES; /* libmicrohttpd (0.9.75) goes on with chunks that it has received */
    const uint64_t most = at->server->settings->body_bytes;
    const bool is_taken = !at->is_answered && at->job.answer.status == 0;
    if (is_taken && at->body.size + *size > most) return MHD_NO;
    if (is_taken) mcd_text_bytes(&at->body, data, *size);
    at->read_bytes += *size;
    *size = 0;
    if (at->body.failed) return MHD_NO;
    if (is_taken && at->job.map && at->body.size > (most < 2 * LINES_BYTES ? most / 2 : LINES_BYTES) &&
        serve_traffic_has_lines(&at->lines, &at->body)) {
        at->is_taking = true;
        enter(at, SERVE_REPLY); /* the client waits for the server */
        do_on_worker(at, take_on_worker);
    }
    return MHD_YES;
}

/* libmicrohttpd calls it when the head has been read, for each piece of the body, when that is complete, and when a
 * suspended connection is resumed. */
static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data, size_t *size,
                              void **slot)
{
    exchange *const at = *slot;
    (void)context, (void)url;
    if (!at) return MHD_NO; /* no memory */
    at->connection = connection;
    if (!at->has_begun) return begin(at, method, version);
    if (*size > 0) return take_body(at, data, size);
    return at->is_answered ? send_answer(at) : answer(at);
}

/* The request as the client sent it: libmicrohttpd would unescape its parts. */
static void *open_exchange(void *context, const char *uri, struct MHD_Connection *connection)
{
    serve_thread *const thread = context;
    serve_server *const server = thread->server;
    exchange *const spare = atomic_exchange(&server->spare, NULL), *const at =
                                                                       spare ? spare : malloc(sizeof *at);
    char *const copy = at ? strdup(uri) : NULL;
    if (!copy) {
        free(at);
        return NULL;
    }
    *at = (exchange){.server = server, .thread = thread, .connection = connection, .uri = copy};
    LIST_INSERT_HEAD(&heads, at, read);
    at->holders = 1;
    serve_stream_init(&at->stream);
    at->stream.gives_up = &server->gives_up;
    at->stream.resume = resume;
    at->stream.suspend = suspend;
    at->stream.context = at;
    at->job.stream = &at->stream;
    ++server->running;
    ++server->begun;
    return at;
}

static void close_exchange(void *context, struct MHD_Connection *connection, void **slot,
                           enum MHD_RequestTerminationCode code)
{
    exchange *const at = *slot;
    (void)context, (void)connection;
    *slot = NULL;
    if (!at) return;
    if (code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED) /* it has been silent */
        serve_metrics_end(at->is_answered ? SERVE_SLOW_READER
                          : at->has_begun ? SERVE_SLOW_BODY
                                          : SERVE_SLOW_HEAD);
    enter(at, SERVE_IDLE);
    if (!at->has_begun) LIST_REMOVE(at, read);
    serve_stream_leave(&at->stream);
    release(at);
}

/* ---- the server ---- */

/* Clients beyond the limit wait until another one is idle. The limit is kept here: libmicrohttpd (0.9.75) blocks a thread
 * forever if clients that were added at the same time pass its own limit. */
static bool take_client(void *context, int client)
{
    const serve_server *const server = context;
    return serve_connections_add(server->connections, client);
}

/* Returns whether a client begins with a long line, of which it has sent only the beginning. */
static bool begins_long(int client)
{
    char text[4 * LONG_LINE];
    const ssize_t size = recv(client, text, sizeof text, MSG_PEEK | MSG_DONTWAIT);
    return size >= LONG_LINE && !memchr(text, '\n', (size_t)size);
}

/* Gives a client to its thread, or to the one for long heads. */
static void give_client(void *context, int client)
{
    const serve_server *const server = context;
    struct sockaddr_storage address = {.ss_family = AF_INET};
    socklen_t size = sizeof address;
    const unsigned thread =
        serve_connections_choose(server->connections, client, begins_long(client) ? LONG_HEADS : 0);
    getpeername(client, (struct sockaddr *)&address, &size);
    if (MHD_add_connection(server->thread[thread].daemon, client, (struct sockaddr *)&address, size) !=
        MHD_YES)
        serve_connections_remove(server->connections, client); /* it has been closed */
}

static void remove_closed(void *context, struct MHD_Connection *connection,
                          __attribute__((unused)) void **slot, enum MHD_ConnectionNotificationCode code)
{
    const serve_server *const server = context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED)
        serve_connections_remove(server->connections, socket_of(connection));
}

static macadam_status start(serve_server *server, macadam_error *error)
{
    const serve_settings *const settings = server->settings;
    const unsigned threads = server->thread_count;
    server->connections = serve_connections_new(settings->connections, threads, settings->keepalive_s);
    server->workers = serve_workers_new(threads);
    server->stream_workers = serve_workers_new(STREAMS);
    bool is_started = server->connections && server->workers && server->stream_workers;
    for (unsigned i = 0; is_started && i <= threads; ++i) {
        serve_thread *const thread = &server->thread[i];
        *thread = (serve_thread){.server = server, .head_bytes = i < threads ? HEAD_BYTES : LONG_HEAD_BYTES};
        thread->daemon = MHD_start_daemon(
            MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET |
                MHD_USE_ERROR_LOG,
            0, NULL, NULL, handle, server, MHD_OPTION_EXTERNAL_LOGGER, answer_error, thread, STRICTNESS,
            MHD_OPTION_CONNECTION_MEMORY_LIMIT, thread->head_bytes, MHD_OPTION_CONNECTION_LIMIT,
            (unsigned)INT_MAX, MHD_OPTION_CONNECTION_TIMEOUT, settings->keepalive_s,
            MHD_OPTION_URI_LOG_CALLBACK, open_exchange, thread, MHD_OPTION_NOTIFY_COMPLETED, close_exchange,
            server, MHD_OPTION_NOTIFY_CONNECTION, remove_closed, server, MHD_OPTION_END);
        is_started = thread->daemon != NULL;
    }
    if (!is_started) return serve_map_fail_memory(error, "to start the server");
    const macadam_status status =
        serve_listener_open(&server->listener, settings->listen, take_client, give_client, server, error);
    if (status == MACADAM_OK && !settings->quiet)
        serve_log("listening on http://%s/", serve_listener_address(server->listener));
    return status;
}

macadam_status serve_server_start(serve_server **out, const serve_settings *settings, serve_maps *maps,
                                  macadam_error *error)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const unsigned threads = settings->threads ? settings->threads
                             : processors > 0  ? (unsigned)processors
                                               : 1;
    serve_server *const server = calloc(1, sizeof *server + (threads + 1) * sizeof server->thread[0]);
    *out = NULL;
    if (!server) return serve_map_fail_memory(error, "to start the server");
    server->thread_count = threads;
    server->settings = settings;
    server->maps = maps;
    server->answer_bytes = settings->memory
                               ? (double)settings->memory
                               : (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / 4;
    const macadam_status status = start(server, error);
    if (status == MACADAM_OK)
        *out = server;
    else
        serve_server_stop(server);
    return status;
}

void serve_server_watch(serve_server *server)
{
    const double now = serve_job_now();
    serve_connections_end_slow(server->connections, now);
    if (server->running > 0 || server->begun != server->seen)
        server->busy_s = now;
    else if (!server->is_warm) {
        server->is_warm = true; /* not before the first request, which may not need it */
        server->busy_s = now;
        serve_maps_warm(server->maps);
    } else if (server->busy_s > 0 && now - server->busy_s > QUIET_S) {
        server->busy_s = 0;
        serve_maps_warm(server->maps); /* else the next request computes what is trimmed of new weights */
        serve_maps_trim(server->maps);
        malloc_trim(0);
    }
    server->seen = server->begun;
    if (now - server->logged_s < LOG_S) return;
    server->logged_s = now;
    serve_metrics_log();
}

/* Waits until no request came for a moment: an open connection may still deliver one. */
static void wait_for_requests(const serve_server *server)
{
    const double begun = serve_job_now();
    for (double now = begun, busy = begun; now - busy < quiet_s && now - begun < DRAIN_S;
         now = serve_job_now()) {
        if (server->running > 0 || serve_connections_have_unread(server->connections)) busy = now;
        usleep(10000);
    }
}

void serve_server_stop(serve_server *server)
{
    server->drains = true;
    serve_listener_stop(server->listener);
    if (server->listener) wait_for_requests(server);
    serve_listener_close(server->listener);
    server->gives_up = true;
    serve_workers_free(server->stream_workers);
    serve_workers_free(server->workers); /* its last tasks resume their connections */
    for (unsigned i = 0; i <= server->thread_count && server->thread[i].daemon; ++i) {
        MHD_stop_daemon(server->thread[i].daemon);
        for (size_t k = 0; k < 2; ++k)
            if (server->thread[i].bare[k]) MHD_destroy_response(server->thread[i].bare[k]);
    }
    serve_connections_free(server->connections);
    serve_metrics_log();
    free(server->spare);
    free(server);
}
