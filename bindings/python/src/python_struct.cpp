/* python_struct.cpp - structures of macadam.h from and to Python, by the table that structs.py makes. */
#include "bindings/python/src/python_struct.h"

#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

#define MEMBER(T, name, code, stars, of, own_count, count, times, more, ...)                                 \
    Member                                                                                                   \
    {                                                                                                        \
#name, offsetof(T, name), sizeof(T::name), code, stars, of, own_count, count, times, more            \
    }
#define STRUCT(T, ...) Struct{#T, sizeof(T), {__VA_ARGS__}},
const std::vector<Struct> structs = {
#include <structs.inc>
};

const Member *Struct::find(std::string_view wanted) const
{
    for (const Member &it : member)
        if (wanted == it.name) return &it;
    return nullptr;
}

/* Returns 1 if no member holds the count. */
size_t Member::items(const char *structure) const
{
    size_t out = 1, factor = 1;
    if (count != NO_COUNT) memcpy(&out, structure + count, sizeof out);
    if (times != NO_COUNT) memcpy(&factor, structure + times, sizeof factor);
    return out * factor + more;
}

const Struct &struct_of(std::string_view name)
{
    for (const Struct &it : structs)
        if (name == it.name) return it;
    throw nb::key_error(std::string(name).c_str());
}

/* Calls f with a value of the type that a code means. */
template <class F> static auto with_type(char code, F f)
{
    if (code == '?') return f(bool());
    if (code == 'b') return f(int8_t());
    if (code == 'B') return f(uint8_t());
    if (code == 'H') return f(uint16_t());
    if (code == 'i') return f(int32_t());
    if (code == 'I') return f(uint32_t());
    if (code == 'q') return f(int64_t());
    if (code == 'Q') return f(uint64_t());
    if (code == 'f') return f(float());
    if (code == 'd') return f(double());
    throw std::bad_cast();
}

static size_t item_bytes(const Member &member)
{
    if (member.stars) return sizeof(void *);
    if (member.code == 's') return 1;
    if (member.code == 'S') return structs[member.of].bytes;
    return with_type(member.code, [](auto it) { return sizeof it; });
}

Kept::~Kept()
{
    for (Py_buffer &it : buffer_) PyBuffer_Release(&it);
}

const Py_buffer &Kept::buffer(nb::handle array)
{
    Py_buffer it;
    if (PyObject_GetBuffer(array.ptr(), &it, PyBUF_SIMPLE) != 0) nb::raise_python_error();
    return buffer_.emplace_front(it);
}

const char *Kept::text(nb::handle string)
{
    object_.push_front(nb::borrow(string));
    return nb::cast<const char *>(string);
}

char *Kept::room(size_t bytes)
{
    return room_.emplace_front(new char[bytes]()).get();
}

/* ---- from Python ---- */

static void fill(char *out, const Struct &type, const nb::dict &given, Kept &kept)
{
    const Member &first = type.member.front();
    if (!strcmp(first.name, "size")) memcpy(out + first.offset, &type.bytes, sizeof type.bytes);
    for (const auto [key, value] : given) {
        const char *name = nb::cast<const char *>(key);
        const Member *member = type.find(name);
        if (!member) throw nb::type_error((std::string(name) + ": there is no such argument").c_str());
        try {
            const size_t count = assign(out + member->offset, *member, value, kept);
            if (member->own_count != NO_COUNT) memcpy(out + member->own_count, &count, sizeof count);
        } catch (const std::bad_cast &) {
            const std::string text = nb::repr(value).c_str();
            throw nb::type_error((std::string(name) + ": " + text + " does not fit").c_str());
        }
    }
}

size_t assign(void *out, const Member &member, nb::handle value, Kept &kept)
{
    if (!member.stars) {
        if (member.code == 'S')
            memcpy(out, made(structs[member.of].name, value, kept), structs[member.of].bytes);
        else
            with_type(member.code,
                      [&](auto it) { *static_cast<decltype(it) *>(out) = nb::cast<decltype(it)>(value); });
        return 1;
    }
    const void *&to = *static_cast<const void **>(out);
    if (value.is_none()) return 0;
    Member item = member; /* what it points to */
    --item.stars;
    if (member.code == 's' && member.stars == 1) {
        to = kept.text(value);
    } else if (PyLong_Check(value.ptr())) {
        to = reinterpret_cast<void *>(nb::cast<uintptr_t>(value));
    } else if (nb::isinstance<nb::list>(value)) {
        const size_t bytes = item_bytes(item), count = nb::len(value);
        char *room = kept.room(bytes * count + 1);
        to = room;
        for (const nb::handle it : nb::borrow<nb::list>(value)) assign(room, item, it, kept), room += bytes;
        return count;
    } else if (nb::isinstance<nb::dict>(value) && item.of >= 0) {
        to = made(structs[item.of].name, value, kept);
    } else {
        const Py_buffer &buffer = kept.buffer(value);
        to = buffer.buf;
        return static_cast<size_t>(buffer.len) / item_bytes(item);
    }
    return 1;
}

