// This view shows where the groups of a plan are: on which GPUs, in which scale-up domains, over which links.

import * as api from '../api';
import { Chart, type Palette } from '../charts';
import { commandLine, jobWords } from '../command';
import { h, select } from '../dom';
import { many, percent, seconds, si } from '../format';
import { machine, type Machine } from '../machine';
import { Table } from '../table';
import type { Cost, Operator } from '../types';
import { mainTime, type Answer, type View } from '../view';

const NAMES: Record<string, string> = {
    tp: 'Tensor (TP)',
    cp: 'Context (CP)',
    ep: 'Expert (EP)',
    etp: 'Expert tensor (ETP)',
    pp: 'Pipeline (PP)',
    dp: 'Data (DP)',
    edp: 'Data, experts (EDP)',
    rdp: 'Replicas of shards',
};
/** At most this many domains with members of the group are drawn, and neighbours until there are so many. */
const MOST_DOMAINS = 16;
const FEWEST_DOMAINS = 6;
const ROW_GPUS = 8;

/** Collectives in words. */
const COLLECTIVES: Record<string, string> = {
    allreduce: 'all-reduce',
    allgather: 'all-gather',
    reducescatter: 'reduce-scatter',
    alltoall: 'all-to-all',
    p2p: 'send and receive',
};

interface Group {
    name: string;
    ranks: number;
    stride: number;
    domain_ranks: number;
    domains: number;
    collectives: string;
    payload_bytes: number;
    exposed_s: number;
    share: number;
}

type Placed = Operator & { ranks?: number; stride?: number; domain_ranks?: number; domains?: number };

/** Joins the transfers of each group. */
function groupsOf(ops: readonly Placed[], costs: readonly Cost[], total_s: number): Group[] {
    const groups = new Map<string, Group & { kinds: Set<string> }>();
    ops.forEach((op, i) => {
        const runs = costs[i]?.runs ?? 0;
        if (op.kind !== 'collective' || !op.group || !NAMES[op.group] || (op.ranks ?? 1) < 2) return;
        const group = groups.get(op.group) ?? {
            name: op.group,
            ranks: op.ranks ?? 1,
            stride: op.stride ?? 1,
            domain_ranks: op.domain_ranks ?? 1,
            domains: op.domains ?? 1,
            collectives: '',
            payload_bytes: 0,
            exposed_s: 0,
            share: 0,
            kinds: new Set<string>(),
        };
        group.kinds.add(op.collective ?? '');
        group.payload_bytes += runs * (op.payload_bytes ?? 0);
        group.exposed_s += costs[i]?.step_s ?? costs[i]?.request_s ?? 0;
        groups.set(op.group, group);
    });
    return [...groups.values()].map(({ kinds, ...g }) => ({
        ...g,
        collectives: [...kinds].map((k) => COLLECTIVES[k] ?? k).join(', '),
        share: g.exposed_s / total_s,
    }));
}

const linkOf = (g: Group): string =>
    g.domains < 2 ? 'scale-up' : g.domain_ranks > 1 ? 'scale-up, then network' : 'network';

export class Topology implements View {
    readonly id = 'topology';
    readonly label = 'Topology';
    readonly element: HTMLElement;
    private readonly controls = h('div', { class: 'actions' });
    private readonly chart = new Chart('Plan on nodes and links', 'orrery-topology', {
        class: 'medium',
        controls: this.controls,
        intro:
            'Boxes are scale-up domains, cells their GPUs. The members of the group of GPU 0 have a colour and their ' +
            'number; solid lines stay inside a domain, dashed lines cross the network. All other groups lie alike.',
    });
    private readonly table = new Table<Group>('Groups and what they cross', 'orrery-groups', [
        { label: 'Group', value: (g) => NAMES[g.name] ?? g.name, class: 'line-of-text' },
        { label: 'Ranks', value: (g) => g.ranks },
        { label: 'Distance', value: (g) => g.stride, title: 'between neighbours, in GPUs' },
        { label: 'In a domain', value: (g) => g.domain_ranks },
        { label: 'Domains', value: (g) => g.domains },
        { label: 'Links', value: linkOf, class: 'line-of-text' },
        { label: 'Payload', value: (g) => g.payload_bytes, show: (g) => si(g.payload_bytes, 'B') },
        { label: 'Exposed', value: (g) => g.exposed_s, show: (g) => seconds(g.exposed_s) },
        { label: 'Share', value: (g) => g.share, show: (g) => percent(g.share) },
        { label: 'Carries', value: (g) => g.collectives, class: 'some-words' },
    ]);
    private chosen = '';
    private groups: Group[] = [];

