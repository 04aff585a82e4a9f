"""The seconds that a call of orrery.train adds to the C function it calls: python3 python_overhead.py

The C function is replaced by one that does nothing, so that the rest is the time of Python: arguments to JSON, the
call, and the result with one number read. The least of many loops counts, because the machine may have other work.
"""

import ctypes
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))
import orrery  # noqa: E402

LOOPS, CALLS = 200, 100


def call() -> float:
    return orrery.train("gpt3-175b", "a100-80g-sxm", gpus=64, tp=8, pp=8, vpp=3, micro_batch=1, global_batch=64,
                        recompute="full", engine="megatron-lm-2022").step_time_s


def main() -> None:
    assert call() > 0
    library = orrery._library.lib
    nothing = ctypes.CDLL(None).getpid
    nothing.argtypes, nothing.restype = library.orr_session_ask.argtypes, None
    library.orr_session_ask = nothing
    least = float("inf")
    for _ in range(LOOPS):
        start = time.perf_counter()
        for _ in range(CALLS):
            call()
        least = min(least, (time.perf_counter() - start) / CALLS)
    print(f"{least:.3g}")


main()
