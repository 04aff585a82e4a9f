// The job: its controls, its numbers, its address.

import { readFileSync } from 'node:fs';
import {
    change,
    check,
    close,
    dropConfig,
    equal,
    get,
    JOB,
    open,
    OPTIONS,
    orrery,
    server,
    settled,
    show,
    test,
    text,
    until,
    value,
    VIEWS,
} from './harness.mjs';
import { predict } from './session.mjs';

test('first paint: headline numbers, bars, controls', async () => {
    const page = await open();
    equal(await page.title(), 'Orrery explorer', 'title');
    check((await page.locator('.card').count()) >= 7, 'at least seven cards');
    await settled(page);
    equal(await page.locator('.panel canvas').count(), 3, 'charts drawn');
    await page.click('#f-model');
    check((await page.locator('.suggestions [role=option]').count()) > 50, 'models to choose from');
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
    for (const view of VIEWS.infer) await show(page, view);
    equal(await page.isVisible('#tab-timeline'), false, 'no pipeline timeline in inference');
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

test('the server knows every choice of every control', async () => {
    for (const job of [
        JOB,
        'kind=infer&model=llama3.1-8b&system=h100-sxm&workload.input_len=100&workload.output_len=10',
    ]) {
        const page = await open(job);
        const choices = await page.$$eval('#controls .field:has(select)', (rows) =>
            rows.flatMap((r) => [...r.querySelectorAll('option')].map((o) => [r.dataset.key, o.value])),
        );
        check(choices.length > 100, 'choices');
        const request = { plan: {}, workload: {} };
        for (const [key, given] of new URLSearchParams(job)) put(request, key, given);
        for (const [key, choice] of [...choices, ['plan.overlap', 'tp,dp']].filter(([, c]) => c !== '')) {
            if (key === 'plan.overlap' && request.kind === 'infer') continue;
            const asked = structuredClone(request);
            put(asked, key, choice);
            const answer = await fetch(`${server.address}/api/v1/${request.kind}`, {
                method: 'POST',
                body: JSON.stringify(asked),
            });
            const error = answer.ok ? '' : (await answer.json()).error.text;
            check(!/must be|unknown|no such|not a/.test(error), `${key} ${choice}: ${error}`);
        }
        await close(page);
    }
});

/** Puts a text at a dotted path of a request, as a number or a flag where it is one. */
function put(request, key, given) {
    const value = /^(true|false|[0-9]+)$/.test(given) ? JSON.parse(given) : given;
    const [section, name] = key.split('.');
    if (name) request[section][name] = value;
    else request[section] = value;
}

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
    check((await page.inputValue('#f-model')).includes('config.json'), 'its name');
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
