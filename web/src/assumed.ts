// What an answer took for granted, one line each, with the reason.

import { FIELDS } from './fields';
import { words } from './format';
import { Table } from './table';
import type { Json } from './types';

export interface Assumed {
    key: string;
    value: Json;
    why: string;
}

const nameOf = (key: string): string =>
    key === 'system.price_usd_per_gpu_hour'
        ? 'Price of a GPU-hour'
        : (FIELDS.find((f) => f.key === key)?.label ?? words(key.replace(/^(workload|plan)\./, '')));

const valueOf = ({ key, value }: Assumed): string => {
    if (key.endsWith('price_usd_per_gpu_hour')) return `$${value}`;
    return value !== null && typeof value === 'object' ? JSON.stringify(value) : String(value);
};

export const assumedTable = (): Table<Assumed> =>
    new Table<Assumed>('Assumed', 'orrery-assumed', [
        { label: 'What', value: (a) => nameOf(a.key) },
        { label: 'Value', value: valueOf },
        { label: 'Why', value: (a) => a.why },
    ]);
