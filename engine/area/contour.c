/* contour.c - see contour.h.
 *
 * Method. A point of the grid is inside if its distance is below the width. A ring crosses each edge of the
 * grid between a point that is inside and one that is not, once, where the distance between the two is
 * linearly the width. Within a cell it is straight. It has the inside on its left. Where only two opposite
 * corners of a cell are inside, they are connected. Rows are scanned from the south, each from the west. The
 * first crossing of a ring that is met enters the inside if the ring is an outer one, and leaves it if it is
 * a hole. The crossing before that of a hole, in its row, belongs to the same polygon.
 * Fewer points. A chord may replace points if it crosses the same edges of the grid, each near the ring's own
 * crossing. So the rings stay apart, however narrow the gap between them: within a cell they still are
 * straight, between the same sides. The directions in which a chord can leave its first point are an angle,
 * which each edge narrows. */
#include "engine/area/contour.h"

#include "engine/base/clones.h"
#include "engine/base/grow.h"

#include <math.h>

enum { WORD = 64, NONE = 4 };
/* of an edge, between a crossing and an end: rings stay apart when they are rounded */
static const float LEAST = 0.02F;
static const float SLACK = 0.08F; /* of an edge: how far a chord may be from the ring's own crossing */

enum side { SOUTH, EAST, NORTH, WEST };

/* [corners that are inside: 1 south-west, 2 south-east, 4 north-east, 8 north-west][side where a ring enters
 * the cell]: the side where it leaves. */
static const uint8_t leaves[16][4] = {
    {NONE, NONE, NONE, NONE},  {WEST, NONE, NONE, NONE},   {NONE, SOUTH, NONE, NONE},
    {NONE, WEST, NONE, NONE},  {NONE, NONE, EAST, NONE},   {EAST, NONE, WEST, NONE},
    {NONE, NONE, SOUTH, NONE}, {NONE, NONE, WEST, NONE},   {NONE, NONE, NONE, NORTH},
    {NORTH, NONE, NONE, NONE}, {NONE, NORTH, NONE, SOUTH}, {NONE, NORTH, NONE, NONE},
    {NONE, NONE, NONE, EAST},  {EAST, NONE, NONE, NONE},   {NONE, NONE, NONE, SOUTH},
    {NONE, NONE, NONE, NONE},
};

typedef struct vector {
    double x, y;
} vector;

/* Where a ring crosses an edge of the grid, and where a chord may cross it. */
typedef struct crossing {
    vector at, low, high;
} crossing;

typedef struct ring_tracer {
    const mcd_field *field;
    size_t first, last; /* only points of these columns are inside */
    size_t words;       /* of a row of bits */
    uint64_t *inside;   /* [rows * words] a bit per point */
    uint64_t *passed;   /* likewise: a ring through the edge east of the point has been traced */
    uint32_t *polygon;  /* [rows * columns]: of that ring */
    crossing *ring;     /* the ring that is being traced */
    size_t ring_count, ring_capacity;
    mcd_contour *out;
} ring_tracer;

/* ---- the inside ---- */

/* Returns the bits of a word that stand for columns before one. */
static uint64_t bits_before(size_t column, size_t word)
{
    if (column <= word * WORD) return 0;
    return column - word * WORD < WORD ? (UINT64_C(1) << column % WORD) - 1 : UINT64_MAX;
}

/* Returns a bit for each of a word's points that is inside. */
static uint64_t bits_inside(const float *square, size_t count)
{
    const float level = MCD_FIELD_LEVEL * MCD_FIELD_LEVEL;
    uint64_t bits = 0;
    uint8_t inside[WORD];
    if (count < WORD) {
        for (size_t i = 0; i < count; ++i) bits |= (uint64_t)(square[i] < level) << i;
        return bits;
    }
    for (size_t i = 0; i < WORD; ++i) inside[i] = square[i] < level;
    for (size_t i = 0; i < WORD; i += 8) { /* the product collects the bits of eight bytes in the upper one */
        uint64_t bytes;
        memcpy(&bytes, inside + i, sizeof bytes);
        bits |= bytes * UINT64_C(0x0102040810204080) >> 56 << i;
    }
    return bits;
}

