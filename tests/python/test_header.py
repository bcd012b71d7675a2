"""Everything in macadam.h is reached: its functions, the members of requests, options and answers, and enumerations."""

from __future__ import annotations

import re

import macadam
from conftest import ROOT
from macadam import _core, _options, _places, _tree, tables

NOT_BOUND = {
    "macadam_allocator_set": "takes functions of C",
    "macadam_guide_new": "the navigation session is only in C",
    "macadam_guide_move": "likewise",
    "macadam_guide_free": "likewise",
    "macadam_guide_status_name": "likewise",
    "macadam_guide_say_name": "likewise",
    "macadam_call_into": "for bindings by messages; the package has arrays by its own calls",
    "macadam_call_route": "likewise: routes are objects here",
    "macadam_import_osm": "macadam_import_osm_files takes one file too",
    "macadam_node": "places are read from what Python has",
    "macadam_point": "likewise",
    "macadam_place_is_found": "macadam.PlaceStatus shows it",
    "macadam_road_flag_name": "macadam.RoadFlag has the names",
    "macadam_status_name": "statuses are exceptions, which have names",
    "macadam_straight_line_m": "matrices have straight lines: fallback_speed",
    "macadam_step_text": "macadam_route_text takes the step of a route",
}
NOT_NAMED = {"executor", "macadam_text_options.distance_m"}  # functions of C; the distance that a guide says
NOT_STRUCTURES = {"macadam_error", "macadam_allocator", "macadam_executor", "macadam_bytes", "macadam_tile", "macadam_guide_options", "macadam_guide_state"}
REQUESTS = re.compile("_(request|options|input|query|conditions|clock|area|factor|place|trace_point|box|reach)$")
BINDINGS = ROOT / "bindings" / "python"
HEADER = re.sub(r"/\*.*?\*/", "", (ROOT / "engine" / "include" / "macadam.h").read_text(), flags=re.S)
SOURCE = "".join(path.read_text() for path in (BINDINGS / "src").glob("*.cpp"))
PACKAGE = "".join(path.read_text() for path in (BINDINGS / "macadam").glob("*.py"))
NAMED = {*re.findall(r"[.\"](\w+)", PACKAGE), *re.findall(r"(\w+):", PACKAGE), *re.findall(r"(?:\.|->)(\w+)", SOURCE), *(name for it in _options.ALL.values() for name in (it.member, *it.words)), *macadam.Info._fields}


def test_every_function_is_bound() -> None:
    functions = set(re.findall(r"^MACADAM_API [^;(]*?(macadam_\w+)\(", HEADER, flags=re.M))
    assert len(functions) > 50
    assert functions - set(re.findall(r"\bmacadam_\w+", SOURCE)) == set(NOT_BOUND)


def test_every_member_is_reached() -> None:
    """A member is a column of a table, or the package names it, or the extension module does, or it counts one. Arrays of
    answers know their lengths."""
    unnamed = set()
    kinds = (it for it in vars(tables).values() if isinstance(it, type) and issubclass(it, macadam.Table))
    paths = {name for it in kinds for path, _ in it._members.values() for name in path}
    structs = dict(re.findall(r"typedef struct (\w+) \{(.*?)\n\}", HEADER, flags=re.S))
    for name in structs.keys() - NOT_STRUCTURES:
        known = {it[0] for it in _core.members(name)[1]}
        members = set(re.findall(r"(\w+)(?:\[\w+\])?(?:\)\([^;]*)?;", structs[name]))
        assert known <= members and len(members) >= 2, name
        columns = {"reserved"} if REQUESTS.search(name) else {"reserved", *paths}
        for member in members - columns:
            counted = member.endswith("_count") and (member[:-6] in members or not REQUESTS.search(name))
            if member not in NAMED and not counted:
                unnamed.add(member if member in NOT_NAMED else f"{name}.{member}")
    assert unnamed == NOT_NAMED


def test_enumerations_are_those_of_the_header() -> None:
    def members(prefix: str) -> dict[str, int]:
        return {name: int(value) for name, value in re.findall(rf"MACADAM_{prefix}_(\w+)\s*=\s*(\d+)", HEADER)}

    assert {it.name: it.value for it in macadam.RoadFlag} == members("ROAD")
    assert {it.name: it.value for it in macadam.PlaceStatus}.items() <= members("PLACE").items()
    assert {it.name: it.value for it in macadam.MatchStatus}.items() <= members("MATCH").items()
    arrows = {name: 1 << value for name, value in members("MODIFIER").items() if name != "NONE"}
    assert {it.name: it.value for it in macadam.LaneArrow} == arrows
    choices = {
        "ORDER": _tree._ORDERS, "VIA": _options.ALL["via_turn"].words, "SIDE": _places._SIDES,
    }  # fmt: skip
    for prefix, names in choices.items():
        assert members(prefix) == {name.upper().replace("-", "_"): i for i, name in enumerate(names)}, prefix


def test_every_binding_is_used() -> None:
    names = set(re.findall(r"\b(?:def|def_static|def_prop_ro)\(\"(\w+)", SOURCE))
    names |= set(re.findall(r"\b(?:INTO|FIND)\(\"(\w+)", SOURCE))
    assert {"matrix", "route", "follow", "devices"} <= names
    unused = {it for it in names if not it.startswith("__") and not re.search(rf"(\.|import .*|\"){it}\b", PACKAGE)}
    assert unused == set()


def test_what_a_function_fills_comes_first() -> None:
    """In front of what it reads, and ``error`` comes last. Questions to a map are called ``macadam_<noun>_find``."""
    functions = re.findall(r"^MACADAM_API macadam_status (macadam_\w+)\((.*?)\);", HEADER, flags=re.M | re.S)
    assert len(functions) > 40
    questions = set()
    for name, text in functions:
        given = [" ".join(it.split()) for it in text.split(",")]
        assert given.pop() == "macadam_error *error", name
        read = r"(const (?!macadam_reach )|macadam_(engine|nearest) \*(?!\*))\w|[^*]*$|void \*context$"
        if name == "macadam_call_into":  # the size of its arrays follows them
            continue
        is_read = [re.match(read, it) is not None for it in given]
        assert is_read == sorted(is_read), (name, given)
        if any(it.startswith("const macadam_query *") for it in given) and not all(is_read):
            questions.add(name)
    assert len(questions) > 15
    assert {it for it in questions if not re.fullmatch(r"macadam_\w+_find(_\w+)?", it)} == {"macadam_nearest_new"}


def test_help_of_measures_names_the_unit_of_their_numbers() -> None:
    """The command takes texts such as 40km/h and 380cm, Python numbers in one unit."""
    measures = [it for it in _options.ALL.values() if it.kind in ("MEASURE", "KEYS")]
    assert {"fallback_speed", "vehicle"} <= {it.name for it in measures}
    assert not [it.name for it in measures if "such as" in it.help]
    assert "at this speed (m/s)" in str(_options.ALL["fallback_speed"])
