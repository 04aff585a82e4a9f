#!/usr/bin/env python3
"""Static analysis of every C file of the library, the program and the server, with nothing untriaged:
check_analysis.py analyzer|tidy|cppcheck BUILD_FOLDER [file...]

Findings that tests/analysis.csv explains (tool, file, kind, reason) are counted; any other fails, and so does a row that
explains what is no longer found. A file that gcc's analyzer does not finish in a minute is listed there, too (kind
timeout). What a tool said of a file is kept in BUILD_FOLDER/analysis until the file, a header of it, its options or the
tool change, so that only these are looked at again. Prints TAP.
"""
import concurrent.futures
import csv
import fnmatch
import hashlib
import json
import os
import pathlib
import re
import resource
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = {"analyzer": "gcc", "tidy": "clang-tidy", "cppcheck": "cppcheck"}
SECONDS = 60  # of the processor, for gcc's analyzer and one file
FOUND = re.compile(r"^([^ :]+):(\d+):\d+: (?:warning|error): .*\[(?:CWE-\d+\] \[)?-?W?([a-zA-Z0-9.=,-]+)\]$")


def files_of(build: pathlib.Path, wanted):
    """(path, arguments of the compiler) of every file once."""
    seen = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = os.path.relpath(os.path.join(entry["directory"], entry["file"]), ROOT)
        if path in seen or not re.match(r"(src|cli|server)/", path) or (wanted and path not in wanted):
            continue
        words = [word for word in shlex.split(entry["command"]) if word != "ccache"]
        seen[path] = [word for word in words[1:] if word.startswith(("-I", "-D", "-U", "-std", "-f"))
                      and "prefix-map" not in word and "color" not in word] + ["-D_DEFAULT_SOURCE="]  # strdup
    return seen


def command_of(tool: str, path: str, arguments):
    source = str(ROOT / path)
    if tool == "analyzer":
        return ["gcc", "-O1", "-fanalyzer", "-Wno-analyzer-too-complex", *arguments, "-c", source, "-o", "/dev/null"]
    if tool == "tidy":
        return ["clang-tidy", "--quiet", source, "--", *arguments]
    # The macros of the build choose one configuration; all combinations of them would take hours.
    macros = ["-D__GNUC__=12"] + [word for word in arguments if word.startswith(("-D", "-U"))]
    return ["cppcheck", "--quiet", "--std=c11", "--inline-suppr", "--enable=warning,portability,performance",
            "--template={file}:{line}:1: warning: x [{id}]", *macros, "-I", str(ROOT), "-I", str(ROOT / "include"), "-I",
            str(ROOT / "src"), source]


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


class Analysis:
    def __init__(self, tool: str, build: pathlib.Path):
        self.tool, self.build, self.kept = tool, build, build / "analysis"
        self.kept.mkdir(exist_ok=True)
        version = subprocess.run([PROGRAM[tool], "--version"], capture_output=True, text=True).stdout
        self.salt = version + (ROOT / ".clang-tidy").read_text() + pathlib.Path(__file__).read_text()
        self.n_run = 0

    def key(self, command, arguments, path: str) -> str:
        """What the findings depend on: the file with its headers, the tool and its options."""
        text = subprocess.run(["gcc", "-E", *arguments, str(ROOT / path)], cwd=self.build, capture_output=True).stdout
        return hashlib.sha256(text + "\0".join([self.salt, *command]).encode()).hexdigest()

    def run(self, path: str, arguments) -> list:
        """Findings of one file as (file, kind, line)."""
        command = command_of(self.tool, path, arguments)
        kept = self.kept / f"{self.tool}-{self.key(command, arguments, path)[:32]}"
        if not kept.exists():
            done = subprocess.run(command, cwd=self.build, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL if self.tool == "tidy" else subprocess.STDOUT,
                                  preexec_fn=limit if self.tool == "analyzer" else None, errors="replace")
            late = self.tool == "analyzer" and (done.returncode > 1 or done.returncode < 0 or re.search(
                "Killed|CPU time|terminated signal", done.stdout))
            kept.write_text((f"{ROOT}/{path}:0:0: warning: late [timeout]\n" if late else "") + done.stdout)
            self.n_run += 1
        found = set()
        for line in kept.read_text().splitlines():
            if match := FOUND.match(line):
                name = match[1].removeprefix(f"{ROOT}/").removeprefix("../")
                found.add((name, match[3], int(match[2])))
        return sorted(found)


def unexplained(tool: str, found, whole: bool) -> list:
    """Lines about findings without a row of tests/analysis.csv and, if all files were looked at, rows without one."""
    with open(ROOT / "tests/analysis.csv", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["tool"] == tool]
    used, lines = set(), []
    for path, kind, at in sorted(found):
        known = [i for i, row in enumerate(rows) if fnmatch.fnmatch(path, row["file"]) and row["kind"] == kind]
        used.update(known)
        if not known:
            lines.append(f"{path}:{at}: {kind}")
    if whole:
        lines += [f"tests/analysis.csv explains {row['file']}: {row['kind']}, which {tool} does not find"
                  for i, row in enumerate(rows) if i not in used and row["kind"] != "timeout"]
    return lines


def main():
    tool, build, wanted = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3:]
    start, analysis, files = time.time(), Analysis(tool, build), files_of(build, wanted)
    found = set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for findings in pool.map(lambda item: analysis.run(*item), files.items()):
            found.update(findings)
    lines = unexplained(tool, found, not wanted)
    print(f"{'not ok' if lines else 'ok'} 1 - {tool}: {len(files)} files, {len(found)} findings, none that"
          " tests/analysis.csv does not explain")
    for line in lines:
        print("#", line)
    print(f"# {analysis.n_run} files looked at in {time.time() - start:.0f} s, the others were not changed")
    print("1..1")
    sys.exit(bool(lines))


main()
