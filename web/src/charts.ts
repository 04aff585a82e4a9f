// ECharts draws on canvas, with only the parts in use. Tooltips are our own elements, because the library's carry
// inline styles.

import { BarChart, CustomChart, LineChart, ScatterChart } from 'echarts/charts';
import {
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkLineComponent,
    TooltipComponent,
} from 'echarts/components';
import * as echarts from 'echarts/core';
import type { ECharts, EChartsCoreOption } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { download, h } from './dom';
import { tick } from './format';
import { csv } from './table';

echarts.use([
    BarChart,
    CustomChart,
    LineChart,
    ScatterChart,
    DataZoomComponent,
    GridComponent,
    LegendComponent,
    MarkLineComponent,
    TooltipComponent,
    CanvasRenderer,
]);

export interface Palette {
    ink: string;
    soft: string;
    line: string;
    panel: string;
    warn: string;
    series: string[];
    /** This is the font of the page, because a canvas knows no "inherit". */
    font: string;
}

/** Returns the colours of the page as it is now, light or dark. */
export function palette(): Palette {
    const style = getComputedStyle(document.documentElement);
    const read = (name: string) => style.getPropertyValue(name).trim();
    return {
        ink: read('--ink'),
        soft: read('--soft'),
        line: read('--line'),
        panel: read('--panel'),
        warn: read('--bad'),
        series: Array.from({ length: 10 }, (_, i) => read(`--s${i}`)),
        font: style.fontFamily,
    };
}

const LEGEND = { icon_px: 12, gap_px: 10, row_px: 24, text_px: 12 };

/** Makes a legend above a plot, in as many rows as its names need, and returns the height it takes. */
export function legend(names: readonly string[], width_px: number, colours: Palette) {
    const pen = document.createElement('canvas').getContext('2d')!;
    pen.font = `${LEGEND.text_px}px ${colours.font}`;
    let rows = 1;
    let used = 0;
    for (const name of names) {
        const wide = LEGEND.icon_px + 5 + pen.measureText(name).width + LEGEND.gap_px;
        if (used > 0 && used + wide > width_px - 2 * LEGEND.gap_px) {
            rows++;
            used = 0;
        }
        used += wide;
    }
    return {
        height: LEGEND.row_px * rows,
        option: {
            top: 0,
            data: names.map((name) => ({ name, icon: 'roundRect' })),
            textStyle: { color: colours.soft, fontSize: LEGEND.text_px },
            itemWidth: LEGEND.icon_px,
            itemHeight: LEGEND.icon_px,
            itemGap: LEGEND.gap_px,
        },
    };
}

const BOUNDS = ['compute', 'l2', 'dram', 'network', 'overhead', 'host'];
/** Each resource has the same colour everywhere. */
export const boundColour = (bound: string, colours: Palette): string =>
    colours.series[Math.max(0, BOUNDS.indexOf(bound === 'launch' ? 'overhead' : bound))] ?? colours.soft;

/** Makes what a pointer over a mark shows: a title and lines of text. */
export function note(title: string, lines: readonly (string | readonly [string, string])[]): HTMLElement {
    return h(
        'div',
        { class: 'note' },
        h('strong', {}, title),
        ...lines.map((line) =>
            typeof line === 'string'
                ? h('div', {}, line)
                : h('div', { class: 'pair' }, h('span', {}, line[0]), h('span', {}, line[1])),
        ),
    );
}

export const axis = (colours: Palette, more: Record<string, unknown> = {}): Record<string, unknown> => ({
    axisLine: { lineStyle: { color: colours.line } },
    axisTick: { lineStyle: { color: colours.line } },
    splitLine: { lineStyle: { color: colours.line, opacity: 0.6 } },
    axisLabel: { color: colours.soft, fontSize: 11, hideOverlap: true },
    nameTextStyle: { color: colours.soft, fontSize: 12 },
    ...more,
});

/** An axis that ends at a given value has no label there on a narrow chart, where it would touch its neighbour. */
export const ending = (width_px: number) => (width_px < 600 ? { showMaxLabel: false } : {});
/** Narrow charts have fewer marks. */
export const marks = (width_px: number) => (width_px < 420 ? { splitNumber: 3 } : {});

/** Makes the labels of an axis of quantities. */
export const mark = (text: (value: number) => string, colours: Palette) => ({
    color: colours.soft,
    fontSize: 11,
    hideOverlap: true,
    formatter: (v: number) => tick(text(v)),
});

export type Rows = readonly (readonly (number | string | undefined)[])[];

export interface ChartHost extends HTMLDivElement {
    chart?: ECharts;
}

/** A chart is a figure with a title and buttons; it is drawn again when the theme or its size changes. */
export class Chart {
    readonly element: HTMLElement;
    private readonly host: ChartHost;
    private readonly saveRows: HTMLButtonElement;
    private rows: (() => Rows) | undefined;
    private drawn_px = 0;
    private draw: ((colours: Palette, width_px: number) => EChartsCoreOption) | undefined;
    private tall: ((width_px: number) => number) | undefined;

    constructor(
        title: string,
        private readonly file: string,
        extra: { class?: string; below?: HTMLElement; intro?: string; controls?: HTMLElement } = {},
    ) {
        this.host = h('div', {
            class: `chart ${extra.class ?? ''}`,
            role: 'img',
            'aria-label': `${title}, not drawn yet`,
        });
        this.saveRows = h(
            'button',
            {
                type: 'button',
                hidden: true,
                title: `${title} as CSV`,
                'aria-label': `Download ${title} as CSV`,
                onclick: () => this.rows && download(`${file}.csv`, csv(this.rows()), 'text/csv'),
            },
            'CSV',
        );
        const actions = h(
            'div',
            { class: 'actions' },
            this.saveRows,
            h(
                'button',
                {
                    type: 'button',
                    title: `${title} as PNG`,
                    'aria-label': `Download ${title} as PNG`,
                    onclick: () => this.save(),
                },
                'PNG',
            ),
        );
        this.element = h(
            'section',
            { class: 'panel' },
            h('header', {}, h('h3', {}, title), extra.controls, actions),
            extra.intro ? h('p', { class: 'intro' }, extra.intro) : null,
            this.host,
            extra.below,
        );
        new ResizeObserver(() => {
            this.host.chart?.resize();
            if (this.host.clientWidth !== this.drawn_px) this.render();
        }).observe(this.host);
        document.addEventListener('themechange', () => this.render());
    }

