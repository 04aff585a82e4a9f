// The parts of an answer of kind "serving" and "size" that the page reads (docs/json.md).

import type { JsonObject, Json } from '../types';

export interface Timing {
    mean: number;
    p50: number;
    p90: number;
    p95: number;
    p99: number;
}

export interface ServedRequest {
    id: number;
    arrival_s: number;
    start_s: number;
    first_s: number;
    finish_s: number;
    input_len: number;
    output_len: number;
    preemptions: number;
}

export interface Served {
    ttft_s: Timing;
    tpot_s: Timing;
    itl_s: Timing;
    latency_s: Timing;
    queue_s: Timing;
    output_tokens_per_s: number;
    output_tokens_per_s_per_gpu: number;
    completed_requests_per_s: number;
    goodput_requests_per_s: number;
    slo_frac: number;
    slo_met: boolean;
    mean_running_batch: number;
    mean_waiting: number;
    kv_used_frac: number;
    preemptions: number;
    energy_j_per_output_token: number;
    power_w_per_gpu: number;
    cost_usd_per_million_output_tokens: number;
    requests: number;
    refused: number;
    rejected?: number; // of deployments that turn requests away
    duration_s: number;
    saturated: boolean;
    complete: boolean;
    fits: boolean;
    reason?: string;
    interval80: Record<string, [number, number]>;
    assumed: { key: string; value: Json; why: string }[];
    warnings: string[];
    request: JsonObject & { slo: string[]; traffic: JsonObject };
    detail?: {
        shares: Record<string, number[]>;
        series: {
            width_s: number;
            decoding: (number | null)[];
            waiting: (number | null)[];
            kv_used_frac: (number | null)[];
        };
        requests: ServedRequest[];
    };
}

export interface SizedPlan {
    system: string;
    gpus: number;
    replicas: number;
    usd_per_hour: number | null;
    plan: Record<string, number>;
    /** The pool that makes answers, where prompts have one of their own. */
    decode?: Record<string, number>;
    precision: string;
    max_requests: number;
    max_step_tokens: number;
    worst_frac: number;
    slo: { limit: string; value_s: number; met: boolean }[];
    met: boolean;
    result?: Served;
}

export interface Sized {
    found: boolean;
    complete: boolean;
    best?: SizedPlan;
    reason?: string;
    nearest?: SizedPlan;
    frontier: SizedPlan[];
    counts: Record<string, number>;
}
