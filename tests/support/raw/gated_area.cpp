/* gated_area.cpp - see gated_area.h. Strongly connected arcs by two depth-first searches (Kosaraju, Sharir 1981). */
#include "tests/support/raw/gated_area.h"

#include <algorithm>

namespace raw
{

namespace
{

struct finder {
    const std::vector<arc> &arcs;
    const std::function<const arc_list &(int64_t)> &out, &in;
    const std::function<passing(int64_t)> &at;
    std::vector<bool> ends, left; /* arcs that are for ends; those that no round before has settled */

    /* Back along the same stretch one may go anywhere. */
    bool follows(uint32_t from, uint32_t to, bool all) const
    {
        const passing here = at(arcs[from].head());
        if (!all && (ends[from] || ends[to])) return false;
        return arcs[from].segment == arcs[to].segment || here == passing::open ||
               (all && here == passing::gate);
    }

    arc_list next(uint32_t a, bool all, bool backward) const
    {
        arc_list found;
        for (const uint32_t b : backward ? in(arcs[a].tail()) : out(arcs[a].head()))
            if (left[b] && (backward ? follows(b, a, all) : follows(a, b, all))) found.push_back(b);
        return found;
    }

    /* The public arcs, each after those that it leads to. */
    arc_list finished() const
    {
        std::vector<bool> seen(arcs.size());
        arc_list order;
        for (uint32_t first = 0; first < arcs.size(); ++first) {
            std::vector<std::pair<uint32_t, arc_list>> path;
            const auto enter = [&](uint32_t a) {
                if (seen[a] || ends[a] || !left[a]) return;
                seen[a] = true;
                path.emplace_back(a, next(a, false, false));
            };
            for (enter(first); !path.empty();) {
                if (path.back().second.empty()) {
                    order.push_back(path.back().first);
                    path.pop_back();
                    continue;
                }
                const uint32_t b = path.back().second.back();
                path.back().second.pop_back();
                enter(b);
            }
        }
        return order;
    }

    /* Groups of public arcs that lead to each other. */
    std::vector<arc_list> strong() const
    {
        const arc_list order = finished();
        std::vector<bool> taken(arcs.size());
        std::vector<arc_list> groups;
        for (size_t i = order.size(); i-- > 0;) {
            if (taken[order[i]]) continue;
            groups.emplace_back(1, order[i]);
            taken[order[i]] = true;
            for (size_t done = 0; done < groups.back().size(); ++done)
                for (const uint32_t b : next(groups.back()[done], false, true))
                    if (!taken[b]) taken[b] = true, groups.back().push_back(b);
        }
        return groups;
    }

    /* The number of each node's connected part; blocked nodes have none. */
    std::unordered_map<int64_t, size_t> parts() const
    {
        std::unordered_map<int64_t, size_t> part;
        for (size_t end = 0; end < 2 * arcs.size(); ++end) {
            if (!left[end / 2]) continue;
            std::vector<int64_t> open = {end % 2 ? arcs[end / 2].tail() : arcs[end / 2].head()};
            const size_t number = part.size();
            while (!open.empty()) {
                const int64_t node = open.back();
                open.pop_back();
                if (at(node) == passing::blocked || !part.emplace(node, number).second) continue;
                for (const uint32_t a : out(node))
                    if (left[a]) open.push_back(arcs[a].head());
                for (const uint32_t a : in(node))
                    if (left[a]) open.push_back(arcs[a].tail());
            }
        }
        return part;
    }

    /* Open junctions between which public roads lead both ways. */
    std::vector<std::set<int64_t>> junction_groups() const
    {
        std::vector<std::set<int64_t>> groups;
        std::set<int64_t> grouped;
        const auto add = [&](const arc_list &group) {
            std::set<int64_t> nodes;
            for (const uint32_t a : group)
                for (const int64_t node : {arcs[a].tail(), arcs[a].head()})
                    if (at(node) == passing::open) nodes.insert(node);
            if (!nodes.empty()) groups.push_back(nodes);
            grouped.insert(nodes.begin(), nodes.end());
        };
        const std::vector<arc_list> strong_groups = strong();
        for (const arc_list &group : strong_groups)
            if (group.size() > 1) add(group);
        for (size_t a = 0; a < arcs.size(); ++a)
            for (const int64_t node : {arcs[a].tail(), arcs[a].head()})
                if (left[a] && at(node) == passing::open && grouped.insert(node).second)
                    groups.push_back({node});
        return groups;
    }

