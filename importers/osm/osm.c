/* osm.c - see osm.h. The steps: ways and restrictions; their points; segments and arcs; forbidden turns. */
#include "importers/osm/osm.h"
#include "importers/base/jobs.h"
#include "importers/osm/turns/barrier.h"
#include "importers/osm/read/extracts.h"
#include "engine/base/grow.h"
#include "importers/osm/turns/turn_cost.h"
#include "importers/osm/roads/road_speeds.h"
#include "importers/osm/roads/date_line.h"
#include "importers/osm/roads/numbered_route.h"
#include "importers/osm/roads/plaza.h"
#include "importers/osm/roads/gated_area.h"
#include "importers/osm/turns/maneuver.h"
#include "importers/osm/turns/restriction.h"
#include "importers/osm/roads/node_facts.h"
#include "importers/osm/roads/duplicate_road.h"
#include "importers/osm/roads/way_merge.h"

enum { REFS_PER_TASK = 8192 };

/* The contents of a part of the file; all zero between parts, except for memory that is kept. */
typedef struct osm_part {
    mcd_ways ways;
    mcd_node_facts node_facts;
    mcd_report report;
} osm_part;

typedef struct osm_import {
    const mcd_profile *profile;
    osm_part part[MCD_OSM_PARTS];
    mcd_ways *ways_part; /* [ways_part_count] those of all parts, in the file's order */
    size_t ways_part_count, ways_part_capacity;
    size_t outline_part; /* from this part on, ways are outlines of areas */
    mcd_ways ways;
    mcd_restrictions restrictions;
    mcd_maneuvers maneuvers;
    mcd_ferry_lines ferry_lines;
    mcd_plazas plazas;
    mcd_points points;
    mcd_segments segments;
    mcd_turns turns;
    mcd_report report;
    mcd_report node_report;        /* of nodes, until they are read */
    const mcd_speed_table *speeds; /* to apply; NULL: none */
    bool left, right;              /* some boundary says that traffic keeps to that side */
} osm_import;

/* ---- parts ---- */

static void free_parts(osm_import *import)
{
    for (size_t i = 0; i < import->ways_part_count; ++i) mcd_ways_free(&import->ways_part[i]);
    mcd_free(import->ways_part);
    import->ways_part = NULL;
    import->ways_part_count = 0;
    for (size_t part = 0; part < MCD_OSM_PARTS; ++part) {
        mcd_ways_free(&import->part[part].ways);
        mcd_node_facts_free(&import->part[part].node_facts);
        mcd_report_free(&import->part[part].report);
    }
}

/* ---- all profiles ---- */

struct mcd_osm_roads {
    const char *path;      /* of the first file */
    bool several;          /* files */
    _Atomic bool is_empty; /* no road is open to some profile */
    mcd_numbered_routes numbered_routes;
    size_t profile_count;
    osm_import import[]; /* [profile_count] */
};

#define FOR_EACH_PROFILE(import, roads)                                                                      \
    for (osm_import *import = (roads)->import; import < (roads)->import + (roads)->profile_count; ++import)

static macadam_status take_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    FOR_EACH_PROFILE(import, (mcd_osm_roads *)context)
    MCD_TRY(mcd_ways_add(&import->part[part].ways, &import->part[part].report, import->profile, way, error));
    return MACADAM_OK;
}

static bool wants_relation(const void *context, const mcd_tags *tags)
{
    const mcd_osm_roads *const roads = context;
    bool wanted = mcd_tags_get(tags, "driving_side") || mcd_restrictions_want(tags) ||
                  mcd_maneuvers_want(tags) || mcd_ferry_lines_want(tags) || mcd_numbered_routes_want(tags);
    for (size_t i = 0; i < roads->profile_count && !wanted; ++i)
        wanted = mcd_plazas_want(roads->import[i].profile, tags);
    return wanted;
}

static macadam_status take_relation(void *context, const mcd_osm_relation *relation, macadam_error *error)
{
    mcd_osm_roads *const roads = context;
    MCD_TRY(mcd_numbered_routes_add(&roads->numbered_routes, relation, error));
    FOR_EACH_PROFILE(import, roads)
    {
        import->left = import->left || mcd_tags_has(&relation->tags, "driving_side", "left");
        import->right = import->right || mcd_tags_has(&relation->tags, "driving_side", "right");
        MCD_TRY(mcd_ferry_lines_add(&import->ferry_lines, &import->report, relation, error));
        MCD_TRY(mcd_maneuvers_add(&import->maneuvers, &import->report, relation, error));
        MCD_TRY(mcd_plazas_add(&import->plazas, &import->report, import->profile, relation, error));
        MCD_TRY(
            mcd_restrictions_add(&import->restrictions, &import->report, import->profile, relation, error));
    }
    return MACADAM_OK;
}

