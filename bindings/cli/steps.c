/* steps.c - see steps.h. */
#include "bindings/cli/steps.h"
#include "bindings/cli/json.h"

enum { TEXT_BYTES = 1024 };

static cJSON *position_json(double lon, double lat)
{
    char text[64];
    snprintf(text, sizeof text, "[%.7f,%.7f]", lon, lat);
    return cJSON_CreateRaw(text);
}

static void add_text(cJSON *object, const char *name, const char *text)
{
    if (*text) cJSON_AddStringToObject(object, name, text);
}

/* ---- intersections ---- */

static void add_classes(cJSON *object, uint32_t flags)
{
    static const struct {
        macadam_road_flag flag;
        const char *name;
    } row[] = {
        {MACADAM_ROAD_TOLL, "toll"},     {MACADAM_ROAD_MOTORWAY, "motorway"}, {MACADAM_ROAD_FERRY, "ferry"},
        {MACADAM_ROAD_TUNNEL, "tunnel"}, {MACADAM_ROAD_FORD, "ford"},
    };
    cJSON *classes = NULL;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        if (!(flags & row[i].flag)) continue;
        if (!classes) classes = cJSON_AddArrayToObject(object, "classes");
        cJSON_AddItemToArray(classes, cJSON_CreateString(row[i].name));
    }
}

static void add_lanes(cJSON *object, const macadam_route *route, const macadam_intersection *at)
{
    if (at->first_lane == at->last_lane) return;
    cJSON *const lanes = cJSON_AddArrayToObject(object, "lanes");
    for (size_t i = at->first_lane; i < at->last_lane; ++i) {
        cJSON *const lane = cJSON_CreateObject(), *const arrows = cJSON_AddArrayToObject(lane, "indications");
        for (int modifier = MACADAM_MODIFIER_UTURN; modifier <= MACADAM_MODIFIER_SHARP_LEFT; ++modifier)
            if (route->lane[i].modifiers & 1u << modifier)
                cJSON_AddItemToArray(arrows,
                                     cJSON_CreateString(macadam_modifier_name((macadam_modifier)modifier)));
        if (!route->lane[i].modifiers) cJSON_AddItemToArray(arrows, cJSON_CreateString("none"));
        cJSON_AddBoolToObject(lane, "valid", route->lane[i].valid);
        cJSON_AddItemToArray(lanes, lane);
    }
}

static cJSON *intersection_json(const macadam_route *route, const macadam_intersection *at)
{
    cJSON *const object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "location", position_json(at->lon, at->lat));
    cJSON *const bearings = cJSON_AddArrayToObject(object, "bearings");
    cJSON *const entry = cJSON_AddArrayToObject(object, "entry");
    for (size_t i = at->first_branch; i < at->last_branch; ++i) {
        cJSON_AddItemToArray(bearings, cJSON_CreateNumber(route->branch[i].bearing));
        cJSON_AddItemToArray(entry, cJSON_CreateBool(route->branch[i].entry));
    }
    if (at->in != MACADAM_BRANCH_NONE)
        cJSON_AddNumberToObject(object, "in", (double)(at->in - at->first_branch));
    if (at->out != MACADAM_BRANCH_NONE)
        cJSON_AddNumberToObject(object, "out", (double)(at->out - at->first_branch));
    add_classes(object, at->flags);
    add_lanes(object, route, at);
    return object;
}

/* ---- steps ---- */

static cJSON *maneuver_json(const macadam_route *route, const macadam_step *step, const char *language)
{
    const macadam_intersection *const at = &route->intersection[step->first_intersection];
    cJSON *const object = cJSON_CreateObject();
    char text[TEXT_BYTES];
    cJSON_AddStringToObject(object, "type", macadam_maneuver_type_name(step->type));
    add_text(object, "modifier", macadam_modifier_name(step->modifier));
    cJSON_AddNumberToObject(object, "bearing_before", step->bearing_before);
    cJSON_AddNumberToObject(object, "bearing_after", step->bearing_after);
    cJSON_AddItemToObject(object, "location", position_json(at->lon, at->lat));
    if (step->exit) cJSON_AddNumberToObject(object, "exit", step->exit);
    if (macadam_step_text(step, language, text, sizeof text, NULL) == MACADAM_OK)
        cJSON_AddStringToObject(object, "instruction", text);
    return object;
}

static const char *mode_name(macadam_mode mode)
{
    static const char *const name[] = {
        [MACADAM_MODE_PROFILE] = "profile",
        [MACADAM_MODE_FERRY] = "ferry",
        [MACADAM_MODE_TRAIN] = "train",
        [MACADAM_MODE_PUSHING] = "pushing bike",
    };
    return name[mode];
}

static cJSON *step_json(const cli_session *session, const macadam_route *route, const macadam_step *step,
                        const char *language)
{
    cJSON *const object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, "maneuver", maneuver_json(route, step, language));
    cJSON_AddStringToObject(object, "name", step->facts->name);
    add_text(object, "ref", step->facts->ref);
    add_text(object, "destinations", step->facts->destination);
    add_text(object, "exits", step->facts->exit);
    add_text(object, "rotary_name", step->rotary_name);
    cJSON_AddStringToObject(
        object, "mode", step->mode == MACADAM_MODE_PROFILE ? session->info.profile : mode_name(step->mode));
    cJSON_AddStringToObject(object, "driving_side", step->drives_left ? "left" : "right");
    for (size_t q = 0; q < session->quantity_count; ++q)
        cli_json_add_cost(object, session->quantity[q], step->value[q], session->per_unit[q]);
    cli_json_add_integer(object, "first_arc", (int64_t)step->first_arc);
    cli_json_add_integer(object, "last_arc", (int64_t)step->last_arc);
    cJSON *const intersections = cJSON_AddArrayToObject(object, "intersections");
    for (size_t i = step->first_intersection; i < step->last_intersection; ++i)
        cJSON_AddItemToArray(intersections, intersection_json(route, &route->intersection[i]));
    return object;
}

cJSON *cli_steps_json(const cli_session *session, const macadam_route *route, const macadam_leg *leg,
                      const char *language)
{
    cJSON *const steps = cJSON_CreateArray();
    for (size_t i = leg->first_step; i < leg->last_step; ++i)
        cJSON_AddItemToArray(steps, step_json(session, route, &route->step[i], language));
    return steps;
}
