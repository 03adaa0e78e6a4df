import { clicks, pageViews, sessions, sharedCookie } from '../plugins/index.js';

// `sluice.use(sluice.pageViews())`, and the others alike.
const page = window as unknown as { sluice?: Record<string, unknown> };
Object.assign((page.sluice ??= {}), { clicks, pageViews, sessions, sharedCookie });
