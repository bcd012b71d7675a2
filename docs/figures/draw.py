"""Draws the figures of docs/architecture.md: python3 docs/figures/draw.py."""

import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
INK, RED, BLUE, GREY, PAPER = "#222222", "#c01c28", "#1a5fb4", "#9a9996", "#ffffff"


class Figure:
    def __init__(self, name, width, height):
        self.name, self.size, self.parts = name, (width, height), []

    def line(self, a, b, colour=INK, width=1.5, arrow=False, dash=False):
        (x1, y1), (x2, y2) = a, b
        if arrow:  # ends at the circle around the head
            length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5
            x2, y2 = x2 - (x2 - x1) * 17 / length, y2 - (y2 - y1) * 17 / length
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"'
            + (' stroke-dasharray="4 3"' if dash else "")
            + (f' marker-end="url(#{colour[1:]})"' if arrow else "")
            + "/>"
        )

    def node(self, at, text, colour=INK):
        self.parts.append(
            f'<circle cx="{at[0]}" cy="{at[1]}" r="14" fill="{PAPER}" stroke="{colour}" stroke-width="1.8"/>'
        )
        self.text((at[0], at[1] + 5), text, colour)

    def box(self, at, width, height, text, fill=PAPER, colour=INK):
        self.parts.append(
            f'<rect x="{at[0]}" y="{at[1]}" width="{width}" height="{height}" fill="{fill}" stroke="{GREY}"/>'
        )
        self.text((at[0] + width / 2, at[1] + height / 2 + 5), text, colour)

    def text(self, at, text, colour=INK, anchor="middle"):
        self.parts.append(
            f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" fill="{colour}" text-anchor="{anchor}">{text}</text>'
        )

    def save(self):
        heads = "".join(
            f'<marker id="{c[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{c}"/></marker>'
            for c in (INK, RED, BLUE, GREY)
        )
        width, height = self.size
        with open(os.path.join(FOLDER, self.name), "w") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="14">'
                f'<rect width="{width}" height="{height}" fill="{PAPER}"/><defs>{heads}</defs>\n'
                + "\n".join(self.parts)
                + "\n</svg>\n"
            )


def tree():
    """A street of seven junctions, its elimination tree, and the label of one of them."""
    figure = Figure("tree.svg", 760, 290)
    street = [2, 1, 3, 0, 5, 4, 6]  # the file's ids along the street
    at = {node: (40 + 50 * i, 60) for i, node in enumerate(street)}
    figure.text((190, 25), "a street of seven junctions")
    for a, b in zip(street, street[1:]):
        figure.line(at[a], at[b])
    for node in street:
        figure.node(at[node], node, RED if node in (5, 4, 0) else INK)
    place = {0: (190, 130), 1: (90, 190), 4: (290, 190), 2: (40, 250), 3: (140, 250), 5: (240, 250), 6: (340, 250)}
    for child, parent in ((1, 0), (4, 0), (2, 1), (3, 1), (5, 4), (6, 4)):
        figure.line(place[child], place[parent], RED if child in (5, 4) else INK, 3 if child in (5, 4) else 1.5)
    for node, where in place.items():
        figure.node(where, node, RED if node in (5, 4, 0) else INK)
    figure.text((430, 135), "depth 0", GREY)
    figure.text((430, 195), "depth 1", GREY)
    figure.text((430, 255), "depth 2", GREY)
    figure.text((620, 100), "the label of 5")
    for depth, (node, note) in enumerate(((0, "label[0]: cost to 0"), (4, "label[1]: cost to 4"), (5, "label[2]: 0"))):
        figure.box((530, 113 + 60 * depth), 180, 36, note, colour=RED)
    figure.save()


def lanes():
    """How the costs of a batch lie in memory."""
    figure = Figure("lanes.svg", 760, 190)
    figure.text((400, 25), "dist[node * K + lane], here with K = 8 lanes")
    for row, node in enumerate(("node 0", "node 1", "node 2")):
        figure.text((80, 63 + 36 * row), node, anchor="end")
        for lane in range(8):
            figure.box((95 + 76 * lane, 42 + 36 * row), 76, 30, f"lane {lane}", "#dce8f7" if lane == 3 else PAPER)
    figure.text((399, 175), "one load of an arc serves a whole row; a lane never looks at another lane", BLUE)
    figure.save()


def split():
    """A forbidden turn becomes a missing arc."""
    figure = Figure("split.svg", 760, 250)
    for left, title in ((0, "No left turn from 12 over 22 to 21 ..."), (390, "... becomes a copy of 22 that lacks this way out")):
        figure.text((left + 185, 25), title)
    at = {21: (40, 120), 22: (180, 120), 23: (320, 120), 12: (180, 220), 32: (180, 55)}
    for a, b in ((22, 21), (21, 22), (22, 23), (23, 22), (22, 32), (32, 22), (12, 22)):
        figure.line(at[a], at[b], arrow=True)
    figure.line((168, 200), (168, 134), RED, 2.5)
    figure.line((168, 134), (62, 134), RED, 2.5, arrow=True, dash=True)
    for node, where in at.items():
        figure.node(where, node)
    at = {key: (x + 390, y) for key, (x, y) in at.items()}
    copy = (645, 180)
    for a, b in ((22, 21), (21, 22), (22, 23), (23, 22), (22, 32), (32, 22)):
        figure.line(at[a], at[b], arrow=True)
    figure.line(at[12], copy, RED, 2, arrow=True)
    figure.line(copy, at[23], RED, 2, arrow=True)
    figure.line(copy, at[32], RED, 2, arrow=True)
    for node, where in at.items():
        figure.node(where, node)
    figure.node(copy, "22", RED)
    figure.save()


tree()
lanes()
split()
