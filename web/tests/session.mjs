// A server and a browser for the tests and the screenshots.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

/** Start orrery serve on a free port. */
export async function serve(orrery) {
    const child = spawn(orrery, ['serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
    process.on('exit', () => child.kill('SIGTERM'));
    const lines = createInterface({ input: child.stdout });
    const [line] = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => ['no server'])]);
    const address = /http:\/\/\S+?:\d+/.exec(line)?.[0];
    if (!address) throw new Error(`orrery serve: ${line}`);
    return { address, stop: () => child.kill('SIGTERM') };
}

export const browser = (path) =>
    chromium.launch({ executablePath: path, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] });

/** What the command line prints for a request. A plan that does not fit has an exit status of its own. */
export function predict(orrery, kind, options, format = ['--json']) {
    try {
        return execFileSync(orrery, [kind, ...options, ...format], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'pipe'],
        });
    } catch (error) {
        if (error.stdout) return error.stdout;
        throw error;
    }
}
