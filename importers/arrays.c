/* arrays.c - see arrays.h. mcd_map_check, which every import runs, checks ends and weights. */
#include "importers/arrays.h"
#include "importers/base/quantity.h"

/* Returns a copy of `count` elements of `from`; NULL if memory runs out. */
static void *copy_of(const void *from, size_t count, size_t size)
{
    void *copy = mcd_allocate(count, size);
    if (copy && count) memcpy(copy, from, count * size);
    return copy;
}

#define COPY(to, from, count, error)                                                                         \
    (((to) = copy_of((from), (count), sizeof *(from))) ? MACADAM_OK                                          \
                                                       : mcd_fail_memory((error), (count) * sizeof *(from)))

static macadam_status check_shape(const macadam_arrays_input *input, macadam_error *error)
{
    if (input->node_count >= MCD_NODE_NONE)
        return mcd_fail_invalid(error, "%zu nodes are more than %u", input->node_count, MCD_NODE_NONE - 1);
    if (input->arc_count >= UINT32_MAX)
        return mcd_fail_invalid(error, "%zu arcs are more than %u", input->arc_count, UINT32_MAX - 1);
    if (!input->lon_e7 != !input->lat_e7)
        return mcd_fail_invalid(error, "longitudes and latitudes come both or neither");
    if (!input->weight) return mcd_fail_invalid(error, "no quantity is given");
    if (input->arc_count && (!input->tail || !input->head))
        return mcd_fail_invalid(error, "%zu arcs have no tails or heads", input->arc_count);
    if (!input->arc_pattern != !input->pattern_speed)
        return mcd_fail_invalid(error, "patterns and the patterns of arcs come both or neither");
    return input->pattern_speed ? mcd_pattern_check_size(input->pattern_count, input->slot_count, error)
                                : MACADAM_OK;
}

static macadam_status copy_patterns(mcd_map *out, const macadam_arrays_input *input, macadam_error *error)
{
    if (!input->pattern_speed) return MACADAM_OK;
    out->number_count = out->arc_count;
    out->pattern_count = input->pattern_count, out->pattern_slots = input->slot_count;
    MCD_TRY(COPY(out->arc_pattern, input->arc_pattern, out->arc_count, error));
    return COPY(out->pattern, input->pattern_speed, out->pattern_count * out->pattern_slots, error);
}

static macadam_status copy_nodes(mcd_map *out, const macadam_arrays_input *input, macadam_error *error)
{
    const size_t count = out->node_count = input->node_count;
    if (input->id) {
        MCD_TRY(COPY(out->node_id, input->id, count, error));
    } else {
        MCD_TRY(MCD_NEW(out->node_id, count, error));
        for (size_t node = 0; node < count; ++node) out->node_id[node] = (int64_t)node;
    }
    if (!input->lon_e7) return MACADAM_OK;
    MCD_TRY(COPY(out->lon_e7, input->lon_e7, count, error));
    return COPY(out->lat_e7, input->lat_e7, count, error);
}

static macadam_status copy_arcs(mcd_map *out, const macadam_arrays_input *input, mcd_watch *watch,
                                macadam_error *error)
{
    const size_t count = out->arc_count = input->arc_count;
    MCD_TRY(COPY(out->tail, input->tail, count, error));
    MCD_TRY(COPY(out->head, input->head, count, error));
    for (size_t quantity = 0; quantity < out->quantity_count; ++quantity) {
        MCD_TRY(mcd_watch_step(watch, quantity, out->quantity_count, error));
        if (count && !input->weight[quantity])
            return mcd_fail_invalid(error, "the quantity %s has no weights", out->quantity[quantity]);
        MCD_TRY(COPY(out->weight[quantity], input->weight[quantity], count, error));
    }
    MCD_TRY(MCD_NEW(out->arc_number, count, error));
    for (size_t arc = 0; arc < count; ++arc) out->arc_number[arc] = arc + 1;
    return MACADAM_OK;
}

/* Copies the potentials of a quantity, and takes their rises from its weights, which are signed so far. */
static macadam_status shift(mcd_map *out, size_t quantity, const int32_t *potential, mcd_watch *watch,
                            macadam_error *error)
{
    MCD_TRY(MCD_NEW(out->potential[quantity], out->id_count, error));
    for (size_t node = 0; node < out->node_count; ++node)
        out->potential[quantity][out->index[node]] = potential[node];
    for (size_t arc = 0; arc < out->arc_count; ++arc) {
        const mcd_node tail = out->tail[arc], head = out->head[arc];
        MCD_TRY(mcd_watch_item(watch, arc, out->arc_count, error));
        if (tail >= out->node_count || head >= out->node_count) continue; /* mcd_map_check says so */
        const int32_t given = (int32_t)out->weight[quantity][arc];
        const int64_t rise = (int64_t)potential[head] - potential[tail], rest = given - rise;
        if (rest < 0)
            return mcd_fail_invalid(error,
                                    "the %s %d of arc %zu is less than the rise of its potential, %lld",
                                    out->quantity[quantity], given, arc, (long long)rise);
        out->weight[quantity][arc] = rest < UINT32_MAX ? (mcd_weight)rest : UINT32_MAX;
    }
    return MACADAM_OK;
}

macadam_status mcd_arrays_read(mcd_map *out, const macadam_arrays_input *input, mcd_watch *watch,
                               macadam_error *error)
{
    MCD_TRY(check_shape(input, error));
    MCD_TRY(mcd_quantity_name(out, input->quantity, input->unit, input->quantity_count, error));
    MCD_TRY(copy_nodes(out, input, error));
    MCD_TRY(copy_arcs(out, input, watch, error));
    MCD_TRY(copy_patterns(out, input, error));
    MCD_TRY(mcd_map_index_ids(out, watch, error));
    for (size_t quantity = 0; input->potential && quantity < out->quantity_count; ++quantity)
        if (input->potential[quantity])
            MCD_TRY(shift(out, quantity, input->potential[quantity], watch, error));
    return MACADAM_OK;
}
