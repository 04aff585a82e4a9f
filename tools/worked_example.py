#!/usr/bin/env python3
"""The arithmetic of docs/worked-example.md, worked out a second time: worked_example.py SECTION | --list | --check

SECTION  prints one block of the page; tools/fill_docs.sh puts it there, and its --check compares page and script
--check  compares every number with orrery (taken from the PATH), to 1 part in 1e9; speaks TAP

Everything comes from the files of data/ and the formulas of docs/equations.md. Only --check uses
the program, so that a mistake on either side shows.
"""
import sys

from worked import decode_page, step_page
from worked.decode import Decode
from worked.program import check
from worked.step import Step
from worked.text import numbered

SECTIONS = {"step-" + name: getattr(step_page, "step_" + name) for name in (
    "shapes", "product", "products", "attention", "pointwise", "collectives", "sums", "power", "pipeline", "replicas",
    "result")}
SECTIONS.update({"decode-" + name: getattr(decode_page, "decode_" + name) for name in (
    "shapes", "product", "products", "attention", "pointwise", "result")})


def main():
    if sys.argv[1:] == ["--check"]:
        return check()
    if sys.argv[1:] == ["--list"]:
        print("\n".join(SECTIONS))
        return 0
    section = SECTIONS.get(sys.argv[1]) if len(sys.argv) == 2 else None
    if not section:
        print(__doc__, file=sys.stderr)
        return 2
    job = Step() if sys.argv[1].startswith("step-") else Decode()
    print("\n".join(numbered(line) for line in section(job)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
