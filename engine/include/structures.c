/* structures.c - see structures.h. */
#include "engine/include/structures.h"

#include <math.h>

#define NO_COUNT SIZE_MAX
/* A pointer to characters is a text, which is an item. */
#define MEMBER(type, name, code, stars, of, own_count, count, times, more, ...)                              \
    {                                                                                                        \
#name, offsetof(type, name), sizeof(((type *)0)->name), code, (stars) - ((stars) && (code) == 's'),  \
            of, own_count, count, times, more, __VA_ARGS__                                                   \
    }
#define STRUCT(type, ...) {#type, sizeof(type), (const mcd_member[]){__VA_ARGS__, {.name = NULL}}},

const mcd_structure mcd_structures[] = {
#include <structs.inc>
    {.name = NULL},
};

const mcd_member *mcd_structure_find(const mcd_structure *structure, const char *name)
{
    for (const mcd_member *member = structure->member; member->name; ++member)
        if (strcmp(member->name, name) == 0) return member;
    return NULL;
}

size_t mcd_member_item_bytes(const mcd_member *member)
{
    static const char code[] = "?bBHiIfqQds"; /* a text is a pointer */
    static const uint8_t bytes[] = {1, 1, 1, 2, 4, 4, 4, 8, 8, 8, sizeof(char *)};
    if (member->code == 'S') return mcd_structures[member->structure].bytes;
    return bytes[strchr(code, member->code) - code];
}
