/* test_osm_rules.c - random small towns with restrictions, private roads and one-way roads: the costs on the
 * imported map equal those of rule_oracle.c, to which the test states the rules for each sequence of arcs,
 * one by one. */
#include "tests/support/osm_read.h"
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/profiles.h"
#include "tests/support/import_fixture.h"
#include "tests/support/rule_oracle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

TestSuite(osm_rules, .init = import_fixture_open, .fini = import_fixture_close);

enum { NODES = 6, WAYS = 5, WAY_NODES = 3, RELATIONS = 4, VIAS = 2, TEXT_BYTES = 32768, TRIALS = 400 };

typedef struct town_way {
    uint32_t node[WAY_NODES], node_count;
    bool oneway, destination_only;
} town_way;

typedef struct town_relation {
    bool only, u_turn;
    uint32_t from, to, via_node, via[VIAS], via_count; /* ways by index; via_count 0: a node */
} town_relation;

typedef struct town {
    int32_t milli_lon[NODES], milli_lat[NODES];
    town_way way[WAYS];
    town_relation relation[RELATIONS];
    size_t relation_count;
    bool avoids_u_turns;
    rule_set rules;              /* arcs: two neighbours of a way, in a direction */
    uint32_t of_way[RULE_ARCS];  /* the arcs' */
    uint32_t segment[RULE_ARCS]; /* both directions have the same */
} town;

/* ---- drawing ---- */

static void draw_way(town_way *way, test_rng *rng)
{
    *way = (town_way){.node_count = 2 + rng_below(rng, 2),
                      .oneway = rng_below(rng, 4) == 0,
                      .destination_only = rng_below(rng, 5) == 0};
    for (uint32_t i = 0; i < way->node_count; ++i) {
        bool repeated = true;
        while (repeated) {
            way->node[i] = rng_below(rng, NODES);
            repeated = false;
            for (uint32_t j = 0; j < i; ++j) repeated = repeated || way->node[j] == way->node[i];
        }
    }
}

/* A point between the ends of its way that no other way has would be no junction. */
static bool has_shape_points(const town *drawn)
{
    uint32_t uses[NODES] = {0};
    for (size_t w = 0; w < WAYS; ++w)
        for (uint32_t i = 0; i < drawn->way[w].node_count; ++i) ++uses[drawn->way[w].node[i]];
    for (size_t w = 0; w < WAYS; ++w)
        if (drawn->way[w].node_count == 3 && uses[drawn->way[w].node[1]] == 1) return true;
    return false;
}

static void add_arcs(town *drawn)
{
    uint32_t segment = 0;
    for (uint32_t w = 0; w < WAYS; ++w) {
        const town_way *way = &drawn->way[w];
        for (uint32_t i = 0; i + 1 < way->node_count; ++i, ++segment)
            for (uint32_t direction = 0; direction < 2u - way->oneway; ++direction) {
                const size_t arc = drawn->rules.arc_count++;
                drawn->rules.arc[arc] = (rule_arc){way->node[i + direction],
                                                   way->node[i + 1 - direction],
                                                   0,
                                                   way->destination_only,
                                                   false,
                                                   false};
                drawn->of_way[arc] = w;
                drawn->segment[arc] = segment;
            }
    }
}

/* ---- gated areas ---- */

/* Which nodes one comes to from which. */
typedef struct ways_on {
    bool lead[NODES][NODES];
} ways_on;

static ways_on ways_on_of(const town *drawn, const bool *left, bool all, bool both_ways)
{
    ways_on on = {0};
    for (size_t v = 0; v < NODES; ++v) on.lead[v][v] = true;
    for (size_t a = 0; a < drawn->rules.arc_count; ++a) {
        const rule_arc *arc = &drawn->rules.arc[a];
        if ((arc->ends && !all) || !left[a]) continue;
        on.lead[arc->tail][arc->head] = true;
        if (both_ways) on.lead[arc->head][arc->tail] = true;
    }
    for (size_t via = 0; via < NODES; ++via)
        for (size_t v = 0; v < NODES; ++v)
            for (size_t w = 0; w < NODES; ++w)
                on.lead[v][w] = on.lead[v][w] || (on.lead[v][via] && on.lead[via][w]);
    return on;
}

