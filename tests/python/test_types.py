"""Type checkers know the types of answers: mypy and pyright read this file, and it runs."""

from __future__ import annotations

import inspect
from typing import TypeVar

import macadam
import numpy as np
import numpy.typing as npt
import pytest
from macadam import tables
from typing_extensions import assert_type

T = TypeVar("T", bound=np.generic)


def is_array(array: npt.NDArray[T], dtype: type[T]) -> None:
    assert isinstance(array, np.ndarray) and array.dtype == dtype


def test_arrays(town: macadam.Engine) -> None:
    matrix, tree = town.matrix([11, 35], quantities=["duration", "distance"], snap=True), town.tree(11, reverse=True)
    is_array(assert_type(matrix.duration, npt.NDArray[np.uint32]), np.uint32)
    is_array(assert_type(matrix.distance, npt.NDArray[np.uint32]), np.uint32)
    is_array(assert_type(matrix.seconds(), npt.NDArray[np.float64]), np.float64)
    is_array(assert_type(matrix.source_status, npt.NDArray[np.int32]), np.int32)
    assert_type(matrix.sources, tables.Snaps)
    is_array(assert_type(matrix.sources.lon, npt.NDArray[np.float64]), np.float64)
    is_array(assert_type(town.snap([11]).name, npt.NDArray[np.object_]), np.object_)
    is_array(assert_type(town.arcs().length_m, npt.NDArray[np.float64]), np.float64)
    is_array(assert_type(tree.duration, npt.NDArray[np.uint32]), np.uint32)
    is_array(assert_type(town.hops(11).hops, npt.NDArray[np.uint32]), np.uint32)
    is_array(assert_type(town.ids, npt.NDArray[np.int64]), np.int64)
    is_array(assert_type(town.connect(11, 35).ids, npt.NDArray[np.int64]), np.int64)
    is_array(assert_type(town.trip([11, 35]).order, npt.NDArray[np.uint32]), np.uint32)
    assert macadam.places([11]).dtype == assert_type(macadam.places([11]), npt.NDArray[np.void]).dtype


def test_routes_and_areas(town: macadam.Engine) -> None:
    route, rings = town.route([11, 35], steps=True, alternatives=1, via_turn="any"), town.isochrone(11, 30, width=50)
    assert_type(route, macadam.Route)
    assert isinstance(route.duration + 1, int)
    is_array(assert_type(route.coordinates, npt.NDArray[np.float64]), np.float64)
    assert_type(route.alternatives, list[macadam.Route])
    assert_type(route.texts("de"), list[str])
    is_array(assert_type(route.legs.duration, npt.NDArray[np.uint32]), np.uint32)
    is_array(assert_type(route.steps.type, npt.NDArray[np.object_]), np.object_)
    is_array(assert_type(route.intersections.first_lane, npt.NDArray[np.uint64]), np.uint64)
    is_array(assert_type(route.steps.coordinates(0), npt.NDArray[np.float64]), np.float64)
    match = town.match([(10.0, 50.0), (10.001, 50.0)], arcs=True)
    is_array(assert_type(match.arc, npt.NDArray[np.uint64]), np.uint64)
    is_array(assert_type(match.points.along, npt.NDArray[np.float64]), np.float64)
    is_array(assert_type(rings.area_m2, npt.NDArray[np.float64]), np.float64)
    is_array(assert_type(rings.polygons()[0][0], npt.NDArray[np.float64]), np.float64)


def test_tables_have_the_columns_and_types_that_are_declared(town: macadam.Engine) -> None:
    both = ["duration", "distance"]
    route = town.route([11, 35], steps=True, segments=True, quantities=both)
    match = town.match([(10.0, 50.0), (10.001, 50.0)])
    matrix = town.matrix([11], quantities=both, explain=True)
    made = [
        town.snap([11]), route.legs, route.arcs, route.segments, route.steps, route.intersections, route.branches,
        route.lanes, match.points, match.matchings, town.arcs(), town.roads(), town.reached(11, 30), matrix.plan,
    ]  # fmt: skip
    declared = {it for it in vars(tables).values() if inspect.isclass(it) and it.__module__ == tables.__name__}
    assert {type(it) for it in made} == declared - {tables.Approximation}
    for table in made:
        types = inspect.get_annotations(type(table))
        costs = {it for it in types if it.removeprefix("price_") in ("ascent", "descent", "energy")}
        assert table is not None and set(types) - costs <= set(table.column_names), type(table)
        for name in set(types) - costs:
            assert f"NDArray[np.{table[name].dtype.name.replace('object', 'object_')}]" == types[name], (type(table), name)


def test_errors_name_the_engine(town: macadam.Engine) -> None:
    with pytest.raises(TypeError, match=r"Engine\.matrix\(\) missing 1 required positional argument"):
        town.matrix()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"Engine\.verify\(\) takes 1 positional argument"):
        town.verify(8)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"stepps: there is no such argument of Engine\.route"):
        town.route([11, 35], stepps=True)  # type: ignore[call-arg]
    with pytest.raises(AttributeError, match="'Engine' object has no attribute 'matricks'"):
        town.matricks  # type: ignore[attr-defined]
    for name in dir(macadam.Engine):
        method = getattr(macadam.Engine, name)
        if inspect.isfunction(method) and method.__module__.startswith("macadam"):
            assert method.__qualname__ == f"Engine.{name}"


def check_keywords(town: macadam.Engine) -> None:
    """Checkers know the options of each question; each of these lines must be wrong."""
    town.matrix([11], steps=True)  # type: ignore[call-arg]
    town.route([11, 35], steps=1)  # type: ignore[arg-type]
    town.route([11, 35], via_turn="left")  # type: ignore[arg-type]
    town.trip([11], vehicle={"height_m": "high"})  # type: ignore[dict-item]
    town.matrix_tiles([11], quantities="duration", reverse=True)  # type: ignore[call-arg]
    town.matrix([11], quantities=3)  # type: ignore[arg-type]
    town.match([(10.0, 50.0)], snap_radius=5)  # type: ignore[call-arg]
