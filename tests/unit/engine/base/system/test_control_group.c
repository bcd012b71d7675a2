/* test_control_group.c - limits of processors, as containers and services set them. */
#include "engine/base/system/control_group.h"
#include "tests/support/files.h"

#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char root[FILES_PATH_BYTES];

/* Writes a file below the root, with its folders. */
static void put(const char *name, const char *text)
{
    char path[2 * FILES_PATH_BYTES];
    snprintf(path, sizeof path, "%s%s", root, name);
    for (char *slash = path + strlen(root); (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    files_write(path, text, strlen(text));
}

static void set_up(void)
{
    files_new_folder(root);
}

static void tear_down(void)
{
    files_remove_folder(root);
}

TestSuite(control_group, .init = set_up, .fini = tear_down);

Test(control_group, system_without_groups_has_no_limit)
{
    cr_expect_eq(mcd_control_group_processors(root), UINT_MAX);
    put("/proc/self/cgroup", "0::/\n");
    cr_expect_eq(mcd_control_group_processors(root), UINT_MAX);
}

Test(control_group, least_quota_of_all_folders_above_counts)
{
    put("/proc/self/cgroup", "0::/shop.slice/web.service\n");
    put("/sys/fs/cgroup/shop.slice/web.service/cpu.max", "max 100000\n");
    cr_expect_eq(mcd_control_group_processors(root), UINT_MAX);
    put("/sys/fs/cgroup/shop.slice/cpu.max", "250000 100000\n");
    cr_expect_eq(mcd_control_group_processors(root), 3, "2.5 processors");
    put("/sys/fs/cgroup/cpu.max", "200000 100000\n");
    cr_expect_eq(mcd_control_group_processors(root), 2);
    put("/sys/fs/cgroup/shop.slice/web.service/cpu.max", "50000 100000\n");
    cr_expect_eq(mcd_control_group_processors(root), 1, "half a processor");
}

/* A container sees its own group at the top, whatever the host calls it. */
Test(control_group, first_version_is_known)
{
    put("/proc/self/cgroup", "9:name=systemd:/\n4:cpuset:/far\n3:cpuacct,cpu:/docker/1234\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
    cr_expect_eq(mcd_control_group_processors(root), UINT_MAX);
    put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "400000\n");
    cr_expect_eq(mcd_control_group_processors(root), 4);
    put("/sys/fs/cgroup/cpu/docker/1234/cpu.cfs_quota_us", "100000\n");
    put("/sys/fs/cgroup/cpu/docker/1234/cpu.cfs_period_us", "50000\n");
    cr_expect_eq(mcd_control_group_processors(root), 2);
}

Test(control_group, words_are_not_a_limit)
{
    put("/proc/self/cgroup", "\n0:\n0::/a\nno line\n");
    static const char *const text[] = {"", "max", "200000", "0 100000", "100000 0", "-5 100000"};
    for (size_t i = 0; i < sizeof text / sizeof *text; ++i) {
        put("/sys/fs/cgroup/a/cpu.max", text[i]);
        cr_expect_eq(mcd_control_group_processors(root), UINT_MAX, "\"%s\"", text[i]);
    }
}
