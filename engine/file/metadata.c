/* metadata.c - see metadata.h. */
#include "engine/file/metadata.h"

#include "engine/file/check.h"
#include "engine/map/hierarchy.h"
#include "engine/base/utf8.h"

enum { METADATA_BYTES_MAX = 1 << 20 };

/* Characters of quantities' names; the importers allow no others. */
static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

void mcd_metadata_free(mcd_metadata *metadata)
{
    ProtobufCAllocator allocator = {mcd_library_allocate, mcd_library_free, NULL};
    macadam__v1__metadata__free_unpacked(metadata, &allocator);
}

/* ---- checks ---- */

#define fail_meta(file, error, format, ...)                                                                  \
    mcd_fail((error), MACADAM_E_FILE, "%s: section 'meta': " format, (file)->name, __VA_ARGS__)

/* Names the entry by its index: a hostile name must not reach a terminal. */
static macadam_status fail_name(const mcd_edge_file *file, macadam_error *error, const char *of, size_t index,
                                const char *why)
{
    return fail_meta(file, error, "%s %zu %s", of, index, why);
}

static macadam_status check_counts(const mcd_edge_file *file, const mcd_metadata *meta, macadam_error *error)
{
    /* MCD_NODE_NONE and similar values stay free */
    const uint64_t nodes = meta->node_count, id_max = UINT32_MAX - 1,
                   pairs = nodes ? nodes * (nodes - 1) / 2 : 0,
                   most_up_arcs = pairs < MCD_UP_COUNT_MAX ? pairs : MCD_UP_COUNT_MAX;
    const struct {
        const char *name;
        uint64_t value, max;
    } count[] = {
        {"node_count", nodes, id_max},
        {"arc_count", meta->arc_count, id_max},
        {"id_count", meta->id_count, nodes},
        {"component_count", meta->component_count, nodes},
        {"junction_component_count", meta->junction_component_count, nodes},
        {"up_arc_count", meta->up_arc_count, most_up_arcs},
        {"height", meta->height, nodes},
    };
    for (size_t i = 0; i < sizeof count / sizeof count[0]; ++i)
        if (count[i].value > count[i].max)
            return fail_meta(file, error, "%s is %llu, more than %llu", count[i].name,
                             (unsigned long long)count[i].value, (unsigned long long)count[i].max);
    if (meta->has_hierarchy == (meta->height > 0) || (meta->has_hierarchy && nodes == 0)) return MACADAM_OK;
    return fail_meta(file, error, "height %u %s a hierarchy", meta->height,
                     meta->has_hierarchy ? "with" : "without");
}

static macadam_status check_box(const mcd_edge_file *file, const mcd_metadata *meta, macadam_error *error)
{
    if (meta->west_e7 < -MCD_LON_MAX_E7 || meta->west_e7 > MCD_LON_MAX_E7 ||
        meta->east_e7 < -MCD_LON_MAX_E7 || meta->east_e7 > MCD_LON_MAX_E7 ||
        meta->south_e7 < -MCD_LAT_MAX_E7 || meta->north_e7 > MCD_LAT_MAX_E7 ||
        meta->south_e7 > meta->north_e7)
        return fail_meta(file, error, "no bounding box: %d %d %d %d", meta->west_e7, meta->south_e7,
                         meta->east_e7, meta->north_e7);
    return MACADAM_OK;
}

static macadam_status check_slots(const mcd_edge_file *file, const mcd_metadata *meta, macadam_error *error)
{
    if (!meta->pattern_slots || mcd_pattern_has_slots(meta->pattern_slots)) return MACADAM_OK;
    return fail_meta(file, error,
                     "patterns have %u slots a week; this version of Macadam reads %d (15 "
                     "minutes each) and %d (5 minutes), and with holidays twice as many",
                     meta->pattern_slots, MCD_PATTERN_SLOTS, MCD_PATTERN_FINE_SLOTS);
}

static bool is_text(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    return mcd_utf8_length(text, bytes) == bytes;
}

/* Returns quantity_count if there is none. */
static size_t find_quantity(const mcd_metadata *meta, const char *name)
{
    size_t index = 0;
    while (index < meta->n_quantity && strcmp(meta->quantity[index]->name, name) != 0) ++index;
    return index;
}

