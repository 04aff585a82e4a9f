// This view shows one step of the pipeline: ranks over time, with every forward and backward of every micro-batch.

import * as api from '../api';
import { axis, Chart, ending, legend, mark, note, type Palette } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, h } from '../dom';
import { bytes, percent, seconds } from '../format';
import type { Result, Span } from '../types';
import type { Answer, View } from '../view';
import { drawMemory, memoryCurve, type Tensor } from './memory_chart';

const NAMES: Record<string, string> = { F: 'forward', B: 'backward', W: 'weight gradient' };
/** At most this many blocks are drawn; of a longer step, only the beginning is. */
const MOST_BLOCKS = 12_000;
/** At first this many blocks of a rank are in sight, wide enough to read. */
const BLOCKS_SHOWN = 48;

interface RenderApi {
    value(dimension: number): number;
    coord(point: [number, number]): [number, number];
    size(of: [number, number]): [number, number];
}

export class Timeline implements View {
    readonly id = 'timeline';
    readonly label = 'Timeline';
    readonly kinds = ['train'] as const;
    readonly element: HTMLElement;
    private readonly chart: Chart;
    private readonly memory: Chart;
    private readonly empty = h('p', { class: 'empty' });
    private following = false;

    constructor() {
        const button = (text: string, name: string, act: () => void) =>
            h('button', { type: 'button', 'aria-label': name, title: name, onclick: act }, text);
        const controls = h(
            'div',
            { class: 'actions' },
            button('−', 'Zoom out', () => this.scale(2)),
            button('+', 'Zoom in', () => this.scale(0.5)),
            button('◀', 'Earlier', () => this.move(-0.5)),
            button('▶', 'Later', () => this.move(0.5)),
            button('Whole step', 'Show the whole step', () => this.chart.zoom(0, 100)),
        );
        this.chart = new Chart('Pipeline timeline', 'orrery-timeline', {
            class: 'tall',
            controls,
            intro:
                'The beginning of a step; zoom with the buttons, the bar below, the wheel or two fingers. ' +
                'Numbers are micro-batches, where there is room; fainter blocks belong to later chunks.',
        });
        this.memory = new Chart('Memory over time', 'orrery-memory-time', {
            class: 'medium',
            intro:
                'The fullest rank: what is always there, and saved inputs from their forward to their backward, ' +
                'with the sizes of the memory ledger.',
        });
        this.chart.on('datazoom', () => this.follow(this.chart, this.memory));
        this.memory.on('datazoom', () => this.follow(this.memory, this.chart));
        this.element = h('div', { class: 'grid' }, this.empty, this.chart.element, this.memory.element);
    }

    command = async ({ job }: Answer): Promise<string> =>
        commandLine(job.kind, ...(await jobWords(job)), '--dump', 'timeline');

    /** The other chart shows the same part of the step. */
    private follow(from: Chart, to: Chart): void {
        if (this.following) return;
        this.following = true;
        to.zoom(...from.zoomed);
        this.following = false;
    }

    private scale(factor: number): void {
        const [start, end] = this.chart.zoomed;
        const width = Math.min(100, Math.max(0.05, (end - start) * factor));
        const from = Math.min(100 - width, Math.max(0, (start + end - width) / 2));
        this.chart.zoom(from, from + width);
    }

    private move(share: number): void {
        const [start, end] = this.chart.zoomed;
        const from = Math.min(100 - (end - start), Math.max(0, start + share * (end - start)));
        this.chart.zoom(from, from + end - start);
    }

    async update({ request, result }: Answer, signal: AbortSignal): Promise<void> {
        const single = Number(result.request.plan['pp']) < 2;
        this.explain(single ? 'This plan has one pipeline rank: set PP to 2 or more to see its schedule.' : '');
        const [all, tensors] = await Promise.all([
            api.post<Span[]>('train?dump=timeline', request, signal).catch((error: unknown) => {
                if (signal.aborted || !(error instanceof api.RequestError)) throw error;
                this.explain(`Not drawn: ${error.message}.`); // there are too many blocks
                return undefined;
            }),
            api.post<Tensor[]>('train?dump=memory', request, signal),
        ]);
        this.memory.element.hidden = !all;
        if (!all) return;
        const spans =
            all.length > MOST_BLOCKS ? [...all].sort((a, b) => a.start_s - b.start_s).slice(0, MOST_BLOCKS) : all;
        const end = Math.max(...spans.map((s) => s.end_s));
        const ranks = Math.max(...spans.map((s) => s.rank)) + 1;
        const shown = Math.min(end, (end * BLOCKS_SHOWN * ranks) / spans.length);
        if (!single) this.draw(spans, spans.length < all.length, shown);
        this.drawMemory(spans, tensors, result, end, shown);
    }

    private drawMemory(spans: Span[], tensors: Tensor[], result: Result, end: number, shown: number): void {
        const rank = Number(result['peak_stage'] ?? 0);
        const curve = memoryCurve(spans, tensors, rank);
        this.memory.set(
            `Memory of pipeline rank ${rank} over ${seconds(end)}: up to ${bytes(curve.peak_bytes)}, of which ` +
                curve.always.map(([part, n]) => `${part} ${bytes(n)}`).join(', ') +
                ' all the time.',
            (colours, width_px) =>
                drawMemory(curve, end, [{ type: 'inside', filterMode: 'none', endValue: shown }], colours, width_px),
            () => [
                ['time_s', 'saved_bytes', 'working_bytes', ...curve.always.map(([part]) => `${part}_bytes`)],
                ...curve.steps.map((s) => [s.time_s, s.saved, s.working, ...curve.always.map(([, n]) => n)]),
            ],
        );
    }

