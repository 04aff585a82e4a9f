"""The command orrery of a wheel: the program that the wheel contains, with the measurements beside it."""

import os
import pathlib
import sys


def main() -> None:
    here = pathlib.Path(__file__).resolve().parent
    program = here / "bin" / "orrery"
    if not program.exists():
        sys.exit("orrery: this package was not installed from a wheel, which contains the program; "
                 "use the program orrery of the build or of the system")
    os.environ.setdefault("ORRERY_DATADIR", str(here / "share"))
    os.execv(program, [str(program), *sys.argv[1:]])


if __name__ == "__main__":
    main()
