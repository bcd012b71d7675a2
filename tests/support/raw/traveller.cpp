/* traveller.cpp - see traveller.h. */
#include "tests/support/raw/traveller.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>

namespace raw
{

namespace
{

const std::string direction_name[DIRECTIONS] = {"forward", "backward"};

std::vector<std::string> split(const std::string &list, char separator)
{
    std::vector<std::string> out(1);
    for (const char c : list)
        if (c == separator)
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

std::string trimmed(const std::string &text)
{
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

std::string lower(std::string text)
{
    for (char &c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return text;
}

/* ---- measures ---- */

struct unit {
    const char *name;
    double factor;
};

/* The number that the text begins with; *rest is what follows. NaN: there is none. */
double number_of(const std::string &text, std::string *rest)
{
    size_t end = text.find_first_not_of("0123456789");
    if (end == std::string::npos) end = text.size();
    if (end < text.size() && text[end] == '.') end = text.find_first_not_of("0123456789", end + 1);
    if (end == std::string::npos) end = text.size();
    *rest = text.substr(end);
    return end == 0 ? NAN : std::strtod(text.substr(0, end).c_str(), nullptr);
}

/* 0: it is no such measure. */
double measure_of(const std::string &text, std::initializer_list<unit> units)
{
    std::string rest;
    const double number = number_of(trimmed(text), &rest);
    for (const unit &known : units)
        if (!std::isnan(number) && lower(trimmed(rest)) == known.name) return number * known.factor;
    return 0;
}

double speed_in(const std::string &text)
{
    return measure_of(text, {{"", 1},
                             {"km/h", 1},
                             {"kmh", 1},
                             {"kph", 1},
                             {"kmph", 1},
                             {"mph", 1.609344},
                             {"mp/h", 1.609344},
                             {"knots", 1.852},
                             {"kn", 1.852}});
}

std::string with_points(const std::string &text)
{
    return std::regex_replace(text, std::regex("([0-9]),([0-9])"), "$1.$2");
}

double metres_in(const std::string &typed)
{
    std::string rest;
    const std::string text = with_points(typed);
    const double feet = number_of(text, &rest);
    if (rest.empty() && feet >= 100) return feet / (feet < 1000 ? 100 : 1000);
    if (std::isnan(feet) || rest.empty() || rest[0] != '\'')
        return measure_of(text, {{"", 1}, {"m", 1}, {"cm", 0.01}, {"ft", 0.3048}});
    const std::string behind = rest.substr(std::min(rest.find_first_not_of(' ', 1), rest.size()));
    if (behind.empty()) return feet * 0.3048;
    const double inches = number_of(behind, &rest);
    return std::isnan(inches) || rest != "\"" ? 0 : (feet * 12 + inches) * 0.0254;
}

double tonnes_in(const std::string &text)
{
    return measure_of(with_points(text),
                      {{"", 1}, {"t", 1}, {"kg", 0.001}, {"lbs", 0.00045359237}, {"st", 0.90718474}});
}

/* The hardest of the grades that the value names, or its metres. NaN: neither. */
double most_of(const std::string &value)
{
    static const std::regex number("[0-9]+(\\.[0-9]*)?");
    double most = value.find_first_of("m'\"") == std::string::npos ? 0 : metres_in(value);
    if (most > 0) return most;
    most = NAN;
    for (auto at = std::sregex_iterator(value.begin(), value.end(), number); at != std::sregex_iterator();
         ++at)
        most = std::fmax(most, std::strtod(at->str().c_str(), nullptr));
    return most;
}

bool matches_row(const mcd_profile_row &row, const std::string &value)
{
    if (row.value[0] == '>') return most_of(value) > std::strtod(row.value + 1, nullptr);
    if (row.value[0] == '~') return lower(value).find(lower(row.value + 1)) != std::string::npos;
    if (row.value[0] == '<') {
        const double measure = metres_in(value);
        return measure > 0 && measure < std::strtod(row.value + 1, nullptr);
    }
    return value == row.value || std::string("*") == row.value;
}

} // namespace

/* "MM", "HH:MM", "HH:MM:SS" or ISO 8601; 0: it is none of them. */
double traveller::seconds_in(const std::string &text)
{
    unsigned hours = 0, minutes = 0, seconds = 0;
    int end = 0;
    const int length = static_cast<int>(text.size());
    const char *const at = text.c_str();
    static const std::regex iso(
        "P(?:([0-9.]+)W)?(?:([0-9.]+)D)?(?:T(?=.)(?:([0-9.]+)H)?(?:([0-9.]+)M)?(?:([0-9.]+)S)?)?");
    static const double seconds_of[] = {604800, 86400, 3600, 60, 1};
    std::smatch part;
    if (std::regex_match(text, part, iso)) {
        double sum = 0;
        for (size_t i = 0; i < 5; ++i)
            if (part[i + 1].matched) sum += std::strtod(part[i + 1].str().c_str(), nullptr) * seconds_of[i];
        return sum;
    }
    if (std::sscanf(at, "%u:%u:%u%n", &hours, &minutes, &seconds, &end) == 3 && end == length)
        return hours * 3600.0 + minutes * 60.0 + seconds;
    if (std::sscanf(at, "%u:%u%n", &hours, &minutes, &end) == 2 && end == length)
        return hours * 3600.0 + minutes * 60.0;
    return std::sscanf(at, "%u%n", &minutes, &end) == 1 && end == length ? minutes * 60.0 : 0;
}

traveller::traveller(const char *profile) : m_table()
{
    macadam_error error;
    if (mcd_profile_read(&m_table, profile, &error) == MACADAM_OK) return;
    std::fprintf(stderr, "%s\n", error.message);
    std::abort();
}

traveller::~traveller()
{
    mcd_profile_free(&m_table);
}

/* ---- the table ---- */

const mcd_profile_row *traveller::find(mcd_profile_table table, const std::string &value) const
{
    const mcd_profile_rows &rows = m_table.table[table];
    for (size_t i = 0; i < rows.count; ++i)
        if (matches_row(rows.row[i], value)) return &rows.row[i];
    return nullptr;
}

/* Of each key the first row that the tags match. */
std::vector<const mcd_profile_row *> traveller::matches(mcd_profile_table table, const tags &said) const
{
    std::vector<const mcd_profile_row *> out;
    const mcd_profile_rows &rows = m_table.table[table];
    for (size_t i = 0; i < rows.count; ++i) {
        const std::string *value = said.get(rows.row[i].key);
        if (!value || !matches_row(rows.row[i], *value)) continue;
        const bool first = std::none_of(out.begin(), out.end(), [&](const mcd_profile_row *row) {
            return std::string(row->key) == rows.row[i].key;
        });
        if (first) out.push_back(&rows.row[i]);
    }
    return out;
}

/* The first key that the way has decides, whether it knows the value or not. A road that is also a ferry is one, with
 * the permissions that the road needs. */
bool traveller::road_of(const tags &said, mcd_profile_row *road) const
{
    const mcd_profile_rows &rows = m_table.table[MCD_PROFILE_WAYS];
    std::string deciding;
    for (size_t i = 0; i < rows.count && deciding.empty(); ++i)
        if (said.get(rows.row[i].key)) deciding = rows.row[i].key;
    const std::vector<const mcd_profile_row *> found = matches(MCD_PROFILE_WAYS, said);
    if (found.empty() || deciding != found[0]->key) return false;
    *road = *found[0];
    for (const mcd_profile_row *row : found)
        if (row->flags & MCD_PROFILE_FERRY) *road = *row;
    road->flags |=
        found[0]->flags & (MCD_PROFILE_NAMED | MCD_PROFILE_PERMIT | MCD_PROFILE_OWN | MCD_PROFILE_RIDDEN);
    return true;
}

/* ---- access ---- */

/* The lane that is open to most; nullptr if one of them says nothing. */
const mcd_profile_row *traveller::lanes_of(const std::string *lanes) const
{
    const mcd_profile_row *best = nullptr;
    if (!lanes) return nullptr;
    for (const std::string &lane : split(*lanes, '|')) {
        const mcd_profile_row *row = find(MCD_PROFILE_ACCESS, lane);
        if (!row) return nullptr;
        if (!best || row->access < best->access) best = row;
    }
    return best;
}

/* The value itself, or the part of a list that is open to most. */
const mcd_profile_row *traveller::access_in(const std::string *value) const
{
    const mcd_profile_row *best = value ? find(MCD_PROFILE_ACCESS, *value) : nullptr;
    if (best || !value || value->find(';') == std::string::npos) return best;
    for (std::string part : split(*value, ';')) {
        part.erase(0, part.find_first_not_of(' '));
        const mcd_profile_row *row = find(MCD_PROFILE_ACCESS, part);
        if (row && (!best || row->access < best->access)) best = row;
    }
    return best;
}

/* Named: the last of several modes, which is that of all travellers, says nothing. */
const mcd_profile_row *traveller::access_of(const tags &said, const char *const *mode,
                                            const std::string &direction, bool named) const
{
    for (const char *const *first = mode; *mode; ++mode) {
        const std::string key = *mode;
        if (named && mode != first && !mode[1]) return nullptr;
        const mcd_profile_row *row = direction.empty() ? nullptr : access_in(said.get(key + ":" + direction));
        if (!row) row = access_in(said.get(key));
        if (!row && !direction.empty()) row = lanes_of(said.get(key + ":lanes:" + direction));
        if (!row) row = lanes_of(said.get(key + ":lanes"));
        if (row) return row;
    }
    return nullptr;
}

bool traveller::is_too_small(const tags &said) const
{
    const mcd_profile_rows &rows = m_table.table[MCD_PROFILE_LIMITS];
    for (size_t i = 0; i < rows.count; ++i) {
        const std::string key = rows.row[i].value;
        const std::string *value = nullptr;
        for (const char *const *mode = m_table.mode; *mode && !value; ++mode)
            value = said.get(key + ":" + *mode);
        if (!value) value = said.get(key);
        if (!value) continue;
        const double limit = std::string("m") == rows.row[i].key ? metres_in(*value) : tonnes_in(*value);
        if (limit > 0 && limit < rows.row[i].number) return true;
    }
    return false;
}

/* Nodes: unless an access tag of those whom the rows except opens it. */
bool traveller::is_closed(const tags &said, bool node) const
{
    bool named = false, own = false;
    for (const mcd_profile_row *row : matches(MCD_PROFILE_CLOSED, said)) {
        if (row->flags & ((node ? MCD_PROFILE_WAY : MCD_PROFILE_NODE) | MCD_PROFILE_REPORTED)) continue;
        if (!(row->flags & (MCD_PROFILE_NAMED | MCD_PROFILE_OWN))) return true;
        named = true;
        own = own || row->flags & MCD_PROFILE_OWN;
    }
    const char *const first[] = {m_table.mode[0], nullptr};
    const mcd_profile_row *access = access_of(said, own ? first : m_table.mode, "", true);
    return node && named && (!access || access->access == MCD_ACCESS_CLOSED);
}

stop traveller::stop_at(const tags &said) const
{
    stop out = {false, false, false, {0, 0}, false, false};
    const std::string *barrier = said.get("barrier"), *sort = barrier ? said.get(*barrier) : nullptr;
    const mcd_profile_row *row = sort ? find(MCD_PROFILE_BARRIERS, *barrier + ":" + *sort) : nullptr;
    if (barrier && !row) row = find(MCD_PROFILE_BARRIERS, *barrier);
    bool along = said.get("entrance") || said.get("door");
    bool other = false; /* the node is a crossing, a platform, ...: its access tags speak of that */
    static const std::map<std::string, std::string> passed = {
        {"highway", "|elevator|ford|turning_circle|turning_loop|mini_roundabout|"},
        {"railway", "|level_crossing|crossing|tram_level_crossing|tram_crossing|subway_entrance|train_"
                    "station_entrance|"},
        {"public_transport", "|entrance|"},
        {"amenity", "|parking_entrance|"}};
    for (const auto &kind : passed) {
        const std::string *value = barrier ? nullptr : said.get(kind.first);
        if (!value) continue;
        const bool known = kind.second.find("|" + *value + "|") != std::string::npos;
        other = other || !known;
        along = along || known;
    }
    other = other && (!along || (!barrier && said.is("highway", "crossing")));
    const bool crossing = other && (said.is("highway", "crossing") ||
                                    (said.is("highway", "traffic_signals") && said.get("crossing")));
    const mcd_profile_row *access = other || (row && row->flags & MCD_PROFILE_ALWAYS)
                                        ? nullptr
                                        : access_of(said, m_table.mode, "", false);
    const bool passable = row ? row->access != MCD_ACCESS_CLOSED : !barrier; /* by those who push, too */
    if (access && access->access == MCD_ACCESS_CLOSED && m_table.push_kmh > 0 && passable)
        access = access_of(said, m_table.push_mode, "", false);
    mcd_access decided = access    ? access->access
                         : row     ? row->access
                         : barrier ? MCD_ACCESS_CLOSED
                                   : MCD_ACCESS_OPEN;
    if (!access && row && row->flags & MCD_PROFILE_LOCKABLE && said.is("locked", "yes"))
        decided = std::max(decided, MCD_ACCESS_DESTINATION_ONLY);
    out.blocked = decided == MCD_ACCESS_CLOSED;
    out.ends = decided == MCD_ACCESS_DESTINATION_ONLY;
    const bool shut = is_closed(said, true);
    if (is_too_small(said) || (shut && !crossing)) out.blocked = true, out.ends = false;
    const mcd_profile_row *across = access_of(said, m_table.mode, "", false);
    if (across && across->access == MCD_ACCESS_CLOSED && m_table.push_kmh > 0)
        across = access_of(said, m_table.push_mode, "", false);
    out.blocked_across = crossing && (shut || (across && across->access == MCD_ACCESS_CLOSED));
    const auto waits = matches(MCD_PROFILE_WAITS, said);
    const double wait_s = (row ? row->number : 0) + (waits.empty() ? 0 : waits[0]->number);
    out.wait_s[THERE] = out.wait_s[BACK] = wait_s;
    if (waits.empty()) return out;
    const std::string *named = said.get(std::string(waits[0]->value) + ":direction");
    if (!named) named = said.get("direction");
    for (int d = 0; named && d < DIRECTIONS; ++d)
        if (*named == direction_name[d]) out.wait_s[1 - d] = 0;
    if (!(waits[0]->flags & MCD_PROFILE_SIGN)) return out;
    out.sign = !named || (*named != "forward" && *named != "backward" && *named != "both");
    out.minor = said.is(waits[0]->value, "minor");
    return out;
}

/* ---- one-way ---- */

std::string traveller::oneway_of(const tags &said) const
{
    for (const char *const *mode = m_table.mode; *mode; ++mode)
        if (const std::string *own = said.get(std::string("oneway:") + *mode)) return *own;
    const std::string *plain = m_table.ignores_oneway ? nullptr : said.get("oneway");
    return plain ? *plain : "";
}

void traveller::open_directions(const tags &said, const mcd_profile_row *road, bool open[DIRECTIONS]) const
{
    const std::string value = oneway_of(said);
    const bool round = said.is("junction", "roundabout") || said.is("junction", "circular");
    const bool implied = !m_table.ignores_oneway && (round || road->flags & MCD_PROFILE_ONEWAY);
    open[THERE] = !said.is("conveying", "backward");
    open[BACK] = !implied && !said.is("conveying", "forward");
    if (said.is("conveying", "yes") && (said.is("oneway", "yes") || said.is("oneway", "1")))
        open[BACK] = false;
    if (said.is("conveying", "yes") && said.is("oneway", "-1")) open[THERE] = false, open[BACK] = true;
    if (value == "yes" || value == "true" || value == "1") open[BACK] = false;
    if (value == "no" || value == "false" || value == "0" || value == "alternating") open[BACK] = true;
    if (value == "-1" || value == "reverse") open[THERE] = false, open[BACK] = true;
    if (value == "reversible") open[THERE] = open[BACK] = false;
    if (open[THERE] != open[BACK] && !matches(MCD_PROFILE_CONTRAFLOW, said).empty())
        open[THERE] = open[BACK] = true;
}

/* One who pushes keeps no one-way rule but those for walkers, and goes around a roundabout as all do. */
bool traveller::may_walk(const tags &said, int direction) const
{
    for (const char *const *mode = m_table.push_mode; *mode; ++mode) {
        const std::string *own = said.get(std::string("oneway:") + *mode);
        if (!own) continue;
        if (*own == "yes" || *own == "true" || *own == "1") return direction == THERE;
        if (*own == "-1" || *own == "reverse") return direction == BACK;
        if (*own == "reversible") return false;
        if (*own == "no" || *own == "false" || *own == "0" || *own == "alternating") return true;
        break;
    }
    return direction == THERE || !said.is("junction", "roundabout");
}

/* ---- speed ---- */

/* 0: it says nothing. */
double traveller::limit_of(const std::string &value) const
{
    const size_t colon = value.rfind(':');
    for (const std::string &part : {value, colon == std::string::npos ? value : value.substr(colon + 1)}) {
        if (speed_in(part) > 0) return speed_in(part);
        const mcd_profile_rows &zones = m_table.table[MCD_PROFILE_MAXSPEEDS];
        for (size_t i = 0; i < zones.count; ++i)
            if (lower(zones.row[i].value) == lower(part)) return zones.row[i].number;
    }
    return 0;
}

/* Of the fastest lane, or the least of a list; 0 if one of them says nothing. */
double traveller::limit_of_list(const std::string &value) const
{
    const bool lanes = value.find('|') != std::string::npos;
    double best = 0;
    for (const std::string &item : split(value, lanes ? '|' : ';')) {
        const double limit = limit_of(item.substr(std::min(item.find_first_not_of(' '), item.size())));
        if (limit < 1) return 0;
        best = best == 0 ? limit : lanes ? std::max(best, limit) : std::min(best, limit);
    }
    return best;
}

double traveller::limit_of(const tags &said, const std::vector<std::string> &keys) const
{
    for (const std::string &name : keys) {
        const std::string *value = said.get(name);
        const double limit = value ? limit_of_list(*value) : 0;
        if (limit >= 1) return limit;
    }
    return 0;
}

double traveller::limit_of(const tags &said, const std::string &direction) const
{
    std::vector<std::string> key;
    for (const char *const *mode = m_table.mode; *mode; ++mode) {
        key.push_back(std::string("maxspeed:") + *mode + ":" + direction);
        key.push_back(std::string("maxspeed:") + *mode);
    }
    for (const char *other : {"maxspeed:", "maxspeed", "maxspeed:lanes:", "maxspeed:lanes", "maxspeed:type",
                              "source:maxspeed", "zone:maxspeed", "zone:traffic"}) {
        const std::string name = other;
        key.push_back(name.back() == ':' ? name + direction : name);
    }
    return limit_of(said, key);
}

/* A recommended speed is not exceeded either. */
double traveller::speed_of(const tags &said, const std::string &direction, const mcd_profile_row *road,
                           double cap, bool two_way) const
{
    double speed = road->number;
    if (road->flags & MCD_PROFILE_FERRY) return speed;
    const double limit = m_table.maxspeed == MCD_MAXSPEED_IGNORED ? 0 : limit_of(said, direction);
    const double advice =
        m_table.maxspeed == MCD_MAXSPEED_IGNORED
            ? 0
            : limit_of(said, {"maxspeed:advisory:" + direction, std::string("maxspeed:advisory")});
    if (limit > 0 && m_table.maxspeed == MCD_MAXSPEED_REPLACES) speed = limit;
    if (limit > 0 && m_table.maxspeed == MCD_MAXSPEED_CAPS) speed = std::min(speed, limit);
    if (advice > 0 && limit == 0 && m_table.maxspeed == MCD_MAXSPEED_REPLACES) speed = advice;
    if (advice > 0) speed = std::min(speed, advice);
    if (cap > 0) speed = std::min(speed, cap);
    const char *const first[] = {m_table.mode[0], nullptr};
    for (const mcd_profile_row *row : matches(MCD_PROFILE_SPEEDS, said))
        if (!(row->flags & MCD_PROFILE_PATH) ||
            (said.is("highway", "path") && !access_of(said, first, direction, false)))
            speed = std::min(speed, row->number);
    speed = std::min(speed, m_table.speed_max_kmh);
    for (const mcd_profile_row *row : matches(MCD_PROFILE_SLOWER, said))
        if (two_way || !(row->flags & MCD_PROFILE_TWO_WAY)) speed /= row->number;
    return speed;
}

/* ---- ways ---- */

passage traveller::pass(const tags &said) const
{
    passage out = {{false, false}, {false, false}, {0, 0}, 0, false, 0};
    mcd_profile_row row;
    const mcd_profile_row *const road = &row;
    if (!road_of(said, &row) || (said.is("area", "yes") && m_table.areas == MCD_AREAS_SKIPPED)) return out;
    if (is_too_small(said)) return out;
    bool named = false;
    for (const mcd_profile_row *closed : matches(MCD_PROFILE_CLOSED, said)) {
        if (road->flags & MCD_PROFILE_FERRY) break;
        if (closed->flags & (MCD_PROFILE_NODE | MCD_PROFILE_REPORTED)) continue;
        named = true;
        if (!(closed->flags & (MCD_PROFILE_NAMED | MCD_PROFILE_OWN))) return out;
    }
    bool ridden[DIRECTIONS];
    open_directions(said, road, ridden);
    const bool two_way = ridden[THERE] && ridden[BACK];
    for (int d = 0; d < DIRECTIONS; ++d) {
        const bool ride_named = named || road->flags & MCD_PROFILE_NAMED,
                   push_named = named || road->flags & MCD_PROFILE_RIDDEN;
        const mcd_profile_row *access = access_of(said, m_table.mode, direction_name[d], ride_named);
        double cap = access ? access->number : 0;
        out.open[d] = ridden[d] && (access ? access->access != MCD_ACCESS_CLOSED
                                           : !ride_named && !(road->flags & MCD_PROFILE_PERMIT));
        if (!out.open[d]) {
            access = access_of(said, m_table.push_mode, direction_name[d], push_named);
            cap = m_table.push_kmh;
            const bool aboard =
                !(road->flags & MCD_PROFILE_FERRY) ||
                (road->flags & MCD_PROFILE_NAMED && !access_of(said, m_table.mode, direction_name[d], true));
            out.open[d] = cap > 0 && aboard && may_walk(said, d) &&
                          (access ? access->access != MCD_ACCESS_CLOSED : !push_named);
        }
        if (!out.open[d]) continue;
        out.ends[d] = access && access->access == MCD_ACCESS_DESTINATION_ONLY;
        out.speed_kmh[d] = speed_of(said, direction_name[d], road, cap, two_way);
    }
    out.ferry = road->flags & MCD_PROFILE_FERRY;
    out.class_kmh = road->number;
    const bool timed = out.ferry || said.is("bridge", "movable");
    const std::string *duration = timed ? said.get("duration") : nullptr;
    if (duration) out.duration_s = seconds_in(*duration);
    return out;
}

/* ---- turn restrictions ---- */

bool traveller::is_excepted(const tags &said) const
{
    const std::string *list = said.get("except");
    if (!list) return false;
    std::string names = *list;
    std::replace(names.begin(), names.end(), ',', ';');
    for (std::string name : split(names, ';')) {
        name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
        for (const char *const *mode = m_table.mode; *mode; ++mode)
            if (name == *mode) return true;
    }
    return false;
}

/* Members of a role, by type. */
static size_t count_members(const relation &said, const char *role, const char *types)
{
    return static_cast<size_t>(std::count_if(said.members.begin(), said.members.end(), [&](const member &at) {
        return at.role == role && std::string(types).find(at.type) != std::string::npos;
    }));
}

static bool is_well_formed(const relation &said, const std::string &kind)
{
    const size_t from = count_members(said, "from", "w"), to = count_members(said, "to", "w"),
                 nodes = count_members(said, "via", "n"), ways = count_members(said, "via", "w");
    if (count_members(said, "from", "nr") + count_members(said, "to", "nr") +
            count_members(said, "via", "r") >
        0)
        return false;
    return from >= 1 && to >= 1 && (from == 1 || kind == "no_entry") && (to == 1 || kind == "no_exit") &&
           ((nodes <= 1 && ways == 0) || (nodes == 0 && ways >= 1));
}

/* no_left_turn, only_straight_on, ... */
static bool is_kind(const std::string &value)
{
    static const char *const known[] = {
        "no_left_turn", "no_right_turn",  "no_straight_on",  "no_u_turn",        "no_entry",
        "no_exit",      "only_left_turn", "only_right_turn", "only_straight_on", "only_u_turn"};
    return std::any_of(std::begin(known), std::end(known), [&](const char *kind) { return value == kind; });
}

/* Of a list: all must be known, and of one sort. */
static concern judge_kinds(const std::string &list)
{
    const std::vector<std::string> kinds = split(list, ';');
    for (std::string kind : kinds) {
        kind.erase(0, kind.find_first_not_of(' '));
        const size_t red = kind.rfind("_on_red");
        if (red != std::string::npos && red + 7 == kind.size() && is_kind(kind.substr(0, red)))
            return concern::on_red;
        if (!is_kind(kind) || kind[0] != list[0]) return concern::unknown_kind;
    }
    return concern::binding;
}

concern traveller::judge(const relation &said, std::string *kind) const
{
    const std::string *value = nullptr, *plain = said.said.get("restriction");
    bool conditional = false, of_others = false;
    if (is_excepted(said.said)) return concern::none;
    for (const char *const *mode = m_table.mode; *mode && !value; ++mode)
        value = said.said.get(std::string("restriction:") + *mode);
    const std::string type = *said.said.get("type"), of_mode = type.substr(std::min(type.size(), size_t{12}));
    bool binds = of_mode.empty() && !m_table.own_restrictions;
    for (const char *const *mode = m_table.mode; *mode; ++mode) binds = binds || of_mode == *mode;
    if (!value && plain && !binds) return concern::none;
    if (!value) value = plain;
    for (const auto &tag : said.said.all()) {
        if (tag.first.compare(0, 11, "restriction") != 0) continue;
        conditional = conditional || (binds && tag.first == "restriction:conditional");
        for (const char *const *mode = m_table.mode; *mode; ++mode)
            conditional = conditional || tag.first == std::string("restriction:") + *mode + ":conditional";
        of_others = of_others || tag.first.compare(0, 12, "restriction:") == 0;
    }
    if (!value) return conditional ? concern::conditional : of_others ? concern::none : concern::unknown_kind;
    if (*value == "none") return concern::none;
    if (value->find('@') != std::string::npos) return concern::conditional;
    for (const char *old : {"hour_on", "hour_off", "day_on", "day_off"})
        if (said.said.get(old)) return concern::conditional;
    if (judge_kinds(*value) != concern::binding) return judge_kinds(*value);
    *kind = *value;
    return is_well_formed(said, *value) ? concern::binding : concern::malformed;
}

} // namespace raw
