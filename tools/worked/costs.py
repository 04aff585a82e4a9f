"""The seconds of one operator, by the formulas of docs/equations.md."""
import math

TILES = [(256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (16, 64)]
W = 2  # bytes of a 16-bit element


class Op:
    """One operator: seconds at each level at the burst clock, work, and how it is printed."""

    def __init__(self, name, phase, **given):
        self.name, self.phase = name, phase
        self.flops = self.bytes = self.compute = self.l2 = self.dram = self.launch = self.network = self.hidden = 0
        self.dram_bytes = self.link_bytes = self.matrix = 0
        self.text = ""
        self.__dict__.update(given)

    def seconds(self, clock=1):
        """Eq. 25; the power limit stretches compute (Eq. 105). A collective counts its exposed part."""
        if self.network:
            return self.network - self.hidden
        return max(self.compute / clock, self.l2, self.dram) + self.launch

    def bound(self):
        return max(("compute", "l2", "dram"), key=lambda level: getattr(self, level))


def product(at, name, phase, m, k, n, output=W):
    """Eqs. 6, 25-38: every tile and split is priced, and the fastest is taken, of equals that with less work."""
    u, chip = at.u, at.chip
    left, right, written = W * m * k, W * k * n, output * m * n
    if left + right + written <= 0.8 * chip["l2_bytes"]:
        read = left + right
    else:
        side = math.floor(math.sqrt(0.8 * chip["l2_bytes"] / (3 * W)))
        read = left * math.ceil(n / side) + right * math.ceil(m / side)
    best = None
    for tile_m, tile_n in TILES:
        delta = 1 + u["tile_cost"] * (1 / tile_m + 1 / tile_n - 1 / 256 - 1 / 128)
        rows, columns = math.ceil(m / tile_m), math.ceil(n / tile_n)
        for split in (1, 2, 4):
            if split > 1 and k < 256 * split:
                continue
            depth, partial = 64 * math.ceil(k / (64 * split)), 8 * split * m * n if split > 1 else 0
            full = rows * columns * split / at.n_sm
            waves = math.ceil(full)
            sm = at.peak / at.n_sm
            compute = 2 * tile_m * tile_n * depth * delta * max(
                waves / (sm * max(u.get("sm_frac", 0), u["burst_frac"])), full / (sm * u["burst_frac"]))
            compute += waves * u["wave_s"]
            cached = (left * columns + right * rows) / chip["l2_multicast"] + written + partial
            l2 = cached / (chip["l2_bytes_per_s"] * at.calibration["l2_frac"])
            dram = ((read + partial + u["dram_ramp_bytes"]) / (at.beta * u["dram_frac"]) +
                    written / (at.beta * at.calibration["write_frac"]))
            launch = u["launch_s"] + (2e-6 if split > 1 else 0)
            op = Op(name, phase, flops=2 * m * k * n, bytes=left + right + written, compute=compute, l2=l2, dram=dram,
                    launch=launch, dram_bytes=read + written + partial, tile=f"{tile_m}x{tile_n}", split=split,
                    full=full, waves=waves, delta=delta, depth=depth, partial=partial, read=read, written=written,
                    cached=cached, shape=(m, k, n), matrix=2 * m * k * n / (at.peak * u["burst_frac"]))
            if best is None or (op.seconds(), op.compute) < (best.seconds(), best.compute):
                best = op
    return best


def linear(at, name, m, k, n):
    """Eq. 12: forward, gradient of the input, gradient of the weights into a 4-byte accumulator."""
    accumulator = 2 * at.engine["gradient_bytes"]
    return [product(at, name, "forward", m, k, n), product(at, name + ".dgrad", "backward", m, n, k),
            product(at, name + ".wgrad", "backward", k, m, n, accumulator)]


def flash(at, name, phase, batch, queries, keys, head, pairs):
    """Eqs. 42-46 for one kernel generation; d_qk = d_v, causal."""
    u, backward = at.calibration["attention"]["flash2"], phase == "backward"
    frac, half = (u["backward_frac"], u["backward_half_seq"]) if backward else (u["forward_frac"], u["forward_half_seq"])
    flops = 2 * pairs * head * (5 if backward else 2)
    blocks = batch * math.ceil(queries / 128)
    walk_ratio = keys * queries * batch / pairs
    walks = blocks * (keys + half) / (walk_ratio * keys + half)
    tail = u["tail"] * at.n_sm / walks if blocks > at.n_sm else 0
    compute = flops * (1 + half / keys) / (at.peak * frac) * (max(1, at.n_sm / walks) + tail)
    operands = W * 2 * head * batch * (queries + keys)
    moved = 2 * operands + 8 * batch * queries * (1 + head) if backward else operands + 4 * batch * queries
    return Op(name, phase, flops=flops, bytes=moved, dram_bytes=moved, compute=compute,
              dram=moved / (at.beta * at.u["dram_frac"]), launch=u["launch_s"], blocks=blocks, walks=walks, tail=tail,
              pairs=pairs, frac=frac, half=half, matrix=flops / (at.peak * at.u["burst_frac"]))


def pointwise(at, name, phase, kind, moved, launches=1, floor=0):
    """Eq. 40, with the least time of a kernel as lower bound."""
    dram = moved / (at.beta * at.calibration["pointwise_frac"][kind])
    launch = launches * at.calibration["pointwise_launch_s"]
    return Op(name, phase, bytes=moved, dram_bytes=moved, dram=dram, launch=max(launch, floor - dram), kind=kind,
              launches=launches)


def efficiency(line, ranks):
    return line["efficiency_frac"][line["ranks"].index(ranks)]


def collective(at, name, phase, kind, ranks, payload, overlap=0):
    """Eqs. 49-55 inside a domain: the fastest line of the calibration; Eqs. 64, 65 for what is hidden."""
    best = None
    for line in at.calibration["lines"]:
        if line["collective"] != kind or line.get("custom") or line["algorithm"] != "ring":
            continue
        rounds = 2 if kind == "allreduce" else 1
        wire = rounds * (ranks - 1) / ranks * payload
        rate = at.system["scaleup_bytes_per_s"] * efficiency(line, ranks)
        seconds = line["base_s"] + rounds * (ranks - 1) * line["hop_s"] + wire / rate
        if best is None or seconds < best.network:
            best = Op(name, phase, network=seconds, payload=payload, link_bytes=wire, kind=kind, line=line,
                      eta=efficiency(line, ranks), hops=rounds * (ranks - 1))
    best.hidden = best.network * overlap * (1 - at.calibration["overlap_contention_frac"])
    return best
