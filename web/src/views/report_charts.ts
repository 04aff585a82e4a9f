// Charts and tables of reports that are about no single job: bars, curves, sweeps, comparisons, validations.

import { axis, Chart, legend, mark, note, stacked, type Palette } from '../charts';
import { h, select } from '../dom';
import { bytes, digits, dollars, percent, rate, seconds, words } from '../format';
import type { BarsData, CurveData } from '../recorded';
import { Table, type Column } from '../table';
import type { Json, JsonObject } from '../types';

const BAR_PX = 26;
const file = (title: string): string => `orrery-${title.toLowerCase().replace(/[^a-z0-9]+/g, '-')}`;

function inUnit(unit: string): (value: number) => string {
    if (unit === '$') return dollars;
    return (value) => `${digits(value)}${unit ? ` ${unit}` : ''}`;
}

/** Draws a bar per lane, cut into parts. */
export function barsChart(data: BarsData): HTMLElement {
    const chart = new Chart(data.title, file(data.title));
    const text = inUnit(data.unit);
    const sum = (values: readonly (number | null)[]) => values.reduce<number>((a, b) => a + (b ?? 0), 0);
    const used = data.parts.map((name, i) => ({ name, i })).filter(({ i }) => data.lanes.some((l) => l.values[i]));
    chart.height(90 + BAR_PX * data.lanes.length);
    chart.set(
        `${data.title}: ${data.lanes.map((l) => `${l.name} ${text(sum(l.values))}`).join(', ')}`,
        (colours, width_px) =>
            stacked(
                data.lanes.map((l) => l.name),
                used.map(({ name, i }) => ({
                    name,
                    values: data.lanes.map((l) => l.values[i] ?? 0),
                    colour: colours.series[i % 10]!,
                })),
                text,
                colours,
                { label_px: Math.max(110, width_px / 4), ...(used.length > 1 ? { legend_px: width_px } : {}) },
            ),
        () => [['name', ...data.parts], ...data.lanes.map((l) => [l.name, ...l.values.map((v) => v ?? undefined)])],
    );
    return chart.element;
}

/** Draws a line through points. */
export function curveChart(data: CurveData): HTMLElement {
    const chart = new Chart(data.title, file(data.title), { class: 'medium' });
    chart.set(
        `${data.title}: ${data.points.map((p) => `${p.title} ${digits(p.y)} at ${digits(p.x)}`).join(', ')}`,
        (colours) => ({
            grid: { left: 74, right: 24, top: 14, bottom: 46 },
            tooltip: {
                trigger: 'item',
                formatter: (p: { data: { point: CurveData['points'][0] } }) =>
                    note(p.data.point.title, [
                        [data.x, digits(p.data.point.x)],
                        [data.y, rate(p.data.point.y)],
                    ]),
            },
            xAxis: named(data.x, 28, colours),
            yAxis: named(data.y, 54, colours),
            series: [
                {
                    type: 'line',
                    symbolSize: 9,
                    symbol: 'circle',
                    lineStyle: { color: colours.series[0] },
                    itemStyle: { color: colours.series[0] },
                    data: data.points.map((p) => ({ value: [p.x, p.y], point: p })),
                },
            ],
        }),
        () => [[data.x, data.y, 'what'], ...data.points.map((p) => [p.x, p.y, p.title])],
    );
    return chart.element;
}

const named = (name: string, gap_px: number, colours: Palette, more: Record<string, unknown> = {}) =>
    axis(colours, {
        type: 'value',
        scale: true,
        name,
        nameLocation: 'middle',
        nameGap: gap_px,
        axisLabel: mark((v) => rate(v), colours),
        ...more,
    });

/* ---- rows of any table */

type Row = Json[];
const plain = (value: Json | undefined): number | string | undefined =>
    value === null || value === undefined
        ? undefined
        : typeof value === 'number'
          ? value
          : typeof value === 'object'
            ? JSON.stringify(value)
            : String(value);
/** Prints a value by the unit at the end of its column's name. */
function shown(value: Json | undefined, column = ''): string {
    if (typeof value !== 'number') return String(plain(value) ?? '') || '–';
    if (/bytes/.test(column)) return bytes(value);
    if (/_s$/.test(column) && !/_per_s$/.test(column)) return seconds(value);
    if (/_frac$/.test(column)) return percent(value);
    if (/usd/.test(column)) return dollars(value);
    return Number.isInteger(value) ? value.toLocaleString('en-US') : digits(value, 4);
}

