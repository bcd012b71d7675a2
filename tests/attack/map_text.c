/* map_text.c - see map_text.h. */
#include "tests/attack/map_text.h"

#include "tests/attack/attack.h"

#include <inttypes.h>
#include <string.h>

enum { NODES = 14, WAYS = 9, REFS_MAX = 8, RELATIONS = 4, ARCS = 40 };

const char map_text_town[] =
    "<osm version='0.6'>\n"
    "<node id='1' lat='50.000' lon='10.000'/><node id='2' lat='50.000' lon='10.001'/>\n"
    "<node id='3' lat='50.000' lon='10.002'/><node id='4' lat='50.001' lon='10.000'/>\n"
    "<node id='5' lat='50.001' lon='10.001'><tag k='highway' v='traffic_signals'/></node>\n"
    "<node id='6' lat='50.001' lon='10.002'/><node id='7' lat='50.002' lon='10.001'/>\n"
    "<node id='8' lat='50.002' lon='10.002'><tag k='barrier' v='gate'/></node>\n"
    "<node id='9' lat='50.003' lon='10.001'/><node id='10' lat='50.0032' lon='10.0012'/>\n"
    "<node id='11' lat='50.0034' lon='10.001'/><node id='12' lat='50.01' lon='10.01'/>\n"
    "<way id='1'><nd ref='1'/><nd ref='2'/><nd ref='3'/><tag k='highway' v='primary'/>"
    "<tag k='name' v='High Street'/><tag k='name:pronunciation' v='hi'/></way>\n"
    "<way id='2'><nd ref='4'/><nd ref='5'/><nd ref='6'/><tag k='highway' v='residential'/><tag k='maxheight' "
    "v='3.5'/><tag k='maxspeed' v='50'/><tag k='maxspeed:conditional' v='20 @ (07:00-09:00; PH "
    "off)'/></way>\n"
    "<way id='3'><nd ref='1'/><nd ref='4'/><tag k='highway' v='service'/><tag k='access' "
    "v='destination'/></way>\n"
    "<way id='4'><nd ref='2'/><nd ref='5'/><nd ref='7'/><nd ref='9'/><tag k='highway' v='secondary'/></way>\n"
    "<way id='5'><nd ref='3'/><nd ref='6'/><nd ref='8'/><tag k='highway' v='residential'/>"
    "<tag k='oneway' v='yes'/></way>\n"
    "<way id='6'><nd ref='9'/><nd ref='10'/><nd ref='11'/><nd ref='9'/><tag k='highway' v='tertiary'/>"
    "<tag k='junction' v='roundabout'/></way>\n"
    "<way id='7'><nd ref='11'/><nd ref='12'/><tag k='route' v='ferry'/><tag k='duration' v='00:20'/></way>\n"
    "<way id='8'><nd ref='7'/><nd ref='8'/><tag k='highway' v='residential'/>"
    "<tag k='access:conditional' v='no @ (22:00-06:00); no @ (weight>3.5 AND Sa)'/></way>\n"
    "<relation id='1'><member type='way' ref='2' role='from'/><member type='node' ref='5' role='via'/>"
    "<member type='way' ref='4' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='no_left_turn'/></relation>\n"
    "<relation id='2'><member type='way' ref='1' role='from'/><member type='way' ref='4' role='via'/>"
    "<member type='way' ref='2' role='to'/><tag k='type' v='restriction'/>"
    "<tag k='restriction' v='only_right_turn'/></relation>\n"
    "<relation id='3'><member type='way' ref='4' role='from'/><member type='node' ref='5' role='via'/>"
    "<member type='way' ref='2' role='to'/><tag k='type' v='maneuver'/>"
    "<tag k='maneuver' v='fork'/><tag k='direction' v='slight_left'/></relation>\n"
    "<relation id='4'><member type='way' ref='4' role='from'/><member type='way' ref='0' role='via'/>"
    "<member type='node' ref='5' role='via'/><member type='way' ref='2' role='to'/>"
    "<tag k='type' v='maneuver'/><tag k='maneuver' v='turn'/></relation>\n"
    "</osm>\n";

/* ---- OpenStreetMap ---- */

static const char *pick(test_rng *rng, const char *const *of, size_t count)
{
    return of[rng_below(rng, (uint32_t)count)];
}
#define PICK(rng, of) pick(rng, of, sizeof(of) / sizeof *(of))

