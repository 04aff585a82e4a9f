// This view shows up to four jobs side by side.

import * as api from '../api';
import { Chart, stacked } from '../charts';
import { commandLine, jobWords } from '../command';
import { download, fill, h } from '../dom';
import { FIELDS, KNOBS } from '../fields';
import { change, gib, GIB, seconds, words } from '../format';
import { overrides } from '../machine';
import { isKey, jobFrom, jobText, requestOf, type Job } from '../state';
import { csv } from '../table';
import { TrafficForm } from '../traffic';
import type { JsonObject, Result } from '../types';
import { mainTime, type Answer, type App, type View } from '../view';
import { cardsOf } from './cards';
import { servedCards } from './load';
import type { Served } from './load_types';

export const MOST_JOBS = 4;

interface Entry {
    job: Job;
    text: string;
    result?: Result;
    /** The job as a service under load. */
    served?: Served;
    error?: string;
}

/** Returns every setting of a job by name, for the rows that differ. */
function settings(job: Job): Record<string, string> {
    const out: Record<string, string> = { kind: job.kind, model: job.model, system: job.system, ...job.values };
    for (const knob of KNOBS) out[`${knob.label} ×`] = String(job.factors[knob.id] ?? 1);
    return out;
}

const settingName = (key: string): string =>
    FIELDS.find((f) => f.key === key)?.label ?? words(key.replace(/^workload\./, ''));

export class Compare implements View {
    readonly id = 'compare';
    readonly label = 'Compare';
    readonly element: HTMLElement;
    private readonly head = h('thead');
    private readonly body = h('tbody');
    private readonly time = new Chart('Time', 'orrery-compare-time', { class: 'medium' });
    private readonly memory = new Chart('Memory of the fullest GPU', 'orrery-compare-memory', { class: 'medium' });
    private readonly add = h(
        'button',
        { type: 'button', class: 'main', onclick: () => this.keepCurrent() },
        'Add the current job',
    );
    private readonly save = h(
        'button',
        { type: 'button', 'aria-label': 'Download the comparison as CSV', onclick: () => this.saveCsv() },
        'CSV',
    );
    private readonly empty = h(
        'p',
        { class: 'empty' },
        'Nothing to compare yet: add the current job, change it, add it again.',
    );
    private readonly full = h('p', { class: 'intro' }, `${MOST_JOBS} jobs are the most: remove one to add another.`);
    private readonly loadBox = h('input', {
        type: 'checkbox',
        id: 'compare-load',
        onchange: () => {
            this.app.setOption('compare.load', this.loadBox.checked ? '1' : '');
            this.app.compare([...this.app.state.compare]);
        },
    });
    private readonly loadRow = h(
        'p',
        { class: 'intro' },
        this.loadBox,
        ' ',
        h('label', { htmlFor: 'compare-load' }, 'inference as services, with the traffic and limits of Under load'),
    );
    /** Never shown: it turns the settings of the traffic into requests. */
    private readonly traffic: TrafficForm;
    private readonly results: HTMLElement;

    constructor(private readonly app: App) {
        this.traffic = new TrafficForm(app, () => undefined);
        this.results = h(
            'div',
            { class: 'grid two' },
            h(
                'div',
                { class: 'span scroll', tabIndex: 0, role: 'region', 'aria-label': 'Jobs side by side' },
                h('table', { class: 'compare' }, this.head, this.body),
            ),
            this.time.element,
            this.memory.element,
        );
        this.element = h(
            'div',
            { class: 'grid' },
            h(
                'section',
                { class: 'panel' },
                h('header', {}, h('h3', {}, 'Side by side'), h('div', { class: 'actions' }, this.save, this.add)),
                this.full,
                this.loadRow,
                this.empty,
                this.results,
            ),
        );
    }

    command = async (): Promise<string> => {
        const jobs = this.app.state.compare.map((text) => jobFrom(text));
        const line = async (job: Job): Promise<string> => {
            const served = this.loaded && job.kind === 'infer';
            const skip = served ? this.traffic.decides : () => false;
            const lengths = { result: { request: { workload: this.lengths(job) } } } as unknown as Answer;
            return commandLine(
                ...[served ? 'serving' : job.kind, ...(await jobWords(job, skip))],
                ...(served ? this.traffic.words(lengths) : []),
            );
        };
        return (await Promise.all(jobs.map(line))).join('\n');
    };

    /** Says whether jobs of inference are compared as services. */
    private get loaded(): boolean {
        return this.app.option('compare.load', '') !== '';
    }

    /** The lengths that the traffic takes from a job. */
    private lengths = (job: Job): JsonObject => ({
        input_len: job.values['workload.input_len'] ?? '',
        output_len: job.values['workload.output_len'] ?? '',
    });

    async update(_: Answer, signal: AbortSignal): Promise<void> {
        const kept = this.app.state.compare;
        this.add.disabled = kept.length >= MOST_JOBS;
        this.full.hidden = !this.add.disabled;
        this.empty.hidden = kept.length > 0;
        this.save.hidden = kept.length === 0;
        this.results.hidden = kept.length === 0;
        this.loadBox.checked = this.loaded;
        this.loadRow.hidden = !kept.some((text) => jobFrom(text).kind === 'infer');
        this.traffic.restore();
        if (kept.length === 0) return;
        const entries = await Promise.all(kept.map((text) => this.predict(text, signal)));
        if (signal.aborted) return;
        this.showTable(entries);
        this.showBars(entries);
    }

