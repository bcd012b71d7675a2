/* test_real_rules.c - each profile on real extracts: routes from and to the ways of each restriction, and
 * random ones, keep what the relations and the ways' own tags say. Needs MACADAM_DATA. */
#include "importers/osm_file.h"
#include "importers/profile_file.h"
#include "tests/support/checked.h"
#include "tests/support/fixture.h"
#include "tests/support/rng.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const file_names[] = {
    "osm/andorra-gisops.osm.pbf",
    "osm/cathedral-no-left.osm.pbf",
    "osm/liechtenstein-gisops.osm.pbf",
    "osm/milan_italy_small.osm.pbf",
    "osm/monaco.osm.gz",
    "osm/reisterstown-via-restriction.osm.pbf",
};
enum { FILES = sizeof file_names / sizeof *file_names, MEMBERS = 16, RANDOM_ROUTES = 200, MODES = 4 };

typedef struct traveller {
    const char *profile, *mode[MODES];
    bool own_restrictions;
} traveller;

static const traveller travellers[] = {
    {"car", {"motorcar", "motor_vehicle", "vehicle", NULL}, false},
    {"truck", {"hgv", "motor_vehicle", "vehicle", NULL}, false},
    {"bike", {"bicycle", "vehicle", NULL}, false},
    {"foot", {"foot", NULL}, true},
};
enum { TRAVELLERS = sizeof travellers / sizeof *travellers };

/* A relation as it stands. */
typedef struct raw_restriction {
    int64_t from, to, via[MEMBERS];
    size_t via_count;
    bool via_node, only, u_turn;
} raw_restriction;

typedef struct raw_way {
    int64_t id, first, last;
    bool for_ends, partly; /* in both directions; in one of them */
} raw_way;

typedef struct raw_map {
    const traveller *traveller;
    mcd_profile profile;
    raw_restriction *restriction;
    raw_way *way;
    size_t restriction_count, way_count;
} raw_map;

/* ---- reading ---- */

static bool names(const char *list, const char *mode)
{
    const char *at = list ? strstr(list, mode) : NULL;
    return at && (at == list || at[-1] == ';') && (at[strlen(mode)] == '\0' || at[strlen(mode)] == ';');
}

static const char *value_for(const traveller *who, const mcd_tags *tags)
{
    const char *value = who->own_restrictions ? NULL : mcd_tags_get(tags, "restriction");
    for (size_t m = MODES; m-- > 0;) {
        char key[64];
        if (!who->mode[m]) continue;
        if (names(mcd_tags_get(tags, "except"), who->mode[m])) return NULL;
        snprintf(key, sizeof key, "restriction:%s", who->mode[m]);
        const char *own = mcd_tags_get(tags, key);
        if (own) value = own;
    }
    return value;
}

static void take_member(raw_restriction *out, const mcd_osm_member *member, size_t *from, size_t *to)
{
    if (strcmp(member->role, "from") == 0) out->from = member->id, ++*from;
    if (strcmp(member->role, "to") == 0) out->to = member->id, ++*to;
    if (strcmp(member->role, "via") != 0 || out->via_count == MEMBERS) return;
    out->via_node = member->type == 'n';
    out->via[out->via_count++] = member->id;
}

static macadam_status take_relation(void *context, const mcd_osm_relation *relation, macadam_error *error)
{
    (void)error;
    raw_map *raw = context;
    const char *type = mcd_tags_get(&relation->tags, "type");
    const char *value = value_for(raw->traveller, &relation->tags);
    if (!type || strcmp(type, "restriction") != 0 || !value) return MACADAM_OK;
    raw_restriction taken = {.only = strncmp(value, "only_", 5) == 0,
                             .u_turn = strstr(value, "_u_turn") != NULL};
    size_t from = 0, to = 0;
    for (size_t i = 0; i < relation->member_count; ++i) take_member(&taken, &relation->member[i], &from, &to);
    if ((!taken.only && strncmp(value, "no_", 3) != 0) || from != 1 || to != 1 || taken.via_count == 0 ||
        (taken.via_node && taken.via_count > 1))
        return MACADAM_OK;
    raw->restriction = checked_reallocate(raw->restriction, raw->restriction_count + 1, sizeof taken);
    raw->restriction[raw->restriction_count++] = taken;
    return MACADAM_OK;
}

