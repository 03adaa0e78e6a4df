import { push } from '../push/index.js';

// `sluice.use(sluice.push({ worker: '/sluice-worker.js' }))`
const page = window as unknown as { sluice?: Record<string, unknown> };
(page.sluice ??= {})['push'] = push;
