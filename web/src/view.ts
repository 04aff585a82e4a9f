// This module says what a view gets and what it gives.

import type { Job, State } from './state';
import type { JsonObject, Kind, Result } from './types';

/** A headline number; `data` is its full value, for tests and for copying. */
export interface Card {
    key: string;
    label: string;
    value: string;
    more: string;
    data: unknown;
    state?: 'good' | 'bad';
}

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
    show(view: string): void;
    /** Shows headline numbers of a view that has its own, and what to beware of. */
    headline(cards: readonly Card[], notes: readonly string[]): void;
    /** Asks the view again for its command, after one of its settings changed. */
    commandChanged(): void;
    /** Tells everyone, including users of screen readers. */
    say(text: string): void;
    fault(error: unknown): void;
}

export interface View {
    readonly id: string;
    readonly label: string;
    readonly element: HTMLElement;
    /** The kinds of jobs that it shows; absent: all. */
    readonly kinds?: readonly Kind[];
    /** True if the view shows headline numbers of its own. */
    readonly ownHeadline?: boolean;
    /** Shows this answer. The signal ends when another answer comes or the view is left. */
    update(answer: Answer, signal: AbortSignal): void | Promise<void>;
    /** Returns the answer of the view as the server wrote it, where it is not the prediction. */
    answerText?(): string | undefined;
    /** Returns the command that gives the same answer; "" if there is none. */
    command(answer: Answer): Promise<string> | string;
    /** Sets the view's controls to the options, which came from the URL. */
    restore?(): void;
}

/** Returns the time that should be short: that of a step or of a batch. */
export const mainTime = (result: Result): number =>
    Number(result.kind === 'train' ? result['step_time_s'] : result['latency_s']);