MCD_CLONED static macadam_status mark_inside(ring_tracer *tracer, mcd_watch *watch, macadam_error *error)
{
    const mcd_field *const field = tracer->field;
    memset(tracer->inside, 0, field->rows * tracer->words * sizeof *tracer->inside);
    for (size_t row = field->first_row; row < field->end_row; ++row) {
        const float *const square = field->square + row * field->columns;
        MCD_TRY(mcd_watch_step(watch, row, field->rows, error));
        uint64_t *const inside = tracer->inside + row * tracer->words;
        for (size_t word = 0; word < tracer->words; ++word) {
            const size_t first = word * WORD,
                         count = field->columns - first < WORD ? field->columns - first : WORD;
            inside[word] = bits_inside(square + first, count) & ~bits_before(tracer->first, word) &
                           bits_before(tracer->last + 1, word);
        }
    }
    return MACADAM_OK;
}

static unsigned is_inside(const ring_tracer *tracer, size_t column, size_t row)
{
    return (unsigned)(tracer->inside[row * tracer->words + column / WORD] >> column % WORD & 1);
}

static unsigned corners_of(const ring_tracer *tracer, size_t column, size_t row)
{
    return is_inside(tracer, column, row) | is_inside(tracer, column + 1, row) << 1 |
           is_inside(tracer, column + 1, row + 1) << 2 | is_inside(tracer, column, row + 1) << 3;
}

/* ---- a ring ---- */

static float clamp(float along)
{
    return along < LEAST ? LEAST : along > 1 - LEAST ? 1 - LEAST : along;
}

/* Returns the point of an edge, which leads north or east. */
static vector point_on(size_t column, size_t row, bool leads_north, float along)
{
    return (vector){(double)column + (leads_north ? 0 : along), (double)row + (leads_north ? along : 0)};
}

/* Returns where the ring crosses the edge on a side of a cell. */
static crossing cross(const ring_tracer *tracer, size_t column, size_t row, enum side side)
{
    const mcd_field *const field = tracer->field;
    const size_t east = column + (side == EAST), north = row + (side == NORTH);
    const bool leads_north = side == EAST || side == WEST;
    const float *const at = field->square + north * field->columns + east;
    const float here = sqrtf(at[0]), there = sqrtf(at[leads_north ? field->columns : 1]);
    float along = clamp((MCD_FIELD_LEVEL - here) / (there - here));
    if (!leads_north && east == tracer->last) along = 0;
    if (!leads_north && east + 1 == tracer->first) along = 1;
    return (crossing){point_on(east, north, leads_north, along),
                      point_on(east, north, leads_north, clamp(along - SLACK)),
                      point_on(east, north, leads_north, clamp(along + SLACK))};
}

/* Collects the ring that enters a cell through its south or north side, and marks the edges that it passes.
 * */
static macadam_status follow(ring_tracer *tracer, size_t column, size_t row, enum side entered,
                             uint32_t polygon, macadam_error *error)
{
    const size_t first_column = column, first_row = row;
    const enum side first = entered;
    tracer->ring_count = 0;
    do {
        const enum side left = (enum side)leaves[corners_of(tracer, column, row)][entered];
        if (tracer->ring_count == tracer->ring_capacity)
            MCD_TRY(MCD_GROW(tracer->ring, tracer->ring_capacity, tracer->ring_count + 1, error));
        tracer->ring[tracer->ring_count++] = cross(tracer, column, row, left);
        if (left == SOUTH || left == NORTH) {
            const size_t line = row + (left == NORTH);
            tracer->passed[line * tracer->words + column / WORD] |= UINT64_C(1) << column % WORD;
            tracer->polygon[line * tracer->field->columns + column] = polygon;
        }
        column += left == EAST ? 1 : left == WEST ? (size_t)-1 : 0;
        row += left == NORTH ? 1 : left == SOUTH ? (size_t)-1 : 0;
        entered = (left + 2) % 4;
    } while (column != first_column || row != first_row || entered != first);
    return MACADAM_OK;
}