    private async predict(text: string, signal: AbortSignal): Promise<Entry> {
        const job = jobFrom(text);
        try {
            const request = requestOf(job, await overrides(job.system, job.factors));
            const result = await api.post<Result>(job.kind, request, signal);
            if (job.kind !== 'infer' || !this.loaded) return { job, text, result };
            const asked = this.traffic.request({ job, request, text: '', result }, 'serving');
            return { job, text, result, served: await api.post<Served>('serving', asked, signal) };
        } catch (error) {
            return { job, text, error: (error as Error).message };
        }
    }

    private keepCurrent(): void {
        this.app.compare([...this.app.state.compare, jobText(this.app.state.job)].slice(0, MOST_JOBS));
        this.app.say(`Job ${this.app.state.compare.length} of ${MOST_JOBS} kept to compare`);
    }

    /** Saves the table as it is shown. */
    private saveCsv(): void {
        const text = (row: Element) =>
            [...row.children].map((c) => c.querySelector('strong')?.textContent ?? c.textContent ?? '');
        const count = this.app.state.compare.length;
        const head = ['', ...Array.from({ length: count }, (_, i) => `Job ${i + 1}`)];
        download('orrery-compare.csv', csv([head, ...[...this.body.children].map(text)]), 'text/csv');
    }

    private showTable(entries: Entry[]): void {
        const button = (i: number, text: string, act: () => void) =>
            h('button', { type: 'button', 'aria-label': `${text} job ${i + 1}`, onclick: act }, text);
        fill(
            this.head,
            h(
                'tr',
                {},
                h('td', {}),
                ...entries.map((e, i) =>
                    h(
                        'th',
                        { scope: 'col' },
                        `Job ${i + 1}`,
                        e.error ? h('p', { class: 'error' }, e.error) : null,
                        h(
                            'span',
                            { class: 'actions' },
                            button(i, 'Load', () =>
                                this.app.edit((job) => Object.assign(job, { config: undefined }, jobFrom(e.text))),
                            ),
                            button(i, 'Remove', () =>
                                this.app.compare(this.app.state.compare.filter((_, j) => j !== i)),
                            ),
                        ),
                    ),
                ),
            ),
        );
        const all = entries.map((e) => settings(e.job));
        const keys = [...new Set(all.flatMap((s) => Object.keys(s)))].filter(
            (k) => k === 'model' || k === 'system' || new Set(all.map((s) => s[k] ?? '')).size > 1,
        );
        const cards = entries.map((e) =>
            e.served ? servedCards(e.served, e.served.request.slo.length > 0) : e.result ? cardsOf(e.result) : [],
        );
        const rows = [...new Set(cards.flatMap((c) => c.map((x) => x.label)))];
        fill(
            this.body,
            ...keys.map((key) =>
                h(
                    'tr',
                    { class: 'setting' },
                    h('th', { scope: 'row' }, settingName(key)),
                    ...entries.map((e, i) => h('td', {}, all[i]![key] || (isKey(key, e.job.kind) ? 'auto' : '–'))),
                ),
            ),
            ...rows.map((label) =>
                h(
                    'tr',
                    {},
                    h('th', { scope: 'row' }, label),
                    ...cards.map((c) => {
                        const card = c.find((x) => x.label === label);
                        return h(
                            'td',
                            { class: card?.state ?? '' },
                            card ? h('strong', {}, card.value) : '–',
                            card ? h('span', { class: 'small' }, card.more) : null,
                        );
                    }),
                ),
            ),
            h(
                'tr',
                { hidden: entries.every((e) => e.served) },
                h('th', { scope: 'row' }, 'Time against job 1'),
                ...entries.map((e) =>
                    h(
                        'td',
                        {},
                        e.result && !e.served && entries[0]?.result?.kind === e.result.kind && e !== entries[0]
                            ? change(mainTime(e.result) / mainTime(entries[0].result) - 1)
                            : '–',
                    ),
                ),
            ),
        );
    }

    private showBars(entries: Entry[]): void {
        const good = entries
            .map((e, i) => ({ ...e, name: `Job ${i + 1}` }))
            .filter((e): e is Entry & { name: string; result: Result } => Boolean(e.result));
        const sum = (values: Record<string, number>) => Object.values(values).reduce((a, b) => a + b, 0);
        const draw = (
            chart: Chart,
            what: string,
            parts: (r: Result) => Record<string, number>,
            text: (v: number) => string,
        ) => {
            const names = [
                ...new Set(
                    good.flatMap((e) =>
                        Object.entries(parts(e.result))
                            .filter(([, v]) => v > 0)
                            .map(([k]) => k),
                    ),
                ),
            ];
            chart.height(120 + 46 * good.length);
            chart.set(
                `${what} of ${good.map((e) => `${e.name}: ${text(sum(parts(e.result)))}`).join(', ')}`,
                (colours, width_px) =>
                    stacked(
                        good.map((e) => e.name),
                        names.map((n, i) => ({
                            name: words(n),
                            values: good.map((e) => parts(e.result)[n] ?? 0),
                            colour: colours.series[i % 10]!,
                        })),
                        text,
                        colours,
                        { legend_px: width_px },
                    ),
                () => [['job', ...names], ...good.map((e) => [e.name, ...names.map((n) => parts(e.result)[n] ?? 0)])],
            );
        };
        draw(this.time, 'Time', (r) => r.time_s, seconds);
        draw(
            this.memory,
            'Memory',
            ({ memory_bytes: { total: _t, most: _m, usable: _u, capacity: _c, headroom: _h, ...rest } }) =>
                Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, v / GIB])),
            gib,
        );
    }
}
