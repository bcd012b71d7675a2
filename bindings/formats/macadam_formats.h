/** @file macadam_formats.h
 * Answers of Macadam as text that others read: JSON, GeoJSON (RFC 7946), encoded polylines. Link libmacadam_formats,
 * beside libmacadam or libmacadam_import.
 *
 * Each function writes *out, which the caller frees with macadam_text_free. It returns MACADAM_OK, MACADAM_E_MEMORY or
 * MACADAM_E_INVALID; on failure *out is empty. Numbers are written the same in every locale; coordinates have up to seven
 * decimals. Any number of threads may call any function concurrently. */
#ifndef MACADAM_FORMATS_H
#define MACADAM_FORMATS_H

#include <macadam.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Text in UTF-8 that the library allocated with malloc. */
typedef struct macadam_text {
    char *data;  /**< the text, with a zero after it */
    size_t size; /**< its length in bytes, without the zero */
} macadam_text;

/** Frees the text and sets it to NULL and 0. */
MACADAM_API void macadam_text_free(macadam_text *text);

/** How an answer is written. */
typedef struct macadam_format_options {
    size_t size;                 /**< set by MACADAM_FORMAT_OPTIONS_INIT */
    size_t quantity_count;       /**< how many quantities the answer has, at most MACADAM_QUANTITIES_MAX */
    const char *const *quantity; /**< [quantity_count] their names, in the order of the answer */
    /** [quantity_count] costs are divided by these powers of ten, and are exact: 1000 makes seconds of
     * milliseconds. NULL = 1. */
    const uint32_t *per_unit;
    const char *language; /**< of the sentences of steps: macadam_language_name; NULL = English */
    const char
        *mode; /**< what steps that the profile travels call their mode, such as "driving"; NULL = "" */
    /** [macadam_info::quantity_count] the names of the file's quantities, and by what their sums are divided, as per_unit:
     * for macadam_route::total, which is left out if they are NULL. */
    const char *const *total;
    const uint32_t *total_per_unit; /**< likewise; NULL = 1 */
    const bool
        *is_signed;      /**< [quantity_count] which may be negative: macadam_info::is_signed; NULL = none */
    macadam_units units; /**< of the distances in sentences of steps: macadam_text_options */
    bool lanes;          /**< the sentences say which lanes to use: likewise */
} macadam_format_options;

/** Initializes a macadam_format_options. */
#define MACADAM_FORMAT_OPTIONS_INIT MACADAM_INIT(macadam_format_options)

/** Encodes a line as Google's polyline. `decimals`: 5 (the common one) or 6. */
MACADAM_API macadam_status macadam_format_polyline(macadam_text *out, const double *lon, const double *lat,
                                                   size_t point_count, unsigned decimals,
                                                   macadam_error *error);

/** Encodes the line of a route; repeated points are left out. A route that was not found is empty. */
MACADAM_API macadam_status macadam_format_route_polyline(macadam_text *out, const macadam_route *route,
                                                         unsigned decimals, macadam_error *error);

/** Writes a route as a JSON object: found, reason, costs, waypoints, legs (with
 * steps, if the route has some, named as in OSRM's HTTP API), summary, nodes, arcs; if the map has heights, also
 * ascent_m and descent_m (along its points), and profile: [longitude, latitude, height in metres] of each point. */
MACADAM_API macadam_status macadam_format_route_json(macadam_text *out, const macadam_route *route,
                                                     const macadam_format_options *options,
                                                     macadam_error *error);

/** Writes a route as a GeoJSON Feature: a LineString (null if it was not found; this and other lines are MultiLineStrings
 * where they cross the 180th meridian: RFC 7946, section 3.1.9), costs, legs, summary. If the map has
 * heights, they are the third coordinates, and there are ascent_m and descent_m. */
MACADAM_API macadam_status macadam_format_route_geojson(macadam_text *out, const macadam_route *route,
                                                        const macadam_format_options *options,
                                                        macadam_error *error);

/** Writes matched traces as a JSON object: matchings (with legs, summary, nodes and arcs, if their routes were
 * requested) and points. request: the request of the answer; only its `first` counts. name: [trace_count]
 * what the traces are called; NULL: by their positions. */
MACADAM_API macadam_status macadam_format_matches_json(macadam_text *out, const macadam_matches *matches,
                                                       const macadam_match_request *request,
                                                       const char *const *name,
                                                       const macadam_format_options *options,
                                                       macadam_error *error);

/** Writes matched traces as a GeoJSON FeatureCollection: a LineString for each matching (null without its route),
 * and a Point for each point (null if it has no match). Arguments as above. */
MACADAM_API macadam_status macadam_format_matches_geojson(macadam_text *out, const macadam_matches *matches,
                                                          const macadam_match_request *request,
                                                          const char *const *name,
                                                          const macadam_format_options *options,
                                                          macadam_error *error);

/** Writes areas as a GeoJSON FeatureCollection: a MultiPolygon for each source and limit, the largest limit
 * of a source first, so that later ones are drawn over it. limit: [rings->limit_count] as requested; options:
 * of one quantity, the objective. Properties: source (its position), source_status, metric, limit, km2. */
MACADAM_API macadam_status macadam_format_rings_geojson(macadam_text *out, const macadam_rings *rings,
                                                        const uint32_t *limit,
                                                        const macadam_format_options *options,
                                                        macadam_error *error);

/** Writes reached arcs as a GeoJSON FeatureCollection of LineStrings, with the members of macadam_reached_arc
 * as properties. options: as for areas. */
MACADAM_API macadam_status macadam_format_isochrone_geojson(macadam_text *out,
                                                            const macadam_isochrone *isochrone,
                                                            const macadam_format_options *options,
                                                            macadam_error *error);

/** A stretch of a route: arcs that follow each other under one name. It ends where the name changes, and at
 * every waypoint. */
typedef struct macadam_stretch {
    const char *name;                       /**< of the road, or ""; borrowed from the route */
    size_t first_arc;                       /**< its arcs are first_arc <= i < end_arc */
    size_t end_arc;                         /**< likewise */
    uint32_t value[MACADAM_QUANTITIES_MAX]; /**< the sums of its arcs' costs */
} macadam_stretch;

/** Moves to the next stretch of a route; zero *stretch before the first. Returns false after the last one. */
MACADAM_API bool macadam_stretch_next(macadam_stretch *stretch, const macadam_route *route,
                                      size_t quantity_count);

#ifdef __cplusplus
}
#endif
#endif
