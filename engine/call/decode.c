/* decode.c - see call.h: requests decoded into structures of macadam.h. No count is trusted: nothing is allocated that
 * the request's own bytes do not justify. */
#include "engine/call/binding.h"

#include <stdio.h>

enum { NAME_BYTES = 64 };

/* ---- texts ---- */

/* The bytes of a message that are still to be read. */
typedef struct span {
    const uint8_t *at, *end;
} span;

static uint64_t read_varint(span *left)
{
    uint64_t number = 0;
    for (unsigned shift = 0; left->at < left->end && shift < 64; shift += 7) {
        const uint8_t byte = *left->at++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) break;
    }
    return number;
}

/* Reads the value of a field; that of a varint is not needed, and empty. */
static span read_value(span *left, ProtobufCWireType type)
{
    uint64_t size = type == PROTOBUF_C_WIRE_TYPE_64BIT ? 8 : type == PROTOBUF_C_WIRE_TYPE_32BIT ? 4 : 0;
    if (type == PROTOBUF_C_WIRE_TYPE_VARINT) read_varint(left);
    if (type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) size = read_varint(left);
    const uint8_t *const value = left->at;
    left->at += mcd_size_min(size, (size_t)(left->end - value));
    return (span){value, left->at};
}

static macadam_status check_texts(mcd_call *call, const char *name, const ProtobufCMessageDescriptor *message,
                                  span left)
{
    while (left.at < left.end) {
        const uint64_t tag = read_varint(&left);
        const span value = read_value(&left, (ProtobufCWireType)(tag & 7));
        const ProtobufCFieldDescriptor *const field =
            protobuf_c_message_descriptor_get_field(message, (unsigned)(tag >> 3));
        if (!field || (field->type != PROTOBUF_C_TYPE_MESSAGE && field->type != PROTOBUF_C_TYPE_STRING))
            continue;
        char own_name[NAME_BYTES];
        snprintf(own_name, sizeof own_name, "%s%s%s", name, *name ? "." : "", field->name);
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
            MCD_TRY(check_texts(call, own_name, field->descriptor, value));
        else if (memchr(value.at, '\0', (size_t)(value.end - value.at)))
            return mcd_fail_invalid(call->error, "%s contains a NUL", own_name);
    }
    return MACADAM_OK;
}

macadam_status mcd_call_check_texts(mcd_call *call, const uint8_t *request, size_t size)
{
    return check_texts(call, "", &macadam__v1__request__descriptor, (span){request, request + size});
}

/* ---- numbers ---- */

static void take_number(const mcd_bound_field *b, const void *from, void *to)
{
    if (b->member->code == 'f')
        *(float *)to = (float)*(const double *)from;
    else
        mcd_number_copy(to, b->member_bytes, from, b->field_bytes);
}

/* Lets the member point to `count` items. */
static void set_array(const mcd_bound_field *b, const void *items, size_t count, void *out)
{
    memcpy((char *)out + b->member->offset, &items, sizeof items);
    if (count == 0 || b->member->count == SIZE_MAX) return;
    count -= b->member->more;
    memcpy((char *)out + b->member->count, &count, sizeof count);
}

static macadam_status take_numbers(mcd_call *call, const mcd_bound_field *b, const void *from, size_t count,
                                   void *out)
{
    const size_t from_bytes = b->field_bytes, bytes = b->member_bytes;
    char *items = (char *)from; /* only read */
    if (count > 0 && from_bytes != bytes) {
        items = mcd_arena_allocate(&call->arena, count, bytes);
        if (!items) return mcd_fail_memory(call->error, count * bytes);
        for (size_t i = 0; i < count; ++i)
            take_number(b, (const char *)from + i * from_bytes, items + i * bytes);
    }
    set_array(b, items, count, out);
    return MACADAM_OK;
}

/* ---- columns ---- */

static size_t count_of(const ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    return *(const size_t *)(const void *)((const char *)message + field->quantifier_offset);
}

