/* instants.h - the places of a question with a clock, each as often as there are instants for it, and the answers about
 * them. */
#ifndef MCD_ENGINE_QUERY_CLOCK_INSTANTS_H
#define MCD_ENGINE_QUERY_CLOCK_INSTANTS_H

#include "engine/query/places/located.h"

/* Zeroed = empty; mcd_instants_free. */
typedef struct mcd_instants {
    mcd_place_list
        list; /* every place as often as there are instants for it, with these if searches begin there */
    mcd_place_list given; /* the caller's */
    size_t times;
    macadam_place *place; /* owned, like those of `list` if times > 1 */
    uint32_t *instant;
} mcd_instants;

/* Repeats places of a query that has a clock: those where searches begin (the sources, or with arrivals the targets) get
 * instants. `is_pair`: both ends are repeated, one of them with
 * instants; if not, an end without instants stays as it is. Returns E_INVALID if each place should have an instant, and there are fewer or more. Free *out, on failure
 * too. */
macadam_status mcd_instants_new(mcd_instants *out, const mcd_query *query, const mcd_place_list *given,
                                mcd_role role, bool is_pair, macadam_error *error);
/* Returns E_INVALID unless there are as many instants as places, if each place has one. */
macadam_status mcd_instants_check_each(const macadam_clock *clock, size_t places, macadam_error *error);
/* Returns E_INVALID unless the clock has a single instant, or one for each place. `what` is the question, for messages. */
macadam_status mcd_instants_check_one(const mcd_query *query, const char *what, macadam_error *error);
/* Returns E_UNSUPPORTED unless ways from the sources of trees (`reverse`: to them) have their instants there. */
macadam_status mcd_instants_check_end(const mcd_query *query, bool reverse, const char *what,
                                      macadam_error *error);
/* Makes the instants of such sources, a single one for each place, after both checks. Without a clock, none. Free *out, on
 * failure too. */
macadam_status mcd_instants_of_sources(mcd_instants *out, const mcd_query *query, mcd_place_list *sources,
                                       bool reverse, const char *what, macadam_error *error);
/* Reports to the caller where the places are. */
void mcd_instants_report(const mcd_instants *instants);
void mcd_instants_free(mcd_instants *instants);

#endif