void *made(std::string_view name, nb::handle given, Kept &kept)
{
    const Struct &type = struct_of(name);
    if (nb::isinstance<nb::dict>(given)) {
        char *out = kept.room(type.bytes);
        fill(out, type, nb::borrow<nb::dict>(given), kept);
        return out;
    }
    const Py_buffer &buffer = kept.buffer(given);
    if (static_cast<size_t>(buffer.len) % type.bytes) throw std::bad_cast();
    return buffer.buf;
}

/* ---- to Python ---- */

static nb::object number(const void *at, char code)
{
    return with_type(code, [&](auto it) { return nb::cast(*static_cast<const decltype(it) *>(at)); });
}

nb::object Rows::read(const char *at, const Member &member, size_t count) const
{
    Member item = member; /* what it points to */
    --item.stars;
    if (!member.stars && member.code == 'S') return nb::cast(Rows(owner_, at, 1, structs[member.of]));
    if (!member.stars && member.bytes == item_bytes(member)) return number(at, member.code);
    if (!member.stars) {
        nb::list out;
        for (size_t i = 0; i < member.bytes; i += item_bytes(member)) out.append(number(at + i, member.code));
        return out;
    }
    const char *to = *reinterpret_cast<const char *const *>(at);
    if (member.stars > 1) {
        nb::list out;
        for (size_t i = 0; i < count; ++i) out.append(read(to + i * sizeof to, item, 1));
        return out;
    }
    if (member.code == 's') return to ? nb::object(nb::str(to)) : nb::none();
    if (member.code == 'S')
        return to || count != 1 ? nb::cast(Rows(owner_, to, count, structs[member.of])) : nb::none();
    if (!to) count = 0;
    return nb::cast(nb::ndarray<nb::numpy, nb::ro>(
        to, 1, &count, capsule_of(owner_), nullptr,
        with_type(member.code, [](auto it) { return nb::dtype<decltype(it)>(); })));
}

nb::object Rows::get(const char *name) const
{
    const Member *member = type_->find(name);
    if (!member || !count_) throw nb::attribute_error(name);
    return read(row_ + member->offset, *member, member->items(row_));
}

Rows Rows::part(size_t first, size_t count) const
{
    return Rows(owner_, row_ + first * type_->bytes, count, *type_);
}

