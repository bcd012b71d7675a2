"""Who may go where, by the definitions of the OpenStreetMap wiki. Written without a look at the importer.

Every answer is a set of readings, as bits: CLOSED, ENDS (only a trip that begins or ends there) and OPEN. One bit is a
sure answer. Several bits say that the wiki leaves room, or that countries differ; then the judge neither blames a route
that passes nor misses one that does not.

Pages: Key:access (values, hierarchy of modes, directions), OSM tags for routing/Access restrictions (classes),
Key:oneway, Key:junction, Key:barrier and the pages of its values, Key:smoothness, Tag:route=ferry, Key:maxweight.
"""

CLOSED, ENDS, OPEN = 1, 2, 4
ANY = CLOSED | ENDS | OPEN

MODES = {
    "car": ("motorcar", "motor_vehicle", "vehicle", "access"),
    "motorcycle": ("motorcycle", "motor_vehicle", "vehicle", "access"),
    "moped": ("moped", "motor_vehicle", "vehicle", "access"),
    "taxi": ("taxi", "psv", "motorcar", "motor_vehicle", "vehicle", "access"),
    "bus": ("bus", "psv", "motor_vehicle", "vehicle", "access"),
    "van": ("goods", "motor_vehicle", "vehicle", "access"),
    "truck": ("hgv", "motor_vehicle", "vehicle", "access"),  # goods: up to 3.5 t, no truck
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
    table.update(dict.fromkeys(("corridor", "via_ferrata", "platform", "elevator", "ladder"), (CLOSED, CLOSED, unsure)))
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
            if name in tags:
                return key, value_reading(tags[name], mode)
    return None, None


def number(text):
    """Metres or tonnes; None if the value is anything else."""
    try:
        return float(text.lower().removesuffix("m").removesuffix("t").strip())
    except ValueError:
        return None


# The least that surely is enough and the most that surely is too little, of a car and of a truck.
SIZES = {
    "maxheight": {"car": (2.2, 1.0), "truck": (4.5, 2.0), "van": (3, 1.8), "bus": (4.2, 2.3)},
    "maxwidth": {"car": (2.3, 1.2), "truck": (3.0, 2.0), "van": (2.6, 1.6), "bus": (3, 2)},
    "maxlength": {"car": (7, 2), "truck": (19, 5), "van": (8, 4), "bus": (19, 6)},
    "maxweight": {"car": (3.5, 0.5), "truck": (44, 3.5), "van": (3.5, 1.5), "bus": (30, 3.5)},
    "maxaxleload": {"car": (3, 0.3), "truck": (13, 1.5), "van": (4, 0.5), "bus": (13, 1.5)},
    "maxweightrating": {"car": (3.5, 0.5), "truck": (44, 3.5), "van": (3.5, 1.5), "bus": (30, 3.5)},
}
for measure in SIZES.values():
    measure.update({mode: measure["car"] for mode in ("taxi", "emergency", "motorcycle", "moped")})


NO_LIMIT = ("none", "default", "below_default", "no", "no_sign", "unsigned", "no_indications")


def size_reading(tags, mode):
    """OPEN unless a limit of size or weight may stop this vehicle; sure only where any of its kind is meant."""
    reading = OPEN
    for key, limits in SIZES.items():
        names = [name for name in tags if (name == key or name.startswith(key + ":")) and tags[name] not in NO_LIMIT]
        if mode not in limits or not names:
            continue
        enough, too_little = limits[mode]
        value = number(tags.get(key, ""))
        if len(names) > 1 or value is None:
            reading |= ANY
        elif value <= too_little:
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
    reading = standing_reading(tags, mode, direction)
    if mode in MOTOR:
        reading = both(reading, size_reading(tags, mode))
    return both(reading, oneway_reading(tags, mode, direction))


def standing_reading(tags, mode, direction):
    """Class and access tags, without one-ways."""
    highway, wheels = tags.get("highway"), mode not in FEET
    key, tagged = explicit(tags, mode, direction)
    if highway is None:
        return other_way_reading(tags, mode, key, tagged)
    base = CLASSES.get(highway, (CLOSED | OPEN,) * 3)[COLUMN[mode]]
    base = OWN_CLASSES.get(mode, {}).get(highway, base)
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


def doubtful(tags, mode):
    """Tags that keep some travellers off, though not by law."""
    motor = mode in MOTOR
    return (
        any(tags.get(key) == "yes" for key in ("area", "abandoned", "disused", "impassable", "construction", "indoor",
                                               "ice_road", "winter_road", "ford"))
        or "barrier" in tags
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
    elif tags.get("junction") == "roundabout" or highway == "motorway":
        against = CLOSED if direction == "backward" else OPEN
    elif tags.get("junction") == "circular" or highway == "motorway_link":
        against = CLOSED | OPEN if direction == "backward" else OPEN
    if against == CLOSED and any(f"{key}:{direction}" in tags for key in MODES[mode]):
        return CLOSED | OPEN  # `oneway` and access by direction disagree
    return against


def node_reading(tags, mode):
    """May this traveller pass the node?"""
    key, tagged = explicit(tags, mode)
    barrier = tags.get("barrier")
    if barrier is None or barrier == "no":
        reading = OPEN if key is None else tagged | OPEN  # of a crossing, say, it speaks of those who cross
        if tags.get("ford") == "yes":
            reading = CLOSED | OPEN
        # a beam or a sign over the road needs no barrier=*, but may speak of one of its directions
        return reading | size_reading(tags, mode) if mode in MOTOR else reading
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
