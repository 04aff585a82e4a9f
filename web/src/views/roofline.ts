// The roofline: operators with FLOP above, under the ceilings of the chip, and those without below, by what they move.

import { axis, boundColour, legend, mark, note, type Palette } from '../charts';
import { count, percent, seconds, si, tick, words } from '../format';
import { levelBox, placeLabels, type Place } from '../labels';
import { peakOf, type Machine } from '../machine';
import type { Cost, Operator, Result } from '../types';

/** An operator with its cost, its seconds of the step or request, and their share. */
export type Row = Operator & { cost: Cost; spent_s: number; share: number };

/** The sides of both plots and their height in pixels, and the share of it that each takes. */
const PLOT = { left: 84, right: 20, tall: 640, upper: 0.47, lower: 0.27 };
type Range = readonly [number, number];

/** A limit of the machine: its line in the plane, and the height at which its name stands. */
interface Ceiling {
    name: string;
    level: number;
    line: number[][];
    dashed?: boolean;
}

/** One of the two plots: where its rows stand, and below which ceilings. */
interface Plane {
    rows: Row[];
    at: (r: Row) => [number, number];
    x: Range;
    y: Range;
    high_px: number;
    ceilings: Ceiling[];
}

export interface Roof {
    upper: Plane;
    lower: Plane;
    bounds: string[];
    title: (r: Row) => string;
    summary: string;
}

const boundName = (bound: string): string => `${words(bound)}-bound`;
/** Bytes that an operator moves to and from DRAM. */
export const moved = (r: Row): number => r.cost.dram_bytes || r.bytes;
/** How large the mark of a row is: its area grows with its share of the time. */
const diameter = (r: Row): number => 7 + 26 * Math.sqrt(Math.max(0, r.share));

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

// ---------------------------------------------------------------- the planes

/** Operators with FLOP, under the peak of the chip and the slope of its DRAM. */
function upperPlane(rows: Row[], peak: number, hbm: number, format: string): Plane {
    const ridge = peak / hbm;
    const known = Number.isFinite(ridge);
    const at = (r: Row): [number, number] => [r.flops / moved(r), r.flops / r.time_s];
    const x = decades(rows.map((r) => at(r)[0]).concat(known ? [ridge] : []));
    const line = [
        [x[0], Math.min(peak, x[0] * hbm)],
        [ridge, peak],
        [x[1], peak],
    ];
    return {
        rows,
        at,
        x,
        y: decades(rows.map((r) => at(r)[1]).concat(Number.isFinite(peak) ? [peak] : [])),
        high_px: PLOT.upper * PLOT.tall,
        ceilings: known ? [{ name: `${si(peak, 'FLOP/s')} ${format}`, level: peak, line }] : [],
    };
}

/** Operators without FLOP, under what DRAM and links carry. */
function lowerPlane(rows: Row[], hbm: number, links: number): Plane {
    const at = (r: Row): [number, number] => [r.bytes, r.bytes / r.time_s];
    const x = decades(rows.length > 0 ? rows.map((r) => r.bytes) : [1e6]);
    const flat = (name: string, level: number, dashed: boolean): Ceiling[] => {
        if (!Number.isFinite(level)) return [];
        const line = x.map((at_bytes) => [at_bytes, level]);
        return [{ name: `${name} ${si(level, 'B/s')}`, level, line, dashed }];
    };
    const crosses = rows.some((r) => r.kind === 'collective');
    return {
        rows,
        at,
        x,
        y: decades([...rows.map((r) => at(r)[1]), hbm, links].filter((v) => Number.isFinite(v) && v > 0)),
        high_px: PLOT.lower * PLOT.tall,
        ceilings: [...flat('HBM', hbm, false), ...(crosses ? flat('scale-up', links, true) : [])],
    };
}

/** Returns both planes of an answer; `factors` are those of the sliders of What if. */
export function roofOf(
    rows: Row[],
    result: Result,
    chip: Machine | undefined,
    factors: Record<string, number>,
): Roof {
    const workload = result.request.workload;
    const format = String(workload['matrix_precision'] ?? workload['precision']);
    const peak = chip ? peakOf(chip, format) * (factors['flops'] ?? 1) : NaN;
    const hbm = (chip?.numbers['chip.hbm_bytes_per_s'] ?? NaN) * (factors['hbm'] ?? 1);
    const links = (chip?.numbers['system.scaleup_bytes_per_s'] ?? NaN) * (factors['nvlink'] ?? 1);
    const counted = rows.filter((r) => r.flops > 0);
    const others = rows.filter((r) => r.flops === 0 && r.bytes > 0);
    const busiest = [...counted].sort((a, b) => b.spent_s - a.spent_s)[0];
    return {
        upper: upperPlane(counted, peak, hbm, format),
        lower: lowerPlane(others, hbm, links),
        bounds: [...new Set(rows.map((r) => r.bound))].sort(),
        title: (r) => (result.kind === 'infer' ? `${r.name}, ${r.phase}` : r.name),
        summary:
            `Roofline of ${counted.length} operators with FLOP under ${si(peak, 'FLOP/s')} and ` +
            `${si(hbm, 'B/s')}, and ${others.length} without` +
            (busiest ? `; most time in ${busiest.name}, bound by ${busiest.bound}` : '') +
            '. The table of operators has the numbers.',
    };
}

