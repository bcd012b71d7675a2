/* columns.c - see columns.h. Numbers are copied by their bytes, the lowest first, into fields that may be wider. */
#include "engine/call/columns.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static_assert(sizeof(size_t) == sizeof(uint64_t), "an array of one is read as an array of the other");
static_assert(sizeof(Macadam__V1__PlaceStatus) == sizeof(macadam_place_status),
              "an enum is copied as a number");

/* ---- the catalogue ---- */

typedef enum member_kind { IS_NUMBER, IS_TEXT, IS_PER_QUANTITY, IS_ROWS } member_kind;

typedef struct member {
    const char *field; /* of the message */
    member_kind kind;
    size_t offset, bytes;    /* in the structure; of one number, text or row */
    bool is_array;           /* the member points to an array, */
    size_t count;            /* and the member at this offset counts its elements */
    double scale;            /* 0: sent as it is; else rounded to an integer, so many to a degree or metre */
    const mcd_structure *of; /* the rows' structure */
} member;

struct mcd_structure {
    member member[32]; /* the last one has no field */
};

#define OFFSET(s, m) offsetof(macadam_##s, m)
#define BYTES(s, m)  sizeof(((macadam_##s *)0)->m)
#define NUMBER_AS(s, m, field)                                                                               \
    {                                                                                                        \
        field, IS_NUMBER, OFFSET(s, m), BYTES(s, m), false, 0, 0, NULL                                       \
    }
#define NUMBER(s, m) NUMBER_AS(s, m, #m)
#define SCALED(s, m, field, scale)                                                                           \
    {                                                                                                        \
        field, IS_NUMBER, OFFSET(s, m), BYTES(s, m), false, 0, scale, NULL                                   \
    }
#define TEXT_AS(s, m, field)                                                                                 \
    {                                                                                                        \
        field, IS_TEXT, OFFSET(s, m), BYTES(s, m), false, 0, 0, NULL                                         \
    }
#define TEXT(s, m) TEXT_AS(s, m, #m)
#define PER_QUANTITY(s, m)                                                                                   \
    {                                                                                                        \
#m, IS_PER_QUANTITY, OFFSET(s, m), BYTES(s, m[0]), false, 0, 0, NULL                                 \
    }
#define ROW(s, m, of)                                                                                        \
    {                                                                                                        \
#m, IS_ROWS, OFFSET(s, m), BYTES(s, m), false, 0, 0, of                                              \
    }
#define ARRAY(s, m, n)                                                                                       \
    {                                                                                                        \
#m, IS_NUMBER, OFFSET(s, m), BYTES(s, m[0]), true, OFFSET(s, n), 0, NULL                             \
    }
#define SCALED_ARRAY(s, m, n, field, scale)                                                                  \
    {                                                                                                        \
        field, IS_NUMBER, OFFSET(s, m), BYTES(s, m[0]), true, OFFSET(s, n), scale, NULL                      \
    }
#define TEXTS(s, m, n)                                                                                       \
    {                                                                                                        \
#m, IS_TEXT, OFFSET(s, m), BYTES(s, m[0]), true, OFFSET(s, n), 0, NULL                               \
    }
#define ROWS(s, m, n, of)                                                                                    \
    {                                                                                                        \
#m, IS_ROWS, OFFSET(s, m), BYTES(s, m[0]), true, OFFSET(s, n), 0, of                                 \
    }

static const mcd_structure of_leg = {{PER_QUANTITY(leg, value), NUMBER(leg, first_arc), NUMBER(leg, last_arc),
                                      NUMBER(leg, first_step), NUMBER(leg, last_step)}};

static const mcd_structure of_segment = {{PER_QUANTITY(segment, value), NUMBER(segment, arc),
                                          NUMBER(segment, from), NUMBER(segment, to),
                                          NUMBER(segment, length_m), NUMBER(segment, speed_kmh)}};

static const mcd_structure of_route_arc = {
    {NUMBER(route_arc, tail), NUMBER(route_arc, head), NUMBER_AS(route_arc, arc, "number"),
     NUMBER(route_arc, way), TEXT(route_arc, name), PER_QUANTITY(route_arc, value),
     NUMBER(route_arc, first_shape), NUMBER(route_arc, last_shape), NUMBER(route_arc, from),
     NUMBER(route_arc, to), PER_QUANTITY(route_arc, price)}};

