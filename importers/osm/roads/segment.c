/* segment.c - see segment.h. Two walks over all stretches, by parts of the ways: one counts what each part
 * makes, one fills the map's arrays. */
#include "importers/osm/roads/segment.h"
#include "importers/osm/roads/sign.h"
#include "importers/osm/rules/slope.h"

#include <math.h>
#include <stdlib.h>

enum { DURATION, DISTANCE, ASCENT, DESCENT, ENERGY, QUANTITIES };
enum { SLOPE_M = 25, DM = 10 }; /* a slope is that of at least this many metres; decimetres in one */
enum { WAYS_PER_PART = 512 };

/* How much a part of the ways makes, then where it begins: the stretch, the arc, the shape point, the change. */
typedef struct way_part {
    size_t stretch, arc, shape, timed;
} way_part;

typedef struct way_cutter {
    mcd_map *map;
    mcd_ways *ways;
    mcd_points *points;
    mcd_stretches stretches;
    const mcd_profile *profile;
    bool wants_shape_ids;
    mcd_arena *arena;  /* of the arrays below, and of the stretches' */
    uint32_t *week_of; /* [timings] of a timing: the number of its week */
    way_part *part;    /* [part_count] of WAYS_PER_PART ways */
    size_t part_count;
    mcd_segments *segments;
} way_cutter;

/* ---- nodes ---- */

static macadam_status make_nodes(way_cutter *cutter, mcd_watch *watch, macadam_error *error)
{
    const mcd_points *const points = cutter->points;
    mcd_map *const map = cutter->map;
    const mcd_vehicle *const vehicle = points->height_dm ? cutter->profile->vehicle : NULL;
    map->node_count = cutter->stretches.node_count;
    MCD_TRY(MCD_NEW(map->node_id, map->node_count, error));
    MCD_TRY(MCD_NEW(map->lon_e7, map->node_count, error));
    MCD_TRY(MCD_NEW(map->lat_e7, map->node_count, error));
    if (points->height_dm) MCD_TRY(MCD_NEW(map->height_dm, map->node_count, error));
    if (vehicle) MCD_TRY(MCD_NEW(map->potential[ENERGY], map->node_count, error));
    for (size_t point = 0; point < points->count; ++point) {
        const mcd_node node = cutter->stretches.node[point];
        MCD_TRY(mcd_watch_item(watch, point, points->count, error));
        if (node == MCD_NODE_NONE) continue;
        map->node_id[node] = points->id[point];
        map->lon_e7[node] = points->lon_e7[point];
        map->lat_e7[node] = points->lat_e7[point];
        if (map->height_dm) map->height_dm[node] = points->height_dm[point];
        if (vehicle) map->potential[ENERGY][node] = mcd_vehicle_potential(vehicle, points->height_dm[point]);
        mcd_report_at(cutter->segments->report, 'n', points->id[point]);
        mcd_report_add_if(cutter->segments->report, MCD_REPORT_BLOCKED_NODES,
                          points->state[point] & MCD_POINT_BLOCKED);
    }
    return MACADAM_OK;
}

/* ---- arcs ---- */

static size_t end_of_part(const way_cutter *cutter, size_t part)
{
    return mcd_size_min((part + 1) * WAYS_PER_PART, cutter->ways->count);
}

/* Returns how many changes in slots of the week each stretch of a way has, in both directions. */
static size_t count_changes(const way_cutter *cutter, const mcd_way *way)
{
    const mcd_conditional_tag *const timing = cutter->ways->conditional_tags.timing + way->first_timing;
    size_t count = 0;
    for (size_t i = 0; i < way->timing_count; ++i)
        for (int direction = 0; direction < MCD_DIRECTIONS; ++direction)
            count += timing[i].speed_kmh[direction] >= 0;
    return count;
}

static void count_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const way_cutter *const cutter = argument;
    way_part count = {0};
    for (size_t way = part * WAYS_PER_PART; way < end_of_part(cutter, part); ++way) {
        mcd_stretch stretch = mcd_stretch_before(&cutter->stretches, way);
        const double *const speed_kmh = stretch.way->passage.speed_kmh;
        const size_t changes = count_changes(cutter, stretch.way);
        const size_t directions = (speed_kmh[MCD_FORWARD] > 0) + (speed_kmh[MCD_BACKWARD] > 0);
        while (mcd_stretch_next(&cutter->stretches, &stretch)) {
            ++count.stretch;
            count.arc += directions;
            count.timed += changes;
            count.shape += directions * (stretch.last - stretch.first - 1);
        }
    }
    cutter->part[part] = count;
}

