"""Exceptions: one for each status of the library, and those for places that fail."""

from __future__ import annotations

import errno
import os
import sys
import warnings

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


class MacadamError(Exception):
    """The base of all exceptions of this package. Its text is the library's message."""


class InvalidError(MacadamError, ValueError):
    """An argument is malformed."""


class NotFoundError(MacadamError, LookupError):
    """A node id, arc, metric or quantity is unknown."""


class FileFormatError(MacadamError, ValueError):
    """An input or edge file is truncated, corrupt, malformed or too new."""


class FileAccessError(MacadamError, OSError):
    """The operating system refused to read or write."""


class FullDiskError(FileAccessError):
    """There is no room for an output: the disk, a quota or a limit of files is full."""


class MissingFileError(FileAccessError, FileNotFoundError):
    """There is no such file."""


class ForbiddenFileError(FileAccessError, PermissionError):
    """The file may not be read or written."""


class OutOfMemoryError(MacadamError, MemoryError):
    """An allocation failed."""


class LimitError(MacadamError, MemoryError):
    """The request exceeds the memory limit; the message says how much it needs."""


class CancelledError(MacadamError):
    """A progress function returned False."""


class DeviceError(MacadamError, RuntimeError):
    """There is no such device, or it failed and the CPU could not replace it."""


class UnsupportedError(MacadamError, RuntimeError):
    """The file lacks what the call needs: hierarchy, coordinates or geometry."""


class PlaceError(MacadamError, ValueError):
    """Places were not found, or cells have no path, and the call was ``strict``."""


class PlaceWarning(UserWarning):
    """Places were not found, or cells have no path."""


_BY_STATUS = (
    MacadamError, InvalidError, NotFoundError, FileFormatError, FileAccessError, OutOfMemoryError, LimitError,
    CancelledError, DeviceError, UnsupportedError, FullDiskError,
)  # fmt: skip
_BY_ERRNO = {errno.ENOENT: MissingFileError, errno.EACCES: ForbiddenFileError}


def error_of(status: int, message: bytes) -> MacadamError:
    """Makes the exception of a status. The extension module calls it."""
    text = message.decode("utf-8", "replace")
    kind: type[MacadamError] = _BY_STATUS[status] if status < len(_BY_STATUS) else MacadamError
    if kind is FileAccessError:
        for number, special in _BY_ERRNO.items():
            if text.endswith(os.strerror(number)):
                kind = special
    return kind(text)


def complain(message: str, strict: bool) -> None:
    """Raises PlaceError if ``strict``, else warns at the line of the caller outside of this package."""
    if strict:
        raise PlaceError(message)
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and os.path.abspath(frame.f_code.co_filename).startswith(_PACKAGE):
        frame = frame.f_back
        level += 1
    warnings.warn(message, PlaceWarning, stacklevel=level)