static const mcd_structure of_road = {{NUMBER(road, tail), NUMBER(road, head), NUMBER_AS(road, arc, "number"),
                                       NUMBER(road, way), TEXT(road, name), NUMBER(road, first_shape),
                                       NUMBER(road, last_shape)}};

const mcd_structure mcd_of_snap = {{NUMBER(snap, status), NUMBER(snap, id), NUMBER(snap, lon),
                                    NUMBER(snap, lat), NUMBER(snap, distance_m), NUMBER(snap, arc),
                                    NUMBER(snap, way), TEXT(snap, name)}};

const mcd_structure mcd_of_route = {
    {NUMBER(route, found), PER_QUANTITY(route, value), ROWS(route, waypoint, waypoint_count, &mcd_of_snap),
     ROWS(route, leg, leg_count, &of_leg), ROWS(route, arc, arc_count, &of_route_arc),
     SCALED_ARRAY(route, lon, shape_count, "lon_e7", 1e7),
     SCALED_ARRAY(route, lat, shape_count, "lat_e7", 1e7), NUMBER(route, reason),
     NUMBER(route, reason_waypoint), SCALED_ARRAY(route, height_m, shape_count, "height_dm", 10),
     ROWS(route, segment, segment_count, &of_segment), ARRAY(route, total, total_count)}};

const mcd_structure mcd_of_step = {
    {NUMBER(step, exit), NUMBER(step, bearing_before), NUMBER(step, bearing_after), TEXT(step, rotary_name),
     NUMBER(step, mode), NUMBER(step, drives_left), PER_QUANTITY(step, value), NUMBER(step, first_arc),
     NUMBER(step, last_arc), NUMBER(step, first_shape), NUMBER(step, last_shape)}};

const mcd_structure mcd_of_facts = {{TEXT(road_facts, name), TEXT(road_facts, ref),
                                     TEXT(road_facts, destination), TEXT_AS(road_facts, exit, "exit_name")}};

const mcd_structure mcd_of_intersection = {{SCALED(intersection, lon, "lon_e7", 1e7),
                                            SCALED(intersection, lat, "lat_e7", 1e7),
                                            NUMBER(intersection, flags)}};

const mcd_structure mcd_of_branch = {{NUMBER(branch, bearing), NUMBER(branch, entry)}};

const mcd_structure mcd_of_lane = {
    {NUMBER_AS(lane, modifiers, "lane"), NUMBER_AS(lane, valid, "lane_valid")}};

const mcd_structure mcd_of_roads = {{ROWS(roads, road, road_count, &of_road),
                                     SCALED_ARRAY(roads, lon, shape_count, "lon_e7", 1e7),
                                     SCALED_ARRAY(roads, lat, shape_count, "lat_e7", 1e7)}};

const mcd_structure mcd_of_isochrone = {{ROW(isochrone, source, &mcd_of_snap),
                                         SCALED_ARRAY(isochrone, lon, shape_count, "lon_e7", 1e7),
                                         SCALED_ARRAY(isochrone, lat, shape_count, "lat_e7", 1e7)}};

const mcd_structure mcd_of_reached_arc = {{ROW(reached_arc, road, &of_road), NUMBER(reached_arc, cost),
                                           NUMBER(reached_arc, weight), NUMBER(reached_arc, from)}};

const mcd_structure mcd_of_rings = {{ROWS(rings, source, source_count, &mcd_of_snap),
                                     ARRAY(rings, width_m, source_count), ARRAY(rings, lon, point_count),
                                     ARRAY(rings, lat, point_count)}};

const mcd_structure mcd_of_matches = {{ARRAY(matches, arc, arc_count)}};

const mcd_structure mcd_of_match_point = {{NUMBER(match_point, status), NUMBER(match_point, matching),
                                           NUMBER(match_point, waypoint), NUMBER(match_point, alternatives),
                                           ROW(match_point, snap, &mcd_of_snap), NUMBER(match_point, along)}};

const mcd_structure mcd_of_matching = {{NUMBER(matching, trace), NUMBER(matching, waypoint_count),
                                        NUMBER(matching, confidence), NUMBER(matching, distance_m),
                                        NUMBER(matching, duration_s), NUMBER(matching, first_arc),
                                        NUMBER(matching, last_arc)}};

const mcd_structure mcd_of_trip = {{NUMBER(trip, found), NUMBER(trip, cost), ARRAY(trip, order, stop_count),
                                    ROWS(trip, stop, stop_count, &mcd_of_snap)}};

