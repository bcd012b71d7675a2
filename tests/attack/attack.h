/* attack.h - trials with hostile input: each is drawn from a number, so that it can be repeated, and each ends
 * soon, within 256 MB, without a leak. */
#ifndef MCD_TESTS_ATTACK_ATTACK_H
#define MCD_TESTS_ATTACK_ATTACK_H

#include "tests/support/rng.h"

#include "engine/include/macadam.h"

/* One kind of input. */
typedef struct attack {
    const char *name;
    void (*begin)(const char *folder); /* once; files go into the folder */
    void (*trial)(test_rng *rng);
    bool keeps; /* an engine stays from trial to trial, and what it loads: blocks are not counted */
} attack;

extern const attack attack_edge_files, attack_maps, attack_requests;

/* Ends the trial as a failure, with the claim, unless it holds. */
void attack_require(bool holds, const char *claim);
/* Every failure has a message of one line; returns whether the call worked. */
bool attack_worked(macadam_status status, macadam_error *error);

/* Imports a grid from arrays, on two threads. Prints what fails. Returns the command's exit status. */
int attack_import_arrays(const char *path, bool ready);

/* Asks the engine every kind of question. If `agrees`, the answers of different methods must be equal. */
void attack_ask(macadam_engine *engine, test_rng *rng, bool agrees);
/* Opens the edge file, and asks before and after it is verified. Returns whether it was verified. */
bool attack_open(const char *path, const char *profile, test_rng *rng);

/* Returns true once in `times`. */
static inline bool attack_chance(test_rng *rng, uint32_t times)
{
    return rng_below(rng, times) == 0;
}

#endif
