"""What long checks have shown: tests/checks.csv, a row per run of `./dev check --record NAME`.

checks.py                        the last run of each check; docs/testing.md has this table
checks.py add NAME WALL_S CPU_S  adds a run; standard input is what it printed, its last line "N passed, N failed"
"""
import csv
import datetime
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = os.path.join(ROOT, "tests", "checks.csv")
COLUMNS = ["date", "check", "commit", "wall_s", "cpu_s", "passed", "failed", "notes"]


def rows():
    if not os.path.exists(RECORD):
        return []
    with open(RECORD, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add(name, wall_s, cpu_s, text):
    counts = re.findall(r"^(\d+) passed, (\d+) failed", text, re.M)
    passed, failed = counts[-1] if counts else ("0", "1")
    notes = "; ".join(line[2:].strip() for line in text.splitlines() if line.startswith("# "))
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=10", "HEAD"], capture_output=True, text=True,
                            check=False).stdout.strip()
    new = not os.path.exists(RECORD)
    with open(RECORD, "a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(COLUMNS)
        writer.writerow([datetime.date.today().isoformat(), name, commit, f"{float(wall_s):.0f}", f"{float(cpu_s):.0f}",
                         passed, failed, notes[:700]])


def duration(seconds):
    seconds = int(float(seconds))
    return f"{seconds // 3600} h {seconds % 3600 // 60} min" if seconds >= 3600 else \
        f"{seconds // 60} min {seconds % 60} s" if seconds >= 60 else f"{seconds} s"


def show():
    last = {}
    for row in rows():
        last.pop(row["check"], None)
        last[row["check"]] = row
    for name, row in sorted(last.items()):
        processor = f" ({duration(row['cpu_s'])} of the processor)" if row["cpu_s"] else ""
        print(f"{name}: {row['date']}, {duration(row['wall_s'])}{processor}, {row['passed']} passed, {row['failed']} failed")
        for note in filter(None, row["notes"].split("; ")):
            print(f"    {note}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["add"]:
        add(*sys.argv[2:5], sys.stdin.read())
    else:
        show()
