// The page turns its state into a prediction and shows one view at a time.

import * as api from './api';
import { debounce, download, fill, h, throttle } from './dom';
import { Form } from './form';
import { hintsOf } from './hints';
import { overrides } from './machine';
import { recorded } from './recorded';
import { ReportPage } from './report';
import { ShareLine } from './share';
import { jobText, requestOf, stateFrom, stateText, type Job, type State } from './state';
import { scalarsCsv } from './table';
import { Tabs } from './tabs';
import { startTheme, themeButton } from './theme';
import type { Catalogue, JsonObject, Kind, Result } from './types';
import type { Answer, App, Card, View } from './view';
import { cardsOf, showCards } from './views/cards';
import { Compare, MOST_JOBS } from './views/compare';
import { Fit } from './views/fit';
import { Load } from './views/load';
import { Operators } from './views/operators';
import { Overview } from './views/overview';
import { Search } from './views/search';
import { Size } from './views/size';
import { Technology } from './views/technology';
import { Timeline } from './views/timeline';
import { Topology } from './views/topology';
import { WhatIf } from './views/whatif';

/** The server is asked at once, but no more often than this; the URL is written once nothing changes for a while. */
const ASK_MS = 40;
const URL_MS = 200;

class Explorer implements App {
    state: State = stateFrom(location.hash);
    private readonly form: Form;
    private readonly views: View[];
    private readonly tabs: Tabs;
    private readonly cards = h('dl', { class: 'cards', 'aria-label': 'Headline numbers' });
    private readonly banner = h('div', { class: 'banner', hidden: true });
    private readonly alert = h('p', { class: 'banner bad', role: 'alert', hidden: true });
    private readonly live = h('p', { class: 'hidden', role: 'status', 'aria-live': 'polite' });
    private readonly panel = h('div', { id: 'view', role: 'tabpanel', tabIndex: -1 });
    private readonly share = new ShareLine(
        (text) => this.say(text),
        () => {
            this.writeUrl(false);
            return location.href;
        },
    );
    private answer: Answer | undefined;
    private asking: AbortController | undefined;
    private showing: AbortController | undefined;
    private written = '';
    private readonly ask = throttle(ASK_MS, () => void this.predict());
    private readonly write = debounce(URL_MS, () => this.writeUrl(false));
    private readonly speak = debounce(700, (text: string) => fill(this.live, text));

    constructor(lists: Catalogue) {
        this.form = new Form(document.querySelector<HTMLFormElement>('#controls')!, lists, {
            kind: (kind) => this.setKind(kind),
            value: (key, value) => this.edit((job) => (job.values[key] = value)),
            model: (model) =>
                this.edit((job) => {
                    if (model === '') return;
                    job.model = model;
                    delete job.config;
                }),
            system: (system) => this.edit((job) => (job.system = system)),
            config: (config, name) => {
                this.edit((job) => {
                    job.config = config;
                    job.model = name;
                });
                this.say(`${name} loaded`);
            },
            fault: (text) => this.fault(new Error(text)),
        });
        this.views = [
            new Overview(),
            new Load(this),
            new Size(this, lists),
            new Operators(this),
            new Timeline(),
            new Topology(),
            new WhatIf(this),
            new Search(this),
            new Compare(this),
            new Technology(this, lists),
            new Fit(this),
        ];
        this.tabs = new Tabs(this.views, (id) => this.setView(id));
        this.build();
        window.addEventListener('hashchange', () => this.restore());
        window.addEventListener('popstate', () => this.restore());
        this.refresh();
        void this.predict();
    }

    edit(change: (job: Job) => void): void {
        change(this.state.job);
        this.refresh();
        this.write();
        this.ask();
    }

    option = (key: string, fallback: string): string => this.state.options[key] ?? fallback;

    setOption(key: string, value: string): void {
        this.state.options[key] = value;
        this.write();
    }