/* From what each part makes to where it begins; the sum of all. */
static way_part place_parts(const way_cutter *cutter)
{
    way_part sum = {0};
    for (size_t part = 0; part < cutter->part_count; ++part) {
        const way_part count = cutter->part[part];
        cutter->part[part] = sum;
        sum.stretch += count.stretch;
        sum.arc += count.arc;
        sum.shape += count.shape;
        sum.timed += count.timed;
    }
    return sum;
}

static macadam_status allocate_arcs(way_cutter *cutter, size_t shape_count, macadam_error *error)
{
    mcd_map *const map = cutter->map;
    mcd_segments *const segments = cutter->segments;
    MCD_TRY(MCD_NEW(map->tail, map->arc_count, error));
    MCD_TRY(MCD_NEW(map->head, map->arc_count, error));
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity)
        MCD_TRY(MCD_NEW(map->weight[quantity], map->arc_count, error));
    MCD_TRY(MCD_NEW(map->arc_number, map->arc_count, error));
    MCD_TRY(MCD_NEW(map->arc_way, map->arc_count, error));
    MCD_TRY(MCD_NEW(map->against, map->arc_count, error));
    MCD_TRY(MCD_NEW(map->arc_kind, map->arc_count, error));
    MCD_TRY(MCD_NEW(map->first_shape, map->arc_count + 1, error));
    MCD_TRY(MCD_NEW(map->shape_lon_e7, shape_count, error));
    MCD_TRY(MCD_NEW(map->shape_lat_e7, shape_count, error));
    if (map->height_dm) MCD_TRY(MCD_NEW(map->shape_height_dm, shape_count, error));
    if (cutter->wants_shape_ids) MCD_TRY(MCD_NEW(map->shape_id, shape_count, error));
    MCD_TRY(MCD_ARENA_NEW(&segments->arena, segments->of_arc, map->arc_count, error));
    MCD_TRY(MCD_NEW(segments->use, map->arc_count, error));
    MCD_TRY(MCD_NEW(segments->ferry, map->arc_count, error));
    MCD_TRY(MCD_ARENA_NEW(&segments->arena, segments->class_kmh, map->arc_count, error));
    if (cutter->stretches.has_waits)
        MCD_TRY(MCD_ARENA_NEW(&segments->arena, segments->wait_s, map->arc_count, error));
    if (segments->report->count[MCD_REPORT_OPEN_AT_TIMES])
        MCD_TRY(MCD_NEW(map->arc_when, map->arc_count, error));
    map->first_shape[map->arc_count] = shape_count;
    return MACADAM_OK;
}

/* Rounded; what no weight can hold (weeks on one arc: a mistake in the map) becomes the largest weight. */
static mcd_weight weight_of(double value)
{
    return value < MCD_WEIGHT_MAX ? (mcd_weight)lround(value) : MCD_WEIGHT_MAX;
}

static void add_shape(const way_cutter *cutter, way_part *at, const mcd_stretch *stretch, bool backward)
{
    mcd_map *const map = cutter->map;
    const size_t count = stretch->last - stretch->first - 1;
    map->first_shape[at->arc] = at->shape;
    for (size_t i = 0; i < count; ++i, ++at->shape) {
        const uint32_t point = cutter->ways->point[backward ? stretch->last - 1 - i : stretch->first + 1 + i];
        map->shape_lon_e7[at->shape] = cutter->points->lon_e7[point];
        map->shape_lat_e7[at->shape] = cutter->points->lat_e7[point];
        if (map->shape_height_dm) map->shape_height_dm[at->shape] = cutter->points->height_dm[point];
        if (map->shape_id) map->shape_id[at->shape] = cutter->points->id[point];
    }
}