    /* In cm, 1 at least; ferries and trains do not count. */
    uint64_t length(uint32_t a) const
    {
        return arcs[a].ferry ? 1 : std::max<uint64_t>(1, arcs[a].weight[1]);
    }

    /* Of each part the group with the longest public arcs out of it, one at least; of these the one with the
     * smallest junction. */
    std::set<int64_t> cores() const
    {
        const auto part = parts();
        std::map<size_t, std::pair<uint64_t, std::set<int64_t>>> best;
        for (const std::set<int64_t> &group : junction_groups()) {
            uint64_t sum = 0;
            for (const int64_t node : group)
                for (const uint32_t a : out(node))
                    if (left[a] && !ends[a]) sum += length(a);
            auto &held = best[part.at(*group.begin())];
            if (sum > held.first || (sum > 0 && sum == held.first && *group.begin() < *held.second.begin()))
                held = {sum, group};
        }
        std::set<int64_t> core;
        for (const auto &held : best) core.insert(held.second.second.begin(), held.second.second.end());
        return core;
    }

    /* The arcs that can be reached from the core, or that lead there. */
    std::vector<bool> reach(const std::set<int64_t> &core, bool all, bool backward) const
    {
        std::vector<bool> seen(arcs.size());
        arc_list open;
        for (uint32_t a = 0; a < arcs.size(); ++a)
            if (left[a] && (all || !ends[a]) && core.count(backward ? arcs[a].head() : arcs[a].tail()))
                seen[a] = true, open.push_back(a);
        while (!open.empty()) {
            const uint32_t a = open.back();
            open.pop_back();
            for (const uint32_t b : next(a, all, backward))
                if (!seen[b]) seen[b] = true, open.push_back(b);
        }
        return seen;
    }
};

} // namespace

std::vector<gated_area> find_gated_areas(const std::vector<arc> &arcs,
                                         const std::function<const arc_list &(int64_t)> &out,
                                         const std::function<const arc_list &(int64_t)> &in,
                                         const std::function<passing(int64_t)> &at)
{
    finder roads = {arcs, out, in, at, std::vector<bool>(arcs.size()), std::vector<bool>(arcs.size(), true)};
    std::vector<gated_area> found_gated_areas(arcs.size());
    for (size_t a = 0; a < arcs.size(); ++a) roads.ends[a] = arcs[a].ends;
    for (bool found = true; found;) {
        const std::set<int64_t> core = roads.cores();
        std::vector<bool> inside(arcs.size()), settled(arcs.size(), true);
        for (const bool backward : {false, true}) {
            const std::vector<bool> all = roads.reach(core, true, backward),
                                    open = roads.reach(core, false, backward);
            for (size_t a = 0; a < arcs.size(); ++a) {
                const bool lacks = all[a] && !open[a] && !roads.ends[a];
                inside[a] = inside[a] || lacks;
                (backward ? found_gated_areas[a].no_exit : found_gated_areas[a].no_entry) |= lacks;
                settled[a] = settled[a] && all[a];
            }
        }
        bool settles = false, is_public = false, tagged = false; /* what is left */
        for (size_t a = 0; a < arcs.size(); ++a) {
            const bool at_gate = at(arcs[a].tail()) == passing::gate || at(arcs[a].head()) == passing::gate;
            roads.ends[a] = roads.ends[a] || (inside[a] && at_gate);
            settles = settles || (roads.left[a] && settled[a]);
            roads.left[a] = roads.left[a] && !settled[a];
            is_public = is_public || (roads.left[a] && !roads.ends[a] &&
                                      !(found_gated_areas[a].no_exit && found_gated_areas[a].no_entry));
            tagged = tagged || (roads.left[a] && (roads.ends[a] || at_gate));
        }
        found = settles && is_public && tagged;
    }
    return found_gated_areas;
}

} // namespace raw
