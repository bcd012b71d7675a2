"""The judge itself: what it says about trips on small maps, by the wiki's definitions. Each map is a row of streets

    1 --a-- 2 --b-- 3 --c-- 4

whose ways 10, 20 and 30 have the tags that a test gives them; node 5 hangs on node 2 by way 40.
"""

import io
import unittest

from law import ANY, CLOSED, ENDS, OPEN, node_reading, way_reading
from network import Network
from raw_map import RawMap, read_xml
from trip import Judge, violation


def row(a=None, b=None, c=None, nodes=(), restrictions=()):
    raw = RawMap()
    for node in range(1, 6):
        raw.add_node(node, 9 + node * 0.001, 45 + (node == 5) * 0.001, dict(nodes).get(node, {}))
    for way, ends, tags in ((10, [1, 2], a), (20, [2, 3], b), (30, [3, 4], c), (40, [2, 5], None)):
        raw.add_way(way, ends, {"highway": "residential", **(tags or {})})
    for number, (tags, members) in enumerate(restrictions):
        raw.add_relation(number, {"type": "restriction", **tags}, members)
    return raw


def turn(start, via, end):
    return [("from", "way", start), ("via", "node", via), ("to", "way", end)]


class JudgeTest(unittest.TestCase):
    def judged(self, raw, path, mode="car"):
        """(surely has a way, what the lenient judge says) of the trip along a path of nodes."""
        network = Network(raw, mode, path)
        reached = {network.head[state[0]] for state in Judge(network, True).reach(path[0])}
        arcs = [(*pair, None) for pair in zip(path, path[1:])]
        return path[-1] in reached, violation(Judge(network, False), arcs, set(path))[0]

    def assertLegal(self, raw, path, mode="car"):
        self.assertEqual(self.judged(raw, path, mode), (True, None))

    def assertIllegal(self, raw, path, says, mode="car"):
        self.assertIn(says, str(self.judged(raw, path, mode)[1]))

    def assertUnsure(self, raw, path, mode="car"):
        self.assertEqual(self.judged(raw, path, mode), (False, None))

    def test_untagged_streets_are_open_to_all(self):
        for mode in ("car", "truck", "bike", "foot"):
            self.assertLegal(row(), [1, 2, 3, 4], mode)

    def test_most_specific_access_tag_decides(self):
        self.assertIllegal(row(b={"access": "no"}), [1, 2, 3, 4], "way 20 forward is closed")
        self.assertLegal(row(b={"access": "no", "motor_vehicle": "yes"}), [1, 2, 3, 4])
        self.assertIllegal(row(b={"motor_vehicle": "yes", "hgv": "no"}), [1, 2, 3, 4], "way 20", "truck")
        self.assertLegal(row(b={"motor_vehicle": "no"}), [1, 2, 3, 4], "bike")

    def test_one_way_binds_vehicles_and_not_walkers(self):
        one_way = row(b={"oneway": "yes"})
        self.assertLegal(one_way, [1, 2, 3, 4])
        self.assertIllegal(one_way, [4, 3, 2, 1], "way 20 backward is closed")
        self.assertIllegal(row(b={"oneway": "-1"}), [1, 2, 3, 4], "way 20 forward is closed")
        self.assertLegal(one_way, [4, 3, 2, 1], "foot")
        self.assertLegal(row(b={"oneway": "yes", "oneway:bicycle": "no"}), [4, 3, 2, 1], "bike")

    def test_bikes_are_pushed_against_one_ways(self):
        self.assertUnsure(row(b={"oneway": "yes"}), [4, 3, 2, 1], "bike")

    def test_roads_for_ends_are_not_a_shortcut(self):
        raw = row(b={"access": "private"})
        raw.add_way(50, [1, 4], {"highway": "residential"})
        network = Network(raw, "car", range(1, 6))
        why, way = violation(Judge(network, False), [(5, 2, None), (2, 3, None), (3, 4, None)], {1, 2, 3, 4, 5})
        self.assertIn("way 20 {access=private, highway=residential} is a shortcut", why)
        self.assertEqual(way, 20)
        self.assertLegal(raw, [1, 2, 3])

    def test_roads_after_roads_for_ends_is_reached(self):
        self.assertLegal(row(b={"access": "destination"}), [1, 2, 3, 4])
        self.assertLegal(row(nodes={3: {"barrier": "gate", "access": "private"}}.items()), [1, 2, 3, 4])

    def test_barriers(self):
        bollard = row(nodes={3: {"barrier": "bollard"}}.items())
        self.assertIllegal(bollard, [1, 2, 3, 4], "node 3 is closed")
        self.assertLegal(bollard, [1, 2, 3, 4], "bike")
        self.assertIllegal(row(nodes={3: {"barrier": "stile"}}.items()), [1, 2, 3, 4], "node 3", "truck")
        self.assertUnsure(row(nodes={3: {"barrier": "jersey_barrier"}}.items()), [1, 2, 3, 4])

    def test_turn_bans(self):
        ban = row(restrictions=[({"restriction": "no_left_turn"}, turn(10, 2, 40))])
        self.assertIllegal(ban, [1, 2, 5], "relation 0")
        self.assertLegal(ban, [1, 2, 3])
        self.assertLegal(ban, [1, 2, 5], "foot")
        only = row(restrictions=[({"restriction": "only_straight_on"}, turn(10, 2, 20))])
        self.assertIllegal(only, [1, 2, 5], "relation 0")

    def test_turn_bans_that_do_not_bind(self):
        for tags in ({"restriction": "no_left_turn", "except": "psv;motorcar"}, {"restriction:hgv": "no_left_turn"},
                     {"restriction": "no_right_turn_on_red"}, {"restriction:conditional": "no_left_turn @ (07:00-09:00)"}):
            self.assertLegal(row(restrictions=[(tags, turn(10, 2, 40))]), [1, 2, 5])

    def test_ban_over_a_way(self):
        members = [("from", "way", 10), ("via", "way", 20), ("to", "way", 30)]
        raw = row(restrictions=[({"restriction": "no_straight_on"}, members)])
        self.assertIllegal(raw, [1, 2, 3, 4], "relation 0")
        self.assertLegal(raw, [5, 2, 3, 4])

    def test_ban_on_a_way_that_is_not_split_is_unsure(self):
        raw = row(restrictions=[({"restriction": "no_left_turn"}, turn(60, 2, 40))])
        raw.add_way(60, [1, 2, 3], {"highway": "residential"})
        del raw.ways[10], raw.ways[20]
        self.assertUnsure(raw, [1, 2, 5])

    def test_a_route_over_no_way(self):
        network = Network(row(), "car", (1, 3, 5))
        self.assertIn("no way joins", violation(Judge(network, False), [(5, 3, None)], {1, 3, 5})[0])


