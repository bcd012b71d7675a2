/* device.h - what the figures of devices share. */
#ifndef MCD_TESTS_BENCH_DEVICE_H
#define MCD_TESTS_BENCH_DEVICE_H

#include "engine/runtime/device.h"
#include "engine/runtime/conditions.h"

enum { PLACES = 2000000 };

/* Bytes a second: of an H200's memory and of its bus, as copies reach them. */
static const double memory_rate = 4.3e12, bus_rate = 55e9;

typedef struct device_bench {
    macadam_engine *engine;
    const mcd_device_table *table;
    mcd_version *version;
    const char *only;
    size_t node_count, id_count;
    macadam_place *place; /* [PLACES] random */
    mcd_lane *lane;       /* the same */
    /* The measurement that runs. */
    size_t count;    /* lanes, the side of a matrix, or pairs */
    uint64_t *order; /* of a matrix in the engine's order; else NULL */
    bool joint;
    const char *method;
    uint32_t *value[2]; /* answers */
    mcd_renew_job renew;
    mcd_reach_job reach;
    macadam_reach_request reach_request;
} device_bench;

/* Exits with what is wrong. */
void expect(bool condition, const char *what);

/* Whether the figure of that name is wanted. */
bool is_asked(const device_bench *bench, const char *name);

/* Times `work` after two runs to warm up, each time as if its places came for the first time, and prints the time of one of the `count` things that it does, and
 * how many times `floor` (seconds for all; 0: none) it takes. */
void measure(const device_bench *bench, const char *name, size_t count, double floor,
             void (*work)(const device_bench *bench));

/* Computes the first rows of the matrix of bench->count places; times one, which `check` has compared. `host`: an engine
 * without a device, if the places are points. */
void matrix_of_rows(const device_bench *bench, size_t rows);
void measure_matrix(device_bench *bench, size_t side, bool joint, bool pinned, macadam_engine *host,
                    void (*check)(const device_bench *bench, macadam_engine *host));
void measure_points(device_bench *bench, const char *path);

/* Reach of one source, of many, and of all nodes. */
void measure_reaches(device_bench *bench);

/* Matrices for several callers; those of the CPU's engine of the same file beside. */
void measure_callers(const device_bench *bench, const char *path);

/* Single routes while weights change. */
void measure_updates(const device_bench *bench, const char *path, const char *device);

/* Trees and matrices that stay on all devices. */
void measure_divided(device_bench *bench);

#endif
