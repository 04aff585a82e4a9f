// Cards show the headline numbers. Each card carries its full value for tests and for copying.

import { fill, h } from '../dom';
import { bytes, count, digits, dollars, percent, rate, seconds, si, words } from '../format';
import type { Result } from '../types';
import type { Card } from '../view';

type Plain = Omit<Card, 'data'>;

const raw = (result: Result, key: string): unknown =>
    key.split('.').reduce<unknown>((o, k) => (o as Record<string, unknown>)[k], result);
const at = (result: Result, key: string): number => Number(raw(result, key));

/** Interval and memory look the same for both kinds. */
const span = (r: Result): string => `80 %: ${seconds(r.interval_s[0])} – ${seconds(r.interval_s[1])}`;
const memory = (r: Result): Plain => ({
    key: 'memory_bytes.total',
    label: 'Memory per GPU',
    value: bytes(at(r, 'memory_bytes.total')),
    state: r.fits ? 'good' : 'bad',
    more: `${r.fits ? 'fits' : 'does not fit'}: ${bytes(at(r, 'memory_bytes.usable'))} usable`,
});

function training(r: Result): Plain[] {
    return [
        { key: 'step_time_s', label: 'Step time', value: seconds(at(r, 'step_time_s')), more: span(r) },
        {
            key: 'tokens_per_s',
            label: 'Tokens per second',
            value: rate(at(r, 'tokens_per_s')),
            more: `${rate(at(r, 'tokens_per_s_per_gpu'))} per GPU`,
        },
        {
            key: 'mfu_frac',
            label: 'Model FLOP utilisation',
            value: percent(at(r, 'mfu_frac')),
            more: `${digits(at(r, 'model_tflops_per_gpu'))} TFLOP/s per GPU`,
        },
        memory(r),
        {
            key: 'bound_frac',
            label: 'Of the speed of light',
            value: percent(r.bound_frac),
            more: `bound ${seconds(r.bound_s)}`,
        },
        {
            key: 'bottleneck',
            label: 'Held back by',
            value: words(r.bottleneck),
            more: `${percent(at(r, `bound_share.${r.bottleneck}`))} of the step`,
        },
        {
            key: 'energy_j_per_token',
            label: 'Energy per token',
            value: si(at(r, 'energy_j_per_token'), 'J'),
            more: `${si(at(r, 'power_w_per_gpu'), 'W')} per GPU`,
        },
        {
            key: 'cost_usd_per_billion_tokens',
            label: 'Cost per billion tokens',
            value: dollars(at(r, 'cost_usd_per_billion_tokens')),
            more: `${dollars(at(r, 'cost_usd'))} per step`,
        },
    ];
}

function inference(r: Result): Plain[] {
    return [
        { key: 'latency_s', label: 'Latency of a batch', value: seconds(at(r, 'latency_s')), more: span(r) },
        {
            key: 'ttft_s',
            label: 'Time to first token',
            value: seconds(at(r, 'ttft_s')),
            more: `${rate(at(r, 'input_tokens_per_s_per_gpu'))} input tokens/s per GPU`,
        },
        {
            key: 'tpot_s',
            label: 'Time per output token',
            value: seconds(at(r, 'tpot_s')),
            more: `${rate(at(r, 'output_tokens_per_s_per_user'))} tokens/s per user`,
        },
        {
            key: 'output_tokens_per_s',
            label: 'Output tokens per second',
            value: rate(at(r, 'output_tokens_per_s')),
            more: `${rate(at(r, 'output_tokens_per_s_per_gpu'))} per GPU`,
        },
        memory(r),
        {
            key: 'max_batch',
            label: 'Largest batch',
            value: count(at(r, 'max_batch')),
            more: `longest context ${count(at(r, 'max_context'))}`,
        },
        {
            key: 'bound_frac',
            label: 'Of the speed of light',
            value: percent(r.bound_frac),
            more: `bound ${seconds(r.bound_s)}; held by ${words(r.bottleneck)}`,
        },
        {
            key: 'cost_usd_per_million_tokens',
            label: 'Cost per million tokens',
            value: dollars(at(r, 'cost_usd_per_million_tokens')),
            more: `${si(at(r, 'energy_j_per_token'), 'J')} per token`,
        },
    ];
}

export const cardsOf = (r: Result): Card[] =>
    (r.kind === 'train' ? training(r) : inference(r)).map((card) => ({ ...card, data: raw(r, card.key) }));

export function showCards(root: HTMLElement, cards: readonly Card[]): void {
    fill(
        root,
        ...cards.map((c) =>
            h(
                'div',
                { class: `card ${c.state ?? ''}` },
                h('dt', {}, c.label),
                h('dd', { class: 'value', 'data-key': c.key, 'data-value': String(c.data) }, c.value),
                h('dd', { class: 'small', title: c.more }, c.more),
            ),
        ),
    );
}
