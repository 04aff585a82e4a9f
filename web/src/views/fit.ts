// This view fits a software stack to measured runs: a table or a log goes in; the report and the engine file come out.

import * as api from '../api';
import { axis, Chart, legend, mark, note } from '../charts';
import { commandLine } from '../command';
import { download, fill, freshId, h } from '../dom';
import { digits, percent } from '../format';
import { Table } from '../table';
import type { JsonObject } from '../types';
import type { Answer, App, View } from '../view';

interface Run {
    run: string;
    metric: string;
    measured: number;
    error_before: number;
    error_after: number;
    error_left_out: number;
    outlier: boolean;
    set_aside: boolean;
}

interface Parameter {
    key: string;
    meaning: string;
    parent: number;
    value: number;
    low: number;
    high: number;
    told_frac: number;
}

interface Next {
    like: string;
    column: string;
    from: string;
    to: string;
    narrowing_frac: number;
    predicted_s: number;
}

interface Report {
    parent: string;
    engine: string;
    fitted: boolean;
    n_runs: number;
    median_ape_before: number;
    median_ape_after: number;
    median_ape_left_out: number;
    fit_within_frac: number;
    fit_stack_frac: number;
    runs: Run[];
    parameters: Parameter[];
    next: Next[];
    notes: string[];
    file: JsonObject;
}

const MOST_BARS = 24;
const MOST_BYTES = 900_000; // the server takes a little more
const LEAST_NARROWING = 0.005; // runs that narrow less are not worth their time
const QUANTILE = 1.533; // of a Student t with 4 degrees of freedom: what holds four in five (docs/fit.md)
const signed = (value: number): string => `${value > 0 ? '+' : ''}${(100 * value).toFixed(1)} %`;

export class Fit implements View {
    readonly id = 'fit';
    readonly label = 'Your runs';
    readonly element: HTMLElement;
    private readonly runs = new Table<Run>(
        'Runs before and after',
        'orrery-fit-runs',
        [
            { label: 'Run', value: (r) => r.run },
            { label: 'Metric', value: (r) => r.metric },
            { label: 'Measured', value: (r) => r.measured, show: (r) => digits(r.measured) },
            { label: 'Before', value: (r) => r.error_before, show: (r) => signed(r.error_before) },
            { label: 'After', value: (r) => r.error_after, show: (r) => signed(r.error_after) },
            { label: 'Left out', value: (r) => r.error_left_out, show: (r) => signed(r.error_left_out) },
            { label: 'Note', value: (r) => (r.set_aside ? 'set aside' : r.outlier ? 'outlier' : '') },
        ],
        { intro: 'Predicted over measured time, minus 1. Left out: predicted by a fit to the other runs.' },
    );
    private readonly parameters = new Table<Parameter>(
        'What the runs told',
        'orrery-fit-facts',
        [
            { label: 'Fact', value: (p) => p.key },
            { label: 'Parent', value: (p) => p.parent, show: (p) => digits(p.parent) },
            { label: 'Now', value: (p) => p.value, show: (p) => digits(p.value) },
            { label: '80 %', value: (p) => `${digits(p.low)} … ${digits(p.high)}`, class: 'line-of-text' },
            { label: 'Told', value: (p) => p.told_frac, show: (p) => percent(p.told_frac) },
            { label: 'Meaning', value: (p) => p.meaning, class: 'line-of-text' },
        ],
        { intro: 'Told: how far the runs narrowed what is known between stacks. All else keeps the value of the parent.' },
    );
    private readonly chart = new Chart('Errors of the runs', 'orrery-fit-errors', { class: 'medium' });
    private readonly engine = h('input', { type: 'text', id: freshId('fit'), placeholder: 'as the rows say' });
    private readonly columns = h('input', {
        type: 'text',
        id: freshId('fit'),
        placeholder: 'model=llama3-8b,system=h100-sxm',
    });
    private readonly name = h('input', { type: 'text', id: freshId('fit'), value: 'my-stack' });
    private readonly faultText = h('p', { class: 'error', role: 'alert' });
    private readonly summary = h('p', { role: 'status' });
    private readonly notes = h('ul', {});
    private readonly save = h(
        'button',
        { type: 'button', class: 'main', hidden: true, onclick: () => this.download() },
        'Download the stack',
    );
    private readonly report = h('div', { class: 'grid', hidden: true });
    private file: JsonObject | undefined;
    private sources = ['runs.csv'];
    private running: AbortController | undefined;

    constructor(private readonly app: App) {
        const field = (label: string, box: HTMLInputElement) => {
            box.addEventListener('input', () => this.app.commandChanged());
            return h('div', { class: 'field' }, h('label', { htmlFor: box.id }, label), box);
        };
        const input = h('input', {
            type: 'file',
            id: freshId('fit'),
            class: 'hidden',
            multiple: true,
            accept: '.csv,.json,.jsonl,.log,.txt,.out',
            onchange: () => void this.take([...(input.files ?? [])]),
        });
        this.element = h(
            'div',
            { class: 'grid' },
            h(
                'section',
                { class: 'panel' },
                h('header', {}, h('h3', {}, 'Fit a stack to your runs')),
                h(
                    'p',
                    { class: 'intro' },
                    'A table of measured runs, or a log of Megatron-LM, NeMo, torchtitan, nanotron, the Trainer, ' +
                        'vllm bench serve, SGLang, genai-perf or trtllm-bench. One run already helps.',
                ),
                h(
                    'div',
                    { class: 'line' },
                    field('Parent engine', this.engine),
                    field('Columns the file lacks', this.columns),
                    field('Name', this.name),
                ),
                h(
                    'p',
                    { class: 'drop' },
                    input,
                    h('label', { class: 'button', htmlFor: input.id }, 'Choose files'),
                    ' or drop them on this page',
                ),
                this.faultText,
                this.summary,
                this.save,
            ),
            this.report,
        );
        fill(
            this.report,
            this.chart.element,
            this.runs.element,
            this.parameters.element,
            h(
                'section',
                { class: 'panel' },
                h('header', {}, h('h3', {}, 'What remains, and what to measure')),
                this.notes,
            ),
        );
        this.element.addEventListener('dragover', (event) => event.preventDefault());
        this.element.addEventListener('drop', (event) => {
            event.preventDefault();
            event.stopPropagation(); // elsewhere a dropped file is a model
            document.documentElement.classList.remove('dropping');
            void this.take([...(event.dataTransfer?.files ?? [])]);
        });
    }

