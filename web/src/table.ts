// Tables are sorted by a click on a head, saved as CSV, and scrolled with the keyboard.

import { download, fill, h } from './dom';
import { recorded } from './recorded';
import type { Json, JsonObject } from './types';

export interface Column<R> {
    label: string;
    /** The value that is sorted and saved. */
    value: (row: R) => number | string | undefined;
    /** The text or element that is shown; the value itself if absent. */
    show?: (row: R) => string | Node;
    title?: string;
    /** The class of its cells, where they hold no number. */
    class?: string;
    /** True for columns of buttons, which the saved file leaves out. */
    plain?: boolean;
}

const cell = (value: number | string | undefined): string => {
    const text = value === undefined || (typeof value === 'number' && !Number.isFinite(value)) ? '' : String(value);
    return /[",\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
};

export const csv = (rows: readonly (readonly (number | string | undefined)[])[]): string =>
    rows.map((r) => r.map(cell).join(',')).join('\n') + '\n';

/** Collects all scalars of a result by dotted key. */
function scalars(value: Json, path: string, out: [string, string | number][]): void {
    if (value !== null && typeof value === 'object')
        for (const [key, inside] of Object.entries(value)) scalars(inside, path ? `${path}.${key}` : key, out);
    else out.push([path, value === null ? '' : typeof value === 'boolean' ? String(value) : value]);
}

/** Returns a result as one line of CSV below its keys: what was asked first, without what tables of their own have. */
export function scalarsCsv(result: JsonObject): string {
    const out: [string, string | number][] = [];
    const { request, detail: _d, frontier: _f, ...rest } = result;
    if (request) scalars(request, '', out);
    scalars(rest, '', out);
    return csv([out.map(([k]) => k), out.map(([, v]) => v)]);
}

export class Table<R> {
    readonly element: HTMLElement;
    private rows: R[] = [];
    private readonly body = h('tbody');
    private readonly columns: readonly Column<R>[];
    private readonly heads: HTMLTableCellElement[];
    private sorted: { column: number; down: boolean } | undefined;

    constructor(
        title: string,
        private readonly file: string,
        columns: readonly Column<R>[],
        extra: { controls?: HTMLElement; sort?: number; down?: boolean; intro?: string } = {},
    ) {
        this.columns = recorded ? columns.filter((c) => !c.plain) : columns; // the buttons of a report would do nothing
        if (extra.sort !== undefined) this.sorted = { column: extra.sort, down: extra.down ?? true };
        this.heads = this.columns.map((c, i) =>
            h(
                'th',
                { scope: 'col', title: c.title },
                c.plain
                    ? h('span', { class: 'hidden' }, c.label)
                    : h('button', { type: 'button', onclick: () => this.sort(i) }, c.label),
            ),
        );
        this.element = h(
            'section',
            { class: 'panel' },
            h(
                'header',
                {},
                h('h3', {}, title),
                extra.controls,
                h(
                    'div',
                    { class: 'actions' },
                    h(
                        'button',
                        { type: 'button', 'aria-label': `Download ${title} as CSV`, onclick: () => this.save() },
                        'CSV',
                    ),
                ),
            ),
            extra.intro ? h('p', { class: 'intro' }, extra.intro) : null,
            h(
                'div',
                { class: 'scroll', tabIndex: 0, role: 'region', 'aria-label': title },
                h('table', {}, h('thead', {}, h('tr', {}, ...this.heads)), this.body),
            ),
        );
    }

    set(rows: readonly R[]): void {
        this.rows = [...rows];
        this.render();
    }

    private sort(column: number): void {
        this.sorted = {
            column,
            down:
                this.sorted?.column === column
                    ? !this.sorted.down
                    : typeof this.columns[column]?.value(this.rows[0]!) === 'number',
        };
        this.render();
    }

    private ordered(): R[] {
        const by = this.sorted && this.columns[this.sorted.column];
        if (!by) return this.rows;
        const sign = this.sorted?.down ? -1 : 1;
        return [...this.rows].sort((a, b) => {
            const x = by.value(a) ?? '';
            const y = by.value(b) ?? '';
            return (
                sign *
                (typeof x === 'number' && typeof y === 'number'
                    ? x - y
                    : String(x).localeCompare(String(y), 'en', { numeric: true }))
            );
        });
    }

    private render(): void {
        this.heads.forEach((head, i) => {
            if (this.sorted?.column === i)
                head.setAttribute('aria-sort', this.sorted.down ? 'descending' : 'ascending');
            else head.removeAttribute('aria-sort');
            head.classList.toggle(
                'number',
                this.columns[i]?.class === 'number' ||
                    this.rows.some((row) => typeof this.columns[i]?.value(row) === 'number'),
            );
        });
        const rows = this.ordered();
        fill(
            this.body,
            ...rows.map((row) =>
                h(
                    'tr',
                    {},
                    ...this.columns.map((c) => {
                        const value = c.value(row);
                        return h(
                            'td',
                            { class: typeof value === 'number' ? 'number' : (c.class ?? '') },
                            c.show ? c.show(row) : (value ?? '–'),
                        );
                    }),
                ),
            ),
        );
        if (rows.length === 0)
            fill(this.body, h('tr', {}, h('td', { colSpan: this.columns.length, class: 'none' }, 'nothing to show')));
    }

    private save(): void {
        const columns = this.columns.filter((c) => !c.plain);
        download(
            `${this.file}.csv`,
            csv([columns.map((c) => c.label), ...this.ordered().map((row) => columns.map((c) => c.value(row)))]),
            'text/csv',
        );
    }
}
