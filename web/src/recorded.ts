// A report of the program is this page with the answer inside: what a server would reply, by path, and charts.

import type { Json, JsonObject } from './types';

export interface BarsData {
    type: 'bars';
    title: string;
    unit: string;
    parts: string[];
    lanes: { name: string; values: (number | null)[] }[];
}

export interface CurveData {
    type: 'curve';
    title: string;
    x: string;
    y: string;
    points: { x: number; y: number; title: string }[];
}

export interface Recorded {
    title: string;
    version: string;
    replies: Record<string, Json>;
    charts: (BarsData | CurveData)[];
    /** The report as the terminal prints it. */
    text: string;
    /** The command that made it; "" where a library did. */
    command: string;
}

function read(): Recorded | undefined {
    const data = document.querySelector('script#data')?.textContent;
    if (!data) return undefined;
    return {
        ...(JSON.parse(data) as Recorded),
        text: document.querySelector('pre#report')?.textContent ?? '',
        command: document.querySelector<HTMLMetaElement>('meta[name="command"]')?.content ?? '',
    };
}

/** The answer inside the page; undefined where the page asks a server. */
export const recorded = read();

/** Returns the answer that the report is about: the first reply. */
export const firstReply = (r: Recorded): JsonObject => (Object.values(r.replies)[0] ?? {}) as JsonObject;
