"""Every function of macadam.h is bound, and every function of the extension module is used by the package."""

from __future__ import annotations

import re

import macadam
from conftest import ROOT

NOT_BOUND = {
    "macadam_arcs_list": "takes a function of C; the command lists arcs",
    "macadam_allocator_set": "takes functions of C",
    "macadam_road_flag_name": "macadam.RoadFlag has the names",
    "macadam_status_name": "statuses are exceptions, which have names",
}
BINDINGS = ROOT / "bindings" / "python"


def test_every_function_is_bound() -> None:
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "engine" / "include" / "macadam.h").read_text(), flags=re.S)
    functions = set(re.findall(r"MACADAM_API[^;(]*?(macadam_\w+)\(", header))
    assert len(functions) > 50
    source = "".join(path.read_text() for path in (BINDINGS / "src").glob("*.cpp"))
    bound = set(re.findall(r"\bmacadam_\w+", source))
    assert functions - bound == set(NOT_BOUND)


def test_enumerations_are_those_of_the_header() -> None:
    header = (ROOT / "engine" / "include" / "macadam.h").read_text()

    def members(prefix: str) -> dict[str, int]:
        return {name: int(value) for name, value in re.findall(rf"MACADAM_{prefix}_(\w+) = (\d+)", header)}

    assert {it.name: it.value for it in macadam.RoadFlag} == members("ROAD")
    assert {it.name: it.value for it in macadam.PlaceStatus}.items() <= members("PLACE").items()
    assert {it.name: it.value for it in macadam.MatchStatus}.items() <= members("MATCH").items()
    arrows = {name: 1 << value for name, value in members("MODIFIER").items() if name != "NONE"}
    assert {it.name: it.value for it in macadam.LaneArrow} == arrows


def test_every_binding_is_used() -> None:
    source = "".join(path.read_text() for path in (BINDINGS / "src").glob("*.cpp"))
    package = "".join(path.read_text() for path in (BINDINGS / "macadam").glob("*.py"))
    source = re.sub(r"#define .*\n.*", "", source)
    names = set(re.findall(r"\b(?:def|def_static|def_prop_ro)\(\"(\w+)", source))
    names |= set(re.findall(r"\b(?:ROWS|ROW|VECTOR|VALUE)\(\w+, \"?(\w+)", source))
    assert {"matrix", "steps", "area_m2", "devices"} <= names
    unused = {it for it in names if not it.startswith("__") and not re.search(rf"(\.|import .*){it}\b", package)}
    assert unused == set()
