// This view simulates a service under load: what users see, and what that takes in GPUs, joules and dollars.

import * as api from '../api';
import { assumedTable } from '../assumed';
import { Chart, type Rows } from '../charts';
import { commandLine, jobWords } from '../command';
import { fill, h, throttle } from '../dom';
import { count, digits, dollars, percent, rate, seconds, si } from '../format';
import { recorded, type Recorded } from '../recorded';
import { Table } from '../table';
import { TrafficForm } from '../traffic';
import type { JsonObject } from '../types';
import type { Answer, App, Card, View } from '../view';
import { curve, limitOf, NAMES, overTime, requestTimeline, shares, type Limit, type LoadPoint } from './load_charts';
import type { Served, Timing } from './load_types';
import { curveChart } from './report_charts';

const KINDS = ['ttft_s', 'tpot_s', 'itl_s', 'latency_s', 'queue_s'] as const;
const STATS = ['p50', 'p90', 'p95', 'p99'] as const;
/** Loads of the curve: shares of the most that the service carries, or users. */
const LOADS = [0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 0.97];
const CURVE_REQUESTS = 2000;
/** What says how fast requests come; where all come at once, it would change nothing and is refused. */
const PACE = ['rate_per_s', 'burstiness', 'swing_frac', 'period_s'];
const SHOWN_REQUESTS = 64;
const ASK_MS = 120;

interface Row {
    kind: string;
    timing: Timing;
    low: number;
    high: number;
    limits: Limit[];
}

export function servedCards(r: Served, limited: boolean): Card[] {
    const timing = (key: 'ttft_s' | 'tpot_s' | 'latency_s', label: string, stat: keyof Timing): Card => ({
        key: `${key}.${stat}`,
        label,
        value: seconds(r[key][stat]),
        data: r[key][stat],
        more: `mean ${seconds(r[key].mean)}, p50 ${seconds(r[key].p50)}`,
    });
    return [
        timing('ttft_s', 'First token, p99', 'p99'),
        timing('tpot_s', 'Next tokens, p95', 'p95'),
        timing('latency_s', 'Whole answer, p95', 'p95'),
        {
            key: 'slo_frac',
            label: 'Requests within limits',
            value: limited ? percent(r.slo_frac) : '–',
            data: r.slo_frac,
            more: limited ? `${digits(r.goodput_requests_per_s)} requests/s` : 'no limits are given',
            ...(limited ? { state: r.slo_met ? ('good' as const) : ('bad' as const) } : {}),
        },
        {
            key: 'output_tokens_per_s',
            label: 'Output tokens per second',
            value: rate(r.output_tokens_per_s),
            data: r.output_tokens_per_s,
            more: `${rate(r.output_tokens_per_s_per_gpu)} per GPU`,
        },
        {
            key: 'mean_running_batch',
            label: 'Batch of a replica',
            value: digits(r.mean_running_batch),
            data: r.mean_running_batch,
            more: `cache ${percent(r.kv_used_frac)}, ${digits(r.mean_waiting)} waiting`,
        },
        {
            key: 'energy_j_per_output_token',
            label: 'Energy per output token',
            value: si(r.energy_j_per_output_token, 'J'),
            data: r.energy_j_per_output_token,
            more: `${si(r.power_w_per_gpu, 'W')} per GPU`,
        },
        {
            key: 'cost_usd_per_million_output_tokens',
            label: 'Per million output tokens',
            value: dollars(r.cost_usd_per_million_output_tokens),
            data: r.cost_usd_per_million_output_tokens,
            more: `${digits(r.completed_requests_per_s)} requests/s done`,
        },
    ];
}

