"""The roads of one traveller: edges between the nodes where one can turn, be stopped or be asked about, and
turn bans."""

import math

from law import BIKES, CLOSED, FEET, MODES, OPEN, clauses, node_reading, way_reading

WAY_KINDS = (
    ("highway", None),
    ("route", ("ferry", "shuttle_train")),
    ("man_made", ("pier",)),
    ("railway", ("platform",)),
    ("public_transport", ("platform",)),
)


def is_routable(tags):
    return any(key in tags and (values is None or tags[key] in values) for key, values in WAY_KINDS)


class Ban:
    """One turn restriction. `chain`: the ways from `from` to `to`, both included; `nodes`: where one leads
    into the next. `only`: the chain is a must. `sure`: no other reading of the relation is possible."""

    def __init__(self, relation, tags, chain, nodes, only, sure):
        self.relation, self.tags, self.chain, self.nodes, self.only, self.sure = (
            relation,
            tags,
            chain,
            nodes,
            only,
            sure,
        )


class Network:
    """Edge 2k leads along its way's nodes, edge 2k + 1 back. reading[edge] and node_level[node] are sets of
    readings, as in law.py; node_level holds only what is not simply open."""

    def __init__(self, raw, mode, extra_nodes=()):
        self.raw, self.mode = raw, mode
        self.tail, self.head, self.way, self.reading, self.riding, self.length = [], [], [], [], [], []
        ways = {way: item for way, item in raw.ways.items() if is_routable(item[1])}
        self.node_level = {}
        for node, tags in raw.node_tags.items():
            level = node_reading(tags, mode)
            if mode in BIKES:
                level |= node_reading(tags, "foot")  # one may push
            if level != OPEN:
                self.node_level[node] = level
        self.bans = [ban for item in raw.restrictions for ban in read_restriction(raw, ways, mode, *item)]
        keys = self.key_nodes(ways, extra_nodes)
        for way, (nodes, tags) in ways.items():
            self.add_way(way, nodes, tags, keys)
        self.out = {}
        for edge, tail in enumerate(self.tail):
            self.out.setdefault(tail, []).append(edge)
        self.areas_of = self.find_areas(ways)
        self.bans_from = {}  # (from way, first via node) -> bans
        for ban in self.bans:
            self.bans_from.setdefault((ban.chain[0], ban.nodes[0]), []).append(ban)

    def find_areas(self, ways):
        """The open areas that each node belongs to: closed ways with area=yes, and multipolygons."""
        own = [(tags, nodes) for nodes, tags in ways.values() if tags.get("area") == "yes"]
        for tags, members in self.raw.areas:
            own.append((tags, [node for _, _, way in members for node in self.raw.nodes_of.get(way, ())]))
        found = {}
        self.ridden_areas = set()
        for number, (tags, nodes) in enumerate(own):
            if way_reading(tags, "bike", "forward") != CLOSED:
                self.ridden_areas.add(number)
            if way_reading(tags, "foot", "forward") == CLOSED:
                continue
            for node in nodes:
                found.setdefault(node, set()).add(number)
        return found

    def key_nodes(self, ways, extra_nodes):
        seen, keys = set(), set(extra_nodes) | set(self.node_level)
        for nodes, _ in ways.values():
            keys.update(nodes[:1] + nodes[-1:])
            for node in nodes:
                (keys if node in seen else seen).add(node)
        for ban in self.bans:
            keys.update(ban.nodes)
        return keys

    def add_way(self, way, nodes, tags, keys):
        mode = self.mode
        riding = [way_reading(tags, mode, direction) for direction in ("forward", "backward")]
        reading = riding
        if mode in BIKES:  # pushed, a bike may go where a walker may
            walking = [way_reading(tags, "foot", direction) for direction in ("forward", "backward")]
            reading = [a if b == CLOSED else a | b for a, b in zip(riding, walking)]
        first, length = 0, 0.0
        for at in range(1, len(nodes)):
            length += metres(self.raw.location[nodes[at - 1]], self.raw.location[nodes[at]])
            if nodes[at] in keys:
                self.tail += [nodes[first], nodes[at]]
                self.head += [nodes[at], nodes[first]]
                self.way += [way, way]
                self.reading += reading
                self.riding += riding
                self.length += [length, length]
                first, length = at, 0.0


