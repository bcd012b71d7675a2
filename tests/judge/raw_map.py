"""A map as it stands in an OpenStreetMap file: nodes, ways with tags and restriction relations, the newest version of
each, unless that is a deletion. Nothing is interpreted."""

import copy
import gzip
import xml.etree.ElementTree as ElementTree


class RawMap:
    """location[node] = (lon, lat); node_tags[node]; ways[way] = (nodes, tags); restrictions: (id, tags,
    members), a member being (role, type, id); areas: (tags, members) of multipolygons that are highways;
    nodes_of[way] of all ways."""

    def __init__(self):
        self.location, self.node_tags, self.ways, self.restrictions = {}, {}, {}, []
        self.areas, self.nodes_of = [], {}

    def add_node(self, node, lon, lat, tags):
        self.location[node] = (lon, lat)
        if tags:
            self.node_tags[node] = tags

    def add_way(self, way, nodes, tags):
        self.nodes_of[way] = nodes
        if tags:
            self.ways[way] = (nodes, tags)

    def add_relation(self, relation, tags, members):
        if tags.get("type", "").startswith("restriction"):
            self.restrictions.append((relation, tags, members))
        if tags.get("type") == "multipolygon" and ("highway" in tags or "man_made" in tags or "railway" in tags):
            self.areas.append((tags, members))

    def joined_at_meridian(self, known):
        """The map, where nodes at one latitude of the 180th meridian are one place: of each pair, the one that is known
        stays; if both are, a way that is open to all joins them."""
        east = {lat: node for node, (lon, lat) in self.location.items() if lon == 180}
        west = {lat: node for node, (lon, lat) in self.location.items() if lon == -180}
        pairs, kept = [(east[lat], west[lat]) for lat in east.keys() & west.keys()], {}
        joined = copy.deepcopy(self) if pairs else self
        for stays, goes in pairs:
            if stays not in known:
                stays, goes = goes, stays
            if goes in known:
                joined.add_way(-goes, [stays, goes], {"highway": "residential"})
                continue
            kept[goes] = stays
            tags = {**joined.node_tags.pop(goes, {}), **joined.node_tags.get(stays, {})}
            joined.node_tags.update({stays: tags} if tags else {})
        for nodes in joined.nodes_of.values() if kept else ():
            nodes[:] = [kept.get(node, node) for node in nodes]
        return joined

    def drop_absent_nodes(self):
        """Ways that leave an extract name nodes that are not in it."""
        for nodes, _ in self.ways.values():
            nodes[:] = [node for node in nodes if node in self.location]


def read(path):
    """Reads .osm and .osm.gz with the standard library; .osm.pbf needs the module osmium."""
    raw = RawMap()
    if path.endswith(".pbf"):
        read_pbf(path, raw)
    else:
        with gzip.open(path) if path.endswith(".gz") else open(path, "rb") as file:
            read_xml(file, raw)
    raw.drop_absent_nodes()
    return raw


def read_xml(file, raw):
    newest = {}
    for _, item in ElementTree.iterparse(file):
        if item.tag not in ("node", "way", "relation"):
            continue
        key, version = (item.tag, int(item.get("id"))), int(item.get("version", 1))
        if version >= newest.get(key, (0, None))[0]:
            newest[key] = version, plain(item)
        item.clear()
    for (kind, number), (_, found) in newest.items():
        if found is None:
            continue
        attributes, tags, members = found
        if kind == "node":
            raw.add_node(number, float(attributes["lon"]), float(attributes["lat"]), tags)
        elif kind == "way":
            nodes = [int(node["ref"]) for node in members]
            for node in members:
                if "lon" in node and ("node", int(node["ref"])) not in newest:
                    raw.add_node(int(node["ref"]), float(node["lon"]), float(node["lat"]), {})
            raw.add_way(number, nodes, tags)
        else:
            raw.add_relation(number, tags, [(m["role"], m["type"], int(m["ref"])) for m in members])


def plain(item):
    """(attributes, tags, members) of an object, None of a deleted one."""
    if item.get("visible") == "false" or item.get("action") == "delete":
        return None
    tags = {tag.get("k"): tag.get("v") for tag in item.iter("tag")}
    return dict(item.attrib), tags, [dict(member.attrib) for member in item if member.tag in ("nd", "member")]


def read_pbf(path, raw):
    import osmium

    kinds = {"n": "node", "w": "way", "r": "relation"}

    class Handler(osmium.SimpleHandler):
        def node(self, item):
            tags = {tag.k: tag.v for tag in item.tags} if len(item.tags) else {}
            raw.add_node(item.id, item.location.lon, item.location.lat, tags)

        def way(self, item):
            raw.add_way(item.id, [node.ref for node in item.nodes], {tag.k: tag.v for tag in item.tags})

        def relation(self, item):
            members = [(m.role, kinds[m.type], m.ref) for m in item.members]
            raw.add_relation(item.id, {tag.k: tag.v for tag in item.tags}, members)

    Handler().apply_file(path)
