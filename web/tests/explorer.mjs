// The page in Chromium, results in the TAP format: node explorer.mjs ORRERY CHROMIUM

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { browser, predict, serve } from './session.mjs';

const [orrery, chromium] = process.argv.slice(2);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
const VIEWS = ['overview', 'operators', 'timeline', 'whatif', 'search', 'compare', 'technology', 'fit'];
const JOB =
    'kind=train&model=llama3.1-8b&system=h100-sxm&gpus=16&plan.tp=2&plan.pp=2' +
    '&workload.global_batch=64&workload.seq=4096';
const OPTIONS = [
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

const server = await serve(orrery);
const chrome = await browser(chromium);
const tests = [];
const test = (name, run) => tests.push([name, run]);

function equal(got, wanted, what) {
    if (got !== wanted) throw new Error(`${what}: ${JSON.stringify(got)}, expected ${JSON.stringify(wanted)}`);
}
function check(good, what) {
    if (!good) throw new Error(what);
}

/** Wait until a condition on this side holds. */
async function until(what, condition) {
    for (let i = 0; i < 600; i++) {
        if (await condition()) return;
        await new Promise((done) => setTimeout(done, 50));
    }
    throw new Error(`never: ${what}`);
}

/** A page with a record of everything it complains about. */
async function open(fragment = '', options = {}) {
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
    await page.waitForSelector('.card .value');
    return page;
}
async function close(page, expected = []) {
    const left = page.complaints.filter((c) => !expected.some((e) => e.test(c)));
    await page.context().close();
    equal(left.join('\n'), '', 'console');
}

const value = (page, key) => page.getAttribute(`.card [data-key="${key}"]`, 'data-value').then(Number);
const text = (page, key) => page.textContent(`.card [data-key="${key}"]`);
const settled = (page) => page.waitForSelector('#view:not([aria-busy])');
async function show(page, view) {
    await page.click(`#tab-${view}`);
    await settled(page);
}
/** A change of a control and the answer to it. */
async function change(page, act, path = /\/api\/v1\/(train|infer)$/) {
    const [response] = await Promise.all([page.waitForResponse((r) => path.test(r.url())), act()]);
    await response.finished();
    await page.waitForTimeout(30);
}
async function dropConfig(page, name, content) {
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
const get = (object, key) => key.split('.').reduce((o, k) => o[k], object);

test('first paint: headline numbers, bars, controls', async () => {
    const page = await open();
    equal(await page.title(), 'Orrery explorer', 'title');
    check((await page.locator('.card').count()) >= 7, 'at least seven cards');
    await settled(page);
    equal(await page.locator('.panel canvas').count(), 3, 'charts drawn');
    check((await page.locator('select#f-model option').count()) > 50, 'models to choose from');
    await close(page);
});

test('the numbers are those of orrery train --json', async () => {
    const page = await open(JOB);
    const wanted = JSON.parse(predict(orrery, 'train', OPTIONS));
    for (const key of [
        'step_time_s',
        'tokens_per_s',
        'mfu_frac',
        'memory_bytes.total',
        'bound_frac',
        'energy_j_per_token',
        'cost_usd_per_billion_tokens',
    ])
        equal(await value(page, key), get(wanted, key), key);
    equal(await text(page, 'mfu_frac'), `${(100 * wanted.mfu_frac).toFixed(1)} %`, 'MFU as shown');
    await settled(page);
    const bars = await page.$$eval('table[aria-label="Time by part"] [data-value]', (cells) =>
        cells.map((c) => Number(c.dataset.value)),
    );
    check(
        Math.abs(bars.reduce((a, b) => a + b) - wanted.step_time_s) < 1e-9 * wanted.step_time_s,
        'the parts of the time bar sum to the step time',
    );
    await close(page);
});

test('the download is the text of orrery train --json', async () => {
    const page = await open(JOB);
    const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.click('[aria-label="Download the result as JSON"]'),
    ]);
    equal(readFileSync(await file.path(), 'utf8').trim(), predict(orrery, 'train', OPTIONS).trim(), 'JSON');
    const [table] = await Promise.all([
        page.waitForEvent('download'),
        page.click('[aria-label="Download the result as CSV"]'),
    ]);
    const [head, row, ...rest] = readFileSync(await table.path(), 'utf8')
        .trim()
        .split('\n');
    check(head.includes('step_time_s') && head.includes('plan.tp') && row && rest.length === 0, 'CSV of one row');
    await settled(page);
    const [picture] = await Promise.all([
        page.waitForEvent('download'),
        page.click('[aria-label="Download Time as PNG"]'),
    ]);
    equal(
        readFileSync(await picture.path())
            .subarray(1, 4)
            .toString(),
        'PNG',
        'picture',
    );
    await close(page);
});

