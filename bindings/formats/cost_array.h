/* cost_array.h - costs of a table as an array of numbers, written in bands of rows: NumPy's .npy, only the numbers, or a
 * stream of Apache Arrow. */
#ifndef MCD_BINDINGS_FORMATS_COST_ARRAY_H
#define MCD_BINDINGS_FORMATS_COST_ARRAY_H

#include "bindings/formats/text.h"

typedef enum mcd_cost_array_form {
    MCD_COST_ARRAY_NPY = 1,
    MCD_COST_ARRAY_BINARY,
    MCD_COST_ARRAY_ARROW /* a column a quantity, each of whose values is a row of the table */
} mcd_cost_array_form;

/* In Arrow a column is int32 if its quantity is signed, else uint32. The other forms have one type: int32 if any quantity is
 * signed; unreached cells of all quantities are then MACADAM_SIGNED_UNREACHED. */
typedef struct mcd_cost_array {
    mcd_cost_array_form form;
    const char *shape;                        /* of .npy, as Python writes it */
    const char *name[MACADAM_QUANTITIES_MAX]; /* the columns of Arrow */
    bool is_signed[MACADAM_QUANTITIES_MAX];
    size_t quantity_count, columns;
    /* the costs of a cell lie together; else one quantity comes after the other, in one band */
    bool interleaves;
    bool (*write)(void *context, const void *data, size_t bytes); /* false: it failed */
    void *context;
} mcd_cost_array;

/* Writes the header of an array of `type`, such as "<u4", with the shape as Python writes it, such as "(2, 3)"; its
 * numbers follow, the last index first. */
void mcd_npy_header(mcd_text *text, const char *type, const char *shape);
/* Each returns whether everything is written. */
bool mcd_cost_array_begin(const mcd_cost_array *array);
/* value: [quantity][row * columns + column] */
bool mcd_cost_array_rows(const mcd_cost_array *array, const uint32_t *const *value, size_t rows);
bool mcd_cost_array_end(const mcd_cost_array *array);

#endif
