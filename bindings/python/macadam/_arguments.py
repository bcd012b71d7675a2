"""Arguments: an error names the argument."""

from __future__ import annotations

import inspect
import math
import operator
import os
from collections.abc import Iterable
from typing import Any, NamedTuple, TypedDict, Union

import numpy as np

from ._errors import InvalidError, MacadamError
from ._progress import Progress

Quantities = Union[str, Iterable[str], None]


class naming:
    """Within it, what is wrong with the value of an argument names the argument."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        wrong = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, BufferError, RuntimeError)
        if isinstance(error, wrong) and not isinstance(error, MacadamError) and not str(error).startswith(self.name):
            raise (TypeError if kind is TypeError else InvalidError)(f"{self.name}: {error}") from None


def known(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """The options, of which these remain: any other name would be a member of the library's structure, or none."""
    for name in options:
        if name not in names:
            raise TypeError(f"{name}: there is no such argument")
    return options


def flag(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name}: {value!r} is neither True nor False")
    return bool(value)


def path_of(value: Any, name: str) -> str:
    with naming(name):
        text = os.fsdecode(value)
        if b"\0" in text.encode():  # the library takes UTF-8 that ends with NUL
            raise ValueError("embedded null character")
        return text


def choice(value: str, choices: tuple[str, ...], name: str) -> int:
    """The number of a value among the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidError(f"{name}: {value!r} is none of {', '.join(choices)}")
    return choices.index(value)


class CallOptions(TypedDict, total=False):
    """The package's own treatment of a call."""

    progress: Progress
    strict: bool


class Option(NamedTuple):
    """A keyword argument of questions: see bindings/options/option.h."""

    name: str
    kind: str
    part: str
    member: str
    type: str
    words: tuple[str, ...]
    most: int
    example: str
    help: str

    def value(self, given: Any) -> Any:
        """The value for the library."""
        if self.kind == "FLAG":
            return flag(given, self.name)
        if self.kind == "WORD":
            return choice(given, self.words, self.name)
        if self.kind == "TEXT" and not isinstance(given, str):
            raise TypeError(f"{self.name}: {given!r} is not a text such as {self.example!r}")
        with naming(self.name):
            if self.kind in ("COUNT", "SIZE"):
                number = operator.index(given)
                if number < 0 or (self.most and number > self.most):
                    raise ValueError(f"{number} is not in 0..{self.most or 'inf'}")
                return number
            if self.kind == "MEASURE":
                measure = float(given)
                if not math.isfinite(measure) or measure <= 0:
                    raise ValueError(f"{measure} is not a positive number")
                return measure
        return given

    def parameter(self) -> inspect.Parameter:
        default = {"FLAG": False, "COUNT": 0, "SIZE": 0, "WORD": (*self.words, None)[0]}.get(self.kind)
        return inspect.Parameter(self.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=self.type)

    def __str__(self) -> str:
        return f"{self.name} : {self.type}\n    {self.help[0].upper()}{self.help[1:]}."


def array_of(values: Any, name: str, kinds: str = "iuf") -> Any:
    """The values as an array in host memory, without a copy where possible.

    Nothing is guessed: hidden and missing entries are refused, and so are objects, lists and text instead of numbers.
    """
    with naming(name):
        if hasattr(values, "__cuda_array_interface__") or getattr(values, "is_cuda", False):
            values = values.get() if hasattr(values, "get") else values.cpu()
        if hasattr(values, "__dlpack__") and not hasattr(values, "__array__"):
            return np.from_dlpack(values)
        array = _without_mask(values)
        if array.size and array.dtype.kind not in kinds:
            found = "objects" if array.dtype.kind == "O" else f"of type {array.dtype}"
            words = {"M": "datetime64 or numbers", "i": "numbers", "b": "flags", "U": "names"}
            wanted = next(word for kind, word in words.items() if kind in kinds)
            raise ValueError(f"the values are {found}, not {wanted}; convert them, and leave out those that are missing")
        return array


def flags_of(values: Any, name: str, count: int) -> dict[str, Any]:
    """The member of a request: `count` flags; nothing for None."""
    if values is None:
        return {}
    array = np.ascontiguousarray(array_of(values, name, "b"), bool)
    if array.shape != (count,):
        raise InvalidError(f"{name}: {array.shape} instead of {count} flags")
    return {name: array}


def _without_mask(values: Any) -> Any:
    """The values as an array, of which none is hidden or missing. NumPy would show what a mask hides."""
    nulls = getattr(values, "null_count", 0)  # of Arrow and Polars, which NumPy would have as nan
    missing, array = int(nulls() if callable(nulls) else nulls), values
    if isinstance(values, np.ma.MaskedArray):
        mask, array = np.ma.getmaskarray(values), values.data
        missing = int(np.count_nonzero(mask != np.zeros_like(mask)))  # of tables, rows
    elif hasattr(getattr(values, "dtype", None), "numpy_dtype"):  # of pandas, which may hold missing values
        missing = int(np.count_nonzero(values.isna()))
        array = values if missing else values.to_numpy(values.dtype.numpy_dtype)
    if missing:
        raise ValueError(f"{missing} of {np.size(values)} values are masked or missing; leave them out, or fill them")
    return np.asarray(array)


def integers(values: Any, name: str, dtype: Any, shape: tuple[int, ...] | None = None, *, floats: bool = True) -> Any:
    """The values as a contiguous array of integers. With `floats`, floats that are whole numbers are fine, too."""
    with naming(name):
        array, limits = array_of(values, name), np.iinfo(dtype)
        if array.size == 0:
            array = array.astype(dtype)
        if array.dtype.kind == "f" and not (floats and np.all(array == np.floor(array))):
            missing = int(np.count_nonzero(np.isnan(array)))
            why = f": {missing} of {array.size} are missing (nan); leave them out" if missing else ""
            raise ValueError(f"values of type {array.dtype} are not integers{why}")
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise ValueError(f"values must be in {limits.min}..{limits.max}")
        if shape is not None and array.shape != shape:
            raise ValueError(f"the shape is {array.shape}, not {shape}")
        return np.require(array, dtype, "C")


def pattern_table(patterns: Any) -> dict[str, Any]:
    """The members of a request that hold patterns of speed; none: the week has 672 slots."""
    if patterns is None:
        return {"pattern_count": 0, "slot_count": 672}
    speed = integers(patterns, "patterns", np.uint8, floats=False)
    if speed.ndim != 2:
        raise InvalidError(f"patterns: the shape is {speed.shape}, not (patterns, slots)")
    return {"pattern_speed": speed, "pattern_count": speed.shape[0], "slot_count": speed.shape[1]}
