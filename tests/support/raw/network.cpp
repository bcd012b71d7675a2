/* network.cpp - see network.h. */
#include "tests/support/raw/network.h"

#include "tests/support/raw/gated_area.h"

#include <algorithm>
#include <cmath>

namespace raw
{

namespace
{

const double radians_per_e7 = 3.14159265358979323846 / 180 / 1e7;

} // namespace

/* (Vincenty 1975: the inverse formula) */
double geodesic_m(const node &a, const node &b)
{
    const double equator_m = 6378137, f = 1 / 298.257223563, pole_m = equator_m * (1 - f);
    const double east = std::remainder((static_cast<double>(b.lon_e7) - a.lon_e7), 3.6e9) * radians_per_e7;
    const double u = std::atan((1 - f) * std::tan(a.lat_e7 * radians_per_e7)),
                 v = std::atan((1 - f) * std::tan(b.lat_e7 * radians_per_e7));
    double lambda = east, sin_s = 0, cos_s = 1, s = 0, cos2_alpha = 1, cos_2m = 0;
    if (a.lon_e7 == b.lon_e7 && a.lat_e7 == b.lat_e7) return 0;
    for (int i = 0; i < 100; ++i) {
        sin_s = std::hypot(std::cos(v) * std::sin(lambda),
                           std::cos(u) * std::sin(v) - std::sin(u) * std::cos(v) * std::cos(lambda));
        cos_s = std::sin(u) * std::sin(v) + std::cos(u) * std::cos(v) * std::cos(lambda);
        s = std::atan2(sin_s, cos_s);
        const double sin_alpha = std::cos(u) * std::cos(v) * std::sin(lambda) / sin_s;
        cos2_alpha = 1 - sin_alpha * sin_alpha;
        cos_2m = cos2_alpha < 1e-12 ? 0 : cos_s - 2 * std::sin(u) * std::sin(v) / cos2_alpha;
        const double c = f / 16 * cos2_alpha * (4 + f * (4 - 3 * cos2_alpha)), before = lambda;
        lambda = east +
                 (1 - c) * f * sin_alpha * (s + c * sin_s * (cos_2m + c * cos_s * (2 * cos_2m * cos_2m - 1)));
        if (std::fabs(lambda - before) < 1e-15) break;
    }
    const double w = cos2_alpha * (equator_m * equator_m - pole_m * pole_m) / (pole_m * pole_m);
    const double k = 1 + w / 16384 * (4096 + w * (-768 + w * (320 - 175 * w)));
    const double l = w / 1024 * (256 + w * (-128 + w * (74 - 47 * w)));
    const double more = l * sin_s *
                        (cos_2m + l / 4 *
                                      (cos_s * (2 * cos_2m * cos_2m - 1) -
                                       l / 6 * cos_2m * (4 * sin_s * sin_s - 3) * (4 * cos_2m * cos_2m - 3)));
    return pole_m * k * (s - more);
}

namespace
{

double length_m(const std::vector<node> &nodes)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < nodes.size(); ++i) sum += geodesic_m(nodes[i], nodes[i + 1]);
    return sum;
}

const arc_list nothing;

const arc_list &arcs_at(const std::unordered_map<int64_t, arc_list> &lists, int64_t node)
{
    const auto found = lists.find(node);
    return found == lists.end() ? nothing : found->second;
}

bool is_open(const passage &open)
{
    return open.open[THERE] || open.open[BACK];
}

} // namespace

