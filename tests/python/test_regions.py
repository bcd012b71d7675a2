"""tests/bench/regions.py: regions with engines of their own answer like the whole map."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from conftest import ROOT


def test_regions_answer_like_the_whole_map(random_path: Path) -> None:
    script = [sys.executable, str(ROOT / "tests" / "bench" / "regions.py"), str(random_path), "2"]
    done = subprocess.run(script, capture_output=True, text=True, check=True).stdout
    assert "4 regions" in done
    assert "1000 of 1000 pairs equal" in done
