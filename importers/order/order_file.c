/* order_file.c - see order_file.h. The file gives each id a place; a counting sort by place then orders the
 * nodes. */
#include "importers/order/order_file.h"
#include "importers/base/lines.h"

#define PLACE_NONE UINT32_MAX

enum { WATCHED_LINES = 256 }; /* lines between two looks at the clock */

static macadam_status read_places(mcd_lines *lines, const mcd_map *map, uint32_t *place, mcd_watch *watch,
                                  macadam_error *error)
{
    memset(place, 0xff, map->id_count * sizeof *place);
    uint32_t count = 0;
    for (;;) {
        char *line;
        if (lines->number % WATCHED_LINES == 0) MCD_TRY(mcd_watch_step(watch, count, map->id_count, error));
        MCD_TRY(mcd_lines_next(lines, &line, error));
        if (!line) break;
        int64_t id;
        const char *const end = mcd_lines_signed(line, &id);
        if (!end || !mcd_lines_at_end(end)) return mcd_lines_fail(lines, error, "not one node id");
        const size_t index = mcd_map_find_id(map, id);
        if (index == map->id_count) return mcd_lines_fail(lines, error, "no node has this id");
        if (place[index] != PLACE_NONE) return mcd_lines_fail(lines, error, "this id comes a second time");
        place[index] = count++;
    }
    if (count == map->id_count) return MACADAM_OK;
    size_t missing = 0;
    while (place[missing] != PLACE_NONE) ++missing;
    return mcd_lines_fail(lines, error, "the file ends after %u of %zu ids, without %lld", count,
                          map->id_count, (long long)map->id[missing]);
}

/* Sorts the nodes by their ids' places, by counting. first: [id_count + 1], zeroed. */
static macadam_status sort_nodes(mcd_node *order, const mcd_map *map, const uint32_t *place, uint32_t *first,
                                 mcd_watch *watch, macadam_error *error)
{
    for (size_t node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        ++first[place[map->index[node]] + 1];
    }
    for (size_t i = 0; i < map->id_count; ++i) first[i + 1] += first[i];
    for (size_t node = 0; node < map->node_count; ++node) {
        MCD_TRY(mcd_watch_item(watch, node, map->node_count, error));
        order[first[place[map->index[node]]]++] = (mcd_node)node;
    }
    return MACADAM_OK;
}

macadam_status mcd_order_read(mcd_node **order_out, const mcd_map *map, const char *path,
                              const mcd_progress *progress, macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(progress, "reading the order");
    MCD_FREED_BY(mcd_lines_close) mcd_lines lines = {0};
    MCD_OWNED mcd_node *order = NULL;
    MCD_OWNED uint32_t *place = NULL;
    MCD_OWNED uint32_t *first = NULL;
    *order_out = NULL;
    MCD_TRY(MCD_NEW(order, map->node_count, error));
    MCD_TRY(MCD_NEW(place, map->id_count, error));
    MCD_TRY(MCD_NEW_ZEROED(first, map->id_count + 1, error));
    MCD_TRY(mcd_lines_open(&lines, path, error));
    MCD_TRY(read_places(&lines, map, place, &watch, error));
    MCD_TRY(sort_nodes(order, map, place, first, &watch, error));
    return MCD_MOVE(*order_out, order);
}
