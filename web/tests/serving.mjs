// A service under load and its size; commands, hints and the box of models.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { change, check, close, equal, JOB, open, orrery, settled, show, test, until, value } from './harness.mjs';
import { predict } from './session.mjs';

const SERVED =
    'kind=infer&model=llama3-8b&system=h100-sxm&gpus=2&workload.input_len=1000&workload.output_len=200' +
    '&workload.engine=vllm-0.12&workload.precision=bf16';
const SERVED_OPTIONS =
    '--model llama3-8b --system h100-sxm --gpus 2 --engine vllm-0.12 --precision bf16 --input 1000 --output 200'.split(
        ' ',
    );
const LIMITS = ['--slo', 'ttft_s.p99<=1 s', '--slo', 'tpot_s.p95<=50 ms'];

const command = (page) => page.textContent('.share code');
/** What the command of the page prints as JSON. A limit that is missed has an exit status of its own. */
function execute(line) {
    const words = line.replace(/^orrery/, `'${orrery}'`);
    try {
        return JSON.parse(execFileSync('sh', ['-c', `${words} --json`], { encoding: 'utf8', stdio: 'pipe' }));
    } catch (error) {
        if (error.status === 1 && error.stdout) return JSON.parse(error.stdout);
        throw new Error(`${line}: ${error.stderr ?? error}`);
    }
}
const pick = (page, label) => page.locator(`#view .field:has(label:text-is("${label}"))`);
const serve = (page, act) => change(page, act, /\/api\/v1\/serving\?detail=1$/);

test('under load: the numbers of orrery serving --json', async () => {
    const page = await open(`${SERVED}&view=load&o.traffic.rate_per_s=20`);
    await page.waitForSelector('[data-key="ttft_s.p99"]');
    const wanted = JSON.parse(predict(orrery, 'serving', [...SERVED_OPTIONS, '--rate', '20', ...LIMITS]));
    equal(await value(page, 'ttft_s.p99'), wanted.ttft_s.p99, 'first token');
    equal(await value(page, 'tpot_s.p95'), wanted.tpot_s.p95, 'next tokens');
    equal(await value(page, 'slo_frac'), wanted.slo_frac, 'requests within limits');
    equal(
        await value(page, 'cost_usd_per_million_output_tokens'),
        wanted.cost_usd_per_million_output_tokens,
        'dollars',
    );
    const cells = await page.$$eval('#view tbody tr:first-child td', (all) => all.map((c) => c.textContent));
    equal(cells[0], 'First token', 'the first row');
    check(cells[6].includes('≤ 1.00 s'), `the limit beside the percentile: ${cells[6]}`);
    await settled(page);
    equal(await page.locator('#view canvas').count(), 4, 'four pictures');
    const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.click('[aria-label="Download Distribution as CSV"]'),
    ]);
    const lines = readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\n');
    equal(lines.length, 102, 'a head and 101 shares');
    const median = lines
        .find((l) => l.startsWith('0.5,'))
        .split(',')
        .map(Number);
    check(Math.abs(median[1] / wanted.ttft_s.p50 - 1) < 0.01, 'the median of the distribution is that of the answer');
    await close(page);
});

test('under load: users who ask again, a queue that grows, an error beside its field', async () => {
    const page = await open(`${SERVED}&view=load`);
    await page.waitForSelector('[data-key="ttft_s.p99"]');
    await serve(page, () => pick(page, 'Arrivals').locator('select').selectOption('closed'));
    check(await pick(page, 'Users').isVisible(), 'users instead of a rate');
    check(!(await pick(page, 'Requests per second').isVisible()), 'no rate');
    await serve(page, () => pick(page, 'Users').locator('input').fill('16'));
    const wanted = JSON.parse(predict(orrery, 'serving', [...SERVED_OPTIONS, '--concurrency', '16', ...LIMITS]));
    await until('16 users', async () => (await value(page, 'ttft_s.p99')) === wanted.ttft_s.p99);
    await serve(page, () => pick(page, 'Arrivals').locator('select').selectOption('poisson'));
    await serve(page, () => pick(page, 'Requests per second').locator('input').fill('500'));
    await page.waitForSelector('.banner:has-text("More arrives than is served")');
    await serve(page, () => pick(page, 'Requests per second').locator('input').fill('many'));
    await page.waitForSelector('#view .field.bad:has-text("Requests per second") .error:not(:empty)');
    await serve(page, () => pick(page, 'Requests per second').locator('input').fill('5'));
    await page.waitForSelector('#view .field.bad', { state: 'detached' });
    await serve(page, () => pick(page, 'First token, p99 ≤').locator('input').fill('soon'));
    await page.waitForSelector('#view .field.bad:has-text("First token")');
    await until('the URL has it', () => page.url().includes('o.traffic.ttft=soon'));
    await close(page, [/status of 400/]);
});