const mcd_structure mcd_of_connection = {
    {NUMBER(connection, connected), NUMBER(connection, hops), ARRAY(connection, id, node_count),
     ROW(connection, source, &mcd_of_snap), ROW(connection, target, &mcd_of_snap)}};

const mcd_structure mcd_of_tile = {
    {NUMBER(tile, row), NUMBER(tile, rows), NUMBER(tile, column), NUMBER(tile, columns)}};

const mcd_structure mcd_of_info = {{NUMBER(info, file_format),
                                    NUMBER(info, file_bytes),
                                    TEXT(info, source),
                                    TEXT(info, profile),
                                    TEXT(info, build),
                                    TEXT(info, device),
                                    NUMBER(info, id_count),
                                    NUMBER(info, node_count),
                                    NUMBER(info, arc_count),
                                    NUMBER(info, component_count),
                                    NUMBER(info, restriction_count),
                                    NUMBER(info, up_arc_count),
                                    NUMBER(info, height),
                                    NUMBER(info, has_coordinates),
                                    NUMBER(info, has_geometry),
                                    NUMBER(info, west),
                                    NUMBER(info, south),
                                    NUMBER(info, east),
                                    NUMBER(info, north),
                                    TEXT(info, device_reason),
                                    NUMBER(info, device_bytes),
                                    NUMBER(info, idle_host_bytes),
                                    NUMBER(info, idle_device_bytes),
                                    NUMBER(info, has_heights),
                                    NUMBER(info, has_node_ids),
                                    TEXTS(info, profiles, profile_count)}};

/* ---- the walk ---- */

static size_t bytes_of(const ProtobufCFieldDescriptor *field)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_STRING:
        return sizeof(uint64_t);
    default:
        return sizeof(uint32_t);
    }
}

/* Writes one number or text of `bytes` bytes. */
static macadam_status put(mcd_call *call, const member *m, const char *from, size_t bytes, char *to)
{
    if (m->kind == IS_TEXT) return mcd_call_encode_text(call, *(const char *const *)from, (char **)to);
    if (m->scale > 0) {
        const int32_t rounded = (int32_t)lround(*(const double *)from * m->scale);
        memcpy(to, &rounded, sizeof rounded);
        return MACADAM_OK;
    }
    if (m->bytes == bytes) { /* of a size that the compiler knows */
        if (bytes == sizeof(uint64_t)) memcpy(to, from, sizeof(uint64_t));
        if (bytes == sizeof(uint32_t)) memcpy(to, from, sizeof(uint32_t));
        return MACADAM_OK;
    }
    memset(to, 0, bytes);
    memcpy(to, from, mcd_size_min(m->bytes, bytes));
    return MACADAM_OK;
}

/* Lets a repeated field, or one message, be `value`. */
static void set(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, const void *value,
                size_t count)
{
    memcpy((char *)message + field->offset, &value, sizeof value);
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        memcpy((char *)message + field->quantifier_offset, &count, sizeof count);
}

static macadam_status fill_column(mcd_call *call, const member *m, mcd_rows rows, ProtobufCMessage *message,
                                  const ProtobufCFieldDescriptor *field)
{
    const size_t bytes = bytes_of(field), width = m->kind == IS_PER_QUANTITY ? call->quantity_count : 1;
    const char *row = rows.first;
    if (m->is_array && m->kind == IS_NUMBER && m->bytes == bytes && !(m->scale > 0)) {
        set(message, field, rows.first, rows.count);
        return MACADAM_OK;
    }
    char *const column = mcd_arena_allocate(&call->arena, rows.count * width, bytes), *to = column;
    if (!column) return mcd_fail_memory(call->error, rows.count * width * bytes, field->name);
    for (size_t i = 0; i < rows.count; ++i, row += rows.stride)
        for (size_t q = 0; q < width; ++q, to += bytes) MCD_TRY(put(call, m, row + q * m->bytes, bytes, to));
    set(message, field, column, rows.count * width);
    return MACADAM_OK;
}

/* A column per quantity, each a message. */
static macadam_status fill_values(mcd_call *call, const member *m, mcd_rows rows, ProtobufCMessage *message,
                                  const ProtobufCFieldDescriptor *field)
{
    ProtobufCMessage **list;
    const member one = {.kind = IS_NUMBER, .bytes = m->bytes};
    MCD_TRY(mcd_call_new_messages(call, field->descriptor, call->quantity_count, &list));
    for (size_t q = 0; q < call->quantity_count; ++q) {
        MCD_TRY(fill_column(call, &one, rows, list[q], &macadam__v1__column__descriptor.fields[0]));
        rows.first = (const char *)rows.first + m->bytes;
    }
    set(message, field, list, call->quantity_count);
    return MACADAM_OK;
}