/* MCD_SEGMENT_FERRY, and MCD_SEGMENT_BOARDED: a ferry is boarded on land. */
static uint8_t ferry_of(const way_cutter *cutter, const mcd_stretch *stretch, int direction)
{
    const uint32_t from = cutter->ways->point[direction == MCD_FORWARD ? stretch->first : stretch->last];
    if (!stretch->way->passage.ferry) return 0;
    return cutter->points->state[from] & MCD_POINT_LAND ? MCD_SEGMENT_FERRY | MCD_SEGMENT_BOARDED
                                                        : MCD_SEGMENT_FERRY;
}

/* The ascent and the descent along a stretch. */
static void set_climbs(const way_cutter *cutter, mcd_arc arc, const mcd_stretch *stretch, bool backward)
{
    enum { CM = 10 }; /* in a decimetre */
    const int32_t *const height_dm = cutter->points->height_dm;
    double ascent_dm = 0, descent_dm = 0;
    if (!height_dm) return;
    for (size_t ref = stretch->first; ref < stretch->last; ++ref) {
        const double rise_dm = height_dm[cutter->ways->point[ref + 1]] - height_dm[cutter->ways->point[ref]];
        *(rise_dm > 0 ? &ascent_dm : &descent_dm) += fabs(rise_dm);
    }
    cutter->map->weight[backward ? DESCENT : ASCENT][arc] = weight_of(ascent_dm * CM);
    cutter->map->weight[backward ? ASCENT : DESCENT][arc] = weight_of(descent_dm * CM);
}

/* Pieces of a stretch which are together at least SLOPE_M long: heights are rounded, and shorter pieces would be
 * steep. */
typedef struct slope_part {
    size_t from, to;
    double metres, rise_m; /* in the direction of travel */
} slope_part;

/* Moves to the next slope; begins with `to` where the stretch begins. Returns false after the last one. */
static bool next_slope(const way_cutter *cutter, const mcd_stretch *stretch, int direction, slope_part *at)
{
    const int32_t *const height_dm = cutter->points->height_dm;
    if (at->to == stretch->last) return false;
    *at = (slope_part){.from = at->to, .to = at->to};
    for (; at->to < stretch->last && at->metres < SLOPE_M; ++at->to)
        at->metres += mcd_stretches_piece_m(&cutter->stretches, at->to, at->to + 1);
    at->rise_m = (double)(height_dm[cutter->ways->point[at->to]] - height_dm[cutter->ways->point[at->from]]) /
                 DM * (direction == MCD_FORWARD ? 1 : -1);
    return true;
}

/* A ferry carries the vehicle. Height that it gains must be paid for: the way down would give it back. */
static void set_energy(const way_cutter *cutter, mcd_arc arc, const mcd_stretch *stretch, int direction,
                       double metres, double seconds)
{
    mcd_map *const map = cutter->map;
    const int32_t *const potential = map->potential[ENERGY];
    double pieces_j = 0;
    if (!potential) return;
    const int64_t rise = (int64_t)potential[map->head[arc]] - potential[map->tail[arc]];
    for (slope_part slope = {.to = stretch->first}; next_slope(cutter, stretch, direction, &slope);)
        pieces_j += mcd_vehicle_piece_j(cutter->profile->vehicle, slope.metres, slope.rise_m,
                                        seconds > 0 ? metres / seconds : 0);
    map->weight[ENERGY][arc] = stretch->way->passage.ferry
                                   ? (rise < 0 ? (mcd_weight)-rise : 0)
                                   : mcd_vehicle_weight(cutter->profile->vehicle, pieces_j, seconds, rise);
}

/* Returns when an arc of a way is shut. */
static mcd_when when_of(const way_cutter *cutter, const mcd_way *way, int direction)
{
    for (size_t i = way->first_timing; i < way->first_timing + way->timing_count; ++i)
        if (cutter->ways->conditional_tags.timing[i].opens[direction])
            return MCD_WHEN_OPENS | (cutter->week_of[i] + 1);
    return 0;
}