/* ---- fewer points ---- */

static double turn(vector a, vector b)
{
    return a.x * b.y - a.y * b.x;
}

static vector between(vector from, vector to)
{
    return (vector){to.x - from.x, to.y - from.y};
}

/* The directions of chords; without bounds at first. */
typedef struct chord_angle {
    vector right, left;
    bool bounded;
} chord_angle;

/* Narrows it to chords that cross an edge near a crossing; false: there are none. */
static bool narrow(chord_angle *angle, vector from, const crossing *through)
{
    vector right = between(from, through->low), left = between(from, through->high);
    if (turn(right, left) < 0) {
        const vector other = right;
        right = left;
        left = other;
    }
    if (!angle->bounded || turn(angle->right, right) > 0) angle->right = right;
    if (!angle->bounded || turn(left, angle->left) > 0) angle->left = left;
    angle->bounded = true;
    return turn(angle->right, angle->left) > 0;
}

/* Returns the last crossing after `first` to which a chord may lead. The ring's first crossing stands for its
 * end. */
static size_t chord_end(const ring_tracer *tracer, size_t first)
{
    const size_t count = tracer->ring_count;
    const vector from = tracer->ring[first].at;
    chord_angle angle = {.bounded = false};
    size_t end = first + 1;
    for (size_t i = first + 1; i <= count; ++i) {
        const crossing *const at = &tracer->ring[i < count ? i : 0];
        const vector to = between(from, at->at);
        if (!angle.bounded || (turn(angle.right, to) >= 0 && turn(to, angle.left) >= 0)) end = i;
        if (!narrow(&angle, from, at)) break;
    }
    return end;
}

static macadam_status add_point(mcd_contour *out, vector point, macadam_error *error)
{
    MCD_TRY(MCD_GROW(out->point, out->point_capacity, out->point_count + 1, error));
    out->point[out->point_count][0] = (float)point.x;
    out->point[out->point_count++][1] = (float)point.y;
    return MACADAM_OK;
}

static void measure_ring(const ring_tracer *tracer, mcd_ring *out)
{
    vector from = tracer->ring[tracer->ring_count - 1].at;
    for (size_t i = 0; i < tracer->ring_count; ++i) {
        const vector to = tracer->ring[i].at;
        const double strip = (from.x + to.x) / 2 * (to.y - from.y);
        out->area += strip;
        out->moment += strip * (from.y + to.y) / 2;
        from = to;
    }
}

static macadam_status add_ring(ring_tracer *tracer, uint32_t polygon, macadam_error *error)
{
    mcd_contour *const out = tracer->out;
    const size_t first = out->point_count;
    for (size_t i = 0; i < tracer->ring_count; i = chord_end(tracer, i))
        MCD_TRY(add_point(out, tracer->ring[i].at, error));
    MCD_TRY(add_point(out, tracer->ring[0].at, error));
    MCD_TRY(MCD_GROW(out->ring, out->ring_capacity, out->ring_count + 1, error));
    mcd_ring *const ring = &out->ring[out->ring_count++];
    *ring = (mcd_ring){first, out->point_count, polygon, 0, 0};
    measure_ring(tracer, ring);
    return MACADAM_OK;
}

/* ---- all rings ---- */

/* Returns the polygon of the last crossing of a row before `column`, of which there is one. */
static uint32_t polygon_before(const ring_tracer *tracer, size_t column, size_t row)
{
    const uint64_t *const passed = tracer->passed + row * tracer->words;
    size_t word = column / WORD;
    uint64_t bits = passed[word] & ((UINT64_C(1) << column % WORD) - 1);
    while (!bits) bits = passed[--word];
    const size_t before = word * WORD + (WORD - 1 - (size_t)__builtin_clzll(bits));
    return tracer->polygon[row * tracer->field->columns + before];
}