    /**
     * Shows what `draw` makes; `summary` is what a screen reader says in place of the picture, `rows` are its numbers
     * with a first row of names.
     */
    set(summary: string, draw: (colours: Palette, width_px: number) => EChartsCoreOption, rows?: () => Rows): void {
        this.host.setAttribute('aria-label', summary);
        this.draw = draw;
        this.rows = rows;
        this.saveRows.hidden = !rows;
        this.render();
    }

    on(event: string, listener: (data: { data: unknown; seriesName?: string; dataIndex: number }) => void): void {
        this.listeners.push([event, listener as (data: unknown) => void]);
    }

    get width_px(): number {
        return this.host.clientWidth;
    }

    /** Zooms to a part of the axis, in percent of it. */
    zoom(start: number, end: number): void {
        this.host.chart?.dispatchAction({ type: 'dataZoom', start, end });
    }

    /** Returns the part of the axis in sight, in percent of it. */
    get zoomed(): [number, number] {
        const zoom = (this.host.chart?.getOption()['dataZoom'] as { start: number; end: number }[] | undefined)?.[0];
        return zoom ? [zoom.start, zoom.end] : [0, 100];
    }

    /** Sets the height, or how it follows from the width. */
    height(pixels: number | ((width_px: number) => number)): void {
        this.tall = typeof pixels === 'number' ? () => pixels : pixels;
        this.stretch();
    }

    private stretch(): void {
        if (!this.tall || this.host.clientWidth === 0) return;
        this.host.style.height = `${this.tall(this.host.clientWidth)}px`;
        this.host.chart?.resize();
    }

    private readonly listeners: [string, (data: unknown) => void][] = [];

    private render(): void {
        if (!this.draw || this.host.clientWidth === 0) return;
        this.stretch();
        if (!this.host.chart) {
            this.host.chart = echarts.init(this.host, null, { renderer: 'canvas' });
            for (const [event, listener] of this.listeners) this.host.chart.on(event, listener as never);
        }
        const colours = palette();
        this.drawn_px = this.host.clientWidth;
        const option = this.draw(colours, this.drawn_px);
        const tooltip = {
            backgroundColor: colours.panel,
            borderColor: colours.line,
            textStyle: { color: colours.ink, fontSize: 12 },
            confine: true,
            transitionDuration: 0,
            ...(option['tooltip'] as object | undefined),
        };
        this.host.chart.setOption(
            { animation: false, textStyle: { fontFamily: colours.font }, ...option, tooltip },
            { notMerge: true },
        );
    }

    private save(): void {
        const url = this.host.chart?.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: palette().panel });
        if (url) download(`${this.file}.png`, url);
    }
}

/** Draws horizontal stacked bars: one row per name, one colour per part. */
export function stacked(
    rows: readonly string[],
    parts: readonly { name: string; values: readonly number[]; colour: string }[],
    text: (value: number) => string,
    colours: Palette,
    more: {
        max?: number;
        marks?: readonly { name: string; at: number }[];
        legend_px?: number;
        /** The width of names; a single bar has one only then. */
        label_px?: number;
    } = {},
): EChartsCoreOption {
    const names = more.legend_px
        ? legend(
              parts.map((p) => p.name),
              more.legend_px,
              colours,
          )
        : undefined;
    return {
        grid: {
            left: 14,
            right: 22,
            top: more.marks ? 26 : names ? names.height + 8 : 8,
            bottom: 4,
            containLabel: true,
        },
        ...(names ? { legend: names.option } : {}),
        tooltip: {
            trigger: 'item',
            formatter: (p: { seriesName: string; name: string; value: number }) =>
                note(p.seriesName, [[p.name, text(p.value)]]),
        },
        xAxis: {
            type: 'value',
            ...(more.max ? { max: more.max } : {}),
            ...axis(colours, { axisLabel: { ...mark(text, colours), ...(more.marks ? { showMaxLabel: false } : {}) } }),
        },
        yAxis: {
            type: 'category',
            data: [...rows],
            inverse: true,
            ...axis(colours),
            axisLabel: { show: Boolean(more.label_px) || rows.length > 1, color: colours.soft, width: more.label_px ?? 130, overflow: 'truncate' },
        },
        series: parts.map((part, i) => ({
            type: 'bar',
            stack: 'all',
            name: part.name,
            data: [...part.values],
            itemStyle: { color: part.colour, borderColor: colours.panel, borderWidth: 0.5 },
            barMaxWidth: 34,
            ...(more.marks && i === 0
                ? {
                      markLine: {
                          symbol: 'none',
                          silent: true,
                          lineStyle: { color: colours.ink, width: 1.5, type: 'solid' },
                          label: {
                              color: colours.ink,
                              fontSize: 11,
                              position: 'start',
                              formatter: (p: { name: string }) => p.name,
                          },
                          data: more.marks.map((m) => ({
                              name: m.name,
                              xAxis: m.at,
                              label: { align: m.at > (more.max ?? Infinity) / 2 ? 'right' : 'left' },
                          })),
                      },
                  }
                : {}),
        })),
    };
}
