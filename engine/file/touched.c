/* touched.c - see touched.h. */
#include "engine/file/touched.h"

#include "engine/file/check_rule.h"

static macadam_status map_search(mcd_touched *out, mcd_selector selector, mcd_direction direction,
                                 mcd_counts counts, macadam_error *error)
{
    mcd_search *const search = &out->search[direction];
    const mcd_check check = {out->file->name, &out->file->parallel, error};
    selector.group = MCD_GROUP_KEPT, selector.direction = direction, selector.maps = true;
    mcd_sections_prefix(out->prefix[direction], &selector);
    MCD_TRY(mcd_sections_read(out->file, &selector, &counts, search, check));
    selector.group = MCD_GROUP_CHILDREN;
    MCD_TRY(mcd_sections_read(out->file, &selector, &counts, search, check));
    out->kept_count[direction] = counts.of[MCD_PER_KEPT_ARC];
    const mcd_arc *const end = &search->first[out->tree->node_count];
    MCD_TRY(mcd_edge_file_touch(out->file, end, sizeof *end, error));
    if (*end != out->kept_count[direction] || *end >= MCD_CHILD_NONE)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section '%s.first': %llu arcs, but %llu heads",
                        out->file->name, out->prefix[direction], (unsigned long long)*end,
                        (unsigned long long)out->kept_count[direction]);
    return MCD_NEW_ZEROED(out->is_checked[direction], out->tree->node_count, error);
}

MCD_DEFINE_FREE_AT(free_at, mcd_touched, mcd_touched_free)

macadam_status mcd_touched_new(mcd_touched **out, mcd_edge_file *file, const mcd_selector *selector,
                               const mcd_hierarchy *tree, mcd_counts counts, macadam_error *error)
{
    MCD_FREED_BY(free_at) mcd_touched *touched = NULL;
    *out = NULL;
    if (file->page_count == 0) return MACADAM_OK;
    MCD_TRY(MCD_NEW_ZEROED(touched, 1, error));
    touched->file = file;
    touched->tree = tree;
    for (int direction = 0; direction < 2; ++direction)
        MCD_TRY(map_search(touched, *selector, (mcd_direction)direction, counts, error));
    return MCD_MOVE(*out, touched);
}

void mcd_touched_free(mcd_touched *touched)
{
    if (touched) MCD_FREE_ALL(touched->is_checked[0], touched->is_checked[1], touched);
}

static macadam_status check_node(const mcd_touched *touched, mcd_direction direction, mcd_node node,
                                 macadam_error *error)
{
    const mcd_search *const search = &touched->search[direction];
    const mcd_check check = {touched->file->name, &touched->file->parallel, error};
    const mcd_arc *const first = &search->first[node];
    MCD_TRY(mcd_edge_file_touch(touched->file, first, 2 * sizeof *first, error));
    const mcd_arc begin = first[0], count = first[1] - begin;
    mcd_finding found;
    if ((begin > first[1] || first[1] > touched->kept_count[direction]) &&
        mcd_broken(&found, ".first", node, begin, "an offset above the next"))
        return mcd_check_fail(check, touched->prefix[direction], &found);
    const void *const array[] = {search->head, search->depth, search->objective, search->companion};
    for (size_t i = 0; i < sizeof array / sizeof *array; ++i)
        if (array[i])
            MCD_TRY(mcd_edge_file_touch(touched->file, (const uint32_t *)array[i] + begin,
                                        count * sizeof(uint32_t), error));
    return mcd_check_search_at(check, touched->prefix[direction], touched->tree, search, node);
}

static bool is_checked(const mcd_touched *touched, mcd_direction direction, mcd_node node)
{
    return atomic_load_explicit(&touched->is_checked[direction][node], memory_order_acquire);
}

macadam_status mcd_touched_path(mcd_touched *touched, mcd_direction direction, mcd_node node,
                                macadam_error *error)
{
    const mcd_node *const parent = touched->tree->parent;
    mcd_node top = node;
    for (; top != MCD_NODE_NONE && !is_checked(touched, direction, top); top = parent[top])
        MCD_TRY(check_node(touched, direction, top, error));
    for (; node != top; node = parent[node]) /* only now: a checked node has checked ancestors */
        atomic_store_explicit(&touched->is_checked[direction][node], true, memory_order_release);
    return MACADAM_OK;
}

macadam_status mcd_touched_arrivals(mcd_edge_file *file, const mcd_graph *graph, mcd_node node,
                                    macadam_error *error)
{
    const mcd_arc *const first = &graph->first_in[node];
    MCD_TRY(mcd_edge_file_touch(file, first, 2 * sizeof *first, error));
    if (first[0] < first[1] && first[1] <= graph->arc_count) {
        MCD_TRY(mcd_edge_file_touch(file, graph->tail + first[0], (first[1] - first[0]) * sizeof *graph->tail,
                                    error));
        MCD_TRY(mcd_edge_file_touch(file, graph->in_arc + first[0],
                                    (first[1] - first[0]) * sizeof *graph->in_arc, error));
    }
    return mcd_check_reverse_at((mcd_check){file->name, &file->parallel, error}, graph, node);
}

/* ---- the index of arc numbers ---- */

macadam_status mcd_touched_index(mcd_arc_index *out, mcd_edge_file *file, macadam_error *error)
{
    const mcd_selector selector = {.group = MCD_GROUP_INDEX, .maps = true};
    const mcd_check check = {file->name, &file->parallel, error};
    mcd_arc_index index = {0};
    mcd_counts counts;
    for (int per = 0; per < MCD_PER_COUNT; ++per) counts.of[per] = MCD_COUNT_ANY;
    *out = index;
    MCD_TRY(mcd_sections_read(file, &selector, &counts, &index, check));
    if (counts.of[MCD_PER_NUMBER_END] == 0)
        return mcd_fail(error, MACADAM_E_FILE, "%s: section 'number_first' is empty", file->name);
    index.slot_count = counts.of[MCD_PER_NUMBER_END] - 1;
    const uint32_t *const end = &index.first[index.slot_count];
    MCD_TRY(mcd_edge_file_touch(file, end, sizeof *end, error));
    if (*end != counts.of[MCD_PER_NUMBERED])
        return mcd_fail(error, MACADAM_E_FILE, "%s: section 'number_first': %u arcs, but there are %zu",
                        file->name, *end, counts.of[MCD_PER_NUMBERED]);
    *out = index;
    return MACADAM_OK;
}

macadam_status mcd_touched_arcs(mcd_edge_file *file, const mcd_arc_index *index, uint64_t number,
                                size_t arc_count, macadam_error *error)
{
    const mcd_check check = {file->name, &file->parallel, error};
    mcd_finding found;
    if (file->trust || number >= index->slot_count) return MACADAM_OK;
    const uint32_t *const first = &index->first[number];
    MCD_TRY(mcd_edge_file_touch(file, first, 2 * sizeof *first, error));
    if ((first[0] > first[1] || first[1] > index->first[index->slot_count]) &&
        mcd_broken(&found, "number_first", number, first[0], "an offset above the next"))
        return mcd_check_fail(check, "", &found);
    const uint32_t *const arc = index->arc + first[0];
    const size_t count = first[1] - first[0];
    MCD_TRY(mcd_edge_file_touch(file, arc, count * sizeof *arc, error));
    for (size_t i = 0; i < count; ++i)
        if (arc[i] >= arc_count && mcd_broken(&found, "number_arc", first[0] + i, arc[i], "no arc"))
            return mcd_check_fail(check, "", &found);
    return MACADAM_OK;
}
