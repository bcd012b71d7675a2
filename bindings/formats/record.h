/* record.h - records of an answer, as lines of CSV or as objects of JSON. A list in words says which fields they have, and
 * the catalogue of macadam.h where the members are that fields hold. */
#ifndef MCD_BINDINGS_FORMATS_RECORD_H
#define MCD_BINDINGS_FORMATS_RECORD_H

#include "bindings/formats/text.h"
#include "engine/include/structures.h"

/* One field, and the member that it holds: of a structure, of a structure within it, or of its road's facts. */
typedef struct mcd_record_field {
    const char *name; /* borrowed from the list or the catalogue */
    size_t name_bytes;
    const mcd_member *member; /* NULL: the caller writes it */
    size_t offset;            /* in the structure, or in the facts */
    size_t facts;             /* where the structure points to the facts; SIZE_MAX: it is not one of theirs */
    bool is_plain;            /* the name needs no escapes */
    bool is_optional; /* it is left out where it is 0, an empty text, or what mcd_member::usual says */
} mcd_record_field;

/* The text around records of JSON. */
typedef struct mcd_record_frame {
    const char *first, *between, *last; /* NULL: of objects that the caller begins and ends */
    bool omits;                         /* objects lack the fields that are empty; else these are null */
} mcd_record_frame;

extern const mcd_record_frame mcd_record_bare; /* of objects that the caller begins and ends */

enum { MCD_RECORD_FIELDS_MAX = 64 };
typedef struct mcd_records {
    mcd_text *text;                /* borrowed, as the frame is */
    const mcd_record_frame *frame; /* NULL: CSV */
    size_t field_count;
    size_t at;      /* the next field */
    bool has_begun; /* the object of the record */
    uint64_t count; /* of records that are complete */
    mcd_record_field field[MCD_RECORD_FIELDS_MAX];
} mcd_records;

#define MCD_STRUCTURE(type) (&mcd_structures[mcd_number_of_macadam_##type])

/* The list has names: "name", or "name=member", and a question mark after those that are optional. "*" stands for the
 * costs, which are fields by their quantities, "!member" for a member that is not written, and "..." at the end for all other
 * plain members of the structure; they are optional. The list is borrowed. `structure`: NULL: there are no members. */
mcd_records mcd_records_of(mcd_text *text, const mcd_record_frame *frame, const mcd_structure *structure,
                           const char *list);
/* The line of names of CSV. */
void mcd_records_head(mcd_records *records);
/* Writes what follows the last record. */
void mcd_records_finish(mcd_records *records);
/* The next field of the record. */
void mcd_record_empty(mcd_records *records);
void mcd_record_integer(mcd_records *records, int64_t value);
void mcd_record_flag(mcd_records *records, bool value);
/* NaN is empty. In CSV with all its decimals. */
void mcd_record_decimal(mcd_records *records, double value, unsigned decimals);
/* With as many digits as it takes to read the same number. */
void mcd_record_double(mcd_records *records, double value);
void mcd_record_bytes(mcd_records *records, const char *text, size_t bytes);
void mcd_record_text(mcd_records *records, const char *text); /* NULL: null */
/* cost / per_unit; MACADAM_COST_NONE is empty, and null in JSON. */
void mcd_record_cost(mcd_records *records, int64_t cost, uint32_t per_unit);
/* Ids, separated by blanks in CSV; NULL is empty. */
void mcd_record_list(mcd_records *records, const int64_t *id, size_t count);
/* The next fields: the costs. */
void mcd_record_costs(mcd_records *records, const uint32_t *value);
/* The next fields, as far as they hold members of the structure. */
void mcd_record_members(mcd_records *records, const void *structure);
void mcd_record_end(mcd_records *records);
/* All fields, into an object that the caller begins and ends. */
void mcd_record_put(mcd_records *records, const void *structure);
/* The same of one structure. */
void mcd_record_write(mcd_text *text, const mcd_structure *structure, const char *list, const void *at);

#endif
