// This view shows the best plans for a model on a number of GPUs, and the front between time and memory. A click loads
// a plan.

import * as api from '../api';
import { Chart } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, freshId, h, select } from '../dom';
import { count, words } from '../format';
import { copyButton } from '../share';
import { recorded } from '../recorded';
import type { Job } from '../state';
import { Table } from '../table';
import type { Beside, Found, JsonObject, Kind, Nearest, SearchResult } from '../types';
import type { Answer, App, View } from '../view';
import { columnsOf, countsText, flagsOf, frontChart, launchLines, nothingText, planText, runText } from './search_plans';

const OBJECTIVES = ['time', 'throughput', 'cost', 'energy', 'memory'] as const;
/** These are the fields of the workload that a search decides. Formats that the job names stay. */
const VARIED: Record<Kind, readonly string[]> = {
    train: ['micro_batch', 'recompute', 'recompute_every'],
    infer: ['batch'],
};
/** These fields of the workload are loaded with a plan. */
const LOADED: Record<Kind, readonly string[]> = {
    train: VARIED.train,
    infer: ['batch', 'precision', 'kv_precision', 'disaggregated'],
};
const KEPT = ['tp', 'pp', 'vpp', 'cp', 'ep', 'zero', 'recompute', 'micro_batch', 'batch'];
const FIRST_OBJECTIVE: Record<Kind, string> = { train: 'time', infer: 'throughput' };

/** Puts a plan into the job. Fields that follow from the others stay open, so that they can be edited. */
export function loadPlan(job: Job, found: Found): void {
    const plan = found.plan;
    const follows: Record<string, boolean> = {
        dp: true,
        cp_kind: plan['cp_kind'] === 'ring',
        overlap: plan['overlap'] === 'all',
        zero_group: Number(plan['zero_group']) === Number(plan['dp']) * Number(plan['cp']),
        schedule: plan['schedule'] === (Number(plan['vpp']) > 1 ? 'interleaved' : '1f1b'),
        stage_layers: true,
    };
    for (const key of Object.keys(job.values)) if (key.startsWith('plan.')) delete job.values[key];
    for (const [key, value] of Object.entries(plan))
        if (!follows[key] && value !== null)
            job.values[`plan.${key}`] = Array.isArray(value) ? value.join(',') : String(value);
    for (const key of LOADED[job.kind]) {
        const value = found.workload[key];
        if (value !== undefined && value !== null) job.values[`workload.${key}`] = String(value);
    }
    // Where there are two pools, that of the prompts is loaded.
    job.values['gpus'] = String(['tp', 'pp', 'cp', 'dp'].reduce((gpus, key) => gpus * Number(plan[key] ?? 1), 1));
}

const TOP = 20;

interface TextField {
    box: HTMLInputElement;
    error: HTMLElement;
    row: HTMLElement;
}

