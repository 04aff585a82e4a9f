// What a view gets and gives.

import type { Job, State } from './state';
import type { JsonObject, Result } from './types';

/** A job and its prediction. */
export interface Answer {
    job: Job;
    request: JsonObject;
    /** The result as the server wrote it. */
    text: string;
    result: Result;
}

export interface App {
    readonly state: State;
    /** Change the job; the prediction follows. */
    edit(change: (job: Job) => void): void;
    /** A setting of a view, kept in the URL. */
    option(key: string, fallback: string): string;
    setOption(key: string, value: string): void;
    compare(jobs: string[]): void;
    /** Tell everyone, screen readers included. */
    say(text: string): void;
    fault(error: unknown): void;
}

export interface View {
    readonly id: string;
    readonly label: string;
    readonly element: HTMLElement;
    /** Show this answer. The signal ends when another one comes or the view is left. */
    update(answer: Answer, signal: AbortSignal): void | Promise<void>;
    /** Set its controls as the options say, which came from the URL. */
    restore?(): void;
}

/** The time that is to be short: of a step or of a batch. */
export const mainTime = (result: Result): number =>
    Number(result.kind === 'train' ? result['step_time_s'] : result['latency_s']);
