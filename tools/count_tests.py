"""How much is tested, counted from the tree: count_tests.py ROOT. docs/testing.md repeats it."""
import csv
import os
import re
import sys

ROOT = sys.argv[1]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def files(folder, pattern):
    return [os.path.join(folder, name) for name in sorted(os.listdir(os.path.join(ROOT, folder))) if re.search(pattern, name)]


def sources(*folders):
    for folder in folders:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            for name in names:
                if name.endswith((".c", ".h")):
                    yield os.path.join(path, name)


def lines_of(*folders):
    total = 0
    for path in sources(*folders):
        with open(path, encoding="utf-8") as file:
            total += sum(1 for _ in file)
    return total


def main():
    unit = files("tests/unit", r"^test_.*\.c$")
    cases = sum(len(re.findall(r"\bcmocka_unit_test", read(path))) for path in unit)
    scripts = files("tests", r"^run_.*\.sh$")
    fuzz = files("tests/fuzz", r"^fuzz_.*\.c$")
    seeds = sum(len(names) for _, _, names in os.walk(os.path.join(ROOT, "tests/fuzz/seeds")))
    rows = [("lines of the library, the program and the server", lines_of("src", "cli", "server", "include")),
            ("lines of unit tests and fuzz targets", lines_of("tests")),
            ("unit tests", f"{cases} in {len(unit)} programs"),
            ("command lines with expected output", len(os.listdir(os.path.join(ROOT, "tests/golden")))),
            ("command lines that must be refused", len(os.listdir(os.path.join(ROOT, "tests/bad")))),
            ("HTTP requests that must be refused", len(read("tests/server/cases.jsonl").splitlines())),
            ("scripts of whole programs", len(scripts)),
            ("hostile, slow and broken clients of the server", sum(len(re.findall(r"^    check\(", read(f"tests/server/{name}.py"), re.M)) for name in ("limits", "operations"))),
            ("bugs that the tests must notice", len(list(csv.reader(read("tests/mutants.csv").splitlines()))) - 1),
            ("numbers that must not move", len(read("tests/pinned.csv").splitlines()) - 1),
            ("fuzz targets", f"{len(fuzz)}, {seeds} seeds"),
            ("findings of static analysis that are explained", len(list(csv.reader(read("tests/analysis.csv").splitlines()))) - 1)]
    record = os.path.join(ROOT, "tests/fuzz/record.csv")
    if os.path.exists(record):
        runs = list(csv.DictReader(read("tests/fuzz/record.csv").splitlines()))
        hours = sum(float(row["seconds"]) for row in runs) / 3600
        rows.append(("fuzzing so far", f"{hours:.2f} CPU-hours, {sum(int(row['runs']) for row in runs):,} runs"))
    for name, value in rows:
        print(f"{name:50} {value:,}" if isinstance(value, int) else f"{name:50} {value}")


main()