test('changing the plan: every control answers, the URL follows', async () => {
    const page = await open(JOB);
    const before = await value(page, 'step_time_s');
    await change(page, () => page.fill('#f-plan-tp', '4'));
    const wanted = JSON.parse(predict(orrery, 'train', [...OPTIONS, '--tp', '4']));
    equal(await value(page, 'step_time_s'), wanted.step_time_s, 'tp 4');
    check(wanted.step_time_s !== before, 'another time');
    await change(page, () => page.selectOption('#f-workload-recompute', 'full'));
    await change(page, () => page.selectOption('#f-system', 'b200-sxm'));
    const full = JSON.parse(
        predict(orrery, 'train', [...OPTIONS, '--tp', '4', '--recompute', 'full', '--system', 'b200-sxm']),
    );
    equal(await value(page, 'step_time_s'), full.step_time_s, 'another system, recomputed');
    equal(await page.getAttribute('#f-plan-dp', 'placeholder'), '2', 'what the server filled in');
    await page.focus('#f-workload-seq');
    await change(page, () => page.keyboard.press('ArrowUp'));
    equal(await page.inputValue('#f-workload-seq'), '8192', 'arrow up doubles');
    await until('the URL has it', () => page.url().includes('plan.tp=4') && page.url().includes('workload.seq=8192'));
    await close(page);
});

test('inference', async () => {
    const page = await open(JOB);
    await change(page, () => page.click('.kinds label:text-is("Inference")'));
    const wanted = JSON.parse(
        predict(orrery, 'infer', [
            '--model',
            'llama3.1-8b',
            '--system',
            'h100-sxm',
            '--gpus',
            '4',
            '--tp',
            '4',
            '--batch',
            '16',
            '--input',
            '1024',
            '--output',
            '256',
            '--engine',
            'tensorrt-llm-1.2',
        ]),
    );
    for (const key of ['latency_s', 'ttft_s', 'tpot_s', 'output_tokens_per_s', 'max_batch'])
        equal(await value(page, key), wanted[key], key);
    for (const view of VIEWS) await show(page, view);
    await change(page, () => page.click('.kinds label:text-is("Training")'));
    equal(await page.inputValue('#f-gpus'), '16', 'back to the training job');
    await close(page);
});

test('URL restore: the same page from its address', async () => {
    const page = await open(`${JOB}&x.hbm=2&view=whatif`);
    await settled(page);
    const time = await value(page, 'step_time_s');
    const wanted = JSON.parse(predict(orrery, 'train', [...OPTIONS, '--set', 'chip.hbm_bytes_per_s=6.7e12']));
    equal(time, wanted.step_time_s, 'twice the bandwidth');
    equal(await page.getAttribute('#tab-whatif', 'aria-selected'), 'true', 'the view');
    await show(page, 'search');
    const address = page.url();
    await page.goBack();
    await page.waitForSelector('#tab-whatif[aria-selected=true]');
    await page.goto('about:blank');
    await page.goto(address);
    await page.waitForSelector('.card .value');
    equal(await value(page, 'step_time_s'), time, 'time');
    equal(await page.getAttribute('#tab-search', 'aria-selected'), 'true', 'the view of the address');
    equal(await page.inputValue('#f-plan-pp'), '2', 'the plan');
    await close(page);
});

test('a dropped config.json is the model', async () => {
    const page = await open(JOB);
    const config = {
        architectures: ['LlamaForCausalLM'],
        model_type: 'llama',
        hidden_size: 2048,
        intermediate_size: 5504,
        num_hidden_layers: 16,
        num_attention_heads: 16,
        num_key_value_heads: 16,
        vocab_size: 32000,
        max_position_embeddings: 4096,
        tie_word_embeddings: false,
    };
    await change(page, () => dropConfig(page, 'config.json', JSON.stringify(config)));
    await settled(page);
    // 16 layers of 4 h^2 + 3 h i + 2 h, two embeddings, the last norm
    const parameters = 16 * (4 * 2048 ** 2 + 3 * 2048 * 5504 + 2 * 2048) + 2 * 32000 * 2048 + 2048;
    check((await page.textContent('.facts')).includes(`${(parameters / 1e6).toFixed(0)} M`), 'its parameters');
    check((await page.locator('#f-model option:checked').textContent()).includes('config.json'), 'its name');
    await until('the URL has it', () => page.url().includes('config='));
    const time = await value(page, 'step_time_s');
    await page.reload();
    await page.waitForSelector('.card .value');
    equal(await value(page, 'step_time_s'), time, 'after a reload');
    await dropConfig(page, 'notes.json', 'not JSON');
    await page.waitForSelector('[role=alert]:has-text("notes.json")');
    await close(page);
});

