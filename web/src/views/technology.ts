// This view predicts the job on chips that do not exist yet: every node, with several kinds of DRAM.

import * as api from '../api';
import { axis, Chart, legend, mark, note } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, freshId, h, select } from '../dom';
import { bytes, digits, dollars, percent, rate, seconds, si, words } from '../format';
import { requestOf } from '../state';
import { Table } from '../table';
import type { Catalogue, Entry, Json, JsonObject, Result } from '../types';
import { mainTime, type Answer, type App, type View } from '../view';

/** This is a row of a sweep by the names of its columns. */
type SweepRow = JsonObject & { status: string };

interface SweepResult {
    columns: string[];
    rows: Json[][];
}

const named = (sweep: SweepResult, i: number): SweepRow => ({
    status: 'invalid',
    ...Object.fromEntries(sweep.columns.map((c, j) => [c, sweep.rows[i]?.[j] ?? null])),
});

interface Point {
    node: string;
    memory: string;
    system: string;
    status: string;
    row: SweepRow;
}

const NODES = ['12', '10', '7', '5', '3', '2', '1.4', '1'];

const METRICS: Record<string, { label: string; of: (r: SweepRow) => number; text: (v: number) => string }> = {
    time: { label: 'Time', of: (r) => Number(r['step_time_s'] ?? r['latency_s']), text: seconds },
    rate: {
        label: 'Tokens/s per GPU',
        of: (r) => Number(r['tokens_per_s_per_gpu'] ?? r['output_tokens_per_s_per_gpu']),
        text: rate,
    },
    energy: { label: 'Energy per token', of: (r) => Number(r['energy_j_per_token']), text: (v) => si(v, 'J') },
    cost: {
        label: 'Cost per million tokens',
        of: (r) => Number(r['cost_usd_per_million_tokens'] ?? Number(r['cost_usd_per_billion_tokens']) / 1000),
        text: dollars,
    },
};

export class Technology implements View {
    readonly id = 'technology';
    readonly label = 'Node and DRAM';
    readonly element: HTMLElement;
    private readonly chart = new Chart('Across nodes', 'orrery-nodes', {
        class: 'medium',
        intro:
            'The job on chips made from a node and budgets of area, power and edge. ' +
            'Hollow marks do not fit into memory. A click puts the job on that chip.',
    });
    private readonly table: Table<Point>;
    private readonly memories: HTMLInputElement[];
    private readonly choices: { key: string; box: HTMLSelectElement; first: string }[] = [];
    private readonly chip = h('dl', { class: 'facts' });
    private readonly chipPanel: HTMLElement;
    private readonly faultText = h('p', { class: 'error', role: 'alert' });
    private answer: Answer | undefined;
    private running: AbortController | undefined;

