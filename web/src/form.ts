// These are the controls of the job. An error of the server stands beside the field it names.

import { Combobox, type Suggestion } from './combobox';
import { fill, freshId, h } from './dom';
import { FIELDS, type Field } from './fields';
import { count, si } from './format';
import type { Job } from './state';
import type { Catalogue, Entry, Json, JsonObject, Kind, Result } from './types';

export interface FormEvents {
    kind(kind: Kind): void;
    value(key: string, value: string): void;
    model(model: string): void;
    system(system: string): void;
    config(config: JsonObject, name: string): void;
    fault(text: string): void;
}

interface Control {
    box: HTMLInputElement | HTMLSelectElement;
    error: HTMLElement;
    row: HTMLElement;
}

/** Says whether an engine of the catalogue runs jobs of this kind. */
const runs = (engine: Entry, kind: Kind): boolean =>
    [undefined, 'both', kind === 'train' ? 'training' : 'serving'].includes(engine['kind'] as string | undefined);

/** Real models come first, then those that only studies use; a size finds a model as its name does. */
function suggestions(models: readonly Entry[]): Suggestion[] {
    const real = models.filter((m) => !m['synthetic']);
    return [...real, ...models.filter((m) => m['synthetic'])].map((m) => {
        const [all, active] = [Number(m['params_total']), Number(m['params_active'])];
        const experts = active < all ? `, ${count(active)} active` : '';
        return {
            value: m.id,
            more: `${count(all)}${experts}${m['synthetic'] ? ', synthetic' : ''}`,
            find: `${count(all).replace(' ', '')} ${Math.round(all / 1e9)}b ${active < all ? 'moe experts' : 'dense'}`,
        };
    });
}

export class Form {
    private readonly controls = new Map<string, Control>();
    private readonly groups = h('div');
    private readonly models: Suggestion[];
    private model: Combobox | undefined;
    private shown: Kind | undefined;
    private details: HTMLDetailsElement | undefined;

    constructor(
        private readonly root: HTMLFormElement,
        private readonly lists: Catalogue,
        private readonly events: FormEvents,
    ) {
        root.addEventListener('submit', (event) => event.preventDefault());
        this.models = suggestions(lists.models);
        const kinds = h(
            'fieldset',
            { class: 'kinds' },
            h('legend', { class: 'hidden' }, 'What to predict'),
            ...(['train', 'infer'] as const).map((kind) => {
                const id = freshId('kind');
                return h(
                    'span',
                    {},
                    h('input', { type: 'radio', name: 'kind', id, value: kind, onchange: () => events.kind(kind) }),
                    h('label', { htmlFor: id }, kind === 'train' ? 'Training' : 'Inference'),
                );
            }),
        );
        const small = matchMedia('(max-width: 760px)').matches;
        fill(
            root,
            kinds,
            h('details', { class: 'job', open: !small }, h('summary', {}, 'Model, system and plan'), this.groups),
        );
        this.acceptFiles();
    }

    /** Shows the controls for this job; they are built anew only when the kind changes. */
    show(job: Job): void {
        for (const radio of this.root.querySelectorAll<HTMLInputElement>('input[name=kind]'))
            radio.checked = radio.value === job.kind;
        if (this.shown !== job.kind) this.build(job.kind);
        this.model?.set(job.config ? `${job.model} (dropped)` : job.model);
        this.offer('system', job.system);
        this.offer('workload.engine', job.values['workload.engine'] ?? '');
        for (const [key, control] of this.controls)
            if (FIELDS.some((f) => f.key === key) && control.box !== document.activeElement) {
                control.box.value = job.values[key] ?? '';
                if (control.box.value !== (job.values[key] ?? '')) this.offer(key, job.values[key] ?? '');
            }
    }

    /** Shows the values the server filled in as hints in the empty fields. */
    hint(result: Result): void {
        for (const [key, { box }] of this.controls) {
            const [section, name] = key.split('.') as [string, string | undefined];
            const filled = name ? (result.request[section] as JsonObject | undefined)?.[name] : result.request[section];
            const known = filled !== undefined && filled !== null && typeof filled !== 'object';
            if (box instanceof HTMLInputElement) box.placeholder = known ? String(filled) : 'auto';
            else if (box.options[0]?.value === '')
                // Only while nothing is chosen does the answer say what "auto" is.
                box.options[0].textContent = known && box.value === '' ? `auto: ${filled}` : 'auto';
        }
    }

    /** Puts a message beside its field; false if no field has the key. */
    fault(key: string, text: string): boolean {
        this.clear();
        const name = [...this.controls.keys()].find(
            (k) => k === key || key.startsWith(`${k}.`) || (k === 'workload.engine' && key.startsWith('engine')),
        );
        const control = name === undefined ? undefined : this.controls.get(name);
        if (!control) return false;
        fill(control.error, text.startsWith(`${name}: `) ? text.slice(`${name}: `.length) : text);
        control.row.classList.add('bad');
        control.box.setAttribute('aria-invalid', 'true');
        if (this.details && this.details.contains(control.box)) this.details.open = true;
        return true;
    }

    clear(): void {
        for (const { box, error, row } of this.controls.values()) {
            if (!row.classList.contains('bad')) continue;
            row.classList.remove('bad');
            box.removeAttribute('aria-invalid');
            fill(error);
        }
    }