/* A column of indexes into the column `names`. */
static macadam_status fill_names(mcd_call *call, mcd_rows rows, ProtobufCMessage *message,
                                 const ProtobufCFieldDescriptor *field)
{
    uint32_t *index;
    char **names;
    const char *row = rows.first;
    size_t count = 0;
    MCD_TRY(MCD_ARENA_NEW(&call->arena, index, rows.count, call->error));
    MCD_TRY(MCD_ARENA_NEW(&call->arena, names, rows.count, call->error));
    for (size_t i = 0; i < rows.count; ++i, row += rows.stride) {
        const char *const name = *(const char *const *)row;
        if (count == 0 || strcmp(name, names[count - 1]) != 0)
            MCD_TRY(mcd_call_encode_text(call, name, &names[count++]));
        index[i] = (uint32_t)(count - 1);
    }
    set(message, field, index, rows.count);
    set(message, protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "names"), names, count);
    return MACADAM_OK;
}

static macadam_status fill_message(mcd_call *call, const member *m, mcd_rows rows, ProtobufCMessage *message,
                                   const ProtobufCFieldDescriptor *field)
{
    ProtobufCMessage **own = NULL;
    MCD_TRY(mcd_call_new_messages(call, field->descriptor, 1, &own));
    set(message, field, *own, 1);
    return mcd_call_fill(call, m->of, rows, *own);
}

static macadam_status fill_field(mcd_call *call, const member *m, mcd_rows rows, ProtobufCMessage *message,
                                 const ProtobufCFieldDescriptor *field)
{
    const char *const row = rows.first;
    if (row) rows.first = row + m->offset;
    if (m->is_array) {
        rows = (mcd_rows){.stride = m->bytes};
        memcpy(&rows.first, row + m->offset, sizeof rows.first);
        memcpy(&rows.count, row + m->count, sizeof rows.count);
        if (!rows.first) rows.count = 0; /* absent */
    }
    if (m->kind == IS_ROWS) return fill_message(call, m, rows, message, field);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) return fill_values(call, m, rows, message, field);
    if (m->kind == IS_TEXT && field->type != PROTOBUF_C_TYPE_STRING)
        return fill_names(call, rows, message, field);
    if (field->label == PROTOBUF_C_LABEL_REPEATED) return fill_column(call, m, rows, message, field);
    return put(call, m, rows.first, bytes_of(field), (char *)message + field->offset);
}

/* The catalogue mostly has the order of the message: the field after the last one needs no search. */
static const ProtobufCFieldDescriptor *find_field(const ProtobufCMessageDescriptor *of, unsigned next,
                                                  const char *name)
{
    if (next < of->n_fields && strcmp(of->fields[next].name, name) == 0) return &of->fields[next];
    return protobuf_c_message_descriptor_get_field_by_name(of, name);
}

macadam_status mcd_call_fill(mcd_call *call, const mcd_structure *structure, mcd_rows rows,
                             ProtobufCMessage *message)
{
    const ProtobufCMessageDescriptor *const of = message->descriptor;
    unsigned next = 0;
    for (const member *m = structure->member; m->field; ++m) {
        const ProtobufCFieldDescriptor *const field = find_field(of, next, m->field);
        if (!field) continue;
        MCD_TRY(fill_field(call, m, rows, message, field));
        next = (unsigned)(field - of->fields) + 1;
    }
    return MACADAM_OK;
}

macadam_status mcd_call_new_messages(mcd_call *call, const ProtobufCMessageDescriptor *of, size_t count,
                                     ProtobufCMessage ***list)
{
    char *const message = mcd_arena_allocate(&call->arena, count, of->sizeof_message);
    if (!message) return mcd_fail_memory(call->error, count * of->sizeof_message, of->name);
    MCD_TRY(MCD_ARENA_NEW(&call->arena, *list, count, call->error));
    for (size_t i = 0; i < count; ++i) {
        (*list)[i] = (ProtobufCMessage *)(message + i * of->sizeof_message);
        of->message_init((*list)[i]);
    }
    return MACADAM_OK;
}
