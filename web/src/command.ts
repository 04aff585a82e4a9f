// The command line that gives the same answer as the page.

import { overrides } from './machine';
import type { Job } from './state';
import type { Json } from './types';

/** Options whose name is not that of the key; the others are "--" and the key with dashes. */
const OPTIONS: Record<string, string> = {
    'workload.input_len': '--input',
    'workload.output_len': '--output',
    'workload.prefix_hit_frac': '--prefix-hit',
    'workload.draft_accept_frac': '--draft-accept',
    'workload.audio_s': '--audio-seconds',
    'plan.reshard_after_forward': '--reshard',
    'traffic.input_len': '--input',
    'traffic.output_len': '--output',
    'traffic.rate_per_s': '--rate',
    'traffic.think_s': '--think',
    'traffic.swing_frac': '--swing',
    'traffic.period_s': '--period',
    'traffic.duration_s': '--duration',
    'traffic.warmup_s': '--warmup',
    'traffic.max_output_len': '--max-output',
};

/** Quotes a word for a shell where it needs that. */
export const quote = (word: string): string =>
    /^[A-Za-z0-9_./:,=@%+~-]+$/.test(word) ? word : `'${word.replace(/'/g, `'\\''`)}'`;

/** Returns the words of one value: an option, or a flag that is on or off. */
export function option(key: string, value: string): string[] {
    if (key.startsWith('engine.')) return ['--set', `${key}=${value}`];
    const name = OPTIONS[key] ?? `--${key.replace(/^.*\./, '').replace(/_/g, '-')}`;
    if (value === 'true') return [name];
    if (value === 'false') return [name.replace('--', '--no-')];
    return [name, value];
}

/** Returns the words that describe a job; `skip` are keys that the command decides otherwise. */
export async function jobWords(job: Job, skip: (key: string) => boolean = () => false): Promise<string[]> {
    const set = await overrides(job.system, job.factors);
    return [
        ...['--model', job.config ? 'config.json' : job.model],
        ...(skip('system') ? [] : ['--system', job.system]),
        ...Object.entries(job.values)
            .filter(([key, value]) => value.trim() !== '' && !skip(key))
            .flatMap(([key, value]) => option(key, value.trim())),
        ...Object.entries(set).flatMap(([path, value]: [string, Json]) => ['--set', `${path}=${String(value)}`]),
    ];
}

export const commandLine = (...words: readonly string[]): string => ['orrery', ...words].map(quote).join(' ');