network::network(const file &raw_data, const traveller &who) : data(raw_data), m_who(who)
{
    std::vector<passage> open;
    for (const way &road : data.ways) open.push_back(who.pass(road.said));
    for (size_t w = 0; w < open.size(); ++w)
        if (is_open(open[w])) mark(data.ways[w], open[w]);
    for (auto &at : m_point) {
        const auto said = data.node_tags.find(at.first);
        if (said != data.node_tags.end()) at.second.at = who.stop_at(said->second);
    }
    name_ways();
    share_ferry_lines(open);
    for (size_t w = 0; w < open.size(); ++w)
        if (is_open(open[w])) cut(data.ways[w], open[w]);
    for (uint32_t a = 0; a < arcs.size(); ++a) {
        m_out[arcs[a].tail()].push_back(a);
        m_in[arcs[a].head()].push_back(a);
    }
    add_waits();
    mark_gated_areas();
    for (const relation &said : data.restrictions) {
        std::string kind;
        switch (who.judge(said, &kind)) {
        case concern::none:
            ++fates["turn restrictions that do not concern the profile"];
            break;
        case concern::conditional:
            ++fates["turn restrictions skipped: they hold at times only"];
            break;
        case concern::malformed:
            ++fates["turn restrictions skipped: not a from, a via and a to"];
            break;
        case concern::unknown_kind:
            ++fates["turn restrictions skipped: of an unknown kind"];
            break;
        case concern::on_red:
            ++fates["turn restrictions skipped: they hold at red lights only"];
            break;
        case concern::binding:
            take(said, kind);
            break;
        }
    }
    next.resize(arcs.size());
    find_blind();
    for (uint32_t a = 0; a < arcs.size(); ++a) add_turns(a);
}

const arc_list &network::out(int64_t node) const
{
    return arcs_at(m_out, node);
}

const arc_list &network::in(int64_t node) const
{
    return arcs_at(m_in, node);
}

/* ---- arcs ---- */

/* Points that the way does not go on from to another that is there count for nothing. */
void network::mark(const way &road, const passage &open)
{
    for (size_t i = 0; i < road.ref.size(); ++i) {
        if (!data.find(road.ref[i])) continue;
        const bool before = i > 0 && data.find(road.ref[i - 1]);
        const bool behind = i + 1 < road.ref.size() && data.find(road.ref[i + 1]);
        point &at = m_point[road.ref[i]];
        at.uses += before && behind ? 1 : before || behind ? 2 : 0;
        at.land = at.land || !open.ferry;
    }
}

bool network::is_junction(int64_t id) const
{
    const point &at = m_point.at(id);
    return at.uses > 1 || at.at.blocked || at.at.ends || at.at.blocked_across;
}

/* Roads are also cut where one waits. */
bool network::is_node(int64_t id) const
{
    const stop &at = m_point.at(id).at;
    return is_junction(id) || at.wait_s[THERE] > 0 || at.wait_s[BACK] > 0;
}

/* A relation's duration of all its ferries is shared out by length among the ferries without one. */
void network::share_ferry_lines(std::vector<passage> &open) const
{
    std::unordered_map<int64_t, size_t> ferries;
    for (size_t w = 0; w < open.size(); ++w)
        if (is_open(open[w]) && open[w].ferry) ferries[data.ways[w].id] = w;
    const auto length_of = [&](size_t w) {
        std::vector<node> nodes;
        for (const int64_t id : data.ways[w].ref)
            if (const node *there = data.find(id)) nodes.push_back(*there);
        return nodes.size() == data.ways[w].ref.size() ? length_m(nodes) : 0;
    };
    for (const relation &said : data.ferry_lines) {
        const std::string *duration = said.said.get("duration");
        double left_s = duration ? traveller::seconds_in(*duration) : 0, metres = 0;
        bool known = left_s > 0;
        std::set<size_t> line; /* members may be piers, or twice there */
        for (const member &at : said.members)
            if (at.type == 'w' && ferries.count(at.id)) line.insert(ferries[at.id]);
        for (const size_t w : line) {
            known = known && length_of(w) > 0;
            left_s -= open[w].duration_s;
            metres += open[w].duration_s == 0 ? length_of(w) : 0;
        }
        for (const size_t w : line)
            if (known && left_s > 0 && open[w].duration_s == 0)
                open[w].duration_s = left_s * length_of(w) / metres;
    }
}

