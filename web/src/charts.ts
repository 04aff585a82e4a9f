// ECharts on canvas, only the parts in use. Tooltips are elements of ours: the library's own carry inline styles.

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
}

/** The colours of the page as it is now, light or dark. */
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
    };
}

const BOUNDS = ['compute', 'l2', 'dram', 'network', 'overhead'];
/** One colour per resource, everywhere. */
export const boundColour = (bound: string, colours: Palette): string =>
    colours.series[Math.max(0, BOUNDS.indexOf(bound === 'launch' ? 'overhead' : bound))] ?? colours.soft;

/** What a pointer over a mark shows: a title and lines of text. */
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

export interface ChartHost extends HTMLDivElement {
    chart?: ECharts;
}

/** A figure with a title, buttons and a chart, drawn again when the theme or its size changes. */
export class Chart {
    readonly element: HTMLElement;
    private readonly host: ChartHost;
    private readonly actions: HTMLElement;
    private draw: ((colours: Palette) => EChartsCoreOption) | undefined;

    constructor(
        title: string,
        private readonly file: string,
        extra: { class?: string; below?: HTMLElement; intro?: string } = {},
    ) {
        this.host = h('div', {
            class: `chart ${extra.class ?? ''}`,
            role: 'img',
            'aria-label': `${title}, not drawn yet`,
        });
        this.actions = h(
            'div',
            { class: 'actions' },
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
            h('header', {}, h('h3', {}, title), this.actions),
            extra.intro ? h('p', { class: 'intro' }, extra.intro) : null,
            this.host,
            extra.below,
        );
        new ResizeObserver(() => {
            if (this.host.chart && this.host.clientWidth > 0) this.host.chart.resize();
            else this.render();
        }).observe(this.host);
        document.addEventListener('themechange', () => this.render());
    }

    /** Show what draw makes; summary is what a screen reader says in place of the picture. */
    set(summary: string, draw: (colours: Palette) => EChartsCoreOption): void {
        this.host.setAttribute('aria-label', summary);
        this.draw = draw;
        this.render();
    }

    on(event: string, listener: (data: { data: unknown; seriesName?: string; dataIndex: number }) => void): void {
        this.listeners.push([event, listener as (data: unknown) => void]);
    }

    height(pixels: number): void {
        this.host.style.height = `${pixels}px`;
        this.host.chart?.resize();
    }

    private readonly listeners: [string, (data: unknown) => void][] = [];

    private render(): void {
        if (!this.draw || this.host.clientWidth === 0) return;
        if (!this.host.chart) {
            this.host.chart = echarts.init(this.host, null, { renderer: 'canvas' });
            for (const [event, listener] of this.listeners) this.host.chart.on(event, listener as never);
        }
        const colours = palette();
        const option = this.draw(colours);
        const tooltip = {
            backgroundColor: colours.panel,
            borderColor: colours.line,
            textStyle: { color: colours.ink, fontSize: 12 },
            confine: true,
            transitionDuration: 0,
            ...(option['tooltip'] as object | undefined),
        };
        this.host.chart.setOption(
            { animation: false, textStyle: { fontFamily: 'inherit' }, ...option, tooltip },
            { notMerge: true },
        );
    }

    private save(): void {
        const url = this.host.chart?.getDataURL({ type: 'png', pixelRatio: 2, backgroundColor: palette().panel });
        if (url) download(`${this.file}.png`, url);
    }
}

/** Horizontal stacked bars: one row per name, one colour per part. */
export function stacked(
    rows: readonly string[],
    parts: readonly { name: string; values: readonly number[]; colour: string }[],
    text: (value: number) => string,
    colours: Palette,
    more: { max?: number; marks?: readonly { name: string; at: number }[]; legend?: boolean } = {},
): EChartsCoreOption {
    return {
        grid: { left: 14, right: 22, top: more.marks ? 26 : more.legend ? 34 : 8, bottom: 4, containLabel: true },
        ...(more.legend
            ? {
                  legend: {
                      top: 0,
                      type: 'scroll',
                      textStyle: { color: colours.soft },
                      pageTextStyle: { color: colours.soft },
                      itemWidth: 12,
                      itemHeight: 12,
                  },
              }
            : {}),
        tooltip: {
            trigger: 'item',
            formatter: (p: { seriesName: string; name: string; value: number }) =>
                note(p.seriesName, [[p.name, text(p.value)]]),
        },
        xAxis: {
            type: 'value',
            ...(more.max ? { max: more.max } : {}),
            ...axis(colours, { axisLabel: { color: colours.soft, fontSize: 11, hideOverlap: true, formatter: text } }),
        },
        yAxis: {
            type: 'category',
            data: [...rows],
            inverse: true,
            ...axis(colours),
            axisLabel: { show: rows.length > 1, color: colours.soft, width: 130, overflow: 'truncate' },
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
                          data: more.marks.map((m) => ({ name: m.name, xAxis: m.at })),
                      },
                  }
                : {}),
        })),
    };
}
