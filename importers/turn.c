/* turn.c - see turn.h.
 *
 * Method: an arc from which some turn is forbidden leads to a copy of its head, which has copies of the
 * permitted arcs out of it, with the numbers of the originals. Arcs into the same node that forbid the same
 * turns share a copy. The original keeps all arcs out of it, for departures, and the arcs into it that
 * forbid nothing. A new node, with no arc out of it lest a path pass through it, is where routes arrive: an
 * arc of weight 0 leads to it from the original and from each copy.
 *
 *        from --> via --> to             from --> copy ------------> other
 *                  |              ==>               '-0-> arrive      ^
 *                  v                                 .-0-'            |
 *                other                             via ---------------+---> to
 *
 * Why it is right: a path stands at a copy only if it came by an arc of that copy's group, so that it goes
 * on as that arc permits; the copy is decided by the arc alone, so that a copied arc leads where its
 * original leads.
 *
 * Turns over several nodes would need a copy per beginning of a forbidden sequence of arcs (Aho and
 * Corasick's automaton) instead of one per first arc; splitting and arrival stay. (Winter 2002 treats the
 * same by line graphs) */
#include "importers/turn.h"
#include "importers/grow.h"
#include "importers/incidence.h"
#include "engine/memory.h"

#include <stdlib.h>
#include <string.h>

macadam_status mcd_turns_forbid(mcd_turns *turns, mcd_arc from, mcd_arc to, macadam_error *error)
{
    MCD_TRY(MCD_GROW(turns->turn, turns->capacity, turns->count + 1, error));
    turns->turn[turns->count++] = (mcd_turn){from, to};
    return MACADAM_OK;
}

void mcd_turns_free(mcd_turns *turns)
{
    mcd_free(turns->turn);
    *turns = (mcd_turns){0};
}

/* ---- groups: arcs that share a copy ---- */

/* An arc with its forbidden turns: turn[0..count). */
typedef struct restricted_arc {
    mcd_node via;
    mcd_arc from;
    const mcd_turn *turn;
    size_t count;
} restricted_arc;

static int compare_numbers(uint64_t x, uint64_t y)
{
    return (x > y) - (x < y);
}

static int compare_turns(const void *a, const void *b)
{
    const mcd_turn *const x = a, *const y = b;
    return x->from != y->from ? compare_numbers(x->from, y->from) : compare_numbers(x->to, y->to);
}

/* By node, then by what is forbidden. */
static int compare_sets(const restricted_arc *x, const restricted_arc *y)
{
    if (x->via != y->via) return compare_numbers(x->via, y->via);
    if (x->count != y->count) return compare_numbers(x->count, y->count);
    for (size_t i = 0; i < x->count; ++i)
        if (x->turn[i].to != y->turn[i].to) return compare_numbers(x->turn[i].to, y->turn[i].to);
    return 0;
}

static int compare_arcs(const void *a, const void *b)
{
    const restricted_arc *const x = a, *const y = b;
    const int order = compare_sets(x, y);
    return order ? order : compare_numbers(x->from, y->from);
}

static macadam_status sort_turns(const mcd_map *map, mcd_turns *turns, macadam_error *error)
{
    qsort(turns->turn, turns->count, sizeof *turns->turn, compare_turns);
    size_t kept = 0;
    for (size_t i = 0; i < turns->count; ++i) {
        const mcd_turn turn = turns->turn[i];
        if (turn.from >= map->arc_count || turn.to >= map->arc_count ||
            map->head[turn.from] != map->tail[turn.to])
            return mcd_fail(error, MACADAM_E_INVALID, "a turn from arc %llu into arc %llu, which do not meet",
                            (unsigned long long)turn.from, (unsigned long long)turn.to);
        if (kept == 0 || compare_turns(&turns->turn[kept - 1], &turn) != 0) turns->turn[kept++] = turn;
    }
    turns->count = kept;
    return MACADAM_OK;
}

