"""Lines and branches of src/ that the tests reach: coverage.py BUILD_FOLDER, built with -Db_coverage=true. Needs gcovr.

Prints both shares, the files with most unreached branches, and what the unreached branches are: allocations that fail,
errors that a caller passes on, and others. tests/coverage.csv holds the bars.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KINDS = [("out of memory", re.compile(r"memory|alloc|strdup|failed|json_(object|array|integer|real|string)")),
         ("an error passed on", re.compile(r"\berr\b|error|status|orr_fail|goto ")),
         ("a text that is cut or empty", re.compile(r"snprintf|strlen|strcmp|strchr|\[0\]"))]


def main():
    build = sys.argv[1]
    out = os.path.join(build, "coverage.json")
    subprocess.run(["gcovr", "-r", ROOT, "--object-directory", build, "-f", os.path.join(ROOT, "src/"), "--json", out, build],
                   check=True, capture_output=True)
    with open(out, encoding="utf-8") as file:
        files = json.load(file)["files"]
    lines = reached = branches = taken = 0
    missing, kinds = collections.Counter(), collections.Counter()
    for entry in files:
        with open(os.path.join(ROOT, entry["file"]), encoding="utf-8") as source:
            text = source.read().split("\n")
        for line in entry["lines"]:
            if line.get("gcovr/noncode"):
                continue
            lines += 1
            reached += line["count"] > 0
            branches += len(line["branches"])
            left = sum(branch["count"] == 0 for branch in line["branches"])
            taken += len(line["branches"]) - left
            if left:
                missing[entry["file"]] += left
                words = text[line["line_number"] - 1]
                kinds[next((kind for kind, pattern in KINDS if pattern.search(words)), "other")] += left
    for name, left in missing.most_common(15):
        print(f"{left:5} branches not reached in {name}")
    print("; ".join(f"{kind}: {n}" for kind, n in kinds.most_common()))
    shares = {"lines": 100 * reached / lines, "branches": 100 * taken / branches}
    print(f"lines {shares['lines']:.1f} % of {lines}, branches {shares['branches']:.1f} % of {branches}")
    with open(os.path.join(ROOT, "tests", "coverage.csv"), encoding="utf-8") as file:
        bars = {row["what"]: float(row["least_percent"]) for row in csv.DictReader(file)}
    failed = [what for what, least in bars.items() if shares[what] < least]
    for what in failed:
        print(f"{what}: below {bars[what]} %")
    print(f"{len(bars) - len(failed)} passed, {len(failed)} failed")
    sys.exit(bool(failed))


main()
