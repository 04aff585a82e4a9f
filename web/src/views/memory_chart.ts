// Memory of the fullest pipeline rank over a step: what is always there, and saved inputs as the schedule keeps them.

import { axis, ending, legend, mark, note, type Palette } from '../charts';
import { bytes, GIB, gib, seconds, words } from '../format';
import type { Span } from '../types';

/** A tensor of the memory ledger (docs/json.md, dump of memory). */
export interface Tensor {
    name: string;
    part: string;
    lifetime: string;
    bytes: number;
    at_peak: boolean;
}

export interface MemoryCurve {
    /** Bytes by part that are there all the time. */
    always: [string, number][];
    /** Times at which the rest changes, with saved inputs and what a backward needs besides. */
    steps: { time_s: number; saved: number; working: number }[];
    peak_bytes: number;
}

/** Returns [time, +1 or -1] of the events that a rank's blocks cause, in order. */
function changes(spans: readonly Span[], last: ReadonlyMap<string, number>): [number, number, number][] {
    const unit = (s: Span) => `${s.chunk}/${s.micro_batch}`;
    return spans
        .flatMap((s): [number, number, number][] => {
            if (s.name === 'F') return [[s.start_s, 1, 0]];
            const ends = last.get(unit(s)) === s.end_s ? -1 : 0;
            return s.name === 'B'
                ? [
                      [s.start_s, 0, 1],
                      [s.end_s, ends, -1],
                  ]
                : [[s.end_s, ends, 0]];
        })
        .sort((a, b) => a[0] - b[0] || a[1] + a[2] - b[1] - b[2]);
}

/**
 * Follows the saved inputs of a rank through its schedule. The ledger has their bytes at the fullest moment, so that an
 * input weighs that sum over the most that are alive at once.
 */
export function memoryCurve(all: readonly Span[], tensors: readonly Tensor[], rank: number): MemoryCurve {
    const spans = all.filter((s) => s.rank === rank);
    const last = new Map<string, number>();
    for (const s of spans)
        if (s.name !== 'F') {
            const unit = `${s.chunk}/${s.micro_batch}`;
            last.set(unit, Math.max(last.get(unit) ?? 0, s.end_s));
        }
    const sum = (keep: (t: Tensor) => boolean) => tensors.filter(keep).reduce((n, t) => n + t.bytes, 0);
    const fixed = (t: Tensor) => t.at_peak && t.part !== 'activations';
    const parts = [...new Set(tensors.filter(fixed).map((t) => t.part))];
    const saved = sum((t) => t.at_peak && t.part === 'activations' && t.lifetime === 'forward to backward');
    const working = sum((t) => t.at_peak && t.part === 'activations' && t.lifetime !== 'forward to backward');
    const events = changes(spans, last);
    let [alive, most, busy] = [0, 1, 0];
    for (const [, units] of events) most = Math.max(most, (alive += units));
    alive = 0;
    const steps = events.map(([time_s, units, works]) => {
        alive += units;
        busy += works;
        return { time_s, saved: (saved * alive) / most, working: busy > 0 ? working : 0 };
    });
    const always = parts.map((part): [string, number] => [part, sum((t) => fixed(t) && t.part === part)]);
    const base = always.reduce((n, [, part]) => n + part, 0);
    return { always, steps, peak_bytes: base + Math.max(0, ...steps.map((s) => s.saved + s.working)) };
}

export function drawMemory(curve: MemoryCurve, end_s: number, zoom: object[], colours: Palette, width_px: number) {
    const times = [0, ...curve.steps.map((s) => s.time_s), end_s];
    const first = { saved: 0, working: 0 };
    const points = [first, ...curve.steps, curve.steps[curve.steps.length - 1] ?? first];
    const layers: [string, number[]][] = [
        ...curve.always.map(([part, size]): [string, number[]] => [words(part), times.map(() => size)]),
        ['Saved inputs', points.map((p) => p.saved)],
        ['Backward at work', points.map((p) => p.working)],
    ];
    // Layers are added up here: the library stacks by value, and several changes may come at one time.
    const tops = layers.map((_, i) => times.map((__, j) => layers.slice(0, i + 1).reduce((n, [, v]) => n + v[j]!, 0)));
    const names = legend(
        layers.map(([name]) => name),
        width_px,
        colours,
    );
    return {
        legend: { ...names.option, selectedMode: false },
        grid: { left: 64, right: 18, top: names.height + 10, bottom: 30 },
        tooltip: {
            trigger: 'axis',
            formatter: (all: { dataIndex: number }[]) => {
                const j = all[0]?.dataIndex ?? 0;
                return note(seconds(times[j] ?? 0), [
                    ...layers.map(([name, values]) => [name, bytes(values[j]!)] as const),
                    ['in all', bytes(tops[tops.length - 1]![j]!)],
                ]);
            },
        },
        xAxis: axis(colours, { type: 'value', min: 0, max: end_s, axisLabel: { ...mark(seconds, colours), ...ending(width_px) } }),
        yAxis: axis(colours, { type: 'value', min: 0, axisLabel: mark(gib, colours) }),
        dataZoom: zoom,
        series: layers.map(([name], i) => ({
            type: 'line',
            name,
            step: 'end',
            symbol: 'none',
            z: 2 + layers.length - i,
            itemStyle: { color: colours.series[i % 10] },
            lineStyle: { width: 0 },
            areaStyle: { color: colours.series[i % 10], opacity: 1 },
            data: tops[i]!.map((v, j) => [times[j], v / GIB]),
        })),
    };
}
