"""Who may go where, by the definitions of the OpenStreetMap wiki. Written without a look at the importer.

Every answer is a set of readings, as bits: CLOSED, ENDS (only a trip that begins or ends there) and OPEN. One bit is a
sure answer. Several bits say that the wiki leaves room, or that countries differ; then the judge neither blames a route
that passes nor misses one that does not.

Pages: Key:access (values, hierarchy of modes, directions), OSM tags for routing/Access restrictions (classes),
Key:oneway, Key:junction, Key:barrier and the pages of its values, Key:smoothness, Tag:route=ferry, Key:maxweight,
Conditional restrictions, Map features/Units, Key:sac_scale, Key:mtb:scale, Key:trail_visibility, Key:conveying, Key:kerb.
"""

import re

CLOSED, ENDS, OPEN = 1, 2, 4
ANY = CLOSED | ENDS | OPEN

MODES = {
    "car": ("motorcar", "motor_vehicle", "vehicle", "access"),
    "motorcycle": ("motorcycle", "motor_vehicle", "vehicle", "access"),
    "moped": ("moped", "motor_vehicle", "vehicle", "access"),
    "taxi": ("taxi", "psv", "motorcar", "motor_vehicle", "vehicle", "access"),
    "bus": ("bus", "psv", "motor_vehicle", "vehicle", "access"),
    "van": ("goods", "motor_vehicle", "vehicle", "access"),
    "truck": ("hgv_articulated", "hgv", "motor_vehicle", "vehicle", "access"),  # goods: up to 3.5 t
    "emergency": ("emergency", "motor_vehicle", "vehicle", "access"),
    **dict.fromkeys(("bike", "ebike", "racingbike", "mtb"), ("bicycle", "vehicle", "access")),
    "foot": ("foot", "access"),
    "wheelchair": ("wheelchair", "foot", "access"),
}
MOTOR = ("car", "motorcycle", "moped", "taxi", "bus", "van", "truck", "emergency")
BIKES, FEET = ("bike", "ebike", "racingbike", "mtb"), ("foot", "wheelchair")
ACCESS_KEYS = set(sum(MODES.values(), ()))

VALUES = {
    **dict.fromkeys(("yes", "designated", "permissive", "official", "public", "discouraged"), OPEN),
    **dict.fromkeys(("destination", "private", "customers", "delivery", "residents", "permit"), ENDS),
    **dict.fromkeys(("no", "agricultural", "forestry", "emergency", "military", "psv", "bus", "dismount"), CLOSED),
    "use_sidepath": CLOSED | OPEN,
}

ROADS = """trunk primary secondary tertiary unclassified residential living_street service road trunk_link primary_link
secondary_link tertiary_link""".split()
GONE = "construction proposed planned abandoned razed disused demolished no bus_guideway escape raceway".split()


def classes():
    """The reading of a class without any access tag: class -> (car and truck, bike, foot)."""
    unsure = CLOSED | OPEN
    table = dict.fromkeys(ROADS, (OPEN, OPEN, OPEN))
    table.update({"trunk": (OPEN, unsure, unsure), "trunk_link": (OPEN, unsure, unsure)})
    table.update(dict.fromkeys(("motorway", "motorway_link"), (OPEN, CLOSED, CLOSED)))
    table.update(dict.fromkeys(GONE, (CLOSED, CLOSED, CLOSED)))
    table.update(dict.fromkeys(("corridor", "platform", "elevator", "ladder"), (CLOSED, CLOSED, unsure)))
    table["via_ferrata"] = (CLOSED, CLOSED, CLOSED)
    table["track"] = (unsure, OPEN, OPEN)
    table["path"] = (CLOSED, OPEN, OPEN)
    table["cycleway"] = (CLOSED, OPEN, unsure)
    table["bridleway"] = (CLOSED, unsure, unsure)
    table["busway"] = (CLOSED, CLOSED, unsure)
    for name in ("footway", "pedestrian", "steps"):
        table[name] = (CLOSED, CLOSED, OPEN)
    return table