/* Fills arc[] (room for one per turn) and returns how many there are. */
static size_t group_arcs(const mcd_map *map, const mcd_turns *turns, restricted_arc *arc)
{
    size_t count = 0;
    for (size_t i = 0; i < turns->count; ++i) {
        const mcd_turn *const turn = &turns->turn[i];
        if (i == 0 || turn[-1].from != turn->from)
            arc[count++] = (restricted_arc){.via = map->head[turn->from], .from = turn->from, .turn = turn};
        ++arc[count - 1].count;
    }
    qsort(arc, count, sizeof *arc, compare_arcs);
    return count;
}

static bool forbids(const restricted_arc *group, mcd_arc to)
{
    for (size_t i = 0; i < group->count; ++i)
        if (group->turn[i].to == to) return true;
    return false;
}

/* ---- growing the map ---- */

/* What splitting adds, and where the next of it goes. */
typedef struct addition {
    size_t node_count, arc_count, shape_count;
} addition;

static addition count_addition(const mcd_map *map, const mcd_incidence *out, const restricted_arc *arc,
                               size_t count)
{
    addition added = {0};
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || arc[i].via != arc[i - 1].via) { /* the arrival node, and the original's arc to it */
            ++added.node_count;
            ++added.arc_count;
        }
        if (i > 0 && compare_sets(&arc[i], &arc[i - 1]) == 0) continue;
        ++added.node_count;
        ++added.arc_count;
        for (mcd_arc at = out->first[arc[i].via]; at < out->first[arc[i].via + 1]; ++at) {
            const mcd_arc to = out->arc[at];
            if (forbids(&arc[i], to)) continue;
            ++added.arc_count;
            if (map->first_shape) added.shape_count += map->first_shape[to + 1] - map->first_shape[to];
        }
    }
    return added;
}

/* Makes room for `added` elements behind the `count` that an optional array holds. */
static macadam_status extend(void *slot, size_t count, size_t added, size_t size, const char *what,
                             macadam_error *error)
{
    void *array; /* slot holds the address of a T *, which a void ** must not alias */
    memcpy(&array, slot, sizeof array);
    if (!array) return MACADAM_OK;
    array = mcd_reallocate(array, count, count + added, size);
    if (!array) return mcd_fail_memory(error, (count + added) * size, what);
    memcpy(slot, &array, sizeof array);
    return MACADAM_OK;
}

#define EXTEND(array, count, added, error)                                                                   \
    extend(&(array), (count), (added), sizeof *(array), #array, (error))

static macadam_status extend_map(mcd_map *map, const addition *added, macadam_error *error)
{
    const size_t shape_count = map->first_shape ? map->first_shape[map->arc_count] : 0;
    if (added->node_count >= MCD_NODE_NONE - map->node_count)
        return mcd_fail(error, MACADAM_E_INVALID, "%zu nodes and %zu copies of split ones are more than %u",
                        map->node_count, added->node_count, MCD_NODE_NONE - 1);
    MCD_TRY(EXTEND(map->node_id, map->node_count, added->node_count, error));
    MCD_TRY(EXTEND(map->lon_e7, map->node_count, added->node_count, error));
    MCD_TRY(EXTEND(map->lat_e7, map->node_count, added->node_count, error));
    MCD_TRY(EXTEND(map->tail, map->arc_count, added->arc_count, error));
    MCD_TRY(EXTEND(map->head, map->arc_count, added->arc_count, error));
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        MCD_TRY(EXTEND(map->weight[quantity], map->arc_count, added->arc_count, error));
    MCD_TRY(EXTEND(map->arc_number, map->arc_count, added->arc_count, error));
    MCD_TRY(EXTEND(map->arc_way, map->arc_count, added->arc_count, error));
    MCD_TRY(EXTEND(map->arc_name, map->arc_count, added->arc_count, error));
    MCD_TRY(EXTEND(map->first_shape, map->arc_count + 1, added->arc_count, error));
    MCD_TRY(EXTEND(map->shape_lon_e7, shape_count, added->shape_count, error));
    return EXTEND(map->shape_lat_e7, shape_count, added->shape_count, error);
}

/* ---- splitting ---- */

static mcd_node add_node(mcd_map *map, mcd_node original)
{
    const mcd_node node = (mcd_node)map->node_count++;
    map->node_id[node] = map->node_id[original];
    if (map->lon_e7) {
        map->lon_e7[node] = map->lon_e7[original];
        map->lat_e7[node] = map->lat_e7[original];
    }
    return node;
}

static void add_shape(mcd_map *map, mcd_arc arc, mcd_arc original)
{
    const uint64_t first = map->first_shape[original], count = map->first_shape[original + 1] - first;
    const uint64_t at = map->first_shape[arc];
    memcpy(map->shape_lon_e7 + at, map->shape_lon_e7 + first, count * sizeof *map->shape_lon_e7);
    memcpy(map->shape_lat_e7 + at, map->shape_lat_e7 + first, count * sizeof *map->shape_lat_e7);
    map->first_shape[arc + 1] = at + count;
}

static void add_arc_copy(mcd_map *map, mcd_node tail, mcd_arc original)
{
    const mcd_arc arc = map->arc_count++;
    map->tail[arc] = tail;
    map->head[arc] = map->head[original];
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        map->weight[quantity][arc] = map->weight[quantity][original];
    map->arc_number[arc] = map->arc_number[original];
    if (map->arc_way) map->arc_way[arc] = map->arc_way[original];
    if (map->arc_name) map->arc_name[arc] = map->arc_name[original];
    if (map->first_shape) add_shape(map, arc, original);
}

static void add_arrival_arc(mcd_map *map, mcd_node tail, mcd_node arrive)
{
    const mcd_arc arc = map->arc_count++;
    map->tail[arc] = tail;
    map->head[arc] = arrive;
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity) map->weight[quantity][arc] = 0;
    map->arc_number[arc] = MCD_ARC_NONE;
    if (map->arc_way) map->arc_way[arc] = 0;
    if (map->arc_name) map->arc_name[arc] = 0;
    if (map->first_shape) map->first_shape[arc + 1] = map->first_shape[arc];
}

