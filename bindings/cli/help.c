/* help.c - what --help prints. */
#include "bindings/cli/help.h"

const char cli_help[] =
    "usage: macadam COMMAND [FILE] [OPTIONS]; macadam COMMAND --help says more\n"
    "\n"
    "  import   make an edge file (.mcd) from OpenStreetMap or DIMACS data\n"
    "  info     what is in an edge file\n"
    "  tree     costs from one place to all nodes, or to one place from all\n"
    "  route    one route with its path\n"
    "  routes   the costs of many pairs, with paths if asked\n"
    "  matrix   costs from many sources to many targets\n"
    "  reach    nodes and values within limits of many sources, or their nearest targets\n"
    "  isochrone  the area within limits of a place, and its arcs\n"
    "  hops     the fewest arcs from one place to all nodes, or to one place from all\n"
    "  connect  whether a way leads from one place to another, with one of the fewest arcs\n"
    "  all-pairs  costs from every node to every node, with next hops if asked\n"
    "  closure  which nodes reach which, as bits\n"
    "  update   a new edge file with new weights\n"
    "  bench    what this machine does with an edge file\n"
    "\n"
    "A PLACE is node:ID (the source data's own id) or LON,LAT. A CSV of places has one node:ID a line, or a "
    "header\n"
    "lon,lat or id,lon,lat. Results name a place by its id, else by its position from 0.\n"
    "\n"
    "  --metric NAME            what to minimise (default: the file's first quantity)\n"
    "  --quantities NAME[,NAME] what to report, in this order: the metric's objective (default) and its "
    "companion\n"
    "  --device NAME            auto, cpu, cuda, cuda:N, cuda:all\n"
    "  --threads N              of one call (default: one per processor)\n"
    "  --memory SIZE            scratch memory at most, such as 8G or 512M\n"
    "  -o FILE                  where the answer goes; .csv, .npy or .json says how (default: CSV to "
    "standard output)\n"
    "  --format NAME            the same without an extension\n"
    "  --snap-radius METRES     how far a place may be from the nearest road (default: 1000)\n"
    "  --heading DEGREES        leave LON,LAT in this direction, clockwise from north, to within 45\n"
    "  --quiet                  no progress and no reports on standard error\n"
    "  --json-errors            errors as {\"error\": message, \"status\": name, \"exit\": code}\n"
    "  --version, --help\n"
    "\n"
    "Unreached is an empty field in CSV, null in JSON and 0xffffffff in .npy (uint32: rows, columns[, "
    "quantities]).\n"
    "Exit status: 0 done, 1 no route or connection, 2 bad usage, 3 bad input file, 4 out of memory or device "
    "failure.\n";

