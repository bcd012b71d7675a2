/* walk.cpp - see walk.h. Dijkstra's algorithm. A state's history is the longest ending of the walk that
 * something forbidden begins with, or else the last arc. */
#include "tests/support/raw/walk.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace raw
{

namespace
{

/* Roads for ends before all others; the others; roads for ends after them. Those of gated areas as they say. */
enum { BEGINNING, MIDDLE, ENDING, PHASES };

int phase_behind(int phase, const arc &on)
{
    if ((on.no_exit && phase == BEGINNING) || (on.no_entry && phase == ENDING)) return phase;
    if (on.ends) return phase == BEGINNING ? BEGINNING : ENDING;
    return phase == ENDING ? PHASES : MIDDLE;
}

const uint64_t unreached = UINT64_MAX;

} // namespace

walker::walker(const network &roads, int objective)
    : m_roads(roads), m_objective(objective), m_source(), m_begins(roads.arcs.size())
{
    for (const arc_list &sequence : roads.forbidden) {
        m_begins[sequence[0]] = true;
        for (size_t length = 2; length < sequence.size(); ++length) {
            const arc_list start(sequence.begin(), sequence.begin() + static_cast<ptrdiff_t>(length));
            const uint32_t state = static_cast<uint32_t>(roads.arcs.size() + m_long.size());
            if (!m_state_of_long.emplace(start, state).second) continue;
            m_long.push_back(start);
            m_long_of_last[start.back()].push_back(state);
        }
    }
    m_sum.assign((roads.arcs.size() + m_long.size()) * PHASES, unreached);
}

walker::sum walker::sum_of(const uint32_t weight[QUANTITIES]) const
{
    return static_cast<sum>(weight[m_objective]) << 32 | weight[1 - m_objective];
}

/* That of a turn may be negative: it must borrow from the high half, not carry into it. */
walker::sum walker::sum_of_price(uint32_t price) const
{
    const auto signed_price = static_cast<sum>(static_cast<int32_t>(price));
    return m_objective == DURATION ? signed_price << 32 : signed_price;
}

walker::sum walker::part_of(uint32_t arc, uint64_t before) const
{
    const uint32_t *weight = m_roads.arcs[arc].weight;
    const uint32_t part[] = {share_of(weight[0], before), share_of(weight[1], before)};
    return sum_of(part);
}

arc_list walker::history_of(uint32_t state) const
{
    const size_t arc_count = m_roads.arcs.size();
    return state < arc_count ? arc_list{state} : m_long[state - arc_count];
}

uint32_t walker::last_of(uint32_t state) const
{
    const size_t arc_count = m_roads.arcs.size();
    return state < arc_count ? state : m_long[state - arc_count].back();
}

/* Those in which a walk can be that has just come along the arc. */
arc_list walker::states_of(uint32_t arc) const
{
    arc_list out = {arc};
    const auto longer = m_long_of_last.find(arc);
    if (longer != m_long_of_last.end()) out.insert(out.end(), longer->second.begin(), longer->second.end());
    return out;
}

/* UINT32_MAX: `to` may not follow. */
uint32_t walker::state_behind(uint32_t state, uint32_t to) const
{
    if (state < m_roads.arcs.size() && !m_begins[state]) return to;
    arc_list history = history_of(state);
    history.push_back(to);
    for (size_t first = 0; first + 2 < history.size(); ++first)
        if (m_roads.forbidden.count(arc_list(history.begin() + static_cast<ptrdiff_t>(first), history.end())))
            return UINT32_MAX;
    for (; history.size() > 1; history.erase(history.begin())) {
        const auto longer = m_state_of_long.find(history);
        if (longer != m_state_of_long.end()) return longer->second;
    }
    return to;
}

void walker::start(const place &source, uint32_t limit)
{
    std::vector<std::pair<sum, uint32_t>> reached;
    const auto leave = [&](uint32_t arc, uint64_t before) {
        const sum rest = sum_of(m_roads.arcs[arc].weight) - part_of(arc, before);
        reached.emplace_back(rest, arc * PHASES + phase_behind(BEGINNING, m_roads.arcs[arc]));
    };
    m_source = source;
    for (const uint32_t at : m_reached) m_sum[at] = unreached;
    m_reached.clear();
    for (const auto &at : source.within) leave(at.first, at.second);
    if (source.junction)
        for (const uint32_t arc : m_roads.out(source.junction)) leave(arc, 0);
    settle(std::move(reached), limit);
}

void walker::settle(std::vector<std::pair<sum, uint32_t>> reached, uint32_t limit)
{
    using entry = std::pair<sum, uint32_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<entry>> queue;
    const auto lower = [&](sum to, uint32_t at) {
        if (to >= m_sum[at]) return;
        if (m_sum[at] == unreached) m_reached.push_back(at);
        m_sum[at] = to;
        queue.emplace(to, at);
    };
    for (const entry &first : reached) lower(first.first, first.second);
    while (!queue.empty()) {
        const entry least = queue.top();
        queue.pop();
        if (least.first >> 32 > limit) break;
        if (least.first > m_sum[least.second]) continue;
        const uint32_t state = least.second / PHASES;
        const int phase = static_cast<int>(least.second % PHASES);
        for (const turn &made : m_roads.next[last_of(state)]) {
            const int then = phase_behind(phase, m_roads.arcs[made.to]);
            const uint32_t behind = state_behind(state, made.to);
            if (then == PHASES || behind == UINT32_MAX) continue;
            lower(least.first + sum_of_price(made.price) + sum_of(m_roads.arcs[made.to].weight),
                  behind * PHASES + static_cast<uint32_t>(then));
        }
    }
}

walker::sum walker::entry_of(uint32_t arc) const
{
    sum least = m_source.junction == m_roads.arcs[arc].tail() ? 0 : unreached;
    for (const uint32_t before : m_roads.in(m_roads.arcs[arc].tail())) {
        const turn *made = m_roads.find_turn(before, arc);
        if (!made) continue;
        for (const uint32_t state : states_of(before))
            for (int phase = 0; phase < PHASES; ++phase) {
                const sum so_far = m_sum[state * PHASES + static_cast<uint32_t>(phase)];
                if (so_far == unreached || phase_behind(phase, m_roads.arcs[arc]) == PHASES ||
                    state_behind(state, arc) == UINT32_MAX)
                    continue;
                least = std::min(least, so_far + sum_of_price(made->price));
            }
    }
    return least;
}

cost walker::reach(const place &target) const
{
    sum least = target.junction && target.junction == m_source.junction ? 0 : unreached;
    const auto take = [&](sum other) { least = std::min(least, other); };
    for (const auto &at : target.within) {
        const sum entry = entry_of(at.first), part = part_of(at.first, at.second);
        if (entry != unreached) take(entry + part);
        for (const auto &from : m_source.within) /* along the road, without leaving it */
            if (from.first == at.first && from.second <= at.second)
                take(part - part_of(from.first, from.second));
    }
    if (target.junction)
        for (const uint32_t arc : m_roads.in(target.junction))
            for (const uint32_t state : states_of(arc))
                for (uint32_t phase = 0; phase < PHASES; ++phase) {
                    const sum so_far = m_sum[state * PHASES + phase];
                    if (so_far != unreached) take(so_far + sum_of_price(m_roads.arcs[arc].wait));
                }
    cost out = {least != unreached, {0, 0}};
    out.value[m_objective] = static_cast<uint32_t>(least >> 32);
    out.value[1 - m_objective] = static_cast<uint32_t>(least);
    return out;
}

} // namespace raw