/** Says what to beware of. */
export function servedNotes(r: Served): string[] {
    const traffic = r.request.traffic;
    return [
        ...(r.fits ? [] : [`Does not fit: ${r.reason ?? ''}`]),
        ...(r.fits && r.saturated && traffic['arrival'] !== 'saturated'
            ? [
                  r.rejected
                      ? `More arrives than is served: ${count(r.rejected)} requests were turned away.`
                      : 'More arrives than is served: the queue grows as long as the run lasts, and so do the times below.',
              ]
            : []),
        ...(r.complete ? [] : ['The run was stopped early: these are the requests so far.']),
        ...(r.refused > 0 ? [`${count(r.refused)} requests are longer than the cache and were refused.`] : []),
        ...(r.preemptions > 0 ? [`${count(r.preemptions)} preemptions: the cache ran out.`] : []),
        ...r.warnings,
    ];
}

/** A report holds one load, and the curve of the closed form. */
function recordedCurve(r: Recorded): HTMLElement | null {
    const curve = r.charts.find((c) => c.type === 'curve');
    return curve ? curveChart(curve) : null;
}

export class Load implements View {
    readonly id = 'load';
    readonly label = 'Under load';
    readonly kinds = ['infer'] as const;
    readonly ownHeadline = true;
    readonly element: HTMLElement;
    private readonly traffic: TrafficForm;
    private readonly faultText = h('p', { class: 'error', role: 'alert' });
    private readonly table = new Table<Row>(
        'What users see',
        'orrery-serving',
        [
            { label: 'Time', value: (r) => NAMES[r.kind] ?? r.kind, class: 'line-of-text' },
            { label: 'Mean', value: (r) => r.timing.mean, show: (r) => seconds(r.timing.mean) },
            {
                label: '80 % of the mean',
                value: (r) => (Number.isFinite(r.low) ? `${seconds(r.low)} – ${seconds(r.high)}` : '–'),
                class: 'number',
            },
            ...STATS.map((stat) => ({
                label: stat,
                value: (r: Row) => r.timing[stat],
                show: (r: Row) => this.cell(r, stat),
            })),
        ],
        { intro: 'Percentiles over the requests of the run; a limit stands beside the one it is about.' },
    );
    private readonly shareChart = new Chart('Distribution', 'orrery-serving-shares', {
        class: 'medium',
        intro: 'Share of requests that take at most a time; dashed: limits.',
    });
    private readonly curveChart = new Chart('Throughput and latency', 'orrery-serving-curve', {
        class: 'medium',
        intro: 'The same service at other loads, simulated with fewer requests; the large mark is the load above.',
    });
    private readonly timeChart = new Chart('Batch and queue', 'orrery-serving-time', { class: 'medium' });
    private readonly requestChart = new Chart('Single requests', 'orrery-serving-requests', {
        class: 'medium',
        intro: 'The first requests of the run that were answered; zoom with the bar below, the wheel or two fingers.',
    });
    private readonly assumed = assumedTable();
    private readonly results: HTMLElement;
    private answer: Answer | undefined;
    private running: AbortController | undefined;
    private answered: string | undefined;
    private readonly again = throttle(ASK_MS, () => void this.run());

    constructor(private readonly app: App) {
        this.traffic = new TrafficForm(app, () => this.changed());
        this.results = h(
            'div',
            { class: 'grid two', hidden: true },
            h('div', { class: 'span' }, this.table.element),
            this.shareChart.element,
            recorded ? recordedCurve(recorded) : this.curveChart.element,
            this.timeChart.element,
            this.requestChart.element,
            h('div', { class: 'span' }, this.assumed.element),
        );
        this.element = h(
            'div',
            { class: 'grid' },
            h(
                'section',
                { class: 'panel asks' },
                h('header', {}, h('h3', {}, 'Traffic')),
                this.traffic.element,
                this.faultText,
            ),
            this.results,
        );
    }

    restore(): void {
        this.traffic.restore();
    }

    answerText = (): string | undefined => this.answered;

    async command(answer: Answer): Promise<string> {
        const job = await jobWords(answer.job, this.traffic.decides);
        return commandLine('serving', ...job, ...this.traffic.words(answer));
    }