/* From a node of the way to the next junction, or where the way ends; infinite if that is not in sight. */
double network::to_junction_m(const way &road, size_t at, int step) const
{
    double metres = 0;
    const size_t last = step < 0 ? 0 : road.ref.size() - 1;
    for (int count = 0; at != last; ++count) {
        const node *here = data.find(road.ref[at]),
                   *there = data.find(road.ref[at + static_cast<size_t>(step)]);
        if (!there || count == 64) return INFINITY;
        metres += geodesic_m(*here, *there);
        at += static_cast<size_t>(step);
        if (is_junction(there->id)) return metres;
    }
    return metres;
}

/* The facts that conditions of a query look at: class, flags, limits, and rules for some vehicles. */
static std::set<std::string> facts_of(const tags &said)
{
    static const std::set<std::string> loose = {
        "unpaved", "gravel",      "fine_gravel", "dirt", "earth",     "ground", "grass", "sand",
        "mud",     "pebblestone", "compacted",   "rock", "woodchips", "snow",   "ice",   "salt"};
    static const std::set<std::string> built = {"tunnel", "bridge", "ford"};
    std::set<std::string> out;
    for (const auto &[key, value] : said.all()) {
        const std::string start = key.substr(0, 3);
        const bool limit = start == "max" && key.compare(0, 8, "maxspeed") != 0;
        if ((built.count(key) && value != "no") || (key == "surface" && loose.count(value)))
            out.insert(key);
        else if (limit || start == "tol" || key == "highway" || key == "junction" || key == "motorroad" ||
                 value.find_first_of("<>") != std::string::npos)
            out.insert(key + "=" + value);
    }
    return out;
}

void network::cut(const way &road, const passage &open)
{
    const std::set<std::string> facts = facts_of(road.said);
    std::vector<node> all, stretch;
    for (const int64_t id : road.ref)
        if (const node *there = data.find(id)) all.push_back(*there);
    const bool whole = all.size() == road.ref.size();
    const double way_m = open.duration_s > 0 && whole ? length_m(all) : 0;
    for (size_t i = 0; i < road.ref.size(); ++i) {
        const int64_t id = road.ref[i];
        const node *there = data.find(id);
        if (!there) {
            stretch.clear();
            continue;
        }
        stretch.push_back(*there);
        if (stretch.size() == 1 || !is_node(id)) continue;
        const size_t first = arcs.size();
        for (int d = 0; d < DIRECTIONS; ++d)
            if (open.open[d]) add_arc(road, open, stretch, i, d, way_m);
        drop_twin(first, facts);
        ++m_segment_count;
        stretch = {*there};
    }
}

void network::add_arc(const way &road, const passage &open, const std::vector<node> &stretch, size_t end,
                      int direction, double way_m)
{
    const double metres = length_m(stretch);
    const double seconds =
        way_m > 0 ? open.duration_s * metres / way_m : metres * 3.6 / open.speed_kmh[direction];
    const std::string *name = road.said.get("name");
    if (!name) name = road.said.get("ref");
    arc added = {road.id, stretch, m_segment_count,   open.ends[direction], false, false, open.ferry, false,
                 false,   0,       name ? *name : "", open.class_kmh,       false, false, {0, 0}};
    added.roundabout = road.said.is("junction", "roundabout");
    added.circle = added.roundabout || road.said.is("junction", "circular");
    static const std::set<std::string> walkways = {"footway",    "path",  "cycleway",
                                                   "pedestrian", "steps", "bridleway"};
    const std::string *highway = road.said.get("highway");
    added.walkway = !open.ferry && highway && walkways.count(*highway);
    if (direction == BACK) std::reverse(added.nodes.begin(), added.nodes.end());
    added.boards = open.ferry && m_point.at(added.tail()).land;
    const size_t at = direction == THERE ? end : end + 1 - stretch.size();
    const stop &head = m_point.at(added.head()).at;
    const bool both = open.open[THERE] && open.open[BACK], within = !is_junction(added.head());
    const int step = direction == THERE ? 1 : -1;
    const bool passed =
        head.sign && within && both && to_junction_m(road, at, step) > to_junction_m(road, at, -step) + 1;
    added.wait = passed ? 0 : static_cast<uint32_t>(std::lround(head.wait_s[direction] * 1000));
    const double all_s = seconds + (added.boards ? m_who.table().boarding_s : 0);
    added.weight[DURATION] = static_cast<uint32_t>(std::lround(all_s * 1000));
    added.weight[DISTANCE] = static_cast<uint32_t>(std::lround(metres * 100));
    arcs.push_back(std::move(added));
}

