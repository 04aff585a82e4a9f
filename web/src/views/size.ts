// This view finds the cheapest plan that serves a load within limits, on one of several systems.

import * as api from '../api';
import { axis, Chart, legend, mark, note } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, freshId, h, select } from '../dom';
import { count, digits, dollars, percent, rate, seconds } from '../format';
import { Table, type Column } from '../table';
import { TrafficForm } from '../traffic';
import { recorded } from '../recorded';
import type { Catalogue, JsonObject } from '../types';
import type { Answer, App, View } from '../view';
import { servedCards } from './load';
import { limitOf, NAMES } from './load_charts';
import type { Sized, SizedPlan } from './load_types';

/** The degrees above one and the replicas of one pool. */
const poolText = (plan: Record<string, number>, replicas: number): string =>
    [
        ...['tp', 'pp', 'ep'].filter((k) => (plan[k] ?? 1) > 1).map((k) => `${k} ${plan[k]}`),
        `${replicas} replica${replicas > 1 ? 's' : ''}`,
    ].join(', ');

const planText = (p: SizedPlan): string =>
    p.decode
        ? `prompts: ${poolText(p.plan, p.replicas)}; answers: ${poolText(p.decode, p.decode.replicas ?? 1)}; ${p.precision}`
        : `${poolText(p.plan, p.replicas)}, ${p.precision}`;

const limitName = (text: string): string => {
    const limit = limitOf(text);
    return limit ? `${NAMES[limit.kind]}, ${limit.stat}` : text;
};

export class Size implements View {
    readonly id = 'size';
    readonly label = 'Sizing';
    readonly kinds = ['infer'] as const;
    readonly ownHeadline = true;
    readonly element: HTMLElement;
    private readonly traffic: TrafficForm;
    private readonly systems: HTMLInputElement;
    private readonly budget: HTMLInputElement;
    private readonly objective: HTMLElement;
    private readonly go = h(
        'button',
        { type: 'button', class: 'main', onclick: () => void this.run() },
        'Find the size',
    );
    private readonly status = h('div', { class: 'outcome', role: 'status' });
    private readonly faultText = h('p', { class: 'error', role: 'alert' });
    private readonly chart = new Chart('Cost against latency', 'orrery-size', {
        class: 'medium',
        intro:
            'Plans of rising cost and falling latency. Latency is the largest value over its limit: ' +
            `at 100 % all limits are just kept.${recorded ? '' : ' A click loads a plan.'}`,
    });
    private readonly tableHost = h('div');
    private readonly results: HTMLElement;
    private answer: Answer | undefined;
    private running: AbortController | undefined;
    /** The question whose plans are shown. */
    private asked = '';
    private sized: Sized | undefined;
    private answered = '';

    constructor(
        private readonly app: App,
        lists: Catalogue,
    ) {
        this.traffic = new TrafficForm(app, () => this.changed());
        this.systems = this.text('systems', 'names between commas, at most 16');
        const more = select(
            'And',
            [['', 'add a system'], ...lists.systems.map((s) => [s.id, s.id] as const)],
            '',
            (v) => {
                this.addSystem(v);
                more.querySelector('select')!.value = '';
            },
        );
        this.budget = this.text('budget', 'such as 64 GPUs or $40/h');
        this.budget.placeholder = '64 GPUs';
        this.objective = select(
            'Fewest',
            [
                ['', 'dollars'],
                ['gpus', 'GPUs'],
            ],
            app.option('size.objective', ''),
            (v) => this.set('objective', v),
        );
        this.chart.on('click', (p) => this.load((p.data as { plan?: SizedPlan }).plan));
        this.results = h('div', { class: 'grid', hidden: true }, this.chart.element, this.tableHost);
        const field = (label: string, box: HTMLInputElement) =>
            h('div', { class: 'field wide-one' }, h('label', { htmlFor: box.id }, label), box);
        this.element = h(
            'div',
            { class: 'grid' },
            h(
                'section',
                { class: 'panel' },
                h('header', {}, h('h3', {}, 'Size of a service')),
                h(
                    'p',
                    { class: 'intro asks' },
                    'Which system, how many GPUs and which plan serve this traffic within the limits, for the least? ' +
                        'Model, engine and formats are those of the job; its plan and GPUs are not used.',
                ),
                h(
                    'div',
                    { class: 'line top asks' },
                    field('Systems', this.systems),
                    more,
                    field('Budget', this.budget),
                    this.objective,
                ),
                h('div', { class: 'asks' }, this.traffic.element),
                h('div', { class: 'line asks' }, this.go),
                this.status,
                this.faultText,
            ),
            this.results,
        );
        this.restore();
    }

