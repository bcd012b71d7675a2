/* rule_oracle.c - see rule_oracle.h. A memory is the last three arcs, as digits, and how far a walk has come
 * with roads that only begin or end a route. Labels are corrected until none changes. */
#include "tests/support/rule_oracle.h"

#include "tests/support/checked.h"

#include <string.h>

enum { BASE = RULE_ARCS + 1, WINDOWS = BASE * BASE * BASE, NO_ARC = RULE_ARCS };

typedef enum walk_phase { BEGINNING, MIDDLE, ENDING, PHASES } walk_phase;

typedef struct walk_memory {
    uint32_t last[RULE_PATH_ARCS - 1]; /* the latest one first */
    walk_phase phase;
} walk_memory;

static size_t code_of(const walk_memory *memory)
{
    size_t code = memory->phase;
    for (size_t i = 0; i < RULE_PATH_ARCS - 1; ++i) code = code * BASE + memory->last[i];
    return code;
}

static walk_memory memory_of(size_t code)
{
    walk_memory memory;
    for (size_t i = RULE_PATH_ARCS - 1; i-- > 0; code /= BASE) memory.last[i] = (uint32_t)(code % BASE);
    memory.phase = (walk_phase)code;
    return memory;
}

static bool is_forbidden(const rule_set *rules, const walk_memory *memory, uint32_t arc)
{
    for (size_t p = 0; p < rules->path_count; ++p) {
        const rule_path *path = &rules->path[p];
        bool all = path->arc[path->count - 1] == arc;
        for (size_t i = 1; i < path->count; ++i)
            all = all && memory->last[i - 1] == path->arc[path->count - 1 - i];
        if (all) return true;
    }
    return false;
}

/* False: the walk may not go on so. */
static bool advance(const rule_set *rules, const walk_memory *from, uint32_t arc, walk_memory *to)
{
    static const walk_phase open_phase[PHASES] = {MIDDLE, MIDDLE, PHASES},
                            ends_phase[] = {BEGINNING, ENDING, ENDING};
    to->phase = (rules->arc[arc].ends ? ends_phase : open_phase)[from->phase];
    if ((rules->arc[arc].no_exit && from->phase == BEGINNING) ||
        (rules->arc[arc].no_entry && from->phase == ENDING))
        to->phase = from->phase;
    if (to->phase == PHASES || is_forbidden(rules, from, arc)) return false;
    memmove(to->last + 1, from->last, sizeof from->last - sizeof *from->last);
    to->last[0] = arc;
    return true;
}

static bool relax(const rule_set *rules, uint32_t source, uint32_t *cost, size_t code)
{
    const walk_memory from = memory_of(code);
    const uint32_t before = from.last[0];
    bool changed = false;
    for (uint32_t arc = 0; arc < rules->arc_count; ++arc) {
        walk_memory to;
        if (rules->arc[arc].tail != (before == NO_ARC ? source : rules->arc[before].head)) continue;
        if (!advance(rules, &from, arc, &to)) continue;
        const uint32_t price = before == NO_ARC ? 0 : rules->price[before][arc];
        const uint32_t sum = cost[code] + price + rules->arc[arc].weight;
        if (sum >= cost[code_of(&to)]) continue;
        cost[code_of(&to)] = sum;
        changed = true;
    }
    return changed;
}

void rule_oracle_tree(const rule_set *rules, uint32_t source, uint32_t *cost, size_t node_count)
{
    FREED uint32_t *label = checked_allocate(PHASES * WINDOWS, sizeof *label);
    memset(label, 0xff, PHASES * WINDOWS * sizeof *label);
    memset(cost, 0xff, node_count * sizeof *cost);
    const walk_memory start = {{NO_ARC, NO_ARC, NO_ARC}, BEGINNING};
    label[code_of(&start)] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t code = 0; code < PHASES * WINDOWS; ++code)
            if (label[code] != RULE_UNREACHED && relax(rules, source, label, code)) changed = true;
    }
    for (size_t code = 0; code < PHASES * WINDOWS; ++code) {
        const uint32_t last = memory_of(code).last[0];
        const uint32_t node = last == NO_ARC ? source : last < rules->arc_count ? rules->arc[last].head : 0;
        if (label[code] < cost[node]) cost[node] = label[code];
    }
}

static void draw_path(rule_set *rules, test_rng *rng)
{
    rule_path path = {.count = 2 + rng_below(rng, RULE_PATH_ARCS - 1)};
    path.arc[0] = rng_below(rng, (uint32_t)rules->arc_count);
    for (size_t i = 1; i < path.count; ++i) {
        uint32_t arc = rng_below(rng, (uint32_t)rules->arc_count), tries = 0;
        while (rules->arc[arc].tail != rules->arc[path.arc[i - 1]].head) {
            if (++tries > rules->arc_count) return; /* nothing leaves its head */
            arc = (arc + 1) % (uint32_t)rules->arc_count;
        }
        path.arc[i] = arc;
    }
    rules->path[rules->path_count++] = path;
}

void rules_draw(rule_set *out, test_rng *rng, uint32_t node_count, size_t arc_count, uint32_t ends_share,
                size_t path_count, bool priced)
{
    *out = (rule_set){.arc_count = arc_count};
    for (size_t a = 0; a < arc_count; ++a)
        out->arc[a] = (rule_arc){rng_below(rng, node_count),
                                 rng_below(rng, node_count),
                                 rng_below(rng, 5),
                                 ends_share && rng_below(rng, ends_share) == 0,
                                 false,
                                 false};
    for (size_t p = 0; p < path_count; ++p) draw_path(out, rng);
    for (size_t a = 0; priced && a < arc_count; ++a)
        for (size_t b = 0; b < arc_count; ++b)
            if (out->arc[a].head == out->arc[b].tail && rng_below(rng, 3) == 0)
                out->price[a][b] = rng_below(rng, 4);
}
