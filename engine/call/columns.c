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
    size_t offset;     /* in the structure */
    member_kind kind;
    size_t bytes;            /* of one number, text or row */
    bool is_array;           /* the member points to an array, */
    size_t count;            /* and the member at this offset counts its elements */
    double scale;            /* 0: sent as it is; else rounded to an integer: units to a degree or metre */
    const mcd_structure *of; /* the rows' structure */
} member;

struct mcd_structure {
    member member[32]; /* the last one has no field */
};

#define KIND(s, m)                                                                                           \
    _Generic(((macadam_##s *)0)->m, const char *: IS_TEXT, uint32_t *: IS_PER_QUANTITY,                      \
             int32_t *: IS_PER_QUANTITY, default: IS_NUMBER)
#define BYTES(s, m)      sizeof(((macadam_##s *)0)->m)
#define ITEM_BYTES(s, m) (KIND(s, m) == IS_PER_QUANTITY ? sizeof(uint32_t) : BYTES(s, m))
#define MEMBER(s, m, field, ...)                                                                             \
    {                                                                                                        \
        field, offsetof(macadam_##s, m), __VA_ARGS__                                                         \
    }
/* A member that each row has, */
#define AS(s, m, field)            MEMBER(s, m, field, KIND(s, m), ITEM_BYTES(s, m), false, 0, 0, NULL)
#define OWN(s, m)                  AS(s, m, #m)
#define SCALED(s, m, field, scale) MEMBER(s, m, field, IS_NUMBER, BYTES(s, m), false, 0, scale, NULL)
#define ROW(s, m, of)              MEMBER(s, m, #m, IS_ROWS, BYTES(s, m), false, 0, 0, of)
/* and an array with the member that counts it. */
#define COUNTED(s, m, n, field, kind, scale, of)                                                             \
    MEMBER(s, m, field, kind, BYTES(s, m[0]), true, offsetof(macadam_##s, n), scale, of)
#define ARRAY(s, m, n)                      COUNTED(s, m, n, #m, IS_NUMBER, 0, NULL)
#define TEXTS(s, m, n)                      COUNTED(s, m, n, #m, IS_TEXT, 0, NULL)
#define SCALED_ARRAY(s, m, n, field, scale) COUNTED(s, m, n, field, IS_NUMBER, scale, NULL)
#define ROWS(s, m, n, of)                   COUNTED(s, m, n, #m, IS_ROWS, 0, of)

static const mcd_structure of_leg = {
    {OWN(leg, value), OWN(leg, first_arc), OWN(leg, last_arc), OWN(leg, first_step), OWN(leg, last_step)}};

static const mcd_structure of_segment = {{OWN(segment, value), OWN(segment, arc), OWN(segment, from),
                                          OWN(segment, to), OWN(segment, length_m), OWN(segment, speed_kmh)}};

static const mcd_structure of_route_arc = {
    {OWN(route_arc, tail), OWN(route_arc, head), AS(route_arc, arc, "number"), OWN(route_arc, way),
     OWN(route_arc, name), OWN(route_arc, value), OWN(route_arc, first_shape), OWN(route_arc, last_shape),
     OWN(route_arc, from), OWN(route_arc, to), OWN(route_arc, price)}};

static const mcd_structure of_road = {{OWN(road, tail), OWN(road, head), AS(road, arc, "number"),
                                       OWN(road, way), OWN(road, name), OWN(road, first_shape),
                                       OWN(road, last_shape)}};

const mcd_structure mcd_of_snap = {{OWN(snap, status), OWN(snap, id), OWN(snap, lon), OWN(snap, lat),
                                    OWN(snap, distance_m), OWN(snap, arc), OWN(snap, way), OWN(snap, name)}};

const mcd_structure mcd_of_route = {
    {OWN(route, found), OWN(route, value), ROWS(route, waypoint, waypoint_count, &mcd_of_snap),
     ROWS(route, leg, leg_count, &of_leg), ROWS(route, arc, arc_count, &of_route_arc),
     SCALED_ARRAY(route, lon, shape_count, "lon_e7", 1e7),
     SCALED_ARRAY(route, lat, shape_count, "lat_e7", 1e7), OWN(route, reason), OWN(route, reason_waypoint),
     SCALED_ARRAY(route, height_m, shape_count, "height_dm", 10),
     ROWS(route, segment, segment_count, &of_segment), ARRAY(route, total, total_count)}};

const mcd_structure mcd_of_step = {{OWN(step, exit), OWN(step, bearing_before), OWN(step, bearing_after),
                                    OWN(step, rotary_name), OWN(step, mode), OWN(step, drives_left),
                                    OWN(step, value), OWN(step, first_arc), OWN(step, last_arc),
                                    OWN(step, first_shape), OWN(step, last_shape)}};

const mcd_structure mcd_of_facts = {{OWN(road_facts, name), OWN(road_facts, ref),
                                     OWN(road_facts, destination), AS(road_facts, exit, "exit_name")}};

const mcd_structure mcd_of_intersection = {{SCALED(intersection, lon, "lon_e7", 1e7),
                                            SCALED(intersection, lat, "lat_e7", 1e7),
                                            OWN(intersection, flags)}};

const mcd_structure mcd_of_branch = {{OWN(branch, bearing), OWN(branch, entry)}};

const mcd_structure mcd_of_lane = {{AS(lane, modifiers, "lane"), AS(lane, valid, "lane_valid")}};

const mcd_structure mcd_of_roads = {{ROWS(roads, road, road_count, &of_road)}};
const mcd_structure mcd_of_roads_points = {{SCALED_ARRAY(roads, lon, shape_count, "lon_e7", 1e7),
                                            SCALED_ARRAY(roads, lat, shape_count, "lat_e7", 1e7)}};

const mcd_structure mcd_of_isochrone = {{ROW(isochrone, source, &mcd_of_snap)}};
const mcd_structure mcd_of_isochrone_points = {{SCALED_ARRAY(isochrone, lon, shape_count, "lon_e7", 1e7),
                                                SCALED_ARRAY(isochrone, lat, shape_count, "lat_e7", 1e7)}};

const mcd_structure mcd_of_reached_arc = {{ROW(reached_arc, road, &of_road), OWN(reached_arc, cost),
                                           OWN(reached_arc, weight), OWN(reached_arc, from)}};

const mcd_structure mcd_of_rings = {{ROWS(rings, source, source_count, &mcd_of_snap),
                                     ARRAY(rings, width_m, source_count), ARRAY(rings, lon, point_count),
                                     ARRAY(rings, lat, point_count)}};

const mcd_structure mcd_of_matches = {{ARRAY(matches, arc, arc_count)}};

const mcd_structure mcd_of_match_point = {{OWN(match_point, status), OWN(match_point, matching),
                                           OWN(match_point, waypoint), OWN(match_point, alternatives),
                                           ROW(match_point, snap, &mcd_of_snap), OWN(match_point, along)}};

const mcd_structure mcd_of_matching = {{OWN(matching, trace), OWN(matching, waypoint_count),
                                        OWN(matching, confidence), OWN(matching, distance_m),
                                        OWN(matching, duration_s), OWN(matching, first_arc),
                                        OWN(matching, last_arc)}};

const mcd_structure mcd_of_trip = {{OWN(trip, found), OWN(trip, cost), ARRAY(trip, order, stop_count),
                                    ROWS(trip, stop, stop_count, &mcd_of_snap)}};

const mcd_structure mcd_of_connection = {
    {OWN(connection, connected), OWN(connection, hops), ARRAY(connection, id, node_count),
     ROW(connection, source, &mcd_of_snap), ROW(connection, target, &mcd_of_snap)}};

const mcd_structure mcd_of_tile = {{OWN(tile, row), OWN(tile, rows), OWN(tile, column), OWN(tile, columns)}};

const mcd_structure mcd_of_info = {{OWN(info, file_format),
                                    OWN(info, file_bytes),
                                    OWN(info, source),
                                    OWN(info, profile),
                                    OWN(info, build),
                                    OWN(info, device),
                                    OWN(info, id_count),
                                    OWN(info, node_count),
                                    OWN(info, arc_count),
                                    OWN(info, component_count),
                                    OWN(info, restriction_count),
                                    OWN(info, up_arc_count),
                                    OWN(info, height),
                                    OWN(info, has_coordinates),
                                    OWN(info, has_geometry),
                                    OWN(info, west),
                                    OWN(info, south),
                                    OWN(info, east),
                                    OWN(info, north),
                                    OWN(info, device_reason),
                                    OWN(info, device_bytes),
                                    OWN(info, idle_host_bytes),
                                    OWN(info, idle_device_bytes),
                                    OWN(info, has_heights),
                                    OWN(info, has_node_ids),
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
        if (rows.first) rows.first = (const char *)rows.first + m->bytes;
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
        assert(field); /* the catalogue names the fields as the message does */
        MCD_TRY(fill_field(call, m, rows, message, field));
        next = (unsigned)(field - of->fields) + 1;
    }
    return MACADAM_OK;
}

macadam_status mcd_call_new_messages(mcd_call *call, const ProtobufCMessageDescriptor *of, size_t count,
                                     ProtobufCMessage ***list)
{
    const size_t bytes = sizeof **list + of->sizeof_message;
    *list = mcd_arena_allocate(&call->arena, count, bytes); /* the list, then the messages */
    if (!*list) return mcd_fail_memory(call->error, count * bytes, of->name);
    for (size_t i = 0; i < count; ++i) {
        (*list)[i] = (ProtobufCMessage *)((char *)(*list + count) + i * of->sizeof_message);
        of->message_init((*list)[i]);
    }
    return MACADAM_OK;
}
