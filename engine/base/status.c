/* status.c - see status.h. */
#include "engine/base/status.h"
#include "engine/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>

/* Keeps a message on one line of a log, whatever bytes the names in files and requests hold: replaces control
 * characters (also those of two bytes) and bytes that are not UTF-8, or were cut off at the end, by '?'. */
static void make_line(char *message)
{
    mcd_utf8_repair(message);
    for (unsigned char *at = (unsigned char *)message; *at; ++at) {
        const bool long_control = at[0] == 0xc2 && at[1] < 0xa0;
        if (*at < ' ' || *at == 0x7f || long_control) *at = '?';
        if (long_control) *++at = '?';
    }
}

macadam_status mcd_fail(macadam_error *error, macadam_status status, const char *format, ...)
{
    if (!error) return status;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    make_line(error->message);
    return status;
}

macadam_status mcd_fail_memory(macadam_error *error, size_t bytes)
{
    return mcd_fail(error, MACADAM_E_MEMORY, "cannot allocate %zu bytes", bytes);
}

macadam_status mcd_fail_cancelled(macadam_error *error, const char *phase)
{
    return mcd_fail(error, MACADAM_E_CANCELLED, "cancelled in the phase \"%s\"", phase);
}

MCD_DEFINE_NAMES(macadam_status_name, macadam_status, "unknown status", [MACADAM_OK] = "ok",
                 [MACADAM_E_INVALID] = "invalid argument", [MACADAM_E_NOT_FOUND] = "not found",
                 [MACADAM_E_FILE] = "bad file", [MACADAM_E_IO] = "input/output failed",
                 [MACADAM_E_MEMORY] = "out of memory", [MACADAM_E_LIMIT] = "memory limit too small",
                 [MACADAM_E_CANCELLED] = "cancelled", [MACADAM_E_DEVICE] = "device failure",
                 [MACADAM_E_UNSUPPORTED] = "not in this file", [MACADAM_E_FULL] = "disk full")

MCD_DEFINE_NAMES(macadam_place_status_name, macadam_place_status,
                 "unknown", [MACADAM_PLACE_OK] = "ok", [MACADAM_PLACE_UNKNOWN_ID] = "unknown_id",
                 [MACADAM_PLACE_TOO_FAR] = "too_far", [MACADAM_PLACE_INVALID] = "invalid",
                 [MACADAM_PLACE_NO_COORDINATES] = "no_coordinates", [MACADAM_PLACE_CUT_OFF] = "cut_off",
                 [MACADAM_PLACE_MOVED] = "moved", [MACADAM_PLACE_UNREACHED] = "unreached")

macadam_place macadam_point(double lon, double lat)
{
    return (macadam_place){.kind = MACADAM_PLACE_POINT, .lon = lon, .lat = lat};
}

macadam_place macadam_node(int64_t id)
{
    return (macadam_place){.kind = MACADAM_PLACE_NODE, .id = id};
}

bool macadam_place_is_found(macadam_place_status status)
{
    return status == MACADAM_PLACE_OK ||
           (status >= MACADAM_PLACE_CUT_OFF && status <= MACADAM_PLACE_UNREACHED);
}

MCD_DEFINE_NAMES(macadam_route_reason_name, macadam_route_reason,
                 "unknown", [MACADAM_ROUTE_FOUND] = "found", [MACADAM_ROUTE_PLACE_FAILED] = "place_failed",
                 [MACADAM_ROUTE_NOT_CONNECTED] = "not_connected",
                 [MACADAM_ROUTE_START_BLOCKED] = "start_blocked", [MACADAM_ROUTE_END_BLOCKED] = "end_blocked")

const char *macadam_road_flag_name(macadam_road_flag flag)
{
    static const char *const name[] = {
        "roundabout", "circular", "link",    "motorway",         "toll",    "ferry", "train", "tunnel",
        "bridge",     "ford",     "unpaved", "destination_only", "private", "pushed"};
    for (size_t i = 0; i < sizeof name / sizeof *name; ++i)
        if ((unsigned)flag == 1u << i) return name[i];
    return NULL;
}
