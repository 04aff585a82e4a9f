"""What reports look like: colours on a terminal and only there, no line wider than asked: terminal.py, orrery on the PATH"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import termios

ROOT = pathlib.Path(__file__).resolve().parent.parent
JOB = ["--model", "llama2-7b", "--system", "h100-sxm", "--gpus", "8", "--zero", "1"]
SERVE = ["--model", "llama2-7b", "--system", "h100-sxm", "--input", "200", "--output", "200"]
CHIP = "generated:node=5,memory=hbm3"
ROWS = os.fspath(ROOT / "validation/training_lab_h200.csv")
REPORTS = {  # those that take --width
    "train": ["train", *JOB],
    "train explained": ["train", *JOB, "--explain"],
    "infer": ["infer", *SERVE],
    "infer explained": ["infer", *SERVE, "--explain"],
    "infer, operators": ["infer", *SERVE, "--ops"],
    "search": ["search", "train", *JOB, "--global-batch", "16"],
    "sensitivity": ["sensitivity", "train", *JOB],
    "technology chip": ["technology", "chip", CHIP],
    "technology nodes": ["technology", "nodes", CHIP],
    "technology cost": ["technology", "cost", CHIP],
    "technology study": ["technology", "study", "generations"],
    "validate": ["validate", os.fspath(ROOT / "validation/training.csv")],
    "ablation": ["validate", ROWS, "--ablation"],
}
PLAIN = {"sweep": ["sweep", "train", *JOB, "--vary", "tp=1,2"], "list": ["list"], "show": ["show", "h100-sxm"],
         "help": ["help"]}
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(arguments, columns, **environment):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(["orrery", *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=subprocess.DEVNULL,
                          env={**os.environ, "TERM": "xterm", **environment}) as process:
        os.close(slave)
        pieces = []
        while True:
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(master)
    return b"".join(pieces).decode()


def in_pipe(arguments):
    return subprocess.run(["orrery", *arguments], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                          encoding="utf-8").stdout


def widest(text):
    return max(len(COLOUR.sub("", line.rstrip("\r"))) for line in text.split("\n"))


def cases():
    for name, arguments in {**REPORTS, **PLAIN}.items():
        yield f"{name}: plain in a pipe", "\x1b" not in in_pipe(arguments)
        yield f"{name}: plain with NO_COLOR", "\x1b" not in on_terminal(arguments, 100, NO_COLOR="1")
        yield f"{name}: plain on a dumb terminal", "\x1b" not in on_terminal(arguments, 100, TERM="dumb")
    for name, arguments in REPORTS.items():
        text = on_terminal(arguments, 100)
        if name != "technology cost":  # has nothing to stress
            yield f"{name}: colours on a terminal", "\x1b" in text
        yield f"{name}: as wide as the terminal", widest(text) <= 100
        for width in (60, 80, 132):
            yield f"{name}: --width {width}", widest(in_pipe([*arguments, "--width", str(width)])) <= width


def terminals():
    """Whether this machine has pseudo-terminals: a bare container may not."""
    try:
        master, slave = pty.openpty()
    except OSError:
        return False
    os.close(master)
    os.close(slave)
    return True


os.environ.pop("NO_COLOR", None)
os.environ["ORRERY_DATADIR"] = os.fspath(ROOT)
if terminals():
    n = 0
    for n, (case, good) in enumerate(cases(), 1):
        print(("ok" if good else "not ok"), n, "-", case)
    print(f"1..{n}")
else:
    print("1..0 # SKIP no pseudo-terminals here")
