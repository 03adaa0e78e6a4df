import { clicks, pageViews, privacySignal, rateGuard, register, sessions, sharedCookie } from '../plugins/index.js';

// `sluice.use(sluice.pageViews())`, and the others alike.
const page = window as unknown as { sluice?: Record<string, unknown> };
const plugins = { clicks, pageViews, privacySignal, rateGuard, register, sessions, sharedCookie };
Object.assign((page.sluice ??= {}), plugins);
