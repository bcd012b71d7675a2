/* server.h - the HTTP server: connections, requests, limits. */
#ifndef MCD_BINDINGS_SERVE_HTTP_SERVER_H
#define MCD_BINDINGS_SERVE_HTTP_SERVER_H

#include "bindings/serve/maps.h"

typedef struct serve_server serve_server;

/* Listens and answers from now on. `settings` and `maps` must outlive *out. */
macadam_status serve_server_start(serve_server **out, const serve_settings *settings, serve_maps *maps,
                                  macadam_error *error);
/* Ends connections whose clients are too slow. To be called about twice a second. */
void serve_server_watch(serve_server *server);
/* Accepts no more connections, answers the received requests for some seconds, then ends. */
void serve_server_stop(serve_server *server);

#endif
