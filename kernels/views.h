/* views.h - the data that kernels work on: graph, hierarchy, weights, lanes. Somebody else owns the arrays.
 */
#ifndef MCD_KERNELS_VIEWS_H
#define MCD_KERNELS_VIEWS_H

#include "engine/base/status.h"
#include "engine/base/types.h"

/* The input arcs over the file's node ids: CSR by tail, and the reverse CSR by head. */
typedef struct mcd_graph {
    mcd_node node_count;
    uint32_t arc_count;
    const mcd_arc *first_out; /* [node_count + 1] */
    const mcd_node *head;     /* [arc_count], ascending for each tail; parallel arcs in the source's order */
    const mcd_arc *first_in;  /* [node_count + 1] */
    const mcd_node *tail;     /* [arc_count], ascending for each head */
    const uint32_t *in_arc;   /* [arc_count]: where a reverse entry's arc stands in the CSR */
} mcd_graph;

/* The first arc of `tail` whose head is not below `head`. If there are arcs from `tail` to `head`, they begin
 * here. */
static inline mcd_arc mcd_graph_first_arc(const mcd_graph *graph, mcd_node tail, mcd_node head)
{
    return mcd_lower_bound_u32(graph->head, graph->first_out[tail], graph->first_out[tail + 1], head);
}

/* The elimination tree and the upward arcs of the chordal supergraph (engine/map/hierarchy.h says how they
 * are made). */
typedef struct mcd_hierarchy {
    mcd_node node_count;
    mcd_node height;             /* nodes on the longest path to a root; 0 without nodes */
    const mcd_node *parent;      /* [node_count], MCD_NODE_NONE for roots */
    const uint32_t *depth;       /* [node_count], 0 for roots */
    const uint32_t *level;       /* [node_count], 0 for leaves, else one above the highest child */
    const mcd_node *subtree_end; /* [node_count]: the subtree of v is the ids v <= id < subtree_end[v] */
    const mcd_arc *first_up;     /* [node_count + 1] */
    const mcd_node *up_head;     /* ascending for each node; the last is its parent */
    const uint32_t *up_depth;    /* the depth of each upward arc's head; NULL on a device */
    mcd_node supernode_count, bottom_count;
    const mcd_node *supernode_first; /* [supernode_count + 1] */
    const mcd_node *bottom_root;     /* [bottom_count] ascending: the roots of the bottom subtrees */
} mcd_hierarchy;

/* Whether `node` is `ancestor` or below it. */
static inline bool mcd_hierarchy_is_below(const mcd_hierarchy *hierarchy, mcd_node node, mcd_node ancestor)
{
    return ancestor <= node && node < hierarchy->subtree_end[ancestor];
}

/* Forward: along the arcs, from sources; an upward arc of x is x -> head. Backward: against the arcs, from
 * targets; it is head -> x. */
typedef enum mcd_direction { MCD_FORWARD = 0, MCD_BACKWARD = 1 } mcd_direction;

/* The kept arcs of one direction, in CSR by their lower ends. A kept arc is a shortest path between its ends. Over basic
 * weights: all upward arcs, some of them unreached. */
typedef struct mcd_search {
    const mcd_arc *first;        /* [node_count + 1] */
    const mcd_node *head;        /* the upper end, ascending for each lower end */
    const uint32_t *depth;       /* of the upper end */
    const mcd_weight *objective; /* of a kept arc below MCD_UNREACHED */
    const mcd_weight *companion; /* NULL without a companion */
    const uint64_t *children;    /* what it stands for: mcd_children_of; NULL until paths are requested */
} mcd_search;

/* A kept arc is either an input arc, or the two kept arcs over the bottom node of a lower triangle of the
 * same weight: tail -> bottom, which is backward, and bottom -> head, which is forward. Packed, so that
 * unpacking fetches one word. */
typedef struct mcd_children {
    uint32_t first,
        second; /* indices of a backward and a forward kept arc; or MCD_CHILD_NONE and an input arc */
} mcd_children;

#define MCD_CHILD_NONE UINT32_MAX /* no kept arc's index: there are fewer */

#ifdef __CUDACC__
#define MCD_INLINE __host__ __device__ static inline
#else
#define MCD_INLINE static inline
#endif

