/* structures.h - the catalogue of the structures of macadam.h: their members, as structs.py reads them from it. */
#ifndef MCD_ENGINE_INCLUDE_STRUCTURES_H
#define MCD_ENGINE_INCLUDE_STRUCTURES_H

#include "engine/include/macadam.h"

#include <string.h>

typedef struct mcd_member {
    const char *name; /* NULL: there are no more */
    size_t offset, bytes;
    char code; /* of one item, as in NumPy; 's': a text, 'S': a structure */
    unsigned
        pointers; /* 1: it points to an array of items, or to one if nothing counts them; 2: to one of pointers */
    int structure;             /* the number of the items' structure, or -1 */
    size_t own_count;          /* where the count of a request's items is, with its name; or SIZE_MAX */
    size_t count, times, more; /* it has items: the member at `count` * that at `times` + more; or SIZE_MAX */
    unsigned decimals;         /* that answers write of a number */
    double usual;              /* answers may leave the number out where it is this: 0, 1, or NaN */
    bool is_plain;             /* it is one value that answers can write: neither a count nor a range */
} mcd_member;

typedef struct mcd_structure {
    const char *name;
    size_t bytes;
    const mcd_member *member;
} mcd_structure;

/* The numbers of the structures: mcd_number_of_macadam_route, ... */
#define STRUCT(type, ...) mcd_number_of_##type,
enum {
#include <structs.inc>
};
#undef STRUCT
extern const mcd_structure mcd_structures[]; /* the last one has no name */

/* Returns the member of this name, or NULL. */
const mcd_member *mcd_structure_find(const mcd_structure *structure, const char *name);
/* Returns how many bytes an item has. */
size_t mcd_member_item_bytes(const mcd_member *member);

/* Structures in a row, or items of a member: the i-th begins i * stride bytes after `first`. */
typedef struct mcd_items {
    const void *first;
    size_t count, stride;
} mcd_items;

static inline size_t mcd_count_at(const void *structure, size_t offset)
{
    size_t number;
    memcpy(&number, (const char *)structure + offset, sizeof number);
    return number;
}

/* Returns the member of each row; or, if it points to items, those of the first row. */
static inline mcd_items mcd_member_items(const mcd_member *member, mcd_items rows)
{
    const void *const structure = rows.first;
    if (structure) rows.first = (const char *)structure + member->offset;
    if (member->pointers == 0 || !structure) return rows;
    memcpy(&rows.first, rows.first, sizeof rows.first);
    rows.count = member->count == SIZE_MAX ? 1 : mcd_count_at(structure, member->count);
    if (member->times != SIZE_MAX) rows.count *= mcd_count_at(structure, member->times);
    rows.count = rows.first ? rows.count + member->more : 0;
    rows.stride = member->pointers > 1 ? sizeof(void *) : mcd_member_item_bytes(member);
    return rows;
}

#endif
