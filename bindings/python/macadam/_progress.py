"""Progress of long calls: a function of the caller's, or a bar of tqdm."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Union

Progress = Union[bool, None, Callable[[str, int, int], Any]]


class Bar:
    """A bar that appears once a call has lasted a second. Without tqdm there is none."""

    def __init__(self, patience: float = 1.0) -> None:
        self._appears = time.monotonic() + patience
        self._bar: Any = None
        self._phase: str | None = None

    def __call__(self, phase: str, done: int, total: int) -> bool:
        if time.monotonic() < self._appears:
            return True
        try:
            from tqdm.auto import tqdm
        except ImportError:
            self._appears = float("inf")
            return True
        if phase != self._phase:
            self.close()
            self._bar, self._phase = tqdm(total=total or None, desc=phase, leave=False), phase
        self._bar.update(done - self._bar.n)
        return True

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()

    __del__ = close


def function_of(progress: Progress) -> Callable[[str, int, int], Any] | None:
    """The function for the library, or None. None as the argument: a bar in a terminal or a notebook."""
    if progress is None:
        return Bar() if "ipykernel" in sys.modules or (sys.stderr is not None and sys.stderr.isatty()) else None
    if progress is True:
        return Bar(0)
    if progress is False:
        return None
    if not callable(progress):
        raise TypeError(f"progress: {progress!r} is neither a function (phase, done, total) nor a bool")
    return progress
