/* map_text.h - maps as text, drawn from a grammar: most are good, some are almost. */
#ifndef MCD_TESTS_ATTACK_MAP_TEXT_H
#define MCD_TESTS_ATTACK_MAP_TEXT_H

#include "tests/support/rng.h"

#include <stdbool.h>
#include <stdio.h>

/* A small .osm map with turn restrictions, a roundabout, a gate and a ferry. */
extern const char map_text_town[];

void map_text_osm(FILE *to, test_rng *rng);
/* One of several weight files over the same arcs: they all begin with the same rng. */
void map_text_gr(FILE *to, test_rng *rng);
void map_text_co(FILE *to, test_rng *rng);
void map_text_order(FILE *to, test_rng *rng);
void map_text_profile(FILE *to, test_rng *rng);

/* A tag of roads: key and value. */
void map_text_tag(test_rng *rng, const char **key, const char **value);

#endif
