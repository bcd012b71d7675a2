/* pbf_message.h - protocol buffers, written byte by byte; what does not fit is left out. */
#ifndef MCD_TESTS_SUPPORT_PBF_MESSAGE_H
#define MCD_TESTS_SUPPORT_PBF_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

enum { MESSAGE_BYTES = 1 << 14 };

typedef struct message {
    unsigned char data[MESSAGE_BYTES];
    size_t bytes;
} message;

static inline void put_byte(message *to, uint64_t byte)
{
    if (to->bytes < MESSAGE_BYTES) to->data[to->bytes++] = (unsigned char)byte;
}

static inline void put_varint(message *to, uint64_t value)
{
    for (; value >= 128; value >>= 7) put_byte(to, value | 128);
    put_byte(to, value);
}

static inline void put_signed(message *to, int64_t value)
{
    put_varint(to, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

static inline void put_number(message *to, unsigned field, uint64_t value)
{
    put_varint(to, field << 3);
    put_varint(to, value);
}

static inline void put_bytes(message *to, unsigned field, const void *data, size_t bytes)
{
    put_varint(to, field << 3 | 2);
    put_varint(to, bytes);
    for (size_t i = 0; i < bytes; ++i) put_byte(to, ((const unsigned char *)data)[i]);
}

static inline void put_message(message *to, unsigned field, const message *part)
{
    put_bytes(to, field, part->data, part->bytes);
}

#endif
