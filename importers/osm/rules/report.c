/* report.c - see report.h. */
#include "importers/osm/rules/report.h"
#include "engine/base/grow.h"
#include "engine/base/memory.h"
#include "engine/base/system/platform.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { LISTED_MAX = 5 }; /* of each kind, unless all are wanted */

#define WHAT(kind, what) what,
static const char *const what_of[] = {MCD_REPORT_LINES(WHAT)};

/* Of a report that lists all objects, only the last one is compared: an object's things come together. */
static void list(mcd_report *report, const mcd_report_object *object)
{
    if (report->few && report->listed[object->kind] > LISTED_MAX) return;
    for (size_t i = report->object_count; i-- > 0;) {
        const mcd_report_object *const before = &report->object[i];
        const bool same = before->id == object->id && before->type == object->type;
        if (same && before->kind == object->kind) return;
        if (!same && !report->few) break;
    }
    if (MCD_GROW(report->object, report->capacity, report->object_count + 1, NULL)) {
        report->failed = true;
        return;
    }
    report->object[report->object_count++] = *object;
    ++report->listed[object->kind];
}

void mcd_report_add(mcd_report *report, mcd_report_kind kind)
{
    ++report->count[kind];
    report->at.kind = kind;
    list(report, &report->at);
}

macadam_status mcd_report_check(const mcd_report *report, macadam_error *error)
{
    return report->failed ? mcd_fail_memory(error, (report->capacity + 1) * sizeof *report->object)
                          : MACADAM_OK;
}

macadam_status mcd_report_join(mcd_report *report, mcd_report *part, macadam_error *error)
{
    for (int kind = 0; kind < MCD_REPORT_KINDS; ++kind) report->count[kind] += part->count[kind];
    for (size_t i = 0; i < part->object_count; ++i) list(report, &part->object[i]);
    report->failed = report->failed || part->failed;
    memset(part->count, 0, sizeof part->count);
    memset(part->listed, 0, sizeof part->listed);
    part->object_count = 0;
    return mcd_report_check(report, error);
}

static int compare_objects(const void *a, const void *b)
{
    const mcd_report_object *const x = a, *const y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return (x->id > y->id) - (x->id < y->id);
}

/* Writes "way/123"; returns its length. */
static int name_object(char *out, size_t bytes, const mcd_report_object *object)
{
    const char *const type = object->type == 'n' ? "node" : object->type == 'w' ? "way" : "relation";
    return snprintf(out, bytes, "%s/%lld", type, (long long)object->id);
}

/* Writes " (way/1, node/2)": the kind's first objects; "..." if there are more. */
static void name_objects(const mcd_report *report, uint32_t kind, char *out, size_t bytes)
{
    const mcd_report_object *first[LISTED_MAX + 1];
    size_t length = 0, count = 0;
    for (size_t i = 0; i < report->object_count && count <= LISTED_MAX; ++i) {
        size_t same = 0;
        if (report->object[i].kind != kind) continue;
        while (same < count && compare_objects(first[same], &report->object[i]) != 0) ++same;
        if (same == count) first[count++] = &report->object[i];
    }
    for (size_t n = 0; n < count && n < LISTED_MAX; ++n) {
        length += (size_t)snprintf(out + length, bytes - length, n ? ", " : " (");
        length += (size_t)name_object(out + length, bytes - length, first[n]);
    }
    if (count) snprintf(out + length, bytes - length, count > LISTED_MAX ? ", ...)" : ")");
}

void mcd_report_tell(const mcd_report *report, void (*take)(void *context, const char *line), void *context)
{
    char objects[256], line[512];
    for (uint32_t kind = 0; kind < MCD_REPORT_KINDS && take; ++kind) {
        if (report->count[kind] == 0) continue;
        objects[0] = '\0';
        name_objects(report, kind, objects, sizeof objects);
        snprintf(line, sizeof line, "%s%s: %llu%s", what_of[kind],
                 kind == MCD_REPORT_MISSING_TILES ? report->tile : "",
                 (unsigned long long)report->count[kind], objects);
        take(context, line);
    }
}

void mcd_report_free(mcd_report *report)
{
    mcd_free(report->object);
    *report = (mcd_report){.few = report->few, .profile = report->profile};
}

/* ---- files ---- */

typedef struct json_text {
    char *text;
    size_t length, capacity;
} json_text;

/* Appends at most PIECE_BYTES of text. */
__attribute__((format(printf, 3, 4))) static macadam_status put(json_text *out, macadam_error *error,
                                                                const char *format, ...)
{
    enum { PIECE_BYTES = 1024 };
    va_list values;
    MCD_TRY(MCD_GROW(out->text, out->capacity, out->length + PIECE_BYTES, error));
    va_start(values, format);
    out->length += (size_t)vsnprintf(out->text + out->length, PIECE_BYTES, format, values);
    va_end(values);
    return MACADAM_OK;
}

static macadam_status put_report(json_text *out, mcd_report *report, macadam_error *error)
{
    char id[32];
    const mcd_report_object *at = report->object, *const end = at ? at + report->object_count : NULL;
    if (at) qsort(report->object, report->object_count, sizeof *at, compare_objects);
    for (uint32_t kind = 0, any = 0; kind < MCD_REPORT_KINDS; ++kind) {
        if (report->count[kind] == 0) continue;
        MCD_TRY(put(out, error, "%s\n  {\"what\": \"%s\", \"count\": %llu, \"ids\": [", any++ ? "," : "",
                    what_of[kind], (unsigned long long)report->count[kind]));
        for (const mcd_report_object *const first = at; at < end && at->kind == kind; ++at) {
            if (at > first && compare_objects(at - 1, at) == 0) continue;
            name_object(id, sizeof id, at);
            MCD_TRY(put(out, error, "%s\"%s\"", at > first ? ", " : "", id));
        }
        MCD_TRY(put(out, error, "]}"));
    }
    return MACADAM_OK;
}

MCD_DEFINE_STATIC_FREE(free_text, json_text, it->text)

macadam_status mcd_report_write(const char *path, mcd_report *const *report, size_t count,
                                macadam_error *error)
{
    MCD_FREED_BY(mcd_platform_discard) mcd_output output = {0};
    MCD_FREED_BY(free_text) json_text out = {0};
    MCD_TRY(put(&out, error, "{\"profiles\": ["));
    for (size_t i = 0; i < count; ++i) {
        MCD_TRY(put(&out, error, "%s\n {\"profile\": \"", i ? "," : ""));
        for (const char *at = report[i]->profile; *at; ++at)
            MCD_TRY(put(&out, error, strchr("\"\\", *at) || (unsigned char)*at < ' ' ? "\\u%04x" : "%c",
                        (unsigned char)*at));
        MCD_TRY(put(&out, error, "\", \"counts\": ["));
        MCD_TRY(put_report(&out, report[i], error));
        MCD_TRY(put(&out, error, "\n ]}"));
    }
    MCD_TRY(put(&out, error, "\n]}\n"));
    MCD_TRY(mcd_platform_create(&output, path, error));
    MCD_TRY(mcd_platform_write(&output, out.text, out.length, 0, error));
    return mcd_platform_commit(&output, error);
}