test('sizing: the answer of orrery size --json, a plan loaded, the nearest miss', async () => {
    const page = await open(`${SERVED}&view=size&o.traffic.rate_per_s=30&o.size.systems=h100-sxm,+a100-80g-sxm`);
    await page.waitForSelector('#view button.main');
    const options = SERVED_OPTIONS.filter((_, i) => ![2, 3, 4, 5].includes(i));
    const wanted = JSON.parse(
        predict(orrery, 'size', [...options, '--system', 'h100-sxm,a100-80g-sxm', '--rate', '30', ...LIMITS]),
    );
    await page.click('#view button.main');
    await page.waitForSelector(`#view .outcome strong:text-is("${wanted.best.gpus} × ${wanted.best.system}")`);
    equal(await page.locator('#view tbody tr').count(), wanted.frontier.length, 'plans of the front');
    equal(await value(page, 'ttft_s.p99'), wanted.best.result.ttft_s.p99, 'the headline is about the best plan');
    await serve(page, () => page.click('#view button:text-is("Load this plan")'));
    equal(await page.getAttribute('#tab-load', 'aria-selected'), 'true', 'shown under load');
    equal(await page.inputValue('#f-gpus'), String(wanted.best.gpus), 'its GPUs');
    await until('the same service', async () => (await value(page, 'ttft_s.p99')) > 0);
    await show(page, 'size');
    await pick(page, 'First token, p99 ≤').locator('input').fill('1 ms');
    check(!(await page.isVisible('#view tbody')), 'plans of another question are hidden');
    await page.click('#view button.main');
    await page.waitForSelector('#view .outcome:has-text("No plan keeps all limits")');
    await page.waitForSelector('#view .outcome:has-text("Nearest: ")');
    await close(page);
});

