/* help.c - the commands, and what --help prints of them. */
#include "bindings/cli/output/help.h"
#include "bindings/cli/command.h"
#include "bindings/cli/output/wrap.h"

#include <string.h>

enum {
    METHODS = 16,
    TABLES = MCD_CSV | MCD_JSON | MCD_ARRAYS,
    ROUTES = MCD_CSV | MCD_JSON | MCD_GEOJSON | MCD_POLYLINES,
};

#define ROUTE_FORMATS                                                                                        \
    "  json                  found, costs, waypoints, legs, nodes and arcs\n"                                \
    "  geojson               a Feature with a LineString; needs coordinates, as all below\n"                 \
    "  polyline5, polyline6  an encoded polyline\n"

const cli_command_row cli_commands[] = {
    {CLI_IMPORT, "import", "make an edge file (.mcd) from OpenStreetMap or DIMACS data",
     "INPUT.osm.pbf... [--profile NAME]... [--heights DIR [--vehicle FILE]] -o FILE.mcd\n"
     "--weight NAME=PATH.gr[.gz]... [--coords PATH.co[.gz]] -o FILE.mcd",
     "OpenStreetMap data (.osm.pbf, .osm, .osc, .osh, .opl, .o5m; -: standard input) or one DIMACS file per "
     "quantity, all over the same arcs; the first quantity is the default metric. Several OpenStreetMap "
     "files make one map: of an object that more than one of them has, the newest version counts.\n",
     .run_alone = cli_import},
    {CLI_INFO, "info", "what is in an edge file", "FILE.mcd", "", MCD_JSON, .run = cli_info},
    {MCD_TREE, "tree", "costs from one place to all nodes, or to one place from all", "FILE.mcd --from PLACE",
     "One line a node, by ascending id: node,<objective>[,<companion>]\n"
     "html: a page that colours the nodes by cost; needs coordinates\n",
     TABLES | MCD_HTML, .run = cli_tree},
    {MCD_ROUTE, "route", "one route with its path", "FILE.mcd --from PLACE [--via PLACE]... --to PLACE",
     "Exit status 1 if there is no route.\n\n"
     "  csv                   one line an arc: tail,head,arc,<objective>[,<companion>]; arc is its number in "
     "the source\n" ROUTE_FORMATS "  html                  a page with a drawing and the steps\n",
     ROUTES | MCD_HTML, .run = cli_route},
    {MCD_ROUTES, "routes", "the costs of many pairs, with paths if requested", "FILE.mcd --pairs PAIRS.csv",
     "PAIRS.csv has a header with the columns source and target (ids), or source_lon, source_lat, target_lon "
     "and target_lat. One line a pair: source,target,<objective>[,<companion>][,arcs]\n",
     TABLES, .run = cli_routes},
    {MCD_MATRIX, "matrix", "costs from many sources to many targets",
     "FILE.mcd --sources S.csv --targets T.csv",
     "One line a cell, sources outer: source,target,<objective>[,<companion>]. With --format vroom or "
     "ortools, the input of such a solver, in seconds and metres, for one list of places (--sources and "
     "--targets are the same file) that begins with the depot; every cell has a cost, which is 0 from a "
     "place to itself.\n",
     TABLES | MCD_PROBLEMS, .run = cli_matrix},
    {MCD_REACH, "reach", "nodes and values within limits of many sources, or their nearest targets",
     "FILE.mcd [--sources S.csv] --limits COST[,COST]... [--values V.csv]\n"
     "FILE.mcd [--sources S.csv] --targets T.csv --nearest K\n"
     "FILE.mcd",
     "One line a source: source,nodes_<N>[,value_<N>]...,reached,eccentricity: the nodes within each limit "
     "and the sum of their values, all nodes that are reached, and the largest of their costs. With "
     "--nearest, one line for each of the nearest targets instead, rank 1 first, equal costs in their file's "
     "order: source,rank,target,<objective>. Without --sources every node is one; without limits as well, "
     "the sum of all its costs comes last: cost_sum\n",
     MCD_CSV | MCD_JSON, .run = cli_reach},
    {MCD_ISOCHRONE, "isochrone", "the area within limits of a place, and its arcs",
     "FILE.mcd --from PLACE --limits COST[,COST]...",
     "  csv       one line an arc that is reached within the largest limit: "
     "tail,head,arc,<objective>,weight,before,reached_<N>...: the cost where it is entered, what passing it "
     "costs, how much of that lies before a place within it, and how much each limit pays for (if the cost "
     "falls below it only within the arc: by how much it falls before)\n"
     "  geojson   a FeatureCollection with a MultiPolygon a limit, the largest first; needs coordinates, as "
     "html does\n"
     "  html      a page with a drawing\n",
     MCD_CSV | MCD_JSON | MCD_GEOJSON | MCD_HTML, .run = cli_isochrone},
    {MCD_HOPS, "hops", "the fewest arcs from one place to all nodes, or to one place from all",
     "FILE.mcd --from PLACE",
     "Breadth-first search. One line a node, by ascending id: node,hops,parent (npy and arrow: only hops)\n",
     TABLES, .run = cli_hops},
    {MCD_CONNECT, "connect", "whether a way leads from one place to another, with one of the fewest arcs",
     "FILE.mcd --from PLACE --to PLACE",
     "One line: connected,hops,path: 1 or 0, the fewest arcs, and the ids on such a way, separated by "
     "spaces. Exit status 1 if there is none.\n",
     MCD_CSV | MCD_JSON, .run = cli_connect},
    {MCD_ALL_PAIRS, "all-pairs", "costs from every node to every node, with next hops if requested",
     "FILE.mcd",
     "One line a pair, rows and columns by ascending id: source,target,<objective>[,<companion>][,next]. -o "
     "FILE.npy takes one quantity or --paths: mapped while it is computed, it may be larger than the memory. "
     "--paths: shape (2, rows, columns): costs, then positions of the next nodes among the ids\n",
     TABLES, .run = cli_all_pairs},
    {CLI_CLOSURE, "closure", "which nodes reach which, as bits", "FILE.mcd -o FILE.npy",
     "uint8 of shape (rows, columns / 8 rounded up), rows and columns by ascending id: "
     "numpy.unpackbits(closure, axis=1, count=rows) is 1 where the row's node reaches the column's. Arcs "
     "that an update closed count.\n",
     MCD_NPY, .run = cli_closure},
    {MCD_SNAP, "snap", "where places go on the roads", "FILE.mcd --places P.csv",
     "One line a place: id,status,lon,lat,distance_m,way,arc,name: the place on the nearest road that is not "
     "cut off from most others, and that road. status is ok; cut_off if no other road is within the radius; "
     "too_far or another reason if there is no road.\n",
     MCD_CSV | MCD_JSON, .run = cli_snap},
    {MCD_MATCH, "match", "the roads that traces of points followed",
     "FILE.mcd --traces T.csv|T.gpx|T.geojson",
     "CSV has a header with the columns lon and lat, and perhaps trace, time, accuracy (metres, default 5), "
     "heading and heading_accuracy (degrees) and speed (metres per second); a trace ends where the next line "
     "names another. In GPX each segment of a track is a trace; in GeoJSON each line, with its times under "
     "coordTimes or times. Times are seconds or timestamps of ISO 8601.\n\n"
     "One line a point: trace,point,status,matching,arc,along,way,lon,lat,distance_m,name. status is ok; "
     "no_road, invalid, time (earlier than a point before), unconnected, or omitted. Points with the same "
     "number under matching belong to one journey. json and geojson have the route of each journey as "
     "well.\n",
     MCD_CSV | MCD_JSON | MCD_GEOJSON, .run = cli_match},
    {MCD_TRIP, "trip", "the cheapest order of stops, and the route through them", "FILE.mcd --places P.csv",
     "The cheapest order of up to 1000 stops: the best one of up to 12. Exit status 1 if no order visits all "
     "stops.\n\n"
     "  csv                   one line a stop, in their order, with the cost of the way to the next "
     "one\n" ROUTE_FORMATS,
     ROUTES, .run = cli_trip},
    {CLI_UPDATE, "update", "a new edge file with new weights",
     "FILE.mcd [--weights W.csv] [--turns T.csv] -o NEW.mcd",
     "NEW.mcd must not be FILE.mcd. W.csv has a header that names arcs, and a column for each quantity that "
     "changes. An empty field closes the arc, and the word imported brings its imported weight back. Prices "
     "of turns stay. A later line for the same arc wins. If the file has several profiles, the update holds "
     "for the one that --profile names, else for all of them; those that lack an arc pass over its line. "
     "Arcs are named by one of:\n\n"
     "  arc              the number that macadam arcs prints; a profile's own\n"
     "  tail,head        ids; all parallel arcs\n"
     "  way,tail,head    from one junction of an OSM way to another, in as many arcs as needed; each gets "
     "the weight\n"
     "  way[,forward]    all arcs of a way; forward: 1 along it, 0 against it, empty both\n\n"
     "T.csv likewise has what is paid for turns, before the arc. Turns are named by one of:\n\n"
     "  from_arc,to_arc  the numbers of the arcs before and after\n"
     "  from,via,to      ids: before the junction, of the junction, after it\n\n"
     "Without a header they are files of OSRM: W.csv has from,to,km/h[,rate] for segments, T.csv "
     "from,via,to,seconds[,weight]. Entries that are not on the map are counted.\n",
     .run = cli_update},
    {CLI_READY, "ready", "a new edge file with its customized weights, for many processes",
     "FILE.mcd -o NEW.mcd",
     "The same map with its customized weights: a larger file, which many processes can map together. import "
     "--ready makes such a file too. NEW.mcd must not be FILE.mcd.\n",
     .run = cli_ready},
    {CLI_SERVE, "serve", "OSRM's HTTP API", "[NAME=]FILE.mcd... [--listen ADDRESS:PORT]",
     "Answers OSRM's HTTP API until SIGTERM; SIGHUP loads the files again. Paths choose the map by its "
     "profile, or by NAME; a single map answers to any profile. Maps need durations, distances and "
     "coordinates. See docs/service.md\n",
     .run_alone = cli_serve},
    {MCD_BENCH, "bench", "what this machine does with an edge file", "FILE.mcd",
     "Checks that matrix, routes and trees agree, then times them: medians of several runs. Where a device "
     "computes, the floor of a time is what copying the answers to the host takes.\n",
     MCD_JSON, .run_alone = cli_bench},
    {CLI_ARCS, "arcs", "every arc with its road and weights", "FILE.mcd",
     "One line an arc, by ascending number: arc,tail,head,way,forward,class,length_cm,<quantities>. forward "
     "is 1 if it leads as its OSM way is drawn, 0 if against it. A closed arc has an empty field. Weights "
     "contain no prices of turns. macadam update reads these columns.\n",
     MCD_CSV | MCD_JSON, .run = cli_arcs},
    {.name = NULL}, /* the end */
};

