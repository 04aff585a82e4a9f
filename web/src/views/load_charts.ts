// The pictures of a service under load.

import { axis, ending, legend, mark, marks, note, type Palette } from '../charts';
import { digits, percent, rate, seconds, si } from '../format';
import type { Served, ServedRequest } from './load_types';

export const NAMES: Record<string, string> = {
    ttft_s: 'First token',
    tpot_s: 'Next tokens',
    itl_s: 'Gap between tokens',
    latency_s: 'Whole answer',
    queue_s: 'Waiting in line',
};
const DRAWN = ['ttft_s', 'tpot_s', 'latency_s'];

const named = (colours: Palette, name: string, nameGap: number, more: Record<string, unknown>) =>
    axis(colours, { name, nameLocation: 'middle', nameGap, ...more });

export interface Limit {
    kind: string;
    stat: string;
    limit_s: number;
}

/** Reads "ttft_s.p99<=1 s", as the answer spells limits. */
export function limitOf(text: string): Limit | undefined {
    const match = /^(\w+)\.(\w+)<=([-+.0-9e]+) s$/.exec(text);
    return match ? { kind: match[1]!, stat: match[2]!, limit_s: Number(match[3]) } : undefined;
}

/** The share of requests that take at most a time, with the limits as marks. */
export function shares(served: Served, limits: readonly Limit[], colours: Palette, width_px: number) {
    const all = served.detail!.shares;
    const drawn = DRAWN.filter((key) => all[key]?.some((v) => v > 0));
    const names = legend(
        drawn.map((k) => NAMES[k]!),
        width_px,
        colours,
    );
    const longest = Math.max(...drawn.map((key) => all[key]!.at(-1)!));
    return {
        legend: names.option,
        grid: { left: 58, right: 20, top: names.height + 22, bottom: 46 },
        tooltip: {
            trigger: 'item',
            formatter: (p: { seriesName: string; value: [number, number] }) =>
                note(p.seriesName, [[`${percent(p.value[1])} of requests`, `at most ${seconds(p.value[0])}`]]),
        },
        xAxis: named(colours, 'time', 28, { type: 'log', axisLabel: mark(seconds, colours) }),
        yAxis: axis(colours, { type: 'value', min: 0, max: 1, axisLabel: mark(percent, colours) }),
        series: drawn.map((key, i) => ({
            type: 'line',
            name: NAMES[key],
            symbolSize: 5,
            showSymbol: false,
            itemStyle: { color: colours.series[i] },
            lineStyle: { color: colours.series[i], width: 2 },
            data: all[key]!.map((v, j) => [v, j / (all[key]!.length - 1)]).filter(([v]) => v! > 0),
            markLine: {
                symbol: 'none',
                silent: true,
                lineStyle: { color: colours.series[i], type: 'dashed', width: 1.2 },
                label: { color: colours.soft, fontSize: 11, formatter: (p: { name: string }) => p.name },
                data: limits.filter((l) => l.kind === key).map((l) => ({
                    name: `${l.stat} ≤ ${seconds(l.limit_s)}`,
                    xAxis: l.limit_s,
                    // A limit beyond every request ends the axis: its words go to the left of the line.
                    label: { align: l.limit_s >= longest ? 'right' : 'center' },
                })),
            },
        })),
    };
}

/** Batch, queue and cache of a replica over the run. */
export function overTime(served: Served, colours: Palette, width_px: number) {
    const { width_s, decoding, waiting, kv_used_frac } = served.detail!.series;
    const names = legend(['decoding', 'waiting', 'cache used'], width_px, colours);
    const line = (name: string, values: readonly (number | null)[], i: number, right = false) => ({
        type: 'line',
        name,
        yAxisIndex: right ? 1 : 0,
        showSymbol: false,
        symbolSize: 5,
        itemStyle: { color: colours.series[i] },
        lineStyle: { color: colours.series[i], width: 1.6 },
        data: values.map((v, j) => [(j + 0.5) * width_s, v]),
    });
    return {
        legend: names.option,
        grid: { left: 68, right: 58, top: names.height + 12, bottom: 46 },
        tooltip: {
            trigger: 'axis',
            formatter: (all: { seriesName: string; value: [number, number | null] }[]) =>
                note(
                    seconds(all[0]?.value[0] ?? 0),
                    all.map((p) => {
                        const v = p.value[1];
                        const text = v === null ? '–' : p.seriesName === 'cache used' ? percent(v) : digits(v);
                        return [p.seriesName, text] as const;
                    }),
                ),
        },
        xAxis: named(colours, 'time of the run', 28, {
            type: 'value',
            max: width_s * decoding.length,
            ...marks(width_px),
            axisLabel: { ...mark((v) => `${rate(v)} s`, colours), ...ending(width_px) },
        }),
        yAxis: [
            named(colours, 'requests of a replica', 48, { type: 'value', min: 0 }),
            axis(colours, {
                type: 'value',
                min: 0,
                max: 1,
                splitLine: { show: false },
                axisLabel: mark(percent, colours),
            }),
        ],
        series: [line('decoding', decoding, 0), line('waiting', waiting, 2), line('cache used', kv_used_frac, 3, true)],
    };
}

export interface LoadPoint {
    /** The load in words, "4 requests/s" or "32 users". */
    name: string;
    served: Served;
    asked: boolean;
}

