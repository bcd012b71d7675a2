/* candidate.c - see candidate.h.
 *
 * Method. The nearest position on each road within three accuracies may mean the fix. Where fixes are dense, an error
 * lasts for several of them and counts for less, so the radius is up to three and a half. If there are too many, those
 * come first that are nearer than all roads that meet them at a junction: the others are the ends of streets that go on,
 * or of side streets, and a street in many pieces hides no other street.
 * The penalty of a distance is that of a normal distribution, or a part of it: see emission_of. Compiled without
 * contraction to fused operations. */
#include "engine/match/candidate.h"

#include "engine/base/memory.h"

enum { MEMORY_ROADS = 4096, MEMORY_PIECES = 12, RADIUS_ACCURACIES = 3, APART_ACCURACIES = 8 };

static const double radians_per_degree = 3.14159265358979323846 / 180;
static const double apart_ms = 4000;
static const double radius_max = 3.5;        /* accuracies; 4 costs a tenth of the speed at 1 s */
static const double heading_penalty_max = 8; /* standard deviations: the vehicle may also be turning */

/* A direction of a road. */
typedef struct road_way {
    uint32_t arc;
    mcd_node head, tail; /* MCD_NODE_NONE instead of a tail that is split */
} road_way;

/* A road as candidates need it. */
typedef struct known_road {
    road_way way[2]; /* by mcd_direction; no arc leads back: MCD_ROAD_NONE */
    mcd_node tail;
    uint32_t piece_count;
    double length, before[MEMORY_PIECES + 1]; /* metres before each of the first pieces, and after them */
} known_road;

struct mcd_road_memory {
    bool known[MEMORY_ROADS]; /* only these are zero at first: it takes long to clear the roads */
    known_road road[MEMORY_ROADS];
};

macadam_status mcd_road_memory_new(mcd_road_memory **out, macadam_error *error)
{
    MCD_TRY(MCD_NEW(*out, 1, error));
    memset((*out)->known, 0, sizeof(*out)->known);
    return MACADAM_OK;
}

static road_way way_of(const mcd_roads *roads, mcd_node tail, uint32_t arc)
{
    return (road_way){arc, roads->graph->head[arc],
                      mcd_road_arrival(roads, tail) == tail ? tail : MCD_NODE_NONE};
}

static known_road learn(const mcd_roads *roads, uint32_t arc)
{
    const mcd_node tail = mcd_road_tail(roads->graph, arc);
    const uint32_t back = mcd_road_back(roads, tail, arc);
    known_road out = {.way = {way_of(roads, tail, arc), {.arc = back}}, .tail = tail};
    const mcd_place_index *const places = roads->places;
    if (back != MCD_ROAD_NONE)
        out.way[MCD_BACKWARD] = way_of(roads, places->depart[places->node_place[out.way[0].head]], back);
    out.piece_count = (uint32_t)mcd_road_point_count(roads, arc) - 1;
    mcd_ellipsoid_place at;
    for (uint32_t i = 0; i < out.piece_count; ++i) {
        out.length += mcd_road_piece_length(roads, tail, arc, i, &at);
        if (i < MEMORY_PIECES) out.before[i + 1] = out.length;
    }
    return out;
}

static const known_road *recall(mcd_road_memory *memory, const mcd_roads *roads, uint32_t arc)
{
    known_road *const road = &memory->road[arc % MEMORY_ROADS];
    bool *const known = &memory->known[arc % MEMORY_ROADS];
    if (!*known || road->way[MCD_FORWARD].arc != arc) *road = learn(roads, arc);
    *known = true;
    return road;
}

/* Returns the metres of the road before a hit on one of its pieces. */
static double metres_before(const mcd_roads *roads, const known_road *road, size_t piece, double along)
{
    const uint32_t arc = road->way[MCD_FORWARD].arc;
    if (piece < MEMORY_PIECES)
        return road->before[piece] + along * (road->before[piece + 1] - road->before[piece]);
    double before = road->before[MEMORY_PIECES], length = 0;
    for (size_t i = MEMORY_PIECES; i <= piece; ++i) {
        before += length;
        length = mcd_road_length(mcd_road_point(roads, road->tail, arc, i),
                                 mcd_road_point(roads, road->tail, arc, i + 1));
    }
    return before + along * length;
}

/* Returns the share of the road before a hit; less than all of it. */
static uint32_t share_before(const mcd_roads *roads, const known_road *road, size_t piece, double along)
{
    const double before = metres_before(roads, road, piece, along);
    if (!(before > 0)) return 0;
    const double share = before / road->length * (double)MCD_ROAD_WHOLE;
    return share < (double)UINT32_MAX ? (uint32_t)share : UINT32_MAX;
}