class LawTest(unittest.TestCase):
    def reads(self, expected, mode, tags, direction="forward"):
        self.assertEqual(way_reading(tags, mode, direction), expected, tags)

    def test_classes(self):
        self.reads(CLOSED, "bike", {"highway": "motorway"})
        self.reads(OPEN, "bike", {"highway": "motorway", "bicycle": "yes"})
        self.reads(CLOSED, "car", {"highway": "motorway"}, "backward")
        self.reads(CLOSED, "car", {"highway": "cycleway"})
        self.reads(OPEN, "car", {"highway": "cycleway", "motor_vehicle": "designated"})
        self.reads(OPEN, "car", {"highway": "pedestrian", "vehicle:forward": "yes"})
        self.reads(CLOSED, "car", {"highway": "pedestrian", "vehicle:forward": "yes"}, "backward")
        self.reads(CLOSED, "car", {"highway": "construction"})
        self.reads(CLOSED | OPEN, "car", {"route": "ferry"})

    def test_values(self):
        self.reads(CLOSED, "car", {"highway": "service", "access": "forestry;agricultural"})
        self.reads(ENDS, "car", {"highway": "service", "access": "destination;delivery"})
        self.reads(CLOSED | ENDS, "car", {"highway": "service", "access": "no;private"})
        self.reads(CLOSED, "truck", {"highway": "primary", "maxweight": "3.5"})
        self.reads(OPEN, "car", {"highway": "primary", "maxweight": "3.5"})

    def test_nodes(self):
        self.assertEqual(node_reading({"barrier": "gate"}, "car"), ENDS | OPEN)
        self.assertEqual(node_reading({"barrier": "gate", "access": "private"}, "car"), ENDS)
        self.assertEqual(node_reading({"barrier": "lift_gate", "motor_vehicle": "private"}, "foot"), OPEN)
        self.assertEqual(node_reading({"barrier": "bollard", "motor_vehicle": "yes"}, "car"), OPEN)


    def test_limits_are_read_in_every_unit(self):
        for value in ("3,5", "3.9;4.2", "12'-6\"", "12 ft 6 in", "12\u20326\u2033", "380 cm", "13'", "150 in"):
            self.reads(CLOSED, "truck", {"highway": "primary", "maxheight": value})
        for value in ("4.2", "15 ft 6 in", "420 cm", "none", "14'"):
            self.reads(OPEN, "truck", {"highway": "primary", "maxheight": value})
        for value in ("18 tons", "7,5", "30000 lb", "10 lt", "20 st"):
            self.reads(CLOSED, "truck", {"highway": "primary", "maxweight": value})
        self.reads(ANY, "truck", {"highway": "primary", "maxheight": "foo"})
        self.reads(CLOSED, "truck", {"highway": "primary", "maxgcweight": "18"})

    def test_conditions_about_the_vehicle_hold(self):
        def road(condition, key="hgv:conditional", **tags):
            return {"highway": "primary", key: f"no @ ({condition})", **tags}

        self.reads(CLOSED, "truck", road("weight>7.5"))
        self.reads(OPEN, "van", road("weight>7.5"))
        self.reads(OPEN, "truck", road("weight>44"))
        self.reads(OPEN, "truck", road("weight>7.5 AND Mo-Fr 07:00-19:00"))
        self.reads(CLOSED, "truck", road("weight>7.5 AND length>12 m"))
        self.reads(OPEN, "car", road("height>3.5", "access:conditional"))
        self.reads(CLOSED | OPEN, "truck", road("weight>heavy"))
        self.reads(OPEN, "truck", {"highway": "primary", "hgv": "no", "hgv:conditional": "yes @ (length<=18)"})

    def test_difficulty_and_direction_of_ways(self):
        self.reads(CLOSED, "wheelchair", {"highway": "path", "sac_scale": "alpine_hiking"})
        self.reads(CLOSED, "racingbike", {"highway": "path", "mtb:scale": "3+"})
        self.reads(OPEN, "foot", {"highway": "path", "sac_scale": "mountain_hiking"})
        self.reads(CLOSED, "foot", {"highway": "steps", "conveying": "forward"}, "backward")
        self.reads(OPEN, "foot", {"highway": "steps", "conveying": "forward"})
        self.reads(CLOSED, "truck", {"highway": "primary", "hgv_articulated": "no"})

    def test_nodes_without_a_barrier(self):
        for tags, mode in (({"railway": "level_crossing", "motor_vehicle": "no"}, "car"), ({"kerb": "raised"}, "wheelchair"),
                           ({"highway": "elevator", "access": "no"}, "foot"), ({"entrance": "yes", "foot": "no"}, "foot"),
                           ({"kerb:height": "0.15"}, "wheelchair")):  # fmt: skip
            self.assertEqual(node_reading(tags, mode), CLOSED, tags)
        self.assertEqual(node_reading({"highway": "crossing", "bicycle": "no"}, "bike") & OPEN, OPEN)