    private text(key: string, title: string): HTMLInputElement {
        const box: HTMLInputElement = h('input', {
            type: 'text',
            id: freshId('size'),
            title,
            autocomplete: 'off',
            spellcheck: false,
            oninput: () => this.set(key, box.value),
        });
        return box;
    }

    private addSystem(name: string): void {
        const now = (this.systems.value || this.systems.placeholder).split(',').map((s) => s.trim());
        if (name && !now.includes(name)) this.systems.value = [...now, name].filter(Boolean).join(', ');
        this.set('systems', this.systems.value);
    }

    private set(key: string, value: string): void {
        this.app.setOption(`size.${key}`, value);
        this.changed();
    }

    private changed(): void {
        this.app.commandChanged();
        this.hideOld();
    }

    restore(): void {
        this.systems.value = this.app.option('size.systems', '');
        this.budget.value = this.app.option('size.budget', '');
        this.objective.querySelector('select')!.value = this.app.option('size.objective', '');
        this.traffic.restore();
    }

    update(answer: Answer): void {
        this.answer = answer;
        this.systems.placeholder = answer.job.system;
        this.traffic.restore();
        this.traffic.hint(answer);
        if (recorded) void this.run();
        else this.hideOld();
    }

    /** Plans of another question are hidden until the question is that one again. */
    private hideOld(): void {
        if (!this.asked || !this.answer) return this.headline(undefined);
        const same = this.asked === JSON.stringify(this.request());
        this.results.hidden = !same || !this.sized?.frontier.length;
        this.status.hidden = !same;
        this.headline(same ? this.sized : undefined);
    }

    async command(answer: Answer): Promise<string> {
        const skip = (key: string) =>
            key === 'system' || key === 'gpus' || key.startsWith('plan.') || this.traffic.decides(key);
        return commandLine(
            'size',
            ...(await jobWords(answer.job, skip)),
            ...['--system', this.names(answer)],
            ...this.traffic.words(answer),
            ...(this.budget.value.trim() ? ['--budget', this.budget.value.trim()] : []),
            ...(this.app.option('size.objective', '') ? ['--objective', 'gpus'] : []),
        );
    }

    /** Returns the systems to choose from, without blanks. */
    private names(answer: Answer): string {
        return this.systems.value.replace(/\s/g, '') || answer.job.system;
    }

    private request(): JsonObject {
        const { gpus: _g, plan: _p, ...request } = this.traffic.request(this.answer!, 'size');
        const objective = this.app.option('size.objective', '');
        const budget = this.budget.value.trim();
        return {
            ...request,
            system: this.names(this.answer!),
            size: { ...(budget ? { budget } : {}), ...(objective ? { objective } : {}) },
        };
    }

    private async run(): Promise<void> {
        if (!this.answer) return;
        this.running?.abort();
        const running = (this.running = new AbortController());
        const request = this.request();
        this.status.hidden = false;
        fill(this.status, 'Looking at every plan …');
        fill(this.faultText);
        this.traffic.fault('', '');
        this.results.hidden = true;
        this.headline(undefined);
        try {
            this.answered = await api.postText('size', request, running.signal);
            this.sized = JSON.parse(this.answered) as Sized;
            this.asked = JSON.stringify(request);
            this.show(this.sized);
        } catch (error) {
            if (running.signal.aborted) return;
            fill(this.status);
            const key = error instanceof api.RequestError ? error.key : '';
            if (!this.traffic.fault(key, (error as Error).message)) fill(this.faultText, (error as Error).message);
        }
    }

