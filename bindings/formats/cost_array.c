/* cost_array.c - see cost_array.h. */
#include "bindings/formats/cost_array.h"
#include "bindings/formats/arrow.h"

#include <stdio.h>
#include <stdlib.h>

enum { CELLS_AT_ONCE = 1024 };

/* ---- .npy: format version 1.0: magic, version, length of the header, and a dictionary of Python, padded with blanks so that
 * the numbers are aligned ---- */

enum { ALIGNMENT = 64, PREFIX_BYTES = 10, HEADER_BYTES = 256 };

void mcd_npy_header(mcd_text *text, const char *type, const char *shape)
{
    char header[HEADER_BYTES] = "\x93NUMPY\x01";
    int bytes = PREFIX_BYTES;
    bytes += snprintf(header + bytes, HEADER_BYTES / 2,
                      "{'descr': '%s', 'fortran_order': False, 'shape': %s}", type, shape);
    while ((bytes + 1) % ALIGNMENT > 0) header[bytes++] = ' ';
    header[bytes++] = '\n';
    header[PREFIX_BYTES - 2] = (char)(bytes - PREFIX_BYTES);
    mcd_text_bytes(text, header, (size_t)bytes);
}

/* ---- arrays ---- */

/* Writes a text and frees it. */
static bool write_text(const mcd_cost_array *array, mcd_text *text)
{
    const bool is_written =
        !text->failed && (text->size == 0 || array->write(array->context, text->data, text->size));
    free(text->data);
    return is_written;
}

bool mcd_cost_array_begin(const mcd_cost_array *array)
{
    mcd_text text = {0};
    if (array->form == MCD_COST_ARRAY_NPY)
        mcd_npy_header(&text, array->is_signed[0] || array->is_signed[1] ? "<i4" : "<u4", array->shape);
    if (array->form == MCD_COST_ARRAY_ARROW)
        mcd_arrow_schema(&text, array->name, array->is_signed, array->quantity_count, array->columns);
    return write_text(array, &text);
}

/* Writes cells of `count` quantities from number q on, interleaved. */
static bool write_costs(const mcd_cost_array *array, const uint32_t *const *value, size_t q, size_t count,
                        size_t cells)
{
    const bool is_signed =
        array->form != MCD_COST_ARRAY_ARROW && (array->is_signed[0] || array->is_signed[1]);
    uint32_t part[CELLS_AT_ONCE * MACADAM_QUANTITIES_MAX];
    if (count == 1 && is_signed <= array->is_signed[q])
        return cells == 0 || array->write(array->context, value[q], cells * sizeof *part);
    for (size_t first = 0, more; first < cells; first += more) {
        more = cells - first < CELLS_AT_ONCE ? cells - first : CELLS_AT_ONCE;
        for (size_t k = 0; k < count; ++k) {
            const bool differs = is_signed && !array->is_signed[q + k];
            for (size_t cell = 0; cell < more; ++cell) {
                const uint32_t cost = value[q + k][first + cell];
                part[cell * count + k] =
                    differs && cost == MACADAM_UNREACHED ? (uint32_t)MACADAM_SIGNED_UNREACHED : cost;
            }
        }
        if (!array->write(array->context, part, more * count * sizeof *part)) return false;
    }
    return true;
}

bool mcd_cost_array_rows(const mcd_cost_array *array, const uint32_t *const *value, size_t rows)
{
    static const char zeros[8] = "";
    const size_t count = array->quantity_count, together = array->interleaves ? count : 1;
    const size_t cells = rows * array->columns, padding = -cells * sizeof(uint32_t) % sizeof zeros;
    mcd_text head = {0};
    if (array->form == MCD_COST_ARRAY_ARROW) mcd_arrow_batch(&head, count, array->columns, rows);
    bool is_written = write_text(array, &head);
    for (size_t q = 0; is_written && q < count; q += together) {
        is_written = write_costs(array, value, q, together, cells);
        if (is_written && array->form == MCD_COST_ARRAY_ARROW && padding)
            is_written = array->write(array->context, zeros, padding);
    }
    return is_written;
}

bool mcd_cost_array_end(const mcd_cost_array *array)
{
    mcd_text text = {0};
    if (array->form == MCD_COST_ARRAY_ARROW) mcd_arrow_end(&text);
    return write_text(array, &text);
}
