/* update_speeds.c - gives the arcs of an opened map speeds over the week. It knows the map only by macadam.h. */
#include "importers/osm/roads/road_speeds.h"
#include "importers/speeds/speed_file.h"
#include "engine/base/grow.h"
#include "engine/base/options.h"

/* The arcs of the map that have a way, as they come. */
typedef struct listed_arcs {
    size_t duration, distance; /* the numbers of these quantities */
    uint64_t *number, *first_node;
    int64_t *way, *node;
    uint8_t *against;
    double *node_m;
    mcd_weight *duration_ms, *distance_cm;
    size_t count, node_count, number_room, first_room, way_room, node_room, against_room, metre_room,
        duration_room, distance_room;
    macadam_error *error;
    macadam_status status;
} listed_arcs;

MCD_DEFINE_STATIC_FREE(free_arcs, listed_arcs, it->number, it->first_node, it->way, it->node, it->against,
                       it->node_m, it->duration_ms, it->distance_cm)

static macadam_status make_room(listed_arcs *arcs, size_t nodes, macadam_error *error)
{
    const size_t count = arcs->count + 1, node_count = arcs->node_count + nodes;
    MCD_TRY(MCD_GROW(arcs->number, arcs->number_room, count, error));
    MCD_TRY(MCD_GROW(arcs->first_node, arcs->first_room, count + 1, error));
    MCD_TRY(MCD_GROW(arcs->way, arcs->way_room, count, error));
    MCD_TRY(MCD_GROW(arcs->against, arcs->against_room, count, error));
    MCD_TRY(MCD_GROW(arcs->duration_ms, arcs->duration_room, count, error));
    MCD_TRY(MCD_GROW(arcs->distance_cm, arcs->distance_room, count, error));
    MCD_TRY(MCD_GROW(arcs->node, arcs->node_room, node_count, error));
    return MCD_GROW(arcs->node_m, arcs->metre_room, node_count, error);
}

/* Without ids of the nodes between, an arc is one piece. */
static void add_nodes(listed_arcs *arcs, const macadam_arc *arc)
{
    const bool is_whole = arc->node_count == 0;
    arcs->first_node[arcs->count] = arcs->node_count;
    for (size_t i = 0; i < (is_whole ? 2 : arc->node_count); ++i) {
        arcs->node[arcs->node_count] = !is_whole ? arc->node[i] : i == 0 ? arc->tail : arc->head;
        arcs->node_m[arcs->node_count++] = is_whole ? (double)i : arc->node_m[i];
    }
    arcs->first_node[arcs->count + 1] = arcs->node_count;
}

/* Roads that are closed stay so. */
static bool add_arc(void *context, const macadam_arc *arc)
{
    listed_arcs *const arcs = context;
    if (arc->way == 0 || arc->value[arcs->duration] > MCD_WEIGHT_MAX ||
        arc->imported[arcs->duration] > MCD_WEIGHT_MAX)
        return true;
    arcs->status = make_room(arcs, arc->node_count ? arc->node_count : 2, arcs->error);
    if (arcs->status) return false;
    add_nodes(arcs, arc);
    arcs->number[arcs->count] = arc->arc;
    arcs->way[arcs->count] = arc->way;
    arcs->against[arcs->count] = !arc->forward;
    arcs->duration_ms[arcs->count] = arc->imported[arcs->duration];
    arcs->distance_cm[arcs->count++] = arc->imported[arcs->distance];
    return true;
}

static macadam_status find_quantity(const macadam_info *info, const char *name, size_t *out,
                                    macadam_error *error)
{
    for (*out = 0; *out < info->quantity_count; ++*out)
        if (strcmp(info->quantity[*out], name) == 0) return MACADAM_OK;
    return mcd_fail(error, MACADAM_E_UNSUPPORTED, "the map has no quantity \"%s\", which speeds need", name);
}

static macadam_status list_arcs(listed_arcs *out, macadam_engine *engine, macadam_error *error)
{
    macadam_info info = MACADAM_INFO_INIT;
    MCD_TRY(macadam_engine_info(&info, engine, error));
    MCD_TRY(find_quantity(&info, "duration", &out->duration, error));
    MCD_TRY(find_quantity(&info, "distance", &out->distance, error));
    out->error = error;
    const macadam_status status = macadam_arcs_list(engine, add_arc, out, error);
    return out->status ? out->status : status;
}

static macadam_status update(macadam_engine *engine, const listed_arcs *arcs, mcd_speed_result *result,
                             const macadam_speeds_request *request, macadam_error *error)
{
    static const char *const quantity[] = {"duration"};
    size_t count = 0;
    for (size_t i = 0; i < arcs->count; ++i) {
        if (!result->applies[i]) continue;
        arcs->number[count] = arcs->number[i];
        result->duration_ms[count] = result->duration_ms[i];
        result->pattern[count++] = result->pattern[i];
    }
    const uint32_t *const value[] = {result->duration_ms};
    macadam_update_request update = MACADAM_UPDATE_REQUEST_INIT;
    update.arc = arcs->number, update.count = count;
    update.quantity = quantity, update.quantity_count = 1, update.value = value;
    update.pattern = result->pattern, update.pattern_speed = result->set.value;
    update.pattern_count = result->set.count, update.slot_count = result->set.slot_count;
    update.progress = request->progress, update.progress_context = request->context;
    return count ? macadam_update(engine, &update, error) : MACADAM_OK;
}

static macadam_status update_speeds(macadam_engine *engine, const macadam_speeds_request *request,
                                    macadam_error *error)
{
    MCD_FREED_BY(mcd_speed_table_free) mcd_speed_table table = {.is_fine = false};
    MCD_FREED_BY(mcd_speed_result_free) mcd_speed_result result = {.arc_count = 0};
    MCD_FREED_BY(mcd_report_free) mcd_report report = {.few = true};
    MCD_FREED_BY(free_arcs) listed_arcs arcs = {.count = 0};
    for (size_t i = 0; i < request->speeds_count; ++i)
        MCD_TRY(mcd_speed_file_read(&table, request->speeds[i], error));
    MCD_TRY(mcd_speed_table_close(&table, error));
    MCD_TRY(list_arcs(&arcs, engine, error));
    const mcd_speed_roads roads = {arcs.count, arcs.way,    arcs.against,     arcs.first_node,
                                   arcs.node,  arcs.node_m, arcs.duration_ms, arcs.distance_cm};
    MCD_TRY(mcd_speed_arcs_apply(&result, &table, &roads, NULL, error));
    mcd_road_speeds_report(&report, &table, &result);
    MCD_TRY(mcd_report_check(&report, error));
    mcd_report_tell(&report, request->report, request->context);
    return update(engine, &arcs, &result, request, error);
}

macadam_status macadam_update_speeds(macadam_engine *engine, const macadam_speeds_request *request,
                                     macadam_error *error)
{
    macadam_speeds_request own = MACADAM_SPEEDS_REQUEST_INIT;
    if (!engine) return mcd_fail_invalid(error, "no engine");
    MCD_TRY(mcd_options_adopt(&own, sizeof own, request, "speeds request", error));
    if (own.speeds_count == 0) return mcd_fail_invalid(error, "no file of speeds");
    for (size_t i = 0; i < own.speeds_count; ++i)
        if (!own.speeds || !own.speeds[i])
            return mcd_fail_invalid(error, "file %zu of speeds has no name", i);
    const mcd_progress progress = {own.progress, own.context};
    MCD_WATCHED(watch, &progress, "applying speeds");
    return update_speeds(engine, &own, error);
}