    compare(jobs: string[]): void {
        this.writeUrl(false);
        this.state.compare = jobs;
        this.writeUrl(true);
        this.showView();
    }

    show(view: string): void {
        this.setView(view);
    }

    headline(cards: readonly Card[], notes: readonly string[]): void {
        showCards(this.cards, cards);
        this.banner.hidden = notes.length === 0;
        fill(this.banner, notes.join(' · '));
    }

    commandChanged(): void {
        const view = this.views.find((v) => v.id === this.state.view);
        const answer = this.answer;
        if (!view || !answer) return this.share.show('');
        void (async () => {
            const text = await view.command(answer);
            if (this.state.view === view.id && this.answer === answer) this.share.show(text);
        })();
    }

    say(text: string): void {
        fill(this.live, text);
    }

    fault(error: unknown): void {
        const text = error instanceof Error ? error.message : String(error);
        fill(this.alert, text);
        this.alert.hidden = false;
    }

    private build(): void {
        const actions = h(
            'div',
            { class: 'actions' },
            h('button', { type: 'button', onclick: () => this.keep() }, 'Compare'),
            h(
                'button',
                {
                    type: 'button',
                    'aria-label': 'Download the result as JSON',
                    onclick: () => this.saveJson(),
                },
                'JSON',
            ),
            h(
                'button',
                { type: 'button', 'aria-label': 'Download the result as CSV', onclick: () => this.saveCsv() },
                'CSV',
            ),
            themeButton(),
        );
        fill(
            document.querySelector('#top')!,
            h('h1', {}, 'Orrery'),
            h('p', {}, 'time, memory, energy and cost of LLM training and inference'),
            actions,
        );
        const heading = h('h2', { class: 'hidden' }, 'Prediction');
        fill(
            document.querySelector('#main')!,
            heading,
            this.alert,
            this.banner,
            this.cards,
            this.tabs.element,
            this.share.element,
            this.panel,
            this.live,
        );
        document.querySelector('.skip')!.addEventListener('click', (event) => {
            event.preventDefault(); // the fragment of the URL is the state
            document.querySelector<HTMLElement>('#main')!.focus();
        });
    }

    private setKind(kind: Kind): void {
        if (kind === this.state.job.kind) return;
        this.writeUrl(false); // the last typed text belongs to the page that is left
        this.edit((job) => {
            const values = this.state.other;
            this.state.other = job.values;
            job.values = values;
            job.kind = kind;
        });
        this.writeUrl(true);
    }

    private setView(id: string): void {
        this.writeUrl(false);
        this.state.view = id;
        this.writeUrl(true);
        this.refresh();
        this.showHeadline();
        this.showView();
    }

    /** Says whether a view has something to show for the kind of the job. */
    private shows(view: View): boolean {
        return !view.kinds || view.kinds.includes(this.state.job.kind);
    }

    /** Sets controls and tabs as the state says. */
    private refresh(): void {
        const asked = this.views.find((v) => v.id === this.state.view && this.shows(v));
        const view = asked ?? this.views[0]!;
        this.state.view = view.id;
        this.form.show(this.state.job);
        if (this.panel.firstElementChild !== view.element) {
            fill(this.panel, view.element);
            this.panel.setAttribute('aria-labelledby', `tab-${view.id}`);
        }
        this.tabs.select(view, (v) => this.shows(v));
    }

    private async predict(): Promise<void> {
        this.asking?.abort();
        const asking = (this.asking = new AbortController());
        const job = structuredClone(this.state.job);
        try {
            const request = requestOf(job, await overrides(job.system, job.factors));
            const text = await api.postText(job.kind, request, asking.signal);
            if (asking.signal.aborted) return;
            this.answer = { job, request, text, result: JSON.parse(text) as Result };
            this.accept(this.answer.result);
        } catch (error) {
            if (!asking.signal.aborted) this.refuse(error);
        }
    }

