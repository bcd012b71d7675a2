/* binding.h - which fields of a message are which members of a structure of macadam.h: those of the same name, and of
 * the names in a short list. */
#ifndef MCD_ENGINE_CALL_BINDING_H
#define MCD_ENGINE_CALL_BINDING_H

#include "engine/call/call.h"

typedef struct mcd_bound_field {
    const ProtobufCFieldDescriptor *field;
    const mcd_member *member;
    double scale; /* 0, or the field has integers: how many of its units a unit of the member has */
    size_t field_bytes, member_bytes; /* of one element */
    bool is_number;                   /* both are one number, which is copied */
} mcd_bound_field;

/* A message and a structure of a call, bound once. */
typedef struct mcd_binding {
    const ProtobufCMessageDescriptor *message;
    const mcd_structure *structure;
    struct mcd_binding *next;
    size_t count;
    mcd_bound_field bound[];
} mcd_binding;

/* *out belongs to the call. `structure`: its number. Returns E_MEMORY. */
macadam_status mcd_binding_get(const mcd_binding **out, mcd_call *call,
                               const ProtobufCMessageDescriptor *message, int structure);

/* Copies an integer, or anything of one size, by its lowest bytes. */
static inline void mcd_number_copy(void *to, size_t to_bytes, const void *from, size_t from_bytes)
{
    if (to_bytes == sizeof(uint32_t) && from_bytes == sizeof(uint32_t)) { /* sizes that the compiler knows */
        memcpy(to, from, sizeof(uint32_t));
    } else if (to_bytes == sizeof(uint64_t) && from_bytes == sizeof(uint64_t)) {
        memcpy(to, from, sizeof(uint64_t));
    } else {
        memset(to, 0, to_bytes);
        memcpy(to, from, to_bytes < from_bytes ? to_bytes : from_bytes);
    }
}

#endif
