// This view shows where the time goes, what fills the memory, and what holds the job back.

import { assumedTable } from '../assumed';
import { boundColour, Chart, stacked } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, h } from '../dom';
import { bytes, change, count, gib, GIB, percent, seconds, words } from '../format';
import type { Nearest, Result } from '../types';
import { mainTime, type Answer, type View } from '../view';

type Part = readonly [name: string, value: number];

/** Makes a key to the colours that is a table of the values as well. */
function key(root: HTMLElement, parts: readonly Part[], total: number, text: (v: number) => string): void {
    fill(
        root,
        ...parts.map(([name, value], i) => {
            const swatch = h('span', { class: 'swatch' });
            swatch.style.background = `var(--s${i % 10})`; // the colour follows the theme
            return h(
                'tr',
                {},
                h('th', { scope: 'row' }, swatch, words(name)),
                h('td', { class: 'number', 'data-value': String(value) }, text(value)),
                h('td', { class: 'number' }, percent(value / total)),
            );
        }),
    );
}

const keyTable = (label: string): [HTMLElement, HTMLElement] => {
    const body = h('tbody');
    return [h('table', { class: 'key', 'aria-label': label }, body), body];
};

/** The nearest measured run in words, with how far off its own prediction is. */
function nearest(run: Nearest | null): string {
    if (!run) return 'none of this kind';
    const where = run.outside ? 'outside what was measured, ' : '';
    return (
        `${where}${run.distance.toFixed(2)} away: ${run.model} on ${run.gpus} × ${run.system}, ${run.engine}, ` +
        `${run.plan} (${run.source}), predicted with ${change(run.error_frac)}`
    );
}

export class Overview implements View {
    readonly id = 'overview';
    readonly label = 'Overview';
    readonly element: HTMLElement;
    private readonly time: Chart;
    private readonly memory: Chart;
    private readonly bounds: Chart;
    private readonly timeKey: HTMLElement;
    private readonly memoryKey: HTMLElement;
    private readonly facts = h('dl', { class: 'facts' });
    private readonly assumed = assumedTable();

    constructor() {
        const [timeTable, timeKey] = keyTable('Time by part');
        const [memoryTable, memoryKey] = keyTable('Memory by part');
        this.timeKey = timeKey;
        this.memoryKey = memoryKey;
        this.time = new Chart('Time', 'orrery-time', { class: 'bar', below: timeTable });
        this.memory = new Chart('Memory of the fullest GPU', 'orrery-memory', { class: 'bar', below: memoryTable });
        this.bounds = new Chart('What holds it', 'orrery-bounds', { class: 'bounds' });
        this.element = h(
            'div',
            { class: 'grid two' },
            this.time.element,
            this.memory.element,
            h(
                'div',
                { class: 'grid column' },
                this.bounds.element,
                h('section', { class: 'panel' }, h('header', {}, h('h3', {}, 'About this prediction')), this.facts),
            ),
            this.assumed.element,
        );
    }

    command = async ({ job }: Answer): Promise<string> => commandLine(job.kind, ...(await jobWords(job)));

    update({ result }: Answer): void {
        this.showTime(result);
        this.showMemory(result);
        this.showBounds(result);
        this.showFacts(result);
        this.assumed.set(result.assumed);
    }

    private showTime(result: Result): void {
        const total = mainTime(result);
        const parts = Object.entries(result.time_s).filter(([, v]) => v > 0);
        this.time.set(
            `Time bar: ${parts.map(([n, v]) => `${words(n)} ${seconds(v)}`).join(', ')}`,
            (colours) =>
                stacked(
                    [result.kind === 'train' ? 'step' : 'batch'],
                    parts.map(([n, v], i) => ({ name: words(n), values: [v], colour: colours.series[i % 10]! })),
                    seconds,
                    colours,
                    { max: total },
                ),
            () => [['part', 'time_s'], ...parts],
        );
        key(this.timeKey, parts, total, seconds);
    }

    private showMemory(result: Result): void {
        const { total = 0, usable = 0, capacity = 0, most: _m, headroom: _h, ...rest } = result.memory_bytes;
        const parts = Object.entries(rest).filter(([, v]) => v > 0);
        this.memory.set(
            `Memory bar: ${bytes(total)} of ${bytes(usable)} usable; ` +
                parts.map(([n, v]) => `${words(n)} ${bytes(v)}`).join(', '),
            (colours) =>
                stacked(
                    ['GPU'],
                    parts.map(([n, v], i) => ({ name: words(n), values: [v / GIB], colour: colours.series[i % 10]! })),
                    gib,
                    colours,
                    {
                        max: (Math.max(total, capacity) / GIB) * 1.08,
                        marks: [{ name: `capacity ${bytes(capacity)}`, at: capacity / GIB }],
                    },
                ),
            () => [['part', 'bytes'], ...parts],
        );
        key(this.memoryKey, parts, total, bytes);
    }

    private showBounds(result: Result): void {
        const shares: readonly (readonly [string, Record<string, number>])[] =
            result.kind === 'train'
                ? [['step', result['bound_share'] as Record<string, number>]]
                : [
                      ['prefill', result['prefill_bound_frac'] as Record<string, number>],
                      ['decode', result['decode_bound_frac'] as Record<string, number>],
                  ];
        const names = Object.keys(shares[0]![1]);
        this.bounds.height(shares.length > 1 ? 150 : 110);
        this.bounds.set(
            'Shares by resource: ' +
                shares.map(([row, s]) => `${row} ${names.map((n) => `${n} ${percent(s[n])}`).join(', ')}`).join('; '),
            (colours, width_px) =>
                stacked(
                    shares.map(([row]) => row),
                    names.map((n) => ({
                        name: n === 'l2' ? 'L2' : n === 'dram' ? 'DRAM' : n,
                        values: shares.map(([, s]) => s[n] ?? 0),
                        colour: boundColour(n, colours),
                    })),
                    percent,
                    colours,
                    { max: 1, legend_px: width_px },
                ),
            () => [['phase', ...names], ...shares.map(([row, s]) => [row, ...names.map((n) => s[n] ?? 0)])],
        );
    }

    private showFacts(result: Result): void {
        const plan = Object.entries(result.request.plan)
            .filter(([, v]) => v !== null && typeof v !== 'object')
            .map(([k, v]) => `${k} ${v}`)
            .join(', ');
        const lines: (readonly [string, string])[] = [
            [
                'Parameters',
                count(result.params_total) +
                    (result.params_active === result.params_total ? '' : `, ${count(result.params_active)} active`),
            ],
            ['Plan', plan],
            ...(result.kind === 'train'
                ? [
                      [
                          'Hardware FLOP',
                          `${percent(Number(result['hfu_frac']))} of the peak, with recomputation, without masked scores`,
                      ] as const,
                      ['Micro-batches', String(result['n_micro_batches'])] as const,
                      ['Peak of memory', `pipeline rank ${result['peak_stage']}: ${result['peak_instant']}`] as const,
                  ]
                : [
                      [
                          'KV cache',
                          `${bytes(Number(result['kv_bytes_per_token']))} per token, ` +
                              `${bytes(Number(result['kv_budget_bytes']))} for it`,
                      ] as const,
                  ]),
            ['Interval from', result.interval_class],
            ['Its width', `${result.interval_from}: ${result.interval_narrowed_by}`],
            ['Nearest measured run', nearest(result.nearest)],
            [
                'Kernels',
                result.trust === 'calibrated'
                    ? 'measured on this chip'
                    : 'datasheet of this chip, kernels of its family',
            ],
        ];
        fill(this.facts, ...lines.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
    }
}
