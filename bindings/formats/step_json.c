/* step_json.c - the steps of routes; see route_json.h. */
#include "bindings/formats/route_json.h"
#include "bindings/formats/digits.h"

enum { SENTENCE_BYTES = 1024, BRANCH_BYTES = 10 /* of a bearing and an entry, with commas, at most */ };

/* Writes a word of the format after what stands before it. */
static void put_word(mcd_text *text, const char *before, const char *word)
{
    mcd_text_add(text, before);
    mcd_text_add(text, word);
    mcd_text_add(text, "\"");
}

static void put_text(mcd_text *text, const char *name, const char *value)
{
    if (*value) mcd_text_json(text, "%s:%s", name, value);
}

/* ---- intersections ---- */

static void put_classes(mcd_text *text, uint32_t flags)
{
    static const struct {
        macadam_road_flag flag;
        const char *name;
    } row[] = {
        {MACADAM_ROAD_TOLL, "toll"},   {MACADAM_ROAD_MOTORWAY, "motorway"},
        {MACADAM_ROAD_FERRY, "ferry"}, {MACADAM_ROAD_TUNNEL, "tunnel"},
        {MACADAM_ROAD_FORD, "ford"},   {MACADAM_ROAD_DESTINATION_ONLY, "restricted"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof row / sizeof row[0]; ++i) {
        if (!(flags & row[i].flag)) continue;
        if (!any) mcd_text_json(text, "'classes':[");
        any = true;
        mcd_text_json(text, "%s", row[i].name);
    }
    if (any) mcd_text_add(text, "]");
}

static void put_lanes(mcd_text *text, const macadam_route *route, const macadam_intersection *at)
{
    static const macadam_modifier order[] = {
        MACADAM_MODIFIER_STRAIGHT,    MACADAM_MODIFIER_SHARP_LEFT,   MACADAM_MODIFIER_LEFT,
        MACADAM_MODIFIER_SLIGHT_LEFT, MACADAM_MODIFIER_SLIGHT_RIGHT, MACADAM_MODIFIER_RIGHT,
        MACADAM_MODIFIER_SHARP_RIGHT, MACADAM_MODIFIER_UTURN,
    };
    if (at->first_lane == at->last_lane) return;
    mcd_text_json(text, "'lanes':[");
    for (size_t i = at->first_lane; i < at->last_lane; ++i) {
        const uint32_t modifiers = route->lane[i].modifiers;
        mcd_text_json(text, "{'indications':[");
        for (size_t k = 0; k < sizeof order / sizeof order[0]; ++k)
            if (modifiers & 1u << order[k]) mcd_text_json(text, "%s", macadam_modifier_name(order[k]));
        if (!modifiers) mcd_text_string(text, "none");
        mcd_text_add(text, "]");
        mcd_text_json(text, "'valid':%i}", route->lane[i].valid);
    }
    mcd_text_add(text, "]");
}

/* Most of a route's text is here: what is always there is written as it stands. */
static void put_branches(mcd_text *text, const macadam_route *route, const macadam_intersection *at)
{
    const macadam_branch *const branch = route->branch + at->first_branch;
    const size_t count = at->last_branch - at->first_branch;
    mcd_text_add(text, ",\"bearings\":[");
    char *to = mcd_text_room(text, (count + 2) * BRANCH_BYTES);
    if (!to) return;
    for (size_t i = 0; i < count; ++i) {
        to = mcd_digits_few(to, branch[i].bearing);
        *to++ = ',';
    }
    to -= count > 0; /* the last comma */
    memcpy(to, "],\"entry\":[", 11);
    to += 11;
    for (size_t i = 0; i < count; ++i) {
        memcpy(to, branch[i].entry ? "true,?" : "false,", 6);
        to += branch[i].entry ? 5 : 6;
    }
    to -= count > 0;
    *to++ = ']';
    text->size = (size_t)(to - text->data);
    if (at->in != MACADAM_BRANCH_NONE) {
        mcd_text_add(text, ",\"in\":");
        mcd_text_integer(text, (int64_t)(at->in - at->first_branch));
    }
    if (at->out != MACADAM_BRANCH_NONE) {
        mcd_text_add(text, ",\"out\":");
        mcd_text_integer(text, (int64_t)(at->out - at->first_branch));
    }
}

static void put_intersections(mcd_text *text, const macadam_route *route, const macadam_step *step)
{
    mcd_text_add(text, ",\"intersections\":[");
    for (size_t i = step->first_intersection; i < step->last_intersection; ++i) {
        const macadam_intersection *const at = &route->intersection[i];
        mcd_text_add(text, i > step->first_intersection ? ",{\"location\":" : "{\"location\":");
        mcd_text_position(text, at->lon, at->lat);
        put_branches(text, route, at);
        put_classes(text, at->flags);
        put_lanes(text, route, at);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}

/* ---- steps ---- */

static void put_maneuver(mcd_text *text, const macadam_route *route, const macadam_step *step,
                         bool instruction)
{
    const macadam_intersection *const at = &route->intersection[step->first_intersection];
    const macadam_text_options options = {sizeof options, text->options.language, text->options.units,
                                          text->options.lanes};
    const size_t number = (size_t)(step - route->step);
    char sentence[SENTENCE_BYTES];
    put_word(text, "\"maneuver\":{\"type\":\"", macadam_maneuver_type_name(step->type));
    if (step->modifier) put_word(text, ",\"modifier\":\"", macadam_modifier_name(step->modifier));
    mcd_text_add(text, ",\"bearing_before\":");
    mcd_text_integer(text, step->bearing_before);
    mcd_text_add(text, ",\"bearing_after\":");
    mcd_text_integer(text, step->bearing_after);
    mcd_text_add(text, ",\"location\":");
    mcd_text_position(text, at->lon, at->lat);
    if (step->exit) mcd_text_json(text, "'exit':%u", step->exit);
    if (instruction &&
        macadam_route_text(route, number, &options, sentence, sizeof sentence, NULL) == MACADAM_OK)
        mcd_text_json(text, "'instruction':%s", sentence);
    mcd_text_add(text, "}");
}

static const char *mode_name(macadam_mode mode, const char *otherwise)
{
    switch (mode) {
    case MACADAM_MODE_FERRY:
        return "ferry";
    case MACADAM_MODE_TRAIN:
        return "train";
    case MACADAM_MODE_PUSHING:
        return "pushing bike";
    default:
        return otherwise ? otherwise : "";
    }
}

void mcd_text_begin_step(mcd_text *text, const macadam_route *route, const macadam_step *step,
                         bool instruction)
{
    mcd_text_json(text, "{");
    put_maneuver(text, route, step, instruction);
    mcd_text_add(text, ",\"name\":");
    mcd_text_string(text, step->facts->name);
    put_text(text, "ref", step->facts->ref);
    put_text(text, "pronunciation", step->facts->pronunciation);
    put_text(text, "destinations", step->facts->destination);
    put_text(text, "exits", step->facts->exit);
    put_text(text, "rotary_name", step->rotary_name);
    mcd_text_add(text, ",\"mode\":");
    mcd_text_string(text, mode_name(step->mode, text->options.mode));
    put_word(text, ",\"driving_side\":\"", step->drives_left ? "left" : "right");
    mcd_text_costs(text, step->value);
    mcd_text_add(text, ",\"first_arc\":");
    mcd_text_integer(text, (int64_t)step->first_arc);
    mcd_text_add(text, ",\"last_arc\":");
    mcd_text_integer(text, (int64_t)step->last_arc);
    put_intersections(text, route, step);
}

void mcd_text_put_steps(mcd_text *text, const macadam_route *route, const macadam_leg *leg)
{
    mcd_text_json(text, "'steps':[");
    for (size_t i = leg->first_step; i < leg->last_step; ++i) {
        mcd_text_begin_step(text, route, &route->step[i], true);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}
