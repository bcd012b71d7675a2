/* control_group.c - see control_group.h.
 *
 * /proc/self/cgroup has a line "NUMBER:CONTROLLERS:PATH" for each group of this process. Version 2 has one
 * group without controllers. A group's limit holds for all groups below it, so every folder from PATH up is
 * read. In a container, PATH may be the host's name for the group; then only the topmost folder exists, and
 * it belongs to the container. */
#include "engine/base/system/control_group.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 2048 };

/* Reads up to two numbers from a file; returns how many. */
static int read_numbers(const char *folder, const char *name, long long number[2])
{
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return 0;
    FILE *const file = fopen(path, "re");
    if (!file) return 0;
    const int count = fscanf(file, "%lld %lld", &number[0], &number[1]);
    fclose(file);
    return count > 0 ? count : 0;
}

/* The limit of one folder. A quota that is not a positive number ("max", -1) is none. */
static unsigned processors_of(const char *folder, bool is_second_version)
{
    long long quota[2], period[2];
    if (is_second_version) {
        if (read_numbers(folder, "cpu.max", quota) != 2) return UINT_MAX;
        period[0] = quota[1];
    } else if (!read_numbers(folder, "cpu.cfs_quota_us", quota) ||
               !read_numbers(folder, "cpu.cfs_period_us", period)) {
        return UINT_MAX;
    }
    if (quota[0] <= 0 || period[0] <= 0) return UINT_MAX;
    const long long count = quota[0] / period[0] + (quota[0] % period[0] > 0);
    return count < UINT_MAX ? (unsigned)count : UINT_MAX;
}

/* The least limit of a folder and those above it, up to its first `top` characters. */
static unsigned processors_up_from(char *folder, size_t top, bool is_second_version)
{
    unsigned least = UINT_MAX;
    for (;;) {
        const unsigned limit = processors_of(folder, is_second_version);
        if (limit < least) least = limit;
        char *const slash = strrchr(folder + top, '/');
        if (!slash) return least;
        *slash = '\0';
    }
}

/* Returns whether "cpu" is among names that commas separate. */
static bool has_cpu(const char *names)
{
    for (const char *at = names; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        if (strncmp(at, "cpu", 3) == 0 && (at[3] == ',' || !at[3])) return true;
    return false;
}

static unsigned processors_of_line(const char *root, char *line)
{
    char folder[PATH_BYTES];
    line[strcspn(line, "\n")] = '\0';
    char *const names = strchr(line, ':');
    char *const path = names ? strchr(names + 1, ':') : NULL;
    if (!path) return UINT_MAX;
    *path = '\0';
    const bool is_second_version = !names[1];
    if (!is_second_version && !has_cpu(names + 1)) return UINT_MAX;
    const int top =
        snprintf(folder, sizeof folder, "%s/sys/fs/cgroup%s", root, is_second_version ? "" : "/cpu");
    const int rest = snprintf(folder + top, sizeof folder - (size_t)top, "%s", path + 1);
    if (top + rest >= (int)sizeof folder) return UINT_MAX;
    return processors_up_from(folder, (size_t)top, is_second_version);
}

unsigned mcd_control_group_processors(const char *root)
{
    char path[PATH_BYTES], line[LINE_BYTES];
    unsigned least = UINT_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *const file = fopen(path, "re");
    if (!file) return UINT_MAX;
    while (fgets(line, sizeof line, file)) {
        const unsigned limit = processors_of_line(root, line);
        if (limit < least) least = limit;
    }
    fclose(file);
    return least > 0 ? least : 1;
}
