/* record.c - see record.h. */
#include "bindings/formats/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { DECIMAL_BYTES = 340 };
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- "

const mcd_record_frame mcd_record_bare = {NULL, NULL, NULL, true};

/* ---- the list of fields ---- */

/* Own members come before those of structures within. */
static void find(mcd_record_field *field, const mcd_structure *structure, size_t offset, const char *name,
                 size_t bytes)
{
    const mcd_member *member = structure->member;
    while (member->name && (strlen(member->name) != bytes || memcmp(member->name, name, bytes) != 0))
        ++member;
    if (member->name) {
        field->member = member;
        field->offset = offset + member->offset;
        return;
    }
    for (member = structure->member; member->name && !field->member; ++member) {
        const bool is_facts = member->pointers == 1 && strcmp(member->name, "facts") == 0;
        if (member->code != 'S' || (member->pointers > 0 && !is_facts)) continue;
        field->facts = is_facts ? offset + member->offset : SIZE_MAX;
        find(field, &mcd_structures[member->structure], is_facts ? 0 : offset + member->offset, name, bytes);
    }
}

/* Takes a word from the list. */
static mcd_record_field next_field(const char **list, const mcd_structure *structure)
{
    mcd_record_field field = {.name = *list, .name_bytes = strcspn(*list, "=?,"), .facts = SIZE_MAX};
    field.is_plain = strspn(field.name, LETTERS) >= field.name_bytes;
    const char *name = **list == '*' ? "value" : *list;
    size_t bytes = **list == '*' ? strlen(name) : field.name_bytes;
    *list += field.name_bytes;
    if (**list == '=') name = *list + 1, bytes = strcspn(name, "?,"), *list = name + bytes;
    if (**list == '?') field.is_optional = true, ++*list;
    if (**list == ',') ++*list;
    if (structure) find(&field, structure, 0, name, bytes);
    return field;
}

static void add_costs(mcd_records *records, mcd_record_field field)
{
    for (size_t q = 0; q < records->text->options.quantity_count; ++q) {
        field.name = records->text->options.quantity[q];
        field.name_bytes = strlen(field.name);
        field.is_plain = strspn(field.name, LETTERS) == field.name_bytes;
        records->field[records->field_count++] = field;
    }
}

mcd_records mcd_records_of(mcd_text *text, const mcd_record_frame *frame, const mcd_structure *structure,
                           const char *list)
{
    mcd_records records = {.text = text, .frame = frame};
    uint64_t mentioned = 0; /* members of the structure itself */
    while (*list && !(structure && *list == '.')) {
        const bool is_hidden = *list == '!';
        list += is_hidden;
        const mcd_record_field field = next_field(&list, structure);
        for (size_t i = 0; field.member && structure->member[i].name; ++i)
            if (field.member == &structure->member[i]) mentioned |= UINT64_C(1) << i;
        if (field.name[0] == '*')
            add_costs(&records, field);
        else if (!is_hidden)
            records.field[records.field_count++] = field;
    }
    for (size_t i = 0; *list && structure && structure->member[i].name; ++i) {
        const char *name = structure->member[i].name;
        if (mentioned >> i & 1 || !structure->member[i].is_plain) continue;
        records.field[records.field_count] = next_field(&name, structure);
        records.field[records.field_count++].is_optional = true;
    }
    return records;
}

/* ---- records ---- */

void mcd_records_head(mcd_records *records)
{
    for (size_t i = 0; i < records->field_count; ++i) {
        if (i > 0) mcd_text_add(records->text, ",");
        mcd_text_bytes(records->text, records->field[i].name, records->field[i].name_bytes);
    }
    mcd_text_add(records->text, "\n");
}

void mcd_records_finish(mcd_records *records)
{
    if (!records->frame) return;
    if (records->count == 0) mcd_text_add(records->text, "[");
    mcd_text_add(records->text, records->frame->last);
}

