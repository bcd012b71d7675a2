"""The examples of the pages in bindings/python/docs print what the pages say."""

from __future__ import annotations

import doctest
import shutil
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = sorted((ROOT / "bindings" / "python" / "docs").glob("*.rst"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ROOT / "examples" / "town.osm", tmp_path)
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=flags)
    assert not failed and (tried or page.stem == "reference")
