// The views of a prediction.

import { readFileSync } from 'node:fs';
import { change, check, close, equal, JOB, open, OPTIONS, orrery, settled, test, text, value } from './harness.mjs';
import { predict } from './session.mjs';

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

test('roofline: names beside marks, none over another', async () => {
    const page = await open(`${JOB}&view=operators`);
    await settled(page);
    const boxes = await page.$eval('.chart.tall', (host) => {
        const series = host.chart.getOption().series.filter((s) => s.type === 'scatter');
        const names = new Set(series.flatMap((s) => s.data.map((d) => d.row.name)));
        const texts = host.chart.getZr().storage.getDisplayList(true);
        return texts
            .filter((e) => e.type === 'tspan' && names.has(e.style.text))
            .map((e) => {
                const box = e.getBoundingRect().clone();
                if (e.transform) box.applyTransform(e.transform);
                return [e.style.text, box.x, box.y, box.x + box.width, box.y + box.height];
            });
    });
    check(boxes.length >= 6, `${boxes.length} names`);
    for (const [i, [name, left, top, right, bottom]] of boxes.entries())
        for (const [other, l, t, r, b] of boxes.slice(i + 1))
            check(right <= l + 1 || r <= left + 1 || bottom <= t + 1 || b <= top + 1, `${name} lies over ${other}`);
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
    await page.waitForSelector('#view li:text-matches("^80 % interval of jobs with this stack: a factor of [1-9]")');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('text=Download the stack')]);
    const file = JSON.parse(readFileSync(await saved.path(), 'utf8'));
    equal(file.fit_runs, 3, 'the file says how many runs');
    const parts = [1, 2, 3].map((i) => ({
        name: `part${i}.csv`,
        mimeType: 'text/csv',
        buffer: Buffer.from([0, i].map((line) => csv.split('\n')[line]).join('\n')),
    }));
    await page.setInputFiles('#view input[type=file]', parts);
    await page.waitForSelector('#view p[role=status]:has-text("3 runs")');
    check(/^orrery fit part1.csv part2.csv part3.csv /.test(await page.textContent('.share code')), 'their names');
    await page.setInputFiles('#view input[type=file]', {
        name: 'one.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(csv.split('\n').slice(0, 2).join('\n')),
    });
    await page.waitForSelector('#view p[role=status]:has-text("1 run, ")');
    await page.setInputFiles('#view input[type=file]', {
        name: 'bad.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from('a,b\n1,2\n'),
    });
    await page.waitForSelector('#view [role=alert]:has-text("not a measurement table")');
    await page.close(); // the refusal is on the console
});
