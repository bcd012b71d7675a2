/* attack.c - attack NAME SECONDS [SEED [TRIAL]]: tries hostile input of one kind for so long, or repeats one trial.
 * attack import-arrays PATH [ready]: imports arrays once and exits as the command would; for starve.py.
 *
 * The trials run in a child, so that a crash, a hang or too much memory ends only the child. The parent then
 * says which trial it was. */
#include "tests/attack/attack.h"

#include "tests/support/files.h"

#include <malloc.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A trial takes milliseconds. This is processor time: a trial that sleeps for ever is left to ctest. */
enum { TRIAL_SECONDS = 60, POLL_US = 20000 };
static const size_t MEMORY_MAX = (size_t)256 << 20;

static const attack *const attack_all[] = {&attack_edge_files, &attack_maps, &attack_requests};

/* Shared by parent and child. */
typedef struct attack_state {
    atomic_uint_least64_t trial;
    atomic_bool is_done;
} attack_state;

/* ---- checks ---- */

static atomic_size_t live_bytes, live_blocks;
static atomic_bool is_too_large;

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    void *const memory = malloc(bytes);
    if (!memory) return NULL;
    const size_t usable = malloc_usable_size(memory);
    ++live_blocks;
    if (atomic_fetch_add(&live_bytes, usable) + usable > MEMORY_MAX) is_too_large = true;
    return memory;
}

static void release(void *context, void *memory)
{
    (void)context;
    if (!memory) return;
    atomic_fetch_sub(&live_bytes, malloc_usable_size(memory));
    --live_blocks;
    free(memory);
}

void attack_require(bool holds, const char *claim)
{
    if (holds) return;
    fprintf(stderr, "attack: %s\n", claim);
    abort();
}

bool attack_worked(macadam_status status, macadam_error *error)
{
    attack_require((status == MACADAM_OK) == (error->message[0] == '\0'),
                   "a failure without a message, or a message without a failure");
    attack_require(!strchr(error->message, '\n'), "a message of several lines");
    attack_require(status != MACADAM_E_MEMORY, "memory ran out");
    error->message[0] = '\0';
    return status == MACADAM_OK;
}

/* ---- the child ---- */

static void try_one(const attack *chosen, uint64_t seed, uint64_t trial)
{
    test_rng rng = {rng_mix(seed) + trial};
    const size_t before = live_blocks;
    chosen->trial(&rng);
    attack_require(!is_too_large, "more than 256 MB");
    attack_require(chosen->keeps || live_blocks == before, "blocks are left");
}

static void try_all(const attack *chosen, const char *folder, uint64_t seed, uint64_t first, double seconds,
                    attack_state *state)
{
    static const macadam_allocator hook = {allocate, release, NULL};
    const time_t end = time(NULL) + (time_t)seconds;
    macadam_allocator_set(&hook);
    chosen->begin(folder);
    state->trial = first;
    do {
        try_one(chosen, seed, state->trial);
        ++state->trial;
    } while (seconds > 0 && time(NULL) < end);
    state->is_done = true;
}

/* ---- the parent ---- */

static double processor_seconds(pid_t child)
{
    clockid_t clock;
    struct timespec used = {0, 0};
    if (clock_getcpuclockid(child, &clock) == 0) clock_gettime(clock, &used);
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

/* Kills the child if one trial takes too long. Returns its exit status. */
static int watch(pid_t child, const attack_state *state)
{
    uint64_t trial = UINT64_MAX;
    double begun = 0;
    int status;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (state->trial != trial) {
            trial = state->trial;
            begun = processor_seconds(child);
        }
        if (processor_seconds(child) - begun > TRIAL_SECONDS) {
            fprintf(stderr, "attack: a trial takes more than %d s\n", TRIAL_SECONDS);
            kill(child, SIGKILL);
        }
        usleep(POLL_US);
    }
    return status;
}

static int run(const attack *chosen, double seconds, uint64_t seed, uint64_t first)
{
    char folder[FILES_PATH_BYTES];
    attack_state *const state =
        mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (state == MAP_FAILED) return 2;
    files_new_folder(folder);
    const pid_t child = fork();
    if (child < 0) return 2;
    if (child == 0) {
        try_all(chosen, folder, seed, first, seconds, state);
        exit(0);
    }
    const int status = watch(child, state);
    const bool is_well = WIFEXITED(status) && WEXITSTATUS(status) == 0 && state->is_done;
    files_remove_folder(folder);
    printf("attack %s, seed %llu: %llu trials\n", chosen->name, (unsigned long long)seed,
           (unsigned long long)(state->trial - first));
    if (is_well) return 0;
    fprintf(stderr, "attack: status %#x; again with: attack %s 0 %llu %llu\n", (unsigned)status, chosen->name,
            (unsigned long long)seed, (unsigned long long)state->trial);
    return 1;
}

int main(int argument_count, char **argument)
{
    if (argument_count > 2 && strcmp(argument[1], "import-arrays") == 0)
        return attack_import_arrays(argument[2], argument_count > 3);
    const double seconds = argument_count > 2 ? strtod(argument[2], NULL) : 0;
    const uint64_t seed = argument_count > 3 ? strtoull(argument[3], NULL, 10) : 1;
    const uint64_t trial = argument_count > 4 ? strtoull(argument[4], NULL, 10) : 0;
    for (size_t i = 0; argument_count > 2 && i < sizeof attack_all / sizeof *attack_all; ++i)
        if (strcmp(argument[1], attack_all[i]->name) == 0) return run(attack_all[i], seconds, seed, trial);
    fprintf(stderr, "usage: attack edge-files|maps|requests SECONDS [SEED [TRIAL]]\n");
    return 2;
}
