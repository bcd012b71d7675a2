/* python_rows.h - arrays of the library's structures as columns of NumPy. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_ROWS_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_ROWS_H

#include "bindings/python/src/python_call.h"

class Rows;

/* A column of one kind of rows. */
struct Column {
    const char *name;
    nb::object (*make)(const Rows &rows);
};
using Columns = std::vector<Column>;

/* Rows of one kind, which belong to an answer. A column is made when Python first looks at it. */
class Rows
{
  public:
    Rows(Owner owner, const void *row, size_t count, const Columns &columns)
        : owner_(std::move(owner)), row_(row), count_(count), columns_(&columns)
    {
    }
    nb::list names() const;
    nb::object column(size_t index) const
    {
        return columns_->at(index).make(*this);
    }
    size_t size() const
    {
        return count_;
    }
    const void *row() const
    {
        return row_;
    }

  private:
    Owner owner_;
    const void *row_;
    size_t count_;
    const Columns *columns_;
};

extern const Columns SNAPS, LEGS, ROUTE_ARCS, STEPS, INTERSECTIONS, BRANCHES, LANES, ROADS, REACHED_ARCS,
    MATCH_POINTS, MATCHINGS;

void bind_rows(nb::module_ &module);

#endif
