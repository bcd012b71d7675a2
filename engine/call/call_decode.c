/* call_decode.c - a serialized request, decoded into the structures of the typed calls. No count is trusted:
 * nothing is allocated that the request's own bytes do not justify. */
#include "engine/call/call.h"

#include "engine/runtime/engine.h"

typedef struct unpack_memory {
    size_t failed_bytes; /* of the allocation that failed; 0 = none did */
} unpack_memory;

static void *unpack_allocate(void *context, size_t bytes)
{
    unpack_memory *memory = context;
    void *block = mcd_allocate(bytes, 1);
    if (!block) memory->failed_bytes = mcd_size_max(bytes, 1);
    return block;
}

static void unpack_release(void *context, void *block)
{
    (void)context;
    mcd_free(block);
}

macadam_status mcd_request_unpack(Macadam__V1__Request **out, const uint8_t *data, size_t size,
                                  macadam_error *error)
{
    unpack_memory memory = {0};
    ProtobufCAllocator allocator = {unpack_allocate, unpack_release, &memory};
    *out = NULL;
    if (size > PTRDIFF_MAX || (size && !data))
        return mcd_fail(error, MACADAM_E_INVALID, "%zu bytes of a request are more than an array can hold",
                        size);
    *out = macadam__v1__request__unpack(&allocator, size, data);
    if (*out) return MACADAM_OK;
    if (memory.failed_bytes) return mcd_fail_memory(error, memory.failed_bytes, "the request");
    return mcd_fail(error, MACADAM_E_INVALID, "the %zu bytes of the request are no macadam.v1.Request", size);
}

void mcd_request_free(Macadam__V1__Request *request)
{
    ProtobufCAllocator allocator = {unpack_allocate, unpack_release, NULL};
    macadam__v1__request__free_unpacked(request, &allocator);
}

static macadam_status decode_area(mcd_call *call, const Macadam__V1__Area *area, size_t index,
                                  macadam_area *out)
{
    size_t *size;
    if (area->n_lon != area->n_lat)
        return mcd_fail(call->error, MACADAM_E_INVALID, "query.conditions.area[%zu] has %zu lon but %zu lat",
                        index, area->n_lon, area->n_lat);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, size, area->n_ring_size, call->error));
    for (size_t r = 0; r < area->n_ring_size; ++r) size[r] = area->ring_size[r];
    *out = (macadam_area){.lon = area->lon,
                          .lat = area->lat,
                          .point_count = area->n_lon,
                          .ring_size = area->n_ring_size ? size : NULL,
                          .ring_count = area->n_ring_size};
    return MACADAM_OK;
}

static macadam_status decode_conditions(mcd_call *call, const Macadam__V1__Conditions *given)
{
    macadam_area *area;
    macadam_class_factor *factor;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, area, given->n_area, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, factor, given->n_factor, call->error));
    for (size_t a = 0; a < given->n_area; ++a) MCD_TRY(decode_area(call, given->area[a], a, &area[a]));
    for (size_t i = 0; i < given->n_factor; ++i)
        factor[i] = (macadam_class_factor){given->factor[i]->road_class, given->factor[i]->factor};
    call->conditions = (macadam_conditions){.size = sizeof call->conditions,
                                            .avoid = given->avoid,
                                            .area = area,
                                            .area_count = given->n_area,
                                            .factor = factor,
                                            .factor_count = given->n_factor,
                                            .height_m = given->height_m,
                                            .width_m = given->width_m,
                                            .length_m = given->length_m,
                                            .weight_t = given->weight_t,
                                            .axle_load_t = given->axle_load_t,
                                            .departure = *given->departure ? given->departure : NULL};
    call->query.conditions = &call->conditions;
    return MACADAM_OK;
}

macadam_status mcd_call_decode_query(mcd_call *call, const Macadam__V1__Query *query)
{
    call->query = (macadam_query)MACADAM_QUERY_INIT;
    call->quantity_count = 1;
    if (!query) return MACADAM_OK;
    if (query->n_quantity > MACADAM_QUANTITIES_MAX)
        return mcd_fail(call->error, MACADAM_E_INVALID,
                        "query.quantity has %zu entries, at most %d are answered", query->n_quantity,
                        MACADAM_QUANTITIES_MAX);
    if (query->profile[0])
        MCD_TRY(macadam_engine_of_profile(call->engine, query->profile, &call->engine, call->error));
    if (query->metric[0]) call->query.metric = query->metric;
    call->query.quantity = (const char *const *)query->quantity;
    call->query.quantity_count = query->n_quantity;
    call->query.snap_radius_m = query->snap_radius_m;
    call->query.memory_limit = query->memory_limit;
    call->query.snap_any_component = query->snap_any_component;
    if (query->n_quantity) call->quantity_count = query->n_quantity;
    return query->conditions ? decode_conditions(call, query->conditions) : MACADAM_OK;
}

