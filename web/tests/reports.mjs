// Pages that --html writes, opened from a file: the views of the page with the answer inside, and nothing else.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { axe, check, chrome, equal, NARROW, orrery, test, WIDE } from './harness.mjs';

const TRAIN =
    'train --model llama3.1-8b --system h100-sxm --gpus 16 --tp 2 --pp 2 --global-batch 64 --seq 4096 ' +
    '--set chip.hbm_bytes_per_s=4e12';
const SERVICE = '--model llama3.1-8b --system h100-sxm --engine vllm --input 1000 --output 100';
const RUN = `${SERVICE} --requests 200`;
/** What is asked, the views that the page has, and a text that the first of them shows. */
const REPORTS = [
    [TRAIN, ['overview', 'operators', 'timeline', 'topology', 'report'], 'Step time'],
    [
        'infer --model llama3.1-8b --system h100-sxm --batch 8 --input 1000 --output 100',
        ['overview', 'operators', 'topology', 'report'],
        'Latency',
    ],
    [`serving ${RUN} --rate 4/s --slo ttft_s.p99<=1s`, ['load', 'report'], 'What users see'],
    [`serving ${SERVICE} --rate 4/s --closed-form`, ['report'], 'As printed'],
    [`size ${RUN} --rate 8/s --budget 4GPUs --slo ttft_s.p99<=1s`, ['size', 'report'], 'Cost against latency'],
    [
        'search train --model llama2-7b --system h100-sxm --gpus 8 --global-batch 64 --tp 1,2 --pp 1',
        ['search', 'report'],
        'TFLOP/s',
    ],
    [
        'sweep train --model llama2-7b --system h100-sxm --gpus 8 --global-batch 16 --vary tp=1,2,3 --out rows.csv',
        ['report'],
        'All points',
    ],
    ['compare train h100-sxm a100-80g-sxm --model llama2-7b --gpus 8 --tp 8', ['report'], 'Time by part'],
    ['sensitivity infer --model llama3.1-8b --system h100-sxm --input 1000 --output 100', ['report'], 'Latency with 10 % more'],
    ['technology chip generated:node=5,memory=hbm3', ['report'], 'Split of the budgets'],
    ['validate rows.csv', ['report'], 'Predicted over measured'],
    ['show chips/h100-sxm-80gb', ['report'], 'As printed'],
];

const ROWS =
    'id,source,url,model,system,gpus,tp,pp,vpp,dp,cp,ep,sp,zero,seq,micro_batch,global_batch,precision,recompute,' +
    'metric,value\n' +
    'a,One,,llama2-7b,h100-sxm,8,1,1,1,8,1,1,0,1,4096,1,64,bf16,none,step_time_s,3\n' +
    'b,Two,,llama2-7b,h100-sxm,8,1,1,1,8,1,1,0,1,4096,1,64,bf16,none,tokens_per_s_per_gpu,9000\n';

function write(folder, words) {
    const path = join(folder, 'page.html');
    writeFileSync(join(folder, 'rows.csv'), ROWS);
    if (words.startsWith('sweep')) rmSync(join(folder, 'rows.csv'));
    execFileSync(resolve(orrery), [...words.split(' '), '--html', path], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    return path;
}

/** Opens a page from its file; whatever it asks for or complains about is kept. */
async function openFile(path, options) {
    const context = await chrome.newContext({ viewport: WIDE, colorScheme: 'light', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    page.complaints = [];
    page.on('console', (m) => ['error', 'warning'].includes(m.type()) && page.complaints.push(m.text()));
    page.on('pageerror', (e) => page.complaints.push(e.message));
    page.on('request', (r) => r.url().split('#')[0] !== `file://${path}` && page.complaints.push(`asks ${r.url()}`));
    await page.goto(`file://${path}`);
    await page.waitForSelector('#view > *');
    return page;
}

async function inspect(page, what) {
    const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ['violations'] }));
    const found = violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(' ')).slice(0, 3).join(', ')}`);
    equal(found.join('; '), '', `axe, ${what}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    check(wide <= 0, `${what} is ${wide} px wider than the window`);
    equal(page.complaints.join('\n'), '', `${what}: console and requests`);
}

for (const [words, views, seen] of REPORTS)
    test(`a page in a file: ${words.split(' --')[0]}`, async () => {
        const folder = mkdtempSync(join(tmpdir(), 'orrery-'));
        try {
            const path = write(folder, words);
            const narrow = { viewport: NARROW, colorScheme: 'dark' };
            for (const options of views.length > 1 ? [{}, narrow] : [narrow]) {
                const page = await openFile(path, { ...options, bypassCSP: true });
                await page.addScriptTag({ content: axe });
                const tabs = await page.$$eval('[role=tab]', (all) => all.map((t) => t.id.slice(4)));
                equal(tabs.join(), views.join(), 'views');
                check((await page.textContent('#main')).includes(seen), `${seen} is shown`);
                equal(await page.isVisible('.asks'), false, 'nothing to ask');
                for (const view of views) {
                    if (views.length > 1) await page.click(`#tab-${view}`);
                    await page.waitForSelector(`#view[aria-labelledby=tab-${view}]`);
                    if (view !== 'report') await page.waitForSelector('#view .chart canvas');
                    await inspect(page, `${words.split(' ')[0]}, ${view}`);
                }
                await page.context().close();
            }
        } finally {
            rmSync(folder, { recursive: true });
        }
    });

test('a page in a file: the numbers, the command, the keyboard', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-'));
    const path = write(folder, TRAIN);
    const result = JSON.parse(execFileSync(orrery, [...TRAIN.split(' '), '--json'], { encoding: 'utf8' }));
    const page = await openFile(path, { acceptDownloads: true });
    equal(Number(await page.getAttribute('[data-key=step_time_s]', 'data-value')), result.step_time_s, 'step time');
    equal(await page.textContent('.command code'), `orrery ${TRAIN}`, 'command');
    await page.focus('#tab-overview');
    await page.keyboard.press('End');
    await page.waitForSelector('pre.printed');
    equal(await page.evaluate(() => document.activeElement?.id), 'tab-report', 'end');
    equal(new URL(page.url()).hash, '#view=report', 'link');
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('text=JSON')]);
    equal(
        JSON.stringify(JSON.parse(readFileSync(await saved.path(), 'utf8'))),
        JSON.stringify(result),
        'the saved result',
    );
    equal(page.complaints.join('\n'), '', 'console and requests');
    await page.context().close();
    rmSync(folder, { recursive: true });
});
