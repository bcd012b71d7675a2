"""A map as it stands in an OpenStreetMap file: nodes, ways with tags and restriction relations. Nothing is
interpreted."""

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
    for _, item in ElementTree.iterparse(file):
        if item.tag not in ("node", "way", "relation"):
            continue
        number, tags = int(item.get("id")), {tag.get("k"): tag.get("v") for tag in item.iter("tag")}
        if item.tag == "node":
            raw.add_node(number, float(item.get("lon")), float(item.get("lat")), tags)
        elif item.tag == "way":
            raw.add_way(number, [int(node.get("ref")) for node in item.iter("nd")], tags)
        else:
            members = [(m.get("role"), m.get("type"), int(m.get("ref"))) for m in item.iter("member")]
            raw.add_relation(number, tags, members)
        item.clear()


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
