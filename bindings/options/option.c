/* option.c - see option.h. */
#include "bindings/options/option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TO(a_kind, member)                                                                                   \
    .kind = MCD_##a_kind, .at = offsetof(mcd_request, member), .bytes = sizeof(((mcd_request *)0)->member)

/* "Mo08:15", "PH08:15" or "PHMo08:15": a time without seconds. */
static bool is_slot(const char *text)
{
    uint32_t instant;
    return strlen(text) <= strlen("PHMo08:15") &&
           macadam_instant_read(&instant, text, "Z", NULL) == MACADAM_OK;
}

enum { TIME_BYTES = 64 };

/* Reads the times between commas; *out may be NULL. Returns as macadam_instant_read. */
static macadam_status read_times(const char *text, const char *utc_offset, uint32_t *out, size_t *count,
                                 macadam_error *error)
{
    for (*count = 0;; ++*count, ++text) {
        char time[TIME_BYTES];
        uint32_t instant;
        snprintf(time, sizeof time, "%.*s", (int)strcspn(text, ","), text);
        const macadam_status status = macadam_instant_read(&instant, time, utc_offset, error);
        if (status != MACADAM_OK) return status;
        if (out) out[*count] = instant;
        text += strcspn(text, ",");
        if (!*text) return ++*count, MACADAM_OK;
    }
}

static bool are_times(const char *text)
{
    size_t count;
    return read_times(text, "Z", NULL, &count, NULL) == MACADAM_OK;
}

static bool is_utc_offset(const char *text)
{
    uint32_t instant;
    return macadam_instant_read(&instant, "Mo00:00", text, NULL) == MACADAM_OK;
}

const mcd_option mcd_options[] = {
#include <options.inc>
};
const size_t mcd_option_count = sizeof mcd_options / sizeof *mcd_options;

mcd_request mcd_request_new(void)
{
    return (mcd_request){
        .query = MACADAM_QUERY_INIT,
        .conditions = MACADAM_CONDITIONS_INIT,
        .text = MACADAM_TEXT_OPTIONS_INIT,
        .route = MACADAM_ROUTE_REQUEST_INIT,
        .matrix = MACADAM_MATRIX_REQUEST_INIT,
        .reach = MACADAM_REACH_REQUEST_INIT,
        .rings = MACADAM_RINGS_REQUEST_INIT,
        .match = MACADAM_MATCH_REQUEST_INIT,
        .trip = MACADAM_TRIP_REQUEST_INIT,
    };
}

macadam_status mcd_clock_read(macadam_clock *out, const mcd_times *times, unsigned question,
                              macadam_error *error)
{
    const bool is_unix = question == MCD_MATCH && times->utc_offset && !times->depart;
    const char *const depart = is_unix ? "1970-01-01T00:00Z" : times->depart ? times->depart : "";
    const char *const arrive_by = times->arrive_by ? times->arrive_by : "";
    *out = (macadam_clock)MACADAM_CLOCK_INIT;
    out->each = times->each;
    uint32_t *const instant = calloc(strlen(depart) + strlen(arrive_by) + 1, sizeof *instant);
    if (!instant) return MACADAM_E_MEMORY;
    out->depart = instant;
    macadam_status status = *depart || times->depart
                                ? read_times(depart, times->utc_offset, instant, &out->depart_count, error)
                                : MACADAM_OK;
    out->arrive_by = instant + out->depart_count;
    if (status == MACADAM_OK && times->arrive_by)
        status =
            read_times(arrive_by, times->utc_offset, instant + out->depart_count, &out->arrive_count, error);
    return status;
}

uint32_t mcd_option_flag(const char *name, size_t bytes)
{
    static const char restricted[] = "restricted"; /* OSRM's name */
    const char *known;
    if (strlen(restricted) == bytes && memcmp(restricted, name, bytes) == 0)
        return MACADAM_ROAD_DESTINATION_ONLY;
    for (uint32_t flag = 1; (known = macadam_road_flag_name((macadam_road_flag)flag)); flag *= 2)
        if (strlen(known) == bytes && memcmp(known, name, bytes) == 0) return flag;
    return 0;
}

const mcd_option *mcd_option_refusing(unsigned questions, const char *name, size_t bytes)
{
    for (const mcd_option *option = mcd_options; option < mcd_options + mcd_option_count; ++option)
        if (option->questions & questions && option->refused && strlen(option->refused) == bytes &&
            memcmp(option->refused, name, bytes) == 0)
            return option;
    return NULL;
}

void mcd_option_store(const mcd_option *option, void *structure, uint64_t value)
{
    void *const at = (char *)structure + option->at;
    if (option->bytes == sizeof(uint8_t))
        *(uint8_t *)at = (uint8_t)value;
    else if (option->bytes == sizeof(unsigned))
        *(unsigned *)at = (unsigned)value;
    else
        *(uint64_t *)at = value;
}