CLASSES = classes()
COLUMN = {**dict.fromkeys(MOTOR, 0), **dict.fromkeys(BIKES, 1), **dict.fromkeys(FEET, 2)}
OWN_CLASSES = {  # where one traveller differs from the others of the column
    "bus": {"busway": OPEN},
    "moped": {"motorway": CLOSED, "motorway_link": CLOSED},
    "emergency": dict.fromkeys("track busway pedestrian footway cycleway path bridleway steps".split(), CLOSED | OPEN),
    "wheelchair": {"steps": CLOSED, **dict.fromkeys("track path bridleway primary secondary".split(), CLOSED | OPEN)},
}
OWN_VALUES = {
    "bus": {"psv": OPEN, "bus": OPEN},
    "taxi": {"psv": OPEN, "taxi": OPEN},
    "emergency": {**dict.fromkeys(("no", "agricultural", "forestry", "military", "psv", "bus", "private", "destination",
                                   "customers", "delivery", "residents", "permit"), ANY), "emergency": OPEN},
}

# Barriers without access tags: (car and truck, bike, foot).
GATE = (ENDS | OPEN, ENDS | OPEN, ENDS | OPEN)
FOR_FEET = (CLOSED, CLOSED, OPEN)
BLOCKS = (CLOSED, CLOSED | OPEN, OPEN)
BARRIERS = {
    **dict.fromkeys(("cattle_grid", "entrance", "toll_booth", "border_control", "height_restrictor"), (OPEN, OPEN, OPEN)),
    **dict.fromkeys(("gate", "swing_gate", "sliding_gate", "hampshire_gate", "wicket_gate"), GATE),
    "lift_gate": (ENDS | OPEN, OPEN, OPEN),
    "wicket_gate": FOR_FEET,
    **dict.fromkeys(("bollard", "cycle_barrier", "motorcycle_barrier"), (CLOSED, OPEN, OPEN)),
    **dict.fromkeys(("stile", "kissing_gate", "turnstile", "full-height_turnstile"), FOR_FEET),
    **dict.fromkeys(("block", "planter", "log", "bollards"), BLOCKS),
    **dict.fromkeys(("bus_trap", "sump_buster"), (CLOSED, OPEN, OPEN)),
    "kerb": (CLOSED | OPEN, OPEN, OPEN),
}
PHYSICAL = {name for name, (wheels, _, _) in BARRIERS.items() if wheels == CLOSED}  # `access` alone does not remove them


def value_reading(value, mode):
    """The reading of one access value; of a list, the most open one that we know, or none of them."""
    own = OWN_VALUES.get(mode, {})
    parts = [own.get(part.strip(), VALUES.get(part.strip(), ANY)) for part in value.split(";")]
    if len(parts) == 1:
        return parts[0]
    best = max((part for part in parts if part != ANY), default=ANY)
    return best | CLOSED if CLOSED in parts or ANY in parts else best | min(parts)


def explicit(tags, mode, direction=""):
    """(key, reading) of the most specific access tag of this traveller, or (None, None)."""
    for key in MODES[mode]:
        for name in (f"{key}:{direction}", key) if direction else (key,):
            reading = value_reading(tags[name], mode) if name in tags else None
            for value, holds in clauses(tags.get(name + ":conditional", ""), mode):
                reading = value_reading(value, mode) if holds else reading  # of several that hold, the last one
            if reading is not None:
                return key, reading
    return None, None


def perhaps(tags, mode, direction=""):
    """The readings of conditions that may hold or not."""
    found = 0
    for key in MODES[mode]:
        for name in (f"{key}:{direction}", key):
            for value, holds in clauses(tags.get(name + ":conditional", ""), mode):
                found |= value_reading(value, mode) if holds is None else 0
    return found


FEET_INCHES = re.compile(r"""(\d+)\s*(?:'|ft|feet)\s*-?\s*(?:(\d+)\s*(?:"|''|in|inches)?)?""")
AMOUNT = re.compile(r"""(\d+(?:[.,]\d+)?)\s*([a-z"]*)""")
UNITS = {
    **dict.fromkeys(("", "m", "metres", "meters", "t", "tonnes"), 1),
    **dict.fromkeys(('"', "in", "inches"), 0.0254), **dict.fromkeys(("lb", "lbs"), 0.00045359),
    **dict.fromkeys(("st", "ton", "tons"), 0.90718),  # tons may be tonnes, too: size_reading
    "cm": 0.01, "mm": 0.001, "kg": 0.001, "lt": 1.01605, "cwt": 0.0508,
}  # fmt: skip


def number(text):
    """Metres or tonnes, the least of several values; None if one cannot be read."""
    text = text.lower().translate(str.maketrans("\u2032\u2019\u2033\u201d", "''\"\"")).strip()
    if ";" in text:
        values = [number(part) for part in text.split(";")]
        return None if None in values else min(values)
    found = FEET_INCHES.fullmatch(text)
    if found:
        return 0.3048 * int(found[1]) + 0.0254 * int(found[2] or 0)
    found = AMOUNT.fullmatch(text)
    return float(found[1].replace(",", ".")) * UNITS[found[2]] if found and found[2] in UNITS else None


