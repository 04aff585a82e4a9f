// A report of the program: the views of this page about the answer inside it, without a server.

import { download, fill, h } from './dom';
import { firstReply, type Recorded } from './recorded';
import { ShareLine } from './share';
import { start, type Job, type State } from './state';
import { scalarsCsv } from './table';
import { Tabs } from './tabs';
import { themeButton } from './theme';
import type { Json, JsonObject, Kind, Result } from './types';
import type { Answer, App, Card, View } from './view';
import { cardsOf, showCards } from './views/cards';
import { Load } from './views/load';
import { Operators } from './views/operators';
import { Overview } from './views/overview';
import { Report } from './views/report';
import { Search } from './views/search';
import { Size } from './views/size';
import { Timeline } from './views/timeline';
import { Topology } from './views/topology';

/** Returns the views that the replies are enough for; the report itself comes last, or first where it is alone. */
function viewsOf(app: App, r: Recorded): View[] {
    const has = (path: string) => path in r.replies;
    return [
        ...(has('train') || has('infer') ? [new Overview()] : []),
        ...(has('serving?detail=1') ? [new Load(app)] : []),
        ...(has('size') ? [new Size(app, { models: [], systems: [], engines: [], chips: [] })] : []),
        ...(has('search') ? [new Search(app)] : []),
        ...(has('train?dump=ops') || has('infer?dump=ops') ? [new Operators(app)] : []),
        ...(has('train?dump=timeline') ? [new Timeline()] : []),
        ...(has('train?dump=ops') || has('infer?dump=ops') ? [new Topology()] : []),
        new Report(r),
    ];
}

/** Returns the answer as views expect it; a report that is about no single job has an empty request. */
function answerOf(r: Recorded): Answer {
    const first = firstReply(r);
    const asked = (first['request'] ?? {}) as JsonObject;
    const request: Result['request'] = {
        ...asked,
        gpus: Number(asked['gpus'] ?? 0),
        plan: (asked['plan'] ?? {}) as JsonObject,
        workload: (asked['workload'] ?? {}) as JsonObject,
    };
    const kind: Kind = (asked['kind'] ?? first['kind']) === 'train' || first['of'] === 'train' || first['search'] === 'train' ? 'train' : 'infer';
    const job: Job = {
        kind,
        model: String(asked['model'] ?? ''),
        system: String(asked['system'] ?? ''),
        values: {},
        factors: {},
    };
    const result = { ...first, kind, request } as unknown as Result;
    return { job, request: request as Json as JsonObject, text: JSON.stringify(first, null, 2) + '\n', result };
}

export class ReportPage implements App {
    readonly state: State = start();
    private readonly answer: Answer;
    private readonly views: View[];
    private readonly tabs: Tabs;
    private readonly cards = h('dl', { class: 'cards', 'aria-label': 'Headline numbers' });
    private readonly banner = h('div', { class: 'banner', hidden: true });
    private readonly alert = h('p', { class: 'banner bad', role: 'alert', hidden: true });
    private readonly live = h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
    private readonly panel = h('div', { id: 'view', role: 'tabpanel', tabIndex: -1 });
    private showing: AbortController | undefined;

    constructor(private readonly recorded: Recorded) {
        this.answer = answerOf(recorded);
        this.state.job = this.answer.job;
        this.views = viewsOf(this, recorded);
        this.tabs = new Tabs(this.views, (id) => this.show(id));
        this.build();
        window.addEventListener('hashchange', () => this.open());
        this.open();
    }

    /** The job of a report stays as it is. */
    edit(): void {
        this.say('A report holds one answer.');
    }

    option = (key: string, fallback: string): string => this.state.options[key] ?? fallback;

    setOption(key: string, value: string): void {
        this.state.options[key] = value;
    }

    compare(): void {
        this.edit();
    }

    show(view: string): void {
        location.hash = `view=${view}`; // a page from a file may change nothing else of its address
    }

    headline(cards: readonly Card[], notes: readonly string[]): void {
        showCards(this.cards, cards);
        this.banner.hidden = notes.length === 0;
        fill(this.banner, notes.join(' · '));
    }

    commandChanged(): void {}

    say(text: string): void {
        fill(this.live, text);
    }

    fault(error: unknown): void {
        fill(this.alert, error instanceof Error ? error.message : String(error));
        this.alert.hidden = false;
    }

    private build(): void {
        const { title, version, command } = this.recorded;
        const save = (label: string, name: string, text: () => string, type: string) =>
            h(
                'button',
                {
                    type: 'button',
                    'aria-label': `Download the result as ${label}`,
                    onclick: () => download(name, text(), type),
                },
                label,
            );
        const share = new ShareLine(
            (text) => this.say(text),
            () => location.href,
        );
        share.show(command);
        const result = firstReply(this.recorded);
        fill(
            document.querySelector('#top')!,
            h('h1', {}, title),
            h('p', {}, `Orrery ${version}`),
            h(
                'div',
                { class: 'actions' },
                save('JSON', 'orrery.json', () => this.answer.text, 'application/json'),
                result['kind'] && !Array.isArray(result)
                    ? save('CSV', 'orrery.csv', () => scalarsCsv(result), 'text/csv')
                    : null,
                themeButton(),
            ),
        );
        const heading = h('h2', { class: 'hidden' }, 'Report');
        fill(
            document.querySelector('#main')!,
            ...[heading, this.alert, this.banner, this.cards, this.tabs.element, share.element, this.panel, this.live],
        );
        document.querySelector('.skip')!.addEventListener('click', (event) => {
            event.preventDefault(); // the fragment of the URL is the view
            document.querySelector<HTMLElement>('#main')!.focus();
        });
    }

    /** Shows the view that the address names, or the first. */
    private open(): void {
        const named = new URLSearchParams(location.hash.replace(/^#/, '')).get('view');
        const view = this.views.find((v) => v.id === named) ?? this.views[0]!;
        this.state.view = view.id;
        fill(this.panel, view.element);
        this.panel.setAttribute('aria-labelledby', `tab-${view.id}`);
        this.tabs.select(view);
        this.showHeadline(view);
        this.showing?.abort();
        const showing = (this.showing = new AbortController());
        void (async () => {
            try {
                await view.update(this.answer, showing.signal);
            } catch (error) {
                if (!showing.signal.aborted) this.fault(error);
            }
        })();
    }

    private showHeadline(view: View): void {
        const { result } = this.answer;
        if (view.ownHeadline) return;
        if (!('time_s' in result)) return this.headline([], []);
        const reason = result.fits ? [] : [`Does not fit: ${String(result['reason'] ?? '')}`];
        this.headline(cardsOf(result), [...reason, ...result.warnings]);
    }
}