/* At a junction a sign may be meant for lesser roads. */
void network::add_waits()
{
    for (arc &at : arcs) {
        const stop &head = m_point.at(at.head()).at;
        if (!head.minor || !is_junction(at.head())) continue;
        const arc_list &on = out(at.head());
        const bool lesser = std::any_of(on.begin(), on.end(),
                                        [&](uint32_t other) { return arcs[other].class_kmh > at.class_kmh; });
        if (!lesser) at.wait = 0;
    }
}

void network::name_ways()
{
    for (const relation &said : data.restrictions) {
        std::string kind;
        if (m_who.judge(said, &kind) != concern::binding) continue;
        for (const member &one : said.members)
            if (one.role == "from" || one.role == "via" || one.role == "to") m_named.insert(one.id);
    }
}

/* A road that is drawn twice is one road: nothing distinguishes the two, and no restriction names one. `facts` are those of
 * its way. */
void network::drop_twin(size_t first, const std::set<std::string> &facts)
{
    std::vector<int64_t> said = {arcs[first].ferry || m_named.count(arcs[first].way) ? arcs[first].way : 0};
    std::vector<const arc *> sorted;
    for (size_t a = first; a < arcs.size(); ++a) sorted.push_back(&arcs[a]);
    if (sorted.size() == 2 && sorted[1]->tail() < sorted[1]->head()) std::swap(sorted[0], sorted[1]);
    for (const arc *one : sorted) {
        said.insert(said.end(), {one->tail(), one->head(), one->ends, one->ferry, one->boards, one->wait,
                                 std::lround(one->class_kmh), one->weight[DURATION], one->weight[DISTANCE],
                                 static_cast<int64_t>(one->nodes.size())});
        for (const node &at : one->nodes) said.insert(said.end(), {at.lon_e7, at.lat_e7});
    }
    if (!m_stretch.emplace(facts, said).second)
        arcs.erase(arcs.begin() + static_cast<std::ptrdiff_t>(first), arcs.end());
}

void network::mark_gated_areas()
{
    const auto at = [&](int64_t id) {
        const stop &there = m_point.at(id).at;
        return there.blocked ? passing::blocked : there.ends ? passing::gate : passing::open;
    };
    const auto leaving = [&](int64_t id) -> const arc_list & { return out(id); };
    const auto arriving = [&](int64_t id) -> const arc_list & { return in(id); };
    const std::vector<gated_area> found = find_gated_areas(arcs, leaving, arriving, at);
    for (size_t a = 0; a < arcs.size(); ++a) {
        const bool at_gate = at(arcs[a].tail()) == passing::gate || at(arcs[a].head()) == passing::gate;
        const bool is_pocket = found[a].no_exit || found[a].no_entry;
        arcs[a].ends = arcs[a].ends || (is_pocket && at_gate);
        arcs[a].no_exit = found[a].no_exit && !at_gate;
        arcs[a].no_entry = found[a].no_entry && !at_gate;
    }
}

/* ---- restrictions ---- */

static rule rule_of(const relation &said, const std::string &kind)
{
    const size_t list = kind.find(';');
    rule out = {kind[0] == 'o', kind.substr(kind.find('_') + 1), 0, {}, {}, {}, {}};
    if (list != std::string::npos) out.where = "";
    for (const member &at : said.members) {
        if (at.role == "from") out.from.insert(at.id);
        if (at.role == "to") out.to.insert(at.id);
        if (at.role == "via" && at.type == 'w') out.via.insert(at.id);
        if (at.role == "via" && at.type == 'n') out.via_node = at.id;
    }
    return out;
}

