"""The time of a call on the GPU, for scripts of this folder that time single calls by events."""
import statistics

import torch


def seconds(call, repeats=20, pause_cycles=0):
    """The median of so many calls, after three that do not count. With a pause on the GPU before each the host gets
    ahead, so that calls of many short kernels are timed without it."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        if pause_cycles > 0:
            torch.cuda._sleep(pause_cycles)
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)
