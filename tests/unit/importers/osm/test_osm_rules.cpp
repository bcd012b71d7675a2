/* test_osm_rules.cpp - random small towns with restrictions, private roads and one-way roads: the costs on the imported
 * map equal those of the cheapest walks that keep the rules on the raw file (tests/support/raw). */
#include "tests/support/raw/walk.h"

extern "C" {
#include "tests/support/import_fixture.h"
#include "tests/support/osm_map.h"
#include "tests/support/rng.h"
}

#include <algorithm>
#include <criterion/criterion.h>

TestSuite(osm_rules, .init = import_fixture_open, .fini = import_fixture_close);

enum { NODES = 6, WAYS = 5, RELATIONS = 4, TRIALS = 400 };

using std::to_string;
using node_list = std::vector<uint32_t>; /* of a way: ids */

static bool has(const node_list &way, uint32_t node)
{
    return std::find(way.begin(), way.end(), node) != way.end();
}

static std::string tag(const std::string &key, const std::string &value)
{
    return "<tag k='" + key + "' v='" + value + "'/>";
}

static std::string draw_way(size_t way, node_list *nodes, test_rng *rng)
{
    std::string text = "<way id='" + to_string(100 + way) + "' version='1'>" + tag("highway", "residential");
    for (const size_t count = 2 + rng_below(rng, 2); nodes->size() < count;) {
        const uint32_t node = 1 + rng_below(rng, NODES);
        if (!has(*nodes, node)) nodes->push_back(node);
    }
    for (const uint32_t node : *nodes) text += "<nd ref='" + to_string(node) + "'/>";
    if (rng_below(rng, 4) == 0) text += tag("oneway", "yes");
    if (rng_below(rng, 5) == 0) text += tag("access", "private");
    return text + "</way>";
}

static std::string member(const std::string &type, size_t id, const std::string &role)
{
    return "<member type='" + type + "' ref='" + to_string(id) + "' role='" + role + "'/>";
}

/* It follows a walk along two to four ways, so it is likely to apply; the last of its via ways is named first. */
static std::string draw_relation(size_t relation, const std::vector<node_list> &ways, test_rng *rng)
{
    static const char *const where[] = {"left_turn", "right_turn", "straight_on", "u_turn"};
    const std::string kind = std::string(rng_below(rng, 3) == 0 ? "only_" : "no_") + where[rng_below(rng, 4)];
    const size_t last = 1 + rng_below(rng, 3);
    std::string from, via, to;
    uint32_t way = rng_below(rng, WAYS);
    for (size_t i = 0; i <= last; ++i) {
        const std::string on = member("way", 100 + way, i == 0 ? "from" : i == last ? "to" : "via");
        (i == 0 ? from : i == last ? to : via).insert(0, via.find(on) == std::string::npos ? on : "");
        const uint32_t node = ways[way][rng_below(rng, (uint32_t)ways[way].size())];
        if (last == 1 && i == 0) via = member("node", node, "via");
        do way = rng_below(rng, WAYS);
        while (!has(ways[way], node));
    }
    return "<relation id='" + to_string(relation) + "' version='1'>" + from + via + to +
           tag("type", "restriction") + tag("restriction", kind) + "</relation>";
}

static std::string draw_town(test_rng *rng)
{
    std::string text = "<?xml version='1.0'?><osm version='0.6'>";
    std::vector<node_list> ways(WAYS);
    for (uint32_t i = 0; i < NODES; ++i) /* no two in one place */
        text += "<node id='" + to_string(i + 1) + "' version='1' lat='0." +
                to_string(100 + 20 * i + rng_below(rng, 20)) + "' lon='0." +
                to_string(100 + rng_below(rng, 20)) + "'/>";
    for (size_t w = 0; w < WAYS; ++w) text += draw_way(w, &ways[w], rng);
    for (size_t r = rng_below(rng, RELATIONS + 1); r > 0; --r) text += draw_relation(r, ways, rng);
    return text + "</osm>";
}

Test(osm_rules, costs_are_those_of_the_walks_that_keep_them)
{
    test_rng rng = {3};
    size_t rules = 0, only = 0, over_ways = 0;
    for (size_t trial = 0; trial < TRIALS; ++trial) {
        const std::string text = draw_town(&rng), profile = std::string("like car\nname town\nu_turns ") +
                                                            (trial % 2 ? "anywhere\n" : "dead_ends\n");
        const char *const path = import_write("town.osm", text.c_str()), *const rows = import_write(
                                                                             "town.profile", profile.c_str());
        const raw::file data(path);
        const raw::traveller who(rows);
        const raw::network roads(data, who);
        raw::walker walker(roads, raw::DURATION);
        osm_map_read(&import_map, path, rows);
        node_list ids;
        for (int64_t node = 1; node <= NODES; ++node) {
            const bool is_end = !roads.out(node).empty() || !roads.in(node).empty();
            cr_assert_eq(mcd_map_find_id(&import_map, node) < import_map.id_count, is_end, "%s",
                         text.c_str());
            if (is_end) ids.push_back((uint32_t)node);
        }
        for (const uint32_t source : ids) {
            walker.start({source, {}});
            for (const uint32_t target : ids) {
                const raw::cost right = walker.reach({target, {}});
                cr_assert_eq(import_cost(source, target), right.found ? right.value[0] : MACADAM_UNREACHED,
                             "trial %zu, %u to %u: %u: %s", trial, source, target, right.value[0],
                             text.c_str());
            }
        }
        for (const raw::rule &said : roads.rules) ++rules, only += said.only, over_ways += !said.via.empty();
        mcd_map_free(&import_map);
    }
    cr_assert(rules > TRIALS / 2 && only > TRIALS / 10 && over_ways > TRIALS / 10, "%zu, %zu, %zu", rules,
              only, over_ways);
}
