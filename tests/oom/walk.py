#!/usr/bin/env python3
"""Fail every allocation of a run in turn: walk.py BIN_DIR FAILING_SO [--full | --per-case N] [--only WORD]

Each command of commands.txt runs once without failures; then once for each of its allocations (or a sample of them)
with that allocation failing, and once more with all behind it failing as well. A run must either end with the status
and the output of the good run, or with status 2, an empty standard output and one line on standard error that names
memory. Prints TAP, and a table of counts at the end.
"""

import argparse
import collections
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def classify(code: int, out_bytes: int, same: str, lines: int, first: str, good_code: int, stream: bool) -> str:
    if code == -14:
        return "hang"
    if code < 0:
        return f"crash, signal {-code}"
    if code == good_code and same == "1" and lines == 0:
        return "answered"
    memory = "memory" in first.lower() or "Cannot allocate" in first
    if code == good_code:
        return "silent"
    if lines != 1:
        return f"{lines} lines"
    if out_bytes and not (stream and same == "2"):  # a sweep prints row after row
        return "half printed"
    return "refused" if memory and code != 0 else "unclear"


class Walk:
    def __init__(self, options):
        self.options, self.n, self.failed = options, 0, 0
        self.totals = collections.Counter()

    def tap(self, good: bool, name: str, notes):
        self.n += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.n} - {name}", flush=True)
        for note in notes:
            print("#", note)

    def case(self, name: str, arguments, files):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            for path, text in files.items():
                (work / path).write_text(text)
            environment = dict(os.environ, LD_PRELOAD=self.options.failing, OOM_FOLDER=folder, OMP_NUM_THREADS="1",
                               OOM_COUNT=str(work / "count"), LC_ALL="C", ORRERY_DATADIR=str(HERE.parent.parent))
            command = [str(pathlib.Path(self.options.bin).resolve() / "orrery"), *arguments]
            good = subprocess.run(command, cwd=work, env=environment, capture_output=True)
            (work / "good").write_bytes(good.stdout)
            if good.stderr:
                return self.tap(False, name, [good.stderr.decode(errors="replace").strip()])
            n = int((work / "count").read_text())
            del environment["OOM_COUNT"]
            step = 1 if self.options.full else max(1, n // self.options.per_case)
            counts = collections.Counter()
            examples = collections.defaultdict(list)
            for on in ("", "1"):
                first = 1 if self.options.full else 1 + (7 * self.n + (11 if on else 0)) % step
                extra = dict(environment, OOM_WALK=f"{first}:{n}:{step}", **({"OOM_ON": "1"} if on else {}))
                done = subprocess.run(command, cwd=work, env=extra, capture_output=True)
                if done.returncode:
                    return self.tap(False, name, [f"the walk ended with {done.returncode}"])
                for line in (work / "walk").read_text(errors="replace").splitlines():
                    if len(line.split(" ", 5)) < 6:
                        continue
                    at, code, size, same, lines, text = line.split(" ", 5)
                    kind = classify(int(code), int(size), same, int(lines), text, good.returncode,
                                    arguments[0] == "sweep")
                    counts[kind] += 1
                    examples[kind].append(f"OOM_AT={at}{' OOM_ON=1' if on else ''}: {text[:150]}")
            self.totals.update(counts)
            notes = [f"{n} allocations: " + ", ".join(f"{v} {k}" for k, v in counts.most_common())]
            bad = [k for k in counts if k not in ("answered", "refused")]
            for kind in bad:
                notes += [f"{kind}: {text}" for text in examples[kind][: self.options.show]]
            self.tap(not bad, name, notes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("failing")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--per-case", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=8)
    walk = Walk(parser.parse_args())
    for line in (HERE / "commands.txt").read_text().splitlines():
        if not line or line.startswith("#") or walk.options.only not in line:
            continue
        walk.case(line, [w.replace("SOURCE", str(HERE.parent.parent)) for w in shlex.split(line)], {})
    print("# in all:", ", ".join(f"{v} {k}" for k, v in walk.totals.most_common()))
    print(f"1..{walk.n}")


main()
