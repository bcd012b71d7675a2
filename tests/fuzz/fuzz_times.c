/* fuzz_times.c - reads any bytes as the value of a conditional tag of a road. The times that are read are disjoint. */
#include "importers/osm/rules/profile_file.h"
#include "importers/osm/rules/conditional_tag.h"
#include "engine/base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const mcd_conditional_tags *timings)
{
    mcd_week seen = {{0}};
    for (size_t i = 0; i < timings->count; ++i)
        for (size_t w = 0; w < MCD_WEEK_WORDS; ++w) {
            if (seen.word[w] & timings->timing[i].week.word[w]) {
                fprintf(stderr, "fuzz_times: two changes at the same time\n");
                abort();
            }
            seen.word[w] |= timings->timing[i].week.word[w];
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
    const mcd_tag tag[] = {
        {"highway", "residential"}, {"maxspeed:conditional", text}, {"motor_vehicle:conditional", text}};
    const mcd_tags tags = {.tag = tag, .count = sizeof tag / sizeof *tag};
    mcd_passage usual;
    mcd_conditional_tags timings = {0};
    mcd_report report = {0};
    if (mcd_profile_way(&car, &tags, &usual) != MCD_WAY_OPEN) abort();
    if (mcd_conditional_tags_read(&timings, &car, &tags, &usual, &report, NULL) == MACADAM_OK)
        check(&timings);
    mcd_report_free(&report);
    mcd_free(timings.timing);
    free(text);
    return 0;
}
