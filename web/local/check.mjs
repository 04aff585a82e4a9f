// The page without a server gives the answers of a server, bit for bit.
//   node web/local/check.mjs FOLDER ORRERY [MATHEMATICS]
// The C library of a page and that of the machine round functions such as exp differently in the last bit; all other
// arithmetic is the same. MATHEMATICS is a library with the functions of the page for the server, which then has to
// give the very bits. Without it, and again with the machine's own functions, numbers may differ by a few last bits.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [folder, program, mathematics] = process.argv.slice(2).map((path) => resolve(path));
const job = { model: 'llama3-8b', system: 'h100-sxm', gpus: 8 };
const serve = { model: 'llama3-8b', system: 'h100-sxm', workload: { engine: 'vllm' } };
const traffic = { rate_per_s: 5, requests: 500, input_len: 1000, output_len: '200~0.5' };
const QUESTIONS = [
    ['train', { kind: 'train', ...job, plan: { tp: 2 } }],
    ['train?dump=ledger', { kind: 'train', ...job }],
    ['train?dump=timeline', { kind: 'train', ...job, plan: { pp: 4 } }],
    ['train?explain=1', { kind: 'train', ...job, model: 'mixtral-8x7b', gpus: 64, plan: { ep: 8 } }],
    ['infer', { kind: 'infer', ...job, gpus: 1, workload: { input_len: 500, output_len: 50, engine: 'vllm' } }],
    ['infer', { kind: 'infer', model: 'deepseek-v3', system: 'h200-sxm', gpus: 16, plan: { tp: 8, ep: 16 }, workload: { input_len: 500, output_len: 50 } }],
    ['serving', { kind: 'serving', ...serve, traffic }],
    ['size', { kind: 'size', ...serve, traffic: { ...traffic, requests: 2000 }, slo: ['ttft_s.p99<=1 s'], size: { budget: '4 GPUs' } }],
    ['search', { kind: 'train', ...job, gpus: 64, workload: { global_batch: 64, engine: 'megatron-core-2025' } }],
    ['search', { kind: 'infer', ...job, workload: { input_len: 500, output_len: 50 } }],
    ['sweep', { request: { kind: 'train', ...job }, vary: [{ field: 'plan.tp', values: '1,2,4' }] }],
    ['compare', { requests: [{ kind: 'train', ...job }, { kind: 'train', ...job, system: 'b200-sxm' }] }],
    ['sensitivity', { kind: 'train', ...job }],
    ['technology', { chip: 'node=5,memory=hbm3' }],
    ['fit', { runs: ['model=llama2-7b,system=h100-sxm,gpus=8,zero=1,seq=4096,micro_batch=1,global_batch=128,recompute=none:step_time_s=5.6'], engine: 'megatron-core-2024' }],
    ['train', { kind: 'train', model: 'nothing', system: 'h100-sxm' }],
    ['catalogue'],
    ['catalogue/systems/h100-sxm'],
];
const LAST_BITS = 1e-12;
const OPTIMISER = 1e-6; // a fit ends where its optimiser stops
const CLOCKED = ['seconds', 'evaluations_per_s', 'simulated_requests_per_s']; // how long the answer took

function module() {
    globalThis.orreryProgress = () => {};
    const make = createRequire(import.meta.url)(resolve(folder, 'orrery.js'));
    return make({ wasmBinary: readFileSync(resolve(folder, 'orrery.wasm')) });
}

function asker(m) {
    const page = m._orrery_open();
    return (path, body) => {
        const [name, query] = path.split('?');
        const texts = [name, query ? `?${query}` : '', body].map((text) => {
            const size = m.lengthBytesUTF8(text) + 1;
            const at = m._malloc(size);
            m.stringToUTF8(text, at, size);
            return at;
        });
        const status = m._malloc(4);
        const at = m._orrery_answer(page, ...texts, status);
        return [m.getValue(status, 'i32'), m.UTF8ToString(at)];
    };
}

/** Starts a server; returns its address and how to stop it. */
function server(preload) {
    const env = preload ? { ...process.env, LD_PRELOAD: preload } : process.env;
    const child = spawn(program, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'pipe'], env });
    return new Promise((done, fail) => {
        const hear = (data) => {
            const found = /http:\/\/\S+/.exec(String(data));
            if (found) done([found[0].replace(/\/$/, ''), () => child.kill()]);
        };
        child.stdout.on('data', hear);
        child.stderr.on('data', hear);
        child.on('exit', () => fail(new Error('the server ended')));
    });
}

/** The JSON of an answer: of the last event where the answer is a stream. */
function last(text) {
    if (!text.startsWith('event:')) return text;
    return text
        .trimEnd()
        .split('\n\n')
        .at(-1)
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .map((line) => line.slice(6))
        .join('\n');
}

/** The largest relative difference of numbers at the same place; Infinity where anything else differs. */
function distance(a, b) {
    if (typeof a === 'number' && typeof b === 'number') return a === b ? 0 : Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
    if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b ? 0 : Infinity;
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return Math.max(0, ...[...keys].map((key) => distance(a[key], b[key])));
}

const without = (text) => JSON.stringify(JSON.parse(text), (key, value) => (CLOCKED.includes(key) ? undefined : value));

const ask = asker(await module());
let n = 0;
let failed = 0;

/** Compares all answers with those of a server; `preload` is a library that it uses before others. */
async function compare(what, allowed, preload) {
    const [address, stop] = await server(preload);
    for (const [path, body] of QUESTIONS) {
        const text = body ? JSON.stringify(body) : '';
        const init = body ? { method: 'POST', body: text } : {};
        const theirs = last(await (await fetch(`${address}/api/v1/${path}`, init)).text());
        const [, ours] = ask(path, text);
        const away = distance(JSON.parse(without(theirs)), JSON.parse(without(ours)));
        const same = away <= allowed(path);
        failed += same ? 0 : 1;
        const outcome = away > 0 ? `${away.toExponential(1)} away` : 'bit for bit';
        console.log(`${same ? 'ok' : 'not ok'} ${++n} - ${path}, ${what}: ${outcome}`);
    }
    stop();
}

if (mathematics) await compare('the same functions', () => 0, mathematics);
await compare("the machine's functions", (path) => (path === 'fit' ? OPTIMISER : LAST_BITS));
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