test('bad input is shown beside its field', async () => {
    const page = await open(JOB);
    await change(page, () => page.fill('#f-plan-tp', 'seven'));
    await page.waitForSelector('[data-key="plan.tp"].bad .error');
    check(/integer/.test(await page.textContent('[data-key="plan.tp"] .error')), 'says what is allowed');
    check(!/^plan.tp/.test(await page.textContent('[data-key="plan.tp"] .error')), 'without the name of the field');
    equal(await page.getAttribute('#f-plan-tp', 'aria-invalid'), 'true', 'aria-invalid');
    await change(page, () => page.fill('#f-plan-tp', '2'));
    await page.waitForSelector('[data-key="plan.tp"].bad', { state: 'detached' });
    await change(page, () => page.fill('#f-gpus', '15'));
    await page.waitForSelector('[data-key="gpus"].bad');
    await change(page, () => page.fill('#f-gpus', '16'));
    await page.goto(`${server.address}/#${JOB.replace('model=llama3.1-8b', 'model=lama3.1-8b')}`);
    await page.waitForSelector('[data-key="model"].bad');
    check(/llama3.1-8b/.test(await page.textContent('[data-key="model"] .error')), 'names the nearest model');
    await close(page, [/status of 400/]);
});

test('a plan that does not fit says so', async () => {
    const page = await open(JOB.replace('llama3.1-8b', 'llama3.1-405b'));
    await page.waitForSelector('.banner:has-text("Does not fit")');
    equal(await page.locator('.card.bad').count(), 1, 'the card of memory');
    await close(page);
});

test('roofline and table: every operator, sorted by a click', async () => {
    const page = await open(`${JOB}&view=operators&o.ops.show=all`);
    await settled(page);
    const drawn = await page.$eval('.chart.tall', (host) =>
        host.chart
            .getOption()
            .series.filter((s) => s.type === 'scatter')
            .reduce((n, s) => n + s.data.length, 0),
    );
    const rows = await page.locator('tbody tr').count();
    const ops = JSON.parse(predict(orrery, 'train', [...OPTIONS, '--dump', 'costs'], [])).filter((o) => o.runs > 0);
    equal(rows, ops.length, 'rows');
    equal(drawn, ops.length, 'points');
    const column = async () =>
        page.$$eval('tbody tr td:nth-child(4)', (cells) =>
            cells.map((c) => Number(c.textContent)).filter(Number.isFinite),
        );
    await page.selectOption('#view select', 'matrix');
    await page.click('thead button:text-is("m")');
    equal(await page.getAttribute('thead th:nth-child(4)', 'aria-sort'), 'descending', 'aria-sort');
    const down = await column();
    equal(down.join(), [...down].sort((a, b) => b - a).join(), 'm, largest first');
    await page.click('thead button:text-is("m")');
    const up = await column();
    equal(up.join(), [...down].sort((a, b) => a - b).join(), 'm, smallest first');
    const at = await page.$eval('.chart.tall', (host) => {
        const i = host.chart.getOption().series.findIndex((s) => s.data.length > 0);
        const [x, y] = host.chart.convertToPixel({ seriesIndex: i }, host.chart.getOption().series[i].data[0].value);
        return { x, y };
    });
    await page.hover('.chart.tall', { position: at });
    await page.waitForSelector('.note:has-text("max(")');
    check(/ × /.test(await page.textContent('.note')), 'the shape under the pointer');
    await close(page);
});

