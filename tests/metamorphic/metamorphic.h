/* metamorphic.h - one answer, however it is requested: random cases, and relations between answers that must hold for
 * each of them bit for bit. Nothing here knows an algorithm of the engine; everything goes through macadam.h.
 *
 * A case is a map, places on it, and settings of a query. A relation compares the answers to questions that depend on
 * each other. Everything is drawn from a seed and the number of the case, so that one line
 * repeats a failure; metamorphic.c shrinks it first. */
#ifndef MCD_TESTS_METAMORPHIC_METAMORPHIC_H
#define MCD_TESTS_METAMORPHIC_METAMORPHIC_H

#include "engine/include/macadam.h"
#include "tests/support/rng.h"

enum { META_PATH = 1024, META_WHY = 256, META_PLACES = 64, META_PROFILES = 3, META_CONDITIONS = 4 };

/* An OpenStreetMap file that the suite drew: one element a line, nodes before ways before relations. */
typedef struct meta_drawing {
    char **element;
    size_t count, capacity;
    bool has_hours; /* roads, gates and turns may be on it that are open only at times */
} meta_drawing;

/* A road of the map: points first <= i < last of its lines. */
typedef struct meta_road {
    int64_t tail, head;
    size_t first, last;
    uint64_t order; /* roads are sorted by it: neighbours are near each other */
} meta_road;

/* Those whose weights may change are closed after each case. */
typedef enum meta_engine_kind {
    META_ONE_THREAD,
    META_TWO_THREADS,
    META_DEVICE,
    META_DEVICES, /* all of them */
    META_SCRATCH,
    META_SCRATCH_DEVICE,
    META_ENGINES
} meta_engine_kind;

typedef struct meta_map {
    char name[64], folder[META_PATH];
    char source[META_PATH]; /* the OpenStreetMap file */
    char edge[META_PATH];   /* the edge file: all profiles */
    char profile[META_PROFILES][META_PATH];
    size_t profile_count, chosen;        /* the engines answer for profile number `chosen` */
    bool is_real;                        /* large: questions about all nodes are expensive */
    bool is_extreme;                     /* has weights near the limit: sums may overflow */
    bool is_electric;                    /* has heights and "energy", which may be negative */
    meta_drawing drawing;                /* empty unless the suite drew it */
    macadam_engine *engine;              /* one thread, on the CPU */
    macadam_engine *other[META_ENGINES]; /* opened when first needed */
    macadam_info info;
    const int64_t *id;
    macadam_roads *lines;
    meta_road *road;
    size_t road_count;
    size_t *cut_off; /* roads from which most of the map cannot be reached, or back */
    size_t cut_off_count;
    double box_lon[4], box_lat[4];
    macadam_area area;
    macadam_class_factor factor[2];
    macadam_conditions conditions[META_CONDITIONS];
} meta_map;

typedef struct meta_case {
    meta_map *map;
    meta_engine_kind kind;
    macadam_engine *engine; /* of this kind: the engine of the map that answers */
    uint64_t salt;          /* what a relation draws, it draws from this */
    size_t metric, quantity_count;
    const char *quantity[2];
    bool any; /* macadam_query::snap_any_component */
    const macadam_conditions *conditions;
    uint64_t memory; /* macadam_query::memory_limit; doubled until it suffices */
    macadam_place source[META_PLACES], target[META_PLACES];
    size_t source_count, target_count;
} meta_case;

typedef enum meta_verdict { META_HOLDS, META_FAILS, META_SKIPPED } meta_verdict;

/* Writes why it fails. META_SKIPPED: it claims nothing about this case. */
typedef meta_verdict (*meta_claim)(const meta_case *c, char why[META_WHY]);

typedef struct meta_relation {
    const char *name;
    meta_claim claim;
    unsigned weight, real_weight;    /* how often it is drawn: on drawn maps and on real ones */
    size_t source_most, target_most; /* the most places that it takes */
} meta_relation;

/* The families; each array ends with an empty relation. */
extern const meta_relation meta_shapes[], meta_questions[], meta_searches[], meta_trips[], meta_updates[],
    meta_files[], meta_calls[], meta_clocks[];

