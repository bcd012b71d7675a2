/* extracts.c - see extracts.h.
 *
 * Method: the ids and ages of all ways and relations are listed and sorted; what is left of the lists is what comes
 * more than once. Nodes are too many for that: the points of ways know their ages instead. */
#include "importers/osm/read/extracts.h"
#include "engine/base/grow.h"
#include "engine/base/sort.h"
#include "engine/base/types.h"

/* ---- the lists ---- */

typedef struct list_run {
    mcd_extract_list part[MCD_OSM_PARTS][MCD_OSM_KINDS]; /* of the parts */
    mcd_extracts *all;
} list_run;

static macadam_status append(mcd_extract_list *list, const mcd_osm_version *version, size_t count,
                             macadam_error *error)
{
    MCD_TRY(MCD_GROW(list->version, list->capacity, list->count + count, error));
    if (count) memcpy(list->version + list->count, version, count * sizeof *version);
    list->count += count;
    return MACADAM_OK;
}

static macadam_status list_version(void *context, size_t part, mcd_osm_kind kind,
                                   const mcd_osm_version *version, macadam_error *error)
{
    list_run *const run = context;
    return append(&run->part[part][kind], version, 1, error);
}

static macadam_status join(void *context, size_t part, macadam_error *error)
{
    list_run *const run = context;
    for (int kind = 0; kind < MCD_OSM_KINDS; ++kind) {
        mcd_extract_list *const own = &run->part[part][kind];
        MCD_TRY(append(&run->all->list[kind], own->version, own->count, error));
        own->count = 0;
    }
    return MACADAM_OK;
}

static int compare(const void *a, const void *b)
{
    const mcd_osm_version *const x = a, *const y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->age != y->age) return x->age > y->age ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Leaves of each id that comes more than once the object that counts. */
static macadam_status shorten(mcd_extract_list *list, const mcd_parallel *parallel, mcd_watch *watch,
                              macadam_error *error)
{
    size_t kept = 0;
    MCD_TRY(mcd_sort_on(parallel, list->version, list->count, sizeof *list->version, compare, watch, error));
    for (size_t first = 0, end; first < list->count; first = end) {
        MCD_TRY(mcd_watch_item(watch, first, list->count, error));
        for (end = first + 1; end < list->count && list->version[end].id == list->version[first].id;) ++end;
        if (end > first + 1) list->version[kept++] = list->version[first];
    }
    list->count = list->capacity = kept;
    return MCD_SHRINK(list->version, kept, error);
}

static void free_run(list_run **run)
{
    for (size_t part = 0; *run && part < MCD_OSM_PARTS; ++part)
        for (int kind = 0; kind < MCD_OSM_KINDS; ++kind) mcd_free((*run)->part[part][kind].version);
    mcd_free(*run);
}

static macadam_status compare_files(mcd_extracts *all, macadam_error *error)
{
    MCD_FREED_BY(free_run) list_run *run = NULL;
    MCD_TRY(MCD_NEW_ZEROED(run, 1, error));
    run->all = all;
    all->compared = true;
    const mcd_osm_handler handler = {.context = run, .version = list_version, .join = join, .versions = true};
    mcd_watch watch = mcd_watch_of(all->progress, "comparing files");
    MCD_TRY(mcd_osm_file_read(all->file, all->count, &handler, all->parallel, all->progress,
                              "comparing files", error));
    for (int kind = 0; kind < MCD_OSM_KINDS; ++kind)
        MCD_TRY(shorten(&all->list[kind], all->parallel, &watch, error));
    return MACADAM_OK;
}

macadam_status mcd_extracts_compare(mcd_extracts *extracts, bool *repeat, macadam_error *error)
{
    *repeat = false;
    if (extracts->compared || mcd_osm_file_ascends(extracts->file[0])) return MACADAM_OK;
    MCD_TRY(compare_files(extracts, error));
    extracts->compared = *repeat =
        extracts->list[MCD_OSM_WAY].count > 0 || extracts->list[MCD_OSM_RELATION].count > 0;
    return MACADAM_OK;
}

/* ---- the files ---- */

static macadam_status open_file(mcd_extracts *out, const char *const *path, size_t i, macadam_error *error)
{
    if (!path[i]) return mcd_fail_invalid(error, "OpenStreetMap file %zu has no name", i);
    for (size_t k = 0; k < i; ++k)
        if (strcmp(path[i], path[k]) == 0) return mcd_fail_invalid(error, "%s: given twice", path[i]);
    MCD_TRY(mcd_osm_file_open(&out->file[i], path[i], out->progress, error));
    ++out->count;
    return MACADAM_OK;
}

macadam_status mcd_extracts_open(mcd_extracts *out, const char *const *path, size_t count,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 macadam_error *error)
{
    *out = (mcd_extracts){.parallel = parallel, .progress = progress};
    if (count == 0) return mcd_fail_invalid(error, "no OpenStreetMap file is named");
    MCD_TRY(MCD_NEW_ZEROED(out->file, count, error));
    for (size_t i = 0; i < count; ++i) MCD_TRY(open_file(out, path, i, error));
    return count > 1 ? compare_files(out, error) : MACADAM_OK;
}

void mcd_extracts_close(mcd_extracts *extracts)
{
    for (size_t i = 0; i < extracts->count; ++i) mcd_osm_file_close(extracts->file[i]);
    mcd_free(extracts->file);
    for (int kind = 0; kind < MCD_OSM_KINDS; ++kind) mcd_free(extracts->list[kind].version);
    *extracts = (mcd_extracts){0};
}

/* ---- reading ---- */

MCD_DEFINE_LOWER_BOUND(first_listed, mcd_osm_version, .id, int64_t)

static bool counts(const void *chooser, mcd_osm_kind kind, const mcd_osm_version *version)
{
    const mcd_extract_list *const list = (const mcd_extract_list *)chooser + kind;
    const size_t first = first_listed(list->version, 0, list->count, version->id);
    if (first == list->count || list->version[first].id != version->id) return true;
    return list->version[first].file == version->file && list->version[first].number == version->number;
}

macadam_status mcd_extracts_read(const mcd_extracts *extracts, const mcd_osm_handler *handler,
                                 const char *phase, macadam_error *error)
{
    mcd_osm_handler choosing = *handler;
    if (extracts->compared) {
        choosing.counts = counts;
        choosing.chooser = extracts->list;
        choosing.versions = true;
    }
    return mcd_osm_file_read(extracts->file, extracts->count, &choosing, extracts->parallel,
                             extracts->progress, phase, error);
}