    constructor(
        private readonly app: App,
        lists: Catalogue,
    ) {
        const names = (entries: Entry[] | undefined, fallback: string[]) =>
            entries?.length ? entries.map((e) => e.id) : fallback;
        const choose = (label: string, key: string, options: string[]) =>
            this.choice(label, key, [['', 'as designed'], ...options.map((o) => [o, o] as const)]);
        const links = (lists.networks ?? []).filter((n) => !String(n['facts'] ?? '').includes('per link'));
        const side = (up: boolean) =>
            links
                .filter((n) => n['facts'] === undefined || String(n['facts']).startsWith('scale-up') === up)
                .map((n) => n.id);
        this.memories = names(lists.memories, ['hbm2e', 'hbm3', 'hbm4']).map((id) =>
            h('input', {
                type: 'checkbox',
                id: freshId('dram'),
                value: id,
                onchange: () =>
                    this.change(
                        'memories',
                        this.memories
                            .filter((m) => m.checked)
                            .map((m) => m.value)
                            .join(','),
                    ),
            }),
        );
        this.table = new Table<Point>('Nodes and memories', 'orrery-nodes', [
            {
                label: 'Use',
                plain: true,
                value: () => '',
                show: (p) =>
                    h(
                        'button',
                        {
                            type: 'button',
                            'aria-label': `Use ${p.node} nm with ${p.memory}`,
                            onclick: () => this.use(p),
                        },
                        'Use',
                    ),
            },
            { label: 'nm', value: (p) => Number(p.node) },
            { label: 'DRAM', value: (p) => p.memory },
            ...Object.values(METRICS).map((m) => ({
                label: m.label,
                value: (p: Point) => m.of(p.row),
                show: (p: Point) => (p.status === 'invalid' ? '–' : m.text(m.of(p.row))),
            })),
            {
                label: 'Memory',
                value: (p) => Number(p.row['memory_bytes.total']),
                show: (p) => bytes(Number(p.row['memory_bytes.total'])),
            },
            {
                label: 'Of the bound',
                value: (p) => Number(p.row['bound_frac']),
                show: (p) => percent(Number(p.row['bound_frac'])),
            },
            { label: 'Held by', value: (p) => words(String(p.row['bottleneck'] ?? '')) },
            {
                label: 'Fits',
                value: (p) =>
                    p.status === 'ok' ? 'yes' : p.status === 'no_fit' ? 'no' : String(p.row['reason'] ?? p.status),
            },
        ]);
        this.chart.on('click', (p) => this.use((p.data as { point?: Point }).point));
        this.chipPanel = h(
            'section',
            { class: 'panel', hidden: true },
            h('header', {}, h('h3', {}, 'The chip of the job')),
            this.chip,
        );
        this.element = h(
            'div',
            { class: 'grid' },
            h(
                'section',
                { class: 'panel' },
                h('header', {}, h('h3', {}, 'Study')),
                h(
                    'div',
                    { class: 'line' },
                    this.choice(
                        'Show',
                        'metric',
                        Object.entries(METRICS).map(([k, m]) => [k, m.label] as const),
                    ),
                    choose('Design', 'design', names(lists.designs, ['volta', 'ampere', 'modern'])),
                    choose('Scaling', 'technology', names(lists.technologies, ['deepflow', 'foundry', 'optimistic'])),
                    choose('Scale-up', 'scaleup', side(true)),
                    choose('Network', 'network', side(false)),
                ),
                h(
                    'fieldset',
                    { class: 'checks' },
                    h('legend', {}, 'DRAM'),
                    ...this.memories.map((box) => h('span', {}, box, h('label', { htmlFor: box.id }, box.value))),
                ),
                this.faultText,
            ),
            this.chart.element,
            this.chipPanel,
            this.table.element,
        );
        this.restore();
    }

    /** Makes a choice of a setting of the study; the first option is the default. */
    private choice(label: string, key: string, options: (readonly [string, string])[]): HTMLElement {
        const field = select(label, options, '', (v) => this.change(key, v));
        this.choices.push({ key, box: field.querySelector('select')!, first: options[0]![0] });
        return field;
    }

    restore(): void {
        for (const { key, box, first } of this.choices) box.value = this.app.option(`tech.${key}`, first);
        const chosen = this.app.option('tech.memories', 'hbm2e,hbm3,hbm4').split(',');
        for (const box of this.memories) box.checked = chosen.includes(box.value);
    }

    async command({ job }: Answer): Promise<string> {
        const systems = this.points().map((p) => p.system);
        const words = await jobWords({ ...job, factors: {} }, (key) => key === 'system');
        return systems.length === 0
            ? ''
            : commandLine(
                  'sweep',
                  job.kind,
                  ...words,
                  '--system',
                  systems[0]!,
                  '--vary',
                  `system=${systems.join(';')}`,
              );
    }

    /** Returns every node with every memory that is chosen. */
    private points(): Pick<Point, 'node' | 'memory' | 'system'>[] {
        const memories = this.memories.filter((m) => m.checked).map((m) => m.value);
        return NODES.flatMap((node) => memories.map((memory) => ({ node, memory, system: this.name(node, memory) })));
    }

    async update(answer: Answer, signal: AbortSignal): Promise<void> {
        this.answer = answer;
        signal.addEventListener('abort', () => this.running?.abort());
        await Promise.all([this.run(), this.showChip(answer, signal)]);
    }

    private change(key: string, value: string): void {
        this.app.setOption(`tech.${key}`, value);
        this.app.commandChanged();
        void this.run();
    }

    private name(node: string, memory: string): string {
        const more = ['design', 'technology', 'scaleup', 'network']
            .map((k) => [k, this.app.option(`tech.${k}`, '')] as const)
            .filter(([, v]) => v)
            .map(([k, v]) => `,${k}=${v}`);
        return `generated:node=${node},memory=${memory}${more.join('')}`;
    }

