#!/usr/bin/env python3
"""Rewrite tests/pinned.csv with the answers of this version: pin_answers.py TEST_PINNED
Lines keep their order, so that a commit shows which numbers moved; those of new cases and metrics come last."""
import csv
import io
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "tests/pinned.csv"


def main():
    test = pathlib.Path(sys.argv[1]).resolve()
    old = FILE.read_text(encoding="utf-8")
    header, *lines = csv.reader(io.StringIO(old))
    FILE.write_text(",".join(header) + "\n", encoding="utf-8")  # the test prints what this file does not have: everything
    try:
        printed = subprocess.run([test, "--print"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except BaseException:
        FILE.write_text(old, encoding="utf-8")
        raise
    now = {(case, metric): value for case, metric, value in csv.reader(io.StringIO(printed))}
    kept = [(case, metric) for case, metric, _ in lines if (case, metric) in now]
    known = set(kept)
    with open(FILE, "a", encoding="utf-8", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        for key in kept + [key for key in now if key not in known]:
            writer.writerow([*key, now[key]])


main()
