/* numbered_route.c - see numbered_route.h. (https://wiki.openstreetmap.org/wiki/Relation:route)
 *
 * The tag of a relation and the role of a member say where the road leads, and so do the tag of a relation that has this one as
 * a member, and its role there. A relation concerns those refs of a way that end with its own: "I 80" for 80. */
#include "importers/osm/roads/numbered_route.h"
#include "engine/base/grow.h"
#include "engine/base/letters.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 4, ROLES = POINTS + MCD_DIRECTIONS, ALL_POINTS = (1 << POINTS) - 1, REFS_BYTES = 256 };
static const char *const role_name[ROLES] = {"north", "east", "south", "west", "forward", "backward"};

typedef struct mcd_numbered_route {
    int64_t id;
    uint32_t ref;       /* among the names */
    uint8_t tag, roles; /* bits of roles: of its tag, and all that hold for it */
} mcd_numbered_route;

typedef struct mcd_route_member {
    uint64_t key;
    uint32_t route; /* its number */
    uint8_t role;   /* a bit */
} mcd_route_member;

static uint64_t key_of(int64_t id, bool is_relation)
{
    return (uint64_t)id << 1 | is_relation;
}

/* Returns the bit of a role, whose first letter may be a capital; 0: none has this name. */
static uint8_t read_role(const char *name)
{
    for (unsigned i = 0; name && i < ROLES; ++i)
        if (mcd_letter_lower(*name) == *role_name[i] && strcmp(name + 1, role_name[i] + 1) == 0)
            return (uint8_t)(1 << i);
    return 0;
}

bool mcd_numbered_routes_want(const mcd_tags *tags)
{
    return mcd_tags_has(tags, "type", "route") && mcd_tags_has(tags, "route", "road");
}

macadam_status mcd_numbered_routes_add(mcd_numbered_routes *routes, const mcd_osm_relation *relation,
                                       macadam_error *error)
{
    const char *const ref = mcd_tags_get(&relation->tags, "ref");
    mcd_numbered_route added = {.id = relation->id,
                                .tag = read_role(mcd_tags_get(&relation->tags, "direction"))};
    if (!mcd_numbered_routes_want(&relation->tags)) return MACADAM_OK;
    MCD_TRY(mcd_names_add(&routes->names, ref && strlen(ref) < REFS_BYTES ? ref : "", &added.ref, error));
    MCD_TRY(MCD_GROW(routes->member, routes->member_capacity, routes->member_count + relation->member_count,
                     error));
    for (const mcd_osm_member *at = relation->member; at < relation->member + relation->member_count; ++at)
        if (at->type != 'n')
            routes->member[routes->member_count++] = (mcd_route_member){
                key_of(at->id, at->type == 'r'), (uint32_t)routes->count, read_role(at->role)};
    MCD_TRY(MCD_GROW(routes->route, routes->capacity, routes->count + 1, error));
    routes->route[routes->count++] = added;
    return MACADAM_OK;
}

MCD_DEFINE_COMPARE(compare_members, mcd_route_member, .key)
MCD_DEFINE_LOWER_BOUND(find_member, mcd_route_member, .key, uint64_t)
#define FOR_EACH_MEMBER(at, routes, own_key)                                                                 \
    for (const mcd_route_member *at =                                                                        \
             (routes)->member + find_member((routes)->member, 0, (routes)->member_count, own_key);           \
         at < (routes)->member + (routes)->member_count && at->key == (own_key); ++at)

void mcd_numbered_routes_close(mcd_numbered_routes *routes)
{
    const size_t count = routes->member_count;
    if (count == 0) return;
    qsort(routes->member, routes->member_count, sizeof *routes->member, compare_members);
    for (mcd_numbered_route *route = routes->route; route < routes->route + routes->count; ++route) {
        route->roles = route->tag;
        FOR_EACH_MEMBER(parent, routes, key_of(route->id, true))
        route->roles |= routes->route[parent->route].tag | parent->role;
    }
    routes->member_count = 0; /* most say nothing */
    for (const mcd_route_member *at = routes->member; at < routes->member + count; ++at)
        if ((routes->route[at->route].roles | at->role) & ALL_POINTS)
            routes->member[routes->member_count++] = *at;
}

/* Returns whether a ref ends with that of a route, as a word or a number. */
static bool is_ref(const char *own, size_t length, const char *ref)
{
    const size_t bytes = strlen(ref);
    if (bytes == 0 || length < bytes || memcmp(own + length - bytes, ref, bytes) != 0) return false;
    const char before = length > bytes ? own[length - bytes - 1] : ' ';
    return mcd_letter_is(before) ? isdigit((unsigned char)*ref) : !isdigit((unsigned char)before);
}

/* Returns the bits of the points to which a way's ref leads in one direction: several contradict each other. */
static unsigned find_points(const mcd_numbered_routes *routes, const mcd_way *way, int direction,
                            const char *ref, size_t length)
{
    const bool is_one_way = way->passage.speed_kmh[MCD_BACKWARD - direction] == 0;
    unsigned points = 0;
    FOR_EACH_MEMBER(member, routes, key_of(way->id, false))
    {
        const mcd_numbered_route *const route = &routes->route[member->route];
        const bool holds = member->role >> POINTS ? member->role >> POINTS == 1 << direction : is_one_way;
        if (holds && is_ref(ref, length, routes->names.text + route->ref))
            points |= route->roles | member->role;
    }
    return points & ALL_POINTS;
}

static macadam_status name_direction(const mcd_numbered_routes *routes, mcd_ways *ways, mcd_way *way,
                                     int direction, macadam_error *error)
{
    mcd_kinds *const kinds = &ways->kinds;
    const uint32_t number = way->kind[direction];
    const mcd_kind_limits limits = kinds->limits[number];
    mcd_kind kind = kinds->kind[number];
    const char *const refs = ways->names.text + kind.text[MCD_KIND_REF];
    char named[5 * REFS_BYTES], *out = named; /* "a;b;" becomes "a North; b North; ": 9 bytes for 2 */
    bool leads = false;
    if (!*refs || strlen(refs) >= REFS_BYTES) return MACADAM_OK;
    for (const char *at = refs; *at; at += strspn(at, "; ")) {
        const size_t length = strcspn(at, ";");
        const unsigned points = find_points(routes, way, direction, at, length);
        out += sprintf(out, "%s%.*s", at > refs ? "; " : "", (int)length, at);
        for (unsigned i = 0; i < POINTS; ++i)
            if (points == 1u << i) {
                out += sprintf(out, " %c%s", *role_name[i] - ('a' - 'A'), role_name[i] + 1);
                leads = true;
            }
        at += length;
    }
    if (!leads) return MACADAM_OK;
    MCD_TRY(mcd_names_add(&ways->names, named, &kind.text[MCD_KIND_REF], error));
    return mcd_kinds_add(kinds, &kind, &limits, kinds->pronunciation[number], &way->kind[direction], error);
}

macadam_status mcd_numbered_routes_apply(const mcd_numbered_routes *routes, mcd_ways *ways,
                                         macadam_error *error)
{
    for (mcd_way *way = ways->way; routes->member_count && way < ways->way + ways->count; ++way)
        for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
            MCD_TRY(name_direction(routes, ways, way, direction, error));
    return MACADAM_OK;
}

void mcd_numbered_routes_free(mcd_numbered_routes *routes)
{
    MCD_FREE_ALL(routes->route, routes->member);
    mcd_names_free(&routes->names);
    *routes = (mcd_numbered_routes){0};
}
