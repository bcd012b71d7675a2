/* emulated_module.c - see emulated_module.h. */
#include "tests/support/emulated_module.h"

#include "engine/base/system/platform.h"
#include "tests/support/fixture.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define MODULE_VARIABLE "MACADAM_CUDA_MODULE"

void emulated_module_install(void)
{
    const char *const given = getenv("MACADAM_TEST_MODULE");
    cr_assert_eq(setenv(MODULE_VARIABLE, given ? given : EMULATED_MODULE, 1), 0);
    /* On another machine they may be elsewhere: then they come with the module. */
    cr_assert_eq(setenv("MACADAM_RATES", RATES_OF_DEVICE, given == NULL), 0);
}

macadam_engine *emulated_module_open(const char *path, const char *device, unsigned threads)
{
    const macadam_engine_options options = {.size = sizeof options, .device = device, .threads = threads};
    macadam_engine *engine;
    macadam_error error;
    fixture_expect_ok(macadam_engine_open(&engine, path, &options, &error), &error, device);
    return engine;
}

void emulated_module_expect_nothing_left(void)
{
    cr_assert_eq(cuda_emulator_live_allocations(), 0, "%zu allocations are left",
                 cuda_emulator_live_allocations());
    cr_assert_eq(cuda_emulator_live_handles(), 0, "%zu handles are left", cuda_emulator_live_handles());
}

/* ---- the controls, in the module ---- */

typedef void (*set_number)(size_t number);
typedef void (*set_loss)(size_t nth, cuda_emulator_loss loss);
typedef void (*set_flag)(int flag);
typedef void (*act)(void);
typedef size_t (*get_count)(void);
typedef int (*get_flag)(void);

/* Leaves the function of that name in *function. */
static void find_control(const char *name, void *function, size_t bytes)
{
    void *const symbol = mcd_platform_module_symbol("macadam_cuda", MODULE_VARIABLE, name, NULL);
    cr_assert(symbol, "the module has no %s", name);
    memcpy(function, &symbol, bytes); /* ISO C knows no other way from data to functions */
}

#define CONTROL(type, name)                                                                                  \
    type name;                                                                                               \
    find_control(__func__, &name, sizeof name)

void cuda_emulator_fail_allocation(size_t nth)
{
    CONTROL(set_number, control);
    control(nth);
}

void cuda_emulator_lose_device(size_t nth, cuda_emulator_loss loss)
{
    CONTROL(set_loss, control);
    control(nth, loss);
}

int cuda_emulator_has_failed(void)
{
    CONTROL(get_flag, control);
    return control();
}

void cuda_emulator_set_memory(size_t bytes)
{
    CONTROL(set_number, control);
    control(bytes);
}

void cuda_emulator_set_reversed(int reversed)
{
    CONTROL(set_flag, control);
    control(reversed);
}

size_t cuda_emulator_call_count(void)
{
    CONTROL(get_count, control);
    return control();
}

size_t cuda_emulator_live_allocations(void)
{
    CONTROL(get_count, control);
    return control();
}

size_t cuda_emulator_live_handles(void)
{
    CONTROL(get_count, control);
    return control();
}

void cuda_emulator_reset(void)
{
    CONTROL(act, control);
    control();
}