MCD_INLINE uint64_t mcd_children_pack(uint32_t first, uint32_t second)
{
    return (uint64_t)second << 32 | first;
}

MCD_INLINE mcd_children mcd_children_of(uint64_t packed)
{
    return (mcd_children){(uint32_t)packed, (uint32_t)(packed >> 32)};
}

/* Stored labels of the top nodes: the nodes whose subtrees are largest. An ancestor of a top node is a top
 * node. */
typedef struct mcd_top_labels {
    const uint32_t *line; /* [node_count]: where a top node's labels begin; MCD_LINE_NONE: not a top node */
    const mcd_weight *label[2]; /* by mcd_direction: [line * 16 + depth], the least objective over upward arcs
                                   between the top node and its ancestor there; up to a multiple of 16 */
} mcd_top_labels;

#define MCD_LINE_NONE UINT32_MAX

/* The stored input arcs of kept arcs, for kept arcs that stand for few of them. */
typedef struct mcd_spans {
    const uint64_t *span[2]; /* by mcd_direction: of each kept arc, in one word */
    const uint32_t *arc;     /* the input arcs of all spans */
} mcd_spans;

/* The span is arc[first <= i < first + count]; count = 0: nothing is stored for this kept arc. */
static inline uint64_t mcd_span_pack(uint64_t first, uint32_t count)
{
    return first << 8 | count;
}

static inline uint64_t mcd_span_first(uint64_t span)
{
    return span >> 8;
}

static inline uint32_t mcd_span_count(uint64_t span)
{
    return span & 0xff;
}

/* A metric's weights on the hierarchy. */
typedef struct mcd_weights {
    const mcd_hierarchy *hierarchy;
    const mcd_graph *graph;
    const mcd_weight *objective,
        *companion; /* per input arc, MCD_UNREACHED = closed; companion may be NULL */
    bool has_zero;  /* some open arc's objective is 0: paths may need simplifying */
    bool
        checks_paths; /* the children are a file's and were not checked: without spans, unpacking checks each path */
    /* Before children are followed, checks them; before all nodes are searched, `children` is NULL, and it checks all
     * kept arcs. NULL: none of this is needed. */
    macadam_status (*check_read)(void *context, const uint64_t *children, macadam_error *error);
    void *check_context;
    mcd_search search[2];              /* by mcd_direction */
    struct mcd_device_weights *device; /* the copy on the computing device; NULL: none (backend.h) */
    const mcd_top_labels *top_labels;  /* NULL: none */
    bool is_basic; /* search[] has all upward arcs, with their basic weights: kernels/basic.h */
} mcd_weights;

/* An arc that is closed for one quantity of a metric is closed for the metric. */
static inline bool mcd_arc_is_open(const mcd_weights *weights, uint32_t arc)
{
    return weights->objective[arc] < MCD_UNREACHED &&
           (!weights->companion || weights->companion[arc] < MCD_UNREACHED);
}

/* The input arcs with a metric's weights, for methods that need no hierarchy. Arrays that no job needed so
 * far are NULL; jobs say what they need. */
typedef struct mcd_arcs {
    const mcd_graph *graph;
    /* By mcd_direction, [arc_count] each: weights in the order in which a search in this direction leaves
     * nodes, which is that of the CSR (forward) or of the reverse CSR (backward). A closed arc has
     * MCD_UNREACHED in both. */
    const mcd_weight *objective[2], *companion[2];
    bool has_zero;             /* some open arc's objective is 0 */
    mcd_weight objective_mean; /* of the open arcs, rounded up; at least 1 */
    /* Each couple of neighbours (an unordered pair) once, sorted by locality (engine/map/graph.h): high >
     * low, and the least weight of their open arcs high -> low and low -> high, the least companion among
     * equal objectives. */
    size_t couple_count;
    const mcd_node *couple_high, *couple_low;              /* [couple_count] */
    const mcd_weight *couple_up, *couple_up_companion;     /* [couple_count]: high -> low */
    const mcd_weight *couple_down, *couple_down_companion; /* [couple_count]: low -> high */
    struct mcd_device_arcs *device; /* the copy on the computing device; NULL: none (backend.h) */
} mcd_arcs;

