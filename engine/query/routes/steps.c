/* steps.c - see steps.h. */
#include "engine/query/routes/steps.h"
#include "engine/guide/guide.h"
#include "engine/runtime/load.h"

enum { WHOLE = 360, HALF = 180 };
#define BESIDE_M 1.0 /* a place that is nearer to its road lies on neither side */

typedef struct step_writer {
    const mcd_query *query;
    macadam_engine *engine;
    macadam_route *route;
    macadam_leg *leg;
    const mcd_step_stop *stop; /* [leg_count + 1] */
    mcd_guide *guide;          /* [leg_count] */
    macadam_step *step;
    macadam_intersection *intersection;
    macadam_branch *branch;
    macadam_lane *lane;
    mcd_arena *arena;
    bool walks; /* the profile does */
} step_writer;

/* ---- the guides ---- */

/* Finds where roads are closed, once for a version of weights. */
static macadam_status load_closed(const mcd_query *query, macadam_error *error)
{
    mcd_version *const version = query->version;
    _Atomic uint64_t *made, *present = NULL;
    if (query->is_searched || !mcd_query_closures(query) || version->closed) return MACADAM_OK;
    MCD_TRY(mcd_junctions_closed(&made, &query->engine->roads, query->weights, error));
    if (!atomic_compare_exchange_strong(&version->closed, &present, made)) mcd_free(made);
    return MACADAM_OK;
}

static mcd_point point_of(const macadam_route *route, size_t i)
{
    return (mcd_point){(int32_t)lround(route->lon[i] * 1e7), (int32_t)lround(route->lat[i] * 1e7)};
}

/* Returns the direction of a road from the route's point `first` towards its point `end`; `otherwise` if they are one. */
static double look(const macadam_route *route, const mcd_kind *kind, size_t first, size_t end,
                   double otherwise)
{
    mcd_look along = mcd_look_at(kind);
    for (size_t i = first, next; i != end && along.left_m > 0; i = next) {
        next = end > first ? i + 1 : i - 1;
        mcd_look_along(&along, point_of(route, i), point_of(route, next));
    }
    const bool moves = along.east != 0 || along.north != 0;
    return moves ? mcd_look_bearing(&along, point_of(route, first)) : otherwise;
}

/* Where a leg begins, ends or turns back within a road, the directions are those of the parts that it travels. */
static void turn_within(const macadam_route *route, mcd_guide *guide, const macadam_route_arc *part)
{
    for (size_t i = 0; i < guide->arc_count; ++i) {
        double *const after = &guide->maneuver[i].after, *const before =
                                                             &guide->maneuver[i + 1].junction.before;
        const size_t first = part[i].first_shape, last = part[i].end_shape - 1;
        const mcd_kind *const kind = guide->arc[i].kind;
        if (part[i].from != 0) *after = look(route, kind, first, last, *after);
        if (part[i].to != 1) *before = fmod(look(route, kind, last, first, *before + HALF) + HALF, WHOLE);
    }
}

static macadam_status guide_leg(const step_writer *writer, size_t l, const uint32_t *arc,
                                macadam_error *error)
{
    macadam_engine *const engine = writer->engine;
    const macadam_leg *const leg = &writer->leg[l];
    mcd_guide *const guide = &writer->guide[l];
    *guide = (mcd_guide){.source = {&engine->roads, &engine->junctions, mcd_query_closures(writer->query),
                                    writer->query->is_searched ? NULL : writer->query->version->closed},
                         .arena = writer->arena,
                         .drives_left = engine->metadata->drives_left,
                         .arc_count = leg->end_arc - leg->first_arc};
    if (guide->arc_count == 0) return MACADAM_OK;
    mcd_guide_arc *list;
    MCD_TRY(MCD_ARENA_NEW(writer->arena, list, guide->arc_count, error));
    const macadam_route_arc *const part = writer->route->arc + leg->first_arc;
    for (size_t i = 0; i < guide->arc_count; ++i) {
        const uint32_t own = arc[leg->first_arc + i];
        const mcd_node head = engine->graph.head[own];
        __builtin_prefetch(&engine->junctions.of_node[head]);
        __builtin_prefetch(&engine->junctions.of_arc[own]);
        const size_t kind = (size_t)(part[i].facts - engine->road_facts);
        list[i] = (mcd_guide_arc){own, head, &engine->facts.kind[kind],
                                  &engine->junctions.signs.of_kind[kind], part[i].to != 1};
    }
    guide->arc = list;
    MCD_TRY(mcd_guide_leg(guide, part[0].from == 0, error));
    turn_within(writer->route, guide, part);
    return MACADAM_OK;
}

