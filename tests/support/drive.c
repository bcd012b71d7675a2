/* drive.c - see drive.h. */
#include "tests/support/drive.h"
#include "tests/support/checked.h"

#include <math.h>

static const double pi = 3.14159265358979323846, degree_m = 111195;

double drive_uniform(test_rng *rng)
{
    return (double)(rng_next(rng) >> 11) / 9007199254740992.0;
}

double drive_normal(test_rng *rng)
{
    return sqrt(-2 * log(1 - drive_uniform(rng))) * cos(2 * pi * drive_uniform(rng));
}

/* ---- ways ---- */

static double shrink_at(double lat)
{
    return cos(lat * pi / 180);
}

double drive_metres(double lon, double lat, double other_lon, double other_lat)
{
    const double east = (other_lon - lon) * shrink_at((lat + other_lat) / 2) * degree_m;
    return hypot(east, (other_lat - lat) * degree_m);
}

static drive_way new_way(size_t capacity)
{
    drive_way out = {.count = 0};
    out.lon = checked_allocate(capacity, sizeof *out.lon);
    out.lat = checked_allocate(capacity, sizeof *out.lat);
    out.along = checked_allocate(capacity, sizeof *out.along);
    out.speed_ms = checked_allocate(capacity, sizeof *out.speed_ms);
    return out;
}

void drive_way_free(drive_way *way)
{
    free(way->lon);
    free(way->lat);
    free(way->along);
    free(way->speed_ms);
    *way = (drive_way){.count = 0};
}

double drive_way_metres(const drive_way *way)
{
    return way->count ? way->along[way->count - 1] : 0;
}

static void add_point(drive_way *way, double lon, double lat, double speed_ms)
{
    const size_t i = way->count++;
    way->lon[i] = lon;
    way->lat[i] = lat;
    way->speed_ms[i] = speed_ms;
    way->along[i] = i ? way->along[i - 1] + drive_metres(way->lon[i - 1], way->lat[i - 1], lon, lat) : 0;
}

drive_way drive_way_part(const drive_way *way, double from, double to)
{
    drive_way out = new_way(way->count + 2);
    double lon, lat, bearing;
    drive_way_at(way, from, &lon, &lat, &bearing);
    add_point(&out, lon, lat, way->speed_ms[0]);
    for (size_t i = 0; i < way->count; ++i)
        if (way->along[i] > from && way->along[i] < to)
            add_point(&out, way->lon[i], way->lat[i], way->speed_ms[i]);
    drive_way_at(way, to, &lon, &lat, &bearing);
    add_point(&out, lon, lat, out.speed_ms[out.count - 1]);
    return out;
}

drive_way drive_way_of(const macadam_route *route, double metres)
{
    drive_way all = new_way(route->shape_count + 1);
    for (size_t a = 0; a < route->arc_count; ++a) {
        const macadam_route_arc *const arc = &route->arc[a];
        const size_t first = all.count;
        for (size_t i = arc->first_shape; i < arc->end_shape; ++i) {
            if (i == arc->first_shape && a > 0) continue;
            add_point(&all, route->lon[i], route->lat[i], 0);
        }
        const size_t before = first ? first - 1 : 0;
        const double length = all.along[all.count - 1] - all.along[before];
        const double seconds = arc->value[0] / 1000.0;
        for (size_t i = first; i < all.count; ++i)
            all.speed_ms[i] = fmin(fmax(seconds > 0 ? length / seconds : 10, 1), 45);
    }
    if (metres >= drive_way_metres(&all)) return all;
    const drive_way out = drive_way_part(&all, 0, metres);
    drive_way_free(&all);
    return out;
}

void drive_way_append(drive_way *way, const drive_way *other)
{
    drive_way out = new_way(way->count + other->count);
    for (size_t i = 0; i < way->count; ++i) add_point(&out, way->lon[i], way->lat[i], way->speed_ms[i]);
    for (size_t i = 0; i < other->count; ++i)
        add_point(&out, other->lon[i], other->lat[i], other->speed_ms[i]);
    drive_way_free(way);
    *way = out;
}

void drive_way_turn_back(drive_way *way)
{
    drive_way back = new_way(way->count);
    for (size_t i = way->count; i-- > 0;) add_point(&back, way->lon[i], way->lat[i], way->speed_ms[i]);
    drive_way_append(way, &back);
    drive_way_free(&back);
}

void drive_way_at(const drive_way *way, double along, double *lon, double *lat, double *bearing)
{
    size_t i = 1;
    while (i + 1 < way->count && way->along[i] < along) ++i;
    const size_t from = i < way->count ? i - 1 : 0, to = i < way->count ? i : 0;
    const double piece = way->along[to] - way->along[from];
    const double share = piece > 0 ? fmax(fmin((along - way->along[from]) / piece, 1), 0) : 0;
    const double east = (way->lon[to] - way->lon[from]) * shrink_at(way->lat[from]);
    *lon = way->lon[from] + share * (way->lon[to] - way->lon[from]);
    *lat = way->lat[from] + share * (way->lat[to] - way->lat[from]);
    *bearing = atan2(east, way->lat[to] - way->lat[from]) * 180 / pi;
}