static double degrees_between(const node &a, const node &via_a, const node &via_b, const node &b)
{
    const double degrees_per_radian = 180 / 3.14159265358979323846;
    const double east = (via_a.lon_e7 - static_cast<double>(a.lon_e7)) * std::cos(a.lat_e7 * radians_per_e7),
                 north = via_a.lat_e7 - static_cast<double>(a.lat_e7),
                 on_east =
                     (b.lon_e7 - static_cast<double>(via_b.lon_e7)) * std::cos(via_b.lat_e7 * radians_per_e7),
                 on_north = b.lat_e7 - static_cast<double>(via_b.lat_e7);
    return std::atan2(east * on_north - north * on_east, east * on_east + north * on_north) *
           degrees_per_radian;
}

void network::take(const relation &said, const std::string &kind)
{
    rule taken = rule_of(said, kind);
    std::vector<arc_list> paths;
    if (!taken.via_node && taken.via.empty() && !find_meeting(said, &taken.via_node)) {
        ++fates[why_no_path(taken)];
        return;
    }
    for (uint32_t from = 0; from < arcs.size(); ++from) {
        if (!taken.from.count(arcs[from].way) || (taken.via_node && arcs[from].head() != taken.via_node))
            continue;
        arc_list path = {from};
        follow(taken, path, {}, paths);
    }
    taken.paths = meant(taken, paths);
    ++fates[!taken.paths.empty() ? "turn restrictions applied"
            : paths.empty()      ? why_no_path(taken)
                                 : "turn restrictions skipped: a road goes on beyond the via to either side"];
    if (taken.paths.empty()) return;
    for (const int64_t from : taken.from) rules_of_way.emplace(from, rules.size());
    forbid(taken, taken.paths);
    rules.push_back(taken);
}

/* Where the first from way and the first to way of a relation without a via meet, if they do so once. */
bool network::find_meeting(const relation &said, int64_t *node) const
{
    std::map<std::string, std::set<int64_t>> nodes;
    for (const member &at : said.members) {
        if (nodes.count(at.role)) continue;
        for (const arc &one : arcs)
            if (one.way == at.id) nodes[at.role].insert({one.tail(), one.head()});
    }
    size_t count = 0;
    for (const int64_t id : nodes["from"])
        if (nodes["to"].count(id)) *node = id, ++count;
    if (count != 1) *node = 0;
    return count == 1;
}

std::string network::why_no_path(const rule &said) const
{
    const auto touch = [&](const std::set<int64_t> &ways, bool at_via) {
        return std::any_of(arcs.begin(), arcs.end(), [&](const arc &one) {
            return ways.count(one.way) &&
                   (!at_via || one.tail() == said.via_node || one.head() == said.via_node);
        });
    };
    bool closed = !touch(said.from, false) || !touch(said.to, false);
    for (const int64_t via : said.via) closed = closed || !touch({via}, false);
    const std::string skipped = "turn restrictions skipped: ";
    if (closed) return skipped + "one of their roads is closed or missing";
    return skipped + (said.via_node && touch(said.from, true) && touch(said.to, true)
                          ? "the turn cannot be made anyway"
                          : "their roads do not meet on the map");
}

bool network::turns_so(const rule &said, const arc_list &path) const
{
    const arc &from = arcs[path.front()], &to = arcs[path.back()];
    const size_t count = from.nodes.size();
    const double left =
        from.segment == to.segment
            ? 180
            : degrees_between(from.nodes[count - 2], from.nodes[count - 1], to.nodes[0], to.nodes[1]);
    if (said.where == "left_turn") return left > 0;
    if (said.where == "right_turn") return left < 0;
    if (said.where == "straight_on") return std::fabs(left) < 90;
    return said.where == "u_turn" && std::fabs(left) > 90;
}

