// How the page looks and how it is used without a mouse: widths, themes, keyboard, a slow network.

import { readFileSync, writeFileSync } from 'node:fs';
import {
    axe,
    chrome,
    check,
    close,
    equal,
    JOB,
    NARROW,
    open,
    OPTIONS,
    orrery,
    show,
    test,
    until,
    value,
    VIEWS,
} from './harness.mjs';
import { predict, serve } from './session.mjs';

test('a server that stops in the middle', async () => {
    const own = await serve(orrery);
    const page = await chrome.newPage();
    await page.goto(`${own.address}/#${JOB}`);
    await page.waitForSelector('.card .value');
    await page.waitForLoadState('networkidle'); // an answer that is still on its way would fill in the form again
    own.stop();
    await until('stopped', () =>
        fetch(own.address).then(
            () => false,
            () => true,
        ),
    );
    await page.fill('#f-plan-tp', '4');
    await page.waitForSelector('[role=alert]:has-text("Is orrery serve still running?")');
    await page.waitForSelector('.banner:has-text("last job that could be answered")');
    await page.close();
});

test('keyboard: tabs by arrows, the skip link, nothing without a name', async () => {
    const page = await open(JOB);
    await page.keyboard.press('Tab');
    equal(await page.evaluate(() => document.activeElement?.className), 'skip', 'first stop');
    await page.keyboard.press('Enter');
    equal(await page.evaluate(() => document.activeElement?.id), 'main', 'skips to the results');
    check(page.url().includes('plan.tp=2'), 'the state stays in the URL');
    await page.focus('#tab-overview');
    await page.keyboard.press('ArrowRight');
    equal(await page.evaluate(() => document.activeElement?.id), 'tab-operators', 'arrow right');
    await page.keyboard.press('End');
    equal(await page.evaluate(() => document.activeElement?.id), 'tab-fit', 'end');
    await page.keyboard.press('ArrowRight');
    equal(
        await page.evaluate(() => document.activeElement?.id),
        'tab-overview',
        'around, without tabs of the other kind',
    );
    await close(page);
});

/** What axe finds and what is wider than the window. */
async function inspect(page, view) {
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    const found = violations.map(
        (v) =>
            `${v.id}: ${v.nodes
                .map((n) => n.target.join(' '))
                .slice(0, 3)
                .join(', ')}`,
    );
    equal(found.join('; '), '', `axe, ${view}`);
    await fits(page, view);
}

async function fits(page, view) {
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(wide <= 0, `${view} is ${wide} px wider than the window`);
    const tab = await page.$eval(`#tab-${view}`, (e) => {
        const [own, bar] = [e.getBoundingClientRect(), e.parentElement.getBoundingClientRect()];
        return own.left >= bar.left - 1 && own.right <= bar.right + 1;
    });
    equal(tab, true, `the tab of ${view} is in sight`);
}

/** Makes a view show all that it can. */
async function fill(page, view) {
    await show(page, view);
    if (view !== 'search' && view !== 'size') return;
    await page.click('#view button.main');
    await page.waitForSelector('#view .chart canvas');
}

const SERVED =
    'kind=infer&model=llama3.1-8b&system=h100-sxm&gpus=2&plan.tp=2&workload.input_len=1000&workload.output_len=100' +
    '&workload.engine=vllm-0.12&o.size.budget=4+GPUs';
const KINDS = [
    [JOB, VIEWS.train],
    [SERVED, ['overview', 'load', 'size', 'search']],
];

/** How a view looks from afar: the brightness of a grid of cells, 0 to f. Fonts and small numbers do not show. */
const GRID = { columns: 24, rows: 18 };
const LOOKS = new URL('looks.txt', import.meta.url);
const kept = new Map(
    readFileSync(LOOKS, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split(': ')),
);
const seen = new Map();
let canvas;

async function look(page) {
    canvas ??= await chrome.newPage();
    const png = (await page.screenshot()).toString('base64');
    return canvas.evaluate(
        async ([data, { columns, rows }]) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const small = Object.assign(document.createElement('canvas'), { width: columns, height: rows });
            const pen = small.getContext('2d');
            pen.imageSmoothingQuality = 'high';
            pen.drawImage(image, 0, 0, columns, rows);
            const { data: pixels } = pen.getImageData(0, 0, columns, rows);
            return Array.from({ length: columns * rows }, (_, i) =>
                Math.floor((pixels[4 * i] + pixels[4 * i + 1] + pixels[4 * i + 2]) / 48.01).toString(16),
            ).join('');
        },
        [png, GRID],
    );
}

/** Compares the look of a view with the recorded one: a few cells may differ, because predictions move bars. */
async function compareLook(page, name) {
    seen.set(name, await look(page));
    if (process.env.UPDATE) return;
    const before = kept.get(name) ?? '';
    const far = [...seen.get(name)].filter((c, i) => Math.abs(parseInt(c, 16) - parseInt(before[i] ?? '0', 16)) >= 3);
    check(far.length <= 0.08 * GRID.columns * GRID.rows, `${name}: ${far.length} cells look different (UPDATE=1 records)`);
}

