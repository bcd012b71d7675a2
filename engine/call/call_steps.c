/* call_steps.c - the steps of a route, as messages. */
#include "engine/call/call.h"

#include <math.h>

enum { TEXT_BYTES = 1024 };

static macadam_status encode_branches(mcd_call *call, const macadam_route *route,
                                      const macadam_intersection *at, Macadam__V1__Intersection *out)
{
    const size_t count = at->last_branch - at->first_branch;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->bearing, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->entry, count, call->error));
    out->n_bearing = out->n_entry = count;
    for (size_t i = 0; i < count; ++i) {
        out->bearing[i] = route->branch[at->first_branch + i].bearing;
        out->entry[i] = route->branch[at->first_branch + i].entry;
    }
    return MACADAM_OK;
}

static macadam_status encode_lanes(mcd_call *call, const macadam_route *route, const macadam_intersection *at,
                                   Macadam__V1__Intersection *out)
{
    const size_t count = at->last_lane - at->first_lane;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->lane, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->lane_valid, count, call->error));
    out->n_lane = out->n_lane_valid = count;
    for (size_t i = 0; i < count; ++i) {
        out->lane[i] = route->lane[at->first_lane + i].modifiers;
        out->lane_valid[i] = route->lane[at->first_lane + i].valid;
    }
    return MACADAM_OK;
}

static int32_t branch_number(const macadam_intersection *at, size_t branch)
{
    return branch == MACADAM_BRANCH_NONE ? -1 : (int32_t)(branch - at->first_branch);
}

static macadam_status encode_intersections(mcd_call *call, const macadam_route *route,
                                           const macadam_step *step, Macadam__V1__Step *out)
{
    const size_t count = step->last_intersection - step->first_intersection;
    Macadam__V1__Intersection *message;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, message, count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->intersection, count, call->error));
    out->n_intersection = count;
    for (size_t i = 0; i < count; ++i) {
        const macadam_intersection *const at = &route->intersection[step->first_intersection + i];
        macadam__v1__intersection__init(&message[i]);
        message[i].lon_e7 = (int32_t)lround(at->lon * 1e7);
        message[i].lat_e7 = (int32_t)lround(at->lat * 1e7);
        message[i].in = branch_number(at, at->in);
        message[i].out = branch_number(at, at->out);
        message[i].flags = at->flags;
        MCD_TRY(encode_branches(call, route, at, &message[i]));
        MCD_TRY(encode_lanes(call, route, at, &message[i]));
        out->intersection[i] = &message[i];
    }
    return MACADAM_OK;
}

static macadam_status encode_words(mcd_call *call, const macadam_step *step, const char *language,
                                   Macadam__V1__Step *out)
{
    char text[TEXT_BYTES] = "";
    if (*language) MCD_TRY(macadam_step_text(step, language, text, sizeof text, call->error));
    const macadam_road_facts *const facts = step->facts;
    MCD_TRY(mcd_call_encode_text(call, facts->name, &out->name));
    MCD_TRY(mcd_call_encode_text(call, facts->ref, &out->ref));
    MCD_TRY(mcd_call_encode_text(call, facts->destination, &out->destination));
    MCD_TRY(mcd_call_encode_text(call, facts->exit, &out->exit_name));
    MCD_TRY(mcd_call_encode_text(call, step->rotary_name, &out->rotary_name));
    return mcd_call_encode_text(call, text, &out->text);
}

static macadam_status encode_step(mcd_call *call, const macadam_route *route, const macadam_step *step,
                                  const char *language, Macadam__V1__Step *out)
{
    macadam__v1__step__init(out);
    out->type = (char *)macadam_maneuver_type_name(step->type); /* packing only reads them */
    out->modifier = (char *)macadam_modifier_name(step->modifier);
    out->exit = step->exit;
    out->bearing_before = step->bearing_before;
    out->bearing_after = step->bearing_after;
    out->mode = (Macadam__V1__Step__Mode)step->mode;
    out->drives_left = step->drives_left;
    out->n_value = call->quantity_count;
    out->value = (uint32_t *)step->value;
    out->first_arc = step->first_arc;
    out->last_arc = step->last_arc;
    out->first_shape = step->first_shape;
    out->last_shape = step->last_shape;
    MCD_TRY(encode_words(call, step, language, out));
    return encode_intersections(call, route, step, out);
}

macadam_status mcd_call_encode_steps(mcd_call *call, const macadam_route *route, const char *language,
                                     Macadam__V1__RouteReply *out)
{
    Macadam__V1__Step *message;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, message, route->step_count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, out->step, route->step_count, call->error));
    out->n_step = route->step_count;
    for (size_t i = 0; i < route->step_count; ++i) {
        MCD_TRY(encode_step(call, route, &route->step[i], language, &message[i]));
        out->step[i] = &message[i];
    }
    return MACADAM_OK;
}