static macadam_status make_room(step_writer *writer, macadam_error *error)
{
    size_t steps = 0, branches = 0, lanes = 0;
    for (size_t l = 0; l < writer->route->leg_count; ++l) {
        const mcd_guide *const guide = &writer->guide[l];
        steps += guide->arc_count + 2;
        for (size_t i = 0; guide->arc_count && i <= guide->arc_count; ++i) {
            branches += guide->maneuver[i].junction.count + 1;
            lanes += guide->maneuver[i].lane_count;
        }
    }
    MCD_TRY(MCD_ARENA_NEW(writer->arena, writer->step, steps, error));
    MCD_TRY(MCD_ARENA_NEW(writer->arena, writer->intersection, steps, error));
    MCD_TRY(MCD_ARENA_NEW(writer->arena, writer->branch, branches, error));
    return MCD_ARENA_NEW(writer->arena, writer->lane, lanes, error);
}

/* ---- intersections ---- */

static uint16_t degrees(double bearing)
{
    const unsigned whole = (unsigned)(bearing + 0.5); /* of less than two turns */
    return (uint16_t)(whole < WHOLE ? whole : whole - WHOLE);
}

/* Begins an intersection without roads and lanes. */
static macadam_intersection *new_intersection(step_writer *writer, double lon, double lat, size_t arc)
{
    macadam_route *const route = writer->route;
    macadam_intersection *const out = &writer->intersection[route->intersection_count++];
    *out = (macadam_intersection){.lon = lon,
                                  .lat = lat,
                                  .first_branch = route->branch_count,
                                  .end_branch = route->branch_count,
                                  .in = MACADAM_BRANCH_NONE,
                                  .out = MACADAM_BRANCH_NONE,
                                  .first_lane = route->lane_count,
                                  .end_lane = route->lane_count,
                                  .arc = arc};
    return out;
}

/* Where a leg begins, ends or turns back within a road, that road is the only one. */
static void write_branches(step_writer *writer, const mcd_maneuver *maneuver, macadam_intersection *out)
{
    const mcd_junction *const junction = &maneuver->junction;
    const size_t first = writer->route->branch_count;
    const uint32_t count = junction->count, in = junction->in, taken = junction->out;
    uint32_t plain = count; /* the roads after them have a bearing that rounds to 0, and come first */
    while (plain > 0 && junction->end[plain - 1].bearing >= WHOLE - 0.5) --plain;
    const uint32_t wrapped = count - plain;
    macadam_branch *branch = writer->branch + first;
    for (uint32_t i = plain; i < count; ++i) *branch++ = (macadam_branch){.entry = junction->entry >> i & 1};
    for (uint32_t i = 0; i < plain; ++i)
        *branch++ = (macadam_branch){.bearing = (uint16_t)(junction->end[i].bearing + 0.5),
                                     .entry = junction->entry >> i & 1};
    out->in = in < count ? first + (in < plain ? in + wrapped : in - plain) : MACADAM_BRANCH_NONE;
    out->out =
        taken < count ? first + (taken < plain ? taken + wrapped : taken - plain) : MACADAM_BRANCH_NONE;
    if (count == 0) {
        const bool arrives = maneuver->type == MACADAM_MANEUVER_ARRIVE;
        const double bearing = arrives ? junction->before + HALF : maneuver->after;
        if (maneuver->type != MACADAM_MANEUVER_DEPART) out->in = first;
        if (!arrives) out->out = first;
        *branch++ = (macadam_branch){.bearing = degrees(bearing), .entry = true};
    }
    out->end_branch = writer->route->branch_count = (size_t)(branch - writer->branch);
}

static void write_intersection(step_writer *writer, size_t l, size_t i)
{
    const mcd_guide *const guide = &writer->guide[l];
    macadam_route *const route = writer->route;
    const size_t arc = writer->leg[l].first_arc + i;
    const size_t point =
        i < guide->arc_count ? route->arc[arc].first_shape : route->arc[arc - 1].end_shape - 1;
    macadam_intersection *const out = new_intersection(writer, route->lon[point], route->lat[point], arc);
    if (i < guide->arc_count) out->flags = guide->arc[i].kind->flags;
    write_branches(writer, &guide->maneuver[i], out);
    for (uint32_t lane = 0; lane < guide->maneuver[i].lane_count; ++lane)
        writer->lane[route->lane_count++] = guide->maneuver[i].lane[lane];
    out->end_lane = route->lane_count;
}