    answerText = (): string | undefined => this.answered || undefined;

    /** The headline is about the plan that was found, or about the nearest. */
    private headline(sized: Sized | undefined): void {
        const result = (sized?.best ?? sized?.nearest)?.result;
        this.app.headline(result ? servedCards(result, true) : [], []);
    }

    private show(sized: Sized): void {
        this.headline(sized);
        const plan = sized.best ?? sized.nearest;
        const { plans = 0, simulated = 0, fitting = 0 } = sized.counts;
        const load = (p: SizedPlan) =>
            h('button', { type: 'button', class: 'main', onclick: () => this.load(p) }, 'Load this plan');
        fill(
            this.status,
            sized.best
                ? h('p', {}, h('strong', {}, `${sized.best.gpus} × ${sized.best.system}`), this.facts(sized.best))
                : h('p', {}, h('strong', {}, 'No plan keeps all limits within the budget'), `: ${sized.reason ?? ''}.`),
            !sized.best && sized.nearest
                ? h('p', {}, `Nearest: ${sized.nearest.gpus} × ${sized.nearest.system}`, this.facts(sized.nearest))
                : null,
            plan ? h('p', { class: 'hints asks' }, load(plan)) : null,
            h(
                'p',
                { class: 'small' },
                `${count(plans)} plans, ${count(fitting)} layouts fit, ${count(simulated)} simulated` +
                    (sized.complete ? '.' : '; stopped early, so that a cheaper plan may exist.'),
            ),
        );
        this.results.hidden = sized.frontier.length === 0;
        if (sized.frontier.length === 0) return;
        this.showTable(sized);
        this.showChart(sized);
    }

    private facts(p: SizedPlan): string {
        const slo = p.slo.map((s) => `${limitName(s.limit)} ${seconds(s.value_s)}`).join(', ');
        const cost = p.usd_per_hour === null ? '' : `, ${dollars(p.usd_per_hour)} an hour`;
        const million = p.result ? `, ${dollars(p.result.cost_usd_per_million_output_tokens)} per million tokens` : '';
        return `: ${planText(p)}${cost}${million}; ${slo}.`;
    }

    private showTable(sized: Sized): void {
        const limits = sized.frontier[0]?.slo.map((s) => s.limit) ?? [];
        const columns: Column<SizedPlan>[] = [
            {
                label: 'Load',
                plain: true,
                value: () => '',
                show: (p) =>
                    h(
                        'button',
                        {
                            type: 'button',
                            'aria-label': `Load ${p.gpus} × ${p.system}, ${planText(p)}`,
                            onclick: () => this.load(p),
                        },
                        'Load',
                    ),
            },
            { label: 'System', value: (p) => p.system, class: 'line-of-text' },
            { label: 'GPUs', value: (p) => p.gpus },
            { label: '$/h', value: (p) => p.usd_per_hour ?? undefined, show: (p) => dollars(p.usd_per_hour) },
            { label: 'Plan', value: planText, class: 'line-of-text' },
            ...limits.map((limit, i) => ({
                label: limitName(limit),
                value: (p: SizedPlan) => p.slo[i]?.value_s,
                show: (p: SizedPlan) =>
                    h('span', { class: p.slo[i]?.met ? 'kept' : 'missed' }, seconds(p.slo[i]?.value_s)),
            })),
            { label: 'Of the limits', value: (p) => p.worst_frac, show: (p) => percent(p.worst_frac) },
            {
                label: 'Sequences, tokens a step',
                value: (p) => `${p.max_requests}, ${p.max_step_tokens}`,
                class: 'number',
            },
        ];
        const table = new Table<SizedPlan>('Plans', 'orrery-size', columns);
        table.set(sized.frontier);
        fill(this.tableHost, table.element);
    }