test('pipeline timeline', async () => {
    const page = await open(`${JOB}&view=timeline`);
    await settled(page);
    const spans = await page.$eval('.chart.tall', (host) =>
        host.chart.getOption().series.reduce((n, s) => n + s.data.length, 0),
    );
    // 64 sequences over dp 4 in micro-batches of 1: 16, forward and backward on 2 ranks
    equal(spans, 16 * 2 * 2, 'blocks');
    await change(page, () => page.fill('#f-plan-pp', '1'));
    await page.waitForSelector('.empty:has-text("one pipeline rank")');
    await change(page, () => page.fill('#f-plan-pp', '2'));
    await page.waitForSelector('.chart.tall canvas');
    await page.fill('#f-workload-global_batch', '2000000');
    await page.waitForSelector('.empty:has-text("spans")');
    check(!(await page.isVisible('.chart.tall')), 'nothing of the last one');
    await close(page, [/status of 400/]);
});

test('what-if sliders and elasticity', async () => {
    const page = await open(`${JOB}&view=whatif`);
    await settled(page);
    const before = await value(page, 'step_time_s');
    await page.focus('[data-knob=flops] input');
    for (let i = 0; i < 20; i++) await page.keyboard.press('ArrowRight'); // 2^(20 * 0.05) = 2
    await until('faster', async () => (await value(page, 'step_time_s')) < before && page.url().includes('x.flops=2'));
    await settled(page);
    check(/2\.00× = 1\.98 PFLOP/.test(await page.textContent('[data-knob=flops] output')), 'the peak, doubled');
    check(/elasticity −0\.\d+/.test(await page.textContent('[data-knob=flops] .elasticity')), 'elasticity');
    check(/becomes/.test(await page.textContent('.outcome')), 'before and after');
    await change(page, () => page.click('button:text-is("All back to 1×")'));
    await until('back', async () => (await value(page, 'step_time_s')) === before);
    await close(page);
});

test('search: a click on the Pareto front loads the plan', async () => {
    const page = await open(`${JOB}&view=search`);
    await page.click('#view button.main');
    await page.waitForSelector('h3:has-text("Best plans")');
    await page.waitForSelector('#view .outcome:text-matches("^[0-9,]+ plans, at most [0-9,]+ fit, ")'); // most are bounded
    await page.waitForSelector('#view .chart canvas');
    await page.locator('#view .chart').scrollIntoViewIfNeeded();
    const point = await page.$eval('#view .chart', (host) => {
        const data = host.chart.getOption().series[0].data;
        const { value: at, found } = data[data.length - 1]; // the front ends with the least memory, far from the others
        const [x, y] = host.chart.convertToPixel({ seriesIndex: 0 }, at);
        return { x, y, time: found.step_time_s, memory: found.memory_bytes.total };
    });
    await change(page, () => page.click('#view .chart', { position: { x: point.x, y: point.y } }));
    equal(await value(page, 'step_time_s'), point.time, 'time of the point');
    equal(await value(page, 'memory_bytes.total'), point.memory, 'memory of the point');
    await change(page, () => page.click('#view tbody button >> nth=0'));
    const best = await page.$eval('#view .chart', (host) => host.chart.getOption().series[1].data[0].found.step_time_s);
    equal(await value(page, 'step_time_s'), best, 'time of the best plan');
    await close(page);
});

test('compare four jobs side by side', async () => {
    const page = await open(`${JOB}&view=compare`);
    for (const seq of ['2048', '4096', '8192', '1024']) {
        await page.fill('#f-workload-seq', seq);
        await page.waitForTimeout(60);
        await page.click('#view button.main');
    }
    await settled(page);
    equal(await page.locator('.compare thead th').count(), 4, 'jobs');
    check(await page.isDisabled('#view button.main'), 'no fifth');
    const differs = await page.textContent('.compare tr:has(th:text-is("Sequence"))');
    check(/2048.*4096.*8192.*1024/s.test(differs), 'what differs');
    await page.click('#tab-overview');
    await page.click('#top button:text-is("Compare")');
    await page.waitForSelector('#view .intro:has-text("4 jobs are the most")');
    await page.click('[aria-label="Remove job 4"]');
    await settled(page);
    equal(await page.locator('.compare thead th').count(), 3, 'one removed');
    await change(page, () => page.click('[aria-label="Load job 1"]'));
    equal(await page.inputValue('#f-workload-seq'), '2048', 'loaded');
    await close(page);
});

