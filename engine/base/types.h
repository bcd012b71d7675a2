/* types.h - the numeric types that all modules share: nodes, arcs, weights, and the sums of joint costs. A
 * leaf. */
#ifndef MCD_ENGINE_BASE_TYPES_H
#define MCD_ENGINE_BASE_TYPES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t mcd_node;   /* a node inside the file: a preorder of the elimination tree */
typedef uint64_t mcd_arc;    /* an index of an arc array */
typedef uint32_t mcd_weight; /* one quantity of one arc or path */

#define MCD_NODE_NONE UINT32_C(0xffffffff)
static_assert(MCD_NODE_NONE == UINT32_MAX, "no map has 2^32 - 1 nodes: counts are below it");

#define MCD_ARC_NONE UINT64_C(0xffffffffffffffff)

#define MCD_UNREACHED UINT32_C(0x7fffffff)
static_assert(MCD_UNREACHED <= UINT32_MAX - MCD_UNREACHED, "UNREACHED + UNREACHED must not wrap");
#define MCD_WEIGHT_MAX (MCD_UNREACHED - 1)

#define MCD_POTENTIAL_MAX 0x3fffffff
static_assert(2 * (int64_t)MCD_POTENTIAL_MAX * (INT64_C(1) << 32) < INT64_MAX - (INT64_C(1) << 32),
              "a rise times 2^32ths of an arc must fit");

/* A metric with a companion adds joint costs: the objective in the high half, the companion in the low half.
 * Each half saturates at MCD_UNREACHED, so that no carry leaves the companion and sums compare
 * lexicographically. A path whose objective or companion is saturated is reported as unreached. */
typedef uint64_t mcd_joint;
#define MCD_JOINT_UNREACHED ((mcd_joint)MCD_UNREACHED << 32 | MCD_UNREACHED)

static inline mcd_weight mcd_weight_add(mcd_weight a, mcd_weight b)
{
    const mcd_weight sum = a + b;
    return sum < MCD_UNREACHED ? sum : MCD_UNREACHED;
}

static inline mcd_joint mcd_joint_of(mcd_weight objective, mcd_weight companion)
{
    return (mcd_joint)objective << 32 | companion;
}

static inline mcd_weight mcd_joint_objective(mcd_joint pair)
{
    return (mcd_weight)(pair >> 32);
}

static inline mcd_weight mcd_joint_companion(mcd_joint pair)
{
    return (mcd_weight)pair;
}

static inline mcd_joint mcd_joint_add(mcd_joint a, mcd_joint b)
{
    const mcd_joint sum = a + b;                                /* no carry: both low halves are below 2^31 */
    const mcd_joint over = sum & UINT64_C(0x8000000080000000);  /* the halves that are 2^31 or more ... */
    return (sum | (over - (over >> 31))) & MCD_JOINT_UNREACHED; /* ... become MCD_UNREACHED */
}

static inline size_t mcd_size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t mcd_size_max(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Defines a function that returns the first index low <= i < high of ascending elements that is not below `value`;
 * `high` if there is none. `is_below`: whether element[0] is below it. */
#define MCD_DEFINE_LOWER_BOUND_BY(name, type, value_type, is_below)                                          \
    static inline size_t name(const type *ascending, size_t low, size_t high, value_type value)              \
    {                                                                                                        \
        while (low < high) {                                                                                 \
            const size_t middle = low + (high - low) / 2;                                                    \
            const type *const element = ascending + middle;                                                  \
            if (is_below)                                                                                    \
                low = middle + 1;                                                                            \
            else                                                                                             \
                high = middle;                                                                               \
        }                                                                                                    \
        return low;                                                                                          \
    }
/* Likewise by a member; an empty one: the elements are the values. */
#define MCD_DEFINE_LOWER_BOUND(name, type, member, value_type)                                               \
    MCD_DEFINE_LOWER_BOUND_BY(name, type, value_type, element[0] member < value)
MCD_DEFINE_LOWER_BOUND(mcd_lower_bound, int64_t, , int64_t)
MCD_DEFINE_LOWER_BOUND(mcd_lower_bound_u32, uint32_t, , uint32_t)
MCD_DEFINE_LOWER_BOUND(mcd_lower_bound_u64, uint64_t, , uint64_t)

/* Defines a function for qsort and mcd_sort that orders elements by `member`; an empty one: the elements are numbers. */
#define MCD_DEFINE_COMPARE(name, type, member)                                                               \
    static int name(const void *a, const void *b)                                                            \
    {                                                                                                        \
        const type *const x = (const type *)a, *const y = (const type *)b;                                   \
        return (x[0] member > y[0] member) - (x[0] member < y[0] member);                                    \
    }

#endif
