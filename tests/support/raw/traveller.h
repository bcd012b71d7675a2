/* traveller.h - decides independently what a profile's table makes of tags. From the importer it uses only the table
 * itself, as importers/osm/rules/profile_file.h describes it. */
#ifndef MCD_TESTS_SUPPORT_RAW_TRAVELLER_H
#define MCD_TESTS_SUPPORT_RAW_TRAVELLER_H

#include "tests/support/raw/file.h"

extern "C" {
#include "importers/osm/rules/profile_file.h"
}

namespace raw
{

enum { THERE, BACK, DIRECTIONS };

struct passage {
    bool open[DIRECTIONS], ends[DIRECTIONS]; /* ends: only to begin or to end a route */
    double speed_kmh[DIRECTIONS];
    double duration_s; /* of the whole way, each direction; 0: by speed */
    bool ferry;
    double class_kmh; /* of the road's class */
};

struct stop {
    bool blocked, ends;
    bool blocked_across;       /* on the way over the road */
    double wait_s[DIRECTIONS]; /* for those who come by along a way, or against it */
    bool sign;                 /* of a junction that it does not name */
    bool minor;                /* for those on lesser roads */
};

/* The kind of a relation for a traveller, whatever the map. */
enum class concern { none, conditional, on_red, malformed, unknown_kind, binding };

class traveller
{
  public:
    /* The name of a profile of ours, or the path of a file. */
    explicit traveller(const char *profile);
    ~traveller();
    traveller(const traveller &) = delete;
    traveller &operator=(const traveller &) = delete;

    const mcd_profile &table() const
    {
        return m_table;
    }
    passage pass(const tags &way) const;
    /* "MM", "HH:MM", "HH:MM:SS" or ISO 8601; 0: it is none of them. */
    static double seconds_in(const std::string &text);
    stop stop_at(const tags &node) const;
    /* *kind: "no_left_turn", ..., if it is binding. */
    concern judge(const relation &said, std::string *kind) const;

  private:
    const mcd_profile_row *find(mcd_profile_table table, const std::string &value) const;
    std::vector<const mcd_profile_row *> matches(mcd_profile_table table, const tags &said) const;
    bool road_of(const tags &said, mcd_profile_row *road) const;
    bool is_closed(const tags &said, bool node) const;
    const mcd_profile_row *access_in(const std::string *value) const;
    const mcd_profile_row *access_of(const tags &said, const char *const *mode, const std::string &direction,
                                     bool named) const;
    bool may_walk(const tags &said, int direction) const;
    const mcd_profile_row *lanes_of(const std::string *lanes) const;
    bool is_too_small(const tags &said) const;
    double limit_of(const std::string &value) const;
    double limit_of_list(const std::string &value) const;
    double limit_of(const tags &said, const std::vector<std::string> &keys) const;
    double limit_of(const tags &said, const std::string &direction) const;
    double speed_of(const tags &said, const std::string &direction, const mcd_profile_row *road, double cap,
                    bool two_way) const;
    std::string oneway_of(const tags &said) const;
    void open_directions(const tags &said, const mcd_profile_row *road, bool open[DIRECTIONS]) const;
    bool is_excepted(const tags &said) const;

    mcd_profile m_table;
};

} // namespace raw

#endif