void map_text_tag(test_rng *rng, const char **key, const char **value)
{
    static const char *const keys[] = {"oneway",
                                       "access",
                                       "maxspeed",
                                       "junction",
                                       "barrier",
                                       "service",
                                       "vehicle",
                                       "motor_vehicle",
                                       "bicycle",
                                       "foot",
                                       "hgv",
                                       "surface",
                                       "lanes",
                                       "width",
                                       "maxheight",
                                       "tracktype",
                                       "route",
                                       "duration",
                                       "area",
                                       "toll",
                                       "name",
                                       "ref",
                                       "highway",
                                       "restriction",
                                       "maxspeed:forward",
                                       "oneway:bicycle",
                                       "access:conditional",
                                       "cycleway",
                                       "motorroad",
                                       "kerb",
                                       "kerb:height",
                                       "conveying",
                                       "sac_scale",
                                       "mtb:scale",
                                       "toll:hgv",
                                       "ford",
                                       "bridge",
                                       "railway"};
    static const char *const values[] = {"yes",
                                         "no",
                                         "-1",
                                         "reversible",
                                         "private",
                                         "destination",
                                         "customers",
                                         "50",
                                         "30 mph",
                                         "none",
                                         "walk",
                                         "-50",
                                         "1e999",
                                         "",
                                         "99999999999999999999",
                                         "roundabout",
                                         "gate",
                                         "bollard",
                                         "lift_gate",
                                         "ferry",
                                         "00:30",
                                         "1:2:3:4",
                                         "PT1H",
                                         "no @ (Mo-Fr 07:00-19:00)",
                                         "grade5",
                                         "designated",
                                         "3.5",
                                         "3'6\"",
                                         "traffic_signals",
                                         "level_crossing",
                                         "&#10;forged line",
                                         "\xff\xfe",
                                         "crossing",
                                         "raised",
                                         "elevator",
                                         "backward",
                                         "difficult_alpine_hiking",
                                         "3+",
                                         "1-2;4",
                                         "toll_booth",
                                         "movable",
                                         "3 cm",
                                         "stop",
                                         "give_way"};
    *key = PICK(rng, keys);
    *value = PICK(rng, values);
}

static void put_tags(FILE *to, test_rng *rng, uint32_t most)
{
    for (uint32_t i = rng_below(rng, most + 1); i > 0; --i) {
        const char *key, *value;
        map_text_tag(rng, &key, &value);
        fprintf(to, "<tag k='%s' v='", key);
        for (const char *c = value; *c; ++c) fputs(*c == '\'' ? "&apos;" : (char[]){*c, 0}, to);
        fputs("'/>", to);
    }
}

static void put_node(FILE *to, test_rng *rng, uint32_t id)
{
    static const char *const far[] = {"-180", "180", "181", "nan", "", "1e9", "90", "-90.00001", "0x10"};
    fprintf(to, "<node id='%u' ", attack_chance(rng, 30) ? id - 1 : id);
    if (attack_chance(rng, 40))
        fprintf(to, "lat='%s' lon='%s'>", PICK(rng, far), PICK(rng, far));
    else
        fprintf(to, "lat='50.%03u' lon='10.%03u'>", rng_below(rng, 20), rng_below(rng, 20));
    if (attack_chance(rng, 4)) put_tags(to, rng, 2);
    fputs("</node>\n", to);
}

static void put_way(FILE *to, test_rng *rng, uint32_t id)
{
    static const char *const road[] = {"motorway",      "primary",       "residential", "service",
                                       "track",         "footway",       "cycleway",    "steps",
                                       "living_street", "tertiary_link", "no_such_road"};
    fprintf(to, "<way id='%u'>", attack_chance(rng, 30) ? 1 : id);
    const uint32_t first = rng_below(rng, NODES);
    for (uint32_t i = 0, count = rng_below(rng, REFS_MAX + 1); i < count; ++i)
        fprintf(to, "<nd ref='%u'/>",
                attack_chance(rng, 3) ? rng_below(rng, NODES + 2) : (first + i) % NODES);
    if (!attack_chance(rng, 8)) fprintf(to, "<tag k='highway' v='%s'/>", PICK(rng, road));
    put_tags(to, rng, 3);
    fputs("</way>\n", to);
}

static void put_relation(FILE *to, test_rng *rng, uint32_t id)
{
    static const char *const kind[] = {"restriction",  "restriction", "restriction",
                                       "multipolygon", "boundary",    "restriction:conditional",
                                       "maneuver"};
    static const char *const turn[] = {"no_left_turn", "no_u_turn", "only_straight_on", "only_right_turn",
                                       "no_entry",     "no_exit",   "nonsense"};
    static const char *const role[] = {"from", "via", "to", "via", "", "outer"};
    static const char *const type[] = {"way", "way", "node", "relation"};
    fprintf(to, "<relation id='%u'>", id);
    const bool is_good = !attack_chance(rng, 3);
    if (is_good)
        fprintf(to,
                "<member type='way' ref='%u' role='from'/><member type='%s' ref='%u' role='via'/>"
                "<member type='way' ref='%u' role='to'/>",
                1 + rng_below(rng, WAYS), attack_chance(rng, 2) ? "way" : "node", 1 + rng_below(rng, WAYS),
                1 + rng_below(rng, WAYS));
    for (uint32_t i = is_good ? 0 : rng_below(rng, 6); i > 0; --i)
        fprintf(to, "<member type='%s' ref='%u' role='%s'/>", PICK(rng, type), rng_below(rng, NODES),
                PICK(rng, role));
    fprintf(to, "<tag k='type' v='%s'/><tag k='restriction' v='%s'/>", PICK(rng, kind), PICK(rng, turn));
    put_tags(to, rng, 1);
    fputs("</relation>\n", to);
}