static const char places[] =
    "\n"
    "A PLACE is node:ID (the source data's own id) or LON,LAT. A CSV of places has a header with the columns "
    "lon and lat, and perhaps id, or with the column node; or no header and one node:ID a line. Columns come "
    "in any order; other columns are ignored. lng, long, longitude and x mean lon; latitude and y mean lat. "
    "Separators are , ; or tab. A file named - is standard input, or standard output after -o. Results name "
    "a place by its id, else by its position from 0. Costs and limits are whole numbers in the file's own "
    "units (ms, cm, mWh); limits and lengths may have a unit: ms, s, min, h, cm, m, km, mWh, Wh, kWh.\n\n";
static const char endings[] =
    "  --version, --help\n\n"
    "Unreached is an empty field in CSV, null in JSON and 0xffffffff in .npy (uint32: rows, columns[, "
    "quantities]) and in arrow, a stream of Apache Arrow with a column for each quantity, whose values are "
    "rows.\n\n"
    "Exit status:\n"
    "  0  done; a place without a road is not a failure, nor is a cell of a matrix or a pair of routes "
    "without a path, unless --strict is given\n"
    "  1  no route, connection or order of stops\n"
    "  2  bad usage: an option, a place, a line of a CSV, an id; or an output that cannot be opened (no such "
    "folder, no permission) or is the same file as an input, which is checked before the work begins\n"
    "  3  an input file or folder that is bad or cannot be read\n"
    "  4  out of memory, a full disk, or device failure\n";

