// These are the parts of the JSON contract that the page reads.

export type Kind = 'train' | 'infer';
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** The measured run that is nearest to a job. */
export interface Nearest extends JsonObject {
    source: string;
    model: string;
    system: string;
    engine: string;
    plan: string;
    gpus: number;
    distance: number;
    outside: boolean;
    error_frac: number;
}

/** A result of train or infer; every number is named in docs/glossary.md. */
export interface Result extends JsonObject {
    kind: Kind;
    fits: boolean;
    bottleneck: string;
    trust: string;
    interval_s: [number, number];
    interval_class: string;
    interval_from: string;
    interval_narrowed_by: string;
    nearest: Nearest | null;
    bound_s: number;
    bound_frac: number;
    time_s: Record<string, number>;
    memory_bytes: Record<string, number>;
    params_total: number;
    params_active: number;
    assumed: { key: string; value: Json; why: string }[];
    warnings: string[];
    request: JsonObject & { plan: JsonObject; workload: JsonObject; gpus: number };
}

export interface Operator {
    name: string;
    kind: string;
    phase: string;
    layer: string;
    count: number;
    flops: number;
    bytes: number;
    batch?: number;
    m?: number;
    n?: number;
    k?: number;
    dtype?: string;
    collective?: string;
    group?: string;
    pointwise?: string;
    payload_bytes?: number;
    time_s: number;
    bound: string;
}

export interface Cost {
    runs: number;
    step_s?: number;
    request_s?: number;
    total_s: number;
    compute_s: number;
    l2_s: number;
    dram_s: number;
    network_s: number;
    launch_s: number;
    hidden_s: number;
    dram_bytes: number;
    l2_bytes: number;
    bound: string;
    tile_m?: number;
    tile_n?: number;
    split_k?: number;
    algorithm?: string;
}

export interface Span {
    name: string;
    rank: number;
    chunk: number;
    micro_batch: number;
    start_s: number;
    end_s: number;
}

export interface Sensitivity {
    answers: Record<string, number>;
    parameters: {
        parameter: string;
        value: number;
        unit: string;
        less: Record<string, number>;
        more: Record<string, number>;
        tenth_more_frac: Record<string, number>;
        warning?: string;
    }[];
}

export interface Found extends JsonObject {
    gpus: number;
    plan: JsonObject;
    workload: JsonObject;
    front: number[];
    fits: boolean;
    bottleneck: string;
}

export interface SearchResult {
    complete: boolean;
    plans: number;
    feasible: number;
    evaluated: number;
    seconds: number;
    bound_ratio: number | null;
    pareto_keys: [string, string];
    best: Found[];
    pareto: Found[];
    rejected: Record<string, number>;
    obstacles?: string[];
    launch?: Record<string, string>;
    launch_decode?: Record<string, string>;
    /** A plan as good as the winner that needs less, and the layout of a measured run, each with its time over the winner's. */
    simplest?: Beside;
    inside?: Beside;
    published?: Beside;
}

export interface Beside extends Found {
    ratio: number | null;
    source?: string;
    run?: { model: string; system: string; gpus: number };
}

export interface Entry extends JsonObject {
    id: string;
}

export interface Catalogue {
    models: Entry[];
    systems: Entry[];
    engines: Entry[];
    chips: Entry[];
    technologies?: Entry[];
    designs?: Entry[];
    memories?: Entry[];
    networks?: Entry[];
}
