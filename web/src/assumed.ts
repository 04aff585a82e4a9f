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
    FIELDS.find((f) => f.key === key)?.label ?? words(key.replace(/^(workload|plan)\./, ''));

export const assumedTable = (): Table<Assumed> =>
    new Table<Assumed>('Assumed', 'orrery-assumed', [
        { label: 'What', value: (a) => nameOf(a.key) },
        {
            label: 'Value',
            value: (a) => (a.value !== null && typeof a.value === 'object' ? JSON.stringify(a.value) : String(a.value)),
        },
        { label: 'Why', value: (a) => a.why },
    ]);