/* The errors of fixes that are soon after each other and near are alike. So such a fix counts for less. */
static double news_of(const mcd_fix *fix)
{
    const double apart = fix->line_cm / (double)fix->accuracy_cm / APART_ACCURACIES;
    return fix->previous == MCD_FIX_NONE ? 1 : fmin(1, fmax(apart, (double)fix->since_ms / apart_ms));
}

static uint32_t emission_of(const mcd_fix *fix, double distance_m)
{
    const double deviations = distance_m * 100 / fix->accuracy_cm;
    return (uint32_t)lrint(MCD_NAT / 2.0 * deviations * deviations * news_of(fix));
}

/* Returns the direction of a piece in degrees. */
static double direction_of(const mcd_snap_line *line)
{
    const double east = remainder((double)line->to.lon_e7 - line->from.lon_e7, MCD_WHOLE_E7) *
                        cos(line->from.lat_e7 / 1e7 * radians_per_degree);
    return atan2(east, (double)line->to.lat_e7 - line->from.lat_e7) / radians_per_degree;
}

static uint32_t heading_penalty(const mcd_fix *fix, double direction)
{
    if (fix->heading_accuracy == 0) return 0;
    const double turned = fabs(remainder(fix->heading - direction, 360)) / fix->heading_accuracy;
    const double deviations = fmin(turned, heading_penalty_max);
    return (uint32_t)lrint(MCD_NAT / 2.0 * deviations * deviations);
}

static void direct(mcd_candidate *candidate, const road_way *way)
{
    candidate->arc = way->arc;
    candidate->departure = way->head;
    candidate->arrival = way->tail;
}

/* Appends the candidates of a hit to `count` others; returns how many there are. */
static size_t append(const mcd_candidate_search *search, mcd_road_memory *memory, const mcd_fix *fix,
                     const mcd_snap_hit *hit, mcd_candidate *out, size_t count)
{
    const mcd_snap_line *const line = &hit->line;
    const known_road *const road = recall(memory, search->roads, hit->arc);
    const uint32_t before =
        share_before(search->roads, road, search->snap->piece[hit->entry] / 2, hit->along);
    const double distance_m = mcd_snap_metres(hit->square);
    double lon, lat;
    mcd_road_between(line->from, line->to, hit->along, &lon, &lat);
    const mcd_candidate there = {.before = before,
                                 .lon_e7 = (int32_t)lrint(lon * 1e7),
                                 .lat_e7 = (int32_t)lrint(lat * 1e7),
                                 .distance_mm = (uint32_t)lrint(distance_m * 1000),
                                 .emission = emission_of(fix, distance_m),
                                 .twin = MCD_FIX_NONE,
                                 .penalty = UINT64_MAX};
    const double direction = fix->heading_accuracy ? direction_of(line) : 0;
    const uint32_t back_arc = road->way[MCD_BACKWARD].arc;
    const bool back = hit->way[MCD_BACKWARD] && back_arc != MCD_ROAD_NONE &&
                      mcd_arc_is_open(search->weights, back_arc),
               both = hit->way[MCD_FORWARD] && back;
    if (hit->way[MCD_FORWARD]) {
        out[count] = there;
        direct(&out[count], &road->way[MCD_FORWARD]);
        if (both) out[count].twin = (uint32_t)count + 1;
        out[count++].emission += heading_penalty(fix, direction);
    }
    if (back) {
        out[count] = there;
        direct(&out[count], &road->way[MCD_BACKWARD]);
        if (both) out[count].twin = (uint32_t)count - 1;
        out[count].before = before == 0 ? UINT32_MAX : 0 - before;
        out[count++].emission += heading_penalty(fix, direction + 180);
    }
    return count;
}

double mcd_candidates_radius_m(const mcd_fix *fix)
{
    return fmin(RADIUS_ACCURACIES / sqrt(news_of(fix)), radius_max) * fix->accuracy_cm / 100.0;
}

size_t mcd_candidates_find(const mcd_candidate_search *search, mcd_road_memory *memory, const mcd_fix *fix,
                           const mcd_snap_area *area, mcd_candidate *out)
{
    mcd_snap_hit hit[MCD_SNAP_HITS_MAX];
    mcd_snap_meeting meeting[MCD_SNAP_HITS_MAX] = {{false, false}};
    const mcd_snap_search snap = {.roads = search->roads,
                                  .index = search->snap,
                                  .weights = search->weights,
                                  .at = fix->at,
                                  .radius_m = mcd_candidates_radius_m(fix),
                                  .area = area};
    const size_t hits = mcd_snap_find(&snap, hit, MCD_SNAP_HITS_MAX);
    size_t count = 0;
    if (2 * hits > MCD_CANDIDATES_MAX) mcd_snap_meet(&snap, hit, hits, meeting);
    for (int late = 0; late < 2; ++late)
        for (size_t i = 0; i < hits && count + 2 <= MCD_CANDIDATES_MAX; ++i)
            if (meeting[i].is_nearer == late) count = append(search, memory, fix, &hit[i], out, count);
    return count;
}