static const char *const command_help[CLI_COMMAND_COUNT] = {
    [CLI_IMPORT] = "usage: macadam import INPUT.osm.pbf [--profile NAME] -o FILE.mcd\n"
                   "       macadam import --weight NAME=PATH.gr[.gz]... [--coords PATH.co[.gz]] -o FILE.mcd\n"
                   "\n"
                   "OpenStreetMap data (.osm.pbf, .osm, .osm.gz, .osm.bz2) or one DIMACS file per quantity, "
                   "all over the same arcs;\n"
                   "the first quantity is the default metric.\n"
                   "\n"
                   "  --profile NAME   car, bike, foot, truck, or the path of a file like those in "
                   "share/macadam/profiles\n"
                   "  --order FILE     all node ids, one a line, first eliminated first (default: computed)\n"
                   "  --no-hierarchy   no preprocessing: for graphs that are no road networks\n"
                   "  --threads N, --quiet, --json-errors\n",
    [CLI_INFO] = "usage: macadam info FILE.mcd [--json] [--verify]\n"
                 "\n"
                 "  --json     as one JSON object\n"
                 "  --verify   check every section: checksums and contents\n",
    [CLI_TREE] =
        "usage: macadam tree FILE.mcd --from PLACE [--reverse] [--limit N] [--format csv|json|npy|html]\n"
        "\n"
        "One line a node, by ascending id: node,<objective>[,<companion>]\n"
        "\n"
        "  --reverse      costs to the place instead of from it\n"
        "  --limit N      costs above N count as unreached\n"
        "  --method NAME  auto (sweep where there is a hierarchy, else near-far), sweep, near-far, "
        "bellman-ford or "
        "dijkstra:\n"
        "                 the answers are the same\n"
        "  html           a page that colours the nodes by cost; needs coordinates\n",
    [CLI_ROUTE] = "usage: macadam route FILE.mcd --from PLACE [--via PLACE]... --to PLACE [--format FORMAT]\n"
                  "\n"
                  "  csv                   one line an arc: tail,head,arc,<objective>[,<companion>]; arc is "
                  "its number in the source\n"
                  "  json                  found, costs, waypoints, legs, nodes and arcs\n"
                  "  geojson               a Feature with a LineString; needs coordinates, as all below\n"
                  "  polyline5, polyline6  an encoded polyline\n"
                  "  html                  a page with a drawing\n"
                  "\n"
                  "Exit status 1 if there is no route.\n",
    [CLI_ROUTES] =
        "usage: macadam routes FILE.mcd --pairs PAIRS.csv [--paths]\n"
        "\n"
        "PAIRS.csv has a header source,target (ids) or source_lon,source_lat,target_lon,target_lat.\n"
        "One line a pair: source,target,<objective>[,<companion>][,arcs]\n"
        "\n"
        "  --paths   the numbers of the arcs on the way, separated by spaces\n",
    [CLI_MATRIX] = "usage: macadam matrix FILE.mcd --sources S.csv --targets T.csv\n"
                   "\n"
                   "One line a cell, sources outer: source,target,<objective>[,<companion>]\n",
    [CLI_REACH] =
        "usage: macadam reach FILE.mcd --sources S.csv --limits N[,N]... [--values V.csv] [--reverse]\n"
        "       macadam reach FILE.mcd --sources S.csv --targets T.csv --nearest K [--reverse]\n"
        "\n"
        "One line a source: source,nodes_<N>[,value_<N>]...,reached,eccentricity: the nodes within each "
        "limit "
        "and the sum of\n"
        "their values, all nodes that are reached, and the largest of their costs. With --nearest, one line "
        "for each of the\n"
        "nearest targets instead, rank 1 first, equal costs in their file's order: "
        "source,rank,target,<objective>\n"
        "\n"
        "  --limits N[,N]...  costs by the metric's objective, up to 16, in any order\n"
        "  --values V.csv     header node,value (ids, 0 to 4294967295); a node that is missing counts 0\n"
        "  --nearest K        up to 1024; unreached targets are not listed\n"
        "  --reverse          costs to the sources instead of from them\n",
    [CLI_ISOCHRONE] =
        "usage: macadam isochrone FILE.mcd --from PLACE --limits N[,N]... [--reverse] [--format FORMAT]\n"
        "\n"
        "  csv       one line an arc that can be entered within the largest limit: "
        "tail,head,arc,<objective>,weight,before,reached_<N>...:\n"
        "            the cost where it is entered, what passing it costs, how much of that lies before a "
        "place within it,\n"
        "            and how much each limit pays for\n"
        "  geojson   a FeatureCollection with a MultiPolygon a limit, the largest first; needs coordinates, "
        "as "
        "html does\n"
        "  html      a page with a drawing\n"
        "\n"
        "  --limits N[,N]...  costs by the metric's objective, up to 16\n"
        "  --reverse          from where the place is reached, instead of what is reached from it\n",
    [CLI_HOPS] =
        "usage: macadam hops FILE.mcd --from PLACE [--reverse] [--limit N] [--format csv|json|npy]\n"
        "\n"
        "Breadth-first search. One line a node, by ascending id: node,hops,parent (npy: hops alone)\n"
        "\n"
        "  --reverse  hops to the place instead of from it; a parent is then the next node\n"
        "  --limit N  more than N hops count as unreached\n",
    [CLI_CONNECT] = "usage: macadam connect FILE.mcd --from PLACE --to PLACE [--format csv|json]\n"
                    "\n"
                    "One line: connected,hops,path: 1 or 0, the fewest arcs, and the ids on such a way, "
                    "separated by spaces.\n"
                    "Exit status 1 if there is none.\n",
    [CLI_ALL_PAIRS] =
        "usage: macadam all-pairs FILE.mcd [--method NAME] [--paths]\n"
        "\n"
        "One line a pair, rows and columns by ascending id: source,target,<objective>[,<companion>][,next]\n"
        "\n"
        "  --method NAME  sweep, near-far, bellman-ford or dijkstra: trees from all nodes; floyd-warshall: a "
        "dense matrix;\n"
        "                 auto: the fastest for the graph, and says which. The answers are the same\n"
        "  --paths        the node that comes next on a shortest path, found by floyd-warshall: from next to "
        "next leads to\n"
        "                 the target and repeats no node\n"
        "  -o FILE.npy    one quantity or --paths: mapped while it is computed, it may be larger than the "
        "memory. --paths:\n"
        "                 shape (2, rows, columns): costs, then positions of the next nodes among the ids\n",
    [CLI_CLOSURE] =
        "usage: macadam closure FILE.mcd -o FILE.npy\n"
        "\n"
        "uint8 of shape (rows, columns / 8 rounded up), rows and columns by ascending id: "
        "numpy.unpackbits(closure, axis=1,\n"
        "count=rows) is 1 where the row's node reaches the column's. Arcs that an update closed count.\n",
    [CLI_UPDATE] = "usage: macadam update FILE.mcd --weights W.csv -o NEW.mcd\n"
                   "\n"
                   "W.csv has a header arc,<quantity>... (arc numbers) or tail,head,<quantity>... (ids; all "
                   "parallel arcs). An empty\n"
                   "field closes the arc. A later line for the same arc wins.\n",
    [CLI_BENCH] =
        "usage: macadam bench FILE.mcd [--threads N] [--device NAME] [-o FILE.json]\n"
        "\n"
        "Checks that matrix, routes and trees agree, then times them: medians of several runs. Where a "
        "device computes, the\n"
        "floor of a time is what copying the answers to the host takes.\n",
};

const char *cli_help_of(cli_command command)
{
    return command_help[command];
}