function rowTable(title: string, columns: readonly string[], rows: readonly Row[]): HTMLElement {
    const table = new Table<Row>(
        title,
        file(title),
        columns.map(
            (label, i): Column<Row> => ({ label, value: (r) => plain(r[i]), show: (r) => shown(r[i], label), class: 'line-of-text' }),
        ),
    );
    table.set(rows);
    return table.element;
}

/* ---- sweep */

const FIRST: Record<string, string> = { train: 'step_time_s', infer: 'latency_s' };
const SHOWN: Record<string, readonly string[]> = {
    train: ['step_time_s', 'tokens_per_s', 'mfu_frac', 'memory_bytes.total', 'energy_j', 'cost_usd', 'bottleneck'],
    infer: [
        'latency_s',
        'ttft_s',
        'tpot_s',
        'output_tokens_per_s_per_gpu',
        'memory_bytes.total',
        'cost_usd_per_million_tokens',
        'bottleneck',
    ],
};

/** Draws any column of a sweep over any other, and its table. */
export function sweepViews(result: JsonObject): HTMLElement[] {
    const columns = result['columns'] as string[];
    const rows = result['rows'] as Row[];
    const kind = String(result['of']);
    const numeric = columns.filter((_, i) => rows.some((r) => typeof r[i] === 'number'));
    const last = columns.findIndex((c) => SHOWN[kind]?.includes(c) || c.startsWith('memory_bytes') || c === 'fits');
    const varied = columns.slice(3, last < 0 ? 4 : last).filter((c) => numeric.includes(c));
    let x = varied[0] ?? 'point';
    let y = numeric.includes(FIRST[kind]!) ? FIRST[kind]! : numeric[numeric.length - 1]!;
    const choices = numeric.map((c) => [c, c] as const);
    const chart = new Chart('Points', 'orrery-sweep', {
        class: 'medium',
        intro: 'Hollow marks do not fit into memory.',
        controls: h(
            'div',
            { class: 'actions' },
            select('Up', choices, y, (v) => draw((y = v))),
            select('Across', choices, x, (v) => draw((x = v))),
        ),
    });
    const at = (r: Row, column: string) => r[columns.indexOf(column)];
    function draw(_changed?: string): void {
        const points = rows.filter((r) => typeof at(r, x) === 'number' && typeof at(r, y) === 'number');
        const name = (r: Row) => varied.concat(['status']).map((c) => `${c} ${String(at(r, c))}`).join(', ');
        chart.set(
            `${y} over ${x} at ${points.length} points`,
            (colours) => ({
                grid: { left: 74, right: 24, top: 14, bottom: 46 },
                tooltip: {
                    trigger: 'item',
                    formatter: (p: { data: { row: Row } }) =>
                        note(name(p.data.row), [
                            [x, shown(at(p.data.row, x), x)],
                            [y, shown(at(p.data.row, y), y)],
                        ]),
                },
                xAxis: named(x, 28, colours, { axisLabel: mark((v) => shown(v, x), colours) }),
                yAxis: named(y, 58, colours, { axisLabel: mark((v) => shown(v, y), colours) }),
                series: [
                    {
                        type: 'scatter',
                        symbolSize: 10,
                        data: points.map((row) => ({
                            value: [at(row, x), at(row, y)],
                            row,
                            itemStyle:
                                at(row, 'status') === 'ok'
                                    ? { color: colours.series[0] }
                                    : { color: 'transparent', borderColor: colours.warn, borderWidth: 1.5 },
                        })),
                    },
                ],
            }),
            () => [[x, y, 'status'], ...points.map((r) => [plain(at(r, x)), plain(at(r, y)), plain(at(r, 'status'))])],
        );
    }
    draw();
    const between = columns.slice(3, Math.max(4, last)).filter((c) => !SHOWN[kind]?.includes(c));
    const kept = [...between, 'status', ...(SHOWN[kind] ?? []).filter((c) => columns.includes(c)), 'reason'];
    return [chart.element, rowTable('All points', kept, rows.map((r) => kept.map((c) => at(r, c) ?? null)))];
}

/* ---- comparison */

