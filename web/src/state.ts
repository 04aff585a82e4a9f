// The state is all that the page shows; the fragment of the URL holds it.

import { FIELDS, KNOBS } from './fields';
import type { Json, JsonObject, Kind } from './types';

/** A job as typed has texts by dotted key; an empty text means the server's default. */
export interface Job {
    kind: Kind;
    model: string;
    /** A dropped config.json in place of a catalogue model. */
    config?: JsonObject;
    system: string;
    values: Record<string, string>;
    /** Factors on hardware numbers by knob; a factor of 1 is left out. */
    factors: Record<string, number>;
}

export interface State {
    job: Job;
    /** Values of the other kind, kept for when the reader switches back. */
    other: Record<string, string>;
    view: string;
    /** Jobs to compare, each as a fragment of its own. */
    compare: string[];
    /** Settings of views, "search.objective" and the like. */
    options: Record<string, string>;
}

const STARTS: Record<Kind, Record<string, string>> = {
    train: {
        gpus: '128',
        'plan.tp': '8',
        'plan.pp': '4',
        'plan.vpp': '5',
        'workload.seq': '8192',
        'workload.global_batch': '512',
        'workload.engine': 'megatron-core-2025',
    },
    infer: {
        gpus: '4',
        'plan.tp': '4',
        'workload.batch': '16',
        'workload.input_len': '1024',
        'workload.output_len': '256',
        'workload.engine': 'tensorrt-llm-1.2',
    },
};

export const start = (): State => ({
    job: { kind: 'train', model: 'llama3.1-70b', system: 'h100-sxm', values: { ...STARTS.train }, factors: {} },
    other: { ...STARTS.infer },
    view: 'overview',
    compare: [],
    options: {},
});

export const isKey = (key: string, kind: Kind): boolean =>
    key === 'workload.engine' || FIELDS.some((f) => f.key === key && f.kinds.includes(kind));

export function jobText(job: Job): string {
    const out = new URLSearchParams({ kind: job.kind, system: job.system });
    if (job.config) out.set('config', JSON.stringify(job.config));
    out.set('model', job.model);
    for (const [key, value] of Object.entries(job.values)) if (value !== '') out.set(key, value);
    for (const [id, factor] of Object.entries(job.factors)) if (factor !== 1) out.set(`x.${id}`, String(factor));
    return out.toString();
}

export function jobFrom(text: string | URLSearchParams): Job {
    const params = new URLSearchParams(text);
    const job: Job = {
        kind: params.get('kind') === 'infer' ? 'infer' : 'train',
        model: params.get('model') ?? '',
        system: params.get('system') ?? '',
        values: {},
        factors: {},
    };
    for (const [key, value] of params) {
        const knob = key.startsWith('x.') && KNOBS.find((k) => k.id === key.slice(2));
        if (knob && Number(value) > 0) job.factors[knob.id] = Number(value);
        else if (key === 'config') job.config = readObject(value);
        else if (isKey(key, job.kind)) job.values[key] = value;
    }
    return job;
}

function readObject(text: string): JsonObject {
    try {
        const value = JSON.parse(text) as Json;
        if (value && typeof value === 'object' && !Array.isArray(value)) return value;
    } catch {
        // The address was cut off; the server says what is missing.
    }
    return {};
}

export function stateText(state: State): string {
    const out = new URLSearchParams(jobText(state.job));
    const other = new URLSearchParams(Object.entries(state.other).filter(([, v]) => v !== '')).toString();
    if (other) out.set('other', other);
    if (state.view !== 'overview') out.set('view', state.view);
    for (const text of state.compare) out.append('vs', text);
    for (const [key, value] of Object.entries(state.options)) if (value !== '') out.set(`o.${key}`, value);
    return out.toString();
}

export function stateFrom(fragment: string): State {
    const params = new URLSearchParams(fragment.replace(/^#/, ''));
    if (!params.has('system')) return start();
    const job = jobFrom(params);
    const other = params.has('other')
        ? Object.fromEntries(new URLSearchParams(params.get('other') ?? ''))
        : { ...STARTS[job.kind === 'train' ? 'infer' : 'train'] };
    const options = Object.fromEntries(
        [...params].filter(([k]) => k.startsWith('o.')).map(([k, v]) => [k.slice(2), v]),
    );
    return { job, other, view: params.get('view') ?? 'overview', compare: params.getAll('vs').slice(0, 4), options };
}

/** Returns a number where the text is one, else the text, so that the server can say what is wrong with it. */
export function jsonValue(text: string): Json {
    const trimmed = text.trim();
    if (trimmed === 'true' || trimmed === 'false') return trimmed === 'true';
    const number = /^[-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?$/i.test(trimmed) ? Number(trimmed) : NaN;
    return Number.isFinite(number) ? number : trimmed; // JSON has no infinity
}

/** Returns the request of the JSON contract. Its "set" comes from the factors (machine.ts). */
export function requestOf(job: Job, set: JsonObject = {}): JsonObject {
    const plan: JsonObject = {};
    const workload: JsonObject = {};
    const request: JsonObject = { kind: job.kind, model: job.config ?? job.model, system: job.system, plan, workload };
    for (const [key, text] of Object.entries(job.values)) {
        if (text.trim() === '' || !isKey(key, job.kind)) continue;
        const [section, name] = key.split('.') as [string, string | undefined];
        if (name === undefined) request[section] = jsonValue(text);
        else if (section === 'engine') set = { ...set, [key]: jsonValue(text) };
        else (section === 'plan' ? plan : workload)[name] = jsonValue(text);
    }
    if (Object.keys(set).length > 0) request['set'] = set;
    return request;
}
