// This view shows every operator as a point on the roofline and as a row of a table.

import * as api from '../api';
import { axis, boundColour, Chart, legend, mark, note } from '../charts';
import { commandLine, jobWords } from '../command';
import { h, select } from '../dom';
import { count, digits, percent, seconds, si, tick, words } from '../format';
import { levelBox, placeLabels, type Place } from '../labels';
import { machine, peakOf, type Machine } from '../machine';
import { Table, type Column } from '../table';
import type { Cost, Operator, Result } from '../types';
import { mainTime, type Answer, type App, type View } from '../view';

type Row = Operator & { cost: Cost; spent_s: number; share: number };

/** The sides of both plots and their height in pixels, and the share of it that each takes. */
const PLOT = { left: 84, right: 20, tall: 640, upper: 0.47, lower: 0.27 };
type Range = readonly [number, number];
type Range2 = readonly [Range, Range];
const MATRIX = ['gemm', 'bmm', 'flash'];
const isMatrix = (r: Row): boolean => MATRIX.includes(r.kind);

function shape(r: Row): string {
    if (r.kind === 'collective')
        return `${r.collective ?? ''} over ${r.group ?? ''}, ${si(r.payload_bytes ?? r.bytes, 'B')}`;
    if (!r.m) return `${r.pointwise ?? r.kind}, ${si(r.bytes, 'B')}`;
    return `${(r.batch ?? 1) > 1 ? `${r.batch} × ` : ''}${r.m} × ${r.n} × ${r.k} ${r.dtype ?? ''}`;
}

/** Writes how the time of one execution comes about, with its numbers. */
function formula(c: Cost): string {
    const rates = (
        [
            ['compute', c.compute_s],
            ['L2', c.l2_s],
            ['DRAM', c.dram_s],
            ['network', c.network_s],
        ] as const
    )
        .filter(([, s]) => s > 0)
        .map(([n, s]) => `${n} ${seconds(s)}`);
    const work = rates.length > 1 ? `max(${rates.join(', ')})` : (rates[0] ?? '0');
    const launch = c.launch_s > 0 ? ` + launch ${seconds(c.launch_s)}` : '';
    const hidden = c.hidden_s > 0 ? ` − hidden ${seconds(c.hidden_s)}` : '';
    return `${work}${launch}${hidden} = ${seconds(c.total_s)}`;
}

/** Returns the powers of ten around values, at least one decade apart. */
function decades(values: readonly number[]): [number, number] {
    const low = Math.floor(Math.log10(Math.min(...values)) + 1e-9);
    return [10 ** low, 10 ** Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values)) - 1e-9))];
}

const boundName = (bound: string): string => `${words(bound)}-bound`;
const moved = (r: Row): number => r.cost.dram_bytes || r.bytes;
const COLUMNS: Column<Row>[] = [
    { label: 'Operator', value: (r) => r.name },
    { label: 'Phase', value: (r) => r.phase },
    { label: 'Batch', value: (r) => r.batch || undefined },
    { label: 'm', value: (r) => r.m || undefined },
    { label: 'n', value: (r) => r.n || undefined },
    { label: 'k', value: (r) => r.k || undefined },
    {
        label: 'Runs',
        value: (r) => r.cost.runs,
        show: (r) => count(r.cost.runs),
        title: 'executions on the critical rank',
    },
    { label: 'Each', value: (r) => r.time_s, show: (r) => seconds(r.time_s) },
    { label: 'In all', value: (r) => r.spent_s, show: (r) => seconds(r.spent_s) },
    { label: 'Share', value: (r) => r.share, show: (r) => percent(r.share) },
    {
        label: 'TFLOP/s',
        value: (r) => r.flops / r.time_s / 1e12,
        show: (r) => (r.flops ? digits(r.flops / r.time_s / 1e12) : '–'),
    },
    {
        label: 'FLOP/byte',
        value: (r) => r.flops / moved(r),
        show: (r) => (r.flops ? digits(r.flops / moved(r)) : '–'),
    },
    { label: 'Bound', value: (r) => r.bound, show: (r) => words(r.bound) },
    {
        label: 'Tile',
        value: (r) =>
            r.cost.tile_m
                ? `${r.cost.tile_m}×${r.cost.tile_n}${(r.cost.split_k ?? 1) > 1 ? ` /${r.cost.split_k}` : ''}`
                : r.cost.algorithm,
        title: 'tile and split-k of a product, algorithm of a collective',
    },
];