# The least that surely is enough and the most that surely is too little; one number: one's own size, by the profile.
SIZES = {
    "maxheight": {"car": (2.2, 1.0), "truck": (4, 4), "van": (2.8, 2.8), "bus": (3.5, 3.5)},
    "maxwidth": {"car": (2.3, 1.2), "truck": (2.55, 2.55), "van": (2.3, 2.3), "bus": (2.55, 2.55)},
    "maxlength": {"car": (7, 2), "truck": (16.5, 16.5), "van": (7, 7), "bus": (12, 12)},
    "maxweight": {"car": (3.5, 0.5), "truck": (40, 40), "van": (3.5, 3.5), "bus": (18, 18)},
    "maxaxleload": {"car": (3, 0.3), "truck": (10, 10), "van": (3.5, 0.5), "bus": (11.5, 11.5)},
}
for measure in SIZES.values():
    measure.update({mode: measure["car"] for mode in ("taxi", "emergency", "motorcycle", "moped")})
SIZES.update(dict.fromkeys(("maxweightrating", "maxgcweight", "maxgcweightrating"), SIZES["maxweight"]))
SMALL = (3, 0)  # without an engine: no limit of vehicles is meant for them

NO_LIMIT = ("none", "default", "no", "no_sign", "unsigned", "no_indications")


def clauses(text, mode):
    """(value, whether its condition holds; None: perhaps) of a conditional tag, without a slot."""
    for value, condition in re.findall(r"([^@;]+)@\s*(\([^)]*\)|[^;]*)", text):
        parts = re.split(r"\s+and\s+", condition.strip("() "), flags=re.IGNORECASE)
        holds = [holds_for(part, mode) for part in parts]
        yield value.strip(), False if False in holds else None if None in holds else True


def holds_for(condition, mode):
    found = re.fullmatch(r"(weight|axleload|length|width|height)\s*([<>]=?)\s*(.+)", condition.strip())
    if found is None:
        return False if re.search(r"\d:\d\d|\b(?:Mo|Tu|We|Th|Fr|Sa|Su|PH)\b", condition) else None
    most, least = SIZES["max" + found[1]].get(mode, SMALL)
    limit = number(found[3])
    if limit is None:
        return None
    answers = {{"<": size < limit, "<=": size <= limit, ">": size > limit, ">=": size >= limit}[found[2]]
               for size in (most, least)}  # fmt: skip
    return answers.pop() if len(answers) == 1 else None


def size_reading(tags, mode, direction=""):
    """OPEN unless a limit of size or weight may stop this vehicle; sure only where any of its kind is meant."""
    reading = OPEN
    for key, limits in SIZES.items():
        names = [name for name in tags if (name == key or name.startswith(key + ":")) and tags[name] not in NO_LIMIT]
        if mode not in limits or not names:
            continue
        enough, too_little = limits[mode]
        value = number(tags[names[0]])
        sure = names[0] in (key, f"{key}:{direction}") and len(names) == 1
        if not sure or value is None:
            reading |= ANY
        elif value * (1.1023 if tags[names[0]].endswith(("ton", "tons")) else 1) < too_little:
            return CLOSED
        elif value < enough:
            reading |= CLOSED
    return reading


def both(one, other):
    """Two readings that hold together: the less open of each pair."""
    found = 0
    for a in (CLOSED, ENDS, OPEN):
        for b in (CLOSED, ENDS, OPEN):
            if one & a and other & b:
                found |= min(a, b)
    return found


def way_reading(tags, mode, direction):
    """`direction` is "forward" or "backward" along the way's nodes."""
    reading = standing_reading(tags, mode, direction) | perhaps(tags, mode, direction)
    if mode in MOTOR:
        reading = both(reading, size_reading(tags, mode, direction))
    if "route" not in tags:
        reading = both(reading, difficulty(tags, mode))
    if mode == "wheelchair" and ("kerb" in tags or "kerb:height" in tags):
        reading = both(reading, kerb_reading(tags) | (OPEN if tags.get("footway") != "crossing" else 0))
    return both(reading, oneway_reading(tags, mode, direction))


