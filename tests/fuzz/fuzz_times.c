/* fuzz_times.c - reads any bytes as the value of a limit of a road, and of a conditional tag of a road, of a node and of
 * a turn restriction. The times that are read of a road are disjoint for each vehicle. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/conditional_tag.h"
#include "importers/osm/turns/restriction.h"
#include "engine/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool overlap(const mcd_conditional_tag *a, const mcd_conditional_tag *b)
{
    uint32_t common = 0;
    for (size_t w = 0; w < MCD_WEEKS * MCD_WEEK_WORDS; ++w)
        common |= a->period.week[w / MCD_WEEK_WORDS].word[w % MCD_WEEK_WORDS] &
                  b->period.week[w / MCD_WEEK_WORDS].word[w % MCD_WEEK_WORDS];
    return common && memcmp(a->period.guard.above, b->period.guard.above, sizeof a->period.guard.above) == 0;
}

static bool opens(const mcd_conditional_tag *timing)
{
    return timing->opens[MCD_FORWARD] || timing->opens[MCD_BACKWARD];
}

static void check(const mcd_conditional_tags *timings)
{
    for (size_t i = 0; i < timings->count; ++i)
        for (size_t k = 0; k < i && !opens(&timings->timing[i]); ++k)
            if (overlap(&timings->timing[i], &timings->timing[k])) {
                fprintf(stderr, "fuzz_times: two changes at the same time\n");
                abort();
            }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static mcd_profile car;
    if (!car.name && mcd_profile_read(&car, "car", NULL) != MACADAM_OK) abort();
    char *const text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    const mcd_tag tag[] = {{"highway", "residential"},
                           {"maxheight", text},
                           {"maxspeed:conditional", text},
                           {"motor_vehicle:conditional", text}};
    const mcd_tags tags = {.tag = tag, .count = sizeof tag / sizeof *tag};
    mcd_passage usual;
    mcd_limits limits;
    mcd_conditional_tags timings = {0};
    mcd_report report = {0};
    if (mcd_profile_way(&car, &tags, &usual, &limits) != MCD_WAY_OPEN) abort();
    if (mcd_conditional_tags_read(&timings, &car, &tags, &usual, &report, NULL) == MACADAM_OK)
        check(&timings);
    const mcd_tag gate[] = {{"barrier", "gate"}, {"access:conditional", text}, {"opening_hours", text}};
    const mcd_tags gate_tags = {.tag = gate, .count = sizeof gate / sizeof *gate};
    mcd_node_times times;
    mcd_access access;
    mcd_conditional_tag_of_node(&times, &access, &car, &gate_tags, &report);
    if (times.count > MCD_CLAUSE_VEHICLES) abort();
    const mcd_tag ban[] = {
        {"type", "restriction"}, {"restriction:conditional", text}, {"restriction", "no_u_turn"}};
    const mcd_osm_member member[] = {{'w', 1, "from"}, {'n', 2, "via"}, {'w', 3, "to"}};
    const mcd_osm_relation relation = {4, member, 3, {.tag = ban, .count = sizeof ban / sizeof *ban}};
    mcd_restrictions restrictions = {0};
    if (mcd_restrictions_add(&restrictions, &report, &car, &relation, NULL) != MACADAM_OK) abort();
    mcd_restrictions_free(&restrictions);
    mcd_report_free(&report);
    mcd_free(timings.timing);
    free(text);
    return 0;
}