macadam_status mcd_call_check_column(const mcd_call *call, const char *name, const char *column, size_t count,
                                     size_t point_count)
{
    if (count == 0 || count == point_count) return MACADAM_OK;
    return mcd_fail(call->error, MACADAM_E_INVALID, "%s has %zu %s for %zu points", name, count, column,
                    point_count);
}

static macadam_status check_places(const mcd_call *call, const char *name, const Macadam__V1__Places *places)
{
    if (places->n_lon != places->n_lat)
        return mcd_fail(call->error, MACADAM_E_INVALID, "%s has %zu lon but %zu lat", name, places->n_lon,
                        places->n_lat);
    MCD_TRY(mcd_call_check_column(call, name, "heading", places->n_heading, places->n_lon));
    MCD_TRY(
        mcd_call_check_column(call, name, "heading_tolerance", places->n_heading_tolerance, places->n_lon));
    MCD_TRY(mcd_call_check_column(call, name, "side", places->n_side, places->n_lon));
    MCD_TRY(mcd_call_check_column(call, name, "radius_m", places->n_radius_m, places->n_lon));
    if (!places->n_kind) {
        if (!places->n_node || !places->n_lon) return MACADAM_OK;
        return mcd_fail(call->error, MACADAM_E_INVALID,
                        "%s has %zu nodes and %zu points but no kind to order them", name, places->n_node,
                        places->n_lon);
    }
    size_t kind_count[2] = {0, 0};
    for (size_t i = 0; i < places->n_kind; ++i) {
        const size_t kind = (size_t)places->kind[i];
        if (kind > MACADAM__V1__PLACES__KIND__KIND_POINT)
            return mcd_fail(call->error, MACADAM_E_INVALID, "%s.kind[%zu] is %d, which is no kind of place",
                            name, i, (int)places->kind[i]);
        ++kind_count[kind];
    }
    if (kind_count[0] == places->n_node && kind_count[1] == places->n_lon) return MACADAM_OK;
    return mcd_fail(call->error, MACADAM_E_INVALID,
                    "%s.kind speaks of %zu nodes and %zu points, but there are %zu and %zu", name,
                    kind_count[0], kind_count[1], places->n_node, places->n_lon);
}

/* Returns whether the i-th of `places` is a node. */
static bool is_node(const Macadam__V1__Places *places, size_t i)
{
    return places->n_kind ? places->kind[i] == MACADAM__V1__PLACES__KIND__KIND_NODE : places->n_node > 0;
}

static macadam_place point_of(const Macadam__V1__Places *places, size_t i)
{
    return (macadam_place){
        .kind = MACADAM_PLACE_POINT,
        .lon = places->lon[i],
        .lat = places->lat[i],
        .heading = places->n_heading ? places->heading[i] : 0,
        .heading_tolerance = places->n_heading_tolerance ? places->heading_tolerance[i] : 0,
        .side = places->n_side ? (macadam_side)places->side[i] : MACADAM_SIDE_ANY,
        .radius_m = places->n_radius_m ? (float)places->radius_m[i] : 0,
    };
}

macadam_status mcd_call_decode_places(mcd_call *call, const char *name, const Macadam__V1__Places *places,
                                      const macadam_place **out, size_t *count)
{
    static const Macadam__V1__Places none = MACADAM__V1__PLACES__INIT;
    if (!places) places = &none;
    *out = NULL;
    *count = 0;
    MCD_TRY(check_places(call, name, places));
    const size_t place_count = places->n_node + places->n_lon;
    macadam_place *place;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, place, place_count, call->error));
    size_t node = 0, point = 0;
    for (size_t i = 0; i < place_count; ++i) {
        if (is_node(places, i)) {
            place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = places->node[node]};
            ++node;
        } else {
            place[i] = point_of(places, point);
            ++point;
        }
    }
    *out = place;
    *count = place_count;
    return MACADAM_OK;
}

macadam_status mcd_call_decode_order(mcd_call *call, Macadam__V1__Order order, macadam_order *out)
{
    switch (order) {
    case MACADAM__V1__ORDER__ORDER_IDS:
        *out = MACADAM_ORDER_IDS;
        return MACADAM_OK;
    case MACADAM__V1__ORDER__ORDER_NODES:
        *out = MACADAM_ORDER_NODES;
        return MACADAM_OK;
    default:
        return mcd_fail(call->error, MACADAM_E_INVALID, "order %d is not known", (int)order);
    }
}