    private accept(result: Result): void {
        this.alert.hidden = true;
        this.panel.hidden = false;
        this.form.clear();
        this.form.hint(result);
        document.body.classList.remove('stale');
        this.showHeadline();
        const first = cardsOf(result)[0]?.value ?? '';
        this.speak(
            `${result.kind === 'train' ? 'Step time' : 'Latency'} ${first}` +
                (result.fits ? '' : ', does not fit into memory'),
        );
        this.showView();
    }

    /** Shows the numbers of the prediction, what to beware of, and buttons for what the answer advises. */
    private showHeadline(): void {
        const result = this.answer?.result;
        if (!result || this.views.find((v) => v.id === this.state.view)?.ownHeadline) return;
        const notes = [...(result.fits ? [] : [`Does not fit: ${String(result['reason'] ?? '')}`]), ...result.warnings];
        this.headline(cardsOf(result), notes);
        if (result.fits) return;
        const button = (text: string, act: () => void) => h('button', { type: 'button', onclick: act }, text);
        this.banner.append(
            h(
                'span',
                { class: 'hints' },
                ...hintsOf(result).map((hint) => button(`Try ${hint.text}`, () => this.edit(hint.apply))),
                button('Search plans that fit', () => this.setView('search')),
            ),
        );
    }

    private refuse(error: unknown): void {
        document.body.classList.add('stale');
        this.banner.hidden = this.panel.hidden = !this.answer;
        fill(this.banner, 'The numbers below are those of the last job that could be answered.');
        this.form.clear();
        const key = error instanceof api.RequestError ? error.key : '';
        if (key && this.form.fault(key, (error as Error).message)) {
            this.alert.hidden = true;
            this.speak((error as Error).message);
        } else this.fault(error);
    }

    private showView(): void {
        const view = this.views.find((v) => v.id === this.state.view);
        if (!view || !this.answer) return;
        this.commandChanged();
        this.showing?.abort();
        const showing = (this.showing = new AbortController());
        this.panel.setAttribute('aria-busy', 'true');
        void (async () => {
            try {
                await view.update(this.answer!, showing.signal);
            } catch (error) {
                if (!showing.signal.aborted) this.fault(error);
            }
            if (!showing.signal.aborted) this.panel.removeAttribute('aria-busy');
        })();
    }

    private writeUrl(push: boolean): void {
        const text = stateText(this.state);
        if (text === this.written) return;
        this.written = text;
        history[push ? 'pushState' : 'replaceState'](null, '', `#${text}`);
    }

    private restore(): void {
        const fragment = location.hash.replace(/^#/, '');
        if (fragment === this.written) return;
        this.written = fragment;
        this.state = stateFrom(fragment);
        for (const view of this.views) view.restore?.();
        this.refresh();
        void this.predict();
    }

    private keep(): void {
        if (this.state.compare.length >= MOST_JOBS) {
            this.setView('compare'); // the view says that it is full
            return this.say(`${MOST_JOBS} jobs are kept already`);
        }
        this.writeUrl(false);
        this.state.compare = [...this.state.compare, jobText(this.state.job)];
        this.setView('compare');
        this.say(`Job ${this.state.compare.length} of ${MOST_JOBS} kept to compare`);
    }

    /** Returns what the buttons save: the answer of the view, or else the prediction. */
    private get text(): string | undefined {
        return this.views.find((v) => v.id === this.state.view)?.answerText?.() ?? this.answer?.text;
    }

    private saveJson(): void {
        if (this.text) download('orrery.json', this.text, 'application/json');
    }

    private saveCsv(): void {
        if (!this.text) return;
        download('orrery.csv', scalarsCsv(JSON.parse(this.text) as JsonObject), 'text/csv');
    }
}

async function main(): Promise<void> {
    startTheme();
    if (recorded) return void new ReportPage(recorded);
    try {
        new Explorer(await api.catalogue());
    } catch (error) {
        fill(
            document.querySelector('#main')!,
            h('p', { class: 'banner bad', role: 'alert' }, (error as Error).message),
        );
    }
}

void main();