/* Traces the ring that crosses the edge east of a point. */
static macadam_status trace_from(ring_tracer *tracer, size_t column, size_t row, macadam_error *error)
{
    const bool outer = !is_inside(tracer, column, row);
    const uint32_t polygon =
        outer ? (uint32_t)tracer->out->polygon_count++ : polygon_before(tracer, column, row);
    MCD_TRY(follow(tracer, column, outer ? row - 1 : row, outer ? NORTH : SOUTH, polygon, error));
    return add_ring(tracer, polygon, error);
}

static macadam_status trace_columns(ring_tracer *tracer, size_t first_column, size_t last, mcd_watch *watch,
                                    macadam_error *error)
{
    tracer->first = first_column, tracer->last = last;
    memset(tracer->passed, 0, tracer->field->rows * tracer->words * sizeof *tracer->passed);
    MCD_TRY(mark_inside(tracer, watch, error));
    for (size_t row = tracer->field->first_row; row < tracer->field->end_row; ++row) {
        MCD_TRY(mcd_watch_step(watch, row, tracer->field->rows, error));
        const uint64_t *const inside = tracer->inside + row * tracer->words, *const passed =
                                                                                 tracer->passed +
                                                                                 row * tracer->words;
        for (size_t word = 0; word < tracer->words; ++word) {
            const uint64_t after = word + 1 < tracer->words ? inside[word + 1] << (WORD - 1) : 0;
            const uint64_t crossed = inside[word] ^ (inside[word] >> 1 | after);
            for (uint64_t rest = crossed & ~passed[word]; rest; rest = crossed & ~passed[word]) {
                const size_t bit = (size_t)__builtin_ctzll(rest);
                MCD_TRY(trace_from(tracer, word * WORD + bit, row, error));
            }
        }
    }
    return MACADAM_OK;
}

/* Sorts the rings by polygon. An outer ring was traced before its holes, and stays before them. */
static macadam_status sort_rings(mcd_contour *out, macadam_error *error)
{
    MCD_TRY(MCD_NEW_ZEROED(out->first_ring, out->polygon_count + 2, error));
    MCD_TRY(MCD_NEW(out->order, out->ring_count, error));
    for (size_t r = 0; r < out->ring_count; ++r) ++out->first_ring[out->ring[r].polygon + 2];
    for (size_t p = 0; p < out->polygon_count; ++p) out->first_ring[p + 2] += out->first_ring[p + 1];
    for (size_t r = 0; r < out->ring_count; ++r) out->order[out->first_ring[out->ring[r].polygon + 1]++] = r;
    return MACADAM_OK;
}

MCD_DEFINE_STATIC_FREE(free_tracer, ring_tracer, it->inside, it->passed, it->polygon, it->ring)

macadam_status mcd_contour_trace(mcd_contour *out, const mcd_field *field, mcd_watch *watch,
                                 macadam_error *error)
{
    const size_t words = (field->columns + WORD - 1) / WORD;
    MCD_FREED_BY(free_tracer) ring_tracer tracer = {.field = field, .words = words, .out = out};
    *out = (mcd_contour){.ring_capacity = 0};
    MCD_TRY(MCD_NEW(tracer.inside, field->rows * words, error));
    MCD_TRY(MCD_NEW(tracer.passed, field->rows * words, error));
    MCD_TRY(MCD_NEW(tracer.polygon, field->rows * field->columns, error));
    MCD_TRY(trace_columns(&tracer, 0, field->cut ? field->cut : field->columns, watch, error));
    out->west_count = out->polygon_count;
    if (field->cut) MCD_TRY(trace_columns(&tracer, field->cut, field->columns, watch, error));
    return sort_rings(out, error);
}

MCD_DEFINE_FREE(mcd_contour_free, mcd_contour, it->first_ring, it->order, it->ring, it->point)
