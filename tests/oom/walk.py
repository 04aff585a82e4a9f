#!/usr/bin/env python3
"""Fail every allocation of a run in turn: walk.py BIN_DIR FAILING_SO [--full | --per-case N] [--only WORD]
"server", "start", "mcp" and "store csv" are words, too.

Commands: each one of commands.txt runs once without failures; then once for each of its allocations (or a sample of them)
with that allocation failing, and once more with all behind it failing as well. A run must either end with the status
and the output of the good run, or with status 2, an empty standard output and one line on standard error that names
memory. A sweep into a store runs again without failures after each failed run and must then hold the same rows. The
server answers a request of each route with an allocation failing: it must send the good answer, an error or nothing, and
the good answer to the request after that. Prints TAP, and the counts at the end.
"""

import argparse
import collections
import contextlib
import http.client
import itertools
import json
import os
import re
import pathlib
import shlex
import shutil
import signal
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LAST = 45
FAR, FAR_STEP = 8000, 197  # behind so many allocations they are those of one row or engine after another: a sample


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
            counts = collections.Counter()
            examples = collections.defaultdict(list)
            for on in ("", "1"):
                for walked in self.ranges(n, on):
                    extra = dict(environment, OOM_WALK=walked, **({"OOM_ON": "1"} if on else {}))
                    done = subprocess.run(command, cwd=work, env=extra, capture_output=True)
                    if done.returncode:
                        return self.tap(False, name, [f"the walk ended with {done.returncode}"])
                    self.read(work / "walk", on, good.returncode, arguments[0] == "sweep", counts, examples)
            self.judge(name, n, counts, examples)

    def ranges(self, n: int, on: str):
        """FIRST:LAST:STEP of the allocations to fail."""
        if self.options.full:
            return [f"1:{min(n, FAR)}:1"] + ([f"{FAR + 1}:{n}:{FAR_STEP}"] if n > FAR else [])
        step = max(1, n // self.options.per_case)
        return [f"{1 + (7 * self.n + (11 if on else 0)) % step}:{n}:{step}"]

    @staticmethod
    def read(path, on: str, good_code: int, stream: bool, counts, examples):
        for line in path.read_text(errors="replace").splitlines():
            if len(line.split(" ", 5)) < 6:
                continue
            at, code, size, same, lines, text = line.split(" ", 5)
            kind = classify(int(code), int(size), same, int(lines), text, good_code, stream)
            counts[kind] += 1
            examples[kind].append(f"OOM_AT={at}{' OOM_ON=1' if on else ''}: {text[:150]}")

    def judge(self, name: str, n: int, counts, examples):
        self.totals.update(counts)
        bad = [k for k in counts if k not in ("answered", "refused")]
        notes = [f"{n} allocations: " + ", ".join(f"{v} {k}" for k, v in counts.most_common())]
        for kind in bad:
            notes += [f"{kind}: {text}" for text in examples[kind][: self.options.show]]
        self.tap(not bad and n > 0 and sum(counts.values()) > 0, name, notes)

    def places(self, n: int):
        """Those of a sweep into a store: its last ones write the rows, so that a sample has all of these."""
        step = 1 if self.options.full else max(1, n // self.options.per_case)
        return [at for at in range(1, n + 1) if at % step == 1 % step or at > n - LAST]

    def part_of(self, path: pathlib.Path, part: pathlib.Path):
        """A copy of a store without its last point; its rows."""
        if path.suffix == ".csv":
            part.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
        else:
            import sqlite3
            shutil.copy(path, part)
            with contextlib.closing(sqlite3.connect(part)) as connection:
                last = connection.execute("SELECT max(point) FROM points").fetchone()
                for table in ("points", "results", "sums"):
                    connection.execute(f"DELETE FROM {table} WHERE point = ?", last)
                connection.commit()
        return self.rows(part)

    def store(self, ending: str, resumes: bool):
        """A sweep, new or with its last point missing, runs with an allocation failing, then without."""
        counts, examples = collections.Counter(), collections.defaultdict(list)
        arguments = "sweep train --model llama2-7b --system h100-sxm --gpus 8 --vary tp=1,2,4 --threads 1 --out".split()
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            path = work / f"rows.{ending}"
            command = [str(pathlib.Path(self.options.bin).resolve() / "orrery"), *arguments, str(path)]
            environment = dict(os.environ, LD_PRELOAD=self.options.failing, OMP_NUM_THREADS="1", LC_ALL="C")
            count = dict(environment, OOM_COUNT=str(work / "count"))
            if subprocess.run(command, env=count, capture_output=True).returncode:
                return self.tap(False, f"store .{ending}", ["the sweep fails"])
            n, whole = int((work / "count").read_text()), self.rows(path)
            part = work / f"part.{ending}"
            held = self.part_of(path, part) if resumes else []
            for at in self.places(n):
                for old in work.glob(f"rows.{ending}*"):
                    old.unlink()
                if resumes:
                    shutil.copy(part, path)
                failed = subprocess.run(command, env=dict(environment, OOM_AT=str(at)), capture_output=True, text=True)
                kept = self.rows(path)[: len(held)] if resumes else []
                again = subprocess.run(command, env=environment, capture_output=True, text=True)
                lines = failed.stderr.lstrip("\n").count("\n")  # libgomp begins with an empty line
                kind = classify(failed.returncode, len(failed.stdout), "1" if failed.returncode == 0 else "0", lines,
                                failed.stderr.strip(), 0, False)
                if kept != held:
                    kind = "rows lost"
                if again.returncode or self.rows(path) != whole:
                    kind = "stored wrong"
                counts[kind] += 1
                examples[kind].append(f"OOM_AT={at}: {failed.stderr.strip()[:120]} then {again.stderr.strip()[:120]}")
        self.judge(f"sweep into a .{ending}, {'resumed, ' * resumes}and again", n, counts, examples)

    @staticmethod
    def rows(path: pathlib.Path):
        if path.suffix == ".csv":
            return [line.rsplit(",", 1)[0] for line in path.read_text().splitlines() if not line.startswith("#")]
        import sqlite3
        with sqlite3.connect(path) as connection:
            return list(connection.execute("SELECT * FROM sweep ORDER BY point"))

    def server(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            environment = dict(os.environ, LD_PRELOAD=self.options.failing, OOM_NEXT=str(work / "next"), LC_ALL="C")
            command = [str(pathlib.Path(self.options.bin).resolve() / "orrery"), "serve", "--port", "0"]
            for route, body in ROUTES.items():
                if self.options.only in ("", "server", f"server {route}"):
                    self.route(lambda: Server(command, environment), work, route, body)

    def start(self):
        """A server starts or refuses; its last allocations make its threads and documents, all of which fail."""
        counts, examples = collections.Counter(), collections.defaultdict(list)
        with tempfile.TemporaryDirectory() as folder:
            environment = dict(os.environ, LD_PRELOAD=self.options.failing, LC_ALL="C")
            command = [str(pathlib.Path(self.options.bin).resolve() / "orrery"), "serve", "--port", "0", "--threads", "2"]
            count = pathlib.Path(folder) / "count"
            n = 0
            for at in itertools.chain([0], self.places_of(lambda: n)):
                extra = {"OOM_AT": str(at)} if at else {"OOM_COUNT": str(count)}
                with subprocess.Popen(command, env=dict(environment, **extra), stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) as process:
                    started = process.stdout.readline()
                    process.send_signal(signal.SIGTERM)
                    errors = process.stderr.read().lower()
                if not at:
                    n = int(count.read_text())
                    continue
                kind = "answered" if started and process.returncode == 0 else "refused"
                if process.returncode not in (0, 2) or (kind == "refused" and "memory" not in errors):
                    kind = f"exit status {process.returncode}"
                counts[kind] += 1
                examples[kind].append(f"OOM_AT={at}: {errors.strip()[-150:]}")
        self.judge("the start of a server", n, counts, examples)

    def places_of(self, number):
        """As places(), of a number that is known once the first run has counted."""
        yield from (at for at in self.places(number()) if at > number() - LAST or at % 50 == 1 or not self.options.full)

    def mcp(self):
        """Every line that orrery mcp prints is whole, and a lack of memory ends it with that error."""
        counts, examples = collections.Counter(), collections.defaultdict(list)
        with tempfile.TemporaryDirectory() as folder:
            command = [str(pathlib.Path(self.options.bin).resolve() / "orrery"), "mcp"]
            environment = dict(os.environ, LD_PRELOAD=self.options.failing, OMP_NUM_THREADS="1", LC_ALL="C")
            count = pathlib.Path(folder) / "count"
            good = subprocess.run(command, input=MESSAGES, env=dict(environment, OOM_COUNT=str(count)), text=True,
                                  capture_output=True).stdout.splitlines()
            n = int(count.read_text())
            for at in self.places(n)[:: 20 if self.options.full else 1]:
                done = subprocess.run(command, input=MESSAGES, env=dict(environment, OOM_AT=str(at)), text=True,
                                      capture_output=True)
                lines = done.stdout.splitlines()
                kind = "answered" if done.returncode == 0 and lines == good else "silent"
                if done.returncode == 2 and "memory" in done.stderr and lines == good[: len(lines)]:
                    kind = "refused"
                counts[kind] += 1
                examples[kind].append(f"OOM_AT={at}: {done.returncode} {done.stderr.strip()[:100]} {lines[-1:]}"[:250])
        self.judge("mcp", n, counts, examples)

    def route(self, start, work, route, body):
        server = start()

        def ask():
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            try:
                connection.request("POST" if body else "GET", "/api/v1/" + route, body)
                answer = connection.getresponse()
                text = answer.read().decode(errors="replace")
                return answer.status, re.sub(r'"(seconds|[a-z_]*_per_s)": ?[^,}]*', "", re.sub(r"event: progress\n[^\n]*\n\n", "", text))
            except (OSError, http.client.HTTPException):
                return None
            finally:
                connection.close()

        counts, examples = collections.Counter(), collections.defaultdict(list)
        ask()
        good = ask()
        if not good or good[0] != 200:
            return self.tap(False, f"server {route}", [f"the request is not answered: {str(good)[:200]}"])
        at, unharmed = 0, 0
        # A request is over once so many allocations behind each other do not matter to it.
        while at < MOST and (at < QUIET or unharmed < N_QUIET):
            at += (1 if at < FAR else FAR_STEP) if self.options.full else max(1, at // self.options.per_case)
            server.arm(work / "next", at)
            got = ask()
            if server.ended():
                # OpenMP ends the program itself where it has no memory for a team of threads.
                kind = "refused" if "libgomp" in server.errors() else "crash"
                counts[kind] += 1
                examples[kind].append(f"{route}, allocation {at}")
                server = start()
                ask()
                continue
            server.arm(work / "next", 0)
            after = ask()
            refused = got is None or "out of memory" in got[1] or got[0] >= 500
            kind = "answered" if got == good else "refused" if refused else "silent"
            unharmed = unharmed + 1 if kind == "answered" else 0
            if after != good:
                kind = "the next answer is wrong"
            counts[kind] += 1
            examples[kind].append(f"allocation {at}: {str(got)[:150]} then {str(after)[:100]}")
        server.process.kill()
        server.process.wait()
        self.judge(f"server {route}", at, counts, examples)


class Server:
    def __init__(self, command, environment):
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.port = int(re.search(r":([0-9]+)/", self.process.stdout.readline()).group(1))

    def arm(self, path, at: int):
        """The allocation that many behind the present one fails; 0: none. Wait until the server knows."""
        path.write_text(str(at))
        self.process.send_signal(signal.SIGUSR2)
        while path.exists() and self.process.poll() is None:
            time.sleep(0.0005)

    def ended(self) -> bool:
        try:
            self.process.wait(0.02)
        except subprocess.TimeoutExpired:
            return False
        return True

    def errors(self) -> str:
        self.log.seek(0)
        return self.log.read()


MOST, QUIET, N_QUIET = 60000, 60, 6  # most allocations of a request, least ones, and those beyond it
ROUTES = {
    "train": '{"model":"llama2-7b","system":"h100-sxm","gpus":8}',
    "infer": '{"model":"llama3-8b","system":"h100-sxm","workload":{"input_len":512,"output_len":64}}',
    "serving": '{"model":"llama3-8b","system":"h100-sxm","traffic":{"rate_per_s":2,"input_len":256,"output_len":32,"requests":20}}',
    "size": '{"model":"llama3-8b","system":"h100-sxm","traffic":{"rate_per_s":2,"input_len":256,"output_len":32,'
            '"requests":20},"slo":["ttft_s.p99<=2 s"],"size":{"budget":"1 GPUs"}}',
    "compare": '{"requests":[{"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":8},'
               '{"kind":"train","model":"llama2-7b","system":"a100-80g-sxm","gpus":8}]}',
    "technology": '{"chip":"node=5,memory=hbm3"}',
    "fit": '{"runs":["model=llama3-8b,system=h100-sxm,tp=1,batch=8,input_len=512,output_len=64:latency_s=1.3"],'
           '"engine":"vllm"}',
    "search": '{"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":2,"workload":{"global_batch":8}}',
    "sweep": '{"request":{"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":8},'
             '"vary":[{"field":"plan.tp","values":"1,2"}]}',
    "sensitivity": '{"kind":"train","model":"llama2-7b","system":"h100-sxm","gpus":8}',
    "catalogue": "",
    "catalogue/models/llama2-7b": "",
    "health": "",
    "ready": "",
    "openapi.json": "",
    "train?dump=timeline": '{"model":"llama2-7b","system":"h100-sxm","gpus":8,"plan":{"pp":2}}',
    "train?dump=memory": '{"model":"llama2-7b","system":"h100-sxm","gpus":8}',
    "infer?explain=1": '{"model":"llama3-8b","system":"h100-sxm","workload":{"input_len":512,"output_len":64}}',
    "serving?detail=1": '{"model":"llama3-8b","system":"h100-sxm","traffic":{"rate_per_s":2,"input_len":256,"output_len":32,"requests":20}}',
}
MESSAGES = "".join(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + "\n"
                   for i, (method, params) in enumerate((
                       ("tools/list", {}), ("tools/call", {"name": "train", "arguments": {
                           "model": "llama2-7b", "system": "h100-sxm", "gpus": 8}}), ("ping", {}))))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin")
    parser.add_argument("failing")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--per-case", type=int, default=60)
    parser.add_argument("--only", default="")
    parser.add_argument("--show", type=int, default=8)
    walk = Walk(parser.parse_args())
    walk.options.failing = str(pathlib.Path(walk.options.failing).resolve())
    for line in (HERE / "commands.txt").read_text().splitlines():
        if not line or line.startswith("#") or walk.options.only not in line:
            continue
        walk.case(line, [w.replace("SOURCE", str(HERE.parent.parent)) for w in shlex.split(line)], {})
    for ending in ("csv", "db"):
        if walk.options.only in f"store {ending}":
            walk.store(ending, False)
            walk.store(ending, True)
    if walk.options.only in "start":
        walk.start()
    if walk.options.only in "mcp":
        walk.mcp()
    if walk.options.only in "server" or walk.options.only.startswith("server "):
        walk.server()
    print("# in all:", ", ".join(f"{v} {k}" for k, v in walk.totals.most_common()))
    print(f"1..{walk.n}")


main()