    private showChart(sized: Sized): void {
        const priced = sized.frontier.every((p) => p.usd_per_hour !== null);
        const cost = (p: SizedPlan) => (priced ? p.usd_per_hour! : p.gpus);
        const systems = [...new Set(sized.frontier.map((p) => p.system))];
        const best = sized.best;
        const most = Math.max(...sized.frontier.map((p) => p.worst_frac));
        this.chart.set(
            `${sized.frontier.length} plans of rising cost: ` +
                sized.frontier.map((p) => `${digits(cost(p))} at ${percent(p.worst_frac)} of the limits`).join(', '),
            (colours, width_px) => {
                const names = legend(systems, width_px, colours);
                return {
                    legend: names.option,
                    grid: { left: 72, right: 24, top: names.height + 14, bottom: 46 },
                    tooltip: {
                        trigger: 'item',
                        formatter: (p: { data: { plan?: SizedPlan } }) => {
                            const plan = p.data.plan;
                            if (!plan) return '';
                            return note(`${plan.gpus} × ${plan.system}, ${planText(plan)}`, [
                                ['an hour', dollars(plan.usd_per_hour)],
                                ...plan.slo.map((s) => [limitName(s.limit), seconds(s.value_s)] as const),
                            ]);
                        },
                    },
                    xAxis: axis(colours, {
                        type: 'log',
                        name: priced ? 'dollars per hour' : 'GPUs',
                        nameLocation: 'middle',
                        nameGap: 28,
                        min: 10 ** Math.floor(Math.log10(Math.min(...sized.frontier.map(cost)))),
                        axisLabel: mark(priced ? dollars : rate, colours),
                    }),
                    yAxis: axis(colours, {
                        ...(most > 3 ? { type: 'log' } : { type: 'value', min: 0 }),
                        name: 'of the tightest limit',
                        nameLocation: 'middle',
                        nameGap: 54,
                        axisLabel: mark(percent, colours),
                    }),
                    series: [
                        {
                            type: 'line',
                            name: 'all',
                            silent: true,
                            symbol: 'none',
                            z: 1,
                            step: 'end',
                            lineStyle: { color: colours.line, width: 1.5 },
                            data: sized.frontier.map((p) => [cost(p), p.worst_frac]),
                            markLine: {
                                symbol: 'none',
                                silent: true,
                                lineStyle: { color: colours.warn, type: 'dashed' },
                                label: { formatter: 'limits', color: colours.soft, position: 'insideEndTop' },
                                data: [{ yAxis: 1 }],
                            },
                        },
                        ...systems.map((system, i) => ({
                            type: 'scatter',
                            name: system,
                            cursor: 'pointer',
                            itemStyle: { color: colours.series[i % 10] },
                            data: sized.frontier
                                .filter((p) => p.system === system)
                                .map((p) => ({
                                    value: [cost(p), p.worst_frac],
                                    symbolSize: best && p.gpus === best.gpus && cost(p) === cost(best) ? 18 : 11,
                                    plan: p,
                                })),
                        })),
                    ],
                };
            },
            () => [
                ['system', 'gpus', 'usd_per_hour', 'worst_frac'],
                ...sized.frontier.map((p) => [p.system, p.gpus, p.usd_per_hour ?? undefined, p.worst_frac]),
            ],
        );
    }

    /** Puts a plan into the job and shows it under load. */
    private load(p: SizedPlan | undefined): void {
        if (!p) return;
        this.app.edit((job) => {
            for (const key of Object.keys(job.values)) if (key.startsWith('plan.')) delete job.values[key];
            job.system = p.system;
            job.values['gpus'] = String(p.gpus);
            for (const key of ['tp', 'pp', 'ep', 'etp'])
                if ((p.plan[key] ?? 1) > 1) job.values[`plan.${key}`] = String(p.plan[key]);
            job.values['workload.precision'] = p.precision;
            job.values['engine.max_requests'] = String(p.max_requests);
            job.values['engine.max_step_tokens'] = String(p.max_step_tokens);
        });
        this.app.show('load');
        this.app.say(`Loaded: ${p.gpus} × ${p.system}, ${planText(p)}`);
    }
}