// ---------------------------------------------------------------- the chart

/** Finds room for the names of the rows of a plane, those that take most time first. */
function placeNames(plane: Plane, wide_px: number, title: Roof['title']): Map<Row, Place | undefined> {
    const along = (v: number, [from, to]: Range) => Math.log(v / from) / Math.log(to / from);
    const height = (v: number) => plane.high_px * (1 - along(v, plane.y));
    const busy = [...plane.rows].sort((a, b) => b.spent_s - a.spent_s);
    const marks = busy.map((r) => {
        const [x, y] = plane.at(r);
        return { x: wide_px * along(x, plane.x), y: height(y), radius: diameter(r) / 2, text: title(r) };
    });
    const reserved = plane.ceilings.map((c) => levelBox(c.name, height(c.level), wide_px));
    const places = placeLabels(marks, wide_px, plane.high_px, reserved);
    return new Map(busy.map((r, i) => [r, places[i]]));
}

/** The marks of a plane, a series for each bound, with labels over the lines of the ceilings. */
function points(roof: Roof, plane: Plane, index: number, wide_px: number, colours: Palette) {
    const places = placeNames(plane, wide_px, roof.title);
    return roof.bounds.map((bound) => ({
        type: 'scatter',
        name: boundName(bound),
        z: 3,
        xAxisIndex: index,
        yAxisIndex: index,
        itemStyle: { color: boundColour(bound, colours), opacity: 0.8, borderColor: colours.panel },
        label: { color: colours.soft, fontSize: 11, textBorderColor: colours.panel, textBorderWidth: 3 },
        data: plane.rows
            .filter((r) => r.bound === bound)
            .map((r) => ({
                value: plane.at(r),
                symbolSize: diameter(r),
                row: r,
                label: { show: Boolean(places.get(r)), ...places.get(r), formatter: () => roof.title(r) },
            })),
    }));
}

function ceilings(plane: Plane, index: number, colours: Palette) {
    return plane.ceilings.map(({ name, line, dashed }) => ({
        type: 'line',
        name,
        xAxisIndex: index,
        yAxisIndex: index,
        symbol: 'none',
        silent: true,
        lineStyle: { color: colours.soft, width: 1.5, type: dashed ? 'dashed' : 'solid' },
        data: line,
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
    }));
}

function axes({ upper, lower }: Roof, wide_px: number, colours: Palette) {
    const log = ([min, max]: Range, more: Record<string, unknown>) =>
        axis(colours, { type: 'log', minorSplitLine: { show: false }, nameLocation: 'middle', min, max, ...more });
    const label = (unit: string) => mark((v) => si(v, unit), colours);
    /** Where there is little room, every second power of ten has a name. */
    const sparse = (v: number) => (wide_px < 420 && Math.round(Math.log10(v)) % 2 !== 0 ? '' : tick(si(v, 'B')));
    return {
        xAxis: [
            log(upper.x, { name: 'FLOP per byte of DRAM', nameGap: 24 }),
            log(lower.x, {
                gridIndex: 1,
                name: 'bytes moved by one execution',
                nameGap: 26,
                axisLabel: { ...label('B'), formatter: sparse },
            }),
        ],
        yAxis: [
            log(upper.y, { name: 'FLOP/s', nameGap: 68, axisLabel: label('') }),
            log(lower.y, { gridIndex: 1, name: 'bytes/s', nameGap: 68, axisLabel: label('') }),
        ],
    };
}

function tip(r: Row | undefined): HTMLElement | string {
    if (!r) return '';
    const reached = r.flops ? si(r.flops / r.time_s, 'FLOP/s') : si(r.bytes / r.time_s, 'B/s');
    return note(`${r.name} (${r.phase})`, [
        ['shape', shape(r)],
        ['bound', words(r.bound)],
        ['reached', reached],
        ['in all', `${seconds(r.spent_s)}, ${percent(r.share)} in ${count(r.cost.runs)} runs`],
        formula(r.cost),
    ]);
}

/** Returns the chart of a roof. */
export function roofChart(roof: Roof, colours: Palette, width_px: number) {
    const names = legend(roof.bounds.map(boundName), width_px, colours);
    const wide_px = width_px - PLOT.left - PLOT.right;
    const planes = [roof.upper, roof.lower];
    return {
        legend: names.option,
        grid: [
            { left: PLOT.left, right: PLOT.right, top: names.height + 14, height: roof.upper.high_px },
            { left: PLOT.left, right: PLOT.right, bottom: 46, height: roof.lower.high_px },
        ],
        ...axes(roof, wide_px, colours),
        tooltip: { trigger: 'item', formatter: (p: { data: { row?: Row } }) => tip(p.data.row) },
        series: planes.flatMap((plane, i) => [
            ...points(roof, plane, i, wide_px, colours),
            ...ceilings(plane, i, colours),
        ]),
    };
}
