#!/usr/bin/env python3
"""Does every measured row name an engine of the release that its source names?

    tools/check_stacks.py [--list]

Reads validation/*.csv, data/engines/*.json and docs/stacks.md. A row's release is its cell `engine_version`, and where
the source has no such cell, that of the table of docs/stacks.md. It must lie in what the engine's `version` and
`covers` say. Releases that cannot be compared (a commit, an image, a page without a release) stand in the second table of
docs/stacks.md with the reason. --list prints every source with its engines and releases.
"""
import csv
import glob
import json
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAMELESS = {"training_lab_h200.csv": "orrery-lab H200 training", "layer_times.csv": "Korthikanti et al. 2022 Table 4"}


def engines():
    """Names of engines to their files' contents, ids and aliases alike."""
    found = {}
    for path in glob.glob(os.path.join(ROOT, "data/engines/*.json")):
        with open(path, encoding="utf-8") as file:
            engine = json.load(file)
        for name in [os.path.basename(path)[:-5]] + engine.get("aliases", []):
            found[name] = engine
    return found


def rows():
    """(source, engine, release) of every measured row; the release is empty where the file has none."""
    for path in sorted(glob.glob(os.path.join(ROOT, "validation/*.csv"))):
        name = os.path.basename(path)
        if name == "recorded.csv":
            continue
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                source = row.get("source") or NAMELESS.get(name, name)
                yield source, row.get("engine") or "", row.get("engine_version") or ""


def tables():
    """The two tables of docs/stacks.md: {(source, engine): release} and {(source, engine)}."""
    printed, reasons = {}, set()
    with open(os.path.join(ROOT, "docs/stacks.md"), encoding="utf-8") as file:
        for line in file:
            cells = [cell.strip().strip("`") for cell in line.strip().strip("|").split("|")]
            if not line.startswith("| ") or len(cells) < 3 or cells[0] in ("source", "---"):
                continue
            for engine in re.split(r"`?, `?", cells[1]):
                if len(cells) == 3:
                    printed[cells[0], engine] = cells[2]
                else:
                    reasons.add((cells[0], engine))
    return printed, reasons


def numbers(text):
    """The releases and years in a text, as lists of numbers."""
    return [[int(n) for n in found.split(".")] for found in re.findall(r"\d+(?:\.\d+)*", text)]


def year(release):
    return len(release) == 1 and 2017 < release[0] < 2100


def inside(release, low, high):
    """0.6.3 lies in 0.6..0.7, and years are compared with years alone."""
    if year(release) != year(low):
        return False
    return low <= release and release[: len(high)] <= high


def covered(engine, text):
    """Whether a release or a year of the text is one that the engine stands for."""
    said = engine.get("covers", "") + " " + engine.get("version", "")
    ranges = []
    for part in said.split():
        ends = numbers(part.split("-")[0])
        if ends:
            ranges.append((ends[0], ends[-1]))
    return not ranges or any(inside(found, *pair) for found in numbers(text) for pair in ranges)


def main():
    known, (printed, reasons) = engines(), tables()
    pairs, wrong = {}, []
    for source, engine, release in rows():
        pairs.setdefault((source, engine), set()).add(release or printed.get((source, engine), ""))
    for (source, name), releases in sorted(pairs.items()):
        if "--list" in sys.argv:
            print(f"{source} | {name} | {'; '.join(sorted(releases))}")
        if (source, name) in reasons:
            continue
        if name and name not in known:
            wrong.append(f"{source}: no engine {name}")
        for release in sorted(releases):
            if not release:
                wrong.append(f"{source}: {name or 'no engine'}: no release is said")
            elif name and not covered(known[name], release):
                wrong.append(f"{source}: {name} does not stand for {release}")
    for source, name in sorted((set(printed) | reasons) - set(pairs)):
        wrong.append(f"docs/stacks.md: no row of {source} names {name}")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{'not ' if wrong else ''}ok 1 - {len(pairs)} pairs of source and engine are of one release")
    print("1..1")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