    /** Says why there is no chart; "" means that there is one. */
    private explain(why: string): void {
        fill(this.empty, why);
        this.empty.hidden = !why;
        this.chart.element.hidden = Boolean(why);
    }

    private draw(spans: Span[], cut: boolean, shown: number): void {
        const ranks = Math.max(...spans.map((s) => s.rank)) + 1;
        const end = Math.max(...spans.map((s) => s.end_s));
        const busy = spans.reduce((sum, s) => sum + s.end_s - s.start_s, 0);
        const chunks = Math.max(...spans.map((s) => s.chunk)) + 1;
        const kinds = [...new Set(spans.map((s) => s.name))];
        this.chart.height(Math.min(720, 130 + 34 * ranks));
        this.chart.set(
            `Timeline of ${ranks} pipeline ranks over ${seconds(end)}${cut ? ', the beginning of the step' : ''}: ` +
                `busy ${percent(busy / (end * ranks))}, waiting ${percent(1 - busy / (end * ranks))}.`,
            (colours, width_px) => ({
                grid: { left: 64, right: 18, top: 30, bottom: 74 },
                legend: legend(
                    kinds.map((k) => NAMES[k] ?? k),
                    width_px,
                    colours,
                ).option,
                xAxis: axis(colours, {
                    type: 'value',
                    min: 0,
                    max: end,
                    axisLabel: { ...mark(seconds, colours), ...ending(width_px) },
                }),
                yAxis: axis(colours, {
                    type: 'category',
                    inverse: true,
                    data: Array.from({ length: ranks }, (_, r) => `rank ${r}`),
                    splitLine: { show: false },
                }),
                dataZoom: [
                    { type: 'inside', filterMode: 'weakFilter', endValue: shown },
                    {
                        type: 'slider',
                        endValue: shown,
                        height: 20,
                        bottom: 10,
                        filterMode: 'weakFilter',
                        labelFormatter: (v: number) => seconds(v),
                        textStyle: { color: colours.soft },
                        borderColor: colours.line,
                        showDataShadow: false,
                        fillerColor: `${colours.series[0]}33`,
                        dataBackground: { areaStyle: { opacity: 0 } },
                        handleStyle: { color: colours.panel, borderColor: colours.soft },
                        moveHandleStyle: { color: colours.soft, opacity: 0.5 },
                    },
                ],
                tooltip: {
                    trigger: 'item',
                    formatter: (p: { data: { span: Span } }) =>
                        note(`${NAMES[p.data.span.name] ?? p.data.span.name}, micro-batch ${p.data.span.micro_batch}`, [
                            ['rank', String(p.data.span.rank)],
                            ['chunk', String(p.data.span.chunk)],
                            ['from', seconds(p.data.span.start_s)],
                            ['takes', seconds(p.data.span.end_s - p.data.span.start_s)],
                        ]),
                },
                series: kinds.map((kind) => ({
                    type: 'custom',
                    name: NAMES[kind] ?? kind,
                    itemStyle: { color: colour(kind, colours) },
                    progressive: 0,
                    clip: true,
                    encode: { x: [0, 1], y: 2 },
                    data: spans
                        .filter((s) => s.name === kind)
                        .map((s) => ({ value: [s.start_s, s.end_s, s.rank, s.chunk, s.micro_batch], span: s })),
                    renderItem: (_: unknown, at: RenderApi) => block(at, colour(kind, colours), chunks, colours),
                })),
            }),
            () => [
                ['name', 'rank', 'chunk', 'micro_batch', 'start_s', 'end_s'],
                ...spans.map((s) => [s.name, s.rank, s.chunk, s.micro_batch, s.start_s, s.end_s]),
            ],
        );
    }
}

const colour = (kind: string, colours: Palette): string => colours.series[kind === 'F' ? 0 : kind === 'B' ? 2 : 1]!;

function block(at: RenderApi, fillColour: string, chunks: number, colours: Palette): object {
    const [x, y] = at.coord([at.value(0), at.value(2)]);
    const width = Math.max(0.6, at.coord([at.value(1), at.value(2)])[0] - x);
    const height = Math.min(26, at.size([0, 1])[1] * 0.8);
    const rect = {
        type: 'rect',
        shape: { x, y: y - height / 2, width, height },
        style: {
            fill: fillColour,
            opacity: 1 - (0.55 * at.value(3)) / Math.max(1, chunks),
            stroke: colours.panel,
            lineWidth: width > 3 ? 0.6 : 0,
        },
    };
    if (width < 18) return rect;
    const number = {
        type: 'text',
        silent: true,
        style: {
            text: String(at.value(4)),
            x: x + width / 2,
            y,
            align: 'center',
            verticalAlign: 'middle',
            fill: colours.ink,
            fontSize: 10,
        },
    };
    return { type: 'group', children: [rect, number] };
}