static macadam_status take_plaza_way(void *context, size_t part, const mcd_osm_way *way, macadam_error *error)
{
    FOR_EACH_PROFILE(import, (mcd_osm_roads *)context)
    MCD_TRY(mcd_plazas_take_way(&import->plazas, &import->part[part].ways, import->profile, way, error));
    return MACADAM_OK;
}

static macadam_status take_node(void *context, size_t part, const mcd_osm_node *node, macadam_error *error)
{
    FOR_EACH_PROFILE(import, (mcd_osm_roads *)context)
    MCD_TRY(mcd_node_facts_add(&import->part[part].node_facts, &import->part[part].report, &import->points,
                               import->profile, node, error));
    return MACADAM_OK;
}

static macadam_status join_way_parts(void *context, size_t part, macadam_error *error)
{
    FOR_EACH_PROFILE(import, (mcd_osm_roads *)context)
    {
        MCD_TRY(mcd_report_join(&import->report, &import->part[part].report, error));
        if (import->part[part].ways.count == 0) continue;
        MCD_TRY(MCD_GROW(import->ways_part, import->ways_part_capacity, import->ways_part_count + 1, error));
        MCD_MOVE(import->ways_part[import->ways_part_count++], import->part[part].ways);
    }
    return MACADAM_OK;
}

static macadam_status join_node_parts(void *context, size_t part, macadam_error *error)
{
    FOR_EACH_PROFILE(import, (mcd_osm_roads *)context)
    {
        MCD_TRY(mcd_node_facts_apply(&import->part[part].node_facts, &import->points, error));
        MCD_TRY(mcd_report_join(&import->node_report, &import->part[part].report, error));
    }
    return MACADAM_OK;
}

/* ---- steps ---- */

/* The state of reading files, and where objects go. */
typedef struct osm_reading {
    mcd_osm_roads *roads;
    mcd_extracts files;
} osm_reading;

/* Frees all but the report. */
static void forget(osm_import *import)
{
    free_parts(import);
    mcd_ways_free(&import->ways);
    mcd_restrictions_free(&import->restrictions);
    mcd_free(import->maneuvers.relation);
    mcd_ferry_lines_free(&import->ferry_lines);
    mcd_plazas_free(&import->plazas);
    mcd_points_free(&import->points);
    mcd_segments_free(&import->segments);
    mcd_turns_free(&import->turns);
    mcd_report_free(&import->node_report);
    *import = (osm_import){
        .profile = import->profile, .report = import->report, .node_report = import->node_report};
}

/* Reads ways and relations, once more if the file turns out to hold several versions of some; then the ways again if
 * some relation is an area that one crosses. */
static macadam_status read_ways(osm_reading *reading, macadam_error *error)
{
    mcd_osm_roads *const roads = reading->roads;
    mcd_extracts *const files = &reading->files;
    const mcd_osm_handler all = {.context = roads,
                                 .way = take_way,
                                 .relation = take_relation,
                                 .wants = wants_relation,
                                 .join = join_way_parts};
    const mcd_osm_handler outlines = {.context = roads, .way = take_plaza_way, .join = join_way_parts};
    bool has_plazas = false, repeat;
    MCD_TRY(mcd_extracts_read(files, &all, "reading ways", error));
    MCD_TRY(mcd_extracts_compare(files, &repeat, error));
    if (repeat) {
        FOR_EACH_PROFILE(import, roads) forget(import), mcd_report_free(&import->report);
        mcd_numbered_routes_free(&roads->numbered_routes);
        MCD_TRY(mcd_extracts_read(files, &all, "reading ways", error));
    }
    mcd_numbered_routes_close(&roads->numbered_routes);
    FOR_EACH_PROFILE(import, roads)
    {
        import->outline_part = import->ways_part_count;
        mcd_plazas_close(&import->plazas);
        has_plazas |= import->plazas.member_count > 0;
    }
    if (has_plazas) MCD_TRY(mcd_extracts_read(files, &outlines, "reading outlines", error));
    return MACADAM_OK;
}