static void add_arc(const way_cutter *cutter, way_part *at, const mcd_stretch *stretch, int direction,
                    double metres, double seconds)
{
    mcd_map *const map = cutter->map;
    mcd_segments *const segments = cutter->segments;
    const mcd_passage *const passage = &stretch->way->passage;
    const bool backward = direction == MCD_BACKWARD;
    const mcd_node first = cutter->stretches.node[cutter->ways->point[stretch->first]];
    const mcd_node last = cutter->stretches.node[cutter->ways->point[stretch->last]];
    map->tail[at->arc] = backward ? last : first;
    map->head[at->arc] = backward ? first : last;
    map->weight[DURATION][at->arc] = weight_of(seconds * 1000);
    map->weight[DISTANCE][at->arc] = weight_of(metres * 100);
    if (map->preference)
        map->weight[map->preference][at->arc] = weight_of(seconds * 1000 * passage->preference[direction]);
    set_climbs(cutter, at->arc, stretch, backward);
    set_energy(cutter, at->arc, stretch, direction, metres, seconds);
    map->arc_number[at->arc] = at->arc + 1;
    map->arc_way[at->arc] = stretch->way->id;
    map->against[at->arc] = backward;
    map->arc_kind[at->arc] = stretch->way->kind[direction];
    segments->use[at->arc] =
        passage->destination_only[direction] ? MCD_ROAD_DESTINATION_ONLY : MCD_ROAD_PUBLIC;
    segments->ferry[at->arc] = ferry_of(cutter, stretch, direction);
    segments->class_kmh[at->arc] = (uint16_t)passage->class_kmh;
    if (segments->wait_s) segments->wait_s[at->arc] = mcd_sign_wait_s(&cutter->stretches, stretch, direction);
    if (map->arc_when) map->arc_when[at->arc] = when_of(cutter, stretch->way, direction);
    segments->of_arc[at->arc] = (uint32_t)at->stretch;
    add_shape(cutter, at, stretch, backward);
    ++at->arc;
}

/* How many times as long the stretch takes as on level ground. */
static double pace(const way_cutter *cutter, const mcd_stretch *stretch, int direction, double speed_kmh)
{
    const mcd_passage *const passage = &stretch->way->passage;
    const int32_t *const height_dm = cutter->points->height_dm;
    if (!height_dm || passage->ferry || cutter->profile->slopes == MCD_SLOPES_IGNORED) return 1;
    double level_m = 0, paced_m = 0;
    for (slope_part slope = {.to = stretch->first}; next_slope(cutter, stretch, direction, &slope);) {
        level_m += slope.metres;
        paced_m += slope.metres * mcd_slope_pace(cutter->profile, speed_kmh, passage->pushed[direction],
                                                 slope.metres > 0 ? slope.rise_m / slope.metres : 0);
    }
    return level_m > 0 ? paced_m / level_m : 1;
}

/* Seconds along a stretch; fixed_s: those that its way's own duration gives it, 0: it goes by speed. */
static double travel_s(const way_cutter *cutter, const mcd_stretch *stretch, int direction, double speed_kmh,
                       double metres, double fixed_s)
{
    return fixed_s > 0 ? fixed_s : metres * 3.6 / speed_kmh * pace(cutter, stretch, direction, speed_kmh);
}

/* Appends what the next arc weighs in slots of the week. */
static void add_changes(const way_cutter *cutter, way_part *at, const mcd_stretch *stretch, int direction,
                        double metres, double seconds, double fixed_s, double more_s)
{
    const mcd_way *const way = stretch->way;
    for (size_t i = way->first_timing; i < way->first_timing + way->timing_count; ++i) {
        const mcd_conditional_tag *const timing = &cutter->ways->conditional_tags.timing[i];
        const double speed_kmh = timing->speed_kmh[direction];
        if (speed_kmh < 0) continue;
        const double then =
            speed_kmh > 0 ? more_s + travel_s(cutter, stretch, direction, speed_kmh, metres, fixed_s) : 0;
        cutter->map->timed_arc[at->timed++] =
            (mcd_timed_arc){.number = (uint32_t)at->arc + 1,
                            .week = cutter->week_of[i],
                            .usual = weight_of(seconds * 1000),
                            .timed = speed_kmh > 0 ? weight_of(then * 1000) : MCD_UNREACHED};
    }
}

