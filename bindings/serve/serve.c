/* serve.c - see serve.h. */
#include "bindings/serve/serve.h"
#include "bindings/serve/http/log.h"
#include "bindings/serve/http/server.h"

#include <malloc.h>
#include <pthread.h>
#include <signal.h>

enum { LARGE_BYTES = 1 << 20 };

macadam_status serve_run(const serve_settings *settings, macadam_error *error)
{
    sigset_t signals, before;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals, &before); /* of the threads to come, too */
    signal(SIGPIPE, SIG_IGN);
    mallopt(M_MMAP_THRESHOLD, LARGE_BYTES); /* glibc would raise it, and keep what large answers took */
    mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
    serve_log_as_json = settings->log_as_json;
    serve_maps *maps;
    serve_server *server = NULL;
    macadam_status status = serve_maps_open(&maps, settings, error);
    if (status == MACADAM_OK) status = serve_server_start(&server, settings, maps, error);
    if (status == MACADAM_OK) {
        int number = 0;
        const struct timespec wait = {.tv_nsec = 500000000};
        while ((number = sigtimedwait(&signals, NULL, &wait)) < 0 || number == SIGHUP) {
            if (number == SIGHUP && serve_maps_reload(maps)) serve_log("the maps are loaded again");
            serve_server_watch(server);
        }
        if (!settings->quiet) serve_log("ending");
        serve_server_stop(server);
    }
    serve_maps_close(maps);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}