/* How many public arcs leave the nodes that `node` is strongly connected with by public roads. */
static size_t count_leaving(const town *drawn, const bool *left, const ways_on *public, uint32_t node)
{
    size_t count = 0;
    for (size_t a = 0; a < drawn->rules.arc_count; ++a) {
        const uint32_t tail = drawn->rules.arc[a].tail;
        count += left[a] && !drawn->rules.arc[a].ends && public->lead[node][tail] && public->lead[tail][node];
    }
    return count;
}

/* A public arc that is entered from the core of its part, or leads there, only over private ones lies in a
 * gated area. Those that are not entered from the core, or do not lead to it, are left. */
static void mark_gated_areas_once(town *drawn, bool *left)
{
    const ways_on public = ways_on_of(drawn, left, false, false), all = ways_on_of(drawn, left, true, false),
                  part = ways_on_of(drawn, left, true, true);
    bool settled[RULE_ARCS] = {false};
    for (size_t a = 0; a < drawn->rules.arc_count; ++a) {
        rule_arc *arc = &drawn->rules.arc[a];
        size_t core = NODES, most = 0;
        for (uint32_t node = 0; node < NODES && left[a]; ++node) {
            const size_t count = part.lead[node][arc->tail] ? count_leaving(drawn, left, &public, node) : 0;
            if (count > most) core = node, most = count;
        }
        if (core == NODES) continue;
        if (!arc->ends && all.lead[core][arc->tail] && !public.lead[core][arc->tail]) arc->no_entry = true;
        if (!arc->ends && all.lead[arc->head][core] && !public.lead[arc->head][core]) arc->no_exit = true;
        settled[a] = all.lead[core][arc->tail] && all.lead[arc->head][core];
    }
    for (size_t a = 0; a < drawn->rules.arc_count; ++a) left[a] = left[a] && !settled[a];
}

static void mark_gated_areas(town *drawn)
{
    bool left[RULE_ARCS];
    for (size_t a = 0; a < RULE_ARCS; ++a) left[a] = true;
    for (int round = 0; round < NODES; ++round) mark_gated_areas_once(drawn, left);
}

/* ---- relations ---- */

static bool is_ambiguous(const town *drawn, const town_relation *relation);

/* Likely to be followed, for it follows a walk; a way of one segment each where there are two vias. */
static bool draw_relation(town *drawn, test_rng *rng)
{
    const rule_set *rules = &drawn->rules;
    uint32_t walk[RULE_PATH_ARCS], count = 1;
    const uint32_t wanted = 2 + rng_below(rng, RULE_PATH_ARCS - 1);
    walk[0] = rng_below(rng, (uint32_t)rules->arc_count);
    for (uint32_t tries = 0; count < wanted && tries < 50; ++tries) {
        const uint32_t arc = rng_below(rng, (uint32_t)rules->arc_count);
        if (rules->arc[arc].tail == rules->arc[walk[count - 1]].head) walk[count++] = arc;
    }
    if (count < 2) return false;
    town_relation relation = {.only = rng_below(rng, 3) == 0,
                              .u_turn = rng_below(rng, 3) == 0,
                              .from = drawn->of_way[walk[0]],
                              .to = drawn->of_way[walk[count - 1]],
                              .via_node = rules->arc[walk[0]].head};
    for (uint32_t i = 1; i + 1 < count; ++i)
        if (relation.via_count == 0 || relation.via[relation.via_count - 1] != drawn->of_way[walk[i]])
            relation.via[relation.via_count++] = drawn->of_way[walk[i]];
    for (uint32_t i = 0; relation.via_count == 2 && i < 2; ++i)
        if (drawn->way[relation.via[i]].node_count > 2) return false;
    if (is_ambiguous(drawn, &relation))
        return false; /* angles decide: see conformance/maps/rules/turn.maps */
    drawn->relation[drawn->relation_count++] = relation;
    return true;
}

static void draw_town(town *drawn, test_rng *rng)
{
    *drawn = (town){.avoids_u_turns = rng_below(rng, 2) == 0};
    for (size_t v = 0; v < NODES; ++v) {
        drawn->milli_lon[v] = (int32_t)rng_below(rng, 20);
        drawn->milli_lat[v] = (int32_t)(20 * v + rng_below(rng, 20)); /* no two in one place */
    }
    do
        for (size_t w = 0; w < WAYS; ++w) draw_way(&drawn->way[w], rng);
    while (has_shape_points(drawn));
    add_arcs(drawn);
    mark_gated_areas(drawn);
    const uint32_t relation_count = rng_below(rng, RELATIONS + 1);
    for (uint32_t i = 0; i < relation_count; ++i) draw_relation(drawn, rng);
}