export function compareViews(result: JsonObject): HTMLElement[] {
    const names = result['names'] as string[];
    const parts = (result['parts'] as { part: string; seconds: number[] }[]).filter((p) => p.seconds.some((s) => s > 0));
    const chart = new Chart('Time by part', 'orrery-compare', {});
    chart.height(110 + 40 * names.length);
    chart.set(
        `Time by part: ${names.map((n, i) => `${n} ${seconds(parts.reduce((a, p) => a + p.seconds[i]!, 0))}`).join(', ')}`,
        (colours, width_px) =>
            stacked(
                names,
                parts.map((p, i) => ({ name: words(p.part), values: p.seconds, colour: colours.series[i % 10]! })),
                seconds,
                colours,
                { legend_px: width_px },
            ),
        () => [['what', ...parts.map((p) => p.part)], ...names.map((n, i) => [n, ...parts.map((p) => p.seconds[i])])],
    );
    const asked = (result['asked'] as { key: string; values: Json[] }[]).map((a): Row => [words(a.key), ...a.values]);
    const why = result['why'] as string[];
    return [
        chart.element,
        h(
            'section',
            { class: 'panel' },
            h('header', {}, h('h3', {}, 'Why')),
            h('ul', {}, ...names.map((name, i) => h('li', {}, h('strong', {}, name), `: ${why[i] ?? ''}`))),
        ),
        rowTable('What differs', ['What', ...names], asked),
    ];
}

/* ---- validation */

const UNITS: Record<string, string> = {
    tokens_per_s_per_gpu: 'tokens/s per GPU',
    model_tflops_per_gpu: 'TFLOP/s per GPU',
    peak_memory_gib: 'GiB',
};

interface Measured {
    id: string;
    source: string;
    model: string;
    system: string;
    metric: string;
    measured: number;
    predicted: number;
    error_frac: number;
    settings: string;
    skipped: string;
}

function scatter(unit: string, rows: readonly Measured[]): HTMLElement {
    const chart = new Chart(`Predicted over measured, ${unit}`, file(`validate ${unit}`), { class: 'medium' });
    const sources = [...new Set(rows.map((r) => r.source))];
    const low = 10 ** Math.floor(Math.log10(Math.min(...rows.flatMap((r) => [r.measured, r.predicted]))));
    const high = 10 ** Math.ceil(Math.log10(Math.max(...rows.flatMap((r) => [r.measured, r.predicted]))));
    chart.set(
        `${rows.length} values in ${unit}, predicted over measured, from ${sources.length} sources`,
        (colours) => ({
            grid: { left: 74, right: 24, top: 14, bottom: 46 },
            tooltip: {
                trigger: 'item',
                formatter: (p: { data: { row?: Measured } }) =>
                    p.data.row
                        ? note(`${p.data.row.source} · ${p.data.row.id}`, [
                              p.data.row.settings,
                              [`measured ${p.data.row.metric}`, digits(p.data.row.measured, 4)],
                              ['predicted', digits(p.data.row.predicted, 4)],
                              ['error', percent(p.data.row.error_frac)],
                          ])
                        : '',
            },
            xAxis: named(`measured, ${unit}`, 28, colours, { type: 'log', min: low, max: high }),
            yAxis: named(`predicted, ${unit}`, 54, colours, { type: 'log', min: low, max: high }),
            series: [
                ...[1 / 1.1, 1, 1.1].map((factor) => ({
                    type: 'line',
                    silent: true,
                    symbol: 'none',
                    clip: true,
                    lineStyle: { color: colours.soft, width: 1, type: factor === 1 ? 'solid' : 'dashed' },
                    data: [
                        [low, low * factor],
                        [high, high * factor],
                    ],
                })),
                ...sources.map((source, i) => ({
                    type: 'scatter',
                    name: source,
                    symbolSize: 6,
                    itemStyle: { color: colours.series[i % 10], opacity: 0.6 },
                    data: rows
                        .filter((r) => r.source === source)
                        .map((row) => ({ value: [row.measured, row.predicted], row })),
                })),
            ],
        }),
        () => [
            ['source', 'id', 'metric', 'measured', 'predicted', 'error_frac'],
            ...rows.map((r) => [r.source, r.id, r.metric, r.measured, r.predicted, r.error_frac]),
        ],
    );
    return chart.element;
}

