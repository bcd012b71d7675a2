/* match_json.c - matched traces as JSON and as GeoJSON. */
#include "bindings/formats/record.h"
#include "bindings/formats/route_json.h"

/* The data from which both formats are written. */
typedef struct matches_writer {
    mcd_text text;
    const macadam_matches *matches;
    const macadam_match_request *request;
    const char *const *name;
    bool features; /* GeoJSON */
    mcd_records matching, point, snap;
} matches_writer;

static void put_trace(matches_writer *writer, size_t trace)
{
    if (writer->name)
        mcd_text_json(&writer->text, "'trace':%s", writer->name[trace]);
    else
        mcd_text_json(&writer->text, "'trace':%zu", trace);
}

static void put_point(matches_writer *writer, size_t trace, size_t number)
{
    const macadam_match_point *const point = &writer->matches->point[number];
    const size_t *const first = writer->request->first;
    put_trace(writer, trace);
    mcd_text_json(&writer->text, "'point':%zu,'status':%s", number - (first ? first[trace] : 0),
                  macadam_match_status_name(point->status));
    if (point->status != MACADAM_MATCH_OK) return;
    mcd_record_put(&writer->point, point);
    mcd_record_put(&writer->snap, &point->snap);
}

/* ---- elements of the two formats ---- */

static void add_matching(matches_writer *writer, const macadam_matching *matching)
{
    mcd_text *const text = &writer->text;
    if (writer->features) {
        mcd_text_json(text, "{'type':'Feature','geometry':");
        mcd_text_route_line(text, matching->route);
    }
    mcd_text_json(text, writer->features ? "'properties':{" : "{");
    put_trace(writer, matching->trace);
    mcd_record_put(&writer->matching, matching);
    if (matching->route) mcd_text_costs(text, matching->route->value);
    if (matching->route) (writer->features ? mcd_text_put_legs : mcd_text_put_way)(text, matching->route);
    mcd_text_add(text, writer->features ? "}}" : "}");
}

static void add_point(matches_writer *writer, size_t trace, size_t number)
{
    const macadam_match_point *const point = &writer->matches->point[number];
    mcd_text *const text = &writer->text;
    const bool is_matched = point->status == MACADAM_MATCH_OK;
    if (writer->features)
        mcd_text_json(text, is_matched ? "{'type':'Feature','geometry':{'type':'Point','coordinates':"
                                       : "{'type':'Feature','geometry':null");
    if (writer->features && is_matched) {
        mcd_text_position(text, point->snap.lon, point->snap.lat);
        mcd_text_add(text, "}");
    }
    mcd_text_json(text, writer->features ? "'properties':{" : "{");
    put_point(writer, trace, number);
    mcd_text_add(text, writer->features ? "}}" : "}");
}

/* ---- both ---- */

static macadam_status format_matches(macadam_text *out, matches_writer writer,
                                     const macadam_format_options *options, macadam_error *error)
{
    mcd_text *const text = &writer.text;
    const macadam_matches *const matches = writer.request ? writer.matches : NULL;
    const macadam_status status = mcd_text_open(text, out, matches, options, 0, error);
    if (status) return status;
    writer.matching = mcd_records_of(text, &mcd_record_bare, MCD_STRUCTURE(matching),
                                     "points=waypoint_count,confidence,distance_m,duration_s?,!trace,...");
    writer.point = mcd_records_of(text, &mcd_record_bare, MCD_STRUCTURE(match_point),
                                  "matching,along,!status,!waypoint,!alternatives,...");
    writer.snap = mcd_records_of(text, &mcd_record_bare, MCD_STRUCTURE(snap), MCD_SNAP_MEMBERS);
    const size_t *const first = writer.request->first;
    mcd_text_json(&writer.text,
                  writer.features ? "{'type':'FeatureCollection','features':[" : "{'matchings':[");
    for (size_t i = 0; i < matches->matching_count; ++i) add_matching(&writer, &matches->matching[i]);
    if (!writer.features) mcd_text_add(&writer.text, "],\"points\":[");
    for (size_t i = 0, trace = 0; i < matches->point_count; ++i) {
        while (first && first[trace + 1] <= i) ++trace;
        add_point(&writer, trace, i);
    }
    mcd_text_add(&writer.text, "]}");
    return mcd_text_finish(text, out, error);
}

macadam_status macadam_format_matches_json(macadam_text *out, const macadam_matches *matches,
                                           const macadam_match_request *request, const char *const *name,
                                           const macadam_format_options *options, macadam_error *error)
{
    return format_matches(out, (matches_writer){.matches = matches, .request = request, .name = name},
                          options, error);
}

macadam_status macadam_format_matches_geojson(macadam_text *out, const macadam_matches *matches,
                                              const macadam_match_request *request, const char *const *name,
                                              const macadam_format_options *options, macadam_error *error)
{
    return format_matches(
        out, (matches_writer){.matches = matches, .request = request, .name = name, .features = true},
        options, error);
}
