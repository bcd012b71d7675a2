/* python_arrow.cpp - tables by the Arrow C stream interface, without a copy and without a library of Arrow's.
 * https://arrow.apache.org/docs/format/CDataInterface.html
 *
 * A column is a tuple (format, name, length, null_count, buffers, children, dictionary): buffers are arrays
 * or None; children are columns; dictionary is a column or None. The arrays are kept until their reader
 * releases them. */
#include "bindings/python/src/python_call.h"

extern "C" {
struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    ArrowSchema **children, *dictionary;
    void (*release)(ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    ArrowArray **children, *dictionary;
    void (*release)(ArrowArray *);
    void *private_data;
};
struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream *, ArrowSchema *);
    int (*get_next)(ArrowArrayStream *, ArrowArray *);
    const char *(*get_last_error)(ArrowArrayStream *);
    void (*release)(ArrowArrayStream *);
    void *private_data;
};
}

/* A column with the arrays that it points into. */
struct ArrowColumn {
    std::string format, name;
    int64_t length, null_count;
    std::vector<const void *> buffer;
    std::vector<std::shared_ptr<ArrowColumn>> child;
    std::shared_ptr<ArrowColumn> dictionary;
    std::vector<nb::object> kept;

    ~ArrowColumn()
    {
        if (kept.empty()) return;
        if (interpreter_ends()) { /* readers release from any thread, and at any time */
            new std::vector<nb::object>(std::move(kept));
            return;
        }
        const Locked locked;
        kept.clear();
    }
};

using ColumnPointer = std::shared_ptr<ArrowColumn>;

static ColumnPointer column_of(const nb::tuple &tuple)
{
    auto out = std::make_shared<ArrowColumn>();
    out->format = nb::cast<std::string>(tuple[0]);
    out->name = nb::cast<std::string>(tuple[1]);
    out->length = nb::cast<int64_t>(tuple[2]);
    out->null_count = nb::cast<int64_t>(tuple[3]);
    for (const nb::handle buffer : nb::cast<nb::list>(tuple[4])) {
        const void *data = nullptr;
        if (!buffer.is_none()) {
            const auto array = nb::cast<nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>>(buffer);
            data = array.data();
            out->kept.push_back(nb::borrow(buffer));
        }
        out->buffer.push_back(data);
    }
    for (const nb::handle child : nb::cast<nb::list>(tuple[5]))
        out->child.push_back(column_of(nb::cast<nb::tuple>(child)));
    if (!nb::handle(tuple[6]).is_none()) out->dictionary = column_of(nb::cast<nb::tuple>(tuple[6]));
    return out;
}

/* The private data of a schema or an array: its column, and the structures of its children. */
template <class Arrow> struct Export {
    ColumnPointer column;
    std::vector<Arrow> child;
    std::vector<Arrow *> child_pointer;
    Arrow dictionary = {};
};

template <class Arrow> static void release(Arrow *arrow)
{
    auto *kept = static_cast<Export<Arrow> *>(arrow->private_data);
    for (Arrow &child : kept->child)
        if (child.release) child.release(&child);
    if (kept->dictionary.release) kept->dictionary.release(&kept->dictionary);
    arrow->release = nullptr;
    delete kept;
}

static void set(ArrowSchema *out, const ArrowColumn &column)
{
    out->format = column.format.c_str();
    out->name = column.name.c_str();
    out->flags = 2; /* nullable */
}

static void set(ArrowArray *out, ArrowColumn &column)
{
    out->length = column.length;
    out->null_count = column.null_count;
    out->n_buffers = static_cast<int64_t>(column.buffer.size());
    out->buffers = column.buffer.data();
}

template <class Arrow> static void export_column(Arrow *out, const ColumnPointer &column)
{
    *out = {};
    auto *kept = new Export<Arrow>{column, std::vector<Arrow>(column->child.size()), {}, {}};
    out->private_data = kept;
    out->release = release<Arrow>;
    set(out, *column);
    for (size_t i = 0; i < column->child.size(); ++i) {
        export_column(&kept->child[i], column->child[i]);
        kept->child_pointer.push_back(&kept->child[i]);
    }
    out->n_children = static_cast<int64_t>(kept->child.size());
    out->children = kept->child_pointer.data();
    if (column->dictionary) {
        export_column(&kept->dictionary, column->dictionary);
        out->dictionary = &kept->dictionary;
    }
}

/* A stream of one batch. */
struct Stream {
    ColumnPointer table;
    bool done = false;
};

static ArrowArrayStream *stream_of(ColumnPointer table)
{
    auto *out = new ArrowArrayStream();
    out->private_data = new Stream{std::move(table)};
    out->get_schema = [](ArrowArrayStream *self, ArrowSchema *schema) {
        export_column(schema, static_cast<Stream *>(self->private_data)->table);
        schema->flags = 0;
        return 0;
    };
    out->get_next = [](ArrowArrayStream *self, ArrowArray *array) {
        auto *stream = static_cast<Stream *>(self->private_data);
        *array = {};
        if (!stream->done) export_column(array, stream->table);
        stream->done = true;
        return 0;
    };
    out->get_last_error = [](ArrowArrayStream *) -> const char * { return nullptr; };
    out->release = [](ArrowArrayStream *self) {
        delete static_cast<Stream *>(self->private_data);
        self->release = nullptr;
    };
    return out;
}

static void destroy(PyObject *capsule)
{
    auto *stream = static_cast<ArrowArrayStream *>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (stream->release) stream->release(stream);
    delete stream;
}

void bind_arrow(nb::module_ &module)
{
    module.def(
        "arrow_stream",
        [](const nb::tuple &table) {
            return nb::steal(PyCapsule_New(stream_of(column_of(table)), "arrow_array_stream", destroy));
        },
        nb::arg("table"));
}