/* Counts how many arcs the update names, by number or by ends. */
static macadam_status count_updates(const mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                    size_t *count)
{
    *count = request->n_arc ? request->n_arc : request->n_way ? request->n_way : request->n_tail;
    if (request->n_arc && (request->n_tail || request->n_head))
        return mcd_fail(call->error, MACADAM_E_INVALID, "update names arcs by number and by ends at once");
    if (request->n_tail != request->n_head)
        return mcd_fail(call->error, MACADAM_E_INVALID, "update has %zu tail but %zu head", request->n_tail,
                        request->n_head);
    if (request->n_way && (request->n_arc || (request->n_tail && request->n_tail != request->n_way)))
        return mcd_fail(call->error, MACADAM_E_INVALID, "update has %zu way for %zu arc and %zu tail",
                        request->n_way, request->n_arc, request->n_tail);
    if (request->n_direction &&
        (!request->n_way || request->n_tail || request->n_direction != request->n_way))
        return mcd_fail(call->error, MACADAM_E_INVALID, "update has %zu direction for %zu way and %zu tail",
                        request->n_direction, request->n_way, request->n_tail);
    if (*count > 0 && request->n_quantity != request->n_value)
        return mcd_fail(call->error, MACADAM_E_INVALID, "update has %zu quantity but %zu value",
                        request->n_quantity, request->n_value);
    return MACADAM_OK;
}

/* Makes the columns of an update, each of which must have `count` values. */
static macadam_status decode_columns(mcd_call *call, Macadam__V1__Column **column, size_t column_count,
                                     size_t count, const char *name, const uint32_t *const **out)
{
    const uint32_t **value;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, value, column_count, call->error));
    for (size_t q = 0; q < column_count; ++q) {
        if (column[q]->n_value != count)
            return mcd_fail(call->error, MACADAM_E_INVALID, "update.%s[%zu] has %zu weights for %zu", name, q,
                            column[q]->n_value, count);
        value[q] = column[q]->value;
    }
    *out = value;
    return MACADAM_OK;
}

static macadam_status decode_turns(mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                   macadam_update_request *out)
{
    const size_t by_arcs = request->n_turn_from, by_nodes = request->n_turn_via;
    if ((by_arcs && by_nodes) || request->n_turn_to != by_arcs || request->n_turn_tail != by_nodes ||
        request->n_turn_head != by_nodes)
        return mcd_fail(
            call->error, MACADAM_E_INVALID,
            "update names turns by %zu turn_from, %zu turn_to, %zu turn_tail, %zu turn_via and %zu turn_head",
            by_arcs, request->n_turn_to, request->n_turn_tail, by_nodes, request->n_turn_head);
    out->turn_count = by_arcs + by_nodes;
    if (out->turn_count == 0 && request->n_turn_price == 0) return MACADAM_OK;
    if (request->n_quantity != request->n_turn_price)
        return mcd_fail(call->error, MACADAM_E_INVALID, "update has %zu quantity but %zu turn_price",
                        request->n_quantity, request->n_turn_price);
    out->turn_from = by_arcs ? request->turn_from : NULL;
    out->turn_to = request->turn_to;
    out->turn_tail = request->turn_tail;
    out->turn_via = request->turn_via;
    out->turn_head = request->turn_head;
    return decode_columns(call, request->turn_price, request->n_turn_price, out->turn_count, "turn_price",
                          &out->turn_price);
}

static macadam_status decode_directions(mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                        const int8_t **out)
{
    int8_t *direction;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, direction, request->n_direction, call->error));
    for (size_t i = 0; i < request->n_direction; ++i) {
        if (request->direction[i] < -1 || request->direction[i] > 1)
            return mcd_fail(call->error, MACADAM_E_INVALID, "update.direction[%zu] is %d, not -1, 0 or 1", i,
                            request->direction[i]);
        direction[i] = (int8_t)request->direction[i];
    }
    *out = direction;
    return MACADAM_OK;
}

macadam_status mcd_call_decode_update(mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                      macadam_update_request *out)
{
    *out = (macadam_update_request)MACADAM_UPDATE_REQUEST_INIT;
    size_t count;
    MCD_TRY(count_updates(call, request, &count));
    MCD_TRY(decode_columns(call, request->value, request->n_value, count, "value", &out->value));
    MCD_TRY(decode_turns(call, request, out));
    out->arc = request->n_arc ? request->arc : NULL;
    out->tail = request->n_tail ? request->tail : NULL;
    out->head = request->n_head ? request->head : NULL;
    out->way = request->n_way ? request->way : NULL;
    if (request->n_direction) MCD_TRY(decode_directions(call, request, &out->direction));
    out->count = count;
    out->quantity = (const char *const *)request->quantity;
    out->quantity_count = request->n_quantity;
    out->all_profiles = request->all_profiles;
    return MACADAM_OK;
}