/* ---- as a file ---- */

/* Each way has a speed of its own: two roads that are equal become one, and then a U-turn is needed where
 * the other one led back. */
static void write_way(const town_way *way, size_t w, char *text, size_t *length)
{
    *length += (size_t)sprintf(text + *length, "<way id='%zu' version='1'>", 100 + w);
    for (uint32_t i = 0; i < way->node_count; ++i)
        *length += (size_t)sprintf(text + *length, "<nd ref='%u'/>", way->node[i] + 1);
    *length += (size_t)sprintf(text + *length,
                               "<tag k='highway' v='residential'/><tag k='maxspeed' v='%zu'/>%s%s</way>",
                               30 + w, way->oneway ? "<tag k='oneway' v='yes'/>" : "",
                               way->destination_only ? "<tag k='access' v='private'/>" : "");
}

static void write_relation(const town_relation *relation, size_t r, char *text, size_t *length)
{
    *length += (size_t)sprintf(text + *length,
                               "<relation id='%zu' version='1'><member type='way' ref='%u' role='from'/>"
                               "<member type='way' ref='%u' role='to'/>",
                               r + 1, 100 + relation->from, 100 + relation->to);
    if (relation->via_count == 0)
        *length += (size_t)sprintf(text + *length, "<member type='node' ref='%u' role='via'/>",
                                   relation->via_node + 1);
    for (uint32_t i = relation->via_count; i-- > 0;)
        *length += (size_t)sprintf(text + *length, "<member type='way' ref='%u' role='via'/>",
                                   100 + relation->via[i]);
    *length += (size_t)sprintf(text + *length,
                               "<tag k='type' v='restriction'/><tag k='restriction' v='%s_%s'/></relation>",
                               relation->only ? "only" : "no", relation->u_turn ? "u_turn" : "left_turn");
}

static const char *write_town(const town *drawn)
{
    static char text[TEXT_BYTES];
    size_t length = (size_t)sprintf(text, "<?xml version='1.0'?><osm version='0.6'>");
    for (size_t v = 0; v < NODES; ++v)
        length += (size_t)sprintf(text + length, "<node id='%zu' version='1' lat='%.3f' lon='%.3f'/>", v + 1,
                                  drawn->milli_lat[v] / 1000.0, drawn->milli_lon[v] / 1000.0);
    for (size_t w = 0; w < WAYS; ++w) write_way(&drawn->way[w], w, text, &length);
    for (size_t r = 0; r < drawn->relation_count; ++r) write_relation(&drawn->relation[r], r, text, &length);
    sprintf(text + length, "</osm>");
    return import_write("town.osm", text);
}

static void read_town(const town *drawn)
{
    static char text[TEXT_BYTES];
    const char *car = mcd_profile_texts[0].text, *sections = strchr(car, '[');
    snprintf(text, sizeof text, "%.*sturn 180 0 0\nu_turns %s\n%s", (int)(sections - car), car,
             drawn->avoids_u_turns ? "dead_ends" : "anywhere", sections);
    mcd_profile profile;
    cr_assert_eq(mcd_profile_read(&profile, import_write("car.profile", text), &import_error), MACADAM_OK);
    const mcd_parallel parallel = mcd_parallel_of(1, NULL);
    const macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    cr_assert_eq(osm_read(&import_map, (const char *const[]){write_town(drawn)}, 1, &profile, &parallel, NULL,
                          &options, &import_error),
                 MACADAM_OK, "%s", import_error.message);
    mcd_profile_free(&profile);
}

/* ---- what the rules say ---- */

typedef struct sequence {
    uint32_t arc[RULE_PATH_ARCS];
    size_t count;
} sequence;

static bool is_reverse(const town *drawn, uint32_t from, uint32_t to)
{
    return from != to && drawn->segment[from] == drawn->segment[to];
}

static bool is_via(const town_relation *relation, uint32_t way)
{
    return (relation->via_count > 0 && relation->via[0] == way) ||
           (relation->via_count > 1 && relation->via[1] == way);
}