def standing_reading(tags, mode, direction):
    """Class and access tags, without one-ways."""
    highway, wheels = tags.get("highway"), mode not in FEET
    key, tagged = explicit(tags, mode, direction)
    if highway is None:
        return other_way_reading(tags, mode, key, tagged)
    base = CLASSES.get(highway, (CLOSED | OPEN,) * 3)[COLUMN[mode]]
    base = OWN_CLASSES.get(mode, {}).get(highway, base)
    if tags.get("route") in ("ferry", "shuttle_train"):
        base |= CLOSED  # a boat need not take all that the road to it does
    if highway in GONE:
        return CLOSED if key in (None, "access") else CLOSED | tagged
    if tags.get("motorroad") == "yes" and (mode == "moped" or mode not in MOTOR):
        base = CLOSED
    if tags.get("bicycle_road") == "yes" and mode in MOTOR:
        base |= CLOSED
    if mode == "moped" and base == CLOSED and (highway.startswith("motorway") or tags.get("motorroad") == "yes"):
        return tagged if key == "moped" else CLOSED
    if key is None:
        reading = base
    elif key == "access" and base & CLOSED:
        reading = base if tagged == OPEN else CLOSED | tagged  # it need not open a class that is closed by itself
    else:
        reading = tagged
    if wheels and tags.get("smoothness") == "impassable":
        return CLOSED
    if doubtful(tags, mode) or (wheels and highway == "steps"):
        reading |= CLOSED
    return reading


SAC = ("strolling", "hiking", "mountain_hiking", "demanding_mountain_hiking", "alpine_hiking", "demanding_alpine_hiking",
       "difficult_alpine_hiking")  # fmt: skip
VISIBLE = ("excellent", "good", "intermediate", "bad", "horrible", "no")
# The last grade of sac_scale, mtb:scale and trail_visibility that surely lets one pass, the first that surely does not.
GRADES = {
    "wheelchair": ((0, 2), (0, 2), (2, 4)),
    "foot": ((3, 99), (99, 99), (2, 99)),
    "mtb": ((1, 6), (1, 5), (2, 99)),
    "racingbike": ((0, 4), (0, 3), (2, 99)),
    **dict.fromkeys(("bike", "ebike"), ((1, 4), (0, 4), (2, 99))),
}


def difficulty(tags, mode):
    """Paths that are too hard for a traveller; an access tag of the mode itself may say that this one is not."""
    reading = OPEN
    for key, names, (easy, hard) in zip(("sac_scale", "mtb:scale", "trail_visibility"), (SAC, None, VISIBLE),
                                        GRADES.get(mode, ((0, 99),) * 3)):  # fmt: skip
        value = tags.get(key)
        if value is None:
            continue
        known = value in names if names else value[:1].isdigit() and value[1:] in ("", "+", "-")
        grade = (names.index(value) if names else int(value[0])) if known else None
        if grade is None or grade > easy:
            reading |= CLOSED
        if grade is not None and grade >= hard and MODES[mode][0] not in tags:
            return CLOSED
    if tags.get("via_ferrata_scale", "0") != "0":
        return CLOSED | (OPEN if mode in MOTOR or MODES[mode][0] in tags else 0)
    return reading


def doubtful(tags, mode):
    """Tags that keep some travellers off, though not by law."""
    motor = mode in MOTOR
    return (
        any(tags.get(key) == "yes" for key in ("area", "abandoned", "disused", "impassable", "construction", "indoor",
                                               "ice_road", "winter_road", "ford"))
        or "barrier" in tags
        or tags.get("highway") == "via_ferrata"
        or (mode not in FEET and tags.get("conveying", "no") != "no")
        or (mode == "wheelchair" and any(key in tags for key in ("surface", "smoothness", "incline", "width", "tracktype")))
        or (mode == "mtb" and "mtb:scale" in tags)
        or (motor and tags.get("service") == "emergency_access")
        or (motor and tags.get("4wd_only") == "yes")
        or (motor and tags.get("hov") == "designated")
        or (mode not in FEET and tags.get("smoothness") in ("horrible", "very_horrible"))
    )


def other_way_reading(tags, mode, key, tagged):
    """Ways that are not highways: ferries, trains that carry vehicles, and where one can walk."""
    if tags.get("route") in ("ferry", "shuttle_train"):
        return CLOSED | OPEN if tagged is None else tagged if key != "access" else tagged | CLOSED
    if mode in MOTOR:
        return CLOSED
    return CLOSED | OPEN | (tagged or 0)


