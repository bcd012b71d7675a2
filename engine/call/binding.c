/* binding.c - see binding.h. */
#include "engine/call/binding.h"

static const struct {
    const char *field, *member;
    double scale;
} renamed[] = {
    {"alternatives", "alternative_count", 0},
    {"default_accuracy_m", "accuracy_m", 0},
    {"device_memory", "device_bytes", 0},
    {"exit_name", "exit", 0},
    {"height_dm", "height_m", 10},
    {"ignore_gaps", "gaps", 0},
    {"journey", "matching", 0},
    {"lane", "modifiers", 0},
    {"lane_valid", "valid", 0},
    {"lat_e7", "lat", 1e7},
    {"lon_e7", "lon", 1e7},
    {"nearest", "nearest_count", 0},
    {"number", "arc", 0},
};

/* Returns whether the field can have the member's items. Texts may be indexes into the field `names`. */
static bool fits(const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field,
                 const mcd_member *member)
{
    const bool is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
    if (member->code == 'S') return is_message && field->descriptor != &macadam__v1__column__descriptor;
    if (member->pointers > 0 && member->count == SIZE_MAX) return false;
    if (is_message)
        return field->descriptor == &macadam__v1__column__descriptor && member->code == 'I' &&
               !member->pointers;
    if (member->code != 's') return field->type != PROTOBUF_C_TYPE_STRING;
    return field->type == PROTOBUF_C_TYPE_STRING ||
           protobuf_c_message_descriptor_get_field_by_name(message, "names");
}

static bool is_wide(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_UINT64 || type == PROTOBUF_C_TYPE_SINT64 ||
           type == PROTOBUF_C_TYPE_DOUBLE || type == PROTOBUF_C_TYPE_STRING;
}

static mcd_bound_field bind(const mcd_binding *binding, const ProtobufCFieldDescriptor *field)
{
    mcd_bound_field bound = {.field = field, .member = mcd_structure_find(binding->structure, field->name)};
    for (size_t i = 0; !bound.member && i < sizeof renamed / sizeof *renamed; ++i)
        if (strcmp(renamed[i].field, field->name) == 0) {
            bound.member = mcd_structure_find(binding->structure, renamed[i].member);
            bound.scale = renamed[i].scale;
        }
    const mcd_member *const member = bound.member;
    if (!member || !fits(binding->message, field, member)) return (mcd_bound_field){.member = NULL};
    bound.field_bytes = is_wide(field->type) ? sizeof(uint64_t) : sizeof(uint32_t);
    bound.member_bytes = mcd_member_item_bytes(member);
    bound.is_number =
        field->label != PROTOBUF_C_LABEL_REPEATED && !strchr("sSf", member->code) && !(bound.scale > 0);
    return bound;
}

macadam_status mcd_binding_get(const mcd_binding **out, mcd_call *call,
                               const ProtobufCMessageDescriptor *message, int structure)
{
    for (*out = call->bindings; *out; *out = (*out)->next)
        if ((*out)->message == message && (*out)->structure == &mcd_structures[structure]) return MACADAM_OK;
    mcd_binding *const made =
        mcd_arena_allocate(&call->arena, 1, sizeof *made + message->n_fields * sizeof *made->bound);
    if (!made) return mcd_fail_memory(call->error, sizeof *made);
    *made =
        (mcd_binding){.message = message, .structure = &mcd_structures[structure], .next = call->bindings};
    for (unsigned f = 0; f < message->n_fields; ++f) {
        made->bound[made->count] = bind(made, &message->fields[f]);
        made->count += made->bound[made->count].member != NULL;
    }
    *out = call->bindings = made;
    return MACADAM_OK;
}