/* Finds the points of some of the ways' nodes. */
static void find_points(void *argument, size_t task, MCD_UNUSED unsigned worker)
{
    const osm_import *const import = argument;
    const mcd_ways *const ways = &import->ways;
    const size_t first = task * REFS_PER_TASK;
    mcd_points_find(&import->points, ways->ref + first, mcd_size_min(REFS_PER_TASK, ways->ref_count - first),
                    ways->point + first);
}

/* Says why there is no arc. */
static macadam_status fail_empty(mcd_osm_roads *roads, const osm_import *import, macadam_error *error)
{
    unsigned long long count[MCD_REPORT_KINDS];
    roads->is_empty = true;
    for (int kind = 0; kind < MCD_REPORT_KINDS; ++kind) count[kind] = import->report.count[kind];
    return mcd_fail(error, MACADAM_E_FILE,
                    "%s%s: no road is open to the profile %s: %llu ways closed, %llu areas, %llu not roads, "
                    "%llu with fewer than two nodes; "
                    "%llu nodes missing, %llu without valid coordinates",
                    roads->path, roads->several ? " and the other files" : "", import->profile->name,
                    count[MCD_REPORT_CLOSED_WAYS], count[MCD_REPORT_AREAS], count[MCD_REPORT_NO_ROADS],
                    count[MCD_REPORT_SHORT_WAYS], count[MCD_REPORT_MISSING_NODES],
                    count[MCD_REPORT_INVALID_NODES]);
}

/* A map with countries of both kinds needs a profile that says which one is meant. */
static bool drives_left(const osm_import *import)
{
    const unsigned traffic = import->profile->traffic;
    return traffic == MCD_TRAFFIC_MAP ? import->left && !import->right : traffic == MCD_TRAFFIC_LEFT;
}

/* Whether nodes may come more than once, as far as the files were read. */
static bool has_ages(const mcd_extracts *files)
{
    return files->compared || !mcd_osm_file_ascends(files->file[0]);
}

/* For one profile. */
static macadam_status expect_nodes(void *context, const mcd_job *job, macadam_error *error)
{
    const osm_reading *const reading = context;
    const mcd_extracts *const files = &reading->files;
    osm_import *const import = &reading->roads->import[job->index];
    mcd_watch watch = mcd_watch_of(&job->progress, "joining ways");
    mcd_ways *const ways = &import->ways;
    MCD_TRY(mcd_ways_merge(ways, import->ways_part, import->ways_part_count, import->outline_part,
                           files->compared, drives_left(import), &watch, error));
    if (ways->count == 0) return fail_empty(reading->roads, import, error);
    MCD_TRY(mcd_numbered_routes_apply(&reading->roads->numbered_routes, ways, error));
    MCD_TRY(mcd_points_new(&import->points, ways->ref, ways->ref_count, &job->parallel, &watch, error));
    MCD_TRY(MCD_NEW(ways->point, ways->ref_count, error));
    MCD_TRY(mcd_watch_for(&watch, &job->parallel, (ways->ref_count + REFS_PER_TASK - 1) / REFS_PER_TASK,
                          find_points, import, error));
    mcd_free(ways->ref); /* ways->point says the same in half the room */
    ways->ref = NULL;
    return has_ages(files) ? mcd_points_expect_ages(&import->points, error) : MACADAM_OK;
}

/* Once more if only the ids of the nodes of a single file turn out not to ascend. */
static macadam_status read_nodes(const osm_reading *reading, macadam_error *error)
{
    mcd_osm_roads *const roads = reading->roads;
    const mcd_extracts *const files = &reading->files;
    mcd_osm_handler nodes = {
        .context = roads, .node = take_node, .join = join_node_parts, .versions = has_ages(files)};
    MCD_TRY(mcd_extracts_read(files, &nodes, "reading nodes", error));
    if (has_ages(files) && !nodes.versions) {
        FOR_EACH_PROFILE(import, roads)
        {
            MCD_TRY(mcd_points_expect_ages(&import->points, error));
            mcd_report_free(&import->node_report);
        }
        nodes.versions = true;
        MCD_TRY(mcd_extracts_read(files, &nodes, "reading nodes", error));
    }
    FOR_EACH_PROFILE(import, roads)
    {
        if (import->points.age) mcd_points_close_ages(&import->points);
        if (files->count > 1) /* else versions of one file */
            mcd_report_count(&import->report, MCD_REPORT_REPEATED_NODES, import->points.repeated_count);
        MCD_TRY(mcd_report_join(&import->report, &import->node_report, error));
    }
    return MACADAM_OK;
}