/* Begins an object, unless that is done or the caller's. */
static void begin(mcd_records *records)
{
    if (records->has_begun || !records->frame || !records->frame->first) return;
    mcd_text_add(records->text, records->count ? records->frame->between : records->frame->first);
    mcd_text_bytes(records->text, "{", 1);
    records->has_begun = true;
}

void mcd_record_end(mcd_records *records)
{
    begin(records);
    mcd_text_add(records->text, records->frame ? "}" : "\n");
    records->at = 0;
    records->has_begun = false;
    ++records->count;
}

/* ---- fields ---- */

/* Writes what stands before a field. */
static mcd_text *next(mcd_records *records)
{
    mcd_text *const text = records->text;
    const mcd_record_field *const field = &records->field[records->at++];
    if (!records->frame) {
        if (records->at > 1) mcd_text_bytes(text, ",", 1);
        return text;
    }
    begin(records);
    mcd_text_comma(text);
    char *const to = field->is_plain ? mcd_text_room(text, field->name_bytes + 3) : NULL;
    if (to) {
        to[0] = '"';
        memcpy(to + 1, field->name, field->name_bytes);
        memcpy(to + 1 + field->name_bytes, "\":", 2);
        text->size += field->name_bytes + 3;
    } else {
        mcd_text_quoted(text, field->name, field->name_bytes);
        mcd_text_bytes(text, ":", 1);
    }
    return text;
}

static void write_null(mcd_records *records)
{
    mcd_text_add(next(records), records->frame ? "null" : "");
}

void mcd_record_empty(mcd_records *records)
{
    if (records->frame && records->frame->omits)
        ++records->at;
    else
        write_null(records);
}

void mcd_record_integer(mcd_records *records, int64_t value)
{
    mcd_text_integer(next(records), value);
}

void mcd_record_flag(mcd_records *records, bool value)
{
    if (records->frame)
        mcd_text_add(next(records), value ? "true" : "false");
    else
        mcd_record_integer(records, value);
}

void mcd_record_decimal(mcd_records *records, double value, unsigned decimals)
{
    char digits[DECIMAL_BYTES];
    if (isnan(value))
        mcd_record_empty(records);
    else if (records->frame)
        mcd_text_number(next(records), value, decimals);
    else
        mcd_text_bytes(next(records), digits,
                       (size_t)snprintf(digits, sizeof digits, "%.*f", (int)decimals, value));
}

void mcd_record_double(mcd_records *records, double value)
{
    char digits[DECIMAL_BYTES];
    int precision = 15, bytes;
    if (isnan(value)) {
        mcd_record_empty(records);
        return;
    }
    do bytes = snprintf(digits, sizeof digits, "%.*g", precision, value);
    while (precision++ < 17 && strtod(digits, NULL) != value);
    mcd_text_bytes(next(records), digits, (size_t)bytes);
}

/* In quotes where it must be. */
static void put_field(mcd_text *text, const char *field, size_t bytes)
{
    bool is_quoted = false;
    for (size_t i = 0; i < bytes && !is_quoted; ++i) is_quoted = strchr(",\"\r\n", field[i]) != NULL;
    if (is_quoted) mcd_text_add(text, "\"");
    for (size_t i = 0; i < bytes; ++i) {
        if (field[i] == '"') mcd_text_add(text, "\"");
        mcd_text_bytes(text, &field[i], 1);
    }
    if (is_quoted) mcd_text_add(text, "\"");
}

void mcd_record_bytes(mcd_records *records, const char *text, size_t bytes)
{
    if (records->frame)
        mcd_text_quoted(next(records), text, bytes);
    else
        put_field(next(records), text, bytes);
}

void mcd_record_text(mcd_records *records, const char *text)
{
    if (text)
        mcd_record_bytes(records, text, strlen(text));
    else
        write_null(records);
}

void mcd_record_cost(mcd_records *records, int64_t cost, uint32_t per_unit)
{
    if (cost == MACADAM_COST_NONE)
        write_null(records);
    else if (records->frame && records->frame->omits)
        mcd_text_decimal(next(records), cost, mcd_text_decimals(per_unit));
    else
        mcd_text_fixed(next(records), cost, mcd_text_decimals(per_unit));
}

