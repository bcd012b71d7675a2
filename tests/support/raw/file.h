/* file.h - an OpenStreetMap file as it is, for oracles of maps made from it. It shares no code with the
 * importer. */
#ifndef MCD_TESTS_SUPPORT_RAW_FILE_H
#define MCD_TESTS_SUPPORT_RAW_FILE_H

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace raw
{

class tags
{
  public:
    void add(const char *key, const char *value);
    /* nullptr: there is none. */
    const std::string *get(const std::string &key) const;
    bool is(const std::string &key, const std::string &value) const;
    const std::vector<std::pair<std::string, std::string>> &all() const
    {
        return m_all;
    }

  private:
    std::vector<std::pair<std::string, std::string>> m_all;
};

struct node {
    int64_t id;
    int32_t lon_e7, lat_e7;
};

struct way {
    int64_t id;
    std::vector<int64_t> ref;
    tags said;
};

struct member {
    char type; /* 'n', 'w' or 'r' */
    int64_t id;
    std::string role;
};

struct relation {
    int64_t id;
    std::vector<member> members;
    tags said;
};

struct file {
    std::vector<node> nodes; /* by ascending id */
    std::unordered_map<int64_t, tags> node_tags;
    std::vector<way> ways;
    std::vector<relation> restrictions; /* of type=restriction, or type=restriction:MODE */
    std::vector<relation> ferry_lines;  /* of type=route and route=ferry */
    bool left = false, right = false;   /* a boundary says that traffic keeps to that side */

    explicit file(const char *path);
    /* nullptr: it is not in the file. */
    const node *find(int64_t id) const;
};

} // namespace raw

#endif
