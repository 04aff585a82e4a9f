// This view shows every operator as a point on the roofline and as a row of a table.

import * as api from '../api';
import { Chart } from '../charts';
import { commandLine, jobWords } from '../command';
import { h, select } from '../dom';
import { count, digits, percent, seconds, words } from '../format';
import { machine, type Machine } from '../machine';
import { Table, type Column } from '../table';
import type { Cost, Operator, Result } from '../types';
import { mainTime, type Answer, type App, type View } from '../view';
import { moved, roofChart, roofOf, type Row } from './roofline';

const MATRIX = ['gemm', 'bmm', 'flash'];
const isMatrix = (r: Row): boolean => MATRIX.includes(r.kind);

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
        const roof = roofOf(this.rows, result, chip, factors);
        this.roof.set(
            roof.summary,
            (colours, width_px) => roofChart(roof, colours, width_px),
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
