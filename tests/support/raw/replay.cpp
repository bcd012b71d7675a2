/* replay.cpp - see replay.h. */
#include "tests/support/raw/replay.h"

#include "tests/support/raw/walk.h"

#include <algorithm>
#include <cmath>

namespace raw
{

namespace
{

std::string of_way(const char *fault, const arc &at)
{
    return std::string(fault) + ", way " + std::to_string(at.way) + " from node " +
           std::to_string(at.tail()) + " to node " + std::to_string(at.head());
}

bool is_at(const node &there, double lon, double lat)
{
    return std::lround(lon * 1e7) == there.lon_e7 && std::lround(lat * 1e7) == there.lat_e7;
}

/* The points of an arc are its way's nodes, one after the other; of a part of it, those between its ends. */
bool lies_on_nodes(const macadam_route &route, const macadam_route_arc &part, const arc &whole)
{
    const bool from_node = part.from == 0, to_node = part.to == 1;
    const size_t first = part.first_shape + !from_node, last = part.end_shape - !to_node;
    const size_t count = last - std::min(first, last), node_count = whole.nodes.size();
    if (count > node_count || (from_node && to_node && count < node_count)) return false;
    const size_t lowest = to_node ? node_count - count : 0, highest = from_node ? 0 : node_count - count;
    for (size_t at = lowest; at <= highest; ++at) {
        size_t i = 0;
        while (i < count && is_at(whole.nodes[at + i], route.lon[first + i], route.lat[first + i])) ++i;
        if (i == count) return true;
    }
    return false;
}

/* Whether the route, from its arc i on, is the path, or as much of it as there is route. */
bool goes_along(const arc_list &driven, size_t i, const arc_list &path)
{
    const size_t length = std::min(path.size(), driven.size() - i);
    return std::equal(path.begin(), path.begin() + static_cast<ptrdiff_t>(length),
                      driven.begin() + static_cast<ptrdiff_t>(i));
}

/* The arcs meet, and each goes on into the next as it may; nothing forbidden is driven as a whole. */
std::string follow_on(const network &roads, const arc_list &driven)
{
    for (size_t i = 0; i + 1 < driven.size(); ++i) {
        if (roads.arcs[driven[i]].head() != roads.arcs[driven[i + 1]].tail())
            return of_way("the route jumps to", roads.arcs[driven[i + 1]]);
        if (!roads.find_turn(driven[i], driven[i + 1]))
            return of_way("a turn that may not be made into", roads.arcs[driven[i + 1]]);
    }
    for (size_t i = 0; i < driven.size(); ++i)
        for (auto at = roads.forbidden.lower_bound({driven[i]});
             at != roads.forbidden.end() && at->front() == driven[i]; ++at)
            if (at->size() <= driven.size() - i && goes_along(driven, i, *at))
                return of_way("a forbidden sequence from", roads.arcs[driven[i]]);
    return "";
}

/* Whether the route, from its arc i of the from way on, keeps to one relation. */
bool keeps(const network &roads, const rule &said, const arc_list &driven, size_t i)
{
    if (said.via_node && roads.arcs[driven[i]].head() != said.via_node) return true;
    const std::vector<arc_list> paths = roads.paths_of(said, driven[i]);
    const auto begins_so = [&](const arc_list &path) { return goes_along(driven, i, path); };
    const auto is_driven = [&](const arc_list &path) {
        return path.size() <= driven.size() - i && begins_so(path);
    };
    if (!said.only) return std::none_of(paths.begin(), paths.end(), is_driven);
    return paths.empty() || std::any_of(paths.begin(), paths.end(), begins_so);
}

std::string keep_relations(const network &roads, const arc_list &driven)
{
    for (size_t i = 0; i < driven.size(); ++i) {
        const auto said = roads.rules_of_way.equal_range(roads.arcs[driven[i]].way);
        for (auto at = said.first; at != said.second; ++at)
            if (!keeps(roads, roads.rules[at->second], driven, i))
                return of_way("a restriction is broken from", roads.arcs[driven[i]]);
    }
    return "";
}

/* Roads for ends, others, roads for ends; roads of gated areas as they say. */
bool keeps_to_its_ends(const network &roads, const arc_list &driven)
{
    const auto begins = [&](uint32_t a) { return roads.arcs[a].ends || roads.arcs[a].no_exit; };
    const auto is_for_ends = [&](uint32_t a) { return roads.arcs[a].ends; };
    const auto is_through = [&](uint32_t a) { return !roads.arcs[a].ends && !roads.arcs[a].no_entry; };
    const auto first = std::find_if_not(driven.begin(), driven.end(), begins);
    const auto behind = std::find_if(first, driven.end(), is_for_ends);
    return std::none_of(behind, driven.end(), is_through);
}

/* Parts of arcs, the price of turns, and the wait at the junction where the route ends. */
std::string add_up(const network &roads, const macadam_route &route, const arc_list &driven)
{
    uint64_t sum[QUANTITIES] = {0, 0};
    for (size_t i = 0; i < driven.size(); ++i)
        for (int q = 0; q < QUANTITIES; ++q) {
            const uint32_t weight = roads.arcs[driven[i]].weight[q];
            const auto until = [&](double part) {
                return share_of(weight, static_cast<uint64_t>(part * 0x1p32));
            };
            uint32_t part = until(route.arc[i].to) - until(route.arc[i].from);
            if (i > 0 && q == DURATION) part += roads.find_turn(driven[i - 1], driven[i])->price;
            const bool arrives = i + 1 == driven.size() && route.arc[i].to == 1;
            if (arrives && q == DURATION) part += roads.arcs[driven[i]].wait;
            if (part != route.arc[i].value[q]) return of_way("another weight", roads.arcs[driven[i]]);
            sum[q] += part;
        }
    return sum[0] == route.value[0] && sum[1] == route.value[1] ? "" : "another sum";
}

} // namespace

std::string replay(const network &roads, const macadam_route &route, const arc_list &driven)
{
    for (size_t i = 0; i < driven.size(); ++i) {
        const arc &whole = roads.arcs[driven[i]];
        const macadam_route_arc &part = route.arc[i];
        if (part.way != whole.way || part.tail != whole.tail() || part.head != whole.head())
            return of_way("another arc than", whole);
        if ((i > 0 && part.from != 0) || (i + 1 < driven.size() && part.to != 1))
            return of_way("a part within the route", whole);
        if (!lies_on_nodes(route, part, whole)) return of_way("points off", whole);
    }
    std::string fault = follow_on(roads, driven);
    if (fault.empty()) fault = keep_relations(roads, driven);
    if (fault.empty() && !keeps_to_its_ends(roads, driven)) fault = "through a road for ends";
    return fault.empty() ? add_up(roads, route, driven) : fault;
}

} // namespace raw