/* Of the paths from one way into another by different arcs: the only one that turns so, or all U-turns. */
std::vector<arc_list> network::meant(const rule &said, const std::vector<arc_list> &paths) const
{
    std::map<std::pair<int64_t, int64_t>, std::set<std::pair<uint32_t, uint32_t>>> all, fitting;
    const auto ways = [&](const arc_list &path) {
        return std::make_pair(arcs[path.front()].way, arcs[path.back()].way);
    };
    const auto ends = [](const arc_list &path) { return std::make_pair(path.front(), path.back()); };
    for (const arc_list &path : paths) {
        all[ways(path)].insert(ends(path));
        if (turns_so(said, path)) fitting[ways(path)].insert(ends(path));
    }
    std::vector<arc_list> out_paths;
    for (const arc_list &path : paths) {
        const auto &fits = fitting[ways(path)];
        if (all[ways(path)].size() == 1 ||
            (fits.count(ends(path)) && (fits.size() == 1 || said.where == "u_turn")))
            out_paths.push_back(path);
    }
    return out_paths;
}

/* Back along one way is a turn of its own: the U-turn, and only that, leads into the stretch one came by. */
bool network::is_named(const rule &said, uint32_t from, uint32_t to) const
{
    if (!said.to.count(arcs[to].way)) return false;
    return arcs[from].way != arcs[to].way ||
           (said.where == "u_turn") == (arcs[from].segment == arcs[to].segment);
}

/* The ways of the via, all of them, to where the to way is met first; no node is visited twice, but the via
 * may end where it begins. */
void network::follow(const rule &said, arc_list &path, const std::set<int64_t> &used,
                     std::vector<arc_list> &out_paths) const
{
    const uint32_t last = path.back();
    bool met = false;
    for (const uint32_t to : out(arcs[last].head())) {
        if (used.size() < said.via.size() || !is_named(said, last, to)) continue;
        out_paths.push_back(path);
        out_paths.back().push_back(to);
        met = true;
    }
    for (const uint32_t on : out(arcs[last].head())) {
        const bool visited = std::any_of(path.begin() + 1, path.end(), [&](uint32_t before) {
            return arcs[before].head() == arcs[on].head();
        });
        const bool returned = path.size() > 1 && arcs[last].head() == arcs[path.front()].head();
        if (met || visited || returned || !said.via.count(arcs[on].way)) continue;
        std::set<int64_t> also = used;
        also.insert(arcs[on].way);
        path.push_back(on);
        follow(said, path, also, out_paths);
        path.pop_back();
    }
}

std::vector<arc_list> network::paths_of(const rule &said, uint32_t from)
{
    std::vector<arc_list> out_paths;
    for (const arc_list &path : said.paths)
        if (path.front() == from) out_paths.push_back(path);
    return out_paths;
}

void network::forbid(const arc_list &sequence)
{
    if (sequence.size() == 2)
        m_forbidden_turn.insert({sequence[0], sequence[1]});
    else
        forbidden.insert(sequence);
}

/* An only_ may not be left on its way. */
void network::forbid(const rule &said, const std::vector<arc_list> &paths)
{
    for (const arc_list &path : paths) {
        if (!said.only) forbid(path);
        for (size_t length = 1; said.only && length < path.size(); ++length)
            for (const uint32_t away : out(arcs[path[length - 1]].head())) {
                arc_list left(path.begin(), path.begin() + static_cast<ptrdiff_t>(length));
                left.push_back(away);
                const bool stays = std::any_of(paths.begin(), paths.end(), [&](const arc_list &other) {
                    return other.size() >= left.size() && std::equal(left.begin(), left.end(), other.begin());
                });
                if (!stays) forbid(left);
            }
    }
}

/* ---- what may follow ---- */

/* Back along the same stretch one may go at any barrier. */
bool network::is_barred(uint32_t from, uint32_t to) const
{
    const stop &at = m_point.at(arcs[from].head()).at;
    if (arcs[from].segment == arcs[to].segment) return false;
    if (at.blocked_across && (arcs[from].walkway || arcs[to].walkway)) return true;
    return at.blocked || (at.ends && !arcs[from].ends && !arcs[to].ends);
}

/* At a junction without a wait, those on lesser roads give way, unless they merge straight into the greater, or are on
 * a roundabout. */
