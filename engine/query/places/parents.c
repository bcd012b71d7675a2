/* parents.c - see parents.h. */
#include "engine/query/places/parents.h"

enum { IDS_PER_TASK = 1 << 14 };

typedef struct parents_work {
    const mcd_place_index *places;
    const mcd_node *column, *row;
    uint32_t *parent;
} parents_work;

static void translate_part(void *argument, size_t index, unsigned worker)
{
    const parents_work *work = argument;
    const mcd_place_index *places = work->places;
    const size_t parts = (places->id_count + IDS_PER_TASK - 1) / IDS_PER_TASK;
    const size_t first = index % parts * IDS_PER_TASK,
                 end = mcd_size_min(first + IDS_PER_TASK, places->id_count);
    const mcd_node *row = work->row + index / parts * places->node_count;
    uint32_t *parent = work->parent + index / parts * places->id_count;
    (void)worker;
    for (size_t i = first; i < end; ++i) {
        mcd_node node = work->column[i];
        while (node != MCD_NODE_NONE && places->node_place[node] == i) node = row[node];
        parent[i] = node == MCD_NODE_NONE ? MACADAM_UNREACHED : places->node_place[node];
    }
}

macadam_status mcd_parents_by_id(const macadam_engine *engine, mcd_direction direction, const mcd_node *row,
                                 size_t row_count, uint32_t *parent, macadam_error *error)
{
    const mcd_place_index *places = &engine->places;
    parents_work work = {places, direction == MCD_FORWARD ? places->arrive : places->depart, row, parent};
    const size_t parts = (places->id_count + IDS_PER_TASK - 1) / IDS_PER_TASK;
    return mcd_watch_for(NULL, &engine->parallel, parts * row_count, translate_part, &work, error);
}