test('every view has the command that gives its answer', async () => {
    const page = await open(JOB);
    const shown = async (view) => {
        await show(page, view);
        await until(`a command of ${view}`, async () => (await command(page)).startsWith('orrery '));
        return command(page);
    };
    equal(execute(await shown('overview')).step_time_s, await value(page, 'step_time_s'), 'train');
    for (const view of ['operators', 'timeline', 'topology']) {
        const line = (await shown(view)).replace(/^orrery/, `'${orrery}'`);
        check(JSON.parse(execFileSync('sh', ['-c', line], { encoding: 'utf8' })).length > 0, view);
    }
    check(execute(await shown('whatif')).parameters.length > 5, 'sensitivity');
    check(execute(await shown('search')).best.length > 0, 'search');
    const rows = (await shown('technology')).replace(/^orrery/, `'${orrery}'`);
    equal(execFileSync('sh', ['-c', rows], { encoding: 'utf8', stdio: 'pipe' }).trim().split('\n').length, 25, 'sweep');
    check(/^orrery fit runs.csv /.test(await shown('fit')), 'fit');
    await page.goto(page.url().replace(/#.*/, `#${SERVED}&x.hbm=2&view=load&o.traffic.input_len=500:1500`));
    await page.waitForSelector('[data-key="ttft_s.p99"]');
    await until('the command of the service', async () => /^orrery serving .*500:1500/.test(await command(page)));
    equal(execute(await command(page)).ttft_s.p99, await value(page, 'ttft_s.p99'), 'serving, with faster memory');
    check(execute(await shown('size')).found, 'size');
    await close(page);
});

test('copying the command and the link', async () => {
    const page = await open(JOB, { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.click('[aria-label="Copy the command line"]');
    await page.waitForSelector('button:text-is("Copied")');
    equal(await page.evaluate(() => navigator.clipboard.readText()), await command(page), 'the command');
    await page.click('[aria-label="Copy the link to this view"]');
    check((await page.evaluate(() => navigator.clipboard.readText())).includes('plan.tp=2'), 'the link');
    await close(page);
});

test('hints are buttons that do what they say', async () => {
    const page = await open(JOB.replace('llama3.1-8b', 'llama3.1-405b'));
    await change(page, () => page.click('.hints button:text-is("Try recompute full")'));
    equal(await page.inputValue('#f-workload-recompute'), 'full', 'recomputation');
    await page.click('.hints button:text-is("Search plans that fit")');
    await page.waitForSelector('#tab-search[aria-selected=true]');
    await page.goto(page.url().replace(/#.*/, `#${SERVED}&workload.batch=100000`));
    await page.waitForSelector('.hints button:has-text("Try batch")');
    await change(page, () => page.click('.hints button:has-text("Try batch")'));
    await page.waitForSelector('.hints', { state: 'detached' });
    equal(await page.inputValue('#f-workload-batch'), String(await value(page, 'max_batch')), 'the largest batch');
    await close(page);
});

test('the box of models: words, sizes, names of Hugging Face, only the keyboard', async () => {
    const page = await open(JOB);
    await page.focus('#f-model');
    await page.keyboard.type('qwen3 32b');
    equal(await page.getAttribute('#f-model', 'aria-expanded'), 'true', 'open');
    const names = await page.$$eval('.suggestions [role=option] span:first-child', (all) =>
        all.map((e) => e.textContent),
    );
    check(names.includes('qwen3-32b') && names.every((n) => /qwen3/.test(n)), `what was typed: ${names}`);
    while ((await page.textContent('.suggestions .active span')) !== 'qwen3-32b')
        await page.keyboard.press('ArrowDown');
    await change(page, () => page.keyboard.press('Enter'));
    equal(await page.inputValue('#f-model'), 'qwen3-32b', 'chosen');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Escape');
    equal(await page.inputValue('#f-model'), 'qwen3-32b', 'escape changes nothing');
    const time = await value(page, 'step_time_s');
    await page.fill('#f-model', 'Qwen/Qwen3-8B');
    await change(page, () => page.keyboard.press('Enter'));
    await until('another model', async () => (await value(page, 'step_time_s')) !== time);
    await page.click('#f-model');
    const all = await page.$$eval('.suggestions [role=option]', (rows) => rows.map((r) => r.textContent));
    check(all.length > 50 && !all.some((t) => /synthetic/.test(t)), 'real models first');
    await close(page);
});

test('auto says what is in use, and only while it is in use', async () => {
    const page = await open(JOB);
    const first = () => page.$eval('#f-workload-engine', (box) => box.options[0].textContent);
    const used = JSON.parse(predict(orrery, 'train', '--model llama3.1-8b --system h100-sxm --gpus 16'.split(' ')));
    equal(await first(), `auto: ${used.request.workload.engine}`, 'the default');
    const kinds = await page.$$eval('#f-workload-engine option', (all) => all.map((o) => o.value));
    check(!kinds.some((k) => /^vllm|^sglang|^tensorrt/.test(k)), 'no serving engines for training');
    await change(page, () => page.selectOption('#f-workload-engine', 'megatron-core-2025'));
    equal(await first(), 'auto', 'not what was chosen');
    await close(page);
});

test('topology: groups, and what they cross', async () => {
    const page = await open(`${JOB}&view=topology`);
    await settled(page);
    const rows = await page.$$eval('#view tbody tr', (all) =>
        all.map((r) =>
            [...r.children]
                .slice(0, 6)
                .map((c) => c.textContent)
                .join(' '),
        ),
    );
    // 16 GPUs in two domains of eight; tp 2, pp 2, dp 4: neighbours in TP are 1 apart, in DP 2, in PP 8
    check(rows.includes('Tensor (TP) 2 1 2 1 scale-up'), `tensor parallel: ${rows}`);
    check(rows.includes('Data (DP) 4 2 4 1 scale-up'), `data parallel: ${rows}`);
    check(rows.includes('Pipeline (PP) 2 8 1 2 network'), `pipeline: ${rows}`);
    await page.selectOption('#view select', 'pp');
    check(
        /2 ranks, 1 in a domain, over 2 domains/.test(await page.getAttribute('#view .chart', 'aria-label')),
        'picture',
    );
    await close(page);
});

test('memory over time ends where the answer says, and follows the zoom', async () => {
    const page = await open(`${JOB}&view=timeline`);
    await settled(page);
    const top = await page.$eval('.chart.medium', (host) => {
        const { series } = host.chart.getOption();
        return series[series.length - 1].data.map((d) => d[1] * 2 ** 30);
    });
    const most = await value(page, 'memory_bytes.total');
    check(Math.abs(Math.max(...top) / most - 1) < 1e-9, `peak ${Math.max(...top)} of ${most}`);
    // 1F1B on two ranks: two micro-batches are alive at most, so that the first weighs half of what both do
    const saved = await page.$eval('.chart.medium', (host) => {
        const { series } = host.chart.getOption();
        const i = series.findIndex((s) => s.name === 'Saved inputs');
        return series[i].data.map((d, j) => d[1] - series[i - 1].data[j][1]);
    });
    check(Math.abs(saved[1] / Math.max(...saved) - 0.5) < 1e-9, 'one of two saved inputs');
    const zoom = () => page.$eval('.chart.medium', (host) => host.chart.getOption().dataZoom[0].end);
    await page.focus('[aria-label="Show the whole step"]');
    await page.keyboard.press('Enter');
    equal(await zoom(), 100, 'the whole step');
    await page.focus('[aria-label="Zoom in"]');
    await page.keyboard.press('Enter');
    equal(await zoom(), 75, 'the middle half');
    await close(page);
});

test('under load: a recorded trace, read by the page', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-'));
    const file = join(folder, 'day.csv');
    const rows = Array.from({ length: 300 }, (_, i) => `${(0.05 * i).toFixed(3)},${200 + ((37 * i) % 900)},${20 + (i % 60)}`);
    writeFileSync(file, `arrival_s,input_len,output_len\n${rows.join('\n')}\n`);
    const page = await open(`${SERVED}&view=load`);
    await page.waitForSelector('[data-key="ttft_s.p99"]');
    await pick(page, 'Arrivals').locator('select').selectOption('trace');
    await page.waitForSelector('#view .error:has-text("trace")');
    await serve(page, () => pick(page, 'Recording').locator('input').setInputFiles(file));
    const lengths = SERVED_OPTIONS.indexOf('--input'); // the rows of a trace have their own
    const options = SERVED_OPTIONS.filter((_, i) => i < lengths || i > lengths + 3);
    const wanted = JSON.parse(predict(orrery, 'serving', [...options, '--trace', file, ...LIMITS]));
    await until('the trace', async () => (await value(page, 'ttft_s.p99')) === wanted.ttft_s.p99);
    check((await command(page)).includes('--trace day.csv'), 'the command names the file');
    await close(page, [/400/]);
    rmSync(folder, { recursive: true });
});

test('compare: services under the same load', async () => {
    const other = SERVED.replace('h100-sxm', 'h200-sxm');
    const page = await open(
        `${SERVED}&view=compare&o.compare.load=1&o.traffic.rate_per_s=20` +
            `&vs=${encodeURIComponent(SERVED)}&vs=${encodeURIComponent(other)}`,
    );
    await page.waitForSelector('#view tr:has-text("First token, p99")');
    const lines = (await command(page)).split('\n');
    equal(lines.length, 2, 'a command per service');
    for (const [i, line] of lines.entries()) {
        const wanted = execute(line);
        const cell = await page.textContent(`#view tr:has-text("First token, p99") td:nth-of-type(${i + 1}) strong`);
        const milliseconds = Number(/[0-9.]+/.exec(cell)[0]) * (cell.includes('ms') ? 1e-3 : 1);
        check(Math.abs(milliseconds / wanted.ttft_s.p99 - 1) < 0.006, `${line}: ${cell}, ${wanted.ttft_s.p99}`);
    }
    await page.uncheck('#compare-load');
    await page.waitForSelector('#view tr:has-text("Time to first token"), #view tr:has-text("Latency")');
    await close(page);
});