static macadam_status take_way(void *context, const mcd_osm_way *way, macadam_error *error)
{
    (void)error;
    raw_map *raw = context;
    mcd_passage passage;
    if (way->node_count < 2 || mcd_profile_way(&raw->profile, &way->tags, &passage) != MCD_WAY_OPEN)
        return MACADAM_OK;
    const bool ends[] = {passage.for_ends[0] || passage.speed_kmh[0] == 0,
                         passage.for_ends[1] || passage.speed_kmh[1] == 0};
    raw->way = checked_reallocate(raw->way, raw->way_count + 1, sizeof *raw->way);
    raw->way[raw->way_count++] = (raw_way){way->id, way->node[0], way->node[way->node_count - 1],
                                           ends[0] && ends[1], passage.for_ends[0] != passage.for_ends[1]};
    return MACADAM_OK;
}

static int compare_ways(const void *a, const void *b)
{
    const int64_t x = ((const raw_way *)a)->id, y = ((const raw_way *)b)->id;
    return (x > y) - (x < y);
}

static const raw_way *find_way(const raw_map *raw, int64_t id)
{
    const raw_way wanted = {.id = id};
    return bsearch(&wanted, raw->way, raw->way_count, sizeof wanted, compare_ways);
}

static void read_raw(raw_map *raw, const char *path)
{
    macadam_error error;
    const mcd_osm_handler handler = {.context = raw, .way = take_way, .relation = take_relation};
    fixture_expect_ok(mcd_osm_file_read(path, &handler, 1, NULL, "reading", &error), &error, path);
    qsort(raw->way, raw->way_count, sizeof *raw->way, compare_ways);
}

/* ---- claims about a route ---- */

static bool is_via(const raw_restriction *restriction, int64_t way)
{
    for (size_t v = 0; v < restriction->via_count; ++v)
        if (restriction->via[v] == way) return true;
    return false;
}

/* Back along the same way is a turn of its own. */
static bool is_to(const raw_restriction *restriction, const macadam_route_arc *from,
                  const macadam_route_arc *to)
{
    if (to->way != restriction->to) return false;
    return from->way != to->way || restriction->u_turn == (from->tail == to->head);
}

/* Whether arcs[0], of the from way, and those behind it break a no_. */
static bool breaks_no(const raw_restriction *restriction, const macadam_route_arc *arc, size_t count)
{
    if (restriction->via_node)
        return count > 1 && arc[0].head == restriction->via[0] && is_to(restriction, &arc[0], &arc[1]);
    bool used[MEMBERS] = {false};
    for (size_t i = 1; i + 1 < count && is_via(restriction, arc[i].way); ++i) {
        if (arc[i].head == arc[i - 1].tail) return false; /* who turns back goes another way */
        bool all = true;
        for (size_t v = 0; v < restriction->via_count; ++v) {
            used[v] = used[v] || restriction->via[v] == arc[i].way;
            all = all && used[v];
        }
        if (all && is_to(restriction, &arc[i], &arc[i + 1])) return true;
    }
    return false;
}

static void keeps_restrictions(const raw_map *raw, const macadam_route *route, const char *name)
{
    for (size_t r = 0; r < raw->restriction_count; ++r)
        for (size_t i = 0; i < route->arc_count && !raw->restriction[r].only; ++i)
            cr_assert_not(route->arc[i].way == raw->restriction[r].from &&
                              breaks_no(&raw->restriction[r], route->arc + i, route->arc_count - i),
                          "%s, %s: from way %lld into way %lld", name, raw->profile.name,
                          (long long)raw->restriction[r].from, (long long)raw->restriction[r].to);
}

