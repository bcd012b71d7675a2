#!/usr/bin/env python3
"""Judges the command on drawn maps, for every traveller: judge_drawn.py MACADAM [--maps 300] [--pairs 200]
[--seed 1]

Prints every verdict with its map's seed. --reduce FOLDER leaves the smallest map of each kind of verdict
there, named by traveller and pair. Exit status 1 if there is any.
"""

import argparse
import os
import random
import re
import sys
import tempfile

from command import MapFile
from drawn import Drawing
from judge import judge_map, report
from law import MODES
from raw_map import read
from reduce import reduced

PROFILES = tuple(MODES)


def judge_drawing(command, seed, pair_count, folder, profiles=PROFILES):
    """(profile, verdicts) of one drawn map."""
    path = f"{folder}/drawn{seed}.osm"
    Drawing(seed).write(path)
    raw = read(path)
    for profile in profiles:
        map_file = MapFile(command, path, profile, folder)
        yield profile, judge_map(map_file, raw, profile, pair_count, random.Random(seed))


def keep_smallest(options, seed, profile, verdicts, kinds, folder):
    """A reason without its numbers is a kind; the first of each kind and traveller is reduced."""
    os.makedirs(options.reduce, exist_ok=True)
    for title, found in (("illegal", verdicts.illegal), ("lost", verdicts.lost)):
        for reason, pairs in found.items():
            kind = (profile, title, re.sub(r"\d+", "", reason))
            if kind in kinds:
                continue
            kinds.add(kind)
            drawing = reduced(options.macadam, Drawing(seed), profile, pairs[0], folder)
            drawing.write(f"{options.reduce}/{title}-{profile}-{seed}-{pairs[0][0]}-{pairs[0][1]}.osm")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("macadam")
    parser.add_argument("--maps", type=int, default=300)
    parser.add_argument("--pairs", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--reduce")
    options = parser.parse_args()
    kinds = set()
    totals = {profile: [0] * 5 for profile in PROFILES}
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.maps):
            for profile, verdicts in judge_drawing(options.macadam, seed, options.pairs, folder):
                illegal, lost = (sum(map(len, kind.values())) for kind in (verdicts.illegal, verdicts.lost))
                found = (verdicts.pairs, verdicts.routed, verdicts.sure, illegal, lost)
                totals[profile] = [sum(pair) for pair in zip(totals[profile], found)]
                if illegal + lost:
                    report(f"drawn{seed}.osm", profile, verdicts, 3)
                    if options.reduce:
                        keep_smallest(options, seed, profile, verdicts, kinds, folder)
    for profile, (pairs, routed, sure, illegal, lost) in totals.items():
        print(
            f"{profile}: {pairs} pairs, {routed} routed, {sure} surely have a way; {illegal} illegal, {lost} lost"
        )
    sys.exit(any(total[3] + total[4] for total in totals.values()))


if __name__ == "__main__":
    main()
