#!/usr/bin/env python3
"""Coverage and width of `orrery validate --unseen` for groups of sources, for docs/trust.md: unseen_groups.py [FOLDER]

Sources of a blind test are those of FOLDER/blind*.csv (validation/ beside this file). Every number is a mean over the
sources of a group, as in the table of validate; orrery is taken from the PATH."""
import csv
import glob
import io
import math
import os
import subprocess
import sys

FOLDER = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "validation")


def blind_sources():
    names = set()
    for path in glob.glob(os.path.join(FOLDER, "blind*.csv")):
        with open(path, encoding="utf-8", newline="") as file:
            names.update(row["source"] for row in csv.DictReader(file))
    return names


def times():
    """The rows that have an interval: source, whether it is a first token, whether it holds the value, its width."""
    text = subprocess.run(["orrery", "validate", "--unseen", "--csv"], capture_output=True, text=True, check=True).stdout
    for row in csv.DictReader(io.StringIO(text)):
        if row["skipped"] or not row["low"] or float(row["low"]) <= 0:
            continue
        yield row["source"], "first token" in row["class"], int(row["in_interval"]), math.log(
            float(row["high"]) / float(row["low"]))


def main():
    blind, rows = blind_sources(), list(times())
    print(f"{'':51}sources   rows  in 80 %  width")
    for name, wanted in (
            ("all", lambda source, first: True),
            ("predicted blind once", lambda source, first: source in blind),
            ("others", lambda source, first: source not in blind),
            ("others, without first tokens under load", lambda source, first: source not in blind and not first)):
        groups = {}
        for source, first, inside, width in rows:
            if wanted(source, first):
                groups.setdefault(source, []).append((inside, width))
        means = [[sum(column) / len(group) for column in zip(*group)] for group in groups.values()]
        held, width = (sum(column) / len(means) for column in zip(*means))
        count = sum(len(group) for group in groups.values())
        print(f"  {name:47} {len(groups):8} {count:6} {100 * held:8.0f} {width:6.2f}")


if __name__ == "__main__":
    main()