    command(): string {
        const name = this.name.value.trim() || 'my-stack';
        return commandLine(
            ...['fit', ...this.sources],
            ...(this.engine.value.trim() ? ['--engine', this.engine.value.trim()] : []),
            ...(this.columns.value.trim() ? ['--with', this.columns.value.trim()] : []),
            ...['--name', name, '--out', `${name}.json`],
        );
    }

    /** The fit does not depend on the job that is shown. */
    update(answer: Answer): void {
        void answer;
    }

    private async take(files: readonly File[]): Promise<void> {
        if (files.length === 0) return;
        this.running?.abort();
        const running = (this.running = new AbortController());
        this.faultText.textContent = '';
        this.sources = files.map((f) => f.name);
        this.app.commandChanged();
        const names = this.sources.join(', ');
        if (files.reduce((sum, f) => sum + f.size, 0) > MOST_BYTES) {
            this.faultText.textContent = `${names}: too long for this page; use orrery fit`;
            return;
        }
        this.summary.textContent = `Fitting ${names} …`;
        const texts = await Promise.all(files.map((f) => f.text()));
        const request: JsonObject = {
            runs: texts.length === 1 ? texts[0]! : texts.map((text) => `${text}\n`), // a list may have single runs, too
            name: this.name.value || 'my-stack',
        };
        if (this.engine.value) request['engine'] = this.engine.value;
        if (this.columns.value) request['with'] = this.columns.value;
        try {
            this.show(await api.post<Report>('fit', request, running.signal));
        } catch (error) {
            if (running.signal.aborted) return;
            this.summary.textContent = '';
            this.faultText.textContent = (error as Error).message;
        }
    }

    private show(report: Report): void {
        this.file = report.file;
        this.summary.textContent =
            `${report.n_runs} run${report.n_runs === 1 ? '' : 's'}, best described by ${report.engine}${report.fitted ? ', fitted' : ' as it is'}. ` +
            `Median error ${percent(report.median_ape_before)} before, ${percent(report.median_ape_after)} after, ` +
            `${percent(report.median_ape_left_out)} leaving each run out.`;
        this.runs.set(report.runs);
        this.draw(report.runs);
        this.parameters.set(report.parameters);
        this.parameters.element.hidden = !report.fitted;
        const reach = Math.exp(QUANTILE * Math.hypot(report.fit_within_frac, report.fit_stack_frac));
        const interval = `80 % interval of jobs with this stack: a factor of ${reach.toFixed(2)} either way`;
        const next = report.next
            .filter((n) => n.narrowing_frac >= LEAST_NARROWING)
            .map(
                (n) =>
                    `Next: like ${n.like}, with ${n.column} ${n.to} instead of ${n.from}` +
                    `${n.predicted_s > 0 ? `, about ${digits(n.predicted_s)} s` : ''}; ` +
                    `intervals ${percent(n.narrowing_frac)} narrower`,
            );
        fill(this.notes, ...[interval, ...report.notes, ...next].map((text) => h('li', {}, text)));
        this.save.hidden = this.report.hidden = false;
        this.app.say(this.summary.textContent);
    }

    /** Draws how far off each run was before the fit and is after it. */
    private draw(runs: readonly Run[]): void {
        const shown = runs.slice(0, MOST_BARS);
        const bars = [
            ['before', (r: Run) => r.error_before],
            ['after', (r: Run) => r.error_after],
            ['left out', (r: Run) => r.error_left_out],
        ] as const;
        this.chart.height(90 + 34 * shown.length);
        this.chart.set(
            `Errors of ${runs.length} runs: ` +
                shown
                    .map((r) => `${r.run} ${signed(r.error_before)} before, ${signed(r.error_after)} after`)
                    .join('; '),
            (colours, width_px) => {
                const names = legend(
                    bars.map(([name]) => name),
                    width_px,
                    colours,
                );
                return {
                    legend: names.option,
                    grid: { left: 8, right: 24, top: names.height + 8, bottom: 4, containLabel: true },
                    tooltip: {
                        trigger: 'item',
                        formatter: (p: { name: string; seriesName: string; value: number }) =>
                            note(p.name, [[p.seriesName, signed(p.value)]]),
                    },
                    xAxis: axis(colours, { type: 'value', axisLabel: mark(signed, colours) }),
                    yAxis: axis(colours, {
                        type: 'category',
                        inverse: true,
                        data: shown.map((r) => r.run),
                        splitLine: { show: false },
                    }),
                    series: bars.map(([name, of], i) => ({
                        type: 'bar',
                        name,
                        barMaxWidth: 9,
                        itemStyle: { color: colours.series[[7, 0, 3][i]!] },
                        data: shown.map(of),
                    })),
                };
            },
            () => [['run', ...bars.map(([name]) => name)], ...runs.map((r) => [r.run, ...bars.map(([, of]) => of(r))])],
        );
    }

    private download(): void {
        if (this.file)
            download(
                `${this.name.value || 'my-stack'}.json`,
                JSON.stringify(this.file, null, 2) + '\n',
                'application/json',
            );
    }
}
