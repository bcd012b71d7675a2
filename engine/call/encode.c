/* encode.c - see call.h: a message filled from rows of a structure of macadam.h. A member of every row becomes a
 * column, an array with its count a column too, rows within rows a message of their own. */
#include "engine/call/binding.h"

#include <math.h>

static_assert(sizeof(size_t) == sizeof(uint64_t), "an array of one is read as an array of the other");

static macadam_status put(mcd_call *call, const mcd_bound_field *b, const void *from, void *to)
{
    if (b->member->code == 's') return mcd_call_encode_text(call, *(const char *const *)from, (char **)to);
    if (b->scale > 0)
        *(int32_t *)to = (int32_t)lround(*(const double *)from * b->scale);
    else
        mcd_number_copy(to, b->field_bytes, from, b->member_bytes);
    return MACADAM_OK;
}

/* Lets a repeated field, or one message, be `value`. */
static void set(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, const void *value,
                size_t count)
{
    memcpy((char *)message + field->offset, &value, sizeof value);
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        memcpy((char *)message + field->quantifier_offset, &count, sizeof count);
}

/* `width` numbers or texts of each row, one after the other. */
static macadam_status fill_column(mcd_call *call, const mcd_bound_field *b, mcd_items rows, size_t width,
                                  ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
    const char *row = rows.first;
    const bool is_number = b->member->code != 's' && !(b->scale > 0);
    if (is_number && width == 1 && rows.stride == b->field_bytes && b->member_bytes == b->field_bytes) {
        set(message, field, row, rows.count);
        return MACADAM_OK;
    }
    char *to = mcd_arena_allocate(&call->arena, rows.count * width, b->field_bytes);
    if (!to) return mcd_fail_memory(call->error, rows.count * width * b->field_bytes);
    set(message, field, to, rows.count * width);
    for (size_t i = 0; i < rows.count; ++i, row += rows.stride)
        for (size_t q = 0; q < width; ++q, to += b->field_bytes)
            MCD_TRY(put(call, b, row + q * b->member_bytes, to));
    return MACADAM_OK;
}

/* A column per quantity, each a message. */
static macadam_status fill_values(mcd_call *call, const mcd_bound_field *b, mcd_items rows,
                                  ProtobufCMessage *message)
{
    ProtobufCMessage **list;
    MCD_TRY(mcd_call_new_messages(call, b->field->descriptor, call->quantity_count, &list));
    for (size_t q = 0; q < call->quantity_count; ++q) {
        MCD_TRY(fill_column(call, b, rows, 1, list[q], &macadam__v1__column__descriptor.fields[0]));
        if (rows.first) rows.first = (const char *)rows.first + sizeof(uint32_t);
    }
    set(message, b->field, list, call->quantity_count);
    return MACADAM_OK;
}

/* A column of indexes into the column `names`. */
static macadam_status fill_names(mcd_call *call, const mcd_bound_field *b, mcd_items rows,
                                 ProtobufCMessage *message)
{
    uint32_t *index;
    char **names;
    const char *row = rows.first, *last = NULL;
    size_t count = 0;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, index, rows.count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, names, rows.count, call->error));
    for (size_t i = 0; i < rows.count; ++i, row += rows.stride) {
        const char *const name = *(const char *const *)row;
        if (!last || (name != last && strcmp(name, last) != 0))
            MCD_TRY(mcd_call_encode_text(call, name, &names[count++]));
        last = name;
        index[i] = (uint32_t)(count - 1);
    }
    set(message, b->field, index, rows.count);
    set(message, protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "names"), names, count);
    return MACADAM_OK;
}

/* A message of all rows, or a message for each. */
static macadam_status fill_messages(mcd_call *call, const mcd_bound_field *b, mcd_items rows,
                                    ProtobufCMessage *message)
{
    const bool is_repeated = b->field->label == PROTOBUF_C_LABEL_REPEATED;
    const size_t count = is_repeated ? rows.count : 1;
    const char *row = rows.first;
    ProtobufCMessage **list;
    if (b->member->pointers > 0 && b->member->count == SIZE_MAX && !row) return MACADAM_OK; /* absent */
    MCD_TRY(mcd_call_new_messages(call, b->field->descriptor, count, &list));
    set(message, b->field, is_repeated ? (const void *)list : *list, count);
    if (!is_repeated) return mcd_call_fill(call, b->member->structure, rows, *list);
    for (size_t i = 0; i < count; ++i, row += rows.stride) {
        const void *const one = b->member->pointers > 1 ? *(const void *const *)row : row;
        MCD_TRY(mcd_call_fill(call, b->member->structure, (mcd_items){.first = one, .count = 1}, list[i]));
    }
    return MACADAM_OK;
}

static macadam_status fill_field(mcd_call *call, const mcd_bound_field *b, mcd_items rows,
                                 ProtobufCMessage *message)
{
    const mcd_member *const member = b->member;
    const ProtobufCFieldDescriptor *const field = b->field;
    const bool is_text = field->type == PROTOBUF_C_TYPE_STRING;
    rows = mcd_member_items(member, rows);
    if (member->code == 'S') return fill_messages(call, b, rows, message);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) return fill_values(call, b, rows, message);
    if (member->code == 's' && !is_text) return fill_names(call, b, rows, message);
    if (field->label != PROTOBUF_C_LABEL_REPEATED)
        return put(call, b, rows.first, (char *)message + field->offset);
    const bool per_quantity = !is_text && member->pointers == 0 && member->bytes > b->member_bytes;
    return fill_column(call, b, rows, per_quantity ? call->quantity_count : 1, message, field);
}

macadam_status mcd_call_fill(mcd_call *call, int structure, mcd_items rows, ProtobufCMessage *message)
{
    const mcd_binding *binding;
    MCD_TRY(mcd_binding_get(&binding, call, message->descriptor, structure));
    for (const mcd_bound_field *b = binding->bound; b < binding->bound + binding->count; ++b)
        if (b->is_number)
            mcd_number_copy((char *)message + b->field->offset, b->field_bytes,
                            (const char *)rows.first + b->member->offset, b->member_bytes);
        else
            MCD_TRY(fill_field(call, b, rows, message));
    if (message->descriptor != &macadam__v1__route_reply__descriptor) return MACADAM_OK;
    return mcd_call_finish_route(call, rows.first, (Macadam__V1__RouteReply *)message);
}

macadam_status mcd_call_new_messages(mcd_call *call, const ProtobufCMessageDescriptor *of, size_t count,
                                     ProtobufCMessage ***list)
{
    const size_t bytes = sizeof **list + of->sizeof_message;
    *list = mcd_arena_allocate(&call->arena, count, bytes); /* the list, then the messages */
    if (!*list) return mcd_fail_memory(call->error, count * bytes);
    for (size_t i = 0; i < count; ++i) {
        (*list)[i] = (ProtobufCMessage *)((char *)(*list + count) + i * of->sizeof_message);
        of->message_init((*list)[i]);
    }
    return MACADAM_OK;
}
