"""Files of data/ as numbers."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PREFIXES = {"": 1, "f": 1e-15, "p": 1e-12, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "Ki": 2**10,
            "Mi": 2**20, "Gi": 2**30}


def part(kind, name):
    """A file of data/ merged with the files it is based on."""
    given = json.loads((ROOT / "data" / kind / (name + ".json")).read_text(encoding="utf-8"))
    return {**part(kind, given["base"]), **given} if "base" in given else given


def number(value):
    """The SI value of "312 TFLOP/s", "40 MiB" or 0.9."""
    if not isinstance(value, str):
        return float(value)
    digits, prefix = re.match(r"([0-9.e+-]+) *(Ki|Mi|Gi|[fpmkMGT]?)(?:FLOP/s|B/s|J/B|B|J|W|Hz)?$", value).groups()
    return float(digits) * PREFIXES[prefix]


class Machine:
    """The chip, system, calibration and engine of a job, as numbers."""

    def __init__(self, system, engine):
        self.system = {k: number(v) for k, v in part("systems", system).items() if not isinstance(v, list)
                       and k not in ("chip", "sources", "name")}
        chip = part("chips", part("systems", system)["chip"])
        self.chip = {k: number(v) for k, v in chip.items() if k.endswith(("_s", "_sm", "_multicast", "bytes", "_j",
                                                                          "_w", "_byte")) and k != "peak_flops_per_s"}
        self.peak = number(chip["peak_flops_per_s"]["bf16"])
        self.beta, self.n_sm = self.chip["hbm_bytes_per_s"], self.chip["n_sm"]
        self.calibration = part("calibration", chip["calibration"])
        self.u = self.calibration["gemm"]["bf16"]
        self.engine = part("engines", engine)
