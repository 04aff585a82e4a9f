// What the tests of the page share: a server, a browser, and steps that a reader takes.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { browser, serve } from './session.mjs';

export const [orrery, chromium] = process.argv.slice(2);
export const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
export const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };
export const BOTH = ['overview', 'operators', 'topology', 'whatif', 'search', 'compare', 'technology', 'fit'];
export const VIEWS = { train: [...BOTH, 'timeline'], infer: [...BOTH, 'load', 'size'] };
export const JOB =
    'kind=train&model=llama3.1-8b&system=h100-sxm&gpus=16&plan.tp=2&plan.pp=2' +
    '&workload.global_batch=64&workload.seq=4096';
export const OPTIONS = [
    '--model',
    'llama3.1-8b',
    '--system',
    'h100-sxm',
    '--gpus',
    '16',
    '--tp',
    '2',
    '--pp',
    '2',
    '--global-batch',
    '64',
    '--seq',
    '4096',
];

export const server = await serve(orrery);
export const chrome = await browser(chromium);
const tests = [];
export const test = (name, run) => tests.push([name, run]);

export function equal(got, wanted, what) {
    if (got !== wanted) throw new Error(`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`);
}
export function check(good, what) {
    if (!good) throw new Error(what);
}

/** Wait until a condition on this side holds. */
export async function until(what, condition) {
    for (let i = 0; i < 600; i++) {
        if (await condition()) return;
        await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`never: ${what}`);
}

/** A page with a record of everything it complains about. */
export async function open(fragment = '', options = {}) {
    const context = await chrome.newContext({
        viewport: WIDE,
        colorScheme: 'light',
        acceptDownloads: true,
        ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.complaints = [];
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && page.complaints.push(m.text()));
    page.on('pageerror', (e) => page.complaints.push(e.message));
    page.on(
        'requestfailed',
        (r) =>
            r.failure()?.errorText !== 'net::ERR_ABORTED' &&
            page.complaints.push(`${r.url()}: ${r.failure()?.errorText}`),
    );
    await page.goto(`${server.address}/#${fragment}`);
    await page.waitForSelector(/view=size/.test(fragment) ? '#view > *' : '.card .value'); // sizes are asked for
    return page;
}
export async function close(page, expected = []) {
    const left = page.complaints.filter((c) => !expected.some((e) => e.test(c)));
    await page.context().close();
    equal(left.join('\n'), '', 'console');
}

export const value = (page, key) => page.getAttribute(`.card [data-key="${key}"]`, 'data-value').then(Number);
export const text = (page, key) => page.textContent(`.card [data-key="${key}"]`);
export const settled = (page) => page.waitForSelector('#view:not([aria-busy])');
export async function show(page, view) {
    await page.click(`#tab-${view}`);
    await settled(page);
}
/** A change of a control and the answer to it. */
export async function change(page, act, path = /\/api\/v1\/(train|infer)$/) {
    const [response] = await Promise.all([page.waitForResponse((r) => path.test(r.url())), act()]);
    await response.finished();
    await page.waitForTimeout(30);
}
export async function dropConfig(page, name, content) {
    const data = await page.evaluateHandle(
        ([n, c]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([c], n, { type: 'application/json' }));
            return transfer;
        },
        [name, content],
    );
    await page.dispatchEvent('main', 'drop', { dataTransfer: data });
}
export const get = (object, key) => key.split('.').reduce((o, k) => o[k], object);

/** Runs every test that was named, or those whose name has the text of ONLY, and prints the outcome as TAP. */
export async function run() {
    console.log(`1..${tests.length}`);
    const only = process.env.ONLY;
    let count = 0;
    for (const [name, run] of tests) {
        count++;
        if (only && !name.includes(only)) {
            console.log(`ok ${count} - ${name} # SKIP not asked for`);
            continue;
        }
        try {
            await run();
            console.log(`ok ${count} - ${name}`);
        } catch (error) {
            console.log(`not ok ${count} - ${name}`);
            console.log(
                String(error.message ?? error)
                    .split('\n')
                    .map((line) => `# ${line}`)
                    .join('\n'),
            );
        }
    }
    await chrome.close();
    server.stop();
}