/* ---- steps ---- */

/* On which side of the direction of travel the place lies that was snapped. */
static macadam_modifier side_of(const step_writer *writer, size_t stop, double bearing)
{
    const macadam_place *const place = writer->stop[stop].place;
    const macadam_snap *const snap = writer->stop[stop].snap;
    if (place->kind != MACADAM_PLACE_POINT || !(snap->distance_m > BESIDE_M)) return MACADAM_MODIFIER_NONE;
    const double east =
        remainder(place->lon - snap->lon, WHOLE) * cos(snap->lat * 3.14159265358979323846 / HALF);
    const double there = atan2(east, place->lat - snap->lat) * HALF / 3.14159265358979323846;
    const double turn = mcd_turn(bearing, there);
    if (mcd_guide_modifier(turn) == MACADAM_MODIFIER_STRAIGHT) return MACADAM_MODIFIER_STRAIGHT;
    return turn > 0 ? MACADAM_MODIFIER_RIGHT : MACADAM_MODIFIER_LEFT;
}

static const macadam_road_facts *facts_of(const step_writer *writer, const mcd_kind *kind)
{
    return mcd_engine_road_facts(writer->engine, kind ? (size_t)(kind - writer->engine->facts.kind) : 0);
}

static macadam_step *new_step(step_writer *writer, macadam_maneuver_type type)
{
    macadam_step *const out = &writer->step[writer->route->step_count++];
    *out = (macadam_step){.type = type,
                          .rotary_name = "",
                          .facts = facts_of(writer, NULL),
                          .drives_left = writer->engine->metadata->drives_left,
                          .walks = writer->walks,
                          .first_intersection = writer->route->intersection_count,
                          .end_intersection = writer->route->intersection_count};
    return out;
}

/* The step that maneuver number `i` begins lasts to number `end`. */
static void write_step(step_writer *writer, size_t l, size_t i, size_t end)
{
    const mcd_guide *const guide = &writer->guide[l];
    const mcd_maneuver *const maneuver = &guide->maneuver[i];
    const macadam_route *const route = writer->route;
    macadam_step *const out = new_step(writer, maneuver->type);
    out->modifier = maneuver->modifier;
    if (i == 0) out->modifier = side_of(writer, l, maneuver->after);
    if (i == guide->arc_count) out->modifier = side_of(writer, l + 1, maneuver->junction.before);
    out->exit = maneuver->exit;
    out->bearing_before = degrees(maneuver->junction.before);
    out->bearing_after = degrees(maneuver->after);
    /* The step that enters a roundabout has the name of the road by which the route leaves it. */
    const bool enters = maneuver->exit && (maneuver->type == MACADAM_MANEUVER_ROUNDABOUT ||
                                           maneuver->type == MACADAM_MANEUVER_ROTARY);
    out->facts = facts_of(writer, guide->maneuver[enters ? end : i].kind);
    const mcd_guide_arc *const travelled = &guide->arc[i < guide->arc_count ? i : i - 1];
    if (out->type == MACADAM_MANEUVER_ROTARY) out->rotary_name = facts_of(writer, travelled->kind)->name;
    out->mode = travelled->sign->mode;
    out->walks |= out->mode == MACADAM_MODE_PUSHING;
    out->first_arc = writer->leg[l].first_arc + i;
    out->end_arc = writer->leg[l].first_arc + end;
    for (size_t arc = out->first_arc; arc < out->end_arc; ++arc)
        for (size_t q = 0; q < writer->query->quantity_count; ++q) out->value[q] += route->arc[arc].value[q];
    const bool arrives = i == guide->arc_count;
    out->first_shape =
        arrives ? route->arc[out->first_arc - 1].end_shape - 1 : route->arc[out->first_arc].first_shape;
    out->end_shape = arrives ? out->first_shape + 1 : route->arc[out->end_arc - 1].end_shape;
    for (size_t k = i; k < end || k == i; ++k)
        if (k == i || guide->maneuver[k].junction.count > 2) write_intersection(writer, l, k);
    out->end_intersection = route->intersection_count;
}

