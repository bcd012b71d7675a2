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

/* ---- intersections: each optional member ends with a comma, because others follow ---- */

/* A road like a motorway is none to OSRM. */
static void put_classes(mcd_text *text, const macadam_route *route, const macadam_intersection *at)
{
    static const char motorway[] = "motorway";
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
        if (!(at->flags & row[i].flag) ||
            (row[i].flag == MACADAM_ROAD_MOTORWAY &&
             strncmp(route->arc[at->arc].facts->road_class, motorway, sizeof motorway - 1) != 0))
            continue;
        if (!any) mcd_text_add(text, "\"classes\":[");
        any = true;
        mcd_text_json(text, "%s", row[i].name);
    }
    if (any) mcd_text_add(text, "],");
}

static void put_lanes(mcd_text *text, const macadam_route *route, const macadam_intersection *at)
{
    static const macadam_modifier order[] = {
        MACADAM_MODIFIER_STRAIGHT,    MACADAM_MODIFIER_SHARP_LEFT,   MACADAM_MODIFIER_LEFT,
        MACADAM_MODIFIER_SLIGHT_LEFT, MACADAM_MODIFIER_SLIGHT_RIGHT, MACADAM_MODIFIER_RIGHT,
        MACADAM_MODIFIER_SHARP_RIGHT, MACADAM_MODIFIER_UTURN,
    };
    if (at->first_lane == at->end_lane) return;
    mcd_text_add(text, "\"lanes\":[");
    for (size_t i = at->first_lane; i < at->end_lane; ++i) {
        const uint32_t modifiers = route->lane[i].modifiers;
        mcd_text_json(text, "{'valid':%i,'indications':[", route->lane[i].valid);
        for (size_t k = 0; k < sizeof order / sizeof order[0]; ++k)
            if (modifiers & 1u << order[k]) mcd_text_json(text, "%s", macadam_modifier_name(order[k]));
        if (!modifiers) mcd_text_string(text, "none");
        mcd_text_add(text, "]}");
    }
    mcd_text_add(text, "],");
}

static void put_index(mcd_text *text, const char *member, const macadam_intersection *at, size_t branch)
{
    if (branch == MACADAM_BRANCH_NONE) return;
    mcd_text_add(text, member);
    mcd_text_integer(text, (int64_t)(branch - at->first_branch));
    mcd_text_add(text, ",");
}

/* Most of a route's text is here: what is always there is written as it stands. */
static void put_branches(mcd_text *text, const macadam_route *route, const macadam_intersection *at)
{
    const macadam_branch *const branch = route->branch + at->first_branch;
    const size_t count = at->end_branch - at->first_branch;
    mcd_text_add(text, "\"entry\":[");
    char *to = mcd_text_room(text, (count + 2) * BRANCH_BYTES);
    if (!to) return;
    for (size_t i = 0; i < count; ++i) {
        memcpy(to, branch[i].entry ? "true,?" : "false,", 6);
        to += branch[i].entry ? 5 : 6;
    }
    to -= count > 0; /* the last comma */
    memcpy(to, "],\"bearings\":[", 14);
    to += 14;
    for (size_t i = 0; i < count; ++i) {
        to = mcd_digits_few(to, branch[i].bearing);
        *to++ = ',';
    }
    to -= count > 0;
    *to++ = ']';
    text->size = (size_t)(to - text->data);
}

static void put_intersections(mcd_text *text, const macadam_route *route, const macadam_step *step)
{
    mcd_text_add(text, "\"intersections\":[");
    for (size_t i = step->first_intersection; i < step->end_intersection; ++i) {
        const macadam_intersection *const at = &route->intersection[i];
        const bool is_passed = at->in != MACADAM_BRANCH_NONE && at->out != MACADAM_BRANCH_NONE;
        mcd_text_add(text, i > step->first_intersection ? ",{" : "{");
        put_lanes(text, route, at);
        if (!is_passed) put_classes(text, route, at);
        put_index(text, "\"out\":", at, at->out);
        if (is_passed) put_classes(text, route, at);
        put_index(text, "\"in\":", at, at->in);
        put_branches(text, route, at);
        mcd_text_add(text, ",\"location\":");
        mcd_text_position(text, at->lon, at->lat);
        mcd_text_add(text, "}");
    }
    mcd_text_add(text, "]");
}

/* ---- steps ---- */

static void put_geometry(mcd_text *text, const mcd_step_form *form)
{
    if (!form->geometry) return;
    mcd_text_add(text, ",\"geometry\":");
    mcd_text_bytes(text, form->geometry->data, form->geometry->size);
}

static void put_maneuver(mcd_text *text, const macadam_route *route, const macadam_step *step,
                         bool instruction)
{
    const macadam_intersection *const at = &route->intersection[step->first_intersection];
    const macadam_text_options options = {sizeof options, text->options.language, text->options.units,
                                          text->options.lanes, 0};
    const size_t number = (size_t)(step - route->step);
    char sentence[SENTENCE_BYTES];
    mcd_text_add(text, ",\"maneuver\":{");
    if (step->exit) mcd_text_json(text, "'exit':%u,", step->exit);
    mcd_text_add(text, "\"bearing_after\":");
    mcd_text_integer(text, step->bearing_after);
    mcd_text_add(text, ",\"bearing_before\":");
    mcd_text_integer(text, step->bearing_before);
    mcd_text_add(text, ",\"location\":");
    mcd_text_position(text, at->lon, at->lat);
    if (step->modifier) put_word(text, ",\"modifier\":\"", macadam_modifier_name(step->modifier));
    put_word(text, ",\"type\":\"", macadam_maneuver_type_name(step->type));
    if (instruction &&
        macadam_route_text(sentence, sizeof sentence, route, number, &options, NULL) == MACADAM_OK)
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

void mcd_text_put_step(mcd_text *text, const macadam_route *route, const macadam_step *step,
                       const mcd_step_form *form)
{
    const bool has_ref = step->facts->ref[0];
    mcd_text_json(text, "{");
    put_intersections(text, route, step);
    put_word(text, ",\"driving_side\":\"", step->drives_left ? "left" : "right");
    if (!has_ref) put_geometry(text, form);
    put_maneuver(text, route, step, form->instruction);
    put_text(text, "rotary_name", step->rotary_name);
    put_text(text, "exits", step->facts->exit);
    put_text(text, "destinations", step->facts->destination);
    put_text(text, "pronunciation", step->facts->pronunciation);
    if (has_ref) put_geometry(text, form);
    put_text(text, "ref", step->facts->ref);
    mcd_text_add(text, ",\"name\":");
    mcd_text_string(text, step->facts->name);
    mcd_text_add(text, ",\"mode\":");
    mcd_text_string(text, mode_name(step->mode, text->options.mode));
    if (form->geometry) {
        mcd_text_add(text, ",\"weight\":");
        mcd_text_value(text, 0, step->value[0]);
    }
    mcd_text_costs(text, step->value);
    if (!form->geometry) mcd_text_json(text, "'first_arc':%zu,'end_arc':%zu", step->first_arc, step->end_arc);
    mcd_text_add(text, "}");
}

void mcd_text_put_steps(mcd_text *text, const macadam_route *route, const macadam_leg *leg)
{
    mcd_text_json(text, "'steps':[");
    for (size_t i = leg->first_step; i < leg->end_step; ++i)
        mcd_text_put_step(text, route, &route->step[i], &(mcd_step_form){.instruction = true});
    mcd_text_add(text, "]");
}
