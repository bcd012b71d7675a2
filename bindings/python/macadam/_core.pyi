"""What the extension module has for users; the rest is the package's own."""

from typing import Any

VERSION: str
FILE_FORMAT: int

def devices() -> list[str]: ...
def languages() -> list[str]: ...
def __getattr__(name: str) -> Any: ...
