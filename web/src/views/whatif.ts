// This view asks what would happen if the hardware were faster: sliders, and how much the answer depends on each
// number.

import * as api from '../api';
import { axis, Chart, note } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, freshId, h } from '../dom';
import { KNOBS, type Knob } from '../fields';
import { change, digits, seconds, si, signed, words } from '../format';
import { machine } from '../machine';
import { requestOf } from '../state';
import { Table } from '../table';
import type { Result, Sensitivity } from '../types';
import { mainTime, type Answer, type App, type View } from '../view';

type Parameter = Sensitivity['parameters'][number];

interface Slider {
    knob: Knob;
    range: HTMLInputElement;
    value: HTMLElement;
    elasticity: HTMLElement;
    row: HTMLElement;
}

/** Numbers without a slider whose keys are no words. */
const OTHERS: Readonly<Record<string, string>> = {
    'chip.tdp_w': 'Power limit',
    'chip.n_sm': 'Multiprocessors',
    'system.scaleup_latency_s': 'Latency of NVLink',
    'system.scaleout_latency_s': 'Latency of the network',
    'system.scaleout_efficiency_frac': 'Network efficiency',
    'system.scaleout_oversubscription': 'Network oversubscription',
    'chip.smem_bytes_per_sm': 'Shared memory',
    'chip.vector_flops_per_s': 'Vector FLOP/s',
};

/** Names a number of the hardware as its slider does, or by the words of its key without the unit. */
const nameOf = (path: string): string =>
    KNOBS.find((knob) => knob.path === path)?.label ??
    OTHERS[path] ??
    words(path.replace(/^(chip|system)\./, '').replace(/_(bytes_per_s|flops_per_s|per_s|frac|bytes|w|j|s)$/, ''));

const factorOf = (range: HTMLInputElement): number => Number((2 ** Number(range.value)).toPrecision(4));

/** What each number of the hardware does to some of the answers; the first is the one that ten percent more is shown of. */
function tableOf(keys: readonly [string, ...string[]], names: readonly string[]): Table<Parameter> {
    return new Table<Parameter>('Every number of the hardware', 'orrery-elasticity', [
        { label: 'Parameter', value: (p) => p.parameter },
        {
            label: 'Value',
            value: (p) => p.value,
            show: (p) =>
                p.unit === '' || p.unit === '$/h' ? `${p.value} ${p.unit}` : si(p.value, p.unit.replace('bytes', 'B')),
        },
        {
            label: 'Time with 10 % more',
            value: (p) => p.tenth_more_frac[keys[0]] ?? 0,
            show: (p) => change(p.tenth_more_frac[keys[0]] ?? 0),
        },
        ...keys.map((key, i) => ({
            label: i === 0 ? `Elasticity of ${names[i]}` : `of ${names[i]}`,
            title: `change of ${names[i]} in percent where the number grows by one percent`,
            value: (p: Parameter) => p.more[key] ?? 0,
            show: (p: Parameter) => signed(p.more[key] ?? 0),
        })),
    ]);
}

export class WhatIf implements View {
    readonly id = 'whatif';
    readonly label = 'What if';
    readonly element: HTMLElement;
    private readonly sliders: Slider[];
    private readonly outcome = h('p', { class: 'outcome' });
    private readonly chart = new Chart('Elasticity', 'orrery-elasticity', {
        class: 'medium',
        intro: 'Change of the time in percent where a number grows by one percent. Bars to the left: more is faster.',
    });
    private readonly tables = {
        train: tableOf(['step_time_s', 'energy_j'], ['time', 'energy']),
        infer: tableOf(['latency_s', 'ttft_s', 'tpot_s'], ['time', 'the first token', 'the next token']),
    };
    private readonly below = h('div', { class: 'span' });
    private main = 'step_time_s';

    constructor(private readonly app: App) {
        this.sliders = KNOBS.map((knob) => this.slider(knob));
        const reset = h(
            'button',
            { type: 'button', onclick: () => app.edit((job) => (job.factors = {})) },
            'All back to 1×',
        );
        this.element = h(
            'div',
            { class: 'grid two' },
            h(
                'section',
                { class: 'panel' },
                h('header', {}, h('h3', {}, 'Faster or slower hardware'), h('div', { class: 'actions' }, reset)),
                this.outcome,
                ...this.sliders.map((s) => s.row),
            ),
            this.chart.element,
            this.below,
        );
    }

