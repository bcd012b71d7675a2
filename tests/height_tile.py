#!/usr/bin/env python3
"""height_tile.py - a made-up SRTM tile of 3 arc seconds: hills, and noise of a few metres.

    height_tile.py FOLDER NAME SEED    writes FOLDER/NAME.hgt, for example N45E009
"""
import array
import math
import pathlib
import random
import sys

SIDE = 1201


def hills(rng):
    """Heights along a line: waves of 40 km down to 2 km."""
    waves = [(120 / k, 2 * math.pi * k / SIDE * 2, rng.uniform(0, 7)) for k in (1, 2, 5, 11, 23)]
    return [round(sum(a * math.sin(f * i + p) for a, f, p in waves)) for i in range(SIDE)]


def write(folder, name, seed):
    rng = random.Random(seed)
    along, across = hills(rng), hills(rng)
    noise = [rng.randrange(-3, 4) for _ in range(4 * SIDE)]
    with open(pathlib.Path(folder) / f"{name}.hgt", "wb") as file:
        for height in across:
            first = rng.randrange(3 * SIDE)
            row = array.array("h", [700 + height + x + n for x, n in zip(along, noise[first : first + SIDE])])
            if sys.byteorder == "little":
                row.byteswap()
            file.write(row.tobytes())


if __name__ == "__main__":
    write(sys.argv[1], sys.argv[2], sys.argv[3])