/* Ways for ends, then others, then ways for ends. */
static void keeps_to_its_ends(const raw_map *raw, const macadam_route *route, const char *name)
{
    size_t first = 0, last = route->arc_count;
    for (size_t i = 0; i < route->arc_count; ++i) {
        const raw_way *way = find_way(raw, route->arc[i].way);
        cr_assert_not_null(way, "%s, %s: way %lld is closed", name, raw->profile.name,
                           (long long)route->arc[i].way);
        if (way->partly) return;
    }
    while (first < last && find_way(raw, route->arc[first].way)->for_ends) ++first;
    while (last > first && find_way(raw, route->arc[last - 1].way)->for_ends) --last;
    for (size_t i = first; i < last; ++i)
        cr_assert_not(find_way(raw, route->arc[i].way)->for_ends, "%s, %s: through way %lld", name,
                      raw->profile.name, (long long)route->arc[i].way);
}

static bool check_route(const raw_map *raw, macadam_engine *engine, int64_t source, int64_t target,
                        const char *name)
{
    const macadam_place waypoint[] = {{.kind = MACADAM_PLACE_NODE, .id = source},
                                      {.kind = MACADAM_PLACE_NODE, .id = target}};
    const macadam_query query = MACADAM_QUERY_INIT;
    macadam_route_request request = MACADAM_ROUTE_REQUEST_INIT;
    request.waypoint = waypoint;
    request.waypoint_count = 2;
    macadam_route *route;
    macadam_error error;
    fixture_expect_ok(macadam_route_find(engine, &query, &request, &route, &error), &error, name);
    const bool found = route->found;
    keeps_restrictions(raw, route, name);
    keeps_to_its_ends(raw, route, name);
    macadam_route_free(route);
    return found;
}

/* From both ends of the from way to both ends of the to way: past the forbidden turn, if there is no better
 * way. */
static void check_restrictions(const raw_map *raw, macadam_engine *engine, const char *name)
{
    for (size_t r = 0; r < raw->restriction_count; ++r) {
        const raw_way *from = find_way(raw, raw->restriction[r].from),
                      *to = find_way(raw, raw->restriction[r].to);
        for (int i = 0; from && to && i < 4; ++i)
            check_route(raw, engine, i & 1 ? from->first : from->last, i & 2 ? to->first : to->last, name);
    }
}

static void check_random(const raw_map *raw, macadam_engine *engine, const char *name)
{
    test_rng rng = {7};
    size_t found = 0;
    for (size_t i = 0; i < RANDOM_ROUTES; ++i) {
        const raw_way *from = &raw->way[rng_below(&rng, (uint32_t)raw->way_count)];
        const raw_way *to = &raw->way[rng_below(&rng, (uint32_t)raw->way_count)];
        found += check_route(raw, engine, from->first, to->last, name);
    }
    cr_assert_gt(found, RANDOM_ROUTES / 2, "%s, %s: only %zu routes found", name, raw->profile.name, found);
}

static void check_file(const char *name, const traveller *who)
{
    char path[FILES_PATH_BYTES], folder[FILES_PATH_BYTES], output[FILES_PATH_BYTES + 16];
    if (!files_find_data(path, name)) cr_skip_test("MACADAM_DATA is not set");
    raw_map raw = {.traveller = who};
    macadam_error error;
    fixture_expect_ok(mcd_profile_read(&raw.profile, who->profile, &error), &error, who->profile);
    read_raw(&raw, path);
    files_new_folder(folder);
    snprintf(output, sizeof output, "%s/osm.mcd", folder);
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    options.output = output;
    fixture_expect_ok(macadam_import_osm(path, who->profile, &options, &error), &error, name);
    macadam_engine *engine = fixture_open_file(output, 2);
    check_restrictions(&raw, engine, name);
    check_random(&raw, engine, name);
    macadam_engine_close(engine);
    files_remove_folder(folder);
    mcd_profile_free(&raw.profile);
    free(raw.restriction);
    free(raw.way);
}

TestSuite(real_rules, .timeout = 500);

Test(real_rules, routes_keep_them)
{
    for (size_t f = 0; f < FILES; ++f)
        for (size_t t = 0; t < TRAVELLERS; ++t) check_file(file_names[f], &travellers[t]);
}
