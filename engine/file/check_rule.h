/* check_rule.h - how checks run; only for check*.c.
 *
 * A rule looks at one index; a scan runs a rule, or a loop that the compiler turns into vector code, over
 * a range and returns the first index that breaks it. Ranges are dealt out to threads; the lowest bad
 * index wins, and the rule is applied once more to say what is wrong with it. */
#ifndef MCD_ENGINE_FILE_CHECK_RULE_H
#define MCD_ENGINE_FILE_CHECK_RULE_H

#include "engine/file/check.h"

/* What a rule has against an element. */
typedef struct mcd_finding {
    const char *section; /* after the prefix, if there is one */
    size_t index;
    uint64_t value; /* negative ones as two's complement if is_signed */
    bool is_signed;
    const char *why;
} mcd_finding;

typedef size_t (*mcd_scan)(const void *argument, size_t first, size_t last);    /* `last`: nothing is wrong */
typedef bool (*mcd_rule)(const void *argument, size_t index, mcd_finding *out); /* true: broken */

/* For rules: fills *out and returns true. */
static inline bool mcd_broken(mcd_finding *out, const char *section, size_t index, uint64_t value,
                              const char *why)
{
    *out = (mcd_finding){section, index, value, false, why};
    return true;
}

/* The scan of a rule, for the rule to be inlined in. */
#define MCD_SCAN_OF(rule_name)                                                                               \
    static size_t rule_name##_scan(const void *argument, size_t first, size_t last)                          \
    {                                                                                                        \
        mcd_finding ignored;                                                                                 \
        while (first < last && !rule_name(argument, first, &ignored)) ++first;                               \
        return first;                                                                                        \
    }

/* The lowest index below `count` that the scan objects to, else `count`. */
size_t mcd_check_scan(const mcd_check *check, mcd_scan scan, const void *argument, size_t count);
/* The same in so many parts: for few indices of much work each. */
size_t mcd_check_parts(const mcd_check *check, mcd_scan scan, const void *argument, size_t count,
                       size_t part_count);

/* E_FILE with the finding as its message; `prefix` begins the section's name. */
macadam_status mcd_check_fail(const mcd_check *check, const char *prefix, const mcd_finding *found);

/* MACADAM_OK if no index below `count` breaks the rule. */
macadam_status mcd_check_rule(const mcd_check *check, const char *prefix, mcd_rule rule, mcd_scan scan,
                              const void *argument, size_t count);
#define MCD_CHECK_RULE(check, prefix, rule_name, argument, count)                                            \
    mcd_check_rule((check), (prefix), rule_name, rule_name##_scan, (argument), (count))

/* value[i] < end, else `why`. */
macadam_status mcd_check_limit(const mcd_check *check, const char *prefix, const char *section,
                               const uint32_t *value, size_t count, uint32_t end, const char *why);

#endif
