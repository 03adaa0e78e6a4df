import { clicks, pageViews, privacySignal, rateGuard, register, sessions, sharedCookie } from '../plugins/index.js';

// `sluice.use(sluice.pageViews())`, and so on.
const page = window as unknown as { sluice?: Record<string, unknown> };
const plugins = { clicks, pageViews, privacySignal, rateGuard, register, sessions, sharedCookie };
Object.assign((page.sluice ??= {}), plugins);
