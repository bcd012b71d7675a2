"""The examples run, with MACADAM_MAP or the town; each asserts what it shows. Those whose packages are not installed are
skipped: tests/python_examples.sh installs all of them."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

FOLDER = ROOT / "examples" / "python"
MAP = os.environ.get("MACADAM_MAP", str(ROOT / "examples" / "town.osm"))
TOWN = str(ROOT / "examples" / "town.osm")
STOPS = [] if MAP == TOWN else ["500", "10"]
# The packages that an example needs, and its arguments.
EXAMPLES: dict[str, tuple[list[str], list[str]]] = {
    "accessibility": (["matplotlib"], [MAP, "reach.png"]),
    "graph_networkx": (["networkx"], []),
    "graph_osmnx": (["osmnx"], [TOWN]),
    "hours": (["ortools", "matplotlib"], [MAP, "hours.png"]),
    "isochrones_geopandas": (["geopandas", "matplotlib"], [MAP, "areas.geojson", "areas.png"]),
    "table_duckdb": (["duckdb"], [MAP]),
    "tour": (["ortools", "matplotlib", "folium"], [MAP, "tour.png", "tour.html", *STOPS]),
    "tour_vroom": (["vroom", "matplotlib", "folium"], [MAP, "vroom.png", "vroom.html", *STOPS]),
    "traffic": ([], [MAP]),
}


def test_every_example_is_here() -> None:
    assert {it.stem for it in FOLDER.glob("*.py")} - {"drawing"} == set(EXAMPLES)
    assert {it.stem for it in (FOLDER / "notebooks").glob("*.ipynb")} == set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name: str, tmp_path: Path) -> None:
    packages, arguments = EXAMPLES[name]
    missing = [it for it in packages if importlib.util.find_spec(it) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    done = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py"), *arguments], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 0 and done.stdout, done.stderr
    made = [it for it in arguments if "/" not in it and "." in it]
    assert sorted(os.listdir(tmp_path)) == sorted(made) and all((tmp_path / it).stat().st_size > 500 for it in made)


@pytest.mark.parametrize("name", EXAMPLES)
def test_notebook_has_the_examples_code(name: str) -> None:
    notebook: Any = json.loads((FOLDER / "notebooks" / f"{name}.ipynb").read_text())
    cells = ["".join(it["source"]) for it in notebook["cells"]]
    code = (FOLDER / f"{name}.py").read_text().split('"""', 2)[2]
    assert "".join(code.split()) in "".join("".join(cells).split())
    outputs = [output for it in notebook["cells"] for output in it.get("outputs", [])]
    assert outputs and all(it["output_type"] != "error" for it in outputs)
    assert (FOLDER / "notebooks" / f"{name}.ipynb").stat().st_size < 100_000
