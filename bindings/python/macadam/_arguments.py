"""Arguments: what is wrong with one is told with its name."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._errors import InvalidError, MacadamError


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
        text.encode()  # the library takes UTF-8
        return text


def choice(value: str, choices: tuple[str, ...], name: str) -> int:
    """The number of a value among the choices."""
    if not isinstance(value, str) or value not in choices:
        raise InvalidError(f"{name}: {value!r} is none of {', '.join(choices)}")
    return choices.index(value)


def integers(values: Any, name: str, dtype: Any, shape: tuple[int, ...] | None = None) -> Any:
    """The values as a contiguous array of integers; floats that are whole numbers are fine."""
    with naming(name):
        array, limits = np.asarray(values), np.iinfo(dtype)
        if array.size == 0:
            array = array.astype(dtype)
        if array.dtype.kind not in "iu" and not (array.dtype.kind == "f" and np.all(array == np.floor(array))):
            raise ValueError(f"values of type {array.dtype} are not integers")
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise ValueError(f"values must be in {limits.min}..{limits.max}")
        if shape is not None and array.shape != shape:
            raise ValueError(f"the shape is {array.shape}, not {shape}")
        return np.require(array, dtype, "C")
