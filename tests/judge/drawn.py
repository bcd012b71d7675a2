"""Maps that are drawn by combining tags: a grid of streets, each with a tagged stretch, some with barriers, some
turns restricted, some cut at the 180th meridian. The same seed draws the same map."""

import random
from xml.sax.saxutils import quoteattr

SIDE = 5  # junctions along one side of the grid
SPACING = 0.001
TWIN = 500  # from the id of a junction at 180 to that of the same place at -180

ROADS = """residential residential unclassified tertiary secondary primary trunk motorway motorway_link living_street
service track path footway cycleway pedestrian steps bridleway construction busway""".split()

WAY_TAGS = [
    *({"access": value} for value in ("no", "private", "destination", "customers", "permissive", "no;private",
                                      "forestry;agricultural", "destination;delivery")),
    *({"motor_vehicle": value} for value in ("no", "yes", "designated", "destination", "private", "agricultural")),
    *({"vehicle": value} for value in ("no", "yes", "destination")),
    *({"bicycle": value} for value in ("no", "yes", "designated", "dismount", "use_sidepath")),
    *({"foot": value} for value in ("no", "yes", "designated")),
    *({"hgv": value} for value in ("no", "yes", "destination", "delivery")),
    {"access": "no", "motor_vehicle": "yes"}, {"access": "private", "foot": "yes"}, {"motor_vehicle": "no", "hgv": "yes"},
    {"access": "no", "bus": "yes"}, {"vehicle": "no", "bicycle": "yes"}, {"motorcar": "no"}, {"motorcar": "no", "hgv": "yes"},
    {"oneway": "yes"}, {"oneway": "-1"}, {"oneway": "no"}, {"oneway": "reversible"}, {"junction": "roundabout"},
    {"oneway": "yes", "oneway:bicycle": "no"}, {"oneway": "yes", "cycleway": "opposite"}, {"motorroad": "yes"},
    {"vehicle:forward": "no"}, {"motor_vehicle:backward": "no"}, {"access:forward": "no", "foot": "yes"},
    {"highway": "pedestrian", "vehicle:forward": "yes"}, {"highway": "cycleway", "motor_vehicle": "designated"},
    {"highway": "track", "motor_vehicle": "yes"}, {"highway": "motorway", "bicycle": "yes"},
    {"smoothness": "impassable"}, {"service": "emergency_access", "highway": "service"}, {"maxweight": "3.5"},
    {"maxheight": "1.9"}, {"maxwidth": "1.9"}, {"maxlength": "5"}, {"route": "ferry", "highway": "", "motor_vehicle": "yes"},
    *({"psv": value} for value in ("no", "yes")), {"moped": "yes"}, {"motorcycle": "no"}, {"taxi": "no"}, {"goods": "yes"},
    {"motor_vehicle": "psv"}, {"wheelchair": "no"}, {"access": "no", "emergency": "yes"},
    {"oneway": "yes", "oneway:psv": "no"}, {"access:conditional": "no @ (22:00-06:00)"}, {"motor_vehicle:conditional": "no @ (Sa,Su)"},
    {"hgv": "no", "hgv:conditional": "yes @ (length<=18)"}, {"access:conditional": "no @ (height>3.2); yes @ (weight>20)"},
    *({"hgv:conditional": value} for value in ("no @ (weight>7.5)", "destination @ (length>12)", "no @ (weight>44)")),
    *({"motor_vehicle:conditional": value} for value in ("no @ (weight>7.5 AND Mo-Fr)", "no @ (width>2.4 AND height>2.5)")),
    *({"maxheight": value} for value in ("3,5", "3.9;4.2", "12'-6\"", "15 ft 6 in", "foo", "none", "380 cm")),
    *({"maxweight": value} for value in ("18 tons", "100000 lb", "7,5", "10 lt")), {"maxlength": "40 ft"}, {"maxgcweight": "20 st"},
    *({"hgv_articulated": value} for value in ("no", "yes", "destination")), {"hgv": "no", "hgv_articulated": "yes"},
    *({"highway": "path", "sac_scale": value} for value in ("strolling", "hiking", "alpine_hiking", "difficult_alpine_hiking")),
    *({"highway": "path", "mtb:scale": value} for value in ("0", "1", "3+", "6")), {"highway": "via_ferrata"},
    *({"highway": "path", "trail_visibility": value} for value in ("good", "bad", "no")), {"highway": "path", "via_ferrata_scale": "3"},
    *({"highway": "steps", "conveying": value} for value in ("forward", "backward", "reversible")),
    *({"highway": "footway", "conveying": value} for value in ("forward", "backward", "yes")),
    {"route": "ferry"}, {"route": "ferry", "duration": "1h"}, {"highway": "footway", "footway": "crossing", "kerb": "raised"},
]

BARRIERS = """gate lift_gate bollard cycle_barrier stile kissing_gate block kerb cattle_grid toll_booth bus_trap turnstile
height_restrictor swing_gate entrance jersey_barrier chain""".split()
PASSAGES = [{"railway": "level_crossing"}, {"railway": "crossing"}, {"highway": "elevator"}, {"entrance": "yes"},
            {"highway": "crossing"}, {"door": "yes"}, {"kerb": "raised"}, {"kerb": "lowered"}, {"kerb:height": "0.15"},
            {"highway": "traffic_signals"}]  # fmt: skip
NODE_TAGS = [{}, {}, {"access": "private"}, {"access": "no"}, {"access": "yes"}, {"access": "customers"},
             {"motor_vehicle": "private"}, {"motor_vehicle": "yes"}, {"motor_vehicle": "no"}, {"bicycle": "yes"},
             {"bicycle": "no", "foot": "yes"}, {"access": "no", "foot": "yes"}, {"access": "destination"},
             {"access": "delivery"}, {"hgv": "no"}, {"locked": "yes"}, {"wheelchair": "no"}, {"foot": "no"}, {"motorcar": "no"},
             {"hgv:conditional": "no @ (weight>7.5)"}]

