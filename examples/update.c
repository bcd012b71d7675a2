/* update.c - one thread requests a route again and again while another one closes a street. No query waits
 * for the update, and none sees half of it. Run: update town.mcd
 *
 * Prints:
 *     before: 46.3 s
 *     after: 98.9 s
 *     other answers: 0
 */
#include <macadam.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

typedef struct traffic {
    macadam_engine *engine;
    uint32_t before, after; /* the only two answers that may ever be seen */
    atomic_bool done;
    atomic_uint others;
} traffic;

/* From 21 to 25, along Market Street; UINT32_MAX if the call fails. */
static uint32_t cost(macadam_engine *engine)
{
    const macadam_place source = macadam_node(21), target = macadam_node(25);
    uint32_t answer, *const value[] = {&answer};
    macadam_routes_request request = MACADAM_ROUTES_REQUEST_INIT;
    request.source = &source;
    request.target = &target;
    request.pair_count = 1;
    const macadam_query query = MACADAM_QUERY_INIT;
    return macadam_routes_find(value, NULL, engine, &query, &request, NULL) == MACADAM_OK ? answer
                                                                                          : UINT32_MAX;
}

static void *ask(void *argument)
{
    traffic *const seen = argument;
    while (!seen->done) {
        const uint32_t answer = cost(seen->engine);
        if (answer == seen->after) break; /* the new weights are in use */
        if (answer != seen->before) ++seen->others;
    }
    return NULL;
}

/* Closes Market Street between 22 and 23, in both directions, by naming the ends of its arcs. */
static macadam_status close_street(macadam_engine *engine, macadam_error *error)
{
    const int64_t tail[] = {22, 23}, head[] = {23, 22};
    const uint32_t closed[] = {MACADAM_WEIGHT_CLOSED, MACADAM_WEIGHT_CLOSED}, *const value[] = {closed};
    const char *const quantity[] = {"duration"};
    macadam_update_request request = MACADAM_UPDATE_REQUEST_INIT;
    request.tail = tail;
    request.head = head;
    request.count = 2;
    request.quantity = quantity;
    request.quantity_count = 1;
    request.value = value;
    return macadam_update(engine, &request, error);
}

static void print(const char *when, uint32_t cost)
{
    if (cost == MACADAM_UNREACHED)
        printf("%s: -\n", when);
    else
        printf("%s: %.1f s\n", when, cost / 1000.0);
}

int main(int argc, char **argv)
{
    macadam_error error;
    macadam_engine *engine;
    if (argc != 2 || macadam_engine_open(&engine, argv[1], NULL, &error) != MACADAM_OK) {
        fprintf(stderr, "%s\n", argc != 2 ? "usage: update FILE.mcd" : error.message);
        return 1;
    }
    traffic seen = {.engine = engine, .before = cost(engine)};
    print("before", seen.before);

    /* Learn the second answer from an engine of its own, so that wrong answers can be counted. */
    macadam_engine *copy;
    macadam_status status = macadam_engine_open(&copy, argv[1], NULL, &error);
    if (status == MACADAM_OK) status = close_street(copy, &error);
    if (status == MACADAM_OK) seen.after = cost(copy);
    macadam_engine_close(copy);

    pthread_t thread;
    if (status == MACADAM_OK && pthread_create(&thread, NULL, ask, &seen) == 0) {
        status = close_street(engine, &error);
        if (status != MACADAM_OK) seen.done = true;
        pthread_join(thread, NULL);
        print("after", cost(engine));
        printf("other answers: %u\n", seen.others);
    }
    if (status != MACADAM_OK) fprintf(stderr, "%s\n", error.message);
    macadam_engine_close(engine);
    return status == MACADAM_OK ? 0 : 1;
}