static void close_reading(osm_reading *reading)
{
    FOR_EACH_PROFILE(import, reading->roads) free_parts(import);
    mcd_numbered_routes_free(&reading->roads->numbered_routes);
    mcd_extracts_close(&reading->files);
}

macadam_status mcd_osm_read(mcd_osm_roads *roads, const char *const *path, size_t path_count,
                            const mcd_parallel *parallel, const mcd_progress *progress, macadam_error *error)
{
    MCD_FREED_BY(close_reading)
    osm_reading reading = {.roads = roads};
    MCD_TRY(mcd_extracts_open(&reading.files, path, path_count, parallel, progress, error));
    roads->path = path[0];
    roads->several = path_count > 1;
    MCD_TRY(read_ways(&reading, error));
    MCD_TRY(mcd_jobs_do(roads->profile_count, parallel, expect_nodes, &reading, progress, error));
    FOR_EACH_PROFILE(import, roads)
    for (int kind = 0; kind < MCD_OSM_KINDS && path_count > 1; ++kind)
        mcd_report_count(&import->report, MCD_REPORT_REPEATED_WAYS + (mcd_report_kind)kind,
                         reading.files.list[kind].count);
    return read_nodes(&reading, error);
}

static macadam_status split_nodes(osm_import *import, mcd_map *map, const mcd_parallel *parallel,
                                  const mcd_progress *progress, macadam_error *error)
{
    MCD_FREED_BY(mcd_copier_free) mcd_copier copier = mcd_copier_of(map);
    mcd_watch watch = mcd_watch_of(progress, "splitting junctions");
    MCD_TRY(mcd_copier_put(&copier, &watch, error));
    MCD_TRY(mcd_turns_apply(&copier, &import->turns, parallel, &watch, error));
    mcd_turns_free(&import->turns);
    MCD_TRY(mcd_access_zones_apply(&copier, import->segments.use, parallel, &watch, error));
    MCD_TRY(mcd_copier_arrivals(&copier, &watch, error));
    return mcd_copier_get(&copier, &watch, error);
}

/* Splitting junctions takes the most memory. If the facts of roads are put away meanwhile, they are checked
 * first. */
static macadam_status put_facts_away(mcd_map *map, const macadam_import_options *options,
                                     const mcd_progress *progress, macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(progress, "splitting junctions");
    MCD_TRY(mcd_map_limit(map, options, error));
    if (!map->spill) return MACADAM_OK;
    MCD_TRY(mcd_map_check(map, &watch, error));
    return mcd_map_put(map, MCD_MAP_FACTS, &watch, error);
}

/* Cuts the ways into segments. Speeds between nodes need the ids of shape points, too. */
static macadam_status make_segments(osm_import *import, mcd_map *map, const macadam_import_options *options,
                                    const mcd_parallel *parallel, const mcd_progress *progress,
                                    macadam_error *error)
{
    macadam_import_options own = *options;
    own.node_ids |= import->speeds && import->speeds->of[MCD_SPEED_OF_PAIR].count > 0;
    return mcd_segments_new(&import->segments, map, &import->ways, &import->points, &import->ferry_lines,
                            import->profile, &import->report, &own, parallel, progress, error);
}

static macadam_status apply_speeds(osm_import *import, mcd_map *map, const macadam_import_options *options,
                                   const mcd_progress *progress, macadam_error *error)
{
    mcd_watch watch = mcd_watch_of(progress, "applying speeds");
    if (!import->speeds) return MACADAM_OK;
    MCD_TRY(mcd_road_speeds_apply(map, import->speeds, &import->report, &watch, error));
    if (options->node_ids) return MACADAM_OK;
    mcd_free(map->shape_id);
    map->shape_id = NULL;
    return MACADAM_OK;
}

/* ---- checkpoints ---- */

static macadam_status keep_report(mcd_checkpoint *at, mcd_report *report, macadam_error *error)
{
    mcd_report values = *report;
    values.object = NULL;
    values.profile = NULL;
    values.capacity = values.object_count;
    MCD_TRY(mcd_checkpoint_value(at, "report", &values, sizeof values, error));
    if (at->file) {
        values.profile = report->profile;
        mcd_report_free(report);
        *report = values;
    }
    return MCD_CHECKPOINT_ARRAY(at, "report_object", report->object, report->object_count, error);
}