/* ---- maps: maps.c, drawing.c ---- */

typedef struct meta_source meta_source;

/* Finds the maps there are; prints what is skipped. meta_maps_close frees everything. */
void meta_maps_open(const char *folder);
void meta_maps_close(void);
/* The map of a block of cases: by its name, or drawn if `name` is NULL. It stays open until the next call. */
meta_map *meta_map_of(const char *name, uint64_t seed, uint64_t block);
/* Opens the map's file once more, with `options`. Aborts with the message if that fails. */
macadam_engine *meta_open(const meta_map *map, const char *path, const macadam_engine_options *options);
/* NULL: there is no device. */
macadam_engine *meta_engine(meta_map *map, meta_engine_kind kind);
/* Closes the engines whose weights may have changed, so that no case depends on another one. */
void meta_map_reset(meta_map *map, meta_engine_kind first);
/* Imports files with some of the map's profiles. */
macadam_status meta_import(const meta_map *map, const char *const *path, size_t path_count,
                           size_t first_profile, size_t profile_count, const macadam_import_options *options,
                           macadam_error *error);

void meta_draw_map(meta_drawing *out, test_rng *rng);
/* Writes the elements whose bit `part` is set in file_of[element]; file_of = NULL: all of them. */
void meta_write_drawing(const meta_drawing *drawing, const char *path, const uint8_t *file_of, unsigned part);
void meta_free_drawing(meta_drawing *drawing);

/* ---- cases: places.c ---- */

void meta_draw_case(meta_case *out, meta_map *map, const meta_relation *relation, test_rng *rng);

/* ---- questions, and what answers them: ask.c ---- */

/* Zeroed memory that lives until the relation has been decided. */
void *meta_memory(size_t count, size_t size);
void meta_release(void);

/* Formats *why and returns META_FAILS. */
meta_verdict meta_fail(char why[META_WHY], const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Whether the call worked; else writes its message, and notes whether it had too little memory. */
extern bool meta_hit_limit;
bool meta_ok(macadam_status status, const macadam_error *error, const char *call, char why[META_WHY]);

macadam_query meta_query(const meta_case *c);
/* The case's query for the objective only. */
macadam_query meta_objective_query(const meta_case *c);
size_t meta_columns_of(const macadam_query *query);
/* A value of the query's q-th column as a number; MACADAM_COST_NONE: unreached. */
int64_t meta_number(const meta_case *c, const macadam_query *query, size_t q, uint32_t value);
/* The value of that column that stands for no path. */
uint32_t meta_unreached(const meta_case *c, const macadam_query *query, size_t q);

/* Costs by rows and columns; value[q][row * columns + column]. */
typedef struct meta_table {
    size_t rows, columns, quantity_count;
    uint32_t *value[2];
    macadam_place_status *status; /* of the sources, then of the targets */
} meta_table;

bool meta_matrix(meta_table *out, macadam_engine *engine, const macadam_query *query,
                 const macadam_place *source, size_t rows, const macadam_place *target, size_t columns,
                 char why[META_WHY]);
/* The matrix of the whole case. */
bool meta_matrix_of(meta_table *out, const meta_case *c, macadam_engine *engine, char why[META_WHY]);
/* Compares the tables, statuses too, and says where they differ. */
meta_verdict meta_same(const meta_table *a, const meta_table *b, const char *what, char why[META_WHY]);

/* Whether the nearest road is in a part of the map that is cut off. Which road counts then depends on the other place. */
bool meta_is_cut_off(const meta_case *c, const macadam_place *place);

/* Some ids of the map, with those of cut-off roads among them. */
void meta_draw_ids(const meta_map *map, test_rng *rng, int64_t *id, macadam_place *place, size_t count);
/* The position of an id among all of the map. */
size_t meta_position(const meta_map *map, int64_t id);

#define META_REQUIRE(holds, ...)                                                                             \
    do {                                                                                                     \
        if (!(holds)) return meta_fail(why, __VA_ARGS__);                                                    \
    } while (0)

#endif
