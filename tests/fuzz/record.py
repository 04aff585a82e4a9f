"""The record of fuzzing, tests/fuzz/record.csv: a row per day and target with seconds of the processor (user and system
time of the process, so a busy machine counts for less), runs and findings. A row ends with its finding: what follows on
that day is a row of its own, below it. The record is cumulative over all versions.

record.py [RECORD] prints the sums; `add` is what rotate.py calls after every run."""
import csv
import datetime
import fcntl
import os
import sys

COLUMNS = ["date", "target", "seconds", "runs", "findings"]


def read(record):
    if not os.path.exists(record):
        return []
    with open(record, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def add(record, target, seconds, runs, findings):
    """Add a run to the row of this day and target. Several processes may do so at once."""
    today = datetime.date.today().isoformat()
    folder = os.open(os.path.dirname(os.path.abspath(record)), os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    try:
        rows = read(record)
        row = next((row for row in reversed(rows) if (row["date"], row["target"]) == (today, target)), None)
        if row is None or int(row["findings"]):  # what came after a finding is counted by itself
            row = dict(zip(COLUMNS, [today, target, 0, 0, 0]))
            rows.append(row)
        row["seconds"] = f"{float(row['seconds']) + seconds:.1f}"
        row["runs"] = int(row["runs"]) + runs
        row["findings"] = int(row["findings"]) + findings
        rows.sort(key=lambda row: (row["date"], row["target"]))
        with open(record + ".new", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        os.replace(record + ".new", record)
    finally:
        os.close(folder)


def sums(record):
    """By target: seconds of the processor, runs, findings, and the seconds after the last row that had a finding."""
    totals = {}
    for row in read(record):  # in the order in which they were made
        total = totals.setdefault(row["target"], [0.0, 0, 0, 0.0])
        total[0] += float(row["seconds"])
        total[1] += int(row["runs"])
        total[2] += int(row["findings"])
        total[3] = 0.0 if int(row["findings"]) else total[3] + float(row["seconds"])
    return totals


def main():
    default = os.path.join(os.path.dirname(os.path.abspath(__file__)), "record.csv")
    totals = sums(sys.argv[1] if len(sys.argv) > 1 else default)
    everything = [sum(total[i] for total in totals.values()) for i in range(4)]
    for name, (seconds, runs, findings, clean) in [*sorted(totals.items()), ("all", everything)]:
        print(f"{name:10} {seconds / 3600:6.2f} CPU-hours {runs:12,} runs {findings:3} findings, "
              f"{clean / 3600:5.2f} CPU-hours since the last")


if __name__ == "__main__":
    main()
