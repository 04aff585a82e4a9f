// The pictures of docs/explorer.md and of a report (docs/trace.md): node screenshots.mjs ORRERY CHROMIUM FOLDER

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { browser, serve } from './session.mjs';

const [orrery, chromium, folder] = process.argv.slice(2);
const TRAIN =
    'kind=train&model=llama3.1-70b&system=h100-sxm&gpus=128&plan.tp=8&plan.pp=4&plan.vpp=5' +
    '&workload.seq=8192&workload.global_batch=512&workload.engine=megatron-core-2025';
const MOE =
    'kind=train&model=mixtral-8x7b&system=h100-sxm&gpus=64&plan.tp=2&plan.pp=2&plan.ep=8' +
    '&workload.seq=4096&workload.global_batch=256&workload.engine=megatron-core-2025';
const INFER =
    'kind=infer&model=llama3.1-70b&system=h100-sxm&gpus=4&plan.tp=4' +
    '&workload.batch=16&workload.input_len=1024&workload.output_len=256&workload.engine=tensorrt-llm-1.2';
const SHOTS = [
    ['explorer', TRAIN, { width: 1280, height: 960 }, 'light'],
    [
        'explorer-compare',
        `${INFER}&view=compare&o.compare.load=1&o.traffic.rate_per_s=6` +
            ['h100-sxm', 'h200-sxm', 'b200-sxm'].map((s) => `&vs=${encodeURIComponent(INFER.replace('h100-sxm', s))}`).join(''),
        { width: 1280, height: 1330 },
        'light',
    ],
    ['explorer-roofline', `${INFER}&view=operators`, { width: 1280, height: 1080 }, 'light'],
    ['explorer-timeline', `${TRAIN}&view=timeline`, { width: 1280, height: 1140 }, 'dark'],
    ['explorer-topology', `${MOE}&view=topology`, { width: 1280, height: 900 }, 'light'],
    ['explorer-nodes', `${TRAIN}&view=technology`, { width: 1280, height: 1000 }, 'light'],
    ['explorer-search', `${TRAIN}&view=search`, { width: 1280, height: 1540 }, 'dark'],
    ['explorer-load', `${INFER}&view=load&o.traffic.rate_per_s=6`, { width: 1280, height: 1260 }, 'light'],
    [
        'explorer-size',
        `${INFER}&view=size&o.size.systems=h100-sxm,h200-sxm,b200-sxm`,
        { width: 1280, height: 1260 },
        'light',
    ],
    ['explorer-narrow', INFER, { width: 390, height: 844 }, 'light'],
];

const server = await serve(orrery);
const chrome = await browser(chromium);
for (const [name, fragment, viewport, colorScheme] of SHOTS) {
    const page = await chrome.newPage({ viewport, colorScheme });
    await page.goto(`${server.address}/#${fragment}`);
    await page.waitForSelector('#view:not([aria-busy]) canvas, #view button.main');
    if (/view=(search|size)/.test(fragment)) {
        await page.click('#view button.main');
        await page.waitForSelector('#view .chart canvas');
    }
    await page.waitForSelector('#view:not([aria-busy])');
    await page.mouse.move(0, 0);
    await page.waitForTimeout(300);
    await page.screenshot({ path: `${folder}/${name}.png` });
    await page.close();
}
const scratch = mkdtempSync(join(tmpdir(), 'orrery-'));
execFileSync(orrery, [
    ...'train --model llama3.1-70b --system h100-sxm --gpus 128 --tp 8 --pp 4 --vpp 5 --seq 8192'.split(' '),
    ...'--global-batch 512 --engine megatron-core-2025 --html'.split(' '),
    join(scratch, 'report.html'),
]);
const report = await chrome.newPage({ viewport: { width: 1280, height: 1250 } });
await report.goto(`file://${join(scratch, 'report.html')}`);
await report.waitForSelector('#view canvas');
await report.waitForTimeout(300);
await report.screenshot({ path: `${folder}/report.png` });
rmSync(scratch, { recursive: true });
await chrome.close();
server.stop();
