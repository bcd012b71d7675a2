/* python_struct.cpp - structures of macadam.h from and to Python. */
#include "bindings/python/src/python_struct.h"

#include <cstring>
#include <map>
#include <unordered_map>
#include <unordered_set>

const mcd_structure &struct_of(std::string_view name)
{
    for (const mcd_structure *it = mcd_structures; it->name; ++it)
        if (name == it->name) return *it;
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

enum { CHARACTERS = 'c' }; /* the code of what a text points to */

static bool is_pointer(const mcd_member &member)
{
    return member.pointers > 0 || member.code == 's';
}

/* The member to which a pointer points. */
static mcd_member pointed(mcd_member member)
{
    if (member.pointers > 0)
        --member.pointers;
    else
        member.code = CHARACTERS;
    return member;
}

static size_t item_bytes(const mcd_member &member)
{
    if (member.code == CHARACTERS) return 1;
    return is_pointer(member) ? sizeof(void *) : mcd_member_item_bytes(&member);
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
    const char *text = nb::cast<const char *>(string);
    Py_ssize_t bytes = 0;
    PyUnicode_AsUTF8AndSize(string.ptr(), &bytes);
    if (strlen(text) != static_cast<size_t>(bytes)) throw std::bad_cast(); /* it contains NUL */
    return text;
}

char *Kept::room(size_t bytes)
{
    return room_.emplace_front(new char[bytes]()).get();
}

/* ---- from Python ---- */

static void fill(char *out, const mcd_structure &type, const nb::dict &given, Kept &kept)
{
    const mcd_member &first = type.member[0];
    if (!strcmp(first.name, "size")) memcpy(out + first.offset, &type.bytes, sizeof type.bytes);
    for (const auto [key, value] : given) {
        const char *name = nb::cast<const char *>(key);
        const mcd_member *member = mcd_structure_find(&type, name);
        if (!member) throw nb::type_error((std::string(name) + ": there is no such argument").c_str());
        try {
            const size_t count = assign(out + member->offset, *member, value, kept);
            if (member->own_count != SIZE_MAX) memcpy(out + member->own_count, &count, sizeof count);
        } catch (const std::bad_cast &) {
            const std::string text = nb::repr(value).c_str();
            throw nb::type_error((std::string(name) + ": " + text + " does not fit").c_str());
        }
    }
}

size_t assign(void *out, const mcd_member &member, nb::handle value, Kept &kept)
{
    if (!is_pointer(member)) {
        if (member.code == 'S')
            memcpy(out, made(mcd_structures[member.structure].name, value, kept),
                   mcd_structures[member.structure].bytes);
        else if (member.code == '?' && PyLong_CheckExact(value.ptr())) /* which of an option's two words */
            *static_cast<bool *>(out) = nb::cast<int>(value) != 0;
        else
            with_type(member.code,
                      [&](auto it) { *static_cast<decltype(it) *>(out) = nb::cast<decltype(it)>(value); });
        return 1;
    }
    const void *&to = *static_cast<const void **>(out);
    const mcd_member item = pointed(member);
    if (value.is_none()) return 0;
    if (item.code == CHARACTERS) {
        to = kept.text(value);
    } else if (PyLong_Check(value.ptr())) {
        to = reinterpret_cast<void *>(nb::cast<uintptr_t>(value));
    } else if (nb::isinstance<nb::list>(value)) {
        const size_t bytes = item_bytes(item), count = nb::len(value);
        char *room = kept.room(bytes * count + 1);
        to = room;
        for (const nb::handle it : nb::borrow<nb::list>(value)) assign(room, item, it, kept), room += bytes;
        return count;
    } else if (nb::isinstance<nb::dict>(value) && item.structure >= 0) {
        to = made(mcd_structures[item.structure].name, value, kept);
    } else {
        const Py_buffer &buffer = kept.buffer(value);
        to = buffer.buf;
        return static_cast<size_t>(buffer.len) / item_bytes(item);
    }
    return 1;
}

void *made(std::string_view name, nb::handle given, Kept &kept)
{
    const mcd_structure &type = struct_of(name);
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

nb::object Rows::read(const char *at, const mcd_member &member, size_t count) const
{
    if (!is_pointer(member) && member.code == 'S')
        return nb::cast(Rows(owner_, at, 1, mcd_structures[member.structure]));
    if (!is_pointer(member) && member.bytes == item_bytes(member)) return number(at, member.code);
    if (!is_pointer(member)) {
        nb::list out;
        for (size_t i = 0; i < member.bytes; i += item_bytes(member)) out.append(number(at + i, member.code));
        return out;
    }
    const mcd_member item = pointed(member);
    const char *to = *reinterpret_cast<const char *const *>(at);
    if (item.code == CHARACTERS) return to ? nb::object(nb::str(to)) : nb::none();
    if (is_pointer(item)) {
        nb::list out;
        for (size_t i = 0; i < count; ++i) out.append(read(to + i * sizeof to, item, 1));
        return out;
    }
    if (member.code == 'S' && !to && member.count == SIZE_MAX) return nb::none();
    if (member.code == 'S') return nb::cast(Rows(owner_, to, count, mcd_structures[member.structure]));
    return nb::cast(nb::ndarray<nb::numpy, nb::ro>(
        to, 1, &count, capsule_of(owner_), nullptr,
        with_type(member.code, [](auto it) { return nb::dtype<decltype(it)>(); })));
}

nb::object Rows::get(const char *name) const
{
    const mcd_member *member = mcd_structure_find(type_, name);
    if (!member || !count_) throw nb::attribute_error(name);
    return read(row_ + member->offset, *member, mcd_member_items(member, {row_, 1, type_->bytes}).count);
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
    const mcd_structure &type = struct_of(name);
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
template <class Follow> static void follow_all(char *at, const mcd_member &item, size_t count, Follow follow)
{
    for (size_t i = 0; i < count; ++i, at += item_bytes(item)) {
        if (is_pointer(item)) {
            follow(*reinterpret_cast<char **>(at), pointed(item), 1);
            continue;
        }
        if (item.code != 'S') return;
        for (const mcd_member *it = mcd_structures[item.structure].member; it->name; ++it) {
            const bool is_known =
                it->count != SIZE_MAX || !it->pointers || (it->pointers == 1 && it->structure >= 0);
            if (is_pointer(*it))
                follow(*reinterpret_cast<char **>(at + it->offset), pointed(*it),
                       !is_known      ? 0
                       : it->pointers ? mcd_member_items(it, {at, 1, 0}).count
                                      : 1);
            else
                follow_all(at + it->offset, *it, it->bytes / item_bytes(*it), follow);
        }
    }
}

/* Structures and all that they point to, one block after the other. A pointer is an offset; 0 is NULL. */
class Copy
{
  public:
    /* Returns the offset. Copies an array that several pointers share once. */
    size_t add(const char *from, const mcd_member &item, size_t count)
    {
        const size_t size = item.code == CHARACTERS ? strlen(from) + 1 : item_bytes(item) * count;
        const auto key = std::make_tuple(from, item.code, item.pointers, item.structure, size);
        const auto known = offset_.find(key);
        if (known != offset_.end()) return known->second;
        std::vector<char> own(from, from + size);
        follow_all(own.data(), item, count, [&](char *&to, const mcd_member &what, size_t many) {
            to = to && many ? reinterpret_cast<char *>(add(to, what, many)) : nullptr;
        });
        const size_t offset = bytes.size();
        bytes.insert(bytes.end(), own.begin(), own.end());
        bytes.resize((bytes.size() + 7) / 8 * 8);
        return offset_[key] = offset;
    }
    std::vector<char> bytes = std::vector<char>(8);

  private:
    std::map<std::tuple<const char *, char, unsigned, int, size_t>, size_t> offset_;
};

/* Makes the offsets in `count` items at `offset`, and in what they point to, pointers. */
static void place(std::vector<char> &block, size_t offset, const mcd_member &item, size_t count,
                  std::unordered_set<size_t> &placed)
{
    if (offset > block.size() || count > (block.size() - offset) / item_bytes(item))
        throw nb::value_error("rows: the copy is damaged");
    if (!placed.insert(offset).second) return;
    follow_all(block.data() + offset, item, count, [&](char *&to, const mcd_member &what, size_t many) {
        const size_t at = reinterpret_cast<size_t>(to);
        if (!at) return;
        place(block, at, what, many, placed);
        to = block.data() + at;
    });
}

static mcd_member item_of(const mcd_structure &type)
{
    mcd_member out = {};
    out.code = 'S', out.structure = static_cast<int>(&type - mcd_structures);
    return out;
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

/* (bytes, [(name, code, pointers, structure or "", offset, bytes)]); a text is a pointer to characters. */
static nb::tuple members(const char *name)
{
    const mcd_structure &type = struct_of(name);
    nb::list out;
    for (const mcd_member *it = type.member; it->name; ++it)
        out.append(nb::make_tuple(it->name, std::string(1, it->code), it->pointers + (it->code == 's'),
                                  it->structure < 0 ? "" : mcd_structures[it->structure].name, it->offset,
                                  it->bytes));
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
