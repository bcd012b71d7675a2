/* walk.h - the cheapest walks of a network between places within its arcs, over states that remember the last
 * turns and how far a walk has come with roads for ends. */
#ifndef MCD_TESTS_SUPPORT_RAW_WALK_H
#define MCD_TESTS_SUPPORT_RAW_WALK_H

#include "tests/support/raw/network.h"

namespace raw
{

/* A place: a junction, or within the arcs of a stretch, each with the 2^-32ths of it that lie before. */
struct place {
    int64_t junction; /* 0: none */
    std::vector<std::pair<uint32_t, uint64_t>> within;
};

/* The objective, and what the other quantity is along the same walk: compared one after the other. */
struct cost {
    bool found;
    uint32_t value[QUANTITIES]; /* by quantity */
};

class walker
{
  public:
    walker(const network &roads, int objective);

    /* Finds the cheapest walks from a place to everywhere that the objective reaches within a limit. */
    void start(const place &source, uint32_t limit = UINT32_MAX);
    cost reach(const place &target) const;

  private:
    using sum = uint64_t; /* the objective's in the high half */

    sum sum_of(const uint32_t weight[QUANTITIES]) const;
    sum sum_of_price(uint32_t price) const; /* modulo 2^32, as of a turn */
    sum part_of(uint32_t arc, uint64_t before) const;
    uint32_t state_behind(uint32_t state, uint32_t to) const;
    arc_list history_of(uint32_t state) const;
    uint32_t last_of(uint32_t state) const;
    arc_list states_of(uint32_t arc) const;
    void settle(std::vector<std::pair<sum, uint32_t>> reached, uint32_t limit);
    /* The least sum with which an arc is entered. */
    sum entry_of(uint32_t arc) const;

    const network &m_roads;
    int m_objective;
    place m_source;
    std::vector<arc_list> m_long; /* histories of several arcs: states behind those of one arc */
    std::map<arc_list, uint32_t> m_state_of_long;          /* the beginnings of what is forbidden */
    std::vector<bool> m_begins;                            /* of an arc: something forbidden begins with it */
    std::unordered_map<uint32_t, arc_list> m_long_of_last; /* states by their last arc */
    std::vector<sum> m_sum;                                /* [state * 3 + phase] */
    std::vector<uint32_t> m_reached;                       /* where m_sum is not what it was made with */
};

/* The share of a weight that is before a place. */
inline uint32_t share_of(uint32_t weight, uint64_t before)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(weight) * before >> 32);
}

} // namespace raw

#endif