    async update(answer: Answer, signal: AbortSignal): Promise<void> {
        this.answer = answer;
        this.traffic.restore();
        this.traffic.hint(answer);
        signal.addEventListener('abort', () => this.running?.abort());
        await this.run();
    }

    private changed(): void {
        this.app.commandChanged();
        this.again();
    }

    private async run(): Promise<void> {
        if (!this.answer) return;
        this.running?.abort();
        const running = (this.running = new AbortController());
        const request = this.traffic.request(this.answer, 'serving');
        try {
            const text = await api.postText('serving?detail=1', request, running.signal);
            if (running.signal.aborted) return;
            const served = JSON.parse(text) as Served;
            this.answered = text;
            this.fault('', '');
            this.show(served);
            const curved = served.fits && !recorded && served.request.traffic['arrival'] !== 'trace';
            this.curveChart.element.hidden = !curved;
            if (curved) await this.showCurve(request, served, running.signal);
        } catch (error) {
            if (running.signal.aborted) return;
            this.fault((error as Error).message, error instanceof api.RequestError ? error.key : '');
            this.results.hidden = true;
            this.app.headline([], []);
        }
    }

    private fault(text: string, key: string): void {
        fill(this.faultText, this.traffic.fault(key, text) ? '' : text);
    }

    private cell(row: Row, stat: keyof Timing): Node | string {
        const limit = row.limits.find((l) => l.stat === stat);
        if (!limit) return seconds(row.timing[stat]);
        const good = row.timing[stat] <= limit.limit_s;
        return h(
            'span',
            { class: good ? 'kept' : 'missed' },
            seconds(row.timing[stat]),
            h('small', {}, ` ${good ? '≤' : '>'} ${seconds(limit.limit_s)}`),
        );
    }

    private show(r: Served): void {
        const limits = r.request.slo.map(limitOf).filter((l): l is Limit => Boolean(l));
        this.app.headline(servedCards(r, r.request.slo.length > 0), servedNotes(r));
        this.assumed.set(r.assumed);
        this.results.hidden = !r.fits;
        if (!r.fits) return;
        this.table.set(
            KINDS.map((kind) => ({
                kind,
                timing: r[kind],
                low: r.interval80[kind]?.[0] ?? NaN,
                high: r.interval80[kind]?.[1] ?? NaN,
                limits: limits.filter((l) => l.kind === kind),
            })),
        );
        this.shareChart.set(
            `Distribution of ${count(r.requests)} requests: first token p50 ${seconds(r.ttft_s.p50)}, ` +
                `p99 ${seconds(r.ttft_s.p99)}; whole answer p50 ${seconds(r.latency_s.p50)}.`,
            (colours, width_px) => shares(r, limits, colours, width_px),
            () => this.shareRows(r),
        );
        const { series } = r.detail!;
        this.timeChart.set(
            `Over ${seconds(r.duration_s)}: ${digits(r.mean_running_batch)} requests in the batch of a replica and ` +
                `${digits(r.mean_waiting)} waiting, on average.`,
            (colours, width_px) => overTime(r, colours, width_px),
            () => [
                ['time_s', 'decoding', 'waiting', 'kv_used_frac'],
                ...series.decoding.map((v, i) => [
                    (i + 0.5) * series.width_s,
                    v ?? undefined,
                    series.waiting[i] ?? undefined,
                    series.kv_used_frac[i] ?? undefined,
                ]),
            ],
        );
        this.showRequests(r);
    }

    private showRequests(r: Served): void {
        const all = [...r.detail!.requests].sort((a, b) => a.arrival_s - b.arrival_s);
        const shown = all.slice(0, SHOWN_REQUESTS);
        this.requestChart.element.hidden = shown.length === 0;
        if (shown.length === 0) return;
        this.requestChart.set(
            `Timeline of ${shown.length} requests: waiting, prompt, answer.`,
            (colours, width_px) => requestTimeline(shown, colours, width_px),
            () => [Object.keys(shown[0]!), ...all.map((q) => Object.values(q) as number[])],
        );
    }

