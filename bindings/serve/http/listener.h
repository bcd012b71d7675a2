/* listener.h - the socket on which clients arrive, and the thread that takes them from it. */
#ifndef MCD_BINDINGS_SERVE_HTTP_LISTENER_H
#define MCD_BINDINGS_SERVE_HTTP_LISTENER_H

#include <macadam.h>

typedef struct serve_listener serve_listener;

/* Returns whether the socket of a client may be taken now; else it is tried again. */
typedef bool serve_listener_take(void *context, int client);
/* Takes over the socket of a client that has been taken, and has sent something or gone. */
typedef void serve_listener_give(void *context, int client);

/* Listens on "ADDRESS:PORT", "[ADDRESS]:PORT", "ADDRESS" (port 5000) or "PORT" (127.0.0.1), and calls `take` and `give`
 * for each client, always on the same thread. Returns MACADAM_E_INVALID if `listen` is not an address, MACADAM_E_IO if it cannot be
 * listened on. */
macadam_status serve_listener_open(serve_listener **out, const char *listen, serve_listener_take *take,
                                   serve_listener_give *give, void *context, macadam_error *error);
/* "127.0.0.1:5000" */
const char *serve_listener_address(const serve_listener *listener);
/* Refuses clients from now on; those that were taken are still given. */
void serve_listener_stop(serve_listener *listener);
/* Calls neither from now on. */
void serve_listener_close(serve_listener *listener);

#endif
