#!/usr/bin/env python3
"""Draw docs/images/few-shot.svg from `orrery fit --few-shot --csv`: few_shot_figure.py FILE.csv > few-shot.svg

One thin line per stack, the median error over the number of runs; the thick line is the geometric mean of those of one
population.
"""
import csv
import math
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 380, 56, 16, 16, 44
SIZES = [0, 1, 3, 5, 10]
LOW, HIGH = 1.5, 60.0


def x(i):
    return LEFT + i * (WIDTH - LEFT - RIGHT) / (len(SIZES) - 1)


def y(percent):
    share = (math.log(percent) - math.log(LOW)) / (math.log(HIGH) - math.log(LOW))
    return HEIGHT - BOTTOM - min(1, max(0, share)) * (HEIGHT - TOP - BOTTOM)


def line(values, name):
    points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(values))
    return f'<polyline class="{name}" points="{points}"/>'


def main():
    stacks, mixed = {}, set()
    for row in csv.DictReader(open(sys.argv[1], encoding="utf-8")):
        stacks.setdefault((row["source"], row["engine"]), []).append(100 * float(row["median_ape"]))
        if row["two_populations"] == "1":
            mixed.add((row["source"], row["engine"]))
    counted = [s for name, s in stacks.items() if name not in mixed]
    means = [math.exp(sum(math.log(s[i]) for s in counted) / len(counted)) for i in range(len(SIZES))]
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
           'aria-label="Median error over the number of runs">',
           "<style>text{font:12px sans-serif;fill:#55626b}.axis{stroke:#c9cfcc;stroke-width:1}"
           "polyline{fill:none}.stack{stroke:#8fb3c4;stroke-width:1}.mean{stroke:#c2552d;stroke-width:3}"
           "@media(prefers-color-scheme:dark){text{fill:#a4b0b8}.axis{stroke:#343e46}.stack{stroke:#4c7386}}</style>"]
    for tick in (2, 5, 10, 20, 50):
        out.append(f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(tick):.1f}" y2="{y(tick):.1f}"/>')
        out.append(f'<text x="{LEFT - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick} %</text>')
    for i, size in enumerate(SIZES):
        out.append(f'<text x="{x(i):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size}</text>')
    out.append(f'<text x="{(LEFT + WIDTH) / 2}" y="{HEIGHT - 8}" text-anchor="middle">runs of the stack</text>')
    out += [line(values, "stack") for values in stacks.values()] + [line(means, "mean"), "</svg>"]
    print("\n".join(out))


main()