    private shareRows(r: Served): Rows {
        const entries = Object.entries(r.detail!.shares).filter(([, values]) => values.length > 0);
        const n = entries[0]?.[1].length ?? 0;
        return [
            ['share_frac', ...entries.map(([key]) => key)],
            ...Array.from({ length: n }, (_, i) => [i / (n - 1), ...entries.map(([, values]) => values[i])]),
        ];
    }

    /** Simulates other loads, and draws first and next token over the throughput. */
    private async showCurve(request: JsonObject, served: Served, signal: AbortSignal): Promise<void> {
        const traffic = served.request.traffic;
        const ask = (change: JsonObject) => {
            const asked = { ...(request['traffic'] as JsonObject), ...change };
            const kept = Object.entries(asked).filter(
                ([key]) => asked['arrival'] !== 'saturated' || !PACE.includes(key),
            );
            return api.post<Served>('serving', { ...request, traffic: Object.fromEntries(kept) }, signal);
        };
        const users = Number(traffic['concurrency'] ?? 0);
        const loads = await this.loads(users, ask);
        const others = await Promise.all(
            loads.map(async (load) => ({
                name: users > 0 ? `${count(load)} users` : `${digits(load)} requests/s`,
                served: await ask(users > 0 ? { concurrency: load } : { ...this.open(traffic), rate_per_s: load }),
                asked: false,
            })),
        );
        if (signal.aborted) return;
        const asked: LoadPoint = {
            name: users > 0 ? `${count(users)} users` : `${digits(Number(traffic['rate_per_s'] ?? NaN))} requests/s`,
            served,
            asked: true,
        };
        const points = [...others, ...(traffic['arrival'] === 'saturated' ? [] : [asked])]
            .filter((p) => p.served.fits && p.served.ttft_s.p99 > 0)
            .sort((a, b) => a.served.output_tokens_per_s_per_gpu - b.served.output_tokens_per_s_per_gpu);
        const limits = served.request.slo.map(limitOf).filter((l): l is Limit => Boolean(l));
        const best = points[points.length - 1];
        this.curveChart.set(
            `First and next token over throughput at ${points.length} loads` +
                (best ? `, up to ${rate(best.served.output_tokens_per_s_per_gpu)} output tokens/s per GPU.` : '.'),
            (colours, width_px) => curve(points, limits, colours, width_px),
            () => [
                [
                    'load',
                    'output_tokens_per_s_per_gpu',
                    'ttft_s.p50',
                    'ttft_s.p99',
                    'tpot_s.p50',
                    'tpot_s.p95',
                    'usd_per_million',
                ],
                ...points.map((p) => [
                    p.name,
                    p.served.output_tokens_per_s_per_gpu,
                    p.served.ttft_s.p50,
                    p.served.ttft_s.p99,
                    p.served.tpot_s.p50,
                    p.served.tpot_s.p95,
                    p.served.cost_usd_per_million_output_tokens,
                ]),
            ],
        );
    }

    /** A service that gets all requests at once shows the most it carries; the curve then asks for less. */
    private open = (traffic: JsonObject): JsonObject => ({
        requests: CURVE_REQUESTS,
        arrival: traffic['arrival'] === 'saturated' ? 'poisson' : (traffic['arrival'] ?? 'poisson'),
    });

    private async loads(users: number, ask: (change: JsonObject) => Promise<Served>): Promise<number[]> {
        if (users > 0) {
            const doubled = Array.from({ length: 11 }, (_, i) => 2 ** i).filter((n) => n <= 4 * users);
            return doubled.filter((n) => n !== users);
        }
        const most = await ask({ arrival: 'saturated', requests: CURVE_REQUESTS });
        return LOADS.map((share) => Number((share * most.completed_requests_per_s).toPrecision(3)));
    }
}