macadam_status mcd_call_decode_columns(mcd_call *call, const char *name, const ProtobufCMessage *message,
                                       int structure, size_t count, void *rows)
{
    const mcd_binding *binding;
    MCD_TRY(mcd_binding_get(&binding, call, message->descriptor, structure));
    for (size_t f = 0; f < binding->count; ++f) {
        const mcd_bound_field *const b = &binding->bound[f];
        if (b->field->label != PROTOBUF_C_LABEL_REPEATED) continue;
        const size_t given = count_of(message, b->field);
        const char *from = *(const char *const *)(const void *)((const char *)message + b->field->offset);
        char *to = (char *)rows + b->member->offset;
        if (given != 0 && given != count)
            return mcd_fail_invalid(call->error, "%s has %zu %s for %zu points", name, given, b->field->name,
                                    count);
        for (size_t i = 0; i < given; ++i, from += b->field_bytes, to += mcd_structures[structure].bytes)
            take_number(b, from, to);
    }
    return MACADAM_OK;
}

/* ---- places ---- */

static macadam_status check_kinds(const mcd_call *call, const char *name, const Macadam__V1__Places *places)
{
    size_t kind_count[2] = {0, 0};
    for (size_t i = 0; i < places->n_kind; ++i) {
        const size_t kind = (size_t)places->kind[i];
        if (kind > MACADAM__V1__PLACES__KIND__KIND_POINT)
            return mcd_fail_invalid(call->error, "%s.kind[%zu] is %d, which is not a kind of place", name, i,
                                    (int)places->kind[i]);
        ++kind_count[kind];
    }
    if (kind_count[0] == places->n_node && kind_count[1] == places->n_lon) return MACADAM_OK;
    return mcd_fail_invalid(call->error,
                            "%s.kind speaks of %zu nodes and %zu points, but there are %zu and %zu", name,
                            kind_count[0], kind_count[1], places->n_node, places->n_lon);
}

static macadam_status decode_points(mcd_call *call, const char *name, const Macadam__V1__Places *places,
                                    macadam_place *point)
{
    Macadam__V1__Places points = *places; /* only their columns */
    points.n_node = points.n_kind = 0;
    for (size_t i = 0; i < places->n_lon; ++i) point[i] = (macadam_place){.kind = MACADAM_PLACE_POINT};
    return mcd_call_decode_columns(call, name, &points.base, mcd_number_of_macadam_place, places->n_lon,
                                   point);
}

/* Lists the places in their order; the points of `place` come last. */
static void order_places(const Macadam__V1__Places *places, macadam_place *place)
{
    const macadam_place *point = place + places->n_node;
    for (size_t i = 0, node = 0; i < places->n_node + places->n_lon; ++i)
        if (places->n_kind ? places->kind[i] == MACADAM__V1__PLACES__KIND__KIND_NODE : places->n_node > 0)
            place[i] = (macadam_place){.kind = MACADAM_PLACE_NODE, .id = places->node[node++]};
        else
            place[i] = *point++;
}

macadam_status mcd_call_decode_places(mcd_call *call, const char *name, const Macadam__V1__Places *places,
                                      const macadam_place **out, size_t *count)
{
    static const Macadam__V1__Places none = MACADAM__V1__PLACES__INIT;
    macadam_place *place;
    if (!places) places = &none;
    *out = NULL;
    *count = 0;
    if (places->n_lon != places->n_lat)
        return mcd_fail_invalid(call->error, "%s has %zu lon but %zu lat", name, places->n_lon,
                                places->n_lat);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, place, places->n_node + places->n_lon, call->error));
    MCD_TRY(decode_points(call, name, places, place + places->n_node));
    if (places->n_kind) {
        MCD_TRY(check_kinds(call, name, places));
    } else if (places->n_node && places->n_lon) {
        return mcd_fail_invalid(call->error, "%s has %zu nodes and %zu points but no kind to order them",
                                name, places->n_node, places->n_lon);
    }
    order_places(places, place);
    *out = place;
    *count = places->n_node + places->n_lon;
    return MACADAM_OK;
}

static macadam_status take_places(mcd_call *call, const mcd_bound_field *b, const char *name,
                                  const void *places, void *out)
{
    const macadam_place *place;
    size_t count;
    MCD_TRY(mcd_call_decode_places(call, name, places, &place, &count));
    if (b->member->pointers) {
        set_array(b, place, count, out);
    } else if (count == 1) {
        *(macadam_place *)((char *)out + b->member->offset) = *place;
    } else {
        return mcd_fail_invalid(call->error, "%s has %zu places, not one", name, count);
    }
    return MACADAM_OK;
}

/* ---- any message ---- */

