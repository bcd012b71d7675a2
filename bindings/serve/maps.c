/* maps.c - see maps.h. */
#include "bindings/serve/maps.h"
#include "bindings/serve/http/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 };

typedef struct map_set {
    serve_map **map; /* [count] */
    size_t count;
} map_set;

struct serve_maps {
    const serve_settings *settings;
    char (*name)[NAME_BYTES]; /* [file_count] "" = the profiles of the file */
    map_set set;
    pthread_mutex_t lock;      /* of `set` */
    pthread_mutex_t reloading; /* so that a later reload replaces what an earlier one has opened */
};

static void release_all(const map_set *set)
{
    for (size_t i = 0; i < set->count; ++i) serve_map_release(set->map[i]);
    free(set->map);
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

/* Opens a profile of a file; NULL: the first. */
static macadam_status add_map(map_set *set, const char *file, const char *name, const char *profile,
                              const macadam_engine_options *options, macadam_error *error)
{
    macadam_engine_options own = *options;
    own.profile = profile;
    serve_map **const map = realloc(set->map, (set->count + 1) * sizeof(serve_map *));
    if (!map) return serve_map_fail_memory(error, "for the maps");
    set->map = map;
    const macadam_status status = serve_map_open(&map[set->count], file, name, &own, error);
    if (status == MACADAM_OK) ++set->count;
    return status;
}

/* Opens all profiles of a file. With a name: the profile of this name, else the first one under this name. */
static macadam_status add_file(map_set *set, const char *file, const char *name,
                               const macadam_engine_options *options, macadam_error *error)
{
    const size_t first = set->count;
    macadam_status status = add_map(set, file, name, NULL, options, error);
    const macadam_info *const info = status == MACADAM_OK ? &set->map[first]->info : NULL;
    for (size_t i = 1; info && i < info->profile_count && status == MACADAM_OK; ++i)
        if (!name || strcmp(name, info->profiles[i]) == 0)
            status = add_map(set, file, name, info->profiles[i], options, error);
    if (name && set->count == first + 2) { /* the first profile has another name */
        serve_map_release(set->map[first]);
        set->map[first] = set->map[--set->count];
    }
    return status;
}

/* Paths could not distinguish maps of one name. */
static macadam_status check_names(const map_set *set, macadam_error *error)
{
    for (size_t i = 0; i < set->count; ++i)
        for (size_t k = 0; k < i; ++k) {
            const char *const name = set->map[i]->profile;
            if (strcmp(name, set->map[k]->profile) != 0) continue;
            if (error)
                snprintf(error->message, sizeof error->message,
                         "two maps have the profile %s: name them, as in %s=A.mcd other=B.mcd", name, name);
            return MACADAM_E_INVALID;
        }
    return MACADAM_OK;
}

static macadam_status open_all(const serve_maps *maps, map_set *out, macadam_error *error)
{
    const serve_settings *const settings = maps->settings;
    const macadam_engine_options engine_options = {.size = sizeof engine_options,
                                                   .device = settings->device,
                                                   .threads = settings->threads,
                                                   .memory_limit = settings->memory,
                                                   .trust_file = settings->trusts_files};
    macadam_status status = MACADAM_OK;
    map_set set = {NULL, 0};
    for (size_t i = 0; i < settings->file_count && status == MACADAM_OK; ++i) {
        char name[NAME_BYTES];
        const char *const file = split(settings->file[i], name);
        status = add_file(&set, file, name[0] ? maps->name[i] : NULL, &engine_options, error);
    }
    if (status == MACADAM_OK) status = check_names(&set, error);
    if (status == MACADAM_OK)
        *out = set;
    else
        release_all(&set);
    return status;
}

macadam_status serve_maps_open(serve_maps **out, const serve_settings *settings, macadam_error *error)
{
    serve_maps *const maps = calloc(1, sizeof *maps);
    *out = NULL;
    if (!maps) return serve_map_fail_memory(error, "for the maps");
    maps->settings = settings;
    pthread_mutex_init(&maps->lock, NULL);
    pthread_mutex_init(&maps->reloading, NULL);
    maps->name = calloc(settings->file_count, sizeof *maps->name);
    for (size_t i = 0; maps->name && i < settings->file_count; ++i) split(settings->file[i], maps->name[i]);
    const macadam_status status =
        maps->name ? open_all(maps, &maps->set, error) : serve_map_fail_memory(error, "for the maps");
    if (status == MACADAM_OK)
        *out = maps;
    else
        serve_maps_close(maps);
    return status;
}

void serve_maps_close(serve_maps *maps)
{
    if (!maps) return;
    release_all(&maps->set);
    free(maps->name);
    pthread_mutex_destroy(&maps->lock);
    pthread_mutex_destroy(&maps->reloading);
    free(maps);
}

/* One call at a time. */
static bool reload(serve_maps *maps)
{
    macadam_error error = {""};
    map_set set;
    if (open_all(maps, &set, &error) != MACADAM_OK) {
        serve_log("the maps stay as they are: %s", error.message);
        return false;
    }
    for (size_t i = 0; i < set.count; ++i) serve_map_warm(set.map[i]);
    pthread_mutex_lock(&maps->lock);
    const map_set before = maps->set;
    maps->set = set;
    pthread_mutex_unlock(&maps->lock);
    release_all(&before);
    return true;
}

bool serve_maps_reload(serve_maps *maps)
{
    pthread_mutex_lock(&maps->reloading);
    const bool is_loaded = reload(maps);
    pthread_mutex_unlock(&maps->reloading);
    return is_loaded;
}

serve_map *serve_maps_at(serve_maps *maps, size_t i)
{
    pthread_mutex_lock(&maps->lock);
    serve_map *const map = i < maps->set.count ? serve_map_hold(maps->set.map[i]) : NULL;
    pthread_mutex_unlock(&maps->lock);
    return map;
}

serve_map *serve_maps_find(serve_maps *maps, const char *profile, size_t size)
{
    serve_map *found = NULL;
    pthread_mutex_lock(&maps->lock);
    const map_set *const set = &maps->set;
    for (size_t i = 0; i < set->count && !found; ++i)
        if (set->count == 1 || serve_map_is_called(set->map[i], profile, size)) found = set->map[i];
    if (found) serve_map_hold(found);
    pthread_mutex_unlock(&maps->lock);
    return found;
}

void serve_maps_warm(serve_maps *maps)
{
    serve_map *map;
    for (size_t i = 0; (map = serve_maps_at(maps, i)); ++i) {
        serve_map_warm(map);
        serve_map_release(map);
    }
}

void serve_maps_trim(serve_maps *maps)
{
    serve_map *map;
    for (size_t i = 0; (map = serve_maps_at(maps, i)); ++i) {
        macadam_engine_trim(map->engine, NULL);
        serve_map_release(map);
    }
}