    command = async ({ job }: Answer): Promise<string> =>
        commandLine('sensitivity', job.kind, ...(await jobWords(job)));

    async update({ job, request, result }: Answer, signal: AbortSignal): Promise<void> {
        this.main = job.kind === 'train' ? 'step_time_s' : 'latency_s';
        for (const s of this.sliders)
            if (document.activeElement !== s.range) s.range.value = String(Math.log2(job.factors[s.knob.id] ?? 1));
        const changed = Object.keys(job.factors).length > 0;
        const [chip, sensitivity, base] = await Promise.all([
            machine(job.system).catch(() => undefined),
            api.post<Sensitivity>('sensitivity', request, signal),
            changed ? api.post<Result>(job.kind, requestOf(job), signal) : undefined,
        ]);
        const was = base ? mainTime(base) : mainTime(result);
        const now = mainTime(result);
        fill(
            this.outcome,
            base ? `${seconds(was)} becomes ` : 'Now ',
            h('strong', {}, seconds(now)),
            base ? ` (${change(now / was - 1)}).` : '. Move a slider.',
        );
        for (const s of this.sliders) {
            const p = sensitivity.parameters.find((q) => q.parameter === s.knob.path);
            const own =
                s.knob.id === 'flops'
                    ? (p?.value ?? NaN) / (job.factors['flops'] ?? 1)
                    : (chip?.numbers[s.knob.path] ?? NaN);
            this.write(s, job.factors[s.knob.id] ?? 1, own);
            fill(s.elasticity, p ? `elasticity ${signed(p.more[this.main] ?? 0)}` : '');
        }
        const table = this.tables[job.kind];
        fill(this.below, table.element);
        table.set(sensitivity.parameters);
        this.draw(sensitivity.parameters);
    }

    private draw(parameters: Parameter[]): void {
        const shown = parameters
            .filter((p) => Math.abs(p.more[this.main] ?? 0) >= 0.001)
            .slice(0, 12)
            .reverse();
        this.chart.height(70 + 26 * Math.max(1, shown.length));
        this.chart.set(
            `Elasticity of the time: ${[...shown]
                .reverse()
                .map((p) => `${p.parameter} ${signed(p.more[this.main] ?? 0)}`)
                .join(', ')}`,
            (colours) => ({
                grid: { left: 4, right: 24, top: 6, bottom: 4, containLabel: true },
                tooltip: {
                    trigger: 'item',
                    formatter: (p: { name: string; value: number }) => note(p.name, [['elasticity', signed(p.value)]]),
                },
                xAxis: axis(colours, { type: 'value' }),
                yAxis: axis(colours, {
                    type: 'category',
                    data: shown.map((p) => nameOf(p.parameter)),
                    splitLine: { show: false },
                }),
                series: [
                    {
                        type: 'bar',
                        barMaxWidth: 16,
                        data: shown.map((p) => ({
                            value: p.more[this.main] ?? 0,
                            itemStyle: { color: colours.series[(p.more[this.main] ?? 0) < 0 ? 0 : 2] },
                        })),
                    },
                ],
            }),
            () => [['parameter', 'elasticity'], ...parameters.map((p) => [p.parameter, p.more[this.main] ?? 0])],
        );
    }

    private slider(knob: Knob): Slider {
        const id = freshId('knob');
        const range: HTMLInputElement = h('input', {
            type: 'range',
            id,
            min: '-2',
            max: '2',
            step: '0.05',
            value: '0',
            oninput: () => this.moved(slider),
        });
        const value = h('output', { htmlFor: id });
        const elasticity = h('span', { class: 'elasticity' });
        const row = h(
            'div',
            { class: 'knob', 'data-knob': knob.id },
            h('label', { htmlFor: id }, knob.label),
            value,
            range,
            elasticity,
        );
        const slider: Slider = { knob, range, value, elasticity, row };
        return slider;
    }

    private moved(s: Slider): void {
        const factor = factorOf(s.range);
        this.write(s, factor, NaN);
        this.app.edit((job) => {
            if (factor === 1) delete job.factors[s.knob.id];
            else job.factors[s.knob.id] = factor;
        });
    }

    private write(s: Slider, factor: number, base: number): void {
        const text = `${digits(factor)}×${Number.isFinite(base) ? ` = ${si(base * factor, s.knob.unit)}` : ''}`;
        fill(s.value, text);
        s.range.setAttribute('aria-valuetext', text);
    }
}
