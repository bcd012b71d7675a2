/* isochrone_json.c - isochrones as GeoJSON: areas and reached arcs. */
#include "bindings/formats/line.h"
#include "bindings/formats/record.h"

#include <math.h>

static void add_area(mcd_text *text, const macadam_rings *rings, size_t area)
{
    mcd_text_json(text, "{'type':'MultiPolygon','coordinates':[");
    for (size_t p = rings->first_polygon[area]; p < rings->first_polygon[area + 1]; ++p) {
        mcd_text_json(text, "[");
        for (size_t ring = rings->first_ring[p]; ring < rings->first_ring[p + 1]; ++ring) {
            mcd_text_comma(text);
            mcd_text_add(text, "[");
            for (size_t i = rings->first_point[ring]; i < rings->first_point[ring + 1]; ++i) {
                mcd_text_comma(text);
                mcd_text_position(text, rings->lon[i], rings->lat[i]);
            }
            mcd_text_add(text, "]");
        }
        mcd_text_add(text, "]");
    }
    mcd_text_add(text, "]}");
}

macadam_status macadam_format_rings_geojson(macadam_text *out, const macadam_rings *rings,
                                            const uint32_t *limit, const macadam_format_options *options,
                                            macadam_error *error)
{
    mcd_text text;
    const macadam_status status = mcd_text_open(&text, out, limit ? rings : NULL, options, 1, error);
    if (status) return status;
    mcd_text_json(&text, "{'type':'FeatureCollection','features':[");
    for (size_t s = 0; s < rings->source_count; ++s)
        for (size_t l = rings->limit_count; l-- > 0;) {
            const size_t area = s * rings->limit_count + l;
            mcd_text_json(&text, "{'type':'Feature','geometry':");
            add_area(&text, rings, area);
            mcd_text_json(&text, "'properties':{'source':%zu,'source_status':%s,'metric':%s,'limit':", s,
                          macadam_place_status_name(rings->source[s].status), text.options.quantity[0]);
            mcd_text_cost(&text, limit[l], text.options.per_unit ? text.options.per_unit[0] : 1);
            mcd_text_json(&text, "'km2':");
            mcd_text_decimal(&text, llround(rings->area_m2[area]), 6);
            mcd_text_add(&text, "}}");
        }
    mcd_text_add(&text, "]}");
    return mcd_text_finish(&text, out, error);
}

macadam_status macadam_format_isochrone_geojson(macadam_text *out, const macadam_isochrone *isochrone,
                                                const macadam_format_options *options, macadam_error *error)
{
    mcd_text text;
    const macadam_status status = mcd_text_open(&text, out, isochrone, options, 1, error);
    if (status) return status;
    mcd_text_json(&text, "{'type':'FeatureCollection','features':[");
    mcd_records road =
        mcd_records_of(&text, &mcd_record_bare, MCD_STRUCTURE(reached_arc), "tail,head,arc,way,name");
    mcd_line line = {0};
    for (size_t i = 0; i < isochrone->arc_count; ++i) {
        const macadam_reached_arc *const arc = &isochrone->arc[i];
        const size_t first = arc->road.first_shape;
        line.count = 0;
        mcd_line_add(&line, isochrone->lon + first, isochrone->lat + first, NULL,
                     arc->road.end_shape - first);
        mcd_text_json(&text, "{'type':'Feature','geometry':");
        mcd_line_write_geometry(&text, &line);
        mcd_text_json(&text, "'properties':{");
        mcd_record_put(&road, arc);
        mcd_text_json(&text, "%s:", text.options.quantity[0]);
        mcd_text_value(&text, 0, arc->cost);
        mcd_text_json(&text, "'weight':");
        mcd_text_value(&text, 0, arc->weight);
        mcd_text_json(&text, "'from':%.10f,'to':%.10f}}", arc->from, isochrone->to[i]);
    }
    mcd_line_free(&line);
    mcd_text_add(&text, "]}");
    return mcd_text_finish(&text, out, error);
}
