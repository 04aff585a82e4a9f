// What the page without a server costs a reader: bytes, the time to the first answer, the time of a large search.
//   node web/local/measure.mjs FOLDER CHROMIUM
// A server of static files sends the folder compressed, as GitHub Pages does; Chromium opens it and asks the worker.
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { browser } from '../tests/session.mjs';

const [folder, chromium] = process.argv.slice(2).map((path) => resolve(path));
const LIMIT = { bytes: 3e6, first_s: 1, search_s: 5 };
const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.svg': 'image/svg+xml', '.wasm': 'application/wasm' };
const JOB = '#kind=train&model=llama3.1-8b&system=h100-sxm&gpus=16&plan.tp=2&workload.global_batch=64';
const SEARCH = {
    kind: 'train',
    model: 'gpt3-175b',
    system: 'h100-sxm',
    gpus: 4096,
    workload: { global_batch: 1536, seq: 2048, engine: 'megatron-core-2024' },
};

const files = new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.path, entry.name))
        .map((path) => [path.slice(folder.length), gzipSync(readFileSync(path), { level: 9 })]),
);
const bytes = [...files.values()].reduce((sum, content) => sum + content.length, 0);

const server = createServer((request, response) => {
    const path = request.url === '/' ? '/index.html' : request.url;
    const content = files.get(path);
    const head = { 'Content-Type': TYPES[extname(path)] ?? 'text/plain', 'Content-Encoding': 'gzip' };
    response.writeHead(content ? 200 : 404, content ? head : {}).end(content);
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const address = `http://127.0.0.1:${server.address().port}/`;
const chrome = await browser(chromium);
const complaints = [];

/** Opens the page as a new reader; returns it and the seconds from the request to the first number on the screen. */
async function open() {
    const page = await (await chrome.newContext()).newPage();
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && complaints.push(m.text()));
    page.on('pageerror', (e) => complaints.push(e.message));
    await page.goto(address + JOB, { waitUntil: 'commit' });
    await page.waitForFunction(() => document.querySelector('.card .value'), undefined, { polling: 'raf' });
    return [page, (await page.evaluate(() => performance.now())) / 1000];
}

/** Searches in the worker of the page; returns the seconds it says and those that the page waited. */
function search(page) {
    return page.evaluate(async (request) => {
        const start = performance.now();
        const text = await (await fetch('/api/v1/search', { method: 'POST', body: JSON.stringify(request) })).text();
        const data = text.trimEnd().split('\n\n').at(-1).split('\n').filter((line) => line.startsWith('data: '));
        const result = JSON.parse(data.map((line) => line.slice(6)).join('\n'));
        return { waited_s: (performance.now() - start) / 1000, ...result };
    }, SEARCH);
}

let first_s = Infinity;
let found = { waited_s: Infinity };
for (let i = 0; i < 3; i++) {
    const [page, seconds] = await open(); // the machine may have other work: the best of three counts
    first_s = Math.min(first_s, seconds);
    const again = await search(page);
    if (again.waited_s < found.waited_s) found = again;
    await page.context().close();
}
await chrome.close();
server.close();

const lines = [
    [bytes <= LIMIT.bytes, `${(bytes / 1e6).toFixed(2)} MB compressed (gzip -9) in ${files.size} files`],
    [first_s <= LIMIT.first_s, `${first_s.toFixed(2)} s from opening the page to the first answer`],
    [found.waited_s <= LIMIT.search_s, `${found.waited_s.toFixed(2)} s for a search of ${Number(found.plans).toLocaleString('en')} plans in one worker`],
    [complaints.length === 0, `no complaint in the console${complaints.map((c) => `; ${c}`).join('')}`],
];
lines.forEach(([good, text], i) => console.log(`${good ? 'ok' : 'not ok'} ${i + 1} - ${text}`));
console.log(`1..${lines.length}`);
process.exit(lines.every(([good]) => good) ? 0 : 1);
