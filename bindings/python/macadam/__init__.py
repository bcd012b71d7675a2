"""Macadam: routes, distance matrices and isochrones over road maps, as NumPy arrays.

>>> import macadam
>>> macadam.import_osm("milan.osm.pbf", "milan.mcd")            # doctest: +SKIP
>>> with macadam.open("milan.mcd") as m:                        # doctest: +SKIP
...     durations = m.matrix(lonlat).seconds()
"""

import importlib.util as _util
import os as _os

if "MACADAM_CUDA_MODULE" not in _os.environ:  # the package macadam-cuda, if it is installed
    _spec = _util.find_spec("macadam_cuda")
    if _spec is not None and _spec.submodule_search_locations:
        _os.environ["MACADAM_CUDA_MODULE"] = _os.path.join(_spec.submodule_search_locations[0], "libmacadam_cuda.so")

from ._access import Decay
from ._area import Isochrone
from ._core import FILE_FORMAT, VERSION as __version__, devices, languages, methods
from ._costs import Costs, DeviceArray
from ._engine import Engine, open
from ._errors import (
    CancelledError, DeviceError, FileAccessError, FileFormatError, ForbiddenFileError, FullDiskError, InvalidError,
    LimitError, MacadamError, MissingFileError, NotFoundError, OutOfMemoryError, PlaceError, PlaceWarning, UnsupportedError,
)  # fmt: skip
from ._imports import from_networkx, from_scipy, import_arrays, import_dimacs, import_osm
from ._lines import Lines
from ._matrix import Matrix
from ._places import PLACE, places, read_points
from ._route import Route
from ._table import IMPORTED, SIGNED_IMPORTED, SIGNED_UNREACHED, UNREACHED, Table
from ._trace import Match, Trip
from ._tree import Connection, Nearest, Tree
from .tables import Info, LaneArrow, MatchStatus, PlaceStatus, RoadFlag

__all__ = [
    "CancelledError", "Connection", "Costs", "Decay", "DeviceArray", "DeviceError", "Engine", "FILE_FORMAT",
    "FileAccessError", "FileFormatError", "ForbiddenFileError", "FullDiskError", "IMPORTED", "Info", "InvalidError", "Isochrone", "LaneArrow",
    "LimitError", "Lines", "MacadamError", "Match", "MatchStatus", "Matrix", "MissingFileError", "Nearest", "NotFoundError",
    "OutOfMemoryError", "PLACE", "PlaceError", "PlaceStatus", "PlaceWarning", "RoadFlag", "Route", "SIGNED_IMPORTED", "SIGNED_UNREACHED",
    "Table", "Tree", "Trip", "UNREACHED",
    "UnsupportedError", "__version__", "devices", "from_networkx", "from_scipy", "import_arrays", "import_dimacs",
    "import_osm", "languages", "methods", "open", "places", "read_points",
]  # fmt: skip

for _name in __all__:  # users know these as macadam.Engine, not as macadam._engine.Engine
    if isinstance(globals()[_name], type):
        globals()[_name].__module__ = __name__
