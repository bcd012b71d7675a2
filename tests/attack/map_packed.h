/* map_packed.h - OpenStreetMap text within gzip or bzip2, whose compression may lie. */
#ifndef MCD_TESTS_ATTACK_MAP_PACKED_H
#define MCD_TESTS_ATTACK_MAP_PACKED_H

#include "tests/support/rng.h"

#include <stdio.h>

void map_packed_gzip(FILE *to, test_rng *rng);
void map_packed_bzip2(FILE *to, test_rng *rng);

#endif
