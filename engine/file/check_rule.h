/* check_rule.h - how checks and comparisons run; only for this folder.
 *
 * A rule looks at one index. A scan runs a rule, or a loop that the compiler turns into vector code, over a
 * range and returns the first index that breaks the rule. Threads share the ranges. The lowest bad index
 * wins, and the rule is applied to it once more to describe the error. */
#ifndef MCD_ENGINE_FILE_CHECK_RULE_H
#define MCD_ENGINE_FILE_CHECK_RULE_H

#include "engine/file/check.h"
#include "engine/base/watch.h"

/* The error that a rule finds in an element. */
typedef struct mcd_finding {
    const char *section; /* after the prefix, if there is one */
    size_t index;
    uint64_t value; /* negative ones as two's complement if is_signed */
    bool is_signed;
    const char *why;
} mcd_finding;

typedef size_t (*mcd_scan)(const void *argument, size_t first, size_t last);    /* returns `last` if all are
                                                                                 * right */
typedef bool (*mcd_rule)(const void *argument, size_t index, mcd_finding *out); /* true: broken */

/* For rules: fills *out and returns true. */
static inline bool mcd_broken(mcd_finding *out, const char *section, size_t index, uint64_t value,
                              const char *why)
{
    *out = (mcd_finding){section, index, value, false, why};
    return true;
}

/* Defines the scan of a rule, so that the rule is inlined. */
#define MCD_SCAN_OF(rule_name)                                                                               \
    static size_t rule_name##_scan(const void *argument, size_t first, size_t last)                          \
    {                                                                                                        \
        mcd_finding ignored;                                                                                 \
        while (first < last && !rule_name(argument, first, &ignored)) ++first;                               \
        return first;                                                                                        \
    }

/* Returns the lowest index below `count` that the scan rejects, else `count`. */
size_t mcd_check_scan(mcd_check check, mcd_scan scan, const void *argument, size_t count);

/* After a scan that found nothing: returns MACADAM_OK, or E_CANCELLED if the thread's own watch said no, so that
 * the scan may have left out parts. */
macadam_status mcd_check_done(mcd_check check);

/* Fails with E_FILE and the finding as its message; `prefix` begins the section's name. */
macadam_status mcd_check_fail(mcd_check check, const char *prefix, const mcd_finding *found);

/* Returns MACADAM_OK if no index below `count` breaks the rule. */
macadam_status mcd_check_rule(mcd_check check, const char *prefix, mcd_rule rule, mcd_scan scan,
                              const void *argument, size_t count);
#define MCD_CHECK_RULE(check, prefix, rule_name, argument, count)                                            \
    mcd_check_rule((check), (prefix), rule_name, rule_name##_scan, (argument), (count))

/* Checks value[i] < end; `why` is the error. */
macadam_status mcd_check_limit(mcd_check check, const char *prefix, const char *section,
                               const uint32_t *value, size_t count, uint32_t end, const char *why);

#endif