double drive_way_distance(const drive_way *way, double lon, double lat)
{
    const double shrink = shrink_at(lat);
    double best = INFINITY;
    for (size_t i = 1; i < way->count; ++i) {
        const double x = (way->lon[i - 1] - lon) * shrink, y = way->lat[i - 1] - lat;
        const double east = (way->lon[i] - way->lon[i - 1]) * shrink, north = way->lat[i] - way->lat[i - 1];
        const double square = east * east + north * north;
        const double share = square > 0 ? fmax(fmin(-(x * east + y * north) / square, 1), 0) : 0;
        best = fmin(best, hypot(x + share * east, y + share * north) * degree_m);
    }
    return best;
}

/* ---- drives ---- */

static const double correlation_s = 20;

typedef struct receiver {
    double east, north; /* its error, in standard deviations */
} receiver;

/* Lets the error drift; one beyond the limit is drawn again. */
static void drift(receiver *it, const drive_plan *plan, double seconds, test_rng *rng)
{
    const double keep = plan->is_white ? 0 : exp(-seconds / correlation_s), jump = sqrt(1 - keep * keep);
    const receiver before = *it;
    do {
        it->east = keep * before.east + jump * drive_normal(rng);
        it->north = keep * before.north + jump * drive_normal(rng);
    } while (plan->most > 0 && hypot(it->east, it->north) > plan->most);
}

static void add_position(drive *out, const drive_way *way, const drive_plan *plan, const receiver *error,
                         double time_s, double along, double speed_ms, test_rng *rng)
{
    const size_t i = out->count++;
    double bearing;
    drive_way_at(way, along, &out->lon[i], &out->lat[i], &bearing);
    out->along[i] = along;
    out->point[i] = (macadam_trace_point){.lon = out->lon[i] + error->east * plan->accuracy_m /
                                                                   (degree_m * shrink_at(out->lat[i])),
                                          .lat = out->lat[i] + error->north * plan->accuracy_m / degree_m,
                                          .time_s = time_s};
    if (plan->knows_accuracy) out->point[i].accuracy_m = plan->accuracy_m;
    if (!plan->has_motion) return;
    /* A receiver that stands still makes a heading up. */
    out->point[i].heading = speed_ms < 1
                                ? 360 * drive_uniform(rng) - 180
                                : remainder(bearing + 10 * fmax(fmin(drive_normal(rng), 3), -3), 360);
    out->point[i].heading_accuracy = 10;
    out->point[i].speed_ms = speed_ms * (0.9 + 0.2 * drive_uniform(rng));
}

drive drive_make(const drive_way *way, const drive_plan *plan, test_rng *rng)
{
    static const double acceleration = 2.5;
    const double tick_s = fmin(plan->interval_s, 0.25);
    drive out = {.count = 0};
    size_t capacity = 0, piece = 1;
    double along = 0, speed = 0, next = 0, waits = 0, gap = 0, stays = 0;
    receiver error = {0, 0};
    drift(&error, plan, 1000, rng);
    const double end = drive_way_metres(way);
    bool after_gap = false;
    for (double now = 0; stays <= plan->end_s; now += tick_s) {
        if (now >= next) {
            drift(&error, plan, plan->interval_s, rng);
            next += plan->interval_s;
            if (out.count + 2 > capacity) {
                capacity = 2 * capacity + 64;
                out.point = checked_memory(realloc(out.point, capacity * sizeof *out.point), capacity, 1);
                out.along = checked_memory(realloc(out.along, capacity * sizeof *out.along), capacity, 1);
                out.lon = checked_memory(realloc(out.lon, capacity * sizeof *out.lon), capacity, 1);
                out.lat = checked_memory(realloc(out.lat, capacity * sizeof *out.lat), capacity, 1);
                out.after_gap = checked_memory(realloc(out.after_gap, capacity), capacity, 1);
            }
            if (along < end && drive_uniform(rng) < plan->gap_share && gap <= now)
                gap = now + 20 + 70 * drive_uniform(rng);
            if (now >= gap || along >= end) {
                out.after_gap[out.count] = after_gap;
                add_position(&out, way, plan, &error, now, along, waits > 0 ? 0 : speed, rng);
                after_gap = false;
                if (plan->is_doubled) {
                    drift(&error, plan, plan->interval_s, rng);
                    out.after_gap[out.count] = false;
                    add_position(&out, way, plan, &error, now + 1e-3, along, waits > 0 ? 0 : speed, rng);
                }
            } else {
                after_gap = true;
            }
        }
        if (along >= end) stays += tick_s;
        if (waits > 0) {
            waits -= tick_s;
            speed = 0;
            continue;
        }
        const size_t at = piece < way->count ? piece : way->count - 1;
        const double wanted = way->speed_ms[at] * plan->factor;
        speed = fmin(speed + acceleration * tick_s, fmax(wanted, speed - 2 * acceleration * tick_s));
        along = fmin(along + speed * tick_s, end);
        for (; piece < way->count && way->along[piece] <= along; ++piece)
            if (drive_uniform(rng) < plan->stop_share) waits = 40 * drive_uniform(rng);
    }
    return out;
}

void drive_free(drive *it)
{
    free(it->point);
    free(it->along);
    free(it->lon);
    free(it->lat);
    free(it->after_gap);
    *it = (drive){.count = 0};
}
