"""The meaning of OpenStreetMap files: versions and deletions, ways with coordinates, and the list of what is skipped.

Way 10 leads straight from node 1 to node 2, way 11 over node 3. A case is a list of files and the way that is taken.
"""

import gzip
import json
import os
import subprocess
import tempfile
import unittest

from command import MapFile

COMMAND = os.environ["MACADAM_COMMAND"]
WHERE = {1: 'lon="10" lat="50"', 2: 'lon="10.02" lat="50"', 3: 'lon="10.01" lat="50.01"', 4: 'lon="10.03" lat="50"'}
OVER = {10: (1, 2), 11: (1, 3, 2)}
ROAD = '<tag k="highway" v="residential"/>'
GONE = '<tag k="highway" v="construction"/>'


def node(number, attributes=""):
    return f'<node id="{number}" {WHERE[number]} {attributes}/>'


def way(number, attributes="", tags=ROAD, over=()):
    members = "".join(f'<nd ref="{one}"/>' for one in over or OVER.get(number, ()))
    return f'<way id="{number}" {attributes}>{members}{tags}</way>'


def gone(kind, number, attributes='version="2" visible="false"'):
    return f'<{kind} id="{number}" {attributes}/>'


def ban(attributes="", tags="no_left_turn"):
    """From way 12 over node 1 into way 10."""
    members = '<member type="way" ref="12" role="from"/><member type="node" ref="1" role="via"/>'
    members += '<member type="way" ref="10" role="to"/><tag k="type" v="restriction"/>'
    return f'<relation id="20" {attributes}>{members}<tag k="restriction" v="{tags}"/></relation>'


def osm(*objects, root="osm"):
    return f'<?xml version="1.0"?><{root} version="0.6">{"".join(objects)}</{root}>'


