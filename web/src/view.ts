// This module says what a view gets and what it gives.

import type { Job, State } from './state';
import type { JsonObject, Result } from './types';

/** An answer is a job and its prediction. */
export interface Answer {
    job: Job;
    request: JsonObject;
    /** The result as the server wrote it. */
    text: string;
    result: Result;
}

export interface App {
    readonly state: State;
    /** Changes the job; a new prediction follows. */
    edit(change: (job: Job) => void): void;
    /** Returns a setting of a view, which is kept in the URL. */
    option(key: string, fallback: string): string;
    setOption(key: string, value: string): void;
    compare(jobs: string[]): void;
    /** Tells everyone, including users of screen readers. */
    say(text: string): void;
    fault(error: unknown): void;
}

export interface View {
    readonly id: string;
    readonly label: string;
    readonly element: HTMLElement;
    /** Shows this answer. The signal ends when another answer comes or the view is left. */
    update(answer: Answer, signal: AbortSignal): void | Promise<void>;
    /** Sets the view's controls to the options, which came from the URL. */
    restore?(): void;
}

/** Returns the time that should be short: that of a step or of a batch. */
export const mainTime = (result: Result): number =>
    Number(result.kind === 'train' ? result['step_time_s'] : result['latency_s']);
