/* import_real.c - imports the real graphs into edge files, once for all tests that read them (a CTest
 * fixture). */
#include "tests/support/real_map.h"

#include <stdio.h>

int main(void)
{
    for (int name = 0; name < REAL_MAPS; ++name) {
        char path[FILES_PATH_BYTES];
        if (!real_map_import((real_map_name)name)) return 0;
        real_map_path(path, (real_map_name)name);
        printf("imported %s\n", path);
    }
    return 0;
}