void map_text_osm(FILE *to, test_rng *rng)
{
    fputs("<?xml version='1.0' encoding='UTF-8'?>\n<osm version='0.6'>\n", to);
    for (uint32_t id = 0; id < NODES; ++id) put_node(to, rng, id);
    for (uint32_t id = 1; id <= WAYS; ++id) put_way(to, rng, id);
    for (uint32_t id = 1; id <= RELATIONS; ++id) put_relation(to, rng, id);
    fputs("</osm>\n", to);
}

/* ---- DIMACS ---- */

static void put_number(FILE *to, test_rng *rng, uint32_t end)
{
    static const char *const odd[] = {
        "-1", "4294967295", "4294967296", "2147483647", "x", "1.5", "", "00", "99999999999999999999999"};
    if (attack_chance(rng, 300))
        fprintf(to, " %s", PICK(rng, odd));
    else
        fprintf(to, " %u", 1 + rng_below(rng, end));
}

void map_text_gr(FILE *to, test_rng *rng)
{
    const uint32_t arcs = rng_below(rng, ARCS + 1), most = attack_chance(rng, 3) ? UINT32_C(0x7ffffffe) : 20;
    fprintf(to, "c drawn\np sp %u %u\n", NODES, attack_chance(rng, 20) ? arcs + 1 : arcs);
    for (uint32_t i = 0; i < arcs; ++i) {
        fputs(attack_chance(rng, 200) ? "b" : "a", to);
        put_number(to, rng, NODES);
        put_number(to, rng, NODES);
        put_number(to, rng, most);
        fputs(attack_chance(rng, 200) ? "\r\n" : "\n", to);
    }
}

void map_text_co(FILE *to, test_rng *rng)
{
    fprintf(to, "p aux sp co %u\n", attack_chance(rng, 20) ? NODES - 1 : NODES);
    for (uint32_t id = 1; id <= NODES; ++id)
        fprintf(to, "v %u %d %d\n", attack_chance(rng, 60) ? 1 : id, (int)rng_below(rng, 40000) - 20000,
                attack_chance(rng, 60) ? 99999999 : (int)rng_below(rng, 40000));
}

void map_text_order(FILE *to, test_rng *rng)
{
    uint32_t id[NODES];
    for (uint32_t i = 0; i < NODES; ++i) id[i] = i + 1;
    for (uint32_t i = NODES - 1; i > 0; --i) {
        const uint32_t other = rng_below(rng, i + 1), before = id[i];
        id[i] = id[other], id[other] = before;
    }
    if (attack_chance(rng, 10)) id[0] = id[1];
    for (uint32_t i = attack_chance(rng, 10); i < NODES; ++i) fprintf(to, "%u\n", id[i]);
}

/* ---- profiles ---- */

/* Lines of the language in any order. */
void map_text_profile(FILE *to, test_rng *rng)
{
    static const char *const head[] = {"modes car motor_vehicle vehicle access",
                                       "modes foot access",
                                       "speed_max 130",
                                       "speed_max 0",
                                       "speed_max -1",
                                       "boarding 180",
                                       "maxspeed ignored",
                                       "oneway ignored",
                                       "restrictions own",
                                       "areas outline",
                                       "u_turns dead_ends",
                                       "u_turns never",
                                       "traffic left",
                                       "turn 180 2 5",
                                       "turn 9e9 -1 x",
                                       "weight 3500",
                                       "no such line"};
    static const char *const table[] = {"[way highway]", "[way route]", "[closed kerb]", "[node barrier]",
                                        "[access]",      "[surface]",   "[way no such",  "[]"};
    static const char *const row[] = {"residential 30",
                                      "primary 80 named",
                                      "ferry 15 ferry",
                                      "gate 30",
                                      "~a own node",
                                      ">0 way",
                                      "<-1",
                                      ">1e99",
                                      "bollard closed",
                                      "service 1e9",
                                      "track -5",
                                      "footway",
                                      "motorway 120 x y z",
                                      "private destination",
                                      "yes open",
                                      "no closed"};
    fprintf(to, "name drawn\nmodes %s\nspeed_max %u\n", attack_chance(rng, 2) ? "car access" : "foot access",
            rng_below(rng, 130) + 1);
    for (uint32_t i = rng_below(rng, 4); i > 0; --i) fprintf(to, "%s\n", PICK(rng, head));
    fputs("[way highway]\nresidential 30\nprimary 70\nservice 10\n", to);
    for (uint32_t i = rng_below(rng, 3); i > 0; --i) {
        fprintf(to, "%s\n", PICK(rng, table));
        for (uint32_t j = rng_below(rng, 4); j > 0; --j) fprintf(to, "%s\n", PICK(rng, row));
    }
}
