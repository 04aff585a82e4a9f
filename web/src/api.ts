// The server's JSON interface. Every call takes a signal, so that an answer nobody waits for any more is dropped.

import { recorded } from './recorded';
import type { Catalogue, Json, JsonObject } from './types';

const ROOT = '/api/v1/';

/** The server refused a request; the error has the dotted path of the value at fault. */
export class RequestError extends Error {
    constructor(
        message: string,
        readonly key: string,
    ) {
        super(message);
    }
}

function refused(body: unknown, fallback: string): RequestError {
    const error =
        (body as { error?: { text?: string; key?: string } } | null)?.error ??
        (body as { text?: string; key?: string } | null);
    const place = /^request(:[0-9]+)*: /; // place of the value in the body, which nobody typed here
    return new RequestError(error?.text?.replace(place, '') ?? fallback, error?.key ?? '');
}

/** Answers from inside a report; it holds one answer. */
function recall(replies: Record<string, Json>, path: string): Response {
    if (!(path in replies)) throw new RequestError('This report does not hold it; orrery serve answers everything', '');
    return new Response(JSON.stringify(replies[path], null, 2) + '\n');
}

async function call(path: string, body: Json | undefined, signal?: AbortSignal): Promise<Response> {
    if (recorded) return recall(recorded.replies, path);
    const init: RequestInit =
        body === undefined
            ? {}
            : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    if (signal) init.signal = signal;
    let response: Response;
    try {
        response = await fetch(ROOT + path, init);
    } catch (error) {
        if (signal?.aborted) throw error;
        throw new RequestError('The server does not answer. Is orrery serve still running?', '');
    }
    if (response.ok) return response;
    throw refused(
        await response.json().catch(() => null),
        `The server answers ${response.status} ${response.statusText}`,
    );
}

export async function post<T>(path: string, body: Json, signal?: AbortSignal): Promise<T> {
    return (await (await call(path, body, signal)).json()) as T;
}

/** Returns the answer as text too, with every digit as the server wrote it. */
export async function postText(path: string, body: Json, signal?: AbortSignal): Promise<string> {
    return (await call(path, body, signal)).text();
}

export const catalogue = async (): Promise<Catalogue> =>
    (await (await call('catalogue', undefined)).json()) as Catalogue;
export const part = async (kind: string, id: string): Promise<JsonObject> =>
    (await (await call(`catalogue/${kind}/${encodeURIComponent(id)}`, undefined)).json()) as JsonObject;

export interface Progress {
    done_frac?: number;
    plans?: number;
    points?: number;
}

const BROKEN = 'The server stopped without a result.';

/** Reads a long answer as server-sent events: progress, then one result or one error. */
export async function stream<T>(
    path: string,
    body: Json,
    progress: (p: Progress) => void,
    signal: AbortSignal,
): Promise<T> {
    const response = await call(path, body, signal);
    if (recorded) return (await response.json()) as T;
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let pending = '';
    for (;;) {
        const { value, done } = await reader.read().catch((error: unknown) => {
            throw signal.aborted ? error : new RequestError(BROKEN, '');
        });
        pending += (value ?? '').replace(/\r/g, '');
        for (let end = pending.indexOf('\n\n'); end >= 0; end = pending.indexOf('\n\n')) {
            const lines = pending.slice(0, end).split('\n');
            pending = pending.slice(end + 2);
            const data = lines
                .filter((l) => l.startsWith('data:'))
                .map((l) => l.slice(5))
                .join('\n');
            const event = lines
                .find((l) => l.startsWith('event:'))
                ?.slice(6)
                .trim();
            if (event === 'progress') progress(JSON.parse(data) as Progress);
            else if (event === 'result') return JSON.parse(data) as T;
            else if (event === 'error') throw refused(JSON.parse(data), BROKEN);
        }
        if (done) throw new RequestError(BROKEN, '');
    }
}