/** First and next token over the throughput of a GPU, for several loads. */
export function curve(points: readonly LoadPoint[], limits: readonly Limit[], colours: Palette, width_px: number) {
    const lines = [
        ['First token, p99', 'ttft_s', 'p99'],
        ['Next tokens, p95', 'tpot_s', 'p95'],
    ] as const;
    const names = legend(
        lines.map(([name]) => name),
        width_px,
        colours,
    );
    return {
        legend: names.option,
        grid: { left: 70, right: 24, top: names.height + 12, bottom: 46 },
        tooltip: {
            trigger: 'item',
            formatter: (p: { data: { point?: LoadPoint } }) => {
                const point = p.data.point;
                if (!point) return '';
                const { ttft_s, tpot_s, output_tokens_per_s_per_gpu: tokens } = point.served;
                return note(point.name, [
                    ['first token, p50 and p99', `${seconds(ttft_s.p50)}, ${seconds(ttft_s.p99)}`],
                    ['next tokens, p50 and p95', `${seconds(tpot_s.p50)}, ${seconds(tpot_s.p95)}`],
                    ['tokens/s per GPU', rate(tokens)],
                    ['tokens/s per user', rate(1 / tpot_s.p50)],
                    ['per million tokens', `$${digits(point.served.cost_usd_per_million_output_tokens)}`],
                ]);
            },
        },
        xAxis: named(colours, 'output tokens/s per GPU', 28, { type: 'value', axisLabel: mark(rate, colours) }),
        yAxis: axis(colours, { type: 'log', axisLabel: mark(seconds, colours) }),
        series: lines.map(([name, kind, stat], i) => ({
            type: 'line',
            name,
            itemStyle: { color: colours.series[i === 0 ? 0 : 2] },
            lineStyle: { color: colours.series[i === 0 ? 0 : 2], width: 2 },
            data: points.map((point) => ({
                value: [point.served.output_tokens_per_s_per_gpu, point.served[kind][stat]],
                symbol: 'circle',
                symbolSize: point.asked ? 14 : 7,
                point,
            })),
            markLine: {
                symbol: 'none',
                silent: true,
                lineStyle: { color: colours.series[i === 0 ? 0 : 2], type: 'dashed', width: 1.2 },
                label: { show: false },
                data: limits.filter((l) => l.kind === kind).map((l) => ({ yAxis: l.limit_s })),
            },
        })),
    };
}

interface RenderApi {
    value(dimension: number): number;
    coord(point: [number, number]): [number, number];
    size(of: [number, number]): [number, number];
}

/** What happens to single requests: the line, the prompt, the answer. */
export function requestTimeline(requests: readonly ServedRequest[], colours: Palette, width_px: number) {
    const parts = [
        ['waiting', colours.series[7]!, (r: ServedRequest) => [r.arrival_s, r.start_s]],
        ['prompt', colours.series[0]!, (r: ServedRequest) => [r.start_s, r.first_s]],
        ['answer', colours.series[3]!, (r: ServedRequest) => [r.first_s, r.finish_s]],
    ] as const;
    const names = legend(
        parts.map(([name]) => name),
        width_px,
        colours,
    );
    const [from, to] = [Math.min(...requests.map((r) => r.arrival_s)), Math.max(...requests.map((r) => r.finish_s))];
    return {
        legend: names.option,
        grid: { left: 58, right: 20, top: names.height + 8, bottom: 66 },
        tooltip: {
            trigger: 'item',
            formatter: (p: { data: { request: ServedRequest } }) => {
                const r = p.data.request;
                return note(`Request ${r.id}: ${r.input_len} → ${r.output_len} tokens`, [
                    ['arrives at', seconds(r.arrival_s)],
                    ['waits', seconds(r.start_s - r.arrival_s)],
                    ['first token after', seconds(r.first_s - r.arrival_s)],
                    ['then per token', si((r.finish_s - r.first_s) / Math.max(1, r.output_len - 1), 's')],
                    ['whole answer', seconds(r.finish_s - r.arrival_s)],
                    ...(r.preemptions ? [['preempted', String(r.preemptions)] as const] : []),
                ]);
            },
        },
        xAxis: axis(colours, {
            type: 'value',
            min: from,
            max: to,
            axisLabel: { ...mark(seconds, colours), ...ending(width_px), showMinLabel: from === 0 },
        }),
        yAxis: named(colours, 'requests by arrival', 38, {
            type: 'category',
            inverse: true,
            data: requests.map((r) => String(r.id)),
            splitLine: { show: false },
        }),
        dataZoom: [
            { type: 'inside', filterMode: 'weakFilter' },
            {
                type: 'slider',
                height: 18,
                bottom: 10,
                filterMode: 'weakFilter',
                showDataShadow: false,
                labelFormatter: (v: number) => seconds(v),
                textStyle: { color: colours.soft },
                borderColor: colours.line,
                fillerColor: `${colours.series[0]}33`,
            },
        ],
        series: parts.map(([name, colour, span]) => ({
            type: 'custom',
            name,
            z: name === 'prompt' ? 3 : 2, // a prompt is short beside its answer
            itemStyle: { color: colour },
            clip: true,
            encode: { x: [0, 1], y: 2 },
            data: requests.map((r, i) => ({ value: [...span(r), i], request: r })),
            renderItem: (_: unknown, at: RenderApi) => {
                const [x, y] = at.coord([at.value(0), at.value(2)]);
                const right = at.coord([at.value(1), at.value(2)])[0];
                const height = Math.max(2, at.size([0, 1])[1] * 0.72);
                const width = Math.max(name === 'prompt' ? 2 : 0.5, right - x); // a short prompt can still be seen
                return { type: 'rect', shape: { x, y: y - height / 2, width, height }, style: { fill: colour } };
            },
        })),
    };
}
