/* map_pbf.h - .osm.pbf files drawn from a grammar: blocks of nodes, ways and relations, compressed or not,
 * some with sizes that lie. */
#ifndef MCD_TESTS_ATTACK_MAP_PBF_H
#define MCD_TESTS_ATTACK_MAP_PBF_H

#include "tests/support/rng.h"

#include <stdio.h>

void map_pbf(FILE *to, test_rng *rng);

#endif
