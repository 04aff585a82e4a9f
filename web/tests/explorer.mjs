// The page in Chromium, results in the TAP format: node explorer.mjs ORRERY CHROMIUM

import './jobs.mjs';
import './views.mjs';
import './serving.mjs';
import './looks.mjs';
import './reports.mjs';
import { run } from './harness.mjs';

await run();
