/* metamorphic.c - metamorphic [--cases N] [--seed S] [--first CASE] [--map NAME] [--relation NAME] [--folder PATH]
 *
 * Draws N cases and decides a relation for each: see metamorphic.h. A failure is shrunk, places first, then settings, to
 * the smallest request that still fails, and printed with the command that repeats it. The exit status is 1 if there is
 * one. With --folder, the maps stay there. MACADAM_TEST_DEVICE names the device that is compared, if not "cuda". */
#include "tests/metamorphic/metamorphic.h"

#include "tests/support/files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 50, RELATIONS_MOST = 64, FAILURES_SHOWN = 5 }; /* cases on one map; ...; per relation */

typedef struct tally {
    const meta_relation *relation;
    uint64_t cases, skipped, failures;
} tally;

typedef struct run {
    uint64_t cases, seed, first;
    const char *map, *relation, *folder;
    tally tallies[RELATIONS_MOST];
    size_t relation_count;
} run;

/* ---- one case ---- */

/* After a failure the next case begins with new engines, as the command that repeats one does. */
static meta_verdict decide(const meta_relation *relation, const meta_case *c, char why[META_WHY])
{
    meta_case asked = *c;
    asked.engine = meta_engine(c->map, c->kind);
    if (!asked.engine) asked.engine = c->map->engine;
    meta_verdict verdict;
    do {
        meta_hit_limit = false;
        verdict = relation->claim(&asked, why);
        meta_release();
        asked.memory *= 2;
    } while (verdict == META_FAILS && meta_hit_limit && asked.memory);
    meta_map_reset(c->map, verdict == META_FAILS ? META_TWO_THREADS : META_SCRATCH);
    return verdict;
}

static bool still_fails(const meta_relation *relation, const meta_case *trial, meta_case *best,
                        char why[META_WHY])
{
    char reason[META_WHY];
    if (decide(relation, trial, reason) != META_FAILS) return false;
    memcpy(why, reason, META_WHY);
    *best = *trial;
    return true;
}

static size_t remove_places(macadam_place *place, size_t count, size_t first, size_t length)
{
    memmove(place + first, place + first + length, (count - first - length) * sizeof *place);
    return count - length;
}

/* Removes runs of places, halves first. Returns whether something went. */
static bool drop_places(const meta_relation *relation, meta_case *c, bool targets, char why[META_WHY])
{
    bool any = false;
    for (size_t length = (targets ? c->target_count : c->source_count) / 2; length > 0; length /= 2)
        for (size_t first = 0; first + length <= (targets ? c->target_count : c->source_count);) {
            meta_case trial = *c;
            if ((targets ? c->target_count : c->source_count) == length) break;
            if (targets)
                trial.target_count = remove_places(trial.target, trial.target_count, first, length);
            else
                trial.source_count = remove_places(trial.source, trial.source_count, first, length);
            if (still_fails(relation, &trial, c, why))
                any = true;
            else
                first += length;
        }
    return any;
}

static void simplify_settings(const meta_relation *relation, meta_case *c, char why[META_WHY])
{
    meta_case trial = *c;
    trial.kind = META_ONE_THREAD;
    if (c->kind != trial.kind) still_fails(relation, &trial, c, why);
    trial = *c, trial.conditions = NULL;
    if (c->conditions) still_fails(relation, &trial, c, why);
    trial = *c, trial.memory = 0;
    if (c->memory) still_fails(relation, &trial, c, why);
    trial = *c, trial.any = false;
    if (c->any) still_fails(relation, &trial, c, why);
    trial = *c, trial.quantity_count = 0;
    if (c->quantity_count) still_fails(relation, &trial, c, why);
}

static void shrink(const meta_relation *relation, meta_case *c, char why[META_WHY])
{
    bool any = true;
    for (int round = 0; any && round < 4; ++round) {
        any = drop_places(relation, c, false, why);
        any |= drop_places(relation, c, true, why);
    }
    simplify_settings(relation, c, why);
}

/* ---- failures ---- */

static void print_places(const char *what, const macadam_place *place, size_t count)
{
    printf("  %s", what);
    for (size_t i = 0; i < count && i < 24; ++i) {
        const macadam_place *const p = &place[i];
        if (p->kind == MACADAM_PLACE_NODE)
            printf(" node:%" PRId64, p->id);
        else
            printf(" %.7f,%.7f", p->lon, p->lat);
        if (p->heading_tolerance > 0) printf("[heading %g +- %g]", p->heading, p->heading_tolerance);
        if (p->side) printf("[side %d]", (int)p->side);
        if (p->radius_m > 0) printf("[radius %g]", p->radius_m);
    }
    printf("%s\n", count > 24 ? " ..." : "");
}