FIRST, HIDDEN = 'version="1"', 'version="2" visible="false"'
NODES = node(1, FIRST) + node(2, FIRST) + node(3, FIRST)
DETOUR = way(11, FIRST)
MAP = osm(NODES, way(10, FIRST), DETOUR)
SHOWN = 'version="1" visible="true"'
# Page "JOSM file format", "OsmChange", "Overpass API/Augmented Diffs", "API v0.6": visible, version, action.
VERSIONS = [
    ("as it is", [("a.osm", MAP)], "direct"),
    ("a way that JOSM deletes", [("a.osm", osm(NODES, way(10, 'version="3" action="delete"'), DETOUR))], "detour"),
    ("a way that JOSM changes", [("a.osm", osm(NODES, way(10, 'version="3" action="modify"'), DETOUR))], "direct"),
    ("a new way of JOSM", [("a.osm", osm(NODES, way(-10, 'action="modify"', over=(1, 2)), DETOUR))], "direct"),
    ("a new way that JOSM deletes", [("a.osm", osm(NODES, way(-10, 'action="delete"', over=(1, 2)), DETOUR))], "detour"),
    ("an invisible way", [("a.osm", osm(NODES, way(10, HIDDEN), DETOUR))], "detour"),
    ("a way that is deleted later", [("a.osm", osm(NODES, way(10, SHOWN), gone("way", 10), DETOUR))], "detour"),
    ("a deletion before the way", [("a.osm", osm(NODES, gone("way", 10), way(10, SHOWN), DETOUR))], "detour"),
    ("a way that is closed later", [("a.osm", osm(NODES, way(10, FIRST), way(10, 'version="2"', GONE), DETOUR))], "detour"),
    ("a way that is opened later", [("a.osm", osm(NODES, way(10, FIRST, GONE), way(10, 'version="2"'), DETOUR))], "direct"),
    ("versions out of order", [("a.osm", osm(NODES, way(10, 'version="2"', GONE), way(10, FIRST), DETOUR))], "detour"),
    ("a way that is deleted and restored",
     [("a.osm", osm(NODES, way(10, SHOWN), gone("way", 10), way(10, 'version="3" visible="true"'), DETOUR))], "direct"),
    ("a way that leads elsewhere later",
     [("a.osm", osm(NODES, way(10, FIRST), way(10, 'version="2"', over=(1, 4)), node(4), DETOUR))], "detour"),
    ("a node that is deleted, and a way without it",
     [("a.osm", osm(NODES, node(4, SHOWN), gone("node", 4), way(10, FIRST), DETOUR))], "direct"),
    ("a history", [("a.osh", osm(NODES, way(10, SHOWN), gone("way", 10), DETOUR))], "detour"),
    ("a history as OPL", [("a.osh.opl", "n1 v1 dV x10 y50\nn2 v1 dV x10.02 y50\nn3 v1 dV x10.01 y50.01\n"
                           "w10 v1 dV Thighway=residential Nn1,n2\nw10 v2 dD\nw11 v1 dV Thighway=residential Nn1,n3,n2\n")], "detour"),
    ("OPL with a deletion", [("a.opl", "n1 v1 dV x10 y50\nn2 v1 dV x10.02 y50\nn3 v1 dV x10.01 y50.01\n"
                              "w10 v3 dD\nw11 v1 dV Thighway=residential Nn1,n3,n2\n")], "detour"),
    ("a change that deletes",
     [("a.osm", MAP), ("b.osc", osm("<delete>", way(10, 'version="2"'), "</delete>", root="osmChange"))], "detour"),
    ("a change that deletes without contents",
     [("a.osm", MAP), ("b.osc", osm("<delete>", gone("way", 10, 'version="2"'), "</delete>", root="osmChange"))], "detour"),
    ("a packed change that deletes",
     [("a.osm", MAP), ("b.osc.gz", osm("<delete>", way(10, 'version="2"'), "</delete>", root="osmChange"))], "detour"),
    ("a change before the map",
     [("b.osc", osm("<delete>", way(10, 'version="2"'), "</delete>", root="osmChange")), ("a.osm", MAP)], "detour"),
    ("a change that closes",
     [("a.osm", MAP), ("b.osc", osm("<modify>", way(10, 'version="2"', GONE), "</modify>", root="osmChange"))], "detour"),
    ("a change that creates", [("a.osm", osm(NODES, DETOUR)),
                               ("b.osc", osm("<create>", way(10, FIRST), "</create>", root="osmChange"))], "direct"),
    ("a change that deletes and one that creates again",
     [("a.osm", MAP), ("b.osc", osm("<delete>", way(10, 'version="2"'), "</delete>", root="osmChange")),
      ("c.osc", osm("<create>", way(10, 'version="3"'), "</create>", root="osmChange"))], "direct"),
    ("a second map with a deletion", [("a.osm", MAP), ("b.osm", osm(gone("way", 10)))], "detour"),
    ("a second map with an older version", [("a.osm", osm(NODES, way(10, 'version="2"'), DETOUR)),
                                            ("b.osm", osm(way(10, FIRST, GONE)))], "direct"),
    ("a restriction", [("a.osm", osm(NODES, node(4), way(10), DETOUR, way(12, over=(4, 1)), ban()))], "detour"),
    ("a restriction that is deleted later",
     [("a.osm", osm(NODES, node(4), way(10), DETOUR, way(12, over=(4, 1)), ban(SHOWN), gone("relation", 20)))], "direct"),
    ("a restriction that JOSM deletes",
     [("a.osm", osm(NODES, node(4), way(10), DETOUR, way(12, over=(4, 1)), ban('action="delete"')))], "direct"),
    ("a restriction that a change deletes",
     [("a.osm", osm(NODES, node(4), way(10), DETOUR, way(12, over=(4, 1)), ban(FIRST))),
      ("b.osc", osm("<delete>", ban('version="2"'), "</delete>", root="osmChange"))], "direct"),
]  # fmt: skip


def placed(number, attributes="", tags=ROAD, over=(), bounds=""):
    """A way that has its coordinates."""
    members = "".join(f'<nd ref="{one}" {WHERE[one]}/>' for one in over or OVER[number])
    return f'<way id="{number}" {attributes}>{bounds}{members}{tags}</way>'