RESTRICTIONS = """no_left_turn no_right_turn no_straight_on no_u_turn only_left_turn only_right_turn only_straight_on
no_right_turn_on_red no_entry no_exit only_u_turn""".split()
RESTRICTION_TAGS = [{}, {}, {}, {"except": "bicycle"}, {"except": "hgv;psv"}, {"except": "motorcar"}]


class Drawing:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.nodes = {}  # id -> (lon, lat, tags)
        self.ways = {}  # id -> (nodes, tags)
        self.relations = []
        self.between = {}  # (junction, junction) -> the ways from one to the other, in order
        self.is_cut = seed % 6 == 0  # at its middle column; written longitudes are in range
        for row in range(SIDE):
            for column in range(SIDE):
                lon = (180 if self.is_cut else 9) + (column - SIDE // 2) * SPACING
                self.nodes[1 + row * SIDE + column] = (lon, 45 + row * SPACING, {})
        for node in range(1, SIDE * SIDE + 1):
            if node % SIDE:
                self.street(node, node + 1)
            if node + SIDE <= SIDE * SIDE:
                self.street(node, node + SIDE)
        for _ in range(0 if self.is_cut else self.rng.randrange(0, 8)):
            self.restriction()

    def street(self, tail, head):
        """One way, or two that meet in the middle; some pass a barrier there."""
        rng, chance = self.rng, self.rng.random()
        if chance < 0.06:
            return
        middle = 1000 + len(self.nodes)
        a, b = self.nodes[tail], self.nodes[head]
        tags = rng.choice(({}, {"barrier": rng.choice(BARRIERS)}, rng.choice(PASSAGES))) if rng.random() < 0.3 else {}
        tags = {**tags, **rng.choice(NODE_TAGS)} if tags else {}
        self.nodes[middle] = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2, tags)
        if self.is_cut and head == tail + 1 and tail % SIDE == SIDE // 2 + 1:
            self.nodes[tail + TWIN] = (180.00000001, a[1], {})
            tail += TWIN
        ends = (tail, head) if rng.random() < 0.5 else (head, tail)
        if chance < 0.7:
            found = [self.way([ends[0], middle, ends[1]])]
        else:
            found = [self.way([ends[0], middle]), self.way([middle, ends[1]])]
        self.between[ends] = found
        self.between[ends[::-1]] = found[::-1]

    def way(self, nodes):
        rng = self.rng
        tags = {"highway": rng.choice(ROADS) if rng.random() < 0.4 else "residential"}
        for _ in range(rng.choice((0, 0, 1, 1, 2))):
            tags.update(rng.choice(WAY_TAGS))
        number = 5000 + len(self.ways)
        self.ways[number] = (nodes, {key: value for key, value in tags.items() if value})
        return number

    def restriction(self):
        """From one street over a junction, or along a whole street, into the next."""
        rng = self.rng
        start = rng.choice(list(self.between))
        turns = [pair for pair in self.between if pair[0] == start[1]]
        middle = rng.choice(turns)
        members = [("from", "way", self.between[start][-1])]
        if rng.random() < 0.6 or middle[1] == start[0]:
            members += [("via", "node", start[1]), ("to", "way", self.between[middle][0])]
        else:
            end = rng.choice([pair for pair in self.between if pair[0] == middle[1]])
            members += [("via", "way", way) for way in self.between[middle]] + [("to", "way", self.between[end][0])]
        key = rng.choice(("restriction",) * 6 + ("restriction:hgv", "restriction:motorcar", "restriction:bicycle",
                                               "restriction:conditional"))
        value = rng.choice(RESTRICTIONS)
        tags = {"type": "restriction", key: value, **rng.choice(RESTRICTION_TAGS)}
        if key == "restriction:conditional":
            tags[key] += rng.choice((" @ (07:00-09:00)", " @ (weight>7.5)", " @ (length>20)"))
        elif rng.random() < 0.1:
            tags[key + ":conditional"] = rng.choice(("none @ (weight>7.5)", "none @ (Sa,Su)"))
        self.relations.append((members, tags))

    def write(self, path):
        write(path, self.nodes, self.ways, self.relations)


def write(path, nodes, ways, relations=()):
    """nodes[id] = (lon, lat, tags), ways[id] = (nodes, tags), relations: (members, tags) each, numbered from 9000."""
    with open(path, "w") as file:
        print('<?xml version="1.0"?>\n<osm version="0.6">', file=file)
        for node, (lon, lat, tags) in nodes.items():
            lon -= 360 if lon > 180 else 0
            print(f'<node id="{node}" version="1" lon="{lon:.7f}" lat="{lat:.7f}">{tag_lines(tags)}</node>', file=file)
        for way, (members, tags) in ways.items():
            lines = "".join(f'<nd ref="{node}"/>' for node in members)
            print(f'<way id="{way}" version="1">{lines}{tag_lines(tags)}</way>', file=file)
        for number, (members, tags) in enumerate(relations, 9000):
            lines = "".join(f'<member type="{kind}" ref="{ref}" role="{role}"/>' for role, kind, ref in members)
            print(f'<relation id="{number}" version="1">{lines}{tag_lines(tags)}</relation>', file=file)
        print("</osm>", file=file)


def tag_lines(tags):
    return "".join(f"<tag k={quoteattr(key)} v={quoteattr(value)}/>" for key, value in tags.items())
