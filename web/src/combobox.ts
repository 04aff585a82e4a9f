// A text box with a list of suggestions, as the ARIA pattern "combobox with list autocomplete" describes it.

import { fill, freshId, h } from './dom';

export interface Suggestion {
    value: string;
    /** What stands beside the value. */
    more: string;
    /** Words that find it, besides the value. */
    find: string;
}

/** At most this many suggestions are shown; typing narrows them. */
const MOST = 60;

/** Ranks a suggestion by where the typed words are found; -1: not at all. */
export function rank(suggestion: Suggestion, typed: string): number {
    const value = suggestion.value.toLowerCase();
    const all = `${value} ${suggestion.find.toLowerCase()}`;
    const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.some((w) => !all.includes(w))) return -1;
    const first = words[0] ?? '';
    return value === first ? 0 : value.startsWith(first) ? 1 : value.includes(first) ? 2 : 3;
}

export class Combobox {
    readonly input: HTMLInputElement;
    readonly element: HTMLElement;
    private readonly list: HTMLElement;
    private shown: Suggestion[] = [];
    private active = -1;
    private chosen = '';

    constructor(
        private readonly suggestions: readonly Suggestion[],
        label: string,
        private readonly choose: (value: string) => void,
    ) {
        const id = freshId('list');
        this.list = h('ul', { id, role: 'listbox', 'aria-label': label, class: 'suggestions', hidden: true });
        this.input = h('input', {
            type: 'text',
            role: 'combobox',
            autocomplete: 'off',
            spellcheck: false,
            'aria-controls': id,
            'aria-expanded': 'false',
            'aria-autocomplete': 'list',
            oninput: () => this.open(this.input.value),
            onfocus: () => this.input.select(),
            onclick: () => this.list.hidden && this.open(''),
            onkeydown: (event: KeyboardEvent) => this.key(event),
            onblur: () => this.leave(),
        });
        this.element = h('div', { class: 'combobox' }, this.input, this.list);
    }

    /** Shows the value in use. */
    set(value: string): void {
        this.chosen = value;
        if (document.activeElement !== this.input || this.list.hidden) this.input.value = value;
    }

    private open(typed: string): void {
        const ranked = this.suggestions
            .map((s, i) => ({ s, i, r: rank(s, typed) }))
            .filter(({ r }) => r >= 0)
            .sort((a, b) => a.r - b.r || a.i - b.i);
        this.shown = ranked.slice(0, MOST).map(({ s }) => s);
        const rest = ranked.length - this.shown.length;
        fill(
            this.list,
            ...this.shown.map((s, i) =>
                h(
                    'li',
                    {
                        id: `${this.list.id}-${i}`,
                        role: 'option',
                        'aria-selected': String(s.value === this.chosen),
                        onpointerdown: (event: Event) => {
                            event.preventDefault(); // the box keeps the focus
                            this.take(s.value);
                        },
                    },
                    h('span', {}, s.value),
                    h('span', { class: 'small' }, s.more),
                ),
            ),
            rest > 0 ? h('li', { role: 'presentation', class: 'small' }, `and ${rest} more: type to narrow`) : null,
        );
        this.list.hidden = this.shown.length === 0;
        this.input.setAttribute('aria-expanded', String(!this.list.hidden));
        this.mark(typed === '' ? this.shown.findIndex((s) => s.value === this.chosen) : this.shown.length ? 0 : -1);
    }

    private mark(index: number): void {
        this.active = index;
        [...this.list.children].forEach((row, i) => row.classList.toggle('active', i === index));
        if (index < 0) return this.input.removeAttribute('aria-activedescendant');
        this.input.setAttribute('aria-activedescendant', `${this.list.id}-${index}`);
        this.list.children[index]?.scrollIntoView({ block: 'nearest' });
    }

    private key(event: KeyboardEvent): void {
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (step !== undefined) {
            event.preventDefault();
            if (this.list.hidden) return this.open('');
            this.mark((this.active + step + this.shown.length) % this.shown.length);
        } else if (event.key === 'Enter') {
            event.preventDefault();
            this.take(!this.list.hidden && this.shown[this.active] ? this.shown[this.active]!.value : this.input.value);
        } else if (event.key === 'Escape') {
            this.input.value = this.chosen;
            this.close();
        }
    }

    private take(value: string): void {
        this.close();
        this.input.value = value;
        if (value.trim() !== '' && value !== this.chosen) this.choose(value.trim());
    }

    /** A name that is in no list may be a Hugging Face name, which the server knows. */
    private leave(): void {
        const typed = this.input.value.trim();
        this.close();
        if (typed === '') this.input.value = this.chosen;
        else if (typed !== this.chosen) this.take(typed);
    }

    private close(): void {
        this.list.hidden = true;
        this.input.setAttribute('aria-expanded', 'false');
        this.mark(-1);
    }
}
