/* names.c - which names are announced, and by which name a step goes: see guide.h.
 *
 * A name that lasts for a moment, as that of a bridge, is not worth a sentence, nor is one that comes back. A
 * turn names the road that it leads to: the one that is followed, though its first metres have another name, or none. */
#include "engine/guide/guide.h"

enum { NAME_M = 105 /* a name must last so long */, START_M = 30 /* of a turn, with another name */ };

/* Returns whether the arcs from `first` to before `end` are shorter than `metres` together. */
static bool is_shorter(const mcd_guide *guide, size_t first, size_t end, double metres)
{
    for (size_t i = first; i < end && metres > 0; ++i) metres -= mcd_guide_metres(guide, i);
    return metres > 0;
}

/* Returns whether the maneuver before number `at` leads to the road that gets its name there. */
static bool leads_to(const mcd_guide *guide, size_t before, size_t at)
{
    const mcd_maneuver *const turn = &guide->maneuver[before];
    if (before == 0 || turn->type == MACADAM_MANEUVER_NEW_NAME) return false;
    const bool nameless = !turn->kind->text[MCD_KIND_NAME] && !turn->kind->text[MCD_KIND_REF];
    return is_shorter(guide, before, at, nameless ? NAME_M : START_M);
}

/* Returns whether the name that comes at number `at` is worth a sentence: it lasts to the next one, or one has to choose a
 * lane. */
static bool is_worth(const mcd_guide *guide, size_t at, size_t next)
{
    const bool lanes =
        guide->arc[at - 1].kind->text[MCD_KIND_TURN_LANES] && guide->maneuver[at].junction.count > 2;
    return lanes || !is_shorter(guide, at, next, NAME_M);
}

/* Names the road that the maneuver leads to. */
static void name_turn(mcd_guide *guide, size_t before, const mcd_kind *kind)
{
    mcd_maneuver *const turn = &guide->maneuver[before];
    const bool stays = mcd_sign_stays(mcd_guide_signs(guide), guide->arc[before - 1].kind, kind);
    if (turn->type == MACADAM_MANEUVER_TURN || turn->type == MACADAM_MANEUVER_CONTINUE)
        turn->type = stays ? MACADAM_MANEUVER_CONTINUE : MACADAM_MANEUVER_TURN;
    turn->kind = kind;
}

void mcd_guide_names(mcd_guide *guide)
{
    mcd_maneuver *const maneuver = guide->maneuver;
    for (size_t before = 0, next, at = mcd_guide_next(guide, 0); at < guide->arc_count; at = next) {
        next = mcd_guide_next(guide, at);
        if (maneuver[at].type == MACADAM_MANEUVER_NEW_NAME && !maneuver[at].is_said) {
            const bool stays =
                mcd_sign_stays(mcd_guide_signs(guide), maneuver[before].kind, maneuver[at].kind);
            maneuver[at].told = !stays && is_worth(guide, at, next);
            if (!stays && (maneuver[at].told || next == guide->arc_count) && leads_to(guide, before, at)) {
                name_turn(guide, before, maneuver[at].kind);
                maneuver[at].told = false;
            }
        }
        if (maneuver[at].told) before = at;
    }
}
