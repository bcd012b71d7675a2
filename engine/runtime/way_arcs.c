/* way_arcs.c - see way_arcs.h. The importer numbers the arcs of a way as the way is drawn. */
#include "engine/runtime/way_arcs.h"

#include "engine/base/sort.h"

/* ---- making ---- */

static int compare(const void *a, const void *b)
{
    const mcd_way_arc *const x = a, *const y = b;
    if (x->way != y->way) return x->way < y->way ? -1 : 1;
    if (x->against != y->against) return x->against ? 1 : -1;
    const int order = (x->number > y->number) - (x->number < y->number);
    return x->against ? -order : order;
}

macadam_status mcd_way_arcs_make(mcd_way_arcs *out, const mcd_roads *roads, macadam_error *error)
{
    MCD_OWNED mcd_node *tail = NULL;
    MCD_FREED_BY(mcd_way_arcs_free) mcd_way_arcs made = {0};
    if (out->arc) return MACADAM_OK;
    MCD_TRY(mcd_road_departures(&tail, roads, error));
    MCD_TRY(MCD_NEW(made.arc, roads->graph->arc_count, error));
    const uint32_t *const id = roads->places->node_place;
    /* One arc of each number: the one that departures use. */
    for (uint32_t arc = 0; arc < roads->graph->arc_count; ++arc) {
        MCD_TRY(mcd_watch_item(NULL, arc, roads->graph->arc_count, error));
        if (tail[arc] != MCD_NODE_NONE)
            made.arc[made.count++] = (mcd_way_arc){
                mcd_arc_way(roads->facts, arc), mcd_arc_number(roads->facts, arc), id[tail[arc]],
                id[roads->graph->head[arc]], mcd_arc_is_against(roads->facts, arc)};
    }
    MCD_TRY(mcd_sort(made.arc, made.count, sizeof *made.arc, compare, NULL, error));
    return MCD_MOVE(*out, made);
}

MCD_DEFINE_FREE(mcd_way_arcs_free, mcd_way_arcs, it->arc)

/* ---- finding ---- */

MCD_DEFINE_LOWER_BOUND(first_along, mcd_way_arc, .way, int64_t)
MCD_DEFINE_LOWER_BOUND_BY(first_against, mcd_way_arc, int64_t,
                          element->way < value || (element->way == value && !element->against))

mcd_way_stretch mcd_way_arcs_along(const mcd_way_arcs *arcs, int64_t way, int direction)
{
    const size_t turn = first_against(arcs->arc, 0, arcs->count, way);
    size_t first = direction < 0 ? turn : first_along(arcs->arc, 0, arcs->count, way), end = turn;
    while (direction <= 0 && end < arcs->count && arcs->arc[end].way == way) ++end;
    return (mcd_way_stretch){first, end - first, first, end - first};
}

/* Counts the arcs from the i-th one of a group until one ends at `to`; 0: none does. */
static size_t count_until(const mcd_way_arcs *arcs, const mcd_way_stretch *group, size_t i, size_t to)
{
    for (size_t k = 0; k < group->group_count; ++k) {
        const mcd_way_arc *const arc = mcd_way_stretch_arc(arcs, group, i + k);
        if (arc->to == to) return k + 1;
        if (mcd_way_stretch_arc(arcs, group, i + k + 1)->from != arc->to) return 0;
    }
    return 0;
}

mcd_way_stretch mcd_way_arcs_between(const mcd_way_arcs *arcs, int64_t way, size_t from, size_t to)
{
    mcd_way_stretch best = {0};
    for (int direction = 1; direction >= -1; direction -= 2) {
        const mcd_way_stretch group = mcd_way_arcs_along(arcs, way, direction);
        for (size_t i = 0; i < group.count; ++i) {
            if (mcd_way_stretch_arc(arcs, &group, i)->from != from) continue;
            const size_t count = count_until(arcs, &group, i, to);
            if (count && (best.count == 0 || count < best.count))
                best = (mcd_way_stretch){group.group, group.group_count, group.group + i, count};
        }
    }
    return best;
}
