/* methods.h - the methods of a device, by number, for tests that go through all of them. */
#ifndef TESTS_SUPPORT_METHODS_H
#define TESTS_SUPPORT_METHODS_H

#include "engine/include/macadam.h"

#include <string.h>

/* Counts round: `number` may be any. */
static inline const char *method_at(macadam_engine *engine, macadam_question question, size_t number)
{
    macadam_info info = MACADAM_INFO_INIT;
    macadam_method method[16];
    size_t count;
    macadam_engine_info(&info, engine, NULL);
    macadam_methods(method, &count, 16, strncmp(info.device, "cuda", 4) == 0 ? "cuda" : "cpu", question,
                    NULL);
    return method[number % count].name;
}

static inline bool method_is(const char *method, const char *name)
{
    return strcmp(method, name) == 0;
}

#endif
