/* maps.c - see maps.h. */
#include "bindings/serve/maps.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 };

struct serve_maps {
    const serve_settings *settings;
    char (*name)[NAME_BYTES]; /* [count] "" = the profile of the map */
    serve_map **map;          /* [count] */
    size_t count;
    pthread_mutex_t lock; /* of `map` */
};

static macadam_status fail_without_memory(macadam_error *error)
{
    if (error) snprintf(error->message, sizeof error->message, "not enough memory for the maps");
    return MACADAM_E_MEMORY;
}

static void release_all(serve_map **map, size_t count)
{
    for (size_t i = 0; map && i < count; ++i) serve_map_release(map[i]);
    free(map);
}

/* "NAME=FILE" or "FILE". */
static const char *split(const char *text, char name[NAME_BYTES])
{
    const size_t size = strcspn(text, "=/.");
    name[0] = 0;
    if (text[size] != '=' || size == 0 || size >= NAME_BYTES) return text;
    memcpy(name, text, size);
    name[size] = 0;
    return text + size + 1;
}

static macadam_status open_all(const serve_maps *maps, serve_map ***out, macadam_error *error)
{
    const serve_settings *const settings = maps->settings;
    macadam_engine_options engine_options = MACADAM_ENGINE_OPTIONS_INIT;
    engine_options.device = settings->device;
    engine_options.threads = settings->threads;
    engine_options.memory_limit = settings->memory;
    serve_map **const map = calloc(maps->count, sizeof(serve_map *));
    macadam_status status = map ? MACADAM_OK : fail_without_memory(error);
    for (size_t i = 0; i < maps->count && status == MACADAM_OK; ++i) {
        char name[NAME_BYTES];
        const char *const file = split(settings->file[i], name);
        status = serve_map_open(&map[i], file, name[0] ? maps->name[i] : NULL, &engine_options, error);
    }
    if (status == MACADAM_OK)
        *out = map;
    else
        release_all(map, maps->count);
    return status;
}

macadam_status serve_maps_open(serve_maps **out, const serve_settings *settings, macadam_error *error)
{
    serve_maps *const maps = calloc(1, sizeof *maps);
    *out = NULL;
    if (!maps) return fail_without_memory(error);
    maps->settings = settings;
    maps->count = settings->file_count;
    pthread_mutex_init(&maps->lock, NULL);
    maps->name = calloc(maps->count, sizeof *maps->name);
    for (size_t i = 0; maps->name && i < maps->count; ++i) split(settings->file[i], maps->name[i]);
    const macadam_status status = maps->name ? open_all(maps, &maps->map, error) : fail_without_memory(error);
    if (status == MACADAM_OK)
        *out = maps;
    else
        serve_maps_close(maps);
    return status;
}

void serve_maps_close(serve_maps *maps)
{
    if (!maps) return;
    release_all(maps->map, maps->count);
    free(maps->name);
    pthread_mutex_destroy(&maps->lock);
    free(maps);
}

macadam_status serve_maps_reload(serve_maps *maps, macadam_error *error)
{
    serve_map **map;
    const macadam_status status = open_all(maps, &map, error);
    if (status != MACADAM_OK) return status;
    pthread_mutex_lock(&maps->lock);
    serve_map **const before = maps->map;
    maps->map = map;
    pthread_mutex_unlock(&maps->lock);
    release_all(before, maps->count);
    return MACADAM_OK;
}

size_t serve_maps_count(const serve_maps *maps)
{
    return maps->count;
}

serve_map *serve_maps_at(serve_maps *maps, size_t i)
{
    pthread_mutex_lock(&maps->lock);
    serve_map *const map = serve_map_hold(maps->map[i]);
    pthread_mutex_unlock(&maps->lock);
    return map;
}

serve_map *serve_maps_find(serve_maps *maps, const char *profile, size_t size)
{
    serve_map *found = NULL;
    pthread_mutex_lock(&maps->lock);
    for (size_t i = 0; i < maps->count && !found; ++i)
        if (maps->count == 1 || serve_map_is_called(maps->map[i], profile, size)) found = maps->map[i];
    if (found) serve_map_hold(found);
    pthread_mutex_unlock(&maps->lock);
    return found;
}
