/* node_facts.c - see node_facts.h. */
#include "importers/osm/roads/node_facts.h"
#include "engine/base/grow.h"

/* The first point from `near` on whose id is not below `id`; points before have smaller ids. Time: the
 * logarithm of how far it is from there. */
static size_t find_from(const mcd_points *points, size_t near, int64_t id)
{
    size_t step = 1, first = near;
    while (first + step <= points->count && points->id[first + step - 1] < id) {
        first += step;
        step *= 2;
    }
    const size_t last = first + step <= points->count ? first + step - 1 : points->count;
    return mcd_lower_bound(points->id, first, last, id);
}

static uint8_t state_of(const mcd_stop *stop)
{
    static const uint8_t state_of_access[] = {[MCD_ACCESS_OPEN] = 0,
                                              [MCD_ACCESS_DESTINATION_ONLY] = MCD_POINT_DESTINATION_ONLY,
                                              [MCD_ACCESS_CLOSED] = MCD_POINT_BLOCKED};
    return (uint8_t)(MCD_POINT_PRESENT | state_of_access[stop->access] |
                     MCD_POINT_WAITS * stop->waits[MCD_FORWARD] |
                     2 * MCD_POINT_WAITS * stop->waits[MCD_BACKWARD] | MCD_POINT_SIGN * stop->sign |
                     MCD_POINT_MINOR * stop->minor);
}

/* Returns the number of the exit that begins at a node, or "". */
static const char *exit_of(const mcd_tags *tags)
{
    const char *const exit =
        mcd_tags_has(tags, "highway", "motorway_junction") ? mcd_tags_get(tags, "ref") : NULL;
    return exit && strlen(exit) < MCD_EXIT_BYTES ? exit : "";
}

/* Appends the limits of a node's signs, its flags, its exit, and when or to whom it is shut, if there is anything to
 * say. Makes *stop what it is at no particular time. */
static macadam_status add_limits(mcd_node_facts *node_facts, mcd_report *report, size_t point,
                                 const mcd_profile *profile, const mcd_osm_node *node, mcd_stop *stop,
                                 macadam_error *error)
{
    static const mcd_limited_point unlimited;
    mcd_limited_points *const limited = &node_facts->limited;
    if (node->tags.count == 0) return MACADAM_OK;
    mcd_limited_point own = {
        .point = (uint32_t)point, .age = node->age, .flags = stop->flags, .crossing = stop->crossing};
    own.barrier = mcd_tags_get(&node->tags, "barrier") != NULL;
    mcd_report_add_if(report, MCD_REPORT_UNREAD, stop->limits.unread);
    memcpy(own.limits, stop->limits.most, sizeof own.limits);
    strcpy(own.exit, exit_of(&node->tags));
    mcd_conditional_tag_of_node(&own.times, &stop->access, profile, &node->tags, report);
    if (!own.times.count && !own.flags && !own.crossing && !*own.exit &&
        memcmp(own.limits, unlimited.limits, sizeof own.limits) == 0)
        return MACADAM_OK;
    MCD_TRY(MCD_GROW(limited->at, limited->capacity, limited->count + 1, error));
    limited->at[limited->count++] = own;
    return MACADAM_OK;
}

macadam_status mcd_node_facts_add(mcd_node_facts *node_facts, mcd_report *report, const mcd_points *points,
                                  const mcd_profile *profile, const mcd_osm_node *node, macadam_error *error)
{
    size_t near = node_facts->near;
    mcd_report_count(report, MCD_REPORT_NODES, node->age >= MCD_AGE_MIN && !mcd_age_is_deleted(node->age));
    if (near > 0 && points->id[near - 1] >= node->id) near = 0;
    const size_t point = node_facts->near = find_from(points, near, node->id);
    if (point == points->count || points->id[point] != node->id) return MACADAM_OK;
    mcd_report_at(report, 'n', node->id);
    mcd_node_fact seen = {(uint32_t)point, node->lon_e7, node->lat_e7, node->age, 0, 0, false};
    const bool is_deleted = mcd_age_is_deleted(node->age);
    if (!node->valid && !is_deleted) {
        mcd_report_add(report, MCD_REPORT_INVALID_NODES);
        if (!points->age) return MACADAM_OK;
    } else if (!is_deleted) {
        const size_t limited_count = node_facts->limited.count;
        mcd_conditional_counts_count(report, MCD_REPORT_CONDITIONAL_NODES, &node->tags);
        mcd_stop stop = mcd_profile_stop(profile, &node->tags);
        MCD_TRY(add_limits(node_facts, report, point, profile, node, &stop, error));
        seen.wait_s = stop.wait_s;
        seen.state = state_of(&stop);
        seen.is_limited = node_facts->limited.count > limited_count;
    }
    MCD_TRY(MCD_GROW(node_facts->node_fact, node_facts->capacity, node_facts->count + 1, error));
    node_facts->node_fact[node_facts->count++] = seen;
    return MACADAM_OK;
}

/* Returns whether the point knows as much, or more. Notes the age if not. */
static bool is_old(mcd_points *points, const mcd_node_fact *seen)
{
    const bool is_present = points->state[seen->point] & MCD_POINT_PRESENT;
    if (!points->age) return is_present && seen->age < MCD_AGE_MIN;
    uint32_t *const age = &points->age[seen->point];
    const bool is_known = is_present || *age > 0;
    points->repeated_count += is_known && seen->age >= MCD_AGE_MIN;
    if (is_known && seen->age <= *age) return true;
    *age = seen->age;
    return false;
}

macadam_status mcd_node_facts_apply(mcd_node_facts *node_facts, mcd_points *points, macadam_error *error)
{
    const mcd_limited_points *const own = &node_facts->limited; /* in the order of their facts */
    mcd_limited_points *const limited = &points->limited;
    MCD_TRY(MCD_GROW(limited->at, limited->capacity, limited->count + own->count, error));
    for (size_t i = 0, k = 0; i < node_facts->count; ++i) {
        const mcd_node_fact *const seen = &node_facts->node_fact[i];
        k += seen->is_limited;
        if (is_old(points, seen)) continue;
        if (seen->is_limited) limited->at[limited->count++] = own->at[k - 1];
        points->lon_e7[seen->point] = seen->lon_e7;
        points->lat_e7[seen->point] = seen->lat_e7;
        points->wait_s[seen->point] = seen->wait_s;
        points->state[seen->point] = seen->state;
    }
    node_facts->count = node_facts->limited.count = 0;
    return MACADAM_OK;
}

MCD_DEFINE_FREE(mcd_node_facts_free, mcd_node_facts, it->node_fact, it->limited.at)