static void report(const run *r, const meta_relation *relation, const meta_case *c, uint64_t number,
                   const char *why)
{
    printf("FAILS %s: %s\n", relation->name, why);
    printf("  metamorphic --map %s --relation %s --seed %" PRIu64 " --first %" PRIu64 " --cases 1\n",
           c->map->name, relation->name, r->seed, number);
    printf("  profile %s, metric %s, quantities", c->map->info.profile, c->map->info.metric[c->metric]);
    for (size_t q = 0; q < c->quantity_count; ++q) printf(" %s", c->quantity[q]);
    printf("%s%s", c->quantity_count ? "" : " (objective)", c->any ? ", snap any" : "");
    if (c->memory) printf(", within %" PRIu64 " bytes", c->memory);
    if (c->kind == META_TWO_THREADS) printf(", two threads");
    if (c->kind == META_DEVICE) printf(", on the device");
    if (c->conditions) printf(", conditions %td", c->conditions - c->map->conditions);
    printf("\n");
    print_places("from", c->source, c->source_count);
    print_places("to", c->target, c->target_count);
    fflush(stdout);
}

/* ---- all cases ---- */

static void collect_relations(run *r)
{
    const meta_relation *const family[] = {meta_shapes,  meta_questions, meta_searches, meta_trips,
                                           meta_updates, meta_files,     meta_calls,    meta_clocks};
    for (size_t f = 0; f < sizeof family / sizeof *family; ++f)
        for (const meta_relation *relation = family[f]; relation->name; ++relation)
            if (!r->relation || strcmp(r->relation, relation->name) == 0)
                r->tallies[r->relation_count++].relation = relation;
    if (r->relation_count) return;
    fprintf(stderr, "metamorphic: no relation %s\n", r->relation);
    exit(2);
}

static unsigned weight_of(const meta_relation *relation, const meta_map *map)
{
    return map->is_real ? relation->real_weight : relation->weight;
}

static tally *choose_relation(run *r, const meta_map *map, uint64_t number)
{
    test_rng rng = {rng_mix(r->seed) ^ rng_mix(~number)};
    unsigned total = 0;
    for (size_t i = 0; i < r->relation_count; ++i) total += weight_of(r->tallies[i].relation, map);
    if (r->relation_count == 1 || total == 0) return &r->tallies[0];
    unsigned roll = rng_below(&rng, total);
    for (size_t i = 0;; ++i) {
        const unsigned weight = weight_of(r->tallies[i].relation, map);
        if (roll < weight) return &r->tallies[i];
        roll -= weight;
    }
}

static void decide_case(run *r, meta_map *map, uint64_t number)
{
    tally *const t = choose_relation(r, map, number);
    test_rng rng = {rng_mix(r->seed + 1) ^ rng_mix(number)};
    meta_case c;
    char why[META_WHY] = "";
    meta_draw_case(&c, map, t->relation, &rng);
    const meta_verdict verdict = decide(t->relation, &c, why);
    ++t->cases;
    t->skipped += verdict == META_SKIPPED;
    if (verdict != META_FAILS || ++t->failures > FAILURES_SHOWN) return;
    shrink(t->relation, &c, why);
    report(r, t->relation, &c, number, why);
}

static uint64_t print_totals(const run *r)
{
    uint64_t failures = 0;
    printf("%-24s %9s %9s %9s\n", "relation", "cases", "skipped", "failures");
    for (size_t i = 0; i < r->relation_count; ++i) {
        const tally *const t = &r->tallies[i];
        printf("%-24s %9" PRIu64 " %9" PRIu64 " %9" PRIu64 "\n", t->relation->name, t->cases, t->skipped,
               t->failures);
        failures += t->failures;
    }
    return failures;
}

static void read_options(run *r, int count, char **argument)
{
    for (int i = 1; i < count; i += 2) {
        const char *const name = argument[i], *const value = i + 1 < count ? argument[i + 1] : "";
        if (strcmp(name, "--cases") == 0)
            r->cases = strtoull(value, NULL, 10);
        else if (strcmp(name, "--seed") == 0)
            r->seed = strtoull(value, NULL, 10);
        else if (strcmp(name, "--first") == 0)
            r->first = strtoull(value, NULL, 10);
        else if (strcmp(name, "--map") == 0)
            r->map = value;
        else if (strcmp(name, "--relation") == 0)
            r->relation = value;
        else if (strcmp(name, "--folder") == 0)
            r->folder = value;
        else {
            fprintf(stderr, "metamorphic: no option %s\n", name);
            exit(2);
        }
    }
}

int main(int count, char **argument)
{
    static run r = {.cases = 1000, .seed = 1};
    char folder[FILES_PATH_BYTES];
    read_options(&r, count, argument);
    collect_relations(&r);
    if (!r.folder) files_new_folder(folder);
    meta_maps_open(r.folder ? r.folder : folder);
    meta_map *map = NULL;
    for (uint64_t number = r.first; number < r.first + r.cases; ++number) {
        if (!map || number % BLOCK == 0) map = meta_map_of(r.map, r.seed, number / BLOCK);
        decide_case(&r, map, number);
    }
    meta_maps_close();
    if (!r.folder) files_remove_folder(folder);
    return print_totals(&r) > 0;
}
