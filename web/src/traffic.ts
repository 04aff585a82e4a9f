// The traffic of a service: what arrives, how long it is, and the limits it should keep. Two views share it.

import { option } from './command';
import { fill, freshId, h } from './dom';
import { jsonValue } from './state';
import type { JsonObject } from './types';
import type { Answer, App } from './view';

interface TrafficField {
    key: string;
    label: string;
    title: string;
    /** The value at first; a field without one is empty. */
    start?: string;
    options?: readonly (readonly [string, string])[];
    /** The arrivals it belongs to; absent: all. */
    arrivals?: readonly string[];
    more?: boolean;
    /** True for a file that is read here. */
    file?: boolean;
}

const OPEN = ['poisson', 'gamma', 'constant', 'diurnal'];
const UNRECORDED = [...OPEN, 'closed', 'saturated'];
const FIELDS: readonly TrafficField[] = [
    {
        key: 'arrival',
        label: 'Arrivals',
        title: 'how requests arrive',
        start: 'poisson',
        options: [
            ['poisson', 'independent (Poisson)'],
            ['closed', 'users who ask again'],
            ['gamma', 'bursts (gamma)'],
            ['constant', 'equal gaps'],
            ['diurnal', 'a day, up and down'],
            ['saturated', 'all at once'],
            ['trace', 'recorded (a file)'],
        ],
    },
    { key: 'rate_per_s', label: 'Requests per second', title: 'of all replicas', start: '4', arrivals: OPEN },
    { key: 'concurrency', label: 'Users', title: 'each asks again when answered', start: '32', arrivals: ['closed'] },
    { key: 'think_s', label: 'Pause of a user', title: 'mean, such as 5 s', arrivals: ['closed'] },
    {
        key: 'burstiness',
        label: 'Burstiness',
        title: '1 is Poisson, less is burstier',
        start: '0.5',
        arrivals: ['gamma'],
    },
    { key: 'swing_frac', label: 'Swing', title: 'amplitude over the mean rate', start: '0.5', arrivals: ['diurnal'] },
    { key: 'period_s', label: 'Length of a day', title: 'such as 1 h', start: '600', arrivals: ['diurnal'] },
    {
        key: 'trace',
        label: 'Recording',
        title: 'a CSV with arrival_s, input_len and output_len; it stays in this page',
        arrivals: ['trace'],
        file: true,
    },
    {
        key: 'input_len',
        label: 'Prompt tokens',
        title: '1000, 500:2000 (uniform) or 1000~0.5 (mean~cv, lognormal)',
        arrivals: UNRECORDED,
    },
    {
        key: 'output_len',
        label: 'Answer tokens',
        title: '200, 100:300 (uniform) or 200~0.5 (mean~cv, lognormal)',
        arrivals: UNRECORDED,
    },
    { key: 'ttft', label: 'First token, p99 ≤', title: 'limit of the 99th percentile; empty: none', start: '1 s' },
    { key: 'tpot', label: 'Next token, p95 ≤', title: 'limit of the 95th percentile; empty: none', start: '50 ms' },
    { key: 'slo', label: 'Further limits', title: 'such as latency_s.p90<=20 s; itl_s.p99<=100 ms', more: true },
    { key: 'requests', label: 'Requests', title: 'of the run', more: true },
    { key: 'prefix_share', label: 'Shared prefix', title: 'share of a prompt that others have, 0 to 1', more: true },
    { key: 'prefix_groups', label: 'Prefix groups', title: 'groups with a common prefix', more: true },
    {
        key: 'router',
        label: 'Router',
        title: 'which replica gets a request',
        options: [
            ['', 'round-robin'],
            ['least-loaded', 'least-loaded'],
            ['power-of-two', 'power-of-two'],
        ],
        arrivals: OPEN,
        more: true,
    },
    { key: 'seed', label: 'Seed', title: 'equal seeds give equal runs', more: true },
];
const LIMITS: Record<string, string> = { ttft: 'ttft_s.p99<=', tpot: 'tpot_s.p95<=' };
const NONE = 'none'; // what the address says of an emptied field

/** The recording that was chosen last; the views of a service share it. It is too long for the address. */
const recording = { name: '', text: '' };

interface Control {
    field: TrafficField;
    box: HTMLInputElement | HTMLSelectElement;
    row: HTMLElement;
    error: HTMLElement;
}

export class TrafficForm {
    readonly element: HTMLElement;
    private readonly controls: Control[];

    constructor(
        private readonly app: App,
        private readonly changed: () => void,
        /** Keys that a view has no use for. */
        without: readonly string[] = [],
    ) {
        this.controls = FIELDS.filter((f) => !without.includes(f.key)).map((f) => this.control(f));
        const rows = (more: boolean) => this.controls.filter((c) => Boolean(c.field.more) === more).map((c) => c.row);
        this.element = h(
            'div',
            { class: 'traffic' },
            h('div', { class: 'line top' }, ...rows(false)),
            h(
                'details',
                {},
                h('summary', {}, 'More about the traffic'),
                h('div', { class: 'line top' }, ...rows(true)),
            ),
        );
        this.restore();
    }

