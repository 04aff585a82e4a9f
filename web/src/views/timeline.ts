// This view shows one step of the pipeline: ranks over time, with every forward and backward of every micro-batch.

import * as api from '../api';
import { axis, Chart, legend, mark, note, type Palette } from '../charts';
import { fill, h } from '../dom';
import { percent, seconds } from '../format';
import type { Span } from '../types';
import type { Answer, View } from '../view';

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
    readonly element: HTMLElement;
    private readonly chart = new Chart('Pipeline timeline', 'orrery-timeline', {
        class: 'tall',
        intro:
            'The beginning of a step; zoom with the bar below, the wheel or two fingers. ' +
            'Numbers are micro-batches, where there is room; fainter blocks belong to later chunks.',
    });
    private readonly empty = h('p', { class: 'empty' });

    constructor() {
        this.element = h('div', { class: 'grid' }, this.empty, this.chart.element);
    }

    async update({ job, request, result }: Answer, signal: AbortSignal): Promise<void> {
        const single =
            job.kind === 'infer'
                ? 'A pipeline timeline belongs to training. The steps of a request: orrery infer --trace FILE.'
                : Number(result.request.plan['pp']) < 2
                  ? 'This plan has one pipeline rank: set PP to 2 or more to see its schedule.'
                  : '';
        this.explain(single);
        if (single) return;
        const all = await api.post<Span[]>('train?dump=timeline', request, signal).catch((error: unknown) => {
            if (signal.aborted || !(error instanceof api.RequestError)) throw error;
            this.explain(`Not drawn: ${error.message}.`); // there are too many blocks
            return undefined;
        });
        if (!all) return;
        const spans =
            all.length > MOST_BLOCKS ? [...all].sort((a, b) => a.start_s - b.start_s).slice(0, MOST_BLOCKS) : all;
        this.draw(spans, spans.length < all.length);
    }

    /** Says why there is no chart; "" means that there is one. */
    private explain(why: string): void {
        fill(this.empty, why);
        this.empty.hidden = !why;
        this.chart.element.hidden = Boolean(why);
    }

    private draw(spans: Span[], cut: boolean): void {
        const ranks = Math.max(...spans.map((s) => s.rank)) + 1;
        const end = Math.max(...spans.map((s) => s.end_s));
        const busy = spans.reduce((sum, s) => sum + s.end_s - s.start_s, 0);
        const chunks = Math.max(...spans.map((s) => s.chunk)) + 1;
        const shown = Math.min(end, (end * BLOCKS_SHOWN * ranks) / spans.length);
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
                    axisLabel: mark(seconds, colours),
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
