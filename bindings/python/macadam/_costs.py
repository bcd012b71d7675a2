"""Costs, and where they lie: in NumPy's memory, in memory of the caller's, or on a GPU."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._errors import InvalidError
from ._table import Answer, Table, interface_of, named, unreached

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Costs(Answer):
    """Costs for one or two quantities: one array for each, in the order of the request.

    ``answer.duration`` and ``answer["duration"]`` are uint32 arrays in the unit of the quantity: milliseconds for
    durations, centimetres for distances. ``macadam.UNREACHED`` (2**32 - 1) means that there is no path. A quantity that
    may be negative, such as "energy" in milliwatt hours, is int32, and there ``macadam.SIGNED_UNREACHED`` (2**31 - 1)
    does.
    """

    _axes: tuple[str, ...] = ("source", "target")
    _names: tuple[Any, Any] = (None, None)  # of the frames that the places came in
    duration: NDArray[np.uint32]
    distance: NDArray[np.uint32]
    ascent: NDArray[np.uint32]
    descent: NDArray[np.uint32]
    energy: NDArray[np.int32]
    fallback: NDArray[np.bool_] | None = None  # of matrices with a fallback speed: which cells are straight lines

    def __init__(self, values: dict[str, Any], units: dict[str, str], **more: Any) -> None:
        self._values, self._units = values, units
        self.__dict__.update(more)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of the quantities."""
        return tuple(self._values)

    @property
    def values(self) -> tuple[Any, ...]:
        """Their arrays."""
        return tuple(self._values.values())

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of each array."""
        return tuple(self.values[0].shape)

    def __getitem__(self, name: str) -> Any:
        if name not in self._values:
            raise KeyError(f"{name!r} was not requested; there is {', '.join(self._values)}")
        return self._values[name]

    def __getattr__(self, name: str) -> NDArray[Any]:
        values = self.__dict__.get("_values", {})
        if name not in values:
            raise AttributeError(f"{type(self).__name__} has no {name!r}; its quantities are {', '.join(values)}")
        return values[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def __repr__(self) -> str:
        return f"<macadam.{type(self).__name__} {self.shape} of {', '.join(self._values)}>"

    def _scaled(self, unit: str) -> NDArray[np.float64]:
        for name, values in self._values.items():
            if self._units.get(name) == unit:
                out = np.asarray(values) / _core.unit_scale(unit)
                out[unreached(np.asarray(values))] = np.nan
                return out
        raise InvalidError(f"no requested quantity has the unit {unit}: {', '.join(self._values)}")

    def seconds(self) -> NDArray[np.float64]:
        """The duration in seconds, float64; nan where there is no path."""
        return self._scaled("ms")

    def metres(self) -> NDArray[np.float64]:
        """The distance in metres, float64; nan where there is no path."""
        return self._scaled("cm")

    def watt_hours(self) -> NDArray[np.float64]:
        """The energy in watt hours, float64; nan where there is no path."""
        return self._scaled("mWh")

    @property
    def __array_interface__(self) -> dict[str, Any]:
        arrays = [np.asarray(it) for it in self.values]
        return interface_of(arrays[0] if len(arrays) == 1 else np.stack(arrays, axis=-1))

    def table(self, row: int = 0, column: int = 0) -> Table:
        """The cells as a table of their places, and the costs. Places that came in a frame have its names: its column ``id``, or
        else ``node``, or else its index. Others have their positions, from `row` and `column` on."""
        axes, firsts = self._axes[-len(self.shape) :], iter(zip((row, column), self._names))
        first = [(0, None) if axis in ("depart", "arrive_by") else next(firsts) for axis in axes]
        places = {axis: named(names, it.ravel() + at) for axis, it, (at, names) in zip(axes, np.indices(self.shape), first)}
        more = {} if self.fallback is None else {"fallback": self.fallback.ravel().view(np.uint8)}
        return Table({**places, **{name: np.asarray(it).ravel() for name, it in self._values.items()}, **more}, self.quantities)


class DeviceArray:
    """An answer in the memory of a GPU. torch, CuPy and others take it without a copy by DLPack.

    It keeps the engine open. If the CPU computed, it lies in host memory.

    Attributes
    ----------
    shape : tuple of int
    device : int or None
        The number of the GPU, or None for host memory.
    """

    def __init__(self, memory: Any, address: int, shape: tuple[int, ...], device: int | None, dtype: Any) -> None:
        self._memory = memory
        self.address: int = address
        self.shape: tuple[int, ...] = shape
        self.device: int | None = device
        self.dtype: np.dtype[Any] = np.dtype(dtype)

    def __dlpack__(self, **options: Any) -> Any:
        options.pop("stream", None)  # the answer is complete
        return self._array().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0) if self.device is None else (2, self.device)

    def _array(self) -> Any:
        return self._memory.array(self.address, self.shape, *self.__dlpack_device__(), self.dtype == np.int32)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.device is None:
            raise AttributeError("the array lies in host memory")
        return {"shape": self.shape, "typestr": self.dtype.str, "data": (self.address, False), "version": 3, "strides": None}

    def numpy(self) -> NDArray[Any]:
        """A copy in host memory."""
        out = np.empty(self.shape, self.dtype)
        self._memory.read(out.ctypes.data, self.address, out.nbytes)
        return out

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        out = self.numpy() if self.device is not None or copy else np.asarray(self._array())
        return out if dtype is None else out.astype(dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return np.array, (self.numpy(),)  # another process has it in host memory

    def __repr__(self) -> str:
        where = "host memory" if self.device is None else f"cuda:{self.device}"
        return f"<macadam.DeviceArray {self.shape} in {where}>"


def room_for(core: Any, names: dict[str, Any], shape: tuple[int, ...], out: Any, device: Any) -> tuple[Any, list[Any]]:
    """Memory for answers: what the caller gets, by name; and the same as arrays or addresses for the library.

    `names` are the quantities and the types of their costs.
    """
    if out is not None:
        given = list(out) if isinstance(out, (tuple, list)) else [out]
        if len(given) != len(names):
            raise InvalidError(f"out: {len(given)} arrays for {len(names)} quantities")
        return dict(zip(names, given)), [_address(it, shape, np.dtype(kind)) for it, kind in zip(given, names.values())]
    if not isinstance(device, (bool, str)) or device not in (False, True, "pinned", "divided"):
        raise InvalidError(f"device: {device!r} is none of True, False, 'pinned' and 'divided'")
    if device is False:
        arrays = [np.empty(shape, kind) for kind in names.values()]
        return dict(zip(names, arrays)), arrays
    values: dict[str, Any] = {}
    addresses = []
    for name, kind in names.items():
        if device == "divided":
            memory = _core.Memory.divided(core, shape[0], 4 * math.prod(shape[1:]))
            values[name] = [
                DeviceArray(memory, address, (count, *shape[1:]), None if number < 0 else number, kind)
                for number, address, _, count in memory.parts()
            ]
        else:
            memory = _core.Memory.of_kind(core, int(device == "pinned"), 4 * math.prod(shape))
            where = core.info().device
            on_gpu = device is True and where.startswith("cuda:")
            array = DeviceArray(memory, memory.address, shape, int(where.split(":")[1]) if on_gpu else None, kind)
            values[name] = np.asarray(array) if device == "pinned" else array
        addresses.append(memory.address)
    return values, addresses


def _address(array: Any, shape: tuple[int, ...], kind: Any) -> int:
    """The address of an array of the caller's, in host or device memory."""
    interface = getattr(array, "__cuda_array_interface__", None) or getattr(array, "__array_interface__", None)
    if interface is None:
        raise TypeError(f"out: {type(array).__name__} is not an array")
    address, read_only = interface["data"]
    if tuple(interface["shape"]) != shape or interface["typestr"] != kind.str:
        raise InvalidError(
            f"out: an array of shape {tuple(interface['shape'])} and type {interface['typestr']}, not {shape} and {kind.str}"
        )
    strides = interface.get("strides")
    if strides is not None and tuple(strides) != tuple(4 * math.prod(shape[i + 1 :]) for i in range(len(shape))):
        raise InvalidError("out: the array is not contiguous in C order")
    if read_only:
        raise InvalidError("out: the array is read-only")
    return int(address)
