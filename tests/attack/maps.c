/* maps.c - maps drawn from grammars, imported: an error names the file, or the edge file is verified and its
 * answers agree. */
#include "tests/attack/attack.h"
#include "tests/attack/map_packed.h"
#include "tests/attack/map_pbf.h"
#include "tests/attack/map_text.h"
#include "tests/support/checked.h"
#include "tests/support/files.h"

#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = FILES_PATH_BYTES + 32 };

static char folder[FILES_PATH_BYTES], output[PATH_BYTES];

static void begin(const char *new_folder)
{
    snprintf(folder, sizeof folder, "%s", new_folder);
    snprintf(output, sizeof output, "%s/map.mcd", folder);
}

/* Writes a file by a grammar; some are cut off, or have a wrong byte. */
static void draw_file(char path[PATH_BYTES], const char *name, void (*draw)(FILE *to, test_rng *rng),
                      test_rng *rng)
{
    snprintf(path, PATH_BYTES, "%s/%s", folder, name);
    FILE *const file = fopen(path, "wb");
    attack_require(file != NULL, "no file for a map");
    draw(file, rng);
    const long bytes = ftell(file);
    if (attack_chance(rng, 40) && fseek(file, rng_below(rng, (uint32_t)bytes + 1), SEEK_SET) == 0)
        fputc((int)rng_below(rng, 256), file);
    fclose(file);
    if (attack_chance(rng, 60))
        attack_require(truncate(path, rng_below(rng, (uint32_t)bytes + 1)) == 0, path);
}

static macadam_status import_osm(test_rng *rng, const macadam_import_options *options, macadam_error *error)
{
    static const char *const built_in[] = {"car", "bike", "foot", "truck", "bus", "wheelchair"};
    char map[PATH_BYTES], profile[PATH_BYTES];
    static const struct {
        const char *name;
        void (*draw)(FILE *to, test_rng *rng);
    } form[] = {{"map.osm.pbf", map_pbf},
                {"map.osm.pbf", map_pbf},
                {"map.osm", map_text_osm},
                {"map.osm.gz", map_packed_gzip},
                {"map.osm.bz2", map_packed_bzip2}};
    const uint32_t chosen = rng_below(rng, sizeof form / sizeof *form);
    const bool is_drawn = attack_chance(rng, 4);
    draw_file(map, form[chosen].name, form[chosen].draw, rng);
    if (is_drawn) draw_file(profile, "drawn.profile", map_text_profile, rng);
    return macadam_import_osm(
        map, is_drawn ? profile : built_in[rng_below(rng, sizeof built_in / sizeof *built_in)], options,
        error);
}

static macadam_status import_dimacs(test_rng *rng, macadam_import_options *options, macadam_error *error)
{
    static const char *const quantity[] = {"duration", "distance"};
    char weight[2][PATH_BYTES], coordinates[PATH_BYTES], order[PATH_BYTES];
    const char *const path[] = {weight[0], weight[1]};
    macadam_dimacs_input input = MACADAM_DIMACS_INPUT_INIT;
    test_rng again = *rng;
    draw_file(weight[0], "duration.gr", map_text_gr, rng);
    draw_file(weight[1], "distance.gr", map_text_gr, attack_chance(rng, 10) ? rng : &again);
    input.quantity = quantity, input.weight = path, input.quantity_count = 1 + attack_chance(rng, 2);
    if (attack_chance(rng, 2)) {
        draw_file(coordinates, "map.co", map_text_co, rng);
        input.coordinates = coordinates;
    }
    if (attack_chance(rng, 3)) {
        draw_file(order, "order.txt", map_text_order, rng);
        options->order = order;
    }
    return macadam_import_dimacs(&input, options, error);
}

static void trial(test_rng *rng)
{
    macadam_import_options options = MACADAM_IMPORT_OPTIONS_INIT;
    macadam_error error = {""};
    options.output = output;
    options.threads = 1;
    options.ready = attack_chance(rng, 3);
    options.no_hierarchy = attack_chance(rng, 10);
    const size_t before = files_count(folder);
    const bool is_imported = attack_worked(attack_chance(rng, 3) ? import_dimacs(rng, &options, &error)
                                                                 : import_osm(rng, &options, &error),
                                           &error);
    attack_require(is_imported == (access(output, F_OK) == 0), "a failure with a file, or the reverse");
    attack_require(files_count(folder) <= before + 4 + is_imported, "files are left");
    if (is_imported) attack_require(attack_open(output, NULL, rng), "an imported file is not verified");
    unlink(output);
}

const attack attack_maps = {"maps", begin, trial, false};