    private async run(): Promise<void> {
        if (!this.answer) return;
        this.running?.abort();
        const running = (this.running = new AbortController());
        const points = this.points();
        const memories = [...new Set(points.map((p) => p.memory))];
        fill(this.faultText, memories.length === 0 ? 'Choose at least one DRAM.' : '');
        if (points.length === 0) return;
        try {
            const request = requestOf({ ...this.answer.job, system: points[0]!.system, factors: {} });
            const answer = await api.stream<SweepResult>(
                'sweep',
                { request, vary: [{ field: 'system', values: points.map((p) => p.system).join(';') }] },
                () => undefined,
                running.signal,
            );
            const rows = points.map((_, i) => named(answer, i));
            this.show(
                points.map((p, i) => ({ ...p, status: rows[i]!.status, row: rows[i]! })),
                memories,
            );
        } catch (error) {
            if (!running.signal.aborted) fill(this.faultText, (error as Error).message);
        }
    }

    private show(points: Point[], memories: string[]): void {
        const metric = METRICS[this.app.option('tech.metric', 'time')] ?? METRICS['time']!;
        this.table.set(points);
        const good = (p: Point) => p.status !== 'invalid' && Number.isFinite(metric.of(p.row));
        this.chart.set(
            `${metric.label} by node for ${memories.join(', ')}; the table below has the numbers.`,
            (colours, width_px) => ({
                grid: { left: 78, right: 22, top: legend(memories, width_px, colours).height + 12, bottom: 44 },
                legend: legend(memories, width_px, colours).option,
                tooltip: {
                    trigger: 'item',
                    formatter: (p: { data: { point?: Point } }) =>
                        p.data.point
                            ? note(`${p.data.point.node} nm, ${p.data.point.memory}`, [
                                  [metric.label, metric.text(metric.of(p.data.point.row))],
                                  ['held by', words(String(p.data.point.row['bottleneck']))],
                                  ...(p.data.point.status === 'ok' ? [] : ['does not fit into memory']),
                              ])
                            : '',
                },
                xAxis: axis(colours, {
                    type: 'category',
                    data: NODES.map((n) => `${n} nm`),
                    name: 'node',
                    nameLocation: 'middle',
                    nameGap: 26,
                }),
                yAxis: axis(colours, {
                    type: 'value',
                    name: metric.label,
                    nameLocation: 'middle',
                    nameGap: 62,
                    min: 0,
                    axisLabel: mark(metric.text, colours),
                }),
                series: memories.map((memory, i) => ({
                    type: 'line',
                    name: memory,
                    symbolSize: 9,
                    cursor: 'pointer',
                    color: colours.series[i % 10],
                    data: points
                        .filter((p) => p.memory === memory && good(p))
                        .map((p) => ({
                            value: [`${p.node} nm`, metric.of(p.row)],
                            point: p,
                            symbol: p.status === 'ok' ? 'circle' : 'emptyCircle',
                        })),
                })),
            }),
            () => [['node_nm', 'memory', metric.label], ...points.map((p) => [p.node, p.memory, metric.of(p.row)])],
        );
    }

    private use(point: Point | undefined): void {
        if (!point) return;
        this.app.edit((job) => {
            job.system = point.system;
            job.factors = {};
        });
        this.app.say(`The job is on ${point.system}`);
    }

    private async showChip({ job, result }: Answer, signal: AbortSignal): Promise<void> {
        const made = /^generated:(.*)$/s.exec(job.system);
        this.chipPanel.hidden = !made;
        if (!made) return;
        const system = await api.post<JsonObject>('technology', { chip: made[1] ?? '' }, signal);
        const chip = system['chip'] as JsonObject;
        const n = (key: string, from: JsonObject = chip) => Number(from[key]);
        const lines: [string, string][] = [
            ['Name', String(chip['name'])],
            ['SMs, clock', `${digits(n('n_sm'), 4)}, ${si(n('clock_hz'), 'Hz')}`],
            ['Peak, 16 bits', si(n('bf16', chip['peak_flops_per_s'] as JsonObject), 'FLOP/s')],
            ['L2', `${bytes(n('l2_bytes'))}, ${si(n('l2_bytes_per_s'), 'B/s')}`],
            ['DRAM', `${bytes(n('hbm_bytes'))}, ${si(n('hbm_bytes_per_s'), 'B/s')}`],
            [
                'Links',
                `scale-up ${si(n('scaleup_bytes_per_s', system), 'B/s')}, ` +
                    `scale-out ${si(n('scaleout_bytes_per_s', system), 'B/s')}`,
            ],
            ['Hour', `${dollars(n('price_usd_per_gpu_hour', system))} per GPU`],
            ['Time of the job', seconds(mainTime(result as Result))],
        ];
        fill(this.chip, ...lines.flatMap(([k, v]) => [h('dt', {}, k), h('dd', {}, v)]));
    }
}
