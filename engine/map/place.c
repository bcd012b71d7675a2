/* place.c - see place.h. */
#include "engine/map/place.h"

size_t mcd_place_find_id(const mcd_place_index *index, int64_t id)
{
    const int64_t *ids = index->id;
    size_t count = index->id_count, first = 0;
    if (count == 0 || id < ids[0] || id > ids[count - 1]) return MCD_PLACE_NONE;
    const uint64_t distance = (uint64_t)id - (uint64_t)ids[0];
    if ((uint64_t)ids[count - 1] - (uint64_t)ids[0] == count - 1) return distance; /* no gaps */
    while (count > 1) { /* ids[first] <= id < ids[first + count] */
        const size_t half = count / 2;
        first += ids[first + half] <= id ? half : 0;
        count -= half;
    }
    return ids[first] == id ? first : MCD_PLACE_NONE;
}
