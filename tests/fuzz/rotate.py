"""Run fuzz targets in turn under libFuzzer and add what they did to the record:
rotate.py BUILD_DIR [--seconds N] [--total N] [--jobs N] [--endless] [--record CSV] [target...]

Every target named (all of them, if none is) runs once for so many seconds of the wall; with --endless the one with the
least time since its last finding is next, until --total seconds are over or a signal comes. Inputs that reach something
new stay in BUILD_DIR/corpus/TARGET; what a finding was made of is BUILD_DIR/TARGET-*."""
import argparse
import glob
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import record as records  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
RECORD = os.path.join(HERE, "record.csv")


def all_targets():
    return sorted(re.sub(r".*/fuzz_(\w+)\.c", r"\1", path) for path in glob.glob(os.path.join(HERE, "fuzz_*.c")))


def seeds(target):
    return os.path.join(ROOT, "data/models") if target == "model" else os.path.join(HERE, "seeds", target)


class Rotation:
    def __init__(self, options):
        self.options, self.lock, self.running, self.children = options, threading.Lock(), set(), {}
        self.until = time.monotonic() + options.total if options.total else None
        self.left = list(options.targets or all_targets())
        self.found, self.stopped = 0, False

    def next(self):
        """The target to run now, or None."""
        with self.lock:
            if self.stopped or (self.until and time.monotonic() >= self.until):
                return None
            if not self.options.endless:
                return self.left.pop(0) if self.left else None
            done = records.sums(self.options.record)
            free = [name for name in (self.options.targets or all_targets()) if name not in self.running]
            target = min(free, key=lambda name: done.get(name, [0])[-1])
            self.running.add(target)
            return target

    def run(self, target):
        build = os.path.abspath(self.options.build)
        corpus, log = os.path.join(build, "corpus", target), os.path.join(build, f"{target}.log")
        os.makedirs(corpus, exist_ok=True)
        seconds = self.options.seconds
        if self.until:
            seconds = max(1, min(seconds, int(self.until - time.monotonic())))
        environment = dict(os.environ, UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1", OMP_NUM_THREADS="1")
        with open(log, "w", encoding="utf-8") as file:
            process = subprocess.Popen(
                [os.path.join(build, "tests", "fuzz_" + target), f"-max_total_time={seconds}", "-max_len=65536",
                 "-rss_limit_mb=4096", "-timeout=60", "-close_fd_mask=1", "-print_final_stats=1",
                 f"-artifact_prefix={build}/{target}-", corpus, seeds(target)],
                stdout=file, stderr=file, env=environment)
            self.children[process.pid] = process
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            del self.children[process.pid]
        with open(log, encoding="utf-8", errors="replace") as file:
            text = file.read()
        runs = re.findall(r"number_of_executed_units: (\d+)", text) or re.findall(r"^#(\d+)", text, re.M) or ["0"]
        found = process.returncode != 0 and not self.stopped
        cpu_s = usage.ru_utime + usage.ru_stime
        records.add(self.options.record, target, cpu_s, int(runs[-1]), int(found))
        print(f"{target}: {cpu_s:.1f} s of the processor, {runs[-1]} runs, {'a finding: ' + log if found else 'no finding'}",
              flush=True)
        if found:
            self.found += 1
            lines = [line for line in text.splitlines() if not re.match(r"#[0-9]", line)]
            print("\n".join(lines[-40:]), flush=True)

    def work(self):
        while target := self.next():
            try:
                self.run(target)
            finally:
                self.running.discard(target)

    def stop(self, *_):
        self.stopped = True
        for process in list(self.children.values()):
            process.send_signal(signal.SIGINT)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--total", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--endless", action="store_true")
    parser.add_argument("--record", default=RECORD)
    options = parser.parse_intermixed_args()  # targets may stand behind options, as ./dev fuzz gives them
    if unknown := set(options.targets) - set(all_targets()):
        parser.error(f"no target {', '.join(sorted(unknown))}: {', '.join(all_targets())}")
    rotation = Rotation(options)
    signal.signal(signal.SIGTERM, rotation.stop)
    signal.signal(signal.SIGINT, rotation.stop)
    workers = [threading.Thread(target=rotation.work) for _ in range(rotation.options.jobs)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    sys.exit(1 if rotation.found else 0)


main()
