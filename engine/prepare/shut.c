/* shut.c - see shut.h. */
#include "engine/prepare/shut.h"

macadam_status mcd_shut_list(mcd_map *map, const uint32_t *map_arc, macadam_error *error)
{
    const size_t words = MCD_SHUT_WORDS + map->quantity_count;
    /* Frees the weeks if nothing names them, or else their guards, or those of holidays, if they say nothing. */
    static const mcd_guard none;
    const bool named = map->timed_arc_count || map->arc_when;
    bool guarded = false, holidays = false;
    for (size_t i = 0; i < map->week_count && named; ++i) {
        guarded = guarded || memcmp(&map->guard[i], &none, sizeof none) != 0;
        holidays = holidays || memcmp(&map->week[i], &map->week_holiday[i], sizeof *map->week) != 0;
    }
    if (!named) mcd_free(map->week), map->week = NULL;
    if (!holidays) mcd_free(map->week_holiday), map->week_holiday = NULL;
    if (!guarded) mcd_free(map->guard), map->guard = NULL;
    if (!map->arc_when) return MACADAM_OK;
    for (size_t arc = 0; arc < map->arc_count; ++arc) map->shut_arc_count += map->arc_when[arc] != 0;
    MCD_TRY(MCD_NEW(map->shut_arc, map->shut_arc_count * words, error));
    uint32_t *entry = map->shut_arc;
    for (size_t arc = 0; arc < map->arc_count; ++arc) {
        const mcd_when when = map->arc_when[map_arc[arc]];
        if (!when) continue;
        entry[MCD_SHUT_ARC] = (uint32_t)arc;
        entry[MCD_SHUT_WHEN] = when;
        for (size_t q = 0; q < map->quantity_count; ++q) {
            entry[MCD_SHUT_WORDS + q] = map->weight[q][arc];
            if (when & MCD_WHEN_OPENS) map->weight[q][arc] = MCD_UNREACHED;
        }
        entry += words;
    }
    mcd_free(map->arc_when);
    map->arc_when = NULL;
    return MACADAM_OK;
}