/* Whether arcs 1 to count - 2 are a path of the via ways, all of them, that visits no node twice, but may end
 * where it begins. */
static bool crosses_via(const town *drawn, const town_relation *relation, const sequence *path)
{
    bool used[VIAS] = {false, false};
    for (size_t i = 1; i + 1 < path->count; ++i) {
        const uint32_t way = drawn->of_way[path->arc[i]];
        if (!is_via(relation, way)) return false;
        for (uint32_t v = 0; v < relation->via_count; ++v) used[v] = used[v] || relation->via[v] == way;
        for (size_t j = 0; j < i; ++j)
            if (drawn->rules.arc[path->arc[j]].head == drawn->rules.arc[path->arc[i]].head &&
                !(j == 0 && i + 2 == path->count))
                return false;
    }
    return used[0] && (relation->via_count < 2 || used[1]);
}

/* The whole path that the relation speaks of, perhaps not the first of it that meets the to way. */
static bool is_path_of(const town *drawn, const town_relation *relation, const sequence *path)
{
    const uint32_t first = path->arc[0], last = path->arc[path->count - 1];
    if (path->count < 2 || drawn->of_way[first] != relation->from || drawn->of_way[last] != relation->to)
        return false;
    const uint32_t before = path->arc[path->count - 2];
    if (drawn->of_way[before] == relation->to && is_reverse(drawn, before, last) != relation->u_turn)
        return false;
    if (relation->via_count > 0) return path->count > 2 && crosses_via(drawn, relation, path);
    return path->count == 2 && drawn->rules.arc[first].head == relation->via_node;
}

static bool is_named(const town *drawn, const town_relation *relation, const sequence *path)
{
    if (!is_path_of(drawn, relation, path)) return false;
    for (size_t count = 2; count < path->count; ++count) { /* no shorter one leaves it for the to way */
        sequence shorter = *path;
        shorter.count = count;
        for (uint32_t arc = 0; arc < drawn->rules.arc_count; ++arc) {
            shorter.arc[count - 1] = arc;
            if (drawn->rules.arc[arc].tail == drawn->rules.arc[shorter.arc[count - 2]].head &&
                is_path_of(drawn, relation, &shorter))
                return false;
        }
    }
    return true;
}

/* Calls `visit` for each sequence of arcs that meet; true if one call returned true. */
static bool any_sequence(const town *drawn, bool (*visit)(const town *, const sequence *, void *),
                         void *argument)
{
    sequence path = {.count = 0};
    uint32_t next = 0;
    for (;;) { /* depth first: path.arc[count] = next is tried */
        const rule_arc *arc = drawn->rules.arc;
        if (next == drawn->rules.arc_count || path.count == RULE_PATH_ARCS) {
            if (path.count == 0) return false;
            next = path.arc[--path.count] + 1;
        } else if (path.count > 0 && arc[next].tail != arc[path.arc[path.count - 1]].head) {
            ++next;
        } else {
            path.arc[path.count++] = next;
            next = 0;
            if (visit(drawn, &path, argument)) return true;
        }
    }
}

typedef struct meant_arcs {
    const town_relation *relation;
    uint32_t first, last;
    bool found;
} meant_arcs;

static bool differs(const town *drawn, const sequence *path, void *argument)
{
    meant_arcs *const meant = argument;
    if (!is_named(drawn, meant->relation, path)) return false;
    const uint32_t first = path->arc[0], last = path->arc[path->count - 1];
    if (meant->found && (meant->first != first || meant->last != last)) return true;
    *meant = (meant_arcs){meant->relation, first, last, true};
    return false;
}

/* Whether it leads from its from way into its to way by several arcs. */
static bool is_ambiguous(const town *drawn, const town_relation *relation)
{
    meant_arcs meant = {.relation = relation};
    return any_sequence(drawn, differs, &meant);
}

typedef struct beginning {
    const town_relation *relation;
    const sequence *path;
    size_t count; /* of path's arcs that are the beginning of a path as long as it at least */
} beginning;

static bool begins_so(const town *drawn, const sequence *path, void *argument)
{
    const beginning *wanted = argument;
    return path->count >= wanted->path->count &&
           memcmp(path->arc, wanted->path->arc, wanted->count * sizeof *path->arc) == 0 &&
           is_named(drawn, wanted->relation, path);
}

/* An only_ forbids the last arc of `path` if the arcs before it begin a path of its, and all of them do
 * not. */
