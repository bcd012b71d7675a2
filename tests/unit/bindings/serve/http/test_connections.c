/* test_connections.c - which clients are too slow: those that the server waits for, not those that wait for it. */
#include "bindings/serve/http/connections.h"
#include "bindings/serve/job.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <sys/socket.h>
#include <unistd.h>

typedef struct pair {
    int client, server;
} pair;

static pair connect_pair(serve_connections *set)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&address, size), 0);
    cr_assert_eq(listen(listener, 1), 0);
    getsockname(listener, (struct sockaddr *)&address, &size);
    pair it = {.client = socket(AF_INET, SOCK_STREAM, 0)};
    cr_assert_eq(connect(it.client, (struct sockaddr *)&address, size), 0);
    it.server = accept(listener, NULL, NULL);
    close(listener);
    cr_assert(serve_connections_add(set, it.server));
    return it;
}

/* The client sends a part of a head, or of a body. */
static pair begin(serve_connections *set, serve_phase phase, bool is_read)
{
    char byte;
    const pair it = connect_pair(set);
    if (phase != SERVE_IDLE) serve_connections_enter(set, it.server, phase, 0);
    cr_assert_eq(send(it.client, "G", 1, 0), 1);
    cr_assert_eq(recv(it.server, &byte, 1, is_read ? 0 : MSG_PEEK), 1);
    return it;
}

static bool is_ended(pair it)
{
    char byte;
    return recv(it.client, &byte, 1, MSG_DONTWAIT) == 0;
}

static void end(serve_connections *set, pair it)
{
    serve_connections_remove(set, it.server);
    close(it.server);
    close(it.client);
}

Test(connections, a_client_is_slow_only_if_the_server_has_read_all_it_sent)
{
    serve_connections *const set = serve_connections_new(8, 1, 60);
    const double begin_s = serve_job_now();
    const pair it[] = {begin(set, SERVE_IDLE, true), begin(set, SERVE_UPLOAD, true),
                       begin(set, SERVE_IDLE, false), begin(set, SERVE_UPLOAD, false)};
    for (int look = 1; look < 20; ++look) serve_connections_end_slow(set, begin_s + look * 0.5);
    for (int i = 0; i < 4; ++i) cr_expect_not(is_ended(it[i]), "%d", i);
    for (int look = 20; look < 30; ++look) serve_connections_end_slow(set, begin_s + look * 0.5);
    for (int i = 0; i < 4; ++i) cr_expect_eq(is_ended(it[i]), i < 2, "%d", i);
    for (int i = 0; i < 4; ++i) end(set, it[i]);
    serve_connections_free(set);
}

Test(connections, no_client_is_slow_after_the_process_stood_still)
{
    serve_connections *const set = serve_connections_new(8, 1, 60);
    const pair it = begin(set, SERVE_IDLE, true);
    serve_connections_end_slow(set, serve_job_now() + 3600);
    cr_expect_not(is_ended(it));
    end(set, it);
    serve_connections_free(set);
}

Test(connections, a_client_that_sent_its_whole_body_is_neither_slow_nor_idle)
{
    serve_connections *const set = serve_connections_new(2, 1, 60);
    const double begin_s = serve_job_now();
    const pair whole = begin(set, SERVE_UPLOAD, true), part = begin(set, SERVE_UPLOAD, true);
    serve_connections_expect(set, whole.server, 1);
    serve_connections_expect(set, part.server, 2);
    const pair late = connect_pair(set);
    cr_expect_not(is_ended(whole));
    cr_expect(is_ended(part));
    for (int look = 1; look < 30; ++look) serve_connections_end_slow(set, begin_s + look * 0.5);
    cr_expect_not(is_ended(whole));
    serve_connections_expect(set, whole.server, UINT64_MAX);
    for (int look = 30; look < 60; ++look) serve_connections_end_slow(set, begin_s + look * 0.5);
    cr_expect(is_ended(whole));
    end(set, whole), end(set, part), end(set, late);
    serve_connections_free(set);
}