/* Gives each group its copy and leads its arcs there. All of them, before any arc is copied. */
static void add_copies(mcd_map *map, const restricted_arc *arc, size_t count)
{
    mcd_node copy = MCD_NODE_NONE;
    for (size_t i = 0; i < count; ++i) {
        if (i == 0 || compare_sets(&arc[i], &arc[i - 1]) != 0) copy = add_node(map, arc[i].via);
        map->head[arc[i].from] = copy;
    }
}

static void add_arcs(mcd_map *map, const mcd_incidence *out, const restricted_arc *arc, size_t count)
{
    mcd_node arrive = MCD_NODE_NONE;
    for (size_t i = 0; i < count; ++i) {
        const mcd_node via = arc[i].via, copy = map->head[arc[i].from];
        if (i == 0 || via != arc[i - 1].via) {
            arrive = add_node(map, via);
            map->arrive[mcd_map_find_id(map, map->node_id[via])] = arrive;
            add_arrival_arc(map, via, arrive);
        }
        if (i > 0 && copy == map->head[arc[i - 1].from]) continue;
        add_arrival_arc(map, copy, arrive);
        for (mcd_arc at = out->first[via]; at < out->first[via + 1]; ++at)
            if (!forbids(&arc[i], out->arc[at])) add_arc_copy(map, copy, out->arc[at]);
    }
}

static macadam_status split(mcd_map *map, const mcd_turns *turns, const mcd_incidence *out,
                            restricted_arc *arc, macadam_error *error)
{
    const size_t count = group_arcs(map, turns, arc);
    const addition added = count_addition(map, out, arc, count);
    MCD_TRY(extend_map(map, &added, error));
    add_copies(map, arc, count);
    add_arcs(map, out, arc, count);
    return MACADAM_OK;
}

macadam_status mcd_turns_apply(mcd_map *map, mcd_turns *turns, macadam_error *error)
{
    if (turns->count == 0) return MACADAM_OK;
    MCD_TRY(sort_turns(map, turns, error));
    mcd_incidence out = {0};
    restricted_arc *arc = NULL;
    macadam_status status = MCD_NEW(arc, turns->count, error);
    if (status == MACADAM_OK)
        status = mcd_incidence_new(&out, map->node_count, map->tail, map->arc_count, error);
    if (status == MACADAM_OK) status = split(map, turns, &out, arc, error);
    mcd_free(arc);
    mcd_incidence_free(&out);
    return status;
}