/* A structure for each of `count` messages. */
static macadam_status take_messages(mcd_call *call, const mcd_bound_field *b, const char *name,
                                    ProtobufCMessage *const *message, size_t count, void *out)
{
    const size_t bytes = mcd_structures[b->member->structure].bytes;
    char *const items = mcd_arena_allocate(&call->arena, count, bytes);
    if (!items) return mcd_fail_memory(call->error, count * bytes);
    for (size_t i = 0; i < count; ++i)
        MCD_TRY(mcd_call_decode(call, name, message[i], b->member->structure, items + i * bytes));
    set_array(b, items, count, out);
    return MACADAM_OK;
}

static macadam_status take_field(mcd_call *call, const mcd_bound_field *b, const char *name,
                                 const ProtobufCMessage *message, void *out)
{
    const ProtobufCFieldDescriptor *const field = b->field;
    const void *const *const pointer = (const void *)((const char *)message + field->offset);
    const bool is_repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
    char own_name[NAME_BYTES];
    snprintf(own_name, sizeof own_name, "%s.%s", name, field->name);
    if (field->descriptor == &macadam__v1__places__descriptor)
        return take_places(call, b, own_name, *pointer, out);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        const size_t count = is_repeated ? count_of(message, field) : *pointer != NULL;
        const void *const list = is_repeated ? *pointer : pointer;
        return count ? take_messages(call, b, own_name, list, count, out) : MACADAM_OK;
    }
    if (is_repeated && b->member->pointers)
        return take_numbers(call, b, *pointer, count_of(message, field), out);
    if (!is_repeated && *(const char *)*pointer)
        memcpy((char *)out + b->member->offset, pointer, sizeof *pointer); /* a text */
    return MACADAM_OK;
}

macadam_status mcd_call_decode(mcd_call *call, const char *name, const ProtobufCMessage *message,
                               int structure, void *out)
{
    const mcd_structure *const type = &mcd_structures[structure];
    const mcd_binding *binding;
    MCD_TRY(mcd_binding_get(&binding, call, message->descriptor, structure));
    memset(out, 0, type->bytes);
    if (strcmp(type->member->name, "size") == 0) memcpy(out, &type->bytes, sizeof type->bytes);
    for (const mcd_bound_field *b = binding->bound; b < binding->bound + binding->count; ++b)
        if (b->is_number)
            take_number(b, (const char *)message + b->field->offset, (char *)out + b->member->offset);
        else
            MCD_TRY(take_field(call, b, name, message, out));
    return MACADAM_OK;
}

macadam_status mcd_call_decode_query(mcd_call *call, const Macadam__V1__Query *query)
{
    static const Macadam__V1__Query none = MACADAM__V1__QUERY__INIT;
    if (!query) query = &none;
    call->quantity_count = mcd_size_max(query->n_quantity, 1);
    if (query->n_quantity > MACADAM_QUANTITIES_MAX)
        return mcd_fail_invalid(call->error, "query.quantity has %zu entries, at most %d are answered",
                                query->n_quantity, MACADAM_QUANTITIES_MAX);
    if (query->profile[0])
        MCD_TRY(macadam_engine_of_profile(&call->engine, call->engine, query->profile, call->error));
    for (size_t a = 0; query->conditions && a < query->conditions->n_area; ++a) {
        const Macadam__V1__Area *const area = query->conditions->area[a];
        if (area->n_lon != area->n_lat)
            return mcd_fail_invalid(call->error, "query.conditions.area[%zu] has %zu lon but %zu lat", a,
                                    area->n_lon, area->n_lat);
    }
    MCD_TRY(MCD_CALL_DECODE(call, "query", query, query, &call->query));
    call->query.profile = NULL; /* call->engine is that of the profile */
    return MACADAM_OK;
}

size_t mcd_call_departs(const mcd_call *call)
{
    const macadam_clock *const clock = call->query.clock;
    return clock && !clock->each ? mcd_size_max(clock->depart_count, 1) : 1;
}

size_t mcd_call_arrives(const mcd_call *call)
{
    const macadam_clock *const clock = call->query.clock;
    return clock && !clock->each ? mcd_size_max(clock->arrive_count, 1) : 1;
}

/* ---- updates ---- */

