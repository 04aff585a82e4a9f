// What a search found, in words, columns and a chart.

import { axis, mark, note, type Palette } from '../charts';
import { h } from '../dom';
import { bytes, count, digits, dollars, gib, GIB, many, percent, rate, seconds, si, words } from '../format';
import type { Column } from '../table';
import type { Beside, Found, JsonObject, Kind, Nearest, SearchResult } from '../types';

const number = (found: Found, key: string): number =>
    Number(key.split('.').reduce<unknown>((o, k) => (o as JsonObject | undefined)?.[k], found));
export function planText(found: Found): string {
    const { plan, workload } = found;
    const names = ['tp', 'pp', 'vpp', 'dp', 'cp', 'ep', 'etp']
        .filter((k) => Number(plan[k] ?? 1) > 1)
        .map((k) => `${k} ${plan[k]}`);
    const rest = [
        plan['zero'] ? `ZeRO ${plan['zero']}` : '',
        workload['micro_batch'] ? `mb ${workload['micro_batch']}` : '',
        workload['recompute'] && workload['recompute'] !== 'none' ? `recompute ${workload['recompute']}` : '',
        workload['batch'] ? `batch ${workload['batch']}` : '',
        workload['input_len'] ? String(workload['precision'] ?? '') : '',
        plan['overlap'] && plan['overlap'] !== 'all' ? `overlap ${plan['overlap']}` : '',
    ];
    const own = [...(names.length ? names : ['tp 1']), ...rest.filter(Boolean)].join(', ');
    const decode = found['decode'] as JsonObject | undefined;
    if (!decode) return own;
    const degrees = ['tp', 'pp', 'ep'].filter((k) => Number(decode[k] ?? 1) > 1).map((k) => `${k} ${decode[k]}`);
    const pool = [...(degrees.length ? degrees : ['tp 1']), `batch ${decode['batch']}`, many(Number(decode['gpus']), 'GPU')];
    return `prompts: ${own} | answers: ${pool.join(', ')}`;
}

/** Counts the plans of a search. The program says it the same way: layouts that are too slow are not looked at rank by
 *  rank, so that more may fit than were counted. */
export function countsText(r: SearchResult): string {
    const most = (r.rejected.bound ?? 0) > 0 ? 'at most ' : '';
    return (
        `${count(r.plans)} plans, ${most}${count(r.feasible)} fit, ` +
        `${count(r.evaluated)} timed${r.seconds > 0 ? ` in ${seconds(r.seconds)}` : ''}.` +
        (r.bound_ratio ? ` The best takes ${digits(r.bound_ratio)} times its speed of light.` : '')
    );
}

/** Says why no plan is left. */
export function nothingText(r: SearchResult): string {
    const why = Object.entries(r.rejected)
        .filter(([, n]) => n > 0)
        .map(([reason, n]) => `${words(reason)}: ${count(n)}`);
    const obstacles = (r.obstacles ?? []).map((line) => `${line}.`).join(' ');
    return ` No plan is left. ${why.join(', ')}${why.length ? '.' : ''}${obstacles}`;
}

/** Returns flags with their values, so that a line breaks between them. */
export const flagsOf = (flags: string): string[] => flags.split(/ (?=--|[a-z_]+\.[a-z_.]+[ =])/);

/** Says who ran a published layout, which model, and on what. */
export const runText = (plan: Beside): string =>
    plan.run ? `${plan.source ?? ''}: ${plan.run.model} on ${plan.run.gpus} × ${plan.run.system}` : (plan.source ?? '');

/** Returns the flags of the winner by program; a plan with two pools has two lines for each. */
export const launchLines = (r: SearchResult): [string, string][] => {
    const programs = Object.entries(r.launch ?? {});
    const decode = r.launch_decode;
    if (!decode) return programs;
    return programs.flatMap(([program, flags]): [string, string][] => [
        [`${program}, prefill`, flags],
        [`${program}, decode`, decode[program] ?? ''],
    ]);
};

/** Returns a column of a number of the result. */
const numbers = (label: string, key: string, text: (v: number) => string): Column<Found> => ({
    label,
    value: (f) => number(f, key),
    show: (f) => text(number(f, key)),
});

