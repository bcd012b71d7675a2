/* python_struct.h - structures of macadam.h, by their catalogue: made of dicts of Python, and read as
 * attributes and rows. Members have the names that they have in C. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_STRUCT_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_STRUCT_H

#include <forward_list>
#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>
#include <string_view>
#include <vector>

namespace nb = nanobind;

extern "C" {
#include "engine/include/structures.h"
}

const mcd_structure &struct_of(std::string_view name);

using Owner = std::shared_ptr<const void>; /* keeps an answer, and the engine that it points into */

/* Memory that structures point to. It lives as long as they do. */
class Kept
{
  public:
    Kept() = default;
    Kept(const Kept &) = delete;
    ~Kept();
    const Py_buffer &buffer(nb::handle array);
    const char *text(nb::handle string);
    char *room(size_t bytes); /* zeros */

  private:
    std::forward_list<Py_buffer> buffer_;
    std::forward_list<nb::object> object_;
    std::forward_list<std::unique_ptr<char[]>> room_;
};

/* Sets a member at `out` and returns how many items it then points to. For a pointer the value is anything with the
 * buffer protocol, a list, a dict (one structure), an address, or None. */
size_t assign(void *out, const mcd_member &member, nb::handle value, Kept &kept);
/* A structure of a dict, or what a buffer holds. */
void *made(std::string_view name, nb::handle given, Kept &kept);
template <class T> T made(std::string_view name, const nb::dict &given, Kept &kept)
{
    return *static_cast<T *>(made(name, given, kept));
}

/* `count` structures of one kind, which `owner` keeps. Python reads the members of the first one as attributes, and
 * all of them as an array of NumPy. */
class Rows
{
  public:
    Rows(Owner owner, const void *row, size_t count, const mcd_structure &type)
        : owner_(std::move(owner)), row_(static_cast<const char *>(row)), count_(count), type_(&type)
    {
    }
    nb::object get(const char *name) const;
    Rows part(size_t first, size_t count) const;
    nb::dict interface() const;
    Rows follow(nb::handle pointers, const char *name) const;
    nb::tuple copy() const;
    const char *type() const
    {
        return type_->name;
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
    nb::object read(const char *at, const mcd_member &member, size_t count) const;

    Owner owner_;
    const char *row_;
    size_t count_;
    const mcd_structure *type_;
};

/* An array of NumPy that owns the vector's memory. */
template <class T> nb::object array_of(std::vector<T> &&values, std::vector<size_t> shape = {})
{
    auto *kept = new std::vector<T>(std::move(values));
    const nb::capsule owner(kept,
                            [](void *memory) noexcept { delete static_cast<std::vector<T> *>(memory); });
    if (shape.empty()) shape.push_back(kept->size());
    return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape.size(), shape.data(), owner));
}

/* Keeps the owner until Python frees it. */
inline nb::capsule capsule_of(Owner owner)
{
    return nb::capsule(new Owner(std::move(owner)),
                       [](void *memory) noexcept { delete static_cast<Owner *>(memory); });
}

void bind_struct(nb::module_ &module);

#endif
