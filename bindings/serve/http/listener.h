/* listener.h - the socket on which clients arrive, and the thread that takes them from it. */
#ifndef MCD_BINDINGS_SERVE_HTTP_LISTENER_H
#define MCD_BINDINGS_SERVE_HTTP_LISTENER_H

#include <macadam.h>
#include <sys/socket.h>

typedef struct serve_listener serve_listener;

/* Takes over the socket of a client. */
typedef void serve_listener_take(void *context, int client, const struct sockaddr *address, socklen_t size);

/* Listens on "ADDRESS:PORT", "[ADDRESS]:PORT" or "ADDRESS" (port 5000), and calls `take` for each client, always on
 * the same thread. Returns MACADAM_E_INVALID if `listen` is not an address, MACADAM_E_IO if it cannot be
 * listened on. */
macadam_status serve_listener_open(serve_listener **out, const char *listen, serve_listener_take *take,
                                   void *context, macadam_error *error);
/* "127.0.0.1:5000" */
const char *serve_listener_address(const serve_listener *listener);
/* Refuses clients from now on; `take` is not called any more. */
void serve_listener_close(serve_listener *listener);

#endif