static macadam_status keep_turns(mcd_checkpoint *at, mcd_turns *turns, macadam_error *error)
{
    mcd_turns values = {
        .count = turns->count,
        .sorted_count = turns->sorted_count,
        .capacity = turns->count,
        .path_count = turns->path_count,
        .length_capacity = turns->path_count,
        .more_capacity = turns->path_count,
        .path_arc_count = turns->path_arc_count,
        .path_capacity = turns->path_arc_count,
        .when = turns->when,
    };
    MCD_TRY(mcd_checkpoint_value(at, "turns", &values, sizeof values, error));
    if (at->file) *turns = values;
    MCD_TRY(MCD_CHECKPOINT_ARRAY(at, "turn", turns->turn, values.count, error));
    MCD_TRY(MCD_CHECKPOINT_ARRAY(at, "turn_path", turns->path, values.path_arc_count, error));
    MCD_TRY(MCD_CHECKPOINT_ARRAY(at, "turn_length", turns->length, values.path_count, error));
    return MCD_CHECKPOINT_ARRAY(at, "turn_more", turns->more, values.path_count, error);
}

/* The state that is needed to split junctions. */
static macadam_status keep_roads(mcd_checkpoint *at, osm_import *import, mcd_map *map, macadam_error *error)
{
    MCD_TRY(mcd_checkpoint_map(at, map, error));
    MCD_TRY(keep_report(at, &import->report, error));
    MCD_TRY(keep_turns(at, &import->turns, error));
    return MCD_CHECKPOINT_ARRAY(at, "road_use", import->segments.use, map->arc_count, error);
}

static macadam_status save_roads(const mcd_checkpoint *from, osm_import *import, mcd_map *map,
                                 const mcd_parallel *parallel, const mcd_progress *progress,
                                 macadam_error *error)
{
    MCD_FREED_BY(mcd_checkpoint_close) mcd_checkpoint roads = {0};
    MCD_TRY(mcd_checkpoint_create(&roads, from->all, MCD_IMPORT_STAGE_ROADS, from->profile, parallel,
                                  progress, error));
    if (!roads.writer) return MACADAM_OK;
    MCD_TRY(keep_roads(&roads, import, map, error));
    return mcd_checkpoint_finish(&roads, error);
}

macadam_status mcd_osm_keep_report(mcd_osm_roads *roads, mcd_checkpoint *at, macadam_error *error)
{
    osm_import *const import = &roads->import[at->profile];
    if (at->file) forget(import); /* the map is read, too */
    return keep_report(at, &import->report, error);
}

/* ---- maps ---- */

/* Makes the roads and their turns, before junctions are split. */
static macadam_status make_roads(mcd_osm_roads *roads, osm_import *import, mcd_map *map,
                                 const macadam_import_options *options, const mcd_parallel *parallel,
                                 const mcd_progress *progress, macadam_error *error)
{
    map->drives_left = drives_left(import);
    mcd_watch watch = mcd_watch_of(progress, "crossing areas");
    MCD_TRY(mcd_date_line_join(&import->ways, &import->points, error));
    MCD_TRY(
        mcd_plazas_cross(&import->plazas, &import->report, &import->ways, &import->points, &watch, error));
    MCD_TRY(make_segments(import, map, options, parallel, progress, error));
    if (map->arc_count == 0) return fail_empty(roads, import, error);
    mcd_maneuvers_move(&import->maneuvers, map);
    mcd_ways_free(&import->ways); /* what is not needed any more goes, as turns take much memory */
    watch = mcd_watch_of(progress, "merging roads");
    MCD_TRY(mcd_duplicate_roads_merge(&import->segments, map, import->restrictions.member,
                                      import->restrictions.member_count, &watch, error));
    MCD_TRY(apply_speeds(import, map, options, progress, error));
    watch = mcd_watch_of(progress, "following restrictions");
    MCD_TRY(mcd_segments_index(&import->segments, map, parallel, &watch, error));
    MCD_TRY(mcd_restrictions_forbid(&import->restrictions, &import->report, map, &import->segments,
                                    &import->turns, &watch, error));
    watch = mcd_watch_of(progress, "following gates");
    MCD_TRY(mcd_gated_areas_mark(&import->points, map, &import->segments, &watch, error));
    MCD_TRY(mcd_barriers_forbid(&import->points, map, &import->segments, &import->turns, &watch, error));
    mcd_points_free(&import->points);
    MCD_TRY(mcd_turn_costs_add(import->profile, map, &import->segments, &import->turns, parallel, progress,
                               error));
    /* no point snaps to a road that may be shut */
    for (mcd_arc arc = 0; map->arc_when && arc < map->arc_count; ++arc)
        import->segments.ferry[arc] |= mcd_map_is_shut(map, arc);
    MCD_MOVE(map->ferry, import->segments.ferry);
    mcd_arena_free(&import->segments.arena);
    map->restriction_count = import->report.count[MCD_RESTRICTION_APPLIED];
    return MACADAM_OK;
}