/* Counts how many arcs the update names, by number or by ends. */
static macadam_status count_updates(const mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                    size_t *count)
{
    *count = request->n_arc ? request->n_arc : request->n_way ? request->n_way : request->n_tail;
    if (request->n_arc && (request->n_tail || request->n_head))
        return mcd_fail_invalid(call->error, "update names arcs both by number and by ends");
    if (request->n_tail != request->n_head)
        return mcd_fail_invalid(call->error, "update has %zu tail but %zu head", request->n_tail,
                                request->n_head);
    if (request->n_way && (request->n_arc || (request->n_tail && request->n_tail != request->n_way)))
        return mcd_fail_invalid(call->error, "update has %zu way for %zu arc and %zu tail", request->n_way,
                                request->n_arc, request->n_tail);
    if (request->n_direction &&
        (!request->n_way || request->n_tail || request->n_direction != request->n_way))
        return mcd_fail_invalid(call->error, "update has %zu direction for %zu way and %zu tail",
                                request->n_direction, request->n_way, request->n_tail);
    if (request->n_pattern && request->n_pattern != *count)
        return mcd_fail_invalid(call->error, "update has %zu pattern for %zu arcs", request->n_pattern,
                                *count);
    if (*count > 0 && request->n_quantity != request->n_value)
        return mcd_fail_invalid(call->error, "update has %zu quantity but %zu value", request->n_quantity,
                                request->n_value);
    return MACADAM_OK;
}

/* Counts the turns, named by arcs or by nodes. */
static macadam_status count_turns(const mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                  size_t *count)
{
    const size_t by_arcs = request->n_turn_from, by_nodes = request->n_turn_via;
    *count = by_arcs + by_nodes;
    if ((by_arcs && by_nodes) || request->n_turn_to != by_arcs || request->n_turn_tail != by_nodes ||
        request->n_turn_head != by_nodes)
        return mcd_fail_invalid(
            call->error,
            "update names turns by %zu turn_from, %zu turn_to, %zu turn_tail, %zu turn_via and %zu turn_head",
            by_arcs, request->n_turn_to, request->n_turn_tail, by_nodes, request->n_turn_head);
    if ((*count > 0 || request->n_turn_price > 0) && request->n_quantity != request->n_turn_price)
        return mcd_fail_invalid(call->error, "update has %zu quantity but %zu turn_price",
                                request->n_quantity, request->n_turn_price);
    return MACADAM_OK;
}

/* Makes the columns of an update, each of which must have `count` values. */
static macadam_status take_columns(mcd_call *call, Macadam__V1__Column **column, size_t column_count,
                                   size_t count, const char *name, const uint32_t *const **out)
{
    const uint32_t **value;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, value, column_count, call->error));
    for (size_t q = 0; q < column_count; ++q) {
        if (column[q]->n_value != count)
            return mcd_fail_invalid(call->error, "update.%s[%zu] has %zu weights for %zu", name, q,
                                    column[q]->n_value, count);
        value[q] = column[q]->value;
    }
    *out = value;
    return MACADAM_OK;
}

/* The binding has taken pattern[]. */
static macadam_status take_patterns(const mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                    macadam_update_request *out)
{
    const size_t bytes = request->pattern_speed.len, slots = request->slot_count;
    for (size_t i = 0; i < request->n_pattern; ++i)
        if (request->pattern[i] > UINT16_MAX)
            return mcd_fail_invalid(call->error, "update.pattern[%zu] is %u, more than %d", i,
                                    request->pattern[i], UINT16_MAX);
    if (slots == 0 ? bytes > 0 : bytes % slots != 0)
        return mcd_fail_invalid(call->error, "update.pattern_speed has %zu bytes, not rows of %zu", bytes,
                                slots);
    out->pattern_speed = request->pattern_speed.data;
    out->pattern_count = slots ? bytes / slots : 0;
    return MACADAM_OK;
}

macadam_status mcd_call_decode_update(mcd_call *call, const Macadam__V1__UpdateRequest *request,
                                      macadam_update_request *out)
{
    size_t count, turn_count;
    MCD_TRY(MCD_CALL_DECODE(call, "update", update_request, request, out));
    MCD_TRY(count_updates(call, request, &count));
    MCD_TRY(take_columns(call, request->value, request->n_value, count, "value", &out->value));
    MCD_TRY(count_turns(call, request, &turn_count));
    if (turn_count > 0 || request->n_turn_price > 0)
        MCD_TRY(take_columns(call, request->turn_price, request->n_turn_price, turn_count, "turn_price",
                             &out->turn_price));
    for (size_t i = 0; i < request->n_direction; ++i)
        if (request->direction[i] < -1 || request->direction[i] > 1)
            return mcd_fail_invalid(call->error, "update.direction[%zu] is %d, not -1, 0 or 1", i,
                                    request->direction[i]);
    return take_patterns(call, request, out);
}
