"""Add a run of a fuzz target to the record: record.py RECORD TARGET LOG FOUND CPU_SECONDS; with RECORD alone, print sums."""
import csv
import datetime
import os
import re
import sys


def sums(record):
    totals = {}
    with open(record, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            total = totals.setdefault(row["target"], [0.0, 0, 0])
            total[0] += float(row["seconds"])
            total[1] += int(row["runs"])
            total[2] += int(row["findings"])
    return totals


def main():
    record = sys.argv[1]
    if len(sys.argv) == 2:
        totals = sums(record)
        for name, (seconds, runs, findings) in sorted(totals.items()):
            print(f"{name:10} {seconds / 3600:7.2f} CPU-hours {runs:12,} runs {findings:3} findings")
        hours = sum(total[0] for total in totals.values()) / 3600
        print(f"{'all':10} {hours:7.2f} CPU-hours {sum(total[1] for total in totals.values()):12,} runs "
              f"{sum(total[2] for total in totals.values()):3} findings")
        return
    _, _, name, log, found, seconds = sys.argv
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    runs = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)", text, re.M) or ["0"]
    new = not os.path.exists(record)
    with open(record, "a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(["date", "target", "seconds", "runs", "findings"])
        writer.writerow([datetime.date.today(), name, seconds, runs[-1], found])
    print(f"{name}: {runs[-1]} runs, {'a finding: ' + log if found == '1' else 'no finding'}")


main()