void mcd_record_list(mcd_records *records, const int64_t *id, size_t count)
{
    if (!id) {
        mcd_record_empty(records);
        return;
    }
    mcd_text *const text = next(records);
    if (records->frame) mcd_text_add(text, "[");
    for (size_t i = 0; i < count; ++i) {
        if (i) mcd_text_add(text, records->frame ? "," : " ");
        mcd_text_integer(text, id[i]);
    }
    if (records->frame) mcd_text_add(text, "]");
}

void mcd_record_costs(mcd_records *records, const uint32_t *value)
{
    const macadam_format_options *const costs = &records->text->options;
    for (size_t q = 0; q < costs->quantity_count; ++q)
        mcd_record_cost(records, macadam_cost(value[q], costs->is_signed && costs->is_signed[q]),
                        costs->per_unit ? costs->per_unit[q] : 1);
}

/* ---- members ---- */

/* An object of numbers a quantity, left out where all are 0. */
static void write_prices(mcd_records *records, const int32_t *price)
{
    const macadam_format_options *const costs = &records->text->options;
    bool any = false;
    for (size_t q = 0; q < costs->quantity_count; ++q) any |= price[q] != 0;
    if (!any) {
        mcd_record_empty(records);
        return;
    }
    mcd_text *const text = next(records);
    mcd_text_add(text, "{");
    for (size_t q = 0; q < costs->quantity_count; ++q) {
        mcd_text_json(text, "%s:", costs->quantity[q]);
        mcd_text_cost(text, price[q], costs->per_unit ? costs->per_unit[q] : 1);
    }
    mcd_text_add(text, "}");
}

static void write_number(mcd_records *records, const mcd_record_field *field, const char *at)
{
    int64_t number = 0;
    memcpy(&number, at, field->member->bytes); /* the low bytes come first */
    if (field->member->code == 'i') number = (int32_t)number;
    if (field->is_optional && number == 0)
        mcd_record_empty(records);
    else if (field->member->code == '?')
        mcd_record_flag(records, number);
    else
        mcd_record_integer(records, number);
}

static void write_member(mcd_records *records, const mcd_record_field *field, const void *structure)
{
    static const macadam_road_facts no_facts = {"", "", "", "", "", "", 0, 0, 0, ""};
    const char *at = structure, *text;
    double decimal;
    if (field->facts != SIZE_MAX) memcpy(&at, at + field->facts, sizeof at);
    at = (at ? at : (const char *)&no_facts) + field->offset;
    const bool is_value = strcmp(field->member->name, "value") == 0;
    if (is_value && field->member->pointers > 0) memcpy(&at, at, sizeof at);
    if (is_value) {
        mcd_record_costs(records, (const void *)at);
    } else if (field->member->code == 's') {
        memcpy(&text, at, sizeof text);
        if (field->is_optional && (!text || !*text))
            mcd_record_empty(records);
        else
            mcd_record_text(records, text);
    } else if (field->member->code == 'd') {
        memcpy(&decimal, at, sizeof decimal);
        mcd_record_decimal(records, field->is_optional && decimal == field->member->usual ? NAN : decimal,
                           field->member->decimals);
    } else if (field->member->bytes > mcd_member_item_bytes(field->member)) {
        write_prices(records, (const void *)at);
    } else {
        write_number(records, field, at);
    }
}

void mcd_record_members(mcd_records *records, const void *structure)
{
    while (records->at < records->field_count && records->field[records->at].member)
        write_member(records, &records->field[records->at], structure);
}

void mcd_record_put(mcd_records *records, const void *structure)
{
    mcd_record_members(records, structure);
    records->at = 0;
}

void mcd_record_write(mcd_text *text, const mcd_structure *structure, const char *list, const void *at)
{
    mcd_records fields = mcd_records_of(text, &mcd_record_bare, structure, list);
    mcd_record_put(&fields, at);
}
