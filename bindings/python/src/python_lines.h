/* python_lines.h - answers of variable size as columns: snapped places, routes, roads, reached arcs. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_LINES_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_LINES_H

#include "bindings/python/src/python_call.h"

/* Snapped places, column by column. */
class SnapColumns
{
  public:
    explicit SnapColumns(size_t count);
    void add(const macadam_snap &snap);
    nb::dict finish();

  private:
    std::vector<int32_t> status_;
    std::vector<int64_t> id_, way_;
    std::vector<uint64_t> arc_;
    std::vector<double> lon_, lat_, distance_m_;
    Names name_;
};

/* A route. Its columns are made when they are asked for. */
class RouteLines
{
  public:
    RouteLines(Shared engine, macadam_route *route, size_t quantity_count)
        : engine_(std::move(engine)), route_(route, macadam_route_free), quantity_count_(quantity_count)
    {
    }
    bool found() const
    {
        return route_->found;
    }
    const char *reason() const
    {
        return macadam_route_reason_name(route_->reason);
    }
    size_t reason_waypoint() const
    {
        return route_->reason_waypoint;
    }
    nb::tuple value() const;
    nb::dict waypoints() const;
    nb::dict legs() const;
    nb::dict arcs() const;
    nb::object shape() const;
    bool places_failed() const; /* some waypoint was not found */

  private:
    Shared engine_; /* names belong to it */
    std::unique_ptr<macadam_route, void (*)(macadam_route *)> route_;
    size_t quantity_count_;
};

nb::dict road_columns(const macadam_roads &roads);
nb::dict reached_columns(const macadam_isochrone &isochrone);
void bind_lines(nb::module_ &module);

#endif
