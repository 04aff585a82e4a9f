// Numbers for people have three significant digits and a unit.

const PREFIXES: readonly [number, string][] = [
    [1e18, 'E'],
    [1e15, 'P'],
    [1e12, 'T'],
    [1e9, 'G'],
    [1e6, 'M'],
    [1e3, 'k'],
    [1, ''],
    [1e-3, 'm'],
    [1e-6, 'µ'],
    [1e-9, 'n'],
    [1e-12, 'p'],
];

export function digits(value: number, places = 3): string {
    if (!Number.isFinite(value)) return '–';
    if (value === 0) return '0';
    const size = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(places)))));
    return value.toFixed(Math.min(20, Math.max(0, places - 1 - size)));
}

export function si(value: number | null | undefined, unit: string): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    if (value === 0) return `0 ${unit}`;
    const size = Math.abs(Number(value.toPrecision(3)));
    const [factor, prefix] = PREFIXES.find(([f]) => size >= f) ?? [1e-12, 'p'];
    return `${digits(value / factor)} ${prefix}${unit}`;
}

export function seconds(value: number | null | undefined): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    if (value >= 36_000) return `${digits(value / 3600)} h`;
    if (value >= 1000) return `${digits(value / 60)} min`;
    return si(value, 's');
}

export function bytes(value: number | null | undefined): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
    let place = 0;
    while (Math.abs(value) >= 1023.5 && place < units.length - 1) {
        value /= 1024;
        place++;
    }
    return `${digits(value)} ${units[place]}`;
}

export function percent(value: number | null | undefined): string {
    if (value === null || value === undefined || !Number.isFinite(value)) return '–';
    const size = Math.abs(100 * value);
    return value !== 0 && size < 0.01
        ? '< 0.01 %'
        : `${(100 * value).toFixed(size === 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2)} %`;
}
export const change = (value: number): string =>
    Math.abs(value) < 5e-5
        ? '0 %'
        : `${value > 0 ? '+' : '−'}${(100 * Math.abs(value)).toFixed(Math.abs(value) >= 0.0995 ? 1 : 2)} %`;
export const signed = (value: number): string =>
    Math.abs(value) < 5e-4 ? '0' : `${value < 0 ? '−' : '+'}${digits(Math.abs(value), 2)}`;
export const dollars = (value: number | null | undefined): string =>
    value === null || value === undefined || !Number.isFinite(value)
        ? '–'
        : value >= 1000
          ? `$${Math.round(value).toLocaleString('en-US')}`
          : `$${digits(value)}`;
export const count = (value: number | null | undefined): string =>
    value === null || value === undefined
        ? '–'
        : Math.abs(value) < 1e6 && Number.isInteger(value)
          ? value.toLocaleString('en-US')
          : value >= 1e9
            ? si(value, '').replace('G', 'B').trim()
            : Math.abs(value) < 1000
              ? digits(value)
              : si(value, '').trim();
/** A number of things: 1 GPU, 2 GPUs. */
export const many = (n: number, thing: string): string => `${count(n)} ${thing}${n === 1 ? '' : 's'}`;
export const rate = (value: number | null | undefined): string =>
    value === null || value === undefined || !Number.isFinite(value)
        ? '–'
        : value >= 1e6
          ? si(value, '').trim()
          : value >= 1000
            ? Math.round(value).toLocaleString('en-US')
            : digits(value);

/** Reads "989.4 TFLOP/s", "50 MiB" or a plain number, as the catalogue spells quantities. */
export function quantity(text: unknown): number | undefined {
    if (typeof text === 'number') return text;
    const match = /^\s*([-+0-9.eE]+)\s*([kKMGTPE]?)(i?)/.exec(String(text));
    if (!match) return undefined;
    const power = ' kMGTPE'.indexOf((match[2] ?? '').replace('K', 'k') || ' ');
    return Number(match[1]) * (match[3] ? 1024 : 1000) ** power;
}

/** Returns the text of a mark on an axis: "20.0 GiB" becomes "20 GiB". */
export const tick = (text: string): string => text.replace(/\.0+(?=\D|$)/, '');

export const GIB = 2 ** 30;
/** Prints a number of GiB; axes of memory count in GiB, so that their marks are round. */
export const gib = (value: number): string => bytes(value * GIB);

const NAMES: Record<string, string> = {
    tpot_s: 'Time per output token',
    ttft_s: 'Time to first token',
    gpu_s_per_token: 'GPU time per token',
    gpus: 'GPUs',
};

/** Returns the words of a key: "tp_exposed" becomes "TP exposed". */
export function words(key: string): string {
    if (NAMES[key]) return NAMES[key];
    const text = key
        .replace(/_bytes\.total$|_s$/, '')
        .replace(/^.*\./, '')
        .replace(/_/g, ' ')
        .replace(/\b(tp|pp|cp|dp|ep|kv|l2|dram|mtp|gemm)\b/g, (w) => w.toUpperCase());
    return text.charAt(0).toUpperCase() + text.slice(1);
}
