"""Does rotate.py run the targets that it is asked for, and record them? Programs that only count runs stand in for
libFuzzer, so that it takes no time. The result is in the TAP format."""
import csv
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import record as records  # noqa: E402

FUZZER = "#!/bin/sh\necho stat::number_of_executed_units: 7 >&2\n"
CASES = [  # arguments, exit status, targets that run
    (["--seconds", "1", "http"], 0, ["http"]),
    (["csv", "--seconds", "1", "http"], 0, ["csv", "http"]),
    (["--seconds", "1", "no_such_target"], 2, []),
]


def rotate(build, arguments):
    """Exit status, and what the record has: runs of each target."""
    record = os.path.join(build, "record.csv")
    command = [sys.executable, os.path.join(HERE, "rotate.py"), build, *arguments, "--record", record]
    status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    if not os.path.exists(record):
        return status, {}
    with open(record, encoding="utf-8", newline="") as file:
        return status, {row["target"]: row["runs"] for row in csv.DictReader(file)}


def after_finding():
    """A run without a finding, one with, and two without: all seconds, and those since the finding."""
    with tempfile.TemporaryDirectory() as folder:
        record = os.path.join(folder, "record.csv")
        for seconds, findings in [(1, 0), (2, 1), (4, 0), (8, 0)]:
            records.add(record, "csv", seconds, 10, findings)
        return records.sums(record)["csv"]


def main():
    for number, (arguments, status, targets) in enumerate(CASES, 1):
        with tempfile.TemporaryDirectory() as build:
            os.mkdir(os.path.join(build, "tests"))
            for target in ["csv", "http", "model"]:
                path = os.path.join(build, "tests", "fuzz_" + target)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(FUZZER)
                os.chmod(path, 0o755)
            found = rotate(build, arguments)
        good = found == (status, {target: "7" for target in targets})
        print(f"{'ok' if good else 'not ok'} {number} - rotate.py {' '.join(arguments)}")
        if not good:
            print(f"# {found}")
    good = after_finding() == [15.0, 40, 1, 12.0]
    print(f"{'ok' if good else 'not ok'} {len(CASES) + 1} - what came after a finding is counted by itself")
    print(f"1..{len(CASES) + 1}")


main()