export class Operators implements View {
    readonly id = 'operators';
    readonly label = 'Roofline';
    readonly element: HTMLElement;
    private readonly roof = new Chart('Roofline', 'orrery-roofline', {
        class: 'tall',
        intro:
            'Every operator of one GPU. Above: those with FLOP, under the ceilings of the chip. ' +
            'Below: those without, by what they move. The larger, the more of the time.',
    });
    private readonly table: Table<Row>;
    private rows: Row[] = [];
    private readonly filter: HTMLElement;

    constructor(private readonly app: App) {
        this.filter = select(
            'Show',
            [
                ['matrix', 'matrix products'],
                ['memory', 'memory-bound kernels'],
                ['network', 'collectives'],
                ['all', 'all operators'],
            ],
            app.option('ops.show', 'matrix'),
            (v) => {
                app.setOption('ops.show', v);
                this.fillTable();
            },
        );
        this.table = new Table<Row>('Operators', 'orrery-operators', COLUMNS, {
            controls: this.filter,
            sort: 8,
            down: true,
        });
        this.element = h('div', { class: 'grid' }, this.roof.element, this.table.element);
    }

    restore(): void {
        this.filter.querySelector('select')!.value = this.app.option('ops.show', 'matrix');
    }

    command = async ({ job }: Answer): Promise<string> =>
        commandLine(job.kind, ...(await jobWords(job)), '--dump', 'costs');

    async update({ job, request, result }: Answer, signal: AbortSignal): Promise<void> {
        const [ops, costs, chip] = await Promise.all([
            api.post<Operator[]>(`${job.kind}?dump=ops`, request, signal),
            api.post<Cost[]>(`${job.kind}?dump=costs`, request, signal),
            machine(job.system).catch(() => undefined),
        ]);
        const total = mainTime(result);
        this.rows = ops
            .map((op, i) => {
                const cost = costs[i]!;
                const spent_s = cost.step_s ?? cost.request_s ?? 0;
                return { ...op, cost, spent_s, share: spent_s / total };
            })
            .filter((r) => r.cost.runs > 0);
        this.fillTable();
        this.draw(result, chip, job.factors);
    }

    private fillTable(): void {
        const show = this.app.option('ops.show', 'matrix');
        this.table.set(
            this.rows.filter(
                (r) =>
                    show === 'all' ||
                    (show === 'matrix'
                        ? isMatrix(r)
                        : show === 'network'
                          ? r.kind === 'collective'
                          : !isMatrix(r) && r.kind !== 'collective'),
            ),
        );
    }

