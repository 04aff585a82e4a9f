// This view shows a report as the program printed it, below charts of what it is about.

import type { Recorded } from '../recorded';
import { h } from '../dom';
import { firstReply } from '../recorded';
import type { JsonObject } from '../types';
import type { View } from '../view';
import { barsChart, compareViews, curveChart, fitViews, sweepViews, validateViews } from './report_charts';

/** Returns what the page draws from the data of a report, by its kind. */
function drawn(r: Recorded): HTMLElement[] {
    const result = firstReply(r);
    const kind = String(result['kind'] ?? '');
    return [
        // The view of a service under load has its curve.
        ...(r.replies['serving?detail=1'] ? [] : r.charts).map((c) => (c.type === 'bars' ? barsChart(c) : curveChart(c))),
        ...(kind === 'compare' ? compareViews(result) : []),
        ...(kind === 'sweep' ? sweepViews(result) : []),
        ...(kind === 'fit' ? fitViews(result) : []),
        ...(kind === 'validate' && r.replies['rows'] ? validateViews(result, r.replies['rows'] as JsonObject) : []),
    ];
}

const textPanel = (title: string, text: string): HTMLElement =>
    h(
        'section',
        { class: 'panel' },
        h('header', {}, h('h3', {}, title)),
        h('pre', { class: 'printed', tabIndex: 0, 'aria-label': title }, text),
    );

export class Report implements View {
    readonly id = 'report';
    readonly label = 'Report';
    readonly element: HTMLElement;

    constructor(r: Recorded) {
        const formulas = r.replies['explain'];
        this.element = h(
            'div',
            { class: 'grid' },
            ...drawn(r),
            textPanel('As printed', r.text),
            typeof formulas === 'string' ? textPanel('Every term with its formula', formulas) : null,
        );
    }

    command = (): string => '';

    update(): void {}
}
