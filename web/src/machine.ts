// These are the hardware numbers of a system, which the sliders multiply and the roofline draws.

import * as api from './api';
import { KNOBS } from './fields';
import { quantity } from './format';
import { recorded } from './recorded';
import type { JsonObject } from './types';

export interface Machine {
    name: string;
    /** FLOP/s by number format. */
    peaks: Record<string, number>;
    /** Numbers by path: "chip.hbm_bytes_per_s", "system.scaleup_bytes_per_s", ... */
    numbers: Record<string, number>;
}

const known = new Map<string, Promise<Machine>>();

/** Returns a part of the catalogue with what it inherits. */
async function whole(kind: string, id: string): Promise<JsonObject> {
    const own = await api.part(kind, id);
    if (typeof own['base'] !== 'string') return own;
    const base = await whole(kind, own['base']);
    const peaks = {
        ...(base['peak_flops_per_s'] as JsonObject | undefined),
        ...(own['peak_flops_per_s'] as JsonObject | undefined),
    };
    return { ...base, ...own, ...(Object.keys(peaks).length > 0 ? { peak_flops_per_s: peaks } : {}) };
}

async function load(system: string): Promise<Machine> {
    const generated = /^generated:(.*)$/s.exec(system);
    const body = generated
        ? await api.post<JsonObject>('technology', { chip: generated[1] ?? '' })
        : await whole('systems', system);
    const inside = body['chip'];
    const chip = typeof inside === 'string' ? await whole('chips', inside) : ((inside ?? {}) as JsonObject);
    const machine: Machine = { name: String(chip['name'] ?? system), peaks: {}, numbers: {} };
    for (const [format, text] of Object.entries((chip['peak_flops_per_s'] ?? {}) as JsonObject))
        machine.peaks[format] = quantity(text) ?? NaN;
    for (const [section, from] of [
        ['chip', chip],
        ['system', body],
    ] as const)
        for (const [key, text] of Object.entries(from)) {
            const number = typeof text === 'number' || typeof text === 'string' ? quantity(text) : undefined;
            if (number !== undefined && Number.isFinite(number)) machine.numbers[`${section}.${key}`] = number;
        }
    return machine;
}

/** Returns the numbers of a system, which are asked for only once. */
export function machine(system: string): Promise<Machine> {
    if (recorded) return Promise.resolve(recorded.replies['machine'] as unknown as Machine);
    let answer = known.get(system);
    if (!answer) {
        answer = load(system);
        known.set(system, answer);
        answer.catch(() => known.delete(system));
    }
    return answer;
}

/** Returns the peak of a format; block-scaled and weight-only formats take the format they multiply in. */
export const peakOf = (m: Machine, format: string): number =>
    m.peaks[format] ?? m.peaks[format.replace(/_block$/, '')] ?? m.peaks['bf16'] ?? m.peaks['fp16'] ?? NaN;

/** Returns the "set" section that multiplies the numbers of a machine. */
export async function overrides(system: string, factors: Record<string, number>): Promise<JsonObject> {
    const set: JsonObject = {};
    const knobs = KNOBS.filter((k) => (factors[k.id] ?? 1) !== 1);
    if (knobs.length === 0) return set;
    const base = await machine(system).catch(() => undefined);
    if (!base) return set; // the answer to the request says what is wrong with the system
    for (const knob of knobs) {
        const factor = factors[knob.id] ?? 1;
        const number = base.numbers[knob.path];
        if (knob.id === 'flops')
            for (const [format, peak] of Object.entries(base.peaks)) set[`${knob.path}.${format}`] = peak * factor;
        else if (number !== undefined) set[knob.path] = number * factor;
    }
    return set;
}