    private draw(result: Result, chip: Machine | undefined, factors: Record<string, number>): void {
        const workload = result.request.workload;
        const format = String(workload['matrix_precision'] ?? workload['precision']);
        const peak = chip ? peakOf(chip, format) * (factors['flops'] ?? 1) : NaN;
        const hbm = (chip?.numbers['chip.hbm_bytes_per_s'] ?? NaN) * (factors['hbm'] ?? 1);
        const links = (chip?.numbers['system.scaleup_bytes_per_s'] ?? NaN) * (factors['nvlink'] ?? 1);
        const counted = this.rows.filter((r) => r.flops > 0);
        const others = this.rows.filter((r) => r.flops === 0 && r.bytes > 0);
        const ridge = peak / hbm;
        const xs = counted.map((r) => r.flops / moved(r)).concat(Number.isFinite(ridge) ? [ridge] : []);
        const ys = counted.map((r) => r.flops / r.time_s).concat(Number.isFinite(peak) ? [peak] : []);
        const flopsPerByte = decades(xs);
        const flopsPerS = decades(ys);
        const sizes = decades(others.length > 0 ? others.map((r) => r.bytes) : [1e6]);
        const bytesPerS = decades(
            [...others.map((r) => r.bytes / r.time_s), hbm, links].filter((v) => Number.isFinite(v) && v > 0),
        );
        const levels: { [plot in 'upper' | 'lower']: [string, number][] } = {
            upper: [[`${si(peak, 'FLOP/s')} ${format}`, peak]],
            lower: [
                [`HBM ${si(hbm, 'B/s')}`, hbm],
                [`scale-up ${si(links, 'B/s')}`, links],
            ],
        };
        const title = (r: Row) => (result.kind === 'infer' ? `${r.name}, ${r.phase}` : r.name);
        const bounds = [...new Set(this.rows.map((r) => r.bound))].sort();
        const busiest = [...counted].sort((a, b) => b.spent_s - a.spent_s)[0];
        this.roof.set(
            `Roofline of ${counted.length} operators with FLOP under ${si(peak, 'FLOP/s')} and ` +
                `${si(hbm, 'B/s')}, and ${others.length} without` +
                (busiest ? `; most time in ${busiest.name}, bound by ${busiest.bound}` : '') +
                '. The table of operators has the numbers.',
            (colours, width_px) => {
                const names = legend(bounds.map(boundName), width_px, colours);
                const size = (r: Row) => 7 + 26 * Math.sqrt(Math.max(0, r.share));
                const wide = width_px - PLOT.left - PLOT.right;
                const labels = new Map<Row, Place | undefined>();
                const name = (
                    rows: Row[],
                    at: (r: Row) => [number, number],
                    box: Range2,
                    high_px: number,
                    lines: [string, number][],
                ) => {
                    const along = (v: number, [from, to]: Range) => Math.log(v / from) / Math.log(to / from);
                    const busy = [...rows].sort((a, b) => b.spent_s - a.spent_s);
                    const marks = busy.map((r) => ({
                        x: wide * along(at(r)[0], box[0]),
                        y: high_px * (1 - along(at(r)[1], box[1])),
                        radius: size(r) / 2,
                        text: title(r),
                    }));
                    const reserved = lines
                        .filter(([, level]) => Number.isFinite(level))
                        .map(([words, level]) => levelBox(words, high_px * (1 - along(level, box[1])), wide));
                    placeLabels(marks, wide, high_px, reserved).forEach((place, i) => labels.set(busy[i]!, place));
                };
                const high_px = PLOT.upper * PLOT.tall;
                const arithmetic = (r: Row): [number, number] => [r.flops / moved(r), r.flops / r.time_s];
                const traffic = (r: Row): [number, number] => [r.bytes, r.bytes / r.time_s];
                name(counted, arithmetic, [flopsPerByte, flopsPerS], high_px, levels.upper);
                name(others, traffic, [sizes, bytesPerS], PLOT.lower * PLOT.tall, levels.lower);
                const [low, high] = flopsPerByte;
                const [small, large] = sizes;
                const points = (rows: Row[], bound: string, top: boolean) => ({
                    type: 'scatter',
                    name: boundName(bound),
                    z: 3, // labels over the lines of the ceilings
                    xAxisIndex: top ? 0 : 1,
                    yAxisIndex: top ? 0 : 1,
                    itemStyle: { color: boundColour(bound, colours), opacity: 0.8, borderColor: colours.panel },
                    label: { color: colours.soft, fontSize: 11, textBorderColor: colours.panel, textBorderWidth: 3 },
                    data: rows
                        .filter((r) => r.bound === bound)
                        .map((r) => ({
                            value: (top ? arithmetic : traffic)(r),
                            symbolSize: size(r),
                            row: r,
                            label: { show: Boolean(labels.get(r)), ...labels.get(r), formatter: () => title(r) },
                        })),
                });
                const ceiling = (name: string, data: number[][], top: boolean, dash = false) => ({
                    type: 'line',
                    name,
                    xAxisIndex: top ? 0 : 1,
                    yAxisIndex: top ? 0 : 1,
                    symbol: 'none',
                    silent: true,
                    lineStyle: { color: colours.soft, width: 1.5, type: dash ? 'dashed' : 'solid' },
                    data,
                    endLabel: {
                        show: true,
                        formatter: name,
                        color: colours.soft,
                        fontSize: 11,
                        textBorderColor: colours.panel,
                        textBorderWidth: 3,
                        align: 'right',
                        verticalAlign: 'bottom',
                        offset: [-4, -2],
                    },
                    tooltip: { show: false },
                });
                const log = (more: Record<string, unknown>) =>
                    axis(colours, { type: 'log', minorSplitLine: { show: false }, nameLocation: 'middle', ...more });
                /** Where there is little room, every second power of ten has a name. */
                const sparse = (v: number) =>
                    wide < 420 && Math.round(Math.log10(v)) % 2 !== 0 ? '' : tick(si(v, 'B'));
                const label = (unit: string) => mark((v) => si(v, unit), colours);
                return {
                    legend: names.option,
                    grid: [
                        { left: PLOT.left, right: PLOT.right, top: names.height + 14, height: high_px },
                        { left: PLOT.left, right: PLOT.right, bottom: 46, height: PLOT.lower * PLOT.tall },
                    ],
                    xAxis: [
                        log({ min: low, max: high, name: 'FLOP per byte of DRAM', nameGap: 24 }),
                        log({
                            gridIndex: 1,
                            min: small,
                            max: large,
                            name: 'bytes moved by one execution',
                            nameGap: 26,
                            axisLabel: { ...label('B'), formatter: sparse },
                        }),
                    ],
                    yAxis: [
                        log({
                            name: 'FLOP/s',
                            min: flopsPerS[0],
                            max: flopsPerS[1],
                            nameGap: 68,
                            axisLabel: label(''),
                        }),
                        log({
                            gridIndex: 1,
                            name: 'bytes/s',
                            min: bytesPerS[0],
                            max: bytesPerS[1],
                            nameGap: 68,
                            axisLabel: label(''),
                        }),
                    ],
                    tooltip: {
                        trigger: 'item',
                        formatter: (p: { data: { row?: Row } }) => {
                            const r = p.data.row;
                            if (!r) return '';
                            return note(`${r.name} (${r.phase})`, [
                                ['shape', shape(r)],
                                ['bound', words(r.bound)],
                                ...(r.flops
                                    ? [['reached', si(r.flops / r.time_s, 'FLOP/s')] as const]
                                    : [['reached', si(r.bytes / r.time_s, 'B/s')] as const]),
                                ['in all', `${seconds(r.spent_s)}, ${percent(r.share)} in ${count(r.cost.runs)} runs`],
                                formula(r.cost),
                            ]);
                        },
                    },
                    series: [
                        ...bounds.flatMap((b) => [points(counted, b, true), points(others, b, false)]),
                        ...(Number.isFinite(ridge)
                            ? [
                                  ceiling(
                                      levels.upper[0]![0],
                                      [
                                          [low, Math.min(peak, low * hbm)],
                                          [ridge, peak],
                                          [high, peak],
                                      ],
                                      true,
                                  ),
                              ]
                            : []),
                        ...(Number.isFinite(hbm)
                            ? [
                                  ceiling(
                                      levels.lower[0]![0],
                                      [
                                          [small, hbm],
                                          [large, hbm],
                                      ],
                                      false,
                                  ),
                              ]
                            : []),
                        ...(Number.isFinite(links) && others.some((r) => r.kind === 'collective')
                            ? [
                                  ceiling(
                                      levels.lower[1]![0],
                                      [
                                          [small, links],
                                          [large, links],
                                      ],
                                      false,
                                      true,
                                  ),
                              ]
                            : []),
                    ],
                };
            },
            () => [
                ['name', 'phase', 'bound', 'flops_per_byte', 'flops_per_s', 'bytes', 'bytes_per_s', 'share_frac'],
                ...this.rows.map((r) => [
                    r.name,
                    r.phase,
                    r.bound,
                    r.flops ? r.flops / moved(r) : undefined,
                    r.flops ? r.flops / r.time_s : undefined,
                    r.bytes,
                    r.bytes / r.time_s,
                    r.share,
                ]),
            ],
        );
    }
}