bool network::gives_way(uint32_t from, uint32_t to, double left) const
{
    const mcd_profile &table = m_who.table();
    const arc_list &on = out(arcs[from].head());
    const bool lesser = std::any_of(
        on.begin(), on.end(), [&](uint32_t other) { return arcs[other].class_kmh > arcs[from].class_kmh; });
    const bool merges = table.turn_count > 0 && arcs[to].class_kmh > arcs[from].class_kmh &&
                        std::fabs(left) <= table.turn[0].degrees;
    return lesser && !merges && arcs[from].wait == 0 && !arcs[from].roundabout;
}

namespace
{

const double sharp = 120, look = 27e5 / 1e3; /* degrees; 30 m of latitude in 1e-7 degrees */

struct offset {
    double east, north;
};

offset between(const node &a, const node &b)
{
    return {std::remainder(b.lon_e7 - static_cast<double>(a.lon_e7), 3.6e9) *
                std::cos(a.lat_e7 * radians_per_e7),
            b.lat_e7 - static_cast<double>(a.lat_e7)};
}

/* From the first point of a line to the one at a distance along it, or to its last one. `backward`: all is reversed. */
offset chord(const std::vector<node> &line, bool backward)
{
    offset sum = {0, 0};
    double rest = look;
    for (size_t i = 0; i + 1 < line.size() && rest > 0; ++i) {
        const offset piece = backward ? between(line[i + 1], line[i]) : between(line[i], line[i + 1]);
        const double length = std::hypot(piece.east, piece.north), share = std::fmin(1, rest / length);
        sum.east += length > 0 ? share * piece.east : 0;
        sum.north += length > 0 ? share * piece.north : 0;
        rest -= length;
    }
    return sum;
}

} // namespace

/* Whether one who is 30 m before the node, where no other road joins meanwhile, drives in nearly the opposite
 * direction 30 m after it, where a two-way road does not bend so, nor a circle: the degrees to the left; else 0. */
double network::turns_back(uint32_t from, uint32_t to) const
{
    const auto both_ways = [&](uint32_t a) {
        const arc_list &back = out(arcs[a].head());
        return std::any_of(back.begin(), back.end(),
                           [&](uint32_t b) { return b != a && arcs[b].segment == arcs[a].segment; });
    };
    if (arcs[from].circle || arcs[to].circle || (both_ways(from) && both_ways(to))) return 0;
    std::vector<node> before;
    uint32_t at = from;
    for (int count = 0; count < 8; ++count) {
        before.insert(before.end(), arcs[at].nodes.rbegin(), arcs[at].nodes.rend());
        if (in(arcs[at].tail()).size() != 1 || both_ways(at)) break;
        at = in(arcs[at].tail()).front();
    }
    const offset a = chord(before, true), b = chord(arcs[to].nodes, false);
    const double left = std::atan2(a.east * b.north - a.north * b.east, a.east * b.east + a.north * b.north) /
                        (radians_per_e7 * 1e7);
    return std::fabs(left) > sharp ? left : 0;
}

/* `chosen`: there is another way on. */
uint32_t network::price_of(uint32_t from, uint32_t to, bool chosen) const
{
    const mcd_profile &table = m_who.table();
    const std::vector<node> &a = arcs[from].nodes, &b = arcs[to].nodes;
    const bool u_turn = from != to && arcs[from].segment == arcs[to].segment;
    const double left = u_turn ? 180 : degrees_between(a[a.size() - 2], a.back(), b[0], b[1]);
    const auto row_of = [&](double degrees) {
        size_t row = 0;
        while (row + 1 < table.turn_count && degrees > table.turn[row].degrees) ++row;
        return table.turn[row];
    };
    const bool drives_left =
        table.traffic == MCD_TRAFFIC_MAP ? data.left && !data.right : table.traffic == MCD_TRAFFIC_LEFT;
    const double way_s = chosen && !u_turn && gives_way(from, to, left) ? table.give_way_s : 0;
    const bool may_turn_back = table.turn_count > 0 && !(chosen && std::fabs(left) > sharp);
    const double back = may_turn_back ? turns_back(from, to) : 0, side = back != 0 ? back : left;
    if (back == 0 && !chosen) return 0;
    /* around a circle one drives straight on */
    const bool around = arcs[from].circle && arcs[to].circle && std::fabs(left) <= 150;
    const mcd_profile_turn row = row_of(back != 0 ? sharp + 1 : around ? 0 : std::fabs(left));
    const bool far = std::fabs(back) > 170 || (side > 0) != drives_left;
    const double turn_s = far ? row.far_s : row.near_s;
    return static_cast<uint32_t>(std::lround((turn_s + way_s) * 1000));
}

