/* spans.c - the input arcs of kept arcs, stored.
 *
 * Method. A kept arc's span is its first child's span, then its second child's. Both children have their
 * lower end below the arc's own, so going from the bottom up, each span is copied together from spans that
 * are there. First the spans are measured, so that each part of the tree knows where its spans begin; then
 * they are written.
 * Layout. The spans of a subtree lie together, deeper nodes first.
 * Races. None: a part reads and writes its own subtrees; the nodes above them come last, in one part. */
#include "kernels/cpu/device/cpu.h"

#include "engine/base/watch.h"

enum {
    ARCS_MAX = 32, /* arcs of a span. On New York and NE, 64 take a third more memory and make paths at most a
                    * twentieth cheaper; 16 save a quarter and make those of NE a twentieth dearer */
    SUBTREES_PER_PART = 16,
};

typedef struct spans_run {
    const mcd_weights *weights;
    uint64_t *span[2];
    uint32_t *arc;
    size_t part_count;   /* the last part has the nodes above the bottom subtrees */
    uint64_t *part_next; /* [part_count]: the place of a part's next span */
} spans_run;

/* Measures or writes the spans of the arcs whose lower end is x. The first goes to `next`. Returns the
 * place after the last. */
typedef uint64_t (*visit_node)(const spans_run *run, mcd_node x, uint64_t next);

static uint64_t measure_node(const spans_run *run, mcd_node x, uint64_t next)
{
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *search = &run->weights->search[direction];
        for (mcd_arc i = search->first[x], end = search->first[x + 1]; i < end; ++i) {
            const mcd_children children = mcd_children_of(search->children[i]);
            uint32_t count = 1;
            if (children.first != MCD_CHILD_NONE) {
                const uint32_t first = mcd_span_count(run->span[MCD_BACKWARD][children.first]),
                               second = mcd_span_count(run->span[MCD_FORWARD][children.second]);
                count = first > 0 && second > 0 && first + second <= ARCS_MAX ? first + second : 0;
            }
            run->span[direction][i] = mcd_span_pack(0, count);
            next += count;
        }
    }
    return next;
}

static uint32_t *append(uint32_t *to, const spans_run *run, uint64_t span)
{
    const uint32_t count = mcd_span_count(span);
    memcpy(to, run->arc + mcd_span_first(span), count * sizeof *to);
    return to + count;
}

static uint64_t write_node(const spans_run *run, mcd_node x, uint64_t next)
{
    for (int direction = 0; direction < 2; ++direction) {
        const mcd_search *search = &run->weights->search[direction];
        for (mcd_arc i = search->first[x], end = search->first[x + 1]; i < end; ++i) {
            const mcd_children children = mcd_children_of(search->children[i]);
            const uint32_t count = mcd_span_count(run->span[direction][i]);
            uint32_t *const arc = run->arc + next;
            run->span[direction][i] = mcd_span_pack(next, count);
            next += count;
            if (count == 1)
                *arc = children.second;
            else if (count > 0)
                append(append(arc, run, run->span[MCD_BACKWARD][children.first]), run,
                       run->span[MCD_FORWARD][children.second]);
        }
    }
    return next;
}

/* Visits the part's nodes from the bottom up. */
static void visit_part(const spans_run *run, size_t part, visit_node visit)
{
    const mcd_hierarchy *hierarchy = run->weights->hierarchy;
    const bool above = part + 1 == run->part_count;
    const size_t first = above ? 0 : part * SUBTREES_PER_PART;
    size_t b =
        above ? hierarchy->bottom_count : mcd_size_min(first + SUBTREES_PER_PART, hierarchy->bottom_count);
    uint64_t next = run->part_next[part];
    mcd_node x = hierarchy->node_count; /* the visits are of nodes before it */
    for (; b-- > first;) {
        const mcd_node root = hierarchy->bottom_root[b], end = hierarchy->subtree_end[root];
        if (above)
            while (x > end) next = visit(run, --x, next);
        else
            for (x = end; x > root;) next = visit(run, --x, next);
        x = root;
    }
    if (above)
        while (x > 0) next = visit(run, --x, next);
    run->part_next[part] = next;
}

static void measure_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    visit_part(argument, part, measure_node);
}

static void write_part(void *argument, size_t part, MCD_UNUSED unsigned worker)
{
    visit_part(argument, part, write_node);
}

static macadam_status fill(spans_run *run, const mcd_parallel *parallel, macadam_error *error)
{
    const size_t last = run->part_count - 1;
    MCD_TRY(mcd_watch_for(NULL, parallel, last, measure_part, run, error));
    visit_part(run, last, measure_node);
    uint64_t total = 0;
    for (size_t part = 0; part <= last; ++part) {
        const uint64_t count = run->part_next[part];
        run->part_next[part] = total;
        total += count;
    }
    MCD_TRY(MCD_NEW(run->arc, total, error));
    MCD_TRY(mcd_watch_for(NULL, parallel, last, write_part, run, error));
    visit_part(run, last, write_node);
    return MACADAM_OK;
}

macadam_status mcd_cpu_spans_new(mcd_spans **out, const mcd_weights *weights, const mcd_parallel *parallel,
                                 macadam_error *error)
{
    const mcd_hierarchy *hierarchy = weights->hierarchy;
    spans_run run = {.weights = weights,
                     .part_count = (hierarchy->bottom_count + SUBTREES_PER_PART - 1) / SUBTREES_PER_PART + 1};
    mcd_spans *spans;
    *out = NULL;
    MCD_TRY(MCD_NEW_ZEROED(spans, 1, error));
    macadam_status status = MCD_NEW_ZEROED(run.part_next, run.part_count, error);
    for (int direction = 0; direction < 2 && !status; ++direction)
        status = MCD_NEW(run.span[direction], weights->search[direction].first[hierarchy->node_count], error);
    if (!status) status = fill(&run, parallel, error);
    mcd_free(run.part_next);
    *spans = (mcd_spans){.span = {run.span[0], run.span[1]}, .arc = run.arc};
    if (status)
        mcd_spans_free(spans);
    else
        *out = spans;
    return status;
}