static macadam_status make_map(mcd_osm_roads *roads, osm_import *import, mcd_map *map, mcd_checkpoint *from,
                               const macadam_import_options *options, const mcd_parallel *parallel,
                               const mcd_progress *progress, macadam_error *error)
{
    if (from->file) {
        forget(import); /* read for other profiles */
        MCD_TRY(keep_roads(from, import, map, error));
        MCD_TRY(mcd_checkpoint_check_map(from, map, error));
        mcd_checkpoint_close(from);
    } else {
        MCD_TRY(make_roads(roads, import, map, options, parallel, progress, error));
        MCD_TRY(save_roads(from, import, map, parallel, progress, error));
    }
    MCD_TRY(put_facts_away(map, options, progress, error));
    return split_nodes(import, map, parallel, progress, error);
}

macadam_status mcd_osm_roads_new(mcd_osm_roads **out, const mcd_profile *profile, size_t profile_count,
                                 bool few, macadam_error *error)
{
    const size_t bytes = sizeof(mcd_osm_roads) + profile_count * sizeof(osm_import);
    mcd_osm_roads *const roads = *out = mcd_allocate_zeroed(bytes, 1);
    if (!roads) return mcd_fail_memory(error, bytes);
    roads->profile_count = profile_count;
    for (size_t i = 0; i < profile_count; ++i) {
        roads->import[i].profile = &profile[i];
        roads->import[i].report.profile = profile[i].name;
        roads->import[i].report.few = roads->import[i].node_report.few = few;
    }
    return MACADAM_OK;
}

void mcd_osm_roads_free(mcd_osm_roads *roads)
{
    if (!roads) return;
    FOR_EACH_PROFILE(import, roads) forget(import), mcd_report_free(&import->report);
    mcd_free(roads);
}

bool mcd_osm_is_empty(const mcd_osm_roads *roads)
{
    return roads && roads->is_empty;
}

macadam_status mcd_osm_write_report(mcd_osm_roads *roads, const char *path, macadam_error *error)
{
    mcd_report *report[MCD_JOBS_MAX];
    for (size_t i = 0; i < roads->profile_count; ++i) report[i] = &roads->import[i].report;
    return mcd_report_write(path, report, roads->profile_count, error);
}

uint64_t mcd_osm_maps_bytes(const mcd_osm_roads *roads)
{
    enum { BYTES_PER_REF = 256 }; /* maps of Milan for cars and for walkers take 200 */
    uint64_t refs = 0;
    for (size_t i = 0; i < roads->profile_count; ++i) refs += roads->import[i].ways.ref_count;
    return refs * BYTES_PER_REF;
}

macadam_status mcd_osm_make_map(mcd_map *out, mcd_osm_roads *roads, mcd_checkpoint *from,
                                const mcd_speed_table *speeds, const macadam_import_options *options,
                                const mcd_parallel *parallel, const mcd_progress *progress,
                                macadam_error *error)
{
    osm_import *const import = &roads->import[from->profile];
    import->speeds = mcd_road_speeds_concern(speeds, import->profile) ? speeds : NULL;
    macadam_status status = make_map(roads, import, out, from, options, parallel, progress, error);
    mcd_report_count(&import->report, MCD_REPORT_JUNCTIONS, out->id_count);
    mcd_report_count(&import->report, MCD_REPORT_COPIES, out->node_count - out->id_count);
    mcd_report_count(&import->report, MCD_REPORT_ARCS, out->arc_count);
    if (status == MACADAM_OK) status = mcd_report_check(&import->report, error);
    forget(import);
    return status;
}

void mcd_osm_tell(const mcd_osm_roads *roads, size_t profile, const macadam_import_options *options)
{
    mcd_report_tell(&roads->import[profile].report, options->report, options->context);
}
