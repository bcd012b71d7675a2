/* extracts.c - see extracts.h.
 *
 * Method: the ids and ages of all ways and relations are listed and sorted; what is left of the lists is what comes
 * more than once. Nodes are too many for that: the points of ways know their ages instead. */
#include "importers/osm/read/extracts.h"
#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/base/types.h"

#include <string.h>

/* An object of a file. */
typedef struct listed {
    int64_t id;
    uint64_t number;
    uint32_t age, file;
} listed;

struct mcd_extract_list {
    listed *object; /* [count]; once shortened: of each id the one that counts, by ascending ids */
    size_t count, capacity;
};

/* ---- the lists ---- */

typedef struct list_run {
    mcd_extract_list way[MCD_OSM_PARTS], relation[MCD_OSM_PARTS]; /* of the parts */
    mcd_extracts *all;
    uint32_t file;
} list_run;

static macadam_status append(mcd_extract_list *list, const listed *object, size_t count, macadam_error *error)
{
    MCD_TRY(MCD_GROW(list->object, list->capacity, list->count + count, error));
    if (count) memcpy(list->object + list->count, object, count * sizeof *object);
    list->count += count;
    return MACADAM_OK;
}

static macadam_status list_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    list_run *const run = context;
    return append(&run->way[part], &(const listed){way->id, way->number, way->age, run->file}, 1, error);
}

static macadam_status list_relation(void *context, size_t part, const mcd_osm_relation *relation,
                                    macadam_error *error)
{
    list_run *const run = context;
    return append(&run->relation[part],
                  &(const listed){relation->id, relation->number, relation->age, run->file}, 1, error);
}

static macadam_status join(void *context, size_t part, macadam_error *error)
{
    list_run *const run = context;
    mcd_extract_list *const way = &run->way[part], *const relation = &run->relation[part];
    MCD_TRY(append(run->all->way, way->object, way->count, error));
    MCD_TRY(append(run->all->relation, relation->object, relation->count, error));
    way->count = relation->count = 0;
    return MACADAM_OK;
}

