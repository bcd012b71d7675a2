/* network.h - the arcs of a raw file that are open to a traveller, and what may follow what: the oracle of
 * turn restrictions, barriers, U-turns and roads for ends, on the data as they stand.
 *
 * Arcs lie between junctions: points that several places of open ways share, ends of ways, and barriers. They
 * are cut there because weights are rounded once an arc. A restriction becomes the sequences of arcs that it
 * forbids, found by following its ways. */
#ifndef MCD_TESTS_SUPPORT_RAW_NETWORK_H
#define MCD_TESTS_SUPPORT_RAW_NETWORK_H

#include "tests/support/raw/traveller.h"

#include <map>
#include <set>

namespace raw
{

enum { DURATION, DISTANCE, QUANTITIES };

struct arc {
    int64_t way;
    std::vector<node> nodes; /* from its tail to its head */
    uint32_t segment;        /* both directions of one stretch have the same */
    bool ends;               /* only to begin or to end a route */
    bool no_exit, no_entry;  /* public, but no public road leads out, or in */
    bool ferry, boards;      /* boards: the weight counts that one boards it at its tail */
    bool walkway;            /* on which one crosses other roads */
    uint32_t wait;           /* ms at its head */
    std::string name;        /* or else the ref of its way */
    double class_kmh;
    bool roundabout, circle; /* circle: of any kind */
    uint32_t weight[QUANTITIES];

    int64_t tail() const
    {
        return nodes.front().id;
    }
    int64_t head() const
    {
        return nodes.back().id;
    }
};

using arc_list = std::vector<uint32_t>;

struct turn {
    uint32_t to, price; /* ms; modulo 2^32, as who stays aboard a ferry does not pay to board it */
};

/* A relation that is binding, by its members. */
struct rule {
    bool only;
    std::string where; /* "left_turn", ...; "": anywhere */
    int64_t via_node;  /* 0: over ways */
    std::set<int64_t> from, via, to;
    std::vector<arc_list> paths; /* that it speaks of */
};

/* Metres on the ellipsoid of WGS 84. */
double geodesic_m(const node &a, const node &b);

class network
{
  public:
    network(const file &data, const traveller &who);

    const file &data;
    std::vector<arc> arcs;
    std::vector<std::vector<turn>> next; /* of an arc: what may follow it, as far as it alone decides */
    std::set<arc_list> forbidden;        /* sequences of three arcs or more */
    std::vector<rule> rules;             /* that apply */
    std::unordered_multimap<int64_t, size_t> rules_of_way; /* those that it is a from way of */
    std::map<std::string, uint64_t> fates;                 /* of all restrictions, in the importer's words */

    const arc_list &out(int64_t node) const;
    const arc_list &in(int64_t node) const;
    /* Whether `to` may follow `from` straight, and at what price. */
    const turn *find_turn(uint32_t from, uint32_t to) const;
    /* The paths that a rule speaks of, from one arc of a from way on. */
    static std::vector<arc_list> paths_of(const rule &said, uint32_t from);

  private:
    struct point {
        unsigned uses = 0;
        bool land = false;
        stop at = {};
    };

    void mark(const way &road, const passage &open);
    void cut(const way &road, const passage &open);
    void add_arc(const way &road, const passage &open, const std::vector<node> &stretch, size_t end,
                 int direction, double way_m);
    void name_ways();
    void drop_twin(size_t first, const std::set<std::string> &facts);
    void share_ferry_lines(std::vector<passage> &open) const;
    bool is_junction(int64_t id) const;
    bool is_node(int64_t id) const;
    double to_junction_m(const way &road, size_t at, int step) const;
    void add_waits();
    bool stays_aboard(uint32_t from, uint32_t to) const;
    void mark_gated_areas();
    void take(const relation &said, const std::string &kind);
    void forbid(const rule &said, const std::vector<arc_list> &paths);
    void forbid(const arc_list &sequence);
    void follow(const rule &said, arc_list &path, const std::set<int64_t> &used,
                std::vector<arc_list> &out_paths) const;
    bool find_meeting(const relation &said, int64_t *node) const;
    std::string why_no_path(const rule &said) const;
    bool turns_so(const rule &said, const arc_list &path) const;
    std::vector<arc_list> meant(const rule &said, const std::vector<arc_list> &paths) const;
    bool is_named(const rule &said, uint32_t from, uint32_t to) const;
    bool is_barred(uint32_t from, uint32_t to) const;
    void add_turns(uint32_t from);
    bool is_way_on(uint32_t from, uint32_t to) const;
    void find_blind();
    bool gives_way(uint32_t from, uint32_t to, double left) const;
    double turns_back(uint32_t from, uint32_t to) const;
    uint32_t price_of(uint32_t from, uint32_t to, bool chosen) const;

    const traveller &m_who;
    std::unordered_map<int64_t, point> m_point;
    std::unordered_map<int64_t, arc_list> m_out, m_in;
    std::set<std::pair<uint32_t, uint32_t>> m_forbidden_turn;
    uint32_t m_segment_count = 0;
    std::vector<bool> m_blind; /* of an arc: one cannot turn back at its end, and all ways on are blind */
    std::set<int64_t> m_named; /* ways that binding relations name */
    /* all that is to be said of each stretch that is kept */
    std::set<std::pair<std::set<std::string>, std::vector<int64_t>>> m_stretch;
};

} // namespace raw

#endif