/* The input arcs as a search with a clock reads them: one record an arc. */
typedef struct mcd_clock_arc {
    mcd_node end;     /* forward: the head; backward: the tail */
    mcd_weight own;   /* ms at the week's fastest speed, MCD_UNREACHED = closed */
    mcd_weight price; /* ms paid before the arc, whatever the time; below MCD_UNREACHED */
    uint32_t pattern; /* 0: `own` at all times */
} mcd_clock_arc;

/* Speed patterns: rate[(pattern - 1) * slot_count + slot] is a speed in 1/255 of the week's fastest. kernels/clock.h has
 * the rule. */
typedef struct mcd_patterns {
    const uint8_t *rate;
    uint32_t pattern_count;
    uint32_t slot_count; /* slots of a week, of equal whole milliseconds; each takes 1 s to 280 min */
} mcd_patterns;

/* The input arcs with patterns, for searches whose clock moves along the way. */
typedef struct mcd_clock_arcs {
    const mcd_graph *graph;
    /* By mcd_direction, [arc_count] each, in the order of the CSR (forward) or of the reverse CSR (backward). Jobs need
     * their own direction. */
    const mcd_clock_arc *arc[2];
    const mcd_weight *companion[2]; /* in the same orders, both together; NULL: none */
    mcd_weight own_mean;            /* of the open arcs, rounded up; at least 1 */
    mcd_patterns patterns;
    struct mcd_device_clock *device; /* the copy on the computing device; NULL: none (backend.h) */
} mcd_clock_arcs;

/* Where a lane starts (or ends): at one node, or at several distinct nodes on one root path, so that the
 * label is one array. The deepest node comes first. If there is room after the last one, MCD_NODE_NONE
 * follows. seed[0].node = MCD_NODE_NONE: the place failed, and nothing is reached. */
enum { MCD_SEEDS_MAX = 6 }; /* 94 % of the roads of a city need no more on one root path */

typedef struct mcd_seed {
    mcd_node node;
    mcd_weight objective, companion;
} mcd_seed;

typedef struct mcd_lane {
    mcd_seed seed[MCD_SEEDS_MAX];
} mcd_lane;

/* A seed of a place within a road, whatever the weights: its cost is that of the part of an arc that is not before the place; to
 * arrive, of the part before it, along the copy of the arc that leaves `node`. */
typedef struct mcd_seed_part {
    uint64_t before; /* 2^-32ths of the arc */
    mcd_node node;
    uint32_t arc, copy;
} mcd_seed_part;

/* The lane that starts at one node, at cost 0. */
static inline mcd_lane mcd_lane_of(mcd_node node)
{
    return (mcd_lane){{{node, 0, 0}, {MCD_NODE_NONE, 0, 0}}};
}

#define MCD_SUBNETWORK_NONE UINT32_MAX /* of a place that is not cut off */

/* Places with two positions (engine/query/places/subnetwork.h). Place i has the lanes of its second one from inner[i] on, which
 * is counted as its first lane is. These decide about nodes of its subnetwork, and its other lanes about all other nodes. */
typedef struct mcd_cut_off {
    const size_t *inner;        /* [place_count]; NULL: no place has two positions */
    const uint32_t *subnetwork; /* [place_count] of a place that is cut off, or MCD_SUBNETWORK_NONE */
    /* To which subnetworks nodes belong: [node_count]. A node arrive[i] that is not depart[i] belongs to those of all nodes from
     * which arcs lead to it. */
    const uint32_t *component;
    const mcd_node *depart, *arrive; /* [id_count] */
    size_t id_count;
} mcd_cut_off;

/* Returns the places from number `first` on. */
static inline mcd_cut_off mcd_cut_off_from(mcd_cut_off of, size_t first)
{
    if (of.inner) of.inner += first, of.subnetwork += first;
    return of;
}

static inline uint32_t mcd_lane_seed_count(const mcd_lane *lane)
{
    uint32_t count = 0;
    while (count < MCD_SEEDS_MAX && lane->seed[count].node != MCD_NODE_NONE) ++count;
    return count;
}

#endif