static void add_stretch(const way_cutter *cutter, way_part *at, const mcd_stretch *stretch, double way_m)
{
    const mcd_passage *const passage = &stretch->way->passage;
    const double metres = mcd_stretches_length_m(&cutter->stretches, stretch->first, stretch->last);
    for (int direction = 0; direction < MCD_DIRECTIONS; ++direction) {
        if (passage->speed_kmh[direction] == 0) continue;
        const bool boards = ferry_of(cutter, stretch, direction) & MCD_SEGMENT_BOARDED;
        const double more_s = boards ? cutter->profile->boarding_s : 0;
        const double fixed_s = way_m > 0 ? passage->duration_s * metres / way_m : 0;
        const double seconds =
            more_s + travel_s(cutter, stretch, direction, passage->speed_kmh[direction], metres, fixed_s);
        add_changes(cutter, at, stretch, direction, metres, seconds, fixed_s, more_s);
        add_arc(cutter, at, stretch, direction, metres, seconds);
    }
    ++at->stretch;
}

static void fill_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    const way_cutter *const cutter = argument;
    way_part at = cutter->part[part];
    for (size_t way = part * WAYS_PER_PART; way < end_of_part(cutter, part); ++way) {
        mcd_stretch stretch = mcd_stretch_before(&cutter->stretches, way);
        /* to be shared out; a way of which parts are missing goes by its speed */
        const double way_m =
            stretch.way->passage.duration_s == 0 ? 0 : mcd_stretches_way_m(&cutter->stretches, stretch.way);
        while (mcd_stretch_next(&cutter->stretches, &stretch)) add_stretch(cutter, &at, &stretch, way_m);
    }
}

static int compare_weeks(const void *x, const void *y)
{
    const mcd_conditional_tag *const *const a = x, *const *const b = y;
    return memcmp(&(*a)->period, &(*b)->period, sizeof(mcd_period));
}

/* Makes the distinct weeks of all changes. */
static macadam_status number_weeks(way_cutter *cutter, macadam_error *error)
{
    const mcd_conditional_tags *const conditional_tags = &cutter->ways->conditional_tags;
    const mcd_conditional_tag **sorted;
    mcd_map *const map = cutter->map;
    MCD_TRY(MCD_ARENA_NEW(cutter->arena, sorted, conditional_tags->count, error));
    for (size_t i = 0; i < conditional_tags->count; ++i) sorted[i] = &conditional_tags->timing[i];
    qsort(sorted, conditional_tags->count, sizeof *sorted, compare_weeks);
    MCD_TRY(MCD_ARENA_NEW(cutter->arena, cutter->week_of, conditional_tags->count, error));
    MCD_TRY(MCD_NEW(map->week, conditional_tags->count, error));
    MCD_TRY(MCD_NEW(map->week_holiday, conditional_tags->count, error));
    MCD_TRY(MCD_NEW(map->guard, conditional_tags->count, error));
    map->week_capacity = map->holiday_capacity = map->guard_capacity = conditional_tags->count;
    for (size_t i = 0; i < conditional_tags->count; ++i) {
        if (i == 0 || compare_weeks(&sorted[i - 1], &sorted[i]) != 0) {
            map->week[map->week_count] = sorted[i]->period.week[0];
            map->week_holiday[map->week_count] = sorted[i]->period.week[1];
            map->guard[map->week_count++] = sorted[i]->period.guard;
        }
        cutter->week_of[sorted[i] - conditional_tags->timing] = (uint32_t)map->week_count - 1;
    }
    return MACADAM_OK;
}

static macadam_status make_arcs(way_cutter *cutter, const mcd_parallel *parallel, mcd_watch *watch,
                                macadam_error *error)
{
    cutter->part_count = (cutter->ways->count + WAYS_PER_PART - 1) / WAYS_PER_PART;
    MCD_TRY(MCD_ARENA_NEW(cutter->arena, cutter->part, cutter->part_count, error));
    MCD_TRY(mcd_watch_for(watch, parallel, cutter->part_count, count_part, cutter, error));
    const way_part sum = place_parts(cutter);
    cutter->map->timed_arc_count = sum.timed;
    if (cutter->ways->conditional_tags.count > 0) MCD_TRY(number_weeks(cutter, error));
    if (sum.timed) MCD_TRY(MCD_NEW(cutter->map->timed_arc, sum.timed, error));
    if (sum.arc >= UINT32_MAX)
        return mcd_fail_invalid(error, "%zu arcs are more than %u", sum.arc, UINT32_MAX - 1);
    cutter->map->arc_count = cutter->map->number_count = sum.arc;
    MCD_TRY(allocate_arcs(cutter, sum.shape, error));
    return mcd_watch_for(watch, parallel, cutter->part_count, fill_part, cutter, error);
}