/* A line of ferries has one way, or ways of one name, or of none, or a relation. */
bool network::stays_aboard(uint32_t from, uint32_t to) const
{
    const arc &a = arcs[from], &b = arcs[to];
    return a.ferry && b.ferry &&
           (a.way == b.way || a.name == b.name ||
            std::any_of(data.ferry_lines.begin(), data.ferry_lines.end(), [&](const relation &line) {
                const auto has = [&](int64_t way) {
                    return std::any_of(line.members.begin(), line.members.end(),
                                       [&](const member &at) { return at.type == 'w' && at.id == way; });
                };
                return has(a.way) && has(b.way);
            }));
}

bool network::is_way_on(uint32_t from, uint32_t to) const
{
    return arcs[to].segment != arcs[from].segment &&
           (!arcs[to].ends || arcs[from].ends || arcs[from].no_exit || arcs[from].no_entry) &&
           !is_barred(from, to) && !m_forbidden_turn.count({from, to});
}

void network::find_blind()
{
    m_blind.assign(arcs.size(), false);
    if (!m_who.table().avoids_u_turns) return;
    arc_list candidates;
    for (uint32_t a = 0; a < arcs.size(); ++a) {
        const arc_list &on = out(arcs[a].head());
        if (std::none_of(on.begin(), on.end(), [&](uint32_t back) {
                return back != a && arcs[back].segment == arcs[a].segment &&
                       !m_forbidden_turn.count({a, back});
            }))
            candidates.push_back(a);
    }
    for (bool found = true; found;) {
        found = false;
        for (const uint32_t a : candidates) {
            const arc_list &on = out(arcs[a].head());
            if (m_blind[a] || std::any_of(on.begin(), on.end(),
                                          [&](uint32_t to) { return is_way_on(a, to) && !m_blind[to]; }))
                continue;
            m_blind[a] = found = true;
        }
    }
}

/* Where a profile avoids U-turns, they are made only if no other way on is open, or all are blind. */
void network::add_turns(uint32_t from)
{
    const mcd_profile &table = m_who.table();
    const arc_list &open = out(arcs[from].head());
    const auto is_free = [&](uint32_t to) {
        return !is_barred(from, to) && !m_forbidden_turn.count({from, to});
    };
    const auto ways_on =
        std::count_if(open.begin(), open.end(), [&](uint32_t to) { return is_way_on(from, to); });
    const bool leads = std::any_of(open.begin(), open.end(),
                                   [&](uint32_t to) { return is_way_on(from, to) && !m_blind[to]; });
    for (const uint32_t to : open) {
        const bool u_turn = from != to && arcs[from].segment == arcs[to].segment;
        if (!is_free(to) || (u_turn && table.avoids_u_turns && leads)) continue;
        const bool sails = arcs[from].ferry || arcs[to].ferry;
        uint32_t price = arcs[from].wait + (sails ? 0 : price_of(from, to, u_turn || ways_on > 1));
        if (!u_turn && stays_aboard(from, to))
            price = arcs[to].boards ? 0u - static_cast<uint32_t>(std::lround(table.boarding_s * 1000)) : 0;
        next[from].push_back({to, price});
    }
}

const turn *network::find_turn(uint32_t from, uint32_t to) const
{
    for (const turn &made : next[from])
        if (made.to == to) return &made;
    return nullptr;
}

} // namespace raw
