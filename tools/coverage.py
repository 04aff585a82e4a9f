"""Lines and branches of src/ that the tests reach: coverage.py BUILD_FOLDER, built with -Db_coverage=true. Needs gcovr.

Prints both shares, the files with most unreached branches, and what the unreached branches are. Three kinds of them are
not counted, each by a rule about its line:

- guards of jansson's macros: json_is_object(x) is (x && x->type == ...), and a caller that has found x never takes the
  first way. One unreached branch is left out for every use of such a macro on a line that was run.
- failed allocations: a line that says ORR_ERR_MEMORY or calls orr_out_of_memory. tests/unit/test_failing.c fails every
  allocation of 71 questions in turn, so that these are few.
- failed calls of jansson: a line that asks the variable `failed`, which gathers their results. src/spec/json_memory.c
  serves a failed allocation of jansson from a reserve and notes it, so that its functions do not fail until 256 KiB of
  that are used; the note turns the answer into an error, which test_failing.c does see.

tests/coverage.csv holds the bars: of all lines, of all branches, and of branches without those.
"""
import collections
import csv
import json
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GUARD = re.compile(r"\bjson_(is_[a-z]+|object_foreach|array_foreach)\(")
MEMORY = re.compile(r"ORR_ERR_MEMORY|orr_out_of_memory")
RESERVE = re.compile(r"(?<![.>])\bfailed\b")
KINDS = [("an error passed on", re.compile(r"\berr\b|error|status|orr_fail|goto |failed")),
         ("a text that is cut or empty", re.compile(r"snprintf|strlen|strcmp|strchr|\[0\]"))]


def excused(line, text):
    """How many unreached branches of a line are left out: of memory, of jansson's guards, of its calls."""
    left = sum(branch["count"] == 0 for branch in line["branches"])
    if MEMORY.search(text):
        return left, 0, 0
    if line["count"] == 0:
        return 0, 0, 0
    guards = min(left, len(GUARD.findall(text)))
    return 0, guards, min(left - guards, len(RESERVE.findall(text)))


def main():
    build = sys.argv[1]
    out = os.path.join(build, "coverage.json")
    # gcov derives some counts from others. Where a test jumps out of a function (cmocka ends a failed call so) or a
    # process is killed, one can come out negative; gcovr would stop there, and passes over that line instead.
    done = subprocess.run(["gcovr", "--gcov-ignore-parse-errors", "-r", ROOT, "--object-directory", build, "-f",
                           os.path.join(ROOT, "src/"), "--json", out, build], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"gcovr ended with {done.returncode}: {done.stderr[-2000:]}")
    with open(out, encoding="utf-8") as file:
        files = json.load(file)["files"]
    lines = reached = branches = taken = memory = guards = calls = 0
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
                of_memory, of_guards, of_calls = excused(line, words)
                memory, guards, calls = memory + of_memory, guards + of_guards, calls + of_calls
                kind = "a line that was not run" if not line["count"] else "other"
                kind = next((kind for kind, pattern in KINDS if pattern.search(words)), kind)
                kinds[kind] += left - of_memory - of_guards - of_calls
    for name, left in missing.most_common(15):
        print(f"{left:5} branches not reached in {name}")
    print("; ".join(f"{kind}: {n}" for kind, n in kinds.most_common()))
    shares = {"lines": 100 * reached / lines, "branches": 100 * taken / branches,
              "branches counted": 100 * taken / (branches - memory - guards - calls)}
    print(f"lines {shares['lines']:.1f} % of {lines}, branches {shares['branches']:.1f} % of {branches}; without {memory} of"
          f" failed allocations, {guards} guards of jansson's macros and {calls} of its calls"
          f" {shares['branches counted']:.1f} %")
    with open(os.path.join(ROOT, "tests", "coverage.csv"), encoding="utf-8") as file:
        bars = {row["what"]: float(row["least_percent"]) for row in csv.DictReader(file)}
    failed = [what for what, least in bars.items() if shares[what] < least]
    for what in failed:
        print(f"{what}: below {bars[what]} %")
    print(f"{len(bars) - len(failed)} passed, {len(failed)} failed")
    sys.exit(bool(failed))


main()