def metres(a, b):
    x = ((a[0] - b[0] + 180) % 360 - 180) * math.cos(math.radians((a[1] + b[1]) / 2))
    return math.hypot(x, a[1] - b[1]) * 111_195


def read_restriction(raw, ways, mode, relation, tags, members):
    """The bans of one relation: several from-ways or to-ways (no_entry, no_exit) are one each."""
    value, sure = restriction_value(tags, mode)
    if value is None or mode in (part.strip() for part in excepted(tags)):
        return
    roles = {"from": [], "to": [], "via": []}
    for role, kind, number in members:
        if role in roles:
            roles[role].append((kind, number))
    vias = roles["via"]
    if not vias or any(kind != "way" or number not in ways for kind, number in roles["from"] + roles["to"]):
        return
    if any(kind == "node" for kind, _ in vias) and len(vias) > 1:
        return
    for _, start in roles["from"]:
        for _, end in roles["to"]:
            chain, nodes, exact = chain_of(ways, start, vias, end)
            if chain:
                only = value.startswith("only_")
                sane = len(chain) == 2 or chain[-2] not in (start, end)
                sane = sane and (not only or can_follow(ways, mode, chain, nodes, value))
                yield Ban(relation, tags, chain, nodes, only, sure and exact and sane)


def restriction_value(tags, mode):
    """(value, sure): the restriction that binds this traveller, or None."""
    names = ["restriction:" + key for key in MODES[mode][:-1]]
    if mode not in FEET:  # walkers are bound only if they are named
        names.append("restriction")
    found, sure = [], tags.get("type") == "restriction" and mode not in BIKES and mode != "emergency"  # may dismount
    for name in names:
        value = tags.get(name)
        for other, holds in clauses(tags.get(name + ":conditional", ""), mode):
            sure = sure and holds is not None
            value = other if holds or holds is None and value is None else value
        found += [value] if value else []
    if not found or found[0].endswith("_on_red") or not found[0].startswith(("no_", "only_")):
        return None, False
    known = found[0].split("_", 1)[1] in ("left_turn", "right_turn", "straight_on", "u_turn", "entry", "exit")
    timed = any(key.startswith(("day_", "hour_")) for key in tags)
    return found[0], sure and known and len(set(found)) == 1 and not timed


def excepted(tags):
    parts = [part.strip() for part in tags.get("except", "").split(";")]
    return [mode for mode, keys in MODES.items() if any(key in parts for key in keys[:-1])]


def chain_of(ways, start, vias, end):
    """(ways in order, nodes between them, whether all of it is as the wiki wants) or (None, None, False)."""
    if vias[0][0] == "node":
        node = vias[0][1]
        if any(node not in ways[way][0] for way in (start, end)):
            return None, None, False
        return [start, end], [node], all(is_end(ways, way, node) for way in (start, end))
    if any(number not in ways for _, number in vias):
        return None, None, False
    chain, nodes, left, exact = [start], [], [number for _, number in vias], True
    while left:  # via ways need not be in order
        here = [
            (way, node)
            for way in left
            for node in ways[way][0]
            if node in ways[chain[-1]][0] and node not in nodes
        ]
        if not here:
            return None, None, False
        way, node = here[0]
        exact = exact and len(here) == 1 and all(is_end(ways, one, node) for one in (chain[-1], way))
        chain.append(way)
        nodes.append(node)
        left.remove(way)
    last = [node for node in ways[end][0] if node in ways[chain[-1]][0] and node not in nodes]
    if not last:
        return None, None, False
    exact = exact and len(last) == 1 and all(is_end(ways, one, last[0]) for one in (chain[-1], end))
    return chain + [end], nodes + last[:1], exact


def can_follow(ways, mode, chain, nodes, value):
    """Whether an only_* restriction surely leads on to a way that can be entered; else it may be for others."""
    if chain[0] == chain[-1] and value != "only_u_turn":
        return False
    direction = "forward" if ways[chain[-1]][0][0] == nodes[-1] else "backward"
    return way_reading(ways[chain[-1]][1], mode, direction) & CLOSED == 0


def is_end(ways, way, node):
    """The way begins or ends there, once: only then is it clear which arm is meant."""
    nodes = ways[way][0]
    return nodes.count(node) == 1 and node in (nodes[0], nodes[-1])