static bool forbids(const town *drawn, const town_relation *relation, const sequence *path)
{
    if (!relation->only) return is_named(drawn, relation, path);
    beginning before = {relation, path, path->count - 1}, all = {relation, path, path->count};
    return any_sequence(drawn, begins_so, &before) && !any_sequence(drawn, begins_so, &all);
}

static bool is_restricted(const town *drawn, const sequence *path)
{
    for (size_t r = 0; r < drawn->relation_count; ++r)
        if (forbids(drawn, &drawn->relation[r], path)) return true;
    return false;
}

/* Whether one who comes by `from` goes on by `arc`: not back, not into a private road that begins there. */
static bool is_way_on(const town *drawn, uint32_t from, uint32_t arc)
{
    const rule_arc *road = &drawn->rules.arc[from], *on = &drawn->rules.arc[arc];
    const sequence path = {{from, arc}, 2};
    return on->tail == road->head && drawn->segment[arc] != drawn->segment[from] &&
           (!on->ends || road->ends || road->no_exit || road->no_entry) && !is_restricted(drawn, &path);
}

/* Whether an arc is blind: at its end one cannot turn back, and all ways on are blind. After `depth` arcs
 * that are not, none is. */
static bool is_blind(const town *drawn, uint32_t from, size_t depth)
{
    if (depth == 0) return false;
    for (uint32_t arc = 0; arc < drawn->rules.arc_count; ++arc) {
        const sequence back = {{from, arc}, 2};
        if (is_reverse(drawn, from, arc) && !is_restricted(drawn, &back)) return false;
        if (is_way_on(drawn, from, arc) && !is_blind(drawn, arc, depth - 1)) return false;
    }
    return true;
}

static bool is_needless_u_turn(const town *drawn, const sequence *path)
{
    const uint32_t from = path->arc[0];
    if (path->count != 2 || !drawn->avoids_u_turns || !is_reverse(drawn, from, path->arc[1])) return false;
    for (uint32_t arc = 0; arc < drawn->rules.arc_count; ++arc)
        if (is_way_on(drawn, from, arc) && !is_blind(drawn, arc, NODES)) return true;
    return false;
}

static bool take_rule(const town *drawn, const sequence *path, void *argument)
{
    rule_set *rules = argument;
    if (path->count < 2 || (!is_restricted(drawn, path) && !is_needless_u_turn(drawn, path))) return false;
    cr_assert_lt(rules->path_count, RULE_PATHS);
    rule_path *rule = &rules->path[rules->path_count++];
    rule->count = path->count;
    memcpy(rule->arc, path->arc, sizeof rule->arc);
    return false;
}

/* ---- claims ---- */

static void take_weights(town *drawn)
{
    for (size_t a = 0; a < drawn->rules.arc_count; ++a) {
        rule_arc *arc = &drawn->rules.arc[a];
        size_t i = 0;
        while (i < import_map.arc_count && (import_way(i) != 100 + drawn->of_way[a] ||
                                            import_map.node_id[import_map.tail[i]] != arc->tail + 1 ||
                                            import_map.node_id[import_map.head[i]] != arc->head + 1))
            ++i;
        cr_assert_lt(i, import_map.arc_count);
        arc->weight = import_map.weight[0][i];
    }
}

static bool is_on_map(uint32_t node)
{
    return mcd_map_find_id(&import_map, node + 1) < import_map.id_count;
}

Test(osm_rules, costs_are_those_of_the_walks_that_keep_them)
{
    test_rng rng = {3};
    static town drawn;
    for (size_t trial = 0; trial < TRIALS; ++trial) {
        draw_town(&drawn, &rng);
        read_town(&drawn);
        take_weights(&drawn);
        any_sequence(&drawn, take_rule, &drawn.rules);
        for (uint32_t source = 0; source < NODES; ++source) {
            uint32_t cost[NODES];
            rule_oracle_tree(&drawn.rules, source, cost, NODES);
            for (uint32_t target = 0; target < NODES && is_on_map(source); ++target)
                if (is_on_map(target))
                    cr_assert_eq(import_cost(source + 1, target + 1), cost[target], "trial %zu, %u to %u: %s",
                                 trial, source + 1, target + 1, write_town(&drawn));
        }
        mcd_map_free(&import_map);
    }
}