/* A leg without arcs: one departs and arrives. */
static void write_empty(step_writer *writer, size_t l)
{
    const macadam_snap *const snap = writer->stop[l].snap;
    const macadam_maneuver_type type[] = {MACADAM_MANEUVER_DEPART, MACADAM_MANEUVER_ARRIVE};
    for (int i = 0; i < 2; ++i) {
        macadam_step *const out = new_step(writer, type[i]);
        new_intersection(writer, snap->lon, snap->lat, writer->leg[l].first_arc);
        out->end_intersection = writer->route->intersection_count;
        out->first_arc = out->end_arc = writer->leg[l].first_arc;
    }
}

static void write_leg(step_writer *writer, size_t l)
{
    const mcd_guide *const guide = &writer->guide[l];
    writer->leg[l].first_step = writer->route->step_count;
    if (guide->arc_count == 0) write_empty(writer, l);
    for (size_t i = 0, end; guide->arc_count && i <= guide->arc_count; i = end) {
        end = mcd_guide_next(guide, i);
        write_step(writer, l, i, i == guide->arc_count ? i : end);
    }
    writer->leg[l].end_step = writer->route->step_count;
}

macadam_status mcd_steps_write(macadam_route *route, macadam_leg *leg, mcd_arena *arena,
                               const mcd_query *query, const uint32_t *arc, const mcd_step_stop *stop,
                               macadam_error *error)
{
    const char *const profile = query->engine->metadata->profile;
    step_writer writer = {.query = query,
                          .engine = query->engine,
                          .route = route,
                          .leg = leg,
                          .stop = stop,
                          .arena = arena,
                          .walks = strcmp(profile, "foot") == 0 || strcmp(profile, "wheelchair") == 0};
    MCD_TRY(mcd_engine_load(query->engine, MCD_LOAD_JUNCTIONS, error));
    MCD_TRY(load_closed(query, error));
    MCD_TRY(MCD_ARENA_NEW(arena, writer.guide, route->leg_count, error));
    for (size_t l = 0; l < route->leg_count; ++l) MCD_TRY(guide_leg(&writer, l, arc, error));
    MCD_TRY(make_room(&writer, error));
    for (size_t l = 0; l < route->leg_count; ++l) write_leg(&writer, l);
    route->step = writer.step;
    route->intersection = writer.intersection;
    route->branch = writer.branch;
    route->lane = writer.lane;
    return MACADAM_OK;
}

/* ---- names ---- */

MCD_DEFINE_NAMES(
    macadam_maneuver_type_name, macadam_maneuver_type, "", [MACADAM_MANEUVER_DEPART] = "depart",
    [MACADAM_MANEUVER_ARRIVE] = "arrive", [MACADAM_MANEUVER_TURN] = "turn",
    [MACADAM_MANEUVER_CONTINUE] = "continue", [MACADAM_MANEUVER_NEW_NAME] = "new name",
    [MACADAM_MANEUVER_MERGE] = "merge", [MACADAM_MANEUVER_ON_RAMP] = "on ramp",
    [MACADAM_MANEUVER_OFF_RAMP] = "off ramp", [MACADAM_MANEUVER_FORK] = "fork",
    [MACADAM_MANEUVER_END_OF_ROAD] = "end of road", [MACADAM_MANEUVER_ROUNDABOUT] = "roundabout",
    [MACADAM_MANEUVER_ROTARY] = "rotary", [MACADAM_MANEUVER_ROUNDABOUT_TURN] = "roundabout turn",
    [MACADAM_MANEUVER_EXIT_ROUNDABOUT] = "exit roundabout", [MACADAM_MANEUVER_EXIT_ROTARY] = "exit rotary",
    [MACADAM_MANEUVER_NOTIFICATION] = "notification")

MCD_DEFINE_NAMES(macadam_modifier_name, macadam_modifier, "", [MACADAM_MODIFIER_NONE] = "",
                 [MACADAM_MODIFIER_UTURN] = "uturn", [MACADAM_MODIFIER_SHARP_RIGHT] = "sharp right",
                 [MACADAM_MODIFIER_RIGHT] = "right", [MACADAM_MODIFIER_SLIGHT_RIGHT] = "slight right",
                 [MACADAM_MODIFIER_STRAIGHT] = "straight", [MACADAM_MODIFIER_SLIGHT_LEFT] = "slight left",
                 [MACADAM_MODIFIER_LEFT] = "left", [MACADAM_MODIFIER_SHARP_LEFT] = "sharp left")