class FileTest(unittest.TestCase):
    def read(self, text):
        raw = RawMap()
        read_xml(io.BytesIO(f"<osm>{text}</osm>".encode()), raw)
        return raw

    def test_the_newest_version_counts(self):
        way = '<way id="10" version="%d" visible="%s"><nd ref="1"/><nd ref="2"/><tag k="highway" v="%s"/></way>'
        self.assertEqual(self.read(way % (2, "true", "path") + way % (1, "true", "steps")).ways[10][1], {"highway": "path"})
        self.assertEqual(self.read(way % (1, "true", "path") + way % (2, "false", "path")).ways, {})
        self.assertEqual(self.read((way % (3, "true", "path")).replace("visible", 'action="delete" visible')).ways, {})

    def test_ways_have_coordinates(self):
        raw = self.read('<way id="10"><nd ref="1" lon="9" lat="45"/><nd ref="2" lon="9.1" lat="45"/></way>')
        self.assertEqual(raw.location, {1: (9, 45), 2: (9.1, 45)})

    def test_nodes_at_the_meridian_are_one(self):
        raw = self.read('<node id="1" lon="180" lat="5"/><node id="2" lon="-180" lat="5"/><node id="3" lon="-180" lat="6"/>'
                        '<way id="10"><nd ref="2"/><nd ref="3"/><tag k="highway" v="path"/></way>')  # fmt: skip
        self.assertEqual(raw.joined_at_meridian({1, 2, 3}).ways[-2][0], [1, 2])
        self.assertEqual(raw.joined_at_meridian({1, 3}).ways[10][0], [1, 3])
        self.assertEqual(raw.joined_at_meridian({2, 3}).ways[10][0], [2, 3])


if __name__ == "__main__":
    unittest.main()