    /** Sets the controls to the options of the address. */
    restore(): void {
        for (const { field, box } of this.controls)
            if (box !== document.activeElement && !field.file) {
                const value = this.app.option(`traffic.${field.key}`, field.start ?? '');
                box.value = value === NONE ? '' : value;
            }
        this.arrange();
    }

    /** Shows the lengths of the job as hints. */
    hint({ result }: Answer): void {
        for (const { field, box } of this.controls)
            if (box instanceof HTMLInputElement && field.key.endsWith('_len'))
                box.placeholder = String(result.request.workload[field.key] ?? '');
    }

    private value(key: string): string {
        const control = this.controls.find((c) => c.field.key === key);
        if (control?.field.file) return control.row.hidden ? '' : recording.text;
        return control && !control.row.hidden ? control.box.value.trim() : '';
    }

    get limits(): string[] {
        const own = Object.entries(LIMITS).map(([key, text]) => (this.value(key) ? text + this.value(key) : ''));
        return [...own, ...this.value('slo').split(';')].map((t) => t.trim()).filter(Boolean);
    }

    /** Returns the traffic by key, as typed. */
    values(answer: Answer): Record<string, string> {
        const out: Record<string, string> = {};
        for (const { field, row } of this.controls) {
            if (field.key in LIMITS || field.key === 'slo') continue;
            const fallback = field.key.endsWith('_len') && !row.hidden ? answer.result.request.workload[field.key] : '';
            const value = this.value(field.key) || String(fallback ?? '');
            if (value) out[field.key] = value;
        }
        return out;
    }

    /** Returns the request of a service: the job without its batch, the traffic and the limits. */
    request(answer: Answer, kind: string): JsonObject {
        const workload = Object.entries(answer.request['workload'] as JsonObject);
        const traffic = Object.entries(this.values(answer)).map(([key, text]) => [key, jsonValue(text)] as const);
        return {
            ...answer.request,
            kind,
            workload: Object.fromEntries(workload.filter(([key]) => !this.decides(`workload.${key}`))),
            traffic: Object.fromEntries(traffic),
            slo: this.limits,
        };
    }

    /** Says whether the traffic replaces a key of the job. */
    decides = (key: string): boolean => ['workload.batch', 'workload.input_len', 'workload.output_len'].includes(key);

    words(answer: Answer): string[] {
        return [
            ...Object.entries(this.values(answer))
                .filter(([key, value]) => key !== 'arrival' || value !== 'trace') // the file says so
                .flatMap(([key, value]) => option(`traffic.${key}`, key === 'trace' ? recording.name : value)),
            ...this.limits.flatMap((limit) => ['--slo', limit]),
        ];
    }

    /** Puts a message beside its field; false if no field has the key. An empty text clears all. */
    fault(key: string, text: string): boolean {
        const name = /^slo/.test(key) ? this.limitAtFault(text) : key.replace(/^traffic\./, '').replace(/\..*$/, '');
        let found = false;
        for (const { field, box, row, error } of this.controls) {
            const here = text !== '' && field.key === name && !row.hidden;
            fill(error, here ? text.replace(`${key}: `, '') : '');
            row.classList.toggle('bad', here);
            if (here) box.setAttribute('aria-invalid', 'true');
            else box.removeAttribute('aria-invalid');
            found ||= here;
        }
        if (found) this.app.say(text);
        return found;
    }

    private limitAtFault(text: string): string {
        return (
            Object.keys(LIMITS).find((key) => this.value(key) && text.includes(LIMITS[key]! + this.value(key))) ?? 'slo'
        );
    }

    private arrange(): void {
        const arrival = this.controls.find((c) => c.field.key === 'arrival')!.box.value;
        for (const { field, row } of this.controls) row.hidden = !(field.arrivals ?? [arrival]).includes(arrival);
    }

    private control(field: TrafficField): Control {
        const id = freshId('traffic');
        const error = h('p', { class: 'error', id: `${id}-error` });
        const change = () => {
            this.app.setOption(`traffic.${field.key}`, box.value.trim() || (field.start ? NONE : ''));
            this.arrange();
            this.changed();
        };
        const common = { id, title: field.title, 'aria-describedby': error.id };
        const read = async () => {
            const chosen = (box as HTMLInputElement).files?.[0];
            if (!chosen) return;
            Object.assign(recording, { name: chosen.name, text: (await chosen.text()).trimEnd() + '\n' });
            this.changed();
        };
        const box: HTMLInputElement | HTMLSelectElement = field.file
            ? h('input', { ...common, type: 'file', accept: '.csv,.txt', onchange: () => void read() })
            : field.options
            ? h(
                  'select',
                  { ...common, onchange: change },
                  ...field.options.map(([value, text]) => h('option', { value }, text)),
              )
            : h('input', { ...common, type: 'text', autocomplete: 'off', spellcheck: false, oninput: change });
        const row = h('div', { class: 'field' }, h('label', { htmlFor: id }, field.label), box, error);
        return { field, box, row, error };
    }
}
