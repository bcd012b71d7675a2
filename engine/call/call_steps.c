/* call_steps.c - the steps of a route, as messages. */
#include "engine/call/columns.h"

enum { TEXT_BYTES = 1024 };

static int32_t branch_number(const macadam_intersection *at, size_t branch)
{
    return branch == MACADAM_BRANCH_NONE ? -1 : (int32_t)(branch - at->first_branch);
}

static macadam_status encode_intersection(mcd_call *call, const macadam_route *route,
                                          const macadam_intersection *at, Macadam__V1__Intersection *out)
{
    out->in = branch_number(at, at->in);
    out->out = branch_number(at, at->out);
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_intersection, at, 1, out));
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_branch, &route->branch[at->first_branch],
                          at->last_branch - at->first_branch, out));
    return MCD_CALL_FILL(call, mcd_of_lane, &route->lane[at->first_lane], at->last_lane - at->first_lane,
                         out);
}

static macadam_status encode_step(mcd_call *call, const macadam_route *route, const macadam_step *step,
                                  const char *language, Macadam__V1__Step *out)
{
    char text[TEXT_BYTES] = "";
    if (*language) MCD_TRY(macadam_step_text(step, language, text, sizeof text, call->error));
    MCD_TRY(mcd_call_encode_text(call, text, &out->text));
    out->type = (char *)macadam_maneuver_type_name(step->type); /* packing only reads them */
    out->modifier = (char *)macadam_modifier_name(step->modifier);
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_step, step, 1, out));
    MCD_TRY(MCD_CALL_FILL(call, mcd_of_facts, step->facts, 1, out));
    const size_t first = step->first_intersection, count = step->last_intersection - first;
    MCD_TRY(MCD_CALL_NEW_MESSAGES(call, macadam__v1__intersection__descriptor, count, &out->intersection));
    for (size_t i = 0; i < count; ++i)
        MCD_TRY(encode_intersection(call, route, &route->intersection[first + i], out->intersection[i]));
    out->n_intersection = count;
    return MACADAM_OK;
}

macadam_status mcd_call_encode_steps(mcd_call *call, const macadam_route *route, const char *language,
                                     Macadam__V1__RouteReply *out)
{
    MCD_TRY(MCD_CALL_NEW_MESSAGES(call, macadam__v1__step__descriptor, route->step_count, &out->step));
    for (size_t i = 0; i < route->step_count; ++i)
        MCD_TRY(encode_step(call, route, &route->step[i], language, out->step[i]));
    out->n_step = route->step_count;
    return MACADAM_OK;
}