test('compare training with inference: no time against another kind', async () => {
    const infer =
        'kind=infer&model=llama3.1-8b&system=h100-sxm&gpus=1' +
        '&workload.batch=1&workload.input_len=64&workload.output_len=8';
    const broken = infer.replace('gpus=1', 'gpus=none');
    const jobs = [JOB, infer, broken].map((job) => `&vs=${encodeURIComponent(job)}`).join('');
    const page = await open(`${JOB}&view=compare${jobs}`);
    await page.waitForSelector('.compare tr:has-text("Time against job 1")');
    const row = (name) =>
        page.$$eval(`.compare tr:has(th:text-is("${name}")) td`, (all) => all.map((d) => d.textContent));
    equal((await row('Time against job 1')).join(), '–,–,–', 'no ratio');
    check(/integer/.test(await page.textContent('.compare thead th:nth-of-type(3)')), 'what is wrong with a job');
    equal((await row('Pipeline (PP)')).join(), '2,auto,auto', 'a field both have');
    equal((await row('Sequence'))[1], '–', 'a field only training has');
    await close(page, [/status of 400/]);
});

test('back and forward: kind, view, what was typed, controls of a view', async () => {
    const page = await open(`${JOB}&view=operators`);
    const seen = () => page.evaluate(() => document.querySelector('[aria-selected=true]').id);
    await page.selectOption('#view select', 'network');
    await page.fill('#f-plan-tp', '4');
    await page.click('#tab-search');
    await page.fill('#view input[type=text] >> nth=0', '32');
    await page.click('label:text-is("Inference")');
    await until('inference', async () => (await page.inputValue('input[name=kind]:checked')) === 'infer');
    await page.goBack();
    await until('training', async () => (await page.inputValue('input[name=kind]:checked')) === 'train');
    equal(await seen(), 'tab-search', 'the view of before');
    equal(await page.inputValue('#view input[type=text] >> nth=0'), '32', 'GPUs of the search');
    await page.goBack();
    await until('the view before', async () => (await seen()) === 'tab-operators');
    equal(await page.inputValue('#f-plan-tp'), '4', 'what was typed just before');
    equal(await page.inputValue('#view select'), 'network', 'the filter');
    await page.goto(`${server.address}/#${JOB}&view=search&o.search.objective=cost&o.search.keep=tp,pp`);
    await until('the link', async () => (await seen()) === 'tab-search');
    equal(await page.inputValue('#view select >> nth=0'), 'cost', 'objective of the link');
    equal(await page.inputValue('#view input[type=text] >> nth=0'), '', 'GPUs of the link');
    equal(await page.locator('#view .checks input:checked').count(), 2, 'kept by the link');
    await close(page);
});

test('search: errors beside their fields, why nothing is left, plans of another job', async () => {
    const page = await open(`${JOB}&view=search`);
    const [gpus, limits] = ['>> nth=0', '>> nth=1'].map((n) => `#view input[type=text] ${n}`);
    await page.fill(limits, 'speed>=1');
    await page.click('#view button.main');
    await page.waitForSelector('#view .field.bad:has-text("Limits") .error:has-text("speed")');
    equal(await page.getAttribute(limits, 'aria-invalid'), 'true', 'aria-invalid');
    await page.fill(limits, '');
    await page.fill(gpus, 'many');
    await page.click('#view button.main');
    await page.waitForSelector('#view .field.bad:has-text("GPUs") .error:has-text("integer")');
    equal(await page.getAttribute(limits, 'aria-invalid'), null, 'the other is good now');
    await page.fill(gpus, '');
    await page.fill(limits, 'step_time_s<=1e-9');
    await page.click('#view button.main');
    await page.waitForSelector('#view .outcome:has-text("No plan is left")');
    check(!(await page.isVisible('h3:text-is("Best plans")')), 'no empty chart');
    await page.fill(limits, '');
    await page.click('#view button.main');
    await page.waitForSelector('h3:text-is("Best plans")');
    await page.selectOption('#view .panel select >> nth=1', 'front');
    const front = await page.$eval('#view .chart', (host) => host.chart.getOption().series[0].data.length);
    equal(await page.locator('#view tbody tr').count(), front, 'the front as a table');
    await change(page, () => page.fill('#f-workload-seq', '2048'));
    check(!(await page.isVisible('h3:text-is("Best plans")')), 'plans of another job are hidden');
    await change(page, () => page.fill('#f-workload-seq', '4096'));
    check(await page.isVisible('h3:text-is("Best plans")'), 'and come back with it');
    await close(page, [/status of 400/]);
});