BOUNDS = '<bounds minlat="50" minlon="10" maxlat="50" maxlon="10.02"/>'
# Page "Overpass API/Overpass QL", out geom; osmium-add-locations-to-ways.
COORDINATES = [
    ("ways with coordinates", [("a.osm", osm(placed(10), placed(11)))], "direct"),
    ("with bounds, as Overpass writes", [("a.osm", osm(placed(10, bounds=BOUNDS), placed(11, bounds=BOUNDS)))], "direct"),
    ("one closed", [("a.osm", osm(placed(10, tags=GONE), placed(11)))], "detour"),
    ("with versions", [("a.osm", osm(placed(10, FIRST), placed(11, FIRST)))], "direct"),
    ("nodes are there as well", [("a.osm", osm(NODES, placed(10), placed(11)))], "direct"),
    ("only tagged nodes are there", [("a.osm", osm(
        '<node id="3" lon="10.01" lat="50.01"><tag k="barrier" v="block"/></node>', placed(11), placed(10)))], "direct"),
    ("a node closes the detour, and nothing else is left", [("a.osm", osm(
        '<node id="3" lon="10.01" lat="50.01"><tag k="barrier" v="block"/></node>', placed(11)))], "none"),
    ("a restriction with coordinates", [("a.osm", osm(placed(10), placed(11), placed(12, over=(4, 1)), ban()))], "detour"),
    ("two files", [("a.osm", osm(placed(10))), ("b.osm", osm(placed(11)))], "direct"),
    ("a way without coordinates beside one with", [("a.osm", osm(NODES, way(10), placed(11)))], "direct"),
    ("packed", [("a.osm.gz", osm(placed(10), placed(11)))], "direct"),
    ("OPL", [("a.opl", "w10 v1 dV Thighway=residential Nn1x10y50,n2x10.02y50\n"
              "w11 v1 dV Thighway=residential Nn1x10y50,n3x10.01y50.01,n2x10.02y50\n")], "direct"),
]  # fmt: skip

# No arcs: an error in every case.
EMPTY = [
    ("nothing", osm(), ()),
    ("nodes only", osm(NODES), ()),
    ("a way without nodes", osm(way(10)), ()),
    ("a way whose nodes are missing but for one", osm(node(1), way(10)), ()),
    ("a closed way", osm(NODES, way(10, tags=GONE)), ()),
    ("a way for others", osm(NODES, way(10, tags='<tag k="highway" v="footway"/>')), ()),
    ("a way without a tag", osm(NODES, way(10, tags="")), ()),
    ("a deleted way", osm(NODES, way(10, 'action="delete"')), ()),
    ("an invisible way", osm(NODES, way(10, HIDDEN)), ()),
    ("a way of one node", osm(NODES, way(10, over=(1,))), ()),
    ("a way for one of two profiles", osm(NODES, way(10, tags='<tag k="highway" v="footway"/>')), ("foot", "car")),
    ("a way for one of two profiles, in another order", osm(NODES, way(10, tags='<tag k="highway" v="footway"/>')), ("car", "foot")),
]  # fmt: skip


def tag(key, value):
    return f'<tag k="{key}" v="{value}"/>'


def conditional(value):
    return ban().replace('k="restriction" v="no_left_turn"', f'k="restriction:conditional" v="{value}"')