def oneway_tag(tags, mode):
    """The value that holds for this traveller, None without one."""
    for key in MODES[mode][:-1]:
        if "oneway:" + key in tags:
            return tags["oneway:" + key]
    if mode in FEET:
        return None
    if mode == "bus" and any(str(tags.get(key, "")).startswith("opposite") for key in ("busway", "busway:left", "busway:right")):
        return "unsure"
    if mode in BIKES:
        if any(str(tags.get(key, "")).startswith("opposite") for key in ("cycleway", "cycleway:left", "cycleway:right",
                                                                        "cycleway:both")):
            return "no"
        if any(key.startswith("cycleway:") and key.endswith(":oneway") for key in tags):
            return "unsure"
    return tags.get("oneway")


def oneway_reading(tags, mode, direction):
    value, highway = oneway_tag(tags, mode), tags.get("highway")
    against = OPEN
    if mode in FEET and tags.get("conveying", "no") != "no":
        conveyed = tags["conveying"]
        along = OPEN if mode == "foot" else CLOSED | OPEN  # belts need not take a wheelchair
        if conveyed in ("forward", "backward") and not value:
            return along if conveyed == direction else CLOSED
        return CLOSED | along
    if value in ("yes", "true", "1"):
        against = CLOSED if direction == "backward" else OPEN
    elif value in ("-1", "reverse"):
        against = CLOSED if direction == "forward" else OPEN
    elif value == "no":
        against = OPEN
    elif value is not None:
        against = CLOSED | OPEN  # reversible, alternating, ...
    elif mode in FEET:
        if tags.get("oneway") not in (None, "no") and highway in ("footway", "path", "steps", "pedestrian", "corridor"):
            against = CLOSED | OPEN
    elif tags.get("junction") == "roundabout" or highway == "motorway" and "route" not in tags:
        against = CLOSED if direction == "backward" else OPEN
    elif tags.get("junction") == "circular" or highway in ("motorway", "motorway_link"):
        against = CLOSED | OPEN if direction == "backward" else OPEN
    if against == CLOSED and any(f"{key}:{direction}" in tags for key in MODES[mode]):
        return CLOSED | OPEN  # `oneway` and access by direction disagree
    return against


def node_reading(tags, mode):
    """May this traveller pass the node?"""
    reading = passing_reading(tags, mode) | perhaps(tags, mode)
    return both(reading, kerb_reading(tags)) if mode == "wheelchair" else reading


def kerb_reading(tags):
    """A raised kerb prevents wheelchairs: it is higher than 3 cm."""
    if "wheelchair" in tags:
        return CLOSED | OPEN
    height = number(tags.get("kerb:height", "0"))
    if tags.get("kerb") == "raised" or height and height > 0.06:
        return CLOSED | OPEN if tags.get("highway") == "crossing" else CLOSED  # along the road nothing is raised
    return OPEN if height is not None and height <= 0.02 and tags.get("kerb") in (None, "no", "flush", "lowered") else CLOSED | OPEN


def is_passage(tags, mode):
    """Whether the access tags of a node without a barrier surely speak of all who pass it."""
    if tags.get("railway") in ("level_crossing", "crossing"):
        return True
    return mode in FEET and ("entrance" in tags or "door" in tags or tags.get("highway") == "elevator")


def passing_reading(tags, mode):
    key, tagged = explicit(tags, mode)
    barrier = tags.get("barrier")
    if barrier is None or barrier == "no":
        reading = OPEN if key is None else tagged if is_passage(tags, mode) else tagged | OPEN
        if tags.get("ford") == "yes":
            reading = CLOSED | OPEN
        # a beam or a sign over the road needs no barrier=*, but may speak of one of its directions
        return both(reading, OPEN | size_reading(tags, mode)) if mode in MOTOR else reading
    default = BARRIERS.get(barrier, (ANY, ANY, ANY))[COLUMN[mode]]
    if (mode, barrier) == ("bus", "bus_trap"):
        default = OPEN
    elif mode in ("wheelchair", "emergency"):
        default |= ANY
    if key is None:
        reading = default
    elif key == "access" and barrier in PHYSICAL:
        reading = default | tagged
    elif key == "access" and default == OPEN:
        reading = tagged | default  # "no" on a lift gate often speaks of vehicles only
    else:
        reading = tagged
    if tags.get("locked") == "yes":
        reading |= CLOSED
    return both(reading, size_reading(tags, mode)) if mode in MOTOR else reading
