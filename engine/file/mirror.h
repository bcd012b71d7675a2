/* mirror.h - originals whose facts are those of their opposites, travelled the other way: compact files leave these facts
 * out. */
#ifndef MCD_ENGINE_FILE_MIRROR_H
#define MCD_ENGINE_FILE_MIRROR_H

#include "engine/file/opposite.h"

/* Finds the mirrors: is_mirror[i] belongs to the i-th original that has an opposite, mirror_count of them. NULL without
 * an error: the facts have no ways. */
macadam_status mcd_mirrors_find(uint8_t **is_mirror, size_t *mirror_count, const mcd_arc_facts *facts,
                                const mcd_opposites *opposites, macadam_error *error);

/* If `packs`, leaves mirrors out of the numbers, ways, directions, kinds of roads (kind_of) and shapes of `facts`; the kinds
 * of mirrors come last, less those of their opposites. Otherwise makes the facts of mirrors again; offsets of shapes ascend.
 * *own holds the new arrays, which `facts` then has instead of the old ones; free it with mcd_own_facts_free. On failure,
 * `facts` stay as they are. */
macadam_status mcd_facts_convert(mcd_arc_facts *own, mcd_arc_facts *facts, const mcd_opposites *opposites,
                                 const uint8_t *is_mirror, bool packs, macadam_error *error);
void mcd_own_facts_free(mcd_arc_facts *facts);

#endif