test('a server that stops in the middle', async () => {
    const own = await serve(orrery);
    const page = await chrome.newPage();
    await page.goto(`${own.address}/#${JOB}`);
    await page.waitForSelector('.card .value');
    own.stop();
    await until('stopped', () => fetch(own.address).then(() => false, () => true));
    await page.fill('#f-plan-tp', '4');
    await page.waitForSelector('[role=alert]:has-text("Is orrery serve still running?")');
    await page.waitForSelector('.banner:has-text("last job that could be answered")');
    await page.close();
});

test('nodes and DRAM: a study, and its chip for the job', async () => {
    const page = await open(`${JOB}&view=technology`);
    await page.waitForSelector('#view tbody tr:nth-child(24)'); // 8 nodes, 3 memories
    await change(page, () => page.click('[aria-label="Use 5 nm with hbm3"]'));
    const wanted = JSON.parse(
        predict(
            orrery,
            'train',
            OPTIONS.map((o) => (o === 'h100-sxm' ? 'generated:node=5,memory=hbm3' : o)),
        ),
    );
    equal(await value(page, 'step_time_s'), wanted.step_time_s, 'the job on that chip');
    await page.waitForSelector('.facts:has-text("5 nm")');
    await close(page);
});

test('your runs: a table in, a report and a stack file out', async () => {
    const page = await open(`${JOB}&view=fit`);
    const rows = [8, 16, 32].map((gpus, i) => `r${i},llama2-7b,h100-sxm,${gpus},1,4096,1,128,none,${[30, 15.5, 8][i]}`);
    const csv =
        'id,model,system,gpus,zero,seq,micro_batch,global_batch,recompute,value,metric,engine\n' +
        rows.map((r) => `${r},step_time_s,megatron-core-2025\n`).join('');
    await page.setInputFiles('#view input[type=file]', {
        name: 'runs.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(csv),
    });
    await page.waitForSelector('#view p[role=status]:has-text("3 runs")');
    equal(await page.locator('#view table').first().locator('tbody tr').count(), 3, 'a line per run');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('text=Download the stack')]);
    const file = JSON.parse(readFileSync(await saved.path(), 'utf8'));
    equal(file.fit_runs, 3, 'the file says how many runs');
    await page.setInputFiles('#view input[type=file]', {
        name: 'bad.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('a,b\n1,2\n'),
    });
    await page.waitForSelector('#view [role=alert]:has-text("not a measurement table")');
    await page.close(); // the refusal is on the console
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
    await close(page);
});

for (const [name, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['390 px', { viewport: NARROW }],
])
    test(`accessibility and layout: ${name}`, async () => {
        const page = await open(`${JOB}&vs=${encodeURIComponent(JOB)}`, { ...options, bypassCSP: true });
        await page.addScriptTag({ content: axe });
        await page.$$eval('details', (all) => all.forEach((d) => (d.open = true)));
        for (const view of VIEWS) {
            await show(page, view);
            if (view === 'search') {
                await page.click('#view button.main');
                await page.waitForSelector('h3:has-text("Best plans")');
            }
            const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
            equal(
                violations
                    .map(
                        (v) =>
                            `${v.id}: ${v.nodes
                                .map((n) => n.target.join(' '))
                                .slice(0, 3)
                                .join(', ')}`,
                    )
                    .join('; '),
                '',
                `axe, ${view}`,
            );
            equal(
                await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth),
                true,
                `${view} fits the width`,
            );
            const tab = await page.$eval(`#tab-${view}`, (e) => {
                const [own, bar] = [e.getBoundingClientRect(), e.parentElement.getBoundingClientRect()];
                return own.left >= bar.left - 1 && own.right <= bar.right + 1;
            });
            equal(tab, true, `the tab of ${view} is in sight`);
        }
        await close(page);
    });

test('pictures of an HTML report: 390 px', async () => {
    const page = await chrome.newPage({ viewport: NARROW });
    await page.setContent(execFileSync(orrery, ['train', ...OPTIONS, '--html', '-'], { encoding: 'utf8' }));
    const sizes = await page.$$eval('svg text', (all) =>
        all.map((e) => 11 * Math.hypot(e.getScreenCTM().a, e.getScreenCTM().b)),
    );
    check(sizes.length > 5, 'labels');
    check(Math.min(...sizes) >= 10, `a label of ${Math.min(...sizes)} px`);
    equal(await page.evaluate(() => document.documentElement.scrollWidth), NARROW.width, 'the page does not scroll');
    await page.close();
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