const WORST = 200;

/** Draws every row, and tables of groups, the worst rows and those that were left out. */
export function validateViews(result: JsonObject, data: JsonObject): HTMLElement[] {
    const columns = data['columns'] as string[];
    const all = (data['rows'] as Row[]).map(
        (r) => Object.fromEntries(columns.map((c, i) => [c, r[i]])) as unknown as Measured,
    );
    const scored = all.filter((r) => !r.skipped && r.measured > 0 && r.predicted > 0);
    const unitOf = (r: Measured) => UNITS[r.metric] ?? 's';
    const units = [...new Set(scored.map(unitOf))];
    const groups = Object.entries(result).filter(([key, value]) => key.startsWith('by_') && Array.isArray(value));
    const by = result['by'] as { field: string; groups: JsonObject[] } | undefined;
    const tables = [
        ...(by ? [[by.field, 'value', by.groups] as const] : []),
        ...groups.map(([key, value]) => [key.slice(3), key.slice(3), value as JsonObject[]] as const),
    ];
    const share = (v: Json | undefined) => (typeof v === 'number' ? Number((100 * v).toFixed(1)) : null);
    const worst = [...scored].sort((a, b) => Math.abs(b.error_frac) - Math.abs(a.error_frac)).slice(0, WORST);
    const skipped = all.filter((r) => r.skipped);
    return [
        h('div', { class: 'grid two' }, ...units.map((u) => scatter(u, scored.filter((r) => unitOf(r) === u)))),
        ...tables.map(([title, key, list]) =>
            rowTable(
                `By ${title}`,
                [title, 'rows', 'mean %', 'median %', '90th %', 'bias %', 'in 80 %'],
                list.map((g) => [
                    g[key] ?? '',
                    g['rows'] ?? 0,
                    ...['mape', 'median_ape', 'p90_ape', 'bias', 'coverage80'].map((k) => share(g[k])),
                ]),
            ),
        ),
        rowTable(
            'Worst rows',
            ['id', 'source', 'model', 'system', 'metric', 'measured', 'predicted', 'error %'],
            worst.map((r) => [
                ...[r.id, r.source, r.model, r.system, r.metric],
                ...[r.measured, r.predicted, Number((100 * r.error_frac).toFixed(1))],
            ]),
        ),
        ...(skipped.length > 0
            ? [rowTable('Not scored', ['id', 'source', 'reason'], skipped.map((r) => [r.id, r.source, r.skipped]))]
            : []),
    ];
}

/* ---- a stack from runs */

export function fitViews(result: JsonObject): HTMLElement[] {
    const runs = (result['runs'] ?? []) as JsonObject[];
    const parameters = (result['parameters'] ?? []) as JsonObject[];
    const chart = new Chart('Errors of the runs', 'orrery-fit', {});
    const bars = ['error_before', 'error_after', 'error_left_out'] as const;
    const shownRuns = runs.slice(0, 40);
    chart.height(90 + 34 * shownRuns.length);
    chart.set(
        `Errors of ${runs.length} runs`,
        (colours, width_px) => {
            const key = legend(bars.map(words), width_px, colours);
            return {
                legend: key.option,
                grid: { left: 8, right: 24, top: key.height + 8, bottom: 4, containLabel: true },
                xAxis: axis(colours, { type: 'value', axisLabel: mark(percent, colours) }),
                yAxis: axis(colours, { type: 'category', inverse: true, data: shownRuns.map((r) => String(r['run'])) }),
                series: bars.map((bar, i) => ({
                    type: 'bar',
                    name: words(bar),
                    barMaxWidth: 9,
                    itemStyle: { color: colours.series[[7, 0, 3][i]!] },
                    data: shownRuns.map((r) => r[bar]),
                })),
            };
        },
        () => [['run', ...bars], ...runs.map((r) => [String(r['run']), ...bars.map((b) => Number(r[b]))])],
    );
    const table = (title: string, rows: JsonObject[], keys: readonly string[]) =>
        rowTable(title, keys.map(words), rows.map((r) => keys.map((k) => r[k] ?? null)));
    return [
        chart.element,
        table('Runs before and after', runs, ['run', 'metric', 'measured', ...bars]),
        table('What the runs told', parameters, ['key', 'parent', 'value', 'low', 'high', 'meaning']),
    ];
}