static macadam_status check_quantities(const mcd_edge_file *file, const mcd_metadata *meta,
                                       macadam_error *error)
{
    if (meta->n_quantity == 0 || meta->n_quantity > MCD_QUANTITY_MAX)
        return fail_meta(file, error, "%zu quantities, not 1 to %d", meta->n_quantity, MCD_QUANTITY_MAX);
    for (size_t i = 0; i < meta->n_quantity; ++i) {
        const char *name = meta->quantity[i]->name, *unit = meta->quantity[i]->unit;
        if (name[0] == '\0' || strlen(name) >= MCD_NAME_BYTES ||
            strspn(name, name_characters) != strlen(name))
            return fail_name(file, error, "quantity", i, "has no proper name");
        if (strlen(unit) >= MCD_NAME_BYTES)
            return fail_name(file, error, "quantity", i, "has too long a unit");
        if (!is_text(unit)) return fail_name(file, error, "quantity", i, "has a unit that is not UTF-8");
        if (find_quantity(meta, name) != i)
            return fail_name(file, error, "quantity", i, "has the name of another");
    }
    return MACADAM_OK;
}

static macadam_status check_metrics(const mcd_edge_file *file, const mcd_metadata *meta, macadam_error *error)
{
    if (meta->n_metric == 0 || meta->n_metric > meta->n_quantity)
        return fail_meta(file, error, "%zu metrics of %zu quantities", meta->n_metric, meta->n_quantity);
    for (size_t i = 0; i < meta->n_metric; ++i) {
        const char *objective = meta->metric[i]->objective, *companion = meta->metric[i]->companion;
        if (find_quantity(meta, objective) == meta->n_quantity)
            return fail_name(file, error, "metric", i, "is of no quantity");
        if (companion[0] != '\0' && find_quantity(meta, companion) == meta->n_quantity)
            return fail_name(file, error, "metric", i, "has a companion that is not a quantity");
        if (strcmp(objective, companion) == 0)
            return fail_name(file, error, "metric", i, "is its own companion");
        for (size_t j = 0; j < i; ++j)
            if (strcmp(objective, meta->metric[j]->objective) == 0)
                return fail_name(file, error, "metric", i, "has the name of another");
    }
    return MACADAM_OK;
}

/* Answers and JSON hold these texts. */
static macadam_status check_texts(const mcd_edge_file *file, const mcd_metadata *meta, macadam_error *error)
{
    const char *const text[] = {meta->source, meta->profile, meta->build};
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i)
        if (!is_text(text[i])) return fail_name(file, error, "text", i, "is not UTF-8");
    return MACADAM_OK;
}

static macadam_status check(const mcd_edge_file *file, const mcd_metadata *meta, macadam_error *error)
{
    MCD_TRY(check_texts(file, meta, error));
    MCD_TRY(check_counts(file, meta, error));
    MCD_TRY(check_box(file, meta, error));
    MCD_TRY(check_slots(file, meta, error));
    MCD_TRY(check_quantities(file, meta, error));
    return check_metrics(file, meta, error);
}

/* ---- reading and writing ---- */

MCD_DEFINE_FREE_AT(free_at, mcd_metadata, mcd_metadata_free)

macadam_status mcd_metadata_read(mcd_metadata **out, mcd_edge_file *file, macadam_error *error)
{
    MCD_FREED_BY(free_at) mcd_metadata *metadata = NULL;
    const void *data;
    size_t bytes, failed_bytes = 0;
    *out = NULL;
    MCD_TRY(mcd_edge_file_section(file, "meta", 1, MCD_COUNT_ANY, &data, &bytes, error));
    if (bytes > METADATA_BYTES_MAX) /* a small message can unpack to far more memory than its own size */
        return mcd_fail(error, MACADAM_E_FILE, "%s: section 'meta' has %zu bytes, more than %d", file->name,
                        bytes, METADATA_BYTES_MAX);
    ProtobufCAllocator allocator = {mcd_library_allocate, mcd_library_free, &failed_bytes};
    metadata = macadam__v1__metadata__unpack(&allocator, bytes, data);
    if (failed_bytes) return mcd_fail_memory(error, failed_bytes);
    if (!metadata)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section 'meta' is not a protobuf message", file->name);
    MCD_TRY(check(file, metadata, error));
    return MCD_MOVE(*out, metadata);
}

macadam_status mcd_metadata_write(mcd_edge_writer *writer, const mcd_metadata *metadata, macadam_error *error)
{
    const size_t bytes = macadam__v1__metadata__get_packed_size(metadata);
    uint8_t *packed;
    MCD_TRY(MCD_NEW(packed, bytes, error));
    macadam__v1__metadata__pack(metadata, packed);
    return mcd_edge_writer_section(writer, "meta", 1, packed, bytes, true, error);
}