const measured = (run: Nearest | null | undefined): string =>
    run ? `${run.distance.toFixed(2)} away${run.outside ? ', outside' : ''}` : '–';

/** Returns the columns that matter: training looks at steps and utilisation, serving at tokens and dollars. */
export function columnsOf(kind: Kind, load: (found: Found) => void): Column<Found>[] {
    const button = (f: Found) =>
        h('button', { type: 'button', 'aria-label': `Load ${planText(f)}`, onclick: () => load(f) }, 'Load');
    return [
        { label: 'Load', plain: true, value: () => '', show: button },
        { label: 'Plan', value: planText, class: 'some-words' },
        { label: 'GPUs', value: (f) => f.gpus },
        ...(kind === 'train'
            ? [
                  numbers('Step', 'step_time_s', seconds),
                  numbers('Tokens/s per GPU', 'tokens_per_s_per_gpu', rate),
                  numbers('TFLOP/s', 'model_tflops_per_gpu', digits),
                  numbers('MFU', 'mfu_frac', percent),
                  numbers('$ per billion', 'cost_usd_per_billion_tokens', dollars),
              ]
            : [
                  numbers('First token', 'ttft_s', seconds),
                  numbers('Next token', 'tpot_s', seconds),
                  numbers('Tokens/s per GPU', 'output_tokens_per_s_per_gpu', rate),
                  numbers('$ per million', 'cost_usd_per_million_tokens', dollars),
              ]),
        numbers('Memory', 'memory_bytes.total', bytes),
        {
            label: 'Measured',
            title: 'distance to the nearest measured run; a plan far from all of them may be better on paper only',
            value: (f) => (f['nearest'] ? number(f, 'nearest.distance') : undefined),
            show: (f) => measured(f['nearest'] as Nearest | null | undefined),
        },
        numbers('J/token', 'energy_j_per_token', digits),
        { label: 'Bound', value: (f) => f.bottleneck, show: (f) => words(f.bottleneck) },
    ];
}

// ---------------------------------------------------------------- the front

/** Prints a coordinate of the front by the unit in its key. */
function show(key: string, value: number): string {
    if (key.startsWith('memory_bytes')) return gib(value);
    if (/_s$|_s_per_/.test(key)) return seconds(value);
    if (key.includes('usd')) return dollars(value);
    return /_j$|_j_/.test(key) ? si(value, 'J') : rate(value);
}

/** Returns the coordinates of the chart, with memory in GiB. */
const place = (found: Found, keys: readonly string[]): number[] =>
    keys.map((k, i) => (found.front[i] ?? NaN) / (k.startsWith('memory_bytes') ? GIB : 1));

/** Returns the chart of the front, with a ring around the winner. */
export function frontChart(r: SearchResult, colours: Palette) {
    const keys = r.pareto_keys;
    const side = (key: string, nameGap: number) =>
        axis(colours, {
            type: 'value',
            scale: true,
            name: words(key),
            nameLocation: 'middle',
            nameGap,
            axisLabel: mark((v) => show(key, v), colours),
        });
    const tip = (f: Found) =>
        note(
            planText(f),
            keys.map((k, i) => [words(k), show(k, place(f, keys)[i] ?? NaN)] as const),
        );
    const marks = (name: string, symbolSize: number, itemStyle: object, found: Found[]) => ({
        type: 'scatter',
        name,
        symbolSize,
        cursor: 'pointer',
        itemStyle,
        data: found.map((f) => ({ value: place(f, keys), found: f })),
    });
    const ring = { color: 'transparent', borderColor: colours.series[2], borderWidth: 2 };
    return {
        grid: { left: 74, right: 22, top: 12, bottom: 46 },
        tooltip: { trigger: 'item', formatter: (p: { data: { found: Found } }) => tip(p.data.found) },
        xAxis: side(keys[0], 28),
        yAxis: side(keys[1], 58),
        series: [
            marks('front', 11, { color: colours.series[0] }, r.pareto),
            marks('best', 17, ring, r.best.slice(0, 1)),
        ],
    };
}