void cli_help(FILE *to)
{
    fputs("usage: macadam COMMAND [FILE] [OPTIONS]; macadam COMMAND --help says more\n\n", to);
    for (const cli_command_row *row = cli_commands; row->name; ++row)
        fprintf(to, "  %-9s  %s\n", row->name, row->summary);
    cli_wrap(to, places);
    cli_options_help(to, NULL);
    cli_wrap(to, endings);
}

void cli_help_of(const cli_command_row *row)
{
    for (const char *usage = row->usage; usage; usage = strchr(usage, '\n')) {
        usage += *usage == '\n';
        printf("%s macadam %s %.*s [OPTIONS]\n", usage == row->usage ? "usage:" : "      ", row->name,
               (int)strcspn(usage, "\n"), usage);
    }
    fputs("\n", stdout);
    cli_wrap(stdout, row->help);
    if (row->help[0]) printf("\n");
    cli_options_help(stdout, row);
}

int cli_help_methods(const cli_options *options)
{
    const macadam_question question = options->command == MCD_TREE   ? MACADAM_QUESTION_TREES
                                      : options->command == MCD_HOPS ? MACADAM_QUESTION_HOPS
                                                                     : MACADAM_QUESTION_ALL_PAIRS;
    macadam_method method[METHODS];
    size_t count;
    const macadam_status status =
        macadam_methods(method, METHODS, &count, options->engine.device, question, &cli_error);
    if (status != MACADAM_OK) return cli_fail_library(status);
    for (size_t i = 0; i < count; ++i) printf("%-17s%s\n", method[i].name, method[i].about);
    return CLI_DONE;
}