/* NumPy's __array_interface__: the array holds these rows, and so their owner. */
nb::dict Rows::interface() const
{
    nb::dict out;
    out["shape"] = nb::make_tuple(count_);
    out["typestr"] = "|V" + std::to_string(type_->bytes);
    out["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(count_ ? row_ : type_->name), true);
    out["version"] = 3;
    return out;
}

/* The structures at `pointers`, one after the other; zeros for NULL. */
Rows Rows::follow(nb::handle pointers, const char *name) const
{
    Kept kept;
    const Struct &type = struct_of(name);
    const Py_buffer &buffer = kept.buffer(pointers);
    const size_t count = static_cast<size_t>(buffer.len) / sizeof(void *);
    const auto *pointer = static_cast<const void *const *>(buffer.buf);
    const auto out = std::make_shared<std::pair<Owner, std::vector<char>>>(owner_, count * type.bytes);
    for (size_t i = 0; i < count; ++i)
        if (pointer[i]) memcpy(out->second.data() + i * type.bytes, pointer[i], type.bytes);
    return Rows(out, out->second.data(), count, type);
}

/* The strings at `pointers`, each once: (codes, values). */
static nb::tuple texts(nb::handle pointers)
{
    Kept kept;
    const Py_buffer &buffer = kept.buffer(pointers);
    const auto *string = static_cast<const char *const *>(buffer.buf);
    std::unordered_map<const char *, int32_t> code_of; /* most equal strings have one address */
    std::unordered_map<std::string_view, int32_t> code_of_text;
    std::vector<int32_t> code(static_cast<size_t>(buffer.len) / sizeof *string);
    nb::list values;
    for (size_t i = 0; i < code.size(); ++i) {
        const char *it = string[i] ? string[i] : "";
        const auto known = code_of.try_emplace(it, 0);
        if (known.second) {
            const auto text = code_of_text.try_emplace(it, static_cast<int32_t>(code_of_text.size()));
            if (text.second) values.append(nb::steal(PyUnicode_DecodeUTF8(it, strlen(it), "replace")));
            known.first->second = text.first->second;
        }
        code[i] = known.first->second;
    }
    return nb::make_tuple(array_of(std::move(code)), values);
}

/* ---- copies ---- */

/* Calls follow(pointer, item, count) for each pointer in `count` items at `at`. If no member holds a count,
 * it is 1 for a structure and a text, else 0. */
template <class Follow> static void follow_all(char *at, const Member &item, size_t count, Follow follow)
{
    const auto one = [&](char *pointer, Member to, size_t to_count) {
        --to.stars;
        follow(*reinterpret_cast<char **>(pointer), to, to_count);
    };
    if (!item.stars && item.code != 'S') return;
    for (size_t i = 0; i < count; ++i, at += item_bytes(item)) {
        if (item.stars) one(at, item, 1);
        for (const Member &it : item.stars ? std::vector<Member>() : structs[item.of].member) {
            const bool is_known = it.count != NO_COUNT || (it.stars == 1 && (it.of >= 0 || it.code == 's'));
            if (it.stars)
                one(at + it.offset, it, is_known ? it.items(at) : 0);
            else
                follow_all(at + it.offset, it, it.bytes / item_bytes(it), follow);
        }
    }
}

/* Structures and all that they point to, one block after the other. A pointer is an offset; 0 is NULL. */
class Copy
{
  public:
    /* Returns the offset. Copies an array that several pointers share once. */
    size_t add(const char *from, const Member &item, size_t count)
    {
        const size_t size = item.code == 's' && !item.stars ? strlen(from) + 1 : item_bytes(item) * count;
        const auto key = std::make_tuple(from, item.code, item.stars, item.of, size);
        const auto known = offset_.find(key);
        if (known != offset_.end()) return known->second;
        std::vector<char> own(from, from + size);
        follow_all(own.data(), item, count, [&](char *&to, const Member &what, size_t many) {
            to = to && many ? reinterpret_cast<char *>(add(to, what, many)) : nullptr;
        });
        const size_t offset = bytes.size();
        bytes.insert(bytes.end(), own.begin(), own.end());
        bytes.resize((bytes.size() + 7) / 8 * 8);
        return offset_[key] = offset;
    }
    std::vector<char> bytes = std::vector<char>(8);

  private:
    std::map<std::tuple<const char *, char, int, int, size_t>, size_t> offset_;
};

/* Makes the offsets in `count` items at `offset`, and in what they point to, pointers. */
static void place(std::vector<char> &block, size_t offset, const Member &item, size_t count,
                  std::unordered_set<size_t> &placed)
{
    if (offset > block.size() || count > (block.size() - offset) / item_bytes(item))
        throw nb::value_error("rows: the copy is damaged");
    if (!placed.insert(offset).second) return;
    follow_all(block.data() + offset, item, count, [&](char *&to, const Member &what, size_t many) {
        const size_t at = reinterpret_cast<size_t>(to);
        if (!at) return;
        place(block, at, what, many, placed);
        to = block.data() + at;
    });
}

static Member item_of(const Struct &type)
{
    return {"", 0, 0, 'S', 0, static_cast<int>(&type - structs.data())};
}

/* (structure, count, offset, bytes): the arguments of copied_rows. */
nb::tuple Rows::copy() const
{
    Copy copy;
    const size_t offset = copy.add(row_, item_of(*type_), count_);
    return nb::make_tuple(type(), count_, offset, nb::bytes(copy.bytes.data(), copy.bytes.size()));
}

static Rows copied_rows(const char *name, size_t count, size_t offset, const nb::bytes &bytes)
{
    const auto *data = static_cast<const char *>(bytes.data());
    const auto block = std::make_shared<std::vector<char>>(data, data + bytes.size());
    std::unordered_set<size_t> placed;
    place(*block, offset, item_of(struct_of(name)), count, placed);
    return Rows(block, block->data() + offset, count, struct_of(name));
}

/* (bytes, [(name, code, stars, structure or "", offset, bytes)]) */
static nb::tuple members(const char *name)
{
    const Struct &type = struct_of(name);
    nb::list out;
    for (const Member &it : type.member)
        out.append(nb::make_tuple(it.name, std::string(1, it.code), it.stars,
                                  it.of < 0 ? "" : structs[it.of].name, it.offset, it.bytes));
    return nb::make_tuple(type.bytes, out);
}

void bind_struct(nb::module_ &module)
{
    nb::class_<Rows>(module, "Rows", "Structures of the library, which belong to an answer.")
        .def("__getattr__", &Rows::get)
        .def("__len__", &Rows::size)
        .def_prop_ro("__array_interface__", &Rows::interface)
        .def_prop_ro("struct", &Rows::type)
        .def_prop_ro("address", [](const Rows &self) { return reinterpret_cast<uintptr_t>(self.row()); })
        .def("part", &Rows::part)
        .def("follow", &Rows::follow)
        .def("copy", &Rows::copy);
    module.def("copied_rows", copied_rows);
    module.def("members", members);
    module.def("texts", texts);
}
