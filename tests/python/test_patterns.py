"""Patterns of speed over the week: arrays, updates and files give them, and clocks follow them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import macadam

SLOTS, HOUR = 672, 3_600_000


def rush() -> np.ndarray:
    """One pattern: half the speed on Monday from 8 to 9."""
    speed = np.full((1, SLOTS), 255)
    speed[0, 32:36] = 51
    return speed


@pytest.fixture
def line(tmp_path: Path) -> macadam.Engine:
    """Nodes 0, 1, 2 in a row, ten minutes apart; the first arc has the pattern."""
    weights = {"duration": [600_000, 600_000]}
    macadam.import_arrays([0, 1], [1, 2], weights, tmp_path / "line.mcd", arc_patterns=[1, 0], patterns=rush())
    return macadam.open(tmp_path / "line.mcd")


def test_a_clock_follows_the_pattern(line: macadam.Engine) -> None:
    assert line.matrix([0], [2])["duration"][0, 0] == 1_200_000
    assert line.matrix([0], [2], depart="Mo07:00")["duration"][0, 0] == 1_200_000
    assert line.matrix([0], [2], depart="Mo08:00")["duration"][0, 0] == 600_000 * 5 + 600_000
    # A minute of driving before the rush, then nine minutes that take five times as long.
    assert line.matrix([0], [2], depart="Mo07:59")["duration"][0, 0] == 60_000 + 5 * 540_000 + 600_000
    assert line.matrix([0], [2], depart=[0, 8 * HOUR])["duration"].shape == (1, 2, 1)


def test_an_update_changes_patterns(line: macadam.Engine) -> None:
    line.update([1, 2], arc_patterns=[0, 1], patterns=rush())
    assert line.matrix([0], [1], depart="Mo08:00")["duration"][0, 0] == 600_000
    assert line.matrix([1], [2], depart="Mo08:00")["duration"][0, 0] == 3_000_000
    line.update([2], arc_patterns=[0], duration=[1000])
    assert line.matrix([1], [2], depart="Mo08:00")["duration"][0, 0] == 1000


def test_errors_name_the_argument(line: macadam.Engine, tmp_path: Path) -> None:
    with pytest.raises(macadam.InvalidError, match="patterns: the shape"):
        line.update([1], arc_patterns=[1], patterns=rush()[0])
    with pytest.raises(macadam.InvalidError, match="arc_patterns"):
        line.update([1], arc_patterns=[1, 1], patterns=rush())
    with pytest.raises(macadam.InvalidError):
        line.update([1], arc_patterns=[2], patterns=rush())
    with pytest.raises(macadam.InvalidError):
        line.update([1], arc_patterns=[1], patterns=rush()[:, :100])
    with pytest.raises(FileNotFoundError, match="none.csv"):
        line.update_speeds([str(tmp_path / "none.csv")])