    constructor() {
        this.element = h('div', { class: 'grid' }, this.chart.element, this.table.element);
    }

    command = async ({ job }: Answer): Promise<string> =>
        commandLine(job.kind, ...(await jobWords(job)), '--dump', 'ops');

    async update({ job, request, result }: Answer, signal: AbortSignal): Promise<void> {
        const [ops, costs, chip] = await Promise.all([
            api.post<Placed[]>(`${job.kind}?dump=ops`, request, signal),
            api.post<Cost[]>(`${job.kind}?dump=costs`, request, signal),
            machine(job.system).catch(() => undefined),
        ]);
        this.groups = groupsOf(ops, costs, mainTime(result));
        this.table.set(this.groups);
        const slowest = [...this.groups].sort((a, b) => b.exposed_s - a.exposed_s)[0];
        if (!this.groups.some((g) => g.name === this.chosen)) this.chosen = slowest?.name ?? '';
        const draw = () => this.draw(result.request.gpus, chip);
        const choice = select(
            'Group',
            this.groups.map((g) => [g.name, NAMES[g.name] ?? g.name] as const),
            this.chosen,
            (v) => {
                this.chosen = v;
                draw();
            },
        );
        this.controls.replaceChildren(...(this.groups.length > 0 ? [choice] : []));
        draw();
    }

    private draw(gpus: number, chip: Machine | undefined): void {
        const domain = Math.max(1, chip?.numbers['system.domain_gpus'] ?? chip?.numbers['system.gpus_per_node'] ?? 8);
        const group = this.groups.find((g) => g.name === this.chosen);
        const members = Array.from({ length: group?.ranks ?? 1 }, (_, i) => i * (group?.stride ?? 1));
        const all = Math.ceil(gpus / domain);
        const occupied = new Set(members.map((m) => Math.floor(m / domain)));
        const shown = [...new Set([...occupied, ...Array(all).keys()])]
            .slice(0, Math.min(MOST_DOMAINS, Math.max(FEWEST_DOMAINS, occupied.size)))
            .sort((a, b) => a - b);
        const rows = Math.ceil(Math.min(domain, gpus) / ROW_GPUS);
        const links = chip
            ? `scale-up ${si(chip.numbers['system.scaleup_bytes_per_s'] ?? NaN, 'B/s')}, ` +
              `network ${si(chip.numbers['system.scaleout_bytes_per_s'] ?? NaN, 'B/s')} per GPU`
            : '';
        const perLine = (width_px: number) => Math.max(1, Math.floor(width_px / 250));
        const height = (width_px: number) => Math.ceil(shown.length / perLine(width_px)) * (30 * rows + 50) + HEAD_PX + 4;
        this.chart.height(height);
        this.chart.set(
            `${many(gpus, 'GPU')} in ${many(all, 'domain')} of ${domain}; ` +
                (group
                    ? `${NAMES[group.name]}: ${group.ranks} ranks, ${group.domain_ranks} in a domain, ` +
                      `over ${many(group.domains, 'domain')}.`
                    : 'no group exchanges anything.'),
            (colours, width_px) =>
                picture({ shown, members, domain, gpus, all, rows, links }, perLine(width_px), colours, width_px),
        );
    }
}

/** The words above the boxes, in two lines where the chart is narrow. */
const HEAD_PX = 40;

interface Scene {
    shown: number[];
    members: number[];
    domain: number;
    gpus: number;
    all: number;
    rows: number;
    links: string;
}

/** Where the parts of a picture stand, in pixels. */
interface Layout {
    scene: Scene;
    colours: Palette;
    width_px: number;
    perLine: number;
    box: { width: number; height: number };
    /** GPUs in a row of a box, and the width of one. */
    across: number;
    cell: number;
}

function layoutOf(scene: Scene, perLine: number, colours: Palette, width_px: number): Layout {
    const box = { width: (width_px - 20) / perLine, height: 30 * scene.rows + 50 };
    const across = Math.min(ROW_GPUS, scene.domain);
    return { scene, colours, width_px, perLine, box, across, cell: Math.min(34, (box.width - 28) / across) };
}