    private build(kind: Kind): void {
        this.shown = kind;
        this.controls.clear();
        const fields = FIELDS.filter((f) => f.kinds.includes(kind));
        const rows = (group: Field['group']) => fields.filter((f) => f.group === group).map((f) => this.field(f));
        const file = h('input', {
            type: 'file',
            accept: '.json,application/json',
            class: 'hidden',
            id: 'config',
            onchange: () => {
                if (file.files?.[0]) void this.read(file.files[0]);
                file.value = ''; // the same file can be opened again once it is corrected
            },
        });
        this.details = h(
            'details',
            { class: 'more' },
            h('summary', {}, 'More'),
            h('div', { class: 'pairs' }, ...rows('more')),
        );
        fill(
            this.groups,
            h(
                'div',
                { class: 'wide' },
                this.modelBox(),
                h(
                    'div',
                    { class: 'drop' },
                    file,
                    h('label', { htmlFor: 'config', class: 'button' }, 'Open a config.json'),
                    ' or drop one here',
                ),
                this.choice(
                    'system',
                    'System',
                    this.lists.systems.map((s) => [s.id, String(s.id)]),
                    (v) => this.events.system(v),
                ),
                this.choice(
                    'workload.engine',
                    'Engine',
                    [
                        ['', 'auto'],
                        ...this.lists.engines
                            .filter((e) => runs(e, kind))
                            .map((e) => [e.id, e['covers'] ? `${e.id} (${e['covers']})` : e.id] as const),
                    ],
                    (v) => this.events.value('workload.engine', v),
                ),
            ),
            h('h2', {}, 'Plan'),
            h('div', { class: 'pairs' }, ...rows('plan')),
            h('h2', {}, 'Workload'),
            h('div', { class: 'pairs' }, ...rows('workload')),
            this.details,
        );
    }

    private wrap(
        key: string,
        label: string,
        box: HTMLInputElement | HTMLSelectElement,
        title?: string,
        wide?: boolean,
    ): HTMLElement {
        const id = `f-${key.replace(/\./g, '-')}`;
        const error = h('p', { class: 'error', id: `${id}-error` });
        box.id = id;
        box.setAttribute('aria-describedby', error.id);
        if (title) box.title = title;
        const row = h(
            'div',
            { class: `field ${wide ? 'wide-one' : ''}`, 'data-key': key },
            h('label', { htmlFor: id }, label),
            box,
            error,
        );
        this.controls.set(key, { box, error, row });
        return row;
    }

    private modelBox(): HTMLElement {
        this.model = new Combobox(this.models, 'Models', (v) => this.events.model(v));
        this.model.input.title = 'type a part of an id, a family, a size such as 70B, or a Hugging Face name';
        const row = this.wrap('model', 'Model', this.model.input);
        row.insertBefore(this.model.element, row.lastElementChild);
        return row;
    }

    private choice(
        key: string,
        label: string,
        options: readonly (readonly [string, string])[],
        change: (value: string) => void,
    ): HTMLElement {
        const box: HTMLSelectElement = h(
            'select',
            { onchange: () => change(box.value) },
            ...options.map(([value, text]) => h('option', { value }, text)),
        );
        return this.wrap(key, label, box);
    }

    private field(f: Field): HTMLElement {
        if (f.options) {
            const box: HTMLSelectElement = h(
                'select',
                { onchange: () => this.events.value(f.key, box.value) },
                h('option', { value: '' }, 'auto'),
                ...f.options.map((o) => h('option', { value: o }, o)),
            );
            return this.wrap(f.key, f.label, box, f.title, f.wide);
        }
        const box: HTMLInputElement = h('input', {
            type: 'text',
            inputMode: f.step ? 'numeric' : 'text',
            autocomplete: 'off',
            spellcheck: false,
            oninput: () => this.events.value(f.key, box.value),
        });
        if (f.step) box.addEventListener('keydown', (event) => this.arrow(f, box, event));
        return this.wrap(
            f.key,
            f.label,
            box,
            f.step
                ? `${f.title ?? f.label}; arrow up and down: ${f.step === 'double' ? 'double, halve' : 'more, less'}`
                : f.title,
        );
    }

    private arrow(f: Field, box: HTMLInputElement, event: KeyboardEvent): void {
        const now = Number(box.value || box.placeholder);
        if ((event.key !== 'ArrowUp' && event.key !== 'ArrowDown') || !Number.isInteger(now)) return;
        event.preventDefault();
        const up = event.key === 'ArrowUp';
        const next = f.step === 'double' ? (up ? now * 2 : now / 2) : now + (up ? 1 : -1);
        box.value = String(Math.max(1, Math.floor(next)));
        this.events.value(f.key, box.value);
    }

    /** Selects a value. A value that the catalogue lacks is added, and the server says what is wrong with it. */
    private offer(key: string, value: string): void {
        const box = this.controls.get(key)?.box;
        if (!(box instanceof HTMLSelectElement)) return;
        box.querySelector('option[data-own]')?.remove();
        if (![...box.options].some((o) => o.value === value)) {
            const option = h('option', { value, 'data-own': '' }, value);
            if (key === 'system') box.prepend(option);
            else box.append(option);
        }
        box.value = value;
    }

    private acceptFiles(): void {
        const page = document.documentElement;
        page.addEventListener('dragover', (event) => {
            event.preventDefault();
            page.classList.add('dropping');
        });
        page.addEventListener(
            'dragleave',
            (event) => event.relatedTarget === null && page.classList.remove('dropping'),
        );
        page.addEventListener('drop', (event) => {
            event.preventDefault();
            page.classList.remove('dropping');
            const file = event.dataTransfer?.files[0];
            if (file) void this.read(file);
        });
    }

    private async read(file: File): Promise<void> {
        if (file.size > 500_000)
            return this.events.fault(`${file.name}: ${si(file.size, 'B')} is too long for a config.json`);
        try {
            const value = JSON.parse(await file.text()) as Json;
            if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error('not an object');
            this.events.config(value, file.name);
        } catch (error) {
            this.events.fault(`${file.name}: not a JSON object (${(error as Error).message})`);
        }
    }
}
