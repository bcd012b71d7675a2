/* output.c - checks of a file that is to be written. */
#include "engine/base/system/platform.h"

macadam_status macadam_output_check(const char *output, const char *const *input, size_t input_count,
                                    macadam_error *error)
{
    for (size_t i = 0; output && input && i < input_count; ++i)
        if (input[i] && mcd_platform_is_same(output, input[i]))
            return mcd_fail_invalid(error, "the output '%s' is the same file as the input '%s'", output,
                                    input[i]);
    return MACADAM_OK;
}
