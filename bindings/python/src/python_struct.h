/* python_struct.h - structures of macadam.h from Python: a dict of members, which have the names that they have in C.
 * MEMBERS lists those of a structure. An array is anything with the buffer protocol, a list, or an address. */
#ifndef MCD_BINDINGS_PYTHON_SRC_PYTHON_STRUCT_H
#define MCD_BINDINGS_PYTHON_SRC_PYTHON_STRUCT_H

#include <cstring>
#include <deque>
#include <memory>
#include <nanobind/nanobind.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace nb = nanobind;

/* What structures point to. It lives as long as they do. */
class Kept
{
  public:
    Kept() = default;
    Kept(const Kept &) = delete;
    ~Kept()
    {
        for (Py_buffer &it : buffer_) PyBuffer_Release(&it);
    }
    const Py_buffer &buffer(nb::handle array)
    {
        Py_buffer it;
        if (PyObject_GetBuffer(array.ptr(), &it, PyBUF_SIMPLE) != 0) nb::raise_python_error();
        return buffer_.emplace_back(it);
    }
    const char *text(nb::handle string)
    {
        object_.push_back(nb::borrow(string));
        return nb::cast<const char *>(string);
    }
    template <class T> T *array(std::vector<T> &&items)
    {
        const auto kept = std::make_shared<std::vector<T>>(std::move(items));
        vector_.push_back(kept);
        return kept->data();
    }

  private:
    std::deque<Py_buffer> buffer_;
    std::vector<nb::object> object_;
    std::vector<std::shared_ptr<void>> vector_;
};

template <class T> struct Member {
    const char *name;
    void (*set)(T &out, nb::handle value, Kept &kept);
};
template <class T> inline const std::vector<Member<T>> members = {}; /* of most: see MEMBERS */

#define MEMBERS(T, ...) template <> const std::vector<Member<T>> members<T> = {__VA_ARGS__}
#define MEMBER(name)                                                                                         \
    {                                                                                                        \
#name, [](auto &out, nb::handle value, Kept &kept) { assign(out.name, value, kept); }                \
    }
#define ARRAY(name, count)                                                                                   \
    {                                                                                                        \
#name,                                                                                               \
            [](auto &out, nb::handle value, Kept &kept) { out.count = assign_array(out.name, value, kept); } \
    }

template <class T> void assign(T &out, nb::handle value, Kept &kept);

/* Returns how many items there are. */
template <class T> size_t assign_array(T *&out, nb::handle value, Kept &kept)
{
    using Item = std::remove_const_t<T>;
    out = nullptr;
    if (value.is_none()) return 0;
    if constexpr (std::is_same_v<Item, char>) {
        out = kept.text(value);
        return 1;
    } else if (PyLong_Check(value.ptr())) {
        out = reinterpret_cast<T *>(nb::cast<uintptr_t>(value));
        return 1;
    } else if (nb::isinstance<nb::list>(value)) {
        std::vector<Item> items;
        for (const nb::handle it : nb::borrow<nb::list>(value)) assign(items.emplace_back(), it, kept);
        const size_t count = items.size();
        out = kept.array(std::move(items));
        return count;
    } else if (nb::isinstance<nb::dict>(value)) {
        std::vector<Item> item(1);
        assign(item[0], value, kept);
        out = kept.array(std::move(item));
        return 1;
    }
    const Py_buffer &buffer = kept.buffer(value);
    out = static_cast<T *>(buffer.buf);
    return static_cast<size_t>(buffer.len) / sizeof(T);
}

template <class T> auto set_size(T &out, int) -> decltype(out.size, void())
{
    out.size = sizeof out;
}
template <class T> void set_size(T &, long)
{
}

template <class T> void fill(T &out, const nb::dict &given, Kept &kept)
{
    set_size(out, 0);
    for (const auto [key, value] : given) {
        const std::string name = nb::cast<std::string>(key);
        const Member<T> *member = nullptr;
        for (const Member<T> &it : members<T>)
            if (name == it.name) member = &it;
        if (!member) throw nb::type_error((name + ": there is no such argument").c_str());
        try {
            member->set(out, value, kept);
        } catch (const std::bad_cast &) {
            throw nb::type_error((name + ": " + nb::repr(value).c_str() + " does not fit").c_str());
        }
    }
}

/* A structure may also lie in an array of one item. */
template <class T> void assign(T &out, nb::handle value, Kept &kept)
{
    if constexpr (std::is_pointer_v<T>) {
        assign_array(out, value, kept);
    } else if constexpr (!std::is_class_v<T>) {
        out = static_cast<T>(nb::cast<std::conditional_t<std::is_enum_v<T>, int, T>>(value));
    } else if (nb::isinstance<nb::dict>(value)) {
        fill(out, nb::borrow<nb::dict>(value), kept);
    } else {
        const Py_buffer &buffer = kept.buffer(value);
        if (buffer.len != sizeof out) throw std::bad_cast();
        std::memcpy(&out, buffer.buf, sizeof out);
    }
}

template <class T> T made(const nb::dict &given, Kept &kept)
{
    T out = {};
    fill(out, given, kept);
    return out;
}

/* The type of NumPy for rows of a structure, from DTYPE_MEMBERs. */
#define DTYPE_MEMBER(T, name)                                                                                \
    {                                                                                                        \
#name, offsetof(T, name), sizeof(T::name), format_of < decltype(T::name)>()                          \
    }
struct DtypeMember {
    const char *name;
    size_t offset, bytes;
    const char *format;
};
template <class T> constexpr const char *format_of()
{
    if constexpr (std::is_floating_point_v<T>) return sizeof(T) == 8 ? "<f8" : "<f4";
    return sizeof(T) == 8 ? "<i8" : "<i4";
}
nb::dict dtype_of(size_t bytes, const std::vector<DtypeMember> &members);

#endif
