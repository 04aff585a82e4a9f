// The row of tabs above the views: one is in use, and the arrow keys go round those that are shown.

import { h } from './dom';
import type { View } from './view';

export class Tabs {
    readonly element: HTMLElement;
    private readonly tabs: HTMLButtonElement[];

    constructor(
        private readonly views: readonly View[],
        private readonly choose: (id: string) => void,
    ) {
        this.tabs = views.map((view) =>
            h(
                'button',
                {
                    type: 'button',
                    role: 'tab',
                    id: `tab-${view.id}`,
                    'aria-controls': 'view',
                    onclick: () => choose(view.id),
                },
                view.label,
            ),
        );
        this.element = h(
            'div',
            {
                class: 'tabs',
                role: 'tablist',
                'aria-label': 'Views',
                onkeydown: (event: KeyboardEvent) => this.key(event),
            },
            ...this.tabs,
        );
        new ResizeObserver(() => this.reveal()).observe(this.element);
    }

    /** Marks the tab of a view, brings it into sight, and hides those of views that have nothing to show. */
    select(chosen: View, shows: (view: View) => boolean = () => true): void {
        const own = this.tabs[this.views.indexOf(chosen)]!;
        const another = own.getAttribute('aria-selected') !== 'true';
        this.views.forEach((view, i) => {
            const tab = this.tabs[i]!;
            tab.hidden = !shows(view);
            tab.setAttribute('aria-selected', String(view === chosen));
            tab.tabIndex = view === chosen ? 0 : -1;
        });
        this.element.hidden = this.tabs.filter((t) => !t.hidden).length < 2;
        if (another) this.reveal();
    }

    /** Scrolls the row so that the tab in use is in its middle. */
    private reveal(): void {
        const tab = this.tabs.find((t) => t.getAttribute('aria-selected') === 'true');
        if (tab) this.element.scrollLeft = tab.offsetLeft - (this.element.clientWidth - tab.offsetWidth) / 2;
    }

    private key(event: KeyboardEvent): void {
        const shown = this.tabs.filter((t) => !t.hidden);
        const now = shown.findIndex((t) => t.getAttribute('aria-selected') === 'true');
        const last = shown.length - 1;
        const next = {
            ArrowRight: (now + 1) % shown.length,
            ArrowLeft: (now + last) % shown.length,
            Home: 0,
            End: last,
        }[event.key];
        if (next === undefined) return;
        event.preventDefault();
        this.choose(this.views[this.tabs.indexOf(shown[next]!)]!.id);
        shown[next]!.focus();
    }
}