export class Search implements View {
    readonly id = 'search';
    readonly label = 'Search';
    readonly element: HTMLElement;
    private readonly status = h('p', { class: 'outcome', role: 'status' });
    private readonly bar = h('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Progress of the search' });
    private readonly go = h('button', { type: 'button', class: 'main', onclick: () => void this.run() }, 'Search');
    private readonly stop = h('button', { type: 'button', hidden: true, onclick: () => this.running?.abort() }, 'Stop');
    private readonly front = new Chart('Pareto front', 'orrery-pareto', {
        class: 'medium',
        intro: 'Plans no other plan beats in both.' + (recorded ? '' : ' A click loads one.'),
    });
    private table: Table<Found> | undefined;
    private readonly tableHost = h('div');
    private readonly beside = h('dl', { class: 'facts beside' });
    private readonly launch = h('div', { class: 'grid' });
    private readonly results: HTMLElement;
    private readonly gpus: TextField;
    private readonly limits: TextField;
    private readonly objective: HTMLElement;
    private readonly which: HTMLElement;
    private found: SearchResult | undefined;
    private readonly keep: HTMLInputElement[];
    private readonly faultText = h('p', { class: 'error', role: 'alert' });
    private running: AbortController | undefined;
    private answer: Answer | undefined;
    /** The job whose plans are shown. */
    private searched = '';
    private empty = false;

    constructor(private readonly app: App) {
        this.gpus = this.text('GPUs', 'gpus', 'one number, or 64..512');
        this.limits = this.text('Limits', 'limits', 'such as mfu_frac>=0.4; memory_bytes.total<=70 GiB');
        this.keep = KEPT.map((key) => this.keepBox(key));
        this.objective = select(
            'Best',
            OBJECTIVES.map((o) => [o, o] as const),
            'time',
            (v) => this.set('objective', v),
        );
        this.front.on('click', (p) => this.load((p.data as { found?: Found }).found));
        this.which = select(
            'Show',
            [
                ['best', 'the best'],
                ['front', 'the Pareto front'],
            ],
            'best',
            (v) => {
                app.setOption('search.show', v);
                this.fillTable();
            },
        );
        this.results = this.resultPanels();
        this.element = h('div', { class: 'grid' }, this.askPanel(), this.results);
        this.restore();
    }

    private keepBox(key: string): HTMLInputElement {
        const kept = () => this.keep.filter((k) => k.checked).map((k) => k.value);
        return h('input', {
            type: 'checkbox',
            id: freshId('keep'),
            value: key,
            onchange: () => this.set('keep', kept().join(',')),
        });
    }

    /** The panel with what is asked, and what came of it. */
    private askPanel(): HTMLElement {
        const boxes = this.keep.map((box) =>
            h('span', {}, box, h('label', { htmlFor: box.id }, box.value.replace('_', '-'))),
        );
        return h(
            'section',
            { class: 'panel' },
            h('header', {}, h('h3', {}, 'Search plans')),
            h(
                'p',
                { class: 'intro asks' },
                'Tries every plan of the model on the system, with every micro-batch and recomputation ' +
                    '(training), or every batch (inference; the batch arrives at once, Sizing has arrivals). ' +
                    'Formats that the job names and what is kept below stay.',
            ),
            h('div', { class: 'line top asks' }, this.objective, this.gpus.row, this.limits.row),
            h('fieldset', { class: 'checks asks' }, h('legend', {}, 'Keep from the job'), ...boxes),
            h('div', { class: 'line asks' }, this.go, this.stop, this.bar),
            this.status,
            this.faultText,
        );
    }

    private resultPanels(): HTMLElement {
        const panel = (title: string, content: HTMLElement) =>
            h('section', { class: 'panel' }, h('header', {}, h('h3', {}, title)), content);
        return h(
            'div',
            { class: 'grid', hidden: true },
            panel('The winner, and plans beside it', this.beside),
            this.front.element,
            this.tableHost,
            panel('Launch the best', this.launch),
        );
    }

    private text(label: string, key: string, title: string): TextField {
        const id = freshId('search');
        const error = h('p', { class: 'error', id: `${id}-error` });
        const box: HTMLInputElement = h('input', {
            type: 'text',
            id,
            title,
            autocomplete: 'off',
            'aria-describedby': error.id,
            oninput: () => this.set(key, box.value),
        });
        return { box, error, row: h('div', { class: 'field' }, h('label', { htmlFor: id }, label), box, error) };
    }

    private set(key: string, value: string): void {
        this.app.setOption(`search.${key}`, value);
        this.app.commandChanged();
    }

    /** Returns what the best plan has most or least of; serving asks for throughput unless told otherwise. */
    private get wanted(): string {
        return this.app.option('search.objective', '') || FIRST_OBJECTIVE[this.app.state.job.kind];
    }

    async command({ job, result }: Answer): Promise<string> {
        const kept = new Set(this.keep.filter((k) => k.checked).map((k) => k.value));
        const skip = (key: string): boolean => {
            const name = key.replace(/^.*\./, '');
            if (key === 'gpus') return true;
            return (key.startsWith('plan.') || VARIED[job.kind].includes(name)) && !kept.has(name);
        };
        const batch = job.values['workload.global_batch'] || job.kind === 'infer';
        return commandLine(
            ...['search', job.kind, ...(await jobWords(job, skip))],
            ...['--gpus', this.gpus.box.value.trim() || String(result.request.gpus)],
            ...(batch ? [] : ['--global-batch', String(result.request.workload['global_batch'])]),
            ...['--objective', this.wanted, '--top', String(TOP)],
            ...this.where.flatMap((limit) => ['--where', limit]),
        );
    }

    private get where(): string[] {
        return this.limits.box.value
            .split(/[;,]/)
            .map((t) => t.trim())
            .filter(Boolean);
    }

    restore(): void {
        const kept = this.app.option('search.keep', '').split(',');
        for (const box of this.keep) box.checked = kept.includes(box.value);
        this.gpus.box.value = this.app.option('search.gpus', '');
        this.limits.box.value = this.app.option('search.limits', '');
        this.objective.querySelector('select')!.value = this.wanted;
        this.which.querySelector('select')!.value = this.app.option('search.show', 'best');
        this.fillTable();
    }

    private fillTable(): void {
        if (!this.found) return;
        this.table?.set(this.app.option('search.show', 'best') === 'front' ? this.found.pareto : this.found.best);
    }

    update(answer: Answer): void {
        this.answer = answer;
        if (recorded) return void this.run();
        this.objective.querySelector('select')!.value = this.wanted;
        this.gpus.box.placeholder = `${answer.result.request.gpus}; or 64..512`;
        this.limits.box.placeholder = answer.job.kind === 'train' ? 'mfu_frac>=0.4' : 'ttft_s<=500 ms';
        if (this.searched) {
            const same = this.searched === this.subject();
            this.results.hidden = !same || this.empty;
            this.status.hidden = !same;
        }
        for (const box of this.keep)
            (box.parentElement as HTMLElement).hidden = !(
                box.value in answer.result.request.plan || box.value in answer.result.request.workload
            );
    }

    /** Returns what a search is about: the job without the fields that the search decides. */
    private subject(): string {
        const { request, job } = this.answer!;
        const given = Object.entries(request['workload'] as JsonObject);
        const workload = given.filter(([k]) => !VARIED[job.kind].includes(k));
        return JSON.stringify([job.kind, request['model'], job.system, request['set'], Object.fromEntries(workload)]);
    }

    private request(): JsonObject {
        const { request, result, job } = this.answer!;
        const kept = new Set(this.keep.filter((k) => k.checked).map((k) => k.value));
        const plan = Object.fromEntries(Object.entries(result.request.plan).filter(([k]) => kept.has(k)));
        const given = request['workload'] as JsonObject;
        const workload: JsonObject = Object.fromEntries(
            Object.entries(given).filter(([k]) => !VARIED[job.kind].includes(k)),
        );
        for (const key of VARIED[job.kind]) {
            const value = result.request.workload[key];
            if (kept.has(key) && value !== undefined) workload[key] = value;
        }
        if (job.kind === 'train') workload['global_batch'] = result.request.workload['global_batch'] ?? null;
        const asked = this.gpus.box.value.trim();
        return {
            ...request,
            gpus: asked ? (/^[0-9]+$/.test(asked) ? Number(asked) : asked) : result.request.gpus,
            plan,
            workload,
            search: { objective: this.wanted, top: TOP, limits: this.where },
        };
    }

    private async run(): Promise<void> {
        if (!this.answer) return;
        this.running?.abort();
        const running = (this.running = new AbortController());
        this.busy(true);
        this.fault('', '');
        const subject = this.subject();
        this.status.hidden = false;
        fill(this.status, 'Searching …');
        try {
            const result = await api.stream<SearchResult>(
                'search',
                this.request(),
                (p) => {
                    this.bar.value = p.done_frac ?? 0;
                    fill(this.status, `Searching … ${count(p.plans ?? 0)} plans`);
                },
                running.signal,
            );
            this.searched = subject;
            this.showResult(result);
        } catch (error) {
            fill(this.status, running.signal.aborted ? 'Stopped.' : '');
            if (!running.signal.aborted)
                this.fault((error as Error).message, error instanceof api.RequestError ? error.key : '');
        } finally {
            if (this.running === running) this.busy(false);
        }
    }

    /** Puts a message beside the field it is about, or else below the button. */
    private fault(text: string, key: string): void {
        const fields: Record<string, TextField> = { gpus: this.gpus, 'search.limits': this.limits };
        for (const [name, { row, box, error }] of Object.entries(fields)) {
            const here = text !== '' && key === name;
            fill(error, here ? text.replace(`${name}: `, '') : '');
            row.classList.toggle('bad', here);
            if (here) box.setAttribute('aria-invalid', 'true');
            else box.removeAttribute('aria-invalid');
        }
        fill(this.faultText, fields[key] ? '' : text);
        if (fields[key]) this.app.say(text);
    }

    private busy(on: boolean): void {
        this.bar.hidden = this.stop.hidden = !on;
        this.go.textContent = on ? 'Search anew' : 'Search';
    }

    private showResult(r: SearchResult): void {
        fill(this.status, countsText(r));
        this.empty = r.best.length === 0;
        this.results.hidden = this.empty;
        if (this.empty) {
            this.status.append(nothingText(r));
            return;
        }
        this.found = r;
        this.table = new Table<Found>(
            'Best plans',
            'orrery-search',
            columnsOf(this.answer!.job.kind, (f) => this.load(f)),
            {
                controls: this.which,
            },
        );
        fill(this.tableHost, this.table.element);
        this.fillTable();
        this.showBeside(r);
        this.showLaunch(launchLines(r));
        const [x, y] = r.pareto_keys;
        this.front.set(
            `Pareto front of ${r.pareto.length} plans between ${words(x)} and ${words(y)}; ` +
                'the best plans are in the table below.',
            (colours) => frontChart(r, colours),
            () => [['plan', 'gpus', x, y], ...r.pareto.map((f) => [planText(f), f.gpus, f.front[0], f.front[1]])],
        );
    }

    /** Shows what to know before the winner is run: what is as good and simpler, what somebody ran, how sure it is. */
    private showBeside(r: SearchResult): void {
        const winner = r.best[0]!;
        const nearest = winner['nearest'] as Nearest | null | undefined;
        const load = (f: Found) =>
            recorded ? null : h('button', { type: 'button', 'aria-label': `Load ${planText(f)}`, onclick: () => this.load(f) }, 'Load');
        const row = (name: string, plan: Found, more: string) => [
            h('dt', {}, name),
            h('dd', {}, `${planText(plan)}${more} `, load(plan)),
        ];
        const times = (plan: Beside) => (plan.ratio ? `; ${plan.ratio.toFixed(3)} times the winner` : '');
        fill(
            this.beside,
            ...row('Winner', winner, ''),
            ...(r.simplest ? row('Simplest within half a per cent', r.simplest, times(r.simplest)) : []),
            ...(r.inside && nearest?.outside
                ? row('Best inside what was measured', r.inside, times(r.inside))
                : []),
            ...(r.published
                ? row('Published layout', r.published, `${times(r.published)}; ${runText(r.published)}`)
                : []),
            h('dt', {}, 'How sure'),
            h(
                'dd',
                {},
                !nearest || nearest.outside
                    ? 'Nobody measured a run near the winner. The best prediction of many is an optimistic one: ' +
                          'expect it to be slower.'
                    : `The nearest measured run is ${nearest.distance.toFixed(2)} away.`,
            ),
        );
    }

    private showLaunch(programs: [string, string][]): void {
        fill(
            this.launch,
            ...programs.map(([program, flags]) =>
                h(
                    'div',
                    { class: 'launch' },
                    h(
                        'pre',
                        { tabIndex: 0, 'aria-label': `Flags of ${program}` },
                        h('span', {}, program),
                        ...flagsOf(flags).map((flag) => h('span', {}, flag)),
                    ),
                    copyButton(
                        'Copy',
                        `Copy the flags of ${program}`,
                        () => flags,
                        (text) => this.app.say(text),
                    ),
                ),
            ),
            programs.length === 0 ? h('p', { class: 'empty' }, 'No launch flags for this plan.') : null,
        );
    }

    private load(found: Found | undefined): void {
        if (!found) return;
        this.app.edit((job) => loadPlan(job, found));
        this.app.say(`Loaded: ${planText(found)} on ${found.gpus} GPUs`);
    }
}