for (const [name, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['390 px', { viewport: NARROW }],
])
    for (const [job, views] of KINDS)
        test(`accessibility and layout: ${name}, ${job.slice(5, 10)}`, async () => {
            const page = await open(`${job}&vs=${encodeURIComponent(job)}`, { ...options, bypassCSP: true });
            await page.addScriptTag({ content: axe });
            await page.$$eval('details', (all) => all.forEach((d) => (d.open = true)));
            for (const view of views) {
                await fill(page, view);
                await inspect(page, view);
                await compareLook(page, `${name}, ${job.slice(5, 10)}, ${view}`);
            }
            await close(page);
            if (process.env.UPDATE) writeFileSync(LOOKS, [...seen].map(([n, cells]) => `${n}: ${cells}\n`).join(''));
        });

test('every width from 390 to 1440 px', async () => {
    for (const [job, views] of KINDS) {
        const page = await open(job);
        for (const width of [390, 600, 768, 1024, 1440]) {
            await page.setViewportSize({ width, height: 900 });
            for (const view of views) {
                await show(page, view);
                await fits(page, view);
            }
        }
        await close(page);
    }
});

test('only the keyboard: from the model to a service under load', async () => {
    const page = await open(JOB);
    const focused = () => page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    const reach = async (what, key = 'Tab') => {
        for (let i = 0; i < 120; i++) {
            if ((await focused()) === what) return;
            await page.keyboard.press(key);
        }
        throw new Error(`${what} cannot be reached`);
    };
    await page.keyboard.press('Tab'); // the skip link
    for (let i = 0; i < 20 && !(await page.evaluate(() => document.activeElement.name === 'kind')); i++)
        await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowRight');
    await until('inference', async () => (await page.inputValue('input[name=kind]:checked')) === 'infer');
    await reach('f-model');
    await page.keyboard.type('llama3.1-8b');
    await page.keyboard.press('Enter');
    await reach('tab-overview');
    await page.keyboard.press('ArrowRight');
    equal(await focused(), 'tab-load', 'the next tab');
    await page.waitForSelector('[data-key="ttft_s.p99"]');
    const box = await page.$eval('#view .traffic input', (e) => e.id);
    await reach(box);
    await page.keyboard.press('Control+A');
    await page.keyboard.type('2');
    await until('the URL has it', () => page.url().includes('o.traffic.rate_per_s=2'));
    check(page.url().includes('model=llama3.1-8b'), 'the model');
    await close(page);
});

test('a slow network: the last question counts, and the page says that it waits', async () => {
    const page = await open(JOB);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 300,
        downloadThroughput: 300_000,
        uploadThroughput: 300_000,
    });
    await page.click('#tab-operators');
    equal(await page.getAttribute('#view', 'aria-busy'), 'true', 'busy');
    await page.fill('#f-plan-tp', '8');
    await page.fill('#f-plan-tp', '1');
    await page.fill('#f-plan-tp', '4');
    const wanted = JSON.parse(predict(orrery, 'train', [...OPTIONS, '--tp', '4']));
    await until('the last answer', async () => (await value(page, 'step_time_s')) === wanted.step_time_s);
    await page.waitForSelector('#view:not([aria-busy])');
    await page.reload();
    await page.waitForSelector('.card .value');
    equal(await value(page, 'step_time_s'), wanted.step_time_s, 'loaded over the slow network');
    await close(page);
});

/** The structure of a view, without anything that a prediction decides: heads, buttons, columns, kinds of series. */
async function structure(page) {
    const lines = await page.$eval('#main', (main) => {
        const seen = (e) => e.getClientRects().length > 0;
        const text = (e) => e.getAttribute('aria-label') ?? e.textContent.trim();
        const rows = [...main.querySelectorAll('.card dt, h3, .field label, th[scope=col], header button, .chart')];
        return rows.filter(seen).map((e) => {
            if (!e.classList.contains('chart')) return `${e.tagName.toLowerCase()} ${text(e)}`;
            const series = e.chart ? e.chart.getOption().series : [];
            return `chart of ${[...new Set(series.map((s) => s.type))].join(', ')}`;
        });
    });
    return lines.join('\n');
}

test('the structure of every view is as recorded (UPDATE=1 records it)', async () => {
    const file = new URL('structure.txt', import.meta.url);
    let all = '';
    for (const [job, views] of KINDS) {
        const page = await open(job);
        for (const view of views) {
            await fill(page, view);
            await page.waitForTimeout(200);
            all += `## ${job.slice(5, 10)} ${view}\n${await structure(page)}\n\n`;
        }
        await close(page);
    }
    if (process.env.UPDATE) writeFileSync(file, all);
    const kept = readFileSync(file, 'utf8').split('\n');
    const wrong = all.split('\n').findIndex((line, i) => line !== kept[i]);
    if (wrong >= 0) equal(all.split('\n')[wrong], kept[wrong] ?? '', `line ${wrong + 1} of tests/structure.txt`);
});

test('the theme button switches and is remembered', async () => {
    const page = await open(JOB);
    const paper = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await paper();
    await page.click('.theme');
    const dark = await paper();
    check(light !== dark, 'another colour');
    await page.reload();
    await page.waitForSelector('.card .value');
    equal(await paper(), dark, 'after a reload');
    await close(page);
});