/* ---- the map ---- */

static macadam_status cut(way_cutter *cutter, const char *heights, const mcd_parallel *parallel,
                          mcd_watch *watch, macadam_error *error)
{
    if (heights)
        MCD_TRY(mcd_heights_new(cutter->segments->report, cutter->points, cutter->ways, heights, parallel,
                                watch, error));
    MCD_TRY(mcd_stretches_new(&cutter->stretches, cutter->arena, cutter->ways, cutter->points,
                              cutter->segments->report, watch, error));
    MCD_TRY(make_nodes(cutter, watch, error));
    MCD_TRY(mcd_ferry_lines_share(cutter->segments->ferry_lines, cutter->ways, &cutter->stretches, error));
    MCD_TRY(make_arcs(cutter, parallel, watch, error));
    MCD_TRY(mcd_signs_limit(&cutter->stretches, cutter->ways, cutter->map, watch, error));
    return mcd_map_index_ids(cutter->map, watch, error);
}

static void name_quantities(mcd_map *map, const mcd_profile *profile, bool has_heights)
{
    static const char *const name[QUANTITIES] = {"duration", "distance", "ascent", "descent", "energy"};
    map->quantity_count = !has_heights ? ASCENT : profile->vehicle ? QUANTITIES : ENERGY;
    for (size_t quantity = 0; quantity < map->quantity_count; ++quantity) {
        strcpy(map->quantity[quantity], name[quantity]);
        strcpy(map->unit[quantity], quantity == DURATION ? "ms" : quantity == ENERGY ? "mWh" : "cm");
    }
    if (profile->table[MCD_PROFILE_PREFERENCE].count == 0) return;
    map->preference = map->quantity_count++;
    strcpy(map->quantity[map->preference], "preference");
    strcpy(map->unit[map->preference], "ms");
}

macadam_status mcd_segments_new(mcd_segments *out, mcd_map *map, mcd_ways *ways, mcd_points *points,
                                const mcd_ferry_lines *ferry_lines, const mcd_profile *profile,
                                mcd_report *report, const macadam_import_options *options,
                                const mcd_parallel *parallel, const mcd_progress *progress,
                                macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(progress, "cutting ways");
    *out = (mcd_segments){.report = report, .ferry_lines = ferry_lines};
    MCD_FREED_BY(mcd_arena_free) mcd_arena arena = {0};
    way_cutter cutter = {.arena = &arena,
                         .map = map,
                         .ways = ways,
                         .points = points,
                         .profile = profile,
                         .wants_shape_ids = options->node_ids,
                         .segments = out};
    name_quantities(map, profile, options->heights != NULL);
    MCD_TRY(cut(&cutter, options->heights, parallel, &watch, error));
    map->names_bytes = ways->names.bytes;
    map->kind_count = ways->kinds.count;
    MCD_MOVE(map->names, ways->names.text);
    MCD_MOVE(map->kind, ways->kinds.kind);
    if (ways->kinds.has_limits) MCD_MOVE(map->kind_limits, ways->kinds.limits);
    if (ways->kinds.has_pronunciations) MCD_MOVE(map->kind_pronunciation, ways->kinds.pronunciation);
    return MACADAM_OK;
}

macadam_status mcd_segments_index(mcd_segments *segments, const mcd_map *map, const mcd_parallel *parallel,
                                  mcd_watch *watch, macadam_error *error)
{
    MCD_TRY(mcd_incidence_new(&segments->out, &segments->arena, map->node_count, map->tail, map->arc_count,
                              parallel, watch, error));
    return mcd_incidence_new(&segments->in, &segments->arena, map->node_count, map->head, map->arc_count,
                             parallel, watch, error);
}

void mcd_segments_free(mcd_segments *segments)
{
    mcd_arena_free(&segments->arena);
    MCD_FREE_ALL(segments->use, segments->ferry);
    *segments = (mcd_segments){0};
}
