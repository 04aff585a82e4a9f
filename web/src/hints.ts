// What an answer advises becomes buttons that do it.

import type { Job } from './state';
import type { Json, Result } from './types';

export interface Hint {
    text: string;
    apply: (job: Job) => void;
}

interface Rule {
    /** Finds the advice in the reason of a job that does not fit. */
    find: RegExp;
    hints: (match: RegExpMatchArray, result: Result) => Hint[];
}

const set =
    (key: string, value: string) =>
    (job: Job): void => {
        job.values[key] = value;
    };

const degree = (result: Result, name: string): number => Number(result.request.plan[name] ?? 1);

/** Doubles a degree of the plan. The data-parallel degree follows from the GPUs, so it stays open. */
function twice(name: string, result: Result, gpus = 1): (job: Job) => void {
    return (job) => {
        job.values[`plan.${name}`] = String(2 * degree(result, name));
        job.values['gpus'] = String(gpus * result.request.gpus);
        delete job.values['plan.dp'];
    };
}

const deeper = (name: string, result: Result): Hint => {
    const gpus = degree(result, 'dp') > 1 ? 1 : 2;
    const text = `${name} ${2 * degree(result, name)}${gpus > 1 ? `, ${2 * result.request.gpus} GPUs` : ''}`;
    return { text, apply: twice(name, result, gpus) };
};

const RULES: readonly Rule[] = [
    { find: /--sp\b/, hints: () => [{ text: 'sequence parallel', apply: set('plan.sp', 'true') }] },
    {
        find: /--(recompute|attention) (\w+)/,
        hints: (m) => [{ text: `${m[1]} ${m[2]}`, apply: set(`workload.${m[1]}`, m[2]!) }],
    },
    {
        find: /--zero( \d)?/,
        hints: (m, r) => {
            const stage = m[1]?.trim() ?? String(Math.min(3, degree(r, 'zero') + 1));
            return [{ text: `ZeRO ${stage}`, apply: set('plan.zero', stage) }];
        },
    },
    { find: /--micro-batch 1/, hints: () => [{ text: 'micro-batch 1', apply: set('workload.micro_batch', '1') }] },
    {
        find: /batch at most (\d+)/,
        hints: (m) => (m[1] === '0' ? [] : [{ text: `batch ${m[1]}`, apply: set('workload.batch', m[1]!) }]),
    },
    {
        find: /twice the (tp|pp|ep)( for half the dp)?/,
        hints: (m, r) => [{ text: `${m[1]} ${2 * degree(r, m[1]!)}`, apply: twice(m[1]!, r) }],
    },
    {
        find: /twice the GPUs for twice the (tp|pp)/,
        hints: (m, r) => [
            { text: `${m[1]} ${2 * degree(r, m[1]!)}, ${2 * r.request.gpus} GPUs`, apply: twice(m[1]!, r, 2) },
        ],
    },
    { find: /more tp or pp/, hints: (_, r) => [deeper('tp', r), deeper('pp', r)] },
    {
        find: /narrower weights/,
        hints: () => [{ text: 'weights in fp8', apply: set('workload.precision', 'fp8') }],
    },
];

/** Returns the buttons for a job that does not fit. */
export function hintsOf(result: Result): Hint[] {
    const reason = String((result['reason'] as Json | undefined) ?? '');
    const hints = RULES.flatMap((rule) => {
        const match = rule.find.exec(reason);
        return match ? rule.hints(match, result) : [];
    });
    return hints.filter((h, i) => hints.findIndex((o) => o.text === h.text) === i);
}