/** The upper left corner of the box that is drawn at a place. */
const cornerOf = ({ box, perLine }: Layout, at: number): [number, number] => [
    10 + (at % perLine) * box.width,
    HEAD_PX + Math.floor(at / perLine) * box.height,
];

/** The middle of a GPU; undefined where its domain is not drawn. */
function middleOf(layout: Layout, gpu: number): [number, number] | undefined {
    const { scene, across, cell } = layout;
    const at = scene.shown.indexOf(Math.floor(gpu / scene.domain));
    if (at < 0) return undefined;
    const [x, y] = cornerOf(layout, at);
    const inside = gpu % scene.domain;
    return [x + 8 + (inside % across) * cell + cell / 2, y + 24 + Math.floor(inside / across) * 30 + 14];
}

const textOf = ({ colours, width_px }: Layout, words: string, x: number, y: number, more: object = {}) => ({
    type: 'text',
    style: {
        text: words,
        x,
        y,
        fill: colours.soft,
        fontSize: 11,
        fontFamily: colours.font,
        align: 'left',
        verticalAlign: 'middle',
        width: width_px - 20,
        overflow: 'break',
        lineHeight: 15,
        ...more,
    },
});

/** A GPU: members of the group have a colour and their number. */
function gpuShapes(layout: Layout, gpu: number): object[] {
    const { scene, colours, cell } = layout;
    const [x, y] = middleOf(layout, gpu)!;
    const number = scene.members.indexOf(gpu);
    const member = number >= 0;
    const square = {
        type: 'rect',
        z2: 2,
        shape: { x: x - cell / 2 + 2, y: y - 11, width: cell - 4, height: 22, r: 3 },
        style: { fill: member ? colours.series[0] : colours.line, opacity: member ? 1 : 0.55 },
    };
    if (!member) return [square];
    return [square, { ...textOf(layout, String(number), x, y, { fill: colours.panel, align: 'center' }), z2: 3 }];
}

/** A scale-up domain with its GPUs. */
function domainShapes(layout: Layout, domain: number, at: number): object[] {
    const { scene, colours, across, cell } = layout;
    const [x, y] = cornerOf(layout, at);
    const first = domain * scene.domain;
    const last = Math.min(scene.gpus, first + scene.domain);
    const frame = { x, y, width: across * cell + 16, height: 30 * scene.rows + 30, r: 6 };
    return [
        { type: 'rect', shape: frame, style: { fill: 'transparent', stroke: colours.line, lineWidth: 1 } },
        textOf(layout, `GPUs ${first}–${last - 1}`, x + 8, y + 12),
        ...Array.from({ length: last - first }, (_, i) => first + i).flatMap((gpu) => gpuShapes(layout, gpu)),
    ];
}

/** The line between two members that follow each other. */
function linkShapes(layout: Layout, before: number, gpu: number): object[] {
    const { scene, colours } = layout;
    const [from, to] = [middleOf(layout, before), middleOf(layout, gpu)];
    if (!from || !to) return [];
    const local = Math.floor(gpu / scene.domain) === Math.floor(before / scene.domain);
    return [
        {
            type: 'line',
            z2: 1,
            shape: { x1: from[0], y1: from[1], x2: to[0], y2: to[1] },
            style: local
                ? { stroke: colours.series[0], lineWidth: 3 }
                : { stroke: colours.series[2], lineWidth: 2, lineDash: [5, 4] },
        },
    ];
}

/** Draws boxes of GPUs at fixed places: a custom series without axes, one item that is the whole picture. */
function picture(scene: Scene, perLine: number, colours: Palette, width_px: number): Record<string, unknown> {
    const layout = layoutOf(scene, perLine, colours, width_px);
    const boxes = scene.shown.flatMap((domain, at) => domainShapes(layout, domain, at));
    const lines = scene.members.slice(1).flatMap((gpu, i) => linkShapes(layout, scene.members[i]!, gpu));
    const rest = scene.all - scene.shown.length;
    const left = rest > 0 ? ` (${rest} not drawn)` : '';
    const head = `${many(scene.gpus, 'GPU')} in ${many(scene.all, 'domain')}${left}; ${scene.links}`;
    const children = [textOf(layout, head, 10, 18), ...lines, ...boxes];
    return {
        tooltip: { show: false },
        series: [
            {
                type: 'custom',
                coordinateSystem: 'none',
                silent: true,
                data: [0],
                renderItem: () => ({ type: 'group', children }),
            },
        ],
    };
}