# Objects that cannot be read or used, and the id that the list must have.
STREET = way(12, over=(4, 1))
SKIPPED = [
    ("truck", "an unreadable height", way(10, tags=ROAD + tag("maxheight", "foo")), 10),
    ("truck", "an unreadable weight", way(10, tags=ROAD + tag("maxweight", "see sign")), 10),
    ("truck", "an unreadable width", way(10, tags=ROAD + tag("maxwidth", "narrow")), 10),
    ("truck", "an unreadable axle load", way(10, tags=ROAD + tag("maxaxleload", "x")), 10),
    ("truck", "an unreadable length", way(10, tags=ROAD + tag("maxlength", "long")), 10),
    ("truck", "a condition that is not read", way(10, tags=ROAD + tag("hgv:conditional", "no @ (weigth>7.5)")), 10),
    ("wheelchair", "an unreadable incline", way(10, tags=ROAD + tag("incline", "steep")), 10),
    ("wheelchair", "an unreadable width of a path", way(10, tags=ROAD + tag("width", "narrow")), 10),
    ("car", "a condition about snow", way(10, tags=ROAD + tag("access:conditional", "no @ (snow)")), 10),
    ("car", "an unreadable duration", way(10) + way(13, tags=tag("route", "ferry") + tag("motor_vehicle", "yes") + tag("duration", "long"), over=(1, 2)), 13),
    ("car", "a way that leaves the file", way(10) + way(13, over=(1, 99)), 13),
    ("car", "a way of one node", way(10) + way(13, over=(1,)), 13),
    ("car", "a restriction without an end", way(10) + ban().replace('ref="10"', 'ref="98"'), 20),
    ("car", "a restriction whose value is unknown", way(10) + ban(tags="no_uturn"), 20),
    ("car", "another restriction whose value is unknown", way(10) + ban(tags="only_left_on"), 20),
    ("car", "a restriction with a condition about snow", way(10) + conditional("no_left_turn @ (snow)"), 20),
    ("car", "a restriction over a way that is missing", way(10) + ban().replace('"node" ref="1"', '"way" ref="97"'), 20),
]  # fmt: skip


class FilesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def write(self, files):
        paths = [f"{self.folder}/{name}" for name, _ in files]
        for path, (_, text) in zip(paths, files):
            with (gzip.open if path.endswith(".gz") else open)(path, "wb") as file:
                file.write(text.encode())
        return paths

    def import_files(self, files, profiles=(), *options):
        chosen = [word for profile in profiles for word in ("--profile", profile)]
        paths = self.write(files)
        return subprocess.run([COMMAND, "import", *paths, *chosen, "-o", f"{self.folder}/files.mcd", *options],
                              capture_output=True, text=True)  # fmt: skip

    def taken(self, files):
        map_file = MapFile(COMMAND, self.write(files), "car", self.folder)
        arcs = list(map_file.rows("arcs", map_file.file))
        ways = {row["arc"]: row["way"] for row in arcs}
        source = 4 if "12" in ways.values() else 1
        try:
            rows = map_file.rows("route", map_file.file, "--from", f"node:{source}", "--to", "node:2", "--quiet")
        except RuntimeError as error:
            return "none" if "no route" in str(error) else str(error)
        return "detour" if "11" in {ways[row["arc"]] for row in rows} else "direct"

    def test_newest_versions_and_deletions_count(self):
        for claim, files, expected in VERSIONS:
            with self.subTest(claim):
                self.assertEqual(self.taken(files), expected)

    def test_ways_with_coordinates(self):
        for claim, files, expected in COORDINATES:
            with self.subTest(claim):
                self.assertEqual(self.taken(files), expected)

    def test_no_arcs_are_an_error(self):
        for claim, text, profiles in EMPTY:
            with self.subTest(claim), tempfile.TemporaryDirectory() as self.folder:
                done = self.import_files([("a.osm", text)], profiles, "--quiet")
                self.assertEqual((done.returncode, os.path.exists(f"{self.folder}/files.mcd")), (3, False), done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)

    def test_what_is_skipped_is_listed(self):
        for profile, claim, objects, number in SKIPPED:
            with self.subTest(claim):
                files = [("a.osm", osm(NODES, node(4), STREET, DETOUR, objects))]
                report = f"{self.folder}/report.json"
                done = self.import_files(files, [profile], "--report", report)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(report) as file:
                    counts = json.load(file)["profiles"][0]["counts"]
                listed = [name for count in counts for name in count["ids"]]
                name = f"{'relation' if number == 20 else 'way'}/{number}"
                self.assertIn(name, listed)
                self.assertIn(name, done.stderr)


if __name__ == "__main__":
    unittest.main()
