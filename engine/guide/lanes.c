/* lanes.c - the lanes that lead to an intersection, and which of them lead where the route goes: see
 * guide.h. turn:lanes of OpenStreetMap: lanes from left to right between |, arrows between ;. */
#include "engine/guide/guide.h"
#include "engine/guide/sign.h"
#include "engine/base/memory.h"

#include <math.h>
#include <string.h>

enum { LANES_MAX = 32, FAR = 75 /* degrees: no arrow is meant that points further away */ };

static const struct {
    const char *name;
    macadam_modifier modifier;
    double turn;
} arrow[] = {
    {"through", MACADAM_MODIFIER_STRAIGHT, 0},
    {"left", MACADAM_MODIFIER_LEFT, -90},
    {"right", MACADAM_MODIFIER_RIGHT, 90},
    {"slight_left", MACADAM_MODIFIER_SLIGHT_LEFT, -40},
    {"slight_right", MACADAM_MODIFIER_SLIGHT_RIGHT, 40},
    {"sharp_left", MACADAM_MODIFIER_SHARP_LEFT, -135},
    {"sharp_right", MACADAM_MODIFIER_SHARP_RIGHT, 135},
    {"merge_to_left", MACADAM_MODIFIER_SLIGHT_LEFT, -10},
    {"merge_to_right", MACADAM_MODIFIER_SLIGHT_RIGHT, 10},
    {"reverse", MACADAM_MODIFIER_UTURN, 180},
};
enum { ARROWS = sizeof arrow / sizeof arrow[0] };

/* Reads a lane's arrows up to the next |. */
static uint32_t read_arrows(const char **at)
{
    uint32_t modifiers = 0;
    for (;;) {
        const size_t length = strcspn(*at, ";|");
        for (size_t i = 0; i < ARROWS; ++i)
            if (strlen(arrow[i].name) == length && strncmp(*at, arrow[i].name, length) == 0)
                modifiers |= 1u << arrow[i].modifier;
        *at += length;
        if (**at != ';') return modifiers;
        ++*at;
    }
}

static size_t read_lanes(const char *text, macadam_lane lane[LANES_MAX])
{
    size_t count = 0;
    while (*text && count < LANES_MAX) {
        lane[count++] = (macadam_lane){.modifiers = read_arrows(&text)};
        if (*text != '|') break;
        if (!*++text && count < LANES_MAX) lane[count++] = (macadam_lane){0};
    }
    return count;
}

static void mark_valid(macadam_lane *lane, size_t count, double turn)
{
    /* The arrow, among those on the lanes, that points where the route goes. */
    macadam_modifier chosen = MACADAM_MODIFIER_NONE;
    uint32_t painted = 0;
    double least = FAR;
    for (size_t i = 0; i < count; ++i) painted |= lane[i].modifiers;
    for (size_t i = 0; i < ARROWS; ++i) {
        const double apart = fabs(mcd_turn(arrow[i].turn, turn));
        if (!(painted & 1u << arrow[i].modifier) || apart >= least) continue;
        least = apart;
        chosen = arrow[i].modifier;
    }
    for (size_t i = 0; i < count; ++i)
        lane[i].valid = chosen ? (lane[i].modifiers & 1u << chosen) != 0
                               : !lane[i].modifiers; /* no arrow: the lane goes where the others do not */
}

macadam_status mcd_guide_lanes(mcd_guide *guide, macadam_error *error)
{
    const mcd_arc_facts *const facts = guide->source.roads->facts;
    for (size_t i = 1; i < guide->arc_count; ++i) {
        mcd_maneuver *const maneuver = &guide->maneuver[i];
        const mcd_kind *const from = guide->arc[i - 1].kind;
        macadam_lane lane[LANES_MAX];
        maneuver->first_lane = maneuver->last_lane = (uint32_t)guide->lane_count;
        if (!from->text[MCD_KIND_TURN_LANES] || maneuver->junction.count < 3)
            continue; /* arrows are meant for a junction */
        const size_t count = read_lanes(mcd_sign_text(facts, from, MCD_KIND_TURN_LANES), lane);
        mark_valid(lane, count, mcd_turn(maneuver->junction.before, maneuver->after));
        if (guide->lane_count + count > guide->lane_capacity) {
            macadam_lane *larger;
            const size_t capacity = 2 * guide->lane_capacity + LANES_MAX;
            MCD_TRY(MCD_ARENA_NEW(guide->arena, larger, capacity, error));
            if (guide->lane_count) memcpy(larger, guide->lane, guide->lane_count * sizeof *lane);
            guide->lane = larger;
            guide->lane_capacity = capacity;
        }
        if (count) memcpy(guide->lane + guide->lane_count, lane, count * sizeof *lane);
        guide->lane_count += count;
        maneuver->last_lane = (uint32_t)guide->lane_count;
    }
    return MACADAM_OK;
}