static int compare(const void *a, const void *b)
{
    const listed *const x = a, *const y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    if (x->age != y->age) return x->age > y->age ? -1 : 1;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Leaves of each id that comes more than once the object that counts. */
static macadam_status shorten(mcd_extract_list *list, mcd_watch *watch, macadam_error *error)
{
    size_t kept = 0;
    MCD_TRY(mcd_sort(list->object, list->count, sizeof *list->object, compare, watch, error));
    for (size_t first = 0, end; first < list->count; first = end) {
        MCD_TRY(mcd_watch_item(watch, first, list->count, error));
        for (end = first + 1; end < list->count && list->object[end].id == list->object[first].id;) ++end;
        if (end > first + 1) list->object[kept++] = list->object[first];
    }
    list->count = kept;
    return MACADAM_OK;
}

static macadam_status list_objects(mcd_extracts *all, list_run *run, const mcd_parallel *parallel,
                                   const mcd_progress *progress, macadam_error *error)
{
    const mcd_osm_handler handler = {
        .context = run, .way = list_way, .relation = list_relation, .join = join, .versions = true};
    for (size_t i = 0; i < all->count; ++i) {
        run->file = (uint32_t)i;
        MCD_TRY(mcd_osm_file_read(all->file[i], &handler, parallel, progress, "comparing files", error));
    }
    mcd_watch watch = mcd_watch_of(progress, "comparing files");
    MCD_TRY(shorten(all->way, &watch, error));
    MCD_TRY(shorten(all->relation, &watch, error));
    all->way_count = all->way->count;
    all->relation_count = all->relation->count;
    return MACADAM_OK;
}

static macadam_status compare_files(mcd_extracts *all, const mcd_parallel *parallel,
                                    const mcd_progress *progress, macadam_error *error)
{
    list_run *run;
    MCD_TRY(MCD_NEW_ZEROED(all->way, 1, error));
    MCD_TRY(MCD_NEW_ZEROED(all->relation, 1, error));
    MCD_TRY(MCD_NEW_ZEROED(run, 1, error));
    run->all = all;
    const macadam_status status = list_objects(all, run, parallel, progress, error);
    for (size_t part = 0; part < MCD_OSM_PARTS; ++part) {
        mcd_free(run->way[part].object);
        mcd_free(run->relation[part].object);
    }
    mcd_free(run);
    return status;
}

static void free_lists(mcd_extracts *extracts)
{
    if (extracts->way) mcd_free(extracts->way->object);
    if (extracts->relation) mcd_free(extracts->relation->object);
    mcd_free(extracts->way);
    mcd_free(extracts->relation);
    extracts->way = extracts->relation = NULL;
}

macadam_status mcd_extracts_compare(mcd_extracts *extracts, const mcd_parallel *parallel,
                                    const mcd_progress *progress, bool *repeat, macadam_error *error)
{
    *repeat = false;
    if (extracts->way || mcd_osm_file_ascends(extracts->file[0])) return MACADAM_OK;
    MCD_TRY(compare_files(extracts, parallel, progress, error));
    *repeat = extracts->way_count > 0 || extracts->relation_count > 0;
    if (!*repeat) free_lists(extracts);
    return MACADAM_OK;
}

/* ---- the files ---- */

static macadam_status open_files(mcd_extracts *out, const char *const *path, size_t count,
                                 const mcd_progress *progress, macadam_error *error)
{
    MCD_TRY(MCD_NEW_ZEROED(out->file, count, error));
    for (size_t i = 0; i < count; ++i) {
        if (!path[i]) return mcd_fail(error, MACADAM_E_INVALID, "OpenStreetMap file %zu has no name", i);
        for (size_t k = 0; k < i; ++k)
            if (strcmp(path[i], path[k]) == 0)
                return mcd_fail(error, MACADAM_E_INVALID, "%s: given twice", path[i]);
        MCD_TRY(mcd_osm_file_open(&out->file[i], path[i], progress, error));
        ++out->count;
    }
    return MACADAM_OK;
}

macadam_status mcd_extracts_open(mcd_extracts *out, const char *const *path, size_t count,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 macadam_error *error)
{
    *out = (mcd_extracts){0};
    if (count == 0) return mcd_fail(error, MACADAM_E_INVALID, "no OpenStreetMap file is named");
    macadam_status status = open_files(out, path, count, progress, error);
    if (!status && count > 1) status = compare_files(out, parallel, progress, error);
    if (status) mcd_extracts_close(out);
    return status;
}

void mcd_extracts_close(mcd_extracts *extracts)
{
    for (size_t i = 0; i < extracts->count; ++i) mcd_osm_file_close(extracts->file[i]);
    mcd_free(extracts->file);
    free_lists(extracts);
    *extracts = (mcd_extracts){0};
}

/* ---- reading ---- */

/* Hands on what counts of one file. */
typedef struct filter {
    const mcd_extracts *all;
    const mcd_osm_handler *to;
    uint32_t file;
} filter;

MCD_DEFINE_LOWER_BOUND(first_listed, listed, .id, int64_t)

static bool counts(const mcd_extract_list *list, const listed *object)
{
    const size_t first = first_listed(list->object, 0, list->count, object->id);
    const listed *const newest = list->object + first;
    return !mcd_age_is_deleted(object->age) &&
           (first == list->count || newest->id != object->id ||
            (newest->file == object->file && newest->number == object->number));
}

static macadam_status hand_on_node(void *context, size_t part, const mcd_osm_node *node, macadam_error *error)
{
    const filter *const own = context;
    return own->to->node(own->to->context, part, node, error);
}

static macadam_status hand_on_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    const filter *const own = context;
    const listed object = {way->id, way->number, way->age, own->file};
    return counts(own->all->way, &object) ? own->to->way(own->to->context, part, way, error) : MACADAM_OK;
}

static macadam_status hand_on_relation(void *context, size_t part, const mcd_osm_relation *relation,
                                       macadam_error *error)
{
    const filter *const own = context;
    const listed object = {relation->id, relation->number, relation->age, own->file};
    return counts(own->all->relation, &object) ? own->to->relation(own->to->context, part, relation, error)
                                               : MACADAM_OK;
}

static macadam_status join_filtered(void *context, size_t part, macadam_error *error)
{
    const filter *const own = context;
    return own->to->join(own->to->context, part, error);
}

macadam_status mcd_extracts_read(const mcd_extracts *extracts, const mcd_osm_handler *handler,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 const char *phase, macadam_error *error)
{
    if (!extracts->way)
        return mcd_osm_file_read(extracts->file[0], handler, parallel, progress, phase, error);
    for (size_t i = 0; i < extracts->count; ++i) {
        filter own = {extracts, handler, (uint32_t)i};
        const mcd_osm_handler filtered = {.context = &own,
                                          .node = handler->node ? hand_on_node : NULL,
                                          .way = handler->way ? hand_on_way : NULL,
                                          .relation = handler->relation ? hand_on_relation : NULL,
                                          .join = join_filtered,
                                          .versions = true};
        MCD_TRY(mcd_osm_file_read(extracts->file[i], &filtered, parallel, progress, phase, error));
    }
    return MACADAM_OK;
}
